# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Live: for tests on the running kernel: mounts tracefs or skips with the reason, runs programs in the background
# and ends them by pid, looks at the tracing instances, makes bounded load, and reads the recorder's output and messages
# without the reader's code.
#
# A test of this kind begins with live_or_skip().  It leaves a record; t/tools/live-count.pl adds them up.
package Run::Live;
use strict;
use warnings;
use Exporter 'import';
use Fcntl qw(:flock);
use File::Basename ();
use File::Spec ();
use File::Temp ();
use POSIX ();
use Test::More ();
use Time::HiRes ();
use Compare::DatRead;
use Run::Process;
use Run::Program;

our @EXPORT = qw(live_or_skip live_part live_cannot live_root live_lock live_make_instance live_cleanup live_instances live_orphans live_without_own live_catches live_catching live_listens
	live_start live_signal live_end live_ready live_taken live_drained live_report leaves_nothing storm_start drizzle_start storm_end dat_events dat_stats
	dat_bytes zed_lines mono_now put_text);

my $ROOT = '/sys/kernel/tracing';
my $record;		# path of this test's record
my %running;		# pid => 1: started here and not yet ended

sub mounted {
	open my $fh, '<', '/proc/mounts' or return undef;
	for (<$fh>) {
		my (undef, $dir, $type) = split ' ';
		return $dir if $type eq 'tracefs';
	}
	return undef;
}

# undef if live tests can run, else why they cannot.
sub why_not {
	return 'live tests need root' if $>;
	if (!defined mounted()) {
		my $said = `mount -t tracefs nodev $ROOT 2>&1`;
		return "tracefs cannot be mounted: $said" =~ s/\s+$//r if $? || !defined mounted();
	}
	my $try = mounted() . "/instances/zedtest.$$";
	return "no tracing instance can be made: $!" if !mkdir $try;
	rmdir $try or return "no tracing instance can be removed: $!";
	return undef;
}

# The root of tracefs.
sub live_root { return mounted() // $ROOT }

sub record_dir { return ($ENV{ZED_BUILD} // 'build/gcc') . '/live' }

sub leave_record {
	my ($line) = @_;
	return if !defined $record;
	open my $fh, '>>', $record or return;
	print $fh "$line\n";
	close $fh;
	return;
}

sub begin_record {
	delete $ENV{ZED_TRACEFS};
	# Parallel tests look at what their killed recorders have left.
	$ENV{ZED_KEEP_DEAD} = 1;
	my $dir = record_dir();
	mkdir File::Basename::dirname($dir);
	mkdir $dir;
	$record = "$dir/" . File::Basename::basename($0) if -d $dir && -w _;
	unlink $record if defined $record;
	return;
}

# For a test with a live part: may that run?  If not, its record says why.
sub live_part {
	begin_record();
	my $why = why_not();
	leave_record('ran');
	leave_record("part: $why") if defined $why;
	return !defined $why;
}

# Skips the whole test if this machine cannot trace.  A program that is not built is a failure.
sub live_or_skip {
	begin_record();
	my $why = why_not();
	leave_record(defined $why ? "skipped: $why" : 'ran');
	Test::More::plan(skip_all => $why) if defined $why;
	-x zed_bin($_) or die zed_bin($_) . " is not there: run make first\n" for qw(zedtrace zedperl zedprint);
	return;
}

# A part that this machine cannot run: the reason goes into the record, and is returned for skip().
sub live_cannot {
	my ($reason) = @_;
	leave_record("part: $reason");
	return $reason;
}

# A lock for things that parallel tests must not do at the same time: 'cpus' is held exclusively by a test that takes a
# CPU offline or has the kernel drop names of tasks, and shared by tests that need all CPUs or names; 'killed'
# exclusively by one that looks at the instances that a killed recorder left, and by live_cleanup(); 'options'
# exclusively by one that sets options of the top instance, with which each new instance begins.  Held until the handle
# is freed.
sub live_lock {
	my ($what, $alone) = @_;
	# A test that waits for it exclusively keeps out later ones: else it would always be shared by some, and that
	# test would wait for minutes.
	my ($gate, $fh);
	for (["$what.gate", \$gate], [$what, \$fh]) {
		my ($name, $to) = @$_;
		my $path = File::Spec->tmpdir . "/zedlive.$name.lock";
		open $$to, '>>', $path or die "$path: $!\n";
		flock $$to, $alone ? LOCK_EX : LOCK_SH or die "$path: $!\n";
	}
	return $fh;
}

# mkdir() of a test's own instance, which begins with options that no other test has set.
sub live_make_instance {
	my ($path) = @_;
	my $lock = live_lock('options', 0);
	return mkdir $path;
}

# zedtrace --cleanup, of a test that does not look at what others have left.
sub live_cleanup {
	my $alone = live_lock('killed', 1);
	return Run::Program::zed_run({ time => 60 }, 'zedtrace', '--cleanup');
}

sub mono_now { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

sub put_text {
	my ($path, $text) = @_;
	open my $fh, '>', $path or return 0;
	my $ok = syswrite $fh, $text;
	return close($fh) && $ok ? 1 : 0;
}

# ---------------------------------------------------------------- instances

# Names in the form of the programs: zed.PID.START, and zed.PID.START.names and others beside that.
sub live_instances {
	opendir my $dh, live_root() . '/instances' or return ();
	return sort grep { /^zed\.\d+\.\d+(?:\.when|\.value)?(?:\.flight)?(?:\.names)?$/ } readdir $dh;
}

# When a process began (field 22 of stat), or undef.
sub began {
	my ($pid) = @_;
	open my $fh, '<', "/proc/$pid/stat" or return undef;
	my $stat = <$fh> // return undef;
	return (split ' ', $stat =~ s/^.*\)//sr)[19];
}

# Those whose process has ended.
sub live_orphans {
	return grep {
		my ($pid, $start) = /^zed\.(\d+)\.(\d+)/;
		my $is = began($pid);
		!defined $is || $is != $start;
	} live_instances();
}

# A program's messages, without the number of events that it caused itself, which depends on the load of this machine.
sub live_without_own {
	my ($said) = @_;
	return $said =~ s/^\w+: of \d+ events, about \d+ events? (?:is|are) \w+'s own\n//mr;
}

# The name of process PID, if it catches SIGNAL (a number below 32) now: a process that does not yet catch it would be
# killed.
sub live_catches {
	my ($pid, $signal) = @_;
	open my $fh, '<', "/proc/$pid/status" or return;
	my $text = do { local $/; <$fh> } // return;
	my ($name) = $text =~ /^Name:\s*(\S+)/m or return;
	return $text =~ /^SigCgt:\s*([0-9a-f]+)/m && hex(substr $1, -8) & 1 << $signal - 1 ? $name : ();
}

# The programs of process group PGID that catch SIGINT now, by name.
sub live_catching {
	my ($pgid) = @_;
	return map { live_catches($_, POSIX::SIGINT()) } grep { (getpgrp($_) // -1) == $pgid } map { s/\D//gr } glob '/proc/[0-9]*';
}

# Waits until a process listens on PORT.  (Connecting would make a client.)
sub live_listens {
	my ($port) = @_;
	my $at = sprintf ':%04X', $port;
	return wait_until(20, sub { grep { /^\s*\d+: \S+\Q$at\E \S+ 0A /m } map { eval { slurp($_) } // '' } '/proc/net/tcp', '/proc/net/tcp6' });
}

# CODE leaves no instance of a process that has ended, which was not there before.  The owner of such an instance is no
# longer known, and parallel tests kill their recorders and clean up afterwards, on a busy machine long afterwards: so
# wait as long as such a test may take.
sub leaves_nothing {
	my ($name, $code) = @_;
	my %before = map { $_ => 1 } live_orphans();
	my @got = $code->();
	my @left;
	wait_until(240, sub { @left = grep { !$before{$_} } live_orphans(); !@left });
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::ok(!@left, "$name: no instance stays behind (else: buffers hold memory and events cost time for ever)")
		or Test::More::diag("left: @left");
	return wantarray ? @got : $got[0];
}

# ---------------------------------------------------------------- programs in the background

# live_start({ what spawn() takes }, PROGRAM, ARG...): as zed_run, but in the background.
sub live_start {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my ($program, @args) = @_;
	my %h = (cmd => join(' ', $program, @args), began => mono_now());
	($h{out}, $h{err}) = map { File::Temp->new(DIR => zed_tmp()) } 1, 2;
	my $path = $program =~ m{^/} ? $program : File::Spec->rel2abs(zed_bin($program));
	$h{pid} = spawn({ %o, stdout => $o{stdout} // $h{out}->filename, stderr => $h{err}->filename }, $path, @args);
	$running{$h{pid}} = 1;
	return \%h;
}

sub live_signal {
	my ($h, $signal) = @_;
	return 0 if $h->{ended};
	return kill $signal, $h->{pid};
}

# Wait for its end, at most SECONDS, then kill it: {exit, signal, late, out, err, lines, seconds}.
sub live_end {
	my ($h, $seconds) = @_;
	return $h->{ended} if $h->{ended};
	$seconds //= 60;
	my $status = 0;
	my $done = wait_until($seconds, sub {
		return 0 if waitpid($h->{pid}, POSIX::WNOHANG()) != $h->{pid};
		$status = $?;
		return 1;
	});
	if (!$done) {
		kill 'KILL', $h->{pid};
		waitpid $h->{pid}, 0;
		$status = $?;
		for my $instance (map { live_root() . "/instances/$_" } grep { /^zed\.$h->{pid}\./ } live_instances()) {
			# First, as removing one with enabled events stops all others that trace.
			put_text("$instance/events/enable", '0');
			rmdir $instance;
		}
	}
	delete $running{$h->{pid}};
	my $said = slurp($h->{err}->filename);
	return $h->{ended} = {
		exit => $status & 127 ? 128 + ($status & 127) : $status >> 8, signal => $status & 127, late => !$done, err => $said,
		out => slurp($h->{out}->filename), lines => [split /\n/, $said],
		seconds => mono_now() - $h->{began}, cmd => $h->{cmd},
	};
}

# The directory of its instance, once tracing is on there; undef after SECONDS, or if it has ended.
sub live_ready {
	my ($h, $seconds) = @_;
	my $dir;
	wait_until($seconds // 60, sub {
		($dir) = map { live_root() . "/instances/$_" } grep { /^zed\.$h->{pid}\./ } live_instances();
		# A new instance has tracing on, but no event, and events are enabled while it is off: hence this order.
		return 1 if defined $dir && (eval { slurp("$dir/set_event") } // '') =~ /\S/
			&& (eval { slurp("$dir/tracing_on") } // '') =~ /^1/;
		undef $dir;
		return !-e "/proc/$h->{pid}/fd/0" && !-e "/proc/$h->{pid}/exe";
	});
	return $dir;
}

# Waits until each CPU of the instance at DIR, whose load stands still, has at most a begun sub-buffer of events.
sub live_drained {
	my ($dir) = @_;
	return wait_until(30, sub { !grep { slurp($_) =~ /^entries: (\d+)/m && $1 > 150 } glob "$dir/per_cpu/cpu*/stats" });
}

# Events that left the kernel's buffers of the instance at DIR; in a list also how many were lost there.
sub live_taken {
	my ($dir) = @_;
	my ($read, $lost) = (0, 0);
	for my $stats (glob "$dir/per_cpu/cpu*/stats") {
		my %s = (eval { slurp($stats) } // next) =~ /^([a-z ]+): (\d+)$/mg;
		$read += $s{'read events'};
		$lost += $s{$_} for 'overrun', 'commit overrun', 'dropped events';
	}
	return wantarray ? ($read, $lost) : $read;
}

# A load of system calls for at most SECONDS, however the test ends.
sub storm_start {
	my ($seconds, @under) = @_;
	my ($dd) = grep { -x } map { "$_/dd" } split /:/, $ENV{PATH};
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', '/dev/null';
		$SIG{ALRM} = 'DEFAULT';
		alarm POSIX::ceil($seconds);
		exec @under, $dd, 'if=/dev/zero', 'of=/dev/null', 'bs=1' or POSIX::_exit(123);
	}
	$running{$pid} = 1;
	return $pid;
}

# Many system calls, too, with a pause after each few: some tenth of a processor.
sub drizzle_start {
	my ($seconds) = @_;
	return storm_start($seconds, $^X, '-e', 'while (1) { getppid for 1 .. 300; select undef, undef, undef, 0.005 }');
}

sub storm_end {
	my ($pid) = @_;
	kill 'KILL', $pid;
	waitpid $pid, 0;
	delete $running{$pid};
	return;
}

END {
	my $status = $?;
	for my $pid (keys %running) {
		kill 'TERM', $pid;
		wait_until(3, sub { waitpid($pid, POSIX::WNOHANG()) }) or kill 'KILL', $pid;
	}
	$? = $status;
}

# ---------------------------------------------------------------- output and messages

# The closing report, from stderr: {channel, cpus => {N => [events, KiB]}, events, dropped, kib, kinds => [overrun,
# commit overrun, dropped events], rest => [other lines]}; undef if there is none.
sub live_report {
	my ($err) = @_;
	my %r = (rest => []);
	for (split /\n/, $err) {
		if (/^Channel: (.+)$/) {
			$r{channel} = $1;
		} elsif (/^CPU (\d+): (\d+) events?, (\d+) KiB data$/) {
			$r{cpus}{$1} = [$2, $3];
		} elsif (/^Total: (\d+) events? \(dropped (\d+)\), (\d+) KiB data$/) {
			@r{qw(events dropped kib)} = ($1, $2, $3);
		} elsif (/^Dropped: overrun (\d+), commit overrun (\d+), dropped events (\d+)/) {
			$r{kinds} = [$1, $2, $3];
		} else {
			push @{$r{rest}}, $_;
		}
	}
	return defined $r{events} && defined $r{channel} ? \%r : undef;
}

# Walks the pages of a trace.dat (by Compare::DatRead): {events, cpu => {N => events}, name => {"sys::event" => events},
# first, last (ns), lost (by the pages), clock, page, codec}.  ON gets each event: (cpu, name, ts, pid).
sub dat_events {
	my ($path, $on) = @_;
	my $d = Compare::DatRead::dat_read($path, 1);
	my (%name, %n);
	my %sum = (events => 0, lost => 0, codec => $d->{codec});
	my $text = $d->{meta}{18};
	my $at = 4;
	for (1 .. unpack $d->{L}, $text) {
		my $system = unpack 'Z*', substr $text, $at;
		$at += 1 + length $system;
		my $count = unpack $d->{L}, substr $text, $at;
		$at += 4;
		for (1 .. $count) {
			my $len = unpack $d->{Q}, substr $text, $at;
			my $format = substr $text, $at + 8, $len;
			$at += 8 + $len;
			$name{$2} = "${system}::$1" if $format =~ /^name: (\S+)\nID: (\d+)/;
		}
	}
	for my $b (@{$d->{buffers}}) {
		@sum{qw(clock page)} = @$b{qw(clock page)};
		for my $c (@{$b->{cpus}}) {
			Compare::DatRead::cpu_load($d, $c);
			my $cpu = $c->{cpu};
			$sum{cpu}{$cpu} = 0;
			$sum{size}{$cpu} = length $c->{bytes};
			my $before = -1;
			Compare::DatRead::walk_pages($d, \$c->{bytes}, $b->{page}, sub {
				my ($id, $ts, $rec) = @_;
				my $what = $name{$id} // "id $id";
				$sum{events}++;
				$sum{cpu}{$cpu}++;
				$sum{name}{$what}++;
				$sum{back}++ if $ts < $before;
				$before = $ts;
				$sum{first} = $ts if !defined $sum{first} || $ts < $sum{first};
				$sum{last} = $ts if !defined $sum{last} || $ts > $sum{last};
				$on->($cpu, $what, $ts, unpack $d->{L}, substr $c->{bytes}, $rec + 4, 4) if $on;
			}, sub { $sum{lost} += $_[0] // 0; $sum{losses}++ });
			delete @$c{qw(bytes blocks)};
		}
	}
	return \%sum;
}

# The kernel's statistics in the file: {CPU => {entries, overrun, ...}}.
sub dat_stats {
	my ($path) = @_;
	my $d = Compare::DatRead::dat_read($path, 1);
	my (%stat, $cpu);
	for my $o (grep { $_->{id} == 2 } map { @{$_->{opts} // []} } @{$d->{sections}}) {
		for (split /\n/, $o->{data} =~ s/\0//gr) {
			$cpu = $1 if /^CPU: (\d+)/;
			$stat{$cpu}{$1} = $2 if defined $cpu && /^([a-z ]+): (\d+)/;
		}
	}
	return \%stat;
}

# Bytes of pages in a file, all CPUs together.
sub dat_bytes {
	my ($sum) = @_;
	my $n = 0;
	$n += $_ for values %{$sum->{size}};
	return $n;
}

# Event lines of zedprint -f report.
sub zed_lines {
	my ($path) = @_;
	pipe my $read, my $write or die "pipe: $!\n";
	my $pid = spawn({ stdout => $write, stderr => '/dev/null' }, zed_bin('zedprint'), '-f', 'report', $path);
	close $write;
	my $n = 0;
	while (<$read>) {
		$n++ if /-\d+\s+\[\d+\] \S{5}\s*\d+(?:\.\d+)?:\s/;
	}
	waitpid $pid, 0;
	return $n;
}

1;
