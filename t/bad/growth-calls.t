# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses of calls and stacks keep, made large by calls that do not end and stacks that are all different.
# Without it a few KB keep a processor busy for minutes.
#
# of: lib/Zed/Frames.pm lib/Zed/Stacks.pm scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Growth;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

grows('calls that are being restarted', 3000, sub { my $pid = 1000 + $_[0]; ("0 $pid enter 7", "0 $pid exit 7 -512") });
grows('calls that never end', 3000, sub { "0 @{[1000 + $_[0]]} enter 7" }, sub { "0 @{[20_000 + $_[0]]} exit 7 0" });
grows('a stack of its own for each event', 2000, sub { my $n = $_[0];
	("0 $n switch $n S @{[$n + 1]}", "0 @{[$n + 1]} kernel " . join ' ', map { sprintf '%x', 0xffff_0000 + 4096 * $n + $_ } 1 .. 8) });

# Calls that fail, each with a number of its own (else: a row for each takes 350 MiB).
fits('60,000 numbers of calls', lines_of(60_000, sub { ("0 5 enter $_[0]", "0 5 exit $_[0] -11") }), map { ['zedperl', $TRACE, 'syscalls', @$_] } ['--json'],
	small() ? () : (['--by', 'pid'], ['--html', $FILE]));

done_testing;
