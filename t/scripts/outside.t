# SPDX-License-Identifier: GPL-2.0-or-later
#
# A time that a trace has nothing of.  Without it an answer is headed by a time that nobody asked for, and sends to what
# should have been recorded, which was.
#
# of: lib/Zed/Report.pm lib/Zed/Report/Window.pm lib/Zed/Answer.pm lib/Zed/Asked.pm lib/Zed/Intervals.pm interp/Zed/Fleet.pm
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Process ();
use Run::Zedperl;
use Write::Miniature;
use Write::ZedStream;

# From 1 s to 1.001 s; 6 sleeps from 1.0001 on.
my $dat = miniature('0 0 5 switch 5 S 6 | 100 0 6 switch 6 S 5 | 1000 0 5 waking 9');
my $TRACE = 'the trace is from 1.000000000 to 1.001000000';

sub text { my ($analysis, @options) = @_; return zedperl({ bare => 1 }, @options, $dat, $analysis)->{out} }

for (['from 2.000000000 on', '--start', '2'], ['up to 0.500000000', '--end', '0.5'], ['from 2.000000000 to 3.000000000', '--start', '2', '--end', '3'],
	['from 1.999000000 to 2.001000000', '--around', '2,1ms'], ['from 2.000000000 on', '--start', '+1s']) {
	my ($words, @options) = @$_;
	my $out = text('irq', @options);
	like($out, qr/^none of the time \Q$words\E: \Q$TRACE\E$/m, "@options: the heading has the time that was asked for, and that of the trace (else: 0 ns at another time)");
	like($out, qr/^nothing to show: the time that was asked for is outside of the trace$/m, 'which is why there is nothing (else: it seems not to be recorded)');
}
like(text('irq', '--start', '2', '--cpu', '0'), qr/^none of the time from 2.000000000 on: \Q$TRACE\E; CPU 0$/m, 'and the CPUs');
like(text('irq', '--start', '1.0002', '--end', '1.0003'), qr/^100 us from 1.000200000 to 1.000300000$/m, 'a time in the trace without events is headed by that time');
like(text('irq', '--start', '1.0002', '--end', '9'), qr/^800 us from 1.000200000 to 1.001000000$/m, 'of one that reaches beyond it, what the trace has');

# The message says when the trace has events, whichever of them the script takes.
my $few = miniature('0 0 5 waking 9 | 100 0 5 irq 1 | 101 0 5 irqx 1 | 1000 0 5 waking 9');
my $takes = 'sub irq::irq_handler_entry { } sub trace_end { print "end\n" }';
for (['--start', '2', 'after the end'], ['--end', '0.5', 'before the beginning']) {
	my ($option, $ts, $where) = @$_;
	is(zedperl({ bare => 1 }, $option, $ts, '-e', $takes, $few)->{err}, "zedperl: $option $ts.000000000 is $where of the trace: its events are from 1.000000000 to 1.001000000\n" =~ s/0\.5\.0{9}/0.500000000/r,
		"$option: the trace's times (else: those of the script's events are taken for them)");
}
is(zedperl({ bare => 1 }, '--start', '1.0005', '-e', $takes, $few)->{err}, '', 'a time in the trace is not beside it because the events of the script are (else: a message that is wrong)');

# As numbers: no time, where it was asked for; the same by a state.
for ([2_000_000_000, '--start', '2'], [500_000_000, '--end', '0.5'], [2_000_000_000, '--start', '2', '--end', '3']) {
	my ($at, @options) = @$_;
	my $data = chosen(\@options, 'irq', $dat)->{data};
	is("$data->{start} $data->{end}", "$at $at", "@options --json: no time, where it was asked for");
	my $state = temp_path('.state');
	zedperl({ bare => 1 }, '--map', '-o', $state, @options, $dat, 'irq');
	my $merged = JSON::PP::decode_json(zedperl({ bare => 1 }, '--reduce', 'irq', $state, '--', '--json')->{out});
	is("$merged->{start} $merged->{end}", "$at $at", 'and of its state');
}
like(text('off-cpu', '--start', '5'), qr/^\d+ tasks? (?:was|were) still sleeping at the end, the longest for at least 900 us$/m, 'what goes on at the end is known up to the end of the trace (else: for as long as one asks)');

# Intervals have no time there either.
for (['from 2.000000000 on', '--start', '2'], ['up to 0.500000000', '--end', '0.5']) {
	my ($words, @options) = @$_;
	my @heads = grep { /^none of the time|^\S+ \S+ from / } lines(zedperl({ bare => 1 }, @options, $dat, 'irq', '--every', '1ms')->{out});
	is_deeply(\@heads, ["none of the time $words: $TRACE"], "--every @options: one answer");
}

# Of several traces it is said of all of them: read together, or as states.
my $other = miniature('2000 0 5 waking 6');
my @both = map { ('-i', $_) } $dat, $other;
like(zedperl({ bare => 1 }, '--start', '2', @both, 'irq')->{out},
	qr/^none of the time from 2\.000000000 on: the traces are from 1\.000000000 to 1\.002000000\n(?:.*\n)*nothing to show: the time that was asked for is outside of the traces$/m, 'outside of several');
my $NOTHING = qr/^nothing to show: no irq:irq_handler_entry with irq:irq_handler_exit/m;
like(zedperl({ bare => 1 }, @both, 'irq')->{out}, qr/$NOTHING in the traces; /, 'not in the traces (else: which of them?)');
like(text('irq'), qr/$NOTHING in the trace; /, 'of one: the trace');
my @states = map { my $state = temp_path('.state'); zedperl({ bare => 1 }, '--map', '-o', $state, $_, 'irq'); $state } $dat, $other;
like(zedperl({ bare => 1 }, '--reduce', 'irq', @states)->{out}, qr/$NOTHING in the traces; /, 'merged: why there is nothing is said, too (else: an empty table)');
like(zedperl({ bare => 1 }, '--reduce', 'syscalls', map { my $state = temp_path('.state'); zedperl({ bare => 1 }, '--map', '-o', $state, $_, 'syscalls'); $state } $dat, $other)->{out},
	qr/^nothing to show: no \S+ or \S+ with \S+ or \S+ in the traces/m, 'by any analysis');

# A task that takes its name in the trace: what it did before has its former name.
my $renamed = miniature('10 0 5 switch 5 S 6=t5 | 20 0 6 rename 6=t5 late | 30 0 6 enter 0 | 31 0 6 exit 0 8 | 40 0 6 switch 6=late S 5 | 50 1 0 waking 9 | 60 1 0 switch 0 R 9');
my $late = zedperl({ bare => 1 }, '--comm', 'late', $renamed, 'waits')->{out};
like($late, qr/^nothing to show: no sched:sched_switch in what was asked for, or none that makes a row; 'zedperl --pid 6 TRACE waits' has what the tasks did before they took that name$/m,
	'which ones, and how to see it (else: the trace seems to have no such event)');
like(zedperl({ bare => 1 }, '--comm', 'late', $renamed, 'syscalls')->{out},
	qr/^1 task took a name that was chosen in the trace: what it did before is under its former name \(zedperl --pid 6 TRACE syscalls: all of it\)$/m, 'of an answer with rows it is said, too');
unlike(zedperl({ bare => 1 }, @$_, $renamed, 'syscalls')->{out}, qr/took a name/, "@$_: not where the name was no question") for [], ['--pid', 6], ['--comm', 't5'], ['--comm', 't9'];

# Nothing to show: of data for programs a message says so; it is no failure.
for ('--json', '--csv', '--every=1ms --csv') {
	my $r = zedperl({ bare => 1 }, $dat, 'irq', split / /);
	like($r->{err}, qr/^irq: nothing to show: no irq:irq_handler_entry with irq:irq_handler_exit in (?:the trace|what was asked for); 'zedperl TRACE summary' lists/m,
		"$_: a message says why, and what to do next (else: a table of no rows is believed)");
	is(scalar(() = $r->{err} =~ /nothing to show/g), 1, 'once');
	is($r->{status}, 0, 'with status 0, as the manual says');
}
is(zedperl({ bare => 1 }, $dat, 'irq')->{err}, '', 'as text the answer itself has it');
my $some = zedperl({ bare => 1 }, miniature('0 0 5 waking 6 | 5000 0 5 irq 1 | 5001 0 5 irqx 1'), 'irq', '--json', '--every', '1ms');
is($some->{err}, '', 'an interval without rows is not nothing') or diag $some->{out};

# What comes in a pipe has no end that is known before; nothing of it came.
my $stream = Write::ZedStream::from_dat($dat)->write(temp_path('.zed'));
pipe my $from, my $to or die "pipe: $!\n";
my $cat = Run::Process::spawn({ stdout => $to }, 'cat', $stream);
my $run = start({ bare => 1, stdin => $from }, '--start', '2', '-i', '-', 'irq');
close $_ for $from, $to;
my $piped = finish($run);
Run::Process::reap($cat, 30);
like($piped->{err}, qr/--start 2\.000000000 is after the end of the trace: the events that were looked at are from 1\.000000000 to 1\.000100000$/m, 'of a pipe no more is known') or diag $piped->{err};
like($piped->{out}, qr/^no events from 2.000000000 on$/m, 'of a pipe: no events of the time that was asked for') or diag $piped->{err};

done_testing();
