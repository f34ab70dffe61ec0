# SPDX-License-Identifier: GPL-2.0-or-later
#
# The numbers of a real trace of LTTng, computed a second time: by awk, from babeltrace2's text of it.  Without it
# analyses could agree with each other, and with nothing else.
#
# of: reader/ctf scripts lib/Zed
# runs: make check
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Program;
use Run::Zedperl;

my $tmp = zed_tmp();

# Each line of its output: WHAT KEY N TOTAL MAX MEDIAN-OF-THE-LOWER-HALF, times in ns.
my $AWK = <<'END';
function value(name,    at, rest) {
	at = index($0, " " name " = ")
	if (!at) return ""
	rest = substr($0, at + length(name) + 4)
	if (substr(rest, 1, 1) == "\"") { sub(/^"/, "", rest); sub(/".*/, "", rest); return rest }
	sub(/[ ,].*/, "", rest)
	return rest
}
function add(what, key, time,    k) {
	k = what "\t" key
	n[k]++; total[k] += time
	if (time > max[k]) max[k] = time
	times[k, n[k]] = time
}
# The time that half of them do not exceed.
function median(k,    i, j, v, a, m) {
	m = n[k]
	for (i = 1; i <= m; i++) a[i] = times[k, i]
	for (i = int(m / 2); i >= 1; i--) sift(a, i, m)
	for (i = m; i > int((m + 1) / 2); i--) { v = a[1]; a[1] = a[i]; a[i] = v; sift(a, 1, i - 1) }
	return a[1]
}
function sift(a, i, m,    c, v) {
	v = a[i]
	while ((c = 2 * i) <= m) {
		if (c < m && a[c + 1] > a[c]) c++
		if (a[c] <= v) break
		a[i] = a[c]; i = c
	}
	a[i] = v
}
{
	# Numbers of 53 bits: times from the first one on.
	ts = substr($0, 13); sub(/,.*/, "", ts); sub(/^0+/, "", ts)
	if (base == "") base = ts
	ts -= base
	at = index($0, ", name = "); name = substr($0, at + 9); sub(/,.*/, "", name)
	cpu = value("cpu_id")
	sub(/.*event\.fields = \{/, "")
	if (!(cpu in began)) { began[cpu] = ts; on[cpu] = -1 }
	last = ts
}
# A task that sleeps, or left of itself though it was ready, or of which nothing is known, waits from its waking on; one
# that runs may be on its way to sleep.
function wakes(task, at) {
	state[task] = "waits"; since[task] = at
	if (task in slept) { add("off", slept[task], at - left[task]); delete slept[task] }
}
name == "sched_waking" {
	task = value("tid")
	if (state[task] == "runs") noted[task] = ts
	else if (state[task] == "sleeps" || state[task] == "" || state[task] == "resched" && ts > left[task]) wakes(task, ts)
}
name == "sched_wakeup" {
	task = value("tid")
	if (state[task] == "runs") delete noted[task]
	else if (state[task] == "sleeps" || state[task] == "") wakes(task, ts)
}
name == "sched_switch" {
	prev = value("prev_tid"); next_ = value("next_tid"); s = value("prev_state") + 0
	comm[prev] = value("prev_comm"); comm[next_] = value("next_comm")
	if (prev != 0) {
		run[prev] += ts - (cpu in in_at ? in_at[cpu] : began[cpu])
		slices[prev] += (cpu in in_at)
		# Linux 4.4: 2048 is preemption, the lowest bits are S and D; 64 is dead.
		state[prev] = int(s / 2048) % 2 ? "preempted" : s == 0 ? "resched" : s == 64 ? "dead" : "sleeps"
		left[prev] = ts
		if (state[prev] == "sleeps") slept[prev] = s % 2 ? "sleeps" : "blocked"
		if (state[prev] == "sleeps" && prev in noted) wakes(prev, ts)
		delete noted[prev]
	}
	if (next_ != 0) {
		if (state[next_] == "waits") { add("wakeup", comm[next_], ts - since[next_]); add("wakeup", "ALL", ts - since[next_]) }
		state[next_] = "runs"; delete slept[next_]
	}
	in_at[cpu] = ts; on[cpu] = next_
}
name == "irq_handler_entry" { irq[cpu, ++depth[cpu]] = value("irq"); begun[cpu, depth[cpu]] = ts }
name == "irq_handler_exit" && depth[cpu] { add("irq", irq[cpu, depth[cpu]], ts - begun[cpu, depth[cpu]]); depth[cpu]-- }
name == "irq_softirq_entry" { softirq[cpu] = ts }
name == "irq_softirq_exit" && (cpu in softirq) { add("softirq", value("vec"), ts - softirq[cpu]); delete softirq[cpu] }
name ~ /^syscall_entry_/ && on[cpu] >= 0 { call = substr(name, 15); if (call == "unknown") call = "id " value("id"); called[on[cpu], call] = ts }
name ~ /^syscall_exit_/ && on[cpu] >= 0 {
	call = substr(name, 14); if (call == "unknown") call = "id " value("id")
	if ((on[cpu], call) in called) {
		add("call", call, ts - called[on[cpu], call]); delete called[on[cpu], call]
		if (value("ret") + 0 < 0 && value("ret") + 0 >= -4095) failed[call]++
	}
}
END {
	for (cpu in on) if (on[cpu] > 0) run[on[cpu]] += last - in_at[cpu]
	for (k in n) printf "%s\t%d\t%.0f\t%.0f\t%.0f\n", k, n[k], total[k], max[k], median(k)
	for (task in run) printf "run\t%d\t%d\t%.0f\t0\t0\n", task, slices[task], run[task]
	for (call in failed) printf "failed\t%s\t%d\t0\t0\t0\n", call, failed[call]
}
END

# {what}{key}: [n, total, max, median].
sub by_awk {
	my ($text) = @_;
	spew("$tmp/numbers.awk", $AWK);
	my $r = zed_run({ env => { LC_ALL => 'C' } }, '/usr/bin/awk', '-f', "$tmp/numbers.awk", $text);
	is($r->{err}, '', 'awk computes the numbers');
	my %of;
	for (split /\n/, $r->{out}) {
		my ($what, $key, @numbers) = split /\t/;
		$of{$what}{$key} = \@numbers;
	}
	return \%of;
}

sub rows { my ($dir, $analysis, $table, @args) = @_; return JSON::PP::decode_json(zedperl({ bare => 1 }, $dir, $analysis, '--json', @args)->{out})->{tables}{$table} }

# The medians of Zed::Spread are off by 0.8 % at most.
sub is_near { my ($got, $want) = @_; return abs($got - $want) <= 0.008 * $want + 1 }

SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf";
	my $name = 'lttng-kernel-4.4';
	system('tar', '--zstd', '-C', $tmp, '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
	system('zstd', '-dqf', "$shared/data/ctf/$name.babeltrace2.txt.zst", '-o', "$tmp/text") == 0 or die "cannot unpack $name\n";
	my ($dir) = glob "$tmp/*/kernel";
	my $want = by_awk("$tmp/text");

	my $waits = rows($dir, 'wakeup-latency', 'tasks');
	my %got = map { ($_->{comm} => [@$_{qw(n total max)}]) } @{$waits->{rows}};
	is_deeply(\%got, { map { ($_ => [@{$want->{wakeup}{$_}}[0 .. 2]]) } grep { $_ ne 'ALL' } keys %{$want->{wakeup}} }, 'wakeup-latency: how many, the sum and the longest of each task');
	ok(is_near($waits->{all}{p50}, $want->{wakeup}{ALL}[3]), '... and the median of all');

	%got = map { ($_->{pid} => [@$_{qw(n run)}]) } @{rows($dir, 'sched-summary', 'tasks', '--by', 'pid')->{rows}};
	my $ran = $want->{run};
	is_deeply({ map { ($_ => $got{$_}[1]) } keys %got }, { map { ($_ => $ran->{$_}[1]) } keys %$ran }, 'sched-summary: how long each task ran');
	is_deeply({ map { ($_ => $got{$_}[0]) } keys %got }, { map { ($_ => $ran->{$_}[0]) } keys %$ran }, '... in how many slices');

	my %off;
	for (@{rows($dir, 'off-cpu', 'tasks', '--by', 'pid')->{rows}}) {
		$off{$_->{what}}[0] += $_->{n}, $off{$_->{what}}[1] += $_->{total} if $_->{what} =~ /^(?:sleeps|blocked)\z/;
	}
	is_deeply(\%off, { map { ($_ => [@{$want->{off}{$_}}[0, 1]]) } keys %{$want->{off}} }, 'off-cpu: how often and how long tasks sleep, and are blocked');

	for (['irq', 'irqs', 'irq'], ['softirq', 'softirqs', 'vec']) {
		my ($analysis, $table, $key) = @$_;
		my $all = rows($dir, $analysis, $table);
		%got = map { ($_->{$key} => [@$_{qw(n total)}]) } grep { $_->{n} } @{$all->{rows}};
		is_deeply(\%got, { map { ($_ => [@{$want->{$analysis}{$_}}[0, 1]]) } keys %{$want->{$analysis}} }, "$analysis: how many, and how long");
	}

	# Names as programs have them; two calls that LTTng 2.10 does not know.
	my %CALLED = (newlstat => 'lstat', newfstat => 'fstat', newstat => 'stat', newuname => 'uname', sendfile64 => 'sendfile', umount => 'umount2',
		'id 158' => 'arch_prctl', 'id 58' => 'vfork', 'id 125' => 'capget', 'id 126' => 'capset', 'id 324' => 'membarrier', 'id 15' => 'rt_sigreturn');
	%got = map { ($_->{name} => [@$_{qw(n total max errors)}]) } grep { $_->{name} ne 'rt_sigreturn' } @{rows($dir, 'syscalls', 'calls', '--legs')->{rows}};
	is_deeply(\%got, { map { ($CALLED{$_} // $_ => [@{$want->{call}{$_}}[0 .. 2], $want->{failed}{$_}[0] // 0]) } keys %{$want->{call}} },
		'syscalls: how many of each call, the sum, the longest, how many failed');
}

done_testing();
