# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every way in which a run can end: what is said, whether trace_end and END run, and the exit status.
# Without these a long analysis loses its results at its last moment, or a shell script believes it.
# of: interp programs/stop.c programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Process;
use Run::Zedperl;

my $dat = trace(events => [map { [0, 1_000_000 * $_, 'mini::tick', $_] } 1 .. 3]);
my $frame = 'sub trace_end { print "end\n" } END { print "END $?\n" } $| = 0; ';

# Without it: what was found in a part of the trace is taken for the answer of the whole.
my $SECOND = qr/\Azedperl: interrupted after 2 events \(up to 0\.002000000\): the results are of these\n\z/;

# [what, code, stdout, status, stderr pattern]
my @cases = (
	['die in BEGIN', 'BEGIN { die "oops\n" }', '', 255, qr/^oops\nBEGIN failed--compilation aborted at \S+ line 1\.\n\z/],
	['a syntax error', 'sub {{ nonsense', '', 255, qr/^(?:Missing right curly|syntax error) .* line 1/m],
	['a missing module', 'use No::Such::Module;', '', 255, qr/^Can't locate No\/Such\/Module\.pm in \@INC/],
	['die in the main program', $frame . 'die "oops"', "END 255\n", 255, qr/^oops at \S+ line 1\.\n\z/],
	['die in the main program with $! set', $frame . '$! = 2; die "oops"', "END 255\n", 255, qr/^oops at/],
	['die in trace_begin', $frame . 'sub trace_begin { die "oops\n" } sub mini::tick { print "tick\n" }',
		"end\nEND 255\n", 255, qr/\Aoops\nzedperl: while in trace_begin\n\z/],
	['die in a handler', $frame . "\n" . 'sub mini::tick { print "t$_[4]\n"; die "oops" if $_[4] == 2 }',
		"t1\nt2\nend\nEND 255\n", 255,
		qr/\Aoops at \S+ line 2\.\nzedperl: while in mini::tick, cpu 0, 0\.002000000, \S+\.dat offset 0x[0-9a-f]+\n\z/],
	['die in trace_end', 'sub trace_end { print "end\n"; die "oops\n" } END { print "END $?\n" }', "end\nEND 255\n",
		255, qr/\Aoops\nzedperl: while in trace_end\n\z/],
	['die in a handler and in trace_end', 'sub mini::tick { die "one\n" } sub trace_end { die "two\n" }', '', 255,
		qr/\Aone\nzedperl: while in mini::tick, .*\ntwo\nzedperl: while in trace_end\n\z/],
	['die in trace_unhandled', 'sub trace_unhandled { die "oops\n" }', '', 255,
		qr/\Aoops\nzedperl: while in trace_unhandled \(mini::tick\), cpu 0/],
	['die with an object', 'package E; use overload q{""} => sub { "object\n" }; sub mini::tick { die bless {} }', '', 255,
		qr/\Aobject\nzedperl: while in mini::tick/],
	['die with an object whose "" dies', 'package E; use overload q{""} => sub { die "inner\n" }; sub mini::tick { die bless {} }
		sub main::trace_end { print "end\n" }', "end\n", 255, qr/zedperl: while in mini::tick/],
	['$SIG{__DIE__}', '$SIG{__DIE__} = sub { print "hook\n" }; sub mini::tick { die "oops\n" }', "hook\n", 255, qr/\Aoops\n/],
	['die in eval', $frame . 'sub mini::tick { eval { die "oops\n" }; print "got $@" }',
		"got oops\n" x 3 . "end\nEND 0\n", 0, qr/\A\z/],
	['exit in BEGIN', 'BEGIN { exit 3 } END { print "END\n" }', '', 3, qr/\A\z/],
	['exit in the main program', $frame . 'exit 3', "END 3\n", 3, qr/\A\z/],
	['exit 0 in the main program', $frame . 'sub mini::tick { print "tick\n" } exit 0', "END 0\n", 0, qr/\A\z/],
	['exit in trace_begin', $frame . 'sub trace_begin { exit 4 }', "END 4\n", 4, qr/\A\z/],
	['exit in a handler', $frame . 'sub mini::tick { print "t"; exit 5 if $_[4] == 2 }', "ttEND 5\n", 5, qr/\A\z/],
	['exit 0 in a handler', $frame . 'sub mini::tick { print "t"; exit }', "tEND 0\n", 0, qr/\A\z/],
	['exit in eval', $frame . 'sub mini::tick { eval { exit 6 }; print "not here" }', "END 6\n", 6, qr/\A\z/],
	['exit in a nested sort', $frame . 'sub mini::tick { my @x = sort { exit 7 } 1, 2; print "not here" }', "END 7\n", 7, qr/\A\z/],
	['exit in a destructor', $frame . 'sub D::DESTROY { exit 8 } sub mini::tick { my $d = bless [], "D" }', "END 8\n", 8, qr/\A\z/],
	['exit in trace_end', 'sub trace_end { print "end\n"; exit 9 } END { print "END $?\n" }', "end\nEND 9\n", 9, qr/\A\z/],
	['exit in trace_end after a die', 'sub mini::tick { die "x\n" } sub trace_end { exit 9 }', '', 9, qr/\Ax\n/],
	['END changes $?', 'sub mini::tick { exit 5 } END { $? = 6 }', '', 6, qr/\A\z/],
	['Zed::stop', $frame . 'sub mini::tick { print "t\n"; Zed::stop() if $_[4] == 2; print "after\n" }',
		"t\nafter\nt\nafter\nend\nEND 0\n", 0, qr/\A\z/],
	['Zed::stop in trace_begin', $frame . 'sub trace_begin { Zed::stop() } sub mini::tick { print "t\n" }', "end\nEND 0\n", 0, qr/\A\z/],
	['Zed::stop in the main program', 'Zed::stop()', '', 255, qr/^Zed::stop: the run has not begun/],
	['warn', "\n" . 'sub mini::tick { warn "careful" if $_[4] == 1 } sub trace_end { warn "late\n" }', '', 0,
		qr/\Acareful at \S+ line 2\.\nlate\n\z/],
	['$SIG{__WARN__}', '$SIG{__WARN__} = sub { print "W @_" }; sub mini::tick { warn "x\n" if $_[4] == 1 }', "W x\n", 0, qr/\A\z/],
	['destructors at the end', 'sub D::DESTROY { print "gone\n" } our $d = bless []; bless $d, "D"; my $e = bless [], "D"; sub trace_end { $e }',
		"gone\ngone\n", 0, qr/\A\z/],
	['exit in a destructor that runs at the very end', $frame . 'sub D::DESTROY { exit 8 if $last } sub mini::tick { bless \\$_[4], "D"; $last = $_[4] == 3 }',
		"end\nEND 0\n", 8, qr/\A\z/],
	['SIGINT without a handler of its own', $frame . 'sub mini::tick { print "t\n"; kill INT => $$ if $_[4] == 2; print "after\n" }',
		"t\nafter\nt\nafter\nend\nEND 130\n", 130, $SECOND],
	['SIGTERM', $frame . 'sub mini::tick { print "t\n"; kill TERM => $$ if $_[4] == 2 }', "t\nt\nend\nEND 130\n", 130, $SECOND],
	['SIGINT in the first of two handlers', $frame . 'Zed::on("mini:tick", sub { print "one\n"; kill INT => $$; 1 }); Zed::on("mini:tick", sub { print "two\n" });',
		"one\ntwo\nend\nEND 130\n", 130, qr/\Azedperl: interrupted after 1 event \(up to 0\.001000000\): the results are of this one\n\z/],
	['SIGINT in the first event of what two make', $frame . 'my $gap = Zed::synthetic("gap:one", start => "mini::tick", end => "mini::tick");
		sub mini::tick { kill INT => $$ if $_[4] == 2; 1 } sub gap::one { print "gap\n" }', "gap\nend\nEND 130\n", 130, $SECOND],
	['SIGINT in what is due at a time', $frame . 'Zed::when(2_000_000, sub { kill INT => $$; 1 }); sub mini::tick { print "t\n" }', "t\nt\nend\nEND 130\n", 130, $SECOND],
	['SIGINT in what is due before an event without a handler', 'our $n = Zed::count("mini:tick"); Zed::when(2_000_000, sub { kill INT => $$; 1 }); sub trace_lost { }
		sub trace_end { print $n->get, "\n" }', "2\n", 130, $SECOND],
	['SIGINT in trace_begin', $frame . 'sub trace_begin { kill INT => $$; 1 } sub mini::tick { print "t\n" }', "end\nEND 130\n", 130, qr/\Azedperl: interrupted before the first event\n\z/],
	['SIGINT in the main program', $frame . 'kill INT => $$; 1; print "not here\n"', "END 130\n", 130, qr/\A\z/],
	['a second SIGINT', $frame . 'sub mini::tick { kill INT => $$; 1; kill INT => $$; 1; print "not here\n" }', "END 130\n", 130, qr/\A\z/],
	['a SIGINT handler', $frame . '$SIG{INT} = sub { print "mine\n" }; sub mini::tick { kill INT => $$ if $_[4] == 2 }',
		"mine\nend\nEND 0\n", 0, qr/\A\z/],
	['SIGINT ignored', $frame . '$SIG{INT} = "IGNORE"; sub mini::tick { kill INT => $$; print "t" }', "ttt" . "end\nEND 0\n", 0, qr/\A\z/],
	['local $SIG{INT}, then SIGINT', $frame . 'sub mini::tick { { local $SIG{INT} = sub { print "mine\n" }; kill INT => $$; 1 }
		print "t\n"; kill INT => $$ if $_[4] == 2 }', "mine\nt\nmine\nt\nend\nEND 130\n", 130, $SECOND],
	['a signal handler that dies', $frame . '$SIG{USR1} = sub { die "usr1\n" }; sub mini::tick { kill USR1 => $$; 1 }', "end\nEND 255\n", 255,
		qr/\Ausr1\nzedperl: while in mini::tick/],
	['a signal handler that exits', $frame . '$SIG{USR1} = sub { exit 12 }; sub mini::tick { kill USR1 => $$; 1 }', "END 12\n", 12, qr/\A\z/],
);
for my $case (@cases) {
	my ($what, $code, $out, $status, $err) = @$case;
	my $r = zedperl($dat, \$code);
	is($r->{out}, $out, "$what: output") or diag $r->{err};
	is($r->{status}, $status, "$what: status") or diag "signal $r->{sig}";
	like($r->{err}, $err, "$what: stderr");
}

{	# Without it: a handler's bad line costs the whole run, or hides that anything was wrong.
	my $many = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 30]);
	my $r = zedperl('--keep-going', $many, \'sub mini::tick { $n++; die "odd $_[4]\n" if $_[4] % 2 } sub trace_end { print "end $n\n" }');
	is("$r->{status} $r->{out}", "1 end 30\n", '--keep-going: every event is handled, exit 1');
	is(scalar(() = $r->{err} =~ /^odd \d+\nzedperl: while in/mg), 10, 'the first ten are said');
	like($r->{err}, qr/^zedperl: 15 calls of handlers died and were passed over \(--keep-going\)$/m, 'all are counted');
	$r = zedperl('--keep-going', trace(events => [[0, 1, 'mini::tick', 1], [0, 2, 'mini::tick', 2, 3]]),
		\'sub trace_lost { die "lost\n" } sub mini::tick { print "t$_[4]\n" }');
	is($r->{out}, "t1\nt2\n", 'an event whose trace_lost died is still handled');
	like($r->{err}, qr/^lost\nzedperl: while in trace_lost, cpu 0, 0\.000000002,/m, 'and that is where it was');
	$r = zedperl('--keep-going', $many, \'Zed::when(2000, sub { die "due\n" }); Zed::when(2500, sub { print "next " }); sub mini::tick { $n++ } sub trace_end { print "end $n\n" }');
	is($r->{out}, "next end 30\n", 'a die in what is due at a time costs neither the event that came then nor what is due next');
	my $gap = 'my $gap = Zed::synthetic("gap:one", start => "mini::tick", end => "mini::tick");';
	$r = zedperl('--keep-going', $many, \($gap . 'Zed::when(2000, sub { print $gap->counts->{matched}; die "due\n" });
		Zed::when(2500, sub { print $gap->counts->{matched} }); sub gap::one { $m++ } sub mini::tick { $n++ } sub trace_end { print " end $n $m\n" }'));
	is($r->{out}, "01 end 30 29\n", 'nor where synthetic events are made of it, and it comes before that');
	$r = zedperl('--tail', 2, $many, \($gap . 'Zed::when(30000, sub { print "due " }); sub gap::one { print "gap " } sub mini::tick { print "$_[4] " }'));
	is($r->{out}, "29 gap due 30 gap ", '--tail: what is due comes between the events that are shown');
	$r = zedperl('--keep-going', $dat, \'sub mini::tick { die { code => 1 } } sub trace_begin { }');
	is($r->{status}, 1, 'dying with a reference');
}

{	# Without it: a fork in a handler doubles the results, or the parent loses its place in the trace.
	my $r = zedperl($dat, \($frame . 'sub mini::tick { my $v = $_[4]; defined(my $p = fork) or die; if (!$p) { print "child $v\n"; exit 7 }
		waitpid $p, 0; print "parent $v ", $? >> 8, "\n" }'));
	is(join('', sort grep { /child/ } $r->{out} =~ /^.*\n/mg), "child 1\nchild 2\nchild 3\n", 'children that exit');
	is(join('', grep { /parent|^end/ } $r->{out} =~ /^.*\n/mg), "parent 1 7\nparent 2 7\nparent 3 7\nend\n", 'the parent goes on');
	is(scalar(() = $r->{out} =~ /END 7/g), 3, 'END runs in each child');
	$r = zedperl('--stats', $dat, \('$| = 1; ' . $frame . 'sub mini::tick { my $p = fork; if ($p) { waitpid $p, 0; print "status $?\n" } }'));
	is(scalar(() = $r->{out} =~ /^end$/mg), 1, 'a child that returns from the handler has no trace_end');
	is(scalar(() = $r->{out} =~ /^status 0$/mg), 3, 'and ends with 0') or diag $r->{out};
	is(scalar(() = $r->{err} =~ /records/g), 1, 'and says no statistics');
	$r = zedperl($dat, \('$| = 1; ' . $frame . 'sub mini::tick { if (my $p = fork) { waitpid $p, 0; print "status ", $? >> 8, "\n" } else { die "child\n" } }'));
	is(scalar(() = $r->{out} =~ /^status 255$/mg), 3, 'a child that dies ends with 255');
	is(scalar(() = $r->{out} =~ /^end$/mg), 1, 'without trace_end');
	$r = zedperl($dat, \'sub mini::tick { print `echo $_[4]`; system("sh", "-c", "exit 3"); print $? >> 8, "\n" }');
	is($r->{out}, "1\n3\n2\n3\n3\n3\n", 'backticks and system');
	$r = zedperl($dat, \($frame . '$| = 1; my $p = fork; if ($p) { waitpid $p, 0; exit 0 } sub mini::tick { print "t\n" }'));
	is($r->{out}, "t\nt\nt\nend\nEND 0\nEND 0\n", 'a main program that goes into the background goes on in the child');
}

{	# Without it: printing into head loses the summary that another file gets.
	my $many = trace(events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 3000]);
	my $file = temp_path();
	my $path = script('use Zed handlers => "mini"; open $f, ">", shift or die; sub mini::tick { $n++; print "line $_[4] ", "x" x 100, "\n" }
		sub trace_end { print $f "end\n"; print $f $n < 3000 ? "early\n" : "late\n"; print "y" x 100000 }');
	my $zedperl = zedperl_path();
	my $err = temp_path();
	my @got = `'$zedperl' '$many' '$path' '$file' 2>'$err' | head -1; echo`;
	is($got[0], 'line 1 ' . 'x' x 100 . "\n", 'a pipe whose reader has gone');
	open my $fh, '<', $file or die;
	is(join('', <$fh>), "end\nearly\n", 'stops the run, with trace_end');
	ok(!-s $err, 'without a word');
	is(system("bash -c \"set -o pipefail; '$zedperl' '$many' '$path' '$file' | head -1 >/dev/null\""), 0, 'status 0');
}

{	# Without it: a full disk passes for success.
	my $r = zedperl({ stdout => '/dev/full' }, $dat, \'sub mini::tick { print "x" x 100000 }');
	isnt($r->{status}, 0, 'output that cannot be written is an error');
	like($r->{err}, qr/^zedperl: cannot write the script's output: No space left on device$/m, 'and said');
}

SKIP: {	# Without it: Ctrl-C has to wait for the next handled event, which may be the end of a huge file.
	my $many = trace(cpus => 1, events => [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 2000]);
	my @inputs = map { ('-i', $many) } 1 .. 40;
	my $r = start(@inputs, \'$| = 1; sub trace_begin { print "go\n" } sub mini::tick { select undef, undef, undef, 0.05; $n++ }
		sub trace_end { print "end\n" }');
	ok(wait_until(60, sub { -s $r->{out_path} }), 'it runs');
	kill INT => $r->{pid};
	finish($r);
	is("$r->{status} $r->{out}", "130 go\nend\n", 'Ctrl-C from outside');
	$r = zedperl(@inputs, \'use Time::HiRes; $SIG{ALRM} = sub { print "alarm\n"; Zed::stop() }; sub trace_begin { Time::HiRes::alarm(0.2) }
		sub mini::tick { select undef, undef, undef, 0.01 } sub trace_end { print "end\n" }');
	is("$r->{status} $r->{out}", "0 alarm\nend\n", 'alarm');
}

done_testing;
