#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.pl: an analysis of two traces, or of two groups of them: what differs, by how much, how certainly; with
# limits,
# whether that is allowed.
# zedperl: reads no trace itself
# zedtrace: sched
# zedperl: is about difference diff regression before after benchmark change gate ci limit baseline junit

use strict;
use warnings;

use Zed;
use Zed::Contrast;
use Zed::Gate;
use Zed::Gate::Baseline;
use Zed::Gate::Limit;
use Zed::Gate::Run;
use Zed::Gate::Written;
use Zed::Report;
use Zed::Spread;

# Options of zedperl: which part of a trace. Once: of both sides; twice: of A, of B.
my @PARTS = qw(start end around cpu pid comm);
my $second = after_dashes();	# the words after "--", which are traces of B; undef: there is none
my $report = Zed::Report->new(name => 'compare', answer => \&answer, words => 1, conditions => 1,
	options => [qw(a=s@ b=s@ with=s seed=i level=f limits=s baseline=s junit=s markdown=s), map { "$_=s@" } @PARTS],
	defaults => { seed => 1, level => 5 });
my @words = $report->words;

# The numbers of a row that are compared, one for each run.
my %MEASURES = map { $_ => 1 } qw(avg p50 p90 p99 share rate);
my %COUNTS = map { $_ => 1 } qw(n count events);
my @OF_SAMPLES = ('rate', 'mean', 50, 99);
my $ALL = $Zed::Gate::Run::ALL;
my $MOST = 2000;	# rows that are compared: those with the most cases
my $left_out = 0;
my $status = 0;
my %NAMES = (n => 'a second', count => 'a second', events => 'a second', avg => 'mean', rate => 'a second',
	mean => 'mean', share => 'share');

my @sections = sections();
my $has_limits = grep { @{$_->{limits}} } @sections;
check_words();
my @sides = sides();
my @parts = map { [parts_of($_)] } 0, 1;
check_files();

# ---- what was asked for ----

sub after_dashes
{
	my ($at) = grep { $ARGV[$_] eq '--' } 0 .. $#ARGV;

	return if !defined $at;
	my (undef, @after) = splice @ARGV, $at;
	return \@after;
}

# A mistake in a limit, or in a file: its message has its lines already.
sub refuse
{
	my ($text) = @_;

	print {*STDERR} map { "compare: $_\n" } split /\n/, $text;
	exit 2;
}

# What is compared: analysis, with, limits.
sub sections
{
	my ($file, $with, $conditions) = map { $report->option($_) } qw(limits with conditions);

	if (defined $file) {
		$report->usage('--limits has the analyses, their options and their limits: leave ' .
			(@$conditions ? '--limit' : '--with') . ' out') if @$conditions || defined $with;
		my @of = eval { Zed::Gate::Limit::file($file) };
		refuse($@) if $@;
		return @of;
	}
	my $analysis = shift @words;

	$report->which_analysis('zedperl compare ANALYSIS A.dat B.dat') if !defined $analysis;
	return { analysis => $analysis, with => [split ' ', $with // ''], limits => [map { limit($_) } @$conditions] };
}

sub limit
{
	my ($text) = @_;
	my %limit = (where => '--limit', text => $text);
	my $limit = eval { Zed::Gate::Limit::told(\%limit, sub { Zed::Gate::Limit::change($text) }) };

	refuse($@) if !$limit;
	return { %$limit, where => '--limit', line => $text };
}

sub check_words
{
	my ($analysis) = map { $_->{analysis} } @sections;

	my ($option) = grep { /\A--?[a-z]/i && !-e } @{$second // []};

	$report->usage("$option stands after --, where only traces do: options stand before the traces, zedperl " .
		"compare ANALYSIS $option ... A... -- B...") if defined $option;
	$report->usage('--seed takes 1 or more') if $report->option('seed') < 1;
	$report->usage('--level takes a percentage above 0 and below 50')
		if $report->option('level') <= 0 || $report->option('level') >= 50;
	for (grep { @{$report->option($_) // []} > 2 } @PARTS) {
		$report->usage("--$_: once for both sides, or twice: for A, then for B");
	}
	return if defined $report->option('limits');
	$report->usage("$analysis is a file; the analysis comes first: zedperl compare $words[-1] " . join ' ',
		$analysis,
		@words[0 .. $#words - 1])
		if @words && $analysis !~ /\.pl\z/ && -e $analysis && !-e $words[-1];
	$report->usage("$analysis is a trace; the analysis comes first: zedperl compare ANALYSIS " . join ' ',
		$analysis, @words)
		if $analysis =~ /\.dat\z/ && -e $analysis;
}

# Before the runs: an output that cannot be written would make them useless.
sub check_files
{
	for (grep { defined $report->option($_) } qw(junit markdown)) {
		$report->usage("--$_ is for limits: give --limit or --limits") if !$has_limits;
		my $file = $report->option($_);
		my $no = $file ne '-' ? Zed::Page::refusal($file)
			: $report->option('json') || defined $report->option('csv') ? 'standard output has the answer'
			: undef;
		$report->usage("--$_ $file: $no") if defined $no;
	}
	return if !writes_baseline();
	my $file = $report->option('baseline');
	$report->usage("--baseline $file is there already, and is written once: to compare with it, write -- before " .
		'the traces; to write another one, remove it') if -e $file;
	my $no = Zed::Page::refusal($file);
	$report->usage("--baseline $file: $no") if defined $no;
}

# The options of a side.
sub parts_of
{
	my ($side) = @_;

	return map { my $of = $report->option($_); $of ? ("--$_", $of->[$side] // $of->[0]) : () } @PARTS;
}

sub have_two { return grep { @{$report->option($_) // []} == 2 } @PARTS }

sub analysis_word { return defined $report->option('limits') ? '--limits FILE' : $sections[0]{analysis} }

# The files of both sides: "A B", "A... vs B...", "A... -- B...", or --a and --b; with a baseline one of the two.
sub sides
{
	my ($first, $other) = map { [map {
		my @found = glob $_;
		@found ? @found : $_;
	} @{$report->option($_) // []}] } qw(a b);
	my $base = defined $report->option('baseline');

	if (@$first || @$other) {
		$report->usage('--a and --b name all traces: leave the other words out') if @words || $second;
		$report->usage('--a and --b: give both') if !$base && (!@$first || !@$other);
		return ($first, $other);
	}
	return ([@words], $second // []) if $base && (@words || @{$second // []});
	$report->usage('--baseline needs traces: those before -- are written to it, those after -- are compared ' .
		'with it') if $base;
	if ($second) {
		$report->usage('-- stands between the traces of A and of B: zedperl compare ' . analysis_word() .
			' A... -- B...') if !@words || !@$second;
		return ([@words], $second);
	}
	my ($at) = grep { $words[$_] eq 'vs' } 0 .. $#words;

	return ([@words[0 .. $at - 1]], [@words[$at + 1 .. $#words]]) if defined $at && $at && $at < $#words;
	$report->usage('more than two traces: put -- between the two groups, zedperl compare '
		. analysis_word() . ' a*.dat -- b*.dat') if @words > 2;
	return ([$words[0]], [$words[0]]) if @words == 1 && have_two();
	$report->usage('two traces are needed: zedperl compare ' . analysis_word() . ' A.dat B.dat; or two times of ' .
		'one: ... TRACE --start A --end A --start B --end B')
		if @words < 2;
	return ([$words[0]], [$words[1]]);
}

# ---- the runs ----

sub writes_baseline { return defined $report->option('baseline') && @{$sides[0]} }

sub of_side { my ($of, $side) = @_; return { %$of, parts => $parts[$side] } }

# The runs of both sides.
sub runs_of
{
	my ($of, $baseline) = @_;
	my @runs = map { my $side = $_; [map { Zed::Gate::Run::of_trace(of_side($of, $side), $_,
		'compare') } @{$sides[$side]}] }
		0, 1;

	$runs[0] = [from_baseline($of, $baseline)] if $baseline;
	check_units(@runs);
	for my $side (@runs) {
		$side->[$_]{nr} = $_ for 0 .. $#$side;
	}
	return @runs;
}

# Those of the analysis, if it was asked in the same way.
sub from_baseline
{
	my ($of, $baseline) = @_;
	my $file = $report->option('baseline');
	my $asked = sub { my ($is) = @_; return join ' ', $is->{analysis}, @{$is->{with}}, @{$is->{parts}} };
	my $wanted = $asked->(of_side($of, 0));
	my @runs = map { $_->[1] } grep { $asked->($_->[0]) eq $wanted } @$baseline;
	my %has = map { $asked->($_->[0]) => 1 } @$baseline;

	refuse("$file has no runs of '$wanted': it has those of " . join(', ', map { "'$_'" } sort keys %has))
		if !@runs;
	return @runs;
}

# Times in ns and in ticks cannot be compared.
sub check_units
{
	my ($one, @others) = map { @$_ } @_;
	my ($other) = grep { Zed::Gate::Run::is_in_ticks($_) != Zed::Gate::Run::is_in_ticks($one) } @others;
	my $clock = sub { my ($of) = @_; return Zed::plain($of->{trace}{clock} // 'unknown') . ' counts '
		. (Zed::Gate::Run::is_in_ticks($of) ? 'ticks' : 'ns') };

	refuse('the times cannot be compared: the clock ' . $clock->($one) . ', and ' . $clock->($other)) if $other;
	return if !Zed::Gate::Run::is_in_ticks($one);
	Zed::_in_ticks();
	@OF_SAMPLES = grep { $_ ne 'rate' } @OF_SAMPLES;
	$report->warning('ticks', undef, 'the clock ' . $clock->($one) . ', not ns: times are numbers of ticks, of ' .
		'equal length only in traces of one machine, and there are no rates a second');
}

# The numbers of a run's rows that are compared.
sub measures
{
	my ($run) = @_;
	my $table = $run->{table};
	my @numbers = grep { $_->{type} ne 'text' && ($MEASURES{$_->{key}}
		|| $COUNTS{$_->{key}}) } @{$table->{columns}};
	my $seconds = Zed::Gate::Run::seconds($run);
	my (%rows, %types, %cases);

	for my $key (keys %{$table->{rows}}) {
		my $row = $table->{rows}{$key};

		for (@numbers) {
			my $value = $row->{$_->{key}} // next;

			$cases{$key} = $value if $COUNTS{$_->{key}};
			$rows{$key}{$_->{key}} = $COUNTS{$_->{key}} ? ($seconds ? $value / $seconds : next) : $value;
			# What is in ns there was so whatever the clock counts.
			$types{$_->{key}} = $COUNTS{$_->{key}} ? 'number' : $_->{type} eq 'us' ? 'own us' : $_->{type};
		}
	}
	return { rows => \%rows, types => \%types, cases => \%cases };
}

# ---- all differences ----

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
			my ($of_a, $of_b) = map { [map { $_->{rows}{$key}{$name} // () } @$_] } @of;

			next if !@$of_a || !@$of_b;
			push @results, { key => $key, name => $name, type => $types{$name}, cases => $cases,
				a => Zed::Contrast::median(@$of_a), b => Zed::Contrast::median(@$of_b),
				%{Zed::Contrast::of_runs($of_a, $of_b)} };
		}
	}
	return @results;
}

sub compare_samples
{
	my ($run_a, $run_b) = @_;
	my @of = map { my $run = $_; { run => $run, map { $_ => $run->{$_} } qw(start end) } } $run_a, $run_b;
	my @results;

	Zed::Gate::Run::samples($_, $ALL) for $run_a, $run_b;
	my @both = grep { $run_b->{samples}{$_} } keys %{$run_a->{samples}};
	my %cases = map { my $key = $_; ($key => @{$run_a->{samples}{$key}} + @{$run_b->{samples}{$key}}) } @both;

	for my $key (most(\%cases, @both)) {
		my $found = Zed::Contrast::of_samples((map { +{ %$_, samples => $_->{run}{samples}{$key} } } @of),
			$report->option('seed'), @OF_SAMPLES);

		# If the sides cannot be compared, one row is enough.
		my ($cases) = sort { $a <=> $b } map { scalar @{$_->{samples}{$key}} } $run_a, $run_b;

		push @results, map { +{ key => $key, name => /^\d/ ? "p$_" : $_, type => $_ eq 'rate' ? 'number' : 'us',
			cases => $cases, %{$found->{$_}} } }
			(grep { !defined $found->{$_}{few} } @OF_SAMPLES) ? @OF_SAMPLES : $OF_SAMPLES[0];
	}
	return @results;
}

# How many traces of RUNS are such that CODE holds, in whichever analysis.
sub traces
{
	my ($code, @runs) = @_;
	my %there = map { $_->{nr} => 1 } grep { $code->($_) } @runs;

	return scalar keys %there;
}

# What makes the traces of a side less than the whole: [KEY, n, TEXT].
sub limitations
{
	my ($name, @runs) = @_;

	return ["lost_$name", traces(\&Zed::Gate::Run::losses, @runs),
		"{trace|traces} of $name lost events: rates are lower bounds, and long waits are left out more often"],
		["same_$name", traces(sub { $_[0]{table}{same} }, @runs),
		"{trace|traces} of $name {has|have} rows of the same name, which are left out"],
		["damaged_$name", traces(sub { $_[0]{damaged} }, @runs),
		"{trace|traces} of $name {was|were} read with damage"];
}

sub in_words
{
	my (undef, $n, $text) = @_;

	return "$n " . $text =~ s/\{(.*?)\|(.*?)\}/$n == 1 ? $1 : $2/ger;
}

# Rows that cannot be paired are reported first.
sub say_first
{
	my ($runs_a, $runs_b) = @_;

	for my $what (['clock', sub { $_[0]{trace}{clock} // 'unknown' }],
		['number of CPUs', sub { $_[0]{trace}{cpus} // 'unknown' }],
		['kernel', sub { $_[0]{trace}{uname} // 'unknown' }]) {
		my ($name, $code) = @$what;
		my @values = map { my %v = map { $code->($_) => 1 } @$_; join ', ', sort keys %v } $runs_a, $runs_b;

		$report->remark($name =~ s/.* //r, "A and B differ in their $name: $values[0] and $values[1]")
			if $values[0] ne $values[1];
	}
	my @seconds = map { Zed::Contrast::median(map { (($_->{end} // 0) - ($_->{start}
		// 0)) / 1e9 } @$_) } $runs_a, $runs_b;

	$report->remark('window', sprintf 'the windows differ: %s and %s', map { Zed::duration($_ * 1e9) } @seconds)
		if $seconds[0] && $seconds[1] && ($seconds[0] / $seconds[1] > 1.5 || $seconds[1] / $seconds[0] > 1.5);
	for (['A', $runs_a], ['B', $runs_b]) {
		my ($name, $runs) = @$_;

		$report->note(@$_) for limitations($name, @$runs);
	}
}

# Certain differences come first, then rows without one, then those that vary too much, and those with too few cases.
sub rank
{
	my ($result) = @_;

	return defined $result->{few} ? 0 : $result->{sure} ? 3 : Zed::Contrast::words($result) =~ /^cannot tell/ ? 1
		: 2;
}

sub differences
{
	my ($analysis, $runs_a, $runs_b) = @_;
	my $single = @$runs_a == 1 && @$runs_b == 1;
	my $samples = $single && %{$runs_a->[0]{samples}} && %{$runs_b->[0]{samples}};

	$_->{measures} = measures($_) for @$runs_a, @$runs_b;
	my @results = $samples ? compare_samples($runs_a->[0], $runs_b->[0]) : compare_runs($runs_a, $runs_b);

	Zed::Contrast::holm(@results);
	$report->table('differences', columns => [['key', 'what', 'text'], ['name', 'number', 'text'],
		['a', 'A', 'varied'], ['b', 'B', 'varied'],
		['words', 'B is', 'text'], ['effect', 'B greater', 'number'], ['size', 'effect', 'text']],
		rows => [map { +{ %$_, name => $NAMES{$_->{name}} // $_->{name}, words => Zed::Contrast::words($_),
			size => defined $_->{effect} ? Zed::Contrast::size_of($_->{effect}) : undef } }
			sort { rank($b) <=> rank($a)
				|| ($a->{sure} ? abs $b->{by} <=> abs $a->{by} : $b->{cases} <=> $a->{cases})
				|| $a->{key} cmp $b->{key} || $a->{name} cmp $b->{name} } @results]);
	one_side($runs_a, $runs_b);
	say_first($runs_a, $runs_b);
	say_sides();
	for (['A', $runs_a], ['B', $runs_b]) {
		my ($side, $runs) = @$_;

		$report->warning("empty_$side", undef, "$side has no rows: it has none of what was asked for")
			if !grep { %{$_->{measures}{rows}} } @$runs;
	}
	$report->note('left_out', $left_out,
		"{row|rows} with fewer cases than the $MOST that are compared {is|are} left out");
	$report->note('sure', scalar(grep { $_->{sure} } @results), 'of ' . grep({ defined $_->{chance} } @results)
		. " numbers {differs|differ} significantly (Holm's method, 5 % for all together)");
	if ($samples) {
		say_how_samples();
	} elsif ($single) {
		$report->remark('one',
			"one run per side, and $analysis has no samples: comparing takes 5 or more per side")
			if !grep { %{$_->[0]{samples}} } $runs_a, $runs_b;
	} else {
		my $least = Zed::Contrast::smallest_p_value(scalar @$runs_a, scalar @$runs_b);

		$report->remark('few', sprintf 'too few runs to decide: by chance alone, one in %.0f pairs of ' .
			'such groups differs as much as is possible', 1 / $least)
			if $least > 0.05;
		$report->remark('runs', sprintf 'A: %d runs, B: %d; each run counts as one number', scalar @$runs_a,
			scalar @$runs_b);
	}
	return;
}

sub say_sides
{
	$report->warning('sides', undef, join '; ', map { (qw(A B))[$_] . ': ' . join ' ', @{$parts[$_]} } 0, 1)
		if have_two();
}

sub say_how_samples
{
	$report->remark('one', 'one run per side: the intervals leave out how much runs vary; 5 or ' .
		'more per side show it');
	$report->remark('seed', 'blocks of a fiftieth of the window are drawn 1000 times, with the seed '
		. $report->option('seed'));
}

# Rows that only one side has.
sub one_side
{
	my ($runs_a, $runs_b) = @_;
	my @keys = map { my $side = $_; +{ map { $_ => 1 } map { keys %{$_->{measures}{rows}} } @$side } } $runs_a,
		$runs_b;
	my @rows = ((map { +{ side => 'A', key => $_ } } grep { !$keys[1]{$_} } sort keys %{$keys[0]}),
		(map { +{ side => 'B', key => $_ } } grep { !$keys[0]{$_} } sort keys %{$keys[1]}));

	$report->table('one_side', title => 'on one side only',
		columns => [['side', 'side', 'text'], ['key', 'what', 'text']], rows => \@rows) if @rows;
}

# ---- limits ----

# Each section's limits, all of them judged at once.
sub judge
{
	my (@pairs) = @_;
	my $gate = Zed::Gate->new(level => $report->option('level') / 100, seed => $report->option('seed'));

	for (@pairs) {
		my ($of, $runs_a, $runs_b) = @$_;
		eval { $gate->add($of, $runs_a, $runs_b); 1 } or refuse($@);
	}
	my @checks = eval { $gate->judge };

	refuse($@) if $@;
	$status = Zed::Gate::status(@checks);
	say_verdicts(@checks);
	checks_table(@checks);
	my ($all_a, $all_b) = map { my $side = $_; [map { @{$_->[$side]} } @pairs] } 1, 2;
	say_first($all_a, $all_b);
	say_sides();
	say_how_samples() if grep { $_->{of_samples} } @checks;
	$report->note('left_out', $gate->left_out, '{row|rows} with fewer cases {is|are} not checked');
	$report->remark('level', sprintf 'false alarms: of such comparisons at most %g %% call a limit exceeded that ' .
		'is kept%s', $report->option('level'), @checks > 1 ? ', all ' . @checks . ' limits together' : '');
	draw(@checks);
	my @less = grep { $_->[1] } limitations('A', @$all_a), limitations('B', @$all_b);

	write_verdicts([map { in_words(@$_) } @less], @checks);
}

sub say_verdicts
{
	my (@checks) = @_;

	for my $check (@checks) {
		$report->warning($check->{verdict} =~ tr/ /_/r, undef, "$check->{verdict}: $check->{sentence}")
			if $check->{verdict} ne $Zed::Gate::WITHIN;
	}
	my %said;
	$report->remark('next', $_) for grep { !$said{$_}++ } map { next_of($_) } @checks;
}

# The commands that show more of a check that is beyond its limit.
sub next_of
{
	my ($check) = @_;
	my @closer = $check->{verdict} eq $Zed::Gate::BEYOND ? Zed::Gate::closer($check) : ();

	return @closer ? join ' ', 'zedprint', map { Zed::Gate::Written::word($_) } @closer : ();
}

# As JSON a row has also the numbers that the texts are made of.
my @MORE = (['by', 'change', 'number'], ['low', 'from', 'number'], ['high', 'to', 'number'],
	['allowed', 'allowed', 'number'], ['in_parts', 'of A', 'int'], ['n_a', 'runs of A', 'int'],
	['n_b', 'runs of B', 'int'], ['sentence', 'in words', 'text']);
my @OF_CHECK = qw(verdict analysis key number type a b by low high allowed n_a n_b sentence runs);

# A row for each.
sub checks_table
{
	my (@checks) = @_;
	my @more = $report->option('json') ? @MORE : ();

	$report->table('checks', whole => 1, columns => [['verdict', 'is', 'text', 3],
		@sections > 1 || @more ? ['analysis', 'analysis', 'text', 2] : (), ['key', 'what', 'text', 2],
		['number', 'number', 'text', 2], ['a', 'A', 'varied', 1], ['b', 'B', 'varied', 1],
		['change', 'change', 'text', 2], ['surely', 'surely', 'text', 2], ['limit', 'limit', 'text', 3],
		['finds', 'finds', 'text'], ['runs', 'runs', 'int'], @more],
		rows => [map { my $check = $_; +{
			(map { ($_ => $check->{$_}) } @OF_CHECK),
			in_parts => $check->{in_parts} ? 1 : 0, limit => $check->{limit}{change},
			surely => Zed::Gate::surely($check), change => Zed::Gate::change_text($check, $check->{by}),
			finds => Zed::Gate::finds_text($check),
		} } @checks]);
	$report->remark('finds', 'finds: a change as great as this would be found to be beyond the limit 4 times in 5')
		if grep { defined $_->{finds} } @checks;
	$report->remark('change', 'change: the median of all pairs of a run of A and one of B; the medians of both ' .
		'sides may differ by another amount') if grep { defined $_->{by} && !$_->{of_samples} } @checks;
	$report->remark('runs', 'runs: about so many a side would decide') if grep { defined $_->{runs} } @checks;
}

sub draw
{
	my (@checks) = @_;

	return if !$report->draws;
	$report->picture(Zed::Gate::whiskers(@checks));
	Zed::Gate::each_distribution(sub {
		my ($name, $title, @values) = @_;
		my $spread = Zed::Spread->new;

		$spread->add($_) for @values;
		$report->spread($name, $title, $spread);
	}, @checks);
}

# Into files, with NOTES below.
sub write_verdicts
{
	my ($notes, @checks) = @_;
	my @cases = map { +{ group => $_->{analysis}, name => Zed::Gate::name_of($_) =~ s/\A\Q$_->{analysis}\E //r,
		limit => $_->{limit}{change}, verdict => $_->{verdict}, sentence => $_->{sentence},
			next => [next_of($_)] } } @checks;
	my %files = map { ($_ => $report->option($_)) } qw(junit markdown);

	$files{notes} = $notes;
	eval { Zed::Gate::Written::files(\%files, 'zedperl compare: ' . verdict_of($status), @cases); 1 } or refuse($@);
}

sub verdict_of { my ($is) = @_; return { 0 => 'within the limits', 3 => 'beyond a limit', 4 => 'cannot tell' }->{$is} }

# ---- the answer ----

sub answer
{
	my $baseline = defined $report->option('baseline') && !writes_baseline()
		? [eval { Zed::Gate::Baseline::read($report->option('baseline')) }] : undef;

	refuse($@ || $report->option('baseline') . ' has no runs') if $baseline && !@$baseline;
	my @pairs = map { [$_, runs_of($_, $baseline)] } @sections;

	write_baseline(@pairs) if writes_baseline();
	return if writes_baseline() && !@{$sides[1]};
	if ($has_limits) {
		judge(@pairs);
	} else {
		differences($pairs[0][0]{analysis}, @{$pairs[0]}[1, 2]);
	}
	return;
}

sub write_baseline
{
	my (@pairs) = @_;
	my $file = $report->option('baseline');

	eval { Zed::Gate::Baseline::write($file, map { [of_side($_->[0], 0), $_->[1]] } @pairs); 1 } or refuse($@);
	$report->remark('baseline', "$file has " . join ', ',
		map { scalar(@{$_->[1]}) . (@{$_->[1]} == 1 ? ' run' : ' runs')
		. " of $_->[0]{analysis}" } @pairs);
	$report->remark('few_runs', 'a baseline of one run does not show how much runs vary: 5 or more do')
		if @{$sides[0]} == 1;
}

# It has no trace of its own.
$report->end;
exit $status;

__END__

=head1 NAME

compare.pl - two traces, or groups of traces, by one analysis: what differs, and how certainly

=head1 SYNOPSIS

B<zedperl compare> I<ANALYSIS> I<A.dat> I<B.dat> [B<--with> I<OPTIONS>] [B<--seed> I<N>] [B<--json> |
B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

B<zedperl compare> I<ANALYSIS> I<A.dat>... B<--> I<B.dat>...

B<zedperl compare> I<ANALYSIS> B<--limit> I<LIMIT>... I<A.dat>... B<--> I<B.dat>...

B<zedperl compare> B<--limits> I<FILE> [B<--baseline> I<FILE>] [B<--junit> I<FILE>] [B<--markdown> I<FILE>]
[I<A.dat>...] [B<--> I<B.dat>...]

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

=head2 Limits

With B<--limit> or B<--limits> the question is whether numbers changed by more than is allowed, and the exit status is
the answer: it is made for scripts and for CI (see F<docs/ci.md>, C<zedperl help ci>).

    zedperl compare wakeup-latency --limit 'p99: +10%' --limit 'sh p50: +50us' good*.dat -- new*.dat

A limit is C<[ROW] NUMBER: CHANGE> (with a number alone, B<--limit> is the number of rows that are shown). The number is
a column of the analysis's first table, by its key in B<--json>; of an analysis with samples also C<avg>, C<max> and any
percentile (C<p95>); counts are rates, a second. Without a row it is that of all cases together. A row is named as the
table shows it (C<sh>, C<CPU 3>); with C<*> and C<?> it is each row that fits, of more than 100 those with the most
cases. The change is C<+10%> (at most so much more), C<-10%> (at most so much less) or C<+-10%> (neither); instead of a
part it may be an amount: C<+50us>, C<+2ms>, C<-1MiB>, C<+5> (a number that has no unit).

Of another table than the first the analysis is named with it: C<sched-summary.tasks>.

A limit is judged by the interval in which the change surely lies. It is B<beyond> the limit if all of the interval is,
B<within> if all of the interval is within, and else these runs B<cannot tell>: a message says how many runs would. So
a noisy machine does not fail a change, and does not pass one either. With several limits each has to be exceeded more
clearly, so that all of them together raise a false alarm at most as often as B<--level> says; where that is why one
cannot be told, its message says that it would be beyond alone.

The change of several runs is the median of all pairs of a run of A and one of B, about which its bounds are known; the
medians of the two sides, which are shown beside it, may differ by another amount. Each bound is wrong at most as often
as B<--level> says: C<at most> and C<at least> are 95 % sure by default, an interval between two bounds 90 %.

A file of limits has several analyses, each with its options:

=for file limits.txt

    # what a change may cost
    [wakeup-latency]
    p99: +10%
    sh p50: +50us

    [off-cpu --by pid]
    * max: +1s

=head2 Baselines

B<--baseline> I<FILE> keeps the numbers of runs, so that the traces need not be kept. Traces before C<--> are written to
it, those after C<--> are compared with it:

    zedperl compare wakeup-latency --baseline good.base good*.dat
    zedperl compare wakeup-latency --baseline good.base --limit 'p99: +10%' -- new*.dat

A baseline is written once: to write another one, remove the file. It has all numbers of the analyses' first tables, of
one trace also the samples, and only the names of the traces' files.

=head1 OPTIONS

=over

=item --a FILE|PATTERN, --b FILE|PATTERN

The traces of each side, as often as needed: the same as with B<vs>.

=item --limits FILE

A file of limits (see L</Limits>); the analyses are those of the file.

=item --baseline FILE

Writes the runs before C<--> to I<FILE>, or compares those after it with I<FILE>; see L</Baselines>.

=item --level PERCENT

How often at most a limit may be said to be exceeded, or to be kept, when it is not (default 5).

=item --junit FILE, --markdown FILE

Also writes the verdicts as JUnit XML, where a limit that is exceeded is a failure and one that cannot be told an error,
and as Markdown. Both say, too, what makes the traces less than the whole: losses, damage. C<->: standard output.

=item --with OPTIONS

Options for the analysis: C<--with '--by cpu'>.

=item --start TIME, --end TIME, --around TIME, --cpu LIST, --pid PIDS, --comm LIST

Which part of the traces is compared, as with B<zedperl>: each side's numbers are the answer of its part
(Zed::Asked(3)). Once for both sides; twice for A and for B: two windows of one trace, which is then named once.

=item --seed N

The seed of the random drawing (default 1).

=back

B<--json>, B<--csv>, B<--limit>, B<--html> and other options of all analyses: C<zedperl help Zed::Options>.
Tables for B<--csv>: C<differences>, C<one_side>; C<checks> with limits.

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

With limits, a line for each that is exceeded or cannot be told: what was measured, by how much it changed, how sure
that is, the limit, and what to do next; if times became longer, the command that shows the longest. Then a row for each
limit: the verdict; the values (medians of several runs) and the change; how far it surely goes (C<at least>, C<at
most>, or an interval); the limit; C<finds>, the change that such runs would be found to exceed the limit with, four
times in five; C<runs>, about how many a side would decide. The page of B<--html> has the changes with their intervals
and limits, and the distributions on both sides.

=head1 EXIT STATUS

With limits: 0, all are kept; 3, one is exceeded; 4, none is known to be exceeded, and one cannot be told, or nothing
was measured. Without: 0. In both cases 2 for a mistake in the options or in a file, if a trace cannot be opened or
analysed, or if the times of the traces cannot be compared.

=head1 EXAMPLES

    zedperl compare wakeup-latency before.dat after.dat
    zedperl compare waits trace.dat --start 7.0 --end 7.2 --start 7.2 --end 7.4
    zedperl compare wakeup-latency --limit 'p99: +10%' good*.dat -- new*.dat && echo 'not slower'
    zedperl compare --limits limits.txt --junit out.xml --html out.html good*.dat -- new*.dat
    zedperl compare irq old*.dat vs new*.dat --json | jq '.tables.differences.rows[] | select(.sure)'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), Zed::Contrast(3pm), Zed::Gate(3pm), assert.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
