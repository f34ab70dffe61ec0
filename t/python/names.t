# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a file may call its events: anything, and no function runs for it but the script's own handlers.  Without it a
# stranger's trace calls os.system, or what the script imported, with a field as its argument.
# of: interp/python programs/zedpython
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use File::Temp ();
use Files;
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

my $path_field = field_text('char path[24]', 8, 24, 1);

# A trace with one event of each name, whose only field is a string.
sub named {
	my ($text, @names) = @_;
	my $t = 1000;
	return trace(types => { map { $_ => $path_field } @names },
		events => [map { [0, $t += 1000, $_, pack 'a24', $text] } @names]);
}

# ---------------------------------------------------------------- every name of every module

# What the script has: modules, names out of modules, a class, an instance, a lambda, an alias, a method, a builtin.
my $script = <<'E';
import builtins, os, shutil, subprocess, sys, re, json, functools, itertools, operator, importlib, types, random, pickle, tempfile, zed
from os import *
from shutil import rmtree, rmtree as mini__rmtree, rmtree as trace__end, rmtree as os__system
from os.path import join as mini__join
import os.path as mini__module
from Helper import *

said = []
zed.handlers("mini", "mydrv")

def helper(*args): said.append("helper")
def mini__used(*args): said.append("used " + args[4])
def sched__sched_switch(cpu, secs, nsecs, sequence, path): said.append("switch " + path); begin()
def __getattr__(name): said.append("getattr " + name); raise AttributeError(name)
def __dir__(): said.append("dir"); return []

class mini__class:
    def __init__(self, *args): said.append("class")
    def __call__(self, *args): said.append("instance")
    def method(self, *args): said.append("method")
    @staticmethod
    def static(*args): said.append("static")

class Loud(dict):
    def __missing__(self, key): said.append("missing"); return helper

mini__instance = mini__class.__new__(mini__class)
mini__method = mini__instance.method
mini__static = mini__class.static
mini__lambda = lambda *args: said.append("lambda")
mini__alias = helper
mini__builtin = said.append
mini__print = print
mini__exit = sys.exit
mini__partial = functools.partial(helper)
mini__exec = exec
mini__bound = said.__class__
mini__loud = Loud()
def made():
    def mini__inner(*args): said.append("inner")
    return mini__inner
made()
E

# What a script finds in all modules: SYSTEM:EVENT lines; classes and their attributes, too.
my $walk = <<'E';
tried = "builtins os posix shutil subprocess sys re json functools itertools operator importlib types random pickle tempfile zed io".split()
names = set()
for module, m in sorted(sys.modules.items()):
    for attribute in dir(m) if module in tried else ():
        names.add((module, attribute))
        if module == "zed" or attribute in ("exec", "eval", "__import__", "str", "list", "object", "type", "system", "print", "open", "rmtree"):
            for more in dir(getattr(m, attribute)):
                names.add((module + "." + attribute, more))
for name in list(globals()):
    names.add(("__main__", name))
    names.add(("main", name))
    names.add(("", name))
    if "__" in name[1:]:
        names.add(tuple(name.split("__", 1)))
for s, e in sorted(names):
    if s and e and not re.search(r"[^!-~]", s + e) and ":" not in s + e:
        print(s + ":" + e)
sys.exit(0)
E

# Whatever is entered from the first event on, and every audited act of Python.
my $watch = <<'E';
entered, acts = set(), set()
mine = {"mini__used", "sched__sched_switch", "trace_unhandled", "trace_end"}

def profile(frame, what, arg):
    code = frame.f_code
    ours = code.co_filename == __file__ and code.co_name in mine or os.path.basename(code.co_filename) in ("reads.py",)
    if what == "call" and not ours:
        entered.add(code.co_qualname + " " + code.co_filename)

watching = False
def audit(act, args):
    if watching and not act.startswith(("sys.setprofile", "object.__getattr__", "sys._getframe", "compile")):
        acts.add(act)
sys.addaudithook(audit)

def begin():
    global watching
    watching = True
    sys.setprofile(profile)

def trace_end():
    global watching
    watching = False
    sys.setprofile(None)
    print("end", *sorted(entered | acts))
    print(*said, sep="\n")
E

my $lib = File::Temp->newdir;
spew("$lib/Helper.py", <<'E');
def mini__tick(*args): print("HELPER", args)
def mini__other(*args): print("HELPER", args)
def sched__sched_waking(*args): print("HELPER", args)
def trace_lost(*args): print("HELPER", args)
E
my @I = ('-I', "$lib");

my @walked = split /\n/, zedpython(@I, trace(), \($script . $walk))->{out};
my %walked = map { $_ => 1 } @walked;
is_deeply([grep { !$walked{$_} } qw(os:system builtins:exec shutil:rmtree builtins:__import__ subprocess:call sys:exit __main__:helper zed:stop mini:lambda mini:class
	mini:rmtree sched:sched_waking)], [], 'the walk finds what there is') or diag scalar @walked;
cmp_ok(scalar @walked, '>', 2000, 'of all modules (else: little is tried)');
my %own = ('mini::used' => 1, 'sched::sched_switch' => 1);
my @others = grep { !$own{$_} && /^[^:]+::[^:]+\z/ } map { s/:/::/r } @walked;
# What no module has: dunder names, names in two ways, bytes that no name has.
push @others, qw(__main__::__init__ __builtins__::print mini::__class__ mini::_ _::_ mini::trace_end trace_end::x trace::begin lambda::x class::def None::None
	True::False async::await mini::x.y mini::used.__call__ mini::used__x mini__used::x), "mini::us;d", "mini::\xc3\xa4", "\xff::\xfe", "mini::('x')", 'mini::%s', 'mini::{said}';
my @all = ('sched::sched_switch', @others, 'mini::used');
my $dat = named('victim', @all);

for my $turn (['', ''], ['trace_unhandled', "unhandled = []\ndef trace_unhandled(name, cpu, secs, nsecs, sequence, fields): unhandled.append(name); assert fields['path'] == 'victim'\n"]) {
	my ($what, $more) = @$turn;
	my $dir = File::Temp->newdir;
	mkdir "$dir/victim" or die;
	my $r = zedpython({ dir => "$dir" }, @I, $dat, \($script . $more . $watch . ($more && "    print('unhandled', len(unhandled))\n")));
	my @out = split /\n/, $r->{out};
	my @tail = $more ? ('unhandled ' . @others) : ();
	is_deeply(\@out, ['end', 'switch victim', 'used victim', @tail], 'of ' . @others . ' names none is entered, and the two handlers are' . ($more && '; the others are for trace_unhandled, once each'))
		or diag "@out[0 .. ($#out < 9 ? $#out : 9)]", substr $r->{err}, 0, 2000;
	is("$r->{status} $r->{sig}", '0 0', '... the run ends well') or diag $r->{err};
	unlike($r->{err}, qr/HELPER|Traceback/, '... and nothing complains');
	ok(-d "$dir/victim", '... the folder has what it had');
	opendir my $d, "$dir" or die;
	is(scalar(grep { !/^\./ } readdir $d), 1, '... and nothing more');
}

# ---------------------------------------------------------------- perf's convention

{
	my $perf = $script . <<'E' . $watch . "    print('unhandled', len(unhandled))\n";
unhandled = []
def trace_unhandled(event_name, context, event_fields_dict): unhandled.append(event_name)
def mini__used(event_name, context, cpu, secs, nsecs, pid, comm, callchain, path): said.append("used " + path)
def sched__sched_switch(event_name, context, cpu, secs, nsecs, pid, comm, callchain, path): said.append("switch " + path); begin()
E
	my $dir = File::Temp->newdir;
	mkdir "$dir/victim" or die;
	my $r = zedpython({ dir => "$dir" }, '--perf', @I, $dat, \$perf);
	is($r->{out}, "end\nswitch victim\nused victim\nunhandled " . @others . "\n", 'nor by perf\'s convention') or diag substr $r->{err}, 0, 2000;
	ok(-d "$dir/victim", '... the folder has what it had');
}

# ---------------------------------------------------------------- which functions are handlers

my $two = named('x', 'sched::sched_switch', 'mydrv::open', 'mydrv::close');
sub called {
	my ($text, @options) = @_;
	my $r = zedpython(@options, $two, \"import sys\n$text");
	return $r->{out} =~ s/\n//gr . ($r->{status} ? "status $r->{status} $r->{err}" : '');
}
spew("$lib/$_->[0]", $_->[1]) for ['tools.py', "def sched__sched_switch(*a): print('TOOL')\n"],
	['makes.py', "def install(to):\n    def sched__sched_switch(*a): print('MADE')\n    to['sched__sched_switch'] = sched__sched_switch\n    exec(\"def mydrv__open(*a): print('EXEC')\", to)\n"],
	['wraps.py', "import functools\ndef loud(f):\n    \@functools.wraps(f)\n    def inner(*a): print('WRAP')\n    return inner\n"];
for (
	['a def of a system that no kernel has', 'def mydrv__open(*a): print("m")', ''],
	['one that the script declares', "import zed\nzed.handlers('mydrv')\ndef mydrv__open(*a): print('m')", 'm'],
	['a def', 'def sched__sched_switch(*a): print("s")', 's'],
	['a def under a condition', "if sys.argv:\n    def sched__sched_switch(*a): print('s')", 's'],
	['a def of the script\'s own code', 'exec(compile("def sched__sched_switch(*a): print(\'s\')", __file__, "exec"), globals())', 's'],
	['a def that was replaced by a def', "def sched__sched_switch(*a): print('old')\ndef sched__sched_switch(*a): print('s')", 's'],
	['a def that was deleted', "def sched__sched_switch(*a): print('s')\ndel sched__sched_switch", ''],
	['a def that was replaced by an import', "def sched__sched_switch(*a): print('s')\nfrom tools import sched__sched_switch", ''],
	['an import', 'from tools import *', ''],
	['an alias of an import', "import tools\nsched__sched_switch = tools.sched__sched_switch", ''],
	['what a module makes', "import makes, zed\nzed.handlers('mydrv')\nmakes.install(globals())", ''],
	['what a module wraps', "import wraps\n\@wraps.loud\ndef sched__sched_switch(*a): print('s')", ''],
	['a class', "class sched__sched_switch:\n    def __init__(self, *a): print('CLASS')", ''],
	['an instance', "class C:\n    def __call__(self, *a): print('CALL')\nsched__sched_switch = C()", ''],
	['a builtin', 'sched__sched_switch = print', ''],
	['a function of C', "import posix\nsched__sched_switch = posix._exit", ''],
	['a method', "class C:\n    def sched__sched_switch(self, *a): print('METHOD')\nsched__sched_switch = C().sched__sched_switch", ''],
	['a nested def', "def f():\n    def sched__sched_switch(*a): print('NESTED')\nf()", ''],
	['a def of another name', "def f(*a): print('f')\nsched__sched_switch = f", ''],
	['a lambda', 'sched__sched_switch = lambda *a: print("LAMBDA")', ''],
	['decorators, which take any function', "import zed, tools\nzed.on('sched:sched_switch')(tools.sched__sched_switch) if False else None\n\@zed.on('mydrv:*')\ndef anything(name): print(name, end=' ')", 'mydrv:open mydrv:close '],
) {
	my ($what, $text, $out) = @$_;
	is(called($text, @I), $out, "$what: " . ($out eq '' ? 'is not called' : "'$out'"));
}
is(zedpython('-e', 'def sched__sched_switch(*a): print("s")', $two)->{out}, "s\n", '-e has handlers');
is(zedpython({ stdin => python_script('def sched__sched_switch(*a): print("s")') }, $two, '-')->{out}, "s\n", 'a script on standard input, too');

done_testing();
