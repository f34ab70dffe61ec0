# SPDX-License-Identifier: GPL-2.0-or-later
#
# States that were edited, by hand or by a stranger: whatever stands in one, an analysis refuses it with its place, or has
# an answer.  Without it perl's own message ends a reduce of a thousand states, without a word on which of them.
# SEED=N chooses other changes, CASES=N as many.
#
# of: lib/Zed/State.pm lib/Zed/Spread.pm interp/Zed/Fleet.pm scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program qw(zed_run zed_tmp spew);
use Write::Miniature;

my $tmp = zed_tmp();
my $seed = $ENV{SEED} // 28;

# One of each kind of event that an analysis counts, so that every container of every state has something in it.
my $everything = miniature(join "\n", map { my $at = 3000 * $_; my $one = $_; map { $at++ . " $_" } grep { /\S/ } split /[|\n]/, <<'LINES' } 1 .. 3);
	0 5 waking 6 | 0 5 switch 5 R 6 | 0 6 kernel 81061000 81062000 | 0 6 user 400 500 | 0 6 switch 6 S 5 | 0 5 new 7 | 0 5 switch 5 D 7 | 0 7 waking 5 | 0 7 switch 7 X 5 | 0 5 migrate 5 0 1
	0 5 irq 9 eth | 0 5 raise 3 | 0 5 irqx 9 | 0 5 softirq 3 | 0 5 waking 6 | 0 5 softirqx 3 | 0 5 switch 5 R+ 6 | 0 6 enter 1 | 0 6 exit 1 -2 | 0 6 enter 2 | 0 6 exit 2 -512 | 0 6 enter 3
	0 6 Q R 100+8 | 0 6 G R 100+8 | 0 6 I R 100+8 | 0 6 D R 100+8 | 0 6 C R 100+8 | 0 6 Q WS 200+16 | 0 6 G WS 200+16 | 0 6 M WS 216+8 | 0 6 D WS 200+24 | 0 6 C WS 200+24 | 0 6 X R 100 300
	0 6 kmalloc a 4096 60 64 | 0 6 kmalloc b 8192 60 64 | 0 6 kfree 4096 | 0 6 kmem_cache_alloc a 4096 60 64 | 0 6 page_alloc 77 1 | 0 6 page_free 77 1 | 0 6 page_alloc 78 0 | 0 6 kmalloc b 0 60 64
	0 6 fault_user 400 6 | 0 6 fault_kernel a 2 | 0 6 packet 4096 60 e1 | 0 6 start_xmit 4096 60 e1 | 0 6 xmit 4096 60 e1 | 0 6 xmit 4097 60 e1 16 | 0 6 receive 9 60 e1 | 0 6 napi e1 5 64 | 0 6 drop 9 a 2
	0 6 queue_work f | 0 6 activate f | 0 900 execute_start f | 0 900 execute_end f | 0 6 hrtimer h 10 | 0 6 expire h 12 | 0 6 expirex h | 0 6 wheel_start w 5 1 | 0 6 wheel w 6 | 0 6 wheelx w | 0 6 hrtimer k 90000
	0 6 call a 0 | 0 6 call b 1 | 0 6 ret b 1 1 2 | 0 6 ret a 0 0 3 | 0 0 idle 2 0 | 0 0 idle -1 0 | 0 6 khz 1000 0 | 0 6 khz 2000 0 | 0!7 6 kfree 1 | 0 6 switch 6 R 5 | 0 5 waking 6 | 0 5 switch 5 S 6
LINES

my %own = (stacks => ['t/data/stack.dat'], 'off-cpu' => ['t/data/stack.dat', $everything], 'ltt-schedule' => []);
my @analyses = grep { !/^(?:assert|compare|report|top|printall|metrics)\z/ } map { m{([^/]+)\.pl\z} } glob 'scripts/*.pl';
my @states;
for my $name (@analyses) {
	for my $trace (@{$own{$name} // [$everything]}) {
		my $out = zed_run('zedperl', '--map', $trace, $name)->{out};
		my ($body) = $out =~ /\{"sum":"[0-9a-f]{16}",(.*)\}\n\z/s or fail("no state of $name");
		push @states, "$name\t$body\n";
	}
}
cmp_ok(scalar @states, '>', 18, 'there are states');

# A script that only tries the changed ones, given a state of its own.
my $script = 't/lib/Mutate/states.pl';
my %env = (MUTATE_STATES => spew("$tmp/states", join '', @states), MUTATE_DIR => $tmp, MUTATE_SEED => $seed, MUTATE_CASES => 0);
my $none = spew("$tmp/none", zed_run({ env => \%env }, 'zedperl', '--map', 't/data/demo.dat', $script)->{out} =~ s/.*(?=^zed-state-1)//msr);
my $r = zed_run({ env => { %env, MUTATE_CASES => $ENV{CASES} // small(66, 330) }, time => 300 }, 'zedperl', '--reduce', $script, $none);
my ($answered, $refused) = (0, 0);
my $bad = $r->{out} =~ s/^answered (\d+), refused (\d+)\n/$answered += $1; $refused += $2; ''/gmer;
is($r->{exit}, 0, 'all were tried');
is($bad, '', "seed $seed: each is refused, or has an answer") or diag $r->{err};
cmp_ok($answered, '>', 5, 'some have an answer') or diag $r->{err};
cmp_ok($refused, '>', 5, 'some are refused');

done_testing();
