# SPDX-License-Identifier: GPL-2.0-or-later
#
# parts-waits: the analyses of waits, stacks and of what is in a trace, of parts of it (--map --part K/N): together they are
# the answer of the whole, in each form and with options that choose; and what has no parts is refused. Without it a
# wait that two parts share counts twice, or a warning is lost on the way.
#
# of: scripts/waits.pl scripts/wakeup-latency.pl scripts/stacks.pl scripts/summary.pl lib/Zed programs/zedperl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Pass;
use Run::Fleet;
use Run::FleetParts;
use Run::Program qw(same);

my %OF = (
	waits => [[qw(rt demo lost)], ['--by', 'pid,cpu', '--strict-loss'], []],
	'wakeup-latency' => [[qw(demo rt lost)], ['--worst', 2]],
	stacks => [[qw(stack function_stack amd64-kt2/a15_kt_stack)], []],
	summary => [[qw(demo armhf_lost lost)], []],
);
for my $analysis (small(1, undef) ? 'waits' : sort keys %OF) {
	my ($names, @ways) = @{$OF{$analysis}};
	my @traces = recordings_of(@$names);
	for my $trace (small() ? $traces[0] : @traces) {
		parts_agree($analysis, $trace, @{$_ // []}) for $trace eq $traces[0] ? @ways : $ways[-1];
	}
}

# ---- with options that choose: of a time of the trace, of a CPU, and where kinds of events are left out ----

my $demo = 't/data/demo.dat';
my ($start, $end) = split ' ', fleet_run('-e', 'sub trace_begin { my ($s, $e) = (Zed::start(), Zed::end()); printf "%d %d\n", $s + ($e - $s) / 5, $e - ($e - $s) / 5 }', $demo)->{out};
for my $with (['--start', "${start}ns", '--end', "${end}ns"], ['--cpu', 0], ['--event', 'sched:sched_switch']) {
	is(parts_differ('waits', $demo, 3, $with), undef, "waits @$with: the parts of what is chosen (else: the shares of a window are those of all)") if !small();
}

# ---- each form ----

my @states = parts_of('waits', $demo, 3);
my $of_all = temp_dir() . '/whole.state';
fleet_run('--map', '-o', $of_all, $demo, 'waits');
for my $form ([], ['--exact'], ['--csv'], ['--csv=worst'], ['--limit', 2]) {
	same(reduced('waits', \@states, @$form)->{out}, fleet_run($demo, 'waits', @$form)->{out}, "waits @$form: as of the whole");
}
for my $form (qw(html svg)) {
	my @files = map { temp_dir() . "/page.$_.$form" } qw(parts whole);
	reduced('waits', \@states, "--$form", $files[0]);
	reduced('waits', [$of_all], "--$form", $files[1]);
	my ($parts, $whole) = map { join '', map { slurp($_) =~ s/page\.(?:parts|whole)//gr } sort glob s/\.$form\z/*.$form/r } @files;
	cmp_ok(length $parts, '>', 100, "--$form is there");
	same($parts, $whole, "--$form of the parts: as that of the state of the whole");
}

# ---- what has no parts, and what must be seen ----

my $r = fleet_run('--map', '--part', '1/2', $demo, 'why-late', '--task', 'sh', '--start', '1', '--end', '2');
is_deeply([$r->{status}, $r->{out}], [2, ''], 'a chain over a time of its own: 2');
like($r->{err}, qr/the whole of that time, and has no parts/, '... said why');
$r = fleet_run('--map', '--part', '1/2', $demo, 'ltt-schedule');
is_deeply([$r->{status}, $r->{out}], [2, ''], 'a script that does not say it answers for parts: 2');
like($r->{err}, qr/may keep something of an event for a later one; .*"# zedperl: answers for parts of the time"$/m, '... said what would allow it');
$r = fleet_run('-j', 2, 'waits', $demo);
is_deeply([@$r{qw(out status)}], [@{fleet_run($demo, 'waits')}{qw(out status)}], '-j of one trace: the answer of one process');
like($r->{err}, qr/one trace, one process: .*--part/, '... which is said');

# Each mistake: states that are not followed from before the part, or not cut.
my $calls = script_with('summary', 'defined $ts ? !Zed::Asked::at($ts) : ', '');
isnt(parts_differ($calls, 't/data/armhf_lost.dat', 3), undef, 'losses that count in each part: seen');

done_testing();
