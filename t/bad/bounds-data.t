# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pages, records and fields that are made to cost as much as they can (t/lib/Run/Bombs.pm): without it one chunk of 9 KB
# keeps a processor busy for minutes.
#
# of: reader/dat ring trace base
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Bombs;
use Write::Dat;
use Run::Program;

plan skip_all => 'a sanitizer needs more memory and time than any bomb' if $ENV{ZED_SAN};

my $dir = zed_tmp();

my $tiny = [[mini => "name: tick\nID: 300\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" .
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" .
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\nprint fmt: \"x\"\n"]];

# Pages of SIZE bytes full of RECORD.
sub full_pages {
	my ($size, $n, $record, %o) = @_;
	return sub {
		my ($d, $cpu) = @_;
		my $event = $d->data_event(1, $record);
		my $data = $event x (($size - 16) / length $event);
		return map { $d->page(1000 + $_ * 1000, $data) } 0 .. $n - 1;
	};
}
bomb('tiny records', sub { Write::Dat->new(formats => $tiny, cpus => 1, page_size => 4096,
	make_pages => full_pages(4096, 230, "\x2c\x01\0\0"))->write("$dir/tiny.dat") }, small => 1);
for my $codec ('zlib', 'zstd') {
	bomb("tiny records that $codec has packed", sub {
		# Chunks that make 8 MiB of tiny records each.
		my $d = Write::Dat->new(formats => $tiny, cpus => 1, pages => 1, page_size => 65536, compression => $codec,
			make_pages => full_pages(65536, 1, "\x2c\x01\0\0"));
		my $z = $d->packed(join '', full_pages(65536, 128, "\x2c\x01\0\0")->($d));
		my $n = int(900_000 / (8 + length $z));
		$n = 60 if $n > 60;
		my $at = $d->size;
		$d->put($d->u32($n) . ($d->u32(length $z) . $d->u32(8 << 20) . $z) x $n);
		$d->put("\0" x (900_000 - $d->size)) if $d->size < 900_000;
		$d->poke('buffer.entry0.offset', $d->u64($at));
		$d->poke('buffer.entry0.size', $d->u64($d->size - $at));
		return $d->write("$dir/tiny.dat");
	}, like => qr/more records than bytes|over 256 times/);
	bomb("chunks of 60 MiB of nothing, $codec", sub {
		my $d = Write::Dat->new(cpus => 1, compression => $codec, page_size => 4096);
		my $empty = $d->packed("\0" x (60 << 20));
		my $at = $d->size;
		my $n = int(850_000 / (8 + length $empty));
		$n = 2000 if $n > 2000;
		$d->put($d->u32($n) . ($d->u32(length $empty) . $d->u32(60 << 20) . $empty) x $n);
		$d->poke('buffer.entry0.offset', $d->u64($at));
		$d->poke('buffer.entry0.size', $d->u64($d->size - $at));
		return $d->write("$dir/empty.dat");
	}, like => qr/over 256 times/);
	my $d = Write::Dat->new(compression => $codec);
	$d->poke("buffer.cpu$_.chunk0.usize", $d->u32(64 << 20)) for 0, 1;
	bomb("chunks that claim 64 MiB, $codec", $d->write("$dir/claim.dat"), like => qr/offset/, small => 1);
}

# A thousand fields over the same bytes of the record, in 64 pages that zlib has packed.
my $common = "\x2c\x01\0\0" . pack 'V', 77;
for (['masks', 'cpumask_t', "\x55"], ['arrays', 'u16[]', "\xff"], ['strings', 'char[]', 'x']) {
	my ($what, $type, $byte) = @$_;
	bomb("a thousand $what in one place", sub { Write::Dat->new(cpus => 1, page_size => 65536, compression => 'zlib',
		make_pages => full_pages(65536, 64, $common . pack('V', 60_000 << 16 | 12) . $byte x 60_000),
		formats => [[mini => Write::Dat::format_text('tick', 300,
			join('', map { "\tfield:__data_loc $type a$_;\toffset:8;\tsize:4;\tsigned:0;\n" } 1 .. 1000), '"x"')]])->write("$dir/fields.dat") },
		events => 64, like => qr/mini::tick: field a\d+ and those before it are many times as long as the record: taken as empty/,
		said_by => qr/countall/, readers => [['zedperl', 'scripts/countall.pl'], ['zedprint', '-f', 'zed'], ['zedprint', '-f', 'json'],
			['zedprint', '-f', 'report']]);
}

{
	# Each of them may be a line of 3 KB: without it 100 KB are 3 GB of text.
	my $path = Write::Dat->new(formats => $tiny, cpus => 1, page_size => 65536, compression => 'zlib',
		make_pages => full_pages(65536, 24, "\x2c\x01\0\0"))->write("$dir/many.dat");
	my $r = zed_run('zedperl', '-t', $path);
	my ($n) = $r->{out} =~ /\Amini::tick +(\d+)\n\z/;
	cmp_ok($n, '<=', 65_536 + 8190 + -s $path, 'packed records: no more than 64 Ki, one for each byte, and a page');
	cmp_ok($n, '>=', 65_536, '... and no fewer');
	is($r->{exit}, 1, '... with exit 1');
	like($r->{err}, qr/more records than bytes/, '... which is said');
}

bombs_done();
