#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# derive-ltt.pl: what scripts/ltt-schedule.pl must print for the real LTT trace of generation 1, or a cut of it,
# from its bytes as t/lib/Compare/LttRead.pm decodes them.  It shares nothing with zedperl or the script.
#
#     perl t/data/scripts/derive-ltt.pl t/data/ltt-g1 8000 >t/data/scripts/ltt-schedule.ltt-g1.txt
use strict;
use warnings;

use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../../lib';
use Compare::LttRead;

my ($dir, $block_size) = @ARGV;
die "usage: derive-ltt.pl DIR BLOCK_SIZE\n" unless @ARGV == 2;

my (@runs, %of, $changes, $odd);
for my $cpu (0, 1) {
	my @list = grep { $_->{name} eq 'schedchange' } @{Compare::LttRead::read_cpu("$dir/cpu/$cpu", $block_size)->{events}};

	$changes += @list;
	for my $i (1 .. $#list) {
		my ($before, $after) = @list[$i - 1, $i];

		if ($before->{values}[1] == $after->{values}[0]) {
			push @{$of{$after->{values}[0]}}, $after->{ts} - $before->{ts};
		} else {
			$odd++;
		}
	}
}

my %total = map { my $pid = $_; my $t = 0; $t += $_ for @{$of{$pid}}; ($pid => $t) } keys %of;
my $all = 0;
$all += $_ for values %total;
print "     pid     runs           run_ns         avg_ns         max_ns   share\n";
for my $pid (sort { $total{$b} <=> $total{$a} || $a <=> $b } keys %of) {
	my ($max) = sort { $b <=> $a } @{$of{$pid}};

	printf "%8d %8d %16d %14.0f %14d %6.2f%%\n", $pid, scalar @{$of{$pid}}, $total{$pid}, $total{$pid} / @{$of{$pid}},
		$max, $total{$pid} * 100 / $all;
}
print "\nschedule changes: $changes\n";
print "changes that do not follow from the one before: $odd\n" if $odd;
