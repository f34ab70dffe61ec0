# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pages and streams of the form that an RFC proposed for trace.dat, made to cost as much as they can (t/lib/Run/Bombs.pm):
# without it 400 MB are unpacked of a few KB.
#
# of: reader/dat ring base
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Bombs;
use Run::Program;
use Write::Rfc;
use Write::RfcSource;

plan skip_all => 'a sanitizer needs more memory and time than any bomb' if $ENV{ZED_SAN};

my $dir = zed_tmp();
my $s = Write::RfcSource::source_cut(Write::RfcSource::source_read('t/data/small_v7_none.dat'), pages => [0, 1]);
my ($first) = sort keys %{$s->{buffers}[0]{cpus}};
my $page = substr $s->{buffers}[0]{cpus}{$first}, 0, 4096;

# The recording with these CPUs, cut to what a bomb may have.
sub rfc {
	my ($cpus, @shape) = @_;
	$s->{buffers}[0]{cpus} = $cpus;
	Write::Rfc::rfc_write($s, "$dir/rfc.dat", compression => 'zlib', @shape);
	truncate "$dir/rfc.dat", 999_000 if -s "$dir/rfc.dat" > 999_000;
	return "$dir/rfc.dat";
}

bomb('one page many times, RFC zip_cpu', sub { rfc({ 0 => $page x 40_000 }, zip_cpu => 1) });
bomb('one page many times, RFC buffer', sub { rfc({ 0 => $page x 40_000 }, buffer => 'pages') });
bomb('400 MB of nothing, RFC', sub { rfc({ 0 => "\0" x (4096 * 100_000) }, zip_cpu => 1) }, like => qr/over 256 times/);
bomb('3000 CPUs with a stream each, RFC', sub { rfc({ map { $_ => $page } 0 .. 3000 }, zip_cpu => 1) }, small => 1);

bombs_done();
