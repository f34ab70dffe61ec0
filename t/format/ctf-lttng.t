# SPDX-License-Identifier: GPL-2.0-or-later
#
# What LTTng's kernel tracer says in other words than tracefs: second names, system calls by name and on an unknown machine,
# masks, interrupts, who runs after a loss, names from the state dump.  Without it scripts for one of the two tracers are
# silent on the other's traces.
#
# of: reader/ctf stable trace interp/bind
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Babeltrace;
use Run::Program;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::LttngMiniature;
use Write::Miniature;

my $tmp = zed_tmp();
my $made = 0;

sub lttng { my ($text, %o) = @_; return lttng_miniature("$tmp/" . ++$made, $text, %o) }

# What a script prints of a trace.
sub prints {
	my ($dir, $script, @args) = @_;
	my $r = zed_run('zedperl', @args, '-e', "use Zed; $script", $dir);
	return $r->{out} . $r->{err};
}

my $SWITCHES = '0 0 0 switch 0 R 7 | 10 0 7 softirq 1 | 12 0 7 softirqx 1 | 20 0 7 enter 257 | 30 0 7 exit 257 3 | 40 0 7 switch 7 S 8';

# ---------------------------------------------------------------- second names

{
	my $dir = lttng($SWITCHES);
	is(prints($dir, 'sub lttng::irq_softirq_entry { print Zed::event(), " $_[-1]\n" } sub lttng::syscall_entry_openat { print Zed::event(), "\n" }'),
		"irq::softirq_entry 1\nsyscalls::sys_enter_openat\n", "a sub with LTTng's own name of an event gets it (else: what is in LTTng's manuals does nothing)");
	is(prints($dir, 'sub lttng::sched_switch { print "second\n" } sub sched::sched_switch { print "first\n" }'), "first\nfirst\n",
		'of the subs of both names the first one is called, once');
	is(prints($dir, 'Zed::on("lttng:irq_*", args => ["vec"], sub { print "vec $_[0]\n" })'), "vec 1\nvec 1\n", 'a handler with a glob of them gets each once');
	is(prints($dir, 'my $n = Zed::count("lttng:sched_switch"); sub trace_end { print $n->get, "\n" }'), "2\n", 'an aggregation counts each once');
	is(prints($dir, 'my $n = Zed::count("*:sched_switch"); sub trace_end { print $n->get, "\n" }'), "2\n", '... and with a glob that both names match');
	is(prints($dir, 'sub trace_unhandled { print Zed::event(), "\n" }', '-F', 'lttng:sched_switch: prev_tid == 7', '--event', 'lttng:sched_switch'), "sched::sched_switch\n",
		'filters and --event know them');
	my $r = zed_run('zedprint', '-f', 'json', '--event', 'lttng', $dir);
	is(scalar(() = $r->{out} =~ /\n/g), 6, '--event lttng: all events of the kernel tracer, each once') or diag $r->{err};
	is(prints($dir, 'Zed::synthetic("a::call", start => "lttng:syscall_entry_*", end => "lttng:syscall_exit_*", match => "start.common_pid == end.common_pid", fields => [took => "end.ts - start.ts"]); sub a::call { print "$_[-1]\n" }'),
		"10000\n", 'synthetic events are made of them');
	like(prints($dir, 'sub lttng::sched_swich { }'), qr/sub lttng::sched_swich matches no event/, 'one that does not exist is said');
}

# ---------------------------------------------------------------- system calls

my $CALLS = '0 0 0 switch 0 R 7 | 10 0 7 enter 257 | 11 0 7 exit 257 -2 | 20 0 7 enter 4 | 21 0 7 exit 4 0 | 30 0 7 enter 15 | 31 0 7 exit -1 -4 | 40 0 7 enter 166 | 41 0 7 exit 166 0';
my $SHOW = 'Zed::on("syscall:enter", args => [qw(nr name)], sub { print "enter @_\n" });
	Zed::on("syscall:exit", args => [qw(nr name ret)], sub { print "exit @_\n" }); sub raw_syscalls::sys_enter { print "raw\n" }';
{
	my $got = prints(lttng($CALLS), $SHOW);
	is($got, join('', map { "$_\n" } 'enter 257 openat', 'exit 257 openat -2', 'enter 4 stat', 'exit 4 stat 0', 'enter 15 rt_sigreturn', 'exit -1 -1 -4',
		'enter 166 umount2', 'exit 166 umount2 0'), "calls have the machine's numbers and the names that programs use; one that LTTng does not know has its number; raw_syscalls gets none");
	my %env = (kernel_release => '6.1.0');
	$got = prints(lttng($CALLS, env => \%env), $SHOW);
	is($got, join('', map { "$_\n" } 'enter 7168 openat', 'exit 7168 openat -2', 'enter 7169 stat', 'exit 7169 stat 0', 'enter 15 15', 'exit -1 -1 -4',
		'enter 7170 umount2', 'exit 7170 umount2 0'), 'on a machine that is not known a call has the same name and a number that no machine has (else: numbers of another machine)');
	is(prints(lttng($CALLS, env => \%env), 'Zed::on("syscall:enter", args => ["nr"], where => "nr >= 7168", sub { print Zed::syscall_name($_[0]), "\n" }); my $n = Zed::count("syscall:enter", by => "syscall(nr)"); sub trace_end { print join(" ", map { "$_->{q{syscall(nr)}}:$_->{count}" } $n->rows), "\n" }')
		=~ s/\A(?:.*\n){3}//r =~ s/^(.*)\n/join ' ', sort split ' ', $1/er, '15:1 openat:1 stat:1 umount2:1', '... which Zed::syscall_name and expressions know');
	is(prints(lttng($CALLS, env => { %env, machine => 'x86_64' }), 'sub trace_end { print Zed::uname(), "\n" }'), "Linux mini 6.1.0 #1 SMP x86_64\n", 'a machine that the trace states is taken');
	is(prints(lttng($CALLS, env => \%env), 'sub trace_end { print Zed::uname(), "\n" }'), "Linux mini 6.1.0 #1 SMP unknown\n", '... and without one it is said');
	is(prints(lttng('0 0 0 switch 0 R 7 | 1 0 7 fault_user 1 4', env => \%env), 'sub trace_end { print Zed::uname() =~ s/.* //r, "\n" }'), "x86_64\n", "events of x86's exceptions tell the machine");
	is(prints(lttng($CALLS), 'my $n = Zed::count("syscall:enter", by => "name"); sub trace_end { print scalar($n->rows), "\n" }', '--event', 'syscall:enter'), "4\n", '--event: the stable event means the calls');
	my $r = zed_run('zedperl', '--stable-check', lttng($CALLS));
	like($r->{out}, qr/^syscall::enter +syscalls:sys_enter_newstat, syscalls:sys_enter_openat, syscalls:sys_enter_umount, syscalls:sys_enter_unknown$/m, '--stable-check has them') or diag "$r->{out}$r->{err}";
	$r = zed_run('zedperl', '--stable-check', lttng('0 0 0 switch 0 R 7 | ' . join ' | ', map { "$_ 0 7 enter $_" } 0 .. 9, 20 .. 29));
	like($r->{out}, qr/^syscall::enter .* and 12 more\n(?:.*\n){8} +and so on$/m, '... of many, some (else: hundreds of lines of one event)') or diag "$r->{out}$r->{err}";
}

# 32-bit programs: the names are those of their calls.
{
	my $more = 'event { name = "compat_syscall_entry_openat"; id = 900; stream_id = 0; fields := struct { }; };' . "\n";
	my $dir = "$tmp/" . ++$made;
	ctf_write($dir, ctf_head(env => { domain => 'kernel', kernel_release => '6.1.0-1-amd64', sysname => 'Linux' }) . $more, chan_0 => ctf_packets({}, { begin => 1, end => 9, events => [[900, 5, undef, 'extended']] }));
	like(prints($dir, $SHOW), qr/^enter 257 openat$/m, 'calls of 32-bit programs are calls');
}

# ---------------------------------------------------------------- masks and numbers

{
	my $dir = lttng('0 0 0 switch 0 R 7 | 1 0 7 C WS 8+8 | 2 0 7 C FWFS 8+8 | 3 0 7 C R 8+8 | 4 0 7 C RA 8+8 | 5 0 7 C DE 8+8 | 6 0 7 C FF 0+0 | 7 0 7 C N 0+0');
	is(prints($dir, 'sub block::rq_complete { print join(" ", map { Zed::field($_) } qw(rwbs rw sector bytes)), "\n" }'),
		join('', map { "$_\n" } 'WS 1 8 4096', 'FWFS 1 8 4096', 'R 0 8 4096', 'RA 0 8 4096', 'DE 1 8 4096', 'FF 1 0 0', 'N 0 0 0'), "rwbs: a request's mask is the kernel's letters (else: a write is a number)");
	is(prints(lttng($SWITCHES), 'sub softirq::enter { print Zed::field("name"), "\n" }'), "TIMER\n", 'a softirq has its name');
}

# ---------------------------------------------------------------- interrupts and tasks

{
	my $text = '0 0 0 switch 0 R 7 | 10 0 7 waking 9 | 20 0 7 irq 4 | 21 0 7 waking 9 | 22 0 7 irqx 4 | 30 0 7 softirq 3 | 31 0 7 waking 9 | 32 0 7 irq 4 | 33 0 7 waking 9 | 34 0 7 irqx 4
35 0 7 waking 9 | 36 0 7 softirqx 3 | 37 0 7 waking 9 | 40 0 7 softirq 8 | 41 0 7 expire h 1 | 42 0 7 waking 9 | 43 0 7 expirex h | 44 0 7 softirqx 8
50 0 7 expire h 1 | 51 0 7 waking 9 | 52 0 7 expirex h | 60 0 7 local_timer | 61 0 7 waking 9 | 62 0 7 local_timerx | 63 0 7 waking 9 | 70 0 7 irqx 4 | 71 0 7 waking 9';
	my $flags = 'Zed::on("sched:sched_waking", args => ["common_flags"], optional => 1, sub { print $_[0] // "undef", " " })';
	is(prints(lttng($text), $flags), '0 8 16 24 16 0 16 8 8 0 0 ', 'common_flags: in an interrupt (8), in a softirq (16), by what was recorded (else: a task that was interrupted wakes others)');
	is(prints(lttng('0 0 0 switch 0 R 7 | 20 0 7 irq 4 | 21 0 7 waking 9'), $flags), 'undef ', '... and unknown where softirqs were not recorded');
	my $r = zed_run('zedprint', '-f', 'json', lttng($text));
	unlike($r->{out}, qr/common_flags/, '... and it is no field of the trace') or diag $r->{out};
	my $loss = '0 0 0 switch 0 R 7 | 10 0 7 irq 4 | 20 0!5 7 waking 9 | 30 0 7 switch 7 S 8 | 40 0 8 softirq 3 | 41 0 8 softirqx 3';
	is(prints(lttng($loss), 'Zed::on("*:*", args => [qw(event common_pid common_flags)], optional => 1, sub { print "$_[0] $_[1] $_[2]\n" })'), <<'END', 'after a loss nobody knows who runs, up to the next switch (else: a task that left long ago)');
sched::sched_switch 0 0
irq::irq_handler_entry 7 8
sched::sched_waking -1 0
sched::sched_switch 7 0
irq::softirq_entry 8 16
irq::softirq_exit 8 16
END
}

# ---------------------------------------------------------------- Perfetto

# The fields of a protobuf message: [number, value]; a message is its bytes.
sub fields_of_message {
	my ($bytes) = @_;
	my ($at, @fields) = (0);
	my $varint = sub {
		my ($v, $shift) = (0, 0);
		while (1) {
			my $byte = ord substr $bytes, $at++, 1;
			$v |= ($byte & 127) << $shift;
			return $v if $byte < 128;
			$shift += 7;
		}
	};
	while ($at < length $bytes) {
		my $key = $varint->();
		my $n = $key & 7 ? undef : $varint->();
		my $len = ($key & 7) == 2 ? $varint->() : { 1 => 8, 5 => 4 }->{$key & 7} // 0;
		push @fields, [$key >> 3, $n // substr $bytes, $at, $len];
		$at += $len;
	}
	return @fields;
}

# The events of ftrace in Perfetto's trace of PATH: a line for each, its fields sorted, without those that LTTng cannot have.
sub ftrace_events {
	my ($path) = @_;
	my $r = zed_run('zedprint', '-f', 'perfetto', $path);
	my %without = (329 => 2);	# raw_syscalls:sys_enter: args
	return join '', sort map {
		my %of = map { @$_ } fields_of_message($_);
		my ($kind) = grep { $_ > 2 } keys %of;
		"$of{1} pid $of{2} $kind: " . join(' ', sort map { "$_->[0]=$_->[1]" } grep { $_->[0] != ($without{$kind} // 0) } fields_of_message($of{$kind})) . "\n";
	} map { $_->[1] } grep { $_->[0] == 2 } map { fields_of_message($_->[1]) } grep { $_->[0] == 1 } map { fields_of_message($_->[1]) } fields_of_message($r->{out});
}

{
	my $text = '0 0 0 switch 0 R 7 | 10 0 7 enter 257 | 11 0 7 exit 257 -2 | 12 0 7 D FWFS 8+8 | 13 0 7 C FWFS 8+8 | 14 0 7 waking 8 | 15 0 7 fork 7 9 | 16 0 7 irq 4 | 17 0 7 irqx 4
18 0 7 raise 3 | 19 0 7 softirq 3 | 20 0 7 softirqx 3 | 21 0 7 idle 1 0 | 22 0 7 switch 7 R+ 8';
	my $of_ftrace = ftrace_events(miniature($text));
	is(ftrace_events(lttng($text)), $of_ftrace, "Perfetto gets the same events as of ftrace (else: its CPUs run nothing, and calls have no number)");
	is(scalar(() = $of_ftrace =~ /\n/g), 14, '... all of them');
}

# The state dump names tasks, also if nobody asks for its events.
{
	my $events = <<'END';
event { name = "lttng_statedump_process_state"; id = 1; stream_id = 0; fields := struct { integer { size = 32; align = 8; signed = true; } _tid;
	integer { size = 8; align = 8; signed = false; encoding = UTF8; } _name[16]; integer { size = 32; align = 8; signed = true; } _status; uint32_t _cpu; }; };
event { name = "sched_waking"; id = 2; stream_id = 0; fields := struct { integer { size = 32; align = 8; signed = true; } _tid; }; };
END
	my $state = sub { my ($tid, $name) = @_; return sub { $_[0]->int($tid, 32)->bytes(pack 'a16', $name)->int(2, 32)->int(0, 32) } };
	my $bytes = ctf_packets({}, { begin => 1, end => 99, events => [[1, 10, $state->(7, 'seven')], [2, 20, sub { $_[0]->int(7, 32) }]] });
	my $dir = ctf_write("$tmp/" . ++$made, ctf_head(env => { domain => 'kernel', kernel_release => '4.4.0' }) . $events, chan_0 => $bytes);
	is(prints($dir, 'sub sched::sched_waking { print Zed::comm_of(7), " ", Zed::pid(), "\n" }'), "seven -1\n", 'a name from the state dump; of no task it says that it runs (else: tasks without names, or a task that only waited)');
}

# A program has the name of its exec, whatever the state dump called its task; and a window begins with the names that its events
# have when all is read.
{
	my $dir = "$tmp/" . ++$made;
	my $int = 'integer { size = 32; align = 8; signed = true; }';
	my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
	my $events = <<"END";
event { name = "lttng_statedump_process_state"; id = 1; stream_id = 0; fields := struct { $int _tid; $comm _name[16]; }; };
event { name = "sched_switch"; id = 2; stream_id = 0; fields := struct { $comm _prev_comm[16]; $int _prev_tid; $comm _next_comm[16]; $int _next_tid; }; };
event { name = "sched_process_exec"; id = 3; stream_id = 0; fields := struct { string _filename; $int _tid; $int _old_tid; }; };
event { name = "sched_waking"; id = 4; stream_id = 0; fields := struct { $int _tid; }; };
END
	my $waking = sub { $_[0]->int(9, 32) };
	my @events = ([1, 10, sub { $_[0]->int(7, 32)->bytes(pack 'a16', 'sh') }], [2, 20, sub { $_[0]->bytes(pack 'a16', 'idle')->int(0, 32)->bytes(pack 'a16', 'sh')->int(7, 32) }],
		[4, 30, $waking], [3, 40, sub { $_[0]->string('/bin/ls')->int(7, 32)->int(7, 32) }], [4, 50, $waking], [4, 60, $waking]);
	ctf_write($dir, ctf_head(env => { domain => 'kernel', kernel_release => '4.4.0' }) . $events, chan_0 => ctf_packets({}, map { { begin => $_->[1], end => $_->[1], events => [$_] } } @events));
	is(prints($dir, 'sub sched::sched_waking { print Zed::comm(), " " }'), 'sh ls ls ', 'after an exec a task has its new name (else: that of the state dump for ever)');
	for my $form ([], ['-f', 'kernel'], ['-f', 'json'], ['-f', 'zed']) {
		my @all = grep { /ls/ && !/exec|^#/ } split /^/, zed_run('zedprint', @$form, $dir)->{out};
		my @part = grep { !/^#/ } split /^/, zed_run('zedprint', @$form, '--start', '0.000000050', $dir)->{out};
		is_deeply(\@part, \@all, "@$form: a window begins with the names that it has of the whole (else: the tasks in it are <...>)");
		is(scalar @part, 2, '... two events');
	}
}

# The same without a state dump.
for my $form ([], ['-f', 'report'], ['-f', 'kernel'], ['-f', 'json']) {
	my $dir = lttng('0 0 0 switch 0 R 7 | 10 0 7 softirq 1 | 20 0 7 softirqx 1');
	my @all = grep { /softirq_/ } split /^/, zed_run('zedprint', @$form, $dir)->{out};
	my @part = grep { /softirq_/ } split /^/, zed_run('zedprint', @$form, '--start', '-10us', $dir)->{out};
	is_deeply(\@part, \@all, "@$form: names of switches before the time that is asked for");
	like($part[0] // '', qr/\bt7\b/, '... which are known');
}

# In a container a program has another number; the kernel's events know it by theirs.
{
	my $events = <<'END';
event { name = "sched_switch"; id = 1; stream_id = 0; fields := struct { integer { size = 32; align = 8; signed = true; } _prev_tid; integer { size = 32; align = 8; signed = true; } _next_tid; }; };
event { name = "syscall_entry_getpid"; id = 2; stream_id = 0; fields := struct { }; };
END
	my $switch = sub { my ($vtid, $prev, $next) = @_; return sub { $_[0]->int($vtid, 32)->int($prev, 32)->int($next, 32) } };
	my $call = sub { $_[0]->int(3, 32) };
	my $bytes = ctf_packets({}, { begin => 1, end => 99, events => [[2, 10, $call], [1, 20, $switch->(0, 0, 70)], [2, 30, $call]] });
	my $head = ctf_head(env => { domain => 'kernel', kernel_release => '6.1.0' }, with => "event.context := struct { integer { size = 32; align = 8; signed = true; } _vtid; };");
	my $dir = ctf_write("$tmp/" . ++$made, $head . $events, chan_0 => $bytes);
	is(prints($dir, 'Zed::on("*:*", sub { print Zed::pid(), " " })'), '3 0 70 ', "a context vtid is the task only as long as the kernel's number is not known (else: a container's task is another one)");
}

# One session of the kernel and of programs: the kernel's switches say who caused a program's event without a context.
{
	my $dir = "$tmp/" . ++$made;
	lttng_miniature("$dir/kernel", '0 0 0 switch 0 R 7 | 10 0 7 switch 7 S 8');
	my $events = 'event { name = "mine:event"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };' . "\n";
	my $at = sub { my ($us) = @_; return [1, 1_000_000_000 + 1000 * $us, sub { $_[0]->int($us, 32) }, 'extended'] };
	ctf_write("$dir/ust/uid/0/64-bit", ctf_head(env => { domain => 'ust' }) . $events, chan_0 => ctf_packets({}, { begin => 1, end => 2_000_000_000, events => [map { $at->($_) } 5, 15] }));
	is(prints($dir, 'Zed::on("mine:event", sub { print Zed::pid(), " ", Zed::comm(), "\n" })'), "7 t7\n8 t8\n", "a program's event is of the task that the kernel's trace has on its CPU");
}

# Forks name tasks, and programs do.
{
	my $dir = lttng('0 0 0 switch 0 R 7 | 10 0 7 fork 7=seven 9=nine | 20 0 7 waking 9');
	is(prints($dir, 'sub sched::waking { print Zed::comm_of(9), "\n" }'), "nine\n", 'a new task has the name that its fork says');
	is(prints($dir, 'sub sched::process_fork { print join(" ", map { Zed::field($_) } qw(parent_pid child_pid)), "\n" }'), "7 9\n", '... and sched::process_fork the numbers of both');
}

# ---------------------------------------------------------------- before LTTng 2.6

# Calls are sys_NAME, all exits one event without a number; other names lack their system; packets do not say their CPU.
{
	my $text = '0 0 0 switch 0 R 7 | 0 1 0 switch 0 R 8 | 10 0 7 enter 257 | 11 1 8 enter 4 | 12 0 7 exit 257 -2 | 13 1 8 exit 4 0 | 14 1 8 exit 4 0 | 20 0 7 softirq 1 | 21 0 7 softirqx 1 | 30 0 7 enter 35
40 0 7 switch 7 S 0 | 50 1 8 switch 8 S 7 | 60 1 7 exit 35 0 | 70 1 7 enter 15 | 71 1 7 exit -1 -4';
	my $dir = lttng($text, old => 1);
	my $metadata = do { local (@ARGV, $/) = "$dir/metadata"; <> };
	ctf_write($dir, $metadata =~ s/uint32_t cpu_id/uint32_t was_cpu/r);
	my $r = zed_run('zedprint', '-f', 'json', $dir);
	is(join(' ', $r->{out} =~ /"event":"(.*?)"/g), join(' ', (map { "sched::sched_$_" } qw(switch switch)), map({ "syscalls::sys_$_" } qw(enter_openat enter_newstat exit exit exit)),
		qw(irq::softirq_entry irq::softirq_exit syscalls::sys_enter_nanosleep), (map { "sched::sched_$_" } qw(switch switch)), map { "syscalls::sys_$_" } qw(exit enter_unknown exit)), 'older names are those of tracefs');
	unlike($r->{out} =~ s/"exit".*?\n//gr, qr/"id":(?!15)/, '... and the number of a call is no field of its exit');
	is(join('', $r->{out} =~ /"cpu":(\d)/g), '010101100001111', '... of the CPU in the names of the files') or diag $r->{out};
	is(prints($dir, $SHOW), join('', map { "$_\n" } 'enter 257 openat', 'enter 4 stat', 'exit 257 openat -2', 'exit 4 stat 0', 'exit -1 -1 0', 'enter 35 nanosleep', 'exit 35 nanosleep 0',
		'enter 15 rt_sigreturn', 'exit 15 rt_sigreturn -4'), 'an exit is of the call that its task entered, wherever it runs (else: no call has a duration)');
	like(prints($dir, 'sub lttng::sys_openat { print "own\n" } sub lttng::exit_syscall { print "exit\n" }'), qr/\Aown\nexit\n/, "LTTng's own names");
	SKIP: {
		my ($bt) = grep { -x } map { "$_/babeltrace2" } split /:/, $ENV{PATH};
		skip 'babeltrace2 is missing: apt-get install babeltrace2', 1 if !$bt;
		my $theirs = zed_tmp() . '/old.txt';
		open my $h, '>', $theirs or die;
		print $h qx{$bt --clock-cycles --no-delta --names=all --fields=all $dir} =~ s/was_cpu/cpu_id/gr;
		close $h or die;
		my %named = (exit_syscall => 'syscalls::sys_exit', softirq_entry => 'irq::softirq_entry', softirq_exit => 'irq::softirq_exit');
		my ($same, $differs) = babeltrace_differs($theirs, $r->{out}, sub { my ($n) = @_; return $named{$n} // ($n =~ /^sys_(.*)/ ? "syscalls::sys_enter_$1" : linux_name($n)) });
		is($same, 15, "each event is as babeltrace2 prints it") or diag $differs;
	}
}

# Programs' events: SYSTEM:NAME.
{
	my $dir = ctf_write("$tmp/" . ++$made, ctf_head() . 'event { name = "ros2:callback_start"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };' . "\n",
		chan_0 => ctf_packets({}, { begin => 1, end => 9, events => [[1, 5, sub { $_[0]->int(4, 32) }]] }));
	is(prints($dir, 'sub ros2::callback_start { print Zed::event(), " $_[-1]\n" }'), "ros2::callback_start 4\n", 'an event of ROS 2 has a sub of its name');
}

done_testing();
