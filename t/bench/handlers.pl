# SPDX-License-Identifier: GPL-2.0-or-later
#
# handlers.pl: the handlers that are measured.  Under zedperl they are called for the trace's events; by plain
# perl (perl handlers.pl COUNT COUNT COUNT) from a loop, with lexicals set before.
use strict;
use warnings;

our %n;

sub sched::sched_switch {
	my ($cpu, $secs, $nsecs, $seq, $prev_comm, $prev_pid, $prev_prio, $prev_state, $next_comm, $next_pid,
		$next_prio) = @_;
	$n{switch}++;
}

sub raw_syscalls::sys_enter {
	my ($cpu, $secs, $nsecs, $seq, $id, $args) = @_;
	$n{enter}++;
}

sub raw_syscalls::sys_exit {
	my ($cpu, $secs, $nsecs, $seq, $id, $ret) = @_;
	$n{exit}++;
}

sub trace_end { print join(' ', map { $_ // 0 } @n{qw(switch enter exit)}), "\n" }

if (!defined &Zed::ts) {
	my ($switch, $enter, $exit) = @ARGV;
	my ($cpu, $secs, $nsecs, $seq) = (3, 1234, 567890123, 99);
	my ($prev_comm, $prev_pid, $prev_prio, $prev_state) = ('swapper/3', 0, 120, 0);
	my ($next_comm, $next_pid, $next_prio) = ('kworker/u8:2', 345, 120);
	my ($id, $ret, $args) = (262, -11, [1, 2, 3, 4, 5, 6]);

	for (1 .. $switch) {
		sched::sched_switch($cpu, $secs, $nsecs, $seq, $prev_comm, $prev_pid, $prev_prio, $prev_state,
			$next_comm, $next_pid, $next_prio);
	}
	raw_syscalls::sys_enter($cpu, $secs, $nsecs, $seq, $id, $args) for 1 .. $enter;
	raw_syscalls::sys_exit($cpu, $secs, $nsecs, $seq, $id, $ret) for 1 .. $exit;
	trace_end();
}
