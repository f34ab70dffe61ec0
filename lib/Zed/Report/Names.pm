# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names: tasks that take a chosen name (--comm) in the trace: their events before that are not in the answer.
package Zed::Report::Names;
use strict;
use warnings;

use Zed::Asked;
use Zed::Report::Inputs;

our $VERSION = '0.1';

my $PIDS = 10;	# that a message names
my $NAMINGS = 10_000;	# tasks that are looked at

sub new { my ($class, %o) = @_; return bless { name => $o{script} }, $class }

sub watch {
	my ($self) = @_;
	return if !Zed::Asked::comms() || Zed::Report::Inputs::are_merged();
	my $named = $self->{named} = {};
	my $see = sub {
		my ($pid, $comm) = @_;
		$named->{join ' ', Zed::source_index(), $pid} //= $comm if keys %$named < $NAMINGS;
	};
	for (['sched:sched_process_fork' => qw(child_pid child_comm)], ['task:task_newtask' => qw(pid comm)],
		['sched:sched_process_exec' => qw(old_pid common_comm)], ['task:task_rename' => qw(pid oldcomm)]) {
		my ($event, @args) = @$_;
		Zed::on($event, args => \@args, follows => 1, optional => 1, $see);
	}
	return;
}

# Of the tasks that were seen under a name: those that have a chosen one now.
sub _took {
	my ($self) = @_;
	my $named = $self->{named} // return;
	my %took;
	for (keys %$named) {
		my ($source, $pid) = split / /;
		$took{$pid} = 1 if !Zed::Asked::comm($named->{$_}) && Zed::Asked::task_of($pid, $source);
	}
	return keys %took;
}

# The options that choose these tasks, whatever their name is.
sub by_pid {
	my ($self) = @_;
	my @pids = sort { $a <=> $b } _took($self);
	return @pids ? '--pid ' . join ',', @pids > $PIDS ? (@pids[0 .. $PIDS - 1], '...') : @pids : undef;
}

sub note_in {
	my ($self, $answer) = @_;
	my $by_pid = by_pid($self) // return;
	$answer->note('took_name', scalar(() = _took($self)), '{task|tasks} took a name that was chosen ' .
		'in the trace: what {it|they} did before is under {its|their} former {name|names} ' .
		"(zedperl $by_pid TRACE $self->{name}: all of {it|them})");
	return;
}

1;
