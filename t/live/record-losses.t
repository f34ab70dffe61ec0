# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace on the running kernel that is too slow for a load of known size: events and losses are together that size.
# Without it losses are hidden, and scripts trust a trace that lacks most.
#
# of: programs/zedtrace record interp/api
# runs: make check
use strict;
use warnings;
use File::Copy qw(copy);
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $long = long_limit();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# A command of its own name, for filters: no other process of the machine is taken for it.
my ($dd) = grep { -x } map { "$_/dd" } split /:/, $ENV{PATH};
my $my_dd = "$dir/dd73.$$";
copy($dd, $my_dd) or die "$my_dd: $!\n";
chmod 0755, $my_dd;
my $my_comm = substr "dd73.$$", 0, 15;

# ---------------------------------------------------------------- losses: a load of known size
my $COUNT = 100_000;
for my $o (['a small buffer', '-b', 8], ['a small buffer of large sub-buffers', '-b', 64, '-s', 16]) {
	my ($what, @opts) = @$o;
	my $file = "$dir/storm.dat";
	unlink $file;
	# The recorder stands still during the first and third quarter of the load: it cannot be fast enough.
	my $r = zed_run({ time => $long, memory => 0 }, 'zedtrace', '-o', $file, @opts,
		'-F', "syscalls:sys_enter_write: fd == 1 and comm == \"$my_comm\"", 'syscalls:sys_enter_write',
		'--', '/bin/sh', '-c', 'for signal in STOP CONT STOP CONT; do kill -$signal $PPID; "$@" || break; done; kill -CONT $PPID', 'sh',
		$my_dd, 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=' . $COUNT / 4, 'status=none');
	my $report = live_report($r->{err});
	SKIP: {
		ok($report, "$what: a report") or diag $r->{err}, skip 'no report', 9;
		is($r->{exit}, 0, "$what: losing events is no failure of zedtrace") or diag $r->{err};
		adds_up($what, $file, $report);
		cmp_ok($report->{dropped}, '>', 0, "$what: events were lost, as this test needs it");
		is($report->{events} + $report->{dropped}, $COUNT, "$what: events and dropped are what the program did (else: losses are hidden)");
		is($report->{kinds} && eval { my $n = 0; $n += $_ for @{$report->{kinds}}; $n }, $report->{dropped},
			"$what: the kinds of loss add up");
		my $p = zed_run({ time => $long }, 'zedperl', '-e', 'my ($n, $l) = (0, 0); sub trace_unhandled { $n++ }' .
			' sub trace_lost { $l += $_[1] // 0 } sub trace_end { print $n, " ", $n + $l }', $file);
		is($p->{out}, join(' ', $report->{events}, $COUNT), "$what: trace_lost is told all of them (else: scripts trust a trace that lacks most)")
			or diag $p->{err};
	}
}

done_testing();
