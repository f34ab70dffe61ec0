# SPDX-License-Identifier: GPL-2.0-or-later
#
# The stable events of the running kernel: each is there, and what a script sees of a recording is what
# stock trace-cmd prints of the same records.  Without it a new kernel could break them unseen.
#
# of: stable stable
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Compare::StableOracle;
use Compare::Stock;
use Run::Live;
use Run::Program;
use Run::Zedperl qw(zedperl);

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
my $root = live_root();
my $long = $ENV{ZED_SAN} ? 120 : 60;

# ---------------------------------------------------------------- what this kernel has

# Events of 2009 that no kernel of today has anything for.
my %GONE = map { $_ => 1 } qw(block::rq_abort block::bio_bounce block::sleeprq block::unplug_timer
	workqueue::creation workqueue::destruction);
# What only some machines have, by the raw event that there has to be.
my %SOME = ('page::fault' => 'exceptions/page_fault_user', 'block::remap' => 'block/block_bio_remap',
	'power::idle' => 'power/cpu_idle', 'power::frequency' => 'power/cpu_frequency',
	'syscall::enter' => 'raw_syscalls/sys_enter', 'syscall::exit' => 'raw_syscalls/sys_exit');

my $r = zed_run({ time => $long, memory => 0 }, 'zedperl', '--live', '--stable-check');
is($r->{exit}, 0, '--live --stable-check: exit status') or diag($r->{err});
my %line = $r->{out} =~ /^(\w+::\w+) +(.*)$/mg;
my @bad;
for my $name (sort keys %line) {
	(my $system = $name) =~ s/::.*//;
	my $has = $line{$name} !~ /^not available/;
	my $want = !$GONE{$name} && (!$SOME{$name} || -e "$root/events/$SOME{$name}/format");
	$want = 0 if $want && $system eq 'block' && !-d "$root/events/block";
	push @bad, "$name $line{$name}" if $has != $want;
}
is(join("\n", @bad), '', 'each stable event that today\'s kernels have something for is there (else: scripts of '
	. 'today get nothing)');
cmp_ok(scalar keys %line, '>', 45, 'the whole catalogue was asked');

# ---------------------------------------------------------------- what it records

SKIP: {
	my $why = stock_missing();
	skip live_cannot($why), 3 if $why;
	my @events = grep { -e "$root/events/" . tr{:}{/}r } qw(sched signal irq timer:timer_expire_entry workqueue
		exceptions power:cpu_idle power:cpu_frequency net:net_dev_xmit net:netif_receive_skb block
		raw_syscalls syscalls);
	my $load = 'for i in 1 2 3 4 5; do ls / > /dev/null; done; sleep 5 & kill $!; wait; '
		. "dd if=/dev/zero of=$dir/out bs=64k count=4 conv=fsync 2> /dev/null; exit 0";
	$r = zed_run({ time => $long, memory => 0 }, 'zedtrace', '-o', "$dir/live.dat", @events, '--', 'sh', '-c', $load);
	is($r->{exit}, 0, 'a recording') or diag($r->{err});
	my ($want, $n) = stable_wanted("$dir/live.dat");
	my $got = zedperl("$dir/live.dat", \$STABLE_SCRIPT);
	my $diff = Compare::RealData::differ($want, $got->{out});
	ok(!$diff && $n > 100, "$n stable events are those that trace-cmd prints (else: this kernel's scripts see other "
		. 'numbers)') or diag($diff // $got->{err});
	my @kinds = grep { !stable_seen($_) } qw(switch wakeup wakeup_new process_fork process_exec process_exit
		signal_send sys_enter sys_exit);
	is("@kinds", '', '... of each of these kinds there are some');

	skip live_cannot('this kernel tells no system calls by name'), 2 if !-d "$root/events/syscalls";
	($n, @bad) = calls_wrong("$dir/live.dat", zedperl("$dir/live.dat", \$CALLS_SCRIPT)->{out});
	is("@bad", '', "$n system calls have the names that this kernel's syscalls:sys_enter_* tell (else: wrong names)");
	cmp_ok($n, '>', 15, '... of which there are some to compare');
}

done_testing();
