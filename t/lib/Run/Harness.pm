# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Harness: how prove runs our tests (prove --harness Run::Harness): a line every few seconds says how far it is; a
# test's stderr is shown if it fails, right then; the slowest and the skipped ones are listed at the end.
# ZED_BUILD/stderr keeps the stderr of every test.  With prove -v the output is prove's own.
package Run::Harness;
use strict;
use warnings;
use parent 'TAP::Harness';
use File::Path ();
use Time::HiRes ();
use Files;

my $EVERY = 5;		# seconds between two lines of progress
my $SLOWEST = 5;	# tests that are listed at the end

# The file that runtest.sh directs the stderr of TEST to.
sub stderr_path {
	my ($test) = @_;
	return "$ENV{ZED_STDERR}/" . $test =~ tr{/}{_}r;
}

sub aggregate_tests {
	my ($self, $aggregate, @tests) = @_;
	return $self->SUPER::aggregate_tests($aggregate, @tests) if $self->verbosity > 0;
	local $ENV{ZED_STDERR} = ($ENV{ZED_BUILD} // 'build') . '/stderr';
	File::Path::make_path($ENV{ZED_STDERR});
	# Else prove has a pipe for stderr as well, which ends at once and makes it wait for that test alone.
	$self->merge(1);
	my ($began, $reported, $done, $checks, $failed) = ((Time::HiRes::time()) x 2, 0, 0, 0);
	my (@took, @skipped);
	local $| = 1;
	$self->callback(after_test => sub {
		my ($job, $parser) = @_;
		my ($test) = ref $job->[0] ? @{$job->[0]} : $job->[0];
		my $now = Time::HiRes::time();
		$done++;
		$checks += $parser->tests_run;
		push @took, [$test, ($parser->end_time // $now) - $parser->start_time];
		push @skipped, "$test: " . $parser->skip_all if $parser->skip_all;
		push @skipped, "$test: " . $parser->skipped . ' of its checks' if $parser->skipped && !$parser->skip_all;
		push @skipped, "$test: " . $parser->todo . ' of its checks are to do' if $parser->todo;
		my $progress = sprintf '%4d s: %d of %d test files, %d checks, %s', $now - $began, $done, scalar @tests, $checks,
			$failed ? "$failed failed" : 'none failed';
		if ($parser->has_problems) {
			$failed++;
			my @not_ok = $parser->failed;
			print "\n== FAILED: $test", ($parser->exit == 124 ? ' (timed out)' : ''), (@not_ok ? ' (checks ' . join(', ', @not_ok[0 .. ($#not_ok < 9 ? $#not_ok : 9)]) . ')' : ''), "\n",
				(eval { slurp(stderr_path($test)) } // ''), "== to repeat it: make check TESTS=$test V=1", (defined $ENV{CASES} ? " CASES='$ENV{CASES}'" : ''), "\n\n";
		} elsif ($now - $reported >= $EVERY || $done == @tests) {
			print "$progress\n";
			$reported = $now;
		}
	});
	my $result = $self->SUPER::aggregate_tests($aggregate, @tests);
	@took = sort { $b->[1] <=> $a->[1] } @took;
	print 'slowest: ', join(', ', map { sprintf '%s %.0f s', @$_ } grep { $_->[1] >= 1 } @took[0 .. ($#took < $SLOWEST - 1 ? $#took : $SLOWEST - 1)]), "\n"
		if @took > $SLOWEST;
	print "skipped: $_\n" for sort @skipped;
	print "stopped before its end: Result: FAIL\n" if $done < @tests;
	return $result;
}

1;
