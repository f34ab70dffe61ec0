# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace on the running kernel, to a file, while a command runs or for a time: what it wrote is what the kernel counted,
# as trace-cmd, an independent walk of the pages and zedprint tell.  Without it a recording could lack events, or end
# with the wrong exit status, and nobody would see it.
#
# of: programs/zedtrace record kernel
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- a file, while a command runs
{
	my $file = "$dir/command.dat";
	my $before = mono_now();
	my $r = leaves_nothing('a command recorded', sub {
		record('-o', $file, 'sched', 'irq', '--', 'sh', '-c', 'for i in 1 2 3 4 5 6 7 8; do (:); /bin/true; done; exit 7');
	});
	is($r->{exit}, 7, "the command's exit status is zedtrace's (else: make and && do not see failures)") or diag $r->{err};
	my $report = live_report($r->{err});
	ok($report, 'there is a closing report in the shape of the seed') or diag $r->{err};
	SKIP: {
		skip 'no report', 12 if !$report;
		cmp_ok($report->{events}, '>', 20, 'events were recorded');
		is($report->{channel}, 'command', 'the channel is named as the file is');
		my $sum = adds_up('a command', $file, $report);
		is($sum->{clock}, 'mono', 'the clock is mono (else: times do not compare with those of programs)');
		cmp_ok($sum->{first} / 1e9, '>', $before, 'the first event is not from before the recording');
		cmp_ok($sum->{last} / 1e9, '<', mono_now(), 'nor the last from after it');
		is(zed_lines($file), $report->{events}, 'zedprint prints a line for each event');
		for my $cpu (sort keys %{$report->{cpus}}) {
			my $kib = ($sum->{size}{$cpu} // 0) / 1024;
			cmp_ok(abs($report->{cpus}{$cpu}[1] - $kib), '<=', 1, "cpu $cpu: KiB of the report are those in the file");
		}
		my $stock = stock_count($file);
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $report->{events}, 'trace-cmd report prints a line for each event (else: others cannot read our files)');
	}
	ok(!-e "$file.zed", 'the directory of the unfinished recording is gone');
}
{
	my $r = record('-o', "$dir/killed.dat", 'sched', '--', 'sh', '-c', 'kill -9 $$');
	is($r->{exit}, 128 + 9, 'a command that a signal ended gives 128 and its number, as in a shell');
	$r = leaves_nothing('a command that is not there', sub { record('-o', "$dir/none.dat", 'sched', '--', "$dir/none") });
	is($r->{exit}, 127, 'a command that is not there gives 127');
	ok(!-e "$dir/none.dat" && !-e "$dir/none.dat.zed", 'and no file');
}

# ---------------------------------------------------------------- a time
{
	my $file = "$dir/time.dat";
	my $load = drizzle_start(60);	# events all the time
	my $r = record('-o', $file, '-d', '0.5', 'sched');
	storm_end($load);
	is($r->{exit}, 0, '-d: exit 0') or diag $r->{err};
	cmp_ok($r->{seconds}, '>=', 0.5, '-d 0.5 takes half a second ...');
	ok(!$r->{late}, '... and ends it');
	my $sum = dat_events($file);
	my $span = ($sum->{last} - $sum->{first}) / 1e9;
	ok($span > 0.2 && $span < 5 && $span < $r->{seconds}, "the events span that time ($span s)");
}

done_testing();
