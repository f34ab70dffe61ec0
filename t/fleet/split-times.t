# SPDX-License-Identifier: GPL-2.0-or-later
#
# split-times: a time of one trace in parts, by zedperl -j: losses before the first part and after the last. Without it they
# are counted twice, or are not said.
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

my $script = script_of('all', $AGGREGATIONS);
my $pairs = script_of('pairs', $PAIRS);

my $told = 0;
for my $lost (grep { -s } map { "t/data/$_.dat" } small() ? 'lost' : qw(lost be_lost armhf_lost_count)) {
	my ($first, $last) = split ' ', fleet_run('-e', 'sub trace_begin { print Zed::start(), " ", Zed::end() }', $lost)->{out};
	my ($early, $later) = map { int($first + ($last - $first) * $_) . 'ns' } 0.3, 0.7;
	for my $times (['--start', $later], ['--end', $early], ['--start', $early, '--end', $later], ['--start', $last + 1 . 'ns']) {
		for my $what ($script, $pairs) {
			my $one = fleet_run(@$times, $lost, $what);
			$told++ if $one->{out} =~ /^lost /m;
			for my $n (small() ? 2 : (1, 2, 3, 7)) {
				my $r = fleet_run('-j', $n, @$times, $what, $lost);
				is_deeply([@$r{qw(out status)}], [@$one{qw(out status)}], "@$times $lost in $n: losses before the first part and after the last, too (else: nobody tells of them)");
				is($r->{err}, $one->{err}, '... and what is said, such as that nothing is there') if $what eq $script;
			}
		}
	}
}
cmp_ok($told, '>', small(0, 3), 'losses outside of times');

done_testing();
