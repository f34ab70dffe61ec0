# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f parquet: a reader that shares nothing with the writer finds in each recording's tables what -f json says.
# Without it SQL answers about another trace.
#
# of: sink/parquet base/parquet programs/zedprint
# runs: make check; a small pass in make test
use strict;
use warnings;
use lib 't/lib';
use JSON::PP;
use Test::More;
use Compare::ParquetRead;
use Compare::RealData;
use Pass;
use Run::Parquet;

my $why = parquet_no_reader();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');
my $json = JSON::PP->new->allow_nonref->allow_bignum;

# The column of a field.
sub column { return $_[0] =~ /^(?:ts|cpu|pid|comm|seq|lost|instance|machine|file|callchain|stack)$/i ? "field_$_[0]" : $_[0] =~ s/\W/_/gr }

# A value of a table as -f json has it.
sub shown {
	my ($type, $v) = @_;
	return 'null' if !defined $v;
	return '[' . join(',', @$v) . ']' if ref $v;
	return unpack 'H*', $v if $type eq 'binary';
	if ($type eq 'json') {
		return JSON::PP->new->canonical->allow_bignum->encode(JSON::PP->new->utf8->allow_bignum->decode($v));
	}
	utf8::decode(my $text = $v);
	return $text;
}

sub said {
	my ($type, $v) = @_;
	return 'null' if !defined $v;
	return JSON::PP->new->canonical->allow_bignum->encode($v) if $type eq 'json';
	return '[' . join(',', @$v) . ']' if ref $v;
	return "$v";
}

# Where the tables of a trace and its objects of -f json differ first, or undef.
sub differ {
	my ($tables, $lines, $several) = @_;
	my (%next, $lost);
	for my $line (@$lines) {
		my $o = $json->decode($line);
		if (exists $o->{lost}) {
			my $row = $tables->{'lost.parquet'}{rows}[$lost++] // return "no row for the loss of $line";
			return "loss: @{[%$row]} for $line" if "$row->{ts} $row->{cpu} " . ($row->{lost} // 'null') . " $row->{instance}" ne
				"$o->{ts} $o->{cpu} " . ($o->{lost} // 'null') . ' ' . ($o->{instance} // '');
		}
		next if !$o->{event};
		my $file = $o->{event} =~ s/::/./r =~ s/([^\w.-])/sprintf '%%%02X', ord $1/ger . '.parquet';
		my $t = $tables->{$file} // return "no $file";
		my $row = $t->{rows}[$next{$file}++] // return "$file: no row for $line";
		my %want = (%$o, instance => $o->{instance} // '', lost => exists $o->{lost} ? $o->{lost} : 0);
		delete @want{qw(event fields cut)};
		my %type = %{$t->{type}};
		for (sort keys %want) {
			my ($is, $should) = (shown($type{$_} // '', $row->{$_}), said($type{$_} // '', $want{$_}));
			return "$file: $_ is $is and not $should in $line" if $is ne $should;
		}
		for (sort keys %{$o->{fields}}) {
			my $c = column($_);
			return "$file has no column $c" if !exists $row->{$c};
			my ($is, $should) = (shown($type{$c}, $row->{$c}), said($type{$c}, $o->{fields}{$_}));
			next if $is eq $should || ($type{$c} =~ /^(?:float|double)$/ && $is == $should);
			return "$file: $c is $is and not $should in $line";
		}
		return "$file: a column too many, or too few" if !$o->{cut} && @{$t->{columns}} != keys(%{$o->{fields}}) + 8 + $several + !!$t->{type}{callchain};
	}
	for (sort keys %$tables) {
		next if $_ eq 'lost.parquet';
		return "$_: @{[scalar @{$tables->{$_}{rows}}]} rows, not " . ($next{$_} // 0) if @{$tables->{$_}{rows}} != ($next{$_} // 0);
	}
	my $rows = @{($tables->{'lost.parquet'} // { rows => [] })->{rows}};
	return "$rows losses, not " . ($lost // 0) if $rows != ($lost // 0);
	return undef;
}

my (@bad, %types, %events);
my $rows = 0;
my @inputs = ((map { [$_] } Compare::RealData::recordings(Compare::RealData::own())), (map { [$_] } glob Compare::RealData::own() . '/perf/*.data'),
	[Compare::RealData::own() . '/ltt-g1'], [map { Compare::RealData::own() . "/$_.dat" } qw(small_v7_none small_v7_zstd)]);
@inputs = @inputs[grep { $_ % 8 == 5 } 0 .. $#inputs] if small();
for my $in (@inputs) {
	my ($text, $run) = Compare::RealData::zedprint('-f', 'json', '--head', 300, @$in);
	next if $run->{exit} > 1;
	my ($tables, $second) = parquet('--head', 300, @$in);
	push @bad, "@$in: exit $second->{exit}, not $run->{exit}: $second->{err}" if $run->{exit} != $second->{exit};
	my $differ = differ($tables, [split /\n/, $text], @$in > 1);
	push @bad, "@$in: $differ" if $differ;
	$rows += @{$_->{rows}} for values %$tables;
	$types{$_} = 1 for map { values %{$_->{type}} } values %$tables;
	$events{$_} = 1 for keys %$tables;
}
ok(!@bad, 'each recording: its tables have what -f json says, value by value (else: SQL answers about another trace)') or diag(join "\n", @bad);
my ($least_rows, $least_events) = small([1000, 30], [10_000, 200])->@*;
cmp_ok($rows, '>', $least_rows, "... of more than $least_rows rows (else: little is compared)");
cmp_ok(scalar keys %events, '>', $least_events, "... and $least_events events: @{[scalar keys %events]}");
small() or is(join(' ', grep { !$types{$_} } qw(int8 int16 int32 int64 uint8 uint16 uint32 uint64 string binary timestamp), 'list uint64'), '', '... with columns of all types');
done_testing();
