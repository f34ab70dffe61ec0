# SPDX-License-Identifier: GPL-2.0-or-later
#
# split-pairs: one trace in parts of its time, by zedperl -j: pairs that begin in one part and end in another. Without
# it they are counted twice or not at all.
#
# of: programs/zedperl reader interp/perl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Fleet;
use Run::FleetSplit;
use Run::Program qw(same);

my $pairs = script_of('pairs', $PAIRS);

my ($crossed, $in_one) = (0, 0);
for my $dat (small() ? 't/data/demo.dat' : recordings()) {
	my $whole = fleet_run($dat, $pairs);
	next if $whole->{status} || $whole->{out} !~ /matched [1-9]/;
	for my $n (small() ? 3 : (2, 3, 7)) {
		my $r = fleet_run('-j', $n, $pairs, $dat);
		same($r->{out}, $whole->{out}, "$dat in $n: pairs as one process finds them (else: one whose start is in another part is not there, or twice)") or diag $r->{err};
		is($r->{err}, $whole->{err}, '... and what is said, once (else: each part says that max_pending is too little)');
		$r->{err} =~ /one process/ ? $in_one++ : $crossed++;
	}
}
cmp_ok($crossed, '>', small(0, 15), 'recordings with pairs, in parts');
is($in_one, 0, '... each of them');

done_testing();
