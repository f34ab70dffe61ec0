# SPDX-License-Identifier: GPL-2.0-or-later
#
# The network: zedtrace -l against a client that speaks as the stock one does (t/lib/Run/V3Client.pm) or lies, dies,
# stalls and floods.  On loopback, with ports that the kernel chooses.
#
# of: record/net
# Without it: what one machine sends is damaged, or lost by another one beside it, and nobody sees it.
use strict;
use warnings;
use Test::More;
use IO::Socket::INET;
use POSIX ();
use lib 't/lib';
use Compare::DatRead;
use Write::Dat;
use Write::RfcSource;
use Write::Rfc;
use Run::Clock;
use Run::Server;
use Compare::Stock;
use Compare::TextChanges;
use Run::V3Client;
use Run::Program;

# ---------------------------------------------------------------- what is sent and what came

# The file of a run as the other program prints it: lines of events.
sub events_of {
	my ($path, @more) = @_;
	my $r = zed_run('zedprint', @more, $path);
	return "exit $r->{exit}: $r->{err}" if $r->{exit} || $r->{signal};
	return scalar grep { /cpu = / } split /\n/, $r->{out};
}

# Are the pages in the file those that were sent?
sub same_pages {
	my ($path, $pages) = @_;
	my (undef, $got) = Run::V3Client::recording($path);
	my @bad = grep { ($got->{$_} // '') ne ($pages->{$_} // '') } keys %{{ %$got, %$pages }};
	return @bad ? "other bytes of CPUs @bad" : '';
}

# ---------------------------------------------------------------- good clients

my $clock = clock_new();
my $s = server({ clock => $clock });
my $plain = mini();
send_mini(Run::V3Client->new(port => $s->{port}), $plain);
my $n = $plain->events / 2;
is(report($s, 1), "server: end of run for trace\nChannel: trace\nCPU 0: $n events, 12 KiB data\n" .
	"CPU 1: $n events, 12 KiB data\nTotal: @{[2 * $n]} events (dropped 0), 24 KiB data",
	'a run ends in the report of the seed with true numbers (else: nobody sees what came)');
my ($run) = runs($s);
like($run, qr/^127\.0\.0\.1-\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d$/,
	'the directory is ADDRESS-DATE-TIME (else: recordings are not found)');
my $first = "$s->{dir}/$run/trace.dat";
is(events_of($first), 2 * $n, 'its trace.dat has all events (else: the network loses some)');
is(same_pages($first, { map { $_ => mini_pages($plain, $_) } 0, 1 }), '',
	'its pages are those that were sent, byte for byte (else: data are damaged on their way)');
is_deeply([grep { !/^trace\.dat$/ } do { opendir my $d, "$s->{dir}/$run"; grep { !/^\.\.?$/ } readdir $d }], [],
	'nothing but trace.dat is left (else: spools fill the disk)');
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	is(stock_count($first), 2 * $n, 'trace-cmd report reads it (else: the file is ours alone)');
}
like(slurp($s->{log}), qr/^server: waiting for connections\.\.\.\nserver: connection from 127\.0\.0\.1\nserver: end of run/m,
	'the messages are the seed\'s');

my @kinds = (
	['big endian', big => 1], ['4-byte longs', long => 4], ['big endian with 4-byte longs', big => 1, long => 4],
	['version 6', version => 6], ['version 6, big endian', version => 6, big => 1],
	['16 KiB sub-buffers', page_size => 16384], ['zlib', compression => 'zlib'],
	['zstd', compression => 'zstd'], ['zstd, big endian', compression => 'zstd', big => 1],
);
my $runs = 1;
for my $kind (@kinds) {
	my ($name, %o) = @$kind;
	SKIP: {
		skip 'no zstd tool: apt-get install zstd', 2 if $name =~ /zstd/ && !grep { -x "$_/zstd" } split /:/, $ENV{PATH};
		my $d = mini(%o);
		send_mini(Run::V3Client->new(port => $s->{port}), $d);
		report($s, ++$runs);
		my $path = "$s->{dir}/" . (sort { -M "$s->{dir}/$b" <=> -M "$s->{dir}/$a" || length $a <=> length $b ||
			$a cmp $b } runs($s))[-1] . '/trace.dat';
		is(events_of($path), scalar $d->events, "metadata of a client of $name: all events (else: its machine cannot send)");
		my $r = zed_run('zedprint', '-f', 'json', $path);
		my @n = map { /"n":(\d+)/ ? $1 : () } split /\n/, $r->{out};
		my @want = map { $_->{n} // () } sort { $a->{ts} <=> $b->{ts} || $a->{cpu} <=> $b->{cpu} } $d->events;
		is("@n", "@want", "$name: and their fields (else: its formats are misread)");
	}
}

my $real = 't/data/small_v7_none.dat';
my ($meta, $pages) = Run::V3Client::recording($real);
my $c = Run::V3Client->new(port => $s->{port})->hello->init(1 + (sort { $b <=> $a } keys %$pages)[0], 4096)->metadata($meta);
$c->pages($_, $pages->{$_}) for sort keys %$pages;
$c->finish;
report($s, ++$runs);
my ($newest) = map { "$s->{dir}/$_/trace.dat" } grep { same_pages("$s->{dir}/$_/trace.dat", $pages) eq '' } runs($s);
ok($newest, 'a real recording arrives byte for byte (else: real machines cannot send)');
SKIP: {
	skip 'it has not arrived', 1 if !$newest;
	my $r = zed_run('zedprint', '-f', 'report', $newest);
	is(report_differs('report', $r->{out}, slurp("$real.report.txt")), undef,
		'and reads as trace-cmd read the original: formats, symbols, names (else: metadata are lost on the way)');
}

# ---------------------------------------------------------------- bad clients, others beside them

# What each does; then the line that says why it was dropped.
my $long = mini();
my @bad = (
	['hangs up at once', sub { }, qr/dropped: it hung up/],
	['speaks HTTP', sub { $_[0]->put($_[0]{control}, "GET / HTTP/1.1\r\n\r\n") }, qr/dropped: it does not speak/],
	['is of version 1', sub { $_[0]->put($_[0]{control}, "2\0" . "4096\0" . "0\0"); }, qr/version 1 .*trace-cmd record -N HOST:PORT -t/],
	['insists on version 9', sub {
		my $v = shift;
		$v->get(8);
		$v->put($v->{control}, "-1V9\0");
		$v->get(3) eq "V3\0" or die "no V3\n";
		$v->put($v->{control}, "-1V9\0");
		$v->get(3) eq '' or die "V3 again\n";
	}, qr/insists on version V9/],
	['sends by UDP', sub { eval { $_[0]->hello->init(2, 4096, 'none') } }, qr/UDP.*trace-cmd record -N HOST:PORT -t/],
	['has four billion CPUs', sub { eval { $_[0]->hello->init(0xffffffff, 4096) } }, qr/4294967295 CPUs/],
	['has no CPU', sub { eval { $_[0]->hello->init(0, 4096) } }, qr/ 0 CPUs/],
	['has sub-buffers of 1 byte', sub { eval { $_[0]->hello->init(1, 1) } }, qr/sub-buffers of 1 byte:/],
	['has sub-buffers of 2 GiB', sub { eval { $_[0]->hello->init(1, 1 << 31) } }, qr/sub-buffers of 2147483648 bytes/],
	['has 1000 CPUs with 8 MiB each', sub { eval { $_[0]->hello->init(1000, 8 << 20) } }, qr/in total/],
	['lies: a message of 4 GiB', sub { $_[0]->hello->message('TINIT', pack('N3', 1, 4096, 1), "tcp\0", size => 0xffffffff) },
		qr/invalid message of 4294967295 bytes/],
	['lies: a message of 0 bytes', sub { $_[0]->hello->message('TINIT', '', '', size => 0) }, qr/invalid message of 0 bytes/],
	['lies: a fixed part past the message', sub { $_[0]->hello->message('TINIT', '', '', fixed => 500) }, qr/fixed part of 500/],
	['sends metadata that are noise', sub { $_[0]->hello->init(1, 4096)->metadata("\x17\x08\x45" . 'noise' x 9000) },
		qr/not the beginning of a trace\.dat/],
	['sends no metadata', sub { $_[0]->hello->init(1, 4096)->metadata('') }, qr/not the beginning of a trace\.dat/],
	['sends metadata of a dialect that nobody sends, and no size of sub-buffers', sub {
		my $s = Write::RfcSource::source_cut(Write::RfcSource::source_read('t/data/small_v7_none.dat'), pages => [0, 1]);
		Write::Rfc::rfc_write($s, zed_tmp() . "/rfc.dat", without => { 16 => 1 });
		$_[0]->hello->init(1, 4096)->metadata(slurp(zed_tmp() . "/rfc.dat")) }, qr/no event formats/],
	['sends metadata without formats', sub {
		$_[0]->hello->init(1, 4096)->metadata(substr Run::V3Client::of_mini($long), 0, 200) }, qr/no event formats/],
	['ends within its metadata', sub { $_[0]->hello->init(1, 4096)->message('SEND_DATA', '', 'x' x 100)->message('CLOSE', '', '') },
		qr/ended before the end of its metadata/],
	['sends commands that make no sense', sub {
		my $v = $_[0]->hello->init(1, 4096);
		eval { $v->message(99, '', '') for 1 .. 40 } }, qr/too many unexpected commands/],
	['tries a path in its options', sub {
		eval { $_[0]->hello->init(1, 4096, '../../../../tmp/evil', "tcp/../x") } }, qr/UDP/],
);

# A slow one all the while: what it sends must be right in the end.
my $before = join ' ', runs($s);
my $slow = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
my $stalled = Run::V3Client->new(port => $s->{port});	# never says anything
my $mute = Run::V3Client->new(port => $s->{port})->hello;	# nor this one, after the handshake
my %rest = map { $_ => mini_pages($plain, $_) } 0, 1;
for my $bad (@bad) {
	my ($what, $do, $line) = @$bad;
	my $size = -s $s->{log};
	my $v = Run::V3Client->new(port => $s->{port});
	eval { $do->($v); 1 } or diag("$what: $@");
	shutdown $v->{control}, 1;
	ok(wait_for(sub { substr(slurp($s->{log}), $size) =~ $line }), "a client that $what is dropped, and said why (else: it hurts, or its user does not learn)")
		or diag(substr slurp($s->{log}), $size);
	for my $cpu (0, 1) {
		$slow->pages($cpu, substr $rest{$cpu}, 0, 700, '');
	}
}
is(scalar(grep { $before !~ /\Q$_/ } runs($s)), 1,
	'none of them left a directory, only the slow one has its own (else: garbage fills DIR)');
ok(kill(0, $s->{pid}), 'the server lives');
$slow->pages($_, $rest{$_}) for 0, 1;
$slow->finish;
like(report($s, ++$runs), qr/Total: @{[2 * $n]} events \(dropped 0\), 24 KiB data/,
	'the slow one beside them has lost nothing (else: clients hurt each other)');
clock_forward($clock, 6);
ok(said($s, qr/dropped: no answer for 5 seconds/), 'one that says nothing is dropped after 5 seconds (else: places are taken for ever)');
ok(said($s, qr/dropped: no message for 5 seconds/), 'so is one that stops after the handshake');
is(join(' ', map { s{.*/}{}r } glob "$s->{dir}/../* $s->{dir}/../.[!.]*"), 'dir', 'nothing was written outside of DIR (else: a client writes where it likes)');

# ---------------------------------------------------------------- clients that die

my $dies = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
$dies->pages(0, substr mini_pages($plain, 0), 0, 2 * 4096 + 1000);
$dies->die_now;
my $text = report($s, ++$runs);
like($text, qr/^CPU 0: 62 events, 8 KiB data\nCPU 1: 0 events, 0 KiB data\nTotal: 62 /m,
	'a client that dies leaves its whole sub-buffers (else: a crash costs the recording)');
like(slurp($s->{log}), qr/ended too early.*\n.*sub-buffer of 1 CPU is incomplete/, 'and that it died is said');

my $liar = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
$liar->pages(0, mini_pages($plain, 0));
$liar->message('CLOSE', '', '', size => 5);
like(report($s, ++$runs), qr/^CPU 0: $n events/m, 'one that lies at its end too');
like(slurp($s->{log}), qr/an invalid length/, 'and that is said');

my $odd = Run::V3Client->new(port => $s->{port})->hello->init(1, 4096)->metadata(Run::V3Client::of_mini($plain));
$odd->message('TINIT', '', '');
is(($odd->answer)[0], $Run::V3Client::COMMAND{NOT_SUPP}, 'a command that is none of the time is answered NOT_SUPP');
$odd->pages(0, mini_pages($plain, 0));
$odd->finish;
like(report($s, ++$runs), qr/^CPU 0: $n events/m, 'and does no harm');

# Data connections of others: one from elsewhere is turned away, the client's own is taken after it.
my $mine = Run::V3Client->new(port => $s->{port})->hello->init(1, 4096);
my $other = bless { %$mine, from => '127.0.0.2' }, 'Run::V3Client';
my $thief = eval { $other->connect_to($mine->{ports}[0]) };
SKIP: {
	skip 'no second loopback address', 1 if !$thief;
	eval { $other->put($thief, 'x' x 4096) };
	$mine->metadata(Run::V3Client::of_mini($plain));
	wait_for(sub { IO::Select->new($thief)->can_read(0) });
	eval {
		$mine->pages(0, mini_pages($plain, 0));
		$mine->finish;
	};
	like(report($s, ++$runs), qr/^CPU 0: $n events, 12 KiB/m,
		'data from another address are not taken (else: anybody writes into a recording)');
}

# One address takes no more than its share.  Of a server of its own, where nobody is just going; and who sends already may be
# silent, so that however long 16 take to come, all are there.
my $shared = server({ clock => $clock });
my @many = map { Run::V3Client->new(port => $shared->{port})->hello->init(1, 4096)->metadata(Run::V3Client::of_mini($plain)) } 1 .. 16;
my $seventeenth = Run::V3Client->new(port => $shared->{port});
is($seventeenth->get(999), "zedtrace: it already has 16 connections\n", 'the 17th connection of one address is refused (else: one host keeps all others out)');
SKIP: {
	my $elsewhere = eval { Run::V3Client->new(port => $shared->{port}, from => '127.0.0.2') };
	skip 'no second loopback address', 1 if !$elsewhere;
	is($elsewhere->get(8), 'tracecmd', 'and another address is served all the same');
	$elsewhere->die_now;
}
$_->die_now for @many;
end_server($shared);

# The server ends while one still sends.
my $last = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
$last->pages(0, mini_pages($plain, 0));
wait_for(sub { runs($s) > $runs });
taken($last->{control}, $last->data_socket(0));
is(end_server($s), 0, 'a server that is told to end does so with 0 (else: it hangs on a client)');
like(report($s, ++$runs), qr/^CPU 0: $n events/m, 'and finishes the files of its clients (else: their data are lost)');
my @broken = grep { events_of("$s->{dir}/$_/trace.dat") !~ /^\d+$/ } runs($s);
is("@broken", '', 'every file in DIR can be read (else: clients have hurt each other)');
is(scalar(runs($s)), $runs, 'and there is one for each run');

# ---------------------------------------------------------------- floods

$s = server({ clock => $clock }, '--max-size', 256 * 1024);
my $flood = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
my $good = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
my $page = substr mini_pages($plain, 0), 0, 4096;
my $sent = 0;
eval {
	local $flood->{timeout} = 20;
	for (1 .. 4000) {
		$flood->pages(0, $page x 16);
		$sent += 65536;
	}
};
cmp_ok($sent, '<', 200 << 20, 'a client that floods is cut off (else: it fills the net for ever)');
$good->pages($_, mini_pages($plain, $_)) for 0, 1;
$good->finish;
my $both = report($s, 1) . report($s, 2);
like($both, qr/Total: @{[2 * $n]} events/, 'one beside it is whole');
my @sizes = map { -s "$s->{dir}/$_/trace.dat" } runs($s);
ok(@sizes == 2 && !(grep { $_ > 256 * 1024 } @sizes), 'no file is greater than --max-size (else: a client fills the disk)')
	or diag("@sizes");
cmp_ok((sort { $b <=> $a } @sizes)[0], '>', 150 * 1024, 'and the limit is made use of');
ok(said($s, qr/limit of 256 KiB \(--max-size\) is reached/), 'that the limit was reached is said (else: data end without a reason)');
$flood->die_now;
# Metadata of a hundred kilobytes that unpack to 80 MiB.
my $bomb = Write::Dat->new(page_size => 4096, compression => 'zlib', kallsyms => 'c0001000 T a' . "\n" x (80 << 20));
my $bomber = Run::V3Client->new(port => $s->{port})->hello->init(1, 4096);
eval { $bomber->metadata(Run::V3Client::of_mini($bomb)) };
ok(said($s, qr/unpacked size is \d+ MiB/), 'metadata that unpack to more than any machine has are refused (else: a client takes the memory)');
undef $bomb;

# A client that never stops talking on its control connection.
my $chatter = Run::V3Client->new(port => $s->{port})->hello->init(1, 4096)->metadata(Run::V3Client::of_mini($plain));
eval {
	local $chatter->{timeout} = 20;
	$chatter->put($chatter->{control}, pack('N3', 12, 0x5a454401, 0) x 4000) for 1 .. 100;
};
like(report($s, 3), qr/^Total: 0 events/m, 'one that talks without end is cut off (else: its process never ends)');

my $swollen = Run::V3Client->new(port => $s->{port})->hello->init(1, 4096);
eval { local $swollen->{timeout} = 20; $swollen->metadata('x' x (2 << 20)) };
ok(said($s, qr/metadata are longer than/), 'metadata are bounded by it too');
is(end_server($s), 0, 'and the server ends well');

# Without a limit: much data, little memory.
$s = server();
my $much = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
$much->pages($_ % 2, $page x 256) for 1 .. 32;
my ($child) = split ' ', slurp("/proc/$s->{pid}/task/$s->{pid}/children");
my ($most) = slurp("/proc/$child/status") =~ /^VmHWM:\s*(\d+)/m;
$much->finish;
like(report($s, 1), qr/^Total: @{[31 * 256 * 32]} events \(dropped 0\), 32768 KiB/m, '32 MiB arrive');
SKIP: {
	skip 'a sanitizer has its own ideas of memory', 1 if $ENV{ZED_SAN};
	cmp_ok($most, '<', 24 * 1024, 'and the process that took them has not grown by them (else: a client takes the memory)');
}
is(end_server($s), 0, 'and the server ends well');

# ---------------------------------------------------------------- a live pipe

$s = server('-o', '-');
my $live = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata(Run::V3Client::of_mini($plain));
$live->pages(0, mini_pages($plain, 0));
wait_for(sub { -s $s->{out} });
my $second = Run::V3Client->new(port => $s->{port});
is($second->get(8), 'tracecmd', 'with -o - a second client is served beside the first');
$second->die_now;
$live->pages(1, mini_pages($plain, 1));
$live->finish;
my $ended = wait_for(sub { waitpid($s->{pid}, POSIX::WNOHANG()) == $s->{pid} });
ok($ended && $? == 0, 'the server ends with its stream, with 0') or diag(slurp($s->{log}));
like(report($s, 1), qr/^CPU 1: $n events, 12 KiB data\nTotal: @{[2 * $n]} events/m, 'its report is true');
is(events_of($s->{out}), 2 * $n, 'what it wrote is a stream with all events (else: live reading over the net does not work)');

# ---------------------------------------------------------------- IPv6

SKIP: {
	my $six = eval { require IO::Socket::IP; IO::Socket::IP->new(LocalAddr => '::1', LocalPort => 0, Listen => 1) };
	skip 'no IPv6 here', 2 if !$six;
	close $six;
	$s = server('-a', '::1');
	send_mini(Run::V3Client->new(port => $s->{port}, host => '::1'), $plain);
	like(report($s, 1), qr/Total: @{[2 * $n]} events/, 'a client comes by IPv6');
	like((runs($s))[0], qr/^::1-\d{4}-/, 'and has its directory');
	end_server($s);
}

is(join('', map { grep { /Sanitizer|runtime error|ended by signal/ } split /^/, slurp($_) } glob zed_tmp() . '/log*'), '',
	'no process of a server crashed');

done_testing();
