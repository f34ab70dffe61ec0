# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks and annotations on this kernel: -T, --stack and --user-stack of zedtrace and zedperl --live against what the
# instance's own trace file shows, and what programs write to trace_marker.
#
# of: ring record/recorder.c programs
# Without it: a stack is nobody's, or nobody knows why a task waits.
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Pass;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $tmp = zed_tmp();
my $root = live_root();
my $cpus = live_lock('cpus');

# For each event in FILE: how many there are, how many have a stack of the kernel, of the program, both.
my $count = 'sub trace_unhandled { return if $_[0] =~ /_stack$/; my $n = $n{$_[0]} //= [0, 0, 0]; my ($k, $u) = (scalar Zed::stack("kernel"), scalar Zed::stack("user")); ' .
	'$n->[0]++; $n->[1]++ if $k; $n->[2]++ if $u } sub trace_end { print map { "$_ @{$n{$_}}\n" } sort keys %n }';
sub counts { my ($out) = @_; return map { my ($name, @n) = split; ($name => \@n) } split /\n/, $out }
sub of_file { my ($file) = @_; return counts(zed_run({ time => 60, memory => 0 }, 'zedperl', '-e', $count, $file)->{out}) }

my @work = ('--', 'sh', '-c', 'i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i + 1)); done');
my ($switch, $wake) = ('sched:sched_switch', 'sched:sched_waking');
for (['behind an event', 1, 0, 0, $switch, '-T', $wake], ['behind the last one', 0, 1, 0, $switch, $wake, '-T'], ['before all', 1, 1, 0, '-T', $switch, $wake],
     ['of a list', 0, 1, 0, "--stack=$wake", $switch, $wake], ['of a stable event', 1, 0, 0, '--stack=sched:switch', $switch, $wake],
     ['both parts, of all', 1, 1, 1, '-T', '--user-stack', $switch, $wake], ['both parts, of one', 1, 0, 1, '--user-stack', $switch, '-T', $wake]) {
	my ($what, $of_switch, $of_wake, $user, @args) = @$_;
	next if small() && $what !~ /^(?:behind an event|both parts, of all)$/;
	my $file = "$tmp/s.dat";
	my $stacks = 0;
	my $r = leaves_nothing($what, sub { zed_run({ time => 60, memory => 0 }, 'zedtrace', '-b', '16M', '-o', $file, @args, @work) });
	is($r->{exit}, 0, "zedtrace @args") or diag $r->{err};
	my %n = of_file($file);
	for (['sched::sched_switch', $of_switch], ['sched::sched_waking', $of_wake]) {
		my ($event, $has) = @$_;
		my ($all, $kernel, $program) = @{$n{$event} // [0, 0, 0]};
		cmp_ok($all, '>', 20, "$what: $event is recorded");
		# Not each: this kernel writes none for some that an idle CPU's interrupt wakes.
		$has ? cmp_ok($kernel, '>', 20, "$what: $event has stacks (else: nobody knows why it waits)") : is($kernel, 0, "$what: $event has none (else: all are slow and big)");
		$stacks += $kernel;
		cmp_ok($program, '>', 0, "$what: and the program's") if $user && $event =~ /waking/;
		is($program, 0, "$what: and not the program's") if !$user;
	}
	SKIP: {
		skip stock_missing(), 1 if stock_missing();
		# An interrupt may come between an event and its stack.
		my $written = () = stock_text($file) =~ /: kernel_stack:/g;
		cmp_ok(abs($stacks - $written), '<=', 2 + $written / 50, "$what: of $written stacks in the file each has its event (else: a stack is nobody's)") or diag "$stacks found";
	}
}

# ---- against the kernel's own text of them: each frame of the last events of a task of ours
{
	my $r = zed_run({ time => 60, memory => 0 }, 'zedperl', '--live=sched:sched_process_exec', '--stack', '--user-stack', '-e',
		'sub sched::sched_process_exec { $stack //= join " ", Zed::pid(), map { s/\+0x\w+$//r } Zed::stack_symbols("kernel") } ' .
		'sub trace_end { print "$stack\n" }', '--', 'sh', '-c', '/bin/true; /bin/true');
	like($r->{out}, qr/^\d+ .*\bbprm_execve\b.*\bdo_syscall_64\b/, 'zedperl --live --stack: the way to exec') or diag $r->{err};
	$r = zed_run({ time => 60, memory => 0 }, 'zedperl', '--live', '--stack=sched:switch', '--slack', 0, '-e', 'sub sched::switch { $n++; $s++ if Zed::stack() } sub sched::waking { $w++ if Zed::stack() } ' .
		'sub trace_end { print $n > 50, " ", $s >= $n * 0.95 - 2 ? "all" : "$s of $n", " ", $w // 0, "\n" }', @work);
	is($r->{out}, "1 all 0\n", '... of a stable event only, without slack (else: an event goes out before its stack)') or diag $r->{err};
	$r = zed_run({ time => 60, memory => 0 }, 'sh', '-c', zed_bin('zedtrace') . " -T $switch -o - -d 1 | " . zed_bin('zedperl') . q( -i - -e 'sub sched::sched_switch { $n++; $s++ if Zed::stack() } sub trace_end { print $n > 50, " ", $s >= $n * 0.95 - 2 ? "all" : "$s of $n", "\n" }'));
	is($r->{out}, "1 all\n", '... and through a pipe') or diag $r->{err};
}

for (['--stack=sched:sched_swich', qr/sched_switch\?/], ['--stack=irq', qr/--stack: irq matches none of the recorded events/], ['--stack=,', qr/no event given/]) {
	my $r = leaves_nothing($_->[0], sub { zed_run({ time => 30 }, 'zedtrace', '-o', "$tmp/none.dat", '-d', '0.1', $_->[0], $switch) });
	is($r->{exit}, 2, "$_->[0] is refused");
	like($r->{err}, $_->[1], '... and said');
}

# ---- what programs write
my $marks = '$| = 1; sub trace_begin { print "begin\n" } sub ftrace::print { my $t = $_[5]; print "print $t" if $t =~ /zedtest/ } sub ftrace::raw_data { print "raw\n" if Zed::field("buf") =~ /zedtest/ } ';
sub marked
{
	my ($copies, @options) = @_;
	my $out = "$tmp/marks";
	put_text("$tmp/m.pl", $marks);
	my $pid = spawn({ stdout => $out, stderr => "$out.err" }, zed_bin('zedperl'), '--live', @options, "$tmp/m.pl");
	my ($dir) = wait_until(30, sub { my ($d) = glob "$root/instances/zed.$pid.*[0-9]"; $d && (eval { slurp("$d/tracing_on") } // '') =~ /^1/ && (eval { slurp($out) } // '') =~ /begin/ ? $d : undef });
	put_text("$root/trace_marker", "zedtest top\n");
	put_text("$root/trace_marker_raw", pack('V', 1) . 'zedtest');
	put_text("$dir/trace_marker", "zedtest own\n") if $dir;
	wait_until(30, sub { slurp($out) =~ /own/ && (!$copies || slurp($out) =~ /raw/) });
	kill 'INT', $pid;
	waitpid $pid, 0;
	is($? >> 8, 0, 'a run on markers ends well');
	return (slurp($out), live_without_own(slurp("$out.err")));
}
SKIP: {
	skip live_cannot('this kernel copies no markers'), 3 if !-e "$root/options/copy_trace_marker";
	my ($out, $err) = marked(1);
	is(join('|', sort split /\n/, $out), 'begin|print zedtest own|print zedtest top|raw', 'what is written to the top trace_marker reaches ftrace::print, alone, too (else: annotations are for files)');
	is($err, '', '... without a word');
}
{
	my $r = zed_run({ time => 30 }, 'zedperl', '--live', '-d', '0.2', '-e', 'sub ftrace::bprint { } sub sched::sched_switch { }');
	like(live_without_own($r->{err}), qr/\Azedperl: what the kernel's trace_printk writes .* out of reach\n\z/, 'what trace_printk writes is out of reach, which is said (else: one waits for it)');
}
done_testing();
