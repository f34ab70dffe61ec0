#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# sched-summary.pl: who used the CPUs: run time, switches, migrations of each task; how busy each CPU was.
# zedtrace: sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new
# zedperl: keeps traces apart
# zedperl: is made of sched:sched_switch
# zedperl: answers for parts of the time
# zedperl: is about scheduler scheduling cpu usage load busy idle migration context-switch task thread process runtime

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Ends;
use Zed::Report;
use Zed::Spread;
use Zed::Tasks;

my $report = Zed::Report->new(name => 'sched-summary', answer => \&answer, fold => \&fold, options => ['by=s'],
	defaults => { by => 'comm' });
$report->usage("--by '" . $report->option('by') . "': it takes comm or pid")
	if $report->option('by') !~ /^(?:comm|pid)\z/;

my $MUCH = 0.1;		# of the time, when it is unknown
my @STATES = qw(unknown runs ready blocked dead);
my %HOW = (block => 'voluntary', preempt => 'preempted', resched => 'resched');
my %UNSEEN = (unseen => 1, lost => 1);	# how a turn ends whose end was not seen

# What a task did: an array, as there may be very many that were seen once.
use constant { TASK => 0, SLICES => 1, FIRST => 2, RUN => 3, MIGRATIONS => 4, VOLUNTARY => 5, PREEMPTED => 6,
	RESCHED => 7, PIECES => 8 };
my %DID = (run => RUN, pieces => PIECES, migrations => MIGRATIONS, voluntary => VOLUNTARY, preempted => PREEMPTED,
	resched => RESCHED);

my %tasks;	# {address of the task}: what it did
my $heat = $report->heat('slices by time', 'time that a task ran');
my @cpus;	# [source][cpu]{busy|idle|unknown}: ns

# Of a task that is in several parts of a trace the last one knows what it was called at the end.
my $is_part = Zed::Asked::is_part();
my $names = $is_part && Zed::Asked::tells_end();
my @replaced;

my $tasks = Zed::Tasks->new(
	last_name => 1,
	still => 0,
	ran => \&ran,
	$names ? (replaced => sub { push @replaced, $_[0] }) : (),
	busy => sub { my ($source, $cpu, $from, $to) = @_; $cpus[$source][$cpu]{busy} += $to - $from },
	idle => sub { my ($source, $cpu, $from, $to) = @_; $cpus[$source][$cpu]{idle} += $to - $from },
	unknown => sub { my ($source, $cpu, $from, $to) = @_; $cpus[$source][$cpu]{unknown} += $to - $from },
);

# What the answer is made of: tasks by their key, and CPUs by their input and number.
my (%rows, %spent);

# What a task that is in the answer was called and was at when the time that is asked for was over.
my %at_end;	# {address of the task}: name, state

Zed::Asked::at_end(sub {
	%at_end = map { (0 + $_ => [$_->comm, state_now($_)]) } (map { $_->[TASK] } values %tasks, $tasks->running),
		$names ? $tasks->all : ();
});

# In place of these, what a part has: {trace}: its tasks, by their number and life, and its CPUs, and how long it is.
my %parts;

$report->counts(\(%tasks, @cpus, %at_end));
$report->keeps(rows => \%rows, { '*' => { (map { ("$_!" => 'sum') } qw(tasks run pieces migrations), values %HOW),
	'comm!' => 'same', 'pid!' => 'number', 'slices!' => 'spread' } });
$report->keeps(spent => \%spent,
	{ '*' => { source => 'number', cpu => 'number', map { ("$_!" => 'sum') } qw(busy idle unknown all) } });
$report->keeps(parts => \%parts, { '*' => {
	tasks => { '*' => { pid => 'number', slices => 'spread', comm => 'same', state => 'same',
		map { $_ => 'sum' } qw(run pieces migrations), values %HOW } },
	cpus => { '*' => { source => 'number', cpu => 'number', map { ("$_!" => 'sum') } qw(busy idle unknown all) } },
		'time!' => 'sum' } });
$report->keeps(tasks => \$tasks, 'tasks');

sub ran
{
	my ($task, $cpu, $from, $to, $how, $began) = @_;
	my $of = $tasks{0 + $task} //= new_task($task, $began // $from);

	$of->[RUN] += $to - $from;
	return if !defined $how;	# it goes on
	if (defined $began && !$UNSEEN{$how}) {
		$of->[SLICES]->add($to - $began);
		$heat->add($to, $to - $began) if $heat && Zed::Asked::comm($task->comm);
	} else {
		$of->[PIECES]++;
	}
	$of->[$DID{$HOW{$how}}]++ if $HOW{$how};
	$of->[MIGRATIONS]++ if defined $task->came_from && $task->came_from != $cpu;
}

sub new_task { my ($task, $began) = @_; return [$task, Zed::Spread->new, $began] }

sub fold
{
	my @open;	# [source][cpu]: what runs at the end has not ended: it counts up to there, and is no slice
	my %still;

	for ($tasks->running) {
		my ($task, $cpu, $since) = @$_;
		my $end = Zed::end($task->source) // ($tasks->span)[1];

		next if !defined $end || $end < $Zed::Asked::FROM || $since > $Zed::Asked::TO;
		my $time = Zed::Asked::time_in($since, $end);

		$open[$task->source][$cpu]{$task->pid ? 'busy' : 'idle'} = $time;
		next if !$task->pid || !Zed::Asked::pid($task->pid, $task->source);
		$still{0 + $task} += $time;
		$tasks{0 + $task} //= new_task($task, $since);
	}
	spent(\@open);
	%rows = ();
	return fold_part(\%still) if $is_part;
	my @did = sort { $a->[FIRST] <=> $b->[FIRST] } values %tasks;

	# Unless another answer follows, what a task did makes room for its row.
	%tasks = () if !$report->answers_again;
	while (my $of = shift @did) {
		my $task = $of->[TASK];
		my $comm = name($task);

		next if !Zed::Asked::comm($comm);
		put({ comm => $comm, pid => $task->pid, state => state($task), slices => $of->[SLICES],
			did($of, \%still) }, $report->apart($task->source), $task->life);
	}
}

# What a task did in the time that is asked for.
sub did
{
	my ($of, $still) = @_;

	return (run => ($of->[RUN] // 0) + ($still->{0 + $of->[TASK]} // 0), map { $_ => $of->[$DID{$_}] // 0 }
		values %HOW, 'migrations', 'pieces');
}

sub name { my ($task) = @_; my $then = $at_end{0 + $task}; return $then ? $then->[0] : $task->comm }
sub state { my ($task) = @_; my $then = $at_end{0 + $task}; return $then ? $then->[1] : state_now($task) }
sub state_now { my ($task) = @_; return $STATES[$task->state] . ($task->state == 3 ? ' ' . $task->letter : '') }

# Into the row that a task belongs to.  A number is that of another task, once the first is dead.
sub put
{
	my ($of, $source, $life) = @_;
	my $by = $report->option('by') eq 'pid' ? join "\0", $source, $of->{pid}, $of->{comm}, $life : $of->{comm};
	my $row = $rows{$by};

	if (!$row) {
		$rows{$by} = $of;
		$of->{$_} //= 0 for keys %DID;
		$of->{tasks} = 1;
		return;
	}
	# The first one's are still its own.
	$row->{slices} = Zed::Spread->new->merge($row->{slices}) if $row->{tasks}++ == 1;
	$row->{slices}->merge($of->{slices});
	$row->{$_} += $of->{$_} // 0 for keys %DID;
	$row->{state} = $of->{state};
}

# ---- parts of a trace ----

sub fold_part
{
	my ($still) = @_;
	my $part = $parts{$report->trace_of_part} = { tasks => {}, cpus => { %spent }, time => 0 };
	my ($start, $end) = $report->window_of(0, $tasks->span);
	my $by = sub { my ($task) = @_; return $task->pid . ' ' . $task->life };

	%spent = ();
	$part->{time} = $end - $start if defined $end;
	for my $of (values %tasks) {
		$part->{tasks}{$by->($of->[TASK])} = { pid => $of->[TASK]->pid, slices => $of->[SLICES],
			did($of, $still) };
	}
	for my $task ($names ? grep { Zed::Asked::comm(name($_)) } @replaced, $tasks->all : ()) {
		my $of = $part->{tasks}{$by->($task)} //= {};

		$of->{comm} = name($task);
		$of->{state} = state($task);
	}
}

# As the whole of a trace is, from its parts.
sub join_parts
{
	for my $part (delete @parts{keys %parts}) {
		my $tasks = $part->{tasks} // {};

		for my $key (sort keys %$tasks) {
			put($tasks->{$key}, 0, (split / /, $key)[1])
				if $tasks->{$key}{slices} && defined $tasks->{$key}{comm};
		}
		for my $key (keys %{$part->{cpus} // {}}) {
			my $of = $part->{cpus}{$key};
			my $sum = $spent{$key} //= { source => $of->{source}, cpu => $of->{cpu} };

			# Parts that know nothing of a CPU have their time, too.
			$of->{unknown} += $part->{time} - $of->{all};
			$of->{all} = $part->{time};
			$sum->{$_} += $of->{$_} for qw(busy idle unknown all);
		}
	}
}

# ---- the answer ----

sub answer
{
	join_parts();
	my ($start, $end) = $report->window($tasks->span);
	my $cpus = cpu_table();
	my $by_pid = $report->option('by') eq 'pid';
	my $table = $report->table('tasks', columns => [['comm', 'task', 'text'],
		$by_pid ? ['pid', 'pid', 'int'] : (['only_pid', 'pid', 'int'], ['tasks', 'tasks', 'int']),
		['run', 'run', 'ms'], ['share', 'share %', 'share'],
		['n', 'slices', 'int'], ['p50', 'p50', 'us'], ['max', 'max', 'us'], ['voluntary', 'voluntary', 'int'],
		['preempted', 'preempted', 'int'], ['resched', 'resched', 'int'], ['migrations', 'migrations', 'int'],
		$by_pid ? ['state', 'last', 'text'] : ()], rows => [values %rows], made => {
			share => sub { my ($row) = @_; return $cpus ? $row->{run} / $cpus : undef },
			only_pid => sub { my ($row) = @_; return $row->{tasks} == 1 ? $row->{pid} : undef },
			n => sub { my ($row) = @_; return $row->{slices}->n },
			p50 => sub { my ($row) = @_; return $row->{slices}->quantile(50) },
			max => sub { my ($row) = @_; return $row->{slices}->max },
		});
	my $all = Zed::Spread->new;
	my %sum = (comm => 'ALL', $by_pid ? () : (tasks => 0));
	my $pieces = 0;

	for my $row (values %rows) {
		$all->merge($row->{slices});
		$pieces += $row->{pieces};
		$sum{$_} += $row->{$_} // 0 for 'run', values %HOW, 'migrations', $by_pid ? () : 'tasks';
	}
	$table->sort('run', 'comm', 'pid');
	$table->last({ %sum, share => $cpus ? $sum{run} / $cpus : undef, n => $all->n, p50 => $all->quantile(50),
		max => $all->max })
		if keys %rows > 1;
	slice_table($all);
	notes($pieces);
	return ($start, $end);
}

# The last index of both arrays.
sub most
{
	my ($x, $y) = map { $#{$_ // []} } @_;

	return $x > $y ? $x : $y;
}

# How each CPU spent the time.
sub spent
{
	my ($open) = @_;

	%spent = ();
	for my $source ($tasks->sources) {
		my ($start, $end) = $report->window_of($source, $tasks->span);
		my %there = map { $_ => 1 } grep { Zed::Asked::cpu($_) } Zed::Ends::cpus($source),
			Zed::Ends::missing($source);

		for my $cpu (0 .. most($cpus[$source], $open->[$source])) {
			$there{$cpu} = 1 if $cpus[$source][$cpu] || $open->[$source][$cpu];
		}
		for my $cpu (sort { $a <=> $b } keys %there) {
			my ($of, $last) = ($cpus[$source][$cpu], $open->[$source][$cpu]);
			my %row = (map { $_ => ($of->{$_} // 0) + ($last->{$_} // 0) } qw(busy idle unknown));
			my $rest = $end - $start - $row{busy} - $row{idle} - $row{unknown};

			# Before its first record, and after its last where losses end it, or others are not here.
			$row{unknown} += $rest if $rest > 0;
			$row{all} = $end - $start;
			my $sum = $spent{$report->apart($source) . " $cpu"} //=
				{ source => $report->apart($source), cpu => $cpu };

			$sum->{$_} += $row{$_} for keys %row;
		}
	}
}

# Returns the time of all.
sub cpu_table
{
	# Of a CPU about which nothing is known it is not known that it was not busy.
	my @rows = map { my $none = $_->{unknown} && $_->{unknown} >= $_->{all};
		+{ %$_, share => $_->{all} && !$none ? $_->{busy} / $_->{all} : undef,
			$none ? (busy => undef, idle => undef) : () } }
		sort { $a->{source} <=> $b->{source} || $a->{cpu} <=> $b->{cpu} } values %spent;
	my $all = 0;

	$all += $_->{all} for @rows;
	$report->table('cpus', title => 'CPUs', whole => 1, rows => \@rows,
		columns => [@rows && $rows[-1]{source} ? ['source', 'input', 'int'] : (),
		['cpu', 'CPU', 'int'], ['busy', 'busy', 'ms'], ['idle', 'idle', 'ms'], ['unknown', 'unknown', 'ms'],
		['all', 'all', 'ms'], ['share', 'busy %', 'share']]);
	return $all;
}

sub slice_table
{
	my ($slices) = @_;

	return if !$slices->n;
	$report->histogram('slices', 'how long tasks run at a time', $slices);
}

sub notes
{
	my ($pieces) = @_;
	my ($unknown, $all) = (0, 0);

	for (values %spent) {
		$unknown += $_->{unknown};
		$all += $_->{all};
	}
	$report->missing($tasks, 'who ran meanwhile is unknown, and run times are lower bounds');
	$report->warning('unknown', undef, sprintf 'Who ran is unknown for %.0f %% of the time of the CPUs (%s of ' .
		'%s): run times and shares are lower bounds',
		100 * $unknown / $all, map { Zed::duration($_) } $unknown, $all) if $unknown > $MUCH * $all;
	$report->note('begun', $tasks->n('begun'),
		'{switch|switches} to a task of unknown earlier state');
	$report->note('pieces', $pieces, '{turn|turns} of which the beginning or the end was not seen ' .
		'{counts|count} in run, but not as {a slice|slices}');
}

sub trace_begin { $report->begin }
sub trace_lost { $report->lost(@_); $tasks->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

sched-summary.pl - who used the CPUs, how they were left, and how busy each CPU was

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<sched-summary> [B<--by> comm|pid] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]
[B<--html> I<FILE>] [B<--svg> I<FILE>]

B<zedperl --live sched-summary> B<--every> 5s

=head1 DESCRIPTION

Adds up the time between the switch that starts a task and the one that ends its turn. Shares are of
the time of all CPUs from the first to the last record of the trace, however much of it was seen.
Busy, idle and unknown time of a CPU add up to exactly that, and each CPU that has records in the trace has its row,
also for a part of the time in which it has none. Time is unknown in losses, before a CPU's first record, and where
the kernel left out a switch.

Who runs on a CPU at its last record, or that it is idle, is taken to be so until the trace ends: a task that computes
causes no event. But where pages were left out of a file (C<trace-cmd record -m>, C<zedtrace --max-size>, a tool that
shortened it), which the kernel's statistics in it show, the time after the CPU's last record is unknown, too
(C<zedperl help Zed::Ends>).

A recording of chosen tasks (B<perf record> I<COMMAND>, B<zedtrace -c>) has their switches only: after one of
them left a CPU to another task, or idle, it is unknown who runs there until the next record of that CPU.

A task that changes its name, as it does when it runs another program, is in the row of its last name
with all that it ran; B<--comm> chooses by that name.

=head1 OPTIONS

=over

=item --by comm|pid

A row for all tasks with the same name (the default), or for each task.

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<cpus>, C<tasks>, C<slices>.

=head1 RECORD

    zedtrace sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new -d 10
    trace-cmd record -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

or, with perf,

    perf record -a -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

C<sched_switch> is enough; the others help to find switches that are missing.

=head1 OUTPUT

Tasks of one name are one row: C<tasks> says how many, and C<pid> is that of the one, if it is one.

=over

=item voluntary

Switches after which the task was blocked: it had nothing to do, or waited for something.

=item preempted, resched

The kernel took the CPU away inside the kernel, or on the way back to the program, and the task
stayed ready; sched_yield() looks like the latter. Both together are what the kernel counts as
nonvoluntary_ctxt_switches.

=item migrations

Turns that began on a different CPU than the previous turn.

=item last

What the task was doing at the end.

=back

Of a CPU of which nothing is known in that time, as before its first record, in a gap, or where a file that is cut off
has no record of it, C<busy> and C<idle> are C<->: all of its time is C<unknown>.

A turn of which the switch to the task, or away from it, is not in the trace (where the trace begins, at a loss, or as
the kernel left it out) counts in C<run> and C<busy> as far as it was seen, and a switch away from the task in its
column, but it is not a slice: how long it lasted is not known. A note says how many there are. So does what is
running when the trace ends: it counts up to that moment.

=head1 EXAMPLES

    zedperl trace.dat sched-summary --by pid --limit 5
    zedperl trace.dat sched-summary --json | jq '.tables.cpus.rows[].share'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
