# SPDX-License-Identifier: GPL-2.0-or-later
#
# curves.pl [FOLDER]: how time and memory grow with the number of events, from 10^5 to 10^8, and with the number of
# streams, from 1 to 512; as two pictures and a table, FOLDER/performance-events.svg, -streams.svg and curves.md
# (build/bench).  CPU seconds, user plus system, the least of three runs: other work on the machine only adds to them.
#
# The recordings are made of the big one beside the checkout: its sub-buffers again and again, so that times jump back
# where a copy begins; and, for streams, of its first million events dealt out to as many CPUs.
use strict;
use warnings;
use lib 't/lib';
use Files;
use Run::Measured;
use Write::BigDat;
use Write::Dat;
use POSIX ();

my $bin = $ENV{ZED_BIN_DIR} // '.';
my $work = 'build/bench';
my $measure = ($ENV{ZED_BUILD} // 'build/gcc') . '/t/bench/measure';
my $to = $ARGV[0] // $work;
my $big = "$work/big.dat";
die "$measure is not there: run make bench\n" if !-x $measure;
die "$big is not there: make bench BENCHES=idle makes it\n" if !-e $big;

my @questions = (
	['zedperl, Zed::count', "$bin/zedperl", '-e', 'Zed::count("*:*", by => "event")'],
	['zedperl, a handler for each', "$bin/zedperl", '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print "$n\n" }'],
	['zedprint -f json', "$bin/zedprint", '-f', 'json'],
);
my @colors = ('#2f7fd6', '#e0921a', '#7a5bb5');

# ---- measuring

# The least CPU seconds, and the KiB of that run, of QUESTION on FILE.
sub cost {
	my ($question, $file) = @_;
	my ($name, @cmd) = @$question;
	my ($least, $kib);
	for (1 .. 3) {
		my ($cpu, undef, $k) = @{measured('/dev/null', @cmd, '--force-merge', $file)};
		($least, $kib) = ($cpu, $k) if !defined $least || $cpu < $least;
		last if $cpu > 60;
	}
	return ($least, $kib);
}

# ---- the recordings

sub events_of {
	my ($file) = @_;
	return (`$bin/zedprint --summary '$file'` =~ /^  events +(\d+)/m)[0] // die "$file: no summary\n";
}

sub of_size {
	my ($n, $all) = @_;
	my $file = "$work/curve-$n.dat";
	return $file if -e $file;
	if ($n < $all) {
		system("$bin/zedprint", '--cut', $file, '--head', $n, $big) == 0 or die "no cut of $n events\n";
	} else {
		system('perl', 't/bench/double.pl', $big, $file, int($n / $all + 0.5)) == 0 or die "double.pl failed\n";
	}
	return $file;
}

# A million small events on CPUS CPUs, each of which has its share of them, in turns.
sub of_streams {
	my ($cpus) = @_;
	my $file = "$work/streams-$cpus.dat";
	my $per_page = 200;
	my $pages = int(1_000_000 / $per_page / $cpus);
	Write::Dat->new(cpus => $cpus, page_size => 4096, make_pages => sub {
		my ($d, $cpu) = @_;
		return map { my $p = $_; $d->page(1_000 + ($p * $cpus + $cpu) * 1_000,
			$d->data_event(5, Write::Dat::tick($d, $p)) x ($per_page * 16 / 20)) } 0 .. $pages - 1;
	})->write($file) if !-e $file;
	return $file;
}

# ---- drawing

my ($width, $height, $left, $bottom) = (720, 360, 70, 50);

sub power { my ($n) = @_; my $e = POSIX::floor(log($n) / log(10) + 0.5); return $e < 4 && $e > -4 ? 10 ** $e : "10^$e" }

# LINES: [name, [x, y]...], both axes logarithmic.
sub draw {
	my ($file, $title, $x_is, $y_is, $x_ticks, @lines) = @_;
	my @all = map { my (undef, @p) = @$_; @p } @lines;
	my ($x0, $x1) = (sort { $a <=> $b } map { $_->[0] } @all)[0, -1];
	my ($y0, $y1) = (sort { $a <=> $b } map { $_->[1] } @all)[0, -1];
	($y0, $y1) = (10 ** POSIX::floor(log($y0) / log(10)), 10 ** POSIX::ceil(log($y1) / log(10)));
	my $x = sub { $left + ($width - $left - 20) * log($_[0] / $x0) / log($x1 / $x0) };
	my $y = sub { $height - $bottom - ($height - $bottom - 40) * log($_[0] / $y0) / log($y1 / $y0) };
	my $svg = qq(<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" viewBox="0 0 $width $height" )
		. qq(font-family="sans-serif" font-size="12">\n<title>$title</title>\n<rect width="$width" height="$height" fill="#ffffff"/>\n);
	my $text = sub { sprintf qq(<text x="%.1f" y="%.1f" fill="#1b1f24" text-anchor="%s">%s</text>\n), @_ };
	for my $tick (@$x_ticks) {
		$svg .= sprintf qq(<line x1="%.1f" x2="%.1f" y1="40" y2="%d" stroke="#e6e9ee"/>\n), $x->($tick), $x->($tick), $height - $bottom;
		$svg .= $text->($x->($tick), $height - $bottom + 16, 'middle', $tick >= 10_000 ? power($tick) : $tick);
	}
	for (my $tick = $y0; $tick <= $y1 * 1.001; $tick *= 10) {
		$svg .= sprintf qq(<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#e6e9ee"/>\n), $left, $width - 20, $y->($tick), $y->($tick);
		$svg .= $text->($left - 8, $y->($tick) + 4, 'end', power($tick));
	}
	$svg .= $text->(($left + $width - 20) / 2, $height - 12, 'middle', $x_is) . $text->(12, 20, 'start', $y_is);
	for my $i (0 .. $#lines) {
		my ($name, @p) = @{$lines[$i]};
		$svg .= sprintf qq(<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>\n), $colors[$i],
			join ' ', map { sprintf '%.1f,%.1f', $x->($_->[0]), $y->($_->[1]) } @p;
		$svg .= sprintf qq(<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>\n), $x->($_->[0]), $y->($_->[1]), $colors[$i] for @p;
		$svg .= sprintf qq(<rect x="%d" y="%d" width="10" height="10" fill="%s"/>\n), $left + 150 + 180 * $i, 11, $colors[$i];
		$svg .= $text->($left + 165 + 180 * $i, 20, 'start', $name);
	}
	spew($file, "$svg</svg>\n");
	return;
}

# ---- all of it


my $all = events_of($big);
my (%time, @rows);
for my $n (100_000, 1_000_000, 10_000_000, 100_000_000) {
	my $file = of_size($n, $all);
	my $events = events_of($file);
	my @row = ($events);
	for my $i (0 .. $#questions) {
		my ($cpu, $kib) = cost($questions[$i], $file);
		push @{$time{events}[$i]}, [$events, $cpu];
		push @row, sprintf('%.2f s', $cpu), sprintf('%.0f MiB', $kib / 1024);
		printf "%-30s %11d events  %8.2f s  %6.1f ns each  %5.0f MiB\n", $questions[$i][0], $events, $cpu, $cpu / $events * 1e9, $kib / 1024;
	}
	push @rows, \@row;
	unlink $file if $n > 10_000_000;
}
my @streams;
for my $cpus (map { 2 ** $_ } 0 .. 9) {
	my $file = of_streams($cpus);
	my $events = events_of($file);
	my ($cpu, $kib) = cost($questions[0], $file);
	push @{$time{streams}}, [$cpus, $cpu / $events * 1e9];
	push @streams, [$cpus, sprintf('%.1f ns', $cpu / $events * 1e9), sprintf('%.0f MiB', $kib / 1024)];
	printf "%-30s %4d streams  %6.1f ns each  %5.0f MiB\n", $questions[0][0], $cpus, $cpu / $events * 1e9, $kib / 1024;
}
draw("$to/performance-events.svg", 'time by number of events', 'events', 'CPU s', [map { 10 ** $_ } 5 .. 8],
	map { [$questions[$_][0], @{$time{events}[$_]}] } 0 .. $#questions);
draw("$to/performance-streams.svg", 'time per event by number of streams', 'streams (CPUs)', 'ns per event', [map { 2 ** $_ } 0 .. 9],
	[$questions[0][0], @{$time{streams}}]);
spew("$to/curves.md", join '', '| events | ', join(' | ', map { $_->[0] . ' | memory' } @questions), " |\n|", '---|' x (1 + 2 * @questions), "\n",
	(map { '| ' . join(' | ', @$_) . " |\n" } @rows), "\n| streams | per event | memory |\n|---|---|---|\n", map { '| ' . join(' | ', @$_) . " |\n" } @streams);
