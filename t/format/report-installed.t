# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f report against the trace-cmd that is installed here, on this repository's recordings: the references
# beside them are of Debian 12's, and the table of differences would be wrong for a distribution without anybody
# seeing it.
#
# of: text sink/print/report.c

use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Compare::Stock;
use Compare::TextChanges;

Compare::RealData::need_program('zedprint');
plan skip_all => stock_missing() if stock_missing();

my ($compared, $not) = (0, 0);
for my $dat (glob Compare::RealData::own() . '/*.dat') {
	my $name = $dat =~ s{.*/}{}r;
	my $run = Compare::RealData::run('zedprint', '-f', 'report', $dat);
	my $ours = Compare::RealData::slurp($run->{out});
	unlink $run->{out};
	my $differs = eval { stock_differs($dat, $ours, 8 * Compare::RealData::long_size($dat)) // 'no' } // do {
		# that of Debian 12 was built without zlib, whose name is in the file's head
		fail("$name: $@") if Compare::RealData::slurp($dat) !~ /\A.{18}zlib\0/s;
		$not++;
		next;
	};
	is($differs, 'no', "$name: no difference that is not in the table");
	$compared++;
}
cmp_ok($compared, '>=', 45, "$compared recordings were compared with trace-cmd " . stock_peer()->[0] . ' and libtraceevent '
	. stock_peer()->[1] . ", $not it cannot read");
is(join("\n", changes_unused(stock_peer(), 't/data')), '', 'each of its differences in the table is in some recording');
done_testing();
