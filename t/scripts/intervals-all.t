# SPDX-License-Identifier: GPL-2.0-or-later
#
# --every of real recordings: memory, disks, packets, functions, stacks, and losses. Each interval is the window with its time, whatever happens at its borders: without it
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
	'amd64-all/a09_all_short.dat' => [qw(kmem net page-faults power syscalls timers summary)],
	'i386/b09_all_short.dat' => [qw(net page-faults power syscalls timers)],
	'amd64-full/a10_block.dat' => ['block'],
	'amd64-ftrace/a06_fgraph.dat' => [qw(function-graph)],
	'amd64-kt2/a15_kt_stack.dat' => ['stacks'],
	'trixie/d09_lost_b8.dat' => [qw(lost sched-summary waits off-cpu)],
	's390x/b08_lost_b8.dat' => [qw(lost irq syscalls summary)],
);
for my $of (sort keys %analyses) {
	SKIP: {
		skip "no $of", scalar @{$analyses{$of}} if !-e "$shared/data/$of";
		intervals_are_windows({ of => "$shared/data/$of", analysis => $_ }, 3) for @{$analyses{$of}};
	}
}

done_testing();
