# SPDX-License-Identifier: GPL-2.0-or-later
#
# why-late: where the time went.  Without it a chain could leave time out, count it twice, or blame somebody who was not
# there, and nobody could see that from the table.
#
# of: scripts/why-late.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Compare::RealData;
use Pass;
use Run::Zedperl;

sub rows { my ($r, $table) = @_; return @{$r->{data}{tables}{$table}{rows} // []} }
sub parts { return map { join ' ', $_->{time} / 1000, $_->{what}, grep { defined } @$_{qw(who detail)} } rows($_[0], 'parts') }

# What does not follow one behind the other, or does not add up: the first of it, or nothing.
sub gap {
	my ($r) = @_;
	my %parts;
	push @{$parts{$_->{chain}}}, $_ for rows($r, 'parts');
	for my $chain (rows($r, 'chains')) {
		my ($at, $sum) = ($chain->{from}, 0);
		for my $part (@{$parts{$chain->{chain}} // []}) {
			return "chain $chain->{chain} at $at" if $part->{from} != $at || $part->{time} <= 0;
			$at += $part->{time};
			$sum += $part->{time};
		}
		return "chain $chain->{chain} ends at $at" if $at != $chain->{to} || $sum != $chain->{elapsed};
	}
	return '';
}

# A wakeup by a worker, whose work was queued before the sleep, and which waited for a disk itself.
my $dat = miniature(<<'END');
0 0 0 switch 0 R 50 | 20 0 50 switch 50 S 60 | 30 0 60 queue_work f | 40 0 60 switch 60 S 0 | 45 1 0 switch 0 R 70
48 1 70 execute_start f | 55 1 70 Q W 800+8 | 60 1 70 D W 800+8 | 62 1 70 switch 70 D 0
150 0 0 irq 24 | 153 0 0 C W 800+8 | 154 0 0 waking 70 | 156 0 0 irqx 24 | 165 1 0 switch 0 R 70 | 175 1 70 waking 50
178 1 70 execute_end f | 190 0 0 switch 0 R 50 | 195 0 50 irq 1 | 199 0 50 irqx 1 | 210 0 50 switch 50 S 0
END
my $r = analysis('why-late', $dat, qw(--task 50 --start 1.0 --end 1.00021));
is_deeply([parts($r)], ['20 runs t50', '10 runs t60', '18 work queued f', '14 runs t70', '88 device 8:0', '4 irq 24 i24',
	'11 waits for a CPU t70 <idle> 11.0 us', '10 runs t70', '15 waits for a CPU t50 <idle> 15.0 us', '5 runs t50', '4 interrupted irq 1 i1',
	'11 runs t50'], 'through a worker, its queue, a disk and interrupts (else: "it slept")') or diag $r->{err};
is_deeply([map { [@$_{qw(comm elapsed mostly)}] } rows($r, 'chains')],
	[['t50', 210_000, '88.0 us device 8:0, 36.0 us runs t50 50, 24.0 us runs t70 70']], 'the parts add up to the whole; the most of it');
is_deeply([map { "$_->{n} $_->{total} $_->{what} $_->{who}" } (rows($r, 'sums'))[1, 2]], ['3 36000 runs t50', '2 24000 runs t70'], 'summed up');
$r = analysis('why-late', $dat);
is_deeply([map { [@$_{qw(comm wait from to)}] } rows($r, 'chains')],
	[['t50', 15_000, 1_000_020_000, 1_000_190_000], ['t70', 11_000, 1_000_062_000, 1_000_165_000]],
	'by itself: the longest waits, each from when the task went to sleep');
is(gap($r), '', 'without a gap');
is_deeply([map { $_->{comm} } rows(analysis('why-late', $dat, '--task', 't70'), 'chains')], ['t70'], '--task: by name');

# A waking in a softirq that an interrupt raised; in a timer's function, late and in time; by a request that waited in a queue.
$r = analysis('why-late', miniature(<<'END'), '--worst', 9);
0 0 0 switch 0 R 50 | 5 0 50 hrtimer h 40 | 10 0 50 switch 50 S 0 | 47 0 0 irq 9 | 50 0 0 expire h 44 | 51 0 0 waking 50 | 52 0 0 expirex h | 53 0 0 irqx 9
60 0 0 switch 0 R 50 | 70 0 50 switch 50 S 0 | 80 0 0 irq 9 | 82 0 0 raise 1 | 83 0 0 irqx 9 | 90 0 0 softirq 1 | 93 0 0 wheel w | 94 0 0 waking 50
95 0 0 wheelx w | 96 0 0 softirqx 1 | 97 0 0 switch 0 R 50
100 0 50 switch 50 S 0 | 110 0 0 irq 9 | 111 0 0 raise 3 | 112 0 0 irqx 9 | 113 0 0 softirq 3 | 115 0 0 waking 50 | 116 0 0 softirqx 3 | 120 0 0 switch 0 R 50
121 0 50 Q R 64+8 | 125 0 50 switch 50 D 0 | 140 0 0 D R 64+8 | 160 0 0 irq 7 | 162 0 0 C R 64+8 | 163 0 0 waking 50 | 164 0 0 irqx 7 | 165 0 0 switch 0 R 50
170 0 50 switch 50 S 0 | 180 0 0 irq 8 | 181 0 0 waking 50 | 182 0 0 irqx 8 | 183 0 0 switch 0 R 50
190 0 50 switch 50 S 0 | 200 0 0 waking 50 | 201 0 0 switch 0 R 50 | 202 0 50 switch 50 S 0 | 210 0 0 hardirq waking 50 | 211 0 0 switch 0 R 50
220 0 50 switch 50 S 0 | 225 0 0 local_timer | 226 0 0 expire h 9 | 227 0 0 waking 50 | 228 0 0 expirex h | 229 0 0 local_timerx | 230 0 0 switch 0 R 50
240 0 50 switch 50 S 0 | 250 0 0 reschedule | 251 0 0 waking 50 | 252 0 0 reschedulex | 253 0 0 switch 0 R 50
END
is($r->{err}, '', 'in silence');
my %by;
push @{$by{$_->{chain}}}, join ' ', $_->{time} / 1000, $_->{what}, grep { defined } @$_{qw(who detail)} for rows($r, 'parts');
is_deeply([@by{map { $_->{chain} } sort { $a->{from} <=> $b->{from} } rows($r, 'chains')}], [
	['36 timer h', '1 timer late h', '4 irq 9 i9', '9 waits for a CPU t50 <idle> 9.00 us'],
	['10 timer w', '2 irq 9 i9', '8 softirq pending TIMER', '4 softirq TIMER', '3 waits for a CPU t50 <idle> 3.00 us'],
	['10 network', '1 irq 9 i9', '2 softirq pending NET_RX', '2 softirq NET_RX', '5 waits for a CPU t50 <idle> 5.00 us'],
	['15 block queue 8:0', '20 device 8:0', '3 irq 7 i7', '2 waits for a CPU t50 <idle> 2.00 us'],
	['10 unknown ended by irq 8 i8', '1 irq 8 i8', '2 waits for a CPU t50 <idle> 2.00 us'],
	['10 unknown ended by the idle task of CPU 0', '1 waits for a CPU t50 <idle> 1.00 us'],
	['8 unknown ended by an interrupt that is not in the trace', '1 waits for a CPU t50 <idle> 1.00 us'],
	['5 timer h', '2 irq local_timer', '3 waits for a CPU t50 <idle> 3.00 us'],
	['10 unknown ended by irq reschedule', '1 irq reschedule', '2 waits for a CPU t50 <idle> 2.00 us']],
	'timers, softirqs, the network, a queue; and what has no cause in the trace is unknown (else: a cause is made up)') or diag explain(\%by);

# A new task has only the one that made it before it; who was preempted waits for those who ran.
$r = analysis('why-late', miniature('0 0 0 switch 0 R 5 | 10 0 5 new 6 | 20 0 5 switch 5 R+ 7 | 30 0 7 switch 7 S 6 | 40 0 6 switch 6 S 5 | 50 0 5 switch 5 S 0'),
	qw(--task t6 --start 1.0 --end 1.00005));
is_deeply([parts($r)], ['10 runs t5', '20 waits for a CPU t6 t5 5 10.0 us, t7 7 10.0 us', '10 runs t6', '10 sleeps t6 state S'], 'a new task');
$r = analysis('why-late', miniature('0 0 0 switch 0 R 5 | 20 0 5 switch 5 R+ 7 | 30 0 7 switch 7 S 5 | 40 0 5 switch 5 X 0 | 60 0 0 switch 0 R 9'),
	qw(--task 5 --end 1.00006));
is_deeply([parts($r)], ['20 runs t5', '10 preempted t5 t7 7 10.0 us', '10 runs t5', '20 ended t5'], 'preempted; and one that ended');

# Of tasks of one name, one had ended before; the time is that of the trace; other waits are longer.
my $three = miniature(<<'END', cmdlines => "5 a\n6 a\n7 a\n");
0 0 0 switch 0 R 5=a | 20 0 5 switch 5=a X 6=a | 40 0 6 switch 6=a S 0 | 60 0 0 waking 6=a | 65 0 0 switch 0 R 6=a | 70 0 6 switch 6=a R+ 7=a
100 0 7 switch 7=a R 6=a | 110 0 6 switch 6=a S 7=a | 120 0 7 switch 7=a S 0
END
my @a = qw(--task a --worst 1 --start 1.00003);
$r = analysis('why-late', $three, @a);
is_deeply([map { [@$_{qw(pid from to)}] } rows($r, 'chains')], [[6, 1_000_030_000, 1_000_120_000]], 'who had ended before is left out (else: it is first, and all of it is that it had ended)');
my %over = map { $_->{key} => $_->{n} } @{$r->{data}{notes}};
is_deeply([@over{qw(over tasks)}], [1, 1], 'and counted, as is who is left out by --worst');
is("$r->{data}{start} $r->{data}{end}", '1000030000 1000120000', 'the answer is of the time that is explained');
$r = analysis('why-late', $three, @a, qw(--end 5));
is_deeply([map { $_->{to} } rows($r, 'chains')], [1_000_120_000], 'which ends with the trace (else: somebody sleeps, or runs, for as long as one asks)');
sub nothing { my ($s) = @_; return join '', map { $_->{text} } grep { $_->{key} eq 'nothing' } @{$s->{data}{notes}} }
is(nothing(analysis('why-late', $three, qw(--task a --start 3))), 'nothing to show: none of that time is in the trace, which is from 1.000000000 to 1.000120000', 'outside of it there is nothing');
is(nothing(analysis('why-late', $three, qw(--task 5 --start 1.00003))), 'nothing to show: what was asked for had ended before that time', 'nor for what had ended');
is(nothing(analysis('why-late', $three, qw(--task b --start 1.00003))), 'nothing to show: no task of the trace is b', 'nor for who is not there (else: the trace seems to lack events)');

is(nothing(analysis('why-late', $three, qw(--task b))), 'nothing to show: no task of the trace is b', 'without a time, too (else: no event is said to make a row)');
unlike(nothing(analysis('why-late', $three, qw(--task 7))), qr/no task/, '... not of a task that had no wait');

# Tasks that are created after the time are not in it; one that is created in it is.
my $born = miniature('0 0 0 switch 0 R 5=a | 30 0 5 new 6=a | 40 0 5 switch 5=a S 6=a | 50 0 6 new 7=a | 60 0 6 switch 6=a S 7=a | 70 0 7 switch 7=a S 0');
my $at = sub {
	my $answer = analysis('why-late', $born, '--task', @_);
	my %n = map { $_->{key} => $_->{n} } @{$answer->{data}{notes}};
	return join(' ', map { $_->{pid} } rows($answer, 'chains')) . ", @{[$n{later} || 0]} later" . (nothing($answer) =~ s/^nothing to show/:/r);
};
is($at->(qw(a --start 1.00001 --end 1.00002)), '5, 2 later', 'created after the time: no row (else: their whole time is that of who made them, or unknown)');
is($at->(qw(a --start 1.00001 --end 1.000045)), '5 6, 1 later', '... one that was created in it has one');
is($at->(qw(a --start 1.00001)), '5 6 7, 0 later', '... and all up to the end');
is($at->(qw(6 --end 1.00002)), ', 1 later:: what was asked for was created after that time', '... if there is no other it is said');

# A time that reaches out of the trace on either side, and one that is beside it.
my $outside = sub { my ($s) = @_; return join '; ', map { $_->{text} } grep { $_->{key} =~ /^(?:before|after|nothing)\z/ } @{$s->{data}{notes}} };
my $BEFORE = '--start is before the beginning of the trace: what was before 1.000000000 is not explained';
my $AFTER = '--end is after the end of the trace: what was after 1.000120000 is not explained';
my $BESIDE = 'nothing to show: none of that time is in the trace, which is from 1.000000000 to 1.000120000';
for (['--start 0.5', $BEFORE], ['--end 2', $AFTER], ['--start 0.5 --end 2', "$BEFORE; $AFTER"], ['--start 1 --end 1.00012', ''], ['--start 2', $BESIDE],
	['--end 0.5', $BESIDE], ['--start 0.1 --end 0.5', $BESIDE], ['--start 2 --end 3', $BESIDE]) {
	my ($options, $text) = @$_;
	is($outside->(analysis('why-late', $three, '--task', 'a', split / /, $options)), $text, "$options: which part of it is explained (else: it begins elsewhere without a word)");
}

my $longer = sub { my ($s) = @_; return join '', map { $_->{text} } grep { $_->{key} eq 'others' } @{$s->{data}{notes}} };
my $OTHERS = 'longer waits for a CPU did not begin with a wakeup, and are not explained here:';
is($longer->(analysis('why-late', $three)), "$OTHERS preempted up to 30.0 us, left-ready up to 10.0 us. All waits: 'zedperl TRACE waits'",
	'longer waits of other kinds are said (else: the longest of all seems to be explained)');
is($longer->(analysis('why-late', $three, '--task', 6)), "$OTHERS preempted up to 30.0 us. All waits: 'zedperl --pid 6 TRACE waits'", 'of the task that is asked for');
is($longer->(analysis('why-late', $three, '--task', 'a')), "$OTHERS preempted up to 30.0 us, left-ready up to 10.0 us. All waits: 'zedperl --comm a TRACE waits'", 'or of its name');
is($longer->(analysis('why-late', miniature('0 0 0 switch 0 R 6 | 5 0 6 switch 6 R+ 7 | 9 0 7 switch 7 S 6 | 20 0 6 switch 6 S 0 | 30 0 0 waking 6 | 36 0 0 switch 0 R 6'))), '', 'shorter ones are not');
is($longer->(analysis('why-late', $three, @a)), '', 'a whole time has them among its parts');

# Losses, and a switch that is not there.
$r = analysis('why-late', miniature('0 0 0 switch 0 R 5 | 10 0 5 switch 5 S 0 | 30 1 6 waking 9 | 40 1!3 6 waking 8 | 50 1 6 waking 5 | 60 0 0 switch 0 R 5 | 70 0 5 switch 5 S 0'),
	qw(--task 5 --start 1.0 --end 1.00007));
is_deeply([parts($r)], ['10 runs t5', '40 unknown t5', '10 waits for a CPU t5 <idle> 10.0 us', '10 runs t5'],
	'across a loss nothing is known (else: the waking that was lost is another one)');
$r = analysis('why-late', miniature('0 0 0 switch 0 R 5 | 10 0 5 switch 5 R 6 | 20 0 6 waking 9 | 50 0 5 waking 8 | 60 0 5 switch 5 S 0 | 70 0 0 switch 0 R 6'),
	qw(--task 6 --start 1.0 --end 1.0001));
is_deeply([(parts($r))[1, 2]], ['10 runs t6', '50 unknown t6'], 'nor behind a switch that is missing');

# Words that are wrong.
for (['--start 1', qr/--start and --end are the times of one task/], ['--task 5 --end x', qr/--end 'x' is not a time/], ['--worst 0', qr/--worst takes 1/],
	['--task 5 --start 2 --end 1', qr/--start is later than --end/], ['--keep 1', qr/--keep takes 1000 or more/]) {
	my ($words, $message) = @$_;
	$r = zedperl({ bare => 1 }, $dat, 'why-late', split ' ', $words);
	is($r->{status}, 2, "$words: 2");
	like($r->{err}, $message, 'and why');
}

# Small histories: cases are explained before what they take is forgotten.
srand($ENV{ZED_SEED} // 14);
my $many = miniature(join '|', map { my $t = 10 * $_; ("$t 0 0 switch 0 R 5", ($t + 1) . ' 0 5 switch 5 S 6', ($t + 3) . ' 0 6 waking 5',
	($t + 4 + ($_ == 300)) . ' 0 6 switch 6 S 5', ($t + 8) . ' 0 5 switch 5 S 0', ($t + 9) . ' 0 0 hardirq waking 5') } 1 .. 1500);
$r = analysis('why-late', $many, '--keep', 1000, '--worst', 1);
is_deeply([parts($r)], ['2 runs t6', '2 waits for a CPU t5 t6 6 2.00 us'], '--keep: the worst is explained though its history is not kept');
$r = analysis('why-late', $many, '--keep', 1000, '--task', 5, '--start', '1.0');
is(gap($r), '', 'a time that is longer than what is kept has no gap');
like((parts($r))[0], qr/^\d+ unknown t5 before what is kept$/, 'its begin is unknown, and why');
ok((grep { $_->{key} eq 'cut' } @{$r->{data}{notes}}), 'which is said');

# Any order of events: a scheduler that rolls dice.  Who is said to have run has run there.
sub dice {
	my ($n, $missing) = @_;
	my (@on, %state, @events, @ran) = (0, 0, 0);
	my ($t, @tasks) = (0, 11 .. 18);
	@state{@tasks} = ('S') x @tasks;
	my @in = (0) x @on;
	my @dropped;
	for (1 .. $n) {
		$t += 1 + int rand 3;
		my $cpu = int rand @on;
		my $me = $on[$cpu];
		my $dice = rand;
		if ($dice < 0.4) {
			my @ready = grep { $state{$_} eq 'R' } @tasks;
			my $next = @ready && rand() < 0.8 ? $ready[rand @ready] : 0;
			next if $next == $me;
			my $letter = $me && rand() < 0.6 ? 'S' : 'R';
			# Two in a row could not be told from none.
			$dropped[$cpu] = !$dropped[$cpu] && rand() < $missing;
			push @events, "$t $cpu $me switch $me $letter $next" if !$dropped[$cpu];
			push @{$ran[$cpu]}, [$in[$cpu], $t, $me] if $me;
			$state{$me} = $letter if $me;
			$state{$next} = 'run' if $next;
			($on[$cpu], $in[$cpu]) = ($next, $t);
		} elsif ($dice < 0.7) {
			my $who = $tasks[rand @tasks];
			my $in = rand() < 0.3;
			push @events, map { my $word = $_; $t++; "$t $cpu $me $word" } $in ? ('irq 5', "waking $who", 'irqx 5') : "waking $who";
			$state{$who} = 'R' if $state{$who} eq 'S';
		} elsif ($dice < 0.8) {
			my $work = ('a' .. 'e')[rand 5];
			push @events, "$t $cpu $me " . (!$me || rand() < 0.5 ? "queue_work $work" : rand() < 0.7 ? "execute_start $work" : "execute_end $work");
		} elsif ($dice < 0.95) {
			my $sector = 8 * int rand 6;
			push @events, "$t $cpu $me " . ('Q', 'D', 'C', 'R')[rand 4] . " W $sector+8";
		} else {
			push @events, "$t $cpu!4 $me raise 3";
		}
	}
	push @{$ran[$_]}, [$in[$_], $t + 1, $on[$_]] for 0 .. $#on;
	return (miniature(join '|', @events), \@ran, $t);
}

my ($chains, $wrong, $followed) = (0, 0, 0);
for my $round (1 .. small(3, 6)) {
	my ($trace, $ran, $end) = dice(400, $round % 3 ? 0 : 0.05);
	for my $words ([qw(--worst 50)], (map { ['--task', $_, qw(--start 1.0 --end), sprintf '%.9f', 1 + $end / 1e6] } 11 .. 13),
		[qw(--task 12 --start 1.00013 --end 1.00029)]) {
		$r = analysis('why-late', $trace, @$words);
		is(gap($r), '', "round $round: @$words: no gap") or diag $r->{err};
		$chains += rows($r, 'chains');
		for my $part (grep { $_->{what} eq 'runs' } rows($r, 'parts')) {
			my ($from, $to) = map { $_ / 1000 - 1_000_000 } $part->{from}, $part->{from} + $part->{time};
			$followed++;
			$wrong++ if !grep { $_->[2] == $part->{pid} && $_->[0] <= $from && $_->[1] >= $to } @{$ran->[$part->{cpu}]};
		}
		fail('the idle task is a reason') if grep { defined $_->{pid} && !$_->{pid} } rows($r, 'parts');
	}
}
cmp_ok($chains, '>', small(75, 150), 'chains were looked at');
is($wrong, 0, "whoever is said to run, ran there then ($followed times)");

# Real recordings.
SKIP: {
	my @files = small() ? map { "t/data/$_.dat" } qw(demo i386_all armhf_lost) : grep { -s $_ < 2 << 20 } Compare::RealData::recordings(Compare::RealData::own()), defined Compare::RealData::shared() ? Compare::RealData::recordings(Compare::RealData::shared()) : ();
	my ($all, $failed) = (0, '');
	for my $file (grep { !m{/hostile/|latency} } @files) {
		$r = analysis('why-late', $file, '--worst', 20);
		next if !$r->{data};
		$all += rows($r, 'chains');
		my $gap = gap($r);
		$failed .= "$file: $gap\n" if $gap;
	}
	is($failed, '', 'in each real recording the parts of each chain add up');
	cmp_ok($all, '>', small(20, 100), "$all chains");
}

done_testing();
