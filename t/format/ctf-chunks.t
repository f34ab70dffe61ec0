# SPDX-License-Identifier: GPL-2.0-or-later
#
# A session of LTTng that was rotated 300 times: all its chunks are one trace, in order of time, with few files open and little
# memory; the metadata of the same text count once; losses go on.  Without it a session that ran for a week, rotated each
# half hour, is read up to its 64th chunk.
#
# of: reader/ctf/ctf_files.c reader/ctf/ctf_chunks.c reader/ctf/folders.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);

my $tmp = zed_tmp();
my $CHUNKS = 300;
my $TICK = ctf_head() . "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };\n";
my $MORE = "event { name = \"a:tock\"; id = 2; stream_id = 0; fields := struct { uint32_t _n; }; };\n";

# Chunk K has events 1000 K + 10 * CPU + 100 ... of two CPUs; in the 100th and in the 200th one some are lost; from the 250th on
# there is an event more.
my ($dir, @want) = "$tmp/session";
my %lost = (0, 0, 1, 0);
for my $k (0 .. $CHUNKS - 1) {
	my $name = $k == $CHUNKS - 1 ? '' : sprintf 'archives/20260101T%06d+0000-20260101T%06d+0000-%d/', $k, $k + 1, $k + 1;
	$lost{0} += { 100 => 5, 200 => 2 }->{$k} // 0;
	my $id = $k >= 250 ? 2 : 1;
	ctf_write("$dir/${name}kernel", $TICK . ($k >= 250 ? $MORE : ''), map {
		my $cpu = $_;
		my @at = map { 1000 * $k + 10 * $cpu + 100 * $_ } 1, 2;
		push @want, map { [$_, $cpu] } @at;
		("chan_$cpu" => ctf_packets({}, { begin => $at[0] - 5, end => $at[1] + 5, cpu => $cpu, number => $k, lost => $lost{$cpu},
				events => [map { my $at = $_; [$id, $at, sub { $_[0]->int($at, 32) }, 'extended'] } @at] }));
	} 0, 1);
}
@want = map { "$_->[1] $_->[0]" } sort { $a->[0] <=> $b->[0] } @want;

for my $files (1024, 40) {
	my $r = zed_run({ files => $files }, 'zedperl', '-e', 'sub trace_unhandled { print Zed::cpu(), " ", Zed::ts(), "\n" } sub trace_lost { print "lost $_[0] ", $_[1] // "some", "\n" }', $dir);
	is("$r->{exit} $r->{err}", '0 ', "$CHUNKS chunks with at most $files files open: no message (else: chunks are left out)");
	is_deeply([grep { !/lost/ } split /\n/, $r->{out}], \@want, '... each event of each chunk, in order of time');
	is_deeply([$r->{out} =~ /^lost (.*)$/mg], ['0 5', '0 2'], '... and losses once, where they were');
}
{
	my @part = map { (split ' ')[1] } grep { my $at = (split ' ')[1]; $at >= 150_000 && $at <= 152_000 } @want;
	my $r = zed_run('zedprint', '-f', 'json', '--start', '0.000150000', '--end', '0.000152000', $dir);
	is(join(' ', $r->{out} =~ /"ts":(\d+)/g), "@part", 'a part of the time');
	$r = zed_run('zedperl', '-e', 'sub trace_begin { print Zed::start(), " ", Zed::end(), " ", join(",", Zed::events()), "\n" }', $dir);
	is($r->{out}, join(' ', (map { (split ' ')[1] } @want[0, -1]), 'a::tick,a::tock') . "\n", 'its ends, and each type once for those of the same metadata') or diag $r->{err};
}

# Of many CPUs all files are read at the same time, and a script opens some, too.
{
	my $wide = ctf_write("$tmp/wide", $TICK, map { my $cpu = $_; ("chan_$cpu" => ctf_packets({}, map { my $at = 100 * $_ + $cpu; { begin => $at, end => $at + 5, cpu => $cpu, number => $_, size => 70_000,
				events => [[1, $at, sub { $_[0]->int($at, 32) }, 'extended']] } } 0 .. 2)) } 0 .. 59);
	my $r = zed_run({ files => 40 }, 'zedperl', '-MZed=handlers,a', '-e', 'my @h; sub a::tick { $n++; if ($n == 100) { for (1 .. 8) { open my $h, "<", "/dev/null" or die "open: $!\n"; push @h, $h } } } sub trace_end { print "$n\n" } our $n;', $wide);
	is("$r->{exit} $r->{out}$r->{err}", "0 180\n", '60 files with at most 40 open: all events, and room for those of the script (else: it cannot open a file)');
}

# What goes away, or is replaced, while it is read.
{
	my $two = "$tmp/two";
	for my $k (0, 1) {
		ctf_write("$two/" . ($k ? '' : 'archives/20260101T000000+0000-20260101T000001+0000-1/') . 'kernel', $TICK, chan_0 => ctf_packets({}, { begin => 1000 * $k + 1, end => 1000 * $k + 9, number => $k,
			events => [[1, 1000 * $k + 5, sub { $_[0]->int($k, 32) }, 'extended']] }));
	}
	my $r = zed_run('zedperl', '-MZed=handlers,a', '-e', "sub a::tick { print \"\$_[-1]\\n\"; unlink '$two/kernel/chan_0' }", $two);
	is("$r->{exit} $r->{out}", "1 0\n", 'a file that is gone when its time comes: what was before it');
	like($r->{err}, qr{kernel/chan_0: is gone: it was there before}, '... and that is said');
}

done_testing();
