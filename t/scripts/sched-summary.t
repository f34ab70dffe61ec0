# SPDX-License-Identifier: GPL-2.0-or-later
#
# sched-summary: who used the CPUs.  Without it time that nobody saw is charged to somebody.
#
# of: scripts/sched-summary.pl lib/Zed reader/perf/records.c
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Write::PerfOfDat;
use Run::Zedperl;

sub rows { my ($r, $table) = @_; return @{$r->{data}{tables}{$table}{rows} // []} }

my $text = <<'END';
0 0 0 switch 0 R 30 | 10 0 30 switch 30 D 0 | 60 0 0 waking 30 | 75 0 0 switch 0 R 30 | 80 0 30 switch 30 R+ 31 | 95 0 31 switch 31 S 30
100 0 30 switch 30 S 0 | 140 1 40 waking 31 | 150 0 0 switch 0 R 31 | 155 0 31 switch 31 Z 0 | 160 0 0 waking 30
END
my $r = analysis('sched-summary', miniature($text), '--by', 'pid');
is($r->{status}, 0, 'exit status') or diag $r->{err};
is_deeply([map { [@$_{qw(pid run n p50 max voluntary preempted resched state)}] } rows($r, 'tasks')], [
	[40, 20_000, 0, undef, undef, 0, 0, 0, 'runs'],
	[30, 20_000, 3, 5_000, 10_000, 2, 1, 0, 'ready'],
	[31, 20_000, 2, 5_000, 15_000, 1, 0, 0, 'dead'],
], 'each task: turns, how it left, what it is at; what runs at the end is no turn');
is_deeply([map { [@$_{qw(cpu busy idle unknown all)}] } rows($r, 'cpus')], [[0, 40_000, 120_000, 0, 160_000], [1, 20_000, 0, 140_000, 160_000]],
	'busy, idle and unknown are the whole time (else: shares of what happened to be seen)');

# 20 is not switched in, and leaves: who ran from 100 on, and whether it was 20, is not known.
$r = analysis('sched-summary', miniature('100 0 0 switch 0 R 10 | 150 0 20 switch 20 S 0 | 200 0 0 switch 0 R 10 | 260 0 10 switch 10 S 0'),
	'--by', 'pid');
is_deeply([map { [@$_{qw(pid run)}] } rows($r, 'tasks')], [[10, 60_000], [20, 0]], 'a switch that is missing charges nobody');
is_deeply([map { [@$_{qw(busy idle unknown)}] } rows($r, 'cpus')], [[60_000, 50_000, 50_000]], 'the time is unknown');

# Why it is missing some recordings tell: those of chosen tasks (perf's, where an event was opened for a task) miss what others
# do, and no kernel is to blame.
my $missing = miniature('100 0 0 switch 0 R 10 | 150 0 20 switch 20 S 0 | 200 0 0 switch 0 R 10 | 260 0 10 switch 10 S 0');
sub says { my ($r) = @_; return join '', map { $_->{text} =~ /(?:was|were) (.*?): who ran/ } grep { $_->{key} eq 'missing' } @{$r->{data}{notes}} }
sub perf { my (%o) = @_; return perf_of_dat($missing, temp_path('.data'), events => qr/^sched:/, %o) }
my %WHY = (all => 'not recorded by this kernel', chosen => 'not recorded (the recording is of chosen tasks: perf record without -a)',
	unknown => 'not recorded (this kernel left them out, or the recording is of chosen tasks)');
is(says(analysis('sched-summary', $missing)), $WHY{unknown}, 'a trace.dat does not tell of which tasks it is: both may be so');
is(says(analysis('sched-summary', perf())), $WHY{unknown}, 'nor does a perf.data that has no such record');
for my $by ('ID_INDEX', 'THREAD_MAP') {
	is(says(analysis('sched-summary', perf(by => $by, of => [-1]))), $WHY{all}, "$by: of all tasks");
	is(says(analysis('sched-summary', perf(by => $by, of => [10, 20]))), $WHY{chosen}, "$by: of two (else: the kernel is blamed for what nobody asked it to record)");
	is(says(analysis('sched-summary', perf(by => $by, of => [-1, 10, -1]))), $WHY{chosen}, 'tracking beside it is of all');
}
is(says(analysis('sched-summary', 't/data/perf/sched.data')), $WHY{chosen}, 'a recording by perf record COMMAND');
my @states = map { temp_path('.state') } 0 .. 2;
zedperl({ bare => 1 }, '--map', '-o', $states[$_], (perf(by => 'ID_INDEX', of => [10]), perf(by => 'ID_INDEX', of => [-1]), 't/data/perf/sched.data')[$_], 'sched-summary') for 0 .. 2;
sub merged { return { data => JSON::PP::decode_json(zedperl({ bare => 1 }, '--reduce', 'sched-summary', @states[@_], '--', '--json')->{out}) } }
is(says(merged(0, 2)), $WHY{chosen}, 'states keep it');
is(says(merged(0, 1)), $WHY{unknown}, 'of several kinds both may be so');

# But any record, of an event that nobody handles too, tells who runs: only the time between two of different tasks is unknown.
$r = analysis('sched-summary', miniature('100 0 0 switch 0 R 10 | 110 0 10 raise 3 | 125 0 20 enter 1 | 150 0 20 switch 20 S 0 | 160 0 0 raise 3 | 180 0 30 waking 10'),
	'--by', 'pid');
is_deeply([map { [@$_{qw(pid run)}] } rows($r, 'tasks')], [[20, 25_000], [10, 10_000], [30, 0]], 'who ran up to, and from, a record of any event');
is_deeply([map { [@$_{qw(busy idle unknown all)}] } rows($r, 'cpus')], [[35_000, 10_000, 35_000, 80_000]], 'only the time between is unknown (else: it is all)');
$r = analysis('sched-summary', miniature('100 0 0 switch 0 R 10 | 110 0 10 raise 3 | 120 0 15 raise 3 | 125 0 20 raise 1 | 150 0 20 switch 20 S 0'), '--by', 'pid');
is_deeply([map { [@$_{qw(busy idle unknown)}] } rows($r, 'cpus')], [[25_000, 0, 25_000]],
	'where two switches are missing, the record before is not the old one\'s: he is sure up to the last that was seen of him');

# A loss: the turn that it may have ended counts up to the last that was seen.
$r = analysis('sched-summary', miniature('100 0 0 switch 0 R 10 | 120 0 10 waking 30 | 200 0!5 40 waking 50 | 230 0 40 switch 40 S 0'), '--by', 'pid');
is_deeply([map { [@$_{qw(pid run)}] } rows($r, 'tasks')], [[40, 30_000], [10, 20_000]], 'across a loss nobody runs');
is_deeply([map { [@$_{qw(busy idle unknown)}] } rows($r, 'cpus')], [[50_000, 0, 80_000]], 'the gap is unknown');

$r = analysis('sched-summary', miniature($text));
is_deeply([map { [@$_{qw(comm tasks)}] } rows($r, 'tasks')], [['<...>', 1], ['t30', 1], ['t31', 1]], 'by name');
is(analysis('sched-summary', miniature($text), '--by', 'x')->{status}, 2, 'another key: 2');

# Without it: a task of a window is said to be dead, as it is after it.
$r = zedperl({ bare => 1 }, '--end', '+50us', miniature('100 0 0 switch 0 R 10 | 140 0 10 switch 10 R 20 | 160 0 20 switch 20 X 10 | 170 0 10 switch 10 S 0'),
	'sched-summary', '--by', 'pid', '--csv=tasks');
my %last = map { my @f = split /,/; $f[1] => $f[-1] } split /\n/, $r->{out};
is_deeply([@last{10, 20}], ['ready', 'runs'], 'what a task is at when the time is over, not later') or diag($r->{out}, $r->{err});

done_testing();
