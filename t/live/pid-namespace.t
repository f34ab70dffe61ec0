# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recorders in a PID namespace, as in a container: events have the kernel's process numbers there, not those of the
# namespace.  Without it a recorder records itself and hides another process of that number, -c follows the wrong one,
# names are "<...>" or those of others, and a live recorder is taken for a dead one.
#
# of: kernel programs/session record/task_names.c reader/live
# runs: make check
use strict;
use warnings;
use File::Spec ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $dir = zed_tmp();
my $root = live_root();
my ($unshare) = grep { -x } map { "$_/unshare" } split /:/, $ENV{PATH};
plan skip_all => live_cannot('no PID namespace: unshare is missing or may not make one')
	if !$unshare || system "'$unshare' -pf --mount-proc true 2> /dev/null";
my ($zedtrace, $zedperl) = map { File::Spec->rel2abs(zed_bin($_)) } 'zedtrace', 'zedperl';
# The first process of a namespace ignores signals, and has the number 1: so a shell is.
my @SHELL = ('/bin/sh', '-c', '"$@"; exit $?', 'sh');
# A /proc of its own, or the host's.
my %KIND = ('its own /proc' => [$unshare, '-pf', '--mount-proc', @SHELL], "the host's /proc" => [$unshare, '-pf', @SHELL]);

sub same_file { my ($x, $y) = map { join ' ', (stat)[0, 1] } @_; return length $x && $x eq $y }

# The process below PID that runs PROGRAM, by the number that we have for it.
sub below {
	my ($pid, $program) = @_;
	for my $child (grep { /^\d+$/ } map { m{/proc/(\d+)} } glob '/proc/[0-9]*') {
		my $stat = eval { slurp("/proc/$child/stat") } // next;
		next if ((split ' ', $stat =~ s/^.*\)//sr)[1] // 0) != $pid;
		return $child if same_file("/proc/$child/exe", $program);
		my $deeper = below($child, $program);
		return $deeper if $deeper;
	}
	return undef;
}

# PROGRAM in a namespace, in the background, once it traces: {pid, ours, instance}.
sub start_in {
	my ($kind, $program, @args) = @_;
	my %before = map { $_ => 1 } live_instances();
	my $h = live_start(@{$KIND{$kind}}, $program, @args);
	wait_until(30, sub {
		$h->{ours} = below($h->{pid}, $program) or return 0;
		for my $name (grep { !/(?:names|tids)$/ } live_instances()) {
			# Its name has a number of the namespace; its lock is that of the process.
			next if $before{$name} || !grep { (readlink // "") =~ m{/instances/\Q$name\E$} } glob "/proc/$h->{ours}/fd/*";
			$h->{instance} = "$root/instances/$name";
		}
		return defined $h->{instance} && (eval { slurp("$h->{instance}/tracing_on") } // '') =~ /^1/
			&& (eval { slurp("$h->{instance}/set_event") } // '') =~ /\S/;
	});
	return $h;
}

# The filters of its system calls, of all CPUs the same.
sub excluded {
	my ($h) = @_;
	my $text;
	wait_until(10, sub { ($text = eval { slurp("$h->{instance}/events/raw_syscalls/sys_enter/filter") } // '') =~ /common_pid/ });
	return $text;
}

# Does FILTER, in our own words for the kernel, keep PID out?
sub is_excluded {
	my ($filter, $pid) = @_;
	my $out = grep { $_ == $pid } $filter =~ /common_pid != (\d+)/g;
	while ($filter =~ /common_pid < (\d+) \|\| common_pid > (\d+)/g) { $out++ if $1 <= $pid && $pid <= $2 }
	return $out ? 1 : 0;
}

# A process of ours that has work all the time, with a name of its own.
my $outsider = fork // die "fork: $!\n";
if (!$outsider) {
	$0 = 'outsider';
	$SIG{ALRM} = 'DEFAULT';
	alarm 120;
	while (1) { my $call = getppid; select undef, undef, undef, 0.001 }
}
my $cpus = live_lock('cpus', 0);

# How often it has slept by now, each time with two calls.
sub outsider_slept { return slurp("/proc/$outsider/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m ? $1 : 0 }

for my $kind (sort keys %KIND) {
	# ---------------------------------------------------------------- a recording
	my $file = "$dir/all.dat";
	my $h = start_in($kind, $zedtrace, '-o', $file, 'raw_syscalls', 'sched:sched_switch');
	ok($h->{instance}, "$kind: it records") or diag(live_end($h, 1)->{err}), next;
	my $kept = excluded($h);
	is_deeply([map { is_excluded($kept, $_) } $h->{ours}, 1, $outsider], [1, 0, 0], "$kind: the number that is kept out is the kernel's (else: it records itself, and hides another)")
		or diag $kept;
	my ($read) = live_taken($h->{instance});
	my $slept = outsider_slept();
	wait_until(30, sub { live_taken($h->{instance}) > $read + 1000 && outsider_slept() > $slept + 100 });
	kill 'INT', $h->{ours};
	my $r = live_end($h);
	is($r->{exit}, 0, "$kind: it ends well") or diag $r->{err};
	my (%calls, $markers);	# what is neither of these events
	my $sum = dat_events($file, sub { my (undef, $what, undef, $pid) = @_; $calls{$pid}++ if $what =~ /^raw_syscalls/; $markers++ if $what !~ /^(?:raw_syscalls|sched)::/ });
	is($calls{$h->{ours}} // 0, 0, "$kind: none of its own system calls is in the file");
	cmp_ok($calls{$outsider} // 0, '>', 0, "$kind: those of others are");
	is($markers // 0, 0, "$kind: the marker by which it finds itself is not");
	my ($events, $lost) = $r->{err} =~ /^Total: (\d+) events? \(dropped (\d+)\)/m;
	my ($overrun) = $r->{err} =~ /^Dropped: overrun (\d+), commit overrun 0, dropped events 0\b/m;	# beside a storm
	is("$events $lost", "$sum->{events} " . ($overrun // 0), "$kind: the kernel's counts are those of the file (else: its marker counts as lost)") or diag $r->{err};
	my @names = zed_run('zedprint', '-f', 'json', '--event', 'raw_syscalls:sys_enter', '--pid', $outsider, $file)->{out} =~ /"comm":"([^"]*)"/g;
	is_deeply([grep { $_ ne 'outsider' } @names], [], "$kind: a task outside has its name (else: <...>, or that of a task of the namespace)");

	# ---------------------------------------------------------------- with threads: those that complete files
	$h = start_in($kind, $zedtrace, '--rotate', '1M', '--exec', '/bin/true', '-o', "$dir/turn.dat", 'raw_syscalls');
	ok($h->{instance}, "$kind, threads: it records") or diag(live_end($h, 1)->{err}), next;
	my @threads = map { m{/(\d+)$} } glob "/proc/$h->{ours}/task/*";
	cmp_ok(scalar(@threads), '>', 1, "$kind, threads: it has some, as this test needs it");
	my $filter = excluded($h);
	is_deeply([grep { !is_excluded($filter, $_) } @threads], [], "$kind, threads: all are kept out (else: a second one is recorded)") or diag $filter;
	is(is_excluded($filter, $outsider), 0, "$kind, threads: and no other");
	is(join(' ', grep { /tids$/ } live_instances()), '', "$kind, threads: what found their numbers has gone");
	kill 'INT', $h->{ours};
	$r = live_end($h);
	is($r->{exit}, 0, "$kind, threads: it ends well") or diag $r->{err};
	unlike($r->{err}, qr/PID namespace/, "$kind, threads: and has nothing to say of them");

	# ---------------------------------------------------------------- live
	unlink "$dir/looked";
	$h = start_in($kind, $zedperl, '--live=raw_syscalls:sys_enter', '-d', 60, '-e', 'use Zed; my %n;' .
		" sub raw_syscalls::sys_enter { Zed::stop() if Zed::pid() == $outsider && \$n{Zed::comm()}++ > 100 && Zed::comm() eq 'outsider' && -e '$dir/looked' }" .
		' sub trace_end { print join(" ", map { "$_ $n{$_}" } sort keys %n) }');
	ok($h->{instance}, "$kind, live: it runs") or diag(live_end($h, 1)->{err}), next;
	$kept = excluded($h);
	is_deeply([map { is_excluded($kept, $_) } $h->{ours}, 1, $outsider], [1, 0, 0], "$kind, live: the number that is kept out is the kernel's") or diag $kept;
	spew("$dir/looked", '');	# only now: a storm delays us for longer than it takes to be done
	$r = live_end($h);
	# saved_cmdlines has it once the kernel has switched to it while something traces.
	my %seen = split ' ', $r->{out};
	my $named = delete $seen{outsider} // 0;
	cmp_ok($named, '>', 0, "$kind, live: a task outside has its name");
	is_deeply([grep { $_ ne '<...>' } keys %seen], [], '... and no other');

	# ---------------------------------------------------------------- -c: the command's events only
	$r = zed_run({ time => 60, memory => 0 }, @{$KIND{$kind}}, $zedtrace, '-o', $file, '-c', 'syscalls:sys_enter_getppid', '--',
		$^X, '-e', 'getppid for 1 .. 100; fork or do { getppid for 1 .. 10; exit }; wait; exit 7');
	is($r->{exit}, 7, "$kind, -c: the command runs") or diag $r->{err};
	my %by;
	dat_events($file, sub { $by{$_[3]}++ if $_[1] eq 'syscalls::sys_enter_getppid' });
	is_deeply([sort { $a <=> $b } values %by], [10, 100], "$kind, -c: its events and its child's, and no others (else: those of the host's process of that number)");
	ok(!grep({ $_ < 10 } keys %by), "... with the kernel's numbers") or diag join ' ', %by;

	# ---------------------------------------------------------------- whose is it?
	$h = start_in($kind, $zedtrace, '-o', '-', 'sched:sched_process_exit');
	ok($h->{instance}, "$kind: it records") or diag(live_end($h, 1)->{err}), next;
	my $name = $h->{instance} =~ s{.*/}{}r;
	{
		my $alone = live_lock('killed', 1);
		$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
		like($r->{out}, qr/^\Q$name\E: in use /m, "$kind: --cleanup outside sees that it lives (else: it ends the recordings of containers)") or diag $r->{out};
		delete local $ENV{ZED_KEEP_DEAD};
		zed_run({ time => 60 }, 'zedtrace', '-o', "$dir/x.dat", '-d', '0.1', 'sched:sched_process_exit');
		like(-e $h->{instance} ? slurp("$h->{instance}/set_event") : '', qr/\S/, "$kind: a start outside leaves it alone");
	}
	my $outside = live_start('zedtrace', '-o', "$dir/out.dat", 'sched:sched_process_exit');
	my $its = live_ready($outside) // '';
	{
		my $alone = live_lock('killed', 1);
		delete local $ENV{ZED_KEEP_DEAD};
		zed_run({ time => 60, memory => 0 }, @{$KIND{$kind}}, $zedtrace, @$_)
			for ['--cleanup'], ['-o', "$dir/x.dat", '-d', '0.1', 'sched:sched_process_exit'];
		like(-e $its ? slurp("$its/set_event") : '', qr/\S/, "$kind: one outside is left alone by one inside (else: a container ends the recordings of the host)");
		kill 'KILL', $h->{ours};
		live_end($h);
		ok(-e $h->{instance}, "$kind: kill -9 leaves an instance, as this test needs it");
		$r = zed_run({ time => 60 }, 'zedtrace', '--cleanup');
		like($r->{out}, qr/^removed \Q$name\E$/m, "$kind: which --cleanup outside removes") or diag $r->{out};
	}
	live_signal($outside, 'INT');
	is(live_end($outside)->{exit}, 0, 'the one outside ends well');
}

# ---------------------------------------------------------------- what cannot be mapped

my @in = @{$KIND{'its own /proc'}};
my $r = zed_run({ time => 60, memory => 0 }, @in, $zedtrace, '-o', "$dir/x.dat", '-d', '0.1', '-P', 1, 'sched');
is($r->{exit}, 2, '-P of a process whose number for the kernel is unknown is refused');
like($r->{err}, qr/^zedtrace: process 1: that is its number in this PID namespace.*--pid=host/m, '... with the reason (else: the host\'s process of that number is recorded)');
$r = zed_run({ time => 60, memory => 0 }, @in, $zedtrace, '-o', "$dir/x.dat", '-d', '0.1', '--exclude', 1, 'raw_syscalls');
like($r->{err}, qr/^zedtrace: .*process 1 .*PID namespace/m, '--exclude, too');
isnt($r->{exit}, 0, '... which ends the run');
is(join(' ', grep { /^zed\.1\./ } live_orphans()), '', 'and nothing stays');
kill 'KILL', $outsider;
waitpid $outsider, 0;

done_testing();
