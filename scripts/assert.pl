#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# assert.pl: does one trace keep limits? Any number of any analysis, of the rows that a condition chooses.
# zedperl: reads no trace itself
# zedtrace: sched
# zedperl: is about assertion check gate ci limit requirement deadline junit

use strict;
use warnings;

use Zed;
use Zed::Gate;
use Zed::Gate::Limit;
use Zed::Gate::Run;
use Zed::Gate::Written;
use Zed::Report;

# Options of zedperl: which part of the trace.
my @PARTS = qw(start end around cpu pid comm);
my $report = Zed::Report->new(name => 'assert', answer => \&answer, words => 1,
	options => [qw(lossy junit=s markdown=s), map { "$_=s" } @PARTS]);
my ($trace, @texts) = $report->words;
my $ALL = $Zed::Gate::Run::ALL;
my $FEW = 3;		# rows that are named
my $status = 0;
my ($WITHIN, $BEYOND, $UNKNOWN) = ($Zed::Gate::WITHIN, $Zed::Gate::BEYOND, $Zed::Gate::UNKNOWN);

$report->usage("two words are needed at least: zedperl assert TRACE 'wakeup-latency: max < 5ms'") if !@texts;
my @limits = map { limit($_) } @texts;
for (grep { defined $report->option($_) } qw(junit markdown)) {
	my $file = $report->option($_);
	my $no = $file ne '-' ? Zed::Page::refusal($file)
		: $report->option('json') || defined $report->option('csv') ? 'standard output has the answer' : undef;
	$report->usage("--$_ $file: $no") if defined $no;
}

# A mistake in a limit, or in a file: its message has its lines already.
sub refuse
{
	my ($text) = @_;

	print {*STDERR} map { "assert: $_\n" } split /\n/, $text =~ s/\Aassert: //r;
	exit 2;
}

sub limit
{
	my ($text) = @_;
	my $limit = eval { Zed::Gate::Limit::told({ where => 'limit', text => $text },
		sub { Zed::Gate::Limit::assertion($text) }) };

	refuse($@) if !$limit;
	return { %$limit, where => 'limit' };
}

# ---- the numbers ----

# The answer of each analysis, once for each way in which it is asked.
my %runs;

sub run_of
{
	my ($limit) = @_;
	my @parts = map { defined $report->option($_) ? ("--$_", $report->option($_)) : () } @PARTS;

	return $runs{join "\0", $limit->{analysis}, @{$limit->{with}}} //=
		Zed::Gate::Run::of_trace({ %$limit, parts => \@parts }, $trace, 'assert');
}

# A limit with what it found: verdict, rows that break it, the number of rows that it is about, a sentence.
sub check
{
	my ($limit) = @_;
	my $run = run_of($limit);
	my $check = { limit => $limit, run => $run, key => '-', broken => [] };
	my $rows = Zed::Gate::Limit::told($limit, sub { rows_of($limit, $run) });
	my $holds = @$rows && Zed::Gate::Limit::told($limit, sub { Zed::Gate::Limit::bound($limit->{demands},
		columns($run, $limit->{demands}{name})) });
	my $number = $check->{number} = number_of($limit, $run);

	for my $of (@$rows) {
		my ($key, $row) = @$of;
		# Of rows of the same name it is unknown which of them samples of that name belong to.
		my $value = $row && !$run->{table}{rows}{$key} ? Zed::Gate::Run::own($row, $number)
			: Zed::Gate::Run::value($run, $key, $number, 1);

		if (!defined $value) {
			$check->{without}++;
			next;
		}
		$check->{n}++;
		push @{$check->{broken}}, [$key, $value, $row] if !$holds->({ $number => $value });
		@$check{qw(key value)} = ($key, $value) if !defined $check->{value}
			|| is_nearer($limit, $value, $check->{value});
	}
	@$check{qw(key value)} = @{(sort { $b->[1] <=> $a->[1] } @{$check->{broken}})[0]}
		if @{$check->{broken}} && $limit->{demands}{op} =~ /^</;
	$check->{type} = Zed::Gate::Run::type_of($run, $number, 1);
	$check->{hidden} = $report->option('lossy') ? undef : hidden($check);
	judge($check);
	return $check;
}

# Why what is not in the trace may be what decides, in words; undef: it cannot, or nothing is missing.
sub hidden
{
	my ($check) = @_;
	my ($limit, $run, $broken) = @$check{qw(limit run broken)};
	my $missing = Zed::Gate::Run::missing($run);

	return if !defined $missing || !$check->{n};
	my $column = { key => $check->{number}, type => $check->{type} };
	my $stays = sub { return Zed::Gate::Limit::is_settled($limit->{demands}, $column, $_[0]) };

	return (grep { $stays->($_->[1]) } @$broken) ? undef : $missing if @$broken;
	# A row that was not seen may break what the others keep.
	my $is_whole = $limit->{where_of} ? Zed::Gate::Limit::is_of_one($limit->{where_of}) : $check->{key} eq $ALL;
	return $check->{n} == 1 && $is_whole && $stays->($check->{value}) ? undef : $missing;
}

# Of two values that keep a limit: the one that is nearer to it is shown.
sub is_nearer
{
	my ($limit, $value, $shown) = @_;

	return $limit->{demands}{op} =~ /^>/ ? $value < $shown : $value > $shown;
}

# Numbers of samples are columns, too.
sub columns
{
	my ($run, $name) = @_;
	my @columns = @{$run->{table}{columns}};
	my %there = map { $_->{key} => 1 } @columns;
	my @more = grep { !$there{$_} } Zed::Gate::Run::numbers($run);

	# Any percentile is one.
	push @more, $name if !$there{$name} && Zed::Gate::Run::has_number($run, $name)
		&& !grep { $_ eq $name } @more;	return (@columns,
		map { +{ key => $_, head => $_, type => Zed::Gate::Run::type_of($run, $_, 1) } } @more);
}

sub number_of
{
	my ($limit, $run) = @_;
	my @columns = columns($run, $limit->{demands}{name}) or return $limit->{demands}{name};

	return Zed::Gate::Limit::told($limit, sub { Zed::Gate::Limit::column(@{$limit->{demands}}{qw(name name_at)},
		@columns)->{key} });
}

# [NAME, ROW] of those that a limit is about: those of its condition; without one all together or, if that is no row,
# each.
sub rows_of
{
	my ($limit, $run) = @_;
	my @every = sort { $a->[0] cmp $b->[0] } Zed::Gate::Run::every($run);

	if ($limit->{where_of}) {
		return [] if !@{$run->{table}{columns}};
		my $fits = Zed::Gate::Limit::bound($limit->{where_of}, @{$run->{table}{columns}});
		return [grep { $fits->($_->[1]) } @every];
	}
	my $number = number_of($limit, $run);
	return [[$ALL, $run->{table}{rows}{$ALL}]] if defined Zed::Gate::Run::value($run, $ALL, $number, 1);
	return \@every;
}

# ---- verdicts ----

sub judge
{
	my ($check) = @_;
	my ($limit, $run) = @$check{qw(limit run)};
	my $what = "$limit->{analysis} $check->{number}";
	my $demand = "$limit->{demands}{op} $limit->{demands}{value}";
	my $n = $check->{n} // 0;

	if (!$n) {
		my $no_row = 'there is no row ' . ($limit->{where_of} ? 'that fits' : 'at all');

		@$check{qw(verdict sentence)} = ($UNKNOWN, "$what: $no_row, so nothing was measured; " .
			what_there_is($run));
		return;
	}
	my $without = $check->{without} ? "; $check->{without} more without the number" : '';
	my $value = Zed::Gate::value_text(@$check{qw(type value)});
	my @broken = @{$check->{broken}};
	if (@broken) {
		my @sorted = sort { $b->[1] <=> $a->[1] || $a->[0] cmp $b->[0] } @broken;
		my @shown = map { "$_->[0] " . Zed::Gate::value_text($check->{type}, $_->[1]) }
			@sorted[0 .. ($#sorted < $FEW ? $#sorted : $FEW - 1)];
		my $break = @broken == 1 ? 'breaks' : 'break';

		push @shown, '...' if @sorted > @shown;
		@$check{qw(verdict sentence)} = ($BEYOND, "$what: " . join(', ', @shown) . "; the limit is $demand" .
			($n == 1 ? '' : ', and ' . @broken . " of $n rows $break it") . $without);
		@$check{qw(verdict sentence)} = ($UNKNOWN, "$check->{sentence}, in what was recorded, but " .
			what_is_hidden($check)) if $check->{hidden};
		return;
	}
	my $kept = "$what: $value ($check->{key}), the limit is $demand, and " .
		($n == 1 ? 'it is kept' : "all $n rows keep it") . $without;

	@$check{qw(verdict sentence)} = $check->{hidden} ? ($UNKNOWN, "$kept in what was recorded, but " .
		what_is_hidden($check)) : ($WITHIN, $kept);
}

sub what_is_hidden
{
	my ($check) = @_;
	my $is_lost = Zed::Gate::Run::losses($check->{run});

	return "$check->{hidden}, which may hide more: record " .
		($is_lost ? 'with larger buffers (zedtrace -b)' : 'again') . ', or take it as it is with --lossy';
}

# What is not in the trace, in words; undef: nothing.
sub missing { return (grep { defined } map { Zed::Gate::Run::missing($_->{run}) } @_)[0] }

sub what_there_is
{
	my ($run) = @_;
	my @names = Zed::Gate::Run::names($run);

	return 'the trace has none of what the analysis is made of, or not in this part: zedperl TRACE summary lists ' .
		'what it has' if !@names;
	return 'there are ' . join(', ', @names[0 .. ($#names < 9 ? $#names : 9)]) . (@names > 10 ? ', ...' : '');
}

# The commands that show more of a limit that is broken: the row itself, if it is one case; else, if something is too
# long, the longest.
sub next_of
{
	my ($check) = @_;

	return if $check->{verdict} ne $BEYOND;
	my $is_too_much = $check->{limit}{demands}{op} =~ /^</;
	my ($worst) = sort { $is_too_much ? $b->[1] <=> $a->[1] : $a->[1] <=> $b->[1] } @{$check->{broken}};
	my $evidence = ($worst->[2] // {})->{evidence};
	my @closer = $evidence ? @{$evidence->{arguments}}
		: $is_too_much ? Zed::Gate::Run::closer($check->{run}, @$check{qw(key number)}) : ();

	return @closer ? join ' ', 'zedprint', map { Zed::Gate::Written::word($_) } @closer, $trace : ();
}

# ---- the answer ----

sub answer
{
	my @checks = map { my $limit = $_; my $check = eval { check($limit) }; refuse($@) if !$check; $check } @limits;

	$status = Zed::Gate::status(@checks);
	for my $check (grep { $_->{verdict} ne $WITHIN } @checks) {
		$report->warning($check->{verdict} =~ tr/ /_/r, undef, "$check->{verdict}: $check->{sentence}");
	}
	my @more = $report->option('json') ? (['sentence', 'in words', 'text']) : ();
	$report->table('checks', whole => 1, columns => [['verdict', 'is', 'text', 3],
		['analysis', 'analysis', 'text', 2], ['key', 'what', 'text', 1], ['number', 'number', 'text', 2],
		['value', 'value', 'varied', 2], ['limit', 'limit', 'text', 3], ['rows', 'rows', 'int'],
		['broken', 'break it', 'int'], @more],
		rows => [map { my $check = $_; +{
			(map { ($_ => $check->{$_}) } qw(verdict key number value type sentence)),
			analysis => $check->{limit}{analysis}, limit => limit_text($check->{limit}),
			rows => $check->{n} // 0, broken => scalar @{$check->{broken}},
		} } @checks]);
	my %said;
	$report->remark('next', $_) for grep { !$said{$_}++ } map { next_of($_) } @checks;
	my $missing = missing(@checks);
	$report->remark('lossy', $report->option('lossy') ? "$missing, and --lossy takes the rest for the whole"
		: "what was recorded is not all: $missing") if defined $missing;
	$report->remark('one', 'these are the numbers of this trace: whether another run is like it, several runs ' .
		'show (compare --limit)');
	write_verdicts(@checks);
	return;
}

sub limit_text
{
	my ($limit) = @_;

	return $limit->{text} =~ s/\A[^:]*:\s*//r;
}

sub write_verdicts
{
	my (@checks) = @_;
	my %words = (0 => 'all limits are kept', 3 => 'a limit is exceeded', 4 => 'cannot tell');
	my @cases = map { +{ group => $_->{limit}{analysis}, limit => limit_text($_->{limit}),
		name => $_->{key} eq '-' ? $_->{number} : "$_->{key} $_->{number}", verdict => $_->{verdict},
		sentence => $_->{sentence}, next => [next_of($_)] } } @checks;
	my %files = map { ($_ => $report->option($_)) } qw(junit markdown);
	my $missing = missing(@checks);

	$files{notes} = defined $missing ? ["what was recorded is not all: $missing"] : [];
	eval { Zed::Gate::Written::files(\%files, "zedperl assert: $words{$status}", @cases); 1 } or refuse($@);
}

# It has no trace of its own.
$report->end;
exit $status;

__END__

=head1 NAME

assert.pl - does one trace keep limits: any number of any analysis

=head1 SYNOPSIS

B<zedperl assert> I<TRACE> I<LIMIT>... [B<--lossy>] [B<--junit> I<FILE>] [B<--markdown> I<FILE>] [B<--json>]

=head1 DESCRIPTION

Runs analyses on one trace, and says whether their numbers keep limits; the exit status is the answer.

    zedperl assert trace.dat 'wakeup-latency: max < 20ms where task ~ "s*"' 'syscalls: p99 < 1s'

A limit is C<ANALYSIS [OPTIONS]: NUMBER OP VALUE [where CONDITION]>. The number is a column of the analysis's first
table, by its key in B<--json> or its head; of an analysis with samples also C<avg>, C<max> and any percentile (C<p95>).
OP is C<E<lt>>, C<E<lt>=>, C<E<gt>>, C<E<gt>=>, C<==> or C<!=>. Times have a unit (C<ns>, C<us>, C<ms>, C<s>), sizes too
(C<B>, C<KiB>, C<MiB>, C<GiB>), shares are in C<%>; other numbers have none.

Of another table than the first the analysis is named with it: C<sched-summary.tasks: run E<lt> 1s where task == sh>.

The condition is about the columns of a row: texts are compared by C<==>, C<!=>, C<~> (a pattern of the shell) and
C<!~>, numbers as above; C<and>, C<or>, C<not> and parentheses join conditions. Each row that fits has to keep the
limit, also where several have the same name; rows without that number are counted in the sentence. Without a condition
the row of all together has to or, if there is none, each row.

What is in the trace is measured, not estimated. But what was lost, or is missing from a file that is cut off or
damaged, is not in it: a limit that is kept in such a trace cannot be told, unless B<--lossy> is given, and one that is
broken is broken. Of counts, sums and maxima, which more events can only increase, the direction decides: C<n E<lt> 100>
that is broken is broken, C<n E<gt> 100> that is kept is kept, and the other way round neither can be told. Whether the
next run will be
like this one is a question for several runs: B<zedperl compare> with limits.

=head1 OPTIONS

=over

=item --lossy

Take a trace that lost events, or is damaged, for the whole.

=item --junit FILE, --markdown FILE

Also writes the verdicts as JUnit XML and as Markdown. C<->: standard output.

=item --start TIME, --end TIME, --around TIME, --cpu LIST, --pid PIDS, --comm LIST

Which part of the trace is meant, as with B<zedperl>.

=back

B<--json>, B<--csv> and other options of all analyses: C<zedperl help Zed::Options>. The table for B<--csv>: C<checks>.

=head1 RECORD

    zedtrace sched -d 10
    trace-cmd record -e sched sleep 10

Record the events that the analyses need.

=head1 OUTPUT

A line for each limit that is broken or cannot be told: what was measured, the limit, which rows break it; then a row
for each limit with the value that is nearest to it, or farthest beyond. Below: the command that shows the case that
breaks a limit or, if a row is about many and something is too long in it (C<max>, C<avg>, a percentile), the longest of
them; none if the analysis does not say where it is, or if a limit is about how often.

=head1 EXIT STATUS

0, all limits are kept; 3, one is broken; 4, none is, and one cannot be told: nothing was measured, events were lost,
or the trace is damaged. 2 for a mistake in a limit, with its place, or if the trace cannot be opened.

=head1 EXAMPLES

    zedperl assert trace.dat 'wakeup-latency --by cpu: max < 20ms where CPU == 1' 'waits: n > 0'
    zedperl assert trace.dat 'syscalls: errors == 0 where call == close and not n < 10' --junit out.xml
    zedperl assert trace.dat 'sched-summary.tasks: share < 100% where task == sh'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), compare.pl, Zed::Gate(3pm)

=head1 LICENCE

GPL-2.0-or-later

=cut
