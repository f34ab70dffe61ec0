# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events: what the scheduler's events say: to the turns of a CPU, then to the states of tasks.
package Zed::Tasks::Events;
use strict;
use warnings;

use Zed::Task qw(:places :states);
use Zed::Tasks::Known qw(count name new_task stays task);
use Zed::Tasks::Pieces qw(:cpu ran);
use Zed::Tasks::States qw(%LEAVES enters leaves waker wakes);
use Zed::Tasks::Turns qw(first missing seen);

our $VERSION = '0.1';

# Adds the handlers, and returns their numbers.  What a trace lacks is said by the answer.
sub follow {
	my ($self) = @_;
	my $on = sub {
		my ($event, $args, $code) = @_;
		return Zed::on($event, args => $args, follows => 1, optional => 1, $code);
	};
	return (
		$on->('sched:switch', [qw(ts cpu prev_pid prev_comm prev_state preempted next_pid next_comm next_prio)],
			_switch($self)),
		$on->('sched:sched_waking',
			[qw(ts cpu pid comm prio common_pid common_comm common_flags common_type)],
			_waking($self)),
		$on->('sched:wakeup', [qw(ts cpu wakeup_pid comm prio success common_pid common_comm)],
			_wakeup($self)),
		$on->('sched:wakeup_new', [qw(ts cpu wakeup_pid comm prio common_pid common_comm)],
			_wakeup_new($self)),
	);
}

# ---- the handler of each ----

sub _switch {
	my ($self) = @_;
	return sub {
		my ($ts, $cpu, $prev, $prev_comm, $letter, $preempted, $next, $next_comm, $prio) = @_;
		my $source = Zed::source_index();
		$self->{first} //= $ts;
		$self->{last} = $ts;
		$self->{switched}[$source] = 1;
		$self->{n}{$source}{switches}++ if $ts >= $Zed::Asked::FROM && $ts <= $Zed::Asked::LAST;
		my $on = $self->{cpus}[$source][$cpu];
		if (!$on) {
			$on = first($self, $source, $ts, $cpu, $prev, $prev_comm);
		} elsif ($on->[CPU_TASK][PID] != $prev) {
			missing($self, $source, $ts, $cpu, $prev, $prev_comm);
		}
		my ($was, $in, undef, $seen) = @$on;
		name($self, $was, $prev_comm) if $prev && $prev_comm ne ($was->[COMM] // '');
		my $how = !$prev ? undef : $preempted ? 'preempt' : $LEAVES{$letter // '?'} // 'block';
		ran($self, $was, $cpu, $in, $ts, $how, $seen);
		leaves($self, $was, $ts, $how, $letter) if $prev;
		my $task = task($self, $source, $next, $next ? $next_comm : '<idle>');
		@$on = ($task, $ts, $ts, 1);
		enters($self, $task, $cpu, $ts, $prio) if $next;
		return;
	};
}

sub _waking {
	my ($self) = @_;
	return sub {
		my ($ts, $cpu, $pid, $comm, $prio, $by, $by_comm, $flags, $type) = @_;
		my $source = Zed::source_index();
		my $runs = seen($self, $source, $ts, $cpu, $by, $by_comm);
		return if !$pid;
		my $task = task($self, $source, $pid, $comm);
		# LTTng, which has no type, subtracts 100.
		$task->[PRIO] = defined $type ? $prio : $prio + 100 if defined $prio;
		# Of a task that was not seen before, the sleep is not known, but its end is.
		if ($task->[STATE] == BLOCKED || $task->[STATE] == UNKNOWN) {
			wakes($self, $task, $ts, waker($self, $task, $runs, $cpu, $flags, $ts));
		} elsif ($task->[STATE] == RUNS) {
			$task->[NOTED] = waker($self, $task, $runs, $cpu, $flags, $ts);
		} elsif ($task->[STATE] == READY && $task->[WHY] ne 'preempt' && $ts > $task->[SINCE]) {
			# It is woken only out of a sleep, so it ran and slept in between.  (Preempted on its way to
			# sleep it is woken where it is; at one time the order of two CPUs is not known.)
			count($self, $source, 'woken_again');
			wakes($self, $task, $ts, waker($self, $task, $runs, $cpu, $flags, $ts));
		}
		return;
	};
}

sub _wakeup {
	my ($self) = @_;
	return sub {
		my ($ts, $cpu, $pid, $comm, $prio, $success, $by, $by_comm) = @_;
		my $source = Zed::source_index();
		my $runs = seen($self, $source, $ts, $cpu, $by, $by_comm);
		return if !$pid || !$success;
		my $task = task($self, $source, $pid, $comm);
		$task->[PRIO] = $prio if defined $prio;
		if ($task->[STATE] == BLOCKED || $task->[STATE] == UNKNOWN) {
			# Noted while it ran: it was ready from the moment that it left.
			if ($task->[NOTED]) {
				wakes($self, $task, $task->[SINCE], $task->[NOTED]);
			} else {
				my $waker = waker($self, $task, $runs, $cpu, 0, $ts);
				$waker->{late} = 1;
				# The waking, before it, is missing; of a task that is not known as events were lost it
				# may be among these.
				$waker->{unsure} = 1 if $task->[STATE] == UNKNOWN
					&& $self->{has_lost}[$source] && _has_wakings($self, $source);
				wakes($self, $task, $ts, $waker);
			}
		} elsif ($task->[STATE] == RUNS) {
			$task->[NOTED] = undef if $task->[NOTED];	# it had not left
		}
		return;
	};
}

sub _wakeup_new {
	my ($self) = @_;
	return sub {
		my ($ts, $cpu, $pid, $comm, $prio, $by, $by_comm) = @_;
		my $source = Zed::source_index();
		my $runs = seen($self, $source, $ts, $cpu, $by, $by_comm);
		return if !$pid;
		my $before = delete $self->{tasks}[$source]{$pid};
		my $task = new_task($self, $source, $pid, $comm);
		if ($before) {
			$task->[LIFE] = $before->life + 1;
			$self->{replaced}->($before) if $self->{replaced};
		}
		@$task[PRIO, STATE, SINCE, WHY, WAKER] = ($prio, READY, $ts, 'new',
			waker($self, $task, $runs, $cpu, 0, $ts));
		stays($self, $task);
		return;
	};
}

sub _has_wakings {
	my ($self, $source) = @_;
	return $self->{has_wakings}[$source] //= grep { $_ eq 'sched::sched_waking' } Zed::events($source);
}

1;
