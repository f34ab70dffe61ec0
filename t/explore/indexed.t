# SPDX-License-Identifier: GPL-2.0-or-later
#
# The index that zedperl explore makes beside the page. Without it each zoom reads the whole trace; if its process fails,
# the page has to go on without.
# of: programs/zedperl/explore index
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Explore;
use Run::Process;
use Run::Program;

my $dat = 't/data/demo.dat';
my $s = explore($dat);
my $head;
ok(wait_until(60, sub { $head = get($s, 'head')->{json}; $head->{index}{ready} }), 'it is made while the page is there');
is($head->{index}{done}, 1, 'all of it');
my $lines = () = zed_run('zedprint', $dat)->{out} =~ /^\w+::/mg;
is($head->{events}, $lines, 'it has all events');
is_deeply([children($s->{pid})], [], 'and its process has ended');
my $fresh = zed_run('zedperl', 'explore', '--answer', 'events?from=0&to=100000000&count=50', $dat)->{out};
my @q = ('events', from => 0, to => 100_000_000, count => 50);
is_deeply(get($s, @q)->{json}, parsed("HTTP/1.1 200\r\nContent-Type: application/json\r\n\r\n$fresh")->{json}, 'answers are those without it');
is(explore_end($s), 0, 'the end');

# Its process is ended, whenever that is.
for my $try (1 .. 5) {
	$s = explore($dat);
	my @making = children($s->{pid});
	kill KILL => $_ for @making;
	wait_until(60, sub { !children($s->{pid}) });
	my $r = get($s, 'head');
	is($r->{status}, 200, "without an index the page goes on ($try)");
	is($r->{json}{index}{done}, $r->{json}{index}{ready} ? 1 : 0, '... and knows that none is made (else: it asks for ever)');
	is(explore_end($s), 0, '... to its end');
}
{
	$s = explore($dat);
	my @all = children($s->{pid});
	kill STOP => @all;
	is(explore_end($s), 0, 'the end while it is made');
	ok(wait_until(60, sub { !grep { -e "/proc/$_" } @all }), 'ends it, too');
}

done_testing();
