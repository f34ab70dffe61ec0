# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frames: interrupts and softirqs from their begin to their end, nested as they are, each CPU's by itself.
package Zed::Frames;
use strict;
use warnings;

our $VERSION = '0.1';

# A frame that is being handled: what it is, when it began, how much of it others took that began in it, and of
# whom it interrupted.
use constant { KIND => 0, NUMBER => 1, NAME => 2, BEGAN => 3, INSIDE => 4, PID => 5, COMM => 6, AWAY => 7 };

sub new {
	my ($class, %o) = @_;
	for (sort keys %o) {
		next if /^(?:ended|pending)\z/ && ref $o{$_} eq 'CODE';
		require Carp;
		Carp::croak("Zed::Frames: '$_' (it takes code for ended and pending)");
	}
	my $self = bless { %o, stacks => [], tasks => [], raised => [], n => {} }, $class;
	_listen($self);
	return $self;
}

sub _listen {
	my ($self) = @_;
	Zed::on('irq:enter', args => [qw(ts cpu irq name common_pid common_comm)], sub { _enter($self, 'irq', @_) });
	Zed::on('irq:exit', args => [qw(ts cpu irq common_pid handled)], sub { _exit($self, 'irq', @_) });
	Zed::on('softirq:enter', args => [qw(ts cpu vec name common_pid common_comm)], sub { _raised($self, @_); _enter($self, 'softirq', @_) });
	Zed::on('softirq:exit', args => [qw(ts cpu vec common_pid)], sub { _exit($self, 'softirq', @_) });
	Zed::on('softirq:raise', args => [qw(ts cpu vec)], sub {
		my ($ts, $cpu, $vec) = @_;
		$self->{first} //= $ts;
		$self->{raised}[Zed::source_index()][$cpu]{$vec} //= $ts;
	});
	# Where softirqs are handled in tasks (PREEMPT_RT), they can be switched away from.
	Zed::on('sched:switch', args => [qw(ts cpu prev_pid next_pid)], sub { _switch($self, @_) })
		if grep { $_ eq 'sched::sched_switch' } Zed::events();
	return;
}

# The stack of an event: that of its CPU, or, of a softirq in a task that may be switched, of that task.
sub _stack {
	my ($self, $cpu) = @_;
	return $self->{stacks}[Zed::source_index()][$cpu] //= [];
}

sub _enter {
	my ($self, $kind, $ts, $cpu, $number, $name, $pid, $comm) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	push @{_stack($self, $cpu)}, [$kind, $number, $name // $number, $ts, 0, $pid, $comm, 0];
	return;
}

sub _raised {
	my ($self, $ts, $cpu, $vec, $name) = @_;
	my $since = delete $self->{raised}[Zed::source_index()][$cpu]{$vec} // return;
	$self->{pending}->($cpu, $vec, $name // $vec, $ts - $since) if $self->{pending};
	return;
}

sub _exit {
	my ($self, $kind, $ts, $cpu, $number, $pid, $handled) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	my $stack = _stack($self, $cpu);
	my $at = $#$stack;
	$at-- while $at >= 0 && ($stack->[$at][KIND] ne $kind || $stack->[$at][NUMBER] != $number);
	if ($at < 0) {
		$self->{n}{begun}++;
		return;
	}
	$self->{n}{open} += $#$stack - $at;	# no end of theirs was seen
	my ($frame) = splice @$stack, $at;
	my $total = $ts - $frame->[BEGAN] - $frame->[AWAY];
	$stack->[-1][INSIDE] += $total if @$stack;
	$self->{ended}->($kind, $number, $frame->[NAME], $cpu, $frame->[BEGAN], $total, $total - $frame->[INSIDE], $frame->[COMM],
		$kind eq 'irq' ? $handled : 1) if $self->{ended};
	return;
}

# A switch in the middle of a softirq: its stack goes with the task.
sub _switch {
	my ($self, $ts, $cpu, $prev, $next) = @_;
	my $source = Zed::source_index();
	my $stack = $self->{stacks}[$source][$cpu];
	if ($stack && @$stack) {
		$self->{tasks}[$source]{$prev} = [$ts, @$stack];
		$self->{stacks}[$source][$cpu] = [];
	}
	my $back = delete $self->{tasks}[$source]{$next} // return;
	my ($since, @frames) = @$back;
	$_->[AWAY] += $ts - $since for @frames;
	$self->{stacks}[$source][$cpu] = \@frames;
	return;
}

# Of what a CPU was at when it lost events nobody knows when it ended.
sub lost {
	my ($self, $cpu) = @_;
	my $source = eval { Zed::source_index() } // return;
	my $stack = $self->{stacks}[$source][$cpu] // [];
	$self->{n}{lost} += @$stack;
	$self->{stacks}[$source][$cpu] = [];
	$self->{raised}[$source][$cpu] = {};
	return;
}

# How many are being handled now.
sub still {
	my ($self) = @_;
	my $n = 0;
	for (map { @{$_ // []} } @{$self->{stacks}}) {
		$n += @{$_ // []};
	}
	return $n;
}

sub span { return @{$_[0]}{qw(first last)} }

sub n { return $_[0]{n}{$_[1]} // 0 }

1;

__END__

=head1 NAME

Zed::Frames - interrupts and softirqs, from begin to end, nested as they are

=head1 SYNOPSIS

    use Zed::Frames;

    my %own;
    my $frames = Zed::Frames->new(ended => sub {
        my ($kind, $number, $name, $cpu, $began, $total, $own) = @_;

        $own{"$kind $name"} += $own;
    });

    sub trace_lost { $frames->lost(@_) }

=head1 DESCRIPTION

Follows C<irq:enter>, C<irq:exit>, C<softirq:enter>, C<softirq:exit> and C<softirq:raise> on each
CPU. An interrupt may come while a softirq or another interrupt is handled: its time belongs to the
total of the outer one, but not to what that has for its own. On kernels that handle softirqs in
tasks (PREEMPT_RT) the time in which such a task was switched away from is not counted; that needs
C<sched:switch>.

=head1 METHODS

=over

=item Zed::Frames->new(CODE...)

=over

=item ended => CODE

(KIND, NUMBER, NAME, CPU, BEGAN, TOTAL, OWN, COMM, HANDLED): KIND is C<irq> or C<softirq>; BEGAN in ns
of the trace's clock, TOTAL and OWN in ns; COMM is the task in which it was handled; HANDLED is
false for a handler of a shared line that was not meant.

=item pending => CODE

(CPU, VEC, NAME, TIME): a softirq begins that was first raised TIME ns before.

=back

=item $frames->lost(CPU, COUNT)

For trace_lost: what that CPU was at is forgotten.

=item $frames->still

How many are being handled at the moment.

=item $frames->n(WHAT)

How many: C<begun> (ends without a begin), C<open> (begins without an end), C<lost>.

=item $frames->span

The times of the first and the last event.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
