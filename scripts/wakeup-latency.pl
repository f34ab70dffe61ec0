#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# wakeup-latency.pl: how long tasks wait for a CPU after they were woken, and the worst cases.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch sched:sched_waking|sched:sched_wakeup|sched:sched_wakeup_new
# zedperl: answers for parts of the time
# zedperl: is about scheduler scheduling latency delay jitter realtime rt priority deadline wakeup cyclictest late

use strict;
use warnings;

use Zed;
use Zed::Report;
use Zed::Waits;

my $report = Zed::Report->new(name => 'wakeup-latency', answer => \&answer, fold => \&fold,
	options => [qw(by=s worst=i new strict-loss)], defaults => { by => 'comm', worst => 10 });
my @by = split /,/, $report->option('by');
for (grep { !/^(?:comm|pid|cpu|prio)\z/ } @by) {
	$report->usage("--by '$_': it takes comm, pid, cpu, prio, joined by commas");
}

my @kinds = ('woken', $report->option('new') ? 'new' : ());
my $waits = Zed::Waits->new(report => $report, by => \@by, kinds => \@kinds,
	strict => scalar $report->option('strict-loss'));

sub answer
{
	others();
	my $sum = $waits->table('max');

	$report->histogram('histogram', 'how the waits are spread', $sum) if $sum->n;
	$waits->worst_table;
	$waits->notes($sum);
	return $report->window($waits->tasks->span);
}

# Who asks for waits wants to know that these are not all.
sub others
{
	my (@parts, $longest);
	my ($n, $total) = (0, 0);

	for my $kind (Zed::Waits::kinds()) {
		my $others = $waits->of_kind($kind);

		next if !$others || grep { $_ eq $kind } @kinds;
		$n += $others->n;
		$total += $others->total;
		$longest = $others->max if !defined $longest || $others->max > $longest;
		push @parts, "$kind " . Zed::duration($others->total) . ' (' . $others->n . ')';
	}
	$report->warning('others', $n, 'more {wait|waits} for a CPU, ' . Zed::duration($total) . ' in all, the longest '
		. Zed::duration($longest) .
		', did not begin with a wakeup and {is|are} not counted here: ' . join(', ', @parts)
		. ". All waits: 'zedperl TRACE waits'") if $n;
}

sub fold { $waits->fold }

sub trace_begin { $report->begin }
sub trace_lost { $waits->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

wakeup-latency.pl - how long tasks wait for a CPU after they were woken, and the worst cases

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<wakeup-latency> [B<--by> I<KEYS>] [B<--worst> I<N>] [B<--new>] [B<--strict-loss>]
[B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>] [B<--html> I<FILE>] [B<--svg> I<FILE>]

B<zedperl --live wakeup-latency> B<--every> 5s

=head1 DESCRIPTION

Measures the time from the moment that a task is woken (C<sched_waking>, the decision, not the later
entry into a queue) to the switch that starts it. It needs C<sched_switch> and C<sched_waking>, or,
from kernels before 4.3, C<sched_wakeup>; with both of these, a waking that had no effect, as the
task had not left yet, is distinguished from one that counts.

A wait is counted if its beginning and its end were seen. Waits that lost events may have hidden are
left out, and a line below the tables says how many.

Waits after a task was preempted, or left a CPU ready to run, and (without B<--new>) of new tasks for
their first run, are not what this measures: a line above the table says how much there was of them,
and the analysis C<waits> has all.

Of a part of a trace (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>), a wait counts, with the
whole of its length, if it ends in that time, on that CPU, and is that task's.

=head1 OPTIONS

=over

=item --by KEYS

A row for each C<comm> (the default), C<pid>, C<cpu> (on which it then ran), C<prio>, or several of
these, separated by commas.

=item --worst N

How many of the longest waits to show (default 10).

=item --new

Include the waits of new tasks for their first run in the tables.

=item --strict-loss

Leave out waits that ended while another CPU had lost events, or before the first or after the last
record of a CPU of which others are not in the trace (C<zedperl help Zed::Ends>): the task may have run
there in between; and waits that may have begun earlier, as their waking may be among what was lost.
Without it they count, and the column C<gaps> says how many of a row they are.

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<tasks>, C<histogram>, C<worst>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A table of tasks, the one with the longest wait first: how many waits (n), their sum, mean, the
50th, 90th and 99th percentile (of at least 100 waits) and the longest. Then the
distribution of all of them, by powers of two; then the longest: when the task was woken and when it
ran, which can be looked up with C<zedprint --around>; who woke it (C<irq> or C<softirq>: not the
task, but an interrupt); and what ran on that CPU meanwhile, with times that add up to the wait.

=head1 EXAMPLES

    zedperl trace.dat wakeup-latency --by comm,cpu
    zedperl trace.dat wakeup-latency --json | jq '.tables.worst.rows[0]'

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7), waits.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
