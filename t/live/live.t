# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --live on this kernel: handlers run while events happen, in one order, soon; every way out
# drains what is there and takes the instance away.  Most events are marks that the test itself writes
# into the trace_marker of zedperl's instance: what is in them is known, whatever else the machine does.
#
# of: programs/zedperl analysis/timeline record
# Without it: a live run stops short, or leaves an instance that records for ever.
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep);
use lib 't/lib';
use Pass;
use Run::Live;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my $root = live_root();
my $cpus = live_lock('cpus');

my @running;	# pids that must not outlive the test
END { my $status = $?; for (@running) { kill 'KILL', $_->{pid}; waitpid $_->{pid}, 0 } $? = $status }

# Start zedperl with ARGS, and CODE as its script; it is ready when its instance records.
sub start
{
	my ($code, @args) = @_;
	spew(my $script = zed_tmp() . '/live.pl', $code);
	return launch(@args, $script);
}

my $runs = 0;
sub launch
{
	my @args = @_;
	my $at = zed_tmp() . '/run' . ++$runs;
	my $pid = spawn({ stdout => "$at.out", stderr => "$at.err" }, zed_bin('zedperl'), @args);
	my $run = { pid => $pid, out => "$at.out", err => "$at.err" };
	push @running, $run;
	($run->{dir}) = wait_until(30, sub {
		my ($dir) = glob "$root/instances/zed.$pid.*";
		# A new instance is on for a moment; events are enabled when it has been switched off.
		return $dir if $dir && eval { slurp("$dir/set_event") =~ /./ && slurp("$dir/tracing_on") =~ /^1/ };
		return 'gone' if waitpid($pid, POSIX::WNOHANG()) == $pid && ($run->{status} = $?, 1);
	});
	return $run;
}

# Write TEXT into the run's marker.
sub mark
{
	my ($run, @texts) = @_;
	open my $fh, '>', "$run->{dir}/trace_marker" or return 0;
	syswrite $fh, "$_\n" for @texts;
	close $fh;
	return 1;
}

sub output { return slurp($_[0]{out}) }

# Its end: 'exit N' or 'signal N', at most SECONDS after; then the instance must be gone.
sub ended
{
	my ($run, $seconds) = @_;
	if (!defined $run->{status}) {
		wait_until($seconds // 30, sub {
			return waitpid($run->{pid}, POSIX::WNOHANG()) == $run->{pid} && ($run->{status} = $?, 1);
		});
	}
	if (!defined $run->{status}) {
		kill 'KILL', $run->{pid};
		waitpid $run->{pid}, 0;
		$run->{status} = $?;
		diag('did not end');
	}
	@running = grep { $_ != $run } @running;
	return $run->{status} & 127 ? 'signal ' . ($run->{status} & 127) : 'exit ' . ($run->{status} >> 8);
}

sub gone_ok
{
	my ($run, $what) = @_;
	my @left = glob "$root/instances/zed.$run->{pid}.*";
	is("@left", '', "$what: no instance is left (else: it records for ever, into memory)");
	rmdir for @left;
}

# An event that nearly never comes, so that only marks do.
my $quiet = '--live=sched:sched_process_hang,sched:sched_kthread_stop';
my $frame = '$| = 1; sub trace_begin { print "begin\n" } sub trace_end { print "end\n" } ';
my $marks = 'sub ftrace::print { my ($cpu, $s, $ns, $seq, $ip, $buf) = @_; chomp $buf; ';

# ---- while they happen ----
{
	my $run = start($frame . 'use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC); ' . $marks .
		'printf "%s %.6f\n", $buf, clock_gettime(CLOCK_MONOTONIC) - $s - $ns / 1e9 }', $quiet, '--stats');
	like(output($run), qr/\Abegin\n/, 'trace_begin has run before tracing is on (else: first events meet nothing)');
	my (@latency, $missing);
	for my $i (1 .. small(20, 40)) {
		mark($run, "mark $i");
		my $got = wait_until(30, sub { output($run) =~ /^mark $i (\S+)$/m ? $1 : undef });
		defined $got or $missing = $i, last;
		push @latency, $got;
		sleep 0.01;
	}
	is($missing, undef, 'each event is handled before the next one happens (else: it is not live)');
	@latency = sort { $a <=> $b } @latency;
	note(sprintf 'latency: least %.1f ms, median %.1f, most %.1f', map { 1000 * $_ } @latency[0, $#latency / 2, -1]);
	# A machine that is busy with other tests lets many wait for the CPU, but not all.
	cmp_ok($latency[$#latency / 4] // 9, '<', 0.1, 'a quarter and more reach their handler within 100 ms');
	cmp_ok($latency[0] // 0, '>=', 0.02, 'none before the slack has passed (else: another CPU has no chance)');
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 0', 'Ctrl-C is the good end of a live run') or diag(slurp($run->{err}));
	is(scalar(() = output($run) =~ /^end$/mg), 1, 'trace_end runs once');
	my $err = slurp($run->{err});
	like($err, qr/late     0\n.*dropped  0 by the kernel/s, '--stats tells of late and of dropped events');
	gone_ok($run, 'Ctrl-C');
}

if (small()) {
	done_testing();
	exit;
}

# ---- one order ----
{
	my $run = start('my ($n, $last, $back) = (0, 0, 0); my %cpu; sub sched::sched_switch { my $t = Zed::ts(); ' .
		'$n++; $cpu{$_[0]}++; $t < $last ? $back++ : ($last = $t) } ' .
		'sub trace_end { print "$n $back ", scalar(keys %cpu), "\n" }', '--stats', '--live=sched:sched_switch');
	my @busy = map { my $pid = fork // die; if (!$pid) { for (1 .. 2000) { select undef, undef, undef, 0.0002 } POSIX::_exit(0) } $pid } 1 .. 3;
	waitpid $_, 0 for @busy;
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 0', 'a run over sched_switch') or diag(slurp($run->{err}));
	my ($n, $back, $cpus) = split ' ', output($run);
	my ($late) = slurp($run->{err}) =~ /late +(\d+)/;
	cmp_ok($n, '>', 500, 'has events');
	is($back, $late, "those that come out of order are the late ones that --stats counts");
	cmp_ok($late, '<=', $n / 1000, 'and those are few (else: floors are promised too early)');
	SKIP: {
		skip live_cannot('one CPU only'), 1 if (() = slurp('/proc/cpuinfo') =~ /^processor/mg) < 2;
		cmp_ok($cpus, '>', 1, 'of several CPUs');
	}
	gone_ok($run, 'sched_switch');
}

# ---- the ends ----
for my $sig (qw(INT TERM HUP)) {
	my $run = start($frame . $marks . '$n++ } END { print "n $n status $?\n" }', $quiet);
	mark($run, map { "m $_" } 1 .. 2000);
	kill $sig, $run->{pid};
	is(ended($run), 'exit 0', "SIG$sig ends a live run well") or diag(slurp($run->{err}));
	is(output($run), "begin\nend\nn 2000 status 0\n",
	   "SIG$sig: what was in the buffers is delivered, then trace_end runs once (else: the end is cut off)");
	is(slurp($run->{err}), '', "SIG$sig: nothing to complain of");
	gone_ok($run, "SIG$sig");
}
{
	my $run = start($frame . $marks . 'print "mark\n"; select undef, undef, undef, 0.05 }', $quiet);
	mark($run, 1 .. 2000);	# for 100 s
	wait_until(30, sub { output($run) =~ /mark/ });
	kill 'INT', $run->{pid};
	Run::Process::signal_taken($run->{pid}, POSIX::SIGINT());
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 130', 'a second Ctrl-C ends at once, not after all that waits (else: a slow script cannot be ended)');
	unlike(output($run), qr/end/, 'without trace_end');
	gone_ok($run, 'a second Ctrl-C');
}
my @ends = (
	['die in a handler', $marks . 'die "oops\n" }', 'exit 255', "begin\nend\n", qr/\Aoops\nzedperl: while in ftrace::print, cpu \d/],
	['exit in a handler', $marks . 'exit 7 }', 'exit 7', "begin\n", qr/\A\z/],
	['Zed::stop', $marks . 'Zed::stop() }', 'exit 0', "begin\nend\n", qr/\A\z/],
	['an exec that fails', $marks . 'no warnings; exec "/nonexistent/program"; print "failed\n"; Zed::stop() }', 'exit 0',
		"begin\nfailed\nend\n", qr/\A\z/],
	['a child that ends', $marks . 'my $p = fork; exit 5 if !$p; waitpid $p, 0; print "child ", $? >> 8, "\n"; ' .
		'Zed::stop() if $buf eq "last" }', 'exit 0', "begin\nchild 5\nchild 5\nend\n", qr/\A\z/],
	['a child that is told to end', $marks . 'return if $buf ne "last" && $n++; if (!$p) { $p = fork; if (!$p) { sleep 9; exit 5 } ' .
		'select undef, undef, undef, 0.2; kill TERM => $p; waitpid $p, 0; print "child\n" } Zed::stop() if $buf eq "last" }', 'exit 0',
		"begin\nchild\nend\n", qr/\A\z/],
);
for (@ends) {
	my ($what, $code, $status, $out, $err) = @$_;
	my $run = start("our (\$n, \$p); $frame$code", $quiet);
	mark($run, 'first');
	if ($out =~ /child/) {
		wait_until(30, sub { output($run) =~ /child/ });
		ok(mark($run, 'last'), "$what: the instance is still there (else: a child takes it away)");
	}
	is(ended($run), $status, "$what: the exit status");
	is(output($run), $out, "$what: trace_begin and trace_end");
	like(slurp($run->{err}), $err, "$what: what is said");
	gone_ok($run, $what);
}
for (['die in trace_begin', 'sub trace_begin { die "oops\n" }', 'exit 255'],
     ['a script that does not compile', 'sub {{ nonsense', 'exit 255'],
     ['die in the main program', 'die "oops\n"', 'exit 255'],
     ['a signal in the main program', 'kill INT => $$; sleep 5', 'exit 130'],
     ['a signal in trace_begin', 'sub trace_begin { kill INT => $$ } sub trace_end { print "end\n" }', 'exit 0'],
     ['exit in BEGIN', 'BEGIN { exit 3 }', 'exit 3']) {
	my ($what, $code, $status) = @$_;
	my $run = start($code, $quiet);
	is(ended($run), $status, "$what: the exit status");
	gone_ok($run, $what);
}
{
	pipe my $from, my $to or die;
	my $script = zed_tmp() . '/pipe.pl';
	spew($script, $frame . $marks . 'print "mark\n" }');
	my $pid = spawn({ stdout => $to, stderr => zed_tmp() . '/pipe.err' }, zed_bin('zedperl'), $quiet, $script);
	close $to;
	my $line = <$from>;
	my $run = { pid => $pid };
	push @running, $run;
	($run->{dir}) = wait_until(30, sub { glob "$root/instances/zed.$pid.*" });
	wait_until(30, sub { slurp("$run->{dir}/set_event") =~ /./ && slurp("$run->{dir}/tracing_on") =~ /^1/ });
	close $from;
	mark($run, 'a') for 1 .. 3;
	wait_until(30, sub { mark($run, 'b'); sleep 0.02; waitpid($pid, POSIX::WNOHANG()) == $pid && ($run->{status} = $?, 1) });
	is(ended($run), 'exit 0', 'a reader of the output that goes away ends the run') or diag(slurp($run->{err}));
	is(slurp(zed_tmp() . '/pipe.err'), '', 'quietly');
	gone_ok($run, 'a broken pipe');
}

# ---- losses ----
{
	my $run = start('my (%n, %seq, %gap, %told); my ($n, $last_lost) = (0, 0); ' .
		'sub ftrace::print { my ($cpu, $seq) = @_[0, 3]; $n++; if ($n == 1) { mkdir "' . zed_tmp() . '/first"; select undef, undef, undef, 0.01 while !-e "' . zed_tmp() . '/written" } ' .
		'$gap{$cpu} += $seq - ($seq{$cpu} // 0) - 1; $seq{$cpu} = $seq } ' .
		'sub trace_lost { my ($cpu, $count) = @_; $told{$cpu} += $count // 0; $unknown++ if !defined $count; $at = $n if defined $count } our $at = 0; our $unknown = 0; ' .
		'sub trace_end { print "$n $at $unknown ", join(",", map "$_=$gap{$_}=" . ($told{$_} // 0), sort keys %gap), "\n" }',
		$quiet, '-b', 4, '--stats');
	mark($run, 'first');
	# Until the handler is in its pause.
	wait_until(30, sub { -e zed_tmp() . '/first' });
	my $total = 60000;
	mark($run, map { "$_ " . 'x' x 40 } 2 .. $total);
	spew(zed_tmp() . '/written', '');
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 0', 'a run that loses events') or diag(slurp($run->{err}));
	my ($n, $at, $unknown, $each) = split ' ', output($run);
	my ($gaps, $told) = (0, 0);
	for (split /,/, $each) {
		my (undef, $gap, $sum) = split /=/;
		$gaps += $gap;
		$told += $sum;
	}
	cmp_ok($n, '<', $total, 'a buffer of 4 KiB does not hold 60000 events (else: nothing is tested)');
	# A page that was too full for the number tells no more than that some were lost; the kernel's statistics
	# have them, and what is told at the end counts them in.
	is($n + $told, $total, 'events handled and events that trace_lost told of are all that were made');
	cmp_ok($gaps, '>', 0, '$sequence has gaps where they were lost');
	cmp_ok($gaps, '<=', $told + $unknown, 'which count no more than trace_lost');
	cmp_ok($at, '<=', $n, 'trace_lost comes at its place');
	my ($dropped) = slurp($run->{err}) =~ /dropped  (\d+) by the kernel/;
	is($dropped, $told, 'and --stats says what the kernel counted');
	gone_ok($run, 'losses');
}

# ---- other clocks ----
for my $clock (qw(local counter boot)) {
	SKIP: {
		my ($list) = eval { slurp("$root/trace_clock") };
		skip live_cannot("this kernel has no clock $clock"), 4 if $list !~ /\b$clock\b/;
		my $run = start($frame . $marks . 'print "mark $buf\n" }', $quiet, '-C', $clock);
		like(slurp("$run->{dir}/trace_clock"), qr/\[$clock\]/, "clock $clock: is taken");
		my $seen = 0;
		for my $i (1 .. 5) {
			mark($run, $i);
			$seen++ if wait_until(30, sub { output($run) =~ /^mark $i$/m });
		}
		is($seen, 5, "clock $clock: events come while they happen (else: there are no floors for it)");
		kill 'INT', $run->{pid};
		is(ended($run), 'exit 0', "clock $clock: and its end is well") or diag(slurp($run->{err}));
		gone_ok($run, "clock $clock");
	}
}

# ---- somebody else ----
{
	my $run = start($frame . $marks . 'print "mark $buf\n" }', $quiet);
	mark($run, 1);
	wait_until(30, sub { output($run) =~ /mark 1/ });
	spew("$run->{dir}/tracing_on", "0\n");
	ok(wait_until(30, sub { slurp($run->{err}) =~ m{echo 1 > \Q$run->{dir}\E/tracing_on$}m }),
	   'tracing that somebody has switched off is said, with what switches it on (else: silence looks like peace)');
	spew("$run->{dir}/tracing_on", "1\n");
	mark($run, 2);
	ok(wait_until(30, sub { output($run) =~ /mark 2/ }), 'and when it is on again events go on');
	is(scalar(() = slurp($run->{err}) =~ /switched/g), 1, 'it is said once');
	kill 'TERM', $run->{pid};
	is(ended($run), 'exit 0', 'the end') or diag(slurp($run->{err}));
	gone_ok($run, 'tracing off');
}
SKIP: {
	my $online = '/sys/devices/system/cpu/cpu1/online';
	skip live_cannot('CPU 1 cannot be taken offline here'), 10 if !-w $online || slurp($online) !~ /^1/;
	undef $cpus;
	my $alone = live_lock('cpus', 1);
	my $run = start($frame . $marks . 'print "mark $buf\n" }', $quiet);
	mark($run, 1);
	my $off = eval { spew($online, "0\n"); slurp($online) =~ /^0/ };
	mark($run, 2);
	my $two = wait_until(30, sub { output($run) =~ /mark 2/ });
	eval { spew($online, "1\n") } if $off;
	SKIP: {
		skip live_cannot('CPU 1 did not go offline'), 1 if !$off;
		ok($two, 'a CPU that goes takes nothing with it');
	}
	mark($run, 3);
	ok(wait_until(30, sub { output($run) =~ /mark 3/ }), 'nor one that comes back');
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 0', 'and the run ends well') or diag(slurp($run->{err}));
	is(slurp($run->{err}), '', 'without a word');
	gone_ok($run, 'CPUs that come and go');

	# The kernel makes no buffer for a CPU that is not there; its file answers "no such device".
	$off = eval { spew($online, "0\n"); slurp($online) =~ /^0/ };
	my $late = start($frame . $marks . 'print "mark $buf on $cpu\n" }', $quiet);
	mark($late, 1);
	wait_until(30, sub { output($late) =~ /mark 1/ });
	my ($used) = map { my @f = split ' ', s/.*\) //sr; $f[11] + $f[12] } slurp("/proc/$late->{pid}/stat");
	sleep 0.5;
	my ($more) = map { my @f = split ' ', s/.*\) //sr; $f[11] + $f[12] } slurp("/proc/$late->{pid}/stat");
	eval { spew($online, "1\n") } if $off;
	system 'taskset', '-c', 1, 'sh', '-c', "echo 4 > $late->{dir}/trace_marker";
	SKIP: {
		skip live_cannot('CPU 1 did not go offline'), 1 if !$off;
		cmp_ok($more - $used, '<', 6, 'nobody spins while a CPU is away from the beginning');
	}
	ok(wait_until(30, sub { output($late) =~ /^mark 4 on 1$/m }), 'it comes, and its events with it (else: they are lost in silence)');
	kill 'INT', $late->{pid};
	is(ended($late), 'exit 0', '... and that is no damage') or diag(slurp($late->{err}));
	is(slurp($late->{err}), '', '... nor worth a word');
	gone_ok($late, 'a CPU that comes late');
}

# ---- the script names its events ----
{
	my $run = start("# zedtrace: sched:sched_process_exec sched:sched_process_exit\n" . $frame .
		'sub trace_unhandled { my $e = shift; print "$e\n" if !$seen{$e}++ }', '--live');
	system 'true' for 1 .. 3;
	ok(wait_until(30, sub { output($run) =~ /sched::sched_process_exec/ && output($run) =~ /sched::sched_process_exit/ }),
	   'the events of a "# zedtrace:" line are recorded');
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 0', '--live SCRIPT') or diag(slurp($run->{err}));
	gone_ok($run, '--live SCRIPT');
	my $code = launch('--live=sched:sched_process_exec', '-e', '$| = 1; sub sched::sched_process_exec { print "exec @ARGV\n"; Zed::stop() }',
		'a', 'b');
	system 'true' if $code->{dir} ne 'gone';
	is(ended($code), 'exit 0', '-e with --live=EVENTS') or diag(slurp($code->{err}));
	is(output($code), "exec a b\n", 'and its arguments');
	gone_ok($code, '-e');
}

# ---- stable events ----
{
	my $run = start($frame . 'use Zed "on"; my %n; my $want = shift; ' .
		'sub sched::switch { $n{stable}++; $n{odd}++ if $_[7] !~ /^[A-Za-z]$/ } sub sched::sched_switch { $n{raw}++ } ' .
		'Zed::on("sched:process_fork", args => ["child_pid"], sub { print "fork $_[0]\n" }); ' .
		'on "sched:sched_process_exit", args => ["common_pid"], sub { print "exit $_[0]\n" }; ' .
		'sub block::unplug_timer { } sub trace_end { print join(" ", map { $n{$_} // 0 } qw(stable raw odd)), "\n" }', '--live');
	my $set = eval { join ' ', sort split ' ', slurp("$run->{dir}/set_event") } // '';
	is($set, 'sched:sched_process_exit sched:sched_process_fork sched:sched_switch',
	   'a script of stable subs and of Zed::on records what this kernel has for them (else: it runs and sees nothing)');
	my $child = fork // die;
	POSIX::_exit(0) if !$child;
	waitpid $child, 0;
	ok(wait_until(30, sub { output($run) =~ /^fork $child\n(?:.*\n)*exit $child$/m }), 'by name, live: the fork of a known process, then its exit');
	kill 'INT', $run->{pid};
	is(ended($run), 'exit 0', 'and the run ends well') or diag(slurp($run->{err}));
	my ($stable, $raw, $odd) = output($run) =~ /^(\d+) (\d+) (\d+)$/m;
	cmp_ok($stable // 0, '>', 0, 'stable switches');
	is($stable, $raw, 'as many as raw ones');
	is($odd, 0, 'each with a letter for its state (else: numbers change their meaning)');
	is(scalar(() = slurp($run->{err}) =~ /\bblock:+unplug_timer\b.*not available/g), 1,
	   'what this kernel does not have is said, and costs nothing else');
	gone_ok($run, 'stable events');

	spew(my $mine = zed_tmp() . '/mine.stable', "event mine::exec\npurpose a test\nfrom sched:no_such | sched:sched_process_exec\n" .
		"field:pid_t who; align:32; size:32; signed:1; = pid\n");
	my $own = launch('--stable', $mine, '--live=mine::exec', '-e', '$| = 1; sub mine::exec { print "exec $_[4]\n"; Zed::stop() }');
	is(eval { slurp("$own->{dir}/set_event") } // '', "sched:sched_process_exec\n", '--live=EVENTS takes stable names, of --stable too');
	system 'true' if $own->{dir} ne 'gone';
	is(ended($own), 'exit 0', 'it runs') or diag(slurp($own->{err}));
	like(output($own), qr/\Aexec \d+\n\z/, 'and is called');
	gone_ok($own, '--stable --live=EVENTS');
}
{
	my $file = zed_tmp() . '/named.dat';
	my $r = zed_run('zedtrace', 'sched:switch', 'sched:process_fork', '-o', $file, '--', 'sh', '-c', '(exit 0); exec sleep 0.2');
	is($r->{exit}, 0, 'zedtrace sched:switch sched:process_fork, the line of 2009') or diag($r->{err});
	my $sum = dat_events($file);
	is(join(' ', sort keys %{$sum->{name}}), 'sched::sched_process_fork sched::sched_switch', 'records these two (else: the event names of 2009 are not accepted)');
	$r = zed_run('zedperl', '-e', 'my %n; sub sched::switch { $n{s}++ } sub sched::process_fork { $n{f}++ } END { print "$n{s} $n{f}" }', $file);
	is($r->{out}, "$sum->{name}{'sched::sched_switch'} $sum->{name}{'sched::sched_process_fork'}",
	   'and stable handlers see each of them, as another reader counts') or diag($r->{err});
}
{
	my %events = map { $_ => 1 } split /\n/, slurp("$root/available_events");
	my $r = leaves_nothing('--stable-check --live', sub { return zed_run('zedperl', '--stable-check', '--live') });
	is("$r->{exit} $r->{err}", '0 ', '--stable-check --live');
	my %made = $r->{out} =~ /^(\w+::\w+) ++(?!not available)(.*)$/mg;
	my @raw = map { split /, / } map { s/ where .*//r } values %made;
	cmp_ok(scalar(@raw), '>', 20, 'this kernel has stable events');
	is(join(' ', grep { !$events{$_} } @raw), '', 'made of raw ones that it has');
	is($made{'sched::switch'}, 'sched:sched_switch', 'among them a switch');
	# The letters, read from the format by other means: {...} of __print_flags, in its order.
	my ($print) = slurp("$root/events/sched/sched_switch/format") =~ /^print fmt: (.*)/m;
	my @letters = map { ($_->[0] =~ /x/ ? hex $_->[0] : $_->[0]) . ' ' . ($_->[1] eq 'x' ? 'X' : $_->[1]) }
		grep { hex $_->[0] } map { [/\{ *(0x[0-9a-fA-F]+|\d+) *, *"([A-Za-z])" *\}/] } $print =~ /(\{[^{}]*\})/g;
	my ($is) = $r->{out} =~ /^  prev_state +letter\(prev_state\): (.*), else R$/m;
	is($is, join(', ', @letters), 'its letters are those of its own print format') or diag $print;
	for (['--stable-check --live=sched'], ['--stable-check', '--live', 'x.dat']) {
		is(zed_run('zedperl', map { split } @$_)->{exit}, 2, "@$_ is refused");
	}
}

# ---- what cannot be ----
for (['--live and -g', [qw(--live=sched -g)], qr/zedtrace/], ['--live and -t', [qw(--live -t)], qr/zedtrace -t/],
     ['--live and -i', [qw(--live -i x.dat s.pl)], qr/-i/], ['--live and -e without events', ['--live', '-e', '1'], qr/-e: names no events: .*--live=EVENTS/],
     ['--slack without --live', [qw(--slack 1ms trace.dat s.pl)], qr/--live/], ['a slack of hours', [qw(--live --slack 3600 s.pl)], qr/10 s/],
     ['a buffer of words', [qw(--live -b much s.pl)], qr/'much' is not a size: .*K, M or G/], ['no script', ['--live'], qr/no script/],
     ['an empty list', ['--live=,', '-e', '1'], qr/no event/],
     ['a clock that is none', [$quiet, '-C', 'sundial', '-e', '1'], qr/sundial/],
     ['a stable event that is none', ['--live=sched:proces_fork', '-e', '1'], qr/proces_fork.*sched:process_fork/s],
     ['a stable event that this kernel has not', ['--live=block:unplug_timer', '-e', '1'], qr/does not provide the stable event block:unplug_timer/],
     ['an event that is none', ['--live=sched:sched_swich', '-e', '1'], qr/sched_swich.*sched_switch/s]) {
	my ($what, $args, $err) = @$_;
	my $r = zed_run('zedperl', @$args);
	is($r->{exit}, 2, "$what: exit status 2");
	like($r->{err}, $err, "$what: is said") or diag($r->{err});
	is($r->{out}, '', "$what: no output");
}

{
	my $r = zed_run({ child => sub { POSIX::setgid(65534); POSIX::setuid(65534) } }, 'zedperl', $quiet, '-e', '1');
	SKIP: {
		skip live_cannot('nobody may not run the program here'), 2 if $r->{exit} == 126 || $r->{exit} == 127;
		is($r->{exit}, 2, 'without rights: exit status 2');
		like($r->{err}, qr/\Azedperl: [^\n]*\bsudo\b[^\n]*\n\z/, 'and one line that says what to do');
	}
}

done_testing();
