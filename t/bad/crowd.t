# SPDX-License-Identifier: GPL-2.0-or-later
#
# Very many tasks in one packed trace, each seen once or twice: without it an answer with a row for each of 60,000 takes
# 440 MiB and more than 5 s.
#
# of: lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Table.pm lib/Zed/Grid.pm lib/Zed/Spread.pm lib/Zed/State.pm lib/Zed/Page.pm scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Growth;
use Run::Program qw(:DEFAULT spew);

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

# One task wakes the next and leaves the CPU to it.
my $TASKS = 60_000;
sub relay { my $pid = 1000 + $_[0]; my $last = $pid - 1; return ("0 $last waking $pid", "0 $last switch $last S $pid") }

my @commands = (
	['zedperl', $TRACE, 'sched-summary', '--html', $FILE],
	['zedperl', $TRACE, 'sched-summary', '--by', 'pid', '--json'],
	['zedperl', '--map', $TRACE, 'sched-summary'],
	['zedperl', '--reduce', 'sched-summary', $STATE],
	['zedperl', $TRACE, 'off-cpu', '--every', '40ms'],
	['zedperl', $TRACE, 'off-cpu', '--html', $FILE],
	['zedperl', $TRACE, 'who-wakes-whom', '--limit', 0],
);
fits("$TASKS tasks", lines_of($TASKS, \&relay), $commands[0], small() ? () : @commands[1 .. $#commands]);

# With that many rows a state is written and merged piece by piece.
if (!small()) {
	my $path = lines_of(300, \&relay);
	my $state = spew(zed_tmp() . '/state', zed_run('zedperl', '--map', $path, 'sched-summary', '--by', 'pid')->{out});
	my ($whole, $merged) = map { zed_run('zedperl', @$_, '--csv=tasks')->{out} }
		[$path, 'sched-summary', '--by', 'pid'], ['--reduce', 'sched-summary', $state, '--', '--by', 'pid'];
	is($whole =~ tr/\n//, 302, 'a row for each task, and the head');
	is($merged, $whole, 'its state gives the same rows (else: pieces are lost, or in the wrong place)');
}

done_testing;
