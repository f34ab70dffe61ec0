# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h on the running kernel to zedtrace -l: files, limits, several at once, and a live pipe.  On loopback.
#
# of: record/net programs/zedtrace
# Without it: what one machine records and sends is not what another one has of it.
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Pass;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program;

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();

my ($l, $port) = live_server({}, '-D', $dir);
# Where that has a name (a chroot may have no /etc/hosts).
my $local = defined gethostbyname('localhost') ? 'localhost' : '127.0.0.1';
my $name = 'netzed' . $$ % 10000;
symlink '/bin/sleep', "$dir/$name";
my $r = zed_run('zedtrace', '-h', "$local:$port", 'sched', '--', 'sh', '-c', "$dir/$name 0.3; $dir/$name 0.3; exit 3");
is($r->{exit}, 3, 'the command\'s status is passed on');
like($r->{err}, qr/^zed: connecting to \Q$local\E\nzed: connected!\nChannel: trace\nCPU 0: /m, 'the messages are the seed\'s');
my $sent = live_report($r->{err}) // {};
my $came;
wait_until(30, sub { $came = live_report(slurp($l->{err}->filename)) });
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

if (small()) {
	live_signal($l, 'TERM');
	is(live_end($l)->{exit}, 0, 'and SIGTERM ends the server');
	done_testing();
	exit;
}

# Limits of the server, as the client sees them.
my $small = "$dir/small";
mkdir $small;
my ($limited, $at) = live_server({}, '-D', $small, '--max-size', '12M', '--idle', 5);
my $quiet = live_start('zedtrace', '-h', "127.0.0.1:$at", '-F', 'sched:sched_switch: next_pid == -5', 'sched:sched_switch',
	'-d', '7');
$r = zed_run({ time => 30 }, 'zedtrace', '-h', "127.0.0.1:$at", 'sched', 'raw_syscalls', 'timer', '--',
	qw(dd if=/dev/zero of=/dev/null bs=1 count=1000000 status=none));
ok($r->{exit} == 1 && $r->{err} =~ /sent \d+ KiB before the connection failed: the server ended the run: the limit of 12 MiB \(--max-size\) is reached/,
	'a client learns that the limit is reached (else: it looks for a broken network)') or diag("exit $r->{exit}\n$r->{err}");
# The client is told at once, and the file made then.
my $file;
wait_until(30, sub { ($file) = grep { -s > 100_000 } glob "$small/*/trace.dat" });
ok($file && -s $file <= 12 << 20 && zed_run('zedprint', $file)->{exit} == 0, 'and what came before is whole, and no greater');

# Several at once, one of them killed.
my $killed = live_start('zedtrace', '-h', "127.0.0.1:$port", 'sched:sched_switch', '-d', '30');
live_ready($killed);
my @h = map { live_start('zedtrace', '-h', "127.0.0.1:$port", 'sched:sched_switch') } 1 .. 3;
my @inst = map { live_ready($_) } @h;
live_signal($killed, 'KILL');
live_end($killed);
for my $inst (@inst) {
	my $was = live_taken($inst);
	wait_until(30, sub { live_taken($inst) > $was });
}
live_signal($_, 'INT') for @h;
my @sent = sort map { live_report(live_end($_)->{err})->{events} // 'no report' } @h;
my @came;
wait_until(30, sub {
	@came = map { /^Total: (\d+)/m ? $1 : 'none' } split /(?=^server: end of run)/m, slurp($l->{err}->filename);
	shift @came;	# before the first
	shift @came;	# the run above
	return @came == 4;
});
my %came = map { $_ => 1 } @came;
is(scalar(grep { $came{$_} } @sent), 3, 'three at once arrive whole beside one that is killed') or diag("@sent; @came");
ok(wait_until(30, sub { slurp($l->{err}->filename) =~ /ended too early/ }), 'that one ended too early is said');

# Ctrl-C.
my $c = live_start('zedtrace', '-h', "127.0.0.1:$port", 'sched:sched_switch');
my $inst = live_ready($c);
wait_until(30, sub { live_taken($inst) > 200 });
live_signal($c, 'INT');
$r = live_end($c);
my $e = (live_report($r->{err}) // {})->{events} // -1;
ok($r->{exit} == 0 && $e > 200 && wait_until(30, sub { slurp($l->{err}->filename) =~ /^Total: $e events/m }),
	'Ctrl-C ends the client well, and all has arrived') or diag($r->{err});
live_signal($l, 'TERM');
is(live_end($l)->{exit}, 0, 'and SIGTERM the server');
live_cleanup();	# what kill -9 left

# ---------------------------------------------------------------- to a live pipe

pipe my $from, my $to or die "pipe: $!\n";
($l, $port) = live_server({ stdout => $to }, '-o', '-');
close $to;
my $reader = live_start({ stdin => $from }, 'zedprint', '-');
close $from;
my $sender = live_start('zedtrace', '-h', "127.0.0.1:$port", 'sched');
ok(wait_until(30, sub { slurp($reader->{out}->filename) =~ /cpu = / }) && kill(0, $sender->{pid}),
	'events reach a live pipe while they happen (else: live reading over the net is none)');
live_signal($sender, 'INT');
$r = live_end($sender);
$sent = live_report($r->{err}) // {};
is(live_end($l)->{exit}, 0, 'the server of a live pipe ends with its client');
my $seen = live_end($reader);
is(scalar(grep { /cpu = / && !/^lost/ } split /\n/, $seen->{out}), $sent->{events}, 'and the reader of the pipe got every event');
is($seen->{exit}, 0, 'and a proper end') or diag($seen->{err});

# ---------------------------------------------------------------- the quiet one, all this while

$r = live_end($quiet, 30);
ok($r->{exit} == 0 && $r->{err} =~ /^Total: 0 events/m, 'a quiet recording outlives --idle (else: it is cut)') or diag($r->{err});
live_signal($limited, 'TERM');
live_end($limited);

done_testing();
