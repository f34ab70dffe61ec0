# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::State: states of zedperl --map, taken apart and rebuilt with a correct sum.
#
#	my ($key, $body) = state_parts($line);
#	print state_line($key, $body =~ s/"run":\d+/"run":1e999/r);
package Write::State;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(state_parts state_line);

# FNV-1a of 64 bits, as in programs/zedperl/states.c.
sub fnv {
	my ($bytes) = @_;
	use integer;
	my $h = -3750763034362895579;
	$h = ($h ^ $_) * 1099511628211 for unpack 'C*', $bytes;
	return sprintf '%016x', $h;
}

# The key of a LINE, and its JSON without the sum.
sub state_parts {
	my ($line) = @_;
	my ($key, $body) = $line =~ /\A(.*?)\t\{"sum":"[0-9a-f]{16}",(.*)\}\n\z/s;
	die "no state\n" if !defined $body;
	return ($key, $body);
}

sub state_line {
	my ($key, $body) = @_;
	return "$key\t{\"sum\":\"" . fnv($body) . "\",$body}\n";
}

1;
