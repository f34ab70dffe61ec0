#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# off-cpu.pl: how long tasks were not running, and why: by the state they slept in, waiting for a CPU, and by stack.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch
# zedperl: answers for parts of the time
# zedperl: is about sleep sleeping blocked blocking lock mutex futex contention io latency slow idle task thread process

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Gaps;
use Zed::Report;
use Zed::Spread;
use Zed::Stacks;
use Zed::Tasks;

my $report = Zed::Report->new(name => 'off-cpu', answer => \&answer, fold => \&fold,
	options => [qw(by=s folded strict-loss)], defaults => { by => 'comm' });
my $by_pid = $report->option('by') eq 'pid';
my $by_stack = $report->option('by') eq 'stack';
$report->usage("--by '" . $report->option('by') . "': it takes comm, pid or stack")
	if $report->option('by') !~ /^(?:comm|pid|stack)\z/;

# What a task that does not run is at.  Letters are those of ps.
my %WHAT = (S => 'sleeps', D => 'blocked', T => 'stopped', t => 'traced', I => 'idle', P => 'parked');
my %READY = (wake => 'waits, woken', new => 'waits, new', preempt => 'waits, preempted',
	resched => 'waits, left ready');

my $samples = $report->samples;
my %rows;	# {key}: the row and its times
my %seen;	# {address of the row}: the number of the task in it, {number} of several
my %left;	# {source}{pid}: the stack with which it left
my $heat = $report->heat('times off the CPU', 'time that a task waited or slept');
my $switches = grep { $_ eq 'sched::sched_switch' } Zed::events();
my $stacks = $report->option('folded') || $by_stack || $report->draws
	? Zed::Stacks->new(cut => qr/^__schedule\b/) : undef;

my $chooses = Zed::Asked::chooses();

# What ends later has a part in the time that was asked for.
my $parts = Zed::Asked::is_window() ? 1 : 0;

my $tasks = Zed::Tasks->new(asked => 0, still => 0, to_end => $parts,
	slept => sub { my ($task, $from, $to, $letter) = @_; off($task, $task->cpu, $WHAT{$letter} // "state $letter",
		$from, $to) },
	waited => sub { my ($task, $cpu, $from, $to, $why, $waker) = @_; off($task, $cpu, $READY{$why}, $from, $to,
		$waker && $waker->{unsure}) },
);

my $gaps = Zed::Gaps->new(report => $report, strict => scalar $report->option('strict-loss'),
	words => ['time off the CPU', 'times off the CPU'], take => \&take);

my %still;	# {ready|blocked}: what has not ended at the end: n, longest
my @ends;	# the same, when the time that is asked for is over

Zed::Asked::at_end(sub { @ends = $tasks->waiting });
$report->counts(\(%rows, %seen, @ends));
$report->keeps(rows => \%rows,
	{ '*' => { 'comm!' => 'same', 'pid!' => 'number', 'what!' => 'same', 'times!' => 'spread', in => 'sum',
		gaps => 'sum', tasks => 'sum',
	who => { '*' => 'number' }, left => 'same' } });	# who: of parts
$report->keeps(parts => \$parts, 'max');
$report->keeps(tasks => \$tasks, 'tasks');
$report->keeps(stacks => \$stacks, 'stacks');
$report->keeps(still => \%still, { '*' => { 'n!' => 'sum', longest => 'max', unsure => 'sum' } });

sub off
{
	my ($task, $cpu, $what, $from, $to, $unsure) = @_;

	return if $chooses && (!Zed::Asked::cpu($cpu) || !Zed::Asked::task($task->pid, $task->comm));
	$task->late($from, sub { off($task, $cpu, $what, $from, $to, $unsure) }) if $parts && $from < $Zed::Asked::FROM;
	my $ends = Zed::Asked::at($to);
	my $in = $parts ? Zed::Asked::time_in($from, $to) : 0;

	# How many came after one is as in the whole in each part of a trace.
	return $gaps->ended($task->source, $to) if !$ends && !$in;
	my $left = $stacks ? $left{$task->source}{$task->pid} : undef;
	my $row = $rows{$by_pid ? join "\0", $report->apart($task->source), $task->pid, $task->comm, $what
		: join "\0", $task->comm, $what, $by_stack ? $left // '' : ()} //=
		{ comm => $task->comm, pid => $task->pid, what => $what, times => Zed::Spread->new,
			$by_stack && defined $left ? (left => $left) : () };
	my $stack = $stacks ? join ';', Zed::Stacks::frame($task->comm), $left // "no stack;$what" : undef;

	my @span = ($to, $ends ? $row : undef, $row, $task, $to - $from, $ends, $in, $stack);

	$unsure ? $gaps->begun_in_gap(@span) : $gaps->ended($task->source, @span);
}

# It counts.
sub take
{
	my ($to, undef, $row, $task, $time, $ends, $in, $stack) = @_;
	my $seen = $seen{0 + $row};

	# A task that changes its name is in several rows.
	new_in($row, $task) if ref $seen ? !$seen->{$task->number}++
		: ($seen // 0) != $task->number && note_in($row, $task->number);
	$row->{in} += $in if $parts;
	$stacks->add($stack, $parts ? $in : $time) if $stacks;
	return if !$ends;
	$row->{times}->add($time);
	$heat->add($to, $time) if $heat;
	$report->sample([$row->{comm}, $by_pid ? $row->{pid} : (), $row->{what},
		$by_stack ? $row->{left} : ()], $to, $time) if $samples;
}

# The first of a row, or one more than the only one.
sub note_in
{
	my ($row, $number) = @_;
	my $seen = \$seen{0 + $row};

	$$seen = defined $$seen ? { $$seen => 1, $number => 1 } : $number;
	return 1;
}

# It is one task in all parts of a trace.
sub new_in
{
	my ($row, $task) = @_;

	return $row->{tasks}++ if !Zed::Asked::is_part();
	$row->{who}{join ' ', $report->trace_of_part, $task->pid, $task->life} = 1;
}

sub tasks_in { my ($row) = @_; return ($row->{tasks} // 0) + keys %{$row->{who} // {}} }

# With its stack a task is away until it leaves again.
if ($stacks && $switches) {
	Zed::on('sched:sched_switch', args => ['common_pid'], follows => 1,
		sub { delete $left{Zed::source_index()}{$_[0]} });
	$stacks->after(['sched:sched_switch'], ['common_pid'], sub {
		my ($pid, $stack) = @_;

		$left{Zed::source_index()}{$pid} = $stack;
	}, follows => 1);
}

sub answer
{
	my $table = $report->table('tasks', columns => [['comm', 'task', 'text'],
		[$by_pid ? 'pid' : 'only_pid', 'pid', 'int'],
		['what', 'off the CPU', 'text'], ['n', 'n', 'int'], ['total', 'total', 'us'],
		map({ [$_, $_, 'us'] } qw(avg p50 p90 p99 max)), $parts ? ['in', 'in window', 'us'] : (),
		$gaps->columns, $by_stack ? ['stack', 'stack, the innermost first', 'text'] : ()],
		rows => [grep { tasks_in($_) } values %rows],
		made => { stack => sub { my ($row) = @_; return defined $row->{left}
			? Zed::Stacks::shown($row->{left}, $report->option('json')) : '(no stack)' },
			Zed::Spread::made_of('times'), gaps => sub { return 0 },
			only_pid => sub { my ($row) = @_; return tasks_in($row) == 1 ? $row->{pid} : undef } });
	my $all = Zed::Spread->new;
	my %sum = (in => 0, gaps => 0);
	my @rows = grep { tasks_in($_) } values %rows;

	for my $row (@rows) {
		$all->merge($row->{times});
		$sum{$_} += $row->{$_} // 0 for keys %sum;
	}
	$table->sort('total', 'comm', 'pid', 'what', $by_stack ? 'stack' : ());
	$table->last({ comm => 'ALL', what => '', %sum, n => $all->n, total => $all->total, avg => $all->mean,
		p50 => $all->quantile(50),
		p90 => $all->quantile(90), p99 => $all->quantile(99), max => $all->max }) if @rows > 1;
	$report->spread('spread', 'how these times are spread', $all);
	$report->flame('flame', 'what tasks waited in', 'ns', $stacks->weights) if $stacks && $stacks->n;
	notes($all->n);
	return $report->window($tasks->span);
}

# What has not ended is in no row: how long it was at least.
sub fold
{
	$gaps->over;
	return if !Zed::Asked::tells_end();
	my ($ready, $blocked) = @ends ? @ends : $tasks->waiting;

	for ([ready => $ready], [blocked => $blocked]) {
		my ($key, $of) = @$_;

		$still{$key} = { n => $of->{n}, longest => $tasks->longest($report, $of), unsure => $of->{unsure} };
	}
}

sub notes
{
	my ($n) = @_;

	$report->missing($tasks, 'times off the CPU that began or ended there are left out');
	$gaps->notes($n);
	$report->wakeless($tasks, 'sleeps, and waits after a wakeup, are not in the answer');
	for ([ready => '{task was|tasks were} still waiting for a CPU at the end, the longest for at least %s'],
		[blocked => '{task was|tasks were} still sleeping at the end, the longest for at least %s']) {
		my ($key, $text) = @$_;

		$report->note($key, $still{$key}{n}, sprintf $text, Zed::duration($still{$key}{longest} // 0));
	}
	$report->note('begun', $tasks->n('begun'), '{switch|switches} to a task of unknown earlier state: ' .
		'{a time|times} off the CPU that ended there {is|are} left out');
	$report->note('unwoken', $tasks->n('unwoken'),
		'{task|tasks} ran again without a recorded wakeup: {its sleep is|their sleeps are} left out');
	$report->note('enqueued', $tasks->n('ended_late'),
		'{sleep ends|sleeps end} with sched_wakeup: no sched_waking was seen');
	$report->note('lost_waits', $tasks->n('lost_waits') + ($still{ready}{unsure} // 0),
		'{wait is|waits are} left out, as events were lost meanwhile');
	$report->note('lost_sleeps', $tasks->n('lost_sleeps') + ($still{blocked}{unsure} // 0),
		'{sleep is|sleeps are} left out, as events were lost meanwhile');
}

sub trace_begin { $report->begin if !$report->option('folded') }
sub trace_lost { $report->lost(@_); $tasks->lost(@_); $gaps->lost(@_) }

sub trace_end
{
	if ($report->option('folded')) {
		$gaps->over;
		return print $stacks->folded(Zed::_counts_ns() ? 1000 : 1);
	}
	$report->end;
}

__END__

=head1 NAME

off-cpu.pl - how long tasks were not running, and why: state, waiting for a CPU, stack

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<off-cpu> [B<--by> comm|pid|stack] [B<--strict-loss>] [B<--folded>] [B<--json> | B<--csv>]
[B<--limit> I<N>] [B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

The time from when a task leaves a CPU until it returns has up to two parts: it is blocked until it
is woken, and from then on it waits for a CPU. A task that left ready to run only waits. A part is
counted if its beginning and its end were seen.

Of a part of a trace (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>), a part counts, with the whole
of its length, if it ends in that time and is that task's; to a CPU belong the sleeps of the tasks that ran there
last, and the waits that ended there. The column C<in window>, and the stacks of B<--folded>, have what lies
in that time, of those that end later, too.

=head1 OPTIONS

=over

=item --by comm|pid|stack

A row for all tasks with the same name (the default), for each task, or for each stack at which tasks of
that name left the CPU: where in the code they waited. The trace needs stacks of its switches
(zedtrace sched:sched_switch -T, perf record -g).

=item --strict-loss

Leave out times that ended while another CPU had lost events, or before the first or after the last
record of a CPU of which others are not in the trace (C<zedperl help Zed::Ends>): the task may have run
there in between; and waits that may have begun earlier, as their waking may be among what was lost.
Without it they count, and the column C<gaps> says how many of a row they are.

=item --folded

No tables: a line for each stack at which tasks left the CPU, C<task;outermost;...;innermost N>, N
in microseconds off the CPU, as flame graphs take them. The trace needs stacks of its switches
(trace-cmd record -T). Where a switch has none, what the task was doing stands in its place.

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A row for each task and what it was doing, the greatest sum first. By name, C<pid> is empty where
several tasks have the name.

Of a part of the time there are two sums. C<total> is of what ended in it, with its whole length, also what lies before
it, as are C<n>, C<avg> and the percentiles. C<in window> is how much of the part the tasks spent like that: what began
earlier or ends later is cut to it, so it is never more than the part's length for one task. A task that sleeps all the
time has 0 and the whole part.

=over

=item sleeps, blocked, stopped, traced, idle, parked

The states that ps(1) shows as S, D, T, t, I, P. Most sleeping is waiting for work. Blocked is not
always waiting for a disk: only events of the block layer show that.

=item waits, woken / new / preempted / left ready

Ready to run, but another task has the CPU.

=back

=head1 EXAMPLES

    zedperl trace.dat off-cpu --by pid
    zedperl trace.dat off-cpu --by stack
    zedperl trace.dat off-cpu --folded > off-cpu.folded

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
