# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of docs/coming-from.md with perf's numbers and ours: each is what perf and the analyses print of that recording, and the
# sentences' numbers are there.  Without it a reader compares numbers that are of different things, as a page says that they are one.
#
# of: docs/coming-from.md scripts/sched-summary.pl scripts/off-cpu.pl scripts/waits.pl scripts/syscalls.pl
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::PerfRules qw(hist_of_perf totals_of_perf);
use Files;
use Run::Docs;
use Run::Program qw(zed_tmp);
use Run::Zedperl;

my $PID = 133;
my $file = zed_tmp() . '/all.data';
Run::Docs::perf_of_all($file);

sub ms { return sprintf '%.3f', $_[0] / 1e6 }

# ---- ours

sub rows {
	my ($script) = @_;
	my $r = zedperl({ bare => 1 }, $file, $script, '--by', 'pid', '--json', '--limit', 0);
	my $tables = JSON::PP::decode_json($r->{out})->{tables};
	return grep { ($_->{pid} // $_->{who} // -1) == $PID } @{$tables->{$script eq 'syscalls' ? 'calls' : $script eq 'waits' ? '' : 'tasks'}{rows} // $tables->{tasks}{rows}};
}
my ($summary) = rows('sched-summary');
my ($waits) = rows('waits');
my %off = map { $_->{what} => $_->{total} } rows('off-cpu');
my %calls = map { $_->{name} => $_ } rows('syscalls');
my ($runtime) = lines(zedperl({ bare => 1 }, $file, \"my \$sum = Zed::sum('sched:sched_stat_runtime', 'runtime', where => 'pid == $PID'); sub trace_end { print \$sum->get }")->{out});
my %ours = (
	'sched-summary `slices`' => $summary->{n}, 'sched-summary `run`' => ms($summary->{run}),
	'off-cpu `sleeps` and `waits, woken`' => ms($off{sleeps} + $off{'waits, woken'}),
	'off-cpu `waits, left ready` and `waits, preempted`' => ms($off{'waits, left ready'} + ($off{'waits, preempted'} // 0)),
	'waits `total` of `woken` and `new`' => ms($off{'waits, woken'} + $off{'waits, new'}), 'the sum of sched_stat_runtime' => ms($runtime),
	'waits `n`' => $waits->{n}, 'waits `avg`' => ms($waits->{avg}), 'waits `max`' => ms($waits->{max}),
	'syscalls `total`' => ms($calls{wait4}{total}), 'syscalls `errors`' => $calls{wait4}{errors},
);

# ---- perf's

my %theirs;
SKIP: {
	skip 'perf is not here (apt-get install linux-perf)', 1 if !grep { -x "$_/perf" } split /:/, $ENV{PATH};
	my ($hist) = map { [(split ' ')[2 .. 7]] } grep { /^\s+:$PID\s/ } Compare::PerfRules::perf(qw(sched timehist -f -s --state -i), $file);
	my ($latency) = grep { /^\s+:$PID:/ } Compare::PerfRules::perf(qw(sched latency -f -i), $file);
	my $calls = totals_of_perf($file);
	@theirs{map { "timehist `$_`" } qw(sched-in run-time sleep iowait preempt delay)} = @$hist;
	@theirs{map { "latency `$_`" } 'Runtime', 'Switches', 'Avg delay', 'Max delay'} =
		$latency =~ /\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms \| max:\s*([\d.]+) ms/;
	$theirs{'trace `calls` of clone'} = $calls->{"$PID clone"}{n};
	$theirs{'trace `total` of wait4'} = ms($calls->{"$PID wait4"}{total});
	$theirs{'trace `errors` of wait4'} = $calls->{"$PID wait4"}{errors};
	$theirs{'trace, rt_sigreturn'} = $calls->{"$PID rt_sigreturn"}{n} // '-';
}

my $rows = 0;
my $text = slurp('docs/coming-from.md');
for ($text =~ /^\| ((?:timehist|latency|trace)[ ,].*) \|$/mg) {
	my ($perf, $n, $here, $own, $why) = split / \| /;
	my $is = $here eq 'syscalls `n`' ? $calls{$perf =~ /(\w+)\z/ ? $1 : ''}{n} : $ours{$here};
	$rows++;
	is($own, $is, "$perf: here $here");
	is($n, $theirs{$perf}, "... and there") if %theirs;
	like($why, qr/\A(?:yes|what|so is|theirs|no|where|its)\b/, '... and says whether that is the same');
}
is($rows, 13, 'rows of the table (else: it is not found, and nothing is compared)');
my ($sleep, $wait) = $text =~ /a sleep \(([\d.]+)\).*the wait for a CPU \(([\d.]+)\)/;
is("$sleep $wait", join(' ', map { ms($off{$_}) } 'sleeps', 'waits, woken'), 'a sleep and the wait after it');

done_testing();
