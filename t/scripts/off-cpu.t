# SPDX-License-Identifier: GPL-2.0-or-later
#
# off-cpu: how long tasks did not run, and why.  Without it waiting for a CPU looks like sleeping, and the other way
# round.
#
# of: scripts/off-cpu.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r) = @_; return map { [@$_{qw(pid what n total max)}] } @{$r->{data}{tables}{tasks}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

my $r = analysis('off-cpu', miniature(<<'END'), '--by', 'pid');
0 0 0 switch 0 R 30 | 10 0 30 switch 30 D 0 | 60 0 0 waking 30 | 75 0 0 switch 0 R 30 | 80 0 30 switch 30 R+ 31 | 95 0 31 switch 31 S 30
100 0 30 switch 30 S 0 | 140 1 40 waking 31 | 150 0 0 switch 0 R 31 | 155 0 31 switch 31 Z 0 | 160 0 0 waking 30
END
is_deeply([rows($r)], [[30, 'sleeps', 1, 60_000, 60_000], [30, 'blocked', 1, 50_000, 50_000], [31, 'sleeps', 1, 45_000, 45_000],
	[30, 'waits, preempted', 1, 15_000, 15_000], [30, 'waits, woken', 1, 15_000, 15_000], [31, 'waits, woken', 1, 10_000, 10_000]],
	'blocked up to the waking, waiting from there on; preempted in whichever state is waiting');
is_deeply({ %{notes($r)}{qw(ready blocked)} }, { ready => 1, blocked => undef }, 'what has not ended is no row');

$r = analysis('off-cpu', miniature('0 0 5 switch 5 S 6 | 10 0 6 switch 6 S 0 | 20 0!3 0 waking 5 | 30 0 0 switch 0 R 5 | 40 0 5 switch 5 S 0 | 50 0 0 waking 5'),
	'--by', 'pid');
is_deeply([rows($r)], [[5, 'sleeps', 1, 10_000, 10_000], [5, 'waits, woken', 1, 10_000, 10_000]],
	'a sleep across a loss is none (else: it hides the runs between)');
is(notes($r)->{lost_sleeps}, 2, 'and is told');

# A gap of CPU 1, from 105 to 150: 20 may have run there, between two sleeps or two waits; 50 was off the CPU after it.
my $gap = miniature('90 0 20 switch 20 S 10 | 105 1 7 waking 30 | 110 0 10 waking 20 | 130 0 10 switch 10 S 20 | 150 1!5 7 waking 40 | 160 0 20 waking 50
	| 170 0 20 switch 20 S 50 | 180 0 50 waking 20 | 185 0 50 switch 50 S 20');
my @gaps = map { [@$_{qw(pid what n gaps)}] } sort { $a->{pid} <=> $b->{pid} || $a->{what} cmp $b->{what} } @{($r = analysis('off-cpu', $gap, '--by', 'pid'))->{data}{tables}{tasks}{rows}};
is_deeply(\@gaps, [[20, 'sleeps', 2, 1], [20, 'waits, woken', 2, 1], [50, 'waits, woken', 1, 0]],
	'which times off the CPU overlap a gap of another CPU (else: one that was two looks like the others)');
is((grep { $_->{key} eq 'gaps' } @{$r->{data}{notes}})[0]{text},
	'of 5 times off the CPU overlap a gap of another CPU, where the task may have run, or been woken, in between (--strict-loss leaves them out)', 'and that they may be two');
$r = analysis('off-cpu', $gap, '--by', 'pid', '--strict-loss');
is_deeply([sort { $a->[0] <=> $b->[0] || $a->[1] cmp $b->[1] } rows($r)], [[20, 'sleeps', 1, 10_000, 10_000], [20, 'waits, woken', 1, 5_000, 5_000],
	[50, 'waits, woken', 1, 10_000, 10_000]], '--strict-loss: without these');
is(notes($r)->{gaps}, 2, 'how many that are');
# The records of CPU 1 begin at 150, as what was before is overwritten: that it may have had 20 is as possible.
$r = analysis('off-cpu', miniature('90 0 20 switch 20 S 10 | 110 0 10 waking 20 | 130 0 10 switch 10 S 20 | 150 1!5 7 waking 40 | 160 0 20 waking 50 | 170 0 20 switch 20 S 50'), '--by', 'pid');
is_deeply([map { "@$_{qw(pid n gaps)}" } sort { $a->{pid} <=> $b->{pid} } @{$r->{data}{tables}{tasks}{rows}}], ['20 1 1', '20 1 1', '50 1 0'],
	'what was lost before the first record of another CPU is a gap, too (else: half of a flight recording is sure that is not)');

my ($folded) = map { zedperl({ bare => 1 }, $gap, 'off-cpu', '--folded', @$_)->{out} } ['--strict-loss'];
unlike($folded, qr/ (?:20|40)$/m, '--folded --strict-loss: without their stacks');

my $none = zedperl({ bare => 1 }, 't/data/block.dat', 'off-cpu', '--folded');
is($none->{status}, 0, '--folded of a trace without switches has no lines, and does not die of it') or diag $none->{err};
is($none->{out}, '', 'of which there are none');

# Stacks, by what the kernel printed of them.
sub gunzipped { my ($path) = @_; open my $fh, '-|', 'gzip', '-dc', $path or die "gzip: $!\n"; local $/; return scalar <$fh> }
for my $dat ('t/data/stack.dat', grep { -e "$_.kernel.txt.gz" } map { "$_/data/amd64-kt2/a15_kt_stack.dat" } $ENV{ZED_SHARED} // (), '../shared') {
	my (@printed, $to);
	for (split /\n/, -e "$dat.kernel.txt" ? slurp("$dat.kernel.txt") : gunzipped("$dat.kernel.txt.gz")) {
		if (/: <stack trace>/) { push @printed, $to = [] }
		elsif (/^ => (\S+)/) { push @$to, $1 if $1 !~ /^(?:trace_event_|__traceiter_|__schedule$)/ }
	}
	my %is_printed = map { join(' < ', @$_) => 1 } @printed;
	my @by = @{analysis('off-cpu', $dat, '--by', 'stack')->{data}{tables}{tasks}{rows}};
	my $with = grep { $_->{stack} ne '(no stack)' } @by;
	cmp_ok($with, '>', $dat =~ m{^t/data} ? 0 : 10, "--by stack: $with rows with a stack");
	is_deeply([grep { $_ ne '(no stack)' && !$is_printed{$_} } map { $_->{stack} } @by], [], '... each as the kernel printed one, without the tracer and the switch (else: names of other functions)');
	my (%total, %by);
	$total{"$_->{comm} $_->{what}"} += $_->{total} for @{analysis('off-cpu', $dat)->{data}{tables}{tasks}{rows}};
	$by{"$_->{comm} $_->{what}"} += $_->{total} for @by;
	is_deeply(\%by, \%total, '... the times of a task add up to those of --by comm');
	my (%folded, %rows);
	for (lines(zedperl({ bare => 1 }, $dat, 'off-cpu', '--folded')->{out})) {
		my ($stack, $us) = /^(.*) (\d+)\z/;
		my ($comm, @frames) = split /;/, $stack;
		$folded{join ';', $comm, $frames[0] eq 'no stack' ? '(no stack)' : join ' < ', reverse @frames} += $us;
	}
	$rows{"$_->{comm};$_->{stack}"} += $_->{total} / 1000 for @by;
	is_deeply([grep { abs(($folded{$_} // -9) - $rows{$_}) > 2 } keys %rows], [], '... those of a stack to its line of --folded');
	is(zedperl({ bare => 1 }, $dat, 'off-cpu', '--by', 'task')->{status}, 2, '--by of something else is refused');
}

# Stacks, of a recording that has them.
SKIP: {
	my ($shared) = grep { -e } map { "$_/data/amd64-kt2/a15_kt_stack.dat" } $ENV{ZED_SHARED} // (), '../shared';
	skip 'the large recordings are not here (set ZED_SHARED)', 3 if !$shared;
	my $f = zedperl({ bare => 1 }, $shared, 'off-cpu', '--folded');
	my @lines = lines($f->{out});
	is(scalar(grep { !/^[^;]+(?:;[^;]+)+ \d+\z/ } @lines), 0, '--folded: lines that flame graphs take');
	my $total = 0;
	$total += (split)[-1] for @lines;
	my $sum = analysis('off-cpu', $shared)->{data}{tables}{tasks}{all}{total} / 1000;
	cmp_ok(abs($total - $sum), '<=', @lines / 2 + 1, '--folded: their sum is that of the table');
	is(scalar(grep { /__schedule|trace_event_raw/ } @lines), 0, '--folded: without the tracer and the switch itself');
}

done_testing();
