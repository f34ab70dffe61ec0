#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# power.pl: how long CPUs were in which idle state, and at which frequency while they were not idle; the longest.
# zedtrace: power:cpu_idle power:cpu_frequency
# zedperl: keeps traces apart
# zedperl: is made of power:cpu_idle|power:power_start|power:cpu_frequency|power:power_frequency
# zedperl: answers for parts of the time
# zedperl: is about idle frequency cpufreq cpuidle c-state energy sleep battery cpu

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Ends;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'power', answer => \&answer, fold => \&fold, options => [qw(by=s worst=i)],
	defaults => { by => '', worst => 10 });
my $by_cpu = $report->option('by') eq 'cpu';
$report->usage("--by '" . $report->option('by') . "': it takes cpu") if $report->option('by') && !$by_cpu;

my %there = map { $_ => 1 } Zed::events();
my ($idle, $times, $sums, $ends, $longest);
my @input = $by_cpu ? $report->by_input : ();	# the column
my @longest = qw(of state);	# fields
push @longest, 'common_source' if @input;

# A state lasts from its entry to the event -1.
if ($there{'power::cpu_idle'}) {
	$idle = Zed::synthetic('power_idle::state', start => 'power:idle', end => 'power:idle',
		match => 'start.common_cpu == end.common_cpu && start.common_instance == end.common_instance && ' .
		'start.state != -1 && end.state == -1',
		fields => [took => 'end.ts - start.ts', state => 'start.state', of => 'end.cpu']);
	$times = Zed::quantiles('power_idle:state', 'took', by => [qw(common_source of state)]);
	$sums = Zed::sum('power_idle:state', 'took', by => [qw(common_source of state)]);
	$ends = Zed::count('power:idle', where => 'state == -1');
	$longest = Zed::top('power_idle:state', 'took', fields => \@longest, limit => $report->option('worst'))
		if $report->option('worst') > 0;
}

# Of a part of the trace: what of these times lies outside of it, and of those that go on after its end what lies in it.
my %beside;	# {source CPU state}: ns to be added for shares

if ($idle && Zed::Asked::is_window()) {
	# What lies in one part and ends in the next is that one's: only the time that all are of has an outside.
	my $bounds = sub { return Zed::Asked::is_part() ? Zed::Asked::all() : ($Zed::Asked::FROM, $Zed::Asked::TO) };

	Zed::on('power_idle:state', args => [qw(ts took of state)], sub {
		my ($ts, $took, $of, $state) = @_;
		my ($first) = $bounds->();

		$beside{join ' ', Zed::source_index(), $of, $state} -= $first - ($ts - $took) if $ts - $took < $first;
	});
	# Of several inputs one may end before the others: a state lasts to its last record, also if that is known only
	# when it has come (through a pipe).
	my %seen;	# {source}
	my $several = defined Zed::ncpus(1);

	for (my $source = 0; $several && defined Zed::ncpus($source); $source++) {
		next if defined Zed::end($source);
		Zed::on('*:*', args => ['ts'], follows => 1, sub { $seen{Zed::source_index()} = $_[0] });
		last;
	}
	Zed::Asked::at_end(sub {
		my ($first, $last) = $bounds->();

		for my $open (grep { Zed::Asked::cpu($_->{common_cpu}) } @{$idle->pending}) {
			my $since = $open->{ts} > $first ? $open->{ts} : $first;
			my $known = Zed::Ends::end(@$open{qw(source common_cpu)}) // $seen{$open->{source}} // $last;
			my $until = $known < $last ? $known : $last;

			$beside{join ' ', @$open{qw(source common_cpu state)}} += $until - $since if $until > $since;
		}
	}) if Zed::Asked::tells_end();
}

# ---- frequencies, in the time that is not idle ----

# Of a CPU: the frequency and since when it is counted; whether it is idle (undef: not known yet); what will count if it
# turns out that it was not.
my (%cpus, %busy, %changes, %n);
my $watched;

# The time up to TS belongs to the frequency, unless the CPU is idle.
sub count
{
	my ($source, $cpu, $of, $ts) = @_;

	return if !defined $of->{khz};
	my $time = Zed::Asked::cpu($cpu) ? Zed::Asked::time_in($of->{since}, $ts) : 0;

	if (!defined $of->{idle}) {
		$of->{perhaps}{$of->{khz}} += $time;
	} elsif (!$of->{idle}) {
		$busy{"$source $cpu"}{$of->{khz}} += $time;
	}
	$of->{since} = $ts;
}

# It enters a state: it was not idle.  It leaves one: it was.
sub idled
{
	my ($ts, $cpu, $state) = @_;
	my $source = Zed::source_index();
	my $of = $cpus{$source}{$cpu} //= {};

	count($source, $cpu, $of, $ts);
	if (!defined $of->{idle}) {
		my $perhaps = delete $of->{perhaps} // {};

		for (keys %$perhaps) {
			$busy{"$source $cpu"}{$_} += $perhaps->{$_} if $state != -1;
		}
	}
	$of->{idle} = $state != -1;
}

Zed::on('power:frequency', args => [qw(ts cpu frequency)], follows => 1, sub {
	my ($ts, $cpu, $khz) = @_;
	my $source = Zed::source_index();
	my $of = $cpus{$source}{$cpu} //= {};

	# Traces without frequencies need no Perl for each idle state.
	$watched //= Zed::on('power:idle', args => [qw(ts cpu state)], follows => 1, \&idled) if $idle;
	count($source, $cpu, $of, $ts);
	@$of{qw(khz since)} = ($khz, $ts);
	$changes{"$source $cpu"}{$khz}++ if Zed::Asked::at($ts) && Zed::Asked::cpu($cpu);
}) if $there{'power::cpu_frequency'};

my %frequencies;	# {CPU, kHz}: how long, how often asked for

$report->counts(\(%beside, %busy, %changes, %n), $idle, $times, $sums, $ends, $longest);
$report->keeps(idle => \$idle, 'synthetic');
$report->keeps(times => \$times, 'quantiles: common_source, of, state');
$report->keeps(sums => \$sums, 'sum: common_source, of, state');
$report->keeps(ends => \$ends, 'count');
$report->keeps(longest => \$longest, 'top: ' . join ', ', @longest);
$report->keeps(frequencies => \%frequencies,
	{ '*' => { source => 'number', 'cpu!' => 'number', 'khz!' => 'number', 'total!' => 'sum', 'n!' => 'sum' } });
$report->keeps(n => \%n, { '*' => 'sum' });
$report->keeps(beside => \%beside, { '*' => 'sum' });

# What is not over yet counts up to the end, for this answer alone.
sub fold
{
	my %until = map { $_ => { %{$busy{$_}} } } keys %busy;

	# A state that goes on is of no task.
	$n{still} = $idle && Zed::Asked::tells_end() ? grep { Zed::Asked::cpu($_->{common_cpu}) } @{$idle->pending} : 0;

	%frequencies = ();
	for my $source (keys %cpus) {
		for my $cpu (grep { Zed::Asked::cpu($_) } keys %{$cpus{$source}}) {
			my $of = $cpus{$source}{$cpu};
			my $end = Zed::Ends::end($source, $cpu);

			$until{"$source $cpu"}{$of->{khz}} += Zed::Asked::time_in($of->{since}, $end)
				if defined $end && defined $of->{khz} && defined $of->{idle} && !$of->{idle};
		}
	}
	for my $key (keys %{{ %busy, %changes }}) {
		my ($source, $cpu) = split / /, $key;

		next if !Zed::Asked::cpu($cpu);
		for my $khz (keys %{{ %{$until{$key} // {}}, %{$changes{$key} // {}} }}) {
			my $row = $frequencies{join ' ', $by_cpu ? ($report->apart($source), $cpu) : (), $khz} //=
				{ source => $report->apart($source), cpu => $cpu, khz => $khz, total => 0, n => 0 };

			$row->{total} += $until{$key}{$khz} // 0;
			$row->{n} += $changes{$key}{$khz} // 0;
		}
	}
}

# ---- the answer ----

sub answer
{
	my ($start, $end) = $report->window(undef, undef);
	my $time = defined $end ? $by_cpu ? $end - $start : $report->cpu_time : 0;
	my $share = sub {
		my ($spent, $source) = @_;
		my $of = @input ? $report->time_of($source) : $time;

		return $of > 0 ? $spent / $of : undef;
	};
	my $whose = $by_cpu ? 'of the time %' : $report->chooses_cpus ? 'of chosen CPUs %' : 'of all CPUs %';
	my (%rows, %spent);

	if ($times) {
		my %sum = map { ("$_->{common_source} $_->{of} $_->{state}" => $_->{sum}) } $sums->rows;

		for my $row ($times->rows) {
			my $spread = Zed::Spread->from_buckets($row);

			$spread->set_total($sum{"$row->{common_source} $row->{of} $row->{state}"});
			my $of = $rows{$by_cpu ? join ' ', $report->apart($row->{common_source}),
				@$row{qw(of state)} : $row->{state}} //= { source => $row->{common_source},
				cpu => $row->{of}, state => $row->{state}, times => $spread };

			$of->{times}->merge($spread) if $of->{times} != $spread;
		}
	}
	for (keys %beside) {
		my ($source, $cpu, $state) = split / /;

		my $key = $by_cpu ? join ' ', $report->apart($source), $cpu, $state : $state;

		$spent{$key} += $beside{$_};
		# Of one that goes on nothing has ended in the part.
		$rows{$key} //= { source => $source, cpu => $cpu, state => $state, times => Zed::Spread->new }
			if $beside{$_} > 0;
	}
	$report->table('states', title => 'idle', columns => [@input, $by_cpu ? ['cpu', 'CPU', 'int'] : (),
		['state', 'state', 'int'], ['n', 'n', 'int'],
		['total', 'total', 'us'], ['share', $whose, 'share'],
		map { [$_, $_, 'us'] } qw(avg p50 p99 max)],
		rows => [map { my ($of, $spent) = ($rows{$_}, $spent{$_} // 0);
			{ source => $of->{source}, cpu => $of->{cpu}, state => $of->{state}, $of->{times}->numbers,
				share => $share->($of->{times}->total + $spent, $of->{source}) } } keys %rows]
	)->sort('total', @input ? 'source' : (), 'cpu', 'state');
	frequencies();
	my @worst = !$longest ? () : map { { time => $_->{value}, at => $_->{ts} - $_->{value}, cpu => $_->{of},
		state => $_->{state}, source => $_->{common_source} } } map { @{$_->{records}} } $longest->rows;

	$report->table('longest', title => 'the longest', span => ['at', '+time'], rows => \@worst,
		columns => [['time', 'took', 'us'], ['at', 'since', 'time'], @input, ['cpu', 'CPU', 'int'],
		['state', 'state', 'int']]) if @worst;
	notes();
	return ($start, $end);
}

sub frequencies
{
	my $all = 0;

	$all += $_->{total} for values %frequencies;
	my @rows = map { { %$_, share => $all ? $_->{total} / $all : undef } } values %frequencies;

	$report->table('frequencies', title => 'frequency, while not idle',
		columns => [@input, $by_cpu ? ['cpu', 'CPU', 'int'] : (), ['khz', 'kHz', 'int'],
		['n', 'asked for', 'int'], ['total', 'total', 'us'], ['share', '%', 'share']],
		rows => \@rows)->sort('total', 'source', 'cpu', 'khz') if @rows;
}

sub notes
{
	my $counts = $idle ? $idle->counts : { pending => 0, matched => 0, lost => 0, replaced => 0 };

	$report->note('begun', $idle ? ($ends->get // 0) - $counts->{matched} : 0,
		'{idle state|idle states} ended without a recorded start');
	$report->note('still', $n{still} // 0, '{CPU was|CPUs were} still idle at the end');
	$report->note('replaced', $counts->{replaced}, '{state has|states have} no end: left out');
	$report->note('lost', $counts->{lost} + ($n{lost} // 0),
		'{state is|states are} left out, as events were lost meanwhile');
	$report->remark('frequency',
		'no frequency events: the frequency did not change, or this machine does not report it')
		if !%frequencies;
}

sub trace_begin { $report->begin }

# A frequency is reported on any CPU, being idle on the CPU itself.
sub trace_lost
{
	my ($cpu) = @_;
	my $source = eval { Zed::source_index() };

	$report->lost(@_);
	return if !defined $source;
	for my $of (values %{$cpus{$source} // {}}) {
		$n{lost}++ if defined $of->{khz};
		@$of{qw(khz perhaps)} = ();
	}
	$cpus{$source}{$cpu}{idle} = undef if $cpus{$source}{$cpu};
}

sub trace_end { $report->end }

__END__

=head1 NAME

power.pl - how long CPUs were in which idle state, and at which frequency while they were not idle

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<power> [B<--by> cpu] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

=head1 DESCRIPTION

An idle state lasts from the event that enters it to the one that leaves it. The state of a CPU
before its first event is unknown.

A frequency is the one requested for all CPUs that share a clock; some kernels report it for only
one of these. It counts while the CPU is not idle.

Of a part of the trace, a state counts, with the whole of its length, where it ends; shares and times at
a frequency are cut to the part.

=head1 OPTIONS

=over

=item --by cpu

Rows for each CPU, of several inputs with the number of the input.

=item --worst N

How many of the longest to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<states>, C<frequencies>, C<longest>.

=head1 RECORD

    zedtrace power:cpu_idle power:cpu_frequency -d 10
    trace-cmd record -e power:cpu_idle -e power:cpu_frequency sleep 10

or, with perf,

    perf record -a -e power:cpu_idle -e power:cpu_frequency sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

A row for each idle state, by its number: how often it was entered, how long it lasted, its share of
the time of all CPUs, of those that are chosen by B<--cpu>, or of that CPU.
F</sys/devices/system/cpu/cpu0/cpuidle/state*/name> has their names.

A row for each frequency: how often it was requested, and how long a CPU that was not idle had it.

=head1 EXAMPLES

    zedperl trace.dat power --by cpu
    zedperl --live power --every 5s

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
