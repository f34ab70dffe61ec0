# SPDX-License-Identifier: GPL-2.0-or-later
#
# lists: what may be among the traces of zedperl -j that is no recording of its own.  Without it one name of ten thousand
# makes the others wait for ever, costs them too, counts twice, or is left out without a word.
#
# of: programs/zedperl/fleet base
use strict;
use warnings;
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Fleet;
use Run::Process;
use Run::Program qw(zed_tmp slurp spew same);

my $tmp = zed_tmp();
my ($demo, $rt) = map { "t/data/$_.dat" } qw(demo rt);
my @count = ('-e', 'Zed::count("sched:sched_switch")');

my $both = fleet_run('-j', 2, @count, $demo, $rt)->{out};
my $one = fleet_run('-j', 2, @count, $demo)->{out};

# ---- FIFOs ----

POSIX::mkfifo("$tmp/fifo", 0600) or die "mkfifo: $!\n";
POSIX::mkfifo("$tmp/other", 0600) or die "mkfifo: $!\n";

# Somebody who begins to write TEXT to a FIFO after some time, and stops.
sub write_late {
	my ($path, $text, $after) = @_;
	return spawn({ child => sub {
		sleep $after;
		if (open my $to, '>', $path) {
			sleep 0.3;	# the reader sees a writer who has not written yet
			syswrite $to, $text;
			close $to or POSIX::_exit(1);
		}
		POSIX::_exit(0);
	} }, 'true');
}

# Both wait for three seconds, at the same time.
my $other = fleet_start({ as => '.other' }, '-j', 1, 'wakeup-latency', $demo, "$tmp/other", $rt, '--', '--json');
my $r = fleet_run('-j', 2, @count, "$tmp/fifo", $demo, $rt);
is($r->{out}, $both, 'a FIFO without a writer costs itself (else: all wait for ever)');
is($r->{status}, 1, '... 1');
like($r->{err}, qr/^zedperl: \Q$tmp\E\/fifo: failed \(2\): \Q$tmp\E\/fifo: no process opened this FIFO for writing within 3 s\nzedperl: 1 of 3 traces failed\n\z/, '... is told as what it is');
$r = fleet_finish({ as => '.other', time => 60 }, $other);
like($r->{out}, qr/"traces":2\b/, '... also where a process gets many traces');
is(() = $r->{err} =~ /no process opened/g, 1, '... it is waited for once (else: with the others, and again alone)');
for (0, 0.5) {
	my $writer = write_late("$tmp/fifo", slurp($rt), $_);
	$r = fleet_run('-j', 2, @count, $demo, "$tmp/fifo");
	is_deeply([@$r{qw(out status)}], [$both, 0], "a FIFO that somebody writes to after $_ s is a trace") or diag $r->{err};
	kill KILL => $writer;
	waitpid $writer, 0;
}
my @writers = (write_late("$tmp/fifo", slurp($rt), 0), write_late("$tmp/other", 'no trace', 0));
$r = fleet_run('-j', 2, 'wakeup-latency', $demo, "$tmp/fifo", "$tmp/other", '--', '--json');
like($r->{out}, qr/"traces":2\b/, 'one beside another that is no trace is read (else: both are run again, and it is empty then)') or diag $r->{err};
waitpid $_, 0 for @writers;
my $writer = write_late("$tmp/fifo", '', 0);
$r = fleet_run('-j', 2, @count, "$tmp/fifo", $demo);
like($r->{err}, qr/\Q$tmp\E\/fifo: the file is empty/, 'whose writer has written nothing: empty');
is($r->{out}, $one, '... costs itself');
waitpid $writer, 0;

# ---- names ----

my $evil = "$tmp/a\n==> b.dat <==\n\e[31mb\x{7f}.dat";
spew($evil, slurp($demo));
my $shown = $evil =~ s/\n/\\n/gr =~ s/\e/\\x1b/r =~ s/\x{7f}/\\x7f/r;
$r = fleet_run('-j', 2, '--each', @count, $evil, $demo);
same($r->{out}, "==> $shown <==\n" . fleet_run(@count, $evil)->{out} . "\n==> $demo <==\n" . fleet_run(@count, $demo)->{out}, '--each: a name with newlines is in one line (else: it looks like the answer of another)');
is(fleet_run('-j', 2, @count, '--files-from', spew("$tmp/list", "$evil\0$rt\0"))->{out}, $both, 'a list with NULs has such names');

# ---- what is none, or the same again ----

my $state = spew("$tmp/demo.state", fleet_run('--map', $demo, 'wakeup-latency')->{out});
symlink "$ENV{PWD}/$demo", "$tmp/link.dat" or die if -e "$ENV{PWD}/$demo";
spew("$tmp/again.dat", slurp($demo));
my $want = fleet_run('-j', 1, 'wakeup-latency', $demo)->{out};
$r = fleet_run('-j', 1, 'wakeup-latency', $demo, "./$demo", "$tmp/again.dat", -e "$tmp/link.dat" ? "$tmp/link.dat" : ());
is_deeply([@$r{qw(out err status)}], [$want, '', 0], 'one trace by several names counts once (else: twice)');
mkdir "$tmp/folder" or die;
spew("$tmp/empty.dat", '');
spew("$tmp/closed.dat", slurp($demo));
chmod 0, "$tmp/closed.dat";
my %why = ("$tmp/folder" => qr/is a directory without a trace.dat/, "$tmp/empty.dat" => qr/is empty/, $state => qr/is a state of zedperl --map, not a trace: zedperl --reduce SCRIPT \Q$state\E/,
	"$tmp/missing.dat" => qr/No such file/, $> ? ("$tmp/closed.dat" => qr/Permission denied/) : ());
$r = fleet_run('-j', 1, 'wakeup-latency', (sort keys %why), $demo);
is_deeply([@$r{qw(out status)}], [$want, 1], 'what is no trace costs itself');
like($r->{err}, qr/^zedperl: \Q$_\E: failed \(2\): .*$why{$_}/m, 'and it is said why: ' . s{.*/}{}r) for sort keys %why;
$r = fleet_run('--reduce', 'wakeup-latency', $demo, $state);
is_deeply([@$r{qw(out status)}], [$want, 1], '--reduce: a trace among states costs itself');
is($r->{err}, "zedperl: $demo: is a trace, and --reduce reads states: zedperl --map $demo SCRIPT makes one: left out\n", '... and is named as one (else: each of its lines is told as no state)');
for ([], ["\n\n"], ["\0\0"]) {
	my $list = spew("$tmp/none", join '', @$_);
	is_deeply([@{fleet_run('-j', 2, '--files-from', $list, 'countall')}{qw(err status)}], ["zedperl: $list: the list names no trace\n", 2], 'an empty list is named');
}
for (['-'], ['--files-from', spew("$tmp/dash", "$demo\n-\n")]) {
	$r = fleet_run('-j', 2, $_->[0] eq '-' ? ('countall', '-') : (@$_, 'countall'));
	is($r->{status}, 2, '- as a trace: 2');
	like($r->{err}, qr/^zedperl: -: no process of -j has our standard input: zedperl --map - SCRIPT/, '... says how (else: it is empty)');
}

# ---- what is no list, and no trace ----

$r = fleet_run('-j', 2, '--files-from', $demo, @count);
is_deeply([@$r{qw(out err status)}], ['', "zedperl: $demo: is a trace, and --files-from reads a list of names: zedperl -j 2 SCRIPT $demo\n", 2], 'a trace in place of the list (else: its bytes are names)');
symlink 'nowhere', "$tmp/dangles" or die "symlink: $!\n";
$r = fleet_run('-j', 2, @count, $demo, $rt, "$tmp/dangles");
is_deeply([@$r{qw(out status)}], [$both, 1], 'a link to nothing fails alone');
like($r->{err}, qr/^    \Q$tmp\E\/dangles is a symbolic link to something that is not there$/m, '... and why (else: it asks whether its own name was meant)');

# ---- what a script prints before its answer ----

my @loud = ('-e', 'Zed::count("sched:sched_switch"); sub trace_begin { print "printed\n"; warn "warned\n" }');
$r = fleet_run('-j', 2, @loud, $demo, $rt);
is($r->{out}, $both, 'what the script prints meanwhile is not in the answer');
is(() = $r->{err} =~ /^printed\n/mg, 2, 'but where --map sends it (else: it is lost without a word)');
is(() = $r->{err} =~ /^warned\n/mg, 2, 'beside what it warns of');

done_testing();
