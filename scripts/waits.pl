#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# waits.pl: which tasks wait for a CPU, of every kind: woken, preempted, left ready to run, new; the longest, and who
# ran meanwhile.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch
# zedperl: answers for parts of the time
# zedperl: is about scheduler scheduling latency delay runqueue preemption priority cpu starvation slow task thread jitter

use strict;
use warnings;

use Zed;
use Zed::Report;
use Zed::Waits;

my $report = Zed::Report->new(name => 'waits', answer => \&answer, fold => \&fold,
	options => [qw(by=s kind=s worst=i strict-loss)], defaults => { worst => 10 });
my %is_kind = map { $_ => 1 } Zed::Waits::kinds();
my @kinds = split /,/, $report->option('kind') // join ',', Zed::Waits::kinds();
for (grep { !$is_kind{$_} } @kinds) {
	$report->usage("--kind '$_': it takes " . join(', ', Zed::Waits::kinds()) . ', joined by commas');
}
$report->usage('--kind takes one kind or more') if !@kinds;

# Of one kind, a column for it says nothing.
my @by = split /,/, $report->option('by') // (@kinds > 1 ? 'comm,kind' : 'comm');
for (grep { !/^(?:comm|pid|cpu|prio|kind)\z/ } @by) {
	$report->usage("--by '$_': it takes comm, pid, cpu, prio, kind, joined by commas");
}
$report->usage('--by takes one key or more') if !@by;

my $waits = Zed::Waits->new(report => $report, by => \@by, kinds => \@kinds,
	strict => scalar $report->option('strict-loss'), parts => 1,
	names_kind => @kinds > 1);

sub answer
{
	my $sum = $waits->table('total');

	$waits->kinds_table if @kinds > 1;
	$report->histogram('histogram', 'how the waits are spread', $sum) if $sum->n;
	$waits->worst_table;
	$waits->notes($sum);
	$report->wakeless($waits->tasks, 'waits after a wakeup are not in the answer');
	return $report->window($waits->tasks->span);
}

sub fold { $waits->fold }

sub trace_begin { $report->begin }
sub trace_lost { $waits->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

waits.pl - which tasks wait for a CPU: woken, preempted, left ready, new; the longest, and who ran meanwhile

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<waits> [B<--kind> I<KINDS>] [B<--by> I<KEYS>] [B<--worst> I<N>] [B<--strict-loss>]
[B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>] [B<--html> I<FILE>] [B<--svg> I<FILE>]

B<zedperl --live waits> B<--every> 5s

=head1 DESCRIPTION

All times in which a task was ready to run and did not: from the moment that it was woken, was preempted,
left its CPU ready to run, or was made, to the switch that starts it. C<wakeup-latency> has those after
a wakeup alone, which is C<--kind woken> here.

A wait is counted if its beginning and its end were seen. Waits that lost events may have hidden are
left out, and a line below the tables says how many.

Of a part of a trace (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>), a wait counts, with the
whole of its length, if it ends in that time, on that CPU, and is that task's; the column C<in window> has what of the
waits lies in that time, those that end later included.

=head1 OPTIONS

=over

=item --kind KINDS

Only waits of these kinds, separated by commas:

=over

=item woken

It was woken.

=item preempted

The kernel took the CPU away while the task was in the kernel.

=item left-ready

It left the CPU and was still ready to run: the kernel took the CPU away on the way back to the program,
or the task gave it away itself (sched_yield()). A task whose group has used up its share of CPU time
(cpu.max of a cgroup) leaves like this, too: no event tells that it is throttled, but the group's file
cpu.stat counts how often and how long; if the CPU was idle during such waits, look there.

=item new

It is new, and has not run yet.

=back

=item --by KEYS

A row for each C<comm>, C<pid>, C<cpu> (on which it then ran), C<prio>, C<kind>, or several of these,
separated by commas (default C<comm,kind>; of one kind, C<comm>).

=item --worst N

How many of the longest waits to show (default 10).

=item --strict-loss

Leave out waits that ended while another CPU had lost events, or before the first or after the last
record of a CPU of which others are not in the trace (C<zedperl help Zed::Ends>): the task may have run
there in between; and waits that may have begun earlier, as their waking may be among what was lost.
Without it they count, and the column C<gaps> says how many of a row they are.

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<tasks>, C<kinds>, C<histogram>, C<worst>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A table of tasks and kinds, the one that waited longest in all first: how many waits (n), their sum,
mean, the 50th, 90th and 99th percentile (of at least 100 waits) and the longest.
Then the same by kind; the distribution of all waits, by powers of two; and the longest: since when it
waited and when it ran, which can be looked up with C<zedprint --around>; who woke it, if it was woken
(C<irq> or C<softirq>: not the task, but an interrupt); and what ran on that CPU meanwhile, with times
that add up to the wait.

=head1 EXAMPLES

    zedperl trace.dat waits
    zedperl trace.dat waits --kind preempted,left-ready --by comm
    zedperl --start 7 --end 7.5 trace.dat waits --by pid
    zedperl trace.dat waits --json | jq '.tables.kinds.rows[] | [.kind, .total]'

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7), wakeup-latency.pl, off-cpu.pl, why-late.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
