# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Growth: how the CPU time of a command grows with its input: measured at two sizes, of which one is four times the
# other, and bounded by n log n.  Memory is bounded as SECURITY.md promises (Run::Promise).
#
#	grows_at_most_nlogn('nested interrupts', sub { my ($n) = @_; return $path }, 5000, ['zedperl', $TRACE, 'irq']);
#	grows('nested interrupts', 5000, sub { '0 10 irq 5' }, ...);	# lines of a miniature, in all analyses that it is for
#	fits('nested interrupts', $path, ['zedperl', $TRACE, 'irq']);	# within the promised limits
package Run::Growth;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use File::Path ();
use JSON::PP ();
use Pass;
use Run::Program qw(:DEFAULT spew);
use Run::Promise;
use Run::Zedperl;
use Write::Miniature;

our @EXPORT = qw(grows_at_most_nlogn grows fits lines_of $TRACE $FILE $STATE);

# In a command: the trace, a file that the command may write, the state of the trace for the analysis before it.
our ($TRACE, $FILE, $STATE) = (\'the trace', \'a file', \'a state');

# Four times the input takes 4.7 times as long if time grows as n log n, and 16 times if it grows as its square.
my $TIMES = 4;
my $MOST = 8;

# Less is too short to measure, and far below the promised 5 s.
my $SHORT = 0.4;

# Other processes only make a command slower: the shortest of so many runs at most.
my $TRIES = 5;

# CPU seconds of one run; dies with the error.
sub cpu_of {
	my ($what, $path, @cmd) = @_;
	my $file = zed_tmp() . '/written';
	@cmd = map { ref && $_ == $STATE ? state_of($path, $cmd[-2]) : $_ } @cmd;
	my @before = times;
	my $r = zed_run({ stdout => zed_tmp() . '/printed', memory => promised_memory($cmd[0]), cpu => 20, time => 600 },
		map { !ref ? $_ : $_ == $TRACE ? $path : $file } @cmd);
	my @after = times;
	-d $file ? File::Path::remove_tree($file) : unlink $file;
	die "exit $r->{exit}: " . substr($r->{err}, 0, 500) . "\n" if $r->{signal} || $r->{exit} > 2 || $r->{err} =~ /Out of memory/i;
	return $after[2] + $after[3] - $before[2] - $before[3];
}

# A file with the state of the trace PATH for ANALYSIS, made once.
my %states;
sub state_of {
	my ($path, $analysis) = @_;
	return $states{"$path $analysis"} //= spew(zed_tmp() . '/state' . keys %states, zed_run({ time => 600, memory => 0 }, 'zedperl', '--map', $path, $analysis)->{out});
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

# WHAT: GENERATOR (code that returns the path of a trace with N items) at N and four times N, by each of COMMANDS.
sub grows_at_most_nlogn {
	my ($what, $generator, $n, @commands) = @_;
	subtest $what => sub {
		my @paths = map { $generator->($_) } $n, $TIMES * $n;
		cmp_ok(-s $paths[1], '<', 1_000_000, 'below 1 MB: ' . -s _);
		for my $cmd (@commands) {
			my $bad = ends_in_time($what, \@paths, @$cmd);
			ok(!defined $bad, join ' ', map { ref ? () : $_ } @$cmd) or diag("$what: $bad");
		}
		unlink @paths, values %states;
		%states = ();
	};
	return;
}

# Each of COMMANDS stays within the promised limits for the trace PATH.
sub fits {
	my ($what, $path, @commands) = @_;
	subtest $what => sub {
		cmp_ok(-s $path, '<', $LARGEST, 'below 1 MB: ' . -s _);
		for my $cmd (@commands) {
			my $cpu;
			for (1 .. $TRIES) {
				$cpu = eval { cpu_of($what, $path, @$cmd) };
				last if !defined $cpu || $cpu <= $SECONDS;
			}
			ok(defined $cpu && $cpu <= $SECONDS, join ' ', map { ref ? () : $_ } @$cmd) or diag(defined $cpu ? "$cpu s of CPU" : $@);
		}
	};
	unlink $path, values %states;
	%states = ();
	return;
}

# A trace of lines that the code makes for 1 to N, 1 us apart.  Options in a leading hash: those of miniature().
sub lines_of {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my ($n, @code) = @_;
	my $us = 0;
	my @lines;
	for my $code (@code) {
		push @lines, map { ++$us . " $_" } map { $code->($_) } 1 .. $n;
	}
	return miniature(join("\n", @lines), version => 7, compression => 'zlib', %o);
}

# Every analysis that answers for one trace.
my @analyses = grep { !/^(?:assert|compare|report|top|ltt-schedule|printall|metrics)\z/ } map { m{([^/]+)[.]pl\z} } glob 'scripts/*.pl';

my @outputs = (['zedprint', '-f', 'report', $TRACE], ['zedprint', '-f', 'json', $TRACE], ['zedprint', '-f', 'perfetto', '-o', $FILE, $TRACE],
	['zedprint', '-f', 'parquet', '-o', $FILE, $TRACE]);
my @forms = (sub { ('zedperl', $TRACE, $_[0], '--html', $FILE) }, sub { ('zedperl', $TRACE, $_[0]) }, sub { ('zedperl', '--reduce', $_[0], $STATE) },
	sub { ('zedperl', $TRACE, $_[0], '--json') }, sub { ('zedperl', $TRACE, $_[0], '--svg', $FILE) }, sub { ('zedperl', '--map', $TRACE, $_[0]) },
	sub { ('zedperl', $TRACE, $_[0], '--csv') });
my $turn = 0;

# The analyses that the trace PATH has events for.
sub suiting {
	my ($path) = @_;
	my $answer = JSON::PP->new->latin1->decode(zed_run('zedperl', $path, 'summary', '--json')->{out});
	my %suits = map { $_->{script} => $_->{suits} } @{$answer->{tables}{scripts}{rows}};
	return grep { ($suits{$_} // 'yes') ne 'no' } @analyses;
}

# Analyses without events in the trace cost little: one of these, by turns.  Each of the others in two forms: as a page,
# and by turns one of the rest.  In make test every third trace, in one of all.
my $traces = 0;
sub grows {
	my ($what, $n, @code) = @_;
	return if $traces++ % 3 && small();
	my @suiting = suiting(lines_of(20, @code));
	my %suits = map { $_ => 1 } @suiting;
	my @others = grep { !$suits{$_} } @analyses;
	my @commands = ((map { my $name = $_; map { [$_->($name)] } @forms[0, 1 + $turn++ % 6] } @suiting), @outputs[$turn % 2, 2 + $turn % 2]);
	push @commands, [$forms[0]->($others[$turn % @others])] if @others;
	@commands = $commands[$turn % @commands] if small();
	return grows_at_most_nlogn($what, sub { return lines_of($_[0], @code) }, $n, @commands);
}

1;
