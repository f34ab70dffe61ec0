# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heat: counts of values by time and by size, in bounded memory, for a picture.
package Zed::Heat;
use strict;
use warnings;

use List::Util qw(max min);
use POSIX qw(frexp);

our $VERSION = '0.1';

my $COLUMNS = 256;	# of time at most: beyond that, pairs are joined
my $ROWS = 4;		# for each power of two
my $BITS = 10;		# 2**BITS ns of a column at first
my $ZERO = -1;		# the row of values of 0, which a logarithm has no place for

sub new {
	my ($class, %o) = @_;
	return bless { title => $o{title}, name => $o{name} // 'heat', unit => $o{unit} // 'delay', width => 1 << $BITS,
		columns => [] }, $class;
}

# Adds VALUE, in ns, of something that ended at TS.
sub add {
	my ($self, $ts, $value) = @_;
	my $start = $self->{start} //= $ts;
	my $at = $ts > $start ? int(($ts - $start) / $self->{width}) : 0;
	$at = min($at, $COLUMNS - 1) if $self->{counted};
	while ($at >= $COLUMNS) {
		_halve($self);
		$at = int(($ts - $start) / $self->{width});
	}
	$self->{columns}[$at]{_row($value)}++;
	return;
}

sub _row {
	my ($value) = @_;
	return $ZERO if $value < 1;
	my ($mantissa, $power) = frexp($value);
	return $ROWS * ($power - 1) + int((2 * $mantissa - 1) * $ROWS);
}

# The field VALUE of each EVENT, without a call for it: then columns need their width at the beginning. Where the time
# of the answer is not known yet, they are added one by one.
sub counts {
	my ($self, $event, $value, %o) = @_;
	my ($start, $end) = _time();
	if (!defined $start) {
		Zed::on($event, args => ['ts', $value], %o, sub { $self->add(@_) });
		return;
	}
	$self->{start} = $start;
	my $bits = $BITS;
	$bits++ while ($end - $start) >> $bits >= $COLUMNS;
	$self->{width} = 1 << $bits;
	$self->{counted} = Zed::quantiles($event, $value, by => "ts - $start >> $bits", %o);
	return;
}

# Of a file, if no number of events is asked for.
sub _time {
	my ($first, $last) = (scalar Zed::start(), scalar Zed::end());
	my $asked = Zed::asked();
	return if !defined $last || $asked->{head} || exists $asked->{tail};
	my ($start, $end) = (max($first, $asked->{start} // $first), min($last, $asked->{end} // $last));
	return $start > $end ? () : ($start, $end);
}

# What was added and what was counted, by column; of the buckets of the latter, which are finer, none is of two rows.
sub _columns {
	my ($self) = @_;
	my @columns = map { +{ %{$_ // {}} } } @{$self->{columns}};
	my $counted = $self->{counted} // return @columns;
	my ($at) = @{$counted->{by}};
	for my $row ($counted->rows) {
		my $column = $columns[min($COLUMNS - 1, max(0, $row->{$at} // 0))] //= {};
		$column->{_row($_->[0])} += $_->[2] for @{$row->{buckets}};
	}
	return @columns;
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
	my @columns = _columns($self);
	for my $i (0 .. $#columns) {
		my $column = $columns[$i] // {};
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

=item $heat->counts(EVENT, FIELD, [where => EXPR])

Adds FIELD, in ns, of each such event, which ended at its time. As with Zed::count(), Perl is not called for them,
except where the time of the answer is not known before its end: live, with B<--head> and B<--tail>.

=item $heat->picture

A reference to a hash, as Zed::Page draws it: C<start>, C<width> of a column (ns), C<cells>:
references to [COLUMN, ROW, COUNT]. Row 4 * P + Q begins at 2**P * (1 + Q / 4); row -1 is that of values below 1. The
hash is empty if nothing was added.

=back

=head1 SEE ALSO

Zed::Report, Zed::Page

=head1 LICENCE

GPL-2.0-or-later

=cut
