# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tasks: what each task does: it runs, is ready and waits for a CPU, or is blocked.  From the scheduler's events,
# in the order of time.  Calls the code of an analysis for each piece that was seen as a whole.
package Zed::Tasks;
use strict;
use warnings;

use List::Util qw(sum0);
use Zed::Asked;
use Zed::Ends;
use Zed::Intervals;
use Zed::Task qw(:places :states);

our $VERSION = '0.1';

# The bits of common_flags that tell an interrupt from what it interrupted.
my $HARDIRQ = 0x08;
my $SOFTIRQ = 0x10;

# A CPU: who runs, since when, until when that is sure, and whether the switch to it was seen.
use constant { CPU_TASK => 0, CPU_IN => 1, CPU_SURE => 2, CPU_SEEN => 3 };

my %CODES = map { $_ => 1 } qw(ran busy waited waited_unseen slept woken idle unknown replaced);

sub new {
	my ($class, %o) = @_;
	my $self = bless { tasks => [], cpus => [], n => {}, raw => exists $o{asked} && !delete $o{asked},
		to_end => delete $o{to_end}, still => !exists $o{still} || delete $o{still},
		asks => delete $o{last_name} ? \&Zed::Asked::pid : \&Zed::Asked::task }, $class;
	for (sort keys %o) {
		if (!$CODES{$_} || ref $o{$_} ne 'CODE') {
			require Carp;
			Carp::croak("Zed::Tasks: '$_' (it takes code for @{[sort keys %CODES]}, asked, to_end, still " .
				"and last_name)");
		}
		$self->{$_} = $o{$_};
	}
	$self->{has_wakings} = grep { $_ eq 'sched::sched_waking' } Zed::events();
	_listen($self);
	Zed::Intervals::counts(\$self->{n}, \$self->{at_end});
	return $self;
}

sub _listen {
	my ($self) = @_;
	my $on = sub { my ($event, $args, $code) = @_; return Zed::on($event, args => $args, follows => 1, $code) };
	my @ids = (
		$on->('sched:switch', [qw(ts cpu prev_pid prev_comm prev_state preempted next_pid next_comm next_prio)],
			sub { _switch($self, Zed::source_index(), @_) }),
		$on->('sched:sched_waking', [qw(ts cpu pid comm prio common_pid common_comm common_flags)],
			sub { _waking($self, Zed::source_index(), @_) }),
		$on->('sched:wakeup', [qw(ts cpu wakeup_pid comm prio success common_pid common_comm)],
			sub { _wakeup($self, Zed::source_index(), @_) }),
		$on->('sched:wakeup_new', [qw(ts cpu wakeup_pid comm prio common_pid common_comm)],
			sub { _wakeup_new($self, Zed::source_index(), @_) }),
	);
	# As they are now: they go on.
	Zed::Asked::at_end(sub { $self->{at_end} = [map { [map { bless [@$_], ref } @$_] } _waiting($self)] })
		if $self->{still};
	Zed::Asked::follow(sub { _is_settled($self) }, @ids);
	return;
}

# A task that was not seen before.  One that is left out is known only as long as it runs.
sub _new_task {
	my ($self, $source, $pid, $comm) = @_;
	my $task = bless [$pid, $source, $comm, UNKNOWN], 'Zed::Task';
	if (_has_room($self, $source)) {
		$self->{tasks}[$source]{$pid} = $task;
	} else {
		$task->[LEFT_OUT] = 1;
	}
	return $task;
}

# No trace of a kernel has so many tasks, and names of them, for its size.
sub _has_room {
	my ($self, $source) = @_;
	return 0 if $self->{crowded}[$source];
	return 1 if Zed::_may_have(++$self->{known}[$source], $source);
	$self->{crowded}[$source] = 1;
	return 0;
}

sub _task {
	my ($self, $source, $pid, $comm) = @_;
	my $task = $self->{tasks}[$source]{$pid} // _new_task($self, $source, $pid, $comm);
	_name($self, $task, $comm) if defined $comm && $comm ne ($task->[COMM] // '') && $comm ne '<...>';
	return $task;
}

# It is called COMM from now on.
sub _name {
	my ($self, $task, $comm) = @_;
	$task->[COMM] = $comm if !defined $task->[COMM] || _has_room($self, $task->[SOURCE]);
	return;
}

sub _count {
	my ($self, $source, $what, $task, $cpu) = @_;
	return if !Zed::Asked::at($self->{last}) || $task && !_asks($self, $task) || defined $cpu
		&& !Zed::Asked::cpu($cpu);
	$self->{n}{$source}{$what}++;
	return;
}

# Is it asked for, as it is called now?
sub _asks { my ($self, $task) = @_; return $self->{asks}->($task->[PID], $task->[COMM] // '<...>') }

# Nothing is known of it any longer.
sub _forget {
	my ($task) = @_;
	$task->[STATE] = UNKNOWN;
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# It is ready or blocked from now on, which the next loss ends.
sub _stays {
	my ($self, $task) = @_;
	return if $task->[LEFT_OUT];
	$self->{staying}[$task->[SOURCE]]{$task->[PID]} = 1;
	return;
}

# ---- pieces ----

sub _ran {
	my ($self, $task, $cpu, $in, $out, $how, $seen) = @_;
	my ($from, $to) = ($in, $out);
	if (!$self->{raw}) {
		$task->late($in, sub { _ran($self, $task, $cpu, $in, $out, $how, $seen) }) if $in < $Zed::Asked::FROM;
		($from, $to) = Zed::Asked::cut($in, $out) or return;
		return if !Zed::Asked::cpu($cpu);
		$how = undef if !Zed::Asked::at($out);
	}
	if (!$task->[PID]) {
		$self->{idle}->($task->[SOURCE], $cpu, $from, $to) if $self->{idle};
		return;
	}
	$self->{busy}->($task->[SOURCE], $cpu, $from, $to) if $self->{busy};
	$self->{ran}->($task, $cpu, $from, $to, $how, $seen ? $in : undef)
		if $self->{ran} && !$task->[LEFT_OUT] && ($self->{raw} || _asks($self, $task));
	return;
}

# Does what TASK did on CPU, and what ends at TS, count?
sub _counts {
	my ($self, $task, $cpu, $ts) = @_;
	return $self->{raw} || Zed::Asked::at($ts) && Zed::Asked::cpu($cpu) && _asks($self, $task);
}

# What is known of this CPU ends at SURE: who ran up to TS is not.
sub _unknown {
	my ($self, $source, $cpu, $from, $to) = @_;
	return if !$self->{unknown} || $to <= $from;
	if (!$self->{raw}) {
		my @piece = ($source, $cpu, $from, $to);
		Zed::Intervals::late($from, sub { _unknown($self, @piece) }) if $from < $Zed::Asked::FROM;
		($from, $to) = Zed::Asked::cut($from, $to) or return;
		return if !Zed::Asked::cpu($cpu);
	}
	$self->{unknown}->($source, $cpu, $from, $to);
	return;
}

# ---- what is seen of a CPU ----

# An event of CPU tells that PID runs there.  Another than was thought: a switch is missing, and nothing was lost.
sub _seen {
	my ($self, $source, $ts, $cpu, $pid, $comm) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	my $on = $self->{cpus}[$source][$cpu];
	if (!$on) {
		_first($self, $source, $ts, $cpu, $pid, $comm);
		return;
	}
	if ($on->[CPU_TASK][PID] == $pid) {
		$on->[CPU_SURE] = $ts;
		return;
	}
	_missing($self, $source, $ts, $cpu, $pid, $comm);
	return;
}

# The first that is seen of a CPU.
sub _first {
	my ($self, $source, $ts, $cpu, $pid, $comm) = @_;
	_cut($self, $source) if !$self->{met_cpus}[$source];
	$self->{met_cpus}[$source][$cpu] = 1;
	my $begin = _begin($self, $source, $cpu, $ts);
	my $task = _task($self, $source, $pid, $pid ? $comm : '<idle>');
	_begins($self, $task, $cpu, $begin) if $pid;
	return $self->{cpus}[$source][$cpu] = [$task, $begin, $ts];
}

# The task that ran here has left at an unknown time after its own last record, and the other one has come before the
# first that is hers: records of any kind, which only the trail of the current event tells of.
sub _missing {
	my ($self, $source, $ts, $cpu, $pid, $comm) = @_;
	my $on = $self->{cpus}[$source][$cpu];
	my ($was, $in, $sure, $seen) = @$on;
	my ($since, $before, $before_pid) = Zed::pid_since();
	if (!defined $since || $since < $sure || Zed::pid() != $pid) {
		$since = $ts;
	} elsif (defined $before && $before_pid == $was->[PID] && $before > $sure) {
		$sure = $before;
	}
	if ($self->{switched}[$source]) {
		_count($self, $source, 'missing');
		$self->{missed}[$source]{$was->[PID]} = 1 if !$was->[LEFT_OUT];
		_ran($self, $was, $cpu, $in, $sure, 'unseen', $seen);
	}
	_forget($was) if $was->[PID];
	_unknown($self, $source, $cpu, $sure, $since);
	my $task = _task($self, $source, $pid, $pid ? $comm : '<idle>');
	@$on = ($task, $since, $ts);
	return if !$pid;
	$self->{waited_unseen}->($task, $task->[SINCE], $sure, $task->[WHY], $task->[WAKER])
		if $self->{waited_unseen} && $self->{switched}[$source]
		&& $task->[STATE] == READY && $task->[SINCE] < $sure
		&& _counts($self, $task, $cpu, $sure);
	_begins($self, $task, $cpu, $since);
	return;
}

# A task is seen to run whose switch-in was not.
sub _begins {
	my ($self, $task, $cpu, $ts) = @_;
	_count($self, $task->[SOURCE], 'begun', $task, $cpu);
	$task->[CAME] = $task->[CPU] if defined $task->[CPU];
	@$task[STATE, SINCE, CPU] = (RUNS, $ts, $cpu);
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# When the records of a CPU begin, or begin again after a loss: who is seen to leave it first has run since then.
sub _begin {
	my ($self, $source, $cpu, $ts) = @_;
	my $again = $self->{again}[$source][$cpu];
	return $again if defined $again;
	my $begin = Zed::Ends::first($source, $cpu);
	return defined $begin && $begin < $ts ? $begin : $ts;
}

# ---- events ----

sub _switch {
	my ($self, $source, $ts, $cpu, $prev, $prev_comm, $letter, $preempted, $next, $next_comm, $prio) = @_;
	$self->{first} //= $ts;
	$self->{last} = $ts;
	$self->{switched}[$source] = 1;
	$self->{n}{$source}{switches}++ if $ts >= $Zed::Asked::FROM && $ts <= $Zed::Asked::LAST;
	my $on = $self->{cpus}[$source][$cpu];
	if (!$on) {
		$on = _first($self, $source, $ts, $cpu, $prev, $prev_comm);
	} elsif ($on->[CPU_TASK][PID] != $prev) {
		_missing($self, $source, $ts, $cpu, $prev, $prev_comm);
	}
	my ($was, $in, undef, $seen) = @$on;
	_name($self, $was, $prev_comm) if $prev && $prev_comm ne ($was->[COMM] // '');
	_leaves($self, $was, $cpu, $in, $ts, $letter // '?', $preempted, $seen) if $prev;
	_ran($self, $was, $cpu, $in, $ts, undef) if !$prev;
	my $task = _task($self, $source, $next, $next ? $next_comm : '<idle>');
	@$on = ($task, $ts, $ts, 1);
	_enters($self, $task, $cpu, $ts, $prio) if $next;
	return;
}

sub _leaves {
	my ($self, $task, $cpu, $in, $ts, $letter, $preempted, $seen) = @_;
	my $how = $preempted ? 'preempt' : $letter eq 'R' ? 'resched' : $letter =~ /^[XZ]/i ? 'dead' : 'block';
	_ran($self, $task, $cpu, $in, $ts, $how, $seen);
	if ($how eq 'preempt' || $how eq 'resched') {
		@$task[STATE, SINCE, WHY] = (READY, $ts, $how);
		$task->[WAKER] = undef if $task->[WAKER];
		$task->[NOTED] = undef if $task->[NOTED];
	} elsif ($how eq 'dead') {
		@$task[STATE, SINCE, LETTER] = (DEAD, $ts, $letter);
		$task->[NOTED] = undef if $task->[NOTED];
	} else {
		@$task[STATE, SINCE, LETTER] = (BLOCKED, $ts, $letter);
	}
	_stays($self, $task);
	return;
}

sub _enters {
	my ($self, $task, $cpu, $ts, $prio) = @_;
	$task->[PRIO] = $prio if defined $prio;
	# Woken while it was still on its way to sleep, and no wakeup was seen since.
	_wakes($self, $task, $task->[SINCE], $task->[NOTED]) if $task->[STATE] == BLOCKED && $task->[NOTED];
	if ($task->[STATE] == READY) {
		_count($self, $task->[SOURCE], 'enqueued', $task, $cpu) if $task->[WAKER] && $task->[WAKER]{late};
		$self->{waited}->($task, $cpu, $task->[SINCE], $ts, $task->[WHY], $task->[WAKER])
			if $self->{waited} && _counts($self, $task, $cpu, $ts);
	} elsif ($task->[STATE] == BLOCKED) {
		_count($self, $task->[SOURCE], 'unwoken', $task, $cpu);
	} elsif ($task->[STATE] == UNKNOWN) {
		_count($self, $task->[SOURCE], 'begun', $task, $cpu);
	}
	$task->[CAME] = $task->[CPU] if defined $task->[CPU];
	@$task[STATE, SINCE, CPU] = (RUNS, $ts, $cpu);
	$task->[WAKER] = undef if $task->[WAKER];
	$task->[NOTED] = undef if $task->[NOTED];
	return;
}

# A sleeping task is ready from TS on.
sub _wakes {
	my ($self, $task, $ts, $waker) = @_;
	if ($task->[STATE] == BLOCKED) {
		_count($self, $task->[SOURCE], 'ended_late', $task, $task->[CPU]) if $waker->{late};
		$self->{slept}->($task, $task->[SINCE], $ts, $task->[LETTER], $waker)
			if $self->{slept} && _counts($self, $task, $task->[CPU], $ts);
	}
	@$task[STATE, SINCE, WHY, WAKER] = (READY, $ts, 'wake', $waker);
	$task->[NOTED] = undef if $task->[NOTED];
	_stays($self, $task);
	return;
}

# Who wakes is who runs: its newest name is here.
sub _waker {
	my ($self, $woken, $cpu, $flags, $ts) = @_;
	my $task = $self->{cpus}[$woken->[SOURCE]][$cpu][CPU_TASK];
	my $waker = { task => $task, pid => $task->[PID], comm => $task->[COMM] // '<...>', cpu => $cpu, ts => $ts,
		in => $flags & $HARDIRQ ? 'irq' : $flags & $SOFTIRQ ? 'softirq' : '' };
	$self->{woken}->($woken, $waker) if $self->{woken};
	return $waker;
}

sub _waking {
	my ($self, $source, $ts, $cpu, $pid, $comm, $prio, $by, $by_comm, $flags) = @_;
	_seen($self, $source, $ts, $cpu, $by, $by_comm);
	return if !$pid;
	my $task = _task($self, $source, $pid, $comm);
	$task->[PRIO] = $prio if defined $prio;
	# Of a task that was not seen before, the sleep is not known, but its end is.
	if ($task->[STATE] == BLOCKED || $task->[STATE] == UNKNOWN) {
		_wakes($self, $task, $ts, _waker($self, $task, $cpu, $flags, $ts));
	} elsif ($task->[STATE] == RUNS) {
		$task->[NOTED] = _waker($self, $task, $cpu, $flags, $ts);
	} elsif ($task->[STATE] == READY && $task->[WHY] ne 'preempt' && $ts > $task->[SINCE]) {
		# It is woken only out of a sleep, so it ran and slept in between.  (Preempted on its way to sleep it is
		# woken where it is; at one time the order of two CPUs is not known.)
		_count($self, $source, 'woken_again');
		_wakes($self, $task, $ts, _waker($self, $task, $cpu, $flags, $ts));
	}
	return;
}

sub _wakeup {
	my ($self, $source, $ts, $cpu, $pid, $comm, $prio, $success, $by, $by_comm) = @_;
	_seen($self, $source, $ts, $cpu, $by, $by_comm);
	return if !$pid || !$success;
	my $task = _task($self, $source, $pid, $comm);
	$task->[PRIO] = $prio if defined $prio;
	if ($task->[STATE] == BLOCKED || $task->[STATE] == UNKNOWN) {
		# Noted while it ran: it was ready from the moment that it left.
		if ($task->[NOTED]) {
			_wakes($self, $task, $task->[SINCE], $task->[NOTED]);
		} else {
			my $waker = _waker($self, $task, $cpu, 0, $ts);
			$waker->{late} = 1;
			# The waking, before it, is missing; of a task that is not known as events were lost it may be
			# among these.
			$waker->{unsure} = 1
				if $task->[STATE] == UNKNOWN && $self->{has_wakings} && $self->{has_lost}[$source];
			_wakes($self, $task, $ts, $waker);
		}
	} elsif ($task->[STATE] == RUNS) {
		$task->[NOTED] = undef if $task->[NOTED];	# it had not left
	}
	return;
}

sub _wakeup_new {
	my ($self, $source, $ts, $cpu, $pid, $comm, $prio, $by, $by_comm) = @_;
	_seen($self, $source, $ts, $cpu, $by, $by_comm);
	return if !$pid;
	my $before = delete $self->{tasks}[$source]{$pid};
	my $task = _new_task($self, $source, $pid, $comm);
	if ($before) {
		$task->[LIFE] = $before->life + 1;
		$self->{replaced}->($before) if $self->{replaced};
	}
	@$task[PRIO, STATE, SINCE, WHY, WAKER] = ($prio, READY, $ts, 'new', _waker($self, $task, $cpu, 0, $ts));
	_stays($self, $task);
	return;
}

# ---- questions ----

# Who runs on the CPU of the current event, as that shows it.
sub at {
	my ($self, $ts, $cpu, $pid, $comm) = @_;
	my $source = Zed::source_index();
	_seen($self, $source, $ts, $cpu, $pid, $comm);
	return $self->{cpus}[$source][$cpu][CPU_TASK];
}

# Who runs on a CPU, and since when.
sub on {
	my ($self, $source, $cpu) = @_;
	my $on = $self->{cpus}[$source][$cpu] or return;
	return @$on[CPU_TASK, CPU_IN];
}

# All that are known, of each input by their numbers.
sub all {
	my ($self) = @_;
	_end_cpus($self);
	return map { my $tasks = $_ // {}; map { $tasks->{$_} } grep { $_ }
		sort { $a <=> $b } keys %$tasks } @{$self->{tasks}};
}

# ---- losses, the end ----

# All waits and sleeps of an input: any of them may have ended unseen.
sub _forget_staying {
	my ($self, $source) = @_;
	# Not of all tasks: losses may be as many as those.
	my $staying = $self->{staying}[$source] // {};
	$self->{staying}[$source] = {};
	for my $task (@{$self->{tasks}[$source] // {}}{keys %$staying}) {
		next if $task->[STATE] != READY && $task->[STATE] != BLOCKED;
		_count($self, $source, $task->[STATE] == READY ? 'lost_waits' : 'lost_sleeps', $task);
		_forget($task);
	}
	$self->{has_lost}[$source] = 1;
	return;
}

# Who runs on CPU is known up to TS.
sub _breaks_off {
	my ($self, $source, $cpu, $ts) = @_;
	my ($task, $in, undef, $seen) = @{$self->{cpus}[$source][$cpu]};
	_ran($self, $task, $cpu, $in, $ts, 'lost', $seen) if $self->{switched}[$source];
	_forget($task) if $task->[PID];
	$self->{cpus}[$source][$cpu] = undef;
	return;
}

# CPUs of which the first and the last records were left out of the trace: what was there is unknown, as in a loss.
sub _cut {
	my ($self, $source) = @_;
	my ($start, $end) = (Zed::start($source), Zed::end($source));
	$self->{has_lost}[$source] = 1 if Zed::Ends::missing($source);
	for (Zed::Ends::cut($source)) {
		my ($cpu, $first, $last) = @$_;
		Zed::when($first, sub { _forget_staying($self, $source) }) if $first > $start;
		next if $last >= $end;
		$self->{ending}{"$source $cpu"} = [$source, $cpu, $last];
		Zed::when($last + 1, sub { _cpu_ends($self, $source, $cpu, $last) });
	}
	return;
}

sub _cpu_ends {
	my ($self, $source, $cpu, $last) = @_;
	delete $self->{ending}{"$source $cpu"} or return;
	$self->{has_lost}[$source] = 1;
	_breaks_off($self, $source, $cpu, $last) if $self->{cpus}[$source][$cpu];
	return;
}

# A recording of chosen tasks has the switches of these, and not all of a task that one of them switches to: of a CPU
# where no record of that task follows nothing more is known.
sub _end_chosen {
	my ($self) = @_;
	for my $source (sources($self)) {
		my ($cpus, $of) = ($self->{cpus}[$source], Zed::_recorded($source) // '');
		next if $of eq 'all';
		for my $cpu (grep { $cpus->[$_] } 0 .. $#$cpus) {
			my ($task, $in, $sure) = @{$cpus->[$cpu]};
			next if $in > $Zed::Asked::TO || $sure > $in;
			_breaks_off($self, $source, $cpu, $in)
				if $of eq 'chosen' && !_has_left($task) || $self->{missed}[$source]{$task->[PID]};
		}
	}
	return;
}

# perf records a switch if it is from a task that is chosen: has this one left a CPU?
sub _has_left { my ($task) = @_; return defined $task->[LETTER] || ($task->[WHY] // '') =~ /\A(?:preempt|resched)\z/ }

# What ends with the records of a CPU, where no event that is needed came after these.
sub _end_cpus {
	my ($self) = @_;
	for (sort keys %{$self->{ending} // {}}) {
		my ($source, $cpu, $last) = @{$self->{ending}{$_}};
		_cpu_ends($self, $source, $cpu, $last) if $last < $Zed::Asked::TO;
	}
	_end_chosen($self);
	return;
}

# Behind a loss: any switch of that CPU, and any waking that was done on it, may be among what was lost.
sub lost {
	my ($self, $cpu) = @_;
	my ($ts, $source) = eval { (Zed::ts(), Zed::source_index()) };
	return if !defined $ts;	# known from statistics, at the end: it has no place
	$self->{last} = $ts;
	_forget_staying($self, $source);
	if (my $on = $self->{cpus}[$source][$cpu]) {
		my $sure = $on->[CPU_SURE];
		_breaks_off($self, $source, $cpu, $sure);
		_unknown($self, $source, $cpu, $sure, $ts);
	}
	$self->{again}[$source][$cpu] = $ts;
	# The event after the loss, whatever it is, says who runs there.
	my $pid = Zed::pid();
	_first($self, $source, $ts, $cpu, $pid, Zed::comm()) if $pid >= 0;
	return;
}

# Has each CPU that has records by the end of what is asked for told who runs there, and the input that it has switches?
sub _all_met {
	my ($self) = @_;
	for (my $source = 0; defined Zed::ncpus($source); $source++) {
		for my $cpu (grep { !$self->{switched}[$source] || !$self->{met_cpus}[$source][$_] }
			Zed::Ends::cpus($source)) {
			return 0 if Zed::Ends::first($source, $cpu) <= $Zed::Asked::TO;
		}
	}
	return 1;
}

# Is all known of what had begun when the time that is asked for was over? Who runs on a CPU, and has since then, may
# turn out to have left before.
sub _is_settled {
	my ($self) = @_;
	return 0 if grep { $_ && $_->[CPU_IN] <= $Zed::Asked::TO } map { @{$_ // []} } @{$self->{cpus}};
	return 0 if !_all_met($self);
	return 1 if !$self->{to_end};
	return !grep { ($_->[STATE] == READY || $_->[STATE] == BLOCKED) && $_->[SINCE] <= $Zed::Asked::TO }
		map { values %{$_ // {}} } @{$self->{tasks}};
}

# Of one that is ready or blocked at the end of what is asked for: may it not be, as another CPU has records no more?
sub _is_unsure {
	my ($task) = @_;
	my $source = $task->[SOURCE];
	my $end = Zed::end($source) // return 0;
	return Zed::Ends::is_cut_at($source, $end < $Zed::Asked::TO ? $end : $Zed::Asked::TO);
}

# Tasks that are ready, and that are blocked.
sub _waiting {
	my ($self) = @_;
	my (@ready, @blocked);
	for my $tasks (grep { $_ } @{$self->{tasks}}[sources($self)]) {
		for my $pid (sort { $a <=> $b } keys %$tasks) {
			my $task = $tasks->{$pid};
			next if !$self->{raw} && !_asks($self, $task) || _is_unsure($task);
			push @ready, $task if $task->[STATE] == READY;
			push @blocked, $task if $task->[STATE] == BLOCKED;
		}
	}
	return (\@ready, \@blocked);
}

# Who is at what at the end: [TASK, CPU, SINCE] of those that run, and of those that are ready or blocked.
sub still {
	my ($self) = @_;
	return ([running($self)], $self->{at_end} ? @{$self->{at_end}} : _waiting($self));
}

# Of those that are ready now, and of those that are blocked: how many are asked for, and since when the first of each
# input is.
sub waiting {
	my ($self) = @_;
	my %of = map { $_ => { n => 0, since => {}, unsure => 0 } } READY, BLOCKED;
	for my $task (map { values %{$_ // {}} } @{$self->{tasks}}[sources($self)]) {
		my $of = $of{$task->[STATE]} or next;
		my ($source, $since) = @$task[SOURCE, SINCE];
		next if !Zed::Asked::task($task->[PID], $task->[COMM] // '<...>') || !Zed::Asked::cpu($task->[CPU]);
		if (_is_unsure($task)) {
			$of->{unsure}++;
			next;
		}
		$of->{n}++;
		$of->{since}{$source} = $since if !defined $of->{since}{$source} || $since < $of->{since}{$source};
	}
	return map { $of{$_} } READY, BLOCKED;
}

# How long at least the first of them has been so at the end.
sub longest {
	my ($self, $report, $of) = @_;
	my $longest = 0;
	for my $source (keys %{$of->{since}}) {
		my (undef, $end) = $report->window_of($source, span($self));
		my $since = $of->{since}{$source};
		$longest = $end - $since if defined $end && $end - $since > $longest;
	}
	return $longest;
}

# The inputs that have switches, in the time that is asked for or not.  Of others it is not known who runs, nor what is
# left of a wait.
sub sources { my ($self) = @_; return grep { $self->{switched}[$_] } 0 .. $#{$self->{switched} // []} }

sub running {
	my ($self) = @_;
	_end_cpus($self);
	my @run;
	for my $source (sources($self)) {
		for my $cpu (0 .. $#{$self->{cpus}[$source] // []}) {
			my $on = $self->{cpus}[$source][$cpu] or next;
			next if !$self->{raw} && !Zed::Asked::cpu($cpu);
			push @run, [$on->[CPU_TASK], $cpu, $on->[CPU_IN]];
		}
	}
	return @run;
}

# When the first and the last of its events were, in ns.
sub span { return @{$_[0]}{qw(first last)} }

# Of each input, and of the traces of other runs.
sub _counted { my ($self) = @_; return map { $self->{n}{$_} // () } sources($self), 'merged' }
sub n { my ($self, $what) = @_; return sum0(map { $_->{$what} // 0 } _counted($self)) }

# What the traces of other runs left: only what is counted.
sub plain {
	my ($self) = @_;
	my %n;
	for my $of (_counted($self)) {
		$n{$_} += $of->{$_} for keys %$of;
	}
	return { n => \%n };
}

sub merge_plain {
	my ($self, $data) = @_;
	my $n = $data->{n} // {};
	if (ref $n ne 'HASH' || grep { !defined || ref || !/\A[0-9]{1,19}\z/ } values %$n) {
		require Carp;
		Carp::croak('Zed::Tasks: the state makes no sense');
	}
	$self->{n}{merged}{$_} += $n->{$_} for keys %$n;
	return $self;
}

1;

__END__

=head1 NAME

Zed::Tasks - what tasks do: run, wait for a CPU, sleep

=head1 SYNOPSIS

    use Zed::Tasks;

    my %ran;
    my $tasks = Zed::Tasks->new(
        ran => sub { my ($task, $cpu, $from, $to, $how) = @_; $ran{$task->comm} += $to - $from },
        waited => sub { my ($task, $cpu, $from, $to, $why, $waker) = @_; ... },
    );

    sub trace_lost { $tasks->lost(@_) }

=head1 DESCRIPTION

Follows every task through the events C<sched:switch>, C<sched:sched_waking>, C<sched:wakeup> and
C<sched:wakeup_new>, and calls your code for each piece of its life that was seen from beginning to
end. Times are in ns.

A task is woken when somebody decides so (sched_waking), not when it is put into a queue, which may
be later and on another CPU; if the trace has no sched_waking (kernels before 4.3), the wakeup
counts. A waking while the task is still on its way to sleep counts if the task sleeps nevertheless.
What was asked for (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>: Zed::Asked) is a question about the answer:
all events are followed, and the code gets what belongs to the answer. Times of what ran are cut to
the time that was asked for; a wait or a sleep counts, with the whole of its length, where it ends;
CPUs and tasks choose which pieces; by B<--comm>, those of a task while it had such a name.

Of a CPU whose first or last records are not in the trace (Zed::Ends), what was before its first one and after its last
one is unknown, as in a loss; a CPU that is missing in a file that is cut off is a gap for the whole time.

Now and then the kernel leaves out a switch; if the events of a CPU show that, the time between the
last record of the one task and the first of the other, of whatever events, is given to neither.

=head1 METHODS

=over

=item Zed::Tasks->new(CODE...)

=over

=item asked => 0

The code gets all pieces as they were, whatever was asked for: for answers that need the history of a
piece, and cut it themselves.

=item to_end => 1

With C<< asked => 0 >>: what had begun when the time that was asked for was over is followed until it ends,
waits and sleeps too, which may be at the end of the trace.

=item still => 0

Nobody asks still(): nothing is kept for it when the time that was asked for is over.

=item last_name => 1

Names (B<--comm>) do not choose pieces: for answers that call a task what it was called last, and choose
themselves (Zed::Asked::comm) when that is known.

=item ran => CODE

(TASK, CPU, FROM, TO, HOW, BEGAN): it ran; FROM and TO are cut to the time that was asked for, and BEGAN is
when it really began, undef if the switch to it was not seen. HOW is undef if it ran on beyond that time; else
HOW it left: C<block>, C<preempt> (the kernel took the CPU away), C<resched> (it left ready to run), C<dead>;
C<unseen>, C<lost>: it is known to have run up to TO.

=item busy => CODE

(SOURCE, CPU, FROM, TO): some task ran, whichever tasks were asked for.

=item waited => CODE

(TASK, CPU, FROM, TO, WHY, WAKER): it was ready and waited for a CPU. WHY: C<wake>, C<new>,
C<preempt>, C<resched>. WAKER: task, pid, comm, cpu, ts, and C<in>, which is C<irq> or C<softirq> if
one of these, and not the task, woke it; C<late> if no waking was seen, only the wakeup; C<unsure>
if the waking may have been lost, so that the wait began earlier. For C<preempt> and C<resched>, WAKER is undef.

=item replaced => CODE

(TASK): a new task has its number, so it has ended.

=item waited_unseen => CODE

(TASK, FROM, TO, WHY, WAKER): it was ready and waited at least up to TO; the switch that ended the
wait is missing.

=item slept => CODE

(TASK, FROM, TO, LETTER, WAKER): it was blocked, in the state with that letter.

=item woken => CODE

(TASK, WAKER): somebody wakes it, which may have no effect. What the code adds to WAKER, a reference
to a hash, is passed on to C<waited> and C<slept>.

=item idle => CODE

(SOURCE, CPU, FROM, TO): the CPU was idle.

=item unknown => CODE

(SOURCE, CPU, FROM, TO): it is not known who ran there.

=back

TASK is a Zed::Task. It is the same object as long as the task lives.

=item $tasks->at(TS, CPU, PID, COMM)

For a handler of an event that Zed::Tasks does not follow: the task that runs there, as the event's
common_pid shows it.

=item $tasks->on(SOURCE, CPU)

The task that runs there, and since when; an empty list if that is not known.

=item $tasks->all

The tasks that are alive, and for each pid whose task has died, the last one that had it.

=item $tasks->lost(CPU, COUNT)

For trace_lost: from there on, all waits and sleeps are unknown, and who runs on that CPU.

=item $tasks->still

Three references to arrays: [TASK, CPU, SINCE] of what runs at the end (including the idle task, pid
0), the tasks that are ready, and those that are blocked.

=item $tasks->running

The first of these, as a list.

=item $tasks->waiting

How many tasks that are asked for are ready now, and how many are blocked: two references to hashes, C<n>,
C<since>, of each input when the first of them began to be so, and C<unsure>: how many others seem to be so, and may
be no longer, as records of some CPU are not in the trace. For code that asks when the time that was asked
for is over (Zed::Asked::at_end): of very many tasks no list is made. C<< $tasks->longest(REPORT, HASH) >>: how
long the first of them had been so at the end of the time that the Zed::Report is about.

=item $tasks->sources

The numbers of the inputs in which there was a switch. Of others, which have wakings only, it tells who wakes whom
(C<woken>), and nothing else: who runs is not known.

=item $tasks->span

The times of the first and the last event.

=item $tasks->plain, $tasks->merge_plain(DATA)

plain() returns what was counted as plain data; merge_plain() adds that of another run.

=item $tasks->n(WHAT)

How often: C<switches>, C<missing> (switches that were not recorded), C<unwoken> (a task ran on after a sleep
whose end was not seen), C<enqueued> (waits that count from the wakeup, as no waking was seen), C<ended_late> (sleeps
likewise), C<woken_again> (a task that was ready was woken once more, so it ran and slept in between:
its wait counts from there), C<begun> (what had begun before the
trace), C<lost_waits>, C<lost_sleeps> (discarded because of losses).

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Task, Zed::Ends, Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
