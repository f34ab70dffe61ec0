# SPDX-License-Identifier: GPL-2.0-or-later
#
# Answer: the results of an analysis: warnings, tables, notes below them, pictures, and the time and tasks covered; as
# text, as JSON, and in the form that Zed::Page and Zed::Svg take.
package Zed::Answer;
use strict;
use warnings;

use Zed::Table;
use Zed::Terminal;
use Zed::Units;

our $VERSION = '0.1';

my $VERSION_OF_JSON = 1;
my $BAR = 40;		# letters of the longest bar
my $STACKS = 3000;	# of a flame graph: of the rest, it has the number and the weight

sub new {
	my ($class, %o) = @_;
	return bless {
		script => $o{script}, draws => $o{draws}, tables => [], pictures => [], notes => [], about => {},
	}, $class;
}

# ---- tables and notes ----

sub table {
	my ($self, $name, %o) = @_;
	my $main = delete $o{main};
	my $table = Zed::Table->new(name => $name, %o);
	push @{$self->{tables}}, $table;
	$self->{main} = $table if $main || !$self->{main};
	return $table;
}

# A table of the distribution of a Zed::Spread's values, in ns.
sub histogram {
	my ($self, $name, $title, $spread) = @_;
	my @powers = $spread->powers;
	my $most = 1;
	for (@powers) {
		$most = $_->[2] if $_->[2] > $most;
	}
	$self->spread($name, $title, $spread);
	return $self->table($name, title => $title, whole => 1, elides => 'n',
		columns => [['from', 'from', 'us'], ['to', 'up to', 'us'], ['n', 'n', 'int'], ['bar', '', 'text']],
		rows => [map { { from => $_->[0], to => $_->[1] + 1, n => $_->[2],
			bar => '#' x ($_->[2] ? 1 + int(($BAR - 1) * $_->[2] / $most) : 0) } } @powers]);
}

# "{wait|waits}" in TEXT: the first for one, the second for more.
sub note {
	my ($self, $key, $n, $text) = @_;
	return if !$n;
	push @{$self->{notes}}, { key => $key, n => $n, text => for_number($n, $text) };
	return;
}

sub for_number {
	my ($n, $text) = @_;
	return $text =~ s/\{([^{}|]*)\|([^{}|]*)\}/$n == 1 ? $1 : $2/ger;
}

# A note that changes how the answer has to be read: it is shown above the tables.
sub warning {
	my ($self, $key, $n, $text) = @_;
	return if defined $n && !$n;
	push @{$self->{notes}}, { key => $key, level => 'warning', defined $n ? (n => $n, text => for_number($n, $text))
		: (text => $text) };
	return;
}

sub _warnings { return grep { $_->{level} } @{$_[0]{notes}} }

sub remark {
	my ($self, $key, $text) = @_;
	push @{$self->{notes}}, { key => $key, text => $text };
	return;
}

sub rows { return map { $_->rows } @{$_[0]{tables}} }
sub has_rows { return scalar grep { $_->rows } @{$_[0]{tables}} }
sub names { return map { $_->{name} } @{$_[0]{tables}} }

sub named {
	my ($self, $name) = @_;
	return $self->{main} if $name eq '';
	return (grep { $_->{name} eq $name } @{$self->{tables}})[0];
}

# ---- pictures ----

sub picture {
	my ($self, @pictures) = @_;
	push @{$self->{pictures}}, @pictures;
	return;
}

# The distribution of values, where the answer has no table of it.
sub spread {
	my ($self, $name, $title, $spread) = @_;
	my @powers = $spread->powers;
	return if !$self->{draws} || !@powers;
	return $self->picture({ kind => 'histogram', name => $name, title => $title,
		rows => [map { { from => $_->[0] + 0, to => $_->[1] + 1, n => $_->[2] + 0 } } @powers],
		quantiles => [map {
			my $value = $spread->quantile($_);
			defined $value ? { percent => $_, value => $value + 0 } : ();
		} 50, 90, 99] });
}

sub flame {
	my ($self, $name, $title, $unit, $weights) = @_;
	my @stacks = sort { $weights->{$b} <=> $weights->{$a} || $a cmp $b } grep { $weights->{$_} > 0 } keys %$weights;
	return if !$self->{draws} || !@stacks;
	my @rest = @stacks > $STACKS ? splice @stacks, $STACKS : ();
	my $rest = 0;
	$rest += $weights->{$_} for @rest;
	return $self->picture({ kind => 'flame', name => $name, title => $title, unit => $unit,
		stacks => [map { [$_, $weights->{$_} + 0] } @stacks],
		@rest ? (rest => { n => scalar @rest, weight => $rest }) : () });
}

sub chain {
	my ($self, $name, $title, @parts) = @_;
	return if !$self->{draws} || !@parts;
	return $self->picture({ kind => 'chain', name => $name, title => $title,
		parts => [sort { $a->{from} <=> $b->{from} } @parts] });
}

# ---- what the answer covers ----

sub about {
	my ($self, %about) = @_;
	$self->{about} = \%about;
	return;
}

# What is known about the trace itself.
sub _trace {
	my %trace = (clock => scalar Zed::clock(), uname => scalar Zed::uname());
	my $cpus = Zed::ncpus();
	$trace{cpus} = $cpus + 0 if defined $cpus;
	$trace{times} = 'ticks' if !Zed::_counts_ns();
	return { map { defined $trace{$_} ? ($_ => $trace{$_}) : () } keys %trace };
}

sub _window {
	my ($about) = @_;
	return defined $about->{start} ? (start => $about->{start} + 0, end => $about->{end} + 0,
		length($about->{asked} // '') ? (asked => $about->{asked}) : ()) : ();
}

sub _notes {
	my ($self) = @_;
	return [map { { key => $_->{key}, text => $_->{text}, defined $_->{n} ? (n => $_->{n} + 0) : (),
		$_->{level} ? (level => $_->{level}) : () } }
		@{$self->{notes}}];
}

sub _lost_text {
	my ($lost) = @_;
	return if !$lost->{lost} && !$lost->{unknown};
	my $in = sub { my ($n, $more) = @_; return $n == 1 ? "one$more loss" : "$n$more losses" };
	my @parts;
	my $own = $lost->{summed} ? " ($lost->{summed} without a number of " . ($lost->{summed} == 1 ? 'its' : 'their')
		. ' own)' : '';
	push @parts, "$lost->{lost} event" . ($lost->{lost} == 1 ? '' : 's') . ' in ' . $in->($lost->{places}, '')
		. $own if $lost->{lost};
	push @parts, 'an unknown number in ' . $in->($lost->{unknown}, @parts ? ' more' : '') if $lost->{unknown};
	return join ', and ', @parts;
}

# ---- its forms ----

sub print {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, %o) = @_;
	my ($out, $about) = ($o{to} // \*STDOUT, $self->{about});
	my $look = exists $o{look} ? $o{look} : Zed::Terminal::look($out);
	my @above = _above($self);
	my $of = $about->{no_trace} ? undef : join '; ', _of_what($about), grep { length } $about->{asked} // '';
	my @notes = map { _sentence($_) } grep { !$_->{level} } @{$self->{notes}};
	print {$out} Zed::Terminal::styled($look, bold => $of), "\n" if $o{heads} && defined $of;
	print {$out} map({ Zed::Terminal::styled($look, warning => $_) . "\n" } @above), "\n" if @above;
	my $first = 1;
	for my $table (@{$self->{tables}}) {
		print {$out} "\n" if !$first;
		$first = 0;
		$table->print(to => $out, limit => $table->{whole} ? undef : $o{limit}, exact => $o{exact},
			look => $look);
	}
	unshift @notes, $of if !$o{heads} && defined $of;
	print {$out} map { "$_\n" } '', @notes if @notes;
	return;
}

# The time, and the tasks.
sub _of_what {
	my ($about) = @_;
	return sprintf '%d traces, %s in all', $about->{traces}, Zed::duration($about->{span}) if $about->{traces};
	my ($start, $end) = map { Zed::Units::at($_) } @{$about->{beside} // []};
	return for_number($about->{inputs} // 1,
		"none of the time $about->{time}: {the trace is|the traces are} from $start to $end")
		if $about->{beside};
	return join ' ', 'no events', grep { length } $about->{time} // '' if !defined $about->{start};
	return sprintf '%s from %s to %s', Zed::duration($about->{end} - $about->{start}),
		map { Zed::Units::at($_) } @$about{qw(start end)};
}

sub _sentence { return (defined $_[0]{n} ? "$_[0]{n} " : '') . $_[0]{text} }

# The lines above the tables.
sub _above {
	my ($self) = @_;
	my $lost = _lost_text($self->{about}{lost} // {});
	return (defined $lost ? "lost: $lost; what they may have hidden is left out" : (),
		map { _sentence($_) } _warnings($self));
}

sub json {
	my ($self) = @_;
	my $text = '';
	open my $out, '>', \$text or die "Zed::Answer: $!\n";
	$self->print_json($out);
	close $out;
	return $text;
}

# One line, table by table, each with at most MOST rows.
sub print_json {
	my ($self, $out, $most) = @_;
	my ($about, $lost) = ($self->{about}, $self->{about}{lost} // {});
	my $frame = Zed::Table::json({
		script => $self->{script}, version => $VERSION_OF_JSON, trace => _trace(),
		$about->{traces} ? (traces => $about->{traces}, span => $about->{span} + 0) : _window($about),
		lost => { events => ($lost->{lost} // 0) + 0, places => ($lost->{places} // 0) + 0,
			unknown => ($lost->{unknown} // 0) + 0,
			map({ $lost->{$_} ? ($_ => $lost->{$_} + 0) : () }
				qw(summed timeless perhaps perhaps_unknown)) },
		notes => _notes($self), $self->{main} ? (main => $self->{main}{name}) : (), tables => {},
	});
	# In a text of JSON each " has a \ before it.
	my ($before, $after) = split /"tables":\{\}/, $frame, 2;
	my %tables = map { $_->{name} => $_ } @{$self->{tables}};
	my $comma = '';
	print {$out} $before, '"tables":{';
	for my $name (sort keys %tables) {
		print {$out} $comma, Zed::Table::json($name), ':';
		$tables{$name}->print_json($out, $most);
		$comma = ',';
	}
	print {$out} '}', $after, "\n";
	return;
}

# The time covered, as columns of each row of CSV: from, to.
sub times { my ($self) = @_; return map { $_ // '' } @{$self->{about}}{qw(start end)} }

sub page {
	my ($self) = @_;
	return { script => $self->{script}, trace => _trace(), _window($self->{about}), tables => $self->{tables},
		pictures => $self->{pictures}, notes => _notes($self),
		lost_text => scalar _lost_text($self->{about}{lost} // {}) };
}

1;

__END__

=head1 NAME

Zed::Answer - the results of an analysis: warnings, tables, notes and pictures, and their output formats

=head1 SYNOPSIS

    use Zed::Answer;

    my $answer = Zed::Answer->new(script => 'mine');
    $answer->table('tasks', columns => [['comm', 'task', 'text'], ['n', 'switches', 'int']],
        rows => [{ comm => 'sh', n => 3 }]);
    $answer->note('odd', 2, '{task was|tasks were} left out');
    $answer->about(start => Zed::start(), end => Zed::end());
    $answer->print(limit => 20);

=head1 DESCRIPTION

Zed::Report makes one for each answer of an analysis, and its methods of these names fill it. A
script that needs neither options nor states can use it alone.

=head1 METHODS

=over

=item Zed::Answer->new(script => NAME, [draws => 1])

Pictures are kept only if C<draws> is true.

=item $answer->table(NAME, ...)

A new table; see Zed::Table for the arguments after the name. The first is the main one, which B<--csv> writes and
compare compares, unless a later one is made with C<< main => 1 >>.

=item $answer->histogram(NAME, TITLE, SPREAD)

A table of how the values of a Zed::Spread, in ns, are distributed, by powers of two; and its picture. As text,
ranges without a value, if there are three or more in a row, are one line.

=item $answer->note(KEY, N, TEXT)

Adds the note "N TEXT" below the tables, unless N is 0. Of C<{wait|waits}> in TEXT, the first is
used if N is 1, else the second.

=item Zed::Answer::for_number(N, TEXT)

TEXT with the first of each C<{wait|waits}> if N is 1, else with the second.

=item $answer->remark(KEY, TEXT)

A note without a number.

=item $answer->warning(KEY, N, TEXT)

A note above the tables, for facts that change how they have to be read; on a page it is under the
heading, and in JSON it has C<"level":"warning">. N as for note(); undef: a sentence without a
number.

=item $answer->spread(NAME, TITLE, SPREAD)

=item $answer->flame(NAME, TITLE, UNIT, STACKS)

=item $answer->chain(NAME, TITLE, PARTS...)

Pictures: see Zed::Report.

=item $answer->picture(PICTURE, ...)

Other pictures, such as the result of C<< Zed::Heat->picture >>: references to hashes, as Zed::Page
takes them.

=item $answer->rows, $answer->has_rows, $answer->names, $answer->named(NAME)

The rows of all tables; whether there are any; the tables' names; the table of that name (C<''>: the main one),
undef if there is none.

=item $answer->about(WHAT => VALUE, ...)

C<start> and C<end> (ns) of the trace, or C<traces> and C<span> if the answer covers several: their number, and their
length together in ns; C<lost>, a reference to a hash: C<lost>, the number of events, at how many C<places>, and
C<unknown>, the number of further places with an unknown number of them; C<summed>, of how many of the C<places> the
number is known only together with others; C<timeless>, the number of events lost at unknown times, and C<perhaps>, how
many lost events may or may not be in the chosen time; C<perhaps_unknown>, at how many places an unknown number may be.
C<asked>: the chosen CPUs and tasks, as words; C<time>: the time, as words, if the trace has nothing of it; C<beside>:
when the trace begins and ends, if that is the reason, or the C<inputs>, if there are several. C<no_trace>: the answer
is not about a trace.

=item $answer->print([to => FILEHANDLE,] [limit => ROWS,] [exact => 1,] [look => LOOK,] [heads => 1])

Prints the warnings and the losses, the tables as text, each with at most ROWS rows, and below them the time covered and
the notes; with C<heads> the time comes first, for one answer of several. C<exact> and LOOK are those of Zed::Table.

=item $answer->json

All of it as one line of JSON; see B<--json> of Zed::Options.

=item $answer->print_json(OUT, [MOST])

Writes that to the filehandle OUT, row by row; at most MOST rows of each table.

=item $answer->times

The start and the end of the time covered, in ns; empty where they are not known.

=item $answer->page

The arguments for Zed::Page::write() and Zed::Svg::write(), without C<limit> and C<timeline>.

=back

=head1 SEE ALSO

Zed::Report, Zed::Table, Zed::Page, zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
