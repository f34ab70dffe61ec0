# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf's own Perl scripts, and one that prints every argument, under perf script and under zedperl: on the small
# recordings of t/data/perf, and on some that perf makes here and now.  What differs stands in %differs, with the
# reason, and in zedperl-perf(7).
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(:DEFAULT same spew);

sub has { my ($name) = @_; return grep { -x "$_/$name" } split /:/, $ENV{PATH} }
plan skip_all => 'perf is not here (apt-get install linux-perf)' if !has('perf');
my ($exec) = grep { -d "$_/scripts/perl" } $ENV{PERF_EXEC_PATH} // (), '/usr/lib/perf-core', '/usr/libexec/perf-core';
plan skip_all => 'this perf has no Perl scripts' if !$exec;
my $dir = zed_tmp();
my $nothing = spew("$dir/nothing.pl", "use lib '$exec/scripts/perl/Perf-Trace-Util/lib'; use Perf::Trace::Core; sub trace_end { print \"runs\\n\" }\n");
plan skip_all => 'this perf was built without Perl'
	if `perf script -f -i t/data/perf/sched.data -s $nothing 2>&1` !~ /^runs$/m;

# Hashes come in one order in both.
$ENV{PERL_HASH_SEED} = $ENV{PERL_PERTURB_KEYS} = 0;
$ENV{PERF_EXEC_PATH} = $exec;

my %args = ('rw-by-file' => ['cat']);
my @scripts = sort map { m{([^/]+)\.pl$} } glob "$exec/scripts/perl/*.pl";
ok(@scripts > 4, 'perf has scripts');

# SCRIPT => what is made of its output before it is compared, and why.
my %differs = (
	# Perf gives it target_cpu in the place of success, so that it finds no wakeup at all.
	'wakeup-latency' => sub { join "\n", grep { !/^(?:total_wakeups|(?:avg|min|max)_wakeup_latency)/ } split /\n/, $_[0], -1 },
	# It prints with %p where its variables are in memory.
	'check-perf-trace' => sub { $_[0] =~ s/\b(call_site|ptr)=[0-9a-f]+/$1=/gr },
	# It prints once a second, by the clock.
	'rwtop' => sub { $_[0] =~ s/.*\e\[H\e\[2J//sr },
);

# What perf prints.  Its own engine dies now and then, of its stack (see below): undef if it does so three times.
my $dead = 0;
sub perf_out {
	my ($file, @words) = @_;
	for (1 .. 3) {
		open my $p, '-|', 'sh', '-c', 'exec 2>/dev/null; exec perf script "$@"', 'sh', '-f', '-i', $file, @words or die "perf: $!\n";
		local $/;
		my $out = <$p>;
		return $out // '' if close $p;
	}
	diag("perf script @words dies");
	$dead++;
	return undef;	## no critic (ProhibitExplicitReturnUndef)
}

sub compare {
	my ($what, $file, $script, @words) = @_;
	my ($name) = $script =~ m{([^/]+)\.pl$};
	my $want = perf_out($file, '-s', $script, @words) // return;
	my $r = zed_run('zedperl', '-i', $file, $script, @words);
	my $got = $r->{out};
	ok($r->{exit} == 0 && $r->{signal} == 0 && !$r->{late}, "$what: $name.pl runs") or diag $r->{err};
	if (my $plain = $differs{$name}) {
		$_ = $plain->($_) for $want, $got;
	}
	same($got, $want, "$what: $name.pl prints what it prints under perf, unchanged");
	return;
}

# ---- the small recordings ----

for my $name (qw(sched sys_z pipe_z_g)) {
	compare($name, "t/data/perf/$name.data", "$exec/scripts/perl/$_.pl", @{$args{$_} // []}) for @scripts;
}

# ---- process_event ----

# All bytes that perf gives it, but for what stands behind the numbers in its struct perf_sample: pointers of its own.
my $process = spew("$dir/process.pl", <<'EOT');
use lib "$ENV{PERF_EXEC_PATH}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core;
sub process_event {
	my ($event, $attr, $sample, $raw) = @_;
	print scalar(@_), map({ ' ' . unpack 'H*', $_ } $event, $attr, substr $sample, 0, 136), ' ', defined $raw ? unpack 'H*', $raw : 'undef', "\n";
}
sub raw_syscalls::sys_enter { print "sys_enter\n" }
EOT

sub compare_process {
	my ($what, $file) = @_;
	my $want = perf_out($file, '-s', $process) // return;
	my $r = zed_run({ time => 60 }, 'zedperl', '-i', $file, $process);
	same($r->{out}, $want, "$what: process_event gets perf's bytes, in its turn (else: what it unpacks is another number)");
	return;
}

compare_process($_, "t/data/perf/$_.data") for qw(sched rawsys_g sys_z pipe_z_g forks_mono bigendian);

# ---- zedperl -g --perf ----

for my $name (qw(rawsys_g sys_z pipe_z_g)) {
	my $g = spew("$dir/starter.pl", zed_run('zedperl', '-g', '--perf', "t/data/perf/$name.data")->{out});
	my $want = perf_out("t/data/perf/$name.data", '-s', $g) // next;
	my $got = zed_run('zedperl', '-i', "t/data/perf/$name.data", $g)->{out};
	# Arrays are 0 there, and names of addresses are read from this machine.
	$got =~ s/\[[-\d ]+\]$/0/mg;
	s/^(\t\[\w+\]) .*/$1/mg for $got, $want;
	s/(\w+=)[^,\n]*(?=, |$)/$1/mg for $name eq 'rawsys_g' ? () : ($got, $want);
	same($got, $want, "$name: perf runs the script of -g --perf too (else: its shape is not perf's)");
}

# ---- recordings of this machine ----

# Arrays are 0 there, and a task that has ended is ":-1"; symbols are read from programs.  A signed number of less
# than 8 bytes that is negative comes without its sign.
my $printall = spew("$dir/printall.pl", <<'EOT');
use lib "$ENV{PERF_EXEC_PATH}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core; use Perf::Trace::Context; use Perf::Trace::Util;
sub q_ { my $s = shift; return 'undef' unless defined $s; return '0' if ref $s; $s =~ s/([^ -~]|[\\|])/sprintf "\\x%02x", ord $1/ge; $s }
sub trace_begin { print "begin\n" }
sub trace_end { print "end\n" }
sub trace_unhandled {
	my ($ev, $ctx, $cpu, $s, $ns, $pid, $comm, $cc, @f) = @_;
	printf "%s|%s|%d|%d|%s|%s|%s|%s|%s|%s\n", $ev, $cpu, $s, $ns, $pid, q_($comm), join(' ', map { sprintf '%x%s', $_->{ip}, defined $_->{dso} ? "\@$_->{dso}" : '' } @$cc), common_pc($ctx), common_flags($ctx), join('|', map { q_($_) } @f);
}
EOT

sub record {
	my ($file, $words, @command) = @_;
	my $r = zed_run({ time => 60, memory => 0 }, 'sh', '-c', "cd / && exec perf record -q -o '$file' $words -- \"\$@\"", 'sh', @command);
	return -s $file && $r->{exit} == 0;
}

# The same but for what %differs says of arguments; the first difference is shown.
sub compare_all {
	my ($what, $file) = @_;
	my @want = split /\n/, perf_out($file, '-s', $printall) // return 1;
	my $r = zed_run({ time => 60 }, 'zedperl', '-i', $file, $printall);
	my @got = split /\n/, $r->{out};
	is($r->{exit}, 0, "$what: every argument is printed") or diag $r->{err};
	my ($values, $ended, $negative) = (0, 0, 0);
	for my $i (0 .. $#want) {
		my @w = split /\|/, $want[$i], -1;
		my @g = split /\|/, $got[$i] // '', -1;
		for my $k (0 .. $#w) {
			$values++;
			next if defined $g[$k] && $g[$k] eq $w[$k];
			if ($k == 5 && $w[$k] eq ':-1') {
				$ended++;
				next;
			}
			# It pushes what it calls the subs with a second time, and forgets that: a sub that takes all sees
			# some of it behind the fields whenever perl's stack has grown.
			last if $k > 8 && $k == @g && $w[$k] eq $w[0];
			if ($k > 8 && defined $g[$k] && $g[$k] =~ /^-\d+$/ && $w[$k] =~ /^\d+$/ && $g[$k] + 2**32 == $w[$k]) {
				$negative++;
				next;
			}
			fail("$what: argument $k of event $i is perf's");
			diag("got  $got[$i]\nwant $want[$i]");
			return 0;
		}
	}
	ok(@want > 12 && @got == @want, "$what: all of the $values arguments of " . @want . " events are perf's")
		or diag scalar(@got) . ' events, perf has ' . @want;
	note "$ended names of ended tasks, $negative negative numbers";
	return 1;
}

SKIP: {
	skip 'recording takes root and a tracefs', 1 if $> != 0 || !record("$dir/try.data", '-e sched:sched_switch -a', 'true');
	my $work = 'for i in 1 2 3 4 5 6 7 8 9 10; do cat /etc/passwd /no-such-file | head -2; done > /dev/null 2>&1; sleep 0.05';
	compare_process('samples of a clock', "$dir/clock.data")
		if record("$dir/clock.data", '-e cpu-clock -F 999 -g -d -W', 'sh', '-c', 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done');
	my %recordings = (
		'sched' => "-e 'sched:*' -a",
		'raw_syscalls with call chains' => "-e 'raw_syscalls:*' -g",
		'system calls' => "-e 'syscalls:sys_*_read' -e 'syscalls:sys_*_write' -e 'syscalls:sys_*_openat' -e 'syscalls:sys_*_execve' -e 'raw_syscalls:*'",
		'system calls, compressed' => "-z -e 'syscalls:sys_*_read' -e 'syscalls:sys_*_write'",
		'interrupts, allocations' => "-e 'irq:*' -e kmem:kmalloc -e 'timer:hrtimer_start' -e 'timer:timer_start' -a",
		'workqueues, block' => "-e 'workqueue:*' -e 'block:*' -a",
	);
	for my $what (sort keys %recordings) {
		my $file = "$dir/" . $what =~ tr/a-z//cdr . '.data';
		if (!record($file, $recordings{$what}, 'sh', '-c', $work)) {
			diag("perf cannot record $what here");
			next;
		}
		next if !compare_all($what, $file) || $what !~ /^(?:sched|system calls|interrupts, allocations)$/;
		compare($what, $file, "$exec/scripts/perl/$_.pl", @{$args{$_} // []}) for @scripts;
		next if $what ne 'sched' || !grep { $_ eq 'wakeup-latency' } @scripts;
		my $r = zed_run('zedperl', '-i', $file, "$exec/scripts/perl/wakeup-latency.pl");
		like($r->{out}, qr/^total_wakeups: [1-9]/m, 'wakeup-latency.pl finds wakeups (perf: none since Linux 5.14)');
		like($r->{err}, qr/^zedperl: sub sched::sched_wakeup was written for another kernel's [^\n]*\n\z/, '... and it is said once why');
	}
}

cmp_ok($dead, '<', 3, 'perf itself did not die often (else: nothing is compared)');
done_testing();
