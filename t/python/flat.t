# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory is flat: over many events by handlers, aggregations, iteration, batches, kept events, errors; over many opened
# and abandoned traces; and a type that nobody asks about costs no object.  Python counts its blocks itself, so that one
# object in a thousand events that is not released is seen; a python3-dbg counts references as well:
#	make B=build/pydbg PYTHON=/usr/bin/python3.11-dbg PY_CFLAGS='-isystem /usr/include/python3.11d -DPy_DEBUG' build/pydbg/zedpython
# of: interp/python
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Pass;
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
my $no_extension = extension_missing();
my $MILLION = small(100_000, 600_000);

# A trace of N events of two types on two CPUs: numbers of all sizes, texts, an array, bytes; the pages are a few that
# come again and again at other times.
my $fields = field_text('int n', 8, 4, 1) . field_text('char who[16]', 12, 16, 1) . field_text('u64 big', 32, 8) . field_text('u32 v[4]', 40, 16) .
	field_text('u8 mac[6]', 56, 6) . field_text('s16 small', 62, 2, 1) . field_text('__data_loc char[] msg', 64, 4, 1);
sub long_trace {
	my ($n) = @_;
	my $record = sub {
		my ($d, $id, $k) = @_;
		return $d->common($id) . pack('l a16 Q L4 a6 s L a12', 100_000 * $k, "task-$k", 2**63 + $k, map({ $_ * $k * 1000 } 1 .. 4), "mac$k", -$k, 12 << 16 | 68, "message $k");
	};
	my $path = temp_path('.dat');
	Write::Dat->new(version => 6, page_size => 4096, cpus => 2, pid => 1000,
		formats => [map { [mini => Write::Dat::format_text($_->[0], $_->[1], $fields, '"n=%d", REC->n')] } ['tick', 300], ['tock', 301]],
		make_pages => sub {
			my ($d, $cpu) = @_;
			my $each = 45;
			my @data = map { my $p = $_; join '', map { $d->data_event($_ ? 1000 : 0, $record->($d, 300 + ($_ & 1), $each * $p + $_)) } 0 .. $each - 1 } 0 .. 7;
			return map { $d->page(1_000_000_000 + 100 * $cpu + 50_000 * $_, $data[$_ % @data]) } 0 .. $n / $each / 2;
		})->write($path);
	return $path;
}

# Blocks, memory and references after each tenth of the steps: the last three have no more than the four before.
my $count = <<'E';
import gc, sys, zed
class Flat:
    def __init__(self, total, steps=10):
        self.n, self.at, self.seen = 0, total // steps, []
    def step(self):
        self.n += 1
        if self.n % self.at == 0:
            gc.collect()
            rss = int(open("/proc/self/statm").read().split()[1])
            self.seen.append((sys.getallocatedblocks(), rss * 4, sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else 0))
    def say(self):
        if len(self.seen) < 9:
            print("only", self.n, "events")
            return
        # What Python keeps for later use goes up at first, and then up and down.
        blocks, kib, refs = (min(s[i] for s in self.seen[7:]) - min(s[i] for s in self.seen[3:7]) for i in range(3))
        most = 1000 if self.n > 10_000 else max(60, self.n // 4)
        print("flat" if blocks < most and kib < 512 and refs < 3 * most else "grows by %d blocks, %d KiB, %d references" % (blocks, kib, refs), self.n)
E

my $dat = long_trace($MILLION);
my $all = zedperl($dat, \'my $n = Zed::count("mini:*"); sub trace_end { print $n->total }')->{out};
cmp_ok($all, '>=', $MILLION, "a trace of $all events");

# In zedpython: handlers, which are called for all of the trace.
for (
	['a handler by name', "\@zed.on('mini:*')\ndef f(ts, cpu, n, who, big, v, mac, small, msg): flat.step()"],
	['a handler by position', "zed.handlers('mini')\ndef mini__tick(*args): flat.step()\ndef mini__tock(cpu, secs, nsecs, sequence, n, who, big, v, mac, small, msg): flat.step()"],
	['all fields by keyword', "\@zed.on('mini:*')\ndef f(ev, **fields): flat.step()"],
	['the event, kept a while', "import collections\nkept = collections.deque(maxlen=50)\n\@zed.on('mini:*')\ndef f(ev):\n    kept.append(ev)\n    kept[0]['who'], kept[-1].fields()\n    flat.step()"],
	['trace_unhandled', "def trace_unhandled(name, cpu, secs, nsecs, sequence, fields): flat.step()"],
	['a where, a default, a text', "\@zed.on('mini:*', where='n >= 0')\ndef f(ev, comm, nothing=5): ev.text, ev.comm, ev.get('msg'), 'n' in ev, flat.step()"],
	['aggregations beside', "a = [zed.count('mini:*', by=['event', 'who']), zed.hist('mini:*', 'n'), zed.top('mini:*', 'big', fields=['who'])]\n\@zed.on('mini:*')\ndef f(n): flat.step()"],
	['answers in between', "a = [zed.count('mini:*', by='cpu'), zed.stats('mini:*', 'n', by='cpu')]\n\@zed.on('mini:*')\ndef f(n): flat.n % 1000 or [x.rows and str(x) and x.total for x in a]; flat.step()"],
	['exceptions', "\@zed.on('mini:*')\ndef f(ev):\n    try: ev['nothing']\n    except KeyError: pass\n    flat.step()"],
	['handlers that come and go', "\@zed.on('mini:*')\ndef f(n):\n    if flat.n % 1000 == 0:\n        g = zed.on('mini:tick')(lambda n: None)\n        zed.off(g)\n    flat.step()"],
	['iteration', "for ev in zed.trace: ev.ts, ev['n'], ev['who'], flat.step()"],
) {
	my ($what, $text) = @$_;
	my $r = zedpython($dat, \("${count}flat = Flat($all)\n$text\ndef trace_end(): flat.say()\n"));
	like($r->{out}, qr/^flat $all$/m, "zedpython: $what") or diag $r->{out}, substr $r->{err}, 0, 1000;
}
{
	my $r = zedpython('--keep-going', $dat, \"${count}flat = Flat($all)\n\@zed.on('mini:*')\ndef f(n):\n    flat.step()\n    if n % 100 == 0: raise ValueError(n)\ndef trace_end(): flat.say()\n");
	like($r->{out}, qr/^flat $all$/m, 'zedpython: handlers that raise') or diag $r->{out}, substr $r->{err}, 0, 1000;
}

# In python3.
SKIP: {
	skip $no_extension, 1 if $no_extension;
	my $small = long_trace(600);
	my @more = map { Compare::RealData::own() . $_ } '/demo.dat', '/ltt-g1', '/perf/sched.data';
	for (
		['iteration', $dat, $all, "for ev in zed.open(path): ev.ts, ev.comm, ev['n'], ev['who'], ev['v'], ev['msg'], flat.step()"],
		['iteration, nothing read', $dat, $all, "for ev in zed.open(path): flat.step()"],
		['events that are kept for a while', $dat, $all, "import collections\nkept = collections.deque(maxlen=1000)\nfor ev in zed.open(path):\n    kept.append(ev)\n    kept[0]['who']\n    flat.step()"],
		['events in sets and dicts', $dat, $all, "d = {}\nfor ev in zed.open(path):\n    d[ev.cpu] = ev\n    repr(ev), list(ev), ev.stack, flat.step()"],
		['batches', $dat, $all, "for b in zed.open(path).batches(['ts', 'cpu', 'n', 'who'], rows=1000):\n    for i in range(len(b['ts'])): flat.step()"],
		['batches, columns that are kept', $dat, $all, "kept = None\nfor b in zed.open(path).batches(['ts', 'n'], rows=500):\n    kept, old = memoryview(b['n']), kept\n    for i in range(len(kept)): flat.step()"],
		['run() with handlers', $dat, $all, "with zed.open(path) as trace:\n    \@trace.on('mini:*')\n    def f(ev, n, who): flat.step()\n    trace.run()"],
		['traces, opened and read', $small, 1000, "for i in range(1000):\n    with zed.open(path, events='mini:tick', where='mini: n >= 0') as trace:\n        a = trace.count('mini:*', by='who')\n        for ev in trace: pass\n    a.rows\n    flat.step()"],
		['traces, opened and abandoned', $small, 1000, "for i in range(1000):\n    for ev in zed.open(path): break\n    kept = ev\n    flat.step()"],
		['traces that are read again', $small, 1000, "trace = zed.open(path)\nfor i in range(1000):\n    for ev in trace: pass\n    flat.step()"],
		['handlers that hold their trace', $small, 1200, "def one():\n    trace = zed.open(path)\n    \@trace.on('mini:tick')\n    def f(ev): trace.stop()\n    trace.run()\nfor i in range(1200): one(); gc.collect(); flat.step()"],
		['errors', '/nowhere.dat', 1000, "for i in range(1000):\n    for words in [dict(), dict(events='a:b'), dict(where='((')]:\n        try: zed.open(path, **words)\n        except zed.Error: pass\n    flat.step()"],
		['errors of a trace', $small, 300, "for i in range(300):\n    for words in [dict(events='no:such'), dict(where='(('), dict(start='x'), dict(cpus=[77777])]:\n        try: next(zed.open(path, **words))\n        except (zed.Error, StopIteration): pass\n    flat.step()"],
		map({ my $path = $_; [$path =~ s{.*/}{}r, $path, 100, "for i in range(100):\n    for ev in zed.open(path): ev.fields(), ev.text, ev.stack\n    flat.step()"] } small($more[1], undef) // @more),
	) {
		my ($what, $path, $steps, $text) = @$_;
		my $r = python(\"${count}import warnings\nwarnings.simplefilter('ignore')\npath = '$path'\nflat = Flat($steps)\n$text\nflat.say()\n");
		like($r->{out}, qr/^flat $steps$/m, "python3: $what") or diag $r->{out}, substr $r->{err}, 0, 1000;
	}
}

# ---- many types

{
	my $N = small(5000, 50_000);
	my $field = field_text('int n', 8, 4, 1);
	my %blocks;
	for my $n (10, $N) {
		my $path = trace(types => { map { ("many::event$_" => $field) } 1 .. $n }, events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'many::event5', pack 'l', 7], [0, 3000, 'mini::tick', 2]]);
		my $r = zedpython($path, \("import sys, zed\nbefore = sys.getallocatedblocks()\n\@zed.on('mini:tick')\ndef f(ev, n): pass\nzed.handlers('many')\ndef many__event5(*args): print(args[4])\n" .
			"def trace_end(): print(sys.getallocatedblocks() - before)"));
		(my $value, $blocks{$n}) = split /\n/, $r->{out};
		is($value, 7, "a trace of $n types") or diag $r->{err};
	}
	cmp_ok($blocks{$N} - $blocks{10}, '<', 100, "$N types make no more objects than 10") if defined $blocks{$N};
}

done_testing();
