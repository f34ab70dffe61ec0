# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf.data: the counters of a group, {a,b}:S, and what in a call chain is no address.
# Without it the counts of a group's members vanish, periods differ from perf's, or marks look like functions.
#
# of: reader/perf trace sink/print/json.c
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Write::Perf;
use Run::Program qw(:DEFAULT);

my $dir = zed_tmp();
my $files = 0;
my $json = JSON::PP->new->canonical;
my @parts = qw(IDENTIFIER IP TID TIME CPU PERIOD READ CALLCHAIN);
my ($KERNEL, $USER, $DEFERRED) = (18446744073709551488, 18446744073709551104, 18446744073709550976);
my $TEXT = 18446744071578845184; # where the kernel's functions are

sub events {
	my ($w, @args) = @_;
	my $r = zed_run('zedprint', '-f', 'json', @args, $w->write("$dir/" . ++$files . '.data'));
	return ($r, map { $json->decode($_) } grep { /"event"/ } split /\n/, $r->{out});
}

# cpu-clock, task-clock and mini:tick, of which only the first one has samples; 4: ID, 8: GROUP
sub group {
	my ($format, %o) = @_;
	my $w = Write::Perf->new(%o);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 1, config => $_->[0], parts => \@parts, ids => $_->[1], name => $_->[2], read_format => $format)
		for [0, [7, 8], 'cpu-clock'], [1, [9, 10], 'task-clock'];
	$w->attr(type => 2, config => 300, parts => \@parts, ids => [11, 12], name => 'mini:tick', read_format => $format);
	return $w;
}

sub shown { return join ' ', map { "$_->{event}\@$_->{ts}=$_->{fields}{period}(" . join(',', @{$_->{fields}{values}}) . ')' } @_ }

for my $big (0, 1) {
	for my $pipe (0, 1) {
		my $w = group(4 | 8, big => $big, pipe => $pipe);
		my %v = (tid => 5, ip => 0x10, period => 250, chain => [$USER, 0x10]);
		$w->sample(0, %v, time => 10, id => 7, read => [3, 260, 7, 270, 9, 2, 11]);
		$w->sample(0, %v, time => 20, id => 8, cpu => 1, read => [3, 100, 8, 90, 10, 0, 12]);
		$w->sample(0, %v, time => 30, id => 7, read => [3, 500, 7, 270, 9, 5, 11]);
		my ($r, @got) = events($w);
		is(shown(@got), 'perf::cpu-clock@10=260(260,270,2) perf::task-clock@10=270(270) perf::mini_tick@10=2(2) '
			. 'perf::cpu-clock@20=100(100,90,0) perf::task-clock@20=90(90) '
			. 'perf::cpu-clock@30=240(500,270,5) perf::mini_tick@30=3(5)',
			"each member that went on is an event with what it counted (big endian: $big, pipe: $pipe)");
		is($r->{err}, '', '... without a word');
		is_deeply([@{$got[1]}{qw(cpu pid)}, @{$got[1]{fields}}{qw(ip tid)}, $got[1]{fields}{callchain}], [0, 5, 0x10, 5, [0x10]],
			'... at the place of the sample');
		($r, @got) = events($w, '--event', 'perf:task-clock');
		is(shown(@got), 'perf::task-clock@10=270(270) perf::task-clock@20=90(90)', '... also where the leader is not wanted');
		($r, @got) = events($w, '--tail', 2);
		is(shown(@got), 'perf::cpu-clock@30=240(500,270,5) perf::mini_tick@30=3(5)', '... and where events are kept for later');
	}
}

# A script written for perf gets the id and the period of the counter, as perf passes them.
{
	my $w = group(4 | 8);
	$w->sample(0, tid => 5, time => 10, id => 7, period => 250, read => [2, 260, 7, 270, 9]);
	my $r = zed_run('zedperl', '--perf', '-e', 'sub process_event { my ($event, $attr, $sample, $raw) = @_; '
		. 'print join(" ", unpack("L x4 Q", $attr), unpack("x32 Q x8 Q", $sample)), "\n" }', $w->write("$dir/perl.data"));
	is($r->{out}, "1 0 7 260\n1 1 9 270\n", 'process_event: the attr, the id and the period are those of the member');
}

# One counter that is read with its own samples (cpu-clock:S).
{
	my $w = group(4);
	$w->sample(0, time => $_->[0], id => 7, period => 9, read => [$_->[1], 7]) for [1, 5], [2, 12];
	is(shown((events($w))[1, 2]), 'perf::cpu-clock@1=5(5) perf::cpu-clock@2=7(12)', 'without a group the period is counted the same way');
	$w = group(0);
	$w->sample(0, time => $_->[0], id => 7, period => 9, read => [$_->[1]]) for [1, 5], [2, 12];
	is(shown((events($w))[1, 2]), 'perf::cpu-clock@1=9(5) perf::cpu-clock@2=9(12)', '... without ids the recorded one holds');
}

# What a damaged file can claim.
for (['an id that is in no event', [2, 5, 7, 6, 99], qr/offset 0x[0-9a-f]+: the count of an event that the file does not declare/],
	['an event twice', [4, 5, 7, 6, 9, 8, 9, 9, 10], qr/offset 0x[0-9a-f]+: two counts of one event in a sample/],
	['more counters than are possible', [1000, 5, 7, map { ($_, 9) } 2 .. 1000], qr/offset 0x[0-9a-f]+: a group of more counters/]) {
	my ($what, $read, $said) = @$_;
	my $w = group(4 | 8);
	$w->sample(0, time => 1, id => 7, read => $read) for 1, 2;
	my ($r, @got) = events($w);
	like($r->{err}, $said, "$what: said, with its place");
	is(scalar(grep { $_->{event} eq 'perf::cpu-clock' } @got), 2, '... and the samples stay');
	cmp_ok(scalar @got, '<=', 4, '... with no more events than members');
}

# ---- call chains ----

{
	my $w = Write::Perf->new;
	$w->format(mini => $Write::Perf::TICK);
	my @p = qw(IDENTIFIER IP TID TIME CPU PERIOD CALLCHAIN);
	$w->attr(type => 2, config => 300, parts => [@p, 'RAW'], ids => [7], name => 'mini:tick');
	$w->attr(type => 1, config => 0, parts => \@p, ids => [8], name => 'cpu-clock');
	my @chain = ($KERNEL, $TEXT + 0x10, ~0, $TEXT + 0x20, $USER, 0x10, ~0 - 303, 0x20, $DEFERRED, 0x777);
	$w->sample(0, time => 1, tid => 5, raw => $w->tick(5, 1), chain => \@chain);
	$w->sample(1, time => 2, tid => 5, id => 8, chain => \@chain);
	my ($r, @got) = events($w);
	my $want = [$TEXT + 0x10, $TEXT + 0x20, 0x10, 0x20];
	is_deeply($got[0]{callchain}, $want, 'a value of the last page of addresses is a mark; a cookie is no address either');
	is_deeply($got[1]{fields}{callchain}, $want, '... in the field of an event without a format');
	$r = zed_run('zedperl', '--kallsyms', do { my $k = "$dir/kallsyms";
		open my $fh, '>', $k or die; print $fh map { sprintf "%016x T f%d\n", $TEXT + 16 * $_, $_ } 0 .. 9; close $fh; $k },
		'-MZed=handlers,mini', '-e', 'sub mini::tick { print join(" ", Zed::stack_symbols()), "\n" }', "$dir/$files.data");
	like($r->{out}, qr/^f1\+0x0 f2\+0x0 0x10 0x20$/m, '... an unknown mark does not end the kernel\'s part');
}

done_testing;
