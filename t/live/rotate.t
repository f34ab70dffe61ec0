# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --rotate on the running kernel: a load whose events are numbered is in the files from its first to its
# last, each file is whole for the installed trace-cmd, and --keep removes what this run made and nothing else.  Without
# it what comes between two files is lost, or a disk fills.
#
# of: record/file programs/zedtrace
# runs: make check
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);
my $page = 4096;
my $nproc = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;
my $n = 120_000;

sub files { return sort glob "$dir/$_[0]" }

# The numbers of the load in FILE, as trace-cmd reads them: close() of descriptors that are not there.
sub numbers {
	my ($file) = @_;
	return map { /close.*\bfd[:=] ?(?:0x)?([0-9a-f]+)/ ? hex $1 : () } split /\n/, stock_text($file);
}

SKIP: {
	my $none = stock_missing();
	skip $none, 7 if $none;
	# On one CPU, so that the order of records is that of the numbers.
	my $load = "use POSIX (); for (1 .. $n) { POSIX::close(100_000 + \$_); select undef, undef, undef, 0.02 if !(\$_ % 5000) }";
	my $r = leaves_nothing('with a command', sub {
		zed_run({ time => 60, memory => 0 }, 'zedtrace', '-c', '-b', 16384, '--rotate', '1M', '-o', "$dir/a.dat",
			'syscalls:sys_enter_close', '--', 'taskset', '-c', 0, $^X, '-e', $load)
	});
	is($r->{exit}, 0, 'exit 0') or diag($r->{err});
	my $report = live_report($r->{err});
	my @files = files('a.*');
	cmp_ok(scalar @files, '>', 2, 'several files');
	is_deeply([map { s{.*/}{}r } @files], [map { sprintf 'a.%06d.dat', $_ } 1 .. @files],
		'their names count up, and nothing else is there (else: the order is lost, or FILE.zed stays)');
	my (@all, %sum);
	for my $file (@files) {
		my $sum = dat_events($file);
		$sum{events} += $sum->{events};
		$sum{read} += $_->{'read events'} for values %{dat_stats($file)};
		push @all, grep { $_ > 100_000 } numbers($file);
		$sum{most} = dat_bytes($sum) if dat_bytes($sum) > ($sum{most} // 0);
	}
	is("$all[0] .. $all[-1], " . @all, '100001 .. ' . (100_000 + $n) . ", $n", 'all numbers are there, none twice');
	my @odd = grep { $all[$_] != $all[$_ - 1] + 1 } 1 .. $#all;
	ok(!@odd, 'in their order, from file to file (else: what comes between two files is lost, or told twice)')
		or diag("at @odd[0 .. ($#odd < 4 ? $#odd : 4)]");
	is($sum{events}, $report->{events}, 'the report counts what the files hold together');
	my $one = zed_run('zedperl', '-j', 2, 'countall', @files);
	is(($one->{out} =~ /^syscalls::sys_enter_close: (\d+)$/m)[0], $sum{events},
		'one answer from all of them has the events of all (else: they are taken for one file, several times)') or diag($one->{err});
	is($sum{read}, $report->{events}, '... and so do the statistics in them, each its own (else: they add up to too much)');
	like($r->{err}, qr/^Files: ${\scalar @files}, \Q$files[0]\E to \Q$files[-1]\E$/m, 'and names them');
}

# By size: what a file may have.  A file may grow while the one before is put together, so the load is slow; on a busy
# machine that takes its time all the same.
{
	my ($size, $parent) = (64 * $page * $nproc);
	my $r = leaves_nothing('slow', sub {
		my $h = live_start('zedtrace', 'raw_syscalls:sys_enter', '-P', $$, '-b', 4096, '--rotate', $size / 1024 . 'K',
			'-o', "$dir/s.dat");
		live_ready($h) or BAIL_OUT('it does not start: ' . live_end($h)->{err});
		for (1 .. 40) {
			$parent = getppid for 1 .. 1500;
			select undef, undef, undef, 0.05;
		}
		live_signal($h, 'INT');
		live_end($h);
	});
	my @files = files('s.*');
	is($r->{exit}, 0, 'Ctrl-C: exit 0') or diag($r->{err});
	cmp_ok(scalar @files, '>', 2, 'Ctrl-C: there are files');
	my @bytes = map { dat_bytes(dat_events($_)) } @files;
	my @over = grep { $_ > $size * 1.25 } @bytes;
	# On a busy machine it may look late once.
	ok(@over <= @bytes / 4, "no file has much more than its $size bytes of data (else: a disk fills that should not)") or diag("@bytes");
	my @small = grep { $_ < $size / 2 } @bytes[0 .. $#bytes - 1];
	ok(!@small, '... and but the last none less than half of them (else: files by the thousand)') or diag("@bytes");
	is(scalar(grep { !/\.\d{6}\.dat$/ } @files), 0, 'Ctrl-C leaves whole files and nothing else');
	like(zed_run({ time => 60 }, 'zedtrace', 'raw_syscalls:sys_enter', '--rotate', '8K', '-o', "$dir/x.dat")->{err}, qr/8192 bytes are too small .*K is the minimum/,
		'a size that one look at the buffers exceeds is refused');
	is(scalar(() = files('x.*')), 0, '... and leaves no file');
}

# By time, with --keep; two files of an earlier run, and one that somebody put there meanwhile.
{
	put_text("$dir/t.000041.dat", 'mine');
	put_text("$dir/t.x.dat", 'mine too');
	my $swapped;
	my $r = leaves_nothing('--keep', sub {
		my $h = live_start('zedtrace', 'sched:sched_switch', '--rotate', '400ms', '--keep', 2, '-o', "$dir/t");
		wait_until(60, sub { -e "$dir/t.000042.dat" });
		unlink "$dir/t.000042.dat";
		$swapped = put_text("$dir/t.000042.dat", 'not the one that was made');
		wait_until(60, sub { -e "$dir/t.000046.dat" });
		live_signal($h, 'TERM');
		live_end($h);
	});
	is($r->{exit}, 0, '--keep: exit 0') or diag($r->{err});
	my @files = map { s{.*/}{}r } files('t.*');
	my @new = grep { /^t\.0000(\d\d)\.dat$/ && $1 > 42 } @files;
	is(scalar @new, 2, 'the newest two stay') or diag("@files");
	is($new[-1], [map { m{to \S*/(\S+)} } $r->{err}]->[0], '... one of which is the last');
	is(slurp("$dir/t.000041.dat") . slurp("$dir/t.x.dat"), 'minemine too',
		'numbers go on behind what is there, and that is left alone (else: an earlier recording is gone)');
	ok($swapped, 'a file was replaced');
	is(slurp("$dir/t.000042.dat"), 'not the one that was made', 'a file that is no longer ours is not removed');
	my @times = map { my $s = dat_events("$dir/$_"); [@$s{qw(first last)}] } @new;
	my $length = ($times[0][1] - $times[0][0]) / 1e9;
	# What CPUs recorded while all were read is in either; the last one may have ended before its first event.
	cmp_ok(($times[0][1] - ($times[1][0] // $times[0][1])) / 1e9, '<', 0.05 + $length / 4, 'one file ends about where the next begins');
	ok($length > 0.15 && $length < 10, 'a file lasts about that time, longer on a busy machine') or diag($length);
}

# A disk that a storm fills: while one file is put together the next one has events already.  Either the oldest files
# give way, or there is none yet and it ends.
SKIP: {
	skip live_cannot('no file system can be mounted here'), 12 if system "unshare -m mount -t tmpfs -o size=1M none /mnt 2>/dev/null";
	my $load = storm_start(60);
	for my $size ('8M', '9M', '10M') {
		mkdir "$dir/out$size";
		my $r = leaves_nothing("a full disk of $size", sub {
			zed_run({ time => $ENV{ZED_SAN} ? 120 : 60, memory => 0, env => { ZT => File::Spec->rel2abs(zed_bin('zedtrace')), D => "$dir/out$size", LC_ALL => 'C' } }, '/usr/bin/env', 'unshare', '-m', 'sh', '-c',
				"mount -t tmpfs -o size=$size none /mnt && cd /mnt && \$ZT raw_syscalls --rotate 1M -b 512 -d 4 -o r.dat 2>\$D/e
				ls -d *.zed >\$D/left 2>/dev/null; mount -o remount,size=256M /mnt
				for z in *.zed; do \$ZT --recover \$z; done; mv r.*.dat \$D");
		});
		my $said = slurp("$dir/out$size/e");
		like($said, qr/No space left on device|removed, the oldest file, as the disk is full/, "a disk of $size was full") or diag($r->{err});
		is(join(' ', grep { $said !~ /--recover \Q$_\E\b/ } split ' ', slurp("$dir/out$size/left")), '',
			'... and each file that is to be recovered is named (else: the last events before it are not found)') or diag($said);
		my $there = 0;
		$there += dat_events($_)->{events} for glob "$dir/out$size/*.dat";
		$there += $1 if $said =~ /removed for a full disk, with (\d+) events?/;
		is((live_report($said) // {})->{events}, $there, '... with them, and those that gave way, the files have what is reported') or diag($said, $r->{err});
		unlink glob "$dir/out$size/*.dat";
	}
	storm_end($load);
}

# A second one of the same name, while the first goes on.
{
	my @h;
	for (1, 2) {
		push @h, live_start('zedtrace', '--rotate', '300ms', '-o', "$dir/two.dat", 'sched:sched_switch');
		live_ready($h[-1]) or diag('it does not start');
		my $before = () = glob "$dir/two.*.dat";
		wait_until(60, sub { $before + 2 * @h <= (() = glob "$dir/two.*.dat") });
	}
	my @r = map { live_signal($_, 'INT'); live_end($_) } @h;
	is(join(' ', map { $_->{exit} } @r), '0 0', 'two of one name: both go on to their end (else: a recording of days ends when another begins)')
		or diag(map { $_->{err} } @r);
	my ($told, $there) = (0, 0);
	$told += (live_report($_->{err}) // {})->{events} // 0 for @r;
	$there += dat_events($_)->{events} for glob "$dir/two.*.dat";
	is($there, $told, 'and their files have what both report (else: one writes over the other\'s)');
}

done_testing();
