# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tracing itself causes is told where it is more than 100 events a second, however the events leave the kernel: by
# the process number in each event (a file, zedtrace -o FILE: record-itself.t).  Without it '*' feeds itself, and nobody
# knows.
#
# of: programs/session record reader/live
# runs: make check
use strict;
use warnings;
use File::Spec ();
use IO::Socket::INET;
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program;

live_or_skip();
my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

# The events of PID in FILE, and for how many seconds it goes.
sub own_in {
	my ($file, $pid) = @_;
	my $own = 0;
	my $sum = eval { dat_events($file, sub { $own += $_[3] == $pid }) } or return (-1, 0);
	return ($own, ($sum->{last} - $sum->{first}) / 1e9);
}

# ---------------------------------------------------------------- zedperl --live

# Up to 16384 sub-buffers of a CPU all are looked at: what tracing causes comes in bursts, and of 1024 that number was too
# small by seven times.
my $count = 'our ($all, $own, $from, $to) = (0, 0); sub trace_unhandled { $all++; $own++ if Zed::pid() == $$; $to = Zed::ts(); $from //= $to }' .
	' sub trace_end { print "$all $own ", ($to - $from) / 1e9, "\n" }';
for my $case (['few events', ['sched,timer', '-d', 1], 0.1], ['many', ['*', '-d', 0.7, '-b', '8M'], 0.1, 'storm']) {
	my ($what, $words, $wrong, $storm) = @$case;
	my ($events, @more) = @$words;
	my $load = $storm ? storm_start(60) : undef;
	my $r = leaves_nothing("--live, $what", sub { zed_run({ time => 60, memory => 0 }, 'zedperl', "--live=$events", @more, '-e', $count) });
	storm_end($load) if $load;
	my ($all, $own, $seconds) = split ' ', $r->{out};
	my ($of, $said) = $r->{err} =~ /^zedperl: of (\d+) events, about (\d+) events are zedperl's own$/m;
	cmp_ok($own // 0, '>', 0, "--live, $what: it causes some") or diag $r->{err};
	# How many a second it causes hangs on how often it has a CPU: between 90 and 110 either may be right.
	my $rate = $own / $seconds;
	ok($rate < 110 && !defined $of || $rate > 90 && ($of // -1) == $all, "--live, $what: it is said of how many") or diag $rate, $r->{err};
	ok(!defined $said || abs($said - $own) <= 2 + $wrong * $own,
		"--live, $what: and that $own of them are its own (else: '*' feeds itself, and nobody knows)") or diag $r->{err};
}
my $r = zed_run({ time => 60 }, 'zedperl', '--live=sched:sched_process_hang', '-d', '0.3', '-e', $count);
unlike($r->{err}, qr/own/, '--live: of none nothing is said (else: a line that nobody needs)');

# ---------------------------------------------------------------- zedtrace -h

# Of full sub-buffers nothing is known: "at least".  What others do on a busy machine fills one after another, so the kernel
# leaves that out, and sub-buffers are larger than what zedtrace itself does between two looks: all of it is known.
my $only = 'for s in sched kmem irq timer net skb tcp sock napi; do set -- "$@" -F "$s: common_pid == $$" $s; done; exec "$0" "$@"';
my $counted = 0;
sub sent {
	my ($what, $port, $files) = @_;
	my $h = live_start('/bin/sh', '-c', $only, File::Spec->rel2abs(zed_bin('zedtrace')), '-h', "127.0.0.1:$port", '-s', '64K', '-b', '8M');
	my $inst = live_ready($h) // '';
	ok($inst, "$what: it records");
	# What it sends, and its waking up for that, makes events, so this takes no load.
	wait_until(60, sub { live_taken($inst) > 400 });
	live_signal($h, 'INT');
	my $c = live_end($h);
	my ($said) = $c->{err} =~ /^of these, at least (\d+) events are zedtrace's own$/m;
	my $file;
	wait_until(30, sub { ($file) = glob $files; $file && eval { dat_events($file)->{events} } });
	my ($own, $seconds) = own_in($file // '', $h->{pid});
	$counted++ if $said;
	# How many a second it causes hangs on how often it has a CPU: between 90 and 110 either may be right.
	my $rate = $seconds > 0 ? $own / $seconds : 0;
	ok($own > 400 && ($said ? $rate > 90 && $said > 0.5 * $own && $said <= $own : $rate < 110),
		"$what: of $own at least " . ($said // '-') . ' events are zedtrace\'s own, as it says') or diag $c->{err}, "$own in $seconds s";
	return;
}
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(zed stock);
my ($l, $port) = live_server({}, '-D', "$dir/zed");
sent('to zedtrace -l', $port, "$dir/zed/*/trace.dat");
live_signal($l, 'TERM');
live_end($l);
SKIP: {
	my $none = stock_missing();
	skip live_cannot($none), 1 if $none;
	my $p = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1)->sockport;
	my $stock = live_start({ dir => "$dir/stock" }, '/usr/bin/env', 'trace-cmd', 'listen', '-p', $p);
	live_listens($p) or diag('trace-cmd listen does not listen');
	sent('to trace-cmd listen', $p, "$dir/stock/trace.*.dat");
	live_signal($stock, 'TERM');
	live_end($stock);
}

cmp_ok($counted, '>', 0, 'and they are told (else: nothing was tried)');

# ---------------------------------------------------------------- zedtrace --flight

# Two files of a few milliseconds each, in which it sets itself up and writes the first one; a machine that lets it wait
# for long makes that few events a second, so it is tried again.
my $told = 0;
for my $try (1 .. 3) {
	my $pid;
	$r = leaves_nothing('--flight', sub {
		my $h = live_start('zedtrace', '--flight', '8M', '-o', "$dir/f$try.dat", 'sched', 'kmem', 'irq', 'timer');
		$pid = $h->{pid};
		live_ready($h) or diag('it does not start');
		wait_until(20, sub { live_catches($pid, POSIX::SIGUSR1()) });
		live_signal($h, 'USR1');
		wait_until(20, sub { -e "$dir/f$try.000001.dat" });
		live_signal($h, 'INT');
		live_end($h);
	});
	my %said = $r->{err} =~ m{/f\d\.(\d+)\.dat: of these, (\d+) events? (?:is|are) zedtrace's own$}mg;
	for my $n ('000001', '000002') {
		my ($own, $seconds) = own_in("$dir/f$try.$n.dat", $pid);
		my $rate = $seconds > 0 ? $own / $seconds : 0;
		$told++ if $said{$n};
		# What came behind the last event counts as time, too.
		ok($said{$n} ? $said{$n} == $own && $rate > 100 : $own >= 0, "--flight, file $n: $own events are told as its own where they are many") or diag $r->{err};
	}
	last if $told;
}
cmp_ok($told, '>', 0, '--flight: and they are (else: nobody knows that it traces itself)') or diag $r->{err};

done_testing();
