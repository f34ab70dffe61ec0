#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# order.pl TEST...: the order in which make check begins its tests.  Those that mostly wait, for the kernel, a network or
# a job, go one after the other, beside those that compute; within both the longest are the first, so that none is left
# alone at the end.  What is not listed here takes less than five seconds.
use strict;
use warnings;

# Seconds on two cores, of a whole run.
my %takes = qw(
	t/stable/export.t 82  t/docs/commands.t 80  t/stable/events.t 64  t/live/ends.t 56  t/bad/bounds.t 41
	t/live/conservation.t 40  t/stable/seed-2009.t 35  t/live/others.t 34  t/live/options.t 34
	t/format/ltt-versions.t 33  t/live/net.t 32  t/fleet/slurm.t 31  t/bad/files.t 31  t/format/report.t 30
	t/bad/bounds-data.t 30  t/bad/mutate.t 30  t/bad/ltt.t 29  t/live/net-one.t 29  t/format/values.t 27
	t/scripts/why-late.t 27  t/fleet/analyses.t 26  t/format/parquet.t 25  t/record/net-limits.t 24
	t/live/quiet.t 23  t/scripts/page.t 20  t/bad/faults.t 20  t/live/perf.t 20  t/live/analyses.t 19
	t/perl/perf-scripts.t 19  t/fleet/jobs.t 19  t/live/rotate.t 19  t/live/live.t 17  t/record/net.t 14
	t/live/flight.t 14  t/perl/synthetic.t 14  t/scripts/compare.t 13  t/format/rfc.t 13  t/scripts/parquet.t 12
	t/bad/parquet.t 12  t/bad/what-runs.t 11  t/record/net-stream.t 11  t/bad/truncate.t 11  t/bad/written.t 10
	t/use/install.t 10  t/perl/scripts.t 10  t/bad/plain.t 10  t/perl/aggregate-model.t 9  t/fleet/split.t 9
	t/format/stream.t 8  t/live/snapshot.t 8  t/live/stacks.t 8  t/bad/stream.t 8  t/live/attach-live.t 8
	t/bad/flip.t 7  t/record/convert.t 7  t/live/pipe.t 7  t/fleet/dask.t 7  t/live/names.t 7  t/live/lacking.t 7
	t/live/net-merge.t 7  t/unit/zedstream.t 6  t/format/zedprint-stop.t 6  t/bad/text-bounds.t 6
	t/format/own-data.t 6  t/stable/rebind.t 6  t/use/completion.t 6  t/perl/metrics-served.t 5  t/live/every.t 5
	t/perl/on.t 5  t/bad/perfdata.t 5  t/fleet/parallel.t 5  t/format/cut.t 5  t/format/ltt.t 5
	t/bad/perf-bounds.t 5
);
my $waits = qr{^t/(?:live/|record/net|docs/commands|fleet/(?:slurm|dask)|perl/metrics-served)};

for (sort keys %takes) {
	-e || -e s/\.t\z/.c/r or die "$0: $_ is listed and not there\n";
}

my (%lane, %sum, %done);
for my $test (@ARGV) {
	my $name = $test =~ s{^build/[^/]+/}{}r;
	my $lane = $name =~ $waits ? 0 : 1;
	my $seconds = $takes{$name} // 1;
	push @{$lane{$lane}}, [$test, $seconds];
	$sum{$lane} += $seconds;
	$done{$lane} = 0;
}
$lane{$_} = [sort { $b->[1] <=> $a->[1] || $a->[0] cmp $b->[0] } @{$lane{$_}}] for keys %lane;
# Always from the lane of which less has begun.
while (my ($next) = sort { $done{$a} / $sum{$a} <=> $done{$b} / $sum{$b} || $a <=> $b } grep { @{$lane{$_}} } keys %lane) {
	my ($test, $seconds) = @{shift @{$lane{$next}}};
	print "$test\n";
	$done{$next} += $seconds;
}
