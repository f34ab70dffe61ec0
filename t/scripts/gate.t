# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl compare --limit: within, beyond, cannot tell, each with its exit status; the baseline in a file.  Without it a CI
# job fails on a noisy machine, or passes a change that nobody could have seen.
#
# of: scripts/compare.pl lib/Zed/Gate.pm lib/Zed/Gate lib/Zed/Contrast.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib', 'lib';
use Files;
use JSON::PP ();
use Pass;
use Run::Browser;
use Run::Gate;
use Run::Program qw(zed_run);
use Run::Zedperl;
use Zed::Contrast;
use Zed::Gate;

srand($ENV{ZED_SEED} // 35);

# ---- the numbers: bounds by ranks, from the table of Mann and Whitney (5 and 5: one-sided 5 %: U <= 4; 1 %: U <= 1)
my ($first, $second) = ([100 .. 104], [110 .. 114]);
my @changes = sort { $a <=> $b } map { my $x = $_; map { $_ - $x } @$second } @$first;
my $found = Zed::Contrast::bounds_of_runs($first, $second, 0, 0.05, 0.01, 0.001);
is_deeply($found->{bounds}, [[@changes[4, -5]], [@changes[1, -2]], undef], 'bounds of five and five at 5 %, 1 % and, which they cannot have, 0.1 %');
is($found->{by}, 10, 'and the change: the median of all differences');
is(join(' ', map { Zed::Contrast::least_runs($_) } 0.05, 0.01, 0.001), '3 5 7', 'how many runs have a bound: 1/20, 1/252, 1/3432');
is(sprintf('%.3f %.3f %.3f', map { Zed::Contrast::normal_quantile($_) } 0.05, 0.025, 0.2), '1.645 1.960 0.842', 'quantiles of the normal distribution');
is(sprintf('%.2f %.2f', map { Zed::Contrast::_t_quantile($_, 9) } 0.05, 0.005), '1.83 3.25', '... and of Student\'s, of 9 degrees of freedom, as tables have them');

# ---- the verdicts, with runs
my @same = map { waits(50, 40) } 1 .. 5;
my @again = map { waits(50, 40) } 1 .. 5;
my @slower = map { waits(80, 40) } 1 .. 5;
my $gate = gate('wakeup-latency', '--limit', 'avg: +25%', @same, '--', @again);
is($gate->{status}, 0, 'no change, far from the limit: 0') or diag $gate->{err};
is_deeply([map { [@$_{qw(verdict key number n_a n_b in_parts)}] } @{$gate->{checks}}], [['within', 'ALL', 'avg', 5, 5, 1]], 'the check says so');
cmp_ok($gate->{checks}[0]{high}, '<=', 0.25, 'its upper bound is below the limit');

$gate = gate('wakeup-latency', '--limit', 'avg: +25%', @same, '--', @slower);
is($gate->{status}, 3, 'half as much again: 3');
my ($check) = @{$gate->{checks}};
cmp_ok(abs($check->{by} - 0.6), '<', 0.12, 'by how much');
like($check->{sentence}, qr/^wakeup-latency avg: \d+\.\d us in A, \d+\.\d us in B \(medians of 5 and 5 runs\), \d+ % more \(the median of all 25 pairs of runs\); at least \d+ % more \(95 % sure\); the limit is \+25%$/, 'what was measured, how sure it is, the limit');
is_deeply([notes_of($gate, 'beyond')], ["beyond: $check->{sentence}"], 'and it stands above all');
my ($next) = notes_of($gate, 'next');
like($next, qr/^zedprint --start 1\.\d{9} --end 1\.\d{9} \S+\.dat$/, 'the next step: a command that shows the longest case');
my @shown = map { JSON::PP::decode_json($_) } split /\n/, zed_run('zedprint', '-f', 'json', (split ' ', $next)[1 .. 5])->{out};
is($shown[0]{event}, 'sched::sched_waking', '... which does: it begins with its waking');

# As docs/ci.md does it: the window of the worst case, as a trace of its own.
my $cut = temp_path('.dat');
is(zed_run('zedprint', '--cut', $cut, (split ' ', $next)[1 .. 5])->{exit}, 0, 'the worst window can be cut out');
is_deeply([map { JSON::PP::decode_json($_)->{ts} } split /\n/, zed_run('zedprint', '-f', 'json', $cut)->{out}], [map { $_->{ts} } @shown], '... with the events that it has');

# A limit at the change itself: neither is sure.
$gate = gate('wakeup-latency', '--limit', 'avg: +60%', @same, '--', @slower);
is($gate->{status}, 4, 'a limit within the noise: 4');
like($gate->{checks}[0]{sentence}, qr/but it may be anything from \+\d+ % to \+\d+ % \(90 % sure\); the limit is \+60%: /, 'between which bounds it is: each is wrong in 5 %, so both are right in 90 %');
like($gate->{checks}[0]{sentence}, qr/(?:about \d+|not even 200) runs a side would decide$/, 'and how many runs would do');

# Limits downwards, in both directions, by amounts, of a row, of rows; A from a file, which has the same numbers.
my $base = temp_path('.base');
my $made = gate('wakeup-latency', '--baseline', $base, @same);
my @limits = (['avg: +20us', 3], ['avg: +60us', 0], ['t20 avg: +20us', 3], ['* avg: +20us', 3], ['avg: -10%', 0], ['avg: +-15%', 3], ['avg: +-200%', 0], ['rate: -60%', 0], ['rate: -5%', 3], ['rate: +0%', 0], ['n: +0%', 0]);
for (small() ? @limits[0, 2] : @limits) {
	my ($limit, $status) = @$_;
	$gate = gate('wakeup-latency', '--baseline', $base, '--limit', $limit, '--', @slower);
	is($gate->{status}, $status, "$limit: $status") or diag explain $gate->{checks}, $gate->{err};
}
# The rest takes longer.
if (small()) {
	done_testing();
	exit 0;
}
# Several limits: one that is beyond decides, and each needs to be surer.
$gate = gate('wakeup-latency', '--limit', 'avg: +25%', '--limit', 't20 p50: +60%', '--limit', 'nobody avg: +10%', @same, '--', @slower);
is_deeply([map { $_->{verdict} =~ s/.*(?=cannot)//r } @{$gate->{checks}}[0, 2]], ['beyond', 'cannot tell'], 'several: each has its verdict');
is($gate->{status}, 3, 'and one that is beyond is the answer');
like($gate->{checks}[0]{sentence}, qr/\(95 % sure, for all 3 limits together\)/, 'sure for all together');
like($gate->{checks}[2]{sentence}, qr/^wakeup-latency nobody avg: A has no such row;/, 'a row that is in no trace is not within');

# Beyond alone, and not together with others: the message says so (else: an interval beyond its limit is called unknown).
my @some = (@same[0 .. 2], '--', @slower[0 .. 2]);
is(gate('wakeup-latency', '--limit', 'avg: +25%', @some)->{status}, 3, 'three runs a side and one limit: 3');
$gate = gate('wakeup-latency', '--limit', 'avg: +25%', '--limit', 'p50: +500%', @some);
is($gate->{status}, 4, '... and two: 4');
like($gate->{checks}[0]{sentence}, qr/ \(90 % sure\); the limit is \+25%: for this limit alone it is beyond; for all 2 limits together about 4 runs a side would decide$/, '... and why');
is_deeply([map { scalar(() = $_->{sentence} =~ /\(90 % sure\)/g) } @{gate('wakeup-latency', '--limit', 'avg: +-200%', '--limit', 'avg: +200%', @same, '--', @slower)->{checks}}], [1, 0], 'an interval is less sure than one bound');

# A change and two medians that contradict each other: what each of them is is said.
my @crossed = map { waits($_, 40) } 10, 20, 100, 101, 102;
like(gate('wakeup-latency', '--limit', 'avg: +25%', @crossed, '--', @same)->{checks}[0]{sentence}, qr/ in B \(medians of 5 and 5 runs\), [\d.]+ % (?:more|less) \(the median of all 25 pairs of runs\)/, 'of which numbers the change is the median');

# Too few runs.
$gate = gate('wakeup-latency', '--limit', 'avg: +25%', '--level', 1, @same[0 .. 2], '--', @slower[0 .. 2]);
is($gate->{status}, 4, 'three runs a side at 1 %: 4');
like($gate->{checks}[0]{sentence}, qr/3 and 3 runs can decide nothing; the limit is \+25%: 5 runs a side would do$/, 'it says how many it takes');
$gate = gate('wakeup-latency', '--limit', 'avg: +25%', $same[0], '--', @slower);
is($gate->{status}, 4, 'one run against five: 4');

# One run a side: by blocks of samples.
my ($long, $longer) = map { waits($_, 300) } 50, 80;
for (['p50: +25%', 3], ['p50: +120%', 0], ['p95: +300%', 0], ['p99: +10%', 4], ['max: +10%', 4]) {
	my ($limit, $status) = @$_;
	$gate = gate('wakeup-latency', '--limit', $limit, $long, '--', $longer);
	is($gate->{status}, $status, "one run a side, $limit: $status") or diag explain $gate->{checks};
}
like($gate->{checks}[0]{sentence}, qr/one run a side does not show how max varies.*: 3 runs a side would do$/, 'a maximum takes several runs');
ok((grep { /the intervals leave out how much runs vary/ } notes_of($gate = gate('wakeup-latency', '--limit', 'p50: +25%', $long, '--', $longer), 'one')), 'what one run does not say is said');

# Nothing was measured: that is no pass.
my $none = miniature_of_irqs();
is(gate('wakeup-latency', '--limit', 'avg: +25%', $none, '--', $none)->{status}, 4, 'traces without a wait: 4 (else: a broken recording passes)');
sub miniature_of_irqs { require Write::Miniature; return Write::Miniature::miniature('0 0 5 irq 1 | 10 0 5 irqx 1') }

# ---- a baseline
is($made->{status}, 0, '--baseline with traces of A alone writes it') or diag $made->{err};
is_deeply([notes_of($made, 'baseline')], ["$base has 5 runs of wakeup-latency"], '... and says what is in it');
is((stat $base)[2] & 0777, 0600, '... for its owner alone');
for ([\@again, 0], [\@slower, 3]) {
	my ($runs, $status) = @$_;
	my ($of_file, $of_traces) = (gate('wakeup-latency', '--baseline', $base, '--limit', 'avg: +25%', '--', @$runs), gate('wakeup-latency', '--limit', 'avg: +25%', @same, '--', @$runs));
	is($of_file->{status}, $status, "compared with it: $status") or diag $of_file->{err};
	is_deeply($of_file->{checks}, $of_traces->{checks}, '... the numbers of the traces themselves');
}
is_deeply(gate('wakeup-latency', '--baseline', $base, '--', @again)->{data}{tables}{differences}, gate('wakeup-latency', @same, '--', @again)->{data}{tables}{differences}, 'without a limit: all differences');
my $single = temp_path('.base');
gate('wakeup-latency', '--baseline', $single, $long);
is_deeply(gate('wakeup-latency', '--baseline', $single, '--limit', 'p50: +25%', '--', $longer)->{checks}, gate('wakeup-latency', '--limit', 'p50: +25%', $long, '--', $longer)->{checks}, 'of one trace it has the samples');
for ([['wakeup-latency', '--baseline', $base, @again], qr/is there already, and is written once: .*write -- before the traces/], [['irq', '--baseline', $base, '--', $none], qr/has no runs of 'irq': it has those of 'wakeup-latency'/],
	[['wakeup-latency', '--baseline', '/no/such.base', '--', $none], qr{/no/such\.base: No such file or directory: to write it, 'zedperl compare ANALYSIS --baseline}],
	[['wakeup-latency', '--baseline', $base], qr/--baseline needs traces/], [['wakeup-latency', '--cpu', 3, '--baseline', $base, '--', $none], qr/has no runs of 'wakeup-latency --cpu 3'/]) {
	my ($words, $message) = @$_;
	my $run = gate(@$words);
	is($run->{status}, 2, 'a mistake about the baseline: 2');
	like($run->{err}, $message, '... and which');
}
# A percentile that it does not keep: which it does.
like(gate('wakeup-latency', '--baseline', $base, '--limit', 'p37: +10%', '--', @again)->{checks}[0]{sentence},
	qr/^wakeup-latency p37: the baseline keeps only p50, p90, p95, p99, p99\.9 of it, not p37: limit one of these, or compare with the traces themselves; the limit is \+10%$/, 'a percentile that is not kept: which are');
# Mistakes of a user are 2, each with what to do (else: a gate ends with the status of a crash).
for ([['wakeup-latency', '--limit', 'p50: +10%', 't/data/clock_tsc.dat', '--', $same[0]], qr/^compare: the times cannot be compared: the clock x86-tsc counts ticks, and .* counts ns$/m],
	[['wakeup-latency', $same[0], '--', $same[1], '--limit', 'p50: +10%'], qr/--limit stands after --, where only traces do: options stand before the traces/],
	[['wakeup-latency', '--limit', 'p50: -150%', @same, '--', @slower], qr/^compare: --limit: column 7: this can never be exceeded: nothing becomes less by more than 100 %$/m]) {
	my ($words, $message) = @$_;
	my $run = gate(@$words);
	is($run->{status}, 2, 'a mistake: 2');
	like($run->{err}, $message, '... and which');
}
# Three digits of a change are read.
is_deeply([map { Zed::Gate::change_text({ in_parts => $_->[0], type => 'number' }, $_->[1]) } [1, 0.0456], [1, 0.457], [1, 283.33737], [1, 2833379009695.14], [0, 543.565179905151], [0, -0.0123456]],
	['+4.6 %', '+46 %', '+28300 %', '+2.83e+14 %', '+544', '-0.0123'], 'changes in three digits');
# Damaged ones are refused, whole, not read in part.
my $text = slurp($base);
my @lines = split /(?<=\n)/, $text;
for (['cut off', substr $text, 0, length($text) / 2], ['without its end', join '', @lines[0 .. $#lines - 1]], ['a line less', join '', @lines[0, 2 .. $#lines]],
	['not one', "hello\n"], ['empty', ''], ['of another format', $text =~ s/"format":1/"format":99/r], ['rows of another shape', $text =~ s/"rows":\{/"rows":[],"rowz":{/r],
	['a type that is none', $text =~ s/"type":"us"/"type":"xx"/r]) {
	my ($what, $bytes) = @$_;
	my $bad = temp_path('.base');
	spew($bad, $bytes);
	my $run = gate('wakeup-latency', '--baseline', $bad, '--limit', 'avg: +25%', '--', @again);
	is("$run->{status} $run->{out}", '2 ', "a baseline that is $what: 2");
	like($run->{err}, qr/^compare: \Q$bad\E: /, '... with its name') or diag $run->{err};
}

# ---- the page
my $page = temp_path('.html');
my $run = zedperl({ bare => 1 }, 'compare', 'wakeup-latency', '--limit', 'avg: +25%', '--html', $page, @same, '--', @slower);
is($run->{status}, 3, 'with a page: the same status');
my ($json) = slurp($page) =~ m{<script type="application/json" id="data">(.*?)</script>}s;
my %pictures = map { ($_->{name} => $_) } @{JSON::PP::decode_json($json)->{pictures}};
is_deeply([sort keys %pictures], ['a-0', 'b-0', 'changes'], 'the page has the changes, and both distributions');
my ($row) = @{$pictures{changes}{rows}};
is_deeply([sort keys %$row], [qw(by high low most name verdict)], '... each with its bounds and what is allowed');
my $n = sub { my $sum = 0; $sum += $_->{n} for @{$pictures{$_[0]}{rows}}; return $sum };
is($n->('a-0') . ' ' . $n->('b-0'), '200 200', '... and each of the 200 waits of both sides');
SKIP: {
	my $browser = Run::Browser->start // skip Run::Browser::why_not(), 3;
	my $shown = $browser->open($page, width => 900);
	is_deeply($shown->{complaints}, [], 'in a browser: nothing is complained about');
	is($browser->ask('document.querySelectorAll(".whisker .dot").length'), 1, '... a dot for each number');
	ok($browser->ask('(() => { const b = document.querySelector(".whisker .dot").getBoundingClientRect(), a = document.querySelector(".whisker rect").getBoundingClientRect(); return b.left > a.right })()'),
		'... which lies beyond what is allowed');
}
my $svg = temp_path('.svg');
zedperl({ bare => 1 }, 'compare', 'wakeup-latency', '--limit', 'avg: +25%', '--svg', $svg, @same, '--', @slower);
like(slurp($svg =~ s/\.svg\z/-changes.svg/r), qr{<title>wakeup-latency avg: beyond</title>}, 'and as a picture of its own');

done_testing();
