# SPDX-License-Identifier: GPL-2.0-or-later
#
# Units: how a value of each type is written for people: scaled to three digits with a unit, or exactly.
package Zed::Units;
use strict;
use warnings;

our $VERSION = '0.1';

my $NS = 1_000_000_000;
my $MIB = 1 << 20;

# For each type: how it is shown, how it is written exactly, the unit in the head of an exact column, whether it is a
# number, and the unit of its values.
my %TYPES = (
	text => { shown => \&_text, exact => \&_text },
	int => { shown => \&_whole, exact => \&_whole, right => 1 },
	us => { shown => \&_span, exact => sub { return sprintf '%.3f', $_[0] / 1000 }, unit => 'us', right => 1,
		of => 'ns' },
	ms => { shown => \&_span, exact => sub { return sprintf '%.6f', $_[0] / 1_000_000 }, unit => 'ms', right => 1,
		of => 'ns' },
	bytes => { shown => \&_bytes, exact => \&_whole, unit => 'bytes', right => 1, of => 'bytes' },
	mib => { shown => sub { return _bytes($_[0] * $MIB) }, exact => \&_exact, unit => 'MiB', right => 1,
		of => 'MiB' },
	'mib/s' => { shown => sub { return _bytes($_[0] * $MIB) . '/s' }, exact => \&_exact, unit => 'MiB/s',
		right => 1, of => 'MiB/s' },
	share => { shown => sub { return sprintf '%.2f', 100 * $_[0] }, exact => sub { return _exact(100 * $_[0]) },
		right => 1, sign => '%' },
	number => { shown => \&_number, exact => \&_exact, right => 1 },
	'time' => { shown => \&_time, exact => \&_time, right => 1, of => 'ns' },
	ticks => { shown => sub { return sprintf '%.0f', $_[0] }, exact => \&_exact, unit => 'ticks', always => 1,
		right => 1, of => 'ticks' },
	tick => { shown => \&_whole, exact => \&_whole, right => 1, of => 'ticks' },
	'own us' => { like => 'us' },
	rate => { like => 'number' },
);

# Of a clock that does not count ns: what times become; undef: what there is no way to say.
my %IN_TICKS = (us => 'ticks', ms => 'ticks', 'time' => 'tick', rate => undef, 'mib/s' => undef);

# What a column of TYPE is, as the trace's clock counts: a type that has values, or undef.
sub of_trace {
	my ($type) = @_;
	return $IN_TICKS{$type} if exists $IN_TICKS{$type} && !Zed::_counts_ns();
	return ($TYPES{$type} // {})->{like} // $type;
}

sub _text { return Zed::plain($_[0]) }

# perl accepts blanks and a newline around a number.
sub _whole { return $_[0] =~ /\A-?[0-9]+\z/ ? "$_[0]" : Zed::plain("$_[0]") }

# A value that is not a number of ns is not a duration either.
sub _span { return Zed::_duration_ns($_[0]) // Zed::plain("$_[0]") }
sub _exact { return sprintf '%.15g', $_[0] }

sub _time {
	my ($ns) = @_;
	return sprintf '%d.%09d', int($ns / $NS), $ns % $NS;
}

# Three digits.
sub _digits {
	my ($x) = @_;
	my $amount = abs $x;
	return sprintf '%.*f', $amount >= 99.95 ? 0 : $amount >= 9.995 ? 1 : 2, $x;
}

# No fraction from a thousand on.
sub _number {
	my ($x) = @_;
	my $amount = abs $x;
	return '0' if !$amount;
	return sprintf '%.2g', $x if $amount < 0.01 || $amount >= 1e15;
	return _digits($x);
}

# Powers of 1024, like the kernel's own sizes.
sub _bytes {
	my ($bytes) = @_;
	my @units = qw(B KiB MiB GiB TiB PiB EiB);
	my ($x, $unit) = ($bytes, 0);
	while (abs $x >= 999.5 && $unit < $#units) {
		$x /= 1024;
		$unit++;
	}
	return ($unit || $x != int $x ? _digits($x) : int $x) . " $units[$unit]";
}

sub types { return sort keys %TYPES }
sub is_type { return exists $TYPES{$_[0]} }
sub says_unit { return $TYPES{$_[0]}{always} }
sub is_number { return $TYPES{$_[0]}{right} }
sub of_values { return ($TYPES{$_[0]} // {})->{of} }

sub shown { my ($type, $value) = @_; return defined $value ? $TYPES{$type}{shown}->($value) : '-' }
sub exact { my ($type, $value) = @_; return defined $value ? $TYPES{$type}{exact}->($value) : '-' }

# A time of the trace, in a sentence.
sub at { my ($ts) = @_; return shown(of_trace('time'), $ts) }

# The head of a column whose values are exact.
sub head {
	my ($type, $head) = @_;
	my $unit = $TYPES{$type}{unit};
	return !defined $unit || $head =~ /(?:^| )\Q$unit\E\z/ ? $head : $head eq '' ? $unit : "$head $unit";
}

# A value in a column of several types: always with its unit.
sub alone {
	my ($type, $value, $exact) = @_;
	return '-' if !defined $value;
	my $unit = $TYPES{$type}{sign} // ($exact || says_unit($type) ? $TYPES{$type}{unit} : undef);
	return ($exact ? exact($type, $value) : shown($type, $value)) . (defined $unit ? " $unit" : '');
}

1;

__END__

=head1 NAME

Zed::Units - values as people read them: 31.8 s, 70.8 MiB, 8.10 ms; or exactly

=head1 SYNOPSIS

    use Zed::Units;

    print Zed::Units::shown('us', 8_100_000), "\n";     # 8.10 ms
    print Zed::Units::exact('us', 8_100_000), "\n";     # 8100.000

=head1 DESCRIPTION

The types of the columns of a Zed::Table, and how their values are written:

=over

=item text

Made plain: control characters as C<\xNN>.

=item int

As it is.

=item us, ms

A time span in ns, scaled: 640 ns, 8.10 ms, 31.8 s. Exact, in the unit that the type names.

=item bytes; mib, mib/s

A number of bytes, of MiB, of MiB per second, scaled by powers of 1024: 512 B, 4.00 KiB, 70.8 MiB/s.
Exact, in bytes and in MiB.

=item share

A part of 1, in percent.

=item number

Three digits, no fraction from a thousand on; exact, with fifteen digits.

=item time

A time of the trace, in ns, as seconds with nine digits.

=item ticks, tick

What us and ms, and time, become if the trace's clock does not count ns: a number of its ticks.

=item own us

As us, of what is in ns whatever the trace's clock counts.

=item rate

As number, of a rate a second. If the trace's clock does not count ns, there is none.

=back

=head1 FUNCTIONS

=over

=item Zed::Units::shown(TYPE, VALUE), Zed::Units::exact(TYPE, VALUE)

The value as text; undef is C<->.

=item Zed::Units::head(TYPE, HEAD)

The head of a column of exact values: with the unit.

=item Zed::Units::alone(TYPE, VALUE, [EXACT])

The value with its unit, for a column of several types.

=item Zed::Units::of_values(TYPE)

The unit that the values themselves have, as B<--json> and B<--csv> write them: C<ns> for C<us>, C<ms> and C<time>,
C<bytes>, C<MiB>, C<MiB/s>; undef for the others.

=item Zed::Units::of_trace(TYPE)

The type that a column of TYPE is shown in, as the clock of the trace counts; undef: it is left out.

=item Zed::Units::at(TS)

A time of the trace as text, as its clock counts.

=item Zed::Units::says_unit(TYPE)

Does the head of such a column have the unit in any case?

=item Zed::Units::types, Zed::Units::is_type(TYPE), Zed::Units::is_number(TYPE)

The names of all types; whether it is one; whether its values are right-aligned.

=back

=head1 SEE ALSO

Zed::Table, Zed::Grid

=head1 LICENCE

GPL-2.0-or-later

=cut
