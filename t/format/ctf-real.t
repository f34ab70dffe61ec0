# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF 1.8 as LTTng's kernel tracer and perf write it: every event of real traces as babeltrace2 prints it; losses of one with
# overlapping packets.  Without it values are wrong that only real traces have.
#
# of: reader/ctf
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Babeltrace;
use Run::Program;

my $tmp = zed_tmp();

# perf keeps the CPU in a field of its own.
sub cpu_of_perf {
	my ($ev) = @_;
	$ev->{cpu} //= $ev->{fields}{perf_cpu};
	return;
}

SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf";
	for my $case (['perf-taskset2', 1500], ['lttng-kernel-4.4', 134_500]) {
		my ($name, $n) = @$case;
		my $dir = "$tmp/$name";
		mkdir $dir or die "$dir: $!\n";
		system('tar', '--zstd', '-C', $dir, '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
		system('zstd', '-dqf', "$shared/data/ctf/$name.babeltrace2.txt.zst", '-o', "$dir.txt") == 0 or die "cannot unpack $name\n";
		my $r = zed_run('zedprint', '-f', 'json', $dir);
		is("$r->{exit} $r->{err}", '0 ', "$name: it is read without a message (the trace is below the directory)");
		my ($same, $differs) = babeltrace_differs("$dir.txt", $r->{out}, \&linux_name, \&cpu_of_perf);
		is($differs, undef, "$name: each event has the time, the CPU and the fields that babeltrace2 prints (else: wrong values)");
		is($same, $n, "$name: of all $n events");
	}
	my $dir = "$tmp/hello-lost";
	mkdir $dir or die "$dir: $!\n";
	system('tar', '--zstd', '-C', $dir, '-xf', "$shared/data/ctf/hello-lost.tar.zst") == 0 or die "cannot unpack hello-lost\n";
	my $r = zed_run('zedperl', '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print "$n $lost" } sub trace_lost { $lost += $_[0] // $_ } our $lost = 0;', $dir);
	like($r->{err}, qr/a packet begins before the one before it ends/, 'hello-lost: that packets overlap is said');
	is(scalar(() = $r->{err} =~ /overlap|begins before/g), 1, '... once');
	my $s = zed_run('zedprint', '--summary', $dir);
	like($s->{out}, qr/967,?700/, 'hello-lost: 967,700 events were lost, by the count in the packets (else: losses are not told)');
}

done_testing();
