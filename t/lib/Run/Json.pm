# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Json: checks with a strict reader of its own that the output of the programs is JSON.
#
#	is_valid($path, 'a task called so', 'irq', 'block');	# zedprint -f json, and these analyses with --json
package Run::Json;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Test::More;
use Run::Program qw(zed_run slurp);

our @EXPORT = qw(is_json is_valid answers json_analyses @HOSTILE);

# Names that are not UTF-8, that end a string, that look like numbers, that control a terminal.
our @HOSTILE = ("\e]0;x\a", "\xff\xfe", "\xc3", "\xed\xa0\x80", '"},{"x":"', '\\', "\\u0000", "a\nb", "\xe2\x80\xa8", "1e999", 'Inf', 'NaN', '-0', "\xf4\x90\x80\x80", "\x9b\x01");

my $answers = 0;

# How many answers of analyses were checked.
sub answers { return $answers }

# The analyses that read a trace.
sub json_analyses {
	return grep { slurp("scripts/$_.pl") =~ /^use Zed::Report/m && slurp("scripts/$_.pl") !~ /^# zedperl: reads no trace/m }
		map { m{([^/]+)\.pl\z} } glob 'scripts/*.pl';
}

# Strict: one value, of UTF-8, in which no number is infinite.
sub is_json {
	my ($text) = @_;
	return $text =~ /[\x00-\x09\x0b-\x1f]/ ? 0 : eval { JSON::PP->new->utf8->allow_nonref->decode($text); 1 };
}

# A check, WHAT: the output of zedprint and of the analyses WHICH for PATH is valid.
sub is_valid {
	my ($path, $what, @which) = @_;
	my @bad;
	my $print = zed_run('zedprint', '-f', 'json', $path);
	push @bad, map { is_json($_) ? () : "zedprint: $_" } split /\n/, $print->{out};
	for my $analysis (@which) {
		my $r = zed_run('zedperl', $path, $analysis, '--json');
		$answers++ if $r->{out} ne '';
		push @bad, "$analysis: exit $r->{exit}" if $r->{exit} > 1;
		push @bad, "$analysis: $r->{out}" if $r->{out} ne '' && !is_json($r->{out});
		push @bad, "$analysis: no answer: $r->{err}" if $r->{out} eq '' && $r->{exit} == 0;
	}
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join("\n", map { substr $_, 0, 300 } @bad[0 .. ($#bad < 3 ? $#bad : 3)]), '', $what);
	return;
}

1;
