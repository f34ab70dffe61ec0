# SPDX-License-Identifier: GPL-2.0-or-later
#
# The names of functions that events call: each byte of an event's name as part of one, random scripts against a model of
# what may run.  (What a file may not reach: names.t.)
# of: interp/python/base/script_functions.c interp/python/py_bindings.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

my $field = field_text('u32 v', 8, 4);
my $seed = $ENV{SEED} // 20091127;
srand $seed;

# A trace with one event of each of these names; their values count from 1.
sub named {
	my (@names) = @_;
	my $n = 0;
	return trace(types => { map { $_ => $field } @names }, events => [map { [0, 1000 * ++$n, $_, pack 'L', $n] } @names]);
}

# Without it: an event with a dot, a dash or a digit in its name has no handler, or two of one name lose one.
{
	my @names = ('mini::a.b', 'mini::a-b', '9p::x', 'mi-ni::x', 'mini::9', 'mini::a__b', 'mini__a::b', "mini::\xc3\xa4");
	my $dat = named(@names);
	my $r = zedpython($dat, \("import zed\nzed.handlers('mini', '9p', 'mi-ni', 'mini__a')\n" . join '', map { "def $_(c, s, n, q, v): print('$_', v)\n" }
		qw(mini__a_b _9p__x mi_ni__x mini__9 mini__a__b mini____)));
	is($r->{out}, "mini__a_b 1\nmini__a_b 2\n_9p__x 3\nmi_ni__x 4\nmini__9 5\nmini__a__b 6\nmini__a__b 7\nmini____ 8\n", 'a byte that no name has is _, a digit gets one before it; of two with one name both come')
		or diag $r->{err};
}

# Without it: a name longer than the buffer calls the function of its beginning.
{
	my $long = 'e' x 240;
	my $r = zedpython(named("mini::$long", "mini::${long}e"), \"import zed\nzed.handlers('mini')\ndef mini__$long(c, s, n, q, v): print(v)\n");
	is($r->{out}, "1\n", 'a long name, and one that is a letter longer');
	for my $system ('', "a\0b") {
		like(zedpython(named('mini::x'), \("import zed\ntry: zed.handlers(" . ($system eq '' ? "''" : '"a\\0b"') . ")\nexcept ValueError as e: print('refused')\n"))->{out}, qr/\Arefused\n/, 'handlers() refuses what is no name');
	}
	is(zedpython(named('mini::x'), \"import zed\ntry: zed.handlers(5)\nexcept TypeError: print('refused')\n")->{out}, "refused\n", '... and a number');
}

# Random scripts: each name is bound in one of these ways.  [text with NAME, may an event call it?]
my %ways = (
	def => ["def NAME(*a): print('NAME')\n", 1],
	if => ["if True:\n    def NAME(*a): print('NAME')\n", 1],
	again => ["def NAME(*a): print('OLD')\ndef NAME(*a): print('NAME')\n", 1],
	global => ["def make_NAME():\n    global NAME\n    def NAME(*a): print('NAME')\nmake_NAME()\n", 1],
	lambda => ["NAME = lambda *a: print('NO')\n", 0],
	alias => ["def own(*a): print('NO')\nNAME = own\n", 0],
	print => ["NAME = print\n", 0],
	class => ["class NAME:\n    def __init__(self, *a): print('NO')\n", 0],
	method => ["class C:\n    def NAME(self, *a): print('NO')\nNAME = C().NAME\n", 0],
	partial => ["import functools\nNAME = functools.partial(print, 'NO')\n", 0],
	wrapped => ["import functools\n\@functools.lru_cache\ndef NAME(*a): print('NO')\n", 0],
	exec => ["exec(\"def NAME(*a): print('NO')\", globals())\n", 0],
	other => ["exec(compile(\"def NAME(*a): print('NO')\", 'other.py', 'exec'), globals())\n", 0],
	globals => ["import types\ndef NAME(*a): print('NO')\nNAME = types.FunctionType(NAME.__code__, {'print': print}, 'NAME')\n", 0],
	renamed => ["def own(*a): print('NO')\nown.__name__ = own.__qualname__ = 'NAME'\nNAME = own\n", 0],
	gone => ["def NAME(*a): print('NO')\ndel NAME\n", 0],
);
my @systems = ('sched', 'irq', 'mydrv', 'other', 'os', 'builtins', 'x-y');
my %declared = map { $_ => 1 } qw(mydrv x-y sched irq);
for my $turn (1 .. small(4, 40)) {
	my (%event, $text, @called);
	while (keys %event < 12) {
		my $system = $systems[rand @systems];
		$event{"${system}::" . join '', map { ('a' .. 'c', '_', 'x')[rand 5] } 0 .. rand 4} = $system;
	}
	my @events = sort keys %event;
	my %is; # name of a function => the way that it is bound in
	for my $event (@events) {
		(my $name = $event =~ s/::/__/r) =~ s/\W/_/g;
		$is{$name} //= (sort keys %ways)[rand keys %ways] if rand() < 0.8;
		push @called, $name if $is{$name} && $ways{$is{$name}}[1] && $declared{$event{$event}};
	}
	$text = join '', "import zed\nzed.handlers('mydrv', 'x-y')\n", map { $ways{$is{$_}}[0] =~ s/NAME/$_/gr } sort keys %is;
	my $r = zedpython(named(@events), \$text);
	is($r->{out}, join('', map { "$_\n" } @called), "turn $turn of seed $seed: exactly what may run runs") or diag $text, $r->{err};
}

done_testing();
