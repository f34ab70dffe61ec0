# SPDX-License-Identifier: GPL-2.0-or-later
#
# Table: rows of one kind, for people (aligned text), for spreadsheets (CSV), for programs (plain data).
package Zed::Table;
use strict;
use warnings;

use Scalar::Util qw(looks_like_number);
use Zed::Grid;
use Zed::Terminal;
use Zed::Units;

our $VERSION = '0.1';

# Columns that stay when others are dropped, in tables without weights: the numbers that readers look for.
my %WEIGHTS = (n => 1, total => 1, max => 1);
my $VARIED = 'varied';	# each row declares the type of its value

sub new {
	my ($class, %o) = @_;
	my $self = bless { rows => [], made => {}, map({ defined $o{$_} ? ($_ => $o{$_}) : () }
		qw(name title whole span waits elides rows made)), columns => [] }, $class;
	for (@{$o{columns}}) {
		my ($key, $head, $type, $weight) = @$_;
		if (!Zed::Units::is_type($type // 'text') && $type ne $VARIED) {
			require Carp;
			Carp::croak("Zed::Table: unknown type '$type' (known: @{[sort $VARIED, Zed::Units::types()]})");
		}
		my $shown = Zed::Units::of_trace($type // 'text') // next;
		push @{$self->{columns}}, { key => $key, head => $head // $key, type => $shown };
		$self->{weights}{$key} = $weight if defined $weight;
	}
	return $self;
}

sub add {
	my ($self, @rows) = @_;
	push @{$self->{rows}}, @rows;
	return $self;
}

sub rows {
	my ($self) = @_;
	my $rows = $self->{rows};
	return wantarray && %{$self->{made}} ? map { _made($self, $_) } @$rows : @$rows;
}

# A row with its computed values.
sub _made {
	my ($self, $row) = @_;
	my $made = $self->{made};
	return { %$row, map { exists $row->{$_} ? () : ($_ => $made->{$_}->($row)) } CORE::keys %$made };
}

# The value of a row under KEY.
sub _value {
	my ($self, $row, $key) = @_;
	return $row->{$key} if exists $row->{$key};
	my $made = $self->{made}{$key};
	return $made && $made->($row);
}

# By the values of the first key, descending; equal ones by the next keys, ascending, so that the order is always the
# same.
sub sort {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $by, @then) = @_;
	@{$self->{rows}} = _sorted($self, [@{$self->{rows}}], 1, $by, @then);
	$self->{sorted} = { key => $by, down => 1 };
	return $self;
}

# Sorts ROWS by a key, and those with equal values there by the others.
sub _sorted {
	my ($self, $rows, $down, $key, @then) = @_;
	my $is_text = !$down && grep { $_->{key} eq $key && $_->{type} eq 'text' } @{$self->{columns}};
	my $none = $is_text ? '' : -1;
	my @of = map { _value($self, $_, $key) // $none } @$rows;
	my @order = $is_text ? CORE::sort { $of[$a] cmp $of[$b] } 0 .. $#of
		: $down ? CORE::sort { $of[$b] <=> $of[$a] } 0 .. $#of
		: CORE::sort { $of[$a] <=> $of[$b] } 0 .. $#of;
	return @$rows[@order] if !@then;
	my @sorted;
	my $first = 0;
	for my $next (1 .. @order) {
		my ($x, $y) = $next < @order ? @of[@order[$first, $next]] : ();
		next if $next < @order && ($is_text ? $x eq $y : $x == $y);
		push @sorted, $next == $first + 1 ? $rows->[$order[$first]]
			: _sorted($self, [@$rows[@order[$first .. $next - 1]]], 0, @then);
		$first = $next;
	}
	return @sorted;
}

# By one column, whatever its type, for a reader who chose it; rows without a value come last.
sub sort_by {
	my ($self, $key, $up) = @_;
	my ($column) = grep { $_->{key} eq $key } @{$self->{columns}};
	my $is_text = $column->{type} eq 'text';
	my @rows = @{$self->{rows}};
	my @values = map { scalar _value($self, $_, $key) } @rows;
	my @order = CORE::sort {
		my ($x, $y) = @values[$a, $b];
		my $order = !defined $x || !defined $y ? defined($y) <=> defined $x
			: ($is_text ? $x cmp $y : $x <=> $y) * ($up ? 1 : -1);
		$order || $a <=> $b;
	} 0 .. $#rows;
	$self->{rows} = [@rows[@order]];
	$self->{chosen} = $key;
	$self->{sorted} = { key => $key, down => $up ? 0 : 1 };
	return $self;
}

sub sorted { return $_[0]{sorted} }

sub keys { return map { $_->{key} } @{$_[0]{columns}} }	## no critic (ProhibitBuiltinHomonyms)

sub _type {
	my ($column, $row) = @_;
	return $column->{type} if $column->{type} ne $VARIED;
	return Zed::Units::is_type($row->{type} // '') ? Zed::Units::of_trace($row->{type}) // 'number' : 'number';
}

sub _cell {
	my ($self, $column, $row, $exact) = @_;
	my $value = _value($self, $row, $column->{key}) // return '-';
	# In the state of another run a text may be in place of a number.
	return Zed::Units::shown(text => $value) if !looks_like_number($value);
	my $type = _type($column, $row);
	return Zed::Units::alone($type, $value, $exact) if $column->{type} eq $VARIED;
	return $exact ? Zed::Units::exact($type, $value) : Zed::Units::shown($type, $value);
}

sub _head {
	my ($column, $exact) = @_;
	return $column->{head} if $column->{type} eq $VARIED || !$exact && !Zed::Units::says_unit($column->{type});
	return Zed::Units::head(@$column{qw(type head)});
}

# The rows that are shown to people; undef: in place of several rows whose number is 0.
sub _shown {
	my ($self, @rows) = @_;
	my $key = $self->{elides} // return @rows;
	my (@shown, @empty);
	for my $row (@rows, undef) {
		push(@empty, $row), next if $row && !$row->{$key};
		push @shown, @empty > 2 ? undef : @empty, $row // ();
		@empty = ();
	}
	return @shown;
}

sub print {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, %o) = @_;
	my $out = $o{to} // \*STDOUT;
	my $look = exists $o{look} ? $o{look} : Zed::Terminal::look($out);
	my $rows = $self->{rows};
	my $left = defined $o{limit} && @$rows > $o{limit} ? @$rows - $o{limit} : 0;
	print {$out} Zed::Terminal::styled($look, bold => $self->{title}), "\n" if defined $self->{title};
	if (@$rows == $left) {
		# Without a title "none" alone would be unclear.
		print {$out} defined $self->{title} || !defined $self->{name} ? "  none\n" : $self->{name} =~ tr/_/ /r
			. ": none\n";
		return;
	}
	my @columns = @{$self->{columns}};
	my $grid = Zed::Grid->new([map { {
		right => $_->{type} eq $VARIED || Zed::Units::is_number($_->{type}),
		weight => $self->{weights}{$_->{key}} // $WEIGHTS{$_->{key}} // 0,
		chosen => ($self->{chosen} // '') eq $_->{key},
	} } @columns], $look);
	$grid->heads(map { _head($_, $o{exact}) } @columns);
	for my $row (_shown($self, @$rows[0 .. $#$rows - $left])) {
		$grid->add($row ? map({ _cell($self, $_, $row, $o{exact}) } @columns) : ('...', ('') x $#columns));
	}
	$grid->add(map { exists $self->{last}{$_->{key}} ? _cell($self, $_, $self->{last}, $o{exact}) : '' } @columns)
		if $self->{last};
	my $fit = $grid->print($out);
	print {$out} "... and $left more (--limit 0: all)\n" if $left;
	my @left_out = @{$fit->{left_out}};
	print {$out} 'no room for ' . join(', ', map { _head($columns[$_], $o{exact}) } @left_out)
		. ": a terminal of $fit->{whole} columns, | less -S or --json shows all\n" if @left_out;
	return;
}

# The row below all others, for example of sums.
sub last {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $row) = @_;
	$self->{last} = $row;
	return $self;
}

sub csv {
	my ($self, %o) = @_;
	my $out = $o{to} // \*STDOUT;
	my @columns = @{$self->{columns}};
	my @of = @{$o{of} // []};
	print {$out} join(',', @of ? qw(interval_start interval_end) : (), map { _quoted($_->{key}) } @columns), "\n"
		if $o{head} // 1;
	for my $row (@{$self->{rows}}) {
		print {$out} join(',', @of, map { _quoted(scalar _value($self, $row, $_->{key})) } @columns), "\n";
	}
	return;
}

# RFC 4180. Names are untrusted: a cell never begins like a formula of a spreadsheet.
sub _quoted {
	my ($value) = @_;
	return '' if !defined $value;
	my $text = $value =~ /^-?[\d.]+(?:e[+-]?\d+)?\z/ ? $value : Zed::plain($value);
	$text = "'$text" if $text =~ /^[=+@\t]/ || $text =~ /^-(?![\d.]+(?:e[+-]?\d+)?\z)/;
	return $text =~ /[",\n\r]/ ? '"' . $text =~ s/"/""/gr . '"' : $text;
}

sub data {
	my ($self, $most) = @_;
	my ($rows, $made) = @$self{qw(rows made)};
	my $last = defined $most && $most < @$rows ? $most - 1 : $#$rows;
	return { %{_frame($self)}, rows => [map { _row($self, $_, $made) } @$rows[0 .. $last]] };
}

# Everything except the rows.
sub _frame {
	my ($self) = @_;
	return {
		defined $self->{title} ? (title => $self->{title}) : (),
		columns => [map { my $unit = Zed::Units::of_values($_->{type});
			+{ %$_, defined $unit ? (unit => $unit) : () } } @{$self->{columns}}],
		$self->{last} ? (all => _row($self, $self->{last}, {})) : (),
	};
}

sub _row {
	my ($self, $row, $made) = @_;
	return { map { my $key = $_->{key};
		exists $row->{$key} || $made->{$key} ? ($key => _plain($_, scalar _value($self, $row, $key))) : () }
		@{$self->{columns}} };
}

# Numbers as numbers, texts as texts, whatever perl has made of them.
sub _plain {
	my ($column, $value) = @_;
	return $value if !defined $value;
	return Zed::plain($value) . '' if $column->{type} eq 'text';
	# JSON has neither infinite numbers nor, in a column of numbers, texts.
	my $number = looks_like_number($value) ? $value + 0 : undef;
	return defined $number && $number - $number == 0 ? $number : undef;
}

# ---- JSON ----

sub json {
	my ($data) = @_;
	require JSON::PP;
	return _utf8(JSON::PP->new->canonical->latin1->allow_nonref->encode($data));
}

# A line of JSON has to be UTF-8, whatever the name of a task is: other bytes are \xNN, as on a page.
sub _utf8 {
	my ($line) = @_;
	return $line if $line !~ /[^\x00-\x7f]/;
	my $copy = $line;
	# perl's own UTF-8 allows surrogates, and code points after the last one.
	return $line if utf8::decode($copy) && $copy !~ /[^\x{0}-\x{d7ff}\x{e000}-\x{10ffff}]/;
	require Encode;
	return Encode::encode('UTF-8', Encode::decode('UTF-8', $line,
		sub { join '', map { sprintf '\\\\x%02X', $_ } @_ }));
}

# The output of json() for data(), row by row: there may be very many; at most MOST of them. A row that is about a
# stretch of time says how to look at that.
sub print_json {
	my ($self, $out, $most) = @_;
	my @rows = @{$self->{rows}};
	my $left = defined $most && @rows > $most ? @rows - $most : 0;
	# A table that is one thing, such as a histogram, is whole.
	$left = 0 if $self->{whole};
	# In a text of JSON each " has a \ before it.
	my ($before, $after) = split /"rows":\[\]/, json({ %{_frame($self)}, rows => [],
		$left ? (left => $left) : () }), 2;
	my @columns = map { [$_, json($_->{key}) . ':', $_->{key}, $self->{made}{$_->{key}}] }
		CORE::sort { $a->{key} cmp $b->{key} } @{$self->{columns}};
	my $comma = '';
	print {$out} $before, '"rows":[';
	for my $row (@rows[0 .. $#rows - $left]) {
		print {$out} $comma, _utf8(_json_row($self, $row, \@columns));
		$comma = ',';
	}
	print {$out} ']', $after;
	return;
}

sub _json_row {
	my ($self, $row, $columns) = @_;
	my @values;
	for (@$columns) {
		my ($column, $head, $key, $made) = @$_;
		my $value = exists $row->{$key} ? $row->{$key} : $made ? $made->($row) : next;
		$value = _plain($column, $value) if defined $value;
		push @values, $head . (!defined $value ? 'null' : $column->{type} ne 'text' ? $value
			: $value =~ /[^ !#-\[\]-~]/ ? json($value) : qq("$value"));
	}
	my $evidence = $self->{span} ? _evidence($self, $row) : undef;
	push @values, '"evidence":' . json($evidence) if $evidence;
	return '{' . join(',', @values) . '}';
}

# Where in the trace a row is, and what shows it; undef: it is not known.
sub _evidence {
	my ($self, $row) = @_;
	my ($from, $to) = map { _value($self, $row, s/^[-+]//r) // return } @{$self->{span}};
	return if grep { !looks_like_number($_) } $from, $to;
	$to = $from + $to if $self->{span}[1] =~ /^\+/;
	$from = $to - $from if $self->{span}[0] =~ /^-/;
	my %where = (start => $from + 0, 'end' => $to + 0,
		arguments => ['--start', Zed::Units::at($from), '--end', Zed::Units::at($to)]);
	for (grep { looks_like_number($row->{$_} // '') } qw(cpu pid)) {
		$where{$_} = $row->{$_} + 0;
	}
	$where{task} = Zed::plain($row->{comm}) . '' if defined $row->{comm};
	return \%where;
}

1;

__END__

=head1 NAME

Zed::Table - rows as aligned text, as CSV, as plain data

=head1 SYNOPSIS

    use Zed::Table;

    my $table = Zed::Table->new(
        columns => [['comm', 'task', 'text'], ['n', 'waits', 'int'], ['max', 'max', 'us']],
        rows => [{ comm => 'sh', n => 3, max => 30_000 }],
    );
    $table->sort('max', 'comm')->print(limit => 20);

=head1 DESCRIPTION

A table knows the type of each of its columns, so that the same rows can be written for people, for
spreadsheets and for programs. People get scaled values with their unit (Zed::Units); the other two
get the exact values. On a terminal the table fits its width: long texts are cut, then the least
important columns are left out, and a line names them.

=head1 METHODS

=over

=item Zed::Table->new(columns => [[KEY, HEAD, TYPE, [WEIGHT]], ...], [rows => [{ KEY => VALUE, ... }]],
[made => { KEY => CODE, ... },] [title => TEXT,] [whole => 1,] [elides => KEY,] [span => [FROM, TO],] [waits => 1])

TYPE is one of Zed::Units: C<text>, C<int>, C<us> or C<ms> (the value is in ns), C<bytes>, C<mib>, C<mib/s>, C<share>
(1 is shown as 100.00), C<number> or C<time> (ns, shown in seconds, as zedprint shows times), C<rate> (a second) or
C<own us> (ns, whatever the trace's clock counts); or C<varied>: each row has its own, under the key C<type>. On a
trace whose clock does not count ns, times are ticks, and columns of rates are left out. The HEAD has no unit. WEIGHT
is the importance of a column where there is no room for all: those of the least weight are dropped first, of equal
ones the last (0; C<n>, C<total> and C<max> have 1; the first column always stays). Undef is shown as C<->. C<span> is
the stretch of time that a row is about, so that a page can show it: two keys of the row with times, or one of them
and C<+KEY> or C<-KEY> for the length: C<['at', '+total']>; C<waits>: the task of a row does not run in it, so that
the events that show it are those of the CPU, not those of the task. C<made>: a value that a row does not have itself
is computed by the code, with (ROW), when it is shown or sorted by: of very many rows few are shown. A table that is
C<whole>, such as a histogram, is always shown in full. As text, three or more consecutive rows whose number under the
KEY of C<elides> is 0 are one line, C<...>.

=item $table->add(ROW, ...)

Adds rows, references to hashes by KEY.

=item $table->sort(KEY, KEY, ...)

Sorts the rows by the first key, descending; equal ones by the others, ascending.

=item $table->last(ROW)

A row below all others, for example of sums.

=item $table->sort_by(KEY, [UP])

Sorts the rows by one column, descending, or with UP ascending; those without a value come last. The
head of that column is marked on a terminal.

=item $table->sorted

What it was sorted by last: a reference to a hash of C<key> and C<down> (1: descending); undef if it was not.

=item $table->keys

The keys of its columns.

=item $table->print([to => FILEHANDLE,] [limit => ROWS,] [exact => 1,] [look => LOOK])

Prints it as aligned text, at most ROWS rows, and the number of further ones; with C<exact>, values
are not rounded, and heads have the units. LOOK is that of Zed::Terminal for FILEHANDLE, unless it
is given; undef: as into a file.

=item $table->csv([to => FILEHANDLE,] [of => [START, END],] [head => 0])

Prints it as CSV (RFC 4180), with the keys in the first line (C<< head => 0 >>: without). Texts that a spreadsheet would
take for formulas get a C<'>. C<of>: each row begins with these times, as C<interval_start> and C<interval_end>.

=item $table->data([MOST])

The columns, each with the C<unit> of its values in the rows, if there is one; the rows (the first MOST of them) and the
last one; as plain data for JSON.

=item $table->print_json(OUT, [MOST])

Writes all of that as JSON to the filehandle OUT, row by row; at most MOST rows, unless the table is C<whole>, and how
many are C<left>. Rows of a table with a C<span> have C<evidence>: the time, CPU and task, and the arguments of zedprint
that show it.

=item Zed::Table::json(DATA)

DATA as JSON in one line, without a newline, in UTF-8; bytes of the trace that are not UTF-8 become
C<\xNN>.

=item $table->rows

The rows: a list of references to hashes.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report, Zed::Units, Zed::Grid

=head1 LICENCE

GPL-2.0-or-later

=cut
