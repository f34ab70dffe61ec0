# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Ros2: traces of ROS 2 programs as LTTng writes them, from lines of text, for tests.
#
#	my $dir = ros2_trace("$tmp/robot", '100 0 10 rcl_node_init 0x10 0x11 talker / | 200 0 12/10 callback_start 0x40 0');
#	# TIME in us, CPU, THREAD[/PROCESS] EVENT, its fields in their order ('...' if there are blanks), in any order;
#	# TIME CPU lost N: N events are lost there
package Write::Ros2;
use strict;
use warnings;
use Exporter 'import';
use Write::Ctf qw(ctf_head ctf_packets ctf_write);

our @EXPORT = qw(ros2_trace);

my $BASE = 1_000_000_000;	# ns, of time 0: that of Write::Miniature

# The events of tracetools 8 (tp_call.h), and that of an instrumented Cyclone DDS: p an address, i 32 bits, l 64 bits,
# s a string.
my %FIELDS = (
	rcl_node_init => [qw(p:node_handle p:rmw_handle s:node_name s:namespace)],
	rmw_publisher_init => [qw(p:rmw_publisher_handle)],
	rcl_publisher_init => [qw(p:publisher_handle p:node_handle p:rmw_publisher_handle s:topic_name l:queue_depth)],
	rclcpp_publish => [qw(p:message)],
	rclcpp_intra_publish => [qw(p:publisher_handle p:message)],
	rcl_publish => [qw(p:publisher_handle p:message)],
	rmw_publish => [qw(p:rmw_publisher_handle p:message l:timestamp)],
	rmw_subscription_init => [qw(p:rmw_subscription_handle)],
	rcl_subscription_init => [qw(p:subscription_handle p:node_handle p:rmw_subscription_handle s:topic_name l:queue_depth)],
	rclcpp_subscription_init => [qw(p:subscription_handle p:subscription)],
	rclcpp_subscription_callback_added => [qw(p:subscription p:callback)],
	rmw_take => [qw(p:rmw_subscription_handle p:message l:source_timestamp i:taken)],
	rcl_service_init => [qw(p:service_handle p:node_handle p:rmw_service_handle s:service_name)],
	rclcpp_service_callback_added => [qw(p:service_handle p:callback)],
	rcl_client_init => [qw(p:client_handle p:node_handle p:rmw_client_handle s:service_name)],
	rcl_timer_init => [qw(p:timer_handle l:period)],
	rclcpp_timer_callback_added => [qw(p:timer_handle p:callback)],
	rclcpp_timer_link_node => [qw(p:timer_handle p:node_handle)],
	rclcpp_callback_register => [qw(p:callback s:symbol)],
	callback_start => [qw(p:callback i:is_intra_process)],
	callback_end => [qw(p:callback)],
	rcl_lifecycle_state_machine_init => [qw(p:node_handle p:state_machine)],
	rcl_lifecycle_transition => [qw(p:state_machine s:start_label s:goal_label)],
	rclcpp_executor_get_next_ready => [],
	rclcpp_executor_wait_for_work => [qw(l:timeout)],
	rclcpp_executor_execute => [qw(p:handle)],
	rclcpp_ipb_to_subscription => [qw(p:ipb p:subscription)],
	rclcpp_buffer_to_ipb => [qw(p:buffer p:ipb)],
	rclcpp_ring_buffer_enqueue => [qw(p:buffer l:index l:size i:overwritten)],
	rclcpp_ring_buffer_dequeue => [qw(p:buffer l:index l:size)],
	'dds:write' => [qw(p:writer l:timestamp)],
);
my %TYPE = (p => 'integer { size = 64; align = 8; signed = 0; base = 16; }', i => 'integer { size = 32; align = 8; signed = 1; }',
	l => 'integer { size = 64; align = 8; signed = 1; }', s => 'string');
my %BITS = (p => 64, i => 32, l => 64);
my $CONTEXT = <<'END';
	event.context := struct {
		integer { size = 32; align = 8; signed = 1; } _vtid;
		integer { size = 32; align = 8; signed = 1; } _vpid;
		integer { size = 8; align = 8; signed = 1; encoding = UTF8; } _procname[17];
	};
END

# The fields of EVENT, where the version of ROS 2 lacks some, "name", or has others before them, "+p:name".
sub fields_of {
	my ($event, @differ) = @_;
	my %lacks = map { $_ => 1 } @differ;
	return [map({ /^\+(.*)/ ? $1 : () } @differ), grep { !$lacks{s/^.://r} } @{$FIELDS{$event}}];
}

# DIFFER: event => [how its fields differ].  Returns DIR.
sub ros2_trace {
	my ($dir, $text, %differ) = @_;
	my %fields = map { $_ => fields_of($_, @{$differ{$_} // []}) } keys %FIELDS;
	my $id = 0;
	my %id = map { $_ => $id++ } sort keys %fields;
	my $metadata = ctf_head(with => $CONTEXT, env => { domain => 'ust', tracer_name => 'lttng-ust' });
	for my $event (sort keys %fields) {
		my $name = $event =~ /:/ ? $event : "ros2:$event";
		$metadata .= "event { name = \"$name\"; id = $id{$event}; stream_id = 0; fields := struct {"
			. join('', map { my ($type, $field) = /^(.):(.*)/; " $TYPE{$type} _$field;" } @{$fields{$event}}) . " }; };\n";
	}
	my (%packets, %lost, %at);
	for (sort { ($a =~ /(\d+)/)[0] <=> ($b =~ /(\d+)/)[0] } grep { /\S/ } split /[|\n]/, $text) {
		my ($us, $cpu, $who, $event, @values) = map { s/^'(.*)'\z/$1/r } /'[^']*'|\S+/g;
		my $at = $BASE + 1000 * $us;
		my $packets = $packets{$cpu} //= [{ begin => $BASE, events => [], number => 0, lost => 0 }];
		my $packet = $packets->[-1];
		$packet->{end} = $at;
		if ($who eq 'lost') {
			$packet->{lost} = $lost{$cpu} += $event;
			push @$packets, { begin => $at, end => $at, events => [], number => scalar @$packets, lost => $lost{$cpu} };
			next;
		}
		my ($tid, $pid) = split m{/}, $who;
		my @fields = @{$fields{$event} // die "Write::Ros2: no event '$event'\n"};
		die "Write::Ros2: '$_' has @{[scalar @fields]} fields\n" if @fields != @values;
		push @{$packet->{events}}, [$id{$event}, $at, sub {
			my ($w) = @_;
			$w->int($tid, 32)->int($pid // $tid, 32)->bytes(pack 'a17', 'ros' . ($pid // $tid));
			for my $i (0 .. $#fields) {
				my ($type) = $fields[$i] =~ /^(.)/;
				my $value = $values[$i] =~ /^0x/ ? hex $values[$i] : $values[$i];
				$type eq 's' ? $w->string($value) : $w->int($value, $BITS{$type});
			}
		}, 'extended'];
	}
	return ctf_write($dir, $metadata, map { my $cpu = $_; ("chan_$cpu" => ctf_packets({}, map { { %$_, cpu => $cpu } } grep { @{$_->{events}} || $_->{number} } @{$packets{$cpu}})) }
		keys %packets);
}

1;
