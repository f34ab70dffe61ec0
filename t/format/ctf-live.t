# SPDX-License-Identifier: GPL-2.0-or-later
#
# A live session of LTTng, from a relay daemon that is made up: the same events as from a directory with these packets, in
# order of time, as beacons, new metadata and new streams come. Without it a silent CPU stops the others, or a daemon that
# lies takes the memory.
#
# of: reader/ctf/ctf_live.c reader/ctf/relay reader/ctf
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Process qw(wait_until);
use Run::Program;
use Files;
use Run::Relay;
use Run::Zedperl;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);

my $TICK = "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };\n";
my $TOCK = "event { name = \"a:tock\"; id = 2; stream_id = 0; fields := struct { string _s; }; };\n";
my $HEAD = ctf_head(env => { domain => 'ust', tracer_name => 'lttng-ust' });
my %number;

# A packet of the CPU with events at these times, each [TIME, N], or [TIME, TEXT] for a:tock.
sub packet {
	my ($cpu, $end, @events) = @_;
	return { end => $end, packet => ctf_packets({}, { begin => $events[0][0], end => $end, cpu => $cpu, number => $number{$cpu}++,
		events => [map { my ($at, $n) = @$_; [$n =~ /^\d/ ? 1 : 2, $at, sub { $n =~ /^\d/ ? $_[0]->int($n, 32) : $_[0]->string($n) }, 'extended'] } @events] }) };
}

sub url { my ($relay, $of) = @_; return "lttng://127.0.0.1:$relay->{port}" . ($of // '/host/robot/run') }

# The events as "CPU TIME VALUE", and the run.
sub events {
	my ($relay) = @_;
	my $r = zed_run('zedprint', '-f', 'json', '-i', url($relay));
	my $json = JSON::PP->new;
	return ($r, map { my $ev = $json->decode($_); "$ev->{cpu} $ev->{ts} " . join ',', map { $_ // 'lost' } values %{$ev->{fields} // {}} } split /\n/, $r->{out});
}

# ---------------------------------------------------------------- order

my @streams = ({ id => 11, trace => 1, items => [packet(0, 300, [100, 1], [200, 2]), { retry => 2 }, packet(0, 900, [700, 7], [800, 8])] },
	{ id => 12, trace => 1, items => [packet(1, 160, [150, 15]), { beacon => 750 }, { beacon => 1000 }, packet(1, 1300, [1200, 12])] });
my $relay = relay_start(metadata => { 1 => [$HEAD, $TICK] }, streams => \@streams);
my ($r, @got) = events($relay);
is("$r->{exit} $r->{err}", '0 ', 'a session that ends is read to its end');
is_deeply(\@got, ['0 100 1', '1 150 15', '0 200 2', '0 700 7', '0 800 8', '1 1200 12'], 'all events, in order of time (else: one CPU after the other)') or diag $r->{err};
my %asked;
$asked{$_}++ for relay_asked($relay);
is_deeply([map { $asked{$_} // 0 } qw(CONNECT LIST_SESSIONS CREATE_SESSION ATTACH GET_PACKET DETACH)], [1, 1, 1, 1, 4, 1], 'each is asked once, each packet once, and the session is left');
my $dir = ctf_write(zed_tmp() . '/dir', $HEAD . $TICK, map { my $s = $_; ("chan_$s->{id}" => join '', map { $_->{packet} // () } @{$s->{items}}) } @streams);
is(zed_run('zedprint', '-f', 'json', $dir)->{out}, $r->{out}, 'the same as from a directory with these packets');
is(zed_run('zedprint', '-f', 'json', '-i', url($relay) =~ s/^lttng/net/r)->{out}, $r->{out}, 'net:// is the same');
for (['--start 0.000000700', qr/:700,|:800,|:1200,/], ['--end 0.000000200', qr/:100,|:150,|:200,/], ['--around 0.000000700,100ns', qr/:700,|:800,/]) {
	my ($part, $has) = @$_;
	is(zed_run('zedprint', '-f', 'json', split(/ /, $part), '-i', url($relay))->{out}, join('', grep { $_ =~ $has } split /^/, $r->{out}), "$part: those of the whole");
}

# ---------------------------------------------------------------- what comes later

$relay = relay_start(metadata => { 1 => [$HEAD . $TICK] }, streams => [{ id => 11, trace => 1, items => [packet(0, 300, [100, 1]), { metadata => $TOCK }, packet(0, 500, [400, 'four'], [450, 4]),
	{ stream => { id => 13, trace => 1, items => [packet(2, 700, [600, 6])] } }, packet(0, 900, [800, 8])] }]);
($r, @got) = events($relay);
is_deeply(\@got, ['0 100 1', '0 400 four', '0 450 4', '2 600 6', '0 800 8'], 'events that newer metadata describe, and a stream that came later') or diag $r->{err};
is("$r->{exit} $r->{err}", '0 ', '... without a message');
$r = zedperl({ bare => 1 }, '-i', url($relay), '-e', 'use Zed handlers => ["a"]; sub a::tick { $n++ } Zed::on("a:tock", args => ["s"], optional => 1, sub { push @s, $_[0] }); sub trace_end { print "$n @s\n" }');
is($r->{out}, "4 four\n", 'handlers get all of them, of types that are there and that come (else: two types of one name)') or diag $r->{err};
$relay = relay_start(metadata => { 1 => [$HEAD . $TICK], 2 => [ctf_head() . $TOCK] }, streams => [{ id => 11, trace => 1, items => [packet(0, 300, [100, 1])] }, { id => 21, trace => 2, items => [packet(0, 300, [200, 'two'])] }]);
($r, @got) = events($relay);
is_deeply(\@got, ['0 100 1', '0 200 two'], 'two traces of one session');

$relay = relay_start(metadata => { 1 => [$HEAD . $TICK] }, streams => [{ id => 31, trace => 9, items => [] }, { id => 11, trace => 1, items => [packet(0, 300, [100, 1])] }]);
($r, @got) = events($relay);
is_deeply(\@got, ['0 100 1'], 'a stream of a trace whose metadata never come holds nobody back (else: nothing is printed, for ever)');

# ---------------------------------------------------------------- losses

my @lost = map { { packet => ctf_packets({}, $_), end => $_->{end} } } { begin => 100, end => 300, number => 0, lost => 0, events => [[1, 110, sub { $_[0]->int(1, 32) }]] },
	{ begin => 400, end => 500, number => 1, lost => 7, events => [[1, 410, sub { $_[0]->int(2, 32) }]] }, { begin => 600, end => 700, number => 4, lost => 9, events => [[1, 610, sub { $_[0]->int(3, 32) }]] };
$relay = relay_start(metadata => { 1 => [$HEAD . $TICK] }, streams => [{ id => 11, trace => 1, items => \@lost }]);
$r = zedperl({ bare => 1 }, '-i', url($relay), '-e', 'use Zed handlers => ["a"]; sub a::tick { print "tick $_[-1]\n" } sub trace_lost { print "lost ", $_[1] // "some", "\n" }');
is($r->{out}, "tick 1\ntick 2\nlost 7\ntick 3\nlost 2\n", 'losses, also after the last event') or diag $r->{err};
my @gap = map { { packet => ctf_packets({}, $_), end => $_->{end} } } map { my ($begin, $number) = @$_; { begin => $begin, end => $begin + 90, number => $number, lost => 0, events => [[1, $begin + 10, sub { $_[0]->int($number, 32) }]] } } [100, 0], [200, 1], [600, 4];
$relay = relay_start(metadata => { 1 => [$HEAD . $TICK] }, streams => [{ id => 11, trace => 1, items => \@gap }]);
($r) = events($relay);
is(zed_run('zedprint', '-f', 'json', '--start', '0.000000605', '-i', url($relay))->{out}, (split /^/, $r->{out})[-1], 'of a part, packets missing before it: as of the whole (else: the packet before them is looked for in memory that is gone)');

# ---------------------------------------------------------------- names

$r = zed_run('zedprint', '-i', url($relay, ''));
is($r->{exit}, 2, 'without a session: exit status 2');
like($r->{err}, qr{its sessions: /host/robot/run$}m, '... and those that there are');
$r = zed_run('zedprint', '-i', url($relay, '/host/robot/none'));
like($r->{err}, qr{no such live session.*/host/robot/run}s, 'one that is not there');
is(zed_run('zedprint', '-i', url($relay, '/robot/run'))->{exit}, 2, 'a URL of another form');
like(zed_run('zedprint', '-i', 'lttng://127.0.0.1:1/host/robot/run')->{err}, qr/127\.0\.0\.1/, 'a host that does not answer is named');

# ---------------------------------------------------------------- daemons that lie, or go

my @fine = (packet(0, 300, [100, 1]), packet(0, 500, [400, 4]));
for (['goes', qr/closed the connection|reset/, ['0 100 1'], {}, [$fine[0], { close => 1 }]],
	['sends fewer bytes than a packet says', qr/the file ends here, within the packet/, ['0 100 1'], {}, [map { { %$_, packet => substr($_->{packet}, 0, -1) } } packet(0, 300, [100, 1], [200, 2])]],
	['announces a packet that is too large', qr/a packet of \d+ bytes, more than/, ['0 100 1'], {}, [$fine[0], { packet => 'x', size => 1 << 40 }]],
	['sends a packet that is none', qr/no packet begins here/, ['0 100 1', '0 400 4'], {}, [$fine[0], { packet => 'x' x 200, end => 320 }, $fine[1]]],
	['has very many sessions', qr/\d+ sessions, more than/, [], { LIST_SESSIONS => pack 'N', 1 << 30 }],
	['has very many streams', qr/\d+ streams, more than/, [], { ATTACH => pack 'N2', 1, 1 << 31 }],
	['has very many metadata', qr/the metadata have more than/, [], { GET_METADATA => pack 'Q>N', 1 << 60, 1 }],
	['refuses', qr/refuses the session \(status 4\)/, [], { ATTACH => pack 'N2', 4, 0 }],
	['speaks another version', qr/speaks version 9/, [], { CONNECT => pack 'Q>N3', 1, 9, 0, 1 }],
	['has metadata that make no sense', qr/line 1/, [], { GET_METADATA => pack('Q>N', 18, 1) . '/* CTF 1.8 */ nono' }]) {
	my ($what, $said, $want, $wrong, $items) = @$_;
	$relay = relay_start(metadata => { 1 => [$HEAD . $TICK] }, wrong => $wrong, streams => [{ id => 11, trace => 1, items => $items // [@fine] }]);
	($r, @got) = events($relay);
	@got = grep { /\d$/ } @got;
	is_deeply(\@got, $want, "a daemon that $what: what was read until then") or diag $r->{err};
	like($r->{err}, $said, '... and why it ends');
	isnt($r->{exit}, 0, '... in the exit status');
}

$relay = relay_start(metadata => { 1 => [$HEAD . $TICK] }, streams => [{ id => 11, trace => 1, items => [packet(0, 300, [100, 1], [200, 2]), { close => 1 }] }]);
$r = zedperl({ bare => 1 }, '-i', url($relay), '-e', 'use Zed handlers => ["a"]; sub a::tick { print "tick $_[-1]\n" } sub trace_lost { print "lost ", $_[1] // "some", "\n" }');
is($r->{out}, "tick 1\ntick 2\nlost some\n", 'a daemon that goes: a script hears that events are lost, after those that came (else: the end of a trace that was cut off looks like its end)');
like($r->{err}, qr/what was recorded after that is missing; to continue, create the session again/, '... and what to do is said');

# ---------------------------------------------------------------- the end

$relay = relay_start(endless => 1, metadata => { 1 => [$HEAD . $TICK] }, streams => [{ id => 11, trace => 1, items => [packet(0, 300, [100, 1]), { retry => 1_000_000 }] }]);
my $out = zed_tmp() . '/out';
spew($_, '') for $out, "$out.err";
my $pid = Run::Process::spawn({ stdout => $out, stderr => "$out.err" }, zedperl_path(), '-i', url($relay), '-e', 'use Zed handlers => ["a"]; $| = 1; sub a::tick { print "tick\n" } sub trace_end { print "end\n" }');
ok(wait_until(20, sub { slurp($out) =~ /tick/ }), 'an event of a session that goes on is given at once');
kill 'INT', $pid;
my ($status, $late) = Run::Process::reap($pid, 20);
is(slurp($out) . "$status " . ($late ? 'late' : ''), "tick\nend\n0 ", 'Ctrl-C ends with the results') or diag slurp("$out.err");

done_testing();
