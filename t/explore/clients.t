# SPDX-License-Identifier: GPL-2.0-or-later
#
# Many, slow and vanishing clients of zedperl explore: as many processes as CPUs, none for whoever has gone, and no client
# keeps another out. Without it a page that was closed computes on, or one idle connection is the end of the server.
# of: programs/zedperl/explore
use strict;
use warnings;
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Test::More;
use lib 't/lib';
use Run::Explore;
use Run::Process;
use Run::Program;

local $SIG{PIPE} = 'IGNORE';
my $cpus = () = slurp('/proc/cpuinfo') =~ /^processor\s*:/mg;
$cpus = (POSIX::sysconf(84) // $cpus) if require POSIX;	# _SC_NPROCESSORS_ONLN
my $s = explore('t/data/demo.dat');

# A request for an answer that takes its time, as its process is stopped: (socket, pid).
sub slow {
	my ($server, @q) = @_;
	my %before = map { $_ => 1 } children($server->{pid});
	my $socket = dial($server);
	print {$socket} request($server, target($server, @q ? @q : ('answer', name => 'waits')));
	my $pid;
	wait_until(60, sub { ($pid) = grep { !$before{$_} } children($server->{pid}) }) or return $socket;
	kill STOP => $pid;
	return ($socket, $pid);
}

sub is_there { my ($pid) = @_; return slurp("/proc/$pid/stat") =~ /\) [^ZX]/ if -e "/proc/$pid/stat"; return 0 }

# ---- the client has gone

{
	my ($socket, $pid) = slow($s);
	ok(defined $pid && is_there($pid), 'a process makes the answer');
	my @own = wait_until(1, sub { my @c = children($pid); @c && \@c });
	close $socket;
	ok(wait_until(60, sub { !is_there($pid) }), 'it ends when its client has gone (else: closed pages compute on)');
	ok(wait_until(60, sub { !children($s->{pid}) }), 'and is no zombie');
	is(get($s, 'alive')->{status}, 200, 'the server goes on');
}
{	# With what it has started.
	my %before = map { $_ => 1 } children($s->{pid});
	my $socket = dial($s);
	print {$socket} request($s, target($s, 'answer', name => 'waits'));
	my ($pid, $analysis);
	ok(wait_until(60, sub { ($pid) = grep { !$before{$_} } children($s->{pid}); defined $pid and ($analysis) = children($pid) }), 'an analysis is a process of its own');
	kill STOP => $analysis;
	close $socket;
	ok(wait_until(60, sub { !is_there($pid) && !is_there($analysis) }), 'that ends, too');
}

# ---- a crash costs one answer

{
	my ($socket, $pid) = slow($s);
	kill ABRT => $pid;	# which no sanitizer takes
	kill CONT => $pid;
	my $r = parsed(hear($socket));
	is($r->{status}, 500, 'a process that crashed');
	like($r->{json}{error}, qr/signal 6/, 'is said');
	is(get($s, 'alive')->{status}, 200, 'and nothing else happened');
}

# ---- as many as CPUs, the others wait, in bounds

{
	my (@sockets, @pids);
	for (1 .. $cpus) {
		my ($socket, $pid) = slow($s);
		push @sockets, $socket;
		push @pids, $pid;
	}
	is(scalar children($s->{pid}), $cpus, "as many processes as CPUs ($cpus)");
	my @wait = map { my $socket = dial($s); print {$socket} request($s, target($s, 'events', count => 1)); $socket } 1 .. 32;
	# Each is admitted before the next look.
	is(get($s, 'alive')->{status}, 200, 'what needs no process is answered meanwhile');
	my $r = get($s, 'events', count => 1);
	is($r->{status}, 503, 'more than 32 may not wait (else: requests without bounds)');
	like($r->{json}{error}, qr/busy/, '... which is said');
	is(scalar children($s->{pid}), $cpus, 'still no more than that');
	# One that waits and goes gives its place to another.
	close shift @wait;
	ok(wait_until(60, sub {
		my $socket = dial($s);
		print {$socket} request($s, target($s, 'events', count => 1));
		my $got = hear($socket, 0.2);
		push @wait, $socket if $got =~ /\A \(late\)/;
		$got =~ /\A \(late\)/;
	}), 'one that has gone waits no more');
	kill CONT => @pids;
	my @status = map { parsed(hear($_))->{status} } @sockets, @wait;
	is_deeply(\@status, [(200) x @status], 'then all are answered');
	ok(wait_until(60, sub { !children($s->{pid}) }), 'and no process is left');
}

# ---- idle and slow clients

{
	my @idle = map { dial($s) } 1 .. 300;
	is(get($s, 'alive')->{status}, 200, '300 that say nothing keep nobody out') for 1 .. 3;
	my @slow = map { my $socket = dial($s); print {$socket} "GET /$s->{token}/al"; $socket } 1 .. 150;
	is(get($s, 'alive')->{status}, 200, 'nor 150 that never end their request') for 1 .. 3;
	my $fds = () = glob "/proc/$s->{pid}/fd/*";
	cmp_ok($fds, '<', 200, "and they do not add up ($fds open)");
}
{	# One that reads nothing of its answers.
	my @deaf = map { my $socket = dial($s); print {$socket} request($s, target($s, 'events', count => 1000, fields => 1)) x 20; $socket } 1 .. 2 * $cpus;
	is(get($s, 'events', count => 1)->{status}, 200, 'clients that do not read keep no process (else: two of them stop all)');
}
{	# Many of them.
	my @deaf = map {
		my $socket = dial($s);
		setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 4096;
		print {$socket} request($s, target($s, 'events', count => 1000, fields => 1)) x 20;
		wait_until(60, sub { !children($s->{pid}) }) if $_ % 8 == 0;
		$socket;
	} 1 .. 200;
	is(get($s, 'alive')->{status}, 200, 'many that do not read do not take all connections (else: the page does not open)');
	my $r;
	ok(wait_until(60, sub { $r = get($s, 'events', count => 1); $r->{status} eq 200 }), '... nor all answers');
	# Connections that were ended, and answers that are being made, have theirs for a moment.
	my $fds;
	ok(wait_until(30, sub { $fds = () = glob "/proc/$s->{pid}/fd/*"; $fds < 192 + 64 + 50 }), '... and what they do not read does not add up') or diag "$fds open";
}
{	# Several requests in one connection, as browsers send them.
	my $socket = dial($s);
	for (1 .. 5) {
		print {$socket} request($s, target($s, 'alive'));
		is(parsed(hear($socket))->{status}, 200, "request $_ of a connection");
	}
}

# ---- the server's end

{
	my ($socket, $pid) = slow($s);
	is(explore_end($s), 0, 'Ctrl-C ends it while it answers');
	ok(wait_until(60, sub { !is_there($pid) }), 'and the processes');
}
{
	$s = explore('t/data/demo.dat');
	my ($socket, $pid) = slow($s);
	is(explore_end($s, 'KILL'), 'signal 9', 'a server that was killed');
	ok(wait_until(60, sub { !is_there($pid) }), 'leaves no process behind');
}

done_testing();
