# SPDX-License-Identifier: GPL-2.0-or-later
#
# million.pl IN.dat OUT.dat [KEYS]: the recording with other tasks in its system calls, so that KEYS (1,000,000) calls
# are on their way at any time: each begins in a task of its own, and which one ends next is drawn.  The calls of a CPU
# stay there; the first of each, KEYS in all, end nothing.  Prints how many ends have a start.
use strict;
use warnings;
use lib 't/lib';
use Write::BigDat;
use File::Copy qw(copy);

my ($from, $to, $keys) = @ARGV;
$keys //= 1_000_000;
die "usage: perl million.pl IN.dat OUT.dat [KEYS]\n" if !defined $to;
my $big = Write::BigDat->new($from);
my $head = $big->bytes(0, $big->size < 8 << 20 ? $big->size : 8 << 20);
my ($enter) = $head =~ /name: sys_enter\nID: (\d+)/ or die "$from has no sys_enter\n";
my ($exit) = $head =~ /name: sys_exit\nID: (\d+)/ or die "$from has no sys_exit\n";

copy($from, $to) or die "$to: $!\n";
open my $out, '+<:raw', $to or die "$to: $!\n";
my @cpus = grep { $_->[2] } $big->cpus;
my $most = int $keys / @cpus;
my ($pid, $ended) = (1, 0);
my $seed = 12345;

# Another task in each record of PAGE; WAITING are those of this CPU.
sub change {
	my ($page, $waiting) = @_;
	my $end = 16 + (unpack('x8 L<', $page) & 0x7ffffff);

	for (my $at = 16; $at + 4 <= $end;) {
		my $w = unpack 'L<', substr $page, $at, 4;
		my $type = $w & 31;
		my $data = $at + 4;

		if ($type == 29 && !($w >> 5)) {
			last;
		} elsif ($type == 30 || $type == 31) {
			$at += 8;
			next;
		} elsif ($type == 0 || $type == 29) {
			$at += 4 + unpack 'L<', substr $page, $at + 4, 4;
			next if $type == 29;
			$data += 4;
		} else {
			$at += 4 + 4 * $type;
		}
		my $id = unpack 'S<', substr $page, $data, 2;
		if ($id == $enter) {
			push @$waiting, $pid;
			substr $page, $data + 4, 4, pack 'L<', $pid++;
		} elsif ($id == $exit) {
			my $ends = 0x7fffffff;
			if (@$waiting > $most) {
				$seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
				my $i = ($seed >> 8) % @$waiting;
				$ends = $waiting->[$i];
				$waiting->[$i] = $waiting->[-1];
				pop @$waiting;
				$ended++;
			}
			substr $page, $data + 4, 4, pack 'L<', $ends;
		}
	}
	return $page;
}

for my $cpu (@cpus) {
	my (undef, $off, $len) = @$cpu;
	my @waiting;

	for (my $at = 0; $at < $len; $at += 4096) {
		sysseek $out, $off + $at, 0;
		syswrite($out, change($big->bytes($off + $at, 4096), \@waiting)) == 4096 or die "$to: $!\n";
	}
}
close $out or die "$to: $!\n";
print "$ended\n";
