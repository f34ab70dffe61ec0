# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --every on this kernel: intervals come in time, also where nothing happens, live and through a pipe.
#
# of: run/period.c interp programs/zedperl
# Without it: one cannot tell quiet from stuck.
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus');
my $code = 'use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC); my $t0; my $n = 0; %s { $n++ } sub trace_begin { $t0 = clock_gettime(CLOCK_MONOTONIC) } ' .
	'sub trace_interval { my ($f, $t) = @_; printf "%%.3f %%s %%d\n", clock_gettime(CLOCK_MONOTONIC) - $t0, defined $f ? $t - $f : "-", $n; $n = 0 } ';

sub rows { return map { [split] } split /\n/, $_[0]{out} }

my $busy = sprintf $code, 'sub sched::sched_switch';
my $r = leaves_nothing('busy', sub { zed_run({ time => 30, memory => 0 }, 'zedperl', '--live', '--every', '200ms', '-d', '1.5', '-e', $busy) });
my @rows = rows($r);
# For how long, as the last one says: on a busy machine more than it was asked for.
my $lasted = sub { return $rows[-1][0] > 1 ? $rows[-1][0] : 1 };
cmp_ok(scalar @rows, '>=', 5, 'an interval of 200 ms comes at least five times in 1.5 s') or diag $r->{out}, $r->{err};
cmp_ok(scalar @rows, '<=', $lasted->() / 0.2 + 2, '... and not more often');
is(scalar(grep { $_->[1] ne '-' && $_->[1] > 0 && $_->[1] % 200_000_000 } @rows[1 .. $#rows - 1]), 0, 'each is as long as it was asked for, in the trace\'s time') or diag $r->{out};
cmp_ok(scalar(grep { $_->[2] } @rows), '>=', @rows - 2, '... with its events');

my $quiet = sprintf $code, 'sub sched::sched_process_hang';
$r = leaves_nothing('quiet', sub { zed_run({ time => 30, memory => 0 }, 'zedperl', '--live', '--every', '200ms', '-d', '1.3', '-e', $quiet) });
@rows = rows($r);
cmp_ok(scalar @rows, '>=', 3, 'where nothing happens it comes all the same (else: one cannot tell quiet from stuck)') or diag $r->{out}, $r->{err};
cmp_ok(scalar @rows, '<=', $lasted->() / 0.2 + 2, '... by the clock');
is(join('', map { $_->[1] } @rows), '-' x @rows, '... without times, as no event has told any');

$r = zed_run({ time => 30, memory => 0 }, 'sh', '-c', zed_bin('zedtrace') . ' sched:sched_switch -o - -d 1 | ' . zed_bin('zedperl') . " -i - --every 200ms -e '" . ($busy =~ s/'/'\\''/gr) . "'");
@rows = rows($r);
cmp_ok(scalar @rows, '>=', 3, 'through a pipe as well') or diag $r->{out}, $r->{err};

$r = zed_run({ time => 30, memory => 0 }, 'zedperl', '--live', '--every', '300ms', '-d', '1', '-e', 'Zed::count("sched:sched_switch")');
my @times = $r->{out} =~ /^(\d+\.\d{9}) to \d+\.\d{9}:\ncount, sched:sched_switch/mg;
cmp_ok(scalar @times, '>=', 2, 'Zed::count alone: its events are recorded, and printed each time (else: one waits for the end)') or diag $r->{out}, $r->{err};

done_testing();
