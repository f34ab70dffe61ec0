# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf's own Perl scripts under perf script and under zedperl, on the small recordings of t/data/perf.  What differs stands in
# Run::PerfScript's %differs, with the reason, and in zedperl-perf(7).  Without it a script that was written for perf prints
# something else here.  (On recordings that perf makes here and now: t/perl/perf-recorded.t.)
# of: interp/Perf programs/zedperl/starter/starter_perf.c interp/bind reader/perf
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::PerfScript;
use Run::Program qw(:DEFAULT same spew);

my @scripts = perf_scripts();
my $dir = zed_tmp();
for my $name (qw(sched sys_z pipe_z_g)) {
	compare_script($name, "t/data/perf/$name.data", $_) for @scripts;
}
compare_process($_, "t/data/perf/$_.data") for qw(sched rawsys_g sys_z pipe_z_g forks_mono bigendian);

# ---- zedperl -g --perf ----

for my $name (qw(rawsys_g sys_z pipe_z_g)) {
	my $g = spew("$dir/starter.pl", zed_run('zedperl', '-g', '--perf', "t/data/perf/$name.data")->{out});
	my $want = perf_out("t/data/perf/$name.data", '-s', $g) // next;
	my $got = zed_run('zedperl', '-i', "t/data/perf/$name.data", $g)->{out};
	# Arrays are 0 there, and names of addresses are read from this machine.
	$got =~ s/\[[-\d ]+\]$/0/mg;
	s/^(\t\[\w+\]) .*/$1/mg for $got, $want;
	s/(\w+=)[^,\n]*(?=, |$)/$1/mg for $name eq 'rawsys_g' ? () : ($got, $want);
	same($got, $want, "$name: perf runs the script of -g --perf too (else: its shape is not perf's)");
}

perf_lived();
done_testing();
