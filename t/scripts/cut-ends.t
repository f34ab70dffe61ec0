# SPDX-License-Identifier: GPL-2.0-or-later
#
# CPUs whose first or last records were left out of a file (--max-size, record -m, a tool): what the analyses of tasks say of it,
# beside the file with all records.  Without it the task that ran last on a CPU has all the time up to the end of the trace.
#
# of: lib/Zed/Ends.pm lib/Zed/Tasks.pm lib/Zed/Tasks lib/Zed/Gaps.pm scripts/sched-summary.pl scripts/waits.pl scripts/off-cpu.pl reader/dat/lacks.c run/period.c record/cut/cut_stats.c trace/cpustat.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::DatRead;
use Compare::LossyPair;
use Compare::Windows;
use Pass;
use Run::Zedperl;
use Write::PerfOfDat qw(formats records);

srand($ENV{SEED} // 28);

sub zedprint { return zedperl({ bare => 1, program => zedperl_path() =~ s/zedperl\z/zedprint/r }, @_) }

my $d = Compare::DatRead::dat_read('docs/shell.dat');
my %types = map { ("$_->[1]::$_->[2]" => $_->[3]) } grep { $_->[1] eq 'sched' } formats($d);
my %is = map { /^ID: (\d+)$/m ? ($1 => 1) : () } values %types;
my @all = grep { $is{$_->[2]} } records($d);
my @n = (0) x 4;
$n[$_->[1]]++ for @all;

# Of each CPU the records from FIRST up to LAST, by number, and what the kernel counted.
sub between {
	my ($first, $last, %counted) = @_;
	my (@kept, @seen);
	for (@all) {
		my ($ts, $cpu, $id, $bytes) = @$_;
		my $at = $seen[$cpu]++;
		push @kept, [$cpu, $ts, $id, substr($bytes, 8), undef, undef, unpack('x4 l<', $bytes), unpack 'x2 C', $bytes]
			if $at >= $first->[$cpu] && $at < $last->[$cpu];
	}
	my @stats = map { my $n = $counted{of} ? $counted{of}[$_] : $n[$_];
		[2, "CPU: $_\nentries: " . int($n / 3) . "\noverrun: 0\nread events: " . ($n - int $n / 3) . "\n\0"] } 0 .. 3;
	return trace(types => \%types, events => \@kept, cpus => 4, $counted{none} ? () : (options => \@stats));
}

sub tables {
	my ($file, $script, @options) = @_;
	my $r = zedperl({ bare => 1 }, @options, '-i', $file, $script, '--json', '--limit', 0, $script eq 'sched-summary' ? ('--by', 'pid') : ());
	my $data = eval { JSON::PP::decode_json($r->{out}) } or diag $r->{err};
	return $data // {};
}

sub seconds { return sprintf '%d.%09d', $_[0] / 1_000_000_000, $_[0] % 1_000_000_000 }

# [CPU]: [first, last] of its records, by what zedprint prints.
sub ends {
	my ($file) = @_;
	my @ends;
	for (grep { /^\{"ts"/ } lines(zedprint('-f', 'json', $file)->{out})) {
		my ($ts, $cpu) = /"ts":(\d+).*?"cpu":(\d+)/ or next;
		$ends[$cpu][0] //= $ts;
		$ends[$cpu][1] = $ts;
	}
	return @ends;
}

# Each CPU's time between its first and last record is as in WHOLE; all other time is unknown, and of no task.
sub time_is_known {
	my ($name, $whole, $file) = @_;
	my $data = tables($file, 'sched-summary');
	my %cpus = map { $_->{cpu} => "$_->{busy} $_->{idle} $_->{unknown}" } @{$data->{tables}{cpus}{rows}};
	my (%known, %run);
	my @ends = ends($file);
	my ($start, $end) = ((sort { $a <=> $b } map { $_->[0] } @ends)[0], (sort { $b <=> $a } map { $_->[1] } @ends)[0]);
	for my $cpu (0 .. $#ends) {
		my $part = tables($whole, 'sched-summary', '--cpu', $cpu, '--start', seconds($ends[$cpu][0]), '--end', seconds($ends[$cpu][1]))->{tables};
		my ($row) = @{$part->{cpus}{rows}};
		$known{$cpu} = join ' ', @$row{qw(busy idle)}, $end - $start - $row->{busy} - $row->{idle};
		$run{$_->{pid}} += $_->{run} for @{$part->{tasks}{rows}};
	}
	is_deeply(\%cpus, \%known, "$name: busy and idle are what they are in the whole, the rest is unknown (else: the last task has it)");
	my %ran = map { $_->{pid} => 0 } @{$data->{tables}{tasks}{rows}};
	$ran{$_->{pid}} += $_->{run} for @{$data->{tables}{tasks}{rows}};
	delete $run{$_} for grep { !$run{$_} } keys %run;
	delete $ran{$_} for grep { !$ran{$_} } keys %ran;
	is_deeply(\%ran, \%run, "$name: and so is what each task ran");
	my ($note) = grep { $_->{key} eq 'cut' } @{$data->{notes}};
	is($note ? $note->{n} : 0, scalar(grep { $_->[0] > $start || $_->[1] < $end } @ends), "$name: and it is said");
	return;
}

# Files of which some pages are left.
my $whole = between([0, 0, 0, 0], \@n);
time_is_known('demo.dat', 'docs/shell.dat', 't/data/demo.dat');
my @turns = map { [map { [map { int rand $_ / 4 } @n] } 1, 2] } 1 .. small(1, 6);
for my $turn (1 .. @turns) {
	my @first = @{$turns[$turn - 1][0]};
	my @last = map { $n[$_] - 1 - $turns[$turn - 1][1][$_] } 0 .. 3;
	# As if these were a small part of what was counted.
	my $file = between(\@first, \@last, of => [map { 5 * $_ } @n]);
	time_is_known("cut $turn", $whole, $file);
	lossy_agrees("cut $turn", $whole, $file);
	windows_add_up({ of => $file, analysis => 'sched-summary', windows => 4, table => 'cpus', key => ['cpu'], cut => [qw(busy idle unknown all)] });
}

# A trace that has all records: who runs last, and who is idle, may do so until the end.
my %as_before = map { $_ => tables(between([0, 0, 0, 0], \@n, none => 1), $_)->{tables} } 'sched-summary', 'off-cpu', 'waits';
sub is_whole {
	my ($name, $file) = @_;
	is_deeply(tables($file, $_)->{tables}, $as_before{$_}, "$name: $_: nothing is cut") for sort keys %as_before;
	return;
}
is_whole('all that was counted', $whole);
is_whole('a page is counted twice while the recorder ends', between([0, 0, 0, 0], \@n, of => [map { $_ + 160 } @n]));

# zedprint --cut says what it was not to take: the CPUs of its file are not cut, but those that were before.
for my $of ('docs/shell.dat', 't/data/demo.dat') {
	my ($cut, $again) = map { temp_path('.dat') } 1, 2;
	zedprint('--start', '7.13', '--end', '7.4', '--event', 'sched', '--cut', $cut, $of);
	zedprint('--start', '7.14', '--cut', $again, $cut);
	for ($cut, $again) {
		my ($note) = grep { $_->{key} eq 'cut' } @{tables($_, 'sched-summary')->{notes}};
		is($note ? $note->{n} : 0, $of =~ /demo/ ? 4 : 0, "$of: --cut (else: an idle CPU of what was cut out is unknown after its last record)");
	}
}

done_testing();
