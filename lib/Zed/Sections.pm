# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sections: the answers of several analyses as the data of one report: each under its name, with the command that gives
# it alone; made to fit into a page.
package Zed::Sections;
use strict;
use warnings;

use Zed::Table;

our $VERSION = '0.1';

my $LEAST = 5;	# rows of a table, stacks of a flame graph that stay

# HEAD: the data of an answer that says what all are of (Zed::Page::data), or undef. SECTIONS: references to hashes with
# name, purpose, command, and data or why.
sub report {
	my (%o) = @_;
	my $head = $o{head} // { trace => {}, notes => [] };
	return {
		script => 'report', version => 1, base => sprintf('%d', $o{base}), findings => $o{findings},
		answers => $o{sections}, trace => $head->{trace},
		notes => [@{$o{notes} // []}, grep { $_->{level} } @{$head->{notes}}],
		map({ defined $head->{$_} ? ($_ => $head->{$_}) : () } qw(start end asked lost_text)),
	};
}

# The text of a script element: ASCII, and nothing in it ends the element.
sub json {
	my ($report) = @_;
	return Zed::Fleet::_json($report) =~ s/</\\u003c/gr;
}

# Cuts tables and flame graphs until the report has at most ROOM bytes; what is left out is counted.
sub fit {
	my ($report, $room) = @_;
	my $most = 0;
	for (map { @{$_->{data}{tables} // []} } @{$report->{answers}}) {
		$most = @{$_->{rows}} if @{$_->{rows}} > $most;
	}
	$most = 4096 if $most < 4096;
	while (length json($report) > $room && $most > $LEAST) {
		$most = int $most / 2;
		$most = $LEAST if $most < $LEAST;
		for my $section (grep { $_->{data} } @{$report->{answers}}) {
			_cut_table($_, $most) for @{$section->{data}{tables}};
			_cut_flame($_, $most) for grep { $_->{stacks} } @{$section->{data}{pictures}};
		}
	}
	_say_how($_) for grep { $_->{data} } @{$report->{answers}};
	return;
}

sub _cut_table {
	my ($table, $most) = @_;
	my $rows = $table->{rows};
	return if $table->{whole} || @$rows <= $most;
	$table->{left} += @$rows - $most;
	splice @$rows, $most;
	return;
}

sub _cut_flame {
	my ($picture, $most) = @_;
	my $stacks = $picture->{stacks};
	return if @$stacks <= $most;
	my $rest = $picture->{rest} //= { n => 0, weight => 0 };
	for (splice @$stacks, $most) {
		$rest->{n}++;
		$rest->{weight} += $_->[1];
	}
	return;
}

sub _say_how {
	my ($section) = @_;
	$_->{more} = "$section->{command} --limit 0" for grep { $_->{left} } @{$section->{data}{tables}};
	return;
}

# A table of such data, for people: its times are after BASE.
sub table {
	my ($of, $base) = @_;
	my @columns = @{$of->{columns}};
	my @times = map { $_->{key} } grep { $_->{type} =~ /^(?:time|tick)\z/ } @columns;
	my @texts = map { $_->{key} } grep { $_->{type} eq 'text' } @columns;
	my $shown = sub {
		my %row = %{$_[0]};
		$row{$_} += $base for grep { defined $row{$_} } @times;
		$row{type} = $row{'$type'} if defined $row{'$type'};
		utf8::encode($row{$_}) for grep { defined $row{$_} } @texts;
		return \%row;
	};
	my $table = Zed::Table->new(map({ $_ => $of->{$_} } qw(name title)),
		columns => [map { [@$_{qw(key head type)}] } @columns], rows => [map { $shown->($_) } @{$of->{rows}}]);
	$table->last($shown->($of->{all})) if $of->{all};
	return $table;
}

1;

__END__

=head1 NAME

Zed::Sections - the answers of several analyses as one report

=head1 SYNOPSIS

    use Zed::Sections;

    my $report = Zed::Sections::report(base => 0, head => $summary, findings => [], sections =>
        [{ name => 'waits', purpose => 'which tasks wait', command => 'zedperl t.dat waits', data => $data }]);

    Zed::Sections::fit($report, 3_000_000);

=head1 DESCRIPTION

The data of C<zedperl TRACE report>: of its B<--json> and of its page.

=head1 FUNCTIONS

=over

=item Zed::Sections::report(base => BASE, [head => DATA,] findings => [...], sections => [...], [notes => [...]])

All of it as plain data. A section is a reference to a hash: C<name>, C<purpose>, C<command>, and C<data>
(Zed::Page::data, its times after BASE) or C<why> there is none. What the report is of, and the warnings about all of
it, are those of DATA.

=item Zed::Sections::fit(REPORT, ROOM)

Cuts tables and flame graphs, all to the same number of rows and stacks, until the report has at most ROOM bytes as
JSON. C<left> of a table is how many rows are not there, C<more> the command that shows them.

=item Zed::Sections::json(REPORT)

As JSON in ASCII, without a C<E<lt>>.

=item Zed::Sections::table(TABLE, BASE)

A table of a section's data as a Zed::Table, for people.

=back

=head1 SEE ALSO

report of zedperl-scripts(7), Zed::Runs, Zed::Findings

=head1 LICENCE

GPL-2.0-or-later

=cut
