# SPDX-License-Identifier: GPL-2.0-or-later
#
# The memory and the descriptors of zedperl mcp over a thousand calls. Without it a server that an agent keeps for a day
# takes all.
#
# of: programs/zedperl/mcp
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Mcp;
use Run::Program;

my $m = mcp('t/data/demo.dat', 't/data/perf/sched.data');
my $n = 0;

sub resident { return slurp("/proc/$m->{pid}/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 : die "no VmRSS\n" }
sub descriptors { return scalar(() = glob "/proc/$m->{pid}/fd/*") }

my @CALLS = (['events', { trace => 'demo.dat', rows => 3 }], ['answer', { trace => 'demo.dat', analysis => 'waits' }], ['events', { trace => 'nosuch' }],
	['aggregate', { trace => 'sched.data', kind => 'count', event => '*:*', by => 'event' }], ['events', { trace => 'sched.data', filter => 'x' }], ['nosuch', {}]);

# So many calls of all kinds, four at a time.
sub ask_all {
	my ($times) = @_;
	my $bad = 0;
	for (1 .. $times / 4) {
		my @ids = map { tool_start($m, @{$CALLS[$n++ % @CALLS]}) } 1 .. 4;
		# Analyses are kept: most calls are of a new range.
		$CALLS[1][1]{from} = sprintf '7.1%04d', $n % 10_000 if $n % 50 < 4;
		$bad += grep { my $r = tool_result($m, $_); !$r->{data} && !length $r->{error} } @ids;
	}
	return $bad;
}

is(ask_all(60), 0, 'sixty calls');
my ($before, $open) = (resident(), descriptors());
is(ask_all(small(60, 1000)), 0, 'and ' . small(60, 1000) . ' more');
my $after = resident();
my $more = $ENV{ZED_SAN} ? 300_000 : 1024;	# a sanitizer keeps what is freed for a while
cmp_ok($after, '<', $before + $more, "$before KiB, then $after KiB (else: it grows with each)");
cmp_ok($after, '<', $ENV{ZED_SAN} ? 1_000_000 : 60_000, 'and that is little');
cmp_ok(descriptors(), '<=', 40, "$open descriptors, then " . descriptors() . ' (else: each call leaves one open)');
is(mcp_end($m), 0, 'the end');

done_testing();
