# SPDX-License-Identifier: GPL-2.0-or-later
#
# trace.batches(): columns of every width, of types that do not agree, of text, of a part of the events; and what happens
# when a trace is closed between two batches.  Known answers, and the same by iteration.  Without it a column is cut to 32
# bits, or rows of two columns do not belong to one event.
# of: interp/python/batches.c interp/python/base/column_object.c interp/python/pyrun.c
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Files;
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_tmp);
use Run::Python;
use Run::Zedperl;

plan skip_all => extension_missing() if extension_missing();
my $own = abs_path(dirname(__FILE__) . '/../data');

# What CODE prints, the trace in `path`.
sub says {
	my ($code, $path) = @_;
	my $r = python({ memory => 600_000 }, \"import gc, sys, warnings, zed\nwarnings.formatwarning = lambda m, c, *a, **k: f'{c.__name__}: {m}\\n'\npath = sys.argv[1]\n$code\n", $path);
	return $r->{out} . $r->{err};
}

# ---- every width and sign, at its ends
my @kinds = (['u8', 1, 0, 'B', 'C', 0, 255], ['s8', 1, 1, 'b', 'c', -128, 127], ['u16', 2, 0, 'H', 'S<', 0, 65535], ['s16', 2, 1, 'h', 's<', -32768, 32767], ['u32', 4, 0, 'I', 'L<', 0, 4294967295],
	['int', 4, 1, 'i', 'l<', -2147483648, 2147483647], ['u64', 8, 0, 'Q', 'Q<', 0, '18446744073709551615'], ['s64', 8, 1, 'q', 'q<', '-9223372036854775808', '9223372036854775807']);
for my $big (0, 1) {
	my ($text, $least, $most, $off, @columns, @want) = ('', '', '', 8);
	for (@kinds) {
		my ($type, $size, $signed, $format, $letter, $from, $to) = @$_;
		$letter =~ tr/</>/ if $big;
		$text .= field_text("$type $type", $off, $size, $signed);
		$off += $size;
		$least .= pack $letter, $from;
		$most .= pack $letter, $to;
		push @columns, "'$type'";
		push @want, "$format [$from, $to]\n";
	}
	my $dat = trace(types => { 'all::kinds' => $text }, events => [[0, 1000, 'all::kinds', $least], [0, 2000, 'all::kinds', $most]], big => $big);
	is(says('for b in zed.open(path).batches([' . join(', ', @columns) . "]):\n    for c in b.values(): print(memoryview(c).format, c.tolist())", $dat), join('', @want),
		($big ? 'big' : 'little') . '-endian: all widths and signs (else: numbers are cut, or lose their sign)');
}

# ---- what every event has
my $dat = trace(events => [map { [$_ % 2, 1000 * $_, 'mini::tick', pack('l a8', $_, "t" . $_ % 3), undef, undef, 100 + $_] } 1 .. 9]);
is(says("for b in zed.open(path).batches(['ts', 'secs', 'nsecs', 'cpu', 'pid', 'sequence', 'source', 'event', 'who', 'instance'], rows=9):\n" .
	"    print(*((memoryview(c).format if isinstance(c, zed.Column) else type(c).__name__) for c in b.values()))\n    print(b['ts'][0], b['nsecs'][8], b['cpu'].tolist(), b['pid'][2], b['sequence'][8], b['event'][0], b['who'], repr(b['instance'][0]))", $dat),
	"q q i i i Q I list list list\n1000 9000 [1, 0, 1, 0, 1, 0, 1, 0, 1] 103 5 mini:tick ['t1', 't2', 't0', 't1', 't2', 't0', 't1', 't2', 't0'] ''\n", 'pseudo fields, and text as a list');
is(says("print([len(b['n']) for b in zed.open(path).batches(['n'], rows=4)], [len(b['n']) for b in zed.open(path).batches('n', rows=9)], list(zed.open(path, start=10**6).batches(['n'])))", $dat), "[4, 4, 1] [9] []\nTraceWarning: open: start 0.001000000 is after the end of the trace: its events are from 0.000001000 to 0.000009000\n",
	'full batches and a rest; no empty one');
is(says("print([b['ts'].tolist() for b in zed.open(path, relative=True, end=2000).batches(['ts'])])", $dat), "[[0, 1000, 2000]]\n", 'times from the first record, and a window');
is(says("b = next(zed.open(path).batches(['n', 'ts']))\nm = memoryview(b['n'])\nm[0] = 77\nprint(b['n'][0], len(b['n']), b['n'][-1], list(b['n'])[:2], bytes(b['n'])[:4], m.itemsize, m.contiguous, b['n'], b['n'].format, b['n'][2:4].tolist(), b['n'][::-4].tolist())\n" .
	"try: b['n'][9]\nexcept IndexError as e: print(e)", $dat), "77 9 9 [77, 2] b'M\\x00\\x00\\x00' 4 True <zed.Column of 9 \"i\"> i [3, 4] [9, 5, 77]\nrow out of range\n", 'a column is a sequence, and its own memory');

# ---- types that do not agree
my %of = map { my ($type, $size, $signed) = @$_; ("odd::$type" => field_text("$type x", 8, $size, $signed)) } @kinds;
my @events = map { [0, 1000, "odd::$_->[0]", pack($_->[4], $_->[6])] } @kinds;
sub joined {
	my ($types) = @_;
	return says("for b in zed.open(path).batches(['x'], events=" . join('', "'", join(',', map { "odd:$_" } @$types), "'") . "):\n    c = b['x']\n    print(c.format if isinstance(c, zed.Column) else 'list', list(c))",
		trace(types => \%of, events => [map { my $i = $_; map { [0, 1000 * ($i + 1), "odd::$_->[0]", pack($_->[4], $_->[6])] } grep { $_->[0] eq $types->[$i] } @kinds } 0 .. $#$types]));
}
for ([[qw(u8 u16)], 'H [255, 65535]'], [[qw(s8 s64)], 'q [127, 9223372036854775807]'], [[qw(u8 s8)], 'h [255, 127]'], [[qw(s8 u16)], 'i [127, 65535]'], [[qw(u32 s16)], 'q [4294967295, 32767]'],
	[[qw(u64 s8)], 'list [18446744073709551615, 127]'], [[qw(u8 u16 u32 u64)], 'Q [255, 65535, 4294967295, 18446744073709551615]']) {
	my ($types, $want) = @$_;
	is(joined($types), "$want\n", "fields of @$types (else: the numbers of one of them are cut)");
}

# ---- some have a column, others have not
my $mixed = trace(types => { 'mini::tock' => field_text('u64 other', 8, 8) }, events => [map { $_ % 2 ? [0, 1000 * $_, 'mini::tick', $_] : [0, 1000 * $_, 'mini::tock', pack('Q', $_)] } 1 .. 6]);
is(says("print([b['n'].tolist() for b in zed.open(path).batches(['n'])])", $mixed), "[[1, 3, 5]]\n", 'events without the column are left out');
is(says("print([b['n'].tolist() for b in zed.open(path).batches(['n'], events='mini:*')])", $mixed), "TraceWarning: batches: 1 of the events that are named has not all columns: left out: mini:tock\n[[1, 3, 5]]\n" =~ s/\A(.*\n)(.*\n)\z/$2$1/r, '... and told of, if they were named');
my $odd = trace(types => { 'odd::woken' => field_text('int pid', 8, 4, 1) }, events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'odd::woken', pack 'l', 5]]);
is(says("print([b['pid'].tolist() for b in zed.open(path).batches(['pid'])], next(zed.open(path).batches(['pid', 'ts'], events='odd:*'))['pid'].tolist(), next(zed.open(path).batches(['common_pid']))['common_pid'].tolist())", $odd),
	"[[77, 5]] [5] [77, 77]\nTraceWarning: batches: 1 of 2 events has a field 'pid' of its own (odd:woken), in the others it is that of the record, as common_pid is in all\n",
	'a column of two kinds of tasks is told of');
like(says("zed.open(path).batches(['n'], events=[])", $mixed), qr/^ValueError: batches: events: the list is empty: None means all$/m, 'an empty list of events (else: it chooses all)');
like(says("zed.open(path).batches(['nowhere', 'n'])", $mixed), qr/zed\.Error: batches: no event that is chosen has all columns, such as 'nowhere'\n/, 'a column that there is nowhere');
like(says("zed.open(path).batches(['othr'])", $mixed), qr/such as 'othr'; did you mean 'other'\?\n/, '... and what was meant');
for (["[]", 'ValueError'], ["[1]", 'TypeError'], ["['n\\0']", 'ValueError'], ["['n'], rows=0", 'ValueError'], ["['n'], rows='x'", 'TypeError'], ["['n'], events='no:such'", 'zed.Error'], ["", 'TypeError']) {
	my ($words, $want) = @$_;
	like(says("zed.open(path).batches($words)", $mixed), qr/^$want: /m, "batches($words) raises");
}

# ---- a trace that goes
is(says("trace = zed.open(path)\nb = trace.batches(['n'], rows=2)\nfirst = next(b)['n']\ntrace.close()\ntry: next(b)\nexcept zed.Error as e: print(e)\ndel trace, b\ngc.collect()\nprint(first.tolist())", $dat),
	"the trace is closed\n[1, 2]\n", 'closed between two batches: the first one stays');
is(says("trace = zed.open(path)\na = trace.batches(['n'], rows=6)\nprint(next(a)['n'].tolist(), [ev['n'] for ev in trace], list(a), [b['n'].tolist() for b in trace.batches(['n'])])", $dat),
	"[1, 2, 3, 4, 5, 6] [7, 8, 9] [] [[1, 2, 3, 4, 5, 6, 7, 8, 9]]\n", 'what batches leave, iteration has; then it is opened again');
is(says("trace = zed.open(path)\na = trace.batches(['n'])\nlist(a)\nlist(trace)\ntry: next(a)\nexcept zed.Error as e: print(e)", $dat), "batches: the trace was opened again since\n", 'batches of a run that is over');

is(says("trace = zed.open(path)\na = trace.batches(['n'], rows=2)\nb = trace.batches(['other'], rows=1)\nprint(next(a)['n'].tolist())\nfor f in (lambda: next(b), lambda: next(trace), lambda: iter(trace), trace.run, lambda: trace.count('*:*'), lambda: trace.batches(['n'])):\n" .
	"    try: print('read', f())\n    except zed.Error as e: print(str(e)[:34])\nprint([c['n'].tolist() for c in a], len(list(trace)))", $mixed), "[1, 3]\n" . "batches() is reading this trace, wi\n" =~ s/i\n/\n/r x 6 . "[[5]] 6\n", 'what batches skip is lost to no other reader in silence');
is(says("trace = zed.open(path)\nn = trace.count('mini:*', by='event')\nfor b in trace.batches(['n']): pass\nprint(sorted(row['count'] for row in n.rows))", $mixed), "[3, 3]\n", 'aggregations get all of theirs beside batches (else: they count what has the column)');

# ---- an exception costs no row
my $lossy = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_, $_ == 2 ? 7 : 0] } 1 .. 3]);
is(says("warnings.simplefilter('error')\na = zed.open(path).batches(['n'])\nfor i in range(3):\n    try: print(next(a, 'end') if i else next(a)['n'].tolist())\n    except zed.TraceWarning as e: print(str(e)[-6:])", $lossy), "[1, 2, 3]\n7 lost\nend\n",
	'a warning at the end that is an exception comes after the last batch (else: its rows are lost)');
my $cut = spew(zed_tmp() . '/cut.dat', substr slurp($dat), 0, -3000);
is(says("warnings.simplefilter('ignore')\ndef rows(batches):\n    n = 0\n    try:\n        for b in batches: n += len(b['ts'])\n    except zed.Error: print('damage', end=' ')\n    return n\nn = rows(zed.open(path, strict=True).batches(['ts']))\nprint(n == rows({'ts': [0]} for ev in zed.open(path, strict=True)), n > 0)", $cut), "damage damage True True\n",
	'... and so does damage');
my $many = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 20_000]);
is(says("import signal\nclass Alarm(Exception): pass\nleft = 3\ndef alarm(*a):\n    global left\n    left -= 1\n    if not left: signal.setitimer(signal.ITIMER_REAL, 0)\n    raise Alarm()\nsignal.signal(signal.SIGALRM, alarm)\na = zed.open([path] * 100).batches(['n'], rows=3000000)\n" .
	"n = None\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\nwhile n is None:\n    try: n = len(next(a)['n'])\n    except Alarm: pass\nprint(n, left)", $many), "2000000 0\n", 'rows that were read before a signal\'s exception are in the next batch (else: Ctrl-C loses them)');

# ---- the same as by iteration, of a recording
is(says(<<'P', "$own/demo.dat"), "equal 3742\n", 'of a recording, as by iteration (else: rows are of other events)');
n = 0
warnings.simplefilter("ignore")    # some events are described, and do not occur
for event in zed.open(path).events():
    trace = zed.open(path, events=event)
    rows = []
    for ev in trace:
        rows.append([ev.ts, ev.cpu, ev.comm, *ev.values()])
        names = ["common_ts", "common_cpu", "common_comm", *ev.keys()]
    columns = [row for b in trace.batches(names, rows=100) for row in zip(*b.values())] if rows else []
    n += len(rows)
    if [list(row) for row in columns] != rows: print("differ:", event)
print("equal", n)
P

done_testing();
