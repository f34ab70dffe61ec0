# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a page's flame graph is made of: its tree, the frames that are drawn, what a search finds; in node, on stacks whose
# shares are known.  Without it a frame has another's width, or a search counts a function twice that calls itself.
#
# of: page/flame.js
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::PageCode;

my $code = Run::PageCode->new('flame.js') or plan skip_all => Run::PageCode::why_not();
sub js { return $code->ask($_[0]) }

my $deep = join ';', 'main', map { "d$_" } 1 .. 60;
my $picture = JSON::PP->new->encode({ unit => 'events', rest => { n => 2, weight => 500 },
	stacks => [['main;a;b', 600], ['main;a', 300], ['main;c', 500], ['main;b;a;b', 95], [$deep, 5]] });
my $tree = "zed.flame_tree($picture)";

is_deeply(js("$tree.children.map(c => [c.data.name, c.value, !!c.data.rest])"), [['main', 1500, JSON::PP::false()], ['(2 other stacks)', 500, JSON::PP::true()]],
	'stacks become a tree; what there was no room for is no function');
is_deeply(js("$tree.children[0].children.map(c => [c.data.name, c.value])"), [['a', 900], ['c', 500], ['b', 95], ['d1', 5]], '... the widest first');

my $frames = sub { return js("zed.flame_frames($_[0], $_[1]).map(f => [f.d.data.name, +(f.x * $_[1]).toFixed(3), +(f.w * $_[1]).toFixed(3), f.depth])") };
is_deeply($frames->($tree, 200), [['all', 0, 200, 0], ['main', 0, 150, 1], ['a', 0, 90, 2], ['b', 0, 60, 3], ['c', 90, 50, 2],
	['b', 140, 9.5, 2], ['a', 140, 9.5, 3], ['b', 140, 9.5, 4], ['(2 other stacks)', 150, 50, 1]],
	'a frame is as wide as its share; one of less than a pixel is not drawn (else: a single sample makes the picture high)');
is(js("d3.max(zed.flame_frames($tree, 401), f => f.depth)"), 61, '... of a pixel, it is, with all that it calls');
is_deeply([map { "$_->[0] $_->[2]" } @{$frames->("$tree.children[0].children[2]", 200)}], ['all 200', 'main 200', 'b 200', 'a 200', 'b 200'], 'a frame as wide as all, and those around it');

my $found = sub { return js("zed.flame_found($tree, " . JSON::PP->new->encode([@_]) . ')') };
is($found->('b'), 695, 'a search finds what is below a name, once where it calls itself');
is($found->('a', 'm'), 1500, '... with all words');
is($found->('other'), 0, '... not the stacks that are no function');
is($found->('all'), 0, '... nor all');

done_testing;
