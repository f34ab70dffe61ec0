# SPDX-License-Identifier: GPL-2.0-or-later
#
# double.pl IN.dat OUT.dat [TIMES]: an uncompressed v7 recording in which each CPU's sub-buffers stand TIMES (2)
# times over.  Times jump back where the second copy begins: good for measuring memory, for nothing else.
use strict;
use warnings;
use lib 't/lib';
use Write::BigDat;

my ($from, $to, $times) = @ARGV;
$times //= 2;
die "usage: perl double.pl IN.dat OUT.dat [TIMES]\n" if !defined $to;
my $big = Write::BigDat->new($from);
my $size = $big->size;
sub bytes { return $big->bytes(@_) }
open my $out, '+>:raw', $to or die "$to: $!\n";
my @data = sort { $a->[1] <=> $b->[1] } $big->cpus;

# All but the data; holes where they were.
my $pos = 0;
for my $d (@data, [0, $size, 0]) {
	while ($pos < $d->[1]) {
		my $n = $d->[1] - $pos < 1 << 20 ? $d->[1] - $pos : 1 << 20;
		sysseek $out, $pos, 0;
		syswrite($out, bytes($pos, $n)) == $n or die "$to: $!\n";
		$pos += $n;
	}
	$pos = $d->[1] + $d->[2];
}

# Behind them the data, so many times, and the entries that say so.
my $end = $size + -$size % 65536;
for my $d (@data) {
	my ($entry, $off, $len) = @$d;
	my $start = $end;
	for (1 .. $times) {
		for (my $at = 0; $at < $len; $at += 1 << 20) {
			my $n = $len - $at < 1 << 20 ? $len - $at : 1 << 20;
			sysseek $out, $end, 0;
			syswrite($out, bytes($off + $at, $n)) == $n or die "$to: $!\n";
			$end += $n;
		}
	}
	sysseek $out, $entry + 4, 0;
	syswrite $out, pack 'Q< Q<', $start, $end - $start;
	$end += -$end % 65536;
}
close $out or die "$to: $!\n";
