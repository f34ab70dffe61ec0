# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/schema over the recordings of t/data, a to l: what is only in one of them (several buffers, losses, other clocks, other
# byte orders) is in the schema, too.  Without it the schema is that of the recordings that somebody looked at.
#
# of: docs/schema lib/Zed/Answer.pm lib/Zed/Table.pm scripts sink/print/json.c
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Schemas;

my ($answers, $lines) = (0, 0);
for my $path (recordings('[a-l]*.dat')) {
	$answers += answers_fit($path);
	$lines += lines_fit($path);
}
cmp_ok($answers, '>', 100, "$answers answers");
cmp_ok($lines, '>', 1000, "$lines lines of zedprint");

done_testing();
