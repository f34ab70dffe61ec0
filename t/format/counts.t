# SPDX-License-Identifier: GPL-2.0-or-later
#
# How many events of each type zedperl hands to Perl, losses and $sequence, on the full recordings, against stock's raw
# report and an independent page walk.  Without it zedperl could drop or double records and every script would quietly be
# wrong.
#
# of: reader interp programs/zedperl
# runs: make check; a small pass in make test
use strict;
use warnings;
use lib 't/lib';
use Run::Counts;

counts_of(0, 2);
