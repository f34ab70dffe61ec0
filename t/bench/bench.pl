# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench.pl [NAME...]: the figures that the project promises, measured on the big recording beside the checkout
# ($ZED_SHARED or ../shared).  Medians of five, user plus system time, what is compared run by turns.
use strict;
use warnings;
use lib 't/lib';
use Compare::Stock;
use Compare::TextChanges;
use Files;
use Run::Measured;

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

# Are our report and that of the installed trace-cmd the same, but for what the table of differences says?
sub same_reports {
	my @fh = map { open my $fh, '<:raw', $_ or die "$_: $!\n"; $fh } @_;
	while (1) {
		my ($ours, $theirs) = map { my $fh = $_; join '', map { scalar <$fh> // () } 1 .. 10_000 } @fh;
		return 1 if $ours eq '' && $theirs eq '';
		return 0 if report_differs(stock_peer(), $ours, $theirs);
	}
}

# NAME => [out, command] by turns, ROUNDS times; returns NAME => median CPU seconds, "NAME.kib", and "NAME.all":
# the seconds of each round.
sub compare {
	my %cmd = @_;
	my (%cpu, %kib, %result);
	for my $round (1 .. $rounds) {
		for my $name (sort keys %cmd) {
			my ($out, @args) = @{$cmd{$name}};
			my $r = measured($out, @args);
			push @{$cpu{$name}}, $r->[0];
			push @{$kib{$name}}, $r->[2];
			die "exit $r->[3]: @args\n" if $r->[3] && $name ne 'start';
		}
	}
	for (keys %cmd) {
		$result{$_} = median(@{$cpu{$_}});
		$result{"$_.kib"} = median(@{$kib{$_}});
		$result{"$_.all"} = $cpu{$_};
	}
	return %result;
}

# The median over the rounds of CODE, called with the seconds that each of NAMES took in a round.
sub per_round {
	my ($t, $code, @names) = @_;
	return median(map { my $round = $_; $code->(map { $t->{"$_.all"}[$round] } @names) } 0 .. $rounds - 1);
}

# How many records the big recording has: (all, those of the system calls, switches).
sub big_counts {
	my ($big) = @_;
	measured("$work/counts", "$bin/zedperl", '-e', 'my (%n, $all); sub trace_unhandled { $all++; $n{$_[0]}++ }
		sub trace_end { print join " ", $all, $n{"raw_syscalls::sys_enter"} + $n{"raw_syscalls::sys_exit"}, $n{"sched::sched_switch"} }', $big);
	open my $fh, '<', "$work/counts" or die "$work/counts: $!\n";
	return split ' ', <$fh>;
}

sub figure {
	my ($what, $value, $limit, $pass) = @_;
	printf "%-58s %-22s %-22s %s\n", $what, $value, $limit, $pass ? 'ok' : 'MISSED';
	return;
}

# The big recording without compression, made once.
my $big = "$work/big.dat";
if ($packed && !-e $big && grep { wanted($_) } qw(handler named python synthetic million keys where aggregate stable report kernel json parquet idle memory curves window)) {
	if (system('trace-cmd', 'convert', '--compression', 'none', '-i', $packed, '-o', "$big.new") == 0) {
		rename "$big.new", $big;
	} else {
		print "no uncompressed a11_big: it takes trace-cmd (apt-get install trace-cmd)\n";
	}
}
printf "%-58s %-22s %-22s\n", 'figure', 'measured', 'promised';

if (-e $big && wanted('handler')) {
	measured("$work/counts", "$bin/zedperl", $big, 't/bench/handlers.pl');
	open my $fh, '<', "$work/counts" or die "$work/counts: $!\n";
	my @n = split ' ', <$fh>;
	my %t = compare(zedperl => ['/dev/null', "$bin/zedperl", $big, 't/bench/handlers.pl'],
		plain => ['/dev/null', 'perl', 't/bench/handlers.pl', @n]);
	my $calls = $n[0] + $n[1] + $n[2];
	figure("handlers, $calls calls, over a plain perl loop", sprintf('%.2f (%.2f s / %.2f s)',
		$t{zedperl} / $t{plain}, @t{qw(zedperl plain)}), 'at most 1.50', $t{zedperl} <= 1.5 * $t{plain});
}
if (-e $big && wanted('window')) {
	# 50 ms in the middle, with the index of this folder and without any; what is printed is the least that can be.
	mkdir "$work/cache";
	my @window = ('zedprint', '--event', 'sched:sched_process_exec', '--start', '9.0', '--end', '9.05', $big);
	$window[0] = "$bin/zedprint";
	my %t = compare(make => ['/dev/null', 'env', "XDG_CACHE_HOME=$ENV{PWD}/$work/cache", 'sh', '-c', 'rm -rf "$XDG_CACHE_HOME"/zedperl && exec "$@"', 'sh',
			"$bin/zedprint", '--index', '--head', 1, $big],
		all => ['/dev/null', "$bin/zedperl", '-e', 'Zed::count("*:*", by => "common_type")', $big],
		with => ["$work/with", 'env', "XDG_CACHE_HOME=$ENV{PWD}/$work/cache", @window],
		without => ["$work/without", 'env', 'XDG_CACHE_HOME=/none', @window]);
	my ($index) = glob "$work/cache/zedperl/*.index";
	my $same = system('cmp', '-s', "$work/with", "$work/without") == 0;
	figure('an index, over counting all events', sprintf('%.1f (%.2f s, %.2f s)', $t{make} / $t{all}, @t{qw(make all)}), '(told)', 1);
	figure('... bytes, of those of the trace', sprintf('%.2f %%', 100 * (-s $index) / (-s $big)), 'at most 2 %', (-s $index) <= .02 * (-s $big));
	figure('a window of 50 ms with it, start of the program included', sprintf('%.1f ms, without %.0f ms%s', $t{with} * 1e3, $t{without} * 1e3, $same ? '' : ' DIFFERENT'), 'at most 8 ms',
		$same && $t{with} <= .008);
}
if (-e $big && wanted('named')) {
	# Against the same positional run twice, which is what the machine's noise makes of nothing.
	my (undef, $calls, $switches) = big_counts($big);
	my %t = compare(idle => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $big],
		a => ["$work/a", "$bin/zedperl", $big, 't/bench/handlers.pl'],
		b => ["$work/b", "$bin/zedperl", $big, 't/bench/named.pl'],
		c => ["$work/c", "$bin/zedperl", $big, 't/bench/handlers.pl']);
	my $same = system('cmp', '-s', "$work/a", "$work/b") == 0;
	my $ratio = per_round(\%t, sub { ($_[1] - $_[0]) / (($_[2] + $_[3]) / 2 - $_[0]) }, qw(idle b a c));
	my $noise = per_round(\%t, sub { abs(($_[1] - $_[0]) / ($_[2] - $_[0]) - 1) }, qw(idle a c));
	$noise = 0.01 if $noise < 0.01;
	figure('handlers by name over positional ones', sprintf('%.3f (%.0f ns / %.0f ns)%s', $ratio,
		(map { ($t{$_} - $t{idle}) / ($calls + $switches) * 1e9 } qw(b a)), $same ? '' : ' DIFFERENT'),
		sprintf('at most 1.00 +- %.2f', $noise), $same && $ratio <= 1 + $noise);
}
if (-e $big && wanted('synthetic')) {
	my $script = sub { ["$work/$_[0]", "$bin/zedperl", '-e', $_[1], $big] };
	my $wait = q{start => 'sched:sched_waking', end => 'sched:sched_switch', match => 'start.pid == end.next_pid'};
	my %t = compare(idle => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $big],
		pairs => $script->('pairs', q{my $s = Zed::synthetic('sys::call', start => 'raw_syscalls:sys_enter', end => 'raw_syscalls:sys_exit',
			match => 'start.common_pid == end.common_pid', fields => [took => 'end.ts - start.ts', id => 'end.id']);
			sub trace_end { print $s->counts->{matched} }}),
		wait => $script->('wait', "my \$s = Zed::synthetic('wait::cpu', $wait, fields => [delay => 'end.ts - start.ts']);" .
			q{our $delays = Zed::quantiles('wait:cpu', 'delay'); sub trace_end { print $delays->total->{count} }}),
		hand => $script->('hand', q{my (%t, $n, $sum); Zed::on('sched:sched_waking', args => [qw(ts pid)], sub { $t{$_[1]} = $_[0] });
			Zed::on('sched:sched_switch', args => [qw(ts next_pid)], sub { my $t = delete $t{$_[1]} // return; $n++; $sum += $_[0] - $t });
			sub trace_end { print $n }}));
	my ($pairs) = slurp("$work/pairs") =~ /(\d+)/;
	my $same = slurp("$work/wait") eq slurp("$work/hand");
	my $ns = ($t{pairs} - $t{idle}) / $pairs * 1e9;
	figure("a synthetic event of two, $pairs pairs", sprintf('%.0f ns', $ns), 'at most 60 ns', $ns <= 60);
	my $ratio = per_round(\%t, sub { ($_[1] - $_[0]) / ($_[2] - $_[0]) }, qw(idle wait hand));
	figure('wakeup latencies, over the same as handlers', sprintf('%.2f', $ratio) . ($same ? '' : ' DIFFERENT'), 'at most 0.20', $same && $ratio <= .2);
}
# The same recording with a million calls on their way, made once, and how many of its ends have a start.
my $million = "$work/million.dat";
if (-e $big && (wanted('million') || wanted('keys')) && !-e $million) {
	system('sh', '-c', 'perl t/bench/million.pl "$1" "$2.new" > "$2.ends" && mv "$2.new" "$2"', 'sh', $big, $million) == 0
		or die "million.pl failed\n";
}
if (-e $million && wanted('million')) {
	my %t = compare(idle => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $million],
		pairs => ["$work/pairs", "$bin/zedperl", '-e', q{my $s = Zed::synthetic('sys::call', start => 'raw_syscalls:sys_enter',
			end => 'raw_syscalls:sys_exit', match => 'start.common_pid == end.common_pid', fields => [took => 'end.ts - start.ts'],
			max_pending => 2_000_000); sub trace_end { print join ' ', @{$s->counts}{qw(matched started)} }}, $million]);
	my ($matched, $started) = split ' ', slurp("$work/pairs");
	my $same = $matched == slurp("$million.ends");
	# An end that finds nothing is looked for like any other, so a pair is a start and an end.
	my $ns = per_round(\%t, sub { ($_[1] - $_[0]) / $started * 1e9 }, qw(idle pairs));
	figure('a synthetic event where a million starts wait', sprintf('%.0f ns%s', $ns, $same ? '' : ' DIFFERENT'), 'at most 150 ns', $same && $ns <= 150);
}
if (-e $million && wanted('keys')) {
	# Resident, with the million numbers themselves (8 bytes each); a bucket or a record is by nature more, and malloc() rounds.
	my $enter = "'raw_syscalls:sys_enter'";
	my %kind = (count => "count($enter", sum => "sum($enter, 'id'", min => "min($enter, 'id'", stats => "stats($enter, 'id'", hist => "hist($enter, 'id'",
		quantiles => "quantiles($enter, 'id'", top => "top($enter, 'id', limit => 1");
	my $usual = $rounds;
	my $keys = 1_000_000;
	$rounds = 1;
	my %t = compare(idle => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $million],
		map { $_ => ["$work/keys.$_", qw(sh -c), 'exec "$0" "$@" 2> /dev/null', "$bin/zedperl", '-e',
			"my \$a = Zed::$kind{$_}, by => 'common_pid', max_keys => $keys); sub trace_end { print \$a->lost }", $million] } keys %kind);
	$rounds = $usual;
	for my $kind (qw(count sum min stats hist quantiles top)) {
		my $bytes = ($t{"$kind.kib"} - $t{'idle.kib'}) * 1024 / $keys;
		my $more = $kind =~ /^(hist|quantiles)$/ ? 48 : $kind eq 'top' ? 88 : 0;
		figure("memory a key, $kind" . ($more == 48 ? ', one bucket' : $more ? ', one record' : ''), sprintf('%.1f bytes, of %d keys', $bytes, $keys),
			'at most ' . (72 + $more), $bytes <= 72 + $more);
	}
}
if (-e $big && wanted('where')) {
	my (undef, $n) = big_counts($big);
	my $where = sub { ['/dev/null', "$bin/zedperl", '-e', "Zed::on('raw_syscalls:*', where => '$_[0]', sub { die })", $big] };
	my %t = compare(idle => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $big],
		integer => $where->('id == 99999'), two => $where->('id > 99999 or id == 99998'),
		string => $where->('comm == "no such task"'));
	for ([integer => 'where that rejects by a number'], [two => 'where that rejects by two numbers'], [string => 'where that rejects by the task\'s name']) {
		my ($name, $what) = @$_;
		my $ns = per_round(\%t, sub { ($_[1] - $_[0]) / $n * 1e9 }, 'idle', $name);
		figure("$what, over no handler", sprintf('%.1f ns', $ns), $name eq 'integer' ? 'at most 15 ns' : '(told)',
			$name ne 'integer' || $ns <= 15);
	}
}
if (-e $big && wanted('aggregate')) {
	my (undef, $n, $switches) = big_counts($big);
	my $do = sub { ['/dev/null', "$bin/zedperl", '-e', "our \@a = ($_[0]); sub trace_end { \$_->total for \@a }", $big] };
	my $calls = "'raw_syscalls:*'";
	my %t = compare(idle => $do->(''), count => $do->("Zed::count($calls, by => 'id')"), hist => $do->("Zed::hist($calls, 'id')"),
		stats => $do->("Zed::stats($calls, 'id')"), quantiles => $do->("Zed::quantiles($calls, 'id', by => 'cpu')"),
		reject => $do->("Zed::count($calls, where => 'id == 99999')"),
		text1 => $do->("Zed::count('sched:sched_switch', by => 'prev_comm')"),
		text21 => $do->("map { Zed::count('sched:sched_switch', by => 'prev_comm') } 1 .. 21"));
	for ([count => 'count by a number', 15], [hist => 'hist', 20], [stats => 'stats', 20], [quantiles => 'quantiles by a number'],
		[reject => 'count with a where that rejects', 6]) {
		my ($name, $what, $most) = @$_;
		my $ns = per_round(\%t, sub { ($_[1] - $_[0]) / $n * 1e9 }, 'idle', $name);
		figure("$what, over no handler", sprintf('%.1f ns', $ns), $most ? "at most $most ns" : '(told)', !$most || $ns <= $most);
	}
	# There are few switches, so twenty more of the same; and the way of a record to the first.
	my $ns = per_round(\%t, sub { ($_[1] - $_[0]) / $switches / 20 * 1e9 }, 'text1', 'text21');
	figure('count by a text of 16 bytes, each of 20 more', sprintf('%.1f ns', $ns), 'at most 25 ns', $ns <= 25);
	if (system('sh', '-c', 'command -v trace-cmd > /dev/null') == 0) {
		my $usual = $rounds;
		$rounds = 1;
		my %with = compare(zedperl => ["$work/zed.count", "$bin/zedperl", '-e', 'my $a = Zed::count("raw_syscalls:sys_enter", by => "id"); sub trace_end { $a->print }', $big],
			awk => ["$work/awk.count", 'sh', '-c', 'trace-cmd report -R -i "$1" | awk \'/ sys_enter: / { sub(/.* id=/, ""); n[$1]++ } END { for (i in n) print i, n[i] }\'', 'sh', $big]);
		my ($ours, $theirs) = map { my $file = $_; join ',', sort map { join '=', (split)[0, 1] } grep { /\d/ } do { open my $fh, '<', $file or die "$file: $!\n"; <$fh> } } "$work/zed.count", "$work/awk.count";
		my $same = $ours eq $theirs;
		figure('system calls by number, times as fast as trace-cmd | awk', sprintf('%.0f (%.2f s, %.1f s)%s', $with{awk} / $with{zedperl}, @with{qw(zedperl awk)}, $same ? '' : ' DIFFERENT'),
			'(told), same', $same);
		$rounds = $usual;
	}
}
if (-e $big && wanted('stable')) {
	my (undef, undef, $n) = big_counts($big);
	my $names = 'prev_pid next_pid prev_comm next_comm';
	my $on = sub { ["$work/$_[1]", "$bin/zedperl", '-e', "my \$n = 0; Zed::on('$_[0]', args => [qw($names)], sub { my (\$p, \$q, \$c, \$d) = \@_; \$n++ }); sub trace_end { print \$n }", $big] };
	my %t = compare(idle => ['/dev/null', "$bin/zedperl", '-e', 'sub trace_end { }', $big],
		raw => $on->('sched:sched_switch', 'raw'), stable => $on->('sched:switch', 'stable'));
	my $same = system('cmp', '-s', "$work/raw", "$work/stable") == 0;
	my ($raw, $stable) = map { per_round(\%t, sub { ($_[1] - $_[0]) / $n * 1e9 }, 'idle', $_) } qw(raw stable);
	figure("a stable switch over the raw one, of $n", sprintf('%.0f ns / %.0f ns%s', $stable, $raw, $same ? '' : ' DIFFERENT'), '(told)', $same);
}
if (-e $big && wanted('report')) {
	if (system('sh', '-c', 'command -v trace-cmd > /dev/null') == 0) {
		my %t = compare(zedprint => ["$work/zed.txt", "$bin/zedprint", '-f', 'report', $big],
			stock => ["$work/stock.txt", 'trace-cmd', 'report', '-i', $big]);
		my $same = same_reports("$work/zed.txt", "$work/stock.txt");
		figure('zedprint -f report, times as fast as trace-cmd report', sprintf('%.2f (%.2f s, %.2f s)%s',
			$t{stock} / $t{zedprint}, @t{qw(zedprint stock)}, $same ? '' : ' DIFFERENT'),
			'at least 5.00, same', $same && $t{stock} >= 5 * $t{zedprint});
		unlink "$work/zed.txt", "$work/stock.txt";
	} else {
		print "no trace-cmd to compare with\n";
	}
}
for ([kernel => 4], [json => 6]) {
	my ($format, $least) = @$_;
	next if !-e $big || !wanted($format);
	my %t = compare($format => ['/dev/null', "$bin/zedprint", '-f', $format, $big]);
	figure("zedprint -f $format, million events a second", sprintf('%.2f (%.2f s)', 4.519813 / $t{$format}, $t{$format}),
		"at least $least", $t{$format} <= 4.519813 / $least);
}
if (-e $big && wanted('parquet')) {
	# The tables go, so that each round makes them; their bytes are those of the last one.
	my ($tables, $twice) = ("$work/tables", "$work/twice.dat");
	system('perl', 't/bench/double.pl', $big, $twice) == 0 or die "double.pl failed\n" if !-e $twice;
	my $parquet = sub { ['/dev/null', 'sh', '-c', 'rm -rf "$1"; exec "$0" -f parquet -o "$1" "$2"', "$bin/zedprint", $_[1], $_[0]] };
	my %t = compare(parquet => $parquet->($big, $tables), twice => $parquet->($twice, "$tables.twice"));
	my $bytes = 0;
	$bytes += -s for glob "$tables/*";
	measured("$work/json", 'sh', '-c', '"$0" -f json "$1" | wc -c', "$bin/zedprint", $big);
	my ($json) = slurp("$work/json") =~ /(\d+)/;
	figure('zedprint -f parquet, million events a second', sprintf('%.2f (%.2f s)', 4.519813 / $t{parquet}, $t{parquet}), 'at least 4', $t{parquet} <= 4.519813 / 4);
	figure('... bytes, of those of json', sprintf('%.1f %% (%.1f MB)', 100 * $bytes / $json, $bytes / 1e6), 'at most 20 %', $bytes <= $json / 5);
	figure('... peak memory', sprintf('%.1f MiB, twice %.1f', map { $t{$_} / 1024 } qw(parquet.kib twice.kib)), 'under 64 MiB, +10 %',
		$t{'parquet.kib'} < 64 << 10 && $t{'twice.kib'} <= 1.1 * $t{'parquet.kib'});
	system('rm', '-rf', $tables, "$tables.twice");
}
if (wanted('perf') && system('sh', '-c', 'command -v perf > /dev/null') == 0) {
	# A million system calls of one program, each recording made once; the same script under both.
	$ENV{PERF_EXEC_PATH} //= '/usr/lib/perf-core';
	my $pid = "$ENV{PERF_EXEC_PATH}/scripts/perl/rw-by-pid.pl";
	for (['raw_syscalls, one million samples', 'raw', 'raw_syscalls:*', 't/bench/perf-calls.pl', 5],
		['rw-by-pid.pl', 'rw', join(',', map { ("syscalls:sys_enter_$_", "syscalls:sys_exit_$_") } qw(read write)), $pid, 4]) {
		my ($what, $name, $events, $script, $least) = @$_;
		my @file = ("$work/perf-$name.data", "$work/perf-$name-half.data");
		my $missing = grep { !-e } $script;
		for my $i (0, 1) {
			next if -e $file[$i];
			$missing ||= system('perf', 'record', '-q', '-m', '2048', '-o', $file[$i], '-e', $events, '--',
				'sh', '-c', 'exec dd if=/dev/zero of=/dev/null bs=1 count=$1 2> /dev/null', 'sh', $i ? 130_000 : 260_000);
		}
		if ($missing) {
			print "$what: perf cannot record it here, or its scripts are missing\n";
			next;
		}
		my %t = compare(perf => ["$work/perf.out", 'perf', 'script', '-f', '-i', $file[0], '-s', $script],
			zedperl => ["$work/zed.out", "$bin/zedperl", '-i', $file[0], $script],
			half => ['/dev/null', "$bin/zedperl", '-i', $file[1], $script]);
		my $same = slurp("$work/perf.out") eq slurp("$work/zed.out");
		my $ratio = per_round(\%t, sub { $_[0] / $_[1] }, qw(perf zedperl));
		figure("$what, times as fast as perf script -s", sprintf('%.2f (%.2f s, %.2f s)%s', $ratio, @t{qw(zedperl perf)}, $same ? '' : ' DIFFERENT'),
			"at least $least.00, same", $same && $ratio >= $least);
		my ($half, $all, $theirs) = @t{qw(half.kib zedperl.kib perf.kib)};
		figure('... peak memory', sprintf('%.1f MiB, half %.1f; perf %.1f', map { $_ / 1024 } $all, $half, $theirs),
			'under 64 MiB, +10 %', $all < 64 << 10 && $all <= 1.1 * $half);
	}
}
if (wanted('profile') && system('sh', '-c', 'command -v perf > /dev/null') == 0) {
	# A million samples with 30 callers each; the same from a machine whose files are not here: without names.
	my @samples = (1_000_000, 100_000);
	my ($named, $bare, $tenth) = map { "$work/profile-$_.data" } qw(named bare tenth);
	for ([$named, $samples[0]], [$bare, $samples[0], 'elsewhere'], [$tenth, $samples[1]]) {
		system('perl', '-It/lib', 't/bench/profile.pl', "$work/profile", @$_) == 0 or die "profile.pl failed\n" if !-e $_->[0];
	}
	my @stacks = ('stacks', '--folded', '--by', 'none');
	my %t = compare(zedperl => ['/dev/null', "$bin/zedperl", $named, @stacks], bare => ['/dev/null', "$bin/zedperl", $bare, @stacks],
		zedprint => ['/dev/null', "$bin/zedprint", '--stack', $named], perfetto => ['/dev/null', "$bin/zedprint", '-f', 'perfetto', $named]);
	$rounds = 1;
	my %perf = compare(perf => ['/dev/null', 'perf', 'script', '-i', $tenth, '-F', 'ip,sym']);
	my $theirs = 10 * $perf{perf};
	figure('stacks of a million samples of 30, over those without names', sprintf('%.2f (%.2f s, %.2f s)', $t{zedperl} / $t{bare}, @t{qw(zedperl bare)}),
		'at most 1.50', $t{zedperl} <= 1.5 * $t{bare});
	for (['zedperl stacks', 'zedperl', 2], ['zedprint --stack', 'zedprint', 3], ['zedprint -f perfetto', 'perfetto', 3]) {
		my ($what, $name, $least) = @$_;
		figure("... $what, times as fast as perf script -F ip,sym", sprintf('%.1f (%.2f s, %.1f s)', $theirs / $t{$name}, $t{$name}, $theirs),
			"at least $least", $least * $t{$name} <= $theirs);
	}
	figure('... peak memory', join(', ', map { sprintf '%.0f MiB', $t{"$_.kib"} / 1024 } qw(zedperl zedprint perfetto)), 'under 256 MiB',
		!grep { $t{"$_.kib"} > 256 << 10 } qw(zedperl zedprint perfetto));
}
if (-e $big && wanted('idle')) {
	measured("$work/counts", "$bin/zedperl", '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print $n }',
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
if ($full && wanted('first')) {
	# Up to the first event and no further.
	measured("$work/first", "$bin/zedprint", $full);
	open my $fh, '<', "$work/first" or die "$work/first: $!\n";
	my ($time) = <$fh> =~ /time = ([\d.]+)/;
	my %t = compare(map { $_ => ['/dev/null', "$bin/zedprint", '-f', $_, '--end', $time, $full] } qw(zed report kernel json));
	figure("start to the first line of -f $_ on a09_all_short", sprintf('%.1f ms', $t{$_} * 1e3), 'at most 6 ms', $t{$_} <= 0.006)
		for qw(zed report kernel json);
	# All symbols of the kernel and its modules are read for the first one that is shown.
	%t = compare(kernel => ['/dev/null', "$bin/zedprint", '-f', 'kernel', $full]);
	figure('zedprint -f kernel of all of a09_all_short', sprintf('%.1f ms', $t{kernel} * 1e3), '(told)', 1);
}
if (wanted('fleet')) {
	require './t/bench/fleet.pl';
	figure(@$_) for fleet_figures(\&measured, $bin, $work, $ENV{TRACES} // 10_000);
}
if (-e $big && wanted('python') && -x "$bin/zedpython") {
	require './t/bench/python.pl';
	figure(@$_) for python_figures(\&compare, \&per_round, $bin, $work, $big, (big_counts($big))[0, 1]);
}
if (-e $big && wanted('curves')) {
	system('perl', 't/bench/curves.pl', $work) == 0 or die "curves.pl failed\n";
	print "drawn: $work/performance-events.svg, $work/performance-streams.svg\n";
}
