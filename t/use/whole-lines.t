# SPDX-License-Identifier: GPL-2.0-or-later
#
# A message is one write.  Without it messages of several processes run together in one file, as those of a server's
# clients did: a log that is searched for a line's beginning misses it.
#
# of: programs/messages.c programs/zedtrace/serve.c
use strict;
use warnings;
use Socket;
use Test::More;
use lib 't/lib';
use Run::Process;
use Run::Program;

# What PROGRAM writes to stderr, write by write: each is a packet there.
sub writes {
	my ($program, @args) = @_;
	socketpair my $mine, my $its, AF_UNIX, SOCK_SEQPACKET, PF_UNSPEC or die "socketpair: $!\n";
	my $pid = spawn({ stdout => '/dev/null', stderr => $its }, zed_bin($program), @args);
	close $its;
	my (@writes, $packet);
	while (defined recv($mine, $packet, 65536, 0) && length $packet) { push @writes, $packet }
	reap($pid, 60);
	return @writes;
}

for (['zedprint', 'nothing-here.dat'], ['zedperl', 'nothing-here.dat', 'countall'], ['zedtrace', '-h'],
	['zedtrace', '-l', '-p', '99999'], ['zedprint', "odd\x01name.dat"], ['zedprint', '-F', 'a ==', 't/data/demo.dat']) {
	my @writes = writes(@$_);
	cmp_ok(scalar @writes, '>', 0, "@$_: is refused");
	is(join('', map { /\A[^\n]+\n\z/ ? '' : "$_|" } @writes), '', '... by whole lines') or diag map { "[$_]\n" } @writes;
}

done_testing();
