# SPDX-License-Identifier: GPL-2.0-or-later
#
# Away: how long tasks were off the CPU in the middle of a system call: asleep, or waiting for a CPU.
package Zed::Away;
use strict;
use warnings;

use Zed::Asked;

our $VERSION = '0.1';

# The call that a task is in, as far as it is followed: how long the task had been off the CPU when it began, its begin,
# its number; OPEN: it has not ended.
use constant { AWAY => 0, SINCE => 1, NR => 2, OPEN => 3 };

sub new {
	my ($class, %o) = @_;
	my $self = bless { ended => $o{ended}, away => [], out => [], calls => [], ids => [] }, $class;
	_on($self, 'sched:switch', [qw(ts prev_pid next_pid)], sub { _switched($self, @_) });
	if (Zed::Asked::is_part_of_all()) {
		_follow_all($self);
	} else {
		_follow_those_that_sleep($self);
	}
	return $self;
}

sub _on {
	my ($self, $event, $args, $code) = @_;
	push @{$self->{ids}}, Zed::on($event, args => $args, follows => 1, $code);
	return;
}

# Time off the CPU only grows, from the first switch on: a call's is the difference.
sub _switched {
	my ($self, $ts, $prev, $next) = @_;
	my $source = Zed::source_index();
	my $out = $self->{out}[$source] //= {};
	$self->{switches} = 1;
	$out->{$prev} = $ts if $prev;
	my $since = $next ? delete $out->{$next} : undef;
	$self->{away}[$source]{$next} += $ts - $since if defined $since;
	return;
}

# Perl is called for the calls in which a task left the CPU, and for no others.
sub _follow_those_that_sleep {
	my ($self) = @_;
	Zed::synthetic('syscalls::left', start => 'syscall:enter', end => 'sched:switch',
		match => 'start.common_pid == end.prev_pid',
		abort => 'syscall:exit', abort_match => 'start.common_pid == abort.common_pid',
		fields => [since => 'start.ts', id => 'start.nr', task => 'end.prev_pid']);
	Zed::synthetic('syscalls::slept', start => 'syscalls:left', end => 'syscall:exit',
		match => 'start.task == end.common_pid && start.id == end.nr',
		fields => [id => 'end.nr', ret => 'end.ret']);
	Zed::on('syscalls:left', args => [qw(task since id)], sub { _begins($self, @_) });
	Zed::on('syscalls:slept', args => [qw(ts common_pid id ret)], sub { _ends($self, @_) });
	return;
}

# A synthetic event is none outside of what is asked for.
sub _follow_all {
	my ($self) = @_;
	_on($self, 'syscall:enter', [qw(common_pid ts nr)], sub { _begins($self, @_) });
	_on($self, 'syscall:exit', [qw(ts common_pid nr ret)], sub { _ends($self, @_) });
	return;
}

sub _begins {
	my ($self, $pid, $ts, $nr) = @_;
	my $source = Zed::source_index();
	$self->{calls}[$source]{$pid} = [total($self, $source, $pid), $ts, $nr, 1];
	return;
}

sub _ends {
	my ($self, $ts, $pid, $nr, $ret) = @_;
	my $source = Zed::source_index();
	my $call = $self->{calls}[$source]{$pid};
	return if !$call || !$call->[OPEN] || $call->[NR] != $nr;
	$call->[OPEN] = 0;
	# Its return to a CPU is not in the trace.
	my $unseen = defined delete $self->{out}[$source]{$pid};
	$self->{ended}->($ts, $pid, $nr, $ret, total($self, $source, $pid) - $call->[AWAY], $unseen);
	return;
}

sub total { my ($self, $source, $pid) = @_; return $self->{away}[$source]{$pid} // 0 }

sub since {
	my ($self, $source, $pid, $since) = @_;
	my $call = $self->{calls}[$source]{$pid};
	return $call && $call->[SINCE] == $since ? total($self, $source, $pid) - $call->[AWAY] : 0;
}

sub lost {
	my ($self, $source) = @_;
	$self->{$_}[$source] = {} for qw(out calls);
	return;
}

sub has_switches { return $_[0]{switches} ? 1 : 0 }
sub ids { return @{$_[0]{ids}} }

1;

__END__

=head1 NAME

Zed::Away - how long tasks were off the CPU in the middle of a system call

=head1 SYNOPSIS

    use Zed::Away;

    my %away;
    my $away = Zed::Away->new(ended => sub {
        my ($ts, $pid, $nr, $ret, $time, $unseen) = @_;

        $away{$nr} += $time;
    });

    Zed::Asked::follow(sub { 1 }, $away->ids);
    sub trace_lost { $away->lost(Zed::lost_source()) }

=head1 DESCRIPTION

From the switches and the system calls of a trace that has both. Of the whole trace, calls in which no
task leaves the CPU cost no Perl.

=head1 METHODS

=over

=item Zed::Away->new(ended => CODE)

CODE is called at the end of each call in which its task left the CPU, and perhaps of others, with the
time, the task, the number and result of the call, how long the task was off the CPU in it (ns), and
whether its last return to a CPU is missing, so that it was longer. Also for calls that the choice of
times, CPUs and tasks leaves out.

=item $away->total(SOURCE, PID)

How long that task was off the CPU up to now, since it was seen first: for differences.

=item $away->since(SOURCE, PID, TS)

How long it was off the CPU in its call that began at TS, up to now.

=item $away->lost(SOURCE)

After a loss: no call that is open is followed any longer.

=item $away->has_switches

Did any occur? A trace may describe them and have none.

=item $away->ids

Its handlers, for Zed::Asked::follow.

=back

=head1 SEE ALSO

Zed::Tasks, Zed::Asked, syscalls of zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
