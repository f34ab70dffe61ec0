# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::metric on made traces: what is refused, what each type tells, aggregations as metrics, hostile labels, bounds.
# Without it a dashboard shows numbers that nobody counted, or a scrape fails as a whole for one odd name.
# of: analysis/metrics interp/metrics
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::OpenMetrics;
use Run::Zedperl;

# Ten events, n 1 to 10 on two CPUs in turn, 1 ms apart, who is hostile.
my @who = ('plain', "x\n\e[2J", 'a"b\\', "\x80\xff", "\xc3\xa9", "\xee\xbe\x80", '(none)', '(other)', '7', '');
my $dat = trace(events => [map { [$_ % 2, 1_000_000 * $_, 'mini::tick', pack 'l a8', $_, $who[$_ - 1]] } 1 .. 10], cmdlines => "77 mini\n");

sub run_metrics {
	my ($code, @options) = @_;
	my $r = zedperl(@options, $dat, \"use strict; use warnings; $code\nsub trace_end { print Zed::metrics() }");
	my $m = eval { openmetrics($r->{out}) };
	ok($m, 'it is OpenMetrics') or diag $@, $r->{out}, $r->{err};
	return ($m // {}, $r);
}

{	# Without it: a mistake is told by Prometheus, hours later.
	my %bad = (
		q{Zed::metric()} => qr/usage: Zed::metric\(counter/,
		q{Zed::metric('counter')} => qr/usage: Zed::metric\(counter/,
		q{Zed::metric(meter => 'x')} => qr/usage: Zed::metric\(counter/,
		q{Zed::metric(gauge => '1x')} => qr/invalid metric name '1x': .* at \S+ line 1\./,
		q{Zed::metric(gauge => 'x y')} => qr/invalid metric name/,
		q{Zed::metric(gauge => "x\0y")} => qr/the name of a metric must be a string/,
		q{Zed::metric(counter => 'x')} => qr/the name of a counter must end in _total: x_total at/,
		q{Zed::metric(gauge => 'x_total')} => qr/only the name of a counter may end in _total/,
		q{Zed::metric(counter => 'zed_events_total')} => qr/the metric zed_events_total already uses that name/,
		q{Zed::metric(gauge => 'x_bucket'), Zed::metric(histogram => 'x')} => qr/x: the metric x_bucket already uses that name, or samples with it/,
		q{Zed::metric(counter => 'x_total'), Zed::metric(gauge => 'x')} => qr/x: the metric x_total already uses that name/,
		q{Zed::metric(gauge => 'x', labels => 'cpu')} => qr/labels: a reference to an array of names/,
		q{Zed::metric(gauge => 'x', labels => ['c p'])} => qr/invalid label name 'c p'/,
		q{Zed::metric(gauge => 'x', labels => ['__a'])} => qr/invalid label name '__a'/,
		q{Zed::metric(gauge => 'x', labels => ['a', 'a'])} => qr/two labels are called a/,
		q{Zed::metric(gauge => 'x', labels => [1 .. 9])} => qr/more than 8 labels/,
		q{Zed::metric(histogram => 'x', labels => ['le'])} => qr/the label le is reserved for the metric itself/,
		q{Zed::metric(histogram => 'x', buckets => [1, 1])} => qr/bucket limits must be increasing numbers/,
		q{Zed::metric(histogram => 'x', buckets => [1 .. 201])} => qr/more than 200 buckets/,
		q{Zed::metric(gauge => 'x', buckets => [1])} => qr/only a histogram takes buckets/,
		q{Zed::metric(gauge => 'x', scale => 2)} => qr/scale must be a power of ten/,
		q{Zed::metric(gauge => 'x', max_series => 0)} => qr/max_series is a whole number from 1 to 1000000/,
		q{Zed::metric(gauge => 'x', label => [])} => qr/unknown option 'label'/,
		q{Zed::metric(gauge => 'x', value => 'max')} => qr/value chooses a number of an aggregation/,
		q{Zed::metric(gauge => 'x', from => {})} => qr/from must be an aggregation/,
		q{Zed::metric(summary => 'x')} => qr/a summary needs an aggregation/,
		q{Zed::metric(gauge => 'x', from => Zed::hist('mini:tick', 'n'))} => qr/this aggregation cannot be a gauge/,
		q{Zed::metric(gauge => 'x', from => Zed::top('mini:tick', 'n'))} => qr/this aggregation cannot be a gauge/,
		q{Zed::metric(gauge => 'x', from => Zed::max('mini:tick', 'n', by => 'n % 2'))} => qr/invalid label name 'n % 2'.*labels => \[/,
		q{Zed::metric(gauge => 'x', from => Zed::max('mini:tick', 'n', by => 'cpu'), labels => [])} => qr/it needs as many labels/,
		q{Zed::metric(counter => 'x_total', from => my $c = Zed::count('mini:tick')); $c->clear} => qr/clear: a metric that never decreases uses it/,
		q{Zed::metric(counter => 'x_total')->inc(-1)} => qr/metric x_total: a counter cannot decrease/,
		q{Zed::metric(counter => 'x_total')->inc('NaN')} => qr/a counter cannot decrease/,
		q{Zed::metric(counter => 'x_total')->inc('x')} => qr/inc takes a number/,
		q{Zed::metric(counter => 'x_total')->dec} => qr/dec does not apply to a counter/,
		q{Zed::metric(counter => 'x_total')->set(1)} => qr/set does not apply to a counter/,
		q{Zed::metric(histogram => 'x')->inc} => qr/inc does not apply to a histogram/,
		q{Zed::metric(histogram => 'x')->observe('NaN')} => qr/the value to observe must be a number, not NaN/,
		q{Zed::metric(gauge => 'x')->observe(1)} => qr/observe does not apply to a gauge/,
		q{Zed::metric(gauge => 'x')->set} => qr/usage: \$metric->set\(VALUE/,
		q{Zed::metric(gauge => 'x', labels => ['a', 'b'])->set(1, 2)} => qr/set takes 2 labels: a, b/,
		q{Zed::metric(gauge => 'x', labels => ['a', 'b'])->set(1, { a => 1, c => 2 })} => qr/set takes 2 labels: a, b/,
		q{Zed::metric(gauge => 'x', labels => ['a'])->set(1, [])} => qr/a label must be a string or a number, not a reference/,
		q{Zed::metric(gauge => 'x', labels => ['a'])->labels(1)->set(1, 2)} => qr/its labels are already set/,
		q{Zed::metric(counter => 'x_total', from => Zed::count('mini:tick'))->inc} => qr/it is computed from an aggregation, so inc is not allowed/,
		q{Zed::Metric::inc(bless {}, 'Zed::Metric')} => qr/this is not a metric of Zed::metric/,
		q{Zed::metrics('xml')} => qr/usage: Zed::metrics/,
	);
	for my $code (sort keys %bad) {
		my $r = zedperl($dat, \"my \@x = do { $code }; print 'ran'");
		like($r->{err}, $bad{$code}, "$code is refused");
		is("$r->{status} $r->{out}", '255 ', '... and nothing runs');
	}
}

{	# Without it: numbers differ from what was counted, by rounding or by a scale.
	my ($m) = run_metrics(<<'END');
my $c = Zed::metric(counter => 'ticks_total', help => qq{Two lines\nand a "\\"}, labels => ['cpu']);
my $g = Zed::metric(gauge => 'level', scale => 1e-3);
my $h = Zed::metric(histogram => 'took_seconds', scale => 1e-9, labels => [qw(a b)], buckets => [0.001, 0.003, 1000000]);
my $big = Zed::metric(counter => 'big_total');
my $odd = Zed::metric(gauge => 'odd', labels => ['of']);
my $neg = Zed::metric(histogram => 'neg', buckets => [-1, 0]);
my $one = $c->labels(0);
$big->inc(18446744073709551615) for 1 .. 3;
$neg->observe($_) for -2, -1, -0.5, 0, 0.5, 18446744073709551615;
$odd->set(0.1, 'real'); $odd->set('1e3', 'text'); $odd->set(9**9**9, 'inf'); $odd->set(-sin(9**9**9), 'nan'); $odd->dec(7, 'down'); $odd->inc(0.5, 'down');
sub mini::tick {
	my ($cpu, $s, $ns, $seq, $n) = @_;
	$cpu ? $c->inc(1, $cpu) : $one->inc;
	$g->set($n);
	$h->observe($n * 1_000_000, { b => 'x', a => $cpu });
}
END
	is(sample($m, 'ticks_total', cpu => $_), 5, "counter of CPU $_: as many as events, of inc and of labels()->inc") for 0, 1;
	is($m->{ticks}{help}, 'Two lines\nand a \"\\\\\"', 'help is escaped');
	is(sample($m, 'level'), '0.01', 'a gauge has its last value, scaled');
	is(sample($m, 'big_total'), '55340232221128654845', 'whole numbers are exact (else: a byte counter stands still at 2**53)');
	is_deeply([map { sample($m, 'took_seconds_bucket', a => 1, b => 'x', le => $_) } qw(0.001 0.003 1e+06 +Inf)], [1, 2, 5, 5], 'buckets: what is equal to the limit is in it');
	is(sample($m, 'took_seconds_sum', a => 0, b => 'x'), '0.03', 'a sum of ns as seconds');
	is(sample($m, 'took_seconds_count', a => 0, b => 'x'), 5, 'and the count');
	is_deeply([map { sample($m, 'neg_bucket', le => $_) } qw(-1.0 0.0 +Inf)], [2, 4, 6], 'limits and values below 0');
	is(sample($m, 'neg_sum'), undef, 'a sum that may fall is no counter, so there is none');
	is_deeply([map { sample($m, 'odd', of => $_) } qw(real text inf nan down)], [qw(0.1 1000 +Inf NaN -6.5)], 'numbers of all kinds');
	is(sample($m, 'zed_events_total'), 10, 'and what the run tells of itself');
	is(sample($m, 'zed_lost_events_total'), 0, 'losses too');
}

{	# Without it: what is counted without Perl cannot be watched.  The numbers are those of 1 to 10.
	my ($m, $r) = run_metrics(<<'END');
my %by = (by => 'cpu');
Zed::metric(counter => 'n_total', from => Zed::count('mini:tick', %by), help => 'Of CPUs.');
Zed::metric(counter => 'sum_total', from => Zed::sum('mini:tick', 'n', %by), scale => 1e-2);
Zed::metric(gauge => 'sum_now', from => Zed::sum('mini:tick', '5 - n'));
Zed::metric(counter => 'falls_total', from => Zed::sum('mini:tick', '5 - n'));
Zed::metric(gauge => 'least', from => Zed::min('mini:tick', 'n', %by));
Zed::metric(gauge => 'most', from => Zed::max('mini:tick', 'n', by => ['cpu', 'n % 2']), labels => ['cpu', 'odd']);
Zed::metric(gauge => 'mean', from => Zed::avg('mini:tick', 'n'));
my $stats = Zed::stats('mini:tick', 'n');
Zed::metric(summary => 's', from => $stats, scale => 1e-9);
Zed::metric(gauge => 's_stddev', from => $stats, value => 'stddev');
Zed::metric(counter => 's_events_total', from => $stats, value => 'count', scale => 1e-9);
Zed::metric(histogram => 'h', from => Zed::hist('mini:tick', 'n', %by));
Zed::metric(histogram => 'l', from => Zed::lhist('mini:tick', 'n', from => 2, to => 8, step => 2));
Zed::metric(summary => 'q', from => Zed::quantiles('mini:tick', 'n', quantiles => [50, 99.9]));
Zed::metric(gauge => 'nothing', from => Zed::max('mini:tick', 'n', where => 'n > 100'));
Zed::metric(counter => 'none_total', from => Zed::count('mini:tick', where => 'n > 100'));
my @seen; sub mini::tick { push @seen, openmetrics_falls() }
sub openmetrics_falls { Zed::metrics() =~ /^falls_total (\S+)/m; return $1 }
sub trace_begin { Zed::metrics() }
END
	is_deeply([map { sample($m, 'n_total', cpu => $_) } 0, 1], [5, 5], 'count');
	is_deeply([map { sample($m, 'sum_total', cpu => $_) } 0, 1], ['0.3', '0.25'], 'sum');
	is(sample($m, 'sum_now'), -5, 'a sum as a gauge may be negative');
	is(sample($m, 'falls_total'), 10, 'as a counter it stays at the highest that was told (4 + 3 + 2 + 1)');
	like($r->{err}, qr/metric falls_total: negative numbers made the sum decrease/, 'which is said');
	is(() = $r->{err} =~ /falls_total/g, 1, 'once');
	is_deeply([map { sample($m, 'least', cpu => $_) } 0, 1], [2, 1], 'min');
	is_deeply([sample($m, 'most', cpu => 0, odd => 0), sample($m, 'most', cpu => 1, odd => 1)], [10, 9], 'max, and labels by name');
	is(sample($m, 'mean'), '5.5', 'avg');
	is_deeply([sample($m, 's_count'), sample($m, 's_sum'), sample($m, 's_events_total')], [10, '0.000000055', 10], 'stats: a summary; counts are not scaled');
	cmp_ok(abs(sample($m, 's_stddev') - sqrt(8.25)), '<', 1e-12, 'and one part of it');
	is_deeply([map { sample($m, 'h_bucket', cpu => 0, le => $_) } qw(0.0 1.0 3.0 7.0 15.0 +Inf)], [0, 0, 1, 3, 5, 5], 'hist: powers of two');
	is(sample($m, 'h_sum', cpu => 0), 30, 'with the sum');
	is_deeply([map { sample($m, 'l_bucket', le => $_) } qw(3.0 5.0 7.0 +Inf)], [3, 5, 7, 10], 'lhist: what is below is in the first, what is above in the last');
	is_deeply([sample($m, 'q', quantile => '0.5'), sample($m, 'q', quantile => '0.999'), sample($m, 'q_sum')], [5, 10, 55], 'quantiles');
	is(sample($m, 'none_total'), 0, 'a counter of what never came is 0 from the beginning');
	is(sample($m, 'nothing'), undef, 'and there is no greatest of none');
	is($m->{n}{help} . '|' . $m->{mean}{help}, 'Of CPUs.|avg of n, mini:tick', 'help: what it counts, unless the script tells');
}

{	# Without it: one odd name makes two series one, or the whole scrape invalid.
	my ($m) = run_metrics(<<'END');
Zed::metric(counter => 'agg_total', from => Zed::count('mini:tick', by => 'who'));
my $own = Zed::metric(counter => 'own_total', labels => ['who']);
sub mini::tick { $own->inc(1, $_[5]) }
END
	for my $name (qw(agg own)) {
		my $samples = $m->{$name}{samples} // [];
		is(scalar @$samples, 10, "$name: ten names are ten series");
		my %got = map { my $v = $_->[1]{who}; utf8::encode($v); ($v => 1) } @$samples;
		my $byte = sub { my $s = join '', map { chr(0xef00 + $_) } @_; utf8::encode($s); return $s };
		ok($got{$_}, "$name: " . unpack('H*', $_)) for 'plain', "x\n" . $byte->(0x1b) . '[2J', 'a"b\\', $byte->(0x80, 0xff), "\xc3\xa9",
			$byte->(0xee, 0xbe, 0x80), $byte->(0x28) . 'none)', $byte->(0x28) . 'other)', '7', '';
	}
}

{	# Without it: labels of any number of values eat the machine, or what has no room goes in silence.
	my ($m, $r) = run_metrics(<<'END');
my $c = Zed::metric(counter => 'few_total', labels => ['n'], max_series => 3);
my $g = Zed::metric(gauge => 'some', labels => ['n'], max_series => 3);
Zed::metric(counter => 'agg_total', from => Zed::count('mini:tick', by => 'n'), max_series => 3);
sub mini::tick { $c->inc(1, $_[4]); $g->set($_[4], $_[4]) }
END
	is_deeply([map { sample($m, 'few_total', n => $_) } 1 .. 4, '(other)'], [1, 1, 1, undef, 7], 'a counter: the rest together');
	is_deeply([map { sample($m, 'some', n => $_) } 1 .. 4, '(other)'], [1, 2, 3, undef, undef], 'a gauge: the rest left out');
	is_deeply([map { sample($m, 'agg_total', n => $_) } 1 .. 4, '(other)'], [1, 1, 1, undef, 7], 'an aggregation: the rest together');
	is(sample($m, 'zed_metric_dropped_total'), 14, 'and counted');
	like($r->{err}, qr/metric few_total: more than 3 series .*counted together, as \(other\)/, 'which is said');
	is(() = $r->{err} =~ /metric some: more than \d+ series .*left out/g, 1, 'once for each metric');
}

{	# Without it: a label that is a number in one event and its text in another is two series of one name.
	my ($m) = run_metrics(q{my $c = Zed::metric(counter => 'same_total', labels => ['v']);
		$c->inc(1, $_) for 3, '3', 3.0, -4, '-4', '18446744073709551615', 18446744073709551615, '03', '3.5', 3.5, '-0', undef; });
	is_deeply([map { sample($m, 'same_total', v => $_) } qw(3 -4 18446744073709551615 03 3.5 -0 (none))], [3, 2, 2, 1, 2, 1, 1], 'labels are what they read as');
}

{	# What node-exporter reads: as Prometheus' own tool sees it.
	my $r = zedperl($dat, \<<'END');
my $c = Zed::metric(counter => 'ticks_total', help => qq{A "line"\nand \\ more}, labels => ['who']);
Zed::metric(histogram => 'n_size', help => 'n', from => Zed::hist('mini:tick', 'n', by => 'cpu'));
Zed::metric(summary => 'n_stats', help => 'n', from => Zed::quantiles('mini:tick', 'n', by => 'cpu'));
my $h = Zed::metric(histogram => 'took_seconds', help => 'How long.', scale => 1e-9);
sub mini::tick { $c->inc(1, $_[5]); $h->observe($_[4]) }
sub trace_end { print Zed::metrics('prometheus') }
END
	unlike($r->{out}, qr/# EOF/, 'the older format has no end mark');
	like($r->{out}, qr/^# TYPE ticks_total counter$/m, 'and counters have their whole name');
	like($r->{out}, qr/^# HELP ticks_total A "line"\\nand \\\\ more$/m, 'whose help keeps its quotes');
	my $file = temp_path('.prom');
	open my $out, '>:raw', $file or die "$file: $!\n";
	print {$out} $r->{out};
	close $out or die "$file: $!\n";
	SKIP: {
		my ($status, $said) = promtool($file);
		skip 'promtool is not installed (Debian: prometheus; PROMTOOL=1 make test fetches it)', 1 if !defined $status;
		is("$status $said", '0 ', 'promtool check metrics finds nothing (else: node-exporter refuses the file)');
	}
}

done_testing();
