# SPDX-License-Identifier: GPL-2.0-or-later
#
# Beyond: losses that reach into the time that is asked for, and end after it. They are counted where they end; a time
# before that has lost an unknown share of them, and has to say so.
package Zed::Beyond;
use strict;
use warnings;

use Zed::Asked;

our $VERSION = '0.1';

my $SAID = 3;	# losses that a message names
my @FIELDS = qw(source instance cpu count from to);

sub new { return bless { losses => {} }, $_[0] }

# For Zed::Intervals::counts: each interval has its own.
sub losses { return $_[0]{losses} }

# FROM undef: not known, as before a CPU's first record. COUNT undef: not known.
sub add {
	my ($self, %loss) = @_;
	return if !reaches($loss{from}, $loss{to}) || !Zed::Asked::tells_end();
	# Of several with an unknown begin the earliest.
	$self->{losses}{join "\0", @loss{qw(source instance cpu)}} //= \%loss;
	return;
}

# Does a loss end after the time that is asked for, and begin before that is over?
sub reaches {
	my ($from, $to) = @_;
	return $to > $Zed::Asked::LAST && (!defined $from || $from < $Zed::Asked::LAST);
}

# In the order of CPUs (in scalar context how many); only those that have all values of WHERE.
sub all {
	my ($self, %where) = @_;
	my @all = grep { my $loss = $_; !grep { $loss->{$_} ne $where{$_} } keys %where } values %{$self->{losses}};
	@all = sort { $a->{cpu} <=> $b->{cpu} || $a->{to} <=> $b->{to} || _key($a) cmp _key($b) } @all;
	return @all;
}

sub _key { my ($loss) = @_; return join "\0", map { $_ // '' } @$loss{@FIELDS} }

sub events {
	my ($self) = @_;
	my $n = 0;
	$n += $_->{count} // 0 for all($self);
	return $n;
}

sub unknown { my ($self) = @_; return scalar grep { !defined $_->{count} } all($self) }

# undef: there are none.
sub text {
	my ($self) = @_;
	my @all = all($self) or return;
	my @said = map { _one($_) } @all > $SAID ? @all[0 .. $SAID - 1] : @all;
	my $more = @all - @said;
	push @said, "$more more " . ($more == 1 ? 'loss' : 'losses') if $more;
	my $last = pop @said;
	return 'events were lost in this time, an unknown share of '
		. (@said ? join(', of ', @said) . ' and of ' : '') . $last;
}

sub _one {
	my ($loss) = @_;
	my $to = _time($loss->{to});
	return ($loss->{count} // 'an unknown number') . " on CPU $loss->{cpu} " .
		(defined $loss->{from} ? 'between ' . _time($loss->{from}) . " and $to" : "before $to");
}

sub _time { return sprintf '%d.%09d', int($_[0] / 1_000_000_000), $_[0] % 1_000_000_000 }

# ---- states ----

sub plain { my ($self) = @_; return [map { my $loss = $_; [@$loss{@FIELDS}] } all($self)] }

sub merge_plain {
	my ($self, $data) = @_;
	die "what was lost beyond its end makes no sense\n" if ref $data ne 'ARRAY' || grep { !_is_plain($_) } @$data;
	for my $values (@$data) {
		my %loss;
		@loss{@FIELDS} = @$values;
		$self->{losses}{_key(\%loss)} = \%loss;
	}
	return;
}

sub _is_plain {
	my ($values) = @_;
	return if ref $values ne 'ARRAY' || @$values != @FIELDS;
	my %loss;
	@loss{@FIELDS} = @$values;
	return if grep { ref } @$values or ref \$loss{instance} ne 'SCALAR' || !defined $loss{instance};
	return !grep { !/\A\d{1,20}\z/ } @loss{qw(source cpu to)}, grep { defined } @loss{qw(count from)};
}

1;

__END__

=head1 NAME

Zed::Beyond - losses that reach into the time that was asked for, and end after it

=head1 SYNOPSIS

    use Zed::Beyond;

    my $beyond = Zed::Beyond->new;

    sub trace_lost {
        my ($cpu, $count) = @_;
        $beyond->add(source => Zed::lost_source(), instance => Zed::instance(), cpu => $cpu, count => $count,
            from => scalar Zed::lost_since(), to => Zed::ts());
    }
    sub trace_end { print $beyond->text // 'nothing', "\n" }

=head1 DESCRIPTION

A loss is known at the next record of its CPU, and counts there. A time that ends before that record, and after the
last one before the loss, has lost an unknown share of the events. Zed::Report says so above the tables.

=head1 METHODS

=over

=item Zed::Beyond->new

=item $beyond->add(source => N, instance => NAME, cpu => N, count => N, from => NS, to => NS)

A loss, which is kept if it ends after the time that is asked for (see Zed::Asked) and began before that was over.
C<count> and C<from> are undef where they are not known. Of the losses of a CPU the first is kept: others are later.

=item Zed::Beyond::reaches(FROM, TO)

Whether a loss is one of these.

=item $beyond->all([cpu => N, ...])

The losses, references to hashes, in the order of CPUs; only those with such values.

=item $beyond->events, $beyond->unknown

How many events these were together, and at how many of the losses that is not known.

=item $beyond->text

A sentence, undef if there are none.

=item $beyond->losses

The reference to their hash, for Zed::Intervals::counts.

=item $beyond->plain, $beyond->merge_plain(DATA)

For states: see Zed::State(3).

=back

=head1 SEE ALSO

Zed::Report(3), Zed::Asked(3), lost.pl

=head1 LICENCE

GPL-2.0-or-later

=cut
