# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.open(): what is chosen of one input or several, by times as people write them, by an index, by stable events; what is
# known of a trace before it is read; damage and losses; all beside zedprint's rows or known answers.  Without it a window of
# Python has other events than the same window of zedprint.
# of: interp/python/trace_object.c interp/python/base/opened.c interp/python/base/opened_unmet.c interp/python/base/trace_words.c run/synthetic/event_choice.c
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Files;
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp);
use Run::Python;
use Run::Zedperl;

plan skip_all => extension_missing() if extension_missing();
my $own = abs_path(dirname(__FILE__) . '/../data');
my $demo = "$own/demo.dat";

sub says {
	my ($code, $path, $env) = @_;
	my $r = python({ memory => 600_000, env => $env // {} }, \"import sys, warnings, zed\nwarnings.formatwarning = lambda m, c, *a, **k: f'{c.__name__}: {m}\\n'\npath = sys.argv[1]\n$code\n", $path);
	return $r->{out} . $r->{err};
}

# "TIME CPU SYSTEM:EVENT" of the rows that zedprint shows.
sub rows_of {
	my (@words) = @_;
	my $r = zed_run({ env => { XDG_CACHE_HOME => '', HOME => '' } }, 'zedprint', '-f', 'json', @words);
	return join '', map { /^{"ts":(\d+),"event":"([^"]+)","cpu":(\d+)/ ? "$1 $3 " . ($2 =~ s/::/:/r) . "\n" : () } split /\n/, $r->{out};
}
my $rows = "for ev in trace: print(ev.ts, ev.cpu, ev.name)";

# ---- the same choice in both
for my $case (
	["start='7.2', end='7.3'", '--start', '7.2', '--end', '7.3'], ["start='+50ms', end='-0.1'", '--start', '+50ms', '--end', '-0.1'], ["start=7200000000, end=7300000000", '--start', '7.2', '--end', '7.3'],
	["events='sched'", '--event', 'sched'], ["events=['sched:*wak*', 'irq']", '--event', 'sched:*wak*,irq'], ["events='sched:switch'", '--event', 'sched:sched_switch'],
	["cpus='1-2'", '--cpu', '1-2'], ["cpus=3, events='sched'", '--cpu', '3', '--event', 'sched'], ["tasks='find', start='+1ms'", '--comm', 'find', '--start', '+1ms'], ["tasks=['find', 'kwork*']", '--comm', 'find,kwork*'],
	["where='sched:sched_switch: next_pid == 0', events='sched:sched_switch'", '-F', 'sched:sched_switch: next_pid == 0', '--event', 'sched:sched_switch'],
	["where=['raw_syscalls: id == 262', 'sched: common_pid == 0']", '-F', 'raw_syscalls: id == 262', '-F', 'sched: common_pid == 0'], ["pids=[0, 140]", '--pid', '0,140'],
) {
	my ($words, @options) = @$case;
	my $want = rows_of(@options, $demo);
	my $got = says("trace = zed.open(path, $words)\n$rows", $demo);
	ok($got eq $want && $want ne '', "open(path, $words): as zedprint @options (else: another choice)") or diag substr($got, 0, 600), "\n--\n", substr($want, 0, 300);
}
like(says("zed.open(path, start=7.3)", $demo), qr/^TypeError: start: expected seconds as text \("12\.5"\), or ns as int, not float\n/m, 'a time as float (else: one in seconds is taken for ns)');
like(says("zed.open(path, start='7.3', end='7.2')", $demo), qr/^zed\.Error: start 7\.300000000 is after end 7\.200000000: no event can pass\n/m, 'an empty window');
is(says("for words in ({n: v} for n in ('events', 'cpus', 'pids', 'tasks') for v in ([], ())):\n    try: print(zed.open(path, **words))\n    except ValueError as e: print(e)\nprint(sum(1 for ev in zed.open(path, where=[], events=None, pids=None)) > 0)", $demo),
	join('', map { "$_: the list is empty: None means all\n" x 2 } qw(events cpus pids tasks)) . "True\n", 'an empty list (else: a list that came out empty chooses all)');
is(says("for pids in ([140, 'find'], '', '1,', -1, 2**31):\n    try: zed.open(path, pids=pids)\n    except zed.Error as e: print(e)\nprint(zed.open(path, pids=['0', 2**31 - 1]))", $demo),
	join('', map { "pids: '$_' is not a pid: a list reads 12,34 (tasks takes names)\n" } 'find', '', '', -1, 2 ** 31) . "<zed.Trace ['$demo']>\n", 'what is no pid (else: an option of the command line is named)');
like(says("zed.open(path, where='sched_switch: (next_pid')", $demo), qr/^zed\.Error: where: .*\n  sched_switch: \(next_pid\n +\^\n/m, 'where the mistake is');
like(says("zed.open(path, events='sched:sched_swich')", $demo), qr/sched:sched_switch/, 'an event that was nearly meant');

# ---- what no event met: the times of demo.dat are what zedprint says
my ($from, $to) = (split ' ', rows_of($demo))[0, -3];
my $times = join ' to ', map { s/(\d{9})\z/.$1/r } $from, $to;
for (
	["cpus=[77]", 'cpus: the trace has no event of these CPUs'], ["tasks='nosuch'", "tasks: no event of a task called 'nosuch' was read"], ["pids=[0, 99999]", 'pids: no event of the task 99999 was read'],
	["start='100'", "start 100.000000000 is after the end of the trace: its events are from $times"], ["end='1'", "end 1.000000000 is before the beginning of the trace: its events are from $times"],
	["where='sched:sched_switch: next_pid == 4000000', events='sched:sched_switch'", 'where: no event matched'], ["start=$from, end=$from, cpus='0-99', events='sched:sched_process_exit'", 'events: none of these occurred'],
	["pids=0, tasks='find'", 'pids, tasks: no event of a task that matches both'],
) {
	my ($words, $want) = @$_;
	my $read = $words =~ /0, 99999/ ? '' : "0\n";
	for ('print(sum(1 for ev in trace))', "n = trace.count('*:*')\ntrace.run()\nprint(n.total)", 'print(sum(len(b["ts"]) for b in trace.batches(["ts"])))') {
		my $said = says("trace = zed.open(path, $words)\n$_", $demo);
		like($said, qr/\A(?:\d+\n)?TraceWarning: open: \Q$want\E\n\z/, "open($words) is said to have met nothing (else: an empty answer is believed)");
		like($said, qr/\A$read/, '... with nothing');
	}
}
is(says("for ev in zed.open(path, $_): pass\nfor ev in zed.open(path, cpus=77): break", $demo), "TraceWarning: open: cpus: the trace has no event of these CPUs\n", "nothing to say: $_") for "start='7.2', cpus=0, pids=0", "tasks='find'", "events='sched'";

# ---- several inputs, by time
my ($one, $two) = map { my $k = $_; trace(events => [map { [0, 1000 * (2 * $_ + $k), 'mini::tick', 10 * $_ + $k] } 1 .. 3]) } 0, 1;
is(says("trace = zed.open([path, '$two'])\nprint([(ev['n'], ev.source) for ev in trace], trace.paths == [path, '$two'])", $one), "[(10, 0), (11, 1), (20, 0), (21, 1), (30, 0), (31, 1)] True\n", 'two inputs are merged by time');

# ---- what is known before it is read
my $r = zed_run('zedprint', '--summary', $demo);
my ($uname) = $r->{out} =~ /(Linux \S+ \S+ \S+)/;
is(says("trace = zed.open(path)\nprint(trace.clock, trace.ncpus, trace.start, trace.end, trace.lost, trace.losses, trace.uname, repr(trace) == f'<zed.Trace {[path]}>')", $demo),
	"global 4 7126608395 7523768013 0 {'events': 0, 'places': 0, 'unknown': 0, 'timeless': 0} " . ($uname // '') . " True\n", 'clock, CPUs, times, machine');
is(says("trace = zed.open(path)\nnames = trace.events()\nprint(names == sorted(set(names)), 'sched:sched_switch' in names, {ev.name for ev in trace} <= set(names))", $demo), "True True True\n", 'names of events');

# ---- losses and damage: known when it has been read, and said once
my $lossy = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 7], [0, 3000, 'mini::tick', 3, -1]]);
is(says("trace = zed.open(path)\nfor ev in trace: print(ev.lost, trace.lost, trace.losses['places'])", $lossy), "0 0 0\n7 7 1\nNone 7 2\nTraceWarning: $lossy: 7 lost, an unknown number at 1 place\n", 'losses so far, and at the end');
for (["start=42382344416", 257, 0], ["end=42382344416", 253, 339]) {
	my ($words, $n, $placed) = @$_;
	my $said = ($placed ? "TraceWarning: $own/be_lost.dat: $placed lost\n" : '') . "TraceWarning: $own/be_lost.dat: 594 events of the whole trace were lost at unknown times (the recorder's statistics): some may be in the time that was asked for\n";
	is(says($_, "$own/be_lost.dat"), "$n $placed\n$said", "losses without a time, $words (else: a part of a trace seems to have lost nothing)")
		for "trace = zed.open(path, $words)\nprint(sum(1 for ev in trace), trace.lost)", "trace = zed.open(path, $words)\nprint(sum(len(b['ts']) for b in trace.batches(['ts'])), trace.lost)";
}
my $bytes = slurp($one);
my $bad = spew(zed_tmp() . '/bad.dat', substr $bytes, 0, length($bytes) - 3000);
my $said = says("trace = zed.open(path)\nfor ev in trace: pass\nfor ev in trace: pass\nprint('read')", $bad);
like($said, qr{\Aread\n(?:TraceWarning: \S*bad\.dat: .*\n)+\z}, 'damage is a warning, and the rest is read');
like(says("trace = zed.open(path, strict=True)\nfor ev in trace: pass\n", $bad), qr/^zed\.Error: \S*bad\.dat: /m, '... with strict an error');

# ---- an index of the cache folder is used, and changes nothing
my %cache = (XDG_CACHE_HOME => zed_tmp() . '/cache', HOME => '/nonexistent');
mkdir $cache{XDG_CACHE_HOME};
zed_run({ env => \%cache }, 'zedprint', '--index', '--head', 1, $demo);
my @index = glob "$cache{XDG_CACHE_HOME}/zedperl/*.index";
is(@index, 1, 'zedprint has made an index');
my $window = "trace = zed.open(path, start='7.4', end='7.45')\nfor ev in trace: print(ev.ts, ev.cpu, ev.comm, ev.sequence, ev.text)\nprint(trace.lost)";
my $with = says($window, $demo, \%cache);
my $without = says($window, $demo, { XDG_CACHE_HOME => '', HOME => '' });
ok($with eq $without && $with =~ /^74\d+ /m, 'a window with the index is the same as without');

# ---- a signal, where no event passes: the loss before the last one has not been met
my $many = trace(events => [(map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 20_000), [0, 30_000_000, 'mini::tick', 1, 7]]);
is(says("import signal\nclass Alarm(Exception): pass\ndef alarm(*a): raise Alarm()\nsignal.signal(signal.SIGALRM, alarm)\ntrace = zed.open([path] * 100, where='mini: n == -1')\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\n" .
	"try:\n    for ev in trace: print(ev)\nexcept Alarm: print('alarm', trace.lost)\nfor ev in trace: print(ev)\nprint(trace.lost)", $many) =~ s/^TraceWarning.*\n//mgr, "alarm 0\n700\n", 'a signal is handled while nothing passes the filter (else: Ctrl-C waits for the end), and the rest can be read');

# ---- the last events: one that is kept is asked for what it was, and the next one still has the name of its time
my $types = { 'sched::sched_switch' => field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1) . field_text('int prev_prio', 28, 4, 1) .
	field_text('long prev_state', 32, 8, 1) . field_text('char next_comm[16]', 40, 16, 1) . field_text('pid_t next_pid', 56, 4, 1) . field_text('int next_prio', 60, 4, 1) };
my $renamed = trace(types => $types, events => [map { my $k = $_; map { [0, 10_000 * (2 * $k + $_), 'sched::sched_switch',
	pack('a16 l l q a16 l l', $_ ? ('idler', 901) : ("n$k", 900), 120, 0, $_ ? ('n' . ($k + 1), 900) : ('idler', 901), 120), undef, undef, 900 + $_] } 0, 1 } 1 .. 5]);
is(zedpython('--tail', 5, $renamed, \"import zed\nkept = []\n\@zed.on('sched:sched_switch')\ndef f(ev, prev_comm):\n    before = ev.comm\n    print(before, [k.text and k['cgroup'] and k.comm for k in kept], ev.comm, ev['comm'])\n    kept.append(ev)\n")->{out},
	"idler [] idler idler\nn4 ['idler'] n4 n4\nidler ['idler', 'n4'] idler idler\nn5 ['idler', 'n4', 'idler'] n5 n5\nidler ['idler', 'n4', 'idler', 'n5'] idler idler\n", 'names of kept events and of the current one, --tail (else: a name from the end)');

is(says("import os, signal, threading\ndef once(*a):\n    signal.signal(signal.SIGINT, signal.SIG_IGN)\n    raise KeyboardInterrupt\nsignal.signal(signal.SIGINT, once)\nr, w = os.pipe()\nos.dup2(r, 0)\ndone = threading.Event()\ndef press():\n    while not done.wait(0.01): os.kill(os.getpid(), signal.SIGINT)\nthreading.Thread(target=press).start()\n" .
	"try: zed.open('-')\nexcept KeyboardInterrupt: print('interrupted')\ndone.set()", $one), "interrupted\n", 'Ctrl-C while standard input has nothing (else: only kill -9 helps)');

# ---- closing
is(says("with zed.open(path) as trace:\n    first = next(trace)\nfor f in (lambda: next(trace), lambda: trace.start, trace.events, lambda: trace.batches(['ts']), trace.run, trace.__enter__):\n    try: f()\n    except zed.Error as e: print(e)\nprint(first.ts, first['n'], repr(trace))\ntrace.close()", $one),
	"the trace is closed\n" x 6 . "2000 10 <zed.Trace, closed>\n", 'a closed trace says so; an event of it stays');

done_testing();
