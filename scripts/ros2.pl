#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# ros2.pl: ROS 2: how long callbacks run, how regularly, why the longest did so; how old messages are; executors.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq timer workqueue block:block_bio_queue block:block_rq_issue block:block_rq_requeue block:block_rq_complete
# zedperl: keeps traces apart
# zedperl: is made of ros2:callback_start ros2:callback_end
# zedperl: is made of ros2:rmw_take
# zedperl: is made of ros2:rclcpp_executor_wait_for_work ros2:rclcpp_executor_get_next_ready
# zedperl: answers for parts of the time
# zedperl: is about ros lttng robot callback timer topic node message subscription executor latency jitter period

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Chain;
use Zed::Report;
use Zed::Ros2;
use Zed::Spread;

my $report = Zed::Report->new(name => 'ros2', answer => \&answer, fold => \&fold, options => [qw(by=s worst=i)],
	defaults => { by => 'callback', worst => 5 });

# The columns that identify a row, of callbacks and of messages.
my @NODE = ['node', 'node', 'text'];
my @TASK = ($report->by_input, ['comm', 'task', 'text'], ['pid', 'pid', 'int']);
my %CALLBACKS = (callback => [@NODE, ['of', 'callback of', 'text'], ['kind', 'kind', 'text'],
	['function', 'function', 'text']], node => \@NODE,
	topic => [['of', 'callback of', 'text'], ['kind', 'kind', 'text']], task => \@TASK);
my %MESSAGES = (callback => [['of', 'topic', 'text'], ['from', 'from', 'text'], @NODE], node => \@NODE,
	topic => [['of', 'topic', 'text']], task => \@TASK);

my $by = $report->option('by');
$report->usage("--by '$by': it takes callback, node, topic or task") if !$CALLBACKS{$by};
my @of_callback = map { $_->[0] } @{$CALLBACKS{$by}};
my @of_message = map { $_->[0] } @{$MESSAGES{$by}};

my %there = map { $_ => 1 } Zed::events();
my $described = 0;	# do the traces have such events?
my $samples = $report->samples;
my $heat = $report->heat('callbacks by time', 'time that a callback ran');

# A callback that runs: its address, when it began, what it is, how long it waited for others.
use constant { ADDRESS => 0, BEGAN => 1, ABOUT => 2, BEHIND => 3 };

my %threads;	# {source}{pid}: what a thread is at
my %began;	# {source}{process}{callback}: [its last start, the time since the one before]
my %states;	# {source}{process}{state machine}: since when it is in its state

my (%callbacks, %periods, %latency, %executors, %lifecycle);	# rows, by what identifies them
my (@longest, %n);

my $ros = Zed::Ros2->new;
my $messages = $ros->messages(taken => \&taken, overwritten => sub { $n{overwritten}++ if counts(@_) });

# What its threads waited for is in the kernel's events of the same time.
my $chain = $there{'sched::sched_switch'} && $there{'ros2::callback_start'}
	? Zed::Chain->new(before_cut => \&explain) : undef;

# A span counts where it ends, with the CPU and the task of its end.
sub counts
{
	my ($ts, $cpu, $pid) = @_;

	return Zed::Asked::at($ts) && Zed::Asked::cpu($cpu) && Zed::Asked::task_of($pid);
}

sub thread { my ($pid) = @_; return $threads{Zed::source_index()}{$pid} //= { stack => [] } }

# The row of ROWS that the values of COLUMNS identify, and those values.
sub row
{
	my ($rows, $columns, $values) = @_;
	my %is = map { $_ => $values->{$_} } @$columns;

	return $rows->{join "\0", map { $_ // '' } @is{@$columns}} //= \%is;
}

sub callback_row
{
	my ($rows, $about, $comm, $pid) = @_;

	return row($rows, \@of_callback, { %$about, comm => $comm, pid => $pid,
		source => scalar $report->apart(Zed::source_index()) });
}

# ---- callbacks ----

my @WHO = qw(ts cpu common_pid common_comm);

$ros->on('ros2:callback_start', [@WHO, 'callback'], sub {
	my ($process, $ts, $cpu, $pid, $comm, $address) = @_;
	my $thread = thread($pid);
	my $about = Zed::Ros2::callback($process, $address);
	my $message = $messages->taken_by($pid);

	push @{$thread->{stack}}, [$address, $ts, $about, $thread->{behind}];
	$thread->{ran} = 1;
	repeated($process, $about, $address, $ts, $cpu, $pid, $comm);
	handled($process, $about, $message, $ts, $cpu, $pid, $comm) if $message;
});

$ros->on('ros2:callback_end', [@WHO, 'callback'], sub {
	my (undef, $ts, $cpu, $pid, $comm, $address) = @_;
	my $stack = thread($pid)->{stack};
	my $counts = counts($ts, $cpu, $pid);
	my $at = $#$stack;

	$at-- while $at >= 0 && $stack->[$at][ADDRESS] ne $address;
	if ($at < 0) {
		$n{begun}++ if $counts;
		return;
	}
	$n{open} += $#$stack - $at if $counts && $#$stack > $at;
	my ($call) = splice @$stack, $at;

	ran(@$call[ABOUT, BEGAN], $call->[BEHIND], $ts, $cpu, $pid, $comm) if $counts;
});

# A call that counts.
sub ran
{
	my ($about, $began, $behind, $ts, $cpu, $pid, $comm) = @_;
	my $row = callback_row(\%callbacks, $about, $comm, $pid);
	my $took = $ts - $began;

	($row->{times} //= Zed::Spread->new)->add($took);
	$row->{behind} += $behind if defined $behind;
	$n{unknown}++ if $about->{kind} eq 'unknown';
	$heat->add($began, $took) if $heat;
	$report->sample([map { $row->{$_} // '' } @of_callback], $began, $took) if $samples;
	$report->worst(\@longest, 'took', { took => $took, at => $began, cpu => $cpu, pid => $pid, comm => $comm,
		source => scalar $report->apart(Zed::source_index()), task => scalar task_of($pid), parts => [],
		map { $_ => $about->{$_} } qw(node of kind function) }, $began, $ts);
}

# From one start of a callback to the next.
sub repeated
{
	my ($process, $about, $address, $ts, $cpu, $pid, $comm) = @_;
	my $last = $began{Zed::source_index()}{$process->{vpid}}{$address} //= [];
	my ($since, $before) = @$last;

	@$last = ($ts, defined $since ? $ts - $since : undef);
	return if !defined $since || !counts($ts, $cpu, $pid);
	my $row = callback_row(\%periods, $about, $comm, $pid);

	($row->{times} //= Zed::Spread->new)->add($ts - $since);
	($row->{jitter} //= Zed::Spread->new)->add(abs($ts - $since - $before)) if defined $before;
}

# ---- messages ----

sub message_row
{
	my ($process, $message, $comm, $pid) = @_;
	my ($subscription, $publisher) = @$message{qw(subscription publisher)};

	return row(\%latency, \@of_message, { comm => $comm, pid => $pid,
		source => scalar $report->apart(Zed::source_index()),
		of => $subscription ? $subscription->{of}
			: Zed::Ros2::unknown($process, 'subscription', $message->{handle}),
		node => $subscription ? scalar Zed::Ros2::node($process, $subscription) : undef,
		from => $publisher ? scalar Zed::Ros2::node($message->{process}, $publisher) : undef });
}

sub taken
{
	my ($process, $ts, $cpu, $pid, $comm, $message) = @_;

	return if !counts($ts, $cpu, $pid);
	# The clocks of two machines may differ.
	if (!defined $message->{published} || $message->{published} > $ts) {
		$n{unpublished}++;
		return;
	}
	my $row = message_row($process, $message, $comm, $pid);

	($row->{taken} //= Zed::Spread->new)->add($ts - $message->{published});
}

# Its callback begins. What was taken for another one was not handled by a callback.
sub handled
{
	my ($process, $about, $message, $ts, $cpu, $pid, $comm) = @_;
	my ($mine, $its) = ($message->{subscription}, $about->{object});

	return if $mine && $its && $mine != $its || !counts($ts, $cpu, $pid);
	return if !defined $message->{published} || $message->{published} > $message->{taken};
	my $row = message_row($process, $message, $comm, $pid);

	($row->{called} //= Zed::Spread->new)->add($ts - $message->{taken});
	($row->{age} //= Zed::Spread->new)->add($ts - $message->{published});
}

# ---- executors ----

sub executor
{
	my ($comm, $pid) = @_;

	return row(\%executors, [qw(source comm pid)],
		{ source => scalar $report->apart(Zed::source_index()), comm => $comm, pid => $pid });
}

$ros->on('ros2:rclcpp_executor_get_next_ready', [@WHO], sub {
	my (undef, @who) = @_;
	my $thread = thread($who[2]);

	executed($thread, @who);
	waited($thread, @who) if defined $thread->{waits};
});

$ros->on('ros2:rclcpp_executor_wait_for_work', [@WHO], sub {
	my (undef, @who) = @_;
	my $thread = thread($who[2]);

	executed($thread, @who);
	$thread->{waits} = $who[0];
});

# What is ready together is executed one after the other: what comes later waits behind the first.
$ros->on('ros2:rclcpp_executor_execute', [@WHO, 'handle'], sub {
	my ($process, @who) = @_;
	my $handle = pop @who;
	my $thread = thread($who[2]);

	executed($thread, @who);
	$thread->{first} //= $who[0];
	$thread->{behind} = $who[0] - $thread->{first};
	@$thread{qw(executes client ran)} = ($who[0], scalar client($process, $handle), 0);
});

sub client
{
	my ($process, $handle) = @_;
	my $client = Zed::Ros2::client($process, $handle) // return;

	return { kind => 'client', of => $client->{of}, node => scalar Zed::Ros2::node($process, $client),
		function => undef };
}

# The executor is back: responses to a client have no events of a callback, so all of that is its run.
sub executed
{
	my ($thread, $ts, $cpu, $pid, $comm) = @_;
	my ($began, $client, $ran, $behind) = delete @$thread{qw(executes client ran behind)};

	return if !defined $began || !counts($ts, $cpu, $pid);
	(executor($comm, $pid)->{runs} //= Zed::Spread->new)->add($ts - $began);
	ran($client, $began, $behind, $ts, $cpu, $pid, $comm) if $client && !$ran;
}

sub waited
{
	my ($thread, $ts, $cpu, $pid, $comm) = @_;
	my ($began) = delete @$thread{qw(waits first)};

	(executor($comm, $pid)->{waits} //= Zed::Spread->new)->add($ts - $began) if counts($ts, $cpu, $pid);
}

# ---- lifecycle ----

$ros->on('ros2:rcl_lifecycle_state_machine_init', ['state_machine', 'node_handle'], sub {
	my ($process, $machine, $node) = @_;

	$states{Zed::source_index()}{$process->{vpid}}{$machine} = { object => { node_handle => $node } };
});

$ros->on('ros2:rcl_lifecycle_transition', [qw(ts cpu common_pid state_machine start_label goal_label)], sub {
	my ($process, $ts, $cpu, $pid, $address, $from, $to) = @_;
	my $machine = $states{Zed::source_index()}{$process->{vpid}}{$address} //= {};
	my $since = $machine->{since};
	my $node = $machine->{object} ? Zed::Ros2::node($process, $machine->{object})
		: Zed::Ros2::unknown($process, 'state machine', $address);

	$machine->{since} = $ts;
	return if !counts($ts, $cpu, $pid);
	my $row = row(\%lifecycle, [qw(node from to)], { node => $node, from => $from, to => $to });

	$row->{n}++;
	($row->{times} //= Zed::Spread->new)->add($ts - $since) if defined $since;
});

# ---- why the longest took so long ----

# A thread's task in the kernel's events: those of its own input or, if only one other has any, of that.
sub task_of
{
	my ($pid) = @_;

	return if !$chain;
	my $own = Zed::source_index();
	my @sources = $chain->tasks->sources;
	my ($source) = @sources == 1 ? @sources : grep { $_ == $own } @sources;

	return defined $source ? $chain->tasks->find($source, $pid) : undef;
}

# Before what it takes is forgotten, and at the end.
sub explain
{
	for my $call (grep { $_->{task} && !@{$_->{parts}} } @longest) {
		$call->{parts} = [$chain->walk($call->{task}, $call->{at}, $call->{at} + $call->{took})];
	}
}

# ---- the end ----

Zed::Asked::follow(sub { return 1 }, $ros->ids);

my $at_end;	# how many run at the end of the chosen time
Zed::Asked::at_end(sub { $at_end = still() });

sub still
{
	my $still = 0;

	for my $source (keys %threads) {
		my $of = $threads{$source};

		$still += @{$of->{$_}{stack}} for grep { Zed::Asked::task_of($_, $source) } keys %$of;
	}
	return $still;
}

my ($has_kernel, $stamped, $mixed) = (0, 0, 0);

sub fold
{
	$n{running} = !Zed::Asked::tells_end() ? 0 : $at_end // still();
	$described = 1 if grep { /^ros2::/ } keys %there;
	$has_kernel = 1 if $chain;
	$stamped = 1 if $messages->are_stamped;
	$mixed = 1 if $ros->are_mixed;
	explain() if $chain;
}

my %TEXTS = map { $_ => 'same' } qw(node of kind function comm from to);
my %WHOSE = (%TEXTS, pid => 'number', source => 'number');

$report->counts(\(%callbacks, %periods, %latency, %executors, %lifecycle, %n, @longest, $at_end));
$report->keeps(callbacks => \%callbacks, { '*' => { %WHOSE, 'times!' => 'spread', behind => 'sum' } });
$report->keeps(periods => \%periods, { '*' => { %WHOSE, 'times!' => 'spread', jitter => 'spread' } });
$report->keeps(latency => \%latency, { '*' => { %WHOSE, map { $_ => 'spread' } qw(taken called age) } });
$report->keeps(executors => \%executors, { '*' => { %WHOSE, waits => 'spread', runs => 'spread' } });
$report->keeps(lifecycle => \%lifecycle, { '*' => { %TEXTS, 'n!' => 'sum', times => 'spread' } });
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(described => \$described, 'max');
$report->keeps(has_kernel => \$has_kernel, 'max');
$report->keeps(stamped => \$stamped, 'max');
$report->keeps(mixed => \$mixed, 'max');
$report->keeps_worst(longest => \@longest, 'took', qw(at cpu pid source), '@parts: what from to');

# ---- the answer ----

my @TIMES = map { [$_, $_, 'us'] } qw(avg p50 p99 max);

sub answer
{
	# Of a time that is outside of the trace the answer says that.
	$report->because($report->for_traces('{the trace has|the traces have} no events of ROS 2, which LTTng records: '
		. "ros2 trace, or lttng enable-event -u 'ros2:*'")) if !$described && !Zed::Asked::is_timed();
	callbacks();
	periods();
	latency();
	executors();
	lifecycle();
	longest();
	notes();
	return $report->window;
}

sub callbacks
{
	my $table = $report->table('callbacks', title => 'how long callbacks run', columns => [@{$CALLBACKS{$by}},
		['n', 'n', 'int'], ['total', 'total', 'us'], @TIMES, ['behind', 'behind others', 'us']]);
	my $all = Zed::Spread->new;

	for my $row (values %callbacks) {
		$table->add({ %$row, $row->{times}->numbers });
		$all->merge($row->{times});
	}
	$table->sort('total', @of_callback);
	$report->spread('spread', 'how long callbacks run', $all);
}

sub periods
{
	my $table = $report->table('periods', title => 'from one start to the next', columns => [@{$CALLBACKS{$by}},
		['n', 'n', 'int'], @TIMES, ['jitter', 'jitter', 'us'], ['jitter_max', 'max jitter', 'us']]);

	for my $row (values %periods) {
		my $jitter = $row->{jitter} // Zed::Spread->new;

		$table->add({ %$row, $row->{times}->numbers, jitter => scalar $jitter->mean,
			jitter_max => scalar $jitter->max });
	}
	$table->sort('n', @of_callback);
}

sub latency
{
	my $table = $report->table('latency', title => 'from publishing a message to its callback',
		columns => [@{$MESSAGES{$by}}, ['taken', 'taken', 'int'], ['take_avg', 'to take', 'us'],
		['take_max', 'max to take', 'us'], ['call_avg', 'to callback', 'us'],
		['call_max', 'max to callback', 'us'], ['n', 'n', 'int'], @TIMES]);

	for my $row (values %latency) {
		my ($take, $call, $age) = map { $row->{$_} // Zed::Spread->new } qw(taken called age);

		$table->add({ %$row, $age->numbers, taken => $take->n,
			take_avg => scalar $take->mean, take_max => scalar $take->max,
			call_avg => scalar $call->mean, call_max => scalar $call->max });
	}
	$table->sort('taken', @of_message);
}

sub executors
{
	my $table = $report->table('executors', title => 'what executors do', columns => [@TASK,
		['waits', 'waits', 'int'], ['wait', 'wait', 'us'], ['wait_max', 'max', 'us'], ['n', 'executed', 'int'],
		['total', 'total', 'us'], ['avg', 'avg', 'us'], ['max', 'max', 'us']]);

	for my $row (values %executors) {
		my ($waits, $runs) = map { $row->{$_} // Zed::Spread->new } qw(waits runs);

		$table->add({ %$row, $runs->numbers, waits => $waits->n, wait => $waits->total,
			wait_max => scalar $waits->max });
	}
	$table->sort('total', 'comm', 'pid', 'source');
}

sub lifecycle
{
	return if !%lifecycle;
	my $table = $report->table('lifecycle', title => 'states of nodes', columns => [@NODE, ['from', 'from', 'text'],
		['to', 'to', 'text'], ['n', 'n', 'int'], ['total', 'before it', 'us'], ['max', 'max', 'us']]);

	for my $row (values %lifecycle) {
		my $times = $row->{times} // Zed::Spread->new;

		$table->add({ %$row, total => $times->total, max => scalar $times->max });
	}
	$table->sort('n', 'node', 'from', 'to');
}

sub longest
{
	return if !@longest;
	my $table = $report->table('longest', title => 'the longest calls', span => ['at', '+took'],
		columns => [['call', '#', 'int'], ['took', 'took', 'us'], ['at', 'at', 'time'], ['cpu', 'CPU', 'int'],
		@TASK, @{$CALLBACKS{callback}}, $has_kernel ? ['mostly', 'mostly', 'text'] : ()]);
	my $parts = !$has_kernel ? undef : $report->table('parts', title => 'step by step', span => ['from', '+time'],
		columns => [['call', '#', 'int'], ['time', 'time', 'us'], ['from', 'from', 'time'],
		['what', 'what', 'text'], ['who', 'who', 'text'], ['pid', 'pid', 'int'], ['cpu', 'CPU', 'int'],
		['detail', 'meanwhile there, or why', 'text']]);

	for my $number (1 .. @longest) {
		my $call = $longest[$number - 1];
		my @steps = @{$call->{parts}};

		$table->add({ %$call, call => $number, mostly => @steps ? Zed::Chain::mostly(@steps) : undef });
		next if !$parts;
		$parts->add(map { { call => $number, time => $_->{to} - $_->{from}, %$_ } } @steps);
		$report->chain("call$number", "call $number: $call->{of}",
			map { { %$_, actor => join ' ', grep { defined } @$_{qw(who pid)} } } @steps);
	}
}

sub notes
{
	$report->note('unknown', $n{unknown}, '{call is|calls are} of callbacks whose creation is not in what was '
		. 'recorded: they are called by their address');
	$report->note('unpublished', $n{unpublished},
		'{message was|messages were} taken without a recorded publication: {its|their} age is unknown');
	$report->note('overwritten', $n{overwritten}, '{message|messages} within a process {was|were} replaced by a '
		. 'later one before {it was|they were} taken');
	$report->note('running', $n{running}, '{callback was|callbacks were} still running at the end');
	$report->note('begun', $n{begun}, '{end was|ends were} seen without a start');
	$report->note('open', $n{open}, '{start was|starts were} seen without an end');
	$report->note('lost_calls', $n{lost_calls}, '{call is|calls are} left out, as events were lost meanwhile');
	return if !$described;
	$report->remark('mixed', 'events without the context vpid (lttng add-context -u -t vpid): objects of several '
		. 'processes that have one address are taken for each other') if $mixed;
	$report->remark('stamps', 'no event has the time stamps of published messages (rmw_publish has them since '
		. 'Jazzy): messages between processes are not in the answer') if !$stamped && $n{unpublished};
	$report->note('unmatched', scalar grep({ !@{$_->{parts}} } @longest), 'of the longest calls {is|are} by a '
		. "thread that the kernel's events do not have: a container numbers its tasks otherwise")
		if $has_kernel;
	$report->remark('kernel', 'what the longest calls waited for is in events of the kernel, recorded at the same '
		. 'time: ' . $report->to_record) if @longest && !$has_kernel;
}

sub trace_begin { $report->begin }

# Any thread may have gone on meanwhile. The objects are still known.
sub trace_lost
{
	my $source = eval { Zed::source_index() };

	$report->lost(@_);
	$chain->lost(@_) if $chain;
	return if !defined $source;
	my $of = delete $threads{$source} // {};

	if (Zed::Asked::at(Zed::ts())) {
		$n{lost_calls} += @{$of->{$_}{stack}} for grep { Zed::Asked::task_of($_, $source) } keys %$of;
	}
	$messages->lost($source);
	delete $began{$source};
	for my $machines (values %{$states{$source} // {}}) {
		delete $_->{since} for values %$machines;
	}
}

sub trace_end { $report->end }

__END__

=head1 NAME

ros2.pl - ROS 2: callbacks, how long, how regularly, and why the longest took so long; messages, executors

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<ros2> [B<--by> callback|node|topic|task] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]]
[B<--limit> I<N>]

B<zedperl> B<-i> I<KERNEL> B<-i> I<TRACE> B<ros2>

=head1 DESCRIPTION

Programs of ROS 2 are traced by LTTng (ros2_tracing). Each of their callbacks is followed from its start to its end,
and is called by its node and by what it belongs to: a topic, a timer, a service. A response to a client has no events
of its own; it runs as long as the executor is at it.

A message is followed from the call that publishes it to where it is taken, and to the start of its callback. Between
processes it is recognized by its topic and the time stamp that it carries, which C<rmw_publish> has since Jazzy
(tracetools 8.0), before that the events of a traced middleware (C<dds:write>); within a process by its place in the
buffer (since Iron). Where neither is in the trace, no age is given.

With events of the kernel of the same time, in the same session of LTTng or in another input with the same clock, the
longest calls are followed through everything that their thread waited for, as by B<why-late>.

Names are told when an object is created. Of what was created before the recording began, or whose creation was lost,
the answer has the address and the process. The context C<vpid> keeps the processes apart, C<vtid> the threads: B<ros2
trace> records both.

For a part of the trace, a call, a period, a message and a wait count, in full, where they end; objects that were
created before are known.

=head1 OPTIONS

=over

=item --by callback|node|topic|task

The rows of callbacks and messages: by callback (the default), node, topic (timer, service), or task, which is a
thread.

=item --worst N

How many of the longest calls to show (default 5).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<callbacks>, C<periods>, C<latency>, C<executors>, C<lifecycle>,
C<longest>, C<parts>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq timer workqueue block:block_bio_queue block:block_rq_issue block:block_rq_requeue block:block_rq_complete -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new -e irq -e timer -e workqueue -e block:block_bio_queue -e block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete -C mono sleep 10

or, with perf,

    perf record -a -k mono -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new -e 'irq:*' -e 'timer:*' -e 'workqueue:*' -e block:block_bio_queue -e block:block_rq_issue -e block:block_rq_requeue -e block:block_rq_complete sleep 10

These record the kernel, by the clock of LTTng (zedtrace's own choice). The programs are recorded by B<ros2 trace>, or

    lttng create robot
    lttng enable-event -u 'ros2:*,dds:*'
    lttng add-context -u -t vpid -t vtid -t procname
    lttng start

before they are started.

=head1 OUTPUT

=over

=item how long callbacks run

From the start of a callback to its end. C<behind others>: the time for which it was ready, and its executor was at
those that had been ready with it.

=item from one start to the next

How regularly a callback runs. C<jitter>: by how much one such time differs from the one before it, on average.

=item from publishing a message to its callback

C<taken>: how many messages were taken; C<to take>: from the call that published them, C<to callback>: from then to the
start of the callback; C<n> and the following columns: both together. C<(middleware)>: messages that the middleware
sends for itself.

=item what executors do

By thread: how often and how long an executor waited for work; how often it executed something, and how long.

=item states of nodes

The transitions of nodes with a lifecycle; C<before it>: the time in the state before.

=item the longest calls, step by step

With events of the kernel: what most of the time was, and each step: see B<zedperl --help why-late>.

=back

=head1 EXAMPLES

    zedperl robot ros2
    zedperl robot ros2 --by node
    zedperl -i trace.dat -i robot ros2 --worst 1
    zedperl robot ros2 --json | jq '.tables.latency.rows[] | select(.max > 1e7)'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), why-late.pl, Zed::Ros2

=head1 LICENCE

GPL-2.0-or-later

=cut
