# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two zedtrace -h into one zedperl --wait: one is stopped by SIGSTOP.  The marks of the other one come all the same, and
# those that the stopped one has kept back come when it continues, and are counted as late.
#
# of: run/stall.c record/net
# runs: make check
# Without it: one machine that hangs stops the view of all others.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program;

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();

put_text("$dir/marks.pl", '$| = 1; sub ftrace::print { my ($cpu, $s, $ns, $seq, $ip, $buf) = @_; chomp $buf; print "$buf\n" }' . "\n");
pipe my $from, my $to or die "pipe: $!\n";
my ($l, $port) = live_server({ stdout => $to }, '-o', '-');
close $to;
my $reader = live_start({ stdin => $from }, 'zedperl', '--stats', '--wait', '1s', '-i', '-', "$dir/marks.pl");
close $from;
my (@clients, @inst);
for (1, 2) {
	push @clients, live_start('zedtrace', '-h', "127.0.0.1:$port", 'sched:sched_process_hang');
	push @inst, live_ready($clients[-1]);
}
my $seen = sub { my ($mark) = @_; return wait_until(30, sub { slurp($reader->{out}->filename) =~ /^\Q$mark\E$/m }) };
my $said = sub { slurp($reader->{err}->filename) };

put_text("$inst[$_]/trace_marker", 'first ' . ($_ + 1)) for 0, 1;
ok($seen->('first 1') && $seen->('first 2'), 'both are seen');
# How often the process PID is woken in a second, in which CODE is called again and again.
sub woken {
	my ($pid, $code) = @_;
	my $count = sub { (slurp("/proc/$pid/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m)[0] };
	my ($before, $at) = ($count->(), mono_now());
	wait_until(10, sub { $code->(); mono_now() - $at > 1 });
	return ($count->() - $before) / (mono_now() - $at);
}

# Two quiet clients: each says four times a second that it lives.
my $rate;
ok(wait_until(30, sub { $rate = woken($reader->{pid}, sub {}); $rate < 50 }),
	'while nothing happens the reader is rarely woken (else: a view that is left open costs a CPU its sleep)') or diag($rate);
# While one has events, the other one, for whose rounds these wait, makes them faster: its process is woken for each.
my $marks = 0;
ok(wait_until(30, sub { $rate = woken($clients[1]{pid}, sub { put_text("$inst[0]/trace_marker", 'busy ' . ++$marks) }); $rate > 20 }),
	'while one has events, the rounds of a quiet one follow each other faster (else: it holds them up for a quarter of a second)') or diag($rate);
live_signal($clients[1], 'STOP');
put_text("$inst[1]/trace_marker", 'kept back');
put_text("$inst[0]/trace_marker", 'meanwhile');
ok($seen->('meanwhile'), 'while one is stopped, the other one\'s events come (else: one machine that hangs stops all)') or diag($said->());
unlike(slurp($reader->{out}->filename), qr/^kept back$/m, '... without those of the stopped one');
ok(wait_until(10, sub { $said->() =~ /127\.0\.0\.1-2: nothing has come from it for \d+\.\d s \(--wait\): the others continue without it/ }), 'which is said') or diag($said->());
live_signal($clients[1], 'CONT');
ok($seen->('kept back'), 'when it continues, its own come, too (else: they are lost)');
ok(wait_until(10, sub { put_text("$inst[0]/trace_marker", 'goad'); $said->() =~ /127\.0\.0\.1-2: it sends again, after \d+\.\d s/ }), '... which is said') or diag($said->());
put_text("$inst[$_]/trace_marker", 'last ' . ($_ + 1)) for 0, 1;
ok($seen->('last 1') && $seen->('last 2'), 'then both are seen as before');
live_signal($_, 'INT') for @clients;
is(live_end($_)->{exit}, 0, 'a client ends well') or diag($_->{ended}{err}) for @clients;
is(live_end($l, 30)->{exit}, 0, 'so does the server');
my $r = live_end($reader, 30);
is($r->{exit}, 0, 'and the reader: nothing was lost') or diag($r->{err});
like($r->{err}, qr/^zedperl: late +[1-9]\d*$/m, 'what came late is counted (else: nobody knows that the order is not whole)') or diag($r->{err});

done_testing();
