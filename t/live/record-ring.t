# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --max-size on the running kernel: of numbered events the newest are in the file.  Without it a flight recorder
# shows the start.
#
# of: programs/zedtrace record/file
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
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- a ring on the disk
# close(2) of descriptors that are not there: each event has a number, and all are of one CPU, in order.
my $COUNT = 80_000;
my $numbers = 'my ($n, $min, $max) = (0, 1e9, 0); Zed::on("syscalls:sys_enter_close", args => ["fd"], sub { my $fd = $_[0] - 100_000; ' .
	'return if $fd <= 0; $n++; $min = $fd if $fd < $min; $max = $fd if $fd > $max }); sub trace_end { print "$n $min $max" }';
for my $codec (qw(none zstd)) {
	my $file = "$dir/ring.dat";
	unlink $file;
	my $r = record('-c', '-o', $file, '-z', $codec, '-b', 16384, '--max-size', '1M', 'syscalls:sys_enter_close', '--', 'taskset', '-c', 0,
		$^X, '-e', "use POSIX (); POSIX::close(100_000 + \$_) for 1 .. $COUNT");
	my $report = live_report($r->{err});
	is($r->{exit}, 0, "--max-size, $codec") or diag $r->{err};
	my $sum = eval { dat_events($file) } or diag $@;
	next if !$report || !$sum;
	my $bytes = dat_bytes($sum);
	cmp_ok($bytes, '<=', 1 << 20, "--max-size 1M, $codec: no more than that");
	cmp_ok($bytes, '>', 1 << 18, "--max-size 1M, $codec: and not much less, with this load");
	cmp_ok($report->{events}, '>', $sum->{events}, "--max-size, $codec: the report counts what was recorded, not what was kept");
	ok(scalar(grep { /\b$sum->{events}\b/ } @{$report->{rest}}), "--max-size, $codec: a line tells how many are in the file")
		or diag $r->{err};
	my $got = zed_run({ time => long_limit() }, 'zedperl', '-e', $numbers, $file);
	my ($n, $min, $max) = split ' ', $got->{out};
	ok(defined $max && $min > 1 && $max == $COUNT && $n == $max - $min + 1,
		"--max-size, $codec: the newest are kept, all of them (" . ($got->{out} || $got->{err}) . ') (else: a flight recorder shows the start)');
	is(zed_lines($file), $sum->{events}, "--max-size, $codec: zedprint reads it");
	my $stock = stock_count($file);
	SKIP: {
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $sum->{events}, "--max-size, $codec: trace-cmd reads it");
	}
}

done_testing();
