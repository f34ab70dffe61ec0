# SPDX-License-Identifier: GPL-2.0-or-later
#
# The arguments in `closer` lead to events: the first of each table is followed. Without it an agent that goes closer to
# a wait asks for the events of a task that does not run, and concludes that nothing happened.
#
# of: programs/zedperl/mcp/answer_tables.c lib/Zed/Page.pm lib/Zed/Table.pm lib/Zed/Waits.pm scripts/why-late.pl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Mcp;

my @ANALYSES = qw(waits wakeup-latency why-late syscalls softirq);
my %WAITS = map { $_ => 1 } @ANALYSES[0 .. 2];
my %followed;

# The first row with a `closer` of each table of DATA: [table, its cells by key].
sub firsts {
	my ($data) = @_;
	my @found;
	for my $table (@{$data->{tables} // []}) {
		my @keys = map { $_->{key} } @{$table->{columns}};
		my @rows = grep { $_->{closer} } map { my %row; @row{@keys} = @$_; \%row } @{$table->{rows}};
		push @found, [$table->{name}, $rows[0]] if @rows;
	}
	return @found;
}

# In the events that ROW leads to, does the task that it is of run in the end?
sub runs_then {
	my ($row, $events) = @_;
	return scalar grep { $_->[4] eq 'sched:sched_switch' && $_->[5] == $row->{pid} } @$events;
}

for my $path ('docs/shell.dat', 't/data/lost.dat', 't/data/perf/sched.data') {
	my $m = mcp($path);
	my @ids = map { tool_start($m, 'answer', { analysis => $_ }) } @ANALYSES;
	for my $analysis (@ANALYSES) {
		for my $first (firsts(tool_result($m, shift @ids)->{data})) {
			my ($table, $row) = @$first;
			my $r = tool($m, 'events', { %{$row->{closer}}, fields => ['next_pid'], rows => 1000, chars => 60_000 });
			my @events = @{$r->{data}{tables}[0]{rows} // []};
			my $what = "$path: $analysis, $table";
			cmp_ok(scalar @events, '>', 0, "$what: closer leads to events (else: nothing seems to have happened)")
				or diag explain $row, $r->{error};
			is(exists $row->{closer}{pid} ? 1 : 0, $WAITS{$analysis} ? 0 : 1,
				'... of the task, unless it waits (else: of others, too)') if defined $row->{pid};
			ok(runs_then($row, \@events), '... to where it runs (else: the wait is not the one shown)')
				if $table eq 'worst' && $WAITS{$analysis};
			$followed{$analysis}++;
		}
	}
	is(mcp_end($m), 0, "$path: the end");
}
is(join(' ', grep { !$followed{$_} } @ANALYSES), '', 'each analysis has some (else: nothing is tested)');

done_testing();
