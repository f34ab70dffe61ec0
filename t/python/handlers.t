# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.on, off, when and handlers on made traces: which events a name means, what a parameter gets, who is called in which
# order, how handlers come and go while the trace is read.
# of: interp/python
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

my $dat = trace(events => [map { [0, 1_000_000 * $_, 'mini::tick', $_] } 1 .. 4]);

# A trace with the scheduler's types, and two systems that have a name in common.
my $wake = field_text('char comm[16]', 8, 16, 1) . field_text('pid_t pid', 24, 4, 1) . field_text('int prio', 28, 4, 1)
	. field_text('int target_cpu', 32, 4, 1);
my $switch = field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1)
	. field_text('int prev_prio', 28, 4, 1);
my %types = ('sched::sched_wakeup' => $wake, 'sched::sched_waking' => $wake, 'sched::sched_switch' => $switch,
	'other::sched_wake' => field_text('u32 v', 8, 4), '9p::9p_req' => field_text('u32 v', 8, 4),
	'x-y::a.b' => field_text('u32 v', 8, 4));
sub woken { return pack 'a16 l3', @_ }
my $sched = trace(types => \%types, cmdlines => "77 mini\n5 five\n", events => [
	[0, 1000, 'sched::sched_wakeup', woken('sh', 12, 120, 1), undef, undef, 5],
	[0, 2000, 'sched::sched_waking', woken('cat', 13, 99, 0)],
	[0, 3000, 'sched::sched_switch', pack 'a16 l2', 'sh', 12, 120],
	[0, 4000, 'other::sched_wake', pack 'L', 7], [0, 5000, '9p::9p_req', pack 'L', 8],
	[0, 6000, 'x-y::a.b', pack 'L', 9], [0, 7000, 'mini::tick', 1]]);
# One with an id that has no format: its type is there only when a record of it is met.
my $late = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 999, "\0" x 8], [0, 3000, 999, "\0" x 8]]);

# What a script prints, its lines joined by blanks; then what it says.
sub run { my ($input, $text, @options) = @_; return zedpython(@options, $input, \"import zed\n$text") }
sub gives {
	my ($input, $text, $out, $what, @options) = @_;
	# With trace_end a script has a handler.
	my $r = run($input, $text =~ /trace_end/ ? $text : "${text}\ndef trace_end(): pass\n", @options);
	is(join(' ', split ' ', $r->{out}), $out, $what) or diag $r->{err};
	is("$r->{status} $r->{err}", '0 ', "$what: nothing to say");
	return $r;
}

{	# Without it: a pattern listens to more or to less than it says.
	my @wake = qw(sched:sched_wakeup sched:sched_waking);
	my @all = (@wake, qw(sched:sched_switch other:sched_wake 9p:9p_req x-y:a.b mini:tick));
	my %is = (
		'sched:sched_wakeup' => [$wake[0]], 'sched::sched_wakeup' => [$wake[0]], 'sched:sched_w*' => \@wake,
		'sched' => [@all[0 .. 2]], 'sched:*' => [@all[0 .. 2]], '*:sched_wak*' => [@all[0, 1, 3]], '*:*' => \@all, '9p:9p_req' => ['9p:9p_req'],
		'x-y:a.b' => ['x-y:a.b'],
	);
	gives($sched, "\@zed.on('$_')\ndef f(event): print(event)\n", "@{$is{$_}}", "'$_' are the events that it names") for sort keys %is;
	my $r = run($sched, "\@zed.on('sched:sched_wakup')\ndef f(): print('no')\n\@zed.on('shed:*')\ndef g(): print('no')\n");
	is($r->{out}, '', 'a misspelt name listens to nothing');
	like($r->{err}, qr/\A.*line 2.*sched:sched_wakup.*did you mean.*sched_wakeup.*\n.*line 4.*shed.*did you mean.*sched.*\n\z/, 'and is told with the nearest and its place');
	is($r->{status}, 0, 'which is no failure');
	gives($sched, "\@zed.on('no:such', optional=True)\ndef f(): pass\n", '', 'optional');
	is(run($late, "\@zed.on('unknown:id_999')\ndef f(name, ts, pid): print(name, ts, pid)\n\@zed.on('*:*')\ndef g(): print('*')\n")->{out},
		"*\nunknown:id_999 2000 77\n*\nunknown:id_999 3000 77\n*\n", 'a handler waits for a type that comes later');
}

{	# Without it: a parameter is not what it is called after, the very thing that names are to cure.
	my $on = "\@zed.on('sched:sched_wakeup')\n";
	my %get = (
		'pid, prio, target_cpu, comm' => '12 120 1 sh', 'cpu, secs, nsecs, sequence' => '0 0 1000 1', 'ts, tid, event, name' => '1000 5 sched:sched_wakeup sched:sched_wakeup',
		'common_pid, common_flags, common_comm, common_cpu' => '5 1 five 0', '*, prio, pid' => '120 12', 'comm, /, pid' => 'sh 12', 'pid, *rest, prio' => '12 120',
		'prio=7, nice=19' => '120 19', '*, nice=19, pid=0' => '19 12',
	);
	for my $list (sort keys %get) {
		my $names = join ', ', grep { /^\w/ } map { s/=.*//sr } split /, /, $list =~ s/\*rest, //r;
		gives($sched, "${on}def f($list): print($names)\n", $get{$list}, "f($list)");
	}
	gives($sched, "${on}def f(ev, pid): print(ev.name, ev['pid'], pid)\n", 'sched:sched_wakeup 12 12', 'ev is the Event');
	gives($sched, "${on}def f(pid, **more): print(pid, sorted(more.items()))\n", "12 [('comm', 'sh'), ('prio', 120), ('target_cpu', 1)]", '**kwargs gets the other fields');
	gives($sched, "${on}def f(): print('called')\n", 'called', 'no parameter');
	gives($sched, "class C:\n    def method(self, pid): print(self.x, pid)\nc = C()\nc.x = 5\nzed.on('sched:sched_wakeup')(c.method)\n", '5 12', 'a method');
	gives($sched, "zed.on('sched:sched_wakeup')(lambda prio: print(prio))\n", '120', 'a lambda');
	gives($sched, "import functools\nzed.on('sched:sched_wakeup')(functools.partial(lambda x, pid: print(x, pid), 'p'))\n", 'p 12', 'a partial');
	gives($sched, "class C:\n    def __call__(self, pid): print('object', pid)\nzed.on('sched:sched_wakeup')(C())\n", 'object 12', 'an object that can be called');
	gives($sched, "import functools\ndef loud(f):\n    \@functools.wraps(f)\n    def inner(*a, **k): print('loud'); return f(*a, **k)\n    return inner\n${on}\@loud\ndef f(pid): print(pid)\n",
		'loud 12', 'what a decorator has made takes what the function takes');
	my $r = run($dat, "\@zed.on('mini:tick')\ndef f(n, whoo, who): print(n, whoo, who)\n");
	is($r->{out}, join('', map { "$_ None cpu0\n" } 1 .. 4), 'a misspelt field is None');
	like($r->{err}, qr/\A.*line 2.*\bwhoo\b.*None.*did you mean.*\bwho\b.*\n\z/, 'one line names the nearest');
	gives($dat, "\@zed.on('mini:tick')\ndef f(n, whoo='-'): print(n, whoo)\n", '1 - 2 - 3 - 4 -', 'a default says that it may be missing');
	my $two = trace(version => 6, instances => ['foo'], events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, undef, 'foo']]);
	gives($two, "\@zed.on('mini:tick')\ndef f(n, instance, ts, secs, nsecs): print(n, instance, ts, secs, nsecs, sep='|')\n", '1||0|0|0 2|foo|1000|0|1000', 'times with --relative', '--relative');
}

{	# Without it: the convention of 2009 gives other values than Perl's subs get.
	my @get = (
		['*args', 'args', '(0, 0, 1000, 1, \'sh\', 12, 120, 1)'], ['cpu, secs, nsecs, sequence, comm, pid, prio, target_cpu', 'comm, pid, prio, target_cpu', 'sh 12 120 1'],
		['cpu, secs, nsecs, sequence, prio, comm', 'prio, comm', '120 sh'], ['a, b, c, d, e, f, g', 'a, b, c, d, e, f, g', '0 0 1000 1 sh 12 120'],
		['cpu, secs, nsecs, sequence, comm, *rest', 'comm, rest', 'sh (12, 120, 1)'], ['cpu, secs, nsecs, sequence, pid, *rest', 'pid, rest', "12 ('sh', 120, 1)"],
		['cpu, *, prio', 'cpu, prio', '0 120'], ['cpu, secs, nsecs, sequence, pid, **more', 'pid, sorted(more)', "12 ['comm', 'prio', 'target_cpu']"], ['', '"none"', 'none'],
	);
	gives($sched, "def sched__sched_wakeup($_->[0]): print($_->[1])\n", $_->[2], "sched__sched_wakeup($_->[0])") for @get;
	my $r = run($sched, "def sched__sched_wakeup(cpu, secs, nsecs, sequence, prio, nice): print(prio, nice)\n");
	is($r->{out}, "120 None\n", 'by name, a field that is not there is None');
	like($r->{err}, qr/\A.*sched:sched_wakeup.*None: nice\n\z/, '... which is said');
	$r = run($sched, "def sched__sched_switch(prev_pid, ts): print(prev_pid, ts)\n");
	is($r->{out}, "0 0\n", 'a function by the event\'s name gets the CPU first');
	like($r->{err}, qr/\A.*sched:sched_switch gets cpu, secs, nsecs, sequence first: its parameter 'prev_pid' gets cpu; .*\@zed\.on\("sched:sched_switch"\) before the def\n\z/, '... which is said if its parameters are called after fields (else: a CPU is taken for a pid)');
	like(run($sched, "def sched__sched_switch($_->[0]): pass\n")->{err}, qr/\A.*its parameter '$_->[1]' gets $_->[2];.*\n\z/, "... $_->[0]") for ['ev', 'ev', 'cpu'], ['cpu, ts', 'ts', 'secs'], ['cpu, nsecs', 'nsecs', 'secs'];
	gives($sched, "def sched__sched_switch($_): print(1)\n", '1', "of $_ nothing is said") for 'c, s, n, q, comm', 'common_cpu, secs, nsecs, seq, pid', 'cpu, *, prev_pid';
	gives($sched, "def trace_unhandled(name, cpu, secs, nsecs, sequence, fields):\n    if name == 'sched:sched_switch': print(name, cpu, secs, nsecs, sequence, fields)\n",
		"sched:sched_switch 0 0 3000 3 {'prev_comm': 'sh', 'prev_pid': 12, 'prev_prio': 120}", 'trace_unhandled');
	gives($sched, "zed.handlers('9p', 'x-y')\ndef _9p__9p_req(c, s, n, q, v): print(v)\ndef x_y__a_b(c, s, n, q, v): print(v)\n", '8 9', 'names with bytes that no name has');
}

{	# Without it: a wrong where is taken for one that never holds, or cannot be found in the script.
	gives($dat, "\@zed.on('mini:tick', where='n > 2')\ndef f(n): print(n)\n", '3 4', 'where');
	gives($sched, "\@zed.on('sched:sched_w*', 'prio < 100')\ndef f(pid): print(pid)\ndef trace_unhandled(name, *more): print(name)\n",
		'13 sched:sched_switch other:sched_wake 9p:9p_req x-y:a.b mini:tick', 'an event that where rejects is not unhandled');
	for (['nn < 3', qr/no field 'nn'; did you mean 'n'\?/], ['n <', qr/column 4/], ['who < 3', qr/string/], ['', qr/./]) {
		my ($where, $like) = @$_;
		my $r = run($dat, "\@zed.on('mini:tick', where='$where')\ndef f(n): print('no')\ndef trace_end(): print('end')\n");
		is("$r->{status} $r->{out}", '255 ', "where '$where' is refused in the main program");
		like($r->{err}, qr/line 2, in <module>\n(?:.*\n)*zed\.Error: on: where: .*$like/, '... with its line and why');
	}
	gives($dat, "try: zed.on('mini:tick', where='nn')(print)\nexcept (zed.Error, ValueError, TypeError): print('caught')\n", 'caught', 'it can be caught');
	for ('5', '"a b"', '""', 'b"mini:tick"', '"mini:tick", where=5', '"mini:tick", nonsense=1', '"mini:ti:ck"') {
		my $r = run($dat, "try: zed.on($_)(lambda: print('no'))\nexcept (zed.Error, TypeError) as e: print('caught')\n");
		is("$r->{status} $r->{out}", "0 caught\n", "on($_) is refused") or diag $r->{err};
	}
	gives($dat, "try: zed.on('mini:tick')(5)\nexcept TypeError as e: print(e)\n", 'on: expected a function, not int', 'what cannot be called');
}

{	# Without it: handlers that rely on each other's order are called in any.
	my $reg = sub { my ($event, $text) = @_; return "zed.on('$event')(lambda: print('$text'))\n" };
	gives($dat, "zed.handlers('mini')\n" . $reg->('mini:tick', 'a') . $reg->('*:*', 'b') . "def mini__tick(*args): print('f')\n" . $reg->('mini', 'c'),
		join(' ', ('f a b c') x 4), 'the function of the event\'s name first, the others in order of registration');
	gives($dat, "zed.handlers('mini')\n\@zed.on('mini:tick')\ndef mini__tick(n): print(n)\n", '1 2 3 4', 'a function with both is called once');
}

{	# Without it: half of a script does nothing, and nobody says so.
	my $on = "\@zed.on('sched:sched_switch')\ndef f(ts): print('no')\n";
	my $tail = "not called for events that the script reads itself: zed.run() calls handlers, zed.open(FILE) gives another trace to iterate over\n";
	for ("for ev in zed.trace: print(ev.cpu); break\n", "for b in zed.trace.batches(['cpu']): print(b['cpu'][0])\n") {
		my $r = run($sched, "$on$_");
		is($r->{out}, "0\n", 'a script that iterates');
		is($r->{err}, "zedpython: 1 handler ('sched:sched_switch', $r->{script} line 2) is $tail", '... and has a handler');
	}
	is(run($sched, "def sched__sched_switch(*a): print('no')\n${on}for ev in zed.trace: pass\n")->{err} =~ s/'\K, \S+//r, "zedpython: 2 handlers (first 'sched:sched_switch' line 3) are $tail", 'a function by the event\'s name is one, too');
	gives($sched, "$_", '2', 'nothing to say') for "${on}zed.off(f)\nprint(sum(ev.cpu == 0 and ev.name.startswith('other') for ev in zed.trace) + 1)\n", "\@zed.on('sched:sched_switch')\ndef f(ts): print(2)\nfirst = next(zed.trace)\nzed.run()\n";
	SKIP: {
		skip extension_missing(), 1 if extension_missing();
		my $r = python(\"import zed\nt = zed.open('$sched')\n\@t.on('sched:sched_switch')\ndef f(ts): print('no')\nfor ev in t: pass\n");
		like("$r->{out}$r->{err}", qr/\A\S+:5: TraceWarning: 1 handler \('sched:sched_switch', \S+ line 3\) is not called for .*: trace\.run\(\) calls/, '... in python3 it is a warning');
	}
}

# Registration and removal wherever a script can do it: [what, code, output].
my $f = "def f(n): print(n)\n";
for (
	['trace_begin', "${f}def trace_begin(): zed.on('mini:tick')(f)\n", '1 2 3 4'],
	['a handler', "$f\@zed.on('mini')\ndef g(n):\n    if n == 2: zed.on('mini:tick')(f)\n", '3 4'],
	['off in the main program', "${f}print(zed.off(zed.on('mini:tick')(f)), zed.off(f))\n", 'True False'],
	['off of itself', "\@zed.on('mini:tick')\ndef f(n):\n    print(n)\n    zed.off(f)\n    print('go')\n", '1 go'],
	['off of a later one', "\@zed.on('mini:tick')\ndef a(n):\n    print('a')\n    if n == 2: zed.off(b)\n\@zed.on('mini:tick')\ndef b(n): print('b')\n", 'a b a b a a'],
	['off of an earlier one', "\@zed.on('mini:tick')\ndef a(n): print('a')\n\@zed.on('mini:tick')\ndef b(n):\n    print('b')\n    if n == 2: zed.off(a)\n", 'a b a b b b'],
	['off of a method', "class C:\n    def m(self, n): print(n); zed.off(self.m)\nc = C()\nzed.on('mini:tick')(c.m)\n", '1'],
	['off of one that is there twice', "${f}zed.on('mini:tick')(f)\nzed.on('mini')(f)\nzed.off(f)\n", ''],
	['off of what is none', "${f}zed.on('mini:tick')(f)\nfor x in (None, 5, print, lambda: 1): print(zed.off(x))\n", 'False False False False 1 2 3 4'],
	['a new handler each time', "\@zed.on('mini:tick')\ndef f(n): zed.on('mini:tick')(lambda: print(n))\n", '1 1 2 1 2 3'],
	['unhandled again', "\@zed.on('mini:tick')\ndef f(n):\n    print(n)\n    if n == 2: zed.off(f)\ndef trace_unhandled(name, c, s, ns, q, fields): print('un', fields['n'])\n", '1 2 un 3 un 4'],
	['a destructor', "class D:\n    def __del__(self): zed.on('mini:tick')(lambda n: print(n))\n\@zed.on('mini:tick')\ndef f(n):\n    if n == 2: D()\n", '3 4'],
) {
	my ($what, $code, $out) = @$_;
	gives($dat, $code, $out, "when: $what");
}
{
	my $r = run($dat, "def trace_end():\n    try: zed.on('mini:tick')(print)\n    except zed.Error as e: print(e)\n");
	is($r->{out}, "on: the run is over\n", 'too late');
}

{	# Without it: a timer comes late, early, or with an event that is not there.
	gives($dat, "\@zed.on('mini:tick')\ndef f(n):\n    print(n)\n    if n == 1:\n        zed.when(3000000, lambda ts: print('w', ts))\n        zed.when(2500000, lambda ts: print('v', ts))\n        zed.when(99000000, print)\n",
		'1 2 v 3000000 w 3000000 3 4', 'when(): before the first event at or after its time, in order');
	gives($dat, "def again(ts): print('t', ts); ts < 3000000 and zed.when(ts + 1000000, again)\nzed.when(0, again)\n\@zed.on('mini:tick')\ndef f(n): print(n)\n",
		't 1000000 1 t 2000000 2 t 3000000 3 4', '... again from itself');
	gives($dat, "zed.when(2000000, lambda ts: zed.stop())\n\@zed.on('mini:tick')\ndef f(n): print(n)\n", '1', '... and it can end the run');
	for ('-1, print', '5, 5', '1.5, print', '2 ** 70, print', '5') {
		is(run($dat, "try: zed.when($_)\nexcept (TypeError, OverflowError, ValueError): print('caught')\n")->{out}, "caught\n", "when($_) is refused");
	}
}

{	# Without it: losses are hidden, or told at another place than in Perl.
	my $lost = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 5], [0, 3000, 'mini::tick', 3, -1]]);
	gives($lost, "def trace_lost(cpu, count): print('lost', cpu, count)\n\@zed.on('mini:tick')\ndef f(n): print(n)\n", '1 lost 0 5 2 lost 0 None 3', 'trace_lost comes before the event');
	# [script, output, where it could have had them; undef: it has looked at them, or they were printed]
	for (["\@zed.on('mini:tick')\ndef f(n): print(n)", '1 2 3', 'def trace_lost(cpu, count)'], ["for ev in zed.trace: print(ev['n'])", '1 2 3', 'ev.lost, trace.lost'],
		["for b in zed.trace.batches(['n']): print(*b['n'])", '1 2 3', 'ev.lost, trace.lost'], ["n = zed.count('mini:tick', by='n')\ndef trace_end(): print(len(n))", '3', 'def trace_lost(cpu, count)'],
		["for ev in zed.trace: print(ev.lost)", '0 5 None'], ["for ev in zed.trace: pass\nprint(zed.trace.lost)", '5'], ["zed.count('mini:tick')", 'count, mini:tick count 3 lost meanwhile: 5 events, and an unknown number at 1 place']) {
		my ($code, $out, $how) = @$_;
		my $r = run($lost, "$code\n");
		is(join(' ', split ' ', $r->{out}), $out, $code);
		is($r->{err}, defined $how ? "zedpython: 5 lost, an unknown number at 1 place: the script does not handle lost events ($how): what it joins across a gap may be wrong\n" : '', '... says once what was lost, unless the script knows');
	}
	gives($dat, "def trace_interval(a, b): print(a, b)\n\@zed.on('mini:tick')\ndef f(n): print(n)\n",
		'1 2 1000000 3000000 3 4 3000000 4000000', 'trace_interval', '--every', '2ms');
}

{	# Without it: a slip in a name is taken for a trace without such events.
	for (['def sched__sched_swich(*a): pass', qr/sched__sched_swich.*did you mean sched__sched_switch\?/], ['def sched_sched_switch(*a): pass', qr/did you mean sched__sched_switch/],
		['def sched_switch(*a): pass', qr/\A.*def sched_switch matches no event in this trace: did you mean sched__sched_switch\?\n/], ['def sched_wake(*a): pass', qr/did you mean other__sched_wake\?/],
		['def trace_ende(): pass', qr/did you mean trace_end\?/], ['def mini__tick(*a): pass', qr/mini__tick is not called.*zed\.on\("mini:tick"\).*zed\.handlers\("mini"\)/]) {
		like(run($sched, "$_->[0]\n")->{err}, $_->[1], $_->[0]);
	}
	like(run($sched, "print(1)\n")->{err}, qr/\A.*the script has no handlers.*\n\z/, 'a script without a handler');
	like(run($sched, "def irq__irq_handler_entry(*a): pass\n")->{err}, qr/\A.*no event in this trace matches a handler.*\n\z/, 'one of which no handler is called');
	is(run($sched, "$_\n")->{err}, '', "nothing is said: $_") for 'for ev in zed.trace: pass', 'def trace_end(): pass', 'def trace_unhandled(*a): pass', 'n = zed.count("sched:*"); print(n.total)';
	gives($sched, $_, '1', 'nothing is said of what zed.on calls, and of what that calls') for "\@zed.on('mini:tick')\ndef sched_switch(): print(1)\n", "\@zed.on('mini:tick')\ndef f(): sched_switch()\ndef sched_switch(): print(1)\n";
	gives($sched, "def helper_of_mine(): pass\ndef _sched__sched_swich(): pass\n\@zed.on('mini:tick')\ndef f(): print(1)\n", '1', 'of other names nothing is said');
}

# Without it: a stable event's handler sees the raw record, or an Event of one that was kept is another's.
{
	my $demo = 't/data/demo.dat';
	my $perl = zedperl($demo, \'Zed::on("sched:switch", args => [qw(ts prev_pid next_comm)], where => "prev_pid > 0", sub { print "@_\n" })')->{out};
	my $print = "print(ts, prev_pid, next_comm)\n";
	is(run($demo, "\@zed.on('sched:switch', where='prev_pid > 0')\ndef f(ts, prev_pid, next_comm): $print")->{out}, $perl, 'a stable event, by name');
	is(run($demo, "def sched__switch(cpu, secs, nsecs, sequence, prev_pid, next_comm):\n    ts = secs * 10 ** 9 + nsecs\n    if prev_pid > 0: $print")->{out}, $perl, '... by a function of its name');
	is(run($demo, "kept = []\n\@zed.on('sched:switch', where='prev_pid > 0')\ndef f(ev): kept.append(ev)\n\@zed.on('sched:sched_switch')\ndef g(ev): kept.append(ev)\ndef trace_end():\n"
		. "    for ev in kept:\n        if ev.name == 'sched:switch':\n            ts, prev_pid, next_comm = ev.ts, ev['prev_pid'], ev['next_comm']\n            $print")->{out}, $perl, '... as an Event that is kept beside that of its record');
	cmp_ok(($perl =~ tr/\n//), '>', 20, 'there are some');
}

# Without it: a handler that follows states misses those that began before the time that was asked for.
{
	my @part = ('--start', '0.002', '--end', '0.003');
	my $code = "\@zed.on('mini:tick', beyond=True)\ndef f(n): print('all', n)\n\@zed.on('mini:tick')\ndef g(n): print(n)\n";
	my $perl = zedperl(@part, $dat, \'Zed::on("mini:tick", args => ["n"], follows => 1, sub { print "all @_\n" }); Zed::on("mini:tick", args => ["n"], sub { print "@_\n" })')->{out};
	is(run($dat, $code, @part)->{out}, $perl, 'beyond: also events that the choice of times leaves out');
	like($perl, qr/all 1\n.*all 2\n2\n/s, '... as it does in Perl');
}

done_testing();
