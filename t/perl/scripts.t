# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each script of scripts/ on real recordings: byte for byte what data/scripts/derive.pl makes of trace-cmd's text,
# and derive-ltt.pl there of an LTT trace's bytes.  Without it a script counts, or shows, what is not in the trace.
# of: scripts lib interp
# runs: make check; a small pass in make test
use strict;
use warnings;

use Test::More;
use Cwd qw(abs_path);
use File::Basename qw(basename);
use lib 't/lib';
use Compare::Stock;
use Pass;
use Run::Program qw(:DEFAULT same spew);

my $root = abs_path('.');
my $tmp = zed_tmp();

# Run zedperl; returns its output, its messages and how it ended.
sub said_by
{
	my $r = zed_run({ time => 120, memory => 0 }, 'zedperl', @_);

	return ($r->{out}, $r->{err}, $r->{signal} ? "signal $r->{signal}" : $r->{exit});
}

# What a script beside the references makes of ARGS.
sub derived
{
	my ($script, @args) = @_;
	my $r = zed_run({ time => 120, memory => 0 }, $^X, "$root/t/data/scripts/$script", @args);

	is($r->{exit}, 0, "$script derives what must be printed (else: nothing is compared)") or diag $r->{err};
	return $r->{out};
}

my %why = (
	'countall' => 'events are counted wrongly or not at all',
	'printall' => 'values, times or sequence numbers that scripts see are wrong',
	'ltt-schedule' => 'run times of processes are wrong',
);
my %done;

for my $golden (sort glob "$root/t/data/scripts/*.txt") {
	my ($script, $recording) = basename($golden) =~ /^([\w-]+)\.([\w-]+)\.txt$/ or die "what is $golden?";
	$recording .= '.dat' unless -d "$root/t/data/$recording";
	my ($out, $err, $status) = said_by("$root/t/data/$recording", "$root/scripts/$script.pl");

	same($out, slurp($golden), "$script.pl on $recording (else: $why{$script})");
	is($err, '', "$script.pl on $recording says nothing else (else: users are sent after a fault that is none)");
	is($status, 0, "$script.pl on $recording ends well (else: losses or good files count as failures)");
	$done{$script}++;
}

for my $script (map { basename($_, '.pl') } glob "$root/scripts/*.pl") {
	ok($done{$script} || -e "$root/t/scripts/$script.t" || -e "$root/t/live/$script.t", "$script.pl has a golden, or a test of its own (else: nobody knows whether it works)");
}

# With the large recordings at hand, their reference texts give goldens of more kinds of machines.
my $shared = $ENV{ZED_SHARED} // "$root/../shared";

SKIP: {
	my $dir = "$shared/data/ltt-g1";

	skip 'large recordings are for make check', 1 if small(1, 0);
	skip "no LTT trace at $dir (set ZED_SHARED)", 1 unless -d $dir;
	my $want = derived('derive-ltt.pl', $dir, 1000000);
	my ($out) = said_by($dir, "$root/scripts/ltt-schedule.pl");

	same($out, $want, "ltt-schedule.pl on the whole LTT trace (else: $why{'ltt-schedule'})");
}

SKIP: {
	my %more = (
		'amd64-full/a10_block.dat' => ['countall'],
		'amd64-1/a01_v7_zstd.dat' => ['countall', 'printall'],
		'amd64-lost/a08_lost_b8.dat' => ['countall'],
	);
	my $n = 0;

	skip 'large recordings are for make check', 1 if small(1, 0);
	skip "no recordings at $shared/data (set ZED_SHARED)", 1 unless -d "$shared/data";
	skip stock_missing(), 1 if stock_missing();
	for my $recording (sort keys %more) {
		my $file = "$shared/data/$recording";

		next unless -e $file;
		spew("$tmp/raw", stock_text($file, '-R', '-t'));
		spew("$tmp/text", stock_text($file, '-t'));
		spew("$tmp/stat", stock_text($file, '--stat'));
		for my $script (@{$more{$recording}}) {
			my $want = derived('derive.pl', $script, "$tmp/raw", "$tmp/text", "$tmp/stat");
			my ($out) = said_by($file, "$root/scripts/$script.pl");

			same($out, $want, "$script.pl on $recording (else: $why{$script})");
			$n++;
		}
	}
	ok($n, 'large recordings were compared (else: the folder is there and nothing of it was used)');
}

done_testing();
