# SPDX-License-Identifier: GPL-2.0-or-later
#
# No event is lost in silence: what handlers get and what they are told is lost are together what the kernel's own
# statistics count (read, overrun, commit overrun, dropped, still there), for a file, a pipe, --live and the network,
# under storms of system calls, switches, page faults and of all events, with buffers of the default size and tiny ones.
use strict;
use warnings;
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
my $root = live_root();
my $for = $ENV{ZED_SAN} ? 1 : 0.4;	# seconds of a storm
$ENV{LC_ALL} = 'C';

# Every event is a call; the end looks at the kernel's files itself, where there is an instance of our own.
my $script = "$dir/all.pl";
put_text($script, <<'SCRIPT');
my ($n, $lost, $kernel) = (0, 0, 0);
sub trace_unhandled { $n++ }
sub trace_lost { $lost += $_[1] // 0 }
sub trace_end {
	for my $stats (glob "$ENV{ROOT}/instances/zed.$$.[0-9]*/per_cpu/cpu*/stats") {
		next if $stats =~ /\.names/;
		open my $fh, '<', $stats or die "$stats: $!";
		/^(?:entries|overrun|commit overrun|dropped events|read events): (\d+)/ and $kernel += $1 while <$fh>;
	}
	print "handlers $n lost $lost kernel $kernel\n";
}
SCRIPT

my %storm = (
	'system calls' => ['raw_syscalls', 'exec dd if=/dev/zero of=/dev/null bs=1 2>/dev/null'],
	switches => ['sched', "exec $^X -e 'pipe A, B; pipe C, D; if (fork) { syswrite(B, 1), sysread(C, \$x, 1) while 1 } else { sysread(A, \$x, 1), syswrite(D, 1) while 1 }'"],
	'page faults' => ['exceptions kmem', 'while :; do /bin/true; done'],
	'all events' => ['*', 'while :; do /bin/true; done | dd if=/dev/zero of=/dev/null bs=64 2>/dev/null'],
);

# CODE runs beside the storm WHAT, which is over then.
sub beside {
	my ($what, $code) = @_;
	my $h = live_start({ group => 1 }, '/bin/sh', '-c', $storm{$what}[1]);
	my @got = $code->(split ' ', $storm{$what}[0]);
	kill 'KILL', -$h->{pid};
	live_end($h);
	return @got;
}

sub kernel_of {	# by the statistics that stand in a file, as the kernel wrote them
	my ($stats) = @_;
	my $n = 0;
	$n += $_ for map { @$_{'entries', 'overrun', 'commit overrun', 'dropped events', 'read events'} } values %$stats;
	return $n;
}

sub handlers { return $_[0] =~ /\Ahandlers (\d+) lost (\d+) kernel (\d+)\n\z/ ? ($1, $2, $3) : () }

sub read_file {
	my ($file) = @_;
	return handlers(zed_run({ time => 60, memory => 0, env => { ROOT => $root } }, 'zedperl', '-i', $file, $script)->{out});
}

# By a server and its file.
sub network {
	my ($opts, @events) = @_;
	my $server = live_start({ dir => $dir }, 'zedtrace', '-l', '-p', '0');
	my $port;
	live_until(10, sub { ($port) = slurp($server->{err}->filename) =~ /listening on port (\d+)\n.*waiting/s });
	my $r = zed_run({ time => 60, memory => 0 }, 'zedtrace', '-d', $for, @$opts, '-h', "127.0.0.1:$port", @events);
	live_until(20, sub { slurp($server->{err}->filename) =~ /^Total:/m });
	live_signal($server, 'TERM');
	my $said = live_end($server)->{err};
	my ($file) = glob "$dir/*/trace.dat" or diag($said, $r->{err}), return;
	my @got = read_file($file);
	my $kernel = kernel_of(dat_stats($file));
	my $report = live_report($r->{err}) or diag $r->{err};
	is($report && $report->{events} + $report->{dropped}, $kernel, '... the report of the sender has the sum, too');
	system "rm", "-rf", $file =~ s{/[^/]+$}{}r;
	return (@got[0, 1], $kernel);
}

# How each way ends: what handlers got, what they were told, what the kernel counted.
my %way = (
	file => sub {
		my ($opts, @events) = @_;
		my $r = zed_run({ time => 60, memory => 0 }, 'zedtrace', '-d', $for, @$opts, '-o', "$dir/a.dat", @events);
		my $kernel = kernel_of(dat_stats("$dir/a.dat"));
		my $report = live_report($r->{err}) or diag $r->{err};
		is($report && $report->{events} + $report->{dropped}, $kernel, '... the report has the sum, too');
		return ((read_file("$dir/a.dat"))[0, 1], $kernel);
	},
	pipe => sub {
		my ($opts, @events) = @_;
		pipe my $read, my $write or die "pipe: $!\n";
		my $zp = live_start({ stdin => $read, env => { ROOT => $root } }, 'zedperl', '-i', '-', $script);
		my $zt = live_start({ stdout => $write }, 'zedtrace', '-d', $for, @$opts, '-o', '-', @events);
		close $_ for $read, $write;
		my $report = live_report(live_end($zt, 60)->{err});
		return ((handlers(live_end($zp, 60)->{out}))[0, 1], $report && $report->{events} + $report->{dropped});
	},
	'--live' => sub {
		my ($opts, @events) = @_;
		my $h = live_start({ env => { ROOT => $root } }, 'zedperl', '--live=' . join(',', @events), @$opts, $script);
		live_ready($h) or diag slurp($h->{err}->filename);
		sleep $for;
		live_signal($h, 'TERM');
		return handlers(live_end($h, 60)->{out});
	},
	network => sub { network(@_) },
	'network, packed' => sub { my ($opts, @events) = @_; network([@$opts, '-z', 'zstd'], @events) },
);

my $tiny_lost = 0;
for my $way (sort keys %way) {
	for my $what (sort keys %storm) {
		# Over the network the two that are largest.
		next if $way =~ /network/ && $what !~ /all|system/;
		for my $o (['default buffers'], ['tiny buffers', '-b', 8]) {
			my ($size, @opts) = @$o;
			my ($n, $lost, $kernel) = beside($what, sub { $way{$way}->(\@opts, @_) });
			my $name = "$way, $what, $size";
			ok(defined $n && $n > 100, "$name: " . ($n // 'no') . ' events, ' . ($lost // 0) . ' lost') or next;
			is($n + $lost, $kernel, "$name: handled and told as lost are what the kernel counts (else: a loss that nobody is told of)");
			$tiny_lost += $lost if @opts;
		}
	}
}
cmp_ok($tiny_lost, '>', 1000, 'tiny buffers have lost events (else: nothing was tried)');
my (undef, undef, $user, $sys) = times;
cmp_ok($user + $sys, '<', $ENV{ZED_SAN} ? 400 : 60, 'in a bounded time of the CPUs');

done_testing();
