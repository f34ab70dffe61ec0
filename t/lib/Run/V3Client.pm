# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::V3Client: speaks trace-cmd's network protocol V3 over TCP as the stock client does, written from the description
# of the protocol alone; and can speak it slowly, partly, or falsely.  It shares no code with the program under test.
#
#	my $c = Run::V3Client->new(port => 12345)->hello->init(2, 4096);	# 2 CPUs
#	$c->metadata($bytes)->pages(0, $pages)->pages(1, $more)->finish;
#
# Dies on any error; nothing waits longer than the timeout.
package Run::V3Client;
use strict;
use warnings;
use IO::Select ();
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY inet_pton pack_sockaddr_in6 AF_INET6);

our %COMMAND = (CLOSE => 0, TINIT => 1, RINIT => 2, SEND_DATA => 3, FIN_DATA => 4, NOT_SUPP => 5);
our $PIECE = 8192 - 12;

$SIG{PIPE} = 'IGNORE';

# Options: port, host (numbers only), from (a source address), timeout (seconds).
sub new {
	my ($class, %o) = @_;
	my $c = bless { host => '127.0.0.1', timeout => 30, data => {}, ports => [], %o }, $class;
	$c->{control} = $c->connect_to($c->{port});
	return $c;
}

sub connect_to {
	my ($c, $port) = @_;
	my $v6 = $c->{host} =~ /:/;
	socket my $s, $v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0 or die "socket: $!\n";
	if ($c->{from}) {
		bind $s, pack_sockaddr_in(0, inet_pton(AF_INET, $c->{from})) or die "bind $c->{from}: $!\n";
	}
	connect $s, $v6 ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $c->{host}))
		: pack_sockaddr_in($port, inet_pton(AF_INET, $c->{host})) or die "connect to port $port: $!\n";
	setsockopt $s, IPPROTO_TCP, TCP_NODELAY, 1;
	binmode $s;
	return $s;
}

# ---------------------------------------------------------------- bytes

sub put {
	my ($c, $s, $bytes) = @_;
	my $end = time + $c->{timeout};
	while (length $bytes) {
		die "the server takes nothing\n" if time > $end || !IO::Select->new($s)->can_write($c->{timeout});
		my $n = syswrite $s, $bytes, 65536;
		die "the server has gone: $!\n" if !defined $n;
		substr($bytes, 0, $n) = '';
		$end = time + $c->{timeout} if $n;
	}
	return $c;
}

# LEN bytes; fewer if the server closes before.
sub get {
	my ($c, $len) = @_;
	my $got = '';
	while (length $got < $len) {
		die "the server says nothing\n" if !IO::Select->new($c->{control})->can_read($c->{timeout});
		my $n = sysread $c->{control}, $got, $len - length $got, length $got;
		last if !$n;
	}
	return $got;
}

# ---------------------------------------------------------------- messages

# A message; LIE: false values for its header {size, fixed}.
sub message {
	my ($c, $command, $fixed, $data, %lie) = @_;
	my $size = 12 + length($fixed) + length $data;
	return $c->put($c->{control}, pack('N3', $lie{size} // $size, $COMMAND{$command} // $command,
		$lie{fixed} // length $fixed) . $fixed . $data);
}

# The server's next message as (command, fixed part, data); nothing if it has closed.
sub answer {
	my $c = shift;
	my $head = $c->get(12);
	return if length $head < 12;
	my ($size, $command, $fixed) = unpack 'N3', $head;
	die "the server sent a message of $size bytes\n" if $size < 12 || $size > 8192 || $fixed > $size - 12;
	my $rest = $c->get($size - 12);
	die "the server sent half a message\n" if length $rest < $size - 12;
	return ($command, substr($rest, 0, $fixed), substr $rest, $fixed);
}

# ---------------------------------------------------------------- the session, step by step

sub hello {
	my $c = shift;
	my $banner = $c->get(8);
	die "no banner but '$banner'\n" if $banner ne 'tracecmd';
	$c->put($c->{control}, "-1V3\0");
	my $version = $c->get(3);
	die "no V3 but '$version'\n" if $version ne "V3\0";
	$c->put($c->{control}, "766679\0\0");
	my $ok = $c->get(2);
	die "no OK but '$ok'\n" if $ok ne 'OK';
	return $c;
}

# TINIT and RINIT; the options are "tcp" unless others are named.
sub init {
	my ($c, $cpus, $page_size, @options) = @_;
	@options = ('tcp') if !@options;
	$c->message('TINIT', pack('N3', $cpus, $page_size, scalar @options), join '', map { "$_\0" } @options);
	my ($command, $fixed, $data) = $c->answer;
	die "the server has hung up on TINIT\n" if !defined $command;
	die "command $command is the answer to TINIT\n" if $command != $COMMAND{RINIT};
	die "RINIT has no number of CPUs\n" if length $fixed < 4;
	my $n = unpack 'N', $fixed;
	my @ports = split /\0/, $data;
	die "RINIT tells $n CPUs and the ports '@ports'\n"
		if $n != $cpus || @ports != $cpus || grep { !/^[1-9][0-9]{0,4}$/ } @ports;
	@$c{qw(ports page_size)} = (\@ports, $page_size);
	return $c;
}

# TINIT of a zedtrace that sends a zed stream on this connection, and RINIT, whose numbers it keeps.
sub init_stream {
	my ($c, $cpus, $page_size) = @_;
	$c->message('TINIT', pack('N3', $cpus, $page_size, 3), "tcp\0zed\0zed-stream\0");
	my ($command, $fixed, $data) = $c->answer;
	die "the server has hung up on TINIT\n" if !defined $command;
	die "command $command is the answer to TINIT: $data\n" if $command != $COMMAND{RINIT};
	$c->{rinit} = [unpack 'N*', $fixed];
	die "RINIT has ports\n" if length $data;
	die "RINIT does not take a stream\n" if !(($c->{rinit}[4] // 0) & 2);
	return $c;
}

# The end of a stream, as the server sees it: {stored, closed, why}.
sub stream_answers {
	my $c = shift;
	my %a = (stored => 0, closed => 0, why => '');
	while (my ($command, $fixed, $data) = $c->answer) {
		if ($command == 0x5a454406) {
			my $n = unpack 'Q>', $fixed;
			die "the server has stored $n bytes after $a{stored}\n" if $n < $a{stored};
			$a{stored} = $n;
		} elsif ($command == $COMMAND{CLOSE}) {
			$a{closed} = 1;
			last;
		} elsif ($command == $COMMAND{NOT_SUPP}) {
			$a{why} = $data;
			last;
		}
	}
	return \%a;
}

# The server has stored BYTES of a stream that has no pages yet, and put them among those of others: what these send
# from now on comes after it.
sub placed {
	my ($c, $bytes) = @_;
	while (my ($command, $fixed) = $c->answer) {
		return $c if $command == 0x5a454406 && unpack('Q>', $fixed) >= $bytes;
	}
	die "the server has hung up on a stream\n";
}

sub metadata {
	my ($c, $bytes) = @_;
	$c->message('SEND_DATA', '', $_) for unpack "(a$PIECE)*", $bytes;
	return $c->message('FIN_DATA', '', '');
}

# The data connection of CPU.
sub data_socket {
	my ($c, $cpu) = @_;
	return $c->{data}{$cpu} //= $c->connect_to($c->{ports}[$cpu]);
}

sub pages {
	my ($c, $cpu, $bytes) = @_;
	return $c->put($c->data_socket($cpu), $bytes);
}

sub end_data { my $c = shift; close $_ for values %{$c->{data}}; $c->{data} = {}; return $c }

# As the stock client ends.
sub finish {
	my $c = shift;
	$c->data_socket($_) for 0 .. $#{$c->{ports}};
	$c->end_data->message('CLOSE', '', '');
	close $c->{control};
	return;
}

# Closes without a message, as after kill -9.
sub die_now { my $c = shift; $c->end_data; close $c->{control}; return }

# ---------------------------------------------------------------- data to send

# From an uncompressed trace.dat v7: the part that a client sends (its beginning up to the end of the first options,
# whose chain then ends), and the bytes of each CPU of its top buffer.
sub recording {
	my $path = shift;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	my $b = do { local $/; <$fh> };
	my ($u16, $u32, $u64) = ord(substr $b, 12, 1) ? qw(n N Q>) : qw(v V Q<);
	my $at = 18;
	$at = 1 + index $b, "\0", $at for 1, 2;
	my $options = unpack $u64, substr $b, $at, 8;
	my $end = $options + 16 + unpack $u64, substr $b, $options + 8, 8;
	my ($next, %pages) = unpack $u64, substr $b, $end - 8, 8;
	my $metadata = substr($b, 0, $end - 8) . "\0" x 8;
	while ($next) {
		$at = $next + 16;
		while (1) {
			my ($id, $len) = unpack "$u16$u32", substr $b, $at, 6;
			my $payload = substr $b, $at + 6, $len;
			$at += 6 + $len;
			if ($id == 0) {
				$next = unpack $u64, $payload;
				last;
			}
			next if $id != 3 || substr($payload, 8, 1) ne "\0";
			my (undef, undef, undef, $page_size, $n, @cpus) = unpack "$u64 Z* Z* ${u32}2 (${u32}${u64}2)*", $payload;
			while (my ($cpu, $off, $size) = splice @cpus, 0, 3) {
				$pages{$cpu} = substr $b, $off, $size;
			}
		}
	}
	return ($metadata, \%pages);
}

# The same from a Write::Dat.
sub of_mini {
	my $d = shift;
	my $end = $d->{version} == 7 ? $d->at('options.done') + 8 : $d->at('options_end') + 2;
	my $metadata = substr $d->{bytes}, 0, $end;
	substr($metadata, -8) = "\0" x 8 if $d->{version} == 7;
	return $metadata;
}

1;
