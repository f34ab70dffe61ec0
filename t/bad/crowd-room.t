# SPDX-License-Identifier: GPL-2.0-or-later
#
# More tasks, lives of them and names in a packed trace than a kernel packs into so few bytes: one for each 16 of them, or
# 65,536.  Without it 1 MB may name 200,000 tasks, of which an analysis keeps 600 MiB.
#
# of: lib/Zed/Tasks.pm lib/Zed/Tasks interp/api/trace.c
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use JSON::PP ();
use Run::Growth;
use Run::Program;

my $ROOM = 65_536;
my $N = 66_000;

# The answer of ANALYSIS for N lines of CODE, packed by COMPRESSION.
sub answer_of {
	my ($what, $compression, $analysis, $code) = @_;
	my $path = lines_of({ compression => $compression }, $N, $code);
	my $r = zed_run({ memory => 0 }, 'zedperl', $path, $analysis, '--json');
	my $packed = $compression ne 'none';
	like($r->{err}, $packed ? qr/\A[^\n]*more than 65536 tasks[^\n]*left out\n\z/ : qr/\A\z/, "$what, $compression: it is said once");
	is($r->{exit}, $packed ? 1 : 0, '... and the exit status says so, too');
	unlink $path;
	return eval { JSON::PP->new->latin1->decode($r->{out})->{tables}{tasks} } // {};
}

# Each leaves the CPU to one that was not seen before.
sub relay { my $pid = 1000 + $_[0]; my $last = $pid - 1; return "0 $last switch $last S $pid" }

for (['zlib', $ROOM], ['none', $N]) {
	my ($compression, $n) = @$_;
	my $all = answer_of('tasks', $compression, 'sched-summary', \&relay)->{all};
	# Who runs at the end is in the answer in any case, with the time up to there.
	is($all->{tasks}, $n + 1, '... as many are in the answer (else: some that fit are missing, or all are kept)');
	is($all->{run}, 1000 * ($n - 1), '... with their time');
}

# A task that ends and begins anew, and one with a new name at each switch.
answer_of('lives', 'zlib', 'sched-summary', sub { $_[0] % 1000 ? '0 9 new 5' : '0 9 switch 9 R+ 5' });
my $names = answer_of('names', 'zlib', 'waits', sub { my ($i) = @_; "0 5 switch 5=a$i R 5=a@{[$i + 1]}" });
cmp_ok(scalar @{$names->{rows} // []}, '<=', $ROOM, '... as many rows (else: each name takes one)');
cmp_ok(scalar @{$names->{rows} // []}, '>=', $ROOM - 10, '... and no fewer');

done_testing;
