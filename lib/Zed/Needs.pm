# SPDX-License-Identifier: GPL-2.0-or-later
#
# Needs: the events from which an analysis makes its answer, as the head of its script declares, and whether a trace has
# them.
package Zed::Needs;
use strict;
use warnings;

our $VERSION = '0.1';

# Events of which LTTng has one for each system call: a handler takes all of them by these names.
## no critic (ProhibitPackageVars) a table
our %MADE = ('raw_syscalls:sys_enter' => 'syscall:enter', 'raw_syscalls:sys_exit' => 'syscall:exit');
## use critic (ProhibitPackageVars)

# Words that are not event names: an event of any kind that has a stack; a loss.
my %MEANS = (stack => 'event with a stack', loss => 'loss');

# undef: the script does not read a trace.
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

# Is one of the words in WORD, separated by "|", the name of something in THERE?
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

# The events that the script asks to record. If it is made of any events, these are an example.
sub lacks {
	my ($self, $there) = @_;
	my $made_of = join ' ', map { @$_ } @{$self->{sets}};
	return $made_of =~ /\w:/ ? grep { !_has($there, $_) } @{$self->{records}} : ();
}

# The names of the events that it is made of, or undef if patterns are among them.
sub names {
	my ($self) = @_;
	my %names = map { $_ => 1 } map { split /\|/ } map { @$_ } @{$self->{sets}};
	return grep({ !/:/ || /\*/ } keys %names) ? undef : [sort keys %names];
}

# Of the set that is nearest to being met: the words that are not in THERE; all sets if no word of them is.
sub missing {
	my ($self, $there) = @_;
	my ($least, $some);
	for my $set (@{$self->{sets}}) {
		my @missing = grep { !_has($there, $_) } @$set;
		$some ||= @missing < @$set;
		$least = \@missing if !$least || @missing < @$least;
	}
	return if !$least || !@$least;
	return $some ? join ', no ', map { _words($_) } @$least : words($self);
}

# What the script asks to record, as perf record takes it: a system is a pattern, which a shell must not see.
sub perf_events {
	my ($self) = @_;
	return map { /\*/ ? "'$_'" : $_ } map { /:/ ? $_ : "$_:*" } @{$self->{records}};
}

# ---- as words ----

sub _words { my ($word) = @_; return join ' or ', map { $MEANS{$_} // $_ } split /\|/, $word }

sub words {
	my ($self) = @_;
	return join ', no ', map { join ' with ', map { _words($_) } @$_ } @{$self->{sets}};
}

1;

__END__

=head1 NAME

Zed::Needs - the events from which an analysis makes its answer

=head1 SYNOPSIS

    # zedperl: is made of irq:irq_handler_entry irq:irq_handler_exit

    my $needs = Zed::Needs->of('scripts/irq.pl');

    print "the trace has no ", $needs->words, "\n" if !$needs->are_met({ 'sched:sched_switch' => 4 });

=head1 DESCRIPTION

The head of a script declares what has to occur in a trace for the answer to have rows. Each line C<zedperl: is made of>
is a set of events that suffices; all words of one of these lines are needed. A word is the kernel's name of an event,
or a pattern (C<syscalls:sys_enter_*>), or several of them separated by C<|>, one of which is enough; or C<stack>, an
event of any kind with a stack, or C<loss>. A script without such a line needs nothing.

Further events that it asks to record (C<zedtrace:>) add to the answer; if it is made of any event (C<*:*>, C<stack>,
C<loss>) they are an example.

=head1 METHODS

=over

=item Zed::Needs->of(PATH)

Of the script at PATH; undef if it does not read a trace itself.

=item $needs->purpose

Its purpose, in the words of its manual.

=item $needs->is_declared

Does it declare what it is made of?

=item $needs->are_met(THERE), $needs->lacks(THERE)

THERE is a reference to a hash whose keys are names of events that occurred, C<SYSTEM:EVENT>, and C<stack> and C<loss>.
are_met(): do they suffice for rows? lacks(): the words of its line C<zedtrace:> that are not in THERE.

=item $needs->words

The events that it is made of, as words that follow "no".

=item $needs->perf_events

What the script asks to record, as words after B<-e> of perf record.

=item $needs->names

The names of all these events, a reference to an array; undef if some are patterns or no events.

=item $needs->missing(THERE)

Those that are not in THERE and that would suffice with what is, as words that follow "no"; undef if nothing is missing.

=back

=head1 SEE ALSO

Zed::Report, summary of zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
