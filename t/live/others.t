# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others do with an instance while zedtrace records into it, or zedperl --live reads it, on the running kernel:
# reading its buffers, clearing them, switching events off, setting its clock.  Each is said, the report counts what the
# output has, and handlers are told of the rest as lost.
use strict;
use warnings;
use File::Spec;
use Test::More;
use Time::HiRes ();
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
my $zedtrace = File::Spec->rel2abs(zed_bin('zedtrace'));
$ENV{LC_ALL} = 'C';
my $READ = qr/somebody has opened trace_pipe in \S+zed\.\d+\.\d+: events that are read there are missing here/;

# zedtrace ARGS beside a load of system calls; when it records, the shell commands DO run with $I, its instance.  What
# these printed, and what zedtrace said.
sub beside {
	my ($what, $args, $do) = @_;
	my $load = drizzle_start(30);
	my ($before, $after) = $args =~ /fifo/ ? ('mkfifo $D/fifo; cat $D/fifo >$D/p.zed & c=$!', 'wait $c') : (':', ':');
	my $r = leaves_nothing($what, sub {
		zed_run({ time => $ENV{ZED_SAN} ? 120 : 60, memory => 0, env => { ZT => $zedtrace, D => $dir, R => live_root() } }, 'sh', '-c',
			"$before
			\$ZT -d 3 raw_syscalls $args 2>\$D/e & p=\$!
			for i in \$(seq 200); do
				I=\$(echo \$R/instances/zed.\$p.*[0-9])
				# a new instance is on before it has events
				[ -n \"\$(cat \$I/set_event 2>/dev/null)\" ] && [ \"\$(cat \$I/tracing_on)\" = 1 ] && break
				sleep 0.1
			done
			sleep 0.5; $do; wait \$p && $after");
	});
	storm_end($load);
	unlink "$dir/fifo";
	is($r->{exit}, 0, "$what: a recording ends well") or diag $r->{err}, slurp("$dir/e");
	return ($r->{out}, slurp("$dir/e"));
}

# What a script is told of losses in FILE.
my $told = 'my $lost = 0; my $n = Zed::count("*:*"); sub trace_lost { $lost += $_[1] } sub trace_end { print "told $lost of ", $lost + $n->total, "\n" }';
sub told {
	my ($file) = @_;
	return zed_run({ time => 60, memory => 0 }, 'zedperl', '-i', $file, '-e', $told)->{out} =~ /^told (\d+)/m ? $1 : undef;
}

for my $o (["-o $dir/a.dat", "$dir/a.dat", 'a file'], ['-o - >$D/fifo', "$dir/p.zed", 'a pipe'], ['-o - >$D/b.zed', "$dir/b.zed", 'a stream to a file']) {
	my ($out, $file, $what) = @$o;
	my ($bytes, $said) = beside($what, $out, 'timeout 0.5 cat $I/trace_pipe | wc -c');
	my $report = live_report($said);
	cmp_ok($bytes, '>', 1000, "$what: another has read events");
	like($said, $READ,
		"$what: which is said at once (else: a hole in a trace that nothing tells)");
	ok($report && $said =~ /others have read (\d+) events out of our buffers: dropped here/, "$what: with the number") or diag $said;
	my $number = $1 // 1;
	is($report->{events}, zed_lines($file), "$what: the report has what the output has");
	cmp_ok($report->{dropped}, '>=', $number, "$what: and counts the others as dropped");
	is(told($file), $report->{dropped}, "$what: a script is told that these are lost (else: its answer seems to be of all)");
	unlink $file;
}

{
	my (undef, $said) = beside('cleared', "-o $dir/c.dat", 'echo >$I/trace');
	like($said, qr{somebody has cleared \S+/trace: the events that waited there are lost}, 'clearing our buffers is said');
	is(live_report($said)->{events}, zed_lines("$dir/c.dat"), 'and the report counts what the file has, not what the kernel counts anew')
		or diag $said;
}
{
	my (undef, $said) = beside('switched off', "sched:sched_switch sched:sched_waking -o $dir/d.dat",
		'echo 0 >$I/events/sched/sched_waking/enable');
	like($said, qr/somebody has switched off sched:sched_waking in our instance: from now on they are not recorded/,
		'an event that somebody switches off is named (else: it seems not to have happened)');
	unlike($said, qr/sched_switch/, 'and no other');
	unlike($said, qr/trace_pipe|others have/, 'nor anything that nobody did');
}

# ---------------------------------------------------------------- zedperl --live
# Handlers instead of an output.  DO gets the instance's directory; what was printed and said.
sub live_beside {
	my ($what, $do, $code) = @_;
	my $load = drizzle_start(30);
	my $r = leaves_nothing("--live: $what", sub {
		my $h = live_start('zedperl', '--live=raw_syscalls', '-e', $code // $told);
		my $inst = live_ready($h) or return live_end($h, 1);
		Time::HiRes::sleep(0.5);
		$do->($inst);
		Time::HiRes::sleep(1.5);
		live_signal($h, 'TERM');
		return live_end($h);
	});
	storm_end($load);
	is($r->{exit}, 0, "--live: $what: the run ends well") or diag $r->{err};
	return ($r->{out}, $r->{err});
}

{
	my ($out, $said) = live_beside('read', sub { system "timeout 0.5 cat $_[0]/trace_pipe >/dev/null" });
	like($said, $READ, '--live: another who reads our buffers is said');
	ok($said =~ /others have read (\d+) events out of our buffers: dropped here/, '--live: with the number') or diag $said;
	my ($number) = $1 // 1;
	my ($lost) = $out =~ /^told (\d+) of/m;
	cmp_ok($number, '>', 100, '--live: which is not small after half a second of reading');
	cmp_ok($lost // 0, '>=', $number, '--live: and handlers are told of them as lost (else: a script answers as if it had seen all)');
	($out, $said) = live_beside('cleared', sub { put_text("$_[0]/trace", "\n") });
	like($said, qr{somebody has cleared \S+/trace}, '--live: clearing our buffers is said');
	unlike($said, qr/trace_pipe/, '--live: and nothing that nobody did');
	($out, $said) = live_beside('clock', sub { put_text("$_[0]/trace_clock", 'boot') });
	like($said, qr{somebody has set \S+/trace_clock: .* times do not go on}, '--live: another clock is said');
	($out, $said) = live_beside('switched off', sub { put_text("$_[0]/events/raw_syscalls/sys_exit/enable", '0') });
	like($said, qr/somebody has switched off raw_syscalls:sys_exit in our instance/, '--live: an event that is switched off is named');
	($out, $said) = live_beside('nobody', sub { });
	unlike($said, qr/somebody|others/, '--live: left alone, it complains of nobody');
}

done_testing();
