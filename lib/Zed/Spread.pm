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
my $PARTS = 64;		# buckets for each power of two: their middle is at most 1 in 128 off a value

# There may be one for each of very many tasks. An array of the values, after an empty place; with many values that
# place has their counts, and nothing follows.
use constant { COUNTED => 0, FIRST => 1 };
use constant { N => 0, TOTAL => 1, MIN => 2, MAX => 3, BUCKETS => 4 };

my ($added, $bucket) = (0, 0);	# the value added last, and its bucket

sub new {
	my ($class) = @_;
	return bless [undef], $class;
}

sub add {
	my ($self, $value) = @_;
	my $counted = $self->[COUNTED];
	if (!$counted) {
		push @$self, $value;
		_count($self) if @$self > FIRST + $EXACT;
		return;
	}
	$counted->[N]++;
	$counted->[TOTAL] += $value;
	$counted->[MIN] = $value if !defined $counted->[MIN] || $value < $counted->[MIN];
	$counted->[MAX] = $value if !defined $counted->[MAX] || $value > $counted->[MAX];
	# A value is often added to several, one after the other.
	($added, $bucket) = ($value, _index($value)) if $value != $added;
	$counted->[BUCKETS]{$bucket}++;
	return;
}

# From a row of Zed::quantiles: its buckets are as fine as ours.
sub from_buckets {
	my ($class, $row) = @_;
	my $counted = [0, 0, @$row{qw(min max)}, {}];
	for (@{$row->{buckets}}) {
		my ($from, $to, $n) = @$_;
		$counted->[BUCKETS]{_index($from + int(($to - $from) / 2))} += $n;
		$counted->[N] += $n;
	}
	return bless [$counted], $class;
}

sub set_total { my ($self, $total) = @_; _count($self)->[TOTAL] = $total; return }

# Removes a number that was added, or one of its bucket; or N of them.
sub remove {
	my ($self, $value, $n) = @_;
	my $counted = _count($self);
	my $buckets = $counted->[BUCKETS];
	my $index = _index($value);
	my $left = $buckets->{$index} or return;
	$n //= 1;
	$n = $left if $n > $left;
	$counted->[N] -= $n;
	$counted->[TOTAL] -= $n * $value;
	$buckets->{$index} = $left - $n;
	delete $buckets->{$index} if $left == $n;
	return if $value != $counted->[MIN] && $value != $counted->[MAX];
	# It was the minimum or the maximum: the new one is known only by its bucket.
	my ($least, $greatest) = (sort { $a <=> $b } keys %$buckets)[0, -1];
	@$counted[MIN, MAX] = () if !defined $least;
	return if !defined $least;
	$counted->[MIN] = int _middle($least) if $value == $counted->[MIN] && $index != $least;
	$counted->[MAX] = int _middle($greatest) if $value == $counted->[MAX] && $index != $greatest;
	return;
}

# From here on only the number of values in each bucket is kept.
sub _count {
	my ($self) = @_;
	return $self->[COUNTED] if $self->[COUNTED];
	my $counted = [n($self), total($self), min($self), max($self), {}];
	$counted->[BUCKETS]{_index($_)}++ for @$self[FIRST .. $#$self];
	@$self = ($counted);
	return $counted;
}

# The bucket of a value: those of the power of two 2**E are E * PARTS and the following; negative ones mirror them.
sub _index {
	my ($value) = @_;
	return 0 if !$value;
	my ($mantissa, $power) = frexp(abs $value);
	my $index = ($power + 1100) * $PARTS + int(($mantissa - 0.5) * 2 * $PARTS);
	return $value < 0 ? -$index : $index;
}

# The value that represents a bucket: the middle between its first and its last.
sub _middle {
	my ($index) = @_;
	return 0 if !$index;
	my $amount = abs $index;
	my $power = int($amount / $PARTS) - 1100;
	my $part = $amount % $PARTS;
	my $middle = (0.5 + ($part + 0.5) / (2 * $PARTS)) * 2**$power;
	return $index < 0 ? -$middle : $middle;
}

sub n { my ($self) = @_; return $self->[COUNTED] ? $self->[COUNTED][N] : $#$self }

sub total {
	my ($self) = @_;
	return $self->[COUNTED][TOTAL] if $self->[COUNTED];
	my $total = 0;
	$total += $_ for @$self[FIRST .. $#$self];
	return $total;
}

sub min {
	my ($self) = @_;
	return $self->[COUNTED][MIN] if $self->[COUNTED];
	my $min = $self->[FIRST];
	for (@$self[FIRST + 1 .. $#$self]) {
		$min = $_ if $_ < $min;
	}
	return $min;
}

sub max {
	my ($self) = @_;
	return $self->[COUNTED][MAX] if $self->[COUNTED];
	my $max = $self->[FIRST];
	for (@$self[FIRST + 1 .. $#$self]) {
		$max = $_ if $_ > $max;
	}
	return $max;
}

sub mean { my ($self) = @_; my $n = n($self); return $n ? total($self) / $n : undef }
sub is_exact { return !$_[0][COUNTED] }

# A percentile of few values is an accident: from the 99th on, there must be as many values as it distinguishes.
sub quantile {
	my ($self, $percent) = @_;
	my $n = n($self);
	## no critic (ProhibitExplicitReturnUndef)
	return undef if !$n || $percent >= 99 && $percent < 100 && $n * (100 - $percent) < 100 - 1e-6;
	## use critic
	my $rank = POSIX::ceil($n * $percent / 100 - 1e-9);
	$rank = 1 if $rank < 1;
	return min($self) if $rank == 1;
	return max($self) if $rank >= $n;
	my $counted = $self->[COUNTED] or return (sort { $a <=> $b } @$self[FIRST .. $#$self])[$rank - 1];
	my ($min, $max, $buckets) = @$counted[MIN, MAX, BUCKETS];
	my $seen = 0;
	for my $index (sort { $a <=> $b } keys %$buckets) {
		$seen += $buckets->{$index};
		next if $seen < $rank;
		my $middle = int _middle($index);	# of the integers in it
		return $middle < $min ? $min : $middle > $max ? $max : $middle;
	}
	return $max;
}

# The numbers that most tables show, as a row has them.
sub numbers {
	my ($self) = @_;
	return (n => n($self), total => total($self), avg => mean($self), min => min($self),
		map({ ("p$_" => quantile($self, $_)) } 50, 90, 99), max => max($self));
}

# The same as columns of a Zed::Table that are made from rows which have a spread under KEY.
sub made_of {
	my ($key) = @_;
	return (n => sub { return $_[0]{$key}->n }, total => sub { return $_[0]{$key}->total },
		avg => sub { return $_[0]{$key}->mean },
		min => sub { return $_[0]{$key}->min }, max => sub { return $_[0]{$key}->max },
		map { my $percent = $_; ("p$percent" => sub { return $_[0]{$key}->quantile($percent) }) } 50, 90, 99);
}

# By powers of two: [FROM, TO, N] from the minimum to the maximum, including empty ranges between them.
sub powers {
	my ($self) = @_;
	my %n;
	if (my $counted = $self->[COUNTED]) {
		$n{_power(_middle($_))} += $counted->[BUCKETS]{$_} for keys %{$counted->[BUCKETS]};
	} else {
		$n{_power($_)}++ for @$self[FIRST .. $#$self];
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

# As plain data: the values, or the number in each bucket.
sub plain {
	my ($self) = @_;
	my $n = n($self) or return { n => 0 };
	return { n => $n, total => total($self), min => min($self), max => max($self),
		$self->[COUNTED] ? (buckets => $self->[COUNTED][BUCKETS]) : (values => [@$self[FIRST .. $#$self]]) };
}

# Merges the result of another one's plain(), or croaks.
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
	return _merge_counted($self, [@$data{qw(n total min max buckets)}]);
}

sub _no_state {
	require Carp;
	return Carp::croak('Zed::Spread: the state makes no sense');
}

sub merge {
	my ($self, $other) = @_;
	return _merge_counted($self, $other->[COUNTED]) if $other->[COUNTED];
	add($self, $_) for @$other[FIRST .. $#$other];
	return $self;
}

sub _merge_counted {
	my ($self, $other) = @_;
	my $counted = _count($self);
	$counted->[BUCKETS]{$_} += $other->[BUCKETS]{$_} for keys %{$other->[BUCKETS]};
	$counted->[$_] += $other->[$_] for N, TOTAL;
	$counted->[MIN] = $other->[MIN] if !defined $counted->[MIN] || $other->[MIN] < $counted->[MIN];
	$counted->[MAX] = $other->[MAX] if !defined $counted->[MAX] || $other->[MAX] > $counted->[MAX];
	return $self;
}

1;

__END__

=head1 NAME

Zed::Spread - distribution of numbers in bounded memory: quantiles and histograms

=head1 SYNOPSIS

    use Zed::Spread;

    my $waits = Zed::Spread->new;
    $waits->add($_) for 20, 30, 8;
    print $waits->quantile(50), "\n";       # 20

=head1 DESCRIPTION

Takes numbers one by one and reports their distribution. Up to 1000 numbers, all answers are exact.
Beyond that, only the number in each bucket is kept, with 64 buckets for each power of two, and a
quantile is the middle of its bucket: at most 0.8 % off. Memory does not grow with the numbers.

=head1 METHODS

=over

=item Zed::Spread->new

=item $spread->add(INTEGER)

=item Zed::Spread->from_buckets(ROW)

The object for a row of Zed::quantiles(). The row does not have the sum: set_total(SUM) sets it.

=item $spread->numbers

C<n>, C<total>, C<avg>, C<min>, C<p50>, C<p90>, C<p99> and C<max>, as a row of a table has them.

=item Zed::Spread::made_of(KEY)

For C<made> of a Zed::Table: the same, from rows that have a Zed::Spread under KEY.

=item $spread->remove(INTEGER, [N])

Removes a number that was added. If it was the minimum or the maximum, the new one is as exact as
its bucket.

=item $spread->n, total, min, max, mean

Their number, sum, and so on, all exact. If there are none, min, max and mean are undef.

=item $spread->quantile(PERCENT)

The value at or below which that percentage of them lies, by the nearest rank. Undef if there are
none, and, from 99 percent on, if there are too few: the 99th percentile needs 100, the 99.9th needs
1000.

=item $spread->powers

A histogram by powers of two, without gaps: references to arrays of FROM, TO (both inclusive) and
the number of values.

=item $spread->is_exact

False once only the buckets are kept.

=item $spread->merge(SPREAD)

Adds the numbers of another Zed::Spread.

=item $spread->plain, $spread->merge_plain(DATA)

plain() returns all its data as plain data; merge_plain() adds the numbers of such data.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
