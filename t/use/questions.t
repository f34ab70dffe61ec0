# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ten questions that a newcomer has, each answered by one command that the first page of `zedperl help` shows. Without
# it the page leads to a command that fails, or that answers another question.
# of: docs scripts lib
use strict;
use warnings;
use Test::More;
use Cwd ();
use File::Copy qw(copy);
use lib 't/lib';
use Write::Miniature;
use Run::Program qw(zed_bin zed_run zed_tmp slurp);

my $tmp = zed_tmp();

# Question (words of the page) => the recording, what the answer has to say.  Made ones: their times are arithmetic.
my $sched = miniature('100 0 0 switch 0 R 10 | 110 0 10 waking 20 | 400 0 10 switch 10 S 20 | 500 0 20 waking 10 | 700 0 20 switch 20 D 0 | '
	. '800 1 0 switch 0 R 10 | 900 1 10 switch 10 R 30 | 950 1 30 switch 30 S 10 | 1200 1 10 switch 10 S 0');
my @questions = (
	['wakeup latency', qr/wait for a CPU/, $sched, qr/^t20\s+woken\s+1\s+290 us/m],
	['failing system calls', qr/system calls fail/, 't/data/demo.dat', qr/ENOENT/],
	['off-CPU', qr/tasks not run/, $sched, qr/^t10\s+10\s+sleeps\s+1\s+100 us/m],
	['block latency', qr/disks take/, miniature('100 0 7 D R 64+8 | 140 0 7 C R 64+8'), qr/^8:0\s+D2C\s+1\s+40\.0 us/m],
	['time of interrupts', qr/interrupts take/, miniature('100 0 0 irq 7 eth0 | 130 0 0 irqx 7 1'), qr/^\s*7\s+eth0\b.*\b30\.0 us/m],
	['who wakes whom', qr/wakes whom/, $sched, qr/^t10\s.*t20\b/m],
	['time slices', qr/used the CPUs/, $sched, qr/^t10\s+10\s+1\s+650 us\s+29\.55\s+3\s/m],
	['a picture', qr/picture/, $sched, undef],
	['what happened around the worst case', qr/worst case/, 'docs/shell.dat', qr/^sched::sched_switch cpu = 0, time = 7\.430690191,.* next_comm = rcu_preempt,/m],
	['before and after', qr/before and after/, undef, qr/^7 eth0\s+a second\s+33333\s+11111\b/m],
);

my $help = zed_run('zedperl', 'help');
is($help->{exit}, 0, 'zedperl help');
my @lines = split /\n/, $help->{out};
cmp_ok(scalar @lines, '<=', 50, 'is one page');
for (@questions) {
	my ($question, $words, $trace, $answer) = @$_;
	my ($command) = map { /^\s{2}\S.*?\s{2,}((?:zedperl|zedprint)\s.*\S)/ ? $1 : () } grep { /$words/ } @lines;
	ok($command, "$question: the page has a command") or next;
	copy($trace, "$tmp/trace.dat") or die "$trace: $!\n" if $trace;
	if (!$trace) {
		copy(miniature('100 0 0 irq 7 eth0 | 130 0 0 irqx 7 1'), "$tmp/before.dat") or die $!;
		copy(miniature('100 0 0 irq 7 eth0 | 190 0 0 irqx 7 1'), "$tmp/after.dat") or die $!;
	}
	my $bin = zed_bin('x') =~ s{/x$}{}r;
	$bin = Cwd::abs_path($bin);
	my $r = zed_run({ time => 60, env => { PATH => "$bin:$ENV{PATH}" } }, 'sh', '-c', "cd '$tmp' && $command");
	is($r->{exit}, 0, "... which works: $command") or diag $r->{err};
	if (defined $answer) {
		like($r->{out}, $answer, '... and answers it');
	} else {
		my ($file) = $command =~ /(\S+\.html)/;
		like(-e "$tmp/$file" ? slurp("$tmp/$file") : '', qr/<!DOCTYPE html>.*t20/s, '... and draws it');
	}
}

done_testing();
