# SPDX-License-Identifier: GPL-2.0-or-later
#
# summary: what is in a trace, and which analyses suit it.  Without it a reader is sent to an analysis that has nothing to show.
#
# of: scripts/summary.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Write::Miniature;
use Compare::RealData;
use Run::Zedperl;

my $r = analysis('summary', miniature('0 0 5 irq 1 | 1 0 5 irqx 1 | 2 1 0 irq 2 | 3 1!4 0 irqx 2 | 9 0!-1 5 irq 1'));
my $tables = $r->{data}{tables};
is_deeply([map { [@$_{qw(event n)}] } @{$tables->{events}{rows}}], [['irq:irq_handler_entry', 3], ['irq:irq_handler_exit', 2]],
	'events, the most frequent first') or diag $r->{err};
is_deeply([map { [@$_{qw(cpu n start end lost unknown)}] } @{$tables->{cpus}{rows}}],
	[[0, 3, 1_000_000_000, 1_000_009_000, undef, 1], [1, 2, 1_000_002_000, 1_000_003_000, 4, 0]], 'CPUs, when they begin and end, and what they lost');
my %suits = map { $_->{script} => $_->{suits} } @{$tables->{scripts}{rows}};
is($suits{irq}, 'yes', 'an analysis whose events are all here suits');
is($suits{softirq}, 'no', 'one whose own events do not occur does not, whatever else of its system does (else: it has nothing to show)');
is($suits{block}, 'no', 'one that has none does not');
is($suits{lost}, 'yes', 'that of losses suits where some are');
is($suits{countall}, 'yes', 'what is made of any event lacks none');
is(scalar(grep { !$_->{purpose} } @{$tables->{scripts}{rows}}), 0, 'each says what it answers');
is_deeply([map { $_->{script} } @{$tables->{scripts}{rows}}[0, 1]], ['countall', 'irq'], 'those that suit come first');

# Two inputs: the rows of each are those that it has by itself.
my @two = map { "t/data/$_.dat" } qw(be_lost armhf_lost);
sub cpu_rows { my (@args) = @_; return @{JSON::PP::decode_json(zedperl({ bare => 1 }, @args, 'summary', '--json')->{out})->{tables}{cpus}{rows}} }
for my $window ([], ['--head', 200]) {
	my @rows = cpu_rows(@$window, map { ('-i', $_) } @two);
	is(scalar(@rows), 3, "@$window: CPU 0 of each input has its row (else: one, with the events of both)");
	next if @$window;
	for my $n (0, 1) {
		is_deeply([map { { %$_, source => undef } } grep { $_->{source} == $n } @rows], [map { { timeless => 0, %$_, source => undef } } cpu_rows($two[$n])],
			"input $n: its events, its time, its losses");
	}
}

is_deeply([grep { exists $suits{$_} } qw(compare top)], [], 'no script that reads no trace itself (else: it seems to suit everything)');
is($suits{'function-graph'}, 'no', 'what is recorded besides is not what it is about');
$r = analysis('summary', miniature('0 0 5 switch 5 S 6 | 1 0 6 call f 0 | 9 0 6 ret f 0 1 9'));
%suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
is($suits{'function-graph'}, 'yes', 'that is there');
$r = analysis('summary', miniature('0 0 5 switch 5 S 6 | 1 0 6 switch 6 S 5'));
%suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
is($suits{'function-graph'}, 'no', 'or is not (else: it answers none, and nobody knows why)');

$r = analysis('summary', miniature('0 0 5 softirq 1 | 1 0 5 softirqx 1'));
%suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
is($suits{softirq}, 'partly: no sched:sched_switch', 'one that lacks some says which');
is($suits{lost}, 'no', 'that of losses does not suit where none are');

# Stacks: of ftrace they are events, of perf a part of each.
for (['t/data/stack.dat', 'yes'], ['t/data/demo.dat', 'no'], ['t/data/perf/rawsys_g.data', 'yes'], ['t/data/perf/sched.data', 'no']) {
	my ($file, $is) = @$_;
	%suits = map { $_->{script} => $_->{suits} } @{analysis('summary', $file)->{data}{tables}{scripts}{rows}};
	is($suits{stacks}, $is, "$file: $is, it has " . ($is eq 'yes' ? 'stacks' : 'none') . ' (else: who has a flame graph does not see it)');
}

# A recording: what trace-cmd prints of it.
my $dat = Compare::RealData::own() . '/demo.dat';
my ($counts) = Compare::RealData::raw_counts(Compare::RealData::reference($dat, 'raw'));
my %got = map { $_->{event} =~ s/.*://r => $_->{n} } @{analysis('summary', $dat)->{data}{tables}{events}{rows}};
cmp_ok(scalar keys %$counts, '>', 20, 'trace-cmd prints many events');
is_deeply(\%got, $counts, 'a recording: as many of each event as trace-cmd prints (else: a script seems to suit it, and is empty)');

# Of a time all of it is of that time: the records of CPU 0 go on through it, those of CPU 1 begin in it, CPU 2's end before.
my $three = miniature('0 0 5 irq 1 | 1 2 5 irq 3 | 2 2 5 irqx 3 | 4 0 5 irqx 1 | 6 1 5 softirq 1 | 7 1 5 softirqx 1 | 9 0 5 irq 1');
my $of_time = sub { my ($data) = @_; return [map { [@$_{qw(cpu n start end)}] } @{$data->{tables}{cpus}{rows}}] };
my $is = [[0, 1, 1_000_003_000, 1_000_006_500], [1, 1, 1_000_006_000, 1_000_006_500], [2, 0, undef, undef]];
$r = chosen(['--start', '1.000003', '--end', '1.0000065'], 'summary', $three);
is_deeply($of_time->($r->{data}), $is, 'from and to are cut to the time that is asked for (else: they are of the whole trace, and all else of the row is not)');
%suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
is_deeply([@suits{qw(irq softirq)}], ['no', 'no'], 'as is what suits it');
my @states = map { temp_path('.state') } 0 .. 1;
zedperl({ bare => 1 }, '--map', '--part', ($_ + 1) . '/2', '-o', $states[$_], $three, 'summary') for 0 .. 1;
is_deeply($of_time->(JSON::PP::decode_json(zedperl({ bare => 1 }, '--reduce', 'summary', @states, '--', '--json')->{out})), $of_time->(analysis('summary', $three)->{data}),
	'parts have the times of all of it together');

# Which tasks and CPUs were chosen does not matter for what suits: 6 is woken by 5, on another CPU.
my $woken = miniature('0 0 5 waking 6 | 1 0 5 wakeup 6 | 3 1 0 switch 0 R 6 | 4 1!2 6 switch 6 S 0 | 9 1 0 irq 1 | 10 1 0 irqx 1');
sub suits_of { my (@choice) = @_; return map { ($_->{script} => $_->{suits}) } @{chosen(\@choice, "summary", $woken)->{data}{tables}{scripts}{rows}} }
my %whole = suits_of();
is_deeply([@whole{qw(wakeup-latency irq lost)}], ['partly: no sched:sched_wakeup_new', 'yes', 'yes'], 'a trace that has all but one');
is_deeply({ suits_of(@$_), lost => 'yes' }, \%whole, "@$_: the same (else: an analysis that has rows seems to have none)") for ['--pid', 6], ['--comm', 't6'], ['--cpu', 0], ['--cpu', 1], ['--pid', 99];
is({ suits_of('--cpu', 0) }->{lost}, 'no', 'but for losses: analysis lost has those of the CPU');
my %then = suits_of('--pid', 6, '--start', '1.0000035', '--end', '1.000005');
is_deeply([@then{qw(wakeup-latency sched-summary irq)}], ['no', 'partly: no sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new', 'no'], 'a time: of that time');
is({ suits_of('--event', 'irq') }->{'wakeup-latency'}, 'no', 'kinds that are left out are not there');
is(chosen(['--cpu', 0], 'summary', $woken)->{data}{lost}{events}, 0, 'what others lost is not what is lost on CPU 0');
my $slow = miniature('0 0 5 waking 6 | 1000 0 5 wakeup 6 | 3000 1 0 switch 0 R 6 | 4000 1 6 switch 6 S 0 | 9000 1 0 irq 1 | 10000 1 0 irqx 1');
my @each = map { { map { ($_->{script} => $_->{suits}) } @{JSON::PP::decode_json($_)->{tables}{scripts}{rows}} } }
	lines(zedperl({ bare => 1 }, '--pid', 5, $slow, 'summary', '--json', '--every', '4ms')->{out});
is_deeply([map { "@$_{qw(irq wakeup-latency)}" } @each], ['no partly: no sched:sched_wakeup_new', 'no no', 'yes no'], '--every: each interval has its own');

# The CPU that recorded it, whatever field the event has.
is_deeply([map { [@$_{qw(cpu n)}] } @{analysis('summary', miniature('0 1 5 queue_work a f'))->{data}{tables}{cpus}{rows}}], [[1, 1]],
	"an event's own field cpu is not where it was recorded (else: a CPU has events of another)");

if (small()) {
	done_testing();
	exit;
}

# Parts of the trace: what occurs and what is lost in them.
for my $of ('t/data/demo.dat', 't/data/be_lost.dat') {
	my %events = (of => $of, analysis => 'summary', args => [qw(--limit 0)], windows => 4, table => 'events', key => ['event'], ends => ['n']);
	my %cpus = (%events, table => 'cpus', key => ['cpu'], ends => [qw(n lost unknown)]);
	windows_add_up($_) for \%events, \%cpus;
	choices_add_up(\%events, '--pid', 'pid');
	choice_has_its_rows(\%cpus, '--cpu', 'cpu');
	cuts_agree(\%events);
}

done_testing();
