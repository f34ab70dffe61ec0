#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# summary.pl: what is in a trace: events, CPUs, times, losses; and which analyses suit it.
# zedtrace: sched irq
# zedperl: keeps traces apart
# zedperl: keeps no state over time
# zedperl: is made of *:*
# zedperl: answers for parts of the time
# zedperl: is about overview contents info statistics

use strict;
use warnings;

use File::Basename qw(basename dirname);
use Zed;
use Zed::Asked;
use Zed::Needs;
use Zed::Report;

my $report = Zed::Report->new(name => 'summary', own_losses => 1, answer => \&answer, fold => \&fold);

my @input = $report->by_input;	# the column: CPU 0 of one input is not that of another
my $events = Zed::count('*:*', by => 'common_event');
my $cpus = Zed::count('*:*', by => [@input ? 'common_source' : (), 'common_cpu']);
# {cpu}, of several inputs {"source cpu"}:
my %lost;	# ... {events|unknown|timeless}
my %span;	# ... {start|end}, {has}: it has records, in the chosen time or not
my $stacks = 0;	# an event has a stack within its own record
# LTTng has an event for each system call, which serve where analyses need those of all calls.
my $named_calls = Zed::_makes('syscall:enter') && !grep({ /^(?:raw_)?syscalls::sys_enter\z/ } Zed::events()) ? 1 : 0;
# {event}: it occurred in the chosen time, on any CPU, in any task. Analyses make the rows of the chosen ones from
# events of others: a wakeup happens in another task.
my %there;

$report->counts(\(%lost, %there), $events, $cpus);
$report->keeps(events => \$events, 'count: common_event');
$report->keeps(cpus => \$cpus, 'count: common_cpu');
$report->keeps(stacks => \$stacks, 'max');
$report->keeps(named_calls => \$named_calls, 'max');
$report->keeps(there => \%there, { '*' => 'max' });
$report->keeps(lost => \%lost, { '*' => { '*' => 'sum' } });
$report->keeps(span => \%span, { '*' => { start => 'min', end => 'max', has => 'max' } });

sub key
{
	my ($source, $cpu) = @_;

	return @input ? "$source $cpu" : $cpu;
}

# perf records stacks with all events of a kind, or with none: the first of each is checked.
my $LOOKED_AT = 100;

sub look_for_stacks
{
	for my $event (map { s/::/:/r } Zed::events()) {
		my ($id, $n) = (undef, 0);

		$id = Zed::on($event, sub {
			$stacks = 1 if Zed::stack();
			Zed::off($id) if $stacks || ++$n == $LOOKED_AT;
		});
	}
}

look_for_stacks() if defined Zed::ncpus(1) || !grep { $_ eq 'ftrace::kernel_stack' } Zed::events();

sub look_for_kinds
{
	my $once = !$report->option('every');
	my @from = $Zed::Asked::FROM > 0 ? (where => "common_ts >= $Zed::Asked::FROM") : ();
	my %looks;	# {event}: the handler that waits for the first one

	for my $event (map { s/::/:/r } Zed::events()) {
		$looks{$event} = Zed::on($event, follows => 1, args => ['ts'], @from, sub {
			return if !Zed::Asked::at($_[0]);
			$there{$event} = 1;
			Zed::off(delete $looks{$event}) if $once;
		});
	}
	Zed::Asked::at_end(sub { Zed::off($_) for values %looks }) if $once;
}

# Without chosen CPUs and tasks, all events are counted anyway.
look_for_kinds() if length Zed::Asked::words();

# When each CPU has records, within the chosen time: if buffers were overwritten, they begin at different times.
sub fold
{
	%span = ();
	for (my $source = 0; !$source || defined Zed::ncpus($source); $source++) {
		for (grep { Zed::Asked::cpu($_->{cpu}) } Zed::spans($source)) {
			my $of = $span{key($source, $_->{cpu})} //= { has => 1 };
			my ($start, $end) = Zed::Asked::cut(@$_{qw(start end)}) or next;

			$of->{start} = $start if $start < ($of->{start} // $start + 1);
			$of->{end} = $end if $end > ($of->{end} // -1);
		}
	}
}

sub answer
{
	my ($start, $end) = $report->window;
	my $seconds = defined $end && $end > $start ? ($end - $start) / 1e9 : undef;
	my %n = map { $_->{common_event} => $_->{count} } $events->rows;
	my %on = map { key(@$_{qw(common_source common_cpu)}) => $_->{count} } $cpus->rows;
	my $all = 0;

	$all += $_ for values %n;
	cpu_table(\%on, $seconds);
	my $table = $report->table('events', title => 'events',
		columns => [['event', 'event', 'text'], ['n', 'n', 'int'],
		['share', '%', 'share'], ['rate', 'a second', 'rate']],
		rows => [map { { event => $_, n => $n{$_}, share => $n{$_} / $all, rate => $seconds ? $n{$_} / $seconds
			: undef } } keys %n]);

	$table->sort('n', 'event');
	$table->last({ event => 'ALL', n => $all, rate => $seconds ? $all / $seconds : undef }) if keys %n > 1;
	script_table(\%n);
	return ($start, $end);
}

sub cpu_table
{
	my ($on, $seconds) = @_;
	my %keys = (%$on, %span, %lost, map { key(@$_{qw(source cpu)}) => 1 } $report->lost_beyond);
	my @rows = sort { ($a->{source} // 0) <=> ($b->{source} // 0) || $a->{cpu} <=> $b->{cpu} }
		map { cpu_row($_, $on->{$_} // 0, $seconds) } keys %keys;

	$report->table('cpus', title => 'CPUs', whole => 1,
		columns => [@input, ['cpu', 'CPU', 'int'], ['n', 'events', 'int'], ['start', 'from', 'time'],
		['end', 'to', 'time'], ['rate', 'a second', 'rate'], ['lost', 'lost', 'int'],
		['unknown', 'gaps of unknown size', 'int'],
		grep({ $_->{timeless} } values %lost) ? ['timeless', 'lost at unknown times', 'int'] : ()],
		rows => \@rows);
}

sub cpu_row
{
	my ($key, $n, $seconds) = @_;
	my ($source, $cpu) = @input ? split / /, $key : (undef, $key);

	# Of one of several inputs: in its own time.
	$seconds = $report->time_of($source) / 1e9 if @input;
	return { source => $source, cpu => $cpu, n => $n, $span{$key} ? %{$span{$key}}{qw(start end)} : (),
		rate => $seconds ? $n / $seconds : undef, lost_on($key, $source, $cpu) };
}

# If the kernel recorded none of the numbers, or a loss ends only later, their sum is not 0.
sub lost_on
{
	my ($key, $source, $cpu) = @_;
	my %of = (unknown => 0, timeless => 0, %{$lost{$key} // {}});
	my @beyond = $report->lost_beyond(defined $source ? (source => $source) : (), cpu => $cpu);

	return (%of{qw(unknown timeless)}, lost => $of{events}
		// ($of{unknown} || @beyond ? undef : 0));
}

sub script_table
{
	my ($n) = @_;
	my %has = (%there, %$n, $stacks || grep({ $n->{"ftrace:${_}_stack"} } qw(kernel user)) ? (stack => 1) : (),
		grep({ %$_ } values %lost) ? (loss => 1) : ());
	my @rows;

	if ($named_calls) {
		for (['entry', 'enter'], ['exit', 'exit']) {
			my ($of_lttng, $end) = @$_;
			my $name = qr/^(?:syscalls:sys_${end}_|lttng:compat_syscall_${of_lttng}_)/;

			$has{"raw_syscalls:sys_$end"} = 1 if grep { /$name/ } keys %has;
		}
	}
	for my $path (sort glob dirname($0) . '/*.pl') {
		my $name = basename($path, '.pl');
		my $needs = Zed::Needs->of($path) // next;

		next if $name eq 'summary' || !$needs->is_declared;
		my $has = $needs->are_met(\%has);
		my @lacks = $needs->lacks(\%has);

		push @rows, { script => $name, suits => !$has ? 'no' : @lacks ? 'partly: no ' . join(' ', @lacks)
			: 'yes', order => $has ? !!@lacks : 2,
			purpose => $needs->purpose };
	}
	$report->table('scripts', title => 'which analyses suit it', whole => 1,
		columns => [['script', 'script', 'text'],
		['suits', 'suits', 'text'], ['purpose', 'answers', 'text']],
		rows => [sort { $a->{order} <=> $b->{order} || $a->{script} cmp $b->{script} } @rows]);
}

sub trace_begin { $report->begin }

sub trace_lost
{
	my ($cpu, $count) = @_;
	# Losses that only the recorder's statistics show have no time; they may be those of gaps of unknown size.
	my $ts = eval { Zed::ts() };

	$report->lost(@_) if Zed::Asked::cpu($cpu);
	return if !Zed::Asked::cpu($cpu) || (defined $ts ? !Zed::Asked::at($ts) : Zed::Asked::is_window());
	$lost{key(Zed::lost_source(), $cpu)}{!defined $count ? 'unknown' : defined $ts || Zed::lost_places() ? 'events'
		: 'timeless'} += $count // 1;
}

sub trace_end { $report->end }

__END__

=head1 NAME

summary.pl - what is in a trace: events, CPUs, times, losses; and which analyses suit it

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<summary> [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>] [B<--html> I<FILE>] [B<--svg>
I<FILE>]

=head1 DESCRIPTION

Counts the events of a trace by name and by CPU, and shows when the records of each CPU begin and
end, its losses, and for which of the other analyses the trace has the events.

For a part of the trace it counts the events in it, and the losses that end there; rates are for its time, the times at
which a CPU has records are cut to it, and analyses suit it by the events that occur in it. If CPUs or tasks are chosen,
the events of all of them decide which analyses suit, as answers are made from these: a task is woken in another one.

=head1 OPTIONS

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<cpus>, C<events>, C<scripts>. B<--limit>
shortens C<events>.

=head1 RECORD

    zedtrace sched irq -d 10
    trace-cmd record -e sched -e irq sleep 10

These are for the analyses of tasks and interrupts; any others will do.

=head1 OUTPUT

A row for each CPU, of several inputs for each of theirs, with how many events it lost (C<->: some, in gaps of unknown
size, or that end after the chosen time; for the whole trace those of such gaps are among them, as far as the recorder's
statistics know their sum) and, for the whole trace, how many more these show, at unknown times; the most frequent
events, with their share and their rate per second; then the analyses: C<no> if the events that its answer is made from
do not occur; C<yes> if all that it asks to record do occur; C<partly> with the missing ones: what these would explain
is missing. C<compare> and C<top>, which are about other scripts, are left out.

=head1 EXAMPLES

    zedperl trace.dat summary --limit 0
    zedperl trace.dat summary --json | jq -r '.tables.scripts.rows[] | select(.suits == "yes").script'

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
