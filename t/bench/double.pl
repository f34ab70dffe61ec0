# SPDX-License-Identifier: GPL-2.0-or-later
#
# double.pl IN.dat OUT.dat [TIMES]: an uncompressed v7 recording in which each CPU's sub-buffers stand TIMES (2)
# times over.  Times jump back where the second copy begins: good for measuring memory, for nothing else.
use strict;
use warnings;

my ($from, $to, $times) = @ARGV;
$times //= 2;
die "usage: perl double.pl IN.dat OUT.dat [TIMES]\n" if !defined $to;
open my $in, '<:raw', $from or die "$from: $!\n";
my $size = -s $in;

sub bytes {
	my ($off, $len) = @_;
	sysseek $in, $off, 0 or die "$from: $!\n";
	my ($got, $buf) = (0, '');
	while ($got < $len) {
		my $n = sysread $in, $buf, $len - $got, $got or die "$from ends at $off + $got\n";
		$got += $n;
	}
	return $buf;
}

my $head = bytes(0, 64);
die "$from is not an uncompressed little-endian v7 trace.dat\n"
	if $head !~ /^\x17\x08\x44tracing7\0\0.....none\0\0/s;
my $options = unpack 'Q<', substr $head, 24, 8;

# Every BUFFER option: where its CPU entries lie in the file.
my @entries;
while ($options) {
	my $len = unpack 'x8 Q<', bytes($options, 16);
	my $o = bytes($options + 16, $len);
	my $base = $options + 16;
	$options = 0;
	for (my $at = 0; $at + 6 <= $len;) {
		my ($id, $n) = unpack 'v V', substr $o, $at, 6;
		my $payload = substr $o, $at + 6, $n;
		if ($id == 0) {
			$options = unpack 'Q<', $payload;
			last;
		}
		if ($id == 3 && $payload =~ /^.{8}[^\0]*\0[^\0]*\0.{4}(.{4})/s) {
			push @entries, map { $base + $at + 6 + $+[0] + 20 * $_ } 0 .. unpack('V', $1) - 1;
		}
		$at += 6 + $n;
	}
}
die "$from has no CPU with data\n" if !@entries;

open my $out, '+>:raw', $to or die "$to: $!\n";
my @data = sort { $a->[1] <=> $b->[1] } map { [$_, unpack 'x4 Q< Q<', bytes($_, 20)] } @entries;

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
