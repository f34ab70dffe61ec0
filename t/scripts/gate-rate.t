# SPDX-License-Identifier: GPL-2.0-or-later
#
# How often a gate says "beyond" where nothing has changed: two halves of one recording, divided by chance, 200 times.  At
# most as often as its level says; and a change is found as often as it says that it would be.  Without it a limit fails
# one build in five, and nobody believes the others.  RATE_SEED=N chooses other halves.
#
# of: lib/Zed/Gate.pm lib/Zed/Contrast.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib', 'lib';
use Pass;
use Run::Zedperl;

# What the modules take from zedperl, for texts that are not looked at here.
BEGIN {
	no warnings 'once';
	*Zed::plain = sub { return $_[0] };
	*Zed::_duration_ns = sub { return "$_[0] ns" };
	*Zed::_counts_ns = sub { return 1 };
}
use Zed::Gate;

my $seed = $ENV{RATE_SEED} // 20;
srand $seed;
my $TIMES = small(40, 200);
my $PIECES = 40;	# of a recording: a half has 20, a run 4
my $RUNS = 5;

# ---- recordings: [TS, VALUE], ...

# Waits that hang together: each is much like the one before; now and then all are long for a while.
sub made {
	my ($state, $burst) = (0, 0);
	return map {
		$state = 0.9 * $state + (rand() + rand() + rand() - 1.5) / 3;
		$burst = rand() < 0.02 ? 10 : $burst > 0 ? $burst - 1 : 0;
		[$_ * 1e6, 50_000 * exp($state) * ($burst ? 3 : 1)];
	} 1 .. 1200;
}

sub recorded {
	my $samples = temp_path();
	zedperl({ bare => 1 }, 'docs/shell.dat', 'waits', '--json', '--samples', $samples);
	open my $in, '<', $samples or die "$samples: $!\n";
	my @of = map { chomp; [(split /\t/)[1, 2]] } <$in>;
	close $in;
	return sort { $a->[0] <=> $b->[0] } @of;
}

# ---- halves

# The pieces of a recording, in an order of chance.
sub shuffled_pieces {
	my ($samples) = @_;
	my ($start, $end) = @$samples[0, -1];
	my $length = ($end->[0] - $start->[0] + 1) / $PIECES;
	my @pieces = map { [] } 1 .. $PIECES;
	push @{$pieces[int(($_->[0] - $start->[0]) / $length)]}, [$_->[0] - $start->[0], $_->[1]] for @$samples;
	my @order = map { $_->[1] } sort { $a->[0] <=> $b->[0] } map { [rand, $_] } 0 .. $#pieces;
	return ($length, map { [$_ * $length, $pieces[$_]] } @order);
}

# A run of pieces, one after another, as Zed::Gate::Run has it; values are BY times as long.
sub run_of {
	my ($by, $length, @pieces) = @_;
	my @samples = map { my ($at, $in) = @{$pieces[$_]}; my $to = $_ * $length; map { [$_->[0] - $at + $to, $_->[1] * $by] } @$in } 0 .. $#pieces;
	return { path => 'x', start => 0, end => $length * @pieces, trace => {}, lost => {}, worst => [],
		table => { columns => [], rows => {} }, samples => { all => \@samples } };
}

# Both sides: N runs each, whose pieces are chosen by chance.
sub halves {
	my ($samples, $n, $by) = @_;
	my ($length, @pieces) = shuffled_pieces($samples);
	my $each = @pieces / 2 / $n;
	return map { my $side = $_; [map { run_of($side ? $by : 1, $length, splice @pieces, 0, $each) } 1 .. $n] } 0, 1;
}

# How often each verdict is given of 200 halves; the mean of what the gate says that it would find.
sub verdicts {
	my ($samples, $limit, $n, $by, $times) = @_;
	my %n = (within => 0, beyond => 0, 'cannot tell' => 0);
	my $finds = 0;
	for (1 .. $times) {
		my $gate = Zed::Gate->new(level => 0.05, seed => 1 + int rand 1e6);
		$gate->add({ analysis => 'waits', limits => [{ %{Zed::Gate::Limit::change($limit)}, where => 'test' }] }, halves($samples, $n, $by));
		my ($check) = $gate->judge;
		$n{$check->{verdict}}++;
		$finds += $check->{finds} // 0;
	}
	return (\%n, $finds / $times);
}

# More than N of TIMES at the level 5 % has a probability below 1 in 1000: so many are not by chance.
sub most_by_chance {
	my ($times) = @_;
	my ($p, $left, $k) = (0.95**$times, 1, 0);
	while (($left -= $p) > 0.001) {
		$p *= ($times - $k) / ($k + 1) * 0.05 / 0.95;
		$k++;
	}
	return $k;
}
is(most_by_chance(200), 21, 'of 200 at 5 %, 10 are expected, and 22 are not by chance');

my %of = (made => [made()], recorded => [recorded()]);
cmp_ok(scalar @{$of{recorded}}, '>', 200, 'the recording has waits');
for my $what (sort keys %of) {
	for (['avg', $RUNS, $TIMES], ['p90', $RUNS, 0.3 * $TIMES], $what eq 'made' ? (['avg', 1, $TIMES], ['p50', 1, small(4, 20)]) : ()) {
		my ($number, $runs, $times) = @$_;
		my $how = "$what, $number, $runs a side";
		# With the hardest limit, nothing is allowed, and with one as people write it; one run a side takes longest.
		my $fewer = $runs == 1 ? 0.3 * $times : $times;
		my ($usual) = verdicts($of{$what}, "$number: +10%", $runs, 1, $fewer);
		# Of few halves one more may be by chance.
		cmp_ok($usual->{beyond}, '<=', $fewer < 100 ? most_by_chance($fewer) : 0.05 * $fewer, "$how, $fewer halves, +10%: $usual->{beyond} false alarms, at most 5 %");
		my ($hardest) = verdicts($of{$what}, "$number: +0%", $runs, 1, $times);
		cmp_ok($hardest->{beyond}, '<=', most_by_chance($times), "$how, $times halves, +0%: $hardest->{beyond} false alarms, no more than 5 % give by chance");
	}
}

# A change as great as it says that it finds is found about four times in five; and it is never said to be within.
my (undef, $finds) = verdicts($of{made}, 'avg: +10%', $RUNS, 1, small(10, 40));
my $times = 0.3 * $TIMES;
my ($found) = verdicts($of{made}, 'avg: +10%', $RUNS, 1 + $finds, $times);
cmp_ok($found->{beyond}, '>=', 0.65 * $times, sprintf 'a change of %.0f %%, which it says it finds, is found %d times of %d', 100 * $finds, $found->{beyond}, $times);
cmp_ok($found->{within}, '<=', 0.05 * $times, "... and said to be within the limit $found->{within} times");
# What is as far beyond as is told to be allowed is not said to be within more often than the level says.
my ($edge) = verdicts($of{made}, 'avg: +10%', $RUNS, 1.1, $times);
cmp_ok($edge->{within}, '<=', most_by_chance($times), "a change at the limit is said to be within $edge->{within} times of $times");

done_testing();
