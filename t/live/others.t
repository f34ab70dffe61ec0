# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others do with an instance while zedtrace records into it, on the running kernel: reading its buffers, clearing
# them, switching events off.  Each is said, and the report counts what the output has.
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use ZedLive;
use ZedRun;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
my $zedtrace = File::Spec->rel2abs(zed_bin('zedtrace'));
$ENV{LC_ALL} = 'C';

# zedtrace ARGS beside a load of system calls; when it records, the shell commands DO run with $I, its instance.  What
# these printed, and what zedtrace said.
sub beside {
	my ($what, $args, $do) = @_;
	my $load = storm_start(30);
	my ($before, $after) = $args =~ /fifo/ ? ('mkfifo $D/fifo; cat $D/fifo >$D/p.zed & c=$!', 'wait $c') : (':', ':');
	my $r = leaves_nothing($what, sub {
		zed_run({ time => $ENV{ZED_SAN} ? 120 : 60, memory => 0, env => { ZT => $zedtrace, D => $dir, R => live_root() } }, 'sh', '-c',
			"$before
			\$ZT -d 3 raw_syscalls $args 2>\$D/e & p=\$!
			for i in \$(seq 200); do
				I=\$(echo \$R/instances/zed.\$p.*[0-9])
				[ \"\$(cat \$I/tracing_on 2>/dev/null)\" = 1 ] && break
				sleep 0.1
			done
			sleep 0.5; $do; wait \$p && $after");
	});
	storm_end($load);
	unlink "$dir/fifo";
	is($r->{exit}, 0, "$what: a recording ends well") or diag $r->{err}, slurp("$dir/e");
	return ($r->{out}, slurp("$dir/e"));
}

for my $o (["-o $dir/a.dat", "$dir/a.dat", 'a file'], ['-o - >$D/fifo', "$dir/p.zed", 'a pipe'], ['-o - >$D/b.zed', "$dir/b.zed", 'a stream to a file']) {
	my ($out, $file, $what) = @$o;
	my ($bytes, $said) = beside($what, $out, 'timeout 0.5 cat $I/trace_pipe | wc -c');
	my $report = live_report($said);
	cmp_ok($bytes, '>', 1000, "$what: another has read events");
	like($said, qr/somebody has opened trace_pipe in \S+zed\.\d+\.\d+: events that are read there are missing here/,
		"$what: which is said at once (else: a hole in a trace that nothing tells)");
	ok($report && $said =~ /others have read (\d+) events out of our buffers: dropped here/, "$what: with the number") or diag $said;
	is($report->{events}, zed_lines($file), "$what: the report has what the output has");
	cmp_ok($report->{dropped}, '>=', $1 // 1, "$what: and counts the others as dropped");
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

done_testing();
