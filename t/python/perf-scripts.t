# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf's own Python scripts under perf script and under zedpython, unchanged, on recordings that perf makes here and now.
# Without it a script that was written for perf prints something else here.  Perf gives the name ":-1" to a task that has
# ended where zedpython has its name (Run::PerfPython).
# of: interp/python/perf interp/common/perf_names.c interp/common/perf_sample.c reader/perf
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::PerfPython;
use Run::Program qw(:DEFAULT same spew);
use Run::Python;

my $missing = perf_missing();
plan skip_all => $missing if defined $missing;
my $dir = zed_tmp();
my $scripts = perf_scripts_dir();

# What sees tracepoints alone, on recordings of another machine.
compare_python('sys_z', 't/data/perf/sys_z.data', "$scripts/$_.py") for qw(check-perf-trace futex-contention);
compare_python('rawsys_g', 't/data/perf/rawsys_g.data', "$scripts/$_.py") for qw(syscall-counts syscall-counts-by-pid failed-syscalls-by-pid);
compare_python('rawsys_g, one command', 't/data/perf/rawsys_g.data', "$scripts/syscall-counts.py", 'cat');
compare_python('sched', 't/data/perf/sched.data', "$scripts/$_.py") for qw(check-perf-trace compaction-times powerpc-hcalls net_dropmonitor);

# It prints by the clock of a thread of its own, and once more at the end of the interval, which never comes.
{
	my $r = zedpython('t/data/perf/rawsys_g.data', "$scripts/sctop.py", 'cat', 1000);
	is("$r->{status} $r->{sig}", '0 0', 'sctop.py runs, and its thread does not outlive it') or diag $r->{err};
}
# It draws with wxPython, which is seldom there; all else of it is in its handlers.
{
	my $r = zedpython({ env => { PERF_EXEC_PATH => "$dir/none" } }, 't/data/perf/sched.data', "$scripts/sched-migration.py");
	like($r->{err}, qr/^ImportError: SchedGui is not built into zedpython: set PERF_EXEC_PATH /m, 'sched-migration.py says what it needs');
}

SKIP: {
	skip 'recording takes root and a tracefs', 1 if $> != 0 || !recorded(begin_recording("$dir/try.data", [qw(-e sched:sched_switch -a)], ['true']));
	my $work = 'for i in 1 2 3 4 5; do cat /etc/passwd /no-such-file | head -2; done > /dev/null 2>&1; sleep 0.05';
	my $talk = 'use IO::Socket::INET; my $l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;'
		. ' for (1 .. 5) { my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $l->sockport) or die; my $s = $l->accept; print $s "x" x 9000; close $s; 1 while read $c, my $b, 4096 }';
	my $spin = 'i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done';
	# Whether a symbol is local, and what perf adds to the end of the kernel's map, is not known here.
	my $dump = [dump_script(), 'binding', 'dso_map_end'];
	my %recordings = (
		sched => [[qw(-e sched:* -a)], ['sh', '-c', $work], 'check-perf-trace', $dump],
		interrupts => [[qw(-e irq:* -e workqueue:workqueue_exec* -a)], ['sh', '-c', $work], 'check-perf-trace', $dump],
		'all calls' => [[qw(-e syscalls:*)], ['cat', '/etc/passwd'], $dump],
		group => [['-e', '{cpu-clock,task-clock}:S'], ['sh', '-c', $spin], $dump],
		'system calls' => [[qw(-g -e raw_syscalls:*)], ['sh', '-c', $work], 'syscall-counts', 'syscall-counts-by-pid', 'failed-syscalls-by-pid', $dump],
		futexes => [[qw(-e syscalls:sys_*_futex)], [$^X, '-e', 'use Config; exit if !$Config{useithreads}; require threads; $_->join for map { threads->create(sub { select undef, undef, undef, 0.02 }) } 1 .. 3'], 'futex-contention'],
		network => [[qw(-e net:net_dev_queue -e net:net_dev_xmit -e net:netif_receive_skb -e net:netif_rx -e napi:napi_poll -e irq:softirq_* -e irq:irq_handler_*), '-a'], [$^X, '-e', $talk], 'netdev-times'],
		clock => [[qw(-e cpu-clock -F 999 -g -d -W)], ['sh', '-c', $spin], 'mem-phys-addr', 'event_analyzing_sample', 'stackcollapse', ['flamegraph', '-f', 'json', '-o', '-']],
	);
	for (map { [$_, begin_recording("$dir/" . tr/a-z//cdr . '.data', @{$recordings{$_}}[0, 1])] } sort keys %recordings) {
		my ($what, $run) = @$_;
		if (!recorded($run)) {
			diag("perf cannot record $what here");
			next;
		}
		my (undef, undef, @names) = @{$recordings{$what}};
		for (@names) {
			my ($name, @words) = ref ? @$_ : $_;
			my $want = compare_python($what, $run->[0], $name =~ m{/} ? $name : "$scripts/$name.py", @words);
			diag("$name: perf prints nothing") if defined $want && !length $want && $name ne 'futex-contention';
		}
	}
}

perf_lived();
done_testing();
