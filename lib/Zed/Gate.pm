# SPDX-License-Identifier: GPL-2.0-or-later
#
# Gate: did a number change by more than is allowed? Yes, no, or these runs cannot tell: with the bounds of the change,
# what
# they would have found, and how many runs would do.
package Zed::Gate;
use strict;
use warnings;

use Zed::Contrast;
use Zed::Gate::Limit;
use Zed::Gate::Run;
use Zed::Units;

our $VERSION = '0.1';

my $MOST = 100;		# rows of a pattern: those with the most cases
my $OVERLOOKED = 0.2;	# of the changes that are said to be found
my $RUNS = 200;		# a side: nobody makes more
my $DRAWN = 6;		# checks whose samples are drawn

our ($WITHIN, $BEYOND, $UNKNOWN) = ('within', 'beyond', 'cannot tell');
my %STATUS = ($WITHIN => 0, $BEYOND => 3, $UNKNOWN => 4);

# LEVEL: how often it may be wrong, of 1; SEED of drawn samples.
sub new {
	my ($class, %o) = @_;
	return bless { level => $o{level}, seed => $o{seed}, checks => [], left_out => 0 }, $class;
}

sub checks { return @{$_[0]{checks}} }
sub left_out { return $_[0]{left_out} }

# The exit status: beyond one limit is beyond; what cannot be told is not within.
sub status {
	my (@checks) = @_;
	my %is = map { $_->{verdict} => 1 } @checks;
	return $STATUS{$is{$BEYOND} ? $BEYOND : $is{$UNKNOWN} || !@checks ? $UNKNOWN : $WITHIN};
}

# ---- what is checked ----

# OF's limits, for the runs FIRST and SECOND of its analysis. Dies with a message if a limit is not about a number of
# it.
sub add {
	my ($self, $of, $first, $second) = @_;
	for my $limit (@{$of->{limits}}) {
		Zed::Gate::Limit::told($limit, sub { _must_have($of, $limit, @$first, @$second) });
		push @{$self->{checks}}, map { +{
			analysis => $of->{analysis}, limit => $limit, key => $_, number => $limit->{number},
			first => $first, second => $second,
		} } _rows($self, $limit, @$first, @$second);
	}
	return;
}

sub _must_have {
	my ($of, $limit, @runs) = @_;
	my @with = grep { Zed::Gate::Run::numbers($_) } @runs or return 1;
	my %there = map { $_ => 1 } map { Zed::Gate::Run::numbers($_) } @with;
	Zed::Gate::Limit::wrong($limit->{number_at}, "$of->{analysis} has no number '$limit->{number}'"
		. Zed::Gate::Limit::instead($limit->{number}, sort keys %there))
		if !grep { Zed::Gate::Run::has_number($_, $limit->{number}) } @with;
	my $all = $Zed::Gate::Run::ALL;
	Zed::Gate::Limit::wrong(0, "$of->{analysis} has no row of all together: name a row before the number, or '*' " .
		'for each')
		if !defined $limit->{row} && (grep { my @names = Zed::Gate::Run::names($_); @names } @with)
			&& !grep { defined Zed::Gate::Run::value($_, $all, $limit->{number}) } @with;
	return 1;
}

# The names of the rows that a limit is about.
sub _rows {
	my ($self, $limit, @runs) = @_;
	my $row = $limit->{row} // return $Zed::Gate::Run::ALL;
	return $row if $row !~ /[*?]/;
	my $pattern = Zed::Gate::Limit::pattern($row);
	my %cases;
	for my $run (@runs) {
		$cases{$_} += Zed::Gate::Run::count($run, $_) // 0
			for grep { $_ =~ $pattern } Zed::Gate::Run::names($run);
	}
	my @rows = sort { $cases{$b} <=> $cases{$a} || $a cmp $b } keys %cases;
	$self->{left_out} += @rows - $MOST if @rows > $MOST;
	return @rows > $MOST ? @rows[0 .. $MOST - 1] : @rows ? @rows : $row;
}

# ---- the verdicts ----

# All of them at once: the more there are, the surer each has to be that says "beyond".
sub judge {
	my ($self) = @_;
	my $strict = $self->{level} / (@{$self->{checks}} || 1);
	_judge($self, $_, $strict) for @{$self->{checks}};
	return @{$self->{checks}};
}

sub _judge {
	my ($self, $check, $strict) = @_;
	my ($limit, $key, $number) = @$check{qw(limit key number)};
	my @values = map { [values_of($key, $number, @$_)] } @$check{qw(first second)};
	my ($any) = grep { Zed::Gate::Run::has_number($_, $number) } map { @$_ } @$check{qw(first second)};
	$check->{type} = $any ? Zed::Gate::Run::type_of($any, $number) : 'number';
	my $allowed = sub { return [Zed::Gate::Limit::allowed($limit, $check->{type})] };
	@$check{qw(in_parts allowed)} = $any ? @{Zed::Gate::Limit::told($limit, $allowed)} : (0, 0);
	@$check{qw(n_a n_b)} = map { scalar @$_ } @values;
	@$check{qw(a b)} = map { @$_ ? Zed::Contrast::median(@$_) : undef } @values;
	$strict /= 2 if $limit->{sign} eq '+-';
	my $found = _change($self, $check, \@values, $strict);
	@$check{qw(why runs)} = @$found{qw(few runs)};
	$check->{verdict} = $UNKNOWN;
	_of_bounds($self, $check, $strict, $found) if !defined $found->{few};
	$check->{sentence} = _sentence($self, $check);
	return;
}

# The number of a row in each of RUNS that has it.
sub values_of {
	my ($key, $number, @runs) = @_;
	return grep { defined } map { scalar Zed::Gate::Run::value($_, $key, $number) } @runs;
}

# How often a limit alone may be wrong that has one bound, or two: half as often each.
sub _alone {
	my ($self, $check) = @_;
	return $self->{level} / ($check->{limit}{sign} eq '+-' ? 2 : 1);
}

# The change and its bounds: at the level STRICT, at the level itself, and at that of this limit alone; few: why there
# are none.
sub _change {
	my ($self, $check, $values, $strict) = @_;
	my ($first, $second) = @$values;
	my ($key, $number, $in_parts) = @$check{qw(key number in_parts)};
	for (['A', $first, 'first'], ['B', $second, 'second']) {
		my ($side, $there, $runs) = @$_;
		next if @$there;
		my ($run) = @{$check->{$runs}};
		my @kept = $number =~ /\Ap\d/ && $run ? Zed::Gate::Run::kept_percentiles($run, $key) : ();
		return { few => !@kept ? "$side has no such row" : "the baseline keeps only " . join(', ', @kept)
			. " of it, not $number: limit one of these, or compare with the traces themselves" };
	}
	my @runs = map { scalar @$_ } @$check{qw(first second)};
	return _change_of_samples($self, $check, $strict) if $runs[0] == 1 && $runs[1] == 1;
	my ($one) = map { @{$values->[$_]} < 2 ? (qw(A B))[$_] : () } 0, 1;
	return { few => "$one has it in one run only", runs => Zed::Contrast::least_runs($strict) } if defined $one;
	return { few => 'A has a value that is 0, of which there are no parts: limit it by an amount' }
		if $in_parts && grep { $_ <= 0 } @$first;
	return Zed::Contrast::bounds_of_runs($first, $second, $in_parts, $strict, $self->{level},
		_alone($self, $check));
}

# What Zed::Contrast calls a number of samples.
sub _of_samples {
	my ($number) = @_;
	return $1 if $number =~ /\Ap(\d.*)\z/;
	return $number eq 'avg' ? 'mean' : $number =~ /\A(?:rate|n|count|events)\z/ ? 'rate' : undef;
}

sub _change_of_samples {
	my ($self, $check, $strict) = @_;
	my @runs = map { $_->[0] } @$check{qw(first second)};
	my @samples = map { [Zed::Gate::Run::samples($_, $check->{key})] } @runs;
	my $name = _of_samples($check->{number});
	return { few => "one run a side does not show how $check->{number} varies",
		runs => Zed::Contrast::least_runs($strict) }
		if !defined $name || grep { !@$_ } @samples;
	my @sides = map { +{ samples => $samples[$_], start => $runs[$_]{start}, end => $runs[$_]{end} } } 0, 1;
	my $found = Zed::Contrast::bounds_of_samples(@sides, $self->{seed}, $name, $check->{in_parts}, $strict,
		$self->{level}, _alone($self, $check));
	$check->{of_samples} = 1;
	@$check{qw(a b)} = @$found{qw(a b)} if defined $found->{a};
	$found->{runs} = Zed::Contrast::least_runs($strict) if defined $found->{few};
	return $found;
}

# The verdict by the bounds: STRICT ones for what is beyond, those of one limit alone for what is within.
sub _of_bounds {
	my ($self, $check, $strict, $found) = @_;
	my ($beyond, $within, $alone) = @{$found->{bounds}};
	my ($sign, $allowed) = ($check->{limit}{sign}, $check->{allowed});
	$check->{by} = $found->{by};
	if (!$within) {
		$check->{runs} = Zed::Contrast::least_runs($strict);
		$check->{why} = "$check->{n_a} and $check->{n_b} runs can decide nothing";
		return;
	}
	@$check{qw(low high)} = @$within;
	@$check{qw(surely_low surely_high)} = @{$beyond // []};
	my $is_outside = sub { my ($bounds) = @_; return $bounds && ($sign =~ /\+/ && $bounds->[0] > $allowed
		|| $sign =~ /-/ && $bounds->[1] < -$allowed) };
	my $is_within = ($sign !~ /\+/ || $within->[1] <= $allowed) && ($sign !~ /-/ || $within->[0] >= -$allowed);
	$check->{verdict} = $is_outside->($beyond) ? $BEYOND : $is_within ? $WITHIN : $UNKNOWN;
	$check->{beyond_alone} = 1 if $check->{verdict} eq $UNKNOWN && $is_outside->($alone);
	my $spread = ($within->[1] - $within->[0]) / 2 / Zed::Contrast::normal_quantile($self->{level});
	$check->{finds} = _finds($check, $strict, $spread);
	_what_would_do($self, $check, $strict, $spread) if $check->{verdict} eq $UNKNOWN;
	return;
}

# The change that such runs find to be beyond the limit, four times in five. Where it is a part, so is the spread; of
# few runs the spread itself is known less well.
sub _finds {
	my ($check, $strict, $spread) = @_;
	my ($n) = sort { $a <=> $b } @$check{qw(n_a n_b)};
	my $for_few = $check->{of_samples} ? 1 : 1 + 1 / $n;
	my ($z, $more) = map { Zed::Contrast::normal_quantile($_) } $strict, $OVERLOOKED;
	my ($far, $allowed) = ($spread * $for_few * ($z + $more), $check->{allowed});
	return $allowed + $far if !$check->{in_parts};
	return $check->{limit}{sign} eq '-' ? 1 - (1 - $allowed) * exp -$far : (1 + $allowed) * exp($far) - 1;
}

# How many runs a side would decide, or how many times as long a recording, if the change is what it seems to be: the
# spread falls with the root of their number.
sub _what_would_do {
	my ($self, $check, $strict, $spread) = @_;
	my ($by, $allowed, $sign) = (@$check{qw(by allowed)}, $check->{limit}{sign});
	my $over = $sign eq '+' ? $by : $sign eq '-' ? -$by : abs $by;
	my $off = abs($over - $allowed);
	my $z = Zed::Contrast::normal_quantile($over > $allowed ? $strict : $self->{level});
	my $times = $off > 0 ? ($z * $spread / $off)**2 : $RUNS;
	if ($check->{of_samples}) {
		$check->{times} = $times > $RUNS ? undef : $times < 2 ? 2 : 1 + int $times;
		return;
	}
	my $least = Zed::Contrast::least_runs($strict);
	my ($n) = sort { $a <=> $b } @$check{qw(n_a n_b)};
	my $runs = $times <= $RUNS ? 1 + int $n * $times : $RUNS + 1;
	$runs = $n + 1 if $runs <= $n;
	$runs = $least if $runs < $least;
	$check->{runs} = $runs <= $RUNS ? $runs : undef;
	return;
}

# ---- in words ----

sub _percent {
	my ($x) = @_;
	my $percent = abs 100 * $x;
	return ($percent < 10 ? sprintf '%.1f', $percent : $percent < 1000 ? sprintf '%.0f', $percent
		: _three_digits($percent)) . ' %';
}

# As nobody can read more: 543.565 is 544, 28333.7 is 28300.
sub _three_digits {
	my ($x) = @_;
	my $three = sprintf '%.3g', $x;
	return $three =~ /e\+0[0-5]\z/ ? sprintf '%.0f', $three : $three;
}

sub _size {
	my ($check, $x) = @_;
	return $check->{in_parts} ? _percent($x) : $check->{type} eq 'number' ? _three_digits(abs $x)
		: value_text($check->{type}, abs $x);
}
sub _signed { my ($check, $x) = @_; return ($x < 0 ? '-' : '+') . _size($check, $x) }
sub _more { my ($check, $x) = @_; return _size($check, $x) . ($x < 0 ? ' less' : ' more') }
sub value_text { my ($type, $value) = @_; return defined $value ? Zed::Units::alone($type, $value) : '-' }
sub change_text { my ($check, $x) = @_; return defined $x ? _signed($check, $x) : undef }

# The change that such runs find, where the limit is.
sub finds_text {
	my ($check) = @_;
	my ($finds, $sign) = ($check->{finds}, $check->{limit}{sign});
	return defined $finds ? $sign . _size($check, $finds) : undef;
}

sub sure_text { my ($level) = @_; return sprintf '%g %%', 100 * (1 - $level) }

# ANALYSIS, row, number.
sub name_of {
	my ($check) = @_;
	return join ' ', $check->{analysis}, $check->{key} eq $Zed::Gate::Run::ALL && !defined $check->{limit}{row} ? ()
		: $check->{key}, $check->{number};
}

# What the change is surely, of a check: above or below what, or between what.
sub surely {
	my ($check) = @_;
	return '-' if !defined $check->{low};
	my ($low, $high) = @$check{qw(low high)};
	return 'at least ' . _signed($check, $check->{by} < 0 ? $check->{surely_high} : $check->{surely_low})
		if $check->{verdict} eq $BEYOND;
	return $check->{limit}{sign} eq '+' ? 'at most ' . _signed($check, $high)
		: $check->{limit}{sign} eq '-' ? 'at least ' . _signed($check, $low)
		: _signed($check, $low) . ' to ' . _signed($check, $high) if $check->{verdict} eq $WITHIN;
	return _signed($check, $low) . ' to ' . _signed($check, $high);
}

# What was measured, the limit, how sure it is.
sub _sentence {
	my ($self, $check) = @_;
	my $limit = "the limit is $check->{limit}{change}";
	my $what = name_of($check) . ': ';
	return "$what$check->{why}; $limit" . (defined $check->{runs} ? ": $check->{runs} runs a side would do" : '')
		if !defined $check->{low};
	my ($first, $second) = map { value_text($check->{type}, $check->{$_}) } qw(a b);
	my ($runs, $pairs) = $check->{of_samples} ? ('one run each', '')
		: ("medians of $check->{n_a} and $check->{n_b} runs",
			' (the median of all ' . $check->{n_a} * $check->{n_b} . ' pairs of runs)');
	$what .= "$first in A, $second in B ($runs), " . _more($check, $check->{by}) . $pairs;
	# Two bounds, each of which is wrong that often.
	my $both = sure_text(2 * $self->{level}) . ' sure';
	my $sure = sure_text($self->{level}) . ' sure';
	return "$what; " . surely($check) . ' (' . ($check->{limit}{sign} eq '+-' ? $both : $sure) . "); $limit"
		if $check->{verdict} eq $WITHIN;
	my $all = @{$self->{checks}};
	my $alone = $check->{beyond_alone} ? "for this limit alone it is beyond; for all $all limits together " : '';
	return "$what, but it may be anything from " . surely($check) . " ($both); $limit: $alone" . would_do($check)
		if $check->{verdict} eq $UNKNOWN;
	$sure .= ", for all $all limits together" if $all > 1;
	my $least = _more($check, $check->{by} < 0 ? $check->{surely_high} : $check->{surely_low});
	return "$what; at least $least ($sure); $limit";
}

# What to do if it cannot be told.
sub would_do {
	my ($check) = @_;
	return "about $check->{runs} runs a side would decide" if defined $check->{runs};
	return "recordings about $check->{times} times as long would decide, or several runs a side"
		if defined $check->{times};
	return $check->{of_samples} ? 'the change is about the limit itself: no recording is long enough to decide'
		: "the change is about the limit itself: not even $RUNS runs a side would decide";
}

# The arguments that show the longest case of a check that is beyond, and in which file; an empty list: not known, or it
# is not about what is long.
sub closer {
	my ($check) = @_;
	return if $check->{by} < 0;
	my @values = map { [$_, values_of(@$check{qw(key number)}, $_)] } @{$check->{second}};
	my ($worst) = sort { $b->[1] <=> $a->[1] } grep { @$_ > 1 } @values;
	return if !$worst;
	my @arguments = Zed::Gate::Run::closer($worst->[0], @$check{qw(key number)});
	return @arguments ? (@arguments, $worst->[0]{path}) : ();
}

# ---- pictures ----

# Of all changes: how large, between which bounds, what is allowed. As parts of the value in A.
sub whiskers {
	my (@checks) = @_;
	my @rows = map {
		my $check = $_;
		my $whole = $check->{in_parts} ? 1 : abs($check->{a} // 0);
		my $sign = $check->{limit}{sign};
		!defined $check->{low} || !$whole ? () : {
			name => name_of($check), verdict => $check->{verdict},
			(map { ($_ => $check->{$_} / $whole) } qw(by low high)),
			$sign =~ /\+/ ? (most => $check->{allowed} / $whole) : (),
			$sign =~ /-/ ? (least => -$check->{allowed} / $whole) : (),
		};
	} @checks;
	return if !@rows;
	return { kind => 'whiskers', name => 'changes', title => 'what changed from A to B, and what is allowed',
		rows => \@rows };
}

# CODE is called with (NAME, TITLE, values) for each side of the first checks that have samples.
sub each_distribution {
	my ($code, @checks) = @_;
	my %done;
	my $n = 0;
	for my $check (grep { !$done{"$_->{analysis} $_->{key}"}++ } @checks) {
		for (['A', $check->{first}], ['B', $check->{second}]) {
			my ($side, $runs) = @$_;
			my @values = map { $_->[1] } map { Zed::Gate::Run::samples($_, $check->{key}) } @$runs;
			$code->(lc($side) . "-$n", "$side: $check->{analysis} $check->{key}", @values) if @values;
		}
		last if ++$n >= $DRAWN;
	}
	return;
}

1;

__END__

=head1 NAME

Zed::Gate - did a number change by more than is allowed, and can these runs tell

=head1 SYNOPSIS

    use Zed::Gate;

    my $gate = Zed::Gate->new(level => 0.05, seed => 1);
    $gate->add({ analysis => 'irq', limits => [Zed::Gate::Limit::change('p99: +10%')] }, \@first, \@second);
    print "$_->{verdict}: $_->{sentence}\n" for $gate->judge;
    exit Zed::Gate::status($gate->checks);

=head1 DESCRIPTION

B<zedperl compare> with limits, and B<zedperl assert>. Its parts are in F<Zed/Gate>: C<Limit>, limits as they are
written, with what is wrong in one; C<Run>, the answer of an analysis for one trace; C<Baseline>, such answers in a
file; C<Written>, the verdicts as JUnit XML and as Markdown.

A limit is judged by the bounds between which the change lies (Zed::Contrast), not by the change alone. It is B<beyond>
if the bound nearest to the limit is beyond it, at a level that is divided by the number of all limits: so the
probability that any of them is said to be exceeded without cause is at most the level. It is B<within> if the other
bound is within it, at the level of one. If neither is true, these runs B<cannot tell>.

=head1 METHODS

=over

=item Zed::Gate->new(level => PROBABILITY, seed => N)

=item $gate->add(OF, [RUN, ...], [RUN, ...])

The limits of OF (C<analysis>, C<limits>) are to be judged for the runs of both sides. A limit without a row is about
all cases together, one with a pattern about each row that fits (the 100 with the most cases). Dies with a message, with
a caret, if the analysis has no such number.

=item $gate->judge

Judges all of them. Returns what C<checks> returns.

=item $gate->checks

References to hashes: C<analysis>, C<key> (the row), C<number>, C<limit>; C<a> and C<b>, the values, medians if there
are several runs (C<n_a>, C<n_b>); C<by>, C<low>, C<high>, the change and its bounds, C<in_parts> or as a difference;
C<verdict>: C<within>, C<beyond> or C<cannot tell>; C<beyond_alone>, whether one that cannot be told would be beyond if
it were the only limit; C<sentence>; C<finds>, the change that such runs would find four
times in five; C<runs> a side that would decide, or C<times> as long recordings.

=item $gate->left_out

How many rows of patterns are not checked.

=item Zed::Gate::status(CHECK, ...)

The exit status: 3 if one is beyond its limit, else 4 if one cannot be told, or there is none, else 0.

=item Zed::Gate::name_of(CHECK), surely(CHECK), would_do(CHECK), finds_text(CHECK), change_text(CHECK, CHANGE),
value_text(TYPE, VALUE), sure_text(LEVEL)

Texts.

=item Zed::Gate::values_of(ROW, NUMBER, RUN, ...)

The number of that row in each run that has it.

=item Zed::Gate::closer(CHECK)

The arguments of zedprint that show the longest case of it, and the trace.

=item Zed::Gate::whiskers(CHECK, ...), Zed::Gate::each_distribution(CODE, CHECK, ...)

For pages: a picture of all changes; calls CODE with a name, a title and the values of each side.

=back

=head1 SEE ALSO

compare and assert of zedperl-scripts(7), Zed::Contrast

=head1 LICENCE

GPL-2.0-or-later

=cut
