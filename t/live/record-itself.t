# SPDX-License-Identifier: GPL-2.0-or-later
#
# What zedtrace itself causes on the running kernel: its system calls are kept out, its other events are in the file and
# are said.  Without it a recorder records itself, or the picture of the machine has holes.
#
# of: programs/zedtrace record
# runs: make check
use strict;
use warnings;
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $long = long_limit();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# What the recorder itself causes is told where it is much: by its pid in the file.
{
	my $file = "$dir/own.dat";
	my $h = live_start('zedtrace', '-o', $file, '-b', 8192, 'sched', 'kmem');
	my $inst = live_ready($h) // '';
	ok($inst, 'a recording of sched and kmem');
	# It feeds itself, so this takes no load.
	wait_until(60, sub { live_taken($inst) > 10_000 });
	live_signal($h, 'INT');
	my $r = live_end($h);
	my ($said) = $r->{err} =~ /of these, about (\d+) events are zedtrace's own$/m;
	my $own = 0;
	dat_events($file, sub { $own += $_[3] == $h->{pid} });
	cmp_ok(abs($own - ($said // 0)), '<=', 100 + $own / 10,
		"the report tells of $own events that are zedtrace's own (else: '*' feeds itself, and nobody knows)") or diag $r->{err};
}

# ---------------------------------------------------------------- what is kept out, and what is not
{
	my $file = "$dir/busy.zed";
	pipe my $read, my $write or die "pipe: $!\n";
	open my $to, '>', $file or die "$file: $!\n";
	my $cat = spawn({ stdin => $read, stdout => $to, child => sub { POSIX::close(fileno $write) } }, 'cat');
	close $read;
	my @other = map { storm_start(60) } 1, 2;
	# On the CPU of a load it has to compete with, the recorder is busy with what that makes.
	my $h = live_start({ stdout => $write, child => sub { system "taskset -pc 0 $$ >/dev/null" } }, 'zedtrace', '-o', '-', '--exclude', $other[0],
		'-d', 1, '-b', 2048, 'raw_syscalls', 'timer:hrtimer_expire_entry', 'sched:sched_switch');
	close $write;
	my $r = live_end($h, $long);
	storm_end($_) for @other;
	reap($cat, $long);
	is($r->{exit}, 0, 'a recorder that is busy') or diag $r->{err};
	my $p = zed_run({ time => $long, memory => 0 }, 'zedperl', '-e', 'my %n; sub trace_unhandled { $n{Zed::system()}{Zed::pid()}++ }' .
		' sub trace_end { for my $s (sort keys %n) { print "$s $_ $n{$s}{$_}\n" for sort keys %{$n{$s}} } }', $file);
	my %n;
	$n{$1}{$2} = $3 while $p->{out} =~ /^(\S+) (\d+) (\d+)$/mg;
	my $ticks = $n{timer}{$h->{pid}} // 0;
	cmp_ok($ticks, '>=', 4, "timer interrupts that hit while the recorder ran are in the trace ($ticks) (else: the picture of the machine has holes)");
	is($n{raw_syscalls}{$h->{pid}} // 0, 0, 'system calls of the recorder are not (else: it records itself)');
	is($n{raw_syscalls}{$cat} // 0, 0, 'nor those of the process that reads its pipe');
	cmp_ok($n{sched}{$cat} // 0, '>', 0, 'whose other events are');
	is($n{raw_syscalls}{$other[0]} // 0, 0, '--exclude keeps another one out');
	cmp_ok($n{raw_syscalls}{$other[1]} // 0, '>', 1000, 'and nobody else');
	my ($said) = grep { /exclude|kept out/i } @{$r->{lines}};
	ok($said, 'the report says what was excluded') or diag $r->{err};
	like($said // '', qr/\b$_\b/, "it names process $_") for $h->{pid}, $cat, $other[0];
	unlink $file;
}

done_testing();
