# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tasks: what each task does: it runs, is ready and waits for a CPU, or is blocked.  From the scheduler's events,
# in the order of time.  Calls the code of an analysis for each piece that was seen as a whole.  Here is what may be
# asked; how the answers are found is in Zed/Tasks/ (lib/README.md).
package Zed::Tasks;
use strict;
use warnings;

use List::Util qw(sum0);
use Zed::Asked;
use Zed::Intervals;
use Zed::Task qw(:places :states);
use Zed::Tasks::End;
use Zed::Tasks::Events;
use Zed::Tasks::Known;
use Zed::Tasks::Pieces qw(:cpu);
use Zed::Tasks::Turns;

our $VERSION = '0.1';

my %CODES = map { $_ => 1 } qw(ran busy waited waited_unseen slept woken idle unknown replaced);

sub new {
	my ($class, %o) = @_;
	my $self = bless { tasks => [], cpus => [], n => {}, raw => exists $o{asked} && !delete $o{asked},
		to_end => delete $o{to_end}, still => !exists $o{still} || delete $o{still},
		asks => delete $o{last_name} ? sub { Zed::Asked::pid($_[0]) } : \&Zed::Asked::task }, $class;
	for (sort keys %o) {
		if (!$CODES{$_} || ref $o{$_} ne 'CODE') {
			require Carp;
			Carp::croak("Zed::Tasks: '$_' (it takes code for @{[sort keys %CODES]}, asked, to_end, still " .
				"and last_name)");
		}
		$self->{$_} = $o{$_};
	}
	my @handlers = Zed::Tasks::Events::follow($self);
	# As they are now: they go on.
	Zed::Asked::at_end(sub { $self->{at_end} = [map { [map { bless [@$_], ref } @$_] } _waiting($self)] })
		if $self->{still};
	Zed::Asked::follow(sub { Zed::Tasks::End::is_settled($self) }, @handlers);
	Zed::Intervals::counts(\$self->{n}, \$self->{at_end});
	return $self;
}

# ---- questions ----

# Who runs on the CPU of the current event, as that shows it.
sub at {
	my ($self, $ts, $cpu, $pid, $comm) = @_;
	my $source = Zed::source_index();
	return Zed::Tasks::Turns::seen($self, $source, $ts, $cpu, $pid, $comm);
}

# Who runs on a CPU, and since when.
sub on {
	my ($self, $source, $cpu) = @_;
	my $on = $self->{cpus}[$source][$cpu] or return;
	return @$on[CPU_TASK, CPU_IN];
}

# The task that has that number now, or had it last.
sub find { my ($self, $source, $pid) = @_; return ($self->{tasks}[$source] // {})->{$pid} }

# All that are known, of each input by their numbers.
sub all {
	my ($self) = @_;
	Zed::Tasks::End::end_cpus($self);
	return map { my $tasks = $_ // {}; map { $tasks->{$_} } grep { $_ }
		sort { $a <=> $b } keys %$tasks } @{$self->{tasks}};
}

# After a loss: any switch of that CPU, and any waking that was done on it, may be among what was lost.
sub lost { my ($self, $cpu) = @_; return Zed::Tasks::Turns::lost($self, $cpu) }

# ---- the end ----

# Tasks that are ready, and that are blocked.
sub _waiting {
	my ($self) = @_;
	my (@ready, @blocked);
	for my $tasks (grep { $_ } @{$self->{tasks}}[sources($self)]) {
		for my $pid (sort { $a <=> $b } keys %$tasks) {
			my $task = $tasks->{$pid};
			next if !$self->{raw} && !Zed::Tasks::Known::asks($self, $task)
				|| Zed::Tasks::End::is_unsure($task);
			push @ready, $task if $task->[STATE] == READY;
			push @blocked, $task if $task->[STATE] == BLOCKED;
		}
	}
	return (\@ready, \@blocked);
}

# Who is at what at the end: [TASK, CPU, SINCE] of those that run, and of those that are ready or blocked.
sub still {
	my ($self) = @_;
	return ([running($self)], $self->{at_end} ? @{$self->{at_end}} : _waiting($self));
}

# Of those that are ready now, and of those that are blocked: how many are asked for, and since when the first of each
# input is.
sub waiting {
	my ($self) = @_;
	my %of = map { $_ => { n => 0, since => {}, unsure => 0 } } READY, BLOCKED;
	for my $task (map { values %{$_ // {}} } @{$self->{tasks}}[sources($self)]) {
		my $of = $of{$task->[STATE]} or next;
		my ($source, $since) = @$task[SOURCE, SINCE];
		next if !Zed::Asked::task($task->[PID], $task->[COMM] // '<...>') || !Zed::Asked::cpu($task->[CPU]);
		if (Zed::Tasks::End::is_unsure($task)) {
			$of->{unsure}++;
			next;
		}
		$of->{n}++;
		$of->{since}{$source} = $since if !defined $of->{since}{$source} || $since < $of->{since}{$source};
	}
	return map { $of{$_} } READY, BLOCKED;
}

# How long at least the first of them has been so at the end.
sub longest {
	my ($self, $report, $of) = @_;
	my $longest = 0;
	for my $source (keys %{$of->{since}}) {
		my (undef, $end) = $report->window_of($source, span($self));
		my $since = $of->{since}{$source};
		$longest = $end - $since if defined $end && $end - $since > $longest;
	}
	return $longest;
}

# The inputs that have switches, in the time that is asked for or not.  Of others it is not known who runs, nor what is
# left of a wait.
sub sources { my ($self) = @_; return Zed::Tasks::Known::sources($self) }

sub running {
	my ($self) = @_;
	Zed::Tasks::End::end_cpus($self);
	my @run;
	for my $source (sources($self)) {
		for my $cpu (0 .. $#{$self->{cpus}[$source] // []}) {
			my $on = $self->{cpus}[$source][$cpu] or next;
			next if !$self->{raw} && !Zed::Asked::cpu($cpu);
			push @run, [$on->[CPU_TASK], $cpu, $on->[CPU_IN]];
		}
	}
	return @run;
}

# When the first and the last of its events were, in ns.
sub span { return @{$_[0]}{qw(first last)} }

# ---- counts ----

# Of each input, and of the traces of other runs.
sub _counted { my ($self) = @_; return map { $self->{n}{$_} // () } sources($self), 'merged' }

sub n { my ($self, $what) = @_; return sum0(map { $_->{$what} // 0 } _counted($self)) }

# Does a trace have switches, and no event of wakeups?
sub is_wakeless {
	my ($self) = @_;
	return 1 if $self->{n}{merged}{wakeless};
	for (my $source = 0; defined Zed::ncpus($source); $source++) {
		my %has = map { $_ => 1 } Zed::events($source);
		return 1 if $has{'sched::sched_switch'}
			&& !grep { $has{"sched::sched_$_"} } qw(waking wakeup wakeup_new);
	}
	return 0;
}

# What the traces of other runs left: only what is counted.
sub plain {
	my ($self) = @_;
	my %n;
	for my $of (_counted($self)) {
		$n{$_} += $of->{$_} for keys %$of;
	}
	$n{wakeless} = 1 if is_wakeless($self);
	return { n => \%n };
}

sub merge_plain {
	my ($self, $data) = @_;
	my $n = $data->{n} // {};
	if (ref $n ne 'HASH' || grep { !defined || ref || !/\A[0-9]{1,19}\z/ } values %$n) {
		require Carp;
		Carp::croak('Zed::Tasks: the state makes no sense');
	}
	$self->{n}{merged}{$_} += $n->{$_} for keys %$n;
	return $self;
}

1;

__END__

=head1 NAME

Zed::Tasks - what tasks do: run, wait for a CPU, sleep

=head1 SYNOPSIS

    use Zed::Tasks;

    my %ran;
    my $tasks = Zed::Tasks->new(
        ran => sub { my ($task, $cpu, $from, $to, $how) = @_; $ran{$task->comm} += $to - $from },
        waited => sub { my ($task, $cpu, $from, $to, $why, $waker) = @_; ... },
    );

    sub trace_lost { $tasks->lost(@_) }

=head1 DESCRIPTION

Follows every task through the events C<sched:switch>, C<sched:sched_waking>, C<sched:wakeup> and
C<sched:wakeup_new>, and calls your code for each piece of its life that was seen from beginning to
end. Times are in ns.

A task is woken when somebody decides so (sched_waking), not when it is put into a queue, which may
be later and on another CPU; if the trace has no sched_waking (kernels before 4.3), the wakeup
counts. A waking while the task is still on its way to sleep counts if the task sleeps nevertheless.
What was asked for (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>: Zed::Asked) is a question about the answer:
all events are followed, and the code gets what belongs to the answer. Times of what ran are cut to
the time that was asked for; a wait or a sleep counts, with the whole of its length, where it ends;
CPUs and tasks choose which pieces; by B<--comm>, those of a task while it had such a name.

Of a CPU whose first or last records are not in the trace (Zed::Ends), what was before its first one and after its last
one is unknown, as in a loss; a CPU that is missing in a file that is cut off is a gap for the whole time.

Now and then the kernel leaves out a switch; if the events of a CPU show that, the time between the
last record of the one task and the first of the other, of whatever events, is given to neither.

=head1 METHODS

=over

=item Zed::Tasks->new(CODE...)

=over

=item asked => 0

The code gets all pieces as they were, whatever was asked for: for answers that need the history of a
piece, and cut it themselves.

=item to_end => 1

With C<< asked => 0 >>: what had begun when the time that was asked for was over is followed until it ends,
waits and sleeps too, which may be at the end of the trace.

=item still => 0

Nobody asks still(): nothing is kept for it when the time that was asked for is over.

=item last_name => 1

Names (B<--comm>) do not choose pieces: for answers that call a task what it was called last, and choose
themselves (Zed::Asked::comm) when that is known.

=item ran => CODE

(TASK, CPU, FROM, TO, HOW, BEGAN): it ran; FROM and TO are cut to the time that was asked for, and BEGAN is
when it really began, undef if the switch to it was not seen. HOW is undef if it ran on beyond that time; else
HOW it left: C<block>, C<preempt> (the kernel took the CPU away), C<resched> (it left ready to run), C<dead>;
C<unseen>, C<lost>: it is known to have run up to TO.

=item busy => CODE

(SOURCE, CPU, FROM, TO): some task ran, whichever tasks were asked for.

=item waited => CODE

(TASK, CPU, FROM, TO, WHY, WAKER): it was ready and waited for a CPU. WHY: C<wake>, C<new>,
C<preempt>, C<resched>. WAKER: task, pid, comm, cpu, ts, and C<in>, which is C<irq> or C<softirq> if
one of these, and not the task, woke it; C<late> if no waking was seen, only the wakeup; C<unsure>
if the waking may have been lost, so that the wait began earlier. For C<preempt> and C<resched>, WAKER is undef.

=item replaced => CODE

(TASK): a new task has its number, so it has ended.

=item waited_unseen => CODE

(TASK, FROM, TO, WHY, WAKER): it was ready and waited at least up to TO; the switch that ended the
wait is missing.

=item slept => CODE

(TASK, FROM, TO, LETTER, WAKER): it was blocked, in the state with that letter.

=item woken => CODE

(TASK, WAKER): somebody wakes it, which may have no effect. What the code adds to WAKER, a reference
to a hash, is passed on to C<waited> and C<slept>.

=item idle => CODE

(SOURCE, CPU, FROM, TO): the CPU was idle.

=item unknown => CODE

(SOURCE, CPU, FROM, TO): it is not known who ran there.

=back

TASK is a Zed::Task. It is the same object as long as the task lives.

=item $tasks->at(TS, CPU, PID, COMM)

For a handler of an event that Zed::Tasks does not follow: the task that runs there, as the event's
common_pid shows it.

=item $tasks->on(SOURCE, CPU)

The task that runs there, and since when; an empty list if that is not known.

=item $tasks->find(SOURCE, PID)

The task of that input that has this number now, or had it last; undef if none is known.

=item $tasks->all

The tasks that are alive, and for each pid whose task has died, the last one that had it.

=item $tasks->lost(CPU, COUNT)

For trace_lost: from there on, all waits and sleeps are unknown, and who runs on that CPU.

=item $tasks->still

Three references to arrays: [TASK, CPU, SINCE] of what runs at the end (including the idle task, pid
0), the tasks that are ready, and those that are blocked.

=item $tasks->running

The first of these, as a list.

=item $tasks->waiting

How many tasks that are asked for are ready now, and how many are blocked: two references to hashes, C<n>,
C<since>, of each input when the first of them began to be so, and C<unsure>: how many others seem to be so, and may
be no longer, as records of some CPU are not in the trace. For code that asks when the time that was asked
for is over (Zed::Asked::at_end): of very many tasks no list is made. C<< $tasks->longest(REPORT, HASH) >>: how
long the first of them had been so at the end of the time that the Zed::Report is about.

=item $tasks->sources

The numbers of the inputs in which there was a switch. Of others, which have wakings only, it tells who wakes whom
(C<woken>), and nothing else: who runs is not known.

=item $tasks->span

The times of the first and the last event.

=item $tasks->plain, $tasks->merge_plain(DATA)

plain() returns what was counted as plain data; merge_plain() adds that of another run.

=item $tasks->is_wakeless

Does a trace have C<sched_switch>, and none of C<sched_waking>, C<sched_wakeup> and C<sched_wakeup_new>? Then no wait
that begins with a wakeup is known, and no sleep.

=item $tasks->n(WHAT)

How often: C<switches>, C<missing> (switches that were not recorded), C<unwoken> (a task ran on after a sleep
whose end was not seen), C<enqueued> (waits that count from the wakeup, as no waking was seen), C<ended_late> (sleeps
likewise), C<woken_again> (a task that was ready was woken once more, so it ran and slept in between:
its wait counts from there), C<begun> (what had begun before the
trace), C<lost_waits>, C<lost_sleeps> (discarded because of losses).

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Task, Zed::Ends, Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
