# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f kernel against the running kernel: the same buffer as its own trace file shows it and as we
# print its pages, for every event that this test's processes provoke.  Without it a text that a new kernel
# prints otherwise would go unseen.
#
# of: sink/print text
use strict;
use warnings;
use Test::More;
use Fcntl qw(O_RDONLY O_NONBLOCK);
use lib 't/lib';
use Run::Live;
use Run::Program;

live_or_skip();
my $root = live_root();
my $lock = live_lock('cpus');
my $dir = zed_tmp();
my $instance = "$root/instances/zedtext.$$";
live_make_instance($instance) or die "$instance: $!\n";
END {
	if (defined $instance && -d $instance) {
		put_text("$instance/tracing_on", '0');
		put_text("$instance/events/enable", '0');
		rmdir $instance or diag("$instance: $!");
	}
}

my @SYSTEMS = grep { -d "$instance/events/$_" } qw(sched irq timer raw_syscalls syscalls kmem block
	writeback ext4 jbd2 signal task workqueue power rcu net sock skb napi tcp udp mmap filemap percpu tlb exceptions
	irq_vectors x86_fpu maple_tree huge_memory compaction migrate ipi csd notifier cgroup);

# Files, sockets, processes and signals, none of it beyond this machine or this directory.
sub load {
	put_text("$instance/trace_marker", "a marker\n");
	put_text("$instance/trace_marker", 'without a newline');
	put_text("$instance/trace_marker_raw", pack 'V a*', 4711, 'raw bytes');
	my $run = zed_run({ time => 30 }, $^X, '-MSocket', '-e', <<'EOT', "$dir/load");
		my ($path) = @ARGV;
		open my $fh, '>', $path or die; print $fh 'x' x 100_000; close $fh; rename $path, "$path.2"; unlink "$path.2";
		mkdir $path; opendir my $d, $path; readdir $d; rmdir $path;
		socketpair my $a, my $b, AF_UNIX, SOCK_STREAM, 0 or die; syswrite $a, 'x'; sysread $b, my $x, 1;
		socket my $s, PF_INET, SOCK_DGRAM, 0 or die; bind $s, sockaddr_in(0, inet_aton('127.0.0.1'));
		send $s, 'hi', 0, getsockname $s; recv $s, $x, 10, 0;
		for (1 .. 3) { my $pid = fork; exec '/bin/true' if !$pid; waitpid $pid, 0 }
		$SIG{USR1} = sub { }; kill USR1 => $$; select undef, undef, undef, 0.02;
EOT
	return $run;
}

sub content { my ($path) = @_; open my $fh, '<:raw', $path or return ''; local $/; return scalar <$fh> }

# The pages of a CPU, as many as there are.
sub drain {
	my ($cpu, $to) = @_;
	sysopen my $in, "$instance/per_cpu/cpu$cpu/trace_pipe_raw", O_RDONLY | O_NONBLOCK or die "cpu$cpu: $!\n";
	open my $out, '>:raw', $to or die "$to: $!\n";
	my $page;
	print {$out} $page while sysread $in, $page, 4096;
	close $out or die "$to: $!\n";
	return -s $to ? $to : ();
}

sub lines { return grep { !/^#|^CPU:\d+ \[LOST/ } split /\n/, $_[0] }

# Those of the kernel: a task's name with a newline breaks one, where we write "\n".  As a name is written into 16 places
# from the right, a line that begins with what is no blank goes on with the name of its own task.
sub kernels_lines {
	my (@lines, $rest);
	for (lines($_[0])) {
		if (!/^ =>|-\d+ +(?:\[\d+\]|\d+[.dDbBX])/ && @lines) {
			$lines[-1] .= $rest = "\\n$_";
			next;
		}
		substr($lines[-1], -length $rest) = '' if /^\S/ && defined $rest;
		undef $rest;
		push @lines, $_;
	}
	return @lines;
}

# What of a header a trace can tell: not how many entries there were, nor how many CPUs.
sub header {
	my $head = join '', map { "$_\n" } grep { /^#/ } split /\n/, $_[0];
	return $head =~ s/^# entries-in-buffer.*\n|^# latency: .*\n|^# .* latency trace v.*\n|^# -----.*\n|^#    -----.*\n|^#    \| task: .*\n|^#\n(?=#\n|# \w)//gmr;
}

# The times of the latency format count from when the buffer was made, which a trace does not tell: of ours and of
# the kernel's those from the first event on are compared, which may differ by the one that rounding leaves.
sub from_first {
	my ($lines, $other) = @_;
	my ($first) = map { / +(\d+)us/ ? $1 : () } @$lines;
	for my $i (0 .. $#$lines) {
		my ($us) = $lines->[$i] =~ / +(\d+)us/ or next;
		my $of = $us - ($first // 0);
		my ($theirs) = ($other->[$i] // '') =~ / (\d+)us/;
		$of = $theirs if defined $theirs && abs($of - $theirs) == 1;
		$lines->[$i] =~ s/ +\d+us/ ${of}us/;
	}
	return;
}

sub compare {
	my ($what, $options, @events) = @_;
	put_text("$instance/tracing_on", '0');
	put_text("$instance/trace", '');
	put_text("$instance/$$_[0]", $$_[1]) for ['options/hash-ptr', 0], ['trace_clock', 'mono'],
		['buffer_size_kb', 16000], ['options/event-fork', 1], ['set_event_pid', $$], map { ["options/$_", 1] } @$options;
	put_text("$instance/events/$_/enable", '1') for map { tr{:}{/}r } @events;
	put_text("$instance/tracing_on", '1');
	my $run = load();
	put_text("$instance/tracing_on", '0');
	put_text("$instance/events/enable", '0');
	is($run->{exit}, 0, "$what: the load ran") or diag($run->{err});
	my $meta = "$dir/meta.dat";
	$run = zed_run({ time => 60 }, zed_bin('zedtrace'), '-o', $meta, @events, '--', 'true');
	is($run->{exit}, 0, "$what: the formats are there") or diag($run->{err});
	my $text = content("$instance/trace");
	my @want = kernels_lines($text);
	my ($n, @files) = (0);
	for my $path (glob "$instance/per_cpu/cpu*") {
		my ($cpu) = $path =~ /(\d+)$/;
		push @files, drain($cpu, "$dir/raw.cpu$cpu");
	}
	my $latency = grep { $_ eq 'latency-format' } @$options;
	$run = zed_run({ time => 60 }, zed_bin('zedprint'), '-f', 'kernel', $latency ? '-l' : (), '--meta', $meta, @files);
	my @got = lines($run->{out});
	s/^ *raw\.cpu\d+: // for @got;
	is(header($run->{out}), header($text), "$what: the header");
	if ($latency) {
		from_first(\@want, []);
		from_first(\@got, \@want);
	}
	my (%differs, %known);
	for my $i (0 .. $#want) {
		my ($w, $g) = ($want[$i], defined $got[$i] ? $got[$i] : '(none)');
		# where the array of pages begins, and strings that stand in the kernel's memory, no trace tells
		$w =~ s/\bpage=\K[0-9a-f]{16}/?/ if $g =~ /page=\?/;
		$w =~ s/: ma_\w+: \K\w+/(0x)/, $g =~ s/: ma_\w+: \K\(0x[0-9a-f]+\)/(0x)/ if $g =~ /: ma_\w+: \(0x/;
		# of a task that has become another program since, each may know one name: not looked at
		s/^ *\S.*?(-\d+ +(?:\[\d+\]|\d+(?=[.dDbBX])))/$1/ for $w, $g;
		my ($name) = $w =~ /(?:\d|us.): (\w+)/;
		$known{ $name || '' }++;
		next if $w eq $g;
		$differs{ $name || '?' } ||= "the kernel's: $want[$i]\n  ours:         $got[$i]";
	}
	is(scalar @got, scalar @want, "$what: as many lines");
	ok(!%differs, "$what: " . @want . ' lines of ' . keys(%known) . ' events are equal')
		or diag(join "\n", (map { $differs{$_} } sort keys %differs)[0 .. 9]);
	unlink @files, $meta;
	put_text("$instance/options/$_", '0') for @$options;
	return;
}

compare('events', [], @SYSTEMS);
compare('stacks', [qw(stacktrace userstacktrace)], qw(sched:sched_switch sched:sched_wakeup kmem:kfree));

compare('latency format', ['latency-format'], @SYSTEMS);

done_testing();
