# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged indexes: whatever is in the cache folder, the answer is that of the trace: a damaged index, one that is cut off, that of
# another trace, of another user, or one that anyone may write to is not used, and is made again.  Without it a broken cache makes
# wrong answers that nobody suspects.
#
# of: index
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Pass;
use Run::Program qw(zed_run zed_tmp slurp spew);
use Write::Dat;

my $tmp = zed_tmp();
my $turns = $ENV{TURNS} // small(40, 300);
my $seed = $ENV{SEED} // 32;
srand $seed;
my %env = (XDG_CACHE_HOME => "$tmp/cache", HOME => "$tmp/none");
my %none = (XDG_CACHE_HOME => '', HOME => '');
mkdir "$tmp/cache";

my ($trace, $other) = map { "$tmp/$_.dat" } 'a', 'b';
Write::Dat->new(pages => 60, page_size => 4096)->write($trace);
Write::Dat->new(pages => 60, page_size => 4096, comm => 'other')->write($other);
my @all = zed_run({ env => \%none }, 'zedprint', '-f', 'json', $trace)->{out} =~ /"ts":(\d+)/g;
my @window = ('--start', "$all[@all / 2]ns", '--end', "$all[@all / 2 + 9]ns");

sub answer { my ($env, @args) = @_; my $r = zed_run({ env => $env }, 'zedprint', '-f', 'json', @args, @window, $trace); return "$r->{out}$r->{err}exit $r->{exit}\n" }
my $want = answer(\%none);
like($want, qr/"ts".*exit 0/s, 'there is an answer without an index');

sub make { my ($path) = @_; return zed_run({ env => \%env }, 'zedprint', '--index', '--head', 1, $path)->{exit} }
is(make($trace), 0, 'an index is made');
my ($index) = glob "$tmp/cache/zedperl/*.index";
my $good = slurp($index);
is(make($other), 0, 'and that of another trace');
my ($foreign) = grep { $_ ne $index } glob "$tmp/cache/zedperl/*.index";
is(answer(\%env), $want, 'it is used');

# BYTES as the index, with the answer that it gives.
sub with_index {
	my ($bytes) = @_;
	spew($index, $bytes);
	chmod 0600, $index;
	return answer(\%env);
}

my @wrong;
for my $n (1 .. $turns) {
	my $bytes = $good;
	my $at = $n <= 40 ? int($n * length($good) / 41) : int rand length $good;
	substr($bytes, $at, 1) ^= chr(1 << int rand 8);
	my $got = with_index($bytes);
	push @wrong, "byte $at: $got" if $got ne $want;
}
ok(!@wrong, "flipped bits (SEED=$seed)") or diag($wrong[0]);
@wrong = ();
for my $n (0 .. 20) {
	my $len = int(length($good) * $n / 21);
	my $got = with_index(substr $good, 0, $len);
	push @wrong, "$len bytes: $got" if $got ne $want;
}
push @wrong, 'longer' if with_index($good . ("\0" x 4096)) ne $want;
push @wrong, 'zeroes' if with_index("\0" x length $good) ne $want;
ok(!@wrong, 'cut off, longer, and of zeroes') or diag($wrong[0]);
is(with_index(slurp($foreign)), $want, 'that of another trace');

# The next one that is asked for is whole again.
with_index(substr $good, 0, 5000);
is(make($trace), 0, 'a damaged one is made again');
is(length slurp($index), length $good, 'as it was');

# What is not a file of this user alone.
chmod 0666, $index;
is(answer(\%env), $want, 'one that anyone may write to');
unlink $index;
symlink $foreign, $index or die "symlink: $!\n";
is(answer(\%env), $want, 'a symbolic link');
unlink $index;
mkdir $index or die "mkdir: $!\n";
is(answer(\%env), $want, 'a folder');
rmdir $index;
is(system('mkfifo', $index), 0, 'a FIFO is there');
is(answer(\%env), $want, 'and is not waited for');
unlink $index;

# At most 64 are kept, and what a killed program left for a day is removed.
{
	my $folder = "$tmp/cache/zedperl";
	for (1 .. 70) { my $path = sprintf '%s/%016x-1.index', $folder, $_; spew($path, 'x'); utime 1000 + $_, 1000 + $_, $path }
	spew("$folder/0-1.index.abcdef", 'x');
	utime 1000, 1000, "$folder/0-1.index.abcdef";
	spew("$folder/0-1.index.ghijkl", 'x');
	is(make($trace), 0, 'one more index');
	my @kept = glob "$folder/*.index";
	is(@kept, 64, '64 indexes are kept (else: the folder grows for ever)');
	ok(-e $foreign && !-e sprintf('%s/%016x-1.index', $folder, 1), 'those that were used last');
	ok(!-e "$folder/0-1.index.abcdef" && -e "$folder/0-1.index.ghijkl", 'and of unfinished ones those of today');
	unlink $index;
}

# The trace is written again.
is(make($trace), 0, 'an index of it');
utime 1, 1, $trace;
is(answer(\%env), answer(\%none), 'a trace of the same bytes that was written at another time');
spew($trace, slurp($other));
is(answer(\%env), answer(\%none), 'another trace of that name');
done_testing();
