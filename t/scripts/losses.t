# SPDX-License-Identifier: GPL-2.0-or-later
#
# losses: of two traces that are read together, what one has lost ends nothing of the other.  Without it a machine that
# loses events makes waits, requests and calls of all others disappear.
#
# of: scripts lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return map { join ' ', map { $_ // '-' } @$_{@keys} } @{$r->{data}{tables}{$table}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# At 50 the idle task of this machine has lost three events; nothing else happens there.
my $lossy = miniature('0 0 0 hrcancel z | 50 0!3 0 hrcancel z', uname => 'Linux lossy 6.1.0 x86_64');

# What begins before 50 and ends behind it: NAME, TABLE, KEYS, a trace, the rows.
my @cases = (
	[block => phases => [qw(phase n total)], '0 0 5 Q R 10+8 | 1 0 5 G R 10+8 | 2 0 5 I R 10+8 | 3 0 5 D R 10+8 | 100 0 5 C R 10+8',
		['Q2G 1 1000', 'G2I 1 1000', 'I2D 1 1000', 'Q2D 1 3000', 'D2C 1 97000', 'Q2C 1 100000']],
	[syscalls => calls => [qw(name n total errors)], '0 0 5 enter 0 | 10 0 5 exit 0 -512 | 60 0 5 enter 0 | 80 0 5 exit 0 8', ['read 1 80000 0']],
	['why-late' => parts => [qw(time what who)], <<'END', ['20000 runs t50', '10000 runs t60', '18000 work queued f', '14000 runs t70', '88000 device 8:0',
0 0 0 switch 0 R 50 | 20 0 50 switch 50 S 60 | 30 0 60 queue_work f | 40 0 60 switch 60 S 0 | 45 1 0 switch 0 R 70
48 1 70 execute_start f | 55 1 70 Q W 800+8 | 60 1 70 D W 800+8 | 62 1 70 switch 70 D 0
150 0 0 irq 24 | 153 0 0 C W 800+8 | 154 0 0 waking 70 | 156 0 0 irqx 24 | 165 1 0 switch 0 R 70 | 175 1 70 waking 50
178 1 70 execute_end f | 190 0 0 switch 0 R 50 | 210 0 50 switch 50 S 0
END
		'4000 irq 24 i24', '11000 waits for a CPU t70', '10000 runs t70', '15000 waits for a CPU t50', '20000 runs t50'], qw(--task 50 --start 1.0 --end 1.00021)],
	[irq => irqs => [qw(irq n total)], '0 0 5 irq 24 | 100 0 5 irqx 24', ['24 1 100000']],
	[softirq => softirqs => [qw(name n total)], '0 0 5 raise 3 | 1 0 5 softirq 3 | 100 0 5 softirqx 3', ['NET_RX 1 99000']],
	[workqueue => waits => [qw(key n total)], '0 0 5 queue_work f | 1 0 5 activate f | 100 0 900 execute_start f | 110 0 900 execute_end f', ['f 1 100000']],
	[timers => hrtimers => [qw(function n max)], '0 0 5 hrtimer h 90 | 100 0 5 expire h 95 | 101 0 5 expirex h', ['h 1 5000']],
	[kmem => slabs => [qw(who n freed live live_bytes)], '0 0 5 kmalloc a 4096 10 16 | 1 0 5 kmalloc b 8192 10 32 | 100 0 5 kfree 8192', ['b 1 1 0 0', 'a 1 0 1 16']],
	['function-graph' => functions => [qw(function n self)], '0 0 5 call f 0 | 10 0 5 call g 1 | 40 0 5 ret g 1 10 40 | 100 0 5 ret f 0 0 100', ['f 1 70000', 'g 1 30000']],
	['off-cpu' => tasks => [qw(comm what n total)], '0 0 5 switch 5 S 0 | 80 0 0 waking 5 | 100 0 0 switch 0 R 5 | 110 0 5 switch 5 S 0', ['t5 sleeps 1 80000', 't5 waits, woken 1 20000']],
	['wakeup-latency' => tasks => [qw(comm n total)], '0 0 5 switch 5 S 0 | 10 0 0 waking 5 | 100 0 0 switch 0 R 5', ['t5 1 90000']],
	['who-wakes-whom' => edges => [qw(waker woken n total)], '0 0 0 switch 0 R 6 | 10 0 6 waking 5 | 100 0 6 switch 6 S 5', ['t6 t5 1 90000']],
	[net => sent => [qw(name n max)], '0 0 5 packet 64 100 eth0 | 100 0 5 start_xmit 64 100 eth0 | 110 0 5 xmit 64 100 eth0', ['eth0 1 110000']],
	[power => states => [qw(state n total)], '0 1 0 idle 1 1 | 100 1 0 idle -1 1', ['1 1 100000']],
);

for (@cases) {
	my ($name, $table, $keys, $text, $want, @args) = @$_;
	my $whole = miniature($text, uname => 'Linux whole 6.1.0 x86_64');
	my $r = analysis($name, [$lossy, $whole], @args);

	is_deeply([rows($r, $table, @$keys)], $want, "$name: what is open on a machine that loses nothing ends as it does (else: it is left out)")
		or diag explain($r->{data}), $r->{err};
	is($r->{data}{lost}{places}, 1, "$name: and the loss of the other is told");
}

# What is still open at the end.
$lossy = miniature('0 0 5 kmalloc c 64 10 16 | 10 0 5 call a 0 | 50 0!3 0 hrcancel z', uname => 'Linux lossy 6.1.0 x86_64');
my $r = analysis('kmem', [$lossy, miniature('0 0 5 kmalloc a 4096 10 16 | 1 0 5 kmalloc b 8192 10 32 | 100 0 5 kfree 8192')]);
is_deeply([sort(rows($r, 'slabs', qw(who n freed live)))], ['a 1 0 1', 'b 1 1 0', 'c 1 0 0'],
	'kmem: what is live where nothing was lost has its name (else: it is live of nobody)') or diag explain($r->{data}), $r->{err};
$r = analysis('function-graph', [$lossy, miniature('0 0 5 call f 0 | 10 0 5 call g 1 | 40 0 5 ret g 1 10 40')]);
is(notes($r)->{open}, 1, 'function-graph: calls that have not returned are told of those that lost nothing (else: of none)');
$r = analysis('block', [$lossy, miniature('0 0 5 G R 10+8 | 1 0 5 D R 10+8')]);
is(notes($r)->{unfinished}, 1, 'block: a request that is in flight at the end is told (else: it looks finished)');

# The last part of a call that a signal interrupted is no call of its own; what ends on the other machine at the same time is.
$r = analysis('syscalls', [map { miniature($_) } '0 0 5 enter 0 | 10 0 5 exit 0 -512 | 60 0 5 enter 0 | 80 0 5 exit 0 8', '20 0 5 enter 0 | 80 0 5 exit 0 8']);
is_deeply([rows($r, 'worst', qw(took))], [80_000, 60_000], 'syscalls: of calls that end together on two machines both are among the longest (else: one is left out)');

done_testing();
