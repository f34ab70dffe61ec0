# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of tasks in metadata that are made to cost as much as they can (t/lib/Run/Bombs.pm).  Without it 75 KB
# take 8.7 GB and 28 s, and who opens a stranger's file loses the machine.  What is over a bound is said, with exit 1,
# and what is intact is delivered.
#
# of: reader/dat trace/comms base
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

bomb('a part of metadata that unpacks 1000-fold',
	sub { bomb_dat('ratio', { 21 => [text64("1 a\n" x (8 * $MB)), 0] }) }, events => 28,
	like => qr/offset 0x[0-9a-f]+: .* over 64 times/, said_by => qr/report|json/, small => 1);
bomb('names of two million tasks',
	sub { bomb_dat('names', { 21 => [text64(fill(16 * $MB, sub { "$_[0] a\n" })), 940_000] }) }, events => 28, large => 1,
	like => qr/command names: at most 1048576/, said_by => qr/report|json/);
bomb('names of many tasks, uncompressed',
	sub { Write::Dat->new(cmdlines => fill(900_000, sub { "$_[0] a\n" }))->write("$dir/names.dat") }, events => 28, small => 1);
bomb('one task named ten million times',
	sub { bomb_dat('names', { 21 => [text64("77 a\nb\n" x (8 * $MB)), 940_000] }) }, events => 28);
bomb('lines of names that are none',
	sub { bomb_dat('names', { 21 => [text64("\n" x (56 * $MB)), 940_000] }) }, events => 28,
	like => qr/command names: invalid lines/, said_by => qr/report|json/);

bombs_done();
