#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# function-graph.pl: time by function, alone and with all that it calls, from the function graph tracer; the longest.
# zedtrace: sched:sched_switch
# zedperl: keeps traces apart
# zedperl: is made of ftrace:funcgraph_exit
# zedperl: answers for parts of the time
# zedperl: is about function profile duration kernel ftrace tracer slow

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Shown;
use Zed::Spread;

my $report = Zed::Report->new(name => 'function-graph', answer => \&answer, fold => \&fold,
	options => [qw(worst=i wall)], defaults => { worst => 10 });

my %there = map { $_ => 1 } Zed::events();
# Functions are timed in ns whatever the trace's clock counts: then its switches cannot be laid beside them.
my $switches = $there{'sched::sched_switch'} && !$report->option('wall') && Zed::_counts_ns();

# Before the first switch of its CPU a task may have left it unseen.
my $shown = $switches ? Zed::Shown->new : undef;

# If the kernel's own stack of functions was full, its reports about a task are wrong from then on.
my $SOUND = 'overrun == 0';
my $many = defined Zed::ncpus(1);
my @func = ($many ? 'source' : (), 'func');	# an address belongs to one machine
my ($times, $sums, $longest, $entries, $exits, $overruns);
my @follows;	# handlers that need all events, whatever is chosen

if ($there{'ftrace::funcgraph_exit'}) {
	my @args = ('ftrace:funcgraph_exit', 'rettime - calltime');

	$times = Zed::quantiles(@args, by => \@func, where => $SOUND);
	$sums = Zed::sum(@args, by => \@func, where => $SOUND);
	$longest = Zed::top(@args, fields => [qw(func depth common_pid)], where => $SOUND,
		limit => $report->option('worst'), $report->each_input) if $report->option('worst') > 0;
	$exits = Zed::count('ftrace:funcgraph_exit', by => 'source');
	$overruns = Zed::count('ftrace:funcgraph_exit', where => 'overrun != 0');
	$entries = Zed::count('ftrace:funcgraph_entry', by => 'source') if $there{'ftrace::funcgraph_entry'};
	push @follows, Zed::on('ftrace:funcgraph_exit', args => [qw(ts cpu common_pid func depth calltime rettime)],
		where => $SOUND, follows => 1, \&leave);
}

# For a chosen time, calls from before it that have not returned at its end are open as well.
my %open;	# {source}
my $timed = $entries && Zed::Asked::is_timed();

for (['entry', 1], ['exit', -1]) {
	my ($end, $one) = @$_;

	push @follows, Zed::on("ftrace:funcgraph_$end", args => [qw(ts cpu common_pid)], follows => 1, sub {
		my ($ts, $cpu, $pid) = @_;

		$open{Zed::source_index()} += $one
			if $ts <= $Zed::Asked::LAST && Zed::Asked::cpu($cpu) && Zed::Asked::task_of($pid);
	}) if $timed;
}

# The functions that a task is in end from the innermost on: the time of the calls below is known when one ends. CALLED:
# by depth, the time of ended calls in a function that has not; AWAY: the same, off the CPU; GONE: [from, time] off the
# CPU, of a function not yet known; OUT: since when it is off the CPU; ON: its CPU; SINCE: from then on all its calls
# are in the trace; LOSSES: how often its CPU had lost events at that time; SWITCHED: from then on its switches
# are in the trace.
use constant { CALLED => 0, AWAY => 1, GONE => 2, OUT => 3, ON => 4, SINCE => 5, LOSSES => 6, SWITCHED => 7 };
my $DEEPEST = 4096;	# a kernel's stack of functions holds fewer
my $MOST = 1000;	# times off the CPU that are kept for a function that has not ended

my %tasks;	# {source task}, the idle task of each CPU by itself
my %self;	# {source}{func}: time alone, of how many
my %early;	# {source}{func}: time alone of calls that began before their CPU showed a switch
my %off;	# {source}{func}: time off the CPU, in it and all that it calls
my %names;	# {source}{func}
my (@since, %n);	# [source][CPU]: since when all of its records are in the trace
my @losses;	# [source][CPU]: how often it lost events
my %lossy;	# {source}: it lost events, so it is unknown what is open there

# A task is known from the first record of the CPU on which it was first seen.
sub make
{
	my ($ts, $cpu, $source) = @_;
	my $since = $since[$source][$cpu];

	if (!defined $since) {
		($since) = map { $_->{cpu} == $cpu ? $_->{start} : () } Zed::spans($source);
		$since = $ts if !defined $since || $since > $ts;
		$since[$source][$cpu] = $since;
	}
	return [{}, {}, [], undef, $cpu, $since, $losses[$source][$cpu] // 0];
}

# A function in progress when the CPU of a task lost events may have made calls that are lost.
sub lose
{
	my ($task, $source) = @_;
	my $cpu = $task->[ON];
	my $losses = $losses[$source][$cpu] // 0;

	@$task[CALLED, AWAY, GONE, OUT, SINCE, LOSSES] = ({}, {}, [], undef, $since[$source][$cpu], $losses)
		if $task->[LOSSES] != $losses;
	return $task;
}

# The task is on that CPU.
sub comes
{
	my ($task, $source, $cpu) = @_;

	@$task[ON, LOSSES] = ($cpu, $losses[$source][$cpu] // 0);
}

sub leave
{
	my ($ts, $cpu, $pid, $func, $depth, $from, $to) = @_;
	my $source = $many ? Zed::source_index() : 0;

	$names{$source}{$func} //= Zed::symbol($func) // sprintf '0x%x', $func;
	my $counts = Zed::Asked::at($ts) && Zed::Asked::cpu($cpu) && Zed::Asked::task_of($pid);

	if ($depth < 0 || $depth >= $DEEPEST) {
		$n{deep}++ if $counts;
		return;
	}
	my $task = lose($tasks{$source}{$pid || -1 - $cpu} //= make($ts, $cpu, $source), $source);
	my $called = $task->[CALLED];
	my $time = $to - $from;
	my $below = delete $called->{$depth + 1} // 0;

	$called->{$depth} += $time;
	comes($task, $source, $cpu);
	my $began = $ts - $time;
	my $mine = 0;

	if ($switches) {
		my $gone = $task->[GONE];
		my $away = $task->[AWAY];
		my $inside = delete $away->{$depth + 1} // 0;

		$mine += (pop @$gone)->[1] while @$gone && $gone->[-1][0] >= $began;
		if ($mine + $inside) {
			$away->{$depth} += $mine + $inside;
			$off{$source}{$func} += $mine + $inside if $counts;
		}
	}
	# Its calls before the trace, or where events were lost, are unknown.
	return if !$counts;
	if ($began < $task->[SINCE]) {
		$n{begun}++;
		return;
	}
	if ($shown && $pid && !is_known($task, $source, $cpu, $began)) {
		$early{$source}{$func} += $time - $below - $mine;
		$n{early}++;
		return;
	}
	my $self = $self{$source}{$func} //= [0, 0];

	$self->[0] += $time - $below - $mine;
	$self->[1]++;
}

# Would a switch of the task have been seen at that time? Without one since then it was on CPU.
sub is_known
{
	my ($task, $source, $cpu, $ts) = @_;
	my $since = $shown->since($source, $cpu);

	return defined $task->[SWITCHED] && $task->[SWITCHED] <= $ts || defined $since && $since <= $ts;
}

push @follows, Zed::on('sched:switch', args => [qw(ts cpu prev_pid next_pid)], follows => 1, sub {
	my ($ts, $cpu, $prev, $next) = @_;
	my $source = $many ? Zed::source_index() : 0;
	my $all = $tasks{$source} //= {};

	if ($prev) {
		my $left = lose($all->{$prev} //= make($ts, $cpu, $source), $source);

		$left->[OUT] = $ts;
		# It was on that CPU, which would have shown an earlier one.
		$left->[SWITCHED] //= $shown->since($source, $cpu);
	}
	my $task = $next ? $all->{$next} //= make($ts, $cpu, $source) : return;

	lose($task, $source);
	push @{$task->[GONE]}, [$task->[OUT], $ts - $task->[OUT]] if defined $task->[OUT];
	shift @{$task->[GONE]} if @{$task->[GONE]} > $MOST;
	$task->[OUT] = undef;
	$task->[SWITCHED] //= $ts;
	comes($task, $source, $cpu);
}) if $switches;

my $took_switches = 0;	# see fold()

# Later returns count later: nothing after the end is needed.
Zed::Asked::follow(sub { return 1 }, @follows);

my %rows;	# {function}
my @worst;

$report->counts(\(%self, %early, %off, %n), $times, $sums, $longest, $entries, $exits, $overruns);
$report->keeps(rows => \%rows, { '*' => { 'times!' => 'spread', self => 'sum', early => 'sum', 'off!' => 'sum' } });
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(switches => \$took_switches, 'max');
$report->keeps_worst(worst => \@worst, 'time', qw(at cpu));

# Addresses are those of one boot.
sub fold
{
	%rows = ();
	@worst = ();
	return if !$times;
	$took_switches = $shown->took if $shown && !$took_switches;
	my %sum;

	$sum{$_->{source} // 0}{$_->{func}} = $_->{sum} for grep { defined $_->{func} } $sums->rows;
	for my $row ($times->rows) {
		my $func = $row->{func} // next;
		my $source = $row->{source} // 0;
		my $spread = Zed::Spread->from_buckets($row);
		my $of = $rows{name($source, $func)} //= { times => Zed::Spread->new, off => 0 };

		$spread->set_total($sum{$source}{$func});
		$of->{times}->merge($spread);
		$of->{self} += $self{$source}{$func}[0] if $self{$source}{$func};
		$of->{early} += $early{$source}{$func} if $early{$source}{$func};
		$of->{off} += $off{$source}{$func} // 0;
	}
	for (map { @{$_->{records}} } $longest ? $longest->rows : ()) {
		$report->worst(\@worst, 'time', { time => $_->{value}, at => $_->{ts} - $_->{value}, cpu => $_->{cpu},
			function => name($_->{source} // 0, $_->{func}),
			depth => $_->{depth}, comm => $_->{comm}, pid => $_->{common_pid} });
	}
	$n{overruns} = $overruns->get // 0;
	my %exits = map { $_->{source} => $_->{count} } $exits->rows;

	$n{open} = 0;
	return if !Zed::Asked::tells_end();
	for my $row (grep { !$lossy{$_->{source}} } $entries ? $entries->rows : ()) {
		my $open = $timed ? $open{$row->{source}} // 0 : $row->{count} - ($exits{$row->{source}} // 0);

		$n{open} += $open if $open > 0;
	}
}

sub answer
{
	my $table = $report->table('functions', columns => [['function', 'function', 'text'], ['n', 'n', 'int'],
		['self', 'itself', 'own us'],
		['total', 'with calls', 'own us'], $took_switches ? ['off', 'off a CPU', 'us'] : (),
		map { [$_, $_, 'own us'] } qw(avg p50 p99 max)]);
	my ($self, $all) = (0, 0);

	for my $name (keys %rows) {
		my $row = $rows{$name};
		# Without any switch all times are those with sleeps in them, which a note says.
		my $own = $took_switches || !defined $row->{early} ? $row->{self} : ($row->{self} // 0) + $row->{early};

		$table->add({ function => $name, $row->{times}->numbers, self => $own, off => $row->{off} });
		$self += $own // 0;
		$all += $row->{times}->n;
	}
	$table->sort('self', 'function');
	$table->last({ function => 'ALL', n => $all, self => $self }) if $all;
	$report->table('worst', title => 'the longest', rows => [@worst],
		Zed::_counts_ns() ? (span => ['at', '+time']) : (),
		columns => [['time', 'took', 'own us'], Zed::_counts_ns() ? ['at', 'began at', 'time'] : (),
		['cpu', 'CPU', 'int'], ['function', 'function', 'text'], ['depth', 'depth', 'int'],
		['comm', 'task', 'text'], ['pid', 'pid', 'int']]) if @worst;
	notes();
	return $report->window(undef, undef);
}

sub name { my ($source, $func) = @_; return $names{$source}{$func} // sprintf '0x%x', $func }

sub notes
{
	$report->note('begun', $n{begun}, '{call|calls} began before ' . $report->for_traces('{the trace|the traces}') .
		', or before events were lost: without a time of {its|their} own');
	$report->note('early', $n{early}, '{call|calls} began before the first sched_switch of {its|their} CPU: '
		. 'without a time of {its|their} own, as the task may have been off the CPU') if $took_switches;
	$report->note('overrun', $n{overruns},
		'{return is|returns are} left out: the kernel had no room for all functions that the task was in');
	$report->note('deep', $n{deep},
		'{return has|returns have} an impossible depth: counted without a time of {its|their} own');
	$report->note('open', $n{open}, '{call has|calls have} not returned at the end');
	$report->remark('switches', 'without ' . (Zed::_counts_ns() ? '' : 'a clock in ns for ') .
		'sched:sched_switch the time that tasks were off a CPU belongs to the function that slept')
		if !$took_switches;
}

sub trace_begin { $report->begin }

# A function in progress at that time, of a task on that CPU, may have made calls that are lost.
sub trace_lost
{
	my ($cpu) = @_;
	my $ts = eval { Zed::ts() };
	my $source = Zed::lost_source();

	$report->lost(@_);
	$lossy{$source} = 1;
	return if !defined $ts;
	$since[$source][$cpu] = $ts;
	$losses[$source][$cpu]++;	# see lose()
}

sub trace_end { $report->end }

__END__

=head1 NAME

function-graph.pl - time by function, alone and with all that it calls, from the function graph
tracer

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<function-graph> [B<--wall>] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

=head1 DESCRIPTION

Adds up the calls that the function graph tracer reports when they return. The time of a function
itself excludes the functions that it called, as far as these were traced, and the time when its
task was off the CPU, if sched:sched_switch was recorded too.

A call that began before the trace has a total time, but not its own, as the calls that it made are
unknown. The same holds for calls in progress where events were lost, and for those with a depth
below 0 or from 4096 on.

Neither has a call its own time that began before the first sched_switch of its CPU, and of its task: the kernel may
have recorded switches later than calls, so the task may have been off the CPU. (An idle CPU's task is always there.)

For a part of the trace, a call counts, in full, where it returns.

=head1 OPTIONS

=over

=item --wall

Count the time off the CPU as part of the function that slept.

=item --worst N

How many of the longest calls to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<functions>, C<worst>.

=head1 RECORD

    zedtrace sched:sched_switch -d 10
    trace-cmd record -p function_graph -e sched:sched_switch sleep 10

The function graph is a tracer, not an event: trace-cmd's B<-p> sets it, and zedtrace and perf do not. A recording of
zedtrace has no functions, and this analysis has nothing to show for it.

=head1 OUTPUT

A row for each function: how often it returned, the time in it alone, the time including all that it
called, the part of this off a CPU; mean, percentiles (the 99th of at least 100) and the longest
call, including all that it called.

=head1 EXAMPLES

    zedperl trace.dat function-graph --limit 50
    zedperl trace.dat function-graph --csv=functions > functions.csv

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
