#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# softirq.pl: softirqs: how long they waited to begin, how long they took, which tasks ran them, the longest.
# zedtrace: irq sched:sched_switch
# zedperl: keeps traces apart
# zedperl: is made of irq:softirq_entry irq:softirq_exit
# zedperl: answers for parts of the time
# zedperl: is about interrupt bottom-half tasklet latency net

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Frames;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'softirq', answer => \&answer, options => [qw(by=s worst=i)],
	defaults => { by => '', worst => 10 });
my $by_cpu = $report->option('by') eq 'cpu';
$report->usage("--by '" . $report->option('by') . "': it takes cpu") if $report->option('by') && !$by_cpu;

my $samples = $report->samples;
my %rows;	# {vector [, cpu]}
my @worst;	# the longest, the longest first
my $heat = $report->heat('softirqs by time', 'own time');

my $frames = Zed::Frames->new(of => 'softirq',
	ended => sub {
		my ($kind, $vec, $name, $cpu, $began, $total_in, $own_in, $comm, undef, $total, $own) = @_;

		return if $kind ne 'softirq';
		my $row = row($vec, $name, $cpu);

		$row->{total} += $total_in;
		$row->{spent} += $own_in;
		return if !defined $own;	# it ends later
		$row->{own}->add($own);
		$heat->add($began, $own) if $heat;
		$report->sample([$vec, $name, $by_cpu ? $cpu : ()], $began, $own) if $samples;
		$row->{daemon}++ if $comm =~ m{^ksoftirqd/};
		$report->worst(\@worst, 'own', { own => $own, total => $total, at => $began, cpu => $cpu, vec => $vec,
			name => $name, comm => $comm },
			$began, $began + $total);
	},
	pending => sub {
		my ($cpu, $vec, $name, $time) = @_;

		row($vec, $name, $cpu)->{pending}->add($time);
	},
);

$report->counts(\(%rows, @worst));
$report->keeps(rows => \%rows, { '*' => { 'total!' => 'sum', 'spent!' => 'sum', 'daemon!' => 'sum', 'own!' => 'spread',
	'pending!' => 'spread' } });
$report->keeps_worst(worst => \@worst, 'own', qw(total at cpu vec));
$report->keeps(frames => \$frames, 'frames');

sub row
{
	my ($vec, $name, $cpu) = @_;

	return $rows{join "\0", $vec, $by_cpu ? $cpu : ()} //= { vec => $vec, name => $name, cpu => $cpu, total => 0,
		spent => 0, daemon => 0,
		own => Zed::Spread->new, pending => Zed::Spread->new };
}

sub values_of
{
	my ($row, $share) = @_;
	my ($own, $pending) = @$row{qw(own pending)};

	return (n => $own->n, daemon => $row->{daemon}, total => $row->{total}, own => $row->{spent},
		share => $share->($row->{spent}),
		p50 => $own->quantile(50), p99 => $own->quantile(99), max => $own->max,
		map { ("pending_$_->[0]" => $_->[1]) } [p50 => $pending->quantile(50)], [p99 => $pending->quantile(99)],
		[max => $pending->max]);
}

sub answer
{
	my ($start, $end) = $report->window($frames->span);
	my $table = $report->table('softirqs', columns => [['vec', 'vec', 'int'], ['name', 'softirq', 'text'],
		$by_cpu ? ['cpu', 'CPU', 'int'] : (), ['n', 'n', 'int'],
		['daemon', 'ksoftirqd', 'int'], ['total', 'total', 'us'], ['own', 'own', 'us'],
		['share', 'of a CPU %', 'share'],
		(map { [$_, $_, 'us'] } qw(p50 p99 max)), map { ["pending_$_", "pending $_", 'us'] } qw(p50 p99 max)]);
	my %sum = (daemon => 0, total => 0, spent => 0, own => Zed::Spread->new, pending => Zed::Spread->new);
	my $share = sub { return defined $end && $end > $start ? $_[0] / ($end - $start) : undef };

	for my $row (values %rows) {
		$table->add({ %$row, values_of($row, $share) });
		$sum{$_} += $row->{$_} for qw(daemon total spent);
		$sum{$_}->merge($row->{$_}) for qw(own pending);
	}
	$table->sort('own', 'name', 'cpu');
	$table->last({ name => 'ALL', values_of(\%sum, $share) }) if keys %rows > 1;
	$report->table('worst', title => 'the longest', span => ['at', '+total'], rows => [@worst],
		columns => [['own', 'own', 'us'], ['total', 'total', 'us'],
		['at', 'at', 'time'], ['cpu', 'CPU', 'int'], ['name', 'softirq', 'text'], ['comm', 'in', 'text']])
		if @worst;
	$report->spread('spread', 'how long softirqs take themselves', $sum{own});
	$report->frames($frames);
	return ($start, $end);
}

sub trace_begin { $report->begin }

# A loss on another CPU hides nothing of the chosen ones.
sub trace_lost
{
	$report->lost(@_) if Zed::Asked::cpu($_[0]);
	$frames->lost(@_);
}

sub trace_end { $report->end }

__END__

=head1 NAME

softirq.pl - softirqs: how long they waited to begin and took, which tasks ran them, the longest

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<softirq> [B<--by> cpu] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]
[B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

Measures softirqs from beginning to end, and the time from when they were first raised until they
begin. The time that interrupts took within a softirq is part of its total, but not of its own time;
the sums and percentiles are of its own time. On kernels that run softirqs in tasks (PREEMPT_RT),
the time when such a task was switched out is not counted.

For a part of the trace, a softirq counts, in full, where it ends, and its wait where it begins; the
sums of time and the shares cover the part only.

=head1 OPTIONS

=over

=item --by cpu

A row for each softirq and CPU.

=item --worst N

How many of the longest to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<softirqs>, C<worst>.

=head1 RECORD

    zedtrace irq sched:sched_switch -d 10
    trace-cmd record -e irq -e sched:sched_switch sleep 10

or, with perf,

    perf record -a -e 'irq:*' -e sched:sched_switch sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A row for each softirq: how often it ran, and how many of these times in ksoftirqd; the time with
and without interruptions; its share of one CPU; percentiles (the 99th of at least 100) and the
longest; the same for the time that it was pending, from the first raise to its beginning.

=head1 EXAMPLES

    zedperl trace.dat softirq --by cpu --limit 0
    zedperl trace.dat softirq --csv=worst

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
