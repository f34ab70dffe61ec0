# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every way out of a recording on the running kernel, and surroundings that work against it: the instance goes,
# the data stay, and one line says what happened.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Spec;
use POSIX qw(SIGINT);
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $scripts = abs_path('scripts');
my ($zedtrace, $zedperl) = map { File::Spec->rel2abs(zed_bin($_)) } qw(zedtrace zedperl);
my $long = $ENV{ZED_SAN} ? 120 : 60;
$ENV{LC_ALL} = 'C';

sub gone { my ($inst) = @_; return live_until(5, sub { !-e $inst }) }
sub taken {	# events that left the kernel's buffers of an instance, and lost ones
	my ($inst) = @_;
	my ($read, $lost) = (0, 0);
	for my $stats (glob "$inst/per_cpu/cpu*/stats") {
		my %s = slurp($stats) =~ /^([a-z ]+): (\d+)$/mg;
		$read += $s{'read events'};
		$lost += $s{$_} for 'overrun', 'commit overrun', 'dropped events';
	}
	return wantarray ? ($read, $lost) : $read;
}

# ---------------------------------------------------------------- signals
for my $signal (qw(INT TERM HUP QUIT)) {
	my $file = "$dir/$signal.dat";
	leaves_nothing("SIG$signal", sub {
		my $h = live_start('zedtrace', '-o', $file, 'sched');
		my $inst = live_ready($h);
		ok($inst, "SIG$signal: recording") or diag live_end($h, 0)->{err}, return;
		system '/bin/true' for 1 .. 5;
		sleep 0.2;
		live_signal($h, $signal);
		my $r = live_end($h);
		is("$r->{exit} $r->{signal}", '0 0', "SIG$signal is a good end: exit 0") or diag $r->{err};
		ok(!-e $inst, "SIG$signal: the instance is gone when zedtrace is (else: the next one finds half of it)");
		my $report = live_report($r->{err});
		my $sum = eval { dat_events($file) } // {};
		is($sum->{events}, $report && $report->{events}, "SIG$signal: the file is whole");
		cmp_ok($sum->{events} // 0, '>', 10, "SIG$signal: and what was in the kernel's buffers is in it (else: the end is cut off)");
		ok(!-e "$file.zed", "SIG$signal: nothing beside it");
	});
}
for my $signal (qw(INT TERM)) {
	leaves_nothing("zedperl --live, SIG$signal", sub {
		my $h = live_start('zedperl', '--live=sched', '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print "end $n\n" }');
		my $inst = live_ready($h);
		ok($inst, 'zedperl --live records') or diag live_end($h, 0)->{err}, return;
		system '/bin/true' for 1 .. 5;
		live_signal($h, $signal);
		my $r = live_end($h);
		like($r->{out}, qr/\Aend [1-9]\d+\n\z/, "SIG$signal: trace_end runs, once, behind the events");
		is($r->{exit}, 0, "SIG$signal: exit 0") or diag $r->{err};
		ok(!-e $inst, "SIG$signal: its instance is gone");
	});
}
leaves_nothing('Ctrl-C in a pipeline', sub {
	# A terminal sends the signal to all of the pipeline.
	my $h = live_start({ group => 1, stdout => "$dir/pipe.out", env => { ZT => $zedtrace, ZP => $zedperl, S => $scripts, D => $dir } }, '/bin/sh', '-c',
		'trap : INT; $ZT sched -o - 2>$D/pipe.err | $ZP -i - $S/countall.pl; exit $?');
	ok(live_until(20, sub { -e "$dir/pipe.err" && grep { my ($pid) = /^zed\.(\d+)/; (getpgrp $pid) == $h->{pid} } live_instances() }), 'a pipeline records');
	ok(live_until(20, sub { grep { $_ eq 'zedperl' } live_catching($h->{pid}) }), 'and zedperl has begun');
	sleep 0.5;
	kill 'INT', -$h->{pid};
	my $r = live_end($h);
	ok(!$r->{late}, 'Ctrl-C ends both') or diag $r->{err};
	is($r->{exit}, 0, 'zedperl: exit 0') or diag $r->{err};
	my $out = slurp("$dir/pipe.out");
	my $report = live_report(slurp("$dir/pipe.err"));
	my $total = 0;
	$total += $1 while $out =~ /^\w+::\w+: (\d+)$/mg;
	is(scalar(() = $out =~ /^event counts:/mg), 1, 'one result');
	is($total, $report && $report->{events}, 'and it has all events, those of the end too (else: Ctrl-C costs the last of them)');
});

# ---------------------------------------------------------------- kill -9, --cleanup
{
	my @left = live_orphans();
	my $dead = live_start('zedtrace', '-o', "$dir/dead.dat", 'sched');
	my $alive = live_start('zedtrace', '-o', "$dir/alive.dat", 'sched');
	my ($a, $b) = map { live_ready($_) } $dead, $alive;
	ok($a && $b, 'two recordings');
	live_signal($dead, 'KILL');
	live_end($dead);
	ok(-d $a, 'SIGKILL leaves an instance, as this test needs it');
	my $r = zed_run('zedtrace', '--cleanup');
	is($r->{exit}, 0, '--cleanup: exit 0') or diag $r->{err};
	ok(!-e $a, '--cleanup removes what a kill -9 left (else: it holds memory until the next boot)');
	ok(-d $b && slurp("$b/tracing_on") =~ /^1/, '--cleanup leaves the living alone (else: it ends the recording of somebody)');
	my ($name) = $a =~ m{([^/]+)$};
	like("$r->{out}$r->{err}", qr/\b\Q$name\E\b/, 'and says what it removed');
	my ($kept) = $b =~ m{([^/]+)$};
	unlike("$r->{out}$r->{err}", qr/removed[^\n]*\Q$kept\E/, 'and nothing else');
	live_signal($alive, 'INT');
	is(live_end($alive)->{exit}, 0, 'the living one ends well');
	# Killed, but nobody has waited for it: a shell that is busy, a supervisor.
	my $zombie = live_start('zedtrace', '-o', "$dir/zombie.dat", 'sched');
	my $its = live_ready($zombie);
	SKIP: {
		ok($its, 'a third recording') or skip 'none', 2;
		kill 'KILL', $zombie->{pid};
		live_until(5, sub { slurp("/proc/$zombie->{pid}/stat") =~ /\) Z / });
		$r = zed_run('zedtrace', '--cleanup');
		ok(!-e $its, 'a zombie protects no instance (else: it stays until somebody waits for the dead one)')
			or diag "$r->{out}$r->{err}";
		live_end($zombie);
	}
	# Ends of a script that pass by the removal.
	for my $code ('POSIX::_exit(3)', 'kill KILL => $$', 'kill SEGV => $$') {
		my $h = live_start('zedperl', '--live=sched:sched_switch', '-e', "use POSIX (); sub sched::sched_switch { $code }");
		live_end($h);
		my @left = grep { /^zed\.$h->{pid}\./ } live_instances();
		ok(@left > 0, "$code in a handler leaves an instance, as this test needs it");
		$r = zed_run('zedtrace', '--cleanup');
		like($r->{out} . $r->{err}, qr/^removed \Q$_\E$/m, "$code: --cleanup says that it removed $_") for @left;
		is(join(' ', grep { /^zed\.$h->{pid}\./ } live_instances()), '', "$code: and has (else: it costs time and memory until the next boot)");
	}
	# Killed a moment ago: still about to close its files.
	my @late;
	for my $try (1 .. 5) {
		my $dying = live_start('zedtrace', '-b', '4M', '-o', "$dir/dying.dat", 'sched');
		my $mine = live_ready($dying) // next;
		kill 'KILL', $dying->{pid};
		$r = zed_run('zedtrace', '--cleanup');
		push @late, "$r->{out}$r->{err}" if -e $mine;
		live_end($dying);
	}
	is("@late", '', 'one call is enough right after the kill -9 (else: a second one is needed)');
	# The name of an instance whose process id another process has by now.
	my $again = "$root/instances/zed.$$.1";
	SKIP: {
		mkdir $again or skip "instance: $!", 1;
		$r = zed_run('zedtrace', '--cleanup');
		ok(!-e $again, 'a process that has only the number of the dead one does not protect its instance');
		rmdir $again;
	}
	$r = zed_run('zedtrace', '--cleanup');
	is($r->{exit}, 0, '--cleanup with nothing to do: exit 0') or diag $r->{err};
}

# ---------------------------------------------------------------- kill -9, --recover
for my $case (['a file', '-b', 512], ['a file to be compressed', '-z', 'zstd'], ['a ring', '--max-size', '8M'],
	['sub-buffers of 16 KiB', '-s', 16]) {
	my ($what, @opts) = @$case;
	SKIP: {
		skip live_cannot('this kernel has no sub-buffers but pages'), 1 if $what =~ /sub-/ && !-e "$root/buffer_subbuf_size_kb";
		my $file = "$dir/recover.dat";
		unlink $file;
		my $h = live_start('zedtrace', '-o', $file, @opts, 'raw_syscalls', 'sched');
		my $inst = live_ready($h);
		ok($inst, "$what: recording") or diag(live_end($h, 0)->{err}), next;
		my $load = storm_start(3);
		sleep 0.4;
		storm_end($load);
		put_text("$inst/events/enable", '0');
		# Without events it waits for nothing to come, and has nothing in its hands: it sleeps, and takes no more.
		my $read = -1;
		live_until(30, sub {
			my $before = $read;
			sleep 0.5;
			$read = taken($inst);
			return $read == $before && slurp("/proc/$h->{pid}/stat") =~ /\) S /;
		});
		live_signal($h, 'KILL');
		live_end($h);
		for (grep { -d } $inst, "$inst.names") {
			rmdir or diag "$_: $!";
		}
		cmp_ok($read, '>', 1000, "$what: it took $read events out of the kernel before it was killed");
		ok(-d "$file.zed" && !-e $file, "$what: its directory is there, and no file");
		my $r = zed_run({ time => $long, memory => 0 }, 'zedtrace', '-d', '0.1', '-o', $file, 'sched');
		is($r->{exit}, 2, "$what: the next recording to that name does not destroy it");
		like($r->{err}, qr/--recover/, "$what: but says what to do");
		$r = zed_run({ time => $long, memory => 0 }, 'zedtrace', '--recover', "$file.zed");
		is($r->{exit}, 0, "$what: --recover") or diag $r->{err};
		my $sum = eval { dat_events($file) } // {};
		if ($what eq 'a ring') {
			ok($sum->{events} > 10_000 && dat_bytes($sum) <= 8 << 20, "$what: as much of it as the ring holds") or diag $@;
		} else {
			is($sum->{events}, $read, "$what: every event that was taken is in the file (else: a crash costs what was on the disk)") or diag $@;
		}
		is($sum->{back} // 0, 0, "$what: in order");
		ok(!-e "$file.zed", "$what: the directory is gone");
		is(zed_lines($file), $sum->{events}, "$what: zedprint reads it");
		my $stock = $what =~ /sub-|compress/ ? $sum->{events} : stock_count($file);
		is($stock, $sum->{events}, "$what: trace-cmd reads it") if defined $stock;
	}
}
{
	my $r = zed_run('zedtrace', '--recover', "$dir/nothing.zed");
	is("$r->{exit} " . @{$r->{lines}}, '2 1', '--recover of nothing: one line, exit 2') or diag $r->{err};
	mkdir "$dir/empty.zed";
	$r = zed_run('zedtrace', '--recover', "$dir/empty.zed");
	ok($r->{exit} == 2 && @{$r->{lines}} == 1 && !-e "$dir/empty", '--recover of an empty directory: one line, exit 2, no file') or diag $r->{err};
}

# ---------------------------------------------------------------- the disk is full
SKIP: {
	my $small = "$dir/small";
	mkdir $small;
	skip live_cannot('no small tmpfs can be mounted'), 1 if system "mount -t tmpfs -o size=24m nodev '$small' 2>/dev/null";
	for my $codec ('none', 'zstd') {
		my $file = "$small/full.dat";
		my $load = storm_start(15);
		my ($r, $inst);
		leaves_nothing("disk full, $codec", sub {
			my $h = live_start('zedtrace', '-o', $file, '-z', $codec, '-b', 4096, 'raw_syscalls');
			$inst = live_ready($h);
			$r = live_end($h, 40);
		});
		storm_end($load);
		ok(!$r->{late}, "disk full, $codec: it ends by itself");
		is($r->{exit}, 1, "disk full, $codec: exit 1 (else: a script goes on with half of a trace)") or diag $r->{err};
		my @about = grep { /space/i } @{$r->{lines}};
		is(scalar @about, 1, "disk full, $codec: it is said, once") or diag $r->{err};
		like($r->{err}, qr/--recover/, "disk full, $codec: with what to do next");
		my $p = zed_run({ time => $long, memory => 0 }, 'zedtrace', '--recover', "$file.zed", '-o', "$dir/full.dat");
		is($p->{exit}, 0, "disk full, $codec: --recover -o puts it elsewhere") or diag $p->{err};
		my $sum = eval { dat_events("$dir/full.dat") } // {};
		cmp_ok(dat_bytes($sum), '>', 4 << 20, "disk full, $codec: with what fitted") or diag $@;
		unlink "$dir/full.dat";
		system 'rm', '-rf', "$file.zed";
		unlink $file;
	}
	system 'umount', $small;
}
for my $where ("$dir/none/x.dat", '/proc/x.dat', $dir) {
	my $r = leaves_nothing("-o $where", sub { zed_run('zedtrace', '-d', '0.1', '-o', $where, 'sched') });
	is("$r->{exit} " . @{$r->{lines}}, '2 1', "-o $where, where no file can be: one line, exit 2") or diag $r->{err};
}
SKIP: {	# a limit of the shell's on files
	my $file = "$dir/limit.dat";
	my $load = storm_start(15);
	my $r = leaves_nothing('ulimit -f', sub {
		zed_run({ time => $long, memory => 0 }, 'sh', '-c', 'ulimit -f 16384; exec "$@"', 'sh', $zedtrace, '-o', $file, '-b', 4096, '-d', 10, 'raw_syscalls');
	});
	storm_end($load);
	is("$r->{signal} $r->{exit}", '0 1', 'ulimit -f: exit 1, no signal') or diag $r->{err};
	like($r->{err}, qr/--recover/, 'ulimit -f: with what to do next');
	my $p = zed_run({ time => $long, memory => 0 }, 'zedtrace', '--recover', "$file.zed");
	is($p->{exit}, 0, 'ulimit -f: --recover') or diag $p->{err};
	unlink $file;
	system 'rm', '-rf', "$file.zed";
}

# ---------------------------------------------------------------- others in our instance
{
	my $h = live_start('zedtrace', '-o', "$dir/others.dat", 'sched');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'recording') or skip live_end($h, 0)->{err}, 1;
		ok(!rmdir($inst) && $!{EBUSY}, 'nobody can remove the instance while it is recorded');
		system '/bin/true';
		ok(put_text("$inst/tracing_on", '0'), 'another switches tracing off');
		ok(live_until(5, sub { slurp($h->{err}->filename) =~ /tracing_on/ }), 'that is said, with the file that mends it')
			or diag slurp($h->{err}->filename);
		put_text("$inst/tracing_on", '1');
		sleep 0.1;
		system '/bin/true';
		sleep 1.2;
		live_signal($h, 'INT');
		my $r = live_end($h);
		my $report = live_report($r->{err});
		my $sum = eval { dat_events("$dir/others.dat") } // {};
		is($sum->{events}, $report && $report->{events}, 'all of both parts is in the file');
		is(scalar(() = $r->{err} =~ /switched/g), 1, 'said once');
		ok(!-e $inst, 'and the instance is gone');
	}
}
{
	my $file = "$dir/held.dat";
	my $h = live_start('zedtrace', '-o', $file, 'sched');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'recording') or skip live_end($h, 0)->{err}, 1;
		open my $hold, '<', "$inst/per_cpu/cpu0/trace_pipe_raw" or skip "trace_pipe_raw: $!", 1;
		system '/bin/true';
		live_signal($h, 'TERM');
		my $r = live_end($h);
		ok(!$r->{late}, 'another holds a file of the instance: zedtrace ends all the same');
		ok(-e $inst, 'the kernel does not let it go, as this test needs it');
		my ($line) = grep { /cannot remove .*\Q$inst\E/ } @{$r->{lines}};
		ok($line, 'which is said') or diag $r->{err};
		like($line // '', qr/--cleanup/, 'with what to do (else: nobody knows that it is there)');
		my $report = live_report($r->{err});
		my $sum = eval { dat_events($file) } // {};
		is($sum->{events}, $report && $report->{events}, 'the file is whole');
		$r = zed_run('zedtrace', '--cleanup');
		my ($name) = $inst =~ m{([^/]+)$};
		like("$r->{out}$r->{err}", qr/\Q$name\E[^\n]*(?:open|in use)/, '--cleanup says what is in the way') or diag "$r->{out}$r->{err}";
		close $hold;
		$r = zed_run('zedtrace', '--cleanup');
		ok(!-e $inst, 'afterwards --cleanup removes it');
		rmdir $inst;
	}
}

leaves_nothing('looked at', sub {
	# On a busy machine who looks into it may have to wait with a file in its hands.
	my $h = live_start('zedtrace', '-o', "$dir/looked.dat", 'sched:sched_process_exec');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'a recording that others look at') or skip 'none', 1;
		open my $hold, '<', "$inst.names/per_cpu/cpu0/trace_pipe_raw" or skip "trace_pipe_raw: $!", 1;
		live_signal($h, 'TERM');
		sleep 0.6;
		close $hold;
		my $r = live_end($h);
		ok(!-e "$inst.names", 'somebody who held a file for half a second: the instance is gone all the same (else: who just looks keeps it for ever)')
			or diag $r->{err};
	}
});

leaves_nothing('a second signal, late', sub {
	# The file is there; who looks into the instance keeps it from being removed for a moment.
	my $h = live_start('zedtrace', '-o', "$dir/late2.dat", 'sched:sched_process_exec');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'a recording whose end takes a while') or skip 'none', 1;
		open my $hold, '<', "$inst/per_cpu/cpu0/trace_pipe_raw" or skip "trace_pipe_raw: $!", 1;
		live_signal($h, 'INT');
		live_until(20, sub { -e "$dir/late2.dat" && !-e "$dir/late2.dat.zed" });
		sleep 0.35;
		live_signal($h, 'INT');
		live_took($h->{pid}, SIGINT);
		close $hold;
		my $r = live_end($h);
		like("$r->{exit} $r->{err}", qr/\A130 (?:.*\n)?zedtrace: ended at once; what was recorded is whole\n\z/ms, 'a second signal when the file is whole: nothing is to be recovered (else: who looks for FILE.zed finds none)');
		zed_run('zedtrace', '--cleanup');
	}
});

# ---------------------------------------------------------------- a consumer that takes nothing
{
	pipe my $read, my $write or die "pipe: $!\n";
	my $load = storm_start(15);
	leaves_nothing('a consumer that takes nothing', sub {
		my $h = live_start({ stdout => $write }, 'zedtrace', '-o', '-', 'raw_syscalls');
		close $write;
		# It may not come to trace: the descriptions alone fill the pipe.
		my ($inst) = live_until(20, sub { (map { "$root/instances/$_" } grep { /^zed\.$h->{pid}\./ } live_instances())[0] });
		ok($inst, 'a consumer that takes nothing') or diag(live_end($h, 0)->{err}), return;
		sleep 0.7;
		live_signal($h, 'INT');
		live_took($h->{pid}, SIGINT);
		sleep 0.5;
		live_signal($h, 'INT');
		my $r = live_end($h, $ENV{ZED_SAN} ? 20 : 5);
		ok(!$r->{late}, 'a consumer that takes nothing does not keep a second Ctrl-C from ending it (else: only kill -9 helps)');
		ok($r->{exit} == 130 || $r->{exit} == 0, "exit $r->{exit}") or diag "signal $r->{signal}: $r->{err}";
		ok(!-e $inst, 'its instance is gone');
	});
	storm_end($load);
}
{
	pipe my $read, my $write or die "pipe: $!\n";
	my $load = storm_start(15);
	leaves_nothing('a consumer that stops taking', sub {
		my $h = live_start({ stdout => $write }, 'zedtrace', '-o', '-', 'raw_syscalls');
		close $write;
		my $end = mono_now() + 20;
		my $inst;
		for (my $got = 1; $got && mono_now() < $end && !$inst;) {
			$got = sysread $read, my $bytes, 1 << 16;
			$inst = live_ready($h, 0);
		}
		ok($inst, 'a consumer that stops taking') or diag(live_end($h, 0)->{err}), return;
		sleep 0.7;
		live_signal($h, 'INT');
		live_took($h->{pid}, SIGINT);
		sleep 0.5;
		live_signal($h, 'INT');
		my $r = live_end($h, $ENV{ZED_SAN} ? 20 : 5);
		ok(!$r->{late}, 'it does not keep a second Ctrl-C from ending the recorder');
		ok($r->{exit} == 130 || $r->{exit} == 0, "exit $r->{exit}") or diag "signal $r->{signal}: $r->{err}";
		ok(!-e $inst, 'its instance is gone');
	});
	storm_end($load);
}
{
	my $file = "$dir/twice.dat";
	leaves_nothing('two Ctrl-C at once', sub {
		my $h = live_start('zedtrace', '-o', $file, 'sched');
		my $inst = live_ready($h);
		live_signal($h, 'INT') for 1 .. 3;
		my $r = live_end($h);
		is($r->{exit}, 0, 'one wish that is sent three times (timeout, sudo) is one') or diag $r->{err};
		ok(-s $file, 'the file is there');
	});
}

# ---------------------------------------------------------------- a CPU goes and comes
SKIP: {
	my $online = '/sys/devices/system/cpu/cpu1/online';
	skip live_cannot('no CPU can be taken away here'), 1 if !-w $online || slurp($online) !~ /^1/;
	my $alone = live_lock('cpus', 1);
	my $file = "$dir/cpu.dat";
	my $h = live_start('zedtrace', '-o', $file, 'sched', 'irq');
	my $inst = live_ready($h);
	system 'taskset', '-c', 1, '/bin/true' for 1 .. 3;
	my $off = put_text($online, '0') && slurp($online) =~ /^0/;
	sleep 0.4;
	my $alive = kill 0, $h->{pid};
	# A recorder that begins when a CPU is not there.
	my $other = $off && zed_run({ time => $long, memory => 0 }, 'zedtrace', '-o', "$dir/off.dat", 'sched', '--', '/bin/true');
	my $late = $off && live_start('zedtrace', '-o', "$dir/late.dat", 'sched');
	live_ready($late) if $late;
	put_text($online, '1') if $off;
	my $back = mono_now();
	sleep 0.3;
	system 'taskset', '-c', 1, '/bin/true' for 1 .. 5;
	sleep 1.2;
	live_signal($_, 'INT') for grep { $_ } $h, $late;
	my $r = live_end($h);
	my $s = $late && live_end($late);
	undef $alone;
	skip live_cannot('CPU 1 did not go'), 1 if !$off;
	ok($alive, 'a CPU that goes does not end the recording');
	is($r->{exit}, 0, 'exit 0') or diag $r->{err};
	my $report = live_report($r->{err});
	my $behind = 0;
	my $sum = eval { dat_events($file, sub { $behind++ if $_[0] == 1 && $_[2] / 1e9 > $back }) } // {};
	is($sum->{events}, $report && $report->{events}, 'all events are in the file');
	cmp_ok($behind, '>', 0, 'those of the CPU that came back too');
	is($other->{exit}, 0, 'a recording with a CPU missing') or diag $other->{err};
	is($s->{exit}, 0, 'a recording into which a CPU comes') or diag $s->{err};
	my $said = live_report($s->{err});
	$behind = 0;
	$sum = eval { dat_events("$dir/late.dat", sub { $behind++ if $_[0] == 1 }) } // {};
	is($sum->{events}, $said && $said->{events}, 'has all events');
	cmp_ok($behind, '>', 0, 'and the events of that CPU (else: they are lost without a word)');
	ok(!-e $inst, 'the instance is gone');
}

done_testing();
