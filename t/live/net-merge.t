# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several zedtrace -h into one zedperl: zedtrace -l -o - | zedperl -i -, with a slow client, one that is killed, and one
# that talks nonsense.  What handlers get of each source is what its recorder reports.
#
# of: record/net reader/zedstream run/merge.c
# runs: make check
# Without it: of a fleet that is looked at live, one machine loses events by the others.
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use lib 't/lib';
use Run::Forward;
use Run::Live;
use Run::LiveServer;
use Run::Process;
use Run::Program;

live_or_skip();
my $held = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
my $dir = zed_tmp();

put_text("$dir/count.pl", <<'PL');
my (%n, %lost, $last, $back);
sub trace_unhandled {
	my $ts = Zed::ts();
	$n{Zed::source()}++;
	$back++ if defined $last && $ts < $last;
	$last = $ts;
}
sub trace_end { print "$_ $n{$_}\n" for sort keys %n; printf "back %d\n", $back // 0 }
PL
pipe my $from, my $to or die "pipe: $!\n";
my ($l, $port) = live_server({ stdout => $to }, '-o', '-');
close $to;
my $reader = live_start({ stdin => $from }, 'zedperl', '--stats', '-i', '-', "$dir/count.pl");
close $from;
my $slow_way = forward_start($port, slow => 0.002);
my $slower = forward_start($port, slow => 0.2, piece => 4 << 20);	# ten times as long as an event waits for earlier ones
# One after the other, so that their names are known.
my @clients;
for my $at ($port, $slow_way->{port}, $port, $port, $slower->{port}) {
	my $c = live_start('zedtrace', '-h', "127.0.0.1:$at", '-b', '8M', $at == $slower->{port} ? 'sched:sched_switch' : qw(sched irq),
		@clients == 3 ? ('-z', 'zstd') : (), '-d', 90);
	live_ready($c, 40);
	push @clients, $c;
}
my $noise = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port);
print $noise "GET / HTTP/1.1\r\n\r\n";
my $load = storm_start(60);
select undef, undef, undef, 1;
live_signal($clients[2], 'KILL');
live_end($clients[2]);
live_cleanup();	# what kill -9 left
storm_end($load);
live_signal($clients[$_], 'INT') for 0, 1, 3, 4;
my @r = map { $_ == 2 ? undef : live_end($clients[$_], 40) } 0 .. 4;
my $server = live_end($l, 30);
my $got = live_end($reader, 40);
my %n = map { /^\S*:(\S+) (\d+)$/ ? ($1 => $2) : () } split /\n/, $got->{out};
my @name = ('127.0.0.1', map { "127.0.0.1-$_" } 2 .. 5);
my @what = ('the first', 'one by a slow way', undef, 'another, packed on its way', 'the last, by a slower way');
for my $i (grep { $what[$_] } 0 .. 4) {
	my $report = live_report($r[$i]{err}) // {};
	is($r[$i]{exit}, 0, "$what[$i] ends well") or diag($r[$i]{err});
	is($n{$name[$i]}, $report->{events}, "handlers get of $what[$i] what it reports (else: one loses by the others)") or diag($got->{err}, $r[$i]{err});
}
cmp_ok($n{$name[2]} // 0, '>', 0, 'of one that was killed is there what came');
like($got->{err}, qr/:127\.0\.0\.1-3: the stream ends without its end/, 'and by its name that it was cut (else: losses are nobody\'s)') or diag($got->{err});
is($got->{exit}, 1, 'which is damage: 1');
# Where more than 64 MiB would have to wait for a client, what is late is counted as that.
my ($late) = $got->{err} =~ /^zedperl: late +(\d+)/m;
ok($late || $got->{out} =~ /^back 0$/m, 'all are in one order, by one clock, or told as late (else: cause and effect change places)')
	or diag($got->{out}, $got->{err});
is($server->{exit}, 0, 'the server ends with the last of them') or diag($server->{err});
like($server->{err}, qr/dropped: it does not speak/, 'and has dropped the one that talked nonsense');

done_testing();
