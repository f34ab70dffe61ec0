# SPDX-License-Identifier: GPL-2.0-or-later
#
# softirq: how long softirqs wait and take.  Without it the time of an interrupt within one counts twice, and the time in
# which a task that runs one was switched away from counts as its work.
#
# of: scripts/softirq.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, @keys) = @_; return map { [@$_{@keys}] } @{$r->{data}{tables}{softirqs}{rows} // []} }

my $dat = miniature(<<'END');
100 0 7 raise 3 | 110 0 7 irq 24 | 115 0 7 raise 3 | 120 0 7 irqx 24 | 122 0 7 softirq 3 | 130 0 7 irq 25 | 140 0 7 irq 1 | 145 0 7 irqx 1
150 0 7 irqx 25 | 170 0 7 softirqx 3 | 180 0 7 irqx 9 | 190 0 7 irq 25
END
is_deeply([rows(analysis('softirq', $dat), qw(vec name n total own pending_max))], [[3, 'NET_RX', 1, 48_000, 28_000, 22_000]],
	'total, own, and pending from the first raise on');
is_deeply([map { [@$_{qw(own at name)}] } @{analysis('softirq', $dat)->{data}{tables}{worst}{rows}}], [[28_000, 1_000_122_000, 'NET_RX']],
	'the longest, with the time to look it up');

# In a task that is switched away from, as on PREEMPT_RT.
is_deeply([rows(analysis('softirq', miniature('10 0 30 softirq 9 | 20 0 30 switch 30 R+ 31 | 70 0 31 switch 31 S 30 | 80 0 30 softirqx 9')),
	qw(name n total))], [['RCU', 1, 20_000]], 'without the time in which its task was away');

# A loss between.
is_deeply([rows(analysis('softirq', miniature('10 0 7 raise 1 | 20 0!2 7 softirq 1 | 25 0 7 softirqx 1')), qw(name n pending_max))],
	[['TIMER', 1, undef]], 'nothing is pending across a loss');
is_deeply([map { [@$_{qw(cpu n)}] } @{analysis('softirq', $dat, '--by', 'cpu')->{data}{tables}{softirqs}{rows}}], [[0, 1]], '--by cpu');
is(analysis('softirq', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# Parts of the trace: recordings, and what is nested at every border.
my $nested = miniature(join '|', map { my $t = 100 * $_; my $cpu = $_ % 2;
	"$t $cpu 7 raise 3", $t + 5 . " $cpu 7 softirq 3", $t + 10 . " $cpu 7 irq 24", $t + 20 . " $cpu 7 irq 25", $t + 250 . " $cpu 7 irqx 25", $t + 255 . " $cpu 7 irqx 24",
		$t + 270 . " $cpu 7 softirqx 3" } map { 4 * $_, 4 * $_ + 1 } 1 .. 20);
for my $of ($nested, map { "t/data/$_.dat" } qw(small_be_none armhf_multibuf)) {
	my %softirqs = (of => $of, analysis => 'softirq', args => ['--by', 'cpu'], windows => 4, table => 'softirqs', key => [qw(vec name cpu)],
		cut => [qw(total own)], ends => [qw(n daemon)], largest => [qw(max pending_max)]);
	windows_add_up(\%softirqs);
	choice_has_its_rows(\%softirqs, '--cpu', 'cpu');
	choices_add_up(\%softirqs, '--pid', 'pid') if $of ne $nested;
	cuts_agree({ %softirqs, largest => ['max'] }, unknown => ['begun']);
}

done_testing();
