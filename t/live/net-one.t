# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h to zedtrace -l on one connection: through a forwarder that has a single port, through a real ssh -L,
# and over links and servers that fail, where the report has what the server told to have.
#
# of: record/net programs/zedtrace
# runs: make check; a small pass in make test
# Without it: a firewall that lets one port through, or a link that breaks, and nobody knows what has arrived.
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use lib 't/lib';
use Pass;
use Run::Forward;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();

# The events of the only recording in AT, once the server has reported its end; -1: there is none.
sub stored {
	my ($h, $at) = @_;
	wait_until(40, sub { slurp($h->{err}->filename) =~ /^Total: /m });
	my @files = glob "$at/*/trace.dat";
	return @files == 1 ? dat_events($files[0])->{events} : -1;
}

# Wait until the server has stored more in AT than the metadata of a client: pages of a storm.
sub has_some {
	my ($at) = @_;
	return wait_until(40, sub {
		my $bytes = 0;
		$bytes += 512 * ((stat)[12] // 0) for glob "$at/*/trace.dat.zed/*";
		return $bytes > 9_000_000;
	});
}

# ---------------------------------------------------------------- one port

my ($l, $port, $at) = live_server_dir();
my $f = forward_start($port);
my $name = 'netone' . $$ % 10000;
symlink '/bin/sleep', "$dir/$name";
my $r = zed_run('zedtrace', '-h', "127.0.0.1:$f->{port}", 'sched', '--', 'sh', '-c', "$dir/$name 0.2; exit 4");
is($r->{exit}, 4, 'a recording passes a forwarder of one port (else: ssh -L does not work)') or diag($r->{err} . slurp($l->{err}->filename));
my $sent = live_report($r->{err}) // {};
cmp_ok($sent->{events} // 0, '>', 20, 'there were events');
is(forward_count($f), 1, 'on one connection');
is(stored($l, $at), $sent->{events}, 'and all of it has arrived (else: the report is of another recording)');
my $came = live_report(slurp($l->{err}->filename)) // {};
is_deeply([map { "$_ $came->{cpus}{$_}[0]" } sort keys %{$came->{cpus}}],
	[map { "$_ $sent->{cpus}{$_}[0]" } sort keys %{$sent->{cpus}}], 'of each CPU');
my ($file) = glob "$at/*/trace.dat";
my $text = $file ? zed_run('zedprint', '-f', 'report', $file)->{out} : '';
like($text, qr/\Q$name\E-\d+/, 'with the names of tasks that began later (else: <...> in their place)');
my %stats = $file ? %{dat_stats($file)} : ();
ok(scalar(keys %stats), 'and the kernel\'s statistics (else: losses cannot be told from silence)');
forward_end($f);
live_signal($l, 'TERM');
is(live_end($l)->{exit}, 0, 'the server ends well');

if (small()) {
	done_testing();
	exit;
}

# Packed on its way: what arrives is the same, and a way that ends after fewer bytes than the kernel's symbols have is
# long enough.
($l, $port, $at) = live_server_dir();
$f = forward_start($port, cut => 4_000_000);
$r = zed_run('zedtrace', '-h', "127.0.0.1:$f->{port}", '-z', 'zstd', 'sched', '-d', '0.5');
is($r->{exit}, 0, '-z zstd: packed, all of it is less than its metadata are (else: a slow link carries what it need not)') or diag($r->{err} . slurp($l->{err}->filename));
forward_end($f);
$sent = live_report($r->{err}) // {};
is(stored($l, $at), $sent->{events}, '-z zstd: all of it arrives');
($file) = glob "$at/*/trace.dat";
is(eval { dat_stats($file); dat_events($file)->{codec} }, 'zstd', '-z zstd: the file is like any other');
live_signal($l, 'TERM');
live_end($l);

# ---------------------------------------------------------------- a link that breaks, a server that does

# The client's report of a run that failed has what is in the server's file, as far as it was told of it.
sub tells_what_is_there {
	my ($what, $err, $found, $most) = @_;
	my $report = live_report($err);
	ok($report, "$what: there is a report") or diag $err;
	cmp_ok($found, '>', 1000, "$what: the server has events (else: nothing was tried)");
	my $less = $found - ($report->{events} // 0);
	ok($less >= 0 && $less <= $most, "$what: the report has no event that the server has not (else: what nobody got passes for sent)")
		or diag("report $report->{events}, server $found\n$err");
	cmp_ok($report->{dropped} // 0, '>', 0, "$what: the others are dropped");
	unlike($err, qr/says how much of it arrived/, "$what: and it is not left open which");
	return;
}

my $load = storm_start(120);
for my $case (['', 12_000_000], [', packed', 2_000_000, '-z', 'zstd']) {
	my ($how, $cut, @z) = @$case;
	($l, $port, $at) = live_server_dir();
	$f = forward_start($port, cut => $cut);
	$r = zed_run({ time => 60 }, 'zedtrace', '-h', "127.0.0.1:$f->{port}", @z, 'raw_syscalls', '-d', '600');
	# 2 where the server had not yet confirmed one event of what it has.
	my $confirmed = (live_report($r->{err}) // {})->{events};
	ok($r->{exit} == ($confirmed ? 1 : 2) && !$r->{late} && $r->{err} =~ /sent \d+ KiB before the connection failed/,
		"a link that breaks$how ends the recording (else: one records for nothing)") or diag("exit $r->{exit}\n$r->{err}the server:\n" . slurp($l->{err}->filename));
	# What was on its way within the last tenth of a second, told by nobody any more.
	tells_what_is_there("a link that broke$how", $r->{err}, stored($l, $at), 3_000_000);
	forward_end($f);
	live_signal($l, 'TERM');
	live_end($l);

	($l, $port, $at) = live_server_dir('--max-size', '12M');
	$r = zed_run({ time => 60 }, 'zedtrace', '-h', "127.0.0.1:$port", @z, 'raw_syscalls', '-d', '600');
	like($r->{err}, qr/the server ended the run: the limit of 12 MiB \(--max-size\) is reached/, "a limit of the server is told$how");
	# To the page, also where a packed frame has many.
	tells_what_is_there("a limit$how", $r->{err}, stored($l, $at), 0);
	live_signal($l, 'TERM');
	live_end($l);
}

($l, $port, $at) = live_server_dir();
my $c = live_start('zedtrace', '-h', "127.0.0.1:$port", 'raw_syscalls', '-d', '600');
live_ready($c);
has_some($at) or diag('the server stores nothing');
live_signal($l, 'TERM');
$r = live_end($c, 30);
like($r->{err}, qr/the server ended the run: the server was stopped/, 'a server that is stopped says so');
tells_what_is_there('a server that was stopped', $r->{err}, stored($l, $at), 0);
live_end($l);

# A server that hangs: its process for this client is stopped.
($l, $port, $at) = live_server_dir();
$c = live_start('zedtrace', '-h', "127.0.0.1:$port", 'raw_syscalls', '-d', '600');
live_ready($c);
has_some($at) or diag('the server stores nothing');
my ($child) = split ' ', slurp("/proc/$l->{pid}/task/$l->{pid}/children");
kill 'STOP', $child;
live_signal($c, 'INT');
$r = live_end($c, 40);
ok($r->{exit} && !$r->{late}, 'a server that hangs does not keep a signal from ending the recording')
	or diag("exit $r->{exit}\n$r->{err}");
kill 'CONT', $child;
tells_what_is_there('a server that hung', $r->{err}, stored($l, $at), 3_000_000);
live_signal($l, 'TERM');
live_end($l);
storm_end($load);

# ---------------------------------------------------------------- a real ssh -L

SKIP: {
	my ($sshd) = grep { -x } '/usr/sbin/sshd', '/usr/local/sbin/sshd';
	skip live_cannot('no sshd here: apt-get install openssh-server'), 3 if !$sshd || system 'command -v ssh >/dev/null 2>&1';
	mkdir '/run/sshd', 0755;	# it stays: the sshd of another test may be about to need it
	my ($ssh_port, $tunnel_port) = map { my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1); $s->sockport } 1, 2;
	mkdir "$dir/ssh", 0700;
	system("ssh-keygen -q -t ed25519 -N '' -f $dir/ssh/host && ssh-keygen -q -t ed25519 -N '' -f $dir/ssh/id") == 0
		or skip live_cannot('ssh-keygen makes no key'), 3;
	spew("$dir/ssh/sshd_config", "Port $ssh_port\nListenAddress 127.0.0.1\nHostKey $dir/ssh/host\nPidFile none\nAuthorizedKeysFile $dir/ssh/id.pub\n" .
		"PermitRootLogin prohibit-password\nPasswordAuthentication no\nUsePAM no\nStrictModes no\n");
	my $daemon = live_start($sshd, '-D', '-e', '-f', "$dir/ssh/sshd_config");
	wait_until(30, sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $ssh_port) });
	($l, $port, $at) = live_server_dir();
	my $tunnel = live_start('/usr/bin/ssh', '-F', 'none', '-i', "$dir/ssh/id", '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes',
		'-o', 'StrictHostKeyChecking=accept-new', '-o', "UserKnownHostsFile=$dir/ssh/known", '-p', $ssh_port, '-N',
		'-L', "127.0.0.1:$tunnel_port:127.0.0.1:$port", scalar(getpwuid $>) . '@127.0.0.1');
	my $up = wait_until(30, sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $tunnel_port) });
	$r = $up ? zed_run('zedtrace', '-h', "127.0.0.1:$tunnel_port", 'sched', '-d', '1') : { exit => -1, err => 'no tunnel' };
	is($r->{exit}, 0, 'ssh -L carries a recording (else: the manual promises what does not work)')
		or diag($r->{err}, slurp($tunnel->{err}->filename), slurp($daemon->{err}->filename));
	$sent = live_report($r->{err}) // {};
	cmp_ok($sent->{events} // 0, '>', 20, 'with events');
	is(stored($l, $at), $sent->{events} // -2, 'all of which arrive');
	for my $h ($tunnel, $daemon, $l) {
		live_signal($h, 'TERM');
		live_end($h);
	}
}

done_testing();
