# SPDX-License-Identifier: GPL-2.0-or-later
#
# power: idle states and frequencies.  Without it a CPU that sleeps at a high frequency looks busy at it.
#
# of: scripts/power.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use JSON::PP ();
use Compare::Windows;
use Run::Program qw(zed_run);
use Write::Miniature;
use Write::ZedStream;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return [map { [map { $_ // '-' } @$_{@keys}] } @{$r->{data}{tables}{$table}{rows} // []}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# CPU 0 runs at first, CPU 1 is in a state that had begun before; CPU 1's frequency is told on CPU 0; CPU 0 is idle still
# at the end.
my $dat = miniature(<<'END');
0 0 5 khz 1000 0 | 10 0 0 khz 2000 1 | 20 1 0 idle -1 1 | 30 0 0 idle 1 0 | 35 0 0 khz 3000 0 | 50 0 0 idle -1 0 | 60 1 0 idle 2 1 | 90 1 0 idle -1 1
95 0 5 khz 1000 0 | 96 0 0 idle 1 0 | 99 0 0 idle -1 0 | 100 0 0 idle 2 0 | 110 1 7 waking 5
END
my $r = analysis('power', $dat, '--by', 'cpu');
is_deeply(rows($r, 'states', qw(cpu state n total max)), [[1, 2, 1, 30_000, 30_000], [0, 1, 2, 23_000, 20_000]], 'states: from the entry to the end, on each CPU') or diag $r->{err};
is_deeply([sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @{rows($r, 'frequencies', qw(cpu khz total n))}], [[0, 1000, 32_000, 2], [0, 3000, 45_000, 1], [1, 2000, 60_000, 1]],
	'frequencies: in the time that is not idle; before the first idle event that tells which it was');
is_deeply({ %{notes($r)}{qw(begun still)} }, { begun => 1, still => 1 }, 'what was not seen as a whole');
is_deeply(rows($r, 'longest', qw(time at cpu state))->[0], [30_000, 1_000_060_000, 1, 2], 'the longest');
$r = analysis('power', $dat);
is_deeply(rows($r, 'states', qw(state n total)), [[2, 1, 30_000], [1, 2, 23_000]], 'by state, over all CPUs');
cmp_ok(abs($r->{data}{tables}{states}{rows}[0]{share} - 30 / 110 / 2), '<', 1e-9, 'and its share of their time');
is_deeply(rows($r, 'frequencies', qw(khz total)), [[2000, 60_000], [3000, 45_000], [1000, 32_000]], 'by frequency');

# CPUs are chosen: CPU 1 is idle for 30 of its 110 us.
sub share_head { return map { $_->{head} } grep { $_->{key} eq 'share' } @{$_[0]{data}{tables}{states}{columns}} }

is_deeply([share_head($r)], ['of all CPUs %'], 'whose time the share is of');
$r = chosen(['--cpu', 1], 'power', $dat);
cmp_ok(abs($r->{data}{tables}{states}{rows}[0]{share} - 30 / 110), '<', 1e-9, '--cpu: a share is of the chosen CPUs');
is_deeply([share_head($r)], ['of chosen CPUs %'], 'and says so (else: one CPU is taken for all of them)');
my $state = temp_path('.state');
zedperl({ bare => 1 }, '--map', '-o', $state, '--cpu', 1, $dat, 'power');
like(zedperl({ bare => 1 }, '--reduce', 'power', $state)->{out}, qr/ of chosen CPUs % .*\n.* 27\.27 /, 'also when it is merged');

# A second input, of one CPU that is idle for 30 of its 40 us.
my $other = miniature('0 0 0 khz 1000 0 | 5 0 0 idle 2 0 | 35 0 0 idle -1 0 | 40 0 5 waking 6');
$r = chosen([], 'power', [$dat, $other]);
cmp_ok(abs($r->{data}{tables}{states}{rows}[0]{share} - 60 / (2 * 110 + 40)), '<', 1e-9, 'two inputs: the CPUs of both have their own time (else: a share of more than all)');
$r = chosen([], 'power', [$dat, $other], '--by', 'cpu');
is_deeply(rows($r, 'states', qw(source cpu state n total)), [[0, 1, 2, 1, 30_000], [1, 0, 2, 1, 30_000], [0, 0, 1, 2, 23_000]], '--by cpu: whose CPU it is (else: rows that nothing tells apart)');
is_deeply([grep { $_->[0] } @{rows($r, 'frequencies', qw(source cpu khz))}], [[1, 0, 1000]], 'also at a frequency');
is_deeply([sort { $a->[0] <=> $b->[0] } grep { $_->[1] == 30_000 } @{rows($r, 'longest', qw(source time cpu))}], [[0, 30_000, 1], [1, 30_000, 0]], 'and of the longest');
is_deeply([map { my $t = $_; map { $_->{head} } grep { $_->{key} eq 'source' } @{$r->{data}{tables}{$t}{columns}} } qw(states frequencies longest)], [('input') x 3], 'in a column of its own');
ok(!exists analysis('power', $dat, '--by', 'cpu')->{data}{tables}{states}{rows}[0]{source}, 'which one input has not');
cmp_ok(abs([grep { $_->{source} } @{$r->{data}{tables}{states}{rows}}]->[0]{share} - 30 / 40), '<', 1e-9, 'a share of a CPU is of the time of its input');

# One input ends before the other, with a CPU that is idle: for 200 of its 300 us, and no longer.
my @ended = map { miniature($_) } '0 0 0 idle 1 0 | 50 0 0 idle -1 0 | 100 0 0 idle 2 0 | 200 1 0 idle 1 1 | 300 1 0 idle -1 1',
	'0 0 0 idle 1 0 | 50 0 0 idle -1 0 | 1000 1 0 idle 1 1 | 1300 1 0 idle -1 1';
my $stream = temp_path('.zs');
Write::ZedStream::from_dat($ended[0])->write($stream);
for (['a file', $ended[0], 200 / 300], ['a pipe', '-', 200 / 1000]) {
	my ($what, $input, $share) = @$_;
	my $out = zed_run('sh', '-c', 'cat "$0" | "$@"', $stream, zedperl_path(), '--end', '1.0012', '-i', $input, '-i', $ended[1], 'power', '--by', 'cpu',
		'--json')->{out};
	my ($row) = grep { $_->{source} == 0 && $_->{state} == 2 } @{JSON::PP::decode_json($out)->{tables}{states}{rows}};
	cmp_ok(abs(($row // {})->{share} - $share), '<', 1e-9, "$what that ends before another: its state ends with it (else: it is idle for more than all of the time)")
		or diag($out);
}

# A loss on CPU 0 hides what it did, and any change of a frequency; CPU 1 is idle all the while.
$r = analysis('power', miniature(<<'END'), '--by', 'cpu');
0 0 5 khz 1000 0 | 1 0 0 idle 1 0 | 2 1 0 idle 1 1 | 3 0 0 khz 1000 1 | 10 0!2 5 waking 6 | 20 0 0 idle -1 0 | 22 1 0 idle -1 1 | 30 0 0 idle 2 0 | 33 0 0 idle -1 0
END
is_deeply(rows($r, 'states', qw(cpu state n total)), [[1, 1, 1, 20_000], [0, 2, 1, 3_000]], 'a loss: of that CPU');
is_deeply([grep { $_->[2] > 1_000 } @{rows($r, 'frequencies', qw(cpu khz total))}], [], 'a loss: of all frequencies');
is(analysis('power', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# A recording, from the kernel's own text of it.
my (%since, %n, %total);
open my $fh, '<', 't/data/misc.dat.kernel.txt' or die "misc.dat.kernel.txt: $!\n";
my ($first, $last) = map { $_ / 1e9 } @{analysis('power', 't/data/misc.dat')->{data}}{qw(start end)};
while (<$fh>) {
	my ($time, $state, $cpu) = / ([\d.]+): cpu_idle: state=(\d+) cpu_id=(\d+)/ or next;
	next if $time < $first - 2e-6 || $time > $last + 2e-6;
	if ($state == 4_294_967_295) {
		my ($was, $at) = @{delete $since{$cpu} // next};
		$n{"$cpu $was"}++;
		$total{"$cpu $was"} += 1e6 * ($time - $at);
	} else {
		$since{$cpu} = [$state, $time];
	}
}
close $fh;
my %got = map { ("$_->{cpu} $_->{state}" => $_) } @{analysis('power', 't/data/misc.dat', '--by', 'cpu')->{data}{tables}{states}{rows}};
cmp_ok(scalar keys %n, '>', 1, 'the kernel prints idle states');
is_deeply({ map { $_ => $got{$_}{n} } keys %got }, \%n, 'a recording: as often as the kernel prints');
is_deeply([grep { abs($got{$_}{total} / 1000 - $total{$_}) > $n{$_} } keys %n], [], 'and for as long, to the microsecond');

# Parts of the recording: times in states and at frequencies are cut to each, so they add up to those of the whole.
{
	my $whole = analysis('power', $dat)->{data};
	my @at = ($whole->{start}, 1_000_015_001, 1_000_042_003, 1_000_075_007, 1_000_097_009, $whole->{end});
	my (%spent, %at_khz, %n);

	for my $i (1 .. $#at) {
		my $part = JSON::PP::decode_json(zedperl({ bare => 1 }, '--start', "$at[$i - 1]ns", '--end', "$at[$i]ns", $dat, 'power', '--json')->{out});

		$spent{$_->{state}} += $_->{share} * 2 * ($part->{end} - $part->{start}) for @{$part->{tables}{states}{rows}};
		$n{$_->{state}} += $_->{n} for @{$part->{tables}{states}{rows}};
		$at_khz{$_->{khz}} += $_->{total} for @{($part->{tables}{frequencies} // {})->{rows} // []};
	}
	my %whole = map { $_->{state} => $_ } @{$whole->{tables}{states}{rows}};

	is_deeply({ map { $_ => $n{$_} } keys %whole }, { map { $_ => $whole{$_}{n} } keys %whole }, 'parts: each state counts where it ends');
	is(sprintf('%.0f', $spent{1}), $whole{1}{total}, 'parts: times in a state add up (else: a share is of times outside of the part)');
	is_deeply(\%at_khz, { map { $_->{khz} => $_->{total} } @{$whole->{tables}{frequencies}{rows}} }, 'parts: times at a frequency add up');
}

my %states = (of => 't/data/misc.dat', analysis => 'power', args => [qw(--by cpu)], windows => 4, table => 'states', key => [qw(cpu state)], ends => [qw(n total)], largest => ['max']);
windows_add_up(\%states);
choice_has_its_rows($_, '--cpu', 'cpu') for \%states, { %states, of => $dat, table => 'frequencies', key => [qw(cpu khz)], cut => ['total'], ends => ['n'], largest => [] };
cuts_agree({ %states, ends => ['n'] }, unknown => ['begun']);

done_testing();
