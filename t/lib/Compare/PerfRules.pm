# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::PerfRules: perf's answers for a span of a recording, as perf prints them and as they should be by rules;
# these rules are the differences between perf and the analyses.
#
#	my $runs = runs($zedprint, 'x.data');
#	my ($want, $got) = (hist_by_rule($runs, $from, $to), hist_of_perf('x.data', $from, $to));	# {PID}{n, run, off, delay}
#	my $calls = calls_of_perf('x.data');		# each that perf trace lists: {pid, name, end, took, failed}
#	my $totals = totals_of_perf('x.data');		# {"PID NAME"}{n, errors, total, max}
package Compare::PerfRules;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Run::Process;
use Run::Program qw(zed_tmp slurp);

our @EXPORT = qw(runs hist_by_rule hist_of_perf calls_of_perf totals_of_perf);

my $dir = zed_tmp();

# The output of perf; perf trace prints on stderr.
sub perf {
	my (@words) = @_;
	my $out = $words[0] eq 'trace' ? 'err' : 'out';
	my $pid = spawn({ stdout => "$dir/perf.out", stderr => "$dir/perf.err", env => { LC_ALL => 'C' } }, 'perf', @words);
	my ($status) = reap($pid, 120);
	die "perf @words: $status: ", slurp("$dir/perf.err") if $status;
	return split /\n/, slurp("$dir/perf.$out");
}

# ---- perf sched timehist ----

# Each piece between two switches of a CPU: {runs}: [PID, CPU, BEGIN or undef, END or undef, READY or undef, WHEN IT LEFT BEFORE or undef],
# in the order of ends; {first}{CPU}, {last}: the first record of a CPU, the last of all; {unseen}{PID}: a switch from or to it
# is not in the recording; {gone}{PID}: it ends in the recording.
sub runs {
	my ($program, $file) = @_;
	my (%on, %ready, %left, %first, %unseen, %gone, @runs, $last);
	open my $in, '-|', $program, '-f', 'json', $file or die "$program: $!\n";
	while (<$in>) {
		my $e = JSON::PP::decode_json($_);
		my ($ts, $cpu, $f) = @$e{qw(ts cpu fields)};
		$first{$cpu} //= $ts;
		$last = $ts;
		if ($e->{event} =~ /::sched_(?:waking|wakeup_new)\z/) {
			$ready{$f->{pid}} //= $ts;
		} elsif ($e->{event} =~ /::sched_switch\z/) {
			my $pid = $f->{prev_pid};
			$gone{$pid} = 1 if $f->{prev_state} =~ /^\d+\z/ && $f->{prev_state} & 0xf0;	# EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD
			@unseen{$pid, $on{$cpu}[0]} = (1, 1) if $on{$cpu} && $on{$cpu}[0] != $pid;
			push @runs, [$pid, $cpu, $on{$cpu} ? $on{$cpu}[1] : undef, $ts, $ready{$pid}, $left{$pid}];
			delete $ready{$pid};
			$left{$pid} = $ts;
			$on{$cpu} = [$f->{next_pid}, $ts];
		}
	}
	close $in or die "$program: $?\n";
	push @runs, map { [$on{$_}[0], $_, $on{$_}[1]] } sort { $a <=> $b } keys %on;
	return { runs => \@runs, first => \%first, last => $last, unseen => \%unseen, gone => \%gone };
}

# A run is a line of perf if switches begin and end it and a part of it is in the span; it is cut to the span.  The time
# off the CPU and the wait before a run are counted with it, in full, also if they end before FROM; anything that begins
# before FROM begins there, which makes them longer.  A task waits from its first waking since it last left the CPU, on
# any CPU; one that left ready to run is not waiting, but off the CPU.
sub hist_by_rule {
	my ($runs, $from, $to) = @_;
	my %of;
	for (@{$runs->{runs}}) {
		my ($pid, undef, $begin, $end, $ready, $left) = @$_;
		next if !$pid || !defined $begin || !defined $end || $end < $from || $begin > $to;
		my $sum = $of{$pid} //= { map { $_ => 0 } qw(n run off delay) };
		$sum->{n}++;
		$begin = $from if $begin < $from;
		$sum->{run} += ($end < $to ? $end : $to) - $begin;
		$sum->{delay} += $begin - $ready if defined $ready && $ready < $begin;
		$sum->{off} += $begin - $left if defined $left && $left < $begin;
	}
	return \%of;
}

sub seconds { return sprintf '%d.%09d', int $_[0] / 1_000_000_000, $_[0] % 1_000_000_000 }

# perf's numbers, in ns, truncated to us.  A task is COMM[PID] or :PID, a thread COMM[TID/PID]; the kernel has no TID for one
# that has exited: the last runs of all threads of a process are one row, [-1/PID], which is left out.
sub hist_of_perf {
	my ($file, $from, $to) = @_;
	my %of;
	for (perf('sched', 'timehist', '-f', '-s', '--state', '-i', $file, '--time', seconds($from) . ',' . seconds($to))) {
		my ($pid, $n, @ms) = /^.*[:\[](\d+)(?:\/\d+)?\]?\s+-?\d+\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*\z/ or next;
		my ($run, $sleep, $iowait, $preempt, $delay) = map { tr/.//dr * 1000 } @ms;
		my $sum = $of{$pid} //= { n => 0, run => 0, off => 0, delay => 0 };
		$sum->{n} += $n;
		$sum->{run} += $run;
		$sum->{off} += $sleep + $iowait + $preempt;
		$sum->{delay} += $delay;
	}
	return \%of;
}

# ---- perf trace ----

# The calls whose end perf saw; if it did not see the beginning, end and took are undef.  Its numbers are rounded to us.
sub calls_of_perf {
	my ($file) = @_;
	my @calls;
	for (perf('trace', '-f', '-T', '-i', $file)) {
		my ($from, $took, $pid, $name, $result) = m{^ *(\?|\d+\.\d+) \( *([\d.]+ ms)? *\): [^/]*/(\d+) +(?:\.\.\. \[continued\]: )?(\w+)\(.*\) += ?(.*)} or next;
		my ($begin, $us) = map { defined ? tr/0-9//cdr : undef } $from, $took;
		next if $from ne '?' && !defined $us;	# exit(): it has no end
		push @calls, { pid => $pid, name => $name, end => defined $us ? ($begin + $us) * 1000 : undef, took => defined $us ? $us * 1000 : undef, failed => $result =~ /^-1 / ? 1 : 0 };
	}
	return \@calls;
}

# {"PID NAME"}{n, errors, total, max} of perf trace -s.
sub totals_of_perf {
	my ($file) = @_;
	my (%of, $pid);
	for (perf('trace', '-f', '-s', '-i', $file)) {
		$pid = $1 if /^ .* \((\d+)\), \d+ events/;
		my ($name, $n, $errors, $total, $max) = /^   (\w+) +(\d+) +(\d+) +([\d.]+) +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+%/ or next;
		$of{"$pid $name"} = { n => $n, errors => $errors, map({ $_->[0] => $_->[1] =~ tr/.//dr * 1000 } [total => $total], [max => $max]) };
	}
	return \%of;
}

1;
