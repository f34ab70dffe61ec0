# SPDX-License-Identifier: GPL-2.0-or-later
#
# Gaps: spans that have ended, as long as a gap of another CPU may turn out to overlap them: the task may have run
# there, and the span is two.
package Zed::Gaps;
use strict;
use warnings;

use Zed::Asked;
use Zed::Ends;
use Zed::Intervals;

our $VERSION = '0.1';

my $ENDED = 20_000;	# of each input, the last spans: a gap of a CPU is known when it is over

# A span: when it ended, the row that counts its gaps, what else the code takes.
use constant { TO => 0, ROW => 1 };

sub new {
	my ($class, %o) = @_;
	my $self = bless { report => $o{report}, strict => $o{strict}, take => $o{take}, words => $o{words}, n => {},
		ended => [], forgot => [] }, $class;
	$o{report}->counts(@$self{qw(n ended forgot)});
	$o{report}->keeps(gaps => $self->{n}, { '*' => 'sum' });
	return $self;
}

# A span of the input SOURCE has ended.
sub ended {
	my ($self, $source, @span) = @_;
	# Nothing will come of the CPU that tells.
	return begun_in_gap($self, @span) if @span > 1 && Zed::Ends::is_cut_at($source, $span[TO]);
	if (!$self->{strict}) {
		$self->{take}->(@span) if @span > 1;
		$#span = ROW;
	}
	my $ended = $self->{ended}[$source] //= [];
	# A sleep may be known to have ended only later.
	if (@$ended && $ended->[-1][TO] > $span[TO]) {
		my $at = $#$ended;
		$at-- while $at && $ended->[$at - 1][TO] > $span[TO];
		splice @$ended, $at, 0, \@span;
	} else {
		push @$ended, \@span;
	}
	return if @$ended <= $ENDED;
	my @old = splice @$ended, 0, $ENDED >> 1;
	$self->{forgot}[$source] = $old[-1][TO];
	_take($self, @old);
	return;
}

# A span whose beginning may be in a gap, so that it is longer.
sub begun_in_gap {
	my ($self, @span) = @_;
	_count($self, $span[ROW]);
	$self->{take}->(@span) if !$self->{strict};
	return;
}

sub _count {
	my ($self, $row) = @_;
	return if !$row;
	$self->{n}{spans}++;
	$row->{gaps}++;
	return;
}

# At the first event after a gap of CPU: spans that ended in it did so on others.
sub lost {
	my ($self, $cpu) = @_;
	my ($ts, $source, $since) = eval { (Zed::ts(), Zed::source_index(), scalar Zed::lost_since()) };
	return if !defined $ts;	# known from statistics, at the end: it has no place
	$since //= 0 if _begins($source, $cpu, $ts);
	return if !defined $since;
	Zed::Intervals::late($since, sub { _gap($self, $source, $since, $ts) });
	_gap($self, $source, $since, $ts);
	return;
}

# Of the input SOURCE, from SINCE to TS.
sub _gap {
	my ($self, $source, $since, $ts) = @_;
	my $ended = $self->{ended}[$source] // [];
	_count($self, pop(@$ended)->[ROW]) while @$ended && $ended->[-1][TO] > $since;
	$self->{n}{beyond}++ if Zed::Asked::at($ts) && defined $self->{forgot}[$source]
		&& $self->{forgot}[$source] > $since;
	return;
}

# Do the records of CPU begin at TS?  What was before is overwritten: a gap since always.
sub _begins {
	my ($source, $cpu, $ts) = @_;
	my @spans = grep { $_->{cpu} == $cpu } Zed::spans($source);
	return !@spans || grep { $_->{start} == $ts } @spans;
}

# No gap is to come: what is left counts.
sub over {
	my ($self) = @_;
	_take($self, map { splice @{$_ // []} } @{$self->{ended}});
	return;
}

sub _take {
	my ($self, @spans) = @_;
	return if !$self->{strict};
	$self->{take}->(@$_) for grep { @$_ > 1 } @spans;
	return;
}

# ---- the answer ----

sub columns { my ($self) = @_; return $self->{n}{spans} && !$self->{strict} ? ['gaps', 'gaps', 'int'] : () }

# ALL spans are in the table.
sub notes {
	my ($self, $all) = @_;
	my ($report, $n) = @$self{qw(report n)};
	my ($one, $many) = @{$self->{words}};
	$report->because("all $many overlap a gap of another CPU, and --strict-loss leaves them out")
		if $self->{strict} && $n->{spans};
	$report->warning('gaps', $n->{spans} // 0,
		$self->{strict} ? "{$one overlaps|$many overlap} a gap of another CPU and {is|are} left out" :
		"of $all $many overlap{s|} a gap of another CPU, where the task may have run, or been woken, in " .
		"between (--strict-loss leaves them out)");
	$report->note('beyond', $n->{beyond}, "{gap reaches|gaps reach} further back than the last $ENDED $many, " .
		"the only ones that are checked against {it|them}");
	return;
}

1;

__END__

=head1 NAME

Zed::Gaps - spans of tasks that a gap of another CPU makes unsure

=head1 SYNOPSIS

    use Zed::Gaps;

    my $gaps = Zed::Gaps->new(report => $report, strict => scalar $report->option('strict-loss'),
        words => ['wait', 'waits'], take => sub { my ($to, $row, $time) = @_; $row->{times}->add($time) });

    sub waited { my ($task, $cpu, $from, $to) = @_; $gaps->ended($task->source, $to, $row, $to - $from) }
    sub fold { $gaps->over }
    sub answer {
        $report->table('tasks', columns => [..., $gaps->columns], ...);
        $gaps->notes($n);
    }
    sub trace_lost { $report->lost(@_); $tasks->lost(@_); $gaps->lost(@_) }

=head1 DESCRIPTION

A wait or a sleep that began and ended on CPUs that lost nothing is seen from beginning to end. Where
another CPU lost events meanwhile, the task may have run there, and it was two. A gap is known when it
is over: the spans that had ended in it are counted in their row, as C<< $row->{gaps} >>, and with
C<strict> are left out. (What had not ended is left out by Zed::Tasks.) What was overwritten before the
first record of a CPU is such a gap, too, and what of its records is not in the trace (Zed::Ends).

=head1 METHODS

=over

=item Zed::Gaps->new(report => REPORT, take => CODE, words => [ONE, MANY], strict => BOOL)

CODE gets what ended() was given, for each span that counts: at once, or with C<strict> when no gap
can overlap it any more. WORDS are what spans are called. What is counted is kept in the state of the
report.

=item $gaps->ended(SOURCE, TO, ROW, ...)

A span of that input ended at TO. ROW, a reference to a hash, counts its gaps; undef: nothing does. A span that was not
asked for has only its end: CODE is not called for it.

=item $gaps->begun_in_gap(TO, ROW, ...)

The same for a span whose beginning may be in a gap: a wait with an C<unsure> waker (Zed::Tasks).

=item $gaps->lost(CPU)

For trace_lost.

=item $gaps->over

For the C<fold> of the report: what is left counts.

=item $gaps->columns, $gaps->notes(N)

For the answer: the column C<gaps>, if there is anything to say in it; how many of N spans overlap gaps.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Tasks, Zed::Waits

=head1 LICENCE

GPL-2.0-or-later

=cut
