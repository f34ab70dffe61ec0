#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# again.pl STATEFILE -- COMMAND...: after a run of prove that failed, with its --statefile: when all that failed are live
# tests (those that call live_or_skip or live_part), COMMAND runs them once more, and its status is ours; else 1.  They
# measure a running kernel, which hundreds of other tests keep busy meanwhile; by itself each has to pass.  Both runs
# stay in the log.  More than three that fail beside others are no accident.
use strict;
use warnings;
use App::Prove::State;

my ($file, $dashes, @command) = @ARGV;
die "usage: again.pl STATEFILE -- COMMAND...\n" if !@command || $dashes ne '--';
-e $file or exit 1;

my @failed = map { $_->name } grep { $_->result } App::Prove::State->new({ store => $file })->results->tests;
exit 1 if !@failed || @failed > 3;
for my $test (@failed) {
	open my $fh, '<', $test or exit 1;
	exit 1 if $test !~ /\.t\z/ || !grep { /^\s*live_or_skip\(|\blive_part\(\)/ } <$fh>;
}
print "== once more, with nothing beside: @failed\n";
$| = 1;
exit(system(@command, sort @failed) ? 1 : 0);
