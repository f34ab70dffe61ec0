# SPDX-License-Identifier: GPL-2.0-or-later
#
# Exit 0 means complete: what cannot be read, and what nobody reads, is said, and what is intact comes.
# Without it half of a trace passes for the whole.
#
# of: reader programs
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();
my $shim = ($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so';
my $all = 28;		# events of a Write::Dat: 2 CPUs of 2 pages of 7
my $n = 0;

sub printed { my @n = $_[0]{out} =~ /: (?:tick|said): /g; return scalar @n }

sub with_shim {
	my ($how, @cmd) = @_;
	my %asan = $ENV{ZED_SAN} ? (ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0') : ();
	return zed_run({ env => { LD_PRELOAD => $shim, ZED_SHIM => $how, %asan } }, @cmd);
}

# Print D: this exit status, so many events, and a word of it (none at all where LIKE is undef).
sub check {
	my ($what, $d, $exit, $events, $like, $how) = @_;
	my $path = $d->write("$dir/" . ++$n . '.dat');
	my @cmd = ('zedprint', '-f', 'report', $path);
	my $r = $how ? with_shim($how, @cmd) : zed_run(@cmd);
	is("$r->{signal} $r->{exit}", "0 $exit", "$what: exit $exit (else: a loss passes for a whole trace)")
		or diag($r->{err});
	is(printed($r), $events, "$what: $events events come (else: intact ones are lost)") or diag($r->{err});
	defined $like ? like($r->{err}, $like, "$what: it is said") : is($r->{err}, '', "$what: nothing to say");
	return $path;
}

my $D = sub { return Write::Dat->new(@_) };

# ---- chunk lists
for my $o ([compression => 'zstd'], [compression => 'zlib', big => 1]) {
	check("a chunk count of 0 in front of data (@$o)", $D->(@$o)->poke('buffer.cpu0.count', "\0" x 4), 1, $all,
		qr/offset 0x.*cpu 0: \d+ bytes after the last counted chunk/);
	my $d = $D->(@$o);
	check("a chunk count that is too small (@$o)", $d->poke('buffer.cpu1.count', $d->u32(1)), 1, $all,
		qr/cpu 1: \d+ bytes after the last counted chunk/);
	$d = $D->(@$o);
	check("a chunk count that is too large (@$o)", $d->poke('buffer.cpu1.count', $d->u32(3)), 1, $all,
		qr/cpu 1: .*chunk/);
	# The recorder writes a CPU's count when it has written its chunks, and the options at the end.
	$d = $D->(@$o);
	$d->poke('options_offset', $d->u64(0))->poke('buffer.cpu1.count', "\0" x 4);
	check("a recorder that was killed in the last CPU's data (@$o)", $d->cut($d->at('buffer.options')), 1, $all,
		qr/not finished/);
}
SKIP: {
	skip "$shim is not there: run make check", 3 if !-e $shim;
	my $d = $D->(compression => 'zstd');
	check('a chunk count that cannot be read', $d, 1, $all / 2, qr/cpu 0: cannot read: Input\/output error/,
		'eio=' . $d->at('buffer.cpu0.count') . '+4');
}

# ---- version 6
SKIP: {
	skip "$shim is not there: run make check", 12 if !-e $shim;
	for my $cpu (0, 1) {
		my $d = $D->(version => 6, page_size => 8192);
		check("v6: a page of cpu $cpu that cannot be read", $d, 1, $all / 2,
			qr/cpu $cpu: cannot read: Input\/output error/, 'eio=' . $d->at("buffer.cpu$cpu.page0") . '+8');
	}
	my $d = $D->(version => 6, instances => ['foo']);
	my $at = $d->at('buffer.clock');
	check('v6: a clock that cannot be read', $d, 1, 2 * $all, qr/Input\/output error/, "eio=$at+8");
	$d = $D->(version => 6, instances => ['foo']);
	check('v6: an instance that cannot be read', $d, 1, $all, qr/Input\/output error|no data of the buffer/,
		'eio=' . $d->at('buffer-foo.mark') . '+8');
}

# ---- bytes that nobody reads
for my $v (6, 7) {
	my $d = $D->(version => $v);
	check("v$v: half of a CPU's pages are left out of the table",
		$d->poke('buffer.entry1.size', $d->u64($d->{page_size})), 1, $all - 7,
		qr/offset 0x\w+: \d+ bytes.* not referenced by any section/);
	$d = $D->(version => $v);
	$d->poke('buffer.entry1.offset', $d->u64($d->at('buffer.cpu1.page1')));
	$d->poke('buffer.entry1.size', $d->u64($d->{page_size}));
	check("v$v: the first page is left out of the table", $d, 1, $all - 7, qr/not referenced by any section/);
	$d = $D->(version => $v);
	$d->{bytes} .= "\0" x 5000;
	check("v$v: zeroes behind the end", $d, 0, $all, undef);
	$d->{bytes} .= "more";
	check("v$v: something behind the end", $d, 1, $all, qr/\d+ bytes.* not referenced by any section/);
}
{
	my $d = $D->();
	check('v7: a table of one CPU where two have data', $d->poke('buffer.ncpus', $d->u32(1)), 1, $all / 2,
		qr/not referenced by any section/);
	$d = $D->(instances => ['foo']);
	check('v7: the chain of options ends before the instance',
		$d->poke('buffer.options.done', $d->u64(0)), 1, 2 * $all, qr/(?:options|data) that no option leads to/);
	$d = $D->();
	my $path = check('v7: no option leads to the command lines', $d->poke('option.21', $d->u16(999)), 1, $all,
		qr/metadata that no option leads to/);
	like(zed_run('zedprint', '-f', 'report', $path)->{out}, qr/mini-77/, 'whose names come all the same');
	$d = $D->(compression => 'zstd', slack => 30);
	check('v7: the slack that trace-cmd 3.0 left', $d, 0, $all, undef);
}

# ---- bytes that two read
for my $v (6, 7) {
	my $d = $D->(version => $v);
	check("v$v: a CPU's size reaches into the next one's pages",
		$d->poke('buffer.entry0.size', $d->u64(3 * $d->{page_size})), 1, $all + 7,
		qr/offset 0x\w+: a CPU's data go on to .* come twice/);
	$d = $D->(version => $v, instances => ['foo']);
	$d->poke('buffer-foo.entry1.offset', $d->u64($d->at('buffer.cpu1.page0')));
	check("v$v: two buffers have the pages of one", $d, 1, 2 * $all, qr/a CPU's data go on to .* come twice/);
}

# ---- the script's own text
SKIP: {
	skip "$shim is not there: run make check", 18 if !-e $shim;
	my $path = $D->()->write("$dir/text.dat");
	my $pad = join '', map { "# text $_ " . 'x' x 60 . "\n" } 1 .. 300;	# several reads long
	my $script = "$dir/long.pl";
	my %text = ($script => "use lib '$dir';\nuse Long;\nuse Zed handlers => ['mini'];\nsub mini::tick { \$main::n++ }\n${pad}sub trace_end " .
		"{ print \"\$n \", scalar <DATA> }\n__DATA__\nend\n",
		"$dir/Long.pm" => "package Long;\nsub one { 1 }\n${pad}sub two { 2 }\n1;\n");
	for my $file (sort keys %text) {
		open my $fh, '>', $file or die "$file: $!\n";
		print $fh $text{$file};
		close $fh or die "$file: $!\n";
	}
	is(zed_run('zedperl', $path, $script)->{out}, "24 end\n", 'a script of several reads, with DATA behind it');
	for my $reads (0 .. 2) {
		my $r = with_shim("badtext=$reads:/long.pl", 'zedperl', $path, $script);
		is($r->{exit}, 255, "EIO after $reads reads of the script: it does not run (else: the half of it does)");
		like($r->{err}, qr/cannot read \Q$script\E.*Input\/output error/, 'and says why');
		is($r->{out}, '', 'nothing of it has run');
		$r = with_shim("badtext=$reads:/Long.pm", 'zedperl', $path, $script);
		is($r->{exit}, 255, "EIO after $reads reads of a module");
		like($r->{err}, $reads ? qr/cannot read \S*Long\.pm.*Input\/output error/ : qr/Long\.pm/, 'is said');
	}
}

done_testing();
