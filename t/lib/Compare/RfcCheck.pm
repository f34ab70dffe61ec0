# SPDX-License-Identifier: GPL-2.0-or-later
# The references of t/format/rfc.t for its outputs: the programs run under a time limit, records as
# comparable rows, the clock arithmetic of the format in Perl, and stock trace-cmd's lines for
# the same pages in the shipped dialect.
package Compare::RfcCheck;
use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use JSON::PP ();
use Test::More;
use Files;
use Run::Process;
use Write::RfcSource;
use Write::Rfc;
use Compare::Stock;
use Compare::TextChanges;

our @EXPORT = qw(fixture run row expected_rows json_rows same_rows same_report stock_report
	tsc_to_ns shifted);

my $tmp = File::Temp->newdir;
my $file_count = 0;

# A new path in the temporary directory.
sub fixture { return sprintf '%s/%03d-%s.dat', $tmp, ++$file_count, $_[0] }

# run(COMMAND...) -> (exit status or "signal N", stdout, stderr); a minute at most.
sub run {
	my ($status) = reap(spawn({ stdout => "$tmp/out", stderr => "$tmp/err" }, @_), 60);
	return (how_it_ended($status), map { slurp("$tmp/$_") } qw(out err));
}

sub row {
	my ($cpu, $ts, $event, $pid, $seq) = @_;
	return "cpu $cpu ts $ts $event pid $pid seq $seq";
}

sub expected_rows {
	my ($s, $convert) = @_;
	return [ sort map { row(@$_) } @{ Write::RfcSource::source_records($s, $convert) } ];
}

# The rows of a JSON output; a text seen before is not parsed again.
my %parsed;
sub json_rows {
	my $text = shift;
	return $parsed{$text} if $parsed{$text};
	my @rows;
	for my $line (split /\n/, $text) {
		my $o = eval { JSON::PP::decode_json($line) } or return [ "no JSON: $line" ];
		next if !exists $o->{event};
		$o->{event} =~ s/(?<!:):(?!:)/::/;
		push @rows, row(map { $_ // 'undef' } @$o{qw(cpu ts event pid seq)});
	}
	%parsed = () if keys %parsed > 20;
	return $parsed{$text} = [ sort @rows ];
}

# Quick for equal lists of thousands, and brief about unequal ones.
sub same_rows {
	my ($got, $want, $name) = @_;
	return pass($name) if @$got && "@$got" eq "@$want";
	my %n;
	$n{$_}++ for @$got;
	$n{$_}-- for @$want;
	my @extra = grep { $n{$_} > 0 } @$got;
	my @missing = grep { $n{$_} < 0 } @$want;
	return 1 if ok(!@extra && !@missing && @$got, $name);
	diag join "\n", scalar(@$got) . ' records, expected ' . @$want,
		(map { "  extra   $_" } grep { defined } @extra[0 .. 2]),
		(map { "  missing $_" } grep { defined } @missing[0 .. 2]);
	return 0;
}

# Our report, of a machine of BITS, and the installed trace-cmd's as stock_report() has it.
sub same_report {
	my ($got, $want, $bits, $name) = @_;
	my $diff = length $got ? report_differs([ '3.1.6', stock_peer()->[1] ], $got, $want, $bits) : 'nothing';
	ok(!$diff, $name) or diag $diff;
	return !$diff;
}

# Stock's output for the same pages in the shipped dialect; undef if it is not installed.
sub stock_report {
	my ($s, %o) = @_;
	return undef if stock_missing();
	my $path = fixture('shipped');
	Write::Rfc::shipped_write($s, $path, %o);
	my $out = stock_text($path);
	unlink $path;
	return $out;
}

# Cycles to ns by the TSC2NSEC option.
sub tsc_to_ns {
	my ($ts, $mult, $shift) = @_;
	my ($lo, $hi) = ($ts & 0xffffffff, $ts >> 32);
	return (($lo * $mult) >> $shift) + ($hi ? ($hi * $mult) << (32 - $shift) : 0);
}

# A time stamp by the samples [time, offset, scaling] that TIME_SHIFT has for its CPU.
sub shifted {
	my ($ts, $samples, $interpolate) = @_;
	return $ts if !$samples || !@$samples;
	return $ts + $samples->[0][1] if @$samples == 1;
	my $i = 0;
	for (1 .. $#$samples - 1) { $i = $_ if $samples->[$_][0] <= $ts }
	my ($from, $to) = @$samples[$i, $i + 1];
	my $cor = $from->[1];
	if ($interpolate) {
		use integer;
		my $d = $to->[0] - $from->[0];
		$cor += (($ts - $from->[0]) * ($to->[1] - $from->[1]) + $d / 2) / $d;
	}
	return $ts * $from->[2] + $cor;
}

1;
