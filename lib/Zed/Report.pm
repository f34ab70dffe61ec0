# SPDX-License-Identifier: GPL-2.0-or-later
#
# Report: what all analyses have in common: their options, their tables as text, JSON or CSV, and what has to
# be said below: of which time, how much of it is missing.
package Zed::Report;
use strict;
use warnings;

use Getopt::Long ();
use Zed::Table;

our $VERSION = '0.1';

my $VERSION_OF_JSON = 1;
my $TOP_EVERY = 2;	# seconds, unless --every says it

# What every analysis takes.
my @COMMON = qw(json csv:s limit=i every=s html=s svg=s samples=s top help|h);

sub new {
	my ($class, %o) = @_;
	my $self = bless {
		name => $o{name}, answer => $o{answer}, option => { limit => 20, %{$o{defaults} // {}} },
		tables => [], pictures => [], notes => [], used => 0, lost => 0, places => 0, unknown => 0,
	}, $class;
	$self->{words} = $o{words} ? [] : undef;
	$self->{nothing} = $o{nothing};
	_options($self, @{$o{options} // []});
	return $self;
}

sub _options {
	my ($self, @own) = @_;
	my @wrong;
	my $parser = Getopt::Long::Parser->new(config => [qw(no_ignore_case bundling no_auto_abbrev)]);
	{
		local $SIG{__WARN__} = sub { push @wrong, $_[0] };
		$parser->getoptions($self->{option}, @own, @COMMON);
	}
	@{$self->{words}} = splice @ARGV if $self->{words};
	push @wrong, "'$ARGV[0]' is no option\n" if !@wrong && @ARGV;
	if ($self->{option}{help}) {
		_manual();
		exit 0;
	}
	if (@wrong) {
		chomp @wrong;
		_usage($self, lcfirst $wrong[0]);
	}
	my ($json, $csv, $every) = @{$self->{option}}{qw(json csv every)};
	_usage($self, '--json and --csv: give one of them') if $json && defined $csv;
	_usage($self, '--limit takes 0 (all) or more') if $self->{option}{limit} < 0;
	$self->{option}{limit} = undef if !$self->{option}{limit};
	$self->{every} = _seconds($self, $every) if defined $every;
	_want_pictures($self);
	_usage($self, '--top shows tables: leave --json and --csv out') if $self->{option}{top} && ($json || defined $csv);
	$self->{every} //= $TOP_EVERY if $self->{option}{top};
	return;
}

sub _want_pictures {
	my ($self) = @_;
	my ($html, $svg) = @{$self->{option}}{qw(html svg)};
	_usage($self, '--html needs the name of a file') if defined $html && $html eq '';
	_usage($self, '--svg needs the name of a file') if defined $svg && $svg =~ m{(?:^|/)(?:\.svg)?\z};
	require Zed::Svg if defined $svg;
	return if !defined $html;
	require Zed::Page;
	my $no = Zed::Page::refusal($html);
	_usage($self, "--html $html: $no") if defined $no;
	my $why = Zed::Page::missing() // return;
	print {*STDERR} "$self->{name}: --html: $why\n";
	exit 2;
}

sub _usage {
	my ($self, $text) = @_;
	print {*STDERR} "$self->{name}: $text\n$self->{name}: try 'zedperl --help $self->{name}'\n";
	exit 2;
}

sub usage { return _usage(@_) }

sub _manual {
	require Pod::Text;
	my $parser = Pod::Text->new(width => 96, utf8 => 1);
	$parser->output_fh(*STDOUT);
	$parser->parse_file($0);
	return;
}

sub _seconds {
	my ($self, $text) = @_;
	my %unit = ('' => 1, s => 1, ms => 0.001, m => 60);
	my ($number, $unit) = $text =~ /^(\d+(?:\.\d+)?)(ms|s|m|)\z/ or _usage($self, "--every '$text' is no time: 5s, 500ms");
	_usage($self, '--every has to be more than 0') if $number <= 0;
	return $number * $unit{$unit};
}

sub option { return $_[0]{option}{$_[1]} }

# For a script whose first word is an analysis: there is none.
sub which_analysis {
	my ($self, $how) = @_;
	print "$how, where ANALYSIS is one of\n";
	my $folder = $0 =~ s{[^/]*\z}{}r;
	for my $path (sort glob "${folder}*.pl") {
		open my $in, '<', $path or next;
		my $text = do { local $/ = undef; <$in> };
		print "  $1 - $2\n" if $text =~ /^use Zed::Report/m && $text !~ /^# zedperl: reads no trace/m && $text =~ /^=head1 NAME\n\n(\S+)\.pl - (.*)/m;
	}
	exit 2;
}

sub words { return @{$_[0]{words} // []} }

# ---- samples ----

# Into the file that --samples names: each number by itself, for zedperl compare.
sub samples {
	my ($self) = @_;
	my $path = $self->{option}{samples};
	return if !defined $path;
	return $self->{samples} if $self->{samples};
	require Zed::Page;
	my $no = -f $path ? Zed::Page::refusal($path) : undef;
	_usage($self, "--samples $path: $no") if defined $no;
	open $self->{samples}, '>', $path or _usage($self, "--samples $path: $!");
	return $self->{samples};
}

sub sample {
	my ($self, $key, $ts, $value) = @_;
	print {$self->{samples} // samples($self) // return} join(' ', map { defined ? Zed::plain($_) =~ tr/\t/ /r : '-' } @$key), "\t$ts\t$value\n";
	return;
}

# ---- what is said below ----

# For trace_lost.
sub lost {
	my ($self, $cpu, $count) = @_;
	if (defined $count) {
		$self->{lost} += $count;
		$self->{places}++;
	} else {
		$self->{unknown}++;
	}
	return;
}

# "{wait|waits}" in TEXT: the one for one, the other for more.
sub note {
	my ($self, $key, $n, $text) = @_;
	return if !$n;
	my $said = $text =~ s/\{([^{}|]*)\|([^{}|]*)\}/$n == 1 ? $1 : $2/ger;
	push @{$self->{notes}}, { key => $key, n => $n, text => $said };
	return;
}

sub remark {
	my ($self, $key, $text) = @_;
	push @{$self->{notes}}, { key => $key, text => $text };
	return;
}

# The times between which this is an answer, in ns: what the trace has, or, live, what was seen.
sub window {
	my ($self, $first, $last) = @_;
	my ($start, $end) = (Zed::start(), Zed::end());
	return ($start, $end) if defined $start && defined $end;
	return ($first, $last);
}

sub table {
	my ($self, $name, %o) = @_;
	my $table = Zed::Table->new(name => $name, %o);
	push @{$self->{tables}}, $table;
	return $table;
}

my $BAR = 40;		# letters of the longest bar

# A table of how the values of a Zed::Spread, in ns, are spread.
sub histogram {
	my ($self, $name, $title, $spread) = @_;
	my @powers = $spread->powers;
	my $most = 1;
	for (@powers) {
		$most = $_->[2] if $_->[2] > $most;
	}
	spread($self, $name, $title, $spread);
	return $self->table($name, title => $title, whole => 1,
		columns => [['from', 'from us', 'us'], ['to', 'up to us', 'us'], ['n', 'n', 'int'], ['bar', '', 'text']],
		rows => [map { { from => $_->[0], to => $_->[1] + 1, n => $_->[2],
			bar => '#' x ($_->[2] ? 1 + int(($BAR - 1) * $_->[2] / $most) : 0) } } @powers]);
}

# ---- pictures ----

# Are there to be any?
sub draws { return defined $_[0]{option}{html} || defined $_[0]{option}{svg} }

# How values are spread, where the answer has no table of that.
sub spread {
	my ($self, $name, $title, $spread) = @_;
	my @powers = $spread->powers or return;
	push @{$self->{pictures}}, { kind => 'histogram', name => $name, title => $title,
		rows => [map { { from => $_->[0] + 0, to => $_->[1] + 1, n => $_->[2] + 0 } } @powers],
		quantiles => [map { my $value = $spread->quantile($_); defined $value ? { percent => $_, value => $value + 0 } : () } 50, 90, 99] };
	return;
}

# A Zed::Heat that is drawn, if there are pictures.
sub heat {
	my ($self, $title, $unit) = @_;
	return if !draws($self);
	require Zed::Heat;
	push @{$self->{heats}}, Zed::Heat->new(title => $title, name => 'heat' . (@{$self->{heats} // []} || ''), unit => $unit // 'delay');
	return $self->{heats}[-1];
}

my $STACKS = 3000;	# of a flame graph: the rest is one

sub flame {
	my ($self, $name, $title, $unit, $weights) = @_;
	my @stacks = sort { $weights->{$b} <=> $weights->{$a} || $a cmp $b } grep { $weights->{$_} > 0 } keys %$weights;
	return if !draws($self) || !@stacks;
	my @rest = @stacks > $STACKS ? splice @stacks, $STACKS : ();
	my $rest = 0;
	$rest += $weights->{$_} for @rest;
	push @{$self->{pictures}}, { kind => 'flame', name => $name, title => $title, unit => $unit,
		stacks => [(map { [$_, $weights->{$_} + 0] } @stacks), @rest ? ['(' . @rest . ' other stacks)', $rest] : ()] };
	return;
}

sub chain {
	my ($self, $name, $title, @parts) = @_;
	return if !draws($self) || !@parts;
	push @{$self->{pictures}}, { kind => 'chain', name => $name, title => $title, parts => [sort { $a->{from} <=> $b->{from} } @parts] };
	return;
}

# CASE, a reference to a hash, among the worst by the value of KEY, if it is: behind those that are as bad and came
# before.
sub worst {
	my ($self, $list, $key, $case, $from, $to) = @_;
	my $most = $self->{option}{worst} // 10;
	return if $most < 1 || @$list >= $most && $case->{$key} <= $list->[-1]{$key};
	$self->{timeline}->keep($from, $to, $case->{$key}) if $self->{timeline} && defined $to;
	my $at = @$list;
	$at-- while $at && $list->[$at - 1]{$key} < $case->{$key};
	splice @$list, $at, 0, $case;
	pop @$list if @$list > $most;
	return;
}

# What Zed::Frames did not see as a whole.
sub frames {
	my ($self, $frames) = @_;
	$self->note('begun', $frames->n('begun'), '{end was|ends were} seen without a begin');
	$self->note('open', $frames->n('open'), '{begin was|begins were} seen without an end');
	$self->note('still', $frames->still, '{is|are} handled still at the end');
	$self->note('lost_frames', $frames->n('lost'), '{is|are} left out, as events were lost meanwhile');
	return;
}

# ---- the report ----

sub _ask {
	my ($self) = @_;
	@$self{qw(tables pictures notes)} = ([], [], []);
	my @window = $self->{answer}->($self);
	remark($self, 'nothing', "nothing to show: 'zedperl TRACE summary' says what was recorded, 'zedperl --help $self->{name}' what to record for it")
		if !$self->{words} && !$self->{nothing} && defined Zed::start() && !grep { @{$_->{rows}} } @{$self->{tables}};
	push @{$self->{pictures}}, map { $_->picture } @{$self->{heats} // []};
	return @window;
}

# Ask the analysis for its answer, and print that.
sub _print {
	my ($self) = @_;
	my ($start, $end) = _ask($self);
	if ($self->{option}{json}) {
		_print_json($self, $start, $end);
	} elsif (defined $self->{option}{csv}) {
		_print_csv($self);
	} else {
		_print_text($self, $start, $end);
	}
	return ($start, $end);
}

# What is known of the trace itself.
sub _trace {
	my %trace = (clock => scalar Zed::clock(), uname => scalar Zed::uname());
	my $cpus = Zed::ncpus();
	$trace{cpus} = $cpus + 0 if defined $cpus;
	return { map { defined $trace{$_} ? ($_ => $trace{$_}) : () } keys %trace };
}

sub _notes {
	my ($self) = @_;
	return [map { { key => $_->{key}, text => $_->{text}, defined $_->{n} ? (n => $_->{n} + 0) : () } } @{$self->{notes}}];
}

# The pictures of the answer that was printed last.
sub _write_pictures {
	my ($self, $start, $end) = @_;
	my ($html, $svg) = @{$self->{option}}{qw(html svg)};
	my $what = { script => $self->{name}, trace => _trace(), defined $start ? (start => $start, end => $end) : (),
		tables => $self->{tables}, pictures => $self->{pictures}, notes => _notes($self), lost_text => scalar _lost_text($self),
		limit => $self->{option}{limit}, timeline => $self->{timeline} };
	Zed::Svg::write($svg, $what) if defined $svg;
	Zed::Page::write($html, $what) if defined $html;
	return;
}

sub _lost_text {
	my ($self) = @_;
	return if !$self->{lost} && !$self->{unknown};
	my @parts;
	push @parts, "$self->{lost} events at $self->{places} place" . ($self->{places} == 1 ? '' : 's') if $self->{lost};
	push @parts, 'an unknown number at ' . ($self->{unknown} == 1 ? 'one place' : "$self->{unknown} places")
		if $self->{unknown};
	return join ', and ', @parts;
}

sub _print_text {
	my ($self, $start, $end) = @_;
	my $out = $self->{out} // \*STDOUT;
	my $first = 1;
	for my $table (@{$self->{tables}}) {
		print {$out} "\n" if !$first;
		$first = 0;
		$table->print(to => $out, limit => $table->{whole} ? undef : $self->{option}{limit});
	}
	print {$out} "\n";
	if ($self->{words}) {
		# There is no trace that it could be of.
	} elsif (defined $start && defined $end) {
		printf {$out} "%s from %s to %s\n", Zed::duration($end - $start), map { sprintf '%d.%09d', int($_ / 1e9), $_ % 1e9 } $start, $end;
	} else {
		print {$out} "no events\n";
	}
	my $lost = _lost_text($self);
	print {$out} "lost: $lost; what they may have hidden is left out\n" if defined $lost;
	print {$out} defined $_->{n} ? "$_->{n} " : '', "$_->{text}\n" for @{$self->{notes}};
	return;
}

sub _print_csv {
	my ($self) = @_;
	my $name = $self->{option}{csv};
	my ($table) = grep { $name eq '' || $_->{name} eq $name } @{$self->{tables}};
	_usage($self, "--csv=$name: there is no such table (" . join(', ', map { $_->{name} } @{$self->{tables}}) . ')') if !$table;
	$table->csv;
	return;
}

sub _print_json {
	my ($self, $start, $end) = @_;
	my $data = {
		script => $self->{name}, version => $VERSION_OF_JSON, trace => _trace(),
		defined $start ? (start => $start + 0, end => $end + 0) : (),
		lost => { events => $self->{lost} + 0, places => $self->{places} + 0, unknown => $self->{unknown} + 0 },
		notes => _notes($self), @{$self->{tables}} ? (main => $self->{tables}[0]{name}) : (),
		tables => { map { $_->{name} => $_->data } @{$self->{tables}} },
	};
	print Zed::Table::json($data), "\n";
	return;
}

# For trace_begin: starts what --every, --html and --svg ask for.
sub begin {
	my ($self) = @_;
	$self->{timeline} = Zed::timeline() if draws($self);
	return if !$self->{every};
	require Time::HiRes;
	if ($self->{option}{top}) {
		require Zed::Screen;
		return if $self->{screen} = Zed::Screen->every($self->{every}, sub { _screenful($self) });
	}
	$SIG{ALRM} = sub { _print($self); print "\n"; STDOUT->flush };	## no critic (RequireLocalizedPunctuationVars)
	Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), $self->{every}, $self->{every});
	return;
}

# The answer so far, as text for a screen.
sub _screenful {
	my ($self) = @_;
	my $text = '';
	open my $into, '>', \$text or return '';
	local $self->{out} = $into;
	_print($self);
	close $into;
	return "$self->{name}: q or Ctrl-C ends\n\n$text";
}

# For trace_end.
sub end {
	my ($self) = @_;
	if ($self->{every}) {
		Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), 0);
		@SIG{qw(ALRM WINCH)} = ('IGNORE', 'DEFAULT');	## no critic (RequireLocalizedPunctuationVars)
		(delete $self->{screen})->end if $self->{screen};
	}
	my ($start, $end) = _print($self);
	_write_pictures($self, $start, $end);
	return;
}

1;

__END__

=head1 NAME

Zed::Report - the frame of an analysis: options, tables in three forms, what is missing

=head1 SYNOPSIS

    use Zed::Report;

    my %n;
    my $report = Zed::Report->new(name => 'switches', options => ['by=s'], defaults => { by => 'comm' },
        answer => \&answer);

    Zed::on('sched:switch', args => ['next_comm'], sub { $n{$_[0]}++ });

    sub answer {
        $report->table('tasks', columns => [['comm', 'task', 'text'], ['n', 'switches', 'int']],
            rows => [map { { comm => $_, n => $n{$_} } } keys %n])->sort('n', 'comm');
        return $report->window;
    }

    sub trace_begin { $report->begin }
    sub trace_lost { $report->lost(@_) }
    sub trace_end { $report->end }

=head1 DESCRIPTION

All analyses that come with zedperl are made with it, and yours can be: they have the same options,
write the same forms, and say what is missing in the same words. The options are

=over

=item --json

One JSON object: C<script>, C<version>, C<trace> (clock, uname, cpus), C<start> and C<end> (ns),
C<lost>, C<notes> (C<key>, C<text>, most with C<n>; C<nothing> where no table has a row) and C<tables>, each with its columns and rows. Numbers are
not rounded; times are in ns.

=item --csv, --csv=TABLE

The first table, or that one, for spreadsheets.

=item --limit N

At most N rows of each table as text (20; 0: all).

=item --every TIME

The answer so far, each TIME (5s, 500ms), for live runs.

=item --html FILE

Besides, a page for people: one file, with the tables to sort and filter, and pictures (Zed::Page).

=item --top

Live, on a terminal: the answer so far fills the screen, every 2 seconds or as B<--every> says. q or
Ctrl-C ends it, and the whole answer is printed. Elsewhere it is B<--every> 2s.

=item --samples FILE

Each measured number by itself, a line each: the key of its row, the time, the value, with tabs between;
for B<zedperl compare>. Not all analyses have them.

=item --svg FILE

Besides, each picture as a file for papers: FILE C<x.svg> gives C<x-histogram.svg>, C<x-timeline.svg> and so on
(Zed::Svg).

=item -h, --help

The script's manual.

=back

=head1 METHODS

=over

=item Zed::Report->new(name => NAME, answer => CODE, [options => [...],] [defaults => {...},] [words => 1])

Reads the options from @ARGV: those of the script are written as for Getopt::Long. A wrong one ends
the program with status 2 and a message. CODE is called with the report when an answer is due; it
makes the tables and notes, and returns when the time that they are about begins and ends.

With C<words> the script takes words that are no options, which are C<< $report->words >>, and is about
no trace of its own.

Where no table has a row, it is said how to find out what was recorded and what has to be; unless, with C<nothing>,
that is an answer too.

=item $report->which_analysis(HOW)

For a script whose first word names an analysis, where there is none: prints HOW it is called, and which
there are, and ends the program with status 2.

=item $report->sample([KEY, ...], TS, VALUE)

A number that is measured in the row of that key, for B<--samples>; only where C<< $report->samples >> is
true, which is worth to be asked once.

=item $report->option(NAME)

=item $report->table(NAME, ...)

A new table of the answer; see Zed::Table for what follows the name.

=item $report->histogram(NAME, TITLE, SPREAD)

A table of how the values of a Zed::Spread, in ns, are spread, by powers of two.

=item $report->draws

Whether pictures are asked for. The following do nothing, or give undef, where they are not.

=item $report->spread(NAME, TITLE, SPREAD)

The picture of a Zed::Spread, for an answer that has no table of it.

=item $report->heat(TITLE, [UNIT])

A Zed::Heat, to be given each value as it comes: before the first event, as it is drawn at the end.

=item $report->flame(NAME, TITLE, UNIT, STACKS)

A flame graph: STACKS is a reference to a hash of weights by stack, C<outermost;...;innermost>; UNIT C<ns>,
or what is counted.

=item $report->chain(NAME, TITLE, PARTS...)

A bar of parts that follow each other, with a lane for each who had a part: references to hashes with
C<from>, C<to> (ns), C<what>, C<actor>, C<detail>, C<pid>.

=item $report->worst(LIST, KEY, CASE, [FROM, TO])

Puts CASE, a reference to a hash, into the list of the worst, by the value of KEY: as many as
B<--worst> says (10), the greatest first. The page of B<--html> keeps the single events from FROM to
TO, in ns.

=item $report->frames(FRAMES)

Says what a Zed::Frames has not seen as a whole.

=item $report->note(KEY, N, TEXT)

"N TEXT" is said below the tables, if N is not 0. Of C<{wait|waits}> in it the first is said for one,
the second for more.

=item $report->remark(KEY, TEXT)

The same without a number.

=item $report->lost(CPU, COUNT)

For trace_lost: it is told below.

=item $report->window([FIRST, LAST])

When the trace begins and ends, in ns; live, where that is not known, FIRST and LAST.

=item $report->begin, $report->end

To be called in trace_begin and trace_end.

=item $report->usage(TEXT)

Ends the program because of an option's value: TEXT is said, and the exit status is 2.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Table, Zed::Spread, Zed::Tasks

=head1 LICENCE

GPL-2.0-or-later

=cut
