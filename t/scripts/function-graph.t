# SPDX-License-Identifier: GPL-2.0-or-later
#
# function-graph: what a function takes itself.  Without it a function that sleeps, or whose callees are not known, looks
# busy.
#
# of: scripts/function-graph.pl lib/Zed
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, @keys) = @_; return [map { [@$_{@keys}] } sort { $a->{function} cmp $b->{function} } @{$r->{data}{tables}{functions}{rows} // []}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# z began before the trace, and calls y then; a calls b, which sleeps and is woken on another CPU, and c, which calls itself;
# another task and the idle task are at the same depths meanwhile.
my $dat = miniature(<<'END');
0 0 9 switch 9 S 5 | 0 0 5 call y 1 | 4 0 5 ret y 1 0 4 | 6 0 5 ret z 0 -10 6
10 0 5 call a 0 | 12 0 5 call b 1 | 14 0 5 switch 5 S 6 | 15 0 6 call a 0 | 16 1 0 call d 0 | 20 0 6 ret a 0 15 20 | 22 1 0 ret d 0 16 22
30 1 0 switch 0 R 5 | 32 1 5 ret b 1 12 32 | 33 1 5 call c 1 | 34 1 5 call c 2 | 37 1 5 ret c 2 34 37 | 40 1 5 ret c 1 33 40 | 45 1 5 ret a 0 10 45 | 50 1 5 call e 0
END
my $r = analysis('function-graph', $dat);
is_deeply(rows($r, qw(function n self total off max)), [['a', 2, 13_000, 40_000, 16_000, 35_000], ['b', 1, 4_000, 20_000, 16_000, 20_000],
	['c', 2, 7_000, 10_000, 0, 7_000], ['d', 1, 6_000, 6_000, 0, 6_000], ['y', 1, 4_000, 4_000, 0, 4_000], ['z', 1, undef, 16_000, 0, 16_000]],
	'itself: without what it calls, and without the time off the CPU; of what began before the trace that is not known') or diag $r->{err};
is_deeply(notes($r), { begun => 1 }, 'which is counted');
is_deeply([map { [@$_{qw(time at function depth pid)}] } $r->{data}{tables}{worst}{rows}[0]], [[35_000, 1_000_010_000, 'a', 0, 5]], 'the longest call');
my %wall = map { $_->[0] => $_->[1] } @{rows(analysis('function-graph', $dat, '--wall'), qw(function self))};
is($wall{b}, 20_000, '--wall: a sleep belongs to the function that slept');

# A trace whose switches were not recorded, though it describes them, and a time before the first.
for (['that is not there', [], '0 0 5 call a 0 | 9 0 5 ret a 0 0 9'], ['after the time that is asked for', ['--end', '1.000010'], '0 0 5 call a 0 | 9 0 5 ret a 0 0 9 | 20 0 5 switch 5 S 6']) {
	my ($what, $choice, $text) = @$_;
	$r = chosen($choice, 'function-graph', miniature($text));
	is_deeply([rows($r, qw(function self off)), exists notes($r)->{switches} ? 1 : 0], [[['a', 9_000, undef]], 1],
		"a switch $what: the time off a CPU is not known (else: it is 0)");
}

# Before the first switch of a CPU a task may have left it unseen; its own first switch, and the idle task, are known.
$r = analysis('function-graph', miniature('0 0 5 call a 0 | 2 0 5 call b 1 | 5 0 5 ret b 1 2 5 | 6 0 5 switch 5 S 6 | 8 0 6 switch 6 S 5 | 9 0 5 ret a 0 0 9 | 10 1 0 call d 0 | 12 1 0 ret d 0 10 12 | '
	. '13 0 5 call a 0 | 17 0 5 ret a 0 13 17 | 20 1 8 call c 0 | 23 1 8 ret c 0 20 23 | 24 1 5 call e 0 | 26 1 5 ret e 0 24 26'));
is_deeply(rows($r, qw(function n self total)), [['a', 2, 4_000, 13_000], ['b', 1, undef, 3_000], ['c', 1, undef, 3_000], ['d', 1, 2_000, 2_000], ['e', 1, 2_000, 2_000]],
	'before the first switch of its CPU the time of a function itself is not known (else: a sleep is taken for work)');
is(notes($r)->{early}, 3, '... which is counted');

# The kernel's own stack was full; events are lost on one CPU; leaves are not folded, so that entries may lack.
$r = analysis('function-graph', miniature('0 0 5 call a 0 | 1 0 5 call b 1 | 3 0 5 ret b 1 1 3 7 | 9 0 5 ret a 0 0 9 7 | 10 0 6 call a 0 | 15 0 6 ret a 0 10 15'));
is_deeply(rows($r, qw(function n self)), [['a', 1, 5_000]], 'a task that was in more functions than there was room for is left out');
is(notes($r)->{overrun}, 2, 'and that is counted');
$r = analysis('function-graph', miniature(<<'END'));
0 0 5 call a 0 | 1 1 6 call b 0 | 2 0 5 call c 1 | 3 0 5 ret c 1 2 3 | 4 1 6 call c 1 | 5 1 6 ret c 1 4 5
10 0!2 5 call d 1 | 12 0 5 ret d 1 10 12 | 20 0 5 ret a 0 0 20 | 21 1 6 ret b 0 1 21 | 30 0 5 call a 0 | 33 0 5 ret a 0 30 33
END
is_deeply(rows($r, qw(function n self)), [['a', 2, 3_000], ['b', 1, 19_000], ['c', 2, 2_000], ['d', 1, 2_000]],
	'a loss: what was called on that CPU is not known; another goes on');
is(notes($r)->{begun}, 1, 'and is counted');

# A recording, from the text that trace-cmd prints of its records alone: each stack from its entries on.
my (%n, %total, %self, %stacks, %address);
for (qx(gzip -dc t/data/fgraph.dat.raw.txt.gz)) {
	my ($pid, $cpu, $event, $rest) = /-(\d+) +\[(\d+)\].*? (funcgraph_\w+): +(.*)/ or next;
	my %f = $rest =~ /(\w+)=(\S+)/g;
	my $stack = $stacks{$pid || "idle $cpu"} //= [];
	if ($event eq 'funcgraph_entry') {
		$#$stack = $f{depth} - 1;
		push @$stack, [$f{func}, 0];
		next;
	}
	my $frame = $stack->[$f{depth}];
	my ($from, $to) = map { hex } @f{qw(calltime rettime)};
	$n{$f{func}}++;
	$total{$f{func}} += $to - $from;
	$self{$f{func}} += $to - $from - ($frame ? $frame->[1] : 0);
	$stack->[$f{depth} - 1][1] += $to - $from if $f{depth};
	$#$stack = $f{depth} - 1;
}
$r = analysis('function-graph', 't/data/fgraph.dat', '--wall');
my @got = @{$r->{data}{tables}{functions}{rows}};
cmp_ok(scalar keys %n, '>', 20, 'trace-cmd prints functions');
is_deeply([sort map { "$_->{n} $_->{total}" } @got], [sort map { "$n{$_} $total{$_}" } keys %n], 'a recording: how often, and for how long');
my $sum = 0;
$sum += $_ for values %self;
my $begun = notes($r)->{begun} // 0;
my %want = map { ("$n{$_} $self{$_}" => 1) } keys %self;
cmp_ok(scalar(grep { !$want{"$_->{n} " . ($_->{self} // '')} } @got), '<=', $begun, 'and for how long itself, of all but those that began before');

# Parts of the trace: what a function called before the window is known.
my %functions = (of => 't/data/fgraph.dat', analysis => 'function-graph', windows => 4, table => 'functions', key => ['function'],
	ends => [qw(n self total off)], largest => ['max']);
windows_add_up(\%functions);
cuts_agree({ %functions, ends => ['n'] });
my %sum;
for my $pid (map { /-(\d+) +\[/ } qx(gzip -dc t/data/fgraph.dat.raw.txt.gz)) {
	next if $sum{pids}{$pid}++;
	my $rows = zedperl({ bare => 1 }, '--pid', $pid, 't/data/fgraph.dat', 'function-graph', '--json');
	my $of = JSON::PP::decode_json($rows->{out})->{tables}{functions}{all} // next;
	$sum{$_} += $of->{$_} // 0 for qw(n self);
}
my $all = analysis('function-graph', 't/data/fgraph.dat')->{data}{tables}{functions}{all};
is_deeply([@sum{qw(n self)}], [@$all{qw(n self)}], 'tasks by themselves add up to all');
my $early = zedperl({ bare => 1 }, '--start', '1.000008', '--end', '1.000015', miniature('0 0 5 call a 0 | 10 0 5 call b 1 | 20 0 5 ret b 1 10 20 | 30 0 5 ret a 0 0 30'),
	'function-graph', '--json');
is(notes({ data => JSON::PP::decode_json($early->{out}) })->{open}, 2, 'open at the end of the window: what was called before it, too');

done_testing();
