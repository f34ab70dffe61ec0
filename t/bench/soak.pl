# SPDX-License-Identifier: GPL-2.0-or-later
#
# soak.pl [RENAMES]: the memory of every kind of run at a tenth of 3 million renames (with forks and execs between), and
# at the end.  Needs root and tracefs; takes five minutes.
use strict;
use warnings;
use lib 't/lib';
use Run::Live;
use Run::Soak;

my $renames = $ARGV[0] // 3_000_000;
if (defined(my $why = Run::Live::why_not())) {
	print "No soak here: $why\n";
	exit 0;
}
my @runs = soak_start();
soak_load($renames / 10);
$_->{first} = soak_memory($_) for @runs;
soak_load($renames - $renames / 10);
printf "%-28s %14s %14s\n", "$renames renames", 'KB at 10 %', 'KB at the end';
printf "%-28s %14d %14d\n", $_->{kind}, $_->{first}, soak_memory($_) for @runs;
print "$_\n" for my @bad = soak_end(@runs);
exit @bad ? 1 : 0;
