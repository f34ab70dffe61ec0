# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged and hostile files: heads, options, sections, buffers, pages and records, every row of what stock readers get
# wrong (t/lib/Run/Damaged.pm).  Without it one wrong byte ends a program, or costs events that are intact without a word.
#
# of: reader/dat ring reader/open.c programs/zedprint
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings "portable";
use Test::More;
use lib 't/lib';
use Run::Damaged;
use Run::Program;
use Write::Dat;

my $dir = zed_tmp();
my $D = \&dat;
my $all = 28;

row('an undamaged file', $D->(), exit => 0, events => $all, quiet => 1);
row("an undamaged file: @$_", $D->(@$_), exit => 0, events => $all, quiet => 1) for
	[big => 1], [long => 4], [big => 1, long => 4], [compression => 'zlib'], [compression => 'zstd'],
	[compression => 'zlib', big => 1], [version => 6], [version => 6, big => 1, long => 4];

# ---- the file as a whole
{
	my $d = $D->();
	row('options offset 0: an unfinished recording', $d->poke('options_offset', $d->u64(0)),
		exit => [0, 1], events => $all, like => qr/finish|salvag/i, places => 0);
}
for ([compression => 'zstd'], [big => 1, compression => 'zlib']) {
	my $d = $D->(@$_);
	row("options offset 0, @$_", $d->poke('options_offset', $d->u64(0)), exit => [0, 1],
		events => $all, like => qr/finish|salvag/i, places => 0);
}
{
	my $d = $D->();
	row('options offset past the end', $d->poke('options_offset', $d->u64(1 << 40)), exit => [1, 2],
		events => [0, $all]);
	$d = $D->();
	row('options offset in the middle of nowhere', $d->poke('options_offset', $d->u64(0x31)),
		exit => [1, 2], events => [0, $all]);
	$d = $D->();
	row('cut inside the data of a CPU: DONE points past the end',
		$d->cut($d->at('buffer.cpu1.page1') + 100), exit => 1, events => [0, $all]);
	$d = $D->();
	row('cut inside kallsyms', $d->cut($d->at('kallsyms.data') + 10), exit => [1, 2], events => 0);
	$d = $D->();
	row('cut inside the header', $d->cut(20), exit => 2, events => 0);
	$d = $D->();
	row('neither a CPU nor what a page looks like', $d->poke('headers', "\xff\xff")->poke('buffer', "\xff\xff"),
		exit => 1, events => 0, like => qr/not referenced by any section: skipped/);
	$d = $D->(version => 6);
	row('v6 cut inside the data of a CPU: what is there comes',
		$d->cut($d->at('buffer.cpu1.page1') + 16 + 3 * 24), exit => 1, events => 24);
	$d = $D->(version => 6);
	row('v6 cut inside the formats', $d->cut($d->at('formats') + 40), exit => [1, 2], events => 0);
	$d = $D->(compression => 'zstd');
	row('compressed data cut', $d->cut($d->at('buffer.cpu1.chunk1') + 10), exit => 1, events => [0, $all]);
	$d = $D->();
	row('version 8', $d->poke('version', '8'), exit => 2, events => 0, like => qr/version/i);
	$d = $D->();
	row('version without an end', $d->poke('version', '77777777777777777777'), exit => 2, events => 0);
	$d = $D->();
	row('byte order 2', $d->poke('endian', "\2"), exit => [1, 2], events => [0, $all]);
	$d = $D->();
	row('a long of 3 bytes', $d->poke('long', "\3"), exit => [0, 1, 2], events => [0, $all], quiet => 1);
	for my $size (0, 3, 0xffffffff, 0x80000000, 1 << 24) {
		$d = $D->();
		row(sprintf('page size 0x%x in the header', $size), $d->poke('page_size', $d->u32($size)),
			exit => [0, 1, 2], events => [0, $all], quiet => 1);
		$d = $D->();
		row(sprintf('page size 0x%x in the buffer', $size),
			$d->poke('buffer.page_size', $d->u32($size)), exit => [0, 1, 2], events => [0, $all],
			quiet => 1);
	}
}

# ---- options
{
	my $d = $D->();
	row('an unknown option', $d->poke('option.9', $d->u16(999)), exit => 0, events => $all, quiet => 1);
	for my $size (0xfffffff0, 0xffffffff, 0x80000000, 5000) {
		$d = $D->();
		row(sprintf('an option of 0x%x bytes', $size), $d->poke('option.9.size', $d->u32($size)),
			exit => 1, events => $all);
	}
	$d = $D->();
	row('the options section points to itself', $d->poke('options.done', $d->u64($d->at('options'))),
		exit => 1, events => $all);
	$d = $D->();
	row('two options sections point to each other',
		$d->poke('buffer.options.done', $d->u64($d->at('options'))), exit => 1, events => $all);
	for my $at (1 << 40, 3, 0xffffffffffffffff) {
		$d = $D->();
		row(sprintf('the next options section is at 0x%x', $at), $d->poke('options.done', $d->u64($at)),
			exit => 1, events => $all);
	}
	$d = $D->();
	row('an options section of size 0', $d->poke('options.size', $d->u64(0)), exit => [0, 1],
		events => [0, $all]);
	$d = $D->();
	row('an options section of size -16', $d->poke('options.size', $d->u64(0xfffffffffffffff0)),
		exit => [0, 1], events => [0, $all], quiet => 1);
	for my $o ([1, '0x10'], [7, '12345'], [5, 'Linux'], [9, 'x' x 3000], [10, '1 1 x'], [6, 'a:b']) {
		row("option $o->[0] without a NUL", $D->(options => [$o]), exit => [0, 1], events => $all,
			quiet => 1);
	}
	row("option $_ of size 0", $D->(options => [[$_, '']]), exit => [0, 1], events => $all, quiet => 1)
		for 1, 2, 5 .. 14, 16 .. 25, 99;
	row('TRACECLOCK of size 0', $D->(trace_clock => ''), exit => [0, 1], events => $all, quiet => 1);
	row('CPUCOUNT of two bytes', $D->(options => [[8, "\0\0"]]), exit => [0, 1], events => $all,
		quiet => 1);
	row('DATE of 2^63', $D->(options => [[1, "0x8000000000000000\0"]]), exit => 0, events => $all,
		quiet => 1);
	my $m = $D->();
	row('TIME_SHIFT without samples', $D->(options => [[12, $m->u64(1) . $m->u32(1) . $m->u32(2) .
		$m->u32(0) x 2]]), exit => 0, events => $all, quiet => 1);
	row('TIME_SHIFT of too many CPUs', $D->(options => [[12, $m->u64(1) . $m->u32(1) .
		$m->u32(0x7fffffff)]]), exit => 1, events => $all);
	row('TIME_SHIFT of too many samples', $D->(options => [[12, $m->u64(1) . $m->u32(1) . $m->u32(1) .
		$m->u32(0xffffffff)]]), exit => 1, events => $all);
	row('TSC2NSEC with a shift of 40', $D->(options => [[14, $m->u32(3) . $m->u32(40) . $m->u64(0)]]),
		exit => 1, events => $all);
	row('GUEST with too many CPUs', $D->(options => [[13, "guest\0" . $m->u64(1) . $m->u32(0xffffffff)]]),
		exit => [0, 1], events => $all, quiet => 1);
	row('PROCMAPS with a blank in a path', $D->(options => [[10, "4d 1 mini\n1000 2000 /a b c\n\0"]]),
		exit => 0, events => $all, quiet => 1);
	$d = $D->();
	row('no option leads to the command lines', $d->poke('option.21', $d->u16(999)), exit => 1,
		events => $all);
	$d = $D->();
	row('no option leads to kallsyms', $d->poke('option.19', $d->u16(999)), exit => 1, events => $all);
	for my $id (16, 18) {
		$d = $D->();
		row("option $id is missing", $d->poke("option.$id", $d->u16(999)), exit => [0, 1, 2],
			events => [0, $all], quiet => 1);
	}
	for my $id (16 .. 21) {
		for my $at (1 << 40, 2, 0xffffffffffffffff, $D->()->size - 3) {
			$d = $D->();
			row(sprintf('option %d points at 0x%x', $id, $at),
				$d->poke("option.$id.data", $d->u64($at)), exit => [0, 1, 2],
				events => [$id == 16 || $id == 18 ? 0 : $all, $all], quiet => 1);
		}
	}
}

# ---- sections
for my $s (qw(headers ftrace formats kallsyms printk cmdlines buffer strings)) {
	for my $size (0, 1, 0xfffffffffffffff0, 1 << 40, 0x7fffffffffffffff) {
		my $d = $D->();
		my $events = $s =~ /headers|formats/ ? [0, $all] : $all;
		row(sprintf('section %s of size 0x%x', $s, $size), $d->poke("$s.size", $d->u64($size)),
			exit => [0, 1, 2], events => $events, quiet => 1);
		$d->poke('options_offset', $d->u64(0));
		row(sprintf('section %s of size 0x%x in an unfinished file', $s, $size), $d,
			exit => [0, 1, 2], events => [0, $all], quiet => 1);
	}
}
for my $s (qw(headers formats kallsyms printk cmdlines)) {
	for my $size (0, 1, 0xffffffff, 0x7fffffff, 70000) {
		for my $word (qw(csize usize)) {
			my $d = $D->(compression => $size & 1 ? 'zlib' : 'zstd');
			row(sprintf('compressed section %s of %s 0x%x', $s, $word, $size),
				$d->poke("$s.$word", $d->u32($size)), exit => [0, 1, 2],
				events => [$s =~ /headers|formats/ ? 0 : $all, $all], quiet => 1);
		}
	}
}
{
	my $d = $D->(compression => 'zstd', slack => 64);
	row('slack behind compressed sections (trace-cmd 3.0)', $d, exit => 0, events => $all, quiet => 1);
	$d = $D->(compression => 'zstd');
	$d->poke("buffer.entry$_.size", $d->u64(unpack('Q<', substr $d->{bytes},
		$d->at("buffer.entry$_.size"), 8) - 4)) for 0, 1;
	row('sizes of compressed CPUs 4 too small (trace-cmd 3.0 to 3.1.6)', $d, exit => 0, events => $all,
		quiet => 1);
	$d = $D->();
	row('compression lzma', poke_name($d, 'lzma'), exit => 2, events => 0, like => qr/lzma/, places => 0);
	$d = $D->();
	substr($d->{bytes}, $d->at('page_size'), 4) = '';
	row('no page-size word', $d, exit => [1, 2], events => 0);
	row('foreign byte order in BUFFER (converted files)', $D->(big => 1, host_numbers => 1), exit => [0, 1],
		events => $all, quiet => 1);
}

sub poke_name { my ($d, $name) = @_; return $d->poke('compression', $name) }

# ---- the buffer and its CPUs
for my $n (0x7fffffff, 0xffffffff, 1000, 3) {
	my $d = $D->();
	row(sprintf('a buffer of 0x%x CPUs', $n), $d->poke('buffer.ncpus', $d->u32($n)), exit => 1,
		events => [0, $all]);
}
{
	my $d = $D->();
	row('a CPU of number 0x10000000', $d->poke('buffer.entry0', $d->u32(0x10000000)), exit => 1,
		events => [14, $all]);
	$d = $D->();
	row('the same CPU twice', $d->poke('buffer.entry1', $d->u32(0)), exit => [0, 1], events => [14, $all],
		quiet => 1);
	for my $at (1 << 40, 0xffffffffffffffff, 0x7ffffffffffffff0) {
		$d = $D->();
		row(sprintf('a CPU with data at 0x%x', $at), $d->poke('buffer.entry0.offset', $d->u64($at)),
			exit => 1, events => 14);
		$d = $D->();
		row(sprintf('a CPU with 0x%x bytes', $at), $d->poke('buffer.entry1.size', $d->u64($at)),
			exit => 1, events => [$all, $all + 2]);
		$d = $D->(version => 6);
		row(sprintf('v6: a CPU with data at 0x%x', $at), $d->poke('buffer.entry0.offset', $d->u64($at)),
			exit => 1, events => 14);
		$d = $D->(version => 6);
		row(sprintf('v6: a CPU with 0x%x bytes', $at), $d->poke('buffer.entry1.size', $d->u64($at)),
			exit => 1, events => $all);
	}
	$d = $D->();
	row('no option tells of the buffer', $d->poke('buffer.option', $d->u16(999)), exit => 1,
		events => $all, like => qr/no option leads to/);
	$d = $D->();
	row('a buffer name without an end', $d->poke('buffer.name', 'x' x 30), exit => 1, events => [0, $all]);
	$d = $D->(version => 6);
	row('v6: data that are no whole pages', $d->poke('buffer.entry1.size', $d->u64(2048 - 700)),
		exit => [0, 1], events => $all, quiet => 1);
	for my $n (0, 1, 3, 1000, 0x7fffffff, 0xffffffff) {
		$d = $D->(version => 6);
		row(sprintf('v6: 0x%x CPUs', $n), $d->poke('cpu_count', $d->u32($n)), exit => [0, 1, 2],
			events => [0, $all], quiet => 1);
	}
	$d = $D->(version => 6, instances => ['foo']);
	push @{$d->{keep}}, $d;
	row('v6: CPUCOUNT behind BUFFER is the instance\'s', $D->(version => 6, instances => ['foo'],
		options_after => [[8, $d->u32(2)]]), exit => 0, events => 2 * $all, quiet => 1);
	for my $at (1 << 40, 5, 0xffffffffffffffff) {
		$d = $D->(version => 6, instances => ['foo']);
		row(sprintf('v6: an instance at 0x%x', $at), $d->poke('instance.foo.data', $d->u64($at)),
			exit => 1, events => $all);
	}
	$d = $D->(version => 6);
	row('v6: no marker behind the CPU count', $d->poke('options_mark', 'rubbish  !'), exit => [1, 2],
		events => 0);
	$d = $D->();
	row('long-size 4 of a 32-bit recorder on a 64-bit kernel', $d->poke('long', "\4"), exit => 0,
		events => $all, quiet => 1);
}

# ---- pages and records
{
	my $page = 'buffer.cpu0.page0';
	for my $commit (0x7ffffff, 1024 - 15, 0x7ffffffffffffff) {
		my $d = $D->();
		row(sprintf('commit = 0x%x', $commit), $d->poke($page, $d->u64($commit), 8), exit => 1,
			events => $all - 7);
	}
	my $d = $D->();
	row('the upper half of commit all ones', $d->poke($page, "\xff\xff\xff\xff", 12), exit => 0,
		events => $all, quiet => 1);
	for my $len (0xfffff000, 0, 3, 5000) {
		$d = $D->();
		row(sprintf('a record of 0x%x bytes', $len),
			$d->poke('buffer.cpu0.page1', $d->head(0, 0) . $d->u32($len), 16), exit => 1,
			events => $all - 7);
	}
	$d = $D->();
	row('a page of zeros', $d->poke($page, "\0" x 1024), exit => 0, events => $all - 7, quiet => 1);
	$d = $D->();
	row('a record of an unknown event', $d->poke($page, $d->u16(4321), 20), exit => 0, events => $all - 1,
		quiet => 1);
	$d = $D->(compression => 'zstd');
	row('a compressed chunk of rubbish', $d->poke('buffer.cpu0.chunk0', "\xde\xad\xbe\xef" x 3), exit => 1,
		events => $all - 7);
	for my $size (0, 1, 0xffffffff, 0x7fffffff, 1 << 28) {
		for my $word (qw(csize usize)) {
			my $z = $D->(compression => $size & 1 ? 'zlib' : 'zstd', big => $size & 1);
			row(sprintf('a chunk of %s 0x%x', $word, $size),
				$z->poke("buffer.cpu0.chunk0.$word", $z->u32($size)), exit => 1,
				events => [14, $all - 1]);
		}
	}
	for my $n (0, 1, 3, 0xffffffff) {
		my $z = $D->(compression => 'zstd');
		row(sprintf('0x%x chunks', $n), $z->poke('buffer.cpu0.count', $z->u32($n)),
			exit => $n < 2 ? [0, 1] : 1, events => [14, $all], quiet => $n < 2);
	}
	# A dynamic field whose offset and length point outside of its record.
	$d = $D->();
	my $said = $d->at('buffer.cpu0.page0') + 16 + 6 * 24 + 4;
	for my $word (0xffffffff, 0x00ff00ff, 0x0000ffff, 0xffff0000) {
		$d = $D->();
		substr($d->{bytes}, $said + 8, 4) = $d->u32($word);
		row(sprintf('__data_loc 0x%x', $word), $d, exit => [0, 1], events => $all, quiet => 1);
		$d = $D->();
		substr($d->{bytes}, $said + 12, 4) = $d->u32($word);
		row(sprintf('__data_loc 0x%x of an array', $word), $d, exit => [0, 1], events => $all, quiet => 1);
	}
}

# ---- a file of several GiB (sparse), so that no offset is kept in 32 bits
SKIP: {
	my $d = $D->(version => 6);
	my $far = 5 << 30;
	my $path = "$dir/far.dat";
	my $data = substr $d->{bytes}, $d->at('buffer.cpu1.page0'), 2048;
	$d->poke('buffer.cpu1.page0', "\0" x 2048);	# moved, not left behind as well
	$d->poke('buffer.entry1.offset', $d->u64($far))->write($path);
	open my $fh, '+<:raw', $path or die "$path: $!\n";
	skip 'no sparse file of 5 GiB can be made here', 1
		if !(sysseek($fh, $far, 0) && (syswrite($fh, $data) // 0) == 2048 && close $fh);
	row('data behind 5 GiB', $path, exit => 0, events => $all, quiet => 1);
	unlink $path;
}

done_testing();
