# SPDX-License-Identifier: GPL-2.0-or-later
#
# What sticks out: each sentence is about the case that the events themselves show.  Without it a report begins with a
# wait that is not the longest, or blames the wrong task.
#
# of: lib/Zed/Findings.pm scripts/report.pl scripts/syscalls.pl
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Zedperl;
use Write::Miniature;

sub findings {
	my $r = zedperl({ bare => 1 }, @_, 'report', '--findings', '--json');
	my $data = JSON::PP::decode_json($r->{out} || '{}');
	return { status => $r->{status}, err => $r->{err}, failed => $data->{failed}, map { $_->{key} => $_ } @{$data->{findings}} };
}

sub events {
	my ($file) = @_;
	open my $in, '-|', zedperl_path() =~ s/zedperl\z/zedprint/r, '-f', 'json', $file or die "zedprint: $!\n";
	my @events = map { JSON::PP::decode_json($_) } <$in>;
	close $in or die "zedprint: $?\n";
	return @events;
}

# Arithmetic: 20 waits from 20 to 330 on CPU 1, where 30 runs; openat fails after 40 us, poll is longer but does not
# fail; read's EAGAIN is not a failure.
my $made = miniature(join ' | ', '0 0 0 switch 0 R 10', '0 1 0 switch 0 R 30', '10 0 10 enter 7', '20 0 10 waking 20', '200 0 10 exit 7 1',
	'210 0 10 enter 257', '250 0 10 exit 257 -2', '260 0 10 enter 0', '320 0 10 exit 0 -11', '330 1 30 switch 30 S 20', '400 1 20 switch 20 S 0',
	'500 0 10 switch 10 S 0', '500 1 0 irq 4 eth', '501 1 0 irqx 4 1');
{
	my $f = findings($made);
	is("$f->{status} $f->{err}", '0 ', 'findings');
	is_deeply([@{$f->{wait}}{qw(at to cpu pid answer)}], [1_000_020_000, 1_000_330_000, 1, 20, 'waits'], 'the longest wait has its place');
	is($f->{wait}{text}, 't20 20 waited 310 us for CPU 1 after it was woken by t10 10, behind t30 30 310 us', 'and says behind whom');
	is_deeply([@{$f->{call}}{qw(at to pid answer)}], [1_000_210_000, 1_000_250_000, 10, 'syscalls'], 'the slowest call that failed has its place');
	like($f->{call}{text}, qr/^openat of \S+ 10 failed with ENOENT after 40\.0 us, the slowest call that failed\z/, 'EAGAIN is not a failure (else: a poll of a pipe is blamed)');
	is_deeply([@{$f->{cpu}}{qw(cpu answer)}], [0, 'sched-summary'], 'the busiest CPU');
	like($f->{cpu}{text}, qr/^CPU 0 was the busiest, for 100 % of the time, 500 us/, '... with its share');
	is($f->{interrupt}, undef, 'an interrupt of 0.2 % is not worth a sentence');
	like(findings('--pid', 20, $made)->{cpu}{text}, qr/^CPU 0 was the busiest, with all tasks, for 100 %/, 'of chosen tasks: the CPU is that of all (else: the task is blamed)');
	like(findings('-i', $made, '-i', $made)->{cpu}{text}, qr/^CPU 0 of input 0 was the busiest,/, 'of several inputs: whose CPU it is');
	my $base = findings('--start', '1.000100', $made);
	is($base->{wait}{at}, 1_000_020_000, 'of a window: what ends in it, with its whole length');
	my $r = JSON::PP::decode_json(zedperl({ bare => 1 }, $made, 'report', '--findings', '--json', '--base', 1_000_000_000)->{out});
	is_deeply([$r->{base}, $r->{findings}[0]{at}], ['1000000000', 20_000], '--base: times are after it');
}

# What changes a sentence is in it.
{
	my $f = findings(miniature('0 0 0 switch 0 R 10 | 10 0 10 waking 20 | 20 1!3 0 switch 0 R 20 | 30 0 10 waking 40 | 40 0 10 enter 7 | 45 1 20 enter 0 | 50 1 20 exit 0 -2 | 60 0 10 irq 4 eth | 90 0 10 irqx 4 1'));
	like($f->{call}{text}, qr/; 1 call had not returned at the end\b/, 'a call that had not ended at the end (else: the slowest is missed in silence)');
	like($f->{call}{text}, qr/; events are missing: a slower call may be hidden\z/, 'losses');
	like($f->{interrupt}{text}, qr/^interrupt 4 eth took 33 % of a CPU's time, in 1 call, the longest 30\.0 us/, 'an interrupt that takes much has a sentence');
	is_deeply([@{$f->{interrupt}}{qw(cpu at to)}], [0, 1_000_060_000, 1_000_090_000], '... whose place is its longest call');
	$f = findings(miniature('0 0 5 enter 7 | 30 0 5 exit 7 1'));
	like($f->{call}{text}, qr/^poll of \S+ 5 took 30\.0 us, the longest call, waiting included; none failed/, 'none fails: the longest (else: there is no sentence)');
	is_deeply([grep { $f->{$_} } qw(wait cpu)], [], 'nothing is said of what was not recorded');
}

# Recordings without gaps: the longest wait and the slowest failing call, from the events as zedprint prints them.
for my $file (qw(docs/shell.dat t/data/process.dat t/data/sparse_cpus.dat)) {
	my (%ready, %runs, %on, %in, @waits, @calls);
	for my $e (events($file)) {
		my ($ts, $of) = @$e{qw(ts fields)};
		if ($e->{event} =~ /sched_(?:waking|wakeup_new)$/) {
			$ready{$of->{pid}} //= $ts if !exists $on{$of->{pid}};
		} elsif ($e->{event} =~ /sched_switch$/) {
			my ($prev, $next) = @$of{qw(prev_pid next_pid)};
			delete $on{$prev};
			$on{$next} = 1;
			push @waits, [$ts - $ready{$next}, $ready{$next}, $ts, $next, $e->{cpu}] if $next && defined $ready{$next};
			delete $ready{$next};
			delete $ready{$prev};
			$ready{$prev} = $ts if $prev && ($of->{prev_state} & 0xff) == 0;
		} elsif ($e->{event} =~ /\bsys_enter$/) {
			$in{$e->{pid}} = [$ts, $of->{id}];
		} elsif ($e->{event} =~ /\bsys_exit$/ && (my $call = delete $in{$e->{pid}})) {
			push @calls, [$ts - $call->[0], $call->[0], $ts, $e->{pid}]
				if $call->[1] == $of->{id} && $of->{ret} < 0 && $of->{ret} >= -511 && !grep { $of->{ret} == $_ } -4, -11, -110;
		}
	}
	my ($wait) = sort { $b->[0] <=> $a->[0] } @waits;
	my ($call) = sort { $b->[0] <=> $a->[0] } @calls;
	my $f = findings($file);
	is_deeply([@{$f->{wait} // {}}{qw(at to pid cpu)}], [@{$wait // []}[1 .. 4]], "$file: the longest wait is that of the events");
	is_deeply([map { $_->{at}, $_->{to}, $_->{pid} } grep { $_->{text} =~ /failed with/ } $f->{call} // ()], [$call ? @$call[1 .. 3] : ()],
		"$file: the slowest failing call, too");
}

done_testing();
