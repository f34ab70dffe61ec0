# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::OldKernels: the event formats of kernels from 2.6.31 to 4.14 as facts (fields, in their order, and print
# formats), and traces made from them.  Offsets follow from the fields by the rules of C, which the tests compare with
# published format files.
#
#	my $k = Write::OldKernels->new('2.6.32', long => 4, big => 1);
#	$k->add(1000, 0, 'sched:sched_wakeup', { comm => 'init', pid => 1, prio => 120, success => 1 });
#	$k->write($path);
package Write::OldKernels;
use strict;
use warnings;
use Write::Dat;

# The common fields of a kernel's events, after common_pid.
my %COMMON = (
	'2.6.31' => ['int common_tgid'],
	'2.6.32' => ['int common_lock_depth'],
	'2.6.36' => ['int common_lock_depth'],
	'3.0'    => ['int common_padding'],
	'3.10'   => [],
	'4.9'    => [],
	'4.14'   => [],
);
my @ORDER = sort { rank($a) <=> rank($b) } keys %COMMON;

sub rank { my ($x, $y, $z) = split /\./, shift; return $x * 1e6 + $y * 1e3 + ($z // 0) }
sub kernels { return @ORDER }

# ---------------------------------------------------------------- formats: [from, to, fields, print]

# The letters of task states and their bits.
my %STATES = (
	'2.6.31' => [S => 1, D => 2, T => 4, t => 8, Z => 16, X => 32, x => 64, W => 128],
	'3.10' => [S => 1, D => 2, T => 4, t => 8, Z => 16, X => 32, x => 64, K => 128, W => 256,
		P => 512],
	'4.9' => [S => 1, D => 2, T => 4, t => 8, Z => 16, X => 32, x => 64, K => 128, W => 256,
		P => 512, N => 1024],
	'4.14' => [S => 1, D => 2, T => 4, t => 8, X => 16, Z => 32, P => 64, I => 128],
);
# The bit of a task that was preempted.
my %MARK = ('3.10' => 1024, '4.9' => 2048, '4.14' => 256);

my @SWITCH = ('char prev_comm[16]', 'pid_t prev_pid', 'int prev_prio', 'long prev_state',
	'char next_comm[16]', 'pid_t next_pid', 'int next_prio');
my $SWITCH_ARGS = 'REC->prev_comm, REC->prev_pid, REC->prev_prio, %s, REC->next_comm, REC->next_pid, '
	. 'REC->next_prio';
my $SWITCH_TEXT = 'prev_comm=%%s prev_pid=%%d prev_prio=%%d prev_state=%s ==> next_comm=%%s '
	. 'next_pid=%%d next_prio=%%d';

sub flags {
	my ($fmt, @pairs) = @_;
	my @out;
	while (my ($letter, $bit) = splice @pairs, 0, 2) {
		push @out, sprintf $fmt, $bit, $letter;
	}
	return join ', ', @out;
}

sub print_switch {
	my ($kernel) = @_;
	my $states = newest(\%STATES, $kernel);
	my $table = flags('{ %d, "%s" }', @$states);
	$table =~ s/"S" \},/"S"\} ,/;
	if (rank($kernel) < rank('3.10')) {
		my $state = qq{REC->prev_state ? __print_flags(REC->prev_state, "|", $table) : "R"};
		my $text = rank($kernel) < rank('2.6.36') ? 'task %s:%d [%d] (%s) ==> %s:%d [%d]'
			: sprintf $SWITCH_TEXT, '%s';
		return qq{"$text", } . sprintf $SWITCH_ARGS, $state;
	}
	my $text = sprintf $SWITCH_TEXT, '%s%s';
	my $mark = $MARK{$kernel};
	if ($kernel ne '4.14') {
		my $mask = 'REC->prev_state & (' . $mark . '-1)';
		return qq{"$text", } . sprintf $SWITCH_ARGS, qq{$mask ? __print_flags($mask, "|", $table) }
			. qq{: "R", REC->prev_state & $mark ? "+" : ""};
	}
	my $all = '(((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1)';
	my $mask = "REC->prev_state & ($all - 1)";
	$table = flags('{ 0x%02x, "%s" }', @$states);
	return qq{"$text", } . sprintf $SWITCH_ARGS, qq{($mask) ? __print_flags($mask, "|", $table) : "R", }
		. qq{REC->prev_state & $all ? "+" : ""};
}

my @SOFTIRQS = qw(HI TIMER NET_TX NET_RX BLOCK BLOCK_IOPOLL TASKLET SCHED HRTIMER RCU);

sub print_softirq {
	my ($kernel) = @_;
	my @names = @SOFTIRQS;
	@names = grep { $_ ne 'BLOCK_IOPOLL' } @names if $kernel eq '2.6.31';
	$names[5] = 'IRQ_POLL' if rank($kernel) >= rank('4.9');
	my $n = 0;
	my $number = rank($kernel) >= rank('4.9');
	my $table = join ', ', map { sprintf '{ %s, "%s" }', $number ? $n++ : "${_}_SOFTIRQ", $_ } @names;
	my ($text, $vec) = rank($kernel) < rank('2.6.36') ? ('softirq=%d action=%s', 'REC->vec')
		: rank($kernel) < rank('3.0') ? ('vec=%d [action=%s]', '(int)(REC->vec)')
		: ('vec=%u [action=%s]', 'REC->vec');
	return qq{"$text", $vec, __print_symbolic($vec, $table)};
}

# A print format in its newer and its older words.
sub print_task {
	my ($new, $old, @args) = @_;
	return sub {
		my $text = rank($_[0]) < rank('2.6.36') ? $old : $new;
		return join ', ', qq{"$text"}, map {"REC->$_"} @args;
	};
}

my $DEV = '((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1)))';
my $OLD = $DEV =~ s/dev\)/old_dev)/gr;
my $SECTOR = '(unsigned long long)REC->sector';
my @IO = ('dev_t dev', 'sector_t sector', 'unsigned int nr_sector');
my $ERROR = qq{"%d,%d %s (%s) %llu + %u [%d]", $DEV, REC->rwbs, __get_str(cmd), $SECTOR, REC->nr_sector, };
my $TASK = qq{"%d,%d %s %llu + %u [%s]", $DEV, REC->rwbs, $SECTOR, REC->nr_sector, REC->comm};
my $RQ = qq{"%d,%d %s %u (%s) %llu + %u [%s]", $DEV, REC->rwbs, REC->bytes, __get_str(cmd), $SECTOR, }
	. 'REC->nr_sector, REC->comm';
my $REMAP = qq{"%d,%d %s %llu + %u <- (%d,%d) %llu", $DEV, REC->rwbs, $SECTOR, REC->nr_sector, $OLD, }
	. '(unsigned long long)REC->old_sector';
my @PID = ('char comm[16]', 'pid_t pid');
my @TASK = (@PID, 'int prio');
my @CMD = ('__data_loc char[] cmd');
my @POWER = ('u64 type', 'u64 state');
my $LONGS = sub { my $n = join ' ', map {"$_=%lu"} @_;
	return qq{"$n", } . join ', ', map {"(unsigned long)REC->$_"} @_ };

# system:event => list of [first kernel, last kernel or '', fields, print format or a sub of the kernel].  RWBS is the
# kernel's char rwbs[].
my $TASK_PRINT = print_task('comm=%s pid=%d prio=%d', 'task %s:%d [%d]', qw(comm pid prio));
my %EVENTS = (
	'sched:sched_switch' => [['2.6.31', '', \@SWITCH, \&print_switch]],
	'sched:sched_wakeup' => [
		['2.6.31', '2.6.32', [@TASK, 'int success', 'int cpu'], '"task %s:%d [%d] success=%d [%03d]", '
			. 'REC->comm, REC->pid, REC->prio, REC->success, REC->cpu'],
		['2.6.36', '', [@TASK, 'int success', 'int target_cpu'], '"comm=%s pid=%d prio=%d success=%d '
			. 'target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->success, REC->target_cpu']],
	'sched:sched_waking' => [['4.9', '', [@TASK, 'int success', 'int target_cpu'],
		'"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu']],
	'sched:sched_migrate_task' => [['2.6.31', '', [@TASK, 'int orig_cpu', 'int dest_cpu'],
		print_task('comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d', 'task %s:%d [%d] from: %d  to: %d',
			qw(comm pid prio orig_cpu dest_cpu))]],
	'sched:sched_process_fork' => [['2.6.31', '', ['char parent_comm[16]', 'pid_t parent_pid',
		'char child_comm[16]', 'pid_t child_pid'],
		print_task('comm=%s pid=%d child_comm=%s child_pid=%d', 'parent %s:%d  child %s:%d',
			qw(parent_comm parent_pid child_comm child_pid))]],
	(map { ("sched:sched_process_$_" => [['2.6.31', '', \@TASK, $TASK_PRINT]]) } qw(free exit wait)),
	'sched:sched_wait_task' => [['2.6.31', '', \@TASK, $TASK_PRINT]],
	'sched:sched_kthread_stop' => [['2.6.31', '', \@PID, print_task('comm=%s pid=%d', 'task %s:%d',
		qw(comm pid))]],
	'sched:sched_kthread_stop_ret' => [['2.6.31', '', ['int ret'], print_task('ret=%d', 'ret %d', 'ret')]],
	'sched:sched_process_exec' => [['3.10', '', ['__data_loc char[] filename', 'pid_t pid',
		'pid_t old_pid'], '"filename=%s pid=%d old_pid=%d", __get_str(filename), REC->pid, REC->old_pid']],
	'sched:sched_signal_send' => [['2.6.31', '2.6.32', ['int sig', @PID],
		'"sig: %d  task %s:%d", REC->sig, REC->comm, REC->pid']],
	'signal:signal_generate' => [
		['2.6.36', '3.0', ['int sig', 'int errno', 'int code', @PID], '"sig=%d errno=%d code=%d comm=%s '
			. 'pid=%d", REC->sig, REC->errno, REC->code, REC->comm, REC->pid'],
		['3.10', '', ['int sig', 'int errno', 'int code', @PID, 'int group', 'int result'],
			'"sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d", REC->sig, REC->errno, REC->code, '
			. 'REC->comm, REC->pid, REC->group, REC->result']],
	'irq:irq_handler_entry' => [['2.6.31', '', ['int irq', '__data_loc char[] name'],
		sub { my $word = rank($_[0]) < rank('2.6.36') ? 'handler' : 'name';
			return qq{"irq=%d $word=%s", REC->irq, __get_str(name)} }]],
	'irq:irq_handler_exit' => [['2.6.31', '', ['int irq', 'int ret'],
		'"irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"']],
	(map { ("irq:softirq_$_" => [['2.6.31', '2.6.36', ['int vec'], \&print_softirq],
		['3.0', '', ['unsigned int vec'], \&print_softirq]]) } qw(entry exit)),
	'irq:softirq_raise' => [['2.6.36', '2.6.36', ['int vec'], \&print_softirq],
		['3.0', '', ['unsigned int vec'], \&print_softirq]],
	'timer:timer_expire_entry' => [
		['2.6.32', '2.6.32', ['void * timer', 'unsigned long now'], '"timer=%p now=%lu", REC->timer, REC->now'],
		['2.6.36', '', ['void * timer', 'unsigned long now', 'void * function'],
			'"timer=%p function=%pf now=%lu", REC->timer, REC->function, REC->now']],
	(map { ("block:block_rq_$_" => [['2.6.31', '', [@IO, 'unsigned int bytes', 'RWBS', 'char comm[16]', @CMD],
		$RQ]]) } qw(insert issue)),
	(map { ("block:block_rq_$_" => [
		['2.6.31', $_ eq 'requeue' ? '4.9' : $_ eq 'abort' ? '3.10' : '4.9', [@IO, 'int errors', 'RWBS', @CMD],
			$ERROR . 'REC->errors'],
		$_ eq 'requeue' ? ['4.14', '', [@IO, 'RWBS', @CMD], $ERROR . '0'] :
		$_ eq 'complete' ? ['4.14', '', [@IO, 'int error', 'RWBS', @CMD], $ERROR . 'REC->error'] : ()])
	} qw(complete requeue abort)),
	(map { ("block:block_$_" => [['2.6.31', '', [@IO, 'RWBS', 'char comm[16]'], $TASK]]) }
		qw(bio_backmerge bio_frontmerge bio_queue bio_bounce getrq sleeprq)),
	'block:block_bio_complete' => [['2.6.31', '', [@IO, 'unsigned error', 'RWBS'],
		qq{"%d,%d %s %llu + %u [%d]", $DEV, REC->rwbs, $SECTOR, REC->nr_sector, REC->error}]],
	'block:block_plug' => [['2.6.31', '', ['char comm[16]'], '"[%s]", REC->comm']],
	(map { ("block:block_$_->[0]" => [[@$_[1, 2], ['int nr_rq', 'char comm[16]'],
		'"[%s] %d", REC->comm, REC->nr_rq']]) }
		['unplug_io', '2.6.31', '2.6.36'], ['unplug_timer', '2.6.31', '2.6.36'], ['unplug', '3.0', '']),
	'block:block_split' => [['2.6.31', '', ['dev_t dev', 'sector_t sector', 'sector_t new_sector', 'RWBS',
		'char comm[16]'], qq{"%d,%d %s %llu / %llu [%s]", $DEV, REC->rwbs, $SECTOR, }
		. '(unsigned long long)REC->new_sector, REC->comm']],
	(map { ("block:block_$_->[0]" => [[@$_[1, 2], [@IO, 'dev_t old_dev', 'sector_t old_sector', 'RWBS'],
		$REMAP]]) } ['remap', '2.6.31', '2.6.36'], ['bio_remap', '3.0', '']),
	(map { ("workqueue:workqueue_$_" => [['2.6.31', '2.6.32', ['char thread_comm[16]', 'pid_t thread_pid',
		'work_func_t func'], '"thread=%s:%d func=%pf", REC->thread_comm, REC->thread_pid, REC->func']]) }
		qw(insertion execution)),
	'workqueue:workqueue_creation' => [['2.6.31', '2.6.32', ['char thread_comm[16]', 'pid_t thread_pid',
		'int cpu'], '"thread=%s:%d cpu=%d", REC->thread_comm, REC->thread_pid, REC->cpu']],
	'workqueue:workqueue_destruction' => [['2.6.31', '2.6.32', ['char thread_comm[16]', 'pid_t thread_pid'],
		'"thread=%s:%d", REC->thread_comm, REC->thread_pid']],
	'workqueue:workqueue_queue_work' => [['2.6.36', '', ['void * work', 'void * function', 'void * workqueue',
		'unsigned int req_cpu', 'unsigned int cpu'], '"work struct=%p function=%pf workqueue=%p req_cpu=%u '
		. 'cpu=%u", REC->work, REC->function, REC->workqueue, REC->req_cpu, REC->cpu']],
	'workqueue:workqueue_execute_start' => [['2.6.36', '', ['void * work', 'void * function'],
		'"work struct %p: function %pf", REC->work, REC->function']],
	'workqueue:workqueue_execute_end' => [['2.6.36', '', ['void * work'], '"work struct %p", REC->work']],
	(map { ("power:power_$_" => [['2.6.32', '2.6.32', \@POWER, $LONGS->(qw(type state))],
		['2.6.36', '3.0', [@POWER, 'u64 cpu_id'], $LONGS->(qw(type state cpu_id))]]) } qw(start frequency)),
	'power:power_end' => [['2.6.32', '2.6.32', ['u64 dummy'], $LONGS->('dummy')],
		['2.6.36', '3.0', ['u64 cpu_id'], $LONGS->('cpu_id')]],
	(map { ("power:cpu_$_" => [['3.0', '', ['u32 state', 'u32 cpu_id'], $LONGS->(qw(state cpu_id))]]) }
		qw(idle frequency)),
	'net:net_dev_xmit' => [['3.0', '', ['void * skbaddr', 'unsigned int len', 'int rc', '__data_loc char[] name'],
		'"dev=%s skbaddr=%p len=%u rc=%d", __get_str(name), REC->skbaddr, REC->len, REC->rc']],
	'net:netif_receive_skb' => [['3.0', '', ['void * skbaddr', 'unsigned int len', '__data_loc char[] name'],
		'"dev=%s skbaddr=%p len=%u", __get_str(name), REC->skbaddr, REC->len']],
	(map { ("exceptions:page_fault_$_" => [['4.9', '', ['unsigned long address', 'unsigned long ip',
		'unsigned long error_code'], '"address=%pf ip=%pf error_code=0x%lx", (void *)REC->address, '
		. '(void *)REC->ip, REC->error_code']]) } qw(user kernel)),
	'raw_syscalls:sys_enter' => [['2.6.36', '', ['long id', 'unsigned long args[6]'], '"NR %ld (%lx, %lx, %lx, '
		. '%lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], '
		. 'REC->args[5]']],
	'raw_syscalls:sys_exit' => [['2.6.36', '', ['long id', 'long ret'], '"NR %ld = %ld", REC->id, REC->ret']],
);
$EVENTS{'sched:sched_wakeup_new'} = $EVENTS{'sched:sched_wakeup'};

# The entry of the newest kernel that is not newer than KERNEL.
sub newest {
	my ($table, $kernel) = @_;
	my ($best) = sort { rank($b) <=> rank($a) } grep { rank($_) <= rank($kernel) } keys %$table;
	return defined $best ? $table->{$best} : undef;
}

# ---------------------------------------------------------------- a kernel

sub new {
	my ($class, $kernel, %o) = @_;
	die "Write::OldKernels: no kernel $kernel; there are: @ORDER\n" if !$COMMON{$kernel};
	my $k = bless { kernel => $kernel, long => 8, big => 0, machine => 'x86_64', align64 => 8,
		events => [], %o }, $class;
	my $id = 40;
	for my $name (sort keys %EVENTS) {
		my ($def) = grep { rank($_->[0]) <= rank($kernel)
			&& ($_->[1] eq '' || rank($kernel) <= rank($_->[1])) } @{$EVENTS{$name}};
		$k->{defs}{$name} = $k->layout($id++, @$def[2, 3]) if $def;
	}
	# added by a test: 'system:event' => [[fields], 'print format']
	$k->{defs}{$_} = $k->layout($id++, @{$k->{more}{$_}}) for sort keys %{$k->{more} // {}};
	return $k;
}

sub has { my ($k, $name) = @_; return exists $k->{defs}{$name} }
sub is_before { my ($k, $kernel) = @_; return rank($k->{kernel}) < rank($kernel) }

# The number that this kernel writes for a state: a letter, with a + if the task was preempted.
sub state_bits {
	my ($k, $state) = @_;
	my %bits = (R => 0, @{newest(\%STATES, $k->{kernel})});
	my ($letter, $plus) = $state =~ /^(.)(\+?)$/ or die "Write::OldKernels: state '$state'?\n";
	die "Write::OldKernels: $k->{kernel} has no state '$letter'\n" if !exists $bits{$letter};
	return $bits{$letter} | ($plus ? $MARK{$k->{kernel}} : 0);
}

sub marks { my $k = shift; return exists $MARK{$k->{kernel}} }

# Bytes of one item and its alignment.
sub size_of {
	my ($k, $type) = @_;
	return $k->is_before('2.6.32') ? (2, 2) : (4, 4) if $type =~ /^__data_loc /;	# no length yet
	return (4, 4) if $type eq 'sector_t' && $k->{no_lbd};	# 32 bit, disks of up to 2 TB
	return ($k->{long}, $k->{long}) if $type =~ /\*$|^(unsigned )?long$|^work_func_t$/;
	return (8, $k->{align64}) if $type =~ /^(u64|sector_t)$/;
	return (2, 2) if $type =~ /short$/;
	return (1, 1) if $type =~ /char$/;
	return (4, 4) if $type =~ /^(u32|int|unsigned|unsigned int|pid_t|dev_t)$/;
	die "Write::OldKernels: type '$type'?\n";
}

sub layout {
	my ($k, $id, $fields, $print) = @_;
	my $rwbs = rank($k->{kernel}) < rank('3.0') ? 6 : 8;
	my @common = ('unsigned short common_type', 'unsigned char common_flags',
		'unsigned char common_preempt_count', 'int common_pid', @{$COMMON{$k->{kernel}}});
	my ($at, @out) = (0);
	for my $decl (@common, '', @$fields) {
		if ($decl eq '') {
			push @out, undef;
			next;
		}
		my $text = $decl eq 'RWBS' ? "char rwbs[$rwbs]" : $decl;
		my ($type, $name, $n) = $text =~ /^(.*) (\w+)(?:\[(\d+)\])?$/ or die "Write::OldKernels: '$decl'?\n";
		my ($size, $align) = $k->size_of($type);
		$at += -$at % $align;
		my $signed = $type =~ /^(int|long|pid_t|char)$|^__data_loc/ ? 1 : 0;
		# kernels up to 2.6.32 keep the names of constants, and have no "signed"
		$text =~ s/comm\[16\]/comm[TASK_COMM_LEN]/ if $k->is_before('2.6.36');
		$text =~ s/comm\[16\]/comm[$k->{declare}]/ if $k->{declare};
		my $all = $size * ($n // 1);
		push @out, { name => $name, type => $type, at => $at, size => $all, n => $n, signed => $signed,
			text => "\tfield:$text;\toffset:$at;\tsize:$all;"
				. ($k->is_before('2.6.36') ? '' : "\tsigned:$signed;") . "\n" };
		$at += $all;
	}
	return { id => $id, fields => [grep {defined} @out], print => ref $print ? $print->($k->{kernel}) : $print,
		size => $at, text => join '', map { defined ? $_->{text} : "\n" } @out };
}

# The offset of a field, for tests.
sub offset {
	my ($k, $name, $field) = @_;
	my ($f) = grep { $_->{name} eq $field } @{$k->{defs}{$name}{fields}};
	return $f ? $f->{at} : undef;
}

sub format_file {
	my ($k, $name) = @_;
	my $def = $k->{defs}{$name};
	(my $event = $name) =~ s/.*://;
	return "name: $event\nID: $def->{id}\nformat:\n$def->{text}\nprint fmt: $def->{print}\n";
}

# ---------------------------------------------------------------- records

sub number {
	my ($k, $v, $size) = @_;
	my %code = (1 => 'C', 2 => $k->{big} ? 'n' : 'v', 4 => $k->{big} ? 'N' : 'V',
		8 => $k->{big} ? 'Q>' : 'Q<');
	$v &= $size == 8 ? ~0 : (1 << 8 * $size) - 1;
	return pack $code{$size}, $v;
}

# Every field of the format must be given: a test that misspells one dies.
sub record {
	my ($k, $name, $pid, %v) = @_;
	my $def = $k->{defs}{$name} or die "Write::OldKernels: $k->{kernel} has no $name\n";
	my ($rec, $tail) = ("\0" x $def->{size}, '');
	%v = (common_type => $def->{id}, common_flags => 1, common_preempt_count => 0, common_pid => $pid,
		common_tgid => 0x7777, common_lock_depth => 0xffffffff, common_padding => 0, %v);
	for my $f (@{$def->{fields}}) {
		my $v = delete $v{$f->{name}} // die "Write::OldKernels: $name: no value for $f->{name}\n";
		my $bytes;
		if ($f->{type} =~ /^__data_loc/) {
			$bytes = $k->number((length($v) + 1) << 16 | $def->{size} + length $tail, $f->{size});
			$tail .= "$v\0";
		} elsif ($f->{type} eq 'char' && $f->{n}) {
			$bytes = pack "a$f->{n}", $v;
		} elsif ($f->{n}) {
			$bytes = join '', map { $k->number($_, $f->{size} / $f->{n}) } @$v;
		} else {
			$bytes = $k->number($v, $f->{size});
		}
		substr($rec, $f->{at}, $f->{size}) = $bytes;
	}
	delete @v{grep {/^common_/} keys %v};
	die "Write::OldKernels: $name of $k->{kernel} has no @{[sort keys %v]}\n" if %v;
	return $rec . $tail;
}

# An event at TS ns on CPU; VALUES may have _pid, the task that ran (default 77).
sub add {
	my ($k, $ts, $cpu, $name, $values) = @_;
	my %v = %$values;
	push @{$k->{events}}, [$ts, $cpu, $k->record($name, delete $v{_pid} // 77, %v)];
	return;
}

sub write {
	my ($k, $path) = @_;
	my $d = Write::Dat->new(version => 6, page_size => 4096, big => $k->{big}, long => $k->{long},
		uname => "Linux old $k->{kernel}.0 $k->{machine}", cmdlines => $k->{cmdlines} // "77 mini\n",
		formats => [map { [(split /:/)[0], $k->format_file($_)] } sort keys %{$k->{defs}}],
		make_pages => sub {
			my ($d, $cpu) = @_;
			my (@pages, $data, $first, $last);
			for my $e (sort { $a->[0] <=> $b->[0] } grep { $_->[1] == $cpu } @{$k->{events}}) {
				if (defined $data && length($data) + length($e->[2]) > 3900) {
					push @pages, $d->page($first, $data);
					undef $data;
				}
				($data, $first, $last) = ('', $e->[0], $e->[0]) if !defined $data;
				$data .= $d->data_event($e->[0] - $last, $e->[2]);
				$last = $e->[0];
			}
			push @pages, $d->page($first, $data) if defined $data;
			return @pages;
		});
	return $d->write($path);
}

1;
