# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF 1.8 as programs write it through LTTng: every event of a real trace of ROS 2, of 8 CPUs, as babeltrace2 prints it.
# Without it values are wrong that only real traces have.
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

SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf";
	system('tar', '--zstd', '-C', $tmp, '-xf', "$shared/data/ctf/ros2.tar.zst") == 0 or die "cannot unpack ros2\n";
	system('zstd', '-dqf', "$shared/data/ctf/ros2.babeltrace2.txt.zst", '-o', "$tmp/ros2.txt") == 0 or die "cannot unpack ros2\n";
	my $r = zed_run('zedprint', '-f', 'json', "$tmp/ros2");
	is("$r->{exit} $r->{err}", '0 ', 'it is read without a message');
	my ($same, $differs) = babeltrace_differs("$tmp/ros2.txt", $r->{out}, \&linux_name);
	is($differs, undef, 'each event has the time, the CPU, the context and the fields that babeltrace2 prints (else: wrong values)');
	is($same, 99_338, 'all events');
}

done_testing();
