#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# report.pl: every analysis that suits a trace: what sticks out, then the first rows of each, or one page with all.
# zedtrace: sched irq
# zedperl: is about overview all everything page html findings start

use strict;
use warnings;

use File::Basename qw(basename dirname);
use Zed;
use Zed::Findings;
use Zed::Needs;
use Zed::Options;
use Zed::Page;
use Zed::Runs;
use Zed::Sections;
use Zed::Terminal;
use Zed::Units;

my $ROWS = 200;			# of a table, on the page
my $ROOM = 3_000_000;		# bytes of all answers; the rest of a page is for the time line
my $SAID = 3;			# lines of a failed analysis

my $options = Zed::Options->new(name => 'report', own => [qw(findings base=i)], defaults => { limit => 5 });
my ($html, $json, $limit) = @{$options->values}{qw(html json limit)};
my $findings_alone = $options->values->{findings};

for (grep { defined $options->values->{$_} } qw(csv every top total svg samples page-data)) {
	$options->usage("--$_ is for one analysis: zedperl TRACE ANALYSIS --$_");
}
$options->usage('--findings are a part of the page: leave one of --findings and --html out')
	if $findings_alone && defined $html;
$options->usage('--base takes 0 or more') if ($options->values->{base} // 0) < 0;

my $base;		# ns: times in answers are after it
my (@words, $runs, $timeline);
my %ended;		# {name}: how an analysis ended: data, or why; said; status
my @sections;		# [name, purpose]

sub trace_begin
{
	my $why = defined &Zed::Fleet::_with ? 'a state is of one analysis' : undef;

	@words = eval { Zed::_again() } if !defined $why;
	$why //= $@ =~ s/\n\z//r if $@;
	$options->usage("a report runs several analyses, and $why: save the trace as a file, then zedperl FILE report")
		if defined $why;
	$base = $options->values->{base} // (defined $html ? Zed::start() : undef) // 0;
	$runs = Zed::Runs->new(words => \@words);
	start($_) for $findings_alone ? Zed::Findings::answers() : 'summary';
	# The page's time line takes a run of its own.
	return $timeline = Zed::timeline() if defined $html;
	Zed::stop();
}

sub start
{
	my ($name) = @_;
	my $form = defined $html ? "$base,$ROWS" : "$base,$ROWS,tables";

	$runs->add($name, $name, '--page-data', $form, Zed::Findings::options($name));
}

sub take
{
	my ($run) = @_;
	my $data = $run->{out} =~ /\A\{/ ? eval { Zed::Fleet::_parse($run->{out}) } : undef;
	my @said = split /\n/, $run->{said};
	my $how = $run->{status} > 128 ? 'was ended by signal ' . ($run->{status} - 128)
		: "ended with status $run->{status}";
	my @last = @said > $SAID ? @said[-$SAID .. -1] : @said;

	$ended{$run->{name}} = { said => \@said, status => $run->{status}, ref $data eq 'HASH' ? (data => $data)
		: (why => join "\n", "$run->{name} $how", map { letters($_) } @last) };
}

sub data_of { my ($name) = @_; return $ended{$name} ? $ended{$name}{data} : undef }

# The others that suit, by what the summary says: those with all their events first.
sub start_others
{
	my $summary = data_of('summary') // return;
	my ($table) = grep { $_->{name} eq 'scripts' } @{$summary->{tables}};

	for my $row (grep { $_->{suits} ne 'no' && has_tables($_->{script}) } @{$table->{rows}}) {
		push @sections, [@$row{qw(script purpose)}];
		start($row->{script});
	}
}

sub path { my ($name) = @_; return dirname($0) . "/$name.pl" }

sub has_tables
{
	my ($name) = @_;

	open my $in, '<', path($name) or return;
	my $text = do { local $/ = undef; <$in> };
	close $in;
	return $text =~ /^use Zed::Report/m;
}

# Of bytes: names of files, messages.
sub letters { my ($bytes) = @_; return Zed::Page::letters(Zed::plain($bytes)) }

# What it takes to see one of them alone.
sub command
{
	my ($name) = @_;
	my @line = @words;

	splice @line, -2, 1 if 1 == grep { $_ eq '-i' } @line;
	return letters(join ' ', 'zedperl', map({ m{\A[\w./,:=+@%-]+\z} ? $_ : "'" . s/'/'\\''/gr . "'" } @line),
		$name, Zed::Findings::options($name));
}

sub section
{
	my ($name, $purpose) = @_;
	my $of = $ended{$name} // { why => "$name was not run: interrupted" };

	return { name => $name, purpose => $purpose, command => command($name),
		map({ defined $of->{$_} ? ($_ => $of->{$_}) : () } qw(data why)) };
}

# Messages about the trace are those of all; our own run has printed them if it has read it.
sub say_messages
{
	my @answers = grep { $ended{$_}{data} } sort keys %ended;
	my (%n, %printed);

	for my $name (@answers) {
		my %once = map { $_ => 1 } @{$ended{$name}{said}};
		$n{$_}++ for keys %once;
	}
	for (grep { !$printed{$_}++ } map { @{$ended{$_}{said}} } @answers) {
		print {*STDERR} "$_\n" if !defined $html || $n{$_} < @answers;
	}
}

sub trace_end
{
	my $cut = Zed::asked()->{cut};

	$runs->stop('INT') if defined $cut;
	$runs->each_end(\&take);
	if (!$findings_alone) {
		@sections = ['summary', Zed::Needs->of(path('summary'))->purpose];
		start_others() if !$runs->stopped;
		$runs->each_end(\&take) if !$runs->stopped;
	}
	my @left = $runs->left;
	my $report = Zed::Sections::report(base => $base, head => data_of('summary'),
		findings => [Zed::Findings::of({ map { $_ => data_of($_) } keys %ended })],
		sections => [map { section(@$_) } @sections],
		notes => [$runs->stopped ? { key => 'stopped', level => 'warning',
			text => 'interrupted: what was done by then is here'
				. (@left ? '; not run: ' . join ', ', @left : '') } : ()]);

	put($report);
	STDOUT->flush;
	say_messages();
	exit 130 if $runs->stopped;
	exit 1 if grep { $_->{status} || !$_->{data} } values %ended;
}

sub put
{
	my ($report) = @_;
	my @failed = map { [$_, $ended{$_}{why}] } grep { !$ended{$_}{data} } sort keys %ended;

	if ($findings_alone && $json) {
		print Zed::Sections::json({ findings => $report->{findings}, base => "$base",
			failed => \@failed }), "\n";
		return;
	}
	if (defined $html) {
		Zed::Sections::fit($report, $ROOM);
		my $page = { %$report, what => join ', ', map { letters(basename($_)) } inputs() };
		eval { Zed::Page::write_file($html, Zed::Page::report($page, $timeline, $base)); 1 } or fail($@);
	}
	if ($json) {
		print Zed::Sections::json($report), "\n";
		return;
	}
	print_text($report);
}

sub fail
{
	my ($why) = @_;

	STDOUT->flush;
	print {*STDERR} 'report: ', Zed::plain($why =~ s/\n\z//r), "\n";
	exit 1;
}

sub inputs { return map { $words[$_ + 1] } grep { $words[$_] eq '-i' } 0 .. $#words }

# ---- as text ----

# Of letters, as all data of answers are.
sub bytes { my ($text) = @_; utf8::encode($text); return Zed::plain($text) }
sub sentence { my ($note) = @_; return bytes((defined $note->{n} ? "$note->{n} " : '') . $note->{text}) }

sub print_text
{
	my ($report) = @_;
	my $look = Zed::Terminal::look(\*STDOUT);
	my @above = ((defined $report->{lost_text}
			? "lost: $report->{lost_text}; what they may have hidden is left out" : ()),
		map { sentence($_) } @{$report->{notes}});
	my %of_all = map { $_ => 1 } @above;

	print map({ Zed::Terminal::styled($look, warning => $_) . "\n" } @above), "\n" if @above;
	print Zed::Terminal::styled($look, bold => 'what sticks out'), "\n";
	for (@{$report->{findings}}) {
		print '  ', bytes($_->{text}), "\n      ", join(': ', place($_), bytes(command($_->{answer}))), "\n";
	}
	print "  nothing\n" if !@{$report->{findings}};
	print_section($_, $look, \%of_all) for @{$report->{answers}};
	print "\n", defined $report->{start} ? of_what($report) : 'no events', "\n" if !$findings_alone;
}

# Where a finding is: that of a CPU is the whole time.
sub place
{
	my ($finding) = @_;

	return if $finding->{key} eq 'cpu' || !defined $finding->{at};
	return join ' to ', map { 'at ' x !$_ . Zed::Units::at($finding->{$_ ? 'to' : 'at'} + $base) } 0, 1;
}

sub of_what
{
	my ($report) = @_;

	return sprintf('%s from %s to %s', Zed::duration($report->{end} - $report->{start}),
		map { Zed::Units::at($_ + $base) } @$report{qw(start end)}) . (length($report->{asked} // '')
		? '; ' . bytes($report->{asked}) : '');
}

sub print_section
{
	my ($section, $look, $of_all) = @_;

	print "\n", Zed::Terminal::styled($look, bold => uc $section->{name}), ' - ', bytes($section->{purpose}), "\n";
	if (!$section->{data}) {
		print map { '  ' . bytes($_) . "\n" } split /\n/, $section->{why};
		return;
	}
	my @notes = grep { $_->{level} || $_->{key} eq 'nothing' } @{$section->{data}{notes}};
	my ($first) = @{$section->{data}{tables}};

	print Zed::Terminal::styled($look, warning => $_), "\n" for grep { !$of_all->{$_} } map { sentence($_) } @notes;
	Zed::Sections::table($first, $base)->print(limit => $limit, exact => $options->values->{exact})
		if $first && @{$first->{rows}};
	print 'all: ', bytes($section->{command}), "\n";
}

__END__

=head1 NAME

report.pl - every analysis that suits a trace: what sticks out, then the first rows of each, or one page with all

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<report> [B<--html> I<FILE>] [B<--findings>] [B<--json>] [B<--limit> I<N>] [B<--exact>]

=head1 DESCRIPTION

To begin with, for a trace that one does not know. Runs every analysis for which the trace has the events (as
C<summary> lists them), each in a process of its own, at most as many at once as there are CPUs, and shows their answers
one after the other. The options before the trace that choose a part of it (B<--start>, B<--end>, B<--cpu>, B<--pid>,
B<--comm> and so on) are those of all of them; several inputs (B<-i>) are read by all of them.

First come sentences about what sticks out, each with its place, and the command that shows more: the longest wait for a
CPU, and who ran there meanwhile; the slowest system call that failed (not with C<EAGAIN>, C<EINTR> or C<ETIMEDOUT>, by
which a wait ends) or, if none did, the slowest; the busiest CPU; an interrupt, if it takes 5 % of a CPU's time, or if
the CPUs are not known. If lost events, or the end of the trace, may change one, it says so.

The trace is read once for each analysis: it has to be a file. An input that can be read only once, such as a pipe, is
refused; save it first (C<zedtrace -o trace.dat>, C<cat E<gt> trace.zed>).

An analysis that fails has its reason in place of its answer, and the exit status is 1. Ctrl-C ends those that run, with
the answers that they have by then; the others are named as not run.

=head1 OPTIONS

=over

=item --html FILE

Also writes one page: a time line, what sticks out, a table of contents, then each analysis with its tables and
pictures. It has at most 5 MB: of a table at most 200 rows, or fewer where there are many; with it is the command that
shows all.

=item --findings

Only what sticks out, for which fewer analyses are run.

=item --json

One JSON object instead of the text: C<findings> (C<text>, C<key>, C<answer>, the analysis; C<at> and C<to>, C<cpu>,
C<pid>, where there are such) and C<answers>: C<name>, C<purpose>, C<command>, and C<data>, with C<tables>, C<notes> and
the like, or C<why> there is none. C<base> is a string: all times are ns after it. With B<--findings> C<findings>,
C<base> and C<failed>, analyses and why they gave no answer.

=item --base NS

The time that B<--json> counts from (default 0; with B<--html>, the beginning of the trace).

=item --limit N

At most N rows of each first table in the text (default 5; 0: all that a page would have).

=item --exact

As for all analyses: C<zedperl help Zed::Options>. The other options described there are for one analysis.

=back

=head1 RECORD

    zedtrace sched irq -d 10
    trace-cmd record -e sched -e irq sleep 10

Whatever was recorded will do: this is an example.

=head1 OUTPUT

What changes the answers (losses, above all), what sticks out, then for each analysis the first rows of its first table,
with the command that shows all of it.

=head1 EXAMPLES

    zedperl trace.dat report
    zedperl trace.dat report --html report.html
    zedperl --start 7.1 --end 7.2 trace.dat report --findings --json | jq -r '.findings[].text'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), Zed::Findings(3pm)

=head1 LICENCE

GPL-2.0-or-later

=cut
