# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder switches its events off before it removes its tracing instance, and so does --cleanup.  Without it the kernel
# does that itself, under a lock that whoever opens a file of tracefs waits for: beside another recorder of all events for
# twenty seconds, in which a flight recorder misses its moment and a server drops its client.
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

done_testing();
