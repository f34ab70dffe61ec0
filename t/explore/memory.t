# SPDX-License-Identifier: GPL-2.0-or-later
#
# The memory of zedperl explore's server over a thousand requests. Without it a page that is open for a day takes all.
# of: programs/zedperl/explore
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Explore;
use Run::Program;

my $s = explore('t/data/demo.dat');
my $socket = dial($s);
my $n = 0;

sub resident { return slurp("/proc/$s->{pid}/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 : die "no VmRSS\n" }

# So many requests of all kinds in one connection; every tenth has a connection of its own.
sub ask {
	my ($times) = @_;
	my %bad;
	for (1 .. $times) {
		my @q = (['events', count => 20], ['alive'], ['lanes', from => $n * 1000, to => $n * 1000 + 1_000_000, cells => 100], ['lanes'], ['events', filter => 'nosuch', count => 1])[$n++ % 5];
		$socket = dial($s) if $n % 10 == 0;
		print {$socket} request($s, target($s, @{$q[0]}));
		my $r = parsed(hear($socket));
		$bad{"$q[0][0] $r->{status}"}++ if $r->{status} !~ /^(?:200|400)$/;
	}
	return \%bad;
}

is_deeply(ask(100), {}, 'a hundred requests');
my $before = resident();
is_deeply(ask(small(100, 1000)), {}, 'and ' . small(100, 1000) . ' more');
my $after = resident();
my $more = $ENV{ZED_SAN} ? 300_000 : 1024;	# a sanitizer keeps what is freed for a while
cmp_ok($after, '<', $before + $more, "$before KiB, then $after KiB (else: it grows with each)");
cmp_ok($after, '<', $ENV{ZED_SAN} ? 1_000_000 : 60_000, 'and that is little');
is(explore_end($s), 0, 'the end');

done_testing();
