# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --live with the options that zedtrace has: which tasks, CPUs and events the kernel is to record, for how
# long, with how much memory, and the command that the run is about, whose exit status becomes zedperl's.
#
# of: programs
# Without it: a run is about other tasks, CPUs or events than it was asked for.
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $tmp = zed_tmp();
my $cpus = live_lock('cpus');

# Run zedperl --live with CODE as its script; leaves no instance.
my $n = 0;
sub live
{
	my ($code, @args) = @_;
	my @behind;
	@behind = splice @args, $_ for grep { defined } (grep { $args[$_] eq '--' } 0 .. $#args)[0];
	put_text("$tmp/s$n.pl", $code);
	return leaves_nothing("run $n", sub { zed_run({ time => 30, memory => 0 }, 'zedperl', '--live', @args, "$tmp/s" . $n++ . '.pl', @behind) });
}
my $calls = 'my %n; sub raw_syscalls::sys_enter { $n{Zed::field("common_pid")}++ } ' .
	'sub trace_end { print join(",", map { "$_=$n{$_}" } sort { $a <=> $b } keys %n), "\n" } ';

# ---- a command
{
	my $r = live('sub raw_syscalls::sys_enter { $n++ } sub trace_end { print $n > 0 ? "some\n" : "none\n" }', '--', 'sh', '-c', 'echo of it; exit 3');
	is($r->{exit}, 3, "the command's exit status is zedperl's (else: a failed build passes)") or diag $r->{err};
	is($r->{out}, "of it\nsome\n", 'it runs while tracing is on, with our output; then trace_end (else: nothing of it is seen)');
	$r = live('print "begin @ARGV\n"; sub raw_syscalls::sys_enter { }', '--', 'true');
	is($r->{out}, "begin \n", 'words behind -- are not the script\'s (else: it takes them for files)');
	$r = zed_run({ time => 30, memory => 0 }, 'zedperl', '--live=sched:sched_switch', '-e', '$| = 1; print "@ARGV\n"; sub sched::sched_switch { }', 'a', 'b', '--', 'echo', 'c');
	is("$r->{exit} $r->{out}", "0 a b\nc\n", '-e: words up to -- are the script\'s');
	$r = zed_run({ time => 30, memory => 0 }, 'zedperl', '--live=sched:sched_switch', '-e', '$| = 1; print "@ARGV|\n"; sub sched::sched_switch { }', '--', 'echo', 'c');
	is("$r->{exit} $r->{out}", "0 |\nc\n", '... also where there are none');
	for (['a signal that ends it', 143, 'sub raw_syscalls::sys_enter { }', 'sh', '-c', 'kill -TERM $$'],
	     ['one that is not there', 127, 'sub raw_syscalls::sys_enter { }', 'no-such-command-here'],
	     ['one that cannot be executed', 126, 'sub raw_syscalls::sys_enter { }', $tmp],
	     ['a script that says exit', 5, 'sub raw_syscalls::sys_enter { exit 5 }', 'sh', '-c', 'exit 3'],
	     ['a script that dies', 255, 'sub raw_syscalls::sys_enter { die "so" }', 'sh', '-c', 'exit 3']) {
		my ($what, $exit, $code, @command) = @$_;
		is(live($code, '--', @command)->{exit}, $exit, "$what: exit status $exit (else: callers are misled)");
	}
	$r = live('sub trace_begin { die "so\n" } sub raw_syscalls::sys_enter { }', '--', 'touch', "$tmp/ran");
	is("$r->{exit} " . (-e "$tmp/ran" ? 1 : 0), '255 0', 'a script that dies before tracing begins: the command does not run (else: it runs untraced)');
	is(live($calls, '--')->{exit}, 2, 'no command after --: refused');
}

if (small()) {
	done_testing();
	exit;
}

# ---- which tasks
{
	my $load = 'i=0; while [ $i -lt 300 ]; do kill -0 $$; i=$((i + 1)); done; ';
	my $r = live($calls, '-c', '--', 'sh', '-c', "echo \$\$; $load sh -c 'echo \$\$; kill -0 \$\$; kill -0 \$\$'");
	my ($parent, $child, $seen) = split /\n/, $r->{out};
	my %seen = map { split /=/ } split /,/, $seen // '';
	cmp_ok($seen{$parent} // 0, '>=', 300, '-c: the command') or diag "$r->{out}$r->{err}";
	cmp_ok($seen{$child} // 0, '>=', 2, '... and what it starts (else: a shell script is all that one sees)');
	is(scalar(keys %seen), 2, '... and nobody else (else: the events of the whole machine)') or diag $r->{out};
	is(live($calls, '-c')->{exit}, 2, '-c without a task or a command: refused');

	my $pid = spawn({ stdout => '/dev/null' }, $^X, '-e', 'alarm 120; select undef, undef, undef, 0.01 while 1');
	for my $option ('-P', '--pid') {
		$r = live($calls, $option, $pid, '-d', '300ms');
		like($r->{out}, qr/\A$pid=\d+\n\z/, "$option: only this task (else: those of others as well)") or diag "$r->{out}$r->{err}";
	}
	kill 'KILL', $pid;
	waitpid $pid, 0;
	$r = live($calls, '-P', $pid, '-d', 1);
	is($r->{exit}, 2, '-P: one that has ended is refused (else: it waits for what never comes)');
	like($r->{err}, qr/-P: there is no process $pid/, '... and said');
}

# ---- how long
{
	my $t = mono_now();
	my $r = live('sub trace_end { print "end\n" } sub sched::sched_switch { }', '-d', '0.5');
	my $took = mono_now() - $t;
	is("$r->{exit} $r->{out}", "0 end\n", '-d: ends as at Ctrl-C') or diag $r->{err};
	cmp_ok($took, '>=', 0.5, '... not before (else: the measurement is short)');
	ok(!$r->{late}, '... and soon after');
	# Slower than the events come, for the first: a busy machine has very many in that time.
	$r = live('sub sched::sched_switch { select undef, undef, undef, 0.001 if $n++ < 50 } sub trace_end { print $n > 0 ? "some\n" : "none\n" }', '-d', '200ms', '--', 'sleep', 0.5);
	is("$r->{exit} $r->{out}", "0 some\n", '-d before the command ends: it is waited for, and its status counts');
	is(zed_run('zedperl', '-d', 1, 't/data/demo.dat', '-e', '1')->{exit}, 2, '-d of a file is refused (else: it is thought to cut it)');
}

# ---- what the kernel leaves out
{
	my $count = 'my ($n, $not) = (0, 0); sub sched::sched_switch { $n++; $not++ if !(Zed::field("next_pid") & 1) } sub trace_end { print "$n $not ", %s, "\n" } ';
	my $told = sprintf $count, 'join("", grep { /^next_pid & 1$/ } map { local (@ARGV, $/) = $_; <> =~ s/\n//r } glob("' . live_root() . '/instances/zed.$$.*/events/sched/sched_switch/filter"))';
	my $r = live($told, '-F', 'sched: next_pid & 1', '-d', '300ms');
	like($r->{out}, qr/\A[1-9]\d* 0 next_pid & 1\n\z/, '-F is the kernel\'s filter (else: the script has to keep up with what it does not want)') or diag $r->{err};
	$r = live(sprintf($count, '""'), '-F', 'sched:sched_switch: next_pid & 1 and secs > 0', '-d', '300ms');
	like($r->{out}, qr/\A[1-9]\d* 0 \n\z/, '-F with what only zedperl knows is looked at here (else: it is refused, or all come)') or diag $r->{err};
	$r = live('sub sched::sched_switch { } sub span::all { $n++; $long++ if Zed::field("took") < 1000 } sub trace_end { print $n > 0, " ", $long // 0, "\n" }', '--synthetic',
		'span:all start=sched:sched_switch end=sched:sched_switch match="start.next_pid == end.prev_pid" took="end.ts - start.ts"', '-F', 'span: took >= 1000', '-d', '500ms');
	is($r->{out}, "1 0\n", 'and one about synthetic events') or diag $r->{err};
	for (['sched: (((', qr/-F/], ['sched:sched_switch: nothing == 1', qr/-F: .*'nothing'/]) {
		$r = live(sprintf($count, '""'), '-F', $_->[0], '-d', 1);
		is($r->{exit}, 2, "-F '$_->[0]' is refused by both");
		like($r->{err}, $_->[1], '... and said why');
	}
	my $mask = 'sub sched::sched_switch { $cpu{$_[0]}++ } sub trace_end { print join(",", sort keys %cpu), "\n" }';
	SKIP: {
		my $last = (split /\D/, slurp('/sys/devices/system/cpu/online'))[-1];
		skip live_cannot('one CPU only'), 1 if !$last;
		$r = live($mask, '--cpu', $last, '-d', '500ms');
		is($r->{out}, "$last\n", '--cpu: only this one is traced') or diag $r->{err};
	}
}

# ---- memory
for (['16M', 16384], ['512', 512], ['2048K', 2048]) {
	my ($size, $kb) = @$_;
	my $r = live('sub sched::sched_switch { } sub trace_end { for (glob "' . live_root() . '/instances/zed.$$.*[0-9]/buffer_size_kb") { open my $f, "<", $_; print <$f> } }', '-b', $size, '-d', '100ms');
	cmp_ok((($r->{out} =~ /(\d+)/)[0] // 0), '>=', $kb, "-b $size: that much of each CPU") or diag $r->{err};
	cmp_ok((($r->{out} =~ /(\d+)/)[0] // 0), '<', $kb * 1.3, '... and not much more');
}
is(live($calls, '-b', '12Q')->{exit}, 2, 'a size that is none is refused');

# ---- which events: those of the code, and what a misspelt one may have been
{
	my $of = sub {
		my $r = zed_run({ time => 30, memory => 0 }, 'zedperl', '--live', '-d', '100ms', map { ('-e', $_) } @_);
		$r->{err} = live_without_own($r->{err});
		return $r;
	};
	my $r = $of->('sub sched::switch { $n++ }', 'sub trace_end { print $n > 0 ? "some\n" : "none\n" }');
	is("$r->{exit} $r->{out}$r->{err}", "0 some\n", '-e: the events that its code handles (else: each is named twice)');
	$r = $of->('# zedtrace: sched:sched_switch', 'sub trace_unhandled { $e{$_[0]}++ } sub trace_end { print sort keys %e }');
	is("$r->{exit} $r->{out}$r->{err}", '0 sched::sched_switch', '... or that a line of it names');
	is($of->('print "nothing"')->{exit}, 2, '... and refused if there are none');
	my $also = ' sub sched::sched_switch { }';
	my $is = 'matches no event in this trace: did you mean';
	for (['a sub', 'sub sched::sched_swich { }', qr/sub sched::sched_swich $is sched::sched_switch\?/],
	     ['an event that is not recorded', 'sub irq::irq_handler_entri { }', qr/sub irq::irq_handler_entri $is irq::irq_handler_entry\?/],
	     ['a system', 'sub iqr::irq_handler_entry { }', qr/sub iqr::irq_handler_entry $is irq::irq_handler_entry\?/],
	     ['a stable event', 'sub sched::proces_fork { }', qr/sub sched::proces_fork $is sched::process_fork\?/],
	     ['a name in Zed::on', 'Zed::on("irq:irq_handler_entri", sub { });', qr/Zed::on: no event in this trace matches irq:irq_handler_entri: did you mean irq:irq_handler_entry\?/]) {
		my ($what, $code, $said) = @$_;
		$r = $of->($code . $also);
		like($r->{err}, qr/\Azedperl: (?:-e line 1: )?$said\n\z/, "$what with a slip: what it may have been, once (else: the script waits for ever)");
		is($r->{exit}, 0, '... and the others are traced');
	}
	$r = $of->('sub sched::sched_swich { }');
	is($r->{exit}, 2, 'nothing but a slip: refused');
	like($r->{err}, qr/\Azedperl: -e: this kernel has no event 'sched:sched_swich'; did you mean sched:sched_switch\? [^\n]*\n\z/, '... with the name');
}

done_testing();
