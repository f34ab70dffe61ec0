# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ros2: the objects of ROS 2 programs: which node, topic, timer or service a callback, a publisher and a subscription
# belong to. The programs tell it once, when an object is created; all later events only have its address.
package Zed::Ros2;
use strict;
use warnings;

use Zed::Ros2::Messages;
use Zed::Units;

our $VERSION = '0.1';

my $MOST = 160;	# characters of a function's name

# Of each process: {kind}{address}. An object is a hash: kind, of (a topic, a timer, a service), node_handle; node is
# found when it is asked for, as a node's event may come after those of what it creates itself.
sub new {
	my ($class) = @_;
	my $self = bless { processes => [], ids => [] }, $class;
	_listen($self);
	return $self;
}

# The handlers, for Zed::Asked::follow().
sub ids { return @{$_[0]{ids}} }

# Did events come without the context vpid, so that all processes of an input are one?
sub are_mixed { return $_[0]{mixed} // 0 }

# The process of the current event.
sub process {
	my ($self) = @_;
	my $vpid = Zed::field('context_vpid');
	$self->{mixed} = 1 if !defined $vpid;
	$vpid //= 0;
	return $self->{processes}[Zed::source_index()]{$vpid} //= { vpid => $vpid };
}

# A handler whose code gets the process, then the FIELDS: without one of them it is not called; then those of MORE, if
# they are given, which other versions of ROS 2 do not have: undef there.
sub on {
	my $code = pop;
	my ($self, $event, $fields, $more) = @_;
	push @{$self->{ids}}, Zed::on($event, follows => 1, optional => 1, args => $fields, sub {
		return if grep { !defined } @_;
		# Asked for by name here, a field that is missing is no reason for a message.
		$code->(process($self), @_, $more ? map { scalar Zed::field($_) } @$more : ());
	});
	return;
}

# Their messages: see Zed::Ros2::Messages.
sub messages { my ($self, %codes) = @_; return Zed::Ros2::Messages->new($self, %codes) }

# ---- what the programs tell ----

sub _listen {
	my ($self) = @_;
	on($self, 'ros2:rcl_node_init', [qw(node_handle node_name namespace)], sub {
		my ($process, $node, $name, $namespace) = @_;
		$process->{node}{$node} = ($namespace =~ s{/\z}{}r) . "/$name";
	});
	_listen_to_ends($self, $_) for qw(publisher subscription);
	on($self, 'ros2:rclcpp_subscription_init', [qw(subscription subscription_handle)], sub {
		my ($process, $address, $handle) = @_;
		$process->{rclcpp}{$address} = $process->{subscription}{$handle};
	});
	# Up to Foxy it has the handle of rcl.
	on($self, 'ros2:rclcpp_subscription_callback_added', ['callback'], [qw(subscription subscription_handle)], sub {
		my ($process, $callback, $address, $handle) = @_;
		_added($process, $callback, defined $handle ? (subscription => $handle) : (rclcpp => $address // ''));
	});
	_listen_to_services($self);
	_listen_to_timers($self);
	_listen_to_buffers($self);
	on($self, 'ros2:rclcpp_callback_register', [qw(callback symbol)], sub {
		my ($process, $callback, $symbol) = @_;
		$process->{function}{$callback} = short($symbol);
		delete $process->{known}{$callback};
	});
	return;
}

# A publisher or a subscription is created by the middleware first. If rcl does not follow, it is the middleware's own.
sub _listen_to_ends {
	my ($self, $kind) = @_;
	on($self, "ros2:rmw_${kind}_init", ["rmw_${kind}_handle"], sub {
		my ($process, $handle) = @_;
		$process->{"rmw_$kind"}{$handle} = { kind => $kind, of => '(middleware)' };
	});
	on($self, "ros2:rcl_${kind}_init", ["${kind}_handle", "rmw_${kind}_handle", 'node_handle', 'topic_name'], sub {
		my ($process, $handle, $below, $node, $topic) = @_;
		$process->{$kind}{$handle} = $process->{"rmw_$kind"}{$below} =
			{ kind => $kind, of => $topic, node_handle => $node };
	});
	return;
}

sub _listen_to_services {
	my ($self) = @_;
	for my $kind (qw(service client)) {
		on($self, "ros2:rcl_${kind}_init", ["${kind}_handle", 'node_handle', 'service_name'], sub {
			my ($process, $handle, $node, $name) = @_;
			$process->{$kind}{$handle} = { kind => $kind, of => $name, node_handle => $node };
		});
	}
	on($self, 'ros2:rclcpp_service_callback_added', [qw(callback service_handle)], sub {
		my ($process, $callback, $handle) = @_;
		_added($process, $callback, service => $handle);
	});
	return;
}

sub _listen_to_timers {
	my ($self) = @_;
	on($self, 'ros2:rcl_timer_init', [qw(timer_handle period)], sub {
		my ($process, $handle, $period) = @_;
		$process->{timer}{$handle} = { kind => 'timer', of => 'timer ' . Zed::Units::shown('us', $period) };
	});
	on($self, 'ros2:rclcpp_timer_link_node', [qw(timer_handle node_handle)], sub {
		my ($process, $handle, $node) = @_;
		my $timer = $process->{timer}{$handle} // return;
		@$timer{qw(node_handle node)} = ($node, undef);
	});
	on($self, 'ros2:rclcpp_timer_callback_added', [qw(callback timer_handle)], sub {
		my ($process, $callback, $handle) = @_;
		_added($process, $callback, timer => $handle);
	});
	return;
}

# Messages between the nodes of one process go through ring buffers.
sub _listen_to_buffers {
	my ($self) = @_;
	on($self, 'ros2:rclcpp_buffer_to_ipb', [qw(buffer ipb)], sub {
		my ($process, $buffer, $ipb) = @_;
		$process->{ipb}{$buffer} = $ipb;
	});
	on($self, 'ros2:rclcpp_ipb_to_subscription', [qw(ipb subscription)], sub {
		my ($process, $ipb, $subscription) = @_;
		$process->{subscription_of}{$ipb} = $subscription;
	});
	return;
}

# The address of a callback may have been another's.
sub _added {
	my ($process, $callback, $kind, $address) = @_;
	$process->{owner}{$callback} = [$kind, $address];
	delete $process->{known}{$callback};
	return;
}

# ---- what is asked ----

sub publisher { my ($process, $handle) = @_; return $process->{publisher}{$handle} }
sub rmw_publisher { my ($process, $handle) = @_; return $process->{rmw_publisher}{$handle} }
sub rmw_subscription { my ($process, $handle) = @_; return $process->{rmw_subscription}{$handle} }
sub client { my ($process, $handle) = @_; return $process->{client}{$handle} }

# The subscription that a buffer holds messages for.
sub buffered {
	my ($process, $buffer) = @_;
	my $ipb = $process->{ipb}{$buffer} // return undef;	## no critic (ProhibitExplicitReturnUndef)
	return $process->{rclcpp}{$process->{subscription_of}{$ipb} // ''};
}

# The name of the node that an object belongs to, with its namespace; undef: unknown.
sub node {
	my ($process, $object) = @_;
	return $object->{node} //= defined $object->{node_handle} ? $process->{node}{$object->{node_handle}} : undef;
}

# A callback: kind, of, node, function; object: what it belongs to, undef if that is not in the trace.
sub callback {
	my ($process, $address) = @_;
	return $process->{known}{$address} // _look_up($process, $address);
}

sub _look_up {
	my ($process, $address) = @_;
	my ($kind, $of) = @{$process->{owner}{$address} // []};
	my $object = defined $kind ? $process->{$kind}{$of} : undef;
	return { kind => 'unknown', of => unknown($process, 'callback', $address), node => undef,
		function => $process->{function}{$address} } if !$object;
	return $process->{known}{$address} = { kind => $object->{kind}, of => $object->{of}, object => $object,
		node => scalar node($process, $object), function => $process->{function}{$address} };
}

# Of an object whose creation is not in the trace.
sub unknown {
	my ($process, $what, $address) = @_;
	$address = sprintf '0x%x', $address if $address =~ /\A\d+\z/a;
	return "$what $address of process $process->{vpid}";
}

# ---- names of functions ----

# A C++ name without its arguments, in one pass: "N::f(int, std::vector<A>)::{lambda(int)#1}" is N::f::{lambda#1}. What
# std::bind() was given has only the class in its name: A::*.
sub short {
	my ($name) = @_;
	return "$1::*" if $name =~ /^std::_Bind(?:_front)?<.{0,200}?\(([\w:]+)::\*/s;
	my ($short, $depth) = ('', 0);
	for (split /([<>()])/, $name =~ s/\(anonymous namespace\)/{anonymous}/gr) {
		if ($_ eq '<' || $_ eq '(') {
			$depth++;
		} elsif ($_ eq '>' || $_ eq ')') {
			$depth-- if $depth;
		} elsif (!$depth) {
			$short .= $_;
		}
	}
	$short =~ s/ const\b//g;
	return length $short > $MOST ? substr($short, 0, $MOST) . '...' : $short;
}

1;

__END__

=head1 NAME

Zed::Ros2 - the objects of ROS 2 programs: nodes, topics, timers, services, and their callbacks

=head1 SYNOPSIS

    use Zed::Ros2;

    my $ros = Zed::Ros2->new;

    $ros->on('ros2:callback_start', ['ts', 'callback'], sub {
        my ($process, $ts, $address) = @_;
        my $callback = Zed::Ros2::callback($process, $address);

        print "$ts $callback->{kind} $callback->{of}\n";
    });

=head1 DESCRIPTION

ROS 2 is traced by LTTng. When a program creates a node, a publisher, a subscription, a timer or a service, an event has
its name and its address; events of a callback that runs have only the address. This module keeps the objects of
each process (by the context C<vpid>), and says what an address was at the time of the current event: an address may be
used again.

An object whose creation is not in the trace, as the recording began later or events were lost, is called by its
address and its process.

=head1 METHODS

=over

=item Zed::Ros2->new

Adds the handlers; they get the events before the chosen time, too.

=item $ros->on(EVENT, FIELDS, [MORE,] CODE)

As Zed::on(), with C<< follows => 1 >> and C<< optional => 1 >>; the arguments of CODE are the process, FIELDS and MORE,
which are references to arrays. Events that lack one of FIELDS are left out; a field of MORE is undef there.

=item $ros->ids

The numbers of all of these handlers, for Zed::Asked::follow().

=item $ros->messages(taken => CODE, overwritten => CODE)

Follows messages from where they are published to where they are taken. C<taken> is called with (PROCESS, TS, CPU, PID,
COMM, MESSAGE), where MESSAGE is a reference to a hash: C<taken> (its time), C<subscription> (an object, undef if
unknown), C<handle> (its address, or that of the buffer), and, if it is known who published it, C<published> (the
time), C<publisher> (an object, or undef) and C<process>, the publisher's. C<overwritten> is called with (TS, CPU, PID)
when a message within a process takes the place of one that was not taken. The object that is returned has the
methods C<taken_by(PID)>: the message that this task has taken and not yet handled, which is forgotten then;
C<lost(SOURCE)>, for trace_lost; C<are_stamped>: do the events have the time stamps by which a message is recognized?

=item $ros->are_mixed

Were there events without the context C<vpid>? Then all processes of an input count as one.

=back

=head1 FUNCTIONS

=over

=item callback(PROCESS, ADDRESS)

A reference to a hash: C<kind> (subscription, timer, service or unknown), C<of> (the topic, C<timer 5.00 ms>, the
service, or the address), C<node> and C<function> (undef if unknown), C<object>, what it belongs to (undef if unknown).

=item publisher(PROCESS, ADDRESS), client(PROCESS, ADDRESS)

=item rmw_publisher(PROCESS, ADDRESS), rmw_subscription(PROCESS, ADDRESS)

=item buffered(PROCESS, ADDRESS)

An object: a hash with C<kind> and C<of>; undef if it is unknown. The first two have an address of rcl, the next two one
of the middleware (rmw), the last that of a buffer of messages within a process.

=item node(PROCESS, OBJECT)

The name of its node with the namespace, C</ns/name>; undef if unknown.

=item unknown(PROCESS, WHAT, ADDRESS)

What an object is called that is unknown.

=item short(NAME)

The name of a C++ function without its arguments.

=back

=head1 SEE ALSO

zedperl-scripts(7), ros2.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
