# SPDX-License-Identifier: GPL-2.0-or-later
#
# An aggregation says what was lost meanwhile: how many events, and at how many places an unknown number. Without it an
# agent takes a count that is too small for what happened.
#
# of: programs/zedperl/mcp/tool_aggregate.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Mcp;
use Run::Zedperl;

# Six events, 1 us apart from 1 us on; LOSS of them is {number => lost before it}, -1: an unknown number.
sub lossy { my (%loss) = @_; return trace(events => [map { [0, 1000 * $_, 'mini::tick', $_, $loss{$_} // 0] } 1 .. 6]) }

# What was counted, and what is said to be lost: the limits that have to do with it.
sub counted {
	my ($m, $event, %args) = @_;
	my $r = tool($m, 'aggregate', { kind => 'count', event => $event, %args });
	return $r->{error} if !$r->{data};
	return join "\n", $r->{data}{tables}[0]{rows}[0][0], grep { /lost/ } @{$r->{data}{limits}};
}

my $bounds = 'counts and sums are lower bounds';
for my $case ([{}, ''], [{ 3 => 7 }, '7 events'], [{ 3 => 1 }, '1 event'],
	[{ 5 => -1 }, 'an unknown number at 1 place'],
	[{ 2 => 4, 3 => 7, 4 => -1, 5 => -1 }, '11 events, and an unknown number at 2 places']) {
	my ($loss, $lost) = @$case;
	my $m = mcp(lossy(%$loss));
	is(counted($m, 'mini:tick'), $lost ? "6\nlost meanwhile: $lost; $bounds" : '6',
		'lost: ' . ($lost || 'nothing') . ' (else: a lower bound is taken for a count)');
	is(mcp_end($m), 0, '... the end');
}

{
	my $m = mcp(lossy(2 => 4, 5 => 7));
	is(counted($m, 'mini:tick', from => '0.000004'), "3\nlost meanwhile: 7 events; $bounds",
		'of a time what was lost in it (else: each part has lost all)');
	is(mcp_end($m), 0, '... the end');
}

# A recording: the 339 of trace-cmd's text, and the overrun that its statistics have.
{
	my $lost = 339 + 594;
	my $m = mcp('t/data/be_lost.dat');
	like(counted($m, 'irq:*'), qr/^lost meanwhile: $lost events; $bounds$/m,
		'a recording (else: only made ones are right)');
	is(mcp_end($m), 0, '... the end');
}

done_testing();
