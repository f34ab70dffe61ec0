# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses keep, made large by traces that nothing ends in: without it a few KB of begins without ends, of
# losses or of switches keep a processor busy for minutes.
#
# of: lib/Zed scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Growth;
use Write::Miniature;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

# A trace of lines, each of which a piece of code makes of 1 to N, at a time and, unless it says so, on CPU 0.
sub lines_of {
	my ($n, @code) = @_;
	my $us = 0;
	my @lines;
	for my $code (@code) {
		push @lines, map { ++$us . " $_" } $code->($_) for 1 .. $n;
	}
	return miniature(join("\n", @lines), version => 7, compression => 'zlib');
}

sub by { return map { ['zedperl', $TRACE, $_] } @_ }

grows_at_most_nlogn('interrupts that do not end, then ends of others', sub {
	return lines_of($_[0], sub { '0 10 irq 5' }, sub { '0 10 irqx 6' });
}, 5000, by(qw(irq softirq why-late)));

grows_at_most_nlogn('softirqs that do not end in a task that is switched', sub {
	return lines_of($_[0], sub { '0 5 softirq 3' }, sub { ('0 5 switch 5 R 6', '0 6 switch 6 R 5') });
}, 5000, by(qw(irq softirq why-late)));

grows_at_most_nlogn('losses while many tasks wait', sub {
	return lines_of($_[0], sub { "0 77 waking @{[1000 + $_[0]]}" }, sub { '0!-1 77 waking 1000' });
}, 2000, by(qw(wakeup-latency sched-summary off-cpu who-wakes-whom why-late)));

done_testing;
