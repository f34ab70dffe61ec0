# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl explore that is started where ended children are ignored (SIGCHLD), as some services start programs. Without it
# it ends at once, without a word.
# of: programs/zedperl/explore/explore.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Explore;

local $SIG{CHLD} = 'IGNORE';
my $s = explore('t/data/demo.dat');
$SIG{CHLD} = 'DEFAULT';
is(get($s, 'answer', name => 'waits')->{json}{exit}, 0, 'an answer where ended children were ignored (else: it ends, or knows no status)');
is(explore_end($s), 0, 'the end');

done_testing();
