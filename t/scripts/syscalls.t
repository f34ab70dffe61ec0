# SPDX-License-Identifier: GPL-2.0-or-later
#
# syscalls: calls from enter to exit.  Without it a call that a signal interrupts is two with an error that no program
# sees, a child's first exit a call that nobody made, and a task that sleeps looks busy.
#
# of: scripts/syscalls.pl lib/Zed/Away.pm lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Files qw(slurp);
use Pass;
use Run::Process ();
use Write::Miniature;
use Write::PerfOfDat;
use Run::Zedperl;

my %NR = (read => 0, write => 1, poll => 7, rt_sigreturn => 15, fork => 57, futex => 202, restart_syscall => 219, clock_nanosleep => 230,
	exit_group => 231, pause => 34);

# The miniature with names of calls, on x86-64.
sub calls { return miniature($_[0] =~ s/\b(enter|exit) ([a-z_]\w*)/"$1 " . ($NR{$2} \/\/ die "no number of $2\n")/ger, uname => 'Linux mini 6.1.0 x86_64') }
sub rows { my ($r, @keys) = @_; return map { [@$_{@keys}] } sort { $a->{name} cmp $b->{name} } @{$r->{data}{tables}{calls}{rows} // []} }
sub events {
	my ($file) = @_;
	open my $in, '-|', zedperl_path() =~ s/zedperl\z/zedprint/r, '-f', 'json', $file or die "zedprint: $!\n";
	my @events = map { JSON::PP::decode_json($_) } <$in>;
	close $in or die "zedprint: $?\n";
	return @events;
}
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

my $dat = calls(<<'END');
0 0 5 enter read | 10 0 5 exit read -512 | 12 0 5 enter write | 14 0 5 exit write 1 | 15 0 5 enter rt_sigreturn | 16 0 5 exit -1 0
17 0 5 enter read | 40 0 5 exit read 8
50 0 6 exit futex 0 | 60 0 6 enter clock_nanosleep | 70 0 6 exit clock_nanosleep -516 | 80 0 6 enter restart_syscall | 95 0 6 exit restart_syscall 0
96 0 6 enter exit_group | 97 0 6 process_exit 6 | 98 0 7 enter poll
END
my $r = analysis('syscalls', $dat);
is_deeply([rows($r, qw(name n total errors))], [['clock_nanosleep', 1, 35_000, 0], ['read', 1, 40_000, 0], ['rt_sigreturn', 1, 1_000, 0], ['write', 1, 2_000, 0]],
	'calls that are entered again are one, from the first enter to the last exit; restarts are no errors') or diag $r->{err};
is_deeply({ %{notes($r)}{qw(never open)} }, { never => 1, open => 1 }, 'exit never returns, and one call has not ended');
is_deeply([map { [@$_{qw(name took at)}] } @{$r->{data}{tables}{worst}{rows}}],
	[['read', 40_000, 1_000_040_000], ['clock_nanosleep', 35_000, 1_000_095_000], ['write', 2_000, 1_000_014_000],
	['rt_sigreturn', 1_000, 1_000_016_000]],
	'the longest, their last legs not once more');
$r = chosen(['--start', '1.000035', '--end', '1.000050'], 'syscalls', $dat);
is_deeply([rows($r, qw(name n total))], [['read', 1, 40_000]], 'a part of the time: what ends there counts in full');
like((grep { $_->{key} eq 'in_full' } @{$r->{data}{notes}})[0]{text} // '', qr/^a call counts in the part of the time in which it ends, with its whole length/,
	'which the answer says (else: more time than the part has is taken for a mistake)');
is((grep { $_->{key} eq 'in_full' } @{analysis('syscalls', $dat)->{data}{notes}})[0], undef, 'of the whole there is nothing to say');
$r = analysis('syscalls', $dat, '--legs');
is_deeply([rows($r, qw(name n total))], [['clock_nanosleep', 1, 10_000], ['read', 2, 33_000], ['restart_syscall', 1, 15_000], ['rt_sigreturn', 1, 1_000],
	['write', 1, 2_000]],
	'--legs: each by itself');

# A signal that ends the call; a child's return; errors by name; a kill.
$r = analysis('syscalls', calls(<<'END'));
0 0 5 enter pause | 10 0 5 exit pause -514 | 15 0 5 enter rt_sigreturn | 16 0 5 exit -1 -4 | 20 0 5 enter read | 22 0 5 exit read -11
30 0 5 enter fork | 35 1 9 exit fork 0 | 36 0 5 exit fork 9 | 40 0 5 enter read | 41 0 5 exit read -11 | 50 0 9 enter pause | 60 0 9 exit pause -514
61 0 9 process_exit 9
END
is_deeply([rows($r, qw(name n total errors errnos))], [['fork', 1, 6_000, 0, ''], ['pause', 1, 16_000, 1, 'EINTR:1'], ['read', 2, 3_000, 2, 'EAGAIN:2'],
	['rt_sigreturn', 1, 1_000, 0, '']], 'EINTR is what the program gets; a child returns from no call; errors have names');
is(notes($r)->{killed}, 1, 'a task that was killed in a call has not made it');

# Switches: a time that ends before the first of them says so of itself, not of the trace, which has some.
my $switched = calls('0 0 5 enter read | 10 0 5 exit read 1 | 5000 0 5 switch 5 S 6 | 5030 0 6 enter read | 5040 0 6 exit read 1');
my $says = sub { my ($r) = @_; return join '', map { $_->{text} } grep { $_->{key} eq 'switches' } @{$r->{data}{notes}} };
is($says->(analysis('syscalls', $dat)), 'no sched:sched_switch was seen: the time that calls spent on a CPU is unknown', 'a trace without switches');
is($says->(chosen(['--end', '1.000015'], 'syscalls', $switched)),
	'no sched:sched_switch was seen up to the end of the time that was asked for: the time that calls spent on a CPU is unknown',
	'a time without them (else: the trace is taken to have none)');
is(grep({ exists $_->{ran} } @{chosen(['--end', '1.000015'], 'syscalls', calls('0 0 5 enter read | 10 0 5 exit read 1 | 20 0 5 switch 5 S 6'))->{data}{tables}{calls}{rows}}), 0,
	'... though one follows soon');
is_deeply([rows(chosen(['--end', '1.000015'], 'syscalls', $switched), qw(name total unknown))], [['read', 10_000, 10_000]],
	'... and all of it is unknown (else: the windows of a trace do not add up to it)');
is($says->(chosen(['--start', '1.005025'], 'syscalls', $switched)), '', 'those before the time are seen');

# Numbers that no call has, as in a damaged trace: one row. Those of x32 and ARM are kept.
my @odd = (8191, 8192, 70_000, 983_045, 1_073_742_336, 2_000_000_000);
$r = analysis('syscalls', calls(join '|', map { my $at = 10 * $_; ("$at 0 5 enter $odd[$_]", $at + 2 . " 0 5 exit $odd[$_] -11") } 0 .. $#odd));
is_deeply([rows($r, qw(name n total errors)), notes($r)->{others}], [['(others)', 3, 6000, 3], [1_073_742_336, 1, 2000, 1], [8191, 1, 2000, 1], [983_045, 1, 2000, 1], 3],
	'numbers that no call has are one row (else: as many rows as a file likes)') or diag explain $r->{data}{notes};
is(scalar(grep { $_->{name} eq '(others)' } @{$r->{data}{tables}{failures}{rows}}), 1, '... also of what fails');

# Keys, and many tasks at once in the middle of a restart.
$r = analysis('syscalls', $dat, '--by', 'pid');
is_deeply([map { "@$_" } rows($r, qw(name who n))], ['clock_nanosleep 6 1', 'read 5 1', 'rt_sigreturn 5 1', 'write 5 1'], '--by pid');
my @pids = 100 .. 199;
my ($t, $text) = (0, '');
$text .= '| ' . $t++ . " 0 $_ enter read " for @pids;
$text .= '| ' . $t++ . " 0 $_ exit read -512 " for @pids;
$text .= '| ' . $t++ . " 0 $_ enter read " for @pids;
$text .= '| ' . $t++ . " 0 $_ exit read 1 " for @pids;
is_deeply([rows(analysis('syscalls', calls($text)), qw(name n total max errors))], [['read', 100, 100 * 300_000, 300_000, 0]],
	'a hundred tasks that restart at once');
is(analysis('syscalls', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# What fails, for whom.
my $fails = calls(<<'END');
0 0 5 enter read | 1 0 5 exit read -11 | 2 0 6 enter read | 3 0 6 exit read -11 | 4 0 5 enter poll | 5 0 5 exit poll -4 | 6 0 5 enter read | 7 0 5 exit read -11
10 0 7 enter read | 11 0 7 exit read -512 | 12 0 7 enter read | 13 0 7 exit read -11 | 14 0 8 enter read | 15 0 8 exit read 4
END
sub failures { my ($r) = @_; return map { join ' ', map { $_ // '-' } @$_{qw(error name comm pid n)} } @{$r->{data}{tables}{failures}{rows} // []} }
is_deeply([failures(analysis('syscalls', $fails))], ['EAGAIN read <...> 5 2', 'EAGAIN read <...> 6 1', 'EAGAIN read <...> 7 1', 'EINTR poll <...> 5 1'],
	'what fails: which error of which call for which task, a restarted call once (else: who it is has to be searched for)');
is(analysis('syscalls', $fails)->{data}{main}, 'calls', 'the table that --csv writes stays that of calls (else: it depends on whether something failed)');
is_deeply([failures(analysis('syscalls', calls('0 0 5 enter read | 1 0 5 exit read 1')))], [], 'no such table where nothing fails');

# On a CPU, and off it: within one call, over the legs of one, before a call, where a switch is missing.
sub on_and_off { my ($r) = @_; return [map { "@$_" } rows($r, qw(name n total ran off))] }
my $sleeps = calls(<<'END');
0 0 9 switch 9 S 5 | 0 0 5 enter read | 5 0 5 switch 5 S 6 | 9 0 6 switch 6 S 5 | 10 0 5 exit read -512 | 11 0 5 enter write | 12 0 5 switch 5 R 6 | 15 0 6 switch 6 S 5
16 0 5 exit write 1 | 17 0 5 enter rt_sigreturn | 18 0 5 exit -1 0 | 19 0 5 enter read | 20 0 5 switch 5 S 6 | 30 0 6 switch 6 S 5 | 40 0 5 exit read 8
50 0 5 switch 5 R 6 | 60 0 6 switch 6 S 5 | 61 0 5 enter poll | 63 0 5 exit poll 0
END
is_deeply(on_and_off(analysis('syscalls', $sleeps)), ['poll 1 2000 2000 0', 'read 1 40000 23000 17000', 'rt_sigreturn 1 1000 1000 0', 'write 1 5000 2000 3000'],
	'the time on a CPU apart from the time off it; a call that is entered again has that of its legs and of what came between');
is_deeply(on_and_off(analysis('syscalls', $sleeps, '--legs')), ['poll 1 2000 2000 0', 'read 2 31000 17000 14000', 'rt_sigreturn 1 1000 1000 0', 'write 1 5000 2000 3000'], '--legs: of each');
is_deeply(on_and_off(analysis('syscalls', $sleeps, '--by', 'pid')), ['poll 1 2000 2000 0', 'read 1 40000 23000 17000', 'rt_sigreturn 1 1000 1000 0', 'write 1 5000 2000 3000'], '--by pid as well');

# What is not known of it.
sub with_unknown { my ($r) = @_; return [map { join ' ', map { $_ // '-' } @$_ } rows($r, qw(name n total ran off unknown))] }
my $ran = '0 0 9 switch 9 S 5 |';
$r = analysis('syscalls', calls("$ran 1 0 5 enter read | 5 0 5 switch 5 S 6 | 9 1 5 exit read 1 | 10 1 7 enter poll | 12 0!1 6 switch 6 S 5 | 15 1 7 exit poll 1"));
is_deeply([with_unknown($r), notes($r)->{unseen}], [['read 1 8000 4000 0 4000'], 1], 'no switch back: unknown from there on (else: sleep is time on a CPU); a loss ends what is followed');
my @early = ('1 0 5 enter read | 4 1 7 enter poll | 5 1 7 exit poll 0 | 6 0 5 switch 5 S 6 | 8 0 6 switch 6 S 5 | 9 0 5 exit read 1 | 10 0 5 enter write | 11 0 5 exit write 1',
	'12 1 7 enter futex | 13 0 9 switch 5 S 7 | 14 0 7 exit futex 0 | 15 1 0 switch 0 R 8 | 16 1 8 enter poll | 19 1 8 exit poll 0');
my $early = calls(join ' | ', @early);
my $known = ['futex 1 2000 - - 2000', 'poll 2 4000 3000 0 1000', 'read 1 8000 1000 2000 5000', 'write 1 1000 1000 0 0'];
is_deeply(with_unknown(analysis('syscalls', $early)), $known, 'before the first switch of a CPU a task may have been away (else: a task that waits from before is busy)');
is(notes(analysis('syscalls', $early))->{early}, 3, '... of so many calls');
is_deeply(with_unknown(chosen(['--start', '1.0'], 'syscalls', $early)), $known, 'of a part of the time likewise (else: it is found in another way)');
is_deeply(with_unknown(analysis('syscalls', $early, '--legs')), $known, '--legs: likewise');
my $begun = calls('1 0 5 enter read | 3 0 5 exit read -512 | 4 0 5 enter read | 6 0 5 exit read 1 | 7 0 5 switch 5 S 6 | 8 0 6 switch 6 S 5');
is_deeply(with_unknown(analysis('syscalls', $begun)), ['read 1 5000 1000 0 4000'], 'a call that is entered again: of its legs');
is_deeply(with_unknown(chosen(['--start', '1.0'], 'syscalls', $begun)), ['read 1 5000 1000 0 4000'], '... of a part of the time');

# Switches that are missing, and a recording of chosen tasks: who was away is not known.
my $missing = calls("$ran 1 0 5 enter read | 2 0 5 switch 5 S 6 | 3 0 5 switch 7 S 5 | 4 0 5 exit read 1");
$r = analysis('syscalls', $missing);
is_deeply([with_unknown($r), notes($r)->{missing}], [['read 1 3000 - - -'], 1], 'where switches are missing no time on a CPU is claimed (else: who was away is busy)');
like(join("\n", map { $_->{text} } @{$r->{data}{notes}}), qr/^of 4 switches \(25 %\) was not recorded .*: the time that calls spent on a CPU is unknown$/m, '... and it says so');
my $sleep = calls('1 0 5 enter clock_nanosleep | 2 0 5 switch 5 S 0 | 6 0 5 exit clock_nanosleep 0');
$r = analysis('syscalls', perf_of_dat($sleep, temp_path('.data'), events => qr/^(?:sched|raw_syscalls):/, by => 'THREAD_MAP', of => [5], arch => 'x86_64'));
is_deeply([with_unknown($r), grep { $_->{key} eq 'chosen' } @{$r->{data}{notes}}], [['clock_nanosleep 1 5000 - - -'],
	{ key => 'chosen', text => 'the recording is of chosen tasks (perf record without -a): the time that calls spent on a CPU is unknown' }],
	'perf record of a command has no switches of others (else: its sleep is time on a CPU)');

# Exits without an entry; calls that had not returned; those that never do.
$r = analysis('syscalls', calls('0 0 5 exit read 1 | 1 0 9 exit fork 0 | 2 0 6 exit -1 -4 | 3 0 8 exit -1 0 | 5 0 6 enter read | 6 0!1 5 enter poll | 7 0 6 exit read 1 | 8 0 5 enter exit_group'));
is_deeply({ %{notes($r)}{qw(returned lost open never)} }, { returned => 3, lost => 1, open => 1, never => 1 },
	'exits whose entry is not there, but for those of new tasks; a call that a gap hides has an end, and one of the task that exits another') or diag explain $r->{data}{notes};
is(notes(analysis('syscalls', calls('0 0 5 enter exit_group | 1 0!1 6 enter read | 2 0 6 exit read 1')))->{never}, 1, 'an exit before a gap never returns as well (else: it is one of those that the gap hides)');
$r = chosen(['--end', '1.000002'], 'syscalls', calls('0 0 5 enter poll | 1 0 6 enter exit_group | 5 0 5 exit poll 0 | 6 0 7 enter exit_group'));
is_deeply([@{notes($r)}{qw(open never)}], [1, 1], 'the end of the time hides a return, and adds no exits');

# Returns from signals' handlers: no number, of 64 bits or of 32, or their own.
for (['t/data/demo.dat', 'rt_sigreturn', 15], ['t/data/armhf_zstd.dat', 'sigreturn', 119], ['t/data/small_be_zstd.dat', 'sigreturn', 119]) {
	my ($file, $name, $nr) = @$_;
	my ($n, $total, %since) = (0, 0);
	for (events($file)) {
		my ($pid, $id) = ($_->{pid}, $_->{fields}{id});
		$since{$pid} = $_->{ts} if $_->{event} =~ /::sys_enter\z/ && $id == $nr;
		next if $_->{event} !~ /::sys_exit\z/ || !defined(my $since = delete $since{$pid});
		$n++;
		$total += $_->{ts} - $since;
	}
	cmp_ok($n, '>', 1, "$file: returns from handlers");
	is_deeply([grep { $_->[0] eq $name } rows(analysis('syscalls', $file), qw(name n total errors))], [[$name, $n, $total, 0]],
		'... are calls, and what was interrupted is not their error (else: they are left out)');
}

is(scalar(grep { exists $_->{off} } @{analysis('syscalls', $fails)->{data}{tables}{calls}{rows}}), 0, 'without switches no such columns (else: all calls seem to be busy)');
ok(exists notes(analysis('syscalls', $fails))->{switches}, '... and it says so');

# The calls of a recording, from the spans of each task: [NAME'S NUMBER, PID, FROM, TO, how long off the CPU].
sub model {
	my ($file) = @_;
	my (%in, %out, %off, %first, %calls, %failed);
	for my $e (events($file)) {
		my ($ts, $pid, $f) = @$e{qw(ts pid fields)};
		if ($e->{event} =~ /::sys_enter\z/) {
			$in{$pid} = [$f->{id}, $ts, exists $first{$e->{cpu}}];
		} elsif ($e->{event} =~ /::sys_exit\z/) {
			my $call = delete $in{$pid};
			next if !$call || $call->[0] != $f->{id} && $f->{id} != -1;
			my $of = $calls{"$call->[0] $pid"} //= { n => 0, total => 0, off => 0, unknown => 0 };
			$of->{n}++;
			$failed{join ' ', @$f{qw(ret id)}, $e->{comm}}{$pid}++ if $f->{ret} < 0 && $f->{ret} > -512 && $f->{id} != -1;
			$of->{total} += $ts - $call->[1];
			# Until the CPU has shown a switch it is unknown whether the task was on it.
			my ($left) = grep { $_ >= $call->[1] } map { $_->[0] } @{$off{$pid} // []};
			$of->{unknown} += ($left // $ts) - $call->[1] if !$call->[2];
			for (@{$off{$pid} // []}) {
				$of->{off} += $_->[1] - $_->[0] if $_->[0] >= $call->[1];
			}
		} elsif ($e->{event} =~ /::sched_switch\z/) {
			$first{$e->{cpu}} //= $ts;
			$out{$f->{prev_pid}} = $ts;
			push @{$off{$f->{next_pid}}}, [delete $out{$f->{next_pid}}, $ts] if defined $out{$f->{next_pid}};
		}
	}
	return (\%calls, \%failed);
}
my ($model, $failed) = model('t/data/demo.dat');
my %number = map { reverse split ' ' } lines(zedperl({ bare => 1 }, 't/data/demo.dat',
	\'Zed::on("syscall:enter", args => ["nr"], sub { $n{$_[0]} = Zed::syscall_name($_[0]) // $_[0] }); sub trace_end { print "$_ $n{$_}\n" for keys %n }')->{out});
my %is = map { ("$number{$_->{name}} $_->{who}" => { n => $_->{n}, total => $_->{total}, off => $_->{off} // 0, unknown => $_->{unknown} }) }
	@{analysis('syscalls', 't/data/demo.dat', '--by', 'pid', '--legs')->{data}{tables}{calls}{rows}};
cmp_ok(scalar keys %$model, '>', 50, 'many calls of many tasks in a recording');
is_deeply(\%is, $model, 'each has the time, and the time off the CPU, that the spans of its task say (else: a busy task seems to sleep)');

my %called = reverse %number;
my %ERROR = (-2 => 'ENOENT', -10 => 'ECHILD', -25 => 'ENOTTY');
is_deeply([sort +failures(analysis('syscalls', 't/data/demo.dat'))], [sort map { my ($ret, $id, $comm) = split ' '; my $by = $failed->{$_}; my $n = 0; $n += $_ for values %$by;
	join ' ', $ERROR{$ret}, $called{$id}, $comm, keys %$by == 1 ? keys %$by : '-', $n } keys %$failed], 'and fails as often as its exits say, those of one name together');

# perf trace -s, of a recording of perf's: calls, errors, the sum.
SKIP: {
	my ($exec) = grep { -d } $ENV{PERF_EXEC_PATH} // (), '/usr/lib/perf-core', '/usr/libexec/perf-core';
	$exec && -x '/usr/bin/perf' or skip 'no perf here', 1;
	local $ENV{PERF_EXEC_PATH} = $exec;
	for my $file ('t/data/perf/rawsys_g.data', 't/data/perf/dir.data') {
		my $out = temp_path();
		my ($status) = Run::Process::reap(Run::Process::spawn({ stdin => '/dev/null', stdout => $out, stderr => $out }, '/usr/bin/perf', 'trace', '-s', '-i', $file), 60);
		my %theirs = slurp($out) =~ /^\s+(\w+)\s+(\d+\s+\d+\s+[\d.]+)(?=\s+[\d.]+)/mg;
		skip "perf trace does not read $file here", 1 if $status || keys %theirs < 10;
		# An exit without an enter, as of the execve that perf starts with, has no time: perf counts it nevertheless.
		delete $theirs{execve};
		my %ours = map { ($_->{name} => sprintf '%d %d %.3f', @$_{qw(n errors)}, $_->{total} / 1e6) } @{analysis('syscalls', $file)->{data}{tables}{calls}{rows}};
		is_deeply(\%ours, { map { $_ => join ' ', split ' ', $theirs{$_} } keys %theirs }, "$file: the calls, errors and sums of perf trace -s");
	}
}

# Parts of the trace: a recording, and calls that are being restarted at every border.
my $restarts = calls(join '|', map { my $t = 100 * $_; my $pid = 5 + $_ % 3; ("$t 0 $pid enter read", $t + 20 . " 0 $pid exit read -512", $t + 30 . " 0 $pid enter read",
	$t + 60 . " 0 $pid exit read " . ($_ % 2 ? -4 : 1)) } 1 .. 20);
for my $of (small() ? () : 't/data/demo.dat', $restarts) {
	my %calls = (of => $of, analysis => 'syscalls', args => ['--by', 'pid'], windows => 4, table => 'calls', key => [qw(name who)],
		ends => [qw(n errors total ran off unknown)], largest => ['max']);
	windows_add_up(\%calls);
	choice_has_its_rows(\%calls, '--pid', 'who');
	choice_has_its_rows({ %calls, args => ['--by', 'comm'] }, '--comm', 'who') if $of eq 't/data/demo.dat';
	my %failures = (%calls, table => 'failures', key => [qw(error name comm pid)], ends => ['n'], largest => []);
	windows_add_up(\%failures);
	choice_has_its_rows(\%failures, '--pid', 'pid') if $of eq $restarts;
}

# Events of single calls: they are there, and are not called none.
my $single = trace(types => { map({ ("syscalls::sys_${_}_read" => field_text('int __syscall_nr', 8, 4, 1) . field_text('long ret', 16, 8, 1)) } qw(enter exit)) },
	events => [map { [0, 1000 * $_, 'syscalls::sys_' . ($_ % 2 ? 'enter' : 'exit') . '_read', pack 'Vx4q<', 0, 0] } 1 .. 4]);
my $NONE = 'the trace has the events of single calls (syscalls:sys_enter_...), which do not show every return, and not those of all calls: '
	. 'zedtrace raw_syscalls records these';
is_deeply([map { $_->{text} } grep { $_->{key} eq 'none' } @{analysis('syscalls', $single)->{data}{notes}}], [$NONE], 'events of single calls (else: it says that there are no calls)');
my $none = trace();
is_deeply([map { $_->{text} } grep { $_->{key} eq 'none' } @{analysis('syscalls', $none)->{data}{notes}}],
	['the trace has no system calls: zedtrace raw_syscalls records them'], 'no calls at all');
my @single = map { my $to = temp_path(); zedperl({ bare => 1 }, '--map', '-o', $to, $_, 'syscalls'); $to } $none, $single;
like(zedperl({ bare => 1 }, '--reduce', 'syscalls', @single)->{out}, qr/^the traces have the events of single calls /m, 'as states too');

done_testing();
