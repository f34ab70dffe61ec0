# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is written of damaged traces: of a recording that was cut short or has changed bytes anywhere, zedprint --cut
# writes what reading it gives, a trace that is whole; -f perfetto writes packets, -f parquet tables with the events of -f json.
# None ends by a signal.
#
# of: record/cut sink sink/print
# runs: make check; a small pass in make test
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Compare::ParquetRead;
use Compare::PerfettoRead;
use Compare::RealData;
use Files;
use Pass;

Compare::RealData::need_program('zedprint');
my $seed = $ENV{ZED_SEED} // 14;
diag("ZED_SEED=$seed");
srand $seed;

my $damaged = Compare::RealData::temp() . '.dat';
my $cut = Compare::RealData::temp() . '.dat';
my $packets = perfetto_no_protoc();
my $tables = parquet_no_reader();

# The events of a file, without what damage makes uncertain: their numbers, and the name of a task, as names of a time
# come from other events.  With numbers: names of values are read in other parts of a file, which tables do not need.
sub events {
	my ($out, $run) = Compare::RealData::zedprint('-f', 'zed', $_[0]);
	return ($out =~ s/ sequence = \d+,//gr, $run);
}

my (@signals, @events, @whole, @packets, @tables);
my $n = 0;
for my $name (qw(small_v7_zstd small_v6 small_be_none i386_zstd armhf_lost_count)) {
	my $bytes = slurp(Compare::RealData::own() . "/$name.dat");
	for my $try (small() ? (1, 5) : 1 .. 16) {
		my $bad = $bytes;
		if ($try <= 4) {
			$bad = substr $bad, 0, 1 + int rand length $bad;
		} else {
			substr $bad, int rand length $bad, 1, chr int rand 256 for 1 .. 1 + rand 8;
		}
		spew($damaged, $bad);
		my $what = "$name, $try";
		my ($want, $first) = events($damaged);
		my $run = Compare::RealData::run('zedprint', '--cut', $cut, $damaged);
		push @signals, "$what: --cut: signal $run->{sig}" if $run->{sig};
		if ($first->{exit} < 2 && $run->{exit} < 2) {
			$n++;
			my ($got, $second) = events($cut);
			my $differ = Compare::RealData::differ($want, $got);
			push @events, "$what: $differ" if $differ;
			push @whole, "$what: $second->{err}" if $second->{err} =~ /past its page|of a page|page (?:with|that)|record of/;
		}
		$run = Compare::RealData::run('zedprint', '-f', 'perfetto', $damaged);
		push @signals, "$what: -f perfetto: signal $run->{sig}" if $run->{sig};
		my $dir = Compare::RealData::temp();
		my $parquet = Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $dir, $damaged);
		push @signals, "$what: -f parquet: signal $parquet->{sig}" if $parquet->{sig};
		push @tables, "$what: exit $parquet->{exit}, not $first->{exit}" if $parquet->{exit} != $first->{exit};
		if (!$tables && $first->{exit} < 2) {
			my ($json) = Compare::RealData::zedprint('-f', 'json', $damaged);
			my %rows;
			$rows{$1}++ while $json =~ /^\{"ts":\d+,"event":"(.*?)"/gm;
			my $rows = 0;
			my @read = eval { parquet_read(grep { !/lost\.parquet$/ } glob "$dir/*") };
			push @tables, "$what: $@" if $@;
			$rows += @{$_->{rows}} for @read;
			$rows -= $_ for values %rows;
			push @tables, "$what: $rows rows too many" if $rows && !$@;
		}
		next if $packets || !-s $run->{out};
		eval { perfetto_decode($run->{out}); 1 } or push @packets, "$what: $@";
	}
}
sub none {
	my ($what, @bad) = @_;
	ok(!@bad, $what) or diag(join "\n", @bad[0 .. ($#bad < 5 ? $#bad : 5)]);
}
cmp_ok($n, '>', small(3, 40), 'damaged traces are cut (else: nothing is compared)');
none('no damage ends either by a signal (else: a trace can crash it)', @signals);
none('a cut has the events that reading gives (else: damage costs more than itself)', @events);
none('... and no damaged pages, though formats are as they were (else: damage is copied)', @whole);
SKIP: {
	skip $tables, 1 if $tables;
	none('tables are whole, and have the events that -f json prints (else: SQL cannot read them)', @tables);
}
SKIP: {
	skip $packets, 1 if $packets;
	none('what is written for Perfetto is protobuf (else: it cannot be loaded)', @packets);
}
done_testing();
