# SPDX-License-Identifier: GPL-2.0-or-later
#
# Peak: the second with the most events, at any starting point.
package Zed::Peak;
use strict;
use warnings;

use Zed::State;

our $VERSION = '0.1';

my $SECOND = 1_000_000_000;

# NOW: the times of the last second, from NEXT on; earlier ones are dropped once they are half of the list.
sub new {
	my ($class) = @_;
	return bless { n => 0, at => undef, now => [], next => 0 }, $class;
}

# BEFORE: it happened before the chosen time, and only belongs to a second that ends in it.
sub add {
	my ($self, $ts, $before) = @_;
	my $now = $self->{now};
	push @$now, $ts;
	$self->{next}++ while $ts - $now->[$self->{next}] >= $SECOND;
	if (2 * $self->{next} > @$now) {
		splice @$now, 0, $self->{next};
		$self->{next} = 0;
	}
	my $n = @$now - $self->{next};
	@$self{qw(n at)} = ($n, $now->[$self->{next}]) if $n > $self->{n} && !$before;
	return;
}

sub n { return $_[0]{n} }
sub at { return $_[0]{at} }

sub plain { my ($self) = @_; return { n => $self->{n}, defined $self->{at} ? (at => $self->{at}) : () } }

# The greater of both; of equal ones the earlier, in any order of merging.
sub merge_plain {
	my ($self, $data) = @_;
	if (!Zed::State::is_number($data->{n}) || $data->{n} && !Zed::State::is_number($data->{at})) {
		require Carp;
		Carp::croak('Zed::Peak: the state makes no sense');
	}
	my $order = $data->{n} <=> $self->{n};
	@$self{qw(n at)} = @$data{qw(n at)} if $data->{n} && ($order > 0 || !$order && $data->{at} < $self->{at});
	return $self;
}

1;

__END__

=head1 NAME

Zed::Peak - the second with the most events

=head1 SYNOPSIS

    use Zed::Peak;

    my $peak = Zed::Peak->new;

    sub irq::irq_handler_entry { $peak->add(Zed::ts()) }
    sub trace_end { printf "%d from %.6f on\n", $peak->n, $peak->at / 1e9 if $peak->n }

=head1 DESCRIPTION

Finds the second, at any starting point, with the most added events: a rate over a whole trace hides
the second in which everything came at once. Of several such seconds it is the first. The times of
the last second are kept.

When states are merged (parts of a trace, many traces), it is the greatest of their seconds. A second belongs to the
part in which it ends; that part has to add the events before it, with BEFORE.

=head1 METHODS

=over

=item Zed::Peak->new

=item $peak->add(TS, [BEFORE])

Something happened at TS, in ns; not earlier than the last one added. BEFORE: that was before the chosen time: no second
ends there.

=item $peak->n, $peak->at

The number of events in that second, and the time of its first; 0 and undef if nothing was added.

=item $peak->plain, $peak->merge_plain(DATA)

For states: see Zed::State(3).

=back

=head1 SEE ALSO

Zed::Spread(3), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
