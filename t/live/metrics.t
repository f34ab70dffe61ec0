# SPDX-License-Identifier: GPL-2.0-or-later
#
# --live --metrics under a storm of system calls: scrapes are answered within a second, counters never fall, and
# what the handlers counted, with what was lost, is what the kernel did.  Without it a monitoring system sees gaps
# just when something happens.
#
# of: analysis/metrics programs/zedperl
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Compare::OpenMetrics;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $script = zed_tmp() . '/calls.pl';
put_text($script, <<'END');
my $n = Zed::metric(counter => 'calls_total', labels => ['cpu']);
Zed::metric(counter => 'counted_total', from => Zed::count('raw_syscalls:sys_enter', by => 'cpu'));
sub raw_syscalls::sys_enter { $n->inc(1, $_[0]) }
END

sub scrape {
	my ($port) = @_;
	my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 30) or return;
	print {$s} "GET /metrics HTTP/1.1\r\n\r\n";
	local $/;
	return (split /\r\n\r\n/, scalar <$s>, 2)[1];
}

leaves_nothing('a storm', sub {
	my $h = live_start('zedperl', '-b', 2048, '--metrics', 0, '--live=raw_syscalls:sys_enter', $script);
	ok(live_ready($h), 'it runs') or diag live_end($h)->{err};
	my $port;
	wait_until(20, sub { ($port) = slurp($h->{err}->filename) =~ m{http://127\.0\.0\.1:(\d+)/metrics} });
	ok($port, 'and says where');
	my @storm = map { storm_start(20) } 1, 2;
	my (@took, %last, $fell, $m);
	for (1 .. 20) {
		my $began = mono_now();
		$m = eval { openmetrics(scrape($port) // '') } // last;
		push @took, mono_now() - $began;
		for my $sample (map { @{$m->{$_}{samples}} } grep { $m->{$_}{type} eq 'counter' } keys %$m) {
			my $key = join ' ', $sample->[0], %{$sample->[1]};
			$fell //= $key if $sample->[2] < ($last{$key} // 0);
			$last{$key} = $sample->[2];
		}
		sleep 0.05;	# the storm goes on
	}
	storm_end($_) for @storm;
	is(scalar @took, 20, 'every scrape is answered, and is OpenMetrics') or diag $@;
	@took = sort { $a <=> $b } @took;
	my $most = $ENV{ZED_SAN} ? 10 : 1;
	# Beside other tests one may wait for a CPU, but not half of them.
	cmp_ok($took[@took / 2] // 99, '<', $most, sprintf 'within a second: %.3f s at most, %.3f s in the middle', $took[-1] // 99, $took[@took / 2] // 99);
	is($fell, undef, 'no counter falls');
	my ($calls, $counted) = map { my $of = $_; my $sum = 0; $sum += $_->[2] for @{$m->{$of}{samples}}; $sum } qw(calls counted);
	cmp_ok($calls, '>', 10_000, 'the storm was seen');
	is($counted, $calls, 'the aggregation tells what the handler counts');
	is(sample($m, 'zed_events_total'), $calls, 'and the run');
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, 'the end');
});

done_testing();
