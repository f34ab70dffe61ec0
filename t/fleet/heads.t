# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first or the last events of a trace (--head, --tail), by a state: the answer is the one of the run. Without it the
# state is of the time of the whole trace, so that rates and shares are too small, and a loss in which --head ends is not there.
#
# of: interp/Zed/Fleet.pm lib/Zed/Report.pm lib/Zed/Asked.pm
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Fleet;
use Run::Zedperl;

for (['--head', 300, qw(summary irq lost waits sched-summary)], ['--head', 1, qw(summary lost)], ['--head', 1_000_000, qw(summary lost)], ['--tail', 300, qw(summary stacks)]) {
	my ($option, $n, @scripts) = @$_;
	for my $script (@scripts) {
		my @in = ($option, $n, 't/data/be_lost.dat', $script);
		my $run = JSON::PP::decode_json(zedperl({ bare => 1 }, @in, '--json')->{out});
		my $state = fleet_fed('', '--map', @in)->{out};
		my $reduced = JSON::PP::decode_json(fleet_fed($state, '--reduce', $script, '--', '--json')->{out});
		is_deeply([@$reduced{qw(start end lost tables)}], [@$run{qw(start end lost tables)}], "$option $n, $script: time, losses and tables are those of the run");
		is_deeply([map { $_->{text} } grep { ($_->{level} // '') eq 'warning' } @{$reduced->{notes}}], [map { $_->{text} } grep { ($_->{level} // '') eq 'warning' } @{$run->{notes}}], 'and the warnings');
	}
}

done_testing();
