# SPDX-License-Identifier: GPL-2.0-or-later
#
# Messages: from the call that publishes a message to where it is taken. Between processes the two are one message by
# its source time stamp and topic; within a process by its place in a ring buffer.
package Zed::Ros2::Messages;
use strict;
use warnings;

our $VERSION = '0.1';

my $REMEMBERED = 50_000;	# messages that were published: of the last ones as many, at least

# A call that publishes, of a thread: when it began, the message's address, the layer that was seen last, the publisher.
use constant { BEGAN => 0, MESSAGE => 1, LAYER => 2, PUBLISHER => 3 };
# The layers call each other in this order, mostly with one message.
use constant { RCLCPP => 1, RCL => 2, RMW => 3 };

# ROS: the Zed::Ros2; CODES: taken, overwritten (Zed::Ros2::messages says what they get).
sub new {
	my ($class, $ros, %codes) = @_;
	my $self = bless { %codes, publishing => [], within => [], unhandled => [], slots => [], recent => {},
		older => {}, stamped => 0 }, $class;
	_listen_to_publishers($self, $ros);
	_listen_to_takers($self, $ros);
	_listen_to_buffers($self, $ros);
	return $self;
}

# Is there an event with the time stamps of published messages?
sub are_stamped { return $_[0]{stamped} }

# The message that the thread PID of the current input has taken, once.
sub taken_by { my ($self, $pid) = @_; return delete $self->{unhandled}[Zed::source_index()]{$pid} }

# What the threads of SOURCE were at is unknown; what was published before was.
sub lost {
	my ($self, $source) = @_;
	$self->{$_}[$source] = {} for qw(publishing within unhandled slots);
	return;
}

# ---- publishing ----

sub _listen_to_publishers {
	my ($self, $ros) = @_;
	my @who = qw(ts common_pid message);
	# The one or the other has the publisher.
	for (['ros2:rclcpp_publish', RCLCPP], ['ros2:rcl_publish', RCL]) {
		my ($event, $layer) = @$_;
		$ros->on($event, \@who, ['publisher_handle'], sub {
			my ($process, $ts, $pid, $message, $handle) = @_;
			_calls($self, $layer, $ts, $pid, $message,
				defined $handle ? Zed::Ros2::publisher($process, $handle) : undef);
		});
	}
	# Since tracetools 8.0 (Jazzy) it has the time stamp, too.
	$ros->on('ros2:rmw_publish', \@who, [qw(rmw_publisher_handle timestamp)], sub {
		my ($process, $ts, $pid, $message, $handle, $stamp) = @_;
		my $publisher = defined $handle ? Zed::Ros2::rmw_publisher($process, $handle) : undef;
		_calls($self, RMW, $ts, $pid, $message, $publisher);
		_published($self, $process, $pid, $stamp) if $stamp;
	});
	# Before that, middleware that is instrumented itself has it.
	$ros->on('dds:write', [qw(common_pid timestamp)], sub {
		my ($process, $pid, $stamp) = @_;
		_published($self, $process, $pid, $stamp) if $stamp;
	});
	return;
}

sub _calls {
	my ($self, $layer, $ts, $pid, $message, $publisher) = @_;
	my $threads = $self->{publishing}[Zed::source_index()] //= {};
	my $call = $threads->{$pid};
	$call = $threads->{$pid} = [$ts, $message]
		if !$call || $call->[LAYER] >= $layer || $call->[MESSAGE] ne $message;
	$call->[LAYER] = $layer;
	$call->[PUBLISHER] //= $publisher;
	return;
}

# The message that the thread is publishing has got its time stamp.
sub _published {
	my ($self, $process, $pid, $stamp) = @_;
	my $call = delete $self->{publishing}[Zed::source_index()]{$pid} // return;
	$self->{stamped} = 1;
	push @{$self->{recent}{$stamp}}, [$call->[BEGAN], $call->[PUBLISHER], $process];
	@$self{qw(recent older)} = ({}, $self->{recent}) if keys %{$self->{recent}} >= $REMEMBERED;
	return;
}

# When the message was published: time, publisher, its process. Two of one time stamp are told apart by their topics.
sub _find {
	my ($self, $stamp, $topic) = @_;
	my @with = map { @{$_->{$stamp} // []} } @$self{qw(recent older)};
	my ($same) = grep { defined $topic && $_->[1] && $_->[1]{of} eq $topic } @with;
	return $same // (grep { !defined $topic || !$_->[1] } @with)[0];
}

# ---- taking ----

sub _listen_to_takers {
	my ($self, $ros) = @_;
	my @fields = qw(ts cpu common_pid common_comm rmw_subscription_handle source_timestamp taken);
	$ros->on('ros2:rmw_take', \@fields, sub {
		my ($process, $ts, $cpu, $pid, $comm, $handle, $stamp, $taken) = @_;
		return taken_by($self, $pid) if !$taken;
		my $subscription = Zed::Ros2::rmw_subscription($process, $handle);
		_taken($self, $process, $ts, $cpu, $pid, $comm, { subscription => $subscription, handle => $handle },
			_find($self, $stamp, $subscription ? $subscription->{of} : undef));
	});
	return;
}

sub _taken {
	my ($self, $process, $ts, $cpu, $pid, $comm, $message, $publication) = @_;
	$message->{taken} = $ts;
	@$message{qw(published publisher process)} = @$publication if $publication;
	$self->{unhandled}[Zed::source_index()]{$pid} = $message;
	$self->{taken}->($process, $ts, $cpu, $pid, $comm, $message);
	return;
}

# ---- within a process ----

sub _listen_to_buffers {
	my ($self, $ros) = @_;
	$ros->on('ros2:rclcpp_intra_publish', [qw(ts common_pid publisher_handle)], sub {
		my ($process, $ts, $pid, $handle) = @_;
		$self->{within}[Zed::source_index()]{$pid} = [$ts, Zed::Ros2::publisher($process, $handle), $process];
	});
	# One for each subscription.
	$ros->on('ros2:rclcpp_ring_buffer_enqueue', [qw(ts cpu common_pid buffer index)], ['overwritten'], sub {
		my ($process, $ts, $cpu, $pid, $buffer, $index, $overwritten) = @_;
		my $source = Zed::source_index();
		$self->{overwritten}->($ts, $cpu, $pid) if $overwritten;
		$self->{slots}[$source]{"$process->{vpid} $buffer"}{$index} = $self->{within}[$source]{$pid};
	});
	$ros->on('ros2:rclcpp_ring_buffer_dequeue', [qw(ts cpu common_pid common_comm buffer index)], sub {
		my ($process, $ts, $cpu, $pid, $comm, $buffer, $index) = @_;
		my $publication = delete $self->{slots}[Zed::source_index()]{"$process->{vpid} $buffer"}{$index};
		_taken($self, $process, $ts, $cpu, $pid, $comm,
			{ subscription => scalar Zed::Ros2::buffered($process, $buffer), handle => $buffer },
			$publication);
	});
	$ros->on('ros2:rclcpp_ring_buffer_clear', ['buffer'], sub {
		my ($process, $buffer) = @_;
		delete $self->{slots}[Zed::source_index()]{"$process->{vpid} $buffer"};
	});
	return;
}

1;
