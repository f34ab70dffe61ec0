# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --live for as long as one likes: memory that does not grow with the names of tasks, whatever the run does with
# events; few wake-ups where nothing waits for an event; and a flight recorder that has all names.  Without it a reader
# that is left running takes the machine's memory, or a part of its processor, or a file says "<...>".
#
# of: reader/live run programs/zedperl
# runs: make check
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $alone = live_lock('cpus', 1);	# others would lose the names of their own tasks among so many
my $dir = zed_tmp();
my $MOST = $ENV{ZED_SAN} ? 40_000 : 1_500;	# KB; the sanitizer keeps what is freed
# Renames, and then a pause: no faster than the kernel's buffers for names are emptied on a busy machine.
my $PAUSE = 100;
my $BASE = 3_000_000;	# a descriptor that others do not close

sub status { my ($h, $what) = @_; return slurp("/proc/$h->{pid}/status") =~ /^$what:\s*(\d+)/m ? $1 : 0 }

sub rename_often {
	my ($n, $then) = @_;
	return zed_run({ time => 120, memory => 0 }, $^X, '-e',
		"for my \$i (1 .. $n) { \$0 = qq{n\$i}; if (!(\$i % $PAUSE)) { select undef, undef, undef, 0.004; $then } }");
}

# ---------------------------------------------------------------- names

for my $case (['aggregations alone', 'sched:sched_process_exit', 'Zed::count("sched:sched_process_exit", by => "cpu")'],
	['a handler whose event never comes', 'sched:sched_process_hang', 'sub sched::sched_process_hang {}'],
	['a handler', 'sched:sched_process_exit', 'sub sched::sched_process_exit {}']) {
	my ($what, $event, $code) = @$case;
	leaves_nothing($what, sub {
		my $h = live_start('zedperl', "--live=$event", '-e', $code);
		ok(live_ready($h), "$what: it runs") or diag(live_end($h, 1)->{err}), return;
		rename_often(20_000, '');
		my $before = status($h, 'VmRSS');
		rename_often(50_000, '');
		my $more = status($h, 'VmRSS') - $before;
		cmp_ok($more, '<', $MOST, "$what: after 50,000 more names it has $more KB more (else: 66 bytes each, for as long as it runs)");
		live_signal($h, 'INT');
		live_end($h);
	});
}

# ---------------------------------------------------------------- a storm, then nothing

leaves_nothing('a storm', sub {
	my $h = live_start('zedperl', '--live=raw_syscalls', '-b', '8M', '-e', 'my $n = 0; sub trace_unhandled { $n++ }');
	ok(live_ready($h), 'a storm: it runs') or diag(live_end($h, 1)->{err}), return;
	my $load = storm_start(20);
	my $inst = live_ready($h);
	wait_until(60, sub { live_taken($inst) > 2_000_000 });
	storm_end($load);
	my $rss;
	my $most = $ENV{ZED_SAN} ? 400_000 : 20_000;
	wait_until(60, sub { ($rss = status($h, 'VmRSS')) < $most });
	cmp_ok($rss, '<', $most, "after 2 million events it comes down to $rss KB (else: all pages of its queue, at any time)");
	live_signal($h, 'INT');
	live_end($h);
});

# ---------------------------------------------------------------- wake-ups

leaves_nothing('aggregations', sub {
	my $h = live_start('zedperl', '--live=sched:sched_process_hang', '-e', 'my $n = Zed::count("ftrace:print"); sub trace_end { print $n->total }');
	my $inst = live_ready($h) or diag(live_end($h, 1)->{err}), return;
	my $woken = status($h, 'voluntary_ctxt_switches');
	my $marks = 1000;
	for (1 .. $marks) {
		put_text("$inst/trace_marker", 'a mark');
		sleep 0.001;	# each may wake it
	}
	my $times = status($h, 'voluntary_ctxt_switches') - $woken;
	live_signal($h, 'INT');
	is(live_end($h)->{out}, $marks, "$marks events are counted");
	cmp_ok($times, '<', $marks / 3, "... with $times wake-ups (else: one for each event)");
});

# ---------------------------------------------------------------- names of a flight recorder

leaves_nothing('--flight', sub {
	my $h = live_start('zedperl', '--live=sched:sched_process_exit,syscalls:sys_enter_close', '--flight', '60s', '-e',
		"use Zed; Zed::on('syscalls:sys_enter_close', args => ['fd'], sub { if (\$_[0] == $BASE) { Zed::snapshot('$dir/names.dat'); Zed::stop() } })");
	ok(live_ready($h), '--flight: it runs') or diag(live_end($h, 1)->{err}), return;
	my $n = 300 * $PAUSE;
	rename_often($n, "use POSIX (); POSIX::close($BASE + \$i); POSIX::close($BASE) if \$i == $n");
	wait_until(60, sub { -e "$dir/names.dat" && !-e "$dir/names.dat.zed" });
	live_end($h, 30);
	my %called = map { /"comm":"([^"]*)".*"fd":(\d+)/ && $2 > $BASE && $2 <= $BASE + $n ? ($2 - $BASE => $1) : () }
		split /\n/, zed_run('zedprint', '-f', 'json', '--event', 'syscalls:sys_enter_close', "$dir/names.dat")->{out};
	is_deeply([map { "$_ $called{$_}" } grep { $called{$_} ne "n$_" } sort { $a <=> $b } keys %called], [],
		'each event of a task that took 30,000 names has that of its time (else: the buffer for names was read too rarely)');
	is(scalar keys %called, 300, '... of all events');
});

done_testing();
