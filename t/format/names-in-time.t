# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of tasks are those of the time of the event, where the trace tells: made recordings with events that
# tell of new tasks and new names, read by all who ask for names.
#
# of: trace/comms trace/comm_event.c interp
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Compare::DatRead;
use Write::Dat;
use Run::Program;
use Write::ZedStream;

my $dir = zed_tmp();
my ($RENAME, $NEW, $FORK, $EXEC, $SWITCH, $TICK) = (310 .. 315);

sub field { my ($decl, $off, $size, $signed) = @_; return "\tfield:$decl;\toffset:$off;\tsize:$size;\tsigned:$signed;\n" }

my %FORMAT = (
	$RENAME => [task => 'task_rename', field('pid_t pid', 8, 4, 1) . field('char oldcomm[16]', 12, 16, 0) .
		field('char newcomm[16]', 28, 16, 0)],
	$NEW => [task => 'task_newtask', field('pid_t pid', 8, 4, 1) . field('char comm[16]', 12, 16, 0)],
	$FORK => [sched => 'sched_process_fork', field('char parent_comm[16]', 8, 16, 0) .
		field('pid_t parent_pid', 24, 4, 1) . field('char child_comm[16]', 28, 16, 0) .
		field('pid_t child_pid', 44, 4, 1)],
	$EXEC => [sched => 'sched_process_exec', field('__data_loc char[] filename', 8, 4, 0) .
		field('pid_t pid', 12, 4, 1) . field('pid_t old_pid', 16, 4, 1)],
	$SWITCH => [sched => 'sched_switch', field('char prev_comm[16]', 8, 16, 0) . field('pid_t prev_pid', 24, 4, 1) .
		field('char next_comm[16]', 28, 16, 0) . field('pid_t next_pid', 44, 4, 1)],
	$TICK => [mini => 'tick', field('unsigned int n', 8, 4, 0)],
);

# A recording of EVENTS, [time (ns), cpu, pid, id, what is packed...], with the command lines LINES.  An event
# without a CPU is not recorded, only described.
sub recording {
	my ($name, $lines, @events) = @_;
	my %ids = map { $_->[3] => 1 } @events;
	my %of;
	push @{$of{$_->[1]}}, $_ for sort { $a->[0] <=> $b->[0] } grep { defined $_->[1] } @events;
	my $d = Write::Dat->new(cpus => 2, page_size => 4096, cmdlines => $lines, clock => 'mono',
		formats => [map { [$FORMAT{$_}[0], Write::Dat::format_text($FORMAT{$_}[1], $_, $FORMAT{$_}[2], '"x"')] }
			sort keys %ids],
		make_pages => sub {
			my ($d, $cpu) = @_;
			my ($data, $last) = ('');
			for my $e (@{$of{$cpu} // []}) {
				my ($ts, undef, $pid, $id, @args) = @$e;
				$d->{pid} = $pid;
				$data .= $d->data_event($ts - ($last // $ts), $d->common($id) . body($d, $id, @args));
				$last = $ts;
			}
			return length $data ? $d->page($of{$cpu}[0][0], $data) : ();
		});
	return $d->write("$dir/$name.dat");
}

sub body {
	my ($d, $id, @a) = @_;
	return $d->u32($a[0]) . pack('a16 a16', @a[1, 2]) if $id == $RENAME;
	return $d->u32($a[0]) . pack('a16', $a[1]) if $id == $NEW;
	return pack('a16', $a[0]) . $d->u32($a[1]) . pack('a16', $a[2]) . $d->u32($a[3]) if $id == $FORK || $id == $SWITCH;
	return $d->u32((1 + length $a[0]) << 16 | 20) . $d->u32($a[1]) . $d->u32($a[1]) . "$a[0]\0" if $id == $EXEC;
	return $d->u32($a[0]);
}

my $USE = 'use Zed handlers => ["mini"]; ';
# What a script sees of the ticks: "N NAME", in order.
my $SCRIPT = "$dir/ticks.pl";
open my $fh, '>', $SCRIPT or die;
print $fh 'use Zed handlers => ["mini"]; sub mini::tick { printf "%d %s\n", $_[4], Zed::comm() =~ s/\n/\\\\n/gr }';
close $fh;

sub ticks { my $r = zed_run('zedperl', @_, $SCRIPT); return "exit $r->{exit} $r->{err}$r->{out}" }
sub seen { return 'exit 0 ' . join '', map { "$_\n" } @_ }
sub tick { my ($ts, $cpu, $pid, $n) = @_; return [$ts, $cpu, $pid, $TICK, $n] }

# ---- a fork, an exec and a prctl within a microsecond, on two CPUs; the number used again
{
	my $dat = recording('all', "10 sh\n20 last name\n",
		tick(1000, 0, 20, 1),
		[1050, 1, 9, $RENAME, 9, 'x', 'y'],
		[1100, 0, 10, $NEW, 20, 'sh'], tick(1150, 1, 20, 2),
		[1200, 1, 20, $RENAME, 20, 'sh', 'cat'], tick(1250, 1, 20, 3),
		[1300, 1, 20, $RENAME, 20, 'cat', "line\n10 evil"], tick(1350, 0, 20, 4), tick(1360, 0, 10, 5),
		[1400, 0, 10, $NEW, 20, 'sh'], tick(1450, 1, 20, 6),
		[1500, 1, 20, $RENAME, 20, 'sh', 'last name'], tick(1550, 1, 20, 7));
	is(ticks($dat), seen('1 last name', '2 sh', '3 cat', '4 line\n10 evil', '5 sh', '6 sh', '7 last name'),
		'each event has the name of its time (else: what a task did is told of another program)');
	my @json = map { JSON::PP::decode_json($_) } split /\n/, zed_run('zedprint', '-f', 'json', $dat)->{out};
	is_deeply([map { "$_->{event} $_->{comm}" } grep { $_->{pid} == 20 } @json],
		['mini::tick last name', 'mini::tick sh', 'task::task_rename sh', 'mini::tick cat', 'task::task_rename cat',
			"mini::tick line\n10 evil", 'mini::tick sh', 'task::task_rename sh', 'mini::tick last name'],
		'-f json too; a change of names has the old one (else: its comm and oldcomm contradict each other)');
	is(ticks('-F', '*: common_cpu == 0', $dat), seen('1 last name', '4 line\n10 evil', '5 sh'),
		'who leaves out CPUs by a filter keeps what they tell of names, as the manual says of --cpu');
	is(ticks('-F', 'mini: comm == cat', $dat), seen('3 cat'), 'filters by name too (else: they let others through)');
	my $r = zed_run('zedprint', '-f', 'report', $dat);
	my @names = $r->{out} =~ /^\s*(.*)-20 +\[/mg;
	is_deeply(\@names, [('last name') x 9],
		'-f report has the names of the list, as trace-cmd report has (else: the two cannot be compared)');
	$r = zed_run('zedperl', '-e', $USE . 'sub mini::tick { $n++ } sub trace_end { print "$n ", Zed::comm_of(20), "\n" }', $dat);
	is($r->{out}, "7 last name\n", 'and at the end the last name of all');
	$r = zed_run('zedperl', '--stats', '-e', $USE . 'sub mini::tick { $n++ }', $dat);
	like($r->{err}, qr/^zedperl: passed   7$/m, 'who did not ask for these events is not given them');
}

# ---- exec names a program by its path; where task_rename is told, it is the better witness
{
	my @exec = ([1100, 0, 10, $EXEC, '/usr/bin/a-very-long-name-of-a-program', 20], tick(1200, 0, 20, 2));
	my $dat = recording('exec', "10 sh\n", tick(1000, 0, 20, 1), @exec);
	is(ticks($dat), seen('1 <...>', '2 a-very-long-nam'), 'a task that no list names is called by its exec');
	$dat = recording('exec-listed', "20 calls itself\n", tick(1000, 0, 20, 1), @exec);
	is(ticks($dat), seen('1 calls itself', '2 calls itself'),
		'one that is listed is not: what it called itself later is not told (else: busybox is "exe" for ever)');
	$dat = recording('exec-renamed', '', @exec, [1300, 0, 20, $RENAME, 20, 'x', 'true name'], tick(1400, 0, 20, 3),
		[1500, 0, 20, $EXEC, '/proc/self/exe', 20], tick(1600, 0, 20, 4));
	is(ticks($dat), seen('2 a-very-long-nam', '3 true name', '4 true name'),
		'from the first task_rename on its word counts alone');
}

# ---- forks and switches
{
	my $dat = recording('fork', "11 listed\n", [1000, 0, 10, $FORK, 'sh', 10, 'sh', 20], tick(1100, 1, 20, 1),
		[1200, 1, 20, $SWITCH, 'worker', 20, 'other', 30], tick(1300, 1, 20, 2), tick(1400, 1, 30, 3),
		[1500, 1, 30, $SWITCH, 'other', 30, 'not so', 11], tick(1600, 1, 11, 4));
	is(ticks($dat), seen('1 sh', '2 worker', '3 other', '4 listed'),
		'tasks that no list names are called by forks and switches (else: short ones are <...>)');
}

# ---- task_rename is described, as trace-cmd extract describes all there is: that tells nothing
{
	my @described = [0, undef, 0, $RENAME];
	my @life = ([1000, 0, 10, $FORK, 'sh', 10, 'sh', 20], tick(1100, 1, 20, 1),
		[1200, 1, 20, $EXEC, '/bin/usleep', 20], tick(1300, 1, 20, 2));
	my $dat = recording('described', "10 sh\n20 usleep\n", @described, @life);
	is(ticks($dat), seen('1 usleep', '2 usleep'),
		'without one that was recorded a fork does not replace a listed name (else: it is "sh" for ever)');
	$dat = recording('described-unlisted', "10 sh\n", @described, @life,
		[1400, 1, 20, $SWITCH, 'worker', 20, 'other', 30], tick(1500, 1, 20, 3), tick(1600, 0, 30, 4));
	is(ticks($dat), seen('1 sh', '2 usleep', '3 worker', '4 other'),
		'and execs and switches name who is not listed (else: all that came of a shell is "sh")');
	$dat = recording('begins', "10 sh\n20 late\n21 late too\n", @life, [1400, 1, 20, $RENAME, 20, 'usleep', 'late'],
		tick(1500, 1, 20, 3), [1600, 0, 10, $FORK, 'sh', 10, 'sh', 21], tick(1700, 1, 21, 4),
		[1800, 1, 21, $SWITCH, 'not so', 21, 'nor so', 20], tick(1900, 1, 21, 5), tick(1950, 0, 20, 6),
		[2000, 1, 21, $RENAME, 21, 'sh', 'late too'], tick(2100, 1, 21, 7));
	is(ticks($dat), seen('1 late', '2 late', '3 late', '4 sh', '5 sh', '6 late', '7 late too'),
		'from the first one on a fork does (else: a task has the name that it has later)');
}

# ---- a list of names that has lines in it which are none
{
	my $log = sub { pack 'Q< V C/a*', @_ };
	my $dat = recording('log', "20 at the end\n21 b?c\n\0zednames" . $log->(0, 20, 'before') .
		$log->(0, 21, "b\nc") . $log->(1150, 20, "at\tthe\nend") . $log->(1250, 22, 'new') . "\x01\x02\x03",
		tick(1100, 0, 20, 1), tick(1120, 1, 21, 2), tick(1200, 1, 20, 3), tick(1300, 0, 22, 4),
		[1350, 0, 22, $RENAME, 22, 'new', 'newer'], tick(1400, 0, 22, 5));
	is(ticks($dat), seen('1 before', '2 b\nc', "3 at\tthe\\nend", '4 new', '5 new'),
		'names with their times behind the list count (else: a recording of ours knows less than we did)');
	is(ticks('--raw-ts', $dat), seen('1 before', '2 b\nc', "3 at\tthe\\nend", '4 new', '5 new'), '--raw-ts: the same');
	my $r = zed_run('zedprint', '-f', 'report', $dat);
	like($r->{out}, qr/^ *at the end-20 +\[000\]/m, '-f report shows the list, as all others who read the file');
	$r = zed_run('zedprint', '-f', 'kernel', $dat);
	is_deeply([$r->{out} =~ /^ *(\S.*-\d+) +\[/mg], ['before-20', 'b\nc-21', "at\tthe\\nend-20", ('new-22') x 3],
		'-f kernel shows the log, from the first event on (else: the first task has the name that it had at the end)');
}

# ---- a stream: names stand behind the pages that need them, before the next round
{
	my @ticks = map { tick(1000 * $_, $_ % 2, 20 + $_ % 3, $_) } 1 .. 40;
	my $dat = recording('stream', "20 list\n", @ticks, [5100, 0, 20, $RENAME, 20, 'x', 'of the event']);
	# A name of each tick, and one of the number before from the start of all.
	my @names = ([0, 20, 'ever'], map { my $t = $_; [1000 * $t - 1, 20 + $t % 3, "n$t\n5 x"] } 2 .. 40);
	my @want = map { "$_ " . ($_ == 1 ? '<...>' : "n$_\\n5 x") } 1 .. 40;
	my @late = @names[1 .. $#names];
	my $made = sub {
		my %o = @_;
		return Write::ZedStream::from_dat($dat, names => 1, comms => 'first', %o)->write("$dir/stream.zed");
	};
	my $zed = $made->(turns => sub { my ($s, $turn) = @_; $s->names([0, 20, 'ever'], reverse @late) if !$turn });
	my %got = (file => ticks($zed));
	$got{pipe} = zed_run('sh', '-c', "cat '$zed' | '" . zed_bin('zedperl') . "' -i - '$SCRIPT'")->{out};
	is($got{file}, seen(@want), 'names of a stream are taken before its events (else: short tasks are <...>)');
	is("exit 0 $got{pipe}", seen(@want), 'through a pipe it is the same (else: one stream gives two answers)');
	my $r = zed_run('zedprint', '-f', 'report', $zed);
	is(() = $r->{out} =~ /n\d+\\n5 x-2/g, 40, '-f report: the same, as nobody else reads a stream');
	$r = zed_run('zedprint', '-f', 'json', $zed);
	is(scalar(split /\n/, $r->{out}), 41, 'and an event of the trace itself is no better witness');
	unlike($r->{out}, qr/of the event"[^\n]*mini::tick/, '... than the recorder that watched');

	$zed = $made->(names => 0, before => sub { $_[0]->names(@names) });
	$r = zed_run('zedperl', $zed, $SCRIPT);
	like($r->{err}, qr/comes without an announcement/, 'names that nobody announced are damage, as their order is not kept');
	$zed = $made->(before => sub { $_[0]->names(@names)->frame(9, pack 'Q< V C a*', 1, 20, 9, 'short') });
	$r = zed_run('zedperl', $zed, $SCRIPT);
	is("exit $r->{exit} $r->{out}", 'exit 1' . seen(@want) =~ s/^exit 0//r, 'a name that is cut costs itself');
	like($r->{err}, qr/stream.zed: offset 0x[0-9a-f]+: cpu 0: frame of names .* has invalid names: left out$/m,
		'... and is said');
	for my $rounds (0, 1) {
		$zed = $made->(rounds => $rounds, before => sub { $_[0]->names(@names) }, end => 0);
		$r = zed_run('zedperl', $zed, $SCRIPT);
		is("exit $r->{exit} $r->{out}", 'exit 1' . seen(@want) =~ s/^exit 0//r,
			"without an end, rounds $rounds: nothing waits for ever");
	}
}

done_testing();
