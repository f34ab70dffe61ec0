# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of tasks that live for a moment, on the running kernel: live, through a pipe, over the network, from a
# saved stream and from what is made of it, each event has the name that its task had then, and all agree.
#
# of: trace/comms record/task_names.c record/comm_text.c record/sideband.c
# Without it: calls are told of another program, or of "<...>".
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my $root = live_root();
my $cpus = live_lock('cpus');
my $dir = zed_tmp();
my $TASKS = 40;

# Tasks of a few milliseconds: each makes 3 calls under its parent's name, 4 under one of its own, 5 under one
# with a newline that looks like a line of another task, and becomes another program.
my $load = spew("$dir/load.pl", <<"EOT");
use POSIX ();
for my \$i (1 .. $TASKS) {
	my \$pid = fork;
	if (!\$pid) {
		getppid for 1 .. 3;
		\$0 = "own\$i";
		getppid for 1 .. 4;
		\$0 = "\$i\\n1 evil";
		getppid for 1 .. 5;
		exec '/bin/true' or POSIX::_exit(0);
	}
	waitpid \$pid, 0;
}
EOT
my @load = ($^X, $load);

# What a script sees: a line "PID NAME N" for each two, and what else it was given.
my $script = spew("$dir/count.pl", <<'EOT');
my (%n, %calls, %other);
sub raw_syscalls::sys_exit { $n{Zed::pid() . ' ' . Zed::comm()}++ }
sub syscalls::sys_enter_getppid { $calls{Zed::pid() . ' ' . Zed::comm()}++ }
sub trace_unhandled { $other{$_[0]}++ }
sub trace_end {
	my $shown = sub { $_[0] =~ s/\n/\\n/gr };
	print 'exit ', $shown->($_), " $n{$_}\n" for sort keys %n;
	print 'call ', $shown->($_), " $calls{$_}\n" for sort keys %calls;
	print "other $_\n" for sort keys %other;
}
EOT
my @events = qw(raw_syscalls:sys_exit syscalls:sys_enter_getppid);

# At most one event in a thousand has no name, and each call has the one of its time.
sub names_ok {
	my ($what, $text) = @_;
	my ($all, $nameless) = (0, 0);
	my %calls;
	for (split /\n/, $text) {
		/^exit (\d+) (.*) (\d+)$/ and $all += $3, $nameless += $2 eq '<...>' ? $3 : 0;
		/^call (\d+) (.*) (\d+)$/ and $calls{$2} += $3;
	}
	my @bad = grep { ($calls{"own$_"} // 0) != 4 || ($calls{"$_\\n1 evil"} // 0) != 5 } 1 .. $TASKS;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($all > 10 * $TASKS && $nameless <= $all / 1000,
		"$what: events of tasks that live for a moment have names (else: they are told of \"<...>\")")
		or diag("$nameless of $all have none");
	ok(!@bad, "$what: the name is the one that the task had then, a newline in it or not "
		. '(else: calls are told of another program)')
		or diag('task ' . join(' ', @bad), "\n", map { "$_ $calls{$_}\n" } sort keys %calls);
	unlike($text, qr/^other/m, "$what: a script is given no event that it did not ask for");
	return !@bad;
}

# Room, and without the storms of other tests: the events are those of the whole machine, and what is lost has no name.
my @wide = ('-b', '32M', '-F', 'raw_syscalls:sys_exit: comm != "dd"');
my $wide = join ' ', map { "'$_'" } @wide;

sub sh { my ($line) = @_; return zed_run({ time => 60 }, 'sh', '-c', $line) }
my ($zedtrace, $zedperl, $zedprint) = map { zed_bin($_) } qw(zedtrace zedperl zedprint);

SKIP: {
	skip live_cannot('this kernel does not tell of new tasks and names, or of single system calls'), 1
		if grep { !-e "$root/events/$_" } qw(task/task_rename task/task_newtask syscalls/sys_enter_getppid);

	# ---- while it happens
	leaves_nothing('live', sub {
		my $h = live_start('zedperl', '--stats', @wide, "--live=@{[join ',', @events]}", $script);
		live_ready($h);
		system @load;
		live_signal($h, 'INT');
		my $end = live_end($h, 60);
		is($end->{exit}, 0, 'live: exit 0') or diag($end->{err});
		names_ok('live', $end->{out}) or diag($end->{err});
	});

	leaves_nothing('pipe', sub {
		my $r = sh("'$zedtrace' $wide @events -o - -- @load | '$zedperl' -i - '$script'");
		names_ok('pipe', $r->{out});
		$r = sh("'$zedtrace' $wide -c @events -o - -- @load | '$zedperl' -i - '$script'");
		names_ok('pipe, only the command and its children', $r->{out});
	});

	# ---- one recording, read in all ways
	leaves_nothing('stream', sub {
		my $r = sh("'$zedtrace' $wide @events -o - -- @load > '$dir/saved.zed'");
		my ($total) = $r->{err} =~ /^Total: (\d+) events \(dropped 0\)/m;
		my %got = (file => zed_run('zedperl', "$dir/saved.zed", $script)->{out});
		names_ok('saved', $got{file});
		$got{pipe} = sh("cat '$dir/saved.zed' | '$zedperl' -i - '$script'")->{out};
		$r = zed_run('zedtrace', '--convert', "$dir/saved.zed", '-o', "$dir/saved.dat");
		is($r->{exit}, 0, 'it is converted') or diag($r->{err});
		$got{convert} = zed_run('zedperl', "$dir/saved.dat", $script)->{out};
		is($got{pipe}, $got{file}, 'a saved stream through a pipe gives the same names (else: two answers)');
		is($got{convert}, $got{file}, '--convert too (else: three)');
		for my $file (qw(saved.zed saved.dat)) {
			$r = zed_run('zedprint', '--summary', "$dir/$file");
			unlike($r->{out}, qr/task_(?:rename|newtask)/, "$file: what tells the names is no part of the trace");
			like($r->{out}, qr/^  events +$total$/m, "$file: its events are those that the kernel counted")
				if defined $total;
		}
		SKIP: {
			my $missing = stock_missing();
			skip live_cannot($missing), 2 if $missing;
			my $stock = sh("trace-cmd report '$dir/saved.dat' 2>&1");
			unlike($stock->{out}, qr/<\.\.\.>-|warning|unknown|evil-1 /i, 'trace-cmd report reads the names too, and forges none');
			is(stock_differs("$dir/saved.dat", zed_run('zedprint', '-f', 'report', "$dir/saved.dat")->{out}), undef,
				'-f report is as trace-cmd report');
		}
	});

	leaves_nothing('file', sub {
		my $r = sh("'$zedtrace' $wide @events -o '$dir/file.dat' -- @load");
		names_ok('recorded to a file', zed_run('zedperl', "$dir/file.dat", $script)->{out});
		$r = sh("'$zedtrace' $wide @events task:task_rename -o - -- @load > '$dir/asked.zed'");
		my $json = zed_run('zedprint', '-f', 'json', "$dir/asked.zed")->{out};
		my @own = $json =~ /"event":"task::task_rename"[^\n]*"comm":"([^"]*)"[^\n]*"newcomm":"own\d+"/g;
		my @old = $json =~ /"event":"task::task_rename"[^\n]*"oldcomm":"([^"]*)","newcomm":"own\d+"/g;
		is(scalar @own, $TASKS, 'who asks for task_rename gets it') or diag($r->{err});
		is("@own", "@old", '... with the name before it (else: comm and oldcomm contradict each other)');
	});

	# ---- a storm of them, while the recorder has nothing else to do; it goes on when most of the names have been taken, as
	# a busy machine lets the recorder wait
	leaves_nothing('storm', sub {
		my $storm = spew("$dir/storm.pl", <<'END');
use POSIX ();
my ($names) = glob shift() . '/instances/zed.' . getppid() . '.*.names';
sub waiting { return grep { open my $fh, '<', $_ or die "$_: $!\n"; grep { /^entries: (\d+)/ && $1 > 150 } <$fh> } glob "$names/per_cpu/cpu*/stats" }
for my $n (1 .. 6000) {
	my $p = fork;
	POSIX::_exit(0) if !$p;
	waitpid $p, 0;
	next if $n % 250;
	my $end = time + 30;
	select undef, undef, undef, 0.02 while waiting() && time < $end;
	exit 3 if time >= $end;
}
END
		my $r = zed_run({ time => 300 }, 'zedtrace', 'sched:sched_process_exit', '-o', "$dir/storm.dat", '--', $^X, $storm, live_root());
		is($r->{exit}, 0, 'new tasks without number: their names are taken while nothing else comes');
		unlike($r->{err}, qr/had no room/, '... and the kernel has room for them (else: nobody takes them in time)');
	});

	# ---- over the network
	leaves_nothing('network', sub {
		my ($sh, $port) = live_server({ stdout => "$dir/net.zed" }, '-o', '-');
		my $r = sh("'$zedtrace' $wide @events -h 127.0.0.1:$port -- @load");
		is($r->{exit}, 0, 'sent to a server') or diag($r->{err});
		wait_until(30, sub { slurp($sh->{err}->filename) =~ /^Total/m });
		live_signal($sh, 'INT');
		live_end($sh);
		my $file = zed_run('zedperl', "$dir/net.zed", $script)->{out};
		names_ok('over the network', $file);
		is(sh("cat '$dir/net.zed' | '$zedperl' -i - '$script'")->{out}, $file, 'through a pipe the same');

		mkdir "$dir/srv";
		(my $to_file, $port) = live_server({}, '-D', "$dir/srv");
		$r = sh("'$zedtrace' $wide @events -h 127.0.0.1:$port -- @load");
		is($r->{exit}, 0, 'sent to a server that keeps files') or diag($r->{err});
		wait_until(30, sub { slurp($to_file->{err}->filename) =~ /^Total/m });
		live_signal($to_file, 'INT');
		live_end($to_file);
		my ($dat) = glob "$dir/srv/*/trace.dat";
		names_ok("a server's file", zed_run('zedperl', $dat // 'none', $script)->{out});
	});
}

done_testing();
