# SPDX-License-Identifier: GPL-2.0-or-later
#
# named.pl: handlers.pl with Zed::on: the same events, the same arguments, the same work.
use strict;
use warnings;

our %n;
my @frame = qw(cpu secs nsecs sequence);

Zed::on('sched:sched_switch', args => [@frame, qw(prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio)], sub {
	my ($cpu, $secs, $nsecs, $seq, $prev_comm, $prev_pid, $prev_prio, $prev_state, $next_comm, $next_pid,
		$next_prio) = @_;
	$n{switch}++;
});

Zed::on('raw_syscalls:sys_enter', args => [@frame, qw(id args)], sub {
	my ($cpu, $secs, $nsecs, $seq, $id, $args) = @_;
	$n{enter}++;
});

Zed::on('raw_syscalls:sys_exit', args => [@frame, qw(id ret)], sub {
	my ($cpu, $secs, $nsecs, $seq, $id, $ret) = @_;
	$n{exit}++;
});

sub trace_end { print join(' ', map { $_ // 0 } @n{qw(switch enter exit)}), "\n" }
