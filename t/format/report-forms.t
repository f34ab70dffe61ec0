# SPDX-License-Identifier: GPL-2.0-or-later
#
# The events that -f report has a form of its own for, on made records: what no recording has, such as functions
# without a name, each futex operation, and functions that call each other.  Without this a handler could be wrong
# where no real file shows it.  The texts are those that trace-cmd 3.1.6 prints, and what Linux says where it knows
# none.
#
# of: text/report sink/print/report.c

use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::PluginEvents;
use Compare::ReportLine;
use Compare::Stock;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');
my %event = map { $_->[1] => $_ } plugin_events();
my $n = 0;

# What is printed of records [event, changed values], and where it differs from the installed trace-cmd's.
sub texts {
	my (@records) = @_;
	my (@made, %format, %id);
	for (@records) {
		my ($name, $values) = @$_;
		my ($format, $record) = plugin_make($event{$name}, {}, $values, undef, $id{$name} //= 300 + keys %id);
		$format{$name} //= $format;
		push @made, $record;
	}
	my $path = Write::Dat->new(cpus => 1, page_size => 65536, formats => [map { $format{$_} } sort keys %format],
		kallsyms => join('', map { sprintf "%x T f%d\n", $_ << 12 | 0xc0000000, $_ } 0 .. 9),
		make_pages => sub {
			my ($d) = @_;
			return Write::Dat::page($d, 1_000_000_000, join '', map { Write::Dat::data_event($d, 1000, $_->($d)) } @made);
		})->write(zed_tmp() . '/' . $n++ . '.dat');
	my $run = zed_run('zedprint', '-f', 'report', $path);
	is("$run->{exit} $run->{signal}", '0 0', "$records[0][0]: printed") or diag($run->{err});
	my $differs = stock_missing() ? undef : stock_differs($path, $run->{out});
	my ($cpus, @lines) = split /^(?= +mini-77 )/m, $run->{out};
	return ($differs, map { s/\n\z//r } map { my @part = report_line($_); @part ? substr("$part[4]$part[5]", 2 + (length $part[3] < 20 ? 20 - length $part[3] : 0)) : $_ } @lines);
}

# [what, event, values, text]; ALIKE: trace-cmd has to print the same.
sub check {
	my ($alike, @cases) = @_;
	my ($differs, @got) = texts(map { [@$_[1, 2]] } @cases);
	is($got[$_], $cases[$_][3], "$cases[$_][1], $cases[$_][0]") for 0 .. $#cases;
	SKIP: {
		skip stock_missing(), 1 if stock_missing();
		is($differs, undef, "$cases[0][1] and the others: trace-cmd prints the same") if $alike;
	}
	return;
}

my ($f1, $f2) = (0xc0001000, 0xc0002000);
check(1,
	['a function', hrtimer_start => { function => $f1 }, 'hrtimer=0x1000 function=f1/0x0 expires=5 softexpires=6'],
	['none', hrtimer_start => { function => 16 }, 'hrtimer=0x1000 function=0x00000010 expires=5 softexpires=6'],
	['NULL', hrtimer_start => { function => 0 }, 'hrtimer=0x1000 function=0x00000000 expires=5 softexpires=6'],
	['none', hrtimer_expire_entry => { function => 16 }, 'hrtimer=0x1000 now=7 function=0x00000010'],
	['a caller', kfree => { call_site => $f1 + 32 }, '(f1+0x20) plain'],
	['none', kfree => { call_site => 16 }, 'plain'],
	['functions and none', kernel_stack => { caller => $f1 }, "<stack trace >\n=> f1 (c0001000)\n=> f2 (c0002000)\n=> 5"],
	['no functions', kernel_stack => { caller => 16 }, "<stack trace >\n=> 10\n=> 1010\n=> 5"],
	['it was awake', sched_wakeup => { success => 0 }, 'three:13 [120] success=0 CPU:003'],
	['a sleeper', sched_switch => { prev_state => 3 }, 'one:11 [120] S|D ==> two:12 [99]'],
	['a reason', tlb_flush => { reason => 2 }, 'pages=9 reason=local shootdown (2)'],
	['bytes', raw_data => { buf => "\0\xff" }, '# 4d 00 ff 00 00'],
	['often', func_repeats => { ip => $f1, parent_ip => 16, count => 65535 }, 'f1 (count: 65535  last_ts:     1.000013)']);

# Each function three blanks deeper than the one that called it, which has to have been seen on that CPU.
my @calls = ([1, 0, 0], [2, 1, 1], [3, 2, 2], [4, 2, 2], [2, 1, 1], [5, 4, 3], [1, 0, 0], [3, 5, 4], [6, 7, 0]);
check(1, map { my ($to, $from, $deep) = @$_;
	["f$to called by f$from", function => { ip => $to << 12 | 0xc0000004, parent_ip => $from << 12 | 0xc0000008 },
		'   ' x $deep . "f$to"] } @calls);

my %futex = (FUTEX_WAIT => [0, 'val=0x00000002 utime=0x00000003'], FUTEX_WAKE => [1, 'val=2'], FUTEX_FD => [2, 'val=2'],
	FUTEX_REQUEUE => [3, 'val=2 val2=3 uaddr2=0x00000004'], FUTEX_CMP_REQUEUE => [4, 'val=2 val2=3 uaddr2=0x00000004 val3=0x00000005'],
	FUTEX_WAKE_OP => [5, 'val=2 val2=3 uaddr2=0x00000004 val3=0x00000005'], FUTEX_LOCK_PI => [6, 'utime=0x00000003'],
	FUTEX_UNLOCK_PI => [7, ''], FUTEX_TRYLOCK_PI => [8, ''],
	FUTEX_WAIT_BITSET => [9, 'val=0x00000002 utime=0x00000003 val3=0x00000005'], FUTEX_WAKE_BITSET => [10, 'val=2 val3=0x00000005'],
	FUTEX_WAIT_REQUEUE_PI => [11, 'val=0x00000002 utime=0x00000003 uaddr2=0x00000004 val3=0x00000005'],
	FUTEX_CMP_REQUEUE_PI => [12, 'val=2 val2=3 uaddr2=0x00000004 val3=0x00000005']);
for my $flags ([0, ''], [128, '|FUTEX_PRIVATE_FLAG'], [384, '|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME']) {
	check(1, map { [$_, sys_enter_futex => { op => $futex{$_}[0] | $flags->[0] },
		"op=$_$flags->[1] uaddr=0x00000001" . (length $futex{$_}[1] ? " $futex{$_}[1]" : '')] } sort keys %futex);
}
check(0, ['of Linux 5.14', sys_enter_futex => { op => 13 }, 'op=FUTEX_LOCK_PI2 uaddr=0x00000001 utime=0x00000003'],
	['none', sys_enter_futex => { op => 512 },
		'op=512 uaddr=0x00000001 val=0x00000002 utime=0x00000003 uaddr2=0x00000004 val3=0x00000005']);
check(0, ['preempted', sched_switch => { prev_state => 256 }, 'one:11 [120] R+ ==> two:12 [99]'],
	['idle', sched_switch => { prev_state => 128 }, 'one:11 [120] I ==> two:12 [99]']);
done_testing();
