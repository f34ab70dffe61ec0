# SPDX-License-Identifier: GPL-2.0-or-later
#
# The ends of a pipe, zedtrace -o - | zedperl -i -, on the running kernel: a signal to zedperl alone, processes that hold
# the pipe open, a reader that stands still.
#
# of: record/recorder.c record/file/byte_out.c base/input.c programs/zedtrace programs/zedperl
# Without it: half a trace passes for a whole, or a recorder waits for ever.
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
my $count = 'my $lost = 0; my $n = Zed::count("*:*"); sub trace_lost { $lost += $_[1] } sub trace_end { print "end ", $n->total, " $lost\n" }';
$ENV{LC_ALL} = 'C';

# zedtrace and zedperl with a pipe between; the reading end of it stays open here if KEEP says so.
sub pipeline {
	my ($code, $keep) = @_;
	pipe my $read, my $write or die "pipe: $!\n";
	my $zp = live_start({ stdin => $read }, 'zedperl', '-i', '-', '-e', $code);
	my $zt = live_start({ stdout => $write }, 'zedtrace', 'raw_syscalls', '-o', '-');
	close $write;
	if (!$keep) {
		close $read;
		undef $read;
	}
	ok(live_ready($zt), 'it records') or diag live_end($zt, 1)->{err};
	return ($zp, $zt, $read);
}

sub said { my ($h) = @_; return slurp($h->{err}->filename) }

# ---------------------------------------------------------------- TERM to zedperl alone
leaves_nothing('TERM to zedperl', sub {
	my $load = storm_start(30);
	my ($zp, $zt) = pipeline("$count my \$seen; sub raw_syscalls::sys_enter { mkdir '$dir/many' if ++\$seen == 20_000 }");
	# Well within the storm.
	wait_until(30, sub { -d "$dir/many" });
	live_signal($zp, 'TERM');
	my $r = live_end($zp);
	my $t = live_end($zt);
	storm_end($load);
	is("$r->{exit} $r->{signal}", '130 0', 'TERM to zedperl alone: it ends with 130, as the trace goes on (else: half a trace passes for a whole)') or diag $r->{err};
	like($r->{err}, qr/its recorder has not ended a second after it was to/, 'and says why');
	my ($n, $lost) = $r->{out} =~ /\Aend (\d+) (\d+)\n\z/ or diag $r->{out};
	is($t->{exit}, 0, 'zedtrace ends well, its reader being gone') or diag $t->{err};
	my $report = live_report($t->{err});
	cmp_ok($n // 0, '>', 10_000, 'trace_end runs, once, behind the events');
	is($n, $report && $report->{events}, 'handlers got all that zedtrace says was taken (else: the last of it is lost in silence)');
});

# Events that wait in the pipe when the signal comes are handled, however long it takes.
leaves_nothing('TERM to a slow zedperl', sub {
	my $load = storm_start(30);
	my ($zp, $zt) = pipeline('my ($n, $late) = (0, 0); sub raw_syscalls::sys_enter { mkdir "' . $dir . '/slow" if ++$n == 300; select undef, undef, undef, 0.001 if $n < 1000 } ' .
		'sub raw_syscalls::sys_exit { $n++ } sub trace_end { print "end $n 0\n" }');
	wait_until(30, sub { -d "$dir/slow" });
	live_signal($zp, 'TERM');
	my $r = live_end($zp, 60);
	my $t = live_end($zt);
	storm_end($load);
	my ($n) = $r->{out} =~ /\Aend (\d+)/ or diag $r->{out}, $r->{err};
	is($r->{exit}, 130, 'a slow script: 130');
	is($n, (live_report($t->{err}) // {})->{events}, 'a slow script: what was in the pipe by the signal is handled (else: a slow script loses more)');
});

# ---------------------------------------------------------------- a child of the script
leaves_nothing('a child of the script', sub {
	# It stops only once zedtrace was seen to record: 50 events are soon there where others make a storm.
	my ($zp, $zt) = pipeline('sub trace_begin { system "sleep 15 >/dev/null 2>&1 & echo \$!"; print "in ", scalar(() = <STDIN>), "\n" } ' .
		"my \$n = 0; sub trace_unhandled { Zed::stop() if \$n++ > 50 && -d '$dir/seen' }");
	mkdir "$dir/seen" or die "mkdir: $!\n";
	my $load = storm_start(30);
	my $r = live_end($zp);
	my $t = live_end($zt);
	storm_end($load);
	my ($sleep) = $r->{out} =~ /^(\d+)$/m;
	kill 'KILL', $sleep if $sleep;
	is($r->{exit}, 0, 'a script that starts a process and stops') or diag $r->{err};
	like($r->{out}, qr/^in 0$/m, 'its STDIN is empty (else: it eats the trace)');
	ok(!$t->{late}, 'zedtrace ends with zedperl, not with what the script has started (else: it waits for ever for a reader)') or diag $t->{err};
});

# ---------------------------------------------------------------- another descriptor, a reader that stands still
leaves_nothing('a second descriptor', sub {
	my $load = storm_start(30);
	my ($zp, $zt, $read) = pipeline('my $n = 0; sub trace_unhandled { Zed::stop() if $n++ > 50 }', 1);
	is(live_end($zp)->{exit}, 0, 'zedperl has ended');
	my $stalled = qr/the stream's reader \(\S+ $$\) has stopped reading: once the kernel's buffers are full, events are dropped/;
	ok(wait_until(30, sub { said($zt) =~ $stalled }), 'who holds the pipe and does not read is named (else: a recording drops everything in silence)')
		or diag said($zt);
	live_signal($zt, 'INT');
	ok(wait_until(30, sub { said($zt) =~ /waiting up to 5 s for the stream's reader \(\S+ $$\) to read the rest/ }),
		'Ctrl-C says at once what it waits for (else: it seems to hang)') or diag said($zt);
	close $read;
	# After 5 seconds it would have ended with 1.
	my $t = live_end($zt);
	ok(!$t->{late}, 'and it ends with the pipe');
	is($t->{exit}, 0, 'well') or diag $t->{err};
	my $report = live_report($t->{err});
	storm_end($load);
	ok($report && $report->{dropped} > 1000, 'with what nobody read as dropped') or diag $t->{err};
	is(scalar(() = $t->{err} =~ /has stopped reading/g), 1, 'and said once');
});

done_testing();
