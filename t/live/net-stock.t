# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h to a stock trace-cmd listen.  (trace-cmd record -N is not run, as it changes settings of the whole machine:
# t/record/net.t speaks in its place.)
#
# of: record/net programs/zedtrace
# runs: make check
# Without it: one of ours cannot send to the servers that are there.
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();

SKIP: {
	my $missing = stock_missing();
	skip live_cannot($missing), 5 if $missing;
	my $stock_dir = "$dir/stock";
	mkdir $stock_dir;
	my $p = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1)->sockport;
	my $stock = live_start({ dir => $stock_dir }, '/usr/bin/env', 'trace-cmd', 'listen', '-p', $p);
	live_listens($p) or diag('trace-cmd listen does not listen');
	my $r = zed_run('zedtrace', '-h', "127.0.0.1:$p", '-z', 'zstd', 'sched', '-d', '0.5');
	ok($r->{exit} == 2 && $r->{err} =~ /the server is trace-cmd listen, which takes no compressed data: record without -z, or start zedtrace -l there$/m,
		'-z zstd to trace-cmd listen: refused, with what to do') or diag($r->{err});
	# It makes ready for the next.
	wait_until(30, sub { slurp("/proc/$stock->{pid}/task/$stock->{pid}/children") eq '' });
	$r = zed_run('zedtrace', '-h', "127.0.0.1:$p", 'sched', '-d', '0.5');
	is($r->{exit}, 0, 'a stock trace-cmd listen takes what we send') or diag($r->{err});
	my $sent = live_report($r->{err}) // {};
	my $data;
	wait_until(30, sub {
		($data) = grep { -s } glob "$stock_dir/trace.*.dat";
		return $data && stock_count($data) == ($sent->{events} // -1);
	});
	ok($data, 'and makes a file of it');
	is($data ? stock_count($data) : 'none', $sent->{events}, 'in which trace-cmd report finds every event');
	is($data ? dat_events($data)->{events} : 'none', $sent->{events}, 'and another reader too');
	live_signal($stock, 'TERM');
	live_end($stock, 5);
}

done_testing();
