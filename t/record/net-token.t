# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -l --token-file: clients that know the secret, by a client that proves it from the description alone, and all
# others.  The file, and the client of ours.
#
# of: record/net/token.c record/net/client.c record/net/server/handshake.c
# Without it: who can connect can fill the disk, and a secret that is sent in the clear is none.
use strict;
use warnings;
use Test::More;
use Digest::SHA qw(hmac_sha256);
use IO::Socket::INET;
use lib 't/lib';
use Run::Process;
use Run::Program qw(:DEFAULT spew);
use Run::Server;
use Run::V3Client;
use Write::ZedStream;

use constant { NONCE => 0x5a454408, PROOF => 0x5a454409 };	# messages between two of ours: record/net/wire.h

my $secret = 'a secret of 24 characters';
my $file = zed_tmp() . '/token';
spew($file, "$secret\n");
chmod 0600, $file;

my $plain = mini();
my $metadata = Run::V3Client::of_mini($plain);
my $n = $plain->events;
my $s = server('--token-file', $file);
my $log = sub { slurp($s->{log}) };

# The proof of SIDE with the number OURS.
sub proof { my ($key, $side, $ours, $theirs) = @_; return hmac_sha256("zedtrace $side\0$theirs$ours", $key) }

# A client that says it has a token: its connection, and the server's number.
sub asked {
	my $c = Run::V3Client->new(port => $s->{port})->hello;
	$c->message('TINIT', pack('N3', 2, 4096, 4), "tcp\0zed\0zed-stream\0zed-token\0");
	my ($command, $nonce) = $c->answer;
	is($command, NONCE, 'the server asks for a proof') or return;
	is(length $nonce, 32, '... with a random number');
	return ($c, $nonce);
}

# What the server says why.
sub why { my $c = shift; my ($command, undef, $data) = eval { $c->answer }; return ($command // -1) == 5 ? $data : "command " . ($command // 'none') }

# ---------------------------------------------------------------- one that knows it

my ($c, $nonce) = asked();
my $ours = 'o' x 32;
$c->message(PROOF, $ours . proof($secret, 'client', $ours, $nonce), '');
my ($command, $theirs) = $c->answer;
is($command, PROOF, 'one that knows the token is let in');
is($theirs, proof($secret, 'server', $nonce, $ours), 'and the server proves that it knows it, too (else: any other gets the recording)');
($command) = $c->answer;
is($command, $Run::V3Client::COMMAND{RINIT}, 'and then everything is as without a token');
my $stream = Write::ZedStream->new(meta => $metadata, page_size => 4096, clock => 'mono');
$stream->pages($_, mini_pages($plain, $_)) for 0, 1;
$c->put($c->{control}, $stream->end($n, 0)->{bytes});
ok($c->stream_answers->{closed}, 'its recording is taken') or diag($log->());
like(report($s, 1), qr/^Total: $n events/m, 'whole');

my (undef, $other) = asked();
isnt($other, $nonce, 'another client is asked with another number (else: a recorded proof opens the door)');

# ---------------------------------------------------------------- others

for my $case (['with another token', sub { $ours . proof('another secret of 24 chars', 'client', $ours, $_[0]) }],
	['with an old proof', sub { $ours . proof($secret, 'client', $ours, $nonce) }],
	['that sends our own proof back', sub { $_[0] . proof($secret, 'server', $_[0], $_[0]) }],
	['with half a proof', sub { substr $ours . proof($secret, 'client', $ours, $_[0]), 0, 48 }]) {
	my ($what, $answer) = @$case;
	my ($one, $number) = asked();
	$one->message(PROOF, $answer->($number), '');
	like(why($one), qr/^(?:its token is not that of the server|expected its token)/, "one $what is refused, and told why");
}
my $ours_without = Run::V3Client->new(port => $s->{port})->hello;
$ours_without->message('TINIT', pack('N3', 2, 4096, 3), "tcp\0zed\0zed-stream\0");
is(why($ours_without), 'the server demands a token: --token-file FILE', 'one of ours without a token is told what to write');
eval { Run::V3Client->new(port => $s->{port})->hello->init(2, 4096) };
like($@, qr/command 5 is the answer/, 'trace-cmd is refused in its own protocol');
ok(said($s, qr/dropped: it gives no token, which this server demands \(--token-file\): zedtrace -h can, trace-cmd cannot/), '... and the log says why');
is(scalar(runs($s)), 1, 'none of them has left anything');
unlike($log->(), qr/\Q$secret\E/, 'the log does not have it');
is(end_server($s), 0, 'the server ends well');

# ---------------------------------------------------------------- the file

sub with_file {
	my ($what, $bytes, $mode, $like) = @_;
	my $path = zed_tmp() . '/odd';
	unlink $path;
	spew($path, $bytes) if defined $bytes;
	chmod $mode, $path if $mode;
	my $r = zed_run('zedtrace', '-l', '-p', '0', '-D', zed_tmp(), '--token-file', $path);
	ok($r->{exit} == 2 && $r->{err} =~ $like, "a file that $what is refused, with what to do") or diag("exit $r->{exit}: $r->{err}");
	return;
}
with_file('others can read', "$secret\n", 0644, qr/its mode is 0644.*chmod 600/);
with_file('the group can write', "$secret\n", 0620, qr/its mode is 0620/);
with_file('is not there', undef, 0, qr/cannot open .*No such file/);
with_file('is short', "short\n", 0600, qr/has 5 bytes: a token has 16 to 1023.*urandom/);
with_file('is long', 'x' x 5000, 0600, qr/has at least 1024 bytes/);
mkdir zed_tmp() . '/dir', 0700;
my $r = zed_run('zedtrace', '-l', '-p', '0', '--token-file', zed_tmp() . '/dir');
ok($r->{exit} == 2 && $r->{err} =~ /not a regular file/, 'and a directory');

done_testing();
