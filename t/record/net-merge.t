# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -l -o -: the streams of several clients as one (a carrier), by clients that speak from the description alone:
# each is a source of its own, in one order by clocks that were compared; one that is cut, bent or silent costs the others
# nothing.  And carriers that are cut and bent themselves.
#
# of: record/net reader/zedstream
# Without it: of a fleet that is looked at live, one machine costs the others, or cause and effect change places.
use strict;
use warnings;
use Test::More;
use POSIX ();
use Time::HiRes ();
use lib 't/lib';
use Write::Dat;
use Run::Clock;
use Run::Process;
use Run::Server;
use Run::V3Client;
use Run::Program qw(:DEFAULT spew);
use Write::ZedStream;

my $plain = mini();
my $n = $plain->events;
my $metadata = Run::V3Client::of_mini($plain);
my %pages = map { $_ => mini_pages($plain, $_) } 0, 1;

# A client's stream; AHEAD: the CLOCK that it has found, ns.
sub stream {
	my ($ahead, %o) = @_;
	my $s = Write::ZedStream->new(meta => $metadata, page_size => 4096, clock => $o{clock} // 'mono');
	$s->frame(10, pack 'q< Q<', $ahead, 1500) if defined $ahead;
	return $s;
}
sub all_of { my $s = shift; return $s->pages(0, $pages{0})->pages(1, $pages{1})->round(1 << 40)->end($n, 0) }
sub client { my ($s) = @_; return Run::V3Client->new(port => $s->{port})->hello->init_stream(2, 4096) }
sub send_all { my ($c, $bytes) = @_; $c->put($c->{control}, $bytes); return $c->stream_answers }

# The events of a carrier by source, in their order: [source, ns].
sub events_of {
	my ($path, @options) = @_;
	my $script = spew(zed_tmp() . '/order.pl', 'sub trace_unhandled { print Zed::source(), " ", Zed::ts(), "\n" }' . "\n");
	my $r = zed_run('zedperl', @options, $path, $script);
	return ($r, map { [split] } split /\n/, $r->{out});
}

sub ended { my $s = shift; return wait_fast($s, sub { waitpid($s->{pid}, POSIX::WNOHANG()) == $s->{pid} }) && $? == 0 }

# The server has written that source NUMBER (from 1) begins: it comes before those that connect from now on.
sub begun {
	my ($s, $number) = @_;
	my $frame = pack('V', 0x80000011) . '....' . pack 'V', $number;
	return wait_for(sub { slurp($s->{out}) =~ /${frame}127\./s });
}

# ---------------------------------------------------------------- two, whose clocks are apart

my $clock = clock_new();
my $s = server({ clock => $clock }, '-o', '-');
my $early = client($s);
$early->put($early->{control}, stream(0)->{bytes});
begun($s, 1);
# This one's clock is behind by what is between two events of the other, more or less.
my $late = client($s);
my @ts = sort { $a <=> $b } map { $_->{ts} } $plain->events;
my $apart = $ts[int @ts / 2] - $ts[0];
my $told = send_all($late, all_of(stream($apart))->{bytes});
ok($told->{closed}, 'a second client has its end while the first goes on (else: one machine at a time can be looked at)');
my $rest = substr all_of(stream(0))->{bytes}, length stream(0)->{bytes};
$told = send_all($early, $rest);
ok($told->{closed}, 'and the first has its own');
ok(ended($s), 'the server ends with the last of them, with 0') or diag(slurp($s->{log}));
my ($r, @got) = events_of($s->{out});
is($r->{exit}, 0, 'what it wrote is read without a complaint') or diag($r->{err});
is(scalar(@got), 2 * $n, 'every event of both is there (else: one loses by the other)');
my %by;
push @{$by{$_->[0]}}, $_->[1] for @got;
my @names = sort keys %by;
is_deeply([map { s/.*out\d+://r } @names], ['127.0.0.1', '127.0.0.1-2'], 'each is a source of its own, named by its address');
is_deeply($by{$names[0]}, [@ts], 'the times of the first are its own');
is_deeply($by{$names[1]}, [map { $_ + $apart } @ts], 'and those of the second have been moved as its CLOCK says');
my @order = map { $_->[1] } @got;
is_deeply(\@order, [sort { $a <=> $b } @order], 'all are in one order by that (else: cause and effect change places)');
$r = zed_run('zedprint', '--summary', $s->{out});
like($r->{out}, qr/^  times +\+0\.0\d+ s to those of the machine that received it, \+-0\.000001500 s; drift/m,
	'--summary tells how clocks compare (else: nobody knows what the order is worth)') or diag($r->{out});
$r = zed_run('zedtrace', '--convert', $s->{out}, '-o', zed_tmp() . '/no.dat');
like($r->{err}, qr/contains the streams of several clients/, 'it is not made a trace.dat, which is of one machine, and that is said');
my $carrier = slurp($s->{out});

# The time of day that the carrier has: that of the server, whose clock is the test's.
my ($kind, undef, $day, $day_wrong) = unpack 'V V q< Q<', substr $carrier, 28, 24;
is($kind, 13, 'a carrier has the time of day');
my $now_day = Time::HiRes::time() - Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC());	# the server began before its clock was moved
cmp_ok(abs($day / 1e9 - $now_day), '<', 1, '... of the machine that received it');
($r, @got) = events_of($s->{out}, '--wall', '-v');
%by = ();
push @{$by{$_->[0]}}, $_->[1] for @got;
is_deeply([map { $by{$_} } @names], [[map { $_ + $day } @ts], [map { $_ + $apart + $day } @ts]],
	'--wall: times of day, by the clocks that were compared (else: one machine\'s date is another one\'s)');
my $day_error = sprintf '%.9f', (1500 + $day_wrong) / 1e9;
like($r->{err}, qr/:127\.0\.0\.1: times of day are those of the machine that received it, wrong by $day_error s at most/,
	'... and by how much they may be wrong is told') or diag($r->{err});

# ---------------------------------------------------------------- losses, of a client that breaks off

$s = server({ clock => $clock }, '-o', '-');
my $lossy = client($s);
$lossy->put($lossy->{control}, stream(0)->pages(0, $pages{0})->frame(12, pack 'V Q<', 0, 5)->frame(12, pack 'V Q<', 99, 6)->frame(12, 'x')->round(1 << 40)->{bytes});
shutdown $lossy->{control}, 1;
$lossy->stream_answers;
ok(ended($s), 'a client that breaks off: the server ends') or diag(slurp($s->{log}));
$r = zed_run('zedperl', '--stats', '-i', $s->{out}, '-e', 'sub trace_unhandled {}');
like($r->{err}, qr/^zedperl: lost     5\b/m, 'what it had lost by then is known (else: no alert before a client has ended)') or diag($r->{err});
is(scalar(() = slurp($s->{log}) =~ /frame of kind 12, .*: left out/g), 2, 'and what is invalid is left out, which is said') or diag(slurp($s->{log}));

# ---------------------------------------------------------------- good ones, and others

$s = server({ clock => $clock }, '-o', '-');
my @good = map { client($s) } 1 .. 2;
$_->put($_->{control}, stream(0)->{bytes}) for @good;
begun($s, 2);
my $cut = client($s);
$cut->put($cut->{control}, stream(0)->pages(0, $pages{0})->{bytes} . pack 'V V V', 3, 4100, 1);
begun($s, 3);
taken($cut->{control});
close $cut->{control};
my $noise = client($s);
eval { send_all($noise, 'noise' x 1000) };
my $silent = Run::V3Client->new(port => $s->{port});
my $stock = Run::V3Client->new(port => $s->{port})->hello->init(2, 4096)->metadata($metadata);
$stock->pages($_, $pages{$_}) for 0, 1;
$stock->finish;
my $bent = client($s);
eval { send_all($bent, stream(-5)->pages(0, 'x' x 4096)->pages(9, $pages{0})->names([1, 2, 'x'])->frame(0x80000099, '')->{bytes}) };
$silent->die_now;
$_->{told} = send_all($_, $rest) for @good;
is(scalar(grep { $_->{told}{closed} } @good), 2, 'two that are honest come to their end beside others that are not');
ok(ended($s), 'and so does the server') or diag(slurp($s->{log}));
($r, @got) = events_of($s->{out});
like($r->{err}, qr/127\.0\.0\.1-\d+: its clock is "local".*cannot be compared/, 'a stock client, whose clock nobody has compared, is named');
($r, @got) = events_of($s->{out}, '--force-merge');
%by = ();
$by{$_->[0] =~ s/.*out\d+://r}++ for @got;
is_deeply([@by{'127.0.0.1', '127.0.0.1-2'}], [$n, $n], 'with every event (else: one client hurts the others)') or diag($r->{err});
is(scalar(grep { $_ == $n } values %by), 3, 'and by --force-merge it has all of its own') or diag(explain(\%by));
is($by{'127.0.0.1-3'}, $n / 2, 'of one that broke off is there what was whole');
like($r->{err}, qr/127\.0\.0\.1-3: .*stream/, 'and that it broke off is told by its name (else: losses are nobody\'s)');
is($r->{exit}, 1, 'which is damage: 1');

# ---------------------------------------------------------------- --stay

$s = server({ clock => $clock }, '-o', '-', '--stay');
send_all(client($s), all_of(stream(0))->{bytes});
report($s, 1);
ok(kill(0, $s->{pid}), 'with --stay the server waits for others (else: a restart of the only client ends all)');
send_all(client($s), all_of(stream(0))->{bytes});
is(end_server($s), 0, 'until it is told to end');
($r, @got) = events_of($s->{out});
ok($r->{exit} == 0 && @got == 2 * $n, 'and what it wrote has its end') or diag($r->{err});

# ---------------------------------------------------------------- one whose clock is ahead of ours, as it comes

# Its first pages come CPU by CPU, and nothing says yet up to when all is there.
{
	my $piece = sub { my ($bytes) = @_; return pack('V V V', 0x80000012, 4 + length $bytes, 1) . $bytes };
	my $first = stream(-1858)->pages(0, $pages{0})->{bytes};
	my $more = substr all_of(stream(-1858))->{bytes}, length $first;
	my $fifo = zed_tmp() . '/ahead';
	POSIX::mkfifo($fifo, 0600) or die "mkfifo: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open my $to, '>', $fifo or POSIX::_exit(1);
		syswrite $to, substr($carrier, 0, 28) . pack('V V V Z*', 0x80000011, 6, 1, 'x') . $piece->($first);
		# Until the reader has taken that, and has waited for more.  (If it has not yet, less is tested.)
		my $waiting = pack 'i', 1;
		wait_for(sub { ioctl $to, 0x541b, $waiting; !unpack 'i', $waiting });
		Time::HiRes::sleep(0.2);
		syswrite $to, $piece->($more) . pack('V V V', 0x80000013, 4, 1) . pack('V V Q2', 8, 16, 0, 0);
		POSIX::_exit(0);
	}
	my ($r, @got) = events_of($fifo, '--stats', '-i');
	waitpid $pid, 0;
	is_deeply([map { $_->[1] } @got], [map { $_ - 1858 } @ts], 'a client whose clock is ahead: its CPUs are in one order from its first event on (else: names and causes are those of later)')
		or diag($r->{err});
	like($r->{err}, qr/^zedperl: late +0$/m, '... and none is late');
}

# ---------------------------------------------------------------- what it writes to is full

$s = server({ clock => $clock, size => 100 << 10 }, '-o', '-', '--stay');
my @full = map { client($s) } 1 .. 2;
# One sends until nothing is taken, the other one waits.
$full[1]->put($full[1]{control}, stream(0)->{bytes});
$full[0]->put($full[0]{control}, stream(0)->{bytes});
{
	local $full[0]{timeout} = 20;
	eval { $full[0]->put($full[0]{control}, Write::ZedStream->new->pages(0, $pages{0})->{bytes} =~ s/^.{16}//sr) for 1 .. 400 };
}
my $status;
ok(wait_fast($s, sub { waitpid($s->{pid}, POSIX::WNOHANG()) == $s->{pid} and ($status = $?, 1) }),
	'a server whose output is full ends') or kill 'KILL', $s->{pid};
is($status, 1 << 8, 'with 1, as something is missing (else: a stream that was cut passes for whole)') or diag($status);
is(scalar(() = slurp($s->{log}) =~ /^zedtrace: server: cannot write the stream to standard output: File too large$/mg), 1, 'and says why, once')
	or diag(slurp($s->{log}));
unlike(slurp($s->{log}), qr/ended by signal/, 'the processes of its clients end by themselves');
for my $i (0, 1) {
	my $heard = eval { $full[$i]->stream_answers } // { why => $@ };
	like($heard->{why}, qr/^the output of the server has no reader any more/, 'client ' . ($i + 1) . ' hears of it (else: it looks for a fault of its own)');
}

# ---------------------------------------------------------------- a carrier in a pipe, while it is made

$s = server({ clock => clock_new() }, '-o', '-', '--stay');
my $fifo = zed_tmp() . '/fifo';
# What comes of the file is read as it grows: a pipe in between.
POSIX::mkfifo($fifo, 0600) or die "mkfifo: $!\n";
my $reader = spawn({ stdin => $fifo, stdout => zed_tmp() . '/read', stderr => zed_tmp() . '/read.err', env => clock_env($clock) },
	zed_bin('zedprint'), '-');
my $tail = spawn({ stdout => $fifo }, 'tail', '-c', '+1', '-f', '--pid', $s->{pid}, '-s', '0.05', $s->{out});
# In its place before the other one connects: else that one may be read to its end first, and waits for nobody.
$early = client($s);
$early->put($early->{control}, stream(0)->{bytes});
$early->placed(length stream(0)->{bytes});
$late = client($s);
$late->put($late->{control}, stream(0)->pages(0, $pages{0})->pages(1, $pages{1})->round(1 << 40)->{bytes});
my $stall = qr/:127\.0\.0\.1: nothing has come from it for 3 s: the events of the others wait/;
# 3 seconds go by in a tenth of them.
ok(wait_for(sub { clock_forward($clock, 0.1); (eval { slurp(zed_tmp() . '/read.err') } // '') =~ $stall }, 120),
	'a source for which the others wait is named while they do (else: a dead link looks like an idle fleet)');
$early->put($early->{control}, stream(0)->{bytes} x 0 . Write::ZedStream->new->pages(0, $pages{0})->pages(1, $pages{1})->round(1 << 40)->{bytes} =~ s/^.{16}//sr);
ok(wait_for(sub { (() = slurp(zed_tmp() . '/read') =~ /cpu = /g) == 2 * $n }),
	'a source that comes later is read beside the others, while they go on (else: nothing is live)')
	or diag(slurp(zed_tmp() . '/read.err'));
send_all($_, Write::ZedStream->new->end($n, 0)->{bytes} =~ s/^.{16}//sr) for $early, $late;
is(end_server($s), 0, 'the server ends');
waitpid $reader, 0;
is(scalar(() = slurp(zed_tmp() . '/read.err') =~ /nothing has come/g), 1, 'it was named once (else: a line each round)');
is($? >> 8, 0, 'and so does its reader, without a complaint') or diag(slurp(zed_tmp() . '/read.err'));
kill 'TERM', $tail;
waitpid $tail, 0;

# ---------------------------------------------------------------- carriers that are cut and bent

sub read_bytes {
	my ($bytes, @how) = @_;
	my $path = zed_tmp() . '/bent.zed';
	spew($path, $bytes);
	return zed_run(@how ? @how : 'zedprint', $path);
}
for my $part (0.02, 0.3, 0.6, 0.98) {
	$r = read_bytes(substr $carrier, 0, int $part * length $carrier);
	ok($r->{exit} && !$r->{signal} && $r->{err} =~ /\S/, "a carrier of which $part is there: read so far, and said") or diag($r->{err});
}
my $head = substr $carrier, 0, 28;
for my $case (['no source', pack('V V Q2', 8, 16, 0, 0), qr/contains no streams: no client has connected yet/],
	['a piece of nobody', pack('V V V', 0x80000012, 4, 7), qr/contains no streams: no client has connected yet/],
	['a source without a name', pack('V V V', 0x80000011, 4, 7), qr/names no source/],
	['a frame of 4 GiB', pack('V V', 0x80000012, 0xffffffff), qr/at most 8388608 are allowed/],
	['a source that is noise', pack('V V V Z*', 0x80000011, 6, 7, 'x') . pack('V V V', 0x80000012, 104, 7) . 'noise' x 20, qr/:x: .*is not a zed stream/],
	['what nobody knows', pack('V V', 0x80000044, 0), qr/required frame of unknown kind/]) {
	my ($what, $bytes, $line) = @$case;
	$r = read_bytes($head . $bytes);
	ok($r->{exit} && !$r->{signal} && $r->{err} =~ $line, "a carrier with $what is refused with the reason") or diag("exit $r->{exit}: $r->{err}");
}
# Of as many sources as there can be, each piece is found at once.
{
	my $many = $head . join('', map { pack 'V V V Z*', 0x80000011, 6, $_, 'x' } 1 .. 60_000) . pack('V V V a', 0x80000012, 5, 1, 'z') x 200_000;
	my $before = (times)[2];
	$r = read_bytes($many . pack 'V V Q2', 8, 16, 0, 0);
	cmp_ok((times)[2] - $before, '<', $ENV{ZED_SAN} ? 20 : 3, 'a carrier of 60,000 sources is read in the time that its bytes need (else: 5 MB cost minutes)');
	ok(!$r->{late} && !$r->{signal} && $r->{err} =~ /:x: offset 0x0: is not a zed stream/, 'to its end') or diag($r->{err});
}
srand($ENV{ZED_SEED} // 21);
my @wild;
for (1 .. $ENV{ZED_TURNS} // 60) {
	my $b = $carrier;
	for (0 .. rand 5) {
		my $at = 16 + int rand(length($b) - 16);
		if (rand() < 0.6) {
			substr($b, $at, 1) = chr int rand 256;
		} elsif (rand() < 0.5) {
			substr($b, $at, 1 + int rand 30) = '';
		} else {
			substr($b, $at, 0) = substr $b, int rand length $b, 1 + int rand 60;
		}
	}
	$r = read_bytes($b);
	push @wild, "signal $r->{signal}: $r->{err}" if $r->{signal} || $r->{late} || $r->{exit} > 2 || $r->{err} =~ /Sanitizer|runtime error/;
}
is("@wild", '', 'bent carriers are read or refused, and nothing crashes (else: a saved one is a trap)');
is(join('', map { grep { /Sanitizer|runtime error|ended by signal/ } split /^/, slurp($_) } glob zed_tmp() . '/log*'), '',
	'no process of a server crashed');

done_testing();
