# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder switches its events off before it removes its tracing instance, and so does --cleanup.  Without it the kernel
# does that itself, under a lock that whoever opens a file of tracefs waits for: beside another recorder of all events for
# twenty seconds, in which a flight recorder misses its moment and a server drops its client.  And a start removes what
# dead ones left: without it each goes on tracing until the next boot.
#
# of: kernel/session programs/zedtrace
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $dir = zed_tmp();

# A file of the instance that is open keeps it from being removed, so that what was done before can be seen.
sub held {
	my ($signal) = @_;
	my $h = live_start('zedtrace', 'sched', 'timer', 'syscalls:sys_enter_close', '-o', "$dir/$signal.dat");
	my $instance = live_ready($h) or BAIL_OUT('it does not start: ' . live_end($h)->{err});
	open my $held, '<', "$instance/trace_pipe" or die "$instance/trace_pipe: $!\n";
	live_signal($h, $signal);
	return ($instance, $held, live_end($h));
}

my ($instance, $held, $r) = held('INT');
like($r->{err}, qr/cannot remove the tracing instance \Q$instance\E: .*zedtrace --cleanup/, 'an instance that somebody uses stays, which is said');
is(slurp("$instance/set_event"), '', '... but its events are off (else: they cost time for ever, and to remove them takes a lock of all)');
close $held;

my $alone = live_lock('killed', 1);
my ($killed, $still) = held('KILL');
like(slurp("$killed/set_event"), qr/^sched:sched_switch$/m, 'kill -9 leaves events on');
zed_run({ time => 60 }, 'zedtrace', '--cleanup');
ok(!-e $instance, '--cleanup removes the one that nobody uses any more');
is(slurp("$killed/set_event"), '', '... and switches off the events of the one that it cannot remove');
close $still;
zed_run({ time => 60 }, 'zedtrace', '--cleanup');
ok(!-e $killed, '... which goes when it is free');

# ---------------------------------------------------------------- a start

sub name_of { return $_[0] =~ s{.*/}{}r }

# A recorder that was killed: its instance.
my $dead = 0;
sub dead {
	my $h = live_start('zedtrace', '-o', "$dir/dead." . ++$dead . '.dat', 'sched:sched_switch');
	my $left = live_ready($h) or BAIL_OUT('it does not start: ' . live_end($h)->{err});
	$left =~ s/\.names$//;
	live_signal($h, 'KILL');
	live_end($h);
	return $left;
}

sub start {
	my (@cmd) = @_;
	delete local $ENV{ZED_KEEP_DEAD};
	return zed_run({ time => 60, memory => 0 }, @cmd);
}

my $alive = live_start('zedtrace', '-o', "$dir/alive.dat", 'sched:sched_switch');
my $its = live_ready($alive);
for my $case (['zedtrace', '-o', "$dir/new.dat", '-d', '0.1', 'sched:sched_process_exit'],
	['zedtrace', '--flight', '1M', '-o', "$dir/new.dat", '-d', '0.1', 'sched:sched_process_exit'],
	['zedperl', '--live=sched:sched_process_exit', '-d', '0.1', '-e', 'sub trace_unhandled {}']) {
	my $what = join ' ', grep { !m{/} } @$case[0 .. 1];
	my $left = dead();
	my $name = name_of($left);
	is(slurp("$left/tracing_on"), "1\n", "$what: a dead recorder goes on tracing, as this test needs it");
	my $s = start(@$case);
	is($s->{exit}, 0, "$what: exit 0") or diag $s->{err};
	is(join(' ', grep { -e } $left, "$left.names"), '', "$what removes it, with that of its names (else: it costs time at each event, for ever)");
	like($s->{err}, qr/^zed\w+: removed \Q$_\E, which went on tracing: its process ended without removing it$/m, "$what says so: $_") for $name, "$name.names";
	unlike($s->{err}, qr/removed \Q@{[name_of($its)]}\E/, "$what leaves that of a living one");
}
like(slurp("$its/tracing_on"), qr/^1/, 'the living one still records (else: a start ends the recordings of others)');

# Who reads what a dead one left is not disturbed.
{
	my $left = dead();
	my $reader = live_start('zedtrace', '--instance', name_of($left), '-o', "$dir/read.dat");
	ok(live_ready($reader), 'a recorder reads what a dead one left');
	my $s = start('zedtrace', '-o', "$dir/new.dat", '-d', '0.1', 'sched:sched_process_exit');
	like(-e $left ? slurp("$left/set_event") : '', qr/^sched:sched_switch$/m, '... and a start leaves that alone (else: its reader gets no more events)');
	unlike($s->{err}, qr/removed \Q@{[name_of($left)]}\E,/, '... without a word');
	live_signal($reader, 'INT');
	my $r = live_end($reader);
	is($r->{exit}, 0, '... until its reader has ended') or diag $r->{err};
	zed_run({ time => 60 }, 'zedtrace', '-o', "$dir/new.dat", '-d', '0.1', 'sched:sched_process_exit');
	ok(-e $left, 'ZED_KEEP_DEAD keeps it (else: --extract of what a crashed recorder had is a race)');
	start('zedtrace', '-o', "$dir/new.dat", '-d', '0.1', 'sched:sched_process_exit');
	ok(!-e $left, '... and the next start removes it');
}
live_signal($alive, 'INT');
is(live_end($alive)->{exit}, 0, 'the living one ends well');

done_testing();
