# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -F, -P, -c and --cpu on the running kernel: what does not pass is not in the file, and what a filter cannot do
# is said.  Without it unfiltered events pass for filtered ones.
#
# of: programs/zedtrace record kernel programs/session
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $nproc = cpu_count();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- filters

{
	my $file = "$dir/filter.dat";
	my $last = $nproc - 1;
	my @work = ('--', 'sh', '-c', "for i in 1 2 3 4 5 6; do (:); taskset -c $last /bin/true; taskset -c 0 /bin/true; done");
	for my $f (
		["sched:sched_switch: prev_comm == \"sh\" or next_comm == \"sh\"", '$f{prev_comm} eq "sh" || $f{next_comm} eq "sh"', 'sched:sched_switch'],
		["sched:sched_switch: prev_pid != 0 and next_pid != 0", '$f{prev_pid} && $f{next_pid}', 'sched:sched_switch'],
		["sched:sched_switch: prev_comm==\"sh\"||next_comm==\"sh\"", '$f{prev_comm} eq "sh" || $f{next_comm} eq "sh"', 'sched:sched_switch'],
		["sched:sched_process_fork: not (child_comm == \"sh\")", '$f{child_comm} ne "sh"', 'sched:sched_process_fork'],
		# A field of the event's own goes first, in the kernel too (sched_wake_idle_without_ipi has a cpu).
		["sched: cpu == $last", "(\$f{cpu} // \$cpu) == $last", 'sched'],
		["sched:sched_switch: cpu == 0 and next_prio >= 120", '$cpu == 0 && $f{next_prio} >= 120', 'sched:sched_switch'],
	) {
		my ($filter, $code, $event) = @$f;
		unlink $file;
		my $r = record('-o', $file, '-F', $filter, $event, @work);
		is($r->{exit}, 0, "-F '$filter' is taken") or diag $r->{err};
		my ($n, $bad) = outside($file, $code);
		is($bad, 0, "-F '$filter' keeps out what does not pass ($n events)");
		cmp_ok($n, '>', 0, "-F '$filter' lets something pass") if $filter !~ /not \(|!= 0 and/;
	}
	unlink $file;
	my $r = record('-o', $file, '-F', 'sched: next_pid != 0', 'sched', @work);
	my (@without, @with);
	for my $path (glob "$root/events/sched/*/format") {
		my ($name) = $path =~ m{/(\w+)/format$};
		push @{slurp($path) =~ /\bnext_pid;/ ? \@with : \@without}, $name;
	}
	is($r->{exit}, 0, 'a filter that some events of the subsystem do not take') or diag $r->{err};
	my $sum = dat_events($file);
	like($r->{err}, qr/recorded without this filter: .*, .* \(they have no field 'next_pid'\)$/m, 'of several events: they');
	my @silent = grep { $r->{err} !~ /\bsched::?\Q$_\E\b/ } @without;
	ok(@without && !@silent, 'those that did not take it are told by name (else: unfiltered events pass for filtered ones)')
		or diag "not told: @silent\n$r->{err}";
	my @accused = grep { $r->{err} =~ /\bsched::?\Q$_\E\b/ } @with;
	is("@accused", '', 'and no others');
	my ($n, $bad) = outside($file, '$e ne "sched::sched_switch" || $f{next_pid} != 0');
	is($bad, 0, 'the one that has the field is filtered');
	for my $bad (['sched:sched_switch: no_such_field == 1', qr/no_such_field/], ['sched:sched_switch: next_pid ==', qr/sched_switch/],
		['block: cpu == 1', qr/block/], ['sched:sched_switch', qr/-F|filter/i]) {
		my ($filter, $like) = @$bad;
		my $r = leaves_nothing("-F '$filter'", sub { record('-o', "$dir/none.dat", '-d', '0.1', '-F', $filter, 'sched:sched_switch') });
		is($r->{exit}, 2, "-F '$filter' is refused (else: the trace is not what was asked for)");
		is(scalar @{$r->{lines}}, 1, 'in one line') or diag $r->{err};
		like($r->{err}, $like, 'that says which');
		ok(!-e "$dir/none.dat.zed" && !-e "$dir/none.dat", 'and no file');
	}
}

# ---------------------------------------------------------------- tasks and CPUs
{
	my $file = "$dir/pid.dat";
	my $storm = drizzle_start(60);
	my $r = record('-o', $file, '-P', $storm, '-d', '0.3', 'raw_syscalls');
	is($r->{exit}, 0, '-P') or diag $r->{err};
	my %pid;
	my $sum = dat_events($file, sub { $pid{$_[3]}++ });
	is_deeply([keys %pid], [$storm], "-P: that task's events and no others (else: -P is no use)");
	unlink $file;
	$r = record('-o', $file, '-c', 'sched:sched_process_exec', 'raw_syscalls', '--', 'sh', '-c', '/bin/true; (/bin/true; :); exit 3');
	is($r->{exit}, 3, '-c with a command') or diag $r->{err};
	%pid = ();
	$sum = dat_events($file, sub { $pid{$_[3]}++ });
	cmp_ok(scalar keys %pid, '>=', 3, '-c: the children of the command are recorded too');
	ok(!$pid{$storm}, '-c: nobody else is (else: what others do is taken for the command)');
	cmp_ok($sum->{name}{'sched::sched_process_exec'} // 0, '>=', 2, '-c: with the events of their start');
	unlink $file;
	my $last = $nproc - 1;
	$r = record('-o', $file, '--cpu', $last, 'sched', '--', 'sh', '-c',
		"for i in 1 2 3; do taskset -c 0 /bin/true; taskset -c $last /bin/true; done");
	is($r->{exit}, 0, '--cpu') or diag $r->{err};
	$sum = dat_events($file);
	is(join(' ', grep { $sum->{cpu}{$_} } sort keys %{$sum->{cpu}}), $last, '--cpu: only that CPU');
	storm_end($storm);
	$r = leaves_nothing('--cpu 4095', sub { record('-o', "$dir/none.dat", '--cpu', 4095, '-d', '0.1', 'sched') });
	is("$r->{exit} " . @{$r->{lines}}, '2 1', '--cpu with a CPU that is not there: one line, exit 2') or diag $r->{err};
}

done_testing();
