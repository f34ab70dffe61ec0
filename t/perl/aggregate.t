# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::count and its kind on made traces: what is refused and how that is said, tables and histograms as they
# are printed, keys of every kind, bounds, losses, states, and answers while the run goes on.
# of: analysis/aggregate interp/tables interp/api
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Run::Zedperl;

# Ten events, n 1 to 10 on two CPUs in turn, 1 ms apart.
my $dat = trace(events => [map { [$_ % 2, 1_000_000 * $_, 'mini::tick', pack 'l a8', $_, $_ % 3 ? 'odd' : "x\n\e[2J"] } 1 .. 10], cmdlines => "77 mini\n");
my $kinds = trace(types => {
	'all::kinds' => field_text('u64 big', 8, 8) . field_text('s64 neg', 16, 8, 1) . field_text('u8 small', 24, 1)
		. field_text('__data_loc char[] text', 28, 4) . field_text('cpumask_t mask', 32, 8) . field_text('u16 list[4]', 40, 8),
}, events => [map { [0, 1000 * $_, 'all::kinds', pack 'Q q C x3 S S Q S4 a4', ~0 - $_ % 2, -$_, $_ % 2, 48, 3, 5, 1 .. 4, "a\0b"] } 1 .. 4]);

{	# Without it: a script whose question makes no sense runs on, and answers something else.
	my %bad = (
		q{Zed::count()} => qr/usage: Zed::count\(EVENT/,
		q{Zed::sum('mini:tick')} => qr/usage: Zed::sum\(EVENT, FIELD/,
		q{Zed::sum('mini:tick', 'm')} => qr/Zed::sum: column 1: mini:tick has no field 'm'; did you mean 'n'\? at \S+ line 1\./,
		q{Zed::sum('mini:tick', 'who')} => qr/Zed::sum: 'who' of mini:tick is not a number: only numbers can be summed/,
		q{Zed::count('mini:tick', by => 'whom')} => qr/Zed::count: by: column 1: mini:tick has no field 'whom'; did you mean 'who'\?/,
		q{Zed::count('mini:tick', by => 'n +')} => qr/Zed::count: by: column/,
		q{Zed::count('mini:tick', by => 'ts/0ms')} => qr/Zed::count: by: column 4: division by the constant 0/,
		q{Zed::count('mini:tick', by => {})} => qr/by is a field, or a reference to an array/,
		q{Zed::count('mini:tick', where => 'm == 1')} => qr/Zed::count: column 1: mini:tick has no field 'm'/,
		q{Zed::count('mini:tick', were => 'n == 1')} => qr/Zed::count: unknown option 'were'/,
		q{Zed::count('mini:tick', limit => 1)} => qr/unknown option 'limit'/,
		q{Zed::count('mini:tick', max_keys => 0)} => qr/max_keys is a whole number from 1 to/,
		q{Zed::count('mini tick')} => qr/Zed::count: invalid event 'mini tick'/,
		q{Zed::count('mini:tick', by => [('n') x 9])} => qr/at most 8 parts in a key/,
		q{Zed::lhist('mini:tick', 'n', from => 0, to => 10)} => qr/usage: Zed::lhist/,
		q{Zed::lhist('mini:tick', 'n', from => 0, to => 10, step => 3)} => qr/whole steps of/,
		q{Zed::lhist('mini:tick', 'n', from => 9, to => 0, step => 3)} => qr/whole steps of/,
		q{Zed::top('mini:tick', 'n', limit => 1e9)} => qr/limit is a whole number from 1 to 10000/,
		q{Zed::quantiles('mini:tick', 'n', quantiles => [101])} => qr/quantiles are percents/,
		q{Zed::count('mini:tick', by => 'n')->get} => qr/a key of this aggregation has 1 part: by => \[n\]/,
		q{Zed::count('mini:tick')->print(too => 1)} => qr/unknown option 'too'/,
		q{Zed::count('mini:tick')->merge(Zed::sum('mini:tick', 'n'))} => qr/differ in kind: 'count' here, 'sum' there at \S+ line 1/,
		q{Zed::count('mini:tick')->merge({ version => 2, rows => [] })} => qr/the state is of version 2; this zedperl reads version 1/,
		(map { ("Zed::count('mini:tick')->merge({ %{Zed::count('mini:tick')->state}, lost => $_ })" => qr/lost of the state is not a number of events/,
			"Zed::count('mini:tick')->merge({ %{Zed::count('mini:tick')->state}, lost_unknown => $_ })" => qr/lost_unknown of the state is not a number of events/) }
			-1, '"x"', 1e300, '[]'),
		q{Zed::count('mini:tick')->merge({ %{Zed::count('mini:tick')->state}, rows => [[[], 1], [[], 'x']] })} => qr/row 1 of the state is invalid/,
		q{Zed::Aggregate::rows(bless {}, 'Zed::Aggregate')} => qr/this is not an aggregation/,
	);
	for my $code (sort keys %bad) {
		my $r = zedperl($dat, \"my \$x = $code; print 'ran'");
		like($r->{err}, $bad{$code}, "$code is refused");
		is("$r->{status} $r->{out}", '255 ', '... and nothing runs');
	}
	my $r = zedperl($kinds, \'my $x = eval { Zed::sum("all:kinds", "text") }; print $@; $x = eval { Zed::count("all:kinds", by => "list") }; print $@');
	like($r->{out}, qr/'text' of all:kinds is not a number.*\n.*'list' of all:kinds is an array: a key takes/, 'texts are no numbers, arrays no keys');
	$r = zedperl($dat, \'my $x = Zed::count("mini:tock"); sub trace_end { print $x->total, " ", scalar(my @r = $x->rows) }');
	is($r->{out}, '0 0', 'what the trace does not have is 0');
	like($r->{err}, qr/\A\S+ \S+ line 1: Zed::count: no event in this trace matches mini:tock: did you mean mini:tick\?\n\z/, 'which is said once');
}

{	# Without it: tables cannot be read, or compared, or steer the terminal.
	my $r = zedperl($dat, \<<'SCRIPT');
my @a = (Zed::count('mini:tick', by => 'who'), Zed::avg('mini:tick', 'n', by => ['cpu', 'who']), Zed::hist('mini:tick', 'n - 3'),
	Zed::lhist('mini:tick', 'n', from => 2, to => 8, step => 3, by => 'cpu'), Zed::top('mini:tick', 'n', limit => 2, fields => ['who']),
	Zed::quantiles('mini:tick', 'n'), Zed::stats('mini:tick', 'n', where => 'n <= 5'));
sub trace_end { $_->print for @a; $a[0]->print(limit => 1); Zed::count('mini:tick') }
SCRIPT
	is($r->{out}, <<'TEXT', 'every kind as it is printed') or diag $r->{err};
who         count
odd             7
x\n\x1b[2J      3
cpu  who             avg  count
  0  odd               6      4
  0  x\n\x1b[2J        6      1
  1  x\n\x1b[2J        6      2
  1  odd         4.33333      3
hist of n - 3, mini:tick
  count 10, min -2, max 7
  [-3, -1)  1  ##########
  [-1]      1  ##########
  [0]       1  ##########
  [1]       1  ##########
  [2, 4)    2  ####################
  [4, 8)    4  ########################################
lhist of n, mini:tick by cpu
cpu 0
  count 5, min 2, max 10
  [2, 5)    2  ########################################
  [5, 8)    1  ####################
  [8, ...)  2  ########################################

cpu 1
  count 5, min 1, max 9
  (..., 2)  1  ####################
  [2, 5)    1  ####################
  [5, 8)    2  ########################################
  [8, ...)  1  ####################
 n           ts  cpu  comm  sequence  who
10  0.010000000    0  mini         5  odd
 9  0.009000000    1  mini         5  x\n\x1b[2J
count  min  max  p50  p90  p99
   10    1   10    5    9   10
count  sum  min  max  mean   stddev
    5   15    1    5     3  1.41421
who  count
odd      7
... and 1 more
TEXT
	like($r->{err}, qr/the run is over/, 'after the run there is nothing to count');
}

{	# Without it: the last bucket of all numbers ends below it, or before it begins.
	my $ends = trace(types => { 'q::e' => field_text('u64 u', 8, 8) . field_text('s64 s', 16, 8, 1) },
		events => [map { [0, 1000 * $_, 'q::e', pack 'Q q', @{([0, -9223372036854775807 - 1], [~0, 9223372036854775807], [1 << 63, -1])[$_]}] } 0 .. 2]);
	my $r = zedperl($ends, \'Zed::hist("q:e", "u", where => "u > 1"); Zed::lhist("q:e", "s", from => -2, to => 2, step => 1); Zed::hist("q:e", "s", where => "s < -1")');
	is($r->{out} =~ s/#+/#/gr, <<'TEXT', 'the buckets of the greatest and the least numbers') or diag $r->{err};
hist of u, q:e where u > 1
  count 2, min 9223372036854775808, max 18446744073709551615
  [8E, 16E)  2  #

lhist of s, q:e
  count 3, min -9223372036854775808, max 9223372036854775807
  (..., -2)  1  #
  [-2]       0
  [-1]       1  #
  [0]        0
  [1]        0
  [2, ...)   1  #

hist of s, q:e where s < -1
  count 1, min -9223372036854775808, max -9223372036854775808
  [-8E]  1  #
TEXT
}

{	# Without it: a time of a clock that counts since 1970 is shown a second late: it has more digits than a double.
	my $late = trace(events => [[0, 1_700_000_001_999_999_997, 'mini::tick', pack 'l a8', 1, 'w'], [0, 1_700_000_003_999_999_998, 'mini::tick', pack 'l a8', 2, 'w']]);
	my $r = zedperl('--every', '2s', $late, \'Zed::top("mini:tick", "n", by => "n")');
	is($r->{out} =~ s/ +/ /gr, <<'TEXT', 'times with all of their digits') or diag $r->{err};
1700000001.999999997 to 1700000003.999999997:
top of n, mini:tick by n
n n ts cpu comm sequence
1 1 1700000001.999999997 0 mini 1

1700000003.999999997 to 1700000003.999999998:
top of n, mini:tick by n
n n ts cpu comm sequence
2 2 1700000003.999999998 0 mini 2
TEXT
}

{	# Without it: a question whose answer nobody sees costs a run over the trace, in silence.
	my $said = sub { my ($code) = @_; my $r = zedperl($dat, \$code); return "$r->{status} $r->{out}" . $r->{err} =~ s{/\S+/}{}r };
	my $table = "count, mini:tick by cpu where n > 1\ncpu  count\n  0      5\n  1      4\n";
	is($said->('Zed::count("mini:tick", by => "cpu", where => "n > 1")'), "0 $table", 'what no variable takes is printed at the end');
	is($said->('sub trace_begin { Zed::count("mini:tick", by => "cpu", where => "n > 1"); Zed::hist("mini:tick", "n", where => "n == 4"); 1 } sub trace_end { print "end\n" }'),
		"0 end\n$table\nhist of n, mini:tick where n == 4\n  count 1, min 4, max 4\n  [4, 8)  1  ########################################\n", 'behind trace_end, in order');
	is($said->('Zed::count("mini:tick"); sub trace_end { die "no\n" }'), "255 count, mini:tick\ncount\n   10\nno\nzedperl: while in trace_end\n", 'also where trace_end dies');
	is($said->('Zed::count("mini:tick"); sub mini::tick { exit 3 }'), '3 ', 'not after exit');
	like($said->('my $n = Zed::count("mini:tick"); sub mini::tick { }'), qr/^0 zedperl: \S+ line 1: Zed::count: freed before the first event, with its variable/, 'a variable that ends first');
	like($said->('our $n = Zed::count("mini:tick"); sub mini::tick { }'), qr/^0 zedperl: \S+ line 1: Zed::count: its answer was never used/, 'one that nobody asks');
	is($said->('our $n = Zed::count("mini:tick"); sub trace_end { $n->total }'), '0 ', 'none of both');
	is($said->('my $n = Zed::count("mini:tick"); die "no\n"'), "255 no\n", 'nor where the script ended before');
}

{	# Without it: numbers of one column are in two notations.
	my $wide = trace(events => [map { [0, 1000 * $_, 'mini::tick', pack 'l a8', 1_926_240 + $_ % 3, 'w'] } 1 .. 10]);
	my $r = zedperl($wide, \'my @a = (Zed::avg("mini:tick", "n"), Zed::avg("mini:tick", "n * 100000000000"), Zed::stats("mini:tick", "n % 2")); sub trace_end { $_->print for @a }');
	is($r->{out}, "    avg  count\n1926241     10\n" . '               avg  count' . "\n192624100000000000     10\ncount  sum  min  max  mean    stddev\n   10    4    0    1   0.4  0.489898\n", 'all digits before the point') or diag $r->{err};
}

{	# Without it: a key is found under another kind of value, or not at all.
	my $r = zedperl($kinds, \<<'SCRIPT');
my $big = Zed::count('all:kinds', by => 'big');
my $many = Zed::count('all:kinds', by => [qw(neg small text event)]);
my $sum = Zed::sum('all:kinds', 'big');
my $ext = Zed::stats('all:kinds', 'big');
sub trace_end {
	print join(' ', map { ref ? @$_ : $_ } $big->keys), "\n", join(' ', map { $big->get($_) // 'undef' } ~0, '18446744073709551615', ~0 - 1, -1), "\n";
	my ($event) = map { $_->{event} } $many->rows;
	print join(' ', map { $many->get(@$_) // 'undef' } [-1, 1, 'a', $event], ['-2', 0, 'a', $event], [-1, 0, 'a', $event], [1, 1, 'a', $event]), "\n";
	printf "%.0f %s %s\n", $sum->total, $ext->total->{min}, $ext->total->{max};
}
SCRIPT
	is($r->{out}, <<'TEXT', 'numbers of 64 bits, negative ones, texts') or diag $r->{err};
18446744073709551614 18446744073709551615
2 2 2 undef
1 1 undef undef
73786976294838206464 18446744073709551614 18446744073709551615
TEXT
	$r = zedperl($dat, \'my $x = Zed::count("mini:tick", by => ["count", "n > 5"]); print "no"');
	like($r->{err}, qr/no field 'count'/, 'a column is no field');
	my $named = trace(types => { 'q::e' => field_text('int count', 8, 4, 1) . field_text('int other', 12, 4, 1) }, events => [[0, 1, 'q::e', pack 'l2', 5, 6]]);
	$r = zedperl($named, \'my $x = Zed::count("q:e", by => [qw(count other)]); sub trace_end { my ($r) = $x->rows; print join ",", map { "$_=$r->{$_}" } sort keys %$r }');
	is($r->{out}, 'by_count=5,by_other=6,count=1', 'fields that are called as columns have names of their own') or diag $r->{err};
}

{	# Without it: letters that a line, a number or JSON have for themselves make two keys one, or one that nobody finds.
	my @texts = ("a\nb", '', 'a b', '-1', "a\tb", "\xc3\xa4", "\xff\xfe", "a\\nb", '"');
	my $odd = trace(types => { 'q::e' => field_text('__data_loc char[] s', 8, 4) },
		events => [map { [0, 1000 * $_, 'q::e', pack('S S', 12, 1 + length $texts[$_ % @texts]) . $texts[$_ % @texts] . "\0"] } 0 .. 2 * @texts - 1]);
	my $r = zedperl($odd, \<<'SCRIPT');
use JSON::PP;
my ($n, $other) = (Zed::count('q:e', by => 's'), Zed::count('q:e', by => 's', where => 'sequence > 1000'));
sub trace_end {
	my $json = JSON::PP->new->latin1;
	$other->merge($json->decode($json->encode($n->state)));
	for my $x ($n, $other) { print join(' ', map { unpack('H*', $_) . '=' . $x->get($_) } sort $x->keys), "\n" }
}
SCRIPT
	my $want = join(' ', map { unpack('H*', $_) . '=2' } sort @texts) . "\n";
	is("$r->{out}$r->{err}", $want x 2, 'a key of odd letters is found, and the same behind a state in JSON');
}

{	# Without it: who asks before the event is defined is told that there is none, or not that its field is misspelt.
	my $make = q{our $s = Zed::synthetic("x::y", start => "mini:tick", end => "mini:tick", match => "start.who == end.who", fields => [gap => "end.n - start.n"]); };
	for my $ask ('our $n = Zed::sum("x:y", "FIELD"); sub trace_end { print $n->total // 0 }', 'Zed::on("x:y", args => ["FIELD"], where => "FIELD > 0", sub { $n += $_[0] }); sub trace_end { print $n // 0 }') {
		my $first = zedperl($dat, \($ask =~ s/FIELD/gap/gr . "; $make"));
		my $then = zedperl($dat, \($make . $ask =~ s/FIELD/gap/gr));
		is("$first->{out} $first->{err}", "$then->{out} ", 'asked before it is defined') or diag $first->{err};
		cmp_ok($then->{out}, '>', 0, '... and there are some');
		like(zedperl($dat, \($ask =~ s/FIELD/gab/gr . "; $make"))->{err}, qr/no field 'gab'; did you mean 'gap'\?/, 'a misspelt field of it is said');
	}
}

{	# Without it: keys that a stranger's trace makes up fill the memory, or are dropped without a word.
	my $many = trace(events => [map { [0, 1000 * $_, 'mini::tick', pack 'l a8', $_, "a\0\n$_"] } 1 .. 3000]);
	my $r = zedperl($many, \'my $x = Zed::sum("mini:tick", "n", by => "n", max_keys => 100); sub trace_end { $x->print(limit => 1); my @r = $x->rows; print scalar(@r), " $r[-1]{other} $r[-1]{sum} ", $x->total, " ", scalar(@{[$x->keys]}) }');
	is($r->{out}, "  n  sum  count\n100  100      1\n... and 100 more\n101 1 4496450 4501500 100", 'what is beyond max_keys is one row, the last');
	like($r->{err}, qr/\A\S+ \S+ line 1: Zed::sum: more than 100 keys \(max_keys raises the limit\): the rest are counted together, as other\n\z/, 'which is said once');
}

{	# Without it: nobody knows that a count is too small.
	my $lossy = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_, $_ == 3 ? 7 : $_ == 5 ? -1 : 0] } 1 .. 6]);
	for my $sub ('', 'sub trace_lost { }') {
		my $r = zedperl($lossy, \"$sub my \$x = Zed::count('mini:tick'); sub trace_end { print join(' ', \$x->lost), ' ', scalar(\$x->lost), ' ', \$x->total, qq{\n}; \$x->print }");
		is($r->{out}, "7 1 7 6\ncount\n    6\nlost meanwhile: 7 events, and an unknown number at 1 place\n", "losses are known, '$sub'") or diag $r->{err};
	}
}

{	# Without it: an answer in the middle of a run is that of its end, or stop and clear do nothing.
	my $r = zedperl($dat, \<<'SCRIPT');
use JSON::PP;
my ($x, $y, $z) = (Zed::count('mini:tick'), Zed::count('mini:tick', where => 'n > 3'), Zed::count('mini:tick'));
Zed::count('mini:tick');
Zed::on('mini:tick', args => ['n'], sub {
	my ($n) = @_;
	print "$n:", $x->get, ' ', $y->total, ' ';
	$y->clear if $n == 6;
	$x->stop if $n == 7;
	undef $z if $n == 8;
});
sub trace_unhandled { die }
sub trace_end {
	print $x->get, ' ', $y->get, "\n";
	my $state = JSON::PP->new->decode(JSON::PP->new->encode($x->state));
	print $x->merge($state)->merge($x)->total, "\n";
}
SCRIPT
	is("$r->{out}$r->{err}", "1:1 0 2:2 0 3:3 0 4:4 1 5:5 2 6:6 3 7:7 1 8:7 2 9:7 3 10:7 4 7 4\n28\ncount, mini:tick\ncount\n   10\n", 'the event at hand is counted, and none after it');
	$r = zedperl($dat, \'my $x; $x = Zed::count("mini:tick"); $n = 0; sub trace_unhandled { $n++ } sub trace_end { print "$n ", $x->total }');
	is($r->{out}, '10 10', 'an event that is only counted is unhandled');
}

{	# Without it: what is taken without the merge is other events than those in order.
	my $asked = <<'SCRIPT';
use JSON::PP;
my @a = map { my $e = $_; Zed::count($e, by => ['event', 'cpu', 'common_pid']), Zed::top($e, 'common_pid', limit => 20, fields => ['ts', 'sequence']),
	Zed::hist($e, 'ts', by => 'ts/10ms', where => 'common_pid > 0'), Zed::quantiles($e, 'sequence', by => ['instance', 'source']), Zed::count($e, by => 'comm') } '*:*', 'sched:switch', 'irq';
sub trace_end { print JSON::PP->new->canonical->encode([map { [$_->state, $_->rows] } @a]) }
SCRIPT
	my ($compared, $different) = (0, 0);
	for my $file (map { Compare::RealData::own() . "/$_.dat" } qw(demo lost multibuf small_be_zstd armhf_lost_count small_v6 subbuf16)) {
		my $early = zedperl('--stats', $file, \$asked);
		my $order = zedperl('--stats', $file, \"sub trace_lost { }\n$asked");
		$_->{out} =~ s/line \d+//g for $early, $order;
		is($early->{out}, $order->{out}, "$file: the same in order of time");
		my @stats = map { [$_->{err} =~ /^zedperl: ((?:records|passed|lost) .*)/mg] } $early, $order;
		is_deeply($stats[0], $stats[1], '... and --stats says the same');
		$compared += length $early->{out};
	}
	cmp_ok($compared, '>', 10_000, 'and that was something');
}
# ---- values that run Perl when they are asked for ----

{	# Without it: arguments are read where perl's stack was before it moved, and a state that dies costs memory.
	my $deep = 'package Deep; sub TIESCALAR { bless [$_[1]] } sub depth { my @x = (@_, @_, @_); scalar @x } sub FETCH { depth((1) x 20000); $_[0][0] } package main; ';
	my $show = 'sub trace_end { print "rows ", scalar(@{[$a->rows]}), " odd ", $a->get(ODD), "\n" }';
	my $r = zedperl($dat, \($deep . 'our @v; tie $v[$_], "Deep", ("mini:tick", "by", "who", "where", "n > 2", "odd")[$_] for 0 .. 5; '
		. 'our $a = Zed::count($v[0], $v[1] => $v[2], $v[3] => $v[4]); ' . $show =~ s/ODD/\$v[5]/r));
	my $plain = zedperl($dat, \('our $a = Zed::count("mini:tick", by => "who", where => "n > 2"); ' . $show =~ s/ODD/"odd"/r));
	is("$r->{status} $r->{err}$r->{out}", "0 $plain->{out}", 'tied arguments are what they say');
	like($plain->{out}, qr/^rows [1-9].* odd [1-9]/, '... which is something');
	$r = zedperl($dat, \<<'EOT');
our $a = Zed::hist('mini:tick', 'n', by => 'who');
sub rss { open my $f, '<', '/proc/self/statm' or return 0; (split ' ', <$f>)[1] }
sub trace_end {
	my $bad = { %{$a->state}, rows => [[["s\x{100}"], 1, 1, 1, 1, 1]] };
	my ($died, $before) = 0;
	for (1 .. 20000) { eval { $a->merge($bad); 1 } or $died++; $before = rss() if $_ == 1000 }
	my $grown = rss() - $before;
	print "died $died, grew ", $grown < 1000 ? 'little' : "$grown pages", "\n";
}
EOT
	# A sanitizer keeps what was freed, and tells what was not.
	my $grown = $ENV{ZED_SAN} ? qr/.*/ : qr/little/;
	like($r->{out}, qr/^died 20000, grew $grown\n\z/, 'a state that makes merge() die costs no memory') or diag $r->{err};
}


{	# Without it: what needs no order waits for it all the same, which takes three times as long; or what does
	# need it is counted ahead of it.
	my $demo = Compare::RealData::own() . '/demo.dat';
	my $early = sub {
		my ($script, @opts) = @_;
		my $r = zedperl('--stats', @opts, $demo, \$script);
		my %n = $r->{err} =~ /^zedperl: (passed|early) +(\d+)$/mg;
		$r->{status} == 0 && $n{passed} or diag "$script: $r->{err}";
		return [$n{early} // 0, $n{passed}];
	};
	my $all = $early->('our $n = Zed::count("sched:sched_switch", by => "prev_comm")');
	cmp_ok($all->[1], '>', 100, 'there are switches');
	for my $script ('Zed::count("sched:sched_switch", by => ["prev_comm", "cpu"], where => "prev_pid > 0")', 'Zed::stats("sched:sched_switch", "ts")',
		'Zed::top("sched:sched_switch", "ts", fields => ["sequence"])', 'Zed::count("sched:switch", by => "prev_comm")') {
		my $kept = $script =~ /top/ ? 0 : $all->[1];
		my $n = $early->("our \$n = $script");
		is_deeply($n, [$kept, $all->[1]], $kept ? "counted where it was read: $script" : "names of the time, in order: $script");
	}
	for my $case (['trace_lost', 'our $n = Zed::count("sched:sched_switch"); sub trace_lost { }'],
		['another handler', 'our $n = Zed::count("sched:sched_switch"); sub sched::sched_waking { }'],
		['a name of a task in the key', 'our $n = Zed::count("sched:sched_switch", by => "comm")'],
		['a name of a task in where', 'our $n = Zed::count("sched:sched_switch", where => q(comm == "sh"))'],
		['a stable event with the name of a task', 'our $n = Zed::count("syscall:enter", by => "comm")'],
		['a synthetic event', 'our $s = Zed::synthetic("a::b", start => "sched:sched_waking", end => "sched:sched_switch", match => "start.pid == end.next_pid", fields => [x => "end.ts"]); our $n = Zed::count("sched:sched_switch")'],
		['the first events', 'our $n = Zed::count("sched:sched_switch")', '--head', 1000],
		['times', 'our $n = Zed::count("sched:sched_switch")', '--start', '+0.001'],
		['a filter', 'our $n = Zed::count("sched:sched_switch")', '-F', 'sched: prev_pid > 0']) {
		my ($why, $script, @opts) = @$case;
		my $n = $early->($script, @opts);
		ok($n->[0] == 0 && $n->[1] > 0, "in order: $why");
	}
}
done_testing();
