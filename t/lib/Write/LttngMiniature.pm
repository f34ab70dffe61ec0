# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::LttngMiniature: the small traces of Write::Miniature as LTTng's kernel tracer would have recorded them: its names
# of events and fields, no task in an event, a system call by its name, masks, priorities from 0.
#
#	my $dir = lttng_miniature("$tmp/1", '100 0 0 switch 0 R 10 | 110 0 10 enter 257');
package Write::LttngMiniature;
use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::Miniature ();

our @EXPORT = qw(lttng_miniature lttng_event_of);

# ---------------------------------------------------------------- names (lttng-modules, include/instrumentation/events)

my %NAMES = ((map { ("irq::softirq_$_" => "irq_softirq_$_") } qw(entry exit raise)), (map { ("power::cpu_$_" => "power_cpu_$_") } qw(idle frequency)),
	(map { ("kmem::$_" => "kmem_$_") } qw(kmalloc kmalloc_node kfree mm_page_alloc mm_page_alloc_zone_locked mm_page_free mm_page_free_batched)),
	(map { ("exceptions::page_fault_$_" => "x86_exceptions_page_fault_$_") } qw(user kernel)),
	(map { ("timer::hrtimer_$_" => "timer_hrtimer_$_") } qw(start expire_entry expire_exit cancel)),
	(map { ("irq_vectors::$_" => "x86_irq_vectors_$_") } map { ("${_}_entry", "${_}_exit") } qw(local_timer reschedule)),
	'net::netif_receive_skb' => 'net_if_receive_skb', 'skb::kfree_skb' => 'skb_kfree');
# Before version 2.7 few names had their system; before 2.6 a call was sys_NAME, and all exits were one event without a number.
my @OLD = ([qr/^irq_softirq_/, 'softirq_'], [qr/^timer_hrtimer_/, 'hrtimer_'], [qr/^power_cpu_/, 'cpu_'], [qr/^kmem_(?!cache)/, ''], [qr/^net_if_/, 'netif_'],
	[qr/^skb_kfree\z/, 'kfree_skb'], [qr/^syscall_entry_/, 'sys_'], [qr/^(?:compat_)?syscall_exit_.*/, 'exit_syscall']);
sub old_name {
	my ($name) = @_;
	for (@OLD) {
		my ($is, $was) = @$_;
		return $name if $name =~ s/$is/$was/;
	}
	return $name;
}

my %HAS_NONE = map { $_ => 1 } 'task::task_rename', 'net::net_dev_start_xmit';	# events that LTTng has not

# Names of the kernel's functions, where those of calls differ; a call that LTTng 2.10 has no event for.
my %FUNCTIONS = (stat => 'newstat', fstat => 'newfstat', lstat => 'newlstat', uname => 'newuname', umount2 => 'umount', sendfile => 'sendfile64',
	_sysctl => 'sysctl');
my %UNKNOWN = map { $_ => 1 } qw(rt_sigreturn arch_prctl vfork);

# Of x86_64, from the table of the kernel's headers.
my @CALLS;
sub call_of {
	my ($nr) = @_;
	if (!@CALLS) {
		open my $in, '<', 'stable/syscalls.txt' or die "stable/syscalls.txt: $!\n";
		my $is_ours;
		while (<$in>) {
			my ($first, @names) = split;
			$is_ours = grep({ $_ eq 'x86_64' } @names) if ($first // '') eq 'arch';
			@CALLS[$first .. $first + $#names] = @names if $is_ours && ($first // '') =~ /^\d+\z/ && $first < 1000;
		}
	}
	return $nr < 0 ? undef : $CALLS[$nr] // die "Write::LttngMiniature: no call $nr\n";
}

# ---------------------------------------------------------------- one event

my %RWBS = (W => 0x1, D => 0x2, R => 0x4, F => 0x100, N => 0);
my %SPECIAL = (E => 0x80, F => 0x200, A => 0x8, S => 0x20, M => 0x40);
sub mask_of {
	my ($letters) = @_;
	my $mask = $letters =~ s/^F(?=[WDRFN])// ? 0x400 : 0;
	$letters =~ s/^([WDRFN])// or die "Write::LttngMiniature: rwbs $letters\n";
	$mask |= $RWBS{$1};
	$mask |= $SPECIAL{$_} for split //, $letters;
	return $mask;
}

# A field as [name, kind, value, bits, signed]; of what LTTng does not record: nothing.
sub field_of {
	my ($event, $decl, $bytes, $signed) = @_;
	my ($name, $count) = $decl =~ /(\w+)(?:\[(\d+)\])?\z/ or die;
	return if $event eq 'skb::kfree_skb' && $name eq 'reason' || $event eq 'workqueue::workqueue_queue_work' && $name =~ /^(?:workqueue|cpu)\z/;
	return ['rwbs', 'int', mask_of(unpack 'Z*', $bytes), 32, 0] if $name eq 'rwbs';
	return [$name, $name =~ /comm\z/ ? 'array' : 'string', unpack('Z*', $bytes)] if $count && $decl =~ /^char /;
	return [$name, 'ints', [unpack 'Q<*', $bytes]] if $count;
	my $value = unpack { 1 => 'c', 2 => 's<', 4 => $signed ? 'l<' : 'L<', 8 => $signed ? 'q<' : 'Q<' }->{length $bytes}, $bytes;
	return [$name, 'int', $value, 8, 0] if $name eq 'error_code';
	$name =~ s/pid\z/tid/;
	return [$name, 'int', $name =~ /prio\z/ ? $value - 100 : $value, 8 * length $bytes, $signed];
}

# The call that an event of raw_syscalls is of: LTTng's name of the event; its fields follow from it.
sub syscall_event {
	my ($end, $nr) = @_;
	my $call = call_of($nr);
	# A return from a signal's handler has no number.
	return 'compat_syscall_exit_unknown' if !defined $call;
	return "syscall_${end}_" . ($UNKNOWN{$call} ? 'unknown' : $FUNCTIONS{$call} // $call);
}

# An event of Write::Miniature as (LTTng's name, its fields as field_of() gives them).
sub lttng_event_of {
	my ($event, $payload) = @_;
	die "Write::LttngMiniature: LTTng has no $event\n" if $HAS_NONE{$event};
	my @fields = map {
		my ($decl, $at, $size, $signed) = @$_;
		field_of($event, $decl, substr("$payload" . "\0" x $size, $at - 8, $size), $signed);
	} Write::Miniature::fields_of($event);
	my ($system, $name) = split /::/, $event;
	return ($NAMES{$event} // $name, @fields) if $system ne 'raw_syscalls';
	my ($id, @others) = @fields;
	my $called = syscall_event($name eq 'sys_enter' ? 'entry' : 'exit', $id->[2]);
	$id->[3] = 32;
	return ($called, $called =~ /_unknown\z/ ? $id : (), $called =~ /entry_/ && $called !~ /_unknown\z/ ? () : @others);
}

sub declaration {
	my ($name, $kind, $value, $bits, $signed) = @{$_[0]};
	return "string _$name;" if $kind eq 'string';
	return "integer { size = 8; align = 8; signed = false; encoding = UTF8; } _$name\[16];" if $kind eq 'array';
	return "uint64_t _$name\[" . @$value . '];' if $kind eq 'ints';
	return "integer { size = $bits; align = 8; signed = " . ($signed ? 'true' : 'false') . "; } _$name;";
}

sub put {
	my ($w, $field) = @_;
	my ($name, $kind, $value, $bits) = @$field;
	return $w->string($value) if $kind eq 'string';
	return $w->bytes(pack 'a16', $value) if $kind eq 'array';
	return $w->int($value, $bits) if $kind eq 'int';
	$w->int($_, 64) for @$value;
	return;
}

# ---------------------------------------------------------------- a trace

# ENV: more of the environment, whose release says the machine; MORE: metadata of more events; PART: events of a packet;
# OLD: as LTTng 2.5 would have.
sub lttng_miniature {
	my ($dir, $text, %o) = @_;
	my %env = (domain => 'kernel', sysname => 'Linux', hostname => 'mini', kernel_release => '6.1.0-13-amd64', kernel_version => '#1 SMP',
		tracer_name => 'lttng-modules', %{$o{env} // {}});
	my (%id, %packets, $metadata);
	for (Write::Miniature::events_of($text)) {
		my ($cpu, $ns, $event, $payload, $loss) = @$_;
		my ($name, @fields) = lttng_event_of($event, $payload);
		$name = old_name($name) if $o{old};
		@fields = grep { $_->[0] eq 'ret' } @fields if $name eq 'exit_syscall';
		if (!defined $id{$name}) {
			$id{$name} = keys %id;
			$metadata .= "event { name = \"$name\"; id = $id{$name}; stream_id = 0; fields := struct { " . join(' ', map { declaration($_) } @fields) . " }; };\n";
		}
		my $packets = $packets{$cpu} //= [{ cpu => $cpu, number => 0, lost => 0, events => [] }];
		if ($loss || ($o{part} && @{$packets->[-1]{events}} == $o{part})) {
			$packets->[-1]{lost} += $loss // 0;
			push @$packets, { cpu => $cpu, number => scalar @$packets, lost => $packets->[-1]{lost}, events => [] };
		}
		my $packet = $packets->[-1];
		$packet->{begin} //= $ns;
		$packet->{end} = $ns;
		push @{$packet->{events}}, [$id{$name}, $ns, sub { my ($w) = @_; put($w, $_) for @fields }, 'extended'];
	}
	return ctf_write($dir, ctf_head(env => \%env) . $metadata . ($o{more} // ''), map { ("channel0_$_" => ctf_packets({}, @{$packets{$_}})) } keys %packets);
}

1;
