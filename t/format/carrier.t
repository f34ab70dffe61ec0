# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a client of zedtrace -l -o - leaves behind in its reader, which may run for months: nearly nothing, however many
# have come and gone; and the first of them is known as well as the last.
# Without it memory grows with each client, and a reader of months ends.
#
# of: reader/zedstream trace programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program qw(zed_bin zed_run zed_tmp spew);
use Write::ZedStream;
no warnings 'portable';	# addresses of 64 bits

my $dir = zed_tmp();
my $mini = Write::Dat->new(page_size => 1024, ticks => 3, pages => 1);
# As much as a kernel's: 2 MB.
my $symbols = join '', map { sprintf "%016x T name_%d_of_the_kernel\n", 0xffffffff81000000 + $_ * 16, $_ } 0 .. 47_000;
cmp_ok(length $symbols, '>', 1_900_000, 'symbols of 2 MB');
my $dat = $mini->write("$dir/mini.dat");

# The stream of client N: names of its own, before what all have in common.
sub client {
	my $n = shift;
	return Write::ZedStream::from_dat($dat, sections => { 17 => pack('V', 0), 19 => pack('V', length $symbols) . $symbols, 20 => pack('V', 6 + $n % 7) . "0x1 : " . 'x' x ($n % 7) },
		comms => 'meta')->{bytes};
}

# As zedtrace -l -o - writes COUNT clients, one after another.
sub carrier {
	my ($count) = @_;
	my @streams = map { client($_) } 0 .. 6;
	open my $fh, '>:raw', "$dir/carrier" or die "carrier: $!\n";
	print $fh substr($streams[0], 0, 8), pack('v v V', 1, 0, 8 << 20), pack 'V V V', 0x80000010, 4, 0;
	for my $n (1 .. $count) {
		my $name = "client$n\0";
		print $fh pack('V V V', 0x80000011, 4 + length $name, $n), $name;
		print $fh pack('V V V', 0x80000012, 4 + length, $n), $_ for unpack '(a200000)*', $streams[$n % 7];
		print $fh pack 'V V V', 0x80000013, 4, $n;
	}
	print $fh pack 'V V Q< Q<', 8, 16, 0, 0;
	close $fh or die "carrier: $!\n";
	return;
}

my $code = <<'PL';
our (%n, $named);
sub trace_unhandled {
	$named += (Zed::symbol(0xffffffff81000000 + 16 * 40_000) // '') =~ /^name_40000_of_the_kernel\b/ if !$n{Zed::source()}++ && $ENV{NAMES};
}
sub trace_end {
	my $events = 0;
	$events += $_ for values %n;
	open my $f, '<', '/proc/self/status';
	my ($kib) = map { /^VmRSS:\s+(\d+)/ ? $1 : () } <$f>;
	close $f;
	my @fds = glob '/proc/self/fd/*';
	my $size = 0;
	$size += -f $_ ? -s _ : 0 for grep { (readlink // '') =~ /memfd|deleted/ } @fds;
	printf "%d sources, %d events, named %d, %d KiB, %d files of %d bytes\n", scalar(keys %n), $events, $named // 0, $kib + $size / 1024, scalar(@fds), $size;
}
PL

spew("$dir/code.pl", $code);
# What is read as it comes, and what is known from its beginning to its end.
my %how = ('a pipe' => ['sh', '-c', 'cat "$1" | exec "$2" -i - "$3"', 'sh'], 'a file' => ['sh', '-c', 'exec "$2" -i "$1" "$3"', 'sh']);
for my $how (sort keys %how) {
	my (@kib, @files, $each);
	for my $count (30, 100) {
		carrier($count);
		my $r = zed_run({ time => 100, memory => 0 }, @{$how{$how}}, "$dir/carrier", zed_bin('zedperl'), "$dir/code.pl");
		my ($sources, $events, undef, $kib, $files) = $r->{out} =~ /^(\d+) sources, (\d+) events, named (\d+), (\d+) KiB, (\d+) files/ or diag $r->{out}, $r->{err};
		is($sources, $count, "$how: $count clients, one after another: all are sources");
		$each //= $events / $count;
		is($events, $each * $count, '... with all their events');
		push @kib, $kib;
		push @files, $files;
	}
	is($files[1], $files[0], 'those that have ended keep no file open (else: after some hundreds there are no more)');
	# 2 MB of metadata each; what is left is mostly their types.
	my $left = ($kib[1] - $kib[0]) / 70;
	SKIP: {
		skip 'a sanitizer keeps what was freed', 1 if $ENV{ZED_SAN};
		cmp_ok($left, '<', 200, sprintf 'each leaves %.0f KiB behind (else: a server that runs for months fills the memory)', $left);
	}
}

# All have events of the same times, and each stands in the file behind all of the one before it.
carrier(5);
my @ts = split ' ', zed_run({ time => 60, memory => 0 }, 'zedperl', '-i', "$dir/carrier", '-e', 'sub trace_unhandled { printf "%d%09d ", @_[2, 3] }')->{out};
cmp_ok(scalar(@ts), '>=', 15, 'events of five clients');
is_deeply(\@ts, [sort { $a <=> $b } @ts], '... are in one order, whichever came when (else: cause and effect change places)');

# Of each, the symbols are there: in what they have in common, wherever that stands.
carrier(9);
my $r = zed_run({ time => 60, memory => 0, env => { NAMES => 1 } }, 'zedperl', '-i', "$dir/carrier", '-e', $code);
like($r->{out}, qr/^9 sources, \d+ events, named 9,/, 'the symbols of each are its own and whole (else: one is told those of another)') or diag $r->{err};

done_testing();
