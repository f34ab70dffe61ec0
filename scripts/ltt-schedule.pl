#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# ltt-schedule.pl: how long each process ran, from the changes that the scheduler made.
# zedtrace: sched:sched_switch
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch|kernel:sched_schedule|process:schedchange|core:schedchange

use strict;
use warnings;

use Zed;

my %on;		# {input}{instance}[cpu]: [the task that runs there, since when]
my %runs;	# {pid}: [number of runs, total time, the longest]
my ($changes, $gaps) = (0, 0);

# The scheduler of CPU took OUT off and put IN on.
sub change
{
	my ($cpu, $out, $in) = @_;

	my $ts = Zed::ts();
	my $there = $on{Zed::source_index()}{Zed::instance()} //= [];
	my $was = $there->[$cpu];

	$changes++;
	$there->[$cpu] = [$in, $ts];
	return unless $was;
	# The process taken off is not the one that was put on: changes between the two are missing.
	if ($was->[0] != $out) {
		$gaps++;
		return;
	}
	my $run = $runs{$out} //= [0, 0, 0];
	my $took = $ts - $was->[1];

	$run->[0]++;
	$run->[1] += $took;
	$run->[2] = $took if $took > $run->[2];
}

# The same change under its various names: in LTT of 2003, of 2005, of late 2006; and today's.

sub core::schedchange      { change(@_[0, 4, 5]) }
sub process::schedchange   { change(@_[0, 4, 5]) }
sub kernel::sched_schedule { change(@_[0, 4, 5]) }
sub sched::sched_switch    { change($_[0], Zed::field('prev_pid'), Zed::field('next_pid')) }

# Handlers of events that this trace does not describe: zedperl would take their names for misspelt.
sub drop_absent
{
	my %described = map { $_ => 1 } Zed::events();

	no strict 'refs';
	for my $name (qw(core::schedchange process::schedchange kernel::sched_schedule sched::sched_switch)) {
		my ($system, $event) = split /::/, $name;

		delete ${"${system}::"}{$event} unless $described{$name};
	}
}

sub trace_begin { drop_absent() }

# After a loss it is unknown which task runs.
sub trace_lost
{
	my ($cpu) = @_;

	$_->[$cpu] = undef for values %{$on{Zed::lost_source()} // {}};
}

# The state of a run, for zedperl --map and --reduce.
sub trace_state { return { runs => \%runs, changes => $changes, gaps => $gaps } }

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
	$changes += $state->{changes};
	$gaps += $state->{gaps};
}

sub trace_end
{
	my $sum = 0;

	$sum += $_->[1] for values %runs;
	printf "%8s %8s %16s %14s %14s %7s\n", qw(pid runs run_ns avg_ns max_ns share);
	for my $pid (sort { $runs{$b}[1] <=> $runs{$a}[1] || $a <=> $b } keys %runs) {
		my ($n, $took, $max) = @{$runs{$pid}};

		printf "%8d %8d %16d %14.0f %14d %6.2f%%\n", $pid, $n, $took, $took / $n, $max,
			$sum ? 100 * $took / $sum : 0;
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

Its part of the sum of all.

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
