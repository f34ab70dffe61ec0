#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# live-count.pl --begin DIR: before the tests: removes the records of earlier runs from DIR.
# live-count.pl DIR [TEST...]: after them: prints how many of the live tests (those that call live_or_skip or live_part)
# among TEST... (default: t/*/*.t) ran, and which were skipped and why.  Fails if one was skipped although tracefs works
# here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Basename qw(basename);
use Run::Live;

my $begin = @ARGV && $ARGV[0] eq '--begin' ? shift : 0;
my $dir = shift // die "usage: live-count.pl [--begin] DIR [TEST...]\n";

if ($begin) {
	unlink glob "$dir/*.t";
	exit 0;
}

sub lines {
	my ($path) = @_;
	open my $fh, '<', $path or return ();
	chomp(my @lines = <$fh>);
	return @lines;
}

my @live = grep { /\.t$/ && -f && grep { /^\s*live_or_skip\(|\blive_part\(\)/ } lines($_) } @ARGV ? @ARGV : glob 't/*/*.t';
exit 0 if !@live;
my ($ran, @skipped, @parts) = (0);
for my $test (sort @live) {
	my $name = basename($test);
	my @record = lines("$dir/$name");
	my ($skip) = map { /^skipped: (.*)/ ? $1 : () } @record;
	if (grep { $_ eq 'ran' } @record) {
		$ran++;
	} else {
		push @skipped, "$name: " . ($skip // 'it did not get so far');
	}
	push @parts, map { /^part: (.*)/ ? "$name: in part: $1" : () } @record;
}
printf "live tests: %d ran, %d skipped\n", $ran, scalar @skipped;
print "  $_\n" for @skipped, @parts;
if (@skipped && !defined Run::Live::why_not()) {
	print "  tracefs works here, so none of them should have been skipped\n";
	exit 1;
}
exit 0;
