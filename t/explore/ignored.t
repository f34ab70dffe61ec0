# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl explore that is started where ended children are ignored (SIGCHLD), as some services start programs, or where
# the end of the terminal is (nohup). Without it it ends at once, without a word, or with the terminal.
# of: programs/zedperl/explore/explore.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Explore;
use Run::Process;
use Run::Program qw(zed_bin);

local $SIG{CHLD} = 'IGNORE';
my $s = explore('t/data/demo.dat');
$SIG{CHLD} = 'DEFAULT';
is(get($s, 'answer', name => 'waits')->{json}{exit}, 0, 'an answer where ended children were ignored (else: it ends, or knows no status)');
is(explore_end($s), 0, 'the end');

{
	my $out = temp_dir() . '/address';
	my $pid = spawn({ stdout => $out }, $^X, '-e', '$SIG{HUP} = "IGNORE"; exec @ARGV', zed_bin('zedperl'), 'explore', '--no-open', 't/data/demo.dat');
	my %by;
	ok(wait_until(60, sub { @by{qw(port token)} = slurp($out) =~ m{:(\d+)/(\w+)/$}m if -e $out; $by{token} }), 'after nohup');
	kill HUP => $pid;
	is(get(\%by, 'alive')->{status}, 200, '... it outlives its terminal') for 1 .. 2;
	kill INT => $pid;
	my ($status, $late) = reap($pid, 60);
	is(how_it_ended($status), 0, '... to its end');
}
$s = explore('t/data/demo.dat');
is(explore_end($s, 'HUP'), 0, 'else it ends with it');

done_testing();
