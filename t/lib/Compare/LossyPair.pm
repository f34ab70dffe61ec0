# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::LossyPair: two recordings of the same events, one with many losses: each wait and each sleep of that one is
# in the other, or is marked as doubtful.
#
#	lossy_agrees('without some', $all, $lossy);
#	lossy_agrees('overwritten', $all, $lossy, apart => 1_000_000);	# times of an event differ by at most so many ns
package Compare::LossyPair;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Test::More;
use Run::Zedperl;

our @EXPORT = qw(lossy_agrees);

my %WHAT = (S => 'sleeps', D => 'blocked', T => 'stopped', t => 'traced', I => 'idle', P => 'parked', wake => 'waits, woken',
	new => 'waits, new', preempt => 'waits, preempted', resched => 'waits, left ready');
# ns between the two records of an event, where nothing interrupts the machine between them.
my $NEAR = 50_000;
my %KIND = (wake => 'woken', new => 'new', preempt => 'preempted', resched => 'left-ready');

# Prints each span that counts.
my $spans = <<'END';
use Zed; use Zed::Gaps; use Zed::Report; use Zed::Tasks;
my $report = Zed::Report->new(name => 'spans', answer => sub { $report->window });
my $gaps = Zed::Gaps->new(report => $report, strict => $ENV{STRICT}, words => ['span', 'spans'], take => sub { print "@_[2 .. 5]\n" });
my $tasks = Zed::Tasks->new(asked => 0,
	slept => sub { my ($task, $from, $to, $letter) = @_; $gaps->ended($task->source, $to, {}, $task->pid, $letter, $from, $to) },
	waited => sub {
		my ($task, $cpu, $from, $to, $why, $waker) = @_;
		my @span = ($to, {}, $task->pid, $why, $from, $to);
		$waker && $waker->{unsure} ? $gaps->begun_in_gap(@span) : $gaps->ended($task->source, @span);
	});
sub trace_lost { $tasks->lost(@_); $gaps->lost(@_) }
sub trace_end { $gaps->over }
END

# [PID, WHAT, FROM, TO] of all.
sub spans {
	my ($file, $strict) = @_;
	my $r = zedperl({ bare => 1, env => { STRICT => $strict } }, '-i', $file, \$spans);
	diag($r->{err}) if $r->{status};
	return map { [split] } lines($r->{out});
}

# For each CPU [TS, event].
sub events {
	my ($file) = @_;
	my @of;
	open my $in, '-|', zedperl_path() =~ s/zedperl\z/zedprint/r, '-f', 'json', '--event', 'sched', $file or die "$file: $!\n";
	while (my $line = <$in>) {
		my ($ts, $event, $cpu, $pid, $fields) = $line =~ /^\{"ts":(\d+),"event":"([^"]+)","cpu":(\d+),"pid":(-?\d+),.*"fields":(.*)\}$/ or next;
		# A task that exits is a zombie (32) or dead (16): its parent may change that from one record to the other.
		$fields =~ s/("prev_state":)32\b/${1}16/;
		push @{$of[$cpu]}, [$ts, "$event $pid $fields"];
	}
	close $in or die "$file: $?\n";
	return @of;
}

# How many events of LOSSY from J on are those of WHOLE from I on; as many as decide it are looked at.
sub run_length {
	my ($lossy, $j, $whole, $i) = @_;
	my $n = 0;
	$n++ while $n < 64 && $j + $n < @$lossy && $i + $n < @$whole && $lossy->[$j + $n][1] eq $whole->[$i + $n][1];
	return $n;
}

# {TS of an event of LOSSY}: its time in ALL, with others that two CPUs recorded at one time; and {PID}: both times of
# each waking of it.  Both have the same events of a CPU in the same order; after a loss, or where the machine stood
# between the two records of an event, it is matched with the equal one from which on most events are the same.
sub same_times {
	my ($all, $lossy, $apart) = @_;
	my @all = events($all);
	my @lossy = events($lossy);
	my (%at, %wakings);
	for my $cpu (0 .. $#lossy) {
		my $whole = $all[$cpu] // [];
		my $next = 0;
		my $some = $lossy[$cpu] // [];
		for my $j (0 .. $#$some) {
			my ($ts, $what) = @{$some->[$j]};
			my $is = sub { my $e = $whole->[$_[0]]; return $e && $e->[1] eq $what && abs($e->[0] - $ts) <= $apart };
			if (!$is->($next) || abs($whole->[$next][0] - $ts) > $NEAR) {
				my $from = $next;
				$from++ while $from < $#$whole && $whole->[$from][0] < $ts - $apart;
				my @near;
				for (my $i = $from; $i <= $#$whole && $whole->[$i][0] <= $ts + $apart; $i++) {
					push @near, [$i, run_length($some, $j, $whole, $i), abs($whole->[$i][0] - $ts)] if $is->($i);
				}
				next if !@near;
				$next = (sort { $b->[1] <=> $a->[1] || $a->[2] <=> $b->[2] } @near)[0][0];
			}
			push @{$wakings{$1}}, [$ts, $whole->[$next][0]] if $what =~ /^sched::sched_waking .*"pid":(\d+)/;
			push @{$at{$ts}}, $whole->[$next++][0];
		}
	}
	@$_ = sort { $a->[0] <=> $b->[0] } @$_ for values %wakings;
	return (\%at, \%wakings);
}

# The spans without a counterpart in the other recording that began and ended with the same events.  Where that has the
# switch of one CPU after the waking by another, there was no sleep, and the wait began with the switch.  Where only this
# one has, its sleep lasts to the wakeup that follows, and in the other one to the waking; so does a wait begin.
sub not_in {
	my ($of, $at, $wakings, @spans) = @_;
	my %other;	# {PID TS of a waking}: the time of the switch
	return grep {
		my ($pid, $what, $from, $to) = @$_;
		my ($begin, $end) = map { my $ts = $_; +{ map { $_ => 1 } @{$at->{$ts} // [$ts]}, $other{"$pid $ts"} // () } } $from, $to;
		my ($since) = sort { $b <=> $a } keys %$begin;
		if ($what eq 'wake') {
			my ($waking) = reverse grep { $_->[0] <= $from } @{$wakings->{$pid} // []};
			$begin->{$waking->[1]} = 1 if $waking;
		} elsif ($WHAT{$what} !~ /^waits/) {
			my ($early) = grep { $_->[0] <= $from && $_->[1] >= $since } @{$wakings->{$pid} // []};
			$end->{$other{"$pid $to"} = $early->[1]} = 1 if $early;
		}
		my $found = grep { $begin->{$_->[2]} && $end->{$_->[3]} } @{$of->{"$pid $what"} // []};
		# At one and the same time either may have been first.
		my $reversed = $WHAT{$what} !~ /^waits/ && ($from == $to ? !$found : !grep { $_ >= $since } keys %$end);
		$other{"$pid $to"} = $since if $reversed;
		!$reversed && !$found;
	} sort { $a->[3] <=> $b->[3] } @spans;
}

# {PID WHAT}: "n total" of the rows, and the note on gaps.
sub answer {
	my ($file, $strict, $key, @words) = @_;
	my $r = zedperl({ bare => 1 }, '-i', $file, @words, '--json', '--limit', 0, $strict ? '--strict-loss' : ());
	my $data = eval { JSON::PP::decode_json($r->{out}) } or diag($r->{err});
	my (%rows, %gaps);
	for my $row (@{$data->{tables}{tasks}{rows} // []}) {
		my $sum = $rows{"$row->{pid} $row->{$key}"} //= [0, 0];
		$sum->[0] += $row->{n};
		$sum->[1] += $row->{total};
		$gaps{"$row->{pid} $row->{$key}"} += $row->{gaps} // 0;
	}
	my ($note) = grep { $_->{key} eq 'gaps' } @{$data->{notes} // []};
	return ({ map { $_ => "@{$rows{$_}}" } grep { $rows{$_}[0] } keys %rows }, \%gaps, $note ? $note->{n} : 0);
}

sub sums {
	my ($words, @spans) = @_;
	my %sum;
	for (@spans) {
		my ($pid, $what, $from, $to) = @$_;
		my $sum = $sum{"$pid " . ($words->{$what} // next)} //= [0, 0];
		$sum->[0]++;
		$sum->[1] += $to - $from;
	}
	return { map { $_ => "@{$sum{$_}}" } keys %sum };
}

sub shown { my (@spans) = @_; return diag(join "\n", map { "@$_" } @spans > 8 ? @spans[0 .. 7] : @spans) }

sub lossy_agrees {
	my ($name, $all, $lossy, %o) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my %of;
	my ($at, $wakings) = $o{apart} ? same_times($all, $lossy, $o{apart}) : ({}, {});
	push @{$of{"$_->[0] $_->[1]"}}, $_ for spans($all, 0);
	my @strict = spans($lossy, 1);
	cmp_ok(scalar @strict, '>', 5, "$name: spans are left");
	my @wrong = not_in(\%of, $at, $wakings, @strict);
	ok(!@wrong, "$name: all @{[scalar @strict]} that --strict-loss leaves are in the recording that lost nothing (else: times that nobody waited or slept)") || shown(@wrong);
	my @plain = spans($lossy, 0);
	my @unsure = not_in(\%of, $at, $wakings, @plain);
	for (['off-cpu', 'what', \%WHAT, '--by', 'pid'], ['waits', 'kind', \%KIND, '--by', 'pid,kind']) {
		my ($script, $key, $words, @by) = @$_;
		my ($rows, $gaps, $n) = answer($lossy, 0, $key, $script, @by);
		is_deeply($rows, sums($words, @plain), "$name: $script has them");
		is_deeply((answer($lossy, 1, $key, $script, @by))[0], sums($words, @strict), "$name: $script --strict-loss has those");
		my @mine = grep { $words->{$_->[1]} } @unsure;
		my @silent = grep { !$gaps->{"$_->[0] $words->{$_->[1]}"} } @mine;
		ok(!@silent, "$name: $script says of each of the @{[scalar @mine]} that are not there that it may be two") || shown(@silent);
		cmp_ok(scalar @mine, '<=', $n, "$name: ... and how many may be, $n of all");
	}
	return;
}

1;
