# SPDX-License-Identifier: GPL-2.0-or-later
#
# parts-kernel: the analyses of interrupts and of the work that the kernel defers, of parts of a trace (--map --part K/N):
# together they are the answer of the whole. Without it the worst second ends where a part does.
#
# of: scripts/irq.pl scripts/softirq.pl scripts/timers.pl scripts/workqueue.pl scripts/function-graph.pl scripts/lost.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::FleetParts;

my %OF = (
	irq => [[qw(armhf_zstd armhf_lost be_lost)], [], ['--by', 'cpu']],
	softirq => [[qw(armhf_zstd lost small_v6)], ['--by', 'cpu']],
	timers => [[qw(lost armhf_zstd small_v6)], []],
	workqueue => [[qw(small_v6 armhf_zstd i386_zstd)], [], ['--by', 'worker']],
	'function-graph' => [[qw(fgraph amd64-ftrace/a06_fgraph)], [], ['--wall']],
	lost => [[qw(lost armhf_lost be_lost)], []],
);
for my $analysis (small(1, undef) ? 'irq' : sort keys %OF) {
	my ($names, @ways) = @{$OF{$analysis}};
	my @traces = recordings_of(@$names);
	for my $trace (small() ? $traces[0] : @traces) {
		parts_agree($analysis, $trace, @{$_ // []}) for $trace eq $traces[0] ? @ways : $ways[-1];
	}
}

# Each mistake that there was.
my %wrong = (
	irq => ["Zed::Asked::is_part() ? (earlier => \\&earlier) : ()", '', 't/data/armhf_lost.dat', 'a second that two parts share'],
	workqueue => ['!Zed::Asked::tells_end() ? (0, 0) : ', '', 't/data/i386_zstd.dat', 'what waits at the end of a part'],
	lost => ['&& !Zed::Asked::is_part()', '', 't/data/armhf_lost.dat', 'the time of a CPU that lost nothing in a part'],
	timers => ['if (Zed::Asked::is_part()) {', 'if (0) {', 't/data/lost.dat', 'the speed of the clocks by parts'],
);
for my $analysis (small(1, undef) ? 'irq' : sort keys %wrong) {
	my ($from, $to, $trace, $what) = @{$wrong{$analysis}};
	isnt(parts_differ(script_with($analysis, $from, $to), $trace, 3), undef, "$analysis, wrong: $what: seen");
}

done_testing();
