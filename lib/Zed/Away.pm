# SPDX-License-Identifier: GPL-2.0-or-later
#
# Away: how long tasks were off the CPU in the middle of a system call (asleep, or waiting for a CPU), and for how long
# this is unknown.
package Zed::Away;
use strict;
use warnings;

use Zed::Asked;
use Zed::Intervals;
use Zed::Shown;

our $VERSION = '0.1';

# The call that a task is in, as far as it is followed: how long the task had been off the CPU when it began, and for
# how long that had been unknown; its begin, its number; OPEN: it has not ended; HIDDEN: the task's CPU had shown no
# switches then, and none of its own has been seen so far; EARLY: it was HIDDEN.
use constant { AWAY => 0, UNKNOWN => 1, SINCE => 2, NR => 3, OPEN => 4, HIDDEN => 5, EARLY => 6 };


sub new {
	my ($class, %o) = @_;
	my $self = bless { ended => $o{ended}, ends => $o{ends}, n => {},
		map { $_ => [] } qw(away unknown out calls ids first on) }, $class;
	_on($self, 'sched:switch', [qw(ts cpu prev_pid next_pid)], sub { _switched($self, @_) });
	$self->{all} = Zed::Asked::is_part_of_all();
	$self->{all} ? _follow_all($self) : _follow_those_that_sleep($self);
	Zed::Intervals::counts(\$self->{n});
	return $self;
}

sub _on {
	my ($self, $event, $args, $code) = @_;
	push @{$self->{ids}}, Zed::on($event, args => $args, follows => 1, $code);
	return;
}

# Both times only grow, from the first switch on: a call's times are the differences.
sub _switched {
	my ($self, $ts, $cpu, $prev, $next) = @_;
	my $source = Zed::source_index();
	_first($self, $ts, $source, $cpu) if !defined $self->{first}[$source][$cpu];
	# The task that leaves is not the one that came: a switch is missing.
	my $missing = ($self->{on}[$source][$cpu] // $prev) != $prev;
	$self->{on}[$source][$cpu] = $next;
	if ($ts >= $Zed::Asked::FROM && $ts <= $Zed::Asked::LAST) {
		$self->{n}{switches}++;
		$self->{n}{missing}++ if $missing;
	}
	my $out = $self->{out}[$source] //= {};
	if ($prev) {
		# Back on a CPU at an unknown time.
		$self->{unknown}[$source]{$prev} += $ts - $out->{$prev} if defined $out->{$prev};
		my $call = $self->{calls}[$source]{$prev};
		_seen($self, $source, $prev, $call, $ts) if $call && $call->[HIDDEN];
		$out->{$prev} = $ts;
	}
	my $since = $next ? delete $out->{$next} : undef;
	$self->{away}[$source]{$next} += $ts - $since if defined $since;
	return;
}

# The first switch of a CPU.
sub _first {
	my ($self, $ts, $source, $cpu) = @_;
	$self->{first}[$source][$cpu] = $ts;
	$self->{shown} = $ts if $ts > ($self->{shown} // -1);	# the last CPU that showed its first switch
	$self->{switches} = 1 if $ts <= $Zed::Asked::LAST;
	_watch($self) if $self->{legs};
	return;
}

# Before the first switch of its CPU the task may have been away.
sub _is_hidden {
	my ($self, $source, $cpu, $ts) = @_;
	my $first = $self->{first}[$source][$cpu];
	return !defined $first || $first > $ts;
}

# The first that is known about a task in CALL.
sub _seen {
	my ($self, $source, $pid, $call, $ts) = @_;
	$self->{unknown}[$source]{$pid} += $ts - $call->[SINCE];
	@$call[HIDDEN, EARLY] = (0, 1);
	return;
}

# Perl is called only for calls in which a task left the CPU (but see legs()).
sub _follow_those_that_sleep {
	my ($self) = @_;
	Zed::synthetic('syscalls::left', start => 'syscall:enter', end => 'sched:switch',
		match => 'start.common_pid == end.prev_pid',
		abort => 'syscall:exit', abort_match => 'start.common_pid == abort.common_pid',
		fields => [since => 'start.ts', id => 'start.nr', on => 'start.cpu', task => 'end.prev_pid']);
	Zed::synthetic('syscalls::slept', start => 'syscalls:left', end => 'syscall:exit',
		match => 'start.task == end.common_pid', fields => [nr => 'end.nr', ret => 'end.ret']);
	Zed::on('syscalls:left', args => [qw(task since id on ts)], sub {
		my ($pid, $since, $nr, $cpu, $ts) = @_;
		my $source = Zed::source_index();
		my $call = _begins($self, $source, $pid, $since, $nr, $cpu);
		_seen($self, $source, $pid, $call, $ts) if $call->[HIDDEN];
	});
	Zed::on('syscalls:slept', args => [qw(ts common_pid nr ret)], sub { _ends($self, @_) });
	return;
}

# No synthetic event is made outside of the chosen part.
sub _follow_all {
	my ($self) = @_;
	_on($self, 'syscall:enter', [qw(common_pid ts nr cpu)], sub {
		_enters($self, Zed::source_index(), @_);
	});
	_on($self, 'syscall:exit', [qw(ts common_pid nr ret)], sub { _ends($self, @_) });
	return;
}

sub _begins {
	my ($self, $source, $pid, $ts, $nr, $cpu) = @_;
	return $self->{calls}[$source]{$pid} = [total($self, $source, $pid), $ts, $nr, 1,
		_is_hidden($self, $source, $cpu, $ts)];
}

# It was away before, until an unknown time.
sub _enters {
	my ($self, $source, $pid, $ts, $nr, $cpu) = @_;
	return if $pid < 0;	# the caller is unknown
	my $out = delete $self->{out}[$source]{$pid};
	$self->{unknown}[$source]{$pid} += $ts - $out if defined $out;
	return _begins($self, $source, $pid, $ts, $nr, $cpu);
}

sub _ends {
	my ($self, $ts, $pid, $exit, $ret) = @_;
	my $source = Zed::source_index();
	my $call = $self->{calls}[$source]{$pid};
	return if !$call || !$call->[OPEN] || !$self->{ends}->($call->[NR], $exit);
	$call->[OPEN] = 0;
	# Its return to a CPU is not in the trace.
	my $out = delete $self->{out}[$source]{$pid};
	$self->{unknown}[$source]{$pid} += $ts - $out if defined $out;
	_seen($self, $source, $pid, $call, $ts) if $call->[HIDDEN];
	$self->{ended}->($ts, $pid, $call->[NR], $ret, since($self, $source, $pid, $call->[SINCE]),
		$call->[EARLY] ? 'early' : (), defined $out ? 'unseen' : ());
	return;
}

# ---- calls without a switch of their task ----

# EVENT is a call as a whole: args ts common_pid id took ret on (the CPU that it began on). Calls from or to a CPU that
# had not shown a switch when they began come to Perl.
sub legs {
	my ($self, $event) = @_;
	return if $self->{all};
	$self->{legs} = $event;
	_watch($self);
	return;
}

sub _watch {
	my ($self) = @_;
	my @where = Zed::Shown::where_without($self->{first}, 'on', 'cpu');
	# Those that had begun before the first switch of their CPU.
	push @where, "ts - took < $self->{shown}" if defined $self->{shown};
	Zed::off($self->{watch}) if defined $self->{watch};
	$self->{watch} = @where ? Zed::on($self->{legs}, args => [qw(ts common_pid id took ret on)],
		where => join(' || ', @where), sub { leg($self, @_) }) : undef;
	return;
}

# A call that has ended, whether or not it was followed before.
sub leg {
	my ($self, $ts, $pid, $nr, $took, $ret, $cpu) = @_;
	my ($source, $since) = (Zed::source_index(), $ts - $took);
	return if $self->{all} || !_is_hidden($self, $source, $cpu, $since);
	my $call = $self->{calls}[$source]{$pid};
	return if $call && $call->[SINCE] == $since;
	_enters($self, $source, $pid, $since, $nr, $cpu);
	_ends($self, $ts, $pid, $nr, $ret);
	return;
}

# ---- questions ----

sub total {
	my ($self, $source, $pid) = @_;
	return ($self->{away}[$source]{$pid} // 0, $self->{unknown}[$source]{$pid} // 0);
}

sub since {
	my ($self, $source, $pid, $since) = @_;
	my $call = $self->{calls}[$source]{$pid};
	return (0, 0) if !$call || $call->[SINCE] != $since;
	my ($away, $unknown) = total($self, $source, $pid);
	return ($away - $call->[AWAY], $unknown - $call->[UNKNOWN]);
}

sub lost {
	my ($self, $source) = @_;
	$self->{$_}[$source] = {} for qw(out calls);
	$self->{on}[$source] = [];
	return;
}

sub n { return $_[0]{n}{$_[1]} // 0 }
sub has_switches { return $_[0]{switches} ? 1 : 0 }
sub ids { return @{$_[0]{ids}} }

1;

__END__

=head1 NAME

Zed::Away - how long tasks were off the CPU in the middle of a system call

=head1 SYNOPSIS

    use Zed::Away;

    my %away;
    my $away = Zed::Away->new(ends => sub { $_[0] == $_[1] }, ended => sub {
        my ($ts, $pid, $nr, $ret, $time, $unknown) = @_;

        $away{$nr} += $time;
    });

    Zed::Asked::follow(sub { 1 }, $away->ids);
    sub trace_lost { $away->lost(Zed::lost_source()) }

=head1 DESCRIPTION

Needs the switches and the system calls of a trace. If the whole trace is chosen, calls in which no
task leaves the CPU cost no Perl.

A task is off the CPU from a switch away from it to the next one to it. Its whereabouts are unknown

=over

=item *

in a call that began on a CPU before the first switch of that CPU, up to the first switch from the task: switches may
not have been recorded yet;

=item *

after a switch from it, if no switch back to it was recorded: up to the end of the call.

=back

=head1 METHODS

=over

=item Zed::Away->new(ended => CODE, ends => CODE)

C<ended> is called at the end of each call in which its task left the CPU, or in which something is unknown, and perhaps
of others, with the time, the task, the number and result of the call, how long the task was off the CPU in it, for how
long that is unknown (both in ns), and why: C<early>, C<unseen> (as above), both or none. Also for calls that the choice
of times, CPUs and tasks leaves out. C<ends>, given the numbers of a call and of an exit of its task: does this exit end
it?

=item $away->legs(EVENT)

The name of a synthetic event with the fields C<id>, C<took>, C<ret>, C<on> (the CPU that it began on) that comes at the
end of each call. Without it nothing is known about calls on CPUs that have not shown a switch yet.

=item $away->leg(TS, PID, ID, TOOK, RET, ON)

For a handler of that event, before it calls total() and since().

=item $away->total(SOURCE, PID)

How long that task has been off the CPU until now, since it was first seen, and for how long that is unknown: two
numbers, for differences.

=item $away->since(SOURCE, PID, TS)

The same two for its call that began at TS, until now.

=item $away->lost(SOURCE)

After a loss: stops following the open calls.

=item $away->has_switches

Were there any, up to the end of the chosen time? A trace may describe the event and have none.

=item $away->n(WHAT)

The number of C<switches>; C<missing>: switches that were not recorded, as the task that left a CPU was not the one
switched to before.

=item $away->ids

Its handlers, for Zed::Asked::follow.

=back

=head1 SEE ALSO

Zed::Tasks, Zed::Asked, syscalls of zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
