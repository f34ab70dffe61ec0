# SPDX-License-Identifier: GPL-2.0-or-later
#
# --every of the analyses: an interval is a window, and has the answer of that window.  Without it what is shown of the
# last second is of all the time before, or a wait and an event at the border are in two intervals or in none.
#
# of: lib/Zed/Intervals.pm lib/Zed/Report.pm lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Frames.pm lib/Zed/Waits.pm run/synthetic scripts
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Run::Zedperl;
use Write::Miniature;

# ---- each analysis: of a recording in which it finds something
my @all = (
	['docs/shell.dat', 'sched-summary', ['--by', 'pid'], 'tasks', [qw(pid)], cut => ['run'], ends => [qw(n voluntary preempted)]],
	['docs/shell.dat', 'waits', ['--by', 'pid,kind'], 'tasks', [qw(pid kind)], cut => ['in'], ends => [qw(n total)], whole => 0],
	['t/data/be_lost.dat', 'irq', ['--by', 'cpu'], 'irqs', [qw(irq name cpu)], cut => [qw(total own)], ends => ['n'], placeless => 1],
	['docs/shell.dat', 'softirq', [], 'softirqs', ['name'], cut => [qw(total own)], ends => ['n']],
	['docs/shell.dat', 'syscalls', [], 'calls', ['name'], ends => [qw(n total errors)]],
	['t/data/block.dat', 'block', [], 'phases', [qw(dev phase)], ends => [qw(n total)]],
	['t/data/be_lost.dat', 'lost', [], 'cpus', ['cpu'], ends => [qw(n events)], cut => ['hidden'], placeless => 1],
	['t/data/lost.dat', 'waits', [], undef, [], placeless => 1],
	small() ? () : (
		['docs/shell.dat', 'off-cpu', ['--by', 'pid'], 'tasks', [qw(pid comm what)], ends => [qw(n total)]],
		['docs/shell.dat', 'wakeup-latency', [], 'tasks', ['comm'], ends => [qw(n total)]],
		['docs/shell.dat', 'who-wakes-whom', [], 'edges', [qw(waker woken)], ends => [qw(n total)]],
		['docs/shell.dat', 'why-late', [], undef, []],
		['docs/shell.dat', 'workqueue', [], 'runs', ['key'], ends => [qw(n total own)]],
		['docs/shell.dat', 'timers', [], 'hrtimers', ['function'], ends => [qw(n total)]],
		['docs/shell.dat', 'summary', [], 'events', ['event'], ends => ['n']],
		['t/data/fgraph.dat', 'function-graph', [], 'functions', ['function'], ends => [qw(n total)]],
		['t/data/misc.dat', 'kmem', [], 'slabs', ['who'], ends => [qw(n asked got freed)]],
		['t/data/misc.dat', 'page-faults', [], 'tasks', ['comm'], ends => ['n']],
		['t/data/stack.dat', 'stacks', [], 'stacks', ['stack'], ends => ['weight']],
		['t/data/misc.dat', 'power', [], 'states', ['state'], ends => [qw(n total)]],
		['t/data/rt.dat', 'softirq', [], 'softirqs', ['name'], cut => [qw(total own)], ends => ['n']],
		['t/data/be_lost.dat', 'sched-summary', [], undef, [], placeless => 1],
		['t/data/lost.dat', 'off-cpu', [], undef, [], placeless => 1],
	),
);
for (@all) {
	my ($of, $analysis, $args, $table, $key, %columns) = @$_;
	# Without a window there is no column for what of a wait is in it.
	delete $columns{cut} if exists $columns{whole};
	intervals_are_windows({ of => $of, analysis => $analysis, args => $args, table => $table, key => $key, %columns });
}

# ---- borders
my $dat = miniature(join ' | ', map { "$_ 0 10 waking 20" } 1000, 1200, 1999, 2000, 2500, 3999, 4000, 9100, 9200);
sub summary { return zedperl({ bare => 1 }, '-i', $dat, 'summary', '--every', '1ms', @_) }
my @lines = map { [split /,/] } lines(summary('--csv=events')->{out});
is(join(' ', @{$lines[0]}[0 .. 3]), 'interval_start interval_end event n', '--csv: rows have the time of their interval, and one head (else: they cannot be told apart)');
is(join(' ', map { join('-', map { $_ / 1000 - $lines[1][0] / 1000 } @$_[0, 1]) . ":$_->[3]" } @lines[1 .. $#lines]),
	'0-1000:3 1000-2000:2 2000-3000:1 3000-8000:1 8000-8200:2', 'an event at a border is in the interval that begins there, and in no other');
my @text = lines(summary()->{out});
my @of = map { $text[$_] =~ /^\S+ \S+ from (\S+) to (\S+)$/ ? [$_, $1, $2] : () } 0 .. $#text;
is(join(' ', map { "$_->[1]-$_->[2]" } @of), '1.001000000-1.002000000 1.002000000-1.003000000 1.003000000-1.004000000 1.004000000-1.009000000 1.009000000-1.009200000',
	'as text each has its time, once');
is(join(' ', map { $text[$_->[0] + 1] } @of), 'CPUs CPUs CPUs CPUs CPUs', 'above its tables (else: it is taken for that of the next)');
like(summary('--total')->{out}, qr/\A\S+ \S+ from 1\.001000000 to 1\.009200000\nCPUs\n/, '--total has it there, too');
is(zedperl({ bare => 1 }, '-i', $dat, 'summary', '--every', '1000us', '--csv=events')->{out}, zedperl({ bare => 1 }, '-i', $dat, 'summary', '--every', '1ms', '--csv=events')->{out},
	'--every in microseconds (else: a short trace has no intervals)');
my $total = summary('--every', '1m', '--csv=events', '--total')->{out};
is((map { (split /,/)[1] } grep { /waking/ } lines($total))[-1], 9, '--total: the last answer is of all of it') or diag $total;
like(summary('--html', 'x.html')->{err}, qr/--html and --svg are of one answer/, '--html with --every is refused (else: a page of the last interval)');
like(zedperl({ bare => 1 }, '-i', $dat, 'summary', '--total')->{err}, qr/--total goes with --every/, '--total alone is refused');

# ---- a mistake in what is put aside would be seen
my ($differ) = intervals_differ({ of => 'docs/shell.dat', analysis => 'calls', program => script(<<'END') }, 4);
use Zed; use Zed::Report;
my (%rows, %kept);
our $report = Zed::Report->new(name => 'calls', answer => sub {
	$report->table('calls', columns => [['pid', 'pid', 'int'], ['n', 'n', 'int']], rows => [map { { pid => $_, n => $rows{$_} } } sort keys %rows]);
	return $report->window;
});
$report->counts(\%kept);
Zed::on('syscall:exit', args => ['pid'], sub { $rows{$_[0]}++ });
sub trace_begin { $report->begin }
sub trace_end { $report->end }
END
ok(scalar @$differ, 'counts that go on are seen');

done_testing();
