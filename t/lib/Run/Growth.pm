# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Growth: how the CPU time of a command grows with its input: measured at two sizes, of which one is four times the
# other, and bounded by what n log n would be.  Memory is bounded as the manuals promise.
#
#	grows_at_most_nlogn('nested interrupts', sub { my ($n) = @_; return $path }, 5000, ['zedperl', $TRACE, 'irq']);
package Run::Growth;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use File::Path ();
use Run::Program;

our @EXPORT = qw(grows_at_most_nlogn $TRACE $FILE);

# In a command: the trace, and a file that the command may write.
our ($TRACE, $FILE) = (\'the trace', \'a file');

# Four times the input takes 4.7 times as long if time grows as n log n, and 16 times if it grows as its square.
my $TIMES = 4;
my $MOST = 8;

# Less is too short to say anything of, and far from the 5 s that are promised.
my $SHORT = 0.4;

# Other processes only make a command slower: the shortest of so many runs at most.
my $TRIES = 5;

# Address space, in KiB: what zedperl has at its start, and the 256 MiB that are promised.
my $MEMORY = 400_000;

# CPU seconds of one run; dies with what went wrong.
sub cpu_of {
	my ($what, $path, @cmd) = @_;
	my $file = zed_tmp() . '/written';
	my @before = times;
	my $r = zed_run({ stdout => zed_tmp() . '/printed', memory => $MEMORY, cpu => 20, time => 600 },
		map { !ref ? $_ : $_ == $TRACE ? $path : $file } @cmd);
	my @after = times;
	-d $file ? File::Path::remove_tree($file) : unlink $file;
	die "exit $r->{exit}: " . substr($r->{err}, 0, 500) . "\n" if $r->{signal} || $r->{exit} > 2 || $r->{err} =~ /Out of memory/i;
	return $after[2] + $after[3] - $before[2] - $before[3];
}

sub ends_in_time {
	my ($what, $paths, @cmd) = @_;
	my (@least, $said);
	for (1 .. $TRIES) {
		for my $size (1, 0) {
			my $cpu = eval { cpu_of($what, $paths->[$size], @cmd) };
			return "at the size of $size: $@" if !defined $cpu;
			$least[$size] = $cpu if !defined $least[$size] || $cpu < $least[$size];
			return if $least[1] <= $SHORT;
		}
		$said = sprintf '%.2f s, with %d times the input %.2f s', $least[0], $TIMES, $least[1];
		return if $least[1] <= $MOST * $least[0];
	}
	return $said;
}

# WHAT: GENERATOR (code that returns the path of a trace of N of what it makes) at N and four times N, by each of COMMANDS.
sub grows_at_most_nlogn {
	my ($what, $generator, $n, @commands) = @_;
	subtest $what => sub {
		my @paths = map { $generator->($_) } $n, $TIMES * $n;
		cmp_ok(-s $paths[1], '<', 1_000_000, 'below 1 MB: ' . -s _);
		for my $cmd (@commands) {
			my $bad = ends_in_time($what, \@paths, @$cmd);
			ok(!defined $bad, join ' ', map { ref ? () : $_ } @$cmd) or diag("$what: $bad");
		}
		unlink @paths;
	};
	return;
}

1;
