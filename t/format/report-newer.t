# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f report against what trace-cmd 3.3.1 (in nanoseconds) and 3.4.0 printed of the same full recordings; without
# it a wrong flag, or a difference between versions that nobody knows of, in any real file would go unseen.
#
# of: reader sink/print programs/zedprint
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Compare::Reports;

my $why = Compare::RealData::no_shared();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');

reports_equal([['report340'], ['report331t', '--ns']], { report340 => 54, report331t => 52 });
done_testing();
