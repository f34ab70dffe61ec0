# SPDX-License-Identifier: GPL-2.0-or-later
#
# net: packets from the queue to the driver.  Without it an address that is another packet's by now gives waits of nobody.
#
# of: scripts/net.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return [map { [@$_{@keys}] } sort { $a->{name} cmp $b->{name} } @{$r->{data}{tables}{$table}{rows} // []}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# One packet goes through bond0 and eth0, under one address; that is used anew at once.  eth0 is busy, and takes the next one
# the second time.  256 is dropped in the queue, and its address is the next one's.  A large one is cut by the device, another
# before it comes to the driver, whose pieces have addresses of their own.
my $dat = miniature(<<'END');
0 0 5 packet 64 100 bond0 | 2 0 5 start_xmit 64 100 bond0 | 3 0 5 packet 64 100 eth0 | 5 0 5 start_xmit 64 100 eth0 | 9 0 5 xmit 64 100 eth0 | 10 0 5 xmit 64 100 bond0
11 1 6 packet 64 200 eth0 | 12 1 6 start_xmit 64 200 eth0 | 13 1 6 xmit 64 200 eth0
20 0 5 packet 128 300 eth0 | 21 0 5 start_xmit 128 300 eth0 | 22 0 5 xmit 128 300 eth0 16 | 40 0 5 start_xmit 128 300 eth0 | 42 0 5 xmit 128 300 eth0
50 0 5 packet 256 60 eth0 | 51 0 5 drop 256 q 2 | 60 0 5 packet 256 70 eth0 | 64 0 5 xmit 256 70 eth0
70 0 5 packet 512 6000 eth0 | 71 0 5 start_xmit 512 6000 eth0 4 | 72 0 5 xmit 512 6000 eth0
80 0 5 packet 1024 3000 eth0 | 81 0 5 start_xmit 1025 1500 eth0 | 82 0 5 xmit 1025 1500 eth0 | 83 0 5 start_xmit 1026 1500 eth0 | 84 0 5 xmit 1026 1500 eth0
90 1 0 napi eth0 64 64 | 91 1 0 napi eth0 3 64 | 92 1 0 receive 2048 80 eth0 | 93 1 0 receive 2048 90 eth0 | 94 1 0 drop 2048 r 3
END
my $r = analysis('net', $dat);
is_deeply(rows($r, 'sent', qw(name n pieces bytes busy max driver_max)), [['bond0', 1, 1, 100, 0, 10_000, 8_000], ['eth0', 7, 10, 9670, 1, 22_000, 4_000]],
	'sent: by address and device, from the last queueing to the time that the driver took it; pieces that the device makes') or diag $r->{err};
cmp_ok(abs(rows($r, 'sent', 'p50')->[1][0] / 4_000 - 1), '<', 0.008, 'the median wait, to its bucket');
is_deeply(rows($r, 'received', qw(name n bytes)), [['eth0', 2, 170]], 'received');
is_deeply(rows($r, 'polls', qw(name n work full max)), [['eth0', 2, 67, 1, 64]], 'polls, and how often the budget was used up');
is_deeply([map { [@$_{qw(n reason at)}] } @{$r->{data}{tables}{drops}{rows}}], [[1, 'NOT_SPECIFIED', 'q'], [1, 'NO_SOCKET', 'r']], 'drops by reason and place');
is_deeply({ %{notes($r)}{qw(begun waits)} }, { begun => 2, waits => 2 }, 'pieces were not queued, and what was cut or dropped was not sent');
is_deeply([@{$r->{data}{tables}{slowest}{rows}[0]}{qw(time at name len)}], [22_000, 1_000_042_000, 'eth0', 300], 'the longest wait is to the driver\'s yes, not to its no');

is(zedperl({ bare => 1 }, '--tail', 5, $dat, 'net')->{status}, 2, '--tail is refused where packets are followed from their queue (else: fewer than none were not queued)');

$r = analysis('net', miniature('0 0 5 packet 64 100 eth0 | 5 1!2 6 waking 5 | 9 0 5 xmit 64 100 eth0'));
is_deeply(rows($r, 'sent', qw(n max)), [[1, undef]], 'a loss may hide that it was sent, and another queued');
is(notes($r)->{lost}, 1, 'and is counted');

my $waits = miniature('0 0 5 packet 64 100 eth0 | 1 1 6 packet 65 100 eth0 | 2 1 6 packet 66 100 eth0 | 3 1 6 xmit 66 100 eth0', cmdlines => "5 t5\n6 t6\n");
is_deeply([map { notes(chosen($_, 'net', $waits))->{waits} } [], ['--cpu', 0], ['--cpu', 1], ['--comm', 't6'], ['--pid', 5]], [2, 1, 1, 1, 1],
	'what is queued and not sent is of the CPU and the task that queued it (else: of all, whoever was asked for)');
my $state = temp_path('.state');
zedperl({ bare => 1 }, '--map', '-o', $state, '--cpu', 0, $waits, 'net');
like(zedperl({ bare => 1 }, '--reduce', 'net', $state)->{out}, qr/^1 packet was queued and not sent/m, 'also when it is merged');

# A recording, from the kernel's own text of it.
SKIP: {
	my ($shared) = grep { -e } map { "$_/data/amd64-kt2/a15_kt_misc.dat" } $ENV{ZED_SHARED} // (), '../shared';
	skip 'the large recordings are not here (set ZED_SHARED)', 3 if !$shared;
	my (%sent, %received, %queued, $longest);
	for (qx(gzip -dc $shared.kernel.txt.gz)) {
		my ($time, $event, $device, $address, $len) = / ([\d.]+): (net_dev_queue|net_dev_xmit|netif_receive_skb): dev=(\S+) skbaddr=\s*(\S+) len=(\d+)/ or next;
		$queued{"$device $address"} = $time if $event eq 'net_dev_queue';
		$received{$device} += $len if $event eq 'netif_receive_skb';
		next if $event ne 'net_dev_xmit';
		$sent{$device} += $len;
		my $wait = 1e6 * ($time - $queued{"$device $address"});
		$longest = $wait if $wait > ($longest // 0);
	}
	$r = analysis('net', $shared);
	is_deeply({ map { $_->{name} => $_->{bytes} } @{$r->{data}{tables}{sent}{rows}} }, \%sent, 'a recording: what the kernel prints of what it sent');
	is_deeply({ map { $_->{name} => $_->{bytes} } @{$r->{data}{tables}{received}{rows}} }, \%received, 'and received');
	cmp_ok(abs($r->{data}{tables}{slowest}{rows}[0]{time} / 1000 - $longest), '<=', 1, 'and the longest wait');
}

if (small()) {
	done_testing();
	exit;
}

# Parts of the trace: a packet counts where it is sent, or received; its wait may have begun before.
my %sent = (of => $dat, analysis => 'net', windows => 3, table => 'sent', key => ['name'], ends => [qw(n pieces bytes busy)], largest => [qw(max driver_max)]);
for (\%sent, { %sent, table => 'received', ends => [qw(n bytes)], largest => [] }, { %sent, table => 'polls', ends => [qw(n work full)], largest => ['max'] },
	{ %sent, table => 'drops', key => [qw(reason at)], ends => ['n'], largest => [] }) {
	windows_add_up($_);
	choices_add_up($_, '--cpu', 'cpu');
	choices_add_up($_, '--pid', 'pid');
}
cuts_agree({ %sent, ends => [qw(n bytes)], largest => [] });

done_testing();
