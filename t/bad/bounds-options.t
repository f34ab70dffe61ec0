# SPDX-License-Identifier: GPL-2.0-or-later
#
# Options, buffers and CPUs that are made to cost as much as they can (t/lib/Run/Bombs.pm): without it 45,000 CPUs of a
# byte each fill the memory.
#
# of: reader/dat ring record/file
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Bombs;
use Compress::Zlib ();
use Write::Dat;
use Run::Program;

plan skip_all => 'a sanitizer needs more memory and time than any bomb' if $ENV{ZED_SAN};

my $dir = zed_tmp();
my $d = Write::Dat->new;

sub options_of {
	my ($n, $id, $payload) = @_;
	return options => [([$id, $payload]) x $n];
}
bomb('options that nobody knows', sub { Write::Dat->new(options_of(150_000, 500, ''))->write("$dir/o.dat") }, events => 0,
	like => qr/more than 65536 options/);
bomb('options that are too short', sub { Write::Dat->new(options_of(60_000, 7, 'x'))->write("$dir/o.dat") }, events => 28,
	like => qr/left out: 100 lines are enough/);
bomb('statistics of a megabyte', sub { Write::Dat->new(options_of(9000, 2, 'entries: 1' x 10))->write("$dir/o.dat") }, events => 28);
bomb('options, v6', sub { Write::Dat->new(version => 6, options_of(150_000, 500, ''))->write("$dir/o.dat") }, events => 28,
	like => qr/more than 65536 options/);
my @ask = (['zedprint', '-f', 'report', '--cgroup', '/'], ['zedperl', '-e', 'my $n = Zed::count("*:*", by => "cgroup"); sub trace_end { $n->print }']);
my $like_one = join '', map { pack 'Q< V V v', $_, 1000 + $_, 77, 0 } 1 .. 50_000;
bomb('cgroups of 50,000 tasks', sub { Write::Dat->new(options_of(1, 0x7a63, 'zedcgrps' . pack('Q< V V v/a*', 0, 77, 0, '/a') . $like_one))->write("$dir/o.dat") },
	events => 28, small => 1, readers => \@ask);
bomb('long paths of cgroups, one task in them all', sub {
	Write::Dat->new(options_of(1, 0x7a63, 'zedcgrps' . join '', map { pack 'Q< V V v/a*', 0, 77, 0, "/$_" . 'x' x 4000 } 1 .. 240))->write("$dir/o.dat")
}, events => 28, readers => \@ask);
bomb('cgroups without number, in one option each', sub { Write::Dat->new(options_of(9000, 0x7a63, 'zedcgrps' . "\0" x 90))->write("$dir/o.dat") },
	events => 0, readers => \@ask);
# What processes have mapped: looks that are like others, long lists of mappings, and the greatest number of a file.
my @names = (['zedprint', '--stack'], ['zedperl', '-e', 'my $n = Zed::count("*:*", by => "pid"); sub trace_unhandled { Zed::stack_symbols("user") } sub trace_end { $n->print }']);
sub mapping { my ($at, $file) = @_; return pack 'Q<4 V', $at, $at + 1, 0, $at, $file }
sub looked { my ($pid, $time, $like, $maps) = @_; return pack 'V V Q< Q< V a*', length $maps, $pid, $time, $time, $like, $maps }
bomb('looks at 34,000 processes that are like one', sub { Write::Dat->new(options_of(1, 0x7a6d, 'zed-maps' . looked(77, 0, 0, mapping(1, 0)) . join '', map { looked(1000 + $_, $_, 77, '') } 1 .. 34_000))->write("$dir/o.dat") },
	events => 28, small => 1, readers => \@names);
bomb('15,000 looks at one process, the last first', sub { Write::Dat->new(options_of(1, 0x7a6d, 'zed-maps' . join '', map { looked(77, 15_000 - $_, 0, mapping(1, 0)) } 1 .. 15_000))->write("$dir/o.dat") },
	events => 28, readers => \@names);
bomb('looks at 4,096 mappings', sub { Write::Dat->new(options_of(1, 0x7a6d, 'zed-maps' . looked(77, 0, 0, join '', map { mapping($_, 65535) } 1 .. 4096) x 6))->write("$dir/o.dat") },
	events => 28, readers => \@names);
bomb('files without number', sub { Write::Dat->new(options_of(9000, 0x7a6d, 'zed-maps' . pack('V V Q< Q< V', 18, 0, 0, 0, 65535) . "\0" x 17 . 'x'))->write("$dir/o.dat") },
	events => 28, readers => \@names);
for my $id (3, 22, 4, 16, 12, 14) {
	bomb("options of kind $id full of zeros", sub { Write::Dat->new(options_of(300, $id, "\0" x 3000))->write("$dir/o.dat") }, small => $id == 3);
	bomb("options of kind $id full of ones, v6", sub { Write::Dat->new(version => 6, options_of(300, $id, "\1" x 3000))->write("$dir/o.dat") }, small => $id == 12);
}

# A chain of options sections, each of which makes 60 MB.
bomb('options that unpack 1000-fold', sub {
	my $d = Write::Dat->new(compression => 'zlib');
	my $z = Compress::Zlib::compress(($d->u16(500) . $d->u32(0)) x 10_000_000 . $d->u16(0) . $d->u32(0));
	$d->put($d->u16(0) . $d->u16(1) . $d->u32(-1) . $d->u64(8 + length $z) . $d->u32(length $z) . $d->u32(60_000_006) . $z, 'bomb');
	my $at = $d->at('bomb');
	$d->poke('buffer.options.done', $d->u64($at));
	return $d->write("$dir/o.dat");
}, events => 28, like => qr/over 64 times/);
bomb('a chain of 20,000 options sections', sub {
	my $d = Write::Dat->new;
	my $last = 'buffer.options';
	for my $i (1 .. 20_000) {
		$d->poke("$last.done", $d->u64($d->size));
		$d->options_section("chain$i");
		$last = "chain$i";
	}
	return $d->write("$dir/o.dat");
}, events => 28);
bomb('options sections one within the other', sub {
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
	return $d->write("$dir/o.dat");
}, events => 28, like => qr/MiB|circle/, small => 1);

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
bomb('20,000 buffers', sub { buffers(20_000, 4096, []) }, events => 28, like => qr/more than 1024 buffers/);
bomb('one buffer of 45,000 CPUs', sub { buffers(1, 4096, sub { my $at = $_[0]->at('buffer.cpu0.page0'); [map { [$_, $at, 1] } 0 .. 44_999] }) },
	events => 28);
bomb('5 buffers of 9,000 CPUs, backwards', sub { buffers(5, 4096, sub { my $at = $_[0]->at('buffer.cpu0.page0'); [map { [9000 - $_, $at, 1] } 1 .. 8000] }) },
	events => 28);
bomb('1000 buffers of pages of 8 MiB', sub { buffers(1000, 8 << 20, sub { my $at = $_[0]->at('buffer.cpu0.page0');
	[map { [$_ * 9000, $at, 2] } 0 .. 7] }) }, events => 28, small => 1);
bomb('CPUs that reach to the end, packed pages of 8 MiB', sub { buffers(1000, 8 << 20, sub { my $at = $_[0]->at('buffer.cpu0.count');
	[map { [$_, $at, 90] } 0 .. 30] }, compression => 'zlib') }, events => 28);

bombs_done();
