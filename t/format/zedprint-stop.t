# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first SIGTERM or SIGINT ends zedprint, also where nobody takes its output: without this a paused pager, or a reader
# that hangs, keeps it for ever.
#
# of: programs/zedprint programs/stop.c programs/run.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Process;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');
my $dat = Write::Dat->new(pages => 200)->write(zed_tmp() . '/long.dat');

# It waits for somebody to take what it has written: it sleeps, in a pipe's write.
sub is_stuck {
	my ($pid) = @_;
	my $wchan = eval { slurp("/proc/$pid/wchan") } // '';
	return $wchan =~ /pipe_write/ if $wchan =~ /[a-z]/;
	# A kernel that does not say where: the number of the system call (1: write) is not the same everywhere, so asleep.
	return (eval { slurp("/proc/$pid/stat") } // '') =~ /\) S /;
}

# Six at once: what each needs is time to be stuck.
my @runs;
for my $sig (qw(TERM INT)) {
	for my $format (qw(zed report json)) {
		pipe(my $in, my $out) or die "pipe: $!\n";
		my $pid = spawn({ stdout => $out }, zed_bin('zedprint'), '-f', $format, ($dat) x 3);
		close $out;
		push @runs, { sig => $sig, format => $format, pid => $pid, in => $in };
	}
}
for my $r (@runs) {
	ok(wait_until(60, sub { is_stuck($r->{pid}) }), "$r->{format}: the pipe is full, and nobody reads");
}
kill $_->{sig}, $_->{pid} for @runs;
for my $r (@runs) {
	my ($status, $late) = reap($r->{pid}, 60);
	ok(!$late, "SIG$r->{sig} ends it, $r->{format}, while its output is stuck");
	is($status >> 8, 128 + ($r->{sig} eq 'TERM' ? 15 : 2), 'the status says which signal');
}
done_testing();
