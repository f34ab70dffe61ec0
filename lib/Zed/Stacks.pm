# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks: which event came with which stack, what each stack weighs, and both as folded lines or for speedscope.
package Zed::Stacks;
use strict;
use warnings;

our $VERSION = '0.1';

my $TRACER = qr/^(?:trace_event_raw_event_|trace_event_buffer_|__traceiter_|__bpf_trace_|perf_trace_|ftrace_|trace_|stack_trace_|
	__ftrace_|return_to_handler|function_stack_trace_call|__trace_stack|arch_stack_walk)/x;

my $number = 0;		# of the synthetic events, which need names of their own

sub new {
	my ($class, %o) = @_;
	for (grep { $_ ne 'cut' } sort keys %o) {
		require Carp;
		Carp::croak("Zed::Stacks: '$_' (it takes cut, a pattern)");
	}
	return bless { cut => $o{cut}, weight => {}, names => [], texts => [], before => [], n => 0 }, $class;
}

# ---- what weighs how much ----

# A text cannot have what separates frames and lines.
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

# The function at an address of the kernel, or the address.
sub _name {
	my ($self, $source, $address) = @_;
	return $self->{names}[$source]{$address} //= frame((Zed::symbol($address) // sprintf '0x%x', $address) =~ s/\+0x\w+\z//r);
}

# The frames of a stack whose innermost comes first, from the outermost on, without those of the tracer.  Behind what an
# old kernel ends a stack with there is nothing.
sub text {
	my ($self, @addresses) = @_;
	my $source = Zed::source_index();
	my $key = pack 'Q*', @addresses;
	my $known = $self->{texts}[$source]{$key};
	return $known if defined $known;
	my @names;
	for (@addresses) {
		last if !$_ || $_ == ~0 || $_ == 0xffff_ffff;
		push @names, _name($self, $source, $_);
	}
	shift @names while @names > 1 && ($names[0] =~ $TRACER || $self->{cut} && $names[0] =~ $self->{cut});
	return $self->{texts}[$source]{$key} = join ';', reverse @names;
}

# ---- which stack belongs to which event ----

# CODE is called for each event of EVENTS (names, patterns) that has a stack, with the values of FIELDS (formulas over
# start. and end., as Zed::synthetic takes them), the stack, and the one that it takes the place of, if that was a part of it.
sub after {
	my ($self, $events, $fields, $code) = @_;
	my %there = map { $_ => 1 } Zed::events();
	my $at = ++$number;
	my $starts = _without_stacks($events);
	_records($self, $starts, $fields, $code, $at, $_) for grep { $there{"ftrace::${_}_stack"} } qw(kernel user);
	_chains($self, $starts, $fields, $code) if !$there{'ftrace::kernel_stack'} && !$there{'ftrace::user_stack'} || _inputs() > 1;
	return;
}

sub _inputs { return defined Zed::ncpus(1) ? 2 : 1 }

# Where there is one buffer only, its name need not be compared each time.
sub _buffers {
	my ($n, %names) = (0);
	while (my @spans = eval { Zed::spans($n) }) {
		$names{$_->{instance}} = 1 for @spans;
		$n++;
	}
	return scalar keys %names;
}

# Stacks that are events: right behind theirs, on the same CPU, in the same task.  One of the user's program may have the
# kernel's before it.
sub _records {
	my ($self, $events, $fields, $code, $at, $kind) = @_;
	my $addresses;
	my $n = @$fields;
	my $far = $kind eq 'user' ? 2 : 1;
	my @names = map { "v$_" } 0 .. $n - 1;
	my $name = "zed_stacks:$kind$at";
	Zed::on("ftrace:${kind}_stack", args => ['caller'], sub { ($addresses) = @_ });
	push @{$self->{made}}, Zed::synthetic($name =~ s/:/::/r, start => $events, end => "ftrace:${kind}_stack",
		match => join(' && ', map({ "start.common_$_ == end.common_$_" } qw(cpu pid), _buffers() > 1 ? 'instance' : ()),
			"end.common_sequence - start.common_sequence <= $far"),
		fields => [far => 'end.common_sequence - start.common_sequence', buffer => 'end.common_instance', map { ($names[$_] => $fields->[$_]) } 0 .. $n - 1]);
	Zed::on($name, args => ['common_cpu', 'common_sequence', 'far', 'buffer', @names], sub {
		my ($cpu, $sequence, $behind, $buffer, @values) = @_;
		my $before = \$self->{before}[Zed::source_index()]{$buffer}[$cpu];
		my ($stack, $part) = $self->text(@$addresses);
		if ($kind eq 'kernel') {
			$$before = [$sequence, $stack];
		} elsif ($behind == 2) {
			return if !$$before || $$before->[0] != $sequence - 1;	# it is that of another event
			$part = $$before->[1];
			$stack .= ";$part";
		}
		$self->{n}++ if !defined $part;
		$self->{records}++;
		$code->(@values, $stack, $part);
	});
	return;
}

# What perf recorded came with the event itself.
sub _chains {
	my ($self, $events, $fields, $code) = @_;
	my @names = map { s/^(?:start|end)\.//r } @$fields;
	my $handler = sub {
		my @chain = Zed::callchain();
		return if !@chain;
		$self->{n}++;
		$code->(@_, $self->text(@chain), undef);
	};
	Zed::on($_, args => \@names, $handler) for @$events;
	return;
}

# All events but the stacks themselves, and what is made of them.  A system may be called what no pattern can have.
sub _without_stacks {
	my ($events) = @_;
	return $events if !grep { $_ eq '*:*' } @$events;
	my %names;
	for (Zed::events()) {
		my ($system, $event) = split /::/, $_, 2;
		next if $system eq 'zed_stacks';
		s/[^\w.-]/?/g for $system, $event;
		$names{$system eq 'ftrace' ? "ftrace:$event" : "$system:*"} = 1 if $system ne 'ftrace' || $event !~ /_stack\z/;
	}
	return [sort keys %names];
}

# How many events had a stack; how many records of stacks belonged to one.
sub n { return $_[0]{n} }
sub records { return $_[0]{records} // 0 }

# ---- what to do with it ----

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
	return Zed::Table::json({ '$schema' => 'https://www.speedscope.app/file-format-schema.json',	## no critic (RequireInterpolationOfMetachars)
		name => $name, exporter => 'zedperl', activeProfileIndex => 0, shared => { frames => \@frames },
		profiles => [{ type => 'sampled', name => $name, unit => $unit, startValue => 0, endValue => $end,
			samples => \@samples, weights => \@weights }] }) . "\n";
}

# Of each function: what lies in it alone, and with all that it calls; a function that calls itself counts once.  If
# ROOT, the first frame is none.
sub functions {
	my ($self, $root) = @_;
	my %rows;
	for my $stack (keys %{$self->{weight}}) {
		my $weight = $self->{weight}{$stack};
		my (undef, @frames) = $root ? split /;/, $stack : (undef, split /;/, $stack);
		next if !@frames;
		my %seen;
		$rows{$frames[-1]}{self} += $weight;
		$rows{$_}{total} += $weight for grep { !$seen{$_}++ } @frames;
	}
	return map { { function => $_, self => $rows{$_}{self} // 0, total => $rows{$_}{total} } } sort keys %rows;
}

1;

__END__

=head1 NAME

Zed::Stacks - which event came with which stack, and what each stack weighs

=head1 SYNOPSIS

    use Zed::Stacks;

    my $stacks = Zed::Stacks->new;

    $stacks->after(['kmem:kmalloc'], ['start.bytes_alloc'], sub {
        my ($bytes, $stack, $part) = @_;

        $stacks->add($part, -$bytes) if defined $part;
        $stacks->add($stack, $bytes);
    });

    sub trace_end { print $stacks->folded }

=head1 DESCRIPTION

ftrace records a stack as an event of its own, right behind the one that it belongs to; perf puts it
into the event. This finds both. A stack is a text, C<outermost;...;innermost>, as flame graphs take
it, without the functions of the tracer itself. An address of a program stays a number.

=head1 METHODS

=over

=item Zed::Stacks->new([cut => PATTERN])

PATTERN: functions that are left out where they are the innermost, beside those of the tracer.

=item $stacks->after([EVENT, ...], [FIELD, ...], CODE)

CODE is called for each event of these that has a stack, with the values of the fields
(C<start.bytes_alloc>; of the task, which both have, C<end.common_comm> costs less), and the stack. If an event has a stack of the kernel and
one of the program, CODE is called again, with the two of them as one, and with the part of it that
it was called with before. C<*:*> means all events that are no stacks.

A stack belongs to an event if it is the next record of that CPU, of the same task. What came
between, an interrupt, or a loss, leaves it without one.

=item $stacks->n, $stacks->records

How many events had a stack, and how many records of stacks belonged to one.

=item $stacks->text(ADDRESS, ...)

The text of a stack, of which the innermost address comes first.

=item Zed::Stacks::frame(TEXT)

TEXT as it can stand in a stack.

=item $stacks->add(STACK, WEIGHT), $stacks->weights

Adds to the weight of a stack; all stacks with their weights, a reference to a hash.

=item $stacks->folded([SCALE])

Sorted lines C<outermost;...;innermost WEIGHT>, each weight divided by SCALE.

=item $stacks->speedscope(NAME, UNIT)

The same as JSON for L<https://www.speedscope.app>. UNIT: C<none>, C<nanoseconds>, C<microseconds>,
C<milliseconds>, C<seconds> or C<bytes>.

=item $stacks->functions([ROOT])

A row for each function: C<function>, C<self>, C<total>. If ROOT is true, the outermost frame is no
function, but the task.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
