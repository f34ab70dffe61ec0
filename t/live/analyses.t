# SPDX-License-Identifier: GPL-2.0-or-later
#
# The analyses on the running kernel, and their numbers beside those of perf, which has other code for the same questions, on
# one recording.  Without it both a definition and its code may be wrong.
#
# of: scripts interp analysis/timeline
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Pass;
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus');
my $dir = zed_tmp();

sub analysis {
	my (@words) = @_;
	my $r = zed_run({ time => 120, memory => 0 }, 'zedperl', @words, '--json');
	my $data = eval { JSON::PP::decode_json($r->{out}) };
	ok($data, "zedperl @words gives JSON") or diag "exit $r->{exit}\n$r->{err}";
	return $data // {};
}

# What happens meanwhile: tasks that begin, sleep, and write to a disk.
my ($load, $short) = map { "for i in $_; do " . '(/bin/true); dd if=/dev/zero of="$D/f" bs=64k count=8 conv=fsync 2>/dev/null; sleep 0.03; done' } join(' ', 1 .. 10), '1 2 3';

# ---- live, each for a moment ----

for my $name (qw(sched-summary waits wakeup-latency off-cpu who-wakes-whom irq softirq syscalls block why-late workqueue timers power kmem page-faults net)) {
	next if small() && $name !~ /^(?:sched-summary|syscalls|timers)$/;
	my $h = live_start({ env => { D => $dir } }, 'zedperl', '--live', $name, '--json');
	live_ready($h);
	system("D='$dir'; $short");
	live_signal($h, 'INT');
	my $r = live_end($h);
	my $data = eval { JSON::PP::decode_json($r->{out}) } // {};
	my ($main) = grep { @{$_->{rows}} } map { $data->{tables}{$_} // () } qw(tasks edges irqs softirqs calls phases chains runs hrtimers states slabs sent);
	ok($r->{exit} == 0 && ($main || $name =~ /^(?:irq|block|power|net)$/), "--live $name answers at Ctrl-C (else: who watches gets nothing)")
		or diag "exit $r->{exit}\n$r->{err}";
}

if (small()) {
	done_testing();
	exit;
}

# ---- beside perf ----

my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};

# What perf prints of a recording's events, in the order of time: [CPU, task (-1: it has been reaped), ns, name, the rest].
sub perf_events {
	my ($file) = @_;
	my @events;
	for (split /\n/, zed_run({ time => 60, memory => 0 }, $perf, 'script', '-i', $file, '--ns', '-F', 'cpu,tid,time,event,trace')->{out}) {
		push @events, [$1, $2, $3 . $4, $5, $6] if /^ *(-?\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +(\S+): *(.*)/;
	}
	($_->[0], $_->[1]) = ($_->[1], $_->[0]) for @events;
	return sort { $a->[2] <=> $b->[2] } @events;
}

# Which tasks ran; us between the first and the last switch of the CPUs; tasks whose run time is not certain: those at
# the begin and end, on both sides of a switch that the kernel did not record, and those whose last switch was after they
# were reaped, which perf has for the task -1; tasks first seen at a switch in.
sub switches {
	my ($file) = @_;
	my (%on, %first, %last, %ran, %odd, %seen, @unwoken);
	for (perf_events($file)) {
		my ($cpu, $tid, $time, $name, $text) = @$_;
		$seen{$1} = 1 if $name =~ /wakeup/ && $text =~ / pid=(\d+) /;
		my ($prev, $next) = $text =~ /prev_pid=(\d+) .*==> .*next_pid=(\d+)/ or next;
		push @unwoken, $next if !$seen{$next} && $next != $prev;
		@seen{$prev, $next} = (1, 1);
		$odd{$prev} = 1 if $tid != $prev;
		@odd{grep { defined } $prev, $on{$cpu}} = (1, 1) if !defined $on{$cpu} || $on{$cpu} != $prev;
		@ran{$prev, $next} = (1, 1);
		$first{$cpu} //= $time;
		($last{$cpu}, $on{$cpu}) = ($time, $next);
	}
	@odd{values %on} = (1) x keys %on;
	my $span = 0;
	$span += ($last{$_} - $first{$_}) / 1000 for keys %on;
	return (\%ran, $span, \%odd, \@unwoken);
}

# What perf kwork leaves out of the work in FILE: [runs, us].  It looks for the begin of a run by the work and the CPU of its
# end, so one whose worker went to another CPU meanwhile has none, or that of such a run before; since 2024 (OVERWRITE) a
# begin forgets those before it.  A worker runs one piece of work at a time, so its begin is that of the same task.
sub kwork_lacks {
	my ($overwrite, @events) = @_;
	my (%worker, %begun);
	my ($n, $ns) = (0, 0);
	for (@events) {
		my ($cpu, $tid, $time, $name, $text) = @$_;
		my ($what) = $name =~ /^workqueue:workqueue_execute_(start|end)\z/ or next;
		my ($work) = $text =~ /^work struct (?:0x)?([0-9a-f]+)/ or next;
		my $begun = $begun{"$cpu $work"} //= [];
		if ($what eq 'start') {
			@$begun = () if $overwrite;
			push @$begun, $time;
			$worker{$tid} = [$work, $time];
			next;
		}
		my ($is, $perfs) = (delete $worker{$tid}, pop @$begun);
		if ($is && $is->[0] eq $work) {
			$n++;
			$ns += $time - $is->[1];
		}
		if (defined $perfs) {
			$n--;
			$ns -= $time - $perfs;
		}
	}
	return [$n, $ns / 1000];
}

# SUM, [n, ns, the longest], with those of ROW.
sub add_wait {
	my ($sum, $row) = @_;
	$sum->[0] += $row->{n};
	$sum->[1] += $row->{total};
	$sum->[2] = $row->{max} if $sum->[2] < $row->{max};
	return;
}

# Of an answer of off-cpu: {pid}: [n, ns, the longest] of its waits of the KINDS, a|b.
sub waits_of {
	my ($off, $kinds) = @_;
	my %waits;
	for my $row (grep { $_->{what} =~ /^waits, (?:$kinds)\z/ } @{$off->{tables}{tasks}{rows} // []}) {
		add_wait($waits{$row->{pid}} //= [0, 0, 0], $row);
	}
	return \%waits;
}

# Which of TASKS differ by more than perf's rounding: of a mean, and of the longest.
sub waits_differ {
	my ($perfs, $all, @tasks) = @_;
	my @differ;
	for my $task (@tasks) {
		my ($want, $got) = ($perfs->{$task}, $all->{$task} // [0, 0, 0]);
		push @differ, "$task: @$got, perf @$want"
			if $want->[0] != $got->[0] || abs($want->[1] - $got->[1]) > 600 * ($want->[0] + 1) || abs($want->[2] - $got->[2]) > 600;
	}
	return \@differ;
}

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
	my ($lacks) = sort { abs($work{n} - $n - $a->[0]) <=> abs($work{n} - $n - $b->[0]) } map { kwork_lacks($_, perf_events($file)) } 0, 1;
	is($work{n}, $n + $lacks->[0], "workqueue: as many runs as perf kwork counts, and $lacks->[0] that changed the CPU");
	cmp_ok(abs($work{total} / 1000 - $want - $lacks->[1]), '<=', $rows + 1, 'workqueue: the same time, to the microsecond')
		or diag "$work{total} ns; perf $want us, and $lacks->[1] us of those";

	# perf sched timehist: what each task ran, from its switches in to those out.  It has none of what runs when the
	# recording begins or ends, and gives the time after a switch that the kernel did not record to who ran before it.
	my (undef, $span, $odd, $unwoken) = switches($file);
	my %want;
	my $hist = zed_run({ time => 60, memory => 0 }, $perf, 'sched', 'timehist', '--summary', '-i', $file)->{out};
	$want{$1} = [$2, $3 * 1000] while $hist =~ /\[(\d+)(?:\/\d+)?\] +-?\d+ +(\d+) +([\d.]+) /g;
	my ($sum) = $hist =~ /Total run time \(msec\): +([\d.]+)/;
	my $summary = analysis($file, 'sched-summary', '--by', 'pid');
	my %ours;
	for my $row (@{$summary->{tables}{tasks}{rows} // []}) {
		$ours{$row->{pid}}[0] += $row->{n};
		$ours{$row->{pid}}[1] += $row->{run} / 1000;
	}
	my @same = grep { !$odd->{$_} } sort { $a <=> $b } keys %{{ %want, %ours }};
	# How many are odd hangs on the kernel, which leaves out more switches the busier it is.
	cmp_ok(scalar @same, '>=', 10, 'perf sched timehist has tasks to compare');
	is_deeply([grep { !$want{$_} || !$ours{$_} || $want{$_}[0] != $ours{$_}[0] || abs($want{$_}[1] - $ours{$_}[1]) > 1.5 } @same], [],
		'sched-summary: slices and run time of each task, to the microsecond (else: time is charged to the wrong task)')
		or diag $hist;
	my %all = (idle => 0, unknown => 0);
	for my $row (@{$summary->{tables}{cpus}{rows} // []}) {
		$all{$_} += $row->{$_} / 1000 for keys %all;
	}
	cmp_ok(abs($sum * 1000 - ($span - $all{idle})), '<=', 3 + ($odd->{0} ? $all{unknown} : 0),
		'and the run time of all is what the CPUs were not idle');

	# perf sched latency: waits of each task, from its wakeup; so ours are those of the trace without its wakings.  A task
	# that perf first sees at a switch in has one of length 0 there; those of preempted tasks it has since 2024 alone.
	$text = zed_run({ time => 60, memory => 0 }, $perf, 'sched', 'latency', '-p', '-i', $file)->{out};
	my %waits;
	$waits{$1} = [$2, $2 * $3 * 1e6, $4 * 1e6] while $text =~ /^ *\S.*?:(\d+) +\| +[\d.]+ ms \| +(\d+) \| avg: +([\d.]+) ms \| max: +([\d.]+) ms/mg;
	$waits{$_}[0]-- for grep { $waits{$_} } @$unwoken;
	my $off = analysis('--event', 'sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new', $file, 'off-cpu', '--by', 'pid');
	my @kinds = ('woken|new|left ready', 'woken|new|left ready|preempted');
	my @tasks = grep { $waits{$_}[0] && !$odd->{$_} } sort { $a <=> $b } keys %waits;
	my ($differ) = sort { @$a <=> @$b } map { waits_differ(\%waits, waits_of($off, $_), @tasks) } @kinds;
	cmp_ok(scalar @tasks, '>', 20, 'perf sched latency has tasks to compare');
	is_deeply($differ, [], 'waits of each task: as many as perf sched latency has, their sum and the longest') or diag $text;

	# The three scripts that tell of waits tell of the same: each by its own tables.
	my $woken = waits_of(analysis($file, 'off-cpu', '--by', 'pid'), 'woken|new');
	my (%latency, %edges);
	for my $row (@{analysis($file, 'wakeup-latency', '--new', '--by', 'pid')->{tables}{tasks}{rows} // []}) {
		add_wait($latency{$row->{pid}} //= [0, 0, 0], $row);
	}
	for my $row (@{analysis($file, 'who-wakes-whom', '--by', 'pid')->{tables}{edges}{rows} // []}) {
		add_wait($edges{$1} //= [0, 0, 0], $row) if $row->{woken} =~ / (\d+)\z/;
	}
	is_deeply(\%latency, $woken, 'wakeup-latency has the waits that off-cpu has after a wakeup');
	is_deeply(\%edges, $woken, 'and who-wakes-whom, of all wakers together');
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

# perf trace adds up calls, task by task.  It counts each entry and exit by itself, as --legs does, and as a call of no time
# an exit whose enter is not there: a child's first, and that of a call begun before the recording.
SKIP: {
	my $why = $perf ? undef : 'perf is not installed (linux-perf)';
	skip live_cannot($why), 1 if $why;
	my $file = "$dir/calls.data";
	my $signals = 'timeout -s INT 0.05 sleep 5; sleep 0.2 & p=$!; sleep 0.05; kill -STOP $p; sleep 0.02; kill -CONT $p; wait $p';
	my $record = zed_run({ time => 60, memory => 0, env => { D => $dir } }, $perf, 'record', '-q', '-m', '1024', '-o', $file,
		map({ ('-e', $_) } qw(raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_process_exit)), '--', 'sh', '-c', "$load; $signals");
	skip live_cannot("perf records no calls here: $record->{err}" =~ s/\n.*//sr), 1 if !-s $file;
	skip live_cannot('perf lost events'), 1 if zed_run({ time => 60, memory => 0 }, 'zedprint', '--summary', $file)->{out} =~ /lost: [1-9]/;
	my ($tid, %want);
	for (split /\n/, zed_run({ time => 60, memory => 0 }, $perf, 'trace', '-s', '-i', $file)->{err}) {
		$tid = $1 if /^ .*\((\d+)\), \d+ events/;
		$want{$1}{$tid} = [$2, $3, $4 * 1000] if /^ {3}(\w+) +(\d+) +(\d+) +([\d.]+) /;
	}
	skip live_cannot('perf trace cannot: no table'), 1 if !%want;
	my %name = split ' ', zed_run({ time => 60, memory => 0 }, 'zedperl', '-e',
		'sub trace_end { print "$_ ", Zed::syscall_name($_) // "-", "\n" for 0 .. 600 }', $file)->{out};
	my (%open, %restarted, %returned, $without);
	for (perf_events($file)) {
		my (undef, $task, undef, undef, $text) = @$_;
		my ($nr, $ret) = $text =~ /^NR (-?\d+)(?: = (-?\d+)\z)?/ or next;
		if (!defined $ret) {
			$open{$task} = $nr;
			next;
		}
		my $entered = delete $open{$task};
		# A return from a signal handler: its exit has no number, and perf trace leaves it out.
		if ($nr < 0) {
			$returned{$task}++ if defined $entered && $name{$entered} eq 'rt_sigreturn';
			next;
		}
		$restarted{$name{$nr}} = 1 if $ret =~ /^-51[2346]\z/;
		next if defined $entered && $entered == $nr;
		my $row = $want{$name{$nr}}{$task} or next;
		$without++;
		$row->[0]--;
		$row->[1]-- if $ret < 0 && $ret >= -4095;
	}
	my (%legs, %joined);
	$legs{$_->{name}}{$_->{who}} = [$_->{n}, $_->{errors}, $_->{total} / 1000]
		for @{analysis($file, 'syscalls', '--legs', '--by', 'pid')->{tables}{calls}{rows} // []};
	my $differ = sub { my ($x, $y, $by) = @_; return !$x || !$y || $x->[0] != $y->[0] || $x->[1] != $y->[1] || abs($x->[2] - $y->[2]) > $by };
	my @differ;
	my $rows = 0;
	for my $call (keys %{{ %want, %legs }}) {
		for my $task (keys %{{ %{$want{$call} // {}}, %{$legs{$call} // {}} }}) {
			my ($perfs, $ours) = ($want{$call}{$task}, $legs{$call}{$task});
			next if !$ours && $perfs && !$perfs->[0];
			$perfs = [$returned{$task} // 0, 0, $ours->[2]] if $call eq 'rt_sigreturn' && !$perfs;
			$rows++;
			push @differ, "$call of $task: " . join ', ', map { $_ ? "@$_" : 'none' } $ours, $perfs if $differ->($ours, $perfs, 0.6);
		}
	}
	cmp_ok($rows, '>', 200, 'perf trace has calls to compare');
	cmp_ok($without // 0, '>', 10, 'some of no enter among them');
	is_deeply(\@differ, [], 'syscalls --legs: calls, errors and time of each call of each task are perf trace\'s');

	# Calls that no signal interrupts are the same when legs are joined.
	$joined{$_->{name}} = [$_->{n}, $_->{errors}, $_->{total} / 1000] for @{analysis($file, 'syscalls')->{tables}{calls}{rows} // []};
	my @calls = grep { !$restarted{$_} && $_ ne 'restart_syscall' } sort keys %want;
	my @wrong;
	for my $call (@calls) {
		my @sum = (0, 0, 0);
		for my $row (values %{$want{$call}}) {
			$sum[$_] += $row->[$_] for 0 .. 2;
		}
		push @wrong, $call if $sum[0] && $differ->($joined{$call}, \@sum, 0.6 * keys %{$want{$call}});
	}
	is_deeply(\@wrong, [], 'syscalls: so are the sums of each call that is not restarted');
	ok(%restarted && @calls > 20, 'and some are restarted');
}
done_testing();
