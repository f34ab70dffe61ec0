# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder that is left running, on the running kernel: it reports to a service manager, answers --status and
# --snapshot, and at SIGHUP changes events and filters without losing one of a load whose events are numbered.  Without
# it a recorder has to be stopped to be changed, or nobody knows whether it works.
#
# of: programs/zedtrace kernel/session record/recorder.c
# runs: make check
use strict;
use warnings;
use IO::Socket::UNIX;
use JSON::PP;
use POSIX ();
use Socket qw(SOCK_DGRAM MSG_DONTWAIT);
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program qw(zed_run zed_tmp slurp spew);

live_or_skip();

my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);
my $conf = "$dir/a.conf";
my %env = (RUNTIME_DIRECTORY => "$dir/run", NOTIFY_SOCKET => "$dir/notify", WATCHDOG_USEC => 400_000);
my $manager = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $env{NOTIFY_SOCKET}) or die "notify: $!\n";

# What the manager was told so far.
my @notified;
sub notified {
	while (defined recv $manager, my $text, 1000, MSG_DONTWAIT) { push @notified, $text }
	return @notified;
}

sub was_notified { my ($re) = @_; return wait_until(20, sub { grep { /$re/ } notified() }) }

my $base = 1_000_000 * (1 + $$ % 2000);	# numbers of this test's own
my $next = $base + 1;

# COUNT numbered events: close() of descriptors that are not there.
sub load { POSIX::close($next++) for 1 .. $_[0]; return $next - 1 }

sub others { my $n = 0; $n += getppid for 1 .. $_[0]; return $n }

# The numbers in FILES, in order.
sub numbers {
	return sort { $a <=> $b } grep { $_ > $base && $_ < $base + 1_000_000 }
		map { map { /close.*\bfd[:=] ?(?:0x)?([0-9a-f]+)/ ? hex $1 : () } split /\n/, zed_run({ memory => 0 }, 'zedprint', '-f', 'report', $_)->{out} } @_;
}

sub getppids { my $n = 0; $n += dat_events($_)->{name}{'syscalls::sys_enter_getppid'} // 0 for @_; return $n }

sub ask { return zed_run({ memory => 0, env => { %env, LC_ALL => 'C' } }, 'zedtrace', @_) }

sub start {
	my $h = live_start({ env => \%env, dir => $dir }, 'zedtrace', '--config', $conf);
	live_ready($h) or BAIL_OUT('it does not start: ' . live_end($h)->{err});
	wait_until(20, sub { live_catches($h->{pid}, POSIX::SIGHUP()) });
	return $h;
}

sub says { my ($h, $re) = @_; return wait_until(30, sub { slurp($h->{err}->filename) =~ $re }) }

# SIGHUP with LINES as settings; the load continues until it says RE in answer.
sub reload {
	my ($h, $re, @lines) = @_;
	my $from = length slurp($h->{err}->filename);
	spew($conf, join '', map { "$_\n" } @lines);
	live_signal($h, 'HUP');
	return wait_until(30, sub { load(20); substr(slurp($h->{err}->filename), $from) =~ $re });
}

# ---- with --rotate

my @settings = ("pid = $$", "output = $dir/a.dat", 'buffer = 4M', 'rotate = 500M');
my ($h, $limit, $dropped);
spew($conf, join '', map { "$_\n" } 'events = syscalls:sys_enter_close', @settings);
my $r = leaves_nothing('with --rotate', sub {
	$h = start();
	ok(was_notified(qr/^READY=1$/m), 'it reports that it is ready (else: a unit of Type=notify never starts)');
	ok(wait_until(20, sub { 2 <= grep { /^WATCHDOG=1$/ } notified() }), 'and that it is alive (else: the watchdog kills it)');
	load(1000);

	# A recorder sees the events a little later.
	my ($text, $seen);
	wait_until(20, sub { $text = ask('--status')->{out}; ($seen) = $text =~ /^$h->{pid}: recording for \d+ s: (\d+) events, / and $seen >= 1000 });
	like($text, qr{^$h->{pid}: recording for \d+ s: \d+ events, \d+ a second \(of the last [\d.]+ s\), 0 lost, \d+ KiB, to \Q$dir\E/a\.dat\n\z}, '--status: a line');
	cmp_ok($seen // 0, '>=', 1000, '... that counts the events');
	my $json = ask('--status', '--json');
	my $is = eval { decode_json($json->{out}) } // {};
	is_deeply([@$is{qw(pid state lost files output last)}], [$h->{pid}, 'recording', 0, 0, "$dir/a.dat", undef], '--json: the same') or diag $json->{out}, $json->{err};
	is(ask("--status=$h->{pid}")->{exit}, 0, 'by its number');

	my $snap = ask('--snapshot');
	is("$snap->{exit} $snap->{out}", "0 $dir/a.000001.dat\n", '--snapshot: a file is complete, and named') or diag $snap->{err};
	is_deeply([numbers("$dir/a.000001.dat")], [$base + 1 .. $base + 1000], '... with all events up to then (else: what led to it is missing)');
	live_signal($h, 'USR1');
	ok(wait_until(30, sub { -e "$dir/a.000002.dat" }), 'SIGUSR1 does the same');
	# It is there a moment before the recorder has removed what it was made of.
	ok(wait_until(30, sub { ask('--status')->{out} =~ m{, 2 files, the last \Q$dir\E/a\.000002\.dat$} }), 'and --status names it') or diag ask('--status')->{out};

	# Another event, and a filter that all numbers pass.
	ok(reload($h, qr/reloaded: 2 events/, 'events = syscalls:sys_enter_close syscalls:sys_enter_getppid', 'filter = syscalls:sys_enter_close: fd > 10', @settings, 'keep = 9'),
		'SIGHUP: other events') or diag slurp($h->{err}->filename);
	like(slurp($h->{err}->filename), qr/^zedtrace: keep changed: it takes effect at the next start$/m, '... and what a running recorder keeps is said');
	ok(was_notified(qr/^RELOADING=1\nMONOTONIC_USEC=\d+$/m), '... to the manager too');
	ok(-e "$dir/a.000003.dat" || wait_until(30, sub { -e "$dir/a.000003.dat" }), '... after a file of what was before');
	others(500);
	load(100);

	# A mistake.
	ok(reload($h, qr/not reloaded: it records as before/, 'events = syscalls:sys_enter_close', 'filtre = x', @settings), 'a mistake: not reloaded');
	like(slurp($h->{err}->filename), qr/line 2: column 1: no option 'filtre'; did you mean 'filter'\?/, '... with its line');
	others(500);
	load(100);

	# A filter that the kernel refuses: the event keeps the one it has.
	ok(reload($h, qr/did not accept all of the new filters: syscalls:sys_enter_close .*reloaded: 2 events/s, 'events = syscalls:sys_enter_close syscalls:sys_enter_getppid',
		'filter = syscalls:sys_enter_close: nosuch == 1', @settings), 'a filter that the kernel refuses') or diag slurp($h->{err}->filename);
	load(100);

	# Two at once: what the file says last counts.
	my $before = () = slurp($h->{err}->filename) =~ /reloaded: \d/g;
	for my $events ('syscalls:sys_enter_close', 'syscalls:sys_enter_close syscalls:sys_enter_getppid') {
		spew($conf, join '', map { "$_\n" } "events = $events", @settings);
		live_signal($h, 'HUP');
		load(20);
	}
	ok(wait_until(30, sub { my @done = slurp($h->{err}->filename) =~ /reloaded: (\d+)/g; load(20); @done > $before && $done[-1] == 2 }),
		'two reloads at once: the second is not lost') or diag slurp($h->{err}->filename);

	# Fewer events, and a filter that only higher numbers pass.
	$limit = $next + 100_000;
	ok(reload($h, qr/reloaded: 1 event$/m, 'events = syscalls:sys_enter_close', "filter = syscalls:sys_enter_close: fd < 10 or fd > $limit", @settings), 'fewer of them')
		or diag slurp($h->{err}->filename);
	$dropped = $next;
	load(100);
	others(500);
	$next = $limit + 1;
	load(100);
	live_signal($h, 'TERM');
	live_end($h);
});
is($r->{exit}, 0, 'exit 0') or diag $r->{err};
unlike($r->{err}, qr/another process/, 'its own changes are not taken for those of others');
ok(was_notified(qr/^STOPPING=1$/m), 'it reports that it ends');
is_deeply([glob "$dir/run/*"], [], 'and its socket is gone');
my @files = glob "$dir/a.*.dat";
my @n = numbers(@files);
my @low = grep { $_ < $dropped } @n;
# While the last reload was made, some of the load came before it and some after it.
my $to = $low[-1];
is_deeply(\@low, [$base + 1 .. $to], 'each number is there, up to where a filter leaves them out (else: a reload loses events)');
is_deeply([grep { $_ > $limit } @n], [$limit + 1 .. $limit + 100], 'and those that it passes');
is_deeply([grep { $_ >= $dropped && $_ <= $limit } @n], [], 'and no other');
is(getppids(@files), 1000, 'the other event is recorded from the reload on that names it, up to the one that does not');

# ---- with --flight
{
	# Without a folder: who asks is told where the file is.
	my @flight = ("pid = $$", 'output = f.dat', 'flight = 60s', 'buffer = 4M');
	spew($conf, join '', map { "$_\n" } 'events = syscalls:sys_enter_close', @flight);
	my $from = $next;
	my $end = leaves_nothing('with --flight', sub {
		my $f = start();
		load(300);
		like(ask('--status')->{out}, qr/^$f->{pid}: keeping the newest events for \d+ s: \d+ events, 0 lost, to \Q$dir\E\/f\.dat$/, '--flight: --status');
		my $snap = ask('--snapshot');
		is("$snap->{exit} $snap->{out}", "0 $dir/f.000001.dat\n", '--flight: --snapshot') or diag $snap->{err};
		load(50);
		ok(reload($f, qr/reloaded: 1 event/, 'events = syscalls:sys_enter_getppid', @flight), '--flight: other events') or diag slurp($f->{err}->filename);
		others(200);
		live_signal($f, 'TERM');
		live_end($f);
	});
	is($end->{exit}, 0, '--flight: exit 0') or diag $end->{err};
	is_deeply([numbers("$dir/f.000001.dat")], [$from .. $from + 299], '--flight: a snapshot has what came before it');
	is_deeply([(numbers("$dir/f.000002.dat"))[0 .. 49]], [$from + 300 .. $from + 349], '... a reload writes what came before it (else: nothing says what these events are)');
	is(getppids("$dir/f.000003.dat"), 200, '... and then the other events come, with their format');
}

# ---- with --exec
{
	spew($conf, join '', map { "$_\n" } 'events = syscalls:sys_enter_close', "pid = $$", "output = $dir/x.dat", 'rotate = 500M', 'exec = false');
	leaves_nothing('with --exec', sub {
		my $x = start();
		load(10);
		unlike(ask('--status')->{out}, qr/--exec/, '--exec: nothing has failed');
		is(ask('--snapshot')->{exit}, 0, '--exec: a file');
		ok(wait_until(20, sub { ask('--status')->{out} =~ /; --exec failed for 1 file$/ }), '--status counts failures (else: files that go nowhere are found when they are needed)')
			or diag ask('--status')->{out};
		like(ask('--status', '--json')->{out}, qr/,"exec_failed":1\}$/, '... as JSON too');
		live_signal($x, 'TERM');
		return live_end($x);
	});
}

# ---- one file
{
	spew($conf, "events = syscalls:sys_enter_close\npid = $$\noutput = $dir/one.dat\n");
	my $end = leaves_nothing('one file', sub {
		my $one = start();
		my $snap = ask('--snapshot');
		is($snap->{exit}, 2, 'a recorder of one file has no snapshot');
		like($snap->{err}, qr/^zedtrace: recorder $one->{pid}: it writes one file: those with --rotate or --flight/, '... and says so');
		live_signal($one, 'TERM');
		live_end($one);
	});
	is($end->{exit}, 0, 'one file: exit 0') or diag $end->{err};
}

done_testing();
