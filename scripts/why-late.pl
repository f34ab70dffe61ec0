#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# why-late.pl: where the time went until a task ran: what it waited for, and what that waited for, to the end.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq timer workqueue block:block_bio_queue block:block_rq_issue block:block_rq_requeue block:block_rq_complete
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch sched:sched_waking|sched:sched_wakeup|sched:sched_wakeup_new
# zedperl: answers for parts of the time
# zedperl: is about slow latency delay critical-path chain cause deadline jitter blocked dependency task

use strict;
use warnings;

use List::Util qw(max min);
use Zed;
use Zed::Asked;
use Zed::Chain;
use Zed::Report;
use Zed::Units;
use Zed::Waits;

my $report = Zed::Report->new(name => 'why-late', answer => \&answer, fold => \&fold,
	options => [qw(task=s start=s end=s worst=i keep=i)],
	defaults => { worst => 5, keep => 100_000 });
my $wanted = $report->option('task');
my ($first, $last) = map { instant($_) } qw(start end);
my $whole = defined $first || defined $last;

$report->usage('--start and --end are the times of one task: --task PID or NAME') if $whole && !defined $wanted;
$report->usage('--start is later than --end') if defined $first && defined $last && $first >= $last;
$report->usage('--start and --end: a chain is of the whole of that time, and has no parts (--part)')
	if $whole && Zed::Asked::is_part();
$report->usage('--worst takes 1 or more') if $report->option('worst') < 1;
$report->usage('--keep takes 1000 or more') if $report->option('keep') < 1000;

my @worst;	# the longest waits, the longest first
my $most = $report->option('worst');

# Of each as many kinds of events as can explain something: one of the words is enough.
my @NEEDED = ('sched::sched_switch', 'sched::sched_waking sched::sched_wakeup', 'irq::irq_handler_entry',
	'irq::softirq_entry',
	'timer::hrtimer_expire_entry timer::timer_expire_entry', 'workqueue::workqueue_queue_work',
	'block::block_rq_complete');

my $chain = Zed::Chain->new(keep => $report->option('keep'), from => $first,
	$whole ? () : (waited => \&waited, before_cut => \&explain));

my (%present, %n);
my %others;	# {kind}: the longest wait of a kind that is not explained

$report->counts(\(@worst, %others));
$report->keeps(tasks => \($chain->{tasks}), 'tasks');
$report->keeps(present => \%present, { '*' => 'same' });
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(others => \%others, { '*' => 'max' });
$report->keeps_worst(worst => \@worst, $whole ? 'elapsed' : 'wait', qw(pid from to $comm), '@parts: what from to');

sub fold
{
	my %has = map { $_ => 1 } Zed::events();

	if ($whole) {
		explain_window();
	} else {
		explain();
		$report->because(none_is()) if is_unmet();
	}
	%present = ();
	for my $event (@NEEDED) {
		$present{$event} = 1 if grep { $has{$_} } split ' ', $event;
	}
}

# "12.5": as zedprint shows times, in ns.
sub instant
{
	my ($name) = @_;
	my $text = $report->option($name) // return undef;	## no critic (ProhibitExplicitReturnUndef)

	if (!Zed::_counts_ns()) {
		return $text if $text =~ /^\d{1,19}\z/;
		$report->usage("--$name '$text' is not a number of ticks, which the trace's clock counts");
	}
	my ($secs, $part) = $text =~ /^(\d{1,10})(?:\.(\d{1,9}))?\z/
		or $report->usage("--$name '$text' is not a time: write 12.5, as zedprint prints it");

	return $secs * 1_000_000_000 + substr(($part // '') . '0' x 9, 0, 9);
}

sub is_wanted
{
	my ($task) = @_;

	return !defined $wanted || $task->comm eq $wanted || $wanted =~ /^\d+\z/ && $task->pid == $wanted;
}

# A wait that ends is explained from where the task went to sleep, if it began with a wakeup.
sub waited
{
	my ($task, $cpu, $from, $to, $why) = @_;

	return other($task, $to - $from, $why) if $why ne 'wake';
	my $last = @worst >= $most ? $worst[-1] : undef;

	return if $last && $to - $from < $last->{wait} || !is_wanted($task);
	my $since = $chain->sleep_before($task, $from);

	# Those as long as the last one are in the order of their times.
	return if $last && $to - $from == $last->{wait} && $since > $last->{from};
	$report->worst(\@worst, 'wait', { task => $task, pid => $task->pid, comm => $task->comm, wait => $to - $from,
		from => $since, to => $to }, $from, $to);
}

sub other
{
	my ($task, $wait, $why) = @_;
	my $kind = Zed::Waits::kind($why);

	$others{$kind} = $wait if $wait > ($others{$kind} // 0) && is_wanted($task);
}

# Before what it takes is forgotten, and at the end.
sub explain
{
	$_->{parts} //= [$chain->walk(@$_{qw(task from to)})] for @worst;
}

sub none_is { return $report->for_traces('no task of {the trace|the traces} is ') . $wanted }

# Is there no task as was asked for, in a trace that has tasks and was read as a whole?
sub is_unmet
{
	my $tasks = $chain->tasks;

	return defined $wanted && !@worst && !%others && $tasks->sources && !Zed::Asked::is_timed()
		&& !Zed::Asked::is_cut_short() && !grep { is_wanted($_) } $tasks->all;
}

my @explained;	# the time of which the whole is explained, as far as the trace has it

# The whole of a time, of all tasks that are meant and had not ended before it.
sub explain_window
{
	my ($start, $end) = $report->window($chain->tasks->span);

	return if !defined $end;
	my ($from, $to) = (max($first // $start, $start), min($last // $end, $end));

	# None of it: no time, where it was asked for.
	@explained = $from < $to ? ($from, $to) : (defined $first && $first > $end ? $first : $last) x 2;
	@n{qw(left over later)} = (0, 0, 0);
	@worst = ();
	return $report->because($report->for_traces(
		'none of that time is in {the trace, which is|the traces, which are} from ') . join ' to ',
			map { Zed::Units::at($_) } $start, $end) if $from >= $to;
	my @meant = grep { is_wanted($_) && $_->pid && Zed::Asked::task($_->pid, $_->comm) } $chain->tasks->all;
	my @ended = grep { $chain->ended_before($_, $from) } @meant;
	my @later = grep { $chain->created_after($_, $to) } @meant;
	my %outside = map { $_ => 1 } @ended, @later;
	my @tasks = grep { !$outside{$_} } @meant;
	my $left = @tasks - $report->option('worst');

	$report->because(!@meant ? none_is() : !@later ? 'what was asked for had ended before that time'
		: !@ended ? 'what was asked for was created after that time'
		: 'what was asked for had ended before that time, or was created after it') if !@tasks;
	@n{qw(left over later)} = ($left > 0 ? $left : 0, scalar @ended, scalar @later);
	splice @tasks, $report->option('worst') if $left > 0;
	$report->worst(\@worst, 'elapsed', { task => $_, pid => $_->pid, comm => $_->comm, elapsed => $to - $from,
		from => $from, to => $to,
		parts => [$chain->walk($_, $from, $to)] }) for @tasks;
}

sub answer
{
	my $table = $report->table('chains', columns => [['chain', '#', 'int'], ['comm', 'task', 'text'],
		['pid', 'pid', 'int'],
		$whole ? () : ['wait', 'wait', 'us'], ['elapsed', 'all', 'us'], ['from', 'from', 'time'],
		['to', 'to', 'time'],
		['mostly', 'mostly', 'text']], span => ['from', 'to'], waits => 1);
	my $sums = $report->table('sums', title => 'what they consist of',
		columns => [['chain', '#', 'int'], ['total', 'time', 'us'],
		['share', '%', 'share'], ['n', 'n', 'int'], ['what', 'what', 'text'], ['who', 'who', 'text'],
		['pid', 'pid', 'int']]);
	my $parts = $report->table('parts', title => 'step by step',
		columns => [['chain', '#', 'int'], ['time', 'time', 'us'],
		['from', 'from', 'time'], ['what', 'what', 'text'], ['who', 'who', 'text'], ['pid', 'pid', 'int'],
		['cpu', 'CPU', 'int'],
		['detail', 'meanwhile there, or why', 'text']], span => ['from', '+time'], waits => 1);
	my ($unknown, $cut) = (0, 0);

	for my $n (1 .. @worst) {
		my $case = $worst[$n - 1];
		my $elapsed = $case->{to} - $case->{from};
		my @sums = Zed::Chain::sums(@{$case->{parts}});

		$table->add({ chain => $n, comm => $case->{comm}, pid => $case->{pid}, wait => $case->{wait},
			elapsed => $elapsed,
			from => $case->{from}, to => $case->{to}, mostly => Zed::Chain::mostly(@{$case->{parts}}) });
		$sums->add(map { { chain => $n, share => $elapsed ? $_->{total} / $elapsed : 0, %$_ } } @sums);
		$parts->add(map { { chain => $n, time => $_->{to} - $_->{from}, %$_ } } @{$case->{parts}});
		$report->chain("chain$n", "chain $n: $case->{comm} $case->{pid}",
			map { { %$_, actor => join ' ', grep { defined } @$_{qw(who pid)} } } @{$case->{parts}});
		for my $part (grep { $_->{what} eq 'unknown' } @{$case->{parts}}) {
			$unknown++;
			$cut++ if ($part->{detail} // '') =~ /^before what is kept/;
		}
	}
	notes($unknown, $cut);
	return @explained ? @explained : $report->window($chain->tasks->span);
}

sub notes
{
	my ($unknown, $cut) = @_;
	my $tasks = $chain->tasks;
	my @missing = grep { !$present{$_} } @NEEDED;

	$report->missing($tasks, 'what ran meanwhile is unknown');
	longer();
	$report->note('tasks', $n{left}, '{task|tasks} of that name {is|are} left out (--worst)');
	$report->note('over', $n{over}, '{task|tasks} had ended before that time, and {is|are} left out');
	$report->note('later', $n{later}, '{task was|tasks were} created after that time, and {is|are} left out');
	reaches_out() if @worst && @explained;
	$report->note('unknown', $unknown, '{part is|parts are} unknown');
	$report->note('cut', $cut, 'of these {is|are} before the last ' . $report->option('keep')
		. ' pieces, the only ones that are kept (--keep)');
	$report->remark('absent', $report->for_traces('{the trace has|the traces have} no ')
		. join(', ', map { s/ .*//r } @missing) . ': what they would explain is unknown') if @missing;
}

# Of a time that is only partly in the trace.
sub reaches_out
{
	my ($from, $to) = map { Zed::Units::at($_) } @explained;
	my $trace = $report->for_traces('{the trace|the traces}');

	$report->remark('before', "--start is before the beginning of $trace: what was before $from is not explained")
		if defined $first && $first < $explained[0];
	$report->remark('after', "--end is after the end of $trace: what was after $to is not explained")
		if defined $last && $last > $explained[1];
}

# Waits that are longer than all that are explained.
sub longer
{
	my $longest = @worst ? $worst[0]{wait} : 0;
	my @longer = $whole ? () : sort { $others{$b} <=> $others{$a} || $a cmp $b }
		grep { $others{$_} > $longest } keys %others;
	my $of = !defined $wanted ? '' : $wanted =~ /^\d+\z/ ? "--pid $wanted " : $wanted =~ m{^[\w./:-]+\z}
		? "--comm $wanted " : '';

	$report->warning('others', undef,
		'longer waits for a CPU did not begin with a wakeup, and are not explained here: ' .
		join(', ', map { "$_ up to " . Zed::duration($others{$_}) } @longer)
		. ". All waits: 'zedperl ${of}TRACE waits'") if @longer;
}

sub trace_begin { $report->begin }
sub trace_lost { $report->lost(@_); $chain->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

why-late.pl - where the time went until a task ran: what it waited for, and what that waited for

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<why-late> [B<--task> I<PID>|I<NAME>] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]]
[B<--limit> I<N>]

B<zedperl> I<TRACE> B<why-late> B<--task> I<PID>|I<NAME> B<--start> I<TIME> B<--end> I<TIME>
[B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

Goes back from the moment when a task finally ran to the moment when it had gone to sleep. While it
waited for a CPU, the CPU is what it waited for. Before that, it slept until something woke it: so
what the waker did is what the task waited for; if the waker had slept too, what the waker waited
for; and so on. What a waker did before the sleep began does not explain the sleep, and is not
followed. So each moment has one reason, and the times add up exactly to the whole.

The chain goes on through

=over

=item interrupts and softirqs

that woke a task: the time that they ran, and the time that a softirq was pending; then where they
came from: a request to a device, a timer, the network.

=item devices

The time that the device took for the request, the time that it waited in a queue, and then the task
that issued it.

=item work

that was queued for a kernel worker: the time that it waited, then the task that had queued it.

=back

Of a part of a trace (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm> before the name of this script),
the waits that end in that time, on that CPU, of that task, are explained, each from where the task went to sleep,
through all tasks and CPUs.

What is not in the trace is reported as unknown: no link is made up. The idle task is never a
reason. Of the history of tasks and CPUs the last I<N> pieces are kept (B<--keep>), so memory does
not grow with the trace: each of the worst cases is followed before the history that it needs is
dropped.

=head1 OPTIONS

=over

=item --task PID|NAME

Only this task, or the tasks of this name. Waits that did not begin with a wakeup (of a task that was
preempted, left the CPU while it was ready, or is new) are not explained; where they are longer than those that
are, a line says so.

=item --start TIME, --end TIME

Not the worst waits, but where all the time between these two went, for one task (or those of a
name). Times are written as B<zedprint> shows them, in seconds; the default is the trace's beginning and end. Where
I<TIME> of B<--start> is before the trace's beginning, or that of B<--end> after its end, the part that is in the trace
is explained, and a line says so; if none of the time is in the trace (B<--start> after its end, B<--end> before its
beginning), there is nothing to explain. Tasks that had ended before that time, or were created after it, are left out.

=item --worst N

How many waits, or tasks, to explain (default 5).

=item --keep N

How many pieces of history to keep (default 100000, about 30 MB).

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<chains>, C<sums>, C<parts>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq timer workqueue block:block_bio_queue block:block_rq_issue block:block_rq_requeue block:block_rq_complete -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new -e irq -e timer -e workqueue -e block:block_bio_queue -e block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new -e 'irq:*' -e 'timer:*' -e 'workqueue:*' -e block:block_bio_queue -e block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

On x86 also C<irq_vectors>: it names interrupts that have no handler, such as the local timer's.

=head1 OUTPUT

A row for each chain: the task, how long it waited for a CPU after it was woken, how long it all
took since the task went to sleep, from when to when, and what most of it was. Then everything that
each chain consists of, summed up; then step by step, in order of time:

=over

=item runs, interrupted

A task ran; it was interrupted, and by what.

=item waits for a CPU, preempted

It was woken, or was made to leave, and others ran: which.

=item irq, vector, softirq, softirq pending, timer

The interrupt or softirq that woke somebody; it was raised and waited. C<timer> as a step of its own
is the time until the timer was due, C<timer late> the time from then on (of high resolution timers,
whose start was recorded).

=item device, block queue, network, work queued

See above.

=item sleeps, ended

At the end of the requested time the task was still asleep, or had ended.

=item unknown

With the reason, if it is known.

=back

=head1 EXAMPLES

    zedperl trace.dat why-late --task sshd --worst 1
    zedperl trace.dat why-late --task 131 --start 6.1774 --end 6.2143 --limit 0
    zedperl trace.dat why-late --json | jq '.tables.parts.rows[] | select(.chain == 1)'

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7), wakeup-latency.pl, off-cpu.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
