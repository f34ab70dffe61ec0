# SPDX-License-Identifier: GPL-2.0-or-later
#
# explore's list of events against the lines that zedprint prints, for random windows of the recordings: rows, their
# number, pages of them, names of events and expressions as a filter. Without it the list shows other events than the
# command line for the same window. Seeded; SEED=N.
#
# of: programs/zedperl/explore text/field_text.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Views;

my $WINDOWS = small(3, 20);
my $ROWS = 300;

sub in_window {
	my ($base, $from, $to, @events) = @_;
	return grep { $_->{ts} - $base >= $from && $_->{ts} - $base <= $to } @events;
}

sub line {
	my ($row, $at, $e) = @_;
	return join ' | ', $row, $at, map { $_ // '-' } @$e{qw(cpu pid comm instance name text)};
}

# Where the answer differs from EVENTS, those of the window that pass FILTER.
sub answer_differs {
	my ($path, $window, $filter, $base, @events) = @_;
	my $first = @events && rand > 0.5 ? int rand @events : 0;
	my $data = view($path, 'events', from => $window->[0], to => $window->[1], first => $first, count => $ROWS, length $filter ? (filter => $filter) : ());
	my $last = $first + $ROWS - 1;
	my @want = map { line($_, $events[$_]{ts} - $base, $events[$_]) } $first .. ($last < $#events ? $last : $#events);
	my @got = map { line(@$_{qw(row at)}, $_) } @{$data->{rows}};
	my $total = $data->{total} // 'too many';
	return join "\n", grep { length } differ(\@got, \@want), $total ne @events && $total ne 'too many' ? "total $total, want " . @events : '';
}

for my $path (view_recordings(small(3, 10))) {
	my @all = printed($path);
	my ($base) = sort { $a <=> $b } map { $_->{ts} } @all;
	my %n;
	$n{$_->{name}}++ for @all;
	my ($most, $next) = sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n;
	my ($pid) = map { $_->{pid} } grep { $_->{pid} } @all;
	my $expression = "*: common_pid == " . ($pid // 0);
	my @passed = printed('-F', $expression, $path);
	my @ways = (['', @all], [$next // $most, grep { $_->{name} eq ($next // $most) } @all], [$expression, @passed]);
	my @bad;

	for my $window (windows($WINDOWS, 5000, $base, map { $_->{ts} } @all)) {
		my ($filter, @of) = @{$ways[0]};
		my $differ = answer_differs($path, $window, $filter, $base, in_window($base, @$window, @of));
		push @bad, "@$window '$filter': $differ" if length $differ;
		push @ways, shift @ways;
	}
	is(join("\n", @bad[0 .. ($#bad < 2 ? $#bad : 2)]), '', "$path: rows are zedprint's lines (else the list shows other events)");
}

my $demo = 't/data/demo.dat';
my $row = view($demo, 'events', count => 1, fields => 1, filter => 'sched:sched_switch')->{rows}[0];
my $text = join ', ', map { "$_->[0] = $_->[1]" } @{$row->{fields}};
is($text, $row->{text}, 'fields are those of the line (else a click shows other values)');

my $wrong = view($demo, 'events', filter => 'sched:sched_switch: prev_pidd == 1');
is($wrong->{error}{at}, index('sched:sched_switch: prev_pidd', 'prev_pidd'), 'an unknown field is an error at its place (else the filter box cannot show where)');
like($wrong->{error}{text}, qr/prev_pidd/, '... that names it');
is_deeply($wrong->{rows}, [], '... without rows');
like(view($demo, 'events', filter => 'sched:sched_swich')->{error}{text}, qr/sched_switch/, 'an unknown event is an error with the nearest one');
is(view($demo, 'events', from => 100_000_000_000_000_000, to => 100_000_000_000_000_000 + 5)->{total}, 0, 'a window after the trace has no events (else it is an error)');

done_testing();
