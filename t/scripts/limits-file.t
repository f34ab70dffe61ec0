# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl compare --limits FILE: several analyses at once, and every mistake in the file with its place.  Without it a limit
# that is misspelt is no limit, and the gate passes.
#
# of: lib/Zed/Gate/Limit.pm scripts/compare.pl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Pass;
use Run::Gate;
use Run::Zedperl;

srand($ENV{ZED_SEED} // 36);
my ($short, $long) = (waits(50, 120), waits(80, 120));

sub limits { my ($text) = @_; return spew(temp_path('.txt'), $text) }
sub with_file { my ($text, @words) = @_; my $file = limits($text); return (gate('--limits', $file, @words ? @words : ($short, '--', $long)), $file) }

# Comments, blank lines, ends of lines of DOS, a name in quotes, options of an analysis.
my ($gate) = with_file("# what a change may cost\r\n\r\n[wakeup-latency]\r\n  p50: +200%\r\n\"t20\" p50: +25 %\n\n[ waits --by cpu ]\nCPU 0 p50: +1s\n");
is($gate->{status}, 3, 'a file with two analyses: 3') or diag $gate->{err};
is_deeply([map { [@$_{qw(analysis key number limit verdict)}] } @{$gate->{checks}}],
	[['wakeup-latency', 'ALL', 'p50', '+200%', 'within'], ['wakeup-latency', 't20', 'p50', '+25%', 'beyond'], ['waits', 'CPU 0', 'p50', '+1s', 'within']], 'each limit, in the order of the file');

($gate) = with_file("[wakeup-latency.tasks]\np50: +25%\n[sched-summary.tasks]\nt20 share: +100%\n");
is_deeply([map { [@$_{qw(analysis key verdict)}] } @{$gate->{checks}}], [['wakeup-latency.tasks', 'ALL', 'beyond'], ['sched-summary.tasks', 't20', 'cannot tell']], 'tables by name; the first one has its samples by that, too')
	or diag $gate->{err};

# Mistakes: the line, the column, what is wrong there, and a caret below it.
my @MISTAKES = (
	["[wakeup-latency]\np9x: +10%\n", 2, 1, qr/wakeup-latency has no number 'p9x'; did you mean 'p9\d?'\?/],
	["[wakeup-latency]\n\tsh p50 +10%\n", 2, 13, qr/expected ': CHANGE' after the number, as in 'p99: \+10%'/],
	["[wakeup-latency]\np50: 10%\n", 2, 6, qr/a change begins with \+/],
	["[wakeup-latency]\np50: +fast\n", 2, 7, qr/expected an amount/],
	["[wakeup-latency]\np50: +5 furlongs\n", 2, 9, qr/'furlongs' is not a unit of this number: it takes ns us ms s/],
	["[wakeup-latency]\np50: +5\n", 2, 8, qr/a unit is missing here: it takes ns us ms s/],
	["[wakeup-latency]\nrate: +5ms\n", 2, 9, qr/'ms' is not a unit of this number, which has none/],
	["[wakeup-latency]\np50: +5% or so\n", 2, 5, qr/this is not a change: write \+10%/],
	["p50: +5%\n", 1, 1, qr/a limit before the first \[ANALYSIS\]/],
	["[wakeup-latncy]\np50: +5%\n", 1, 2, qr/there is no analysis 'wakeup-latncy'; did you mean 'wakeup-latency'\?/],
	["[wakeup-latency\np50: +5%\n", 1, 16, qr/expected '\]'/],
	["[wakeup-latency] p50: +5%\n", 1, 18, qr/expected nothing after '\]'/],
	["[]\np50: +5%\n", 1, 2, qr/expected an analysis/],
	["# one\n[wakeup-latency]\np50: +5%\n:\n", 4, 1, qr/expected the number that has a limit/],
);
for (small() ? @MISTAKES[0, 1, 4] : @MISTAKES) {
	my ($text, $line, $column, $why) = @$_;
	my ($run, $file) = with_file($text);
	my @said = split /\n/, $run->{err};
	is("$run->{status} $run->{out}", '2 ', "$said[0]: 2");
	like($said[0] // '', qr/^compare: \Q$file\E: line $line: column $column: $why/, '... where it is, and what is wrong');
	# The line as it is shown, then the caret below the place.
	my $shown = (split /\n/, $text)[$line - 1] =~ s/\t/\\x09/gr;
	is($said[1], "compare:   $shown", '... the line');
	my $before = substr((split /\n/, $text)[$line - 1], 0, $column - 1) =~ s/\t/\\x09/gr;
	is($said[2], 'compare:   ' . ' ' x length($before) . '^', '... and a caret below it');
}
# The same of the command line.
my $run = gate('wakeup-latency', '--limit', 'sh p9x: +10%', $short, '--', $long);
is($run->{status}, 2, 'a mistake in --limit: 2');
is($run->{err} =~ s/'; did.*//r, "compare: --limit: column 4: wakeup-latency has no number 'p9x\ncompare:   sh p9x: +10%\ncompare:      ^\n", '... with its caret');
$run = gate('sched-summary', '--limit', 'share: +10%', 'docs/shell.dat', '--', 'docs/shell.dat');
is($run->{status}, 2, 'no row of all together: 2');
like($run->{err}, qr/column 1: sched-summary has no row of all together: name a row before the number, or '\*' for each$/m, '... and what to write');
is(gate('sched-summary', '--limit', '* share: +10%', 'docs/shell.dat', '--', 'docs/shell.dat')->{status}, 4, '... each: one run a side cannot tell');

# Files that are none.
for (['', qr/has no limits: write \[ANALYSIS\]/], ["[irq]\n# nothing\n", qr/\[irq\] has no limit below it/], ["#" x (1 << 20) . "\n[irq]\np50: +5%\n", qr/is larger than 1 MiB/]) {
	my ($text, $why) = @$_;
	my ($empty, $file) = with_file($text);
	is($empty->{status}, 2, 'a file without limits: 2 (else: nothing is checked, and all is well)');
	like($empty->{err}, qr/^compare: \Q$file\E: $why/, '... which is said');
}
like(gate('--limits', '/no/such', $short, '--', $long)->{err}, qr{^compare: /no/such: No such file}, 'no such file');
like(gate('--limits', '/dev/null', $short, '--', $long)->{err}, qr{is not a regular file}, 'a device');
for ([['--limit', 'p50: +5%'], qr/leave --limit out/], [['--with', '--by cpu'], qr/leave --with out/]) {
	my ($words, $why) = @$_;
	my ($both) = with_file("[irq]\np50: +5%\n", @$words, $short, '--', $long);
	is($both->{status}, 2, "--limits and @$words[0]: 2");
	like($both->{err}, $why, '... and why');
}
for ([['--level', 0], qr/--level takes/], [['--level', 50], qr/--level takes/], [['--junit', '/no/such/file'], qr/--junit .*there is no such folder/], [[$short, '--'], qr/-- stands between/]) {
	my ($words, $why) = @$_;
	my $wrong = gate('wakeup-latency', '--limit', 'p50: +5%', grep({ $words->[0] =~ /^--/ } 1) ? (@$words, $short, '--', $long) : @$words);
	is($wrong->{status}, 2, "@$words: 2");
	like($wrong->{err}, $why, '... and why');
}
# With a number alone --limit is the number of rows, as ever.
unlike(zedperl({ bare => 1 }, 'compare', 'syscalls', '--limit', 2, 'docs/shell.dat', 'docs/shell.dat')->{out}, qr/^(?:\S+ +\S+ +\S+ .*\n){6}/m, '--limit 2 is two rows');

done_testing();
