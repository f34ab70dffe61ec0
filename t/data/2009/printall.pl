# SPDX-License-Identifier: GPL-2.0-or-later
# printall.pl: prints every event, one line each
#
# In the form of 2009: handlers are called after zedtrace's events of that year, and variables are
# global.  It is to run as it stands: see t/87-seed-2009.t.

sub trace_begin {
	printf("%-24s %3s %16s %10s\n", "event", "cpu", "timestamp", "sequence");
	printf("%-24s %3s %16s %10s\n", "-----", "---", "---------", "--------");
}

sub print_header {
	my ($event, $cpu, $secs, $nsecs, $sequence) = @_;

	printf("%-24s %3u %6u.%09u %10u  ", $event, $cpu, $secs, $nsecs, $sequence);
}

sub dev_str {
	my ($dev) = @_;

	return ($dev >> 20) . "," . ($dev & 0xfffff);
}

sub rwbs_str {
	my ($rw, $bytes) = @_;

	return "W" if $rw;
	return $bytes ? "R" : "N";
}

sub print_io {
	my ($dev, $rw, $sector, $bytes) = @_;

	printf("dev=%s pid=x rwbs=%s sector+size=%u + %u ", dev_str($dev), rwbs_str($rw, $bytes),
	       $sector, $bytes >> 9);
}

sub sched::kthread_stop {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u\n", $pid);
}

sub sched::kthread_stop_ret {
	my ($cpu, $secs, $nsecs, $sequence, $ret) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("ret=%d\n", $ret);
}

sub sched::wait_task {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u\n", $pid);
}

sub sched::wakeup {
	my ($cpu, $secs, $nsecs, $sequence, $wakeup_pid, $success) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("wake_pid=%-5u success=%u\n", $wakeup_pid, $success);
}

sub sched::wakeup_new {
	my ($cpu, $secs, $nsecs, $sequence, $wakeup_pid, $success) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("wake_pid=%-5u success=%u\n", $wakeup_pid, $success);
}

sub sched::switch {
	my ($cpu, $secs, $nsecs, $sequence, $prev_pid, $next_pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("prev_pid=%-5u next_pid=%-5u\n", $prev_pid, $next_pid);
}

sub sched::migrate_task {
	my ($cpu, $secs, $nsecs, $sequence, $pid, $orig_cpu, $dest_cpu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u orig_cpu=%u dest_cpu=%u\n", $pid, $orig_cpu, $dest_cpu);
}

sub sched::process_free {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u\n", $pid);
}

sub sched::process_exit {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u\n", $pid);
}

sub sched::process_wait {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u\n", $pid);
}

sub sched::process_fork {
	my ($cpu, $secs, $nsecs, $sequence, $parent_pid, $child_pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("parent_pid=%-5u child_pid=%-5u\n", $parent_pid, $child_pid);
}

sub sched::signal_send {
	my ($cpu, $secs, $nsecs, $sequence, $sig, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("sig=%-2u pid=%-5u\n", $sig, $pid);
}

sub block::rq_abort {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	printf("[%d]\n", $errors);
}

sub block::rq_insert {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::rq_issue {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::rq_requeue {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	printf("[%d]\n", $errors);
}

sub block::rq_complete {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	printf("[%d]\n", $errors);
}

sub block::bio_bounce {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::bio_complete {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	printf("[%d]\n", $errors);
}

sub block::bio_backmerge {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::bio_frontmerge {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::bio_queue {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::getrq {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::sleeprq {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::plug {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("dev=%s pid=x rwbs=N []\n", dev_str($dev));
}

sub block::unplug_io {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("dev=%s pid=x rwbs=N [] %u\n", dev_str($dev), (unpack("NN", $pdu)) [1]);
}

sub block::unplug_timer {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("dev=%s pid=x rwbs=N [] %u\n", dev_str($dev), (unpack("NN", $pdu)) [1]);
}

sub block::split {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what, $rw, $errors, $sector, $bytes) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	print_io($dev, $rw, $sector, $bytes);
	print("[]\n");
}

sub block::remap {
	my ($cpu, $secs, $nsecs, $sequence, $dev, $what,
	    $rw, $errors, $sector, $bytes, $pdu_len, $pdu) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("dev=%s pid=x rwbs=%s %u + %u <- r.dev=(x,x) r.sector=x\n", dev_str($dev),
	       rwbs_str($rw, $bytes), $sector, $bytes >> 9);
}

sub workqueue::insertion {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u wq_cpu=%u\n", $pid, $cpu);
}

sub workqueue::execution {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u wq_cpu=%u\n", $pid, $cpu);
}

sub workqueue::creation {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u wq_cpu=%u\n", $pid, $cpu);
}

sub workqueue::destruction {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$this = (caller(0)) [3];
	print_header($this, $cpu, $secs, $nsecs, $sequence);
	printf("pid=%-5u wq_cpu=%u\n", $pid, $cpu);
}
