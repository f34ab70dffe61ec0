#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# syscalls.pl: system calls: which fail, for which task; how often, how long, how much of it on a CPU; the longest.
# zedtrace: raw_syscalls sched:sched_switch sched:sched_process_exit
# zedperl: keeps traces apart
# zedperl: is made of raw_syscalls:sys_enter|syscalls:sys_enter raw_syscalls:sys_exit|syscalls:sys_exit
# zedperl: answers for parts of the time
# zedperl: is about syscall strace error errno failure latency slow io kernel

use strict;
use warnings;

use List::Util qw(max);
use Zed;
use Zed::Asked;
use Zed::Away;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'syscalls', answer => \&answer, fold => \&fold,
	options => [qw(by=s worst=i legs failed)],
	defaults => { by => '', worst => 10 });
my $by = $report->option('by');
$report->usage("--by '$by': it takes comm or pid") if $by !~ /^(?:comm|pid|)\z/;

# Results that the kernel returns to itself: the call is entered again, unless a signal's handler ends it.
my $RESTARTS = 'ret == -512 || ret == -513 || ret == -514 || ret == -516';
my $ORDINARY = join ' && ', map { "ret != -$_" } 512, 513, 514, 516;
my $MANY = 50;		# tasks in the middle of a restart that are watched one by one

my $joined = !$report->option('legs');

# The return from a signal's handler: its exit has no number (-1 of 32 bits or 64), or its own, and the result of the
# interrupted call.
my $SIGRETURN = '(?:rt_)?sigreturn';
my $NUMBERLESS = 'nr == -1 || nr == 4294967295';
my $EXIT = 'exit(?:_group)?';	# never return
my $FORK = 'v?fork|clone[23]?';	# a new task returns from it without having called it

# The numbers that calls have on any machine: x32's, OABI's and ARM's own are apart. Those of a damaged trace, which may
# all be different, are counted together.
my @NUMBERS = ([0, 0x1fff], [0xf0000, 0xf00ff], [0x900000, 0x9003ff], [0x40000000, 0x400003ff]);
my $OTHERS = -2;

# Numbers of calls are those of a machine.
my $many = defined Zed::ncpus(1);
my ($sources, %numbers) = (0);	# {name}{number}: the inputs

while (!$sources || defined Zed::ncpus($sources)) {
	for my $nr (0 .. 600, 0x1c00 .. 0x1fff) {	# and those of calls of which only the names are known (CTF)
		my $name = name($nr, $sources);

		push @{$numbers{$name}{$nr}}, $sources if $name =~ /^(?:$SIGRETURN|$EXIT|$FORK)\z/;
	}
	$sources++;
}

# Calls with such NAMES, as conditions; PREFIX: start. or none.
sub are_named
{
	my ($names, $prefix) = @_;

	return map {
		my $of = $numbers{$_};
		map { my $nr = $_; @{$of->{$nr}} == $sources ? "${prefix}nr == $nr" : "(${prefix}nr == $nr && ("
			. join(' || ', map { "${prefix}source == $_" } @{$of->{$nr}}) . '))' }
			sort { $a <=> $b } keys %$of;
	} grep { /^(?:$names)\z/ } sort keys %numbers;
}

# Errors by which a wait ends as it should: its time is over, it would wait, a signal came.
my %ENDS_WAIT = map { $_ => 1 } qw(EAGAIN EINTR ETIMEDOUT);

# Has the call failed, with its result as a number?
sub has_failed
{
	my ($ret, $source) = @_;

	return $ret < 0 && $ret >= -4095 && !$ENDS_WAIT{Zed::errno_name($ret, $source) // ''};
}

# As a condition, which also holds for a few that have not: numbers of errors are those of a machine.
sub may_have_failed
{
	my %ends;

	for my $source (0 .. $sources - 1) {
		$ends{$_}++ for grep { !has_failed(-$_, $source) } 1 .. 4095;
	}
	return join ' && ', 'ret < 0', 'ret >= -4095', map { "ret != -$_" } sort { $a <=> $b }
		grep { $ends{$_} == $sources } keys %ends;
}

sub any { return join(' || ', @_) || 0 }
sub none { return map { /^\(/ ? "!$_" : s/==/!=/r } @_ }	# terms, each of which is quick

my $usual = join ' || ', map { sprintf 'end.nr >= 0x%x && end.nr <= 0x%x', @$_ } @NUMBERS;

sub kept_number
{
	my ($id) = @_;

	return grep({ $id >= $_->[0] && $id <= $_->[1] } @NUMBERS) ? $id : $OTHERS;
}

# Most calls are counted without calling Perl: from an enter to the exit of the same task and number. Switches first:
# their times for a call must be there when the call comes.
my $there = Zed::_makes('syscall:enter');
my @key = ($many ? 'source' : (), 'id', $by ? "common_$by" : ());
my ($calls, $times, $sums, $errors, $failures, $longest, $slowest_failed);
my $returned;		# exits with a number, except those of new tasks
my $away = $there && grep({ $_ eq 'sched::sched_switch' } Zed::events()) ? Zed::Away->new(ends => \&ends,
	ended => \&was_away) : undef;
my @FAILURE = qw(source id ret common_comm common_pid);

if ($there) {
	my @counted = $joined ? (where => $ORDINARY) : ();

	$calls = Zed::synthetic('syscalls::leg', start => 'syscall:enter', end => 'syscall:exit',
		# LTTng does not say who calls before the first switch of a CPU.
		match => join(' && ', 'start.common_pid == end.common_pid', 'start.common_pid >= 0',
			'start.nr == end.nr', none(are_named("$SIGRETURN|$EXIT", 'start.'))),
		fields => [id => "($usual) * (end.nr - $OTHERS) + $OTHERS",
			took => 'end.ts - start.ts', ret => 'end.ret', on => 'start.cpu']);
	$away->legs('syscalls:leg') if $away;
	# For those without a number see leaves_handler().
	$returned = Zed::count('syscall:exit', where => join ' && ',
		'!(ret == 0 && (' . any(are_named($FORK, '')) . '))', none(split / \|\| /, $NUMBERLESS));
	$times = Zed::quantiles('syscalls:leg', 'took', by => \@key, @counted);
	$sums = Zed::sum('syscalls:leg', 'took', by => \@key, @counted);
	my @failed = (where => 'ret < 0 && ret >= -4095' . ($joined ? " && $ORDINARY" : ''));

	$errors = Zed::count('syscalls:leg', by => [@key, 'ret'], @failed);
	$failures = Zed::count('syscalls:leg', by => \@FAILURE, @failed);
	$longest = Zed::top('syscalls:leg', 'took', limit => $report->option('worst'),
		fields => ['id', 'ret', 'common_pid'], @counted, $report->each_input)
		if $report->option('worst') > 0;
	$slowest_failed = Zed::top('syscalls:leg', 'took', limit => $report->option('worst'),
		fields => ['id', 'ret', 'common_pid'], where => may_have_failed() . ($joined ? " && $ORDINARY" : ''),
		$report->each_input)
		if $report->option('failed') && $report->option('worst') > 0;
}

my $heat = $report->heat('calls by time', 'time of a call');
my @kept;		# for pictures: the events around these stay in the page
my $keeping;		# the handler for calls that may be one of them

if ($heat && $there) {
	$heat->counts('syscalls:leg', 'took', $joined ? (where => $ORDINARY) : ());
	keep_longest(-1) if $report->option('worst') > 0;
}

# Call Perl only for calls longer than LEAST, which may be among the longest: there are ever fewer. The handler is made
# anew when that grows by a quarter, or has grown and many calls came for nothing.
sub keep_longest
{
	my ($least) = @_;
	my $n = 0;

	Zed::off($keeping) if defined $keeping;
	$keeping = Zed::on('syscalls:leg', args => [qw(ts took)],
		where => "took > $least" . ($joined ? " && $ORDINARY" : ''), sub {
			my ($ts, $took) = @_;

			$report->worst(\@kept, 'took', { took => $took }, $ts - $took, $ts);
			my $now = @kept < $report->option('worst') ? -1 : $kept[-1]{took};
			keep_longest($now) if $now > 1.25 * $least || $now > $least && ++$n > $MANY;
		});
}

my %restarted;		# {source}{pid}: the call that is being restarted: id, since, legs
# {source, id, who}: calls that ended after restarts: [time, legs, ret, time off the CPU, unknown]; without legs: a leg
# of it that no longer counts
my %ended;
my %failed;		# {source, id, ret, comm, pid}: likewise, for those that fail
my (@joined_worst, @joined_failed);
my %last_leg;		# {source ts pid}: it is counted with the call that it ended
my $restarting = 0;	# how many are being restarted
my ($watch, $watched);	# the handler for their further legs
my $killed = 0;

# A call counts where it ends; legs of a restarted one are followed from before the chosen time.
sub counts
{
	my ($ts, $pid) = @_;

	return Zed::Asked::at($ts) && Zed::Asked::cpu(Zed::cpu()) && Zed::Asked::task_of($pid);
}

# How much of its time a task was off the CPU in a call, and for how much of it that is unknown.
my $switches = 0;
my $could_split = $away ? 1 : 0;	# the trace has the event, though perhaps none up to the end of the time
# Of a part of the time, those that begin before it count in full, too.
my $is_window = Zed::Asked::is_window() ? 1 : 0;
my (%off, %unknown);	# {source, id, who}
my %untold;		# {why}: calls with an unknown part
my %n;

sub ends
{
	my ($id, $exit) = @_;

	return $id == $exit || ($exit == -1 || $exit == 0xffffffff) && name($id) =~ /^$SIGRETURN\z/;
}

sub was_away
{
	my ($ts, $pid, $id, $ret, $time, $unknown, @why) = @_;

	return if !counts($ts, $pid) || $joined && is_restart($ret);
	my $key = join "\0", $many ? Zed::source_index() : (), kept_number($id), who($pid);

	$untold{$_}++ for @why;
	$off{$key} += $time if $time;
	$unknown{$key} += $unknown if $unknown;
}

Zed::Asked::follow(sub { return 1 }, $away->ids) if $away;

sub is_restart { my ($ret) = @_; return $ret <= -512 && $ret >= -516 && $ret != -515 }
sub who { my ($pid) = @_; return $by eq 'pid' ? $pid : $by ? Zed::comm() : () }

# How many are being restarted at the end of the chosen time, or return from a handler.
my ($at_end, $returning_at_end);

sub asked_in
{
	my ($tasks) = @_;

	return scalar map {
		my $source = $_;
		grep { Zed::Asked::task_of($_, $source) } keys %{$tasks->{$source}};
	} keys %$tasks;
}

sub between { return asked_in(\%restarted) }

if ($joined && $there) {
	my @follows = (Zed::on('syscalls:leg', follows => 1, args => [qw(ts common_pid id took ret on)],
		where => $RESTARTS, \&restart));
	push @follows, Zed::on('sched:process_exit', follows => 1, args => [qw(ts pid)], sub {
		my ($ts, $pid) = @_;

		return if !delete $restarted{Zed::source_index()}{$pid};
		$killed++ if counts($ts, $pid);
		$restarting--;
	}) if grep { $_ eq 'sched::sched_process_exit' } Zed::events();
	Zed::Asked::follow(sub { return 1 }, @follows);
	Zed::Asked::at_end(sub { $at_end = between() });
}

sub restart
{
	my ($ts, $pid, $id, $took, $ret, $on) = @_;
	my $all = $restarted{Zed::source_index()} //= {};

	$away->leg($ts, $pid, $id, $took, $ret, $on) if $away;
	$restarting++ if !$all->{$pid};
	my $of = $all->{$pid} //= { id => $id, since => $ts - $took, legs => 0,
		away => [less([total_away($pid)], [away_since($pid, $ts - $took)])] };

	# Another call than the one that waits: one in the handler, which was interrupted in turn.
	return if $of->{id} != $id && name($id) ne 'restart_syscall';
	$of->{legs}++;
	watch();
}

# Off the CPU, and unknown.
sub total_away { my ($pid) = @_; return $away ? $away->total(Zed::source_index(), $pid) : (0, 0) }
sub away_since { my ($pid, $since) = @_; return $away ? $away->since(Zed::source_index(), $pid, $since) : (0, 0) }
sub less { my ($x, $y) = @_; return map { $x->[$_] - $y->[$_] } 0, 1 }

# Call Perl only for the tasks that are restarting a call.
sub watch
{
	my $where = $restarting > $MANY ? '' : join ' || ', map { "common_pid == $_" } sort { $a <=> $b }
		map { keys %$_ } values %restarted;

	return if defined $watched && $where eq $watched;
	Zed::off($watch) if defined $watch;
	($watch, $watched) = (undef, $where);
	$watch = Zed::on('syscalls:leg', follows => 1, args => [qw(ts common_pid id took ret on)],
		($where ? (where => $where) : ()), \&further) if $restarting;
}

sub further
{
	my ($ts, $pid, $id, $took, $ret, $on) = @_;
	my $of = $restarted{Zed::source_index()}{$pid} // return;

	return if is_restart($ret);
	$away->leg($ts, $pid, $id, $took, $ret, $on) if $away;
	my $again = name($id) eq 'restart_syscall';

	return if $id != $of->{id} && !$again;
	over($ts, $pid, $of, $again ? $id : $of->{id}, $took, $ret, $ret);
}

# The call of OF has ended; its last leg, if it had one, was counted as a call of LAST_ID by itself.
sub over
{
	my ($ts, $pid, $of, $last_id, $last, $last_ret, $ret) = @_;
	my @who = who($pid);
	my $time = $ts - $of->{since};
	my $source = Zed::source_index();

	delete $restarted{$source}{$pid};
	$restarting--;
	watch();
	return if !counts($ts, $pid);
	push @{$ended{join "\0", $many ? $source : (), kept_number($of->{id}), @who}},
		[$time, $of->{legs} + (defined $last ? 1 : 0), $ret, less([total_away($pid)], $of->{away})];
	push @{$ended{join "\0", $many ? $source : (), kept_number($last_id), @who}},
		[$last, undef, $last_ret, less([0, 0], [away_since($pid, $ts - $last)])] if defined $last;
	$failed{join "\0", $source, kept_number($of->{id}), $ret, Zed::comm(), $pid}++;
	$failed{join "\0", $source, kept_number($last_id), $last_ret, Zed::comm(), $pid}-- if defined $last;
	my $case = { took => $time, at => $ts, source => $source, id => $of->{id}, pid => $pid, comm => Zed::comm(),
		ret => $ret };

	$report->worst(\@joined_worst, 'took', $case, $ts - $time, $ts);
	$report->worst(\@joined_failed, 'took', $case) if $slowest_failed && has_failed($ret, $source);
	$last_leg{"$source $ts $pid"} = 1 if defined $last;
}

# ---- calls that return in other ways ----

my %returning;	# {source}{pid}: its return from a signal's handler: [id, since, CPU]
my %handled;	# {source, id, who}: the times of those that have ended
my %odd;	# never: exit and exit_group; returned: exits from handlers that have a number; unmade: without an entry

if ($there) {
	my @odd = are_named("$SIGRETURN|$EXIT", '');
	my @follows = @odd ? Zed::on('syscall:enter', follows => 1, args => [qw(ts common_pid nr cpu)],
		where => any(@odd), \&enters_odd) : ();

	push @follows, Zed::on('syscall:exit', follows => 1, args => [qw(ts common_pid nr ret)],
		where => any($NUMBERLESS, are_named($SIGRETURN, '')), \&leaves_handler);
	Zed::Asked::follow(sub { return 1 }, @follows);
	Zed::Asked::at_end(sub { $returning_at_end = still_returning() });
}

sub enters_odd
{
	my ($ts, $pid, $id, $cpu) = @_;

	if (name($id) =~ /^$SIGRETURN\z/) {
		$returning{Zed::source_index()}{$pid} = [$id, $ts, $cpu];
	} elsif (counts($ts, $pid)) {
		$odd{never}++;
	}
}

sub leaves_handler
{
	my ($ts, $pid, $exit, $ret) = @_;
	my $source = Zed::source_index();
	my $of = delete $returning{$source}{$pid};

	if ($of) {
		handler_returned($ts, $pid, $source, $exit, @$of);
	} elsif ($ret != 0 && !is_numbered($exit) && counts($ts, $pid)) {
		# With 0 it may be a new task's, on some machines.
		$odd{unmade}++;
	}
	# With EINTR for the call that the signal interrupted; otherwise that is entered anew.
	my $restarted = $ret == -4 ? $restarted{$source}{$pid} : undef;

	over($ts, $pid, $restarted, undef, undef, undef, $ret) if $restarted;
}

sub is_numbered { my ($exit) = @_; return $exit != -1 && $exit != 0xffffffff }

sub handler_returned
{
	my ($ts, $pid, $source, $exit, $id, $since, $cpu) = @_;
	my $took = $ts - $since;

	$away->leg($ts, $pid, $id, $took, 0, $cpu) if $away;
	return if !counts($ts, $pid);
	$odd{returned}++ if is_numbered($exit);
	my $times = $handled{join "\0", $many ? $source : (), kept_number($id), who($pid)} //= Zed::Spread->new;

	$times->add($took);
	$heat->add($ts, $took) if $heat;
	$report->worst(\@joined_worst, 'took', { took => $took, at => $ts, source => $source, id => $id, pid => $pid,
		comm => Zed::comm(), ret => 0 }, $since, $ts);
}

sub still_returning { return asked_in(\%returning) }

# ---- the answer ----

my %calls;	# {name, who}: the row of a call, its times and errors
my %failures;	# {error, name, task}: how often, of how many tasks
my (@worst, @slowest_failed);
my $has_calls = $there ? 1 : 0;
# They do not show every return (of a signal's handler none), without which calls that were interrupted have no end.
my $has_named = grep({ /^syscalls::sys_(?:enter|exit)_/ } Zed::events()) ? 1 : 0;

$report->counts(\(%ended, %failed, %off, %unknown, %untold, @joined_worst, @joined_failed, %last_leg, @kept, $killed,
	$at_end, $returning_at_end, %handled, %odd), $calls,
	$times, $sums, $errors, $failures, $longest, $slowest_failed, $returned);
$report->keeps(calls => \%calls,
	{ '*' => { 'name!' => 'same', who => 'same', 'times!' => 'spread',
		errnos => { '*' => { 'name!' => 'same', 'n!' => 'sum' } }, map({ $_ => 'sum' } qw(legs off unknown)),
	gone => { '*' => { 'n!' => 'sum' } } } });
$report->keeps(failures => \%failures, { '*' => { (map { ("$_!" => 'same') } qw(error name comm)), 'pid!' => 'number',
	'n!' => 'sum', tasks => 'sum', who => { '*' => 'sum' } } });
$report->keeps(switches => \$switches, 'max');
$report->keeps(could_split => \$could_split, 'max');
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(is_window => \$is_window, 'max');
$report->keeps(has_calls => \$has_calls, 'max');
$report->keeps(has_named => \$has_named, 'max');
$report->keeps_worst(worst => \@worst, 'took', qw(at pid));
$report->keeps_worst(slowest_failed => \@slowest_failed, 'took', qw(at pid)) if $report->option('failed');

# Of the input SOURCE, or of that of the current event.
sub name
{
	my ($id, $source) = @_;

	return $id == $OTHERS ? '(others)' : Zed::syscall_name($id, $source) // $id;
}

# The rows of all calls, with restarted ones in place of their legs.
sub fold
{
	my %rows;

	(%calls, %failures, %n, @worst, @slowest_failed) = ();
	return if !$there;
	$switches = $away->has_switches if $away;
	for my $row ($times->rows) {
		my $key = join "\0", map { $row->{$_} } @key;

		$rows{$key} = { source => $row->{source} // 0, id => $row->{id}, who => $by ? $row->{"common_$by"}
			: undef, times => Zed::Spread->from_buckets($row), errnos => {} };
	}
	for my $row ($sums->rows) {
		my $times = ($rows{join "\0", map { $row->{$_} } @key} // next)->{times};

		$times->set_total($row->{sum});
	}
	for my $row ($errors->rows) {
		$rows{join "\0", map { $row->{$_} } @key}{errnos}{$row->{ret}} = $row->{count};
	}
	for my $key (keys %ended) {
		my ($source, $id, $who) = split /\0/, $many ? $key : "0\0$key";
		my $row = $rows{$key} //= { source => $source, id => $id, who => $who, times => Zed::Spread->new,
			errnos => {} };

		for (@{$ended{$key}}) {
			my ($time, $legs, $ret, $off, $unknown) = @$_;
			my $one = defined $legs ? 1 : -1;

			$one < 0 ? $row->{gone}{$time}{n}++ : $row->{times}->add($time);
			$row->{errnos}{$ret} += $one if $ret < 0 && $ret >= -4095;
			$row->{legs} += $legs - 1 if $legs;
			$row->{off} += $off;
			$row->{unknown} += $unknown;
		}
	}
	for my $key (keys %handled) {
		my ($source, $id, $who) = split /\0/, $many ? $key : "0\0$key";

		$rows{$key} = { source => $source, id => $id, who => $who, times => $handled{$key}, errnos => {} };
	}
	for my $of ([off => \%off], [unknown => \%unknown]) {
		my ($what, $times) = @$of;

		$rows{$_}{$what} += $times->{$_} for grep { $rows{$_} } keys %$times;
	}
	# There may be very many: each of them goes as it is put.
	put(delete $rows{$_}) for sort keys %rows;
	fold_failures();
	worst(\@worst, $longest, @joined_worst);
	worst(\@slowest_failed, $slowest_failed, @joined_failed);
	count_rest();
	without_switches() if !$away;
}

# Nothing is known of the time of any call: the answer about several traces may have switches of others.
sub without_switches
{
	for my $row (values %calls) {
		my $times = without($row->{times}, $row->{gone} // {});

		$row->{unknown} = $times->total;
		$n{early} += $times->n;
	}
}

# Numbers of calls and errors are those of the machine.
sub put
{
	my ($row) = @_;
	my $name = name(@$row{qw(id source)});
	my $key = join "\0", $name, $row->{who} // ();

	$n{others} += $row->{times}->n if $row->{id} == $OTHERS;
	my $is_first = !$calls{$key};
	my $of = $calls{$key} //= { name => $name, who => $row->{who}, times => $row->{times}, errnos => {} };

	$of->{times}->merge($row->{times}) if !$is_first;
	$of->{gone}{$_}{n} += $row->{gone}{$_}{n} for keys %{$row->{gone} // {}};
	$of->{$_} += $row->{$_} for grep { $row->{$_} } qw(legs off unknown);
	for (keys %{$row->{errnos}}) {
		my $errno = $of->{errnos}{$_} //= {};
		my $called = Zed::errno_name($_, $row->{source}) // $_;

		# When states are merged and machines have different names for it.
		$errno->{name} = $called if !defined $errno->{name} || $called lt $errno->{name};
		$errno->{n} += $row->{errnos}{$_};
	}
}

# The failing calls: with which error, for which task.
sub fold_failures
{
	my %n = map { my $row = $_; (join("\0", map { $row->{$_} } @FAILURE) => $row->{count}) } $failures->rows;

	$n{$_} += $failed{$_} for keys %failed;
	for my $key (grep { $n{$_} } keys %n) {
		my ($source, $id, $ret, $comm, $pid) = split /\0/, $key;

		next if $ret >= 0 || $ret < -4095;
		my ($name, $error) = (name($id, $source), Zed::errno_name($ret, $source) // $ret);
		my $of = $failures{join "\0", $error, $name, $comm, $by eq 'pid' || $comm eq '<...>'
			? ($report->apart($source), $pid) : ()} //=
			{ error => $error, name => $name, comm => $comm, pid => $pid };

		$of->{n} += $n{$key};
		# It is one task in all parts of a trace.
		Zed::Asked::is_part() ? ($of->{who}{join ' ', $report->trace_of_part, $pid} += $n{$key})
			: $of->{tasks}++;
	}
}

sub tasks_in { my ($row) = @_; return ($row->{tasks} // 0) + grep { $_ } values %{$row->{who} // {}} }

sub failures
{
	$report->table('failures', title => 'what fails',
		columns => [['error', 'error', 'text'], ['name', 'call', 'text'], ['comm', 'task', 'text'],
		['pid', 'pid', 'int'], ['n', 'n', 'int']],
		rows => [map { { %$_, pid => tasks_in($_) == 1 ? $_->{pid} : undef } }
			grep { $_->{n} } values %failures])
		->sort('n', 'error', 'name', 'comm', 'pid') if %failures;
}

# Of TOTAL, the time on a CPU and off it: if nothing is known, no number.
sub parts
{
	my ($total, $off, $unknown) = @_;
	my $is_known = $unknown < $total || !$total;

	return (unknown => $unknown, $is_known ? (off => $off, ran => $total - $off - $unknown) : ());
}

sub answer
{
	failures();
	my $why_not = why_no_split();
	my $splits = $switches && !$why_not;
	# Before the first switch all of the time is unknown.
	my $none_yet = $could_split && !$switches && !$why_not;
	my $table = $report->table('calls', main => 1,
		columns => [['name', 'call', 'text'], $by ? ['who', $by, $by eq 'pid' ? 'int' : 'text'] : (),
		['n', 'n', 'int'], ['errors', 'errors', 'int'], ['total', 'total', 'us'],
		$splits ? (['ran', 'on a CPU', 'us'], ['off', 'off it', 'us'], ['unknown', 'unknown', 'us'])
			: $none_yet ? ['unknown', 'unknown', 'us'] : (),
		(map { [$_, $_, 'us'] } qw(avg p50 p90 p99 max)),
		['errnos', '', 'text']]);
	my $all = Zed::Spread->new;
	my ($failed, %all) = (0, off => 0, unknown => 0);

	for my $row (values %calls) {
		my $times = without($row->{times}, $row->{gone} // {});
		my $errnos = $row->{errnos} // {};

		next if !$times->n;
		my @errnos = sort { $errnos->{$b}{n} <=> $errnos->{$a}{n} || $b <=> $a }
			grep { $errnos->{$_}{n} > 0 } keys %$errnos;
		my $errors = 0;

		$errors += $errnos->{$_}{n} for @errnos;
		$failed += $errors;
		$all{$_} += $row->{$_} // 0 for qw(off unknown);
		$table->add({ name => $row->{name}, who => $row->{who}, n => $times->n, errors => $errors,
			total => $times->total, parts($times->total, map { $_ // 0 } @$row{qw(off unknown)}),
			avg => $times->mean, p50 => $times->quantile(50), p90 => $times->quantile(90),
			p99 => $times->quantile(99),
			max => $times->max, errnos => join(' ',
				map { "$errnos->{$_}{name}:$errnos->{$_}{n}" } @errnos) });
		$all->merge($times);
	}
	$table->sort('total', 'name', 'who');
	$table->last({ name => 'ALL', n => $all->n, errors => $failed, total => $all->total,
		parts($all->total, @all{qw(off unknown)}), avg => $all->mean, p50 => $all->quantile(50),
		p90 => $all->quantile(90), p99 => $all->quantile(99), max => $all->max }) if $table->rows > 1;
	$report->spread('spread', 'how long calls take', $all);
	cases(worst => 'the longest', @worst);
	cases(failed => 'the longest that failed', @slowest_failed);
	notes($splits);
	return $report->window;
}

# Where switches are missing, a task may have been away unseen.
sub why_no_split
{
	my ($missing, $switches) = map { $n{$_} // 0 } qw(missing switches);

	return $report->is_of_chosen_tasks || $report->are_many_missing($missing, $missing + $switches);
}

# For all calls together, as the remaining minimum and maximum depend on the others: a copy without the given number of
# each time.
sub without
{
	my ($times, $gone) = @_;

	return $times if !%$gone;
	my $left = Zed::Spread->new->merge($times);

	# States are untrusted: a value that is not a time is skipped.
	for my $time (sort { $a <=> $b } grep { /\A[0-9]{1,19}\z/ && $gone->{$_}{n} > 0 } keys %$gone) {
		$left->remove($time, $gone->{$time}{n});
	}
	return $left;
}

# Into LIST the longest of a Zed::top and of the cases that were JOINED.
sub worst
{
	my ($list, $top, @joined) = @_;

	return if !$top;
	for my $case (@joined, map { { took => $_->{took}, at => $_->{ts}, source => $_->{source}, id => $_->{id},
		pid => $_->{common_pid}, comm => $_->{comm}, ret => $_->{ret} } }
		grep { !$last_leg{"$_->{source} $_->{ts} $_->{common_pid}"} } map { @{$_->{records}} } $top->rows) {
		next if $list == \@slowest_failed && !has_failed(@$case{qw(ret source)});
		$report->worst($list, 'took', { map({ $_ => $case->{$_} } qw(took at pid comm)),
			name => name(@$case{qw(id source)}),
			result => $case->{ret} < 0 && Zed::errno_name($case->{ret}, $case->{source}) || $case->{ret} });
	}
}

sub cases
{
	my ($name, $title, @cases) = @_;

	$report->table($name, title => $title, span => ['-took', 'at'],
		columns => [['took', 'took', 'us'], ['at', 'ended at', 'time'],
		['name', 'call', 'text'], ['comm', 'task', 'text'], ['pid', 'pid', 'int'],
		['result', 'result', 'text']], rows => [@cases]) if @cases;
}

# Calls that are in no row.
sub count_rest
{
	# A call that is restarted has left its first leg.
	my $counts = $calls->counts;

	@n{qw(open restarts)} = Zed::Asked::tells_end() ? (Zed::Asked::waiting($calls)
		+ ($returning_at_end // still_returning()), $at_end // between()) : (0, 0);
	@n{qw(killed never)} = ($killed, $odd{never} // 0);
	$n{$_} = $counts->{$_} for qw(replaced lost);
	$n{$_} = $untold{$_} for keys %untold;
	# Not fewer than none, where a fork's child has the number of its parent.
	$n{returned} = max(0, ($returned->get // 0) - $counts->{matched} - ($odd{returned} // 0) + ($odd{unmade} // 0));
	%n = (%n, map { $_ => $away->n($_) } qw(switches missing)) if $away;
}

sub notes
{
	my ($splits) = @_;

	if (!$has_calls) {
		my $none = $has_named ? '{the trace has|the traces have} the events of single calls ' .
			'(syscalls:sys_enter_...), which do not show every return, and not those of all calls: ' .
			'zedtrace raw_syscalls records these'
			: '{the trace has|the traces have} no system calls: zedtrace raw_syscalls records them';

		return $report->remark('none', $report->for_traces($none));
	}
	$report->remark('in_full', 'a call counts in the part of the time in which it ends, with its whole length, ' .
		'also what lies before that part') if $is_window;
	# Those before the chosen time would have been seen.
	$report->remark('switches', 'no sched:sched_switch was seen'
		. (Zed::Asked::has_end() ? ' up to the end of the time that was ' . Zed::Asked::limited_by() : '') .
		': the time that calls spent on a CPU is unknown') if !$switches;
	my $means = 'the time that calls spent on a CPU is unknown';

	$report->not_recorded(@n{qw(missing switches)},
		$splits ? 'the time of calls on a CPU is an upper bound' : $means);
	$report->remark('chosen', "the recording is of chosen tasks (perf record without -a): $means")
		if $switches && !$splits && !$n{missing};
	$report->note('early', $n{early}, '{call|calls} began before the first sched_switch of {its|their} CPU: '
		. 'whether the task was on a CPU is unknown up to its next one') if $splits;
	$report->note('unseen', $n{unseen}, '{call has|calls have} no switch back to a CPU: '
		. 'from the last switch on, the time is unknown') if $splits;
	$report->note('returned', $n{returned}, '{exit has|exits have} no entry in the trace: {its call|their calls} '
		. 'began before it or in a gap, and {is|are} not counted');
	$report->note('others', $n{others}, '{call has a number|calls have numbers} that no system call has: '
		. '{it is|they are} in the row (others)');
	$report->note('open', $n{open}, '{call|calls} had not returned at the end');
	$report->note('never', $n{never}, '{call|calls} of exit and exit_group, which never return');
	$report->note('restarts', $n{restarts}, '{call was|calls were} interrupted by a signal and not yet restarted');
	$report->note('killed', $n{killed}, '{task was|tasks were} killed in a call that a signal had interrupted');
	$report->note('replaced', $n{replaced},
		'{call has|calls have} no recorded end: the task made the same call again');
	$report->note('lost', $n{lost}, '{call is|calls are} left out, as events were lost before the end');
}

sub trace_begin { $report->begin }

sub trace_lost
{
	$report->lost(@_);
	return if Zed::lost_places();
	$away->lost(Zed::lost_source()) if $away;
	$restarting -= keys %{delete $restarted{Zed::lost_source()} // {}};
	delete $returning{Zed::lost_source()};
	watch() if $joined && $there;
}

sub trace_end { $report->end }

__END__

=head1 NAME

syscalls.pl - system calls: which fail, for which task; how often, how long, how much of it on a CPU; the longest

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<syscalls> [B<--by> comm|pid] [B<--legs>] [B<--failed>] [B<--worst> I<N>] [B<--json> |
B<--csv>[=I<TABLE>]] [B<--limit> I<N>] [B<--html> I<FILE>] [B<--svg> I<FILE>]

B<zedperl --live syscalls> B<--every> 5s

=head1 DESCRIPTION

Measures each system call from entry to exit. A call that a signal interrupts and the kernel enters
again is one call, from its first entry to its last exit; the results that the kernel then returns
to itself (C<ERESTARTSYS> and the like) are not errors.

The first exit of a new task, which has not made a call, is not counted; C<exit> and C<exit_group> do not return, and
are counted below the tables. So are other exits without an entry: of calls that began before the trace, or in a gap.

If the trace has sched:sched_switch, a call's time is shown in two parts: how much of it its task was on a CPU, and how
much off it, asleep or waiting for a CPU. (An interrupt meanwhile is time on the CPU.) A third, C<unknown>, is the time
for which that is not known: in a call that began before the first sched_switch of its CPU (the kernel may have recorded
switches later than calls), up to the next switch from its task (of a time that ends before the first of all switches,
this is the only part that is shown); and after a switch away from the task, up to the end of
the call, if no switch back was recorded. If 1 % of the switches or more were not recorded, or the recording is of
chosen tasks (C<perf record> without B<-a>), the parts are left out, and a note gives the reason.

Calls with numbers that no system call has, as in a damaged trace, are together in one row, C<(others)>.

C<rt_sigreturn>, with which a signal's handler ends, has no result of its own: if the call whose result it returns has
failed, that is not an error of rt_sigreturn.

For a part of the trace, a call counts, in full, where it ends.

=head1 OPTIONS

=over

=item --by comm|pid

A row for each call and task name, or task.

=item --legs

Each entry and exit by itself, also of calls that are entered again, as strace(1) shows them.

=item --failed

Also a table of the longest calls that failed: not of those that returned C<EAGAIN>, C<EINTR> or C<ETIMEDOUT>, by which
a wait ends.

=item --worst N

How many of the longest to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<calls>, C<failures>, C<worst>, C<failed>.

=head1 RECORD

    zedtrace raw_syscalls sched:sched_switch sched:sched_process_exit -d 10
    trace-cmd record -e raw_syscalls -e sched:sched_switch -e sched:sched_process_exit sleep 10

or, with perf,

    perf record -a -e 'raw_syscalls:*' -e sched:sched_switch -e sched:sched_process_exit sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

The events of single calls (C<syscalls:sys_enter_read>) are not enough: the kernel leaves out the return of a signal's
handler, which ends a call that the signal interrupted. Those of LTTng are, which has an event for each call: B<lttng
enable-event -k --syscall --all>, and B<lttng enable-event -k sched_switch,sched_process_exit>.

=head1 OUTPUT

First the failed calls: which error, of which call, for which task (with its pid, if it was the only one; with B<--by
pid> a row for each), how often.

Then a row for each call, the greatest sum first: how many, how many of these failed, the sum, mean,
percentiles (the 99th of at least 100) and the longest, and how often each error occurred. Calls
that wait for something, C<poll> and C<wait4>, come at the top. Percentiles are off by 0.8 % at
most.

Names are those of the recorded machine's native calls. A 32-bit program on a 64-bit kernel uses
other numbers, and the events do not say so.

=head1 EXAMPLES

    zedperl trace.dat syscalls --by comm --limit 0
    zedperl trace.dat syscalls --json | jq '.tables.calls.rows[] | select(.errors > 0) | {name, errnos}'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
