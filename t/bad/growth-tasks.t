# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses of tasks keep, made large by traces in which nothing ends: waits, tasks and losses.
# Without it a few KB of begins without ends keep a processor busy for minutes.
#
# of: lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Waits.pm lib/Zed/Chain.pm scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Growth;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

grows('losses while many tasks wait', 2000, sub { "0 77 waking @{[1000 + $_[0]]}" }, sub { '0!-1 77 waking 1000' });
grows('waits, each longer than those before', 2000, sub { "0 5 waking @{[20_000 - $_[0]]}" },
	sub { ('0 5 switch 5 R 6', '0 6 switch 6 R 5') },
	sub { my $pid = 10_000 + $_[0]; ("0 5 switch 5 R $pid", "0 $pid switch $pid S 5") });

done_testing;
