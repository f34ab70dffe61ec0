# SPDX-License-Identifier: GPL-2.0-or-later
#
# The functions of zed about the current event and the traced machine: stacks, symbols, texts, names of tasks, numbers
# and flags: what Zed's functions return of the same events.  Without it a stack or a name in Python is another one.
# of: interp/python interp/common
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(same);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

my $perl = <<'E';
my $n = 0;
sub shown { return map { defined $_ ? $_ : '~' } @_ }
Zed::on('*:*', args => ['common_pid'], sub {
	my ($pid) = @_;
	Zed::stop() if ++$n == 400;
	my @kernel = Zed::stack('kernel');
	print join('|', shown(Zed::text(), "@{[Zed::stack()]}", "@kernel", "@{[Zed::stack('user')]}", "@{[Zed::stack_symbols()]}", map({ scalar Zed::symbol($_) } @kernel[0, 1]),
		Zed::comm_of($pid), Zed::comm_of(0), Zed::comm_of(-5), Zed::cgroup_of($pid), Zed::lost_since(), map({ scalar Zed::flag_str($_) } qw(prev_state gfp_flags nothing)),
		scalar(Zed::symbol_str('vec')), join(',', Zed::pid_since()))) =~ s/\n/\\n/gr, "\n";
});
sub trace_end {
	print join('|', shown(map({ Zed::errno_name($_) } 2, -2, 512, 99999, 0), map({ Zed::syscall_name($_) } 0, 1, 257, 99999), Zed::dev(8 << 20 | 1),
		map({ Zed::duration($_) } 0, 850, 12_345_678, -1.5e9, 9e99), Zed::plain("a\n\e[0m\xc3\xa4\xff"), Zed::symbol_str('irq::softirq_entry', 'vec', 1),
		Zed::flag_str('sched::sched_switch', 'prev_state', 1))), "\n";
	my @w = Zed::window();
	print "@w\n", join(' ', map { "$_->{cpu} $_->{instance} $_->{start} $_->{end}" } Zed::spans()), "\n";
}
E
my $python = <<'E';
import sys, zed
sys.stdout.reconfigure(errors="surrogateescape")
n = 0
def shown(*values):
    return ["~" if v is None else v if isinstance(v, str) else str(v) for v in values]
@zed.on("*:*")
def event(common_pid):
    global n
    n += 1
    if n == 400:
        zed.stop()
    kernel = zed.stack("kernel")
    since = zed.pid_since()
    print("|".join(shown(zed.text(), " ".join(map(str, zed.stack())), " ".join(map(str, kernel)), " ".join(map(str, zed.stack("user"))), " ".join(zed.stack_symbols()),
        *[zed.symbol(kernel[i] if i < len(kernel) else 0) for i in (0, 1)],
        zed.comm(common_pid), zed.comm(0), zed.comm(-5), zed.cgroup(common_pid), zed.lost_since(), *[zed.flag_str(f) for f in ("prev_state", "gfp_flags", "nothing")],
        zed.symbol_str("vec"), ",".join(str(v) for v in since or () if v is not None))).replace("\n", "\\n"))
def trace_end():
    print("|".join(shown(*[zed.errno(v) for v in (2, -2, 512, 99999, 0)], *[zed.syscall(v) for v in (0, 1, 257, 99999)], zed.dev(8 << 20 | 1),
        *[zed.duration(v) for v in (0, 850, 12345678, -1.5e9, 9e99)], zed.plain(b"a\n\x1b[0m\xc3\xa4\xff"), zed.symbol_str("vec", 1, "irq::softirq_entry"),
        zed.flag_str("prev_state", 1, event="sched::sched_switch"))))
    print(*zed.window() or [])
    print(" ".join(f'{s["cpu"]} {s["instance"]} {s["start"]} {s["end"]}' for s in zed.spans()))
E
for my $file (qw(t/data/demo.dat t/data/stack.dat t/data/function_stack.dat t/data/all_events.dat t/data/small_be_v6.dat t/data/i386_all.dat t/data/perf/rawsys_g.data t/data/perf/sched.data)) {
	my ($of_perl, $of_python) = (zedperl($file, \$perl), zedpython($file, \$python));
	same($of_python->{out}, $of_perl->{out}, "$file: what the functions return is what Zed's return") or diag $of_python->{err} . $of_perl->{err};
	cmp_ok(length $of_perl->{out}, '>', 1000, '... of many events');
}

# ---------------------------------------------------------------- what was chosen

for my $choice ([], ['--start=+1ms', '--end=+300ms', '--cpu=0,2', '--pid=0,1'], ['--comm=s*', '--head=5'], ['--relative', '--start=+2ms'], ['-F', 'sched: cpu == 1'], ['--tail=3']) {
	my $perl = zedperl(@$choice, 't/data/demo.dat', \<<'E');
Zed::on('*:*', sub {});
sub trace_end {
	my $asked = Zed::asked();
	my $list = sub { my ($v) = @_; return !defined $v ? 'all' : join ' ', ref $v eq 'HASH' ? sort { $a <=> $b } keys %$v : @$v };
	print join('|', map({ $asked->{$_} // 'None' } qw(start end)), map({ $list->($asked->{$_}) } qw(cpus pids comms cgroups)), $asked->{head}, exists $asked->{tail} ? 1 : 0, $asked->{every},
		map({ $asked->{$_} // 'None' } qw(starves first seen))), "\n";
}
E
	my $python = zedpython(@$choice, 't/data/demo.dat', \<<'E');
import zed
@zed.on("*:*")
def event():
    pass
def trace_end():
    a = zed.asked()
    print("|".join(map(str, [a["start"], a["end"], *["all" if a[k] is None else " ".join(map(str, a[k])) for k in ("cpus", "pids", "comms", "cgroups")],
        int(a["head"]), int(a["tail"]), int(a["every"]), a["starves"], a["first"], a["seen"]])))
E
	is($python->{out}, $perl->{out}, "asked() of @{$choice}[0 .. $#$choice]: what Zed::asked returns (else: an answer to a part is taken for one of the whole)") or diag $python->{err};
}
SKIP: {
	skip extension_missing(), 1 if extension_missing();
	my $of = python(\"import zed\nt = zed.open('t/data/demo.dat', start='+1ms', cpus='1', tasks='s*')\na, b = t.asked(), zed.open('t/data/demo.dat').asked()\nprint(a['start'] == t.start + 1000000, a['end'], a['cpus'], a['comms'], set(b.values()) == {None, False})\n");
	is($of->{out}, "True None [1] ['s*'] True\n", 'and of a trace that the script has opened') or diag $of->{err};
}

# ---------------------------------------------------------------- outside of an event, wrong words

my $r = zedpython('t/data/demo.dat', \<<'E');
import zed
for call in (lambda: zed.stack(), lambda: zed.text(), lambda: zed.flag_str("x"), lambda: zed.pid_since(), lambda: zed.inlined(5),
        lambda: zed.dev("x"), lambda: zed.plain(5), lambda: zed.comm("x"), lambda: zed.symbol("x"), lambda: zed.errno(2, "x")):
    try:
        print(call())
    except (zed.Error, TypeError) as error:
        print(type(error).__name__, error)
print(zed.comm(0), zed.comm(0, 5), zed.errno(2, 7), zed.syscall(0, 7), zed.spans(9), zed.plain(None), zed.dev(None), zed.duration(None), zed.duration(float("nan")))
@zed.on("sched:sched_switch")
def once(ev):
    try:
        zed.stack("all")
    except ValueError as error:
        print(error)
    zed.stop()
E
is($r->{out}, <<'E', 'what is refused, and how') or diag $r->{err};
Error stack: no current event (call it from a handler)
Error text: no current event (call it from a handler)
Error flag_str, symbol_str: no current event (call it from a handler)
Error pid_since: no current event (call it from a handler)
Error inlined: no current event (call it from a handler)
TypeError 'str' object cannot be interpreted as an integer
TypeError plain: expected a str or bytes, not int
TypeError 'str' object cannot be interpreted as an integer
TypeError 'str' object cannot be interpreted as an integer
TypeError 'str' object cannot be interpreted as an integer
<idle> None ENOENT None [] None None None None
stack: part must be 'kernel' or 'user'
E

done_testing();
