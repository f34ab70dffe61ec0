# SPDX-License-Identifier: GPL-2.0-or-later
#
# waits, off-cpu: a recording that lost records of some CPUs, beside the same with all of them: what they say of it was so, or
# they say that it may not be.  Without it a wait across a gap, which was two or none, looks like any other.
#
# of: scripts/waits.pl scripts/off-cpu.pl lib/Zed/Gaps.pm lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Waits.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::DatRead;
use Compare::LossyPair;
use Pass;
use Run::Zedperl;
use Write::PerfOfDat qw(formats records);

my $d = Compare::DatRead::dat_read('docs/shell.dat');
my %types = map { ("$_->[1]::$_->[2]" => $_->[3]) } grep { $_->[1] eq 'sched' } formats($d);
my %is = map { /^ID: (\d+)$/m ? ($1 => 1) : () } values %types;
my @all = grep { $is{$_->[2]} } records($d);

# The records, but for those of CPU that are number FROM up to TO of it, which [CPU, FROM, TO] say: the next tells how many.
sub without {
	my (@gaps) = @_;
	my (@kept, %seen, %lost);
	for (@all) {
		my ($ts, $cpu, $id, $bytes) = @$_;
		my $at = $seen{$cpu}++;
		$lost{$cpu}++, next if grep { $_->[0] == $cpu && $at >= $_->[1] && $at < $_->[2] } @gaps;
		push @kept, [$cpu, $ts, $id, substr($bytes, 8), delete $lost{$cpu}, undef, unpack('x4 l<', $bytes), unpack 'x2 C', $bytes];
	}
	return trace(types => \%types, events => \@kept, cpus => 4);
}

my $whole = without();
srand($ENV{SEED} // 28);
for my $turn (1 .. (small(2, 8))) {
	# Half of them have lost what was before, as a buffer that is written over.
	my @gaps = map { my $cpu = $_; my $at = 0; map { my $from = $at + int rand 60; $at = $from + 1 + int rand 60; [$cpu, $from, $at] } 1 .. 1 + rand 4 } 0 .. 3;
	push @gaps, map { [$_, 0, 20 + int rand 60] } 0 .. 3 if $turn % 2;
	lossy_agrees("$turn", $whole, without(@gaps));
}

done_testing();
