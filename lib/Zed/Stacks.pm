# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks: which event came with which stack, the weight of each stack, and both as folded lines or for speedscope.
package Zed::Stacks;
use strict;
use warnings;

use Zed::Intervals;
use Zed::State;

our $VERSION = '0.1';

my $TRACER = qr/^(?:trace_event_raw_event_|trace_event_buffer_|__traceiter_|__bpf_trace_|perf_trace_|
	ftrace_|trace_|stack_trace_|__ftrace_|return_to_handler|function_stack_trace_call|
	__trace_stack|arch_stack_walk)/x;

# Functions that come and go, and addresses that may become theirs: names by the address alone are not cached.
my $PASSING = qr/^(?:bpf_|0x)/;

# Ends the key of a stack whose program has other functions at other times (code that it compiles itself).
my $CHANGING = "\xff" x 8;

my $SHOWN = 8;	# frames of a stack in a table

# Entries cached for each input; if there are more, the cache is cleared.
my $REMEMBERED = 20_000;

sub new {
	my ($class, %o) = @_;
	for (grep { $_ ne 'cut' } sort keys %o) {
		require Carp;
		Carp::croak("Zed::Stacks: '$_' (it takes cut, a pattern)");
	}
	my $self = bless { cut => $o{cut}, weight => {}, names => [], names_there => [], known => [],
		before => [], n => 0, records => 0, records_of => {} }, $class;
	Zed::Intervals::counts(map { \$self->{$_} } qw(weight n records records_of));
	return $self;
}

# ---- weights ----

# A text must not contain the separators of frames and lines.
sub frame {
	my ($text) = @_;
	return Zed::plain($text) =~ tr/;/:/r;
}

sub add {
	my ($self, $stack, $weight) = @_;
	my $sum = $self->{weight}{$stack} += $weight;
	delete $self->{weight}{$stack} if !$sum;
	return;
}

sub weights { return $_[0]{weight} }

# ---- names ----

# The function at an address, or the address.
sub _found { my ($address) = @_; return frame((Zed::symbol($address) // sprintf '0x%x', $address) =~ s/\+0x\w+\z//r) }

# The functions at an address, with --inline also those that were inlined there, the innermost first; CALLER: it is not
# the first one of its stack.
sub _functions {
	my ($address, $caller) = @_;
	return ((map { frame("$_ (inlined)") } Zed::inlined($address, $caller)), _found($address));
}

# The same of an address of the kernel, which are the same in all processes.
sub _names {
	my ($self, $source, $address, $caller) = @_;
	my $names = $self->{names}[$source] //= {};
	%$names = () if keys %$names >= $REMEMBERED;
	my $key = ($caller ? '<' : '') . $address;
	return @{$names->{$key} // do {
		my @names = _functions($address, $caller);
		$names->{$key} = \@names if $names[-1] !~ $PASSING;
		\@names;
	}};
}

# The same of one of the program; KEY, of its stack, ends with what tells its mappings from others.
sub _names_there {
	my ($self, $source, $key, $address, $caller) = @_;
	my $mappings = substr $key, -8;
	return _functions($address, $caller) if $mappings eq $CHANGING;
	my $names = $self->{names_there}[$source] //= {};
	%$names = () if keys %$names >= $REMEMBERED;
	return @{$names->{($caller ? '<' : '') . $address . $mappings} //= [_functions($address, $caller)]};
}

# Markers that end a stack on old kernels, and what is behind them, are left out.
sub _without_end {
	my (@addresses) = @_;
	for my $i (0 .. $#addresses) {
		my $address = $addresses[$i];
		return @addresses[0 .. $i - 1] if !$address || $address == ~0 || $address == 0xffff_ffff;
	}
	return @addresses;
}

# The frames of a stack, given innermost first, from the outermost on, without those of the tracer: addresses, and last
# of all a reference to the names of those of the program, which are those of this event alone: another process has
# other functions there.
sub text {
	my ($self, @addresses) = @_;
	my @user = ref $addresses[-1] ? @{pop @addresses} : ();
	my $source = Zed::source_index();
	my @kernel = _without_end(@addresses);
	my @names = ((map { _names($self, $source, $kernel[$_], $_ > 0) } 0 .. $#kernel), @user);
	shift @names while @names > 1 && ($names[0] =~ $TRACER || $self->{cut} && $names[0] =~ $self->{cut});
	return join ';', reverse @names;
}

# The stack of this event, which was not seen before: [text, how many records it is].
sub _meet {
	my ($self, $source, $key) = @_;
	my @kernel = Zed::stack('kernel');
	my @user = _without_end(Zed::stack('user'));
	my @names = map { _names_there($self, $source, $key, $user[$_], $_ > 0) } 0 .. $#user;
	my $met = [text($self, @kernel, \@names), !!@kernel + !!@user];
	return $met if substr($key, -8) eq $CHANGING;
	my $known = $self->{known}[$source] //= {};
	%$known = () if keys %$known >= $REMEMBERED;
	return $known->{$key} = $met;
}

# ---- which stack belongs to which event ----

# The events of several patterns, each once. A pattern that matches no event of the trace itself is kept as it is.
sub events {
	my (@patterns) = @_;
	return @patterns if @patterns < 2;
	my (%seen, @events);
	my @all = map { s/::/:/r } Zed::events();
	for my $pattern (@patterns) {
		my $is = join '', map { $_ eq '*' ? '.*' : $_ eq '?' ? '.' : quotemeta } split /([*?])/,
			$pattern =~ /:/ ? $pattern : "$pattern:*";
		my @names = grep { /^$is\z/ } @all;
		push @events, grep { !$seen{$_}++ } @names ? @names : $pattern;
	}
	return @events;
}

# CODE is called for each event of EVENTS (names, patterns) that has a stack, with the values of FIELDS (names of
# fields, with start. or end. before them where others have that) and the stack. An event that lacks one of the fields
# is left out.
sub after {
	my ($self, $events, $fields, $code, @how) = @_;
	my @names = map { s/^(?:start|end)\.//r } @$fields;
	my @own = grep { $names[$_] !~ /^common_/ } 0 .. $#names;
	my $handler = sub {
		my $key = Zed::_stack_key() // return;
		my $source = Zed::source_index();
		# Most events of a profile have a stack that others had.
		my ($text, $records) = @{$self->{known}[$source]{$key} // _meet($self, $source, $key)};
		$self->{records} += $records;
		$self->{records_of}{$source} += $records;
		return if @own && grep { !defined $_[$_] } @own;
		$self->{n}++;
		$code->(@_, $text);
	};
	Zed::on($_, args => \@names, @how, $handler) for events(@$events);
	return;
}

# How many events had a stack; how many records of stacks belonged to one.
sub n { return $_[0]{n} }

# The weights as plain data, and merging those of another run.
sub plain { my ($self) = @_; return { weight => { %{$self->{weight}} }, n => $self->{n}, records => records($self) } }

sub merge_plain {
	my ($self, $data) = @_;
	my $weight = $data->{weight} // {};
	if (ref $weight ne 'HASH' || grep { !Zed::State::is_number($_) } values %$weight, @$data{qw(n records)}) {
		require Carp;
		Carp::croak('Zed::Stacks: the state makes no sense');
	}
	$self->add($_, $weight->{$_}) for keys %$weight;
	$self->{$_} = ($self->{$_} // 0) + $data->{$_} for qw(n records);
	return $self;
}

sub records {
	my ($self, $source) = @_;
	return (defined $source ? $self->{records_of}{$source} : $self->{records}) // 0;
}

# ---- output ----

# A stack for a table: the innermost frame first; of many frames not all, unless ALL.
sub shown {
	my ($stack, $all) = @_;
	my @frames = reverse split /;/, $stack;
	return join ' < ', @frames if $all || @frames <= $SHOWN + 1;
	return join(' < ', @frames[0 .. $SHOWN - 1]) . ' < ... < ' . $frames[-1];
}

sub folded {
	my ($self, $scale) = @_;
	my $weight = $self->{weight};
	return map { "$_ " . int($weight->{$_} / ($scale // 1) + 0.5) . "\n" } sort keys %$weight;
}

sub speedscope {
	my ($self, $name, $unit) = @_;
	my (%index, @frames, @samples, @weights);
	my $end = 0;
	for my $stack (sort keys %{$self->{weight}}) {
		push @samples, [map { $index{$_} //= push(@frames, { name => $_ }) - 1 } split /;/, $stack];
		push @weights, $self->{weight}{$stack};
		$end += $weights[-1];
	}
	require Zed::Table;
	my $schema = '$schema';	## no critic (RequireInterpolationOfMetachars)
	return Zed::Table::json({ $schema => 'https://www.speedscope.app/file-format-schema.json',
		name => $name, exporter => 'zedperl', activeProfileIndex => 0, shared => { frames => \@frames },
		profiles => [{ type => 'sampled', name => $name, unit => $unit, startValue => 0, endValue => $end,
			samples => \@samples, weights => \@weights }] }) . "\n";
}

# For each function: its own weight, and that with all that it calls; a function that calls itself counts once. If ROOT,
# the first frame is not a function.
sub functions {
	my ($self, $root) = @_;
	my (%alone, %total);
	keys %{$self->{weight}};
	while (my ($stack, $weight) = each %{$self->{weight}}) {
		my (undef, @frames) = $root ? split /;/, $stack : (undef, split /;/, $stack);
		next if !@frames;
		my %seen;
		$alone{$frames[-1]} += $weight;
		$total{$_} += $weight for grep { !$seen{$_}++ } @frames;
	}
	return map { { function => $_, self => $alone{$_} // 0, total => $total{$_} } } sort keys %total;
}

1;

__END__

=head1 NAME

Zed::Stacks - which event came with which stack, and the weight of each stack

=head1 SYNOPSIS

    use Zed::Stacks;

    my $stacks = Zed::Stacks->new;

    $stacks->after(['kmem:kmalloc'], ['bytes_alloc'], sub {
        my ($bytes, $stack) = @_;

        $stacks->add($stack, $bytes);
    });

    sub trace_end { print $stacks->folded }

=head1 DESCRIPTION

ftrace records a stack as an event of its own, right after the one that it belongs to; perf puts it
into the event. This module finds both. A stack is a text, C<outermost;...;innermost>, as flame
graphs take it, without the functions of the tracer itself. An address without a name (Zed::symbol)
stays a number.

=head1 METHODS

=over

=item Zed::Stacks->new([cut => PATTERN])

PATTERN: functions that are cut off if they are the innermost, in addition to those of the tracer.

=item $stacks->after([EVENT, ...], [FIELD, ...], CODE, [HOW])

CODE is called for each of these events that has a stack, with the values of its fields
(C<bytes_alloc>, C<common_comm>) and the stack, the kernel's within the program's (Zed::stack).
C<*:*> means all events. HOW is passed to Zed::on, for example C<< follows => 1 >>.

A stack belongs to an event if it is the next record of that CPU, of the same task. If anything came
between, such as an interrupt or a loss, the event has no stack.

=item Zed::Stacks::events(PATTERN, ...)

The names of the events that match several patterns, each once; unchanged, if there is one pattern, or if it matches no
event of the trace itself. after() does that with its events.

=item $stacks->n, $stacks->records([SOURCE])

The number of events that had a stack, and the number of stack records that belonged to an event: of
all inputs, or of one.

=item $stacks->text(ADDRESS, ... [, NAMES])

The text of a stack of these addresses of the kernel, the innermost first, within NAMES, a reference
to an array of frames of the program.

=item Zed::Stacks::frame(TEXT)

TEXT in a form that is allowed in a stack.

=item Zed::Stacks::shown(STACK [, ALL])

A stack for a table: C<< innermost < ... < outermost >>; of many frames not all, unless ALL is true.

=item $stacks->add(STACK, WEIGHT), $stacks->weights

add() adds to the weight of a stack; weights() returns all stacks with their weights, a reference to
a hash.

=item $stacks->folded([SCALE])

Sorted lines C<outermost;...;innermost WEIGHT>, each weight divided by SCALE.

=item $stacks->speedscope(NAME, UNIT)

The same as JSON for L<https://www.speedscope.app>. UNIT: C<none>, C<nanoseconds>, C<microseconds>,
C<milliseconds>, C<seconds> or C<bytes>.

=item $stacks->functions([ROOT])

A row for each function: C<function>, C<self>, C<total>. If ROOT is true, the outermost frame is not
a function but the task.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
