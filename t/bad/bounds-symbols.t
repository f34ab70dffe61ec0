# SPDX-License-Identifier: GPL-2.0-or-later
#
# As t/bad/bounds.t, of symbols and trace_printk strings that are made to cost as much as they can.  Without it who opens a
# stranger's file loses the machine to its list of functions.
#
# of: reader/dat trace programs/kallsyms.c base
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Bombs;
use Write::Dat;

plan skip_all => 'a sanitizer needs more memory and time than any bomb' if $ENV{ZED_SAN};

my $d = Write::Dat->new;

sub text32 { return $d->u32(length $_[0]) . $_[0] }

# Fields whose values are addresses, so that symbols are asked for.
my $ip = [[mini => Write::Dat::format_text('tick', 300, "\tfield:unsigned long n;\toffset:8;\tsize:8;\tsigned:0;\n",
	'"n=%ps", (void *)REC->n')]];
bomb('a million and more symbols', sub { bomb_dat('symbols', { 19 => [text32(fill(20 * $MB, sub {
	sprintf "%x T a\n", 0xfffffff - $_[0] })), 900_000] }, formats => $ip) }, large => 1, like => qr/kallsyms: at most/,
	said_by => qr/report/);
bomb('symbols of one address', sub { bomb_dat('symbols', { 19 => [text32("0 T a\n" x (9 * $MB)), 900_000] }, formats => $ip) },
	like => qr/kallsyms: at most/, said_by => qr/report/, small => 1);
bomb('symbols with long names', sub { bomb_dat('symbols', { 19 => [text32(fill(16 * $MB, sub {
	sprintf "%x T %s\t[%s]\n", $_[0], 'n' x 500, 'm' x ($_[0] % 50 + 1) })), 900_000] }, formats => $ip) });
my $bprint = [[ftrace => Write::Dat::format_text('bprint', 300, "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n" .
	"\tfield:const char * fmt;\toffset:16;\tsize:4;\tsigned:0;\n\tfield:u32 buf;\toffset:20;\tsize:0;\tsigned:0;\n",
	'"%ps: %s", (void *)REC->ip, REC->fmt')]];
bomb('millions of trace_printk strings', sub { bomb_dat('printk', { 20 => [text32(fill(16 * $MB, sub {
	sprintf "0x%x : \"a\"\n", $_[0] })), 900_000] }, formats => $bprint) }, large => 1, like => qr/printk formats: at most/,
	said_by => qr/report/);
bomb('long trace_printk strings', sub { bomb_dat('printk', { 20 => [text32(fill(16 * $MB, sub {
	sprintf "0x%x : \"%s\"\n", $_[0], 'a' x 2000 })), 900_000] }, formats => $bprint) }, small => 1);

bomb('a trace_printk string of megabytes, in each of many events', sub { bomb_dat('printk', { 20 => [text32(sprintf "0x%x : \"%s\"\n", 7,
	'a' x (8 * $MB)), 700_000] }, formats => [[mini => Write::Dat::format_text('tick', 300, "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n",
	join('', '"', '%s' x 20, '"', ', (char *)7' x 20))]], ticks => 40, pages => 300) }, like => qr/printk formats: strings of over 4095 bytes, cut there: 1/,
	said_by => qr/report/);

bombs_done();
