# SPDX-License-Identifier: GPL-2.0-or-later
#
# groups-kernel: as t/fleet/groups.t, the analyses of devices and of the kernel's own work.  Without it an answer depends
# on which traces one process gets.
#
# of: scripts lib/Zed programs/zedperl/fleet
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::FleetAnalyses;

groups($_) for small('power') // grep { !of_tasks($_) } analyses();

done_testing();
