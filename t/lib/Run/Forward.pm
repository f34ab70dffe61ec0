# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Forward: a plain TCP forwarder on loopback with one port, like ssh -L: each connection to it is forwarded to one
# other port.
#
#	my $f = forward_start($port, cut => 5_000_000);	# breaks each link after so many bytes to the server; cuts => 1: the first
#	my $f = forward_start($port, slow => 0.1, piece => 1 << 20);	# data arrive so many seconds later
#	$f->{port}; forward_count($f); forward_end($f);
package Run::Forward;
use strict;
use warnings;
use Exporter 'import';
use IO::Select ();
use IO::Socket::INET ();
use POSIX ();
use Run::Program;

our @EXPORT = qw(forward_start forward_count forward_end);

my %running;
END {
	local $?;
	forward_end($_) for values %running;
}

# All of BYTES to S.
sub put {
	my ($s, $bytes) = @_;
	while (length $bytes) {
		my $n = syswrite $s, $bytes;
		return 0 if !$n;
		substr($bytes, 0, $n) = '';
	}
	return 1;
}

# One connection, to its end.
sub serve {
	my ($from, $port, %o) = @_;
	my $to = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or return;
	my $both = IO::Select->new($from, $to);
	my $sent = 0;
	while (my @ready = $both->can_read) {
		for my $s (@ready) {
			my $n = sysread $s, my $bytes, $o{piece} // 65536;
			my $other = $s == $from ? $to : $from;
			if (!$n) {
				# One direction has ended; the other continues.
				shutdown $other, 1;
				$both->remove($s);
				return if !$both->count;
				next;
			}
			$sent += $n if $s == $from;
			select undef, undef, undef, $o{slow} if $o{slow} && $s == $from;
			return if !put($other, $bytes);
			return if $o{cut} && $sent >= $o{cut};
		}
	}
	return;
}

sub forward_start {
	my ($port, %o) = @_;
	my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 5) or die "listen: $!\n";
	my $count = zed_tmp() . '/forward' . $l->sockport;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		$SIG{$_} = 'DEFAULT' for qw(TERM ALRM);
		$SIG{PIPE} = 'IGNORE';
		$SIG{CHLD} = 'IGNORE';
		alarm 120;
		while (my $s = $l->accept) {
			delete $o{cut} if defined $o{cuts} && $o{cuts}-- <= 0;
			open my $fh, '>>', $count or POSIX::_exit(1);
			syswrite $fh, "1\n";
			my $child = fork // POSIX::_exit(1);
			if (!$child) {
				close $l;
				alarm 120;
				serve($s, $port, %o);
				POSIX::_exit(0);
			}
			close $s;
		}
		POSIX::_exit(0);
	}
	my $f = { pid => $pid, port => $l->sockport, count => $count };
	close $l;
	return $running{$pid} = $f;
}

# Connections so far.
sub forward_count {
	my ($f) = @_;
	return -e $f->{count} ? scalar(() = slurp($f->{count}) =~ /\n/g) : 0;
}

sub forward_end {
	my ($f) = @_;
	return if !delete $running{$f->{pid}};
	kill 'KILL', $f->{pid};
	waitpid $f->{pid}, 0;
	return;
}

1;
