# SPDX-License-Identifier: GPL-2.0-or-later
#
# analyses-kernel: as t/fleet/analyses.t, the analyses of devices and of the kernel's own work.  Without it a number of the
# answer could depend on which machine was done first.
#
# of: scripts lib/Zed programs/zedperl/fleet
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::FleetAnalyses;

merges($_) for small('block') // grep { !of_tasks($_) } analyses();

done_testing();
