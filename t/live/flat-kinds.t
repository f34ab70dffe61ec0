# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every kind of run keeps its memory under renames, forks and execs: aggregations, handlers, one whose event never comes,
# metrics that are scraped, --every, flight recorders, a file, a pipe.  Without it a run that is left running falls at
# its memory limit after some days.  make soak is the long form.
#
# of: reader/live run record programs/zedperl
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Soak;

live_or_skip();
my $alone = live_lock('cpus', 1);	# others would lose the names of their own tasks among so many
my $MOST = $ENV{ZED_SAN} ? 60_000 : 1_500;	# KB; the sanitizer keeps what is freed
# A flight recorder keeps the last 4 MB of names: 210,000 of these.
my ($BEFORE, $MORE) = (250_000, 150_000);

leaves_nothing('all kinds at once', sub {
	my @runs = soak_start();
	is(soak_load($BEFORE)->{exit}, 0, "$BEFORE names");
	$_->{before} = soak_memory($_) for @runs;
	is(soak_load($MORE)->{exit}, 0, "$MORE more");
	for my $run (@runs) {
		my $more;
		wait_until(5, sub { ($more = soak_memory($run) - $run->{before}) < $MOST });
		cmp_ok($more, '<', $MOST, "$run->{kind}: $run->{before} KB, and then $more KB more (else: it grows for as long as it runs)");
	}
	is(join('; ', soak_end(@runs)), '', 'all end well');
});

done_testing();
