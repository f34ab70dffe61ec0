#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# irq.pl: interrupts: how many, also in the worst second; how long their handlers took.
# zedtrace: irq
# zedperl: keeps traces apart
# zedperl: is made of irq:irq_handler_entry irq:irq_handler_exit
# zedperl: answers for parts of the time
# zedperl: is about interrupt handler latency jitter device

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Frames;
use Zed::Peak;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'irq', answer => \&answer, options => [qw(by=s worst=i)],
	defaults => { by => '', worst => 10 });
my $by_cpu = $report->option('by') eq 'cpu';
$report->usage("--by '" . $report->option('by') . "': it takes cpu") if $report->option('by') && !$by_cpu;

my $samples = $report->samples;
my %rows;	# {number, name [, cpu]}
my @worst;	# the longest, the longest first
my $peak = Zed::Peak->new;	# the worst second for all of them
my $heat = $report->heat('interrupts by time', 'own time');

my %peaks;	# {number, name [, cpu]}

sub key { my ($number, $name, $cpu) = @_; return join "\0", $number, $name, $by_cpu ? $cpu : () }
sub peaks { my ($key) = @_; return ($peaks{$key} //= Zed::Peak->new, $peak) }

# A second that ends in a part of the trace may begin in the part before.
sub earlier
{
	my ($kind, $number, $name, $cpu, $ts) = @_;

	return if $kind ne 'irq' || $ts < (Zed::Asked::all())[0];
	$_->add($ts, 'before') for peaks(key($number, $name, $cpu));
}

my $frames = Zed::Frames->new(of => 'irq', Zed::Asked::is_part() ? (earlier => \&earlier) : (), ended => sub {
	my ($kind, $number, $name, $cpu, $began, $total_in, $own_in, $comm, $handled, $total, $own) = @_;

	return if $kind ne 'irq';
	my $key = key($number, $name, $cpu);
	my @peaks = peaks($key);
	my $row = $rows{$key} //= { irq => $number, name => $name, cpu => $cpu, total => 0, spent => 0,
		own => Zed::Spread->new, peak => $peaks[0] };

	$row->{total} += $total_in;
	$row->{spent} += $own_in;
	return if !defined $own;	# it ends later
	$row->{own}->add($own);
	$_->add(Zed::ts()) for @peaks;
	$heat->add($began, $own) if $heat;
	$report->sample([$number, $name, $by_cpu ? $cpu : ()], $began, $own) if $samples;
	$row->{others}++ if !$handled;
	$report->worst(\@worst, 'own', { own => $own, total => $total, at => $began, cpu => $cpu, irq => $number,
		name => $name, comm => $comm },
		$began, $began + $total);
});

$report->counts(\(%rows, %peaks, @worst, $peak));
$report->keeps(rows => \%rows, { '*' => { 'total!' => 'sum', 'spent!' => 'sum', others => 'sum', 'own!' => 'spread',
	'peak!' => 'peak' } });
$report->keeps_worst(worst => \@worst, 'own', qw(total at cpu irq));
$report->keeps(peak => \$peak, 'peak');
$report->keeps(frames => \$frames, 'frames');

sub answer
{
	my ($start, $end) = $report->window($frames->span);
	my $table = $report->table('irqs', columns => [['irq', 'irq', 'int'], ['name', 'name', 'text'],
		$by_cpu ? ['cpu', 'CPU', 'int'] : (), ['n', 'n', 'int'], ['rate', 'a second', 'rate'],
		['others', 'not its', 'int'], ['total', 'total', 'us'],
		['own', 'own', 'us'], ['share', 'of a CPU %', 'share'], map({ [$_, $_, 'us'] } qw(avg p50 p99 max)),
		Zed::_counts_ns() ? (['peak', 'worst second', 'int'], ['peak_at', 'from', 'time']) : ()]);
	my $sum = Zed::Spread->new;
	my ($others, $total, $spent) = (0, 0, 0);
	my $share = sub { return defined $end && $end > $start ? $_[0] / ($end - $start) : undef };
	my $rate = sub { my $of = $share->($_[0]); return defined $of ? 1e9 * $of : undef };

	for my $row (values %rows) {
		my $own = $row->{own};

		$table->add({ %$row, own => $row->{spent}, share => $share->($row->{spent}), n => $own->n,
			rate => $rate->($own->n),
			peak => $row->{peak}->n, peak_at => $row->{peak}->at, others => $row->{others} // 0,
			avg => $own->mean, p50 => $own->quantile(50), p99 => $own->quantile(99), max => $own->max });
		$sum->merge($own);
		$others += $row->{others} // 0;
		$total += $row->{total};
		$spent += $row->{spent};
	}
	$table->sort('own', 'irq', 'name', 'cpu');
	$table->last({ name => 'ALL', n => $sum->n, rate => $rate->($sum->n), peak => $peak->n, peak_at => $peak->at,
		others => $others, total => $total,
		own => $spent, share => $share->($spent), avg => $sum->mean, p50 => $sum->quantile(50),
		p99 => $sum->quantile(99), max => $sum->max })
		if keys %rows > 1;
	$report->table('worst', title => 'the longest', span => ['at', '+total'], rows => [@worst],
		columns => [['own', 'own', 'us'], ['total', 'total', 'us'],
		['at', 'at', 'time'], ['cpu', 'CPU', 'int'], ['irq', 'irq', 'int'], ['name', 'name', 'text'],
		['comm', 'in', 'text']]) if @worst;
	$report->spread('spread', 'how long handlers take themselves', $sum);
	$report->frames($frames);
	$report->remark('bound',
		'x86: the local timer and interrupts between CPUs have no such events: the CPUs were interrupted more')
		if (Zed::uname() // '') =~ /\b(?:x86_64|i[3-6]86)\b/;
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

irq.pl - interrupts: how many, also in the worst second; how long their handlers took

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<irq> [B<--by> cpu] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]
[B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

Measures the handlers of interrupts from beginning to end. The time that other interrupts took
within a handler is part of its total, but not of its own time. The sums and percentiles are of its
own time.

For a part of the trace, an interrupt counts, in full, where its handler ends; the sums of time and
the shares cover the part only.

=head1 OPTIONS

=over

=item --by cpu

A row for each interrupt and CPU.

=item --worst N

How many of the longest to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<irqs>, C<worst>.

=head1 RECORD

    zedtrace irq -d 10
    trace-cmd record -e irq sleep 10

or, with perf,

    perf record -a -e 'irq:*' sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A row for each handler (a shared line has several): how often it ran, how often in a second, how often the interrupt was
not for it; the time with and without interruptions; its share of one CPU; mean, percentiles (the 99th of at least 100)
and the longest; how many there were in the second with the most of them, and when that began.

=head1 EXAMPLES

    zedperl trace.dat irq --by cpu
    zedperl trace.dat irq --json | jq '.tables.irqs.rows[] | {name, n, max}'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
