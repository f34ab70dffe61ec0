# SPDX-License-Identifier: GPL-2.0-or-later
#
# Options: those of all analyses, and a script's own: their values, or a refusal before the run.
package Zed::Options;
use strict;
use warnings;

use Getopt::Long ();

our $VERSION = '0.1';

my $TOP_EVERY = 2;	# seconds, unless --every is given

# Options of zedperl for any script: which part of the trace, and how a live run is recorded.
my %LIVES = map { $_ => 1 } qw(d duration c children stack user-stack C clock b buffer s subbuf slack exclude flight);
my %ZEDPERLS = map { $_ => 1 } keys %LIVES, qw(P pid cpu comm event F filter i input start end around head tail instance
	relative common-window synthetic stable wall live part map kallsyms symfs debug-dir vmlinux debuginfod inline
	j jobs stats v verbose);

# Options of every analysis.
my @COMMON = qw(json csv:s exact limit=i every=s total html=s svg=s samples=s top page-data=s help|h);

sub new {
	my ($class, %o) = @_;
	my %values = (limit => 20, %{$o{defaults} // {}});
	my $self = bless { name => $o{name}, rows => delete $values{limit}, values => \%values,
		words => $o{words} ? [] : undef, conditions => $o{conditions} }, $class;
	_read($self, @{$o{own} // []});
	return $self;
}

sub values { return $_[0]{values} }	## no critic (ProhibitBuiltinHomonyms)
sub every { return $_[0]{every} }
sub words { return $_[0]{words} }

sub _read {
	my ($self, @own) = @_;
	my @wrong;
	my $parser = Getopt::Long::Parser->new(config => [qw(no_ignore_case bundling no_auto_abbrev)]);
	{
		local $SIG{__WARN__} = sub { push @wrong, $_[0] };
		my @common = map { $self->{conditions} ? s/^limit=i/limit=s@/r : $_ } @COMMON;
		$parser->getoptions($self->{values}, @own, @common);
	}
	_part_limits($self) if $self->{conditions};
	@{$self->{words}} = splice @ARGV if $self->{words};
	push @wrong, _no_word($self) if !@wrong && @ARGV;
	if ($self->{values}{help}) {
		_manual();
		exit 0;
	}
	if (@wrong) {
		chomp @wrong;
		my ($unknown) = $wrong[0] =~ /^Unknown option: (\S+)/;
		usage($self, defined $unknown ? _unknown($self, $unknown, @own) : lcfirst $wrong[0]);
	}
	my ($json, $csv, $every) = @{$self->{values}}{qw(json csv every)};
	usage($self, '--json and --csv: give one of them') if $json && defined $csv;
	usage($self, '--limit takes 0 (all) or more') if ($self->{values}{limit} // 0) < 0;
	usage($self, '--worst takes 0 (none) or more') if ($self->{values}{worst} // 0) < 0;
	_set_limit($self);
	$self->{every} = _seconds($self, $every) if defined $every;
	_check_page_data($self);
	_check_files($self);
	usage($self, '--top shows tables: leave --json and --csv out')
		if $self->{values}{top} && ($json || defined $csv);
	$self->{every} //= $TOP_EVERY if $self->{values}{top};
	usage($self, '--total goes with --every or --top') if $self->{values}{total} && !$self->{every};
	usage($self, '--html and --svg are of one answer: leave --every out, or give --total too')
		if $self->{every} && !$self->{values}{total} && grep { defined $self->{values}{$_} } qw(html svg);
	return;
}

# Where --limit takes conditions, too: what is no number is one.
sub _part_limits {
	my ($self) = @_;
	my @given = @{delete $self->{values}{limit} // []};
	$self->{values}{conditions} = [grep { !/^-?\d+\z/ } @given];
	my ($rows) = grep { /^-?\d+\z/ } reverse @given;
	$self->{values}{limit} = $rows if defined $rows;
	return;
}

# Of the text and, if it was given, of JSON; undef: all.
sub _set_limit {
	my ($self) = @_;
	my $given = $self->{values}{limit};
	$self->{values}{'json-limit'} = $given || undef;
	$self->{values}{limit} = ($given // $self->{rows}) || undef;
	return;
}

# An unknown option: zedperl's, or misspelt.
sub _unknown {
	my ($self, $name, @own) = @_;
	return _dashed($name) . ' ' . _is_zedperls($self, $name) if $ZEDPERLS{$name};
	return "no option -$name" if length $name == 1;
	my @names = map { /^(\w[\w-]*)/ } @own, @COMMON;
	my $near = _nearest($name, @names);
	return "no option --$name; did you mean --$near?" if defined $near;
	$near = _nearest($name, sort keys %ZEDPERLS);
	return "no option --$name" . (defined $near ? "; did you mean --$near? That "
		. _is_zedperls($self, $near) : '');
}

sub _is_zedperls {
	my ($self, $name) = @_;
	my $option = _dashed($name);
	return "is an option of zedperl, which comes before the script: zedperl --live $option ... $self->{name}"
		if $LIVES{$name};
	return "is an option of zedperl, which comes before the trace: zedperl $option ... TRACE $self->{name}";
}

sub _dashed { return (length $_[0] == 1 ? '-' : '--') . $_[0] }

# The suggestions that zedperl itself makes; perl alone makes none.
sub _nearest { return defined &Zed::_nearest ? Zed::_nearest(@_) : undef }

# A remaining word: a value for an option that takes none.
sub _no_word {
	my ($self) = @_;
	return '--top takes no number; did you mean --limit ' . $ARGV[0] . '?'
		if $self->{values}{top} && $ARGV[0] =~ /^\d+\z/;
	return "unknown option '$ARGV[0]'";
}

# It is for a program, which takes nothing else.
sub _check_page_data {
	my ($self) = @_;
	my $page = $self->{values}{'page-data'} // return;
	usage($self, "--page-data '$page': it takes the time, in ns, from which times are counted, then perhaps how " .
		'many rows of each table, and tables, if pictures are not needed: 7000000000,200,tables')
		if $page !~ /\A\d{1,19}(?:,\d{1,6}(?:,tables)?)?\z/;
	my ($other) = grep { defined $self->{values}{$_} } qw(json csv every top html svg);
	usage($self, "--page-data is an output of its own: leave --$other out") if defined $other;
	require Zed::Page;
	return;
}

# Before the run: an output that cannot be written would make the run useless.
sub _check_files {
	my ($self) = @_;
	my ($html, $svg) = @{$self->{values}}{qw(html svg)};
	usage($self, '--html needs the name of a file') if defined $html && $html eq '';
	usage($self, "--svg $svg is a folder: name a file in it, --svg " . ($svg =~ s{/*\z}{}r) . "/$self->{name}")
		if defined $svg && -d $svg;
	usage($self, '--svg needs the name of a file') if defined $svg && $svg =~ m{(?:^|/)(?:\.svg)?\z};
	require Zed::Svg if defined $svg;
	require Zed::Page if defined $html || defined $svg;
	my $no = defined $svg ? Zed::Page::refusal($svg =~ s/(?:\.svg)?\z/-timeline.svg/r) : undef;
	usage($self, "--svg $svg: $no") if defined $no;
	return if !defined $html;
	$no = Zed::Page::refusal($html);
	usage($self, "--html $html: $no") if defined $no;
	my $why = Zed::Page::missing() // return;
	print {*STDERR} "$self->{name}: --html: $why\n";
	exit 2;
}

sub usage {
	my ($self, $text) = @_;
	print {*STDERR} "$self->{name}: $text\n$self->{name}: try 'zedperl --help $self->{name}'\n";
	exit 2;
}

sub _manual {
	require Pod::Text;
	my $parser = Pod::Text->new(width => 96, utf8 => 1);
	$parser->output_fh(*STDOUT);
	$parser->parse_file($0);
	return;
}

sub _seconds {
	my ($self, $text) = @_;
	my %unit = ('' => 1, s => 1, ms => 0.001, us => 0.000_001, m => 60);
	my ($number, $unit) = $text =~ /^(\d+(?:\.\d+)?)(ms|us|s|m|)\z/
		or usage($self, "--every '$text' is not a time: write 5s, 500ms or 200us");
	usage($self, '--every has to be more than 0') if $number <= 0;
	return $number * $unit{$unit};
}

1;

__END__

=head1 NAME

Zed::Options - the options that all analyses have, and a script's own

=head1 SYNOPSIS

    use Zed::Options;

    my $options = Zed::Options->new(name => 'mine', own => ['by=s'], defaults => { by => 'comm' });
    my $by = $options->values->{by};

=head1 DESCRIPTION

Reads the options of an analysis from @ARGV. Zed::Report does this for its scripts. A wrong option
ends the program with status 2 and a message.

=head1 OPTIONS OF ALL ANALYSES

Manuals of analyses refer to these; the tables for B<--csv> and B<--json> are listed in each
analysis's own manual.

=over

=item --json

One JSON object: C<script>, C<version>, C<trace> (clock, uname, cpus; C<times>, which is C<ticks> if its clock does not
count ns: then all times are ticks), C<start> and C<end> (ns), C<lost> (C<events> in C<places>, C<unknown> more places
with an unknown number; if there are any: C<summed>, places of which only the sum is known, and in C<events>;
C<timeless>, events at unknown times, and if a time was chosen, C<perhaps>, events that were lost in it or not: at
unknown times, or in a loss that ends after it, and C<perhaps_unknown>, such losses of an unknown number), C<notes>
(C<key>, C<text>, most with C<n>; C<level>, which is C<warning>, for those that change how the answer has to be read;
one with the key C<nothing> if no table has a row, C<interrupted>, C<died> or C<failed> if the answer is of the part
that was read before a signal, a C<die> or a failure) and C<tables>, each with its columns and rows. Numbers are not
rounded; times are in ns. A column has C<key>, C<head>, C<type> (how it is shown to people: Zed::Units) and, if there is
one, the C<unit> of its values in the rows: C<ns>, C<bytes>, C<MiB>, C<MiB/s>. A row that is about a stretch of the
trace has C<evidence>: its C<start> and C<end>, C<cpu>, C<pid> and C<task>, as far as they are known, and the
C<arguments> of B<zedprint> that show it. A table with rows that are C<left> out (B<--limit>) says how many.

The schema of each analysis (JSON Schema 2020-12) is in F<docs/schema>, installed in F<share/zedperl/docs/schema>.
Within a C<version> members are only added.

=item --csv, --csv=TABLE

The first table, or TABLE, for spreadsheets, with the values of B<--json>.

=item --exact

Text with values that are not rounded: times in us or ms, sizes in bytes, with the unit in the heads
of the columns. Without it they are scaled to three digits: 31.8 s, 8.10 ms, 4.00 KiB.

=item --limit N

At most N rows of each table in the text (default 20; 0: all). B<--json> has all rows, unless the option is given: a
reader with little room gets the first N of each table, and how many are C<left>.

=item --every TIME

An answer for each interval of TIME (5s, 500ms, 200us) of the trace's time: an interval is a part of the trace, and
has the answer of that part (Zed::Asked(3)). An event at an interval's end is in the next one; intervals without
events are joined to the one before; the last one ends with the trace. As text each has its time above its tables.
B<--json> gives a line for each, and the rows of B<--csv> begin with C<interval_start> and C<interval_end>, in ns.
Live, intervals are those of the clock, and anything that has not ended yet counts in the next one. A script that does
not declare its counters (C<< $report->counts >> of Zed::Report) gives answers since the start.

=item --total

With B<--every> or B<--top>: each answer covers all the time so far.

=item --html FILE

Also writes the answer as a page: one file, with pictures, and tables to sort and filter (Zed::Page).

=item --page-data BASE[,ROWS[,tables]]

For programs: instead of the text, the data of the page of B<--html> without its time line, as one line of JSON in
ASCII. Times are ns after BASE; of each table at most ROWS rows (2000), its C<left> is how many more there are. With
C<,tables> there are no pictures.

=item --top

Live, on a terminal: fills the screen with the answer of the last 2 seconds, or of the TIME of B<--every>; with
B<--total> with that since the start. q or Ctrl-C ends it, and the whole answer is printed; p pauses, the arrows and
digits choose the column to sort by, r reverses the order. If standard output is not a terminal, it is B<--every 2s>.

=item --samples FILE

Also writes each measured number on a line of its own, for B<zedperl compare>: the key of its row,
the time and the value, separated by tabs; times are in ns. Not all analyses have them. FILE gets its name when it is
complete (mode 0600); if it cannot be written, the exit status is 1.

=item --svg FILE

Also writes each picture to a file of its own, for papers: FILE C<x.svg> gives C<x-histogram.svg>,
C<x-timeline.svg> and so on (Zed::Svg).

=item -h, --help

The script's manual.

=back

=head1 METHODS

=over

=item Zed::Options->new(name => NAME, [own => [...],] [defaults => {...},] [words => 1,]
[conditions => 1])

The script's own options are written as for Getopt::Long. With C<words>, words that are not options
are taken as well. With C<conditions>, what B<--limit> is given and is not a number becomes one of the C<conditions> in
C<values>, a reference to an array.

=item $options->values

A reference to a hash of the options' values; C<limit> is undef for no limit, and C<json-limit>, that of B<--json>, if
none was given.

=item $options->every

The seconds of B<--every> or B<--top>; undef without them.

=item $options->words

A reference to an array of the words; undef without C<< words => 1 >>.

=item $options->usage(TEXT)

Ends the program with TEXT as the message and exit status 2.

=back

=head1 SEE ALSO

Zed::Report, zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
