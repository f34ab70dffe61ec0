# SPDX-License-Identifier: GPL-2.0-or-later
#
# split: one trace in parts of its time, by zedperl -j, of every kind of recording. Without it an event at a boundary, or a
# loss, is counted twice or not at all.
#
# of: programs/zedperl reader interp/perl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Fleet;
use Run::FleetSplit;
use Run::Program qw(same);

my $script = script_of('all', $AGGREGATIONS);

# ---- every kind of recording ----

my ($events, $counted, $losses) = (0, 0, 0);
for my $dat (small() ? map { "t/data/$_.dat" } qw(demo lost) : recordings()) {
	my $whole = fleet_run($dat, $script);
	next if $whole->{status} > 1;
	$events++ if $whole->{out} =~ /^order/m;
	$counted++ if $whole->{out} =~ /^(?:quantiles of .*\n)(?=.*\n.*\d)/m && $whole->{out} =~ /^top of (?!.*: no events)/m;
	$losses++ if $whole->{out} =~ /^lost/m;
	for my $n (small() ? (2, 7) : (1, 2, 3, 7)) {
		my $r = fleet_run('-j', $n, $script, $dat);
		same($r->{out}, $whole->{out}, "$dat in $n: the answer of one process (else: an event or a loss is in two parts, or in none)") or diag $r->{err};
		is($r->{status}, $whole->{status}, "$dat in $n: its status");
		unlike($r->{err}, qr/run as a whole/, "$dat in $n: by parts") if !$whole->{status} && $whole->{out} ne '';
	}
}
cmp_ok($events, '>', small(1, 15), 'recordings with events');
cmp_ok($counted, '>', small(0, 10), 'recordings with something to aggregate');
cmp_ok($losses, '>', small(0, 3), 'recordings with losses');

done_testing();
