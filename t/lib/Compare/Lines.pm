# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Lines: compares lines of output with expected lines, in which "..." and /RE/ are patterns.
package Compare::Lines;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(line_pattern lines_match);

# An expected line as a regular expression: "..." in it is any text, /RE/ a line in which RE matches; undef: "..."
# alone.
sub line_pattern {
	my ($line) = @_;
	return undef if $line eq '...';
	my ($re) = $line =~ m{^/(.+)/\z} or return qr/\A@{[join '.*', map { quotemeta } split m{\.\.\.}, $line, -1]}\z/;
	$re = qr/$re/;
	die "it matches an empty line, and so any\n" if '' =~ $re;
	return $re;
}

# Do the lines GOT match the patterns WANT?
sub lines_match {
	my ($want, $got) = @_;
	my @at = (0);	# where the next line may be, after the patterns so far
	for my $pattern (@$want) {
		my %next;
		for my $at (@at) {
			if (!defined $pattern) {
				$next{$_} = 1 for $at .. @$got;
			} elsif ($at < @$got && $got->[$at] =~ $pattern) {
				$next{$at + 1} = 1;
			}
		}
		@at = sort { $a <=> $b } keys %next or return 0;
	}
	return $at[-1] == @$got;
}

1;
