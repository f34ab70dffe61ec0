# SPDX-License-Identifier: GPL-2.0-or-later
# workqueue-stats.pl: counts what was inserted into workqueues and executed, by CPU and thread
#
# In the form of 2009: handlers are called after zedtrace's events of that year, and variables are
# global.  It is to run as it stands: see t/87-seed-2009.t.

# @workers: of each CPU, by the pid of the thread: { ins => times, exec => times }

sub workqueue::insertion {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$workers[$cpu]{$pid}{ins}++;
}

sub workqueue::execution {
	my ($cpu, $secs, $nsecs, $sequence, $pid) = @_;

	$workers[$cpu]{$pid}{exec}++;
}

sub trace_end {
	print "workqueue counts:\n";
	printf("%3s %6s %6s %6s\n", "cpu", "ins", "exec", "pid");
	for ($cpu = 0; $cpu < @workers; $cpu++) {
		foreach $pid (sort keys %{$workers[$cpu]}) {
			$worker = $workers[$cpu]{$pid};
			printf("%3u %6u %6u %6s\n", $cpu, $worker->{ins} || 0, $worker->{exec} || 0, $pid);
		}
	}
}
