# SPDX-License-Identifier: GPL-2.0-or-later
#
# explore's lanes with an index against those of a run without one: far away how busy CPUs were, which tasks ran most and
# how long, and losses; near who ran when, from a checkpoint on. Without it the picture changes when an index is there.
# Seeded; SEED=N.
#
# of: programs/zedperl/explore/lanes_index.c programs/zedperl/explore/event_tally.c index
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use List::Util qw(max sum0);
use MIME::Base64 ();
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Files;
use Pass;
use Run::Program;
use Run::Views;

my $dir = Compare::RealData::shared();
plan skip_all => Compare::RealData::no_shared() if !defined $dir;

my $NONE = temp_dir() . '/none';
my $CACHE = temp_dir() . '/cache';
mkdir $CACHE or die "$CACHE: $!\n";

# The ns that each CPU was busy, by the cells of an answer.
sub busy {
	my ($data) = @_;
	my $t = $data->{timeline};
	my $n = @{$t->{cpus}};
	my @bytes = unpack 'C*', MIME::Base64::decode_base64($data->{'cells-cpu'});
	my $cells = @bytes / 4 / $n;
	my $last = $t->{end} - $t->{start} - ($cells - 1) * $t->{cpu_width};	# of the last cell only this has passed
	return map {
		my $cpu = $_;
		sum0(map { $bytes[($_ * $n + $cpu) * 4] / 255 * ($_ < $cells - 1 ? $t->{cpu_width} : $last) } 0 .. $cells - 1);
	} 0 .. $n - 1;
}

sub tasks { my ($data) = @_; return map { "@$_[0, 1]" } @{$data->{timeline}{tasks}} }

sub answers {
	my ($path, @of) = @_;
	return map { local $ENV{XDG_CACHE_HOME} = $_; view($path, 'lanes', cells => 100, ntasks => 6, @of) } $CACHE, $NONE;
}

sub compare {
	my ($path, $from, $to, $what) = @_;
	my ($is, $want) = answers($path, from => $from, to => $to);
	my $length = $want->{timeline}{end} - $want->{timeline}{start};
	my @x = busy($is);
	my @y = busy($want);
	isnt($is->{timeline}{cpu_width}, $want->{timeline}{cpu_width}, "$what: made from the index (else it reads the trace at each zoom)");
	cmp_ok(max(map { abs($x[$_] - $y[$_]) } 0 .. $#y), '<', $length * 0.02, "$what: CPUs are as busy");
	is_deeply([map { $_->[0] } @{$is->{timeline}{cpus}}], [map { $_->[0] } @{$want->{timeline}{cpus}}], "$what: the same CPUs");
	is((tasks($is))[0], (tasks($want))[0], "$what: the same task ran most");
	my %ran = map { ("@$_[0, 1]" => $_->[2]) } @{$want->{timeline}{tasks}};
	my @off = grep { defined $ran{"@$_[0, 1]"} && abs($_->[2] - $ran{"@$_[0, 1]"}) > $length * 0.01 } @{$is->{timeline}{tasks}};
	is_deeply(\@off, [], "$what: tasks ran as long");
	my ($n, $m) = map { sum0(map { $_->[3] // 0 } @{$_->{losses}}) } $is, $want;
	is($n, $m, "$what: as many events lost");
	return;
}

{
	local $ENV{XDG_CACHE_HOME} = $CACHE;
	for my $path ("$dir/amd64-big/a11_big_zstd.dat", "$dir/amd64-lost/a08_lost_b8.dat") {
		my $r = zed_run({ memory => 0 }, 'zedprint', '--index', '--end', '+1ns', $path);
		is($r->{exit}, 0, 'an index is made') or diag($r->{err});
	}
}

my $big = "$dir/amd64-big/a11_big_zstd.dat";
my ($with, $without) = map { local $ENV{XDG_CACHE_HOME} = $_; view($big, 'head') } $CACHE, $NONE;
my $length = $with->{length};
my ($total) = zed_run({ memory => 0 }, 'zedprint', '--summary', $big)->{out} =~ /^total:\n  events +(\d+)/m;

ok($with->{index}{ready}, 'the head says that there is an index');
is($with->{events}, $total, 'with an index the head has all events (else those of a long trace are not counted)');
is(sum0(map { $_->{events} } @{$with->{cpus}}), $total, '... of each CPU');
is_deeply([map { $_->{cpu} } @{$with->{cpus}}], [map { $_->{cpu} } @{$without->{cpus}}], '... the same CPUs');
is($with->{lost}{text}, '0 lost', '... and all losses');
my $summary = JSON::PP->new->utf8->decode(zed_run({ memory => 0 }, 'zedperl', $big, 'summary', '--json')->{out});
my @suits = sort map { $_->{suits} ne 'no' ? $_->{script} : () } @{$summary->{tables}{scripts}{rows}};
is_deeply([sort map { $_->{suits} ? $_->{name} : () } @{$with->{answers}}], \@suits, '... and the analyses suit it that summary names');

compare($big, 0, $length, 'the whole trace');
srand($ENV{SEED} // 32);
for my $i (1 .. 4) {
	my $span = int($length * (0.3 + rand 0.4));
	my $from = int rand($length - $span);
	compare($big, $from, $from + $span, "window $i, $from to @{[$from + $span]}");
}
compare("$dir/amd64-lost/a08_lost_b8.dat", 0, 1_000_000_000_000_000, 'a trace with losses');

{
	local $ENV{XDG_CACHE_HOME} = $CACHE;
	my $fine = view($big, 'lanes', from => 0, to => $length, cells => 4000);
	my $n = length(MIME::Base64::decode_base64($fine->{'cells-cpu'})) / 4 / @{$fine->{timeline}{cpus}};
	ok($n >= 256 && $n * $fine->{timeline}{cpu_width} >= $length, 'more cells than the index has: those of the index (else the first picture waits for a run)');
	is($fine->{timeline}{cpu_width}, int($length / $n) + 1, '... which are of equal length');
}

# Near: from a checkpoint of the index, as from the trace's beginning.
my $slices = 0;

for my $i (1 .. small(4, 20)) {
	my $path = $i % 3 ? $big : "$dir/amd64-lost/a08_lost_b8.dat";
	my $from = int rand view($path, 'head')->{length};
	my $to = $from + int rand 3_000_000;
	my ($is, $want) = answers($path, from => $from, to => $to);
	my @slices = view_slices($is);
	my @names = map { my %of = map { ($_->[1] => $_->[0]) } @{$_->{timeline}{people}}; \%of } $is, $want;
	my @others = grep { defined $names[1]{$_} && $names[0]{$_} ne $names[1]{$_} } sort keys %{$names[0]};
	my %rest = map { my $what = $_; ($what => [map { [map { join ' ', map { $_ // '-' } @$_ } @{$_->{$what}}] } $is, $want]) } qw(irqs losses);

	$slices += @slices;
	my @want = view_slices($want);
	# After a loss the index knows who runs by any event; before a window only the scheduler's are read without it.
	my %want = map { $_ => 1 } @want;
	@slices = grep { $want{$_} } @slices if $path ne $big;
	is(differ(\@slices, \@want), '', "$from to $to: the same slices from a checkpoint (else an index changes who ran)");
	is(differ(@{$rest{$_}}), '', "$from to $to: the same $_") for sort keys %rest;
	is_deeply(\@others, [], "$from to $to: tasks have the same names (else one has the name that it gets later)");
}
cmp_ok($slices, '>', 10, 'there were slices');

done_testing();
