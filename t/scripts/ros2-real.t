# SPDX-License-Identifier: GPL-2.0-or-later
#
# ros2 of a recording of three programs: its numbers are those of the text of babeltrace2, line by line and thread by
# thread. Without it the analysis is right about traces that its own author made up.
#
# of: scripts/ros2.pl lib/Zed/Ros2.pm lib/Zed/Ros2
# runs: make check
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program;

my $tmp = zed_tmp();
my $shared = zed_shared();
plan skip_all => 'no full recordings here: set ZED_SHARED to the directory that holds data/' if !$shared || !-d "$shared/data/ctf";
system('tar', '--zstd', '-C', $tmp, '-xf', "$shared/data/ctf/ros2.tar.zst") == 0 or die "cannot unpack ros2\n";
system('zstd', '-dqf', "$shared/data/ctf/ros2.babeltrace2.txt.zst", '-o', "$tmp/ros2.txt") == 0 or die "cannot unpack ros2\n";

# ---------------------------------------------------------------- from the text

my (%lines, %written, @takes, %name);
open my $text, '<', "$tmp/ros2.txt" or die "$tmp/ros2.txt: $!\n";
while (<$text>) {
	my ($ts, $event, $tid, $pid, $comm, $fields) = /^timestamp = 0*(\d+).* name = (\S+), .*vtid = (\d+), vpid = (\d+), procname = "([^"]*)" \}, event.fields = \{ ?(.*)\}$/ or die "not read: $_";
	my %of = $fields =~ /(\w+) = ("[^"]*"|\w+)/g;
	$name{$pid} = $comm;
	push @{$lines{$tid}}, [$ts, $event, \%of];
	# The calls that publish stand right before the write, from the last one back.
	if ($event eq 'dds:write') {
		my @before = @{$lines{$tid}};
		my ($at, $rank, $message, $began) = (-2, 9);
		for (;; $at--) {
			last if -$at > @before;
			my ($when, $what, $has) = @{$before[$at]};
			next if $what eq 'dds:write_pre' && $rank == 9;
			my %rank = ('ros2:rclcpp_publish' => 1, 'ros2:rcl_publish' => 2, 'ros2:rmw_publish' => 3);
			last if !$rank{$what} || $rank{$what} >= $rank || defined $message && $message ne $has->{message};
			($rank, $message, $began) = ($rank{$what}, $has->{message}, $when);
		}
		$written{$of{timestamp}} = $began if defined $began;
	}
	push @takes, [$ts, $tid, $pid, $of{source_timestamp}, scalar @{$lines{$tid}}] if $event eq 'ros2:rmw_take' && $of{taken};
}
close $text;

# Of each program: calls of callbacks, and their time; periods; messages taken, and handled by the next callback of the
# thread, before it takes another one; waits and executions of the executor.
my %want;
sub add { my ($of, $what, $value) = @_; my $sum = $of->{$what} //= [0, 0]; $sum->[0]++; $sum->[1] += $value; return }
for my $tid (keys %lines) {
	my (%began, %last, $waits, $executes);
	my $of = $want{$tid} //= {};
	for (@{$lines{$tid}}) {
		my ($ts, $event, $has) = @$_;
		if ($event eq 'ros2:callback_start') {
			my $before = $last{$has->{callback}};
			add($of, periods => $ts - $before) if defined $before;
			$last{$has->{callback}} = $began{$has->{callback}} = $ts;
		} elsif ($event eq 'ros2:callback_end') {
			add($of, callbacks => $ts - delete $began{$has->{callback}});
		}
		if ($event =~ /executor/) {
			add($of, executed => $ts - $executes) if defined $executes;
			undef $executes;
			add($of, waits => $ts - $waits) if defined $waits && $event =~ /get_next/;
			undef $waits if $event =~ /get_next/;
		}
		$waits = $ts if $event =~ /wait_for_work/;
		$executes = $ts if $event =~ /executor_execute/;
	}
}
for (@takes) {
	my ($ts, $tid, $pid, $stamp, $next) = @$_;
	my $began = $written{$stamp} // next;
	add($want{$tid}, taken => $ts - $began);
	for my $line (@{$lines{$tid}}[$next .. $#{$lines{$tid}}]) {
		last if $line->[1] eq 'ros2:rmw_take';
		next if $line->[1] ne 'ros2:callback_start';
		add($want{$tid}, handled => $line->[0] - $began);
		last;
	}
}

# ---------------------------------------------------------------- by the analysis

my $r = zed_run('zedperl', "$tmp/ros2", 'ros2', '--json', '--by', 'task');
is("$r->{exit} $r->{err}", '0 ', 'it is read without a message');
my $tables = JSON::PP::decode_json($r->{out})->{tables};
for (['callbacks', 'callbacks', 'n', 'total'], ['periods', 'periods', 'n'], ['latency', 'taken', 'taken'], ['latency', 'handled', 'n', 'avg'], ['executors', 'waits', 'waits', 'wait'],
	['executors', 'executed', 'n', 'total']) {
	my ($table, $what, @columns) = @$_;
	my %is = map { $_->{pid} => join ' ', map { $_ // 0 } @$_{@columns} } @{$tables->{$table}{rows}};
	# The mean in place of the sum, where the table has that.
	$_->[1] /= $_->[0] for grep { $_ && $columns[-1] eq 'avg' } map { $_->{$what} } values %want;
	# A row has all columns, also those of which a thread has nothing.
	my %should = map { my $of = $want{$_}{$what}; $of ? ($_ => join ' ', @$of[0 .. $#columns]) : exists $is{$_} ? ($_ => join ' ', (0) x @columns) : () } keys %want;
	is_deeply(\%is, \%should, "$what of each thread: @columns");
}

$r = zed_run('zedperl', "$tmp/ros2", 'ros2', '--json');
$tables = JSON::PP::decode_json($r->{out})->{tables};
is_deeply([sort map { join ' ', @$_{qw(node of kind function)} } grep { $_->{n} > 100 } @{$tables->{callbacks}{rows}}],
	['/sink /topic_b subscription SinkNode::SinkNode::{lambda#1}', '/source timer 5.00 ms timer SourceNode::*', '/sync_one_to_one /topic_a subscription SyncOneToOneNode::*'],
	'the three callbacks by node, topic and function (else: their addresses)');
is_deeply([sort map { "$_->{of} $_->{from} $_->{node}" } grep { $_->{n} > 100 } @{$tables->{latency}{rows}}], ['/topic_a /source /sync_one_to_one', '/topic_b /sync_one_to_one /sink'],
	'messages: who to whom');

done_testing();
