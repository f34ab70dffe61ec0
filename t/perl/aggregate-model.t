# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random aggregations beside a model in plain Perl, in one run over each real recording: handlers of Zed::on
# that keep their own hashes, lists and sums. Without it an aggregation answers something else than the
# same question put to every event.  SEED=N: other aggregations.
# of: analysis/aggregate interp/tables interp/api
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Files qw(spew);
use Pass;
use Run::Zedperl;

Compare::RealData::need_program('zedperl');

# First pass: a value of each field of each type.
my $look = <<'SCRIPT';
use JSON::PP;
my %types;
sub trace_unhandled {
	my $t = $types{$_[0]} //= {};
	my %f = Zed::fields();
	$t->{$_} = [$f{$_}, $t->{$_} ? @{$t->{$_}}[0 .. 2] : ()] for keys %f;
}
sub trace_end { print JSON::PP->new->canonical->latin1->encode(\%types) }
SCRIPT

# Second pass: what is asked, and the model.
my $run = <<'SCRIPT';
use strict;
use warnings;
use JSON::PP;
use Math::BigInt;
use POSIX 'ceil';
my ($path, $seed, $rounds) = split ' ', $ENV{MODEL};
open my $fh, '<', $path or die;
my $types = JSON::PP->new->latin1->decode(do { local $/; <$fh> });
srand $seed;
sub any { return $_[rand @_] }
my @pairs;
my @kinds = qw(count sum min max avg stats hist lhist quantiles top);
my $whole = qr/^-?\d+$/;

# Expressions for by: [text, arguments, code over their values].
sub part {
	my ($ints, $texts) = @_;
	my $f = any(@$ints, 'cpu');
	return any(
		(map { my $t = $_; [$t, [$t], sub { $_[0] }] } @$texts ? any(@$texts) : (), $f, 'cpu', 'pid', 'comm', 'instance', 'common_pid'),
		['event', ['event'], sub { $_[0] =~ s/::/:/r }],
		['ts/10ms', ['ts'], sub { int($_[0] / 10_000_000) }],
		["log2($f)", [$f], sub { defined $_[0] ? $_[0] > 0 ? length(sprintf '%b', $_[0]) - 1 : -1 : undef }],
		["$f & 7", [$f], sub { defined $_[0] ? $_[0] & 7 : undef }]);
}

# The limits of a power of two.
sub power {
	my ($v) = @_;
	return '0 0' if !$v;
	my $n = length(sprintf '%b', $v < 0 ? -$v : $v) - 1;
	my ($low, $high) = (1 << $n, (1 << $n) + ((1 << $n) - 1));
	return $v < 0 ? "-$high -$low" : "$low $high";
}

my (%tried, $refused);
my @names = sort keys %$types;
my %stable = ('sched:switch' => ['sched::sched_switch', [qw(prev_pid next_pid)], [qw(prev_comm next_comm prev_state)]],
	'sched:wakeup' => ['sched::sched_wakeup', [qw(pid target_cpu)], ['comm']]);
for my $round (1 .. $rounds) {
	my $name = any(@names);
	my $t = $types->{$name};
	# A field whose values are all whole numbers may still be a text; then it is refused as a value.
	my @ints = grep { my $f = $_; !/^common_/ && !grep { !defined || ref || !/$whole/ } @{$t->{$f}} } sort keys %$t;
	my @texts = grep { my $f = $_; !grep { !defined || ref || /$whole/ } @{$t->{$f}} } sort keys %$t;
	my ($event) = any($name, $name =~ s/::/:/r, $name, ($name =~ /(\w+)::/)[0] . ':*');
	if (rand() < 0.15) {
		my $s = any(sort keys %stable);
		($event, @ints) = ($s, @{$stable{$s}[1]}) and @texts = @{$stable{$s}[2]} if $types->{$stable{$s}[0]};
	}
	next if !@ints;
	my $kind = any(@kinds);
	my $value = any(@ints, @ints, 'cpu');
	my @by = map { part(\@ints, \@texts) } 1 .. int rand 4;
	my ($field, $limit) = (any(@ints), any(map { $_ // () } map { @{$t->{$_} // []} } @ints) // 0);
	$limit = 0 if $limit !~ /$whole/;
	my $where = rand() < 0.5;
	my @own = $kind eq 'lhist' ? (from => -10, to => 190, step => 20) : $kind eq 'top' ? (limit => 3, fields => [$field])
		: $kind eq 'quantiles' ? (quantiles => [0, 25, 50, 99.9, 100]) : ();
	my @options = (@own, @by ? (by => [map { $_->[0] } @by]) : (), $where ? (where => "$field >= $limit") : ());
	my $sub = Zed->can($kind);
	my $agg = eval { $sub->($event, $kind eq 'count' ? () : $value, @options) };
	if (!$agg) {
		die $@ if $@ !~ /is (?:no|not a) number|is a string|are arrays|is an array|is an? (?:array|structure|floating)|never negative|does not fit/;
		$refused++;
		next;
	}
	my %model;
	my @args = ($value, $field, 'ts', 'sequence', 'cpu', map { @{$_->[1]} } @by);
	# A filter knows no pid but a field: of several types, those that lack it do not pass.
	my $several = $event =~ /\*/;
	Zed::on($event, args => \@args, $where && $several ? (where => "$field >= $limit") : (), sub {
		my ($v, $f, $ts, $seq, $cpu, @rest) = @_;
		return if $where && !$several && !(defined $f && $f >= $limit);
		return if $kind ne 'count' && !defined $v;
		my @key = map { $_->[2]->(splice @rest, 0, scalar @{$_->[1]}) } @by;
		my $m = $model{join '|', map { defined ? unpack 'H*', "$_" : 'u' } @key} //= { key => \@key, v => [] };
		push @{$m->{v}}, [$v, $ts, $cpu, $seq, $f];
	});
	push @pairs, [$agg, $kind, \%model, "Zed::$kind('$event', " . ($kind eq 'count' ? '' : "'$value', ") . join(', ', map { ref ? "[@$_]" : $_ } @options) . ')'];
	$tried{$kind}++;
}

sub near { my ($got, $want, $by) = @_; return abs($got - $want) <= abs($want) * ($by // 1e-9) + 1e-6 }

# What is wrong with one answer, or nothing.
sub wrong {
	my ($kind, $got, $values) = @_;
	my @v = map { $_->[0] } @$values;
	my $n = @v;
	return $got == $n ? '' : "count $got, not $n" if $kind eq 'count';
	my @sorted = sort { $a <=> $b } @v;
	if ($kind =~ /^(?:sum|avg|stats)$/) {
		my $sum = Math::BigInt->new(0);
		$sum += Math::BigInt->new($_) for @v;
		return "$got" eq "$sum" || near($got, $sum->numify) ? '' : "sum $got, not $sum" if $kind eq 'sum';
		my $mean = $sum->numify / $n;
		return near($got, $mean) ? '' : "avg $got, not $mean" if $kind eq 'avg';
		my $squares = 0;
		$squares += ($_ - $mean) ** 2 for @v;
		my $dev = sqrt($squares / $n);
		return "count $got->{count}" if $got->{count} != $n;
		return "extremes $got->{min} $got->{max}" if $got->{min} ne $sorted[0] || $got->{max} ne $sorted[-1];
		return "sum $got->{sum}, not $sum" if !near($got->{sum}, $sum->numify);
		return near($got->{mean}, $mean) && abs($got->{stddev} - $dev) <= 1e-6 * ($dev + abs($mean) * 1e-6) + 1e-6 ? '' : "stddev $got->{stddev}, not $dev";
	}
	return $got eq $sorted[0] ? '' : "min $got, not $sorted[0]" if $kind eq 'min';
	return $got eq $sorted[-1] ? '' : "max $got, not $sorted[-1]" if $kind eq 'max';
	if ($kind eq 'top') {
		my @want = map { "$_->[0] $_->[1] $_->[2] $_->[3] " . ($_->[4] // 'undef') } (sort { $b->[0] <=> $a->[0] } @$values)[0 .. ($n < 3 ? $n : 3) - 1];
		my @got = map { my $r = $_; "$r->{value} $r->{ts} $r->{cpu} $r->{sequence} " . ($r->{(grep { !/^(?:value|ts|cpu|sequence|comm|source)$/ } keys %$r)[0] // ''} // 'undef') } @{$got->{records}};
		# A chosen field may be the value, or called as a column.
		return "@{[map { s/ \S+$//r } @got]}" eq "@{[map { s/ \S+$//r } @want]}" && $got->{count} == $n ? '' : "top @got, not @want";
	}
	return "count $got->{count}" if $got->{count} != $n;
	return "extremes $got->{min} $got->{max}" if $got->{min} ne $sorted[0] || $got->{max} ne $sorted[-1];
	if ($kind eq 'quantiles') {
		for my $p (0, 25, 50, 99.9, 100) {
			my $rank = ceil($p * $n / 100);
			my $want = $sorted[$rank ? $rank - 1 : 0];
			return "p$p $got->{qq{p$p}}, not $want" if !near($got->{"p$p"}, $want, 0.01);
		}
		return '';
	}
	my %want;
	$want{$kind eq 'hist' ? power($_) : $_ < -10 ? 'u -11' : $_ >= 190 ? '190 u' : do { my $low = -10 + 20 * int(($_ + 10) / 20); "$low " . ($low + 19) }}++ for @v;
	my %has = map { (join ' ', map { $_ // 'u' } @$_[0, 1]) => $_->[2] } @{$got->{buckets}};
	my $h = join ',', map { "$_=$has{$_}" } sort keys %has;
	my $w = join ',', map { "$_=$want{$_}" } sort keys %want;
	return $h eq $w ? '' : "buckets $h, not $w";
}

# An answer as one text, whatever the order of hashes.
my $json = JSON::PP->new->canonical->latin1->allow_nonref;

sub trace_end {
	my ($bad, $keys, $events) = (0, 0, 0);
	for (@pairs) {
		my ($agg, $kind, $model, $text) = @$_;
		my @wrong;
		my @keys = map { [ref() ? @$_ : $_] } $agg->keys;
		@keys = map { [] } 1 .. (keys %$model > 0) if !@{$agg->{by}};
		push @wrong, @keys . ' keys, not ' . keys %$model if @keys != keys %$model;
		my @all;
		for my $m (map { $model->{$_} } sort keys %$model) {
			my $got = $agg->get(@{$m->{key}});
			push @wrong, 'no key ' . join '|', map { $_ // 'undef' } @{$m->{key}} if !defined $got;
			push @all, @{$m->{v}};
			my $w = defined $got ? wrong($kind, $got, $m->{v}) : '';
			push @wrong, join('|', map { $_ // 'undef' } @{$m->{key}}) . ": $w" if $w;
			$keys++;
			$events += @{$m->{v}};
		}
		# Ties of top over several keys are those of the first in time, as the list has no order here.
		@all = sort { $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] || $a->[3] <=> $b->[3] } @all;
		push @wrong, 'total: ' . wrong($kind, $agg->total, \@all) if @all && wrong($kind, $agg->total, \@all);
		# Two states make twice as many; of a state by way of JSON as well.
		my $state = $json->decode($json->encode($agg->state));
		my $before = $json->encode([$agg->rows]);
		$agg->clear;
		push @wrong, 'not empty after clear' if $agg->rows;
		$agg->merge($state);
		my $after = $json->encode([$agg->rows]);
		push @wrong, "by way of a state $after, not $before" if $after ne $before;
		$agg->merge($agg->state);
		push @wrong, 'twice: ' . wrong($kind, $agg->total, [map { ($_, $_) } @all]) if @all && wrong($kind, $agg->total, [map { ($_, $_) } @all]);
		print "WRONG $text: $_\n" for @wrong;
	}
	print "pairs ", scalar @pairs, " refused ", $refused // 0, " keys $keys events $events\n";
	print "kind $_ $tried{$_}\n" for sort keys %tried;
}
SCRIPT

my $own = Compare::RealData::own();
my (%tried, $keys, $compared);
my $seed = $ENV{SEED} // 1;
my @of = ((map { m{([^/]+)\.dat\z} ? [$1, $_] : () } grep { !m{/(?:empty|latency_v[67]|mostly_empty)\.dat\z} } Compare::RealData::recordings($own)),
	['ltt of 2003', "$own/ltt-g1"], map { ["large: $_->[0]", @$_[1 .. $#$_]] } Compare::RealData::large());
SKIP: { skip small('large recordings are for make check', undef) // Compare::RealData::no_shared(), 1 if small(1, 0) || Compare::RealData::no_shared(); pass('large recordings are here') }
for my $of (@of[small([grep { $of[$_][0] =~ /^(?:block|lost|be_lost|i386_zstd|small_v6)$/ } 0 .. $#of], [0 .. $#of])->@*]) {
	my ($name, @args) = @$of;
	my $types = spew(temp_path(), zedperl(@args, \$look)->{out});
	local $ENV{MODEL} = join ' ', $types, $seed++, small(60, 30);
	my $r = zedperl(@args, \$run);
	my @wrong = grep { /^WRONG/ } lines($r->{out});
	my ($pairs, $k, $events) = $r->{out} =~ /^pairs (\d+) refused \d+ keys (\d+) events (\d+)$/m;
	ok(!@wrong && defined $pairs && $r->{status} == 0, "$name: every answer is the model's") or diag join "\n", @wrong[0 .. ($#wrong < 5 ? $#wrong : 5)], $r->{err};
	$tried{$1} += $2 while $r->{out} =~ /^kind (\w+) (\d+)$/mg;
	$keys += $k // 0;
	$compared += $events // 0;
}
my $times = small(5, 20);
cmp_ok(scalar(grep { $_ >= $times } values %tried), '==', 10, "each kind was tried $times times") or diag join ' ', %tried;
cmp_ok($keys, '>', small(300, 1000), "$keys keys of $compared events were compared (else: nothing was)");
done_testing();
