# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged and hostile texts in a trace.dat: print formats, fields, header_page, symbols and names (t/lib/Run/Damaged.pm).
# Without it who may write an event's format ends the program of who reads it, or hides the events.
#
# of: trace text reader/dat trace/comms
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings "portable";
use Test::More;
use lib 't/lib';
use Run::Damaged;
use Run::Program;
use Write::Dat;

my $D = \&dat;
my $all = 28;

my $f = "\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:1;\n";
sub with_tick {
	my ($fields, $print) = @_;
	my ($tick, $said) = $D->()->formats;
	return $D->(formats => [[mini => Write::Dat::format_text('tick', 300, $fields, $print)], $said]);
}
my %hostile = (
	'division by a field that is 0' => '"%d", 7 / (REC->n - REC->n)',
	'remainder by 0' => '"%d", REC->n % 0',
	'a division in a conditional' => '"%d", REC->n ? 1 / (REC->n - REC->n) : 0',
	'deep parentheses' => '"%d", ' . '(' x 5000 . '1' . ')' x 5000,
	'deep parentheses without an end' => '"%d", ' . '(' x 50000,
	'deep negation' => '"%d", ' . '!' x 50000 . '1',
	'deep conditionals' => '"%d", ' . '1 ? ' x 20000 . '1' . ' : 1' x 20000,
	'a long sum' => '"%d", 1' . '+1' x 100000,
	'__print_array over a scalar' => '"%s", __print_array(REC->n, 1000000, 8)',
	'__print_array with a wild count' => '"%s", __print_array(REC->who, 0x7fffffff, 4)',
	'__print_array of 0-byte items' => '"%s", __print_array(REC->who, REC->n, 0)',
	'__print_array over a __rel_loc that is none' =>
		'"%s", __print_array(__get_rel_dynamic_array(who), 1000, 8)',
	'__print_hex with a wild length' => '"%s", __print_hex(REC->who, 0x7fffffff)',
	'__print_hex_dump with a wild length' => '"%s", __print_hex_dump("", 2, 16, 1, REC->who, 99999999, 1)',
	'__get_str of a scalar' => '"%s", __get_str(n)',
	'__get_bitmask of an array' => '"%s", __get_bitmask(who)',
	'%s of a number' => '"%s %s", REC->n, 0xdeadbeef',
	'%n' => '"%n%n%n", REC->n',
	'a wide conversion' => '"%1000000000d", REC->n',
	'a precision from a field' => '"%.*s", REC->n, REC->who',
	'more conversions than arguments' => '"%d %d %d %s %s", REC->n',
	'%pS of a string' => '"%pS %pI4 %pM %pU %*pbl", REC->who, REC->who, REC->who, REC->who',
	'__print_flags without an end' => '"%s", __print_flags(REC->n, "|", { 1, "a" }, { 2,',
	'__print_symbolic of nothing' => '"%s", __print_symbolic()',
	'an unknown function' => '"%s", __no_such_thing(REC->n)',
	'a field that is not there' => '"%d", REC->nowhere',
	'an index far outside' => '"%d", REC->who[99999999]',
	'a quote without an end' => '"%d',
	'nothing' => '',
	'sizeof of everything' => '"%d", sizeof(sizeof(sizeof(REC)))',
	'rubbish' => "\x01\xff\xfe\x80((((\"\\",
	'a shift by 1000' => '"%d", 1 << 1000',
	'the least number by -1' => '"%lld", 0x8000000000000000 / -1',
);
for my $what (sort keys %hostile) {
	row("print format: $what", with_tick($f, $hostile{$what}), exit => [0, 1], events => $all, quiet => 1);
}
my %fields = (
	'a field past the record' => "\tfield:int n;\toffset:4000;\tsize:4;\tsigned:1;\n",
	'a field of 2^32 - 1 bytes' => "\tfield:char n[9];\toffset:8;\tsize:4294967295;\tsigned:1;\n",
	'an offset of 2^32 - 1' => "\tfield:int n;\toffset:4294967295;\tsize:4;\tsigned:1;\n",
	'a negative size' => "\tfield:int n;\toffset:8;\tsize:-4;\tsigned:1;\n",
	'a field without a name' => "\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n",
	'twenty thousand fields' => $f x 10000,
	'a name of 100,000 letters' => "\tfield:int " . 'n' x 100_000 . ";\toffset:8;\tsize:4;\tsigned:1;\n",
	'brackets without an end' => "\tfield:char n[[[[;\toffset:8;\tsize:4;\tsigned:1;\n",
	'deep parentheses in a type' => "\tfield:" . '(' x 50000 . " n;\toffset:8;\tsize:4;\tsigned:1;\n",
	'the same name twice' => $f . $f,
	'a count of 2^31' => "\tfield:u32 n[2147483648];\toffset:8;\tsize:8;\tsigned:0;\n",
	'a word of 1 byte' => "\tfield:__data_loc char[] n;\toffset:8;\tsize:1;\tsigned:1;\n",
	'rubbish' => "\xff\xfe\x00\x01;;;;;:::\n" x 50,
);
for my $what (sort keys %fields) {
	row("format: $what", with_tick($fields{$what}, '"n=%d", REC->n'), exit => [0, 1], events => [4, $all],
		quiet => 1, lines => 6, same => 0);
}
{
	my ($tick, $said) = $D->()->formats;
	my @f = ([mini => 'no format'], [mini => ''], [mini => "name: x\nID: 77777777\n"], $tick, $said);
	row('formats that are none beside good ones', $D->(formats => \@f), exit => [0, 1], events => $all,
		quiet => 1);
	row('sub-buffers of another size than the head of the file tells (else: every second page is passed over)',
		(map { $_->poke('buffer.page_size', $_->u32(2048)) } $D->()), exit => 1, events => [0, $all], like => qr/sub-buffers of 2048/);
	row('a page whose head is zeros (else: its events are passed over)', (map { $_->poke('buffer.cpu1.page0', "\0" x 16) } $D->()),
		exit => 1, events => 21, like => qr/says it is empty/);
	row('a format without a usable field (else: nobody knows of which input)', $D->(formats => [[mini =>
		"name: tick\nID: 300\nformat:\n\tfield:n;\n\nprint fmt: \"\"\n"], $said]), exit => 1, events => [4, $all],
		places => 0, same => 0, like => qr/no usable field/);
	row('two events of one id', $D->(formats => [$tick, [mini => Write::Dat::format_text('tock', 300, $f,
		'""')], $said]), exit => [0, 1], events => [4, $all], quiet => 1);
	row('a system without a name', $D->(formats => [['', $tick->[1]], $said]), exit => [0, 1],
		events => $all, quiet => 1, same => 0);
	row('an event with an escape in its name', $D->(formats => [[mini => $tick->[1] =~ s/tick/ti\033[2Jck/r],
		$said]), exit => [0, 1], events => [4, $all], quiet => 1);
	for my $at (0, 4, 9, 13) {
		my $d = $D->();
		row("formats: the count at $at is huge", $d->poke('formats.data', "\xff" x 4, $at),
			exit => [0, 1, 2], events => [0, $all], quiet => 1, same => 0);
	}
	my %page = (
		'nothing but rubbish' => "\xff\xfe\n" x 20,
		'no data' => Write::Dat::header_page($D->()) =~ s/\tfield: char data.*\n//r,
		'data at 4000000000' => Write::Dat::header_page($D->()) =~ s/offset:16/offset:4000000000/r,
		'data of 4000000000 bytes' => Write::Dat::header_page($D->()) =~ s/size:1008/size:4000000000/r,
		'a commit of 3 bytes' => Write::Dat::header_page($D->()) =~ s/offset:8;\tsize:8/offset:8;\tsize:3/r,
		'a commit at 0' => Write::Dat::header_page($D->()) =~ s/commit;\toffset:8/commit;\toffset:0/r,
		'a megabyte' => "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" x 20000,
	);
	row("header_page: $_", $D->(header_page => $page{$_}), exit => [0, 1, 2], events => [0, $all],
		quiet => 1) for sort keys %page;
	my %text = (
		'no newline' => 'c0001000 T mini_start',
		'rubbish' => "\xff\xfe\x00zzz\n\n\n   \n\t\t\n-1 \n1\n",
		'a line of a megabyte' => 'c0001000 T ' . 'x' x 1_000_000,
		'a hundred thousand empty lines' => "\n" x 100_000,
		'numbers too large' => "ffffffffffffffffffff T x\n99999999999999999999 y\n",
		'zeros' => "\0" x 5000,
		'unsorted and double' => join('', map { sprintf "%x T s%d\n", $_ * 7919 % 5000, $_ } 1 .. 5000),
	);
	for my $which (qw(kallsyms printk cmdlines)) {
		row("$which: $_", $D->($which => $text{$_}), exit => [0, 1], events => $all, quiet => 1)
			for sort keys %text;
	}
}

done_testing();
