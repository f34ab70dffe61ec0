# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Counts: how many events of each type zedperl hands to Perl, losses and $sequence, on full recordings, against stock's
# raw report and an independent page walk.
#
#	counts_of(0, 2);	# of the recordings the first and every second one from there
package Run::Counts;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Compare::KernelText;
use Compare::RealData;
use Pass;

our @EXPORT = qw(counts_of);

# The whole test, of the recordings FIRST, FIRST + STEP and so on; in make test of one of each folder.
sub counts_of {
	my ($first, $step) = @_;
	my $why = Compare::RealData::no_shared();
	plan skip_all => $why if $why;
	plan skip_all => 'no zstd tool: apt-get install zstd' if !Compare::RealData::have_zstd();
	Compare::RealData::need_program('zedperl');
	my $dir = Compare::RealData::shared();
	my @dats = Compare::RealData::recordings($dir);
	my $least = int(54 / $step);
	@dats = small() ? Compare::RealData::one_each(grep { Compare::RealData::reference($_, 'raw') } @dats)
		: @dats[map { $first + $step * $_ } 0 .. ($#dats - $first) / $step];
	for my $dat (@dats) {
		my $name = substr $dat, 1 + length $dir;
		my ($bad) = Compare::KernelText::check_counts($dat, Compare::RealData::reference($dat, 'raw'));
		ok(!$bad, "$name: events, losses and sequence numbers") or diag("$name: $bad");
	}
	$least = small(12, $least);
	cmp_ok(scalar @dats, '>=', $least, "at least $least recordings were counted");
	done_testing();
	return;
}

1;
