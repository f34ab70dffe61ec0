# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h to servers that refuse, hang, speak something else or die.
#
# of: record/net programs/zedtrace
# Without it: one records for nothing, and nobody knows what to mend.
# runs: make check
use strict;
use warnings;
use Test::More;
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use lib 't/lib';
use Run::Clock;
use Run::Live;
use Run::Process;
use Run::Program qw(:DEFAULT slurp spew);
use Run::Server qw(taken);

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
my @children;
END {
	local $?;
	for my $pid (@children) {
		kill 'KILL', $pid;
		waitpid $pid, 0;
	}
}

# A server in Perl: CODE gets each connection.  Its port.
sub fake {
	my $code = shift;
	my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 5) or die "listen: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		alarm 120;
		$SIG{ALRM} = 'DEFAULT';
		while (my $s = $l->accept) {
			$s->autoflush(1);
			eval { $code->($s) };
			$s->close;
		}
		POSIX::_exit(0);
	}
	push @children, $pid;
	return $l->sockport;
}

sub take { my ($s, $n) = @_; my $b = ''; while (length $b < $n) { sysread($s, $b, $n - length $b, length $b) or die } return $b }

# As a good server up to RINIT; the listening sockets.  $late: when it has told their ports it listens on none for
# so many seconds, as a trace-cmd listen whose children have not run yet, and calls $told.  @zed: what RINIT says more.
sub welcome {
	my ($s, $late, $told, @zed) = @_;
	print $s 'tracecmd';
	take($s, 5);
	print $s "V3\0";
	take($s, 8);
	print $s 'OK';
	my ($size, undef, $fixed) = unpack 'N3', take($s, 12);
	my ($cpus) = unpack 'N', take($s, $size - 12);
	my @l = map { IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, $late ? () : (Listen => 1)) } 1 .. $cpus;
	my $ports = join '', map { $_->sockport . "\0" } @l;
	print $s pack('N*', 16 + 4 * @zed + length $ports, 2, 4 + 4 * @zed, $cpus, @zed) . $ports;
	if ($late) {
		taken($s);	# its clock may move on: it waits for this word no more
		$told->() if $told;
		select undef, undef, undef, $late;
		$_->listen(1) for @l;
	}
	return @l;
}

# Until the client hangs up.
sub hear_out { my ($s) = @_; 1 while sysread $s, my $bytes, 65536; return }

# A client's messages up to FIN_DATA: its metadata.
sub metadata {
	my ($s) = @_;
	while (1) {
		my ($size, $command) = unpack 'N3', take($s, 12);
		take($s, $size - 12);
		return if $command == 4;
	}
}

# ---------------------------------------------------------------- servers that are none, or bad

my $free = do { my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1); $l->sockport };
my $hang = fake(sub { my $s = shift; 1 while sysread $s, my $nothing, 1 });
my @bad = (
	['nobody listens', $free, qr/no server listens on port $free: start "zedtrace -l/],
	['version 1 only', fake(sub { my $s = shift; print $s 'tracecmd'; take($s, 5) }), qr/does not support version 3/],
	['speaks something else', fake(sub { my $s = shift; print $s "SSH-2.0-OpenSSH_9.2\r\n"; hear_out($s) }),
		qr/(?:not a|no) trace-cmd listen or zedtrace -l/],
	['closes at once', fake(sub { }), qr/(?:not a|no) trace-cmd listen or zedtrace -l/],
	['refuses TINIT', fake(sub {
		my $s = shift;
		print $s 'tracecmd';
		take($s, 5);
		print $s "V3\0";
		take($s, 8);
		print $s 'OK' . pack 'N3', 12, 5, 0;
		hear_out($s);
	}), qr/it refuses this recording/],
	['lies about a length', fake(sub {
		my $s = shift;
		print $s 'tracecmd';
		take($s, 5);
		print $s "V3\0";
		take($s, 8);
		print $s 'OK' . pack 'N3', 0xfffffff0, 2, 4;
		hear_out($s);
	}), qr/invalid message of 4294967280 bytes/],
	['gives no ports', fake(sub {
		my $s = shift;
		print $s 'tracecmd';
		take($s, 5);
		print $s "V3\0";
		take($s, 8);
		print $s 'OK' . pack 'N4', 16, 2, 4, 1000;
		hear_out($s);
	}), qr/no port number for CPU 0/],
);
leaves_nothing('servers that are bad', sub {
	for my $bad (@bad) {
		my ($what, $port, $line) = @$bad;
		my $r = zed_run('zedtrace', '-h', "127.0.0.1:$port", 'sched:sched_switch', '-d', '1');
		ok(!$r->{late} && $r->{exit} && !$r->{signal} && $r->{err} =~ $line,
			"a server where $what: one line that says so (else: nobody knows what to mend)")
			or diag("exit $r->{exit}\n$r->{err}");
	}
	my $r = zed_run({ time => 60 }, 'zedtrace', '-h', 'no-such-host.invalid', 'sched:sched_switch', '-d', '1');
	like($r->{err}, qr/no-such-host\.invalid.*(?:not known|resolution|No address)/, 'a host that is not there');
	is($r->{exit}, 2, 'is no recording: 2');
	$r = zed_run('zedtrace', '-h', '[::1', 'sched:sched_switch', '-d', '1');
	like($r->{err}, qr/\[ADDRESS\]:PORT/, 'an address that is none');

	# One that dies in the middle.
	my $port = fake(sub {
		my $s = shift;
		my @l = welcome($s);
		my @data = map { scalar $_->accept } @l;
		metadata($s);
		IO::Select->new(@data)->can_read(30);
	});
	$r = zed_run({ time => 90 }, 'zedtrace', '-h', "127.0.0.1:$port", 'sched', '-d', '600');
	ok(!$r->{late} && $r->{exit} && $r->{err} =~ /sent \d+ KiB before the connection failed/,
		'a server that dies ends the recording, and what was sent is told (else: one records for nothing)')
		or diag("exit $r->{exit}\n$r->{err}");

	# One that closes its data connections, says why or not, and keeps the other one.
	for my $case (['of a quiet recording', ['-F', 'sched:sched_switch: next_pid == -5', 'sched:sched_switch'], '',
			qr/sent 0 KiB before the connection failed: the server closed the data connection of CPU \d+/],
		['of a busy one', ['sched'], '', qr/sent \d+ KiB before the connection failed: \S/],
		['and says why', ['sched'], 'the disk is full, \e[31mred', qr/connection failed: the server ended the run: the disk is full, \S+31mred$/m]) {
		my ($what, $events, $why, $line) = @$case;
		$port = fake(sub {
			my $s = shift;
			my @l = welcome($s);
			my @data = map { scalar $_->accept } @l;
			metadata($s);
			# While it records: it has sent something, or has nothing to send.
			IO::Select->new(@data)->can_read("@$events" =~ /-F/ ? 0.3 : 30);
			print $s pack('N3', 12 + length $why, 5, 0) . $why if $why;
			@data = ();
			1 while sysread $s, my $metadata, 65536;
		});
		$r = zed_run({ time => 90 }, 'zedtrace', '-h', "127.0.0.1:$port", @$events, '-d', '600');
		ok(!$r->{late} && $r->{exit} && $r->{err} =~ $line && $r->{err} !~ /\e/,
			"a server that closes the data connections $what: the end at once, and said (else: minutes of nothing, or silence)")
			or diag("exit $r->{exit}\n$r->{err}");
	}
	# Ports on which nobody listens yet, as of a trace-cmd listen on a busy machine; and one that never does.
	for my $case ([0.5, qr/^zed: connected!$/m, 'are told before somebody listens there: the recording begins'],
		[30, qr/cannot connect to its data port \d+ \(a firewall in between\?\): Connection refused$/m, 'stay closed: the recording ends, and says so']) {
		my ($late, $line, $what) = @$case;
		my $clock = clock_new();
		my $asked = "$dir/asked.$late";
		$port = fake(sub {
			my $s = shift;
			my @l = welcome($s, $late, sub { spew($asked, '') });
			my @data = map { scalar $_->accept } @l;
			hear_out($s);
		});
		# Nothing to send: this server reads no data, and a busy machine has more in 0.3 s than a socket holds.
		my $h = live_start({ env => clock_env($clock) }, 'zedtrace', '-h', "127.0.0.1:$port", '-F',
			'sched:sched_switch: next_pid == -5', 'sched:sched_switch', '-d', '0.3');
		# How long it tries goes by at once, whenever it begins to try.
		if ($late > 1 && wait_until(30, sub { -e $asked })) {
			wait_until(30, sub { clock_forward($clock, 5); slurp("/proc/$h->{pid}/stat") =~ /\) Z/ });
		}
		$r = live_end($h, 30);
		ok(!$r->{late} && $r->{err} =~ $line, "data ports that $what (else: a stock server refuses at random)")
			or diag("exit $r->{exit}\n$r->{err}");
	}
	# What takes long on a busy machine is read before a server is asked, which waits no more than 5 seconds for the next
	# word: between the connection and the metadata it does not read as much as the kernel's symbols.
	my ($came, $go, $first) = map { "$dir/$_" } qw(came go first);
	$port = fake(sub {
		my $s = shift;
		spew($came, '');
		wait_until(60, sub { -e $go });
		my @l = welcome($s);
		my @data = map { scalar $_->accept } @l;
		take($s, 12);
		spew($first, '');
		hear_out($s);
	});
	my $symbols = length slurp('/proc/kallsyms');
	my $sender = live_start('zedtrace', '-h', "127.0.0.1:$port", '-d', '0.3', 'sched:sched_process_hang');
	my @read = map {
		my ($sign, $then) = @$_;
		wait_until(60, sub { -e $sign });
		my ($n) = (eval { slurp("/proc/$sender->{pid}/io") } // '') =~ /^rchar: (\d+)$/m;
		spew($then, '') if $then;
		$n // -1;
	} [$came, $go], [$first];
	live_signal($sender, 'KILL');
	live_end($sender);
	live_cleanup();
	ok($read[0] > $symbols && $read[1] < $read[0] + $symbols / 2,
		'what is to be sent is read before the server is called (else: one of a busy machine takes that for silence, and nothing is recorded)')
		or diag("@read of $symbols");
	# A zedtrace -l of before one connection was enough: it has the names and the statistics in messages.
	my $heard = "$dir/heard";
	$port = fake(sub {
		my $s = shift;
		my @l = welcome($s, 0, undef, 0x5a454400, 1000, 60000, 1);
		my @data = map { scalar $_->accept } @l;
		my %n;
		while (1) {
			my ($size, $command, $fixed) = unpack 'N3', take($s, 12);
			take($s, $size - 12);
			$n{$command}++;
			last if !$command;
		}
		spew($heard, join '', map { sprintf "%x %d\n", $_, $n{$_} } sort { $a <=> $b } keys %n);
		print $s pack 'N3', 12, 0, 0;
	});
	$r = zed_run({ time => 30 }, 'zedtrace', '-h', "127.0.0.1:$port", '-F', 'sched:sched_switch: next_pid == -5',
		'sched:sched_switch', '-d', '0.3');
	ok($r->{exit} == 0 && slurp($heard) =~ /^0 1\n3 \d+\n4 1\n5a454401 \d+\n5a454402 \d+\n5a454403 1\n5a454405 \d+$/m,
		'a zedtrace -l of before gets what it knows, on as many connections as it asks for (else: machines must change together)')
		or diag("exit $r->{exit}\n$r->{err}", -e $heard ? slurp($heard) : 'nothing heard');
	# -z zstd to servers that take nothing packed: before one connection was enough, and with it.
	for my $bits (1, 7) {
		$port = fake(sub { my $s = shift; my @l = welcome($s, 0, undef, 0x5a454400, 1000, 60000, $bits); hear_out($s) });
		$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", '-z', 'zstd', 'sched', '-d', '1');
		ok($r->{exit} == 2 && $r->{err} =~ /^zedtrace: 127\.0\.0\.1:$port: the zedtrace -l there is too old for compressed data: record without -z, or start a newer one there$/m,
			"-z zstd to a zedtrace -l of before (bits $bits): refused, with what to do (else: it stores what it cannot read)") or diag($r->{err});
	}
	$port = fake(sub { my $s = shift; print $s "zedtrace: all 64 places are taken\n" });
	$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", 'sched', '-d', '1');
	ok($r->{exit} && $r->{err} =~ /the server accepts no more clients: all 64 places are taken$/m,
		'a server that has no place says so (else: it is taken for something else)') or diag($r->{err});
	# A server that says nothing: 10 seconds go by.
	my $clock = clock_new();
	my $hung = live_start({ env => clock_env($clock) }, 'zedtrace', '-h', "127.0.0.1:$hang", 'sched:sched_switch', '-d', '1');
	ok(wait_until(30, sub {
		clock_forward($clock, 0.5);
		return slurp($hung->{err}->filename) =~ /no answer for 10 seconds/;
	}), 'a server that hangs is given up after 10 seconds');
	# By its clock, from before it was started.
	cmp_ok($clock->{ahead} / 1e9 + mono_now() - $hung->{began}, '>=', 10, '... and not before');
	ok(!live_end($hung)->{late}, '... and ends');
});

done_testing();
