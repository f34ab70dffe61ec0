# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::BigDat: where an uncompressed little-endian v7 trace.dat has the sub-buffers of its CPUs; for the benchmarks,
# which make other recordings from a large one.
#
#	my $d = Write::BigDat->new('big.dat');
#	for ($d->cpus) { my ($entry, $off, $len) = @$_; ... $d->bytes($off, 4096) ... }
package Write::BigDat;
use strict;
use warnings;

sub new {
	my ($class, $path) = @_;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	my $d = bless { path => $path, fh => $fh, size => -s $fh }, $class;
	die "$path is not an uncompressed little-endian v7 trace.dat\n"
		if $d->bytes(0, 64) !~ /^\x17\x08\x44tracing7\0\0.....none\0\0/s;
	return $d;
}

sub size { return $_[0]{size} }

sub bytes {
	my ($d, $off, $len) = @_;
	sysseek $d->{fh}, $off, 0 or die "$d->{path}: $!\n";
	my ($got, $buf) = (0, '');
	while ($got < $len) {
		my $n = sysread $d->{fh}, $buf, $len - $got, $got or die "$d->{path} ends at $off + $got\n";
		$got += $n;
	}
	return $buf;
}

# Each CPU with data: the place of its entry in the BUFFER option (u32 CPU, u64 offset, u64 size), and the values of
# that entry.
sub cpus {
	my ($d) = @_;
	my $options = unpack 'Q<', $d->bytes(24, 8);
	my @entries;
	while ($options) {
		my $len = unpack 'x8 Q<', $d->bytes($options, 16);
		my $o = $d->bytes($options + 16, $len);
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
	die "$d->{path} has no CPU with data\n" if !@entries;
	return map { [$_, unpack 'x4 Q< Q<', $d->bytes($_, 20)] } @entries;
}

1;
