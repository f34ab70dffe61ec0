#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# embed.pl FILE.pm...: writes C arrays with the bytes of each file and a NUL, named after it (Zed.pm is
# embed_Zed_pm), on stdout.  embed.pl --selftest proves that nothing is changed on the way.
use strict;
use warnings;

# Perl source in, the text of a C header out.  Numbers rather than a string: no escape can go wrong, and no
# compiler has a limit for their length.
sub embed {
	my ($name, $text) = @_;
	(my $id = $name) =~ s{.*/}{};
	$id =~ s/\W/_/g;
	my $c = "static const char embed_$id\[] = {\n";
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
	print "ok\n";
	return 0;
}

exit selftest() if @ARGV && $ARGV[0] eq '--selftest';
die "usage: embed.pl FILE... | --selftest\n" if !@ARGV;
binmode STDOUT;
print "/* SPDX-License-Identifier: GPL-2.0-or-later */\n/* Made by interp/embed.pl. */\n";
for my $file (sort @ARGV) {
	open my $fh, '<:raw', $file or die "embed.pl: $file: $!\n";
	my $text = do { local $/; <$fh> };
	print "\n", embed($file, $text);
}
close STDOUT or die "embed.pl: stdout: $!\n";
