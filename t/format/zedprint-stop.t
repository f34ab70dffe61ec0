# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first SIGTERM or SIGINT ends zedprint within a second, also where nobody takes its output: without
# this a paused pager, or a reader that hangs, keeps it for ever.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time sleep);
use lib 't/lib';
use Write::Dat;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');
my $dat = Write::Dat->new(pages => 200)->write(zed_tmp() . '/long.dat');

for my $sig (qw(TERM INT)) {
	for my $format (qw(zed report json)) {
		pipe(my $in, my $out) or die "pipe: $!\n";
		my $pid = fork // die "fork: $!\n";
		if (!$pid) {
			open STDOUT, '>&', $out or POSIX::_exit(120);
			close $in;
			exec zed_bin('zedprint'), '-f', $format, ($dat) x 3 or POSIX::_exit(121);
		}
		close $out;
		sleep 0.7;	# the pipe is full, and nobody reads
		kill $sig, $pid;
		my ($from, $got) = (time);
		sleep 0.01 while !($got = waitpid $pid, POSIX::WNOHANG()) && time - $from < 5;
		my $took = time - $from;
		my $status = $?;
		if (!$got) {
			kill 'KILL', $pid;
			waitpid $pid, 0;
		}
		ok($got == $pid && $took < ($ENV{ZED_SAN} ? 3 : 1.2), "SIG$sig ends it, $format, while its output is stuck")
			or diag("after $took s");
		is($status >> 8, 128 + ($sig eq 'TERM' ? 15 : 2), 'the status says which signal') if $got;
	}
}
done_testing();
