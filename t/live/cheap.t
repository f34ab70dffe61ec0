# SPDX-License-Identifier: GPL-2.0-or-later
#
# How often zedperl --live, and zedtrace | zedperl, wake up, in every kind of run: aggregations, handlers, events
# that nothing asks for, --every, -d, a command.  Without it one of these takes a part of a processor from what it
# watches, or keeps a laptop awake.
#
# of: reader/live run/pause.c interp/interval.c programs/session/command.c record/recorder.c
# runs: make check
use strict;
use warnings;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Record;

live_or_skip();
my $alone = live_lock('cpus', 1);	# others would wake it by the events of their own
my $quiet = 'sched:sched_process_hang';	# an event that nearly never comes

sub woken {
	my $n = 0;
	$n += slurp("/proc/$_->{pid}/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m ? $1 : 0 for @_;
	return $n;
}

# ---------------------------------------------------------------- events without a pause

# Longer than this between two, on a busy machine, and each may wake it: when it comes, and when it is due.
my $PAUSE = 0.015;

# N marks about a millisecond apart; how many pauses there were, and how long it took, s.
sub marks {
	my ($inst, $n) = @_;
	my $pauses = 0;
	my $began = mono_now();
	my $last = $began;
	for (1 .. $n) {
		put_text("$inst/trace_marker", 'a mark');
		sleep 0.001;
		my $now = mono_now();
		$pauses++ if $now - $last > $PAUSE;
		$last = $now;
	}
	return ($pauses, $last - $began);
}

# A slack is 20 ms: no more than that wakes it.  Events are given one by one until they have come for a second.
my $count = 'Zed::count("ftrace:print")';
for my $case (['events that nothing asks for', 0, 'sub sched::sched_process_hang {}'],
	['an aggregation with -d', 0, $count, '-d', '600'],
	['an aggregation with --every', 1200, $count, '--every', '60s'],
	['a handler', 1200, 'my $n = 0; sub ftrace::print { $n++ }']) {
	my ($what, $first, $code, @opts) = @$case;
	leaves_nothing($what, sub {
		my $h = live_start('zedperl', "--live=$quiet", @opts, '-e', $code);
		my $inst = live_ready($h) or diag(live_end($h, 1)->{err}), return;
		my $n = $first;
		my ($pauses, $time, $times, $enough);
		marks($inst, $first);
		# A pause, on a busy machine, is one more beginning, of a second: so it may take many times, beside a storm.
		my $end = mono_now() + 90;
		while (mono_now() < $end) {
			my $before = woken($h);
			($pauses, $time) = marks($inst, 1000);
			$times = woken($h) - $before;
			$n += 1000;
			$enough = 2 * $time / 0.020 + 2 * $pauses;
			last if $times < $enough;
		}
		ok(wait_until(30, sub { live_taken($inst) >= $n }), "$what: all of them are read");
		live_signal($h, 'INT');
		live_end($h);
		cmp_ok($times, '<', $enough,
			"$what: 1000 events, $times wake-ups (else: it is woken for each, or for a few)");
	});
}

# ---------------------------------------------------------------- nothing

# STARTED become quiet, the last of them having the instance: MOST wake-ups a second of each.
sub is_idle {
	my ($what, $most, @started) = @_;
	ok(live_ready($started[-1]), "$what: it runs") or diag(live_end($started[-1], 1)->{err}), return;
	my @wakes;
	wait_until(30, sub {
		my $at = mono_now();
		my @before = map { woken($_) } @started;
		sleep 2;	# what is measured
		my $time = mono_now() - $at;
		@wakes = map { (woken($started[$_]) - $before[$_]) / $time } 0 .. $#started;
		return !grep { $_ > $most } @wakes;
	});
	ok(!(grep { $_ > $most } @wakes),
		"$what: @{[map { sprintf '%.1f', $_ } @wakes]} wake-ups a second (else: a laptop never sleeps)");
	live_signal($started[-1], 'TERM');
	live_end($_) for reverse @started;
	return;
}

my $sub = 'sub sched::sched_process_hang {}';
my @live = ('zedperl', "--live=$quiet", '-e', $sub);
leaves_nothing('--live', sub { is_idle('-d, --every', 4, live_start(@live[0, 1], '-d', 600, '--every', '60s', @live[2, 3])) });
leaves_nothing('a pipe', sub { is_idle('a pipe', 4, reverse live_pipe([$quiet], '--every', '60s', '-e', $sub)) });
leaves_nothing('a file', sub { is_idle('a file', 4, live_start('zedtrace', '-o', zed_tmp() . '/idle.dat', $quiet)) });

# It has ended when the command has, though nothing wakes it then but that.
my $fifo = zed_tmp() . '/end';
POSIX::mkfifo($fifo, 0600) or die "$fifo: $!\n";
leaves_nothing('a command', sub {
	my $h = live_start(@live, '--', 'sh', '-c', "read x < $fifo; exit 3");
	ok(live_ready($h), 'a command: it runs') or diag(live_end($h, 1)->{err}), return;
	my $wakes;
	wait_until(30, sub {
		my ($before, $at) = (woken($h), mono_now());
		sleep 2;	# what is measured
		$wakes = (woken($h) - $before) / (mono_now() - $at);
		return $wakes <= 4;
	});
	cmp_ok($wakes, '<=', 4,
		sprintf 'a command: %.1f wake-ups a second (else: it asks again and again whether it has ended)', $wakes);
	put_text($fifo, "\n");
	my $r = live_end($h);
	is($r->{exit}, 3, 'a command: its end ends the run (else: it goes on for ever)') or diag $r->{err};
});

done_testing();
