# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f perfetto: Perfetto's own engine counts what zedperl counts, protoc finds the fields that were recorded, and
# what the engine refuses is left out or refused.
# Without it its user interface shows another trace, or none.
#
# of: sink/perfetto programs/zedprint
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Compare::PerfettoRead;
use Compare::RealData;
use Run::Zedperl;

Compare::RealData::need_program('zedprint');
my $own = Compare::RealData::own();

# zedprint -f perfetto to a file: (its path, the run).
sub perfetto {
	my (@args) = @_;
	my $run = Compare::RealData::run('zedprint', '-f', 'perfetto', @args);
	return ($run->{out}, $run);
}

# What zedperl counts: names, switches, softirqs, losses.
my $count = script(<<'END');
our %n;
sub trace_unhandled { my ($event) = @_; $n{$event =~ s/.*:://r}++ }
sub trace_end { print map { "$_\t$n{$_}\n" } sort keys %n }
END

SKIP: {
	my $why = perfetto_no_engine();
	skip $why, 7 if $why;
	my (@names, @slices, @stats, @losses, @softirqs, @threads, %seen);
	for my $dat (map { "$own/$_.dat" } qw(demo lost i386_all small_be_v6 fgraph multibuf armhf_lost_count)) {
		my $name = $dat =~ s{.*/}{}r;
		my ($file, $run) = perfetto($dat);
		push @names, "$name: " . Compare::RealData::failure($run) if Compare::RealData::failure($run);
		my ($raw, $slices, $stats, $lost, $softirq, $threads) = perfetto_ask($file,
			'select name, count(*) from raw group by name',
			'select count(*) from sched_slice',
			"select name, idx, value from stats where value > 0 and severity != 'info'",
			"select count(*), count(distinct track_id) from slice where name like 'LOST %'",
			"select count(*) from slice join track on slice.track_id = track.id where track.name like 'SoftIrq Cpu %'",
			'select tid, name from thread');
		my $want = zedperl($dat, $count)->{out};
		my ($text) = Compare::RealData::zedprint($dat);
		my @lost = $text =~ /^lost cpu = (\d+),/gm;
		my $want_lost = @lost . "\t" . keys(%{{ map { $_ => 1 } @lost }}) . "\n";
		my %want = map { split /\t|\n/ } split /^/, $want;
		my $sorted = join '', sort split /^/, $raw;
		push @names, "$name: " . Compare::RealData::differ(join('', sort split /^/, $want), $sorted) if $sorted ne join '', sort split /^/, $want;
		# Where several buffers have switches, the first one's are Perfetto's own.
		push @slices, "$name: $slices" if $slices != ($want{sched_switch} // 0) && $name !~ /^multibuf/;
		push @stats, "$name: $stats" if length $stats;
		push @losses, "$name: $lost, and not $want_lost" if $lost ne $want_lost;
		push @softirqs, "$name: $softirq" if abs($softirq - ($want{softirq_entry} // 0)) > 4;	# one of a CPU may end that did not begin
		my %comms;	# a thread has one name there, of those that its task had
		while ($text =~ / (\w*)comm = (.*?), (?:\1)pid = (\d+),/g) {
			$comms{$3}{$2} = 1;
		}
		my %thread = map { /^(\d+)\t(.*)$/ } split /\n/, $threads;
		for my $pid (grep { $_ } $text =~ / next_pid = (\d+)/g) {
			my $is = $thread{$pid} // '(none)';
			push @threads, "$name: $pid is called $is" unless $comms{$pid}{$is};
		}
		$seen{$_}++ for keys %want;
	}
	ok(!@names, 'rows of each event, of seven recordings (else: events vanish)') or diag(join "\n", @names);
	cmp_ok(scalar keys %seen, '>', 100, '... of more than 100 kinds (else: little is compared)');
	ok(!@slices, 'a slice for each switch (else: lanes of CPUs have gaps)') or diag(join "\n", @slices);
	ok(!@stats, 'the engine counts no error (else: it dropped or misread something)') or diag(join "\n", @stats);
	ok(!@losses, 'a slice for each loss, a track for each CPU that has some (else: gaps look like silence)') or diag(join "\n", @losses);
	ok(!@softirqs, 'slices of softirqs') or diag(join "\n", @softirqs);
	ok(!@threads, 'threads have their names') or diag(join "\n", @threads[0 .. ($#threads < 5 ? $#threads : 5)]);
}

# ---- made traces ----

my %types = (
	'sched::sched_switch' => field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1) . field_text('int prev_prio', 28, 4, 1)
		. field_text('long prev_state', 32, 8, 1) . field_text('char next_comm[16]', 40, 16, 1) . field_text('pid_t next_pid', 56, 4, 1)
		. field_text('int next_prio', 60, 4, 1),
	'workqueue::workqueue_execute_start' => field_text('void * work', 8, 8) . field_text('void * function', 16, 8),
	'mydrv::probe' => field_text('int n', 8, 4, 1) . field_text('u64 big', 16, 8) . field_text('char who[8]', 24, 8, 1) . field_text('u16 v[2]', 32, 4),
	'ftrace::print' => field_text('unsigned long ip', 8, 8) . field_text('char buf[]', 16, 0, 1),
);
sub switch_record { my ($from, $to, $state) = @_; return pack 'a16 l l q a16 l l', "task$from", $from, 120, $state, "task$to", $to, 120 }
my $function = 0xffffffff << 32 | 0x81000000;
my $dat = trace(types => \%types, uname => 'Linux box 6.1.0 x86_64', cmdlines => "77 mini\n10 ten\x1b[2J\n",
	kallsyms => "ffffffff81000000 T do_work\nffffffff81001000 t other\n", events => [
	[0, 1000, 'sched::sched_switch', switch_record(0, 10, 0)],
	[0, 2000, 'workqueue::workqueue_execute_start', pack('Q Q', 1, $function), undef, '', 10],
	[1, 2500, 'workqueue::workqueue_execute_start', pack('Q Q', 2, $function), undef, '', 11],
	[0, 3000, 'ftrace::print', pack('Q', 5) . "B|10|slice\n\0", undef, '', 10],
	[0, 3500, 'ftrace::print', pack('Q', 5) . "C|10|level|-7\n\0", undef, '', 10],
	[0, 4000, 'ftrace::print', pack('Q', 5) . "E|10\n\0", undef, '', 10],
	[0, 4500, 'ftrace::print', pack('Q', 5) . "B|plain text\n\0", undef, '', 10],
	[0, 5000, 'mydrv::probe', pack('l x4 Q a8 S2', -5, ~0, "a\xff\nb", 3, 4), 12, '', 10],
	[0, 6000, 'sched::sched_switch', switch_record(10, 0, 1)],
	[1, 7000, 'mydrv::probe', pack('l x4 Q a8 S2', 1, 2, 'x', 3, 4), -1, '', 11],
]);
my ($file, $run) = perfetto($dat);
is(Compare::RealData::failure($run), undef, 'a made trace is written');
SKIP: {
	my $why = perfetto_no_protoc();
	skip $why, 10 if $why;
	my $text = perfetto_decode($file) =~ s/\n\s*/ /gr;
	unlike($text, qr/ \d+: /, 'protoc knows every field (else: numbers are wrong)');
	is(scalar(() = $text =~ /sched_switch \{/g), 2, 'switches');
	like($text, qr/timestamp: 6000 pid: 77 sched_switch \{ prev_comm: "task10" prev_pid: 10 prev_prio: 120 prev_state: 1 next_comm: "task0" next_pid: 0 next_prio: 120 \}/,
		'with all their fields, in the order that readers like');
	like($text, qr/generic \{ event_name: "probe" field \{ name: "n" int_value: -5 \} field \{ name: "big" uint_value: 18446744073709551615 \} field \{ name: "who" str_value: "a\\\\xff\\\\nb" \} field \{ name: "v" str_value: "\[3, 4\]" \} \}/,
		'others with names and values, signs and bytes (else: arguments are lost)');
	like($text, qr/interned_data \{ kernel_symbols \{ iid: (\d+) str: "do_work" \} \}.*function: \1 .*function: \1 /s, 'a symbol is told once, before its use (else: hex numbers)');
	is(scalar(() = $text =~ /kernel_symbols/g), 1, '... and once only');
	like($text, qr/utsname \{ sysname: "Linux" release: "6.1.0" machine: "x86_64" \}/, 'the kernel (else: states and system calls are misread)');
	like($text, qr/threads \{ tid: 10 name: "ten\\\\x1b\[2J" tgid: 10 \}/, 'names of tasks, made plain');
	like($text, qr/generic \{ event_name: "print" .*? str_value: "B\|plain text" /, 'a marker that only looks like a slice is an event (else: the engine counts an error)');
	like($text, qr/timestamp: 4500 .*timestamp: 4500 track_event \{ type: 1|track_event \{ type: 1 .* name: "LOST 12"/s, 'the loss');
}
SKIP: {
	my $why = perfetto_no_engine();
	skip $why, 4 if $why;
	my ($slices, $counters, $lost, $stats) = perfetto_ask($file, "select name, dur from slice where name = 'slice'",
		'select counter_track.name, value from counter join counter_track on counter.track_id = counter_track.id',
		"select track.name, slice.name, ts, dur from slice join track on slice.track_id = track.id where slice.name like 'LOST%' order by ts",
		"select name, value from stats where value > 0 and severity != 'info'");
	is($slices, "slice\t1000\n", 'atrace slices of trace_marker');
	is($counters, "level\t-7\n", '... and counters');
	is($lost, "LOST cpu 1\tLOST some\t2500\t4500\nLOST cpu 0\tLOST 12\t4500\t500\n", 'losses reach from the last event to the next');
	is($stats, '', 'no error');
}

# ---- filters, limits, refusals ----

($file, $run) = perfetto('--event', 'mydrv:probe', $dat);
like(Compare::RealData::slurp($file), qr/LOST 12/, 'losses are told with filters as well');
unlike(Compare::RealData::slurp($file), qr/task10/, '... and no other events');
my $far = trace(cpus => 1501, events => [[0, 1000, 'mini::tick', 1], [1023, 2000, 'mini::tick', 2], [1024, 3000, 'mini::tick', 3], [1500, 4000, 'mini::tick', 4]]);
($file, $run) = perfetto($far);
like($run->{err}, qr/2 events of CPUs from 1024 on left out/, 'CPUs that the engine refuses are left out, and said (else: the whole trace cannot be loaded)');
is(scalar(() = Compare::RealData::slurp($file) =~ /tick/g), 2, '... the others are there');
my $zedprint = Compare::RealData::program('zedprint');
is(system('sh', '-c', "exec $zedprint -f perfetto $own/demo.dat > /dev/full 2>$file.err") >> 8, 1, 'no room: status 1');
like(Compare::RealData::slurp("$file.err"), qr/cannot write the output: No space/, '... and the reason');
my $terminal = `script -qec "$zedprint -f perfetto $dat" /dev/null 2>&1 < /dev/null`;
SKIP: {
	skip 'no script(1): apt-get install bsdutils', 1 if $? == 127 << 8;
	like($terminal, qr/not written to a terminal: zedprint -f perfetto TRACE > FILE/, 'a terminal is refused');
}
my $whole = Compare::RealData::slurp("$own/small_v7_none.dat");
my $cut = temp_path('.dat');
open my $fh, '>:raw', $cut or die;
print $fh substr $whole, 0, int(length($whole) * 0.8);
close $fh;
($file, $run) = perfetto($cut);
is($run->{exit}, 1, 'a damaged trace: status 1');
cmp_ok(-s $file, '>', 10_000, '... and what is intact');
done_testing();
