#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# lost.pl: where events are missing in a trace: gaps by CPU, how much they hide, and what that costs each analysis.
# zedtrace: sched
# zedperl: keeps traces apart
# zedperl: is made of loss
# zedperl: answers for parts of the time
# zedperl: is about loss missing gap overrun dropped damage

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Ends;
use Zed::Intervals;
use Zed::Report;
use Zed::Spread;

my $KEPT = 10_000;	# times without all CPUs that are kept one by one

# What an analysis leaves out because of a gap, or shows wrongly.
my %COSTS = (
	countall => 'counts are lower bounds',
	summary => 'counts and rates are lower bounds',
	'sched-summary' => 'the turn that ran on that CPU ends with its last record; the gap is unknown time',
	'wakeup-latency' => 'all waits that were open, of all tasks: the wakeup, or the run, may be in the gap',
	waits => 'all waits that were open, of all tasks; those that ended in a gap of another CPU are counted ' .
		'(--strict-loss: not)',
	'off-cpu' => 'all waits and sleeps that were open, of all tasks; those that ended in a gap of another CPU ' .
		'are counted (--strict-loss: not)',
	'who-wakes-whom' => 'wakeups in the gap, and the waits that were open',
	'why-late' => 'chains are unknown where they reach into a gap',
	irq => 'handlers that were open on that CPU; counts are lower bounds',
	softirq => 'softirqs that were open or pending on that CPU; counts are lower bounds',
	syscalls => 'all calls that were open: they may have returned in the gap',
	block => 'all requests in flight',
	stacks => 'counts and sums are lower bounds',
	'function-graph' => 'times of their own of the calls that were open on that CPU',
	kmem => 'all allocations that were live: their free may be in the gap',
	net => 'all packets that were waiting',
	'page-faults' => 'counts are lower bounds',
	power => 'the idle state that the CPU was in',
	timers => 'all timers that were pending or expiring',
	workqueue => 'all work that was waiting; work that ran on that CPU',
);

my $report = Zed::Report->new(name => 'lost', nothing => 1, answer => \&answer, fold => \&fold, options => ['worst=i'],
	defaults => { worst => 10 });
# Whether a CPU is in a gap is known at the gap's end, which may be any time later.
Zed::Asked::follow(sub { return 0 }) if $report->option('every');

my %rows;	# {source, instance, CPU}: what it lost
my @worst;	# the gaps that hide most
my @without;	# [input]: a list of [FROM, TO]: some CPU has a gap, in order of time
my $without = 0;	# ns of those that are not kept
my ($sources, $instances) = (0, 0);

# The variables of the answer: rows by instance and CPU, and if there are several inputs by these, too.
my (%sum, %n);
my $together = $report->apart(1);	# several inputs are one time line

$report->counts(\(%rows, @worst, @without, $without));
$report->keeps(rows => \%sum,
	{ '*' => { (map { ("$_!" => 'sum') } qw(n spent events unknown placed timeless without_begin begins
		begins_unknown before time)),
	'instance!' => 'same', 'cpu!' => 'number', 'source!' => 'number', 'hidden!' => 'spread' } });
$report->keeps(n => \%n, { without => 'sum', damage => 'sum', apart => 'max', common => 'max', instances => 'max',
	sources => 'max' });
$report->keeps_worst(worst => \@worst, 'time', qw(from to cpu));

sub trace_lost
{
	my ($cpu, $count) = @_;
	my $ts = eval { Zed::ts() };

	$report->lost($cpu, $count);
	my ($source, $instance) = (Zed::lost_source(), Zed::instance());
	return rest([$source, $instance, $cpu], $count) if !defined $ts;
	my $since = Zed::lost_since();
	my @gap = ($source, $instance, $cpu, $count, $ts, $since);

	Zed::Intervals::late($since, sub { gap(@gap) }) if defined $since;
	gap(@gap);
}

# A number that only the recorder's statistics show, without a time: of the gaps without one, or at unknown times.
sub rest
{
	my ($place, $count) = @_;

	return if Zed::Asked::is_window();
	row_of(@$place)->{Zed::lost_places() ? 'placed' : 'timeless'} += $count;
}

# With the number that its gaps without one have together, which may all be before its first record.
sub settled
{
	my ($row) = @_;
	my $into = $row->{begins_unknown} && !$row->{unknown} ? 'before' : 'events';

	return { %$row, $into => $row->{$into} + $row->{placed} };
}

sub row_of
{
	my ($source, $instance, $cpu) = @_;

	return $rows{join "\0", $source, $instance, $cpu} //= { %{row_without()}, source => $source,
		instance => $instance, cpu => $cpu };
}

# Without losses.
sub row_without
{
	return { n => 0, events => 0, unknown => 0, spent => 0, placed => 0, timeless => 0, without_begin => 0,
		begins => 0, begins_unknown => 0, before => 0, time => 0, hidden => Zed::Spread->new };
}

sub place_of
{
	my ($row) = @_;

	return map { $_ => $row->{$_} } qw(source instance cpu);
}

sub gap
{
	my ($source, $instance, $cpu, $count, $ts, $since) = @_;

	# If it does not, the gap counts nowhere, but may hide some of the chosen time.
	my $ends = Zed::Asked::at($ts);
	my $hides = defined $since && $since <= $ts && Zed::Asked::time_in($since, $ts);

	# For how long a CPU has records does not depend on the part in which something was lost: all parts have its
	# row.
	return if !$ends && !$hides && !Zed::Asked::is_part();
	my $row = row_of($source, $instance, $cpu);

	$sources = $source if $source > $sources;
	$instances = 1 if $instance ne '';
	# Events overwritten before a CPU's first record are not a gap in it.
	if ($ends && !defined $since && is_first($source, $instance, $cpu, $ts, $row)) {
		$row->{begins}++;
		defined $count ? ($row->{before} += $count) : $row->{begins_unknown}++;
		return;
	}
	if (!$ends) {
		spend($row, $source, $since, $ts) if $hides;
		$row->{reaches} = 1 if $ts > $Zed::Asked::LAST;
		return;
	}
	$row->{n}++;
	defined $count ? ($row->{events} += $count) : $row->{unknown}++;
	if (!defined $since || $since > $ts) {
		$row->{without_begin}++;
		return;
	}
	$row->{hidden}->add($ts - $since);
	spend($row, $source, $since, $ts);
	$report->worst(\@worst, 'time', { time => $ts - $since, from => $since, to => $ts, cpu => $cpu,
		instance => $instance, events => $count });
}

# The part of a gap in the chosen time.
sub spend
{
	my ($row, $source, $since, $ts) = @_;
	my ($from, $to) = Zed::Asked::cut($since, $ts) or return;

	$row->{spent} += $to - $from;
	hide($without[$together ? 0 : $source] //= [], $from, $to);
}

# Is TS the time of the CPU's first record? Live, only the records seen so far are known.
sub is_first
{
	my ($source, $instance, $cpu, $ts, $row) = @_;
	my ($span) = grep { $_->{cpu} == $cpu && $_->{instance} eq $instance } Zed::spans($source);

	return $span ? $span->{start} == $ts : !$row->{n} && !$row->{begins};
}

# From FROM to TO a CPU has no records. Calls are in the order of their ends, but for CPUs that are missing.
sub hide
{
	my ($list, $from, $to) = @_;

	while (@$list && $list->[-1][1] >= $from) {
		my $before = pop @$list;

		$from = $before->[0] if $before->[0] < $from;
		$to   = $before->[1] if $before->[1] > $to;
	}
	push @$list, [$from, $to];
	return if @$list <= $KEPT;
	$without += $_->[1] - $_->[0] for splice @$list, 0, $KEPT / 2;
}

# The first and the last record of each CPU, of all inputs: also of those that lost nothing.
sub spans
{
	my %spans;

	for (my $source = 0; defined Zed::ncpus($source); $source++) {
		$spans{join "\0", $source, $_->{instance}, $_->{cpu}} = $_ for Zed::spans($source);
	}
	return \%spans;
}

# A CPU of which a file that is cut off has no record: a gap from beginning to end.
sub missing_cpus
{
	for (my $source = 0; defined Zed::ncpus($source); $source++) {
		for my $cpu (grep { Zed::Asked::cpu($_) } Zed::Ends::missing($source)) {
			next if row_of($source, '', $cpu)->{missing}++;
			gap($source, '', $cpu, undef, Zed::end($source) // next, Zed::start($source));
		}
	}
}

# Losses that end after the time that was asked for and were not met, as --head ended it.
sub reaching
{
	for my $loss ($report->lost_beyond) {
		my ($source, $from, $to) = @$loss{qw(source from to)};
		my $row = row_of(@$loss{qw(source instance cpu)});

		spend($row, $source, $from, $to) if !$row->{reaches}++ && defined $from;
	}
}

sub fold
{
	my $spans = spans();

	missing_cpus();
	reaching() if $report->apart(1);

	%sum = ();
	for my $row (values %rows) {
		my ($start, $end) = $report->window_of($row->{source});
		my $span = $spans->{join "\0", @$row{qw(source instance cpu)}};
		my $source = $report->apart($row->{source});
		my $of = $sum{join "\0", $source, @$row{qw(instance cpu)}} //=
			{ source => $source, instance => $row->{instance}, cpu => $row->{cpu},
				hidden => Zed::Spread->new };

		$of->{$_} += $row->{$_} for qw(n spent events unknown placed timeless without_begin begins
			begins_unknown before);
		$of->{time} += $span ? Zed::Asked::time_in($span->{start}, $span->{end}) : defined $start
			? $end - $start : 0;
		$of->{hidden}->merge($row->{hidden});
	}
	%n = (without => $without, damage => Zed::Asked::tells_end() ? Zed::_damage() : 0, apart => 0,
		instances => $instances, sources => $report->apart($sources));
	for my $list (grep { $_ } @without) {
		$n{without} += $_->[1] - $_->[0] for @$list;
	}
	common($spans);
}

# How far apart the records of the CPUs begin, and for how long all have some: of what is asked for, whichever part of
# it this is.
sub common
{
	my ($spans) = @_;
	my ($from, $to) = Zed::Asked::is_part() ? Zed::Asked::all() : ($Zed::Asked::FROM, $Zed::Asked::TO);
	my %lines;	# of what is one time line

	for (grep { Zed::Asked::cpu($spans->{$_}{cpu}) } keys %$spans) {
		push @{$lines{$report->apart(1) ? 0 : (split /\0/, $_)[0]}}, $spans->{$_};
	}
	for my $list (values %lines) {
		my @starts = sort { $a <=> $b } map { $_->{start} > $from ? $_->{start} : $from } @$list;
		my ($end) = sort { $a <=> $b } $to, map { $_->{end} } @$list;

		$n{apart} = $starts[-1] - $starts[0] if $starts[-1] - $starts[0] > $n{apart};
		$n{common} = $end - $starts[-1] if $end > $starts[-1] && $end - $starts[-1] > ($n{common} // 0);
	}
}

sub answer
{
	my ($start, $end) = $report->window;
	# A CPU may have only a loss that ends later.
	my %all_rows = (map({ (join("\0", @$_{qw(source instance cpu)}) => { %{row_without()}, place_of($_) }) }
		$report->lost_beyond), %sum);
	my $some_reach = $report->lost_beyond;
	my @rows = sort { $a->{source} <=> $b->{source} || $a->{instance} cmp $b->{instance}
		|| $a->{cpu} <=> $b->{cpu} } map { settled($_) } values %all_rows;
	my @place = ($n{sources} ? ['source', 'input', 'int'] : (),
		$n{instances} ? ['instance', 'instance', 'text'] : ());
	my %all = map { $_ => 0 } qw(n events unknown before begins spent timeless without_begin);
	my $sum = Zed::Spread->new;

	for my $row (@rows) {
		$all{$_} += $row->{$_} for keys %all;
		$sum->merge($row->{hidden});
	}
	my $table = $report->table('cpus', title => 'gaps by CPU', whole => 1,
		columns => [@place, ['cpu', 'CPU', 'int'], ['n', 'gaps', 'int'], ['events', 'events', 'int'],
		$some_reach ? ['later', 'that end later', 'int'] : (), ['unknown', 'of unknown size', 'int'],
		['before', 'before its first record', 'int'],
		$all{timeless} ? ['timeless', 'at unknown times', 'int'] : (),
		['hidden', 'hidden', 'us'], ['share', 'of its time %', 'share'],
		map { [$_, $_, 'us'] } qw(p50 max)]);

	for my $row (@rows) {
		my $time = $row->{time};

		next if !$row->{n} && !$row->{begins} && !$row->{spent} && !$row->{timeless}
			&& !$report->lost_beyond(place_of($row));
		my %counts = counts_of($row, $row->{hidden}, place_of($row));

		$table->add({ %$row, %counts,
			share => $time > 0 && defined $counts{hidden} ? $row->{spent} / $time : undef });
	}
	$table->last({ @place ? ($place[0][0] => $n{sources} ? undef : '') : (), %all, counts_of(\%all, $sum) })
		if $table->rows > 1;
	$report->table('worst', title => 'the gaps that hide most', span => ['from', 'to'], rows => [@worst],
		columns => [['time', 'hidden', 'us'], ['from', 'from', 'time'],
		['to', 'to', 'time'], $n{instances} ? ['instance', 'instance', 'text'] : (), ['cpu', 'CPU', 'int'],
		['events', 'events', 'int']]) if @worst;
	$report->table('analyses', title => 'what each gap costs', whole => 1,
		columns => [['script', 'script', 'text'], ['costs', 'is left out, or wrong', 'text']],
		rows => [map { { script => $_, costs => $COSTS{$_} } } sort keys %COSTS]) if $all{n} || $all{spent};
	notes(\%all, $start, $end);
	return ($start, $end);
}

# If the kernel recorded none of the numbers, or a gap ends only later, their sum is not 0; nor is the time that losses
# hide of which it is not known when they were.
sub counts_of
{
	my ($row, $hidden, @place) = @_;
	my @later = $report->lost_beyond(@place);
	my $some = $row->{unknown} || @later;
	my $timeless = $row->{timeless} || $row->{without_begin} || grep { !defined $_->{from} } @later;

	return (events => $some && !$row->{events} ? undef : $row->{events}, later => scalar @later,
		before => $row->{begins} && !$row->{before} ? undef : $row->{before},
		hidden => $timeless && !$row->{spent} ? undef : $row->{spent},
		p50 => $hidden->quantile(50), max => $hidden->max);
}

sub no_losses
{
	my ($is_cut) = @_;

	return 'no other losses are known' if $is_cut || $n{damage};
	return 'no events are known to be lost in what was ' . Zed::Asked::limited_by() if Zed::Asked::is_part_of_all();
	return 'no events were lost';
}

sub notes
{
	my ($all, $start, $end) = @_;
	my $time = $n{without};

	$report->warning('damage', $n{damage} // 0, '{piece|pieces} of ' . $report->for_traces('{the trace|the traces}')
		. ' {was|were} damaged or missing, and skipped, as the messages say: what was recorded there is not ' .
		'in this answer');
	my $is_cut = $report->cut;

	$report->remark('none', $report->for_traces(no_losses($is_cut) . ', according to {the trace|the traces}'))
		if !%sum && !$report->has_losses;
	$report->remark('whole',
		sprintf '%s in which some CPU has a gap, %.2f %% of the time: what happened between CPUs then is ' .
		'not known',
		Zed::duration($time), $end > $start ? 100 * $time / ($end - $start) : 0) if $time && defined $end;
	$report->note('without_begin', $all->{without_begin},
		'{gap may be|gaps may be} on any CPU: how much time {it hides|they hide} is unknown');
	$report->note('begins', $all->{begins}, '{CPU|CPUs} lost events before {its|their} first record, which were ' .
		'overwritten: {its|their} records begin later, which is not a gap');
	return if !$n{apart};
	$report->remark('apart', 'the first records of the CPUs are up to ' . Zed::duration($n{apart})
		. ' apart, as earlier ones were overwritten, or nothing happened there: ' .
		'that is not a gap' . (defined $n{common} ? '; all have records for ' . Zed::duration($n{common})
			. ' (--common-window)' : '; at no time have all of them records'));
}

sub trace_begin { $report->begin }
sub trace_end { $report->end }

__END__

=head1 NAME

lost.pl - where events are missing in a trace: gaps by CPU, how much they hide, and what that costs

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<lost> [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

B<zedperl --live=>I<EVENTS> B<lost> B<--every> 5s

=head1 DESCRIPTION

When more happens than can be recorded, the kernel drops events and says so in the next record of
that CPU, usually with their number. A gap reaches from the last record before the loss, of any
event, to that next record: in between, anything may have happened on that CPU. Other CPUs continue,
so interaction between CPUs in that time is uncertain too.

For a part of the trace (B<--start>, B<--end>), a gap counts where it ends, and its whole length is in the median, the
longest and the list; the time that gaps hide, and its share, are those of the part, also of a gap that ends after it.

A buffer that was overwritten begins later than others, which is not a gap. Losses that only the recorder's statistics
show, as with a buffer that is not overwritten, have no known time: they belong to the whole trace, and hide no time
that could be left out. For a part of the trace a message says that some of them may be in it; they are not in the
tables then.

A file that was cut off, or is damaged, lacks more than the kernel lost: above the tables are the CPUs that are missing
as a whole, of which each is a gap from beginning to end, the CPUs of which the last records are missing, and how many
pieces could not be read.

=head1 OPTIONS

=over

=item --worst N

How many of the gaps that hide most to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<cpus>, C<worst>, C<analyses>.

=head1 RECORD

    zedtrace sched -d 10
    trace-cmd record -e sched sleep 10

Any events will do: record those that interest you.

=head1 OUTPUT

A row for each CPU that lost events: the number of gaps, of events lost in them (C<->: some, perhaps in a gap that ends
after the chosen time), how many gaps end only after that time, if any do, and of gaps without a number of their own:
for a whole trace the recorder's statistics say how many these hide together, which is among the events; how many
events were lost before its first record (C<->: some); if there are any, how many more the statistics show, at unknown
times; the time that the gaps hide (C<->: it is not known when they
were), its share of the time from the CPU's first record to the last, and the median and the longest of them. With
several inputs or instances there is a row for each of their CPUs. Then the gaps that hide most, for C<zedprint
--around>, and what each analysis leaves out because of a gap.

=head1 EXAMPLES

    zedperl trace.dat lost
    zedperl trace.dat lost --json | jq '.tables.cpus.rows[] | {cpu, share}'

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7), summary.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
