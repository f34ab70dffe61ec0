# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.Event and zed.open in python3: an event that is kept says later what it said then; what is not there raises what
# Python people expect; the trace is closed, read again, broken off; damage and losses are warnings.  Without it a list of
# events is a list of the last one, or a notebook crashes.
# of: interp/python
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Files;
use Run::Process;
use Run::Python;
use Run::Zedperl;
use Write::ZedStream;

plan skip_all => extension_missing() if extension_missing();
my $own = Compare::RealData::own();

# What CODE prints, and says; PATH is the trace.
sub says {
	my ($code, $path, @options) = @_;
	my $r = python(@options, \"import gc, sys, warnings, zed\npath = sys.argv[1]\n$code", $path);
	return $r->{out} . $r->{err} . ($r->{sig} ? "signal $r->{sig}" : '');
}

my $dat = trace(events => [(map { [0, 1000 * $_, 'mini::tick', pack('l a8', $_, "n$_"), undef, undef, 100 + $_] } 1 .. 20)], comm => 'one', pid => 105);
my $lossy = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 7], [0, 3000, 'mini::tick', 3, -1], [0, 4000, 'mini::tick', 4]]);

# ---- kept events
my $keep = <<'E';
def all_of(ev): return (ev.ts, ev.cpu, ev.pid, ev.comm, ev.name, ev.sequence, ev.instance, ev.lost, ev.text, repr(ev), tuple(ev.stack), tuple(ev.items()), ev.cgroup, ev.get("common_pid"))
seen, kept = [], []
E
is(says("$keep\nfor ev in zed.open(path):\n    seen.append(all_of(ev)); kept.append(ev)\nprint(len(set(map(id, kept))), [all_of(ev) for ev in kept] == seen)", $dat), "20 True\n", 'all are kept, and are what they were (else: each is the last one)');
is(says("$keep\nfor i, ev in enumerate(zed.open(path)):\n    seen.append(all_of(ev)) if i % 3 == 0 else 0\n    kept.append(ev) if i % 3 == 0 else 0\nprint([all_of(ev) for ev in kept] == seen)", $dat), "True\n", 'some are');
is(says("$keep\nit = iter(zed.open(path))\na = next(it); b = next(it); c = next(it)\nprint(a['n'], b['n'], c['n'], a is b)", $dat), "1 2 3 False\n", 'next() and next()');
is(says("events = list(zed.open(path))\ngc.collect()\nprint([ev['n'] for ev in events] == list(range(1, 21)), events[4].comm, events[3].comm)", $dat), "True one <...>\n", 'list(trace), after the trace has gone (else: a crash)');
for my $path ("$own/demo.dat", "$own/stack.dat", "$own/perf/sched.data", "$own/perf/rawsys_g.data", "$own/ltt-g1", "$own/multibuf.dat", "$own/process.dat") {
	is(says("$keep\nfor ev in zed.open(path):\n    seen.append(all_of(ev)); kept.append(ev)\n    if len(kept) == 500: break\nn = sum(a != all_of(ev) for a, ev in zip(seen, kept))\nprint(n, len(kept) > 20)", $path, '-W', 'ignore'), "0 True\n", "kept events of $path");
}
is(says("with zed.open(path) as trace:\n    ev = next(trace)\nprint(ev['n'], ev.name, ev.text)\ntry: next(trace)\nexcept zed.Error as e: print('Error', 'closed' in str(e))", $dat), "1 mini:tick x\nError True\n", 'an event outlives its trace; the trace is closed');
is(says("\@zed.open(path).on('mini:tick')\ndef f(ev): pass\ntrace = zed.open(path)\nkept = []\n\@trace.on('mini:tick')\ndef g(ev): kept.append(ev)\ntrace.run()\ndel trace\ngc.collect()\nprint([ev['n'] for ev in kept][-3:])", $dat), "[18, 19, 20]\n", 'handlers keep events, too');
is(says("import threading\nresults = []\ndef work():\n    results.append(sum(ev['n'] for ev in zed.open(path)))\nthreads = [threading.Thread(target=work) for i in range(8)]\n[t.start() for t in threads]\n[t.join() for t in threads]\nprint(results)", $dat), '[' . join(', ', (210) x 8) . "]\n", 'traces in threads');
is(says("a, b = zed.open(path), zed.open(path)\nprint(all(x['n'] == y['n'] and x is not y for x, y in zip(a, b)))", $dat), "True\n", 'two traces beside each other');
is(says("trace = zed.open(path)\nfor ev in trace:\n    if ev['n'] == 3: trace.__exit__(None, None, None); break\nprint(ev['n'], ev.comm)", $dat), "3 <...>\n", 'closed inside of the loop');

# ---- what is not there
my $event = "ev = next(zed.open(path))\n";
for (
	["ev['wo']", "KeyError: \"mini:tick has no field 'wo'"], ["ev['whoo']", 'who'], ["ev[1]", 'KeyError'], ["ev[None]", 'KeyError'], ["ev.nothing", "AttributeError: 'zed.Event' object has no attribute 'nothing'"],
	["ev['\\0']", 'KeyError'], ["ev['\\udcff']", 'KeyError'], ["ev['x' * 10**6]", 'KeyError'], ["ev['who\\0']", 'KeyError'], ["del ev['n']", 'TypeError'], ["ev['n'] = 1", 'TypeError'], ["ev.ts = 1", 'AttributeError'],
	["zed.Event()", 'TypeError'], ["ev.get()", 'TypeError'], ["ev.get(1, 2, 3)", 'TypeError'], ["type('E', (zed.Event,), {})", 'TypeError'],
) {
	my ($code, $want) = @$_;
	like(says("$event$code", $dat), qr/\Q$want\E/, "$code raises");
}
is(says("${event}print(ev.get('wo'), ev.get('wo', 5), 'wo' in ev, 'who' in ev, 'ts' in ev, len(ev), list(ev), dict(ev), {**ev})", $dat), "None 5 False True True 2 ['n', 'who'] {'n': 1, 'who': 'n1'} {'n': 1, 'who': 'n1'}\n", 'a mapping');
is(says("import collections.abc, copy, pickle\n${event}print(isinstance(ev, collections.abc.Mapping), hash(ev) == hash(ev), ev == ev)\nfor f in copy.copy, copy.deepcopy, pickle.dumps:\n    try: f(ev)\n    except TypeError: print('TypeError')", $dat), "True True True\nTypeError\nTypeError\nTypeError\n", 'is a Mapping, is hashable, is not copied');
is(says("${event}match ev:\n    case {'n': n, 'who': who}: print(n, who)", $dat), "1 n1\n", 'match takes it');

# ---- open
for (
	["zed.open('/nowhere.dat')", qr/^zed\.Error: \/nowhere\.dat: cannot open it: No such file or directory/m], ["zed.open(7)", qr/TypeError/], ["zed.open([])", qr/(?:Value|Type|zed\.)Error/], ["zed.open(path, nothing=1)", qr/TypeError.*nothing/],
	["zed.open(path, events='mini:tock')", qr/Error: .*mini:tock.*|^$/], ["zed.open(path, where='mini: n ==')", qr/zed\.Error/], ["zed.open(path, start='soon')", qr/zed\.Error|ValueError/], ["zed.open(path, start=[])", qr/TypeError/],
	["zed.open(path, cpus='x')", qr/Error/], ["zed.open(path, pids=['x'])", qr/Error/], ["zed.open('a\\0b')", qr/ValueError|zed\.Error/],
	["zed.open(path + '\\udcff')", qr/zed\.Error/], ["zed.Trace()", qr/TypeError/],
) {
	my ($code, $want) = @$_;
	like(says("t = $code\nfor ev in t: pass", $dat), $want, "$code raises");
}
like(says("try: zed.open('/nowhere.dat')\nexcept zed.Error as e: print(e.path, '|', e.reason, '|', e)", $dat), qr{\A/nowhere\.dat \| (cannot open it: No such file or directory.*) \| /nowhere\.dat: \1$}m, 'an Error has its parts');
like(says("zed.open(path)", "$own/latency_v7.dat"), qr/^zed\.Error: \S+latency_v7\.dat: holds the text of a latency tracer, not events: .*zedprint shows it$/m,
	'what holds a text only raises (else: a trace of no events)');
is(says("import pathlib\nprint(sum(1 for ev in zed.open(pathlib.Path(path))), sum(1 for ev in zed.open([path, path])), sum(1 for ev in zed.open(path.encode())))", $dat) =~ /\A20 40 20\n/ ? 1 : 0, 1, 'a path, several, bytes');
for (
	["events='mini'", 20], ["start=5000", 16], ["start=5000, end=7000", 3], ["start='+0.000001'", 19], ["end='-5us'", 15], ["cpus=[0]", 20], ["cpus=[1]", 0], ["pids=[105]", 1], ["pids=[105, 106]", 2], ["tasks='one'", 1],
	["where='mini:tick: n > 15'", 5], ["where=['mini:tick: n > 15']", 5], ["relative=True", 20],
) {
	my ($words, $n) = @$_;
	is(says("warnings.simplefilter('ignore')\nprint(sum(1 for ev in zed.open(path, $words)))", $dat), "$n\n", "open(path, $words)");
}
is(says("print(next(zed.open(path, relative=True)).ts, next(zed.open(path)).ts)", $dat), "0 1000\n", 'relative times');

# ---- read again, broken off
is(says("trace = zed.open(path)\nprint(sum(ev['n'] for ev in trace), sum(ev['n'] for ev in trace))", $dat), "210 210\n", 'a file is read again');
is(says("trace = zed.open(path)\nfor ev in trace:\n    if ev['n'] == 5: break\nprint(next(trace)['n'])", $dat), "6\n", 'a loop that breaks off, and next()');
like(says("import os\ntrace = zed.open('/dev/stdin')\nprint(sum(1 for ev in trace))\ntry: print(sum(1 for ev in trace))\nexcept zed.Error as e: print('Error', e)", $dat, { stdin => $dat }), qr/\A20\n(?:20|Error .*)\n\z/, 'what is no file is not read again in silence');

# ---- warnings, which tell once
my $read = "trace = zed.open(path)\nfor ev in trace: pass\n";
like(says($read, $lossy), qr/\A\S+:\d+: TraceWarning: .*lost.*\n/, 'losses are a warning') or diag says($read, $lossy);
is(says("warnings.simplefilter('ignore')\n$read", $lossy), '', '... which may be ignored');
like(says("warnings.simplefilter('error', zed.TraceWarning)\ntry:\n    for ev in zed.open(path): pass\nexcept zed.TraceWarning as w: print('raised')", $lossy), qr/\Araised\n\z/, '... or be an error');
is(says("warnings.simplefilter('ignore')\nprint([ev.lost for ev in zed.open(path)])", $lossy), "[0, 7, None, 0]\n", 'what was lost before each');
is(says("print([(b['ts'].tolist() if hasattr(b['ts'], 'tolist') else memoryview(b['ts']).tolist()) for b in zed.open(path).batches(['ts'], rows=15)])", $dat), '[[' . join(', ', map { 1000 * $_ } 1 .. 15) . '], [' . join(', ', map { 1000 * $_ } 16 .. 20) . "]]\n", 'batches of 15');
is(says("b = next(iter(zed.open(path).batches(['n', 'who', 'ts'])))\nm = memoryview(b['n'])\nprint(m.format, m.nbytes, b['who'][:2], memoryview(b['ts']).format)\ndel b\ngc.collect()\nprint(m[19])", $dat), "i 80 ['n1', 'n2'] q\n20\n", 'columns are buffers that outlive their batch');
like(says("for b in zed.open(path).batches(['nothing']): print(b)", $dat), qr/Error: .*nothing/, 'a column that no event has');

# ---- code that runs in the middle of reading: signal handlers, warnings, other threads
my $long = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 20_000]);
for my $does ("trace.close()", "next(trace)", "list(trace)", "trace.run()", "trace.count('mini:*')", "trace.events()", "del trace") {
	my $said = says("import signal\ndef act(*a):\n    global trace\n    try: $does\n    except (zed.Error, StopIteration, NameError): pass\nsignal.signal(signal.SIGUSR1, act)\ntrace = zed.open(path)\nn = 0\n" .
		"try:\n    for ev in trace:\n        n += 1\n        n % 1000 or signal.raise_signal(signal.SIGUSR1)\nexcept zed.Error: pass\nprint('ended', ev['n'] >= n)", $long);
	is($said, "ended True\n", "$does in a signal handler");
	$said = says("def show(*a, **k):\n    global trace\n    try: $does\n    except (zed.Error, StopIteration): pass\nwarnings.showwarning = show\nwarnings.simplefilter('always')\ntrace = zed.open(path)\n" .
		"try:\n    for ev in trace: pass\nexcept zed.Error: pass\nprint('ended')", $lossy);
	is($said, "ended\n", "$does where a warning is shown");
}
{
	my $zed = Write::ZedStream::from_dat("$own/demo.dat")->write(temp_path('.zed'));
	my $script = python_script("import sys, threading, zed\ntrace = zed.open('-')\nn = []\ndef work():\n    try:\n        for ev in trace: n.append(ev.text)\n    except zed.Error as e: pass\n" .
		"threads = [threading.Thread(target=work) for i in range(4)]\n[t.start() for t in threads]\n[t.join() for t in threads]\nprint('ended', len(n) > 0)\n");
	my $out = temp_path();
	my ($status) = reap(spawn({ stdout => $out }, 'sh', '-c', 'stream=$1; shift; (dd if="$stream" bs=4000 2> /dev/null) | "$@"', 'sh', $zed, python_words(), $script), 60);
	is(slurp($out) . $status, "ended True\n0", 'a pipe that four threads read at once');
}

# ---- arguments that run Python, which closes the trace
for my $call ("top('mini:tick', 'n', limit=It())", "count('mini:tick', max_keys=It())", "synthetic('a:b', start='mini:tick', end='mini:tick', max_pending=It())", "symbol(It())", "comm(It())",
	"cgroup(1, It())", "errno(It())", "syscall(1, It())", "spans(It())", "duration(It())", "flag_str('n', It())", "off(It())", "on('mini:tick')(It())") {
	is(says("import inspect\nclass It:\n    def __index__(self):\n        trace.close()\n        return 5\n    __float__ = lambda self: float(self.__index__())\n    def __eq__(self, other): return self.__index__() == 5\n    def __call__(self): pass\n" .
		"    \@property\n    def __signature__(self):\n        self.__index__()\n        return inspect.signature(lambda: 0)\ntrace = zed.open(path)\ntrace.on('mini:tick')(print)\ntry: trace.$call\nexcept zed.Error as error: print(error)", $dat), "the trace is closed\n", "$call, which closes it (else: memory that was freed)");
}

done_testing();
