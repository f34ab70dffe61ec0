# SPDX-License-Identifier: GPL-2.0-or-later
#
# States: what a task is at after an event: it runs, is ready, or blocked.
package Zed::Tasks::States;
use strict;
use warnings;

use Exporter 'import';

use Zed::Task qw(:places :states);
use Zed::Tasks::Known qw(count counts stays);

our $VERSION = '0.1';
our @EXPORT_OK = qw(%LEAVES begins leaves enters wakes waker);

# The bits of common_flags that tell an interrupt from what it interrupted.
my $HARDIRQ = 0x08;
my $SOFTIRQ = 0x10;

# A task is seen to run whose switch-in was not.
sub begins {
	my ($self, $task, $cpu, $ts) = @_;
	count($self, $task->[SOURCE], 'begun', $task, $cpu);
	$task->[CAME] = $task->[CPU] if defined $task->[CPU];
	@$task[STATE, SINCE, CPU] = (RUNS, $ts, $cpu);
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# How a task leaves a CPU, by the letter of its state, unless it is preempted; all others block.
## no critic (ProhibitPackageVars) read for each switch
our %LEAVES = (R => 'resched', map { $_ => 'dead' } qw(X Z x z));
## use critic (ProhibitPackageVars)

sub leaves {
	my ($self, $task, $ts, $how, $letter) = @_;
	$letter //= '?';
	if ($how eq 'preempt' || $how eq 'resched') {
		@$task[STATE, SINCE, WHY] = (READY, $ts, $how);
		$task->[WAKER] = undef if $task->[WAKER];
		$task->[NOTED] = undef if $task->[NOTED];
	} elsif ($how eq 'dead') {
		@$task[STATE, SINCE, LETTER] = (DEAD, $ts, $letter);
		$task->[NOTED] = undef if $task->[NOTED];
	} else {
		@$task[STATE, SINCE, LETTER] = (BLOCKED, $ts, $letter);
	}
	stays($self, $task);
	return;
}

sub enters {
	my ($self, $task, $cpu, $ts, $prio) = @_;
	$task->[PRIO] = $prio if defined $prio;
	# Woken while it was still on its way to sleep, and no wakeup was seen since.
	wakes($self, $task, $task->[SINCE], $task->[NOTED]) if $task->[STATE] == BLOCKED && $task->[NOTED];
	if ($task->[STATE] == READY) {
		count($self, $task->[SOURCE], 'enqueued', $task, $cpu) if $task->[WAKER] && $task->[WAKER]{late};
		$self->{waited}->($task, $cpu, $task->[SINCE], $ts, $task->[WHY], $task->[WAKER])
			if $self->{waited} && ($self->{raw} || counts($self, $task, $cpu, $ts));
	} elsif ($task->[STATE] == BLOCKED) {
		count($self, $task->[SOURCE], 'unwoken', $task, $cpu);
	} elsif ($task->[STATE] == UNKNOWN) {
		count($self, $task->[SOURCE], 'begun', $task, $cpu);
	}
	$task->[CAME] = $task->[CPU] if defined $task->[CPU];
	@$task[STATE, SINCE, CPU] = (RUNS, $ts, $cpu);
	$task->[WAKER] = undef if $task->[WAKER];
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# A sleeping task is ready from TS on.
sub wakes {
	my ($self, $task, $ts, $waker) = @_;
	if ($task->[STATE] == BLOCKED) {
		count($self, $task->[SOURCE], 'ended_late', $task, $task->[CPU]) if $waker->{late};
		$self->{slept}->($task, $task->[SINCE], $ts, $task->[LETTER], $waker)
			if $self->{slept} && ($self->{raw} || counts($self, $task, $task->[CPU], $ts));
	} else {
		stays($self, $task);
	}
	@$task[STATE, SINCE, WHY, WAKER] = (READY, $ts, 'wake', $waker);
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# Who wakes is who runs there, TASK: its newest name is here.
sub waker {
	my ($self, $woken, $task, $cpu, $flags, $ts) = @_;
	my $waker = { task => $task, pid => $task->[PID], comm => $task->[COMM] // '<...>', cpu => $cpu, ts => $ts,
		in => !$flags ? '' : $flags & $HARDIRQ ? 'irq' : $flags & $SOFTIRQ ? 'softirq' : '' };
	$self->{woken}->($woken, $waker) if $self->{woken};
	return $waker;
}

1;
