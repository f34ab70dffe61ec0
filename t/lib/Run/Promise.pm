# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Promise: the promises of SECURITY.md for an input below 1 MB, as limits for zed_run: 256 MiB of memory, besides
# that of a program at its start, and 5 s of CPU.
#
#	my $r = zed_run({ memory => promised_memory('zedperl'), cpu => $SECONDS }, 'zedperl', $trace, 'irq');
package Run::Promise;
use strict;
use warnings;
use Exporter 'import';
use Run::Program;
use Write::Dat;

our @EXPORT = qw(promised_memory $SECONDS $LARGEST);
our $SECONDS = 5;
our $LARGEST = 1_000_000;	# bytes of an input

my $MEMORY = 256 << 10;		# KiB

# The address space that PROGRAM may need, in KiB: the base is measured with a small file.
my %base;
sub promised_memory {
	my ($program) = @_;
	return $MEMORY + ($base{$program} //= do {
		my $small = Write::Dat->new->write(zed_tmp() . '/small.dat');
		my @args = $program eq 'zedperl' ? ('-e', 'sub mini::said { open my $f, "<", "/proc/self/status"; print <$f> }')
			: $program eq 'zedprint' ? ('-f', 'report') : ();
		my $r = zed_run($program, @args, $program eq 'zedtrace' ? '--version' : $small);
		unlink $small;
		# Plugins and perl's modules are loaded by then; only Linux's /proc has this line.
		($r->{out} =~ /VmPeak:\s+(\d+)/)[0] // 60_000;
	});
}

1;
