# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters on real recordings: the events that zedprint lets through are those that perl picks out of
# what stock trace-cmd printed.  Without it a filter that takes too much or too little goes unseen.
#
# of: run/filter programs/zedprint
use strict;
use warnings;
use Test::More;
use File::Basename ();
use lib 't/lib';
use Compare::RealData;

Compare::RealData::need_program('zedprint');

my $own = Compare::RealData::own();
my %file = map { $_ => "$own/$_.dat" } qw(demo small_be_zstd small_be_v6 small_v7_none small_v6 i386_zstd
	armhf_zstd multibuf clock_mono);

# Records as trace-cmd report -R tells of them: {buffer, comm, pid, cpu, us, name, FIELD => value}.
my %cache;
sub records {
	my ($name) = @_;
	return $cache{$name} //= do {
		my $fh = Compare::RealData::ref_open(Compare::RealData::reference($file{$name}, 'raw'));
		my @r;
		while (defined(my $line = <$fh>)) {
			$line =~ s/^\s+//;
			my ($buffer, $comm, $pid, $cpu, $s, $us, $event, $rest) = $line =~
				/^(?:(\w+):\s+)?(.*?)-(\d+)\s+\[(\d+)\]\s*(\d+)\.(\d{6}): (\w+):\s*(.*)$/ or next;
			my %r = (buffer => $buffer // '', COMM => $comm, common_pid => $pid, CPU => $cpu + 0,
				us => $s * 1_000_000 + $us, event => $event);
			while ($rest =~ /\b(\w+)=(\S+)/g) {
				my ($field, $value) = ($1, $2);
				# 32-bit machines' longs are printed in hex
				$r{$field} //= $value =~ /^0x[0-9a-f]{1,8}$/ ? hex $value : $value;
			}
			push @r, \%r;
		}
		\@r;
	};
}

# {event name => count}, of zedprint --summary; undef when it failed.
sub summary {
	my (@args) = @_;
	my $run = Compare::RealData::run('zedprint', '--summary', @args);
	my $text = Compare::RealData::slurp($run->{out});
	unlink $run->{out};
	return (undef, $run) if $run->{exit} || $run->{sig};
	my %n;
	my ($events) = $text =~ /^events:\n(.*?)^total:/ms;
	$n{$2} += $3 while ($events // '') =~ /^  (\S+):(\w+) (\d+)$/mg;
	return (\%n, $run);
}

# What passes ARGS on the files is what PICK says of trace-cmd's records; it must be neither all nor
# nothing, or the test would prove little.
sub picks {
	my ($names, $pick, @args) = @_;
	my (%want, $all, $some);
	for (map { @{records($_)} } @$names) {
		$all++;
		next unless $pick->($_);
		$some++;
		$want{$_->{event}}++;
	}
	my ($got, $run) = summary(@args, map { $file{$_} } @$names);
	my $what = "@$names: @args";
	return is($run->{err}, '', $what) if !$got;
	is_deeply($got, \%want, "$what ($some of $all)");
	ok($some && $some < $all, 'some, not all') if !$some || $some == $all;
	return;
}

sub event { my ($e, $cond) = @_; return sub { $_[0]{event} ne $e || $cond->($_[0]) } }

my $switch = 'sched:sched_switch:';
for my $name (qw(demo small_be_zstd small_be_v6 small_v7_none small_v6 i386_zstd armhf_zstd)) {
	# numbers and strings in every byte order, word size and dialect
	picks([$name], event('sched_switch', sub { $_[0]{prev_prio} < 120 || $_[0]{next_pid} == 0 }),
		'-F', "$switch prev_prio < 120 || next_pid == 0");
	picks([$name], event('sched_switch', sub { $_[0]{next_comm} !~ /^k/ && $_[0]{prev_state} & 1 }),
		'-F', "$switch not next_comm ~ \"k*\" and prev_state & 1");
	picks([$name], event('sched_switch', sub { $_[0]{CPU} == 1 }), '-F', "$switch CPU == 1");
	# the first CPU alone: whole streams are left out
	picks([$name], sub { $_[0]{CPU} == 0 }, '--cpu', 0);
}
# fields of one event with each other, and what is computed of them
for my $name (qw(demo small_be_zstd armhf_zstd)) {
	picks([$name], event('sched_switch', sub { $_[0]{prev_pid} > $_[0]{next_pid} }), '-F', "$switch prev_pid > next_pid");
	picks([$name], event('sched_switch', sub { $_[0]{prev_comm} eq $_[0]{next_comm} }), '-F', "$switch prev_comm == next_comm");
	picks([$name], event('sched_switch', sub { ($_[0]{prev_pid} + 3 * $_[0]{next_pid}) % 5 == 2 || !$_[0]{prev_pid} }),
		'-F', "$switch (prev_pid + 3 * next_pid) % 5 == 2 or not prev_pid");
	picks([$name], event('sched_switch', sub { $_[0]{prev_prio} != 120 && $_[0]{CPU} == 0 }), '-F', "$switch !prev_prio == 120 && CPU == 0");
}
picks(['demo'], sub { $_[0]{CPU} != 1 }, '--cpu', '0,2-5');
picks(['demo'], event('sys_exit', sub { $_[0]{ret} < 0 }), '-F', 'raw_syscalls:sys_exit: ret < 0');
picks(['demo'], event('sys_exit', sub { $_[0]{ret} == -2 }), '-F', 'raw_syscalls:sys_exit: ret == -2');
picks(['demo'], event('sys_exit', sub { $_[0]{ret} != -2 }),
	'-F', 'raw_syscalls:sys_exit: ret != 0xfffffffffffffffe');
picks(['demo'], sub { my $e = $_[0]; ($e->{event} ne 'sys_exit' || $e->{id} == 0)
	&& ($e->{event} ne 'sched_switch' || $e->{prev_pid} == 0) },
	'-F', 'raw_syscalls:*exit: id == 0', '-F', "$switch prev_pid == 0");

# --event: names, patterns, several; with an expression only those events that both let through
my %sched = map { $_->{event} => 1 } grep { $_->{event} =~ /^sched_/ } @{records('demo')};
cmp_ok(scalar keys %sched, '>', 3, 'sched has some events');
for my $name (qw(demo small_be_zstd small_v6)) {
	picks([$name], sub { $_[0]{event} eq 'sched_switch' }, '--event', 'sched:sched_switch');
	picks([$name], sub { $_[0]{event} =~ /^sched_/ }, '--event', 'sched');
}
picks(['demo'], sub { $_[0]{event} =~ /^sched_w|^sys_/ }, '--event', 's*d:sched_w*,raw_syscalls');
picks(['demo'], sub { $_[0]{event} =~ /^sched_w|^sys_exit$/ }, '--event', 'sched::sched_w*', '--event', ' raw_syscalls:sys_exit ');
picks(['demo'], sub { $_[0]{event} eq 'sched_switch' && $_[0]{prev_pid} == 0 },
	'--event', 'sched:sched_switch', '-F', "$switch prev_pid == 0");
picks(['demo'], sub { $_[0]{event} eq 'sched_switch' && $_[0]{CPU} == 1 }, '--event', 'sched:sched_switch', '--cpu', 1);
picks(['demo', 'small_be_zstd'], sub { $_[0]{event} eq 'sys_exit' }, '--force-merge', '--event', 'raw_syscalls:sys_exit');

# pids and tasks: of common_pid, not of a field named pid
my %tasks;
$tasks{$_->{common_pid}}++ for @{records('demo')};
my ($most, $next) = sort { $tasks{$b} <=> $tasks{$a} || $a <=> $b } keys %tasks;
picks(['demo'], sub { $_[0]{common_pid} == $most || $_[0]{common_pid} == $next }, '--pid', "$next,$most");
picks(['demo'], sub { $_[0]{common_pid} == $most }, '-F', "*: common_pid == $most");
picks(['demo'], event('sys_enter', sub { $_[0]{COMM} ne 'find' }), '-F', 'raw_syscalls:sys_enter: comm != find');
# sched_wakeup has a comm of its own, which comes first
picks(['demo'], event('sched_wakeup', sub { $_[0]{comm} =~ /^kworker/ }), '-F', 'sched:sched_wakeup: comm ~ kworker*');
picks(['demo'], event('sched_wakeup', sub { $_[0]{COMM} =~ /^find$/ }), '-F', 'sched:sched_wakeup: COMM == "find"');

# names of tasks: these recordings tell of no renames, so trace-cmd's, which are those of the end, hold all the time.  Of the
# large recordings one of each machine.
{
	my $shared = Compare::RealData::shared();
	my @large = grep { defined } map { my $path = $_; my ($name) = m{([^/]+)\.dat\z}; $shared && -e "$shared/$path" ? do { $file{$name} = "$shared/$path"; $name } : undef }
		'amd64-1/a03_v7_none.dat', 'armhf/b01_v7_zstd.dat';
	for my $name (qw(demo small_be_zstd i386_zstd), @large) {
		my %n;
		$n{$_->{COMM}}++ for @{records($name)};
		my ($first, $second) = sort { $n{$b} <=> $n{$a} || $a cmp $b } grep { !/^</ } keys %n;
		picks([$name], sub { $_[0]{COMM} eq $first }, '--comm', $first);
		picks([$name], sub { $_[0]{COMM} eq $first || $_[0]{COMM} eq $second }, '--comm', "$second,$first");
		picks([$name], sub { $_[0]{COMM} =~ /^[k-r]/ }, '--comm', '[k-r]*');
		picks([$name], sub { $_[0]{COMM} eq '<idle>' }, '--comm', '<idle>');
	}
	picks(['demo'], sub { $_[0]{COMM} eq 'sh' && $_[0]{CPU} == 3 }, '--comm', 'sh', '--cpu', 3);
	my ($sh) = map { $_->{common_pid} } grep { $_->{COMM} eq 'sh' } @{records('demo')};
	picks(['demo'], sub { $_[0]{COMM} eq 'sh' && $_[0]{common_pid} == $sh }, '--comm', 'sh', '--pid', "$sh,0");
}

# times: cut in the middle between two records a microsecond or more apart
my @us = sort { $a <=> $b } map { $_->{us} } @{records('demo')};
my $k = int(@us / 3);
$k++ while $us[$k + 1] - $us[$k] < 3;
my $cut = $us[$k] + 1;
my $sec = sprintf '%d.%06d', int($cut / 1_000_000), $cut % 1_000_000;
picks(['demo'], sub { $_[0]{us} > $cut }, '--start', $sec);
picks(['demo'], sub { $_[0]{us} < $cut }, '--end', $cut * 1000 . 'ns');
picks(['demo'], sub { $_[0]{us} > $cut && $_[0]{CPU} == 2 && $_[0]{common_pid} == 0 },
	'--start', $sec, '--cpu', 2, '--pid', 0);

# buffers
picks(['multibuf'], sub { $_[0]{buffer} eq 'foo' }, '--instance', 'foo');
picks(['multibuf'], sub { $_[0]{buffer} ne 'foo' }, '--instance', '', '--instance', 'bar');

# one expression, two inputs with other layouts and byte orders
picks(['demo', 'small_be_zstd'], event('sched_switch', sub { $_[0]{prev_prio} < 120 }),
	'--force-merge', '-F', "$switch prev_prio < 120");

# what cannot be is said, with its place, before anything is read
sub refused {
	my ($like, @args) = @_;
	my $run = Compare::RealData::run('zedprint', '--summary', @args, $file{demo});
	is($run->{exit}, 2, "@args: exit 2");
	like($run->{err}, $like, 'and says why');
	is(-s $run->{out}, 0, 'and prints nothing');
}
refused(qr/column 21: sched:sched_switch has no field 'prev_pri'; did you mean 'prev_prio'\?\n.*\n.*\^\n\z/,
	'-F', "$switch prev_pri < 5");
refused(qr/column 27: .*\nzedprint:   sched: prev_prio < 5 and  \nzedprint: {29}\^\n\z/,
	'-F', 'sched: prev_prio < 5 and  ');
refused(qr/no input has a system 'shed'; did you mean 'sched'\?/, '-F', 'shed: prev_prio < 5');
refused(qr/sched:switch is a stable event.*: perhaps sched:sched_switch/,
	'-F', 'sched:switch: prev_prio < 5');
refused(qr/write 'sched:sched_switch:'/, '-F', 'sched_switch: prev_prio < 5');
refused(qr/'prev_comm' of sched:sched_switch is a string/, '-F', "$switch prev_comm > 5");
refused(qr/\Azedprint: --event: no input has an event 'sched:sched_swich'; did you mean sched:sched_switch\?\n\z/,
	'--event', 'sched:sched_swich');
refused(qr/--event: no input has an event 'shced'; did you mean sched\?/, '--event', 'sched,shced');
refused(qr/--event: no input has an event 'sched_switch'; did you mean sched:sched_switch\?/, '--event', 'sched_switch');
refused(qr/--event: no input has an event 'sched:swich'; did you mean sched:switch\?/, '--event', 'sched:swich');
refused(qr/--event: no input has an event 'sched_swich'; did you mean sched:sched_switch\?/, '--event', 'sched_swich');
# What is suggested is accepted (else: the user is sent from one refusal to the next).
for ('syscalls', 'sched_swich', 'syscal:*', 'shced:*', 'swi*', 'syscall:entr', 'swich', 'shced') {
	my $run = Compare::RealData::run('zedprint', '--event', $_, $file{demo});
	my ($near) = $run->{err} =~ /did you mean (\S+)\?/;
	ok($near && Compare::RealData::run('zedprint', '--summary', '--event', $near, $file{demo})->{exit} == 0, "$_: the suggestion is accepted")
		or diag($run->{err});
}
refused(qr/--event: no input has an event 'zzz:\*' \(zedperl -t -v lists them\)/, '--event', 'zzz:*');
refused(qr/--event: no input has anything for the stable event block:rq_issue: .*block:block_rq_issue/, '--event', 'block:rq_issue');
refused(qr/--event: invalid event '$_': expected SYSTEM or SYSTEM:EVENT/, '--event', $_) for 'sched:', ':x', 'a:b:c', '::';
refused(qr/--event: no event is named/, '--event', $_) for '', ' , ';
refused(qr/no input has a buffer "foo" \(there is ""\)/, '--instance', 'foo');
refused(qr/--pid: column 3: a list of pids/, '--pid', '1,x');
refused(qr/--cpu: column 1: invalid list of CPUs/, '--cpu', '5-1');

# a field that only some events of a system have: those that lack it pass, and that is said
my ($got, $run) = summary('-F', 'sched: prev_prio < 120', $file{demo});
# times with their units, and the event's own
for my $unit ([1_000_000, '1ms'], [1_500_000, '1.5ms'], [2_000_000, '0.002s'], [700, '700ns'], [33_510, '33.51us']) {
	my ($ns, $text) = @$unit;
	my ($got) = summary('-F', "sched:sched_stat_runtime: runtime > $text", '--event', 'sched:sched_stat_runtime', $file{demo});
	my $want = grep { $_->{event} eq 'sched_stat_runtime' && $_->{runtime} > $ns } @{records('demo')};
	is($got->{sched_stat_runtime} // 0, $want, "runtime > $text is $ns ns (else: units of --start are none here)");
}
{
	my $us = 7_300_000;
	my ($got) = summary('-F', '*: ts >= 7.3s', $file{demo});
	my $sum = 0;
	$sum += $_ for values %$got;
	is($sum, scalar(grep { $_->{us} >= $us } @{records('demo')}), 'ts is the time of the event');
	refused(qr/invalid number '1\.5': expected an integer, or a time such as 1\.5ms/, '-F', "$switch prev_prio < 1.5");
	refused(qr/invalid number '1\.0000000001s'/, '-F', "$switch prev_prio < 1.0000000001s");
}

my $lacking = grep { $_->{event} =~ /^sched_(?!switch)/ } @{records('demo')};
my $seen = 0;
$seen += $got->{$_} for grep { /^sched_(?!switch)/ } keys %{$got // {}};
is($seen, $lacking, 'events without the field pass');
like($run->{err}, qr/events have no such field and pass unfiltered: sched:/, 'and that is said');
($got, $run) = summary('-F', 'sched: prev_prio <= 120', '--event', 'sched:sched_switch', $file{demo});
is($run->{err}, '', 'of those that --event leaves out nothing is said');
($got, $run) = summary('-F', 'sched: prev_prio < 120', '--event', 'irq', $file{demo});
is_deeply([$run->{err}, [grep { !/^(?:irq|softirq)_/ } keys %$got]], ['', []], 'also where it leaves out all that -F names');

done_testing();
