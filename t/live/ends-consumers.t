# SPDX-License-Identifier: GPL-2.0-or-later
#
# A consumer that takes nothing does not keep a second Ctrl-C from ending zedtrace on the running kernel.  Without it
# only kill -9 helps.
#
# of: programs/zedtrace record
# runs: make check
use strict;
use warnings;
use POSIX qw(SIGINT);
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
$ENV{LC_ALL} = 'C';

# No page of the pipe is left for a writer: bytes that wait in it do not change any more.
sub is_full {
	my ($pipe) = @_;
	my ($before, $now) = map { sleep 0.1; Run::Process::unread($pipe) } 1, 2;
	return $now > 4096 && $now == $before;
}

# Ctrl-C twice: what live_end() gives.
sub end_by_two {
	my ($h) = @_;
	live_signal($h, 'INT');
	Run::Process::signal_taken($h->{pid}, SIGINT);
	sleep 0.5;	# two signals within 0.3 s are one
	live_signal($h, 'INT');
	return live_end($h);
}

# ---------------------------------------------------------------- a consumer that takes nothing
{
	pipe my $read, my $write or die "pipe: $!\n";
	my $load = storm_start(60);
	leaves_nothing('a consumer that takes nothing', sub {
		my $h = live_start({ stdout => $write }, 'zedtrace', '-o', '-', 'raw_syscalls');
		close $write;
		# It may not come to trace: the descriptions alone fill the pipe.
		my ($inst) = wait_until(30, sub { (map { "$root/instances/$_" } grep { /^zed\.$h->{pid}\./ } live_instances())[0] });
		ok($inst, 'a consumer that takes nothing') or diag(live_end($h, 0)->{err}), return;
		wait_until(30, sub { is_full($read) });
		my $r = end_by_two($h);
		ok(!$r->{late}, 'a consumer that takes nothing does not keep a second Ctrl-C from ending it (else: only kill -9 helps)');
		ok($r->{exit} == 130 || $r->{exit} == 0, "exit $r->{exit}") or diag "signal $r->{signal}: $r->{err}";
		ok(!-e $inst, 'its instance is gone');
	});
	storm_end($load);
}
{
	pipe my $read, my $write or die "pipe: $!\n";
	my $load = storm_start(60);
	leaves_nothing('a consumer that stops taking', sub {
		my $h = live_start({ stdout => $write }, 'zedtrace', '-o', '-', 'raw_syscalls');
		close $write;
		my $end = mono_now() + 20;
		my $inst;
		for (my $got = 1; $got && mono_now() < $end && !$inst;) {
			$got = sysread $read, my $bytes, 1 << 16;
			$inst = live_ready($h, 0);
		}
		ok($inst, 'a consumer that stops taking') or diag(live_end($h, 0)->{err}), return;
		wait_until(30, sub { is_full($read) });
		my $r = end_by_two($h);
		ok(!$r->{late}, 'it does not keep a second Ctrl-C from ending the recorder');
		ok($r->{exit} == 130 || $r->{exit} == 0, "exit $r->{exit}") or diag "signal $r->{signal}: $r->{err}";
		ok(!-e $inst, 'its instance is gone');
	});
	storm_end($load);
}

done_testing();
