# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shown: since when each CPU shows its switches. Before its first one a task may have left it unseen: the recorder turns
# events on one after another, and a full buffer keeps the newest of each CPU.
package Zed::Shown;
use strict;
use warnings;

use Zed::Asked;

our $VERSION = '0.1';

my $BITS = 64;	# of a word: the CPUs without a switch as a condition

sub new {
	my ($class) = @_;
	my $self = bless { first => [], took => 0 }, $class;
	_watch($self);
	return $self;
}

# Perl is called for the first switch of each CPU, and for others of the CPUs of that number in further inputs.
sub _watch {
	my ($self) = @_;
	Zed::off($self->{id}) if defined $self->{id};
	my @where = where_without($self->{first}, 'cpu');
	$self->{id} = @where ? Zed::on('sched:switch', args => [qw(ts cpu)], follows => 1,
		where => join(' || ', @where), sub { _switched($self, @_) }) : undef;
	return;
}

sub _switched {
	my ($self, $ts, $cpu) = @_;
	my $source = Zed::source_index();
	return if defined $self->{first}[$source][$cpu];
	$self->{first}[$source][$cpu] = $ts;
	$self->{took} = 1 if $ts <= $Zed::Asked::LAST;
	_watch($self);
	return;
}

# Conditions, to be joined by "or": one of FIELDS, which hold a CPU, has a CPU without a time in FIRST, by source
# and CPU, of any input.
sub where_without {
	my ($first, @fields) = @_;
	my @words;	# sets of bits
	for (my $source = 0; defined(my $cpus = Zed::ncpus($source)); $source++) {
		for my $cpu (grep { !defined $first->[$source][$_] } 0 .. $cpus - 1) {
			$words[$cpu / $BITS] |= 1 << $cpu % $BITS;
		}
	}
	return map { my $n = $_; map { _in_word($_, $n * $BITS, $words[$n]) } @fields }
		grep { $words[$_] } 0 .. $#words;
}

sub _in_word {
	my ($field, $from, $bits) = @_;
	return sprintf '%s >= %d && %s < %d && ((0x%x >> (%s - %d)) & 1)', $field, $from, $field, $from + $BITS, $bits,
		$field, $from;
}

sub since { my ($self, $source, $cpu) = @_; return $self->{first}[$source][$cpu] }
sub took { return $_[0]{took} }

1;

__END__

=head1 NAME

Zed::Shown - since when each CPU of a trace shows its switches

=head1 SYNOPSIS

    use Zed::Shown;

    my $shown = Zed::Shown->new;

    sub irq::softirq_entry {
        my $since = $shown->since(Zed::source_index(), Zed::cpu());
        $unknown++ if !defined $since;
    }

=head1 DESCRIPTION

A task that is on a CPU leaves it by a switch. Before the first recorded switch of that CPU it may have left unseen, and
have come back: a recorder does not turn all events on at once, and a full buffer keeps the newest records of each CPU.
So the time that a task spent on the CPU is unknown there.

For the first switch of each CPU, Perl is called once.

=head1 METHODS

=over

=item Zed::Shown->new

Call it in the main program, before handlers of the switches are added: it is then up to date when they are called.

=item $shown->since(SOURCE, CPU)

The time of the first switch of that CPU, if there was one by now; else undef.

=item $shown->took

Was there a switch, of any CPU, up to the end of the chosen time? A trace may describe the event and have none.

=item Zed::Shown::where_without(FIRST, FIELD...)

Conditions for C<where>, to be joined by C<||>: a FIELD holds a CPU that has no time in FIRST,
C<< $first->[SOURCE][CPU] >>. Zed::Away uses it for its calls.

=back

=head1 SEE ALSO

Zed::Away, Zed::Ends, Zed::Asked

=head1 LICENCE

GPL-2.0-or-later

=cut
