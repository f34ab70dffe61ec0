# SPDX-License-Identifier: GPL-2.0-or-later
#
# The values that zedperl hands to Perl, on the full recordings, against stock's raw report and the kernel's own text of
# the same records.  Without it zedperl could misread a field and every script would quietly be wrong.  counts.t counts
# the events.
#
# of: reader interp programs/zedperl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use File::Basename ();
use lib 't/lib';
use Compare::RealData;
use Compare::KernelText;
use Pass;

my $why = Compare::RealData::no_shared();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedperl');

my $dir = Compare::RealData::shared();
my ($texts, $arrays) = (0, 0);

# How many events a recording has, by zedprint's count; 0 for one that it refuses.
sub events_of {
	my ($out) = Compare::RealData::zedprint('--summary', $_[0]);
	return $out =~ /^  events +(\d+)$/m ? $1 : 0;
}

my $no_zstd = !Compare::RealData::have_zstd();

my @dats = Compare::RealData::recordings($dir);
@dats = Compare::RealData::one_each(grep { Compare::RealData::reference($_, 'raw') } @dats) if small();
for my $dat (@dats) {
	my $name = substr $dat, 1 + length $dir;
	if ($no_zstd) {
		diag("$name: no zstd tool: apt-get install zstd");
		next;
	}
	my $ref = Compare::RealData::reference($dat, 'raw');
	my $events = $ref ? events_of($dat) : 0;
	if ($events && $events <= 20000) {      # the long ones have the same events again
		my ($diff, $n) = Compare::KernelText::check_arrays($dat, $ref);
		ok(!$diff, "$name: $n arrays hold the bytes of the raw report")
			or diag("$name: $diff");
		$arrays += $n;
	}

	$ref = Compare::RealData::reference($dat, 'kernel') or next;
	my ($diff, $n) = Compare::KernelText::check_values($dat, $ref);
	ok(!$diff, sprintf '%s: %d events, %d whole texts and %d fields as the kernel printed',
		$name, @$n{qw(events whole fields)}) or diag("$name: $diff");
	cmp_ok($n->{whole} + $n->{fields}, '>', $n->{events} / 2, "$name: most were compared");
	$texts++;
}

SKIP: {
	skip 'no zstd tool: apt-get install zstd', 2 if $no_zstd;
	diag("compared the values of $texts recordings, and $arrays arrays");
	my ($least_arrays, $least_texts) = small([3000, 1], [50_000, 7])->@*;
	cmp_ok($arrays, '>', $least_arrays, "more than $least_arrays arrays were compared");
	cmp_ok($texts, '>=', $least_texts, "the values of at least $least_texts were compared with the kernel's text");
}
done_testing();
