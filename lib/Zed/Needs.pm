# SPDX-License-Identifier: GPL-2.0-or-later
#
# Needs: of which events an analysis makes its answer, as the head of its script says; and whether a trace has them.
package Zed::Needs;
use strict;
use warnings;

our $VERSION = '0.1';

# What is no event: an event of any kind that has a stack; a loss.
my %MEANS = (stack => 'event with a stack', loss => 'loss');

# undef: the script is about no trace.
sub of {
	my ($class, $path) = @_;
	my $self = bless { purpose => '', records => [], sets => [] }, $class;
	open my $in, '<', $path or return;
	while (<$in>) {
		return if /^# zedperl: reads no trace itself$/;
		push @{$self->{sets}}, [split ' ', $1] if /^# zedperl: is made of (.*)/;
		$self->{records} = [split ' ', $1] if /^# zedtrace: (.*)/;
		$self->{purpose} = $1 if /^\S+\.pl - (.*)/;
	}
	close $in;
	return $self;
}

sub purpose { return $_[0]{purpose} }
sub is_declared { return !!@{$_[0]{sets}} }

# ---- events by name ----

sub _pattern {
	my ($word) = @_;
	my ($system, $event) = split /:/, $word;
	return join ':', map { join '.*', map { quotemeta } split /\*/, $_ // '*', -1 } $system, $event;
}

# Is one of the words that "|" separates in WORD the name of something in THERE?
sub _has {
	my ($there, $word) = @_;
	my $any = join '|', map { $MEANS{$_} ? quotemeta : _pattern($_) } split /\|/, $word;
	return scalar grep { /^(?:$any)\z/ } keys %$there;
}

sub are_met {
	my ($self, $there) = @_;
	my @sets = @{$self->{sets}} or return 1;
	for my $set (@sets) {
		return 1 if !grep { !_has($there, $_) } @$set;
	}
	return 0;
}

# Of what the script asks to record.  One that is made of any events asks for them as an example.
sub lacks {
	my ($self, $there) = @_;
	my $made_of = join ' ', map { @$_ } @{$self->{sets}};
	return $made_of =~ /\w:/ ? grep { !_has($there, $_) } @{$self->{records}} : ();
}

# ---- as words ----

sub words {
	my ($self) = @_;
	return join ', no ', map { join ' with ', map { join ' or ', map { $MEANS{$_} // $_ } split /\|/ } @$_ }
		@{$self->{sets}};
}

1;

__END__

=head1 NAME

Zed::Needs - of which events an analysis makes its answer

=head1 SYNOPSIS

    # zedperl: is made of irq:irq_handler_entry irq:irq_handler_exit

    my $needs = Zed::Needs->of('scripts/irq.pl');

    print "the trace has no ", $needs->words, "\n" if !$needs->are_met({ 'sched:sched_switch' => 4 });

=head1 DESCRIPTION

A script says at its head what has to occur in a trace, that it has rows. Each line C<zedperl: is made of>
is a set of events that suffices; it needs all words of one of them. A word is the name of an event, as the
kernel calls it, or a pattern (C<syscalls:sys_enter_*>), or several of them with C<|> between, of which one is
enough; or C<stack>, an event of any kind with a stack, or C<loss>. A script without such a line needs nothing.

What it asks to record besides (C<zedtrace:>) adds to the answer; where it is made of any event (C<*:*>, C<stack>,
C<loss>) that is an example.

=head1 METHODS

=over

=item Zed::Needs->of(PATH)

Of the script at PATH; undef if it reads no trace itself.

=item $needs->purpose

What it answers, in the words of its manual.

=item $needs->is_declared

Does it say what it is made of?

=item $needs->are_met(THERE), $needs->lacks(THERE)

THERE is a reference to a hash whose keys are names of events that occurred, C<SYSTEM:EVENT>, and C<stack> and
C<loss>. Does it have rows of them? What, of the words of its line C<zedtrace:>, is not there?

=item $needs->words

What it is made of, to stand after "no".

=back

=head1 SEE ALSO

Zed::Report, summary of zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
