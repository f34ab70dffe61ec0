# SPDX-License-Identifier: GPL-2.0-or-later
#
# Numbers that are divided by, or stepped by, and that a file says are 0: without these checks a file
# of 8 KB ends the program with SIGFPE, and a client of the network the process that serves it.
#
# of: reader/dat ring reader/zedstream
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::RfcSource;
use Write::Rfc;
use Run::Program;
use Write::ZedStream;

my $dir = zed_tmp();
my $s = Write::RfcSource::source_cut(Write::RfcSource::source_read('t/data/small_v7_none.dat'), pages => [0, 2]);

# PATH is read to its end by each program, which says WHY and exits with EXIT.
sub ends_well {
	my ($what, $why, $exit, @args) = @_;
	for my $run (['zedprint', '-f', 'report'], ['zedprint', '--summary'], ['zedperl', '-t'],
		['zedperl', '-e', 'sub trace_unhandled { }']) {
		my $r = zed_run(@$run, @args);
		is("$r->{signal} $r->{exit}", "0 $exit", "$what: $run->[0] $run->[1]") or diag $r->{err};
		like($r->{err}, $why, '... says why') if $exit && $run->[1] ne '-t';
	}
	return;
}

# The RFC dialect tells the size of a sub-buffer in the header information alone.
for my $shape ([mail1 => 'none'], [mail2 => 'none'], [mail2 => 'zlib'], [pages => 'none'], [pages => 'zlib']) {
	my ($buffer, $compression) = @$shape;
	my $path = "$dir/rfc.dat";
	eval { Write::Rfc::rfc_write($s, $path, buffer => $buffer, compression => $compression, without => { 16 => 1 }) };
	next if $@;
	ends_well("no header information, $buffer $compression",
		$buffer eq 'pages' ? qr/no header info/ : qr/sub-buffers of 0 bytes|no header info/, 1, $path);
}
for my $size (0, 1, 5000, 1 << 31) {
	local $s->{header_page} = $s->{header_page} =~ s/(char data;\s*offset:16;\s*size:)\d+/$1$size/r;
	Write::Rfc::rfc_write($s, "$dir/rfc.dat");
	ends_well("a sub-buffer with $size bytes of data", qr/offset 0x[0-9a-f]+: .*(?:bytes|page|has no)/, 1, "$dir/rfc.dat");
}

# Bare pages, whose size another file tells.
{
	Write::Rfc::rfc_write($s, "$dir/rfc.dat", without => { 16 => 1 });
	open my $fh, '>:raw', "$dir/trace.cpu0" or die $!;
	my $d = Write::Dat->new(page_size => 4096);
	print $fh $d->page(1000, $d->data_event(0, $d->tick(1)));
	close $fh;
	ends_well('bare pages of 0 bytes', qr/rfc\.dat: sub-buffers of 0 bytes/, 2, '--meta', "$dir/rfc.dat", "$dir/trace.cpu0");
	for my $size (1000, 5000) {
		my $text = Write::Dat::header_page(Write::Dat->new) =~ s/(data;\toffset:16;\tsize:)\d+/$1$size/r;
		Write::Dat->new(header_page => $text)->write("$dir/mini.dat");
		ends_well("bare pages with $size bytes of data", qr/sub-buffers of \d+ bytes|header_page/, 2,
			'--meta', "$dir/mini.dat", "$dir/trace.cpu0");
	}
}

# A zed stream's metadata are the beginning of a trace.dat of any dialect.
{
	my $meta = slurp("$dir/rfc.dat");
	my $stream = Write::ZedStream->new(meta => $meta, page_size => 4096, clock => 'local');
	$stream->pages(0, "\0" x 4096);
	$stream->end(0, 0);
	$stream->write("$dir/s.zed");
	ends_well('a stream with such metadata', qr/no header info/, 1, "$dir/s.zed");
}

done_testing;
