# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f parquet, asked of engines that are not ours: what DuckDB and hyparquet read of each recording's tables is, row
# by row and column by column, what DuckDB reads of -f json; an analysis in SQL answers as the shipped one does.
# Without it an engine refuses a table, or answers about another trace.
#
# of: sink/parquet base/parquet programs/zedprint
use strict;
use warnings;
use lib 't/lib';
use JSON::PP;
use Test::More;
use Compare::ParquetEngines;
use Compare::RealData;
use Run::Zedperl;

my $why = parquet_no_engines();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');
my $engines = parquet_engines();

sub quoted { return "'" . $_[0] =~ s/'/''/gr . "'" }
sub named { return '"' . $_[0] =~ s/"/""/gr . '"' }

# An expression of a table's column, and the same of an object of -f json: both texts.
sub same_column {
	my ($name, $type, $fields) = @_;
	my $c = named($name);
	return ("coalesce($c\::varchar, 'null')", "case when (j->'\$.lost') is null then '0' else coalesce(j->>'\$.lost', 'null') end") if $name eq 'lost';
	return ($c, "coalesce(j->>'\$.instance', '')") if $name eq 'instance';
	my $field = $fields->{$name};
	my $at = defined $field ? quoted('$.fields."' . $field . '"') : quoted("\$.$name");
	my $text = "j->>$at";
	return ("epoch_ns($c)::varchar", $text) if $type eq 'TIMESTAMP_NS';
	return ("lower(hex($c))", $text) if $type eq 'BLOB';
	return ("$c\::varchar", "(j->$at)::$type\::varchar") if $type =~ /\[\]$/;
	return ("json($c)::varchar", "json(j->$at)::varchar") if $type eq 'JSON';
	return ("$c\::$type\::varchar", "($text)::$type\::varchar") if $type =~ /^(?:FLOAT|DOUBLE)$/;
	return ("$c\::varchar", $text);
}

# Where DuckDB finds that the tables of DIR and the objects in FILE differ; and how many rows it compared.
sub differ {
	my ($dir, $file) = @_;
	my $rows = 0;
	$engines->sql('create or replace temp table t as select json as j, json->>\'$.event\' as event from read_ndjson_objects(' . quoted($file) . ", maximum_object_size = 100000000) where (json->>'\$.cut') is null");
	my (%seen, @tables);
	for ($engines->sql('select event, first(j->\'$.fields\') from t where event is not null group by 1 order by 1')) {
		my ($event, $object) = @$_;
		my $name = $event =~ s/::/./r =~ s/([^\w.-])/sprintf '%%%02X', ord $1/ger . '.parquet';
		return "no table $name" if !-e "$dir/$name";
		$seen{"$dir/$name"} = 1;
		push @tables, { event => $event, name => $name, file => "$dir/$name", from => 'read_parquet(' . quoted("$dir/$name") . ')',
			fields => { map { ((/^(?:ts|cpu|pid|comm|seq|lost|instance|machine|file|callchain|stack)$/i ? "field_$_" : $_) => $_) } keys %{JSON::PP->new->decode($object)} } };
	}
	my @columns = $engines->ask(map { { sql => "describe select * from $_->{from}" } } @tables);
	my @asks;
	for my $t (@tables) {
		$t->{columns} = shift @columns;
		my @both = map { [same_column($_->[0], $_->[1], $t->{fields})] } grep { $_->[0] ne 'machine' } @{$t->{columns}};
		my ($ours, $theirs) = map { my $i = $_; join ', ', map { "$both[$_][$i] as c$_" } 0 .. $#both } 0, 1;
		my $parquet = "select $ours from $t->{from}";
		my $json = "select $theirs from t where event = " . quoted($t->{event});
		push @asks, { sql => "select (select count(*) from ($parquet)), (select count(*) from ($json)), (select count(*) from ($parquet except all $json))" },
			{ sql => "select * from $t->{from} limit 500" }, { read => $t->{file} };
	}
	my @answers = $engines->ask(@asks);
	for my $t (@tables) {
		my ($counts, $duckdb, $hyparquet) = splice @answers, 0, 3;
		my $n = $counts->[0];
		$rows += $n->[0];
		return "$t->{name}: $n->[0] rows, $n->[1] objects, $n->[2] rows are no object" if $n->[0] != $n->[1] || $n->[2];
		# One of them makes JSON an object.
		my @compared = grep { $t->{columns}[$_][1] ne 'JSON' } 0 .. $#{$t->{columns}};
		for my $i (0 .. $#$duckdb) {
			my ($x, $y) = map { join '|', map { !defined $_ ? 'null' : ref $_ ? "[@$_]" : $_ } @{$_}[@compared] } $hyparquet->[$i], $duckdb->[$i];
			return "$t->{name}: row $i: hyparquet has $x, DuckDB $y" if $x ne $y;
		}
		return "$t->{name}: hyparquet has " . @$hyparquet . " rows, not $n->[0]" if @$hyparquet != $n->[0];
	}
	my @others = grep { !$seen{$_} && !/lost\.parquet$/ } glob "$dir/*";
	return ("tables of no event: @others") if @others;
	return (undef, $rows);
}

my @inputs = map { [$_] } Compare::RealData::recordings(Compare::RealData::own()), glob(Compare::RealData::own() . '/perf/*.data'), Compare::RealData::own() . '/ltt-g1';
my $shared = Compare::RealData::shared();
push @inputs, map { [$_] } Compare::RealData::recordings($shared), "$shared/ltt-g1", glob "$shared/perf/*.data" if $shared;
my (@bad, %seen);
my ($rows, $n) = (0, 0);
for my $in (@inputs) {
	my @head = ('--head', $shared && $in->[0] =~ /^\Q$shared\E/ ? 1000 : 5000);
	my $json = Compare::RealData::run('zedprint', '-f', 'json', @head, @$in);
	next if $json->{exit} > 1;
	my $dir = Compare::RealData::temp();
	my $run = Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $dir, @head, @$in);
	push @bad, "@$in: exit $run->{exit}, not $json->{exit}: $run->{err}" if $run->{exit} != $json->{exit};
	my ($differ, $some) = eval { differ($dir, $json->{out}) };
	$differ = $@ if $@;
	push @bad, "@$in: $differ" if $differ;
	$rows += $some // 0;
	$n++;
	unlink $json->{out}, glob "$dir/*";
}
ok(!@bad, "DuckDB and hyparquet read of $n recordings' tables what -f json says (else: nobody but us can read them)") or diag(join "\n", @bad);
cmp_ok($rows, '>', 20_000, "... $rows rows");

# ---- questions ----

my $demo = Compare::RealData::own() . '/demo.dat';
my $dir;

# The waits of wakeup-latency, in SQL: from the waking of a task that slept (or of one that was on its way to sleep: from when
# it had left) to the switch to it.  The events of a task between two of its switches have one turn.
sub waits {
	my ($dir) = @_;
	my @rows = $engines->sql(<<"END");
		with e as (select ts, cpu, seq, next_pid as task, 'in' as what from '$dir/sched.sched_switch.parquet' where next_pid != 0
		union all select ts, cpu, seq, prev_pid, case when prev_state = 0 or prev_state & 256 != 0 then 'ready' when prev_state & 48 != 0 then 'dead' else 'block' end from '$dir/sched.sched_switch.parquet' where prev_pid != 0
		union all select ts, cpu, seq, field_pid, 'waking' from '$dir/sched.sched_waking.parquet'
		union all select ts, cpu, seq, field_pid, 'wakeup' from '$dir/sched.sched_wakeup.parquet'
		union all select ts, cpu, seq, field_pid, 'new' from '$dir/sched.sched_wakeup_new.parquet'),
		g as (select *, coalesce(sum((what in ('in', 'ready', 'block', 'dead'))::int) over (partition by task order by ts, cpu, seq rows between unbounded preceding and 1 preceding), 0) as turn from e),
		h as (select task, turn, min(ts) filter (what in ('waking', 'wakeup')) as first, arg_min(what, ts) filter (what in ('waking', 'wakeup')) as kind, max(ts) filter (what = 'waking') as waking, max(ts) filter (what = 'wakeup') as wakeup,
		 bool_or(what = 'new') as is_new, max(what) filter (what in ('in', 'ready', 'block', 'dead')) as ends, max(ts) filter (what in ('in', 'ready', 'block', 'dead')) as at_ts from g group by all),
		k as (select *, lag(ends) over w as before, lag(at_ts) over w as left_at, lag(waking) over w as noted, lag(wakeup) over w as unnoted from h window w as (partition by task order by turn)),
		w as (select task, at_ts, case when before = 'block' and noted is not null and (unnoted is null or unnoted < noted) and (kind is null or kind = 'wakeup') then left_at else first end as woken from k where ends = 'in' and not is_new and (before is null or before = 'block'))
		select task, epoch_ns(woken), epoch_ns(at_ts) from w where woken is not null order by 1, 2
END
	return join "\n", sort map { "@$_" } @rows;
}
for my $dat ($demo, $shared ? map({ "$shared/$_" } qw(amd64-rt/a13_rt_sched.dat trixie/d06_subbuf16.dat)) : ()) {
	$dir = Compare::RealData::temp();
	is(Compare::RealData::failure(Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $dir, $dat)), undef, 'a recording as tables');
	my $shipped = zedperl($dat, Compare::RealData::root() . '/scripts/wakeup-latency.pl', '--worst', 100_000, '--json');
	my $rows = eval { JSON::PP->new->decode($shipped->{out})->{tables}{worst}{rows} } // [];
	cmp_ok(scalar @$rows, '>', 40, '... whose waits zedperl wakeup-latency finds: ' . @$rows) or diag($shipped->{err});
	is(waits($dir), join("\n", sort map { "$_->{pid} $_->{woken} $_->{ran}" } @$rows), '... and DuckDB finds the same ones, to the nanosecond (else: the tables tell another story)');
}

# Lists of names: those of a dictionary, and those that it had no room for in the middle of a row.
for (['stack.dat', Compare::RealData::own() . '/stack.dat'], ['24,000 functions', do {
	my $base = 0xffffffff << 32 | 0x81000000;
	trace(types => { 'ftrace::kernel_stack' => field_text('int size', 8, 4, 1) . field_text('unsigned long caller[8]', 16, 64) }, cpus => 1,
		kallsyms => join('', map { sprintf "%x T f%x\n", $base + 16 * $_, $_ } 0 .. 24_000),
		events => [map { my $row = $_; [0, 1000 + 1000 * $row, 'ftrace::kernel_stack', pack 'l x4 Q8', 4, (map { $base + 16 * ($row * 4 + $_) } 0 .. 3), (0) x 4] } 0 .. 5999]) }]) {
	my ($what, $dat) = @$_;
	my $out = Compare::RealData::temp();
	Compare::RealData::run('zedprint', '-f', 'parquet', '--stack', '-o', $out, $dat);
	my ($text) = Compare::RealData::zedprint('-f', 'json', '--stack', $dat);
	my @want = map { join ' ', @{$_->{stack}} } grep { $_->{stack} } map { JSON::PP->new->allow_bignum->decode($_) } split /\n/, $text;
	my $file = "$out/ftrace.kernel_stack.parquet";
	is(join("\n", map { $_->[0] } $engines->sql("select array_to_string(stack, ' ') from '$file' order by ts, cpu, seq")), join("\n", @want), "$what: DuckDB reads the names of each stack");
	my ($rows) = $engines->ask({ read => $file });
	is(scalar @$rows, scalar @want, "... and hyparquet all rows");
}

# A range of time reads only the groups that have it.
my $big = trace(cpus => 1, events => [map { [0, 1000 * $_, 'mini::tick', $_ % 5000] } 1 .. 300_000]);
my $many = Compare::RealData::temp();
Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $many, $big);
my ($bounds) = $engines->sql("select count(*) from parquet_metadata('$many/mini.tick.parquet') where path_in_schema = 'ts' and stats_min_value::timestamp_ns <= make_timestamp_ns(5000) and stats_max_value::timestamp_ns >= make_timestamp_ns(5000)");
is($bounds->[0], 1, 'DuckDB sees by the bounds that a time is in one group of three');
my ($found) = $engines->sql("select count(*), sum(n) from '$many/mini.tick.parquet' where ts between make_timestamp_ns(150000000) and make_timestamp_ns(150009000)");
is("@$found", '10 ' . eval { my $s = 0; $s += $_ % 5000 for 150_000 .. 150_009; $s }, '... and finds what is there');

# Partitions.
my $fleet = Compare::RealData::temp();
for my $host (1 .. 3) {
	Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $fleet, '--partition', 'machine', trace(uname => "Linux host$host 6.1.0 x86_64", events => [map { [0, 1000 * $_, 'mini::tick', $host] } 1 .. 10 * $host]));
}
is(join(' ', map { "@$_" } $engines->sql("select machine, count(*), sum(n) from read_parquet('$fleet/mini.tick/**/*.parquet', hive_partitioning = true) group by 1 order by 1")),
	'host1 10 10 host2 20 40 host3 30 90', 'partitions: the directory is a column');
done_testing();
