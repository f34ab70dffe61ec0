# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder that is left running: a disk that is full or that other files fill, --keep-size, --keep-free, and --exec for
# each file that is complete.  Without it a recorder of days ends in the night, fills the disk, or its files are removed
# before they were uploaded.
#
# of: record/file programs/zedtrace base/exec_queue.c
# runs: make check
use strict;
use warnings;
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $nproc = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;
my $least = 64 * 4 * $nproc . 'K';	# of a file of --rotate
$ENV{LC_ALL} = 'C';

sub files { return sort glob "$dir/$_[0]" }

# Bytes that an unprivileged process may write to the file system of PATH.
sub free_on {
	my ($path) = @_;
	my @line = split /\n/, `df -P -k '$path'`;
	return 1024 * (split ' ', $line[1])[3];
}

sub ended { return !-e "/proc/$_[0]{pid}/exe" }

# The highest number of a file STEM.NNNNNN.dat.
sub highest {
	my ($stem) = @_;
	return (sort { $b <=> $a } 0, map { /\.(\d{6})\.dat$/ ? $1 : () } glob "$stem.*")[0];
}

sub sum { my $n = 0; $n += $_ for @_; return $n }

# What the report says of removed files: how many, and their events.
sub removed {
	my ($err, $why) = @_;
	return $err =~ /^Files: .*\((\d+) removed for \Q$why\E, with (\d+) events?\)/m ? ($1, $2) : (0, 0);
}

# Files in the report, and those that are there with what was removed, have the events that it counts.
sub adds_up {
	my ($name, $r, $events, @files) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(sum(map { dat_events($_)->{events} } @files) + $events, (live_report($r->{err}) // {})->{events} // -1,
		"$name: the files, and those that were removed, have what is reported (else: a report that no reader agrees with)")
		or diag($r->{err});
	return;
}

# ---------------------------------------------------------------- a full disk
SKIP: {
	my $small = "$dir/small";
	mkdir $small;
	skip live_cannot('no small tmpfs can be mounted'), 1 if system "mount -t tmpfs -o size=16m nodev '$small' 2>/dev/null";
	my $load = drizzle_start(120);
	my $r = leaves_nothing('a full disk', sub {
		my $h = live_start('zedtrace', 'raw_syscalls', '-P', $load, '-b', 1024, '--rotate', $least, '-o', "$small/r.dat");
		wait_until(90, sub { highest("$small/r") >= 16 || ended($h) });
		live_signal($h, 'INT');
		live_end($h);
	});
	storm_end($load);
	my @files = glob "$small/r.*";
	cmp_ok(highest("$small/r"), '>=', 16, 'a full disk: it goes on (else: a recorder of days ends in the night)') or diag($r->{err});
	like($r->{err}, qr{^zedtrace: \Q$small\E/r\.000001\.dat: removed, the oldest file, as the disk is full: --keep-size or --keep-free}m,
		'... and each file that gave way is said');
	is($r->{exit}, 1, '... also by the exit status');
	ok(!-e "$small/r.000001.dat", '... the oldest first');
	is(scalar(grep { !/\.\d{6}\.dat$/ } @files), 0, '... and whole files are left, and nothing else') or diag("@files");
	my ($n, $events) = removed($r->{err}, 'a full disk');
	is(scalar(() = $r->{err} =~ /: removed, the oldest file/g), $n, '... as many as the report says');
	adds_up('a full disk', $r, $events, @files);
	unlink @files;

	# --keep-free: other files fill the disk while one file lasts for hours.
	$r = leaves_nothing('--keep-free', sub {
		my $h = live_start('zedtrace', 'sched:sched_switch', '-b', 256, '--rotate', '200ms', '--keep-free', '8M', '-o', "$small/f.dat");
		wait_until(90, sub { highest("$small/f") >= 14 || ended($h) });
		my $free = free_on($small);
		cmp_ok($free, '>', 5 << 20, '--keep-free: room is left (else: the disk fills)');
		my $before = () = glob "$small/f.*.dat";
		put_text("$small/other", 'x' x (3 << 20));
		ok(wait_until(20, sub { $before > (() = glob "$small/f.*.dat") }), '... also when another file takes it');
		live_signal($h, 'INT');
		live_end($h);
	});
	is($r->{exit}, 0, '... and it ends well') or diag($r->{err});
	unlike($r->{err}, qr/disk is full/, '... and never was full');
	@files = glob "$small/f.*";
	($n, $events) = removed($r->{err}, '--keep-free');
	cmp_ok($n, '>', 0, '... which the report says');
	adds_up('--keep-free', $r, $events, @files);
	is(-s "$small/other", 3 << 20, "... and of others' files nothing is removed");
	system 'umount', $small;
}

# ---------------------------------------------------------------- --keep-size, of --rotate and --flight
{
	my $most = 5 << 20;
	my $r = leaves_nothing('--keep-size', sub {
		my $h = live_start('zedtrace', 'sched:sched_switch', '--rotate', '200ms', '--keep-size', $most, '--keep', 50, '-o', "$dir/s.dat");
		wait_until(90, sub { highest("$dir/s") >= 12 || ended($h) });
		live_signal($h, 'INT');
		live_end($h);
	});
	is($r->{exit}, 0, '--keep-size: exit 0') or diag($r->{err});
	my @files = files('s.*');
	my $size = sum(map { -s } @files);
	cmp_ok($size, '<=', $most, 'no more than that is kept (else: the disk fills)');
	cmp_ok($size + 2 * -s $files[0], '>', $most, '... and no less');
	my ($n, $events) = removed($r->{err}, '--keep 50, --keep-size');
	is($files[0], sprintf("$dir/s.%06d.dat", $n + 1), '... the newest of them');
	adds_up('--keep-size', $r, $events, @files);
}
{
	my $r = leaves_nothing('--flight', sub {
		my $h = live_start('zedtrace', 'sched:sched_switch', '--flight', '64K', '--keep-size', 1, '-o', "$dir/fl.dat");
		live_ready($h);
		wait_until(20, sub { live_catches($h->{pid}, POSIX::SIGUSR1()) });
		for my $i (1 .. 2) {
			live_signal($h, 'USR1');
			wait_until(30, sub { -e sprintf "$dir/fl.%06d.dat", $i });
		}
		live_signal($h, 'INT');
		live_end($h);
	});
	my @files = files('fl.*');
	is(scalar @files, 1, '--keep-size of --flight: the newest stays, however large') or diag($r->{err});
	like($r->{err}, qr/files: \d, \S* to \Q$files[0]\E \(\d removed for --keep-size, with \d+ events?\)/, '... and the end says so');
}

# ---------------------------------------------------------------- --exec
{
	put_text("$dir/up", "#!/bin/sh\necho \"\$1\" >>'$dir/log'\ncase \$1 in *000002.dat) exit 7 ;; *000003.dat) kill -TERM \$\$ ;; esac\n");
	chmod 0755, "$dir/up";
	my $r = leaves_nothing('--exec', sub {
		my $h = live_start('zedtrace', 'sched:sched_switch', '--rotate', '200ms', '--exec', "$dir/up", '-o', "$dir/e.dat");
		wait_until(90, sub { -e "$dir/e.000005.dat" || ended($h) });
		live_signal($h, 'INT');
		live_end($h);
	});
	is_deeply([split /\n/, slurp("$dir/log")], [files('e.*')], '--exec: the program gets each file, the last one too, in order');
	like($r->{err}, qr{^zedtrace: \Q$dir/up $dir/e.000002.dat\E: failed with exit status 7$}m, '... and a failure is said (else: nobody notices)');
	like($r->{err}, qr{e\.000003\.dat: killed by signal 15 \(}, '... with a signal, too');
	is($r->{exit}, 1, '... also by the exit status');
	unlink "$dir/log";
	$r = zed_run({ time => 60, memory => 0 }, 'zedtrace', '-d', '0.1', 'sched:sched_switch', '--exec', "$dir/up", '-o', "$dir/one.dat");
	is("$r->{exit} " . slurp("$dir/log"), "0 $dir/one.dat\n", 'a single file, too') or diag($r->{err});
	unlink "$dir/log";
	$r = zed_run({ time => 60, memory => 0 }, 'zedtrace', '-d', '0.5', 'sched:sched_switch', '--flight', '1s', '--exec', "$dir/up", '-o', "$dir/x.dat");
	is("$r->{exit} " . slurp("$dir/log"), "0 $dir/x.000001.dat\n", '... and those of --flight') or diag($r->{err});
	$r = zed_run({ time => 60 }, 'zedtrace', 'sched:sched_switch', '--exec', 'no-such-program', '-o', "$dir/n.dat");
	is("$r->{exit} $r->{err}", "2 zedtrace: --exec: no-such-program: command not found\n", 'a program that is not there is refused at once');
}

done_testing();
