# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace on the running kernel, to files and pipes: what it wrote is what the kernel counted, as trace-cmd, an
# independent walk of the pages, and a load of known size tell it.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Spec;
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $scripts = abs_path('scripts');
my ($zedtrace, $zedperl, $zedprint) = map { File::Spec->rel2abs(zed_bin($_)) } qw(zedtrace zedperl zedprint);
my $long = $ENV{ZED_SAN} ? 120 : 60;
my $nproc = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;
$nproc ||= 1;
my $cpus = live_lock('cpus', 0);
$ENV{LC_ALL} = 'C';

# A command of its own name, for filters: no other process of the machine is taken for it.
my ($dd) = grep { -x } map { "$_/dd" } split /:/, $ENV{PATH};
my $my_dd = "$dir/dd73.$$";
copy($dd, $my_dd) or die "$my_dd: $!\n";
chmod 0755, $my_dd;
my $my_comm = substr "dd73.$$", 0, 15;

sub record { return zed_run({ time => $long, memory => 0 }, 'zedtrace', @_) }

# A pipeline, by sh; $ZT, $ZP and $ZR are zedtrace, zedperl and zedprint.
sub pipeline {
	my ($text, %env) = @_;
	return zed_run({ time => $long, memory => 0, env => { ZT => $zedtrace, ZP => $zedperl, ZR => $zedprint,
		D => $dir, S => $scripts, %env } }, 'sh', '-c', $text);
}

# What the report says, the pages hold, and the kernel's statistics in the file tell.
sub adds_up {
	my ($what, $file, $report) = @_;
	my $sum = dat_events($file);
	my $stat = dat_stats($file);
	is($sum->{events}, $report->{events}, "$what: the pages hold as many events as the report says (else: its number is made up)");
	my (%read, $kernel, $lost);
	for my $cpu (keys %$stat) {
		my $s = $stat->{$cpu};
		$read{$cpu} = $s->{'read events'};
		$lost += $s->{$_} for 'overrun', 'commit overrun', 'dropped events', 'entries';
		$kernel += $s->{'read events'};
	}
	$kernel += $lost;
	is($report->{dropped}, $lost, "$what: dropped are overrun, commit overrun, dropped events and what was left, of the kernel's statistics");
	is($report->{events} + $report->{dropped}, $kernel, "$what: events and dropped are all that the kernel counted (else: some are counted nowhere)");
	is_deeply({ map { $_ => $report->{cpus}{$_}[0] } keys %{$report->{cpus}} }, \%read, "$what: events of each CPU");
	is_deeply($sum->{cpu}, { map { $read{$_} || defined $sum->{cpu}{$_} ? ($_ => $read{$_}) : () } keys %read },
		"$what: events of each CPU in the file");
	is($sum->{back} // 0, 0, "$what: time goes forward within each CPU (else: pages are in disorder)");
	return $sum;
}

# ---------------------------------------------------------------- a file, while a command runs
{
	my $file = "$dir/command.dat";
	my $before = mono_now();
	my $r = leaves_nothing('a command recorded', sub {
		record('-o', $file, 'sched', 'irq', '--', 'sh', '-c', 'for i in 1 2 3 4 5 6 7 8; do (:); /bin/true; done; sleep 0.3; exit 7');
	});
	is($r->{exit}, 7, "the command's exit status is zedtrace's (else: make and && do not see failures)") or diag $r->{err};
	my $report = live_report($r->{err});
	ok($report, 'there is a closing report in the shape of the seed') or diag $r->{err};
	SKIP: {
		skip 'no report', 12 if !$report;
		cmp_ok($report->{events}, '>', 20, 'events were recorded');
		is($report->{channel}, 'command', 'the channel is named as the file is');
		my $sum = adds_up('a command', $file, $report);
		is($sum->{clock}, 'mono', 'the clock is mono (else: times do not compare with those of programs)');
		cmp_ok($sum->{first} / 1e9, '>', $before, 'the first event is not from before the recording');
		cmp_ok($sum->{last} / 1e9, '<', mono_now(), 'nor the last from after it');
		is(zed_lines($file), $report->{events}, 'zedprint prints a line for each event');
		for my $cpu (sort keys %{$report->{cpus}}) {
			my $kib = ($sum->{size}{$cpu} // 0) / 1024;
			cmp_ok(abs($report->{cpus}{$cpu}[1] - $kib), '<=', 1, "cpu $cpu: KiB of the report are those in the file");
		}
		my $stock = stock_count($file);
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $report->{events}, 'trace-cmd report prints a line for each event (else: others cannot read our files)');
	}
	ok(!-e "$file.zed", 'the directory of the unfinished recording is gone');
}
{
	my $r = record('-o', "$dir/killed.dat", 'sched', '--', 'sh', '-c', 'kill -9 $$');
	is($r->{exit}, 128 + 9, 'a command that a signal ended gives 128 and its number, as in a shell');
	$r = leaves_nothing('a command that is not there', sub { record('-o', "$dir/none.dat", 'sched', '--', "$dir/none") });
	is($r->{exit}, 127, 'a command that is not there gives 127');
	ok(!-e "$dir/none.dat" && !-e "$dir/none.dat.zed", 'and no file');
}

# ---------------------------------------------------------------- a time
{
	my $file = "$dir/time.dat";
	my $r = record('-o', $file, '-d', '0.5', 'sched');
	is($r->{exit}, 0, '-d: exit 0') or diag $r->{err};
	cmp_ok($r->{seconds}, '>=', 0.5, '-d 0.5 takes half a second ...');
	cmp_ok($r->{seconds}, '<', $ENV{ZED_SAN} ? 30 : 6, '... and not much more');
	my $sum = dat_events($file);
	my $span = ($sum->{last} - $sum->{first}) / 1e9;
	ok($span > 0.2 && $span < 1.5, "the events span that time ($span s)");
}

# ---------------------------------------------------------------- losses: a load of known size
my $COUNT = 100_000;
for my $o (['a small buffer', '-b', 8], ['a small buffer of large sub-buffers', '-b', 64, '-s', 16]) {
	my ($what, @opts) = @$o;
	my $file = "$dir/storm.dat";
	unlink $file;
	# On one CPU with its load, and running only when that rests, the recorder cannot be fast enough.
	my $r = zed_run({ time => $long, memory => 0 }, 'sh', '-c', 'exec "$@"', 'sh', 'taskset', '-c', 0, 'chrt', '-i', 0, $zedtrace, '-o', $file, @opts,
		'-F', "syscalls:sys_enter_write: fd == 1 and comm == \"$my_comm\"", 'syscalls:sys_enter_write',
		'--', 'chrt', '-o', 0, $my_dd, 'if=/dev/zero', 'of=/dev/null', 'bs=1', "count=$COUNT", 'status=none');
	my $report = live_report($r->{err});
	SKIP: {
		ok($report, "$what: a report") or diag $r->{err}, skip 'no report', 9;
		is($r->{exit}, 0, "$what: losing events is no failure of zedtrace") or diag $r->{err};
		adds_up($what, $file, $report);
		cmp_ok($report->{dropped}, '>', 0, "$what: events were lost, as this test needs it");
		is($report->{events} + $report->{dropped}, $COUNT, "$what: events and dropped are what the program did (else: losses are hidden)");
		is($report->{kinds} && eval { my $n = 0; $n += $_ for @{$report->{kinds}}; $n }, $report->{dropped},
			"$what: the kinds of loss add up");
		my $p = zed_run({ time => $long }, 'zedperl', '-e', 'my ($n, $l) = (0, 0); sub trace_unhandled { $n++ }' .
			' sub trace_lost { $l += $_[1] // 0 } sub trace_end { print $n, " ", $n + $l }', $file);
		is($p->{out}, join(' ', $report->{events}, $COUNT), "$what: trace_lost is told all of them (else: scripts trust a trace that lacks most)")
			or diag $p->{err};
	}
}

# ---------------------------------------------------------------- one stream, four readers
for my $o (['at rest', 'sched irq'], ['under load, with losses', '-b 16 raw_syscalls sched']) {
	my ($what, $args) = @$o;
	my $load = $what =~ /load/ ? storm_start(5) : undef;
	my $r = leaves_nothing("$what: tee", sub {
		pipeline("\$ZT -d 1 $args -o - 2>\$D/zt.err | tee \$D/f.zed | \$ZP -i - \$S/countall.pl");
	});
	storm_end($load) if $load;
	is($r->{exit}, 0, "$what: zedperl ends well") or diag $r->{err};
	my $report = live_report(slurp("$dir/zt.err"));
	ok($report, "$what: the report comes on stderr when stdout is a stream too") or diag slurp("$dir/zt.err");
	my $total = 0;
	$total += $1 while $r->{out} =~ /^\w+::\w+: (\d+)$/mg;
	is($total, $report && $report->{events}, "$what: live counts are those of the report");
	my $saved = zed_run({ time => $long }, 'zedperl', "$dir/f.zed", "$scripts/countall.pl");
	is($saved->{out}, $r->{out}, "$what: the saved stream gives the same (else: live and later differ)") or diag $saved->{err};
	my $c = record('--convert', "$dir/f.zed", '-o', "$dir/f.dat");
	is($c->{exit}, 0, "$what: --convert") or diag $c->{err};
	my $dat = zed_run({ time => $long }, 'zedperl', "$dir/f.dat", "$scripts/countall.pl");
	is($dat->{out}, $r->{out}, "$what: and so does the trace.dat made of it") or diag $dat->{err};
	my $stock = stock_count("$dir/f.dat");
	SKIP: {
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $total, "$what: trace-cmd reads that");
	}
	unlink "$dir/f.dat", "$dir/f.zed";
}

# ---------------------------------------------------------------- consumers that end
{
	my $r = leaves_nothing('consumers that end at once, twenty times', sub {
		pipeline('for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ($ZT sched -o - 2>$D/e; echo $? >>$D/rc; cat $D/e >>$D/all) | true; done');
	});
	ok(!$r->{late}, 'a consumer that ends at once ends the recorder (else: the bug of the seed)');
	is(slurp("$dir/rc"), "0\n" x 20, 'each time with exit 0');
	unlike(slurp("$dir/all"), qr/pipe/i, 'and without a word of broken pipes');
	my $load = storm_start(5);
	$r = leaves_nothing('a consumer that ends early', sub {
		pipeline('($ZT raw_syscalls -o - 2>$D/e; echo $? >$D/rc) | (sleep 0.3; head -c 20000000 >$D/cut.zed)');
	});
	storm_end($load);
	ok(!$r->{late}, 'a consumer that ends in the middle ends the recorder');
	is(slurp("$dir/rc"), "0\n", 'exit 0') or diag slurp("$dir/e");
	unlike(slurp("$dir/e"), qr/broken pipe/i, 'quietly');
	$r = zed_run({ time => $long, memory => 0 }, 'zedperl', '-e', 'my $n = 0; sub trace_unhandled { $n++ } sub trace_end { print $n }', "$dir/cut.zed");
	cmp_ok($r->{out} || 0, '>', 1000, 'what it got is readable up to the last whole frame');
	is(scalar @{$r->{lines}}, 1, 'with one line about the rest') or diag $r->{err};
	unlink "$dir/cut.zed";
}

# ---------------------------------------------------------------- filters
# Events and their fields that do not satisfy a Perl expression.
sub outside {
	my ($file, $code) = @_;
	my $r = zed_run({ time => $long }, 'zedperl', '-e',
		"my (\$n, \$bad) = (0, 0); sub trace_unhandled { my (\$e, \$cpu) = \@_; my %f = Zed::fields(); \$n++; return if $code; \$bad++; print STDERR Zed::ts(), qq{ cpu \$cpu \$e \@{[%f]}\\n} }" .
		' sub trace_end { print "$n $bad" }', $file);
	diag $r->{err} if $r->{err} ne '';	# which they are
	return split ' ', $r->{out} =~ /^\d+ \d+$/ ? $r->{out} : "0 error:$r->{err}";
}
{
	my $file = "$dir/filter.dat";
	my $last = $nproc - 1;
	my @work = ('--', 'sh', '-c', "for i in 1 2 3 4 5 6; do (:); taskset -c $last /bin/true; taskset -c 0 /bin/true; sleep 0.05; done");
	for my $f (
		["sched:sched_switch: prev_comm == \"sh\" or next_comm == \"sh\"", '$f{prev_comm} eq "sh" || $f{next_comm} eq "sh"', 'sched:sched_switch'],
		["sched:sched_switch: prev_pid != 0 and next_pid != 0", '$f{prev_pid} && $f{next_pid}', 'sched:sched_switch'],
		["sched:sched_switch: prev_comm==\"sh\"||next_comm==\"sh\"", '$f{prev_comm} eq "sh" || $f{next_comm} eq "sh"', 'sched:sched_switch'],
		["sched:sched_process_fork: not (child_comm == \"sh\")", '$f{child_comm} ne "sh"', 'sched:sched_process_fork'],
		# A field of the event's own goes first, in the kernel too (sched_wake_idle_without_ipi has a cpu).
		["sched: cpu == $last", "(\$f{cpu} // \$cpu) == $last", 'sched'],
		["sched:sched_switch: cpu == 0 and next_prio >= 120", '$cpu == 0 && $f{next_prio} >= 120', 'sched:sched_switch'],
	) {
		my ($filter, $code, $event) = @$f;
		unlink $file;
		my $r = record('-o', $file, '-F', $filter, $event, @work);
		is($r->{exit}, 0, "-F '$filter' is taken") or diag $r->{err};
		my ($n, $bad) = outside($file, $code);
		is($bad, 0, "-F '$filter' keeps out what does not pass ($n events)");
		cmp_ok($n, '>', 0, "-F '$filter' lets something pass") if $filter !~ /not \(|!= 0 and/;
	}
	unlink $file;
	my $r = record('-o', $file, '-F', 'sched: next_pid != 0', 'sched', @work);
	my (@without, @with);
	for my $path (glob "$root/events/sched/*/format") {
		my ($name) = $path =~ m{/(\w+)/format$};
		push @{slurp($path) =~ /\bnext_pid;/ ? \@with : \@without}, $name;
	}
	is($r->{exit}, 0, 'a filter that some events of the subsystem do not take') or diag $r->{err};
	my $sum = dat_events($file);
	like($r->{err}, qr/recorded without this filter: .*, .* \(they have no field 'next_pid'\)$/m, 'of several events: they');
	my @silent = grep { $r->{err} !~ /\bsched::?\Q$_\E\b/ } @without;
	ok(@without && !@silent, 'those that did not take it are told by name (else: unfiltered events pass for filtered ones)')
		or diag "not told: @silent\n$r->{err}";
	my @accused = grep { $r->{err} =~ /\bsched::?\Q$_\E\b/ } @with;
	is("@accused", '', 'and no others');
	my ($n, $bad) = outside($file, '$e ne "sched::sched_switch" || $f{next_pid} != 0');
	is($bad, 0, 'the one that has the field is filtered');
	for my $bad (['sched:sched_switch: no_such_field == 1', qr/no_such_field/], ['sched:sched_switch: next_pid ==', qr/sched_switch/],
		['block: cpu == 1', qr/block/], ['sched:sched_switch', qr/-F|filter/i]) {
		my ($filter, $like) = @$bad;
		my $r = leaves_nothing("-F '$filter'", sub { record('-o', "$dir/none.dat", '-d', '0.1', '-F', $filter, 'sched:sched_switch') });
		is($r->{exit}, 2, "-F '$filter' is refused (else: the trace is not what was asked for)");
		is(scalar @{$r->{lines}}, 1, 'in one line') or diag $r->{err};
		like($r->{err}, $like, 'that says which');
		ok(!-e "$dir/none.dat.zed" && !-e "$dir/none.dat", 'and no file');
	}
}

# ---------------------------------------------------------------- tasks and CPUs
{
	my $file = "$dir/pid.dat";
	my $storm = storm_start(6);
	my $r = record('-o', $file, '-P', $storm, '-d', '0.3', 'raw_syscalls');
	is($r->{exit}, 0, '-P') or diag $r->{err};
	my %pid;
	my $sum = dat_events($file, sub { $pid{$_[3]}++ });
	is_deeply([keys %pid], [$storm], "-P: that task's events and no others (else: -P is no use)");
	unlink $file;
	$r = record('-o', $file, '-c', 'sched:sched_process_exec', 'raw_syscalls', '--', 'sh', '-c', '/bin/true; (/bin/true; :); exit 3');
	is($r->{exit}, 3, '-c with a command') or diag $r->{err};
	%pid = ();
	$sum = dat_events($file, sub { $pid{$_[3]}++ });
	cmp_ok(scalar keys %pid, '>=', 3, '-c: the children of the command are recorded too');
	ok(!$pid{$storm}, '-c: nobody else is (else: what others do is taken for the command)');
	cmp_ok($sum->{name}{'sched::sched_process_exec'} // 0, '>=', 2, '-c: with the events of their start');
	unlink $file;
	my $last = $nproc - 1;
	$r = record('-o', $file, '--cpu', $last, 'sched', '--', 'sh', '-c',
		"for i in 1 2 3; do taskset -c 0 /bin/true; taskset -c $last /bin/true; sleep 0.05; done");
	is($r->{exit}, 0, '--cpu') or diag $r->{err};
	$sum = dat_events($file);
	is(join(' ', grep { $sum->{cpu}{$_} } sort keys %{$sum->{cpu}}), $last, '--cpu: only that CPU');
	storm_end($storm);
	$r = leaves_nothing('--cpu 4095', sub { record('-o', "$dir/none.dat", '--cpu', 4095, '-d', '0.1', 'sched') });
	is("$r->{exit} " . @{$r->{lines}}, '2 1', '--cpu with a CPU that is not there: one line, exit 2') or diag $r->{err};
}

# ---------------------------------------------------------------- clocks
{
	my @clocks = split ' ', slurp("$root/trace_clock") =~ tr/[]//dr;
	my $file = "$dir/clock.dat";
	for my $clock (@clocks) {
		unlink $file;
		my $r = record('-o', $file, '-C', $clock, 'sched', '--', 'sh', '-c', '(:); sleep 0.05');
		my $report = live_report($r->{err});
		is($r->{exit}, 0, "-C $clock") or diag $r->{err};
		my $sum = eval { dat_events($file) } // {};
		is($sum->{clock}, $clock, "-C $clock: the file says so");
		is($sum->{events}, $report && $report->{events}, "-C $clock: all events");
		is(zed_lines($file), $sum->{events}, "-C $clock: zedprint reads it");
		my $stock = stock_count($file);
		SKIP: {
			skip live_cannot(stock_missing()), 1 if !defined $stock;
			is($stock, $sum->{events}, "-C $clock: trace-cmd reads it");
		}
		my $live = pipeline("\$ZT -C $clock -d 0.3 sched -o - 2>\$D/zt.err | \$ZP -i - \$S/countall.pl");
		my ($total, $said) = (0, live_report(slurp("$dir/zt.err")));
		$total += $1 while $live->{out} =~ /^\w+::\w+: (\d+)$/mg;
		is($total, $said && $said->{events}, "-C $clock: nothing is missing in a live pipe") or diag $live->{err}, slurp("$dir/zt.err");
	}
	my $r = leaves_nothing('-C none', sub { record('-o', "$dir/none.dat", '-C', 'none', '-d', '0.1', 'sched') });
	is("$r->{exit} " . @{$r->{lines}}, '2 1', 'a clock that the kernel has not: one line, exit 2') or diag $r->{err};
}

# ---------------------------------------------------------------- buffers, sub-buffers
{
	my $h = live_start('zedtrace', '-o', "$dir/b.dat", '-b', 300, 'sched');
	my $inst = live_ready($h);
	ok($inst, 'an instance of our own, zed.PID.START') or diag live_end($h, 0)->{err};
	my $kb = $inst ? eval { slurp("$inst/per_cpu/cpu0/buffer_size_kb") } // 0 : 0;
	chomp $kb;
	ok($kb >= 300 && $kb < 320, "-b 300: the kernel has given $kb KiB");
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, 'Ctrl-C: exit 0');
	SKIP: {
		skip live_cannot('this kernel has no sub-buffers but pages'), 8 if !-e "$root/buffer_subbuf_size_kb";
		for my $kb (8, 32) {
			my $file = "$dir/s$kb.dat";
			my $load = storm_start(3);
			my $r = record('-o', $file, '-s', $kb, '-d', '0.2', 'raw_syscalls', 'sched');
			storm_end($load);
			my $report = live_report($r->{err});
			is($r->{exit}, 0, "-s $kb") or diag $r->{err};
			next if !$report;
			my $sum = adds_up("-s $kb", $file, $report);
			is($sum->{page}, $kb << 10, "-s $kb: the file says so");
			is(zed_lines($file), $sum->{events}, "-s $kb: zedprint reads all of it");
			unlink $file;
		}
		my $r = leaves_nothing('-s 8 with -o -', sub { pipeline('$ZT -s 8 -d 0.4 sched -o - 2>$D/zt.err | $ZP -i - $S/countall.pl') });
		my ($total, $said) = (0, live_report(slurp("$dir/zt.err")));
		$total += $1 while $r->{out} =~ /^\w+::\w+: (\d+)$/mg;
		is($total, $said && $said->{events}, '-s 8: in a stream too');
	}
}

# ---------------------------------------------------------------- compression
for my $codec (qw(none zlib zstd)) {
	my $file = "$dir/z.dat";
	unlink $file;
	my $load = storm_start(3);
	my $r = record('-o', $file, '-z', $codec, '-b', 4096, '-d', '0.2', 'raw_syscalls', 'sched');
	storm_end($load);
	my $report = live_report($r->{err});
	is($r->{exit}, 0, "-z $codec") or diag $r->{err};
	next if !$report;
	my $sum = eval { dat_events($file) } // {};
	is("$sum->{codec} $sum->{events}", "$codec $report->{events}", "-z $codec: so compressed, all events") or diag $@;
	cmp_ok(-s $file, '<', dat_bytes($sum) / 1.5, "-z $codec: smaller") if $codec ne 'none';
	is(zed_lines($file), $report->{events}, "-z $codec: zedprint reads all of it");
	my $stock = $codec eq 'zlib' ? undef : stock_count($file);
	SKIP: {
		skip 'zlib is not in the trace-cmd of Debian', 1 if $codec eq 'zlib';
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $report->{events}, "-z $codec: and trace-cmd does");
	}
}

# What the recorder itself causes is told where it is much: by its pid in the file.
{
	my $file = "$dir/own.dat";
	my $h = live_start('zedtrace', '-o', $file, '-b', 8192, 'sched', 'kmem');
	live_ready($h) or diag('it does not start');
	sleep 0.7;
	live_signal($h, 'INT');
	my $r = live_end($h);
	my ($said) = $r->{err} =~ /of these, about (\d+) events are zedtrace's own$/m;
	my $own = 0;
	dat_events($file, sub { $own += $_[3] == $h->{pid} });
	cmp_ok(abs($own - ($said // 0)), '<=', 100 + $own / 10,
		"the report tells of $own events that are zedtrace's own (else: '*' feeds itself, and nobody knows)") or diag $r->{err};
}

# The metadata alone are compressed unless told: of an idle time that is nearly all. As trace-cmd prints it, it is the same.
{
	my ($stream, %size, %text) = ("$dir/idle.zed");
	my $r = pipeline('$ZT -o - sched:sched_process_exit -- sh -c "/bin/true; sleep 0.5" >$D/idle.zed');
	is($r->{exit}, 0, 'a few events, saved as a stream') or diag $r->{err};
	for my $how ('', 'none') {
		my $file = "$dir/idle.dat";
		is(record('--convert', $stream, '-o', $file, $how ? ('-z', $how) : ())->{exit}, 0, "converted, -z '$how'");
		$size{$how} = -s $file;
		my $sum = dat_events($file);
		is($sum->{codec}, $how || 'zstd', "-z '$how': what the head names");
		like(zed_run('zedprint', '--summary', $file)->{out}, $how ? qr/compression +none$/m : qr/compression +zstd, the metadata alone$/m, '... and --summary says');
		$text{$how} = [zed_run('zedprint', $file)->{out}, eval { stock_text($file) } // 'none'];
	}
	cmp_ok($size{''}, '<', $size{none} / 4, "an idle second's file: $size{''} bytes, uncompressed $size{none} (else: the kernel's symbols fill the disk)");
	is_deeply($text{''}, $text{none}, 'both print the same events, here and in trace-cmd (else: what is packed is read otherwise)');
}

# ---------------------------------------------------------------- a ring on the disk
for my $codec (qw(none zstd)) {
	my $file = "$dir/ring.dat";
	unlink $file;
	my $began = mono_now();
	my $load = storm_start(6);
	my $r = record('-o', $file, '-z', $codec, '--max-size', '1M', '-d', '1.5', 'raw_syscalls');
	my $ended = mono_now();
	storm_end($load);
	my $report = live_report($r->{err});
	is($r->{exit}, 0, "--max-size, $codec") or diag $r->{err};
	my (%first, %n);	# by CPU: one with few events keeps old ones
	my $sum = eval { dat_events($file, sub { $first{$_[0]} //= $_[2]; $n{$_[0]}++ }) } or diag $@;
	next if !$report || !$sum;
	my ($busy) = sort { $n{$b} <=> $n{$a} } keys %n;
	my $bytes = dat_bytes($sum);
	cmp_ok($bytes, '<=', 1 << 20, "--max-size 1M, $codec: no more than that");
	cmp_ok($bytes, '>', 1 << 18, "--max-size 1M, $codec: and not much less, with this load");
	cmp_ok($report->{events}, '>', $sum->{events}, "--max-size, $codec: the report counts what was recorded, not what was kept");
	ok(scalar(grep { /\b$sum->{events}\b/ } @{$report->{rest}}), "--max-size, $codec: a line tells how many are in the file")
		or diag $r->{err};
	my $end = ($sum->{last} / 1e9 - $began) / ($ended - $began);
	my $begin = ($first{$busy} / 1e9 - $began) / ($ended - $began);
	my $gone = 1 - $sum->{events} / $report->{events};
	ok($end > 0.5 && $begin > 0.15 * $gone, sprintf '--max-size, %s: the newest are kept (from %.2f to %.2f of the time) (else: a flight recorder shows the start)',
		$codec, $begin, $end);
	is(zed_lines($file), $sum->{events}, "--max-size, $codec: zedprint reads it");
	my $stock = stock_count($file);
	SKIP: {
		skip live_cannot(stock_missing()), 1 if !defined $stock;
		is($stock, $sum->{events}, "--max-size, $codec: trace-cmd reads it");
	}
}

# ---------------------------------------------------------------- what a script is for
for my $script (sort glob "$scripts/*.pl") {
	my ($name) = $script =~ m{([^/]+)$};
	next if slurp($script) =~ /^# zedperl: reads no trace itself$/m;	# it runs zedperl with others
	my ($words) = slurp($script) =~ /^# zedtrace: (.*)$/m;
	my $file = "$dir/for.dat";
	unlink $file;
	my $r = record('-o', $file, '--for', $script, '--', 'sh', '-c', '(:); /bin/true; sync; sleep 0.3');
	is($r->{exit}, 0, "--for $name") or diag $r->{err};
	my $sum = eval { dat_events($file) } // {};
	my @asked = map { /:/ ? s/:+/::/r : "${_}::" } grep { !/^-/ } split ' ', $words // '';
	my @other = grep { my $n = $_; !grep { index($n, $_) == 0 } @asked } sort keys %{$sum->{name} // {}};
	is("@other", '', "--for $name: nothing that its line does not name") if @asked && $words !~ /[*?]/;
	my $p = zed_run({ time => $long }, 'zedperl', $file, $script);
	is($p->{exit}, 0, "$name runs on that") or diag $p->{err};
}

# ---------------------------------------------------------------- what is kept out, and what is not
{
	my $file = "$dir/busy.zed";
	pipe my $read, my $write or die "pipe: $!\n";
	open my $to, '>', $file or die "$file: $!\n";
	my $cat = fork // die "fork: $!\n";
	if (!$cat) {
		close $write;
		open STDIN, '<&', $read;
		open STDOUT, '>&', $to;
		exec 'cat' or POSIX::_exit(123);
	}
	close $read;
	my @other = map { storm_start(8) } 1, 2;
	# On the CPU of a load it has to compete with, the recorder is busy with what that makes.
	my $h = live_start({ stdout => $write, child => sub { system "taskset -pc 0 $$ >/dev/null" } }, 'zedtrace', '-o', '-', '--exclude', $other[0],
		'-d', 2, '-b', 2048, 'raw_syscalls', 'timer:hrtimer_expire_entry', 'sched:sched_switch');
	close $write;
	my $r = live_end($h, $long);
	storm_end($_) for @other;
	waitpid $cat, 0;
	is($r->{exit}, 0, 'a recorder that is busy') or diag $r->{err};
	my $p = zed_run({ time => $long, memory => 0 }, 'zedperl', '-e', 'my %n; sub trace_unhandled { $n{Zed::system()}{Zed::pid()}++ }' .
		' sub trace_end { for my $s (sort keys %n) { print "$s $_ $n{$s}{$_}\n" for sort keys %{$n{$s}} } }', $file);
	my %n;
	$n{$1}{$2} = $3 while $p->{out} =~ /^(\S+) (\d+) (\d+)$/mg;
	my $ticks = $n{timer}{$h->{pid}} // 0;
	cmp_ok($ticks, '>=', 4, "timer interrupts that hit while the recorder ran are in the trace ($ticks) (else: the picture of the machine has holes)");
	is($n{raw_syscalls}{$h->{pid}} // 0, 0, 'system calls of the recorder are not (else: it records itself)');
	is($n{raw_syscalls}{$cat} // 0, 0, 'nor those of the process that reads its pipe');
	cmp_ok($n{sched}{$cat} // 0, '>', 0, 'whose other events are');
	is($n{raw_syscalls}{$other[0]} // 0, 0, '--exclude keeps another one out');
	cmp_ok($n{raw_syscalls}{$other[1]} // 0, '>', 1000, 'and nobody else');
	my ($said) = grep { /exclude|kept out/i } @{$r->{lines}};
	ok($said, 'the report says what was excluded') or diag $r->{err};
	like($said // '', qr/\b$_\b/, "it names process $_") for $h->{pid}, $cat, $other[0];
	unlink $file;
}

# ---------------------------------------------------------------- an event that comes
# The offset in the file of an ELF program's entry point.
sub entry_offset {
	my $bytes = slurp($_[0]);
	return undef if substr($bytes, 0, 6) ne "\x7fELF\x02\x01";
	my ($entry, $phoff) = unpack 'x24 Q< Q<', $bytes;
	my ($size, $n) = unpack 'x54 v v', $bytes;
	for (0 .. $n - 1) {
		my ($type, undef, $off, $vaddr, undef, $filesz) = unpack 'V V Q< Q< Q< Q<', substr $bytes, $phoff + $_ * $size, $size;
		return $entry - $vaddr + $off if $type == 1 && $entry >= $vaddr && $entry < $vaddr + $filesz;
	}
	return undef;
}
sub probe {
	open my $fh, '>>', "$root/uprobe_events" or return 0;
	return syswrite($fh, "$_[0]\n") && close $fh;
}
SKIP: {
	my $own = "$dir/true73";
	copy('/bin/true', $own) or die "$own: $!\n";
	chmod 0755, $own;
	my $at = entry_offset($own);
	my $group = "zedtest$$";
	skip live_cannot('no uprobe can be made here, so no event comes while we record'), 6
		if !defined $at || !probe(sprintf 'p:%s/first %s:0x%x', $group, $own, $at);
	my $h = live_start({ stdout => "$dir/new.zed" }, 'zedtrace', '-o', '-', $group);
	my $ready = live_ready($h);
	ok($ready, 'recording a uprobe') or diag live_end($h, 0)->{err};
	system $own for 1 .. 3;
	ok(probe(sprintf 'p:%s/second %s:0x%x', $group, $own, $at), 'another event comes while we record');
	ok(live_until(10, sub { (eval { slurp("$ready/events/$group/second/enable") } // '') =~ /^1/ }), 'it is switched on') if $ready;
	system $own for 1 .. 5;
	sleep 0.3;
	live_signal($h, 'INT');
	my $r = live_end($h);
	is($r->{exit}, 0, 'exit 0') or diag $r->{err};
	probe("-:$group/$_") or diag "the uprobe $group/$_ cannot be removed: $!" for qw(first second);
	# The frames of docs/zed-stream.pod: a head of 16 bytes, then kind, length, payload.
	my ($bytes, $off, @kinds, @formats) = (slurp("$dir/new.zed"), 16);
	while ($off + 8 <= length $bytes) {
		my ($kind, $len) = unpack 'V V', substr $bytes, $off;
		push @kinds, $kind;
		push @formats, substr $bytes, $off + 8, $len if $kind == 6;
		$off += 8 + $len;
	}
	is(scalar(grep { /^$group\0name: second$/m } @formats), 1, 'its format stands in the stream (else: readers cannot decode it)');
	my $p = zed_run('zedperl', "$dir/new.zed", "$scripts/countall.pl");
	is($p->{out}, "event counts:\n${group}::first: 8\n${group}::second: 5\n", 'and its events reach handlers') or diag $p->{err};
}

done_testing();
