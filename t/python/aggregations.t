# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.count() and its kind: the same rows, numbers and text as Zed::count and its kind have of the same file, and the
# same as counting in plain Python; what is refused, what is printed at the end, mappings, --every.  Without it an answer
# in Python is another one than in Perl.
# of: interp/python interp/common analysis/aggregate
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Program qw(same zed_bin);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
my $no_extension = extension_missing();

# Ten events, n 1 to 10 on two CPUs in turn, 1 ms apart.
my $dat = trace(events => [map { [$_ % 2, 1_000_000 * $_, 'mini::tick', pack 'l a8', $_, $_ % 3 ? 'odd' : "x\n\e[2J"] } 1 .. 10], cmdlines => "77 mini\n");
my $kinds = trace(types => {
	'all::kinds' => field_text('u64 big', 8, 8) . field_text('s64 neg', 16, 8, 1) . field_text('u8 small', 24, 1)
		. field_text('__data_loc char[] text', 28, 4) . field_text('cpumask_t mask', 32, 8) . field_text('u16 list[4]', 40, 8),
}, events => [map { [0, 1000 * $_, 'all::kinds', pack 'Q q C x3 S S Q S4 a4', ~0 - $_ % 2, -$_, $_ % 2, 48, 3, 5, 1 .. 4, "a\0b"] } 1 .. 4]);
my $lossy = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_, $_ == 3 ? 7 : $_ == 5 ? -1 : 0] } 1 .. 6]);

# ---------------------------------------------------------------- the same as in Perl

# Each question in both languages: [kind, the words of Perl, the words of Python].
my @asked = (
	['count', q{'E'}, q{'E'}],
	['count', q{'*:*', by => 'event'}, q{'*:*', by='event'}],
	['count', q{'E', by => ['common_pid', 'N'], where => 'N > 1'}, q{'E', by=['common_pid', 'N'], where='N > 1'}],
	['sum', q{'E', 'N', by => 'cpu'}, q{'E', 'N', by='cpu'}],
	['sum', q{'E', 'N * 1000000000000', by => 'comm'}, q{'E', 'N * 1000000000000', by='comm'}],
	['min', q{'E', 'N'}, q{'E', 'N'}],
	['max', q{'E', '0 - N', by => ['comm']}, q{'E', '0 - N', by=['comm']}],
	['avg', q{'E', 'N', by => 'comm'}, q{'E', 'N', by='comm'}],
	['stats', q{'E', 'N', by => 'cpu'}, q{'E', 'N', by='cpu'}],
	['hist', q{'E', 'N - 3'}, q{'E', 'N - 3'}],
	['hist', q{'E', 'ts', by => 'comm'}, q{'E', 'ts', by='comm'}],
	['lhist', q{'E', 'N', from => 2, to => 8, step => 3, by => 'cpu'}, q{'E', 'N', start=2, stop=8, step=3, by='cpu'}],
	['lhist', q{'E', 'N', from => -100, to => 100000, step => 100}, q{'E', 'N', start=-100, stop=100000, step=100}],
	['quantiles', q{'E', 'N'}, q{'E', 'N'}],
	['quantiles', q{'E', 'N', by => 'comm', quantiles => [25, 99.9]}, q{'E', 'N', by='comm', quantiles=[25, 99.9]}],
	['top', q{'E', 'N', limit => 2, fields => ['comm', 'cpu', 'N % 2']}, q{'E', 'N', limit=2, fields=['comm', 'cpu', 'N % 2']}],
	['top', q{'E', 'N', by => 'cpu', fields => 'source'}, q{'E', 'N', by='cpu', fields='source'}],
	['count', q{'E', by => 'N', max_keys => 3}, q{'E', by='N', max_keys=3}],
	['count', q{'no:such'}, q{'no:such'}],
);

sub both {
	my ($event, $number, @lines) = @_;
	return map { s/\bE\b/$event/gr =~ s/\bN\b/$number/gr } @lines;
}

# The scripts print the tables, then the rows and the totals as JSON, in which sums beyond 64 bits are rounded.
sub in_perl {
	my ($event, $number) = @_;
	my @calls = both($event, $number, map { "Zed::$_->[0]($_->[1])" } @asked);
	return 'use JSON::PP (); my @a = (' . join(', ', @calls) . ');' . <<'E';
sub trace_end {
	for my $a (@a) { $a->print; $a->print(limit => 1); print "\n" }
	print "--\n";
	my $json = JSON::PP->new->canonical->latin1->allow_nonref;
	print $json->encode([[$_->rows], $_->total, [map { ref ? $_ : [$_] } $_->keys]]), "\n" for @a;
}
E
}
sub in_python {
	my ($event, $number) = @_;
	my @calls = both($event, $number, map { "zed.$_->[0]($_->[2])" } @asked);
	return "import json, zed\na = [" . join(', ', @calls) . "]\n" . <<'E';
def trace_end():
    for x in a:
        print(x)
        x.print(limit=1)
        print()
    print("--")
    for x in a:
        keys = [k if isinstance(k, tuple) else [k] for k in x]
        print(json.dumps([x.rows, x.total, keys]).encode("ascii").decode())
E
}

# Numbers as perl writes them, texts by their bytes, a truth as 1.
sub plain_of {
	my ($v) = @_;
	return 1 if JSON::PP::is_bool($v);
	return [map { plain_of($_) } @$v] if ref $v eq 'ARRAY';
	return { map { $_ => plain_of($v->{$_}) } keys %$v } if ref $v;
	return !defined $v ? undef : $v =~ /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?\z/ ? sprintf('%.12g', $v) : $v =~ s/\x{dc}//gr =~ s/(.)/ord $1 > 255 ? chr(ord($1) & 255) : $1/gesr;
}

sub split_answer {
	my ($out) = @_;
	my ($text, $json) = split /^--\n/m, $out, 2;
	return ($text, [map { plain_of(JSON::PP->new->allow_nonref->decode($_)) } split /\n/, $json // '']);
}

for ([$dat, 'mini:tick', 'n', 'made'], [$lossy, 'mini:tick', 'n', 'with losses'], ['t/data/demo.dat', 'sched:sched_switch', 'next_pid', 'a recording'],
	['t/data/small_be_v6.dat', 'sched:sched_switch', 'next_pid', 'big-endian'], ['t/data/perf/sched.data', 'sched:sched_switch', 'next_pid', 'a perf.data'],
	['t/data/demo.dat', 'sched:switch', 'next_pid', 'stable events']) {
	my ($file, $event, $number, $what) = @$_;
	my $perl = zedperl($file, \in_perl($event, $number));
	my $python = zedpython($file, \in_python($event, $number));
	my ($text, $rows) = split_answer($perl->{out});
	my ($own, $own_rows) = split_answer($python->{out});
	same($own, $text, "$what: the tables of both languages are one text (else: people compare what differs)") or diag $python->{err};
	is_deeply($own_rows, $rows, "$what: and the rows, totals and keys are the same");
	cmp_ok(scalar @{$own_rows}, '==', @asked, "$what: of all that was asked");
	my $said = $perl->{err} =~ s/zedperl/zedpython/gr =~ s/Zed::/zed./gr =~ s/\S+ line \d+/PLACE/gr =~ s/zedpython -t -v lists/zed.events() lists/gr;
	is($python->{err} =~ s/\S+ line \d+/PLACE/gr, $said, "$what: and what is said of them");
}

# ---------------------------------------------------------------- the same as counting by hand

my $counted = <<'E';
import collections, math, sys, zed
path, event, number = sys.argv[1:4]
counts, sums, least, most, by_cpu = collections.Counter(), collections.Counter(), {}, {}, collections.defaultdict(list)
names = collections.Counter()
for ev in zed.open(path):
    names[ev.event] += 1
    if ev.name == event:
        v, comm = ev[number], ev.comm
        counts[comm] += 1
        sums[comm] += v
        least[comm] = min(v, least.get(comm, v))
        most[comm] = max(v, most.get(comm, v))
        by_cpu[ev.cpu].append(v)
with zed.open(path) as trace:
    n, s, lo, hi = (trace.count(event, by="comm"), trace.sum(event, number, by="comm"), trace.min(event, number, by="comm"),
        trace.max(event, number, by="comm"))
    stats, quantiles, top = trace.stats(event, number, by="cpu"), trace.quantiles(event, number, by="cpu", quantiles=[0, 50, 100]), trace.top(event, number, limit=5)
    everything, hist, avg = trace.count("*:*", by="event"), trace.hist(event, number), trace.avg(event, number, by="cpu")
    trace.run()
assert dict(n) == dict(counts), (dict(n), counts)
assert dict(s) == dict(sums) and dict(lo) == least and dict(hi) == most
assert n.total == sum(counts.values()) and s.total == sum(sums.values())
assert {k.split(":")[1] if ":" in k else k: v for k, v in everything.items()} == dict(names), (everything.items(), names)
for cpu, values in by_cpu.items():
    row, q = stats[cpu], quantiles[cpu]
    mean = sum(values) / len(values)
    assert (row["count"], row["sum"], row["min"], row["max"]) == (len(values), sum(values), min(values), max(values))
    assert math.isclose(row["mean"], mean) and math.isclose(avg[cpu], mean)
    assert math.isclose(row["stddev"], math.sqrt(sum((v - mean) ** 2 for v in values) / len(values)), abs_tol=1e-6)
    middle = sorted(values)[math.ceil(len(values) / 2) - 1]
    assert q["p0"] == min(values) and q["p100"] == max(values) and abs(q["p50"] - middle) <= 0.008 * abs(middle) + 1, (q, middle)
flat = [v for values in by_cpu.values() for v in values]
assert [r["value"] for r in top.total["records"]] == sorted(flat, reverse=True)[:5]
buckets = collections.Counter(v.bit_length() * (-1 if v < 0 else 1) for v in flat)
assert [b[2] for b in hist.total["buckets"]] == [buckets[k] for k in sorted(buckets)]
print("same", n.total)
E
SKIP: {
	skip $no_extension, 4 if $no_extension;
	for ([$dat, 'mini:tick', 'n'], ['t/data/demo.dat', 'sched:sched_switch', 'next_pid'], ['t/data/small_be_v6.dat', 'sched:sched_switch', 'next_pid'],
		['t/data/perf/sched.data', 'sched:sched_switch', 'next_pid']) {
		my ($file, $event, $number) = @$_;
		my $r = python(\$counted, $file, $event, $number);
		like($r->{out}, qr/^same [1-9]/, "$file: as counted in plain Python (else: both languages have one wrong number)") or diag $r->{err};
	}
}

# ---------------------------------------------------------------- the object

{
	my $r = zedpython($kinds, \<<'E');
import zed
big, many = zed.count("all:kinds", by="big"), zed.count("all:kinds", by=["neg", "small", "text", "event"])
total, sums, ext = zed.count("all:kinds"), zed.sum("all:kinds", "big"), zed.stats("all:kinds", "big")
def trace_end():
    most = 2 ** 64 - 1
    print(list(big), big[most], most in big, most - 5 in big, big.get(-1), big.get(2 ** 70, "none"), len(big))
    print([key[:3] for key in sorted(many)], many[-1, 1, "a", many.rows[0]["event"]], many.get((1, 1)))
    print(total[()], list(total))
    print(sums.total, ext.total["sum"], ext.total["mean"], sums.rows)
    print(many.get(("\ud800", 0, "a", 1)), many.get((-1, 1, "\ud800", 2 ** 70)))
    for key in (-1, "x", (1, 2), None, 1.5, "\ud800", -2 ** 70):
        try:
            big[key]
        except KeyError as error:
            print("KeyError", error)
E
	is($r->{out}, <<'E', 'keys are found by what they are, sums are exact') or diag $r->{err};
[18446744073709551614, 18446744073709551615] 2 True False None none 2
[(-4, 0, 'a'), (-3, 1, 'a'), (-2, 0, 'a'), (-1, 1, 'a')] 1 None
4 [()]
73786976294838206458 73786976294838206458 1.8446744073709552e+19 [{'count': 4, 'sum': 73786976294838206458}]
None None
KeyError -1
KeyError 'x'
KeyError (1, 2)
KeyError None
KeyError 1.5
KeyError '\ud800'
KeyError -1180591620717411303424
E
	my $masks = trace(types => { 'q::m' => field_text('__data_loc cpumask_t mask', 8, 4) }, events => [map { [0, 1000 * $_, 'q::m', pack 'S S Q', 12, 8, $_ > 2 ? 5 : 0] } 1 .. 4]);
	$r = zedpython($masks, \"import zed\nn = zed.count('q:m', by='mask')\ndef trace_end():\n    print(n.items(), n['0,2'], n[''], '0-2' in n)\n");
	is($r->{out}, "[('', 2), ('0,2', 2)] 2 2 False\n", 'and sets by their text') or diag $r->{err};
	my $odd = trace(types => { 'q::e' => field_text('__data_loc char[] s', 8, 4) },
		events => [map { my $s = (qw(a \xff-\xfe), "\xff\xfe", "\xc3\xa4", '', "a\nb", '0-3')[$_]; [0, 1000 * $_, 'q::e', pack('S S', 12, 1 + length $s) . "$s\0"] } 0 .. 5]);
	$r = zedpython($odd, \"import zed\nn = zed.count('q:e', by='s')\ndef trace_end():\n    print([ascii(k) for k in n], all(n[k] == 1 for k in n), len(n))\n    print(n)\n");
	like($r->{out}, qr/udcff.*udcfe.* True 6\n/, 'keys that are not UTF-8 are found again') or diag $r->{err};
	same($r->{out} =~ s/\A.*\n//r, zedperl($odd, \'my $n = Zed::count("q:e", by => "s"); sub trace_end { $n->print }')->{out}, 'and shown as in Perl');
}
{
	my $r = zedpython($dat, \<<'E');
import io, zed
zed.handlers("mini")
n, old, sums = zed.count("mini:tick", by="cpu"), zed.count("mini:tick", by="cpu"), zed.sum("mini:tick", "n")
parts = []
def mini__tick(cpu, secs, nsecs, sequence, n_, who):
    if n_ == 4:
        parts.append((n.total, n.items()))
        old.stop()
        n.clear()
    if n_ == 8:
        parts.append(zed.count("mini:tick"))
def trace_end():
    late = parts.pop()
    print(parts, old.total, n.total, late.total, sums.total)
    print(n.merge(old) is n, n.total, dict(n), repr(n), n.title, n.columns)
    out = io.StringIO()
    n.print(file=out, limit=1)
    print(repr(out.getvalue()), n.values(), n.keys(), n.lost, n.lost_places)
    for other in (sums, n, 5, zed):
        try:
            n.merge(other)
        except (TypeError, zed.Error) as error:
            print(type(error).__name__, error)
    try:
        zed.count("mini:tick")
    except zed.Error as error:
        print(error)
E
	is($r->{out}, <<'E', 'answers while the run goes on, stopped, cleared, merged') or diag $r->{err};
[(4, [(0, 2), (1, 2)])] 4 6 2 55
True 10 {0: 5, 1: 5} <zed.Aggregation count, mini:tick by cpu> count, mini:tick by cpu ['cpu', 'count']
'cpu  count\n  0      5\n... and 1 more\n' [5, 5] [0, 1] 0 0
Error merge: the two differ in of, by or fields
Error merge: an aggregation cannot be merged into itself
TypeError merge: expected an Aggregation
TypeError merge: expected an Aggregation
zed.count: the run is over
E
}

# ---------------------------------------------------------------- what is refused

{
	my %bad = (
		q{zed.count()} => qr/TypeError: .*event/,
		q{zed.sum('mini:tick')} => qr/TypeError: .*of/,
		q{zed.sum('mini:tick', 'm')} => qr/zed\.Error: zed\.sum: column 1: mini:tick has no field 'm'; did you mean 'n'\?/,
		q{zed.sum('mini:tick', 'who')} => qr/zed\.Error: zed\.sum: 'who' of mini:tick is not a number: only numbers can be summed/,
		q{zed.count('mini:tick', by='whom')} => qr/zed\.Error: zed\.count: by: column 1: mini:tick has no field 'whom'; did you mean 'who'\?/,
		q{zed.count('mini:tick', by='n +')} => qr/zed\.Error: zed\.count: by: column/,
		q{zed.count('mini:tick', by={})} => qr/TypeError: zed\.count: by must be a str or a list of str, not dict/,
		q{zed.count('mini:tick', by=[1])} => qr/TypeError: zed\.count: by must be a str, not int/,
		q{zed.count('mini:tick', where='m == 1')} => qr/zed\.Error: zed\.count: column 1: mini:tick has no field 'm'/,
		q{zed.count('mini:tick', where='n\0')} => qr/ValueError: zed\.count: where must not contain a NUL/,
		q{zed.count('mini:tick', were='n == 1')} => qr/TypeError: .*were/,
		q{zed.count('mini:tick', limit=1)} => qr/TypeError: .*limit/,
		q{zed.count('mini:tick', max_keys=0)} => qr/ValueError: zed\.count: max_keys must be a whole number from 1 to/,
		q{zed.count('mini:tick', max_keys=2**70)} => qr/ValueError: zed\.count: max_keys must be/,
		q{zed.count('mini:tick', max_keys=1.5)} => qr/TypeError/,
		q{zed.count('mini tick')} => qr/zed\.Error: zed\.count: invalid event 'mini tick'/,
		q{zed.count('mini:tick', by=['n'] * 9)} => qr/zed\.Error: zed\.count: .*at most 8 parts in a key/,
		q{zed.lhist('mini:tick', 'n', start=0, stop=10)} => qr/TypeError: zed\.lhist: start, stop and step must be given/,
		q{zed.lhist('mini:tick', 'n', start=0, stop=10, step=3)} => qr/ValueError: zed\.lhist: start 0 to stop 10 must be 1 to \d+ whole steps of 3/,
		q{zed.lhist('mini:tick', 'n', start=9, stop=0, step=3)} => qr/whole steps of/,
		q{zed.top('mini:tick', 'n', limit=10**9)} => qr/ValueError: zed\.top: limit must be a whole number from 1 to 10000/,
		q{zed.quantiles('mini:tick', 'n', quantiles=[101])} => qr/ValueError: zed\.quantiles: quantiles are percents/,
		q{zed.quantiles('mini:tick', 'n', quantiles=5)} => qr/TypeError: zed\.quantiles: quantiles must be a list/,
		q{zed.Aggregation()} => qr/TypeError: cannot create/,
	);
	for my $code (sort keys %bad) {
		my $r = zedpython($dat, \"import zed\nx = $code\nprint('ran')\n");
		like($r->{err}, $bad{$code}, "$code is refused (else: a script whose question makes no sense answers something else)");
		is("$r->{status} $r->{out}", '255 ', '... and nothing runs');
	}
}

# ---------------------------------------------------------------- at the end, and between

{
	my $said = sub { my ($code, @o) = @_; my $r = zedpython(@o, $dat, \"import zed\n$code"); return "$r->{status} $r->{out}" . $r->{err} =~ s{/\S+/}{}r };
	my $table = "count, mini:tick by cpu where n > 1\ncpu  count\n  0      5\n  1      4\n";
	is($said->("zed.count('mini:tick', by='cpu', where='n > 1')\n"), "0 $table", 'what no variable holds is printed at the end');
	is($said->("def trace_begin():\n    zed.count('mini:tick', by='cpu', where='n > 1')\n    zed.hist('mini:tick', 'n', where='n == 4')\ndef trace_end():\n    print('end')\n"),
		"0 end\n$table\nhist of n, mini:tick where n == 4\n  count 1, min 4, max 4\n  [4, 8)  1  ########################################\n", 'behind trace_end, in order');
	like($said->("n = zed.count('mini:tick')\n"), qr/^0 zedpython: \S+ line 2: zed\.count: its answer was never used/, 'one that nobody asks');
	is($said->("n = zed.count('mini:tick')\ndef trace_end():\n    n.total\n"), '0 ', 'one that is asked, without a print');
	like($said->("zed.count('mini:tick').print()\n"), qr/\A0 count, mini:tick: no events\nzedpython: the script has no handlers/, 'not one that was asked before it goes');
	for my $every (['--every', '4ms'], ['--every', '4ms,total']) {
		my $perl = zedperl(@$every, $dat, \'Zed::count("mini:tick", by => "cpu"); Zed::hist("mini:tick", "n"); sub trace_interval { print "interval @_\n" } sub trace_end { print "end\n" }');
		my $python = zedpython(@$every, $dat, \"import zed\nzed.count('mini:tick', by='cpu')\nzed.hist('mini:tick', 'n')\ndef trace_interval(a, b):\n    print('interval', a, b)\ndef trace_end():\n    print('end')\n");
		same($python->{out}, $perl->{out}, "@$every: the answers of intervals are those of Perl") or diag $python->{err};
		like($perl->{out}, qr/interval .*interval /s, '... and there are several');
	}
}
SKIP: {
	skip $no_extension, 1 if $no_extension;
	my $r = python(\<<'E', $dat);
import gc, sys, zed
trace = zed.open(sys.argv[1])
n, dropped = trace.count("mini:tick", by="cpu"), trace.count("mini:tick")
del dropped
for ev in trace:
    if ev["n"] == 5:
        print(n.total)
trace.close()
print(n.total, dict(n), n.stop(), n.clear(), n.total)
later = zed.open(sys.argv[1])
for again in range(2):
    m = later.sum("mini:tick", "n")
    print(sum(1 for ev in later), m.total)
E
	is("$r->{out}$r->{err}", "5\n10 {0: 5, 1: 5} None None 0\n10 55\n10 55\n", 'beside an iteration; the answer outlives its trace') or diag $r->{err};
}

done_testing();
