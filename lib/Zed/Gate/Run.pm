# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run: the answer of an analysis for one trace, as compare and assert take it: the rows of its main table by their
# names,
# the samples of each row, and where the longest cases are.
package Zed::Gate::Run;
use strict;
use warnings;

use File::Temp ();
use Scalar::Util qw(looks_like_number);
use Zed::Contrast;
use Zed::Page;
use Zed::Units;

our $VERSION = '0.1';
our $ALL = 'ALL';	# the row of all together

my $PROGRAM = '/proc/self/exe';

# What is kept of samples that are not.
my @OF_SAMPLES = qw(n avg p50 p90 p95 p99 p99.9 max);

my %COUNTS = map { $_ => 1 } qw(n count events);
# Numbers that tell which row it is.
my %KEYS = map { $_ => 1 } qw(pid only_pid tid who cpu irq vec prio nr state);

# An analysis as it is named: its script, and perhaps one of its tables; undef: the first.
sub named {
	my ($name) = @_;
	return $name =~ /\A(.+)\.([a-z]\w*)\z/ && $2 ne 'pl' ? ($1, $2) : ($name, undef);
}

# OF: analysis; with, its options; parts, options that choose a part of the trace. WHO asks. Ends the program with 2 if
# the trace or the analysis cannot be used: it was said why.
sub of_trace {
	my ($of, $path, $who) = @_;
	my ($script, $name) = named($of->{analysis});
	my $file = File::Temp->new;
	my $pid = open my $out, '-|';
	die "$who: $!\n" if !defined $pid;
	if (!$pid) {
		exec {$PROGRAM} 'zedperl', @{$of->{parts}}, '-i', $path, $script, '--json',
			'--samples', "$file", @{$of->{with}} or exit 127;
	}
	my $text = do { local $/ = undef; <$out> };
	close $out;
	my $status = $? >> 8;
	# Read like states, which are printable ASCII: there may be very many rows.
	$text =~ s/([^\n -~])/sprintf '\\u%04x', ord $1/ge;
	my $data = $status < 2 ? eval { Zed::Fleet::_parse($text) } : undef;
	exit 2 if $status == 2;
	_refuse("$who: $of->{analysis} of $path ended with status $status: 'zedperl $path $script' shows why")
		if $status > 1;
	_refuse("$who: $of->{analysis} gives no --json that could be compared") if ref $data ne 'HASH'
		|| !$data->{tables};
	_must_have_table($data, $name, "$who: $script of $path") if defined $name;
	my $is_main = !defined $name || $name eq $data->{main};
	my $table = _table($data, $name // $data->{main} // '');
	my $samples = $is_main ? _samples("$file", $table->{head}) : {};
	return { path => $path, (map { ($_ => $data->{$_}) } qw(start end trace lost)),
		every => delete $table->{every}, table => $table,
		samples => $samples, damaged => $status, worst => [_worst($data)] };
}

sub _must_have_table {
	my ($data, $name, $what) = @_;
	return if $data->{tables}{$name};
	return _refuse("$what has no table '$name': it has " . join ', ', sort keys %{$data->{tables}});
}

sub _refuse {
	my ($text) = @_;
	print {*STDERR} "$text\n";
	exit 2;
}

# {NAME of the row}: [TS, VALUE]
sub _samples {
	my ($path, $head) = @_;
	my (%samples, %name);
	# It was replaced when it was complete.
	open my $file, '<', $path or die "$path: $!\n";
	while (my $line = <$file>) {
		chomp $line;
		my ($key, $ts, $value) = split /\t/, $line;
		push @{$samples{$name{$key} //= $head . _as_in_json($key)}}, [$ts, $value] if defined $value;
	}
	return \%samples;
}

# JSON is UTF-8, whatever the name of a task is.
sub _as_in_json {
	my ($bytes) = @_;
	return $bytes if $bytes !~ /[^\x00-\x7f]/;
	my $letters = Zed::Page::letters($bytes);
	utf8::encode($letters);
	return $letters;
}

# The table NAME of DATA: its rows by their names, without those of one name; how many of these names there are; every
# row with its name.
sub _table {
	my ($data, $name) = @_;
	my $table = $data->{tables}{$name} // return { columns => [], rows => {}, head => '', same => 0, every => [] };
	my @columns = @{$table->{columns}};
	# The name consists of the columns to the left of the numbers.
	my ($numbers) = grep { $columns[$_]{type} ne 'text' && !$KEYS{$columns[$_]{key}} } 0 .. $#columns;
	# In another run the only task of a name has another pid.
	my @keys = grep { $_->{key} ne 'only_pid' } @columns[0 .. ($numbers // @columns) - 1];
	@keys = grep { $_->{type} eq 'text' && $_->{key} ne 'bar' } @columns if !@keys;
	# A bucket of a distribution begins there in any trace.
	@keys = grep { defined } $columns[0] if !@keys;
	# A number alone does not identify a row.
	my $head = @keys == 1 && $keys[0]{type} ne 'text' ? "$keys[0]{head} " : '';
	my @every = map { my $row = $_; [$head . join(' ', map { _word($_, $row->{$_->{key}}) } @keys), $row] }
		@{$table->{rows}};
	my %n;
	$n{$_->[0]}++ for @every;
	# It is unknown which of those of one name is which in another trace.
	my %rows = map { @$_ } grep { $n{$_->[0]} == 1 } @every;
	$rows{$ALL} = $table->{all} if $table->{all};
	return { columns => \@columns, rows => \%rows, head => $head, same => scalar(grep { $n{$_} > 1 } keys %n),
		every => \@every };
}

# A word of a row's name.
sub _word {
	my ($column, $value) = @_;
	return '-' if !defined $value;
	return $column->{type} eq 'text' || $KEYS{$column->{key}} ? $value
		: Zed::Units::alone($column->{type}, $value);
}

# The rows that tell where they are in the trace.
sub _worst {
	my ($data) = @_;
	return map { grep { $_->{evidence} } @{$data->{tables}{$_}{rows}} } grep { $_ ne ($data->{main} // '') }
		sort keys %{$data->{tables}};
}

sub is_in_ticks { my ($run) = @_; return ($run->{trace}{times} // '') eq 'ticks' }

# The seconds that it covers; 0: not known.
sub seconds {
	my ($run) = @_;
	return defined $run->{start} && !is_in_ticks($run) ? ($run->{end} - $run->{start}) / 1e9 : 0;
}

# The sum of what was lost, as far as it is known, at known times or not, and of gaps of unknown size.
sub losses {
	my ($run) = @_;
	my $sum = 0;
	$sum += $_ // 0 for @{$run->{lost}}{qw(events unknown timeless)};
	return $sum;
}

# Why there may be more than the numbers of the run have, in words; undef: all of it is there.
sub missing {
	my ($run) = @_;
	my $lost = losses($run);
	my @why = (($lost ? "events were lost ($lost at least)" : ()),
		($run->{damaged} ? 'the trace is cut off or damaged' : ()));
	return @why ? join ', and ', @why : undef;
}

# ---- its numbers ----

# The samples of a row; of ALL those of all rows.
sub samples {
	my ($run, $key) = @_;
	my $samples = $run->{samples};
	if ($key eq $ALL && !$samples->{$ALL}) {
		my @all = map { @{$samples->{$_}} } sort keys %$samples;
		$samples->{$ALL} = \@all if @all;
	}
	return @{$samples->{$key} // []};
}

# [NAME, ROW] of each row; several may have the same name.
sub every { my ($run) = @_; return @{$run->{every}} }

sub names {
	my ($run) = @_;
	my %names = map { $_ => 1 } map { keys %$_ } $run->{table}{rows}, $run->{samples}, $run->{numbers} // {};
	delete $names{$ALL};
	my @names = sort keys %names;
	return @names;
}

sub _column {
	my ($run, $number) = @_;
	return (grep { $_->{key} eq $number && $_->{type} ne 'text' } @{$run->{table}{columns}})[0];
}

# Which numbers a limit may be about.
sub numbers {
	my ($run) = @_;
	my %there = map { $_->{key} => 1 } grep { $_->{type} ne 'text' && $_->{type} !~ /\A(?:time|tick)\z/
		&& !$KEYS{$_->{key}} }
		@{$run->{table}{columns}};
	my @of_samples = %{$run->{samples}} ? @OF_SAMPLES : map { keys %$_ } values %{$run->{numbers} // {}};
	@there{@of_samples} = (1) x @of_samples;
	$there{rate} = 1 if seconds($run) && grep { $COUNTS{$_} } keys %there;
	my @numbers = sort keys %there;
	return @numbers;
}

sub has_number {
	my ($run, $number) = @_;
	return 1 if grep { $_ eq $number } numbers($run);
	return $number =~ /\Ap\d{1,2}(?:\.\d+)?\z/ && scalar %{$run->{samples}};
}

# The type of its values, as Zed::Units has types. Counts are compared as rates.
sub type_of {
	my ($run, $number, $as_it_is) = @_;
	return 'number' if $number eq 'rate' || $COUNTS{$number} && !$as_it_is;
	my $column = _column($run, $number);
	return $column ? $column->{type} : is_in_ticks($run) ? 'ticks' : 'us';
}

# The number of a row; undef: it has none. Counts are a second, unless they are wanted AS_IT_IS.
sub value {
	my ($run, $key, $number, $as_it_is) = @_;
	my $row = $run->{table}{rows}{$key};
	if ($number eq 'rate' || $COUNTS{$number}) {
		# A table may have several counts.
		my $n = ($COUNTS{$number} ? own($row, $number) : undef) // count($run, $key);
		return $n if !defined $n || $as_it_is && $number ne 'rate';
		my $seconds = seconds($run);
		return $seconds ? $n / $seconds : undef;
	}
	my $own = own($row, $number);
	return $own if defined $own;
	my @values = sort { $a <=> $b } map { $_->[1] } samples($run, $key);
	return _kept($run, $key, $number) if !@values;
	return $values[-1] if $number eq 'max';
	return Zed::Contrast::percentile($1, @values) if $number =~ /\Ap(\d{1,2}(?:\.\d+)?)\z/;
	return if $number ne 'avg';
	my $sum = 0;
	$sum += $_ for @values;
	return $sum / @values;
}

# The number that stands in ROW itself; undef: none does.
sub own {
	my ($row, $number) = @_;
	return $row && looks_like_number($row->{$number}) ? $row->{$number} : undef;
}

# How many cases a row is about; undef: not known.
sub count {
	my ($run, $key) = @_;
	my $row = $run->{table}{rows}{$key};
	for (grep { $row && looks_like_number($row->{$_}) } sort keys %COUNTS) {
		return $row->{$_};
	}
	my $n = samples($run, $key);
	return $n || _kept($run, $key, 'n');
}

# The percentiles of a row that are kept without its samples; an empty list: these are there, or it has none.
sub kept_percentiles {
	my ($run, $key) = @_;
	return if !_kept($run, $key, 'n') || samples($run, $key);
	return grep { /\Ap\d/ } @OF_SAMPLES;
}

sub _kept {
	my ($run, $key, $number) = @_;
	my $kept = ($run->{numbers} // {})->{$key} // return;
	return looks_like_number($kept->{$number} // '') ? $kept->{$number} : undef;
}

# {NAME of the row}: the numbers of its samples, for a run whose samples are not kept.
sub numbers_of_samples {
	my ($run) = @_;
	return { map { my $key = $_; samples($run, $key) ? ($key => { map { ($_ => value($run, $key, $_,
		1)) } @OF_SAMPLES }) : () }
		$ALL, names($run) };
}

# The arguments that show the longest case of a row, which NUMBER is about; of all, the longest of all. An empty list:
# there are none, or NUMBER is not about how long a case is.
sub closer {
	my ($run, $key, $number) = @_;
	return if $number !~ /\A(?:max|avg|p\d.*)\z/;
	my ($row) = grep { my $of = $_; $key eq $ALL || grep { defined && !ref
		&& $_ eq $key } values %$of } @{$run->{worst}};
	return $row ? @{$row->{evidence}{arguments}} : ();
}

1;
