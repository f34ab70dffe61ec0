# SPDX-License-Identifier: GPL-2.0-or-later
#
# Turns: who runs on each CPU and since when, by its switches and by what other events tell, across losses and switches
# that were not recorded.
package Zed::Tasks::Turns;
use strict;
use warnings;

use Exporter 'import';

use Zed::Ends;
use Zed::Task qw(:places :states);
use Zed::Tasks::End qw(cut);
use Zed::Tasks::Known qw(count counts forget forget_staying task);
use Zed::Tasks::Pieces qw(:cpu breaks_off ran unknown);
use Zed::Tasks::States qw(begins);

our $VERSION = '0.1';
our @EXPORT_OK = qw(seen first missing);

# The task that runs on CPU: PID, as an event there tells.  Another than was thought: a switch is missing, and nothing
# was lost.  LTTng's events do not tell before the first switch: -1.
sub seen {
	my ($self, $source, $ts, $cpu, $pid, $comm) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	my $on = $self->{cpus}[$source][$cpu];
	if ($pid < 0) {
		return $on ? $on->[CPU_TASK] : bless [-1, $source, undef, UNKNOWN], 'Zed::Task';
	} elsif (!$on) {
		$on = first($self, $source, $ts, $cpu, $pid, $comm);
	} elsif ($on->[CPU_TASK][PID] == $pid) {
		$on->[CPU_SURE] = $ts;
	} else {
		missing($self, $source, $ts, $cpu, $pid, $comm);
	}
	return $on->[CPU_TASK];
}

# The first that is seen of a CPU.
sub first {
	my ($self, $source, $ts, $cpu, $pid, $comm) = @_;
	cut($self, $source) if !$self->{met_cpus}[$source];
	$self->{met_cpus}[$source][$cpu] = 1;
	my $begin = _begin($self, $source, $cpu, $ts);
	my $task = task($self, $source, $pid, $pid ? $comm : '<idle>');
	begins($self, $task, $cpu, $begin) if $pid;
	return $self->{cpus}[$source][$cpu] = [$task, $begin, $ts];
}

# The task that ran here left at an unknown time after its own last record, and the other one came before its own first
# record. These are records of any event; Zed::pid_since has their times.
sub missing {
	my ($self, $source, $ts, $cpu, $pid, $comm) = @_;
	my $on = $self->{cpus}[$source][$cpu];
	my ($was, $in, $sure, $seen) = @$on;
	my ($since, $before, $before_pid) = Zed::pid_since();
	if (!defined $since || $since < $sure || Zed::pid() != $pid) {
		$since = $ts;
	} elsif (defined $before && $before_pid == $was->[PID] && $before > $sure) {
		$sure = $before;
	}
	if ($self->{switched}[$source]) {
		count($self, $source, 'missing');
		$self->{missed}[$source]{$was->[PID]} = 1 if !$was->[LEFT_OUT];
		ran($self, $was, $cpu, $in, $sure, 'unseen', $seen);
	}
	forget($was) if $was->[PID];
	unknown($self, $source, $cpu, $sure, $since);
	my $task = task($self, $source, $pid, $pid ? $comm : '<idle>');
	@$on = ($task, $since, $ts);
	return if !$pid;
	$self->{waited_unseen}->($task, $task->[SINCE], $sure, $task->[WHY], $task->[WAKER])
		if $self->{waited_unseen} && $self->{switched}[$source]
		&& $task->[STATE] == READY && $task->[SINCE] < $sure
		&& ($self->{raw} || counts($self, $task, $cpu, $sure));
	begins($self, $task, $cpu, $since);
	return;
}

# When the records of a CPU begin, or begin again after a loss: who is seen to leave it first has run since then.
sub _begin {
	my ($self, $source, $cpu, $ts) = @_;
	my $again = $self->{again}[$source][$cpu];
	return $again if defined $again;
	my $begin = Zed::Ends::first($source, $cpu);
	return defined $begin && $begin < $ts ? $begin : $ts;
}

# After a loss: any switch of that CPU, and any waking that was done on it, may be among what was lost.
sub lost {
	my ($self, $cpu) = @_;
	my ($ts, $source) = eval { (Zed::ts(), Zed::source_index()) };
	return if !defined $ts;	# known from statistics, at the end: it has no place
	$self->{last} = $ts;
	forget_staying($self, $source);
	if (my $on = $self->{cpus}[$source][$cpu]) {
		my $sure = $on->[CPU_SURE];
		breaks_off($self, $source, $cpu, $sure);
		unknown($self, $source, $cpu, $sure, $ts);
	}
	$self->{again}[$source][$cpu] = $ts;
	# The event after the loss, whatever it is, says who runs there.
	my $pid = Zed::pid();
	first($self, $source, $ts, $cpu, $pid, Zed::comm()) if $pid >= 0;
	return;
}

1;
