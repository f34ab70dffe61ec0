# SPDX-License-Identifier: GPL-2.0-or-later
#
# Indexes (--index): a part of the time of a trace.dat is the same text, byte for byte, with its index as without: events, their
# numbers, names of tasks, losses, totals, messages; and less of the file is read.  Without it a window lacks events, has other
# numbers, or costs as much as the whole trace.
#
# of: index run/jump.c ring/ring_jump.c programs/indexes.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Pass;
use Run::Program qw(same slurp spew zed_run zed_tmp);
use Write::Dat;

my $tmp = zed_tmp();
my $WINDOWS = small(2, 4);
my $seed = $ENV{SEED} // 32;
srand $seed;

# With the cache folder of this test, or without any.
my %with = (XDG_CACHE_HOME => "$tmp/cache", HOME => "$tmp/none");
my %without = (XDG_CACHE_HOME => '', HOME => '');
mkdir "$tmp/cache";

sub run_with { my ($env, @cmd) = @_; return zed_run({ env => $env }, @cmd) }

# A script that shows what a handler gets: each event's number and task, the losses, and the last names at the end.
my $script = <<'PERL';
our %pids;
sub trace_unhandled { my ($name, $ctx, $cpu, $s, $ns, $pid, $comm) = @_; $pids{$pid}++; print "$name $cpu $s $ns $pid $comm\n" }
sub trace_lost { print "lost @_\n" }
sub trace_end { print "$_ ", Zed::comm($_), "\n" for sort { $a <=> $b } keys %pids }
PERL

my @ways = (
	['zedprint'],
	['zedprint', '-f', 'json'],
	['zedprint', '-f', 'report'],
	['zedprint', '--summary'],
	['zedprint', '--stats', '--event', 'sched'],
	['zedprint', '--comm', '*s*', '--head', 40],
	['zedprint', '--cpu', '0', '--tail', 30],
	['zedprint', '--cpu', '0', '--comm', '*s*'],
	['zedprint', '--cpu', '1', '--comm', '*e*'],
	['zedperl', '-e', $script],
);

# What is not the same in any two runs.
sub timeless { return $_[0] =~ s/^.*\b(?:seconds|events\/s)\b.*\n//gmr }

# Times of events, in ns or ticks, as zedprint takes them.
sub times_of {
	my ($path) = @_;
	my $r = run_with(\%without, 'zedprint', '-f', 'json', $path);
	my %seen;
	return ($r, sort { $a <=> $b } grep { !$seen{$_}++ } $r->{out} =~ /"ts":(\d+)/g);
}

my @files = grep { -s > 8000 } Compare::RealData::recordings(Compare::RealData::own());
push @files, Compare::RealData::one_each(Compare::RealData::recordings(Compare::RealData::shared())) if !Compare::RealData::no_shared();
@files = grep { -s $_ < 6_000_000 } @files;

my ($jumped, $windows) = (0, 0);
for my $path (@files) {
	my $name = $path =~ s{.*/(?=[^/]+/)}{}r;
	my ($all, @times) = times_of($path);
	next if @times < 20;
	my $made = run_with(\%with, 'zedprint', '--index', '--head', 1, $path);
	like($made->{exit}, qr/^[01]$/, "$name: its index is made") or diag($made->{err});
	my $ns = $all->{out} =~ /"ts":\d{6}/ ? 'ns' : '';
	my @bad;
	for my $n (1 .. $WINDOWS) {
		my ($from, $to) = sort { $a <=> $b } map { $times[rand @times] } 1, 2;
		$to = $times[(grep { $times[$_] >= $from } 0 .. $#times)[0] + 5] // $to if $n % 2;
		$from = $times[0] - 5 if $n == 2;
		$to = $times[-1] + 5 if $n == 3;
		for my $way ($ways[$n % @ways], $ways[rand @ways]) {
			my ($program, @args) = @$way;
			my @cmd = ($program, @args, '--start', "$from$ns", '--end', "$to$ns", $path);
			my ($one, $other) = map { run_with($_, @cmd) } \%with, \%without;
			$windows++;
			push @bad, [$one, $other] if $one->{exit} != $other->{exit} || $one->{out} ne $other->{out} || timeless($one->{err}) ne timeless($other->{err});
		}
	}
	ok(!@bad, "$name: windows are the same with its index (SEED=$seed)") or do {
		my ($one, $other) = @{$bad[0]};
		diag($one->{cmd});
		same("$one->{out}---\n" . timeless($one->{err}) . "exit $one->{exit}\n", "$other->{out}---\n" . timeless($other->{err}) . "exit $other->{exit}\n", 'the first of them');
	};
}
ok($windows > 20, 'there were windows') or diag($windows);

# ---------------------------------------------------------------- a trace whose windows need little of it

my $big = "$tmp/big.dat";
Write::Dat->new(pages => 400, page_size => 4096, cpus => 2)->write($big);
my ($whole, @at) = times_of($big);
ok(@at > 1000, 'a made trace has many events') or diag(scalar @at);
is(run_with(\%with, 'zedprint', '--index', '--head', 1, $big)->{exit}, 0, 'its index is made');

sub bytes_read {
	my ($env, @args) = @_;
	my $r = run_with($env, 'zedperl', @args, '-e', 'sub mini::tick { } sub trace_end { open my $h, "<", "/proc/self/io" or die; print grep { /^rchar/ } <$h> }', $big);
	return $r->{out} =~ /^rchar: (\d+)/m ? $1 : die "$r->{out}$r->{err}";
}

my @window = ('--start', "$at[@at / 2]ns", '--end', "$at[@at / 2 + 20]ns");
my ($little, $much) = (bytes_read(\%with, @window), bytes_read(\%without, @window));
ok($little * 4 < $much, 'with an index a window reads little (else: it takes as long as the whole)') or diag("$little of $much");
for my $args (['-f', 'json'], ['--stats'], ['--summary']) {
	my ($one, $other) = map { run_with($_, 'zedprint', @$args, @window, $big) } \%with, \%without;
	same($one->{out} . timeless($one->{err}), $other->{out} . timeless($other->{err}), "zedprint @$args of it is the same");
}

# ---------------------------------------------------------------- sub-buffers whose stamp is not the time of their first record

# A sub-buffer whose head has a stamp, and records of other times: "at" an absolute stamp, or "after" so many ns.
sub records_of {
	my ($d, @times) = @_;
	my ($data, $n) = ('', 0);
	while (my ($how, $v) = splice @times, 0, 2) {
		$data .= Write::Dat::head($d, $how eq 'at' ? 31 : 30, $v & 0x7ffffff) . $d->u32($v >> 27);
		$data .= Write::Dat::data_event($d, 0, Write::Dat::tick($d, $n++));
	}
	return $data;
}

my @first = (600, [after => 0, after => 60]);
my @odd = (
	# what, sub-buffers, the window, the times of its records
	['a head before the last record', [@first, 100, [at => 700], 800, [after => 0]], 650, 750, 660, 700],
	['a head after its first record', [@first, 1000, [at => 700, after => 20], 1100, [after => 0]], 690, 800, 700, 720],
	['a sum that wraps', [@first, -300, [after => 1000], 1100, [after => 0]], 650, 800, 660, 700],
	['a head without records', [@first, 1000, [], 700, [after => 0], 1100, [after => 0]], 650, 800, 660, 700],
	['a record before the last one', [@first, 700, [after => 0, at => 500, at => 710], 1100, [after => 0]], 490, 550, 500],
	['heads in order', [@first, 650, [at => 700], 800, [after => 0], 900, [at => 905]], 650, 850, 660, 700, 800],
);
for my $case (@odd) {
	my ($what, $pages, $from, $to, @want) = @$case;
	for my $compression ('none', 'zlib') {
		my $path = "$tmp/odd.dat";
		Write::Dat->new(cpus => 1, compression => $compression, make_pages => sub {
			my ($d) = @_;
			my @left = @$pages;
			my @made;
			while (my ($head, $times) = splice @left, 0, 2) {
				push @made, Write::Dat::page($d, $head, records_of($d, @$times));
			}
			return @made;
		})->write($path);
		my @cmd = ('zedprint', '-f', 'json', '--start', "${from}ns", '--end', "${to}ns", $path);
		my ($one, $other) = (run_with(\%with, $cmd[0], '--index', @cmd[1 .. $#cmd]), run_with(\%without, @cmd));
		is("@{[$one->{out} =~ /\"ts\":(\d+)/g]}", "@want", "$what ($compression): a window has all of its records (else: some are lost)") or diag($one->{err});
		same($one->{out} . timeless($one->{err}), $other->{out} . timeless($other->{err}), "$what ($compression): as without an index");
	}
}

# ---------------------------------------------------------------- the cache folder

my @kept = glob "$tmp/cache/zedperl/*.index";
ok(@kept > 5, 'indexes are in the cache folder') or diag(scalar @kept);
ok(!(grep { (stat)[2] & 077 } @kept), 'and only their user may read them (else: others learn what was traced)');
ok(!(grep { !/\.index\z/ } glob "$tmp/cache/zedperl/*"), 'and nothing else is there');
my %none = (XDG_CACHE_HOME => "$tmp/empty", HOME => "$tmp/none");
mkdir "$tmp/empty";
is(run_with(\%none, 'zedprint', @window, $big)->{exit}, 0, 'without an index it works as well');
ok(!-e "$tmp/empty/zedperl", 'and none is made unless it is asked for');
{
	my $r = run_with(\%without, 'zedprint', '--index', @window, $big);
	my $plain = run_with(\%without, 'zedprint', @window, $big);
	is($r->{exit}, 0, '--index without a cache folder is used for this run alone') or diag($r->{err});
	same($r->{out}, $plain->{out}, 'with the same answer');
}
{
	my $r = run_with(\%with, 'zedprint', '--index', 't/data');
	is($r->{exit}, 2, 'what has no index is refused with --index');
}
done_testing();
