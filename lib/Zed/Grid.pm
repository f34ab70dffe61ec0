# SPDX-License-Identifier: GPL-2.0-or-later
#
# Grid: cells as aligned text; if wider than the terminal, long texts are cut, then the least important columns dropped.
package Zed::Grid;
use strict;
use warnings;

use Zed::Terminal;

our $VERSION = '0.1';

my $BETWEEN = 2;	# blanks between two columns
my $SHORT = 28;		# letters that a long text keeps before a column is dropped

# Letters, not bytes, if a text is UTF-8.
sub width {
	my ($text) = @_;
	return length $text if $text !~ /[^\x00-\x7f]/;
	my $copy = $text;
	utf8::decode($copy);
	return length $copy;
}

sub _cut {
	my ($text, $room) = @_;
	return $text if width($text) <= $room;
	my $letters = $text;
	my $is_text = utf8::decode($letters);
	$letters = $room > 3 ? substr($letters, 0, $room - 3) . '...' : substr $letters, 0, $room;
	utf8::encode($letters) if $is_text;
	return $letters;
}

# COLUMNS, and the cells of the lines, each line as one string, as there may be very many.
sub new {
	my ($class, $columns, $look) = @_;
	return bless { columns => $columns, look => $look, heads => [], lines => [],
		most => [map { { cell => 0, number => 0, unit => 0 } } @$columns] }, $class;
}

sub heads {
	my ($self, @cells) = @_;
	$self->{heads} = \@cells;
	return;
}

sub add {
	my ($self, @cells) = @_;
	my ($columns, $most) = @$self{qw(columns most)};
	my $line = join "\0", @cells;
	my $is_ascii = $line !~ /[^\x00-\x7f]/;
	for my $i (0 .. $#$columns) {
		my ($cell, $of) = ($cells[$i], $most->[$i]);
		my $width = $is_ascii ? length $cell : width($cell);
		$of->{cell} = $width if $width > $of->{cell};
		next if !$columns->[$i]{right};
		my $at = rindex $cell, ' ';
		my $unit = $at < 0 ? 0 : length($cell) - $at - 1;
		$of->{unit} = $unit if $unit > $of->{unit};
		$width -= $unit + 1 if $at >= 0;
		$of->{number} = $width if $width > $of->{number};
	}
	push @{$self->{lines}}, $line;
	return;
}

# Numbers with units of several lengths: values and units are aligned below each other.
sub _aligned {
	my ($self, $i, $cell) = @_;
	my $unit = $self->{most}[$i]{unit};
	return $cell if !$unit || !$self->{columns}[$i]{right} || $cell eq '';
	return sprintf "%s %-${unit}s", $cell =~ /\A(.*) ([^ ]*)\z/ ? ($1, $2) : ($cell, '');
}

sub _widths {
	my ($self) = @_;
	return map {
		my $of = $self->{most}[$_];
		my ($head, $cell) = (width($self->{heads}[$_]), $of->{unit} ? $of->{number} + 1 + $of->{unit}
			: $of->{cell});
		$head > $cell ? $head : $cell;
	} 0 .. $#{$self->{columns}};
}

sub _sum {
	my ($width, @kept) = @_;
	my $sum = $BETWEEN * $#kept;
	$sum += $width->[$_] for @kept;
	return $sum;
}

# Which columns fit into ROOM; reduces the WIDTH of long texts.
sub _fitted {
	my ($columns, $width, $room) = @_;
	my @kept = 0 .. $#$columns;
	while (1) {
		my $over = _sum($width, @kept) - $room;
		return @kept if $over <= 0;
		my @long = grep { !$columns->[$_]{right} && $width->[$_] > $SHORT } @kept;
		my $spare = 0;
		$spare += $width->[$_] - $SHORT for @long;
		if ($spare >= $over || @kept == 1) {
			while ($over > 0 && @long) {
				my ($longest) = sort { $width->[$b] <=> $width->[$a] || $a <=> $b } @long;
				$width->[$longest]--;
				$over--;
			}
			$width->[$kept[0]] = $room if @kept == 1 && $width->[$kept[0]] > $room;
			return @kept;
		}
		my ($least) = sort { ($columns->[$a]{weight} // 0) <=> ($columns->[$b]{weight} // 0)
			|| $b <=> $a } @kept[1 .. $#kept];
		@kept = grep { $_ != $least } @kept;
	}
}

# Writes all lines to OUT. Returns their full width, and the columns that had no room.
sub print {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $out) = @_;
	my ($columns, $look) = @$self{qw(columns look)};
	my @width = _widths($self);
	my $whole = _sum(\@width, 0 .. $#$columns);
	my @kept = $look && $look->{width} ? _fitted($columns, \@width, $look->{width}) : 0 .. $#$columns;
	print {$out} _line($self, \@width, \@kept, [@{$self->{heads}}[@kept]], 1);
	print {$out} Zed::Terminal::styled($look, rule => join ' ' x $BETWEEN, map { '-' x $width[$_] } @kept), "\n"
		if $look && $look->{rule};
	for my $line (@{$self->{lines}}) {
		my @cells = split /\0/, $line, -1;
		print {$out} _line($self, \@width, \@kept, [map { _aligned($self, $_, $cells[$_]) } @kept]);
	}
	my %is_kept = map { $_ => 1 } @kept;
	return { whole => $whole, left_out => [grep { !$is_kept{$_} } 0 .. $#$columns] };
}

# A line of the cells of the columns KEPT.
sub _line {
	my ($self, $width, $kept, $cells, $is_head) = @_;
	my @text;
	for my $n (0 .. $#$kept) {
		my ($column, $room, $cell) = ($self->{columns}[$kept->[$n]], $width->[$kept->[$n]], $cells->[$n]);
		my $blanks = $room - width($cell);
		$cell = _cut($cell, $room) if $blanks < 0;
		$cell = Zed::Terminal::styled($self->{look}, $column->{chosen} ? 'chosen' : 'bold', $cell) if $is_head;
		push @text, $blanks <= 0 ? $cell : $column->{right} ? ' ' x $blanks . $cell : $cell . ' ' x $blanks;
	}
	return join(' ' x $BETWEEN, @text) =~ s/ +\z//r . "\n";
}

1;

__END__

=head1 NAME

Zed::Grid - cells as aligned text that fits the terminal

=head1 SYNOPSIS

    use Zed::Grid;

    my $grid = Zed::Grid->new([{}, { right => 1 }], { width => 80 });
    $grid->heads('task', 'n');
    $grid->add('sh', '3');
    $grid->print(\*STDOUT);

=head1 METHODS

=over

=item Zed::Grid->new(COLUMNS, [LOOK])

COLUMNS are references to hashes: C<right>, right-aligned numbers; C<weight>, how important the column is (0);
C<chosen>, the rows are sorted by it. LOOK is the result of Zed::Terminal::look().

=item $grid->heads(CELL...), $grid->add(CELL...)

Adds the heads, or one line. A cell must not contain a NUL character.

=item $grid->print(OUT)

Writes the heads and all lines to the filehandle OUT. If LOOK has a C<width>, texts of more than 28 letters are cut
until the lines fit; if that is not enough, columns are dropped: first those of the least weight, of these the last. The
first column stays. Returns a reference to a hash: C<left_out>, the numbers of the columns that had no room, and
C<whole>, the width of all columns.

=item Zed::Grid::width(TEXT)

Its width in letters.

=back

=head1 SEE ALSO

Zed::Table, Zed::Terminal, Zed::Units

=head1 LICENCE

GPL-2.0-or-later

=cut
