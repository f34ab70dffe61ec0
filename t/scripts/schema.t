# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/schema: each analysis' --json has the members, types and units that its schema says, and no others.  Without it a
# program that reads them breaks when a column is renamed, or takes ms for ns; and an addition is found by accident.
#
# of: docs/schema lib/Zed/Answer.pm lib/Zed/Table.pm scripts sink/print/json.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use JSON::PP ();
use Compare::JsonSchema;
use Files;
use Pass;
use Run::Json;
use Run::Program qw(zed_run);
use Run::Schemas;

# ---- the validator itself finds what is wrong: a check that cannot fail is none
my $good = { script => 'irq', version => 1, trace => { clock => 'local' }, lost => { events => 0, places => 0, unknown => 0 }, notes => [],
	tables => { irqs => { columns => [], rows => [{ n => 1, name => 'eth0', total => 5.5, evidence => { start => 1, end => 2, arguments => ['--start', '1'] } }] } } };
is_deeply([schema('irq')->faults($good)], [], 'a good answer');
for (['/tables/irqs/rows/0/n', sub { $_[0]{tables}{irqs}{rows}[0]{n} = 'one' }], ['/version', sub { $_[0]{version} = 2 }],
	['/tables/irqs/rows/0/new', sub { $_[0]{tables}{irqs}{rows}[0]{new} = 1 }], ['/tables/others', sub { $_[0]{tables}{others} = { columns => [], rows => [] } }],
	['/lost', sub { delete $_[0]{lost}{events} }], ['/lost/places', sub { $_[0]{lost}{places} = -1 }], ['/script', sub { $_[0]{script} = 'softirq' }],
	['/tables/irqs/rows/0/evidence', sub { delete $_[0]{tables}{irqs}{rows}[0]{evidence}{arguments} }]) {
	my ($where, $break) = @$_;
	my $bad = JSON::PP::decode_json(JSON::PP::encode_json($good));
	$break->($bad);
	my @faults = schema('irq')->faults($bad);
	ok(@faults && $faults[0] =~ /^\Q$where\E\b/, "finds what is wrong at $where") or diag "@faults";
}

# ---- there is one for each, and each is sound
my @analyses = json_analyses();
is_deeply([grep { !-e "docs/schema/$_.json" } @analyses, qw(compare assert top report zedprint answer)], [], 'each analysis has one');
for my $path (sort glob 'docs/schema/*.json') {
	my $schema = eval { JSON::PP->new->utf8->decode(slurp($path)) } // {};
	is($schema->{'$id'}, $path =~ s{.*/}{}r, "$path is JSON, with its name");
	like($schema->{'$schema'}, qr{/draft/2020-12/}, '... and says of which draft');
}

# ---- answers: of recordings of each kind; the others are in schema-dat.t and schema-more.t
my @some = ('docs/shell.dat', 't/data/clock_tsc.dat', 't/data/lost.dat', small() ? () : (recordings('perf/*.data'), 't/data/ltt-g1'));
my $n = 0;
$n += answers_fit($_) for @some;
cmp_ok($n, '>', small(12, 40), "$n answers were looked at");
# What does not suit has its tables empty, and its frame all the same.
answers_fit('t/data/demo.dat', [small() ? @analyses[0, 1] : @analyses]);
answers_fit('docs/shell.dat', ['waits', 'syscalls', 'off-cpu'], ['--by', 'pid']);
answers_fit('docs/shell.dat', ['why-late'], ['--task', 'sh']) if !small();

# Scripts that read no trace themselves.
for (['compare', 'wakeup-latency', ('docs/shell.dat') x 2], ['compare', 'wakeup-latency', '--limit', 'p50: +10%', '--limit', 'avg: +5us', ('docs/shell.dat') x 2],
	['assert', 'docs/shell.dat', 'wakeup-latency: max < 1us', 'irq: n > 0']) {
	my ($script, @words) = @$_;
	my $r = zed_run('zedperl', $script, @words, '--json');
	is(join("\n", faults($script, $r->{out})), '', "$script @words: as docs/schema says") or diag $r->{err};
}
my $top = zed_run('zedperl', '-e', 'use Zed::Groups; Zed::Groups::count(["sched:sched_waking"], sub { Zed::comm() })', 'docs/shell.dat', '--', '--json');
is(join("\n", faults('top', $top->{out})), '', 'counts by an expression, as zedperl top -e: too') or diag $top->{err};

# ---- room for a reader that has little: --limit
my $few = JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'syscalls', '--json', '--limit', 3)->{out});
my $all = JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'syscalls', '--json')->{out});
for my $table (qw(calls worst)) {
	my ($is, $whole) = map { $_->{tables}{$table} } $few, $all;
	is_deeply([$is->{rows}, $is->{left}], [[@{$whole->{rows}}[0 .. 2]], @{$whole->{rows}} - 3], "--limit 3: the first three rows of $table, and how many are left (else: an agent's context is full)");
	is($whole->{left}, undef, '... without it all');
}
answers_fit('docs/shell.dat', ['syscalls', 'wakeup-latency'], ['--limit', 1]);
my $waits = JSON::PP::decode_json(zed_run('zedperl', 'docs/shell.dat', 'wakeup-latency', '--json', '--limit', 1)->{out})->{tables};
cmp_ok(scalar @{$waits->{histogram}{rows}}, '>', 5, 'a histogram stays whole');

# ---- evidence: the arguments show the case itself
my ($worst) = @{$waits->{worst}{rows}};
my $evidence = $worst->{evidence};
is_deeply([@$evidence{qw(start end cpu pid task)}], [@$worst{qw(woken ran cpu pid comm)}], 'evidence of the longest wait: when, where, who');
my @events = map { JSON::PP::decode_json($_) } split /\n/, zed_run('zedprint', '-f', 'json', @{$evidence->{arguments}}, 'docs/shell.dat')->{out};
is_deeply([$events[0]{event}, $events[0]{fields}{pid}, $events[0]{ts}], ['sched::sched_waking', $worst->{pid}, $worst->{woken}], 'its arguments show the waking first');
is_deeply([@{$events[-1]{fields}}{qw(next_pid)}, $events[-1]{ts}], [$worst->{pid}, $worst->{ran}], '... and the switch last');

# So of each analysis that lists the longest: what was recorded lies between the two times.
my %SPANS = (irq => 't/data/armhf_lost.dat', softirq => 't/data/all_events.dat', power => 't/data/all_events.dat',
	workqueue => 't/data/armhf_zstd.dat', lost => 't/data/armhf_lost.dat', block => 't/data/block.dat', 'function-graph' => 't/data/fgraph.dat', syscalls => 'docs/shell.dat');
for my $analysis (small() ? ('irq', 'lost') : sort keys %SPANS) {
	my $data = JSON::PP::decode_json(zed_run('zedperl', $SPANS{$analysis}, $analysis, '--json')->{out});
	my @with = grep { $_->{evidence} } map { @{$_->{rows}} } values %{$data->{tables}};
	ok(@with > 0, "$analysis: the longest have evidence") or next;
	is_deeply([grep { $_->{start} > $_->{end} || $_->{end} < $data->{start} || $_->{start} > $data->{end} } map { $_->{evidence} } @with], [], '... in the time of the trace');
}

# ---- zedprint
$n = 0;
$n += lines_fit($_) for @some;
cmp_ok($n, '>', 1000, "$n lines of zedprint");
lines_fit('t/data/stack.dat', '--stack');
lines_fit('docs/shell.dat', '--names');
my $report = zed_run('zedperl', 'docs/shell.dat', 'report', '--json');
is_deeply([schema('report')->faults(JSON::PP::decode_json($report->{out}))], [], 'report --json') if !small();

done_testing();
