# SPDX-License-Identifier: GPL-2.0-or-later
#
# Peak: the second in which most happened, whenever it begins.
package Zed::Peak;
use strict;
use warnings;

use Zed::State;

our $VERSION = '0.1';

my $SECOND = 1_000_000_000;

# NOW: the times of the last second, from NEXT on; what is before that is dropped once it is half of them.
sub new {
	my ($class) = @_;
	return bless { n => 0, at => undef, now => [], next => 0 }, $class;
}

# BEFORE: it happened before what is asked for, and only belongs to a second that ends in it.
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

# The greater of both; of equal ones the earlier, whichever came first.
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

Zed::Peak - the second in which most happened

=head1 SYNOPSIS

    use Zed::Peak;

    my $peak = Zed::Peak->new;

    sub irq::irq_handler_entry { $peak->add(Zed::ts()) }
    sub trace_end { printf "%d from %.6f on\n", $peak->n, $peak->at / 1e9 if $peak->n }

=head1 DESCRIPTION

Finds the second, beginning at any time, in which most of what is added happened: a rate over a whole
trace hides the second in which everything came at once. Of several such seconds it is the first. The
times of the last second are kept.

Where states are merged (parts of a trace, many traces), it is the greatest of their seconds. A second belongs to the
part in which it ends, which has to be told what happened in it before.

=head1 METHODS

=over

=item Zed::Peak->new

=item $peak->add(TS, [BEFORE])

Something happened at TS, in ns; not earlier than what was added before. If BEFORE, that was before the time that was
asked for: no second ends there.

=item $peak->n, $peak->at

How many there were in that second, and the time of its first; 0 and undef if nothing was added.

=item $peak->plain, $peak->merge_plain(DATA)

For states: see Zed::State(3).

=back

=head1 SEE ALSO

Zed::Spread(3), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
