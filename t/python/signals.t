# SPDX-License-Identifier: GPL-2.0-or-later
#
# Signals, closed pipes and forks: the first signal ends zedpython with its results, within the event at hand; the second
# ends a handler that does not come back; a child that the script makes does not read on.  Without it a run over a
# long trace has to be killed, and what it found is lost, or told twice.
# of: interp/python programs/zedpython programs/stop.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Process qw(:DEFAULT signal_taken);
use Run::Python;
use Run::Zedperl;
use Write::Dat;

plan skip_all => python_missing() if python_missing();
my $dat = trace(events => [map { [0, 1_000_000 * $_, 'mini::tick', $_] } 1 .. 3]);
my $long = temp_path('.dat');
Write::Dat->new(pages => 200)->write($long);

# Start zedpython with CODE on the long trace, its output in OUT; returns its process.
sub begin {
	my ($code, $out) = @_;
	return spawn({ stdout => $out, stderr => "$out.err" }, zedpython_path(), $long, python_script("import signal, sys, time, zed\nzed.handlers('mini')\n$code"));
}

# Wait until PATH has RE.
sub has { my ($path, $re) = @_; return wait_until(60, sub { -s $path && slurp($path) =~ $re }) }

# A second is 20 of these events, whatever else the machine does.
for my $sig (qw(TERM INT)) {
	my $out = temp_path();
	my $pid = begin("n = 0\ndef mini__tick(*args):\n    global n\n    n += 1\n    print('begun', n, flush=True)\n    time.sleep(0.05)\ndef trace_end(): print('end after', n)\n", $out);
	ok(has($out, qr/begun/), "$sig: the run is in its events");
	kill $sig, $pid;
	my ($at) = slurp($out) =~ /begun (\d+)\n\z/;
	my ($status, $late) = reap($pid, 60);
	is($late ? 'late' : how_it_ended($status), 130, "$sig: with status 130");
	my ($n) = slurp($out) =~ /^end after (\d+)\n\z/m;
	ok(defined $n, "$sig: and its results (else: what was found is lost)") or diag slurp("$out.err");
	cmp_ok($n // 9999, '<', ($at // 0) + 24, "$sig: the first one ends it within a second (else: it goes on to the end of the trace)");
	like(slurp("$out.err"), qr/\Azedpython: interrupted after $n events? .*: the results are of (?:these|this one)\n\z/, "$sig: ... which is said");
}

# A handler that never comes back: the first signal does not tear it from its work, the second does.
{
	my $out = temp_path();
	my $pid = begin("def mini__tick(*args):\n    print('begun', flush=True)\n    try:\n        while True: time.sleep(0)\n    finally: print('cleaned')\ndef trace_end(): print('end')\n", $out);
	ok(has($out, qr/begun/), 'a handler that does not come back');
	kill INT => $pid;
	signal_taken($pid, 2);
	ok(slurp("/proc/$pid/stat") !~ /\) Z/, '... is not torn from its work by the first signal');
	kill INT => $pid;
	my ($status, $late) = reap($pid, 60);
	is($late ? 'late' : how_it_ended($status), 130, '... but by the second (else: only kill -9 ends it)');
	is(slurp($out), "begun\ncleaned\nend\n", '... in an orderly way, with results');
	unlike(slurp("$out.err"), qr/Traceback/, '... without a traceback');
}

# A handler of the script's own.
{
	my $out = temp_path();
	my $pid = begin("hit = 0\ndef mine(sig, frame):\n    global hit\n    hit += 1\n    if hit == 2: zed.stop()\nsignal.signal(signal.SIGUSR1, mine)\ndef mini__tick(*args):\n    print('begun', flush=True)\n    time.sleep(0.02)\ndef trace_end(): print('end', hit)\n", $out);
	ok(has($out, qr/begun/), 'a script with a handler for SIGUSR1');
	for my $n (1, 2) {
		kill USR1 => $pid;
		signal_taken($pid, 10);
	}
	my ($status, $late) = reap($pid, 60);
	is($late ? 'late' : how_it_ended($status), 0, '... may end the run itself');
	like(slurp($out), qr/^end 2\n\z/m, '... and has its results');
}
is(zedpython($dat, \"import os, signal, zed\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nzed.handlers('mini')\ndef mini__tick(*a): pass\ndef trace_end(): print('end')\n")->{out}, "end\n", 'a signal that the script ignores');

# A pipe that is closed.
for (['a handler', "zed.handlers('mini')\ndef mini__tick(*a): print('x' * 100000, flush=True)\n"], ['trace_end', "def trace_end(): print('x' * 1000000)\n"], ['the main program', "print('x' * 1000000)\n"],
	['what is left in the buffer', "import time\nprint('x' * 70000)\ndef trace_end(): print('y' * 9000)\n"]) {
	my ($what, $code) = @$_;
	pipe my $read, my $write or die;
	my $err = temp_path();
	my $pid = spawn({ stdout => $write, stderr => $err }, zedpython_path(), $dat, python_script("import zed\n$code"));
	close $write;
	sysread $read, my $some, 10;
	close $read;
	my ($status, $late) = reap($pid, 60);
	is($late ? 'late' : how_it_ended($status), 0, "$what prints into a pipe that is closed: status 0");
	is(slurp($err), '', '... without a word');
}

# A child does not read on, and what was printed before is there once.
{
	my $frame = "import os, sys, zed\nzed.handlers('mini')\nprint('main')\ndef trace_end(): print('end')\n";
	my $r = zedpython($dat, \($frame . "def mini__tick(c, s, ns, q, n, who):\n    print(n)\n    if n == 2:\n        pid = os.fork()\n        if pid: os.waitpid(pid, 0)\n        else: print('child')\n"));
	is("$r->{status} $r->{out}$r->{err}", "0 main\n1\n2\nchild\n3\nend\n", 'a child of a handler ends with its call') or diag $r->{err};
	$r = zedpython($dat, \($frame . "def mini__tick(c, s, ns, q, n, who):\n    if n == 2:\n        pid = os.fork()\n        if not pid: sys.exit(7)\n        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"));
	is($r->{out}, "main\n7\nend\n", '... with its own status');
	$r = zedpython($dat, \($frame . "def trace_begin():\n    pid = os.fork()\n    if pid: os.waitpid(pid, 0)\n    else: print('child')\ndef mini__tick(c, s, ns, q, n, who): print(n)\n"));
	is($r->{out}, "main\nchild\n1\n2\n3\nend\n", 'one of trace_begin, too');
	$r = zedpython($dat, \($frame . "import subprocess\ndef mini__tick(c, s, ns, q, n, who): subprocess.run(['echo', str(n)])\n"));
	is(join(' ', sort split ' ', $r->{out}), '1 2 3 end main', 'what a program that a handler runs prints is there');
	$r = zedpython($dat, \($frame . "import threading\nseen = []\ndef work(): seen.append(1)\ndef mini__tick(*a):\n    t = threading.Thread(target=work)\n    t.start()\n    t.join()\ndef trace_end(): print(len(seen))\n"));
	is($r->{out}, "main\n3\n", 'threads of the script run');
}

done_testing();
