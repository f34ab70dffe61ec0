# SPDX-License-Identifier: GPL-2.0-or-later
#
# groups: every script that says "# zedperl: keeps traces apart" gets many traces in one process of zedperl -j, of whatever
# machines come together.  Without it an answer depends on which traces these are: numbers of one machine's system calls,
# addresses, CPUs, times and losses are taken for another's.
# The analyses of tasks and CPUs; those of devices and of the kernel's own work: t/fleet/groups-kernel.t.
#
# of: scripts lib/Zed programs/zedperl/fleet
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Pass;
use Run::Fleet;
use Run::FleetAnalyses;
use Run::Program qw(same);

my $tmp = temp_dir();
my @not = grep { !defined apart($_) } map { m{/([^/]+)\.pl\z} } sort glob 'scripts/*.pl';
is("@not", 'assert compare metrics printall report top', 'all do it but those that have no state (else: a process for each of ten thousand traces)');

groups($_) for small('sched-summary') // grep { of_tasks($_) } analyses();

# A folder, and what has no events, among others.
my @traces = grep { -s } sort glob 't/data/*.dat';
my @texts = grep { /latency/ } @traces;
mkdir "$tmp/dir" or die;
spew("$tmp/dir/trace.dat", slurp('t/data/demo.dat'));
my @odd = ((grep { !/latency/ } @traces)[0 .. 7], @texts, "$tmp/dir");
my $alone = fleet_run({}, '-j', 2, apart('wakeup-latency'), @odd);
my $groups = fleet_run({}, '-j', 1, 'scripts/wakeup-latency.pl', @odd);
same($groups->{out}, $alone->{out}, 'texts of a latency tracer, and a folder, among others: the answer of each by itself (else: a text counts as a trace)');
is($groups->{status}, 1, '... 1');
like($groups->{err}, qr/^zedperl: @{[scalar @texts]} of @{[scalar @odd]} traces failed$/m, '... and the texts fail') or diag $groups->{err};

done_testing();
