# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -C with each clock of the running kernel, to a file and live.  Without it a clock could lose events, or
# others could not read the file.
#
# of: programs/zedtrace kernel record
# runs: make check
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $scripts = abs_path('scripts');
my $long = long_limit();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- clocks
# A few at once: most of the time of a recording that is short goes by while the kernel makes and removes its instance.
my @clocks = split ' ', slurp("$root/trace_clock") =~ tr/[]//dr;
while (my @some = splice @clocks, 0, 5) {
	my %to_file = map { $_ => live_start('zedtrace', '-o', "$dir/$_.dat", '-C', $_, 'sched', '--', 'sh', '-c', '(:); /bin/true') } @some;
	for my $clock (@some) {
		my $file = "$dir/$clock.dat";
		my $r = live_end($to_file{$clock}, $long);
		my $report = live_report($r->{err});
		is($r->{exit}, 0, "-C $clock") or diag $r->{err};
		my $sum = eval { dat_events($file) } // {};
		is($sum->{clock}, $clock, "-C $clock: the file says so");
		is($sum->{events}, $report && $report->{events}, "-C $clock: all events");
		is(zed_lines($file), $sum->{events}, "-C $clock: zedprint reads it");
		my $stock = stock_count($file);
		SKIP: {
			skip live_cannot(stock_missing()), 1 if !defined $stock;
			is($stock, $sum->{events}, "-C $clock: trace-cmd reads it");
		}
		unlink $file;
	}
	my %live = map { $_ => [live_pipe(['-C', $_, '-d', '0.2', 'sched'], "$scripts/countall.pl")] } @some;
	for my $clock (@some) {
		my ($said, $live) = map { live_end($_, $long) } @{$live{$clock}};
		my $report = live_report($said->{err});
		is(counted($live->{out}), $report && $report->{events}, "-C $clock: nothing is missing in a live pipe") or diag $live->{err}, $said->{err};
	}
}
my $r = leaves_nothing('-C none', sub { record('-o', "$dir/none.dat", '-C', 'none', '-d', '0.1', 'sched') });
is("$r->{exit} " . @{$r->{lines}}, '2 1', 'a clock that the kernel has not: one line, exit 2') or diag $r->{err};

done_testing();
