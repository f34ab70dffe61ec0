# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings of LTTng by way of a relay daemon that is made up, packet by packet, as their indexes have these: every line is
# that of the directory. Without it streams of real sizes and numbers are merged in another order.
#
# of: reader/ctf/ctf_live.c reader/ctf/relay
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Program qw(same zed_run zed_shared zed_tmp);
use Run::Relay;

my $tmp = zed_tmp();
my $shared = zed_shared();
plan skip_all => 'no full recordings here: set ZED_SHARED to the directory that holds data/' if !$shared || !-d "$shared/data/ctf";

# The packets of FILE, by its index (lttng-tools: src/common/index/ctf-index.hpp).
sub packets {
	my ($dir, $file) = @_;
	my ($index, $bytes) = map { slurp($_) } "$dir/index/$file.idx", "$dir/$file";
	my ($magic, $major, $minor, $len) = unpack 'N4', $index;
	die "not an index: $file\n" if $magic != 0xC1F1DCC1;
	return map { my ($off, $size, undef, undef, $end) = unpack 'Q>5', $_; { packet => substr($bytes, $off, $size / 8), end => $end } } unpack "(a$len)*", substr $index, 16;
}

for my $name ('ros2', 'lttng-kernel-4.4') {
	mkdir "$tmp/$name" or die "$tmp/$name: $!\n";
	system('tar', '--zstd', '-C', "$tmp/$name", '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
	my ($metadata) = grep { -s } map { glob "$tmp/$name$_/metadata" } '', '/*', '/*/*';
	my $dir = $metadata =~ s{/metadata\z}{}r;
	my $id = 10;
	my @streams = map { { id => $id++, trace => 1, items => [packets($dir, m{([^/]+)\.idx\z})] } } sort glob "$dir/index/*.idx";
	# A text of metadata in two answers: the daemon sends what it has.
	my $text = slurp($metadata);
	my $relay = relay_start(metadata => { 1 => [map { substr $text, $_ * 50_000, 50_000 } 0 .. length($text) / 50_000] }, streams => \@streams);
	my ($live, $files) = map { zed_run('zedprint', '-f', 'json', @$_) } ['-i', "lttng://127.0.0.1:$relay->{port}/host/robot/run"], [$dir];
	is("$live->{exit} $live->{err}", '0 ', "$name: it is read without a message");
	cmp_ok($live->{out} =~ tr/\n//, '>', 90_000, '... all of its events');
	same($live->{out}, $files->{out}, '... each as from the directory (else: in another order, or of another task)');
}

done_testing();
