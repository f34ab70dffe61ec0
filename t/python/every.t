# SPDX-License-Identifier: GPL-2.0-or-later
#
# --every: trace_interval and the aggregations, each interval of the trace's time, of a file whose times are known; what
# an exception, stop() or sys.exit() in it does.
# of: interp/python/py_interval.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Python;
use Run::Zedperl;
use Write::Miniature;

plan skip_all => python_missing() if python_missing();

# Wakings of task 20 at these times, us; the first interval of 1 ms begins with the first of them.
sub at { return miniature(join ' | ', map { "$_ 0 10 waking 20" } @_) }
my $dat = at(1000, 1200, 1999, 2000, 2500, 3999, 4000, 9100, 9200);
my $frame = "import sys, zed\nn = 0\nfirst = None\n\@zed.on('sched:sched_waking')\ndef f(ts):\n    global n, first\n    if first is None: first = ts // 1000\n    n += 1\n    more()\ndef more(): pass\n";
my $interval = "def trace_interval(a, b):\n    global n\n    print('%d-%d:%d' % (a // 1000 - first, b // 1000 - first, n), end=' ')\n    n = 0\ndef trace_end(): print('end', n, end='')\n";
sub told { my ($path, $code, @options) = @_; return zedpython(@options, $path, \"$frame$code") }

my $edges = '0-1000:3 1000-2000:2 2000-3000:1 3000-8000:1 8000-8200:2 end 0';
is(told($dat, $interval, '--every', '1ms')->{out}, $edges, 'each event in its interval, also at its edges; one for those without events; the rest at the end (else: rates are wrong)');
is(told($dat, $interval, '--every', '1s')->{out}, '0-8200:9 end 0', 'a trace shorter than an interval: the rest alone');
is(told($dat, $interval, '--every', '1ms', '--relative')->{out}, $edges, '--relative: of the times that are shown');
is(told(miniature('100 0 10 fork 10 20'), "def trace_interval(a, b): print('some')\ndef trace_end(): print('end')\n", '--every', '1ms')->{out}, "end\n", 'no event of the script: no interval');
is(told($dat, "def trace_interval(a, b): print('i', end='')\ndef more():\n    if n == 4: zed.stop()\n", '--every', '1ms')->{out}, 'ii', 'stop(): the rest is told, too');

# ---- aggregations: as zedperl prints them
for my $every ('1ms', '1ms,total') {
	my $perl = zedperl('--every', $every, $dat, \'Zed::count("sched:sched_waking")')->{out};
	is(zedpython('--every', $every, $dat, \"import zed\nzed.count('sched:sched_waking')\n")->{out}, $perl, "--every $every: aggregations as zedperl prints them");
}
is(told($dat, "c = zed.count('sched:sched_waking')\ndef trace_interval(a, b):\n    print(c.total, end=' ')\n    c.clear()\n", '--every', '1ms')->{out}, '3 2 1 1 2 ',
	'one that a variable holds is the script\'s, and has the events before the end of the interval only (else: a rate has one of the next)');

# ---- exceptions and exits
my $r = told($dat, "def trace_interval(a, b):\n    if n == 3: raise ValueError('so')\ndef trace_end(): print('end', n)\n", '--every', '1ms');
is("$r->{status} $r->{out}", "255 end 3\n", 'an exception in it ends the run, with trace_end');
like($r->{err}, qr/^ValueError: so\n.*while in trace_interval$/m, '... and is said, with where');
$r = told($dat, "def trace_interval(a, b):\n    if n == 3: raise ValueError('so')\n    print('n%d' % n, end=' ')\ndef trace_end(): print('end', n)\n", '--every', '1ms', '--keep-going');
is("$r->{status} $r->{out}", "1 n5 n6 n7 n9 end 9\n", '--keep-going: costs that call only, and no event');
is(told($dat, "def trace_interval(a, b): sys.exit(7)\n", '--every', '1ms')->{status}, 7, 'sys.exit() in it is the script\'s');

done_testing();
