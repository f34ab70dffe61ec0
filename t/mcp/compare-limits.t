# SPDX-License-Identifier: GPL-2.0-or-later
#
# What limits a comparison is among its limits: lost events, damage, rows of one name. Without it an agent reports a
# difference that is one of the recordings, not of the kernel.
#
# of: programs/zedperl/mcp/answer_tables.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Mcp;
use Run::Program qw(zed_tmp);

my $cut = zed_tmp() . '/cut.dat';
spew($cut, substr slurp('t/data/demo.dat'), 0, 30_000);
my $m = mcp('t/data/demo.dat', 't/data/lost.dat', $cut);

# The limits of a comparison of the traces A and B that are LIKE it; its status.
sub limits {
	my ($a, $b, $like) = @_;
	my $r = tool($m, 'compare', { analysis => 'syscalls', a => [$a], b => [$b] });
	return $r->{error} if !$r->{data};
	return join ' ', $r->{data}{status}, scalar(grep { $_ =~ $like } @{$r->{data}{limits}}), scalar grep { $_ =~ $like } @{$r->{data}{notes}};
}

is(limits('demo.dat', 'demo.dat', qr/lost|damage/), '0 0 0', 'whole recordings: nothing limits it');
is(limits('lost.dat', 'demo.dat', qr/^1 trace of A lost events: rates are lower bounds/), '0 1 0', 'lost events of A are a limit (else: lower bounds are compared)');
is(limits('demo.dat', 'lost.dat', qr/^1 trace of B lost events/), '0 1 0', '... and of B');
is(limits('demo.dat', 'cut.dat', qr/^1 trace of B was read with damage/), '1 1 0', 'damage is one, and in the status (else: half of a recording is compared)');
is(limits('cut.dat', 'lost.dat', qr/damage|lost events/), '1 2 0', '... both');
is(mcp_end($m), 0, 'the end');

done_testing();
