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

sub zedperl_json { return { data => JSON::PP::decode_json(zedperl({ bare => 1 }, @_, '--json')->{out}) } }

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

# A part of the time has each CPU of the trace: without it a CPU in which nothing happens is missing in the time of all, and shares are too large.
my $late = miniature('0 0 0 switch 0 R 10 | 30 0 10 waking 20 | 100 1 0 switch 0 R 20 | 160 1 20 switch 20 S 0 | 200 0 10 switch 10 S 0 | 300 0 0 switch 0 R 10');
sub of_cpus { return [map { [@$_{qw(cpu busy idle unknown all)}] } rows({ data => JSON::PP::decode_json($_[0]) }, 'cpus')] }
sub window { return of_cpus(zedperl({ bare => 1 }, @_, $late, 'sched-summary', '--json')->{out}) }
is_deeply(window('--end', '+50us'), [[0, 50_000, 0, 0, 50_000], [1, undef, undef, 50_000, 50_000]], 'before the first record of a CPU: neither busy nor idle is known (else: busy 0, as if it had been idle)');
is_deeply(window('--start', '+210us', '--end', '+250us'), [[0, 0, 40_000, 0, 40_000], [1, 0, 40_000, 0, 40_000]], 'in which none has an event: who was idle before');
is_deeply(window('--start', '+40us', '--end', '+90us', '--cpu', 1), [[1, undef, undef, 50_000, 50_000]], 'that is asked for, alone');
is_deeply([map { of_cpus($_) } lines(zedperl({ bare => 1 }, $late, 'sched-summary', '--every', '0.000075', '--json')->{out})],
	[[[0, 75_000, 0, 0, 75_000], [1, undef, undef, 75_000, 75_000]], [[0, 75_000, 0, 0, 75_000], [1, 50_000, 0, 25_000, 75_000]],
	[[0, 50_000, 100_000, 0, 150_000], [1, 10_000, 140_000, 0, 150_000]], [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]], 'each interval has both; those without an event are one');
# The first event of a CPU that tells who runs there may be after the time: who is seen to leave it first ran before.
is_deeply(of_cpus(zedperl({ bare => 1 }, '--end', '+20us', miniature('0 0 10 raise 3 | 0 1 0 switch 0 R 20 | 25 1 20 switch 20 S 0 | 8000 0 10 switch 10 S 0'), 'sched-summary', '--json')->{out}),
	[[0, 20_000, 0, 0, 20_000], [1, 20_000, 0, 0, 20_000]], 'a CPU that tells only later');

# A recording of chosen tasks has the switches from these alone: without it 30, which one of them left a CPU to, or idle, has that until the end.
# Nor has it the switch from one that ends: 10 on CPU 2 is known to run up to the last record there (else: it has all the time up to the end).
my $chosen = miniature('0 1 20 waking 10 | 100 0 10 waking 20 | 150 0 10 switch 10 S 30 | 200 1 20 waking 10 | 250 1 20 switch 20 R 10 | 300 1 10 switch 10 S 0 | 320 2 20 waking 10 | 340 2 20 switch 20 S 10 | 400 3 20 waking 10');
my %of_perf = (by => 'ID_INDEX', events => qr/^sched:/);
for (['chosen', [10, 20], [[0, 50_000, 0], [1, 300_000, 0], [2, 20_000, 0], [3, undef, undef]]],
	['all', [-1], [[0, 300_000, 0], [1, 300_000, 100_000], [2, 80_000, 0], [3, undef, undef]]]) {
	my ($name, $of, $want) = @$_;
	$r = analysis('sched-summary', perf_of_dat($chosen, temp_path('.data'), %of_perf, of => $of), '--by', 'pid');
	is_deeply([map { [@$_{qw(cpu busy idle)}] } rows($r, 'cpus')], $want, "$name tasks: who runs up to the end");
}

# The kernel's own choice of tasks (set_event_pid) records switches to them, too, and a trace.dat does not say so: but that switches from 40, and from idle, are missing.
$r = analysis('sched-summary', miniature('0 0 40 switch 40 S 10 | 100 0 10 switch 10 S 40 | 200 0 50 switch 50 S 10 | 300 0 10 switch 10 S 0 | 400 0 50 switch 50 S 10 | 450 0 10 switch 10 S 40 | '
	. '10 1 10 switch 10 S 0 | 20 2 60 switch 60 S 70 | 900 3 10 waking 20'), '--by', 'pid');
is_deeply([map { [@$_{qw(cpu busy idle unknown)}] } rows($r, 'cpus')], [[0, 250_000, 0, 650_000], [1, undef, undef, 900_000], [2, 880_000, 0, 20_000], [3, undef, undef, 900_000]],
	'a task of which switches are missing is not said to run up to the end');

# A trace without switches does not tell who ran: without it who wakes has run since the one before, and this kernel is blamed for switches that nobody recorded.
my $wakings = miniature('0 0 10 waking 20 | 40 0 20 waking 10 | 50 1 30 waking 10 | 90 0 10 waking 30 | 95 1!3 30 waking 20');
for my $script (qw(sched-summary waits wakeup-latency off-cpu who-wakes-whom why-late)) {
	$r = analysis($script, $wakings);
	is_deeply([map { $_->{key} } grep { $_->{key} ne 'absent' } @{$r->{data}{notes}}], ['nothing'], "$script: only wakings: nothing is said but");
	like($r->{data}{notes}[-1]{text}, qr/^nothing to show: events were lost in this time; no sched:sched_switch\b.* to record it: zedtrace --for $script\b/, '... what is missing');
}
# Beside one that has them it adds nothing.
my $has = miniature($text);
is_deeply([map { [@$_{qw(pid run n)}] } rows(zedperl_json('-i', $has, '-i', $wakings, 'sched-summary', '--by', 'pid'), 'tasks')], [map { [@$_{qw(pid run n)}] } rows(zedperl_json('-i', $has, 'sched-summary', '--by', 'pid'), 'tasks')],
	'and of two inputs the one with switches alone has rows');
is_deeply([grep { $_ eq 'missing' } map { $_->{key} } @{zedperl_json('-i', $has, '-i', $wakings, 'waits')->{data}{notes}}], [], '... and no switch is missing');

# A turn of which the beginning (10 on CPU 1, 40 after the loss, 20) or the end (10, 30) is not in the trace is no slice; that of 11 was seen.
$r = analysis('sched-summary', miniature('0 1 10 waking 11 | 40 1 10 switch 10 S 11 | 90 1 11 switch 11 S 0 | 100 0 0 switch 0 R 10 | 120 0 10 waking 30 | 200 0!5 40 waking 50 | 230 0 40 switch 40 S 30 | '
	. '300 0 20 switch 20 R+ 0'), '--by', 'pid');
is_deeply([map { [@$_{qw(pid run n p50 max voluntary preempted)}] } rows($r, 'tasks')], [[10, 60_000, 0, undef, undef, 1, 0], [11, 50_000, 1, 50_000, 50_000, 1, 0],
	[40, 30_000, 0, undef, undef, 1, 0], [20, 0, 0, undef, undef, 0, 1], [30, 0, 0, undef, undef, 0, 0]], 'a turn that was not seen as a whole is no slice (else: slices of 0 ns)');
is_deeply([map { $_->{n} } grep { $_->{key} eq 'pieces' } @{$r->{data}{notes}}], [5], 'and is counted apart');
is_deeply([map { $_->{n} } grep { $_->{n} } rows($r, 'slices')], [1], 'nor in the histogram');

$r = analysis('sched-summary', miniature($text));
is_deeply([map { [@$_{qw(comm tasks)}] } rows($r, 'tasks')], [['<...>', 1], ['t30', 1], ['t31', 1]], 'by name');
is(analysis('sched-summary', miniature($text), '--by', 'x')->{status}, 2, 'another key: 2');

# Without it: a task of a window is said to be dead, as it is after it.
$r = zedperl({ bare => 1 }, '--end', '+50us', miniature('100 0 0 switch 0 R 10 | 140 0 10 switch 10 R 20 | 160 0 20 switch 20 X 10 | 170 0 10 switch 10 S 0'),
	'sched-summary', '--by', 'pid', '--csv=tasks');
my %last = map { my @f = split /,/; $f[1] => $f[-1] } split /\n/, $r->{out};
is_deeply([@last{10, 20}], ['ready', 'runs'], 'what a task is at when the time is over, not later') or diag($r->{out}, $r->{err});

done_testing();
