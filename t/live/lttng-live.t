# SPDX-License-Identifier: GPL-2.0-or-later
#
# A live session of LTTng itself: a program that is traced, its session's daemon, and a relay daemon. Without it our side of
# the protocol agrees with our own idea of it only.
#
# of: reader/ctf/ctf_live.c reader/ctf/relay
# runs: make check
use strict;
use warnings;
use IO::Socket::INET ();
use Test::More;
use lib 't/lib';
use Run::Process qw(wait_until);
use Run::Program;
use Run::Program qw(spew);
use Run::Zedperl;

my ($lacks) = grep { my $tool = $_; !grep { -x "$_/$tool" } split /:/, $ENV{PATH} } qw(lttng lttng-sessiond lttng-relayd gcc);
plan skip_all => "no $lacks here (Debian: lttng-tools, liblttng-ust-dev)" if defined $lacks;
my $tmp = zed_tmp();
my $source = spew("$tmp/ticks.c", <<'END');
#include <lttng/tracef.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++) {
		lttng_ust_tracef("tick %d", i);
		usleep(1000);
	}
	return 0;
}
END
sub status_of { my ($o, @cmd) = @_; my ($status) = Run::Process::reap(Run::Process::spawn($o, @cmd), 60); return $status }
plan skip_all => 'no liblttng-ust-dev here' if status_of({ stderr => "$tmp/cc.err" }, 'gcc', '-o', "$tmp/ticks", $source, '-llttng-ust', '-ldl');
plan skip_all => 'a session daemon of LTTng runs here already' if -S '/var/run/lttng/client-lttng-sessiond' || -S "$tmp/.lttng/client-lttng-sessiond";

my @ports = map { IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport } 1 .. 3;
my %env = (HOME => $tmp, LTTNG_HOME => $tmp, LTTNG_UST_REGISTER_TIMEOUT => 20_000);
my @pids;
END { local $?; kill 'TERM', @pids; Run::Process::reap($_, 20) for @pids }

sub lttng { my (@args) = @_; return is(status_of({ env => \%env, stdout => "$tmp/lttng.out", stderr => "$tmp/lttng.err" }, 'lttng', @args), 0, "lttng @args") || diag slurp("$tmp/lttng.err") }
push @pids, Run::Process::spawn({ env => \%env, stdout => "$tmp/relayd.out", stderr => "$tmp/relayd.err" }, 'lttng-relayd', '-o', "$tmp/relayed", '-C', "tcp://127.0.0.1:$ports[0]",
	'-D', "tcp://127.0.0.1:$ports[1]", '-L', "tcp://127.0.0.1:$ports[2]");
push @pids, Run::Process::spawn({ env => \%env, stdout => "$tmp/sessiond.out", stderr => "$tmp/sessiond.err" }, 'lttng-sessiond', '--no-kernel');
ok(wait_until(30, sub { !status_of({ env => \%env, stdout => "$tmp/list", stderr => "$tmp/list.err" }, 'lttng', 'list') }), 'the daemons answer') or diag map { slurp("$tmp/$_.err") } qw(relayd sessiond);
lttng('create', 'zed', '--live=100000', "--set-url=net://127.0.0.1:$ports[0]:$ports[1]");
lttng('enable-event', '-u', 'lttng_ust_tracef:*');
lttng('add-context', '-u', '-t', 'vpid', '-t', 'vtid', '-t', 'procname');
lttng('start');

my $host = slurp('/proc/sys/kernel/hostname') =~ s/\n//r;
my $url = "lttng://127.0.0.1:$ports[2]";
my $before = Run::Process::spawn({ env => \%env }, "$tmp/ticks", 300);
ok(wait_until(30, sub { zed_run('zedprint', '-i', $url)->{err} =~ m{/host/\Q$host\E/zed} }), 'the session is listed') or diag zed_run('zedprint', '-i', $url)->{err};
spew("$tmp/$_", '') for qw(out err);
my $pid = Run::Process::spawn({ stdout => "$tmp/out", stderr => "$tmp/err" }, zedperl_path(), '-i', "$url/host/$host/zed", '-e',
	'$| = 1; use Zed; Zed::on("lttng_ust_tracef:event", args => [qw(ts comm msg)], optional => 1, sub { my ($ts, $comm, $text) = @_; $text = join "", map { chr } @$text if ref $text; '
	. '$back++ if $ts < ($last // 0); $last = $ts; $n++; $named++ if $comm eq "ticks"; print "$text\n" if $text =~ /tick 0\b/ }); sub trace_end { print "end ", $n // 0, " ", $named // 0, " ", $back // 0, "\n" }');
ok(wait_until(30, sub { (() = slurp("$tmp/out") =~ /tick 0/g) >= 1 }), 'events come while it is recorded') or diag slurp("$tmp/err");
# A program that begins later has streams, or buffers, of its own.
is(status_of({ env => \%env }, "$tmp/ticks", 300), 0, 'another program');
Run::Process::reap($before, 30);
ok(wait_until(30, sub { (() = slurp("$tmp/out") =~ /tick 0/g) >= 2 }), '... whose events come, too') or diag slurp("$tmp/out"), slurp("$tmp/err");
lttng('destroy', 'zed');
my ($status, $late) = Run::Process::reap($pid, 60);
is("$status " . ($late ? 'late' : ''), '0 ', 'when the session is destroyed, the run ends') or diag slurp("$tmp/err");
is(slurp("$tmp/out") =~ s/.*(?=^end)//msr, "end 600 600 0\n", 'all events of both, in order, each of its program') or diag slurp("$tmp/err");

done_testing();
