# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON is valid, whatever a trace says: as t/bad/json.t, on damaged recordings and on files with hostile names everywhere.
# Without it a number that is infinite breaks whoever reads the answer.
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
use Write::Dat;

my $dir = zed_tmp();
my $seed = $ENV{SEED} // 28;
srand $seed;
diag "SEED=$seed" if $ENV{SEED};

my @analyses = json_analyses();
cmp_ok(scalar @analyses, '>', 15, 'there are analyses');

my @seeds = qw(demo.dat stack.dat block.dat workqueue.dat fgraph.dat lost.dat syscall_fields.dat);
@seeds = grep { -e "t/data/$_" } @seeds;

# ---- damaged at random places behind the head

for my $turn (1 .. small(2, 30)) {
	my $file = $seeds[rand @seeds];
	my $bytes = slurp("t/data/$file");
	substr($bytes, int(length($bytes) * (0.3 + rand 0.7)), 1) = chr int rand 256 for 1 .. 1 + int rand 20;
	is_valid(spew("$dir/damaged.dat", $bytes), "$file, damage $turn", map { $analyses[rand @analyses] } 1 .. 3);
}

# ---- names everywhere in a file of one's own

for my $name (@HOSTILE[0 .. small(2, $#HOSTILE)]) {
	my $line = $name =~ s/[\n\x00 ]//gr;
	my $d = Write::Dat->new(cpus => 1, comm => "t$line", uname => "Linux $line", clock => 'local', instances => ["in$line"],
		kallsyms => "c0001000 T f$line\n")->write("$dir/own.dat");
	is_valid($d, 'names of a file: ' . unpack('H*', $name), map { $analyses[rand @analyses] } 1 .. 3);
}
cmp_ok(answers(), '>', small(2, 60), 'answers were looked at (else: nothing is tested)');

done_testing();
