# SPDX-License-Identifier: GPL-2.0-or-later
#
# Chain: where the time of a task went: backward from a moment, through its own runs, and through its waits: which task
# woke it, and what that one had waited for. Keeps a limited history of all tasks and CPUs.
package Zed::Chain;
use strict;
use warnings;
no warnings 'recursion';	## no critic (ProhibitNoWarnings) a chain of wakeups is as long as it is: $DEPTH

use List::Util qw(max min);
use Zed::Asked;
use Zed::Frames;
use Zed::Tasks;

our $VERSION = '0.1';

my $DEPTH = 1000;	# length of a chain of wakers, at most
my $WAITS = 10_000;	# timers, pieces of work and requests that are pending, of each at most
my $NAMED = 3;		# of the tasks that ran while one waited, as many are named
my $SHOWN = 3;		# of what a walk is made of, as much is in a sentence

# A piece of a task's history: it ran on CPU; it was READY, because of WHY and WAKER, until it ran on CPU; it SLEPT in
# the state of WHY. The time between two pieces is unknown.
use constant { FROM => 0, TO => 1, KIND => 2, CPU => 3, TASK => 4, WHY => 4, WAKER => 5 };
use constant { RAN => 1, READY => 2, SLEPT => 3 };
# Of a piece of work: when it began and ended, its function, who queued it and when.
use constant { BEGAN => 0, ENDED => 1, FUNCTION => 2, ASKED => 3, ASKER => 4 };
# The states of Zed::Tasks.
my %KIND = (1 => RAN, 2 => READY, 3 => SLEPT);
my $DEAD = 4;

# The vectors of softirqs that deliver packets (linux/interrupt.h).
my %NETWORK = (2 => 1, 3 => 1);

sub new {
	my ($class, %o) = @_;
	my $self = bless { keep => $o{keep} // 100_000, from => $o{from}, waited => $o{waited},
		before_cut => $o{before_cut},
		pieces => 0, full => ($o{keep} // 100_000) >> 1, kept => {}, cpus => [], frames_on => [],
		timers => [], queued => [], works => [], issued => [], asked => [] }, $class;
	$self->{frames} = Zed::Frames->new(asked => 0, all => 1, outer => sub {
		my ($source, $cpu, $kind, $number, $name, $from, $to) = @_;
		push @{$self->{frames_on}[$source][$cpu]}, [$from, $to, $kind, $number, $name];
		_fill($self, $to) if ++$self->{pieces} >= $self->{full};
	});
	my $chooses = Zed::Asked::chooses();
	$self->{tasks} = Zed::Tasks->new(asked => 0, still => 0,
		ran => sub { my ($task, $cpu, $from, $to) = @_; _ran($self, $task->source, $cpu, $task, $from, $to) },
		idle => sub { my ($source, $cpu, $from, $to) = @_; _ran($self, $source, $cpu, undef, $from, $to) },
		slept => sub {
			my ($task, $from, $to, $letter) = @_;
			_piece($self, $task, [$from, $to, SLEPT, undef, $letter]);
		},
		woken => sub { my ($task, $waker) = @_; $waker->{context} = $self->{frames}->context($waker->{cpu}) },
		waited => sub {
			my ($task, $cpu, $from, $to, $why, $waker) = @_;
			_piece($self, $task, [$from, $to, READY, $cpu, $why, $waker]);
			$self->{waited}->($task, $cpu, $from, $to, $why)
				if $self->{waited} && Zed::Asked::at($to) && (!$chooses
				|| Zed::Asked::cpu($cpu) && Zed::Asked::task($task->pid, $task->comm));
		},
		waited_unseen => sub {
			my ($task, $from, $to, $why, $waker) = @_;
			_piece($self, $task, [$from, $to, READY, undef, $why, $waker]);
		},
	);
	_listen($self);
	return $self;
}

sub tasks { return $_[0]{tasks} }
sub frames { return $_[0]{frames} }

# ---- history ----

sub _ran {
	my ($self, $source, $cpu, $task, $from, $to) = @_;
	my $piece = [$from, $to, RAN, $cpu, $task];
	return if defined $self->{from} && $to <= $self->{from};
	push @{$self->{cpus}[$source][$cpu]}, $piece;
	_piece($self, $task, $piece) if $task;
	return;
}

sub _piece {
	my ($self, $task, $piece) = @_;
	return if defined $self->{from} && $piece->[TO] <= $self->{from};
	my $own = $task->own;
	push @{$own->{pieces} // _begin_pieces($self, $own)}, $piece;
	_fill($self, $piece->[TO]) if ++$self->{pieces} >= $self->{full};
	return;
}

sub _begin_pieces {
	my ($self, $own) = @_;
	$self->{kept}{$own + 0} = $own;
	return $own->{pieces} = [];
}

# There are as many pieces as half of what is kept, or all of it: then the older half is dropped.
sub _fill {
	my ($self, $ts) = @_;
	if ($self->{pieces} < $self->{keep}) {
		$self->{half} = $ts;
		$self->{full} = $self->{keep};
		return;
	}
	$self->{before_cut}->() if $self->{before_cut};
	my $first = $self->{cut} = $self->{half} // $ts;
	$self->{pieces} = 0;
	for my $id (keys %{$self->{kept}}) {
		my $own = $self->{kept}{$id};
		_cut($own->{pieces}, $first, TO);
		_cut($own->{works}, $first, ENDED);
		$self->{pieces} += @{$own->{pieces}};
		next if @{$own->{pieces}} || @{$own->{works} // []};
		delete $own->{pieces};
		delete $self->{kept}{$id};
	}
	for my $cpus ($self->{cpus}, $self->{frames_on}) {
		_cut($_, $first, TO) for map { @{$_ // []} } @$cpus;
	}
	$self->{pieces} += @$_ for grep { $_ } map { @{$_ // []} } @{$self->{frames_on}};
	undef $self->{half};
	my $half = $self->{keep} >> 1;
	$self->{full} = $self->{pieces} < $half ? $half : $self->{keep};
	return;
}

# Drops those of a list that ended before TS.
sub _cut {
	my ($list, $ts, $end) = @_;
	my $n = 0;
	$n++ while $list && $n < @$list && ($list->[$n][$end] // $ts) < $ts;
	splice @$list, 0, $n if $n;
	return;
}

# ---- pending timers, work and requests ----

sub _listen {
	my ($self) = @_;
	my %has = map { $_ => 1 } Zed::events();
	my @ids;
	my $on = sub {
		my ($event, $args, $code) = @_;
		push @ids, Zed::on($event, args => $args, follows => 1, optional => 1, $code);
	};
	_listen_to($self, \%has, $on);
	# A later request is not the cause.
	Zed::Asked::follow(sub { 1 }, @ids);
	return;
}

sub _listen_to {
	my ($self, $has, $on) = @_;
	$on->('timer:hrtimer_start', [qw(hrtimer expires)], sub { _remember($self, 'timers', $_[0], $_[1]) })
		if $has->{'timer::hrtimer_start'};
	$on->('timer:hrtimer_cancel', ['hrtimer'], sub { _recall($self, 'timers', $_[0]) })
		if $has->{'timer::hrtimer_cancel'};
	# By its own clock, in ns: where the trace's counts ticks, that cannot be laid beside it.
	$on->('timer:hrtimer_expire_entry', [qw(cpu hrtimer now)], sub {
		my ($cpu, $timer, $now) = @_;
		my $expires = _recall($self, 'timers', $timer) // return;
		$self->{frames}->mark($cpu, { late => $now - $expires });
	}) if $has->{'timer::hrtimer_expire_entry'} && $has->{'timer::hrtimer_start'} && Zed::_counts_ns();
	# Its own field cpu is where the work is to run.
	$on->('workqueue:workqueue_queue_work', [qw(ts common_cpu work common_pid common_comm common_flags)], sub {
		my ($ts, $cpu, $work, @who) = @_;
		_remember($self, 'queued', $work, _by($self, $ts, $cpu, @who));
	}) if $has->{'workqueue::workqueue_queue_work'};
	$on->('workqueue:execution', [qw(ts cpu work function common_pid common_comm)], sub { _work($self, @_) })
		if $has->{'workqueue::workqueue_execute_start'} || $has->{'workqueue::workqueue_execution'};
	$on->('workqueue:completion', [qw(ts cpu common_pid common_comm)], sub { _worked($self, @_) })
		if $has->{'workqueue::workqueue_execute_end'};
	return if !$has->{'block::block_rq_issue'} || !$has->{'block::block_rq_complete'};
	$on->('block:block_bio_queue', [qw(ts cpu dev sector nr_sector common_pid common_comm common_flags)], sub {
		my ($ts, $cpu, $dev, $sector, $sectors, @who) = @_;
		_remember($self, 'asked', _where($dev, $sector, $sectors), [$ts, _by($self, $ts, $cpu, @who)]);
	}) if $has->{'block::block_bio_queue'};
	$on->('block:block_rq_issue', [qw(ts dev sector nr_sector)], sub {
		my ($ts, $dev, $sector, $sectors) = @_;
		my $where = _where($dev, $sector, $sectors);
		my $asked = $self->{asked}[Zed::source_index()]{$where};
		_remember($self, 'issued', $where, { dev => $dev, issued => $ts, left => $sectors,
			$asked ? (asked => $asked->[0], by => $asked->[1]) : () });
	});
	$on->('block:block_rq_requeue', [qw(dev sector nr_sector)], sub { _recall($self, 'issued', _where(@_)) })
		if $has->{'block::block_rq_requeue'};
	$on->('block:block_rq_complete', [qw(cpu dev sector nr_sector)], sub { _complete($self, @_) });
	return;
}

# The current actor, as a waker: a task, or the interrupt in it.
sub _by {
	my ($self, $ts, $cpu, $pid, $comm, $flags) = @_;
	return { task => $self->{tasks}->at($ts, $cpu, $pid, $comm), pid => $pid, cpu => $cpu, ts => $ts,
		context => scalar $self->{frames}->context($cpu), in => !$flags ? '' : $flags & 0x08 ? 'irq'
		: $flags & 0x10 ? 'softirq' : '' };
}

# If there are too many, all are dropped: some never end, as their end was not recorded. KEY is one of the input of the
# event.
sub _remember {
	my ($self, $what, $key, $value) = @_;
	my $all = $self->{$what}[Zed::source_index()] //= {};
	%$all = () if keys %$all >= $WAITS;
	$all->{$key} = $value;
	return;
}

sub _recall {
	my ($self, $what, $key) = @_;
	return delete $self->{$what}[Zed::source_index()]{$key};
}

# A request of an input is identified by its sector, a flush, which has none, by its device.
sub _where {
	my ($dev, $sector, $sectors) = @_;
	return "$dev " . ($sectors ? $sector : 'flush');
}

sub _work {
	my ($self, $ts, $cpu, $work, $function, $pid, $comm) = @_;
	my $task = $self->{tasks}->at($ts, $cpu, $pid, $comm);
	my $own = $task->own;
	my $by = defined $work ? _recall($self, 'queued', $work) : undef;
	$own->{works}[-1][ENDED] //= $ts if @{$own->{works} // []};
	_begin_pieces($self, $own) if !$own->{pieces};
	push @{$own->{works}}, [$ts, undef, Zed::Frames::function($function), $by ? $by->{ts} : undef, $by];
	_remember($self, 'works', $pid, $own->{works}[-1]);
	return;
}

sub _worked {
	my ($self, $ts, $cpu, $pid, $comm) = @_;
	my $work = _recall($self, 'works', $pid) // return;
	$work->[ENDED] //= $ts;
	return;
}

sub _complete {
	my ($self, $cpu, $dev, $sector, $sectors) = @_;
	my $request = _recall($self, 'issued', _where($dev, $sector, $sectors)) // return;
	$self->{frames}->mark($cpu, { request => $request });
	return if $sectors >= $request->{left};
	# The rest of it continues.
	_remember($self, 'issued', _where($dev, $sector + $sectors, 1),
		{ %$request, left => $request->{left} - $sectors });
	return;
}

# After a loss it is unknown which of that machine's are still pending.
sub lost {
	my ($self, $cpu, $count) = @_;
	my ($ts, $source) = eval { (Zed::ts(), Zed::source_index()) };
	$self->{tasks}->lost($cpu, $count);
	$self->{frames}->lost($cpu, $count);
	return if !defined $ts;
	$_->[ENDED] //= $ts for values %{$self->{works}[$source]};
	$self->{$_}[$source] = {} for qw(timers queued works issued asked);
	return;
}

# ---- the state at a time ----

# How many of a list begin before TS: mostly all but the last few.
sub _before {
	my ($list, $ts) = @_;
	my ($low, $high, $step) = ((scalar @$list) x 2, 1);
	while ($low && $list->[$low - 1][FROM] >= $ts) {
		$high = $low - 1;
		$low = $low > $step ? $low - $step : 0;
		$step *= 2;
	}
	while ($low < $high) {
		my $middle = ($low + $high) >> 1;
		if ($list->[$middle][FROM] < $ts) {
			$low = $middle + 1;
		} else {
			$high = $middle;
		}
	}
	return $low;
}

# The last piece of TASK that begins before TS.
sub _piece_before {
	my ($task, $ts) = @_;
	my $since = $task->since;
	my $kind = $KIND{$task->state};
	return [$since, undef, $kind, $task->cpu, $kind == SLEPT ? $task->letter : $task->why, $task->waker]
		if $kind && defined $since && $since < $ts;
	my $pieces = $task->own->{pieces} // return;
	my $n = _before($pieces, $ts) or return;
	return $pieces->[$n - 1];
}

sub ended_before { my ($self, $task, $ts) = @_; return $task->state == $DEAD && $task->since <= $ts }

# Was TASK created at TS or later? Of what is not known to be created later it is not known.
sub created_after {
	my ($self, $task, $ts) = @_;
	my $piece = ($task->own->{pieces} // [])->[0] // _piece_before($task, 9**9**9) // return 0;
	return $piece->[KIND] == READY && $piece->[WHY] eq 'new' && $piece->[FROM] >= $ts;
}

# When the task woken at TS went to sleep; TS if that is unknown.
sub sleep_before {
	my ($self, $task, $ts) = @_;
	my $pieces = $task->own->{pieces} // return $ts;
	my $n = _before($pieces, $ts) or return $ts;
	my $sleep = $pieces->[$n - 1];
	return $sleep->[KIND] == SLEPT && $sleep->[TO] == $ts ? $sleep->[FROM] : $ts;
}

# The work that TASK runs just before TS.
sub _work_at {
	my ($task, $ts) = @_;
	my $works = $task->own->{works} // return;
	my $n = _before($works, $ts) or return;
	my $work = $works->[$n - 1];
	return defined $work->[ENDED] && $work->[ENDED] < $ts ? undef : $work;
}

# Which tasks ran on a CPU from FROM to TO, and how long each: a text.
sub _who_ran {
	my ($self, $source, $cpu, $from, $to) = @_;
	my $pieces = $self->{cpus}[$source][$cpu] // [];
	my %ran;
	my $known = 0;
	my ($now, $since) = $self->{tasks}->on($source, $cpu);
	for my $piece (defined $since && $since < $to ? [$since, $to, RAN, $cpu, $now->pid ? $now : undef] : (),
		reverse @$pieces[0 .. _before($pieces, $to) - 1]) {
		last if $piece->[TO] <= $from;
		my $time = min($piece->[TO], $to) - max($piece->[FROM], $from);
		my $task = $piece->[TASK];
		$ran{$task ? $task->comm . ' ' . $task->pid : '<idle>'} += $time;
		$known += $time;
	}
	$ran{unknown} = $to - $from - $known if $to - $from > $known;
	my @who = sort { $ran{$b} <=> $ran{$a} || $a cmp $b } keys %ran;
	my @others = splice @who, min($NAMED, scalar @who);
	if (@others) {
		my $others = @others . ' others';
		$ran{$others} += $ran{$_} for @others;
		push @who, $others;
	}
	return join ', ', map { "$_ " . Zed::duration($ran{$_}) } @who;
}

# ---- the walk ----

# Where the time of TASK from LOW to TS went: { from, to, what, who, pid, cpu, detail } in the order of time, without a
# gap from the first to the last.
sub walk {
	my ($self, $task, $low, $ts) = @_;
	my @parts;
	_back({ chain => $self, parts => \@parts, source => $task->source }, $task, $ts, $low, 0);
	return reverse @parts;
}

# A part that ends where the next one begins. If both are alike, that one is extended. Returns where it begins.
sub _emit {
	my ($walk, $from, $to, $what, %o) = @_;
	return $to if $from >= $to;
	my $last = $walk->{parts}[-1];
	if ($last && $last->{what} eq $what && !defined $o{detail} && !defined $last->{detail}
		&& ($last->{who} // '') eq ($o{who} // '') &&
		($last->{pid} // -1) == ($o{pid} // -1) && ($last->{cpu} // -1) == ($o{cpu} // -1)) {
		$last->{from} = $from;
	} else {
		push @{$walk->{parts}}, { from => $from, to => $to, what => $what, %o };
	}
	return $from;
}

sub _task { return (who => $_[0]->comm, pid => $_[0]->pid) }

sub _back {
	my ($walk, $task, $ts, $low, $depth) = @_;
	my $self = $walk->{chain};
	if ($depth > $DEPTH) {
		_emit($walk, $low, $ts, 'unknown', _task($task), detail => "more than $DEPTH wakeups away");
		return;
	}
	$ts = _emit($walk, max($task->since, $low), $ts, 'ended', _task($task))
		if $task->state == $DEAD && $task->since < $ts;
	while ($ts > $low) {
		my $piece = _piece_before($task, $ts);
		my $to = $piece ? $piece->[TO] // $ts : $low;
		if ($to < $ts) {
			my $cut = defined $self->{cut} && $self->{cut} >= $to;
			$ts = _emit($walk, max($to, $low), $ts, 'unknown', _task($task),
				$cut ? (detail => 'before what is kept') : ());
			next;
		}
		my $from = max($piece->[FROM], $low);
		if ($piece->[KIND] == RAN) {
			my $work = _work_at($task, $ts);
			my $begin = $work && $work->[BEGAN] >= $from ? $work->[BEGAN] : undef;
			$ts = _runs($walk, $task, $piece->[CPU], $begin // $from, $ts);
			next if !defined $begin;
			_asked($walk, $work, $ts, $low, $depth);
			return;
		}
		if ($piece->[KIND] == SLEPT) {
			$ts = _emit($walk, $from, $ts, 'sleeps', _task($task), detail => "state $piece->[WHY]");
			next;
		}
		my $why = $piece->[WHY];
		my $woken = $why eq 'wake' || $why eq 'new';
		$ts = _emit($walk, $from, $ts, $woken ? 'waits for a CPU' : 'preempted', _task($task),
			cpu => $piece->[CPU],
			defined $piece->[TO] && defined $piece->[CPU]
			? (detail => _who_ran($self, $task->source, $piece->[CPU], $from, $ts)) : ());
		next if !$woken || $ts <= $low;
		if ($why eq 'new') {	# before that, only its parent existed
			_ended_by($walk, $piece->[WAKER], $ts, $low, $depth);
			return;
		}
		my $sleep = _piece_before($task, $ts);
		next if !$sleep || $sleep->[KIND] != SLEPT || $sleep->[TO] != $ts;
		my $since = max($sleep->[FROM], $low);
		_ended_by($walk, $piece->[WAKER], $ts, $since, $depth);
		$ts = $since;
	}
	return;
}

# TASK ran, except for interrupts.
sub _runs {
	my ($walk, $task, $cpu, $from, $to) = @_;
	my $self = $walk->{chain};
	my $frames = $self->{frames_on}[$task->source][$cpu] // [];
	my ($kind, $number, $name, $since) = $self->{frames}->outermost($task->source, $cpu);
	for my $frame (defined $since && $since < $to ? [$since, $to, $kind, $number, $name] : (),
		reverse @$frames[0 .. _before($frames, $to) - 1]) {
		last if $frame->[TO] <= $from;
		my $end = min($frame->[TO], $to);
		next if $end <= $frame->[FROM];
		$to = _emit($walk, $end, $to, 'runs', _task($task), cpu => $cpu);
		$to = _emit($walk, max($frame->[FROM], $from), $to, 'interrupted',
			who => _frame_name(@$frame[KIND, 3, 4]), cpu => $cpu);
	}
	return _emit($walk, $from, $to, 'runs', _task($task), cpu => $cpu);
}

sub _frame_name {
	my ($kind, $number, $name) = @_;
	return $kind eq 'irq' ? "irq $number" . ($name eq $number ? '' : " $name") : $kind eq 'vector' ? "irq $name"
		: "$kind $name";
}

# The request of the pending work.
sub _asked {
	my ($walk, $work, $ts, $low, $depth) = @_;
	return if $ts <= $low;
	if (!defined $work->[ASKED]) {
		_emit($walk, $low, $ts, 'unknown', who => $work->[FUNCTION],
			detail => 'who queued this work is not in the trace');
		return;
	}
	$ts = _emit($walk, max($work->[ASKED], $low), $ts, 'work queued', who => $work->[FUNCTION]);
	_ended_by($walk, $work->[ASKER], $ts, $low, $depth) if $ts > $low;
	return;
}

# A wait until TS has ended because of BY.
sub _ended_by {
	my ($walk, $by, $ts, $low, $depth) = @_;
	return if $ts <= $low;
	my $context = $by->{context};
	if ($context) {
		_interrupt($walk, $context, $ts, $low, $depth);
	} elsif ($by->{in}) {
		_emit($walk, $low, $ts, 'unknown', cpu => $by->{cpu},
			detail => 'ended by an interrupt that is not in the trace');
	} elsif (!$by->{pid}) {
		_emit($walk, $low, $ts, 'unknown', cpu => $by->{cpu},
			detail => "ended by the idle task of CPU $by->{cpu}");
	} else {
		_back($walk, $by->{task}, $ts, $low, $depth + 1);
	}
	return;
}

# The same because of an interrupt or softirq: itself, what raised it, and the origin of that.
sub _interrupt {
	my ($walk, $context, $ts, $low, $depth) = @_;
	my ($in, $first, $cause, $network) = ($context, $context);
	while ($in) {
		$first = $in;
		$network ||= $in->{kind} eq 'softirq' && $NETWORK{$in->{number}};
		$cause //= $in if defined $in->{timer} || $in->{mark};
		$ts = _emit($walk, max($in->{began}, $low), $ts, $in->{kind} eq 'softirq' ? 'softirq' : 'irq',
			who => _frame_name(@$in{qw(kind number name)}) =~ s/^(?:irq|softirq) //r, cpu => $in->{cpu});
		last if !defined $in->{raised} || $ts <= $low;
		$ts = _emit($walk, max($in->{raised}, $low), $ts, 'softirq pending', who => $in->{name},
			cpu => $in->{cpu});
		$in = $in->{within};
	}
	return if $ts <= $low;
	if ($cause && defined $cause->{timer}) {
		_timer($walk, $cause, $ts, $low);
	} elsif ($cause && $cause->{mark}{request}) {
		_device($walk, $cause->{mark}{request}, $ts, $low, $depth);
	} elsif ($network) {
		_emit($walk, $low, $ts, 'network');
	} else {
		_emit($walk, $low, $ts, 'unknown', cpu => $first->{cpu},
			detail => 'ended by ' . _frame_name(@$first{qw(kind number name)}));
	}
	return;
}

sub _timer {
	my ($walk, $timer, $ts, $low) = @_;
	my $who = $timer->{function};
	my $late = ($timer->{mark} // {})->{late};
	$ts = _emit($walk, max($timer->{called} - $late, $low), $ts, 'timer late', who => $who)
		if defined $late && $late > 0;
	_emit($walk, $low, $ts, 'timer', who => $who);
	return;
}

sub _device {
	my ($walk, $request, $ts, $low, $depth) = @_;
	my $who = Zed::dev($request->{dev});
	$ts = _emit($walk, max($request->{issued}, $low), $ts, 'device', who => $who);
	return if $ts <= $low;
	if (!defined $request->{asked}) {
		_emit($walk, $low, $ts, 'unknown', who => $who,
			detail => 'who asked for this request is not in the trace');
		return;
	}
	$ts = _emit($walk, max($request->{asked}, $low), $ts, 'block queue', who => $who);
	_ended_by($walk, $request->{by}, $ts, $low, $depth) if $ts > $low;
	return;
}

# ---- what a walk found ----

# What the parts are, by what and of whom, the longest first.
sub sums {
	my @parts = @_;
	my %sums;
	for my $part (@parts) {
		my $sum = $sums{join "\0", $part->{what}, $part->{who} // '', $part->{pid} // ''} //=
			{ what => $part->{what}, who => $part->{who}, pid => $part->{pid}, n => 0, total => 0,
				first => $part->{from} };
		$sum->{n}++;
		$sum->{total} += $part->{to} - $part->{from};
	}
	return sort { $b->{total} <=> $a->{total} || $a->{first} <=> $b->{first} } values %sums;
}

sub mostly {
	my @sums = sums(@_);
	return join ', ', map { join ' ', Zed::duration($_->{total}), $_->{what}, grep { defined } @$_{qw(who pid)} }
		@sums[0 .. min($#sums, $SHOWN - 1)];
}

1;

__END__

=head1 NAME

Zed::Chain - where the time of a task went, through everything that it waited for

=head1 SYNOPSIS

    use Zed::Chain;

    my $chain = Zed::Chain->new;

    sub trace_lost { $chain->lost(@_) }

    sub trace_end {
        my ($task) = grep { $_->pid == 50 } $chain->tasks->all;
        for ($chain->walk($task, $from, $to)) {
            print Zed::duration($_->{to} - $_->{from}), " $_->{what} ", $_->{who} // '', "\n";
        }
    }

=head1 DESCRIPTION

Keeps the history of tasks and CPUs, by Zed::Tasks and Zed::Frames, and the pending requests, timers
and pieces of work. From this it finds why a task had not got further: going backward from a moment,
each stretch of time has one reason; where a task slept, the reason is what its waker did meanwhile.
C<zedperl --help why-late> describes the steps.

=head1 METHODS

=over

=item Zed::Chain->new([keep => N,] [from => TS,] [waited => CODE,] [before_cut => CODE])

Keeps at most N pieces of history (100000), and none that ended before TS. When there are N, the older half is dropped;
the CODE of C<before_cut> is called before that. C<waited> is as in Zed::Tasks: for the chosen waits (Zed::Asked). The
history covers all tasks and CPUs, also before the chosen time.

=item $chain->walk(TASK, FROM, TO)

Where the time of that task went from FROM to TO: references to hashes in order of time, with
C<from>, C<to>, C<what>, and, if known, C<who>, C<pid>, C<cpu>, C<detail>. The first begins at FROM,
each other one where the one before it ends, and the last ends at TO.

=item Zed::Chain::sums(PART, ...), Zed::Chain::mostly(PART, ...)

What the parts of a walk are made of: references to hashes with C<what>, C<who>, C<pid>, C<n>, C<total> (ns) and
C<first> (the time of the first one), the longest first; the first three of these in words.

=item $chain->ended_before(TASK, TS)

Had the task ended at TS?

=item $chain->sleep_before(TASK, TS)

When the task that was woken at TS went to sleep; TS if that is unknown.

=item $chain->tasks, $chain->frames

The Zed::Tasks and the Zed::Frames.

=item $chain->lost(CPU, COUNT)

For trace_lost.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Tasks, Zed::Frames

=head1 LICENCE

GPL-2.0-or-later

=cut
