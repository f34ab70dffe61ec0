# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace on the running kernel, into pipes: one stream gives the same live, saved and converted, and a consumer that
# ends ends the recorder.  Without it live and later differ, or recorders stay that nobody reads.
#
# of: programs/zedtrace record reader/zedstream
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
my $scripts = abs_path('scripts');
my $long = long_limit();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- one stream, four readers
for my $o (['at rest', '-d 0.5 sched irq'], ['under load, with losses', '-d 0.2 -b 16 raw_syscalls sched']) {
	my ($what, $args) = @$o;
	my $load = $what =~ /load/ ? storm_start(30) : undef;
	my $r = leaves_nothing("$what: tee", sub {
		pipeline("\$ZT $args -o - 2>\$D/zt.err | tee \$D/f.zed | \$ZP -i - \$S/countall.pl");
	});
	storm_end($load) if $load;
	is($r->{exit}, 0, "$what: zedperl ends well") or diag $r->{err};
	my $report = live_report(slurp("$dir/zt.err"));
	ok($report, "$what: the report comes on stderr when stdout is a stream too") or diag slurp("$dir/zt.err");
	my $total = counted($r->{out});
	is($total, $report && $report->{events}, "$what: live counts are those of the report");
	my $saved = zed_run({ time => $long }, 'zedperl', "$dir/f.zed", "$scripts/countall.pl");
	is($saved->{out}, $r->{out}, "$what: the saved stream gives the same (else: live and later differ)") or diag $saved->{err};
	my $c = record('--convert', "$dir/f.zed", '-o', "$dir/f.dat");
	is($c->{exit}, 0, "$what: --convert") or diag $c->{err};
	my $dat = zed_run({ time => $long }, 'zedperl', "$dir/f.dat", "$scripts/countall.pl");
	is($dat->{out}, $r->{out}, "$what: and so does the trace.dat made of it") or diag $dat->{err};
	my $stock = stock_count("$dir/f.dat");
	SKIP: {
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $total, "$what: trace-cmd reads that");
	}
	unlink "$dir/f.dat", "$dir/f.zed";
}

# ---------------------------------------------------------------- consumers that end
{
	my $r = leaves_nothing('consumers that end at once, twenty times', sub {
		pipeline('for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ($ZT sched -o - 2>$D/e; echo $? >>$D/rc; cat $D/e >>$D/all) | true; done');
	});
	ok(!$r->{late}, 'a consumer that ends at once ends the recorder (else: the bug of the seed)');
	is(slurp("$dir/rc"), "0\n" x 20, 'each time with exit 0');
	unlike(slurp("$dir/all"), qr/pipe/i, 'and without a word of broken pipes');
	my $load = storm_start(30);
	$r = leaves_nothing('a consumer that ends early', sub {
		pipeline('($ZT raw_syscalls -o - 2>$D/e; echo $? >$D/rc) | head -c 8000000 >$D/cut.zed');
	});
	storm_end($load);
	ok(!$r->{late}, 'a consumer that ends in the middle ends the recorder');
	is(slurp("$dir/rc"), "0\n", 'exit 0') or diag slurp("$dir/e");
	unlike(slurp("$dir/e"), qr/broken pipe/i, 'quietly');
	$r = zed_run({ time => $long, memory => 0 }, 'zedperl', '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print $n }', "$dir/cut.zed");
	cmp_ok($r->{out} || 0, '>', 1000, 'what it got is readable up to the last whole frame');
	is(scalar @{$r->{lines}}, 1, 'with one line about the rest') or diag $r->{err};
	unlink "$dir/cut.zed";
}

done_testing();
