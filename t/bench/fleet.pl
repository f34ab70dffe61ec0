# SPDX-License-Identifier: GPL-2.0-or-later
#
# fleet.pl: what a run of zedperl -j over many traces costs: copies of the recordings of t/data, each with a TRACEID of
# its own.  Returns the figures for bench.pl: [what, measured, promised, is it kept].
use strict;
use warnings;
use Files;
use POSIX ();

# The trace.dat of version 7 in DATA with that ID, or nothing: it has none.
sub with_id {
	my ($data, $id) = @_;
	my ($head, $big) = $data =~ /\A(\x17\x08Dtracing7\x00(.).....[^\x00]*\x00[^\x00]*\x00)/s or return;
	my ($u16, $u32, $u64) = ord $big ? qw(n N Q>) : qw(v V Q<);
	my $off = unpack $u64, substr $data, length $head, 8;
	while ($off) {
		my $at = $off + 16;
		while (my ($option, $size) = unpack "$u16 $u32", substr $data, $at, 6) {
			if ($option == 11) {
				substr $data, $at + 6, 8, pack $u64, $id;
				return $data;
			}
			$off = $option ? $off : unpack $u64, substr $data, $at + 6, 8;
			last if !$option;
			$at += 6 + $size;
		}
	}
	return;
}

# What is done, on a terminal: for minutes there is nothing else to see.
sub doing {
	my ($what) = @_;
	print STDERR "fleet: $what\n" if POSIX::isatty(fileno STDERR);
	return;
}

# RUN: bench.pl's.  N traces below WORK.
sub fleet_figures {
	my ($run, $bin, $work, $n) = @_;
	my @from = grep { defined with_id($_, 1) } map { slurp($_) } sort glob 't/data/*.dat';
	my (@paths, @figures);
	system 'rm', '-rf', "$work/fleet";
	mkdir "$work/fleet";
	doing("writing $n traces");
	for my $i (0 .. $n - 1) {
		push @paths, "$work/fleet/$i.dat";
		spew($paths[-1], with_id($from[$i % @from], (1 << 44) + $i));
	}
	spew("$work/fleet/list", join '', map { "$_\n" } @paths);
	my @jobs = map { doing("wakeup-latency on them, -j $_"); $run->('/dev/null', "$bin/zedperl", '-j', $_, '--files-from', "$work/fleet/list", 'wakeup-latency') } 1, 2;
	# As many as have room as -i.
	my @some = @paths > 1000 ? @paths[0 .. 999] : @paths;
	doing('... by one run on ' . @some);
	my $one = $run->('/dev/null', 'sh', '-c', 'exec "$@" 2>/dev/null', 'sh', "$bin/zedperl", '--force-merge', (map { ('-i', $_) } @some), 'wakeup-latency');
	my $ratio = $jobs[0][0] / $one->[0] * @some / $n;
	push @figures, ["-j 1 on $n traces, over -i of " . @some, sprintf('%.2f (%.1f s CPU)', $ratio, $jobs[0][0]), 'at most 1.20', $ratio <= 1.2],
		['-j 2, times as fast as -j 1', sprintf('%.2f (%.1f s)', $jobs[0][1] / $jobs[1][1], $jobs[1][1]), 'at least 1.80', $jobs[0][1] / $jobs[1][1] >= 1.8],
		['... peak memory of a process', sprintf('%.1f MiB', $jobs[1][2] / 1024), 'at most 64 MiB', $jobs[1][2] <= 65536];
	my $states = "$work/fleet/states";
	open my $to, '>', $states or die "$states: $!\n";
	for my $i (0 .. $#paths) {
		my $path = $paths[$i];
		doing("a state of each, $i of $n") if $i % 1000 == 0;
		open my $state, '-|', "$bin/zedperl --map $path wakeup-latency 2>/dev/null" or die "zedperl: $!\n";
		print {$to} readline $state;
		close $state;
	}
	close $to or die "$states: $!\n";
	doing('their reduce');
	my $reduce = $run->('/dev/null', "$bin/zedperl", '--reduce', 'wakeup-latency', $states);
	push @figures, ["reduce of $n states of wakeup-latency", sprintf('%.2f s, %.1f MiB', $reduce->[0], $reduce->[2] / 1024), 'at most 5 s, 256 MiB',
		$reduce->[0] <= 5 && $reduce->[2] <= 262144];
	system 'rm', '-rf', "$work/fleet";
	return @figures;
}

1;
