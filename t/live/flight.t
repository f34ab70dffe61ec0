# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --flight on the running kernel: of a load whose events are numbered, the newest are in the file, up to the
# moment that asked for it, each in one file only; a signal, an event and the end ask for one.  Without it what led to the
# moment is missing.
#
# of: record/flight programs/zedtrace
# runs: make check
use strict;
use warnings;
use File::Spec ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Compare::Stock;
use Run::Clock;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $none = stock_missing();
plan skip_all => live_cannot($none) if $none;

my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);
my $nproc = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;
my $base = 1_000_000 * (1 + $$ % 2000);	# numbers of this test's own: another run of it may trace at the same time
my $next = $base + 1;
my $EVENT = 'syscalls:sys_enter_close';

# COUNT numbered events: close() of descriptors that are not there.
sub load {
	my ($count) = @_;
	POSIX::close($next++) for 1 .. $count;
	return $next - 1;
}

# The numbers in FILE, as trace-cmd reads them.
sub numbers {
	my ($file) = @_;
	return grep { $_ > $base && $_ < $base + 1_000_000 } map { /close.*\bfd[:=] ?(?:0x)?([0-9a-f]+)/ ? hex $1 : () } split /\n/, stock_text($file);
}

sub file { return sprintf '%s/%s.%06d.dat', $dir, @_ }

# zedtrace with OPTIONS, after a hash as live_start() has it.
sub start {
	my $o = ref $_[0] ? shift : {};
	my $h = live_start($o, 'zedtrace', $EVENT, '-P', $$, @_);
	$h->{instance} = live_ready($h) or BAIL_OUT('it does not start: ' . live_end($h)->{err});
	# It catches the signal when all is set up.
	wait_until(20, sub { live_catches($h->{pid}, POSIX::SIGUSR1()) });
	wait_until(30, sub { grep { (eval { slurp("$_/set_event") } // '') =~ /\S/ } glob live_root() . "/instances/zed.$h->{pid}.*.names" });
	wait_until(60, sub { is_armed($h) }) or diag('it waits for no event') if grep { $_ eq '--when' } @_;
	return $h;
}

# Does it wait for the events of --when?  A new instance has tracing on, but no event, and events are enabled while it is off.
sub is_armed {
	my ($h) = @_;
	my @waits = glob live_root() . "/instances/zed.$h->{pid}.*.{when,value}";
	return grep { (eval { slurp("$_/set_event") } // '') =~ /\S/ && (eval { slurp("$_/tracing_on") } // '') =~ /^1/ } @waits;
}

sub wants {
	my ($h, $file) = @_;
	live_signal($h, 'USR1');
	return wait_until(20, sub { -e $file });
}

# By time, at a signal.
{
	my ($old, $first, $last, @second, @end);
	my $r = leaves_nothing('at a signal', sub {
		my $h = start('--flight', '1s', '-o', "$dir/t.dat");
		# More than a page of them, as pages are the grain.
		$old = load(2000);
		sleep 2;	# twice the window, so that what was before is out of it
		$first = $next;
		$last = load(5000);
		ok(wants($h, file('t', 1)), 'SIGUSR1: there is a file') or diag(live_end($h)->{err});
		sleep 1.1;	# a window, so that the second file has none of the first
		@second = ($next + 0, load(300));
		ok(wants($h, file('t', 2)), 'another one: another file');
		@end = ($next + 0, load(10));
		live_signal($h, 'TERM');
		live_end($h);
	});
	is($r->{exit}, 0, 'exit 0') or diag($r->{err});
	my @n = numbers(file('t', 1));
	is_deeply([grep { $_ >= $first } @n], [$first .. $last], 'the last second is there, whole (else: what led to it is missing)');
	cmp_ok($n[0], '>', $old - 300, 'what is older is not (else: it is no window)');
	is_deeply([numbers(file('t', 2))], [$second[0] .. $second[1]], 'the second file has what came since, and nothing of the first');
	is_deeply([numbers(file('t', 3))], [$end[0] .. $end[1]], 'without --when the end writes as well');
	ok(!-e file('t', 4), '... once');
	like($r->{err}, qr/t\.000001\.dat: SIGUSR1: \d+ events of the last \d\.\d+ s; tracing was off for [\d.]+ ms$/m,
		'how much it is, and how long nothing was recorded, is said');
	my %counted = map { /^(\d+)\n/ ? ($1 => $_) : () } split /^CPU: /m, Compare::Stock::raw_text(file('t', 1), '--stat');
	my $of = sub { my ($cpu, $key) = @_; return $counted{$cpu} =~ /^$key: *(\d+)/m ? $1 : 0 };
	my %here;
	$here{$_}++ for split /\n/, zed_run('zedperl', '-e', 'Zed::on("*:*", args => ["cpu"], sub { print "$_[0]\n" })', file('t', 1))->{out};
	cmp_ok($of->($_, 'read events') + $of->($_, 'entries') - $of->($_, 'left out'), '==', $here{$_}, "CPU $_: the statistics say how many events were out of the window (else: it counts as a CPU of which the file lacks some)")
		for sort keys %here;
	is(dat_events(file('t', 1))->{clock}, 'mono', 'the clock is in the file');
	is((stat file('t', 1))[2] & 0777, 0600, 'it is for its owner alone');
}

# The window ends when the file is asked for, however long it takes to make one: a disk may be busy.
{
	my $clock = clock_new();
	my $env = clock_env($clock);
	$env->{LD_PRELOAD} .= ':' . File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so');
	my $h = start({ env => { %$env, ZED_SHIM => "wait=c.000001.dat.zed:$dir/free" } }, '--flight', '10s', '-o', "$dir/c.dat");
	my ($first, $last) = ($next + 0, load(1000));
	live_signal($h, 'USR1');
	ok(wait_until(20, sub { slurp("$h->{instance}/tracing_on") =~ /^0/ }), 'a file is asked for: tracing stands still');
	clock_forward($clock, 60);
	put_text("$dir/free", "\n");
	ok(wait_until(60, sub { -e file('c', 1) }), '... a minute later there is the file');
	live_signal($h, 'INT');
	live_end($h);
	is_deeply([grep { $_ >= $first } numbers(file('c', 1))], [$first .. $last],
		'... with what came before the signal (else: a busy disk, and what led to the moment is missing)');
}

# By size; the end of a command asks for it.
{
	my $n = 200_000;
	my $r = leaves_nothing('by size', sub {
		zed_run({ time => 60, memory => 0 }, 'zedtrace', '-c', $EVENT, '--flight', '512K', '-o', "$dir/s.dat", '--', 'taskset', '-c', 0, $^X, '-e',
			"use POSIX (); POSIX::close($base + \$_) for 1 .. $n; exit 3")
	});
	is($r->{exit}, 3, 'the exit status is that of the command');
	my @n = numbers(file('s', 1));
	my %seen;
	is($n[-1], $base + $n, 'the last of all events is there');
	ok(!(grep { $seen{$_}++ } @n), '... none twice');
	is_deeply(\@n, [$n[0] .. $n[-1]], '... and all before it, as far back as they go');
	my $bytes = dat_bytes(dat_events(file('s', 1)));
	# Each CPU has a sub-buffer more, that which is being read.
	ok($bytes <= (512 + 4 * $nproc) * 1024, 'no more than the kernel was to keep') or diag($bytes);
	cmp_ok(scalar @n, '>', 3000, '... and that is used');
}

# At an event, which the kernel filters.
{
	my ($wanted, $h);
	my $r = leaves_nothing('--when', sub {
		$h = start('--flight', '10s', '-o', "$dir/w.dat", '--keep', 2, '--when', "$EVENT: " . join(' or ', map { 'fd == ' . ($base + 500_000 + $_) } 0 .. 2));
		load(500);
		sleep 0.5;	# nothing is to come
		ok(!-e file('w', 1), 'nothing happens before');
		for my $i (1 .. 3) {
			POSIX::close($base + 500_000 + $i - 1);
			wait_until(20, sub { -e file('w', $i) }) or diag("no file $i");
			sleep 1.2;	# of events within a second one writes a file
		}
		live_signal($h, 'INT');
		live_end($h);
	});
	is($r->{exit}, 0, '--when: exit 0') or diag($r->{err});
	is_deeply([map { -e file('w', $_) ? 1 : 0 } 1 .. 4], [0, 1, 1, 0], 'a file for each such event, none at the end, --keep 2 stay');
	is_deeply([numbers(file('w', 2))], [$base + 500_001], 'the event that asked for it is in it');
	$r = zed_run({ time => 60 }, 'zedtrace', $EVENT, '--flight', '1s', '--when', 'sched:no_such_event', '-o', "$dir/n.dat");
	is("$r->{exit} $r->{err}" =~ /\A2 zedtrace: --when: .*no_such_event/ ? 'told' : $r->{err}, 'told', '--when that names no event is refused');
	$r = zed_run({ time => 60 }, 'zedtrace', $EVENT, '--flight', '1s', '--when', "$EVENT: no_field == 1", '-o', "$dir/n.dat");
	is("$r->{exit} $r->{err}" =~ /\A2 zedtrace: .*no_field/ ? 'told' : $r->{err}, 'told', '... and one whose filter the kernel does not take');
	$r = zed_run({ time => 60 }, 'zedtrace', $EVENT, '--flight', '1s', '-C', 'counter', '-o', "$dir/n.dat");
	like($r->{err}, qr/the age of an event is unknown with the clock counter/, 'a clock that tells no time has no last second');
	is(scalar(() = glob "$dir/n.*"), 0, '... and nothing is made');
}

# Two at once that were given one name.
{
	my @h = map { start('--flight', '64K', '-o', "$dir/b.dat") } 1, 2;
	my @seen;
	for my $i (0, 1) {
		load(100);
		ok(wants($h[$i], file('b', $i + 1)), "number $i of two with one name: its file has a number of its own (else: it writes over the other's)");
		live_signal($h[$i], 'INT');
		my $r = live_end($h[$i]);
		is($r->{exit}, 0, '... and it ends well') or diag($r->{err});
		push @seen, $r->{err} =~ /^zedtrace: (\S+\.dat): /mg;
	}
	is_deeply([sort @seen], [sort glob "$dir/b.*.dat"], 'each file that one of them tells of is there, once (else: a recording is lost, and nobody says so)');
}

# A file that cannot be written.
{
	mkdir "$dir/gone" or die "mkdir: $!\n";
	my $h = start('--flight', '64K', '-o', "$dir/gone/g.dat");
	rmdir "$dir/gone" or die "rmdir: $!\n";
	load(100);
	live_signal($h, 'USR1');
	ok(wait_until(20, sub { slurp($h->{err}->filename) =~ /cannot make/ }), 'a file that cannot be written is told at once');
	mkdir "$dir/gone" or die "mkdir: $!\n";
	my $first = $next;
	my $last = load(100);
	live_signal($h, 'INT');
	my $r = live_end($h);
	is($r->{exit}, 1, '... and by exit 1 at the end');
	my ($file) = glob "$dir/gone/g.*.dat";
	is_deeply([grep { $_ >= $first } $file ? numbers($file) : ()], [$first .. $last], '... but the recorder goes on (else: one full disk, and nothing of the days that follow is kept)');
	like($r->{err}, qr{^zedtrace: cannot make \Q$dir\E/gone/g\.000001\.dat\S* .*No such file}m, '... and it is said');
	unlike($r->{err}, qr/nothing asked/, '... and not that nothing asked for it (else: its user looks for a signal that was lost)');
}

# What kill -9 leaves is found.
{
	my $alone = live_lock('killed', 1);
	my $h = start('--flight', '64K', '-o', "$dir/k.dat", '--when', $EVENT . ': fd == 7777');
	my @mine = grep { /^zed\.$h->{pid}\./ } live_instances();
	is(scalar @mine, 3, 'its instances: what is kept, names, --when') or diag("@mine");
	live_signal($h, 'KILL');
	live_end($h);
	zed_run({ time => 60 }, 'zedtrace', '--cleanup');
	is_deeply([grep { /^zed\.$h->{pid}\./ } live_instances()], [], '--cleanup finds them all (else: they cost memory and time for ever)');
}

done_testing();
