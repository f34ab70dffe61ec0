# SPDX-License-Identifier: GPL-2.0-or-later
#
# While nothing happens nobody wakes up for it, and the first event is seen at once all the same: zedperl --live, and
# zedtrace | zedperl, on the running kernel.  While little happens, little is used up.  Without it a laptop never sleeps
# while it waits for an event, or an event waits for the next look.
#
# of: reader/live record ring
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
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $quiet = 'sched:sched_process_hang';	# an event that nearly never comes
my $code = 'use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC); sub ftrace::print { my ($cpu, $s, $ns) = @_; ' .
	'$| = 1; printf "%.1f\n", 1e3 * (clock_gettime(CLOCK_MONOTONIC) - $s - $ns / 1e9) }';

sub woken {
	my $n = 0;
	$n += slurp("/proc/$_->{pid}/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m ? $1 : 0 for @_;
	return $n;
}

# STARTED are running, the last of them with the instance; at most MOST wake-ups a second are allowed.
sub is_quiet {
	my ($what, $most, @started) = @_;
	my $dir = live_ready($started[-1]);
	ok($dir, "$what: it records") or diag(live_end($started[-1], 1)->{err}), return;
	# First it looks for readers of the pipe and for names; then it becomes quiet.
	my $wakes;
	wait_until(30, sub {
		my ($before, $at) = (woken(@started), mono_now());
		sleep 2;	# what is measured
		$wakes = (woken(@started) - $before) / (mono_now() - $at);
		return $wakes <= $most;
	});
	cmp_ok($wakes, '<=', $most, sprintf '%s: %.1f wake-ups a second (else: a laptop never sleeps while it waits for an event)', $what, $wakes);
	my $marks = 12;
	for my $i (1 .. $marks) {
		sleep 0.1;	# a pause, after which it is seen at once
		put_text("$dir/trace_marker", "mark $i");
		wait_until(30, sub { $i <= (() = slurp($started[0]{out}->filename) =~ /\n/g) });
	}
	live_signal($started[-1], 'TERM');
	live_end($_) for reverse @started;
	my @late = sort { $a <=> $b } split ' ', live_end($started[0])->{out};
	is(scalar @late, $marks, "$what: all marks have come") or diag live_end($started[0])->{err};
	# The rare looks are 250 ms apart: if a mark waited for one, all would be later than this.  A quarter of them, as this
	# machine may be busy.
	cmp_ok($late[$marks / 4] // 1e9, '<', 80, "$what: and soon (else: what comes after a pause waits for the next look)") or diag "@late";
	return;
}

# Seconds of a processor that H has used up.
sub used {
	my ($h) = @_;
	my @of = split ' ', slurp("/proc/$h->{pid}/stat") =~ s/.*\)//sr;
	return ($of[11] + $of[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# What two CPUs traced is put in order by its time, so that one waits for what the other may still give.
leaves_nothing('--live and some load', sub {
	my $h = live_start('zedperl', '--live=sched:sched_switch', '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print $n }');
	my $dir = live_ready($h) or diag(live_end($h, 1)->{err}), return;
	wait_until(30, sub { live_taken($dir) > 0 });
	my ($before, $at) = (used($h), mono_now());
	sleep 0.01 for 1 .. 150;	# the load
	my $share = 100 * (used($h) - $before) / (mono_now() - $at);
	live_signal($h, 'TERM');
	cmp_ok(live_end($h)->{out}, '>', 200, 'some load: its events come');
	cmp_ok($share, '<', $ENV{ZED_SAN} ? 60 : 25,
		sprintf 'some load: it takes %.0f %% of a processor (else: the observer takes the processor from what is observed)', $share);
});
leaves_nothing('--live', sub { is_quiet('--live', 4, live_start('zedperl', "--live=$quiet", '-e', $code)) });
leaves_nothing('a pipe', sub {
	my ($zt, $zp) = live_pipe([$quiet], '-e', $code);
	is_quiet('zedtrace | zedperl', 6, $zp, $zt);
});
# A clock that user space cannot read: its stamps are a slack apart.
leaves_nothing('a pipe, clock local', sub {
	my ($zt, $zp) = live_pipe(['-C', 'global', 'sched', 'timer'], '-e', 'my $last = 0; my $back = 0; my $n = 0; ' .
		'sub trace_unhandled { $n++; $back++ if Zed::ts() < $last; $last = Zed::ts() } sub trace_end { print $back > 5 ? "back $back" : "in order", $n > 1000 ? ", many\n" : ", $n\n" }');
	my $dir = live_ready($zt) // '';
	wait_until(30, sub { live_taken($dir) > 5000 });
	live_signal($zt, 'INT');
	my $t = live_end($zt);
	my $r = live_end($zp);
	is($r->{out}, "in order, many\n", 'the clock global, in one order (else: a stamp promises too much)') or diag $t->{err}, $r->{err};
});

done_testing();
