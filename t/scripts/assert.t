# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl assert: does a trace keep limits?  Without it a deadline that is missed once in a recording is found by reading
# tables, or a recording that lost the events passes.
#
# of: scripts/assert.pl lib/Zed/Gate/Limit.pm lib/Zed/Gate/Run.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use JSON::PP ();
use Pass;
use Run::Gate;
use Run::Program qw(zed_run);
use Run::Zedperl;
use Write::Miniature;

# Tasks: 20 waits 10, 30 and 50 us; 21 waits 400 us; 30 waits 5 us.
my $dat = miniature('100 0 0 waking 20 | 110 0 0 switch 0 R 20 | 120 0 20 switch 20 S 0 | 200 0 0 waking 20 | 230 0 0 switch 0 R 20 | 240 0 20 switch 20 S 0'
	. '| 300 0 0 waking 20 | 350 0 0 switch 0 R 20 | 360 0 20 switch 20 S 0 | 400 0 0 waking 21 | 800 0 0 switch 0 R 21 | 810 0 21 switch 21 S 0'
	. '| 900 0 0 waking 30 | 905 0 0 switch 0 R 30 | 910 0 30 switch 30 S 0');

# A limit: its status, the row that is shown, its value in ns (or as it is), how many rows it is about, how many break it.
my @LIMITS = (['wakeup-latency: max < 500us', 0, 'ALL', 400_000, 1, 0], ['wakeup-latency: max < 400us', 3, 'ALL', 400_000, 1, 1], ['wakeup-latency: max <= 0.4ms', 0, 'ALL', 400_000, 1, 0],
	['wakeup-latency: max < 50us where task ~ "t2*"', 3, 't21', 400_000, 2, 2], ['wakeup-latency: max < 60us where task ~ "t2*"', 3, 't21', 400_000, 2, 1],
	['wakeup-latency: max < 60us where comm == t20', 0, 't20', 50_000, 1, 0], ['wakeup-latency: max < 60us where task ~ t2? and not task == t21', 0, 't20', 50_000, 1, 0],
	['wakeup-latency: max < 60us where task == t30 or (n >= 3 && task !~ "x*")', 0, 't20', 50_000, 2, 0], ['wakeup-latency: n >= 1 where max < 1s', 0, 't21', 1, 3, 0],
	['wakeup-latency: n == 3 where task == t20', 0, 't20', 3, 1, 0], ['wakeup-latency: avg < 31us where task == t20', 0, 't20', 30_000, 1, 0], ['wakeup-latency: mean > 31us where task == t20', 3, 't20', 30_000, 1, 1],
	['wakeup-latency: p50 == 30us', 0, 'ALL', 30_000, 1, 0], ['wakeup-latency: p75 < 51us', 0, 'ALL', 50_000, 1, 0], ['wakeup-latency --by pid: max < 60us where pid == 20', 0, 'pid 20', 50_000, 1, 0]);
for (small() ? @LIMITS[0 .. 4] : @LIMITS) {
	my ($limit, $status, $key, $value, $rows, $broken) = @$_;
	my $run = assertion($dat, $limit);
	is($run->{status}, $status, "$limit: $status") or diag $run->{err};
	my $check = $run->{checks}[0] // {};
	is_deeply([@$check{qw(key value rows broken verdict)}], [$key, $value, $rows, $broken, $status ? 'beyond' : 'within'], '... what was found');
}
my $run = assertion($dat, 'wakeup-latency: max < 60us where task ~ "t2*"', 'wakeup-latency: n > 0');
is($run->{checks}[0]{sentence}, 'wakeup-latency max: t21 400 us; the limit is < 60us, and 1 of 2 rows breaks it', 'in words: what was measured, the limit, who breaks it');
is($run->{status}, 3, 'of several the worst');
my ($next) = notes_of($run, 'next');
my @events = map { JSON::PP::decode_json($_) } split /\n/, zed_run('zedprint', '-f', 'json', (split ' ', $next)[1 .. 5])->{out};
is_deeply([$events[0]{fields}{pid}, $events[-1]{fields}{next_pid}], [21, 21], 'the next step shows the case: from its waking to its switch');
ok((grep { /whether another run is like it/ } notes_of($run, 'one')), 'what one trace does not say is said');

# What is next shows what broke (else: too many errors lead to the longest call).
is_deeply([map { notes_of(assertion('docs/shell.dat', $_), 'next') } 'syscalls: errors == 0', 'syscalls: n < 5', 'wakeup-latency: max > 1s'], [], 'a limit about how often, or one that asks for more: no command');
($next) = notes_of(assertion('docs/shell.dat', 'why-late.parts: time < 1ms where what == runs'), 'next');
like($next, qr{^zedprint --start 7\.\d{9} --end 7\.\d{9} docs/shell\.dat$}, 'of a row that is one case: that case');
my ($of, $till) = (split ' ', $next)[2, 4];
my ($part) = sort { $b->{time} <=> $a->{time} } grep { $_->{what} eq 'runs' } @{JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'why-late', '--json')->{out})->{tables}{parts}{rows}};
is("$of $till", sprintf('%.9f %.9f', map { $_ / 1e9 } $part->{from}, $part->{from} + $part->{time}), '... the longest of those that break it');

# A part of the trace; each analysis is run once.
is(assertion('--end', '1.0003', $dat, 'wakeup-latency: max < 60us')->{status}, 0, '--end: of that part');
is(assertion($dat, 'wakeup-latency: max < 60us', '--pid', 30)->{status}, 0, '--pid');

# Nothing was measured, or it is not known whether all was.
$run = assertion($dat, 'wakeup-latency: max < 5ms where task ~ "rt-*"');
is($run->{status}, 4, 'no row fits: 4 (else: a renamed thread passes)');
is($run->{checks}[0]{sentence}, 'wakeup-latency max: there is no row that fits, so nothing was measured; there are t20, t21, t30', '... and which rows there are');
$run = assertion($dat, 'irq: p99 < 1ms');
is($run->{status}, 4, 'nothing of that kind in the trace: 4');
my $lossy = waits(50, 20, loss => 1);
$run = assertion($lossy, 'wakeup-latency: max < 1s');
is($run->{status}, 4, 'kept, but events were lost: 4');
like($run->{checks}[0]{sentence}, qr/, the limit is < 1s, and it is kept in what was recorded, but events were lost \(3 at least\), which may hide more: record with larger buffers/, '... and what to do');
is(assertion($lossy, 'wakeup-latency: max < 1s', '--lossy')->{status}, 0, '--lossy takes it as it is');
is(assertion($lossy, 'wakeup-latency: max < 1us')->{status}, 3, 'one that is broken is broken all the same');

# More events can only increase a count: what they could change cannot be told (else: a recording that lost most of it fails
# a test, or passes it).
my $n = assertion($lossy, 'wakeup-latency: n > 0')->{checks}[0]{value};
my @settled = (['n > 1000', 4], ['n > 10', 0], ["n >= $n", 0], ['n < 10', 3], ['n < 1000', 4], ["n == $n", 4], ['n == 10', 3], ['n == 60', 4], ['n != 10', 0], ['n != 60', 4], ['max > 1us', 0], ['max > 1s', 4], ['avg > 1us', 4],
	['n > 10 where task == t20', 0], ['n > 10 where task ~ "t*"', 4]);
for (small() ? @settled[0 .. 1] : @settled) {
	my ($limit, $status) = @$_;
	$run = assertion($lossy, "wakeup-latency: $limit");
	is($run->{status}, $status, "with losses, $limit: $status") or diag explain $run->{checks};
}
like(assertion($lossy, 'wakeup-latency: n > 1000')->{checks}[0]{sentence}, qr/ALL $n; the limit is > 1000, in what was recorded, but events were lost \(3 at least\), which may hide more/, '... and why');

# Losses at unknown times, and damage (else: half a recording passes).
is(assertion(waits(50, 20, options => [[2, "CPU: 0\nentries: 0\noverrun: 7\ncommit overrun: 0\ndropped events: 0\n\0"]]), 'wakeup-latency: max < 1s')->{status}, 4, 'losses at unknown times: 4');
my $cut = temp_path('.dat');
spew($cut, substr slurp('docs/shell.dat'), 0, 110_000);
$run = assertion($cut, 'wakeup-latency: max < 50ms');
is($run->{status}, 4, 'a file that is cut off: 4');
like($run->{checks}[0]{sentence}, qr/ but the trace is cut off or damaged, which may hide more: record again, or take it as it is with --lossy$/, '... and why');
spew($cut, substr slurp('docs/shell.dat'), 0, 90_000);
unlike(assertion($cut, 'wakeup-latency: max < 50ms')->{err}, qr/^(?!zedperl: )/m, '... and nothing of Perl is said (else: a reader looks for a bug in his limit)');
is(assertion($cut, 'wakeup-latency: max < 50ms', '--lossy')->{status}, 0, '--lossy takes it as it is');

# A count is the one that is named (else: the first of several is judged).
$run = assertion('--lossy', $lossy, 'lost: n == 1', 'lost: events == 3');
is_deeply([map { $_->{value} } @{$run->{checks}}], [1, 3], 'one gap, three events');

# Units: shares, sizes, numbers.
is(assertion('docs/shell.dat', 'sched-summary: share <= 100%', 'block: n >= 0')->{status} % 4, 0, 'shares are in %');
is(assertion('t/data/block.dat', 'block: n > 0')->{checks}[0]{verdict}, 'within', 'an analysis without a row of all: each row');

# Another table than the first.
$run = assertion('docs/shell.dat', 'sched-summary.tasks: share < 50% where task == sh');
is($run->{status}, 0, 'a limit of another table: 0') or diag $run->{err};
my ($sh) = grep { $_->{comm} eq 'sh' } @{JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'sched-summary', '--json')->{out})->{tables}{tasks}{rows}};
is_deeply([@{$run->{checks}[0]}{qw(key value)}], ['sh', $sh->{share}], '... the number of that row');
$run = assertion('docs/shell.dat', 'sched-summary.task: share < 50%');
is($run->{status}, 2, 'a table that is none: 2');
is($run->{err}, "assert: sched-summary of docs/shell.dat has no table 'task': it has cpus, slices, tasks\n", '... and which there are');

# Rows of the same name, each of which counts (else: the longest of them passes).
my $why = JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'why-late', '--json')->{out})->{tables}{parts}{rows};
my @runs = sort { $b <=> $a } map { $_->{what} eq 'runs' ? $_->{time} : () } @$why;
$run = assertion('docs/shell.dat', 'why-late.parts: time < 1ms where what == runs');
is($run->{status}, 3, 'rows of the same name: 3');
is_deeply([@{$run->{checks}[0]}{qw(value rows broken)}], [$runs[0], scalar @runs, scalar grep { $_ >= 1_000_000 } @runs], '... each row is judged');
my $buckets = JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'wakeup-latency', '--json')->{out})->{tables}{histogram}{rows};
$run = assertion('docs/shell.dat', 'wakeup-latency.histogram: n < 0');
is($run->{checks}[0]{rows}, scalar @$buckets, 'a distribution: each bucket');
like($run->{checks}[0]{key}, qr/^from [\d.]+ [um]s$/, '... named by where it begins, not by its bar');

# Mistakes, with their place.
my @MISTAKES = (['wakeup-latency max < 5ms', 1, qr/expected 'ANALYSIS: NUMBER < VALUE'/], ['wakeup-latncy: max < 5ms', 1, qr/there is no analysis 'wakeup-latncy'; did you mean 'wakeup-latency'\?/],
	['wakeup-latency: mx < 5ms', 17, qr/there is no column 'mx'/], ['wakeup-latency: max < 5', 24, qr/a unit is missing here: it takes ns us ms s/], ['wakeup-latency: max < 5kg', 24, qr/'kg' is not a unit of this number/],
	['wakeup-latency: max 5ms', 21, qr/expected <, <=, >, >=, ==, !=, ~ or !~/], ['wakeup-latency: max <', 22, qr/expected a value/], ['wakeup-latency: max < "5ms"', 23, qr/the limit of a number is a number/],
	['wakeup-latency: max < 5ms if 1', 27, qr/expected 'where' or the end/], ['wakeup-latency: max < 5ms where task < 5', 38, qr/'task' is a text: it takes ==, !=, ~ and !~/],
	['wakeup-latency: max < 5ms where n ~ "5*"', 35, qr/'n' is a number: it takes/], ['wakeup-latency: max < 5ms where tsk == sh', 33, qr/there is no column 'tsk'; did you mean 'task'|there is no column 'tsk'/],
	['wakeup-latency: max < 5ms where (n > 1', 39, qr/expected '\)'/], ['wakeup-latency: max < 5ms where task ~ "rt', 40, qr/the closing " is missing/], ['wakeup-latency: max < 5ms where n > 1 n > 2', 39, qr/expected 'and', 'or' or the end/]);
for (small() ? @MISTAKES[0 .. 2] : @MISTAKES) {
	my ($limit, $column, $why) = @$_;
	my $wrong = assertion($dat, $limit);
	is($wrong->{status}, 2, "$limit: 2");
	my @said = split /\n/, $wrong->{err};
	like($said[0] // '', qr/^assert: limit: column $column: $why/, '... where, and what is wrong');
	is_deeply([@said[1, 2]], ["assert:   $limit", 'assert:   ' . ' ' x ($column - 1) . '^'], '... with the place below it');
}
for ([[$dat], qr/two words are needed at least/], [['/no/such.dat', 'irq: n > 0'], qr{/no/such\.dat}]) {
	my ($words, $why) = @$_;
	my $wrong = assertion(@$words);
	is($wrong->{status}, 2, 'words that are missing, or wrong: 2');
	like($wrong->{err}, $why, '... and why');
}

done_testing();
