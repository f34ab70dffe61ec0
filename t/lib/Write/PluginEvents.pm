# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::PluginEvents: the events that our report handlers or plugins of libtraceevent print, each with the fields that
# these need as the kernel writes them, or with some of them changed.
package Write::PluginEvents;
use strict;
use warnings;
use Exporter 'import';
use Write::Dat;

our @EXPORT = qw(plugin_events plugin_numbers plugin_make);

# name => the type as in a format, its pack letter, a value
my %NUMBER = (
	u8 => ['u8', 'C', 1, 0], u16 => ['u16', 'v', 2, 0], int => ['int', 'V', 4, 1], u32 => ['u32', 'V', 4, 0],
	u64 => ['u64', 'Q<', 8, 0], long => ['unsigned long', 'Q<', 8, 0], ptr => ['void *', 'Q<', 8, 0],
	slong => ['long', 'Q<', 8, 1],
);

# [system, event, fields...]: NAME:TYPE=VALUE; comm is char[16], loc a __data_loc char[], tail the rest.
my @EVENTS = map { [split] } grep { /\S/ } split /\n/, <<'EVENTS';
sched sched_switch prev_comm:comm=one prev_pid:int=11 prev_prio:int=120 prev_state:slong=2 next_comm:comm=two next_pid:int=12 next_prio:int=99
sched sched_wakeup comm:comm=three pid:int=13 prio:int=120 success:int=1 target_cpu:int=3
sched sched_wakeup_new comm:comm=four pid:int=14 prio:int=120 target_cpu:int=2
ftrace function ip:long=3221229584 parent_ip:long=3221225488
ftrace func_repeats ip:long=3221229584 parent_ip:long=3221225488 count:u16=3 top_delta_ts:u16=0 bottom_delta_ts:u32=500
ftrace funcgraph_exit func:long=3221229584 depth:u32=1 overrun:u32=0 calltime:u64=1000 rettime:u64=2500
ftrace funcgraph_entry func:long=3221229584 depth:u32=1
ftrace kernel_stack size:int=2 caller:stack=3221229584
ftrace raw_data id:u32=77 buf:tail=abcdef
timer hrtimer_start hrtimer:ptr=4096 function:ptr=3221229568 expires:u64=5 softexpires:u64=6
timer hrtimer_expire_entry hrtimer:ptr=4096 now:u64=7 function:ptr=3221229568
kmem kfree call_site:long=3221229600 ptr:ptr=8192
kmem kmalloc call_site:long=3221229600 ptr:ptr=8192
kmem kmalloc_node call_site:long=3221229600 ptr:ptr=8192
kmem kmem_cache_alloc call_site:long=3221229600 ptr:ptr=8192
kmem kmem_cache_alloc_node call_site:long=3221229600 ptr:ptr=8192
kmem kmem_cache_free call_site:long=3221229600 ptr:ptr=8192
tlb tlb_flush reason:int=1 pages:long=9
syscalls sys_enter_futex uaddr:u64=1 op:u64=1 val:u64=2 utime:u64=3 uaddr2:u64=4 val3:u64=5
kvm kvm_exit exit_reason:u32=1 guest_rip:long=4096 isa:u32=1 info1:u64=1 info2:u64=2
kvm kvm_entry vcpu_id:u32=1 rip:long=4096
kvm kvm_emulate_insn rip:u64=4096 csbase:u32=1 len:u8=3 insn:code=abc flags:u8=8 failed:u8=1
kvm kvm_nested_vmexit rip:u64=4096 exit_code:u32=1 isa:u32=1 exit_info1:u64=1 exit_info2:u64=2 exit_int_info:u32=3 exit_int_info_err:u32=4
kvm kvm_nested_vmexit_inject exit_code:u32=1 isa:u32=1 exit_info1:u64=1 exit_info2:u64=2 exit_int_info:u32=3 exit_int_info_err:u32=4
kvmmmu kvm_mmu_get_page created:u8=1 gfn:u64=16 role:u32=33 root_count:u32=1 unsync:u8=1
kvmmmu kvm_mmu_sync_page gfn:u64=16 role:u32=33 root_count:u32=1 unsync:u8=1
kvmmmu kvm_mmu_unsync_page gfn:u64=16 role:u32=33 root_count:u32=1 unsync:u8=1
kvmmmu kvm_mmu_zap_page gfn:u64=16 role:u32=33 root_count:u32=1 unsync:u8=1
kvmmmu kvm_mmu_prepare_zap_page gfn:u64=16 role:u32=33 root_count:u32=1 unsync:u8=1
mac80211 drv_bss_info_changed wiphy_name:comm=phy0 vif_name:loc=wlan0 vif_type:int=2 assoc:u8=1 aid:u16=5 cts:u8=1 shortpre:u8=1 shortslot:u8=1 dtimper:u8=1 bcnint:u16=100 assoc_cap:u16=1 basic_rates:u32=15 enable_beacon:u8=1 ht_operation_mode:u16=3
EVENTS

# The print formats that the text is made from; the others only show that no handler printed.
my %PRINT = (
	sched_switch => '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", ' .
		'REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 255) ? __print_flags(REC->prev_state & 255, ' .
		'"|", { 1, "S" }, { 2, "D" }, { 4, "T" }, { 8, "t" }, { 16, "X" }, { 32, "Z" }, { 64, "P" }, { 128, "I" }) : "R", ' .
		'REC->prev_state & 256 ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio',
	tlb_flush => '"pages:%ld reason:%s (%d)", REC->pages, __print_symbolic(REC->reason, { 0, "flush on task switch" }, ' .
		'{ 1, "remote shootdown" }, { 2, "local shootdown" }), REC->reason',
);

my $ID = 300;

# [format, record] of an event with CHANGE (field => another type) and PATCH (field => another value).
sub plugin_make {
	my ($spec, $change, $patch, $print, $id) = @_;
	my ($system, $name, @fields) = @$spec;
	my ($text, $behind) = ('', '');
	my @parts;
	for (@fields) {
		my ($field, $type, $value) = /^(\w+):(\w+)=(.*)$/ or die $_;
		$type = $change->{$field} // $type;
		$value = $patch->{$field} // $value;
		push @parts, [$field, $type, $value];
	}
	my $fixed = 8;
	for (@parts) {
		my $type = $_->[1];
		my $size = $NUMBER{$type} ? $NUMBER{$type}[2] : { comm => 16, code => 15, loc => 4, rel => 4, three => 3,
			stack => 0, tail => 0, big => 300, numbers => 16 }->{$type};
		my $align = $NUMBER{$type} ? $size : $type =~ /^(?:loc|rel|stack|tail|numbers)$/ ? 4 : 1;
		$fixed = ($fixed + $align - 1) & -$align;
		$_->[3] = $fixed;
		$fixed += $size;
	}
	my $rec = '';
	for (@parts) {
		my ($field, $type, $value, $at) = @$_;
		$rec .= "\0" x ($at - 8 - length $rec);
		my $plain = $value =~ /^\d+$/ ? $value : 0;
		if (my $n = $NUMBER{$type}) {
			$text .= "\tfield:$n->[0] $field;\toffset:$at;\tsize:$n->[2];\tsigned:$n->[3];\n";
			$rec .= pack $n->[1], $plain;
		} elsif ($type eq 'loc' || $type eq 'rel') {
			my $word = $value =~ /^0x/ ? hex $value : (length($value) + 1) << 16 | $fixed + length $behind;
			$text .= "\tfield:" . ($type eq 'rel' ? '__rel_loc' : '__data_loc') .
				" char[] $field;\toffset:$at;\tsize:4;\tsigned:1;\n";
			$rec .= pack 'V', $word;
			$behind .= "$value\0" if $value !~ /^0x/;
		} elsif ($type eq 'stack' || $type eq 'tail') {
			my $kind = $type eq 'stack' ? 'unsigned long' : 'char';
			$text .= "\tfield:$kind $field\[];\toffset:$at;\tsize:0;\tsigned:0;\n";
			$behind .= $type eq 'stack' ? pack('Q<*', $plain, $plain + 4096, 5) : $value;
		} else {
			my ($kind, $dim, $size) = @{ { comm => ['char', 16, 16], code => ['__u8', 15, 15], three => ['u8', 3, 3],
				big => ['char', 300, 300], numbers => ['u64', 2, 16] }->{$type} };
			$kind = 'struct odd' if $type eq 'three';
			$text .= "\tfield:$kind $field" . ($type eq 'three' ? '' : "[$dim]") . ";\toffset:$at;\tsize:$size;\tsigned:0;\n";
			$rec .= pack "a$size", $value;
		}
	}
	$id //= $ID++;
	return ([$system => Write::Dat::format_text($name, $id, $text, $print // $PRINT{$name} // '"plain"')],
		sub { Write::Dat::common($_[0], $id) . $rec . $behind });
}

sub plugin_events { return @EVENTS }
sub plugin_numbers { return keys %NUMBER }

1;
