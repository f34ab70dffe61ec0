# SPDX-License-Identifier: GPL-2.0-or-later
#
# timers: how late they are by their own clock.  Without it what expires within its slack is late, and a timer whose address
# another had is late by what was left of that.
#
# of: scripts/timers.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return [map { [@$_{@keys}] } sort { $a->{function} cmp $b->{function} || $a->{deferrable} cmp $b->{deferrable} } @{$r->{data}{tables}{$table}{rows} // []}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# The trace's times say nothing of lateness.  a is late by 3, and was "cancelled" as each is that expires; b is within its
# slack; c was started again for another time; d is gone, and e has its address; of f no start was seen; g is too early.
# The wheel's w is late by 3 ticks and interrupted in its function; v is deferrable.
my $dat = miniature(<<'END');
10 0 5 hrtimer a 100 90 | 105 0 0 hrcancel a | 106 0 0 expire a 103 | 110 0 0 expirex a
120 0 5 hrtimer b 200 150 | 190 1 0 expire b 180 | 192 1 0 expirex b | 200 0 5 hrtimer c 300 | 210 0 5 hrtimer c 250 | 260 0 0 expire c 255
261 0 0 expirex c | 300 0 5 hrtimer d@50 400 | 305 0 5 hrcancel d@50 | 310 0 5 hrtimer e@50 500 | 510 0 0 expire e@50 507 | 520 0 0 expire f 1
530 0 5 hrtimer g 900 880 | 540 0 0 expire g 870
600 0 5 wheel_start w 10 5 | 610 0 5 wheel_start v 10 5 80000 | 700 0 0 wheel_cancel w | 701 0 0 wheel w 13 | 705 0 0 expire h 1 | 708 0 0 expirex h
720 0 0 wheelx w | 800 1 0 wheel v 40
END
my $r = analysis('timers', $dat);
is_deeply(rows($r, 'hrtimers', qw(function n slack total max ran took)), [['a', 1, 0, 3_000, 3_000, 1, 4_000], ['b', 1, 1, 0, 0, 1, 2_000],
	['c', 1, 0, 5_000, 5_000, 1, 1_000], ['e', 1, 0, 7_000, 7_000, undef, undef], ['g', 1, 1, 0, 0, undef, undef], ['h', 0, 0, 0, undef, 1, 3_000]],
	'of high resolution: by now and the last start of that address and function') or diag $r->{err};
is_deeply(rows($r, 'timers', qw(function deferrable n total max took)), [['v', 'yes', 1, 30, 30, undef], ['w', '', 1, 3, 3, 19_000]], 'of the wheel: in ticks; deferrable ones apart');
is_deeply({ %{notes($r)}{qw(hrtimer_begun hrtimer_early hrtimer_pending)} }, { hrtimer_begun => 2, hrtimer_early => 1, hrtimer_pending => 1 }, 'what was not seen as a whole');
is_deeply([map { [@$_{qw(late at function)}] } $r->{data}{tables}{hrtimer_latest}{rows}[0]], [[7_000, 1_000_510_000, 'e']], 'the latest');
is_deeply([map { [@$_{qw(late at function cpu)}] } $r->{data}{tables}{timer_latest}{rows}[0]], [[30, 1_000_800_000, 'v', 1]], 'the latest of the wheel');

is(zedperl({ bare => 1 }, '--tail', 5, $dat, 'timers')->{status}, 2, '--tail is refused: the last expiries were started before (else: fewer than none of them had no start)');

$r = analysis('timers', miniature('0 0 5 hrtimer a 100 | 1 1 6 hrtimer b 100 | 10 0!2 5 waking 6 | 20 0 0 expire a 120 | 21 1 0 expire b 130'));
is_deeply(rows($r, 'hrtimers', qw(function n)), [], 'a loss may hide another start: what was started before it says nothing');
is(notes($r)->{hrtimer_lost}, 2, 'and is counted');

# What waits: of 5 on CPU 0, of 6 on CPU 1 and, of the wheel, of 5 on CPU 1.
$dat = miniature('0 0 5 hrtimer a 100 | 1 0 5 hrtimer b 100 | 2 1 6 hrtimer c 900 | 3 1 5 wheel_start w 10 5 | 4 0 0 expire a 100 | 5 1 0 wheel v 9', cmdlines => "5 t5\n6 t6\n");
is_deeply([map { my $n = notes(chosen($_, 'timers', $dat)); [@$n{qw(hrtimer_pending timer_pending)}] } [], ['--cpu', 0], ['--cpu', 1], ['--pid', 6], ['--comm', 't5']],
	[[2, 1], [1, undef], [1, 1], [1, undef], [1, 1]], 'what is started and not expired is of the CPU and the task that started it (else: of all, whoever was asked for)');

# What is deferrable only the start tells.
$r = analysis('timers', miniature('0 0 5 wheel u 9 | 3 0 0 wheelx u | 10 0 5 wheel_start u 10 5 80000 | 20 0 0 wheel u 13 | 25 0 0 wheelx u | 30 0 5 wheel_start u 10 5 | 40 0 0 wheel u 13 | 41 0 0 wheelx u'));
is_deeply(rows($r, 'timers', qw(function deferrable n ran took)), [['u', '', 1, 2, 4_000], ['u', 'yes', 1, 1, 5_000]],
	'runs of deferrable ones apart, those whose start was not seen with the others (else: the same run is in another row of another window)');

# How long a tick is, from the two clocks.
$r = analysis('timers', miniature(join '|', map { my $t = 4000 * $_; "$t 0 0 wheel w $_ | " . ($t + 1) . ' 0 0 wheelx w' } 100 .. 130));
like(join(' ', map { $_->{text} } @{$r->{data}{notes}}), qr/a tick is 4 ms/, 'the length of a tick');

# A recording, from the text that trace-cmd prints of its records alone.
my (%start, %late, %n, %began, %took, %name, %address);	# a start has the name of its function, an expiry the address
for (qx(gzip -dc t/data/demo.dat.raw.txt.gz)) {
	my ($cpu, $time, $event, $rest) = /-\d+ +\[(\d+)\].*? +([\d.]+): (hrtimer_\w+): +(.*)/ or next;
	my %f = $rest =~ /(\w+)=(\S+)/g;
	@start{$f{hrtimer}} = @f{qw(expires)} if $event eq 'hrtimer_start';
	$name{$f{hrtimer}} = $f{function} if $event eq 'hrtimer_start';
	$address{$f{function}} = $f{hrtimer} if $event eq 'hrtimer_expire_entry';
	$began{"$cpu $f{hrtimer}"} = [$time, $f{function}] if $event eq 'hrtimer_expire_entry';
	push @{$took{$began{"$cpu $f{hrtimer}"}[1]}}, 1e6 * ($time - $began{"$cpu $f{hrtimer}"}[0]) if $event eq 'hrtimer_expire_exit';
	next if $event ne 'hrtimer_expire_entry' || !defined $start{$f{hrtimer}};
	my $late = $f{now} - delete $start{$f{hrtimer}};
	$n{$f{function}}++;
	$late{$f{function}} += $late > 0 ? $late : 0;
}
for my $of (\%n, \%late, \%took) {
	$of->{$name{$address{$_}} // $_} = delete $of->{$_} for keys %$of;
}
$r = analysis('timers', 't/data/demo.dat');
my %got = map { $_->{function} => $_ } @{$r->{data}{tables}{hrtimers}{rows}};
cmp_ok(scalar keys %n, '>', 1, 'trace-cmd prints timers');
is_deeply({ map { $_ => "$got{$_}{n} $got{$_}{total}" } keys %got }, { map { $_ => "$n{$_} $late{$_}" } keys %n }, 'a recording: how late they are, to the nanosecond');
is_deeply([grep { my $sum = 0; $sum += $_ for @{$took{$_}}; $got{$_}{ran} != @{$took{$_}} || abs($got{$_}{took} / 1000 - $sum) > @{$took{$_}} } keys %took], [],
	'and how long they run, to the microsecond');

if (small()) {
	done_testing();
	exit;
}

# Parts of the trace: starts before the window are known.
my %hrtimers = (of => 't/data/demo.dat', analysis => 'timers', windows => 4, table => 'hrtimers', key => ['function'], ends => [qw(n slack total ran took)],
	largest => ['took_max']);
windows_add_up(\%hrtimers);
my %wheel = (%hrtimers, table => 'timers', key => [qw(function deferrable)], ends => [qw(n total ran took)]);
windows_add_up(\%wheel);
for (\%hrtimers, \%wheel) {
	choices_add_up($_, '--cpu', 'cpu');
	choices_add_up($_, '--pid', 'pid');
}
cuts_agree({ %hrtimers, ends => ['n'], largest => [] }, unknown => ['hrtimer_begun']);

done_testing();
