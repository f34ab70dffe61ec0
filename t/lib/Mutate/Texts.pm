# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Texts: pieces of text that are likely to break readers, by the place that they are put into, and names with a
# special meaning for Perl or a terminal.
package Mutate::Texts;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(%SNIPPETS @HOSTILE_SYSTEM @HOSTILE_NAME);

my $FIELD = "offset:8;\tsize:4;\tsigned:1;";
our %SNIPPETS = (
	format => [
		(map { "\tfield:$_;\t$FIELD" } 'int n', 'char x[4294967295]', 'char x[-1]', 'char x[0]', 'int x[2147483647][4]',
			'__data_loc char[] x', '__rel_loc char[] x', '__data_loc u8[65536] x', 'struct list_head x', 'unsigned long long x',
			"char \e[31mx[8]", 'int __proto__', 'cpumask_t * x', 'char *x', '__data_loc cpumask_t x', 'float x',
			'x' x 5000, 'int common_pid', 'int (*x)(int)', 'int a; int b', 'u8 ip[16]'),
		"\tfield:int late;\toffset:65000;\tsize:4;\tsigned:1;", "\tfield:int wide;\toffset:8;\tsize:4294967295;\tsigned:1;",
		"\tfield:int minus;\toffset:-8;\tsize:4;\tsigned:1;", "\tfield:char rest[];\toffset:12;\tsize:0;\tsigned:0;",
		"\tfield:int odd;\toffset:9;\tsize:3;\tsigned:1;", 'name: ' . 'n' x 3000, "name: \e]0;x\x07", 'ID: 300', 'ID: 0', 'ID: 65536',
		(map { "print fmt: $_" } '"%s", REC->n', '"%1024d", REC->n', '"%*d", REC->n, 1', '"%n", REC->n', '"%.*s", REC->n, REC->who',
			'"%d", REC->n / (REC->n - REC->n)', '"%d", 1 % 0', '"%s", __get_str(n)', '"%s", __get_str(nowhere)',
			'"%s", __print_flags(REC->n, "", {0, "a"}, {-1, "b"})', '"%s", __print_symbolic(REC->n, {})',
			'"%s", __print_hex(REC->who, 1 << 30)', '"%s", __print_array(REC->who, -1, 8)', '"%pI6c %pM %pS", REC->who, REC->who, REC->n',
			'"%s", ' . '(' x 3000 . '1' . ')' x 3000, '"' . '%d' x 400 . '", REC->n', '"%d", REC->n ? REC->n : REC->n ? 1 : 2',
			'"%s", __get_dynamic_array(n)', '"%d", (u8)(REC->n)', '"%d", *(REC->n)', '"%d", ((struct x *)REC->n)->y', '"%lld %hhx %c", REC->n',
			'"%d", REC->who[70000]', '"%s", REC->who + 4096', '"%d", sizeof(REC->who)', '"unfinished', '"%d" "%d"', '"%#*.*llx"'),
	],
	ksyms => ["ffffffffffffffff T top\n", "0 t zero\n", "c0001000 T \e[2Jclear\t[mod]\n", "c0001000 T " . 'x' x 9000 . "\n", "zz T no\n"],
	printk => ["0xc0003000 : \"%s%n\\n\"\n", "0x0 : \"\n", "0xffffffffffffffff : \"a\\x\"\n", ": \"\"\n"],
	cmdlines => ["77 \e[31mred\n", "77 \n", "-1 minus\n", "4294967295 max\n", "2147483648 big\n", "99999999999999999999 huge\n", " \n",
		"78 a\nb\n", "77 " . 'c' x 5000 . "\n", "0 idle\n"],
	header_page => ["\tfield: char data;\toffset:16;\tsize:4294967295;\tsigned:1;\n", "\tfield: local_t commit;\toffset:0;\tsize:8;\tsigned:1;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:3;\tsigned:1;\n", "\tfield: char data;\toffset:0;\tsize:0;\tsigned:1;\n"],
	xml => ['<field name=x><array size=4294967295><uint size=4/></array></field>', '<typeref name=t/>', '<', '</facility>', '<!--',
		'<field name=x><sequence size=1><sequence size=1><string/></sequence></sequence></field>', '<type name=t><typeref name=t/></type>',
		'<event name="' . "\e[31m" . '">', '<struct>' x 400, '<uint_fixed size=3/>', '<enum size=4><label name=A value=99999999999/></enum>'],
	stable => ["field:u64 x; size:4294967295;\n", "dynamic:char x; size:8;\n", "array:u8 x; size:8; count:4294967295;\n", "machine 0 \"\\x1b[31m\"\n",
		"event 65535 a::b\n", "event 7 sched::switch\n", "mark 65532 end\n", "stream 3 cpu 4294967295 trace 0 buffer \"\"\n", "task 12 \"a\nb\"\n",
		"field:int z; align:4294967295; size:1;\n", "absent:int q;\n", "data\n", "byte_order: big\n", "record\n", "times: ticks\n", "clock: \e[1m\n"],
	map => ["plan 0 0 4294967296\n", "plan -1 0 0\n", "ring 18446744073709551615\n", "meta 18446744073709551615\n", "planned\n"],
);

our @HOSTILE_SYSTEM = (qw(main CORE lib POSIX Zed UNIVERSAL utf8 mini), '', "m\e[1m", "a\nb", 'x' x 300, '0', 'a::b', '../up');
our @HOSTILE_NAME = (qw(BEGIN END AUTOLOAD DESTROY trace_end exit import can stop tick), '', "t\x07", 'y' x 300, '9', 'a::b');

1;
