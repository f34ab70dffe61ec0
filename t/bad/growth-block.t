# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses of block devices keep, made large by traces in which nothing ends: bios and requests.
# Without it a few KB of begins without ends keep a processor busy for minutes.
#
# of: scripts/block.pl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Growth;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

grows('bios of one sector that no request fits', 3000, sub { "0 5 Q R 100+@{[8 + $_[0]]}" }, sub { '0 5 G R 100+5' });
grows('requests that wait, then merges that belong to none', 3000, sub { "0 5 G R @{[100 * $_[0]]}+8" }, sub { '0 5 M R 7+8' });
grows('a request of many bios that ends in as many parts', 3000, sub { ("0 5 Q R @{[8 * $_[0]]}+8", $_[0] == 1 ? '0 5 G R 8+8' : "0 5 M R @{[8 * $_[0]]}+8") },
	sub { $_[0] == 1 ? '0 5 D R 8+999999' : () }, sub { "0 5 C R @{[8 * $_[0]]}+8" });
grows('requests on many disks, then losses', 1000, sub { "0 5 D R 8+8 @{[$_[0] << 20]}" }, sub { '0!-1 5 C R 8+8' });

done_testing;
