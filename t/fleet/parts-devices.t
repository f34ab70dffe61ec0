# SPDX-License-Identifier: GPL-2.0-or-later
#
# parts-devices: the analyses of devices and of memory, of parts of a trace (--map --part K/N): together they are the answer
# of the whole. Without it a request, or a piece of memory, that two parts share is in both or in none.
#
# of: scripts/block.pl scripts/kmem.pl scripts/power.pl scripts/net.pl scripts/page-faults.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::FleetParts;

my @ALL = qw(all_events i386_all amd64-all/a09_all_short);
my %OF = (
	block => [[qw(block amd64-kt2/a15_kt_misc amd64-full/a10_block)], []],
	kmem => [[qw(all_events amd64-all/a09_all_short amd64-kt2/a15_kt_misc)], [], ['--by', 'task']],
	power => [\@ALL, [], ['--by', 'cpu']],
	net => [[qw(amd64-all/a09_all_short i386/b09_all_short amd64-kt2/a15_kt_misc)], []],
	'page-faults' => [\@ALL, [], ['--by', 'pid']],
);
for my $analysis (small(1, undef) ? 'power' : sort keys %OF) {
	my ($names, @ways) = @{$OF{$analysis}};
	my @traces = recordings_of(@$names);
	for my $trace (small() ? $traces[0] : @traces) {
		parts_agree($analysis, $trace, @{$_ // []}) for $trace eq $traces[0] ? @ways : $ways[-1];
	}
}

# Each mistake that there was.
my %wrong = (
	block => ['Zed::Asked::tells_end() ? $unfinished // unfinished() : 0', '1', 't/data/block.dat', 'what is not finished at the end of a part'],
	power => ['Zed::Asked::is_window()) {', "Zed::Asked::is_timed()) {
	no warnings;
	*Zed::Asked::all = sub { (\$Zed::Asked::FROM, \$Zed::Asked::TO) };",
		't/data/i386_all.dat', 'what lies in the part before'],
);
for my $analysis (small(1, undef) ? () : sort keys %wrong) {
	my ($from, $to, $trace, $what) = @{$wrong{$analysis}};
	isnt(parts_differ(script_with($analysis, $from, $to), $trace, 3), undef, "$analysis, wrong: $what: seen");
}

done_testing();
