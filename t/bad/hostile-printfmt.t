# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print formats and records that ask to divide by zero, to recurse without end or to read out of bounds.  What is
# divided by zero is 0, as is what lies outside of its field; what cannot be read shows its fields raw.  Without
# the checks zedprint would die, or show what is in no record.
#
# of: text

use strict;
use warnings;
use Test::More;
use File::Basename ();
use lib 't/lib';
use Write::Dat;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');

# ---------------------------------------------------------------- one event with every kind of field

my @FIELDS = (
	['u32 a', 8, 4, 0], ['u32 zero', 12, 4, 0], ['long big', 16, 8, 1],
	['__data_loc char[] s', 24, 4, 1], ['__rel_loc u32[] r', 28, 4, 0],
	['__data_loc u32[] d', 32, 4, 0], ['__data_loc cpumask_t mask', 36, 4, 0],
	['char name[8]', 40, 8, 1], ['u32 arr[4]', 48, 16, 0], ['u8 mac[6]', 64, 6, 0],
	['u16 half', 70, 2, 0], ['__rel_loc char[] rs', 72, 4, 1], ['char tail[]', 112, 0, 1],
);
my $FIELDS = join '', map { "\tfield:$_->[0];\toffset:$_->[1];\tsize:$_->[2];\tsigned:$_->[3];\n" } @FIELDS;

sub record {
	my ($d, $id, %o) = @_;
	my $rec = Write::Dat::common($d, $id) . pack 'V V q< V V V V a8 V4 C6 v V a36',
		$o{a} // 7, 0, $o{big} // -2, $o{s} // (6 << 16 | 76), $o{r} // (8 << 16 | 52),
		$o{d} // (8 << 16 | 84), $o{mask} // (8 << 16 | 92), 'somename', $o{arr} // 1, 2, 3, 4,
		1 .. 6, $o{half} // 3, $o{rs} // (6 << 16),
		'hello' . "\0\0\0" . pack('V4', 17, 18, 5, 0) . 'more data';
	return $rec . 'the tail' . "\0" x 4;
}

sub file {
	my ($formats, $records, %more) = @_;
	return Write::Dat->new(cpus => 1, page_size => 65536, formats => $formats, %more, make_pages => sub {
		my ($d) = @_;
		my ($data, @pages) = '';
		for my $rec (map { $_->($d) } @$records) {
			$data .= Write::Dat::data_event($d, 1000, $rec);
			next if length $data < 50_000;
			push @pages, Write::Dat::page($d, 1_000_000_000, $data);
			$data = '';
		}
		push @pages, Write::Dat::page($d, 1_000_000_000, $data) if length $data;
		return @pages;
	});
}

my $n = 0;
sub printed {
	my ($file) = @_;
	my $path = $file->write(zed_tmp() . '/' . $n++ . '.dat');
	my $run = zed_run({ time => 120, memory => 900_000 }, zed_bin('zedprint'), '-f', 'report', $path);
	unlink $path if !$ENV{ZED_KEEP};
	return $run;
}

sub alive {
	my ($run) = @_;
	return !$run->{signal} && !$run->{late} && $run->{exit} < 2 && $run->{err} !~ /Sanitizer/;
}

# ---------------------------------------------------------------- cases

my $raw = qr/\[FAILED TO PARSE\] a=7 zero=0 big=-2 s=hello /;

# [what, print format, the text expected, changes to the record]
my @cases = (
	['a division by a field of zero', '"%d", REC->a / REC->zero', qr/: +0$/m],
	['a remainder of a field of zero', '"%d", REC->a % REC->zero', qr/: +0$/m],
	['a division by a constant zero', '"%d", REC->a / 0', qr/: +0$/m],
	['a folded division by zero', '"%d", 5 / (3 * 0)', qr/: +0$/m],
	['a division that is not reached', '"%d", REC->zero ? REC->a / REC->zero : 3', qr/: +3$/m],
	['a division that && does not save', '"%d", REC->zero && REC->a / REC->zero', qr/: +0$/m],
	['a division grouped to the right', '"%d", REC->a / REC->a * REC->zero', qr/: +0$/m],
	['a division that a parenthesis does not hold', '"%d", REC->a / (REC->zero + REC->a)', qr/: +1$/m],
	['a division in a condition', '"%s", REC->a / REC->zero ? "x" : "y"', qr/: +y$/m],
	['a division in a table', '"%s", __print_flags(REC->a / REC->zero, "|", { 1, "x" })', qr/: +$/m],
	['a division in an index', '"%d", REC->arr[REC->a / REC->zero]', qr/: +1$/m],
	['a division by a value cut to zero', '"%d", REC->a / (u8)REC->big', qr/: +0$/m, [big => 256]],
	['an index past the array', '"%d", REC->arr[REC->a]', qr/: +0$/m],
	['an index far past it', '"%d", REC->arr[REC->big]', qr/: +0$/m],
	['an index inside', '"%d", REC->arr[2]', qr/: +3$/m],
	['an index of a scalar', '"%d", REC->a[1000]', $raw],
	['an index of a dynamic word', '"%d", REC->d[5]', qr/: +0$/m],
	['an index past a dynamic array', '"%d", ((u32 *)__get_dynamic_array(d))[9]', qr/: +0$/m],
	['an index behind a helper', '"%d", __get_dynamic_array(d)[1]', qr/: +18$/m],
	['__print_array over a __rel_loc', '"%s", __print_array(__get_rel_dynamic_array(r), ' .
		'__get_rel_dynamic_array_len(r) / 4, 4)', qr/: +\{0x11,0x12\}$/m],
	['the length of a __rel_loc', '"%d", __get_rel_dynamic_array_len(r)', qr/: +8$/m],
	['__print_array longer than its array', '"%s", __print_array(__get_dynamic_array(d), 1000000, 4)',
		qr/: +\{0x11,0x12\}$/m],
	['__print_array of a negative count', '"%s", __print_array(REC->arr, REC->zero - 1, 4)', qr/: +\{\}$/m],
	['__print_array of items of 3 bytes', '"%s", __print_array(REC->arr, 4, 3)', qr/: +\{BAD SIZE:30x1,0x0,0x0,0x0\}$/m],
	['__print_array of items of 0 bytes', '"%s", __print_array(REC->arr, 4, REC->zero)', qr/: +\{BAD SIZE:00x1,0x0,0x0,0x0\}$/m],
	['__print_array of a number', '"%s", __print_array(5, 4, 4)', $raw],
	['__print_array of a cast', '"%s", __print_array((u8 *)REC->arr, 4, 4)', qr/: +\{0x1,0x2,0x3,0x4\}$/m],
	['__print_hex past the record', '"%s", __print_hex(REC->mac, REC->big)', qr/: +$/m],
	['__print_hex past its field', '"%s", __print_hex(REC->mac, 7)', qr/: +01 02 03 04 05 06$/m],
	['__print_hex inside', '"%s", __print_hex(REC->mac, 6)', qr/: +01 02 03 04 05 06$/m],
	['__print_hex of a sum', '"%s", __print_hex(REC->mac + 4, 2)', qr/: +05 06$/m],
	['__print_hex of a string', '"%s", __print_hex(__get_str(s), 2)', qr/: +68 65$/m],
	['__print_hex of a string literal', '"%s", __print_hex("x", 2)', $raw],
	['a dynamic array that begins outside', '"%s", __print_array(__get_dynamic_array(d), ' .
		'__get_dynamic_array_len(d) / 4, 4)', qr/: +\{\}$/m, [d => 8 << 16 | 60000]],
	['a dynamic array that ends outside', '"%s", __print_hex(__get_dynamic_array(d), ' .
		'__get_dynamic_array_len(d))', qr/: +$/m, [d => 60000 << 16 | 84]],
	['a string that begins outside', '"%s", __get_str(s)', qr/: +$/m, [s => 6 << 16 | 65535]],
	['a string that ends outside', '"%s", __get_str(s)', qr/: +$/m, [s => 65535 << 16 | 76]],
	['a relative string that ends outside', '"%s", __get_rel_str(rs)', qr/: +$/m,
		[rs => 65535 << 16 | 65535]],
	['a string inside', '"%s", __get_str(s)', qr/: +hello$/m],
	['a CPU mask of no bytes', '"%s", __get_cpumask(mask)', qr/: +$/m, [mask => 92]],
	['a mask outside', '"%s", __get_bitmask(mask)', qr/: +$/m, [mask => 65535 << 16 | 65535]],
	['a CPU mask outside', '"%s", __get_cpumask(mask)', qr/: +$/m, [mask => 65535 << 16 | 9]],
	['a CPU mask that does not exist', '"%s", __get_cpumask(nothing)', $raw],
	['a mask of a scalar', '"%s", __get_bitmask(a)', qr/: +00000007$/m],
	['a dynamic array of a scalar', '"%p", __get_dynamic_array(a)', $raw],
	['a field that does not exist', '"%d", REC->nothing', $raw],
	['a flag field that does not exist', '"%s", __print_flags(REC->nothing, "|", { 1, "x" })', $raw],
	['flags of a constant', '"%s", __print_flags(1, "|", { 1, "x" })', qr/: +x$/m],
	['a field after flags of a constant', '"%s %d", __print_flags(1, "|", { 1, "x" }), REC->nothing',
		$raw],
	['a table without an end', '"%s", __print_symbolic(REC->a, { 1, "x" }, { 2', $raw],
	['a table of expressions', '"%s", __print_symbolic(REC->a, { REC->a, "x" })', qr/: +0x7$/m],
	['a table with a division', '"%s", __print_symbolic(REC->a, { 1 / 0, "x" })', qr/: +0x7$/m],
	['an unknown function', '"%d", nothing_known(REC->a)', qr/: +nothing_known\(7\)$/m],
	['a function of a wild pointer', '"%s", __le16_to_cpup(REC->big)', $raw],
	['a function of an address cut by a cast', '"%d", __le16_to_cpup((u8)__get_dynamic_array(d))', qr/: +17$/m],
	['the same of three arguments', '"%s", scsi_trace_parse_cdb(p, (u16)__get_dynamic_array(d), 16)', qr/: +-$/m],
	['a function of an address cast to a structure', '"%d", __le16_to_cpup((struct x)__get_dynamic_array(d))', qr/: +17$/m],
	['a function of an address', '"%d", __le16_to_cpup((__le16 *)__get_dynamic_array(d))', qr/: +17$/m],
	['a division by an item that a cast cuts to zero', '"%d", REC->big / (((u8 *)REC->arr)[0])',
		qr/: +0$/m, [arr => 256]],
	['a division by an item that a cast leaves', '"%d", 512 / (((u16 *)REC->arr)[0])', qr/: +2$/m, [arr => 256]],
	['a cast that nobody knows', '"%s", __print_array(REC->arr, ((unsigned u8)REC->half), 4)',
		qr/: +\{0x1,0x2,0x3,0x4\}$/m, [half => 260]],
	['an index just before a dynamic array at the beginning', '"%d", ((u32 *)__get_dynamic_array(d))[REC->big]',
		qr/: +0$/m, [d => 8 << 16, big => -1]],
	['a function of a pointer of its own', '"%s", scsi_trace_parse_cdb(p, 12345, 16)', $raw],
	['conversions without arguments', '"%d %s %p %s %s"', qr/FAILED TO PARSE/],
	['a conversion cut off', '"%"', $raw],
	['a conversion that writes', '"%n", REC->a', $raw],
	['a wide string', '"%ls", REC->name', qr/: +somename$/m],
	['a width of gigabytes', '"%2000000000d", REC->a', qr/: {900,1100}7$/m],
	['a precision of gigabytes', '"%.2000000000d", REC->a', qr/: +0{900,1100}7$/m],
	['a width out of the record', '"%*d", REC->big, REC->a', qr/: +7 +$/m],
	['a negative width', '"%*d", REC->zero - 5, REC->a', qr/: +7    $/m],
	['a precision out of the record', '"%.*s", REC->big, REC->name', qr/: +$/m],
	['a width of the record that is sane', '"%*d|", REC->half, REC->a', qr/: +  7\|$/m],
	['two widths', '"%*.*d", 5, 5, REC->a', qr/: +00007$/m],
	['many widths', '"' . '%1000d' x 500 . '"' . ', REC->a' x 500, qr/: {1000,}.*\[CUT\]$/m],
	['an address of a field', '"%pM", &REC->mac', qr/: +01:02:03:04:05:06$/m],
	['a MAC of a number', '"%pM", 5', $raw],
	['a MAC', '"%pM", REC->mac', qr/01:02:03:04:05:06/],
	['an address of four bytes that has six', '"%pI4", REC->mac', qr/: +1\.2\.3\.4$/m],
	['a socket address of a number', '"%pISpc", REC->a', qr/: /],
	['a socket address out of the record', '"%pISpc", __get_sockaddr(d)', qr/: +\(einval\)$/m,
		[d => 200 << 16 | 65000]],
	['a buffer longer than its array', '"%*ph", 1000, __get_dynamic_array(d)', qr/11 00 00 00 12 00/],
	['a shift by more than there is', '"%d", 1 << REC->big', qr/: +0$/m],
	['the tail', '"%s", REC->tail', qr/: +the tail$/m],
	['a pointer of text', '"%s", REC->big', qr/fffffffffffffffe/],
	['nested parentheses', '"%d", ' . '(' x 20000 . '1' . ')' x 20000, $raw],
	['nested conditions', '"%d", ' . 'REC->a ? ' x 6000 . '1' . ' : 2' x 6000, $raw],
	['nested indexes', '"%d", ' . 'REC->arr[' x 6000 . '1' . ']' x 6000, $raw],
	['nested casts', '"%d", ' . '(u8)' x 10000 . '1', $raw],
	['nested negations', '"%d", ' . '-' x 50000 . '1', $raw],
	['nested tables', '"%s", ' . '__print_flags(' x 4000 . '1', $raw],
	['a sum of thirty thousand', '"%d", ' . '1+' x 30000 . '1', $raw],
	['a sum of two hundred', '"%d", ' . '1+' x 200 . '1', qr/: +201$/m],
	['an atom of ten thousand words', '"%d", ' . 'word ' x 10000, $raw],
	['thousands of strings', '"" ' x 20000, qr/: /],
	['an argument that is missing', '"%d", ', $raw],
	['two commas', '"%d",, REC->a', $raw],
	['a quote that does not end', '"%d', $raw],
	['an argument that does not end', '"%s", "x', $raw],
	['control bytes', "\"%d\x01\", REC->a", $raw],
	['no string', 'REC->a', $raw],
	['sizeof nothing', '"%d", sizeof()', $raw],
	['a colon alone', '"%d", : 1', $raw],
	['an assignment', '"%d", REC->a = 1', $raw],
	['a ) too many', '"%d", REC->a)', $raw],
);

for my $case (@cases) {
	my ($what, $print, $want, $change) = @$case;
	my $run = printed(file([[mini => Write::Dat::format_text('hostile', 300, $FIELDS, $print)]],
		[sub { record($_[0], 300, @{$change // []}) }]));
	ok(alive($run) && $run->{out} =~ $want, $what) or diag("signal $run->{signal} exit $run->{exit} " .
		"late $run->{late}\n", substr($run->{out}, 0, 400), "\n", substr $run->{err}, 0, 2000);
}

# Raw fields are shown whatever was printed before.
{
	my $run = printed(file([[mini => Write::Dat::format_text('hostile', 300, $FIELDS, '"%d", REC->nothing')]],
		[map { sub { record($_[0], 300) } } 1 .. 400]));
	is(scalar(() = $run->{out} =~ /$raw/g), 400, 'raw fields of many records (else: all but the first are empty)');
}

# A line of a field whose bracket does not end (found by text_fuzz).
{
	my $fields = $FIELDS =~ s/u32\[\] d;/u32[\xf7 d;/r;
	my $run = printed(file([[mini => Write::Dat::format_text('hostile', 300, $fields, '"%s", __get_cpumask(mask)')]],
		[sub { record($_[0], 300) }]));
	ok(alive($run) && $run->{out} =~ /hostile: /, 'a bracket that does not end before the field that is printed')
		or diag("signal $run->{signal} exit $run->{exit}\n", substr $run->{out}, 0, 400);
}

# A word of offset and length in a field of eight bytes, of which only four are one.
{
	my $fields = $FIELDS =~ s/cpumask_t mask;\toffset:36;\tsize:4/cpumask_t mask;\toffset:36;\tsize:8/r;
	my $run = printed(file([[mini => Write::Dat::format_text('hostile', 300, $fields, '"%s", __get_cpumask(mask)')]],
		[sub { record($_[0], 300) }]));
	ok(alive($run) && $run->{out} =~ /hostile: +0,2$/m, 'a dynamic field of eight bytes')
		or diag("signal $run->{signal} exit $run->{exit}\n", substr $run->{out}, 0, 400);
}

# ---------------------------------------------------------------- binary printks, plugins' events

sub bprint {
	my ($what, $printk, $args, $want) = @_;
	my $fields = "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n" .
		"\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n" .
		"\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n";
	my $d = file([[ftrace => Write::Dat::format_text('bprint', 6, $fields, '"%ps: %s", (void *)REC->ip, REC->fmt')]],
		[map { my $a = $_; sub { Write::Dat::common($_[0], 6) . pack('Q< Q<', 0xc0001000, 0xc0003000) . $a } } @$args],
		printk => "0xc0003000 : \"$printk\"\n");
	my $run = printed($d);
	ok(alive($run) && $run->{out} =~ $want, "binary printk: $what")
		or diag("signal $run->{signal} exit $run->{exit}\n", substr($run->{out}, 0, 400), "\n", substr $run->{err}, 0, 2000);
}
bprint('plain', 'n %d\n', [pack 'V', 5], qr/mini_start: n 5$/m);
bprint('no arguments left', '%d %d %d %s', [pack 'V', 5], qr/mini_start: 5/);
bprint('a width out of the record', '%*d', [pack 'V V', 2_000_000_000, 5], qr/mini_start: {900,1100}5$/m);
bprint('a literal width of gigabytes', '%2000000000d', [pack 'V', 5], qr/mini_start: {900,1100}5$/m);
bprint('a wide string', '%ls', ["text\0\0\0\0"], qr/mini_start: text$/m);
bprint('a string without its end', '%s', ['x' x 64], qr/x{64}/);
bprint('a width behind a letter', '%c%*d', [pack 'V V V', 65, 12, 0x7fffffff], qr/mini_start: A  2147483647$/m);
bprint('thousands of widths', '%' . '*' x 6000 . 'd', [pack 'V', 5], qr/: /);

# Events that plugins print, with fields that are not what they expect.
my @plugged = map { [split m{/}] } qw(
	sched/sched_switch sched/sched_wakeup sched/sched_wakeup_new ftrace/function ftrace/kernel_stack
	ftrace/raw_data ftrace/func_repeats ftrace/funcgraph_entry ftrace/funcgraph_exit ftrace/print
	ftrace/bputs ftrace/bprint ftrace/user_stack kmem/kmalloc kmem/kfree kmem/kmem_cache_alloc
	timer/hrtimer_start timer/hrtimer_expire_entry syscalls/sys_enter_futex tlb/tlb_flush
	kvm/kvm_exit kvm/kvm_emulate_insn kvm/kvm_nested_vmexit kvm/kvm_nested_vmexit_inject
	kvmmmu/kvm_mmu_get_page kvmmmu/kvm_mmu_sync_page kvmmmu/kvm_mmu_unsync_page
	kvmmmu/kvm_mmu_zap_page kvmmmu/kvm_mmu_prepare_zap_page mac80211/drv_config
	mac80211/drv_bss_info_changed);
my @names = qw(prev_pid prev_comm prev_prio prev_state next_pid next_comm next_prio pid comm prio success
	target_cpu ip parent_ip caller id buf count top_delta_ts bottom_delta_ts func depth calltime
	rettime call_site ptr hrtimer function now expires softexpires uaddr op val utime uaddr2 val3
	reason pages exit_reason guest_rip isa info1 info2 rip csbase len insn flags failed
	mmu_valid_gen gfn role root_count unsync created mmu_type vcpu_id fmt str wiphy_name vif_name
	vif_type changed assoc aid cts);

srand 20260;
for my $round (1 .. 3) {
	my (@formats, @records);
	for my $k (0 .. $#plugged) {
		my ($system, $name) = @{$plugged[$k]};
		my ($fields, $off) = ('', 8);
		for my $field (@names) {
			my @kind = ((['int', '', 4], ['unsigned long', '', 8], ['__data_loc char[]', '', 4],
				['char', '[16]', 16], ['__rel_loc u8[]', '', 4], ['u16', '', 2],
				['unsigned long', '[3]', 24], ['void *', '', 8])[rand 8]);
			next if rand() < 0.2;
			my ($type, $dim, $size) = @{$kind[0]};
			$fields .= "\tfield:$type $field$dim;\toffset:$off;\tsize:$size;\tsigned:" . int(rand 2) . ";\n";
			$off += $size;
		}
		push @formats, [$system => Write::Dat::format_text($name, 300 + $k, $fields, '"plain"')];
		push @records, map { my $fill = $_; sub {
			Write::Dat::common($_[0], 300 + $k) . join '', map { chr($fill < 0 ? rand 256 : $fill) } 9 .. $off
		} } 0, 255, -1, -1, -1;
	}
	my $run = printed(file(\@formats, \@records));
	ok(alive($run) && @{[$run->{out} =~ /^.*\[\d+\]/mg]} >= @records, "events of plugins with other fields, $round")
		or diag("signal $run->{signal} exit $run->{exit}\n", substr $run->{err}, 0, 2000);
}

# ---------------------------------------------------------------- whatever comes

my @OPS = qw(+ - * / % & | ^ << >> < > <= >= == != && || ? [);
sub expr {
	my $depth = shift;
	my $r = rand;
	return (qw(0 1 2 7 100 0xffff -1 REC->a REC->zero REC->big REC->half REC->s REC->d REC->r REC->name REC->arr),
		'REC->arr[1]', '__get_dynamic_array_len(d)', '__get_dynamic_array(d)', '__get_rel_dynamic_array(r)',
		'sizeof(u32)', 'sizeof(REC->a)', 'symbol_name', "'x'")[rand 25] // 1 if $depth <= 0 || $r < 0.2;
	return '(' . expr($depth - 1) . ')' if $r < 0.35;
	return (qw(! ~ - +))[rand 4] . expr($depth - 1) if $r < 0.42;
	return '((' . ('u8', 'unsigned long', 'struct x *', 's16', 'int')[rand 5] . ')' . expr($depth - 1) . ')' if $r < 0.52;
	my $op = $OPS[rand @OPS];
	return expr($depth - 1) . ' ? ' . expr($depth - 1) . ' : ' . expr($depth - 1) if $op eq '?';
	return 'REC->' . (qw(arr a d name mac tail))[rand 6] . '[' . expr($depth - 1) . ']' if $op eq '[';
	return expr($depth - 1) . " $op " . expr($depth - 1);
}

sub string_arg {
	my $e = sub { expr(int rand 3) };
	my $src = sub { (qw(REC->arr REC->mac REC->name REC->tail __get_dynamic_array(d)
		__get_rel_dynamic_array(r) __get_dynamic_array(s)), '(u8 *)REC->arr')[rand 8] };
	return (sub { '__get_str(' . (qw(s d a mask name rs))[rand 6] . ')' }, sub { '__get_rel_str(rs)' },
		sub { '__get_bitmask(' . (qw(mask d a))[rand 3] . ')' }, sub { '__get_cpumask(mask)' },
		sub { '__print_flags(' . $e->() . ', "|", { 1, "one" }, { 0x2, "two" }, { 1 << 5, "x" })' },
		sub { '__print_symbolic(' . $e->() . ', { 1, "one" }, { 0x2, "two" }, { -1, "x" })' },
		sub { '__print_hex(' . $src->() . ', ' . $e->() . ')' }, sub { '__print_hex_str(' . $src->() . ', ' . $e->() . ')' },
		sub { '__print_array(' . $src->() . ', ' . $e->() . ', ' . (qw(1 2 4 8 3 REC->zero))[rand 6] . ')' },
		sub { $e->() . ' ? "yes" : "no"' }, sub { $e->() }, sub { (qw(REC->name REC->tail REC->a REC->big "text"))[rand 5] },
		sub { 'jiffies_to_msecs(' . $e->() . ')' },
	)[rand 13]->();
}

sub random_print {
	my (@convs, @args);
	for (0 .. rand 4) {
		my $c = ('%d', '%s', '%s', '%s', '%lx', '%5u', '%-8s', '%*d', '%.*s', '%pS', '%p', '%pI4', '%pM', '%*ph',
			'%pISpc', '%pUb', '%c', '%hhx', '%zu', '%#llx', '%08lld', '%hd', '%.3s')[rand 23];
		push @convs, $c;
		push @args, expr(1) if $c =~ /\*/;
		push @args, $c =~ /s$/ && rand() < 0.9 ? string_arg() : expr(int rand 4);
	}
	my $print = '"' . join(' ', @convs) . '"' . join '', map { ", $_" } @args;
	# One in ten has a letter changed.
	substr($print, rand length $print, 1) = (split //, '()[]{}",%-*REC>0? ')[rand 18] if rand() < 0.1;
	return $print;
}

my $rounds = $ENV{ZED_FUZZ_ROUNDS} // 6;
for my $round (1 .. $rounds) {
	srand 7000 + $round;
	my (@formats, @records);
	for my $id (300 .. 699) {
		push @formats, [mini => Write::Dat::format_text("e$id", $id, $FIELDS, random_print())];
		push @records, sub { record($_[0], $id) }, sub { record($_[0], $id, a => 0, big => 0, half => 0) },
			sub { record($_[0], $id, map { $_ => int rand 2**32 } qw(a big s r d mask half rs)) },
			sub { Write::Dat::common($_[0], $id) . join '', map { chr rand 256 } 9 .. 124 };
	}
	my $run = printed(file(\@formats, \@records, big => $round % 3 == 2 ? 1 : 0, long => $round % 4 ? 8 : 4));
	my $lines = () = $run->{out} =~ /^ +mini-77 +\[/mg;
	ok(alive($run) && $lines == @records, "random print formats, round $round")
		or diag("signal $run->{signal} exit $run->{exit} late $run->{late}, $lines lines of ", scalar @records,
			"\n", substr $run->{err}, 0, 2000);
}

done_testing;
