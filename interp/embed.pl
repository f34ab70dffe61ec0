#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# embed.pl FILE.pm...: writes C arrays with the bytes of each file and a NUL, named after it (Zed.pm is
# embed_Zed_pm), on stdout.  embed.pl --table FILE...: the same, and the table of them that
# trace/names/shipped.h declares; --page FILE...: the table of interp/api/html_parts.h; --python FILE...: that of
# interp/python/base/python_text.h.  embed.pl --selftest proves that nothing is changed on the way.
use strict;
use warnings;

# A file's name in a table: its own, and below page/ and interp/python/ with its folder, explore/axis.js.
sub base { return $_[0] =~ m{^(?:page|interp/python)/(.+)} ? $1 : $_[0] =~ s{.*/}{}r }
sub id { return 'embed_' . base($_[0]) =~ s/\W/_/gr }

# A file's text in, the text of a C header out.  Numbers rather than a string: no escape can go wrong, and no
# compiler has a limit for their length.
sub embed {
	my ($name, $text) = @_;
	my $c = 'static const char ' . id($name) . "[] = {\n";
	my @n = map { $_ > 127 ? $_ - 256 : $_ } unpack('C*', $text), 0;
	while (my @line = splice @n, 0, 20) {
		$c .= "\t" . join(' ', map {"$_,"} @line) . "\n";
	}
	return "$c};\n";
}

sub selftest {
	my $text = join('', map {chr} 0 .. 255) . "\\n \"q\" %s ??/ \n";
	my ($body) = embed('a/B-c.pm', $text) =~ /^static const char embed_B_c_pm\[\] = \{(.*)\};$/ms
		or die "embed.pl: selftest: wrong frame\n";
	my $back = pack 'c*', $body =~ /-?\d+/g;
	$back eq "$text\0" or die "embed.pl: selftest: bytes were changed\n";
	base('page/explore/axis.js') eq 'explore/axis.js' && base('interp/python/perf/Core.py') eq 'perf/Core.py'
		&& base('/usr/share/d3.min.js') eq 'd3.min.js' or die "embed.pl: selftest: wrong names\n";
	print "ok\n";
	return 0;
}

exit selftest() if @ARGV && $ARGV[0] eq '--selftest';
my %TABLES = (
	'--table' => ['trace/names/shipped.h', 'stable_text', 'stable_texts'],
	'--page' => ['interp/api/html_parts.h', 'page_part', 'page_parts'],
	'--python' => ['interp/python/base/python_text.h', 'python_text', 'python_texts'],
);
my $table = @ARGV && $TABLES{$ARGV[0]};
shift if $table;
die "usage: embed.pl [--table | --page | --python] FILE... | --selftest\n" if !@ARGV && !$table;
binmode STDOUT;
print "/* SPDX-License-Identifier: GPL-2.0-or-later */\n/* Made by interp/embed.pl. */\n";
print "#include \"$table->[0]\"\n" if $table;
for my $file (sort @ARGV) {
	open my $fh, '<:raw', $file or die "embed.pl: $file: $!\n";
	my $text = do { local $/; <$fh> };
	print "\n", embed($file, $text);
}
if ($table) {
	print "\nconst struct $table->[1] $table->[2]\[] = {\n";
	printf "\t{ \"%s\", %s, sizeof(%2\$s) - 1 },\n", base($_), id($_)
		for sort { base($a) cmp base($b) } @ARGV;
	print "\t{ 0 },\n};\n";
}
close STDOUT or die "embed.pl: stdout: $!\n";
