#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.pl: an analysis of two traces, or of two groups of them: what differs, by how much, how certainly.
# zedperl: reads no trace itself
# zedtrace: sched
# zedperl: is about difference diff regression before after benchmark change

use strict;
use warnings;

use Zed;
use File::Temp ();
use Zed::Contrast;
use Zed::Report;

# Options of zedperl: which part of a trace. Once: of both sides; twice: of A, of B.
my @PARTS = qw(start end around cpu pid comm);
my $report = Zed::Report->new(name => 'compare', answer => \&answer, words => 1,
	options => [qw(a=s@ b=s@ with=s seed=i), map { "$_=s@" } @PARTS],
	defaults => { seed => 1 });
my ($analysis, @words) = $report->words;
my $program = readlink '/proc/self/exe';

# The numbers of a row that are compared, one for each run.
my %MEASURES = map { $_ => 1 } qw(avg p50 p90 p99 share rate);
my %COUNTS = map { $_ => 1 } qw(n count events);
my %KEYS = map { $_ => 1 } qw(pid only_pid tid who cpu irq vec prio nr state);
my @OF_SAMPLES = ('rate', 'mean', 50, 99);
my $ALL = 'ALL';
my $MOST = 2000;	# rows that are compared: those with the most cases
my $left_out = 0;
my %NAMES = (n => 'a second', count => 'a second', events => 'a second', avg => 'mean', rate => 'a second',
	mean => 'mean', share => 'share');

$report->which_analysis('zedperl compare ANALYSIS A.dat B.dat') if !defined $analysis;
$report->usage('--seed takes 1 or more') if $report->option('seed') < 1;
$report->usage("$analysis is a file; the analysis comes first: zedperl compare $words[-1] " . join ' ', $analysis,
	@words[0 .. $#words - 1])
	if @words && $analysis !~ /\.pl\z/ && -e $analysis && !-e $words[-1];
$report->usage("$analysis is a trace; the analysis comes first: zedperl compare ANALYSIS " . join ' ',
	$analysis, @words)
	if $analysis =~ /\.dat\z/ && -e $analysis;
for (grep { @{$report->option($_) // []} > 2 } @PARTS) {
	$report->usage("--$_: once for both sides, or twice: for A, then for B");
}
my @sides = sides();
my @parts = map { [parts_of($_)] } 0, 1;

# The options of a side.
sub parts_of
{
	my ($side) = @_;

	return map { my $of = $report->option($_); $of ? ("--$_", $of->[$side] // $of->[0]) : () } @PARTS;
}

sub have_two { return grep { @{$report->option($_) // []} == 2 } @PARTS }

# The files of both sides: "A B", "A... vs B...", or --a and --b.
sub sides
{
	my ($first, $second) = map { [map {
		my @found = glob $_;
		@found ? @found : $_;
	} @{$report->option($_) // []}] } qw(a b);

	if (@$first || @$second) {
		$report->usage('--a and --b name all traces: leave the other words out') if @words;
		$report->usage('--a and --b: give both') if !@$first || !@$second;
		return ($first, $second);
	}
	my ($at) = grep { $words[$_] eq 'vs' } 0 .. $#words;

	return ([@words[0 .. $at - 1]], [@words[$at + 1 .. $#words]]) if defined $at && $at && $at < $#words;
	$report->usage('more than two traces: put vs between the two groups, zedperl compare '
		. "$analysis a*.dat vs b*.dat") if @words > 2;
	return ([$words[0]], [$words[0]]) if @words == 1 && have_two();
	$report->usage("two traces are needed: zedperl compare $analysis A.dat B.dat; or two times of one: ... " .
		"TRACE --start A --end A --start B --end B")
		if @words < 2;
	return ([$words[0]], [$words[1]]);
}

# The answer of the analysis for one trace, with the samples that it offers.
sub run
{
	my ($side, $path) = @_;
	my $samples = File::Temp->new;
	my $pid = open my $out, '-|';

	die "compare: $!\n" if !defined $pid;
	if (!$pid) {
		my @with = split ' ', $report->option('with') // '';

		exec {$program} 'zedperl', @{$parts[$side]}, '-i', $path, $analysis, '--json', '--samples', "$samples",
			@with or exit 127;
	}
	my $text = do { local $/ = undef; <$out> };
	close $out;
	my $status = $? >> 8;
	# Read like states, which are printable ASCII: there may be very many rows.
	$text =~ s/([^\n -~])/sprintf '\\u%04x', ord $1/ge;
	my $data = $status < 2 ? eval { Zed::Fleet::_parse($text) } : undef;

	die "compare: $analysis of $path ended with status $status\n" if $status > 1 && $status != 2;
	exit 2 if $status == 2;
	die "compare: $analysis gives no --json that could be compared\n" if ref $data ne 'HASH' || !$data->{tables};
	my $measures = measures($data);

	delete $data->{tables};
	return { path => $path, data => $data, measures => $measures,
		samples => samples("$samples", $measures->{head}), damaged => $status };
}

# {key}: [TS, VALUE]
sub samples
{
	my ($path, $head) = @_;
	my %samples;

	# It was replaced when it was complete.
	open my $file, '<', $path or die "compare: $path: $!\n";
	while (my $line = <$file>) {
		chomp $line;
		my ($key, $ts, $value) = split /\t/, $line;

		push @{$samples{"$head$key"}}, [$ts, $value] if defined $value;
	}
	return \%samples;
}

sub is_in_ticks { my ($data) = @_; return ($data->{trace}{times} // '') eq 'ticks' }

# Times in ns and in ticks cannot be compared.
sub check_units
{
	my ($first, $second) = @_;
	my ($one, @others) = map { $_->{data} } @$first, @$second;
	my ($other) = grep { is_in_ticks($_) != is_in_ticks($one) } @others;
	my $clock = sub { my ($of) = @_; return Zed::plain($of->{trace}{clock} // 'unknown') . ' counts '
		. (is_in_ticks($of) ? 'ticks' : 'ns') };

	die 'compare: the times cannot be compared: the clock ', $clock->($one), ', and ', $clock->($other), "\n"
		if $other;
	return if !is_in_ticks($one);
	Zed::_in_ticks();
	@OF_SAMPLES = grep { $_ ne 'rate' } @OF_SAMPLES;
	$report->warning('ticks', undef, 'the clock ' . $clock->($one) . ', not ns: times are numbers of ticks, of ' .
		'equal length only in traces of one machine, and there are no rates a second');
}

# The rows of the main table of a run, by their keys, with their numbers.
sub measures
{
	my ($data) = @_;
	my $table = $data->{tables}{$data->{main} // ''} // return { rows => {}, types => {}, cases => {}, head => '' };
	my @columns = @{$table->{columns}};
	# The key consists of the columns to the left of the numbers.
	my ($numbers) = grep { $columns[$_]{type} ne 'text' && !$KEYS{$columns[$_]{key}} } 0 .. $#columns;
	# In another run the only task of a name has another pid.
	my @keys = grep { $_->{key} ne 'only_pid' } @columns[0 .. ($numbers // @columns) - 1];
	@keys = grep { $_->{type} eq 'text' } @columns if !@keys;
	# A number alone does not identify a row.
	my $head = @keys == 1 && $keys[0]{type} ne 'text' ? "$keys[0]{head} " : '';
	my @numbers = grep { $_->{type} ne 'text' && ($MEASURES{$_->{key}} || $COUNTS{$_->{key}}) } @columns;
	my $seconds = defined $data->{start} && !is_in_ticks($data) ? ($data->{end} - $data->{start}) / 1e9 : 0;
	my (%rows, %types, %cases, %n);
	my $name = sub { my ($row) = @_; return $head . join ' ', map { $row->{$_->{key}} // '-' } @keys };

	$n{$name->($_)}++ for @{$table->{rows}};
	for my $row (@{$table->{rows}}, $table->{all} // ()) {
		my $key = $row == ($table->{all} // 0) ? $ALL : $name->($row);

		# It is unknown which of these is which in the other trace.
		next if ($n{$key} // 0) > 1;
		for (@numbers) {
			my $value = $row->{$_->{key}} // next;

			$cases{$key} = $value if $COUNTS{$_->{key}};
			$rows{$key}{$_->{key}} = $COUNTS{$_->{key}} ? ($seconds ? $value / $seconds : next) : $value;
			# What is in ns there was so whatever the clock counts.
			$types{$_->{key}} = $COUNTS{$_->{key}} ? 'number' : $_->{type} eq 'us' ? 'own us' : $_->{type};
		}
	}
	return { rows => \%rows, types => \%types, cases => \%cases, head => $head,
		same => scalar grep { $n{$_} > 1 } keys %n };
}

sub add_to
{
	my ($sum, $of) = @_;

	$sum->{$_} += $of->{$_} for keys %$of;
}

# Of very many KEYS those with the most CASES, and a row for all together; sorted.
sub most
{
	my ($cases, @keys) = @_;

	return sort @keys if @keys <= $MOST;
	my @order = sort { ($b eq $ALL) <=> ($a eq $ALL) || ($cases->{$b} // 0) <=> ($cases->{$a} // 0)
		|| $a cmp $b } @keys;

	$left_out = @order - $MOST;
	return sort @order[0 .. $MOST - 1];
}

sub compare_runs
{
	my @of = map { [map { $_->{measures} } @$_] } @_;
	my @all = map { @$_ } @of;
	my (%keys, %cases);

	for (@all) {
		$keys{$_} = 1 for keys %{$_->{rows}};
		add_to(\%cases, $_->{cases});
	}
	my %types = map { %{$_->{types}} } @all;
	my @results;

	for my $key (most(\%cases, keys %keys)) {
		my %names = map { $_ => 1 } map { keys %{$_->{rows}{$key} // {}} } @all;
		my ($cases) = sort { $a <=> $b } map { $_->{cases}{$key} // 0 } @all;

		for my $name (sort keys %names) {
			my ($first, $second) = map { [map { $_->{rows}{$key}{$name} // () } @$_] } @of;

			next if !@$first || !@$second;
			push @results, { key => $key, name => $name, type => $types{$name}, cases => $cases,
				a => Zed::Contrast::median(@$first), b => Zed::Contrast::median(@$second),
				%{Zed::Contrast::of_runs($first, $second)} };
		}
	}
	return @results;
}

sub compare_samples
{
	my ($first, $second) = @_;
	my @sides = map { my $run = $_; { run => $run, map { $_ => $run->{data}{$_} } qw(start end) } } $first, $second;
	my @results;

	$_->{samples}{$ALL} = [map { @$_ } values %{$_->{samples}}] for $first, $second;
	my @both = grep { $second->{samples}{$_} } keys %{$first->{samples}};
	my %cases = map { my $key = $_; ($key => @{$first->{samples}{$key}} + @{$second->{samples}{$key}}) } @both;

	for my $key (most(\%cases, @both)) {
		my $of = Zed::Contrast::of_samples((map { +{ %$_, samples => $_->{run}{samples}{$key} } } @sides),
			$report->option('seed'), @OF_SAMPLES);

		# If the sides cannot be compared, one row is enough.
		my ($cases) = sort { $a <=> $b } map { scalar @{$_->{samples}{$key}} } $first, $second;

		push @results, map { +{ key => $key, name => /^\d/ ? "p$_" : $_, type => $_ eq 'rate' ? 'number' : 'us',
			cases => $cases, %{$of->{$_}} } }
			(grep { !defined $of->{$_}{few} } @OF_SAMPLES) ? @OF_SAMPLES : $OF_SAMPLES[0];
	}
	return @results;
}

# Rows that cannot be paired are reported first.
sub say_first
{
	my ($first, $second) = @_;

	for my $what (['clock', sub { $_[0]{trace}{clock} // 'unknown' }],
		['number of CPUs', sub { $_[0]{trace}{cpus} // 'unknown' }],
		['kernel', sub { $_[0]{trace}{uname} // 'unknown' }]) {
		my ($name, $code) = @$what;
		my @values = map { my %v = map { $code->($_->{data}) => 1 } @$_; join ', ', sort keys %v } $first,
			$second;

		$report->remark($name =~ s/.* //r, "A and B differ in their $name: $values[0] and $values[1]")
			if $values[0] ne $values[1];
	}
	my @seconds = map {
		Zed::Contrast::median(map { (($_->{data}{end} // 0) - ($_->{data}{start} // 0)) / 1e9 } @$_)
	} $first, $second;

	$report->remark('window', sprintf 'the windows differ: %s and %s', map { Zed::duration($_ * 1e9) } @seconds)
		if $seconds[0] && $seconds[1] && ($seconds[0] / $seconds[1] > 1.5 || $seconds[1] / $seconds[0] > 1.5);
	for (['A', $first], ['B', $second]) {
		my ($name, $runs) = @$_;
		my $lost = grep { my $l = $_->{data}{lost}; grep { $_ } @$l{qw(events unknown timeless)} } @$runs;

		$report->note("lost_$name", $lost, "{trace|traces} of $name lost events: rates are lower bounds, " .
			"and long waits are left out more often");
		$report->note("same_$name", scalar(grep { $_->{measures}{same} } @$runs),
			"{trace|traces} of $name {has|have} rows of the same name, which are left out");
		$report->note("damaged_$name", scalar(grep { $_->{damaged} } @$runs),
			"{trace|traces} of $name {was|were} read with damage");
	}
}

# Certain differences come first, then rows without one, then those that vary too much, and those with too few cases.
sub rank
{
	my ($result) = @_;

	return defined $result->{few} ? 0 : $result->{sure} ? 3 : Zed::Contrast::words($result) =~ /^cannot tell/ ? 1
		: 2;
}

sub answer
{
	my ($first, $second) = map { my $side = $_; [map { run($side, $_) } @{$sides[$side]}] } 0, 1;

	check_units($first, $second);
	my $single = @$first == 1 && @$second == 1;
	my $samples = $single && %{$first->[0]{samples}} && %{$second->[0]{samples}};
	my @results = $samples ? compare_samples($first->[0], $second->[0]) : compare_runs($first, $second);

	Zed::Contrast::holm(@results);
	$report->table('differences', columns => [['key', 'what', 'text'], ['name', 'number', 'text'],
		['a', 'A', 'varied'], ['b', 'B', 'varied'],
		['words', 'B is', 'text'], ['effect', 'B greater', 'number'], ['size', 'effect', 'text']],
		rows => [map { +{ %$_, name => $NAMES{$_->{name}} // $_->{name}, words => Zed::Contrast::words($_),
			size => defined $_->{effect} ? Zed::Contrast::size_of($_->{effect}) : undef } }
			sort { rank($b) <=> rank($a)
				|| ($a->{sure} ? abs $b->{by} <=> abs $a->{by} : $b->{cases} <=> $a->{cases})
				|| $a->{key} cmp $b->{key} || $a->{name} cmp $b->{name} } @results]);
	one_side($first, $second);
	say_first($first, $second);
	$report->warning('sides', undef, join '; ', map { (qw(A B))[$_] . ': ' . join ' ', @{$parts[$_]} } 0, 1)
		if have_two();
	for (['A', $first], ['B', $second]) {
		my ($side, $runs) = @$_;

		$report->warning("empty_$side", undef, "$side has no rows: it has none of what was asked for")
			if !grep { %{$_->{measures}{rows}} } @$runs;
	}
	$report->note('left_out', $left_out,
		"{row|rows} with fewer cases than the $MOST that are compared {is|are} left out");
	$report->note('sure', scalar(grep { $_->{sure} } @results), 'of ' . grep({ defined $_->{chance} } @results)
		. " numbers {differs|differ} significantly (Holm's method, 5 % for all together)");
	if ($samples) {
		$report->remark('one', 'one run per side: the intervals leave out how much runs vary; 5 or ' .
			'more per side show it');
		$report->remark('seed', 'blocks of a fiftieth of the window are drawn 1000 times, with the seed '
			. $report->option('seed'));
	} elsif ($single) {
		$report->remark('one',
			"one run per side, and $analysis has no samples: comparing takes 5 or more per side")
			if !grep { %{$_->[0]{samples}} } $first, $second;
	} else {
		my $least = Zed::Contrast::smallest_p_value(scalar @$first, scalar @$second);

		$report->remark('few', sprintf 'too few runs to decide: by chance alone, one in %.0f pairs of ' .
			'such groups differs as much as is possible', 1 / $least)
			if $least > 0.05;
		$report->remark('runs', sprintf 'A: %d runs, B: %d; each run counts as one number', scalar @$first,
			scalar @$second);
	}
	return;
}

# Rows that only one side has.
sub one_side
{
	my ($first, $second) = @_;
	my @keys = map { my $side = $_; +{ map { $_ => 1 } map { keys %{$_->{measures}{rows}} } @$side } } $first,
		$second;
	my @rows = ((map { +{ side => 'A', key => $_ } } grep { !$keys[1]{$_} } sort keys %{$keys[0]}),
		(map { +{ side => 'B', key => $_ } } grep { !$keys[0]{$_} } sort keys %{$keys[1]}));

	$report->table('one_side', title => 'on one side only',
		columns => [['side', 'side', 'text'], ['key', 'what', 'text']], rows => \@rows) if @rows;
}

# It has no trace of its own.
$report->end;
exit 0;

__END__

=head1 NAME

compare.pl - two traces, or groups of traces, by one analysis: what differs, and how certainly

=head1 SYNOPSIS

B<zedperl compare> I<ANALYSIS> I<A.dat> I<B.dat> [B<--with> I<OPTIONS>] [B<--seed> I<N>] [B<--json> |
B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

B<zedperl compare> I<ANALYSIS> I<A.dat>... B<vs> I<B.dat>...

B<zedperl compare> I<ANALYSIS> I<TRACE> B<--start> I<A> B<--end> I<A> B<--start> I<B> B<--end> I<B>

=head1 DESCRIPTION

Runs the analysis on each trace and compares the numbers of its first table, row by row.

With several traces on each side, each run counts as one number: events within one run are related,
and a thousand waits in one bad moment are not a thousand pieces of evidence. The numbers are
compared by their ranks (Mann and Whitney, exactly). Three runs on each side can decide nothing,
four seldom can; take five or more.

With one trace on each side, the samples themselves are compared, if the analysis offers them:
stretches of time are drawn from each, over and over, to see how much the number varies by itself (a
moving-block bootstrap). This shows how certain the difference between these two runs is, not
whether the next run would be like them.

With many rows some differ by chance; that is taken into account (Holm's method). Maxima are not
compared: there is one in each run. Of more than 2000 rows those with the most cases are compared.

=head1 OPTIONS

=over

=item --a FILE|PATTERN, --b FILE|PATTERN

The traces of each side, as often as needed: the same as with B<vs>.

=item --with OPTIONS

Options for the analysis: C<--with '--by cpu'>.

=item --start TIME, --end TIME, --around TIME, --cpu LIST, --pid PIDS, --comm LIST

Which part of the traces is compared, as with B<zedperl>: each side's numbers are the answer of its part
(Zed::Asked(3)). Once for both sides; twice for A and for B: two windows of one trace, which is then named once.

=item --seed N

The seed of the random drawing (default 1).

=back

B<--json>, B<--csv>, B<--limit> and other options of all analyses: C<zedperl help Zed::Options>.
Tables for B<--csv>: C<differences>, C<one_side>.

=head1 RECORD

    zedtrace sched -d 10
    trace-cmd record -e sched sleep 10

Record the events that the analysis needs, five times or more for each side.

=head1 OUTPUT

A row for each number of each row: its value in A and in B (of several runs the median; in B<--json> in ns; counts per
second), and the conclusion: "higher by 12 % (95 %: 5.0 to 19)"; "no difference found; more than +-8.0 % is excluded";
"cannot tell: the runs vary too much (a change of less than 8.0 times would not be seen)"; "too few to tell", and why.
Then how often a number of B is greater than one of A, and the name for an effect of that size. Certain differences come
first, the greatest of them at the top; then rows without a difference, those with the most cases first; then those
whose numbers vary too much to tell, and those with too few. Below: rows of one side only, and other differences between
the sides: losses, clocks, CPUs, windows. Rows are paired by the columns to the left of their numbers; rows that have
the same there within one trace are left out.

=head1 EXAMPLES

    zedperl compare wakeup-latency before.dat after.dat
    zedperl compare waits trace.dat --start 7.0 --end 7.2 --start 7.2 --end 7.4
    zedperl compare irq old*.dat vs new*.dat --json | jq '.tables.differences.rows[] | select(.sure)'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), Zed::Contrast(3pm)

=head1 LICENCE

GPL-2.0-or-later

=cut
