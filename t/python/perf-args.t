# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a Python script that was written for perf gets: every argument of every event is perf's, beside perf itself; the list
# and the dict that are filled at first touch cannot be told from those of perf; its modules are built in; which scripts
# are run so.  Without it scripts compute with other values, or with empty lists.
# of: interp/python/perf interp/common/perf_names.c interp/common/perf_sample.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Perf;
use Run::PerfPython;
use Run::Program qw(:DEFAULT same spew);
use Run::Python;

plan skip_all => python_missing() if python_missing();
my $dir = zed_tmp();
my $data = 't/data/perf';
delete $ENV{PERF_EXEC_PATH};

# What SCRIPT prints for RECORDING; it says nothing else.
sub out_of {
	my ($what, $recording, $script, @words) = @_;
	my $r = zedpython(@words, $recording, \$script);
	is("$r->{status} $r->{sig} $r->{err}", '0 0 ', "$what: runs without a word (else: users look for a fault)");
	return $r->{out};
}

my $eight = 'event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain';
my $head = <<'PY';
import os, sys
sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')
from perf_trace_context import *
from Core import *
from Util import *
PY

# ---- the list and the dict that are filled when they are touched

{
	# Each way to touch one, on an event whose chain has frames: the first thing that is done with it.
	my @touches = map { split /\n/ } <<'PY';
len(c)
bool(c)
c[0]['ip']
c[-1]['ip']
len(c[1:])
[f['ip'] for f in c][0]
[f['ip'] for f in reversed(c)][-1]
len(list(c))
len([0] + c)
len(c + [0])
len(c * 2)
len([*c])
c == []
[] == c
c != []
c[0] in c
repr(c)[:7]
c.index(c[0])
len(c.copy())
len(copy.copy(c))
len(copy.deepcopy(c))
len(pickle.loads(pickle.dumps(c)))
len(json.loads(json.dumps(c)))
sorted(c, key=lambda f: f['ip'])[0] in c
len(extended(c))
len(grown(c))
len(assigned(c))
isinstance(c, list)
(lambda *a: len(a))(*c)
len(d)
bool(d)
d['comm']
d.get('comm')
d.get('nothing', 5)
'callchain' in d
'nothing' in d
list(d)[0]
list(reversed(d))[-1]
list(d.items())[0]
sorted(d.keys())[0]
len(list(d.values()))
len(dict(d))
len({**d})
len({'x': 1} | d)
len(d | {'x': 1})
d == {}
{} == d
repr(d)[:20]
len(copy.copy(d))
len(pickle.loads(pickle.dumps(d)))
d.pop('comm')
len(merged(d))
(lambda **k: k['comm'])(**d)
isinstance(d, dict)
list(d)[1:3] if d['comm'] else 0
d['sample']['cpu']
d['callchain'] is c
d['sample'] is d['sample']
PY
	my $script = $head . <<"PY";
import copy, json, pickle
def extended(c):
    x = [0]
    y = x
    x += c
    return y
def grown(c):
    x = [0]
    x.extend(c)
    return x
def assigned(c):
    x = [0]
    x[1:] = c
    return x
def merged(d):
    x = {}
    x.update(d)
    return x
touches = sys.argv[1:]
n = 0
def raw_syscalls__sys_enter($eight, id, args, perf_sample_dict):
    touch(common_callchain, perf_sample_dict, common_comm)
def raw_syscalls__sys_exit($eight, id, ret, perf_sample_dict):
    touch(common_callchain, perf_sample_dict, common_comm)
def touch(common_callchain, perf_sample_dict, common_comm):
    global n
    if len(touches) == n: return
    lazy = eval(touches[n], globals(), {'c': common_callchain, 'd': perf_sample_dict})
    full_c, full_d = list(common_callchain), dict(perf_sample_dict)
    if 'pop' in touches[n]: full_d = {'comm': common_comm}
    full = eval(touches[n], globals(), {'c': full_d.get('callchain', full_c), 'd': full_d})
    print(touches[n], '|', repr(lazy) == repr(full) or (lazy, full))
    n += 1
PY
	my $r = zedpython("$data/rawsys_g.data", \$script, @touches);
	is($r->{err}, '', 'touches: no exception');
	same($r->{out}, join('', map { "$_ | True\n" } @touches),
		'whatever a script does first with its call chain or its sample is what it does with a list and a dict (else: it looks empty)');
}
{
	my $script = $head . <<"PY";
kept = []
def raw_syscalls__sys_exit($eight, id, ret, perf_sample_dict):
    if len(kept) < 40: kept.append((common_callchain, perf_sample_dict, common_pid, common_comm))
def trace_end():
    print(len(kept), all(len(c) and c is d['callchain'] and d['comm'] == comm and d['sample']['pid'] == pid for c, d, pid, comm in kept),
        len({id(c) for c, d, pid, comm in kept}), len({d['sample']['time'] for c, d, pid, comm in kept}))
PY
	is(out_of('kept', "$data/rawsys_g.data", $script), "40 True 40 40\n", 'what a script keeps of an event stays what it was (else: it is another event\'s)');
	$script = $head . <<"PY";
seen = set()
def raw_syscalls__sys_exit($eight, id, ret, perf_sample_dict):
    seen.add((len(common_callchain) > 0, 'more' in perf_sample_dict, 'comm' in perf_sample_dict))
    common_callchain.clear()
    perf_sample_dict['more'] = 1
    del perf_sample_dict['comm']
def trace_end(): print(seen)
PY
	is(out_of('changed', "$data/rawsys_g.data", $script), "{(True, False, True)}\n", 'what a script writes into them is gone at the next event');
}
{
	my $script = $head . <<"PY";
def raw_syscalls__sys_exit($eight, id, ret, d): raise ValueError(d['comm'], len(common_callchain))
PY
	my $r = zedpython("$data/rawsys_g.data", \$script);
	like($r->{err}, qr/^ValueError: \('cat', 4\)$/m, 'an exception is told as it is');
	is($r->{status}, 255, '... and ends the run');
}

# ---- arguments, their number, by name

{
	my $script = $head . <<"PY";
seen = set()
def first(what):
    if what in seen: return False
    seen.add(what)
    return True
def sched__sched_switch(*a):
    if first('switch'): print(len(a), [type(x).__name__ for x in a], a[0])
def sched__sched_wakeup($eight, comm, pid, prio, target_cpu, d):
    if first('wakeup'): print(comm == d['raw_buf'][8:24].split(b'\\0')[0].decode(), common_pc(context) >= 0, d['ev_name'])
def trace_unhandled(event_name, context, event_fields_dict):
    if first('other'): print(list(event_fields_dict))
PY
	my @got = sort split /\n/, out_of('arguments', "$data/sched.data", $script);
	is_deeply(\@got, [
		"15 ['str', 'PyCapsule', 'int', 'int', 'int', 'int', 'str', 'list', 'str', 'int', 'int', 'int', 'str', 'int', 'int'] sched__sched_switch",
		'True True sched:sched_wakeup',
		"['common_cpu', 'common_s', 'common_ns', 'common_pid', 'common_comm', 'common_callchain', 'filename', 'pid', 'old_pid']",
	], '*args gets all arguments but the sample; one parameter more gets that; trace_unhandled a dict') or diag "@got";
	my $first = "def sched__sched_wakeup($eight, comm, pid, prio, success, target_cpu):\n    print(comm, pid, prio, success, target_cpu, event_name)\n    os._exit(0) if not sys.stdout.flush() else 0\n";
	my $r = zedpython("$data/sched.data", \($head . $first));
	my $want = zedpython("$data/sched.data", \($head . $first =~ s/success, target_cpu\)/target_cpu)/r =~ s/success/1/r))->{out};
	is($r->{out}, $want, 'a handler for a kernel before 5.14 gets its fields by their names (perf: target_cpu in success)');
}
{
	my @said = map { zedpython("$data/sched.data", \($head . $_)) }
		"def sched__sched_wakeup($eight, comm, pid, prio, success, target_cpu): pass\n",
		'def sched__sched_wakeup(' . $eight =~ s/, common_callchain//r . ", comm, pid, prio): pass\n",
		"def sched__sched_wakeup($eight, comm): pass\n";
	like($said[0]{err}, qr/^zedpython: function sched__sched_wakeup was written for sched_wakeup of another kernel, .* by name; there is no success, which was always 1\n\z/, '... which is said once');
	like($said[1]{err}, qr/takes no common_callchain/, 'a handler of the time before call chains, too');
	is($said[2]{err}, '', 'one that takes fewer fields gets the first ones (perf: it ends with a TypeError)');
}
{
	my $script = $head . "def sched__sched_switch(e, ctx, *a):\n    global kept\n    kept = ctx\n    assert common_pc(ctx) >= 0\ndef trace_end():\n    print(common_pc(kept), common_flags(kept), common_lock_depth(perf_script_context))\n";
	is(out_of('context', "$data/sched.data", $script), "0 0 0\n", 'outside of events a context tells nothing (else: memory of others is read)');
	is(out_of('context', "$data/sched.data", "from perf_trace_context import perf_set_itrace_options\ndef trace_begin(): print(perf_set_itrace_options(perf_script_context, 'itrace=bewp'))\ndef sched__sched_switch(e, context, *a): pass\n"), "0\n",
		'perf_script_context is a name of the script, whatever it imports (else: NameError in intel-pt-events.py)');
	my $r = zedpython("$data/sched.data", \($head . "try: common_pc(7)\nexcept ValueError as e: print(e)\n"));
	is($r->{out}, "expected the context that a handler gets\n", '... and anything else is none');
}

# What a handler does not read is not made: so each argument by one that reads only this one, and by ones that hide it.
{
	my @names = (split(/, /, $eight), qw(prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio perf_sample_dict));
	my $list = join ', ', @names;
	my $shown = sub { my ($what) = @_; return $what eq 'perf_sample_dict' ? "perf_sample_dict['sample']['time']" : $what eq 'context' ? 'common_pc(context)' : $what };
	my @all = map { [split /\|/] } split /\n/, out_of('all', "$data/sched.data", $head . "def sched__sched_switch($list):\n    print(" . join(", ", map { $shown->($_) } @names) . ", sep='|')\n");
	cmp_ok(scalar @all, '>', 2, 'the recording has switches');
	for my $i (0 .. $#names) {
		my $got = out_of("one-$names[$i]", "$data/sched.data", $head . "def sched__sched_switch($list):\n    print(" . $shown->($names[$i]) . ")\n");
		same($got, join('', map { "$_->[$i]\n" } @all), "$names[$i] alone (else: what is not made is None)");
	}
	my %hidden = (
		locals => "print(locals()['common_pid'])", vars => "print(vars()['common_pid'])", eval => "print(eval('common_pid'))",
		exec => "exec('print(common_pid)')", frame => "print(sys._getframe().f_locals['common_pid'])", closure => '(lambda: print(common_pid))()',
		inner => "def show(): print(common_pid)\n    show()", list => 'print([common_pid for _ in (1,)][0])', generator => 'print(next(common_pid for _ in (1,)))',
		augmented => "common_pid += 0\n    print(common_pid)", format => 'print(f"{common_pid}")', call => "print(*(lambda **k: k.values())(x=common_pid))",
		deleted => "print(common_pid)\n    del common_pid", ternary => 'print(common_pid if event_name else 0)', many => 'x, y, z = common_pid, common_comm, common_cpu' . "\n    print(x)",
		try => "try: raise ValueError\n    except ValueError: print(common_pid)", with => "import contextlib\n    with contextlib.nullcontext(common_pid) as p: print(p)",
	);
	my $want = join '', map { "$_->[5]\n" } @all;
	for my $how (sort keys %hidden) {
		same(out_of("hidden-$how", "$data/sched.data", $head . "def sched__sched_switch($list):\n    $hidden{$how}\n"), $want,
			"$how: what is read in a way that is hard to see is there (else: None in silence)");
	}
}

# ---- process_event

{
	my $script = "n = 0\ndef process_event(d):\n    global n\n    n += 1\n    assert d['attr'][:4] == b'\\1\\0\\0\\0' and isinstance(d['sample'], dict)\ndef trace_end(): print(n)\n";
	my $r = zedpython("$data/sched.data", \$script);
	is($r->{out}, "0\n", 'process_event is for samples of counters alone, as in perf');
	like($r->{err}, qr/^zedpython: function process_event takes what perf passes: the script is run as perf does; --perf confirms this, --zed turns it off\n/, 'its name and parameter show that it is perf\'s');
	is(zedpython('--perf', "$data/sched.data", \$script)->{err}, '', '--perf says so without a word');
}

# ---- a trace.dat

{
	my $script = "n = 0\ndef trace_unhandled(name, context, fields, sample):\n    global n\n    n += 1\n    assert sample['comm'] == fields['common_comm'] and sample['sample']['time'] == fields['common_s'] * 1000000000 + fields['common_ns']"
		. " and sample['ev_name'].replace(':', '__') == name and len(sample['raw_buf']) and sample['callchain'] is fields['common_callchain'], sample\ndef trace_end(): print(n)\n";
	like(out_of('trace.dat', 't/data/demo.dat', $script, '--perf'), qr/^[1-9]\d+$/, 'of a trace.dat a script gets what perf record would have made');
}

# ---- its modules

{
	my $script = $head . <<'PY';
import EventClass, subprocess
def trace_begin():
    print(nsecs(3, 5), nsecs_secs(1500000000), nsecs_nsecs(1500000007), avg(10, 4), nsecs_str(1500000007), strerror(-2), strerror(99999))
    print(trace_flag_str(0), trace_flag_str(31), taskState(2), taskState(3), EventHeaders(1, 2, 3000, 4, 'x', []).ts_format())
    s = {}
    for v in 1, 5, 2: add_stats(s, 'k', v)
    print(s, FUTEX_WAIT, FUTEX_CMD_MASK, NSECS_PER_SEC)
    a = autodict()
    a['x']['y'] = 1
    print(dict(a['x']), len(a['none']), type(EventClass.create_event('n', 'c', 'd', 's', bytes(176))).__name__)
    define_flag_field('my__own', 'f', ',')
    define_flag_value('my__own', 'f', 1, 'A')
    define_flag_value('my__own', 'f', 6, 'BC')
    define_symbolic_field('my__own', 's')
    define_symbolic_value('my__own', 's', 5, 'five')
    print([flag_str('my__own', 'f', i) for i in (0, 1, 7, 2)], [symbol_str('my__own', 's', i) for i in (5, 7)], [flag_str('no', 'such', 1)])
    print(repr(os.environ['PERF_EXEC_PATH']), subprocess.run('printenv PERF_EXEC_PATH || echo none', shell=True, capture_output=True, text=True).stdout.strip())
first = True
def sched__sched_switch(*a):
    global first
    if first: print([flag_str('sched__sched_switch', 'prev_state', i) for i in (1, 2, 3)], syscall_name(1))
    first = False
PY
	is(out_of('modules', "$data/sched.data", $script), <<'OUT', 'Core, Util, EventClass of our own do what perf\'s do; names of flags are told before the first event');
3000000005 1 500000007 2.5     1.500000007 ENOENT Unknown 99999 errno
NONE IRQS_OFF | IRQS_NOSUPPORT | NEED_RESCHED | HARDIRQ | SOFTIRQ D Unknown 2.3
{'k': (1, 5, 2.5, 3)} 0 -385 1000000000
{'y': 1} 0 PebsNHM
['', 'A', 'A , BC', ''] ['five', ''] ['']
'' none
['S', 'D', 'S | D'] write
OUT
}

# ---- which convention

{
	my $bare = "n = 0\ndef raw_syscalls__sys_exit($eight, id, ret):\n    global n\n    n += 1\n    if n == 1: print(event_name, id)\n";
	my $r = zedpython("$data/rawsys_g.data", \$bare);
	is($r->{out}, "raw_syscalls__sys_exit 59\n", 'a script of perf\'s without its modules is run as one');
	like($r->{err}, qr/^zedpython: function raw_syscalls__sys_exit takes what perf passes: .*\n\z/, 'and that is said (else: nobody knows which arguments it got)');
	$r = zedpython('--zed', "$data/rawsys_g.data", \"def raw_syscalls__sys_exit(cpu, context, *a): print(type(context).__name__); zed.stop()\nimport zed\n");
	is($r->{out}, "int\n", '--zed: the arguments begin with the CPU, whatever the script looks like') or diag $r->{err};
	$r = zedpython("$data/rawsys_g.data", \"def load__file(path, context): pass\ndef raw_syscalls__sys_exit(cpu, *a): print(type(a[0]).__name__); zed.stop()\nimport zed\n");
	is("$r->{out}$r->{err}", "int\n", 'a function that no event can call shows nothing');
	for my $module (qw(Core Util EventClass perf_trace_context)) {
		$r = zedpython("$data/rawsys_g.data", \"import $module\n$bare");
		is("$r->{out}$r->{err}", "raw_syscalls__sys_exit 59\n", "import $module chooses perf's convention");
	}
}

# ---- hostile recordings

{
	my $w = Write::Perf->new;
	$w->format(mini => $Write::Perf::TICK);
	my @parts = qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW);
	# One id for two events: the last one has it; and a thousand more without any.
	$w->attr(type => 2, config => 300, parts => \@parts, ids => [7], name => "mini:ti\nck\e[2J");
	$w->attr(type => 2, config => 300, parts => \@parts, ids => [7], name => 'mini:tick');
	$w->attr(type => 1, config => $_, parts => \@parts, ids => [1000 + $_], name => "e$_\n\e]0;x\a\xff") for 1 .. 1000;
	$w->mmap(pid => 5, at => 0x1000, len => 0x1000, off => 0, name => "/a\n\e[2J\xff" . '%s%n' x 100, time => 900);
	$w->sample(0, time => 1000, cpu => 0, tid => 5, chain => [18446744073709551104, 0x1000], raw => $w->tick(5, 1));
	$w->sample(0, time => 1001, cpu => 4_000_000_000, tid => 5, chain => [(18446744073709550976) x 3], raw => $w->tick(5, 2));
	$w->sample(2, time => 1002, cpu => 1, tid => 5, chain => [18446744073709551104, 0x1000], raw => 'x' x 12);
	$w->record($_, 0xffff, '') for 1 .. 22, 64 .. 67, 69 .. 86, 1000;
	my $r = zedpython($w->write("$dir/hostile.data"), \($head . "def process_event(d): print('sample', ascii(d['ev_name']), len(d), len(d['raw_buf']), [f['ip'] for f in d['callchain']])\n"
		. "def trace_unhandled(name, context, fields, d): print(ascii(name), len(fields), len(d), d['sample']['cpu'], [ascii(f.get('dso'))[:6] for f in d['callchain']])\n"));
	is($r->{sig}, 0, 'names with control characters, ids twice, cut records: no crash') or diag $r->{err};
	like($r->{out}, qr/\A'mini__tick' 8 \d+ 0 \["'\/a\\\\n\\\\"\]\n'mini__tick' 8 \d+ 4000000000 \[\]\nsample 'e1[^\n']*' \d+ 12 \[4096\]\n\z/, '... what is intact is handled') or diag $r->{out};
}

# ---- beside perf

SKIP: {
	my $missing = perf_missing();
	skip $missing, 1 if defined $missing;
	my $script = dump_script();
	# Symbols, and what is known of files, are of the machine that reads.
	compare_python($_, "$data/$_.data", $script, qw(sym sym_off dso_bid dso_map_start dso_map_end symbol symoff)) for qw(sched rawsys_g sys_z pipe pipe_z_g forks_mono dir bigendian);
	perf_lived();
}

done_testing();
