# SPDX-License-Identifier: GPL-2.0-or-later
#
# Analyses of LTTng's traces of the kernel: the same events as a trace.dat and as LTTng records them have the same answer; on
# a real trace, each analysis whose events are there has rows.  Without it an analysis that ftrace feeds is empty, or wrong,
# for LTTng's users.
#
# of: reader/ctf stable scripts
# runs: make check
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Program;
use Run::Zedperl;
use Write::LttngMiniature;
use Write::Miniature;

my $tmp = zed_tmp();
my $made = 0;

# ---------------------------------------------------------------- the same events by both tracers

# Each CPU begins with a switch: before it LTTng does not say who runs.
my %TEXTS = (
	sched => <<'END',
0 0 0 switch 0 R 50 | 0 1 0 switch 0 R 60 | 10 0 50 switch 50 S 0 | 15 1 60 waking 50 | 25 0 0 switch 0 R 50 | 30 0 50 hardirq irq 24
31 0 50 hardirq waking 70 | 33 0 50 hardirq irqx 24 | 34 0 50 raise 3 | 35 0 50 serving softirq 3 | 36 0 50 serving waking 80 | 37 0 50 serving softirqx 3
40 0 50 switch 50 R+ 70 90 | 45 1 60 switch 60 D 80 | 50 0 70 switch 70 S 50 | 55 1 80 waking 60 | 60 1 80 switch 80 X 60 | 70 1 60 new 90
75 0 50 switch 50 S 90 | 80 0 90 migrate 60 1 0 | 85 1 60 switch 60 R 0 | 95 0 90 switch 90 S 60 | 99 0 60 switch 60 Z 0
END
	irq => <<'END',
100 0 0 switch 0 R 7 | 100 1 0 switch 0 R 8 | 101 0 7 raise 3 | 110 0 7 irq 24 | 115 0 7 raise 3 | 120 0 7 irqx 24 | 122 0 7 softirq 3 | 130 0 7 irq 25 | 140 0 7 irq 1
145 0 7 irqx 1 | 150 0 7 irqx 25 | 170 0 7 softirqx 3 | 180 0 7 irqx 9 0 | 185 1 8 softirq 9 | 188 1 8 softirqx 9 | 190 0 7 irq 25
END
	# Failures, interrupted calls, a call of a program, an exit from a signal's handler, forks, calls that never return.
	calls => <<'END',
0 0 0 switch 0 R 7 | 0 1 0 switch 0 R 8 | 10 0 7 enter 257 | 15 0 7 exit 257 -2 | 20 0 7 enter 0 | 25 0 7 switch 7 S 0 | 60 0 0 waking 7 | 65 0 0 switch 0 R 7
70 0 7 exit 0 100 | 72 0 7 enter 4 | 73 0 7 exit 4 0 | 80 1 8 enter 35 | 85 1 8 exit 35 -516 | 86 1 8 enter 219 | 95 1 8 exit 219 0
100 1 8 enter 7 | 110 1 8 exit 7 -514 | 115 1 8 enter 15 | 117 1 8 exit -1 -4 | 120 0 7 enter 56 | 130 0 7 exit 56 9 | 135 0 7 switch 7 S 9
140 0 9 exit 56 0 | 150 0 9 enter 231 | 160 0 9 process_exit 9 | 165 0 9 switch 9 Z 0 | 170 1 8 exit 3 0 | 180 1 8 enter 1
END
	block => <<'END',
0 0 0 switch 0 R 5 | 1 0 5 Q WS 800+8 | 2 0 5 G WS 800+8 | 3 0 5 I WS 800+8 | 10 0 5 D WS 800+8 | 20 0 5 Q R 900+16 | 21 0 5 G R 900+16 | 25 0 5 D R 900+16
40 0 5 C R 900+16 | 50 0 5 C WS 800+8 | 60 0 5 Q RA 1000+8 | 61 0 5 G RA 1000+8 | 62 0 5 Q RA 1008+8 | 63 0 5 M RA 1008+8 | 70 0 5 D RA 1000+16 | 95 0 5 C RA 1000+16
100 0 5 Q FWFS 0+0 | 101 0 5 D FF 0+0 | 110 0 5 C FF 0+0 | 120 0 5 Q DE 2000+8 | 121 0 5 G DE 2000+8 | 122 0 5 D DE 2000+8 | 130 0 5 R DE 2000+8 | 135 0 5 D DE 2000+8 | 150 0 5 C DE 2000+8
END
	net => <<'END',
0 0 0 switch 0 R 5 | 0 1 0 switch 0 R 6 | 1 0 5 packet 64 100 eth0 | 9 0 5 xmit 64 100 eth0 | 20 0 5 packet 128 300 eth0 | 22 0 5 xmit 128 300 eth0 16 | 42 0 5 xmit 128 300 eth0
90 1 6 napi eth0 64 64 | 91 1 6 napi eth0 3 64 | 92 1 6 receive 2048 80 eth0 | 93 1 6 receive 2048 90 lo
END
	timers => <<'END',
0 0 0 switch 0 R 5 | 0 1 0 switch 0 R 6 | 10 0 5 hrtimer a 100 90 | 105 0 5 hrcancel a | 106 0 5 expire a 103 | 110 0 5 expirex a
120 0 5 hrtimer b 200 150 | 190 1 6 expire b 180 | 192 1 6 expirex b | 200 0 5 hrtimer c 300 | 210 0 5 hrtimer c 250 | 260 0 5 expire c 255
261 0 5 expirex c | 600 0 5 wheel_start w 10 5 | 610 0 5 wheel_start v 10 5 80000 | 700 0 5 wheel_cancel w | 701 0 5 wheel w 13 | 720 0 5 wheelx w | 800 1 6 wheel v 40
END
	kmem => <<'END',
0 0 0 switch 0 R 5 | 0 1 0 switch 0 R 6 | 1 0 5 kmalloc a 4096 10 16 | 5 1 6 kfree 4096 | 10 0 5 kmalloc a 4096 20 32 | 20 0 5 kmalloc_node b 8192 100 128
30 0 5 kfree 8192 | 40 0 5 kmem_cache_alloc c 12288 60 64 | 60 0 5 kmem_cache_free 12288 | 100 0 5 page_alloc 10 0 | 110 0 5 page_free 10 0 | 120 0 5 page_alloc 16 3
130 0 5 page_alloc -1 9 | 150 0 5 page_free 99 0
END
	power => <<'END',
0 0 5 khz 1000 0 | 10 0 0 khz 2000 1 | 20 1 0 idle -1 1 | 30 0 0 idle 1 0 | 35 0 0 khz 3000 0 | 50 0 0 idle -1 0 | 60 1 0 idle 2 1 | 90 1 0 idle -1 1
95 0 5 khz 1000 0 | 96 0 0 idle 1 0 | 99 0 0 idle -1 0 | 100 0 0 idle 2 0 | 110 1 7 idle -1 1
END
	faults => <<'END',
0 0 0 switch 0 R 7 | 0 1 0 switch 0 R 8 | 10 0 7 fault_user 4660 4 | 20 0 7 fault_user 4660 6 | 30 0 7 fault_user 4661 7 | 40 0 7 fault_user 4700 20 | 45 0 7 fault_kernel f 2
50 1 8 fault_kernel f 0 | 60 1 8 fault_kernel g 3
END
	work => <<'END',
0 0 0 switch 0 R 5 | 0 1 0 switch 0 R 901 | 10 0 5 queue_work f | 11 0 5 activate f | 30 1 901 execute_start f | 50 1 901 execute_end f | 60 0 5 queue_work g | 61 0 5 activate g
65 1 901 execute_start g | 66 1 901 switch 901 D 0 | 75 1 0 waking 901 | 76 1 0 switch 0 R 901 | 80 1 901 execute_end g | 85 0 5 switch 5 S 0
END
	loss => <<'END',
0 0 0 switch 0 R 5 | 0 1 0 switch 0 R 6 | 10 0 5 irq 4 | 12 0 5 irqx 4 | 40 0!7 5 irq 4 | 44 0 5 irqx 4 | 60 1!3 6 irq 5 | 65 1 6 irqx 5 | 90 0 5 switch 5 S 0 | 95 1 6 switch 6 S 0
END
);

# The chain is one that LTTng can tell: who woke whom in which interrupt.
$TEXTS{chain} = <<'END';
0 0 0 switch 0 R 50 | 0 1 0 switch 0 R 6 | 20 0 50 switch 50 S 60 | 30 0 60 queue_work f | 40 0 60 switch 60 S 0 | 45 1 6 switch 6 S 70
48 1 70 execute_start f | 55 1 70 Q W 800+8 | 60 1 70 D W 800+8 | 62 1 70 switch 70 D 0 | 140 1 0 softirq 3 | 141 1 0 softirqx 3
150 0 0 hardirq irq 24 | 153 0 0 hardirq C W 800+8 | 154 0 0 hardirq waking 70 | 156 0 0 hardirq irqx 24 | 165 1 0 switch 0 R 70 | 175 1 70 waking 50
178 1 70 execute_end f | 190 0 0 switch 0 R 50 | 195 0 50 hardirq irq 1 | 199 0 50 hardirq irqx 1 | 210 0 50 switch 50 S 0
END

# An analysis, the text, its arguments; the columns that LTTng has nothing for: after a loss it does not say who runs.
my @CASES = (['wakeup-latency', 'sched', ['--by', 'pid,prio', '--new']], ['waits', 'sched', ['--by', 'pid,prio,kind']], ['off-cpu', 'sched'], ['sched-summary', 'sched', ['--by', 'pid']],
	['who-wakes-whom', 'sched'], ['why-late', 'sched', ['--worst', 9]], ['why-late', 'chain', ['--worst', 9]], ['irq', 'irq', ['--by', 'cpu']], ['softirq', 'irq', ['--by', 'cpu']],
	['syscalls', 'calls', ['--by', 'pid']], ['syscalls', 'calls', ['--legs']], ['block', 'block'], ['net', 'net', [], qw(pieces)], ['timers', 'timers'], ['kmem', 'kmem'], ['kmem', 'kmem', ['--by', 'task']],
	['power', 'power', ['--by', 'cpu']], ['page-faults', 'faults', ['--by', 'pid']], ['workqueue', 'work', [], qw(queue)], ['lost', 'loss'], ['irq', 'loss', [], qw(comm evidence)]);

# ftrace has a list of names, LTTng's are those of switches.
my $names = join '', map { "$_ " . Write::Miniature::comm_of($_) . "\n" } 1 .. 99, 900 .. 999;
my $kallsyms = "$tmp/kallsyms";
spew($kallsyms, Write::Miniature::symbols());

# The rows of all tables.
sub tables {
	my ($r, @without) = @_;
	my %tables = map {
		my $name = $_;
		($name => [map { my %row = %$_; delete @row{@without}; \%row } @{$r->{data}{tables}{$name}{rows} // []}]);
	} keys %{$r->{data}{tables} // {}};
	return \%tables;
}

for my $case (@CASES) {
	my ($analysis, $text, $args, @without) = @$case;
	my $what = join ' ', $analysis, @{$args // []}, "($text)";
	my $ftrace = analysis($analysis, miniature($TEXTS{$text}, cmdlines => $names), @{$args // []});
	my $lttng = chosen(['--kallsyms', $kallsyms], $analysis, lttng_miniature("$tmp/" . ++$made, $TEXTS{$text}), @{$args // []});
	my $rows = grep { @{$_->{rows}} } values %{$ftrace->{data}{tables} // {}};
	ok($rows, "$what: there are rows to compare") or diag $ftrace->{err};
	is($lttng->{err}, '', '... LTTng: without a message');
	is_deeply(tables($lttng, @without), tables($ftrace, @without), '... and of LTTng\'s trace they are the same (else: other numbers for the same events)')
		or diag(JSON::PP->new->canonical->encode({ lttng => tables($lttng, @without), ftrace => tables($ftrace, @without) }));
}

# ---------------------------------------------------------------- LTTng 2.5

# After a loss what a task called is unknown, and the exits of all calls are one event.
for my $case (grep { my $analysis = $_->[0]; grep { $_ eq $analysis } qw(syscalls softirq timers kmem net power block sched-summary) } @CASES) {
	my ($analysis, $text, $args, @without) = @$case;
	my ($old, $new) = map { chosen(['--kallsyms', $kallsyms], $analysis, lttng_miniature("$tmp/" . ++$made, $TEXTS{$text}, old => $_), @{$args // []}) } 1, 0;
	is($old->{err}, '', "$analysis ($text) of a trace of LTTng 2.5: without a message");
	is_deeply(tables($old), tables($new), '... and the answer of its trace of today (else: events with older names are not seen)')
		or diag(JSON::PP->new->canonical->encode({ old => tables($old), new => tables($new) }));
}

# ---------------------------------------------------------------- what summary says of it

{
	my $r = analysis('summary', lttng_miniature("$tmp/" . ++$made, $TEXTS{calls}));
	my %suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
	is($suits{syscalls}, 'yes', 'summary: calls by their names suit syscalls (else: nobody asks it)');
	is($suits{irq}, 'no', '... and what is not there suits nothing');
}

# ---------------------------------------------------------------- a real trace

# Each analysis, and the tables of its answer that have rows.
my %ANSWERS = ('wakeup-latency' => [qw(tasks worst)], waits => [qw(tasks worst)], 'off-cpu' => ['tasks'], 'sched-summary' => [qw(tasks cpus)], 'who-wakes-whom' => ['edges'],
	'why-late' => [qw(chains parts sums)], irq => [qw(irqs worst)], softirq => [qw(softirqs worst)], syscalls => [qw(calls failures worst)], block => [qw(devices worst)],
	net => ['sent'], kmem => ['pages'], summary => [qw(cpus events scripts)]);

SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf";
	system('tar', '--zstd', '-C', $tmp, '-xf', "$shared/data/ctf/lttng-kernel-4.4.tar.zst") == 0 or die "cannot unpack\n";
	my ($dir) = glob "$tmp/*/kernel";
	is(zedperl({ bare => 1 }, $dir, \'sub trace_end { print Zed::uname() =~ s/.* //r, "\n" }')->{out}, "x86_64\n", 'the machine: the only one that has all 286 calls (else: a call that LTTng does not know is a number)');
	my $r = analysis('summary', $dir);
	my %suits = map { ($_->{script} => $_->{suits} =~ s/:.*//r) } @{$r->{data}{tables}{scripts}{rows}};
	is_deeply([grep { ($suits{$_} // 'no') eq 'no' } sort grep { $_ ne 'summary' } keys %ANSWERS], [], 'summary: which analyses suit it');
	for my $analysis (sort keys %ANSWERS) {
		$r = analysis($analysis, $dir);
		is("$r->{status} $r->{err}", '0 ', "$analysis of a real trace: without a message");
		is_deeply([grep { !@{($r->{data}{tables}{$_} // {})->{rows} // []} } @{$ANSWERS{$analysis}}], [], '... all of its tables have rows (else: the trace has what the answer lacks)')
			or diag join ' ', map { "$_:" . @{$r->{data}{tables}{$_}{rows}} } sort keys %{$r->{data}{tables}};
	}
	$r = zed_run('zedperl', $dir, 'wakeup-latency', '--html', "$tmp/page.html");
	is("$r->{exit} $r->{err}", '0 ', '--html: a page');
	like(slurp("$tmp/page.html"), qr/lttng-consumerd/, '... with its tasks');
	$r = zed_run('zedprint', '-f', 'parquet', '-o', "$tmp/parquet", $dir);
	is("$r->{exit} $r->{err}", '0 ', 'zedprint -f parquet');
	ok(scalar(glob "$tmp/parquet/sched.sched_switch*"), '... a file for each event') or diag join ' ', glob "$tmp/parquet/*";
	$r = zed_run('zedprint', '-f', 'perfetto', $dir);
	is("$r->{exit} $r->{err}", '0 ', 'zedprint -f perfetto');
	$r = zed_run('zedperl', 'compare', 'irq', $dir, lttng_miniature("$tmp/" . ++$made, $TEXTS{irq}));
	is($r->{err}, '', 'compare takes it');
	like($r->{out}, qr/virtio/, '... and has its rows');
	$r = zed_run('zedprint', '--cut', "$tmp/cut", '--start', '+1s', $dir);
	isnt($r->{exit}, 0, '--cut is refused');
	like($r->{err}, qr/CTF/, '... with the reason') or diag $r->{err};
}

done_testing();
