# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random formulas over fields of every size and sign, all operators in all depths, against plain Perl with
# numbers of any length, which wraps and chooses signs as the manual says. Without it a sign, a shift or a
# division that is wrong gives a user a number that looks like a right one.
# of: expr
use strict;
use warnings;
use Test::More;
use Math::BigInt;
use lib 't/lib';
use Compare::RealData;
use Compare::SynthModel qw(read_events);
use Run::Zedperl;

Compare::RealData::need_program('zedprint');
my $TOP = Math::BigInt->new(2)->bpow(64);
my $HALF = Math::BigInt->new(2)->bpow(63);

# A value: [number, is it signed], the number within the range of its kind.
sub wrap {
	my ($n, $signed) = @_;
	my $v = Math::BigInt->new("$n")->bmod($TOP);
	$v->bsub($TOP) if $signed && $v >= $HALF;
	return [$v, $signed];
}
sub bits { my ($x) = @_; return $x->[0] < 0 ? $x->[0] + $TOP : $x->[0]->copy }
sub truth { return [Math::BigInt->new($_[0] ? 1 : 0), 1] }

# To zero, as C divides: Math::BigInt's bdiv() goes down.
sub quotient {
	my ($a, $b) = @_;
	my $q = Math::BigInt->new("$a")->babs->bdiv(Math::BigInt->new("$b")->babs);
	return ($a < 0) != ($b < 0) ? -$q : $q;
}

sub divided {
	my ($a, $b, $rest) = @_;
	my $signed = $a->[1] && $b->[1];
	return wrap(0, $signed) if $b->[0] == 0;
	my ($x, $y) = $signed ? ($a->[0], $b->[0]) : (bits($a), bits($b));
	my $q = quotient($x, $y);
	return wrap($rest ? $x - $q * $y : $q, $signed);
}

sub shifted {
	my ($a, $b, $left) = @_;
	my $by = bits($b);
	my $minus = $a->[0] < 0;
	return wrap(!$left && $minus ? -1 : 0, $a->[1]) if $by > 63;
	my $power = Math::BigInt->new(2)->bpow($by);
	return wrap(bits($a) * $power, $a->[1]) if $left;
	# down, of negative numbers as well
	my $q = quotient($a->[0], $power);
	$q-- if $minus && $q * $power != $a->[0];
	return wrap($q, $a->[1]);
}

my %two = (
	'*' => sub { wrap($_[0][0] * $_[1][0], $_[0][1] && $_[1][1]) }, '+' => sub { wrap($_[0][0] + $_[1][0], $_[0][1] && $_[1][1]) },
	'-' => sub { wrap($_[0][0] - $_[1][0], $_[0][1] && $_[1][1]) },
	'/' => sub { divided(@_, 0) }, '%' => sub { divided(@_, 1) }, '<<' => sub { shifted(@_, 1) }, '>>' => sub { shifted(@_, 0) },
	'&' => sub { wrap(bits($_[0])->band(bits($_[1])), $_[0][1] && $_[1][1]) }, '|' => sub { wrap(bits($_[0])->bior(bits($_[1])), $_[0][1] && $_[1][1]) },
	'^' => sub { wrap(bits($_[0])->bxor(bits($_[1])), $_[0][1] && $_[1][1]) },
	'<' => sub { truth($_[0][0] < $_[1][0]) }, '<=' => sub { truth($_[0][0] <= $_[1][0]) }, '>' => sub { truth($_[0][0] > $_[1][0]) },
	'>=' => sub { truth($_[0][0] >= $_[1][0]) }, '==' => sub { truth($_[0][0] == $_[1][0]) }, '!=' => sub { truth($_[0][0] != $_[1][0]) },
	'&&' => sub { truth($_[0][0] != 0 && $_[1][0] != 0) }, '||' => sub { truth($_[0][0] != 0 || $_[1][0] != 0) },
);
my %level = ('*' => 10, '/' => 10, '%' => 10, '+' => 9, '-' => 9, '<<' => 8, '>>' => 8, '<' => 7, '<=' => 7, '>' => 7, '>=' => 7,
	'==' => 6, '!=' => 6, '&' => 5, '^' => 4, '|' => 3, '&&' => 2, '||' => 1);
my %one = (
	'-' => sub { wrap(-$_[0][0], $_[0][1]) }, '~' => sub { wrap(-$_[0][0] - 1, $_[0][1]) }, '!' => sub { truth($_[0][0] == 0) },
	log2 => sub { my $v = $_[0][0]; my $n = -1; while ($v > 0) { $v = quotient($v, 2); $n++ } [Math::BigInt->new($n), 1] },
);
# What ! negates ends before && and ||, as in the kernel's filters.
my $not = 2.5;
my %word = ('&&' => 'and', '||' => 'or', '!' => 'not ');

# Fields: [name, bytes, signed, offset].
my @fields = (['u8', 1, 0, 8], ['s8', 1, 1, 9], ['u16', 2, 0, 10], ['s16', 2, 1, 12], ['u32', 4, 0, 16], ['s32', 4, 1, 20], ['u64', 8, 0, 24], ['s64', 8, 1, 32]);
my @consts = (0, 1, 2, 7, 63, 64, 65, 200, '0x7fffffffffffffff', '0xffffffffffffffff', '9223372036854775808', '017', '10us', '1.5ms');
my %const = map { $_ => /^0x/ ? Math::BigInt->from_hex($_) : $_ eq '017' ? Math::BigInt->new(15) : $_ eq '10us' ? Math::BigInt->new(10_000)
	: $_ eq '1.5ms' ? Math::BigInt->new(1_500_000) : Math::BigInt->new($_) } @consts;
my (%used, $against);

# A field against a constant is what the kernel makes of it: hex and octal are patterns of bits of the field's
# size. The constant's number; undef: it is refused.
sub against {
	my ($f, $c) = @_;
	my (undef, $bytes, $signed) = @$f;
	my ($text, $minus) = @$c;
	my $n = $const{$text};
	my $all = Math::BigInt->new(2)->bpow(8 * $bytes);
	my $bits = $text =~ /^0[x\d]/;
	return if !$signed && $minus && $n != 0;
	return if $signed && ($minus ? $n > $HALF : !$bits && $n >= $HALF);
	return -$n if $minus;
	return $signed && $bits && $n >= $all / 2 && $n < $all ? $n - $all : $n;
}

# A formula: [text, level, sub of {start => {...}, end => {...}}, its field, or [its constant, has it a minus]].
sub formula {
	my ($deep) = @_;
	if (!$deep || rand() < .15) {
		if (rand() < .25) {
			my $c = $consts[rand @consts];
			return [$c, 12, sub { [$const{$c}, $const{$c} < $HALF] }, undef, [$c, 0]];
		}
		my ($side, $f) = ((qw(start end))[rand 2], $fields[rand @fields]);
		# What has fewer than 8 bytes fits into a signed number.
		return ["$side.$f->[0]", 12, sub { [$_[0]{$side}{$f->[0]}, $f->[2] || $f->[1] < 8] }, $f];
	}
	if (rand() < .25) {
		my $op = (sort keys %one)[rand keys %one];
		my $x = formula($deep - 1);
		$used{"$op."}++;
		my $own = $op eq '!' ? $not : 12;
		my $text = $op eq 'log2' ? "log2($x->[0])" : ($op eq '!' && rand() < .5 ? $word{$op} : $op) . ($x->[1] < $own ? "($x->[0])" : " $x->[0]");
		return [$text, $op eq 'log2' ? 12 : $op eq '!' ? $not : 11, sub { $one{$op}->($x->[2]->($_[0])) }, undef,
			$op eq '-' && $x->[4] && !$x->[4][1] ? [$x->[4][0], 1] : undef];
	}
	my $op = (sort keys %two)[rand keys %two];
	my ($x, $y) = (formula($deep - 1), formula($deep - 1));
	# Refused: it would be 0 for every event.
	$y = ['7', 12, sub { [$const{7}, 1] }] if $op =~ m{[/%]} && $y->[0] eq '0';
	my ($f, $c) = $x->[3] ? ($x->[3], $y->[4]) : ($y->[3], $x->[4]);
	my $n = $op =~ /^(?:[<>]=?|[=!]=)$/ && $f && $c ? against($f, $c) : 0;
	return formula($deep) if !defined $n;
	my $constant = $op =~ /^(?:[<>]=?|[=!]=)$/ && $f && $c ? sub { [$n, 1] } : undef;
	my ($left_of, $right_of) = ($constant && $x->[4] ? $constant : $x->[2], $constant && $y->[4] ? $constant : $y->[2]);
	$against++ if $constant;
	$used{$op}++;
	# Parentheses only where they are needed: so precedence is tried as well.
	my $left = $x->[1] < $level{$op} ? "($x->[0])" : $x->[0];
	my $right = $y->[1] <= $level{$op} ? "($y->[0])" : $y->[0];
	my $sign = $word{$op} && rand() < .5 ? $word{$op} : $op;
	return ["$left $sign $right", $level{$op}, sub { $two{$op}->($left_of->($_[0]), $right_of->($_[0])) }];
}

# A number of a field, of the edges of its range mostly.
sub number {
	my ($f) = @_;
	my (undef, $bytes, $signed) = @$f;
	my $all = Math::BigInt->new(2)->bpow(8 * $bytes);
	my $v = rand() < .4 ? Math::BigInt->new((0, 1, 2, 3, 63, 64, 65, 127)[rand 8]) : rand() < .5 ? ($all / 2) + int(rand 5) - 2
		: rand() < .5 ? $all - 1 - int rand 3 : Math::BigInt->new(int rand 1 << 30) * int(rand 1 << 30) * int(rand 1 << 10);
	$v = $v->bmod($all);
	$v -= $all if $signed && $v >= $all / 2;
	return $v;
}

# The bytes of a record behind its common fields, little endian.
sub record {
	my ($values) = @_;
	my $bytes = "\0" x 32;
	for my $f (@fields) {
		my $v = $values->{$f->[0]}->copy;
		$v += Math::BigInt->new(2)->bpow(8 * $f->[1]) if $v < 0;
		for my $i (0 .. $f->[1] - 1) {
			substr($bytes, $f->[3] - 8 + $i, 1) = chr($v->copy->bmod(256)->numify);
			$v = quotient($v, 256);
		}
	}
	return $bytes;
}

my $types = join '', map { my ($name, $bytes, $signed, $off) = @$_; field_text(($signed ? 's' : 'u') . 8 * $bytes . " $name", $off, $bytes, $signed) } @fields;
my $seed = $ENV{SEED} // $ENV{ZED_SEED} // 5;
srand $seed;
my ($rounds, $pairs, $each, $compared, @wrong) = (12, 8, 30, 0);
for my $round (1 .. $rounds) {
	my @values = map { { start => { map { $_->[0] => number($_) } @fields }, end => { map { $_->[0] => number($_) } @fields } } } 1 .. $pairs;
	my $ts = 0;
	my $dat = trace(types => { 'm::a' => $types, 'm::b' => $types },
		events => [map { my $v = $_; ([0, $ts += 1000, 'm::a', record($v->{start})], [0, $ts += 1000, 'm::b', record($v->{end})]) } @values]);
	my @formulas = map { formula(1 + int rand 4) } 1 .. $each;
	my $run = Compare::RealData::run('zedprint', '-f', 'json', '--event', 'x:y', '--synthetic',
		'x:y start=m:a end=m:b ' . join(' ', map { "f$_=\"$formulas[$_][0]\"" } 0 .. $#formulas), $dat);
	my ($events) = read_events(Compare::RealData::slurp($run->{out}));
	is(scalar @$events, $pairs, "round $round: every pair made an event") or diag $run->{err};
	for my $i (0 .. $#$events) {
		for my $k (0 .. $#formulas) {
			my $want = $formulas[$k][2]->($values[$i]);
			my $got = $events->[$i]{f}{"f$k"};
			$compared++;
			push @wrong, "$formulas[$k][0] gives $got, not $want->[0]: " . join ' ', map { my $s = $_; map { "$s.$_=$values[$i]{$s}{$_}" } grep { $formulas[$k][0] =~ /\b$s\.$_\b/ } sort keys %{$values[$i]{$s}} } qw(start end)
				if !defined $got || "$got" ne "$want->[0]";
		}
	}
}
is(scalar @wrong, 0, "$compared results are those of plain Perl (seed $seed)") or diag join "\n", @wrong[0 .. ($#wrong < 5 ? $#wrong : 5)];
is(join(' ', grep { ($used{$_} // 0) < 10 } (map { "$_." } sort keys %one), sort keys %two), '', 'every operator was tried ten times at least');

cmp_ok($against, '>', 20, "$against comparisons of a field with a constant, by the kernel's rules");

# ---- what chance may miss
my @edges = (
	['s64 / u16', 's64 u16', 0], ['s64 % u16', 's64 u16', 0], ['u64 / s16', 'u64 s16', 0], ['s64 / -1', 's64', '-9223372036854775808'], ['s64 % -1', 's64', 0],
	['1 << 64', '', 0], ['1 << 63', '', '-9223372036854775808'], ['1 << -1', '', 0], ['s64 >> 64', 's64', -1], ['s64 >> 63', 's64', -1], ['u64 >> 64', 'u64', 0],
	['u64 >> 63', 'u64', 1], ['s64 < u64', '', 1], ['s8 + u64', '', '18446744073709551614'], ['u8 - 256', '', -1], ['-u64', '', 1], ['!u64 == 1', '', 1], ['!(u64) + 1', '', 1], ['s8 == 0xff', '', 1], ['0xff == s8', '', 1], ['s8 == 255', '', 0],
	['u8 < 256', '', 1], ['start.s8 == 0xff', '', 1], ['start.u8 == 255', '', 1], ['s64 - 1', '', '9223372036854775807'],
);
my %edge = (s64 => -$HALF, u64 => $TOP - 1, s8 => Math::BigInt->new(-1), u8 => Math::BigInt->new(255), map { $_ => Math::BigInt->new(0) } qw(u16 s16 u32 s32));
my $dat = trace(types => { 'm::a' => $types, 'm::b' => $types }, events => [[0, 1000, 'm::a', record(\%edge)], [0, 2000, 'm::b', record(\%edge)]]);
my $n = 0;
my $run = Compare::RealData::run('zedprint', '-f', 'json', '--event', 'x:y', '--synthetic', 'x:y start=m:a end=m:b '
	. join(' ', map { 'f' . $n++ . '="' . $_->[0] =~ s/(?<!\.)\b([us]\d+)\b/end.$1/gr . '"' } @edges), $dat);
my ($events) = read_events(Compare::RealData::slurp($run->{out}));
is(join("\n", map { "$edges[$_][0] = " . ($events->[0]{f}{"f$_"} // '?') } 0 .. $#edges), join("\n", map { "$_->[0] = $_->[2]" } @edges), 'divisions by 0, shifts by 64 and more, what overflows')
	or diag $run->{err};
done_testing();
