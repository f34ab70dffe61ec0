# SPDX-License-Identifier: GPL-2.0-or-later
#
# Known: the tasks that Zed::Tasks knows, each input's by number: what they are called, which of them count, and what a
# loss makes unknown of all. $self is the Zed::Tasks here and in the modules beside it.
package Zed::Tasks::Known;
use strict;
use warnings;

use Exporter 'import';

use Zed::Asked;
use Zed::Task qw(:places :states);

our $VERSION = '0.1';
our @EXPORT_OK = qw(new_task task name count asks counts forget stays forget_staying sources);

# A task that was not seen before.  One that is left out is known only as long as it runs.
sub new_task {
	my ($self, $source, $pid, $comm) = @_;
	my $task = bless [$pid, $source, $comm, UNKNOWN], 'Zed::Task';
	if (_has_room($self, $source)) {
		$self->{tasks}[$source]{$pid} = $task;
	} else {
		$task->[LEFT_OUT] = 1;
	}
	return $task;
}

# No trace of a kernel has so many tasks, and names of them, for its size.
sub _has_room {
	my ($self, $source) = @_;
	return 0 if $self->{crowded}[$source];
	return 1 if Zed::_may_have(++$self->{known}[$source], $source);
	$self->{crowded}[$source] = 1;
	return 0;
}

sub task {
	my ($self, $source, $pid, $comm) = @_;
	my $task = $self->{tasks}[$source]{$pid} // new_task($self, $source, $pid, $comm);
	name($self, $task, $comm) if defined $comm && $comm ne ($task->[COMM] // '') && $comm ne '<...>';
	return $task;
}

# It is called COMM from now on.
sub name {
	my ($self, $task, $comm) = @_;
	$task->[COMM] = $comm if !defined $task->[COMM] || _has_room($self, $task->[SOURCE]);
	return;
}

sub count {
	my ($self, $source, $what, $task, $cpu) = @_;
	return if !Zed::Asked::at($self->{last}) || $task && !asks($self, $task) || defined $cpu
		&& !Zed::Asked::cpu($cpu);
	$self->{n}{$source}{$what}++;
	return;
}

# Is it asked for, as it is called now?
sub asks { my ($self, $task) = @_; return $self->{asks}->($task->[PID], $task->[COMM] // '<...>') }

# Does what TASK did on CPU, and what ends at TS, count, if only what was asked for does?
sub counts {
	my ($self, $task, $cpu, $ts) = @_;
	return Zed::Asked::at($ts) && Zed::Asked::cpu($cpu) && asks($self, $task);
}

# Nothing is known of it any longer.
sub forget {
	my ($task) = @_;
	$task->[STATE] = UNKNOWN;
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# It is ready or blocked from now on, which the next loss ends.
sub stays {
	my ($self, $task) = @_;
	return if $task->[LEFT_OUT];
	$self->{staying}[$task->[SOURCE]]{$task->[PID]} = 1;
	return;
}

# All waits and sleeps of an input: any of them may have ended unseen.
sub forget_staying {
	my ($self, $source) = @_;
	# Not of all tasks: losses may be as many as those.
	my $staying = $self->{staying}[$source] // {};
	$self->{staying}[$source] = {};
	for my $task (@{$self->{tasks}[$source] // {}}{keys %$staying}) {
		next if $task->[STATE] != READY && $task->[STATE] != BLOCKED;
		count($self, $source, $task->[STATE] == READY ? 'lost_waits' : 'lost_sleeps', $task);
		forget($task);
	}
	$self->{has_lost}[$source] = 1;
	return;
}

# The inputs that have switches, in the time that is asked for or not.
sub sources { my ($self) = @_; return grep { $self->{switched}[$_] } 0 .. $#{$self->{switched} // []} }

1;
