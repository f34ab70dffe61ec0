# SPDX-License-Identifier: GPL-2.0-or-later
#
# Spread: the distribution of numbers in bounded memory: exact up to 1000, then by bucket.
package Zed::Spread;
use strict;
use warnings;

use Zed::State;

use POSIX qw(frexp);

our $VERSION = '0.1';

my $EXACT = 1000;	# values that are kept as they are
my $PARTS = 64;		# buckets for each power of two: their middle is at most 1 in 128 from a value

# An array: there may be one for each of very many tasks.  VALUES, or with many of them BUCKETS.
use constant { N => 0, TOTAL => 1, MIN => 2, MAX => 3, VALUES => 4, BUCKETS => 5 };

sub new {
	my ($class) = @_;
	return bless [0, 0, undef, undef, []], $class;
}

sub add {
	my ($self, $value) = @_;
	$self->[N]++;
	$self->[TOTAL] += $value;
	$self->[MIN] = $value if !defined $self->[MIN] || $value < $self->[MIN];
	$self->[MAX] = $value if !defined $self->[MAX] || $value > $self->[MAX];
	if ($self->[VALUES]) {
		push @{$self->[VALUES]}, $value;
		_spread($self) if @{$self->[VALUES]} > $EXACT;
	} else {
		$self->[BUCKETS]{_index($value)}++;
	}
	return;
}

# What a row of Zed::quantiles says: its buckets are as fine as ours.
sub from_buckets {
	my ($class, $row) = @_;
	my $self = bless [0, 0, @$row{qw(min max)}, undef, {}], $class;
	for (@{$row->{buckets}}) {
		my ($from, $to, $n) = @$_;
		$self->[BUCKETS]{_index($from + int(($to - $from) / 2))} += $n;
		$self->[N] += $n;
	}
	return $self;
}

sub set_total { $_[0][TOTAL] = $_[1]; return }

# One that was added, or one of its bucket; or N of them.
sub remove {
	my ($self, $value, $n) = @_;
	_spread($self) if $self->[VALUES];
	my $index = _index($value);
	my $left = $self->[BUCKETS]{$index} or return;
	$n //= 1;
	$n = $left if $n > $left;
	$self->[N] -= $n;
	$self->[TOTAL] -= $n * $value;
	$self->[BUCKETS]{$index} = $left - $n;
	delete $self->[BUCKETS]{$index} if $left == $n;
	return if $value != $self->[MIN] && $value != $self->[MAX];
	# It was the least or the greatest: what is left is known by its bucket.
	my ($least, $greatest) = (sort { $a <=> $b } keys %{$self->[BUCKETS]})[0, -1];
	@$self[MIN, MAX] = () if !defined $least;
	return if !defined $least;
	$self->[MIN] = int _middle($least) if $value == $self->[MIN] && $index != $least;
	$self->[MAX] = int _middle($greatest) if $value == $self->[MAX] && $index != $greatest;
	return;
}

# From here on only how many values each bucket has.
sub _spread {
	my ($self) = @_;
	$self->[BUCKETS]{_index($_)}++ for @{$self->[VALUES]};
	$self->[VALUES] = undef;
	return;
}

# The bucket of a value: those of the power of two 2**E are E * PARTS and the following; negative ones mirror them.
sub _index {
	my ($value) = @_;
	return 0 if !$value;
	my ($mantissa, $power) = frexp(abs $value);
	my $index = ($power + 1100) * $PARTS + int(($mantissa - 0.5) * 2 * $PARTS);
	return $value < 0 ? -$index : $index;
}

# What stands for the values of a bucket: the middle between its first and its last.
sub _middle {
	my ($index) = @_;
	return 0 if !$index;
	my $amount = abs $index;
	my $power = int($amount / $PARTS) - 1100;
	my $part = $amount % $PARTS;
	my $middle = (0.5 + ($part + 0.5) / (2 * $PARTS)) * 2**$power;
	return $index < 0 ? -$middle : $middle;
}

sub n { return $_[0][N] }
sub total { return $_[0][TOTAL] }
sub min { return $_[0][MIN] }
sub max { return $_[0][MAX] }
sub mean { return $_[0][N] ? $_[0][TOTAL] / $_[0][N] : undef }
sub is_exact { return defined $_[0][VALUES] }

# A percentile of few values is one of them by accident: from the 99th on there have to be as many as it tells apart.
sub quantile {
	my ($self, $percent) = @_;
	my $n = $self->[N];
	## no critic (ProhibitExplicitReturnUndef)
	return undef if !$n || $percent >= 99 && $percent < 100 && $n * (100 - $percent) < 100 - 1e-6;
	## use critic
	my $rank = POSIX::ceil($n * $percent / 100 - 1e-9);
	$rank = 1 if $rank < 1;
	return $self->[MIN] if $rank == 1;
	return $self->[MAX] if $rank >= $n;
	if ($self->[VALUES]) {
		my @sorted = sort { $a <=> $b } @{$self->[VALUES]};
		return $sorted[$rank - 1];
	}
	my $seen = 0;
	for my $index (sort { $a <=> $b } keys %{$self->[BUCKETS]}) {
		$seen += $self->[BUCKETS]{$index};
		next if $seen < $rank;
		my $middle = int _middle($index);	# of the integers that are in it
		return $middle < $self->[MIN] ? $self->[MIN] : $middle > $self->[MAX] ? $self->[MAX] : $middle;
	}
	return $self->[MAX];
}

# What most tables say of them, as a row has it.
sub numbers {
	my ($self) = @_;
	return (n => $self->[N], total => $self->[TOTAL], avg => $self->mean, min => $self->[MIN],
		map({ ("p$_" => $self->quantile($_)) } 50, 90, 99), max => $self->[MAX]);
}

# By powers of two: [FROM, TO, N] from the least to the greatest, those between them without values too.
sub powers {
	my ($self) = @_;
	my %n;
	if ($self->[VALUES]) {
		$n{_power($_)}++ for @{$self->[VALUES]};
	} else {
		$n{_power(_middle($_))} += $self->[BUCKETS]{$_} for keys %{$self->[BUCKETS]};
	}
	my ($first, $last) = (sort { $a <=> $b } keys %n)[0, -1];
	return if !defined $first;
	return map { [$_ < 0 ? -2**-$_ + 1 : $_ ? 2**($_ - 1) : 0, $_ < 0 ? -2**(-$_ - 1) : $_ ? 2**$_ - 1 : 0,
		$n{$_} // 0] }
		$first .. $last;
}

# 0: the value 0 (and what is nearer to it than 1); N: 2**(N-1) up to 2**N; -N: the same below 0.
sub _power {
	my ($value) = @_;
	return 0 if abs $value < 1;
	my $power = (frexp(abs $value))[1];
	return $value < 0 ? -$power : $power;
}

# As plain data: the values, or how many each bucket has.
sub plain {
	my ($self) = @_;
	return { n => 0 } if !$self->[N];
	return { n => $self->[N], total => $self->[TOTAL], min => $self->[MIN], max => $self->[MAX],
		$self->[VALUES] ? (values => $self->[VALUES]) : (buckets => $self->[BUCKETS]) };
}

# What plain() of another one has said, or a croak.
sub merge_plain {
	my ($self, $data) = @_;
	if (my $values = $data->{values}) {
		_no_state() if ref $values ne 'ARRAY' || grep { !Zed::State::is_number($_) } @$values;
		$self->add($_) for @$values;
		return $self;
	}
	return $self if ref $data->{n} || !$data->{n};
	_no_state() if ref $data->{buckets} ne 'HASH' || grep { !Zed::State::is_number($_) }
		@$data{qw(n total min max)}, %{$data->{buckets}};
	return merge($self, [@$data{qw(n total min max)}, undef, $data->{buckets}]);
}

sub _no_state {
	require Carp;
	return Carp::croak('Zed::Spread: the state makes no sense');
}

sub merge {
	my ($self, $other) = @_;
	if ($other->[VALUES]) {
		$self->add($_) for @{$other->[VALUES]};
		return $self;
	}
	_spread($self) if $self->[VALUES];
	$self->[BUCKETS]{$_} += $other->[BUCKETS]{$_} for keys %{$other->[BUCKETS]};
	$self->[$_] += $other->[$_] for N, TOTAL;
	$self->[MIN] = $other->[MIN] if !defined $self->[MIN] || $other->[MIN] < $self->[MIN];
	$self->[MAX] = $other->[MAX] if !defined $self->[MAX] || $other->[MAX] > $self->[MAX];
	return $self;
}

1;

__END__

=head1 NAME

Zed::Spread - how numbers are spread: quantiles and histograms in little memory

=head1 SYNOPSIS

    use Zed::Spread;

    my $waits = Zed::Spread->new;
    $waits->add($_) for 20, 30, 8;
    print $waits->quantile(50), "\n";       # 20

=head1 DESCRIPTION

Takes numbers one by one and says how they are distributed. Up to 1000 numbers, all answers are
exact. Beyond that, only the number in each bucket is kept, with 64 buckets for each power of two,
and a quantile is the middle of its bucket: at most 0.8 % off. Memory does not grow with the numbers.

=head1 METHODS

=over

=item Zed::Spread->new

=item $spread->add(INTEGER)

=item Zed::Spread->from_buckets(ROW)

The object for a row of Zed::quantiles(). The row does not have the sum: set_total(SUM) sets it.

=item $spread->numbers

C<n>, C<total>, C<avg>, C<min>, C<p50>, C<p90>, C<p99> and C<max>, as a row of a table has them.

=item $spread->remove(INTEGER, [N])

Takes away a number that was added. If it was the least or the greatest, the new one is as exact as
its bucket.

=item $spread->n, total, min, max, mean

How many, their sum, and so on, all exact. If there are none, min, max and mean are undef.

=item $spread->quantile(PERCENT)

The value at or below which that percentage of them lies, by the nearest rank. Undef if there are
none, and, from 99 percent on, if there are too few to tell: the 99th percentile takes 100, the
99.9th takes 1000.

=item $spread->powers

A histogram by powers of two, without gaps: references to arrays of FROM, TO (both inclusive) and
how many.

=item $spread->is_exact

False once only the buckets are kept.

=item $spread->merge(SPREAD)

Adds the numbers of another Zed::Spread.

=item $spread->plain, $spread->merge_plain(DATA)

plain() returns all of it as plain data; merge_plain() adds the numbers of such data.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
