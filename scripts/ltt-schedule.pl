#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# ltt-schedule.pl: how long each process ran, from the changes that the scheduler made.
# zedtrace: sched:sched_switch
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch|kernel:sched_schedule|process:schedchange|core:schedchange
# zedperl: is about ltt process schedule

use strict;
use warnings;

use Zed;
use Zed::Asked;

my %on;		# {input}{instance}[cpu]: [the task that runs there, since when]
my %runs;	# {pid}: [number of runs, total time, the longest]
my ($all, $changes, $gaps) = (0, 0, 0);	# the time of all runs, also those that are not chosen

# The scheduler of CPU took OUT off and put IN on.
sub change
{
	my ($ts, $cpu, $out, $in) = @_;
	my $there = $on{Zed::source_index()}{Zed::instance()} //= [];
	my $was = $there->[$cpu];

	$there->[$cpu] = [$in, $ts];
	return if !Zed::Asked::at($ts) || !Zed::Asked::cpu($cpu);
	$changes++ if grep { Zed::Asked::task_of($_) } $out, $in;
	return if !$was;
	# The process taken off is not the one that was put on: changes between the two are missing.
	if ($was->[0] != $out) {
		$gaps++ if grep { Zed::Asked::task_of($_) } $out, $was->[0];
		return;
	}
	count($out, $ts - $was->[1]);
}

sub count
{
	my ($pid, $took) = @_;

	$all += $took;
	return if !Zed::Asked::task_of($pid);
	my $run = $runs{$pid} //= [0, 0, 0];

	$run->[0]++;
	$run->[1] += $took;
	$run->[2] = $took if $took > $run->[2];
}

# The same change under its various names: in LTT of 2003, of 2005, of late 2006; and today's.
my %there = map { s/::/:/r => 1 } Zed::events();
my @follows = map { Zed::on($_, args => [qw(ts cpu)], follows => 1, sub {
	my (undef, $out, undef, $in) = Zed::fields();

	change(@_, $out, $in);
}) } grep { $there{$_} } qw(core:schedchange process:schedchange kernel:sched_schedule);

push @follows, Zed::on('sched:sched_switch', args => [qw(ts cpu prev_pid next_pid)], follows => 1, \&change)
	if $there{'sched:sched_switch'};

# What ends after the time that is asked for counts there: nothing after its end is needed.
Zed::Asked::follow(sub { return 1 }, @follows);

# After a loss it is unknown which task runs.
sub trace_lost
{
	my ($cpu) = @_;

	$_->[$cpu] = undef for values %{$on{Zed::lost_source()} // {}};
}

# The state of a run, for zedperl --map and --reduce.
sub trace_state { return { runs => \%runs, all => $all, changes => $changes, gaps => $gaps } }

sub trace_merge
{
	my ($state) = @_;

	for my $pid (keys %{$state->{runs}}) {
		my ($n, $took, $max) = @{$state->{runs}{$pid}};
		my $run = $runs{$pid} //= [0, 0, 0];

		$run->[0] += $n;
		$run->[1] += $took;
		$run->[2] = $max if $max > $run->[2];
	}
	$all += $state->{all};
	$changes += $state->{changes};
	$gaps += $state->{gaps};
}

sub trace_end
{
	my $unit = Zed::_counts_ns() ? 'ns' : 'ticks';

	printf "%8s %8s %16s %14s %14s %7s\n", 'pid', 'runs', map({ "${_}_$unit" } qw(run avg max)), 'share';
	for my $pid (sort { $runs{$b}[1] <=> $runs{$a}[1] || $a <=> $b } keys %runs) {
		my ($n, $took, $max) = @{$runs{$pid}};

		printf "%8d %8d %16d %14.0f %14d %6.2f%%\n", $pid, $n, $took, $took / $n, $max,
			$all ? 100 * $took / $all : 0;
	}
	print "\nschedule changes: $changes\n";
	print "changes that do not follow from the one before: $gaps\n" if $gaps;
}

__END__

=head1 NAME

ltt-schedule.pl - run time of each process, from schedule changes

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<ltt-schedule.pl>

=head1 DESCRIPTION

Follows on each CPU which process the scheduler takes off and which it puts on, and sums up how
often and how long each ran. Only whole runs count, from being put on to being taken off; what
ran before the first change of a CPU, or is still running at the end, is not in the sums.

Of a part of the trace, a run counts, with the whole of it, where it ends, so that the sums of parts that follow each
other are those of the whole. B<--pid> and B<--comm> choose processes by the run, B<--cpu> by where it was.

It reads the events of the Linux Trace Toolkit (C<core::schedchange> of 2003,
C<process::schedchange> of 2005 and 2006, C<kernel::sched_schedule> of late 2006), which identify
processes by their numbers alone, and C<sched::sched_switch> of today's kernels.

=head1 RECORD

    zedtrace sched:sched_switch -d 10
    trace-cmd record -e sched:sched_switch sleep 10

These record the events of a current kernel. Traces of the Linux Trace Toolkit can only be read: its
tracer was a patch for kernels up to 2.6, and zedtrace(1) does not write such traces.

=head1 OUTPUT

         pid     runs           run_ns         avg_ns         max_ns   share
           0      427      39471822317       92439982     1021000342  98.71%
        1441      210        412033113        1962062       10214433   1.03%

    schedule changes: 962

=over

=item pid

The process; 0 is the idle processes of all CPUs together.

=item runs, run_ns, avg_ns, max_ns

How often it was put on a CPU and taken off again, for how many nanoseconds in all, on average,
and at most.

=item share

Its part of the sum of all, also where processes are chosen.

=item schedule changes

How often a process was taken off for another; where processes are chosen, one of them.

=item changes that do not follow from the one before

How often a process other than the one put on was taken off. The changes in between are not in the
trace, so the time in between does not count for any process.

=back

=head1 EXAMPLES

Who was busy on CPU 1 of an LTT trace?

    zedperl --cpu 1 tracedir ltt-schedule.pl

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
