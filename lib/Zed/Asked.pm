# SPDX-License-Identifier: GPL-2.0-or-later
#
# Asked: the chosen part of a trace (its time, CPUs and tasks), and how answers are cut to it.
package Zed::Asked;
use strict;
use warnings;

use Zed::Units;

our $VERSION = '0.1';

my $OPEN = 9**9**9;

# The chosen time, in ns: spans are cut to FROM and TO; an event at FROM is in it, and so is one at LAST.
our ($FROM, $TO, $LAST) = (0, $OPEN, $OPEN);	## no critic (ProhibitPackageVars) read for each event
my ($cpus, $pids);	# chosen ones, as keys; undef: all
my $comms;	# the names of tasks, as patterns; undef: all
my $cgroups;	# trees of cgroups, by their paths; undef: all
my %named;	# {name}: is it chosen?
my $MOST_NAMES = 10_000;	# of these
my ($timed, $part, $starves);	# a time, a part of all is chosen; the option that leaves out kinds of events
my $loaded;
my $follows;	# some code tracks states
my $cut;	# why the chosen time ends where the reading did; undef: it does not

sub load {
	return if $loaded++;
	Zed::_cuts();
	my $asked = Zed::asked();
	($cpus, $pids, $comms, $cgroups, $part, $starves) = @$asked{qw(cpus pids comms cgroups part starves)};
	my ($start, $end) = @$asked{qw(start end)};
	$timed = defined $start || defined $end;
	$FROM = $start if defined $start;
	$LAST = $TO = $end if defined $end;
	$LAST-- if $part && !$asked->{last};
	return;
}

# For the answer: with --head the chosen time ends with the last event that was given; if the trace was not read to its
# end, with the last one that was read; with --tail, it begins with the first one. True: it ends there only now.
sub over {
	return if !$loaded;
	my $asked = Zed::asked();
	my ($end, $begin) = (_end($asked), $asked->{tail});
	($FROM, $timed) = ($begin, 1) if defined $begin && $begin > $FROM;
	return if !defined $end || $end >= $TO;
	$cut = $asked->{cut};
	$TO = $LAST = $end > $FROM ? $end : $FROM;
	$timed = 1;
	return 1;
}

# Before the first event nothing was read.
sub _end {
	my ($asked) = @_;
	return $asked->{read} // Zed::start() // 0 if defined $asked->{cut};
	return $asked->{head} ? $asked->{seen} : undef;
}

# ---- tests ----

sub at { return $_[0] >= $FROM && $_[0] <= $LAST }

sub cut {
	my ($from, $to) = @_;
	return if $to < $FROM || $from > $TO;
	return ($from < $FROM ? $FROM : $from, $to > $TO ? $TO : $to);
}

sub time_in {
	my ($from, $to) = @_;
	$from = $FROM if $from < $FROM;
	$to = $TO if $to > $TO;
	return $to > $from ? $to - $from : 0;
}

sub cpu { return !$cpus || defined $_[0] && exists $cpus->{$_[0]} }
sub pid { return (!$pids || defined $_[0] && exists $pids->{$_[0]}) && (!$cgroups || _inside(@_)) }
sub comm { return !$comms || defined $_[0] && ($named{$_[0]} // _named($_[0])) }

sub task {
	return (!$pids || defined $_[0] && exists $pids->{$_[0]})
		&& (!$comms || defined $_[1] && ($named{$_[1]} // _named($_[1])))
		&& (!$cgroups || _inside($_[0]));
}

sub task_of {
	my ($pid, @source) = @_;
	return pid($pid, @source) && (!$comms || defined $pid && comm(Zed::comm_of($pid, @source)));
}

# A start belongs to the CPU and the task that it came from.
sub waiting {
	my ($synthetic) = @_;
	return $synthetic->counts->{pending} if !$cpus && !$pids && !$comms && !$cgroups;
	return scalar grep { cpu($_->{cpu}) && task_of(@$_{qw(pid source)}) } @{$synthetic->pending};
}

# Is the task in a chosen cgroup?
sub _inside {
	my ($pid, @source) = @_;
	return defined $pid && Zed::_cgroup_asked($pid, @source);
}

sub _named {
	my ($comm) = @_;
	%named = () if keys %named >= $MOST_NAMES;
	return $named{$comm} = Zed::_comm_asked($comm);
}

sub cpus { return $cpus ? sort { $a <=> $b } keys %$cpus : () }
sub pids { return $pids ? sort { $a <=> $b } keys %$pids : () }
sub comms { return $comms ? @$comms : () }
sub cgroups { return $cgroups ? @$cgroups : () }
sub is_timed { return $timed }
sub has_end { return $TO != $OPEN }
sub follows { return $follows }
sub is_part { return $part }
sub chooses { return $cpus || $pids || $comms || $cgroups ? 1 : 0 }
sub is_part_of_all { return $timed || $cpus || $pids || $comms || $cgroups }
sub starves { return $starves }

# As words: "CPUs 1, 2; task 144; tasks named sh, cat; cgroup /init.scope".
sub words {
	my @words = map {
		my ($what, $how, @all) = @$_;
		@all ? $what . (@all > 1 ? 's ' : ' ') . $how . join(', ', @all) : ();
	} ['CPU', '', cpus()], ['task', '', pids()], ['task', 'named ', comms()], ['cgroup', '', cgroups()];
	return join '; ', @words;
}

# The time, as words that follow its description: "from 7.1 on", "up to 7.2"; empty for all.
sub time_words {
	my ($from, $to) = map { Zed::Units::at($_ < $OPEN ? $_ : 0) } $FROM, $TO;
	return $FROM > 0 ? "from $from " . ($TO < $OPEN ? "to $to" : 'on') : $TO < $OPEN ? "up to $to" : '';
}

# ---- its end ----

my @ends;

# CODE is called at the end of the chosen time: before the first event after it.
sub at_end {
	my ($code) = @_;
	push @ends, $code;
	Zed::when($LAST + 1, $code) if $LAST < $OPEN;
	return;
}

# The end of an interval.
sub ends {
	$_->() for @ends;
	return;
}

# Code that tracks states needs events after the end until it knows the states at the end: up to then [SETTLED, ID...].
my @following;
my $STEP = 1_000_000;	# ns until SETTLED is called for the first time

sub follow {
	my ($settled, @ids) = @_;
	$follows = 1;
	my $first = !@following;
	push @following, [$settled, @ids];
	_ask($LAST + 1 + $STEP, $STEP) if $first && $LAST < $OPEN;
	return;
}

sub is_settled { return !grep { !$_->[0]->() } @following }

sub _ask {
	my ($at, $step) = @_;
	Zed::when($at, sub {
		return _ask($at + $step, 2 * $step) if !is_settled();
		Zed::off($_) for map { my (undef, @ids) = @$_; @ids } @following;
		@following = ();
	});
	return;
}

# ---- parts ----

# Does this run report the states at the end, and the trace as a whole? Of several parts the last one does.
sub tells_end {
	my $asked = Zed::asked();
	return !$asked->{part} || $asked->{last};
}

# The limits of all parts together, as FROM and TO.
sub all {
	my $asked = Zed::asked();
	return ($asked->{all_start} // 0, $asked->{all_end} // $OPEN);
}

# Has --head, or a signal or the like, ended the run before the end of the trace?
sub is_cut_short {
	my $asked = Zed::asked();
	return defined $asked->{cut} || $asked->{head} && $asked->{stopped};
}

# Does the chosen time end where the reading did? Why (the word of Zed::asked), and the time up to which events were
# read, undef: there were none.
sub cut_at { return defined $cut ? ($cut, Zed::asked()->{read}) : () }

# What limits the answer: "the time that was ..."
sub limited_by { return defined $cut ? 'read' : 'asked for' }

# Was a time chosen that contains all parts, if there are any?
sub is_window {
	return $timed || is_cut_short() if !$part;
	my ($from, $to) = all();
	return $from > 0 || $to < $OPEN;
}

# ---- intervals ----

# Begins the next interval: up to TO, where the one after it begins, undef: open. LAST is in it.
sub interval {
	my ($from, $to, $last) = @_;
	($FROM, $TO) = ($from, $to // $OPEN);
	$LAST = $last // (defined $to ? $to - 1 : $OPEN);
	$timed = 1;
	undef $cut;
	return;
}

# There will be intervals.
sub in_intervals { $timed = 1; return }

load() if defined &Zed::_signal;	# perl alone, which may check a script, has no trace

1;

__END__

=head1 NAME

Zed::Asked - the chosen part of a trace

=head1 SYNOPSIS

    use Zed::Asked;

    my (%busy, %turns);

    Zed::on('sched:switch', args => [qw(ts cpu prev_pid prev_comm)], follows => 1, sub {
        my ($ts, $cpu, $pid, $comm) = @_;
        my $since = $since{$cpu};

        $since{$cpu} = $ts;
        return if !defined $since || !Zed::Asked::cpu($cpu) || !Zed::Asked::task($pid, $comm);
        $busy{$pid} += Zed::Asked::time_in($since, $ts);
        $turns{$pid}++ if Zed::Asked::at($ts);
    });

=head1 DESCRIPTION

B<--start>, B<--end>, B<--around>, B<--common-window> and B<--part> choose a time, B<--cpu> CPUs, B<--pid> and B<--comm>
tasks. For a script's own handlers these options choose events. For an answer that is made from states (which task runs,
which waits), they restrict the answer: the events before that time determine the states in it. So code that tracks
states takes all events (C<< follows => 1 >> of Zed::on) and cuts its counts to the choice. The rule of all analyses:
B<anything with a length counts, in full, where it ends; times are cut to the chosen time; CPUs and tasks choose rows.>
Then the answers for the parts of a trace add up to the answer for all of it.

Zed::Tasks, Zed::Frames and synthetic events do that by themselves.

=head1 FUNCTIONS

Times are in ns, as Zed::ts() has them.

=over

=item at(TS)

Does something that happens at TS count?

=item cut(FROM, TO)

The part of a span that lies in the time, as (FROM, TO); an empty list if there is none.

=item time_in(FROM, TO)

The length of that part, in ns.

=item cpu(CPU), task(PID, COMM)

Are they chosen? Without B<--cpu>, or B<--pid>, B<--comm> and B<--cgroup>, all are. A task is, if
its number is in B<--pid>, its name in B<--comm>, and its present cgroup in B<--cgroup>, where these
are given. COMM is the name that it has at the time of the counted event: a task may change its
name, and counts for its events under the chosen names.

=item task_of(PID, [SOURCE])

The same, by the name that the task has now (Zed::comm_of).

=item waiting(SYNTHETIC)

The number of starts of a synthetic event (Zed::synthetic) that wait for their end: those of the chosen CPUs and tasks.

=item pid(PID), comm(COMM)

The two halves of task(); the first has the cgroup, too.

=item cpus(), pids(), comms(), cgroups()

The chosen ones, for names the patterns; empty lists for all.

=item is_timed(), has_end(), is_part()

Was a time, one with an end, a part (B<--part>) chosen?

=item is_part_of_all()

Was any of these chosen?

=item over()

For the answer: with B<--head> the chosen time ends with the last event that was given; after a signal, or a C<die>
in a handler, with the last one that was read; with B<--tail> it begins with the first one.

=item is_cut_short(), cut_at()

Was the trace not read to its end, because of B<--head>, a signal, a C<die> or a failure? If over() has found that the
chosen time ends earlier because of it: the reason (C<interrupted>, C<died> or C<failed>), and the time up to which
events were read, undef if there were none. An empty list for B<--head>, and where the chosen time was read as a whole.

=item limited_by()

C<read> then, else C<asked for>: words after C<the time that was>.

=item chooses()

Are CPUs or tasks chosen? For code that is called for each event.

=item words()

The chosen CPUs and tasks, as words; empty for all.

=item time_words()

The chosen time, as words: C<from 7.100000000 to 7.200000000>, C<from 7.100000000 on>, C<up to 7.200000000>; empty for
all.

=item follows()

Does any code track states, by follow()?

=item starves()

The option that leaves out some kinds of events, so that states may be wrong: C<-F>, C<--event>, or undef.

=item at_end(CODE)

CODE is called at the end of the time, before the first event after it, if there is an end and such
an event.

=item follow(SETTLED, ID, ...)

Handlers of Zed::on, by their numbers, that are needed after the end until the code SETTLED returns
true: then the states at the end are known. They are removed (Zed::off) when everything that uses
follow() is settled.

=item tells_end()

Does this run report the states at the end, such as the number of pending waits? All do, except for a part (B<--part>)
that is not the last: the sum over the parts is that of the last one.

=item all()

With B<--part>, the limits of all parts together: FROM and TO.

=item is_window()

Was a time chosen other than by B<--part>?

=item interval(FROM, [TO, [LAST]]), in_intervals(), ends(), is_settled()

For Zed::Intervals: interval() sets the time; events at TO are not in it, as they belong to the next interval, unless
LAST is true. in_intervals() declares that there will be intervals; ends() calls the code that at_end() was given;
is_settled(): is everything known that follow() waits for?

=item $Zed::Asked::FROM, $TO, $LAST

The time: spans are cut to FROM and TO; an event at FROM or at LAST is in it. Infinite where it is open.

=back

=head1 SEE ALSO

Zed::Tasks, Zed::Report, zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
