# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h on the running kernel: to zedtrace -l, to a stock trace-cmd listen, and to servers that refuse,
# hang, speak something else or die.  On loopback; trace-cmd record -N is not run, as it changes settings of
# the whole machine (t/record/net.t speaks in its place).
use strict;
use warnings;
use Test::More;
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use lib 't/lib';
use Compare::DatRead;
use Compare::Stock;
use Run::Live;
use Run::Program;

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

# zedtrace -l; its handle and port.
sub server {
	my ($o, @options) = @_;
	my $h = live_start($o, 'zedtrace', '-l', '-p', '0', @options);
	my $port;
	live_until(10, sub { ($port) = slurp($h->{err}->filename) =~ /listening on port (\d+)\n.*waiting/s });
	BAIL_OUT('zedtrace -l does not start: ' . slurp($h->{err}->filename)) if !$port;
	return ($h, $port);
}

# A server in Perl: CODE gets each connection.  Its port.
sub fake {
	my $code = shift;
	my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 5) or die "listen: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		alarm 60;
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
# so many seconds, as a trace-cmd listen whose children have not run yet.  @zed: what RINIT says more.
sub welcome {
	my ($s, $late, @zed) = @_;
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
		select undef, undef, undef, $late;
		$_->listen(1) for @l;
	}
	return @l;
}

# ---------------------------------------------------------------- servers that are none, or bad

my $free = do { my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1); $l->sockport };
my $hang = fake(sub { sleep 40 });
my $hung = live_start('zedtrace', '-h', "127.0.0.1:$hang", 'sched:sched_switch', '-d', '1');
my @bad = (
	['nobody listens', $free, qr/nobody listens on port $free: start "zedtrace -l/],
	['version 1 only', fake(sub { my $s = shift; print $s 'tracecmd'; take($s, 5) }), qr/does not know version 3/],
	['speaks something else', fake(sub { my $s = shift; print $s "SSH-2.0-OpenSSH_9.2\r\n"; sleep 1 }),
		qr/no trace-cmd listen or zedtrace -l/],
	['closes at once', fake(sub { }), qr/no trace-cmd listen or zedtrace -l/],
	['refuses TINIT', fake(sub {
		my $s = shift;
		print $s 'tracecmd';
		take($s, 5);
		print $s "V3\0";
		take($s, 8);
		print $s 'OK' . pack 'N3', 12, 5, 0;
		sleep 1;
	}), qr/does not take what we have to send/],
	['lies about a length', fake(sub {
		my $s = shift;
		print $s 'tracecmd';
		take($s, 5);
		print $s "V3\0";
		take($s, 8);
		print $s 'OK' . pack 'N3', 0xfffffff0, 2, 4;
		sleep 1;
	}), qr/a message of 4294967280 bytes/],
	['gives no ports', fake(sub {
		my $s = shift;
		print $s 'tracecmd';
		take($s, 5);
		print $s "V3\0";
		take($s, 8);
		print $s 'OK' . pack 'N4', 16, 2, 4, 1000;
		sleep 1;
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
	my $r = zed_run('zedtrace', '-h', 'no-such-host.invalid', 'sched:sched_switch', '-d', '1');
	like($r->{err}, qr/no-such-host\.invalid.*(?:not known|resolution|No address)/, 'a host that is not there');
	is($r->{exit}, 2, 'is no recording: 2');
	$r = zed_run('zedtrace', '-h', '[::1', 'sched:sched_switch', '-d', '1');
	like($r->{err}, qr/\[ADDRESS\]:PORT/, 'an address that is none');

	# One that dies in the middle.
	my $port = fake(sub {
		my $s = shift;
		my @l = welcome($s);
		my @data = map { $_->accept } @l;
		select undef, undef, undef, 0.7;
	});
	$r = zed_run({ time => 90 }, 'zedtrace', '-h', "127.0.0.1:$port", 'sched', '-d', '60');
	ok($r->{exit} && $r->{seconds} < 30 && $r->{err} =~ /sent \d+ KiB until the connection failed/,
		'a server that dies ends the recording, and what was sent is told (else: one records for nothing)')
		or diag("exit $r->{exit} after $r->{seconds} s\n$r->{err}");

	# One that closes its data connections, says why or not, and keeps the other one.
	for my $case (['of a quiet recording', ['-F', 'sched:sched_switch: next_pid == -5', 'sched:sched_switch'], '',
			qr/sent 0 KiB until the connection failed: the server has closed the data connection of CPU \d+/],
		['of a busy one', ['sched'], '', qr/sent \d+ KiB until the connection failed: \S/],
		['and says why', ['sched'], 'the disk is full, \e[31mred', qr/connection failed: the server has ended the run: the disk is full, \S+31mred$/m]) {
		my ($what, $events, $why, $line) = @$case;
		$port = fake(sub {
			my $s = shift;
			my @l = welcome($s);
			my @data = map { scalar $_->accept } @l;
			select undef, undef, undef, 0.5;
			print $s pack('N3', 12 + length $why, 5, 0) . $why if $why;
			@data = ();
			1 while sysread $s, my $metadata, 65536;
		});
		$r = zed_run({ time => 90 }, 'zedtrace', '-h', "127.0.0.1:$port", @$events, '-d', '60');
		ok(!$r->{late} && $r->{exit} && $r->{seconds} < 30 && $r->{err} =~ $line && $r->{err} !~ /\e/,
			"a server that closes the data connections $what: the end at once, and said (else: minutes of nothing, or silence)")
			or diag("exit $r->{exit} after $r->{seconds} s\n$r->{err}");
	}
	# Ports on which nobody listens yet, as of a trace-cmd listen on a busy machine; and one that never does.
	for my $case ([1, qr/^zed: connected!$/m, 'are told before somebody listens there: the recording begins'],
		[9, qr/cannot connect to its data port \d+ \(a firewall in between\?\): Connection refused$/m, 'stay closed: the recording ends, and says so']) {
		my ($late, $line, $what) = @$case;
		$port = fake(sub {
			my $s = shift;
			my @l = welcome($s, $late);
			my @data = map { scalar $_->accept } @l;
			1 while sysread $s, my $metadata, 65536;
		});
		# Nothing to send: this server reads no data, and a busy machine has more in 0.3 s than a socket holds.
		$r = zed_run({ time => 30 }, 'zedtrace', '-h', "127.0.0.1:$port", '-F', 'sched:sched_switch: next_pid == -5',
			'sched:sched_switch', '-d', '0.3');
		ok(!$r->{late} && $r->{err} =~ $line && $r->{seconds} < 20, "data ports that $what (else: a stock server refuses at random)")
			or diag("exit $r->{exit} after $r->{seconds} s\n$r->{err}");
	}
	# A zedtrace -l of before one connection was enough: it has the names and the statistics in messages.
	my $heard = "$dir/heard";
	$port = fake(sub {
		my $s = shift;
		my @l = welcome($s, 0, 0x5a454400, 1000, 60000, 1);
		my @data = map { scalar $_->accept } @l;
		my %n;
		while (1) {
			my ($size, $command, $fixed) = unpack 'N3', take($s, 12);
			take($s, $size - 12);
			$n{$command}++;
			last if !$command;
		}
		open my $fh, '>', $heard or die;
		printf $fh "%x %d\n", $_, $n{$_} for sort { $a <=> $b } keys %n;
		close $fh;
		print $s pack 'N3', 12, 0, 0;
	});
	$r = zed_run({ time => 30 }, 'zedtrace', '-h', "127.0.0.1:$port", '-F', 'sched:sched_switch: next_pid == -5',
		'sched:sched_switch', '-d', '0.3');
	ok($r->{exit} == 0 && slurp($heard) =~ /^0 1\n3 \d+\n4 1\n5a454401 \d+\n5a454402 \d+\n5a454403 1\n5a454405 \d+$/m,
		'a zedtrace -l of before gets what it knows, on as many connections as it asks for (else: machines must change together)')
		or diag("exit $r->{exit}\n$r->{err}", -e $heard ? slurp($heard) : 'nothing heard');
	# -z zstd to servers that take nothing packed: before one connection was enough, and with it.
	for my $bits (1, 7) {
		$port = fake(sub { my $s = shift; my @l = welcome($s, 0, 0x5a454400, 1000, 60000, $bits); sleep 2 });
		$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", '-z', 'zstd', 'sched', '-d', '1');
		ok($r->{exit} == 2 && $r->{err} =~ /^zedtrace: 127\.0\.0\.1:$port: the zedtrace -l there is an older one, which takes nothing packed: record without -z, or with a newer one there$/m,
			"-z zstd to a zedtrace -l of before (bits $bits): refused, with what to do (else: it stores what it cannot read)") or diag($r->{err});
	}
	$port = fake(sub { my $s = shift; print $s "zedtrace: all 64 places are taken\n" });
	$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", 'sched', '-d', '1');
	ok($r->{exit} && $r->{err} =~ /the server takes nobody now: all 64 places are taken$/m,
		'a server that has no place says so (else: it is taken for something else)') or diag($r->{err});
	$r = live_end($hung, 20);
	like($r->{err}, qr/no answer for 10 seconds/, 'a server that hangs is given up after 10 seconds');
	ok(!$r->{late}, 'and in time');
});

# ---------------------------------------------------------------- to zedtrace -l

my ($l, $port) = server({}, '-D', $dir);
my $name = 'netzed' . $$ % 10000;
symlink '/bin/sleep', "$dir/$name";
my $r = zed_run('zedtrace', '-h', "localhost:$port", 'sched', '--', 'sh', '-c', "$dir/$name 0.3; $dir/$name 0.3; exit 3");
is($r->{exit}, 3, 'the command\'s status is passed on');
like($r->{err}, qr/^zed: connecting to localhost\nzed: connected!\nChannel: trace\nCPU 0: /m, 'the messages are the seed\'s');
my $sent = live_report($r->{err}) // {};
my $came;
live_until(10, sub { $came = live_report(slurp($l->{err}->filename)) });
cmp_ok($sent->{events} // 0, '>', 20, 'there were events');
is($came->{events}, $sent->{events}, 'the server has as many as were sent (else: some get lost)');
is($came->{dropped}, $sent->{dropped}, 'and tells the same drops');
is_deeply([map { "$_ $came->{cpus}{$_}[0]" } sort keys %{$came->{cpus}}],
	[map { "$_ $sent->{cpus}{$_}[0]" } sort keys %{$sent->{cpus}}], 'on each CPU');
my ($run) = grep { -e } glob("$dir/127.0.0.1-*/trace.dat"), glob("$dir/::1-*/trace.dat");
SKIP: {
	ok($run, 'there is a file') or skip 'no file', 3;
	is(dat_events($run)->{events}, $sent->{events}, 'they are in the file, by another reader\'s count');
	my $text = zed_run('zedprint', '-f', 'report', $run)->{out};
	like($text, qr/\Q$name\E-\d+/, 'the name of a task that began later is known (else: <...> in its place)');
	my $missing = stock_missing();
	skip live_cannot($missing), 1 if $missing;
	is(stock_count($run), $sent->{events}, 'trace-cmd report reads it');
}

# Limits of the server, as the client sees them.
{
	my $small = "$dir/small";
	mkdir $small;
	my ($limited, $at) = server({}, '-D', $small, '--max-size', '12M', '--idle', 2);
	my $quiet = live_start('zedtrace', '-h', "localhost:$at", '-F', 'sched:sched_switch: next_pid == -5', 'sched:sched_switch',
		'-d', '4');
	my $r = zed_run({ time => 30 }, 'zedtrace', '-h', "localhost:$at", 'sched', 'raw_syscalls', 'timer', '--', 'sh', '-c',
		'i=0; while [ $i -lt 3000 ]; do /bin/true; i=$((i+1)); done');
	ok($r->{exit} == 1 && $r->{err} =~ /sent \d+ KiB until the connection failed: the server has ended the run: the limit of 12 MiB \(--max-size\) is reached/,
		'a client learns that the limit is reached (else: it looks for a broken network)') or diag("exit $r->{exit}\n$r->{err}");
	# The client is told at once, and the file made then.
	my $file;
	live_until(10, sub { ($file) = grep { -s > 100_000 } glob "$small/*/trace.dat" });
	ok($file && -s $file <= 12 << 20 && zed_run('zedprint', $file)->{exit} == 0, 'and what came before is whole, and no greater');
	$r = live_end($quiet);
	ok($r->{exit} == 0 && $r->{err} =~ /^Total: 0 events/m, 'a quiet recording outlives --idle (else: it is cut)') or diag($r->{err});
	live_signal($limited, 'TERM');
	live_end($limited);
}

# Several at once, one of them killed.
my @h = map { live_start('zedtrace', '-h', "localhost:$port", 'sched:sched_switch', '-d', '1.5') } 1 .. 3;
my $killed = live_start('zedtrace', '-h', "localhost:$port", 'sched:sched_switch', '-d', '10');
live_ready($killed);
select undef, undef, undef, 0.5;
live_signal($killed, 'KILL');
live_end($killed);
my @sent = sort map { live_report(live_end($_)->{err})->{events} // 'no report' } @h;
my @came;
live_until(10, sub {
	@came = map { /^Total: (\d+)/m ? $1 : 'none' } split /(?=^server: end of run)/m, slurp($l->{err}->filename);
	shift @came;	# before the first
	shift @came;	# the run above
	return @came == 4;
});
my %came = map { $_ => 1 } @came;
is(scalar(grep { $came{$_} } @sent), 3, 'three at once arrive whole beside one that is killed') or diag("@sent; @came");
ok(live_until(5, sub { slurp($l->{err}->filename) =~ /ended too early/ }), 'that one ended too early is said');

# Ctrl-C.
my $c = live_start('zedtrace', '-h', "localhost:$port", 'sched:sched_switch');
live_ready($c);
select undef, undef, undef, 0.4;
live_signal($c, 'INT');
$r = live_end($c);
my $e = (live_report($r->{err}) // {})->{events} // -1;
ok($r->{exit} == 0 && $e >= 0 && live_until(10, sub { slurp($l->{err}->filename) =~ /^Total: $e events/m }),
	'Ctrl-C ends the client well, and all has arrived') or diag($r->{err});
live_signal($l, 'TERM');
is(live_end($l)->{exit}, 0, 'and SIGTERM the server');
zed_run('zedtrace', '--cleanup');	# what kill -9 left

# ---------------------------------------------------------------- to a live pipe

pipe my $from, my $to or die "pipe: $!\n";
($l, $port) = server({ stdout => $to }, '-o', '-');
close $to;
my $reader = live_start({ stdin => $from }, 'zedprint', '-');
close $from;
my $sender = live_start('zedtrace', '-h', "localhost:$port", 'sched');
ok(live_until(30, sub { slurp($reader->{out}->filename) =~ /cpu = / }) && kill(0, $sender->{pid}),
	'events reach a live pipe while they happen (else: live reading over the net is none)');
live_signal($sender, 'INT');
$r = live_end($sender);
$sent = live_report($r->{err}) // {};
is(live_end($l)->{exit}, 0, 'the server of a live pipe ends with its client');
my $seen = live_end($reader);
is(scalar(grep { /cpu = / && !/^lost/ } split /\n/, $seen->{out}), $sent->{events}, 'and the reader of the pipe got every event');
is($seen->{exit}, 0, 'and a proper end') or diag($seen->{err});

# ---------------------------------------------------------------- to the stock server

SKIP: {
	my $missing = stock_missing();
	skip live_cannot($missing), 5 if $missing;
	my $stock_dir = "$dir/stock";
	mkdir $stock_dir;
	my $p = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1)->sockport;
	my $stock = live_start({ dir => $stock_dir }, '/usr/bin/env', 'trace-cmd', 'listen', '-p', $p);
	live_listens($p) or diag('trace-cmd listen does not listen');
	$r = zed_run('zedtrace', '-h', "localhost:$p", '-z', 'zstd', 'sched', '-d', '1');
	ok($r->{exit} == 2 && $r->{err} =~ /the server there is trace-cmd's, which takes nothing packed: record without -z, or with zedtrace -l there$/m,
		'-z zstd to trace-cmd listen: refused, with what to do') or diag($r->{err});
	live_until(3, sub { 0 });	# it makes ready for the next
	$r = zed_run('zedtrace', '-h', "localhost:$p", 'sched', '-d', '1');
	is($r->{exit}, 0, 'a stock trace-cmd listen takes what we send') or diag($r->{err});
	$sent = live_report($r->{err}) // {};
	my $data;
	live_until(15, sub {
		($data) = grep { -s } glob "$stock_dir/trace.*.dat";
		return $data && stock_count($data) == ($sent->{events} // -1);
	});
	ok($data, 'and makes a file of it');
	is($data ? stock_count($data) : 'none', $sent->{events}, 'in which trace-cmd report finds every event');
	is($data ? dat_events($data)->{events} : 'none', $sent->{events}, 'and another reader too');
	live_signal($stock, 'TERM');
	live_end($stock, 5);
}

done_testing();
