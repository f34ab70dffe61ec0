# SPDX-License-Identifier: GPL-2.0-or-later
#
# As t/format/counts.t, of the other half of the recordings: how many events of each type zedperl hands to Perl, losses
# and $sequence.  Without it zedperl could drop or double records and every script would quietly be wrong.
#
# of: reader interp programs/zedperl
# runs: make check
use strict;
use warnings;
use lib 't/lib';
use Run::Counts;

counts_of(1, 2);
