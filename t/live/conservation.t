# SPDX-License-Identifier: GPL-2.0-or-later
#
# No event is lost in silence: what handlers get and what they are told is lost are together what the kernel's own
# statistics count (read, overrun, commit overrun, dropped, still there), for a file, a pipe and --live, under storms of
# system calls, switches, page faults and of all events, with buffers of the default size and tiny ones.  Without it a
# trace could lack events that no script hears of.
#
# of: record reader/live ring reader/dat reader/zedstream programs/zedtrace
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Conserved;
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
$ENV{LC_ALL} = 'C';

# How each way ends: what handlers got, what they were told, what the kernel counted.
my %way = (
	file => sub {
		my ($over, $opts, @events) = @_;
		my $h = live_start('zedtrace', @$opts, '-o', "$dir/a.dat", @events);
		enough($h, scalar @$opts);
		live_signal($h, 'INT');
		stopped($h->{pid});
		$over->();
		my $r = live_end($h, 120);
		my $kernel = kernel_of(dat_stats("$dir/a.dat"));
		my $report = live_report($r->{err}) or diag $r->{err};
		is($report && $report->{events} + $report->{dropped}, $kernel, '... the report has the sum, too');
		return ((read_all("$dir/a.dat"))[0, 1], $kernel);
	},
	pipe => sub {
		my ($over, $opts, @events) = @_;
		pipe my $read, my $write or die "pipe: $!\n";
		my $zp = live_start({ stdin => $read, env => { ROOT => live_root() } }, 'zedperl', '-i', '-', all_script());
		my $zt = live_start({ stdout => $write }, 'zedtrace', @$opts, '-o', '-', @events);
		close $_ for $read, $write;
		enough($zt, scalar @$opts);
		live_signal($zt, 'INT');
		stopped($zt->{pid});
		$over->();
		my $report = live_report(live_end($zt, 120)->{err});
		return ((handlers(live_end($zp, 120)->{out}))[0, 1], $report && $report->{events} + $report->{dropped});
	},
	'--live' => sub {
		my ($over, $opts, @events) = @_;
		my $h = live_start({ env => { ROOT => live_root() } }, 'zedperl', '--live=' . join(',', @events), @$opts, all_script());
		enough($h, scalar @$opts);
		live_signal($h, 'TERM');
		stopped($h->{pid});
		$over->();
		my $r = live_end($h, 120);
		$r->{out} =~ /^handlers/ or diag "exit $r->{exit}, signal $r->{signal}: $r->{err}";
		return handlers($r->{out});
	},
);

my $tiny_lost = 0;
for my $way (sort keys %way) {
	for my $what (@STORMS) {
		next if small() && $what ne 'system calls';
		for my $opts ([], ['-b', 8]) {
			my $lost = conserved($way, $opts, $what, $way{$way});
			$tiny_lost += $lost if @$opts;
		}
	}
}
cmp_ok($tiny_lost, '>', 1000, 'tiny buffers have lost events (else: nothing was tried)');
my (undef, undef, $user, $sys) = times;
cmp_ok($user + $sys, '<', $ENV{ZED_SAN} ? 400 : 60, 'in a bounded time of the CPUs');

done_testing();
