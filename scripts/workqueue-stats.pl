#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# workqueue-stats.pl: which worker executed how much queued work, and how long each kind waited and ran.
# zedtrace: workqueue

use strict;
use warnings;

use Zed;

my @workers;	# [cpu]{pid}{ins|exec}
my %kinds;	# {workqueue}{function}{ins|exec|wait|waited|run|ran}
my %queued;	# {instance}{work}: insertions that no worker has taken yet
my %running;	# {instance}{pid}: what that worker is at
my ($lost, $lost_unknown) = (0, 0);

# The function at an address; the address itself where the trace has no name for it.
sub name
{
	my ($function) = @_;

	return Zed::symbol($function) // sprintf '0x%x', $function;
}

# The handlers are for stable events, which are the same on all kernels: see zedperl-scripts(7).

# What tells a piece of work.  Up to 2.6.35 that is only its function and the thread it is for.
sub key
{
	my ($work, $function, $pid) = @_;

	return $work // "$function $pid";
}

sub workqueue::insertion
{
	my ($cpu, $secs, $nsecs, $sequence, $pid, $work, $function, $workqueue) = @_;

	# Before 5.12 it has no name.
	my $kind = $kinds{$workqueue // '?'}{name($function)} //= {};
	my $item = { ts => Zed::ts(), cpu => $cpu, kind => $kind };
	my $key = key($work, $function, $pid);

	$kind->{ins}++;
	# A work item is on one queue at a time: if it is here already, its start went unseen.
	forget($queued{Zed::instance()}{$key});
	$queued{Zed::instance()}{$key} = $item;
}

sub workqueue::execution
{
	my ($cpu, $secs, $nsecs, $sequence, $pid, $work, $function) = @_;

	my $item = delete $queued{Zed::instance()}{key($work, $function, $pid)};
	my $kind = $item ? $item->{kind} : ($kinds{'-'}{name($function)} //= {});
	my $ts = Zed::ts();

	$kind->{exec}++;
	$workers[$cpu]{$pid}{exec}++;
	if ($item) {
		$workers[$cpu]{$pid}{ins}++;
		$kind->{wait} += $ts - $item->{ts};
		$kind->{waited}++;
	}
	$running{Zed::instance()}{$pid} = { ts => $ts, work => $work, kind => $kind };
}

sub workqueue::completion
{
	my ($cpu, $secs, $nsecs, $sequence, $pid, $work) = @_;

	my $item = delete $running{Zed::instance()}{$pid};

	return unless $item && $item->{work} == $work;
	$item->{kind}{run} += Zed::ts() - $item->{ts};
	$item->{kind}{ran}++;
}

# Count an insertion for which no worker was seen.
sub forget
{
	my ($item) = @_;

	$workers[$item->{cpu}]{'-'}{ins}++ if $item;
}

sub forget_all
{
	forget($_) for map { values %$_ } values %queued;
	%queued = ();
	%running = ();
}

# Behind a loss nobody knows what became of the work in flight: no interval is taken across it.
sub trace_lost
{
	my ($cpu, $count) = @_;

	forget_all();
	if (defined $count) {
		$lost += $count;
	} else {
		$lost_unknown++;
	}
}

sub average
{
	my ($sum, $n) = @_;

	return $n ? sprintf('%.0f', $sum / $n) : '-';
}

# Numbers by value, '-' (no worker seen) behind them.
sub by_pid { ($a eq '-') <=> ($b eq '-') || $a <=> $b }

sub trace_end
{
	forget_all();

	print "workqueue counts:\n";
	printf "%4s %6s %6s %8s\n", qw(cpu ins exec pid);
	for my $cpu (0 .. $#workers) {
		for my $pid (sort by_pid keys %{$workers[$cpu] // {}}) {
			my $w = $workers[$cpu]{$pid};

			printf "%4d %6d %6d %8s\n", $cpu, $w->{ins} // 0, $w->{exec} // 0, $pid;
		}
	}

	print "\nworkqueue functions:\n";
	printf "%-24s %-32s %6s %6s %12s %12s\n", qw(workqueue function ins exec avg_wait_ns avg_run_ns);
	my @lines;
	for my $workqueue (keys %kinds) {
		for my $function (keys %{$kinds{$workqueue}}) {
			my $k = $kinds{$workqueue}{$function};

			push @lines, sprintf "%-24s %-32s %6d %6d %12s %12s\n", Zed::plain($workqueue),
				Zed::plain($function),
				$k->{ins} // 0, $k->{exec} // 0, average($k->{wait}, $k->{waited}),
				average($k->{run}, $k->{ran});
		}
	}
	print sort @lines;

	print "\nlost events: $lost\n" if $lost;
	print "\nplaces with an unknown number of lost events: $lost_unknown\n" if $lost_unknown;
}

__END__

=head1 NAME

workqueue-stats.pl - work done by the kernel's workqueues, by worker and by function

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<workqueue-stats.pl>

=head1 DESCRIPTION

Follows each work item from its insertion into a queue through the start of its execution to its
end, and sums up by worker thread and by workqueue and function. It is made of stable events
(workqueue::insertion, execution and completion), so the kernel that was traced does not matter;
those up to 2.6.35 do not tell the end.

=head1 RECORD

    zedtrace workqueue -d 10
    trace-cmd record -e workqueue sleep 10

=head1 OUTPUT

    workqueue counts:
     cpu    ins   exec      pid
       0     12     12       17
       1      1      0        -

    workqueue functions:
    workqueue                function                            ins   exec  avg_wait_ns   avg_run_ns
    rcu_gp                   srcu_invoke_callbacks                 3      3      6388210        48110

=over

=item cpu, pid

The worker thread and the CPU on which it executed. A pid of C<-> stands for insertions which no
worker was seen to take; their cpu is the one that inserted.

=item ins

Insertions; in the first table, those that this worker took.

=item exec

Executions begun. There may be more of them than insertions, when work was inserted before the
trace began; its workqueue is unknown then, and shown as C<->.

=item avg_wait_ns

Nanoseconds from insertion to start, average of the items of which both were seen. C<->: none
was.

=item avg_run_ns

Nanoseconds from start to end, likewise.

=back

Function names need the symbols of the traced kernel, which trace-cmd stores in the file;
without them addresses are shown. Kernels before 5.12 do not tell the name of the workqueue: it
is C<?> there.

Losses are told at the end. No interval is taken across one, on any CPU.

=head1 EXAMPLES

What kept the workers busiest, by average run time:

    zedperl trace.dat workqueue-stats.pl | sed '1,/^workqueue functions/d' | sort -k6 -rn | head

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
