# SPDX-License-Identifier: GPL-2.0-or-later
#
# A v6 file states one sub-buffer size.  Pages of another (an instance with buffer_subbuf_size_kb of its
# own) are read by the size that they have; without this most of their records are lost.
#
# of: reader/dat/v6.c ring
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();
for my $o ([], [big => 1], [long => 4], [big => 1, long => 4, cpus => 3]) {
	my $d = Write::Dat->new(version => 6, page_size => 8192, ticks => 250, pages => 3, instances => ['foo'], @$o);
	my $what = "@$o" || 'little endian, long of 8';
	my ($was, $is) = map { sprintf 'size:%d', $_ - $d->{data_off} } 8192, 4096;
	is($d->{bytes} =~ s/(char data;\toffset:\d+;\t)\Q$was\E/$1$is/, 1, "$what: header_page now says 4096");
	substr $d->{bytes}, 14, 4, $d->u32(4096);
	$d->write("$dir/v6.dat");
	my $r = zed_run('zedperl', '-e', 'sub trace_unhandled { $n++ } sub trace_end { print $n // 0 }', "$dir/v6.dat");
	is($r->{out}, scalar(my @all = $d->events), "$what: every record is there") or diag($r->{err});
	like($r->{err}, qr/buffer "foo" has sub-buffers of 8192 bytes by the look of them/, "$what: and it is told");
	is($r->{exit}, 0, "$what: nothing is skipped");
}
done_testing();
