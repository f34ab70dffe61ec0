# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who watches gets a CPU before those who are watched; what it starts does not.  Without it events wait for their handler
# as long as a busy processor likes, or a command runs faster while it is traced, and slows down all others.
#
# of: programs/session/priority.c programs/zedperl/zedperl.c programs/zedtrace/record.c
use strict;
use warnings;
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $dir = zed_tmp();
my $quiet = 'sched:sched_process_hang';

# May processes go first here?  From here on none of ours has a nice value.
sub may_go_first { return setpriority(0, 0, -10) && getpriority(0, 0) == -10 && setpriority(0, 0, 0) }

my $code = '$| = 1; sub sched::sched_process_hang {} sub trace_begin { print "own ", getpriority(0, 0), "\n"; print "child ", `nice`; ' .
	'my $pid = fork; if (!$pid) { print "fork ", getpriority(0, 0), "\n"; require POSIX; POSIX::_exit(0) } waitpid $pid, 0 }';

SKIP: {
	skip live_cannot('nice -10 is not allowed here'), 6 if !may_go_first();
	my $r = leaves_nothing('--live', sub { zed_run({ time => 60, memory => 0 }, 'zedperl', "--live=$quiet", '-e', $code, '--', 'nice') });
	is($r->{out}, "own -10\nchild 0\nfork 0\n0\n",
		'--live goes first, and neither a command, nor a program that the script starts, nor a child of it') or diag $r->{err};
	$r = leaves_nothing('nice', sub { zed_run({ time => 60, memory => 0 }, 'sh', '-c', 'exec nice -n 5 "$@"', 'sh',
		zed_bin('zedperl'), "--live=$quiet", '-e', $code, '--', 'nice') });
	is($r->{out}, "own 5\nchild 5\nfork 5\n5\n", 'a nice value of the user is kept') or diag $r->{err};
	my ($own) = leaves_nothing('zedtrace', sub {
		POSIX::mkfifo("$dir/end", 0600) or die "$dir/end: $!\n";
		my $h = live_start('zedtrace', '-o', "$dir/x.dat", $quiet, '--', 'sh', '-c', "nice; read x < $dir/end");
		wait_until(30, sub { slurp($h->{out}->filename) =~ /\n/ });
		my $nice = getpriority(0, $h->{pid});
		put_text("$dir/end", "\n");
		return "$nice " . live_end($h)->{out};
	});
	is($own, "-10 0\n", 'zedtrace goes first, and its command does not');
}

done_testing();
