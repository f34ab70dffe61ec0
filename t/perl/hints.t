# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a script has that no event calls, and its author meant to be called: said once, with the nearest name, and the
# exit status stays 0.  Without it a script that does nothing looks like a trace in which nothing happens.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use ZedTest;

my $field = field_text('int n', 8, 4, 1);
my $dat = trace(types => { 'sched::sched_switch' => $field, 'irq::irq_handler_entry' => $field, 'mydrv::open' => $field, 'mydrv::close' => $field,
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
my $declare = 'is not called for events: no kernel has a system mydrv, and a trace may not choose what runs; if it is a handler, add: use Zed handlers => [\'mydrv\'];';
for (
	['the package is left out', 'sub sched_switch { }', 'sub sched_switch has no package, so it is called for no event: did you mean sub sched::sched_switch?'],
	['the package as perf\'s Python has it', 'sub sched__sched_switch { }', 'sub sched__sched_switch has no package, so it is called for no event: did you mean sub sched::sched_switch?'],
	['a helper of a handler', 'sub sched::sched_switch { sched_switch() } sub sched_switch { }', undef],
	['a helper of another handler', 'sub trace_end { sched_switch() } sub sched_switch { }', undef],
	['an import of that name', 'use Maker; ' . $runs, undef],
	['a misspelt system', 'sub shced::sched_switch { }', 'sub shced::sched_switch is no event of this trace: did you mean sched::sched_switch?'],
	['a misspelt system, in its package', 'package shced; sub sched_switch { }', 'sub shced::sched_switch is no event of this trace: did you mean sched::sched_switch?'],
	['a system that is thought of', 'sub interrupts::irq_handler_entry { }', 'sub interrupts::irq_handler_entry is no event of this trace: did you mean irq::irq_handler_entry?'],
	['a misspelt event', 'sub sched::shced_switch { }', 'sub sched::shced_switch is no event of this trace: did you mean sched::sched_switch?'],
	['a system that this trace has not', "$runs sub block::block_rq_issue { }", undef],
	['a class that is called like no system', "$runs package Shed; sub new { bless [] } sub print { } package main; my \$o = Shed->new", undef],
	['trace_ends', 'sub trace_ends { }', 'sub trace_ends is called by nobody: did you mean trace_end?'],
	['traceend', "$runs sub traceend { }", 'sub traceend is called by nobody: did you mean trace_end?'],
	['trace_begins', 'sub trace_begins { }', 'sub trace_begins is called by nobody: did you mean trace_begin?'],
	['trace_unhandeld', 'sub trace_unhandeld { }', 'sub trace_unhandeld is called by nobody: did you mean trace_unhandled?'],
	['a helper called like one of ours that is there', 'sub trace_end { trace_ends() } sub trace_ends { }', undef],
	['a helper called like one of ours', 'sub trace_end { trace_list() } sub trace_list { }', undef],
	['our four names', 'sub trace_begin { } sub trace_end { } sub trace_lost { } sub trace_unhandled { }', undef],
	['nothing at all', '1', 'the script has no handlers, so nothing is done with the events: write sub SYSTEM::EVENT { ... } (zedperl -t TRACE lists them), or begin with zedperl -g TRACE'],
	['helpers alone', 'sub helper { } helper()', 'the script has no handlers, so nothing is done with the events: write sub SYSTEM::EVENT { ... } (zedperl -t TRACE lists them), or begin with zedperl -g TRACE'],
	['Zed::on', 'Zed::on("sched", sub { })', undef],
	['trace_begin alone', 'sub trace_begin { }', undef],
	['AUTOLOAD', 'sub sched::AUTOLOAD { }', undef],
	['a handler of an event that the trace has not', 'sub block::block_rq_issue { }', undef],
	['a main program that asks', 'my @e = Zed::events()', undef],
	['a package that nobody declared', "$runs sub mydrv::open { }", "sub mydrv::open $declare"],
	['a package that nobody declared, several events', "$runs sub mydrv::open { } sub mydrv::close { } sub mydrv::other { }", 'sub mydrv::close (and 1 more of that package) ' . $declare],
	['a declared one', 'use Zed handlers => "mydrv"; sub mydrv::open { }', undef],
	['a declared one with a slip', 'use Zed handlers => "mydrv"; sub mydrv::opne { }', 'sub mydrv::opne is no event of this trace: did you mean mydrv::open?'],
	['a handler in a file that says nothing', 'use Own; sub trace_end { }', "sub sched::sched_switch is not called for events: it is from $lib/Own.pm, which does not say that it has handlers; if it has, add there: use Zed handlers => ['sched'];"],
	['a module that a file names', "use Util; $runs", undef],
) {
	my ($what, $text, $line) = @$_;
	my $r = zedperl({ bare => 1 }, "-I$lib", $dat, \$text);
	is("$r->{status} $r->{err}", '0 ' . (defined $line ? "zedperl: $line\n" : ''), defined $line ? "$what: said, once" : "$what: nothing to say");
}

done_testing();
