# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions of the kernel that print formats call for a text: what a SCSI command asks for, names of Xen's
# hypercalls, whether a page can be written.  Without it a command would be shown as a ?, or as another one.
#
# of: text
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Compare::Stock;
use Run::Program;

my $n = 0;
# The texts of records, each with its format, in -f FORMAT, and in trace-cmd's report.
sub texts {
	my ($format, $formats, @records) = @_;
	my $path = Write::Dat->new(cpus => 1, page_size => 65536, formats => $formats, make_pages => sub {
		my ($d) = @_;
		return Write::Dat::page($d, 1_000_000_000, join '', map { Write::Dat::data_event($d, 1000, $_->($d)) } @records);
	})->write(zed_tmp() . '/' . $n++ . '.dat');
	my $run = zed_run('zedprint', '-f', $format, $path);
	my $cut = sub { return [map { /\d\.\d+: \w+: +(.*?) *$/ ? $1 : () } split /\n/, $_[0]] };
	return ($cut->($run->{out}), stock_missing() ? undef : $cut->(stock_text($path)));
}

# SBC-4: [command's bytes, the text]
my @cdbs = (
	['08 1f ff fe 00 00', 'lba=2097150 txlen=256'],
	['0a 00 01 02 05 00', 'lba=258 txlen=5'],
	['28 20 00 00 08 00 00 00 10 00', 'lba=2048 txlen=16 protect=1'],
	['2a 00 ff ff ff ff 00 ff ff 00', 'lba=4294967295 txlen=65535 protect=0'],
	['2f 00 00 00 00 01 00 00 02 00', 'lba=1 txlen=2 protect=0'],
	['41 08 00 00 00 07 00 00 03 00', 'lba=7 txlen=3 protect=0 unmap=1'],
	['a8 e0 00 00 00 09 00 01 00 00 00 00', 'lba=9 txlen=65536 protect=7'],
	['88 00 00 00 00 01 00 00 00 00 00 00 00 80 00 00', 'lba=4294967296 txlen=128 protect=0'],
	['93 08 00 00 00 00 00 00 00 05 00 00 00 06 00 00', 'lba=5 txlen=6 protect=0 unmap=1'],
	['42 00 00 00 00 00 00 00 28 00', 'regions=2'],
	['9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00', 'READ_CAPACITY_16 lba=0 alloc_len=32'],
	['9e 12 00 00 00 00 00 00 00 04 00 00 00 18 00 00', 'GET_LBA_STATUS lba=4 alloc_len=24'],
	['9e 13 00 00 00 00 00 00 00 04 00 00 00 18 00 00', 'UNKNOWN'],
	['7f 00 00 00 00 00 00 18 00 09 40 00 00 00 00 00 00 00 00 0a 00 00 00 0b 00 00 00 00 00 00 00 0c',
		'READ_32 lba=10 txlen=12 protect=2 ei_lbrt=11'],
	['7f 00 00 00 00 00 00 18 00 0d 08 00 00 00 00 00 00 00 00 0a 00 00 00 0b 00 00 00 00 00 00 00 0c',
		'WRITE_SAME_32 lba=10 txlen=12 protect=0 ei_lbrt=11 unmap=1'],
	['7f 00 00 00 00 00 00 18 ff ff 08 00 00 00 00 00 00 00 00 0a 00 00 00 0b 00 00 00 00 00 00 00 0c', '-'],
	['12 00 00 00 24 00', '-'],
);
my $scsi = [scsi => Write::Dat::format_text('scsi_dispatch_cmd_start', 300, "\tfield:unsigned int cmd_len;\toffset:8;\tsize:4;\tsigned:0;\n"
	. "\tfield:__data_loc unsigned char[] cmnd;\toffset:12;\tsize:4;\tsigned:0;\n",
	'"%s", scsi_trace_parse_cdb(p, __get_dynamic_array(cmnd), REC->cmd_len)')];
my @records = map { my $cdb = pack 'H*', $_->[0] =~ s/ //gr; sub {
	Write::Dat::common($_[0], 300) . pack('V V', length $cdb, length($cdb) << 16 | 16) . $cdb } } @cdbs;
my @want = map { $_->[1] } @cdbs;
for my $format (qw(report kernel)) {
	my ($ours, $stock) = texts($format, [$scsi], @records);
	is_deeply($ours, \@want, "SCSI commands: $format");
	SKIP: {
		skip stock_missing(), 1 if stock_missing();
		# The plugin takes a length of 0 for 0, where it means 256, and gives an address above 2^31 a sign.
		my @right = (1, 2, 4 .. $#want);
		is_deeply([@$stock[@right]], [@want[@right]], 'as trace-cmd shows them (else: the standard was read wrongly)');
	}
}
my ($short) = texts('report', [$scsi], sub { Write::Dat::common($_[0], 300) . pack('V V', 10, 2 << 16 | 16) . "\x28\x20\0\0" });
is_deeply($short, ['lba=0 txlen=0 protect=1'], 'a command whose end is not in the record');

my $xen = [xen => Write::Dat::format_text('xen_mc_entry', 300, "\tfield:unsigned int op;\toffset:8;\tsize:4;\tsigned:0;\n",
	'"op %u%s", REC->op, xen_hypercall_name(REC->op)')];
my @ops = (0 .. 60, 4_000_000_000);
my ($ours, $stock) = texts('report', [$xen], map { my $op = $_; sub { Write::Dat::common($_[0], 300) . pack 'V', $op } } @ops);
my %name = (1 => '(mmu_update)', 24 => '(vcpu_op)', 32 => '(event_channel_op)', 11 => '', 4_000_000_000 => '');
is($ours->[$_], "op $ops[$_]$name{$ops[$_]}", "hypercall $ops[$_]") for grep { exists $name{$ops[$_]} } 0 .. $#ops;
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	is_deeply($ours, $stock, 'all of them as trace-cmd names them');
}

my $kvm = [kvmmmu => Write::Dat::format_text('kvm_mmu_set_spte', 300, "\tfield:u64 spte;\toffset:8;\tsize:8;\tsigned:0;\n",
	'"%s", is_writable_pte(REC->spte) ? "w" : "-"')];
($ours) = texts('report', [$kvm], map { my $pte = $_; sub { Write::Dat::common($_[0], 300) . pack 'Q<', $pte } } 0x67, 0x25);
is_deeply($ours, ['w', '-'], 'a page that can be written, and one that cannot');
done_testing();
