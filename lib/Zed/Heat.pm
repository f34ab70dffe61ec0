# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heat: counts of values by time and by size, in bounded memory, for a picture.
package Zed::Heat;
use strict;
use warnings;

use POSIX qw(frexp);

our $VERSION = '0.1';

my $COLUMNS = 256;	# of time at most: beyond that, pairs are joined
my $ROWS = 4;		# for each power of two
my $FIRST = 1024;	# ns of a column at first

sub new {
	my ($class, %o) = @_;
	return bless { title => $o{title}, name => $o{name} // 'heat', unit => $o{unit} // 'delay', width => $FIRST,
		columns => [] }, $class;
}

# Adds VALUE, in ns, of something that ended at TS.
sub add {
	my ($self, $ts, $value) = @_;
	my $start = $self->{start} //= $ts;
	my $at = $ts > $start ? int(($ts - $start) / $self->{width}) : 0;
	while ($at >= $COLUMNS) {
		_halve($self);
		$at = int(($ts - $start) / $self->{width});
	}
	my $row = 0;
	if ($value >= 1) {
		my ($mantissa, $power) = frexp($value);
		$row = $ROWS * ($power - 1) + int((2 * $mantissa - 1) * $ROWS);
	}
	$self->{columns}[$at]{$row}++;
	return;
}

sub _halve {
	my ($self) = @_;
	my @columns;
	for my $i (0 .. $#{$self->{columns}}) {
		my $column = $self->{columns}[$i] or next;
		$columns[$i / 2]{$_} += $column->{$_} for keys %$column;
	}
	$self->{columns} = \@columns;
	$self->{width} *= 2;
	return;
}

# As a picture of Zed::Page, or nothing.
sub picture {
	my ($self) = @_;
	my @cells;
	for my $i (0 .. $#{$self->{columns}}) {
		my $column = $self->{columns}[$i] // {};
		push @cells, [$i, $_ + 0, $column->{$_}] for sort { $a <=> $b } keys %$column;
	}
	return if !@cells;
	return { kind => 'heat', name => $self->{name}, title => $self->{title}, unit => $self->{unit},
		start => $self->{start} + 0,
		width => $self->{width}, cells => \@cells };
}

1;

__END__

=head1 NAME

Zed::Heat - counts by time and size, for a heat map

=head1 SYNOPSIS

    use Zed::Heat;

    my $heat = Zed::Heat->new(title => 'waits by time');
    $heat->add(Zed::ts(), $wait);
    my $picture = $heat->picture;

=head1 DESCRIPTION

It has at most 256 columns of time, which become wider with time, and four rows for each power of
two. Scripts get theirs from Zed::Report (C<< $report->heat >>), which has it drawn.

=head1 METHODS

=over

=item Zed::Heat->new(title => TEXT, [name => NAME,] [unit => TEXT])

=item $heat->add(TS, VALUE)

Both in ns.

=item $heat->picture

A reference to a hash, as Zed::Page draws it: C<start>, C<width> of a column (ns), C<cells>:
references to [COLUMN, ROW, COUNT]. Row 4 * P + Q begins at 2**P * (1 + Q / 4). The hash is empty if
nothing was added.

=back

=head1 SEE ALSO

Zed::Report, Zed::Page

=head1 LICENCE

GPL-2.0-or-later

=cut
