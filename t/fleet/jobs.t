# SPDX-License-Identifier: GPL-2.0-or-later
#
# jobs: zedperl -j: many traces by several processes. Without it a trace that fails, that comes twice, or whose process
# is killed could take others with it, or be forgotten.
#
# of: programs/zedperl/fleet
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Fleet;
use Run::Program qw(zed_tmp slurp spew same);

my $tmp = zed_tmp();
my @traces = map { "t/data/$_.dat" } small([qw(demo rt process lost)], [qw(demo rt process lost multibuf block stack armhf_lost be_lost date sparse_cpus misc)])->@*;

# What a test put into the file stdin is its standard input.
sub jobs { return fleet_run({ -e "$tmp/stdin" ? (stdin => "$tmp/stdin") : () }, @_) }

# The answer by states of single traces, put together by hand.
sub alone {
	my ($script, @of) = @_;
	my $states = join '', map { jobs('--map', $_, $script)->{out} } @of;
	return jobs('--reduce', $script, spew("$tmp/states", $states))->{out};
}

# ---- the answer ----

# All that keep traces apart: t/fleet/groups.t.
my %want;
for my $script (small() ? 'wakeup-latency' : qw(wakeup-latency syscalls countall)) {
	my $want = $want{$script} = alone($script, @traces);
	my $r = jobs('-j', 1, $script, @traces);
	same($r->{out}, $want, "$script: by one process, several traces in one (else: traces of a process get mixed)");
	is($r->{status}, 0, "$script: 0") or diag $r->{err};
	same(jobs('-j', 3, $script, reverse @traces)->{out}, $want, "$script: by three, in another order");
}
my $want = $want{'wakeup-latency'};

# ---- lists ----

same(jobs('-j', 2, '--files-from', spew("$tmp/list", join "\n", @traces), 'wakeup-latency')->{out}, $want, 'a list with lines');
spew("$tmp/stdin", join "\0", @traces, '');
same(jobs('-j', 2, '--files-from', '-', 'wakeup-latency')->{out}, $want, 'a list on standard input, with NULs as find -print0 makes it');
same(jobs('-j', 2, 'wakeup-latency', @traces, @traces[3, 0])->{out}, $want, 'traces that come twice count once');
like(jobs('-j', 2, 'wakeup-latency', @traces, '--', '--json')->{out}, qr/\A\{.*"traces":${\ scalar @traces}\b/, 'arguments of the script stand behind --');
is(jobs('-j', 2, '-e', 'Zed::count("sched:sched_switch")', @traces[0, 1])->{out}, jobs('--reduce', '-e', 'Zed::count("sched:sched_switch")',
	spew("$tmp/e.states", join '', map { jobs('--map', '-e', 'Zed::count("sched:sched_switch")', $_)->{out} } @traces[0, 1]))->{out}, '-e');
my $state = jobs('-j', 2, '--map', 'wakeup-latency', @traces)->{out};
same(jobs('--reduce', 'wakeup-latency', spew("$tmp/all.state", $state))->{out}, $want, 'with --map: the state of all');

# ---- failures ----

spew("$tmp/none.dat", 'no trace');
my $r = jobs('-j', 2, 'wakeup-latency', @traces, "$tmp/none.dat", "$tmp/missing.dat");
same($r->{out}, $want, 'a trace that cannot be read costs itself (else: those that were with it are gone)');
is($r->{status}, 1, 'exit status 1');
like($r->{err}, qr{^zedperl: \Q$tmp\E/none\.dat: failed \(2\): .+\n(?:.*\n)*zedperl: 2 of @{[2 + @traces]} traces failed$}m, 'failures are listed, with what they said');
$r = jobs('-j', 2, 'wakeup-latency', "$tmp/none.dat");
is_deeply([$r->{status}, $r->{out}], [2, ''], 'nothing but failures: 2');
my $kills = spew("$tmp/kills.pl", <<"END");
my \$n = Zed::count('sched:sched_switch');
sub trace_begin { if (Zed::ncpus() && Zed::start() == FIRST && !-e '$tmp/killed') { open my \$f, '>', '$tmp/killed'; kill 9, \$\$ } }
sub trace_end { \$n->print }
END
my $first = jobs('-e', 'sub trace_begin { print Zed::start() }', $traces[1])->{out};
spew($kills, slurp($kills) =~ s/FIRST/$first/r);
spew("$tmp/killed", '');
my $whole = jobs('-j', 2, $kills, @traces[0 .. 3])->{out};
unlink "$tmp/killed";
$r = jobs('-j', 2, $kills, @traces[0 .. 3]);
same($r->{out}, $whole, 'a process that is killed is run again (else: out of memory once, and a trace is missing)');
is($r->{status}, 0, 'and that is no failure');
ok(-e "$tmp/killed", 'it was killed');

# ---- each by itself ----

$r = jobs('-j', 2, '--each', 'countall', @traces[0 .. 2]);
same($r->{out}, join("\n", map { "==> $_ <==\n" . jobs($_, 'countall')->{out} } @traces[0 .. 2]), '--each: an answer of each, in their order');

# ---- going on ----

mkdir "$tmp/dir";
same(jobs('-j', 2, '--resume', "$tmp/dir", 'wakeup-latency', @traces)->{out}, $want, '--resume: the first time');
my %made = map { $_ => (stat)[9] . ' ' . (stat _)[1] } glob "$tmp/dir/*.state";
my ($gone) = sort keys %made;
unlink $gone;
same(jobs('-j', 2, '--resume', "$tmp/dir", 'wakeup-latency', @traces)->{out}, $want, 'a second time, with one state missing');
is_deeply([grep { $_ ne $gone && $made{$_} ne (stat)[9] . ' ' . (stat _)[1] } sort keys %made], [], 'what was there is not made again');
ok(-e $gone, 'what was missing is');
is(scalar(() = glob "$tmp/dir/*"), scalar keys %made, 'and nothing else is left');

like(jobs(@$_)->{err}, qr/^zedperl: /, "refused: @$_") for ['-j', 0, 'countall', 'x'], ['-j', 2, 'countall'], ['--each', $traces[0], 'countall'], ['-j', 2, '-i', $traces[0], 'countall'],
	['-j', 2, '--reduce', 'countall', 'x'], ['-j', 2, '-t', 'x'];

# ---- synthetic events that only some of the traces have the events for ----

my $some = spew("$tmp/some.pl", <<'END');
use Zed;
my ($soft, $wait);
$soft = eval { Zed::synthetic('p::soft', start => 'irq:softirq_entry', end => 'irq:softirq_exit', match => 'start.cpu == end.cpu') };
$wait = eval { Zed::synthetic('p:wait', start => 'sched:sched_waking', end => 'sched:sched_switch', match => 'start.pid == end.next_pid') };
sub trace_end { print "$_->[0] ", $_->[1]->counts->{started}, "\n" for grep { $_->[1] } ['soft', $soft], ['wait', $wait]; return }
END
my %each = map { my $out = fleet_run({}, "t/data/$_.dat", $some)->{out}; ($_ => { split ' ', $out }) } qw(demo process);
ok($each{demo}{soft} && $each{demo}{wait} && !exists $each{process}{soft} && $each{process}{wait}, 'a trace has both kinds of pairs, another one of them');
for my $list ([qw(demo process)], [qw(process demo)], ['process']) {
	my $r = fleet_run({}, '-j', 1, '--map', $some, map { "t/data/$_.dat" } @$list);
	my $all = fleet_run({}, '--reduce', $some, spew("$tmp/some.state", $r->{out}));
	my ($s, $w) = (0, 0);
	($s, $w) = ($s + ($each{$_}{soft} // 0), $w + $each{$_}{wait}) for @$list;
	is($all->{out}, "soft $s\nwait $w\n", "@$list: each has the counts of its own name (else: those of another, which came first)") or diag $all->{err}, $r->{err};
}

done_testing();
