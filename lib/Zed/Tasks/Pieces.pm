# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pieces: who ran on a CPU from when to when, cut to what is asked for, as the code of an analysis gets it.
package Zed::Tasks::Pieces;
use strict;
use warnings;

use Exporter 'import';

use Zed::Asked;
use Zed::Intervals;
use Zed::Task qw(:places);
use Zed::Tasks::Known qw(asks forget);

our $VERSION = '0.1';

# A CPU: who runs, since when, until when that is sure, and whether the switch to it was seen.
my %CPU;
BEGIN { %CPU = (CPU_TASK => 0, CPU_IN => 1, CPU_SURE => 2, CPU_SEEN => 3) }
use constant \%CPU;

our @EXPORT_OK = (qw(ran unknown breaks_off), keys %CPU);
our %EXPORT_TAGS = (cpu => [keys %CPU]);

sub ran {
	my ($self, $task, $cpu, $in, $out, $how, $seen) = @_;
	my ($from, $to) = ($in, $out);
	if (!$self->{raw}) {
		$task->late($in, sub { ran($self, $task, $cpu, $in, $out, $how, $seen) }) if $in < $Zed::Asked::FROM;
		($from, $to) = Zed::Asked::cut($in, $out) or return;
		return if !Zed::Asked::cpu($cpu);
		$how = undef if !Zed::Asked::at($out);
	}
	if (!$task->[PID]) {
		$self->{idle}->($task->[SOURCE], $cpu, $from, $to) if $self->{idle};
		return;
	}
	$self->{busy}->($task->[SOURCE], $cpu, $from, $to) if $self->{busy};
	$self->{ran}->($task, $cpu, $from, $to, $how, $seen ? $in : undef)
		if $self->{ran} && !$task->[LEFT_OUT] && ($self->{raw} || asks($self, $task));
	return;
}

# What is known of this CPU ends at SURE: who ran up to TS is not.
sub unknown {
	my ($self, $source, $cpu, $from, $to) = @_;
	return if !$self->{unknown} || $to <= $from;
	if (!$self->{raw}) {
		my @piece = ($source, $cpu, $from, $to);
		Zed::Intervals::late($from, sub { unknown($self, @piece) }) if $from < $Zed::Asked::FROM;
		($from, $to) = Zed::Asked::cut($from, $to) or return;
		return if !Zed::Asked::cpu($cpu);
	}
	$self->{unknown}->($source, $cpu, $from, $to);
	return;
}

# Who runs on CPU is known up to TS.
sub breaks_off {
	my ($self, $source, $cpu, $ts) = @_;
	my ($task, $in, undef, $seen) = @{$self->{cpus}[$source][$cpu]};
	ran($self, $task, $cpu, $in, $ts, 'lost', $seen) if $self->{switched}[$source];
	forget($task) if $task->[PID];
	$self->{cpus}[$source][$cpu] = undef;
	return;
}

1;
