# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf::Trace::Util for scripts that were written for perf script: sums with times.  zedperl has this in itself; no
# file of this name is read.
package Perf::Trace::Util;
use strict;
use warnings;
use Exporter 'import';

our $VERSION = '0.01';
our @EXPORT = qw(avg nsecs nsecs_secs nsecs_nsecs nsecs_usecs nsecs_str print_nsecs clear_term);
our @EXPORT_OK;
our %EXPORT_TAGS = (all => []);

use constant NSECS => 1_000_000_000;

sub avg {
	my ($total, $n) = @_;
	return $total / $n;
}

sub nsecs {
	my ($secs, $nsecs) = @_;
	return $secs * NSECS + $nsecs;
}

# Whole seconds.
sub nsecs_secs {
	my ($nsecs) = @_;
	return ($nsecs - $nsecs % NSECS) / NSECS;
}

sub nsecs_nsecs {
	my ($nsecs) = @_;
	return $nsecs % NSECS;
}

# The part below a second, in whole microseconds.
sub nsecs_usecs {
	my ($nsecs) = @_;
	return int(nsecs_nsecs($nsecs) / 1000);
}

sub nsecs_str {
	my ($nsecs) = @_;
	return sprintf '%5u.%09u', nsecs_secs($nsecs), nsecs_nsecs($nsecs);
}

sub print_nsecs {
	my ($nsecs) = @_;
	print nsecs_str($nsecs);
	return;
}

sub clear_term {
	print "\x1b[H\x1b[2J";
	return;
}

1;
