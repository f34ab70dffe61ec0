# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f report, our one text, against what trace-cmd 3.1.6 printed of the same full recordings; without it a wrong
# field, time, order or loss mark in any real file would go unseen.  report-newer.t has the later versions of trace-cmd,
# report-long.t the recording that is too long for a text.
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

reports_equal([['report']], { report => 53 });
done_testing();
