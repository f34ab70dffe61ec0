# SPDX-License-Identifier: GPL-2.0-or-later
#
# A CPU that goes and comes while zedtrace records from the running kernel.  Without it a recording ends, or lacks the
# events of that CPU without a word.
#
# of: programs/zedtrace kernel record
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $long = long_limit();
$ENV{LC_ALL} = 'C';

my $online = '/sys/devices/system/cpu/cpu1/online';
my $off;
END { put_text($online, '1') if $off }

# Events that left the buffer of CPU in an instance.
sub read_of {
	my ($inst, $cpu) = @_;
	return (eval { slurp("$inst/per_cpu/cpu$cpu/stats") } // '') =~ /^read events: (\d+)/m ? $1 : 0;
}

# ---------------------------------------------------------------- a CPU goes and comes
SKIP: {
	skip live_cannot('no CPU can be taken away here'), 1 if !-w $online || slurp($online) !~ /^1/;
	my $alone = live_lock('cpus', 1);
	my $file = "$dir/cpu.dat";
	my $h = live_start('zedtrace', '-o', $file, 'sched', 'irq');
	my $inst = live_ready($h);
	system 'taskset', '-c', 1, '/bin/true' for 1 .. 3;
	$off = put_text($online, '0') && slurp($online) =~ /^0/;
	# A recorder that begins when a CPU is not there.
	my $other = $off && zed_run({ time => $long, memory => 0 }, 'zedtrace', '-o', "$dir/off.dat", 'sched', '--', '/bin/true');
	my $late = $off && live_start('zedtrace', '-o', "$dir/late.dat", 'sched');
	my $its = $late ? live_ready($late) // '' : '';
	my $alive = kill 0, $h->{pid};
	put_text($online, '1') if $off;
	my $back = mono_now();
	system 'taskset', '-c', 1, '/bin/true' for 1 .. 5;
	my $before = read_of($inst, 1);
	# They open its file at their next look for CPUs.
	wait_until(30, sub { read_of($its, 1) > 0 && read_of($inst, 1) > $before }) if $off;
	live_signal($_, 'INT') for grep { $_ } $h, $late;
	my $r = live_end($h);
	my $s = $late && live_end($late);
	undef $alone;
	skip live_cannot('CPU 1 did not go'), 1 if !$off;
	ok($alive, 'a CPU that goes does not end the recording');
	is($r->{exit}, 0, 'exit 0') or diag $r->{err};
	my $report = live_report($r->{err});
	my $behind = 0;
	my $sum = eval { dat_events($file, sub { $behind++ if $_[0] == 1 && $_[2] / 1e9 > $back }) } // {};
	is($sum->{events}, $report && $report->{events}, 'all events are in the file');
	cmp_ok($behind, '>', 0, 'those of the CPU that came back too');
	is($other->{exit}, 0, 'a recording with a CPU missing') or diag $other->{err};
	is($s->{exit}, 0, 'a recording into which a CPU comes') or diag $s->{err};
	my $said = live_report($s->{err});
	$behind = 0;
	$sum = eval { dat_events("$dir/late.dat", sub { $behind++ if $_[0] == 1 }) } // {};
	is($sum->{events}, $said && $said->{events}, 'has all events');
	cmp_ok($behind, '>', 0, 'and the events of that CPU (else: they are lost without a word)');
	ok(!-e $inst, 'the instance is gone');
}

done_testing();
