# SPDX-License-Identifier: GPL-2.0-or-later
#
# states: the lines of zedperl --map and what --reduce makes of them: of aggregations, of a script's own state, of
# other scripts, damaged, hostile, twice.  Without it an answer could be that of half a fleet, and nobody would know.
#
# of: programs/zedperl/fleet interp
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Fleet;
use Run::Process;
use Run::Program qw(zed_bin zed_tmp slurp spew same);
use Run::Zedperl;

my $zedperl = zed_bin('zedperl');
my $tmp = zed_tmp();

# FNV-1a of 64 bits, as the lines have it.
sub fnv {
	my ($bytes) = @_;
	use integer;
	my $h = -3750763034362895579;	# 0xcbf29ce484222325
	$h = ($h ^ $_) * 1099511628211 for unpack 'C*', $bytes;
	return sprintf '%016x', $h;
}

sub ticks { my (@n) = @_; return trace(events => [map { [0, 1000 * ($_ + 1), 'mini::tick', $n[$_]] } 0 .. $#n]) }

my $script = spew("$tmp/own.pl", <<'END');
use Zed handlers => ["mini"];
my $n = Zed::count('mini:tick', by => 'n');
Zed::stats('mini:tick', 'n');
my $made = Zed::synthetic('pair::made', start => 'mini:tick', end => 'mini:tick', match => 'start.n == end.n', fields => [took => 'end.ts - start.ts']);
my (%seen, $longest);
$longest = '';
print "begin\n" if @ARGV && $ARGV[0] eq 'talk';
sub mini::tick { my ($cpu, $secs, $nsecs, $sequence, $value, $who) = @_; $seen{$value}++; $longest = "\xff\n$who" if length "\xff\n$who" > length $longest }
sub trace_state { return { seen => \%seen, longest => $longest, big => 18446744073709551615, part => 0.1, none => undef } }
sub trace_merge {
	my ($s) = @_;
	die "no hash\n" if ref $s ne 'HASH';
	die "wrong number\n" if $s->{big} != 18446744073709551615 || "$s->{part}" ne '0.1' || defined $s->{none};
	$seen{$_} += $s->{seen}{$_} for keys %{$s->{seen}};
	$longest = $s->{longest} if length $s->{longest} > length $longest;
}
sub trace_end {
	$n->print;
	print "$_ seen $seen{$_}\n" for sort keys %seen;
	printf "%s %vd\n", $made->counts->{matched}, $longest;
}
END
my @dats = (ticks(1, 2, 1), ticks(3, 1), ticks(2, 2, 2, 2));
my @states = map { fleet_fed('', '--map', $_, $script)->{out} } @dats;
is(scalar(grep { /\Azed-state-1\/own\/[0-9a-f]{16}\t\{"sum":"[0-9a-f]{16}","traces":\[\{[\x20-\x7e]+\}\n\z/ } @states), 3,
	'a state is one line of ASCII: a key, a tab, JSON (else: no engine carries it)');
my ($body) = $states[0] =~ /\{"sum":"[0-9a-f]{16}",(.*)\}\n/;
is(($states[0] =~ /"sum":"([0-9a-f]+)"/)[0], fnv($body), 'its sum is that of the rest, as the manual says');
my $data = JSON::PP->new->decode(($states[0] =~ /\t(.*)/)[0]);
is_deeply([map { [@$_{qw(start end name)}] } @{$data->{traces}}], [[1000, 3000, $dats[0]]], 'it tells of which trace it is');

# ---- the answer ----

my $r = fleet_fed(join('', @states), '--reduce', $script);
is($r->{status}, 0, 'reduce: 0') or diag $r->{err};
like($r->{out}, qr/^2 +5\n1 +3\n3 +1\n1 seen 3\n2 seen 5\n3 seen 1\n4 255\.10\.99/m, 'aggregations, own state, synthetic events are those of all');
like($r->{out}, qr/^stats of n, mini:tick\n.*\n +9 +16 +1 +3 +1\.7/m, 'an aggregation that no variable has is printed (else: a one-liner has no answer)');
my $twice = fleet_fed(join('', @states[2, 0, 1, 0, 2]), '--reduce', $script);
same($twice->{out}, $r->{out}, 'another order, and states that come twice');
is($twice->{status}, 0, 'which is nothing wrong');
for (0 .. 2) {
	spew("$tmp/s$_", $states[$_]);
}
same(fleet_fed('', '--reduce', $script, map { "$tmp/s$_" } 0 .. 2)->{out}, $r->{out}, 'from files');
my $part = fleet_fed(join('', @states[1, 2]), '--reduce', '--map', $script)->{out};
same(fleet_fed($part . $states[0], '--reduce', $script)->{out}, $r->{out}, 'a merged state is merged again');
same(fleet_fed($states[1] . $part . $states[0] . $states[2], '--reduce', $script)->{out}, $r->{out}, 'one of its traces comes alone too, before it (else: counted twice)');
my $other = fleet_fed(join('', @states[0, 1]), '--reduce', '--map', $script)->{out};
my $both = fleet_fed($part . $other, '--reduce', $script);
is($both->{status}, 1, 'two that share one trace: 1 (else: it counts twice)');
like($both->{err}, qr/has traces that another state has too, and others that it has not/, 'and it is said');
same(fleet_fed($other . $part, '--reduce', $script)->{out}, $both->{out}, 'which one is left out does not depend on the order');

$r = fleet_fed('', '--reduce', "$tmp/s0", "$tmp/s1");
is($r->{status}, 2, 'no script before the states: 2');
like($r->{err}, qr/^zedperl: \Q$tmp\E\/s0 is a state where a script is expected: zedperl --reduce SCRIPT FILE\.\.\. --$/m, 'and that is said (else: anybody\'s state is run as a script)');

# ---- options that choose make another trace of it (zedperl(1)) ----

my $cpus = trace(events => [[0, 1000, 'mini::tick', 1], [1, 2000, 'mini::tick', 2]]);
$r = fleet_fed(join('', map { fleet_fed('', '--map', '--cpu', $_, $cpus, $script)->{out} } 0, 1), '--reduce', $script);
like($r->{out}, qr/^1 seen 1\n2 seen 1\n/m, 'of each CPU a state: both count (else: the second is left out as the same trace)') or diag $r->{err};
my %id = map { ((fleet_fed('', '--map', @$_, $cpus, $script)->{out} =~ /"id":"(.*?)"/)[0] => "@$_") }
	[], ['--cpu', 0], ['--cpu', 1], ['--pid', 1], ['-F', 'mini: n > 0'], ['--event', 'mini'];
is(scalar keys %id, 6, 'each of them has an identity of its own (else: what is left out depends on the order)') or diag join ', ', values %id;
$r = fleet_fed($states[0], '-F', 'mini: n > 0', '--reduce', $script);
like("$r->{status} $r->{err}", qr/^2 .*options that choose events belong to\n?.*--map/s, '--reduce takes none (else: they are left out in silence)');

# ---- what is wrong ----

sub wrong {
	my ($text, $like, $what) = @_;
	my $w = fleet_fed($text . $states[1], '--reduce', $script);
	is($w->{status}, 1, "$what: 1");
	like($w->{err}, $like, "$what: is said");
	same($w->{out}, fleet_fed($states[1], '--reduce', $script)->{out}, "$what: costs itself");
}

wrong(substr($states[0], 0, 300) . "\n", qr/^zedperl: standard input: line 1 is damaged: left out$/m, 'half a line');
wrong($states[0] =~ s/"longest":"/"longest":"x/r, qr/line 1 is damaged/, 'a changed byte');
wrong("hello\n", qr/line 1 is not a state of zedperl --map/, 'another text');
wrong($states[0] =~ s/state-1/state-2/r, qr/line 1 is a state of another version of zedperl/, 'another version');
wrong($states[0] =~ s{own/.}{own/x}r, qr/line 1 is a state of another script/, 'another script');
wrong(fleet_fed('', '--map', $dats[0], $script, 'talk')->{out}, qr/another script, of another version of it, or with other arguments/, 'other arguments');
$r = fleet_fed('', '--reduce', $script);
is($r->{status}, 2, 'no state at all: 2');
like($r->{err}, qr/there is no state to reduce/, 'and that is said');
is($r->{out}, '', 'no answer is made of nothing');
is(fleet_fed('', '--reduce', $script, "$tmp/none")->{status}, 2, 'a file that is not there');
SKIP: {
	skip 'no /dev/zero', 4 if !-c '/dev/zero';
	mkdir "$tmp/small" or die;
	local $ENV{TMPDIR} = "$tmp/small";
	# More than 64 MiB of a line, and no disk for a gigabyte.
	for (['alone' => 2, '/dev/zero'], ['beside a state' => 1, '/dev/zero', "$tmp/s1"]) {
		my ($what, $status, @files) = @$_;
		my $pid = spawn({ size => 200 << 20, stdout => "$tmp/out", stderr => "$tmp/err" }, $zedperl, '--reduce', $script, @files);
		is(how_it_ended((reap($pid, 60))[0]), $status, "a line without an end, $what: $status (else: it is copied until the disk is full)");
		like(slurp("$tmp/err"), qr{^zedperl: /dev/zero: line 1 is longer than 64 MiB, and nothing after it is read: left out$}m, "$what: is said");
	}
}

# Whole, but not what it should be: its sum is right.
sub forged { my ($new) = @_; my ($key) = $states[0] =~ /^(.*?)\t/; return "$key\t{\"sum\":\"" . fnv($new) . "\",$new}\n" }
for my $try (['no JSON', $body =~ s/,"own"/,own/r], ['own state', $body =~ s/"own":\{.*?\},"syn/"own":[1],"syn/r], ['deep', $body =~ s/"own":/'"x":' . '[' x 100000 . ',"own":'/er],
	['missing', $body =~ s/"missing":\[\d+/"missing":[{}/r], ['counts', $body =~ s/"matched":\d+/"matched":-1/r], ['rows', $body =~ s/"rows":\[\[\[/"rows":[[[{},/r],
	['times', $body =~ s/"start":\d+/"start":"x"/r], ['version', $body =~ s/"v":1/"v":2/r], ['a class', $body =~ s/"kind":"count"/"kind":"system"/r],
	['a letter cut in two', $body =~ s/"longest":"/"longest":"\\ud800/r], ['a number', $body =~ s/"part":0\.1\d*/"part":01/r], ['no number that is one', $body =~ s/"seen":\{"1":\d+/"seen":{"1":1e999/r]) {
	my ($what, $new) = @$try;
	isnt($new, $body, "forged, $what: it is another");
	$r = fleet_fed(forged($new), '--reduce', $script);
	is($r->{status}, 1, "forged, $what: 1") or diag $r->{err};
	like($r->{err}, qr/the state at offset \d+ makes no sense: /, "forged, $what: is said (else: an answer is made of rubbish)");
	is($r->{out}, '', "forged, $what: no answer");
}

# Squares that no numbers have.
my $spread = fleet_fed('', '--map', '-e', 'Zed::stats("mini:tick", "n")', $dats[0])->{out};
my ($spread_key, $spread_body) = $spread =~ /\A(.*?)\t\{"sum":"[0-9a-f]{16}",(.*)\}\n/;
like($spread_body, qr/"rows":\[\[\[\],3(?:,\d+){7}\]\]/, 'the state of stats');
for (['too small', '0,0,0'], ['negative', '-5,0,0'], ['no number', '"nan",0,0'], ['none', '0'], ['of an earlier version', '"0.5"']) {
	my ($what, $words) = @$_;
	my $new = $spread_body =~ s/("rows":\[\[\[\],3(?:,\d+){4}),\d+,\d+,\d+\]/$1,$words]/r;
	$r = fleet_fed("$spread_key\t{\"sum\":\"" . fnv($new) . "\",$new}\n", '--reduce', '-e', 'Zed::stats("mini:tick", "n")');
	is_deeply([@$r{qw(out status)}], ['', 1], "squares, $what: no answer (else: NaN is in a table, or perl dies of a root)");
	like($r->{err}, qr/makes no sense: .*row 0 of the state is invalid\n\z/, '... and why, with no line of ours');
}

# Of the script that comes along, and that those of users begin with.
my $count = fleet_fed('', '--map', $dats[0], 'countall')->{out};
my ($count_key, $count_body) = $count =~ /\A(.*?)\t\{"sum":"[0-9a-f]{16}",(.*)\}\n/;
for my $n ('"x"', 'null', '-1', '[]', '0.5') {
	my $new = $count_body =~ s/"mini::tick":\d+/"mini::tick":$n/r;
	isnt($new, $count_body, "countall, $n: it is another");
	$r = fleet_fed("$count_key\t{\"sum\":\"" . fnv($new) . "\",$new}\n", '--reduce', 'countall');
	is($r->{status}, 1, "countall, $n events: 1");
	is($r->{out}, '', "countall, $n events: no answer (else: a count of rubbish)");
}

# Of analyses: what a row and a worst case is made of.
for (['wakeup-latency', '"ran"', '[]', '{}', 'null', '"soon"'], ['wakeup-latency', '"meanwhile"', '[]', '{}'], ['sched-summary', '"run"', '[]', '{}', 'null', '"x"'],
	['sched-summary', '"comm"', '[]', '{}', 'null']) {
	my ($name, $key, @values) = @$_;
	my ($its_key, $its_body) = fleet_fed('', '--map', 't/data/demo.dat', $name)->{out} =~ /\A(.*?)\t\{"sum":"[0-9a-f]{16}",(.*)\}\n/;
	for my $value (@values) {
		my $new = $its_body =~ s/$key:(?:\d+|"[^"]*")/$key:$value/r;
		isnt($new, $its_body, "$name, $key is $value: it is another");
		$r = fleet_fed("$its_key\t{\"sum\":\"" . fnv($new) . "\",$new}\n", '--reduce', $name);
		is($r->{status}, 1, "$name, $key is $value: 1");
		like($r->{err}, qr/\Azedperl: standard input: the state at offset \d+ makes no sense: [^\n]*\n\z/, "$name, $key is $value: is said, and nothing of Perl's (else: ARRAY(0x...) is in a table)");
		is($r->{out}, '', "$name, $key is $value: no answer");
	}
}

# ---- the run ----

$r = fleet_fed('', '--map', $dats[0], spew("$tmp/says.pl", 'print "hello\n"; use Zed handlers => ["mini"]; sub mini::tick { print "tick\n" } sub trace_state { {} }'));
like($r->{out}, qr/\Azed-state-1\/says\/.*\n\z/, 'what a script prints is not among the states (else: the reduce finds rubbish)');
like($r->{err}, qr/hello\n(?:tick\n){3}/, 'but on standard error');
$r = fleet_fed('', '--map', $dats[0], spew("$tmp/none.pl", 'sub mini::tick { }'));
is($r->{status}, 255, 'a script without a state');
like($r->{err}, qr/no state to merge: no aggregations, and no sub trace_state/, 'is told what it lacks');
is($r->{out}, '', 'and has none');
for my $many ('{ {%n} }', '{ %n }', '{ return %n }', '{ (1, 2) }') {
	$r = fleet_fed('', '--map', '-e', "my %n = (a => 1, b => 2); sub trace_state $many", $dats[0]);
	is_deeply([$r->{status}, $r->{out}], [255, ''], "trace_state $many: no state (else: one of the number of its values, and a reduce of nothing)");
	like($r->{err}, qr/^trace_state returned \d values instead of one: return \{ n => \\%n \}, or \\%n$/m, '... and what to write');
}
my $some = spew("$tmp/some.pl", 'sub trace_begin { Zed::count($_) for grep { $_ eq "mini::tick" && @ARGV } Zed::events() }');
$r = fleet_fed('', '--map', $dats[0], $some);
is_deeply([$r->{status}, scalar(() = $r->{out} =~ /"rows"/g)], [0, 0], 'aggregations alone, none of which this trace has events for: a state of nothing (else: such a trace fails a whole list)') or diag $r->{err};
is(fleet_fed('', '--map', $dats[0], spew("$tmp/ends.pl", 'sub trace_end { print "x" }'))->{status}, 255, '... but a script that answers by itself has none');
$r = fleet_fed('', '--map', $dats[0], spew("$tmp/code.pl", 'sub mini::tick { } sub trace_state { { a => sub { } } }'));
like($r->{err}, qr/a state must be plain data; this one has a reference to something other than an array or hash/, 'code is no state');
$r = fleet_fed('', '--map', '-o', "$tmp/o.state", $dats[0], $script);
is_deeply([$r->{status}, slurp("$tmp/o.state"), (stat "$tmp/o.state")[2] & 0777], [0, $states[0], 0600], '-o: a file, for its owner alone');
$r = fleet_fed('', '--map', '-o', "$tmp/dies.state", $dats[0], spew("$tmp/dies.pl", 'use Zed handlers => ["mini"]; my $n = Zed::count("mini:tick"); sub mini::tick { die }'));
ok($r->{status} == 255 && !-e "$tmp/dies.state", 'a run that died leaves none (else: a part passes for the whole)');
$r = fleet_fed('', '--map', '-e', 'Zed::count("mini:tick", by => "n")', $dats[0]);
like(fleet_fed($r->{out}, '--reduce', '-e', 'Zed::count("mini:tick", by => "n")')->{out}, qr/^1 +2\n2 +1$/m, '-e, an aggregation by itself');
my ($whole, $late) = map { fleet_fed('', '--map', @$_, $dats[0], $script)->{out} } [], ['--start', '2500ns'];
isnt(($whole =~ /"id":"(.*?)"/)[0], ($late =~ /"id":"(.*?)"/)[0], 'a part of a trace is another than the whole (else: one of two parts is dropped)');
like(fleet_fed('', @$_)->{err}, qr/^zedperl: /, "refused: @$_") for ['--reduce'], ['--reduce', '--cpu', '1', $script], ['-o', 'x', $dats[0], $script], ['--map', '-t', $dats[0]],
	['--reduce', 'compare'], ['--map', 'compare', $dats[0]];

done_testing();
