# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of `zedperl explore` of traces with one CPU, with 64, with losses, without the scheduler's events, without any.
# Without it such a trace has an empty page, or one that is cut off.
#
# of: page/explore programs/zedperl/explore
# runs: make check
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Explore;
use Run::ExplorePage;
use Run::Program qw(slurp spew zed_tmp);
use Run::Zedperl;
use Write::Miniature;
my $browser = explore_browser();
zed_tmp();
my $look = slurp('t/lib/Run/PageLook.js');

# Traces of every shape: each width, light and dark, with each tab.
my $wakes = join ' | ', map { my $t = 100 * $_; ($t . ' 0 0 waking 20', $t + 2 + $_ % 7 . ' 0 0 switch 0 R 20', $t + 40 . ' 0 20 switch 20 S 0') } 1 .. 60;
my $many = join ' | ', map { my ($t, $c) = (100 * $_, $_ % 64); ("$t $c 0 switch 0 R " . (100 + $c), $t + 5000 . " $c " . (100 + $c) . ' switch ' . (100 + $c) . ' S 0') } 1 .. 640;
my %shapes = (
	'one CPU' => miniature($wakes),
	'64 CPUs' => miniature(join ' | ', sort { ($a =~ /^(\d+)/)[0] <=> ($b =~ /^(\d+)/)[0] } split / \| /, $many),
	'losses' => miniature('100 0 0 switch 0 R 20 | 200 0 20 switch 20 S 0 | 300 0!7 0 switch 0 R 20 | 900 0 20 switch 20 S 0'),
	'no scheduler events' => 't/data/fgraph.dat',
);
for my $shape (sort keys %shapes) {
	my $s = explore($shapes{$shape});
	for my $width (1280, 400) {
		my $p = $browser->open(address($s), width => $width, dark => $width == 400);
		is_deeply($p->{complaints}, [], "$shape, $width pixels: the console is silent");
		await_true('!document.querySelector("#panel[aria-busy]") && document.getElementById("panel").children.length');
		is_deeply(ask($look), [], '... nothing is cut or covered');
		ask("zed.set({ tab: 'events' })");
		ok(await_true('zed.listed && zed.listed.known'), '... its events are listed');
		is_deeply(ask($look), [], '... and fit');
	}
	if ($shape eq 'losses') {
		ok(await_true('[...zed.layers.others].some(t => t.losses.size)'), 'losses are in the lanes');
		like(ask('(l => zed.describe({ lane: zed.lanes.list[0], loss: l }))(zed.layers.others.find(t => t.losses.size).losses.get(0)[0])'), qr/^7 events lost on CPU 0\n/, '... with how many');
	}
	is_deeply([$browser->complaints], [], '... and the console stays silent');
	$browser->leave;
	explore_end($s);
}

# A trace without events has no page, and says so.
{
	my $s = explore('t/data/empty.dat');
	$browser->open(address($s));
	like(ask('document.getElementById("trouble").textContent'), qr/^The trace has no events\./, 'a trace without events is said to be one');
	ok(!ask('document.querySelector("main").checkVisibility()'), '... and no empty lanes are shown');
	$browser->leave;
	explore_end($s);
}
done_testing();
