# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which file an address of a call chain is in, and where: as MMAP, MMAP2, FORK, COMM and EXIT told before.  Without
# it a chain's addresses would be numbers, or worse, those of another process's files.
#
# of: reader/perf trace/symbols.c interp
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Write::Perf;
use Run::Program qw(:DEFAULT spew);

my $dir = zed_tmp();
my ($KERNEL, $USER) = (18446744073709551488, 18446744073709551104);
my $show = spew("$dir/show.pl", <<'EOT');
use Perf::Trace::Core;
sub mini::tick;
sub trace_unhandled {
	my $chain = $_[7];
	print join(' ', map { ($_->{dso} // '-') . (defined $_->{offset} ? sprintf '+%x', $_->{offset} : '') } @$chain), "\n";
}
EOT

# What the chains are in, one for each of the recording's samples.
sub shown {
	my ($w) = @_;
	my $path = $w->write("$dir/maps.data");
	my $r = zed_run('zedperl', '-i', $path, $show);
	return ($r->{out}, $r->{err});
}

my $time;
sub begin {
	my (%o) = @_;
	$time = 1000;
	my $w = Write::Perf->new(%o);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN RAW)], ids => [7, 8], name => 'mini:tick');
	return $w;
}
sub tick { my ($w, $pid, @chain) = @_; return $w->sample(0, time => ++$time, pid => $pid, tid => $pid + 1, chain => \@chain, raw => $w->tick($pid + 1, 1)) }
sub map_ { my ($w, $pid, $at, $len, $off, $name, %v) = @_; return $w->mmap(pid => $pid, at => $at, len => $len, off => $off, name => $name, time => ++$time, %v) }

for my $big (0, 1) {
	my $w = begin(big => $big);
	map_($w, -1, 0xffffffff81000000, 0x1000, 0xffffffff81000000, '[kernel.kallsyms]_text', time => 0);
	map_($w, -1, 0xffffffffa0000000, 0x1000, 0, '/lib/modules/x.ko', time => 0);
	map_($w, 40, 0x1000, 0x1000, 0x500, '/bin/a');
	map_($w, 40, 0x3000, 0x2000, 0, '/lib/b', two => 1);
	tick($w, 40, $KERNEL, 0xffffffff81000010, 0xffffffffa0000004, 0xffffffffb0000000, $USER, 0xfff, 0x1000, 0x1fff, 0x2000, 0x4fff, 0x5000);
	tick($w, 41, $USER, 0x1000);
	my ($out, $err) = shown($w);
	is($out, "[kernel.kallsyms] /lib/modules/x.ko+4 - - /bin/a+500 /bin/a+14ff - /lib/b+1fff -\n-\n",
		($big ? 'big' : 'little') . ' endian: an address is in the file that its process has mapped there');
	is($err, '', '... without a word');
}

{
	my $w = begin();
	map_($w, 40, 0x1000, 0x8000, 0, '/old');
	map_($w, 40, 0x3000, 0x1000, 0x70, '/middle');
	tick($w, 40, $USER, 0x2fff, 0x3000, 0x3fff, 0x4000);
	map_($w, 40, 0x2000, 0x3000, 0, '/over');
	tick($w, 40, $USER, 0x1fff, 0x2000, 0x4fff, 0x5000, 0x8fff);
	map_($w, 40, 0, 0x10000, 0, '/all');
	tick($w, 40, $USER, 0x1fff, 0x8fff);
	map_($w, 40, 0x1000, 0x1000, 0, '/data', data => 1);
	map_($w, 40, 0x1000, 0, 0, '/empty');
	tick($w, 40, $USER, 0x1000);
	is((shown($w))[0], "/old+1fff /middle+70 /middle+106f /old+3000\n/old+fff /over+0 /over+2fff /old+4000 /old+7fff\n"
		. "/all+1fff /all+8fff\n/all+1000\n", 'what is mapped over another hides that part of it; data and nothing hide none');
}

{
	my $w = begin();
	map_($w, 40, 0x1000, 0x1000, 0, '/parent');
	$w->fork(40, 50, time => ++$time);
	tick($w, 50, $USER, 0x1000);
	map_($w, 50, 0x1000, 0x800, 0, '/child');
	tick($w, 50, $USER, 0x1000, 0x1800);
	tick($w, 40, $USER, 0x1000);
	map_($w, 40, 0x1800, 0x800, 0, '/later');
	tick($w, 50, $USER, 0x1800);
	$w->comm(50, 'name', time => ++$time);
	tick($w, 50, $USER, 0x1000);
	$w->exec(50, 'other', time => ++$time);
	tick($w, 50, $USER, 0x1000);
	tick($w, 40, $USER, 0x1800);
	$w->exit(40, 41, time => ++$time);
	tick($w, 40, $USER, 0x1800);
	$w->exit(40, 40, time => ++$time);
	tick($w, 40, $USER, 0x1800);
	is((shown($w))[0], "/parent+0\n/child+0 /parent+800\n/parent+0\n/parent+800\n/child+0\n-\n/later+0\n/later+0\n-\n",
		'a child has what its parent had, until one of them changes it; another program, and the end, have nothing');
}

# Out of order in the file, in order by their times.
{
	my $w = begin();
	tick($w, 40, $USER, 0x1000);
	tick($w, 40, $USER, 0x1000);
	map_($w, 40, 0x1000, 0x1000, 0, '/between', time => 1001);
	is((shown($w))[0], "-\n/between+0\n", 'maps take effect at their times');
}

# A name may hold anything, and an address be any.
{
	my $w = begin();
	map_($w, 40, 0xfffffffffffff000, 0xffffffff, 0xffffffffffffffff, "/a\nb\e[2J");
	map_($w, 40, 0x1000, 0xffffffffffffffff, 0, '/rest');
	tick($w, 40, $USER, 0x1000, 0x7fffffffffffffff);
	my ($out) = shown($w);
	is($out, "/rest+0 /rest+7fffffffffffefff\n", 'lengths beyond the last address');
}

# Many: memory and time stay bounded, and it is said.
{
	my $w = begin();
	map_($w, 40, 0x1000 * $_, 0x1000, 0, '/f') for 1 .. 3000;
	for (1 .. 400) {
		$w->fork(40, 100 + $_, time => ++$time);
		map_($w, 100 + $_, 0x800, 0x10, 0, '/g');
	}
	tick($w, 40, $USER, 0x2000);
	my $r = zed_run({ time => 10 }, 'zedperl', '-i', $w->write("$dir/many.data"), $show);
	is($r->{out}, "/f+0\n", 'four hundred children of three thousand maps');
	like($r->{err}, qr/^zedperl: \S+: maps more than 262144 files at a time, or names that are too long: call chains lack some\n\z/, '... what is left out is said once');
}
done_testing();
