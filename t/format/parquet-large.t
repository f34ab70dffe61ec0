# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f parquet of many rows, of more kinds of events than a directory should have tables, and what Ctrl-C leaves.
# Without it the end of a group of rows is lost, or half a table looks like a whole one.
#
# of: sink/parquet base/parquet programs/zedprint
# runs: make check
use strict;
use warnings;
use lib 't/lib';
use JSON::PP;
use Test::More;
use Compare::ParquetRead;
use Compare::RealData;
use Run::Parquet;
use Run::Process;
use Run::Zedperl;

my $why = parquet_no_reader();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');
my $json = JSON::PP->new->allow_nonref->allow_bignum;

# ---- many rows: groups, pages, statistics ----

my $n = 140_000;
my $big = trace(cpus => 1, events => [map { [0, 1000 * $_, 'mini::tick', $_ % 5000] } 1 .. $n]);
my ($t) = parquet($big);
$t = $t->{'mini.tick.parquet'};
is(scalar @{$t->{rows}}, $n, 'as many rows as events, over several groups (else: the end of a group is lost)');
cmp_ok(scalar @{$t->{groups}}, '>', 1, '... which are several');
my @wrong = grep { my $r = $t->{rows}[$_ - 1]; $r->{ts} != 1000 * $_ + 1e9 - 1e9 || $r->{n} != $_ % 5000 || $r->{seq} != $_ } 1 .. $n;
is(scalar @wrong, 0, '... each row with its values');
my ($last, $apart) = (-1, 0);
for (@{$t->{groups}}) {
	$apart += $_->{bounds}{ts}[0] > $last;
	$last = $_->{bounds}{ts}[1];
}
is($apart, @{$t->{groups}}, '... and bounds of times that do not overlap (else: a range of time reads all groups)');

# ---- many kinds ----

my $kinds_n = 4200;
my %many = map { ("many::e$_" => field_text('int n', 8, 4, 1)) } 1 .. $kinds_n;
my ($tables, $run) = parquet(trace(types => \%many, events => [map { [0, 1000 * $_, "many::e$_", pack 'l', $_] } 1 .. $kinds_n]));
is(scalar keys %$tables, 4097, 'more kinds of events than a directory should have tables: as many as that, and one');
my $sum = 0;
$sum += @{$_->{rows}} for values %$tables;
is($sum, $kinds_n, '... and none is lost');
$t = $tables->{'other.parquet'};
my $r = $t->{rows}[0];
my ($k) = ($r->{event} // '') =~ /^many::e(\d+)$/;
is_deeply([$r->{ts}, $json->decode($r->{fields})], [1000 * $k, { n => $k }], '... the last ones with their fields as JSON');
like($run->{err}, qr/more than 4096 tables .* "other"/, '... which is said');

# ---- Ctrl-C, when a part is written ----

{
	my $out = Compare::RealData::temp();
	my $pid = spawn({ stderr => "$out.err" }, Compare::RealData::program('zedprint'), '-f', 'parquet', '-o', $out, ($big) x 100);
	ok(wait_until(60, sub { my @begun = glob("$out/*"); scalar @begun }), 'a part of a table is there');
	kill 'INT', $pid;
	my ($status) = reap($pid, 60);
	is($status >> 8, 130, 'Ctrl-C ends it');
	my %files = tables($out);
	is(join(' ', keys %files), 'mini.tick.parquet', '... with its table in place, and no other file');
	my $part = parquet_read("$out/mini.tick.parquet");
	my $have = @{$part->{rows}};
	cmp_ok($have, '>', 100_000, '... which has what came so far');
	cmp_ok($have, '<', 100 * $n, '... and not all');
}
done_testing();
