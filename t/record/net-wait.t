# SPDX-License-Identifier: GPL-2.0-or-later
#
# --wait: of several clients of zedtrace -l -o -, one falls silent.  The others continue without it after that time, and
# what it sends later is delivered and counted as late.
#
# of: run/stall.c run/merge.c
# Without it: one machine that hangs stops the view of a whole fleet.
use strict;
use warnings;
use Test::More;
use POSIX ();
use lib 't/lib';
use Run::Clock;
use Run::Process;
use Run::Program;
use Run::Server;
use Run::V3Client;
use Write::Dat;
use Write::ZedStream;

my $plain = mini();
my $metadata = Run::V3Client::of_mini($plain);
my @ts = sort { $a <=> $b } map { $_->{ts} } $plain->events;
my $n = @ts;

# What a client sends first: its metadata and its clock, which is ours.
sub beginning {
	return Write::ZedStream->new(meta => $metadata, page_size => 4096, clock => 'mono')->frame(10, pack 'q< Q<', 0, 1500)->{bytes};
}

# Frames without a beginning.
sub rest {
	my ($code) = @_;
	return $code->(Write::ZedStream->new)->{bytes} =~ s/^.{16}//sr;
}

sub client {
	my ($s) = @_;
	my $c = Run::V3Client->new(port => $s->{port})->hello->init_stream(2, 4096);
	$c->put($c->{control}, beginning());
	return $c->placed(length beginning());
}

my $everything = rest(sub { my $s = shift; $s->pages($_, mini_pages($plain, $_)) for 0, 1; return $s->round(1 << 40) });

# What the reader has written: to its output, in messages.
my ($out, $err) = map { zed_tmp() . "/read$_" } '', '.err';
sub printed { return scalar(() = slurp($out) =~ /cpu = /g) }
sub said_by_reader { return eval { slurp($err) } // '' }

my $s = server({ clock => clock_new() }, '-o', '-', '--stay');
my @clients = map { client($s) } 1 .. 3;
for (@clients[1, 2]) {
	$_->put($_->{control}, $everything);
	$_->placed(length(beginning()) + length $everything);
}
my $round = pack 'V V Q<', 4, 12, 1 << 40;
wait_for(sub { (() = slurp($s->{out}) =~ /\Q$round\E/g) == 2 });

# The reader, whose time is the test's, gets what comes of the file as it grows: a pipe in between.
my $clock = clock_new();
my $fifo = zed_tmp() . '/fifo';
POSIX::mkfifo($fifo, 0600) or die "mkfifo: $!\n";
my $reader = spawn({ stdin => $fifo, stdout => $out, stderr => $err, env => clock_env($clock) }, zed_bin('zedprint'), '--stats',
	'--wait', '2s', '-');
my $tail = spawn({ stdout => $fifo }, 'tail', '-c', '+1', '-f', '--pid', $s->{pid}, '-s', '0.05', $s->{out});
my $leaves = qr/:127\.0\.0\.1: nothing has come from it for \d+\.\d s \(--wait\): the others continue without it/;
ok(wait_for(sub { clock_forward($clock, 0.02); said_by_reader() =~ $leaves }, 120), 'after that time the others continue, which is said (else: a gap looks like peace)')
	or diag(said_by_reader());
ok(wait_for(sub { printed() == 2 * $n }), 'and the events of all others come (else: one stopped machine stops all)') or diag(printed());
unlike(said_by_reader(), qr/127\.0\.0\.1-[23]: nothing/, 'no one else is named');

$clients[0]->put($clients[0]{control}, $everything);
ok(wait_for(sub { clock_forward($clock, 0.01); printed() == 3 * $n }), 'when it comes back, its events do (else: they are lost)') or diag(printed());
ok(wait_for(sub { clock_forward($clock, 0.01); said_by_reader() =~ /:127\.0\.0\.1: it sends again, after \d+\.\d s: the others wait for it as before/ }),
	'... which is said') or diag(said_by_reader());

$_->put($_->{control}, rest(sub { $_[0]->end($n, 0) })) for @clients;
$_->stream_answers for @clients;
is(end_server($s), 0, 'the server ends');
waitpid $reader, 0;
is($? >> 8, 0, 'and the reader: nothing is damaged') or diag(said_by_reader());
like(said_by_reader(), qr/^zedprint: late +@{[scalar grep { $_ < $ts[-1] } @ts]}$/m, 'what came late is counted (else: nobody knows that the order is not whole)')
	or diag(said_by_reader());
is(scalar(() = said_by_reader() =~ /\(--wait\)/g), 1, 'it was said once');
kill 'TERM', $tail;
waitpid $tail, 0;

my $r = zed_run('zedprint', '--wait', '0.1', $s->{out});
is($r->{exit}, 2, 'a time shorter than the pause between two rounds is refused (else: each quiet client is left)');
like($r->{err}, qr/--wait.*400ms is the least/, '... and the least one is named') or diag($r->{err});

done_testing();
