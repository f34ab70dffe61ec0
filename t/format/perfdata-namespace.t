# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording that perf makes here and now in a pid namespace: the namespace's tasks have the names that perf script shows, and no task
# outside of it is the idle one.  Without it what is recorded in a container names tasks after others, and looks idle.
#
# of: reader/perf trace/machine.c
# runs: make check
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Process;
use Run::Program;

for my $tool (qw(perf unshare)) {
	plan(skip_all => "$tool is not here") if !grep { -x "$_/$tool" } split /:/, $ENV{PATH};
}

my $dir = zed_tmp();
my $file = "$dir/namespace.data";
my ($status) = reap(spawn({ dir => '/', stdout => '/dev/null', stderr => '/dev/null' }, qw(unshare -f -p --mount-proc perf record -q -a -e),
	'raw_syscalls:sys_enter,cpu-clock', '-o', $file, '--', 'sh', '-c', 'ls /; cat /etc/passwd'), 120);
plan(skip_all => 'perf cannot record in a namespace here: it takes root, and a kernel that allows it') if $status || !-s $file;

my ($perf) = reap(spawn({ stdout => "$dir/perf.out", stderr => '/dev/null' }, qw(perf script --ns -f -F), 'comm,tid,cpu,time,event', '-i', $file), 120);
is($perf, 0, 'perf script reads it');
# {TIME CPU EVENT}: the name and number of a task of the namespace; 0: another.
my %of;
for (split /\n/, slurp("$dir/perf.out")) {
	my ($comm, $tid, $cpu, $time, $event) = /^ *(.*?) +(-?\d+) +\[(\d+)\] +([\d.]+): +(\S+):\s*$/ or next;
	$of{join ' ', $time =~ tr/.//dr + 0, $cpu + 0, $event =~ s/.*://r} = [$tid, $comm];
}

my $r = zed_run({ time => 120 }, 'zedprint', '-f', 'json', $file);
my (%n, @wrong);
for (split /\n/, $r->{out}) {
	my $e = JSON::PP::decode_json($_);
	my ($tid, $comm) = @{$of{join ' ', @$e{qw(ts cpu)}, $e->{event} =~ s/.*:://r} // next};
	my $is_clock = $e->{event} eq 'perf::cpu-clock';
	if ($tid > 0) {
		$n{$is_clock ? 'samples' : 'calls'}++;
		push @wrong, "$e->{event} $e->{pid} $e->{comm}, of perf $tid $comm" if $e->{comm} ne $comm || $is_clock && $e->{pid} != $tid;
	} elsif (!$tid) {
		$n{outside}++;
		push @wrong, "$e->{event} $e->{pid} $e->{comm}, of perf 0" if $is_clock ? $e->{pid} >= 0 : !$e->{pid} || $e->{comm} eq '<idle>';
	}
}
cmp_ok($n{calls} // 0, '>', 20, 'events of tasks of the namespace');
ok(!@wrong, "the names and numbers of @{[map { \"$n{$_} $_\" } sort keys %n]} are right") || diag(join "\n", @wrong > 8 ? @wrong[0 .. 7] : @wrong);
like(zed_run('zedprint', '--summary', $file)->{out}, qr/^ +tasks +recorded in a pid namespace: /m, '--summary says that it is such a recording');

done_testing();
