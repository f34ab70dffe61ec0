# SPDX-License-Identifier: GPL-2.0-or-later
#
# Svg: the pictures of an answer, each as a separate file, for papers: histogram, heat map, flame graph, chain, time
# line. Plain SVG without scripts, on white.
package Zed::Svg;
use strict;
use warnings;

use List::Util qw(max min);
use POSIX ();
use Zed::Page;

our $VERSION = '0.1';

my $WIDTH = 960;
my $LETTER = 6.6;	# pixels of a letter, approximately
my $TAIL = 50;		# times as many as the fewest: then the counts of a histogram are a logarithm
my $COLORS = 8;		# for the tasks that run most

# How the dot of a verdict is coloured; its word is beside it.
my %VERDICTS = (within => 'run', beyond => 'ready', 'cannot tell' => 'unknown');

# The colours are those of a page that is light: its style sheet has them.
my %color;

sub _color {
	my ($name) = @_;
	if (!%color) {
		my ($light) = Zed::page_part('page.css') =~ /^:root \{(.*?)^\}/ms;
		%color = $light =~ /--([\w-]+): (#[0-9a-f]{6});/g;
	}
	return $color{$name} // die "Zed::Svg: the style sheet has no colour $name\n";
}

# Dark or bright letters: those that can be read on COLOR.
sub _ink_on {
	my ($color) = @_;
	my ($red, $green, $blue) = map { $_ > 10 ? (($_ / 255 + 0.055) / 1.055)**2.4 : $_ / 255 / 12.92 }
		map { hex } $color =~ /\A#(..)(..)(..)\z/;
	return 0.2126 * $red + 0.7152 * $green + 0.0722 * $blue > 0.18 ? '#101418' : '#ffffff';
}

# Texts of a trace: characters that are valid in XML, without markup.
sub _escaped {
	my ($text) = @_;
	my $letters = Zed::Page::letters($text);
	$letters =~ s/([&<>"'])/'&#' . ord($1) . ';'/ge;
	$letters =~ s/[^\x20-\x{d7ff}\x{e000}-\x{fffd}\x{10000}-\x{10ffff}]/\x{fffd}/g;
	return $letters;
}

sub _text {
	my ($x, $y, $text, %o) = @_;
	my $anchor = $o{anchor} ? qq( text-anchor="$o{anchor}") : '';
	return sprintf qq(<text x="%.1f" y="%.1f" fill="%s"%s>%s</text>\n), $x, $y, $o{fill} // _color('ink'), $anchor,
		_escaped($text);
}

# TITLE: the tooltip in a viewer of the picture.
sub _rect {
	my ($x, $y, $width, $height, $fill, $title) = @_;
	my $rect = sprintf '<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"', $x, $y, $width,
		$height, $fill;
	return defined $title ? "$rect><title>" . _escaped($title) . "</title></rect>\n" : "$rect/>\n";
}

sub _line {
	my ($x0, $y0, $x1, $y1, $color, $more) = @_;
	return sprintf qq(<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"%s/>\n), $x0, $y0, $x1, $y1, $color,
		$more // '';
}

# TEXT as far as it fits into ROOM, or nothing.
sub _cut {
	my ($text, $room) = @_;
	my $letters = int($room / $LETTER);
	my $all = Zed::Page::letters($text);
	return $all if length $all <= $letters;
	return $letters > 3 ? substr($all, 0, $letters - 1) . "\x{2026}" : '';
}

# TEXT with SHARE, if both fit into ROOM; else as _cut().
sub _label {
	my ($text, $share, $room) = @_;
	my $fits = $LETTER * length Zed::Page::letters("$text $share") <= $room;
	return _cut($fits ? "$text $share" : $text, $room);
}

# Round numbers from 0 to MOST, about N of them.
sub _ticks {
	my ($most, $n) = @_;
	return (0) if $most <= 0;
	my $rough = $most / $n;
	my $power = 10 ** POSIX::floor(POSIX::log10($rough));
	my ($step) = map { $_ * $power } grep { $_ * $power >= $rough } 1, 2, 5, 10;
	return map { $_ * $step } 0 .. int($most / $step + 1e-9);
}

# What is not one colour: waits and what is not known are hatched, blocked is striped, so that they differ from tasks
# without colours, too.
sub _patterns {
	my ($ready, $blocked, $unknown) = map { _color($_) } qw(ready blocked unknown);
	return qq(<defs><pattern id="ready" width="5" height="5" patternUnits="userSpaceOnUse" )
		. qq(patternTransform="rotate(45)"><rect width="3" height="5" fill="$ready"/></pattern>)
		. qq(<pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse" )
		. qq(patternTransform="rotate(-45)"><rect width="3" height="6" fill="$unknown"/></pattern>)
		. qq(<pattern id="blocked" width="5" height="3" patternUnits="userSpaceOnUse">)
		. qq(<rect width="5" height="2" fill="$blocked"/></pattern></defs>\n);
}

# A key at the bottom: [NAME, FILL], ...; its lines and their height in all.
sub _key {
	my ($top, @items) = @_;
	my ($x, $y, @out) = (0, $top);
	for (@items) {
		my ($name, $fill) = @$_;
		my $wide = 34 + $LETTER * length Zed::Page::letters($name);
		($x, $y) = (0, $y + 18) if $x && $x + $wide > $WIDTH;
		push @out, _rect($x, $y, 14, 10, $fill), _text($x + 19, $y + 9, $name, fill => _color('soft'));
		$x += $wide;
	}
	return ($y + 18 - $top, @out);
}

sub _file {
	my ($height, $title, @parts) = @_;
	my $svg = qq(<svg xmlns="http://www.w3.org/2000/svg" width="$WIDTH" height="$height")
		. qq( viewBox="0 0 $WIDTH $height" font-family="sans-serif" font-size="12" )
		. qq(shape-rendering="crispEdges">\n<title>) . _escaped($title) . "</title>\n"
		. _rect(0, 0, $WIDTH, $height, '#ffffff') . join('', @parts) . "</svg>\n";
	utf8::encode($svg);
	return $svg;
}

# An axis of time since the beginning, SPAN ns over the pixels from LEFT on.
sub _time_axis {
	my ($span, $left, $top, $bottom) = @_;
	my $room = $WIDTH - 20 - $left;
	my $out = '';
	for my $tick (_ticks($span, 8)) {
		my $x = $left + $room * $tick / ($span || 1);
		my $text = $tick ? '+' . Zed::duration($tick) : '0';
		$out .= _line($x, $top, $x, $bottom, _color('grid'))
			. _text(min($x, $WIDTH - 1 - $LETTER * length($text) / 2), $bottom + 14, $text,
				anchor => 'middle', fill => _color('soft'));
	}
	return $out;
}

# The counts of ROWS as pixels from BOTTOM up to TOP, and those that are named. Where the tail would be a line, as a
# logarithm: it is what such a picture is looked at for.
sub _count_scale {
	my ($rows, $bottom, $top) = @_;
	my @n = grep { $_ > 0 } map { $_->{n} } @$rows;
	my ($least, $most) = (min(@n), max(@n));
	if ($most <= $TAIL * $least) {
		return (sub { return $bottom - ($bottom - $top) * $_[0] / $most }, 0,
			grep { $_ == int } _ticks($most, 5));
	}
	# It begins below 1: a single value is seen.
	my $whole = log(2 * $most);
	my @powers = map { 10**$_ } 0 .. int(log($most) / log(10) + 1e-9);
	return (sub { return $_[0] ? $bottom - ($bottom - $top) * log(2 * $_[0]) / $whole : $bottom }, 1, @powers);
}

sub histogram {
	my ($p) = @_;
	my @rows = @{$p->{rows}};
	my $most = max map { $_->{n} } @rows;
	my ($top, $bottom, $height) = (70, 288, 334);
	my $left = 24 + $LETTER * length $most;
	my $step = ($WIDTH - 16 - $left) / @rows;
	my ($y, $is_log, @ticks) = _count_scale(\@rows, $bottom, $top);
	my @out = _text(0, 14, $p->{title});
	for my $tick (@ticks) {
		push @out, _line($left, $y->($tick), $WIDTH - 16, $y->($tick), _color('grid')),
			_text($left - 6, $y->($tick) + 4, $tick, anchor => 'end', fill => _color('soft'));
	}
	my $skip = POSIX::ceil((12 + $LETTER * max 8, map { length Zed::duration($_->{from}) } @rows) / $step);
	for my $i (0 .. $#rows) {
		my ($from, $to, $n) = @{$rows[$i]}{qw(from to n)};
		my $high = $n ? max(1, $bottom - $y->($n)) : 0;
		push @out, _rect($left + $i * $step, $bottom - $high, $step * 0.93, $high, _color('bar'),
			sprintf '%s up to %s: %d', Zed::duration($from), Zed::duration($to), $n) if $n;
		push @out, _text($left + $i * $step, $bottom + 16, Zed::duration($from), fill => _color('soft'))
			if $i % $skip == 0;
	}
	push @out, _line($left, $bottom, $WIDTH - 16, $bottom, _color('line')), _text($left, $bottom + 34,
		'from (log); number of values' . ($is_log ? ' (log)' : ''), fill => _color('soft'));
	return _file($height, $p->{title}, @out, _quantiles($p, $left, $step, $bottom));
}

# The percentiles: a line each, with its name in the first of three rows; where that would reach over a line, the next
# line begins below it.
sub _quantiles {
	my ($p, $left, $step, $bottom) = @_;
	my @rows = @{$p->{rows}};
	my @ends = (0, 0, 0);
	my @out;
	for my $q (@{$p->{quantiles} // []}) {
		my ($i) = grep { $q->{value} >= $rows[$_]{from} && $q->{value} < $rows[$_]{to} } 0 .. $#rows;
		next if !defined $i;
		my $x = $left + $step * ($i + ($rows[$i]{from} > 0 ? log($q->{value} / $rows[$i]{from}) / log 2 : 0));
		my $text = "p$q->{percent} " . Zed::duration($q->{value});
		my $wide = $LETTER * length($text) + 3;
		my $at = $x + $wide > $WIDTH ? $x - $wide : $x;
		my $row = max 0, map { $_ + 1 } grep { $ends[$_] > $at } 0 .. $#ends;
		push @out, _line($x, 22 + 14 * $row, $x, $bottom, _color('mark'), ' stroke-dasharray="3 3"');
		next if $row == @ends;
		push @out, _text($at < $x ? $at : $x + 3, 32 + 14 * $row, $text);
		$ends[$row] = $at + $wide + 8;
	}
	return @out;
}

# From one colour to another.
sub _between {
	my ($first, $last, $share) = @_;
	my ($from, $to) = map { [map { hex } _color($_) =~ /\A#(..)(..)(..)\z/] } $first, $last;
	return sprintf '#%02x%02x%02x', map { $from->[$_] + ($to->[$_] - $from->[$_]) * $share } 0 .. 2;
}

sub _value { my ($row) = @_; return $row < 0 ? 0 : 2 ** POSIX::floor($row / 4) * (1 + $row % 4 / 4) }

# Values of 0 have a band of their own below the others, as a logarithm has no place for them.
sub heat {
	my ($p) = @_;
	my @cells = @{$p->{cells}};
	my @rows = grep { $_ >= 0 } map { $_->[1] } @cells;
	my ($low, $high) = @rows ? (min(@rows), 1 + max @rows) : (0, 1);
	my $band = @rows < @cells ? 14 : 0;
	my $columns = 1 + max map { $_->[0] } @cells;
	my $most = max map { $_->[2] } @cells;
	my ($top, $bottom) = (28, 320);
	my $left = 24 + $LETTER * max 8, map { length Zed::duration(_value($_)) } $low, $high;
	my $base = $bottom - ($band && $band + 6);
	my ($wide, $tall) = (($WIDTH - 20 - $left) / $columns, ($base - $top) / ($high - $low));
	my @out = (_text(0, 14, $p->{title}), _time_axis($columns * $p->{width}, $left, $top, $bottom));
	my $step = max 4, 4 * POSIX::ceil(18 / $tall / 4);
	for (my $row = 4 * POSIX::ceil($low / 4); $row <= $high; $row += $step) {
		my $y = $base - ($row - $low) * $tall;
		push @out, _line($left, $y, $WIDTH - 20, $y, _color('grid')),
			_text($left - 6, min($y + 4, $base), Zed::duration(_value($row)), anchor => 'end',
				fill => _color('soft'));
	}
	push @out, _rect($left, $bottom - $band, $WIDTH - 20 - $left, $band, _color('heat-0')),
		_text($left - 6, $bottom - 2, '0', anchor => 'end', fill => _color('soft')) if $band;
	my $shade = sub { return _between(qw(heat-from heat-to), $most > 1 ? log($_[0]) / log $most : 1) };
	for (@cells) {
		my ($column, $row, $n) = @$_;
		my ($y, $high_of) = $row < 0 ? ($bottom - $band, $band) : ($base - ($row + 1 - $low) * $tall, $tall);
		push @out, _rect($left + $column * $wide, $y, max(1, $wide), $high_of, $shade->($n), ($row < 0 ? '0'
			: Zed::duration(_value($row)) . ' up to ' . Zed::duration(_value($row + 1))) . ": $n");
	}
	my %steps = map { POSIX::floor($most**($_ / 4) + 0.5) => 1 } 0 .. 4;
	my ($more, @key) = _key($bottom + 26, map { ["$_ in a cell", $shade->($_)] } sort { $a <=> $b } keys %steps);
	return _file($bottom + 26 + $more, $p->{title}, @out, @key);
}

sub _hash { my $h = 7; $h = ($h * 31 + ord) % 65_521 for split //, $_[0]; return $h }

# The stacks of a flame graph as a tree, without those that it has no room for.
sub _flame_tree {
	my (@stacks) = @_;
	my $tree = { name => 'all', value => 0, below => {} };
	for (@stacks) {
		my ($stack, $weight) = @$_;
		my $at = $tree;
		$at->{value} += $weight;
		for my $name (split /;/, $stack) {
			$at = $at->{below}{$name} //= { name => $name, value => 0, below => {} };
			$at->{value} += $weight;
		}
	}
	return $tree;
}

# What is below a frame, the widest first; last, what is not a function.
sub _below {
	my ($node) = @_;
	my @below = sort { $b->{value} <=> $a->{value} || $a->{name} cmp $b->{name} } values %{$node->{below}};
	return (@below, $node->{rest} // ());
}

# A frame is drawn if it is a pixel wide: so the picture is as high as the longest stack that has such a share.
sub flame {
	my ($p) = @_;
	my $tree = _flame_tree(@{$p->{stacks}});
	if (my $rest = $p->{rest}) {
		my $name = "($rest->{n} other stack" . ($rest->{n} == 1 ? '' : 's') . ')';
		$tree->{rest} = { name => $name, value => $rest->{weight}, is_rest => 1 };
		$tree->{value} += $rest->{weight};
	}
	my $amount = sub { return $p->{unit} eq 'ns' ? Zed::duration($_[0]) : "$_[0] $p->{unit}" };
	my ($high, $deepest, @out, @todo) = (17, 0);
	my $scale = ($WIDTH - 2) / ($tree->{value} || 1);
	@todo = [$tree, 1, 0];
	while (my $one = shift @todo) {
		my ($node, $x, $depth) = @$one;
		my $wide = $node->{value} * $scale;
		$deepest = $depth if $depth > $deepest;
		my $color = _color('flame-rest');
		$color = _between(qw(flame-a flame-b), _hash($node->{name}) % 16 / 15) if !$node->{is_rest};
		my $share = sprintf '%.2f %%', 100 * $node->{value} / ($tree->{value} || 1);
		push @out, _rect($x, 24 + $depth * $high, max(0.4, $wide - 0.6), $high - 1,
			$color, "$node->{name}: " . $amount->($node->{value}) . ", $share");
		my $text = $wide > 30 ? _label($node->{name}, $share, $wide - 6) : '';
		push @out, _text($x + 3, 24 + $depth * $high + 12, $text, fill => _ink_on($color)) if length $text;
		for my $below (_below($node)) {
			push @todo, [$below, $x, $depth + 1] if $below->{value} * $scale >= 1;
			$x += $below->{value} * $scale;
		}
	}
	return _file(30 + ($deepest + 1) * $high, $p->{title}, _text(0, 14, $p->{title}), @out);
}

my @KINDS = ([qr/^runs?\b/, 'run'], [qr/preempt|waits for a CPU|ready|pending|late|queue/, 'ready'],
	[qr/device|disk|block/, 'blocked'], [qr/softirq/, 'softirq'], [qr/interrupt|irq/, 'irq'],
	[qr/unknown/, 'unknown']);

my @OTHERS = (5, 7, 4, 6, 8);	# of the tasks' colours, those that are none of these

# {WHAT}: colour: those of a kind have that of the kind, others one of the tasks', in the order of PARTS.
sub _part_colors {
	my (@parts) = @_;
	my (%color, @words);
	my $others = 0;
	for my $what (map { $_->{what} } @parts) {
		next if $color{$what};
		my ($kind) = map { $_->[1] } grep { $what =~ $_->[0] } @KINDS;
		push @words, $what;
		$color{$what} = _color($kind // ($others < @OTHERS ? 'task-' . $OTHERS[$others++] : 'task-rest'));
	}
	return (\%color, @words);
}

sub chain {
	my ($p) = @_;
	my @parts = @{$p->{parts}};
	my ($first, $last) = ($parts[0]{from}, $parts[-1]{to});
	my ($left, $high, $top) = (180, 20, 70);
	my $scale = ($WIDTH - 20 - $left) / ($last - $first || 1);
	my (%lane, @lanes);
	for (@parts) {
		push @lanes, $_->{actor} if !defined $lane{$_->{actor}};
		$lane{$_->{actor}} //= $#lanes;
	}
	my $bottom = $top + @lanes * $high + 4;
	my ($colors, @words) = _part_colors(@parts);
	my @out = (_text(0, 14, $p->{title}), _time_axis($last - $first, $left, 24, $bottom),
		_text(0, 48, Zed::duration($last - $first)));
	push @out,
		map { _text(0, $top + $lane{$_} * $high + 14, _cut($_ eq '' ? 'unknown' : $_, $left - 8)) } @lanes;
	for my $part (@parts) {
		my ($x, $wide) = ($left + ($part->{from} - $first) * $scale, max 0.6,
			($part->{to} - $part->{from}) * $scale);
		my $color = $colors->{$part->{what}};
		my $title = "$part->{what} $part->{actor}: " . Zed::duration($part->{to} - $part->{from});
		push @out, _rect($x, 32, $wide, 24, $color, $title),
			_rect($x, $top + $lane{$part->{actor}} * $high + 3, $wide, $high - 6, $color, $title);
		my $text = $wide > 60 ? _cut($part->{what}, $wide - 8) : '';
		push @out, _text($x + 4, 48, $text, fill => _ink_on($color)) if length $text;
	}
	my ($tall, @key) = _key($bottom + 26, map { [$_, $colors->{$_}] } @words);
	return _file($bottom + 26 + $tall, $p->{title}, @out, @key);
}

# Changes with their bounds and what is allowed, one below the other; the scale is of parts.
sub whiskers {
	my ($p) = @_;
	my @rows = @{$p->{rows}};
	my ($left, $high, $top) = (260, 26, 34);
	my @ends = (0, map { grep { defined } @$_{qw(by low high least most)} } @rows);
	my ($from, $to) = (min(@ends), max @ends);
	my $margin = ($to - $from) * 0.06 || 0.01;
	($from, $to) = ($from - $margin, $to + $margin);
	my $x = sub { return $left + ($WIDTH - 20 - $left) * ($_[0] - $from) / ($to - $from) };
	my $bottom = $top + @rows * $high;
	my @out = _text(0, 14, $p->{title});
	for my $tick (_steps($from, $to)) {
		push @out, _line($x->($tick), $top, $x->($tick), $bottom, _color($tick ? 'grid' : 'line')),
			_text($x->($tick), $bottom + 16, sprintf('%+.3g %%', 100 * $tick), anchor => 'middle',
				fill => _color('soft'));
	}
	for my $i (0 .. $#rows) {
		my ($row, $y) = ($rows[$i], $top + ($i + 0.5) * $high);
		my ($least, $most) = ($row->{least} // $from, $row->{most} // $to);
		push @out, _text(0, $y + 4, _cut($row->{name}, $left - 8)),
			_rect($x->($least), $y - 9, max(1, $x->($most) - $x->($least)), 18, _color('idle'), 'allowed'),
			_line($x->($row->{low}), $y, $x->($row->{high}), $y, _color('mark'), ' stroke-width="2"'),
			map({ _line($x->($_), $y - 5, $x->($_), $y + 5, _color('mark')) } @$row{qw(low high)}),
			sprintf(qq(<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"><title>%s</title></circle>\n),
				$x->($row->{by}), $y,
				_color($VERDICTS{$row->{verdict}} // 'unknown'),
					_escaped("$row->{name}: $row->{verdict}"));
	}
	my ($tall, @key) = _key($bottom + 26, ['allowed', _color('idle')],
		map { [$_, _color($VERDICTS{$_})] } sort keys %VERDICTS);
	return _file($bottom + 26 + $tall, $p->{title}, @out, @key);
}

# Round numbers between FROM and TO, with 0 among them if it is there.
sub _steps {
	my ($from, $to) = @_;
	my ($step) = (_ticks($to - $from, 8))[1];
	return map { $_ * $step } POSIX::ceil($from / $step) .. POSIX::floor($to / $step);
}

my $TASKS = 16;		# lanes of tasks in a time line

# {NAME}: the colour of a task's name: eight for those that ran most, threads of one name together.
sub _task_colors {
	my (@tasks) = @_;
	my %run;
	$run{$_->[0]} += $_->[2] for @tasks;
	my @names = sort { $run{$b} <=> $run{$a} || $a cmp $b }
		grep { !/\A(?:idle|<idle>|swapper(?:\/\d+)?)\z/ } keys %run;
	splice @names, $COLORS if @names > $COLORS;
	return (\@names, { map { $names[$_] => _color('task-' . ($_ + 1)) } 0 .. $#names });
}

# T: the answer of Zed::timeline.
sub timeline {
	my ($t) = @_;
	my @cpus = @{$t->{cpus}};
	my @tasks = @{$t->{tasks}};
	my $shown = min $TASKS, scalar @tasks;
	my ($left, $high, $y) = (150, @cpus > 24 ? 8 : 18, 28);
	my ($span, $room) = ($t->{end} - $t->{start} || 1, $WIDTH - 20 - $left);
	my ($names, $color) = _task_colors(@tasks);
	my $of = sub { return $color->{$_[0]} // _color('task-rest') };
	my $bottom = $y + @cpus * ($high + 2) + 8 + $shown * 16;
	my @out = (_text(0, 14, 'time line'), _time_axis($span, $left, 22, $bottom), _patterns());
	for my $i (0 .. $#cpus) {
		push @out, _text(0, $y + $high - 4, "CPU $cpus[$i][0]") if $high > 10 || !($i % 2);
		push @out, _lane($t->{cpu_cells}, scalar @cpus, $i, $t->{cpu_width}, $span,
			sub { _cpu($t, $of, $left, $y, $high, $room, @_) });
		$y += $high + 2;
	}
	$y += 8;
	for my $i (0 .. $shown - 1) {
		push @out, _text(0, $y + 11, _cut("$tasks[$i][0] $tasks[$i][1]", $left - 8));
		push @out, _lane($t->{task_cells}, scalar @tasks, $i, $t->{task_width}, $span,
			sub { _task($of->($tasks[$i][0]), $left, $y, 13, $room, @_) });
		$y += 16;
	}
	my ($tall, @key) = _key($bottom + 26, map({ [$_, $color->{$_}] } @$names), ['other tasks', _color('task-rest')],
		['waits for a CPU', 'url(#ready)'], ['blocked', 'url(#blocked)'], ['idle', _color('idle')],
		['not known', 'url(#unknown)'], ['events lost', _color('lost')]);
	return _file($bottom + 26 + $tall, 'time line', @out, @key);
}

# Calls DRAW with (FROM, TO, the greatest shares), both as parts of the whole, for each of a thousand columns.
sub _lane {
	my ($bytes, $n, $lane, $width, $span, $draw) = @_;
	my $cells = length($bytes) / 4 / $n;
	my $columns = min 1000, $cells;
	my (@out, @was);
	for my $c (0 .. $columns) {
		my @now;
		if ($c < $columns) {
			my ($a, $b) = (int($c * $cells / $columns), int(($c + 1) * $cells / $columns) - 1);
			for my $i ($a .. max $a, $b) {
				my @v = unpack 'C4', substr $bytes, 4 * ($i * $n + $lane), 4;
				@now = @now ? ($v[0] > $now[0] ? (@v[0, 1, 2], $v[3] | $now[3])
					: ($now[0], max($now[1], $v[1]), $now[2], $v[3] | $now[3])) : @v;
			}
		}
		# Columns that look the same are one.
		if (@was && (!@now || "@now[0, 2, 3]" ne "@{$was[1]}[0, 2, 3]" || $now[1] != $was[1][1])) {
			push @out, $draw->(map({ min 1, $_ * $cells / $columns * $width / $span } $was[0], $c),
				@{$was[1]});
			@was = ();
		}
		@was = ($c, \@now) if !@was && @now;
	}
	return @out;
}

sub _cpu {
	my ($t, $of, $left, $y, $high, $room, $from, $to, $busy, $events, $who, $flags) = @_;
	my ($x, $wide) = ($left + $from * $room, max 0.5, ($to - $from) * $room);
	my @out = _rect($x, $y, $wide, $high, $flags & 8 ? 'url(#unknown)' : _color('idle'));
	my $name = $who == 255 ? 'others' : $t->{people}[$who][0];
	my $tall = $busy * $high / 255;
	push @out, _rect($x, $y + $high - $tall, $wide, $tall, $of->($name), $name)
		if $busy;
	push @out, _rect($x, $y, max(1, $wide), 3, _color('lost'), 'events lost') if $flags & 1;
	return @out;
}

sub _task {
	my ($color, $left, $y, $high, $room, $from, $to, $run, $ready, $blocked, $unknown) = @_;
	my ($x, $wide) = ($left + $from * $room, max 0.5, ($to - $from) * $room);
	return _rect($x, $y, $wide, $high, 'url(#unknown)') if $unknown > 127;
	my @out;
	my $up = $high;
	for ([$run, $color], [$ready, 'url(#ready)'], [$blocked, 'url(#blocked)']) {
		my ($share, $fill) = @$_;
		my $tall = min $up, $share * $high / 255;
		$up -= $tall;
		push @out, _rect($x, $y + $up, $wide, $tall, $fill) if $tall > 0;
	}
	return @out ? @out : _rect($x, $y + $high / 2, $wide, 1, _color('grid'));
}

my %DRAW = (histogram => \&histogram, heat => \&heat, flame => \&flame, chain => \&chain, whiskers => \&whiskers);

# Each picture of WHAT (as Zed::Page takes it) into a file: NAME is inserted before the extension of FILE's name.
sub write {	## no critic (ProhibitBuiltinHomonyms)
	my ($file, $what) = @_;
	my ($stem) = $file =~ /^(.*?)(?:\.svg)?\z/s;
	my @written;
	my $put = sub {
		my ($name, $svg) = @_;
		push @written, ["$stem-$name.svg", $svg];
	};
	$put->($_->{name}, $DRAW{$_->{kind}}->($_)) for @{$what->{pictures}};
	my $t = $what->{timeline} ? $what->{timeline}->answer(0, 3) : undef;
	$put->('timeline', timeline($t)) if $t && $t->{has_switches};
	Zed::Page::write_files(@written);
	return map { $_->[0] } @written;
}

1;

__END__

=head1 NAME

Zed::Svg - pictures of an answer for papers

=head1 SYNOPSIS

    use Zed::Svg;

    my @files = Zed::Svg::write('answer.svg', { pictures => [...] });

=head1 DESCRIPTION

Writes each picture to a file of its own: plain SVG, 960 pixels wide, on white, without scripts.
Analyses that are made with Zed::Report have it as B<--svg>.

=head1 FUNCTIONS

=over

=item Zed::Svg::write(FILE, WHAT)

Writes the pictures and the time line of WHAT, the argument of Zed::Page::write(): for FILE
C<answer.svg>, a picture C<heat> becomes C<answer-heat.svg>. Existing files are replaced. If one
cannot be written, none is. Returns the files' names.

=item Zed::Svg::histogram(PICTURE), heat, flame, chain, whiskers, timeline

One picture as a string of bytes.

=back

=head1 SEE ALSO

Zed::Report, Zed::Page

=head1 LICENCE

GPL-2.0-or-later

=cut
