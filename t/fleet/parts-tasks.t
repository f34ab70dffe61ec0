# SPDX-License-Identifier: GPL-2.0-or-later
#
# parts-tasks: the analyses of tasks, of parts of a trace (--map --part K/N): together they are the answer of the whole. Without
# it a task that runs in two parts is two tasks, and what waits at the end of a part is told as waiting still.
#
# of: scripts/sched-summary.pl scripts/off-cpu.pl scripts/who-wakes-whom.pl scripts/why-late.pl scripts/syscalls.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::FleetParts;

my %OF = (
	'sched-summary' => [[qw(process lost armhf_lost_count amd64-rt/a13_rt_sched)], [], ['--by', 'pid']],
	'off-cpu' => [[qw(process lost rt amd64-rt/a13_rt_sched)], [], ['--by', 'pid']],
	'who-wakes-whom' => [[qw(demo lost rt)], ['--by', 'pid']],
	'why-late' => [[qw(demo lost rt)], ['--worst', 3]],
	syscalls => [[qw(demo armhf_lost i386_all)], [], ['--by', 'pid']],
);
for my $analysis (small(1, undef) ? 'sched-summary' : sort keys %OF) {
	my ($names, @ways) = @{$OF{$analysis}};
	my @traces = recordings_of(@$names);
	for my $trace (small() ? $traces[0] : @traces) {
		parts_agree($analysis, $trace, @{$_ // []}) for $trace eq $traces[0] ? @ways : $ways[-1];
	}
}

# Each mistake that there was.
my %wrong = (
	'sched-summary' => ['return fold_part(\%still) if $is_part;', '', 't/data/process.dat', 'a task is one in each part'],
	'off-cpu' => ['return $row->{tasks}++ if !Zed::Asked::is_part();', 'return $row->{tasks}++;', 't/data/process.dat', 'the same'],
	syscalls => [': (0, 0);', ': (1, 1);', 't/data/demo.dat', 'what is so at the end is said by each part'],
);
for my $analysis (small(1, undef) ? 'sched-summary' : sort keys %wrong) {
	my ($from, $to, $trace, $what) = @{$wrong{$analysis}};
	isnt(parts_differ(script_with($analysis, $from, $to), $trace, 3), undef, "$analysis, wrong: $what: seen");
}

done_testing();
