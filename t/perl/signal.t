# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first SIGTERM or SIGINT ends zedperl within a second of the event at hand, with its results; only a
# script's own handler may take longer, and the second signal ends that.  Without this a run over a long trace
# has to be killed, and what it found is lost.
use strict;
use warnings;
use Test::More;
use POSIX qw(WNOHANG);
use Time::HiRes qw(time sleep);
use lib 't/lib';
use Write::Dat;
use Run::Program qw(:DEFAULT spew);

die "zedperl is not built: run make\n" if !-x zed_bin('zedperl');
my $dir = zed_tmp();
my $dat = Write::Dat->new(pages => 200)->write("$dir/long.dat");
my $most = $ENV{ZED_SAN} ? 4 : 1.2;	# seconds

# Wait until PATH has RE; false after ten seconds.
sub has {
	my ($path, $re) = @_;
	for (1 .. 1000) {
		return 1 if -s $path && slurp($path) =~ $re;
		sleep 0.01;
	}
	return 0;
}

# Start zedperl with CODE, its output in OUT; returns its process.
sub begin {
	my ($code, $out) = @_;
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid;
	open STDOUT, '>', $out or POSIX::_exit(120);
	open STDERR, '>', "$out.err" or POSIX::_exit(120);
	exec zed_bin('zedperl'), '-MZed=handlers,mini', '-e', "\$| = 1; $code", $dat or POSIX::_exit(121);
}

# (seconds, wait status) until PID ends; killed after five.
sub ends {
	my ($pid) = @_;
	my $from = time;
	while (time - $from < 5) {
		return (time - $from, $?) if waitpid($pid, WNOHANG) == $pid;
		sleep 0.01;
	}
	kill 'KILL', $pid;
	waitpid $pid, 0;
	return (99, $?);
}

for my $sig (qw(TERM INT)) {
	my $out = "$dir/slow.$sig";
	my $pid = begin('sub mini::tick { print "begun\n" if !$n++; select undef, undef, undef, 0.05 }
		sub trace_end { print "end after $n\n" }', $out);
	ok(has($out, qr/begun/), "$sig: the run is in its events");
	kill $sig, $pid;
	my ($took, $status) = ends($pid);
	cmp_ok($took, '<', $most, "$sig: the first one ends it within a second (else: it goes on to the end of the trace)");
	is($status >> 8, 130, "$sig: with status 130");
	like(slurp($out), qr/^begun\nend after \d+\n\z/, "$sig: and its results (else: what was found is lost)");
}

# While it is compiled: perl computes what is constant, and an exit there is a panic.
{
	my $out = "$dir/compiled";
	my $script = spew("$dir/long.pl", "BEGIN { \$| = 1; print qq{begun\\n} }\n" . "\$x = 1 + 2; \@y = (1, 2, 3);\n" x 60_000 . "sleep 9;\n");
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDOUT, '>', $out or POSIX::_exit(120);
		open STDERR, '>', "$out.err" or POSIX::_exit(120);
		exec zed_bin('zedperl'), $dat, $script or POSIX::_exit(121);
	}
	ok(has($out, qr/begun/), 'a script that takes a while to be compiled');
	kill 'INT', $pid;
	my ($took, $status) = ends($pid);
	is($status, 130 << 8, 'a signal ends it with 130 (else: Ctrl-C is answered by a panic of perl)');
	is(slurp("$out.err"), '', '... without a word');
}

# A handler that never comes back is the script's own business, up to the second signal.
my $out = "$dir/stuck";
my $pid = begin('sub mini::tick { print "begun\n"; 1 while 1 }', $out);
ok(has($out, qr/begun/), 'a handler that does not come back');
kill 'TERM', $pid;
sleep 0.5;
is(waitpid($pid, WNOHANG), 0, 'is not torn from its work by the first signal');
kill 'TERM', $pid;
my ($took, $status) = ends($pid);
cmp_ok($took, '<', $most, 'but by the second (else: only kill -9 ends it)');
ok($status, 'and that is no success');
done_testing();
