# SPDX-License-Identifier: GPL-2.0-or-later
#
# One figure of losses, live: while a storm overruns tiny buffers, the metrics and trace_lost know it within seconds, and
# at the end all outputs have the kernel's sum.  Without it no alert can fire, or each output has another number.
#
# of: reader/live/live.c reader/live/pipe_feed.c interp/delivery.c trace/loss.c record/recorder.c record/sideband.c record/net/client_stream.c record/file/frames_in.c reader/zedstream
# runs: make check
use strict;
use warnings;
use IO::Socket::INET;
use Test::More;
use lib 't/lib';
use Run::Conserved;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# To which every event is a call; it says when it is told of losses.
my $script = zed_tmp() . '/told.pl';
put_text($script, <<'SCRIPT');
$| = 1;
my ($n, $told, $said, $kernel) = (0, 0, 0, 0);
my $count = Zed::count('*:*');
sub trace_unhandled { $n++ }
sub trace_lost { $told += $_[1] // 0; print "told $told\n" if $told && !$said++ }
sub trace_end {
	for my $stats (glob "$ENV{ROOT}/instances/zed.$$.[0-9]*/per_cpu/cpu*/stats") {
		next if $stats =~ /\.names/;
		open my $fh, '<', $stats or die "$stats: $!";
		/^(?:overrun|commit overrun|dropped events): (\d+)/ and $kernel += $1 while <$fh>;
	}
	print join(' ', 'end', $n, $told, scalar $count->lost, $kernel), "\n";
}
SCRIPT

sub scrape {
	my ($port) = @_;
	my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 30) or return 0;
	print {$s} "GET /metrics HTTP/1.1\r\n\r\n";
	local $/;
	my ($lost) = (<$s> // '') =~ /^zed_lost_events_total (\d+)/m;
	return $lost // 0;
}

# The end of H, a zedperl that runs $script: what its outputs have.
sub ends {
	my ($what, $h) = @_;
	my $r = live_end($h, 120);
	my ($told, $aggregate, $kernel) = $r->{out} =~ /^end \d+ (\d+) (\d+) (\d+)$/m or diag "$what: exit $r->{exit}: $r->{out}$r->{err}";
	my $sum = $told // 'none';
	like($r->{err}, qr/^zedperl: lost     $sum\b(?!.*unknown number)/m, "$what: --stats has what trace_lost was told");
	is($aggregate, $told, "$what: so has an aggregation");
	return ($told, $kernel);
}

leaves_nothing('--live', sub {
	my $h = live_start({ env => { ROOT => live_root() } }, 'zedperl', '-b', 8, '--stats', '--metrics', 0, '--live=raw_syscalls', $script);
	ok(live_ready($h), '--live: it runs') or diag live_end($h)->{err};
	my ($port, $last, $fell) = (undef, 0);
	wait_until(20, sub { ($port) = slurp($h->{err}->filename) =~ m{http://127\.0\.0\.1:(\d+)/metrics} });
	my @storm = map { storm_start(60) } 1, 2;
	ok(wait_until(30, sub { my $lost = scrape($port); $fell = "$last, then $lost" if $lost < $last; $last = $lost; $lost > 1000 }),
		'--live: zed_lost_events_total has an overrun while it runs (else: no alert can fire)');
	is($fell, undef, '--live: and never falls');
	ok(wait_until(30, sub { slurp($h->{out}->filename) =~ /^told/m }), '--live: trace_lost is told, too');
	live_signal($h, 'TERM');
	stopped($h->{pid});
	storm_end($_) for @storm;
	my ($told, $kernel) = ends('--live', $h);
	is($told, $kernel, '--live: in all what the kernel counts');
	cmp_ok($told // 0, '>=', $last, '--live: which is not less than what was said before');
});

leaves_nothing('a pipe', sub {
	pipe my $read, my $write or die "pipe: $!\n";
	my $h = live_start({ stdin => $read, env => { ROOT => live_root() } }, 'zedperl', '--stats', '-i', '-', $script);
	my $zt = live_start({ stdout => $write }, 'zedtrace', '-b', 8, '-o', '-', 'raw_syscalls');
	close $_ for $read, $write;
	ok(live_ready($zt), 'a pipe: it runs');
	my @storm = map { storm_start(60) } 1, 2;
	ok(wait_until(30, sub { slurp($h->{out}->filename) =~ /^told/m }), 'a pipe: trace_lost is told while it runs');
	live_signal($zt, 'INT');
	stopped($zt->{pid});
	storm_end($_) for @storm;
	my $report = live_report(live_end($zt, 120)->{err});
	my ($told) = ends('a pipe', $h);
	is($told, $report && $report->{dropped}, 'a pipe: in all what the recorder reports');
});

# The server's stream says while it runs what is lost, also where the pages do not say how much (one-figure.t has what a
# reader makes of it).
leaves_nothing('the network', sub {
	my $saved = zed_tmp() . '/network.zed';
	my ($l, $port) = live_server({ stdout => $saved }, '-o', '-');
	my $zt = live_start('zedtrace', '-h', "127.0.0.1:$port", '-b', 8, 'raw_syscalls');
	ok(live_ready($zt), 'the network: it runs');
	my @storm = map { storm_start(60) } 1, 2;
	my $frame = pack 'V V', 12, 12;	# LOST
	ok(wait_until(30, sub { index(slurp($saved), $frame) >= 0 }), 'the network: losses are in the stream while it runs (else: when the client has ended, if ever)');
	live_signal($zt, 'INT');
	stopped($zt->{pid});
	storm_end($_) for @storm;
	my $report = live_report(live_end($zt, 120)->{err});
	is(live_end($l, 60)->{exit}, 0, 'the network: the server ends with its client') or diag($l->{ended}{err});
	my ($told) = ends('the network', live_start({ env => { ROOT => live_root() } }, 'zedperl', '--stats', '-i', $saved, $script));
	is($told, $report && $report->{dropped}, 'the network: in all what the recorder reports');
});

# A file: its statistics, and what each output makes of them.
leaves_nothing('a file', sub {
	my $file = zed_tmp() . '/storm.dat';
	my $zt = live_start('zedtrace', '-b', 8, '-o', $file, 'raw_syscalls');
	ok(live_ready($zt), 'a file: it runs');
	my @storm = map { storm_start(60) } 1, 2;
	enough($zt, 1);
	live_signal($zt, 'INT');
	stopped($zt->{pid});
	storm_end($_) for @storm;
	my $report = live_report(live_end($zt, 120)->{err});
	my ($kernel, %by_cpu) = (0);
	my $stats = dat_stats($file);
	for my $cpu (keys %$stats) {
		$by_cpu{$cpu} += $stats->{$cpu}{$_} for 'overrun', 'commit overrun', 'dropped events';
		$kernel += $by_cpu{$cpu};
	}
	cmp_ok($kernel, '>', 0, 'a file: events were lost, as this test needs it');
	is($report && $report->{dropped}, $kernel, 'a file: the report');
	my ($told) = ends('a file', live_start({ env => { ROOT => live_root() } }, 'zedperl', '--stats', '-i', $file, $script));
	is($told, $kernel, 'a file: trace_lost');
	my $summary = zed_run({ time => 60, memory => 0 }, 'zedprint', '--summary', $file)->{out};
	like($summary, qr/^  losses +$kernel lost\b(?!.*unknown number)/m, 'a file: zedprint --summary');
	is_deeply({ $summary =~ /^    cpu (\d+) +\d+ events?, (\d+) lost/mg }, \%by_cpu, 'a file: ... by CPU');
	my $json = zed_run({ time => 60, memory => 0 }, 'zedperl', '-i', $file, 'lost', '--json')->{out};
	my ($events) = $json =~ /"lost":\{[^{}]*"events":(\d+)/;
	my ($timeless) = $json =~ /"lost":\{[^{}]*"timeless":(\d+)/;
	is(($events // 0) + ($timeless // 0), $kernel, 'a file: the analysis lost');
});

done_testing();
