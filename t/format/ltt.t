# SPDX-License-Identifier: GPL-2.0-or-later
#
# The one real LTT trace of the first generation (Linux 2.5.44, two CPUs, 2003), whole where it is at hand, and
# the cut of it that the repository carries.  What is expected comes from Compare::LttRead, which is no part of the
# reader, and from figures that were taken from the trace by hand.
# Without it each of its values may be wrong, as no other program reads it any more.
#
# of: reader/ltt
# runs: make check; a small pass in make test

use strict;
use warnings;
use Test::More;
use File::Basename ();
use lib 't/lib';
use Compare::LttDump;
use Compare::LttRead;
use Pass;
use Run::Program;

my $zedprint = zed_bin('zedprint');
my $zedperl = zed_bin('zedperl');
die "zedprint is not built: run make\n" if !-x $zedprint;
my $cut = 't/data/ltt-g1';
my $shared = zed_shared();
my $whole = $shared ? "$shared/data/ltt-g1" : undef;
my $long = $ENV{ZED_SAN} ? 300 : 120;

# One check for many lines: the first that differs is told.
sub same_lines {
	my ($got, $want, $name) = @_;
	my ($i, $n) = (0, @$want > @$got ? scalar @$want : scalar @$got);
	$i++ while $i < $n && ($got->[$i] // '(end)') eq ($want->[$i] // '(end)');
	return pass($name) if $i == $n;
	fail($name);
	diag('line ', $i + 1, " of $n\n   got: ", $got->[$i] // '(end)', "\nwanted: ", $want->[$i] // '(end)');
	return 0;
}

# The dump of an event as Perl must see it.
sub dump_of {
	my ($e) = @_;
	my ($name, @v) = ($e->{name}, @{$e->{values}});
	my $time = sub { "{nanoseconds=$v[1],seconds=$v[0]}" };
	my $fields;
	if ($name =~ /^block_/) {
		$fields = "timestamp={cycle_count=$v[2],time=" . $time->() . "} block_id=$v[3]";
	} elsif ($name eq 'time_heartbeat') {
		$fields = 'time=' . $time->() . " cycle_count=$v[2]";
	} else {
		my $label = Compare::LttRead::label($name, $v[0] // 0);
		$v[0] = "$label($v[0])" if $label;
		$v[-1] = '"' . $v[-1] =~ s/([^\x20-\x7e]|\\)/sprintf '\\x%02x', ord $1/ger . '"' if $name eq 'file_system';
		$fields = join ' ', map { "$e->{names}[$_]=$v[$_]" } 0 .. $#v;
	}
	return "core::$name $e->{cpu} $e->{ts} $e->{seq} $fields";
}

sub compare {
	my ($dir, $size, $what) = @_;
	my @files = map { Compare::LttRead::read_cpu("$dir/cpu/$_", $size) } 0, 1;
	my @events = Compare::LttRead::merged(@files);

	my $zed = zed_run({ time => $long }, $zedprint, $dir);
	is($zed->{exit}, 0, "$what: zedprint ends well (else: a sound trace counts as damaged)") or diag($zed->{err});
	is($zed->{err}, '', "$what: zedprint says nothing (else: users are sent after a fault that is none)");
	same_lines([split /\n/, $zed->{out}], [map { Compare::LttRead::line_of($_) } @events],
		"$what: zedprint: every event, time, sequence and field (else: the trace is misread)");

	my $perl = zed_run({ time => $long }, $zedperl, $dir, Compare::LttDump::script());
	is($perl->{exit}, 0, "$what: zedperl ends well (else: a sound trace counts as damaged)") or diag($perl->{err});
	same_lines([split /\n/, $perl->{out}], [map { dump_of($_) } @events],
		"$what: zedperl: every event, enums as dualvars, nested types as hashes (else: scripts see other values)");

	my $wall = zed_run({ time => $long }, $zedprint, '--wall', $dir);
	ok($wall->{out} eq $zed->{out} && $wall->{out} ne '',
		"$what: --wall changes nothing, the times are of the wall already (else: they are added twice)");
	return (\@files, \@events, $zed->{out});
}

# ---------------------------------------------------------------- the cut

my ($cut_files, $cut_events) = compare($cut, 8000, 'the cut');
is(scalar @$cut_events, 4899, 'the cut has as many events as when it was made (else: t/data was changed)');
is_deeply([map { $_->{wraps} } @$cut_files], [1, 1],
	'each CPU of the cut has the wrap of its counter (else: widening is not tested without the whole trace)');
is(scalar(map { @{$_->{blocks}} } @$cut_files), 6, 'the cut has three blocks a CPU (else: one block is all that is tested)');

{
	my $list = zed_run($zedperl, '-t', $cut);
	my %n;
	$n{"core::$_->{name}"}++ for @$cut_events;
	for my $name (sort keys %n) {
		like($list->{out}, qr/^\s*\Q$name\E\s+$n{$name}\s*$|^\s*$n{$name}\s+\Q$name\E\s*$/m,
			"zedperl -t counts $name (else: users see other totals)");
	}
	my $count = zed_run($zedperl, $cut, 'scripts/countall.pl');
	is($count->{out}, "event counts:\n" . join('', map { "$_: $n{$_}\n" } sort keys %n),
		'countall.pl works as it is (else: scripts must know the format)');
	is($count->{err}, '', 'countall.pl: and quietly (else: users are sent after a fault that is none)');
	my $all = zed_run($zedperl, $cut, 'scripts/printall.pl');
	my $lines = () = $all->{out} =~ /^core::/mg;
	is($lines, scalar @$cut_events, 'printall.pl prints every event (else: scripts must know the format)');
	is($all->{exit}, 0, 'printall.pl ends well (else: nested values or enums kill it)') or diag($all->{err});

	my $cpu1 = zed_run($zedprint, '--cpu', 1, $cut);
	my $want = grep { $_->{cpu} == 1 } @$cut_events;
	is(scalar(() = $cpu1->{out} =~ /^core::/mg), $want, '--cpu picks a CPU (else: the numbers of files are not CPUs)');
	my $open = zed_run($zedprint, '-F', 'core:file_system: event_sub_id == 4 and file_name ~ "c.pr*"', $cut);
	my @hits = grep { $_->{name} ne 'file_system' || $_->{values}[0] == 4 && $_->{values}[3] =~ /^c\.pr/ } @$cut_events;
	is(scalar(() = $open->{out} =~ /^core::/mg), scalar @hits,
		'-F compares enums as numbers, and strings (else: LTT traces cannot be filtered)');

	my $named = zed_run($zedprint, '-F', 'core:soft_irq: event_sub_id == "TRACE_EV_SOFT_IRQ_SOFT_IRQ"', $cut);
	is(scalar(() = $named->{out} =~ /^core::soft_irq /mg), scalar(grep { $_->{name} eq 'soft_irq' && $_->{values}[0] == 2 } @$cut_events),
		'-F compares enums with their names (else: users look the numbers up)');
	my $raw = zed_run($zedprint, '--raw-ts', '-f', 'json', $cut);
	my %ticks = map { ("$_->{cpu} $_->{seq}" => $_->{tsc}) } @$cut_events;
	my $same = grep { /^\{"ts":(\d+),.*?"cpu":(\d),.*?"seq":(\d+),/ && $ticks{"$2 $3"} == $1 } split /\n/, $raw->{out};
	is($same, scalar @$cut_events, '--raw-ts shows the counter, widened over its wraps (else: there is no way to see it)');
	my @late = grep { $_->{ts} >= 1467637923_000_000_000 } @$cut_events;
	my $end = zed_run($zedprint, '--start', '1467637923', $cut);
	is(scalar(() = $end->{out} =~ /\n/g), scalar @late, '--start picks a time (else: users print all of it)');

	my $g = zed_run($zedperl, '-g', 'all', $cut);
	open my $fh, '>', zed_tmp() . '/g.pl' or die;
	print $fh $g->{out};
	close $fh;
	my $run = zed_run($zedperl, '-w', $cut, zed_tmp() . '/g.pl');
	is($run->{err}, '', 'the script of zedperl -g runs without a word (else: a beginner begins with a fault)');
	is(scalar(() = $run->{out} =~ /^core::/mg), scalar @$cut_events, 'and has a handler for each event (else: some are forgotten)');
	my $report = zed_run($zedprint, '-f', 'report', $cut);
	is($report->{exit}, 0, '-f report ends well (else: a format of zedprint does not know LTT)') or diag($report->{err});
	is(scalar(() = $report->{out} =~ /: core::\w+: +/g), scalar @$cut_events, 'and shows all events (else: a format of zedprint does not know LTT)');
	like($report->{out}, qr/: core::block_start: +timestamp=\{time=\{seconds=\d+, nanoseconds=\d+\}, cycle_count=152895982\} block_id=0\n/,
		'structures with their members (else: they show as 0)');
	unlike($report->{out}, qr/FAILED TO PARSE/, 'and nothing calls for a print format (else: each line complains)');
	my $starter = zed_run($zedperl, '-g', 'all', $cut);
	my $script = zed_tmp() . '/starter.pl';
	open my $to, '>', $script or die "$script: $!\n";
	print $to $starter->{out};
	close $to or die "$script: $!\n";
	my $shown = zed_run($zedperl, $cut, $script);
	is($shown->{exit}, 0, 'a script of zedperl -g runs on it') or diag($shown->{err});
	like($shown->{out}, qr/\ttimestamp=\{cycle_count=152895982 time=\{nanoseconds=\d+ seconds=\d+\}\}\n/,
		'and shows structures (else: HASH(0x...), or it dies)');

	my $sum = zed_run($zedprint, '--summary', $cut);
	is($sum->{exit}, 0, '--summary ends well (else: users cannot see what a trace is)');
	like($sum->{out}, qr/LTT/, '--summary names the format (else: users cannot see what a trace is)');
	like($sum->{out}, qr/$_/, "--summary shows $_ of info/system.xml (else: where it was recorded is lost)")
		for 'thales\.casi\.polymtl\.ca', '2\.5\.44-ltt2', 'i686', 'This is just a test';
	like($sum->{out}, qr/\b4899\b/, '--summary counts the events (else: users see other totals)');
}

# ---------------------------------------------------------------- the whole

SKIP: {
	skip 'the whole trace is not here (set ZED_SHARED)', 1 if !$whole || !-d $whole;
	skip 'the whole trace: make check', 1 if small();
	my ($files, $events, $out) = compare($whole, 1_000_000, 'the whole');

	# The figures that were found in 2003's bytes before there was a reader.
	is(scalar @$events, 173_157, 'all events (else: the files are others, or Compare::LttRead is wrong)');
	is(scalar(() = $out =~ /\n/g), 173_157, 'zedprint prints as many (else: some were lost)');
	my %want = (soft_irq => 80030, kernel_timer => 39994, irq_entry => 20213, irq_exit => 20213,
		file_system => 5608, syscall_entry => 2029, syscall_exit => 2028, memory => 999, schedchange => 962,
		process => 587, timer => 267, socket => 144, network => 37, trap_entry => 20, trap_exit => 20,
		block_start => 2, block_end => 2, time_heartbeat => 2);
	my %got;
	$got{$1}++ while $out =~ /^core::(\w+)/mg;
	is_deeply(\%got, \%want, 'the count of each type (else: numbers of events are misread)');
	my @of = map { my $cpu = $_; scalar grep { $_->{cpu} == $cpu } @$events } 0, 1;
	is_deeply(\@of, [85_917, 87_240], 'the count of each CPU (else: a file ends early)');
	is(scalar(() = $out =~ / cpu = 1, /g), 87_240, 'the same of zedprint (else: a file ends early)');
	is_deeply([map { [@{$_->{blocks}[0]}{qw(end after cycles end_cycles s us end_s end_us)}] } @$files],
		[[774_284, 774_310, 152895982, 7167575867, 1467637903, 312859, 1467637923, 309363],
		 [798_135, 798_161, 153015296, 7167574828, 1467637903, 313199, 1467637923, 309360]],
		'block_end is where it must be, and nothing behind it (else: Compare::LttRead is wrong)');
	is_deeply([map { $_->{wraps} } @$files], [1, 1], 'one wrap a CPU (else: Compare::LttRead is wrong)');
	my @first = map { [$_->{low}, $_->{cpu}, $_->{name}, @{$_->{values}}] } @$events[1 .. 5];
	is_deeply(\@first, [[152898726, 0, 'syscall_exit'], [152904572, 0, 'trap_entry', 14, 1074790720],
		[152909034, 0, 'trap_exit'], [152910927, 0, 'syscall_entry', 8, 134523838],
		[152948844, 0, 'socket', 3, 2, 100]], 'the first events (else: Compare::LttRead is wrong)');
	my ($switch) = $out =~ /^(core::schedchange cpu = 0, .*)$/m;
	like($switch // '', qr/sequence = 11, out = 1441, in = 0, out_state = 2,$/,
		'the first schedchange (else: fields are misread)');
	is(scalar(() = $out =~ /event_sub_id = TRACE_EV_FILE_SYSTEM_OPEN,/g), 95, '95 files were opened (else: labels begin at 0)');
	my ($file) = $out =~ /event_sub_id = TRACE_EV_FILE_SYSTEM_OPEN,.* file_name = (.*),$/m;
	is($file, 'c.proc', 'the first of them (else: strings are misread)');
	like($out, qr/\Acore::block_start cpu = 0, time = 1467637903\.31286\d{4}, /,
		'the sub-second words are microseconds (else: the first event is 312859 ns after the second)');
	like($out, qr/^core::block_end cpu = 0, time = 1467637923\.309363000, sequence = 85917, .*\n\z/m,
		'the last event is 19.997 s later (else: wraps or the rate are wrong)');

	my $again = zed_tmp() . '/cut';
	system($^X, '-It/lib', 't/tools/cutltt.pl', $whole, $again);
	is(join(' ', grep { slurp("$cut/$_") ne (-f "$again/$_" ? slurp("$again/$_") : 'none') } qw(cpu/0 cpu/1 info/system.xml
		eventdefs/core.xml control/facilities control/interrupts control/processes)), '',
		'cutltt.pl makes the same cut again (else: nobody knows where t/data is from)');

	# The cut is what it says: the real events, byte for byte, but for what brackets them.
	for my $cpu (0, 1) {
		my $real = $files->[$cpu];
		my %at = map { $_->{low} . $_->{name} => $_ } @{$real->{events}};
		my ($odd, $same) = (0, 0);
		for my $e (@{$cut_files->[$cpu]{events}}) {
			my $r = $at{$e->{low} . $e->{name}};
			if ($r && substr(${$real->{data}}, $r->{off}, $r->{len}) eq substr ${$cut_files->[$cpu]{data}}, $e->{off}, $e->{len}) {
				$same++;
			} else {
				$odd++;
				$odd += 1000 if $e->{name} !~ /^block_/;
			}
		}
		is($odd, 4, "cpu $cpu: all of the cut but four brackets is in the real trace (else: the cut is invented)");
		cmp_ok($same, '>', 2000, "cpu $cpu: and that is not nothing (else: the check is empty)");
	}
}

done_testing();
