# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -d: how long is recorded.  Without it a busy machine, where it takes long until tracing is on, would leave
# nothing of a short recording, and no word would say so.
#
# of: record
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $shim = File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so');
# Each CPU's timer, and whoever wakes meanwhile.
my %asan = $ENV{ZED_SAN} ? (ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0') : ();
my $h = live_start({ env => { LD_PRELOAD => $shim, ZED_SHIM => 'late=/tracing_on:700', %asan } },
	'zedtrace', '-o', "$dir/late.dat", '-d', '0.5', 'sched', 'timer');
my $r = live_end($h, 60);
is($r->{exit}, 0, 'tracing that goes on and off 0.7 s late') or diag $r->{err};
my @times = map { /(\d+\.\d+):/ ? $1 : () } split /\n/, zed_run({}, 'zedprint', '-f', 'kernel', "$dir/late.dat")->{out};
# 0.5 s, and 0.7 until it is off.
cmp_ok(@times ? $times[-1] - $times[0] : 0, '>', 0.95, 'half a second is recorded, from when it is on') or diag scalar @times, ' events';

done_testing();
