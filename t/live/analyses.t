# SPDX-License-Identifier: GPL-2.0-or-later
#
# The analyses on the running kernel, and their numbers beside perf's, which has other code for the same questions, on
# one recording of perf.  Without it both a definition and its code may be wrong.
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use ZedLive;
use ZedRun;

live_or_skip();
my $dir = zed_tmp();

sub analysis {
	my (@words) = @_;
	my $r = zed_run({ time => 120, memory => 0 }, 'zedperl', @words, '--json');
	my $data = eval { JSON::PP::decode_json($r->{out}) };
	ok($data, "zedperl @words gives JSON") or diag "exit $r->{exit}\n$r->{err}";
	return $data // {};
}

# What happens meanwhile: tasks that begin, sleep, and write to a disk.
my $load = 'for i in 1 2 3 4 5 6 7 8 9 10; do (/bin/true); dd if=/dev/zero of="$D/f" bs=64k count=8 conv=fsync 2>/dev/null; sleep 0.03; done';

# ---- live, each for a moment ----

for my $name (qw(sched-summary wakeup-latency off-cpu who-wakes-whom irq softirq syscalls block why-late workqueue timers power kmem page-faults net)) {
	my $h = live_start({ env => { D => $dir } }, 'zedperl', '--live', $name, '--json');
	live_ready($h);
	system("D='$dir'; $load");
	live_signal($h, 'INT');
	my $r = live_end($h);
	my $data = eval { JSON::PP::decode_json($r->{out}) } // {};
	my ($main) = grep { @{$_->{rows}} } map { $data->{tables}{$_} // () } qw(tasks edges irqs softirqs calls phases chains runs hrtimers states slabs sent);
	ok($r->{exit} == 0 && ($main || $name =~ /^(?:irq|block|power|net)$/), "--live $name answers at Ctrl-C (else: who watches gets nothing)")
		or diag "exit $r->{exit}\n$r->{err}";
}

# ---- beside perf ----

my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};
SKIP: {
	my $why = $perf ? undef : 'perf is not installed (linux-perf)';
	skip live_cannot($why), 1 if $why;
	my $file = "$dir/perf.data";
	my $record = zed_run({ time => 60, memory => 0, env => { D => $dir } }, $perf, 'record', '-q', '-m', '2048', '-a', '-o', $file,
		map({ ('-e', "sched:sched_$_") } qw(switch waking wakeup wakeup_new)), '-e', 'irq:*', '-e', 'workqueue:*', '--', 'sh', '-c', $load);
	skip live_cannot("perf records nothing here: $record->{err}" =~ s/\n.*//sr), 1 if !-s $file;
	my $lost = zed_run({ time => 60, memory => 0 }, 'zedprint', '--summary', $file)->{out} =~ /lost: [1-9]/;
	skip live_cannot('perf lost events'), 1 if $lost;

	# perf kwork tells the sum of each interrupt and softirq on each CPU, in us.
	for my $kind (qw(irq softirq)) {
		my $text = zed_run({ time => 60, memory => 0 }, $perf, 'kwork', '-k', $kind, 'report', '-i', $file)->{out};
		skip live_cannot("perf kwork cannot: no table"), 1 if $text !~ /Total Runtime/;
		my (%want, %n);
		while ($text =~ /^ *(?:\(s\))?(\S+):(\d+) +\| +\d+ +\| +([\d.]+) ms +\| +(\d+) /mg) {
			$want{$2} += $3 * 1000;
			$n{$2} += $4;
		}
		my %got = map { ($_->{irq} // $_->{vec}) => $_ } @{analysis($file, $kind)->{tables}{"${kind}s"}{rows} // []};
		is_deeply({ map { $_ => $got{$_}{n} } keys %got }, \%n, "$kind: as many as perf kwork counts, of each");
		is_deeply([grep { abs($got{$_}{total} / 1000 - $want{$_}) > 2 } keys %want], [], "$kind: the same time, to the microsecond");
	}

	# Of work it tells the time by address and CPU, and its functions by symbols that are not in the recording: all together.
	my $text = zed_run({ time => 60, memory => 0 }, $perf, 'kwork', '-k', 'workqueue', 'report', '-i', $file)->{out};
	my ($want, $n, $rows) = (0, 0, 0);
	while ($text =~ /^ *\(w\).*? \| +\d+ +\| +([\d.]+) ms +\| +(\d+) /mg) {
		$want += $1 * 1000;
		$n += $2;
		$rows++;
	}
	my %work = (n => 0, total => 0);
	for my $row (@{analysis($file, 'workqueue')->{tables}{runs}{rows} // []}) {
		$work{$_} += $row->{$_} for keys %work;
	}
	is($work{n}, $n, 'workqueue: as many runs as perf kwork counts');
	cmp_ok(abs($work{total} / 1000 - $want), '<=', $rows + 1, 'workqueue: the same time, to the microsecond');

	# perf sched latency: waits of each task.  It leaves out those of preempted tasks, has one of length 0 for a task
	# that it first sees at its start, and one of a switch that is missing: so a few tasks differ by a few.
	$text = zed_run({ time => 60, memory => 0 }, $perf, 'sched', 'latency', '-p', '-i', $file)->{out};
	my %want;
	$want{$1} = $2 while $text =~ /^ *\S.*?:(\d+) +\| +[\d.]+ ms \| +(\d+) \|/mg;
	my $off = analysis($file, 'off-cpu', '--by', 'pid');
	my %got;
	$got{$_->{pid}} += $_->{n} for grep { $_->{what} =~ /^waits, (?:woken|new|left ready)$/ } @{$off->{tables}{tasks}{rows} // []};
	my @tasks = grep { $want{$_} > 1 } keys %want;
	my @differ = grep { abs($want{$_} - ($got{$_} // 0)) > 1 } @tasks;
	cmp_ok(scalar @tasks, '>', 3, 'perf sched latency has tasks to compare');
	cmp_ok(scalar @differ, '<=', 0.1 * @tasks + 1, 'waits of each task: as many as perf sched latency has, but for a few')
		or diag join ', ', map { "$_: " . ($got{$_} // 0) . " of $want{$_}" } @differ;
}

# perf kmem adds up the same bytes.
SKIP: {
	my $why = $perf ? undef : 'perf is not installed (linux-perf)';
	skip live_cannot($why), 3 if $why;
	my $file = "$dir/kmem.data";
	my $record = zed_run({ time => 60, memory => 0, env => { D => $dir } }, $perf, 'record', '-q', '-m', '2048', '-a', '-o', $file,
		map({ ('-e', "kmem:$_") } qw(kmalloc kfree kmem_cache_alloc kmem_cache_free)), '--', 'sh', '-c', 'ls -R "$D" /etc/default >/dev/null 2>&1');
	skip live_cannot("perf records no allocations here: $record->{err}" =~ s/\n.*//sr), 3 if !-s $file;
	skip live_cannot('perf lost events'), 3 if zed_run({ time => 60, memory => 0 }, 'zedprint', '--summary', $file)->{out} =~ /lost: [1-9]/;
	my $text = zed_run({ time => 60, memory => 0 }, $perf, 'kmem', '-i', $file, 'stat', '--caller', '-l', '1');
	my ($asked, $got) = "$text->{out}$text->{err}" =~ /Total bytes requested: ([\d,]+).*Total bytes allocated: ([\d,]+)/s;
	skip live_cannot('perf kmem cannot: no summary'), 3 if !defined $got;
	my $all = analysis($file, 'kmem')->{tables}{slabs}{all} // {};
	is($all->{asked}, $asked =~ tr/,//dr, 'kmem: as many bytes asked for as perf kmem adds up');
	is($all->{got}, $got =~ tr/,//dr, 'kmem: and as many given');
}
done_testing();
