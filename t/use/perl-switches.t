# SPDX-License-Identifier: GPL-2.0-or-later
#
# perl's own ways to run and to look at a script: -E, -W, -T, -, the debugger, and --check, which looks at the script
# against a trace.  Without it someone who knows perl finds that a switch does something else here, or nothing.
# of: programs/zedperl interp/perl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;

my $dat = trace();
my $end = 'sub trace_end { }';

is(zedperl('-E', 'sub mini::tick { say "tick $_[4]" }', '-MZed=handlers,mini', $dat)->{out}, "tick 1\ntick 2\ntick 3\n", '-E: say');
is(zedperl('-e', 'my $x = 1;', '-E', 'say $x; sub trace_end { }', $dat)->{out}, "1\n", '-e and -E: lines of one program');
like(zedperl('-W', $dat, \"no warnings; my \$x = 'a' + 1; $end")->{err}, qr/isn't numeric/, '-W: all warnings (else: those that the script hides)');
is(zedperl('-w', $dat, \"no warnings; my \$x = 'a' + 1; $end")->{err}, '', 'and -w leaves that to the script');
is(zedperl('-T', '-e', "print \${^TAINT}; $end", $dat)->{out}, '1', '-T: taint checks are on');
like(zedperl('-T', $dat, \"system \$ENV{PATH}; $end")->{err}, qr/Insecure/, 'and do what they are for');
is(zedperl({ stdin => script("print qq{here\\n}; $end") }, $dat, '-')->{out}, "here\n", '-: the script on standard input');

{	# The debugger stops in handlers.
	my $script = script("use Zed handlers => ['mini'];\nsub mini::tick {\n\tmy \$n = \$_[4];\n\tprint \"n \$n\\n\";\n}\n1;\n");
	my $commands = temp_path();
	open my $fh, '>', $commands or die "$commands: $!\n";
	print $fh "b mini::tick\nc\np \"stopped at \$_[4]\"\nc\np \"stopped at \$_[4]\"\nq\n";
	close $fh or die "$commands: $!\n";
	my $r = zedperl({ stdin => $commands, env => { PERLDB_OPTS => 'ReadLine=0', TERM => 'dumb', PERLDB_NOTTY => 1 } }, '--debug', $dat, $script);
	like($r->{out} . $r->{err}, qr/stopped at 1.*stopped at 2/s, '--debug: a breakpoint in a handler stops at each event') or diag $r->{out}, $r->{err};
}

{	# --check: [what, script, status, lines that must be there, what must not happen]
	my $two = trace(types => { 'sched::sched_switch' => field_text('int prev_pid', 8, 4, 1) . field_text('int next_pid', 12, 4, 1) },
		events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'sched::sched_switch', pack 'l2', 1, 2]]);
	my $check = sub { my $p = script($_[0]); my $r = zedperl('--check', $two, $p); s/\Q$p\E/SCRIPT/g for @$r{qw(out err)}; return $r };
	my $r = $check->("sub sched::sched_switch { my (\$cpu, \$secs, \$nsecs, \$seq, \$prev_pid, \$next_pid) = \@_; print 'ran' }\n"
		. "sub trace_begin { print 'begin' }\nsub trace_end { print 'end' }\nEND { print 'END' }\n");
	is("$r->{status} $r->{out}$r->{err}", "0 sched:sched_switch: sub sched::sched_switch\n", 'a sound script: what calls what, and nothing of it is run');
	$r = $check->("sub sched::sched_switch { my (\$cpu, \$secs, \$nsecs, \$seq, \$next_pid) = \@_ }\n");
	is($r->{status}, 1, 'a variable named after another field: status 1');
	like($r->{out}, qr/^sub sched::sched_switch: argument 5 is called \$next_pid, and the field there is prev_pid \(/m, 'and said (else: wakeups of the wrong task)');
	$r = $check->("sub sched::sched_switch { my (\$cpu, \$secs, \$nsecs, \$seq, \$from, \$to, \$state) = \@_ }\n");
	like($r->{out}, qr/^sub sched::sched_switch: argument 7, \$state, is never given: sched:sched_switch has 2 fields$/m, 'one too many (else: undef in sums)');
	is($check->("sub sched::sched_switch { my (\$cpu, \$secs, \$nsecs, \$seq, \$from, \$to) = \@_ }\n")->{status}, 0, 'names of the author\'s own are fine');
	$r = $check->("sub sched::sched_swtich { }\n");
	is($r->{status}, 1, 'a misspelt event: status 1');
	like($r->{err}, qr/did you mean sched::sched_switch\?/, 'and said');
	$r = $check->("sub block::block_rq_issue { }\nsub irq::irq_handler_entry { }\nsub sched::sched_switch { }\n");
	is("$r->{status} $r->{out}", "0 sched:sched_switch: sub sched::sched_switch\nblock:block_rq_issue: not in this trace: sub block::block_rq_issue\n"
		. "irq:irq_handler_entry: not in this trace: sub irq::irq_handler_entry\n", 'handlers for what this trace lacks are named, in order');
	$r = $check->("Zed::on('sched:*', args => ['next_pid'], sub { print 'ran' });\nZed::count('mini:tick', by => 'n');\n");
	like($r->{out}, qr/\A(?=.*^sched:sched_switch: Zed::on at SCRIPT line 1$)(?=.*^mini:tick: Zed::count at SCRIPT line 2$)/ms, 'Zed::on and aggregations, with their places') or diag $r->{out}, $r->{err};
	$r = $check->("Zed::on('sched:sched_switch', args => ['nxt_pid'], sub { });\n");
	like($r->{err}, qr/nxt_pid/, 'a field that is not there');
	isnt($r->{status}, 0, 'is no sound script');
	is($check->("sub sched::sched_switch {\n")->{status}, 255, 'nor one that does not compile');
	is(zedperl('--check', '-t', $two, \'1')->{status}, 2, '--check and -t: one of them');
}

done_testing();
