# SPDX-License-Identifier: GPL-2.0-or-later
#
# Table: rows of one kind, for people (aligned text), for spreadsheets (CSV), for programs (plain data).
package Zed::Table;
use strict;
use warnings;

use Scalar::Util qw(looks_like_number);

our $VERSION = '0.1';

my $NS = 1_000_000_000;

# How a value of each type is written for people: its code, and whether it stands to the right.
my %TYPES = (
	text => [\&_text, 0],
	int => [\&_int, 1],
	us => [sub { return sprintf '%.3f', $_[0] / 1000 }, 1],
	ms => [sub { return sprintf '%.3f', $_[0] / 1_000_000 }, 1],
	share => [sub { return sprintf '%.2f', 100 * $_[0] }, 1],
	number => [sub { return sprintf '%.6g', $_[0] }, 1],
	'time' => [\&_time, 1],
);

sub _text { return Zed::plain($_[0]) }

# Blanks and a newline may be around what perl takes for a number.
sub _int { return $_[0] =~ /\A-?[0-9]+\z/ ? "$_[0]" : Zed::plain("$_[0]") }

sub _time {
	my ($ns) = @_;
	return sprintf '%d.%09d', int($ns / $NS), $ns % $NS;
}

sub new {
	my ($class, %o) = @_;
	my $self = bless { name => $o{name}, title => $o{title}, whole => $o{whole}, span => $o{span}, columns => [], rows => $o{rows} // [] }, $class;
	for (@{$o{columns}}) {
		my ($key, $head, $type) = @$_;
		if (!$TYPES{$type // 'text'}) {
			require Carp;
			Carp::croak("Zed::Table: there is no type '$type' (they are @{[sort keys %TYPES]})");
		}
		push @{$self->{columns}}, { key => $key, head => $head // $key, type => $type // 'text' };
	}
	return $self;
}

sub add {
	my ($self, @rows) = @_;
	push @{$self->{rows}}, @rows;
	return $self;
}

sub rows { return @{$_[0]{rows}} }

# By the values of the first key, downwards; equal ones by the next keys upwards, so that the order is always the same.
sub sort {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $by, @then) = @_;
	my %is_text = map { $_->{key} => $_->{type} eq 'text' } @{$self->{columns}};
	@{$self->{rows}} = CORE::sort {
		my $order = ($b->{$by} // -1) <=> ($a->{$by} // -1);
		for my $key (@then) {
			last if $order;
			my ($x, $y) = ($a->{$key} // '', $b->{$key} // '');
			$order = $is_text{$key} ? $x cmp $y : ($x eq '' ? -1 : $x) <=> ($y eq '' ? -1 : $y);
		}
		$order;
	} @{$self->{rows}};
	return $self;
}

# Letters, not bytes, where a text is UTF-8.
sub _width {
	my ($text) = @_;
	my $copy = $text;
	utf8::decode($copy);
	return length $copy;
}

sub _cell {
	my ($column, $row) = @_;
	my $value = $row->{$column->{key}};
	return '-' if !defined $value;
	# In the state of another run any text may stand for a number.
	return $TYPES{looks_like_number($value) ? $column->{type} : 'text'}[0]->($value);
}

sub print {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, %o) = @_;
	my $out = $o{to} // \*STDOUT;
	my @rows = @{$self->{rows}};
	my $left = defined $o{limit} && @rows > $o{limit} ? @rows - $o{limit} : 0;
	$#rows -= $left;
	my @columns = @{$self->{columns}};
	my @lines = [map { $_->{head} } @columns];
	for my $row (@rows) {
		push @lines, [map { _cell($_, $row) } @columns];
	}
	push @lines, [map { exists $self->{last}{$_->{key}} ? _cell($_, $self->{last}) : '' } @columns] if $self->{last};
	my @width = map {
		my $i = $_;
		my $most = 0;
		for (@lines) {
			my $width = _width($_->[$i]);
			$most = $width if $width > $most;
		}
		$most;
	} 0 .. $#columns;
	print {$out} "$self->{title}\n" if defined $self->{title};
	if (!@rows) {
		# Without a title "none" alone would leave open what.
		print {$out} defined $self->{title} || !defined $self->{name} ? "  none\n" : $self->{name} =~ tr/_/ /r . ": none\n";
		return;
	}
	for my $line (@lines) {
		my $text = join '  ', map {
			my $blanks = ' ' x ($width[$_] - _width($line->[$_]));
			$TYPES{$columns[$_]{type}}[1] ? $blanks . $line->[$_] : $line->[$_] . $blanks;
		} 0 .. $#columns;
		print {$out} $text =~ s/ +$//r, "\n";
	}
	print {$out} "... and $left more (--limit 0: all)\n" if $left;
	return;
}

# The row under all others, as that of sums.
sub last {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $row) = @_;
	$self->{last} = $row;
	return $self;
}

sub csv {
	my ($self, %o) = @_;
	my $out = $o{to} // \*STDOUT;
	my @columns = @{$self->{columns}};
	print {$out} join(',', map { _quoted($_->{key}) } @columns), "\n";
	for my $row (@{$self->{rows}}) {
		print {$out} join(',', map { _quoted($row->{$_->{key}}) } @columns), "\n";
	}
	return;
}

# RFC 4180.  A cell that a spreadsheet would take for a formula is none of ours: names come from strangers.
sub _quoted {
	my ($value) = @_;
	return '' if !defined $value;
	my $text = $value =~ /^-?[\d.]+(?:e[+-]?\d+)?\z/ ? $value : Zed::plain($value);
	$text = "'$text" if $text =~ /^[=+@\t]/ || $text =~ /^-(?![\d.]+(?:e[+-]?\d+)?\z)/;
	return $text =~ /[",\n\r]/ ? '"' . $text =~ s/"/""/gr . '"' : $text;
}

sub data {
	my ($self) = @_;
	my @columns = @{$self->{columns}};
	my $row = sub {
		my ($r) = @_;
		return { map { exists $r->{$_->{key}} ? ($_->{key} => _plain($_, $r->{$_->{key}})) : () } @columns };
	};
	return {
		defined $self->{title} ? (title => $self->{title}) : (),
		columns => [map { { %$_ } } @columns],
		rows => [map { $row->($_) } @{$self->{rows}}],
		$self->{last} ? (all => $row->($self->{last})) : (),
	};
}

# Numbers as numbers, texts as texts, whatever perl has made of them.
sub _plain {
	my ($column, $value) = @_;
	return $value if !defined $value;
	return Zed::plain($value) . '' if $column->{type} eq 'text';
	# JSON has no infinite number, and a text is none.
	my $number = looks_like_number($value) ? $value + 0 : undef;
	return defined $number && $number - $number == 0 ? $number : undef;
}

# A line of JSON has to be UTF-8, whatever a task called itself: other bytes are \xNN, as on a page.
sub json {
	my ($data) = @_;
	require JSON::PP;
	my $line = JSON::PP->new->canonical->latin1->encode($data);
	my $copy = $line;
	# perl's own idea of UTF-8 has surrogates, and letters behind the last one.
	return $line if utf8::decode($copy) && $copy !~ /[^\x{0}-\x{d7ff}\x{e000}-\x{10ffff}]/;
	require Encode;
	return Encode::encode('UTF-8', Encode::decode('UTF-8', $line, sub { join '', map { sprintf '\\\\x%02X', $_ } @_ }));
}

1;

__END__

=head1 NAME

Zed::Table - rows as aligned text, as CSV, as plain data

=head1 SYNOPSIS

    use Zed::Table;

    my $table = Zed::Table->new(
        columns => [['comm', 'task', 'text'], ['n', 'waits', 'int'], ['max', 'max us', 'us']],
        rows => [{ comm => 'sh', n => 3, max => 30_000 }],
    );
    $table->sort('max', 'comm')->print(limit => 20);

=head1 DESCRIPTION

A table knows the type of each of its columns, so that the same rows can be written for people, for
spreadsheets and for programs. For people, values are rounded and have their unit in the head; the
other two get the exact values.

=head1 METHODS

=over

=item Zed::Table->new(columns => [[KEY, HEAD, TYPE], ...], [rows => [{ KEY => VALUE, ... }]], [title => TEXT,] [whole => 1,] [span => [FROM, TO]])

TYPE is C<text> (made plain), C<int>, C<us> or C<ms> (the value is in ns), C<share> (1 is shown as
100.00), C<number> (six digits) or C<time> (ns, shown in seconds, as zedprint shows times). Undef is
shown as C<->. C<span> says which stretch of time a row is about, so that a page can show it: two
keys of the row with times, or one of them and C<+KEY> or C<-KEY> for the time between:
C<['at', '+total']>. A table that is C<whole>, such as a histogram, is always shown to its end.

=item $table->add(ROW, ...)

Adds rows, references to hashes by KEY.

=item $table->sort(KEY, KEY, ...)

Sorts the rows by the first key, the greatest first; equal ones by the others, the least first.

=item $table->last(ROW)

A row that stands below all others, such as one of sums.

=item $table->print([to => FILEHANDLE,] [limit => ROWS])

Prints it as aligned text, at most ROWS rows, and says how many more there are.

=item $table->csv([to => FILEHANDLE])

Prints it as CSV (RFC 4180), with the keys in the first line. Texts that a spreadsheet would take for
formulas get a C<'>.

=item $table->data

The columns, the rows and the last one, as plain data for JSON.

=item Zed::Table::json(DATA)

DATA as JSON in one line, without a newline, in UTF-8; bytes of the trace that are not UTF-8 become
C<\xNN>.

=item $table->rows

The rows: a list of references to hashes.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
