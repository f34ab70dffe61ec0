# SPDX-License-Identifier: GPL-2.0-or-later
#
# ros2: callbacks, messages and executors of made traces with known times. Without it a call is that of another node, as
# two processes have objects at one address, and a message is as old as another one.
#
# of: scripts/ros2.pl lib/Zed/Ros2.pm lib/Zed/Ros2
use strict;
use warnings;
use Test::More;
use lib 't/lib', 'lib';
use JSON::PP ();
use Compare::Windows;
use Run::Zedperl;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::Miniature;
use Write::Ros2;

my $dirs = 0;
sub made { return ros2_trace(temp_path('.ctf'), @_) }
sub rows { my ($r, $table, @keys) = @_; return [map { [@$_{@keys}] } @{$r->{data}{tables}{$table}{rows} // []}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} // $_->{text} } @{$r->{data}{notes}} } }

# Two processes with the same addresses. A publisher comes before its node, as rcl creates it for the node itself.
my $OBJECTS = <<'END';
1 0 10 rmw_publisher_init 0x21 | 2 0 10 rcl_publisher_init 0x20 0x10 0x21 /chatter 10 | 3 0 10 rcl_node_init 0x10 0x11 talker /
4 0 10 rcl_timer_init 0x30 5000000 | 5 0 10 rclcpp_timer_callback_added 0x30 0x40 | 6 0 10 rclcpp_callback_register 0x40 'A::tick(std::vector<int> const&)::{lambda(int)#1}'
7 0 10 rclcpp_timer_link_node 0x30 0x10
1 1 20 rcl_node_init 0x10 0x11 listener /robot | 2 1 20 rmw_subscription_init 0x21 | 3 1 20 rcl_subscription_init 0x20 0x10 0x21 /chatter 10
4 1 20 rclcpp_subscription_init 0x20 0x50 | 5 1 20 rclcpp_subscription_callback_added 0x50 0x40 | 6 1 20 rclcpp_callback_register 0x40 'std::_Bind<void (Listener::*(Listener*, std::_Placeholder<1>))(int)>'
7 1 20 rcl_service_init 0x60 0x10 0x61 /robot/stop | 8 1 20 rclcpp_service_callback_added 0x60 0x41 | 9 1 20 rcl_client_init 0x70 0x10 0x71 /map
END

# The talker's timer: each call publishes a message.
sub tick {
	my ($at, $stamp) = @_;
	return join "\n", map { my ($after, $what) = @$_; ($at + $after) . " 0 10 $what" } [0, 'callback_start 0x40 0'], [10, 'rclcpp_publish 0x99'],
		[11, 'rcl_publish 0x20 0x99'], [13, "rmw_publish 0x21 0x99 $stamp"], [30, 'callback_end 0x40'];
}

# The listener waits, takes the message with the STAMP, handles it.
sub hear {
	my ($at, $stamp) = @_;
	return join "\n", map { my ($after, $what) = @$_; ($at + $after) . " 1 20 $what" } [-50, 'rclcpp_executor_get_next_ready'], [-49, 'rclcpp_executor_wait_for_work -1'],
		[0, 'rclcpp_executor_get_next_ready'], [5, 'rclcpp_executor_execute 0x20'], [10, "rmw_take 0x21 0x88 $stamp 1"], [15, 'callback_start 0x40 0'],
		[75, 'callback_end 0x40'], [80, 'rclcpp_executor_get_next_ready'];
}

my $dir = made(join "\n", $OBJECTS, tick(1000, 7001), hear(1100, 7001), tick(6000, 7002), hear(6200, 7002), tick(11_010, 7003));
my $r = analysis('ros2', $dir);
is($r->{err}, '', 'no message of Zed::on, whichever events there are');
is_deeply(rows($r, 'callbacks', qw(node of kind function n total avg max)), [['/robot/listener', '/chatter', 'subscription', 'Listener::*', 2, 120_000, 60_000, 60_000],
	['/talker', 'timer 5.00 ms', 'timer', 'A::tick::{lambda#1}', 3, 90_000, 30_000, 30_000]], 'callbacks of two processes at one address') or diag $r->{err};
is_deeply(rows($r, 'periods', qw(node n avg max jitter jitter_max)), [['/talker', 2, 5_005_000, 5_010_000, 10_000, 10_000], ['/robot/listener', 1, 5_100_000, 5_100_000, undef, undef]],
	'periods, and by how much they differ from one to the next');
is_deeply(rows($r, 'latency', qw(of from node taken take_avg take_max call_avg n avg max)), [['/chatter', '/talker', '/robot/listener', 2, 150_000, 200_000, 5_000, 2, 155_000, 205_000]],
	'messages: from the call that publishes, to take, to callback');
is_deeply(rows($r, 'executors', qw(comm pid waits wait wait_max n total)), [['ros20', 20, 2, 98_000, 49_000, 2, 150_000]], 'an executor waits, and executes');
is_deeply(notes($r), { kernel => notes($r)->{kernel} }, 'nothing is missing but what the kernel did');
like(notes($r)->{kernel}, qr/zedtrace --for ros2 -d 10\z/, '... and how that is recorded');
is_deeply(rows(analysis('ros2', $dir, '--by', 'node'), 'callbacks', qw(node n)), [['/robot/listener', 2], ['/talker', 3]], '--by node');
is_deeply(rows(analysis('ros2', $dir, '--by', 'topic'), 'latency', qw(of n)), [['/chatter', 2]], '--by topic');
is_deeply(rows(analysis('ros2', $dir, '--by', 'task'), 'callbacks', qw(comm pid n)), [['ros20', 20, 2], ['ros10', 10, 3]], '--by task');
is(analysis('ros2', $dir, '--by', 'x')->{status}, 2, '--by x: 2');
$r = chosen(['--start', '1.0059'], 'ros2', $dir);
is_deeply(rows($r, 'callbacks', qw(node n)), [['/robot/listener', 1], ['/talker', 2]], 'a part: what was created before it is known (else: addresses)');
is_deeply(rows($r, 'periods', qw(node n)), [['/talker', 2], ['/robot/listener', 1]], '... and a period counts where it ends');

# What is ready together: the second waits behind the first. A response to a client has no callback events.
$r = analysis('ros2', made("$OBJECTS\n" . <<'END'));
100 1 20 rclcpp_executor_wait_for_work -1 | 200 1 20 rclcpp_executor_get_next_ready | 210 1 20 rclcpp_executor_execute 0x60 | 220 1 20 callback_start 0x41 0
290 1 20 callback_end 0x41 | 300 1 20 rclcpp_executor_get_next_ready | 310 1 20 rclcpp_executor_execute 0x70 | 350 1 20 rclcpp_executor_get_next_ready
351 1 20 rclcpp_executor_wait_for_work -1
END
is_deeply(rows($r, 'callbacks', qw(of kind n total behind)), [['/robot/stop', 'service', 1, 70_000, 0], ['/map', 'client', 1, 40_000, 100_000]],
	'a service, then a client behind it');

# What was created before the recording, was lost, or has no beginning or end.
$r = analysis('ros2', made("$OBJECTS\n" . <<'END'));
100 0 10 callback_start 0x77 0 | 130 0 10 callback_end 0x77 | 140 0 10 callback_end 0x40 | 150 0 10 callback_start 0x40 0 | 151 0 10 callback_start 0x78 0 | 160 0 10 callback_end 0x40
200 1 20 callback_start 0x40 0 | 210 1 lost 3 | 300 1 20 callback_end 0x40 | 310 1 20 rmw_take 0x21 0x88 9 1 | 320 1 20 rmw_take 0x29 0x88 9 1 | 400 1 20 callback_start 0x40 0
END
is_deeply(rows($r, 'callbacks', qw(node of kind total)), [[undef, 'callback 0x77 of process 10', 'unknown', 30_000], ['/talker', 'timer 5.00 ms', 'timer', 10_000]],
	'an unknown callback is called by its address; what a loss hides is left out') or diag $r->{err};
is_deeply([@{notes($r)}{qw(unknown begun open lost_calls unpublished running)}], [1, 2, 1, 1, 2, 1], 'and all of that is counted');
is($r->{data}{lost}{events}, 3, 'the loss itself');

# Within a process: from the call, through the buffer of each subscription.
$r = analysis('ros2', made(<<'END'));
1 0 10 rcl_node_init 0x10 0x11 both / | 2 0 10 rcl_publisher_init 0x20 0x10 0x21 /image 1 | 3 0 10 rcl_subscription_init 0x30 0x10 0x31 /image 1
4 0 10 rclcpp_buffer_to_ipb 0x80 0x81 | 5 0 10 rclcpp_ipb_to_subscription 0x81 0x82 | 6 0 10 rclcpp_subscription_callback_added 0x82 0x40 | 7 0 10 rclcpp_subscription_init 0x30 0x82
100 0 10 rclcpp_intra_publish 0x20 0x99 | 110 0 10 rclcpp_ring_buffer_enqueue 0x80 0 1 0 | 120 0 10 rclcpp_intra_publish 0x20 0x9a | 130 0 10 rclcpp_ring_buffer_enqueue 0x80 0 1 1
150 1 12/10 rclcpp_ring_buffer_dequeue 0x80 0 0 | 160 1 12/10 callback_start 0x40 1 | 190 1 12/10 callback_end 0x40
END
is_deeply(rows($r, 'latency', qw(of from node take_max call_max n max)), [['/image', '/both', '/both', 30_000, 10_000, 1, 40_000]], 'a message within a process: the one that took the place');
is(notes($r)->{overwritten}, 1, '... and that it did');
is_deeply(rows($r, 'callbacks', qw(node of kind n)), [['/both', '/image', 'subscription', 1]], 'whose callback is known, although the subscription came after it');

# States of nodes.
$r = analysis('ros2', made(<<'END'));
1 0 10 rcl_node_init 0x10 0x11 arm / | 2 0 10 rcl_lifecycle_state_machine_init 0x10 0x90 | 100 0 10 rcl_lifecycle_transition 0x90 unconfigured configuring
400 0 10 rcl_lifecycle_transition 0x90 configuring inactive | 500 0 10 rcl_lifecycle_transition 0x91 a b | 510 0 10 callback_start 0x1 0 | 511 0 10 callback_end 0x1
END
is_deeply(rows($r, 'lifecycle', qw(node from to n total max)), [['/arm', 'configuring', 'inactive', 1, 300_000, 300_000], ['/arm', 'unconfigured', 'configuring', 1, 0, undef],
	['state machine 0x91 of process 10', 'a', 'b', 1, 0, undef]], 'transitions, and how long the state before had lasted');

# Versions: before Jazzy the time stamp is that of an instrumented middleware, or there is none.
my %OLD = (rmw_publish => [qw(rmw_publisher_handle timestamp)]);
my $old = join "\n", $OBJECTS, map({ tick($_->[0], $_->[1]) =~ s/rmw_publish 0x21 0x99 (\d+)/rmw_publish 0x99/r } [1000, 7001], [6000, 7002]);
$r = analysis('ros2', made("$old\n1020 0 10 dds:write 0x1 7001\n6020 0 10 dds:write 0x1 7002\n6050 0 10 dds:write 0x1 7003\n" . hear(1100, 7001), %OLD));
is_deeply(rows($r, 'latency', qw(of from n avg)), [['/chatter', '/talker', 1, 105_000]], 'Humble, with dds:write; a write that nobody publishes is not a message');
is($r->{err}, '', '... without a message about fields that it does not have');
$r = analysis('ros2', made("$old\n" . hear(1100, 7001), %OLD));
is_deeply([rows($r, 'latency', 'of'), notes($r)->{unpublished}], [[], 1], 'without time stamps no age is made up');
like(notes($r)->{stamps}, qr/no event has the time stamps/, '... and why is said');
$r = analysis('ros2', made(<<'END', rclcpp_subscription_callback_added => ['subscription', '+p:subscription_handle']));
1 0 10 rcl_node_init 0x10 0x11 n / | 2 0 10 rcl_subscription_init 0x20 0x10 0x21 /t 10 | 3 0 10 rclcpp_subscription_callback_added 0x20 0x40 | 9 0 10 callback_start 0x40 0 | 10 0 10 callback_end 0x40
END
is_deeply(rows($r, 'callbacks', qw(node of kind)), [['/n', '/t', 'subscription']], 'Foxy: a callback is added to a handle of rcl');

# Names of functions.
require Zed::Ros2;
is(Zed::Ros2::short($_->[0]), $_->[1], "short: $_->[0]") for ['n::A::f(int, std::vector<A<int> >) const', 'n::A::f'], ['(anonymous namespace)::g()', '{anonymous}::g'],
	['A::A(std::vector<char, std::allocator<char> > const&)::{lambda(std::unique_ptr<B>)#1}', 'A::A::{lambda#1}'], ['plain', 'plain'], ['a>b)c', 'abc'], ['', ''];
is(length Zed::Ros2::short('a' x 1000), 163, 'a name that is long is cut (else: a line of a megabyte)');

# With the kernel's events of the same time, in another input: what the longest call waited for.
my $kernel = miniature(<<'END', clock => 'mono');
0 1 0 switch 0 R 20 | 1130 1 20 switch 20 R+ 5 | 1150 1 5 switch 5 S 20 | 1160 1 20 switch 20 S 0 | 1165 0 7 waking 20 | 1170 1 0 switch 0 R 20 | 2000 1 20 switch 20 S 0
END
$dir = made(join "\n", $OBJECTS, hear(1100, 7001));
$r = analysis('ros2', [$kernel, $dir]);
is_deeply(rows($r, 'parts', qw(call what time)), [[1, 'runs', 15_000], [1, 'preempted', 20_000], [1, 'runs', 10_000], [1, 'unknown', 5_000], [1, 'waits for a CPU', 5_000], [1, 'runs', 5_000]],
	'each step of the call: 15 + 20 + 10 + 5 + 5 + 5 us') or diag $r->{err}, explain $r->{data}{tables}{parts};
is_deeply(rows($r, 'longest', qw(call took node mostly)), [[1, 60_000, '/robot/listener', '30.0 us runs t20 20, 20.0 us preempted t20 20, 5.00 us unknown <...> 7']], '... and what most of it was');
ok(!exists notes($r)->{kernel}, '... so it is not said that it is missing');

# A session of LTTng has both in one directory.
my $SWITCH = <<'END';
event { name = "sched_switch"; id = 1; stream_id = 0; fields := struct {
	integer { size = 8; align = 8; signed = false; encoding = UTF8; } _prev_comm[16]; integer { size = 32; align = 8; signed = true; } _prev_tid;
	integer { size = 32; align = 8; signed = true; } _prev_prio; integer { size = 64; align = 8; signed = true; } _prev_state;
	integer { size = 8; align = 8; signed = false; encoding = UTF8; } _next_comm[16]; integer { size = 32; align = 8; signed = true; } _next_tid;
	integer { size = 32; align = 8; signed = true; } _next_prio; }; };
END
my @switches = map {
	my ($us, $prev, $state, $next) = @$_;
	[1, 1_000_000_000 + 1000 * $us, sub { $_[0]->bytes(pack 'a16', "t$prev")->int($prev, 32)->int(20, 32)->int($state, 64)->bytes(pack 'a16', "t$next")->int($next, 32)->int(20, 32) }, 'extended'];
} [1, 0, 0, 20], [1130, 20, 0x100, 5], [1150, 5, 1, 20], [2000, 20, 1, 0];
my $session = temp_path('.session');
ctf_write("$session/kernel", ctf_head(env => { domain => 'kernel', sysname => 'Linux', kernel_release => '5.15.0-1', hostname => 'h' }) . $SWITCH,
	chan_1 => ctf_packets({}, { begin => 1_000_000_000, end => 1_003_000_000, cpu => 1, events => \@switches }));
ros2_trace("$session/ust/uid/1000/64-bit", join "\n", $OBJECTS, hear(1100, 7001));
$r = analysis('ros2', $session);
is_deeply(rows($r, 'parts', qw(what time)), [['runs', 15_000], ['preempted', 20_000], ['runs', 25_000]], 'the kernel and the programs in one session') or diag $r->{err};

# By way of a state it is the same, also the steps.
for my $inputs ([$dir], [$kernel, $dir]) {
	my $state = temp_path('.state');
	my @inputs = map { ('-i', $_) } @$inputs;
	is(zedperl({ bare => 1 }, '--map', '-o', $state, @inputs, 'ros2')->{err}, '', 'a state of ' . @$inputs . ' inputs');
	my ($reduced, $whole) = map { zedperl({ bare => 1 }, @$_)->{out} } ['--reduce', 'ros2', $state, '--', '--json'], [@inputs, 'ros2', '--json'];
	# Others have the number of the input, which a state does not keep.
	my ($x, $y) = map { my $tables = JSON::PP::decode_json($_)->{tables}; JSON::PP->new->canonical->encode([@$tables{qw(callbacks periods latency parts)}]) } $reduced, $whole;
	is($x, $y, '... reduced alone it is their answer (else: -j has another one)');
}

# Windows, intervals: of many calls.
my $many = made(join "\n", $OBJECTS, map { my $at = 1000 * $_; (tick($at, 7000 + $_), hear($at + 100 + 7 * $_, 7000 + $_)) } 1 .. 40);
for my $o ({ table => 'callbacks', key => ['of'], ends => [qw(n total behind)], largest => ['max'] }, { table => 'periods', key => ['of'], ends => ['n'], largest => [qw(max jitter_max)] },
	{ table => 'latency', key => ['of'], ends => [qw(n taken)], largest => [qw(max take_max)] }, { table => 'executors', key => ['pid'], ends => [qw(n total waits wait)], largest => ['max'] }) {
	my %of = (of => $many, analysis => 'ros2', windows => 4, %$o);
	windows_add_up(\%of);
	intervals_are_windows(\%of) if $o->{table} eq 'callbacks';
	choice_has_its_rows(\%of, '--pid', 'pid') if $o->{table} eq 'executors';
}

done_testing();
