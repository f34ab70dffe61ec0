# SPDX-License-Identifier: GPL-2.0-or-later
#
# A name among the asked fields that no row's event has is a limit of the answer, with the nearest name. Without it a
# misspelt field is a column of nulls, which an agent takes for values that are not there.
#
# of: programs/zedperl/mcp/asked_fields.c programs/zedperl/mcp/tool_events.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Mcp;

my $m = mcp('t/data/demo.dat');

# The limits of a list of events with these fields, a line each.
sub limits {
	my ($fields, %args) = @_;
	my $r = tool($m, 'events', { event => 'sched:sched_switch', rows => 3, %args, fields => $fields });
	return $r->{error} // join "\n", @{$r->{data}{limits}};
}

is(limits(['next_comm', 'common_pid']), '', 'fields that are there are no limit (else: every answer is doubted)');
is(limits(['next_comm', 'zzzzzzzz']), q{no row has a field 'zzzzzzzz'},
	'one that no event has is one (else: a column of nulls looks like a fact)');
is(limits(['next_com', 'prev_pid', 'zzzzzzzz']),
	q{no row has a field 'next_com' (did you mean 'next_comm'?), 'zzzzzzzz'},
	'... with the nearest name, and the others in the same limit (else: one mistake is mended at a time)');
is(limits(['next_pid', 'target_cpu'], event => 'sched:*', rows => 60), '',
	'that of some of the rows is none (else: a list of two events is always doubted)');
is(limits(['wakeup_pid', 'wakeup_pit'], event => 'sched::wakeup'),
	q{no row has a field 'wakeup_pit' (did you mean 'wakeup_pid'?)},
	'of a stable event by its own names (else: those of this kernel are suggested)');
is(limits('next_com'), q{no row has a field 'next_com' (did you mean 'next_comm'?)}, 'a field alone');
is(limits(['zzzzzzzz'], filter => 'sched:sched_switch:next_pid == 123456'), '',
	'without rows it is not known');

# Names of any kind, as many as there may be, in the smallest budget.
my $r = tool($m, 'events', { event => 'sched:sched_switch', chars => 3000,
	fields => [map { "$_\\\"" . "\x{202e}" x 30 } 1 .. 8] });
is($r->{error}, undef, 'names that turn the direction of writing are answered (else: the answer does not fit)');
cmp_ok($r->{bytes}, '<=', 3000, '... within the budget');
unlike(join('', @{$r->{data}{limits}}), qr/\x{202e}/, '... and made plain (else: a terminal shows another text)');
cmp_ok(scalar @{$r->{data}{limits}}, '==', 1, '... as one limit');

is(mcp_end($m), 0, 'the end');

done_testing();
