# SPDX-License-Identifier: GPL-2.0-or-later
#
# compare: two traces, or two groups of runs.  Without it noise is told as a change, or a change as noise: tests over the
# events of one run find a difference between its own halves.
#
# of: scripts/compare.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib', 'lib';
use JSON::PP ();
use Write::Miniature;
use Zed::Contrast;
use Pass;
use Run::Program qw(spew);
use Run::Zedperl;

# ---- the numbers ----

# All ways to choose who is A, one by one.
sub by_hand {
	my ($first, $second) = @_;
	my @all = (@$first, @$second);
	my @rank = map { my $x = $_; (grep({ $_ < $x } @all) + grep({ $_ <= $x } @all) + 1) / 2 } @all;
	my $mean = @$first * (@all + 1) / 2;
	my $off = sub { my $sum = 0; $sum += $rank[$_] for @_; return abs($sum - $mean) };
	my ($n, $uneven, $is) = (0, 0, $off->(0 .. $#$first));
	for my $bits (0 .. 2**@all - 1) {
		my @chosen = grep { $bits >> $_ & 1 } 0 .. $#all;
		next if @chosen != @$first;
		$n++;
		$uneven++ if $off->(@chosen) >= $is - 1e-9;
	}
	return $uneven / $n;
}

srand($ENV{ZED_SEED} // 14);
my $worst = 0;
for my $sizes ([1, 1], [2, 3], [3, 3], [4, 4], [5, 5], small() ? () : ([5, 7], [2, 8])) {
	for my $kind (sub { rand 10 }, sub { int rand 4 }) {
		my ($first, $second) = map { [map { $kind->() } 1 .. $_] } @$sizes;
		my $off = abs(Zed::Contrast::mann_whitney($first, $second) - by_hand($first, $second));
		$worst = $off if $off > $worst;
	}
}
cmp_ok($worst, '<', 1e-12, 'the test by ranks is that of all ways to divide the numbers, ties too');
is(join(' ', map { sprintf '%.3f', Zed::Contrast::smallest_p_value($_, $_) } 3, 4, 5), '0.100 0.029 0.008', 'what three, four, five runs a side can tell at all');
is(Zed::Contrast::least_chance(3, 3), Zed::Contrast::smallest_p_value(3, 3), 'under its old name as well (else: scripts die)');

# 5 and 5 without overlap: the quotients' second-least and second-greatest bound them (Mann and Whitney's table: U <= 2).
my ($first, $second) = ([100, 101, 102, 103, 104], [110, 111, 112, 113, 114]);
my $r = Zed::Contrast::of_runs($first, $second);
my @quotients = sort { $a <=> $b } map { my $x = $_; map { $_ / $x - 1 } @$second } @$first;
is_deeply([map { sprintf '%.6f', $_ } @$r{qw(by low high chance)}], [map { sprintf '%.6f', $_ } @quotients[12, 2, 22], 2 / 252],
	'between which quotients the true one lies: of five and five the third from each end');
is($r->{effect}, 1, 'each of B is greater');
Zed::Contrast::holm($r);
like(Zed::Contrast::words($r), qr/^higher by 9\.8 % \(95 %: [\d.]+ to [\d.]+\)$/, 'in words');
is(Zed::Contrast::words(Zed::Contrast::of_runs([1, 2, 3], [4, 5, 6])), 'too few to tell (3 and 3 runs)', 'three runs tell nothing');
$r = Zed::Contrast::of_runs([100, 104, 96, 102, 98], [101, 97, 103, 99, 100]);
Zed::Contrast::holm($r);
like(Zed::Contrast::words($r), qr/^no difference found; more than \+-[\d.]+ % is excluded$/, 'never "equal"');
is(Zed::Contrast::words({ by => 0.1, low => $_->[0], high => $_->[1], sure => 0 }), $_->[2], "an interval from $_->[0] to $_->[1] (else: +-705 % is taken for an exclusion)")
	for [-0.2, 7.05, 'cannot tell: the runs vary too much (a change of less than 8.1 times would not be seen)'],
	[-0.95, 0.3, 'cannot tell: the runs vary too much (a change of less than 20 times would not be seen)'],
	[-1, 0.3, 'cannot tell: the runs vary too much'], [-0.2, 0.3, 'no difference found; more than +-30 % is excluded'];

# Holm: 0.01 stands alone against 5 %, and not among ten.
my @many = map { { chance => $_ } } 0.012, 0.2, 0.3, 0.4, 0.5, 0.6;
Zed::Contrast::holm(@many);
is($many[0]{sure}, 0, 'one of six with a chance of 0.012 is not sure');
my @three = map { { chance => $_ } } 0.03, 0.001, 0.02;
Zed::Contrast::holm(@three);
is(join(' ', map { $_->{sure} } @three), '1 1 1', '0.001, 0.02, 0.03: step by step all are');
is(join(' ', map { Zed::Contrast::size_of($_) } 0.5, 0.45, 0.6, 0.67, 0.2), 'negligible negligible small middle large', 'effects in a word, either way');

# Samples that hang together, as waits do: each is much like the one before.
sub series {
	my ($n, $by) = @_;
	my ($state, @samples) = (0);
	for (1 .. $n) {
		$state = 0.97 * $state + (rand() + rand() + rand() - 1.5) / 4;
		push @samples, [$_ * 1e6, $by * 1000 * exp $state];
	}
	return { samples => \@samples, start => 0, end => ($n + 1) * 1e6 };
}
my ($alarms, $found) = (0, 0);
my $pairs = small(2, 6);
for (1 .. $pairs) {
	my $same = Zed::Contrast::of_samples(series(1500, 1), series(1500, 1), 1, 50);
	my $other = Zed::Contrast::of_samples(series(1500, 1), series(1500, 3), 1, 50);
	Zed::Contrast::holm($same->{50});
	Zed::Contrast::holm($other->{50});
	$alarms += $same->{50}{sure};
	$found += $other->{50}{sure};
}
cmp_ok($alarms, '<=', small(1, 2), "by blocks, $alarms of $pairs pairs that are alike are said to differ (else: most, as by single samples)");
cmp_ok($found, '>=', small(1, 5), "and $found of $pairs that differ threefold");
my @pair = (series(1200, 1), series(1200, 1.2));
is_deeply(Zed::Contrast::of_samples(@pair, 7, 'mean', 99), Zed::Contrast::of_samples(@pair, 7, 'mean', 99), 'one seed, one answer');
isnt(Zed::Contrast::of_samples(@pair, 7, 'mean')->{mean}{low}, Zed::Contrast::of_samples(@pair, 8, 'mean')->{mean}{low}, 'another seed, another one');
my @sorted = sort { $a <=> $b } map { $_->[1] } @{$pair[0]{samples}};
is(Zed::Contrast::of_samples(@pair, 7, 50, 99)->{99}{a}, $sorted[1188 - 1], 'the 99th percentile of 1200 is number 1188');
is(Zed::Contrast::of_samples(series(50, 1), series(5000, 1), 1, 50)->{50}{few}, 'n=50', 'too few samples on one side');
is(Zed::Contrast::of_samples(series(999, 1), series(5000, 1), 1, 99)->{99}{few}, 'n=999', 'a 99th percentile takes a thousand');

# ---- the program ----

# Traces of waits of about so many us, each a little different.
sub waits {
	my ($us, $n, %o) = @_;
	my $t = 0;
	return miniature(join('|', map {
		my $wait = int($us * (0.8 + 0.4 * rand));
		$t += 100 + $wait;
		('' . ($t - $wait) . ' 0 0 waking 20', "$t 0 0 switch 0 R 20", ($t + 10) . ' 0 20 switch 20 S 0')
	} 1 .. $n), %o);
}
sub compare {
	my (@words) = @_;
	my $run = zedperl({ bare => 1 }, 'compare', @words, '--json');
	return { %$run, data => eval { JSON::PP::decode_json($run->{out}) } };
}
sub differences { my ($run) = @_; return { map { ("$_->{key} $_->{name}" => $_) } @{$run->{data}{tables}{differences}{rows} // []} } }
sub notes { my ($run) = @_; return { map { $_->{key} => $_->{text} } @{$run->{data}{notes}} } }

my ($short, $long) = (waits(50, 300), waits(60, 300));
my $run = compare('wakeup-latency', $short, $long);
is($run->{status}, 0, 'two traces: exit status') or diag $run->{err};
like(zedperl({ bare => 1 }, 'compare', 'wakeup-latency', $short, $long)->{out}, qr/^t20 +p50 +(?:4\d|5\d)\.\d us +(?:5|6)\d\.\d us +higher/m, 'and as text: with units');
my $d = differences($run);
like($d->{'t20 p50'}{words}, qr/^higher by (?:1[5-9]|2[0-5]) % \(95 %: /, 'waits that are a fifth longer');
cmp_ok(abs($d->{'t20 p50'}{a} - 50_000), '<', 3000, 'and what they are, in ns');
like($d->{'t20 p99'}{words}, qr/^too few to tell \(n=300\)$/, 'a 99th percentile of 300 is not told');
like(notes($run)->{one}, qr/^one run per side: the intervals leave out how much runs vary/, 'what that does not say is said');
like(notes($run)->{seed}, qr/seed 1$/, 'and the seed');
if (!small()) {
	is($run->{out}, compare('wakeup-latency', $short, $long)->{out}, 'the same answer again');
	like(differences(compare('wakeup-latency', $short, $short))->{'t20 p50'}{words}, qr/^(?:no difference found; more than|cannot tell: the runs vary)/, 'a trace and itself');

	my @a = map { waits(50 + $_, 30) } 1 .. 5;
	my @b = map { waits(70 + $_, 30) } 1 .. 5;
	$run = compare('wakeup-latency', @a, 'vs', @b);
	like(differences($run)->{'t20 mean'}{words}, qr/^higher by \d+ % \(95 %: \d+ to \d+\)$/, 'five runs a side: each counts as one number') or diag $run->{err};
	is(differences($run)->{'t20 mean'}{effect}, 1, 'all runs of B are greater');
	is(compare('wakeup-latency', (map { ('--a', $_) } @a), map { ('--b', $_) } @b)->{out}, $run->{out}, '--a and --b are the same');
	$run = compare('wakeup-latency', @a[0 .. 2], 'vs', @b[0 .. 2]);
	is(differences($run)->{'t20 mean'}{words}, 'too few to tell (3 and 3 runs)', 'three runs a side');
	like(notes($run)->{few}, qr/^too few runs to decide: by chance alone, one in 10 pairs/, 'and why');
}

# What differs besides, and what only one has.
$run = compare('wakeup-latency', $short, miniature('0 0 0 waking 9 | 5 0 0 switch 0 R 9 | 9 0!3 9 switch 9 S 0', clock => "mono"));
is_deeply([map { "$_->{side} $_->{key}" } @{$run->{data}{tables}{one_side}{rows}}], ['A t20', 'B t9'], 'rows of one side only');
ok((grep { /lost events/ } values %{notes($run)}), 'losses are said');
like(notes($run)->{clock}, qr/^A and B differ in their clock/, 'and other clocks');

# An analysis with its own options, and one without samples.
small() or like(join(' ', keys %{differences(compare('wakeup-latency', $short, $long, '--with', '--by cpu'))}), qr/\b0 p50\b/, '--with: options for the analysis');
like(notes(compare('sched-summary', $short, $long))->{one}, qr/^one run per side, and sched-summary has no samples/, 'one without samples says so');

# Each row of one name: what a number is, numbers of tasks, texts that stand at the end.
is_deeply([sort keys %{differences(compare('sched-summary', $short, $long))}], ['CPU 0 share'], 'a number alone has its head (else: what is 0?)');
my @calls = map { my $more = $_; miniature("0 0 5 enter 0 | @{[5 + $more]} 0 5 exit 0 8 | 20 0 6 enter 0 | @{[80 + $more]} 0 6 exit 0 8") } 0, 5;
is_deeply([map { my $of = differences(compare('syscalls', @calls, '--with', '--by pid')); map { $of->{"read $_ mean"}{a} } 5, 6 } 1], [5_000, 60_000],
	'a row of each task (else: calls of one are compared with those of another)');
my @stacks = ('t/data/stack.dat') x 2;
cmp_ok(scalar(keys %{differences(compare('stacks', @stacks))}), '>', 10, 'stacks are told apart by their text (else: all are one)');
my $twins = temp_path('.pl');
spew($twins, <<'END');
use Zed; use Zed::Report;
our $report = Zed::Report->new(name => 'twins', answer => sub {
	$report->table('tasks', columns => [['comm', 'task', 'text'], ['avg', 'avg', 'us']], rows => [map { { comm => $_->[0], avg => $_->[1] } } ['sh', 10], ['sh', 20], ['cat', 30]]);
	return $report->window;
});
sub trace_begin { $report->begin }
sub trace_end { $report->end }
END
$run = compare($twins, $short, $long);
is_deeply([keys %{differences($run)}], ['cat mean'], 'rows of the same name are not compared (else: the last one is, with any of the other trace)');
like(notes($run)->{same_A}, qr/^trace of A has rows of the same name, which are left out$/, 'which is said');

# Words that are wrong.
$run = zedperl({ bare => 1 }, 'compare');
is($run->{status}, 2, 'no analysis: 2');
like($run->{out}, qr/^zedperl compare ANALYSIS A\.dat B\.dat, where .*^  irq - interrupts/ms, 'and which there are');
unlike($run->{out}, qr/^  (?:countall|compare|top) /m, 'but those that give no numbers, or are none');
# ---- parts of traces: each side's numbers are those of the analysis alone, of that part
my @windows = ([start => '7.10', end => '7.22'], [start => '7.30', end => '7.47']);
sub numbers_of {
	my ($analysis, @part) = @_;
	my %part = @part;
	my $data = JSON::PP::decode_json(zedperl({ bare => 1 }, map({ ("--$_", $part{$_}) } sort keys %part), '-i', 'docs/shell.dat', $analysis, '--json')->{out});
	my $table = $data->{tables}{$data->{main}};
	my $seconds = ($data->{end} - $data->{start}) / 1e9;
	return { map { my $row = $_; my $key = $row->{name} // $row->{comm};
		("$key a second" => $row->{n} / $seconds, map { defined $row->{$_} ? ("$key " . ($_ eq 'avg' ? 'mean' : $_) => $row->{$_}) : () } qw(avg p50 p90 p99)) } @{$table->{rows}} };
}
sub sides_are {
	my ($run, $name, @part) = @_;
	my @of = map { numbers_of('syscalls', @$_) } @part;
	my ($n, @wrong) = (0);
	for my $row (grep { $_->{key} ne 'ALL' } @{$run->{data}{tables}{differences}{rows} // []}) {
		my $key = "$row->{key} $row->{name}";
		$n++;
		for ([0, 'a'], [1, 'b']) {
			my ($side, $of) = @$_;
			push @wrong, "$key $of: $row->{$of}" . ' for ' . ($of[$side]{$key} // 'none') if !defined $of[$side]{$key} || abs($row->{$of} - $of[$side]{$key}) > 1e-9 * abs $row->{$of};
		}
	}
	ok($n && !@wrong, "$name: $n numbers of both sides are those of the analysis alone") or diag join "\n", $run->{err}, @wrong;
	return;
}
my @given = map { ("--$_->[0]", $_->[1]) } map { ([@$_[0, 1]], [@$_[2, 3]]) } @windows;
sides_are(compare('syscalls', 'docs/shell.dat', @given), 'two windows of one trace', @windows);
sides_are(compare('syscalls', ('docs/shell.dat') x 2, '--pid', 132, '--pid', 133), 'two tasks', [pid => 132], [pid => 133]) if !small();
sides_are(compare('syscalls', ('docs/shell.dat') x 2, '--end', 7.3), 'one window of both', [end => 7.3], [end => 7.3]);
my $waits = compare('waits', 'docs/shell.dat', @given)->{data}{tables}{differences}{rows};
my %all = map { ($_->{name} => $_) } grep { $_->{key} eq 'ALL' } @{$waits // []};
my @n = map { my %part = @$_; my $data = JSON::PP::decode_json(zedperl({ bare => 1 }, map({ ("--$_", $part{$_}) } sort keys %part), 'docs/shell.dat', 'waits', '--json')->{out});
	$data->{tables}{tasks}{all}{n} / (($data->{end} - $data->{start}) / 1e9) } @windows;
is(join(' ', map { sprintf '%.6f', $_ // 0 } @{$all{'a second'} // {}}{qw(a b)}), join(' ', map { sprintf '%.6f', $_ } @n), 'of samples too: those of the window alone');

for ([['syscalls', 'docs/shell.dat', '--end', 7.3], qr/two traces are needed/], [['syscalls', 'docs/shell.dat', map { ('--end', $_) } 7.1, 7.2, 7.3], qr/once for both sides, or twice/],
	[['syscalls', ('docs/shell.dat') x 2, '--end', 'soon'], qr/'soon'/]) {
	my ($words, $why) = @$_;
	my $r = compare(@$words);
	is($r->{status}, 2, "compare @$words[2 .. $#$words]: 2");
	like($r->{err}, $why, '... and why');
}

# Each of 2100 tasks wakes the next and leaves the CPU to it: as many rows, of samples also that of all.
my $crowd = miniature(join '|', map { my ($ts, $pid) = (2 * $_, 1000 + $_); ("$ts 0 $pid waking @{[$pid + 1]}", "@{[$ts + 1]} 0 $pid switch $pid S @{[$pid + 1]}") } 1 .. 2100);
for (['wakeup-latency', 101], ['who-wakes-whom', 100]) {
	my ($analysis, $n) = @$_;
	$run = compare($analysis, $crowd, $crowd);
	my ($left) = grep { $_->{key} eq 'left_out' } @{$run->{data}{notes}};
	is($left->{n}, $n, "$analysis: of very many rows those with the most cases are compared, and the others counted (else: it takes minutes, or says nothing)");
	my %keys = map { $_->{key} => 1 } @{$run->{data}{tables}{differences}{rows}};
	is(scalar(keys %keys), 2000, '... so many are');
	ok($keys{ALL}, '... all together among them') if $analysis eq 'wakeup-latency';
}

for ([['wakeup-latency'], qr/two traces are needed/], [['wakeup-latency', ($short) x 3], qr/put -- between the two groups/],
	[['wakeup-latency', '--a', $short], qr/--a and --b: give both/], [['no-such', $short, $long], qr/no such script/],
	[[$short, $long], qr/the analysis comes first: zedperl compare ANALYSIS \Q$short $long\E/], [[$short, $long, 'wakeup-latency'], qr/the analysis comes first: zedperl compare wakeup-latency \Q$short $long\E/], [['wakeup-latency', $short, '/no/such.dat'], qr{/no/such.dat}],
	[['wakeup-latency', $short, $long, '--seed', 0], qr/--seed takes 1 or more/]) {
	my ($words, $message) = @$_;
	$run = zedperl({ bare => 1 }, 'compare', @$words);
	is($run->{status}, 2, join(' ', map { m{/tmp/} ? 'T' : $_ } @$words) . ': 2');
	like($run->{err}, $message, 'and why');
}

done_testing();
