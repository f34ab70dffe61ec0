# SPDX-License-Identifier: GPL-2.0-or-later
#
# block: the way of requests to a disk.  Without it a merged, split or requeued request is paired with another one's
# times, as btt does behind a few splits.
#
# of: scripts/block.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return map { [@$_{@keys}] } @{$r->{data}{tables}{$table}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# [n, total] of each part, in us.
sub phases {
	my ($r, $dev) = @_;
	return { map { ($_->{phase} => "$_->{n} " . $_->{total} / 1000) } grep { $_->{dev} eq ($dev // '8:0') } @{$r->{data}{tables}{phases}{rows}} };
}

# A merge, a requeue, a request that completes in two parts.
my $r = analysis('block', miniature(<<'END'));
0 0 5 Q W 1000+8 | 1 0 5 G W 1000+8 | 2 0 5 Q W 1008+8 | 3 0 5 M W 1008+8 | 5 0 5 I W 1000+16 | 9 0 5 D W 1000+16 | 12 0 5 R W 1000+16
20 0 5 D W 1000+16 | 50 0 5 C W 1000+8 | 60 0 5 C W 1008+8 | 61 0 5 Q R 5000+8 | 62 0 5 G R 5000+8
END
is_deeply(phases($r), { Q2Q => '2 61', Q2G => '2 2', Q2M => '1 1', G2I => '1 4', I2D => '1 4', M2D => '1 6', D2R => '1 3', D2C => '1 40',
	Q2D => '2 16', Q2C => '2 108' }, 'each part of the way') or diag $r->{err};
is_deeply([rows($r, 'devices', qw(dev merges requeues deepest busy))], [['8:0', 1, 1, 1, 43_000]], 'merges, requeues, depth');
is(notes($r)->{unfinished}, 1, 'what is not finished is told');
is_deeply([rows($r, 'worst', qw(time queued sector bytes))], [[40_000, 60_000, 1000, 8192]],
	'the longest, with its time from the queue, and the place and size of all its parts (else: of the last alone)');

# A split: both halves were queued at once.
$r = analysis('block', miniature('0 0 5 Q R 100+16 | 1 0 5 X R 100 108 | 2 0 5 G R 100+8 | 3 0 5 D R 100+8 | 4 0 5 G R 108+8 | 5 0 5 D R 108+8
	| 10 0 0 C R 100+8 | 20 0 0 C R 108+8'));
is_deeply(phases($r), { Q2G => '2 6', G2D => '2 2', Q2D => '2 8', D2C => '2 22', Q2C => '2 30' }, 'a split');
is_deeply([rows($r, 'classes', qw(class n))], [['read', 2]], 'by kind');

# How much: of the requests that were completed, each once, as by task. 80 was given back and is issued again, 300 is never
# completed.
$r = analysis('block', miniature('0 0 5 G W 80+16 | 1 0 5 D W 80+16 | 2 0 5 R W 80+16 | 3 0 5 D W 80+16 | 4 0 5 G W 300+4096 | 5 0 5 D W 300+4096 | 9 0 0 C W 80+16'));
is_deeply([rows($r, 'classes', qw(class n mib))], [['write', 1, 16 / 2048]], 'by kind: the data of what was completed (else: of what was issued, beside a number of others)');
is_deeply([rows($r, 'tasks', qw(n bytes))], [[1, 16 * 512]], 'as by task');

# A front merge, a merge of two requests.
$r = analysis('block', miniature('0 0 5 Q W 108+8 | 1 0 5 G W 108+8 | 2 0 5 Q W 100+8 | 3 0 5 F W 100+8 | 4 0 5 Q W 116+8 | 5 0 5 G W 116+8
	| 6 0 5 RM W 116+8 | 10 0 5 D W 100+24 | 30 0 0 C W 100+24'));
is_deeply(phases($r), { Q2Q => '2 4', Q2G => '2 2', Q2M => '1 1', M2D => '1 7', G2D => '1 9', Q2D => '3 24', D2C => '1 20', Q2C => '3 84' },
	'what is merged in front, and requests that are merged, end with the request');
is_deeply([rows($r, 'devices', qw(merges request_merges))], [[1, 1]], 'and are counted');

# A bio of a volume goes to a disk; a flush.
my ($dm, $disk) = (253 << 20, 8 << 20);
$r = analysis('block', miniature("0 0 5 Q W 10+8 $dm | 1 0 5 A 2010+8 $disk 10 $dm | 2 0 5 G W 2010+8 | 3 0 5 D W 2010+8 | 9 0 0 C W 2010+8
	| 20 0 5 Q FWS 0+0 | 21 0 5 D FF 0+0 | 30 0 0 C FF 18446744073709551615+0 | 31 0 0 C FWS 0+0"));
is_deeply(phases($r, '253:0'), { Q2C => '1 9' }, 'the volume has the time of its disk');
is_deeply(phases($r), { Q2G => '1 2', G2D => '1 1', Q2D => '1 3', D2C => '1 6', Q2C => '2 20', flush => '1 9' }, 'and the disk its own; a flush is one of its own');

# A loss.
$r = analysis('block', miniature('0 0 5 G W 10+8 | 1 0 5 D W 10+8 | 2 0!3 5 G W 20+8 | 9 0 0 C W 10+8 | 10 0 5 D W 20+8 | 12 0 0 C W 20+8'));
is(phases($r)->{D2C}, '1 2', 'no time is taken across a loss');
is(notes($r)->{begun}, 1, 'and an end without a begin is told');

# By task: the first bio tells whose a request is, not who issued it; without bios, who made it.
$r = analysis('block', miniature('0 0 5 Q W 8+8 | 1 0 6 G W 8+8 | 3 0 7 D W 8+8 | 9 0 0 C W 8+8 | 10 0 6 G R 80+16 | 12 0 7 D R 80+16 | 20 0 0 C R 80+16'));
is_deeply([rows($r, 'tasks', qw(pid n bytes d2c_max q2c_max))], [[6, 1, 8192, 8_000, undef], [5, 1, 4096, 6_000, 9_000]], 'by task: whose bio it was');

# One side alone: a request that is never seen to end does not keep the device busy (else: it is busy for all of the trace),
# and the order is that of the issues.
$r = analysis('block', miniature('100 0 7 D R 64+8 | 140 0 7 D R 72+8 | 150 0 7 D W 200+8 | 170 0 7 D W 208+8'));
is_deeply([map { [map { $_ // '-' } @$_] } rows($r, 'devices', qw(sequential max depth deepest busy))], [[2 / 3, 4096, '-', '-', '-']], 'only issues: sizes and order, no depth');
is_deeply([map { $_->{text} } grep { $_->{key} =~ /^no_/ } @{$r->{data}{notes}}],
	['no block:block_rq_complete of 8:0: how long requests take and how many are in flight are unknown'], '... and it says so');
$r = analysis('block', miniature('100 0 7 C R 64+8 | 140 0 7 C R 72+8'));
is_deeply([map { [map { $_ // '-' } @$_] } rows($r, 'devices', qw(sequential max depth deepest busy))], [['-', '-', '-', '-', '-']], 'only completions: nothing is known of them');
is_deeply([map { $_->{text} } grep { $_->{key} =~ /^no_/ } @{$r->{data}{notes}}],
	['no block:block_rq_issue of 8:0: sizes, order and how many are in flight are unknown'], '... which is said as well');

# Tasks are chosen, while others keep the device busy: 5 has one request of 8 sectors, 6 one of 16 beside it.
my $dat = miniature('0 0 5 G W 8+8 | 1 0 5 D W 8+8 | 2 0 6 G R 80+16 | 3 0 6 D R 80+16 | 11 0 0 C W 8+8 | 23 0 0 C R 80+16');
$r = chosen(['--pid', 5], 'block', $dat);
is_deeply([rows($r, 'devices', qw(max deepest busy))], [[4096, 2, 22_000]], 'sizes are of the requests that are chosen, depth and busy of the device');
is_deeply([map { $_->{head} } grep { $_->{key} =~ /^(?:max|depth|deepest|busy)\z/ } @{$r->{data}{tables}{devices}{columns}}], ['size max', 'depth avg (all)', 'depth max (all)', 'busy (all)'],
	'and say so (else: all of a row is taken for the task that was chosen)');
is_deeply([map { $_->{head} } grep { $_->{key} eq 'busy' } @{analysis('block', $dat)->{data}{tables}{devices}{columns}}], ['busy'], 'where nothing is chosen there is nothing to say');
my $state = temp_path('.state');
is(zedperl({ bare => 1 }, '--map', '-o', $state, '--pid', 5, $dat, 'block')->{status}, 0, 'a state of a choice');
like(zedperl({ bare => 1 }, '--reduce', 'block', $state)->{out}, qr/depth max \(all\)/, 'says so when it is merged');

# What is not finished: 5's bio on CPU 0, 6's request on CPU 1, 5's request on CPU 1.
$dat = miniature('0 0 5 Q W 8+8 | 1 1 6 G R 80+16 | 2 1 6 D R 80+16 | 3 1 5 G W 200+8 | 4 0 0 C W 300+8', cmdlines => "5 t5\n6 t6\n");
is_deeply([map { notes(chosen($_, 'block', $dat))->{unfinished} } [], ['--cpu', 0], ['--cpu', 1], ['--comm', 't5'], ['--cpu', 1, '--pid', 5]], [3, 1, 2, 2, 1],
	'what is not finished is of the CPU and the task that it began with (else: of all, whoever was asked for)');

# Two inputs, each with a disk of that number and a task of that pid: 4 KiB in 8 us, and 8 KiB in 5 us.
my @inputs = map { miniature($_, cmdlines => "5 t5\n") } '0 0 5 G W 8+8 | 1 0 5 D W 8+8 | 9 0 0 C W 8+8', '0 0 5 G W 8+16 | 1 0 5 D W 8+16 | 6 0 0 C W 8+16';
$r = chosen([], 'block', \@inputs);
is_deeply([map { my $t = $_; map { $_->{head} } grep { $_->{key} eq 'source' } @{$r->{data}{tables}{$t}{columns}} } qw(phases classes devices tasks worst)], [('input') x 5],
	'several inputs: a column says whose a row is (else: two rows of one name, and of different disks)');
is_deeply([rows($r, 'classes', qw(source class mib))], [[0, 'write', 8 / 2048], [1, 'write', 16 / 2048]], 'by kind');
is_deeply([grep { $_->[1] eq 'D2C' } rows($r, 'phases', qw(source phase total))], [[0, 'D2C', 8_000], [1, 'D2C', 5_000]], 'parts of the way');
is_deeply([rows($r, 'devices', qw(source max))], [[0, 4096], [1, 8192]], 'devices');
is_deeply([rows($r, 'tasks', qw(source pid bytes))], [[1, 5, 8192], [0, 5, 4096]], 'tasks');
is_deeply([rows($r, 'worst', qw(source time))], [[0, 8_000], [1, 5_000]], 'the longest');
ok(!exists analysis('block', $inputs[0])->{data}{tables}{classes}{rows}[0]{source}, 'which one input has not');

# A recording, from the text of its records: the data of what was issued and completed.
my (%open, $data);
open my $fh, '<', 't/data/block.dat.report.txt' or die "block.dat.report.txt: $!\n";
while (<$fh>) {
	my ($what, $dev, $rwbs, $at, $sectors) = /\bblock_rq_(issue|complete): +(\S+) (\S+) .*?(\d+) \+ (\d+)/ or next;
	$open{"$dev $at"} = 1 if $what eq 'issue' && $sectors;
	$data->{$rwbs =~ /R/ ? 'read' : 'write'} += $sectors / 2048 if $what eq 'complete' && $sectors && delete $open{"$dev $at"};
}
close $fh;
cmp_ok(scalar keys %open, '>', 0, 'not all that was issued is completed');
is_deeply({ map { @$_ } rows(analysis('block', 't/data/block.dat'), 'classes', qw(class mib)) }, $data, 'a recording: the data of what was completed (else: 1.25 MiB that is still in the device)');

# Parts of the trace.
my %block = (of => 't/data/block.dat', analysis => 'block', windows => 4);
my %tasks = (%block, table => 'tasks', key => [qw(comm pid)], ends => [qw(n bytes)], largest => [qw(d2c_max q2c_max)]);

windows_add_up($_) for { %block, table => 'phases', key => [qw(dev phase)], ends => [qw(n total)], largest => ['max'] },
	{ %block, table => 'classes', key => [qw(dev class)], ends => [qw(n mib)], largest => ['max'] },
	{ %block, table => 'devices', key => ['dev'], cut => ['busy'], ends => [qw(merges splits requeues)], largest => [qw(deepest max)] }, \%tasks;
choice_has_its_rows(\%tasks, '--pid', 'pid');
choice_has_its_rows(\%tasks, '--comm', 'comm');
choices_add_up($_, '--cpu', 'cpu') for \%tasks, { %block, table => 'phases', key => [qw(dev phase)], ends => [qw(n total)], largest => ['max'] };
cuts_agree({ %tasks, largest => ['d2c_max'] }, unknown => ['begun']);

done_testing();
