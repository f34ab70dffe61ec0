#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# order.pl TEST...: the order in which make check begins its tests.  Those that mostly wait, for the kernel, a network or
# a job, go one after the other, beside those that compute; within both the longest are the first, so that none is left
# alone at the end.  What is not listed here takes less than five seconds.
#
# order.pl --stale STATEFILE: after a run of prove with that --statefile, says which tests have become long and are not
# listed: one that begins last keeps everybody waiting.
use strict;
use warnings;

# Seconds on two cores, of a whole run.
my %takes = qw(
	t/live/record.t 77  t/docs/commands.t 53  t/format/report.t 47  t/format/ltt-versions.t 46  t/bad/files.t 43
	t/live/conservation.t 43  t/live/ends.t 42  t/bad/bounds.t 36  t/bad/bounds-data.t 34  t/fleet/groups.t 31
	t/scripts/page.t 28  t/stable/export.t 27  t/format/values.t 26  t/fleet/split.t 25  t/fleet/analyses.t 23
	t/fleet/slurm.t 23  t/bad/faults.t 22  t/format/parquet.t 22  t/live/others.t 22  t/live/net.t 21  t/bad/ltt.t 20
	t/bad/mutate.t 20  t/live/perf.t 20  t/live/net-one.t 18  t/live/quiet.t 18  t/perl/perf-scripts.t 18
	t/record/net-limits.t 18  t/live/rotate.t 17  t/live/analyses.t 16  t/perl/aggregate-model.t 16
	t/stable/events.t 16  t/bad/plain.t 15  t/live/own.t 15  t/stable/seed-2009.t 15  t/bad/truncate.t 13
	t/fleet/dask.t 13  t/perl/scripts.t 13  t/perl/synthetic.t 13  t/fleet/jobs.t 12  t/scripts/why-late.t 12
	t/bad/parquet.t 11  t/format/rfc.t 11  t/live/flight.t 11  t/bad/flip.t 10  t/bad/written.t 10  t/live/live.t 10
	t/record/net-stream.t 10  t/bad/stream.t 9  t/format/stream.t 9  t/live/options.t 9  t/live/snapshot.t 9
	t/record/net.t 9  t/scripts/compare.t 9  t/scripts/parquet.t 9  t/fleet/lists.t 8  t/record/net-merge.t 8
	t/bad/perfdata.t 7  t/fleet/killed.t 7  t/live/names.t 7  t/live/stacks.t 7  t/use/completion.t 7
	t/use/install.t 7  t/bad/text-bounds.t 6  t/fleet/parallel.t 6  t/fleet/streaming.t 6  t/format/kernel-text.t 6
	t/format/ltt.t 6  t/format/perfdata-made.t 6  t/live/attach.t 6  t/live/pipe.t 6  t/perl/on.t 6
	t/scripts/help.t 6  t/unit/zedstream.t 6  t/fleet/failures.t 5  t/format/cut.t 5  t/format/own-data.t 5
	t/format/times.t 5  t/format/zedprint-stop.t 5  t/live/attach-live.t 5  t/live/kernel-text.t 5
	t/perl/metrics-served.t 5  t/record/convert.t 5  t/stable/strings.t 5
);
my $waits = qr{^t/(?:live/|record/net|docs/commands|fleet/(?:slurm|dask)|perl/metrics-served)};

for (sort keys %takes) {
	-e || -e s/\.t\z/.c/r or die "$0: $_ is listed and not there\n";
}

if (@ARGV && $ARGV[0] eq '--stale') {
	require App::Prove::State;
	-e $ARGV[1] or exit;
	for (sort { $a->name cmp $b->name } App::Prove::State->new({ store => $ARGV[1] })->results->tests) {
		my $name = $_->name =~ s{^build/[^/]+/}{}r;
		printf "%s took %.0f seconds, and t/tools/order.pl does not list it\n", $name, $_->elapsed if $_->elapsed > 20 && !$takes{$name};
	}
	exit;
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
