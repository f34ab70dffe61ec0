# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every way in which a run of zedpython can end: what is said, whether trace_end runs, and the exit status, which are
# zedperl's.  Without it a long analysis loses its results at its last moment, or a shell script believes it.
# of: interp/python programs/zedpython programs/script
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Process qw(:DEFAULT signal_taken);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
my $dat = trace(events => [map { [0, 1_000_000 * $_, 'mini::tick', $_] } 1 .. 3]);
my $frame = "import atexit, os, signal, sys, zed\nzed.handlers('mini')\natexit.register(lambda: print('END'))\ndef trace_end(): print('end')\n";

# TICK: a handler that prints its number, and runs CODE at the second event.
sub tick { return "def mini__tick(cpu, secs, nsecs, sequence, n, who):\n    print('t%d' % n)\n    if n == 2: $_[0]\n" }
sub traceback { my ($last) = @_; return qr/\ATraceback \(most recent call last\):\n(?:  .*\n)+\Q$last\E\n/ }

# Without it: what was found in a part of the trace is taken for the answer of the whole.
my $SECOND = qr/^zedpython: interrupted after 2 events \(up to 0\.002000000\): the results are of these\n\z/m;

# [what, code, stdout, status, stderr, options]
for (
	['a whole run', tick('pass'), "t1\nt2\nt3\nend\nEND\n", 0, qr/\A\z/],
	['a syntax error', "def nonsense(:\n", '', 255, qr/SyntaxError/],
	['a missing module', "import nosuchmodule\n", "END\n", 255, traceback("ModuleNotFoundError: No module named 'nosuchmodule'")],
	['an exception in the main program', "raise ValueError('oops')\n", "END\n", 255, traceback('ValueError: oops')],
	['... in trace_begin', "def trace_begin(): raise ValueError('oops')\n" . tick('pass'), "end\nEND\n", 255, traceback('ValueError: oops')],
	['... in a handler', tick("raise ValueError('oops')"), "t1\nt2\nend\nEND\n", 255, traceback('ValueError: oops')],
	['... in a decorated handler', "\@zed.on('mini:tick')\ndef f(n):\n    if n == 2: raise ValueError('oops')\n    print(n)\n", "1\nend\nEND\n", 255, traceback('ValueError: oops')],
	['... in trace_unhandled', "def trace_unhandled(*args): raise ValueError('oops')\n", "end\nEND\n", 255, traceback('ValueError: oops')],
	['... in trace_end', tick('pass') . "def trace_end():\n    print('end')\n    raise ValueError('oops')\n", "t1\nt2\nt3\nend\nEND\n", 255, traceback('ValueError: oops')],
	['... in a handler and in trace_end', tick("raise ValueError('one')") . "def trace_end(): raise ValueError('two')\n", "t1\nt2\nEND\n", 255, qr/^ValueError: one\n(?:.*\n)*ValueError: two$/m],
	['... whose str() raises', "class E(Exception):\n    def __str__(self): raise ValueError\n" . tick('raise E'), "t1\nt2\nend\nEND\n", 255, qr/<exception str\(\) failed>/],
	['... that is not an Exception', "class E(BaseException): pass\n" . tick('raise E'), "t1\nt2\nend\nEND\n", 255, qr/^(?:__main__\.)?E$/m],
	['... that is caught', tick("\n        try: raise ValueError('oops')\n        except ValueError as e: print('got', e)"), "t1\nt2\ngot oops\nt3\nend\nEND\n", 0, qr/\A\z/],
	['... with --keep-going', tick("raise ValueError('oops')"), "t1\nt2\nt3\nend\nEND\n", 1, traceback('ValueError: oops'), '--keep-going'],
	['sys.exit in the main program', "sys.exit(3)\n", "END\n", 3, qr/\A\z/],
	['sys.exit() in the main program', tick('pass') . "sys.exit()\n", "END\n", 0, qr/\A\z/],
	['sys.exit of a text', "sys.exit('no such thing')\n", "END\n", 1, qr/\Ano such thing\n\z/],
	['sys.exit in trace_begin', "def trace_begin(): sys.exit(4)\n", "END\n", 4, qr/\A\z/],
	['sys.exit in a handler', tick('sys.exit(5)'), "t1\nt2\nEND\n", 5, qr/\A\z/],
	['... with --keep-going', tick('sys.exit(5)'), "t1\nt2\nEND\n", 5, qr/\A\z/, '--keep-going'],
	['sys.exit in trace_end', "def trace_end(): sys.exit(6)\n", "END\n", 6, qr/\A\z/],
	['os._exit', tick("sys.stdout.flush(); os._exit(7)"), "t1\nt2\n", 7, qr/\A\z/],
	['stop()', tick('zed.stop(); print("after")'), "t1\nt2\nafter\nend\nEND\n", 0, qr/\A\z/],
	['stop() in trace_begin', tick('pass') . "def trace_begin(): zed.stop()\n", "end\nEND\n", 0, qr/\A\z/],
	['SIGINT', tick('os.kill(os.getpid(), signal.SIGINT)'), "t1\nt2\nend\nEND\n", 130, $SECOND],
	['SIGTERM', tick('os.kill(os.getpid(), signal.SIGTERM)'), "t1\nt2\nend\nEND\n", 130, $SECOND],
	['SIGINT in the main program', "os.kill(os.getpid(), signal.SIGINT)\nfor i in range(10**6): pass\nprint('not here')\n", "END\n", 130, qr/KeyboardInterrupt/],
	['a SIGINT handler of its own', "signal.signal(signal.SIGINT, lambda *a: print('mine'))\n" . tick("os.kill(os.getpid(), signal.SIGINT)"), "t1\nt2\nmine\nt3\nend\nEND\n", 0, qr/\A\z/],
	['iteration by itself', "for ev in zed.trace: print(ev['n'])\n", "1\n2\n3\nend\nEND\n", 0, qr/\A\z/],
	['iteration that breaks off', "for ev in zed.trace:\n    print(ev['n'])\n    break\n", "1\nend\nEND\n", 0, qr/\A\z/],
	['run() by itself', tick('pass') . "zed.run()\nprint('main')\n", qr/\At1\nt2\nt3\n(?:end\n)?main\n(?:end\n)?END\n\z/, 0, qr/\A\z/],
	['no handler', "def trace_end(): pass\n", "END\n", 0, qr/\A(?:zedpython: .*handler.*\n)?\z/],
) {
	my ($what, $code, $out, $status, $err, @options) = @$_;
	my $r = zedpython(@options, $dat, \"$frame$code");
	subtest $what => sub {
		ref $out ? like($r->{out}, $out, 'prints') : is($r->{out}, $out, 'prints');
		is("$r->{status} $r->{sig}", "$status 0", 'exits with');
		like($r->{err}, $err, 'says');
	} or diag $r->{err};
}

# An exception says once where it was: the traceback has the script's own frames.
{
	my $r = zedpython('--keep-going', $dat, \("$frame\ndef inner(n):\n    return 1 // (n - 2)\ndef mini__tick(cpu, s, ns, q, n, who):\n    inner(n)\n" ));
	is(scalar(() = $r->{err} =~ /Traceback/g), 1, 'one traceback for one exception');
	like($r->{err}, qr/in mini__tick\n(?:.*\n)*?.*in inner\n(?:.*\n)*?ZeroDivisionError/, '... with the frames that led there');
	like($r->{err}, qr/mini:+tick|mini__tick.*0\.002000000/, '... and the event');
	$r = zedpython('--keep-going', $dat, \"$frame\ndef mini__tick(*a): raise ValueError('again')\n");
	is(scalar(() = $r->{err} =~ /^ValueError: again/mg), 3, 'the same exception again and again is printed each time');
	like($r->{err}, qr/^zedpython: 3 calls of handlers .*\n\z/m, '... and counted');
	my $many = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 500]);
	is(scalar(() = zedpython('--keep-going', $many, \"$frame\ndef mini__tick(*a): raise ValueError('again')\n")->{err} =~ /^ValueError: again/mg), 10, '... but not without end');
}

# Output whose reader has gone, or that cannot be written.
{
	my $path = python_script("import zed\nzed.handlers('mini')\ndef mini__tick(*a): print('x' * 70000)\ndef trace_end(): print('end')\n");
	my $bash = sub { my $out = temp_path(); my ($status) = reap(spawn({ stdout => $out, stderr => \*STDOUT, env => \%PYTHON_ENV }, 'bash', '-c', @_), 60); open my $fh, '<', $out or die; local $/; return ($status >> 8, scalar <$fh> // '') };
	my ($status, $said) = $bash->('"$0" "$1" "$2" 2>&1 | head -c 10 > /dev/null; echo "${PIPESTATUS[0]}"', zedpython_path(), $dat, $path);
	like($said, qr/\A(?:0|141)\n\z/, 'head has enough: no message');
	$path = python_script("import zed\nzed.handlers('mini')\ndef mini__tick(*a): print('x')\ndef trace_end(): print('end')\n");
	($status, $said) = $bash->('"$0" "$1" "$2" > /dev/full', zedpython_path(), $dat, $path);
	is($status, 1, 'a full disk is status 1');
	like($said, qr/No space left on device/, '... and said');
}

# A second Ctrl-C ends a handler that does not come back.
{
	my $out = temp_path();
	my $pid = spawn({ stdout => $out, stderr => "$out.err" }, zedpython_path(), $dat, python_script("import zed\nzed.handlers('mini')\ndef mini__tick(*a):\n    print('begun', flush=True)\n    while True: pass\n"));
	ok(wait_until(60, sub { -s $out }), 'a handler that does not come back');
	for (1 .. 2) {
		kill INT => $pid;
		signal_taken($pid, 2);
	}
	my ($status, $late) = reap($pid, 60);
	is($late ? 'late' : how_it_ended($status), 130, '... is ended by the second Ctrl-C');
}

# In python3 exceptions are the caller's.
SKIP: {
	skip extension_missing(), 4 if extension_missing();
	my $open = "import os, signal, sys, zed\ntrace = zed.open('$dat')\n";
	my $r = python(\"$open\@trace.on('mini:tick')\ndef f(n): 1 // (n - 2)\ntry: trace.run()\nexcept ZeroDivisionError: print('caught')\n");
	is("$r->{out}$r->{err}", "caught\n", 'run() raises what a handler raises');
	$r = python(\"$open\@trace.on('mini:tick')\ndef f(n): n == 2 and os.kill(os.getpid(), signal.SIGINT)\ntry: trace.run()\nexcept KeyboardInterrupt: print('caught')\n");
	is("$r->{out}$r->{err}", "caught\n", '... and KeyboardInterrupt');
	$r = python(\"$open\ntry:\n    for ev in trace: os.kill(os.getpid(), signal.SIGINT)\nexcept KeyboardInterrupt: print('caught', ev['n'])\n");
	is("$r->{out}$r->{err}", "caught 1\n", 'so does iteration');
	$r = python(\"import zed\ntry: zed.on('a:b')\nexcept zed.Error as e: print(e)\n");
	is("$r->{out}$r->{err}", "on: no trace is open: with zed.open(FILE) as trace: trace.on(...)\n", 'a function without a trace says what to write');
}

done_testing();
