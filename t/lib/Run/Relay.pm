# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Relay: a relay daemon of LTTng, made up: it gives a viewer what a test lays down, one answer after another, also
# answers that make no sense.
#
#	my $relay = relay_start(metadata => { 1 => [$text] }, streams => [{ id => 11, trace => 1, items => [
#		{ packet => $bytes, end => 500 }, { beacon => 900 }, { metadata => $more }, { packet => $next }, ... ] }]);
#	... "lttng://127.0.0.1:$relay->{port}/host/robot/run" ...
#	is_deeply([relay_asked($relay)], [...]);	# the commands that came, by their names
#
# Of a stream's items, one for each question for its next packet:
#	packet	bytes, which end at the time END
#	beacon	nothing up to that time
#	retry	nothing yet, so often
#	metadata, stream	are announced with the next answer: more text of the stream's trace; a stream
#	close	the connection is closed
# After the last one the stream has ended.  WRONG: {command name => bytes in place of its answer}.  ENDLESS: the session is
# not over when its streams are.  DAMAGE: a sub that may change an answer, given its number; after that a viewer that asks
# nothing for a moment is left, and one that asks very often.
package Run::Relay;
use strict;
use warnings;
use Exporter 'import';
use Files;
use IO::Select ();
use IO::Socket::INET ();
use POSIX ();

our @EXPORT = qw(relay_start relay_asked);

my @NAMES = (undef, qw(CONNECT LIST_SESSIONS ATTACH GET_NEXT_INDEX GET_PACKET GET_METADATA GET_NEW_STREAMS CREATE_SESSION DETACH));
my ($OK, $RETRY, $HUP, $INACTIVE) = (1, 2, 3, 5);
my ($NEW_METADATA, $NEW_STREAM) = (1, 2);

my @started;
END {
	local $?;
	kill 'KILL', @started;
	waitpid $_, 0 for @started;
}

sub relay_start {
	my (%o) = @_;
	my $listen = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', Proto => 'tcp') or die "listen: $!\n";
	my $log = temp_dir() . '/relay.' . $listen->sockport;
	spew($log, '');
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		$SIG{PIPE} = 'IGNORE';
		while (my $client = $listen->accept) {
			eval { _serve({ %o, client => $client, log => $log }) };
			close $client;
		}
		POSIX::_exit(0);
	}
	push @started, $pid;
	return { port => $listen->sockport, pid => $pid, log => $log };
}

sub relay_asked { my ($relay) = @_; return split /\n/, slurp($relay->{log}) }

sub _read {
	my ($s, $n) = @_;
	my $in = '';
	while (length $in < $n) {
		sysread $s->{client}, $in, $n - length $in, length $in or die "gone\n";
	}
	return $in;
}

sub _write {
	my ($s, $out) = @_;
	while (length $out) {
		my $n = syswrite $s->{client}, $out or die "gone\n";
		substr $out, 0, $n, '';
	}
	return;
}

# What a test laid down is for each connection anew.
sub _serve {
	my ($s) = @_;
	$s->{sessions} //= [[7, 'robot', 'run']];
	$s->{waiting} = { map { $_ => [@{$s->{metadata}{$_}}] } keys %{$s->{metadata}} };
	$s->{items} = { map { $_->{id} => [@{$_->{items}}] } @{$s->{streams}} };
	$s->{trace_of} = { map { $_->{id} => $_->{trace} } @{$s->{streams}} };
	$s->{new} = [];
	for (;;) {
		die "left\n" if $s->{damaged} && $s->{damaged}++ > 60 || $s->{damaged} && !IO::Select->new($s->{client})->can_read(0.3);
		my ($size, $command) = unpack 'Q>N', _read($s, 16);
		my $payload = _read($s, $size);
		my $name = $NAMES[$command] // die "command $command\n";
		open my $log, '>>', $s->{log} or die;
		print $log "$name\n";
		close $log;
		my $wrong = ($s->{wrong} // {})->{$name};
		my $answer = $wrong // _answer($s, $name, $payload);
		my $damaged = $s->{damage} ? $s->{damage}->($s->{answers}++, $answer) : $answer;
		$s->{damaged} = 1 if $damaged ne $answer;
		_write($s, $damaged);
	}
	return;
}

sub _stream { my ($id, $trace, $metadata) = @_; return pack 'Q>Q>Na4096a255', $id, $trace, $metadata, 'path', 'channel' }

# The number of a trace's stream of metadata.
sub _metadata_id { return 1000 + $_[0] }

sub _answer {
	my ($s, $name, $payload) = @_;
	return pack 'Q>N3', 1, 2, 4, 1 if $name eq 'CONNECT';
	return pack 'N', 1 if $name eq 'CREATE_SESSION' || $name eq 'DETACH';
	return pack('N', scalar @{$s->{sessions}}) . join '', map { pack 'Q>N3a64a255', $_->[0], 100_000, 0, 3, @$_[1, 2] } @{$s->{sessions}}
		if $name eq 'LIST_SESSIONS';
	if ($name eq 'ATTACH') {
		my @all = ((map { _stream(_metadata_id($_), $_, 1) } sort keys %{$s->{metadata}}), map { _stream($_->{id}, $_->{trace}, 0) } @{$s->{streams}});
		return pack('N2', 1, scalar @all) . join '', @all;
	}
	if ($name eq 'GET_NEW_STREAMS') {
		my @new = splice @{$s->{new}};
		return pack('N2', 1, scalar @new) . join '', @new if @new;
		return pack 'N2', $s->{endless} || grep({ @$_ } values %{$s->{items}}) ? 2 : 4, 0;
	}
	my ($id, $off, $len) = unpack 'Q>Q>N', $payload . "\0" x 12;
	if ($name eq 'GET_METADATA') {
		my $text = shift @{$s->{waiting}{$id - 1000}};
		return defined $text ? pack('Q>N', length $text, 1) . $text : pack 'Q>N', 0, 2;
	}
	if ($name eq 'GET_PACKET') {
		my $news = @{$s->{waiting}{$s->{trace_of}{$id}} // []} ? $NEW_METADATA : 0;
		return pack 'N3', 3, 0, $news if $news;
		my $packet = $s->{current}{$id};
		return pack('N3', 1, $len, 0) . substr $packet, 0, $len;
	}
	return _next_index($s, $id);
}

sub _next_index {
	my ($s, $id) = @_;
	my ($flags, $items) = (0, $s->{items}{$id});
	while (my $item = shift @$items) {
		if (defined $item->{metadata}) {
			push @{$s->{waiting}{$s->{trace_of}{$id}}}, $item->{metadata};
			$flags |= $NEW_METADATA;
		} elsif ($item->{stream}) {
			my $new = $item->{stream};
			push @{$s->{new}}, _stream($new->{id}, $new->{trace}, 0);
			$s->{items}{$new->{id}} = [@{$new->{items}}];
			$s->{trace_of}{$new->{id}} = $new->{trace};
			$flags |= $NEW_STREAM;
		} elsif (defined $item->{packet}) {
			$s->{current}{$id} = $item->{packet};
			my $size = $item->{size} // length $item->{packet};
			return pack 'Q>7N2', 4096, 8 * $size, 8 * $size, 0, $item->{end} // 0, 0, 0, $OK, $flags;
		} elsif (defined $item->{beacon}) {
			return pack 'Q>7N2', 0, 0, 0, 0, $item->{beacon}, 0, 0, $INACTIVE, $flags;
		} elsif ($item->{retry}) {
			unshift @$items, { retry => $item->{retry} - 1 } if $item->{retry} > 1;
			return pack 'Q>7N2', (0) x 7, $RETRY, $flags;
		} elsif ($item->{close}) {
			die "closed\n";
		}
	}
	return pack 'Q>7N2', (0) x 7, $HUP, $flags;
}

1;
