# SPDX-License-Identifier: GPL-2.0-or-later
#
# Losses that reach into a time and end after it. Without it a time inside of a loss says that nothing was lost, and
# that there is nothing to show because nothing was recorded.
#
# of: lib/Zed/Beyond.pm lib/Zed/Report/Losses.pm scripts/lost.pl scripts/summary.pl interp/common/beyond.c programs/zedprint/summary.c run/drain.c
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program;
use Run::Zedperl;
use Write::Miniature;
use Write::PerfOfDat;

# CPU 0 loses 7 between 0 and 50, CPU 1 had 4 overwritten before its first record at 30, and some between 60 and 90.
my $dat = miniature('0 0 5 irq 1 | 30 1!4 6 irq 3 | 40 1 6 irqx 3 | 50 0!7 5 irqx 1 | 60 1 6 irq 3 | 90 1!-1 6 irqx 3 | 95 0 5 irq 1 | 99 0 5 irqx 1');

sub at { return sprintf '1.%06d', $_[0] }
sub window { my ($from, $to) = @_; return ['--start', at($from), '--end', at($to)] }
sub said { my ($r) = @_; return (map { $_->{text} } grep { $_->{key} eq 'beyond' } @{$r->{data}{notes}})[0] }
sub lost { my ($events, $places, $unknown, %perhaps) = @_; return { events => $events, places => $places, unknown => $unknown, %perhaps } }

my $SHARE = 'events were lost in this time, an unknown share of';
my $ON_0 = '7 on CPU 0 between 1.000000000 and 1.000050000';
my $ON_1 = '4 on CPU 1 before 1.000030000';

for (
	[10, 20, lost(0, 0, 0, perhaps => 11), "$SHARE $ON_0 and of $ON_1", 'within both'],
	[20, 30, lost(4, 1, 0, perhaps => 7), "$SHARE $ON_0", 'where one ends it counts'],
	[50, 55, lost(7, 1, 0), undef, 'the one that ends counts, and the other CPU has none there'],
	[0, 0, lost(0, 0, 0, perhaps => 4), "$SHARE $ON_1", 'up to where a loss begins: not in it'],
	[65, 70, lost(0, 0, 0, perhaps_unknown => 1), "$SHARE an unknown number on CPU 1 between 1.000060000 and 1.000090000", 'an unknown number'],
	[95, 99, lost(0, 0, 0), undef, 'after all losses: none'],
) {
	my ($from, $to, $lost, $note, $why) = @$_;
	for my $script (qw(irq softirq summary lost waits)) {
		my $r = chosen(window($from, $to), $script, $dat);
		is_deeply($r->{data}{lost}, $lost, "$from to $to, $script: $why (else: no losses, or twice)") or diag explain($r->{data}{lost});
		is(said($r), $note, 'and in words');
	}
}

# Without a row: why, on every way to see it.
my $nothing = zedperl({ bare => 1 }, @{window(10, 20)}, $dat, 'softirq', '--json');
like($nothing->{err}, qr/^softirq: nothing to show: events were lost in this time; no /m, 'what was not there may have been lost (else: it seems not to have been recorded)');
like(zedperl({ bare => 1 }, @{window(10, 20)}, $dat, 'softirq')->{out}, qr/^\Q$SHARE $ON_0 and of $ON_1\E$/m, 'above the tables');
unlike(zedperl({ bare => 1 }, @{window(95, 99)}, $dat, 'softirq')->{out}, qr/lost/, 'where nothing was lost nothing is said');

# A script without Zed::Asked, which is not called for what counts elsewhere: a message.
my $MESSAGE = qr/^zedperl: events were lost in the time that was asked for, an unknown share of/m;
for my $script (['countall'], ['-e', 'Zed::count("irq:*")'], ['-e', 'sub trace_lost { }']) {
	my $run = sub { return zedperl({ bare => 1 }, @_, $script->[0] eq '-e' ? (@$script, $dat) : ($dat, @$script))->{err} };
	like($run->(@{window(35, 40)}), qr/$MESSAGE 7 on CPU 0 between 1\.000000000 and 1\.000050000$/m, "@$script: in a loss (else: nothing was lost, it seems)");
	like($run->(@{window(10, 20)}), qr/$MESSAGE 4 on CPU 1 before 1\.000030000 and of 1 more loss$/m, 'in two of them');
	like($run->('--head', 2), qr/$MESSAGE 7 on CPU 0 between/, '--head');
	unlike($run->(@$_), $MESSAGE, "@$_: none") for window(95, 99), window(50, 55), ['--end', '0.5'], [];
}
unlike(zedperl({ bare => 1 }, @{window(10, 20)}, '-e', 'sub irq::irq_handler_entry { }', $dat)->{err}, $MESSAGE, 'a script that does not count losses has no message');

# zedprint --summary.
sub summary_of { return zed_run('zedprint', '--summary', @{$_[0]}, $dat)->{out} }
like(summary_of(window(10, 20)), qr/^    cpu 0 +0 events, an unknown number lost, .*\n    cpu 1 +0 events, an unknown number lost, /m, 'zedprint --summary: not 0 lost');
like(summary_of(window(10, 20)), qr/^  losses       an unknown number lost\n               an unknown share of 11 in 2 losses that end later$/m, 'and in all');
like(summary_of(window(65, 70)), qr/^               an unknown share of 1 loss that ends later$/m, 'of an unknown number');
like(summary_of(['--end', '0.5']), qr/^  losses       0 lost\n(?!.*later)/m, 'before the trace: none');
like(summary_of(window(95, 99)), qr/^  losses       0 lost\n(?!.*later)/m, 'after all losses: none');

# Tables: a number of which some is missing is not 0.
sub cpus { my ($script, $window, @keys) = @_; return [map { [@$_{@keys}] } @{chosen($window, $script, $dat)->{data}{tables}{cpus}{rows}}] }
is_deeply(cpus('summary', window(10, 20), qw(cpu lost)), [[0, undef], [1, undef]], 'summary: not 0 lost');
is_deeply(cpus('summary', window(95, 99), qw(cpu lost)), [[0, 0], [1, 0]], 'and 0 where that is known');
is_deeply(cpus('lost', window(10, 20), qw(cpu n events)), [[0, 0, undef], [1, 0, undef]], 'lost: a row for each, without a number');
for (['10', '20'], ['0', '0']) {
	unlike(zedperl({ bare => 1 }, @{window(@$_)}, $dat, 'lost')->{out}, qr/no events/, 'lost does not say that there are none (else: it contradicts what stands above)');
}
my $of_one = chosen([@{window(10, 20)}, '--cpu', 1], 'summary', $dat);
is(said($of_one), "$SHARE $ON_1", 'summary of a CPU: of this one alone');

# Before the trace.
is_deeply(chosen(['--end', '0.5'], 'irq', $dat)->{data}{lost}, lost(0, 0, 0), 'a time before the trace has lost nothing');

# The parts of a time say once what the whole of it does; times add up to the trace.
sub reduced { my ($n, $window) = @_;
	my @states = map { my $state = temp_path('.state'); zedperl({ bare => 1 }, @$window, '--map', '--part', "$_/$n", '-o', $state, $dat, 'irq'); $state } 1 .. $n;
	return JSON::PP::decode_json(zedperl({ bare => 1 }, '--reduce', 'irq', @states, '--', '--json')->{out});
}
for my $window (window(0, 20), window(10, 40), window(40, 70)) {
	my $whole = chosen($window, 'irq', $dat)->{data};
	for my $n (1, 2, 3) {
		my $parts = reduced($n, $window);
		is_deeply([$parts->{lost}, said({ data => $parts })], [$whole->{lost}, said({ data => $whole })], "@$window in $n parts: the same (else: once more for each part)");
	}
}

# Intervals, of which each is answered before the losses end; the first events, which end before that.
my @intervals = map { JSON::PP::decode_json($_)->{lost} } split /\n/, zedperl({ bare => 1 }, $dat, 'irq', '--every', '0.02ms', '--json')->{out};
is_deeply(\@intervals, [lost(0, 0, 0, perhaps => 11), lost(4, 1, 0, perhaps => 7), lost(7, 1, 0), lost(0, 0, 0, perhaps_unknown => 1), lost(0, 0, 1)],
	'--every: each interval as the window (else: one within a loss has lost nothing)') or diag explain(\@intervals);
my $head = chosen(['--head', 2], 'irq', $dat);
is_deeply($head->{data}{lost}, lost(4, 1, 0, perhaps => 7), '--head: the loss in which it ends (else: it has lost nothing)');
is(said($head), "$SHARE $ON_0", 'and in words');

# A perf.data has the events of all CPUs in one row: what comes next of one CPU says nothing of the others' losses.
my $perf = perf_of_dat(miniature('0 0 5 irq 1 | 30 1 6 irq 3 | 40 1 6 irqx 3 | 50 0 5 irqx 1 | 60 1 6 irq 3 | 90 1 6 irqx 3 | 95 0 5 irq 1 | 99 0 5 irqx 1'),
	temp_path('.data'), events => qr/^irq:/, lost => [[1_000_050_000, 0, 7], [1_000_090_000, 1, 3]]);
@intervals = map { JSON::PP::decode_json($_) } split /\n/, zedperl({ bare => 1 }, $perf, 'irq', '--every', '0.02ms', '--json')->{out};
is_deeply([map { $_->{lost} } @intervals], [lost(0, 0, 0, perhaps => 7), lost(0, 0, 0, perhaps => 7), lost(7, 1, 0), lost(0, 0, 0, perhaps => 3), lost(3, 1, 0)],
	'--every of a perf.data: each interval as the window (else: only the CPU of the next event has a loss ahead)') or diag explain([map { $_->{lost} } @intervals]);
is(said({ data => $intervals[3] }), "$SHARE 3 on CPU 1 between 1.000060000 and 1.000090000", 'and in words');
is_deeply(chosen(['--head', 2], 'irq', $perf)->{data}{lost}, lost(0, 0, 0, perhaps => 7), '--head: as well');

my %sum;
for my $window (window(0, 19), window(20, 44), window(45, 70), ['--start', '1.000070001']) {
	my $lost = chosen($window, 'irq', $dat)->{data}{lost};
	$sum{$_} += $lost->{$_} for qw(events places unknown);
}
is_deeply(\%sum, lost(11, 2, 1), 'what is counted adds up (else: a loss counts in each time that it touches)');

done_testing();
