# SPDX-License-Identifier: GPL-2.0-or-later
#
# The scripts of the announcement of zedperl (t/data/2009) on the running kernel, with the commands that it
# shows: zedtrace to a file, zedtrace into zedperl, and zedperl --live.  What happens meanwhile is known: tasks
# that the test makes, and the pages of the file as an independent walk reads them.
#
# of: stable kernel programs/zedperl programs/zedtrace
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);
my $dir = zed_tmp();
my $scripts = File::Spec->rel2abs('t/data/2009');
my ($zedtrace, $zedperl) = map { File::Spec->rel2abs(zed_bin($_)) } qw(zedtrace zedperl);
my $long = $ENV{ZED_SAN} ? 120 : 60;
my $tasks = 12;

# Makes $tasks children, sends each a signal that it ignores, waits for it; writes "parent child".
put_text("$dir/load.pl", <<'LOAD');
my ($to, $n) = @ARGV;
open my $out, '>', $to or die "$to: $!";
$SIG{USR2} = 'IGNORE';
for (1 .. $n) {
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		select undef, undef, undef, 0.02;
		exit 0;
	}
	print $out "$$ $pid\n";
	kill USR2 => $pid;
	waitpid $pid, 0;
}
LOAD

sub pipeline {
	my ($text) = @_;
	return zed_run({ time => $long, memory => 0, env => { ZT => $zedtrace, ZP => $zedperl, S => $scripts, D => $dir, N => $tasks,
		PERL => $^X, LC_ALL => 'C' } }, 'sh', '-c', $text);
}

sub children { return map { [split] } split /\n/, slurp("$dir/$_[0]") }

my %name = (
	(map { ("sched::sched_$_" => "sched::$_") } qw(kthread_stop kthread_stop_ret wait_task wakeup wakeup_new switch migrate_task
		process_free process_exit process_wait process_fork)),
	'signal::signal_generate' => 'sched::signal_send',
	(map { ("block::block_$_" => "block::$_") } qw(rq_insert rq_issue rq_requeue rq_complete bio_complete bio_backmerge bio_frontmerge
		bio_queue getrq plug split rq_abort bio_bounce sleeprq)),
	'block::block_unplug' => 'block::unplug_io', 'block::block_bio_remap' => 'block::remap', 'block::block_rq_remap' => 'block::remap',
	'workqueue::workqueue_queue_work' => 'workqueue::insertion', 'workqueue::workqueue_execute_start' => 'workqueue::execution',
);

# What is said of events that this kernel has not, and of nothing else.
sub quiet {
	my ($err, $what) = @_;
	is(join("\n", grep { /^zedperl: / && !/this stable event is not available: |this kernel does not provide the stable event / } split /\n/, live_without_own($err)), '',
		"$what: nothing is amiss (else: users look for a fault)");
	# Both forms of the name: --live looks at the kernel before there is a trace.
	my %said = map { s/::/:/r => 1 } map { /\b((?:sched|block|workqueue)::?\w+): (?:this|it lacks)/ ? $1 : () } split /\n/, $err;
	is_deeply([grep { $said{$_} } qw(sched:switch sched:wakeup sched:process_fork block:rq_issue workqueue:insertion workqueue:execution)], [],
		"$what: what this kernel has is available");
	is_deeply([grep { my ($system, $event) = split /:/; !$said{$_} && !-d live_root() . "/events/$system/${system}_$event" }
		qw(block:sleeprq block:unplug_timer workqueue:creation workqueue:destruction)], [],
		"$what: what it has not is said (else: a zero is taken for a fact)");
	return;
}

# ---------------------------------------------------------------- a file, read three times
leaves_nothing('a recording', sub {
	my $file = "$dir/seed.dat";
	my $r = pipeline('$ZT -o $D/seed.dat sched signal block workqueue -- $PERL $D/load.pl $D/file.pids $N');
	is($r->{exit}, 0, 'zedtrace sched signal block workqueue') or diag $r->{err};
	my (%n, %work);
	dat_events($file, sub {
		my ($cpu, $event, $ts, $pid) = @_;
		$n{$name{$event}}++ if $name{$event};
		$work{$cpu}{''}[0]++ if $event eq 'workqueue::workqueue_queue_work';
		$work{$cpu}{$pid}[1]++ if $event eq 'workqueue::workqueue_execute_start';
	});
	cmp_ok($n{'sched::process_fork'} // 0, '>=', $tasks, 'it has the tasks (else: nothing is compared)');

	$r = pipeline('$ZP -w $D/seed.dat $S/countall.pl');
	my %got = $r->{out} =~ /^(\w+::\w+): (\d+)$/mg;
	is_deeply(\%got, \%n, 'countall.pl counts what the pages hold (else: events of this kernel are missed)');
	quiet($r->{err}, 'countall.pl');
	unlike($r->{err}, qr/uninitialized/, 'countall.pl: everything has a value');

	$r = pipeline('$ZP $D/seed.dat $S/workqueue-stats.pl');
	my $want = "workqueue counts:\n" . sprintf "%3s %6s %6s %6s\n", qw(cpu ins exec pid);
	for my $cpu (sort { $a <=> $b } keys %work) {
		$want .= sprintf "%3u %6u %6u %6s\n", $cpu, $work{$cpu}{$_}[0] // 0, $work{$cpu}{$_}[1] // 0, $_ for sort keys %{$work{$cpu}};
	}
	is($r->{out}, $want, 'workqueue-stats.pl: insertions and executions of each thread, as the pages hold them');
	return;
});

# ---------------------------------------------------------------- zedtrace ... -o - | zedperl -i - printall.pl

# What printall.pl must have printed of the tasks in FILE.
sub tasks_told {
	my ($what, $out, @children) = @_;
	is(scalar @children, $tasks, "$what: the tasks were made");
	is_deeply([map { my ($parent, $child) = @$_; scalar(() = $out =~ /^sched::process_fork .*  parent_pid=$parent +child_pid=$child *$/mg) } @children],
		[(1) x $tasks], "$what: each fork once, with parent and child (else: the pids are others)");
	is_deeply([map { scalar(() = $out =~ /^sched::process_exit .*  pid=$_->[1] *$/mg) } @children], [(1) x $tasks], "$what: each exit once");
	is_deeply([map { scalar(() = $out =~ /^sched::signal_send .*  sig=12 pid=$_->[1] *$/mg) } @children], [(1) x $tasks],
		"$what: each signal once, with its number");
	is_deeply([map { scalar(() = $out =~ /^sched::wakeup_new .*  wake_pid=$_->[1] +success=1$/mg) } @children], [(1) x $tasks],
		"$what: each new task is woken once, with success (else: perf's wakeup-latency: none)");
	is_deeply([grep { my $c = $_->[1]; $out !~ /^sched::switch .*prev_pid=$c /m } @children], [], "$what: each stops to run");
	# Not each: a kernel whose CPU was off for a while was seen to record no switches away from its idle task.
	cmp_ok(scalar(grep { my $c = $_->[1]; $out =~ /^sched::switch .*next_pid=$c *$/m } @children), '>', 0, "$what: and begins to");
	return;
}

leaves_nothing('a pipeline', sub {
	# Room for what comes while perl starts, on a machine that is busy: here every event counts.
	my $r = pipeline('$ZT -b 16384 sched signal block workqueue -o - -- $PERL $D/load.pl $D/pipe.pids $N | $ZP -w -i - $S/printall.pl');
	is($r->{exit}, 0, 'zedtrace sched signal block workqueue -o - | zedperl -i - printall.pl') or diag $r->{err};
	like($r->{out}, qr/\Aevent +cpu +timestamp +sequence\n-+ +-+ +-+ +-+\n/, 'the head, and the rule under it');
	like($r->{err}, qr/^Total: \d+ events \(dropped 0\),/m, 'nothing was lost (else: what is missing below is no fault)');
	tasks_told('a pipeline', $r->{out}, children('pipe.pids'));
	quiet($r->{err}, 'printall.pl');
	my @undef = grep { /uninitialized value/ } split /\n/, $r->{err};
	is_deeply([grep { !/\$(?:dev|bytes|pid) in/ } @undef], [], 'all but dev of plugs, bytes of splits and pid of insertions has a value');
	my $none = () = $r->{out} =~ /^workqueue::insertion /mg;
	is(scalar(grep { /\$pid in/ } @undef), $none, 'only insertions have no pid');
	return;
});

# The announcement's other command: the event names of 2009 choose what is recorded.
leaves_nothing('event names of 2009', sub {
	my $r = pipeline('$ZT -b 16384 sched:switch sched:process_fork -o - -- $PERL $D/load.pl $D/two.pids $N | $ZP -i - $S/countall.pl');
	my %got = $r->{out} =~ /^(\w+::\w+): (\d+)$/mg;
	is(join(' ', sort keys %got), 'sched::process_fork sched::switch', 'zedtrace sched:switch sched:process_fork records these two') or diag $r->{err};
	cmp_ok($got{'sched::process_fork'} // 0, '>=', $tasks, 'and has the forks');
	return;
});

# ---------------------------------------------------------------- zedperl --live
leaves_nothing('--live', sub {
	my $h = live_start('zedperl', '--live', '-b', 16384, "$scripts/printall.pl");
	ok(live_ready($h), '--live records what the handlers of 2009 are named after') or diag slurp($h->{err}->filename);
	my $load = zed_run({ time => $long, memory => 0 }, $^X, "$dir/load.pl", "$dir/live.pids", $tasks);
	live_signal($h, 'INT');
	my $r = live_end($h, $long);
	is("$r->{exit} $r->{signal}", '0 0', 'Ctrl-C ends it') or diag $r->{err};
	tasks_told('--live', $r->{out}, children('live.pids'));
	quiet($r->{err}, '--live');
	return;
});

done_testing();
