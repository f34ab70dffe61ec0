# SPDX-License-Identifier: GPL-2.0-or-later
#
# Contrast: is one group of numbers different from another? Exact where the numbers are of independent runs, and by
# blocks of time where they are samples of one run each. Reports the size of the difference and its confidence interval.
package Zed::Contrast;
use strict;
use warnings;

our $VERSION = '0.1';

my $BLOCKS = 50;	# blocks of time of a window
my $PARTS = 5;		# a block begins at one of this many places within its length
my $DRAWS = 1000;
my $GRID = 512;		# values, if there are more, at which the distribution of samples is counted
my $UPPER = 0.02;	# the upper part, in which these are closer together
my $SURE = 0.05;
my $VARIES = 1.5;	# times: an interval this wide excludes no relevant difference

# ---- runs: one number each ----

# The distribution of the sum of the ranks of A among all, exactly, ties with their mean rank: twice the sum => ways.
sub _rank_sums {
	my ($n, @twice) = @_;
	my @ways = ({ 0 => 1 }, map { {} } 1 .. $n);
	for my $rank (@twice) {
		for my $k (reverse 0 .. $n - 1) {
			$ways[$k + 1]{$_ + $rank} += $ways[$k]{$_} for keys %{$ways[$k]};
		}
	}
	return $ways[$n];
}

# Twice the mid-ranks of VALUES, in their order.
sub _twice_ranks {
	my (@values) = @_;
	my @order = sort { $values[$a] <=> $values[$b] } 0 .. $#values;
	my @twice;
	for (my $i = 0; $i < @order;) {
		my $j = $i;
		$j++ while $j + 1 < @order && $values[$order[$j + 1]] == $values[$order[$i]];
		$twice[$_] = $i + $j + 2 for @order[$i .. $j];
		$i = $j + 1;
	}
	return @twice;
}

# Mann and Whitney's test, two-sided: the p-value that both groups are from one distribution.
sub mann_whitney {
	my ($first, $second) = @_;
	my @twice = _twice_ranks(@$first, @$second);
	my $ways = _rank_sums(scalar @$first, @twice);
	my ($sum, $all, $uneven) = (0, 0, 0);
	$sum += $_ for @twice[0 .. $#$first];
	my $middle = @$first * (@twice + 1);
	for (keys %$ways) {
		$all += $ways->{$_};
		$uneven += $ways->{$_} if abs($_ - $middle) >= abs($sum - $middle);
	}
	return $uneven / $all;
}

# The smallest p-value that this many runs can give.
sub smallest_p_value {
	my ($n, $m) = @_;
	my $ways = 1;
	$ways = $ways * ($m + $_) / $_ for 1 .. $n;
	return 2 / $ways;
}

# The same under its former name, for older scripts.
sub least_chance { return smallest_p_value(@_) }

# The probability that a number of the second group is the greater one: 0.5 means no difference.
sub effect {
	my ($first, $second) = @_;
	my $greater = 0;
	for my $x (@$first) {
		$greater += $_ > $x ? 1 : $_ == $x ? 0.5 : 0 for @$second;
	}
	return $greater / (@$first * @$second);
}

sub median {
	my @sorted = sort { $a <=> $b } @_;
	return @sorted % 2 ? $sorted[$#sorted / 2] : ($sorted[@sorted / 2 - 1] + $sorted[@sorted / 2]) / 2;
}

# The relative increase in the second group: the median of all quotients, and its 95 % confidence interval, by the same
# distribution of ranks. The bounds are undef if there are too few runs.
sub _of_runs {
	my ($first, $second) = @_;
	my @quotients = sort { $a <=> $b } map { my $x = $_; map { $_ / $x - 1 } @$second } @$first;
	my $ways = _rank_sums(scalar @$first, map { 2 * $_ } 1 .. @$first + @$second);
	my ($all, $below, $cut) = (0, 0, 0);
	$all += $_ for values %$ways;
	for (sort { $a <=> $b } keys %$ways) {
		$below += $ways->{$_};
		last if $below / $all > $SURE / 2;
		$cut++;
	}
	my @bounds = $cut ? @quotients[$cut - 1, @quotients - $cut] : ();
	return { by => median(@quotients), low => $bounds[0], high => $bounds[1],
		chance => mann_whitney($first, $second),
		effect => effect($first, $second) };
}

sub of_runs {
	my ($first, $second) = @_;
	return { few => 'one run' } if @$first < 2 || @$second < 2;
	return { few => sprintf '%d and %d runs', scalar @$first, scalar @$second }
		if smallest_p_value(scalar @$first, scalar @$second) > $SURE;
	return { few => 'a value that is 0' } if grep { $_ <= 0 } @$first;
	return _of_runs($first, $second);
}

# ---- one run a side: samples with their times ----

# A generator of our own, so that the same seed draws the same on every machine (Lehmer's, of Park and Miller).
sub _random {
	my ($state, $below) = @_;
	$$state = $$state * 48271 % 2147483647;
	return $$state % $below;
}

# The values up to which samples are counted: all of them or, if there are many, evenly spaced ranks, and finer ones at
# the upper end.
sub _grid {
	my (@sorted) = @_;
	my @ranks = @sorted <= $GRID ? 0 .. $#sorted : ((map { int($_ * $#sorted / $GRID) } 0 .. $GRID),
		map { int(@sorted * (1 - $UPPER) + $_ * $UPPER * @sorted / $GRID) } 0 .. $GRID - 1);
	my %grid = map { $_ => 1 } @sorted[@ranks], $sorted[-1];
	return sort { $a <=> $b } keys %grid;
}

# SAMPLES, [TS, VALUE], from START to END, prepared so that a draw of blocks only needs sums: for each place at which a
# block may begin, the number of its samples, their sum, and the number up to each value of the grid.
sub _blocks {
	my ($samples, $start, $end) = @_;
	my $places = $BLOCKS * $PARTS;
	my $length = ($end - $start) / $places || 1;
	my @sorted = sort { $a <=> $b } map { $_->[1] } @$samples;
	my @grid = _grid(@sorted);
	my (@n, @sum, @up_to);
	@n = @sum = (0) x $places;
	my @by_value = sort { $a->[1] <=> $b->[1] } @$samples;
	my @place = map {
		my $p = int(($_->[0] - $start) / $length);
		$p < 0 ? 0 : $p >= $places ? $places - 1 : $p;
	} @by_value;
	my $i = 0;
	for my $value (@grid) {
		while ($i < @by_value && $by_value[$i][1] <= $value) {
			$n[$place[$i]]++;
			$sum[$place[$i]] += $by_value[$i][1];
			$i++;
		}
		push @up_to, _in_blocks(@n);
	}
	return { grid => \@grid, sorted => \@sorted, n => $up_to[-1], sum => _in_blocks(@sum), up_to => \@up_to,
		places => $places - $PARTS + 1, seconds => ($end - $start) / 1e9 };
}

# The sums of the blocks that begin at each place, from the numbers of the places.
sub _in_blocks {
	my (@places) = @_;
	my @blocks;
	my $sum = 0;
	$sum += $_ for @places[0 .. $PARTS - 1];
	push @blocks, $sum;
	for ($PARTS .. $#places) {
		$sum += $places[$_] - $places[$_ - $PARTS];
		push @blocks, $sum;
	}
	return \@blocks;
}

sub _total {
	my ($row, @from) = @_;
	my $total = 0;
	$total += $row->[$_] for @from;
	return $total;
}

# Each of WANTED ('rate', 'mean', or a percentile) for the blocks that begin at the places FROM.
sub _statistics {
	my ($blocks, $wanted, @from) = @_;
	my $n = _total($blocks->{n}, @from);
	my %is = (rate => $n / ($blocks->{seconds} || 1));
	return \%is if !$n;
	$is{mean} = _total($blocks->{sum}, @from) / $n;
	for my $percent (grep { /^\d/ } @$wanted) {
		my $rank = $percent / 100 * $n - 1e-9;
		my ($low, $high) = (0, $#{$blocks->{grid}});
		while ($low < $high) {
			my $middle = ($low + $high) >> 1;
			if (_total($blocks->{up_to}[$middle], @from) >= $rank) {
				$high = $middle;
			} else {
				$low = $middle + 1;
			}
		}
		$is{$percent} = $blocks->{grid}[$low];
	}
	return \%is;
}

# The same of all samples, exactly: percentiles by the nearest rank.
sub _of_all {
	my ($blocks, $wanted) = @_;
	my $sorted = $blocks->{sorted};
	my $sum = 0;
	$sum += $_ for @$sorted;
	return { rate => @$sorted / ($blocks->{seconds} || 1), mean => $sum / @$sorted,
		map { my $rank = int($_ / 100 * @$sorted - 1e-9); ($_ => $sorted->[$rank]) } grep { /^\d/ } @$wanted };
}

# The least number of samples for a result.
my %TAKES = (99 => 1000, 99.9 => 10_000);
my $TAKES = 100;

# A = { samples, start, end }, and B. The moving-block bootstrap: draws of blocks, each a fiftieth of the window long.
sub of_samples {
	my ($first, $second, $seed, @wanted) = @_;
	my ($least) = sort { $a <=> $b } map { scalar @{$_->{samples}} } $first, $second;
	my %result = map { $_ => { few => "n=$least" } } @wanted;
	@{$result{rate}}{qw(a b)} = map { my $s = ($_->{end} - $_->{start}) / 1e9; $s ? @{$_->{samples}} / $s
		: undef } $first, $second if $result{rate};
	@wanted = grep { $least >= ($TAKES{$_} // $TAKES) } @wanted;
	return \%result if !@wanted;
	my @blocks = map { _blocks(@$_{qw(samples start end)}) } $first, $second;
	my ($x, $y) = map { _of_all($_, \@wanted) } @blocks;
	my $state = $seed;
	my %draws;
	for (1 .. $DRAWS) {
		my ($p, $q) = map {
			my $b = $_;
			_statistics($b, \@wanted, map { _random(\$state, $b->{places}) } 1 .. $BLOCKS);
		} @blocks;
		for (@wanted) {
			push @{$draws{$_}}, $q->{$_} / $p->{$_} - 1 if $p->{$_} && defined $q->{$_};
		}
	}
	my $effect = _effect_of(@blocks);
	for (@wanted) {
		my @draws = sort { $a <=> $b } @{$draws{$_} // []};
		if (!$x->{$_} || $x->{$_} < 0 || @draws < $DRAWS / 2) {
			$result{$_} = { few => 'a value that is 0' };
			next;
		}
		$result{$_} = { a => $x->{$_}, b => $y->{$_}, by => $y->{$_} / $x->{$_} - 1,
			low => $draws[int(@draws * $SURE / 2)],
			high => $draws[int(@draws * (1 - $SURE / 2))], chance => _chance_of(@draws),
			$_ eq 'rate' ? () : (effect => $effect) };
	}
	return \%result;
}

# The two-sided p-value of 0 under a normal distribution with the mean and standard deviation of the draws.
sub _chance_of {
	my (@draws) = @_;
	my ($sum, $squares) = (0, 0);
	$sum += $_ for @draws;
	my $mean = $sum / @draws;
	$squares += ($_ - $mean)**2 for @draws;
	my $width = sqrt($squares / @draws);
	return $mean == 0 ? 1 : 0 if !$width;
	return _tails(abs($mean) / $width);
}

# Both tails of the normal distribution beyond Z (Abramowitz and Stegun 7.1.26; off by at most 1.5e-7).
sub _tails {
	my ($z) = @_;
	my $x = $z / sqrt 2;
	my $t = 1 / (1 + 0.3275911 * $x);
	return $t * (0.254829592 + $t * (-0.284496736 + $t * (1.421413741 + $t * (-1.453152027 + $t * 1.061405429))))
		* exp(-$x * $x);
}

# P(B > A) of samples: by counting along the values.
sub _effect_of {
	my ($first, $second) = @_;
	my %n;
	$n{$_}[0]++ for @{$first->{sorted}};
	$n{$_}[1]++ for @{$second->{sorted}};
	my ($below, $greater) = (0, 0);
	for (sort { $a <=> $b } keys %n) {
		my ($x, $y) = map { $_ // 0 } @{$n{$_}}[0, 1];
		$greater += $y * ($below + $x / 2);
		$below += $x;
	}
	return $greater / (@{$first->{sorted}} * @{$second->{sorted}});
}

# ---- many at once, and in words ----

# Holm's method: which of these are significant although there are so many. Sets {sure}.
sub holm {
	my (@results) = @_;
	my @tested = sort { $a->{chance} <=> $b->{chance} } grep { defined $_->{chance} } @results;
	my $left = @tested;
	my $sure = 1;
	for (@tested) {
		$sure &&= $_->{chance} <= $SURE / $left--;
		$_->{sure} = $sure ? 1 : 0;
	}
	return;
}

sub _percent {
	my ($part) = @_;
	my $percent = abs 100 * $part;
	return sprintf $percent < 10 ? '%.1f' : '%.0f', $percent;
}

sub _signed { return ($_[0] < 0 ? '-' : '') . _percent($_[0]) }

# By which factor the second may differ, up or down, by the interval; undef: there is no bound.
sub _times {
	my ($r) = @_;
	return if $r->{low} <= -1;
	my ($times) = sort { $b <=> $a } 1 + $r->{high}, 1 / (1 + $r->{low});
	return sprintf $times < 9.95 ? '%.1f' : '%.0f', $times;
}

sub words {
	my ($r) = @_;
	return "too few to tell ($r->{few})" if defined $r->{few};
	return sprintf '%s by %s %% (95 %%: %s to %s)', $r->{by} < 0 ? 'lower' : 'higher', _percent($r->{by}),
		map { _signed($_) }
		$r->{by} < 0 ? (-$r->{high}, -$r->{low}) : @$r{qw(low high)} if $r->{sure};
	my ($far) = sort { $b <=> $a } map { abs } @$r{qw(low high)};
	my $times = _times($r);
	return 'cannot tell: the runs vary too much' if !defined $times;
	return "cannot tell: the runs vary too much (a change of less than $times times would not be seen)"
		if $times > $VARIES;
	return sprintf 'no difference found; more than +-%s %% is excluded', _percent($far);
}

# The size of an effect, as a word.
sub size_of {
	my ($effect) = @_;
	my $off = 0.5 + abs($effect - 0.5);
	return $off < 0.56 ? 'negligible' : $off < 0.64 ? 'small' : $off < 0.71 ? 'middle' : 'large';
}

1;

__END__

=head1 NAME

Zed::Contrast - does one group of numbers differ from another, by how much, and how certainly

=head1 SYNOPSIS

    use Zed::Contrast;

    my $r = Zed::Contrast::of_runs([12.1, 11.8, 12.4, 12.0, 11.9], [13.0, 13.4, 12.9, 13.1, 13.3]);
    Zed::Contrast::holm($r);
    print Zed::Contrast::words($r), "\n";       # higher by 9.2 % (95 %: ...)

=head1 DESCRIPTION

Measurements within one run are not independent: the cause of one long wait makes its neighbours
long, too. So each run counts as one number. With several runs on each side, these numbers are
compared by their ranks, exactly. With one run on each side, blocks of time are drawn instead of
single samples; the result then says nothing about differences between runs.

=head1 FUNCTIONS

=over

=item of_runs([NUMBERS], [NUMBERS])

One number for each run. Returns a reference to a hash: C<by>, the relative increase in the second
group (the median of all quotients, less 1); C<low> and C<high>, its 95 % interval; C<chance>, the
p-value of Mann and Whitney's test, two-sided, with ties; C<effect>, the probability that a number
of the second group is the greater one. If there are too few numbers, it has only C<few>: the
reason.

=item of_samples(A, B, SEED, WANTED, ...)

The same for samples: A and B have C<samples>, a reference to an array of [TS, VALUE], C<start> and
C<end>. Each WANTED is C<rate>, C<mean> or a percentile. Returns a reference to a hash of results,
which also have C<a> and C<b>, the value on each side. It is a moving-block bootstrap of 1000 draws,
with blocks of a fiftieth of the window; SEED (from 1) decides the draws, the same on every machine.
At least 100 samples are needed on each side, 1000 for a 99th percentile, and 10,000 for the 99.9th.

=item holm(RESULT, ...)

Sets C<sure> for those that are significant although so many are compared (Holm's method, 5 %).

=item words(RESULT)

"higher by 12 % (95 %: 5.0 to 19)", "no difference found; more than +-8.0 % is excluded", "cannot tell:
the runs vary too much (a change of less than 8.0 times would not be seen)", if the interval goes
beyond 1.5 times, or "too few to tell (n=12)".

=item size_of(EFFECT)

C<negligible>, C<small>, C<middle>, C<large>.

=item mann_whitney([NUMBERS], [NUMBERS]), smallest_p_value(N, M), effect([NUMBERS], [NUMBERS]), median(NUMBERS)

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Spread

=head1 LICENCE

GPL-2.0-or-later

=cut
