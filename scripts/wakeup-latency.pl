#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# wakeup-latency.pl: how long tasks wait for a CPU after they were woken, and the worst cases.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new
# zedperl: keeps traces apart

use strict;
use warnings;

use Zed;
use Zed::Report;
use Zed::Spread;
use Zed::Tasks;

my $KEPT = 256;		# of each CPU, the last slices: to tell who ran while one waited
my $NAMED = 6;		# of these, as many have names

my $report = Zed::Report->new(name => 'wakeup-latency', answer => \&answer, fold => \&fold,
	options => [qw(by=s worst=i new)], defaults => { by => 'comm', worst => 10 });
my %KEYS = (
	comm => ['task', 'text', sub { $_[0]->comm }],
	pid => ['pid', 'int', sub { $_[0]->pid }],
	cpu => ['CPU', 'int', sub { $_[1] }],
	prio => ['prio', 'int', sub { $_[0]->prio }],
);
my @by = split /,/, $report->option('by');
for (grep { !$KEYS{$_} } @by) {
	$report->usage("--by '$_': it takes comm, pid, cpu, prio, joined by commas");
}

my $samples = $report->samples;
my %rows;	# {key}: the values of the key, and the waits
my %all;	# {why}: the waits
my @longest;	# the longest, the longest first
my @worst;	# the same, with who ran meanwhile
my $heat = $report->heat('waits by time', 'wait');
my @slices;	# [source][cpu]: [[task, from, to], ...], the last ones, and the $KEPT before these

my $tasks = Zed::Tasks->new(
	waited => \&waited,
	ran => sub { my ($task, $cpu, $from, $to) = @_; slice($task->source, $cpu, $task, $from, $to) },
	idle => sub { my ($source, $cpu, $from, $to) = @_; slice($source, $cpu, undef, $from, $to) },
);

my %still;	# what waits at the end: n, longest

$report->keeps(rows => \%rows, { waits => 'object' });
$report->keeps(all => \%all, 'object');
$report->keeps(tasks => \$tasks, 'object');
$report->keeps(still => \%still, { n => 'sum', longest => 'max' });
$report->keeps_worst(worst => \@worst, 'wait', qw(woken ran cpu pid));

sub slice
{
	my ($source, $cpu, $task, $from, $to) = @_;
	my $last = $slices[$source][$cpu] //= [[], []];

	@$last = ([], $last->[0]) if @{$last->[0]} == $KEPT;
	push @{$last->[0]}, [$task ? [$task->comm, $task->pid] : ['<idle>', 0], $from, $to];
}

sub waited
{
	my ($task, $cpu, $from, $to, $why, $waker) = @_;
	my $wait = $to - $from;

	($all{$why} //= Zed::Spread->new)->add($wait);
	return if $why ne 'wake' && !($why eq 'new' && $report->option('new'));

	my @key = map { $KEYS{$_}[2]->($task, $cpu) } @by;
	my $row = $rows{join "\0", map { $_ // '' } @key} //= { key => \@key, waits => Zed::Spread->new };

	$row->{waits}->add($wait);
	$heat->add($to, $wait) if $heat;
	$report->sample(\@key, $to, $wait) if $samples;
	keep($task, $cpu, $from, $to, $waker) if @longest < $report->option('worst') || $wait > $longest[-1]{wait};
}

sub keep
{
	my ($task, $cpu, $from, $to, $waker) = @_;

	$report->worst(\@longest, 'wait', {
		wait => $to - $from, woken => $from, ran => $to, cpu => $cpu, comm => $task->comm, pid => $task->pid,
		prio => $task->prio, waker => waker($waker), slices => [@{$slices[$task->source][$cpu] // []}],
	}, $from, $to);
}

sub waker
{
	my ($waker) = @_;

	return $waker->{in} ? "$waker->{in} on CPU $waker->{cpu}" : "$waker->{comm} $waker->{pid}";
}

# Who ran on the CPU of a wait meanwhile, and how long each: the times add up to what lies between.  Of the few that are
# the longest at the end: it takes far longer than to keep the slices.
sub meanwhile
{
	my ($slices, $from, $to) = @_;
	my %ran;
	my $known = 0;

	for my $slice (map { reverse @$_ } @$slices) {
		my ($who, $begin, $end) = @$slice;

		last if $end <= $from;
		my $time = ($end < $to ? $end : $to) - ($begin > $from ? $begin : $from);

		next if $time <= 0;
		$ran{$who->[1] ? "$who->[0] $who->[1]" : $who->[0]} += $time;
		$known += $time;
	}
	$ran{unknown} = $to - $from - $known if $to - $from > $known;

	my @who = sort { $ran{$b} <=> $ran{$a} || $a cmp $b } keys %ran;
	my @others = splice @who, @who > $NAMED ? $NAMED : @who;

	if (@others) {
		my $others = @others . ' others';

		$ran{$others} += $ran{$_} for @others;
		push @who, $others;
	}
	return join ', ', map { "$_ " . Zed::duration($ran{$_}) } @who;
}

sub row
{
	my ($waits) = @_;

	return (n => $waits->n, total => $waits->total, avg => $waits->mean, p50 => $waits->quantile(50),
		p90 => $waits->quantile(90), p99 => $waits->quantile(99), max => $waits->max);
}

sub answer
{
	my @columns = (['n', 'n', 'int'], ['total', 'total', 'us'], map { [$_, $_, 'us'] } qw(avg p50 p90 p99 max));
	my $table = $report->table('tasks', columns => [(map { [$_, $KEYS{$_}[0], $KEYS{$_}[1]] } @by), @columns]);
	my $sum = Zed::Spread->new;

	for my $row (values %rows) {
		my %key;

		@key{@by} = @{$row->{key}};
		$table->add({ %key, row($row->{waits}) });
		$sum->merge($row->{waits});
	}
	$table->sort('max', @by);
	$table->last({ $by[0] eq 'comm' ? (comm => 'ALL') : (), row($sum) }) if $sum->n && @{[keys %rows]} > 1;

	$report->histogram('histogram', 'how the waits are spread', $sum) if $sum->n;
	$report->table('worst', title => 'the longest waits', span => ['woken', 'ran'], rows => [@worst],
		columns => [['wait', 'wait', 'us'], ['woken', 'woken at', 'time'], ['ran', 'ran at', 'time'], ['cpu', 'CPU', 'int'],
			['comm', 'task', 'text'], ['pid', 'pid', 'int'], ['prio', 'prio', 'int'], ['waker', 'woken by', 'text'],
			['meanwhile', 'who ran there meanwhile', 'text']]) if @worst;
	notes($sum);
	return $report->window($tasks->span);
}

# What has not ended, and the longest as they are shown.
sub fold
{
	@worst = ();
	for my $case (@longest) {
		my %shown = (%$case, meanwhile => meanwhile(@$case{qw(slices woken ran)}));

		delete $shown{slices};
		push @worst, \%shown;
	}
	my (undef, $ready) = $tasks->still;

	%still = (n => scalar @$ready, longest => 0);
	for (@$ready) {
		my (undef, $end) = $report->window_of($_->source, $tasks->span);

		next if !defined $end;
		$still{longest} = $end - $_->since if $end - $_->since > $still{longest};
	}
}

sub notes
{
	my ($sum) = @_;

	for ($report->option('new') ? () : 'new', 'preempt', 'resched') {
		my $waits = $all{$_} or next;

		$report->note($_, $waits->n, { new => '{wait of a new task|waits of new tasks}',
			preempt => '{wait of a task|waits of tasks} that the kernel preempted',
			resched => '{wait of a task|waits of tasks} that left ready to run' }->{$_} . ' {is|are} not in the table: ' .
			Zed::duration($waits->total) . ' in all, the longest ' . Zed::duration($waits->max));
	}
	$report->note('waiting', $still{n}, '{task still waits|tasks still wait} at the end, one for ' . Zed::duration($still{longest}) . ' at least');
	$report->note('begun', $tasks->n('begun'), '{task was|tasks were} first seen when running already');
	$report->note('enqueued', $tasks->n('enqueued'), '{wait is|waits are} counted from the wakeup, as no waking was seen');
	$report->note('unwoken', $tasks->n('unwoken'), '{task|tasks} ran on without a wakeup that was seen');
	$report->note('missing', $tasks->n('missing'), '{switch is|switches are} not in the trace though nothing was lost there');
	$report->note('lost_waits', $tasks->n('lost_waits'), '{wait is|waits are} left out, as events were lost meanwhile');
	$report->remark('buckets', 'quantiles of more than a thousand waits are at most 0.8 % away') if !$sum->is_exact;
}

sub trace_begin { $report->begin }
sub trace_lost { $report->lost(@_); $tasks->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

wakeup-latency.pl - how long tasks wait for a CPU after they were woken, and the worst cases

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<wakeup-latency> [B<--by> I<KEYS>] [B<--worst> I<N>] [B<--new>] [B<--json> | B<--csv>[=I<TABLE>]]
[B<--limit> I<N>] [B<--html> I<FILE>] [B<--svg> I<FILE>]

B<zedperl --live wakeup-latency> B<--every> 5s

=head1 DESCRIPTION

Measures the time from the moment that a task is woken (C<sched_waking>, the decision, not the later
entry into a queue) to the switch that starts it. It needs C<sched_switch> and C<sched_waking>, or,
from kernels before 4.3, C<sched_wakeup>; with both of these, a waking that had no effect, as the
task had not left yet, is distinguished from one that counts.

A wait is counted if its beginning and its end were seen. Waits that lost events may have hidden are
left out, and a line below the tables says how many. How long tasks waited after they were
preempted, or after they left a CPU ready to run, is a different matter, and is reported there too.

=head1 OPTIONS

=over

=item --by KEYS

A row for each C<comm> (the default), C<pid>, C<cpu> (on which it then ran), C<prio>, or several of
these, separated by commas.

=item --worst N

How many of the longest waits to show (default 10).

=item --new

Include the waits of new tasks for their first run in the tables.

=item --html FILE, --svg FILE

Also write the answer as one page, with pictures and sortable tables (Zed::Page); each picture by
itself (Zed::Svg).

=item --json, --csv[=TABLE], --limit N, --every TIME

As in all analyses: one JSON object with exact numbers in ns; the table C<tasks>, C<histogram> or
C<worst> for spreadsheets; the number of rows to show (default 20; 0: all); the answer so far,
repeatedly.

=back

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

=head1 OUTPUT

A table of tasks, the one with the longest wait first: how many waits (n), their sum, mean, the
50th, 90th and 99th percentile (of at least 100 waits) and the longest, in microseconds. Then the
distribution of all of them, by powers of two; then the longest: when the task was woken and when it
ran, which can be looked up with C<zedprint --around>; who woke it (C<irq> or C<softirq>: not the
task, but an interrupt); and what ran on that CPU meanwhile, with times that add up to the wait.

=head1 EXAMPLES

    zedperl trace.dat wakeup-latency --by comm,cpu
    zedperl trace.dat wakeup-latency --json | jq '.tables.worst.rows[0]'

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
