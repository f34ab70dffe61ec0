# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Windows: an analysis of a part of a trace against its answer for the whole: windows of random lengths, with
# borders between events, have to add up; a CPU or a task has the same rows as in the whole; a --cut of a window gives
# the same answer as the window, except for states from before the cut; an interval of --every is the window with its
# time.  Seeded; SEED=N chooses other windows.
#
#	my %irq = (of => 't/data/demo.dat', analysis => 'irq', args => ['--by', 'cpu'], table => 'irqs', key => [qw(irq name cpu)],
#		cut => ['total', 'own'], ends => ['n'], largest => ['max']);
#	windows_add_up(\%irq);
#	choice_has_its_rows(\%irq, '--cpu', 'cpu');
#	choices_add_up(\%irq, '--pid', 'pid');		# rows that do not name the task: groups of all tasks
#	cuts_agree(\%irq, unknown => ['begun']);
#
#	of		the recording, or a reference to an array of several
#	key		the columns that identify a row
#	cut		columns of times that are cut to the window
#	ends		columns that count spans that end in the window, in full
#	largest		columns whose maximum over all windows is that of the whole
#	most		how many of the CPUs, tasks or names are tried; default all
#	placeless	its losses without a place count in each window, and in the last interval: losses and notes are not compared
#	program		the script to run in place of the analysis of that name
package Compare::Windows;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use List::Util qw(max sum0);
use Test::More;
use Run::Process ();
use Run::Zedperl;

our @EXPORT = qw(windows_add_up choice_has_its_rows choices_add_up cuts_agree intervals_are_windows windows_differ choice_differs choices_differ cuts_differ intervals_differ);

my $WINDOWS = 7;
my $seed = $ENV{SEED} // 28;

sub inputs { my ($o) = @_; return map { ('-i', $_) } ref $o->{of} ? @{$o->{of}} : $o->{of} }

# The answer of the analysis with OPTIONS of zedperl: {rows}{key}, {data}; dies if it fails.
sub answer {
	my ($o, @options) = @_;
	my $r = zedperl({ bare => 1 }, @options, inputs($o), $o->{program} // $o->{analysis}, '--json', @{$o->{args} // []});
	my $data = eval { JSON::PP::decode_json($r->{out}) } or die "$o->{analysis} @options: exit $r->{status}: $r->{err}$@\n";
	my $rows = ($data->{tables}{$o->{table} // ''} // {})->{rows} // [];
	return { data => $data, rows => { map { my $row = $_; (join(' ', map { $row->{$_} // '-' } @{$o->{key}}) => $row) } @$rows } };
}

# Times between events, at which the trace is cut, in ns.
sub borders {
	my ($o, $n) = @_;
	my $r = zedperl({ bare => 1 }, inputs($o), \'Zed::on("*:*", args => ["ts"], sub { print "$_[0]\n" })');
	my @ts = lines($r->{out});
	my @gaps = grep { $ts[$_] - $ts[$_ - 1] > 2 } 1 .. $#ts;
	die "no times between events: $r->{err}\n" if @gaps < $n;
	srand $seed;
	my %at;
	while (keys %at < $n) {
		my $gap = $gaps[rand @gaps];
		my ($from, $to) = @ts[$gap - 1, $gap];
		$at{$from + 1 + int rand($to - $from - 1)} = 1;
	}
	return sort { $a <=> $b } keys %at;
}

sub seconds { return sprintf '%d.%09d', int $_[0] / 1_000_000_000, $_[0] % 1_000_000_000 }

sub pairs {
	my ($n, @borders) = @_;
	return map { my $i = $_; [$i ? ('--start', seconds($borders[$i - 1])) : (), $i < @borders ? ('--end', seconds($borders[$i])) : ()] } 0 .. $n - 1;
}

# Where the windows do not add up to the whole, as texts.
sub windows_differ {
	my ($o) = @_;
	my $n = $o->{windows} // $WINDOWS;
	my $whole = answer($o)->{rows};
	return sums_differ($o, $whole, map { answer($o, @$_)->{rows} } pairs($n, borders($o, $n - 1)));
}

sub sums_differ {
	my ($o, $whole, @all) = @_;
	my %keys = map { $_ => 1 } map { keys %$_ } $whole, @all;
	my @differ = keys %$whole ? () : "the table $o->{table} of the whole is empty";
	for my $key (sort keys %keys) {
		for my $column (@{$o->{cut} // []}, @{$o->{ends} // []}) {
			my ($is, @of) = map { ($_->{$key} // {})->{$column} // 0 } $whole, @all;
			push @differ, "$key: $column: @{[join ' + ', @of]} = @{[sum0 @of]}, the whole has $is" if sum0(@of) != $is;
		}
		for my $column (@{$o->{largest} // []}) {
			my ($is, @of) = map { ($_->{$key} // {})->{$column} // 0 } $whole, @all;
			push @differ, "$key: $column: none of @of is the $is of the whole" if max(@of) != $is;
		}
	}
	return @differ;
}

# A name in the form of --comm.
sub pattern { my ($name) = @_; return $name =~ s/([*?\[\\])/\\$1/gr =~ tr/,/?/r }

# Where OPTION (--cpu, --pid, --comm) N does not give the rows of the whole that have N in COLUMN, for each N.
sub choice_differs {
	my ($o, $option, $column) = @_;
	my $whole = answer($o)->{rows};
	my @columns = map { @{$o->{$_} // []} } qw(cut ends largest);
	my %of = map { $_->{$column} => 1 } grep { defined $_->{$column} } values %$whole;
	my @differ = keys %of ? () : "no row has a $column";
	srand $seed;
	my @some = sort { $of{$a} <=> $of{$b} } map { $of{$_} = rand; $_ } sort keys %of;
	splice @some, $o->{most} if $o->{most} && @some > $o->{most};
	for my $n (@some) {
		my $chosen = answer($o, $option, $option eq '--comm' ? pattern($n) : $n)->{rows};
		my %has = map { $_ => $whole->{$_} } grep { ($whole->{$_}{$column} // '') eq $n } keys %$whole;
		for my $key (sort keys %{{%has, %$chosen}}) {
			my ($x, $y) = map { my $row = $_->{$key} // {}; join ' ', map { "$_=" . ($row->{$_} // '-') } @columns } \%has, $chosen;
			push @differ, "$option $n: $key: $y, of all: $x" if $x ne $y;
		}
	}
	return @differ;
}

# Where the answers for groups of all CPUs or tasks, OPTION by the pseudo field FIELD, do not add up to the whole.
my $GROUPS = 3;

sub choices_differ {
	my ($o, $option, $field) = @_;
	my $r = zedperl({ bare => 1 }, inputs($o), \qq{Zed::on("*:*", args => ["common_$field"], sub { \$of{\$_[0]} = 1 }); sub trace_end { print "\$_\n" for keys %of }});
	my @of = sort { $a <=> $b } lines($r->{out}) or die "no $field: $r->{err}\n";
	my @groups = grep { @$_ } map { my $i = $_; [@of[grep { $_ % $GROUPS == $i } 0 .. $#of]] } 0 .. $GROUPS - 1;
	return 'one group is all' if @groups < 2;
	return sums_differ($o, answer($o)->{rows}, map { answer($o, $option, join ',', @$_)->{rows} } @groups);
}

# Where a window differs from its --cut: it may have no less, and the surplus are ends without a beginning in the cut,
# as many as the cut's notes UNKNOWN give.
sub cuts_differ {
	my ($o, %o) = @_;
	my @differ;
	my $n = $o->{windows} // $WINDOWS;
	for my $window (pairs($n, borders($o, $n - 1))) {
		my $file = temp_path('.dat');
		my $out = temp_path();
		my $pid = Run::Process::spawn({ stdin => '/dev/null', stdout => $out, stderr => $out }, zedperl_path() =~ s/zedperl\z/zedprint/r, '--cut', $file, @$window, ref $o->{of} ? @{$o->{of}} : $o->{of});
		my ($status) = Run::Process::reap($pid, 60);
		my ($asked, $cut) = (answer($o, @$window), !$status && -s $file ? answer({ %$o, of => $file }) : { rows => {}, data => {} });
		my %notes = map { $_->{key} => $_->{n} } @{$cut->{data}{notes} // []};
		my $unknown = sum0(map { $notes{$_} // 0 } @{$o{unknown} // []});
		my $more = 0;
		for my $key (sort keys %{{%{$asked->{rows}}, %{$cut->{rows}}}}) {
			for my $column (map { @{$o->{$_} // []} } qw(cut ends largest)) {
				my ($x, $y) = map { ($_->{rows}{$key} // {})->{$column} // 0 } $asked, $cut;
				push @differ, "@$window: $key: $column: $x, the cut has $y" if $x < $y || $x > $y && !$unknown && !grep({ $_ eq $column } @{$o->{cut} // []});
			}
			$more += $_->{$key} ? ($_ == $asked->{rows} ? 1 : -1) * ($_->{$key}{$o->{ends}[0]} // 0) : 0 for $asked->{rows}, $cut->{rows};
		}
		push @differ, "@$window: $more more than the cut, which leaves $unknown out" if $more > $unknown;
	}
	return @differ;
}

# The time of the events, in ns.
sub ends_of {
	my ($o) = @_;
	my $r = zedperl({ bare => 1 }, inputs($o), \'sub trace_end { print join " ", Zed::start(), Zed::end() }');
	return split / /, $r->{out};
}

# Where the answers of --every, so that there are about N, are not those of windows with these times; and the answers.
# No event may be at a border, as --end includes it.
sub intervals_differ {
	my ($o, $n) = @_;
	my ($from, $to) = ends_of($o);
	my $every = sprintf '%.3fms', (($to - $from) / ($n - 0.3) + 500) / 1e6;
	my $r = zedperl({ bare => 1 }, inputs($o), $o->{program} // $o->{analysis}, '--json', '--every', $every, @{$o->{args} // []});
	my @all = map { JSON::PP::decode_json($_) } grep { /\S/ } lines($r->{out});
	die "$o->{analysis} --every $every: exit $r->{status}: $r->{err}\n" if !@all;
	my @differ = @all > 1 ? () : 'there is only one interval';
	my $text = JSON::PP->new->canonical;
	for my $i (0 .. $#all) {
		my @window = ($i ? ('--start', seconds($all[$i]{start})) : (), $i < $#all ? ('--end', seconds($all[$i]{end})) : ());
		my $window = answer($o, @window)->{data};
		push @differ, "@window: begins at $all[$i]{start}, not at the end of the one before" if $i && $all[$i]{start} != $all[$i - 1]{end};
		for my $what (grep { !/^(?:trace|script|version|main)\z/ && !($o->{placeless} && /^(?:lost|notes)\z/) } sort keys %{{ %$window, %{$all[$i]} }}) {
			my ($x, $y) = map { $text->encode([$_->{$what}]) } $all[$i], $window;
			push @differ, "@window: $what: $x\n\tof the window: $y" if $x ne $y;
		}
	}
	return (\@differ, \@all);
}

# The columns of O that count ends, and those of cut times, have to add up, too.  True if they have rows.
sub intervals_are_windows {
	my ($o, $n) = @_;
	my ($differ, $all) = intervals_differ($o, $n // 4);
	my %sum;
	for my $answer (@$all) {
		for my $row (@{($answer->{tables}{$o->{table} // ''} // {})->{rows} // []}) {
			my $key = join ' ', map { $row->{$_} // '-' } @{$o->{key}};
			$sum{$key}{$_} += $row->{$_} // 0 for @{$o->{cut} // []}, @{$o->{ends} // []};
		}
	}
	my $whole = $o->{table} ? answer($o)->{rows} : {};
	for my $key (sort keys %{{ %sum, %$whole }}) {
		for my $column (@{$o->{cut} // []}, @{$o->{ends} // []}) {
			my ($is, $of) = map { ($_->{$key} // {})->{$column} // 0 } $whole, \%sum;
			push @$differ, "$key: $column: the intervals have $of, the whole $is" if $is != $of;
		}
	}
	my $rows = sum0(map { map { scalar @{$_->{rows}} } values %{$_->{tables}} } @$all);
	push @$differ, 'there is no row at all' if !$rows;
	return _passes("$o->{analysis}: " . @$all . " intervals are the windows with their times ($rows rows)", @$differ);
}

sub _passes { my ($name, @differ) = @_; local $Test::Builder::Level = $Test::Builder::Level + 2; return ok(!@differ, $name) || diag(join "\n", @differ > 8 ? (@differ[0 .. 7], '...') : @differ) }

sub windows_add_up { my ($o) = @_; return _passes("$o->{analysis}: windows add up to the whole (SEED=$seed)", windows_differ($o)) }
sub choice_has_its_rows { my ($o, @how) = @_; return _passes("$o->{analysis}: $how[0] has the rows that it has of all", choice_differs($o, @how)) }
sub choices_add_up { my ($o, @how) = @_; return _passes("$o->{analysis}: groups of all $how[1]s ($how[0]) add up to the whole", choices_differ($o, @how)) }
sub cuts_agree { my ($o, %how) = @_; return _passes("$o->{analysis}: a cut of a window agrees (SEED=$seed)", cuts_differ($o, %how)) }

1;
