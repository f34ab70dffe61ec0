# SPDX-License-Identifier: GPL-2.0-or-later
#
# Metric: Zed::metric, and what its options may be. The C side (interp/metrics/metric.c) makes the object and has its
# methods; interp/Zed.pm documents them.
package Zed::Metric;
use strict;
use warnings;

my %type = (counter => 0, gauge => 1, histogram => 2, summary => 3);
my %part = (count => 1, sum => 2, min => 3, max => 4, mean => 5, stddev => 6);
my @seconds = map { ("1e-$_" + 0, "5e-$_" + 0) } reverse 1 .. 6;	# 1 us to 0.5 s

# Aggregations that are told, which must not end with the variables that hold them.
our @kept;

sub _croak {
	require Carp;
	local @Carp::CARP_NOT = ('Zed');
	Carp::croak(@_);
}

sub _list {
	my ($name, $v, $what) = @_;
	_croak("Zed::metric: $name: $what") if ref $v ne 'ARRAY';
	return $v;
}

sub _whole {
	my ($name, $v, $min, $max) = @_;
	_croak("Zed::metric: $name is a whole number from $min to $max")
		if !defined $v || $v !~ /\A[0-9]{1,9}\z/ || $v < $min || $v > $max;
	return $v;
}

# 1e-9 -> -9
sub _power {
	my ($v) = @_;
	for (-18 .. 18) {
		return $_ if defined $v && $v eq "1e$_" + 0;
	}
	return _croak('Zed::metric: scale must be a power of ten from 1e-18 to 1e18: 1e-9 shows ns as seconds');
}

sub Zed::metric {
	my ($type, $name, %o) = @_ % 2 ? () : @_;
	_croak('usage: Zed::metric(counter | gauge | histogram | summary => NAME, [help => TEXT,] [labels => ' .
		'[NAME...],] ' .
		'[scale => 1e-9,] [max_series => N,] [buckets => [LIMIT...],] [from => AGGREGATION,] [value => WHAT])')
		if !defined $name || !exists $type{$type};
	my %given = %o;
	my ($help, $labels, $scale, $max, $buckets, $from, $value) =
		delete @o{qw(help labels scale max_series buckets from value)};
	_croak("Zed::metric: unknown option '$_'") for sort keys %o;
	if (defined $from) {
		_croak('Zed::metric: from must be an aggregation (of Zed::count and the like)')
			if !ref $from || !eval { $from->isa('Zed::Aggregate') };
		_croak('Zed::metric: buckets cannot be given: the aggregation sets them') if $buckets;
		$labels //= $from->{by};
		$help //= Zed::Aggregate::_title($from);
		_croak("Zed::metric: $name: the aggregation has " . @{$from->{by}}
			. ' parts of a key (by), so it needs as many labels')
			if @{_list(labels => $labels, 'a reference to an array of names')} != @{$from->{by}};
	}
	_croak('Zed::metric: value chooses a number of an aggregation (from): ' . join ', ', sort keys %part)
		if defined $value && !(defined $from && $part{$value});
	_croak('Zed::metric: only a histogram takes buckets') if $buckets && $type ne 'histogram';
	my $made = _new(
		$type{$type}, $name, $help, _list(labels => $labels // [], 'a reference to an array of names'),
		exists $given{scale} ? _power($scale) : 0, exists $given{max_series}
			? _whole(max_series => $max, 1, 1_000_000) : 10_000,
		$type eq 'histogram' && !$from ? _list(buckets => $buckets // [@seconds, 1, 5, 10],
			'a reference to an array of limits') : [],
		$from, defined $value ? $part{$value} : 0, $from && $from->{quantiles} || []);
	_croak("Zed::metric: $made") if !ref $made;
	push @kept, $from if $from;
	return $made;
}

1;
