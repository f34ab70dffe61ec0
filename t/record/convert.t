# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --convert and --recover: real recordings, as zed streams by an independent writer, must become
# trace.dat files that say the same as the recordings: in trace-cmd's own words, and in ours.  Without it
# a file that we write is read by nobody but ourselves.
#
# of: record/file programs/zedtrace
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::DatRead;
use Write::Dat;
use Compare::RealData;
use Compare::Stock;
use Compare::TextChanges;
use Pass;
use Run::Process;
use Run::Program qw(:DEFAULT spew);
use Write::ZedStream;

my $dir = zed_tmp();

# What trace-cmd prints of a file, without its first lines on CPUs.
sub stock_lines {
	my ($path, @more) = @_;
	return stock_text($path, @more) =~ s/\A(?:version = .*\n|cpus=\d+\n)*//r;
}

# Undef, or where what zedprint says of a file differs from what trace-cmd said of a recording of ours.
sub differs {
	my ($p, $name) = @_;
	my ($ours, $theirs) = map { s/\A(?:version = .*\n|cpus=\d+\n)*//r } $p->{out}, slurp("t/data/$name.dat.report.txt");
	return $p->{exit} ? "exit $p->{exit}: $p->{err}" :
		report_differs('report', $ours, $theirs, 8 * Compare::RealData::long_size("t/data/$name.dat"));
}

# Bytes of each CPU's pages in the top buffer.
sub pages {
	my $d = Compare::DatRead::dat_read($_[0]);
	return { map { length $_->{bytes} ? ($_->{cpu} => $_->{bytes}) : () } @{$d->{buffers}[0]{cpus}} };
}

sub stream {
	my ($name, %o) = @_;
	my $path = "$dir/$name.zs";
	Write::ZedStream::from_dat("t/data/$name.dat", batch => 3, trim => 1, %o)->write($path);
	return $path;
}

sub convert {
	my ($from, @more) = @_;
	unlink "$dir/o.dat";
	return zed_run('zedtrace', '--convert', $from, '-o', "$dir/o.dat", @more);
}

# Big and little endian, long of 4 and 8, other page sizes, CPUs that are not all there, other clocks.
for my $name (small() ? qw(demo be_lost) : qw(demo be_lost small_be_none armhf_lost_count subbuf16 clock_mono sparse_cpus dynevents)) {
	my $zs = stream($name);
	for my $z (qw(none zstd zlib)) {
		my $r = convert($zs, '-z', $z);
		is("$r->{exit} $r->{signal}", '0 0', "$name, $z: converted") or diag($r->{err});
		my ($got, $is) = (eval { pages("$dir/o.dat") } // $@, pages("t/data/$name.dat"));
		is_deeply($got, $is, "$name, $z: the same pages (else: lost or damaged events)");
		my $p = zed_run('zedprint', '-f', 'report', "$dir/o.dat");
		is(differs($p, $name), undef, "$name, $z: zedprint says what trace-cmd said of the recording");
		SKIP: {
			skip stock_missing(), 1 if stock_missing();
			skip 'Debian\'s trace-cmd reads no zlib', 1 if $z eq 'zlib';
			is(stock_lines("$dir/o.dat"), stock_lines("t/data/$name.dat"),
				"$name, $z: trace-cmd reads it as the recording (else: not a trace.dat)");
		}
		ok(!-e "$dir/o.dat.zed", "$name, $z: nothing is left behind");
	}
}

SKIP: {	# The kernel's statistics, and every part in stock's own dump.
	skip stock_missing(), 5 if stock_missing();
	for my $z (qw(none zstd)) {
		convert(stream('demo'), '-z', $z);
		my ($stat) = stock_lines("$dir/o.dat", '--stat') =~ /^(CPU: 0\nentries: .*?\n)(?:CPU: 1|\n)/ms;
		like($stat // '', qr/^read events:/m, "$z: report --stat has the kernel's statistics");
		my $dump = `trace-cmd dump --all --strings --sections -i $dir/o.dat 2>&1`;
		is($?, 0, "$z: trace-cmd dump reads every section");
		like($dump, qr/"buffer flyrecord ", flags 0x[01]/, "$z: sections are named by the strings");
	}
	unlike(`trace-cmd dump --all -i $dir/o.dat 2>&1`, qr/error|cannot|unknown section/i,
		'and complains of nothing');
}

{	# From a pipe; and what is in the way stays.
	my $zs = stream('demo');
	spew("$dir/o.dat.zed", '');
	my $r = convert($zs);
	is($r->{exit}, 2, 'FILE.zed is in the way: an error (else: it is overwritten)');
	ok(-e "$dir/o.dat.zed" && !-e "$dir/o.dat", 'and it is not touched');
	unlink "$dir/o.dat.zed";
	pipe my $from, my $to or die "pipe: $!\n";
	my $pid = spawn({ stdout => $to }, 'cat', $zs);
	close $to;
	$r = zed_run({ stdin => $from }, 'zedtrace', '--convert', '-', '-o', "$dir/o.dat");
	reap($pid, 30);
	is($r->{exit}, 0, 'a stream from a pipe') or diag($r->{err});
	is_deeply(pages("$dir/o.dat"), pages('t/data/demo.dat'), 'gives the same pages');
	$r = zed_run('zedtrace', '--convert', 't/data/demo.dat', '-o', "$dir/no.dat");
	ok($r->{exit} == 2 && !-e "$dir/no.dat" && !-e "$dir/no.dat.zed",
		'what is no stream is refused, and leaves nothing');
	like($r->{err}, qr/not a zed stream/, 'with the reason');
	my $bad = Write::ZedStream::from_dat('t/data/demo.dat', comms => 'first');
	my ($ready) = grep { $_->[1] == 2 } @{$bad->{at}};
	substr($bad->{bytes}, $ready->[0] + 16, 4) = pack 'V', 8192;
	$r = convert($bad->write("$dir/bad.zed"));
	is($r->{exit}, 1, 'sub-buffers of another size than the metadata say: an error (else: pages are cut in the middle)');
	like($r->{err}, qr/^zedtrace: \Q$dir\E\/bad\.zed: offset 0x[0-9a-f]+: sub-buffers of 8192/, 'which names the stream and the place');
	ok(!-e "$dir/o.dat", 'and nothing is left');
	unlink "$dir/o.dat";
}

{	# An event that came with a module: its format must be in the file, or its records are unknown.
	my $d = Write::Dat->new(page_size => 4096);
	my $mini = $d->write("$dir/mini.dat");
	my ($text) = map { $_->[1] } grep { $_->[1] =~ /name: said/ } Write::Dat::formats($d);
	my $tick = (Write::Dat::formats($d))[0][1];
	my $only = $d->u32(1) . "mini\0" . $d->u32(1) . $d->u64(length $tick) . $tick;
	Write::ZedStream::from_dat($mini, sections => { 18 => $only },
		before => sub { $_[0]->format('mini', $text) })->write("$dir/late.zs");
	for my $z (qw(none zstd)) {
		my $r = convert("$dir/late.zs", '-z', $z);
		my $p = zed_run('zedprint', "$dir/o.dat");
		my @said = $p->{out} =~ /^mini::said .*msg = page \d/mg;
		my @want = grep { $_->{name} eq 'said' } $d->events;
		is(scalar @said, scalar @want, "$z: an event whose format came later is printed (else: unknown)")
			or diag($r->{err}, $p->{out});
		is($p->{err}, '', "$z: and our own file is not complained of (else: whoever converts thinks that it is damaged)");
	}
}

{	# A stream that is cut anywhere gives what is whole of it, and says so.
	my $s = Write::ZedStream::from_dat('t/data/demo.dat', batch => 3);
	my $all = pages('t/data/demo.dat');
	my @at = @{$s->{at}};
	my ($ready) = grep { $at[$_][1] == 2 } 0 .. $#at;
	my $bad = 0;
	my $most = small(6, 40);
	for my $i (0 .. $most) {
		my $cut = int(length($s->{bytes}) * $i / ($most + 1));
		spew("$dir/cut.zs", substr $s->{bytes}, 0, $cut);
		my $r = convert("$dir/cut.zs");
		my $whole = grep { $_->[0] <= $cut } @at;	# frames that have begun
		if ($whole <= $ready + 1) {
			$bad++, diag("cut at $cut: $r->{exit} $r->{err}") if !$r->{exit} || -e "$dir/o.dat";
			next;
		}
		# All frames before the one that is cut.
		my %want;
		for my $k ($ready + 1 .. $whole - 2) {
			my ($off, $kind) = @{$at[$k]};
			next if $kind != 3;
			my $len = $at[$k + 1][0] - $off - 12;
			$want{unpack 'V', substr $s->{bytes}, $off + 8, 4} .= substr $s->{bytes}, $off + 12, $len;
		}
		my $got = eval { pages("$dir/o.dat") } // { error => $@ };
		my $same = join(' ', map { "$_=" . ($got->{$_} // '') } sort keys %$got)
			eq join(' ', map { "$_=$want{$_}" } sort keys %want);
		if (!$same || $r->{exit} != 1 || $r->{err} !~ /offset 0x/) {
			$bad++;
			diag("cut at $cut: exit $r->{exit}, " . ($same ? 'same' : 'other') . " pages: $r->{err}");
		}
	}
	is($bad, 0, 'cut at ' . ($most + 1) . ' places: every whole frame is there, the cut is told, the exit status is 1');
}

{	# A recorder that is killed: its stream stalls, kill -9, and --recover.
	my $s = Write::ZedStream::from_dat('t/data/demo.dat', batch => 3, end => 0);
	unlink "$dir/k.dat";
	pipe my $from, my $to or die "pipe: $!\n";
	my $pid = spawn({ stdin => $from, stderr => '/dev/null' }, zed_bin('zedtrace'), '--convert', '-', '-o', "$dir/k.dat");
	close $from;
	local $SIG{PIPE} = 'IGNORE';
	binmode $to;
	# A frame that is not known at the end, so that all before it are through.
	syswrite $to, $s->{bytes};
	syswrite $to, pack('V V', 99, 20) . 'x' x 5;
	my $all = pages('t/data/demo.dat');
	my $want = 0;
	$want += length for values %$all;
	my $r;
	wait_until(30, sub {
		my $on_disk = 0;
		$on_disk += 512 * (stat $_)[12] for glob("$dir/k.dat.zed/data.* $dir/k.dat.zed/cpu*");
		my $size = 0;
		$size += -s $_ // 0 for glob("$dir/k.dat.zed/cpu*");
		return $on_disk >= $want || $size >= $want;
	});
	$r = zed_run('zedtrace', '--recover', "$dir/k.dat.zed");
	is($r->{exit}, 2, 'while it lives: --recover refuses (else: it destroys a recording that goes on)');
	like($r->{err}, qr/still being recorded/, 'and says why');
	kill 'KILL', $pid;
	waitpid $pid, 0;
	close $to;
	ok(-d "$dir/k.dat.zed" && !-e "$dir/k.dat", 'killed: FILE.zed stays');
	$r = zed_run('zedtrace', '--recover', "$dir/k.dat.zed");
	is($r->{exit}, 0, '--recover') or diag($r->{err});
	is_deeply(eval { pages("$dir/k.dat") } // $@, $all, 'every page that was written is there');
	my $p = zed_run('zedprint', '-f', 'report', "$dir/k.dat");
	is(differs($p, 'demo'), undef, 'and it says what the recording says, names included');
	ok(!-e "$dir/k.dat.zed", 'the directory is gone');
	$r = zed_run('zedtrace', '--recover', "$dir/k.dat.zed");
	ok($r->{exit} == 2 && $r->{err} =~ /k\.dat\.zed/, 'a second time there is nothing to recover');
	$r = zed_run('zedtrace', '--recover', 't/data/demo.dat');
	ok($r->{exit} == 2 && $r->{err} =~ /not the directory/, 'a file is no directory: said, and left alone');
}

# ---- a stream of frames that make no sense
{
	my $from = Write::Dat->new(pages => 1, cpus => 1)->write("$dir/few.dat");
	my $zs = Write::ZedStream::from_dat($from, end => 0, before => sub { $_[0]->stats(1000 + $_, "x\n") for 1 .. 5000 });
	$zs->end(7, 0);
	$zs->write("$dir/bad.zs");
	my $r = convert("$dir/bad.zs");
	my $lines = () = $r->{err} =~ /\n/g;
	cmp_ok($lines, '<', 10, '5000 bad frames: some are said (else: a stranger fills the terminal, or the log)');
	like($r->{err}, qr/offset 0x\w+: frame of kind 7/, 'with the first place');
	like($r->{err}, qr/more invalid frames left out: 4996$/m, 'the others are counted');
	is($r->{exit}, 1, 'exit 1');
	is(() = zed_run('zedprint', '-f', 'report', "$dir/o.dat")->{out} =~ /: (?:tick|said): /g, 7, 'what is intact is converted');
}

done_testing();
