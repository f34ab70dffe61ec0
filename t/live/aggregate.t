# SPDX-License-Identifier: GPL-2.0-or-later
#
# Aggregations and synthetic events over this kernel's events, live: they answer from a timer while the run
# goes on, and count what the load did, as the recorder does beside them; what is lost is told. Without it an
# answer has to wait for the end, or a busy machine loses what it counts.
#
# of: analysis/aggregate run/synthetic programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile

my $N = 60_000;

# A child that makes N system calls of one kind (umask with an argument is one) once it is told to.
sub load_new {
	pipe my $wait, my $go or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		close $go;
		sysread $wait, my $byte, 1;
		umask 077 for 1 .. $N;
		exec 'true' or POSIX::_exit(1);
	}
	close $wait;
	return { pid => $pid, go => $go };
}
sub load_run { my ($load) = @_; close $load->{go}; waitpid $load->{pid}, 0; return }

sub script { my ($name, $text) = @_; my $path = zed_tmp() . "/$name.pl"; put_text($path, $text); return $path }

# A timer asks while the load runs; the end tells what there was.
my $count = script('count', <<'SCRIPT');
$| = 1;
my $n = Zed::count('raw_syscalls:sys_enter', by => ['common_pid', 'syscall(id)']);
my @parts = map { Zed::count('raw_syscalls:sys_enter', where => "cpu == $_") } 0 .. Zed::ncpus() - 1;
$SIG{ALRM} = sub { print 'now ', $n->total, "\n"; alarm 1 };
sub trace_begin { alarm 1 if $ENV{ASK} }
sub trace_end {
	alarm 0;
	print "pid $_->{common_pid} $_->{count}\n" for grep { ($_->{'syscall(id)'} // '') eq 'umask' } $n->rows;
	my $sum = 0;
	$sum += $_->total for @parts;
	print 'all ', $n->total, " by cpu $sum lost ", join(' ', $n->lost), "\n";
}
SCRIPT
leaves_nothing('counting', sub {
	my $load = load_new();
	my $file = zed_tmp() . '/same.dat';
	my $rec = live_start('zedtrace', '-b', 8192, '-o', $file, '-F', "raw_syscalls:sys_enter: common_pid == $load->{pid}", 'raw_syscalls:sys_enter');
	local $ENV{ASK} = 1;
	my $h = live_start('zedperl', '-b', 8192, '--live=raw_syscalls:sys_enter', $count);
	ok(live_ready($h) && live_ready($rec), 'it runs, and a recorder beside it') or diag live_end($h)->{err};
	load_run($load);
	my $answers = sub { () = slurp($h->{out}->filename) =~ /^now [1-9]/mg };
	ok(wait_until(20, sub { $answers->() >= 2 }), 'it answers while it runs (else: nobody can look at a long run)');
	live_signal($_, 'INT') for $h, $rec;
	my $r = live_end($h);
	live_end($rec);
	my ($n) = $r->{out} =~ /^pid $load->{pid} (\d+)$/m;
	my ($all, $by_cpu, $lost, $places) = $r->{out} =~ /^all (\d+) by cpu (\d+) lost (\d+) (\d+)$/m;
	ok(defined $lost, 'the end tells what there was') or diag $r->{out} . $r->{err};
	$lost += 1e9 if $places;	# nobody knows how many
	ok($n <= $N && $n + $lost >= $N, "each of $N system calls of the load is counted, or lost and told ($n, $lost lost)");
	is($by_cpu, $all, 'the parts are the whole');
	my @now = $r->{out} =~ /^now (\d+)$/mg;
	is("@now", join(' ', sort { $a <=> $b } @now), 'the answers grow');
	local $ENV{ASK};
	my $f = zed_run('zedperl', $file, $count);
	my ($m) = $f->{out} =~ /^pid $load->{pid} (\d+)$/m;
	my ($file_lost) = $f->{out} =~ /lost (\d+) \d+$/m;
	ok(defined $m && $m <= $N && $m + $file_lost >= $N, "the recorder beside it wrote the same (@{[$m // 'none']}, $file_lost lost)") or diag $f->{out} . $f->{err};
	is($n, $m, 'equal numbers, live and from the file') if !$lost && !$file_lost;
});

# Pairs: a call and its return.
my $pairs = <<'SCRIPT';
my $s = Zed::synthetic('call:time', start => 'raw_syscalls:sys_enter', end => 'raw_syscalls:sys_exit',
	match => 'start.common_pid == end.common_pid && start.id == end.id', fields => [took => 'end.ts - start.ts', task => 'end.common_pid', id => 'start.id']);
my $n = Zed::count('call:time', by => ['task', 'syscall(id)']);
my $least = Zed::min('call:time', 'took');
my $enter = Zed::count('raw_syscalls:sys_enter');
SLOW
sub trace_end {
	print "pid $_->{task} $_->{count}\n" for grep { ($_->{'syscall(id)'} // '') eq 'umask' } $n->rows;
	my $c = $s->counts;
	print join(' ', map { "$_=$c->{$_}" } sort keys %$c), ' least=', $least->total // -1, ' enter=', $enter->total, ' all=', $n->total, ' events=', join('+', $n->lost), "\n";
}
SCRIPT
for my $case (['enough room', 8192, ''], ['a buffer that overflows', 16, 'my $once; Zed::on("call:time", where => "id == UMASK", sub { $once++ or select undef, undef, undef, 1.5 });']) {
	my ($what, $kb, $slow) = @$case;
	leaves_nothing("pairs, $what", sub {
		my $load = load_new();
		(my $text = $pairs) =~ s/SLOW/$slow/;
		$text =~ s/UMASK/syscall_number()/e;
		my $h = live_start('zedperl', '-b', $kb, '--live=raw_syscalls', script("pairs$kb", $text));
		ok(live_ready($h), "$what: it runs") or diag live_end($h)->{err};
		load_run($load);
		live_signal($h, 'INT');
		my $r = live_end($h);
		my ($n) = $r->{out} =~ /^pid $load->{pid} (\d+)$/m;
		$n //= 0;
		my %c = $r->{out} =~ /(\w+)=(-?\d+)/g;
		my ($lost, $places) = $r->{out} =~ /events=(\d+)\+(\d+)/;
		ok(defined $lost, "$what: the end tells what there was") or diag $r->{out} . $r->{err};
		is($c{matched} + $c{aborted} + $c{replaced} + $c{lost} + $c{dropped} + $c{pending}, $c{started}, "$what: whatever started has one fate");
		is($c{started}, $c{enter}, "$what: each call that was seen is a start");
		is($c{all}, $c{matched}, "$what: each match is an event");
		cmp_ok($c{least}, '>=', 0, "$what: no call ends before it begins");
		# An event that is lost costs a pair, and all those that may have been hidden.
		my $may = $lost + $c{lost} + $c{replaced} + ($places ? 1e9 : 0);
		ok($n <= $N && $n + $may >= $N, "$what: of $N pairs $n are matched, others lost and told ($lost events lost, $c{lost} starts)");
		cmp_ok($lost + $places, '>', 0, "$what: there were losses (else: nothing was tried)") if $slow;
	});
}

# The number of umask on this machine, from its manual.
sub syscall_number {
	my %number = (x86_64 => 95, aarch64 => 166, riscv64 => 166, i386 => 60, i686 => 60, armv7l => 60, s390x => 60, ppc64le => 60);
	my $machine = (POSIX::uname())[4];
	return $number{$machine} // 60;
}
done_testing();
