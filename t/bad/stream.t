# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed streams that are cut, damaged, or made to hurt: what is whole is delivered, the rest is said with its
# offset, and nothing takes long or much.
# Without it a client that ends early takes its server along, or is believed.
#
# of: reader/zedstream
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use POSIX ();
use lib 't/lib';
use Compare::DatRead;
use Write::Dat;
use Files;
use Pass;
use Run::Program;
use Write::ZedStream;

$SIG{PIPE} = 'IGNORE';
my $dir = zed_tmp();
my $path = "$dir/bad.zed";
my $m = Write::Dat->new(cpus => 2, pages => 2, ticks => 3, clock => 'mono');
my $d = Compare::DatRead::dat_read($m->write("$dir/mini.dat"));
my %pages = Write::ZedStream::pages_of($d);
my $PER_PAGE = 4;	# events: 3 ticks and a text

# The file that is read, of these bytes.
sub write_bad { return spew($path, $_[0]) }

sub begin {
	my %o = @_;
	return Write::ZedStream->new(page_size => 1024, clock => 'mono', meta => Write::ZedStream::meta($d, page_size => 1024,
		cpus => 2, clock => 'mono', skip => [21], %o), %o);
}

# Everything there is, and the events behind each frame.
sub whole {
	my $s = begin(piece => 1500, @_);
	$s->comm("77 mini\n1 init\n");
	for my $k (0, 1) {
		$s->pages($_, $pages{$_}[$k]) for 0, 1;
		$s->round($Write::Dat::BASE + 4000 * ($k + 1));
	}
	$s->format('more', Write::Dat::format_text('late', 500, "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n",
		'"x=%d", REC->x'));
	$s->stats($_, "entries: 0\noverrun: 0\n") for 0, 1;
	return $s->end(16, 0);
}

sub printed { my @n = $_[0]{out} =~ /: (?:tick|said): /g; return scalar @n }
sub run_bad { return zed_run('zedprint', '-f', 'report', @_, $path) }

# It ended by itself, in good time, with exit E, at most three lines on stderr that are LIKE.
sub well {
	my ($what, $r, $e, $events, @like) = @_;
	my $fine = !$r->{late} && !$r->{signal} && $r->{exit} == $e && @{$r->{lines}} <= 3
		&& (!defined $events || printed($r) == $events)
		&& $r->{err} !~ /Sanitizer|runtime error/ && !grep { $r->{err} !~ $_ } @like;
	ok($fine, $what) or diag("exit $r->{exit}, want $e; signal $r->{signal}; late $r->{late}; "
		. printed($r) . ' events, want ' . ($events // 'any') . "; it says:\n$r->{err}" . join ' ', @like);
	return $fine;
}

my $s = whole();
my $bytes = $s->{bytes};
write_bad($bytes);
well('as it should be', run_bad(), 0, 16);

# ---- cut off
{
	my @at = (@{$s->{at}}, [length $bytes, 0]);
	my ($ready) = grep { $at[$_ - 1][1] == 2 } 1 .. $#at;
	my %cut = map { $_ => 1 } 1 .. 20, map { $_ * 211 } 1 .. length($bytes) / 211;
	$cut{$_} = 1 for map { ($_->[0] - 1, $_->[0], $_->[0] + 1, $_->[0] + 7, $_->[0] + 8, $_->[0] + 9) } @at;
	my @bad;
	for my $len (sort { $a <=> $b } grep { $_ < length $bytes } keys %cut) {
		write_bad(substr $bytes, 0, $len);
		my $r = run_bad();
		my ($last) = grep { $at[$_][0] <= $len } reverse 0 .. $#at;
		my $events = $PER_PAGE * grep { $_->[1] == 3 } @at[0 .. ($last // 0) - 1];
		my $opens = defined $last && $last >= $ready;
		my $off = sprintf '0x%x', defined $last ? $at[$last][0] : 0;
		my $fine = !$r->{late} && !$r->{signal} && @{$r->{lines}} == 1 && $r->{err} !~ /Sanitizer/
			&& ($opens ? $r->{exit} == 1 && printed($r) == $events
				&& $r->{err} =~ /ends without its end \(recorder killed\?\): read up to offset $off$/m
			: $r->{exit} == 2 && !printed($r));
		push @bad, "$len bytes (frame " . ($last // 'none') . "): exit $r->{exit}, " . printed($r)
			. " events, want $events: $r->{err}" if !$fine;
	}
	ok(!@bad, 'cut at ' . keys(%cut) . ' places: all whole frames are read, the offset is said, exit 1; '
		. 'in the metadata: exit 2, one line') or diag(@bad[0 .. ($#bad > 4 ? 4 : $#bad)]);
	write_bad(substr $bytes, 0, $at[-2][0]);
	like(zed_run('zedprint', '--summary', $path)->{out}, qr/recording +unfinished/, 'the summary knows of it');
	my $cut = zed_run('sh', '-c', "head -c " . ($at[-2][0] + 3) . " $path | " . zed_bin('zedprint')
		. ' -f report -i -');
	well('cut in a pipe', $cut, 1, 16, qr/ends without its end/);
}

# ---- flipped bytes: never a crash, and never more events than there are
{
	my @bad;
	my $n = 0;
	for (my $at = 0; $at < length $bytes; $at += $at < 60 ? small(4, 1) : small(101, 23)) {
		my $b = $bytes;
		substr($b, $at, 1) ^= chr((1, 0x80, 0xff, 0x40)[$n++ % 4]);
		write_bad($b);
		my $r = run_bad();
		push @bad, "byte $at: exit $r->{exit}, signal $r->{signal}, late $r->{late}: $r->{err}"
			if $r->{late} || $r->{signal} || $r->{exit} > 2 || printed($r) > 20
				|| $r->{err} =~ /Sanitizer|runtime error/;
	}
	ok(!@bad, "$n flipped bytes: it ends by itself each time") or diag(@bad[0 .. ($#bad > 4 ? 4 : $#bad)]);
}

# ---- heads
for my $c (
	['a newer version', 8, pack('v', 2), qr/version 2.*newer/],
	['version 0', 8, pack('v', 0), qr/version 0/],
	['flags', 10, pack('v', 1), qr/flags 0x1/],
	['frames of 4 GiB', 12, pack('V', 0xffffffff), qr/offset 0xc: frames of up to 4294967295/],
	['frames of nothing', 12, pack('V', 0), qr/frames of up to 0/],
	['frames that its own are longer than', 12, pack('V', 1000), qr/offset 0x10: frame of 1500 bytes.*1000/],
	['text mode', 4, "\n\x1a\n\0", qr/is not a trace/],
) {
	my ($what, $at, $new, $like) = @$c;
	my $b = $bytes;
	substr($b, $at, length $new) = $new;
	write_bad($b);
	well("$what: refused in one line", run_bad(), 2, 0, $like);
}

# ---- frames that lie: LATER is put behind the first two pages
sub with {
	my ($what, $change, $events, @like) = @_;
	my $s = begin();
	$s->pages($_, $pages{$_}[0]) for 0, 1;
	my $off = sprintf '0x%x', length $s->{bytes};
	$change->($s);
	$s->pages($_, $pages{$_}[1]) for 0, 1;
	$s->end(16, 0);
	write_bad($s->{bytes});
	return well($what, run_bad(), 1, $events, map { ref $_ ? $_ : qr/\Q$off\E.*\Q$_\E/ } @like);
}

with('pages of a CPU that there is not', sub { $_[0]->pages($_, $pages{0}[0]) for 2, 65536, 0xffffffff }, 16,
	'pages of cpu 2, but the stream declares 2 CPUs');
with('pages without pages', sub { $_[0]->pages(0, '') }, 16, 'holds none');
with('pages without a CPU', sub { $_[0]->frame(3, 'x') }, 16, 'holds none');
with('a page with more data than fits', sub { $_[0]->pages(0, pack 'Q< Q<', 1, 5000) }, 16, qr/page with 5000 bytes/);
with('a round that counts more than it has', sub { $_[0]->frame(4, pack 'Q< V V', 1, 0x40000001, 0) }, 16,
	'not have as many CPUs as it declares');
with('a round that counts less', sub { $_[0]->frame(4, pack 'Q< V V', 1, 0, 0) }, 16, 'not have as many CPUs as it declares');
with('half a round', sub { $_[0]->frame(4, 'abc') }, 16, 'is too short');
with('names that are none', sub { $_[0]->comm("x y\n99999999999 z\n5\n-3 a\n7 a\0b\n") }, 16, 'invalid lines');
with('a format of no subsystem', sub { $_[0]->frame(6, 'x' x 300) }, 16, 'names no subsystem');
with('a format that is none', sub { $_[0]->format('sys', "hello\n") }, 16, qr/system sys/);
with('a format with a huge id', sub { $_[0]->format('sys', Write::Dat::format_text('a', 70000, '', '""')) }, 16,
	'without a usable ID');
with('statistics of nobody', sub { $_[0]->stats(7, 'x') }, 16, 'of a CPU that does not exist');
with('statistics told twice', sub { $_[0]->stats(1, 'x')->stats(1, 'y') }, 16, qr/of a CPU that does not exist, or had/);
with('statistics of a megabyte', sub { $_[0]->stats(1, 'x' x 1_000_000) }, 16, 'no size that statistics have');
with('metadata behind their end', sub { $_[0]->frame(1, 'x' x 100)->frame(2, '') }, 16, 'metadata after their end');
with('a frame that must be known', sub { $_[0]->frame(0x80000009, '') }, 8, 'newer');
{	# Packed: zstd frames of one raw block, made by hand.
	my $zstd = sub { "\x28\xb5\x2f\xfd" . pack('C V', 0xa0, length $_[0]) . substr(pack('V', length($_[0]) << 3 | 1), 0, 3) . $_[0] };
	my $packed = sub { my ($kind, $p, $len) = @_; return (0x80000020, pack('V V', $kind, $len // length $p) . $zstd->($p)) };
	my $page = pack('V', 0) . $pages{0}[0];
	my $s = begin();
	$s->frame($packed->(3, $page))->pages(1, $pages{1}[0])->end(8, 0);
	write_bad($s->{bytes});
	well('a packed frame is what it has packed', run_bad(), 0, 2 * $PER_PAGE);
	with('a packed frame that is none', sub { $_[0]->frame(0x80000020, 'x' x 40) }, 16, 'cannot be unpacked');
	with('a packed frame without a head', sub { $_[0]->frame(0x80000020, 'x') }, 16, 'cannot be unpacked');
	with('a packed frame of more than it says', sub { $_[0]->frame($packed->(3, $page, 100)) }, 16, 'cannot be unpacked');
	with('a packed frame of less than it says', sub { $_[0]->frame($packed->(3, $page, 1 << 20)) }, 16, 'cannot be unpacked');
	with('a packed frame longer than any may be', sub { $_[0]->frame($packed->(3, $page, 0xffffffff)) }, 16, 'cannot be unpacked');
	with('a packed round', sub { $_[0]->frame($packed->(4, pack 'Q< V', 1, 0)) }, 16, 'cannot be unpacked');
	with('a packed frame in a packed one', sub { $_[0]->frame($packed->(($packed->(3, $page))[0, 1])) }, 16, 'cannot be unpacked');
}
with('a frame of 4 GiB', sub { $_[0]->frame(3, 'x', 0xffffffff) }, 8, 'frame of 4294967295 bytes');
with('a frame that is longer than the file', sub { $_[0]->frame(3, 'x', 1 << 20) }, 8, qr/ends without its end/);
with('an end in the middle', sub { $_[0]->end(1, 2) }, 8, qr/has its end here, and the file has \d+ bytes more/);
{
	my $s = begin();
	$s->pages(0, $pages{0}[0])->frame(0x1000, 'x')->pages(1, $pages{1}[0])->frame(0x7fffffff, '')->frame(0, 'y');
	write_bad($s->end(8, 0)->{bytes});
	well('frames that need not be known are passed over', run_bad(), 0, 8);
	$s = begin()->frame(3, 'x', 0xffffffff);
	write_bad($s->{bytes});
	my $r = zed_run('zedprint', '--strict', $path);
	well('--strict stops at damage', $r, 1, 0, qr/frame of 4294967295/);
}

# ---- metadata that lie
my $meta = Write::ZedStream::meta($d, page_size => 1024, cpus => 2, clock => 'mono');
my $N = length $meta;
sub meta_frames {
	my ($what, $like, @frames) = @_;
	my $s = Write::ZedStream->new;
	$s->frame(@$_) for @frames;
	$s->pages(0, $pages{0}[0])->end(4, 0);
	write_bad($s->{bytes});
	return well($what, run_bad(), 2, 0, $like);
}
meta_frames('metadata of another length than told', qr/should be 5 bytes.*$N have come/, [1, $meta],
	[2, pack 'Q< V Z*', 5, 1024, 'mono']);
meta_frames('no metadata', qr/not the beginning of a trace\.dat/, [2, pack 'Q< V Z*', 0, 1024, 'mono']);
meta_frames('metadata that are none', qr/not the beginning of a trace\.dat/, [1, 'x' x 100],
	[2, pack 'Q< V Z*', 100, 1024, 'mono']);
meta_frames('sub-buffers of 3 bytes', qr/sub-buffers of 3 bytes/, [1, $meta], [2, pack 'Q< V Z*', $N, 3, 'm']);
meta_frames('sub-buffers of 8 MiB', qr/sub-buffers of 8388608 bytes/, [1, $meta],
	[2, pack 'Q< V Z*', $N, 8 << 20, 'm']);
meta_frames('a clock without end', qr/0x/, [1, $meta], [2, pack 'Q< V a*', $N, 1024, 'm' x 5000]);
meta_frames('READY of nothing', qr/0x/, [1, $meta], [2, '']);
meta_frames('pages before their metadata', qr/kind 3 before the end of the metadata/, [1, $meta], [3, 'xxxxyyyy']);
meta_frames('a frame that must be known before them', qr/newer/, [0xf0000000, ''], [1, $meta]);
for my $c ([0, qr/say 0 CPUs/], [8193, qr/8193 CPUs/], [0xffffffff, qr/CPUs are not possible/],
	[0x7fffffff, qr/CPUs are not possible/]) {
	my ($n, $like) = @$c;
	write_bad(begin(cpus => $n)->pages(0, $pages{0}[0])->end(4, 0)->{bytes});
	my $r = zed_run({ memory => 200_000 }, 'zedprint', '-f', 'report', $path);
	well("$n CPUs", $r, 2, 0, $like);
}
{
	write_bad(begin(cpus => 8192)->pages(0, $pages{0}[0])->pages(8191, $pages{1}[0])->end(8, 0)->{bytes});
	my $r = zed_run({ memory => 200_000 }, 'zedprint', '-f', 'report', $path);
	well('8192 CPUs are as many as can be', $r, 0, 8);
}

# ---- endless ones, from a pipe: bounded memory, bounded time
sub endless {
	my ($what, $frame, $e, $events, $like, $most) = @_;
	$most /= 10 if small() && $most < 50 << 20;
	my $fifo = "$dir/fifo";
	POSIX::mkfifo($fifo, 0600) or die "mkfifo: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open my $fh, '>:raw', $fifo or POSIX::_exit(1);
		my $some = $frame->[1];
		syswrite $fh, $frame->[0];
		for (my $left = $most; $left > 0; ) {
			my $n = syswrite $fh, $some;
			last if !defined $n;
			$left -= $n;
			while ($n < length $some) {
				my $k = syswrite $fh, $some, length($some) - $n, $n;
				last if !defined $k;
				$n += $k;
			}
		}
		POSIX::_exit(0);
	}
	my $r = zed_run({ stdin => $fifo, memory => 500_000, time => 60 }, 'zedprint', '-f', 'report', '-i', '-');
	kill KILL => $pid;
	waitpid $pid, 0;
	unlink $fifo;
	return well($what, $r, $e, $events, $like);
}
my $mib = 1 << 20;
my $piece = pack('V V', 1, $mib) . 'x' x $mib;
endless('metadata without end', [Write::ZedStream->new->{bytes}, $piece], 2, 0, qr/metadata of more than 268435456 bytes/,
	400 * $mib);
endless('frames of which nobody knows', [begin()->{bytes}, pack('V V', 77, $mib) . 'x' x $mib], 1, 0,
	qr/ends without its end/, 300 * $mib);
endless('new names', [begin()->{bytes}, do {
	my $names = join '', map { "$_ " . 'n' x 15 . "\n" } 1 .. 40_000;
	pack('V V', 5, length $names) . $names }], 1, 0, qr/ends without its end/, 100 * $mib);
endless('tiny frames of pages', [begin()->{bytes}, pack('V V V C', 3, 5, 1, 0) x 50_000], 1, 0,
	qr/ends without its end/, 10 * $mib);
endless('rounds', [begin()->{bytes}, pack('V V Q< V', 4, 12, 5, 0) x 50_000], 1, 0, qr/ends without its end/,
	20 * $mib);
endless('bad frames: said once', [begin()->{bytes}, pack('V V', 3, 0) x 50_000], 1, 0, qr/holds none/, 4 * $mib);
done_testing();
