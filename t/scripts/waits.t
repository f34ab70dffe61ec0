# SPDX-License-Identifier: GPL-2.0-or-later
#
# waits: all waits for a CPU, by kind.  Without it most of the time that tasks wait is in no table, or a wait that never was is the longest.
#
# of: scripts/waits.pl scripts/wakeup-latency.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table) = @_; return @{$r->{data}{tables}{$table}{rows} // []} }
sub kinds { return map { [@$_{qw(comm kind n total max)}] } rows($_[0], 'tasks') }
sub told { my ($r, $key) = @_; return (grep { $_->{key} eq $key } @{$r->{data}{notes}})[0] // {} }

# Of each kind one: 20 is woken, preempted, leaves ready; 31 is new.
my $dat = miniature(<<'END');
100 0 0 switch 0 R 10 | 110 0 10 waking 20 | 130 0 10 switch 10 R+ 20 | 140 0 20 switch 20 R+ 10 | 190 0 10 switch 10 S 20
200 0 20 switch 20 R 10 | 270 0 10 new 31 | 280 0 10 switch 10 S 20 | 290 0 20 switch 20 S 31 | 300 0 31 switch 31 S 0
END
my $r = analysis('waits', $dat);
is($r->{status}, 0, 'exit status') or diag $r->{err};
is_deeply([kinds($r)], [['t20', 'left-ready', 1, 80_000, 80_000], ['t20', 'preempted', 1, 50_000, 50_000], ['t20', 'woken', 1, 20_000, 20_000],
	['t31', 'new', 1, 20_000, 20_000], ['t10', 'preempted', 1, 10_000, 10_000]], 'a row for each task and kind, the longest in all first');
is_deeply([map { [@$_{qw(kind n total)}] } rows($r, 'kinds')], [['woken', 1, 20_000], ['preempted', 2, 60_000], ['left-ready', 1, 80_000], ['new', 1, 20_000]],
	'by kind');
is_deeply([map { [@$_{qw(wait kind woken pid waker meanwhile)}] } (rows($r, 'worst'))[0, 1]],
	[[80_000, 'left-ready', 1_000_200_000, 20, undef, 't10 10 80.0 us'], [50_000, 'preempted', 1_000_140_000, 20, undef, 't10 10 50.0 us']],
	'the longest of any kind, and who ran meanwhile');

# One kind, and what wakeup-latency says.
$r = analysis('waits', $dat, '--kind', 'woken');
my $w = analysis('wakeup-latency', $dat);
is_deeply([$r->{data}{tables}{tasks}{rows}, $r->{data}{tables}{worst}], [$w->{data}{tables}{tasks}{rows}, $w->{data}{tables}{worst}],
	'--kind woken is what wakeup-latency has');
is_deeply([kinds(analysis('waits', $dat, '--kind', 'preempted,new', '--by', 'kind'))], [[undef, 'preempted', 2, 60_000, 50_000], [undef, 'new', 1, 20_000, 20_000]],
	'several kinds, by kind');
my $other = told($w, 'others');
is_deeply([@$other{qw(n level)}], [4, 'warning'], 'wakeup-latency warns of the others');
is(($w->{data} && zedperl({ bare => 1 }, $dat, 'wakeup-latency')->{out}) =~ s/\n.*//sr,
	"4 more waits for a CPU, 160 us in all, the longest 80.0 us, did not begin with a wakeup and are not counted here: " .
	"preempted 60.0 us (2), left-ready 80.0 us (1), new 20.0 us (1). All waits: 'zedperl TRACE waits'", 'in its first line: how much, of what kind, and the command');
is(told(analysis('wakeup-latency', $dat, '--new'), 'others')->{n}, 3, '--new: what is counted is no other');

# A ready task is woken once more: it ran and slept in between, and nobody saw that.
$dat = miniature('100 0 0 switch 0 R 10 | 110 0 10 waking 20 | 150 1 7 waking 20 | 160 0 10 switch 10 S 20 | 170 0 20 switch 20 R 10 | 185 1 7 waking 20 | 190 0 10 switch 10 S 20');
$r = analysis('waits', $dat, '--by', 'pid,kind');
is_deeply([map { [@$_{qw(pid kind n total max)}] } rows($r, 'tasks')], [[20, 'woken', 2, 15_000, 10_000]],
	'a second waking begins the wait anew (else: the longest of all waits never happened)');
is(told($r, 'woken_again')->{n}, 2, 'and that is told');
$r = analysis('waits', miniature('100 0 0 switch 0 R 20 | 170 0 20 switch 20 R 10 | 170 1 7 waking 20 | 190 0 10 switch 10 R+ 20 | 200 0 20 switch 20 R+ 10 | 205 1 7 waking 20
	| 230 0 10 switch 10 S 20'), '--by', 'pid,kind');
is_deeply([map { [@$_{qw(pid kind n total)}] } grep { $_->{pid} == 20 } rows($r, 'tasks')], [[20, 'preempted', 1, 30_000], [20, 'left-ready', 1, 20_000]],
	'not at one time, when the order of two CPUs is unknown, nor on its way to sleep when it was preempted');

# A gap of CPU 1, from 105 to 150: 20 may have run there.
$dat = miniature('100 0 0 switch 0 R 10 | 105 1 7 waking 30 | 110 0 10 waking 20 | 130 0 10 switch 10 S 20 | 150 1!5 7 waking 40 | 160 0 20 waking 50 | 170 0 20 switch 20 S 50');
for my $script ('waits', 'wakeup-latency') {
	$r = analysis($script, $dat, '--by', 'pid');
	is_deeply([map { [@$_{qw(pid n gaps)}] } sort { $a->{pid} <=> $b->{pid} } rows($r, 'tasks')], [[20, 1, 1], [50, 1, 0]], "$script: which waits overlap a gap of another CPU");
	is(told($r, 'gaps')->{text}, 'of 2 waits overlaps a gap of another CPU, where the task may have run, or been woken, in between (--strict-loss leaves them out)', 'and that it may be two');
	$r = analysis($script, $dat, '--by', 'pid', '--strict-loss');
	is_deeply([map { [@$_{qw(pid n max)}] } rows($r, 'tasks')], [[50, 1, 10_000]], '--strict-loss: without these');
	is_deeply([map { $_->{pid} } rows($r, 'worst')], [50], 'also among the longest');
	is(told($r, 'gaps')->{n}, 1, 'how many that are');
}

# The waking of 20 is missing, and may be among what CPU 1 lost: its wait may have begun before the wakeup.
$dat = miniature('100 0 0 switch 0 R 10 | 105 1 7 waking 30 | 150 1!5 7 waking 40 | 155 0 10 wakeup 20 | 160 0 10 switch 10 S 20 | 165 0 20 waking 50 | 170 0 20 switch 20 S 50');
is_deeply([map { "@$_{qw(pid n gaps)}" } sort { $a->{pid} <=> $b->{pid} } rows(analysis('waits', $dat, '--by', 'pid'), 'tasks')], ['20 1 1', '50 1 0'],
	'a wait whose beginning may be in a gap (else: it looks like one that was as short)');
is_deeply([map { "@$_{qw(pid n)}" } rows(analysis('waits', $dat, '--by', 'pid', '--strict-loss'), 'tasks')], ['50 1'], '--strict-loss: without it');

$r = analysis('waits', miniature('100 0 0 switch 0 R 10 | 155 0 10 wakeup 20 | 157 0 10 waking 30 | 160 0 10 switch 10 S 20'), '--by', 'pid');
is(told($r, 'gaps')->{n}, undef, 'not where nothing is lost');

for (['--kind', 'slept'], ['--kind', ''], ['--by', 'color'], ['--by', '']) {
	is(zedperl({ bare => 1 }, $dat, 'waits', @$_)->{status}, 2, "@$_: 2");
}
# A wait of no length has a row of its own.
my @zero = @{analysis('waits', miniature('0 0 5 switch 5 S 0 | 10 0 0 waking 5 | 10 0 0 switch 0 R 5 | 20 0 5 switch 5 S 0 | 30 0 0 waking 5 | 35 0 0 switch 0 R 5'))
	->{data}{tables}{histogram}{rows}};
is_deeply([map { [@$_{qw(from to n)}] } grep { $_->{n} } @zero], [[0, 1, 1], [4096, 8192, 1]], 'a wait of 0 ns is in the histogram (else: it has fewer waits than the table)');

my $none = zedperl({ bare => 1 }, $dat, 'waits', '--worst', 0);
is("$none->{status} $none->{err}", '0 ', '--worst 0: no list (else: perl dies at its empty end)');
unlike($none->{out}, qr/the longest waits/, '... and the rest as it is');
like(zedperl({ bare => 1 }, $dat, 'waits', '--worst', -1)->{err}, qr/--worst takes 0 \(none\) or more/, '--worst -1 is refused');
my $before = zedperl({ bare => 1 }, '--every', '5ms', $dat, 'waits');
is($before->{status}, 2, '--every before the analysis is refused (else: one answer for all, in silence)');
like($before->{err}, qr/^waits: --every is an option of waits, and goes after it/m, '... and it is said where it stands');

done_testing();
