# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of t/lib/TextChanges.pm: what a newer libtraceevent prints comes back as 1.7.1's, and nothing else
# does, or on newer distributions a wrong text passes for a right one.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use TextChanges;

my $head = '          <idle>-0     [003]     7.008410: ';
sub switch { return "${head}sched_switch:         rcu_preempt:15 [120] $_[0] ==> swapper/3:0 [120]\n" }

is(text_as_171(switch('I'), '1.8.4'), switch('W'), 'idle was W');
is(text_as_171(switch('W'), '1.8.4'), switch('I'), 'and W is not let through as what 1.7.1 calls so');
is(text_as_171(switch($_), '1.8.4'), switch($_), "$_ is $_") for qw(R R+ S D T t P D|T);
is(text_as_171(switch('X'), '1.8.4'), switch('Z'), 'X was Z');
is(text_as_171(switch('Z'), '1.8.4'), switch('X'), 'Z was X');
is(text_as_171(switch('D|I'), '1.8.4'), switch('D|W'), 'one of two');
is(text_as_171(switch('I'), '1.7.1'), switch('I'), '1.7.1 itself: as it is');
is(text_as_171(switch('I'), '1.7.3'), switch('I'), 'as is 1.7.3');
is(text_as_171(switch('I') =~ s/sched_switch: /sched_wakeup: /r, '1.8.4'), switch('I') =~ s/sched_switch: /sched_wakeup: /r,
	'another event: as it is');

my $new = 'tpk_arrays:           raw=e4 f4 words={0x0,0xe4} longs={0xe400000000} str=even halves={0x5910} ints={} '
	. "quads={0x1122334455667788} sints={0xffffff1c} len=0\n";
my $old = 'tpk_arrays:           raw=e4 f4 words=0 228 longs=979252543488 str=even halves=22800 ints= '
	. "quads=1234605616436508552 sints=4294967068 len=0\n";
is(text_as_171($head . $new, '1.8.4'), $head . $old, 'arrays of numbers');
isnt(text_as_171($head . $old, '1.8.4'), $head . $old, 'and without their braces they are wrong');
is(text_as_171(switch('I') . $head . $new . switch('S'), '1.9.0'), switch('W') . $head . $old . switch('S'), 'in a text of several lines');

done_testing();
