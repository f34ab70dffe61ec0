# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Miniature: small traces of the kernel's events, written as a line of text, for the tests of analyses.
#
#	my $dat = miniature('100 0 0 switch 0 R 10 | 110 0 10 waking 20');
#	# TIME in us, CPU, PID of the running task, [hardirq|serving] EVENT, its words; CPU!N: after N lost events
package Write::Miniature;
use strict;
use warnings;
use Exporter 'import';
use Run::Zedperl;

our @EXPORT = qw(miniature analysis chosen);

my $BASE = 1_000_000_000;	# ns, of time 0
my $DISK = 8 << 20;		# 8:0

# The fields of each event, as [TYPE NAME, size, signed], laid out one after the other from byte 8 on.
my %FIELDS = (
	'sched::sched_switch' => [['char prev_comm[16]', 16, 1], ['pid_t prev_pid', 4, 1], ['int prev_prio', 4, 1],
		['long prev_state', 8, 1], ['char next_comm[16]', 16, 1], ['pid_t next_pid', 4, 1], ['int next_prio', 4, 1]],
	'sched::sched_migrate_task' => [['char comm[16]', 16, 1], ['pid_t pid', 4, 1], ['int prio', 4, 1], ['int orig_cpu', 4, 1],
		['int dest_cpu', 4, 1]],
	'sched::sched_process_exit' => [['char comm[16]', 16, 1], ['pid_t pid', 4, 1], ['int prio', 4, 1]],
	'sched::sched_process_fork' => [['char parent_comm[16]', 16, 1], ['pid_t parent_pid', 4, 1], ['char child_comm[16]', 16, 1],
		['pid_t child_pid', 4, 1]],
	'task::task_rename' => [['pid_t pid', 4, 1], ['char oldcomm[16]', 16, 1], ['char newcomm[16]', 16, 1]],
	'irq::irq_handler_entry' => [['int irq', 4, 1], ['char name[8]', 8, 1]],
	'irq::irq_handler_exit' => [['int irq', 4, 1], ['int ret', 4, 1]],
	'raw_syscalls::sys_enter' => [['long id', 8, 1], ['unsigned long args[6]', 48, 0]],
	'raw_syscalls::sys_exit' => [['long id', 8, 1], ['long ret', 8, 1]],
);
$FIELDS{"sched::sched_$_"} = [['char comm[16]', 16, 1], ['pid_t pid', 4, 1], ['int prio', 4, 1], ['int target_cpu', 4, 1]]
	for qw(waking wakeup wakeup_new);
my @REQUEST = (['dev_t dev', 4, 0], ['sector_t sector', 8, 0], ['unsigned int nr_sector', 4, 0]);
$FIELDS{"block::block_$_"} = [@REQUEST, ['char rwbs[8]', 8, 1]]
	for qw(bio_queue getrq bio_backmerge bio_frontmerge rq_merge rq_insert rq_issue rq_requeue rq_complete);
$FIELDS{'block::block_split'} = [['dev_t dev', 4, 0], ['sector_t sector', 8, 0], ['sector_t new_sector', 8, 0], ['char rwbs[8]', 8, 1]];
$FIELDS{'block::block_bio_remap'} = [@REQUEST, ['dev_t old_dev', 4, 0], ['sector_t old_sector', 8, 0]];
$FIELDS{"ftrace::$_->[0]"} = [["$_->[1]", 4, 1], ['unsigned long caller[8]', 64, 0]]
	for ['kernel_stack', 'int size'], ['user_stack', 'unsigned int tgid'];
$FIELDS{'ftrace::funcgraph_entry'} = [['unsigned long func', 8, 0], ['int depth', 4, 1]];
$FIELDS{'ftrace::funcgraph_exit'} = [['unsigned long func', 8, 0], ['int depth', 4, 1], ['unsigned int overrun', 4, 0],
	['unsigned long long calltime', 8, 0], ['unsigned long long rettime', 8, 0]];
$FIELDS{"power::cpu_$_"} = [['u32 state', 4, 0], ['u32 cpu_id', 4, 0]] for qw(idle frequency);
my @PIECE = (['unsigned long call_site', 8, 0], ['const void * ptr', 8, 0]);
$FIELDS{"kmem::$_"} = [@PIECE, ['size_t bytes_req', 8, 0], ['size_t bytes_alloc', 8, 0]] for qw(kmalloc kmalloc_node kmem_cache_alloc);
$FIELDS{"kmem::$_"} = [@PIECE] for qw(kfree kmem_cache_free);
$FIELDS{"kmem::mm_page_$_"} = [['unsigned long pfn', 8, 0], ['unsigned int order', 4, 0]] for qw(alloc alloc_zone_locked free free_batched);
$FIELDS{"exceptions::page_fault_$_"} = [['unsigned long address', 8, 0], ['unsigned long ip', 8, 0], ['unsigned long error_code', 8, 0]] for qw(user kernel);
my @PACKET = (['void * skbaddr', 8, 0], ['unsigned int len', 4, 0], ['char name[8]', 8, 1]);
$FIELDS{"net::$_"} = [@PACKET] for qw(net_dev_queue netif_receive_skb);
$FIELDS{'net::net_dev_xmit'} = [@PACKET, ['int rc', 4, 1]];
$FIELDS{'net::net_dev_start_xmit'} = [@PACKET, ['u16 gso_segs', 2, 0]];
$FIELDS{'napi::napi_poll'} = [['char dev_name[8]', 8, 1], ['int work', 4, 1], ['int budget', 4, 1]];
$FIELDS{'skb::kfree_skb'} = [['void * skbaddr', 8, 0], ['void * location', 8, 0], ['int reason', 4, 1]];
$FIELDS{"irq::softirq_$_"} = [['unsigned int vec', 4, 0]] for qw(entry exit raise);

my @WORK = (['void * work', 8, 0], ['void * function', 8, 0]);
$FIELDS{'workqueue::workqueue_queue_work'} = [@WORK, ['char workqueue[16]', 16, 1], ['unsigned int req_cpu', 4, 0], ['unsigned int cpu', 4, 0]];
$FIELDS{"workqueue::workqueue_$_"} = [@WORK] for qw(activate_work execute_start execute_end);
$FIELDS{'timer::hrtimer_start'} = [['void * hrtimer', 8, 0], ['void * function', 8, 0], ['s64 expires', 8, 1], ['s64 softexpires', 8, 1]];
$FIELDS{'timer::hrtimer_expire_entry'} = [['void * hrtimer', 8, 0], ['s64 now', 8, 1], ['void * function', 8, 0]];
$FIELDS{'timer::hrtimer_expire_exit'} = [['void * hrtimer', 8, 0]];
$FIELDS{'timer::timer_expire_entry'} = [['void * timer', 8, 0], ['unsigned long now', 8, 0], ['void * function', 8, 0]];
$FIELDS{"irq_vectors::${_}_entry"} = $FIELDS{"irq_vectors::${_}_exit"} = [['int vector', 4, 1]] for qw(local_timer reschedule);
$FIELDS{'timer::timer_start'} = [['void * timer', 8, 0], ['void * function', 8, 0], ['unsigned long expires', 8, 0], ['unsigned long now', 8, 0],
	['unsigned int flags', 4, 0]];
$FIELDS{'timer::hrtimer_cancel'} = [['void * hrtimer', 8, 0]];
$FIELDS{'timer::timer_cancel'} = $FIELDS{'timer::timer_expire_exit'} = [['void * timer', 8, 0]];

# Functions of one letter are in the trace's symbols.
my $CODE = 0x81000000;
sub function { return $CODE + 0x1000 * ord $_[0] }
sub object { my ($function, $at) = split /@/, $_[0]; return ($at // ord $function, function($function)) }
sub symbols { return join '', map { sprintf "%016x T %s\n", function($_), $_ } 'a' .. 'z' }

my %PRINT = (
	'sched::sched_switch' => '"%s%s", __print_flags(REC->prev_state & 255, "|", { 1, "S" }, { 2, "D" }, { 4, "T" }, ' .
		'{ 16, "X" }, { 32, "Z" }), REC->prev_state & 256 ? "+" : ""',
	'skb::kfree_skb' => '"reason: %s", __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, { 3, "NO_SOCKET" })',
	map { ("irq::softirq_$_" => '"%s", __print_symbolic(REC->vec, { 1, "TIMER" }, { 3, "NET_RX" }, { 9, "RCU" })') }
		qw(entry exit raise),
);

# Before an event: it happens in an interrupt, or while a softirq is served (bits of common_flags).
my %FLAGS = (hardirq => 0x08, serving => 0x10);

my %STATE = (R => 0, 'R+' => 256, S => 1, D => 2, T => 4, X => 16, Z => 32);

# A task is its pid, or PID=NAME.  From 900 on tasks are kernel workers, from 950 on unbound ones.
sub comm_of { my ($pid) = @_; return !$pid ? 'swapper' : $pid < 900 ? "t$pid" : 'kworker/' . ($pid < 950 ? 0 : 'u8') . ":$pid" }
sub comm { my ($pid, $name) = split /=/, $_[0]; return pack 'a16', $name // comm_of($pid) }
sub u32 { return map { pack 'l<', s/=.*//r } @_ }

# The meaning of each word of the language: the event, and its bytes after the common fields.
my %WORDS = (
	switch => sub {
		my ($prev, $state, $next, $prio) = @_;
		return 'sched::sched_switch', comm($prev) . join('', u32($prev, 120)) .
			pack('q<', $STATE{$state} // die "Write::Miniature: state $state\n") . comm($next) . join '', u32($next, $prio // 120);
	},
	(map { my $name = $_; ($name =~ s/wakeup_//r => sub { return "sched::sched_$name", comm($_[0]) . join '', u32($_[0], 120, 0) }) }
		qw(waking wakeup wakeup_new)),
	rename => sub { my ($task, $new) = @_; return 'task::task_rename', join('', u32($task)) . comm($task) . pack 'a16', $new },
	migrate => sub { return 'sched::sched_migrate_task', comm($_[0]) . join '', u32($_[0], 120, $_[1] // 0, $_[2] // 0) },
	process_exit => sub { return 'sched::sched_process_exit', comm($_[0]) . join '', u32($_[0], 120) },
	fork => sub { return 'sched::sched_process_fork', comm($_[0]) . join('', u32($_[0])) . comm($_[1]) . join '', u32($_[1]) },
	irq => sub { return 'irq::irq_handler_entry', join('', u32($_[0])) . pack 'a8', $_[1] // "i$_[0]" },
	irqx => sub { return 'irq::irq_handler_exit', join '', u32($_[0], $_[1] // 1) },
	raise => sub { return 'irq::softirq_raise', join '', u32($_[0]) },
	softirq => sub { return 'irq::softirq_entry', join '', u32($_[0]) },
	softirqx => sub { return 'irq::softirq_exit', join '', u32($_[0]) },
	(map { my ($letter, $event) = @$_; ($letter => sub {
		my ($rwbs, $where, $dev) = @_;
		my ($sector, $sectors) = $where =~ /^(\d+)\+(\d+)\z/ or die "Write::Miniature: $where\n";
		return "block::block_$event", pack 'L<x4Q<L<a8', $dev // $DISK, $sector, $sectors, $rwbs;
	}) } [Q => 'bio_queue'], [G => 'getrq'], [M => 'bio_backmerge'], [F => 'bio_frontmerge'], [RM => 'rq_merge'], [I => 'rq_insert'],
		[D => 'rq_issue'], [R => 'rq_requeue'], [C => 'rq_complete']),
	X => sub { return 'block::block_split', pack 'L<x4Q<Q<a8', $DISK, @_[1, 2], $_[0] },
	A => sub {	# SECTOR+N on DEV, was OLD_SECTOR on OLD_DEV
		my ($sector, $sectors) = split /\+/, $_[0];
		return 'block::block_bio_remap', pack 'L<x4Q<L<L<Q<', $_[1], $sector, $sectors, $_[3], $_[2];
	},
	(map { my $name = $_; ("$name" => sub {	# the innermost first
		my @addresses = map { unpack 'Q>', pack 'H16', substr '0' x 16 . $_, -16 } @_;
		return "ftrace::${name}_stack", pack 'L<x4Q<*', scalar @addresses, @addresses, $name eq 'user' ? (0) x (8 - @addresses) : ();
	}) } qw(kernel user)),
	# Work and timers have the code of their function's letter as their address, or a given one: f, f@ADDRESS.
	queue_work => sub { return 'workqueue::workqueue_queue_work', pack 'Q<2a16L<2', object($_[0]), $_[1] // 'events', 0, 0 },
	activate => sub { return 'workqueue::workqueue_activate_work', pack 'Q<2', object($_[0]) },
	execute_start => sub { return 'workqueue::workqueue_execute_start', pack 'Q<2', object($_[0]) },
	execute_end => sub { return 'workqueue::workqueue_execute_end', pack 'Q<2', object($_[0]) },
	hrtimer => sub { return 'timer::hrtimer_start', pack 'Q<2q<2', object($_[0]), 1000 * $_[1], 1000 * ($_[2] // $_[1]) },	# F EXPIRES [SOFT]
	expire => sub { my ($at, $function) = object($_[0]); return 'timer::hrtimer_expire_entry', pack 'Q<q<Q<', $at, 1000 * $_[1], $function },	# F NOW
	expirex => sub { return 'timer::hrtimer_expire_exit', pack 'Q<', ord $_[0] },
	hrcancel => sub { return 'timer::hrtimer_cancel', pack 'Q<', object($_[0]) },
	wheel_start => sub { return 'timer::timer_start', pack 'Q<4L<', object($_[0]), @_[1, 2], hex($_[3] // 0) },	# F EXPIRES NOW [FLAGS]
	wheel_cancel => sub { return 'timer::timer_cancel', pack 'Q<', object($_[0]) },
	wheel => sub { return 'timer::timer_expire_entry', pack 'Q<3', ord $_[0], $_[1] // 0, function($_[0]) },
	(map { my $name = $_; ($name => sub { return "irq_vectors::${name}_entry", join '', u32(236) }, "${name}x" => sub { return "irq_vectors::${name}_exit", join '', u32(236) }) }
		qw(local_timer reschedule)),
	wheelx => sub { return 'timer::timer_expire_exit', pack 'Q<', ord $_[0] },
	call => sub { return 'ftrace::funcgraph_entry', pack 'Q<l<', function($_[0]), $_[1] },	# F DEPTH
	ret => sub {	# F DEPTH FROM TO [OVERRUN], the times by a clock of their own
		return 'ftrace::funcgraph_exit', pack 'Q<l<L<Q<2', function($_[0]), $_[1], $_[4] // 0, map { 7_000_000 + 1000 * $_ } @_[2, 3];
	},
	idle => sub { return 'power::cpu_idle', pack 'l<L<', @_ },	# STATE CPU, -1: it is left
	khz => sub { return 'power::cpu_frequency', pack 'L<2', @_ },	# KHZ CPU
	(map { my $name = $_; ($name => sub { return "kmem::$name", pack 'Q<4', function($_[0]), @_[1 .. 3] }) }	# F ADDRESS REQUESTED BYTES
		qw(kmalloc kmalloc_node kmem_cache_alloc)),
	(map { my $name = $_; ($name => sub { return "kmem::$name", pack 'Q<2', 0, $_[0] }) } qw(kfree kmem_cache_free)),
	(map { my $name = $_; ("page_$name" => sub { return "kmem::mm_page_$name", pack 'q<L<', @_ }) } qw(alloc alloc_zone_locked free free_batched)),	# NUMBER ORDER
	(map { my $name = $_; ("fault_$name" => sub { return "exceptions::page_fault_$name", pack 'Q<3', 4096, $name eq 'user' ? $_[0] : function($_[0]), $_[1] }) }	# WHERE CODE
		qw(user kernel)),
	# ADDRESS BYTES DEVICE, of a packet
	packet => sub { return 'net::net_dev_queue', pack 'Q<L<a8', @_ },
	start_xmit => sub { return 'net::net_dev_start_xmit', pack 'Q<L<a8S<', @_[0 .. 2], $_[3] // 0 },
	xmit => sub { return 'net::net_dev_xmit', pack 'Q<L<a8l<', @_[0 .. 2], $_[3] // 0 },
	receive => sub { return 'net::netif_receive_skb', pack 'Q<L<a8', @_ },
	napi => sub { return 'napi::napi_poll', pack 'a8l<2', @_ },	# DEVICE WORK BUDGET
	drop => sub { return 'skb::kfree_skb', pack 'Q<2l<', $_[0], function($_[1]), $_[2] },	# ADDRESS F REASON
	enter => sub { return 'raw_syscalls::sys_enter', pack 'q<7', $_[0], (0) x 6 },
	'exit' => sub { return 'raw_syscalls::sys_exit', pack 'q<2', @_ },
);

# Where the fields of an event are: [declaration, offset in its record, size, signed].
sub fields_of {
	my ($name) = @_;
	my $at = 8;
	return map {
		my ($decl, $size, $signed) = @$_;
		$at = ($at + 7) & ~7 if $size == 8 && $decl !~ /\[/ || $decl =~ /long .*\[/;
		my $here = $at;
		$at += $size;
		[$decl, $here, $size, $signed];
	} @{$FIELDS{$name}};
}

sub _types {
	my %types = map { my $name = $_; ($name => join '', map { field_text(@$_) } fields_of($name)) } keys %FIELDS;
	return \%types;
}

# The events of a text, as Run::Zedperl::trace takes them: [CPU, ns, 'sys::name', bytes after the common fields, loss, undef,
# PID, flags].
sub events_of {
	my ($text) = @_;
	my @events;
	for (grep { /\S/ } split /[|\n]/, $text) {
		my ($us, $cpu, $pid, $word, @words) = split ' ';
		my $flags = $FLAGS{$word};
		$word = shift @words if $flags;
		($cpu, my $loss) = $cpu =~ /^(\d+)(?:!(-?\d+))?\z/ or die "Write::Miniature: CPU in '$_'\n";
		my ($event, $payload) = ($WORDS{$word} // die "Write::Miniature: no word '$word' in '$_'\n")->(@words);
		push @events, [$cpu, $BASE + 1000 * $us, $event, $payload, $loss, undef, $pid, $flags];
	}
	return @events;
}

# The trace of a text; OPTIONS as those of Run::Zedperl::trace.
sub miniature {
	my ($text, %o) = @_;
	my @events = events_of($text);
	my ($most) = sort { $b <=> $a } map { $_->[0] } @events;
	return trace(types => _types(), print => \%PRINT, events => \@events, cpus => $most + 1, page_size => 4096,
		kallsyms => symbols(), cmdlines => join('', map { "$_ " . comm_of($_) . "\n" } 900 .. 999), %o);
}

# The data of the analysis of that name for a trace, or for several: a reference to an array.
sub analysis { my ($name, $path, @args) = @_; return chosen([], $name, $path, @args) }

# The same for the part that CHOICE, options of zedperl, selects: chosen(['--cpu', 1], 'irq', $path).
sub chosen {
	my ($choice, $name, $path, @args) = @_;
	require JSON::PP;
	my $r = zedperl({ bare => 1 }, @$choice, ref $path ? map({ ('-i', $_) } @$path) : $path, $name, '--json', @args);
	my $data = eval { JSON::PP::decode_json($r->{out}) };
	return { data => $data, %$r };
}

1;
