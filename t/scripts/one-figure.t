# SPDX-License-Identifier: GPL-2.0-or-later
#
# One figure of losses: of made recordings, what every output says was lost is what the kernel's statistics count as
# overwritten, dropped and read by others, whatever numbers the gaps have.  Without it each output has another sum, and
# a gap and its number count twice.
#
# of: trace/loss.c trace/cpustat.c interp lib/Zed/Report/Losses.pm scripts/lost.pl scripts/summary.pl scripts/countall.pl programs/zedprint/summary.c programs/progress.c programs/zedperl/serve_metrics.c sink/stable_file reader/zedstream
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Files;
use Pass;
use Run::Process;
use Run::Program;
use Run::Zedperl;
use Write::Miniature;
use Write::ZedStream;

srand($ENV{SEED} // 7);

# The statistics of a CPU, of which LOST events were lost, as the kernel and zedtrace write them.
sub statistics {
	my ($cpu, $lost) = @_;
	my ($overrun, $commit, $dropped) = map { my $n = int rand $lost + 1; $lost -= $n; $n } 1 .. 3;
	return "CPU: $cpu\nentries: 0\noverrun: $overrun\ncommit overrun: $commit\nbytes: 0\noldest event ts:     0.000000\n"
		. "now ts:     1.000000\ndropped events: $dropped\nread events: 9\n" . ($lost ? "read by others: $lost\n" : '') . "\0";
}

# A recording of CPUS CPUs, with gaps that have numbers, or none, or no gaps; in all of it more or less was lost than
# that.  Returns its path, and of each CPU: lost events, gaps, gaps without a number.
sub made {
	my ($cpus, %o) = @_;
	my (@events, @options, @of);
	for my $cpu (0 .. $cpus - 1) {
		my ($numbers, $gaps, $unsized) = (0, 0, 0);
		my $kind = int rand 4;	# no gaps; with numbers; without; both
		for my $n (1 .. 3 + int rand 12) {
			my $loss = $n == 1 && rand() < 0.7 || !$kind || rand() < 0.6 ? 0
				: $kind == 1 || $kind == 3 && rand() < 0.5 ? 1 + int rand 10 ** (1 + int rand 5) : -1;
			my $at = 10 * $n + $cpu;
			push @events, [$at, "$at $cpu" . ($loss ? "!$loss" : '') . ' 5 ' . ($n % 2 ? 'irq 1' : 'irqx 1')];
			$gaps++ if $loss;
			$loss < 0 ? $unsized++ : ($numbers += $loss);
		}
		my $more = $unsized ? $unsized + int rand 100_000 : rand() < 0.5 ? int rand 1000 : 0;
		push @options, [2, statistics($cpu, $numbers + $more)];
		push @of, [$numbers + $more, $gaps, $unsized];
	}
	return (miniature(join(' | ', map { $_->[1] } sort { $a->[0] <=> $b->[0] } @events), options => \@options, %o), @of);
}

sub sum { my $sum = 0; $sum += $_ for @_; return $sum }

my $SCRIPT = <<'SCRIPT';
my $count = Zed::count('irq:*');
my %told;
sub irq::irq_handler_entry { }
sub trace_lost {
	my ($cpu, $n) = @_;
	my $at_event = defined eval { Zed::ts() };
	$told{$cpu}{events} += $n // 0;
	$told{$cpu}{gaps}++ if $at_event;
	$told{$cpu}{unsized}++ if $at_event && !defined $n;
	$told{$cpu}{summed} += Zed::lost_places() if !$at_event;
}
sub trace_end {
	for my $cpu (sort { $a <=> $b } keys %told) {
		print join(' ', 'told', $cpu, map { $_ // 0 } @{$told{$cpu}}{qw(events gaps unsized summed)}), "\n";
	}
	print join(' ', 'aggregate', scalar $count->lost, $count->lost), "\n";
}
SCRIPT

# What each output says: 'by CPU' and 'in all', of the trace PATH; OF: of each CPU, as made() returns it.
sub agrees {
	my ($what, $path, @of) = @_;
	my $all = sum(map { $_->[0] } @of);
	my %by_cpu = map { $of[$_][0] ? ($_ => $of[$_][0]) : () } 0 .. $#of;
	my $r = zedperl({ bare => 1 }, '--stats', $path, \$SCRIPT);
	my %told = map { /^told (\d+) (.*)/ ? ($1 => [split ' ', $2]) : () } lines($r->{out});
	is_deeply({ map { $told{$_}[0] ? ($_ => $told{$_}[0]) : () } keys %told }, \%by_cpu, "$what: trace_lost, by CPU (else: told twice, or not)") or diag $r->{err};
	is_deeply([map { $told{$_} ? @{$told{$_}}[1 .. 3] : (0, 0, 0) } 0 .. $#of], [map { @$_[1, 2, 2] } @of], "$what: its gaps, and those whose number comes later");
	like($r->{out}, qr/^aggregate $all $all 0$/m, "$what: an aggregation, scalar and list (else: gaps are added to events)");
	like($r->{err}, qr/^zedperl: lost     $all\b(?!.*unknown number)/m, "$what: --stats");

	my $text = zed_run('zedprint', '--summary', $path)->{out};
	my ($losses) = $text =~ /^  losses +(.*)$/m;
	like($losses, qr/^$all lost\b(?!.*unknown number)/, "$what: zedprint --summary");
	is_deeply({ map { /^    cpu (\d+) +\d+ events?, (\d+) lost/ && $2 ? ($1 => $2) : () } split /\n/, $text }, \%by_cpu, "$what: ... by CPU");
	my ($gaps, $unsized) = (sum(map { $_->[1] } @of), sum(map { $_->[2] } @of));
	like($losses, qr/at $gaps places?, $unsized without a number of (?:its|their) own/, "$what: ... a gap and its number are one loss") if $unsized;

	for (['zed', qr/^lost .* count = (\d+),/m], ['json', qr/"lost":(\d+)/]) {
		my ($format, $number) = @$_;
		my $shown = zed_run('zedprint', '-f', $format, $path);
		my ($more) = $shown->{err} =~ /^zedprint: (\d+) more events? (?:was|were) lost than the output shows/m;
		is(sum($shown->{out} =~ /$number/g) + ($more // 0), $all, "$what: zedprint -f $format, and what it says of others");
	}

	for my $script (qw(lost summary irq)) {
		my $lost = analysis($script, $path)->{data}{lost};
		is($lost->{events} + ($lost->{timeless} // 0), $all, "$what: $script");
		is_deeply([$lost->{places}, $lost->{unknown}, $lost->{summed} // 0], [$gaps, 0, $unsized], "$what: $script: its gaps");
	}
	for (['lost', qw(events before timeless)], ['summary', qw(lost timeless)]) {
		my ($script, @keys) = @$_;
		my $rows = analysis($script, $path)->{data}{tables}{cpus}{rows};
		is_deeply({ map { my $row = $_; my $n = sum(map { $row->{$_} // 0 } @keys); $n ? ($row->{cpu} => $n) : () } @$rows }, \%by_cpu, "$what: $script, by CPU");
	}
	my $counted = zedperl({ bare => 1 }, $path, 'countall')->{out};
	my %counted = map { /^cpu (\d+): (.*)/ ? ("$1" => "$2") : () } split /\n/, $counted;
	is_deeply({ map { ($_ => sum($counted{$_} =~ /(?:^|and )(\d+)/g)) } keys %counted }, \%by_cpu, "$what: countall");

	my $prom = temp_path('.prom');
	zedperl({ bare => 1 }, '--metrics-file', $prom, $path, \'Zed::metric(counter => "x_total"); sub irq::irq_handler_entry { }');
	like(slurp($prom), qr/^zed_lost_events_total $all$/m, "$what: zed_lost_events_total");
	return;
}

# What trace-cmd's reader finds in the pages of PATH: of each CPU the number of gaps, and of those without a number.
sub of_pages {
	my ($path, $cpus) = @_;
	my @of = map { [0, 0] } 1 .. $cpus;
	for (split /\n/, stock_text($path)) {
		my ($cpu, $number) = /^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]/ or next;
		$of[$cpu][0]++;
		$of[$cpu][1]++ if !defined $number;
	}
	return \@of;
}

for my $turn (1 .. small(2, 6)) {
	my ($dat, @of) = made(1 + int rand 4);
	agrees("file $turn", $dat, @of);
	SKIP: {
		skip stock_missing(), 1 if stock_missing();
		is_deeply(of_pages($dat, scalar @of), [map { [@$_[1, 2]] } @of], "file $turn: trace-cmd report finds the same gaps");
	}
	next if $turn > small(1, 3);

	my $export = temp_path('.zst');
	zedperl({ bare => 1 }, '--export', $export, $dat);
	my $lost = analysis('lost', $export)->{data}{lost};
	is($lost->{events} + ($lost->{timeless} // 0), sum(map { $_->[0] } @of), "export $turn: the same");

	# A stream that says meanwhile what was lost up to there, which is less than all.
	my $zed = temp_path('.zed');
	Write::ZedStream::from_dat($dat, turns => sub {
		my ($s, $at) = @_;
		$s->frame(12, pack 'V Q<', $_, int $of[$_][0] * ($at + 1) / 40) for 0 .. $#of;
	})->write($zed);
	agrees("stream $turn", $zed, @of);
}

# Without statistics: the numbers of the gaps, and that there is more.
{
	my $dat = miniature('0 0 5 irq 1 | 10 0!7 5 irqx 1 | 30 0!-1 5 irqx 2 | 35 1!-1 6 irq 3');
	my $text = zed_run('zedprint', '--summary', $dat)->{out};
	like($text, qr/^  losses +7 lost, an unknown number at 2 places$/m, 'no statistics: what is not known is not made up');
	like(zedperl({ bare => 1 }, '--stats', $dat, \$SCRIPT)->{out}, qr/^aggregate 7 7 2$/m, 'an aggregation: events are not gaps');
}

# A stream without an end, whose recorder was killed: what it had counted by then.
{
	my $zed = temp_path('.zed');
	Write::ZedStream::from_dat(miniature('0 0 5 irq 1 | 10 0!7 5 irqx 1 | 30 0!-1 5 irqx 2 | 35 1 6 irq 3'), end => 0)
		->frame(12, pack 'V Q<', 0, 30)->frame(12, pack 'V Q<', 1, 4)->write($zed);
	my $r = zedperl({ bare => 1 }, '--stats', $zed, \$SCRIPT);
	like($r->{err}, qr/^zedperl: lost     34 \(30 at 2 places, 1 without a number of its own; 4 at unknown times\)$/m, 'a killed recorder: --stats') or diag $r->{err};
	like($r->{out}, qr/^aggregate 34 34 0$/m, '... an aggregation has the same (else: it falls when the end is seen)');
}

# Two buffers have statistics of their own.
{
	my $dat = trace(cpus => 1, instances => ['inst'],
		events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, -1], [0, 1500, 'mini::tick', 3, 0, 'inst'], [0, 2500, 'mini::tick', 4, 3, 'inst']],
		options => [[2, "CPU: 0\noverrun: 5\n\0"], [2, "\nBuffer: inst\n\n\0"], [2, "CPU: 0\noverrun: 9\n\0"]]);
	my $rows = analysis('lost', $dat)->{data}{tables}{cpus}{rows};
	is_deeply([map { [@$_{qw(instance n events timeless)}] } @$rows], [['', 1, 5, 0], ['inst', 1, 3, 6]], 'two buffers: each its own (else: nothing is known of either)');
}

# A stream that is still written: what its statistics have beyond the gaps is told as soon as these have been, not only at
# the end, and then not again.
{
	my $dat = miniature('0 0 5 irq 1 | 10 0!7 5 irqx 1 | 20 0 5 irq 2 | 30 0!-1 5 irqx 2', options => [[2, "CPU: 0\noverrun: 30\n\0"]]);
	my $s = Write::ZedStream::from_dat($dat, end => 0);
	pipe my $read, my $write or die "pipe: $!\n";
	my $r = start({ bare => 1, stdin => $read }, '--stats', '-i', '-', \<<'SCRIPT');
		$| = 1;
		my $sum = 0;
		sub irq::irq_handler_entry { }
		sub trace_lost { $sum += $_[1] // 0; print join(' ', $_[1] // '?', defined eval { Zed::ts() } ? 'event' : Zed::lost_places()), "\n" }
		sub trace_end { print "sum $sum\n" }
SCRIPT
	close $read;
	my $sent = syswrite $write, $s->frame(12, pack 'V Q<', 0, 22)->round(2_000_000_000)->{bytes};
	my $told = wait_until(30, sub { (eval { slurp($r->{out_path}) } // '') =~ /^15 1$/m });
	ok($told, 'a stream: a number of the statistics, while it runs (else: only when all is over)') or diag slurp($r->{out_path});
	syswrite $write, substr $s->end(4, 30)->{bytes}, $sent;
	close $write;
	finish($r);
	is($r->{out}, "7 event\n? event\n15 1\n8 0 but true\nsum 30\n", 'each once, the sum that of the statistics') or diag $r->{err};
	like($r->{err}, qr/^zedperl: lost     30 \(at 2 places, 1 without a number of its own\)$/m, '--stats');
}

done_testing();
