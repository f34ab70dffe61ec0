# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::on on real recordings of all word sizes and byte orders: values by name are those that the positional
# sub gets; what a where lets through is what perl picks out of trace-cmd's text; stable events.
# of: interp/bind interp/api stable
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Compare::Stock;
use Run::Zedperl;

Compare::RealData::need_program('zedperl');
my $own = Compare::RealData::own();

# Each type's first event tells the names of its fields (Zed::fields), and from the next on a named handler gets
# them, backwards, beside the positional sub.
my $compare = <<'SCRIPT';
use strict;
use warnings;
no strict 'refs';
my (%seen, %same, %wrong, @at, $fields);
sub flat { join '|', map { !defined ? 'undef' : ref ? "[@$_]" : unpack 'H*', $_ } @_ }
for my $event (Zed::events()) {
	*$event = sub {
		my ($cpu, $secs, $nsecs, $seq, @f) = @_;
		@at = (flat(@f), $cpu, $secs, $nsecs, $seq, $secs * 1_000_000_000 + $nsecs, Zed::pid(), Zed::comm(), $event, Zed::instance());
		return if $seen{$event}++;
		my @pairs = Zed::fields();
		my @names = map { $pairs[2 * $_] } 0 .. $#pairs / 2;
		my %own = map { $_ => 1 } @names;
		my @pseudo = map { $own{$_} ? () : $_ } qw(cpu secs nsecs sequence ts tid comm event instance);
		my %at = (cpu => 1, secs => 2, nsecs => 3, sequence => 4, ts => 5, tid => 6, comm => 7, event => 8, instance => 9);
		$fields += @names;
		Zed::on($event, args => [reverse(@names), @pseudo, 'common_pid', 'common_comm', 'common_cpu'], sub {
			my @want = (@at[@at{@pseudo}], @at[6, 7, 1]);
			my $got = flat(reverse @_[0 .. $#names]) . '|' . join '|', @_[@names .. $#_];
			$got eq "$at[0]|" . join('|', @want) ? $same{$event}++ : $wrong{$event}++ || warn "$event (@names):\n $at[0]|@want\n $got\n";
		});
	};
}
sub trace_end {
	print "fields $fields\n";
	printf "%s %d %d\n", $_, $seen{$_}, ($same{$_} // 0) for sort keys %seen;
}
SCRIPT
my ($fields, $types) = (0, 0);
for my $dat (grep { !m{/(?:empty|latency_v[67])\.dat\z} } glob "$own/*.dat") {
	# Without it: a by-name handler reads at another place, or in another byte order, than the sub does.
	my ($name) = $dat =~ m{([^/]+)\.dat\z};
	my $r = zedperl($dat, \$compare);
	my @lines = lines($r->{out});
	my ($n) = (shift(@lines) // '') =~ /^fields (\d+)$/;
	my %n = map { /^\w+::(\w+) (\d+) (\d+)$/ ? ($1 => [$2, $3]) : () } @lines;
	my @wrong = grep { $n{$_}[1] != $n{$_}[0] - 1 } sort keys %n;
	is("@wrong $r->{status}", ' 0', "$name: all values by name are those by position") or diag $r->{err};
	my ($counts) = Compare::RealData::raw_counts(Compare::RealData::reference($dat, 'raw'));
	is_deeply({ map { $_ => $n{$_}[0] } keys %n }, $counts, "$name: and all events that trace-cmd tells of were compared")
		if $name !~ /^(?:fgraph|stack|function|dynevents|all_events)/;
	($fields, $types) = ($fields + ($n // 0), $types + keys %n);
}
cmp_ok($fields, '>', 1500, "fields of $types types were compared (else: the test above compares little)");

# Records as trace-cmd report -R tells of them: {COMM, common_pid, CPU, event, FIELD => value}.
sub records {
	my ($dat) = @_;
	my $bits = $dat =~ /i386|armhf/ ? 32 : 64;
	my $fh = Compare::RealData::ref_open(Compare::RealData::reference($dat, 'raw'));
	my @r;
	while (defined(my $line = <$fh>)) {
		$line =~ s/^\s+//;
		my ($comm, $pid, $cpu, $event, $rest) = $line =~ /^(.*?)-(\d+)\s+\[(\d+)\]\s*\d+\.\d{6}: (\w+):\s*(.*)$/ or next;
		my %r = (COMM => $comm, common_pid => $pid, CPU => $cpu + 0, event => $event);
		while ($rest =~ /\b(\w+)=(\S+)/g) {
			my ($field, $value) = ($1, $2);
			# longs of 32-bit machines are printed in hex, and without their sign
			$value = hex $value if $value =~ /^0x[0-9a-f]{1,8}$/;
			$value = unpack 'l', pack 'L', $value if $field eq 'ret' && $bits == 32;
			$r{$field} //= $value;
		}
		push @r, \%r;
	}
	return @r;
}

# [event, expression, the same in Perl]
my $k = qr/^k/;
my @where = (
	[sched_switch => 'prev_prio < 120', sub { $_->{prev_prio} < 120 }], [sched_switch => 'prev_prio <= 98', sub { $_->{prev_prio} <= 98 }],
	[sched_switch => 'next_pid > 20', sub { $_->{next_pid} > 20 }], [sched_switch => 'next_pid >= 20', sub { $_->{next_pid} >= 20 }],
	[sched_switch => 'prev_pid == 0', sub { $_->{prev_pid} == 0 }], [sched_switch => 'prev_pid != 0x0', sub { $_->{prev_pid} != 0 }],
	[sched_switch => 'prev_state & 1', sub { $_->{prev_state} & 1 }], [sched_switch => 'prev_state & 0x82', sub { $_->{prev_state} & 0x82 }],
	[sched_switch => 'not prev_state & 1', sub { !($_->{prev_state} & 1) }], [sched_switch => '!(prev_state & 1)', sub { !($_->{prev_state} & 1) }],
	[sched_switch => 'prev_comm == "trace-cmd"', sub { $_->{prev_comm} eq 'trace-cmd' }], [sched_switch => 'next_comm != sh', sub { $_->{next_comm} ne 'sh' }],
	[sched_switch => 'next_comm ~ "swapper*"', sub { $_->{next_comm} =~ /^swapper/ }], [sched_switch => 'prev_comm ~ "*[/:]*"', sub { $_->{prev_comm} =~ /[\/:]/ }],
	[sched_switch => 'prev_comm ~ "?h"', sub { $_->{prev_comm} =~ /^.h$/ }],
	[sched_switch => 'prev_pid == 0 and next_comm ~ "k*"', sub { $_->{prev_pid} == 0 && $_->{next_comm} =~ $k }],
	[sched_switch => 'prev_pid == 0 && !(next_comm ~ "k*")', sub { $_->{prev_pid} == 0 && $_->{next_comm} !~ $k }],
	[sched_switch => 'prev_pid == 0 or next_pid == 0 and CPU == 0', sub { $_->{prev_pid} == 0 || $_->{next_pid} == 0 && $_->{CPU} == 0 }],
	[sched_switch => '(prev_pid == 0 or next_pid == 0) and CPU == 0', sub { ($_->{prev_pid} == 0 || $_->{next_pid} == 0) && $_->{CPU} == 0 }],
	[sched_switch => '(prev_pid == 0 || next_pid == 0) && !(CPU == 0 || prev_comm == sh)', sub { ($_->{prev_pid} == 0 || $_->{next_pid} == 0) && !($_->{CPU} == 0 || $_->{prev_comm} eq 'sh') }],
	[sched_switch => 'not (not (prev_pid == 0))', sub { $_->{prev_pid} == 0 }], [sched_switch => 'cpu == 1', sub { $_->{CPU} == 1 }],
	[sched_switch => 'common_pid == 0', sub { $_->{common_pid} == 0 }], [sched_switch => 'comm ~ "*swapper*" or comm == "<idle>"', sub { $_->{COMM} eq '<idle>' }],
	[sys_exit => 'ret < 0', sub { $_->{ret} < 0 }], [sys_exit => 'ret == -2', sub { $_->{ret} == -2 }], [sys_exit => 'ret > 0 and ret < 010', sub { $_->{ret} > 0 && $_->{ret} < 8 }],
	[sys_exit => 'ret >= -2 and ret <= -1', sub { $_->{ret} >= -2 && $_->{ret} <= -1 }], [sys_exit => 'ret & 1', sub { $_->{ret} & 1 }],
	[sys_enter => 'comm == sh', sub { $_->{COMM} eq 'sh' }], [sys_enter => 'comm != sh && id != 3', sub { $_->{COMM} ne 'sh' && $_->{id} != 3 }],
	# sched_wakeup has a comm and a pid of its own
	[sched_wakeup => 'comm ~ "*r*"', sub { $_->{comm} =~ /r/ }], [sched_wakeup => 'COMM ~ "*r*"', sub { $_->{COMM} =~ /r/ }],
	[sched_wakeup => 'pid == 14', sub { $_->{pid} == 14 }], [sched_wakeup => 'target_cpu == 0', sub { $_->{target_cpu} == 0 }],
);
my %system = (sched_switch => 'sched', sched_wakeup => 'sched', sys_enter => 'raw_syscalls', sys_exit => 'raw_syscalls');
my $listen = "my \@n = (0) x @{[scalar @where]};\n";
for my $i (0 .. $#where) {
	my ($event, $expr) = @{$where[$i]};
	$listen .= "Zed::on('$system{$event}:$event', where => '$expr', sub { \$n[$i]++ });\n";
}
my (@some, @all);
for my $name (qw(demo small_be_zstd small_be_v6 small_v7_none i386_zstd armhf_zstd rt stack)) {
	# Without it: where passes on too much or too little in some byte order, word size or dialect.
	my @records = records("$own/$name.dat");
	my $r = zedperl("$own/$name.dat", \"$listen sub trace_unhandled { \$un++ } sub trace_end { print join(' ', \@n), qq{\\n}, \$un }");
	my ($counts, $un) = lines($r->{out});
	my @got = split ' ', $counts // '';
	for my $i (0 .. $#where) {
		my ($event, $expr, $pick) = @{$where[$i]};
		my @of = grep { $_->{event} eq $event } @records;
		my $want = grep { $pick->() } @of;
		is($got[$i], $want, "$name: $event: $expr ($want of " . @of . ')') or diag $r->{err};
		$some[$i]++ if $want && $want < @of;
	}
	is($un, scalar(grep { !$system{$_->{event}} } @records), "$name: events of other types alone are unhandled");
	is($r->{err}, '', "$name: nothing to say") if $name !~ /^(?:rt|stack)$/;	# these have some of the events alone
}
is($some[$_] ? '' : $where[$_][1], '', "'$where[$_][1]' lets some through, and not all, somewhere (else: it proves little)") for 0 .. $#where;

SKIP: {	# Without it: stable events are there for subs alone, or raw globs take them.
	skip stock_missing(), 1 if stock_missing();
	for my $name (qw(demo process small_be_zstd small_be_v6 i386_zstd armhf_zstd rt subbuf16)) {
		my %want;
		for (split /\n/, stock_text("$own/$name.dat", '-N')) {
			next if !/ sched_switch: .*prev_pid=(\d+) .*prev_state=(\S)\S* ==> .*next_pid=(\d+)/;
			$want{"$1 $2 $3"}++;
		}
		my $show = 'sub trace_end { print map { "$_: $n{$_}\n" } sort keys %n }';
		my $want = join '', map {"$_: $want{$_}\n"} sort keys %want;
		isnt($want, '', "$name: there are switches");
		for my $event ('sched:switch', 'sched::switch') {
			my $r = zedperl("$own/$name.dat", \"Zed::on('$event', args => [qw(prev_pid prev_state next_pid)], sub { \$n{\"\@_\"}++ }); $show");
			is($r->{out}, $want, "$name: $event: states are trace-cmd's letters") or diag $r->{err};
		}
		my ($letter) = map { /^\d+ ([^R]) / ? $1 : () } sort keys %want;
		my $r = zedperl("$own/$name.dat", \"Zed::on('sched:switch', args => [qw(prev_pid prev_state next_pid)], where => 'prev_state == \"$letter\" and next_pid != 0', sub { \$n{\"\@_\"}++ }); $show");
		is($r->{out}, join('', grep { /^\d+ $letter [^0]/ } map {"$_\n"} split /\n/, $want), "$name: where on a stable event") or diag $r->{err};
	}
	my $order = 'Zed::on("sched:switch", args => ["event"], sub { print "on @_, " }); Zed::on("sched:sched_switch", args => ["event"], sub { print "raw @_, " });
		Zed::on("*:*switch", args => ["event"], sub { print "glob @_; " }); sub sched::switch { print "stable sub, " } sub sched::sched_switch { print "sub, "; Zed::stop() if $n++ }';
	my $r = zedperl("$own/demo.dat", \$order);
	like($r->{out}, qr/\Asub, stable sub, on sched::switch, raw sched::sched_switch, glob sched::sched_switch; sub, /,
		'sub, stable sub, then in order of registration; globs mean the trace\'s own events') or diag $r->{err};
	$r = zedperl("$own/demo.dat", \'sub trace_unhandled { $un{$_[0]}++ } my $id; $id = Zed::on("sched:switch", sub { Zed::off($id) if ++$n == 5 }); sub trace_end { print "$n $un{q(sched::sched_switch)}" }');
	my $all = grep { $_->{event} eq 'sched_switch' } records("$own/demo.dat");
	is($r->{out}, '5 ' . ($all - 5), 'a stable handler handles its raw event, until it is off') or diag $r->{err};
	$r = zedperl("$own/demo.dat", \'Zed::on("sched:switch", args => [qw(prev_pid preemptd)], sub { print defined $_[1] ? "x" : "" })');
	like($r->{err}, qr/\A.*preemptd.*did you mean.*preempted.*\n\z/, 'a misspelt field of a stable event names the nearest');
	is($r->{out}, '', 'and is undef');
	$r = zedperl("$own/demo.dat", \'Zed::on("sched:swich", sub { })');
	like($r->{err}, qr/\A.*sched:swich.*did you mean.*switch.*\n\z/, 'a misspelt stable event');
	$r = zedperl("$own/demo.dat", \'Zed::on("block:rq_complete", sub { })');
	is(scalar(lines($r->{err})), 1, 'a stable event that this trace has nothing for is told once') or diag $r->{err};
}

done_testing;
