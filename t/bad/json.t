# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON is valid, whatever names a trace has: zedprint -f json and --json of the analyses, on recordings whose tasks and
# devices are called otherwise.  Without it a task's name breaks whoever reads the answer.  Damaged ones: t/bad/json-damaged.t.
#
# of: sink/print lib/Zed scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Json;
use Run::Program qw(zed_tmp slurp spew);

my $dir = zed_tmp();
my $seed = $ENV{SEED} // 28;
srand $seed;
diag "SEED=$seed" if $ENV{SEED};

my @analyses = json_analyses();
cmp_ok(scalar @analyses, '>', 15, 'there are analyses');
ok(!is_json($_), "the check sees $_") for '{"a":Inf}', '{"a":nan}', "{\"a\":\"\xff\"}", '{"a":1,}', "\"\e\"";
ok(is_json('{"a":"\u001b","b":1e5}'), 'and lets JSON pass');

# ---- a real recording whose tasks, functions and devices are called otherwise

my @seeds = qw(demo.dat stack.dat block.dat workqueue.dat fgraph.dat lost.dat syscall_fields.dat);
@seeds = grep { -e "t/data/$_" } @seeds;
my @turn;
for my $file (@seeds[0 .. small(0, $#seeds)]) {
	for my $turn (1 .. small(1, 3)) {
		# Each by turns, with every recording at times.
		push @turn, @analyses if @turn < 8;
		my $bytes = slurp("t/data/$file");
		# Of the same length, as the records keep theirs: the names of tasks that are 16 bytes in a record, and in the list.
		my %called;
		$bytes =~ s{(?<=[\x00\n ])(sh|cat|sleep|find|sort|trace-cmd|rcu_preempt|ksoftirqd/\d|usleep|dd|fio)(?=[\x00\n])}
			{$called{$1} //= substr $HOSTILE[rand @HOSTILE] x 16, 0, length $1}ge;
		is_valid(spew("$dir/names.dat", $bytes), "$file, names of turn $turn", splice @turn, 0, small(3, 8));
	}
}
cmp_ok(answers(), '>', small(2, 100), 'answers were looked at (else: nothing is tested)');

done_testing();
