# SPDX-License-Identifier: GPL-2.0-or-later
#
# explore's search, forwards and backwards from random places, against a search in zedprint's lines. Without it next and
# previous skip events, or find the same one for ever. Seeded; SEED=N.
#
# of: programs/zedperl/explore/find.c programs/zedperl/explore/event_match.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Views;

my $SEARCHES = small(2, 5);
my $STEPS = 3;

# The events of ALL that match, each with its number among those of its time.
sub matching {
	my ($matches, $base, @all) = @_;
	my (@found, %n);
	for my $e (grep { $matches->($_) } @all) {
		my $at = $e->{ts} - $base;
		push @found, { %$e, at => $at, nth => $n{$at}++ };
	}
	return @found;
}

sub said { my ($e) = @_; return $e ? join ' | ', map { $_ // '-' } @$e{qw(at nth cpu pid name text)} : 'none' }

# Steps from AT in DIR through FOUND, which is in order.
sub steps_differ {
	my ($path, $what, $at, $dir, @found) = @_;
	my @way = $dir > 0 ? @found : reverse @found;
	my @row;
	@way = grep { $dir > 0 ? $_->{at} >= $at : $_->{at} <= $at } @way;
	for (1 .. $STEPS) {
		my $want = shift @way;
		my $row = view($path, 'find', what => $what, at => $at, dir => $dir, @row)->{row};
		my $got = $row && { %$row, nth => $row->{row} };
		return "'$what' from $at @row, $dir: " . said($got) . "\n\twant " . said($want) if said($got) ne said($want);
		last if !$row;
		($at, @row) = ($row->{at}, row => $row->{row});
	}
	return;
}

for my $path (view_recordings(small(3, 10))) {
	my @all = printed($path);
	my ($base, @times) = sort { $a <=> $b } map { $_->{ts} } @all;
	my @bad;

	srand($ENV{SEED} // 32);
	for my $i (1 .. $SEARCHES) {
		my $e = $all[rand @all];
		my $at = $all[rand @all]{ts} - $base;
		my ($event) = $e->{name} =~ /:(.*)/;
		my $part = substr $event, 1, 6;
		my @ways = (
			[$e->{pid}, sub { ($_[0]{pid} // -1) == $e->{pid} }],
			[uc $part, sub { "$_[0]{name}\0$_[0]{comm}" =~ /\Q$part\E/i }],
			[$e->{comm}, sub { "$_[0]{name}\0$_[0]{comm}" =~ /\Q$e->{comm}\E/i }],
			["*:$event", sub { $_[0]{name} =~ /:\Q$event\E\z/i }],
		);
		my @sound = grep { defined $_->[0] && $_->[0] =~ /^[ -~]+\z/ } @ways;
		my ($what, $matches) = @{$sound[$i % @sound]};
		my @found = matching($matches, $base, @all);
		push @bad, map { steps_differ($path, $what, $at, $_, @found) } 1, -1;
	}
	is(join("\n", @bad[0 .. ($#bad < 2 ? $#bad : 2)]), '', "$path: found as in zedprint's lines (else next skips events)");
}

my $demo = 't/data/demo.dat';
my ($first) = printed('-F', 'sched:sched_switch: prev_prio < 120', $demo);
my ($base) = sort { $a <=> $b } map { $_->{ts} } printed($demo);
my $row = view($demo, 'find', what => 'sched:sched_switch: prev_prio < 120', at => 0)->{row};
is($row && $row->{at}, $first && $first->{ts} - $base, 'an expression is searched for as with -F');
my $wrong = view($demo, 'find', what => 'sched: nosuchfield == 1', at => 0);
like($wrong->{error}{text}, qr/nosuchfield/, 'an expression with an error is told (else it looks as if there was nothing)');
is(view($demo, 'find', what => 'no such thing', at => 0)->{row}, undef, 'nothing found is no error');

done_testing();
