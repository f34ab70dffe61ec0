# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h --reconnect: links that break, a server that is started again, one that stays away, and --token-file between
# two of ours.  What was lost on the way is marked in its place.
#
# of: record/net/client_again.c record/recorder.c
# runs: make check
# Without it: a recording that is left running ends with the first hiccup of the network, or has a gap that nobody sees.
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Forward;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();
my $token = "$dir/token";
spew($token, 'a secret of 24 characters');
chmod 0600, $token;

# How many events the server reports of each of N recordings, in their order.
sub totals {
	my ($h, $n) = @_;
	my @of;
	wait_until(60, sub { @of = slurp($h->{err}->filename) =~ /^Total: (\d+)/mg; @of >= $n });
	return @of;
}

# How many events of a file were lost, as a reader tells, and at how many places an unknown number was.
sub lost_in {
	my ($path) = @_;
	my $r = zed_run({ time => 60 }, 'zedperl', '--stats', '-i', $path, '-e', 'sub trace_unhandled {}');
	my ($n, $where) = $r->{err} =~ /^zedperl: lost +(\d+)(.*)/m or return (-1, 0);
	return ($n, $where =~ /unknown number at (\d+) place|(\d+) without a number/ ? $1 // $2 : 0);
}

# ---------------------------------------------------------------- a link that breaks once

my ($l, $port, $at, $r, $report);
for my $case (['a link that breaks', \&drizzle_start, 12_000_000, '-b', '32M'], ['... in a storm, packed', \&storm_start, 2_000_000, '-b', '512K', '-z', 'zstd']) {
	my ($what, $start, $cut, @how) = @$case;
	my $load = $start->(60);
	($l, $port, $at) = live_server_dir('--token-file', $token);
	my $f = forward_start($port, cut => $cut, cuts => 1);
	$r = zed_run({ time => 90 }, 'zedtrace', '-h', "127.0.0.1:$f->{port}", '--reconnect', '1m', '--token-file', $token, @how, 'raw_syscalls', '-d', '3');
	storm_end($load);
	like($r->{err}, qr/sent \d+ KiB before the connection failed: .*: connecting again, for 1 min; meanwhile events stay in the kernel's buffers/,
		"$what does not end the recording, which is said (else: one records for nothing, or not at all)");
	my ($lost) = $r->{err} =~ /127\.0\.0\.1:\d+: connected again after \d+\.\d s: (\d+) events? (?:was|were) lost on the way; what was overwritten/;
	ok(defined $lost, "$what: it is connected again, and what was lost on the way is said") or diag($r->{err});
	$lost //= 0;
	is($r->{exit}, $lost ? 1 : 0, "$what: what is lost shows in the exit status (else: a script takes it for whole)") or diag($r->{err});
	is(forward_count($f), 2, "$what: there were two connections");
	$report = live_report($r->{err}) // {};
	my @events = totals($l, 2);
	my @files = glob "$at/*/trace.dat";
	is(scalar(@files), 2, "$what: the server has a file of each") or diag(slurp($l->{err}->filename));
	# What had arrived within the last tenth of a second was confirmed by nobody.
	my $more = $events[0] + $events[1] - ($report->{events} // 0);
	ok($more >= 0 && $more <= $lost, "$what: in both is what the report tells, and no more than was on the way") or diag("files @events, report $report->{events}, lost $lost\n$r->{err}");
	cmp_ok($events[1], '>', 1000, "$what: the second has what came later");
	my ($first, $second) = map { [lost_in($_)] } sort @files;
	my ($n, $places) = map { $first->[$_] + $second->[$_] } 0, 1;
	my ($overrun) = @{$report->{kinds} // [0]};
	is($report->{dropped}, $lost + $overrun, "$what: the report counts both kinds of losses");
	# A loss in a page that had arrived and was not confirmed is in both.
	ok($places || ($n >= $lost + $overrun && $n - $lost - $overrun <= $first->[0]), "$what: and so have the files, in their places (else: the gap looks like a pause)") or diag("$n lost in them, $lost on the way, $overrun overwritten: $r->{err}", slurp($l->{err}->filename));
	ok($n > 0 || $places, "$what: there is a loss");
	forward_end($f);
	live_signal($l, 'TERM');
	live_end($l);
}

# ---------------------------------------------------------------- a server that is started again, by its port

my $load = storm_start(120);
($l, $port, $at) = live_server_dir();
my $c = live_start('zedtrace', '-h', "127.0.0.1:$port", '--reconnect', '0', '-b', '512K', 'raw_syscalls');
my $inst = live_ready($c);
wait_until(30, sub { live_taken($inst) > 10_000 });
live_signal($l, 'TERM');
is(live_end($l)->{exit}, 0, 'a server ends');
my $said = sub { slurp($c->{err}->filename) };
ok(wait_until(30, sub { $said->() =~ /the server was stopped: everything received is kept: connecting again, for as long as it takes/ }), 'its client stays')
	or diag($said->());
my $second = live_start('zedtrace', '-l', '-p', $port, '-D', $at);
ok(wait_until(60, sub { $said->() =~ /connected again after/ }), 'and finds the next one') or diag($said->());
my $was = live_taken($inst);
wait_until(30, sub { live_taken($inst) > $was + 10_000 });
live_signal($c, 'INT');
$r = live_end($c);
ok(!$r->{late} && ($r->{exit} == 0 || $r->{err} =~ /[1-9]\d* events? (?:was|were) lost on the way/), 'it ends well') or diag("exit $r->{exit}: $r->{err}");
$report = live_report($r->{err}) // {};
is(scalar(() = glob "$at/*/trace.dat"), 2, 'both servers have their part');
my @parts = ((totals($l, 1))[0], (totals($second, 1))[0]);
is($parts[0] + $parts[1], $report->{events}, 'a server that was stopped has told all that it has: the report is exact') or diag($r->{err});
live_signal($second, 'TERM');
live_end($second);

# ---------------------------------------------------------------- one that does not come back, and one that wants no more

($l, $port, $at) = live_server_dir();
$c = live_start('zedtrace', '-h', "127.0.0.1:$port", '--reconnect', '2', 'raw_syscalls');
live_ready($c);
# The process of its client goes on until its parent's end is seen.
live_signal($l, 'KILL');
live_end($l);
$r = live_end($c, 60);
ok($r->{exit} && !$r->{late} && $r->{err} =~ /not connected again within \d+\.\d s/, 'after the time the recording ends, with the reason (else: it fills nothing for ever)')
	or diag("exit $r->{exit}: $r->{err}");

($l, $port, $at) = live_server_dir('--max-size', '12M');
$r = zed_run({ time => 60 }, 'zedtrace', '-h', "127.0.0.1:$port", '--reconnect', '1m', 'raw_syscalls', '-d', '600');
ok($r->{exit} == 1 && $r->{err} =~ /the limit of 12 MiB \(--max-size\) is reached/ && $r->{err} !~ /connecting again/,
	'a limit of the server ends it at once (else: connecting again gets round it)') or diag("exit $r->{exit}: $r->{err}");
live_signal($l, 'TERM');
live_end($l);

# ---------------------------------------------------------------- tokens between two of ours

($l, $port, $at) = live_server_dir('--token-file', $token);
my $wrong = "$dir/wrong";
spew($wrong, 'another secret of 24 chars');
chmod 0600, $wrong;
$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", 'sched', '-d', '0.2');
ok($r->{exit} == 2 && $r->{err} =~ /the server demands a token: --token-file FILE/, 'without a token: refused, with what to write') or diag($r->{err});
$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", '--token-file', $wrong, 'sched', '-d', '0.2');
ok($r->{exit} == 2 && $r->{err} =~ /its token is not that of the server/, 'with another: refused') or diag($r->{err});
$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", '--token-file', $token, 'sched', '-d', '0.2');
is($r->{exit}, 0, 'with the right one all is as without') or diag($r->{err});
live_signal($l, 'TERM');
live_end($l);
($l, $port, $at) = live_server_dir();
$r = zed_run('zedtrace', '-h', "127.0.0.1:$port", '--token-file', $token, 'sched', '-d', '0.2');
ok($r->{exit} == 2 && $r->{err} =~ /the server does not ask for the token/, 'a server that asks for none gets nothing (else: another one takes the recording)')
	or diag($r->{err});
live_signal($l, 'TERM');
live_end($l);
storm_end($load);

done_testing();
