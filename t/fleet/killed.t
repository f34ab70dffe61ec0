# SPDX-License-Identifier: GPL-2.0-or-later
#
# killed: what is left when zedperl -j, or one of its processes, is killed.  Without it states of dead runs fill the disk,
# those of living ones are removed, or processes work on for nobody.
#
# of: programs/zedperl/fleet
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use Fcntl qw(:flock);
use File::Path ();
use POSIX ();
use Time::HiRes qw(sleep);
use lib 't/lib';
use Pass;
use Run::Fleet;
use Run::Process;
use Run::Program qw(zed_tmp slurp spew same);

my $tmp = zed_tmp();
my ($demo, $rt) = map { "t/data/$_.dat" } qw(demo rt);
mkdir "$tmp/$_" or die for qw(tmp states);
$ENV{TMPDIR} = "$tmp/tmp";

sub start { return fleet_start({}, @_) }
sub left { return glob "$tmp/tmp/*" }

# It tells its process's number, and then does nothing for long, unless KILLED is there.
my $slow = spew("$tmp/slow.pl", <<'END');
my $n = Zed::count('sched:sched_switch');
sub trace_begin {
	open my $to, '>>', "$ENV{TMPDIR}/../pids" or die;
	syswrite $to, "$$\n";
	if (!-e "$ENV{TMPDIR}/../killed") { my $end = time + 60; select undef, undef, undef, 0.02 while time < $end }
}
sub trace_end { $n->print }
END

# A -j with two processes that wait; their numbers.
sub start_slow {
	my (@args) = @_;
	unlink "$tmp/pids", "$tmp/killed";
	my $pid = start('-j', 2, @args, $slow, $demo, $rt);
	wait_until(60, sub { -e "$tmp/pids" && (() = slurp("$tmp/pids") =~ /\n/g) == 2 }) or diag 'it does not begin: ' . slurp("$tmp/err");
	return ($pid, split ' ', slurp("$tmp/pids"));
}

# ---- a process ----

my $r = fleet_run('-j', 2, '-e', 'Zed::count("sched:sched_switch"); sub trace_begin { kill 9, $$ }', $demo, $rt);
is($r->{status}, 2, 'processes that are killed each time');
is_deeply([left()], [], 'leave nothing behind (else: what they began to write fills the disk)');
fleet_run('-j', 2, '--resume', "$tmp/states", '-e', 'Zed::count("sched:sched_switch"); sub trace_begin { kill 9, $$ }', $demo, $rt);
is_deeply([glob "$tmp/states/*"], [], 'nor in the folder of --resume');

# ---- all of it ----

my ($pid, @busy) = start_slow();
is(@busy, 2, 'two processes are at work');
my ($folder) = left();
kill KILL => $pid;
waitpid $pid, 0;
ok(wait_until(60, sub { !grep { kill 0, $_ } @busy }), 'kill -9 of -j: its processes end too (else: they work on for nobody)');
is_deeply([left()], [$folder], 'what they had is there still');
# -j waits for seconds for what it ends: the small pass goes no further.
done_testing(), exit if small();

my ($living) = start_slow();
is(scalar(my @now = left()), 1, 'the next -j removes it (else: states of each killed run fill the disk)') or diag join "\n", left();
isnt($now[0], $folder, 'and has one of its own');
spew("$tmp/killed", '');
my $whole = fleet_run('-j', 2, $slow, $demo, $rt);
is($whole->{status}, 0, 'one beside a living one ends well');
is_deeply([left()], \@now, 'and lets its folder be (else: the states of a run that goes on are gone)');
kill TERM => $living;
waitpid $living, 0;
is_deeply([left()], [], 'which removes it itself');

# ---- what is no folder of a dead run ----

my %stays = (
	'zedperl.aaaaaa' => 'without a lock: it may be about to get one',
	'zedperl.bbbbbb' => 'of another host',
	'zedperl.cccccc' => 'whose lock is a link',
	'zedperl.longer1' => 'with a name that is another',
	'zedperl.dddddd' => 'with a file of somebody else',
);
my $host = (POSIX::uname())[1];
for my $name (sort keys %stays) {
	mkdir "$tmp/tmp/$name" or die;
	spew("$tmp/tmp/$name/traces-1.state", 'a state');
}
spew("$tmp/tmp/zedperl.bbbbbb/lock", "not-$host");
spew("$tmp/mine", $host);
symlink "$tmp/mine", "$tmp/tmp/zedperl.cccccc/lock" or die;
spew("$tmp/tmp/zedperl.$_/lock", $host) for qw(longer1 dddddd);
spew("$tmp/tmp/zedperl.dddddd/other", 'somebody put it there');
symlink "$tmp/tmp/zedperl.longer1", "$tmp/tmp/zedperl.eeeeee" or die;
fleet_run('-j', 2, 'countall', $demo, $rt);
for my $name (sort keys %stays) {
	ok(-d "$tmp/tmp/$name", "a folder $stays{$name} stays");
}
ok(-e "$tmp/tmp/$_/traces-1.state", "$_: with what is in it (else: files of others are removed)") for qw(zedperl.aaaaaa zedperl.bbbbbb zedperl.cccccc zedperl.longer1);
ok(-e "$tmp/tmp/zedperl.dddddd/other", 'what is none of ours stays in any');
File::Path::remove_tree(left());

# ---- going on ----

(my $going, @busy) = start_slow('--resume', "$tmp/states");
kill KILL => $going;
waitpid $going, 0;
wait_until(60, sub { !grep { kill 0, $_ } @busy });
isnt(scalar(() = glob "$tmp/states/*"), 0, '--resume, kill -9: something was begun');
spew("$tmp/killed", '');
spew("$tmp/states/other.state.abcdef", 'of somebody else');
$r = fleet_run('-j', 2, '--resume', "$tmp/states", $slow, $demo, $rt);
is($r->{out}, $whole->{out}, 'the same command goes on');
is_deeply([grep { !/traces-[0-9a-f]{16}\.state\z/ } glob "$tmp/states/*"], ["$tmp/states/other.state.abcdef"], 'and only states stay there, and what is not its own');

# At any moment: whatever was there, the answer is that of one run.
my @traces = map { "t/data/$_.dat" } qw(demo rt process lost multibuf block stack armhf_lost be_lost date sparse_cpus misc);
my $want = fleet_run('-j', 2, 'syscalls', @traces);
srand($ENV{FLEET_SEED} // 17);
my $kills = 0;
for my $round (1 .. 12) {
	my $at = start('-j', 2, '--resume', "$tmp/states", 'syscalls', @traces);
	sleep rand 0.15;
	$kills += kill KILL => $at;
	waitpid $at, 0;
	next if $round % 4;
	$r = fleet_run('-j', 2, '--resume', "$tmp/states", 'syscalls', @traces);
	is_deeply([@$r{qw(out err status)}], [@$want{qw(out err status)}], "killed $kills times: going on gives the answer of one run (else: a state that is half there counts)");
	is_deeply([grep { !/\.(?:state|err)\z/ && !/other/ } glob "$tmp/states/*"], [], 'with nothing else left');
	unlink grep { /traces-/ && rand() < 0.7 } glob "$tmp/states/*.state";
}

done_testing();
