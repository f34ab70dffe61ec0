# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -b, -s and -z on the running kernel: the kernel's buffers are as asked for, and files of each form hold all
# events.  Without it an option could cost events.
#
# of: programs/zedtrace kernel record
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- buffers, sub-buffers
{
	my $h = live_start('zedtrace', '-o', "$dir/b.dat", '-b', 300, 'sched');
	my $inst = live_ready($h);
	ok($inst, 'an instance of our own, zed.PID.START') or diag live_end($h, 0)->{err};
	my $kb = $inst ? eval { slurp("$inst/per_cpu/cpu0/buffer_size_kb") } // 0 : 0;
	chomp $kb;
	ok($kb >= 300 && $kb < 320, "-b 300: the kernel has given $kb KiB");
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, 'Ctrl-C: exit 0');
	SKIP: {
		skip live_cannot('this kernel has no sub-buffers but pages'), 8 if !-e "$root/buffer_subbuf_size_kb";
		for my $kb (8, 32) {
			my $file = "$dir/s$kb.dat";
			my $load = drizzle_start(30);
			my $r = record('-o', $file, '-s', $kb, '-d', '0.2', 'raw_syscalls', 'sched');
			storm_end($load);
			my $report = live_report($r->{err});
			is($r->{exit}, 0, "-s $kb") or diag $r->{err};
			next if !$report;
			my $sum = adds_up("-s $kb", $file, $report);
			is($sum->{page}, $kb << 10, "-s $kb: the file says so");
			is(zed_lines($file), $sum->{events}, "-s $kb: zedprint reads all of it");
			unlink $file;
		}
		my $r = leaves_nothing('-s 8 with -o -', sub { pipeline('$ZT -s 8 -d 0.4 sched -o - 2>$D/zt.err | $ZP -i - $S/countall.pl') });
		my $said = live_report(slurp("$dir/zt.err"));
		is(counted($r->{out}), $said && $said->{events}, '-s 8: in a stream too');
	}
}

# ---------------------------------------------------------------- compression
for my $codec (qw(none zlib zstd)) {
	my $file = "$dir/z.dat";
	unlink $file;
	# Far more than the metadata, which are compressed as well.
	my $r = record('-o', $file, '-z', $codec, '-b', 8192, 'raw_syscalls', 'sched', '--', $^X, '-e', 'getppid for 1 .. 60_000');
	my $report = live_report($r->{err});
	is($r->{exit}, 0, "-z $codec") or diag $r->{err};
	next if !$report;
	my $sum = eval { dat_events($file) } // {};
	is("$sum->{codec} $sum->{events}", "$codec $report->{events}", "-z $codec: so compressed, all events") or diag $@;
	cmp_ok(-s $file, '<', dat_bytes($sum) / 1.5, "-z $codec: smaller") if $codec ne 'none';
	is(zed_lines($file), $report->{events}, "-z $codec: zedprint reads all of it");
	my $stock = $codec eq 'zlib' ? undef : stock_count($file);
	SKIP: {
		skip 'zlib is not in the trace-cmd of Debian', 1 if $codec eq 'zlib';
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $report->{events}, "-z $codec: and trace-cmd does");
	}
}

# The metadata alone are compressed unless told: of an idle time that is nearly all. As trace-cmd prints it, it is the same.
{
	my ($stream, %size, %text) = ("$dir/idle.zed");
	my $r = pipeline('$ZT -o - sched:sched_process_exit -- sh -c "/bin/true" >$D/idle.zed');
	is($r->{exit}, 0, 'a few events, saved as a stream') or diag $r->{err};
	for my $how ('', 'none') {
		my $file = "$dir/idle.dat";
		is(record('--convert', $stream, '-o', $file, $how ? ('-z', $how) : ())->{exit}, 0, "converted, -z '$how'");
		$size{$how} = -s $file;
		my $sum = dat_events($file);
		is($sum->{codec}, $how || 'zstd', "-z '$how': what the head names");
		like(zed_run({ time => 60 }, 'zedprint', '--summary', $file)->{out}, $how ? qr/compression +none$/m : qr/compression +zstd, the metadata alone$/m, '... and --summary says');
		$text{$how} = [zed_run({ time => 60 }, 'zedprint', $file)->{out}, eval { stock_text($file) } // 'none'];
	}
	cmp_ok($size{''}, '<', $size{none} / 4, "an idle second's file: $size{''} bytes, uncompressed $size{none} (else: the kernel's symbols fill the disk)");
	is_deeply($text{''}, $text{none}, 'both print the same events, here and in trace-cmd (else: what is packed is read otherwise)');
}

done_testing();
