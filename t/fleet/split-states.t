# SPDX-License-Identifier: GPL-2.0-or-later
#
# split-states: zedperl --map --part, and -j of one trace: the states of parts, and what is not cut. Without it a part that
# was run again counts twice, or a script is cut in two that must not be.
#
# of: programs/zedperl reader interp/perl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Fleet;
use Run::FleetSplit;
use Run::Program qw(same);

my $tmp = temp_dir();
my $script = script_of('all', $AGGREGATIONS);

# ---- a worker is killed ----

my $dat = 't/data/process.dat';
my $whole = fleet_run($dat, $script)->{out};
like($whole, qr/^order 0: .+^quantiles of /ms, 'what is compared is there');
my $kills = spew("$tmp/kills.pl", slurp($script) . "my \$once = '$tmp/killed';\nif (!-e \$once) { open my \$f, '>', \$once; close \$f; kill 9, \$\$ }\n");
my $r = fleet_run('-j', 3, $kills, $dat);
ok(-e "$tmp/killed", 'a process was killed');
is_deeply([$r->{out}, $r->{status}], [$whole, 0], 'and its part is run again, and counts once') or diag $r->{err};

# A state that an earlier run has left, and that is not whole.
my @again = ('-j', 2, '--resume', "$tmp/again", $script, $dat);
is(fleet_run(@again)->{out}, $whole, '--resume');
spew($_, 'x') for glob "$tmp/again/*.state";
$r = fleet_run(@again);
is_deeply([@$r{qw(out err status)}], [$whole, "zedperl: run as a whole, as the state of part 1 of 2 is damaged\n", 0], '... with states that are damaged: the answer, and why it takes longer');

# ---- states of parts ----

sub part { my ($part, @more) = @_; return fleet_run('--map', '--part', $part, @more, $dat, $script)->{out} }
sub reduce { my (@states) = @_; return fleet_run('--reduce', $script, spew("$tmp/states", join '', @states)) }
my $all = fleet_run('--map', $dat, $script)->{out};
my @third = map { part("$_/3") } 1 .. 3;
same(reduce(@third[2, 0, 1])->{out}, $whole, '--part: any order');
same(reduce(@third, $third[1], $third[2])->{out}, $whole, 'a part that comes twice counts once');
same(reduce($all, @third)->{out}, $whole, 'the whole and its parts: the whole (else: twice the events)');
same(reduce(@third[0, 1], $all)->{out}, $whole, '... and some of them');
$r = reduce(@third, part('2/4'));
is_deeply([$r->{out}, $r->{status}], [$whole, 1], 'a part of another number of parts is left out (else: events of both are counted twice)');
like($r->{err}, qr/is of a trace that other states have in other parts/, '... and that is said');
for my $few ([0], [0, 2], [1, 2]) {
	$r = reduce(@third[@$few]);
	is($r->{status}, 1, "of three parts only @$few: 1 (else: a task that failed is missing, and all was well)");
	like($r->{err}, qr/^zedperl: \S+: of its trace only ${\ scalar @$few} of 3 parts are there: the others are missing in the answer\n\z/, '... and that is said');
}
my $two = fleet_run('--reduce', '--map', $script, spew("$tmp/two", join '', @third[0, 1]))->{out};
same(reduce($two, $third[2])->{out}, $whole, 'in a tree');
my $joined = fleet_run('--reduce', '--map', $script, spew("$tmp/three", join '', @third))->{out};
is(($joined =~ /"id":"(.*?)"/)[0], ($all =~ /"id":"(.*?)"/)[0], 'all parts together are the trace');
is(scalar(() = $joined =~ /"id":/g), 1, '... one');
same(reduce($joined, $all)->{out}, $whole, '... which counts once');
my ($start) = fleet_run('-e', 'sub trace_begin { print Zed::start() + int((Zed::end() - Zed::start()) / 3) }', $dat)->{out};
my $late = fleet_run('--start', "${start}ns", $dat, $script)->{out};
isnt($late, $whole, 'a part of the time');
same(fleet_run('-j', 3, '--start', "${start}ns", $script, $dat)->{out}, $late, '--start: parts of what it leaves');
my @times = split ' ', fleet_run('-e', 'sub trace_unhandled { printf "%d%09d ", @_[2, 3] }', $dat)->{out};
my ($at, $span) = ($times[@times / 2], 1000000);
my @around = ('--start', $at - $span . 'ns', '--end', $at + $span . 'ns');
same(fleet_run('-j', 2, @around, $script, $dat)->{out}, fleet_run(@around, $dat, $script)->{out}, 'an event just where a part begins is in that one alone');
like(fleet_run(@$_)->{err}, qr/^zedperl: .*part/, "refused: @$_") for map { ['--map', '--part', $_, $dat, $script] } qw(0/3 4/3 1 1/ x/3 1/3x 1/99999 -1/3);
like(fleet_run(@$_)->{err}, qr/^zedperl: (?:--head does not go with )?--part/, "refused: @$_") for ['--part', '1/2', $dat, $script], ['-j', 2, '--part', '1/2', $script, $dat], ['--map', '--part', '1/2', '--head', 3, $dat, $script],
	['--map', '--part', '1/2', '-i', $dat, '-i', 't/data/demo.dat', $script];

is(fleet_run('-j', @$_, '--pid', 0, $script, $dat)->{err}, '', "-j @$_ --pid: no word of tasks that were not met (else: the reduce misses them, which sees no event)") for [1], [2];

my $named = fleet_run('--comm', 'sh,k*', $dat, $script)->{out};
isnt($named, $whole, '--comm: a part of the tasks');
same(fleet_run('-j', $_, '--comm', 'sh,k*', $script, $dat)->{out}, $named, "-j $_ --comm: of each part (else: all tasks are counted)") for 1, 3;

my @hand = ('--start', $at . 'ns', '--end', $at . 'ns');
$r = fleet_run('-j', 7, @hand, $script, $dat);
is_deeply([@$r{qw(out err status)}], [@{fleet_run(@hand, $dat, $script)}{qw(out err status)}], 'parts without an event say nothing of it');

# ---- what is not cut ----

my $silent = spew("$tmp/silent.pl", <<'END');
my $last;
my %n;
sub trace_unhandled { my ($event) = @_; $n{"$last $event"}++ if $last; $last = $event }
sub trace_state { return \%n }
sub trace_merge { my ($s) = @_; $n{$_} += $s->{$_} for keys %$s; return }
sub trace_end { print "$_: $n{$_}\n" for sort keys %n; return }
END
$r = fleet_run('-j', 2, $silent, $dat);
is_deeply([@$r{qw(out status)}], [@{fleet_run($silent, $dat)}{qw(out status)}], 'a script that does not say it may: one process');
like($r->{err}, qr/^zedperl: \Q$dat\E: one trace, one process: the subs of .*"# zedperl: keeps no state over time", .*"# zedperl: answers for parts of the time"$/m, '... says what would allow parts');
$r = fleet_run('--map', '--part', '1/2', $dat, $silent);
is_deeply([$r->{status}, $r->{out}], [2, ''], '... and has no part');
like($r->{err}, qr/^zedperl: the subs of \S*silent\.pl may keep something of an event for a later one; .*"# zedperl: keeps no state over time", .*"# zedperl: answers for parts of the time"$/m, '... which is said');
my $onces = spew("$tmp/onces.pl", 'sub trace_begin { print STDERR "begun\n" } sub sched::sched_switch { $n++ }');
unlike(fleet_run('-j', 3, $onces, $dat)->{err}, qr/begun.*begun/s, '... which is known before its trace_begin (else: what that does is done for nothing)');

# Which keys are kept depends on all that came before; so does what comes behind a Zed::stop.
my $crowd = spew("$tmp/crowd.pl", 'sub trace_begin { Zed::count("sched:sched_switch", by => "common_pid", max_keys => $ENV{KEYS}); Zed::count("sched:sched_switch") }');
my $keys = (() = fleet_run('-e', 'Zed::count("sched:sched_switch", by => "common_pid")', $dat)->{out} =~ /^ *\d+ +\d+$/mg);
for my $most (1, 3, int $keys / 2, $keys - 1, $keys, 3 * $keys) {
	local $ENV{KEYS} = $most;
	my $one = fleet_run($dat, $crowd);
	for my $n (2, 3) {
		$r = fleet_run('-j', $n, $crowd, $dat);
		is_deeply([@$r{qw(out status)}], [@$one{qw(out status)}], "max_keys $most of $keys, in $n: the keys that one process keeps (else: others)");
		if ($most < $keys) { like($r->{err}, qr/one trace, one process: .*max_keys|one trace, one process: .*the keys of all parts may be more than are kept/, '... said') }
		elsif ($most > 2 * $keys) { is($r->{err}, '', '... by parts') }
	}
	$r = fleet_run('--map', '--part', '1/2', $dat, $crowd);
	is_deeply([$r->{status}, $r->{out}], [2, ''], "max_keys $most: no part has a state") if $most < 3;
}
my $stops = spew("$tmp/stops.pl", qq(# zedperl: keeps no state over time\nuse Zed; my \$n = Zed::count('sched:sched_switch'); sub sched::sched_process_exit { Zed::stop() if \$_[4] =~ /^s/ } sub trace_end { \$n->print }));
my $one = fleet_run($dat, $stops);
isnt($one->{out}, fleet_run('-e', 'my $n = Zed::count("sched:sched_switch"); sub trace_end { $n->print }', $dat)->{out}, 'a script that stops');
$r = fleet_run('-j', 3, $stops, $dat);
is_deeply([@$r{qw(out status)}], [@$one{qw(out status)}], '... ends the whole (else: each part goes on until it stops itself)') or diag $r->{err};
like($r->{err}, qr/one trace, one process: the script ends the run/, '... said');

# ---- what is cut, and without a word of the script ----

is_deeply([@{fleet_run('-j', 4, 'countall', $dat)}{qw(out err status)}], [@{fleet_run($dat, 'countall')}{qw(out err)}, 0], 'countall says it');

my @counts = ('-e', 'sub trace_begin { Zed::count("sched:sched_switch", by => "comm"); Zed::quantiles("sched:sched_process_exec", "pid") }');
$r = fleet_run('-j', 3, @counts, $dat);
is_deeply([@$r{qw(out err status)}], [@{fleet_run(@counts, $dat)}{qw(out err)}, 0], 'nothing but aggregations: by parts');
my @pairs = ('--synthetic', q(a:b start=sched:sched_process_fork end=sched:sched_process_exit match='start.child_pid == end.pid' took='end.ts - start.ts'), '-e', 'Zed::hist("a:b", "took")');
$r = fleet_run('-j', 4, @pairs, $dat);
is_deeply([@$r{qw(out err status)}], [@{fleet_run(@pairs, $dat)}{qw(out err)}, 0], '... of pairs that an option defines');
like($r->{out}, qr/\d/, '... which are there');
my $calls = spew("$tmp/calls.pl", <<'END');
# zedperl: keeps no state over time
my %n;
Zed::synthetic('a:b', start => 'sched:sched_process_fork', end => 'sched:sched_process_exit', match => 'start.child_pid == end.pid', fields => [child => 'start.child_pid', took => 'end.ts - start.ts']);
sub a::b { my ($event, $cpu, undef, undef, $sequence, $pid, $comm, $child, $took) = @_; $n{"$cpu $sequence $pid $comm $child $took"}++ }
sub trace_state { return \%n }
sub trace_merge { my ($s) = @_; $n{$_} += $s->{$_} for keys %$s; return }
sub trace_end { print "$_ $n{$_}\n" for sort keys %n; return }
END
$whole = fleet_run($calls, $dat);
like($whole->{out}, qr/^\d+ \d+ \d+ /, 'a sub for pairs');
for my $n (2, 5) { is_deeply([@{fleet_run('-j', $n, $calls, $dat)}{qw(out err status)}], [@$whole{qw(out err status)}], "... in $n parts: each pair once, as it is in the whole") }
my $cut = spew("$tmp/cut.dat", substr slurp($dat), 0, -5000);
my ($c1, $c3) = map { fleet_run('-j', $_, $script, $cut) } 1, 3;
is_deeply([@$c3{qw(out status)}], [@$c1{qw(out status)}], 'a damaged trace: the answer of one process');
is(scalar(() = $c3->{err} =~ /^zedperl: 1 trace was read with damage/mg), 1, '... and its damage is told once');

done_testing();
