# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --max-rate and --max-cpu: the event that a storm makes is switched off, which is said, counted and in the file,
# the others are recorded, and it comes back.  Without it a recorder that is left running takes the machine when a storm
# comes, or events are missing and nobody knows.
#
# of: record/budget.c programs/zedtrace programs/zedprint programs/zedperl
# runs: make check
use strict;
use warnings;
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $BUSY = 'raw_syscalls:sys_enter';
my $OTHER = 'sched:sched_process_exec';
my $OFF = qr/^zedtrace: --max-rate 5000 is exceeded \((\d+) events\/s\): \Q$BUSY\E, about (\d+)\/s, is switched off, and on again in (\d+) s$/m;

sub said { return slurp($_[0]{err}->filename) }

# Waits until COUNT lines of what H says match RE.
sub says {
	my ($h, $re, $count) = @_;
	return wait_until(60, sub {
		my $n = 0;
		my $text = said($h);
		$n++ while $text =~ /$re/g;
		return $n >= $count;
	});
}

# The times of --summary: [from, to in s, or undef], of the event BUSY.
sub off_times {
	my ($path) = @_;
	my $r = zed_run({ time => 60, memory => 0 }, 'zedprint', '--summary', $path);
	return map { [$_ =~ /^  switched off +\Q$BUSY\E was switched off from (\d+\.\d{9}) to (?:(\d+\.\d{9})|the end)$/] }
		grep { /^  switched off / } split /\n/, $r->{out};
}

# ---------------------------------------------------------------- one file
{
	my $load = drizzle_start(120);
	my $r = leaves_nothing('--max-rate', sub {
		my $h = live_start('zedtrace', '--max-rate', 5000, $BUSY, $OTHER, '-P', $load, '-o', "$dir/b.dat");
		ok(says($h, $OFF, 1), 'a storm: its event is switched off, which is said with its rate (else: silence)') or diag(said($h));
		ok(says($h, qr/: \Q$BUSY\E is switched on again$/m, 1), '... and on again');
		ok(says($h, $OFF, 2), '... and off again, as the storm goes on');
		live_signal($h, 'INT');
		live_end($h);
	});
	storm_end($load);
	is($r->{exit}, 0, '... and it ends well') or diag($r->{err});
	my @waits = map { /$OFF/ ? $3 : () } @{$r->{lines}};
	is_deeply([@waits[0, 1]], [2, 4], '... the second time for twice as long (else: a storm of hours is tried each moment)');
	unlike($r->{err}, qr/another process/, '... and no other process is blamed');
	like($r->{err}, qr/^Switched off: \Q$BUSY\E, 2 times, \d+\.\d s together$/m, '... and the report counts it');
	my @times = off_times("$dir/b.dat");
	is(scalar @times, 2, 'the file says when it was off (else: a reader takes it for a quiet machine)');
	ok(defined $times[0][1] && $times[0][1] > $times[0][0] + 1.5, '... for two seconds') or diag(explain(\@times));
	ok(!defined $times[1][1], '... and to the end');
	my ($before, $in, $between) = (0, 0, 0);
	dat_events("$dir/b.dat", sub {
		my (undef, undef, $ts) = @_;
		my $s = $ts / 1e9;
		$before++ if $s < $times[0][0];
		# In the first moment a CPU may still write what it had begun.
		$in++ if $s > $times[0][0] + 0.05 && $s < $times[0][1];
		$between++ if $s > $times[0][1] && $s < $times[1][0];
	});
	is($in, 0, '... and in that time it has none');
	ok($before > 1000 && $between > 1000, '... but before and after') or diag("$before $between");
}

# ---------------------------------------------------------------- several files, a stream, live: at the same time
{
	my $load = drizzle_start(120);
	my (%h, %r);
	leaves_nothing('several at once', sub {
		$h{files} = live_start('zedtrace', '--max-rate', 5000, '--rotate', '300ms', $BUSY, $OTHER, '-o', "$dir/r.dat");
		$h{stream} = live_start({ stdout => "$dir/s.zed" }, 'zedtrace', '-o', '-', '--max-rate', 5000, $BUSY);
		$h{live} = live_start('zedperl', "--live=$BUSY,$OTHER", '--max-rate', 5000, '--metrics-file', "$dir/m.prom", '--metrics-every', '500ms',
			'-e', 'sub raw_syscalls::sys_enter {} sub sched::sched_process_exec { print "other\n" }');
		says($h{files}, $OFF, 1);
		my $first = () = glob "$dir/r.*.dat";
		system '/bin/true';
		wait_until(60, sub { $first + 3 <= (() = glob "$dir/r.*.dat") });
		says($h{stream}, $OFF, 1);
		ok(says($h{live}, qr/^zedperl: --max-rate 5000 is exceeded \(\d+ events\/s\): \Q$BUSY\E, about \d+\/s, is switched off/m, 1),
			'zedperl --live switches it off, too') or diag(said($h{live}));
		ok(wait_until(60, sub { (eval { slurp("$dir/m.prom") } // '') =~ /^zed_switched_off_total\{event="\Q$BUSY\E"\} [1-9]/m }),
			'... and a metric counts it (else: an alert cannot see it)');
		ok(wait_until(60, sub { system '/bin/true'; said($h{live}) =~ /is switched on again/ }), '... and on again');
		live_signal($_, 'INT') for values %h;
		$r{$_} = live_end($h{$_}) for keys %h;
	});
	storm_end($load);
	like(slurp("$dir/m.prom"), qr/^zed_metric_series 0$/m, '... and the metric is not one of the script');
	like($r{live}{out}, qr/^other$/m, '... while other events reach the script');
	like($r{live}{err}, qr/^zedperl: Switched off: \Q$BUSY\E, \d+ times?, /m, '... and the end says it');
	my @files = sort glob "$dir/r.*.dat";
	my $exec = 0;
	$exec += dat_events($_)->{name}{'sched::sched_process_exec'} // 0 for @files;
	cmp_ok($exec, '>', 0, 'several files: other events are recorded meanwhile (else: a storm hides what is looked for)');
	my @say = grep { my ($t) = off_times($_); $t && !defined $t->[1] } @files;
	cmp_ok(scalar @say, '>', 1, '... and each in which it was off says so') or diag("@files");
	cmp_ok(scalar(() = off_times("$dir/s.zed")), '>', 0, 'a stream says so, too');
}

# ---------------------------------------------------------------- CPU time
{
	my $load = storm_start(120);
	my $h = live_start({ stdout => "$dir/c.zed" }, 'zedtrace', '-o', '-', '-z', 'zstd', '--max-cpu', 1, 'raw_syscalls');
	ok(says($h, qr/--max-cpu 1 is exceeded \(\d+\.\d %\): raw_syscalls:sys_\w+, about \d+\/s, is switched off/, 2),
		'--max-cpu: one event after the other is switched off') or diag(said($h));
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, '... and it ends well');
	storm_end($load);
}

done_testing();
