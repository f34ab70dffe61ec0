# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings that perf makes here and now: every argument that its engine gives a Perl script is what zedperl gives, and its
# scripts print the same.  Without it a kernel or a perf of these days has a field that is read wrongly.
# of: interp/Perf interp/bind reader/perf
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::PerfScript;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

my @scripts = perf_scripts();
my $dir = zed_tmp();

# Arrays are 0 there, and a task that has ended is ":-1"; symbols are read from programs.  A signed number of less
# than 8 bytes that is negative comes without its sign.
my $printall = spew("$dir/printall.pl", <<'EOT');
use lib "$ENV{PERF_EXEC_PATH}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core; use Perf::Trace::Context; use Perf::Trace::Util;
sub q_ { my $s = shift; return 'undef' unless defined $s; return '0' if ref $s; $s =~ s/([^ -~]|[\\|])/sprintf "\\x%02x", ord $1/ge; $s }
sub trace_begin { print "begin\n" }
sub trace_end { print "end\n" }
sub trace_unhandled {
	my ($ev, $ctx, $cpu, $s, $ns, $pid, $comm, $cc, @f) = @_;
	printf "%s|%s|%d|%d|%s|%s|%s|%s|%s|%s\n", $ev, $cpu, $s, $ns, $pid, q_($comm), join(' ', map { sprintf '%x%s', $_->{ip}, defined $_->{dso} ? "\@$_->{dso}" : '' } @$cc), common_pc($ctx), common_flags($ctx), join('|', map { q_($_) } @f);
}
EOT

# Begins a recording: perf waits for the kernel most of the time, so that several go side by side.
sub begin {
	my ($file, $words, @command) = @_;
	return [$file, spawn({ dir => '/', stdout => '/dev/null', stderr => '/dev/null' }, 'perf', 'record', '-q', '-o', $file, @$words, '--', @command)];
}

sub recorded {
	my ($file, $pid) = @{$_[0]};
	my ($status) = reap($pid, 120);
	return -s $file && $status == 0;
}

# The same but for what Run::PerfScript's %differs says of arguments; the first difference is shown.
sub compare_all {
	my ($what, $file) = @_;
	my @want = split /\n/, perf_out($file, '-s', $printall) // return 1;
	my $r = zed_run({ time => 60 }, 'zedperl', '-i', $file, $printall);
	my @got = split /\n/, $r->{out};
	is($r->{exit}, 0, "$what: every argument is printed") or diag $r->{err};
	my ($values, $ended, $negative) = (0, 0, 0);
	# With -a a busy machine fills it: the first of them say it all.
	for my $i (0 .. ($#want < 50_000 ? $#want : 50_000)) {
		my @w = split /\|/, $want[$i], -1;
		my @g = split /\|/, $got[$i] // '', -1;
		for my $k (0 .. $#w) {
			$values++;
			next if defined $g[$k] && $g[$k] eq $w[$k];
			if ($k == 5 && $w[$k] eq ':-1') {
				$ended++;
				next;
			}
			# It pushes what it calls the subs with a second time, and forgets that: a sub that takes all sees
			# some of it behind the fields whenever perl's stack has grown.
			last if $k > 8 && $k == @g && $w[$k] eq $w[0];
			if ($k > 8 && defined $g[$k] && $g[$k] =~ /^-\d+$/ && $w[$k] =~ /^\d+$/ && $g[$k] + 2**32 == $w[$k]) {
				$negative++;
				next;
			}
			fail("$what: argument $k of event $i is perf's");
			diag("got  $got[$i]\nwant $want[$i]");
			return 0;
		}
	}
	ok(@want > 12 && @got == @want, "$what: all of the $values arguments of " . @want . " events are perf's")
		or diag scalar(@got) . ' events, perf has ' . @want;
	note "$ended names of ended tasks, $negative negative numbers";
	return 1;
}

SKIP: {
	skip 'recording takes root and a tracefs', 1 if $> != 0 || !recorded(begin("$dir/try.data", [qw(-e sched:sched_switch -a)], 'true'));
	my $work = 'for i in 1 2 3 4 5 6 7 8 9 10; do cat /etc/passwd /no-such-file | head -2; done > /dev/null 2>&1; sleep 0.05';
	compare_process('samples of a clock', "$dir/clock.data")
		if recorded(begin("$dir/clock.data", [qw(-e cpu-clock -F 999 -g -d -W)], 'sh', '-c', 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'));
	my %recordings = (
		'sched' => [qw(-e sched:* -a)],
		'raw_syscalls with call chains' => [qw(-e raw_syscalls:* -g)],
		'system calls' => [qw(-e syscalls:sys_*_read -e syscalls:sys_*_write -e syscalls:sys_*_openat -e syscalls:sys_*_execve -e raw_syscalls:*)],
		'system calls, compressed' => [qw(-z -e syscalls:sys_*_read -e syscalls:sys_*_write)],
		'interrupts, allocations' => [qw(-e irq:* -e kmem:kmalloc -e timer:hrtimer_start -e timer:timer_start -a)],
		'workqueues, block' => [qw(-e workqueue:* -e block:* -a)],
	);
	my @begun = map { [$_, begin("$dir/" . tr/a-z//cdr . '.data', $recordings{$_}, 'sh', '-c', $work)] } sort keys %recordings;
	for (map { recorded($_->[1]) ? $_ : [$_->[0]] } @begun) {
		my ($what, $run) = @$_;
		if (!$run) {
			diag("perf cannot record $what here");
			next;
		}
		my $file = $run->[0];
		next if !compare_all($what, $file) || $what !~ /^(?:sched|system calls|interrupts, allocations)$/;
		compare_script($what, $file, $_) for @scripts;
		next if $what ne 'sched' || !grep { $_ eq 'wakeup-latency' } @scripts;
		my $r = zed_run('zedperl', '-i', $file, "$ENV{PERF_EXEC_PATH}/scripts/perl/wakeup-latency.pl");
		like($r->{out}, qr/^total_wakeups: [1-9]/m, 'wakeup-latency.pl finds wakeups (perf: none since Linux 5.14)');
		like($r->{err}, qr/^zedperl: sub sched::sched_wakeup was written for sched_wakeup of another kernel[^\n]*\n\z/, '... and it is said once why');
	}
}

perf_lived();
done_testing();
