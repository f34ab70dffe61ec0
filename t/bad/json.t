# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON is valid, whatever a trace says: zedprint -f json and --json of all analyses, on traces with hostile names and on
# damaged ones.  Without it a task's name, or a number that is infinite, breaks whoever reads the answer.
#
# of: print lib/Zed scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program qw(zed_run zed_tmp slurp spew);
use Write::Dat;

my $dir = zed_tmp();
my $seed = $ENV{SEED} // 28;
srand $seed;
diag "SEED=$seed" if $ENV{SEED};

my @analyses = grep { slurp("scripts/$_.pl") =~ /^use Zed::Report/m && slurp("scripts/$_.pl") !~ /^# zedperl: reads no trace/m }
	map { m{([^/]+)\.pl\z} } glob 'scripts/*.pl';
cmp_ok(scalar @analyses, '>', 15, 'there are analyses');

# Strict: one value, of UTF-8, in which no number is infinite.
sub is_json {
	my ($text) = @_;
	return $text =~ /[\x00-\x09\x0b-\x1f]/ ? 0 : eval { JSON::PP->new->utf8->allow_nonref->decode($text); 1 };
}
ok(!is_json($_), "the check sees $_") for '{"a":Inf}', '{"a":nan}', "{\"a\":\"\xff\"}", '{"a":1,}', "\"\e\"";
ok(is_json('{"a":"\u001b","b":1e5}'), 'and lets JSON pass');

# What is wrong with what zedprint and an analysis say of PATH.
my $runs = 0;
sub check {
	my ($path, $what, @which) = @_;
	my @bad;
	my $print = zed_run('zedprint', '-f', 'json', $path);
	push @bad, map { is_json($_) ? () : "zedprint: $_" } split /\n/, $print->{out};
	for my $analysis (@which) {
		my $r = zed_run('zedperl', $path, $analysis, '--json');
		$runs++ if $r->{out} ne '';
		push @bad, "$analysis: exit $r->{exit}" if $r->{exit} > 1;
		push @bad, "$analysis: $r->{out}" if $r->{out} ne '' && !is_json($r->{out});
		push @bad, "$analysis: no answer: $r->{err}" if $r->{out} eq '' && $r->{exit} == 0;
	}
	is(join("\n", map { substr $_, 0, 300 } @bad[0 .. ($#bad < 3 ? $#bad : 3)]), '', $what);
	return;
}

# ---- a real recording whose tasks, functions and devices are called otherwise

my @names = ("\e]0;x\a", "\xff\xfe", "\xc3", "\xed\xa0\x80", '"},{"x":"', '\\', "\\u0000", "a\nb", "\xe2\x80\xa8", "1e999", 'Inf', 'NaN', '-0', "\xf4\x90\x80\x80", "\x9b\x01");
my @seeds = qw(demo.dat stack.dat block.dat workqueue.dat fgraph.dat lost.dat syscall_fields.dat);
@seeds = grep { -e "t/data/$_" } @seeds;
for my $file (@seeds[0 .. small(0, $#seeds)]) {
	for my $turn (1 .. small(1, 4)) {
		my $bytes = slurp("t/data/$file");
		# Of the same length, as the records keep theirs: the names of tasks that are 16 bytes in a record, and in the list.
		my %called;
		$bytes =~ s{(?<=[\x00\n ])(sh|cat|sleep|find|sort|trace-cmd|rcu_preempt|ksoftirqd/\d|usleep|dd|fio)(?=[\x00\n])}
			{$called{$1} //= substr $names[rand @names] x 16, 0, length $1}ge;
		check(spew("$dir/names.dat", $bytes), "$file, names of turn $turn", @analyses[small(0, 0) .. small(3, $#analyses)]);
	}
}

# ---- damaged at random places behind the head

for my $turn (1 .. small(2, 40)) {
	my $file = $seeds[rand @seeds];
	my $bytes = slurp("t/data/$file");
	substr($bytes, int(length($bytes) * (0.3 + rand 0.7)), 1) = chr int rand 256 for 1 .. 1 + int rand 20;
	check(spew("$dir/damaged.dat", $bytes), "$file, damage $turn", map { $analyses[rand @analyses] } 1 .. 3);
}

# ---- names everywhere in a file of one's own

for my $name (@names[0 .. small(2, $#names)]) {
	my $line = $name =~ s/[\n\x00 ]//gr;
	my $d = Write::Dat->new(cpus => 1, comm => "t$line", uname => "Linux $line", clock => 'local', instances => ["in$line"],
		kallsyms => "c0001000 T f$line\n")->write("$dir/own.dat");
	check($d, 'names of a file: ' . unpack('H*', $name), map { $analyses[rand @analyses] } 1 .. 4);
}
cmp_ok($runs, '>', small(5, 200), 'answers were looked at (else: nothing is tested)');

done_testing();
