# SPDX-License-Identifier: GPL-2.0-or-later
#
# Window: the time that an answer covers: the chosen part of what the traces have, or, live, of what was seen.
# IN_INTERVALS: there is an answer for each interval of the time (Zed::Intervals).
package Zed::Report::Window;
use strict;
use warnings;

use Zed::Asked;
use Zed::Report::Inputs;

our $VERSION = '0.1';

# The time covered by this answer, in ns: that of the trace or, live, of the events seen.
sub shown {
	my ($in_intervals, @seen) = @_;
	my $trace = trace_beside();
	return $trace ? _beside($trace) : _window($in_intervals, @seen);
}

sub _window {
	my ($in_intervals, $first, $last) = @_;
	my ($start, $end) = (Zed::start(), Zed::end());
	return _asked($start, $end) if defined $start && defined $end;
	if (!Zed::Report::Inputs::are_merged()) {
		my $seen = Zed::asked();
		return ($Zed::Asked::FROM || $seen->{first}, $Zed::Asked::TO)
			if $in_intervals && Zed::Asked::has_end();
		return _asked(defined $last ? ($first, $last) : @$seen{qw(first seen)});
	}
	# As if they followed one another.
	($start) = sort { $a <=> $b } map { $_->{start} // () } Zed::Fleet::traces();
	return defined $start ? ($start, $start + Zed::Fleet::span()) : ();
}

# The chosen part of the time from START to END.
sub _asked {
	my ($start, $end) = @_;
	return ($start, $end) if !defined $start || !defined $end || !Zed::Asked::is_timed();
	my ($from, $to) = Zed::Asked::cut($start, $end);
	return ($from, $to) if defined $from;
	# None of it: an empty time, at the nearer end.
	my $at = $Zed::Asked::FROM > $end ? $end : $start;
	return ($at, $at);
}

# When the trace begins and ends, if it has none of the chosen time.
sub trace_beside {
	my ($start, $end) = (Zed::start(), Zed::end());
	return defined $start && defined $end && Zed::Asked::is_timed() && !Zed::Asked::is_part()
		&& !Zed::Asked::cut($start, $end) ? [$start, $end] : undef;
}

# An empty time, at the chosen one.
sub _beside {
	my ($trace) = @_;
	my $at = $Zed::Asked::FROM > $trace->[1] ? $Zed::Asked::FROM : $Zed::Asked::TO;
	return ($at, $at);
}

# The part that the trace has, even if it is empty; for one input, where the inputs of a state are kept separate.
sub of_input {
	my ($in_intervals, $source, @seen) = @_;
	return _window($in_intervals, @seen) if !defined &Zed::Fleet::_with;
	my ($start, $end) = (Zed::start($source), Zed::end($source));
	return _asked(defined $start ? ($start, $end) : @seen);
}

# The time of all chosen CPUs together, in ns.
sub cpu_time {
	my ($in_intervals) = @_;
	return Zed::Fleet::cpu_span() if Zed::Report::Inputs::are_merged();
	my @asked = Zed::Asked::cpus();
	my $time = 0;
	for (my $n = 0; !$n || defined Zed::ncpus($n); $n++) {
		my $all = Zed::ncpus($n) || 1;
		$time += time_of($in_intervals, $n) * (@asked ? scalar grep({ $_ < $all } @asked) : $all);
	}
	return $time;
}

# What is asked for of the time of one input, in ns.
sub time_of {
	my ($in_intervals, $source) = @_;
	my ($start, $end) = (Zed::start($source), Zed::end($source));
	($start, $end) = defined $start && defined $end ? _asked($start, $end) : shown($in_intervals);
	return defined $end ? $end - $start : 0;
}

1;
