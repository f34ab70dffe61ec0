# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf.data that are made to cost as much as they can, and such as hide what they lack.  Without it a file of
# 1 MB takes minutes or all memory, an error of the disk is reported for ever, and events go without a word.
#
# of: reader/perf
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Bombs;
use Write::Dat;
use Write::Perf;
use Run::Program qw(:DEFAULT spew);

my $dir = zed_tmp();
my @usual = qw(IDENTIFIER IP TID TIME CPU PERIOD);

sub ticks {
	my (%o) = @_;
	my $w = Write::Perf->new(%o);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [@usual, 'RAW'], ids => [7, 8], name => 'mini:tick');
	return $w;
}

sub put { my ($name, $bytes) = @_; return spew("$dir/$name", $bytes) }
sub said { my $r = zed_run('zedprint', @_); return "$r->{exit} " . ($r->{signal} ? "signal $r->{signal} " : '') . $r->{err} }

# ---- costs

my @readers = (['zedprint', '-f', 'json'], ['zedprint', '--tail', 1_000_000], ['zedperl', 'scripts/countall.pl']);

SKIP: {
	skip 'a sanitizer needs more memory and time than any bomb', 1 if $ENV{ZED_SAN};

	# Attrs that all have the same ids: one section of 280 KB, 4,400 times.
	my $w = Write::Perf->new;
	my $attr = $w->attr_bytes({ type => 1, config => 2, sample_type => 0x10007, read_format => 0, period => 1, branch => 0, regs => 0 });
	my $ids = $w->u64(1 .. 35_000);
	my $n = 4_400;
	my $at = 104 + length $ids;
	bomb('ids of one section for all events', put('ids', 'PERFILE2' . $w->u64(104, 128, $at, 128 * $n, $at + 128 * $n, 8, 0, 0, (0) x 4)
		. $ids . join('', map { $attr . $w->u64(104, length $ids) } 1 .. $n) . $w->u32(68) . $w->u16(0, 8)),
		small => 1, readers => \@readers, like => qr/ids of an event: the sections of ids are larger together than the file/);

	# Events that have to be told apart by their names: each with all others is 2 thousand million pairs.
	$w = Write::Perf->new;
	my $many = join '', map { $w->u32(64) . $w->u16(0, 8 + 64) . $w->u32(4, 64) . $w->u64($_, 1, 0x10007, 0, 0, 0, 0) } 1 .. 65_000;
	bomb('thousands of events', put('names', 'PERFILE2' . $w->u64(16) . $many), small => 1, readers => [['zedprint', '-f', 'json']], large => 1);

	# Packed bytes that are worth it, then more small records than anybody could look at.
	my $noise = join '', map { $w->u32(200) . $w->u16(0, 8 + 50_000) . join('', map { pack 'N', rand 2 ** 32 } 1 .. 12_500) } 1 .. 15;
	my $comm = ticks()->comm(5, 'a', time => 1000)->{data};
	for my $kind (['that nobody knows', $w->u32(200) . $w->u16(0, 8), 15_000_000], ['of names', $comm, 2_000_000]) {
		my $t = ticks();
		$t->{data} = $noise . $kind->[1] x $kind->[2];
		$t->pack_data(60_000);
		bomb("packed records $kind->[0]", $t->write("$dir/tiny"), small => 1, readers => \@readers,
			like => qr/compressed records make more records than they have bytes/);
	}

	# The largest directory, with a compressed record in each file.
	my $packed = ticks()->sample(0, time => 10, raw => Write::Perf->new->tick(5, 1))->pack_data(1000)->{packed_data};
	for my $files (300, small() ? () : 3000) {
		my $d = "$dir/many.$files";
		mkdir $d or die "$d: $!\n";
		ticks()->comm(5, 'five')->write("$d/data");
		put("many.$files/data.$_", $packed) for 0 .. $files - 1;
		SKIP: {
			my $most = `sh -c 'ulimit -n'`;
			skip "only $most files may be open", 1 if $files + 50 > $most;
			bomb("a directory of $files files", $d, small => 1, readers => \@readers,
				$files > 500 ? (like => qr/too many files with compressed records/) : ());
		}
	}
	my $few = zed_run('zedprint', '-f', 'json', "$dir/many.300");
	is(scalar(() = $few->{out} =~ /mini::tick/g), 300, 'a directory of 300 small files is read (else: machines with many CPUs are not)');
}

# ---- what would be lost in silence

{
	my $d = "$dir/links";
	mkdir $d or die "$d: $!\n";
	ticks()->comm(5, 'five')->write("$d/data");
	my $secret = ticks()->sample(0, time => 10, raw => Write::Perf->new->tick(5, 1))->{data};
	put('elsewhere', $secret);
	put('links/data.0', $secret);
	symlink "$dir/elsewhere", "$d/data.1" or die "symlink: $!\n";
	put('links/data.2', $secret);
	my $r = zed_run('zedprint', '-f', 'json', $d);
	is(scalar(() = $r->{out} =~ /mini::tick/g), 2, 'a link does not lead out of the directory (else: a stranger\'s directory shows files of ours)');
	like($r->{err}, qr/its data\.1 is a symbolic link, which is not followed/, '... which is said');
	is($r->{exit}, 1, '... and is damage');
	mkdir "$dir/whole" or die;
	put('whole.data', ticks()->comm(5, 'five')->bytes);
	symlink '../whole.data', "$dir/whole/data" or die "symlink: $!\n";
	isnt(zed_run('zedprint', "$dir/whole")->{exit}, 0, '... nor does that of data itself');
}

{
	# AUXTRACE says that 1000 bytes stand behind it.
	for my $pipe (0, 1) {
		my $w = ticks(pipe => $pipe, unfinished => !$pipe);
		$w->sample(0, time => 10, raw => $w->tick(5, 1));
		$w->record(71, 0, $w->u64(1000, 0, 0) . $w->u32(0, 0, 0, 0));
		$w->{data} .= 'x' x 10;
		like(said($w->write("$dir/aux")), qr/^1 .*offset 0x[0-9a-f]+: the file ends here, and 990 bytes of a record's data are missing/s,
			'AUX data behind the end of ' . ($pipe ? 'a saved pipe' : 'a file') . ' (else: what was cut off is not missed)');
	}
}

{
	my $w = ticks();
	$w->sample(0, time => 10, raw => $w->tick(5, 1));
	my $empty = $w->sample_bytes({ %{$w->{attrs}[0]}, parts => \@usual }, time => 11, id => 7) . $w->u32(0, 0);
	$w->record(9, 1, $empty);
	$w->sample(0, time => 12, raw => $w->tick(5, 2));
	my $path = $w->write("$dir/empty");
	like(said('-f', 'json', $path), qr/^1 .*offset 0x[0-9a-f]+: a sample of a tracepoint has a record of 0 bytes/s,
		'a sample without its record is said (else: an event is lost in silence)');
	# One that is too short behind one of an unknown event.
	$w = ticks();
	$w->attr(type => 1, config => 2, parts => \@usual, ids => [9], name => 'faults');
	$w->sample(0, time => 10, id => 99, raw => $w->tick(5, 1));
	$w->record(9, 1, $w->u64(7) . 'short');
	my $r = zed_run('zedperl', '--stat', '-e', 'sub trace_unhandled { }', $w->write("$dir/short"));
	like($r->{err}, qr/damaged\D*2|2 damaged/, 'so is one that is too short, behind an unknown one');
}

# ---- a disk that fails

SKIP: {
	my $shim = ($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so';
	skip "$shim is not there: run make check", 1 if !-e $shim;
	my %asan = $ENV{ZED_SAN} ? (ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0') : ();
	# A COMPRESSED2 of several pieces, of which those behind the first 512 KiB cannot be read.
	my $w = ticks();
	$w->{data} = join '', map { $w->u32(200) . $w->u16(0, 8 + 50_000) . join('', map { pack 'N', rand 2 ** 32 } 1 .. 12_500) } 1 .. 15;
	$w->pack_data(65_519);
	my $packed = join '', map { substr $_, 8 } unpack '(a65527)*', $w->{packed_data};
	my @pieces = unpack '(a65519)*', $packed;
	my $all = shift(@pieces) . join '', map { $w->u32(83) . $w->u16(0, 16 + length) . $w->u64(0) . $_ } @pieces;
	$w->{packed_data} = $w->u32(83) . $w->u16(0, 8) . $w->u64(length $all) . $all;
	my $path = $w->write("$dir/pieces");
	is(said($path), '0 ', 'a compressed record of several pieces');
	my $r = zed_run({ time => 20, env => { LD_PRELOAD => $shim, ZED_SHIM => 'eio=600000+1000000', %asan } }, 'zedprint', $path);
	ok(!$r->{late} && $r->{exit} == 1, 'a disk error within a compressed record ends the file (else: it is tried for ever)')
		or diag("exit $r->{exit}");
	like($r->{err}, qr/Input\/output error/, '... and is said');
}

bombs_done();
