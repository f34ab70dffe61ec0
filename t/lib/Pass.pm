# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pass: how much of a long test runs: make test takes a small pass of it (ZED_SMALL=1), make check the whole.  Such a
# test declares this in its head: "# runs: make check; a small pass in make test".
#
#	my $turns = small(5, 200);	# 5 in make test, else 200
package Pass;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(small);

# SMALL in make test, else WHOLE; called with nothing: is this the small pass?
sub small {
	my ($small, $whole) = @_ ? @_ : (1, undef);
	return $ENV{ZED_SMALL} ? $small : $whole;
}

1;
