# SPDX-License-Identifier: GPL-2.0-or-later
#
# The budget of answers: never more bytes than were asked for, and what was cut comes by the call that the answer names,
# each row once. Without it a context is full, or an agent concludes from half of an answer. Seeded; SEED=N.
#
# of: programs/zedperl/mcp/content.c programs/zedperl/mcp
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Pass;
use Run::Mcp;

srand($ENV{SEED} // 8000);
my $json = JSON::PP->new->canonical->allow_nonref;
my $m = mcp('t/data/demo.dat', 't/data/perf/sched.data', 't/data/misc.dat');
my %schema = map { $_->{name} => $_ } @{rpc($m, 'tools/list')->{result}{tools}};
is($json->encode($schema{summary}{inputSchema}{properties}{trace}{enum}), '["demo.dat","sched.data","misc.dat"]', 'the schema names the traces');
is_deeply($schema{summary}{inputSchema}{required}, ['trace'], '... of which one has to be named');

# Of JSON Schema what the tools use: why VALUE does not fit, or ''.
sub misfit {
	my ($value, $schema, $where) = @_;
	my $text = $json->encode($value);
	my %is = map { $_->[0] => 1 } grep { $text =~ $_->[1] } ['object', qr/^\{/], ['array', qr/^\[/], ['null', qr/^null\z/], ['string', qr/^"/], ['integer', qr/^-?\d+\z/];
	my @types = ref $schema->{type} ? @{$schema->{type}} : $schema->{type} // ();
	return "$where is not " . join ' or ', @types if @types && !grep { $is{$_} } @types;
	if ($is{object}) {
		for (@{$schema->{required} // []}) { return "$where has no $_" if !exists $value->{$_} }
		for (grep { $schema->{properties}{$_} } sort keys %$value) {
			my $why = misfit($value->{$_}, $schema->{properties}{$_}, "$where.$_");
			return $why if length $why;
		}
	}
	for my $i ($is{array} && $schema->{items} ? 0 .. $#$value : ()) {
		my $why = misfit($value->[$i], $schema->{items}, "$where\[$i]");
		return $why if length $why;
	}
	return '';
}
is(misfit({ a => [1, 'x'] }, { type => 'object', properties => { a => { type => 'array', items => { type => 'integer' } } } }, 'it'), 'it.a[1] is not integer', 'the schema is looked at');

my @CALLS = (['summary'], ['answer', analysis => 'waits'], ['answer', analysis => 'syscalls'], ['answer', analysis => 'sched-summary'], ['answer', analysis => 'stacks'],
	['events'], ['events', event => 'sched:*', first => 7], ['events', fields => ['common_pid']], ['aggregate', kind => 'count', event => '*:*', by => ['event', 'cpu']],
	['aggregate', kind => 'hist', event => 'sched:sched_switch', value => 'prev_pid', by => 'cpu'], ['aggregate', kind => 'top', event => 'sched:*', value => 'common_pid'],
	['why_late'], ['why_late', worst => 20], ['explain_losses'], ['compare', analysis => 'syscalls', a => ['demo.dat'], b => ['misc.dat']]);

# The rows of the table NAME by the budget ARGS, call by call; how many calls.
sub all_rows {
	my ($tool, $name, %args) = @_;
	my (@rows, $n);
	my $next = { %args, table => $name, first => 0 };
	while ($next) {
		my $r = tool($m, $tool, $next);
		return (undef, "$r->{error}") if !$r->{data};
		my ($table) = @{$r->{data}{tables}};
		push @rows, map { $json->encode($_) } @{$table->{rows}};
		$next = $r->{data}{cut} ? $r->{data}{cut}{next}{arguments} : undef;
		return (\@rows, $n) if ++$n > 300;
	}
	return (\@rows, $n);
}

my (@over, @misfits, @followed, @uncut);
for my $i (0 .. small(1, 2) * @CALLS - 1) {
	my ($tool, %args) = @{$CALLS[$i % @CALLS]};
	my $trace = $tool eq 'compare' ? undef : (qw(demo.dat sched.data misc.dat))[rand 3];
	%args = (%args, chars => 3000 + int rand 3000, rows => 12 + int rand 30, defined $trace ? (trace => $trace) : ());
	my $what = "$tool " . $json->encode(\%args);
	my $r = tool($m, $tool, \%args);
	push @over, "$what: $r->{bytes}" if $r->{bytes} > $args{chars};
	next if !$r->{data};
	my $why = misfit($r->{data}, $schema{$tool}{outputSchema}, $tool);
	push @misfits, "$what: $why" if length $why;
	my $cut = $r->{data}{cut};
	push @uncut, $what if !$cut && grep { !defined $_->{left} || $_->{left} } @{$r->{data}{tables}};
	next if !$cut || $tool eq 'events' && !$args{event};
	# Each table, from its beginning.
	my $name = $cut->{next}{arguments}{table} // $r->{data}{tables}[0]{name};
	my ($got, $n) = all_rows($tool, $name, %args);
	my ($want) = all_rows($tool, $name, %args, chars => 60_000, rows => 1000);
	push @followed, "$what: $name: " . ($got ? @$got : $n) . ' rows in calls, not ' . ($want ? @$want : 0)
		if !$got || join("\n", @$got) ne join "\n", @$want;
}
is(join("\n", @over), '', 'no answer has more bytes than chars (else: a context is full)');
is(join("\n", @misfits), '', 'each fits its output schema (else: clients refuse it)');
is(join("\n", @uncut), '', 'rows that are left come with a call for them (else: half of an answer looks whole)');
is(join("\n", @followed), '', 'the calls that answers name give each row once (else: some are never seen)');

# ---- the usual budget

for my $trace ((qw(demo.dat sched.data))[0 .. small(0, 1)]) {
	my @ids = map { my ($tool, %args) = @$_; tool_start($m, $tool, { %args, $tool eq 'compare' ? () : (trace => $trace) }) } @CALLS;
	for my $tool (map { $_->[0] } @CALLS) {
		my $r = tool_result($m, shift @ids);
		cmp_ok($r->{bytes}, '<=', 8000, "$tool $trace: 8000 bytes if nothing is said");
		cmp_ok(length $r->{text}, '>', 10, '... with a text');
	}
}

# ---- what was computed is shared

my $before = tool($m, 'answer', { trace => 'demo.dat', analysis => 'off-cpu', rows => 1 });
my $again = tool($m, 'answer', { trace => 'demo.dat', analysis => 'off-cpu', rows => 2 });
is($json->encode($again->{data}{tables}[0]{rows}[0]), $json->encode($before->{data}{tables}[0]{rows}[0]), 'another budget has the same rows');
is(mcp_end($m), 0, 'the end');

done_testing();
