# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench.pl [NAME...]: the figures that the project promises, measured on the big recording beside the checkout
# ($ZED_SHARED or ../shared).  Medians of five, user plus system time, what is compared run by turns.
use strict;
use warnings;

my $bin = $ENV{ZED_BIN_DIR} // '.';
my $work = 'build/bench';
my $measure = ($ENV{ZED_BUILD} // 'build/gcc') . '/t/bench/measure';
my ($shared) = grep { -d "$_/data" } $ENV{ZED_SHARED} // (), '../shared';
my $rounds = $ENV{ROUNDS} // 5;
my %only = map { $_ => 1 } @ARGV;

die "$measure is not there: run make bench\n" if !-x $measure;
if (!$shared) {
	print "The recordings are not here: set ZED_SHARED to the directory that holds data/.\n";
	exit 0;
}
mkdir $work;
my ($packed) = glob "$shared/data/*/a11_big_zstd.dat";
my ($full) = glob "$shared/data/*/a09_all_short.dat";

sub wanted { return !%only || $only{$_[0]} }

sub median { my @s = sort { $a <=> $b } @_; return $s[@s / 2] }

# Run a command, its output to a file; returns [cpu seconds, wall seconds, KiB, exit].
sub run {
	my ($out, @cmd) = @_;
	open my $save, '>&', \*STDOUT or die "stdout: $!\n";
	open STDOUT, '>', $out or die "$out: $!\n";
	my $rc = system $measure, "$work/measured", @cmd;
	open STDOUT, '>&', $save or die "stdout: $!\n";
	die "measure failed: @cmd\n" if $rc;
	open my $fh, '<', "$work/measured" or die "$work/measured: $!\n";
	return [split ' ', <$fh>];
}

# NAME => [out, command] by turns, ROUNDS times; returns NAME => median CPU seconds, and "NAME.kib".
sub compare {
	my %cmd = @_;
	my (%cpu, %kib, %result);
	for my $round (1 .. $rounds) {
		for my $name (sort keys %cmd) {
			my ($out, @args) = @{$cmd{$name}};
			my $r = run($out, @args);
			push @{$cpu{$name}}, $r->[0];
			push @{$kib{$name}}, $r->[2];
			die "exit $r->[3]: @args\n" if $r->[3] && $name ne 'start';
		}
	}
	$result{$_} = median(@{$cpu{$_}}), $result{"$_.kib"} = median(@{$kib{$_}}) for keys %cmd;
	return %result;
}

sub figure {
	my ($what, $value, $limit, $pass) = @_;
	printf "%-58s %-22s %-22s %s\n", $what, $value, $limit, $pass ? 'ok' : 'MISSED';
	return;
}

# The big recording without compression, made once.
my $big = "$work/big.dat";
if ($packed && !-e $big && grep { wanted($_) } qw(handler report idle memory)) {
	if (system('trace-cmd', 'convert', '--compression', 'none', '-i', $packed, '-o', "$big.new") == 0) {
		rename "$big.new", $big;
	} else {
		print "no uncompressed a11_big: it takes trace-cmd (apt-get install trace-cmd)\n";
	}
}
printf "%-58s %-22s %-22s\n", 'figure', 'measured', 'promised';

if (-e $big && wanted('handler')) {
	run("$work/counts", "$bin/zedperl", $big, 't/bench/handlers.pl');
	open my $fh, '<', "$work/counts" or die "$work/counts: $!\n";
	my @n = split ' ', <$fh>;
	my %t = compare(zedperl => ['/dev/null', "$bin/zedperl", $big, 't/bench/handlers.pl'],
		plain => ['/dev/null', 'perl', 't/bench/handlers.pl', @n]);
	my $calls = $n[0] + $n[1] + $n[2];
	figure("handlers, $calls calls, over a plain perl loop", sprintf('%.2f (%.2f s / %.2f s)',
		$t{zedperl} / $t{plain}, @t{qw(zedperl plain)}), 'at most 1.50', $t{zedperl} <= 1.5 * $t{plain});
}
if (-e $big && wanted('report')) {
	if (system('sh', '-c', 'command -v trace-cmd > /dev/null') == 0) {
		my %t = compare(zedprint => ["$work/zed.txt", "$bin/zedprint", '-f', 'report', $big],
			stock => ["$work/stock.txt", 'trace-cmd', 'report', '-i', $big]);
		my $same = system('cmp', '-s', "$work/zed.txt", "$work/stock.txt") == 0;
		figure('zedprint -f report, times as fast as trace-cmd report', sprintf('%.2f (%.2f s, %.2f s)%s',
			$t{stock} / $t{zedprint}, @t{qw(zedprint stock)}, $same ? '' : ' DIFFERENT'),
			'at least 1.50, same', $same && $t{stock} >= 1.5 * $t{zedprint});
		unlink "$work/zed.txt", "$work/stock.txt";
	} else {
		print "no trace-cmd to compare with\n";
	}
}
if (-e $big && wanted('idle')) {
	run("$work/counts", "$bin/zedperl", '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print $n }',
		$big);
	open my $fh, '<', "$work/counts" or die "$work/counts: $!\n";
	my $n = <$fh>;
	my %t = compare(none => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $big]);
	figure("an event without a handler, of $n", sprintf('%.1f ns', $t{none} / $n * 1e9), 'at most 15 ns',
		$t{none} / $n <= 15e-9);
}
if (-e $big && wanted('memory')) {
	my $twice = "$work/twice.dat";
	system('perl', 't/bench/double.pl', $big, $twice) == 0 or die "double.pl failed\n" if !-e $twice;
	$rounds = 3;
	for my $c ([zedperl => "$bin/zedperl", $big, 't/bench/handlers.pl'],
		[zedprint => "$bin/zedprint", '-f', 'report', $big]) {
		my ($name, @cmd) = @$c;
		my %t = compare(once => ['/dev/null', @cmd],
			twice => ['/dev/null', map { $_ eq $big ? $twice : $_ } @cmd]);
		my ($a, $b) = @t{qw(once.kib twice.kib)};
		figure("peak memory, $name", sprintf('%.1f MiB, twice %.1f', $a / 1024, $b / 1024),
			'under 64 MiB, +10 %', $a < 64 << 10 && $b < 64 << 10 && $b <= 1.1 * $a);
	}
}
if ($full && wanted('start')) {
	# It ends itself at once, so that only the way to there is counted.
	my %t = compare(start => ['/dev/null', "$bin/zedperl", '-e',
		'sub sched::sched_switch { } sub trace_begin { kill KILL => $$ }', $full]);
	figure('start to trace_begin on a09_all_short', sprintf('%.1f ms', $t{start} * 1e3), 'at most 30 ms',
		$t{start} <= 0.030);
}
