# SPDX-License-Identifier: GPL-2.0-or-later
#
# summary: what is in a trace, and which analyses suit it.  Without it a reader is sent to an analysis that has nothing to show.
#
# of: scripts/summary.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Compare::RealData;
use Run::Zedperl;

my $r = analysis('summary', miniature('0 0 5 irq 1 | 1 0 5 irqx 1 | 2 1 0 irq 2 | 3 1!4 0 irqx 2 | 9 0!-1 5 irq 1'));
my $tables = $r->{data}{tables};
is_deeply([map { [@$_{qw(event n)}] } @{$tables->{events}{rows}}], [['irq:irq_handler_entry', 3], ['irq:irq_handler_exit', 2]],
	'events, the most frequent first') or diag $r->{err};
is_deeply([map { [@$_{qw(cpu n start end lost unknown)}] } @{$tables->{cpus}{rows}}],
	[[0, 3, 1_000_000_000, 1_000_009_000, 0, 1], [1, 2, 1_000_002_000, 1_000_003_000, 4, 0]], 'CPUs, when they begin and end, and what they lost');
my %suits = map { $_->{script} => $_->{suits} } @{$tables->{scripts}{rows}};
is($suits{irq}, 'yes', 'an analysis whose events are all here suits');
is($suits{softirq}, 'partly: no sched:sched_switch', 'one that lacks some says which');
is($suits{block}, 'no', 'one that has none does not');
is(scalar(grep { !$_->{purpose} } @{$tables->{scripts}{rows}}), 0, 'each says what it answers');
is_deeply([map { $_->{script} } @{$tables->{scripts}{rows}}[0, 1]], ['irq', 'softirq'], 'those that suit come first');

is_deeply([grep { exists $suits{$_} } qw(compare top)], [], 'no script that reads no trace itself (else: it seems to suit everything)');
is($suits{'function-graph'}, 'no', 'what is recorded besides is not what it is about');
$r = analysis('summary', miniature('0 0 5 switch 5 S 6 | 1 0 6 call f 0 | 9 0 6 ret f 0 1 9'));
%suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
is($suits{'function-graph'}, 'yes', 'that is there');
$r = analysis('summary', miniature('0 0 5 switch 5 S 6 | 1 0 6 switch 6 S 5'));
%suits = map { $_->{script} => $_->{suits} } @{$r->{data}{tables}{scripts}{rows}};
is($suits{'function-graph'}, 'no', 'or is not (else: it answers none, and nobody knows why)');

# A recording: what trace-cmd prints of it.
my $dat = Compare::RealData::own() . '/demo.dat';
my ($counts) = Compare::RealData::raw_counts(Compare::RealData::reference($dat, 'raw'));
my %got = map { $_->{event} =~ s/.*://r => $_->{n} } @{analysis('summary', $dat)->{data}{tables}{events}{rows}};
cmp_ok(scalar keys %$counts, '>', 20, 'trace-cmd prints many events');
is_deeply(\%got, $counts, 'a recording: as many of each event as trace-cmd prints (else: a script seems to suit it, and is empty)');

done_testing();
