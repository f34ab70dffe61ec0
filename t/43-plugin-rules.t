# SPDX-License-Identifier: GPL-2.0-or-later
#
# The handlers of libtraceevent's plugins take what they want from a record without looking.  Each event
# that one of them may print is tried here as the kernel writes it, where the text has to be trace-cmd's,
# and with every field that the handler asks for being something else, where it has to be that of the
# print format: what a handler gets that was not checked is read wherever it is said to be.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use MiniDat;
use ZedRun;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');
plan skip_all => 'no plugins of libtraceevent here (libtraceevent1-plugin)'
	unless grep { -e "$_/plugin_kvm.so" } map { glob } qw(/usr/lib*/traceevent/plugins
		/usr/lib*/*/traceevent/plugins /usr/local/lib*/traceevent/plugins);
my $stock = system('trace-cmd --version >/dev/null 2>&1') == 0;

# name => the type as a format has it, its pack letter, a value
my %number = (
	u8 => ['u8', 'C', 1, 0], u16 => ['u16', 'v', 2, 0], int => ['int', 'V', 4, 1], u32 => ['u32', 'V', 4, 0],
	u64 => ['u64', 'Q<', 8, 0], long => ['unsigned long', 'Q<', 8, 0], ptr => ['void *', 'Q<', 8, 0],
	slong => ['long', 'Q<', 8, 1],
);

# [system, event, fields...]: NAME:TYPE=VALUE; comm is char[16], loc a __data_loc char[], tail what is left.
my @events = map { [split] } grep { /\S/ } split /\n/, <<'EVENTS';
sched sched_switch prev_comm:comm=one prev_pid:int=11 prev_prio:int=120 prev_state:slong=2 next_comm:comm=two next_pid:int=12 next_prio:int=99
sched sched_wakeup comm:comm=three pid:int=13 prio:int=120 success:int=1 target_cpu:int=3
sched sched_wakeup_new comm:comm=four pid:int=14 prio:int=120 target_cpu:int=2
ftrace function ip:long=3221229584 parent_ip:long=3221225488
ftrace func_repeats ip:long=3221229584 parent_ip:long=3221225488 count:u16=3 top_delta_ts:u16=0 bottom_delta_ts:u32=500
ftrace kernel_stack size:int=2 caller:stack=3221229584
ftrace raw_data id:u32=77 buf:tail=abcdef
timer hrtimer_start hrtimer:ptr=4096 function:ptr=3221229584 expires:u64=5 softexpires:u64=6
timer hrtimer_expire_entry hrtimer:ptr=4096 now:u64=7 function:ptr=3221229584
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

my $ID = 300;

# [format, record] of an event with CHANGE (field => another type) and PATCH (field => another value).
sub make {
	my ($spec, $change, $patch, $print, $id) = @_;
	my ($system, $name, @fields) = @$spec;
	my ($text, $data, $behind, $off) = ('', '', '', 8);
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
		my $size = $number{$type} ? $number{$type}[2] : { comm => 16, code => 15, loc => 4, rel => 4, three => 3,
			stack => 0, tail => 0, big => 300, numbers => 16 }->{$type};
		my $align = $number{$type} ? $size : $type =~ /^(?:loc|rel|stack|tail|numbers)$/ ? 4 : 1;
		$fixed = ($fixed + $align - 1) & -$align;
		$_->[3] = $fixed;
		$fixed += $size;
	}
	my $rec = '';
	for (@parts) {
		my ($field, $type, $value, $at) = @$_;
		$rec .= "\0" x ($at - 8 - length $rec);
		my $plain = $value =~ /^\d+$/ ? $value : 0;
		if (my $n = $number{$type}) {
			$text .= "\tfield:$n->[0] $field;\toffset:$at;\tsize:$n->[2];\tsigned:$n->[3];\n";
			$rec .= pack $n->[1], $plain;
		} elsif ($type eq 'loc' || $type eq 'rel') {
			my $word = $value =~ /^0x/ ? hex $value : (length($value) + 1) << 16 | $fixed + length $behind;
			$text .= "\tfield:__${type}" . ($type eq 'rel' ? '_loc' : '') . " char[] $field;\toffset:$at;\tsize:4;\tsigned:1;\n"
				=~ s/__loc/__data_loc/r;
			$text =~ s/__loc /__data_loc /;
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
	return ([$system => MiniDat::format_text($name, $id, $text, $print // '"plain"')],
		sub { MiniDat::common($_[0], $id) . $rec . $behind });
}

my $n = 0;
sub file {
	my @made = @_;
	my $d = MiniDat->new(cpus => 1, page_size => 65536, formats => [grep { $_ } map { $_->[0] } @made],
		kallsyms => "c0000000 T mini_first\nc0001000 T mini_start\nc0002000 t mini_end\t[mini]\n",
		make_pages => sub {
			my ($d) = @_;
			return MiniDat::page($d, 1_000_000_000, join '', map { MiniDat::data_event($d, 1000, $_->[1]->($d)) } @made);
		});
	return $d->write(zed_tmp() . '/' . $n++ . '.dat');
}

sub report {
	my $run = zed_run({ time => 60 }, 'zedprint', '-f', 'report', @_);
	ok(!$run->{signal} && !$run->{late} && $run->{exit} < 2 && $run->{err} !~ /Sanitizer/, 'zedprint lives')
		or diag("signal $run->{signal} exit $run->{exit} late $run->{late}\n", substr $run->{err}, 0, 2000);
	return $run->{out};
}

# The text of each event, by its name's place.
sub texts { return map { s/^.*? \d+\.\d+: \w+: +//sr } split /^(?= +mini-77)/m, $_[0] =~ s/\Acpus=\d+\n//r }

# ---------------------------------------------------------------- as the kernel writes them

my $good = file(map { [make($_, {}, {})] } @events);
my $out = report($good);
my @text = texts($out);
is(@text, @events, 'every event has its text');
for my $i (0 .. $#events) {
	my $name = $events[$i][1];
	next if $text[$i] !~ /^plain/;
	fail("$name is printed by its plugin (else: a rule that nothing passes)");
}
SKIP: {
	skip 'no trace-cmd to compare with', 1 if !$stock;
	my $theirs = qx{trace-cmd report $good 2>/dev/null};
	ok($out eq $theirs, "the text is trace-cmd's (else: a rule changes what is right)") or do {
		my @theirs = texts($theirs);
		diag("$events[$_][1]:\n  $text[$_]  $theirs[$_]")
			for grep { $text[$_] ne ($theirs[$_] // '') } 0 .. $#text;
	};
}

# ---------------------------------------------------------------- fields that are something else

# What a handler gets when its field is of that type has been tried: it must not be called at all.
my %other = (
	(map { $_ => [qw(comm loc rel three numbers)] } keys %number),
	comm => [qw(u64 loc rel big numbers)], loc => [qw(u64 rel big numbers)],
	code => [qw(u8 u64 comm loc rel numbers)], stack => [qw(u64 loc rel)], tail => [qw(u64 loc rel)],
);
for my $spec (@events) {
	my ($system, $name, @fields) = @$spec;
	my (@made, @what);
	for (@fields) {
		my ($field, $type) = /^(\w+):(\w+)/;
		# kfree's ptr, size and gfn are nobody's business.
		next if $field eq 'ptr' || $field eq 'size' || ($field eq 'gfn' && $name ne 'kvm_mmu_get_page');
		for my $other (@{$other{$type}}) {
			next if $name eq 'drv_bss_info_changed' && $type eq 'comm' && $other eq 'loc';
			push @made, [make($spec, { $field => $other }, { $other eq 'loc' || $other eq 'rel' ? ($field => '0xffffffff') : () })];
			push @what, "$field: $other";
		}
	}
	my @got = texts(report(file(@made)));
	# The print format's own line ends with nothing of the plugin's.
	my @bad = grep { ($got[$_] // '') !~ /^plain\n\z/ } 0 .. $#what;
	ok(@made && !@bad, "$name: a field of another type: the print format (else: the handler trusts it)")
		or diag(map { "$what[$_]: " . ($got[$_] // 'nothing') . "\n" } @bad);
}

# ---------------------------------------------------------------- records that point elsewhere

my %event = map { $_->[1] => $_ } @events;
my @hostile = (
	['kvm_emulate_insn, more bytes than an instruction has', kvm_emulate_insn => { len => 16 }],
	['kvm_emulate_insn, 255 bytes', kvm_emulate_insn => { len => 255 }],
	['kvm_emulate_insn, no bytes: it writes before its buffer', kvm_emulate_insn => { len => 0 }],
	['drv_bss_info_changed, a name behind the record', drv_bss_info_changed => { vif_name => '0xffffffff' }],
	['drv_bss_info_changed, a name that ends behind it', drv_bss_info_changed => { vif_name => '0xff000040' }],
);
for (@hostile) {
	my ($what, $name, $patch) = @$_;
	my ($format, $bad) = make($event{$name}, {}, $patch, undef, 299);
	my (undef, $sound) = make($event{$name}, {}, {}, undef, 299);
	my ($one, $fine) = texts(report(file([$format, $bad], [undef, $sound])));
	is($one, "plain\n", "$what: the print format");
	isnt($fine, "plain\n", 'and the sound record after it is the plugin\'s again');
}
for my $table ('{ 0, "R" }', '{ 1, "S" }, { 0, "R" }', '{ TASK_NONE, "S" }', '{ 1 - 1, "S" }') {
	my $print = qq{"plain%s", __print_flags(REC->prev_state, "|", $table)};
	my ($one) = texts(report(file([make($event{sched_switch}, {}, {}, $print)])));
	like($one, qr/^plain|FAILED TO PARSE/, "sched_switch, a flag without a bit, $table: not the plugin, which would look for it for ever");
}

# A function's caller is known and it is not: the plugin gives a NULL to strdup().
my ($odd) = texts(report(file([make($event{function}, {}, { ip => 16 })])));
like($odd, qr/^0x10\n/, 'a function without a name below one that has a name');

done_testing();
