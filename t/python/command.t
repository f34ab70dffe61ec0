# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedpython's command line: which of its words are traces, which is the script and which are its arguments; -e, -t, -g, --live;
# what is refused, and with which words.  Without it a trace is taken for an argument, and an answer is of half the data.
# of: programs/zedpython programs/script programs/session
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Live qw(live_part live_cannot leaves_nothing);
use Run::Process;
use Run::Python;
use Run::Zedperl;
use Write::Dat;

my $traces = live_part();
plan skip_all => live_cannot(python_missing()) if python_missing();
my $dir = temp_dir();
my ($one, $two) = map { my $n = $_; trace(events => [map { [0, 1_000_000 * (2 * $_ + $n), 'mini::tick', 10 * $n + $_] } 1 .. 2]) } 1, 2;
my $tell = "import sys, zed\nseen = []\n\@zed.on('mini:tick')\ndef tick(n): seen.append(n)\n"
	. "def trace_end(): print(*seen, '|', *[w.split('/')[-1] for w in sys.argv])\n";
my $script = spew("$dir/tell.py", $tell);
my $named = spew("$dir/tell", "#!/usr/bin/env zedpython\n$tell");
my $other = spew("$dir/told", $tell);

sub runs {
	my ($what, $out, @words) = @_;
	my $r = zedpython(ref $words[0] eq 'HASH' ? (shift @words) : (), @words);
	is("$r->{status} $r->{out}", "0 $out\n", $what) or diag $r->{err};
	return $r;
}

# ---- the words

runs('a trace, a script and its arguments', '11 12 | tell.py -x 3', $one, $script, '-x', 3);
runs('several traces', '11 21 12 22 | tell.py', $one, $two, $script);
runs('by -i as well', '11 21 12 22 | tell.py b', '-i', $one, '-i', $two, $script, 'b');
runs('a script that says so in its first line', '11 12 | tell a', $one, $named, 'a');
runs('one of any name, behind a trace', '11 12 | told a', $one, $other, 'a');
runs('the script first, as the kernel calls it (else: #! does not work)', '11 12 | tell a', $named, $one, 'a');
runs('the trace that is in this folder', '11 12 | tell.py a', { dir => do { my $here = "$dir/here"; mkdir $here; spew("$here/trace.dat", slurp($one)); $here } }, $script, 'a');
runs('a script on standard input', '11 12 | - a', { stdin => $script }, $one, '-', 'a');
runs('a trace on standard input', '11 12 | tell.py', { stdin => $one }, '-i', '-', $script);
runs('code', '11 21 12 22 x y', '-e', "import sys, zed", '-e', "print(*[ev['n'] for ev in zed.trace], *sys.argv[1:])", $one, $two, '--', 'x', 'y');
spew("$dir/helper.py", "name = 'helper of the script'\n");
mkdir "$dir/more";
spew("$dir/more/aid.py", "name = 'aid'\n");
spew("$dir/uses.py", "import helper, aid\nprint(helper.name, aid.name)\n");
runs('modules beside the script, and in -I', 'helper of the script aid', '-I', "$dir/more", $one, "$dir/uses.py");
like(runs('a trace behind the script is an argument', '11 12 | tell.py ' . $two =~ s{.*/}{}r, $one, $script, $two)->{err},
	qr/^zedpython: \Q$two\E after the script is an argument of \Q$script\E: to read it too, zedpython -i /m, '... which is said (else: half of the data is missing unseen)');

{
	my $plain = spew("$dir/plain.py", "import zed\nfor ev in zed.trace: print(ev['n'])\n");
	my $said = sub { my ($script) = @_; return qr/\Azedpython: --end after the script is an argument of \Q$script\E, which does not use sys\.argv: an option of zedpython comes before the trace\n\z/ };
	my $r = zedpython($one, $plain, '--end', '0.003');
	is($r->{out}, "11\n12\n", 'an option after the script is an argument');
	like($r->{err}, $said->($plain), '... which is said (else: the whole trace is taken for a part of it)');
	like(zedpython('-i', $one, $plain, '--end', '0.003')->{err}, $said->($plain), '... with -i, too');
	is(zedpython($one, $script, '--end', 3)->{err}, '', '... unless the script takes arguments');
	system('mkfifo', "$dir/fifo.py") == 0 or die;
	my $writer = spawn({}, 'sh', '-c', 'cat "$0" > "$1"', $plain, "$dir/fifo.py");
	is(zedpython($one, "$dir/fifo.py", '--end', '0.003')->{out}, "11\n12\n", 'a script from a pipe is read once (else: it is empty)');
	reap($writer, 60);
	is(zedpython($one, $plain, @$_)->{err}, '', "... nor for @$_") for ['--ending'], ['--', '--end'], ['end'];
}

# ---- what is refused

sub refused {
	my ($what, $status, $re, @words) = @_;
	my $r = zedpython(ref $words[0] eq 'HASH' ? (shift @words) : (), @words);
	is($r->{status}, $status, "$what: $status");
	like($r->{err}, $re, $what);
	is($r->{out}, '', "$what: nothing is run");
	return;
}

my %empty = (dir => "$dir/more");
refused('no word', 2, qr/^zedpython: no trace and no script given: zedpython TRACE SCRIPT/, \%empty);
refused('a trace alone', 2, qr/^zedpython: no script given: zedpython \Q$one\E SCRIPT/, $one);
refused('a script alone', 2, qr/^zedpython: no trace given, and there is no trace\.dat here: zedpython \S*tell\.py \(a script that opens its traces itself, by zed\.open, is for python3\)/, \%empty, $script);
refused('an option after the trace', 2, qr{^zedpython: -e after TRACE: options come before it}, $one, '-e', 'print(1)');
refused('a script that is not there', 2, qr{^zedpython: \S*/none\.py: no such script: No such file}, $one, "$dir/none.py");
refused('a folder', 2, qr{is a directory, not a Python script}, '-i', $one, $dir);
refused('a script for perl', 2, qr{^zedpython: \S*x\.pl: is a script for perl: zedperl TRACE }, $one, spew("$dir/x.pl", "1;\n"));
refused('an option behind the trace', 2, qr{^zedpython: --head after \S+: options come before TRACE}, $one, '--head', $two, $script);
refused('a trace that is not there', 2, qr{^zedpython: \S*none\.dat: }, "$dir/none.dat", $script);
refused("perl's options", 2, qr/^zedpython: no option -M/, '-MPOSIX', $one, $script);
refused('--live with a trace', 2, qr/does not go with --live/, '--live', '-i', $one, $script);
refused('a session of a recording', 2, qr/^zedpython: -d is for --live: a recording has its own/, '-d', 1, $one, $script);
refused('-g of a running kernel', 2, qr/^zedpython: -g does not go with --live: it needs a recording/, '--live', '-g');
refused('--keep-going of a list', 2, qr/^zedpython: --every does not go with -t: it is for a script: zedpython TRACE SCRIPT/, '--every', 1, '-t', $one);
refused('a script that does not compile', 255, qr/^SyntaxError: /m, $one, spew("$dir/wrong.py", "def (:\n"));

# ---- what needs no script

like(zedpython('-t', $one, $two)->{out}, qr/\Amini::tick +4\n\z/, '-t counts the events of all traces');
like(zedpython('--version')->{out}, qr/^zedpython \S+\n.*^python 3\.\d+/ms, '--version tells that of its python');
{
	my $g = zedpython('-g', $one);
	is("$g->{status} $g->{err}", '0 ', '-g');
	my $r = zedpython($one, \$g->{out});
	like($r->{out}, qr/^ +0\.003000000 +0 \S+ +\d+ mini:tick n=11 who=cpu0\n.*^count, mini:tick by who$/ms, 'its script shows the events and counts them') or diag $g->{out}, $r->{err};
	like($g->{out}, qr/^#  *2  mini:tick$/m, '... and has a list of them');
	my $w = zedpython('-g', 'mini:tick', $one);
	unlike($w->{out}, qr/^#  *2  mini:tick$/m, 'with an event: no list');
	is(zedpython($one, \$w->{out})->{out}, $r->{out}, '... and the same for it');
	like(zedpython('-g', 'mini:none', $one)->{err}, qr/^zedpython: -g: .*mini:none/, 'an event that is not there is named');
}
{	# Names of a stranger's trace.
	my $odd = trace(types => { 'mini::tick' => field_text('int class', 8, 4, 1) . field_text('int class', 12, 4, 1) . field_text('int ev', 16, 4, 1) . field_text('int ok', 20, 4, 1) },
		events => [[0, 1, 'mini::tick', pack 'l4', 1 .. 4]]);
	my $g = zedpython('-g', 'all', $odd);
	like($g->{out}, qr/^def on_tick\(ev, ok\):$/m, 'only what is a name in Python becomes one (else: a trace writes code)');
	like(zedpython($odd, \$g->{out})->{out}, qr/ mini:tick ok=4$/m, '... and the script runs');
}

{	# Whatever a file calls its events and fields, the script has these calls alone.
	my @odd = ('x"); import os; os.abort() #', "x'", 'x\\', 'x*', '1x', 'class', 'show', 'zed', "x\xc3\xa9", 'x y', '{x}', 'x"""', '__import__', 'on("x")');
	my $n = 0;
	my %types = map { my $name = $_ =~ tr/ //dr; ("mini::$name" => field_text("int $_", 8, 4, 1) . field_text('int f' . $n++, 12, 4, 1)) } @odd;
	my $odd = trace(types => { %types, 'zed::show' => field_text('int show', 8, 4, 1) }, events => [[0, 1, 'mini::tick', 1]]);
	my $g = zedpython('-g', 'all', $odd);
	my $calls = 'import ast, sys; t = ast.parse(open(sys.argv[1]).read()); '
		. 'print(*sorted({ast.unparse(n.func) for n in ast.walk(t) if isinstance(n, ast.Call)}), *sorted({type(n).__name__ for n in t.body}), len([n for n in ast.walk(t) if isinstance(n, ast.Import)]))';
	my $r = zedpython('-e', $calls, $one, '--', python_script($g->{out}));
	is($r->{out}, "''.join fields.items print show str zed.count zed.on zed.plain Expr FunctionDef Import 1\n", 'odd names of a file become no code (else: it runs what a stranger wrote)') or diag $r->{err}, $g->{out};
	is(zedpython($odd, \$g->{out})->{status}, 0, '... and the script runs');
}

# ---- the running kernel

SKIP: {
	skip 'nothing can be traced here', 4 if !$traces;
	my $live = "import zed\nn = 0\ndef sched__sched_process_exit(cpu, secs, nsecs, sequence, comm):\n    global n\n    n += 1\n"
		. "def trace_begin(): print('begin')\ndef trace_end(): print('end', n > 0)\n";
	leaves_nothing('a live run', sub {
		my $r = zedpython('--live', \$live, '--', 'sh', '-c', '/bin/true; exit 7');
		is("$r->{status} $r->{out}", "7 begin\nend True\n", '--live records what the script handles, and has the status of the command') or diag $r->{err};
		$r = zedpython('--live', '-d', '0.2', \"import zed\nprint('no event')\n");
		like("$r->{status} $r->{err}", qr/^2 .*names no events: .* or name them: zedtrace EVENTS, zedpython --live=EVENTS$/m, 'a script that names none is told of this program (else: zedperl, for Python)');
	});
}

done_testing();
