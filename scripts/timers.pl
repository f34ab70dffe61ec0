#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# timers.pl: timers: how late they expire, by their own clock, and how long their functions take; the latest.
# zedtrace: timer
# zedperl: keeps traces apart
# zedperl: is made of timer:hrtimer_start timer:hrtimer_expire_entry
# zedperl: is made of timer:timer_start timer:timer_expire_entry
# zedperl: answers for parts of the time
# zedperl: is about timer hrtimer timeout jitter late latency clock tick

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'timers', answer => \&answer, fold => \&fold, options => ['worst=i'],
	defaults => { worst => 10 });
my $worst = $report->option('worst');
my %there = map { $_ => 1 } Zed::events();
my $many = defined Zed::ncpus(1);
my @source = $many ? 'source' : ();	# an address belongs to one machine

# Two kinds: those of high resolution, in ns; and those of the wheel, in ticks (jiffies).
my %kinds = (
	hrtimer => { event => 'hrtimer', slack => 'start.expires - start.softexpires', soft => 'start.softexpires' },
	timer => { event => 'timer' },
);
my $DEFERRABLE = 0x80000;	# of flags: it wakes no CPU that is idle

# From the last start of a timer to its expiry, by its address and function: an address may soon be another timer's. A
# cancel is seen before each expiry too, so it ends nothing. The expiry's own time field is used, as the timer's clock
# is not that of the trace.
sub follow
{
	my ($name) = @_;
	my $kind = $kinds{$name};
	my ($start, $expire, $exit) = map { "timer:${name}_$_" } qw(start expire_entry expire_exit);

	return if grep { !$there{s/:/::/r} } $start, $expire;
	my $made = sub {
		my ($deferrable) = @_;

		return Zed::synthetic("timers::${name}_late", start => $start, end => $expire,
			match => "start.$name == end.$name && start.function == end.function",
			fields => [$name => "end.$name",
				late => '(end.now > start.expires) * (end.now - start.expires)',
				early => $kind->{soft} ? "end.now < $kind->{soft}" : 'end.now < start.expires',
				slack => $kind->{soft} ? 'end.now < start.expires' : '0', function => 'end.function',
				deferrable => $deferrable]);
	};
	# Before 4.2 a timer has no flags.
	$kind->{made} = $name eq 'timer' ? eval { $made->("(start.flags & $DEFERRABLE) != 0") } // $made->('0')
		: $made->('0');
	my @late = ("timers:${name}_late", 'late', by => [@source, 'function', 'deferrable']);

	$kind->{late} = Zed::quantiles(@late);
	$kind->{late_sum} = Zed::sum(@late);
	$kind->{slack} = Zed::sum("timers:${name}_late", 'slack', by => [@source, 'function', 'deferrable']);
	$kind->{early} = Zed::sum("timers:${name}_late", 'early');
	$kind->{expired} = Zed::count($expire);
	push @{$kind->{latest}}, Zed::top("timers:${name}_late", 'late', limit => $worst,
		fields => ['function', 'deferrable'], $report->each_input) if $worst > 0;
	Zed::on("timers:${name}_late", args => ['function'],
		sub { $kind->{name}{$many ? Zed::source_index() : 0}{$_[0]} //= Zed::symbol($_[0]) // sprintf '0x%x',
			$_[0] });
	return if !$there{"timer::${name}_expire_exit"};
	follow_runs($kind, $name, "timers:${name}_late", $exit, 'start.deferrable');
	follow_runs($kind, $name, $expire, $exit, '0', abort => "timers:${name}_late",
		abort_match => "start.common_cpu == abort.common_cpu && start.$name == abort.$name");
}

# From an expiry to the end of the function. Only the start shows whether the timer is deferrable: runs whose start was
# seen are kept separate from the others.
sub follow_runs
{
	my ($kind, $name, $begin, $exit, $deferrable, @abort) = @_;
	my $ran = "${name}_ran" . (@abort ? '_unstarted' : '');

	Zed::synthetic("timers::$ran", start => $begin, end => $exit,
		match => "start.common_cpu == end.common_cpu && start.$name == end.$name", @abort,
		fields => [took => 'end.ts - start.ts', function => 'start.function', deferrable => $deferrable]);
	push @{$kind->{took}}, Zed::quantiles("timers:$ran", 'took', by => [@source, 'function', 'deferrable']);
	push @{$kind->{took_sum}}, Zed::sum("timers:$ran", 'took', by => [@source, 'function', 'deferrable']);
	push @{$kind->{longest}}, Zed::top("timers:$ran", 'took', limit => $worst, fields => ['function'],
		$report->each_input) if $worst > 0;
	Zed::on("timers:$ran", args => ['function'],
		sub { $kind->{name}{$many ? Zed::source_index() : 0}{$_[0]} //= Zed::symbol($_[0]) // sprintf '0x%x',
			$_[0] });
}

follow($_) for sort keys %kinds;

# The ticks per second: from the wheel's clock and that of the trace at the same events.
my @clock = $there{'timer::timer_expire_entry'} ?
	map { my $of = $_; map { $of->('timer:timer_expire_entry', $_, by => 'source') } 'now', 'ts' } \&Zed::min,
	\&Zed::max : ();

# By input.
sub clocks
{
	my %of;

	for my $i (0 .. $#clock) {
		$of{$_->{source}}[$i] = $_->{$i < 2 ? 'min' : 'max'} for $clock[$i]->rows;
	}
	return \%of;
}

my @CLOCKS = qw(now0 ts0 now1 ts1);

sub hz
{
	my ($now0, $ts0, $now1, $ts1) = @_;

	return if !Zed::_counts_ns();
	return if !defined $now1 || $now1 - $now0 < 10 || $ts1 <= $ts0;
	my $hz = ($now1 - $now0) * 1e9 / ($ts1 - $ts0);
	my ($nearest) = sort { abs($a - $hz) <=> abs($b - $hz) } 100, 250, 300, 1000;

	return abs($nearest - $hz) < 0.1 * $nearest ? $nearest : undef;
}

# Of each kind: {function, deferrable}: its times; further counts; the worst.
my (%rows, %n, %hz, %cases);
my %clocks;	# in place of %hz, the data of a part: {trace}: see clocks()

$report->counts(@clock, map { ref eq 'ARRAY' ? @$_ : $_ }
	map { @$_{qw(made late late_sum slack early expired latest took took_sum longest)} } values %kinds);
$report->keeps(rows => \%rows,
	{ '*' => { '*' => { 'function!' => 'same', 'deferrable!' => 'same', 'late!' => 'spread', 'slack!' => 'sum',
		took => 'spread' } } });
$report->keeps(n => \%n, { '*' => { map { ("$_!" => 'sum') } qw(begun early pending lost) } });
$report->keeps(clocks => \%clocks, { '*' => { now0 => 'min', ts0 => 'min', now1 => 'max', ts1 => 'max' } });
$report->keeps(hz => \%hz, { '*' => 'max' });
for my $name (sort keys %kinds) {
	$cases{$name} = { latest => [], longest => [] };
	$report->keeps_worst("${name}_latest", $cases{$name}{latest}, 'late', qw(at cpu));
	$report->keeps_worst("${name}_longest", $cases{$name}{longest}, 'took', qw(at cpu));
}

# Addresses are those of one boot.
sub fold
{
	(%rows, %n, %hz) = ();
	for my $name (grep { $kinds{$_}{late} } sort keys %kinds) {
		my $kind = $kinds{$name};
		my $counts = $kind->{made}->counts;

		fold_rows($name, $kind);
		fold_cases($kind, $cases{$name}, @$_) for [latest => 'late'], [longest => 'took'];
		$n{$name} = { begun => ($kind->{expired}->get // 0) - $counts->{matched},
			early => $kind->{early}->get // 0,
			pending => Zed::Asked::waiting($kind->{made}), lost => $counts->{lost} };
	}
	if (Zed::Asked::is_part()) {
		%clocks = map { my $of = $_; $report->trace_of_part => { map { $CLOCKS[$_] => $of->[$_] }
			grep { defined $of->[$_] } 0 .. $#CLOCKS } } values %{clocks()};
		return;
	}
	$hz{$_} = 1 for map { hz(@$_) // () } values %{clocks()};
}

sub function
{
	my ($kind, $row) = @_;

	return $kind->{name}{$many ? $row->{source} : 0}{$row->{function}} // sprintf '0x%x', $row->{function};
}

sub fold_rows
{
	my ($name, $kind) = @_;
	my $key = sub { my ($row) = @_; return join ' ', map { $row->{$_} } @source, 'function', 'deferrable' };
	my %late = map { ($key->($_) => $_->{sum}) } $kind->{late_sum}->rows;
	my %slack = map { ($key->($_) => $_->{sum}) } $kind->{slack}->rows;

	for my $row ($kind->{late}->rows) {
		my $of = row($name, $kind, $row);
		my $spread = Zed::Spread->from_buckets($row);

		$spread->set_total($late{$key->($row)} // 0);
		$of->{late}->merge($spread);
		$of->{slack} += $slack{$key->($row)} // 0;
	}
	for my $i (0 .. $#{$kind->{took} // []}) {
		my %took = map { ($key->($_) => $_->{sum}) } $kind->{took_sum}[$i]->rows;

		for my $row ($kind->{took}[$i]->rows) {
			my $spread = Zed::Spread->from_buckets($row);

			$spread->set_total($took{$key->($row)});
			(row($name, $kind, $row)->{took} //= Zed::Spread->new)->merge($spread);
		}
	}
}

sub row
{
	my ($name, $kind, $row) = @_;
	my $function = function($kind, $row);

	return $rows{$name}{join "\0", $function, $row->{deferrable} ? 1 : 0} //=
		{ function => $function, deferrable => $row->{deferrable} ? 'yes' : '',
		late => Zed::Spread->new, slack => 0 };
}

sub fold_cases
{
	my ($kind, $cases, $what, $key) = @_;

	@{$cases->{$what}} = ();
	for (map { @{$_->{records}} } map { $_->rows } @{$kind->{$what} // []}) {
		$report->worst($cases->{$what}, $key,
			{ $key => $_->{value}, at => $_->{ts}, cpu => $_->{cpu}, function => function($kind, $_),
				comm => $_->{comm} });
	}
}

sub answer
{
	for my $name (sort keys %kinds) {
		my $wheel = $name eq 'timer';
		my $ticks = Zed::_counts_ns() ? 'ticks' : 'jiffies';	# the clock's are others
		my ($late, $type) = $wheel ? ("late $ticks", 'int') : ('late', 'own us');
		my $table = $report->table("${name}s", title => $wheel ? 'of the timer wheel' : 'of high resolution',
			columns => [['function', 'function', 'text'],
			$wheel ? ['deferrable', 'deferrable', 'text'] : (), ['n', 'n', 'int'],
			$wheel ? () : ['slack', 'in slack', 'int'],
			map({ [$_, "late $_" . ($wheel ? " $ticks" : ''), $_ eq 'avg' && $wheel ? 'number'
				: $type] } qw(total avg p50 p99 max)), ['ran', 'runs', 'int'], ['took', 'runs', 'us'],
			['took_p50', 'p50', 'us'], ['took_p99', 'p99', 'us'], ['took_max', 'max', 'us']]);

		next if !$n{$name};
		for my $row (values %{$rows{$name} // {}}) {
			my $took = $row->{took};

			$table->add({ function => $row->{function}, $row->{late}->numbers,
				deferrable => $row->{deferrable}, slack => $row->{slack},
				$took ? (ran => $took->n, took => $took->total,
					map { ("took_$_->[0]" => $_->[1]) } [p50 => $took->quantile(50)],
					[p99 => $took->quantile(99)],
					[max => $took->max]) : () });
		}
		$table->sort('n', 'function', 'deferrable');
		cases($name, latest => 'late', $type, 'the latest', $late);
		cases($name, longest => 'took', 'us', 'the longest runs', 'took');
		my $counts = $n{$name};

		$report->note("${name}_begun", $counts->{begun},
			"{expiry|expiries} of a $name whose start was not seen");
		$report->note("${name}_early", $counts->{early}, "{expiry|expiries} of a $name before its time");
		$report->note("${name}_pending", $counts->{pending},
			"{${name} is|${name}s are} started and not expired at the end: that wait, or were cancelled");
		$report->note("${name}_lost", $counts->{lost},
			"{start of a $name is|starts of ${name}s are} left out, as events were lost meanwhile");
	}
	$hz{$_} = 1 for map { hz(@$_{@CLOCKS}) // () } values %clocks;
	my ($hz) = keys %hz == 1 ? keys %hz : ();

	$report->remark('tick', "a tick is @{[1000 / $hz]} ms; the wheel's timers are late by up to one, and more " .
		"the longer they waited") if $hz;
	return $report->window(undef, undef);
}

sub cases
{
	my ($name, $what, $key, $type, $title, $head) = @_;
	my @rows = @{$cases{$name}{$what}};

	$report->table("${name}_$what", title => $title, rows => \@rows,
		columns => [[$key, $head, $type], ['at', 'at', 'time'], ['cpu', 'CPU', 'int'],
		['function', 'function', 'text'], ['comm', 'in', 'text']]) if @rows;
}

sub trace_begin { $report->begin }
sub trace_lost { $report->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

timers.pl - timers: how late they expire, by their own clock, and how long their functions take

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<timers> [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

=head1 DESCRIPTION

Compares the time for which a timer was last started with the time of its expiry, both by the
timer's own clock, which is not that of the trace. Then measures its function from beginning to end.

A high-resolution timer may have slack: an expiry between the soft and the hard time is not late.
The timer wheel counts ticks (jiffies). A deferrable timer does not wake an idle CPU; it may be late
by seconds, and has rows of its own.

For a part of the trace, an expiry and a run count, in full, where they end; a timer that has not expired belongs to the
CPU and the task that started it. Runs of a timer whose start was not seen are in the row that is not deferrable.

=head1 OPTIONS

=over

=item --worst N

How many of the worst cases to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<hrtimers>, C<timers>, C<hrtimer_latest>,
C<hrtimer_longest>, C<timer_latest>, C<timer_longest>. In JSON the wheel's lateness is in ticks;
B<--every> repeats the answer so far.

=head1 RECORD

    zedtrace timer -d 10
    trace-cmd record -e timer sleep 10

or, with perf,

    perf record -a -e 'timer:*' sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A row for each function: how often its timers expired (those whose start was seen), how many of them
within their slack, and how late; then how often and how long the function ran.

=head1 EXAMPLES

    zedperl trace.dat timers
    zedperl --live timers --every 5s

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
