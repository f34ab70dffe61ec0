# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first SIGTERM or SIGINT ends zedperl within a second of the event at hand, with its results; only a
# script's own handler may take longer, and the second signal ends that.  Without this a run over a long trace
# has to be killed, and what it found is lost.
# of: programs/stop.c programs/zedperl interp
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

my $dir = zed_tmp();
my $dat = Write::Dat->new(pages => 200)->write("$dir/long.dat");

# Start zedperl with CODE, its output in OUT; returns its process.
sub begin {
	my ($code, $out) = @_;
	return spawn({ stdout => $out, stderr => "$out.err" }, zed_bin('zedperl'), '-MZed=handlers,mini', '-e', "\$| = 1; $code", $dat);
}

# Wait until PATH has RE.
sub has { my ($path, $re) = @_; return wait_until(60, sub { -s $path && slurp($path) =~ $re }) }

# A second is 20 of these events, whatever else the machine does.
for my $sig (qw(TERM INT)) {
	my $out = "$dir/slow.$sig";
	my $pid = begin('sub mini::tick { $n++; print "begun $n\n"; select undef, undef, undef, 0.05 }
		sub trace_end { print "end after $n\n" }', $out);
	ok(has($out, qr/begun/), "$sig: the run is in its events");
	kill $sig, $pid;
	my ($at) = slurp($out) =~ /begun (\d+)\n\z/;
	my ($status, $late) = reap($pid, 60);
	is($late ? 'late' : how_it_ended($status), 130, "$sig: with status 130");
	my ($n) = slurp($out) =~ /^end after (\d+)\n\z/m;
	ok(defined $n, "$sig: and its results (else: what was found is lost)");
	cmp_ok($n // 9999, '<', ($at // 0) + 24, "$sig: the first one ends it within a second (else: it goes on to the end of the trace)");
}

# While it is compiled: perl computes what is constant, and an exit there is a panic.
{
	my $out = "$dir/compiled";
	my $script = spew("$dir/long.pl", "BEGIN { \$| = 1; print qq{begun\\n} }\n" . "\$x = 1 + 2; \@y = (1, 2, 3);\n" x 60_000 . "sleep 600;\n");
	my $pid = spawn({ stdout => $out, stderr => "$out.err" }, zed_bin('zedperl'), $dat, $script);
	ok(has($out, qr/begun/), 'a script that takes a while to be compiled');
	kill 'INT', $pid;
	my ($status) = reap($pid, 60);
	is($status, 130 << 8, 'a signal ends it with 130 (else: Ctrl-C is answered by a panic of perl)');
	is(slurp("$out.err"), '', '... without a word');
}

# The CPU time of PID, in ticks.
sub cpu { my ($pid) = @_; my @stat = split ' ', slurp("/proc/$pid/stat") =~ s/.*\)//sr; return $stat[11] + $stat[12] }

# A handler that never comes back is the script's own business, up to the second signal.
my $out = "$dir/stuck";
my $pid = begin('sub mini::tick { print "begun\n"; 1 while 1 }', $out);
ok(has($out, qr/begun/), 'a handler that does not come back');
kill 'TERM', $pid;
my $before = cpu($pid);
ok(wait_until(60, sub { slurp("/proc/$pid/stat") =~ /\) Z/ || cpu($pid) >= $before + 20 }) && slurp("/proc/$pid/stat") !~ /\) Z/,
	'is not torn from its work by the first signal');
kill 'TERM', $pid;
my ($status, $late) = reap($pid, 60);
ok(!$late, 'but by the second (else: only kill -9 ends it)');
ok($status, 'and that is no success');
done_testing();
