# SPDX-License-Identifier: GPL-2.0-or-later
#
# Grid: cells as aligned text; what is wider than the terminal loses the ends of long texts, then its least columns.
package Zed::Grid;
use strict;
use warnings;

use Zed::Terminal;

our $VERSION = '0.1';

my $BETWEEN = 2;	# blanks between two columns
my $SHORT = 28;		# letters that a long text keeps before a column has to go

# Letters, not bytes, where a text is UTF-8.
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

# Numbers with units of several lengths: what stands below each other is of one kind.
sub _units_aligned {
	my ($lines, $i) = @_;
	my $most = 0;
	for my $line (@$lines[1 .. $#$lines]) {
		my ($unit) = $line->[$i] =~ / (\S+)\z/ or next;
		$most = length $unit if length $unit > $most;
	}
	return if !$most;
	for my $line (@$lines[1 .. $#$lines]) {
		next if $line->[$i] eq '';
		my ($number, $unit) = $line->[$i] =~ /\A(.*?)(?: (\S+))?\z/;
		$line->[$i] = sprintf "%s %-${most}s", $number, $unit // '';
	}
	return;
}

sub _sum {
	my ($width, @kept) = @_;
	my $sum = $BETWEEN * $#kept;
	$sum += $width->[$_] for @kept;
	return $sum;
}

# Which columns fit into ROOM; WIDTH of long texts is made less.
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

# LINES of cells, the first of them the heads, as text, and which columns had no room.
sub lines {
	my ($columns, $lines, $look) = @_;
	my @lines = map { [@$_] } @$lines;
	_units_aligned(\@lines, $_) for grep { $columns->[$_]{right} } 0 .. $#$columns;
	my @width = map {
		my $i = $_;
		my $most = 0;
		for (@lines) {
			my $width = width($_->[$i]);
			$most = $width if $width > $most;
		}
		$most;
	} 0 .. $#$columns;
	my $whole = _sum(\@width, 0 .. $#$columns);
	my @kept = $look && $look->{width} ? _fitted($columns, \@width, $look->{width}) : 0 .. $#$columns;
	my @text;
	for my $n (0 .. $#lines) {
		my @cells = map {
			my $cell = _cut($lines[$n][$_], $width[$_]);
			my $blanks = ' ' x ($width[$_] - width($cell));
			my $shown = $n ? $cell : Zed::Terminal::styled($look, $columns->[$_]{chosen} ? 'chosen'
				: 'bold', $cell);
			$columns->[$_]{right} ? $blanks . $shown : $shown . $blanks;
		} @kept;
		push @text, join(' ' x $BETWEEN, @cells) =~ s/ +\z//r;
		push @text, Zed::Terminal::styled($look, rule => join ' ' x $BETWEEN, map { '-' x $width[$_] } @kept)
			if !$n && $look && $look->{rule};
	}
	my %is_kept = map { $_ => 1 } @kept;
	return (\@text, { whole => $whole, left_out => [grep { !$is_kept{$_} } 0 .. $#$columns] });
}

1;

__END__

=head1 NAME

Zed::Grid - cells as aligned text that fits the terminal

=head1 SYNOPSIS

    use Zed::Grid;

    my ($lines, $fit) = Zed::Grid::lines([{}, { right => 1 }], [['task', 'n'], ['sh', '3']], { width => 80 });
    print map { "$_\n" } @$lines;

=head1 FUNCTIONS

=over

=item Zed::Grid::lines(COLUMNS, LINES, [LOOK])

The LINES of cells, of which the first are the heads, as text; and a reference to a hash: C<left_out>,
the numbers of the columns that had no room, and C<whole>, how wide all columns are. COLUMNS are
references to hashes: C<right>, numbers that stand to the right; C<weight>, how important the column
is (0); C<chosen>, by which the rows are sorted. LOOK is what Zed::Terminal::look() says. If that has a
C<width>, texts of more than 28 letters are cut until the lines fit; if that is not enough, columns
go: first those of the least weight, of these the last. The first column stays.

=item Zed::Grid::width(TEXT)

How many letters it has.

=back

=head1 SEE ALSO

Zed::Table, Zed::Terminal, Zed::Units

=head1 LICENCE

GPL-2.0-or-later

=cut
