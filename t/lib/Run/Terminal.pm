# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Terminal: a program on a terminal of its own, as for a user: its output, and typed input.
#
#	my $t = on_terminal({ rows => 24, columns => 80, env => { TERM => 'dumb' }, dir => $dir }, 'bash', '--norc', '-i') or skip ...
#	$t->type("ls\t");
#	$t->shows(qr/one two/, 10) or diag $t->{text};		# waits at most 10 seconds
package Run::Terminal;
use strict;
use warnings;
use Exporter 'import';
use Fcntl ();
use POSIX ();
use Run::Process;

our @EXPORT = qw(on_terminal);

my ($UNLOCK, $NUMBER, $SET_SIZE, $TAKE) = (0x40045431, 0x80045430, 0x5414, 0x540e);

# Starts PROGRAM; undef if no terminal can be had.  O: rows, columns, and what spawn() takes.
sub on_terminal {
	my ($o, $program, @args) = @_;
	open my $master, '+<', '/dev/ptmx' or return;
	my $number = "\0" x 4;
	my ($locked, $size) = (pack('i', 0), pack 'S4', $o->{rows} // 24, $o->{columns} // 80, 0, 0);
	ioctl $master, $UNLOCK, $locked or return;
	ioctl $master, $NUMBER, $number or return;
	ioctl $master, $SET_SIZE, $size or return;
	my $path = '/dev/pts/' . unpack 'i', $number;
	sysopen my $slave, $path, Fcntl::O_RDWR() | Fcntl::O_NOCTTY() or return;
	my $pid = spawn({ %$o, stdin => $slave, stdout => $slave, stderr => $slave,
		child => sub { POSIX::setsid(); ioctl STDIN, $TAKE, 0 or POSIX::_exit(125) } }, $program, @args);
	return bless { master => $master, pid => $pid, path => $path, text => '' }, __PACKAGE__;
}

sub type {
	my ($self, $text) = @_;
	syswrite $self->{master}, $text;
	return $self;
}

# Has the output since the last forget() matched WANTED within SECONDS?
sub shows {
	my ($self, $wanted, $seconds) = @_;
	return wait_until($seconds, sub {
		vec(my $bits = '', fileno $self->{master}, 1) = 1;
		sysread $self->{master}, $self->{text}, 65_536, length $self->{text} if select $bits, undef, undef, 0;
		return $self->{text} =~ $wanted;
	});
}

sub forget { $_[0]{text} = ''; return $_[0] }

# Kills it and waits for its end.
sub end {
	my ($self) = @_;
	kill 'KILL', $self->{pid};
	reap($self->{pid}, 10);
	close $self->{master};
	return;
}

1;
