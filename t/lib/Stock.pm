# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock: what the packaged trace-cmd prints of a file, for tests that compare with it.
#
#	plan skip_all => stock_missing() if stock_missing();
#	my $text = stock_text($dat, '-R', '-t');
package Stock;
use strict;
use warnings;
use Exporter 'import';
use Test::More ();

our @EXPORT = qw(stock_missing stock_text);

# Why there is nothing to compare with, or undef.
sub stock_missing {
	return undef if grep { -x "$_/trace-cmd" } split /:/, $ENV{PATH} // '';
	return 'no trace-cmd to compare with: apt-get install trace-cmd';
}

# The text of "trace-cmd report OPTIONS -i DAT".  Of one and the same file trace-cmd 3.1.6 prints, once in some
# 300 runs, a first time without its point (106439675570920: for 106439.675571:), which no pattern here takes
# for a record: it is asked until two answers agree.  Dies if none do, as there is nothing to compare with.
sub stock_text {
	my ($dat, @options) = @_;
	my $before;
	for (1 .. 5) {
		open my $fh, '-|', "trace-cmd report @options -i '$dat' 2>/dev/null" or die "trace-cmd: $!\n";
		my $text = do { local $/; <$fh> } // '';
		close $fh or die "trace-cmd report @options -i $dat: wait status $?\n";
		return $text if defined $before && $text eq $before;
		$before = $text;
	}
	die "trace-cmd report @options -i $dat: five answers, no two the same\n";
}

1;
