# SPDX-License-Identifier: GPL-2.0-or-later
#
# Options, buffers and data that are made to cost as much as they can (t/lib/Run/Bombs.pm): without it one
# chunk of 9 KB keeps a processor busy for minutes, and 45,000 CPUs of a byte each fill the memory.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Bombs;
use Compress::Zlib ();
use Write::Dat;
use Write::RfcSource;
use Write::Rfc;
use Run::Program;
use Write::ZedStream;

plan skip_all => 'a sanitizer needs more memory and time than any bomb' if $ENV{ZED_SAN};

my $dir = zed_tmp();
my $d = Write::Dat->new;

# ---- options, buffers, CPUs

sub options_of {
	my ($n, $id, $payload) = @_;
	return options => [([$id, $payload]) x $n];
}
bomb('options that nobody knows', Write::Dat->new(options_of(150_000, 500, ''))->write("$dir/o.dat"), events => 0,
	like => qr/more than 65536 options/);
bomb('options that are too short', Write::Dat->new(options_of(60_000, 7, 'x'))->write("$dir/o.dat"), events => 28,
	like => qr/left out: 100 lines are enough/);
bomb('statistics of a megabyte', Write::Dat->new(options_of(9000, 2, 'entries: 1' x 10))->write("$dir/o.dat"), events => 28);
bomb('options, v6', Write::Dat->new(version => 6, options_of(150_000, 500, ''))->write("$dir/o.dat"), events => 28,
	like => qr/more than 65536 options/);
for my $id (3, 22, 4, 16, 12, 14) {
	bomb("options of kind $id full of zeros", Write::Dat->new(options_of(300, $id, "\0" x 3000))->write("$dir/o.dat"));
	bomb("options of kind $id full of ones, v6", Write::Dat->new(version => 6, options_of(300, $id, "\1" x 3000))->write("$dir/o.dat"));
}

# A chain of options sections, each of which makes 60 MB.
{
	my $d = Write::Dat->new(compression => 'zlib');
	my $z = Compress::Zlib::compress(($d->u16(500) . $d->u32(0)) x 10_000_000 . $d->u16(0) . $d->u32(0));
	$d->put($d->u16(0) . $d->u16(1) . $d->u32(-1) . $d->u64(8 + length $z) . $d->u32(length $z) . $d->u32(60_000_006) . $z, 'bomb');
	my $at = $d->at('bomb');
	$d->poke('buffer.options.done', $d->u64($at));
	bomb('options that unpack 1000-fold', $d->write("$dir/o.dat"), events => 28, like => qr/over 64 times/);
}
{
	my $d = Write::Dat->new;
	my $last = 'buffer.options';
	for my $i (1 .. 20_000) {
		$d->poke("$last.done", $d->u64($d->size));
		$d->options_section("chain$i");
		$last = "chain$i";
	}
	bomb('a chain of 20,000 options sections', $d->write("$dir/o.dat"), events => 28);
}
{
	# Options sections that begin one within the other, each as long as the file.
	my $d = Write::Dat->new;
	my $at = $d->size;
	my $n = 9000;
	for my $i (0 .. $n - 1) {
		my $next = $at + 100 * ($i + 1);
		$d->put($d->u16(0) . $d->u16(0) . $d->u32(-1) . $d->u64(800_000) . $d->u16(0) . $d->u32(8) . $d->u64($i < $n - 1 ? $next : 0));
		$d->put("\0" x (100 - 30));
	}
	$d->poke('buffer.options.done', $d->u64($at));
	bomb('options sections one within the other', $d->write("$dir/o.dat"), events => 28, like => qr/MiB|circle/);
}

# BUFFER options: N of them, each with the CPUs of LIST: [cpu, offset, size].
sub buffers {
	my ($n, $page_size, $list, %o) = @_;
	my $d = Write::Dat->new(%o);
	my $head = sub { $d->u64($d->at('buffer')) . "i$_[0]\0local\0" . $d->u32($page_size) };
	my $cpus = join '', map { $d->u32($_->[0]) . $d->u64($_->[1]) . $d->u64($_->[2]) } @{ref $list eq 'CODE' ? $list->($d) : $list};
	my $count = length($cpus) / 20;
	$d->poke('buffer.options.done', $d->u64($d->size));
	$d->options_section('many', map { [3, $head->($_) . $d->u32($count) . $cpus] } 1 .. $n);
	return $d->write("$dir/buffers.dat");
}
bomb('20,000 buffers', buffers(20_000, 4096, []), events => 28, like => qr/more than 1024 buffers/);
bomb('one buffer of 45,000 CPUs', buffers(1, 4096, sub { my $at = $_[0]->at('buffer.cpu0.page0'); [map { [$_, $at, 1] } 0 .. 44_999] }),
	events => 28);
bomb('5 buffers of 9,000 CPUs, backwards', buffers(5, 4096, sub { my $at = $_[0]->at('buffer.cpu0.page0'); [map { [9000 - $_, $at, 1] } 1 .. 8000] }),
	events => 28);
bomb('1000 buffers of pages of 8 MiB', buffers(1000, 8 << 20, sub { my $at = $_[0]->at('buffer.cpu0.page0');
	[map { [$_ * 9000, $at, 2] } 0 .. 7] }), events => 28);
bomb('CPUs that reach to the end, packed pages of 8 MiB', buffers(1000, 8 << 20, sub { my $at = $_[0]->at('buffer.cpu0.count');
	[map { [$_, $at, 90] } 0 .. 30] }, compression => 'zlib'), events => 28);

# ---- data

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
bomb('tiny records', Write::Dat->new(formats => $tiny, cpus => 1, page_size => 4096,
	make_pages => full_pages(4096, 230, "\x2c\x01\0\0"))->write("$dir/tiny.dat"));
for my $codec ('zlib', 'zstd') {
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
	bomb("tiny records that $codec has packed", $d->write("$dir/tiny.dat"), like => qr/more records than bytes|over 256 times/);
	my $empty = $d->packed("\0" x (60 << 20));
	$d = Write::Dat->new(cpus => 1, compression => $codec, page_size => 4096);
	$at = $d->size;
	$n = int(850_000 / (8 + length $empty));
	$n = 2000 if $n > 2000;
	$d->put($d->u32($n) . ($d->u32(length $empty) . $d->u32(60 << 20) . $empty) x $n);
	$d->poke('buffer.entry0.offset', $d->u64($at));
	$d->poke('buffer.entry0.size', $d->u64($d->size - $at));
	bomb("chunks of 60 MiB of nothing, $codec", $d->write("$dir/empty.dat"), like => qr/over 256 times/);
	$d = Write::Dat->new(compression => $codec);
	$d->poke("buffer.cpu$_.chunk0.usize", $d->u32(64 << 20)) for 0, 1;
	bomb("chunks that claim 64 MiB, $codec", $d->write("$dir/claim.dat"), like => qr/offset/);
}

# A thousand fields over the same bytes of the record, in 64 pages that zlib has packed.
my $common = "\x2c\x01\0\0" . pack 'V', 77;
for (['masks', 'cpumask_t', "\x55"], ['arrays', 'u16[]', "\xff"], ['strings', 'char[]', 'x']) {
	my ($what, $type, $byte) = @$_;
	bomb("a thousand $what in one place", Write::Dat->new(cpus => 1, page_size => 65536, compression => 'zlib',
		make_pages => full_pages(65536, 64, $common . pack('V', 60_000 << 16 | 12) . $byte x 60_000),
		formats => [[mini => Write::Dat::format_text('tick', 300,
			join('', map { "\tfield:__data_loc $type a$_;\toffset:8;\tsize:4;\tsigned:0;\n" } 1 .. 1000), '"x"')]])->write("$dir/fields.dat"),
		events => 64, like => qr/mini::tick: field a\d+ and those before it come to many times their record: taken as empty/,
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

# The RFC's pages and streams.
{
	my $s = Write::RfcSource::source_cut(Write::RfcSource::source_read('t/data/small_v7_none.dat'), pages => [0, 1]);
	my ($first) = sort keys %{$s->{buffers}[0]{cpus}};
	my $page = substr $s->{buffers}[0]{cpus}{$first}, 0, 4096;
	$s->{buffers}[0]{cpus} = { 0 => $page x 40_000 };
	for my $shape ([zip_cpu => 1], [buffer => 'pages']) {
		Write::Rfc::rfc_write($s, "$dir/rfc.dat", compression => 'zlib', @$shape);
		truncate "$dir/rfc.dat", 999_000 if -s "$dir/rfc.dat" > 999_000;
		bomb("one page many times, RFC $shape->[0]", "$dir/rfc.dat");
	}
	$s->{buffers}[0]{cpus} = { 0 => "\0" x (4096 * 100_000) };
	Write::Rfc::rfc_write($s, "$dir/rfc.dat", compression => 'zlib', zip_cpu => 1);
	bomb('400 MB of nothing, RFC', "$dir/rfc.dat", like => qr/over 256 times/);
	$s->{buffers}[0]{cpus} = { map { $_ => $page } 0 .. 3000 };
	Write::Rfc::rfc_write($s, "$dir/rfc.dat", compression => 'zlib', zip_cpu => 1);
	truncate "$dir/rfc.dat", 999_000 if -s "$dir/rfc.dat" > 999_000;
	bomb('3000 CPUs with a stream each, RFC', "$dir/rfc.dat");
}

bombs_done();
