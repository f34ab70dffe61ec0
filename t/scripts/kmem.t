# SPDX-License-Identifier: GPL-2.0-or-later
#
# kmem: what is allocated, freed and live.  Without it a free of what was there before makes a function that gives back more
# than it took.
#
# of: scripts/kmem.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return [map { [@$_{@keys}] } @{$r->{data}{tables}{$table}{rows} // []}] }
sub slabs { return [sort { $a->[0] cmp $b->[0] } @{rows(shift, 'slabs', qw(who n asked got waste freed live live_bytes))}] }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# a: one is freed by another CPU, one is live; its address is used anew.  b: on a node, as older kernels tell it.  c: of a
# cache, freed in bulk, which has no event, and allocated again.  Frees from before the trace, and of nothing.
my $dat = miniature(<<'END');
0 0 5 kmalloc a 4096 10 16 | 5 1 6 kfree 4096 | 10 0 5 kmalloc a 4096 20 32 | 20 0 5 kmalloc_node b 8192 100 128 | 30 0 5 kfree 8192
40 0 5 kmem_cache_alloc c 12288 60 64 | 50 0 5 kmem_cache_alloc c 12288 60 64 | 60 0 5 kmem_cache_free 12288 | 70 0 5 kfree 777 | 71 0 5 kfree 0
80 0 5 kmalloc d 0 10 0
100 0 5 page_alloc 10 0 | 101 0 5 page_alloc_zone_locked 11 0 | 110 0 5 page_free 10 0 | 111 0 5 page_free_batched 10 0 | 120 0 5 page_alloc 16 3
130 0 5 page_alloc -1 9 | 140 0 5 page_free -1 9 | 150 0 5 page_free 99 0
END
my $r = analysis('kmem', $dat);
is_deeply(slabs($r), [['a', 2, 30, 48, 18, 1, 1, 32], ['b', 1, 100, 128, 28, 1, 0, 0], ['c', 2, 120, 128, 8, 1, 0, 0]],
	'by function: asked for, given, freed, live (else: an address that is used again keeps what was there alive)') or diag $r->{err};
is_deeply({ %{notes($r)}{qw(before failed reused pages_before)} }, { before => 1, failed => 2, reused => 1, pages_before => 2 }, 'what was freed that was not seen to be allocated, and the other way round');
is_deeply([sort { $a->[0] <=> $b->[0] } @{rows($r, 'pages', qw(order n pages freed))}], [[0, 1, 1, 1], [3, 1, 8, 0]],
	'pages by order; what goes to the lists of a CPU is no allocation');
is_deeply(rows($r, 'largest', qw(bytes asked at))->[0], [128, 100, 1_000_020_000], 'the largest');
is_deeply([map { [@$_{qw(who n)}] } @{analysis('kmem', $dat, '--by', 'task')->{data}{tables}{slabs}{rows}}], [['<...>', 5]], '--by task');
is(analysis('kmem', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# The last events alone: what they free was allocated before them.
$r = zedperl({ bare => 1 }, '--tail', 5, $dat, 'kmem');
is($r->{status}, 2, '--tail is refused (else: less than nothing is live)');
like($r->{err}, qr/--tail keeps only the last events, and kmem\.pl follows states from the first/, 'and what it follows is said');

# A loss: what was live before it may have been freed.
$r = analysis('kmem', miniature('0 0 5 kmalloc a 4096 10 16 | 5 0 5 kmalloc b 8192 10 16 | 10 1!2 6 waking 5 | 20 0 5 kfree 4096 | 30 0 5 kmalloc b 12288 20 32'));
is_deeply([map { [@$_[0, 1, 5, 6, 7]] } @{slabs($r)}], [['a', 1, 0, 0, 0], ['b', 2, 0, 1, 32]], 'a loss: of those before it nothing is known');
is(notes($r)->{lost}, 2, 'and they are counted');
is($r->{err}, '', 'and no more is said (else: who lost events is told that answers are not asked for)');

# A recording, from the kernel's own text of it.
my ($first, $last) = map { $_ / 1e9 } @{analysis('kmem', 't/data/misc.dat')->{data}}{qw(start end)};
my ($n, $asked, $got) = (0, 0, 0);
open my $fh, '<', 't/data/misc.dat.kernel.txt' or die "misc.dat.kernel.txt: $!\n";
while (<$fh>) {
	my ($time, $bytes, $given) = / ([\d.]+): (?:kmalloc|kmem_cache_alloc): .* bytes_req=(\d+) bytes_alloc=(\d+)/ or next;
	next if $time < $first - 2e-6 || $time > $last + 2e-6;
	$n++;
	$asked += $bytes;
	$got += $given;
}
close $fh;
cmp_ok($n, '>', 50, 'the kernel prints allocations');
is_deeply([@{analysis('kmem', 't/data/misc.dat')->{data}{tables}{slabs}{all}}{qw(n asked got)}], [$n, $asked, $got], 'a recording: as many bytes as the kernel prints');

# Of a part of a recording: what is live at its end, whenever it was allocated; what is allocated in the parts adds up.
{
	my $live = sub { my ($d) = @_; my ($n, $all) = (0, 0); for (@{$d->{tables}{slabs}{rows}}) { $n += $_->{live}; $all += $_->{n} } return ($n, $all) };
	my $part = sub { return $live->(JSON::PP::decode_json(zedperl({ bare => 1 }, @_, 't/data/misc.dat', 'kmem', '--json')->{out})) };
	my ($live_whole, $all) = $part->();
	my ($live_1, $n_1) = $part->('--end', '8280000001ns');
	my ($live_2, $n_2) = $part->('--start', '8280000001ns');

	is($n_1 + $n_2, $all, 'two parts: allocations add up');
	is($live_2, $live_whole, 'the second part ends with what is live at the end (else: what was freed in it and allocated before makes it less)');
	cmp_ok($live_1, '>=', 0, 'and of neither it is less than nothing');
}

if (small()) {
	done_testing();
	exit;
}

# What is allocated and freed counts where it is; of the CPUs and the tasks as well.
my %slabs = (of => 't/data/misc.dat', analysis => 'kmem', windows => 4, table => 'slabs', key => ['who'], ends => [qw(n asked got waste freed)]);
for (\%slabs, { %slabs, table => 'pages', key => ['order'], ends => [qw(n pages freed)] }) {
	windows_add_up($_);
	choices_add_up($_, '--cpu', 'cpu');
	choices_add_up($_, '--pid', 'pid');
}
my %tasks = (%slabs, args => [qw(--by task)], ends => [qw(n asked got)]);
windows_add_up(\%tasks);
choices_add_up(\%tasks, '--pid', 'pid');

done_testing();
