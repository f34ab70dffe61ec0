# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Fixtures: the files that cases of t/cases can have in their folder (WITH), and their possible requirements
# (NEEDS).
package Write::Fixtures;
use strict;
use warnings;
use Cwd ();
use File::Copy ();
use IO::Compress::Gzip ();
use Files;
use Run::Live ();
use Run::Program ();
use Run::Zedperl qw(trace $TICK);
use Write::FakeKernel ();

sub tick {
	my ($cpu, $ns, $n) = @_;
	return [$cpu, $ns, 'sched::tick', pack 'l< a8', $n, "cpu$cpu"];
}

# Word => code that writes into the folder and returns variables for the environment.
our %with = (
	# ZED_TRACEFS: a kernel with the events zoo:zoo_open, zoo:zoo_close, ark:ark_rain and ark:ark_dove
	kernel => sub { return (ZED_TRACEFS => Write::FakeKernel::fake_kernel()) },
	# the repository's recordings, as data/
	data => sub { symlink Cwd::abs_path('t/data'), "$_[0]/data" or die "$_[0]/data: $!\n"; return },
	# ticks.dat: three events sched:tick at 1, 2 and 3 us, with n = 1, 2, 3; two.dat: of CPU 0, 1, 0 at 1, 2 and 3.5 s
	ticks => sub {
		my ($dir) = @_;
		my @types = (types => { 'sched::tick' => $TICK, 'sched::never' => '' });
		File::Copy::copy(trace(@types, events => [map { tick($_->[0], 1000 * $_->[1], $_->[1]) } [0, 1], [0, 2], [0, 3]]), "$dir/ticks.dat");
		File::Copy::copy(trace(@types, cpus => 2, events => [map { tick($_->[0], 1e9 * $_->[1], $_->[2]) } [0, 1, 1], [1, 2, 2], [0, 3.5, 3]]), "$dir/two.dat");
		return;
	},
	# demo.dat.gz, .zst, .xz
	packed => sub {
		my ($dir) = @_;
		IO::Compress::Gzip::gzip('t/data/demo.dat' => "$dir/demo.dat.gz") or die "demo.dat.gz: $!\n";
		for (['zst', 'zstd'], ['xz', 'xz']) {
			my ($suffix, $program) = @$_;
			in_path($program) or next;
			Run::Program::zed_run({ stdout => "$dir/demo.dat.$suffix", memory => 0 }, 'sh', '-c', "$program -qc t/data/demo.dat");
		}
		return;
	},
);

my $live;

# Word => code: why that is missing, or undef.
our %needs = (
	tracefs => sub { return ($live //= Run::Live::live_part()) ? undef : 'needs root and tracefs' },
	user => sub { return $> ? undef : 'root may do everything' },
	full => sub { return -c '/dev/full' ? undef : 'there is no /dev/full' },
	map { my $program = $_; $program => sub { return in_path($program) ? undef : "no $program: apt-get install $program-utils" =~ s/(zstd)-utils/$1/r } } qw(zstd xz),
);

sub in_path { my ($program) = @_; return scalar grep { -x "$_/$program" } split /:/, $ENV{PATH} }

1;
