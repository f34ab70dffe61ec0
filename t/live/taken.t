# SPDX-License-Identifier: GPL-2.0-or-later
#
# What zedtrace reports when its output fails, by a load on the running kernel: the events that a reader of the output
# finds, and all others of the kernel's as dropped.  An end of its own making is recorded whole; these are the others:
# a consumer that goes, a disk that fills (a file, a stream), a server that dies.  Without it what nobody got passes for
# recorded.
#
# of: record programs/zedtrace
# runs: make check
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Spec;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
my $zedtrace = File::Spec->rel2abs(zed_bin('zedtrace'));
my $long = $ENV{ZED_SAN} ? 120 : 60;
$ENV{LC_ALL} = 'C';

# A script for sh -c; $ZT is zedtrace, $D a directory.
sub by_shell {
	my ($text) = @_;
	return zed_run({ time => $long, memory => 0, env => { ZT => $zedtrace, D => $dir } }, 'sh', '-c', $text);
}

# The report of a recording that STOPPED early equals what is FOUND; the rest of the kernel's events was dropped.
sub tells_what_is_there {
	my ($what, $text, $found) = @_;
	my $report = live_report($text);
	ok($report, "$what: there is a report") or diag $text;
	cmp_ok($found, '>', 1000, "$what: the output has events (else: nothing was tried)");
	is($report->{events}, $found, "$what: the report has as many as the output (else: what nobody got passes for recorded)");
	cmp_ok($report->{dropped}, '>', 0, "$what: and says that others were dropped (else: they are counted nowhere)");
	my $sum = 0;
	$sum += $_->[0] for values %{$report->{cpus}};
	is($sum, $report->{events}, "$what: the CPUs add up");
	return;
}

# ---------------------------------------------------------------- a consumer that goes
for my $bytes (8_000_000, 20_000_001) {
	my $load = storm_start(60);
	my $r = leaves_nothing("a consumer of $bytes bytes", sub {
		by_shell("\$ZT raw_syscalls -o - 2>\$D/e | (head -c $bytes >\$D/cut.zed)");
	});
	storm_end($load);
	is(-s "$dir/cut.zed", $bytes, "the consumer has taken $bytes bytes") or diag $r->{err};
	tells_what_is_there("a consumer that went after $bytes bytes", slurp("$dir/e"), zed_lines("$dir/cut.zed"));
	unlink "$dir/cut.zed";
}

# ---------------------------------------------------------------- a disk that fills
SKIP: {
	skip live_cannot('no file system can be mounted here'), 14 if system "unshare -m mount -t tmpfs -o size=1M none /mnt 2>/dev/null";
	my $load = storm_start(60);
	my $r = leaves_nothing('a full disk', sub {
		by_shell('unshare -m sh -c \'mount -t tmpfs -o size=16M none /mnt; $ZT raw_syscalls -o /mnt/a.dat 2>$D/e
			mount -o remount,size=256M /mnt; $ZT --recover /mnt/a.dat.zed 2>$D/r && mv /mnt/a.dat $D/full.dat\'');
	});
	like(slurp("$dir/e"), qr/No space left on device/, 'the disk was full') or diag $r->{err};
	tells_what_is_there('a full disk, recovered', slurp("$dir/e"), -e "$dir/full.dat" ? dat_events("$dir/full.dat")->{events} : 0);
	unlink "$dir/full.dat";
	by_shell('unshare -m sh -c \'mount -t tmpfs -o size=16M none /mnt; $ZT raw_syscalls -o - 2>$D/e >/mnt/a.zed; mv /mnt/a.zed $D/full.zed\'');
	storm_end($load);
	like(slurp("$dir/e"), qr/No space left on device/, 'the disk was full for a stream, too');
	tells_what_is_there('a stream to a full disk', slurp("$dir/e"), zed_lines("$dir/full.zed"));
	unlink "$dir/full.zed";
}

done_testing();
