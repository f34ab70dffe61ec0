# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where -f report leaves trace-cmd for the kernel, it has to say what the kernel said: the states, flags and numbers
# that t/lib/Compare/TextChanges.pm excuses, and the flags column, are compared with the kernel's own text of the same
# records.  Without this the table would let any text of ours pass where trace-cmd's is wrong.
#
# of: text/report sink/print t/lib/Compare

use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Compare::ReportLine;

Compare::RealData::need_program('zedprint');

# What of an event's text is compared: in ours, and in the kernel's where that looks otherwise.
my %PART = (
	sched_switch => [qr/\] (\S+) ==> /, qr/ prev_state=(\S+) ==> /],
	hrtimer_init => [qr/ mode=(\S+)$/], timer_start => [qr/ (flags=.*)$/], sys_exit => [qr/^(.*)$/],
	writeback_single_inode => [qr/ age=(\d+) /], writeback_single_inode_start => [qr/ age=(\d+) /],
	tpk_ints => [qr/^(.*)$/], tpk_rel => [qr/(tail=.*)$/], tlb_flush => [qr/ reason=(.*)$/, qr/ reason:(.*)$/],
	tpk_arrays => [qr/(words=\S+ longs=\S+)/],
);

# [flags, event, text] of each record in a report, or in the kernel's text, where some have no name.
sub records {
	my ($fh, $ours) = @_;
	my @all;
	while (<$fh>) {
		chomp;
		my (undef, $flags, $rest) = report_flags($_) or next;
		my ($name, $text) = $rest =~ /^ *[\d.]+: (?:(\w+): +)?(.*)$/;
		push @all, [$flags =~ s/^ //r, $name // '', $text];
	}
	return \@all;
}

# A flags column of the kernel's as a report has it: that tells neither bottom halves that are off nor why a task
# is to be rescheduled.
sub told { return $_[0] =~ s/^D/d/r =~ s/^b/./r =~ s/^(.)n/$1N/r }

my (%compared, $flags);
sub compare {
	my ($name, $dat, $ref) = @_;
	my $head = Compare::RealData::ref_open($ref);
	return if grep { (readline($head) // '') =~ /latency trace/ } 1 .. 3;	# that has other columns
	my $run = Compare::RealData::run('zedprint', '-f', 'report', $dat);
	my $bad = Compare::RealData::failure($run);
	open my $fh, '<:raw', $run->{out} or die "$run->{out}: $!\n";
	my ($ours, $kernel) = (records($fh), records(Compare::RealData::ref_open($ref)));
	unlink $run->{out};
	$bad ||= @$ours . ' records for ' . @$kernel if @$ours != @$kernel;
	my $parts = 0;
	for my $i (0 .. $#$ours) {
		last if $bad;
		my ($o, $k) = ($ours->[$i], $kernel->[$i]);
		$bad = "record $i: flags $o->[0], of the kernel $k->[0]" if $o->[0] ne told($k->[0]);
		$flags++ if $k->[0] =~ /[^.]/;
		my $part = $PART{$o->[1]} or next;
		my ($is) = $o->[2] =~ $part->[0];
		my ($want) = $k->[2] =~ ($part->[1] // $part->[0]);
		$bad ||= "record $i, $o->[1]: " . ($is // 'nothing') . ', of the kernel ' . ($want // 'nothing')
			if !defined $is || !defined $want || $is ne $want;
		$compared{$o->[1]}++;
		$parts++;
	}
	ok(!$bad, "$name: the flags of " . @$ours . " records and parts of $parts are the kernel's") or diag("$name: $bad");
	return;
}

for my $ref (sort glob Compare::RealData::own() . '/*.kernel.txt') {
	(my $dat = $ref) =~ s/\.kernel\.txt$//;
	compare($dat =~ s{.*/}{}r, $dat, $ref);
}
my $why = Compare::RealData::no_shared();
if (!$why) {
	my $dir = Compare::RealData::shared();
	for my $dat (Compare::RealData::recordings($dir)) {
		my $ref = Compare::RealData::reference($dat, 'kernel') or next;
		compare(substr($dat, 1 + length $dir), $dat, $ref);
	}
}
my $least = $why ? 500 : 1000;
cmp_ok($flags, '>', $least, "$flags flags were not all points");
ok($compared{$_}, "$_ is in the data") for grep { !$why || !/^writeback/ } sort keys %PART;
done_testing();
