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
