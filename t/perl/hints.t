# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a script has that no event calls, and its author meant to be called: said once, with the nearest name, and the
# exit status stays 0.  Without it a script that does nothing looks like a trace in which nothing happens.
# of: interp/bind
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;

my $field = field_text('int n', 8, 4, 1);
my $dat = trace(types => { 'sched::sched_switch' => $field, 'irq::irq_handler_entry' => $field, 'mydrv::open' => $field, 'mydrv::close' => $field, 'mydrv::beat' => $field, 'raw_syscalls::sys_enter' => $field,
		'main::helper' => $field, 'Util::remove' => $field, 'ftrace::print' => $field },
	events => [map { [0, 1000 * $_, (qw(sched::sched_switch irq::irq_handler_entry mydrv::open mydrv::open mydrv::close main::helper Util::remove))[$_], pack 'l', $_] } 0 .. 6]);
my $lib = temp_path();
mkdir $lib or die;
for (['Own.pm', 'package Own; use Zed; sub sched::sched_switch { }'], ['Util.pm', 'package Util; sub remove { print "u" }'],
	['Maker.pm', 'package Maker; use Exporter "import"; our @EXPORT = "helper"; sub helper { }']) {
	open my $fh, '>', "$lib/$_->[0]" or die;
	print $fh "$_->[1]\n1;\n";
	close $fh or die;
}
my $runs = 'sub sched::sched_switch { }';
my $also = "mydrv is not a system of the Linux kernel, so also add: use Zed handlers => ['mydrv'];";
my $nothing = 'no event in this trace matches a handler of the script (zedperl -t TRACE lists its events)';
my $declare = 'is not called for events: mydrv is not a system of the Linux kernel, and a trace may not choose what runs; if it is a handler, add: use Zed handlers => [\'mydrv\'];';
for (
	['the package is left out', 'sub sched_switch { }', 'sub sched_switch is not in a package, so it is never called for an event: did you mean sub sched::sched_switch?'],
	['the package as perf\'s Python has it', 'sub sched__sched_switch { }', 'sub sched__sched_switch is not in a package, so it is never called for an event: did you mean sub sched::sched_switch?'],
	['a helper of a handler', 'sub sched::sched_switch { sched_switch() } sub sched_switch { }', undef],
	['a helper of another handler', 'sub trace_end { sched_switch() } sub sched_switch { }', undef],
	['an import of that name', 'use Maker; ' . $runs, undef],
	['a misspelt system', 'sub shced::sched_switch { }', 'sub shced::sched_switch matches no event in this trace: did you mean sched::sched_switch?'],
	['a misspelt system, in its package', 'package shced; sub sched_switch { }', 'sub shced::sched_switch matches no event in this trace: did you mean sched::sched_switch?'],
	['a system that is thought of', 'sub interrupts::irq_handler_entry { }', 'sub interrupts::irq_handler_entry matches no event in this trace: did you mean irq::irq_handler_entry?'],
	['a misspelt event', 'sub sched::shced_switch { }', 'sub sched::shced_switch matches no event in this trace: did you mean sched::sched_switch?'],
	['a system that this trace has not', "$runs sub block::block_rq_issue { }", undef],
	['a class that is called like no system', "$runs package Shed; sub new { bless [] } sub print { } package main; my \$o = Shed->new", undef],
	['trace_start', 'sub trace_start { }', 'sub trace_start is never called: did you mean trace_begin?'],
	['trace_stop', 'sub trace_stop { }', 'sub trace_stop is never called: did you mean trace_end?'],
	['trace_ends', 'sub trace_ends { }', 'sub trace_ends is never called: did you mean trace_end?'],
	['traceend', "$runs sub traceend { }", 'sub traceend is never called: did you mean trace_end?'],
	['trace_begins', 'sub trace_begins { }', 'sub trace_begins is never called: did you mean trace_begin?'],
	['trace_unhandeld', 'sub trace_unhandeld { }', 'sub trace_unhandeld is never called: did you mean trace_unhandled?'],
	['a helper called like one of ours that is there', 'sub trace_end { trace_ends() } sub trace_ends { }', undef],
	['a helper called like one of ours', 'sub trace_end { trace_list() } sub trace_list { }', undef],
	['our four names', 'sub trace_begin { } sub trace_end { } sub trace_lost { } sub trace_unhandled { }', undef],
	['nothing at all', '1', 'the script has no handlers, so nothing is done with the events: write sub SYSTEM::EVENT { ... } (zedperl -t TRACE lists them), or begin with zedperl -g TRACE'],
	['helpers alone', 'sub helper { } helper()', 'the script has no handlers, so nothing is done with the events: write sub SYSTEM::EVENT { ... } (zedperl -t TRACE lists them), or begin with zedperl -g TRACE'],
	['Zed::on', 'Zed::on("sched", sub { })', undef],
	['trace_begin alone', 'sub trace_begin { }', undef],
	['AUTOLOAD', 'sub sched::AUTOLOAD { }', undef],
	['a handler of an event that the trace has not', 'sub block::block_rq_issue { }', $nothing],
	['handlers of events that the trace has not, and trace_end', 'sub block::block_rq_issue { } sub block::block_rq_complete { } sub trace_end { }', $nothing],
	['a handler of an event of another system', 'sub syscalls::sys_enter { }', "$nothing: for syscalls::sys_enter did you mean raw_syscalls::sys_enter?"],
	['a handler of no event of a declared package', 'use Zed handlers => "other"; sub other::thing { }', $nothing],
	['trace_unhandled beside it', 'sub block::block_rq_issue { } sub trace_unhandled { }', undef],
	['Zed::on beside it', 'sub block::block_rq_issue { } Zed::on("sched", sub { })', undef],
	['a main program that asks', 'my @e = Zed::events()', undef],
	['a package that nobody declared', "$runs sub mydrv::open { }", "sub mydrv::open $declare"],
	['a package that nobody declared, several events', "$runs sub mydrv::open { } sub mydrv::close { } sub mydrv::other { }", 'sub mydrv::close (and 1 more in that package) ' . $declare],
	['a declared one', 'use Zed handlers => "mydrv"; sub mydrv::open { }', undef],
	['a declared one with a slip', 'use Zed handlers => "mydrv"; sub mydrv::opne { }', 'sub mydrv::opne matches no event in this trace: did you mean mydrv::open?'],
	['a sub of a package that nobody declared, with a slip', "$runs sub mydrv::bet { }", "sub mydrv::bet matches no event in this trace: did you mean mydrv::beat? $also"],
	['a package that nobody declared, with a slip', "$runs sub mydvr::beat { }", "sub mydvr::beat matches no event in this trace: did you mean mydrv::beat? $also"],
	['a declared package with a slip', 'use Zed handlers => "mydvr"; sub mydvr::beat { }', "sub mydvr::beat matches no event in this trace: did you mean mydrv::beat? $also"],
	['a declared one beside its slip', 'use Zed handlers => "mydrv"; sub mydvr::beat { }', 'sub mydvr::beat matches no event in this trace: did you mean mydrv::beat?'],
	['a package with a slip and helpers', "$runs package mydvr; sub new { } sub clean { }", undef],
	['the package is left out, and nobody declared it', 'sub beat { }', "sub beat is not in a package, so it is never called for an event: did you mean sub mydrv::beat? $also"],
	['a helper that is called as such an event is', "beat(); sub beat { } $runs", undef],
	['one of ours in a package', "$runs package My; sub trace_end { }", 'sub My::trace_end is never called: trace_end is only called in package main: write sub main::trace_end'],
	['one of ours in a package of handlers', "package sched; sub sched_switch { } sub trace_end { }", 'sub sched::trace_end is never called: trace_end is only called in package main: write sub main::trace_end'],
	['a method called like one of ours', 'package My; sub trace_end { } package main; sub trace_end { My->trace_end }', undef],
	['Zed::takes with a slip', "$runs Zed::takes('sched::sched_swich', 'n')", 'Zed::takes: no sub and no event is named sched::sched_swich: did you mean sched::sched_switch?'],
	['Zed::takes of a system with a slip', "$runs Zed::takes('shced::sched_switch', 'n')", 'Zed::takes: no sub and no event is named shced::sched_switch: did you mean sched::sched_switch?'],
	['Zed::takes of an event of other kernels', "$runs sub block::block_rq_issue { } Zed::takes('block::block_rq_issue', 'n')", undef],
	['Zed::takes of an event that is another one in other kernels', "$runs Zed::takes('sched::sched_stretch', 'n')", undef],
	['Zed::takes', "$runs Zed::takes('sched::sched_switch', 'n')", undef],
	['a handler in a file that says nothing', 'use Own; sub trace_end { }', "sub sched::sched_switch is not called for events: it is from $lib/Own.pm, which declares no handlers; if it has some, add there: use Zed handlers => ['sched'];"],
	['a module that a file names', "use Util; $runs", undef],
) {
	my ($what, $text, $line) = @$_;
	my $r = zedperl({ bare => 1 }, "-I$lib", $dat, \$text);
	is("$r->{status} $r->{err}", '0 ' . (defined $line ? "zedperl: $line\n" : ''), defined $line ? "$what: said, once" : "$what: nothing to say");
}

# In -e the quotes of a list would end those of the shell.
my $r = zedperl({ bare => 1 }, '-e', 'sub mydrv::open { }', $dat);
is($r->{err}, "zedperl: sub mydrv::open is not called for events: mydrv is not a system of the Linux kernel, and a trace may not choose what runs; "
	. "if it is a handler, add: -MZed=handlers,mydrv\n", '-e: what can be added to a command line');
$r = zedperl({ bare => 1 }, '-MZed=handlers,mydrv', '-e', 'sub mydrv::open { print "called\n" }', $dat);
is("$r->{status} $r->{err}$r->{out}", "0 called\ncalled\n", 'and added, it declares (else: advice that does not help)');

# Zed::on with an event's name alone, which reads as a system's.
$r = zedperl({ bare => 1 }, $dat, \'Zed::on("sched_switch", sub { })');
like($r->{err}, qr/ line 1: Zed::on: no event in this trace matches sched_switch: did you mean sched:sched_switch\?$/, 'Zed::on of an event alone: its system');
$r = zedperl({ bare => 1 }, $dat, \'Zed::on("sched_swich", sub { })');
like($r->{err}, qr/no event in this trace matches sched_swich: did you mean sched:sched_switch\?$/, '... with a slip');
$r = zedperl({ bare => 1 }, $dat, \'Zed::on("shced", sub { })');
like($r->{err}, qr/no event in this trace matches shced: did you mean sched\?$/, 'Zed::on of a misspelt system');
$r = zedperl({ bare => 1 }, 't/data/perf/unfinished.data', \'my $n = Zed::count("*:*"); sub trace_end { print $n->total > 0 }');
unlike("$r->{out} $r->{err}", qr/no event of this trace/, '*:* of a trace that describes no event (else: a slip is suspected where there is none)');

# What a module of ours declares for a script.
$r = zedperl({ bare => 1 }, $dat, \"\n\nuse Zed::Frames; Zed::Frames->new(ended => sub { });\n");
like($r->{err}, qr{\Azedperl: \S+\.pl line 3: Zed::on: }, 'Zed::on within a module: the line of the script (else: lines of files that its author has never seen)');
unlike($r->{err}, qr/Frames\.pm/, '... alone');

# What use Zed is given.
for (['"mydrv"'], ['handler => ["mydrv"]', 'handler']) {
	$r = zedperl({ bare => 1 }, $dat, \"use Zed $_->[0];");
	my $name = $_->[1] // 'mydrv';
	like("$r->{status} $r->{err}", qr/^255 Zed has no function '$name' \(it has ts .*\); a system's handlers are declared with use Zed handlers => \['SYSTEM'\]; at /,
		"use Zed $_->[0]: how handlers are declared");
}
for ('handlers', 'handlers => []', 'handlers => ""', 'handlers => { mydrv => 1 }') {
	$r = zedperl({ bare => 1 }, $dat, \"use Zed $_;");
	like("$r->{status} $r->{err}", qr/^255 Zed: handlers needs the names of systems: use Zed handlers => \['SYSTEM'\]; or -MZed=handlers,SYSTEM at /,
		"use Zed $_: of which systems (else: it declares nothing, and says nothing)");
}

done_testing();
