# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::WaitModel: the waits for a CPU and the sleeps of a recording, found by looking back from each switch to a
# task at its earlier events, in the output of zedprint -f json, without tracking the states of tasks.
#
#	my @spans = spans('docs/shell.dat');	# [KIND, PID, CPU, FROM, TO, STATE LETTER of a sleep]
#	my $rows = count(\@spans, $from, $to, cpu => 1, pid => 15, by => sub { "$_[0] $_[1]" });
package Compare::WaitModel;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();

our @EXPORT_OK = qw(spans count);

my $PREEMPTED = 0x100;
my %LETTER = (1 => 'S', 2 => 'D', 4 => 'T', 8 => 't', 16 => 'X', 32 => 'Z', 64 => 'P', 128 => 'I', 0x402 => 'I');

# Of each task: [TS, WHAT, CPU, STATE], in the order of time.
sub events {
	my ($program, $file) = @_;
	my %of;
	open my $in, '-|', $program, '-f', 'json', '--event', 'sched', $file or die "$program: $!\n";
	while (<$in>) {
		my $e = JSON::PP::decode_json($_);
		my ($ts, $cpu, $f) = @$e{qw(ts cpu fields)};
		my ($what) = $e->{event} =~ /::sched_(switch|waking|wakeup|wakeup_new)\z/ or next;
		if ($what eq 'switch') {
			push @{$of{$f->{prev_pid}}}, [$ts, 'out', $cpu, $f->{prev_state}];
			push @{$of{$f->{next_pid}}}, [$ts, 'in', $cpu];
		} else {
			push @{$of{$f->{pid}}}, [$ts, $what, $cpu];
		}
	}
	close $in or die "$program: $?\n";
	delete $of{0};
	return \%of;
}

# The wait that ended at the switch to a task, number AT of its events: [KIND, FROM], and the sleep before it: [FROM,
# TO, LETTER].
sub before {
	my ($events, $at) = @_;
	my $i = $at - 1;
	$i-- while $i >= 0 && $events->[$i][1] !~ /^(?:out|in|wakeup_new)\z/;
	my $last = $i < 0 ? undef : $events->[$i];
	my @since = @$events[$i + 1 .. $at - 1];
	return ['new', $last->[0]] if $last && $last->[1] eq 'wakeup_new';
	return if $last && $last->[1] eq 'in';
	my ($wakings, $wakeups) = map { my $what = $_; [grep { $_->[1] eq $what } @since] } qw(waking wakeup);
	my $state = $last ? $last->[3] : undef;
	return ['preempted', $last->[0]] if defined $state && $state & $PREEMPTED;
	my @woken = @$wakings ? @$wakings : @$wakeups ? $wakeups->[0] : ();
	if (defined $state && !$state) {
		my ($again) = grep { $_->[0] > $last->[0] } reverse @$wakings;
		return $again ? ['woken', $again->[0]] : ['left-ready', $last->[0]];
	}
	my @sleep = $last ? ($last->[0], undef, $LETTER{$state} // '?') : ();
	if ($last && !@$wakings) {
		# Woken on its way to sleep, with no effect until now.
		my $k = $i - 1;
		$k-- while $k >= 0 && $events->[$k][1] !~ /^(?:in|waking|wakeup)\z/;
		@woken = $last if $k >= 0 && $events->[$k][1] eq 'waking';
	}
	return if !@woken;
	$sleep[1] = $woken[0][0] if @sleep;
	return ['woken', $woken[-1][0]], @sleep ? \@sleep : ();
}

sub spans {
	my ($program, $file) = @_;
	my $of = events($program, $file);
	my @spans;
	for my $pid (sort { $a <=> $b } keys %$of) {
		my $events = $of->{$pid};
		for my $at (0 .. @$events) {
			my ($ts, $what, $cpu) = @{$events->[$at] // [undef, 'end']};
			next if $what !~ /^(?:in|out|end)\z/;
			my ($wait, $sleep) = before($events, $at);
			push @spans, [$wait->[0], $pid, $cpu, $wait->[1], $ts] if $wait && $what eq 'in';
			# A sleep ends with its waking, even if the switch to the task is missing.
			next if !$sleep || $what ne 'in' && $events->[$at - 1][1] !~ /^wak/;
			my ($left) = grep { $_->[1] eq 'out' } reverse @$events[0 .. $at - 1];
			push @spans, ['sleep', $pid, $left->[2], @$sleep];
		}
	}
	return @spans;
}

# The part of the SPANS that counts from FROM to TO: {BY}{n, total, in, max}.
sub count {
	my ($spans, $from, $to, %o) = @_;
	my %rows;
	for my $span (@$spans) {
		my (undef, $pid, $cpu, $begin, $end) = @$span;
		next if defined $o{pid} && $pid != $o{pid} || defined $o{cpu} && $cpu != $o{cpu};
		my $by = $o{by}->(@$span) // next;
		my ($low, $high) = ($begin > $from ? $begin : $from, $end < $to ? $end : $to);
		my $in = $high > $low ? $high - $low : 0;
		my $ends = $end >= $from && $end <= $to;
		next if !$in && !$ends;
		my $row = $rows{$by} //= { n => 0, total => 0, in => 0, max => 0 };
		$row->{in} += $in;
		next if !$ends;
		$row->{n}++;
		$row->{total} += $end - $begin;
		$row->{max} = $end - $begin if $end - $begin > $row->{max};
	}
	return \%rows;
}

1;
