# SPDX-License-Identifier: GPL-2.0-or-later
#
# What grows without being kept by an analysis: the columns of a table, depths, states of many parts.  Without it a few KB
# keep a processor busy for minutes, or take the memory.  What analyses keep: t/bad/growth-*.t.
#
# of: lib/Zed interp/Zed/Fleet.pm sink/parquet/name.c scripts/function-graph.pl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Growth;
use Run::Program qw(:DEFAULT spew);
use Run::Zedperl;
use Write::Miniature;
use Write::State;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

# Names that become one, in the columns of a table.
grows_at_most_nlogn('fields of one name', sub {
	my ($n) = @_;
	return trace(types => { 'mini::same' => join '', map { field_text('u8 x', 8, 1, 0) } 1 .. $n },
		events => [[0, 1000, 'mini::same', "\1" x 8]], version => 7, compression => 'zlib');
}, 1000, ['zedprint', '-f', 'parquet', '-o', $FILE, $TRACE]);

# A state whose traces came in parts, each of which is joined.
my ($key, $body) = state_parts(zed_run('zedperl', '--map', 't/data/demo.dat', 'wakeup-latency')->{out});
grows_at_most_nlogn('a state of many parts', sub {
	my ($n) = @_;
	my $traces = join ',', map { qq({"id":"t$_+1.1"}) } 1 .. $n;
	return spew(zed_tmp() . "/parts$n", state_line($key, $body =~ s/"traces":\[[^]]*\]/"traces":[$traces]/r));
}, 10_000, ['zedperl', '--reduce', 'wakeup-latency', $TRACE], ['zedperl', '--reduce', '--map', 'wakeup-latency', $TRACE]);

# A depth is no index: of 8 KB 794 MB were made.
my $deep = miniature(join "\n", map { "10 0 5 ret a $_ 1 2" } -5, 100_000_000, 2_000_000_000);
my $r = zed_run({ memory => 400_000 }, 'zedperl', $deep, 'function-graph');
is($r->{exit}, 0, 'a depth that no kernel has') or diag($r->{err});
like($r->{out}, qr/3 returns have an impossible depth/, '... is said');

done_testing;
