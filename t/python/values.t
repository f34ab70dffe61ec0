# SPDX-License-Identifier: GPL-2.0-or-later
#
# Values in Python: the ends of all integers in both byte orders, texts that are not UTF-8, arrays, masks, what points out
# of its record.  Known answers: the test has packed them.  Without it a number is off by a sign, or a name of a task
# raises UnicodeDecodeError in the middle of a trace.
# of: interp/python interp/common/field_budget.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

# A trace with one event: FIELDS, [declaration, bytes, signed], one after another; what VALUES, an expression of ev, prints.
sub value_of {
	my ($fields, $expression, %o) = @_;
	my ($text, $bytes, $off) = ('', '', 8);
	for (@$fields) {
		my ($declaration, $data, $signed) = @$_;
		$text .= field_text($declaration, $off, length $data, $signed);
		$bytes .= $data;
		$off += length $data;
	}
	my $dat = trace(types => { 'odd::one' => $text }, events => [[0, 1000, 'odd::one', $bytes . ($o{more} // '')]], big => $o{big} // 0);
	my $r = zedpython($dat, \"import zed\n\@zed.on('odd:one')\ndef f(ev, **fields):\n    print($expression)\n");
	return $r->{out} . ($o{err} ? $r->{err} : $r->{err} && "error $r->{err}");
}

# ---- integers: each of their ends, in the byte order of either machine
for my $big (0, 1) {
	my $order = $big ? 'big-endian' : 'little-endian';
	for (['u8', 'C', 0, 255], ['s8', 'c', -128, 127], ['u16', 'S', 0, 65535], ['s16', 's', -32768, 32767], ['u32', 'L', 0, 4294967295], ['int', 'l', -2147483648, 2147483647],
		['u64', 'Q', 0, '18446744073709551615'], ['s64', 'q', '-9223372036854775808', '9223372036854775807']) {
		my ($type, $letter, $least, $most) = @$_;
		my $l = $letter =~ /c/i ? $letter : $letter . ($big ? '>' : '<');
		my $signed = $least < 0;
		is(value_of([["$type a", pack($l, $least), $signed], ["$type b", pack($l, $most), $signed], ["$type c", pack($l, 1), $signed]],
			'ev["a"], ev["b"], fields["c"], type(ev["a"]).__name__', big => $big), "$least $most 1 int\n", "$order $type");
	}
	my $letters = $big ? ['n*', 'N*', 'Q>*'] : ['v*', 'V*', 'Q<*'];
	is(value_of([['u16 a[3]', pack($letters->[0], 1, 2, 65535)], ['u32 b[2]', pack($letters->[1], 3, 4294967295)], ['u64 c[2]', pack($letters->[2], 5, '18446744073709551615')], ['s16 d[2]', pack($letters->[0], 65535, 2), 1]],
		'ev["a"], ev["b"], ev["c"], ev["d"]', big => $big), "[1, 2, 65535] [3, 4294967295] [5, 18446744073709551615] [-1, 2]\n", "$order arrays");
}
is(value_of([['u8 mac[6]', "\0\1\2\xfd\xfe\xff"]], 'ev["mac"]'), 'b\'\x00\x01\x02\xfd\xfe\xff\'' . "\n", 'bytes');

# ---- text
for (
	['plain', 'name', "'name'"], ['up to its NUL', "ab\0cd", "'ab'"], ['without a NUL', 'abcdefgh', "'abcdefgh'"], ['empty', '', "''"],
	['UTF-8', "\xc3\xa4\xe2\x82\xac", "'\\xe4\\u20ac'"], ['a letter of four bytes', "\xf0\x9f\x90\xab", "'\\U0001f42b'"],
	['not UTF-8', "a\xff\xfeb", "'a\\udcff\\udcfeb'"], ['cut in a letter', "abcdefg\xc3", "'abcdefg\\udcc3'"], ['a surrogate in UTF-8', "\xed\xa0\x80", "'\\udced\\udca0\\udc80'"],
	['too long a form', "\xc0\x80", "'\\udcc0\\udc80'"], ['control characters', "\e[2J\n", "'\\x1b[2J\\n'"], ['Latin 1', "\xe4", "'\\udce4'"],
) {
	my ($what, $bytes, $want) = @$_;
	is(value_of([['char who[8]', pack('a8', $bytes), 1]], 'ascii(ev["who"]), ev["who"].encode("utf-8", "surrogateescape") == bytes.fromhex("' . unpack('H*', $bytes =~ s/\0.*//sr) . '")'), "$want True\n", "text: $what");
}
# The same text again is the same object; another one of the same length is not.
is(value_of([['char a[8]', pack('a8', 'one'), 1], ['char b[8]', pack('a8', 'two'), 1]], 'ev["a"], ev["b"], ev["a"]'), "one two one\n", 'a kept text is not that of its neighbour');
my $turns = trace(events => [map { [0, 1000 * $_, 'mini::tick', pack('l a8', $_, $_ % 3 ? 'same' : "n$_")] } 1 .. 7]);
is(zedpython($turns, \"import zed\n\@zed.on('mini:tick')\ndef f(who): print(who, end=' ')\n")->{out}, 'same same n3 same same n6 same ', '... nor of the event before');

# ---- of another length: data_loc, rel_loc
sub loc { my ($len, $off) = @_; return pack 'L', $len << 16 | $off }
is(value_of([['__data_loc char[] s', loc(6, 12), 1]], 'ev["s"]', more => "hello\0\0\0"), "hello\n", 'a text through data_loc');
is(value_of([['__rel_loc char[] s', loc(6, 0), 1]], 'ev["s"]', more => "hello\0\0\0"), "hello\n", '... rel_loc');
is(value_of([['__data_loc u32[] v', loc(12, 12)]], 'ev["v"]', more => pack 'L3', 7, 8, 9), "[7, 8, 9]\n", 'an array');
is(value_of([['__data_loc u32[] v', loc(0, 12)]], 'ev["v"]'), "[]\n", 'an empty one');
is(value_of([['__data_loc cpumask_t mask', loc(8, 12)]], 'ev["mask"]', more => pack 'Q', 0b111101), "0,2-5\n", 'a mask of CPUs');
like(value_of([['__data_loc char[] s', loc(60000, 12), 1]], 'repr(ev["s"])', err => 1), qr/\A''\nzedpython: .*: offset 0x[0-9a-f]+: odd::one: field s points outside the record: taken as empty\n/,
	'what points out of its record is empty, and said (else: it is read from the next one)');
# Eight arrays that share the record's bytes: as many as are in reason.
{
	my @fields = map { ["__data_loc u8[] v$_", loc(3000, 12)] } 1 .. 40;
	my $said = value_of(\@fields, 'sum(len(v) for v in fields.values()) <= 64 * 4096', more => 'x' x 3000, err => 1);
	like($said, qr/\ATrue\n/, 'fields that share bytes are not copied without end');
}

# ---- what every event has
{
	my $dat = trace(types => { 'odd::one' => field_text('int ts', 8, 4, 1) . field_text('int cpu', 12, 4, 1) . field_text('int event', 16, 4, 1) },
		events => [[1, 18_446_744_073, 'odd::one', pack('l3', 7, 8, 9), undef, undef, 4194304]], comm => "\xff\xfe", pid => 4194304);
	my $r = zedpython($dat, \("import zed\n\@zed.on('odd:one')\ndef f(ev, ts, cpu, event, common_cpu, common_ts, common_event, pid, comm, secs, nsecs, instance, source, sequence):\n" .
		"    print(ts, cpu, event, common_cpu, common_ts, common_event, pid, ascii(comm), secs, nsecs, repr(instance), source, sequence)\n    print(ev.ts, ev.cpu, ev.pid, ascii(ev.comm), ev.name, ev['ts'], ev['common_ts'])\n"));
	is($r->{out}, "7 8 9 1 18446744073 odd:one 4194304 '\\udcff\\udcfe' 18 446744073 '' 0 1\n18446744073 1 4194304 '\\udcff\\udcfe' odd:one 7 18446744073\n", 'a field goes before what every event has; attributes are the event\'s') or diag $r->{err};
}

done_testing();
