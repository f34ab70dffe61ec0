# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of t/lib/Compare/TextChanges.pm: our text is let through as that of each version only where the two may differ,
# and nothing else, or a wrong text of ours passes for a right one.
#
# of: t/lib/Compare/TextChanges.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::TextChanges;

my ($old, $trixie, $new) = qw(report report331t report340);

# A line of ours, and theirs with and without the flags column.
sub line { return "          <idle>-0     [003] dNh2.     7.008410: " . sprintf('%-21s %s', "$_[0]:", $_[1]) . "\n" }
sub bare { return line(@_) =~ s/ dNh2\.//r }
sub same { my ($peer, $ours, $theirs, @more) = @_; return !defined report_differs($peer, $ours, $theirs, @more) }
sub switch { return line('sched_switch', "rcu_preempt:15 [120] $_[0] ==> swapper/3:0 [120]") }

# ---------------------------------------------------------------- the line

ok(same($old, line('cpu_idle', 'state=1'), bare('cpu_idle', 'state=1')), '3.1.6 has no flags column');
ok(!same($new, line('cpu_idle', 'state=1'), bare('cpu_idle', 'state=1')), '3.4.0 has one');
ok(!same($new, line('cpu_idle', 'state=1'), line('cpu_idle', 'state=1') =~ s/dNh2/d.h2/r), 'and it is compared');
ok(!same($_, line('cpu_idle', 'state=1'), line('cpu_idle', 'state=2')), "$_: another text") for $old, $trixie, $new;
ok(!same($new, line('cpu_idle', 'state=1'), line('cpu_idle', 'state=1') . "more\n"), 'a line more');
ok(!same($new, line('cpu_idle', 'state=1') . "CPU:3 [EVENTS DROPPED]\n", line('cpu_idle', 'state=1')), 'a line less');
ok(same($new, line('print', 'a: two\nlines'), line('print', 'a: two') . "lines\n"), 'a newline in a text');
ok(!same($new, line('cpu_idle', 'two\nlines'), line('cpu_idle', 'two') . "lines\n"), 'of other events it is none');

# ---------------------------------------------------------------- scheduling

ok(same($new, switch('R+'), switch('R')), 'a task that was preempted');
ok(!same($new, switch('S+'), switch('S')), 'not one that sleeps');
ok(!same($new, switch('R'), switch('R+')), 'nor the other way');
ok(same($new, switch($_), switch($_)), "3.4.0: $_") for qw(R S D T t X Z P I D|I);
ok(same($old, switch($_->[0]), switch($_->[1]) =~ s/ dNh2\.//r), "3.1.6: $_->[0] is $_->[1]")
	for ['I', 'W'], ['X', 'Z'], ['Z', 'X'], ['D|I', 'D|W'], ['R', 'R'], ['R+', 'R'], ['S', 'S'];
ok(!same($old, switch($_), switch($_) =~ s/ dNh2\.//r), "3.1.6: $_ is not $_") for qw(I W X Z);
ok(!same($new, switch('I'), switch('W')), '3.4.0: I is not W');
ok(same(['3.2', '1.8.2'], switch('I') =~ s/ dNh2\.//r, switch('I') =~ s/ dNh2\.//r), 'the library decides, not trace-cmd');

# ---------------------------------------------------------------- values

# [what, event, ours, theirs, what of theirs is wrong]
for ([mode => 'hrtimer_init', 'hrtimer=0x1 clockid=C mode=REL|HARD', 'hrtimer=0x1 clockid=C mode=0x9', 'mode=0x1'],
	['mode 0' => 'hrtimer_init', 'hrtimer=0x1 clockid=C mode=ABS', 'hrtimer=0x1 clockid=C mode=ABS', 'mode=0x0'],
	[flags => 'timer_start', 'cpu=3 idx=19 flags=D|I', 'cpu=3 idx=19 flags=D|P|I', 'flags=D'],
	[page => 'mm_page_free', 'page=? pfn=0x1 order=0', 'page=0xffffffff9af23fc4 pfn=0x1 order=0', 'pfn=0x2'],
	[HZ => 'jbd2_checkpoint_stats', 'dev 1 chp_time jiffies_to_msecs(12) written 0', 'dev 1 chp_time 12 written 0', 'written 1'],
	[age => 'writeback_single_inode', 'age=0 index=1', 'age=73786976271618956 index=1', 'age=5'],
	[s8 => 'tpk_ints', 'a8=76 b8=-76 expr=-1', 'a8=76 b8=180 expr=-1073798596', 'b8=181'],
	[s16 => 'tpk_rel', 'rstr=a tail=-298', 'rstr=a tail=65238', 'tail=65239'],
	[words => 'openat2', 'a u={32768,0,0,0} b', 'a u={0,0,0,0} b', 'u={1,0,0,0}']) {
	my ($what, $event, $ours, $theirs, $wrong) = @$_;
	$theirs =~ s/^(?=age)/i=1 /, $ours =~ s/^(?=age)/i=1 /;
	my ($name) = $wrong =~ /^(\w+[= ])/;
	ok(same($new, line($event, $ours), line($event, $theirs)), "$event: $what");
	ok(!same($new, line($event, $ours), line($event, $theirs =~ s/\b\Q$name\E\S+/$wrong/r)), "$event: not $wrong");
	ok($ours =~ /mode=ABS|flags=|expr=|u=/ || !same($new, line($event, $theirs), line($event, $theirs)), "$event: ours is not theirs");
	ok($ours eq $theirs || !same($new, line('other', $ours), line('other', $theirs)), "$what of other events is not excused");
}
my @exit = (line('sys_exit', 'NR 114 = -10'), line('sys_exit', 'NR 114 = 4294967286'));
ok(same($new, @exit, 32), 'a negative number of 32 bits');
ok(!same($new, @exit), 'of 64 bits it is wrong');
ok(!same($new, $exit[1], $exit[1], 32), 'and of 32 bits without its sign');

ok(same($new, line('tlb_flush', 'pages=-1 reason=flush (0)'), line('tlb_flush', 'pages=4294967295 reason=flush (0)'), 32),
	'the same of tlb_flush');
ok(same($new, line('tlb_flush', "pages=1 reason=remote ipi send ($_)"), line('tlb_flush', "pages=1 reason= ($_)")) == ($_ == 4),
	"a reason that has no name: $_") for 3 .. 5;

my @arrays = ('words={0x0,0xe4} halves={0x5910} ints={} quads={0x1122334455667788}',
	'words=0 228 halves=22800 ints= quads=1234605616436508552');
ok(same($old, line('tpk_arrays', $arrays[0]), bare('tpk_arrays', $arrays[1])), 'arrays without braces');
ok(!same($new, line('tpk_arrays', $arrays[0]), line('tpk_arrays', $arrays[1])), 'have them in 3.4.0');
ok(!same($old, line('tpk_arrays', $arrays[1]), bare('tpk_arrays', $arrays[1])), 'and always in ours');

my @maple = ("mt_find\tNode: 0x1 (0 18446744073709551615) range: 140102161637552-140102161637552",
	'[FAILED TO PARSE] fn=0xffffffff9ab5b460 min=0x0 max=0xffffffffffffffff index=0x7f6c1393a0b0 last=0x7f6c1393a0b0 node=0x1');
ok(same($trixie, map { line('ma_read', $_) } @maple), 'a print format that 1.8.4 cannot parse');
ok(!same($trixie, line('ma_read', $maple[0] =~ s/552$/553/r), line('ma_read', $maple[1])), 'has the same numbers');
ok(!same($new, map { line('ma_read', $_) } @maple), '1.9.0 can');

done_testing();
