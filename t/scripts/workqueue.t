# SPDX-License-Identifier: GPL-2.0-or-later
#
# workqueue: from the queue to a worker, and to the end.  Without it work that is queued again while it runs, or an address
# that is used anew, gives times of nothing.
#
# of: scripts/workqueue.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return [map { [@$_{@keys}] } sort { $a->{key} cmp $b->{key} } @{$r->{data}{tables}{$table}{rows} // []}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# f waits behind others, then for its worker; it sleeps in the middle, and is queued again meanwhile.  While it runs the
# second time, another takes its address.  h is taken back; k was queued before; of z the start is not there.
my $dat = miniature(<<'END');
0 0 5 queue_work f | 1 0 5 activate f | 10 0 0 switch 0 R 901 | 12 0 901 execute_start f | 14 1 6 queue_work f rcu | 20 0 901 switch 901 D 0
50 0 0 switch 0 R 901 | 60 0 901 execute_end f | 61 0 901 execute_start f | 80 1 6 queue_work g@102 | 85 1 951 execute_start g@102
95 1 951 execute_end g@102 | 100 0 901 execute_end f
110 0 5 queue_work h | 120 0 5 queue_work h | 130 0 901 execute_start h | 131 0 901 execute_end h
140 0 901 execute_start k | 141 0 901 execute_end k | 150 0 901 execute_end z | 160 0 5 queue_work m | 161 0 901 execute_start n
END
my $r = analysis('workqueue', $dat);
is_deeply(rows($r, 'runs', qw(key n total own max)), [['f', 2, 87_000, 57_000, 48_000], ['g', 1, 10_000, undef, 10_000], ['h', 1, 1_000, 1_000, 1_000],
	['k', 1, 1_000, 1_000, 1_000]], 'runs: each to the end of its own worker; own is without the time off the CPU; CPU 1 shows no switch') or diag $r->{err};
is_deeply(rows($r, 'waits', qw(key n total held wakeups woken max)), [['f', 2, 59_000, 1_000, 1, 9_000, 47_000], ['g', 1, 5_000, 0, 0, 0, 5_000],
	['h', 1, 10_000, 0, 0, 0, 10_000]], 'waits: behind others, and for the wakeup of a worker that slept, not of one that was at work');
is_deeply(notes($r), { waits => 1, runs => 1, unqueued => 2, again => 1, begun => 1, early => 1 }, 'what was not seen as a whole');
is_deeply([map { [@$_{qw(time own at function queue comm)}] } $r->{data}{tables}{longest}{rows}[0]],
	[[48_000, 18_000, 1_000_012_000, 'f', 'events', 'kworker/0:901']], 'the longest run');
is_deeply([map { [@$_{qw(wait at function queue)}] } $r->{data}{tables}{slowest}{rows}[0]], [[47_000, 1_000_061_000, 'f', 'rcu']], 'the longest wait');
is_deeply([map { my $table = $_; map { $_->{head} } grep { $_->{key} eq 'at' } @{$r->{data}{tables}{$table}{columns}} } qw(longest slowest)], ['began at', 'waited until'],
	'a run is where it began, a wait where it ended (else: the wait is looked for after its end)');
is_deeply(rows(analysis('workqueue', $dat, '--by', 'workqueue'), 'runs', qw(key n)), [['?', 1], ['events', 3], ['rcu', 1]], '--by workqueue');
is_deeply(rows(analysis('workqueue', $dat, '--by', 'worker'), 'runs', qw(key n total)), [['kworker/0:901 901', 4, 89_000], ['kworker/u8:951 951', 1, 10_000]],
	'--by worker');
is(analysis('workqueue', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# A loss of CPU 1 hides an end there, or that of a worker of no CPU, and the start of anything.
$r = analysis('workqueue', miniature(<<'END'));
0 0 5 queue_work f | 1 0 901 execute_start f | 2 1 952 execute_start g | 3 0 5 queue_work h | 4 1 5 queue_work i | 5 2 953 execute_start l
20 1!3 7 waking 6 | 30 0 901 execute_end f | 31 1 952 execute_end g | 32 2 953 execute_end l | 33 0 901 execute_start h | 35 0 901 execute_end h
END
is_deeply(rows($r, 'runs', qw(key n total)), [['f', 1, 29_000], ['h', 1, 2_000]], 'a loss: what another CPU was at goes on');
is_deeply(rows($r, 'waits', qw(key n)), [['f', 1]], 'a loss: all waits end unknown');
is_deeply({ %{notes($r)}{qw(lost_waits lost_runs)} }, { lost_waits => 2, lost_runs => 2 }, 'and are counted');

# A trace whose switches were not recorded, though it describes them, and a time before the first.
my $work = '0 0 5 queue_work f | 1 0 901 execute_start f | 9 0 901 execute_end f';
for (['that is not there', [], $work], ['after the time that is asked for', ['--end', '1.000010'], "$work | 20 0 5 switch 5 S 6"]) {
	my ($what, $choice, $text) = @$_;
	$r = chosen($choice, 'workqueue', miniature($text));
	is_deeply([rows($r, 'runs', qw(key total own)), rows($r, 'waits', qw(key wakeups woken)), map({ $_->{own} } @{$r->{data}{tables}{longest}{rows}}), exists notes($r)->{switches} ? 1 : 0],
		[[['f', 8_000, undef]], [['f', undef, undef]], undef, 1], "a switch $what: how long a worker was on a CPU is not known (else: all the time)");
}
# A CPU's first switch: before it a worker may have left and come back, as the recorder turns events on one after another.
for (['of this CPU before it began', '0 0 5 switch 5 S 901', 8_000, 0, undef], ['of another CPU alone', '0 1 5 switch 5 S 6', undef, 8_000, 1]) {
	my ($what, $switch, $own, $unknown, $early) = @$_;
	$r = analysis('workqueue', miniature("$switch | $work"));
	is_deeply([rows($r, 'runs', qw(key total own unknown)), notes($r)->{early}], [[['f', 8_000, $own, $unknown]], $early], "a switch $what (else: a sleep is time on a CPU)");
	is_deeply([map { $_->{own} } @{$r->{data}{tables}{longest}{rows}}], [$own], '... also of the longest');
}
my $state = temp_path('.state');
zedperl({ bare => 1 }, '--map', '-o', $state, miniature("0 1 5 switch 5 S 6 | $work"), 'workqueue');
like(zedperl({ bare => 1 }, '--reduce', 'workqueue', $state)->{out}, qr/^f\s+1\s+8\.00 us\s+-\s+8\.00 us/m, '... and when it is merged');

# A worker with a name of its own, as rescuers have.
$r = analysis('workqueue', miniature('0 0 70 execute_start f | 10 0 70 switch 70 S 5 | 30 0 5 switch 5 S 70 | 40 0 70 execute_end f'));
is_deeply(rows($r, 'runs', qw(key total own unknown)), [['f', 40_000, 10_000, 10_000]], 'any worker can sleep; up to its first switch it may have been away');

# A recording, from the text of trace-cmd alone.
my (%queued, %running, %wait, %run, %of);
for (qx(gzip -dc t/data/demo.dat.raw.txt.gz)) {
	my ($pid, $time, $event, $rest) = /-(\d+) +\[\d+\].*? +([\d.]+): (workqueue_\w+): +(.*)/ or next;
	my ($work) = $rest =~ /work=(\w+)/;
	my ($function) = $rest =~ /function=(\w+)/;
	$queued{$work} = $time if $event eq 'workqueue_queue_work';
	if ($event eq 'workqueue_execute_start') {
		push @{$wait{$function}}, $time - delete $queued{$work} if $queued{$work};
		$running{$pid} = [$time, $function];
	} elsif ($event eq 'workqueue_execute_end') {
		push @{$run{$running{$pid}[1]}}, $time - $running{$pid}[0];
	}
}
$r = analysis('workqueue', 't/data/demo.dat');
for (['runs', \%run], ['waits', \%wait]) {
	my ($table, $want) = @$_;
	my %got = map { $_->{key} => $_ } @{$r->{data}{tables}{$table}{rows}};

	is_deeply({ map { $_ => $got{$_}{n} } keys %got }, { map { $_ => scalar @{$want->{$_}} } keys %$want }, "a recording: $table, as many as trace-cmd prints");
	is_deeply([grep { my $sum = 0; $sum += 1e6 * $_ for @{$want->{$_}}; abs($got{$_}{total} / 1000 - $sum) > @{$want->{$_}} } keys %$want], [],
		"and of the same time, to the microsecond");
}

# Parts of the trace: a recording, and work that waits and is run at every border.
my $many = miniature(join '|', sort { ($a =~ /(\d+)/)[0] <=> ($b =~ /(\d+)/)[0] } map { my $t = 100 * $_; ("$t 0 5 queue_work f\@$_", $t + 20 . " 0 5 activate f\@$_", $t + 150 . " 0 901 execute_start f\@$_",
	$t + 170 . ' 0 901 switch 901 D 0', $t + 190 . ' 0 0 switch 0 R 901', $t + 220 . " 0 901 execute_end f\@$_") } 1 .. 20);
for my $of ('t/data/demo.dat', $many) {
	my %runs = (of => $of, analysis => 'workqueue', args => ['--by', 'worker'], windows => 4, table => 'runs', key => ['key'], ends => [qw(n total own)], largest => ['max']);
	my %waits = (%runs, table => 'waits', ends => [qw(n total held wakeups woken)]);
	windows_add_up($_) for \%runs, \%waits;
	cuts_agree({ %runs, ends => ['n'] }, unknown => ['begun']);
	cuts_agree({ %waits, ends => ['n'] }, unknown => ['unqueued']);
}
for my $table (qw(runs waits)) {
	my $whole = analysis('workqueue', $many, '--by', 'worker')->{data}{tables}{$table}{rows};
	my $r = zedperl({ bare => 1 }, '--pid', 901, $many, 'workqueue', '--by', 'worker', '--json');
	is_deeply(JSON::PP::decode_json($r->{out})->{tables}{$table}{rows}, $whole, "$table of a worker, by --pid: what others queued is known");
}

done_testing();
