# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Measured: the time and memory of a command, by t/bench/measure.c, for t/bench.
package Run::Measured;
use strict;
use warnings;
use Exporter 'import';
use Files;
use Run::Process;

our @EXPORT = qw(measured);

# Runs a command, its output to the file OUT: [CPU seconds, wall seconds, KiB, exit].
sub measured {
	my ($out, @cmd) = @_;
	my $figures = temp_dir() . '/measured';
	my ($status) = reap(spawn({ stdout => $out }, ($ENV{ZED_BUILD} // 'build/gcc') . '/t/bench/measure', $figures, @cmd));
	die "measure failed: @cmd\n" if $status;
	return [split ' ', slurp($figures)];
}

1;
