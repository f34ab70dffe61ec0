# SPDX-License-Identifier: GPL-2.0-or-later
#
# --every of real recordings: the scheduler, interrupts and system calls. Each interval is the window with its time, whatever happens at its borders: without it
# only the recordings that were made small are right.
#
# of: lib/Zed/Intervals.pm lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Frames.pm scripts
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Run::Program;

my $shared = zed_shared() // '';
my %analyses = (
	'amd64-kt/a15_kt_sched_irq.dat' => [qw(sched-summary waits wakeup-latency off-cpu who-wakes-whom why-late softirq syscalls timers summary)],
	'amd64-rt/a13_rt_sched.dat' => [qw(sched-summary waits wakeup-latency off-cpu who-wakes-whom why-late softirq summary)],
);
for my $of (sort keys %analyses) {
	SKIP: {
		skip "no $of", scalar @{$analyses{$of}} if !-e "$shared/data/$of";
		intervals_are_windows({ of => "$shared/data/$of", analysis => $_ }, 3) for @{$analyses{$of}};
	}
}

done_testing();
