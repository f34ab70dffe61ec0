# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::McpAnswers: each tool of `zedperl mcp` against the command line that its answer shows: the same rows, the same
# limits. The numbers come from --json, from the lines of zedprint, and from the printed table of an aggregation.
package Run::McpAnswers;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Test::More;
use Run::Mcp;
use Run::Program;
use Run::Views qw(differ printed);

our @EXPORT = qw(tools_equal);

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my %ALL = (rows => 1000, chars => 60_000);
my %OWN = map { $_ => 1 } qw(closer unit);	# columns that only an answer has

sub shown { my ($v) = @_; return !defined $v ? 'null' : ref $v ? $json->encode($v) : "$v" }

# A time of --json, in ns or ticks, as an answer has it.
sub time_text {
	my ($ns, $ticks) = @_;
	return !defined $ns ? undef : $ticks ? "$ns" : sprintf '%d.%09d', int($ns / 1_000_000_000), $ns % 1_000_000_000;
}

# The rows of a table of --json as lines, of the columns KEYS.
sub json_lines {
	my ($table, $ticks, @keys) = @_;
	my %is_time = map { $_->{key} => 1 } grep { $_->{type} =~ /^(?:time|tick)\z/ } @{$table->{columns}};
	return map { my $row = $_; join ' | ', map { shown($is_time{$_} ? time_text($row->{$_}, $ticks) : $row->{$_}) } @keys } @{$table->{rows}};
}

# What an answer has of the tables of its own command, with --json; '' if all of it is equal.
sub differs {
	my ($r, $leaves_out) = @_;
	return "no answer: $r->{error}" if !$r->{data};
	my (undef, @words) = shown_words($r->{data}{command});
	my $own = zed_run({ time => 120, memory => 0 }, 'zedperl', @words, '--json');
	my $data = eval { $json->decode($own->{out}) } // return "$r->{data}{command}: exit $own->{exit}: $own->{err}";
	# compare has a note of damage, and exit status 0.
	my $damaged = grep { $_->{key} =~ /^damaged_/ } @{$data->{notes}};
	my $status = $own->{exit} || ($damaged ? 1 : 0);
	return "status $r->{data}{status}, not $status" if $r->{data}{status} != $status;
	my @bad;
	for my $table (@{$r->{data}{tables}}) {
		my @columns = map { $_->{key} } @{$table->{columns}};
		my @at = grep { !$OWN{$columns[$_]} } 0 .. $#columns;
		my $theirs = $data->{tables}{$table->{name}} // do { push @bad, "$table->{name}: no such table"; next };
		my @want = json_lines($theirs, ($data->{trace}{times} // '') eq 'ticks', @columns[@at]);
		my @got = map { my $row = $_; join ' | ', map { shown($row->[$_]) } @at } @{$table->{rows}};
		my $more = @want - @got;
		next if $leaves_out && $leaves_out eq $table->{name};
		push @bad, "$table->{name}: left $table->{left}, not $more" if $table->{left} != $more;
		# A text is cut where a cell would be too long.
		push @bad, map { "$table->{name}: $_" } grep { length && !/\[CUT\]/ } differ(\@got, [@want[0 .. $#got]]);
	}
	push @bad, 'lost events are not among the limits' if $data->{lost}{events} && !grep { /^lost: / } @{$r->{data}{limits}};
	for my $note (grep { $_->{level} && length $_->{text} < 300 } @{$data->{notes}}) {
		push @bad, "no limit '$note->{text}'" if !grep { /\Q$note->{text}\E\z/ } @{$r->{data}{limits}};
	}
	return join "\n", @bad;
}

# The events of an answer against the lines of zedprint.
sub events_differ {
	my ($r, $first) = @_;
	return "no answer: $r->{error}" if !$r->{data};
	my (undef, @words) = shown_words($r->{data}{command});
	my @all = printed(@words);
	my @want = map { join ' | ', map { $_ // 'null' } @$_{qw(at cpu pid comm name)}, length($_->{text}) > 250 ? 'long' : $_->{text} }
		map { +{ %$_, at => $r->{ticks} ? "$_->{ts}" : time_text($_->{ts}) } } @all[$first .. $#all];
	my @got = map { my @cells = map { $_ // 'null' } @$_; $cells[5] = 'long' if length $cells[5] > 250; join ' | ', @cells } @{$r->{data}{tables}[0]{rows}};
	return differ(\@got, \@want);
}

# Each row of an aggregation is a line of the printed table.
sub aggregate_differs {
	my ($r) = @_;
	return "no answer: $r->{error}" if !$r->{data};
	my (undef, @words) = shown_words($r->{data}{command});
	my $own = zed_run({ time => 120, memory => 0 }, 'zedperl', @words);
	my @bad = grep { $own->{out} !~ /^ *$_\n/m } map { my ($key, @n) = map { defined $_ ? quotemeta : '-' } @$_; my $n = pop @n; join ' +', $key, reverse($n), @n }
		@{$r->{data}{tables}[0]{rows}};
	return @bad ? "not in\n$own->{out}: $bad[0]" : '';
}

# All tools over PATH, a recording of the KIND, with the ANALYSIS: a check each.
sub tools_equal {
	my ($kind, $path, $analysis) = @_;
	my $m = mcp($path);
	my $name = trace_name($path);
	my @calls = (['summary', { %ALL }], ['answer', { %ALL, analysis => $analysis }], ['why_late', { %ALL, worst => 3 }], ['explain_losses', { %ALL }],
		['events', { %ALL, first => 3, rows => 60 }], ['compare', { %ALL, analysis => $analysis, a => [$name], b => [$name] }]);
	my @ids = map { tool_start($m, @$_) } @calls;
	for my $call (@calls) {
		my $r = tool_result($m, shift @ids);
		my $what = "$kind $path: $call->[0]" . ($call->[1]{analysis} ? " $call->[1]{analysis}" : '');
		cmp_ok($r->{bytes}, '<=', 60_000, "$what: within its budget");
		# Without numbers of its own ns it may refuse a clock of ticks, as the command line does.
		if (!$r->{data}) {
			ok(length $r->{error}, "$what: or a reason, '" . substr($r->{error}, 0, 60) . "'");
			next;
		}
		is($call->[0] eq 'events' ? events_differ({ %$r, ticks => scalar is_in_ticks($r) }, 3) : differs($r, $call->[0] eq 'summary' ? 'scripts' : undef), '',
			"$what: the numbers of its command (else: an agent quotes others)");
	}
	for my $found (@{tool($m, 'summary', { %ALL })->{data}{findings} // []}) {
		my $closer = $found->{closer} // next;
		my $r = tool($m, $closer->{tool}, $closer->{arguments});
		cmp_ok(scalar map({ @{$_->{rows}} } @{$r->{data}{tables} // []}), '>', 0, "$kind $path: what sticks out is shown closer by $closer->{tool}") or diag explain $found, $r->{error}, $r->{data}{limits};
	}
	my ($event) = map { $_->[0] } grep { $_->[0] ne 'ALL' } @{tool($m, 'summary', { %ALL, table => 'events' })->{data}{tables}[0]{rows}};
	is(aggregate_differs(tool($m, 'aggregate', { %ALL, kind => 'count', event => $event, by => ['cpu'] })), '', "$kind $path: aggregate") if defined $event;
	is(mcp_end($m), 0, "$path: the end");
	return;
}

sub is_in_ticks { my ($r) = @_; return ($r->{data}{tables}[0]{columns}[0]{unit} // '') =~ /tick/ }

1;
