# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Process: the one place where tests start a program: its streams, its environment, its limits, without a shell.
#
#	my $pid = spawn({ stdout => $path, memory => 600_000 }, $program, @args);
#	my ($status, $late) = reap($pid, 15);	# as in $?; was it killed after 15 seconds?
package Run::Process;
use strict;
use warnings;
use Exporter 'import';
use File::Spec ();
use POSIX ();
use Time::HiRes ();

our @EXPORT = qw(spawn run_each reap wait_until how_it_ended);
our @EXPORT_OK = qw(unread signal_taken);

# The helper that sets limits: t/lib/c/limits.c, built with the programs.
sub limits {
	my $path = File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/limits');
	return -x $path ? $path : die "$path is not built: make check TESTS=... builds it\n";
}

sub limit_words {
	my ($o) = @_;
	return map { defined $o->{$_->[0]} ? "$_->[1]=$o->{$_->[0]}" : () } ['memory', 'v'], ['cpu', 't'], ['size', 'f'], ['files', 'n'];
}

# Starts PROGRAM (a path, or a word for PATH); returns its process id.  O may have:
#	stdin, stdout, stderr	paths or handles (default: /dev/null, and the test's own)
#	env	{NAME => value}, besides the test's own environment
#	dir	where it runs
#	group	1: in a process group of its own
#	child	code that runs in the new process, last of all
#	memory (KiB of address space), cpu (seconds), size (bytes of a file), files (open ones)
# Exit status 120 to 124: it could not be started.
sub spawn {
	my ($o, $program, @args) = @_;
	my @limits = limit_words($o);
	my @cmd = (@limits ? (limits(), @limits) : (), $program, @args);
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid;
	$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP PIPE QUIT ALRM);
	redirect(\*STDIN, '<', $o->{stdin} // '/dev/null') or POSIX::_exit(120);
	!defined $o->{stdout} || redirect(\*STDOUT, '>', $o->{stdout}) or POSIX::_exit(121);
	!defined $o->{stderr} || redirect(\*STDERR, '>', $o->{stderr}) or POSIX::_exit(122);
	$ENV{$_} = $o->{env}{$_} for keys %{$o->{env} // {}};
	setpgrp 0, 0 if $o->{group};
	!defined $o->{dir} || chdir $o->{dir} or POSIX::_exit(124);
	$o->{child}->() if $o->{child};
	{ no warnings 'exec'; exec { $cmd[0] } @cmd }
	POSIX::_exit(123);
}

# Runs each of RUNS, [\%o, PROGRAM, ARGS], one after another in DIR, by one process more: [status, late] of each, as
# reap() returns them.  O is as of spawn(): limits, env, and the paths of all streams; seconds: then it gets SIGABRT,
# and SIGKILL 10 seconds later.
sub run_each {
	my ($dir, @runs) = @_;
	my @words = map {
		my ($o, @cmd) = @$_;
		(limit_words($o), $o->{seconds} ? "w=$o->{seconds}" : (), '<' . ($o->{stdin} // '/dev/null'), ">$o->{stdout}", "2>$o->{stderr}",
			map({ "$_=$o->{env}{$_}" } sort keys %{$o->{env} // {}}), @cmd, ';');
	} @runs;
	pipe my $from, my $to or die "pipe: $!\n";
	my $pid = spawn({ dir => $dir, stdout => $to }, limits(), 'each', @words);
	close $to;
	my @ended = map { [split] } <$from>;
	reap($pid);
	return @ended;
}

sub redirect {
	my ($std, $mode, $to) = @_;
	return ref $to ? open($std, "$mode&", $to) : open($std, $mode, $to);
}

# Waits for PID, at most SECONDS, then kills it: (its status as in $?, 1 if it was killed).
sub reap {
	my ($pid, $seconds) = @_;
	my $late = 0;
	local $SIG{ALRM} = sub { $late = 1; kill 'KILL', $pid };
	# Again each second: a signal that arrives just before the wait begins has no effect on it.
	Time::HiRes::alarm($seconds, 1) if $seconds;
	while (waitpid($pid, 0) < 0) {
		last if !$!{EINTR};
	}
	my $status = $?;
	Time::HiRes::alarm(0) if $seconds;
	return ($status, $late);
}

# How a process ended, by its status: its exit status, or "signal N".
sub how_it_ended {
	my ($status) = @_;
	return $status & 127 ? 'signal ' . ($status & 127) : $status >> 8;
}

# Waits until CODE is true, at most SECONDS; its value then.  All waits of tests use it.
sub wait_until {
	my ($seconds, $code) = @_;
	my $end = Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) + $seconds;
	while (1) {
		my $got = $code->();
		return $got if $got || Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) > $end;
		Time::HiRes::sleep(0.01);
	}
}

# Bytes in the pipe HANDLE that are not read yet.
sub unread {
	my ($handle) = @_;
	my $n = pack 'i', 0;
	ioctl $handle, 0x541b, $n or die "FIONREAD: $!\n";
	return unpack 'i', $n;
}

# SIGNAL has reached process PID: it is no longer pending.  Two that arrive while it waits for a CPU count as one.
sub signal_taken {
	my ($pid, $signal) = @_;
	return wait_until(20, sub {
		open my $fh, '<', "/proc/$pid/status" or return 1;
		my $text = do { local $/; <$fh> } // return 1;
		return !grep { hex(substr $_, -8) & 1 << $signal - 1 } $text =~ /^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)/mg;
	});
}

1;
