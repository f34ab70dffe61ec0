#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# metrics.pl: a kernel's scheduling, interrupts and disks as metrics for Prometheus.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_process_fork irq block:block_rq_issue block:block_rq_complete
# zedperl: is made of sched:sched_switch|sched:sched_waking|sched:sched_process_fork|irq:irq_handler_entry|irq:softirq_entry|block:block_rq_issue
# zedperl: is about prometheus monitoring openmetrics grafana export

use strict;
use warnings;

use Zed;

my ($quiet, $by_cgroup);
while (@ARGV) {
	my $word = shift;
	my $option = $word eq '--quiet' ? \$quiet : $word eq '--by-cgroup' ? \$by_cgroup : undef;
	die "usage: zedperl --live --metrics ADDR:PORT metrics [--quiet] [--by-cgroup]\n" if !$option;
	$$option = 1;
}
# More keys for what a task does while it runs, and a bound for the series: containers come and go.
my @cgroup = $by_cgroup ? 'cgroup' : ();
my @most = $by_cgroup ? (max_series => 500) : ();

# The events that the trace, or this kernel, has; where states are reduced there is no trace, and all may occur.
my %event = map { s/::/:/r => 1 } Zed::events();
my $has = sub { return !%event || !grep { !$event{$_} } @_ };
my %ns = (scale => 1e-9);
my $in_ns = Zed::_counts_ns();	# else nothing is known in seconds

print {*STDERR} 'metrics: the clock ', Zed::plain(Zed::clock() // ''),
	" counts ticks, not ns: no metrics in seconds\n" if !$in_ns;

# No Perl runs for an event: all of this is counted where it is read.
if ($has->('sched:sched_switch')) {
	Zed::metric(counter => 'zed_switches_total', help => 'Context switches.',
		from => Zed::count('sched:sched_switch', by => ['cpu', @cgroup]), @most);
}
if ($has->('sched:sched_process_fork')) {
	Zed::metric(counter => 'zed_forks_total', help => 'Tasks that were made.',
		from => Zed::count('sched:sched_process_fork', $by_cgroup ? (by => 'cgroup') : ()), @most);
}
if ($has->('sched:sched_waking')) {
	Zed::metric(counter => 'zed_wakeups_total', help => 'Tasks that were woken, by name.',
		from => Zed::count('sched:sched_waking', by => 'comm'),
		labels => ['task'], max_series => 500);
}
if ($in_ns && $has->('sched:sched_waking', 'sched:sched_switch')) {
	Zed::synthetic('wait::cpu', start => 'sched:sched_waking', end => 'sched:sched_switch',
		match => 'start.pid == end.next_pid', fields => [delay => 'end.ts - start.ts']);
	Zed::metric(histogram => 'zed_wakeup_latency_seconds', help => 'From a wakeup until the task runs.',
		from => Zed::hist('wait:cpu', 'delay'), %ns);
}
if ($has->('irq:irq_handler_entry')) {
	Zed::metric(counter => 'zed_interrupts_total', help => 'Interrupts of devices.',
		from => Zed::count('irq:irq_handler_entry', by => ['irq', 'name']));
}
if ($in_ns && $has->('irq:softirq_entry', 'irq:softirq_exit')) {
	Zed::synthetic('softirq::run', start => 'irq:softirq_entry', end => 'irq:softirq_exit',
		match => 'start.cpu == end.cpu && start.vec == end.vec',
		fields => [vec => 'start.vec', took => 'end.ts - start.ts']);
	Zed::metric(histogram => 'zed_softirq_seconds', help => 'How long softirqs run.',
		from => Zed::hist('softirq:run', 'took', by => 'vec'), %ns);
}
if ($in_ns && $has->('block:block_rq_issue', 'block:block_rq_complete')) {
	Zed::synthetic('disk::request', start => 'block:block_rq_issue', end => 'block:block_rq_complete',
		match => 'start.dev == end.dev && start.sector == end.sector',
		fields => [dev => 'dev(start.dev)', took => 'end.ts - start.ts']);
	Zed::metric(histogram => 'zed_disk_seconds', help => 'From the issue of a request to its completion.',
		from => Zed::hist('disk:request', 'took', by => 'dev'), %ns);
}

sub trace_end { print Zed::metrics() if !$quiet }

__END__

=head1 NAME

metrics.pl - a kernel's scheduling, interrupts and disks as metrics for Prometheus

=head1 SYNOPSIS

B<zedperl> B<--live> B<--metrics> I<ADDR>:I<PORT> B<metrics> [B<--quiet>] [B<--by-cgroup>]

B<zedperl> I<TRACE> B<metrics>

=head1 DESCRIPTION

Counts context switches, forks, wakeups and interrupts, and how long tasks wait for a CPU, softirqs
run and disks work, as far as there are such events, and serves them as metrics (zedperl-scripts(7),
METRICS), with what was lost. It is a model for scripts of your own: all of it consists of
aggregations, so no Perl runs for an event.

F<grafana-zedperl.json> is a dashboard for it, and F<zedperl-metrics@.service> a unit for systemd;
see METRICS in zedperl(1).

=head1 OPTIONS

=over

=item --quiet

Print nothing when the run ends: for a service.

=item --by-cgroup

Count context switches and forks by the cgroup of the task that ran as well, with a label C<cgroup>:
so rates are per service, or per container. At most 500 series of each; the rest is summed up.

=back

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_process_fork irq block:block_rq_issue block:block_rq_complete -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_process_fork -e irq -e block:block_rq_issue -e block:block_rq_complete sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_process_fork -e 'irq:*' -e block:block_rq_issue -e block:block_rq_complete sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

When the run ends, the metrics as OpenMetrics text:

    zed_switches_total{cpu="0"} 58
    zed_wakeup_latency_seconds_bucket{le="6.5535e-05"} 61

=head1 EXAMPLES

    zedperl --live --metrics 9435 metrics --quiet
    zedperl --live --metrics-file /var/lib/node-exporter/zed.prom metrics --quiet
    zedperl trace.dat metrics

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
