# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses of interrupts and functions keep, made large by traces in which nothing ends: interrupts, softirqs, functions.
# Without it a few KB of begins without ends keep a processor busy for minutes.
#
# of: lib/Zed/Frames.pm lib/Zed/Stacks.pm scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Growth;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

grows('interrupts that do not end, then ends of others', 5000, sub { '0 10 irq 5' }, sub { '0 10 irqx 6' });
grows('softirqs that do not end, in a task that is switched', 5000, sub { '0 5 softirq 3' }, sub { ('0 5 switch 5 R 6', '0 6 switch 6 R 5') });
grows('functions of many depths, then losses', 2000, sub { "0 @{[1000 + $_[0]]} ret a $_[0] 1 2" }, sub { '0!-1 5 ret a 1 1 2' });

done_testing;
