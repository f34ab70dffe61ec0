#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests.pl [OPTION...] TEST...: the tests among TEST... that are to run, in starting order, selected by the lines of
# their heads:
#
#	of: PATH...		the files and folders that the test is about; ".": all of them
#	runs: make check	takes more than five seconds: make test leaves it out
#	runs: make check; a small pass in make test
#
#	--pass test	without those that only make check runs
#	--pass rest	only those that make test has left out or run in part
#	--of PATH	only those about PATH: that file (a .c is its .h too), a folder around it, or something in that folder; a
#			test, and a .test of t/cases, are about themselves
#	--state FILE	prove's state file with the times of the last run
#
# Tests that mostly wait, for the kernel or a network, run in parallel with those that compute; in both groups the
# longest come first, so that none runs alone at the end.
use strict;
use warnings;
use File::Spec;
use Getopt::Long;

my %o;
GetOptions(\%o, 'pass=s', 'of=s', 'state=s') or die "usage: $0 [--pass test|rest] [--of PATH] [--state FILE] TEST...\n";

# A test in C is named by its program.
sub source_of { return $_[0] =~ s{^(?:.*/)?build/[^/]+/(.*)\.t\z}{$1.c}r }

# The declarations in the head of the test: {of => [...], runs => text, waits => 1}.
sub head {
	my ($test) = @_;
	my $path = source_of($test);
	open my $fh, '<', $path or die "$0: $path: $!\n";
	my %h = (of => []);
	while (<$fh>) {
		$h{waits} = 1 if /\blive_or_skip\(|^use Run::Server\b/;
		next if $. > 30 || !/^(?:#| \*) (of|runs): (.*)$/;
		if ($1 eq 'of') { push @{$h{of}}, split ' ', $2 } else { $h{runs} = $2 }
	}
	return \%h;
}

my %took;
if ($o{state} && -e $o{state}) {
	require App::Prove::State;
	%took = map { ($_->name => $_->elapsed) } App::Prove::State->new({ store => $o{state} })->results->tests;
}

# PATH as in the heads: from the root, without the extension by which a .c and its .h differ.
sub as_named {
	my ($path) = @_;
	return File::Spec->abs2rel($path) =~ s/\.[ch]\z//r;
}

# Is the test PATH, with the head H, about the path of --of?
my ($of, $named) = (defined $o{of} ? as_named($o{of} =~ s/\.test\z/.t/r) : '', 0);
sub about {
	my ($path, $h) = @_;
	my $narrow = grep { $_ eq $of || index($of, "$_/") == 0 || index($_, "$of/") == 0 } map { as_named($_) } $path, grep { $_ ne '.' } @{$h->{of}};
	$named += $narrow;
	return $narrow || grep { $_ eq '.' } @{$h->{of}};
}

my (%lane, %sum, %done);
for my $test (@ARGV) {
	my $h = head($test);
	my $long = defined $h->{runs};
	next if ($o{pass} // '') eq 'test' && $long && $h->{runs} !~ /small pass/;
	next if ($o{pass} // '') eq 'rest' && !$long;
	next if defined $o{of} && !about(source_of($test), $h);
	my $lane = $h->{waits} ? 0 : 1;
	my $seconds = $took{$test} // ($long ? 10 : 1);
	push @{$lane{$lane}}, [$test, $seconds];
	$sum{$lane} += $seconds;
	$done{$lane} = 0;
}
die "no test names $o{of} (in the line 'of:' of its head)\n" if defined $o{of} && !$named;
$lane{$_} = [sort { $b->[1] <=> $a->[1] || $a->[0] cmp $b->[0] } @{$lane{$_}}] for keys %lane;
# Always from the lane with less started work.
while (my ($next) = sort { $done{$a} / $sum{$a} <=> $done{$b} / $sum{$b} || $a <=> $b } grep { @{$lane{$_}} } keys %lane) {
	my ($test, $seconds) = @{shift @{$lane{$next}}};
	print "$test\n";
	$done{$next} += $seconds;
}
