# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frames: interrupts and softirqs from beginning to end, with their nesting, separately for each CPU.
package Zed::Frames;
use strict;
use warnings;

use Zed::Asked;
use Zed::Intervals;

our $VERSION = '0.1';

# A frame in progress: its kind and number, when it began, how much of its time was taken by frames that began in it,
# the task that it interrupted, and the AWAY of its stack at that time. INSIDE_IN, AWAY_IN: the part of these in the
# chosen time. PARTS: for each earlier interval that it was in: [INTERVAL, TOTAL, INSIDE].
use constant { KIND => 0, NUMBER => 1, NAME => 2, BEGAN => 3, INSIDE => 4, PID => 5, COMM => 6, AWAY => 7,
	RAISED => 8, MARK => 9,
	INSIDE_IN => 10, AWAY_IN => 11, PARTS => 12 };

# A stack: the frames, how many outer ones were given up, which of its frames have a kind and number (by "KIND NUMBER",
# counted from the first that was ever in it, the innermost last), and how long it did not run at all.
use constant { FRAMES => 0, GIVEN_UP => 1, PLACES => 2, AWAY_ALL => 3, AWAY_ALL_IN => 4 };

# A kernel nests a handful. If there are more, their ends are missing in the trace: the outermost are given up.
my $DEEPEST = 256;

# Softirqs are bits of a word of 32.
my $VECTORS = 32;

# How many earlier raises of a softirq keep their context.
my $RAISES = 8;

sub new {
	my ($class, %o) = @_;
	for (sort keys %o) {
		next if /^(?:all|asked|of)\z/ || /^(?:ended|earlier|pending|outer)\z/ && ref $o{$_} eq 'CODE';
		require Carp;
		Carp::croak("Zed::Frames: '$_' (it takes code for ended, earlier, outer and pending; all, asked, of)");
	}
	my $self = bless { %o, raw => exists $o{asked} && !$o{asked}, ids => [], stacks => [], since => [], tasks => [],
		raised => [], n => {} }, $class;
	_listen($self);
	_listen_more($self) if $o{all};
	Zed::Asked::at_end(sub { $self->{at_end} = _open($self) });
	Zed::Asked::follow(sub { _is_settled($self) }, @{$self->{ids}});
	Zed::Intervals::counts(\$self->{n}, \$self->{at_end});
	Zed::Intervals::at_border(sub { _divide($self, $_[0]) }) if !$self->{raw};
	return $self;
}

sub _listen {
	my ($self) = @_;
	my %has = map { $_ => 1 } Zed::events();
	# With all, each of them may be missing, without a message.
	my $on = sub {
		my ($raw, $event, @how) = @_;
		_on($self, $event, @how) if !$self->{all} || $has{$raw};
	};
	$on->('irq::irq_handler_entry', 'irq:enter', [qw(ts cpu irq name common_pid common_comm)],
		sub { _enter($self, 'irq', @_) });
	$on->('irq::irq_handler_exit', 'irq:exit', [qw(ts cpu irq common_pid handled)],
		sub { _exit($self, 'irq', @_) });
	$on->('irq::softirq_entry', 'softirq:enter', [qw(ts cpu vec name common_pid common_comm)], sub {
		my $raised = _raised($self, @_);
		_enter($self, 'softirq', @_)->[RAISED] = $raised;
	});
	$on->('irq::softirq_exit', 'softirq:exit', [qw(ts cpu vec common_pid)], sub { _exit($self, 'softirq', @_) });
	$on->('irq::softirq_raise', 'softirq:raise', [qw(ts cpu vec)], sub {
		my ($ts, $cpu, $vec) = @_;
		$self->{first} //= $ts;
		return if $vec >= $VECTORS;
		$self->{raised}[Zed::source_index()][$cpu]{$vec} //= [$ts, $self->{all} ? $self->context($cpu) : undef];
	});
	# Where softirqs are handled in tasks (PREEMPT_RT), they can be switched away from.
	_on($self, 'sched:switch', [qw(ts cpu prev_pid next_pid)], sub { _switch($self, @_) })
		if $has{'sched::sched_switch'};
	return;
}

sub _on {
	my ($self, $event, $args, $code) = @_;
	# The analysis itself declares the events that it is made of.
	push @{$self->{ids}}, Zed::on($event, args => $args, follows => 1, optional => defined $self->{of}, $code);
	return;
}

# Does a frame of KIND on CPU, in a task, belong to what the answer is about?
sub _is_of {
	my ($self, $kind, $cpu) = @_;
	return (!defined $self->{of} || $self->{of} eq $kind) && ($self->{raw} || Zed::Asked::cpu($cpu));
}

# These frames of CPU were not seen from beginning to end.
sub _count {
	my ($self, $what, $cpu, @frames) = @_;
	my $n = Zed::Asked::at($self->{last}) && _ours($self, $cpu, @frames) or return;
	$self->{n}{$what} += $n;
	return;
}

sub _ours {
	my ($self, $cpu, @frames) = @_;
	return scalar grep { _is_of($self, $_->[KIND], $cpu) && ($self->{raw} || Zed::Asked::task(@$_[PID, COMM])) }
		@frames;
}

# Further kinds within interrupts: functions of timers, and interrupts that have events of their own.
sub _listen_more {
	my ($self) = @_;
	my %has = map { $_ => 1 } Zed::events();
	for (['hrtimer_expire', 'hrtimer'], ['timer_expire', 'timer']) {
		my ($event, $field) = @$_;
		next if !$has{"timer::${event}_entry"} || !$has{"timer::${event}_exit"};
		_on($self, "timer:${event}_entry", ['ts', 'cpu', $field, 'function', 'common_pid', 'common_comm'], sub {
			my ($ts, $cpu, $timer, $function, @who) = @_;
			_enter($self, 'timer', $ts, $cpu, $timer, function($function), @who);
		});
		_on($self, "timer:${event}_exit", ['ts', 'cpu', $field, 'common_pid'],
			sub { _exit($self, 'timer', @_) });
	}
	# They have no number: their place in the list serves as one.
	my @vectors = grep { $has{"irq_vectors::${_}_exit"} } map { /^irq_vectors::(\w+)_entry\z/ ? $1 : () }
		sort keys %has;
	for my $number (0 .. $#vectors) {
		my $name = $vectors[$number];
		_on($self, "irq_vectors:${name}_entry", [qw(ts cpu common_pid common_comm)],
			sub { _enter($self, 'vector', @_[0, 1], $number, $name, @_[2, 3]) });
		_on($self, "irq_vectors:${name}_exit", [qw(ts cpu common_pid)],
			sub { _exit($self, 'vector', @_[0, 1], $number, $_[2]) });
	}
	return;
}

# The name of a function; only while the event is current whose trace has the symbols.
sub function {
	my ($address) = @_;
	return '?' if !defined $address;
	return Zed::symbol($address) // sprintf '0x%x', $address;
}

# The stack of an event: that of its CPU or, for a softirq in a task that can be switched away from, of that task.
sub _stack {
	my ($self, $cpu) = @_;
	return $self->{stacks}[Zed::source_index()][$cpu] //= [[], 0, {}, 0, 0];
}

sub _enter {
	my ($self, $kind, $ts, $cpu, $number, $name, $pid, $comm) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	my $stack = _stack($self, $cpu);
	my $frames = $stack->[FRAMES];
	$self->{since}[Zed::source_index()][$cpu] = $ts if !@$frames;
	push @$frames, [$kind, $number, $name // $number, $ts, 0, $pid, $comm, $stack->[AWAY_ALL], undef, undef, 0,
		$stack->[AWAY_ALL_IN]];
	push @{$stack->[PLACES]{"$kind $number"}}, $stack->[GIVEN_UP] + $#$frames;
	_give_up($self, $stack, $cpu) if @$frames > $DEEPEST;
	return $frames->[-1];
}

# Gives up the outermost frame of a stack: its end will not be seen.
sub _give_up {
	my ($self, $stack, $cpu) = @_;
	my $frame = shift @{$stack->[FRAMES]};
	my $key = "$frame->[KIND] $frame->[NUMBER]";
	my $places = $stack->[PLACES]{$key};
	shift @$places;
	delete $stack->[PLACES]{$key} if !@$places;
	$stack->[GIVEN_UP]++;
	_count($self, 'open', $cpu, $frame);
	return;
}

# Removes the innermost frame of a stack.
sub _pop {
	my ($stack) = @_;
	my $frame = pop @{$stack->[FRAMES]};
	my $key = "$frame->[KIND] $frame->[NUMBER]";
	my $places = $stack->[PLACES]{$key};
	pop @$places;
	delete $stack->[PLACES]{$key} if !@$places;
	return $frame;
}

# The outermost frame of CPU has ended, or the CPU leaves it for a while.
sub _outer {
	my ($self, $source, $cpu, $frame, $ts) = @_;
	$self->{outer}->($source, $cpu, @$frame[KIND, NUMBER, NAME], $self->{since}[$source][$cpu], $ts)
		if $self->{outer};
	return;
}

sub _raised {
	my ($self, $ts, $cpu, $vec, $name, @task) = @_;
	my $raised = delete $self->{raised}[Zed::source_index()][$cpu]{$vec} // return;
	$self->{pending}->($cpu, $vec, $name // $vec, $ts - $raised->[0])
		if $self->{pending} && ($self->{raw} || Zed::Asked::at($ts) && Zed::Asked::cpu($cpu)
		&& Zed::Asked::task(@task));
	return $raised;
}

sub _exit {
	my ($self, $kind, $ts, $cpu, $number, $pid, $handled) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	my $stack = _stack($self, $cpu);
	my $places = $stack->[PLACES]{"$kind $number"};
	if (!$places) {
		$self->{n}{begun}++ if Zed::Asked::at($ts) && _is_of($self, $kind, $cpu)
			&& ($self->{raw} || Zed::Asked::task_of($pid, Zed::source_index()));
		return;
	}
	my $frames = $stack->[FRAMES];
	my $at = $places->[-1] - $stack->[GIVEN_UP];
	_count($self, 'open', $cpu, @$frames[$at + 1 .. $#$frames]);	# their ends were not seen
	_outer($self, Zed::source_index(), $cpu, $frames->[0], $ts) if !$at;
	_pop($stack) while $#$frames > $at;
	my $frame = _pop($stack);
	my $total = $ts - $frame->[BEGAN] - ($stack->[AWAY_ALL] - $frame->[AWAY]);
	my $in = $self->{raw} ? $total : Zed::Asked::time_in($frame->[BEGAN],
		$ts) - ($stack->[AWAY_ALL_IN] - $frame->[AWAY_IN]);
	if (@$frames) {
		$frames->[-1][INSIDE] += $total;
		$frames->[-1][INSIDE_IN] += $in;
	}
	_parts_ended($self, $frame, $frames->[-1], $cpu, $handled) if $frame->[PARTS];
	return if !$self->{ended};
	$self->{earlier}->($kind, $number, $frame->[NAME], $cpu, $ts)
		if $self->{earlier} && $ts < $Zed::Asked::FROM && Zed::Asked::cpu($cpu)
		&& Zed::Asked::task(@$frame[PID, COMM]);
	my $ends = $self->{raw} || Zed::Asked::at($ts);
	return
		if !$self->{raw} && !($ends || $in) || !$self->{raw}
		&& !(Zed::Asked::cpu($cpu) && Zed::Asked::task(@$frame[PID, COMM]));
	$self->{ended}->($kind, $number, $frame->[NAME], $cpu, $frame->[BEGAN], $in, $in - $frame->[INSIDE_IN],
		$frame->[COMM],
		$kind eq 'irq' ? $handled : 1, $ends ? ($total, $total - $frame->[INSIDE]) : ());
	return;
}

# A switch in the middle of a softirq: its stack goes with the task.
sub _switch {
	my ($self, $ts, $cpu, $prev, $next) = @_;
	my $source = Zed::source_index();
	my $stack = $self->{stacks}[$source][$cpu];
	if ($stack && @{$stack->[FRAMES]}) {
		_outer($self, $source, $cpu, $stack->[FRAMES][0], $ts);
		$self->{tasks}[$source]{$prev} = [$ts, $stack];
		$self->{stacks}[$source][$cpu] = undef;
	}
	my $back = delete $self->{tasks}[$source]{$next} // return;
	(my $since, $stack) = @$back;
	$stack->[AWAY_ALL] += $ts - $since;
	$stack->[AWAY_ALL_IN] += Zed::Asked::time_in($since, $ts);
	$self->{stacks}[$source][$cpu] = $stack;
	$self->{since}[$source][$cpu] = $ts;
	return;
}

# ---- intervals ----

# The end of interval THIS: records the part of each frame in it, and starts the next one.
sub _divide {
	my ($self, $this) = @_;
	my $to = $Zed::Asked::TO;
	for my $of ((map { map { [0, $_] } grep { $_ } @{$_ // []} } @{$self->{stacks}}),
		map { map { [$to - $_->[0], $_->[1]] } values %{$_ // {}} } @{$self->{tasks}}) {
		my ($away, $stack) = @$of;
		$away = $to - $Zed::Asked::FROM if $away > $to - $Zed::Asked::FROM;
		for my $frame (@{$stack->[FRAMES]}) {
			my $total = Zed::Asked::time_in($frame->[BEGAN],
				$to) - ($stack->[AWAY_ALL_IN] + $away - $frame->[AWAY_IN]);
			push @{$frame->[PARTS]}, [$this, $total, $frame->[INSIDE_IN]];
			@$frame[INSIDE_IN, AWAY_IN] = (0, 0);
		}
		$stack->[AWAY_ALL_IN] = 0;
	}
	return;
}

# FRAME, which began in OUTER, has ended: its parts in earlier intervals.
sub _parts_ended {
	my ($self, $frame, $outer, $cpu, $handled) = @_;
	my %of = map { ($_->[0] => $_) } $outer ? @{$outer->[PARTS] // []} : ();
	my @what = @$frame[KIND, NUMBER, NAME];
	for my $part (@{$frame->[PARTS]}) {
		my ($this, $total, $inside) = @$part;
		$of{$this}[2] += $total if $of{$this};
		next if !$self->{ended} || !$total || !Zed::Asked::cpu($cpu)
			|| !Zed::Asked::task(@$frame[PID, COMM]);
		Zed::Intervals::late_in($this, sub {
			$self->{ended}->(@what, $cpu, $frame->[BEGAN], $total, $total - $inside, $frame->[COMM],
				$what[0] eq 'irq' ? $handled : 1);
		});
	}
	return;
}

# ---- frames in progress ----

sub _frames {
	my ($self, $source, $cpu) = @_;
	my $stack = $self->{stacks}[$source][$cpu];
	return $stack ? $stack->[FRAMES] : [];
}

# The context of CPU, as a reference to a hash, or undef if only a task runs. A timer's function is in the interrupt or
# softirq that calls it; an interrupt that came during another, or during a softirq, was not caused by that.
sub context {
	my ($self, $cpu) = @_;
	my $frames = _frames($self, Zed::source_index(), $cpu);
	return if !@$frames;
	my $frame = $frames->[-1];
	my %in = (cpu => $cpu, mark => $frame->[MARK]);
	if ($frame->[KIND] eq 'timer') {
		$in{timer} = $frame->[NUMBER];
		@in{qw(function called)} = @$frame[NAME, BEGAN];
		$frame = $frames->[-2] if @$frames > 1 && $frames->[-2][KIND] ne 'timer';
		$in{mark} //= $frame->[MARK];
	}
	@in{qw(kind number name began)} = @$frame[KIND, NUMBER, NAME, BEGAN];
	if (my $raised = $frame->[RAISED]) {
		my ($ts, $within) = @$raised;
		$in{raised} = $ts;
		$in{depth} = 1 + ($within ? $within->{depth} // 0 : 0);
		$in{within} = $within if $in{depth} < $RAISES;
	}
	return \%in;
}

# Attaches MARK to the innermost frame of CPU.
sub mark {
	my ($self, $cpu, $mark) = @_;
	my $frames = _frames($self, Zed::source_index(), $cpu);
	$frames->[-1][MARK] = $mark if @$frames;
	return;
}

# The outermost frame that CPU is still in: KIND, NUMBER, NAME and since when.
sub outermost {
	my ($self, $source, $cpu) = @_;
	my $frames = _frames($self, $source, $cpu);
	return if !@$frames;
	return (@{$frames->[0]}[KIND, NUMBER, NAME], $self->{since}[$source][$cpu]);
}

# When a CPU has lost events, it is unknown when the frames that it was in ended.
sub lost {
	my ($self, $cpu) = @_;
	my $source = eval { Zed::source_index() } // return;
	$self->{last} = eval { Zed::ts() } // $self->{last} // 0;
	_count($self, 'lost', $cpu, @{_frames($self, $source, $cpu)});
	$self->{stacks}[$source][$cpu] = undef;
	$self->{raised}[$source][$cpu] = {};
	return;
}

sub _open {
	my ($self) = @_;
	my $n = 0;
	for my $stacks (@{$self->{stacks}}) {
		for my $cpu (grep { $stacks->[$_] } 0 .. $#{$stacks // []}) {
			$n += _ours($self, $cpu, @{$stacks->[$cpu][FRAMES]});
		}
	}
	return $n;
}

# Has everything ended that had begun by the end of the chosen time?
sub _is_settled {
	my ($self) = @_;
	my @away = map { $_->[1] } map { values %{$_ // {}} } @{$self->{tasks}};
	return !grep { $_ && @{$_->[FRAMES]} && $_->[FRAMES][0][BEGAN] <= $Zed::Asked::TO } @away,
		map { @{$_ // []} } @{$self->{stacks}};
}

# How many are in progress at the end.
sub still { my ($self) = @_; return ($self->{merged} // 0) + ($self->{at_end} // _open($self)) }

sub span { return @{$_[0]}{qw(first last)} }

sub n { return $_[0]{n}{$_[1]} // 0 }

# The data from traces of other runs: only counts.
sub plain { my ($self) = @_; return { n => { %{$self->{n}} }, still => Zed::Asked::tells_end() ? still($self) : 0 } }

sub merge_plain {
	my ($self, $data) = @_;
	my $n = $data->{n} // {};
	if (ref $n ne 'HASH' || grep { !defined || ref || !/\A[0-9]{1,19}\z/ } values %$n, $data->{still}) {
		require Carp;
		Carp::croak('Zed::Frames: the state makes no sense');
	}
	$self->{n}{$_} += $n->{$_} for keys %$n;
	$self->{merged} += $data->{still};
	return $self;
}

1;

__END__

=head1 NAME

Zed::Frames - interrupts and softirqs, from beginning to end, nested as they are

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
total of the outer one, but not to the outer one's own time. On kernels that handle softirqs in
tasks (PREEMPT_RT), time in which such a task does not run is not counted; that needs
C<sched:switch>.

At most 256 nested frames are followed on a CPU; a kernel nests a handful. In a trace with more (its
ends are missing), the outermost are given up and counted as C<open>.

=head1 METHODS

=over

=item Zed::Frames->new(CODE...)

The chosen part (Zed::Asked) restricts the answer: all events are followed, and the code is called for what belongs to
it.

=over

=item asked => 0

The code is called for everything, uncut, whatever was chosen.

=item of => KIND

Incomplete frames (n(), still()) are counted for that kind alone.

=item ended => CODE

(KIND, NUMBER, NAME, CPU, BEGAN, TOTAL, OWN, COMM, HANDLED, WHOLE, WHOLE_OWN): KIND is C<irq> or C<softirq>; BEGAN is in
ns of the trace's clock; TOTAL and OWN, in ns, are cut to the chosen time, WHOLE and WHOLE_OWN are not, and are missing
if it ended outside of that time; COMM is the task that was running; HANDLED is false if the line is shared and the
interrupt was another handler's.

=item earlier => CODE

(KIND, NUMBER, NAME, CPU, TS): one ended at TS, before the chosen time.

=item pending => CODE

(CPU, VEC, NAME, TIME): a softirq begins, TIME ns after it was first raised.

=item outer => CODE

(SOURCE, CPU, KIND, NUMBER, NAME, FROM, TO): from FROM to TO, the CPU did not run the interrupted
code. With nested frames this is the outermost.

=item all => 1

Also follows the functions of timers (KIND C<timer>; NAME is the function's) and, on x86, the
interrupts of C<irq_vectors> (KIND C<vector>), if the trace has both the entry and the exit event.

=back

=item $frames->context(CPU)

What the CPU is handling now: undef if a task runs uninterrupted, else a reference to a hash:
C<kind>, C<number>, C<name>, C<began>; inside the function of a timer, C<timer>, C<function> and
C<called> (when); for a softirq, C<raised> (when) and C<within>, what the CPU was handling at that
time; C<mark>, set by mark(). Of nested interrupts it is the innermost. It needs C<all>.

=item $frames->mark(CPU, MARK)

Attaches MARK to what the CPU is handling now.

=item $frames->outermost(SOURCE, CPU)

KIND, NUMBER, NAME and beginning of the outermost one that is still handled; an empty list if there
is none.

=item $frames->lost(CPU, COUNT)

For trace_lost: forgets what that CPU was handling.

=item $frames->still

How many of the chosen ones are being handled at the moment.

=item $frames->n(WHAT)

The number of: C<begun> (ends without a beginning), C<open> (beginnings without an end), C<lost>; of the chosen ones.

=item $frames->span

The times of the first and the last event.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
