# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses of tasks keep, made large by very many tasks.  Without it a trace in which each event is of another
# task keeps a processor busy for minutes.
#
# of: lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Waits.pm lib/Zed/Chain.pm scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Growth;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

grows('tasks that come and go', 3000, sub { my $pid = 1000 + $_[0]; ("0 5 new $pid", "0 5 switch 5 S $pid", "0 $pid switch $pid X 5") });
grows('tasks, each with a number of its own', 2500, sub { my $pid = 1000 + 2 * $_[0]; ("0 @{[$pid - 2]} waking $pid", "0 @{[$pid - 2]} switch @{[$pid - 2]} S $pid") });

done_testing;
