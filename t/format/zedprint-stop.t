# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first SIGTERM or SIGINT ends zedprint, also where nobody takes its output: without this a paused pager, or a reader
# that hangs, keeps it for ever. And it lets a live input come to its end: without this what the recorder writes last is lost.
#
# of: programs/zedprint programs/stop.c programs/open_inputs.c run/pump.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Write::Dat;
use Write::ZedStream;
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

# A recorder that goes on is given its second: more than the time after which the program would be taken for stuck.
{
	my ($text, $said) = map { zed_tmp() . "/live.$_" } qw(out err);
	pipe(my $in, my $feed) or die "pipe: $!\n";
	my $pid = spawn({ stdin => $in, stdout => $text, stderr => $said }, zed_bin('zedprint'), '--stats', '-');
	close $in;
	my $bytes = Write::ZedStream::from_dat(Compare::RealData::own() . '/small_v7_none.dat', end => 0)->{bytes};
	syswrite($feed, $bytes) == length $bytes or die "write: $!\n";
	ok(wait_until(60, sub { -s $text }), 'live: the events that are there are shown');
	kill TERM => $pid;
	my ($status, $late) = reap($pid, 60);
	ok(!$late, 'SIGTERM ends it, with no end of the stream in sight');
	is($status >> 8, 143, 'the status says that it was left');
	like(slurp($said), qr/its recorder has not ended a second after it was to/, 'not before the recorder had its second (else: killed after 0.4 s)');
	like(slurp($said), qr/^zedprint: records +\d+$/m, 'and it ends in order: --stats is there');
}
done_testing();
