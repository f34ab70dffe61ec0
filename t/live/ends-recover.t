# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 of a recording on the running kernel, and zedtrace --recover: every event that was taken is in the file.
# Without it a crash costs what was on the disk.
#
# of: programs/zedtrace record/file
# runs: make check
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $long = long_limit();
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- kill -9, --recover
for my $case (['a file', '-b', 512], ['a file to be compressed', '-z', 'zstd'], ['a ring', '--max-size', '1M'],
	['sub-buffers of 16 KiB', '-s', 16]) {
	my ($what, @opts) = @$case;
	SKIP: {
		skip live_cannot('this kernel has no sub-buffers but pages'), 1 if $what =~ /sub-/ && !-e "$root/buffer_subbuf_size_kb";
		my $file = "$dir/recover.dat";
		unlink $file;
		my $h = live_start('zedtrace', '-o', $file, @opts, 'raw_syscalls', 'sched');
		my $inst = live_ready($h);
		ok($inst, "$what: recording") or diag(live_end($h, 0)->{err}), next;
		my $load = storm_start(60);
		wait_until(30, sub { live_taken($inst) > ($what eq 'a ring' ? 150_000 : 40_000) });
		storm_end($load);
		put_text("$inst/events/enable", '0');
		# Without events it waits for nothing to come, and has nothing in its hands: it sleeps, and takes no more.
		my $read = live_taken($inst);
		wait_until(30, sub {
			my $before = $read;
			sleep 0.3;
			$read = live_taken($inst);
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
			ok($sum->{events} > 10_000 && dat_bytes($sum) <= 1 << 20, "$what: as much of it as the ring holds") or diag $@;
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
	my $r = zed_run({ time => 60 }, 'zedtrace', '--recover', "$dir/nothing.zed");
	is("$r->{exit} " . @{$r->{lines}}, '2 1', '--recover of nothing: one line, exit 2') or diag $r->{err};
	mkdir "$dir/empty.zed";
	$r = zed_run({ time => 60 }, 'zedtrace', '--recover', "$dir/empty.zed");
	ok($r->{exit} == 2 && @{$r->{lines}} == 1 && !-e "$dir/empty", '--recover of an empty directory: one line, exit 2, no file') or diag $r->{err};
}

done_testing();
