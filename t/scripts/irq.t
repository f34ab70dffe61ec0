# SPDX-License-Identifier: GPL-2.0-or-later
#
# irq and softirq: handlers and softirqs, nested.  Without it the time of an interrupt within a softirq counts twice.
#
# of: scripts/irq.pl scripts/softirq.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return map { [@$_{@keys}] } @{$r->{data}{tables}{$table}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

my $dat = miniature(<<'END');
100 0 7 raise 3 | 110 0 7 irq 24 | 115 0 7 raise 3 | 120 0 7 irqx 24 | 122 0 7 softirq 3 | 130 0 7 irq 25 | 140 0 7 irq 1 | 145 0 7 irqx 1
150 0 7 irqx 25 | 170 0 7 softirqx 3 | 180 0 7 irqx 9 | 190 0 7 irq 25
END
my $r = analysis('irq', $dat);
is_deeply([rows($r, 'irqs', qw(irq n total own max))], [[25, 1, 20_000, 15_000, 15_000], [24, 1, 10_000, 10_000, 10_000], [1, 1, 5_000, 5_000, 5_000]],
	'irq: total and own time');
is_deeply({ %{notes($r)}{qw(begun still)} }, { begun => 1, still => 1 }, 'irq: what was not seen as a whole');
is_deeply([rows($r, 'worst', qw(own at irq))], [[15_000, 1_000_130_000, 25], [10_000, 1_000_110_000, 24], [5_000, 1_000_140_000, 1]],
	'irq: the longest, with the time to look them up');

my $s = analysis('softirq', $dat);
is_deeply([rows($s, 'softirqs', qw(name n total own pending_max))], [['NET_RX', 1, 48_000, 28_000, 22_000]],
	'softirq: the same, and pending from the first raise on');
is($r->{data}{tables}{irqs}{all}{own} + $s->{data}{tables}{softirqs}{rows}[0]{own}, 58_000, 'own times add up to the time that passed');

# What the choice leaves out is in none of the numbers: the other kind, CPU, task.
my $halves = miniature(<<'END', cmdlines => "7 t7\n8 t8\n");
0 0 7 softirqx 3 | 2 0 7 irq 4 | 3 0 7 softirq 3 | 4 0 7 irqx 4 | 5 1 8 irqx 5 | 6 1 8 softirq 9 | 7 1 8 irq 5 | 8 1!2 8 raise 1
9 0 7 raise 3 | 12 0 7 softirq 3 | 13 0 7 softirqx 3 | 20 1 8 raise 3 | 25 1 8 softirq 3 | 26 1 8 softirqx 3 | 30 1 8 irq 6 | 31 0 7 softirq 9
END
for (['irq', [], { begun => 1, lost_frames => 1, still => 1 }], ['softirq', [], { begun => 1, open => 1, lost_frames => 1, still => 1 }],
	['irq', ['--cpu', 0], {}], ['irq', ['--cpu', 1], { begun => 1, lost_frames => 1, still => 1 }], ['softirq', ['--cpu', 1], { lost_frames => 1 }],
	['softirq', ['--pid', 7], { begun => 1, open => 1, still => 1 }], ['irq', ['--pid', 7], {}], ['softirq', ['--comm', 't8'], { lost_frames => 1 }]) {
	my ($script, $choice, $want) = @$_;
	my $n = notes(chosen($choice, $script, $halves));
	is_deeply({ map { defined $n->{$_} ? ($_ => $n->{$_}) : () } qw(begun open lost_frames still) }, $want, "$script @$choice: what was not seen as a whole, of these (else: softirqs are interrupts)");
}
is_deeply([map { chosen(['--cpu', $_], 'irq', $halves)->{data}{lost}{events} } 0, 1], [0, 2], 'what a CPU lost (else: what others lost, which hides nothing of it)');
for (['--pid', 7, 3_000], ['--pid', 8, 5_000], ['--cpu', 0, 3_000]) {
	my ($option, $of, $pending) = @$_;
	is_deeply([map { $_->{pending_max} } grep { $_->{n} } @{chosen([$option, $of], 'softirq', $halves)->{data}{tables}{softirqs}{rows}}], [$pending], "softirq $option $of: how long its own were pending (else: those of all)");
}

# Events that the answer needs not, or says that it has none of.
my $some = zedperl({ bare => 1 }, 't/data/lost.dat', 'softirq');
is($some->{err}, '', 'softirq of a trace without interrupts says nothing of these (else: a good answer looks wrong)');
like($some->{out}, qr/^ +\d+ +RCU /m, 'and answers');
my $neither = zedperl({ bare => 1 }, 't/data/perf/sched.data', 'softirq');
is($neither->{err}, '', 'of one with neither the answer says so');
like($neither->{out}, qr/^nothing to show: no irq:softirq_entry with irq:softirq_exit in the trace/m, 'once (else: five times, with lines of scripts)');

# A shared line, a begin without an end, a loss.
$r = analysis('irq', miniature('10 0 7 irq 5 a | 12 0 7 irqx 5 0 | 13 0 7 irq 5 b | 16 0 7 irqx 5 1 | 20 0 7 irq 6 | 21 0 7 irq 7 | 25 0 7 irqx 6
	| 30 0 7 irq 8 | 40 0!2 7 irqx 8'));
is_deeply([rows($r, 'irqs', qw(irq name n others own))], [[6, 'i6', 1, 0, 5_000], [5, 'b', 1, 0, 3_000], [5, 'a', 1, 1, 2_000]],
	'irq: handlers of one line apart, with those for which it was not');
is_deeply({ %{notes($r)}{qw(open begun lost_frames)} }, { open => 1, begun => 1, lost_frames => 1 }, 'irq: nothing is taken across a loss');

# A softirq in a task that is switched away from, as on PREEMPT_RT.
$s = analysis('softirq', miniature('10 0 30 softirq 9 | 20 0 30 switch 30 R+ 31 | 70 0 31 switch 31 S 30 | 80 0 30 softirqx 9'));
is_deeply([rows($s, 'softirqs', qw(name n total))], [['RCU', 1, 20_000]], 'softirq: without the time in which its task was away');
is(analysis($_, $dat, '--by', 'x')->{status}, 2, "$_: --by x: 2") for qw(irq softirq);

# Rates are of the time that the trace has; the worst second begins at any time, as here, where no second of the clock has
# more than two.
$r = analysis('irq', miniature(join '|', map { ("$_ 0 7 irq 24", $_ + 10 . ' 0 7 irqx 24') } 600_000, 900_000, 1_100_000, 1_500_000, 2_700_000));
is_deeply([rows($r, 'irqs', qw(n peak peak_at))], [[5, 4, 1_600_010_000]], 'irq: the worst second, whenever it begins');
ok(abs($r->{data}{tables}{irqs}{rows}[0]{rate} - 5 / 2.10001) < 1e-6, 'irq: the rate, of the time that the trace has');
$r = analysis('irq', miniature('0 0 7 irq 24 | 10 0 7 irqx 24 | 1000000 0 7 irq 24 | 1000010 0 7 irqx 24'));
is($r->{data}{tables}{irqs}{rows}[0]{peak}, 1, 'irq: a second later is the next');

# Parts of the trace: recordings, and what is nested at every border.
my $nested = miniature(join '|', map { my $t = 100 * $_; my $cpu = $_ % 2;
	"$t $cpu 7 raise 3", $t + 5 . " $cpu 7 softirq 3", $t + 10 . " $cpu 7 irq 24", $t + 20 . " $cpu 7 irq 25", $t + 250 . " $cpu 7 irqx 25", $t + 255 . " $cpu 7 irqx 24",
		$t + 270 . " $cpu 7 softirqx 3" } map { 4 * $_, 4 * $_ + 1 } 1 .. 20);
for my $of ($nested, map { "t/data/$_.dat" } qw(small_be_none armhf_multibuf)) {
	my %irqs = (of => $of, analysis => 'irq', args => ['--by', 'cpu'], windows => 4, table => 'irqs', key => [qw(irq name cpu)],
		cut => [qw(total own)], ends => [qw(n others)], largest => [qw(max)]);
	windows_add_up(\%irqs);
	choice_has_its_rows(\%irqs, '--cpu', 'cpu');
	choices_add_up(\%irqs, '--pid', 'pid') if $of ne $nested;
	cuts_agree({ %irqs, largest => ['max'] }, unknown => ['begun']);
}

done_testing();
