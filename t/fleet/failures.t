# SPDX-License-Identifier: GPL-2.0-or-later
#
# failures: zedperl -j where something is wrong: with the command line, a trace, the disk, or what an earlier run has left.
# Without it a thousand traces are asked, and what one of them said, or that it said nothing, is gone.
#
# of: programs/zedperl/fleet
# runs: make check
use strict;
use warnings;
use Test::More;
use File::Spec ();
use lib 't/lib';
use Run::Fleet;
use Run::Process;
use Run::Program qw(zed_bin zed_tmp slurp spew same);

my $zedperl = zed_bin('zedperl');
my $tmp = zed_tmp();
my ($demo, $rt) = map { "t/data/$_.dat" } qw(demo rt);
my $cut = spew("$tmp/cut.dat", substr slurp($demo), 0, 20000);
mkdir $_ or die for map { "$tmp/$_" } qw(tmp states);
$ENV{TMPDIR} = "$tmp/tmp";

# To OUT; with a limit of processes if there is one.
sub run_to {
	my ($out, $program, @args) = @_;
	return fleet_run({ program => $program, $out eq "$tmp/out" ? () : (stdout => $out) }, @args);
}

# ---- the command line ----

for (['-j', 2, $demo, 'countall'], ['--reduce', $demo, 'x']) {
	my $r = fleet_run(@$_);
	is($r->{status}, 2, "$_->[0]: the trace before the script: 2 (else: it crashes)");
	like($r->{err}, qr/^zedperl: \Q$demo\E is a trace where a script is expected: zedperl (?:-j N SCRIPT TRACE\.\.\.|--reduce SCRIPT FILE\.\.\.) --$/m, 'and what stands where is said');
}
for (['-j', 2, 'wakeup-latency', $demo, '--json'], ['--reduce', 'wakeup-latency', $demo, '--json']) {
	like(fleet_run(@$_)->{err}, qr/script's options come after --: zedperl (?:-j N SCRIPT TRACE|--reduce SCRIPT FILE)\.\.\. -- --json$/m, "$_->[0]: where a script's options stand is said (else: he is sent to another form)");
}
like(fleet_run('-j', 2, '--every', '5s', 'countall', $demo)->{err}, qr/--every -j needs --each/, '--every is refused once (else: by each process, for each trace)');
for (['--metrics', '127.0.0.1:0'], ['--metrics-file', "$tmp/m.prom"]) {
	my $refused = fleet_run('-j', 2, @$_, 'countall', $demo, $rt);
	is($refused->{status}, 2, "-j $_->[0]: 2");
	same($refused->{err} =~ s/\n.*//sr, "zedperl: $_->[0] does not go with -j: they are those of one run, and -j has several at a time", "-j $_->[0] is refused once, with the reason (else: all processes want one port)");
}
my $r = fleet_run('-j', 2, '--files-from', $tmp, 'countall');
like($r->{err}, qr/\Q$tmp\E: cannot read the list of traces: Is a directory/, 'a list that cannot be read is told as that (else: "no trace given")');
$r = fleet_run('-j', 2, '--resume', $cut, 'countall', $demo);
is($r->{status}, 2, 'a folder for states that is a file: 2');
like($r->{err}, qr/\Q$cut\E: cannot make the folder for states: Not a directory/, 'is told before anything is run');

# One trace whose clock counts ticks costs itself (else: its ticks are added to the ns of others, or a thousand traces have no answer).
my $ticks = fleet_run('-j', 1, 'wakeup-latency', $demo, 't/data/clock_tsc.dat', $rt);
is($ticks->{out}, fleet_run('-j', 1, 'wakeup-latency', $demo, $rt)->{out}, 'a trace in ticks among others in ns: the answer is of the others');
is($ticks->{status}, 1, '... exit status 1');
like($ticks->{err}, qr/is left out: its clock is x86-tsc \(ticks\), that of the others global \(ns\): their times cannot be added$/m, '... and why');

# ---- what is left ----

fleet_run('-j', 2, 'countall', $demo, $rt);
fleet_run('-j', 2, 'countall', $demo, "$tmp/missing");
fleet_run('-j', 2, 'countall', "$tmp/missing");
fleet_run('-j', 2, '--each', 'countall', $demo, "$tmp/missing");
fleet_run('-j', 2, '--stable', "$tmp/missing", 'countall', $demo);
is_deeply([glob "$tmp/tmp/*"], [], 'nothing is left in TMPDIR (else: states of every run fill the disk)');

my $busy = fleet_start({}, '-j', 2, '-e', 'Zed::count("sched:sched_switch"); sub sched::sched_switch { open my $f, ">", $ARGV[0]; my $e = time + 2; 1 while time < $e }', $demo, $rt, '--', "$tmp/busy");
wait_until(60, sub { -e "$tmp/busy" });
kill INT => $busy;
is(how_it_ended((reap($busy, 60))[0]), 130, 'Ctrl-C while processes are busy in a handler: 130');
is_deeply([glob "$tmp/tmp/*"], [], 'and nothing is left either (else: it does not wait for them)');

# The end after a signal is waited for as long as there is progress; a disk that is busy shows none.
SKIP: {
	skip 'the slow disk is a shim, which a sanitizer has to come before', 2 if $ENV{ZED_SAN};
	unlink "$tmp/busy";
	my $slow = { LD_PRELOAD => File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so'), ZED_SHIM => 'unlink=700' };
	$busy = fleet_start({ env => $slow }, '-j', 2, '-e', 'sub sched::sched_switch { open my $f, ">", $ARGV[0]; select undef, undef, undef, 0.1 }',
		$demo, $rt, '--', "$tmp/busy");
	wait_until(60, sub { -e "$tmp/busy" });
	kill INT => $busy;
	is(how_it_ended((reap($busy, 120))[0]), 130, 'Ctrl-C where names are removed slowly: 130');
	is_deeply([glob "$tmp/tmp/*"], [], '... and nothing is left (else: a busy disk fills with folders of stopped runs)');
}

# ---- what was said ----

$r = fleet_run('-j', 2, '-e', 'Zed::count("sched:sched_switch"); sub trace_begin { warn "it warns\n" }', $demo, $rt);
is($r->{status}, 0, 'a script that warns: 0');
is(() = $r->{err} =~ /^it warns$/mg, 2, 'what it says of each trace is seen (else: warnings are lost)');
$r = fleet_run('-j', 2, 'countall', $rt, $cut);
is($r->{status}, 1, 'a damaged trace: 1');
like($r->{err}, qr/^zedperl: \Q$cut\E: offset 0x4e20: the file ends here.*^zedperl: 1 trace was read with damage$/ms, 'which one, and where, is said (else: one of ten thousand is to be found by hand)');
$r = fleet_run('-j', 2, '--each', '-e', 'sub sched::sched_switch { die "boom\n" }', $demo);
like($r->{err}, qr/^zedperl: \Q$demo\E: failed \(255\): boom\n    while in sched::sched_switch/m, 'why a script died comes first (else: only where)');
$r = fleet_run('-j', 2, 'countall', "$tmp/missing");
like($r->{err}, qr/^zedperl: \Q$tmp\E\/missing: failed \(2\): .*No such file/m, 'and that a file is not there');

$r = fleet_run('-j', 2, '-e', 'Zed::count("sched:sched_switch"); sub trace_begin { kill 9, $$ }', $demo);
is($r->{status}, 2, 'a process that is killed each time: its trace has failed');
like($r->{err}, qr/^zedperl: \Q$demo\E: was killed \(signal 9\)$/m, 'that it was killed is said (else: a number, 137)');

# ---- a script that is wrong, and what all traces say ----

my @before = glob "$tmp/tmp/*";
for (['no Perl' => 'sub {{'], ['a missing string end' => 'print "x'], ['a missing module' => 'use No::Such::Module;']) {
	my ($what, $code) = @$_;
	my $alone = fleet_run('-e', $code, $demo);
	for my $each ([], ['--each']) {
		my $many = fleet_run('-j', 2, @$each, '-e', $code, $demo, $rt, $cut, "$tmp/missing");
		is($many->{status}, $alone->{status}, "@$each $what: the status of one run");
		same($many->{err}, $alone->{err}, "@$each $what: perl's message, once (else: for each of ten thousand traces)");
		is($many->{out}, '', "@$each $what: no answer");
	}
}
is_deeply([glob "$tmp/tmp/*"], \@before, 'and nothing is left of these (else: what was begun fills the disk)');
$r = fleet_run('-j', 2, '-e', 'Zed::on("block:unplug_timer", sub { }); Zed::count("sched:sched_switch")', $demo, $rt, 't/data/process.dat');
is(() = $r->{err} =~ /not available/g, 1, 'what each trace lacks is said once (else: a line for each)') or diag $r->{err};
like($r->{err}, qr/not available: .* \(from 3 traces\)$/m, 'with how many lack it');
$r = fleet_run('-j', 1, 'wakeup-latency', map { "t/data/$_.dat" } qw(demo rt process lost multibuf block armhf_lost be_lost));
unlike($r->{err}, qr/bare numbers|another task/, 'traces of several machines are apart (else: a false alarm for each part)') or diag $r->{err};
$r = fleet_run('-j', 2, '--each', '-e', 'sub trace_end { print "answer\n"; exit 1 }', $demo);
is($r->{status}, 1, "a script's exit 1: 1");
same($r->{err}, "zedperl: $demo: failed (1)\nzedperl: 1 of 1 traces failed\n", 'is told as its exit 3 is (else: the trace is said to be damaged)');
like($r->{out}, qr/^answer$/m, 'and its answer is there');

# ---- each ----

my $one = fleet_run($demo, 'countall')->{out};
same(fleet_run('-j', 2, '--each', 'countall', $demo, $demo, $demo)->{out}, join("\n", ("==> $demo <==\n$one") x 3), '--each: a trace that is named again is answered again (else: with nothing)');
SKIP: {
	skip 'no /dev/full', 2 if !-c '/dev/full';
	my $full = run_to('/dev/full', $zedperl, '-j', 2, '--each', 'countall', $demo, $rt);
	is($full->{status}, 1, '--each on a full disk: 1 (else: the answers are gone, and all was well)');
	like($full->{err}, qr/No space left/, 'and that is said');
}

# ---- a script that ends the run ----

my $five = 'Zed::count("sched:sched_switch"); sub sched::sched_switch { END_IT if ++$x == 5 }';
my $ends = sub { my ($how) = @_; return $five =~ s/END_IT/$how/r };
for (['Zed::stop()' => '-e', $ends->('Zed::stop()')], ['--head' => '--head', 5, '-e', $ends->('0')]) {
	my ($what, @args) = @$_;
	$r = fleet_run('--map', @args, $demo);
	like($r->{out}, qr/^zed-state-1/, "--map, $what: a state of what came until then (else: the trace is missing, and all was well)");
	$r = fleet_run('-j', 2, @args, $demo, $rt);
	is_deeply([@$r{qw(out err status)}], ["count, sched:sched_switch\ncount\n   10\n", '', 0], "-j, $what: so of each trace") if $what ne '--head';
}
$r = fleet_run('--map', '-e', $ends->('exit 0'), $demo);
is_deeply([@$r{qw(out err status)}], ['', "zedperl: no state: the script has ended the run itself, by exit\n", 1], '--map, exit 0: 1, and why (else: an empty state, and all was well)');
$r = fleet_run('-j', 2, '-e', 'our $n = Zed::count("sched:sched_switch"); sub trace_begin { exit 0 }', $demo, $rt);
like($r->{err}, qr/^zedperl: \Q$demo\E: failed \(1\): no state: the script has ended the run itself, by exit$/m, '-j, exit 0: the trace has failed (else: a file in TMPDIR cannot be opened)');
$r = fleet_run('-j', 2, '-e', 'use POSIX (); our $n = Zed::count("sched:sched_switch"); sub trace_begin { POSIX::_exit(0) }', $demo, $rt);
is($r->{err}, join('', map { "zedperl: $_: has left no state (a script that calls POSIX::_exit or exec ends before it)\n" } $demo, $rt) . "zedperl: 2 of 2 traces failed\n", '-j, a process that ends without a word');
is($r->{status}, 2, '... 2');
for my $how ('POSIX::_exit(0)', 'POSIX::_exit(1)', 'exec "true"', 'fork ? POSIX::_exit(0) : exit 0') {
	$r = fleet_run('-j', 2, '--each', '-e', "use POSIX (); \$| = 1; sub trace_begin { print qq(begun\n) } sub trace_end { $how if Zed::clock() }", $demo, $rt);
	is($r->{status}, 1, "--each, $how: 1 (else: an answer that is cut off passes for a whole one)");
	my $why = $how =~ /1/ ? qr/failed \(1\)/ : qr/has left no whole answer \(a script that calls POSIX::_exit or exec ends before it\)/;
	like($r->{err}, qr/^zedperl: \Q$demo\E: $why\nzedperl: \Q$rt\E: $why\nzedperl: 2 of 2 traces failed\n\z/m, '... and why');
	is($r->{out}, "==> $demo <==\nbegun\n\n==> $rt <==\nbegun\n", '... with what there is of it');
}
$r = fleet_run('-j', 2, '--each', '-e', 'sub trace_end { if (my $pid = fork) { waitpid $pid, 0; print "whole\n"; exit 0 } print "child\n"; exit 3 }', $demo);
is_deeply([@$r{qw(out err status)}], ["==> $demo <==\nchild\nwhole\n", '', 0], '--each, a script that forks, and exit 0: whole');

$r = fleet_run('-j', 2, '-e', 'sub sched::sched_switch { $n++ } sub trace_state { return { n => $n, big => [$n == 133 ? ("y" x 1024) x 66000 : ()] } } ' .
	'sub trace_merge { $n += $_[0]{n} } sub trace_end { print "$n\n" }', $demo, $rt);
like($r->{err}, qr/^zedperl: \Q$demo\E: failed \(1\): the state has 6\d MiB, and a line that --reduce reads has at most 64: let the script keep less/m, 'a state that is too large to be read fails its trace, by name (else: a file in TMPDIR has a line that is too long)');
like($r->{err}, qr/^zedperl: 1 of 2 traces failed\n\z/m, '... which is counted');
is($r->{status}, 1, '... 1');

# ---- a disk that is full ----

SKIP: {
	mkdir "$tmp/small" or die;
	skip 'only root can mount a small disk', 2 if $> != 0 || system("unshare -m mount -t tmpfs -o size=64k none $tmp/small 2>/dev/null") != 0;
	local $ENV{TMPDIR} = "$tmp/small";
	my $code = 'our $n = Zed::count("sched:sched_switch"); sub sched::sched_switch { warn "x" x 3000, "\n" }';
	my $full = run_to("$tmp/out", 'unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=64k none "$TMPDIR" && exec "$@"', 'sh', $zedperl, '-j', 2, '-e', $code, $demo, $rt);
	isnt($full->{status}, 0, 'TMPDIR is full: no success');
	like($full->{err}, qr/^zedperl: \Q$tmp\E\/small\/zedperl\.\w+: no space is left for the states \(set TMPDIR to a directory with room\)$/m, 'and that is said (else: a trace has failed, for no reason)');
}

# ---- no process ----

SKIP: {
	skip 'only root can be a user without processes', 3 if $> != 0 || system('setpriv --reuid=64999 --clear-groups true 2>/dev/null') != 0;
	chmod 0777, "$tmp/tmp" or die;
	chmod 0755, $tmp or die;
	# To the shell itself one process belongs.
	my $few = run_to("$tmp/out", 'setpriv', '--reuid=64999', '--clear-groups', 'bash', '-c', 'ulimit -u 1; exec "$@"', 'bash', $zedperl, '-j', 2, '--each', '-e', 'sub trace_end { print "answer\n" }', '/dev/null', '/dev/zero');
	skip 'the program cannot be run by another user', 3 if $few->{status} == 126 || $few->{status} == 127;
	isnt($few->{status}, 0, 'no process can be started: no success (else: traces are left out, and all was well)');
	like($few->{err}, qr/cannot start a process: /, 'that is said');
	like($few->{err}, qr/^zedperl: 2 of 2 traces failed$/m, 'and how many that costs');
}

# ---- what an earlier run has left ----

sub resumed { return fleet_run('-j', 2, '--resume', "$tmp/states", 'countall', $rt, $cut) }
my $first = resumed();
my $again = resumed();
is($again->{status}, 1, '--resume: a state of a damaged trace: 1 the second time as well (else: the damage is forgotten)');
same($again->{err}, $first->{err}, 'with the same words');
my ($path) = sort glob "$tmp/states/*.state";
my $line = slurp($path);
for (['cut off' => substr $line, 0, 100], ['empty' => ''], ['of many lines' => $line x 500], ['no state' => "\0" x 1000]) {
	my ($what, $text) = @$_;
	unlink $path;
	spew($path, $text);
	my $mended = resumed();
	same($mended->{out}, $first->{out}, "--resume: a state that is $what is made anew (else: its trace is missing for ever)");
	is($mended->{status}, 1, "--resume: $what: the status is that of the first time");
	same(slurp($path), $line, "--resume: $what: it is whole again");
}

my %before = map { $_ => (stat)[1] } glob "$tmp/states/*.state";
fleet_run('-j', 5, '--resume', "$tmp/states", 'countall', $rt, $cut);
is_deeply({ map { $_ => (stat)[1] } glob "$tmp/states/*.state" }, \%before, '--resume with another number of processes finds what is there (else: all is run again)');

done_testing();
