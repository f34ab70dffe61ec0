# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses of the kernel's own work keep, made large by traces in which nothing ends: memory, work, timers, packets.
# Without it a few KB of begins without ends keep a processor busy for minutes.
#
# of: scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Growth;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

grows('memory that is never freed', 3000, sub { "0 5 kmalloc a @{[4096 + 64 * $_[0]]} 60 64" }, sub { "0 5 kfree @{[9_000_000 + $_[0]]}" }, sub { '0!-1 5 kfree 1' });
grows('pages that are never freed', 3000, sub { "0 5 page_alloc $_[0] 0" }, sub { "0 5 page_free @{[90_000 + $_[0]]} 0" });
grows('work that waits, and work that does not end, then losses', 2000, sub { my $n = $_[0]; ("0 5 queue_work f\@@{[4096 + $n]}", "0 @{[900 + $n]} execute_start g\@@{[900_000 + $n]}") },
	sub { '0!-1 5 execute_end f' });
grows('timers that never expire, then losses', 2000, sub { my $n = $_[0]; ("0 5 hrtimer f\@@{[4096 + $n]} 900000", "0 5 wheel_start g\@@{[9096 + $n]} 900000 5") },
	sub { '0!-1 5 hrcancel f@1' });
grows('packets that are never sent', 3000, sub { my $n = $_[0]; ("0 5 packet @{[4096 + $n]} 60 e$n", "0 5 receive @{[90_096 + $n]} 60 e$n") }, sub { "0 5 xmit @{[900_000 + $_[0]]} 60 e1" });
grows('faults of many tasks at many places', 3000, sub { "0 @{[1000 + $_[0]]} fault_user @{[4096 * $_[0]]} 4" });
grows('CPUs that are idle, then losses', 2000, sub { "0 0 idle 1 @{[$_[0] % 200]}" }, sub { '0!-1 0 khz 1000 0' });

done_testing;
