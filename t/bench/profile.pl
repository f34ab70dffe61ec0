# SPDX-License-Identifier: GPL-2.0-or-later
#
# profile.pl PROGRAM OUT SAMPLES [HOST]: a perf.data of SAMPLES samples of PROGRAM, which is made if it is not there, each
# with 30 callers among 2,000 functions, in 20,000 different stacks; of HOST, without it of this machine, where
# PROGRAM is found.
use strict;
use warnings;
no warnings 'portable';
use Cwd ();
use POSIX ();
use lib 't/lib';
use Compare::Elf;
use Write::Perf;

my ($program, $out, $samples, $host) = @ARGV;
my ($FUNCTIONS, $DEPTH, $STACKS, $START, $USER) = (2000, 30, 20_000, 0x5000_0000, 18446744073709551104);

srand 1;
if (!-e $program) {
	my $source = join '', map { "int function_number_$_(int n) { return n * " . (2 * $_ + 1) . " + n / 7; }\n" } 0 .. $FUNCTIONS - 1;
	Compare::Elf::compile($program, $source . "int main(int argc, char **argv) { return function_number_0(argc); }\n");
}
my $path = Cwd::abs_path($program);
my ($load) = map { [map { hex } /0x([0-9a-f]+) 0x([0-9a-f]+)/] } grep { /LOAD.* R E/ } split /\n/, Compare::Elf::run('readelf', '-lW', $program);
my @at = map { $START + hex($_) + 4 - $load->[1] + $load->[0] } Compare::Elf::run('nm', $program) =~ /^([0-9a-f]+) T function_number_/mg;
my $w = Write::Perf->new(host => $host // (POSIX::uname())[1], arch => (POSIX::uname())[4], build_ids => [[$path, Compare::Elf::build_id($path)]]);
my $cycles = $w->attr(type => 1, config => 0, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN)], ids => [7], name => 'cpu-clock');
$w->comm(40, 'profiled', time => 1);
$w->mmap(pid => 40, at => $START, len => 0x100_0000, off => 0, name => $path, two => 1, time => 2);
my $first = $w->{data};
my (@block, $len, $at);
for (1 .. $STACKS) {
	my @chain = map { $at[rand @at] } 1 .. $DEPTH;
	my $bytes = $w->sample_bytes($w->{attrs}[$cycles], time => 0x1122334455667788, pid => 40, tid => 40, ip => $chain[0], chain => [$USER, @chain]);
	$at //= 8 + index $bytes, $w->u64(0x1122334455667788);
	push @block, $w->u32(9) . $w->u16(2, 8 + length $bytes) . $bytes;
	$len = length $block[-1];
}
my $round = $w->u32(68) . $w->u16(0, 8);	# perf ends one when it has emptied its rings
my $ROUND = 10_000;
$w->write_long($out, length($first) + $samples * $len + int($samples / $ROUND) * length $round, sub {
	my ($fh) = @_;
	print $fh $first;
	for my $n (0 .. $samples - 1) {
		substr $block[$n % $STACKS], $at, 8, pack 'Q<', 1000 + 1000 * $n;
		print $fh $block[$n % $STACKS], $n % $ROUND == $ROUND - 1 ? $round : ();
	}
});
