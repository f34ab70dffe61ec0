# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -o - -z zstd on the running kernel: the same events, in fewer bytes; and what is converted of it.
#
# of: record/file/zedstream_write.c reader/zedstream record/file/convert.c programs/zedtrace
# Without it: packing loses events, or saves nothing.
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
my $count = 'my $lost = 0; my $n = Zed::count("*:*"); sub trace_lost { $lost += $_[1] } sub trace_end { print "end ", $n->total, " $lost\n" }';
$ENV{LC_ALL} = 'C';

my $r = leaves_nothing('-z', sub { zed_run({ time => 60, memory => 0, stdout => "$dir/packed.zed" }, 'zedtrace', '-z', 'zstd', '-d', '500ms', '-o', '-', 'raw_syscalls',
	'--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=20000', 'status=none') });
my $report = live_report($r->{err});
ok($report && $report->{events} > 40_000, '-o - -z zstd records') or diag $r->{err};
cmp_ok(-s "$dir/packed.zed", '<', 1024 * ($report->{kib} // 0), '... and the stream is shorter than its pages');
my $got = zed_run({ time => 60 }, 'zedperl', '-e', $count, "$dir/packed.zed");
is("$got->{exit} $got->{out}", "0 end $report->{events} $report->{dropped}\n", '... all of them are read (else: packing loses some)') or diag $got->{err};
zed_run({ time => 60 }, 'zedtrace', '--convert', "$dir/packed.zed", '-o', "$dir/packed.dat");
is(dat_events("$dir/packed.dat")->{events}, $report->{events}, '... and converted');

done_testing();
