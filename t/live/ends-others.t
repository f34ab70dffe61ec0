# SPDX-License-Identifier: GPL-2.0-or-later
#
# Others in the instance of a recording on the running kernel: who switches tracing off, who holds a file of it.
# Without it a recording ends early, or an instance stays, and nobody is informed.
#
# of: programs/zedtrace kernel record
# runs: make check
use strict;
use warnings;
use POSIX qw(SIGINT);
use Test::More;
use Time::HiRes qw(sleep);
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();

my $dir = zed_tmp();
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- others in our instance
{
	my $h = live_start('zedtrace', '-o', "$dir/others.dat", 'sched');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'recording') or skip live_end($h, 0)->{err}, 1;
		ok(!rmdir($inst) && $!{EBUSY}, 'nobody can remove the instance while it is recorded');
		system '/bin/true';
		ok(put_text("$inst/tracing_on", '0'), 'another switches tracing off');
		ok(wait_until(30, sub { slurp($h->{err}->filename) =~ /tracing_on/ }), 'that is said, with the file that mends it')
			or diag slurp($h->{err}->filename);
		put_text("$inst/tracing_on", '1');
		system '/bin/true';
		sleep 1.2;	# it looks once a second: no second message
		live_signal($h, 'INT');
		my $r = live_end($h);
		my $report = live_report($r->{err});
		my $sum = eval { dat_events("$dir/others.dat") } // {};
		is($sum->{events}, $report && $report->{events}, 'all of both parts is in the file');
		is(scalar(() = $r->{err} =~ /switched/g), 1, 'said once');
		ok(!-e $inst, 'and the instance is gone');
	}
}
{
	my $file = "$dir/held.dat";
	my $h = live_start('zedtrace', '-o', $file, 'sched');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'recording') or skip live_end($h, 0)->{err}, 1;
		open my $hold, '<', "$inst/per_cpu/cpu0/trace_pipe_raw" or skip "trace_pipe_raw: $!", 1;
		system '/bin/true';
		live_signal($h, 'TERM');
		my $r = live_end($h);
		ok(!$r->{late}, 'another holds a file of the instance: zedtrace ends all the same');
		ok(-e $inst, 'the kernel does not let it go, as this test needs it');
		my ($line) = grep { /cannot remove .*\Q$inst\E/ } @{$r->{lines}};
		ok($line, 'which is said') or diag $r->{err};
		like($line // '', qr/--cleanup/, 'with what to do (else: nobody knows that it is there)');
		my $report = live_report($r->{err});
		my $sum = eval { dat_events($file) } // {};
		is($sum->{events}, $report && $report->{events}, 'the file is whole');
		$r = live_cleanup();
		my ($name) = $inst =~ m{([^/]+)$};
		like("$r->{out}$r->{err}", qr/\Q$name\E[^\n]*(?:open|in use)/, '--cleanup says what is in the way') or diag "$r->{out}$r->{err}";
		close $hold;
		$r = live_cleanup();
		ok(!-e $inst, 'afterwards --cleanup removes it');
		rmdir $inst;
	}
}

leaves_nothing('looked at', sub {
	# On a busy machine who looks into it may have to wait with a file in its hands.
	my $h = live_start('zedtrace', '-o', "$dir/looked.dat", 'sched:sched_process_exec');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'a recording that others look at') or skip 'none', 1;
		open my $hold, '<', "$inst.names/per_cpu/cpu0/trace_pipe_raw" or skip "trace_pipe_raw: $!", 1;
		live_signal($h, 'TERM');
		sleep 0.6;	# what this is about
		close $hold;
		my $r = live_end($h);
		ok(!-e "$inst.names", 'somebody who held a file for half a second: the instance is gone all the same (else: who just looks keeps it for ever)')
			or diag $r->{err};
	}
});

leaves_nothing('a second signal, late', sub {
	# The file is there; who looks into the instance keeps it from being removed for a moment.
	my $h = live_start('zedtrace', '-o', "$dir/late2.dat", 'sched:sched_process_exec');
	my $inst = live_ready($h);
	SKIP: {
		ok($inst, 'a recording whose end takes a while') or skip 'none', 1;
		open my $hold, '<', "$inst/per_cpu/cpu0/trace_pipe_raw" or skip "trace_pipe_raw: $!", 1;
		live_signal($h, 'INT');
		wait_until(30, sub { -e "$dir/late2.dat" && !-e "$dir/late2.dat.zed" });
		sleep 0.5;	# two signals within 0.3 s are one
		live_signal($h, 'INT');
		Run::Process::signal_taken($h->{pid}, SIGINT);
		close $hold;
		my $r = live_end($h);
		like("$r->{exit} $r->{err}", qr/\A130 (?:.*\n)?zedtrace: ended at once; what was recorded is whole\n\z/ms, 'a second signal when the file is whole: nothing is to be recovered (else: who looks for FILE.zed finds none)');
		live_cleanup();
	}
});

done_testing();
