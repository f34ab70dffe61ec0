# SPDX-License-Identifier: GPL-2.0-or-later
#
# analyses: every analysis over a fleet: its state taken from each trace and merged, in any order, tree and grouping,
# with jobs that ran twice.  Without it a number of the answer could depend on which machine was done first.
# Of tasks and CPUs; those of devices and of the kernel's own work: t/fleet/analyses-kernel.t.
#
# of: scripts lib/Zed programs/zedperl/fleet
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::FleetAnalyses;

merges($_) for small('wakeup-latency') // grep { of_tasks($_) } analyses();

done_testing();
