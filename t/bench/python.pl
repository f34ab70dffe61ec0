# SPDX-License-Identifier: GPL-2.0-or-later
#
# python.pl: what Python costs: handlers, iteration, columns, aggregations, perf's script, beside a bare call, zedperl,
# perf, and bt2.  Returns the figures for bench.pl: [what, measured, promised, is it kept].
use strict;
use warnings;
use Files;
use Run::Python;

# A function of two numbers, called N times from C, each time with new numbers: what calls cost in Python itself.
my $floor = 'import sys, collections; n = int(sys.argv[1])
def f(a, b): pass
collections.deque(map(f, range(10**6, 10**6 + n), range(10**9, 10**9 + n)), maxlen=0)';
my $iterate = 'import sys, zed
for ev in zed.open(sys.argv[1], events="raw_syscalls"): ev["id"], ev["common_pid"]';
my $batches = 'import sys, zed
n = 0
for b in zed.open(sys.argv[1]).batches(["ts", "cpu", "id"], events="raw_syscalls"): n += len(b["ts"])
print(n)';
my $calls = '@zed.on("raw_syscalls:*")
def f(id, common_pid): pass';

# COMPARE, PER_ROUND: bench.pl's.  BIG has N events, SYSCALLS of them of raw_syscalls.
sub python_figures {
	my ($compare, $per_round, $bin, $work, $big, $n, $syscalls) = @_;
	my @python = python_words();
	my $zed = sub { ["$work/$_[0]", "$bin/zedpython", '-e', "import zed\n$_[1]", $big] };
	my $in_perl = sub { ["$work/$_[0]", "$bin/zedperl", '-e', "$_[1] sub trace_end { }", $big] };
	my %t = $compare->(idle => $zed->('py.idle', 'def trace_end(): pass'), perl_idle => $in_perl->('pl.idle', ''), start => ['/dev/null', @python, '-c', 'pass'],
		two => $zed->('py.two', $calls), floor => ['/dev/null', @python, '-c', $floor, $syscalls],
		where => $zed->('py.where', "\@zed.on('raw_syscalls:*', where='id == 99999')\ndef f(id): pass"),
		perl_where => $in_perl->('pl.where', q{Zed::on('raw_syscalls:*', where => 'id == 99999', sub { });}),
		count => $zed->('py.count', 'zed.count("raw_syscalls:*", by="id")'), perl_count => $in_perl->('pl.count', 'Zed::count("raw_syscalls:*", by => "id");'),
		iterate => ['/dev/null', @python, '-c', $iterate, $big], batches => ["$work/py.batches", @python, '-c', $batches, $big]);
	my $ns = sub { my ($name, $less) = @_; return $per_round->(\%t, sub { ($_[0] - $_[1]) / $syscalls * 1e9 }, $name, $less) };
	# An event that a where rejects has come as far as a call.
	my $ratio = $per_round->(\%t, sub { ($_[0] - $_[1]) / ($_[2] - $_[3]) }, qw(two where floor start));
	my @figures = (['python: the call of a handler of two fields, over one from C', sprintf('%.2f (%.0f ns / %.0f ns)', $ratio, $ns->('two', 'where'), $ns->('floor', 'start')),
		'at most 1.40', $ratio <= 1.4], ['... with the event itself', sprintf('%.0f ns', $ns->('two', 'idle')), '(told)', 1]);
	my ($where, $theirs) = ($ns->('where', 'idle'), $ns->('perl_where', 'perl_idle'));
	push @figures, ['... where that rejects; zedperl', sprintf('%.1f ns, %.1f ns', $where, $theirs), 'as in zedperl, +3 ns', $where <= $theirs + 3];
	my ($count, $perls) = ($ns->('count', 'idle'), $ns->('perl_count', 'perl_idle'));
	my $same = slurp("$work/py.count") eq slurp("$work/pl.count");
	push @figures, ['... count by a number; zedperl', sprintf('%.1f ns, %.1f ns%s', $count, $perls, $same ? '' : ' DIFFERENT'), 'as in zedperl, +3 ns', $same && $count <= $perls + 3];
	my $each = $ns->('iterate', 'start');
	push @figures, ['... for ev in trace, two fields', sprintf('%.0f ns', $each), 'at most 350 ns', $each <= 350];
	my $column = $ns->('batches', 'start') / 3;
	my $all = slurp("$work/py.batches") == $syscalls;
	push @figures, ['... batches, an event and column', sprintf('%.1f ns%s', $column, $all ? '' : ' DIFFERENT'), 'at most 25 ns', $all && $column <= 25];
	push @figures, ['... peak memory: handlers, iteration, batches', join(', ', map { sprintf '%.0f', $t{"$_.kib"} / 1024 } qw(two iterate batches)) . ' MiB', 'under 40 MiB',
		!grep { $t{"$_.kib"} > 40 << 10 } qw(two iterate batches)];
	return @figures, perf_figures($compare, $per_round, $bin, $work), bt2_figures($compare, \@python, $work);
}

sub have { my ($name) = @_; return grep { -x "$_/$name" } split /:/, $ENV{PATH} }

# perf's own script, on a million system calls of one program, recorded once.
sub perf_figures {
	my ($compare, $per_round, $bin, $work) = @_;
	local $ENV{PERF_EXEC_PATH} = $ENV{PERF_EXEC_PATH} // '/usr/lib/perf-core';
	my $script = "$ENV{PERF_EXEC_PATH}/scripts/python/syscall-counts.py";
	my $data = "$work/perf-raw.data";
	return if !have('perf') || !-e $script;
	return if !-e $data && system('perf', 'record', '-q', '-m', '2048', '-o', $data, '-e', 'raw_syscalls:*', '--', 'sh', '-c',
		'exec dd if=/dev/zero of=/dev/null bs=1 count=260000 2> /dev/null');
	my %t = $compare->(perf => ["$work/perf.out", 'perf', 'script', '-f', '-i', $data, '-s', $script], zedpython => ["$work/zed.out", "$bin/zedpython", $data, $script]);
	my $same = slurp("$work/perf.out") eq slurp("$work/zed.out");
	my $ratio = $per_round->(\%t, sub { $_[0] / $_[1] }, qw(perf zedpython));
	my @figures = (["perf's syscall-counts.py, times as fast as perf script -s", sprintf('%.1f (%.2f s, %.2f s)%s', $ratio, @t{qw(zedpython perf)}, $same ? '' : ' DIFFERENT'),
		'at least 5, same', $same && $ratio >= 5],
		['... peak memory', sprintf('%.0f MiB; perf %.0f', map { $_ / 1024 } @t{qw(zedpython.kib perf.kib)}), 'under 40 MiB', $t{'zedpython.kib'} <= 40 << 10]);
	%t = $compare->(perf => ["$work/perf.out", 'perf', 'script', '-f', '-i', $data, '-s', 't/bench/perf-calls.py'],
		zedpython => ["$work/zed.out", "$bin/zedpython", $data, 't/bench/perf-calls.py']);
	$same = slurp("$work/perf.out") eq slurp("$work/zed.out");
	$ratio = $per_round->(\%t, sub { $_[0] / $_[1] }, qw(perf zedpython));
	return @figures, ['perf-calls.py, a handler for each sample', sprintf('%.1f (%.2f s, %.2f s)%s', $ratio, @t{qw(zedpython perf)}, $same ? '' : ' DIFFERENT'), '(told), same', $same];
}

# A trace of LTTng's, by babeltrace2's module as well.
sub bt2_figures {
	my ($compare, $python, $work) = @_;
	my ($archive) = glob(($ENV{ZED_SHARED} // '../shared') . '/data/ctf/lttng-kernel-4.4.tar.zst');
	my $trace = "$work/ctf/lttng-kernel-4.4/basic-kernel-analysis/kernel";
	return if !$archive || system('sh', '-c', '/usr/bin/python3 -c "import bt2" 2> /dev/null');
	system('sh', '-c', 'mkdir -p "$1" && tar --zstd -C "$1" -xf "$2"', 'sh', "$work/ctf/lttng-kernel-4.4", $archive) == 0 or die "cannot unpack $archive\n" if !-d $trace;
	my %t = $compare->(bt2 => ["$work/bt2.out", '/usr/bin/python3', '-c', 'import bt2, sys
n = 0
for m in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(m) is bt2._EventMessageConst and m.event.name == "sched_switch":
        n += 1; m.event["prev_tid"], m.event["next_tid"]
print(n)', $trace], zed => ["$work/zed.out", @$python, '-W', 'ignore', '-c', 'import sys, zed
n = 0
for ev in zed.open(sys.argv[1]):
    if ev.event == "sched_switch":
        n += 1; ev["prev_tid"], ev["next_tid"]
print(n)', $trace]);
	my $same = slurp("$work/bt2.out") eq slurp("$work/zed.out");
	return ['for ev in a trace of CTF, times as fast as bt2, start included', sprintf('%.0f (%.2f s, %.2f s)%s', $t{bt2} / $t{zed}, @t{qw(zed bt2)}, $same ? '' : ' DIFFERENT'), '(told), same', $same];
}

1;
