# SPDX-License-Identifier: GPL-2.0-or-later
#
# --comm: tasks by name.  An analysis has the rows that it has of the whole trace; of a task that changes its name, what it
# does under that name.  Without it a name chooses events, and the answer is made of what is left of them.
#
# of: scripts lib/Zed run/filter/comm_list.c interp/api/asked.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Run::Zedperl;
use Write::Miniature;

# ---- real recordings
my %of = (of => 'docs/shell.dat', table => 'tasks', key => [qw(comm pid what kind)], most => small(2, 40));
my %waits = (%of, ends => [qw(n total)], largest => ['max']);
my %single = (%of, args => ['--worst', 10_000, '--limit', 0], table => 'worst', key => [qw(at cpu pid)]);
my %all = (of => 't/data/all_events.dat');

choice_has_its_rows($_, '--comm', 'comm') for
	{ %of, analysis => 'sched-summary', args => ['--by', 'pid'], cut => ['run'], ends => [qw(n voluntary preempted resched migrations)], largest => ['max'] },
	{ %waits, analysis => 'waits', args => ['--by', 'pid,comm,kind'] },
	{ %waits, analysis => 'wakeup-latency' },
	{ %waits, analysis => 'off-cpu', args => ['--by', 'pid'] },
	{ %single, analysis => 'irq', of => 't/data/armhf_multibuf.dat', ends => [qw(own total)] },
	{ %single, analysis => 'softirq', ends => [qw(own total)] },
	{ %single, analysis => 'workqueue', table => 'longest', ends => [qw(time own)] },
	{ %single, analysis => 'workqueue', table => 'slowest', ends => [qw(wait held)] },
	{ %single, analysis => 'syscalls', of => 't/data/demo.dat', ends => ['took'] },
	{ %single, analysis => 'function-graph', of => 't/data/fgraph.dat', ends => ['time'], key => [qw(at cpu function)] },
	{ %of, %all, analysis => 'page-faults', args => ['--by', 'pid'], ends => [qw(n user kernel)] };
choice_has_its_rows({ %waits, analysis => 'who-wakes-whom', table => 'edges', key => [qw(waker woken)] }, '--comm', 'woken');
choice_has_its_rows({ %of, %all, analysis => 'kmem', args => ['--by', 'task'], table => 'slabs', key => ['who'], ends => [qw(n asked got)] }, '--comm', 'who');

# ---- a task that runs another program while it is on the CPU
my $exec = miniature(<<'END', cmdlines => "20 sh\n");
0 0 0 switch 0 R 10=sh | 5 0 10 enter 1 | 10 0 10 rename 10=sh cat | 20 0 10 exit 1 1 | 30 0 10 switch 10=cat S 0
40 0 0 waking 10=cat | 50 0 0 switch 0 R 10=cat | 60 0 10 switch 10=cat S 20=sh | 70 0 20 waking 10=cat | 85 0 20 switch 20=sh S 10=cat
90 0 10 switch 10=cat S 0
END

sub rows {
	my ($options, $script, @own) = @_;
	my $r = zedperl({ bare => 1 }, @$options, $exec, $script, '--json', @own);
	my $tables = (eval { JSON::PP::decode_json($r->{out}) } or diag $r->{err})->{tables};
	return $tables->{tasks}{rows} // $tables->{calls}{rows} // [];
}

sub events { my (@options) = @_; return lines(zedperl({ bare => 1 }, @options, $exec, \'Zed::on("*:*", args => ["ts"], sub { printf "%d\n", ($_[0] - 1e9) / 1000 })')->{out}) }

is_deeply([events('--comm', 'sh')], [5, 10, 70, 85], 'events of a name: the rename itself is the last under the old one, and of another task');
is_deeply([events('--comm', 'cat')], [20, 30, 60, 90], '... and of the new one');
is_deeply([events('--comm', 'cat', '--pid', 10)], [20, 30, 60, 90], 'with --pid: what both let through');
is_deeply([events('--comm', 'sh', '--pid', 10)], [5, 10], '... of a task under one of its names');
is_deeply([events('--comm', 's*,c?t')], [5, 10, 20, 30, 60, 70, 85, 90], 'patterns');
is_deeply([events('--comm', 'sh', '--comm', 'cat')], [5, 10, 20, 30, 60, 70, 85, 90], 'given twice: both');
is_deeply([events('--comm', '<idle>')], [0, 40, 50], 'the idle tasks');
is_deeply([map { [@$_{qw(comm run)}] } @{rows(['--comm', 'cat'], 'sched-summary')}], [['cat', 45_000]], 'sched-summary: all of the task, by its last name');
is_deeply([map { [@$_{qw(comm run)}] } @{rows(['--comm', 'sh'], 'sched-summary')}], [['sh', 25_000]], '... and not by its first');
is_deeply([map { [@$_{qw(comm n total)}] } @{rows(['--comm', 'cat'], 'wakeup-latency')}], [['cat', 2, 25_000]], 'waits: under that name');
is_deeply(rows(['--comm', 'sh'], 'wakeup-latency'), [], '... and not under another');
is_deeply([map { [@$_{qw(name n)}] } @{rows(['--comm', 'cat'], 'syscalls')}], [['write', 1]], 'a call counts by the name that its task has where it ends');
is_deeply(rows(['--comm', 'sh'], 'syscalls'), [], '... not where it began');

# ---- what a script is told, and the reader of an answer
my $ask = zedperl({ bare => 1 }, '--comm', 'sh,Web Content', '--pid', '10,11', $exec, \<<'END');
use Zed::Asked;
print join('|', @{Zed::asked()->{comms}}), "\n", Zed::Asked::words(), "\n", Zed::Asked::is_part_of_all() ? 1 : 0, "\n",
	join(' ', map { Zed::Asked::task(@$_) ? 1 : 0 } [10, 'sh'], [10, 'cat'], [12, 'sh'], [11, 'Web Content'], [11, undef], [undef, 'sh']), "\n";
END
is($ask->{out}, "sh|Web Content\ntasks 10, 11; tasks named sh, Web Content\n1\n1 0 0 1 0 0\n", 'Zed::asked, Zed::Asked: what is asked for') or diag $ask->{err};
like(zedperl({ bare => 1 }, '--comm', 'cat', $exec, 'waits')->{out}, qr/; task named cat\b/, 'the head of an answer says it (else: a part is taken for all)');
like(zedperl({ bare => 1 }, '--comm', 'cta', $exec, 'waits')->{err}, qr/^zedperl: --comm cta: no event of a task with this name/m, 'a name that no task has is said');

my $lanes = zedperl({ bare => 1 }, '--comm', 'cat', $exec, \'my $t = Zed::timeline(); sub trace_end { print map { "$_->[0] $_->[1]\n" } @{$t->answer(0, 0)->{tasks}} }');
is($lanes->{out}, "cat 10\n", 'the tasks of a page: those that had the name') or diag $lanes->{err};

done_testing();
