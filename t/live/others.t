# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others do with an instance while zedtrace records into it, or zedperl --live reads it, on the running kernel:
# reading its buffers, clearing them, resizing them, switching events off, setting its clock.  Each is said, the report counts what the
# output has, and handlers are told of the rest as lost.  Without it a trace has a hole that nothing shows.
#
# of: record kernel programs/zedtrace
# runs: make check
use strict;
use warnings;
use Fcntl qw(O_NONBLOCK O_RDONLY);
use POSIX ();
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $dir = zed_tmp();
$ENV{LC_ALL} = 'C';
my $READ = qr/another process opened trace_pipe in \S+zed\.\d+\.\d+: events that it reads are missing here/;

# Beside a load of system calls, a recorder that START starts: when events come, DO gets its instance's directory and
# code that waits until it has said what matches.  Its end, as live_end() gives it.
sub beside {
	my ($what, $start, $do, $load) = @_;
	$load //= drizzle_start(60);
	my $r = leaves_nothing($what, sub {
		my $h = $start->($load);
		my $inst = live_ready($h) or return live_end($h, 1);
		wait_until(30, sub { live_taken($inst) > 1000 });
		$do->($inst, sub { my ($like) = @_; wait_until(30, sub { slurp($h->{err}->filename) =~ $like }) }, $load);
		my $taken = live_taken($inst);
		wait_until(30, sub { live_taken($inst) > $taken + 1000 });
		live_signal($h, 'TERM');
		return live_end($h);
	});
	storm_end($load);
	is($r->{exit}, 0, "$what: the run ends well") or diag $r->{err};
	return $r;
}

# Reads the buffers of INST as somebody else, until SEEN says that this was noticed; how many bytes, at least LEAST.
sub read_too {
	my ($inst, $seen, $least) = @_;
	sysopen my $pipe, "$inst/trace_pipe", O_RDONLY | O_NONBLOCK or return 0;
	my $bytes = 0;
	wait_until(30, sub { $bytes += sysread($pipe, my $text, 1 << 16) // 0; $bytes > $least });
	$seen->($READ);
	return $bytes;
}

# What a script is told of losses in FILE.
my $told = 'my $lost = 0; my $n = Zed::count("*:*"); sub trace_lost { $lost += $_[1] } sub trace_end { print "told $lost of ", $lost + $n->total, "\n" }';
sub told {
	my ($file) = @_;
	return zed_run({ time => 60, memory => 0 }, 'zedperl', '-i', $file, '-e', $told)->{out} =~ /^told (\d+)/m ? $1 : undef;
}

# ---------------------------------------------------------------- zedtrace
sub to_file { my @args = @_; return sub { live_start('zedtrace', 'raw_syscalls', @args) } }
sub to_stdout { my ($stdout) = @_; return sub { live_start({ stdout => $stdout }, 'zedtrace', 'raw_syscalls', '-o', '-') } }

for my $what ('a file', 'a pipe', 'a stream to a file') {
	my $file = $what eq 'a file' ? "$dir/a.dat" : "$dir/a.zed";
	my ($cat, $write);
	if ($what eq 'a pipe') {
		pipe my $read, $write or die "pipe: $!\n";
		$cat = spawn({ stdin => $read, stdout => $file, child => sub { POSIX::close(fileno $write) } }, 'cat');
	}
	my $bytes;
	my $r = beside($what, $cat ? to_stdout($write) : $what eq 'a file' ? to_file('-o', $file) : to_stdout($file), sub { $bytes = read_too(@_[0, 1], 20_000) });
	if ($cat) {
		close $write;
		reap($cat, 30);
	}
	my ($said, $report) = ($r->{err}, live_report($r->{err}));
	cmp_ok($bytes, '>', 1000, "$what: another has read events");
	like($said, $READ,
		"$what: which is said at once (else: a hole in a trace that nothing tells)");
	ok($report && $said =~ /other processes read (\d+) events from the buffers of this session: missing here/, "$what: with the number") or diag $said;
	my $number = $1 // 1;
	is($report->{events}, zed_lines($file), "$what: the report has what the output has");
	cmp_ok($report->{dropped}, '>=', $number, "$what: and counts the others as dropped");
	is(told($file), $report->{dropped}, "$what: a script is told that these are lost (else: its answer seems to be of all)");
	unlink $file;
}

{
	my $cleared = qr{another process cleared \S+/trace: the events in the buffers are lost};
	my $said = beside('cleared', to_file('-o', "$dir/c.dat"), sub { put_text("$_[0]/trace", "\n"); $_[1]->($cleared) })->{err};
	like($said, $cleared, 'clearing our buffers is said');
	is(live_report($said)->{events}, zed_lines("$dir/c.dat"), 'and the report counts what the file has, not what the kernel counts anew')
		or diag $said;
}
{
	my $off = qr/another process disabled sched:sched_waking in this instance: these events are no longer recorded/;
	my $said = beside('switched off', to_file('sched:sched_switch', 'sched:sched_waking', '-o', "$dir/d.dat"), sub {
		put_text("$_[0]/events/sched/sched_waking/enable", '0');
		$_[1]->($off);
	})->{err};
	like($said, $off, 'an event that somebody switches off is named (else: it seems not to have happened)');
	unlike($said, qr/sched_switch/, 'and no other');
	unlike($said, qr/trace_pipe|others have/, 'nor anything that nobody did');
}

# The kernel counts from 0 again when its clock is set: what others had read when that was last looked at is still known,
# but for as many events as we have read ourselves since.  The load, whose events are the only ones, stands still then.  An
# event that is switched off is said after such a look; of two, one after the other, the second after a look that began
# when all was read.
my $CLOCK = qr{another process set \S+/trace_clock: .* no longer comparable};
my $NUMBER = qr/other processes read (\d+) events from the buffers of this session: missing here/;
my @SLOW = ($^X, '-e', 'while (1) { getppid for 1 .. 20; select undef, undef, undef, 0.01 }');
sub of_load { my ($load) = @_; return ('-F', "raw_syscalls: common_pid == $load") }
sub read_then_clock {
	my ($inst, $seen, $load) = @_;
	read_too($inst, $seen, 100_000);	# more than is in the sub-buffers that we may still read
	kill 'STOP', $load;
	live_drained($inst);	# what a busy machine left unread would be read after that look
	for my $event ('sys_exit', 'sys_enter') {
		put_text("$inst/events/raw_syscalls/$event/enable", '0');
		$seen->(qr/another process disabled raw_syscalls:$event in this instance/);
	}
	put_text("$inst/events/raw_syscalls/enable", '1');
	put_text("$inst/trace_clock", 'boot');
	kill 'CONT', $load;
	return $seen->($CLOCK);
}
{
	my $said = beside('read, and the clock', sub { live_start('zedtrace', of_load(@_), '-b', 64, '-o', "$dir/b.dat", 'raw_syscalls') },
		\&read_then_clock, storm_start(60, @SLOW))->{err};
	like($said, $CLOCK, 'a file: another clock is said');
	cmp_ok($said =~ $NUMBER ? $1 : 0, '>', 100, 'and what was read before is not forgotten (else: the kernel\'s count begins anew)') or diag $said;
	my $report = live_report($said);
	cmp_ok(told("$dir/b.dat") // 0, '>=', $said =~ $NUMBER ? $1 : 1, 'a script is told that it is lost');
	is($report && $report->{events}, zed_lines("$dir/b.dat"), 'the report has what the file has');
}
{
	my $resized = qr/another process resized the buffers of \S+zed\.\d+\.\d+: events that no longer fit are lost/;
	my $said = beside('resized', to_file('-b', 256, '-o', "$dir/s.dat"), sub { put_text("$_[0]/buffer_size_kb", '64'); $_[1]->($resized) })->{err};
	like($said, $resized, 'another size of the buffers is said');
	unlike($said, qr/trace_pipe|others have/, 'and nothing that nobody did');
}

# ---------------------------------------------------------------- zedperl --live
# Handlers instead of an output; what was printed and said.
sub live_beside {
	my ($what, $do) = @_;
	my $r = beside("--live: $what", sub { live_start('zedperl', '--live=raw_syscalls', '-e', $told) }, $do);
	return ($r->{out}, $r->{err});
}

{
	my ($out, $said) = live_beside('read', sub { read_too(@_[0, 1], 20_000) });
	like($said, $READ, '--live: another who reads our buffers is said');
	ok($said =~ /other processes read (\d+) events from the buffers of this session: missing here/, '--live: with the number') or diag $said;
	my ($number) = $1 // 1;
	my ($lost) = $out =~ /^told (\d+) of/m;
	cmp_ok($number, '>', 100, '--live: which is not small after so much was read');
	cmp_ok($lost // 0, '>=', $number, '--live: and handlers are told of them as lost (else: a script answers as if it had seen all)');
	my $like = qr{another process cleared \S+/trace};
	($out, $said) = live_beside('cleared', sub { put_text("$_[0]/trace", "\n"); $_[1]->($like) });
	like($said, $like, '--live: clearing our buffers is said');
	unlike($said, qr/trace_pipe/, '--live: and nothing that nobody did');
	$like = qr{another process set \S+/trace_clock: .* no longer comparable};
	($out, $said) = live_beside('clock', sub { put_text("$_[0]/trace_clock", 'boot'); $_[1]->($like) });
	like($said, $like, '--live: another clock is said');
	$like = qr/another process disabled raw_syscalls:sys_exit in this instance/;
	($out, $said) = live_beside('switched off', sub { put_text("$_[0]/events/raw_syscalls/sys_exit/enable", '0'); $_[1]->($like) });
	like($said, $like, '--live: an event that is switched off is named');
	my $r = beside('--live: read, and the clock', sub { live_start('zedperl', '--live=raw_syscalls', of_load(@_), '-e', $told) },
		\&read_then_clock, storm_start(60, @SLOW));
	($out, $said) = @$r{qw(out err)};
	cmp_ok($said =~ $NUMBER ? $1 : 0, '>', 100, '--live: what was read before another clock is not forgotten') or diag $said;
	($lost) = $out =~ /^told (\d+) of/m;
	cmp_ok($lost // 0, '>=', $said =~ $NUMBER ? $1 : 1, '--live: and is lost');
	# It looks every half second or so.
	($out, $said) = live_beside('nobody', sub { select undef, undef, undef, 1.5 });
	unlike($said, qr/somebody|others/, '--live: left alone, it complains of nobody');
}

done_testing();
