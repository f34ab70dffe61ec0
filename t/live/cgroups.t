# SPDX-License-Identifier: GPL-2.0-or-later
#
# Cgroups of tasks on the running kernel: tasks that begin in a cgroup, are moved to another, and create others there; in a
# file, in a stream, over the network, live and in a flight recording each event has the cgroup that its task was in then.
# Without it a container's events are counted for the one that its process came from.
#
# of: trace/cgroups kernel/session/task_cgroups.c kernel/cgroup_files.c record
# runs: make check
use strict;
use warnings;
use Test::More;
use Config;
use Fcntl;
use POSIX ();
use lib 't/lib';
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my $dir = zed_tmp();
my $cpus = live_lock('cpus', 0);	# no other test has the kernel drop names and moves of tasks meanwhile
my ($zedtrace, $zedperl) = map { zed_bin($_) } qw(zedtrace zedperl);

# ---- two cgroups of ours, in v2; a task that stays in the first makes its hierarchy the one that is recorded
my ($mount) = map { (split)[2] eq 'cgroup2' ? (split)[1] : () } split /^/, slurp('/proc/mounts');
my $tree = "/zed-test-$$";
my ($in_a, $in_b) = map { "$tree/$_" } qw(a b);
my @made;
my %stays;	# tasks of ours that wait to be ended

sub into { my ($pid, $cgroup) = @_; open my $fh, '>', "$mount$cgroup/cgroup.procs" or return; return syswrite($fh, "$pid\n") && close $fh }
# A task in CGROUP that calls getppid every 10 ms until it is ended.
sub stay {
	my ($cgroup) = @_;
	pipe my $go, my $set or die;
	my $pid = fork // die;
	if (!$pid) {
		close $set;
		my $gone = <$go>;
		for (;;) { my $parent = getppid; select undef, undef, undef, 0.01 }
	}
	$stays{$pid} = 1;
	into($pid, $cgroup) or return;
	close $set;
	return $pid;
}
END {
	my $status = $?;
	kill KILL => keys %stays;
	waitpid $_, 0 for keys %stays;
	wait_until(10, sub { !grep { -d $_ && !rmdir $_ } reverse @made });
	$? = $status;
}

my $why = !$mount ? 'no cgroups v2 here' : -e live_root() . '/events/cgroup/cgroup_attach_task' ? '' : 'this kernel does not report moves';
for my $path ($why ? () : ($tree, $in_a, $in_b)) {
	mkdir "$mount$path" or $why = "cannot make a cgroup: $!", last;
	push @made, "$mount$path";
}
my ($pid_a, $pid_b) = $why ? () : (stay($in_a), stay($in_b));
$why ||= 'a task cannot be moved to a cgroup' if !$pid_b;
plan skip_all => live_cannot($why) if $why;

# 3 calls in A, and after its move 4 in B, and 5 of a child there; 6 of a second thread, whose process was moved to B; 7 of a
# task that began in B, though its parent was elsewhere (CLONE_INTO_CGROUP of clone3). Of the last two /proc alone knows, and
# they have to be there when the recorder looks: so they stay until what was recorded of the move, or of the new task, and
# then of another task, has been read.
my $load = spew("$dir/load.pl", <<'EOT');
use Fcntl;
use POSIX ();
my ($a, $b, $instances, $threads, $clones) = @ARGV;
# What has been written and read of the events of new and moved tasks, on each CPU of each recorder.
sub counts {
	my %n;
	for my $stats (glob "$instances/zed.*.names/per_cpu/cpu*/stats") {
		open my $fh, '<', $stats or next;
		my ($unread, $read) = (0, 0);
		for my $line (<$fh>) {
			$unread = $1 if $line =~ /^entries: (\d+)/;
			$read = $1 if $line =~ /^read events: (\d+)/;
		}
		$n{$stats} = [$unread + $read, $read];
	}
	return %n;
}
# Until all that is written by now has been read, and then one thing more: what the first was has been looked at by then.
sub settle {
	for my $turn (1, 2) {
		my %then = counts();
		for (my $end = time + 10; time < $end; select undef, undef, undef, 0.01) {
			my %now = counts();
			last if !grep { $now{$_} && $now{$_}[1] < $then{$_}[0] } keys %then;
		}
		my $more = fork;
		POSIX::_exit(0) if defined $more && !$more;
		waitpid $more, 0;
	}
}
sub into { open my $fh, '>', "$_[0]/cgroup.procs" or die "$_[0]: $!\n"; syswrite $fh, "$_[1]\n" or die "$_[0]: $!\n"; close $fh }
into($a, $$);
my $child = fork // die;
if (!$child) {
	getppid for 1 .. 3;
	into($b, $$);
	getppid for 1 .. 4;
	my $grandchild = fork // die;
	if ($grandchild) { waitpid $grandchild, 0 } else { getppid for 1 .. 5 }
	exec '/bin/true';
}
waitpid $child, 0;
if ($threads) {
	require threads;
	pipe my $go, my $set;
	my $t = threads->create(sub { my $x = <$go>; getppid for 1 .. 6 });
	into($b, $$);
	settle();
	syswrite $set, "\n";
	$t->join;
}
if ($clones) {
	into($a, $$);
	sysopen my $dir, $b, O_RDONLY | O_DIRECTORY or die "$b: $!\n";
	my $args = pack 'Q11', 1 << 33, 0, 0, 0, 17, 0, 0, 0, 0, 0, fileno $dir;
	my $there = syscall 435, $args, length $args;
	if (!$there) {
		settle();
		getppid for 1 .. 7;
		exec '/bin/true';
	}
	waitpid $there, 0;
}
EOT
my $threads = $Config{usethreads} ? 1 : 0;
# Does clone3 take a cgroup here (Linux 5.7)?
sub clones {
	return 0 if $Config{longsize} < 8;
	sysopen my $fh, "$mount$in_b", O_RDONLY | O_DIRECTORY or return 0;
	my $args = pack 'Q11', 1 << 33, 0, 0, 0, 17, 0, 0, 0, 0, 0, fileno $fh;
	my $pid = syscall 435, $args, length $args;
	POSIX::_exit(0) if !$pid;
	return $pid > 0 && waitpid($pid, 0) == $pid ? 1 : 0;
}
my $clones = clones();
my @load = ($^X, $load, "$mount$in_a", "$mount$in_b", live_root() . '/instances', $threads, $clones);
my $script = spew("$dir/count.pl", <<"EOT");
my \$n = Zed::count('syscalls:sys_enter_getppid', by => ['cgroup', 'pid']);
sub trace_end {
	my %calls;
	for my \$r (\$n->rows) {
		\$calls{\$r->{cgroup}} += \$r->{count} if \$r->{pid} != $pid_a && \$r->{pid} != $pid_b;
	}
	print "\$_ \$calls{\$_}\\n" for sort keys %calls;
}
EOT
my @event = 'syscalls:sys_enter_getppid';

sub right {
	my ($what, $text) = @_;
	my %calls = $text =~ /^(\S+) (\d+)$/mg;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is_deeply([@calls{$in_a, $in_b}], [3, 9 + 6 * $threads + 7 * $clones], "$what: each call has the cgroup that its task was in then") || diag($text);
}
sub sh { my ($line) = @_; return zed_run({ time => 60 }, 'sh', '-c', $line) }

leaves_nothing('file', sub {
	my $r = zed_run('zedtrace', @event, '-o', "$dir/file.dat", '--', @load);
	is($r->{exit}, 0, 'recorded') or diag($r->{err});
	right('file', zed_run('zedperl', "$dir/file.dat", $script)->{out});
	is(join(' ', sort { $a <=> $b } keys %{{map { $_ => 1 } zed_run('zedprint', '--cgroup', $in_a, '-F', '*: common_pid == ' . $pid_a, '-f', 'json', "$dir/file.dat")->{out} =~ /"pid":(\d+)/g}}),
		$pid_a, 'a task that was there before has its cgroup, too');
});

leaves_nothing('stream', sub {
	my $r = sh("'$zedtrace' @event -o - -- @load | '$zedperl' -i - '$script'");
	right('pipe', $r->{out}) or diag($r->{err});
});

leaves_nothing('rotation', sub {
	my $r = zed_run('zedtrace', @event, '--rotate', '300ms', '-o', "$dir/r.dat", '--', 'sh', '-c', "sleep 1; exec @load");
	my @files = sort glob "$dir/r.0*.dat";
	ok(@files > 1, 'several files') or diag($r->{err});
	# The last one can be empty: a busy machine ends it at once.
	my $later = join '', map { zed_run('zedprint', '--cgroup', $in_a, '-f', 'json', $_)->{out} } @files[1 .. $#files];
	like($later, qr/"pid":$pid_a\b/, 'the later ones have the cgroups of tasks that were there before the first (else: only the first has)');
	unlike($later, qr/"pid":$pid_b\b/, '... and those of others');
});

leaves_nothing('flight', sub {
	my $r = zed_run('zedtrace', @event, '--flight', '8M', '-o', "$dir/f.dat", '--', @load);
	is($r->{exit}, 0, 'flight') or diag($r->{err});
	my ($file) = glob "$dir/f.0*.dat";
	right('flight', zed_run('zedperl', $file // 'none', $script)->{out});
});

leaves_nothing('live', sub {
	my $h = live_start('zedperl', "--live=@event", $script);
	live_ready($h);
	system @load;
	live_signal($h, 'INT');
	my $end = live_end($h, 60);
	right('live', $end->{out}) or diag($end->{err});
});

leaves_nothing('network', sub {
	mkdir "$dir/srv";
	my ($to_file, $port) = live_server({}, '-D', "$dir/srv");
	my $r = zed_run('zedtrace', @event, '-h', "127.0.0.1:$port", '--', @load);
	is($r->{exit}, 0, 'sent to a server') or diag($r->{err});
	wait_until(30, sub { slurp($to_file->{err}->filename) =~ /^Total/m });
	live_signal($to_file, 'INT');
	live_end($to_file);
	my ($dat) = glob "$dir/srv/*/trace.dat";
	right('network', zed_run('zedperl', $dat // 'none', $script)->{out});
});

leaves_nothing('choice', sub {
	my $r = zed_run('zedtrace', '--cgroup', $in_b, @event, '-d', '300ms', '-o', "$dir/b.dat");
	is($r->{exit}, 0, 'zedtrace --cgroup') or diag($r->{err});
	my %pids = map { $_ => 1 } zed_run('zedprint', '-f', 'json', "$dir/b.dat")->{out} =~ /"pid":(\d+)/g;
	is(join(' ', keys %pids), $pid_b, '... records the tasks that are there, and no others');
	$r = zed_run('zedtrace', '--cgroup', $tree, @event, '-d', '300ms', '-o', "$dir/tree.dat");
	%pids = map { $_ => 1 } zed_run('zedprint', '-f', 'json', "$dir/tree.dat")->{out} =~ /"pid":(\d+)/g;
	is(join(' ', sort { $a <=> $b } keys %pids), join(' ', sort { $a <=> $b } $pid_a, $pid_b), '... and below it');
	$r = zed_run('zedtrace', '--cgroup', "$tree/none", @event, '-d', '1', '-o', "$dir/none.dat");
	is($r->{exit}, 2, 'a cgroup without tasks is refused');
	like($r->{err}, qr/no task is in the cgroup '\Q$tree\E\/none' or below it/, '... with the reason');
});

# A cgroup namespace: /proc has paths from its root on, the kernel's events have whole ones.
leaves_nothing('namespace', sub {
	SKIP: {
		skip live_cannot('no cgroup namespaces here'), 4 if system 'unshare -C true 2>/dev/null';
		my $r = sh("unshare -C '$zedtrace' -v @event -o '$dir/ns.dat' -- @load");
		is($r->{exit}, 0, 'in a cgroup namespace') or diag($r->{err});
		like($r->{err}, qr/no cgroups of tasks: .* not the initial PID and cgroup namespace/, '... it is said with -v that there are none');
		my $answer = zed_run('zedperl', "$dir/ns.dat", $script);
		unlike($answer->{out}, qr{^/}m, '... and none is wrong');
		like($answer->{err}, qr/ns\.dat: it has no cgroups of tasks/, '... as readers say');
	}
});

done_testing();
