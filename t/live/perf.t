# SPDX-License-Identifier: GPL-2.0-or-later
#
# What perf records here and now, read by perf script and by us: every event with its time, CPU, task, name and
# call chain, from a file, compressed, and from a pipe while it is written.  Without it a perf
# or a kernel that writes otherwise than those of the kept recordings would go unseen.
#
# of: reader/perf
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Pass;
use Run::Live;
use Run::Process;
use Run::Program qw(:DEFAULT same spew);

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my ($perf) = grep { -x } map { "$_/perf" } split /:/, $ENV{PATH};
my $may = $perf ? zed_run({ time => 30 }, $perf, 'record', '-q', '-o', '/dev/null', '-e', 'raw_syscalls:sys_enter', '/bin/true') : undef;
my $why = !$perf ? 'perf is not here (Debian: linux-perf)' : $may->{exit} ? "perf cannot record tracepoints: $may->{lines}[0]" : undef;

my $dir = zed_tmp();
my $zedprint = zed_bin('zedprint');
my @events = ('-e', 'sched:sched_switch,sched:sched_wakeup,sched:sched_process_fork,sched:sched_process_exit,raw_syscalls:*');
# Processes with names that change, system calls that fail and succeed.
my @load = ($^X, '-e', <<'EOT');
for my $n (1 .. 5) {
	my $pid = fork // die;
	if (!$pid) {
		$0 = "child $n";
		open my $fh, '<', '/proc/self/stat' or die;
		my $line = <$fh>;
		open $fh, '<', '/none' for 1 .. 20;
		select undef, undef, undef, 0.001;
		exit 0;
	}
	waitpid $pid, 0;
}
EOT

# The addresses of each sample, by its CPU and time.  Beside the text perf shows offsets in files instead.
sub chains {
	my ($path) = @_;
	zed_run({ time => 60, stdout => "$dir/dump" }, $perf, 'script', '-D', '-i', $path);
	my (%of, $chain);
	open my $fh, '<', "$dir/dump" or die "$dir/dump: $!\n";
	while (<$fh>) {
		$chain = $of{"$1 $2"} = [] if /^(\d+) (\d+) 0x\w+ \[\w+\]: PERF_RECORD_SAMPLE/;
		# Marks between addresses are the last page.
		push @$chain, $1 if $chain && /^\.\.\.\.\.\s+\d+: 0*([0-9a-f]+)$/ && $1 !~ /^f{13}/;
		undef $chain if /^$/;
	}
	return \%of;
}

# Lines of "time cpu event task name (system call and result): addresses" out of perf script's text.
sub perfs {
	my ($path) = @_;
	my $r = zed_run({ time => 60, stdout => "$dir/script" }, $perf, 'script', '-i', $path, '--ns', '-F', 'comm,tid,cpu,time,event,trace');
	my $chains = chains($path);
	my (@rows, $part);
	open my $fh, '<', "$dir/script" or die "$dir/script: $!\n";
	while (<$fh>) {
		if (/^\s*(.{1,16}?)\s+(-?\d+) \[(\d+)\]\s+(\d+)\.(\d+):\s+(\w+):(\w+): (.*?)\s*$/) {
			my ($comm, $tid, $cpu, $s, $ns, $system, $name, $text) = ($1, $2, $3, $4, $5, $6, $7, $8);
			# A name has 16 places, from the right: what begins with no blank is the rest of one with a newline.
			$comm = "$part\n$comm" if length($part // "") && /^\S/;
			undef $part;
			my $call = $text =~ /^NR (-?\d+) = (-?\d+)/ ? " $1 $2" : $text =~ /^NR (-?\d+) \(/ ? " $1" : '';
			push @rows, [$s * 1_000_000_000 + $ns, $cpu + 0, "${system}::$name", $tid, $comm, $call,
				$chains->{$cpu + 0 . " $s$ns"} // []];
		} else {
			chomp;
			$part = s/^\s+//r;
		}
	}
	return @rows;
}

sub ours {
	my ($text) = @_;
	my @rows;
	for (split /\n/, $text) {
		my $e = JSON::PP::decode_json($_);
		next if !$e->{event};
		my $f = $e->{fields};
		my $call = $e->{event} eq 'raw_syscalls::sys_exit' ? " $f->{id} $f->{ret}" : $e->{event} eq 'raw_syscalls::sys_enter' ? " $f->{id}" : '';
		push @rows, [@$e{qw(ts cpu event pid comm)}, $call, [map { sprintf '%x', $_ } @{$e->{callchain} // []}]];
	}
	return @rows;
}

# A task that ends has no number any more by the time that perf asks, and idle ones another name.
sub lines {
	my ($theirs, $rows) = @_;
	my @lines;
	for my $i (0 .. $#$rows) {
		my ($ts, $cpu, $event, $pid, $comm, $call, $chain) = @{$rows->[$i]};
		# A task that was there before the recording, and gone before perf could look: it has no name in the file.
		$comm = '?' if $comm eq ":$pid" || $comm eq '<...>';
		($pid, $comm) = ('-', '-') if !$theirs->[$i] || $theirs->[$i][3] <= 0;
		push @lines, "$ts $cpu $event $pid $comm$call: @$chain";
	}
	return join "\n", @lines;
}

sub equal {
	my ($what, $path, $text) = @_;
	my @theirs = perfs($path);
	my @mine = ours($text);
	cmp_ok(scalar @theirs, '>', 300, "$what: " . @theirs . ' events');
	# Of two of one time, from two CPUs, either may come first.
	my $by = sub { $_[0][0] <=> $_[1][0] || $_[0][1] <=> $_[1][1] };
	@$_ = sort { $by->($a, $b) } @$_ for \@theirs, \@mine;
	same(lines(\@theirs, \@mine), lines(\@theirs, \@theirs), "$what: each event is perf's (else: a script gets other values than from perf script)");
	return;
}

sub json { my $r = zed_run({ time => 60 }, 'zedprint', '-f', 'json', @_); is("$r->{exit} $r->{err}", '0 ', "$_[-1] is read without a word"); return $r->{out} }

SKIP: {
	skip live_cannot($why), 1 if defined $why;

	# Beside each other: each waits for a second before it begins, and as it ends.
	my @how = map { { what => $_->[0], args => $_->[1], path => "$dir/" . ($_->[0] =~ tr/ /_/r) . '.data' } }
		['a file', []], ['call chains', ['-g']], ['compressed call chains', ['-g', '-z']], ['another clock', ['-k', 'mono']];
	@how = $how[0] if small();
	$_->{pid} = spawn({ stderr => "$_->{path}.err" }, $perf, 'record', '-q', @{$_->{args}}, @events, '-o', $_->{path}, '--', @load) for @how;
	($_->{status}) = reap($_->{pid}, 60) for @how;
	for my $how (@how) {
		if ($how->{status}) {
			SKIP: { skip live_cannot('perf cannot: ' . slurp("$how->{path}.err") =~ s/\n.*//sr), 1 }
			next;
		}
		equal($how->{what}, $how->{path}, json($how->{path}));
	}
	last SKIP if small();

	# Symbols of the kernel's call chains: those of /proc/kallsyms, as perf reads them.
	{
		my $path = "$dir/symbols.data";
		my $modules = '/usr/lib/perf-core/scripts/perl/Perf-Trace-Util/lib';
		my $kallsyms = spew("$dir/kallsyms", slurp('/proc/kallsyms'));
		my $script = spew("$dir/symbols.pl", <<'EOT');
use Perf::Trace::Core;
$| = 1;	# perf may die at its end, without what perl has not written yet
sub trace_unhandled {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;
	print join(' ', $event_name, $common_cpu, $common_secs, $common_nsecs, map { my $s = $_->{sym};
		!($_->{ip} >> 63) ? () : sprintf '%x=%s', $_->{ip}, $s ? sprintf('%s,%x-%x,%s', @$s{qw(name start end)}, $_->{dso}) : '?' } @$common_callchain), "\n";
}
sub trace_end { print "end\n" }
EOT
		my $r = zed_run({ time => 60 }, $perf, 'record', '-q', '-g', @events, '-o', $path, '--', @load);
		# Its own engine dies now and then, of its stack: what it printed is compared if it had come to the end.
		my ($theirs, $whole);
		for (1 .. 3) {
			$theirs = zed_run({ time => 60, env => { PERL5LIB => $modules } }, $perf, 'script', '-i', $path, '-s', $script);
			$whole = $theirs->{out} =~ /^end$/m;
			last if $whole || !$theirs->{signal};
		}
		SKIP: {
			skip live_cannot("perf script has no Perl: @{$theirs->{lines}}[0 .. 0]"), 1 if $r->{exit} || $theirs->{exit} && !$theirs->{signal} || !-d $modules;
			skip live_cannot("perf script dies before its end: signal $theirs->{signal}, $theirs->{seconds} s"), 1 if !$whole;
			$r = zed_run({ time => 60 }, 'zedperl', '--kallsyms', $kallsyms, $path, $script);
			is("$r->{exit} $r->{err}", '0 ', '--kallsyms of this boot: without a word');
			cmp_ok(scalar(() = $r->{out} =~ /=\w/g), '>', 300, 'kernel addresses have symbols');
			# Of several names of one address perf takes the last, and we the first, as trace-cmd does: any of them.
			my %names;
			/^0*([0-9a-f]+) \S (\S+)/ && push @{$names{$1}}, $2 for split /\n/, slurp($kallsyms);
			my $any = sub {
				my ($text) = @_;
				$text =~ s{=([^,\s]+),([0-9a-f]+)-}{
					my @of = @{$names{$2} // []};
					'=' . (@of > 1 && (grep { $_ eq $1 } @of) ? join('|', @of) : $1) . ",$2-"
				}ge;
				return join "\n", sort split /\n/, $text;
			};
			same($any->($r->{out}), $any->($theirs->{out}),
				'each kernel address has the symbol, from where to where, and the file that perf has for it');
		}
	}

	# A directory, with a file for each thread of perf's.
	{
		my $path = "$dir/threads.data";
		my $r = zed_run({ time => 60 }, $perf, 'record', '-q', '--threads', @events, '-o', $path, '--', @load);
		SKIP: {
			skip live_cannot("perf cannot: @{$r->{lines}}[0 .. 0]"), 1 if $r->{exit} || !-d $path;
			equal('a directory', $path, json($path));
		}
	}

	# A script of perf's, on what is traced now: what it counts is what a by-name handler counts.
	{
		my $script = spew("$dir/count.pl", <<'EOT');
use Perf::Trace::Core;
my (%n, %same);
sub raw_syscalls::sys_exit {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain, $id, $ret) = @_;
	$n{perf}++;
	$same{join ' ', $event_name, map { $_ ? 1 : 0 } $common_cpu == Zed::cpu(), $common_secs * 1_000_000_000 + $common_nsecs == Zed::ts(),
		$common_pid == Zed::pid(), $id == Zed::field('id'), $ret == Zed::field('ret'), ref $common_callchain eq 'ARRAY'}++;
	Zed::stop() if $n{perf} == 1000;
}
sub trace_end { print map { "$_\n" } sort keys %same }
EOT
		my $r = zed_run({ time => 60 }, 'sh', '-c', '(for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; cat /etc/passwd /etc/group; done >/dev/null) & exec "$@"', 'sh',
			zed_bin('zedperl'), '--live', $script);
		is($r->{out}, "raw_syscalls::sys_exit 1 1 1 1 1 1\n", 'a script of perf\'s runs live, with the right arguments') or diag $r->{err};
	}

	# As it comes: what is piped is kept as well, for perf.
	{
		my $path = "$dir/pipe.data";
		my $load = join ' ', map { s/'/'\\''/gr =~ s/.*/'$&'/sr } @load;
		my $r = zed_run({ time => 60 }, 'sh', '-c', "'$perf' record -q -g @events -o - -- $load 2>/dev/null | tee '$path' | '$zedprint' -f json -i -");
		is("$r->{exit} $r->{err}", '0 ', 'perf record -o - | zedprint -i -: without a word');
		equal('a pipe', $path, $r->{out});
	}
}

done_testing();
