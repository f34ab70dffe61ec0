# SPDX-License-Identifier: GPL-2.0-or-later
#
# pid, tid and comm of a stable event are of one task, in args and in where; those of raw events stay the
# event's own fields first, and else the task that was running.
# of: stable trace
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();

# A field's line: "TYPE NAME", offset, size.
sub f { my ($decl, $off, $size) = @_; return "\tfield:$decl;\toffset:$off;\tsize:$size;\tsigned:1;\n" }

my $wakeup = f('char comm[16]', 8, 16) . f('pid_t pid', 24, 4) . f('int prio', 28, 4) . f('int target_cpu', 32, 4);
my $exec = f('__data_loc char[] filename', 8, 4) . f('pid_t pid', 12, 4) . f('pid_t old_pid', 16, 4);
my $switch = f('char prev_comm[16]', 8, 16) . f('pid_t prev_pid', 24, 4) . f('int prev_prio', 28, 4) .
	f('long prev_state', 32, 8) . f('char next_comm[16]', 40, 16) . f('pid_t next_pid', 56, 4) .
	f('int next_prio', 60, 4);

# Records of pid 77, who wakes 12 and 13, execs, and is switched to 12.
sub records {
	my ($d) = @_;
	my $of = sub { return Write::Dat::u16($d, shift) . "\1\0" . Write::Dat::u32($d, 77) . join '', @_ };
	my $u = sub { return map { Write::Dat::u32($d, $_) } @_ };
	return Write::Dat::page($d, 5000, join '', map { Write::Dat::data_event($d, 1, $_) }
		$of->(400, pack('a16', 'wakee'), $u->(12, 120, 0)),
		$of->(400, pack('a16', 'third'), $u->(13, 120, 0)),
		$of->(401, $u->(4 << 16 | 20, 77, 77), "/x\0\0"),
		$of->(402, pack('a16', 'waker'), $u->(77, 120), Write::Dat::u64($d, 1), pack('a16', 'wakee'), $u->(12, 120)));
}

my $path = Write::Dat->new(cpus => 1, cmdlines => "77 waker\n12 wakee\n13 third\n", make_pages => \&records,
	formats => [map { [sched => Write::Dat::format_text(@$_)] }
		['sched_wakeup', 400, $wakeup, '"%d", REC->pid'], ['sched_process_exec', 401, $exec, '"%d", REC->pid'],
		['sched_switch', 402, $switch, '"%s", __print_flags(REC->prev_state, "|", { 1, "S" }, { 2, "D" })']],
	)->write("$dir/task.dat");

sub got {
	my ($event, $names, $where) = @_;
	my $on = "Zed::on('$event', args => [qw($names)], " . ($where ? "where => q{$where}, " : '') .
		'sub { push @a, join " ", map { $_ // "undef" } @_ }); sub trace_end { print join ", ", @a }';
	my $r = zed_run('zedperl', '-e', $on, $path);
	return $r->{out} . ($r->{err} =~ s/^zedperl: //r =~ s/\n\z//r);
}

is(got('sched:wakeup', 'pid comm'), '12 wakee, 13 third', 'stable: pid and comm of a wakeup are of the task ' .
	'that is woken (else: the waker\'s pid and the other\'s name)');
is(got('sched:wakeup', 'tid wakeup_pid'), '12 12, 13 13', 'stable: tid is the same');
is(got('sched:wakeup', 'common_pid common_comm'), '77 waker, 77 waker', 'stable: the task that was running');
is(got('sched:wakeup', 'wakeup_pid', 'pid == 13'), '13', 'stable: pid in where is that of args');
is(got('sched:wakeup', 'pid', 'comm == "wakee"'), '12', 'stable: so is comm');
is(got('sched:wakeup', 'pid', 'tid == 12 && common_comm == "waker"'), '12', 'stable: and the others');
is(got('sched:process_exec', 'pid comm old_pid'), '77 waker 77', 'stable: comm of an event with a pid is of that one');
is(got('sched:process_exec', 'pid', 'comm == "waker"'), '77', 'stable: so it is in where');
is(got('sched:switch', 'pid comm prev_pid next_pid'), '77 waker 77 12', 'stable: else the one that was running');
is(got('sched:sched_wakeup', 'pid comm common_pid'), '12 wakee 77, 13 third 77', 'raw: its own fields');
is(got('sched:sched_wakeup', 'tid common_comm'), '77 waker, 77 waker', 'raw: tid stays who was running');
is(got('sched:sched_switch', 'pid comm'), '77 waker', 'raw: without the fields, who was running');
is(got('sched:sched_wakeup', 'pid', 'comm == "third"'), '13', 'raw: in where');

done_testing();
