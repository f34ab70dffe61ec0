# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Zed module: each function's value, and a clear death where it has none to give.  Scripts that need more
# than their arguments stand on it.
# of: interp/api interp/Zed.pm
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Run::Zedperl;

my $types = {
	'api::all' => field_text('u32 flags', 8, 4) . field_text('int vec', 12, 4, 1) . field_text('unsigned long ip', 16, 8)
		. field_text('u8 small', 24, 1) . field_text('char s[4]', 25, 4, 1) . field_text('u16 v[2]', 30, 4),
};
my $dat = trace(
	types => $types, comm => 'worker', pid => 77,
	print => { 'api::all' => '"flags=%s vec=%s", __print_flags(REC->flags, "|", { 0x1, "ONE" }, { 0x4, "FOUR" }, { 0x10, "SIXTEEN" }), ' .
		'__print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" }, { -1, "NONE" })' },
	kallsyms => "ffffffff81000000 T _text\nffffffff81001000 t do_it\nffffffffc0000000 t in_mod\t[mymod]\n",
	events => [
		[0, 5_000_000_123, 'mini::tick', 1],
		[1, 5_000_001_000, 'api::all', pack('L l Q C Z4 x S2 x2', 0x15, 1, hex('ffffffff81001010'), 200, 'abc', 7, 9)],
		[0, 5_000_002_000, 'api::all', pack('L l Q C Z4 x S2 x2', 0x22, -1, hex('ffffffffc0000000'), 0, 'x', 0, 0), 4],
	],
);

sub each_event {
	my ($expr) = @_;
	my $r = zedperl($dat, \"use strict; use warnings; sub show { no warnings; print join('|', map { defined ? \$_ : 'undef' } $expr), qq{\\n} }
		sub mini::tick { show() } sub api::all { show() }");
	return $r->{err} ? "$r->{out}$r->{err}" : $r->{out};
}

my @cases = (
	['Zed::ts()', "5000000123\n5000001000\n5000002000\n"],
	['Zed::pid(), Zed::tid(), Zed::comm()', "77|77|worker\n" x 3],
	['Zed::cpu()', "0\n1\n0\n"],
	['Zed::event(), Zed::system(), Zed::name()', "mini::tick|mini|tick\n" . "api::all|api|all\n" x 2],
	['Zed::instance()', "\n" x 3],
	['Zed::source()', "$dat\n" x 3],
	['Zed::lost()', "0\n0\n4\n"],
	['scalar(my @c = Zed::callchain())', "0\n0\n0\n"],
	['scalar Zed::stack(), scalar(my @s = Zed::stack("user")), scalar Zed::stack_symbols()', "0|0|0\n" x 3],
	['Zed::lost_since()', "undef\nundef\n5000000123\n"],
	['Zed::lost_source()', "0\n0\n0\n"],
	['Zed::lost_places()', "0\n0\n0\n"],
	['Zed::pid_since()', "5000000123\n5000001000\n5000002000\n"],
	['scalar Zed::pid_since()', "5000000123\n5000001000\n5000002000\n"],
	['Zed::field("n"), Zed::field("flags"), Zed::field("common_pid")', "1|undef|77\nundef|21|77\nundef|34|77\n"],
	['map { ref ? "[@$_]" : $_ } Zed::fields()', "n|1|who|cpu0\nflags|21|vec|1|ip|18446744071578849296|small|200|s|abc|v|[7 9]\n" .
		"flags|34|vec|-1|ip|18446744072635809792|small|0|s|x|v|[0 0]\n"],
	['scalar Zed::fields()', "2\n6\n6\n"],
	['Zed::common("pid"), Zed::common("common_flags"), Zed::common("preempt_count"), Zed::common("nothing")', "77|1|0|undef\n" x 3],
	['scalar Zed::symbol(Zed::field("ip") // 0)', "undef\ndo_it+0x10\nin_mod\n"],
	['Zed::symbol(Zed::field("ip") // 0)', "\ndo_it|16|undef\nin_mod|0|mymod\n"],
	['Zed::flag_str("flags"), Zed::flag_str("flags", 5), Zed::flag_str("flags", 0), Zed::flag_str("vec"), Zed::flag_str("no")',
		"undef|undef|undef|undef|undef\nONE|FOUR|SIXTEEN|ONE|FOUR||undef|undef\n0x22|ONE|FOUR||undef|undef\n"],
	['Zed::symbol_str("vec"), Zed::symbol_str("vec", 0), Zed::symbol_str("vec", 99), Zed::symbol_str("flags")',
		"undef|undef|undef|undef\nTIMER|HI|undef|undef\nNONE|HI|undef|undef\n"],
	['Zed::flag_str("api::all", "flags", 0x14), Zed::symbol_str("api:all", "vec", -1), Zed::flag_str("no::such", "x", 1)', "FOUR|SIXTEEN|NONE|undef\n" x 3],
	['Zed::comm_of(77), Zed::comm_of(0), Zed::comm_of(12345)', "worker|<idle>|<...>\n" x 3],
	['Zed::events()', "api::all|mini::tick\n" x 3],
	['scalar Zed::events()', "2\n" x 3],
);
is(each_event($_->[0]), $_->[1], $_->[0]) for @cases;

{	# Without it: a switch that the kernel left out takes the time of all that ran behind it.  Two CPUs, a loss, events without a handler.
	my $tick = sub { my ($cpu, $ns, $pid, $what, $loss) = @_; return [$cpu, $ns, $what // 'mini::tick', 1, $loss, undef, $pid] };
	my $rows = trace(types => { 'other::thing' => field_text('int n', 8, 4, 1) }, events => [map { $_->[2] eq 'other::thing' ? do { $_->[3] = pack 'l', 1; $_ } : $_ }
		$tick->(0, 100, 7), $tick->(0, 110, 7, 'other::thing'), $tick->(1, 115, 3), $tick->(0, 120, 8, 'other::thing'), $tick->(0, 130, 8), $tick->(1, 140, 3),
		$tick->(0, 150, 8, 'other::thing', 5), $tick->(0, 160, 8), $tick->(0, 170, 9)]);
	my $ask = 'sub mini::tick { print join("|", Zed::ts(), Zed::pid_since()), "\n" } sub trace_lost { print "lost ", Zed::ts(), " ", Zed::lost_since(), "\n" }';
	my $r = zedperl($rows, \$ask);
	is($r->{out}, "100|100\n115|115\n130|120|110|7\n140|115\nlost 150 130\n160|150\n170|170|160|8\n", 'since when whose records, over all events') or diag $r->{err};
	$r = zedperl('--relative', $rows, \$ask);
	like($r->{out}, qr/^30\|20\|10\|7$/m, 'as times are shown');
	$r = zedperl('--tail', 3, $rows, \$ask);
	is($r->{out}, "lost 150 130\n160\n170\n", 'what --tail keeps does not know it any more, and the loss does');
}

{	# Without it: a running task has no state, which is what perf's flag_str says of it.
	my $state = trace(types => { 'sched::sched_switch' => field_text('long prev_state', 8, 8, 1) },
		print => { 'sched::sched_switch' => '"%s%s", (REC->prev_state & (0x4 - 1)) ? __print_flags(REC->prev_state & (0x4 - 1), "|", ' .
			'{ 0x1, "S)" }, { 0x2, "D" }) : "R", REC->prev_state & 0x100 ? "+" : ""' },
		events => [map { [0, 1000 + $_, 'sched::sched_switch', pack 'q', $_] } 0 .. 3, 256, 258]);
	my $r = zedperl($state, \'sub sched::sched_switch { print Zed::flag_str("prev_state"), " " }');
	is($r->{out}, 'R S) D S)|D R D ', 'flag_str of sched_switch\'s prev_state') or diag $r->{err};
}

{	# Without it: the text of an event, the one thing that needs the whole print machinery, is wrong or missing.
	my $r = zedperl($dat, \'sub api::all { print Zed::text(), "\n" }');
	is((lines($r->{out}))[0], 'flags=ONE|FOUR|SIXTEEN vec=TIMER', 'Zed::text is the print format\'s text');
}

{	# Without it: what perf recorded of a call is there for perf's own scripts only, or with the marks between its parts.
	my $r = zedperl('t/data/perf/rawsys_g.data', \'sub raw_syscalls::sys_exit { print join(" ", map { sprintf "%x", $_ } Zed::callchain()), "\n" }');
	my ($first) = qx(gzip -dc t/data/perf/rawsys_g.script.txt.gz) =~ /sys_exit: .*\n((?:\s+[0-9a-f]+ .*\n)+)/;
	my @kernel = ($first // '') =~ /^\s+(ffff[0-9a-f]+) /mg;
	cmp_ok(scalar @kernel, '>', 1, 'perf script shows a call chain');
	is(join(' ', @kernel), join(' ', grep { /^ffff/ } split ' ', (lines($r->{out}))[0]), 'Zed::callchain: the addresses that perf script shows');
	unlike($r->{out}, qr/\bf{12}[ef]/, 'and no marks');
}

{	# Without it: a question that has no answer is answered with an old event's.
	for my $f (qw(ts pid tid comm cpu event system name instance source lost lost_since lost_source pid_since callchain stack stack_symbols inlined(1) text fields field('n') common('pid') symbol(1) flag_str('x') symbol_str('x'))) {
		my $call = $f =~ /\(/ ? "Zed::$f" : "Zed::$f()";
		(my $name = $f) =~ s/\W.*//;
		my $r = zedperl($dat, \"sub mini::tick {}\nsub trace_end { $call }");
		like($r->{err}, qr/^Zed::\w+: no current event \(call it from a handler\) at \S+ line 2\.$/m, "$call after the last event");
		is($r->{status}, 255, "$call is a death");
	}
	my $r = zedperl($dat, \'sub trace_begin { eval { Zed::ts() }; print "begin: $@" } eval { Zed::ts() }; print "main: $@"; sub mini::tick { }');
	like($r->{out}, qr/^main: Zed::ts: no current event .*\nbegin: Zed::ts: no current event /, 'before the first one too');
	for my $call ('Zed::ts(1)', 'Zed::field()', 'Zed::common()', 'Zed::symbol()', 'Zed::comm_of()', 'Zed::flag_str()', 'Zed::stop(1)', 'Zed::events(0, 1)') {
		$r = zedperl($dat, \"sub mini::tick { $call }");
		like($r->{err}, qr/^usage: Zed::\w+\(.*\) at \S+ line 1\./, "$call: usage");
	}
	is((zedperl($dat, \'print join ",", Zed::events(), Zed::comm_of(77)'))->{out}, 'api::all,mini::tick,worker', 'events and comm_of in the main program');
	$r = zedperl({ bare => 1 }, '--force-merge', '-i', $dat, '-i', 't/data/demo.dat', '-e', 'print join ",", Zed::events(0), scalar(Zed::events(1)) > 2 ? "more" : "none", scalar(() = Zed::events(2)); exit');
	is($r->{out}, 'api::all,mini::tick,more,0', 'events of one input (else: what one trace has is said of another)');
}

{	# Without it: use Zed needs a path, or imports nothing.
	my $r = zedperl($dat, \'use strict; use Zed qw(ts stop); sub mini::tick { print ts, "\n"; stop }');
	is($r->{out}, "5000000123\n", 'use Zed with names');
	$r = zedperl($dat, \'use strict; use Zed ":all"; sub mini::tick { print event(), " ", cpu(), "\n" }');
	is($r->{out}, "mini::tick 0\n", "use Zed ':all'");
	$r = zedperl($dat, \'use Zed qw(nothing);');
	like($r->{err}, qr/^Zed has no function 'nothing' \(it has ts pid /, 'a name that is none');
	$r = zedperl($dat, \'use Zed 99;');
	like($r->{err}, qr/^Zed version 99 required--this is only version/, 'use Zed VERSION');
	$r = zedperl($dat, \'require Zed; print $INC{"Zed.pm"} ? "ok" : "no"');
	is($r->{out}, 'ok', 'require Zed');
}

{	# Without it: Zed::event in trace_unhandled and trace_lost is that of another event.
	my $r = zedperl($dat, \'sub trace_unhandled { print "$_[0] ", Zed::event(), " ", Zed::ts(), "\n" } sub trace_lost { print "lost ", Zed::ts(), " ", Zed::lost(), "\n" }');
	is($r->{out}, "mini::tick mini::tick 5000000123\napi::all api::all 5000001000\nlost 5000002000 4\napi::all api::all 5000002000\n",
		'the current event in trace_unhandled and trace_lost');
}

{	# Without it: the manual of the module is not shown by perldoc.
	my $pod = ($ENV{ZED_SOURCE} // '.') . '/interp/Zed.pm';
	SKIP: {
		skip 'run from the checkout to look at interp/Zed.pm', 4 if !-e $pod;
		require Pod::Checker;
		my $checker = Pod::Checker->new(-quiet => 1);
		open my $null, '>', '/dev/null' or die;
		$checker->parse_from_file($pod, $null);
		is($checker->num_errors, 0, 'the POD is sound');
		open my $fh, '<', $pod or die;
		my $text = join '', <$fh>;
		my ($functions) = $text =~ /^our \@EXPORT_OK = qw\((.*?)\)/ms;
		my @missing = grep { $text !~ /^=item .*\b$_\(/m } split ' ', $functions;
		cmp_ok(scalar(split ' ', $functions), '>', 40, 'there are functions');
		is("@missing", '', 'and has every function that can be imported (else: perldoc Zed does not know it)');
		like($text, qr/^=head2 Metrics\n\n=over\n\n=item metric\(/m, 'metrics under their own heading (else: they are looked for in vain)');
	}
}

done_testing;
