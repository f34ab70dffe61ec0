# SPDX-License-Identifier: GPL-2.0-or-later
#
# t/lib/Compare/Stock.pm on lines as each trace-cmd prints them: 3.1.6, 3.3.1 and 3.4.0 have to come out as one text,
# or tests that compare with the installed one pass on one distribution only.
#
# of: t/lib/Compare/Stock.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;

# [what, as 3.1.6 has it, as later ones have it]: lines of real recordings.
my @lines = (
	['the first line', "cpus=4\n", "cpus=4\n"],
	['report',
		"              sh-131   [000]     7.006398: sys_exit:             NR 1 = 1\n",
		"              sh-131   [000] .....     7.006398: sys_exit:             NR 1 = 1\n"],
	['flags that are set',
		"          <idle>-0     [003]     7.008410: sched_wakeup:         rcu_preempt:15 [120] CPU:003\n",
		"          <idle>-0     [003] dNh2.     7.008410: sched_wakeup:         rcu_preempt:15 [120] CPU:003\n"],
	['a depth of 3 and migration disabled twice',
		"           sleep-151   [001]    12.345678: sys_exit:             NR 230 = 0\n",
		"           sleep-151   [001] d..32    12.345678: sys_exit:             NR 230 = 0\n"],
	['an instance, -t',
		"     foo:               sh-325   [001]    23.810696198: sys_exit:             NR 1 = 1\n",
		"     foo:               sh-325   [001] .....    23.810696198: sys_exit:             NR 1 = 1\n"],
	['a clock of ticks',
		"              sh-131   [000] 184467440737: sys_exit:             NR 1 = 1\n",
		"              sh-131   [000] ..... 184467440737: sys_exit:             NR 1 = 1\n"],
	['-R', "            find-140   [003]     7.126624: sys_exit:              id=262 ret=0\n",
		"            find-140   [003]-0x0     7.126624: sys_exit:              id=262 ret=0\n"],
	['-R, a function',
		"            find-140   [003]     7.132342: hrtimer_start:         hrtimer=0xff1d9e277cda3440 "
		. "function=tick_sched_timer expires=7120000000 mode=0\n",
		"            find-140   [003]-0x9     7.132342: hrtimer_start:         hrtimer=0xff1d9e277cda3440 "
		. "function=tick_sched_timer (0xffffffff82f58f60) expires=7120000000 mode=0\n"],
	['-R, a place in a function, at the end',
		"            ping-333   [002]    32.681754: kfree:                 call_site=getname_flags.part.0+0x2b\n",
		"            ping-333   [002]-0x0    32.681754: kfree:                 call_site=getname_flags.part.0+0x2b "
		. "(0xffffffff99d75b8b)\n"],
	['-R, functions without a name',
		"            ping-393   [000]    70.669928: page_fault_user:       address=0xb7c4a890 ip=0xb7c4a890 error_code=0x14\n",
		"            ping-393   [000]-0x1    70.669928: page_fault_user:       address= (0xb7c4a890) ip= (0xb7c4a890) "
		. "error_code=0x14\n"],
	['a loss', "CPU:3 [12 EVENTS DROPPED]\n", "CPU:3 [12 EVENTS DROPPED]\n"],
	['a stack', " => do_sys_openat2 (ffffffff99d6403b)\n", " => do_sys_openat2 (ffffffff99d6403b)\n"],
);
for (@lines) {
	my ($what, $old, $new) = @$_;
	is(stock_normal($new), $old, "$what: of 3.3 and later");
	is(stock_normal($old), $old, "$what: of 3.1.6 (else: what is normal changes)");
}
is(stock_normal(join '', map { $_->[2] } @lines), join('', map { $_->[1] } @lines), 'all of them in one text');

# Without -R such text is the event's own.
my $print = "              sh-131   [000] .....     7.006398: print:                x= (0x12) y=z (0x13) [000] ..... 1.0: a\n";
is(stock_normal($print), $print =~ s/ \.\.\.\.\.//r, 'what a text says itself stays');

done_testing();
