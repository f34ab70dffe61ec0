# SPDX-License-Identifier: GPL-2.0-or-later
#
# What runs the cases: a wrong expectation fails, a word that nobody knows is an error with its line, and each .test has
# its .t.  Without it the cases pass whatever the programs print.
# of: t/lib/Run/Cases.pm t/lib/Compare/Lines.pm t/lib/Write/Fixtures.pm t/cases
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Cases qw(read_cases differences direct);
use Run::Program qw(zed_run);

my $dir = temp_dir();
sub cases { return read_cases(spew("$dir/x.test", $_[0]))->{cases} }

# ---- each .test has a .t that runs it, and the other way round

for my $test (glob 't/cases/*.test') {
	my $t = $test =~ s/test\z/t/r;
	ok(-e $t && slurp($t) =~ /^run_cases\('\Q$test\E'\);$/m, "$t runs $test (else: its cases run never)");
}

# ---- what a file may say

is_deeply(cases("# why\n\nRUN zedprint x\nEXIT 2\nERR a\nERR\n\nNAME second\nRUN zedprint\nOUT ...\n"),
	[{ name => 'zedprint x', run => 'zedprint x', line => 3, exit => 2, err => ['a', ''] }, { name => 'second', run => 'zedprint', line => 9, out => ['...'] }],
	'two cases: one is named by its command');
is_deeply(read_cases(spew("$dir/x.test", "FILE a.pl\n\tx\n\t\ty\nFILE e/\nFILE c = t/data/demo.dat 4\nRUN zedperl\nEXIT 0\n"))->{files},
	[['a.pl', "x\n\ty\n"], ['e/', ''], ['c', "\x17\x08Dt"]], 'files: of text, a folder, the beginning of another');

for (["RUN zedprint\n\nRUN zedprint x\nEXIT 2\n", 1, qr/a case without EXIT, OUT and ERR expects nothing/], ["RUN zedprint\n", 1, qr/expects nothing/],
	["RUN zedprint\nEXIT 2\nSTDERR x\n", 3, qr/no word 'STDERR'/], ["RUN zedprint\nexit 2\n", 2, qr/a line begins with one of the words/],
	["EXIT 2\nRUN zedprint\n", 1, qr/EXIT stands after the RUN/], ["NAME x\nEXIT 2\n", 2, qr/EXIT stands after the RUN/],
	["NAME x\nNAME y\nRUN z\nEXIT 2\n", 2, qr/'x' has no RUN/], ["RUN a\nEXIT two\n", 2, qr/EXIT NUMBER/], ["RUN a\nEXIT 2\nEXIT 2\n", 3, qr/once/],
	["RUN a\nNEEDS luck\nEXIT 2\n", 2, qr/NEEDS has no word 'luck'/], ["WITH luck\n", 1, qr/WITH has no word 'luck'/],
	["FILE ../x\n", 1, qr/FILE NAME/], ["FILE x = t/nosuch\n", 1, qr/t\/nosuch cannot be read/], ["RUN a\nOUT /(/\n", 2, qr/\/\(\/: Unmatched/],
	["RUN a\nOUT /a|/\n", 2, qr/it matches an empty line, and so any/], ["RUN \nEXIT 0\n", 1, qr/RUN COMMAND/], ["RUN a | head -1\n", 1, qr/sed -n 1,5p/],
	["RUN a\nEXIT 0\nFILE x\n", 3, qr/FILE stands before the cases/], ["RUN a\n\tOUT x\n", 2, qr/a line begins/], ["# nothing\n", 1, qr/there is no case in it/]) {
	my ($text, $line, $said) = @$_;
	is(eval { cases($text); 'taken' }, undef, "refused: $text" =~ s/\n/;/gr);
	like($@, qr/\A\Q$dir\E\/x\.test:$line: .*$said/, '... with its line');
}

# ---- what is a difference

sub wrong {
	my ($text, %r) = @_;
	my ($case) = @{cases("RUN zedprint\n$text")};
	return join ' ', map { $_->[1] ne '' ? $_->[0] : () } differences($case, { exit => 0, signal => 0, late => 0, out => '', err => '', %r });
}
is(wrong("EXIT 0\n"), '', 'as it is said');
is(wrong("EXIT 2\n"), 'exit 2', 'another status');
is(wrong("EXIT 0\n", signal => 9), 'exit 0', 'a signal');
is(wrong("EXIT 0\n", late => 1), 'exit 0', 'too late');
is(wrong("OUT a\n", out => "a\n", exit => 1), 'exit 0', 'a case that names no status wants 0');
is(wrong("EXIT 0\n", out => "x\n", err => "y\n"), 'OUT ERR', 'output of which nothing is said');
is(wrong("OUT a\nOUT b\n", out => "a\nb\n"), '', 'two lines');
is(wrong("OUT a\nOUT b\n", out => $_), 'OUT', 'not: ' . s/\n/;/gr) for "b\na\n", "a\nb", "a\nb\nc\n", "x\na\nb\n", "a\n", "a\n\nb\n", "a b\n", '';
is(wrong("OUT a.c\n", out => "abc\n"), 'OUT', 'a point is a point');
is(wrong("OUT a...c\n", out => "$_\n"), '', "a...c: $_") for 'ac', 'abbc', 'a...c';
is(wrong("OUT a...c\n", out => "$_\n"), 'OUT', 'a...c is not ' . s/\n/;/gr) for 'abcd', 'xac', "a\nc";
is(wrong("OUT a\nOUT ...\nOUT c\n", out => $_), '', 'lines between: ' . s/\n/;/gr) for "a\nc\n", "a\nb\nb\nc\n";
is(wrong("OUT a\nOUT ...\nOUT c\n", out => $_), 'OUT', 'not: ' . s/\n/;/gr) for "a\nb\n", "a\nc\nd\n", "a\nbc\n", "c\na\n";
is(wrong("OUT ...\n", out => "a\nb\n"), '', 'any lines');
is(wrong("OUT ...\n", out => "a\nb"), 'OUT', 'not one without its end');
is(wrong("OUT /a[^x]*c/\nOUT ...\n", out => "a\nc\n"), 'OUT', 'a regular expression sees its line alone');
is(wrong("OUT /^a\\d+\$/\nOUT b\n", out => "a12\nb\n"), '', 'a regular expression');
is(wrong("OUT /\\d/\nOUT b\n", out => "a12c\nb\n"), '', '... anywhere in the line');
is(wrong("OUT /^a\\d+\$/\nOUT b\n", out => $_), 'OUT', '... not: ' . s/\n/;/gr) for "a\n12\nb\n", "xa12\nb\n", "a12\n", "a\nb\n";

# ---- which commands need no shell

is_deeply([direct(q{A=b zedperl -e 'a "b"' "c d" e\ f '' <in >out -x})],
	[{ env => { A => 'b' }, stdin => 'in', stdout => 'out' }, 'zedperl', '-e', 'a "b"', 'c d', 'e f', '', '-x'], 'words as a shell reads them');
is_deeply([direct($_)], [], "needs a shell: $_") for q{zedperl "$x"}, q{zedperl a* b}, q{zedperl a | b}, q{zedperl a 2>b}, q{zedperl a 2>&1}, q{zedperl a; b},
	q{zedperl ~/a}, q{zedperl `a`}, q{zedperl "`a`"}, q{zedperl 'a}, q{cat a}, q{zedperl a &}, q{zedperl a>>b}, q{zedperl # a}, q{zedperl <"a b"}, q{};

# ---- as a test

sub tap {
	my ($text, %env) = @_;
	spew("$dir/x.test", $text);
	return zed_run({ env => \%env, memory => 0 }, $^X =~ m{/} ? $^X : "/usr/bin/$^X", '-It/lib', '-MRun::Cases', '-e', "run_cases('$dir/x.test')");
}
my $r = tap("NAME good\nRUN zedprint nosuch\nEXIT 2\nERR zedprint: nosuch: cannot open it...\nERR ...\nNAME bad\nRUN zedprint nosuch\nEXIT 3\nOUT x\nERR other\n");
is($r->{exit}, 3, 'a file of which three are wrong');
is(join(' ', $r->{out} =~ /^(?:not )?ok \d+ - \w+: \w+/mg), 'ok 1 - good: exit ok 2 - good: OUT ok 3 - good: ERR ok 4 - good: it '
	. 'not ok 5 - bad: exit not ok 6 - bad: OUT not ok 7 - bad: ERR ok 8 - bad: it', 'fails in those three');
like($r->{err}, qr{^# \Q$dir\E/x\.test:7: zedprint nosuch\n# EXIT 2, and 3 is wanted\n}m, '... with file and line, the command and both statuses');
like($r->{err}, qr{^# wanted:\n# ERR other\n# it is:\n# ERR zedprint: nosuch: cannot open it}m, '... and both texts, as they are written there');
is(tap("RUN echo x >left; echo a\nOUT a\n")->{exit}, 1, 'a file that a case leaves fails it');
is(tap("FILE in/\nFILE f\n\tx\nRUN $_; echo a\nOUT a\n")->{exit}, 1, "... so does: $_") for 'echo x >.left', 'echo x >in/left', 'echo yy >f';
is(tap("RUN false | echo a\nOUT a\n")->{exit}, 1, 'what fails before a pipe fails');
is(tap("RUN zedprint\nEXIT 0\nOUT a\n")->{exit}, 3, 'without a name too');
isnt(tap("RUN zedprint\nWANT x\n")->{exit}, 0, 'an error of the file fails');
$r = tap("NAME good\nRUN echo a\nOUT a\nNAME bad\nRUN echo b\nOUT c\n", CASES => 'good');
is("$r->{exit} " . (() = $r->{out} =~ /^ok/mg), '0 4', 'CASES=good runs that one');
is(tap("NAME good\nRUN echo a\nOUT a\nNAME bad\nRUN echo b\nOUT c\n", CASES => ':5 ')->{exit}, 1, 'CASES=:5 the one of line 5');

done_testing();
