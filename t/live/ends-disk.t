# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings on the running kernel whose file cannot be written, or not to its end: said once, with what to do, and what
# was written is recovered.  Without it a script goes on with half of a trace.
#
# of: programs/zedtrace record
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $long = long_limit();
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- the disk is full
SKIP: {
	my $small = "$dir/small";
	mkdir $small;
	skip live_cannot('no small tmpfs can be mounted'), 1 if system "mount -t tmpfs -o size=14m nodev '$small' 2>/dev/null";
	for my $codec ('none', 'zstd') {
		my $file = "$small/full.dat";
		my $load = storm_start(60);
		my ($r, $inst);
		leaves_nothing("disk full, $codec", sub {
			my $h = live_start('zedtrace', '-o', $file, '-z', $codec, '-b', 4096, 'raw_syscalls');
			$inst = live_ready($h);
			$r = live_end($h, 40);
		});
		storm_end($load);
		ok(!$r->{late}, "disk full, $codec: it ends by itself");
		is($r->{exit}, 1, "disk full, $codec: exit 1 (else: a script goes on with half of a trace)") or diag $r->{err};
		my @about = grep { /space/i } @{$r->{lines}};
		is(scalar @about, 1, "disk full, $codec: it is said, once") or diag $r->{err};
		like($r->{err}, qr/--recover/, "disk full, $codec: with what to do next");
		my $p = zed_run({ time => $long, memory => 0 }, 'zedtrace', '--recover', "$file.zed", '-o', "$dir/full.dat");
		is($p->{exit}, 0, "disk full, $codec: --recover -o puts it elsewhere") or diag $p->{err};
		my $sum = eval { dat_events("$dir/full.dat") } // {};
		cmp_ok(dat_bytes($sum), '>', 4 << 20, "disk full, $codec: with what fitted") or diag $@;
		unlink "$dir/full.dat";
		system 'rm', '-rf', "$file.zed";
		unlink $file;
	}
	system 'umount', $small;
}
for my $where ("$dir/none/x.dat", '/proc/x.dat', $dir) {
	my $r = leaves_nothing("-o $where", sub { zed_run({ time => 60 }, 'zedtrace', '-d', '0.1', '-o', $where, 'sched') });
	is("$r->{exit} " . @{$r->{lines}}, '2 1', "-o $where, where no file can be: one line, exit 2") or diag $r->{err};
}
# ---------------------------------------------------------------- what is written disappears

# zedtrace with OPTIONS writes until HAS is true and LOSE has been called, and ends with EXIT.
sub loses {
	my ($name, $exit, $has, $lose, @options) = @_;
	my $load = drizzle_start(60);
	my $r = leaves_nothing($name, sub {
		my $h = live_start('zedtrace', @options, '-b', 512, 'raw_syscalls');
		my $inst = live_ready($h);
		wait_until(60, sub { live_taken($inst) > 1000 && $has->() });
		$lose->($h);
		live_end($h, 40);
	});
	storm_end($load);
	ok(!$r->{late}, "$name: it ends by itself (else: it records for days, and nothing is there)");
	is($r->{exit}, $exit, "$name: exit $exit") or diag $r->{err};
	return $r;
}

{
	mkdir "$dir/gone";
	my $r = loses('a removed directory', 2, sub { 1 }, sub { system 'rm', '-rf', "$dir/gone" }, '-o', "$dir/gone/x.dat");
	like($r->{err}, qr{^zedtrace: \Q$dir\E/gone/x\.dat\.zed was removed while it was recorded: }m, 'a removed directory: it is said');
	my $report = live_report($r->{err}) // {};
	is("$report->{events} $report->{kib}", '0 0', '... and the report counts what a reader finds: nothing (else: events are "recorded" that are not there)');
	unlike($r->{err}, qr/--recover/, '... and names nothing that could be recovered');
}
{
	mkdir "$dir/gone";
	my $r = loses('a directory that is renamed', 1, sub { 1 }, sub { rename "$dir/gone", "$dir/there" }, '-o', "$dir/gone/x.dat");
	like($r->{err}, qr{x\.dat\.zed was renamed while it was recorded: .*--recover}m, 'a directory that is renamed: it is said');
	my $p = zed_run({ time => $long, memory => 0 }, 'zedtrace', '--recover', "$dir/there/x.dat.zed", '-o', "$dir/x.dat");
	is(eval { dat_events("$dir/x.dat")->{events} }, (live_report($r->{err}) // {})->{events}, '... and the events of the report are in it') or diag($p->{err});
}
for my $n (1 .. 5) {	# wherever it is: one file is put together while the next is written
	mkdir "$dir/gone";
	my $r = loses('a removed directory of --rotate', 2, sub { $n <= (() = glob "$dir/gone/*.dat") }, sub {
		my ($h) = @_;
		live_signal($h, 'STOP');	# or it makes further files while these are removed
		system 'rm', '-rf', "$dir/gone";
		live_signal($h, 'CONT');
	}, '--rotate', '300ms', '-o', "$dir/gone/x.dat");
	is((live_report($r->{err}) // {})->{events}, 0, '... the report does not count the files before it, which have gone as well') or diag($r->{err});
}
{	# a limit on the size of files
	my $file = "$dir/limit.dat";
	my $load = storm_start(60);
	my $r = leaves_nothing('ulimit -f', sub {
		zed_run({ time => $long, memory => 0, size => 8 << 20 }, 'zedtrace', '-o', $file, '-b', 4096, '-d', 30, 'raw_syscalls');
	});
	storm_end($load);
	is("$r->{signal} $r->{exit}", '0 1', 'ulimit -f: exit 1, no signal') or diag $r->{err};
	like($r->{err}, qr/--recover/, 'ulimit -f: with what to do next');
	my $p = zed_run({ time => $long, memory => 0 }, 'zedtrace', '--recover', "$file.zed");
	is($p->{exit}, 0, 'ulimit -f: --recover') or diag $p->{err};
	unlink $file;
	system 'rm', '-rf', "$file.zed";
}

done_testing();
