# SPDX-License-Identifier: GPL-2.0-or-later
#
# Aggregations over this kernel's events, live: they answer from a timer while the run goes on, and count
# what the load did. Without it an answer has to wait for the end, or a busy machine loses what it counts.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use ZedLive;
use ZedRun;

live_or_skip();

# A timer asks while the load runs; the end tells what there was.
my $script = zed_tmp() . '/count.pl';
put_text($script, <<'SCRIPT');
$| = 1;
my $n = Zed::count('raw_syscalls:sys_enter', by => ['common_pid', 'id']);
$SIG{ALRM} = sub { print 'now ', $n->total, "\n"; alarm 1 };
sub trace_begin { alarm 1 }
sub trace_end {
	alarm 0;
	for ($n->rows) { print "pid $_->{common_pid} $_->{count}\n" if $_->{count} >= 100_000 }
	print 'all ', $n->total, ' lost ', scalar($n->lost), "\n";
}
SCRIPT
leaves_nothing('counting', sub {
	my $h = live_start('zedperl', '--live=raw_syscalls:sys_enter', $script);
	ok(live_ready($h), 'it runs') or diag live_end($h)->{err};
	# Each umask is one system call, and nothing else is.
	my $load = fork // die "fork: $!\n";
	if (!$load) {
		umask for 1 .. 150_000;
		exec 'true' or POSIX::_exit(1);
	}
	waitpid $load, 0;
	my $answers = sub { () = slurp($h->{out}->filename) =~ /^now [1-9]/mg };
	ok(live_until(20, sub { $answers->() >= 2 }), 'it answers while it runs (else: nobody can look at a long run)');
	live_signal($h, 'INT');
	my $r = live_end($h);
	my ($n) = $r->{out} =~ /^pid $load (\d+)$/m;
	my ($lost) = $r->{out} =~ /^all \d+ lost (\d+)$/m;
	# umask() without arguments asks twice: sets, and sets back.
	ok(defined $lost && defined $n && ($n % 150_000 == 0 || $lost), 'each system call of the load is counted')
		or diag $r->{out} . $r->{err};
	my @now = $r->{out} =~ /^now (\d+)$/mg;
	is("@now", join(' ', sort { $a <=> $b } @now), 'the answers grow');
});
done_testing();
