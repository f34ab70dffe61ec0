# SPDX-License-Identifier: GPL-2.0-or-later
#
# Order: by which column the rows on a screen are sorted: the reader chooses it with keys.
package Zed::Report::Order;
use strict;
use warnings;

our $VERSION = '0.1';

sub new { my ($class) = @_; return bless {}, $class }

# Sorts TABLE (or undef) by it; how that is said.
sub sort_rows {
	my ($self, $table) = @_;
	my $by = $self->{by};
	return '' if !defined $by || !$table || !grep { $_ eq $by } $table->keys;
	$table->sort_by($by, $self->{up});
	return " by $by" . ($self->{up} ? ', the least first' : '');
}

# Left, right and digits choose a column of TABLE (or undef), r reverses the order. True if KEY was one of these.
sub key {
	my ($self, $table, $key) = @_;
	my @keys = $table ? $table->keys : return 0;
	if ($key eq 'r') {
		$self->{up} = !$self->{up};
		$self->{by} //= $keys[0];
		return 1;
	}
	my ($at) = grep { $keys[$_] eq ($self->{by} // '') } 0 .. $#keys;
	my $to = $key =~ /\A[1-9]\z/ ? $key - 1 : $key eq 'right' ? ($at // -1) + 1 : $key eq 'left'
		? ($at // @keys) - 1 : return 0;
	return 0 if $to < 0 || $to > $#keys;
	$self->{by} = $keys[$to];
	return 1;
}

1;
