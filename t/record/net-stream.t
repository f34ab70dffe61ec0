# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace -l and a client that sends a zed stream on its one connection: honest, cut, hostile, and bent at random
# (ZED_SEED).  What is stored is acknowledged, others beside it lose nothing, and no process of the server crashes.
#
# of: record/net record/file
# Without it: a link that breaks costs the recording, or its report says what is not so.
use strict;
use warnings;
use Test::More;
use IO::Select ();
use lib 't/lib';
use Compare::DatRead;
use Write::Dat;
use Run::Clock;
use Run::Server;
use Run::V3Client;
use Run::Program;
use Write::ZedStream;

my $plain = mini();
my $n = $plain->events / 2;
my $metadata = Run::V3Client::of_mini($plain);
my %pages = map { $_ => mini_pages($plain, $_) } 0, 1;

sub stream { return Write::ZedStream->new(meta => $metadata, page_size => 4096, clock => 'mono', @_) }

# A stream with all pages, one frame each turn; ENDED: with its end.
sub whole {
	my ($ended) = @_;
	my $s = stream(names => 1)->names([0, 1, 'init'])->pages(0, $pages{0})->round(1);
	$s->pages(1, substr $pages{1}, $_ * 4096, 4096) for 0 .. length($pages{1}) / 4096 - 1;
	$s->round(1 << 40)->stats(0, "entries: 0\nread events: $n\n");
	$s->end(2 * $n, 7) if $ended;
	return $s;
}

sub client { my ($s, %o) = @_; return Run::V3Client->new(port => $s->{port})->hello->init_stream($o{cpus} // 2, $o{page_size} // 4096) }

# The processes of all clients have looked at the clock again: they sleep at most 10 ms, and one of them may end.
sub looked {
	my ($s) = @_;
	my $slept = sub { return eval { (slurp("/proc/$_[0]/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m)[0] } // 1e9 };
	my %before = map { $_ => $slept->($_) } children($s);
	return wait_for(sub { !grep { $slept->($_) < $before{$_} + 3 } keys %before });
}

my %known;
sub newest { my $s = shift; my @new = grep { !$known{$_}++ } runs($s); return "$s->{dir}/$new[-1]/trace.dat" }

# ---------------------------------------------------------------- an honest one

my $clock = clock_new();
my $s = server({ clock => $clock });
my $runs = 0;
my $good = whole(1);
my $c = client($s);
$c->put($c->{control}, $good->{bytes});
my $told = $c->stream_answers;
is($told->{stored}, length $good->{bytes}, 'all of a stream is acknowledged (else: a client cannot tell what arrived)');
ok($told->{closed}, 'and its end answered');
like(report($s, ++$runs), qr/^CPU 0: $n events, 12 KiB data\nCPU 1: $n events, 12 KiB data\nTotal: @{[2 * $n]} events \(dropped 7\)/m,
	'the report has its numbers, and the losses that the client counted');
my (undef, $got) = Run::V3Client::recording(newest($s));
is($got->{$_}, $pages{$_}, "the pages of CPU $_ are those that were sent, byte for byte") for 0, 1;

# Before its stream a client makes a tracing instance, for which it waits while the kernel removes those of others.
{
	my $patient = server({ clock => $clock });
	my $late = client($patient);
	settled($patient, $late->{control});
	clock_forward($clock, 30);
	looked($patient);
	my $stored = eval { $late->put($late->{control}, $good->{bytes}); $late->stream_answers->{stored} };
	is($stored, length $good->{bytes}, 'one that is silent for 30 s before its stream is served (else: a busy machine cannot send)')
		or diag(slurp($patient->{log}));
	end_server($patient);
}

# Cut at any place: what was acknowledged is there, and no page is lost that was whole.
my $bytes = whole(0)->{bytes};
for my $part (0.3, 0.7, 0.9, 0.99) {
	my $cut = int($part * length $bytes);
	$c = client($s);
	$c->put($c->{control}, substr $bytes, 0, $cut);
	shutdown $c->{control}, 1;
	$told = $c->stream_answers;
	if ($cut < length $metadata) {
		like($told->{why}, qr/ended before the end of its metadata/, "a stream that ends after $cut bytes, within its metadata: refused");
		next;
	}
	like($told->{why}, qr/ended too early/, "a stream that ends after $cut bytes: the client is told");
	report($s, ++$runs);
	my $frames = grep { $_->[1] == 3 && $_->[0] + 8 + unpack('x4 V', substr $bytes, $_->[0], 8) <= $cut } @{$good->{at}};
	my $r = zed_run('zedprint', newest($s));
	is($r->{exit}, 0, "what came of $cut bytes is a whole file (else: a link that breaks costs the recording)") or diag($r->{err});
	my $want = $frames ? $n + ($frames - 1) * $n / 3 : 0;
	my $lines = grep { /cpu = / } split /\n/, $r->{out};
	cmp_ok($lines, '>=', $want - 2, "with all its whole frames ($frames)");
	ok($told->{stored} <= $cut, 'and no more is acknowledged than came');
}

# ---------------------------------------------------------------- packed: acknowledged as if it was not

# As whole(), its metadata and pages packed; behind each frame: bytes, those that the server counts, those of pages.
sub packed {
	my $s = Write::ZedStream->new(page_size => 4096);
	my @ends;
	my $stored = 0;
	my $do = sub {
		my ($what, @args) = @_;
		$s->$what(@args);
		$stored += length($args[1]) - 4 if $args[0] eq '3';
		push @ends, [length $s->{bytes}, length($s->{bytes}) + ($s->{saved} // 0), $stored];
	};
	$do->(packed => 1, $_) for unpack '(a1000)*', $metadata;
	$do->(frame => 9, '');
	$do->(frame => 2, pack 'Q< V Z*', length $metadata, 4096, 'mono');
	$do->(names => [0, 1, 'init']);
	$do->(packed => 3, pack('V', 0) . $pages{0});
	$do->(round => 1);
	$do->(packed => 3, pack('V', 1) . substr $pages{1}, $_ * 4096, 4096) for 0 .. length($pages{1}) / 4096 - 1;
	$do->(end => 2 * $n, 7);
	return ($s, @ends);
}

my ($packed, @ends) = packed();
cmp_ok($packed->{saved}, '>', 1000, 'a packed stream is shorter');
$c = client($s);
ok($c->{rinit}[4] & 8, 'the server says that it takes what is packed');
$c->put($c->{control}, $packed->{bytes});
$told = $c->stream_answers;
is($told->{stored}, $ends[-1][1], 'all of a packed stream is acknowledged, as long as it would be unpacked');
ok($told->{closed}, 'and its end answered');
report($s, ++$runs);
(undef, $got) = Run::V3Client::recording(newest($s));
is($got->{$_}, $pages{$_}, "the pages of CPU $_ are those that were packed, byte for byte") for 0, 1;

for my $part (0.5, 0.8, 0.95, 0.995) {
	my $cut = int($part * length $packed->{bytes});
	$c = client($s);
	$c->put($c->{control}, substr $packed->{bytes}, 0, $cut);
	shutdown $c->{control}, 1;
	$told = $c->stream_answers;
	my ($whole) = grep { $_->[0] <= $cut } reverse @ends;
	report($s, ++$runs);
	is($told->{stored}, $whole->[1], "cut after $cut bytes: to the frame what was whole is acknowledged (else: the report of a client whose link broke is wrong)");
	(undef, $got) = Run::V3Client::recording(newest($s));
	is(length($got->{0} // '') + length($got->{1} // ''), $whole->[2], '... and kept');
}

# Each of these ends its run: what came before is kept, and known to its client.
my $zeros = pack('V', 0) . "\0" x 4096;
my $deep = Write::ZedStream->new->packed(3, $zeros)->{bytes};
for my $bad (['that is none', sub { $_[0]->frame(0x80000020, 'x' x 40) }],
	['without a head', sub { $_[0]->frame(0x80000020, 'x') }],
	['that unpacks to more than it says', sub { $_[0]->packed(3, $zeros, 100) }],
	['of 8 MiB that says 4 KiB', sub { $_[0]->packed(3, "\0" x (8 << 20), 4100) }],
	['that unpacks to less than it says', sub { $_[0]->packed(3, $zeros, 1 << 20) }],
	['longer than any may be', sub { $_[0]->packed(3, $zeros, 0xffffffff) }],
	['of no bytes', sub { $_[0]->packed(3, '') }],
	['of a round', sub { $_[0]->packed(4, pack 'Q< V', 1, 0) }],
	['in a packed one', sub { $_[0]->packed(0x80000020, substr $deep, 24) }],
	['that was cut', sub { $_[0]->frame(0x80000020, substr Write::ZedStream->new->packed(3, pack('V', 0) . $pages{0})->{bytes}, 24, -20) }]) {
	my ($what, $add) = @$bad;
	my $size = -s $s->{log};
	my $b = stream()->packed(3, pack('V', 0) . $pages{0});
	my ($at, $saved) = (length $b->{bytes}, $b->{saved});
	$add->($b);
	$b->pages(1, $pages{1})->end(0, 0);
	$c = client($s);
	$c->put($c->{control}, $b->{bytes});
	$told = eval { $c->stream_answers } // {};
	report($s, ++$runs);
	like($told->{why}, qr/a compressed frame of its stream cannot be unpacked/, "a packed frame $what ends the run, and its client learns why");
	like(substr(slurp($s->{log}), $size), qr/offset 0x@{[sprintf '%x', $at]}: compressed frame of \d+ bytes? cannot be unpacked/, '... the log where');
	is($told->{stored}, $at + $saved, '... what came before is acknowledged, and nothing else (else: what nobody has passes for stored)');
	(undef, $got) = Run::V3Client::recording(newest($s));
	is($got->{0}, $pages{0}, '... and kept');
}
for my $bad (['cannot be unpacked', Write::ZedStream->new->packed(1, 'x' x 99, 100)->{bytes}, qr/offset 0x10: a compressed frame of its metadata cannot be unpacked/],
	['are a bomb', join('', Write::ZedStream->new->{bytes}, substr(Write::ZedStream->new->packed(1, "\0" x (8 << 20))->{bytes}, 16) x 40), qr/metadata are longer than 64 MiB/]) {
	my ($what, $send, $line) = @$bad;
	my $size = -s $s->{log};
	$c = client($s);
	eval { $c->put($c->{control}, $send); shutdown $c->{control}, 1; 1 };
	my $why = eval { $c->stream_answers->{why} } // '';
	ok(wait_for(sub { substr(slurp($s->{log}), $size) =~ $line }), "packed metadata that $what are refused") or diag(substr slurp($s->{log}), $size);
}

# ---------------------------------------------------------------- hostile ones, an honest one beside them

my $beside = client($s);
$beside->put($beside->{control}, substr $good->{bytes}, 0, 3000);
my $base = stream();
my $head = substr $base->{bytes}, 0, 16;
my @bad = (
	['is no stream', 'x' x 64, qr/is not a zed stream/],
	['is of another version', "\x89ZED\r\n\x1a\n" . pack('v v V', 9, 0, 1 << 20), qr/version 9/],
	['announces frames of 4 GiB', "\x89ZED\r\n\x1a\n" . pack('v v V', 1, 0, 0xffffffff), qr/frames of up to 4294967295/],
	['has a frame of 4 GiB', $head . pack('V V', 1, 0xffffffff), qr/frame of 4294967295 bytes/],
	['has pages before its metadata', $head . pack('V V V', 3, 4100, 0) . 'p' x 4096, qr/kind 3 before the end of its metadata/],
	['has an end before its metadata', $head . pack('V V Q2', 8, 16, 0, 0), qr/kind 8 before the end of its metadata/],
	['has metadata that are noise', Write::ZedStream->new(meta => 'noise' x 999)->{bytes}, qr/not the beginning of a trace\.dat/],
	['has no metadata', Write::ZedStream->new(meta => '')->{bytes}, qr/not the beginning of a trace\.dat/],
	['has other sub-buffers than it announced', stream(page_size => 8192)->{bytes}, qr/announced 4096/],
	['lies about the length of its metadata', $head . pack('V V', 1, 5) . 'x' x 5 . pack('V V Q< V', 2, 17, 77, 4096) . "mono\0",
		qr/declares 77 bytes/],
	['has a million pieces of metadata', $head . pack('V V', 1, 0) x 70_000, qr/too many frames/],
	['needs what nobody knows, before READY', $head . pack('V V', 0x80000063, 0), qr/required frame of unknown kind/],
);
for my $bad (@bad) {
	my ($what, $send, $line) = @$bad;
	my $size = -s $s->{log};
	my $v = client($s);
	eval { $v->put($v->{control}, $send); shutdown $v->{control}, 1; 1 };
	my $why = eval { $v->stream_answers->{why} } // '';
	ok(wait_for(sub { substr(slurp($s->{log}), $size) =~ $line }), "a stream that $what is refused, and said why (else: it hurts, or its user does not learn)")
		or diag(substr slurp($s->{log}), $size);
	like($why, $line, "$what: its client learns it, too");
}
ok(kill(0, $s->{pid}), 'the server lives');

# What is left out of a stream that goes on: the rest of it is stored.
my $odd = stream();
$odd->pages(7, $pages{0})->pages(0xffffffff, $pages{0})->frame(3, '')->frame(3, pack('V', 0) . 'short')->frame(4, 'x')
	->frame(4, pack('Q< V', 1, 99))->frame(9, 'no name')->frame(6, 'no system')->frame(7, 'x')->frame(1, 'late')->frame(2, 'late')
	->frame(99, 'unknown')->frame(5, "\xff\0\n" x 99)->pages(0, $pages{0})->pages(1, $pages{1})->end(2 * $n, 0);
$c = client($s);
$c->put($c->{control}, $odd->{bytes});
$told = $c->stream_answers;
ok($told->{closed} && $told->{stored} == length $odd->{bytes}, 'frames that make no sense are left out, and the rest stored');
like(report($s, ++$runs), qr/^Total: @{[2 * $n]} events/m, 'with all that made sense');
like(slurp($s->{log}), qr/frame of kind 3, \d+ bytes, is of an undeclared CPU: left out/, 'and what was left out is said');

$c = client($s);
$c->put($c->{control}, stream()->pages(0, $pages{0})->frame(0x80000050, 'new')->pages(1, $pages{1})->end(0, 0)->{bytes});
$told = $c->stream_answers;
like($told->{why}, qr/required frame of unknown kind/, 'a frame that needs a newer server ends the run, and its client learns why');

$beside->put($beside->{control}, substr $good->{bytes}, 3000);
$told = $beside->stream_answers;
ok($told->{closed} && $told->{stored} == length $good->{bytes}, 'the honest one beside them has lost nothing (else: clients hurt each other)');
is(end_server($s), 0, 'and the server ends well');

# ---------------------------------------------------------------- limits

$s = server({ clock => $clock }, '--max-size', 256 * 1024, '--idle', 400);
my $flood = client($s);
my $page = substr $pages{0}, 0, 4096;
eval {
	local $flood->{timeout} = 20;
	$flood->put($flood->{control}, stream()->{bytes});
	$flood->put($flood->{control}, pack('V V V', 3, 4 + 65536, 0) . $page x 16) for 1 .. 4000;
};
$told = eval { $flood->stream_answers } // {};
like($told->{why}, qr/limit of 256 KiB/, 'a flood ends at --max-size, and its client is told (else: it fills the disk)');
report($s, 1);
my ($file) = map { "$s->{dir}/$_/trace.dat" } runs($s);
my (undef, $kept) = Run::V3Client::recording($file);
my $first = length stream()->{bytes};
my $whole = int(($told->{stored} - $first) / (8 + 4 + 65536));
my $within = int((($told->{stored} - $first) - $whole * (8 + 4 + 65536) - 12) / 4096);
is(length $kept->{0}, ($whole * 16 + ($within > 0 ? $within : 0)) * 4096,
	'what was acknowledged is what is kept, to the page (else: the report of the client is wrong)');
ok(-s $file <= 256 * 1024, 'and the file is no greater');

my $chatter = client($s);
eval {
	local $chatter->{timeout} = 20;
	$chatter->put($chatter->{control}, stream()->{bytes});
	$chatter->put($chatter->{control}, pack('V V Q< V', 4, 12, 1, 0) x 10_000) for 1 .. 100;
};
like((eval { $chatter->stream_answers } // {})->{why} // '', qr/more small frames than a recording has/, 'one that sends rounds without end is cut off (else: it burns a CPU)');

# A kilobyte that becomes 8 MiB, of a CPU that nobody has.
my $heavy = client($s);
eval {
	local $heavy->{timeout} = 20;
	$heavy->put($heavy->{control}, stream()->{bytes});
	$heavy->put($heavy->{control}, substr(Write::ZedStream->new->packed(3, pack('V', 99) . "\0" x ((8 << 20) - 4))->{bytes}, 16) x 100) for 1 .. 10;
};
like((eval { $heavy->stream_answers } // {})->{why} // '', qr/more small frames than a recording has/, 'one whose frames are much to unpack and good for nothing is cut off (else: it burns a CPU)');

my $packs = client($s);
my ($floods, $turn) = (stream()->{bytes}, Write::ZedStream->new->packed(3, pack('V', 0) . $page x 16));
eval {
	local $packs->{timeout} = 20;
	$packs->put($packs->{control}, $floods);
	$packs->put($packs->{control}, substr $turn->{bytes}, 16) for 1 .. 100;
};
$told = eval { $packs->stream_answers } // {};
like($told->{why}, qr/limit of 256 KiB/, 'a packed flood ends at --max-size, too');
report($s, 3);
$whole = int(($told->{stored} - $first) / (8 + 4 + 65536));
$within = int((($told->{stored} - $first) - $whole * (8 + 4 + 65536) - 12) / 4096);
my ($most) = sort { $b <=> $a } map { my (undef, $k) = Run::V3Client::recording("$s->{dir}/$_/trace.dat"); length($k->{0} // '') } runs($s);
is(length($kept->{0}), ($whole * 16 + ($within > 0 ? $within : 0)) * 4096, 'and what is acknowledged is what is kept, to the page within a packed frame');
is($most, length $kept->{0}, '... as of one that is not packed');

my $silent = client($s);
$silent->put($silent->{control}, stream()->{bytes} . pack 'V V V', 3, 4100, 0);
taken($silent->{control});
clock_forward($clock, 200);
my $answers = IO::Select->new($silent->{control});
ok(!$answers->can_read(0.2), 'one that stops within a frame keeps its place for half of --idle');
clock_forward($clock, 250);
like($silent->stream_answers->{why}, qr/--idle/, '... and loses it after --idle');

my $slow = client($s);
eval {
	for (1 .. 40) {
		$slow->put($slow->{control}, substr $good->{bytes}, $_ - 1, 1);
		taken($slow->{control});
		clock_forward($clock, 0.5);
	}
};
ok(said($s, qr/no (?:answer|frame) for \d seconds|takes longer than \d+ seconds/), 'one that sends its beginning byte by byte is dropped');
is(end_server($s), 0, 'and the server ends well');

# ---------------------------------------------------------------- streams bent at random

my $seed = $ENV{ZED_SEED} // 20;
srand $seed;
$s = server({ clock => $clock }, '--max-size', '4M');
$beside = client($s);
$beside->put($beside->{control}, substr $good->{bytes}, 0, 3000);
my $met = 0;
for my $turn (1 .. $ENV{ZED_TURNS} // 60) {
	my $b = $good->{bytes};
	for (0 .. rand 4) {
		my $at = int rand length $b;
		my $how = int rand 4;
		if ($how == 0) {
			substr($b, $at, 1) = chr int rand 256;
		} elsif ($how == 1) {
			substr($b, $at, 1 + int rand 40) = '';
		} elsif ($how == 2) {
			substr($b, $at, 0) = join '', map { chr int rand 256 } 0 .. rand 20;
		} else {
			my ($where) = $good->{at}[int rand @{$good->{at}}];
			substr($b, $where->[0] + int rand 8, 1) = chr int rand 256 if $where->[0] + 8 < length $b;
		}
	}
	my $v = client($s);
	eval { $v->put($v->{control}, $b); shutdown $v->{control}, 1; $v->stream_answers; 1 } and $met++;
	close $v->{control};
}
cmp_ok($met, '>', 0, "streams bent by seed $seed get an answer");
$beside->put($beside->{control}, substr $good->{bytes}, 3000);
$told = $beside->stream_answers;
ok($told->{closed} && $told->{stored} == length $good->{bytes}, 'the honest one beside them has lost nothing');
is(end_server($s), 0, 'and the server ends well');
is(join('', grep { /^zedtrace: .*trace\.dat\b.*cannot/ } split /^/m, slurp($s->{log})), '', 'every file that was begun was finished');
my @broken = map { my $r = zed_run("zedprint", "$s->{dir}/$_/trace.dat"); $r->{signal} || $r->{exit} > 1 ? "$_: $r->{err}" : () } runs($s);
is("@broken", '', 'and can be read');

is(join('', map { grep { /Sanitizer|runtime error|ended by signal/ } split /^/, slurp($_) } glob zed_tmp() . '/log*'), '',
	'no process of a server crashed');

done_testing();
