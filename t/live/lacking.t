# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kernels that lack something, and files that cannot be read, made of this one by a library that opens others:
# what is there is recorded, and what is not is said.
#
# of: kernel record programs/zedtrace
# runs: make check
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
my $root = live_root();
my $shim = File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so');
-e $shim or die "$shim is not there: run make check\n";
my %asan = $ENV{ZED_SAN} ? (ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0') : ();
my ($cpu) = map { m{cpu(\d+)$} } reverse sort glob "$root/per_cpu/cpu*";
my @work = ('--', 'sh', '-c', 'for i in 1 2 3 4 5; do (:); /bin/true; done');

sub without {
	my ($how, @cmd) = @_;
	my $r;
	leaves_nothing("$how: @cmd[0 .. 1]", sub {
		$r = zed_run({ time => 60, memory => 0, env => { LD_PRELOAD => $shim, ZED_SHIM => $how, %asan } }, @cmd);
	});
	return $r;
}

# ---- a clock
my $clocks = slurp("$root/trace_clock");
put_text("$dir/clocks", $clocks =~ s/\s?\[?mono\]?(?=\s)//r) or die $!;
unlike(slurp("$dir/clocks"), qr/\bmono\b/, 'the kernel that is made up has no clock mono');
my $r = without("swap=trace_clock:$dir/clocks", 'zedtrace', '-o', "$dir/c.dat", 'sched', @work);
is($r->{exit}, 0, 'a kernel without the clock mono: recorded all the same') or diag $r->{err};
like($r->{err}, qr/no clock mono: recorded with local/, 'and said (else: times do not compare with those of programs)');
like(zed_run({ time => 60 }, 'zedprint', '--summary', "$dir/c.dat")->{out}, qr/clock\s+local/, 'with the clock local');
$r = without("swap=trace_clock:$dir/clocks", 'zedtrace', '-C', 'mono', '-o', "$dir/d.dat", 'sched', @work);
is($r->{exit}, 2, 'who asks for it is refused');
like($r->{err}, qr/no clock 'mono': it has .*\blocal\b/, 'and told what there is');
$r = without("swap=trace_clock:$dir/clocks", 'zedperl', '--live=sched', '-e',
	'my $n = 0; sub trace_unhandled { Zed::stop() if ++$n == 20 } sub trace_end { print $n }');
is("$r->{exit} $r->{out}", '0 20', 'zedperl --live does without it, too') or diag $r->{err};

# ---- events that tell of names
{
	put_text("$dir/events", join '', grep { !/^task:/ } map { "$_\n" } split /\n/, slurp("$root/available_events")) or die $!;
	for my $out ("$dir/names.dat", '-') {
		my $r = without("swap=available_events:$dir/events", 'sh', '-c', 'exec "$@" > ' . "$dir/names.zed", 'sh', zed_bin('zedtrace'),
			'-v', '-o', $out, 'sched', @work);
		is($r->{exit}, 0, "-o $out: a kernel that does not tell of names: recorded all the same") or diag $r->{err};
		like($r->{err}, qr/the kernel does not report new tasks and names/, 'which -v says');
		my $file = $out eq '-' ? "$dir/names.zed" : $out;
		my $json = zed_run({ time => 60 }, 'zedprint', '-f', 'json', $file)->{out};
		like($json, qr/"comm":"rcu_[a-z_]+"|"comm":"(?:sh|perl|zedtrace)"/, 'names are those of /proc and the kernel\'s list');
	}
	my $r = without("swap=available_events:$dir/events", 'zedperl', '-v', '--live=sched:sched_switch', '-e',
		'my $n = 0; sub sched::sched_switch { $n += Zed::comm() ne "<...>"; Zed::stop() if $n == 5 } sub trace_end { print $n }');
	is("$r->{exit} $r->{out}", '0 5', 'zedperl --live does without them, too') or diag $r->{err};
}

# ---- splice to a pipe: the kernel's own pages must not be left in one that outlives the instance
{
	my $out = "$dir/copied.zed";
	my $r = without('nosplice', 'sh', '-c', 'exec "$@" | cat >' . $out, 'sh', zed_bin('zedtrace'), '-o', '-', 'sched', 'raw_syscalls', '--', 'sh', '-c',
		'for i in 1 2 3 4 5 6 7 8 9; do (:); /bin/true; done; dd if=/dev/zero of=/dev/null bs=1 count=20000');
	unlike($r->{err}, qr/cannot write/, 'to a pipe pages are copied, not spliced (else: a reader that ends after us makes the kernel use freed memory)') or diag $r->{err};
	my ($total) = $r->{err} =~ /^Total: (\d+) events/m;
	my $n = zed_run({ time => 60 }, 'zedperl', '-e', 'my $n = 0; sub trace_unhandled { $n++ } END { print $n }', $out)->{out};
	cmp_ok($n, '>=', 20000, 'whole pages among them') or diag $r->{err};
	is($n, $total, 'all of them (else: the copy loses or doubles some)');
}

# ---- a CPU
SKIP: {
	skip live_cannot('one CPU only'), 8 if !$cpu;
	my $on = join ' ; ', map { "taskset -c $_ /bin/true" } 0, $cpu;
	$r = without("deny=cpu$cpu/trace_pipe_raw", 'zedtrace', '-o', "$dir/p.dat", 'sched', '--', 'sh', '-c', $on);
	is($r->{exit}, 1, "a CPU's file that cannot be read: exit 1, as something is missing") or diag $r->{err};
	like($r->{err}, qr/CPU $cpu will be missing/, 'and it is said which (else: half a trace passes for one)');
	my $sum = dat_events("$dir/p.dat");
	cmp_ok($sum->{cpu}{0} // 0, '>', 0, 'the others are recorded');
	is($sum->{cpu}{$cpu} // 0, 0, 'that one is not');
	my $report = live_report($r->{err});
	cmp_ok($report->{dropped}, '>', 0, 'what it had counts as dropped (else: the numbers do not add up)');
	$r = without("deny=cpu$cpu/trace_pipe_raw", 'zedperl', '--live=sched', '-e',
		'my %n; sub trace_unhandled { $n{$_[1]}++; Zed::stop() if $n{$_[1]} == 20 } sub trace_end { print join " ", keys %n }');
	is($r->{out}, 0, 'zedperl --live reads the others') or diag $r->{err};
	like($r->{err}, qr/CPU $cpu will be missing/, 'and says so');
}

# ---- texts that only help
for my $text (qw(kallsyms printk_formats saved_cmdlines)) {
	my $r = without("deny=/$text", 'zedtrace', '-o', "$dir/t.dat", 'sched', @work);
	ok($r->{exit} <= 1, "without $text: recorded") or diag $r->{err};
	cmp_ok(eval { dat_events("$dir/t.dat")->{events} } // 0, '>', 10, "without $text: the file is whole");
}

done_testing();
