# SPDX-License-Identifier: GPL-2.0-or-later
#
# waits, off-cpu, sched-summary, syscalls beside perf sched timehist and perf trace, asked for the same times of the same
# perf.data: who ran, waited and called how long is what perf says, but for rules, which say what perf counts otherwise.  Without it
# an answer for a time may be one that only this project gives.
#
# of: scripts/waits.pl scripts/off-cpu.pl scripts/sched-summary.pl scripts/syscalls.pl lib/Zed reader/perf
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::PerfRules;
use Compare::WaitModel qw(spans count);
use Pass;
use Run::Process;
use Run::Program qw(zed_bin zed_tmp zed_shared);
use Run::Zedperl;
use Write::PerfOfDat;

plan(skip_all => 'perf is not here (apt-get install linux-perf)') if !grep { -x "$_/perf" } split /:/, $ENV{PATH};
srand($ENV{SEED} // 28);

my $dir = zed_tmp();
my $US = 1000;		# what perf prints is cut or rounded to us
my $WINDOWS = small(2, 5);
my $events = qr/^(?:sched:sched_(?:switch|waking|wakeup|wakeup_new|process_exit)|raw_syscalls:.*)\z/;

my $CALL = sub { "$_[0]{who} $_[0]{name}" };
my @CALLS = qw(syscalls --by pid --legs);

sub seconds { return sprintf '%d.%09d', int $_[0] / 1_000_000_000, $_[0] % 1_000_000_000 }

# {KEY}{COLUMN}: sums of the rows of an analysis for a time.
sub asked {
	my ($file, $from, $to, $key, $columns, $script, @own) = @_;
	my $r = zedperl({ bare => 1 }, '--start', seconds($from), '--end', seconds($to), $file, $script, '--json', '--limit', 0, @own);
	my $rows = eval { JSON::PP::decode_json($r->{out})->{tables}{$script eq 'syscalls' ? 'calls' : 'tasks'}{rows} } // [];
	diag($r->{err}) if $r->{status} || $r->{err};
	my %of;
	for my $row (@$rows) {
		my $sum = $of{$key->($row)} //= { map { $_ => 0 } @$columns };
		$sum->{$_} += $row->{$_} // 0 for @$columns;
	}
	return \%of;
}

# One is the other, but for what perf rounds: a column may be off by less than its SLACK.
sub near {
	my ($got, $want, $slack, $what) = @_;
	my @differ;
	for my $key (sort keys %{{%$got, %$want}}) {
		for my $column (sort keys %{{%{$got->{$key} // {}}, %{$want->{$key} // {}}}}) {
			my ($is, $wants) = map { ($_->{$key} // {})->{$column} // 0 } $got, $want;
			push @differ, "$key: $column: $is, by rule $wants" if abs($wants - $is) >= ($slack->{$column} // 1);
		}
	}
	return ok(!@differ, $what) || diag(join "\n", @differ > 12 ? @differ[0 .. 11] : @differ);
}

# Of what runs, in the analysis: up to the end of the trace if nothing ends it, and from the first record of its CPU on if its
# beginning is unknown; a slice is what switches begin and end, and counts where it ends.
sub ran {
	my ($runs, $from, $to) = @_;
	my %of;
	for (@{$runs->{runs}}) {
		my ($pid, $cpu, $begun, $end) = @$_;
		my $begin = $begun // $runs->{first}{$cpu};
		my $until = $end // $runs->{last};
		next if !$pid || $begin > $to || $until < $from;
		my ($low, $high) = ($begin > $from ? $begin : $from, $until < $to ? $until : $to);
		my $sum = $of{$pid} //= { run => 0, n => 0 };
		$sum->{run} += $high - $low;
		$sum->{n}++ if defined $begun && defined $end && $end >= $from && $end <= $to;
	}
	return \%of;
}

# Perf gives the time between two switches of a CPU to the task that leaves it, even where another had come: a switch is missing
# there.  The analyses give neither of them that time: such tasks are left out.
sub seen { my ($runs, $of) = @_; return { map { $_ => $of->{$_} } grep { !$runs->{unseen}{$_} } keys %$of } }

# Nor is known whom perf gives the last run of a task that ends.
sub lasting { my ($runs, $of) = @_; return { map { $_ => $of->{$_} } grep { !$runs->{gone}{$_} } keys %$of } }

# Perf, the analyses and what rules say of both, of a time.
sub sched_agrees {
	my ($what, $file, $runs, $spans, $from, $to) = @_;
	my $name = "$what @{[seconds($from)]} .. @{[seconds($to)]}";
	my $perf = hist_of_perf($file, $from, $to);
	near(lasting($runs, $perf), lasting($runs, hist_by_rule($runs, $from, $to)), { run => $US, delay => $US, off => 3 * $US }, "$name: perf sched timehist counts as it is said that it does");

	my $pid = sub { $_[0]{pid} };
	my $asked = sub { my ($columns, @script) = @_; return seen($runs, asked($file, $from, $to, $pid, $columns, @script, '--by', 'pid')) };
	my $counted = sub {
		my ($by) = @_;
		my $rows = seen($runs, count($spans, $from, $to, by => $by));
		delete $_->{max} for values %$rows;
		return $rows;
	};
	near($asked->([qw(run n)], 'sched-summary'), seen($runs, ran($runs, $from, $to)), {},
		"$name: sched-summary has perf's run time, and what no switch begins or ends");
	near($asked->([qw(n total in)], 'waits', '--kind', 'woken,new'), $counted->(sub { $_[0] eq 'woken' || $_[0] eq 'new' ? $_[1] : undef }), {},
		"$name: waits has perf's sch delay, of what ends in it");
	near($asked->([qw(n total in)], 'off-cpu'), $counted->(sub { $_[1] }), {}, "$name: off-cpu has perf's wait time, in the pieces that end in it");
	return;
}

# The calls of an answer that perf has as well: it knows no exit of what returns from a signal's handler, which has no number.
sub known_to_perf { my ($of) = @_; return { map { $_ => $of->{$_} } grep { !/ (?:rt_)?sigreturn\z/ } keys %$of } }

# What perf trace lists, of which a call counts where it ends.
sub calls_agree {
	my ($what, $file, $calls, $from, $to) = @_;
	my %of;
	for (grep { defined $_->{end} && $_->{end} >= $from && $_->{end} <= $to } @$calls) {
		my $sum = $of{"$_->{pid} $_->{name}"} //= { n => 0, total => 0, errors => 0 };
		$sum->{n}++;
		$sum->{total} += $_->{took};
		$sum->{errors} += $_->{failed};
	}
	my ($most) = sort { $b <=> $a } 1, map { $_->{n} } values %of;
	near(\%of, known_to_perf(asked($file, $from, $to, $CALL, [qw(n total errors)], @CALLS)), { total => $most * $US / 2 + 1 },
		"$what @{[seconds($from)]} .. @{[seconds($to)]}: syscalls has the calls that perf trace lists");
	return;
}

# What it sums up, of all: an end without a beginning is a call of no time there, and none in the analysis.
sub totals_agree {
	my ($what, $file, $calls, $from, $to) = @_;
	my $want = known_to_perf(asked($file, $from, $to, $CALL, [qw(n total errors max)], @CALLS));
	my @unbegun = grep { !defined $_->{end} } @$calls;
	for (@unbegun) {
		my $sum = $want->{"$_->{pid} $_->{name}"} //= { map { $_ => 0 } qw(n total errors max) };
		$sum->{n}++;
		$sum->{errors} += $_->{failed};
	}
	near(totals_of_perf($file), $want, { total => $US, max => $US }, "$what: syscalls sums up what perf trace -s does, but for @{[scalar @unbegun]} calls that had begun before");
	return;
}

# Times where nothing happens 10 us before and after.
sub windows {
	my ($file, $n) = @_;
	my @ts = lines(zedperl({ bare => 1 }, $file, \'Zed::on("*:*", args => ["ts"], sub { print "$_[0]\n" })')->{out});
	my @gaps = map { [@ts[$_ - 1, $_]] } grep { $ts[$_] - $ts[$_ - 1] > 40 * $US } 1 .. $#ts;
	my $at = sub { my ($low, $high) = @{$gaps[rand @gaps]}; return $low + 10 * $US + int rand($high - $low - 20 * $US) };
	return ([$ts[0] - $US, $ts[-1] + $US], map { [sort { $a <=> $b } $at->(), $at->()] } 1 .. $n);
}

sub agrees {
	my ($what, $file) = @_;
	my $zedprint = zed_bin('zedprint');
	my ($runs, @spans) = (runs($zedprint, $file), spans($zedprint, $file));
	my $calls = calls_of_perf($file);
	my ($all, @parts) = windows($file, $WINDOWS);
	totals_agree($what, $file, $calls, @$all);
	for ($all, @parts) {
		sched_agrees($what, $file, $runs, \@spans, @$_);
		calls_agree($what, $file, $calls, @$_);
	}
	return;
}

SKIP: {
	skip 'perf names system calls as this machine has them, and the recording is of x86_64', 1 if (POSIX::uname())[4] ne 'x86_64';
	agrees('shell', perf_of_dat('docs/shell.dat', "$dir/shell.data", events => $events, arch => 'x86_64'));
}

# A recording of this machine as it is now.  One with losses is no use here: perf counts on over them, the analyses do not.
sub recorded {
	my ($file) = @_;
	my @which = map { ('-e', "sched:sched_$_") } qw(switch waking wakeup wakeup_new);
	for my $pages ('4M', '32M', '128M') {
		my $pid = spawn({ dir => '/', stdout => '/dev/null', stderr => '/dev/null' }, 'perf', 'record', '-q', '-a', '-m', $pages, '-o', $file, @which, '--', 'sleep', 0.2);
		my ($status) = reap($pid, 60);
		return 'perf cannot record here: it takes root, and a kernel that allows it' if $status || !-s $file;
		return if zedperl({ bare => 1 }, $file, \'my $gaps = 0; sub trace_lost { $gaps++ } END { print $gaps }')->{out} eq '0';
	}
	return 'perf loses events here with 128 MB for a CPU';
}

SKIP: {
	my $why = recorded("$dir/live.data");
	skip $why, 1 if defined $why;
	agrees('live', "$dir/live.data");
}

done_testing();
