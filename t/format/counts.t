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
use Test::More;
use lib 't/lib';
use Compare::KernelText;
use Compare::RealData;
use Pass;

my $why = Compare::RealData::no_shared();
plan skip_all => $why if $why;
plan skip_all => 'no zstd tool: apt-get install zstd' if !Compare::RealData::have_zstd();
Compare::RealData::need_program('zedperl');

my $dir = Compare::RealData::shared();
my @dats = Compare::RealData::recordings($dir);
@dats = Compare::RealData::one_each(grep { Compare::RealData::reference($_, 'raw') } @dats) if small();
for my $dat (@dats) {
	my $name = substr $dat, 1 + length $dir;
	my ($bad) = Compare::KernelText::check_counts($dat, Compare::RealData::reference($dat, 'raw'));
	ok(!$bad, "$name: events, losses and sequence numbers") or diag("$name: $bad");
}
my $least = small(12, 54);
cmp_ok(scalar @dats, '>=', $least, "at least $least recordings were counted");
done_testing();
