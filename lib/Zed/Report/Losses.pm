# SPDX-License-Identifier: GPL-2.0-or-later
#
# Losses: the events that are missing from the answer because they were lost: how many, where that is known, and what
# the answer says of them.
package Zed::Report::Losses;
use strict;
use warnings;

use Zed::Answer;
use Zed::Asked;
use Zed::Beyond;
use Zed::Intervals;
use Zed::Report::Inputs;
use Zed::Report::Window;

our $VERSION = '0.1';

# Losses: events, the number of places, and places with an unknown number; events that were lost at unknown times, and,
# if a time was chosen, those of the whole trace that may not be in it.
my @COUNTED = qw(lost places unknown timeless perhaps);
# At how many of the places with an unknown number the recorder's statistics know it of all of them together: these
# events are among those that are lost. Those of a whole trace, of which this may be a part.
my @SUMMED = qw(summed);

# OWN: those of CPUs that were not asked for do not matter.
sub new {
	my ($class, %o) = @_;
	my $self = bless { own => $o{own}, beyond => Zed::Beyond->new, at_most => 0,
		map({ $_ => 0 } @COUNTED, @SUMMED) }, $class;
	Zed::Intervals::counts(\(@$self{@COUNTED, @SUMMED}, $self->{at_most}), $self->{beyond}->losses);
	Zed::Intervals::at_border(sub { _at_border($self) });
	return $self;
}

# Of trace_lost.
sub add {
	my ($self, $cpu, $count) = @_;
	# Losses that only the recorder's statistics show have no time.
	my $ts = eval { Zed::ts() };
	return _rest($self, $count) if !defined $ts;
	return _lost_beyond($self, $ts, $cpu, $count) if !Zed::Asked::at($ts);
	if (defined $count) {
		$self->{lost} += $count;
		$self->{places}++;
	} else {
		$self->{unknown}++;
	}
	return;
}

# A number beyond those at places: that of earlier places, or of events that were lost at unknown times.
sub _rest {
	my ($self, $count) = @_;
	my $places = Zed::lost_places();
	my $is_placed = $places && !Zed::Asked::is_window();
	$self->{Zed::Asked::is_window() ? 'perhaps' : $places ? 'lost' : 'timeless'} += $count;
	$self->{summed} += $places if $is_placed;
	$self->{at_most} = Zed::Asked::is_cut_short() ? 1 : 0;
	return;
}

# Of how many places the number is known only together with others'.
sub _summed {
	my ($self) = @_;
	return $self->{summed} < $self->{unknown} ? $self->{summed} : $self->{unknown};
}

# It may have begun in the chosen time.
sub _lost_beyond {
	my ($self, $ts, $cpu, $count) = @_;
	_add_beyond($self, Zed::lost_source(), Zed::instance(), $cpu, $count, scalar Zed::lost_since(), $ts);
	return;
}

# At the end of an interval: what is known of losses that end later, or at an unknown time.
sub _at_border {
	my ($self) = @_;
	ahead($self);
	return if !Zed::Intervals::are_told();
	$self->{perhaps} = $self->{untimed} //= Zed::_lost_untimed() // 0;
	return;
}

# At the end of an interval, or of the chosen events: of the losses that come next.
sub ahead {
	my ($self) = @_;
	Zed::end();	# where that reads an input of all CPUs in one row, it finds their losses
	for my $loss (Zed::_losses_ahead($Zed::Asked::LAST)) {
		_add_beyond($self, @$loss) if !$self->{own} || Zed::Asked::cpu($loss->[2]);
	}
	return;
}

sub _add_beyond {
	my ($self, $source, $instance, $cpu, $count, $since, $ts) = @_;
	return if !Zed::Beyond::reaches($since, $ts) || _is_before();
	$self->{beyond}->add(source => Zed::Report::Inputs::apart($source), instance => $instance, cpu => $cpu,
		count => $count, from => $since, to => $ts);
	return;
}

# Does the chosen time end before the trace begins?
sub _is_before {
	my ($start, undef, $end) = (Zed::start(), Zed::Asked::all());
	return defined $start && $end < $start;
}

sub beyond { my ($self, @where) = @_; return $self->{beyond}->all(@where) }

# Was anything lost in the chosen time, or may it have been?
sub has_any {
	my ($self) = @_;
	return scalar(grep { $self->{$_} } @COUNTED) || scalar $self->{beyond}->all;
}

# ---- what the answer says ----

# A loss that ends later is in this time with a share that is not known, as those of unknown times are.
sub about {
	my ($self) = @_;
	my ($beyond, $summed) = ($self->{beyond}, _summed($self));
	return { map({ $_ => $self->{$_} } @COUNTED), places => $self->{places} + $summed,
		unknown => $self->{unknown} - $summed, summed => $summed,
		perhaps => $self->{perhaps} + $beyond->events, perhaps_unknown => $beyond->unknown };
}

# If no time is known, nothing is left out because of it.
sub warn_in {
	my ($self, $answer) = @_;
	$answer->warning('timeless', $self->{timeless}, '{event was|events were} lost at unknown times, according to ' .
		"the recorder's statistics: counts are lower bounds, and times may be wrong");
	_warn_of_perhaps($self, $answer) if $self->{perhaps} && !Zed::Report::Window::trace_beside();
	$answer->warning('beyond', undef, $self->{beyond}->text) if $self->{beyond}->all;
	return;
}

# Before the whole trace was read, losses of the rest are among them.
sub _warn_of_perhaps {
	my ($self, $answer) = @_;
	my $n = $self->{perhaps};
	my $text = "{event|events} of the whole trace {was|were} lost at unknown times, according to the recorder's " .
		'statistics: perhaps in the time that was ' . Zed::Asked::limited_by();
	return $answer->warning('perhaps', $n, $text) if !$self->{at_most};
	return $answer->warning('perhaps', undef, Zed::Answer::for_number($n, "up to $n $text"));
}

# What is missing may have been lost.
sub may_explain {
	my ($self) = @_;
	return 'events were lost in this time; ' if $self->{lost} || $self->{unknown} || $self->{beyond}->all;
	return Zed::Report::Window::trace_beside() || !$self->{perhaps} && !$self->{timeless} ? ''
		: 'events were lost, perhaps in this time; ';
}

# ---- states ----

sub plain {
	my ($self) = @_;
	my @beyond = @{$self->{beyond}->plain};
	return (@beyond ? (beyond => \@beyond) : (), $self->{perhaps} && $self->{at_most} ? (at_most => 1) : (),
		(map { $self->{$_} ? ($_ => $self->{$_}) : () } @SUMMED), map { $_ => $self->{$_} } @COUNTED);
}

# Has STATE the numbers?
sub are_plain {
	my ($state) = @_;
	return !grep { ref || !/\A\d{1,19}\z/ } map({ $state->{$_} // '' } @COUNTED), map { $state->{$_} // 0 } @SUMMED;
}

sub merge_plain {
	my ($self, $state) = @_;
	$self->{beyond}->merge_plain($state->{beyond} // []);
	$self->{at_most} = 1 if $state->{at_most};
	$self->{$_} += $state->{$_} // 0 for @COUNTED, @SUMMED;
	return;
}

1;
