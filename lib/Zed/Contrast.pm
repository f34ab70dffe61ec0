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
my $BATCH = 5;		# blocks that are looked at together: do they vary as if they were independent?
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

# The percentile of SORTED numbers by the nearest rank.
sub percentile {
	my ($percent, @sorted) = @_;
	return $sorted[int($percent / 100 * @sorted - 1e-9)];
}

sub median {
	my @sorted = sort { $a <=> $b } @_;
	return @sorted % 2 ? $sorted[$#sorted / 2] : ($sorted[@sorted / 2 - 1] + $sorted[@sorted / 2]) / 2;
}

# Of the changes from N numbers to M, sorted: which of them, from either end, bounds the true one, if that bound is
# wrong
# with a probability of at most LEVEL. 0: there are too few for that.
sub _rank_of_bound {
	my ($n, $m, $level) = @_;
	my $ways = _rank_sums($n, map { 2 * $_ } 1 .. $n + $m);
	my ($all, $below, $rank) = (0, 0, 0);
	$all += $_ for values %$ways;
	for (sort { $a <=> $b } keys %$ways) {
		$below += $ways->{$_};
		last if $below / $all > $level;
		$rank++;
	}
	return $rank;
}

# The change from the first group to the second (IN_PARTS of the first, or as a difference), and for each level its
# lower
# and its upper bound, each of which is wrong with that probability; undef: too few numbers.
sub bounds_of_runs {
	my ($first, $second, $in_parts, @levels) = @_;
	my @changes = sort { $a <=> $b } map { my $x = $_; map { $in_parts ? $_ / $x - 1 : $_ - $x } @$second } @$first;
	return { by => median(@changes), bounds => [map {
		my $rank = _rank_of_bound(scalar @$first, scalar @$second, $_);
		$rank ? [@changes[$rank - 1, @changes - $rank]] : undef;
	} @levels] };
}

# The least number of runs a side that have a bound at LEVEL.
sub least_runs {
	my ($level) = @_;
	my $n = 2;
	$n++ while smallest_p_value($n, $n) / 2 > $level;
	return $n;
}

# The relative increase in the second group: the median of all quotients, and its 95 % confidence interval, by the same
# distribution of ranks. The bounds are undef if there are too few runs.
sub _of_runs {
	my ($first, $second) = @_;
	my $r = bounds_of_runs($first, $second, 1, $SURE / 2);
	my @bounds = @{$r->{bounds}[0] // []};
	return { by => $r->{by}, low => $bounds[0], high => $bounds[1],
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
# block may begin, the number of its samples, their sum, and for percentiles the number up to each value of the grid.
sub _blocks {
	my ($samples, $start, $end, $for_percentiles) = @_;
	my $places = $BLOCKS * $PARTS;
	my $length = ($end - $start) / $places || 1;
	my @sorted = sort { $a <=> $b } map { $_->[1] } @$samples;
	my @grid = $for_percentiles ? _grid(@sorted) : $sorted[-1];
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

# The least number of samples for a result: 100, and ten beyond a percentile.
my $TAKES = 100;
my $BEYOND = 10;

sub _takes {
	my ($name) = @_;
	my $least = $name =~ /^\d/ ? int($BEYOND / (1 - $name / 100) + 0.5) : 0;
	return $least > $TAKES ? $least : $TAKES;
}

# Pairs of values of A and B for each of WANTED, of so many draws of blocks; and the blocks.
sub _draws {
	my ($first, $second, $seed, @wanted) = @_;
	my $for_percentiles = grep { /^\d/ } @wanted;
	my @blocks = map { _blocks(@$_{qw(samples start end)}, $for_percentiles) } $first, $second;
	my $state = $seed;
	my %pairs;
	for (1 .. $DRAWS) {
		my ($p, $q) = map {
			my $b = $_;
			_statistics($b, \@wanted, map { _random(\$state, $b->{places}) } 1 .. $BLOCKS);
		} @blocks;
		for (@wanted) {
			push @{$pairs{$_}}, [$p->{$_}, $q->{$_}] if defined $p->{$_} && defined $q->{$_};
		}
	}
	return (\%pairs, @blocks);
}

# A = { samples, start, end }, and B. The moving-block bootstrap: draws of blocks, each a fiftieth of the window long.
sub of_samples {
	my ($first, $second, $seed, @wanted) = @_;
	my ($least) = sort { $a <=> $b } map { scalar @{$_->{samples}} } $first, $second;
	my %result = map { $_ => { few => "n=$least" } } @wanted;
	@{$result{rate}}{qw(a b)} = map { my $s = ($_->{end} - $_->{start}) / 1e9; $s ? @{$_->{samples}} / $s
		: undef } $first, $second if $result{rate};
	@wanted = grep { $least >= _takes($_) } @wanted;
	return \%result if !@wanted;
	my ($pairs, @blocks) = _draws($first, $second, $seed, @wanted);
	my ($x, $y) = map { _of_all($_, \@wanted) } @blocks;
	my $effect = _effect_of(@blocks);
	for (@wanted) {
		my @draws = sort { $a <=> $b } map { $_->[0] ? $_->[1] / $_->[0] - 1 : () } @{$pairs->{$_} // []};
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

# As bounds_of_runs(), of one run a side by draws of blocks; few: why not. A bound is at least as far as that of
# Student's distribution as wide as the draws: far out these are few, and their spread is known from few batches.
sub bounds_of_samples {
	my ($first, $second, $seed, $name, $in_parts, @levels) = @_;
	my ($least) = sort { $a <=> $b } map { scalar @{$_->{samples}} } $first, $second;
	return { few => "$least cases are too few for one run a side, which takes " . _takes($name) }
		if $least < _takes($name);
	my ($pairs, @blocks) = _draws($first, $second, $seed, $name);
	my ($x, $y) = map { _of_all($_, [$name])->{$name} } @blocks;
	my @draws = sort { $a <=> $b } map { my ($p, $q) = @$_; $in_parts ? $p ? $q / $p - 1 : () : $q - $p }
		@{$pairs->{$name} // []};
	return { few => 'a value that is 0' } if @draws < $DRAWS / 2 || $in_parts && !$x;
	my $by = $in_parts ? $y / $x - 1 : $y - $x;
	my (undef, $width) = _mean_and_width(@draws);
	my ($clumps) = map { ($_->[0] + $_->[1]) / 2 } [map { _clumps($name, @$_) } [$x, $blocks[0]], [$y, $blocks[1]]];
	$width *= sqrt($BLOCKS / ($BLOCKS - 1) * ($clumps > 1 ? $clumps : 1));
	return { a => $x, b => $y, by => $by, bounds => [map {
		my $far = _t_quantile($_, $BLOCKS / $BATCH - 1) * $width;
		my ($low, $high) = @draws[int(@draws * $_), $#draws - int(@draws * $_)];
		[$low < $by - $far ? $low : $by - $far, $high > $by + $far ? $high : $by + $far];
	} @levels] };
}

# How much more the blocks of a side vary in batches than they would if they were independent: what hangs together for
# longer than a block makes what is drawn vary too little. Of what each block adds to the number NAME, which is VALUE.
sub _clumps {
	my ($name, $value, $blocks) = @_;
	my $grid = $blocks->{grid};
	my ($at) = grep { $grid->[$_] >= $value } 0 .. $#$grid;
	my @adds = map {
		my $n = $blocks->{n}[$_];
		$name eq 'rate' ? $n : $name eq 'mean' ? $blocks->{sum}[$_] - $value * $n
			: $blocks->{up_to}[$at // -1][$_] - $name / 100 * $n;
	} map { $_ * $PARTS } 0 .. $BLOCKS - 1;
	my $batches = $BLOCKS / $BATCH;
	my @batches = map { _total(\@adds, $_ * $BATCH .. ($_ + 1) * $BATCH - 1) } 0 .. $batches - 1;
	my ($one, $some) = map { (_mean_and_width(@$_))[1]**2 * @$_ / (@$_ - 1) } \@adds, \@batches;
	return $one ? $some / $one / $BATCH : 1;
}

sub _mean_and_width {
	my (@numbers) = @_;
	my ($sum, $squares) = (0, 0);
	$sum += $_ for @numbers;
	my $mean = $sum / @numbers;
	$squares += ($_ - $mean)**2 for @numbers;
	return ($mean, sqrt($squares / @numbers));
}

# How many standard deviations a normal distribution exceeds with that probability, of less than a half.
sub normal_quantile {
	my ($level) = @_;
	my ($low, $high) = (0, 10);
	for (1 .. 50) {
		my $middle = ($low + $high) / 2;
		_tails($middle) / 2 > $level ? ($low = $middle) : ($high = $middle);
	}
	return $low;
}

# The same of Student's distribution (Abramowitz and Stegun 26.7.5).
sub _t_quantile {
	my ($level, $freedom) = @_;
	my $z = normal_quantile($level);
	return $z + ($z**3 + $z) / (4 * $freedom) + (5 * $z**5 + 16 * $z**3 + 3 * $z) / (96 * $freedom**2)
		+ (3 * $z**7 + 19 * $z**5 + 17 * $z**3 - 15 * $z) / (384 * $freedom**3);
}

# The two-sided p-value of 0 under a normal distribution with the mean and standard deviation of the draws.
sub _chance_of {
	my (@draws) = @_;
	my ($mean, $width) = _mean_and_width(@draws);
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
At least 100 samples are needed on each side, and for a percentile so many that ten lie beyond it: 1000 for the 99th,
10,000 for the 99.9th.

=item bounds_of_runs([NUMBERS], [NUMBERS], IN_PARTS, LEVEL, ...)

=item bounds_of_samples(A, B, SEED, WANTED, IN_PARTS, LEVEL, ...)

The change from the first group to the second, as part of the first (IN_PARTS) or as a difference, and its bounds, for a
limit: C<by>, and C<bounds>, for each LEVEL the lower and the upper one, each of which is wrong with that probability;
undef if there are too few runs for it. Of samples also C<a> and C<b>, or only C<few>: the reason.

=item least_runs(LEVEL)

How many runs a side it takes for such a bound.

=item normal_quantile(LEVEL)

How many standard deviations a normal distribution exceeds with that probability.

=item percentile(PERCENT, SORTED), median(NUMBERS)

By the nearest rank; the middle one, or the mean of the two.

=item holm(RESULT, ...)

Sets C<sure> for those that are significant although so many are compared (Holm's method, 5 %).

=item words(RESULT)

"higher by 12 % (95 %: 5.0 to 19)", "no difference found; more than +-8.0 % is excluded", "cannot tell:
the runs vary too much (a change of less than 8.0 times would not be seen)", if the interval goes
beyond 1.5 times, or "too few to tell (n=12)".

=item size_of(EFFECT)

C<negligible>, C<small>, C<middle>, C<large>.

=item mann_whitney([NUMBERS], [NUMBERS]), smallest_p_value(N, M), effect([NUMBERS], [NUMBERS])

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Spread

=head1 LICENCE

GPL-2.0-or-later

=cut
