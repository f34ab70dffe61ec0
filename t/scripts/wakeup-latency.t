# SPDX-License-Identifier: GPL-2.0-or-later
#
# wakeup-latency: who waited how long for a CPU.  Without it a wait that is counted twice, from the wrong event,
# or across a loss looks like any other.
#
# of: scripts/wakeup-latency.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table) = @_; return @{$r->{data}{tables}{$table}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# Migration, preemption, a waking that comes to nothing, and one before the sleeper has left.
my $text = <<'END';
100 0 0 switch 0 R 10 | 110 0 10 waking 20 | 112 1 0 wakeup 20 | 115 0 10 migrate 20 | 130 0 10 switch 10 R+ 20
150 1 0 waking 20 | 151 1 0 wakeup 20 | 160 0 20 switch 20 S 10 | 170 0 10 waking 20 | 200 0 10 switch 10 R 20
210 1 0 waking 20 | 212 0 20 switch 20 S 10 | 213 1 0 wakeup 20 | 220 0 10 switch 10 S 20
END
my $r = analysis('wakeup-latency', miniature($text));
is($r->{status}, 0, 'exit status') or diag $r->{err};
is_deeply([map { [@$_{qw(comm n total p50 max)}] } rows($r, 'tasks')], [['t20', 3, 58_000, 20_000, 30_000]],
	'three waits of 20, 30 and 8 us (else: one from the wakeup, one from a waking that came to nothing)');
is_deeply([map { [@$_{qw(wait woken pid waker meanwhile)}] } rows($r, 'worst')],
	[[30_000, 1_000_170_000, 20, 't10 10', 't10 10 30.0 us'], [20_000, 1_000_110_000, 20, 't10 10', 't10 10 20.0 us'],
	[8_000, 1_000_212_000, 20, '<idle> 0', 't10 10 8.00 us']], 'the worst first, with who woke and who ran meanwhile');
is(notes($r)->{others}, 2, 'other waits of tasks are told apart');

# A loss hides who was switched in and who was woken.
$r = analysis('wakeup-latency', miniature('100 0 5 waking 20 | 110 0 5 switch 5 S 20 | 120 0 20 switch 20 S 5 | 130 0 5 waking 20
	| 150 0!7 5 waking 30 | 160 0 5 switch 5 S 20 | 170 0 20 switch 20 S 30'));
is_deeply([map { [@$_{qw(comm n max)}] } rows($r, 'tasks')], [['t30', 1, 20_000], ['t20', 1, 10_000]],
	'no wait is taken across a loss, and one that began behind it is (else: made-up latencies, or none)');
is_deeply($r->{data}{lost}, { events => 7, places => 1, unknown => 0 }, 'what was lost is told');
is(notes($r)->{lost_waits}, 1, 'and the waits that this has cost');

# A switch that the kernel did not record.
$r = analysis('wakeup-latency', miniature('100 0 0 switch 0 R 10 | 110 0 10 waking 20 | 150 0 20 waking 30 | 160 0 20 switch 20 S 10'));
is(notes($r)->{missing}, 1, 'a switch that is not there is found');
is_deeply([rows($r, 'tasks')], [], 'and no wait is made of it');

# Keys.
$r = analysis('wakeup-latency', miniature($text), '--by', 'cpu,prio');
is_deeply([map { [@$_{qw(cpu prio n)}] } rows($r, 'tasks')], [[0, 120, 3]], '--by takes several keys');
$r = zedperl({ bare => 1 }, miniature($text), 'wakeup-latency', '--by', 'color');
is($r->{status}, 2, 'a key that is none: 2');
like($r->{err}, qr/^wakeup-latency: --by 'color': it takes comm, pid, cpu, prio/, 'and what there is');

my $text_of = zedperl({ bare => 1 }, miniature($text), 'wakeup-latency');
like($text_of->{out}, qr/^task +n +total .*\nt20 +3 +58\.0 us /m, 'as text: times with their unit');
like(zedperl({ bare => 1 }, miniature($text), 'wakeup-latency', '--exact')->{out}, qr/^task +n +total us .*\nt20 +3 +58\.000 /m, '--exact: a table in us');
like($text_of->{out}, qr/^1 switch to a task of unknown earlier state: its wait is left out$/m, 'one of a thing is one');
my $csv = zedperl({ bare => 1 }, miniature($text), 'wakeup-latency', '--csv=worst');
like($csv->{out}, qr/^wait,woken,ran,cpu,comm,pid,prio,waker,meanwhile\n30000,1000170000,/, '--csv=TABLE: keys and exact values');

done_testing();
