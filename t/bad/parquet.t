# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f parquet with bounded memory: tens of thousands of kinds of events, and many tables whose rows are more than its
# memory at once.  Without the bounds a trace fills the memory, or a directory with so many files.
#
# of: sink/parquet
# runs: make check
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Compare::ParquetRead;
use Compare::RealData;
use Run::Program qw(zed_run);
use Run::Zedperl;

my $why = parquet_no_reader();
plan skip_all => $why if $why;
plan skip_all => 'a sanitizer needs more memory than any of these' if $ENV{ZED_SAN};
Compare::RealData::need_program('zedprint');

# zedprint -f parquet with so many KiB of address space: (directory, how it ended, what it said).
sub bounded {
	my ($kib, @args) = @_;
	my $dir = temp_path();
	my $r = zed_run({ memory => $kib, time => 60 }, 'zedprint', '-f', 'parquet', '-o', $dir, @args);
	return ($dir, $r->{signal} || $r->{exit}, $r->{out} . $r->{err});
}

# ---- kinds ----

my $n = 20_000;
my %types = map { ("k::e$_" => field_text('int n', 8, 4, 1) . field_text('char t[8]', 12, 8, 1)) } 1 .. $n;
my ($dir, $status, $said) = bounded(300_000, trace(types => \%types, cpus => 1, events => [map { [0, 1000 * $_, 'k::e' . ($_ % $n + 1), pack 'l a8', $_, "x$_"] } 1 .. 2 * $n]));
is($status, 0, "$n kinds of events in 300 MB of address space");
my @files = glob "$dir/*";
is(scalar @files, 4097, '... and 4097 files');
my $rows = 0;
$rows += @{$_->{rows}} for parquet_read(@files);
is($rows, 2 * $n, '... have all rows');

# ---- rows ----


srand 3;
my $pool = join '', map { chr 33 + rand 90 } 1 .. 100_000;
my $kinds = 30;
%types = map { ("big::e$_" => field_text('int n', 8, 4, 1) . field_text('char t[3000]', 12, 3000, 1)) } 1 .. $kinds;
($dir, $status, $said) = bounded(160_000, trace(types => \%types, cpus => 1,
	events => [map { [0, 1000 * $_, 'big::e' . ($_ % $kinds + 1), pack('l', $_) . substr $pool, $_ % 90_000, 3000] } 1 .. 15_000]));
is("$status $said", '0 ', 'texts of 45 MB in 30 tables, in 160 MB of address space (else: memory grows with the trace)');
my @tables = parquet_read(glob "$dir/*");
is(scalar @tables, $kinds, '... make 30 tables');
my ($wrong, $groups) = (0, 0);
for my $t (@tables) {
	$groups += @{$t->{groups}};
	$wrong += grep { $_->{t} ne substr $pool, $_->{n} % 90_000, 3000 } @{$t->{rows}};
	$rows += @{$t->{rows}};
}
is($rows - 2 * $n, 15_000, '... with all rows');
is($wrong, 0, '... and their texts');
cmp_ok($groups, '>', $kinds, '... some of them written early');
done_testing();
