#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# stacks.pl: stacks and hottest functions; flame graph; speedscope.
# zedtrace: sched:sched_switch
# zedperl: keeps traces apart
# zedperl: is made of stack
# zedperl: answers for parts of the time
# zedperl: is about stack callchain backtrace flamegraph flame profile hot

use strict;
use warnings;

use Zed;
use Zed::Report;
use Zed::Stacks;

my @UNITS = qw(none nanoseconds microseconds milliseconds seconds bytes);
my %TYPES = (nanoseconds => 'own us', bytes => 'bytes');	# of a column of weights in that unit

my $report = Zed::Report->new(name => 'stacks', answer => \&answer,
	fold => \&fold, options => [qw(event=s@ weight=s by=s unit=s folded speedscope)],
	defaults => { by => 'comm', unit => 'none' });
my ($by, $weight, $unit) = map { $report->option($_) } qw(by weight unit);
my @wanted = Zed::Stacks::events(map { split /,/ } @{$report->option('event') // []});

$report->usage("--by '$by': it takes comm, pid, event or none") if $by !~ /^(?:comm|pid|event|none)\z/;
$report->usage("--unit '$unit': it takes " . join ', ', @UNITS) if !grep { $_ eq $unit } @UNITS;
$report->usage('--weight FIELD is a field of an event: --event says of which') if defined $weight && !@wanted;
$report->usage("--weight '$weight' is not the name of a field") if defined $weight && $weight !~ /^[A-Za-z_]\w*\z/;
$report->usage('--folded and --speedscope: give one of them')
	if $report->option('folded') && $report->option('speedscope');

my $stacks = Zed::Stacks->new;
my %events;	# {event}: how many with a stack, and their weight
my @fields = ('common_event', 'common_pid', 'common_comm', defined $weight ? $weight : ());
my $plain = !$report->option('folded') && !$report->option('speedscope');
my @counted = !$plain ? () : @wanted ? @wanted :
	map { my $name = "ftrace::${_}_stack"; grep({ $_ eq $name } Zed::events()) ? "ftrace:${_}_stack"
		: () } qw(kernel user);
my @counts = map { Zed::count($_, by => 'source') } @counted;
my ($counted, $alone);

$stacks->after(@wanted ? \@wanted : ['*:*'], \@fields, sub {
	my ($event, $pid, $comm, @rest) = @_;
	my ($amount, $stack) = defined $weight ? @rest : (1, @rest);
	my $root = $by eq 'comm' ? name($comm) : $by eq 'pid' ? name($comm) . " $pid" : $by eq 'event'
		? Zed::Stacks::frame($event =~ s/::/:/r) : undef;

	$stack = join ';', $root // (), $stack;
	$events{$event}[0]++;
	$events{$event}[1] += $amount;
	$stacks->add($stack, $amount);
});

sub name { return Zed::Stacks::frame($_[0] // '<...>') }

$report->counts(\%events, @counts);
$report->keeps(stacks => \$stacks, 'stacks');
$report->keeps(events => \%events, { '*' => ['sum'] });
$report->keeps(counted => \$counted, 'sum');
$report->keeps(alone => \$alone, 'sum');

sub answer
{
	my ($start, $end) = $report->window;
	my $weights = $stacks->weights;
	my $all = 0;

	$all += $_ for values %$weights;
	my $share = sub { return $all ? $_[0] / $all : undef };
	my $head = $weight // 'n';
	my $type = $TYPES{$unit} // 'int';
	my $table = $report->table('stacks', columns => [['weight', $head, $type], ['share', '%', 'share'],
		['stack', 'stack, the innermost first', 'text']],
		rows => [map { { weight => $weights->{$_}, share => $share->($weights->{$_}),
			stack => Zed::Stacks::shown($_, $report->option('json')) } } keys %$weights]);

	$table->sort('weight', 'stack');
	my @functions = $stacks->functions($by ne 'none');

	$_->{share} = $share->($_->{total}) for @functions;
	$report->table('functions', title => 'functions',
		columns => [['self', "$head, itself", $type], ['total', 'and what it calls', $type],
		['share', '%', 'share'], ['function', 'function', 'text']],
		rows => \@functions)->sort('self', 'function');
	$report->table('events', title => 'events with a stack',
		columns => [['event', 'event', 'text'], ['n', 'n', 'int'],
		defined $weight ? ['weight', $weight, $type] : ()],
		rows => [map { { event => s/::/:/r, n => $events{$_}[0],
			weight => $events{$_}[1] } } keys %events])->sort('n', 'event');
	$report->flame('flame', 'flame graph', $unit eq 'nanoseconds' ? Zed::_counts_ns() ? 'ns' : $unit
		: $head eq 'n' ? 'events' : $head, $weights);
	notes();
	return ($start, $end);
}

sub fold
{
	my %n;

	for (map { $_->rows } @counts) {
		$n{$_->{source}} += $_->{count};
	}
	($counted, $alone) = (0, 0);
	for (keys %n) {
		$counted += $n{$_};
		# perf's stacks are part of the event itself: an input without stack records has no stray ones.
		$alone += $n{$_} - $stacks->records($_);
	}
}

sub notes
{
	my $n = $counted // 0;

	if (@wanted) {
		$report->note('without', $n - $stacks->n, '{event has|events have} no stack'
			. (defined $weight ? ", or no field $weight" : ''));
	} else {
		$report->note('alone', $alone // 0,
			'{stack does|stacks do} not follow an event of the same task and CPU: left out');
	}
	$report->remark('none', 'no event has a stack: record them with zedtrace EVENT -T, or perf record -g')
		if !$stacks->n;
}

sub trace_begin { $report->begin if $plain }
sub trace_lost { $report->lost(@_) }

sub trace_end
{
	return $report->end if $plain;
	return print $stacks->folded if $report->option('folded');
	print $stacks->speedscope(join(' ', @wanted) || 'events', $unit);
}

__END__

=head1 NAME

stacks.pl - stacks and hottest functions; flame graph; speedscope

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<stacks> [B<--event> I<EVENT>]... [B<--weight> I<FIELD>] [B<--by> comm|pid|event|none]
[B<--folded> | B<--speedscope> [B<--unit> I<UNIT>] | B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]
[B<--html> I<FILE>] [B<--svg> I<FILE>]

=head1 DESCRIPTION

Adds up the stacks that were recorded with events, of ftrace (C<trace-cmd record -T>, the options
stacktrace and userstacktrace) and of perf (C<perf record -g>). A stack belongs to the record right
before it, of the same CPU and task. One that follows another record, because events were lost or an
interrupt came between, is left out and counted.

The tracer's own functions are cut off. Functions of programs have names in a perf.data (zedperl(1),
"Names of functions"); in a trace of ftrace their addresses are shown as numbers: it does not have
their mappings.

For a part of the trace it adds up the stacks of the events in it.

=head1 OPTIONS

=over

=item --event EVENT

Only these events, such as C<block:block_rq_issue> or C<sched:*>; may be repeated, or a list
separated by commas.

=item --weight FIELD

A stack's weight is the sum of that field of its events, such as C<bytes_alloc> of kmem:kmalloc,
instead of how often it occurred.

=item --by comm|pid|event|none

The outermost frame: the name of the task (the default), the name with its pid, the event, or the
first function.

=item --folded

Lines C<task;outermost;...;innermost N>, as flame graphs take them.

=item --speedscope

JSON for https://www.speedscope.app; C<--unit> is the unit of the weights: none (the default),
nanoseconds, microseconds, milliseconds, seconds, bytes.

=back

B<--json>, B<--csv>, B<--limit>, B<--every>, B<--html>, B<--svg> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<stacks>, C<functions>, C<events>. In JSON a
stack has all its frames.

=head1 RECORD

    zedtrace sched:sched_switch -T -d 10
    zedperl --live=sched:sched_switch --stack -d 10 stacks
    trace-cmd record -T -e sched:sched_switch sleep 10

or

    perf record -g -a -e sched:sched_switch sleep 10

B<-T>, B<--stack> and B<-g> ask for stacks. B<-a> is for all tasks: without it perf records only what happens while the
command runs.

=head1 OUTPUT

The stacks, the heaviest first, the innermost function at the left; the functions, with their own
weight and that including all that they call; the events that had a stack.

=head1 EXAMPLES

    zedperl trace.dat stacks --event block:block_rq_issue
    zedperl trace.dat stacks --event block:block_rq_issue --weight bytes --speedscope --unit bytes > issued.json

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), Zed::Stacks

=head1 LICENCE

GPL-2.0-or-later

=cut
