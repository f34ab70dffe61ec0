# SPDX-License-Identifier: GPL-2.0-or-later
#
# A script as perf's users have them: the system calls of each process, and how many of them failed.
use strict;
use warnings;
use lib "$ENV{PERF_EXEC_PATH}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core;

my %n;

sub raw_syscalls::sys_enter {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm,
		$common_callchain, $id, $args) = @_;
	$n{$common_pid}{$id}++;
}

sub raw_syscalls::sys_exit {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm,
		$common_callchain, $id, $ret) = @_;
	$n{$common_pid}{failed}++ if $ret < 0;
}

sub trace_end {
	for my $pid (sort keys %n) {
		print "$pid $_ $n{$pid}{$_}\n" for sort keys %{$n{$pid}};
	}
}
