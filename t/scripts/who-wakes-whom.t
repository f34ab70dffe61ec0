# SPDX-License-Identifier: GPL-2.0-or-later
#
# who-wakes-whom: wakers and the tasks that they wake.  Without it an interrupt's wakings are those of the task that it
# interrupted.
#
# of: scripts/who-wakes-whom.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r) = @_; return map { [@$_{qw(waker woken n total)}] } @{$r->{data}{tables}{edges}{rows} // []} }

my $r = analysis('who-wakes-whom', miniature(<<'END'));
100 0 0 switch 0 R 10 | 110 0 10 waking 20 | 115 0 10 switch 10 S 20 | 120 0 20 waking 10 | 125 0 20 switch 20 S 10 | 130 0 10 waking 20
135 0 10 switch 10 S 20 | 140 0 20 irq 24 eth0 | 141 0 20 hardirq waking 10 | 142 0 20 irqx 24 | 150 0 20 switch 20 S 10
160 1 7 softirq 3 | 161 1 7 serving waking 20 | 162 1 7 softirqx 3 | 170 0 10 switch 10 S 20 | 180 0 20 hardirq waking 10 | 190 0 20 switch 20 S 10
END
is_deeply([rows($r)], [['t10', 't20', 2, 10_000], ['irq', 't10', 1, 10_000], ['irq:eth0', 't10', 1, 9_000], ['softirq:NET_RX', 't20', 1, 9_000],
	['t20', 't10', 1, 5_000]], 'tasks, interrupts by name, and those that have no event');

done_testing();
