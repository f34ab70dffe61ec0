# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the analyses keep, made large by traces that nothing ends in: without it a few KB of begins without ends, of
# losses or of switches keep a processor busy for minutes.
#
# of: lib/Zed scripts export/parquet/name.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Growth;
use Run::Program;
use Run::Zedperl;
use Write::Miniature;

plan skip_all => 'a sanitizer needs more memory and time' if $ENV{ZED_SAN};

# A trace of lines, each of which a piece of code makes of 1 to N, one us after the other.
sub lines_of {
	my ($n, @code) = @_;
	my $us = 0;
	my @lines;
	for my $code (@code) {
		push @lines, map { ++$us . " $_" } map { $code->($_) } 1 .. $n;
	}
	return miniature(join("\n", @lines), version => 7, compression => 'zlib');
}

# For each state machine: what it keeps grows, and then is asked for.  N of the smaller trace, and the lines' code.
my %grows = (
	'interrupts that do not end, then ends of others' => [5000, sub { '0 10 irq 5' }, sub { '0 10 irqx 6' }],
	'softirqs that do not end, in a task that is switched' =>
		[5000, sub { '0 5 softirq 3' }, sub { ('0 5 switch 5 R 6', '0 6 switch 6 R 5') }],
	'losses while many tasks wait' => [2000, sub { "0 77 waking @{[1000 + $_[0]]}" }, sub { '0!-1 77 waking 1000' }],
	'waits, each longer than those before' => [2000, sub { "0 5 waking @{[20_000 - $_[0]]}" },
		sub { ('0 5 switch 5 R 6', '0 6 switch 6 R 5') },
		sub { my $pid = 10_000 + $_[0]; ("0 5 switch 5 R $pid", "0 $pid switch $pid S 5") }],
	'tasks that come and go' => [3000, sub { my $pid = 1000 + $_[0]; ("0 5 new $pid", "0 5 switch 5 S $pid", "0 $pid switch $pid X 5") }],
	'bios of one sector that no request fits' => [3000, sub { "0 5 Q R 100+@{[8 + $_[0]]}" }, sub { '0 5 G R 100+5' }],
	'requests that wait, then merges that belong to none' => [3000, sub { "0 5 G R @{[100 * $_[0]]}+8" }, sub { '0 5 M R 7+8' }],
	'a request of many bios that ends in as many parts' => [3000, sub { ("0 5 Q R @{[8 * $_[0]]}+8", $_[0] == 1 ? '0 5 G R 8+8' : "0 5 M R @{[8 * $_[0]]}+8") },
		sub { $_[0] == 1 ? '0 5 D R 8+999999' : () }, sub { "0 5 C R @{[8 * $_[0]]}+8" }],
	'requests on many disks, then losses' => [1000, sub { "0 5 D R 8+8 @{[$_[0] << 20]}" }, sub { '0!-1 5 C R 8+8' }],
	'calls that are being restarted' => [3000, sub { my $pid = 1000 + $_[0]; ("0 $pid enter 7", "0 $pid exit 7 -512") }],
	'calls that never end' => [3000, sub { "0 @{[1000 + $_[0]]} enter 7" }, sub { "0 @{[20_000 + $_[0]]} exit 7 0" }],
	'functions of many depths, then losses' => [2000, sub { "0 @{[1000 + $_[0]]} ret a $_[0] 1 2" }, sub { '0!-1 5 ret a 1 1 2' }],
	'a stack of its own for each event' => [2000, sub { my $n = $_[0];
		("0 $n switch $n S @{[$n + 1]}", "0 @{[$n + 1]} kernel " . join ' ', map { sprintf '%x', 0xffff_0000 + 4096 * $n + $_ } 1 .. 8) }],
	'memory that is never freed' => [3000, sub { "0 5 kmalloc a @{[4096 + 64 * $_[0]]} 60 64" }, sub { "0 5 kfree @{[9_000_000 + $_[0]]}" }, sub { '0!-1 5 kfree 1' }],
	'pages that are never freed' => [3000, sub { "0 5 page_alloc $_[0] 0" }, sub { "0 5 page_free @{[90_000 + $_[0]]} 0" }],
	'work that waits, and work that does not end, then losses' => [2000, sub { my $n = $_[0]; ("0 5 queue_work f\@@{[4096 + $n]}", "0 @{[900 + $n]} execute_start g\@@{[900_000 + $n]}") },
		sub { '0!-1 5 execute_end f' }],
	'timers that never expire, then losses' => [2000, sub { my $n = $_[0]; ("0 5 hrtimer f\@@{[4096 + $n]} 900000", "0 5 wheel_start g\@@{[9096 + $n]} 900000 5") },
		sub { '0!-1 5 hrcancel f@1' }],
	'packets that are never sent' => [3000, sub { my $n = $_[0]; ("0 5 packet @{[4096 + $n]} 60 e$n", "0 5 receive @{[90_096 + $n]} 60 e$n") }, sub { "0 5 xmit @{[900_000 + $_[0]]} 60 e1" }],
	'faults of many tasks at many places' => [3000, sub { "0 @{[1000 + $_[0]]} fault_user @{[4096 * $_[0]]} 4" }],
	'CPUs that are idle, then losses' => [2000, sub { "0 0 idle 1 @{[$_[0] % 200]}" }, sub { '0!-1 0 khz 1000 0' }],
);

# Every analysis that answers for one trace.  What a trace has nothing for costs little.
my @analyses = grep { !/^(?:compare|top|ltt-schedule|printall|metrics)\z/ } map { m{([^/]+)[.]pl\z} } glob 'scripts/*.pl';

my @outputs = (['zedprint', '-f', 'report', $TRACE], ['zedprint', '-f', 'json', $TRACE], ['zedprint', '-f', 'perfetto', '-o', $FILE, $TRACE],
	['zedprint', '-f', 'parquet', '-o', $FILE, $TRACE]);

# In make test, of the analyses and outputs one each, by turns, of every fourth trace.
my $turn = 0;
for my $what (sort keys %grows) {
	next if small() && $turn % 4 && ++$turn;
	my ($n, @code) = @{$grows{$what}};
	my @commands = ((map { (['zedperl', $TRACE, $_], ['zedperl', $TRACE, $_, '--html', $FILE]) } @analyses), @outputs);
	@commands = $commands[$turn++ % @commands] if small();
	grows_at_most_nlogn($what, sub { return lines_of($_[0], @code) }, $n, @commands);
}

# Names that become one, in the columns of a table.
grows_at_most_nlogn('fields of one name', sub {
	my ($n) = @_;
	return trace(types => { 'mini::same' => join '', map { field_text('u8 x', 8, 1, 0) } 1 .. $n },
		events => [[0, 1000, 'mini::same', "\1" x 8]], version => 7, compression => 'zlib');
}, 1000, ['zedprint', '-f', 'parquet', '-o', $FILE, $TRACE]);

# A depth is no index: of 8 KB 794 MB were made.
my $deep = miniature(join "\n", map { "10 0 5 ret a $_ 1 2" } -5, 100_000_000, 2_000_000_000);
my $r = zed_run({ memory => 400_000 }, 'zedperl', $deep, 'function-graph');
is($r->{exit}, 0, 'a depth that no kernel has') or diag($r->{err});
like($r->{out}, qr/3 returns have a depth that no kernel has/, '... is said');

done_testing;
