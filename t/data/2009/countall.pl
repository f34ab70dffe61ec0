# SPDX-License-Identifier: GPL-2.0-or-later
# countall.pl: counts the events of each type
#
# In the form of 2009: handlers are called after zedtrace's events of that year, and variables are
# global.  It is to run as it stands: see t/87-seed-2009.t.

sub trace_end {
	print "event counts:\n";
	foreach $event (keys %counts) {
		print "$event: $counts{$event}\n";
	}
}

sub sched::kthread_stop {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::kthread_stop_ret {
	my ($cpu, $secs, $nsecs, $sequence, $ret) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::wait_task {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::wakeup {
	my ($cpu, $secs, $nsecs, $sequence, $wakeup_pid, $success) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::wakeup_new {
	my ($cpu, $secs, $nsecs, $sequence, $wakeup_pid, $success) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::switch {
	my ($cpu, $secs, $nsecs, $sequence, $prev_pid, $next_pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::migrate_task {
	my ($cpu, $secs, $nsecs, $sequence, $pid, $orig_cpu, $dest_cpu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::process_free {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::process_exit {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::process_wait {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::process_fork {
	my ($cpu, $secs, $nsecs, $sequence, $parent_pid, $child_pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub sched::signal_send {
	my ($cpu, $secs, $nsecs, $sequence, $sig, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::rq_abort {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::rq_insert {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::rq_issue {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::rq_requeue {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::rq_complete {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::bio_bounce {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::bio_complete {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::bio_backmerge {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::bio_frontmerge {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::bio_queue {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::getrq {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::sleeprq {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::plug {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::unplug_io {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::unplug_timer {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::split {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub block::remap {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub workqueue::insertion {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub workqueue::execution {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub workqueue::creation {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}

sub workqueue::destruction {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	$counts{$this}++;
}
