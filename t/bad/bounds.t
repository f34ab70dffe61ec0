# SPDX-License-Identifier: GPL-2.0-or-later
#
# Metadata that are made to cost as much as they can (t/lib/Run/Bombs.pm).  Without it 75 KB take 8.7 GB and
# 28 s, and whoever opens a stranger's file loses the machine.  What is over a bound is said, with exit 1,
# and what is intact is delivered.
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

sub text32 { return $d->u32(length $_[0]) . $_[0] }
sub text64 { return $d->u64(length $_[0]) . $_[0] }

bomb('a part of metadata that unpacks 1000-fold',
	bomb_dat('ratio', { 21 => [text64("1 a\n" x (8 * $MB)), 0] }), events => 28,
	like => qr/offset 0x[0-9a-f]+: .* over 64 times/, said_by => qr/report|json/);
bomb('names of two million tasks',
	bomb_dat('names', { 21 => [text64(fill(16 * $MB, sub { "$_[0] a\n" })), 940_000] }), events => 28, large => 1,
	like => qr/command names: at most 1048576/, said_by => qr/report|json/);
bomb('names of many tasks, uncompressed',
	Write::Dat->new(cmdlines => fill(900_000, sub { "$_[0] a\n" }))->write("$dir/names.dat"), events => 28);
bomb('one task named ten million times',
	bomb_dat('names', { 21 => [text64("77 a\nb\n" x (8 * $MB)), 940_000] }), events => 28);
bomb('lines of names that are none',
	bomb_dat('names', { 21 => [text64("\n" x (56 * $MB)), 940_000] }), events => 28,
	like => qr/command names: lines that make no sense/, said_by => qr/report|json/);

# Fields whose values are addresses, so that symbols are asked for.
my $ip = [[mini => Write::Dat::format_text('tick', 300, "\tfield:unsigned long n;\toffset:8;\tsize:8;\tsigned:0;\n",
	'"n=%ps", (void *)REC->n')]];
bomb('a million and more symbols', bomb_dat('symbols', { 19 => [text32(fill(20 * $MB, sub {
	sprintf "%x T a\n", 0xfffffff - $_[0] })), 900_000] }, formats => $ip), large => 1, like => qr/kallsyms: at most/,
	said_by => qr/report/);
bomb('symbols of one address', bomb_dat('symbols', { 19 => [text32("0 T a\n" x (9 * $MB)), 900_000] }, formats => $ip),
	like => qr/kallsyms: at most/, said_by => qr/report/);
bomb('symbols with long names', bomb_dat('symbols', { 19 => [text32(fill(16 * $MB, sub {
	sprintf "%x T %s\t[%s]\n", $_[0], 'n' x 500, 'm' x ($_[0] % 50 + 1) })), 900_000] }, formats => $ip));
my $bprint = [[ftrace => Write::Dat::format_text('bprint', 300, "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n" .
	"\tfield:const char * fmt;\toffset:16;\tsize:4;\tsigned:0;\n\tfield:u32 buf;\toffset:20;\tsize:0;\tsigned:0;\n",
	'"%ps: %s", (void *)REC->ip, REC->fmt')]];
bomb('millions of trace_printk strings', bomb_dat('printk', { 20 => [text32(fill(16 * $MB, sub {
	sprintf "0x%x : \"a\"\n", $_[0] })), 900_000] }, formats => $bprint), large => 1, like => qr/printk formats: at most/,
	said_by => qr/report/);
bomb('long trace_printk strings', bomb_dat('printk', { 20 => [text32(fill(16 * $MB, sub {
	sprintf "0x%x : \"%s\"\n", $_[0], 'a' x 2000 })), 900_000] }, formats => $bprint));

bomb('a trace_printk string of megabytes, in each of many events', bomb_dat('printk', { 20 => [text32(sprintf "0x%x : \"%s\"\n", 7,
	'a' x (8 * $MB)), 700_000] }, formats => [[mini => Write::Dat::format_text('tick', 300, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n",
	join('', '"', '%s' x 20, '"', ', (char *)7' x 20))]], ticks => 40, pages => 300), like => qr/printk formats: strings of over 4095 bytes, cut there: 1/,
	said_by => qr/report/);

# ---- formats

sub formats { my ($system, @texts) = @_; return $d->u32(1) . "$system\0" . $d->u32(scalar @texts) . join '', map { text64($_) } @texts }
my @two = map { $_->[1] } Write::Dat::formats($d);

bomb('three million formats', bomb_dat('formats', { 18 => [$d->u32(1) . "mini\0" . $d->u32(2_400_002) .
	join('', map { text64($_) } @two) . text64("name: a\nID: 1\n") x 2_400_000, 900_000] }), events => 28,
	like => qr/more than 65536 formats/);
bomb('millions of formats that are none', bomb_dat('formats', { 18 => [$d->u32(1) . "mini\0" . $d->u32(7_000_002) .
	join('', map { text64($_) } @two) . text64('') x 7_000_000, 900_000] }), events => 28,
	like => qr/left out: 100 lines are enough/);
bomb('millions of systems', bomb_dat('formats', { 18 => [$d->u32(9_000_001) . "mini\0" . $d->u32(2) .
	join('', map { text64($_) } @two) . ("a\0" . $d->u32(0)) x 9_000_000, 900_000] }), events => 28);
my $fields = join '', map { sprintf "\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;\n", $_, 8 + 4 * ($_ % 4) } 0 .. 1015;
bomb('formats of a thousand fields', bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, $fields, '"x"') } 1 .. 1050), 900_000] }), events => 28, large => 1);
bomb('65,000 formats of some fields', bomb_dat('formats', { 18 => [formats(mini => @two, map {
	"name: e$_\nID: @{[$_ + 400]}\nformat:\n" . join('', map { "field:u8 $_;offset:8;size:1;\n" } 'a' .. 'z') }
	1 .. 65_000), 900_000] }), events => 28, large => 1);
bomb('65,000 formats of one name', bomb_dat('formats', { 18 => [formats(mini => @two, map {
	"name: e\nID: @{[$_ + 400]}\nformat:\nfield:u8 a;offset:8;size:1;\n" } 1 .. 65_000), 900_000] }), events => 28, large => 1);
bomb('formats whose fields have one name', Write::Dat->new(formats => [map { [mini => $_] } @two,
	map { Write::Dat::format_text("e$_", 1000 + $_, "field:u8 x;offset:8;size:1;\n" x 1000, '"x"') } 1 .. 29])->write("$dir/twins.dat"), events => 28);
bomb('declarations of a megabyte', bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, "\tfield:" . 'long ' x 200_000 . "x;\toffset:8;\tsize:8;\tsigned:0;\n", '"x"') }
	1 .. 50), 900_000] }), events => 28);
bomb('declarations of a kilobyte', bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, ("\tfield:" . 'unsigned longs ' x 100 . "x;\toffset:8;\tsize:8;\tsigned:0;\n") x 400,
		'"x"') } 1 .. 80), 900_000] }), events => 28);
bomb('print formats full of masks', bomb_dat('formats', { 18 => [formats(mini => @two, map {
	Write::Dat::format_text("e$_", 1000 + $_, $fields, '"x", ' . '__get_bitmask(f, ' x 4000) } 1 .. 450), 900_000] }), events => 28, large => 1);
for my $deep ('(', '!', '-', '(u8)', '1 + (', 'REC->n ? (', '__get_str(', '__print_flags(', '"%d", ', '"a" ', '{ 1, "a" }, ') {
	bomb("print formats of much '$deep'", bomb_dat('formats', { 18 => [formats(mini => $two[1],
		Write::Dat::format_text('tick', 300, "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n", "\"\%d\", " . $deep x (900_000 / length $deep)),
		map { Write::Dat::format_text("e$_", 1000 + $_, "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n",
			'"%d", ' . $deep x (100_000 / length $deep)) } 1 .. 100), 900_000] }), events => 4);
}
bomb('formats, v6', Write::Dat->new(version => 6, formats => [map { [mini => $_] } @two,
	map { "name: e$_\nID: @{[$_ + 400]}\nformat:\nfield:u8 a;offset:8;size:1;\n" } 1 .. 14_000])->write("$dir/v6.dat"), events => 28);

bombs_done();
