# SPDX-License-Identifier: GPL-2.0-or-later
#
# Waits: the waits of tasks for a CPU, by task, CPU or kind, and the longest of them with who ran meanwhile.
package Zed::Waits;
use strict;
use warnings;

use Zed::Asked;
use Zed::Gaps;
use Zed::Spread;
use Zed::Task qw(:places);
use Zed::Tasks;

our $VERSION = '0.1';

my $KEPT = 256;		# of each CPU, the last slices: to tell who ran while one waited
my $NAMED = 6;		# of these, as many have names

# What Zed::Tasks calls them, and what they are called in tables, in the order of tables.
my @KINDS = ([wake => 'woken'], [preempt => 'preempted'], [resched => 'left-ready'], [new => 'new']);
my %KIND = map { @$_ } @KINDS;
my %WHY = reverse %KIND;

my %KEYS = (
	comm => ['task', 'text', sub { $_[0][COMM] // '<...>' }],
	pid => ['pid', 'int', sub { $_[0][PID] }],
	cpu => ['CPU', 'int', sub { $_[1] }],
	prio => ['prio', 'int', sub { $_[0]->prio }],
	kind => ['kind', 'text', sub { $KIND{$_[2]} }],
);

sub kinds { return map { $_->[1] } @KINDS }
sub kind { return $KIND{$_[0]} }

sub new {
	my ($class, %o) = @_;
	my $report = $o{report};
	my $self = bless {
		report => $report, most => $report->option('worst'), by => $o{by},
			keys => [map { $KEYS{$_}[2] } @{$o{by}}],
			chooses => Zed::Asked::chooses(),
			takes => { map { $WHY{$_} => 1 } @{$o{kinds}} }, strict => $o{strict},
			names_kind => $o{names_kind},
		rows => {}, all => {}, longest => [], worst => [], still => {}, ends => [], slices => [],
		heat => scalar $report->heat('waits by time', 'wait'), samples => scalar $report->samples,
		parts => scalar($o{parts} && Zed::Asked::is_window()) ? 1 : 0,
	}, $class;
	$self->{gaps} = Zed::Gaps->new(report => $report, strict => $o{strict}, words => ['wait', 'waits'],
		take => _taker($self));
	$self->{tasks} = Zed::Tasks->new(asked => 0, still => 0, to_end => $self->{parts},
		waited => _waiter($self),
		ran => sub {
			my ($task, $cpu, $from, $to) = @_;
			_slice($self, $task->[SOURCE], $cpu, $task, $from, $to);
		},
		idle => sub { my ($source, $cpu, $from, $to) = @_; _slice($self, $source, $cpu, undef, $from, $to) },
	);
	Zed::Asked::at_end(sub { @{$self->{ends}} = $self->{tasks}->waiting });
	$report->counts(@$self{qw(rows all longest worst still ends)});
	$report->keeps(rows => $self->{rows},
		{ '*' => { 'key!' => ['same'], 'waits!' => 'spread', in => 'sum', gaps => 'sum' } });
	$report->keeps(all => $self->{all}, { '*' => 'spread' });
	$report->keeps(tasks => \$self->{tasks}, 'tasks');
	$report->keeps(still => $self->{still}, { n => 'sum', longest => 'max', unsure => 'sum' });
	$report->keeps(parts => \$self->{parts}, 'max');
	$report->keeps_worst(worst => $self->{worst}, 'wait', qw(woken ran cpu pid));
	return $self;
}

sub tasks { return $_[0]{tasks} }

# Of the waits of a kind that are asked for, whether they are in the tables or not: a Zed::Spread, or undef.
sub of_kind { return $_[0]{all}{$WHY{$_[1]}} }

# ---- who ran ----

sub _slice {
	my ($self, $source, $cpu, $task, $from, $to) = @_;
	my $last = $self->{slices}[$source][$cpu] //= [[], []];
	@$last = ([], $last->[0]) if @{$last->[0]} == $KEPT;
	push @{$last->[0]}, [$from, $to, $task ? ($task->[COMM] // '<...>', $task->[PID]) : ('<idle>', 0)];
	return;
}

# Who ran on the CPU of a wait meanwhile, and how long each: the times add up to what lies between.  Of the few that are
# the longest at the end: it takes far longer than to keep the slices.
sub _meanwhile {
	my ($slices, $from, $to) = @_;
	my %ran;
	my $known = 0;
	for my $slice (map { reverse @$_ } @$slices) {
		my ($begin, $end, $comm, $pid) = @$slice;
		last if $end <= $from;
		my $time = ($end < $to ? $end : $to) - ($begin > $from ? $begin : $from);
		next if $time <= 0;
		$ran{$pid ? "$comm $pid" : $comm} += $time;
		$known += $time;
	}
	$ran{unknown} = $to - $from - $known if $to - $from > $known;
	my @who = sort { $ran{$b} <=> $ran{$a} || $a cmp $b } keys %ran;
	my @others = splice @who, @who > $NAMED ? $NAMED : @who;
	if (@others) {
		my $others = @others . ' others';
		$ran{$others} += $ran{$_} for @others;
		push @who, $others;
	}
	return join ', ', map { "$_ " . Zed::duration($ran{$_}) } @who;
}

sub _waker {
	my ($waker) = @_;
	return if !$waker;
	return $waker->{in} ? "$waker->{in} on CPU $waker->{cpu}" : "$waker->{comm} $waker->{pid}";
}

# ---- waits ----

# Takes a wait.
sub _waiter {
	my ($self) = @_;
	return sub {
		my ($task, $cpu, $from, $to, $why, $waker) = @_;
		return if $self->{chooses} && (!Zed::Asked::cpu($cpu) || !Zed::Asked::task($task->pid, $task->comm));
		$task->late($from, sub { _waiter($self)->($task, $cpu, $from, $to, $why, $waker) })
			if $self->{parts} && $from < $Zed::Asked::FROM;
		my $ends = $to >= $Zed::Asked::FROM && $to <= $Zed::Asked::LAST;
		my $in = $self->{parts} ? Zed::Asked::time_in($from, $to) : 0;
		# How many came after one is as in the whole in each part of a trace.
		return $self->{gaps}->ended($task->source, $to) if !$ends && !$in;
		my ($row, $case);
		if ($self->{takes}{$why}) {
			my @key = map { $_->($task, $cpu, $why) } @{$self->{keys}};
			$row = $self->{rows}{@key > 1 ? join "\0", map { $_ // '' } @key : $key[0] // ''}
				//= { key => \@key, waits => Zed::Spread->new };
			# Which are the longest is not known yet where gaps may take some away.
			$case = _case($self, $task, $cpu, $from, $to, $why, $waker)
				if $ends && ($self->{strict} || _is_long($self, $from, $to));
		}
		my @span = ($to, $ends ? $row : undef, $from, $row, $why, $ends, $in, $case);
		$waker && $waker->{unsure} ? $self->{gaps}->begun_in_gap(@span)
			: $self->{gaps}->ended($task->[SOURCE], @span);
		return;
	};
}

# Those as long as the last one are in the order of their times.
sub _is_long {
	my ($self, $from, $to) = @_;
	my ($longest, $most) = @$self{qw(longest most)};
	return $most if @$longest < $most || !$most;
	my $wait = $to - $from;
	my $last = $longest->[-1];
	return $wait > $last->{wait} || $wait == $last->{wait} && $from <= $last->{woken};
}

sub _case {
	my ($self, $task, $cpu, $from, $to, $why, $waker) = @_;
	return {
		wait => $to - $from, woken => $from, ran => $to, cpu => $cpu, comm => $task->comm, pid => $task->pid,
			prio => $task->prio,
		waker => scalar _waker($waker), $self->{names_kind} ? (kind => $KIND{$why}) : (),
			slices => [@{$self->{slices}[$task->source][$cpu] // []}],
	};
}

# Counts one.
sub _taker {
	my ($self) = @_;
	return sub {
		my ($to, undef, $from, $row, $why, $ends, $in, $case) = @_;
		my $time = $to - $from;
		($self->{all}{$why} //= Zed::Spread->new)->add($time) if $ends;
		return if !$row;
		$row->{in} += $in if $self->{parts};
		return if !$ends;
		$row->{waits}->add($time);
		$self->{heat}->add($to, $time) if $self->{heat};
		$self->{report}->sample($row->{key}, $to, $time) if $self->{samples};
		$self->{report}->worst($self->{longest}, 'wait', $case, $from, $to) if $case;
		return;
	};
}

sub lost {
	my ($self, @what) = @_;
	$self->{report}->lost(@what);
	$self->{tasks}->lost(@what);
	$self->{gaps}->lost(@what);
	return;
}

# ---- the answer ----

# What has not ended, and the longest as they are shown.
sub fold {
	my ($self) = @_;
	my ($report, $tasks) = @$self{qw(report tasks)};
	$self->{gaps}->over;
	@{$self->{worst}} = ();
	for my $case (@{$self->{longest}}) {
		my %shown = (%$case, meanwhile => _meanwhile(@$case{qw(slices woken ran)}));
		delete $shown{slices};
		push @{$self->{worst}}, \%shown;
	}
	%{$self->{still}} = (n => 0, longest => 0, unsure => 0);
	return if !Zed::Asked::tells_end();
	my ($ready) = @{$self->{ends}} ? @{$self->{ends}} : $tasks->waiting;
	%{$self->{still}} = (n => $ready->{n}, longest => $tasks->longest($report, $ready),
		unsure => $ready->{unsure});
	return;
}

sub _numbers {
	my ($waits) = @_;
	return (n => $waits->n, total => $waits->total, avg => $waits->mean, p50 => $waits->quantile(50),
		p90 => $waits->quantile(90), p99 => $waits->quantile(99), max => $waits->max);
}

sub _columns { return (['n', 'n', 'int'], ['total', 'total', 'us'], map { [$_, $_, 'us'] } qw(avg p50 p90 p99 max)) }

# The table of the rows, the greatest ORDER first; returns all waits that are in it.
sub table {
	my ($self, $order) = @_;
	my @by = @{$self->{by}};
	my @rows = grep { $_->{waits}->n || $_->{in} } values %{$self->{rows}};
	my @more = ($self->{parts} ? ['in', 'in window', 'us'] : (), $self->{gaps}->columns);
	my $table = $self->{report}->table('tasks',
		columns => [(map { [$_, @{$KEYS{$_}}[0, 1]] } @by), _columns(), @more], rows => [@rows],
		made => { Zed::Spread::made_of('waits'), in => sub { return 0 }, gaps => sub { return 0 },
			map { my $i = $_; ($by[$i] => sub { return $_[0]{key}[$i] }) } 0 .. $#by });
	my $sum = Zed::Spread->new;
	my %more = map { $_->[0] => 0 } @more;
	for my $row (@rows) {
		$sum->merge($row->{waits});
		$more{$_} += $row->{$_} // 0 for keys %more;
	}
	$table->sort($order, @by);
	$table->last({ $by[0] eq 'comm' ? (comm => 'ALL') : (), _numbers($sum), %more }) if $sum->n && @rows > 1;
	return $sum;
}

# A row for each kind that is in the answer.
sub kinds_table {
	my ($self) = @_;
	my @rows = map { my ($why, $kind) = @$_; $self->{takes}{$why} && $self->{all}{$why}
		? { kind => $kind, _numbers($self->{all}{$why}) } : () } @KINDS;
	$self->{report}->table('kinds', title => 'by kind', whole => 1, rows => \@rows,
		columns => [['kind', 'kind', 'text'], _columns()]) if @rows;
	return;
}

sub worst_table {
	my ($self) = @_;
	$self->{report}->table('worst', title => 'the longest waits', span => ['woken', 'ran'], waits => 1,
		rows => [@{$self->{worst}}],
		columns => [['wait', 'wait', 'us'],
			$self->{names_kind} ? (['kind', 'kind', 'text'], ['woken', 'since', 'time'])
			: ['woken', 'woken at', 'time'],
			['ran', 'ran at', 'time'], ['cpu', 'CPU', 'int'], ['comm', 'task', 'text'],
			['pid', 'pid', 'int'], ['prio', 'prio', 'int'],
			['waker', 'woken by', 'text'], ['meanwhile', 'who ran there meanwhile', 'text']])
			if @{$self->{worst}};
	return;
}

# What changes the answer, and what else is not in it.
sub notes {
	my ($self, $sum) = @_;
	my ($report, $tasks, $gaps, $still) = @$self{qw(report tasks gaps still)};
	$report->missing($tasks, 'waits that ended there are left out');
	$gaps->notes($sum->n);
	$report->note('waiting', $still->{n},
		'{task was|tasks were} still waiting at the end, the longest for at least '
		. Zed::duration($still->{longest} // 0));
	$report->note('begun', $tasks->n('begun'),
		'{switch|switches} to a task of unknown earlier state: {its wait is|their waits are} left out');
	$report->note('enqueued', $tasks->n('enqueued'),
		'{wait is|waits are} counted from sched_wakeup: no sched_waking was seen');
	$report->note('unwoken', $tasks->n('unwoken'), '{task|tasks} ran again without a recorded wakeup');
	$report->note('woken_again', $tasks->n('woken_again'), '{wait restarts|waits restart} where a task that ' .
		'seemed to be waiting was woken again: it had run and slept unseen');
	$report->note('lost_waits', $tasks->n('lost_waits') + ($still->{unsure} // 0),
		'{wait is|waits are} left out, as events were lost meanwhile');
	$report->remark('buckets', 'percentiles of more than 1000 waits are accurate to 0.8 %') if !$sum->is_exact;
	return;
}

1;

__END__

=head1 NAME

Zed::Waits - the waits of tasks for a CPU, and the longest with who ran meanwhile

=head1 SYNOPSIS

    use Zed::Report;
    use Zed::Waits;

    my $report = Zed::Report->new(name => 'mine', answer => \&answer, fold => sub { $waits->fold },
        options => ['worst=i'], defaults => { worst => 10 });
    my $waits = Zed::Waits->new(report => $report, by => ['comm'], kinds => ['woken', 'new']);

    sub answer {
        my $sum = $waits->table('max');

        $waits->worst_table;
        $waits->notes($sum);
        return $report->window($waits->tasks->span);
    }

    sub trace_begin { $report->begin }
    sub trace_lost { $waits->lost(@_) }
    sub trace_end { $report->end }

=head1 DESCRIPTION

What the analyses wakeup-latency and waits have in common. A wait is one of Zed::Tasks. It counts, with
the whole of its length, where it ends; CPUs (where it ended) and tasks choose which waits. Who ran
meanwhile is known whatever was asked for.

Kinds are C<woken>; C<preempted> (the kernel took the CPU away in the kernel), C<left-ready> (on the way
back to the program, or it gave it away, as sched_yield() does); C<new>, a task's first.

=head1 METHODS

=over

=item Zed::Waits->new(report => REPORT, by => [KEY, ...], kinds => [KIND, ...], ...)

A row for each value of the keys: C<comm>, C<pid>, C<cpu>, C<prio>, C<kind>. REPORT has an option C<worst>.
More: C<< parts => 1 >>, a column for the part of the waits in the time that was asked for; C<< strict => 1 >>,
waits that ended while another CPU had a gap are left out; C<< names_kind => 1 >>, the longest waits have a column
for the kind.

=item $waits->fold

For the C<fold> of the report.

=item $waits->lost(CPU, COUNT)

For trace_lost; it tells the report as well.

=item $waits->table(ORDER), $waits->kinds_table, $waits->worst_table, $waits->notes(SUM)

Add to the answer. table() has the row with the greatest ORDER first, and returns a Zed::Spread of all
waits in it, which notes() wants.

=item $waits->of_kind(KIND)

A Zed::Spread of all waits of a kind, in the table or not; undef: there is none.

=item $waits->tasks

The Zed::Tasks.

=item Zed::Waits::kinds(), Zed::Waits::kind(WHY)

The kinds; the one that Zed::Tasks calls WHY (C<wake>, C<preempt>, C<resched>, C<new>).

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Tasks

=head1 LICENCE

GPL-2.0-or-later

=cut
