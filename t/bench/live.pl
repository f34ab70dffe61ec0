# SPDX-License-Identifier: GPL-2.0-or-later
#
# live.pl [NAME...]: the figures that the project promises for tracing the running kernel: storm, aggregate,
# million, file, start, cheap, traced, idle, latency.  Needs root, tracefs and two CPUs; perf and bpftrace for
# comparisons.  Loads last seconds and are ended by number.
# Run it on a machine that does nothing else.
use strict;
use warnings;
use File::Temp ();
use POSIX ();
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

my $bin = $ENV{ZED_BIN_DIR} // '.';
my $helpers = ($ENV{ZED_BUILD} // 'build/gcc') . '/t/bench';
my $work = 'build/bench';
my $rounds = $ENV{ROUNDS} // 5;
my $seconds = $ENV{SECONDS} // 10;
my %only = map { $_ => 1 } @ARGV;
my $root = live_root();
my ($dd) = grep { -x } map { "$_/dd" } split /:/, $ENV{PATH};
my $countall = 'scripts/countall.pl';
my $missed = 0;
my @made;

$ENV{LC_ALL} = 'C';
$ENV{PERF_EXEC_PATH} //= '/usr/lib/perf-core';
for my $helper (qw(measure storm splice)) {
	die "$helpers/$helper is not there: run make bench-live\n" if !-x "$helpers/$helper";
}
if (defined(my $why = Run::Live::why_not())) {
	print "No figures of live tracing here: $why\n";
	exit 0;
}
mkdir 'build';
mkdir $work;
my $nproc = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;

sub wanted { return !%only || $only{$_[0]} }
sub median { my @s = sort { $a <=> $b } @_; return $s[@s / 2] }

sub figure {
	my ($what, $value, $limit, $pass) = @_;
	printf "%-58s %-30s %-22s %s\n", $what, $value, $limit, defined $pass ? $pass ? 'ok' : 'MISSED' : '';
	$missed++ if defined $pass && !$pass;
	return;
}

sub events_of { my $n = 0; $n += $1 while $_[0] =~ /^\w+::\w+: (\d+)$/mg; return $n }
sub lost_of { my $n = 0; $n += $1 while $_[0] =~ /^cpu \d+: (\d+)/mg; return $n }
sub pipeline {
	my ($text, %env) = @_;
	return zed_run({ time => 120, memory => 0, env => { ZT => "$bin/zedtrace", ZP => "$bin/zedperl", W => $work, %env } }, 'sh', '-c', $text);
}

printf "%-58s %-30s %-22s\n", 'figure', 'measured', 'promised';

# ---------------------------------------------------------------- dd bs=1 at full speed
# Its number of system calls is known: two events for each read and each write.
my $COUNT = $ENV{STORM} // 1_500_000;
my @storm = ($dd, 'if=/dev/zero', 'of=/dev/null', 'bs=1', "count=$COUNT", 'status=none');
my @dd_calls = ($dd, 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=1000000', 'status=none');

# A handler that zedperl and perf both take: under perf its seventh argument is the command's name.
my $handlers = "$work/storm.pl";
put_text($handlers, join '', "my (%n, \$all);\n", (map {
	"sub raw_syscalls::$_ { \$all++; \$n{\@_ > 6 ? \$_[5] : Zed::pid()}++ }\n" } qw(sys_enter sys_exit)),
	"sub trace_end { my (\$most) = sort { \$b <=> \$a } values %n; print \$most // 0, \" \", \$all // 0, \"\\n\" }\n")
	if wanted('storm');

# {kernel: events that the kernel counted, dropped, given: events that handlers got, told: losses told to them}
sub storm_zed {
	my ($script, @opts) = @_;
	my $r = pipeline("\$ZT raw_syscalls @opts -o - -- @storm 2>\$W/storm.err | \$ZP -i - $script");
	my $report = live_report(slurp("$work/storm.err")) or die "no report:\n" . slurp("$work/storm.err");
	return { %$report, kernel => $report->{events} + $report->{dropped}, out => $r->{out},
		given => events_of($r->{out}), told => lost_of($r->{out}) };
}
sub percent { return 100 * $_[0] / ($_[1] || 1) }

if (wanted('storm')) {
	my (%lost, $uncounted, $known);
	my $perf = grep { -x "$_/perf" } split /:/, $ENV{PATH};
	for my $round (1 .. $rounds) {
		for my $o (['default buffers'], ['-b 16384', '-b', 16384]) {
			my ($what, @opts) = @$o;
			my $r = storm_zed($countall, @opts);
			push @{$lost{$what}}, percent($r->{dropped}, $r->{kernel});
			$uncounted += abs($r->{kernel} - $r->{given} - $r->{told});
			$known = $r->{kernel} if !defined $known || $r->{kernel} < $known;
		}
		my $same = storm_zed($handlers);
		my ($got) = split ' ', $same->{out};
		push @{$lost{zed}}, percent(4 * $COUNT - $got, 4 * $COUNT);
		next if !$perf;
		my $p = pipeline("perf record -o - -a -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- @storm 2>\$W/perf.err |" .
			" perf script -i - -s $handlers 2>>\$W/perf.err");
		($got) = $p->{out} =~ /^(\d+) \d+$/m;
		push @{$lost{perf}}, percent(4 * $COUNT - $got, 4 * $COUNT) if defined $got;
	}
	my $what = 'dd bs=1 at full speed, lost';
	figure("$what, default buffers", sprintf('%.2f %% (worst %.2f)', median(@{$lost{'default buffers'}}),
		(sort { $b <=> $a } @{$lost{'default buffers'}})[0]), 'at most 2 %', median(@{$lost{'default buffers'}}) <= 2);
	figure("$what, -b 16384", sprintf('%.2f %% (worst %.2f)', median(@{$lost{'-b 16384'}}),
		(sort { $b <=> $a } @{$lost{'-b 16384'}})[0]), 'none', !grep { $_ > 0 } @{$lost{'-b 16384'}});
	figure('events neither given to a handler nor told as lost', $uncounted, 'none', !$uncounted && $known >= 4 * $COUNT);
	figure("$what of dd's: zedtrace | zedperl, the same handlers", sprintf('%.2f %%', median(@{$lost{zed}})),
		$perf ? 'less than perf' : '', $perf && $lost{perf} ? median(@{$lost{zed}}) < median(@{$lost{perf}}) : undef);
	if (!$perf || !$lost{perf}) {
		print "no perf that runs Perl scripts to compare with: apt-get install linux-perf\n";
	} else {
		figure("$what of dd's: perf record | perf script", sprintf('%.2f %%', median(@{$lost{perf}})), '');
	}
}

# ---------------------------------------------------------------- the same storm, counted in C
if (wanted('aggregate')) {
	my $counted = "$work/counted.pl";
	put_text($counted, "my \$n = Zed::count('raw_syscalls:*', by => 'id');\nsub trace_end { print \$n->total, ' ', scalar(\$n->lost), \"\\n\"; \$n->print(limit => 3) }\n");
	my (@lost, $short);
	for my $round (1 .. $rounds) {
		my $r = storm_zed($counted);
		my ($total) = split ' ', $r->{out};
		push @lost, percent($r->{dropped}, $r->{kernel});
		$short++ if ($total // 0) + $r->{dropped} != $r->{kernel};
	}
	# The same calls measured from their start to their end; and by handlers with a hash, as a script without either would.
	my $pairs = "$work/pairs.pl";
	my $hash = "$work/hash.pl";
	put_text($pairs, "Zed::synthetic('sys::call', start => 'raw_syscalls:sys_enter', end => 'raw_syscalls:sys_exit', match => 'start.common_pid == end.common_pid', " .
		"fields => [took => 'end.ts - start.ts', id => 'end.id']);\nmy \$t = Zed::quantiles('sys:call', 'took', by => 'id');\n" .
		"sub trace_end { print eval { \$t->total->{count} } // 0, \"\\n\" }\n");
	put_text($hash, "my (%since, %took, \$n);\nsub raw_syscalls::sys_enter { \$since{Zed::pid()} = Zed::ts() }\n" .
		"sub raw_syscalls::sys_exit { my \$t = delete \$since{Zed::pid()} // return; \$n++; \$took{Zed::field('id')} += Zed::ts() - \$t }\n" .
		"sub trace_end { print \$n // 0, \"\\n\" }\n");
	my (%pair, $few);
	for my $round (1 .. $rounds) {
		for my $o ([pairs => $pairs], [hash => $hash]) {
			my ($what, $script) = @$o;
			my $r = storm_zed($script);
			push @{$pair{$what}}, percent($r->{dropped}, $r->{kernel});
			my ($n) = $r->{out} =~ /^(\d+)$/m;
			# Two calls for each byte.
			$few++ if $what eq 'pairs' && !$r->{dropped} && ($n // 0) < 2 * $COUNT;
		}
	}
	figure('dd bs=1 at full speed, measured as pairs, lost', sprintf('%.2f %% (worst %.2f)', median(@{$pair{pairs}}), (sort { $b <=> $a } @{$pair{pairs}})[0]),
		'none', !grep { $_ > 0 } @{$pair{pairs}});
	figure('... runs that lost none and measured fewer than dd made', $few // 0, 'none', !$few);
	figure('... the same by handlers with a hash, lost', sprintf('%.2f %%', median(@{$pair{hash}})), '');
	figure('dd bs=1 at full speed, counted by id, lost', sprintf('%.2f %% (worst %.2f)', median(@lost), (sort { $b <=> $a } @lost)[0]), 'none',
		!grep { $_ > 0 } @lost);
	figure('... runs in which some were neither counted nor lost', $short // 0, 'none', !$short);
}

# ---------------------------------------------------------------- a million events a second
# Spread over the CPUs; what one CPU did not manage in its time is in the count.
sub load_start {
	my ($rate, $time) = @_;
	return map {
		spawn({ stdout => "$work/load.$_" }, "$helpers/storm", int($rate / $nproc / 2), $time, $_);
	} 0 .. $nproc - 1;
}
sub load_end {
	reap($_) for @_;
	my ($calls, $time) = (0, 0);
	for my $cpu (0 .. $nproc - 1) {
		my ($n, $t) = split ' ', slurp("$work/load.$cpu");
		$calls += $n // 0;
		$time = $t if ($t // 0) > $time;
	}
	return $time ? 2 * $calls / $time : 0;
}

if (wanted('million')) {
	my $h = live_start({ stdout => "$work/million.out", env => { ZT => "$bin/zedtrace", ZP => "$bin/zedperl", W => $work } }, '/bin/sh', '-c',
		"\$ZT raw_syscalls -o - -d " . ($seconds + 1.5) . " 2>\$W/million.err | \$ZP -i - $countall");
	sleep 1;
	my $rate = load_end(load_start(1_000_000, $seconds));
	my $r = live_end($h, 60);
	my $out = slurp("$work/million.out");
	my $report = live_report(slurp("$work/million.err")) or die "no report:\n" . slurp("$work/million.err");
	figure(sprintf('%.2f million events a second for %d s, lost', $rate / 1e6, $seconds), "$report->{dropped} of " .
		($report->{events} + $report->{dropped}), 'none', !$report->{dropped} && $rate >= 0.98e6 && $r->{exit} == 0);
	figure('of these given to the handlers of countall.pl', events_of($out), 'all',
		events_of($out) == $report->{events} && $report->{events} >= 0.98e6 * $seconds);
}

# ---------------------------------------------------------------- recording to a file
# An instance like that of zedtrace, for the bare loop, with the same buffers, which wake it when they are as full.
my ($BUFFER_KB, $WAKES_AT) = (8192, 25);	# of a CPU; percent: SESSION_PERCENT
sub bare_instance {
	my $dir = "$root/instances/zedbench.$$";
	mkdir $dir or die "$dir: $!\n";
	push @made, $dir;
	for (['tracing_on', 0], ['trace_clock', 'mono'], ['buffer_size_kb', $BUFFER_KB], ['buffer_percent', $WAKES_AT],
		['events/raw_syscalls/enable', 1]) {
		put_text("$dir/$_->[0]", $_->[1]) or die "$dir/$_->[0]: $!\n";
	}
	return $dir;
}
sub read_events {
	my $n = 0;
	$n += slurp($_) =~ /^read events: (\d+)/m ? $1 : 0 for glob "$_[0]/per_cpu/cpu*/stats";
	return $n;
}

# CPU seconds of a recorder and the events it took, during a load of RATE events a second (0: none).
sub cost {
	my ($who, $rate, $time) = @_;
	my ($inst, @cmd, $events);
	my $to = "$work/record";
	system 'rm', '-rf', $to;
	mkdir $to;
	if ($who eq 'zedtrace') {
		@cmd = ("$bin/zedtrace", '-b', $BUFFER_KB, '-o', "$to/x.dat", 'raw_syscalls');
	} else {
		$inst = bare_instance();
		@cmd = ("$helpers/splice", $inst, $to);
	}
	my $pid = spawn({ stdout => '/dev/null', stderr => "$to/err" }, "$helpers/measure", "$to/measured", @cmd);
	my $child;
	wait_until(10, sub { ($child) = slurp("/proc/$pid/task/$pid/children") =~ /^(\d+)/ });
	put_text("$inst/tracing_on", '1') if $inst;
	live_ready({ pid => $child }) if !$inst;
	sleep 0.2;
	load_end(load_start($rate, $time)) if $rate;
	sleep 0.3;
	put_text("$inst/tracing_on", '0') if $inst;
	kill 'TERM', $child;
	reap($pid);
	my ($cpu) = split ' ', slurp("$to/measured");
	if ($inst) {
		$events = read_events($inst);
		rmdir $inst or die "$inst: $!\n";
		pop @made;
	} else {
		my $report = live_report(slurp("$to/err")) or die "no report:\n" . slurp("$to/err");
		$events = $report->{events};
	}
	system 'rm', '-rf', $to;
	return ($cpu, $events);
}

if (wanted('file')) {
	# What beginning and ending cost is the same for a short load and a long one: the difference is that of the events.
	# Dirty pages of one run would be written beside the next, at the cost of whoever writes then.
	my (%fixed, %per);
	for my $round (1 .. $rounds) {
		for my $who ($round % 2 ? qw(splice zedtrace) : qw(zedtrace splice)) {
			my ($none) = cost($who, 0);
			my ($short, $few) = cost($who, 1_000_000, 1);
			system 'sync';
			my ($long, $many) = cost($who, 1_000_000, 6);
			system 'sync';
			push @{$fixed{$who}}, $none;
			push @{$per{$who}}, ($long - $short) / (($many - $few) || 1) * 1e9;
		}
	}
	my %m = map { $_ => median(@{$per{$_}}) } qw(splice zedtrace);
	figure('recording 1 M syscall events/s to a file, over bare splice', sprintf('%.2f (%.1f ns / %.1f ns)',
		$m{zedtrace} / $m{splice}, @m{qw(zedtrace splice)}), 'at most 1.10', $m{zedtrace} <= 1.10 * $m{splice});
	figure("... both with buffers of $BUFFER_KB KiB a CPU; to begin and end", sprintf('%.0f ms', 1e3 * median(@{$fixed{zedtrace}})), '');
}

# ---------------------------------------------------------------- until tracing is on
if (wanted('start')) {
	for my $c (['sched', 200], ['*', 600]) {
		my ($events, $most) = @$c;
		my @ms;
		for my $round (1 .. $rounds) {
			my $at = mono_now();
			my $h = live_start('zedtrace', '-o', "$work/start.dat", $events);
			my ($dir) = live_ready($h) or die "$events: " . slurp($h->{err}->filename);
			push @ms, 1e3 * (mono_now() - $at);
			live_signal($h, 'TERM');
			live_end($h, 60);
			unlink "$work/start.dat";
		}
		# They are looked for every 10 ms.
		figure("zedtrace -o FILE '$events', until it traces", sprintf('%.0f ms', median(@ms)), "at most $most ms", median(@ms) <= $most);
	}
}

# ---------------------------------------------------------------- what watching costs
# CPU seconds of a run during a load of RATE events a second; live, or by a pipe.
sub watching {
	my ($way, $rate, $time, @words) = @_;
	my @h;
	if ($way eq 'live') {
		@h = live_start({ stdout => '/dev/null' }, 'zedperl', '--live=raw_syscalls', @words);
	} else {
		pipe my $read, my $write or die "pipe: $!\n";
		my @of = grep { !/^-d/ } @words;	# the recorder's
		@h = (live_start({ stdin => $read, stdout => '/dev/null' }, 'zedperl', '-i', '-', @of),
			live_start({ stdout => $write }, 'zedtrace', '-o', '-', (grep { /^-d/ } @words), 'raw_syscalls'));
		close $_ for $read, $write;
	}
	live_ready($h[-1]) or die "$way: " . slurp($h[-1]{err}->filename);
	sleep 1.5;
	my @pids = map { $_->{pid} } @h;
	my $before = ran_ns(@pids);
	load_end(load_start($rate, $time));
	sleep 0.1;
	my $ns = ran_ns(@pids) - $before;
	live_signal($h[-1], 'TERM');
	live_end($_, 20) for reverse @h;
	return $ns / 1e9;
}
if (wanted('cheap')) {
	my $count = 'Zed::count("raw_syscalls:*", by => "id")';
	for my $c (['an aggregation', '-e', $count], ['a handler', '-e', 'my $n = 0; sub trace_unhandled { $n++ }'],
		['an aggregation, -d', '-d600', '-e', $count], ['an aggregation, --every', '--every', '1s', '-e', $count]) {
		my ($what, @words) = @$c;
		for my $rate (2_000, 100_000) {
			my %s;
			for my $round (1 .. $rounds) {
				push @{$s{$_}}, watching($_, $rate, 3, @words) for $round % 2 ? qw(live pipe) : qw(pipe live);
			}
			my ($live, $pipe) = map { median(@{$s{$_}}) / 3 * 100 } qw(live pipe);
			figure("$what, $rate events/s, CPU of --live over a pipe's", sprintf('%.2f (%.2f %% / %.2f %%)', $live / $pipe, $live, $pipe),
				'at most 1.30', $live <= 1.3 * $pipe);
		}
	}
}

# ---------------------------------------------------------------- what being watched costs
# Seconds of a dd of a million reads and writes, while CMD watches, if there is one; READY waits until it does.
sub watched_dd {
	my ($ready, @cmd) = @_;
	my $h = @cmd ? live_start({ stdout => "$work/watched.out" }, @cmd) : undef;
	$ready->($h) or die "@cmd: " . slurp($h->{err}->filename) if $h;
	sleep 1 if $h;
	my $at = mono_now();
	system(@dd_calls) == 0 or die "dd: $?\n";
	my $time = mono_now() - $at;
	live_signal($h, 'INT') if $h;
	live_end($h, 20) if $h;
	return $time;
}
if (wanted('traced')) {
	my ($bpftrace) = grep { -x } map { "$_/bpftrace" } split /:/, $ENV{PATH};
	my %by = (
		alone => [],
		recorder => [\&live_ready, 'zedtrace', '-o', "$work/watched.dat", 'raw_syscalls'],
		count => [\&live_ready, 'zedperl', '--live=raw_syscalls', '-e', 'Zed::count("raw_syscalls:*", by => "id")'],
		handler => [\&live_ready, 'zedperl', '--live=raw_syscalls', '-e', 'my $n = 0; sub trace_unhandled { $n++ }'],
		$bpftrace ? (map => [sub { my ($h) = @_; wait_until(30, sub { slurp("$work/watched.out") =~ /Attach/ }) }, $bpftrace, '-e',
			'tracepoint:raw_syscalls:sys_enter { @[args->id] = count(); } tracepoint:raw_syscalls:sys_exit { @[args->id] = count(); }']) : (),
	);
	my %s;
	for my $round (1 .. $rounds) {
		push @{$s{$_}}, watched_dd(@{$by{$_}}) for $round % 2 ? sort keys %by : reverse sort keys %by;
		unlink "$work/watched.dat";
	}
	my %m = map { $_ => median(@{$s{$_}}) } keys %s;
	my $dd = 'dd bs=1 (' . sprintf('%.2f s', $m{alone}) . ')';
	figure("$dd, recorded", sprintf('%.2f s', $m{recorder}), '');
	figure('... counted live, over recorded', sprintf('%.2f (%.2f s)', $m{count} / $m{recorder}, $m{count}), 'at most 1.02', $m{count} <= 1.02 * $m{recorder});
	figure('... a handler live, over recorded', sprintf('%.2f (%.2f s)', $m{handler} / $m{recorder}, $m{handler}), 'at most 1.02',
		$m{handler} <= 1.02 * $m{recorder});
	figure('... counted live, over a map of bpftrace', $bpftrace ? sprintf('%.2f (%.2f s)', $m{count} / $m{map}, $m{map}) : 'no bpftrace here', 'at most 1.00',
		$bpftrace ? $m{count} <= $m{map} : undef);
}

# ---------------------------------------------------------------- nothing to trace
sub ran_ns {	# how long the tasks of these processes have run
	my $ns = 0;
	$ns += (split ' ', eval { slurp($_) } // '0')[0] for map { glob "/proc/$_/task/*/schedstat" } @_;
	return $ns;
}
sub woken {	# how often they have gone to sleep
	my $n = 0;
	$n += slurp($_) =~ /^voluntary_ctxt_switches:\s*(\d+)/m ? $1 : 0 for map { glob "/proc/$_/task/*/status" } @_;
	return $n;
}
if (wanted('idle')) {
	my $clk = POSIX::sysconf(POSIX::_SC_CLK_TCK());
	for my $c (['zedtrace | zedperl, idle', 'sched:sched_process_hang', 0], ['zedperl --live, idle', 'sched:sched_process_hang', 1],
		['zedtrace | zedperl, sched block workqueue', 'sched block workqueue', 0]) {
		my ($what, $events, $live) = @$c;
		my (@h, @pids);
		if ($live) {
			push @h, live_start('zedperl', "--live=$events", $countall);
		} else {
			pipe my $read, my $write or die "pipe: $!\n";
			push @h, live_start({ stdin => $read, stdout => "$work/idle.out" }, 'zedperl', '-i', '-', $countall);
			push @h, live_start({ stdout => $write }, 'zedtrace', '-o', '-', split ' ', $events);
			close $read;
			close $write;
		}
		@pids = map { $_->{pid} } @h;
		live_ready($h[-1]) or die "$what: " . slurp($h[-1]{err}->filename);
		sleep 1.5;
		my ($ns, $at, $woken) = (ran_ns(@pids), mono_now(), woken(@pids));
		sleep $seconds;
		my $time = mono_now() - $at;
		my $share = 100 * (ran_ns(@pids) - $ns) / 1e9 / $time;
		my $wakes = (woken(@pids) - $woken) / $time;
		live_signal($h[-1], 'TERM');
		live_end($_, 20) for reverse @h;
		figure("$what, of a core", sprintf('%.2f %%', $share), $events =~ / / ? '' : 'less than 1 %', $events =~ / / ? undef : $share < 1);
		my $most = 4 * @pids;
		figure('... wake-ups', sprintf('%.1f a second', $wakes), $events =~ / / ? '' : "at most $most", $events =~ / / ? undef : $wakes <= $most);
	}
}

# ---------------------------------------------------------------- from an event to its handler
# Marks, at odd moments, in a trace that has nothing else: how much later than its time a handler sees each.
sub latencies {
	my ($way, $marks, @opts) = @_;
	my $code = 'use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC); sub ftrace::print { my ($cpu, $s, $ns) = @_; ' .
		'printf "%.3f\n", 1e3 * (clock_gettime(CLOCK_MONOTONIC) - $s - $ns / 1e9) }';
	my $quiet = 'sched:sched_process_hang';
	my (@h, $server, $read, $write);
	if ($way eq '--live') {
		@h = live_start('zedperl', "--live=$quiet", @opts, '-e', $code);
	} else {
		pipe $read, $write or die "pipe: $!\n";
		my @to = ({ stdout => $write }, 'zedtrace', '-o', '-');
		if ($way eq 'network') {
			$server = live_start({ stdout => $write }, 'zedtrace', '-l', '-p', 0, '-o', '-');
			my $port;
			wait_until(10, sub { ($port) = slurp($server->{err}->filename) =~ /listening on port (\d+)\n.*waiting/s });
			@to = ('zedtrace', '-h', '127.0.0.1:' . ($port // die "no server\n"));
		}
		@h = (live_start({ stdin => $read }, 'zedperl', '-i', '-', '-e', $code), live_start(@to, @opts, $quiet));
		close $_ for $read, $write;
	}
	my $dir = live_ready($h[-1]) or die "$way: " . slurp($h[-1]{err}->filename);
	sleep 1;
	for my $i (1 .. $marks) {
		put_text("$dir/trace_marker", "mark $i");
		sleep(0.004 + rand 0.08);
	}
	sleep 0.3;
	live_signal($h[-1], 'TERM');
	my ($end) = map { live_end($_, 20) } reverse @h;
	live_signal($server, 'TERM') if $server;
	my $out = live_end($h[0])->{out};
	live_end($server) if $server;
	return sort { $a <=> $b } split ' ', $out;
}
if (wanted('latency')) {
	for my $busy (0, $nproc) {
		# Each CPU has a program that never waits.
		my @busy = map { storm_start(600, $^X, '-e', '1 while 1') } 1 .. $busy;
		for my $c (['--live', 'p99', 25, 'slack + 5 ms'], ['pipe', 'p99', 32, 'slack + 12 ms'], ['network', 'p99', 40, 'slack + 20 ms'],
			['--live', 'p50', 5, '5 ms', '--slack', 0]) {
			my ($way, $which, $most, $said, @opts) = @$c;
			my $marks = 40 * $rounds;
			my @l = latencies($way, $marks, @opts);
			die "$way: " . @l . " of $marks marks\n" if @l < $marks;
			my %p = (p50 => $l[@l / 2], p99 => $l[@l * 0.99]);
			figure("event to handler, @{[join ' ', $way, @opts]}, " . ($busy ? "$busy busy CPUs, " : '') . $which,
				sprintf('%.1f ms (p50 %.1f)', $p{$which}, $p{p50}), "at most $said", $p{$which} <= $most);
		}
		storm_end($_) for @busy;
	}
}

END {
	for my $dir (@made) {
		put_text("$dir/tracing_on", '0');
		rmdir $dir;
	}
}
exit($missed ? 1 : 0);
