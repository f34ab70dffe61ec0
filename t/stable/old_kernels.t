# SPDX-License-Identifier: GPL-2.0-or-later
#
# The stable events on traces of kernels from 2.6.31 to 4.14, made from their formats: the same story
# told by each of them, in 32 and 64 bits and both byte orders, reads the same to one script without
# a condition.  What a kernel had nothing for is undef, or is said before the run.  Without it
# a script works on the kernel of its writer alone.
#
# of: stable stable interp
use strict;
use warnings;
use Test::More;
use File::Basename ();
use lib 't/lib';
use Write::OldKernels;
use Compare::RealData;
use Run::Zedperl qw(zedperl temp_path);

my $DEV = 8 << 20 | 6;

# Each event of the story: [the raw events that can tell it, what the raw record holds, the stable
# event, what its handler gets].  The two in the middle may be subs of the kernel.
sub block { return (dev => $DEV, sector => 212057636, nr_sector => 120, @_) }
sub io { my ($what, $rw, $errors, $bytes) = @_; return "$DEV $what $rw $errors 212057636 $bytes" }

# What a field is called here and there.
sub named { my ($raw, %by) = @_; return $by{$raw} // $by{''} }

my $error = sub { my ($k, $raw) = @_;
	return grep({ $_ eq 'error' } map { $_->{name} } @{$k->{defs}{$raw}{fields}}) ? 'error' : 'errors' };

# Kernels before 4.3 have no waking: a wakeup is one, where it woke somebody.
my $waking = sub { my ($k, $fields) = @_;
	return $k->has('sched:sched_waking') ? '' : "\nsched::waking $fields" };

my @STORY = (
	[['sched:sched_wakeup'], sub { my ($k) = @_; return (comm => 'init', pid => 1, prio => 120,
		success => 1, ($k->is_before('2.6.36') ? 'cpu' : 'target_cpu') => 3) },
		'sched::wakeup', sub { '1 1 init 120 3' . $waking->($_[0], '1 init 120 3') }],
	[['sched:sched_waking'], [comm => 'sleepy', pid => 7, prio => 120, success => 1, target_cpu => 2],
		'sched::waking', '7 sleepy 120 2'],
	[['sched:sched_wakeup'], sub { my ($k) = @_; return (comm => 'awake', pid => 2, prio => 120,
		success => 0, ($k->is_before('2.6.36') ? 'cpu' : 'target_cpu') => 0) },
		'sched::wakeup', '2 0 awake 120 0'],
	[['sched:sched_wakeup_new'], sub { my ($k) = @_; return (comm => 'baby', pid => 3, prio => 99,
		success => 1, ($k->is_before('2.6.36') ? 'cpu' : 'target_cpu') => 1) },
		'sched::wakeup_new', '3 1 baby 99 1'],
	[['sched:sched_migrate_task'], [comm => 'mover', pid => 4, prio => 120, orig_cpu => 1, dest_cpu => 0],
		'sched::migrate_task', '4 1 0 mover'],
	[['sched:sched_process_fork'], [parent_comm => 'sh', parent_pid => 5, child_comm => 'sh2', child_pid => 6],
		'sched::process_fork', '5 6 sh sh2'],
	[['sched:sched_process_exec'], [filename => '/bin/true', pid => 6, old_pid => 6],
		'sched::process_exec', '6 6 /bin/true'],
	[['sched:sched_process_exit'], [comm => 'true', pid => 6, prio => 120], 'sched::process_exit', '6 true'],
	[['sched:sched_process_wait'], [comm => 'sh', pid => 0, prio => 120], 'sched::process_wait', '0 sh'],
	[['sched:sched_process_free'], [comm => 'true', pid => 6, prio => 120], 'sched::process_free', '6 true'],
	[['sched:sched_wait_task'], [comm => 'true', pid => 6, prio => 120], 'sched::wait_task', '6 true'],
	[['sched:sched_kthread_stop'], [comm => 'kth', pid => 9], 'sched::kthread_stop', '9 kth'],
	[['sched:sched_kthread_stop_ret'], [ret => -4], 'sched::kthread_stop_ret', '-4'],
	[['signal:signal_generate', 'sched:sched_signal_send'], sub { my ($k, $raw) = @_;
		return (sig => 17, comm => 'sh', pid => 5, $raw =~ /send/ ? () : (errno => 0, code => 1),
			$k->is_before('3.10') ? () : (group => 1, result => 0)) },
		'sched::signal_send', sub { return '17 5 sh ' . ($_[1] =~ /send/ ? '-' : '1') }],
	[['irq:irq_handler_entry'], [irq => 14, name => 'ata_piix'], 'irq::enter', '14 ata_piix'],
	[['irq:irq_handler_exit'], [irq => 14, ret => 1], 'irq::exit', '14 1'],
	[['irq:softirq_entry'], [vec => 3], 'softirq::enter', '3 NET_RX'],
	[['irq:softirq_exit'], [vec => 1], 'softirq::exit', '1 TIMER'],
	[['irq:softirq_raise'], [vec => 9], 'softirq::raise', '9 RCU'],
	[['irq:softirq_raise'], [vec => 5], 'softirq::raise',
		sub { return '5 ' . ($_[0]->is_before('4.9') ? 'BLOCK_IOPOLL' : 'IRQ_POLL') }],
	[['irq:softirq_entry'], [vec => 31], 'softirq::enter', '31 31'],
	[['timer:timer_expire_entry'], sub { my ($k) = @_; return (timer => 0xc0de0000, now => 4294901760,
		$k->{kernel} eq '2.6.32' ? () : (function => 0xc1234560)) },
		'timer::expire', sub { '3235774464 4294901760 ' . ($_[0]{kernel} eq '2.6.32' ? '-' : 0xc1234560) }],
	[['block:block_bio_remap', 'block:block_remap'], [block(old_dev => 8 << 20, old_sector => 63, rwbs => 'R')],
		'block::remap', io(1048591, 0, 0, 61440) . ' - - ' . (8 << 20) . ' 63 R'],
	[['block:block_bio_queue'], [block(rwbs => 'R', comm => 'dd')], 'block::bio_queue',
		io(1048577, 0, 0, 61440) . ' R dd'],
	[['block:block_getrq'], [block(rwbs => 'WS', comm => 'dd')], 'block::getrq',
		io(1048580, 1, 0, 61440) . ' WS dd'],
	[['block:block_sleeprq'], [block(rwbs => 'RA', comm => 'dd')], 'block::sleeprq',
		io(1048581, 0, 0, 61440) . ' RA dd'],
	[['block:block_bio_bounce'], [block(rwbs => 'W', comm => 'dd')], 'block::bio_bounce',
		io(14, 1, 0, 61440) . ' W dd'],
	[['block:block_bio_backmerge'], [block(rwbs => 'D', comm => 'dd')], 'block::bio_backmerge',
		io(1048578, 1, 0, 61440) . ' D dd'],
	[['block:block_bio_frontmerge'], [block(rwbs => 'FWFS', comm => 'dd')], 'block::bio_frontmerge',
		io(1048579, 1, 0, 61440) . ' FWFS dd'],
	[['block:block_bio_complete'], [block(rwbs => 'FR', error => 0xfffffffb)], 'block::bio_complete',
		io(8388616, 0, -5, 61440) . ' FR'],
	[['block:block_plug'], [comm => 'dd'], 'block::plug', '- 1048585 dd'],
	[['block:block_rq_insert'], [block(bytes => 0, rwbs => 'R', comm => 'dd', cmd => '')], 'block::rq_insert',
		io(1048588, 0, 0, 61440) . ' - - R dd'],
	# a request with a command and no sectors
	[['block:block_rq_issue'], [block(nr_sector => 0, bytes => 36, rwbs => 'N', comm => 'hdparm',
		cmd => '12 00 00 00 24 00')], 'block::rq_issue', io(4194311, 0, 0, 36) . ' - - N hdparm'],
	[['block:block_rq_issue'], [block(nr_sector => 1 << 24, bytes => 0, rwbs => 'D', comm => 'fstrim',
		cmd => '')], 'block::rq_issue', io(4194311, 1, 0, 8589934592) . ' - - D fstrim'],
	[['block:block_rq_complete'], sub { my ($k, $raw) = @_; return block(rwbs => 'W', cmd => '',
		$error->($k, $raw) => -5) }, 'block::rq_complete', io(8388616, 1, -5, 61440) . ' - - W'],
	[['block:block_rq_requeue'], sub { my ($k) = @_; return block(rwbs => 'W', cmd => '',
		$k->is_before('4.14') ? (errors => 2) : ()) }, 'block::rq_requeue',
		sub { io(2097158, 1, $_[0]->is_before('4.14') ? 2 : 0, 61440) . ' - - W' }],
	[['block:block_rq_abort'], [block(rwbs => 'W', cmd => '', errors => -110)], 'block::rq_abort',
		io(1048592, 1, -110, 61440) . ' - - W'],
	[['block:block_split'], [dev => $DEV, sector => 212057636, new_sector => 212057700, rwbs => 'W', comm => 'dd'],
		'block::split', io(13, 1, 0, '-') . ' 212057700 W dd'],
	[['block:block_unplug', 'block:block_unplug_io'], [nr_rq => 0x102, comm => 'dd'], 'block::unplug_io',
		'- 1048586 8 0000000000000102 dd 258'],
	[['block:block_unplug_timer'], [nr_rq => 1, comm => 'dd'], 'block::unplug_timer',
		'- 1048587 8 0000000000000001 dd 1'],
	[['workqueue:workqueue_queue_work', 'workqueue:workqueue_insertion'], sub { my ($k, $raw) = @_;
		return $raw =~ /insertion/ ? (thread_comm => 'events/0', thread_pid => 2872, func => 0xc1230000)
			: (work => 0xc0de1000, function => 0xc1230000, workqueue => 0xc0de2000, req_cpu => 8, cpu => 0) },
		'workqueue::insertion', sub { $_[1] =~ /insertion/ ? '2872 - ' . 0xc1230000 . ' -'
			: '- ' . 0xc0de1000 . ' ' . 0xc1230000 . ' -' }],
	[['workqueue:workqueue_execute_start', 'workqueue:workqueue_execution'], sub { my ($k, $raw) = @_;
		return $raw =~ /execution/ ? (thread_comm => 'events/0', thread_pid => 2872, func => 0xc1230000)
			: (_pid => 2872, work => 0xc0de1000, function => 0xc1230000) },
		'workqueue::execution', sub { '2872 ' . ($_[1] =~ /execution/ ? '-' : 0xc0de1000) . ' ' . 0xc1230000 }],
	[['workqueue:workqueue_execute_end'], [_pid => 2872, work => 0xc0de1000], 'workqueue::completion',
		'2872 ' . 0xc0de1000 . ' -'],
	[['workqueue:workqueue_creation'], [thread_comm => 'events/1', thread_pid => 11, cpu => 1],
		'workqueue::creation', '11 1 events/1'],
	[['workqueue:workqueue_destruction'], [thread_comm => 'events/1', thread_pid => 11],
		'workqueue::destruction', '11 events/1'],
	[['power:cpu_idle', 'power:power_start'], sub { my ($k, $raw) = @_; return $raw =~ /cpu/
		? (state => 2, cpu_id => 0) : (type => 1, state => 2, $k->is_before('2.6.36') ? () : (cpu_id => 0)) },
		'power::idle', '0 2'],
	[['power:cpu_idle', 'power:power_end'], sub { my ($k, $raw) = @_; return $raw =~ /cpu/
		? (state => 0xffffffff, cpu_id => 0) : $k->is_before('2.6.36') ? (dummy => 65535) : (cpu_id => 0) },
		'power::idle', '0 -1'],
	[['power:cpu_frequency', 'power:power_frequency'], sub { my ($k, $raw) = @_; return $raw =~ /cpu/
		? (state => 1600000, cpu_id => 0)
		: (type => 2, state => 1600000, $k->is_before('2.6.36') ? () : (cpu_id => 0)) },
		'power::frequency', '0 1600000'],
	[['net:net_dev_xmit'], [skbaddr => 0xc0de3000, len => 98, rc => 0, name => 'eth0'],
		'net::dev_xmit', 0xc0de3000 . ' 98 eth0 0'],
	[['net:netif_receive_skb'], [skbaddr => 0xc0de3000, len => 84, name => 'lo'],
		'net::receive', 0xc0de3000 . ' 84 lo'],
	[['exceptions:page_fault_user'], [address => 0xb7000123, ip => 0x8048000, error_code => 4],
		'page::fault', 0xb7000123 . ' ' . 0x8048000 . ' 4 1'],
	[['exceptions:page_fault_kernel'], [address => 0xb7000123, ip => 0xc0008000, error_code => 2],
		'page::fault', 0xb7000123 . ' ' . 0xc0008000 . ' 2 0'],
	[['raw_syscalls:sys_enter'], [id => 4, args => [1, 2, 3, 4, 5, 0xffffffff]], 'syscall::enter',
		sub { '4 ' . ($_[0]{machine} eq 'x86_64' ? 'stat' : 'write') . ' 1,2,3,4,5,4294967295' }],
	[['raw_syscalls:sys_exit'], [id => 4, ret => -14], 'syscall::exit',
		sub { '4 ' . ($_[0]{machine} eq 'x86_64' ? 'stat' : 'write') . ' -14' }],
);

my @NAMES = sort keys %{{ map { $_->[2] => 1 } @STORY }};
my $SCRIPT = 'sub say1 { my ($what, @v) = @_;
		print join(" ", $what, map { !defined ? "-" : ref ? join ",", @$_ : $_ } @v[4 .. $#v]), "\n" }
	sub sched::switch { say1("sched::switch", @_) }
	sub block::unplug_io { $_[7] = unpack "H*", $_[7]; say1("block::unplug_io", @_) }
	sub block::unplug_timer { $_[7] = unpack "H*", $_[7]; say1("block::unplug_timer", @_) }
	' . join '', map {"sub $_ { say1('$_', \@_) }\n"} grep { !/unplug/ } @NAMES;

# The story as kernel K tells it; returns what the script has to print.
sub story_of {
	my ($k) = @_;
	my ($ts, $want) = (1000, '');
	my $i = 0;
	for my $state (qw(R S D T t Z X), ($k->marks ? 'R+' : ())) {
		my ($prev, $next) = (100 + $i, 200 + $i);
		$i++;
		$k->add($ts += 1000, 0, 'sched:sched_switch', { prev_comm => "old$i", prev_pid => $prev,
			prev_prio => 120, prev_state => $k->state_bits($state), next_comm => "new$i",
			next_pid => $next, next_prio => 120 });
		my $mark = $k->marks ? $state =~ /\+/ ? 1 : 0 : '-';
		$want .= "sched::switch $prev $next old$i " . substr($state, 0, 1) . " $mark new$i 120 120\n";
	}
	for my $s (@STORY) {
		my ($raws, $values, $event, $expect) = @$s;
		my ($raw) = grep { $k->has($_) } @$raws or next;
		$k->add($ts += 1000, 0, $raw, { ref $values eq 'CODE' ? $values->($k, $raw) : @$values });
		$want .= "$event " . (ref $expect ? $expect->($k, $raw) : $expect) . "\n";
	}
	return $want;
}

# What a kernel has no raw event for, by the raw events that it does have.
sub lacking {
	my ($k) = @_;
	my %has = ('sched::switch' => 1);
	for my $s (@STORY) {
		$has{$s->[2]} = 1 if grep { $k->has($_) } @{$s->[0]};
	}
	$has{'sched::waking'} = 1;
	return grep { !$has{$_} } @NAMES;
}

# ---------------------------------------------------------------- the formats are those that were published

{
	my $k = Write::OldKernels->new('2.6.32');
	is(join(' ', map { $k->offset('sched:sched_switch', $_) } qw(prev_comm prev_pid prev_prio prev_state
		next_comm next_pid next_prio)), '12 28 32 40 48 64 68', 'offsets of sched_switch in 2.6.32, 64 bit, '
		. 'as its format file was published (else: these are not the old formats)');
	like($k->format_file('sched:sched_switch'), qr/\tfield:char prev_comm\[TASK_COMM_LEN\];\toffset:12;\tsize:16;\n/,
		'... where fields have no sign, and a name for a length');
	$k = Write::OldKernels->new('2.6.31');
	is(join(' ', map { $k->offset('sched:sched_wakeup', $_) } qw(comm pid prio success cpu)), '12 28 32 36 40',
		'offsets of sched_wakeup in 2.6.31 (else: these are not the old formats)');
	$k = Write::OldKernels->new('3.10');
	is(join(' ', map { $k->offset('block:block_rq_complete', $_) } qw(dev sector nr_sector errors rwbs cmd)),
		'8 16 24 28 32 40', 'offsets of block_rq_complete in 3.10 (else: these are not the old formats)');
	like($k->format_file('sched:sched_switch'), qr/prev_state & \(1024-1\) \? __print_flags\(REC->prev_state &/,
		'... and its state bits, with 1024 for preempted');
}

# ---------------------------------------------------------------- one script, all kernels

my @SHAPES = (
	['64 bit', long => 8, machine => 'x86_64'],
	['32 bit, u64 at multiples of 4, small disks', long => 4, align64 => 4, no_lbd => 1, machine => 'i686'],
	['32 bit', long => 4, machine => 'armv7l'],
	['64 bit, big endian', long => 8, big => 1, machine => 's390x'],
	['32 bit, big endian', long => 4, big => 1, machine => 'ppc'],
);
for my $kernel (Write::OldKernels::kernels()) {
	for my $shape (@SHAPES) {
		my ($label, %o) = @$shape;
		my $k = Write::OldKernels->new($kernel, %o);
		my $want = story_of($k);
		my $r = zedperl($k->write(temp_path('.dat')), \$SCRIPT);
		is(Compare::RealData::differ($want, $r->{out}), undef, "$kernel, $label: the same story (else: scripts break "
			. 'on this kernel)');
		is($r->{status}, 0, "$kernel, $label: exit status") or diag($r->{err});
		next if $label ne '64 bit';
		my @silent = grep { $r->{err} !~ /\Q$_\E/ } lacking($k);
		is("@silent", '', "$kernel: what it has no event for is said (else: handlers wait in vain)");
	}
}

# ---------------------------------------------------------------- decisive cases on their own

sub states {
	my ($k, @bits) = @_;
	my $ts = 0;
	$k->add($ts += 1000, 0, 'sched:sched_switch', { prev_comm => 'a', prev_pid => 1, prev_prio => 120,
		prev_state => $_, next_comm => 'b', next_pid => 2, next_prio => 120 }) for @bits;
	my $r = zedperl($k->write(temp_path('.dat')),
		\'sub sched::switch { print $_[7], $_[8] ? "+" : defined $_[8] ? "" : "?", " " }');
	return $r->{out};
}

is(states(Write::OldKernels->new('3.10'), 16, 32, 64, 1024, 512, 128 | 2), 'Z X X R+ P D ',
	'3.10: 16 is Z, 32 X, 64 x, 1024 preempted, the first of two letters (else: states by their old numbers)');
is(states(Write::OldKernels->new('4.9'), 16, 32, 1024 | 2, 2048), 'Z X D R+ ',
	'4.9: 1024 is N, and no mark any more: 2048 is (else: a mark by number)');
is(states(Write::OldKernels->new('4.14'), 16, 32, 64, 128, 256), 'X Z P I R+ ',
	'4.14: 16 is X, 32 is Z (else: the swap of 4.14 swaps them here)');
is(states(Write::OldKernels->new('2.6.32'), 16, 32, 64, 0), 'Z? X? X? R? ',
	'2.6.32: whether a task was preempted is not known (else: a wrong 0)');

# Both the new and the deprecated power events are written by 3.0: each thing is told once.
{
	my $k = Write::OldKernels->new('3.0');
	$k->add(1000, 0, 'power:cpu_idle', { state => 1, cpu_id => 0 });
	$k->add(1100, 0, 'power:power_start', { type => 1, state => 1, cpu_id => 0 });
	$k->add(2000, 0, 'power:cpu_idle', { state => 0xffffffff, cpu_id => 0 });
	$k->add(2100, 0, 'power:power_end', { cpu_id => 0 });
	$k->add(3000, 0, 'power:cpu_frequency', { state => 800000, cpu_id => 1 });
	$k->add(3100, 0, 'power:power_frequency', { type => 2, state => 800000, cpu_id => 1 });
	is(zedperl($k->write(temp_path('.dat')), \'sub power::idle { print "$_[5];" } sub power::frequency {
		print "$_[4] $_[5];" }')->{out}, '1;-1;1 800000;', 'kernels with old and new power events tell each '
		. 'thing once (else: everything counts double)');
}

# A vendor's kernel on 32 bit ARM said [32] and had 16.
{
	my $k = Write::OldKernels->new('3.10', long => 4, declare => 32);
	$k->add(1000, 0, 'sched:sched_wakeup', { comm => 'sixteen bytes at', pid => 7, prio => 1, success => 1,
		target_cpu => 0 });
	is(zedperl($k->write(temp_path('.dat')), \'sub sched::wakeup { print "$_[4] $_[6]" }')->{out},
		'7 sixteen bytes at', 'the size of a name counts, not its declaration (else: bytes of other fields)');
}

# Several inputs: each kernel's records by its own formats.
{
	my @dats;
	for my $kernel ('3.10', '4.14') {
		my $k = Write::OldKernels->new($kernel);
		$k->add(1000 * (1 + @dats), 0, 'sched:sched_switch', { prev_comm => 'a', prev_pid => 1, prev_prio => 1,
			prev_state => 16, next_comm => 'b', next_pid => 2, next_prio => 1 });
		push @dats, $k->write(temp_path('.dat'));
	}
	is(zedperl((map { ('-i', $_) } @dats), \'sub sched::switch { print $_[7] }')->{out}, 'ZX',
		'16 of a 3.10 and of a 4.14 kernel in one run (else: one kernel\'s table for both)');
}

# The names of system calls by machine.
{
	my %call = (x86_64 => [1, 'write'], i686 => [4, 'write'], armv7l => [4, 'write'], aarch64 => [64, 'write'],
		s390x => [4, 'write'], ppc64le => [4, 'write'], ppc => [4, 'write'], riscv64 => [64, 'write'],
		mips => [4004, 'write'], mips64 => [5001, 'write'], sparc64 => [4, 'write'], alpha => [4, 'write'],
		m68k => [4, 'write'], parisc => [4, 'write'], sh4 => [4, 'write'], loongarch64 => [64, 'write'],
		vax => [4, '4']);
	my @bad;
	for my $machine (sort keys %call) {
		my $k = Write::OldKernels->new('3.10', machine => $machine);
		my ($nr, $name) = @{$call{$machine}};
		$k->add(1000, 0, 'raw_syscalls:sys_exit', { id => $_, ret => 0 }) for $nr, 99999, -1;
		my $out = zedperl($k->write(temp_path('.dat')), \'sub syscall::exit { print "$_[5] " }')->{out};
		push @bad, "$machine: $out" if $out ne "$name 99999 -1 ";
	}
	is("@bad", '', 'write() has its name on each machine; what has none gives its number (else: wrong names)');
}

# A kernel whose print format has no letters: the numbers alone mean nothing.
{
	my $k = Write::OldKernels->new('2.6.36');
	$k->add(1000, 0, 'sched:sched_switch', { prev_comm => 'a', prev_pid => 7, prev_prio => 120, prev_state => 1,
		next_comm => 'b', next_pid => 8, next_prio => 120 });
	my $dat = $k->write(temp_path('.dat'));
	open my $from, '<:raw', $dat or die "$dat: $!\n";
	my $bytes = do { local $/; <$from> };
	cmp_ok($bytes =~ s/__print_flags/__print_xlags/g, '>', 0, 'a print format that looks no flags up');
	open my $fh, '>:raw', $dat or die "$dat: $!\n";
	print $fh $bytes;
	close $fh or die "$dat: $!\n";
	is(zedperl($dat, \'sub sched::switch { print join " ", map { $_ // "-" } @_[4 .. 9] }')->{out}, '7 8 a - - b',
		'sched::switch without a letter is still a switch (else: the oldest kernels have none)');
}

# Every number of the headers here, for the two machines that they are for.
SKIP: {
	my ($dir) = grep { -f "$_/unistd_64.h" } '/usr/include/x86_64-linux-gnu/asm', '/usr/include/asm';
	skip 'no kernel headers here: apt-get install linux-libc-dev', 2 if !$dir;
	for my $of (['x86_64', 'unistd_64.h'], ['i686', 'unistd_32.h']) {
		my ($machine, $file) = @$of;
		open my $fh, '<', "$dir/$file" or die "$file: $!\n";
		my %nr = map { /^#define __NR_(\w+) (\d+)$/ ? ($2 => $1) : () } <$fh>;
		my $k = Write::OldKernels->new('3.10', machine => $machine);
		my @nr = sort { $a <=> $b } keys %nr;
		$k->add(1000 + $_, 0, 'raw_syscalls:sys_exit', { id => $_, ret => 0 }) for @nr;
		my $out = zedperl($k->write(temp_path('.dat')), \'sub syscall::exit { print "$_[4] $_[5]\n" }')->{out};
		is($out, join('', map {"$_ $nr{$_}\n"} @nr), scalar(@nr) . " system calls of $machine by this system's "
			. 'headers (else: the table is damaged)');
	}
}

done_testing();
