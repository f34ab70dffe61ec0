# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an answer without rows says is missing: the events that are not in the trace, or the option that left them out.
# Without it "no sched:sched_switch in the trace" sends a reader to record what is there.
#
# of: lib/Zed/Report.pm lib/Zed/Needs.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;
use Write::Miniature;

my $SWITCHES = '0 0 0 switch 0 R 10 | 10 0 10 switch 10 S 0 | 20 0 0 switch 0 R 10 | 30 0 10 switch 10 S 0';
my $WAKINGS = '15 0 0 waking 10 | 20 0 0 waking 11';
my $BOTH = '0 0 0 switch 0 R 10 | 10 0 10 switch 10 S 0 | 15 0 0 waking 10 | 20 0 0 switch 0 R 10';
my $RECORD = qr/; 'zedperl TRACE summary' lists what was recorded; to record it: zedtrace --for [\w-]+ -d 10/;

# The reason that SCRIPT gives for its lack of rows, asked by OPTIONS.
sub reason {
	my ($text, $script, @options) = @_;
	my $r = zedperl({ bare => 1 }, @options, miniature($text), $script);
	return $r->{out} =~ /^nothing to show: (.*)$/m ? $1 : "none: $r->{out}$r->{err}";
}

for my $script (qw(wakeup-latency who-wakes-whom why-late)) {
	like(reason($SWITCHES, $script), qr/\Ano sched:sched_waking or sched:sched_wakeup or sched:sched_wakeup_new in the trace$RECORD\z/,
		"$script: only the wakeups are missing (else: the switches are said to be)");
	like(reason($WAKINGS, $script), qr/\Ano sched:sched_switch in the trace$RECORD\z/, "$script: only the switches are (else: both are said to be)");
	is(reason($BOTH, $script, '--event', 'sched:sched_waking'), 'no sched:sched_switch passed --event: run it without --event',
		"$script: --event left the switches out (else: the trace is blamed)");
	is(reason($BOTH, $script, '-F', 'sched:sched_switch: next_pid == 99'), 'no sched:sched_switch passed -F: run it without -F', "$script: and so did -F");
}
like(reason($SWITCHES, 'waits'), qr/\Ano event in the trace makes a row$RECORD\z/, 'waits: the switches are there (else: they are said to be missing)');
like(reason($WAKINGS, 'waits'), qr/\Ano sched:sched_switch in the trace$RECORD\z/, 'waits: they are not');
like(reason($BOTH, 'waits', '--head', 1), qr/\Ano sched:sched_switch in what was asked for, or none that makes a row/, 'of a part that has some nothing is said to be missing');
like(reason("$WAKINGS | 30 0 0 switch 0 R 10", 'waits', '--head', 1), qr/\Ano sched:sched_switch in what was asked for$RECORD\z/,
	'what --head did not read is not said of the trace');
like(reason($WAKINGS, 'workqueue'), qr/\Ano workqueue:workqueue_execute_start or workqueue:workqueue_execution with .* in the trace$RECORD\z/,
	'where none of several sets is there, all are named');

# What an analysis can do without is said by its answer, once, and with the command of the tool that made the trace.
my $perf = 't/data/perf/forks_mono.data';	# of its sched events only the switches
my $EVENTS = '-e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new';
for my $script (qw(waits off-cpu why-late who-wakes-whom workqueue)) {
	my $r = zedperl({ bare => 1 }, $perf, $script);
	is($r->{err}, '', "$script: no message of Zed::on (else: four lines of it stand before the answer)");
	like($r->{out}, qr/; to record it: perf record -a -e [^\n]* sleep 10$/m, '... how to record it with perf (else: zedtrace is named to whom has perf)');
	is(scalar(() = $r->{out} =~ /to record/g), 1, '... once');
}
like(zedperl({ bare => 1 }, $perf, 'waits')->{out},
	qr/^the trace has no sched:sched_waking and no sched:sched_wakeup: waits after a wakeup are not in the answer$/m, 'waits: what is lacking');
like(zedperl({ bare => 1 }, $perf, 'wakeup-latency')->{out}, qr/no sched:sched_waking or .* to record it: perf record -a \Q$EVENTS\E sleep 10$/m, 'each event by its name');
like(zedperl({ bare => 1 }, $perf, 'workqueue')->{out}, qr/ perf record -a -e 'workqueue:\*' -e sched:sched_switch sleep 10$/m, 'a system as a pattern, which the shell does not see');
my $unnamed = zedperl({ bare => 1 }, 't/data/demo.dat', 'who-wakes-whom');
like($unnamed->{out}, qr/^of irq and softirq the begin is not in the trace, which has their names: record irq/m, 'who-wakes-whom: interrupts without a name');
is($unnamed->{err}, '', '... and no message of Zed::on');
unlike(zedperl({ bare => 1 }, miniature('0 0 0 switch 0 R 10 | 10 0 10 switch 10 S 0 | 12 0 0 irq 1 | 15 0 0 hardirq waking 10 | 17 0 0 irqx 1 | 20 0 0 switch 0 R 10'),
	'who-wakes-whom')->{out}, qr/record irq/, '... not where they have one');
done_testing();
