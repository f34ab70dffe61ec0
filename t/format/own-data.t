# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same checks as report.t and values.t on this repository's own small recordings, that
# stand alone: without it a fresh checkout could not tell that it reads real files right.
#
# of: reader sink/print interp programs/zedprint programs/zedperl
# runs: make check; a small pass in make test

use strict;
use warnings;
use Test::More;
use File::Basename ();
use File::Find ();
use lib 't/lib';
use Compare::RealData;
use Compare::KernelText;
use Compare::TextChanges;
use Pass;

Compare::RealData::need_program($_) for qw(zedprint zedperl);

my $dir = Compare::RealData::own();
my @dats = glob "$dir/*.dat";
my ($events_all, $arrays_all, $texts, $flags) = (0, 0, 0, 0);

# A small pass: every fourth.
for my $dat (@dats[grep { !small() || $_ % 4 == 3 } 0 .. $#dats]) {
	my $name = File::Basename::basename($dat);
	my $ref = Compare::RealData::reference($dat, 'report');
	if (!ok($ref, "$name: has a report of stock trace-cmd beside it")) {
		diag("$name: sh t/tools/regen-data.sh makes it");
		next;
	}
	my $diff = Compare::RealData::report_differs($dat, $ref, 'report');
	ok(!$diff, "$name: report") or diag("$name: $diff");
	if (my $newer = Compare::RealData::reference($dat, 'report340')) {
		$diff = Compare::RealData::report_differs($dat, $newer, 'report340');
		ok(!$diff, "$name: report of 3.4.0, with its flags column") or diag("$name: $diff");
		$flags++;
	}

	$ref = Compare::RealData::reference($dat, 'raw');
	my ($bad, $events) = Compare::KernelText::check_counts($dat, $ref);
	ok(!$bad, "$name: events, losses and sequence numbers") or diag("$name: $bad");
	next unless $events;
	$events_all += $events;

	($diff, my $arrays) = Compare::KernelText::check_arrays($dat, $ref);
	ok(!$diff, "$name: $arrays arrays hold the bytes of the raw report")
		or diag("$name: $diff");
	$arrays_all += $arrays;

	$ref = Compare::RealData::reference($dat, 'kernel') or next;
	($diff, my $n) = Compare::KernelText::check_values($dat, $ref);
	ok(!$diff, sprintf '%s: %d events, %d whole texts and %d fields as the kernel printed',
		$name, @$n{qw(events whole fields)}) or diag("$name: $diff");
	cmp_ok($n->{whole} + $n->{fields}, '>', $n->{events} / 2, "$name: most were compared");
	$texts++;
}

diag('compared ' . scalar(@dats) . " recordings, $events_all events, $arrays_all arrays, "
	. "$texts with the kernel's text");
small() or is(join("\n", changes_unused('report', 't/data')), '', 'each difference from 3.1.6 in the table is in some recording');
cmp_ok($flags, '>=', small(1, 3), 'the flags column of some recordings was compared');
cmp_ok(scalar(@dats), '>=', 45, 'the repository carries its recordings');
cmp_ok($events_all, '>', small(3000, 30_000), 'and thousands of events');
cmp_ok($texts, '>=', small(1, 6), 'and the kernel\'s text of some');

my $size = 0;
File::Find::find(sub { $size += -s _ if -f }, $dir);
cmp_ok($size, '<=', 6 << 20, 't/data is at most 6 MiB');
done_testing();
