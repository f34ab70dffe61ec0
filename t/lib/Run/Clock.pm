# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Clock: a clock that a test sets, for programs with idle limits, by t/lib/c/clock_shim.c, so that tests need not
# wait.
#
#	my $clock = clock_new();
#	my $s = server({ clock => $clock }, '--idle', 60);	# or: zed_run({ env => clock_env($clock) }, ...)
#	clock_forward($clock, 70);
package Run::Clock;
use strict;
use warnings;
use Exporter 'import';
use File::Spec ();
use Files;

our @EXPORT = qw(clock_new clock_env clock_forward);

my $serial = 0;

# A new clock; it runs as the kernel's does, and starts at the same time.
sub clock_new {
	my $clock = { path => temp_dir() . '/clock' . ++$serial, ahead => 0 };
	spew($clock->{path}, pack 'q', 0);
	chmod 0644, $clock->{path};
	return $clock;
}

# The environment of a program that has this clock.
sub clock_env {
	my ($clock) = @_;
	my $shim = File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/clock_shim.so');
	-e $shim or die "$shim is not there: make check builds it\n";
	# The sanitizer's library does not have to be the first one.
	return { LD_PRELOAD => $shim, ZED_CLOCK => $clock->{path},
		ASAN_OPTIONS => join ':', $ENV{ASAN_OPTIONS} // (), 'verify_asan_link_order=0' };
}

# Advance it by so many seconds.
sub clock_forward {
	my ($clock, $seconds) = @_;
	$clock->{ahead} += int 1e9 * $seconds;
	# In place: programs have it mapped.
	open my $fh, '+<:raw', $clock->{path} or die "$clock->{path}: $!\n";
	syswrite $fh, pack 'q', $clock->{ahead};
	close $fh or die "$clock->{path}: $!\n";
	return;
}

1;
