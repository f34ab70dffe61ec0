#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# who-wakes-whom.pl: which task, interrupt or softirq wakes which task, how often, and how long the woken task then
# waits.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch sched:sched_waking|sched:sched_wakeup|sched:sched_wakeup_new
# zedperl: answers for parts of the time
# zedperl: is about wakeup wake waker dependency task thread process

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Spread;
use Zed::Tasks;

my $report = Zed::Report->new(name => 'who-wakes-whom', answer => \&answer, options => [qw(by=s)],
	defaults => { by => 'comm' });
my $by_pid = $report->option('by') eq 'pid';
$report->usage("--by '" . $report->option('by') . "': it takes comm or pid")
	if $report->option('by') !~ /^(?:comm|pid)\z/;

my %edges;	# {waker}{woken}: how often, and the waits
my $heat = $report->heat('waits of those that were woken', 'wait');
my @frames;	# [source][cpu]: the interrupts and softirqs that are being handled, the innermost last

# An interrupt's own name, where the trace has its begin.  What was asked for begins and ends in the middle of some.
Zed::Asked::follow(sub { 1 },
	map { my ($event, $args, $code) = @$_; Zed::on($event, args => $args, follows => 1, optional => 1, $code) }
	['irq:enter', [qw(cpu irq name)], sub { push @{$frames[Zed::source_index()][$_[0]]}, "irq:$_[2]" }],
	['softirq:enter', [qw(cpu vec name)], sub { push @{$frames[Zed::source_index()][$_[0]]},
		'softirq:' . ($_[2] // $_[1]) }],
	map { [$_, ['cpu'], sub { pop @{$frames[Zed::source_index()][$_[0]]} }] } 'irq:exit', 'softirq:exit');

my $tasks = Zed::Tasks->new(
	still => 0,
	woken => sub {
		my ($task, $waker) = @_;

		$waker->{name} = waker($task->source, $waker);
	},
	waited => sub {
		my ($task, $cpu, $from, $to, $why, $waker) = @_;

		return if $why ne 'wake' && $why ne 'new';
		my $woken = $by_pid ? $task->comm . ' ' . $task->pid : $task->comm;

		($edges{$waker->{name}}{$woken} //= Zed::Spread->new)->add($to - $from);
		$heat->add($to, $to - $from) if $heat;
	},
);

$report->counts(\%edges);
$report->keeps(edges => \%edges, { '*' => { '*' => 'spread' } });
$report->keeps(tasks => \$tasks, 'tasks');

sub waker
{
	my ($source, $waker) = @_;
	my $frame = $waker->{in} ? ($frames[$source][$waker->{cpu}] // [])->[-1] : undef;

	return $frame // $waker->{in} if $waker->{in};
	return $by_pid ? "$waker->{comm} $waker->{pid}" : $waker->{comm};
}

sub answer
{
	my $all = Zed::Spread->new;
	my $table = $report->table('edges', columns => [['waker', 'waker', 'text'], ['woken', 'wakes', 'text'],
		['n', 'n', 'int'],
		['total', 'wait', 'us'], map { [$_, $_, 'us'] } qw(avg p50 p90 p99 max)],
		made => { Zed::Spread::made_of('waits') });

	for my $waker (keys %edges) {
		for my $woken (keys %{$edges{$waker}}) {
			my $waits = $edges{$waker}{$woken};

			$all->merge($waits) if $heat;
			$table->add({ waker => $waker, woken => $woken, waits => $waits });
		}
	}
	$table->sort('n', 'waker', 'woken');
	$report->missing($tasks, 'wakings of tasks that ran there are left out');
	$report->note('begun', $tasks->n('begun'),
		'{switch|switches} to a task of unknown earlier state');
	$report->note('enqueued', $tasks->n('enqueued'),
		'{waking is|wakings are} known from sched_wakeup alone, which may name the wrong waker');
	$report->note('lost_waits', $tasks->n('lost_waits'),
		'{waking is|wakings are} left out, as events were lost meanwhile');
	$report->remark('unnamed', 'of irq and softirq the begin is not in the trace, which has their names: ' .
		"record irq (zedperl help who-wakes-whom)") if $edges{irq} || $edges{softirq};
	$report->spread('spread', 'how these waits are spread', $all) if $heat;
	return $report->window($tasks->span);
}

sub trace_begin { $report->begin }

sub trace_lost
{
	my ($cpu) = @_;
	my $source = eval { Zed::source_index() };

	$report->lost(@_);
	$tasks->lost(@_);
	$frames[$source][$cpu] = undef if defined $source;
}

sub trace_end { $report->end }

__END__

=head1 NAME

who-wakes-whom.pl - which task or interrupt wakes which task, how often, and how long the woken task then waits

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<who-wakes-whom> [B<--by> comm|pid] [B<--json> | B<--csv>] [B<--limit> I<N>]
[B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

Counts, for each pair of a waker and the task that it wakes, the wakings that led to a run, and the
time from waking to running. If an interrupt or a softirq wakes a task, it is the waker, not the
task that it happened to interrupt: by its name if the trace has the events of irq, otherwise as
C<irq> or C<softirq>.

Of a part of a trace (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>), a waking counts if the wait
after it ends in that time, on that CPU, and the woken task is the one that was asked for.

=head1 OPTIONS

=over

=item --by comm|pid

Tasks by name (the default), or each by itself.

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new -e irq sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new -e 'irq:*' sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A row for each pair, the most frequent first: how often, and the sum, mean, percentiles and maximum
of the waits.

=head1 EXAMPLES

Who wakes the tasks called rcu_preempt?

    zedperl trace.dat who-wakes-whom --csv | grep ',rcu_preempt,'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
