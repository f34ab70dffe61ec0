#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# workqueue.pl: work that the kernel deferred: how long it waits, why, and how long it runs; the longest.
# zedtrace: workqueue sched:sched_switch
# zedperl: keeps traces apart
# zedperl: is made of workqueue:workqueue_execute_start|workqueue:workqueue_execution workqueue:workqueue_execute_end|workqueue:workqueue_queue_work|workqueue:workqueue_insertion
# zedperl: answers for parts of the time
# zedperl: is about kworker deferred work latency delay

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Shown;
use Zed::Spread;

my $report = Zed::Report->new(name => 'workqueue', answer => \&answer, fold => \&fold, options => [qw(by=s worst=i)],
	defaults => { by => 'function', worst => 10 });
my $by = $report->option('by');
$report->usage("--by '$by': it takes function, workqueue or worker") if $by !~ /^(?:function|workqueue|worker)\z/;

my %there = map { $_ => 1 } Zed::events();

# A piece of work that waits, then runs: when, and of which kind.
# HIDDEN: it began before its CPU showed a switch, and none of its worker has been seen since; UNKNOWN: for how long.
use constant { QUEUED => 0, ACTIVE => 1, FUNCTION => 2, QUEUE => 3, BEGAN => 4, AWAY => 5, WORK => 6, WAITED => 7,
	HIDDEN => 8, UNKNOWN => 9 };

my %queued;	# {source}{work}: waits
my %running;	# {source}{worker}: is run
# {source}{worker}: [when it came onto a CPU, when it left one, the CPU, when it ended a piece, losses at that time]
my %worker;
my %losses;	# {source}{CPU}: how often it lost events; {any}: how often one did
my %rows;	# {key}: the kind and its times
my (@slowest, @longest);
my %n;
my ($first, $last);
my @follows;	# handlers that need all events, whatever is chosen
my $switches = $there{'sched::sched_switch'};
my $shown = $switches ? Zed::Shown->new : undef;

# What a trace lacks is said by the answer.
sub follow
{
	my ($event, @how) = @_;

	push @follows, Zed::on($event, follows => 1, optional => 1, @how);
	return $follows[-1];
}

# A run, and a wait, counts where it ends, with the CPU and the worker of its end.
sub counts
{
	my ($ts, $cpu, $pid) = @_;

	return Zed::Asked::at($ts) && Zed::Asked::cpu($cpu) && Zed::Asked::task_of($pid);
}

# Up to 2.6.35 a piece of work is identified by its function and the thread that it is for.
sub key { my ($work, $function, $pid) = @_; return $work // "$function $pid" }

sub row
{
	my ($function, $queue, $pid, $comm) = @_;
	my $name = Zed::symbol($function // 0) // (defined $function ? sprintf '0x%x', $function : '?');
	my $key = $by eq 'function' ? $name : $by eq 'workqueue' ? $queue // '?' : "$comm $pid";

	return $rows{$key} //= { key => $key, wait => Zed::Spread->new, held => Zed::Spread->new,
		woken => Zed::Spread->new,
		run => Zed::Spread->new, own => Zed::Spread->new, unknown => 0 };
}

sub seen { my ($ts) = @_; $first //= $ts; $last = $ts }

# Up to 2.6.35 the events have the thread, and no piece and queue; up to 5.11 no name of the queue.
my $named = !$there{'workqueue::workqueue_insertion'}
	&& eval { Zed::count('workqueue:insertion', where => 'workqueue == "x"')->stop; 1 };
my @piece = $there{'workqueue::workqueue_insertion'} ? ([], ['pid']) : (['work'], ['work', $named ? 'workqueue' : ()]);

follow('workqueue:insertion', args => [qw(ts cpu common_pid function), @{$piece[1]}], sub {
	my ($ts, $cpu, $by, $function) = @_;
	my ($work, $queue) = @{$piece[0]} ? @_[4, 5] : ();
	my $pid = @{$piece[0]} ? undef : $_[4];
	my $all = $queued{Zed::source_index()} //= {};
	my $key = key($work, $function, $pid);

	seen($ts);
	# It is on one queue at a time: the earlier one was cancelled, or its start is missing.
	$n{again}++ if $all->{$key} && counts($ts, $cpu, $by);
	$all->{$key} = [$ts, undef, $function, $queue];
});

# A workqueue runs a limited number at a time, others wait behind them.
follow('workqueue:workqueue_activate_work', args => [qw(ts work)], sub {
	my ($ts, $work) = @_;
	my $item = $queued{Zed::source_index()}{$work} // return;

	$item->[ACTIVE] //= $ts;
}) if $there{'workqueue::workqueue_activate_work'};

follow('workqueue:execution', args => [qw(ts cpu pid function common_comm), @{$piece[0]}], sub {
	my ($ts, $cpu, $pid, $function, $comm, $work) = @_;
	my $source = Zed::source_index();
	my $item = delete $queued{$source}{key($work, $function, $pid)};
	my $counts = counts($ts, $cpu, $pid);
	my $worker = worker($source, $pid);

	seen($ts);
	watch($pid, $comm) if $comm !~ /^kworker/;
	$n{open}++ if $running{$source}{$pid} && $counts;
	on_cpu($worker, $source, $cpu);
	if ($item && $counts) {
		my $row = row($function, $item->[QUEUE], $pid, $comm);
		my $active = $item->[ACTIVE] // $item->[QUEUED];
		my $in = $worker->[0];

		$item->[WAITED] = $ts - $item->[QUEUED];
		$row->{wait}->add($item->[WAITED]);
		$row->{held}->add($active - $item->[QUEUED]);
		# The worker slept when the work came: it was woken, up to its return to a CPU.
		$row->{woken}->add($in - $active) if defined $in && $in > $active && ($worker->[3] // 0) <= $active;
		$report->worst(\@slowest, 'wait', { wait => $item->[WAITED], held => $active - $item->[QUEUED],
			at => $ts, function => name($function),
			queue => $item->[QUEUE], comm => $comm, pid => $pid, cpu => $cpu });
	} elsif ($counts) {
		$n{unqueued}++;
	}
	$running{$source}{$pid} = [undef, undef, $function, $item ? $item->[QUEUE] : undef, $ts, 0, $work, undef,
		$shown && !defined $worker->[0] && !defined $shown->since($source, $cpu), 0];
});

follow('workqueue:completion', args => [qw(ts cpu pid work common_comm)], sub {
	my ($ts, $cpu, $pid, $work, $comm) = @_;
	my $source = Zed::source_index();
	my $item = delete $running{$source}{$pid};

	seen($ts);
	worker($source, $pid)->[3] = $ts;
	if (!$item || defined $item->[WORK] && $item->[WORK] != $work) {
		$n{begun}++ if counts($ts, $cpu, $pid);
		return;
	}
	return if !counts($ts, $cpu, $pid);
	my $row = row($item->[FUNCTION], $item->[QUEUE], $pid, $comm);
	my $time = $ts - $item->[BEGAN];

	seen_again($item, $ts);
	my $own = $time - $item->[AWAY] - $item->[UNKNOWN];

	$row->{run}->add($time);
	$row->{own}->add($own);
	$row->{unknown} += $item->[UNKNOWN];
	$n{early}++ if $item->[UNKNOWN];
	$report->worst(\@longest, 'time', { time => $time, own => $item->[UNKNOWN] ? undef : $own,
		at => $item->[BEGAN],
		function => name($item->[FUNCTION]),
		queue => $item->[QUEUE], comm => $comm, pid => $pid, cpu => $cpu });
}) if $there{'workqueue::workqueue_execute_end'};

sub name { my ($function) = @_; return defined $function ? Zed::symbol($function) // sprintf '0x%x', $function : '?' }

# ---- where the workers are ----

# It becomes unknown when a worker came, left and ended a piece if events were lost where it was, or anywhere if that is
# unknown: checked when the times are used, as losses may be as many as workers.
sub worker
{
	my ($source, $pid) = @_;
	my $losses = $losses{$source} //= { any => 0 };
	my $worker = $worker{$source}{$pid} //= [undef, undef, undef, undef, $losses->{any}];
	my $n = $losses->{$worker->[2] // 'any'} // 0;

	@$worker[0, 1, 3, 4] = (undef, undef, undef, $n) if $worker->[4] != $n;
	return $worker;
}

sub on_cpu
{
	my ($worker, $source, $cpu) = @_;

	@$worker[2, 4] = ($cpu, $losses{$source}{$cpu} // 0);
}

# The first that is known about its worker since it began.
sub seen_again
{
	my ($item, $ts) = @_;

	$item->[UNKNOWN] += $ts - $item->[BEGAN] if $item->[HIDDEN];
	$item->[HIDDEN] = 0;
}

sub switched
{
	my ($ts, $cpu, $prev, $next, $comm) = @_;
	my $source = Zed::source_index();
	my $all = $worker{$source} //= {};

	seen_again($running{$source}{$prev}, $ts) if $running{$source}{$prev};
	worker($source, $prev)->[1] = $ts if $all->{$prev};
	return if !$all->{$next} && $comm !~ /^kworker/;
	my $in = worker($source, $next);
	my $item = $running{$source}{$next};

	seen_again($item, $ts) if $item;
	$item->[AWAY] += $ts - $in->[1] if $item && defined $in->[1] && $in->[1] >= $item->[BEGAN];
	@$in[0, 1] = ($ts, undef);
	on_cpu($in, $source, $cpu);
}

my @SWITCH = qw(ts cpu prev_pid next_pid next_comm);
my %watched;	# {worker}: the handler of its switches
my $MANY = 50;	# so many have one each, beyond that all share one

follow('sched:switch', args => \@SWITCH, where => 'prev_comm ~ "kworker*" || next_comm ~ "kworker*"', \&switched)
	if $switches;

# A rescuer, or a thread of an old kernel, has a name of its own.
sub watch
{
	my ($pid, $comm) = @_;

	return if !$switches || $watched{all} || $watched{$pid};
	my $others = '!(prev_comm ~ "kworker*") && !(next_comm ~ "kworker*")';

	if (keys %watched < $MANY) {
		$watched{$pid} = Zed::on('sched:switch', follows => 1, args => \@SWITCH,
			where => "(prev_pid == $pid || next_pid == $pid) && $others", \&switched);
		return;
	}
	Zed::off($_) for values %watched;
	%watched = (all => Zed::on('sched:switch', follows => 1, args => \@SWITCH, where => $others, \&switched));
}

my $took_switches = 0;	# see fold()

# Later ends count later: nothing after the end is needed.
Zed::Asked::follow(sub { return 1 }, @follows);

my $at_end;	# how many wait and run at the end of the chosen time
Zed::Asked::at_end(sub { $at_end = [still()] });

sub still
{
	my ($waits, $runs) = (0, 0);

	$waits += keys %$_ for values %queued;
	for my $source (keys %running) {
		$runs += grep { Zed::Asked::task_of($_, $source) } keys %{$running{$source}};
	}
	return ($waits, $runs);
}

$report->counts(\(%rows, %n, @slowest, @longest, $at_end));
$report->keeps(rows => \%rows, { '*' => { map({ ("$_!" => 'spread') } qw(wait held woken run own)),
	unknown => 'sum' } });
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(switches => \$took_switches, 'max');
$report->keeps_worst(slowest => \@slowest, 'wait', qw(held at pid cpu));
$report->keeps_worst(longest => \@longest, 'time', qw(at pid cpu));

sub fold
{
	$took_switches = $shown->took if $shown && !$took_switches;
	@n{qw(waits runs)} = !Zed::Asked::tells_end() ? (0, 0) : $at_end ? @$at_end : still();
}

# ---- the answer ----

my @TIMES = map { [$_, $_, 'us'] } qw(avg p50 p99 max);

sub answer
{
	my @kind = ['key', $by eq 'function' ? 'function' : $by, 'text'];
	my $runs = $report->table('runs', title => 'how long it runs',
		columns => [@kind, ['n', 'n', 'int'], ['total', 'total', 'us'],
		$took_switches ? (['own', 'on a CPU', 'us'], ['unknown', 'unknown', 'us']) : (), @TIMES]);
	my $waits = $report->table('waits', title => 'how long it waits',
		columns => [@kind, ['n', 'n', 'int'], ['total', 'total', 'us'],
		['held', 'behind others', 'us'], $took_switches
		? (['wakeups', 'wakeups', 'int'], ['woken', 'of the worker', 'us']) : (), @TIMES]);

	for my $row (values %rows) {
		my $unknown = $row->{unknown} // 0;

		# If nothing is known there is no number.
		$runs->add({ key => $row->{key}, $row->{run}->numbers, unknown => $unknown,
			$unknown && $unknown == $row->{run}->total ? () : (own => $row->{own}->total) })
			if $row->{run}->n;
		$waits->add({ key => $row->{key}, $row->{wait}->numbers, held => $row->{held}->total,
			wakeups => $row->{woken}->n, woken => $row->{woken}->total }) if $row->{wait}->n;
	}
	$_->sort('total', 'key') for $runs, $waits;
	my @what = (['cpu', 'CPU', 'int'], ['function', 'function', 'text'], ['queue', 'workqueue', 'text'],
		['comm', 'worker', 'text'], ['pid', 'pid', 'int']);

	$report->table('longest', title => 'the longest runs', span => ['at', '+time'], rows => [@longest],
		columns => [['time', 'took', 'us'], $took_switches ? ['own', 'on a CPU', 'us'] : (),
		['at', 'began at', 'time'], @what]) if @longest;
	$report->table('slowest', title => 'the longest waits', span => ['-wait', 'at'], rows => [@slowest],
		columns => [['wait', 'wait', 'us'], ['held', 'behind others', 'us'], ['at', 'waited until', 'time'],
		@what]) if @slowest;
	notes();
	return $report->window($first, $last);
}

sub notes
{
	$report->note('waits', $n{waits}, '{work item was|work items were} still queued at the end');
	$report->note('runs', $n{runs}, '{work item was|work items were} still running at the end');
	$report->note('unqueued', $n{unqueued},
		'{start|starts} without a recorded queueing: no wait is counted');
	$report->note('again', $n{again},
		'{work item was|work items were} queued again without having started: probably cancelled');
	$report->note('begun', $n{begun}, '{end was|ends were} seen without a start');
	$report->note('open', $n{open}, '{start was|starts were} seen without an end');
	$report->note('early', $n{early}, '{run|runs} began before the first sched_switch of {its|their} CPU: whether '
		. 'the worker was on a CPU is unknown up to its next one') if $took_switches;
	$report->note('lost_waits', $n{lost_waits}, '{wait is|waits are} left out, as events were lost meanwhile');
	$report->note('lost_runs', $n{lost_runs}, '{run is|runs are} left out, as events were lost meanwhile');
	$report->remark('switches',
		'without sched:sched_switch the time that workers slept or waited in the middle is in their runs')
		if !$took_switches;
}

sub trace_begin { $report->begin }

# Any worker may have begun a waiting piece. A piece run by a worker of that CPU, or by an unbound one, may have ended
# there.
sub trace_lost
{
	my ($cpu) = @_;
	my $source = eval { Zed::source_index() };

	$report->lost(@_);
	return if !defined $source;
	my $inside = Zed::Asked::at(Zed::ts());
	my $waits = delete $queued{$source} // {};

	$n{lost_waits} += keys %$waits if $inside;
	for my $pid (keys %{$running{$source} // {}}) {
		my $on = worker($source, $pid)->[2] // $cpu;

		next if $on != $cpu && Zed::comm_of($pid) =~ m{^kworker/\d};
		delete $running{$source}{$pid};
		$n{lost_runs}++ if $inside && Zed::Asked::task_of($pid, $source);
	}
	$losses{$source}{$_}++ for 'any', $cpu;
}

sub trace_end { $report->end }

__END__

=head1 NAME

workqueue.pl - work that the kernel deferred: how long it waits, why, and how long it runs; the longest

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<workqueue> [B<--by> function|workqueue|worker] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]]
[B<--limit> I<N>]

=head1 DESCRIPTION

Follows each piece of work from being queued to the worker that begins it and to its end, by its
address, which may be reused at once: work can be queued again while it runs, and the address can
then belong to another function. Delayed work is queued when its delay has expired.

There is no event for work that is cancelled: it is noticed when the work is queued again. Up to
2.6.35 the end of work has no event, and before 5.12 workqueues have no name: C<?>.

For a part of the trace, a run and a wait count, in full, where they end.

=head1 OPTIONS

=over

=item --by function|workqueue|worker

The rows: by function (the default), by workqueue, or by worker.

=item --worst N

How many of the longest to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<runs>, C<waits>, C<longest>, C<slowest>.

=head1 RECORD

    zedtrace workqueue sched:sched_switch -d 10
    trace-cmd record -e workqueue -e sched:sched_switch sleep 10

or, with perf,

    perf record -a -e 'workqueue:*' -e sched:sched_switch sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

=over

=item how long it runs

From its start to its end; C<on a CPU>: without the time in which the worker slept or waited for a
CPU in the middle, which needs sched:sched_switch. C<unknown>: the time for which that is not known, in a run that began
before the first sched_switch of its CPU (the kernel may have recorded switches later than work), up to the next switch
from or to its worker.

=item how long it waits

From being queued to its start. Part of that is C<behind others>, as a workqueue runs only a limited
number at a time, and C<of the worker>, which slept and had to get a CPU (C<wakeups>: how often).

=back

=head1 EXAMPLES

    zedperl trace.dat workqueue --by workqueue
    zedperl --live workqueue --every 5s

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
