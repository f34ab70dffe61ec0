# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same events of the running kernel recorded twice at once, into a large buffer and into tiny ones that lose most: each wait
# and each sleep of these is in the large one, or it is said that it may be wrong.  Without it what real losses do to the answers is
# not known.
#
# of: scripts/waits.pl scripts/off-cpu.pl lib/Zed/Gaps.pm lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Waits.pm ring
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::LossyPair;
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $APART = 20_000_000;	# ns between one event's records in two buffers: some 2000, very many more if the machine is halted meanwhile
my @SCHED = map { "events/sched/sched_$_/enable" } qw(switch waking wakeup wakeup_new);
$ENV{LC_ALL} = 'C';

my (%made, $maker);
END { if (defined $maker && $maker == $$) { my $status = $?; rmdir for values %made; $? = $status } }

# An instance of our own with buffers of KB for each CPU, which records these events.
sub instance {
	my ($name, $kb, @events) = @_;
	my $path = $made{$name} = live_root() . "/instances/zedtest.double.$name.$$";
	$maker = $$;
	live_make_instance($path) or BAIL_OUT("$path: $!");
	put_text("$path/$_->[0]", $_->[1]) for ['tracing_on', 0], ['trace_clock', 'mono'], ['buffer_size_kb', $kb], map { [$_, 1] } @events;
	return $path;
}

sub file_of {
	my ($name) = @_;
	my $r = zed_run({ time => long_limit(), memory => 0 }, 'zedtrace', '--extract', "zedtest.double.$name.$$", '-o', "$dir/$name.dat");
	is($r->{exit}, 0, "$name: its events are taken") or diag $r->{err};
	return "$dir/$name.dat";
}

# Overwritten all the time; and read by a recorder that stands still at times.
my $large = instance('large', 16_384, @SCHED);
my $tiny = instance('tiny', 8, @SCHED);
my $few = instance('few', 64, @SCHED);
put_text("$_/tracing_on", 1) for $large;
my $h = live_start('zedtrace', '-o', "$dir/read.dat", '-b', 8, '-C', 'mono', 'sched:sched_switch', 'sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new');
ok(live_ready($h), 'a recorder with tiny buffers begins') or diag live_end($h, 0)->{err};
put_text("$_/tracing_on", 1) for $tiny, $few;
my $load = drizzle_start(30);
for (1 .. 4) {
	live_signal($h, 'STOP');
	zed_run({ memory => 0 }, 'sh', '-c', 'for i in 1 2 3 4 5 6 7 8; do ls / | cat | wc -l; done');
	live_signal($h, 'CONT');
	zed_run({ memory => 0 }, 'sh', '-c', 'ls / | wc -l');
}
live_signal($h, 'INT');
is(live_end($h)->{exit}, 0, 'the recorder ends');
put_text("$_/tracing_on", 0) for $tiny, $few;
storm_end($load);
put_text("$large/tracing_on", 0);
my $lost = join ' ', map { slurp($_) =~ /^(?:overrun|dropped events): ([1-9]\d*)/mg } glob "$large/per_cpu/cpu*/stats";
my $all = file_of('large');
SKIP: {
	skip "the large buffer has lost events, too: this machine does more than it holds ($lost)", 1 if $lost ne '';
	lossy_agrees('overwritten, 8 KiB', $all, file_of('tiny'), apart => $APART);
	lossy_agrees('overwritten, 64 KiB', $all, file_of('few'), apart => $APART);
	lossy_agrees('read too late', $all, "$dir/read.dat", apart => $APART);
}

done_testing();
