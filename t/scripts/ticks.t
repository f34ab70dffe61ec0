# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces of a clock that does not count ns: times are numbers of its ticks, and the answer says so.  Without it 530712
# ticks are shown as 531 us, and rates are of a second that is none.
#
# of: lib/Zed/Units.pm lib/Zed/Table.pm lib/Zed/Report.pm interp/Zed/Fleet.pm trace/source.c scripts/compare.pl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files qw(slurp);
use Run::Zedperl;
use Write::Miniature;

my ($tsc, $boot) = map { "t/data/clock_$_.dat" } qw(tsc boot);

# What trace-cmd's text says of softirqs: from entry to exit on a CPU.
my (%began, %took);
for (split /\n/, slurp("$tsc.report.txt")) {
	my ($cpu, $ts, $what, $vec, $name) = /\[(\d+)\] (\d+): softirq_(entry|exit): +vec=(\d+) \[action=(\w+)\]/ or next;
	$began{$cpu, $vec} = $ts, next if $what eq 'entry';
	push @{$took{$name}}, $ts - $began{$cpu, $vec} if defined $began{$cpu, $vec};
}
my ($longest) = sort { $b <=> $a } @{$took{TIMER}};

sub text { my ($path, @args) = @_; return zedperl({ bare => 1 }, $path, @args)->{out} }
sub columns { my ($data) = @_; return map { @{$_->{columns}} } values %{$data->{tables}} }

my $NOTE = 'the clock x86-tsc counts ticks, not ns: times of the trace are numbers of ticks, and there are no rates a second; '
	. 'for ns, record with -C mono, or with trace-cmd record --tsc2nsec';
my $data = analysis('softirq', $tsc)->{data};
my ($timer) = grep { $_->{name} eq 'TIMER' } @{$data->{tables}{softirqs}{rows}};
is($timer->{max}, $longest, '--json: the ticks from entry to exit');
is_deeply([grep { $_->{type} =~ /^(?:us|ms|time)\z/ || ($_->{unit} // '') eq 'ns' } columns($data)], [], 'no column is in ns');
is(scalar(grep { ($_->{unit} // '') eq 'ticks' } columns($data)), 11, 'all times say ticks');
is("$data->{trace}{clock} $data->{trace}{times}", 'x86-tsc ticks', 'so does what is known of the trace');
is_deeply([map { "$_->{level}: $_->{text}" } grep { $_->{key} eq 'ticks' } @{$data->{notes}}], ["warning: $NOTE"], 'a warning names the clock, and what to do');
my $text = text($tsc, 'softirq');
like($text, qr/^\Q$NOTE\E\n/, 'text: the warning stands above');
like($text, qr/ own ticks .* max ticks .*\n +1 +TIMER .* $longest /, 'the heads say ticks, the values are whole');
unlike($text, qr/\d [num]s\b/, 'nothing is in ns, us or ms (else: a tick is taken for a ns)');
like($text, qr/^50154520 ticks from 50301719402 to 50351873922$/m, 'the window, as zedprint shows times');
like(text($tsc, 'softirq', '--exact'), qr/ max ticks .*\n +1 +TIMER .* $longest /, '--exact');

# Every analysis that has something to say of that trace.
my %silent;
for my $path (sort glob 'scripts/*.pl') {
	my ($name) = $path =~ m{(\w[\w-]*)\.pl};
	my $script = slurp($path);
	next if $script !~ /^use Zed::Report/m || $script =~ /^# zedperl: reads no trace|which_analysis/m;
	my $out = text($tsc, $name);
	next if $out =~ /^nothing to show/m;
	$silent{$name} = 1 if index($out, $NOTE) < 0 || $out =~ /\ba second\b(?!;)|\/s\b/;
	$silent{$name} = 1 if $name ne 'timers' && $out =~ /\d [num]s\b/;
}
is_deeply([sort keys %silent], [], 'every analysis: the warning, no ns, no rates a second');

# Those that print by themselves.
like(text($tsc, 'ltt-schedule'), qr/ run_ticks +avg_ticks +max_ticks /, 'ltt-schedule');
my $metrics = zedperl({ bare => 1 }, $tsc, 'metrics');
unlike($metrics->{out}, qr/^zed_(?:softirq|wakeup_latency|disk)_seconds/m, 'metrics: no times in seconds');
is($metrics->{err}, "metrics: the clock x86-tsc counts ticks, not ns: no metrics in seconds\n", 'and why');

# What the kernel itself measured is in ns; its runs are in ticks of the clock; jiffies are neither.
my $timers = analysis('timers', $tsc)->{data};
my %unit = map { $_->{key} => $_->{unit} } @{$timers->{tables}{hrtimers}{columns}};
is("$unit{total} $unit{max} $unit{took} $unit{took_max}", 'ns ns ticks ticks', 'timers: each column has its unit');
unlike(text($tsc, 'timers'), qr/a tick is|late ticks/, 'how long a jiffy is cannot be known');
like(text($tsc, 'timers'), qr/late jiffies/, 'and it is called so');

# Functions are timed by the kernel in ns: switches in ticks are not taken from that.
my @counter = (clock => 'counter', version => 7);
my $graph = miniature('10 0 5 call a 0 | 12 0 5 switch 5 S 0 | 30 0 0 switch 0 R 5 | 45 0 5 ret a 0 10 45', @counter);
my $of = analysis('function-graph', $graph)->{data}{tables};
is_deeply([map { [@$_{qw(self total)}] } @{$of->{functions}{rows}}], [[35_000, 35_000]], 'function-graph: the whole time in ns (else: ticks are taken from ns)');
is_deeply([map { "$_->{key} $_->{unit}" } grep { defined $_->{unit} } @{$of->{worst}{columns}}], ['time ns'], 'and no time in ticks that was made of it');
my $irq = miniature('10 0 7 irq 24 | 20 0 7 irqx 24', @counter);
is_deeply([grep { /rate|peak/ } map { $_->{key} } @{analysis('irq', $irq)->{data}{tables}{irqs}{columns}}], [], 'irq: no worst second, which is 1000000000 ticks');
my @slept = ('0 0 5 hrtimer t 20 | 2 0 5 switch 5 S 0 | 30 0 0 expire t 30 | 31 0 0 hardirq waking 5 | 32 0 0 expirex t | 35 0 0 switch 0 R 5 | 40 0 5 switch 5 S 0');
like(text(miniature(@slept), 'why-late'), qr/timer late/, 'why-late: how late a timer was');
unlike(text(miniature(@slept, @counter), 'why-late'), qr/timer late/, 'which is in ns (else: they are taken for ticks)');
my $late = zedperl({ bare => 1 }, $tsc, 'why-late', '--start', '50.32');
is("$late->{status} $late->{err}", "2 why-late: --start '50.32' is not a number of ticks, which the trace's clock counts\nwhy-late: try 'zedperl --help why-late'\n", 'why-late --start');
is(zedperl({ bare => 1 }, $tsc, 'why-late', '--task', 'trace-cmd', '--start', '50320000000')->{err}, '', 'which it takes');

# What the kernel counts, whatever is shown: boot in ns, uptime in 1/100 s (kernel/trace/trace.c, trace_clocks[]).
is_deeply([grep { $_->{key} eq 'ticks' } @{analysis('softirq', $boot)->{data}{notes}}], [], 'boot counts ns, though trace-cmd shows it raw');
my @events = map { [0, 100 * $_, 'mini::tick', $_] } 1 .. 3;
for (['uptime', 0], ['counter', 0], ['ppc-tb', 0], ['local', 1], ['tai', 1]) {
	my ($clock, $ns) = @$_;
	my $dat = trace(events => \@events, version => 7, clock => $clock);
	is(zedperl({ bare => 1 }, $dat, \'sub trace_end { print Zed::duration(200) }')->{out}, $ns ? '200 ns' : '200 ticks', "Zed::duration: $clock");
}

# Options in seconds.
my $every = zedperl({ bare => 1 }, $tsc, 'softirq', '--every', '20ms');
is("$every->{status} $every->{out}", '2 ', '--every is refused');
like($every->{err}, qr/^softirq: --every needs a clock that counts ns, and x86-tsc counts ticks: /, 'and why');
like(text($tsc, 'summary', '--json'), qr/"times":"ticks"/, 'summary too');

# States carry it: --reduce has no trace to ask.
my @states = map { my $to = temp_path(); zedperl({ bare => 1 }, '--map', '-o', $to, $_, 'softirq'); $to } $tsc, $boot;
my $reduced = sub { return zedperl({ bare => 1 }, '--reduce', 'softirq', @_) };
is($reduced->($states[0])->{out}, $text, '--reduce: the same answer');
my $both = $reduced->(@states);
isnt($both->{status}, 0, '--reduce of ticks and ns is refused');
like($both->{err}, qr/its clock is (?:boot \(ns\), that of the others x86-tsc \(ticks\)|x86-tsc \(ticks\), that of the others boot \(ns\)): their times cannot be added/, 'and why');

# compare.
my $unlike = zedperl({ bare => 1 }, 'compare', 'softirq', $tsc, $boot);
is("$unlike->{out}$unlike->{err}", "compare: the times cannot be compared: the clock x86-tsc counts ticks, and boot counts ns\n", 'compare refuses ticks and ns');
isnt($unlike->{status}, 0, 'with a status');
my $like = zedperl({ bare => 1 }, 'compare', 'softirq', $tsc, $tsc)->{out};
like($like, qr/^the clock x86-tsc counts ticks, not ns: times are numbers of ticks, of equal length only in traces of one machine/, 'ticks and ticks: a warning');
unlike($like, qr/\d [num]s\b|\ba second(?!\n)/, 'and no rates, no ns');

done_testing();
