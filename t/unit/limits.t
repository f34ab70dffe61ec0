# SPDX-License-Identifier: GPL-2.0-or-later
#
# The limits, streams and variables that t/lib/c/limits.c sets, for one program and for each of several.  Without this,
# a program that takes all memory, time or disk could pass where a test says that it has limits.
#
# of: t/lib/c/limits.c t/lib/Run/Process.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Process;

my $dir = temp_dir();
my $loop = 'for (;;) { }';
my $sleep = 'sleep 100';
my $fill = 'syswrite STDOUT, "x" x 100_000 for 1 .. 10; print STDERR "not stopped"';
my $room = 'open F, "<", "/proc/self/limits"; exit(grep(/^Max address space +204800000 +204800000 /, <F>) ? 9 : 0)';
spew("$dir/in", "a line\n");

my @want = (
	# what, options, perl, how it ends, late
	['an exit status', {}, 'exit 7', 7, 0],
	['a signal', {}, 'kill TERM => $$', 'signal 15', 0],
	['CPU time', { cpu => 1, seconds => 30 }, $loop, 'signal 9', 0],
	['the size of a file', { size => 150_000 }, $fill, 'signal 25', 0],
	['address space', { memory => 200_000 }, $room, 9, 0],
	['open files', { files => 8 }, 'my @f = map { open my $f, "<", "/dev/null" or exit 3; $f } 1 .. 20', 3, 0],
	['time', { seconds => 1 }, $sleep, 'signal 6', 1],
	['a variable, the folder and standard input', { stdin => 'in', env => { ZED_THIS => 'a b;c' } },
		'print $ENV{ZED_THIS}, -e "in", scalar <STDIN>; print STDERR "said"', 0, 0],
);
my @runs = map { my ($what, $o, $code) = @$_; [$o, $^X, '-e', $code] } @want;
$runs[$_][0]{stdout} = "o.$_", $runs[$_][0]{stderr} = "e.$_" for 0 .. $#runs;
my @ended = run_each($dir, @runs);
is(scalar @ended, scalar @want, 'each has run (else: what comes after one that ends badly is not tried)');
for my $i (0 .. $#want) {
	my ($what, undef, undef, $how, $late) = @{$want[$i]};
	is(how_it_ended($ended[$i][0]) . " $ended[$i][1]", "$how $late", "each: $what (else: it has no limit)");
}
is(slurp("$dir/o.$#want"), "a b;c1a line\n", 'each: output goes to its file, input comes from its own');
is(slurp("$dir/e.$#want"), 'said', 'each: and its errors');
is(-s "$dir/o.3", 150_000, 'each: a file ends where its limit is');
is(slurp("$dir/e.3"), '', 'each: and the program with it');

for (grep { !$want[$_][1]{seconds} && !$want[$_][1]{stdin} } 0 .. $#want) {
	my ($what, $o, $code, $how) = @{$want[$_]};
	my ($status) = reap(spawn({ %$o, dir => $dir, stdout => "$dir/one", stderr => "$dir/one.err" }, $^X, '-e', $code), 30);
	is(how_it_ended($status), $how, "one: $what (else: it has no limit)");
}
my ($status, $late) = reap(spawn({}, $^X, '-e', $sleep), 0.2);
is(how_it_ended($status) . " $late", 'signal 9 1', 'one: what does not end is killed');

done_testing();
