#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# countall.pl: how often each event occurs in a trace.
# zedperl: keeps no state over time
# zedperl: keeps traces apart
# zedtrace: sched block workqueue
# zedperl: is made of *:*
# zedperl: is about count frequency statistics

use strict;
use warnings;

use Zed;

my %counts;			# by the name of the handler
my (%lost, %lost_unknown);	# by CPU: events; losses with an unknown number
my (%summed, %timeless);	# of these, how many have a number together; events lost at unknown times

# The well-known events under their current names. A handler finds its own name in (caller(0))[3].

sub sched::sched_kthread_stop     { $counts{(caller(0))[3]}++ }
sub sched::sched_kthread_stop_ret { $counts{(caller(0))[3]}++ }
sub sched::sched_wait_task        { $counts{(caller(0))[3]}++ }
sub sched::sched_waking           { $counts{(caller(0))[3]}++ }
sub sched::sched_wakeup           { $counts{(caller(0))[3]}++ }
sub sched::sched_wakeup_new       { $counts{(caller(0))[3]}++ }
sub sched::sched_switch           { $counts{(caller(0))[3]}++ }
sub sched::sched_migrate_task     { $counts{(caller(0))[3]}++ }
sub sched::sched_process_fork     { $counts{(caller(0))[3]}++ }
sub sched::sched_process_exec     { $counts{(caller(0))[3]}++ }
sub sched::sched_process_exit     { $counts{(caller(0))[3]}++ }
sub sched::sched_process_wait     { $counts{(caller(0))[3]}++ }
sub sched::sched_process_free     { $counts{(caller(0))[3]}++ }

sub signal::signal_generate { $counts{(caller(0))[3]}++ }
sub signal::signal_deliver  { $counts{(caller(0))[3]}++ }

sub block::block_bio_queue      { $counts{(caller(0))[3]}++ }
sub block::block_bio_backmerge  { $counts{(caller(0))[3]}++ }
sub block::block_bio_frontmerge { $counts{(caller(0))[3]}++ }
sub block::block_bio_complete   { $counts{(caller(0))[3]}++ }
sub block::block_bio_remap      { $counts{(caller(0))[3]}++ }
sub block::block_getrq          { $counts{(caller(0))[3]}++ }
sub block::block_plug           { $counts{(caller(0))[3]}++ }
sub block::block_unplug         { $counts{(caller(0))[3]}++ }
sub block::block_split          { $counts{(caller(0))[3]}++ }
sub block::block_rq_insert      { $counts{(caller(0))[3]}++ }
sub block::block_rq_issue       { $counts{(caller(0))[3]}++ }
sub block::block_rq_requeue     { $counts{(caller(0))[3]}++ }
sub block::block_rq_complete    { $counts{(caller(0))[3]}++ }
sub block::block_rq_remap       { $counts{(caller(0))[3]}++ }

sub workqueue::workqueue_queue_work    { $counts{(caller(0))[3]}++ }
sub workqueue::workqueue_activate_work { $counts{(caller(0))[3]}++ }
sub workqueue::workqueue_execute_start { $counts{(caller(0))[3]}++ }
sub workqueue::workqueue_execute_end   { $counts{(caller(0))[3]}++ }

# Handlers of events that this trace does not describe: zedperl would take their names for misspelt.
sub drop_absent
{
	my %described = map { $_ => 1 } Zed::events();

	no strict 'refs';
	for my $system (qw(sched signal block workqueue)) {
		my $package = \%{"${system}::"};

		delete @$package{grep { !$described{"${system}::$_"} } keys %$package};
	}
}

sub trace_begin { drop_absent() }

# Every other event ends here, so that nothing in the trace goes uncounted.
sub trace_unhandled
{
	my ($event) = @_;

	$counts{$event}++;
}

sub trace_lost
{
	my ($cpu, $count) = @_;

	# What only the recorder's statistics show is the number of earlier losses, or has no time.
	if (!defined eval { Zed::ts() }) {
		my $places = Zed::lost_places();

		$places ? ($lost{$cpu} += $count) : ($timeless{$cpu} += $count);
		$summed{$cpu} += $places if $places;
	} elsif (defined $count) {
		$lost{$cpu} += $count;
	} else {
		$lost_unknown{$cpu}++;
	}
}

# The state of a run, for zedperl --map and --reduce.
sub trace_state
{
	return { counts => \%counts, lost => \%lost, unknown => \%lost_unknown, summed => \%summed,
		timeless => \%timeless };
}

sub trace_merge
{
	my ($state) = @_;

	die "what it has counted makes no sense\n" if ref $state ne 'HASH';
	for ([\%counts, 'counts'], [\%lost, 'lost', 1], [\%lost_unknown, 'unknown', 1], [\%summed, 'summed', 1],
		[\%timeless, 'timeless', 1]) {
		my ($mine, $name, $by_cpu) = @$_;
		my $its = $state->{$name};

		die "what it has counted makes no sense\n" if ref($its // {}) ne 'HASH';
		for (keys %$its) {
			die "a CPU has the number $_\n" if $by_cpu && !/\A\d{1,9}\z/a;
			die "the count of $_ is not a number\n" if ($its->{$_} // '') !~ /\A\d+\z/a;
			$mine->{$_} += $its->{$_};
		}
	}
}

sub losses
{
	my ($n) = @_;

	return $n == 1 ? 'one loss' : "$n losses";
}

sub trace_end
{
	print "event counts:\n";
	print Zed::plain($_), ": $counts{$_}\n" for sort keys %counts;

	my %cpus = (%lost, %lost_unknown, %timeless);
	return unless %cpus;
	print "\nlost events:\n";
	for my $cpu (sort { $a <=> $b } keys %cpus) {
		my ($unknown, $summed) = ($lost_unknown{$cpu} // 0, $summed{$cpu} // 0);
		my @parts;

		$unknown = $unknown > $summed ? $unknown - $summed : 0;
		push @parts, $lost{$cpu} . ($summed ? ' (' . losses($summed) . ' without a number of '
			. ($summed == 1 ? 'its' : 'their') . ' own)' : '') if $lost{$cpu};
		push @parts, 'an unknown number in ' . losses($unknown) if $unknown;
		push @parts, "$timeless{$cpu} at unknown times" if $timeless{$cpu};
		print "cpu $cpu: ", join(', and ', @parts), "\n";
	}
}

__END__

=head1 NAME

countall.pl - count every event of a trace by name

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<countall.pl>

=head1 DESCRIPTION

Counts the events of a trace. Well-known events have handlers of their own, which count under
the name that perl gives them; C<trace_unhandled> counts all others, so the sum is the number of
events in the trace, whatever they are.

Losses follow the counts: those events were never in the trace.

=head1 RECORD

    zedtrace sched block workqueue -d 10
    trace-cmd record -e sched -e block -e workqueue sleep 10

Any other events do as well.

=head1 OUTPUT

    event counts:
    block::block_rq_issue: 411
    sched::sched_switch: 13226
    workqueue::workqueue_queue_work: 1850

One line for each event that occurred, sorted by name. Where events were lost, a second part
follows:

    lost events:
    cpu 3: 214
    cpu 5: 12, and an unknown number in one loss
    cpu 6: 91264 (2 losses without a number of their own)

For the whole trace the recorder's statistics know how many events were lost in such losses together, and how many C<at
unknown times>. For a part of the trace (B<--start>, B<--end>) they are not counted; a message says that there are some,
and the same of a loss that ends after the part.

=head1 EXAMPLES

All events of a trace, the most frequent first:

    zedperl trace.dat countall.pl | sort -t: -k4 -rn

One CPU only:

    zedperl --cpu 2 trace.dat countall.pl

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), B<zedperl -t>, which counts without a script.

=head1 LICENCE

GPL-2.0-or-later

=cut
