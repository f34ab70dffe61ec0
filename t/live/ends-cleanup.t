# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --cleanup on the running kernel: removes the instances of those that were killed, and no others.  Without it
# they hold memory until the next boot, or somebody's recording ends.
#
# of: programs/zedtrace kernel
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- kill -9, --cleanup
my $alone = live_lock('killed', 1);
{
	my $dead = live_start('zedtrace', '-o', "$dir/dead.dat", 'sched');
	my $alive = live_start('zedtrace', '-o', "$dir/alive.dat", 'sched');
	my ($a, $b) = map { live_ready($_) } $dead, $alive;
	ok($a && $b, 'two recordings');
	live_signal($dead, 'KILL');
	live_end($dead);
	ok(-d $a, 'SIGKILL leaves an instance, as this test needs it');
	my ($held) = $a =~ m{([^/]+)$};
	my $r = zed_run({ time => 60 }, 'zedtrace', '--recover', "$dir/dead.dat.zed");
	# Whether a page of it has reached the disk by then is a matter of time.
	like($r->{err}, qr/^zedtrace: the instance \Q$held\E of a recorder that was killed still holds [1-9]\d* events?: zedtrace --extract \Q$held\E -o FILE saves them\b/m,
		'--recover names the instance with the rest (else: the last moments before the kill are lost)');
	$r = zed_run({ time => 60 }, 'zedtrace', '--extract', $held, '-o', "$dir/rest.dat");
	is($r->{exit}, 0, '--extract saves them') or diag $r->{err};
	ok(-s "$dir/rest.dat", '... into a trace');
	$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
	is($r->{exit}, 0, '--cleanup: exit 0') or diag $r->{err};
	ok(!-e $a, '--cleanup removes what a kill -9 left (else: it holds memory until the next boot)');
	ok(-d $b && slurp("$b/tracing_on") =~ /^1/, '--cleanup leaves the living alone (else: it ends the recording of somebody)');
	my ($name) = $a =~ m{([^/]+)$};
	like("$r->{out}$r->{err}", qr/\b\Q$name\E\b/, 'and says what it removed');
	my ($kept) = $b =~ m{([^/]+)$};
	unlike("$r->{out}$r->{err}", qr/removed[^\n]*\Q$kept\E/, 'and nothing else');
	live_signal($alive, 'INT');
	is(live_end($alive)->{exit}, 0, 'the living one ends well');
	# Killed, but nobody has waited for it: a shell that is busy, a supervisor.
	my $zombie = live_start('zedtrace', '-o', "$dir/zombie.dat", 'sched');
	my $its = live_ready($zombie);
	SKIP: {
		ok($its, 'a third recording') or skip 'none', 2;
		kill 'KILL', $zombie->{pid};
		wait_until(30, sub { slurp("/proc/$zombie->{pid}/stat") =~ /\) Z / });
		$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
		ok(!-e $its, 'a zombie protects no instance (else: it stays until somebody waits for the dead one)')
			or diag "$r->{out}$r->{err}";
		live_end($zombie);
	}
	# Ends of a script that pass by the removal.
	for my $code ('POSIX::_exit(3)', 'kill KILL => $$', 'kill SEGV => $$') {
		my $h = live_start('zedperl', '--live=sched:sched_switch', '-e', "use POSIX (); sub sched::sched_switch { $code }");
		live_end($h);
		my @left = grep { /^zed\.$h->{pid}\./ } live_instances();
		ok(@left > 0, "$code in a handler leaves an instance, as this test needs it");
		$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
		like($r->{out} . $r->{err}, qr/^removed \Q$_\E$/m, "$code: --cleanup says that it removed $_") for @left;
		is(join(' ', grep { /^zed\.$h->{pid}\./ } live_instances()), '', "$code: and has (else: it costs time and memory until the next boot)");
	}
	# Killed a moment ago: still about to close its files.
	my @late;
	for my $try (1 .. 5) {
		my $dying = live_start('zedtrace', '-b', '4M', '-o', "$dir/dying.dat", 'sched');
		my $mine = live_ready($dying) // next;
		kill 'KILL', $dying->{pid};
		$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
		push @late, "$r->{out}$r->{err}" if -e $mine;
		live_end($dying);
	}
	is("@late", '', 'one call is enough right after the kill -9 (else: a second one is needed)');
	# The name of an instance whose process id another process has by now.
	my $again = "$root/instances/zed.$$.1";
	SKIP: {
		mkdir $again or skip "instance: $!", 1;
		$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
		ok(!-e $again, 'a process that has only the number of the dead one does not protect its instance');
		rmdir $again;
	}
	$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
	is($r->{exit}, 0, '--cleanup with nothing to do: exit 0') or diag $r->{err};
}

done_testing();
