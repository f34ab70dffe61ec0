# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -h to zedtrace -l through stunnel, with the settings of zedtrace(1), "Encrypted"; only the ports are others.
#
# of: docs/zedtrace.pod record/net
# runs: make check
# Without it: the manual's way to send a recording encrypted does not work, or lets everybody in.
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use lib 't/lib';
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program qw(:DEFAULT spew);

live_or_skip();
my ($stunnel) = grep { -x } map { ("$_/stunnel", "$_/stunnel4") } split(/:/, $ENV{PATH}), '/usr/sbin';
plan(skip_all => live_cannot('no stunnel here: apt-get install stunnel4')) if !defined $stunnel;
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();

# The two columns of the manual: server, client.
my @conf = ('', '');
for (split /\n/, slurp('docs/zedtrace.pod') =~ s/^.*?\n(?=    foreground = yes +foreground)//sr) {
	last if !/\S/;
	my ($left, $right) = map { s/\s+$//r } unpack 'x4 A36 A*', $_;
	$conf[0] .= "$left\n" if length $left;
	$conf[1] .= "$right\n" if length $right;
}
like($conf[0], qr/^\[zed\]\naccept = 12346\nconnect = 127\.0\.0\.1:12345\nPSKsecrets = zed\.psk\n\z/m, 'the manual has the server\'s settings');
like($conf[1], qr/^\[zed\]\nclient = yes\naccept = 127\.0\.0\.1:12345\nconnect = server:12346\nPSKsecrets = zed\.psk\n\z/m, 'and the client\'s');

sub key { my ($path, $key) = @_; spew($path, "zed:$key\n"); chmod 0600, $path; return $path }
my $right = key("$dir/zed.psk", 'c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3Jl');
my $wrong = key("$dir/other.psk", 'b3RoZXIgc2l4dGVlbiBieXRlcyBhbmQgc28gb24u');
my ($l, $port) = live_server({}, '-D', $dir);
my ($outer, @inner) = map { my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1); $s->sockport } 1 .. 3;

sub tunnel {
	my ($name, $conf, $accept, $connect, $psk) = @_;
	$conf =~ s/^accept = .*$/accept = $accept/m;
	$conf =~ s/^connect = .*$/connect = $connect/m;
	$conf =~ s/^PSKsecrets = .*$/PSKsecrets = $psk/m;
	spew("$dir/$name.conf", $conf);
	my $h = live_start($stunnel, "$dir/$name.conf");
	ok(live_listens($accept =~ s/.*://r), "stunnel $name listens") or diag(slurp($h->{err}->filename));
	return $h;
}
my @tunnels = (tunnel('server', $conf[0], "127.0.0.1:$outer", "127.0.0.1:$port", $right),
	tunnel('client', $conf[1], "127.0.0.1:$inner[0]", "127.0.0.1:$outer", $right),
	tunnel('stranger', $conf[1], "127.0.0.1:$inner[1]", "127.0.0.1:$outer", $wrong));

my $r = zed_run('zedtrace', '-h', "127.0.0.1:$inner[0]", 'sched', '-d', '1');
is($r->{exit}, 0, 'stunnel carries a recording') or diag($r->{err}, map { slurp($_->{err}->filename) } @tunnels);
my $sent = live_report($r->{err}) // {};
cmp_ok($sent->{events} // 0, '>', 20, 'with events');
wait_until(40, sub { slurp($l->{err}->filename) =~ /^Total: /m });
my ($file) = glob "$dir/*/trace.dat";
is($file && dat_events($file)->{events}, $sent->{events}, 'all of which arrive');
$r = zed_run('zedtrace', '-h', "127.0.0.1:$inner[1]", 'sched', '-d', '1');
ok($r->{exit}, 'one with another key is not let in (else: the tunnel is open to everybody)') or diag($r->{err});
is(scalar(() = slurp($l->{err}->filename) =~ /connection from/g), 1, '... the server does not even see it');
for my $h (@tunnels, $l) {
	live_signal($h, 'TERM');
	live_end($h);
}

done_testing();
