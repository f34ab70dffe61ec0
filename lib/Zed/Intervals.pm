# SPDX-License-Identifier: GPL-2.0-or-later
#
# Intervals: an answer for each interval of the trace's time. The states (which task runs, which waits) are kept; the
# counts are set aside until everything is known that had begun by the end of the interval.
package Zed::Intervals;
use strict;
use warnings;

use Zed::Asked;

our $VERSION = '0.1';

my $STEP = 1_000_000;	# ns until it is first checked whether everything is known, as in Zed::Asked

my @counts;	# [REF, code for its initial value]
my @totals;	# objects that keep their counts themselves: aggregations, synthetic events, code
my @borders;	# code for intervals that have begun and not ended
my @over;	# intervals that have ended and wait for what had begun: { from, to, kept, late }
my ($every, $tell, $end, $last, $replays);
my $all;	# of all events: any event ends an interval, whichever events the analysis uses

sub counts {
	for my $of (@_) {
		my $type = ref $of;
		if ($type eq 'SCALAR' || $type eq 'REF') {
			my $first = $$of;
			my $class = ref $first;
			push @counts, [$of, $class eq 'HASH' ? sub { {} } : $class eq 'ARRAY' ? sub { [] } : $class
				? sub { $class->new } : sub { $first }];
		} elsif ($type eq 'HASH' || $type eq 'ARRAY') {
			push @counts, [$of];
		} else {
			push @totals, $of if defined $of;
		}
	}
	return;
}

sub at_border { my ($code) = @_; push @borders, $code; return }
sub are_told { return !!$tell }

# ---- counts, set aside and restored ----

sub _take {
	my @kept;
	for (@counts) {
		my ($of, $new) = @$_;
		if ($new) {
			push @kept, $$of;
			$$of = $new->();
		} elsif (ref $of eq 'HASH') {
			push @kept, { %$of };
			%$of = ();
		} else {
			push @kept, [@$of];
			@$of = ();
		}
	}
	return \@kept;
}

sub _put {
	my ($kept) = @_;
	for my $i (0 .. $#counts) {
		my ($of, $new) = @{$counts[$i]};
		$new ? ($$of = $kept->[$i]) : ref $of eq 'HASH' ? (%$of = %{$kept->[$i]}) : (@$of = @{$kept->[$i]});
	}
	return;
}

sub _clear {
	ref eq 'CODE' ? $_->() : $_->clear for @totals;
	return;
}

# ---- in the trace's time ----

# From here on CODE is called for each interval of NS ns, with the time set to it.
sub tell {
	my ($ns, $code) = @_;
	($every, $tell, $end, $last) = ($ns, $code, $Zed::Asked::TO, $Zed::Asked::LAST);
	$all = Zed::count('*:*');
	my ($start, $from) = (Zed::start(), $Zed::Asked::FROM);
	# The trace may have none of the chosen time.
	_begin($from > $start || $start > $end ? $from : $start);
	return;
}

sub _begin {
	my ($from) = @_;
	if ($from + $every >= $end) {
		Zed::Asked::interval($from, $end, $last);
		return;
	}
	Zed::Asked::interval($from, $from + $every);
	Zed::when($from + $every, \&_border);
	return;
}

# Before an event at the time TS. Intervals without an event are joined to the one before.
sub _border {
	my ($ts) = @_;
	my $from = $Zed::Asked::FROM;
	my $to = $ts - ($ts - $from) % $every;
	if ($to >= $end) {
		Zed::Asked::interval($from, $end, $last);
		return;
	}
	my $this = { from => $from, to => $to, late => [] };
	Zed::Asked::interval($from, $to);
	_ends($this);
	if (!@over && Zed::Asked::is_settled()) {
		$tell->();
		_take();
	} else {
		$this->{kept} = _take();
		push @over, $this;
		_ask($this, $to + 1 + $STEP, $STEP);
	}
	_clear();
	_begin($to);
	return;
}

sub _ends {
	my ($this) = @_;
	Zed::Asked::ends();
	$_->($this) for @borders;
	return;
}

sub _within {
	my ($this, $code) = @_;
	local ($Zed::Asked::FROM, $Zed::Asked::TO, $Zed::Asked::LAST) =
		(@$this{qw(from to)}, $this->{to} - 1);	## no critic (ProhibitPackageVars)
	return $code->();
}

# Whatever had begun in THIS had begun in earlier intervals, or was settled there.
sub _ask {
	my ($this, $at, $step) = @_;
	Zed::when($at, sub {
		return if $this->{answered};
		return _ask($this, $at + $step, 2 * $step) if !_within($this, \&Zed::Asked::is_settled);
		_answer() while !$this->{answered};
	});
	return;
}

sub _answer {
	my $this = shift @over;
	my $now = _take();
	$this->{answered} = 1;
	_put(delete $this->{kept});
	$replays = 1;
	_within($this, sub { $_->() for splice @{$this->{late}}; $tell->() });
	$replays = 0;
	_take();
	_put($now);
	return;
}

# Something that began at FROM, and has just ended, was in intervals before this one.
sub late {
	my ($from, $code) = @_;
	return if !@over || $replays;
	push @{$_->{late}}, $code for grep { $_->{to} > $from } @over;
	return;
}

# The same for one interval, passed by at_border().
sub late_in {
	my ($this, $code) = @_;
	return $this->{answered} ? undef : push @{$this->{late}}, $code;
}

# At the end of the trace.
sub end {
	_answer() while @over;
	Zed::Asked::interval($Zed::Asked::FROM, $end, $last);
	$tell->();
	$all->total;
	return;
}

# ---- live ----

# The interval ends at TS, the time of the last event, even if something has not ended.
sub over_at {
	my ($ts, $code) = @_;
	Zed::Asked::interval($Zed::Asked::FROM, $ts, $ts);
	_ends({ from => $Zed::Asked::FROM, to => $ts, answered => 1 });
	$code->();
	_take();
	_clear();
	Zed::Asked::interval($ts);
	return;
}

1;

__END__

=head1 NAME

Zed::Intervals - an answer for each interval of a trace's time

=head1 SYNOPSIS

    use Zed::Intervals;

    my (%busy, $turns);

    Zed::Intervals::counts(\%busy, \$turns);

=head1 DESCRIPTION

B<--every> of an analysis: an interval is a part of the trace (L<Zed::Asked(3)>), and has the answer of that part. An
interval ends before the first event at its end. Then the counts are set aside, and counting starts anew; states, such
as which task runs, are kept. The answer is made when everything is known that had begun by the end of the interval:
with Zed::Tasks, when each CPU has had a switch.

Zed::Report calls tell(), end() and over_at(); an analysis only declares its counters, by C<< $report->counts >>. A span
that lies in several intervals is reported by Zed::Tasks and Zed::Frames in each of them; code that takes pieces uncut
(C<< asked => 0 >>) uses late().

=head1 FUNCTIONS

=over

=item counts(REF, ...)

Variables that hold counts, as references: hashes, arrays, scalars. A scalar begins each interval with its current
value; one that holds a hash, an array or an object, with a new one. Also aggregations and synthetic events, which begin
at 0, and code that is called to reset: these are read at the end of an interval, so they cannot be combined with states
that are settled later (Zed::Tasks).

=item late(FROM, CODE)

Something that began at FROM has ended: CODE is called for each interval before this one that has no answer yet and that
it was in, with the time and the counts of that interval.

=item at_border(CODE)

CODE is called at the end of each interval, with the interval, in its time and with its counts. late_in(INTERVAL, CODE)
adds to it later; undef if its answer was given.

=item are_told()

Are there intervals in the trace's time?

=item tell(NS, CODE), end()

From here on CODE is called for the answer of each interval; end() calls it for the remaining ones.

=item over_at(TS, CODE)

Live: the interval ends at TS, the time of the last event, and CODE is called for its answer.

=back

=head1 SEE ALSO

Zed::Report, Zed::Asked, zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
