# SPDX-License-Identifier: GPL-2.0-or-later
#
# No event is lost in silence over the network either: what handlers get of a server's file and what they are told is
# lost are together what the kernel's own statistics count, under storms of system calls and of all events, packed or
# not.  Without it a server's trace could lack events that no script hears of.
#
# of: record/net record
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Conserved;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
$ENV{LC_ALL} = 'C';

my ($server, $port) = live_server({}, '-D', $dir);

sub network {
	my ($over, $opts, @events) = @_;
	# Reports of those before: a client that failed has none, and the next one is not to miss its own for that.
	my $reports = () = slurp($server->{err}->filename) =~ /^Total:/mg;
	my $h = live_start('zedtrace', @$opts, '-h', "127.0.0.1:$port", @events);
	enough($h, scalar grep { $_ eq '-b' } @$opts);
	live_signal($h, 'INT');
	stopped($h->{pid});
	$over->();
	my $r = live_end($h, 120);
	my $file;
	$r->{exit} == 0 && wait_until(30, sub { $reports < (() = slurp($server->{err}->filename) =~ /^Total:/mg) && (($file) = glob "$dir/*/trace.dat") })
		or diag(slurp($server->{err}->filename), "exit $r->{exit}\n", $r->{err}), return;
	my @got = read_all($file);
	my $kernel = kernel_of(dat_stats($file));
	my $report = live_report($r->{err}) or diag $r->{err};
	is($report && $report->{events} + $report->{dropped}, $kernel, '... the report of the sender has the sum, too');
	system "rm", "-rf", $file =~ s{/[^/]+$}{}r;
	return (@got[0, 1], $kernel);
}

my $tiny_lost = 0;
for my $packed ('', ', packed') {
	for my $what ('all events', 'system calls') {
		for my $tiny ([], ['-b', 8]) {
			my $lost = conserved("network$packed", $tiny, $what, sub { my ($over, $opts, @events) = @_;
				network($over, $packed ? [@$opts, '-z', 'zstd'] : $opts, @events) });
			$tiny_lost += $lost if @$tiny;
		}
	}
}
live_signal($server, 'TERM');
live_end($server);
cmp_ok($tiny_lost, '>', 1000, 'tiny buffers have lost events (else: nothing was tried)');

done_testing();
