# SPDX-License-Identifier: GPL-2.0-or-later
#
# Formats of events that are made to cost as much as they can (t/lib/Run/Bombs.pm).  Without it a file of 1 MB keeps a
# processor busy for minutes.  What is over a bound is said, with exit 1, and what is intact is delivered.
#
# of: reader/dat trace text
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
my $d = Write::Dat->new;

sub text64 { return $d->u64(length $_[0]) . $_[0] }
sub formats { my ($system, @texts) = @_; return $d->u32(1) . "$system\0" . $d->u32(scalar @texts) . join '', map { text64($_) } @texts }
my @two = map { $_->[1] } Write::Dat::formats($d);

bomb('three million formats', sub { bomb_dat('formats', { 18 => [$d->u32(1) . "mini\0" . $d->u32(2_400_002) .
	join('', map { text64($_) } @two) . text64("name: a\nID: 1\n") x 2_400_000, 900_000] }) }, events => 28,
	like => qr/more than 65536 formats/);
bomb('millions of formats that are none', sub { bomb_dat('formats', { 18 => [$d->u32(1) . "mini\0" . $d->u32(7_000_002) .
	join('', map { text64($_) } @two) . text64('') x 7_000_000, 900_000] }) }, events => 28,
	like => qr/left out: 100 lines are enough/);
bomb('millions of systems', sub { bomb_dat('formats', { 18 => [$d->u32(9_000_001) . "mini\0" . $d->u32(2) .
	join('', map { text64($_) } @two) . ("a\0" . $d->u32(0)) x 9_000_000, 900_000] }) }, events => 28);
my $fields = join '', map { sprintf "\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;\n", $_, 8 + 4 * ($_ % 4) } 0 .. 1015;
bomb('formats of a thousand fields', sub { bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, $fields, '"x"') } 1 .. 1050), 900_000] }) }, events => 28, large => 1);
bomb('65,000 formats of some fields', sub { bomb_dat('formats', { 18 => [formats(mini => @two, map {
	"name: e$_\nID: @{[$_ + 400]}\nformat:\n" . join('', map { "field:u8 $_;offset:8;size:1;\n" } 'a' .. 'z') }
	1 .. 65_000), 900_000] }) }, events => 28, large => 1);
bomb('65,000 formats of one name', sub { bomb_dat('formats', { 18 => [formats(mini => @two, map {
	"name: e\nID: @{[$_ + 400]}\nformat:\nfield:u8 a;offset:8;size:1;\n" } 1 .. 65_000), 900_000] }) }, events => 28, large => 1);
bomb('formats whose fields have one name', sub { Write::Dat->new(formats => [map { [mini => $_] } @two,
	map { Write::Dat::format_text("e$_", 1000 + $_, "field:u8 x;offset:8;size:1;\n" x 1000, '"x"') } 1 .. 29])->write("$dir/twins.dat") }, events => 28, small => 1);
bomb('declarations of a megabyte', sub { bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, "\tfield:" . 'long ' x 200_000 . "x;\toffset:8;\tsize:8;\tsigned:0;\n", '"x"') }
	1 .. 50), 900_000] }) }, events => 28);
bomb('declarations of a kilobyte', sub { bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, ("\tfield:" . 'unsigned longs ' x 100 . "x;\toffset:8;\tsize:8;\tsigned:0;\n") x 400,
		'"x"') } 1 .. 80), 900_000] }) }, events => 28, small => 1);
bomb('print formats full of masks', sub { bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, $fields, '"x", ' . '__get_bitmask(f, ' x 4000) } 1 .. 450), 900_000] }) }, events => 28, large => 1);
for my $deep ('(', '!', '-', '(u8)', '1 + (', 'REC->n ? (', '__get_str(', '__print_flags(', '"%d", ', '"a" ', '{ 1, "a" }, ') {
	bomb("print formats of much '$deep'", sub { bomb_dat('formats', { 18 => [formats(mini => $two[1],
		Write::Dat::format_text('tick', 300, "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n", "\"\%d\", " . $deep x (900_000 / length $deep)),
		map { Write::Dat::format_text("e$_", 1000 + $_, "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n",
			'"%d", ' . $deep x (100_000 / length $deep)) } 1 .. 100), 900_000] }) }, events => 4, small => $deep eq '(');
}
bomb('formats, v6', sub { Write::Dat->new(version => 6, formats => [map { [mini => $_] } @two,
	map { "name: e$_\nID: @{[$_ + 400]}\nformat:\nfield:u8 a;offset:8;size:1;\n" } 1 .. 14_000])->write("$dir/v6.dat") }, events => 28, small => 1);

bombs_done();
