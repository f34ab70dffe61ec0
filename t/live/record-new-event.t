# SPDX-License-Identifier: GPL-2.0-or-later
#
# An event that comes while zedtrace records (a uprobe): it is switched on and its format is in the stream.  Without it
# readers cannot decode it.
#
# of: programs/zedtrace record kernel record/sideband.c
# runs: make check
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Copy qw(copy);
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Process;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $root = live_root();
my $scripts = abs_path('scripts');
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- an event that comes
# The offset in the file of an ELF program's entry point.
sub entry_offset {
	my $bytes = slurp($_[0]);
	return undef if substr($bytes, 0, 6) ne "\x7fELF\x02\x01";
	my ($entry, $phoff) = unpack 'x24 Q< Q<', $bytes;
	my ($size, $n) = unpack 'x54 v v', $bytes;
	for (0 .. $n - 1) {
		my ($type, undef, $off, $vaddr, undef, $filesz) = unpack 'V V Q< Q< Q< Q<', substr $bytes, $phoff + $_ * $size, $size;
		return $entry - $vaddr + $off if $type == 1 && $entry >= $vaddr && $entry < $vaddr + $filesz;
	}
	return undef;
}
sub probe {
	open my $fh, '>>', "$root/uprobe_events" or return 0;
	return syswrite($fh, "$_[0]\n") && close $fh;
}
SKIP: {
	my $own = "$dir/true73";
	copy('/bin/true', $own) or die "$own: $!\n";
	chmod 0755, $own;
	my $at = entry_offset($own);
	my $group = "zedtest$$";
	skip live_cannot('no uprobe can be made here, so no event comes while we record'), 6
		if !defined $at || !probe(sprintf 'p:%s/first %s:0x%x', $group, $own, $at);
	my $h = live_start({ stdout => "$dir/new.zed" }, 'zedtrace', '-o', '-', $group);
	my $ready = live_ready($h);
	ok($ready, 'recording a uprobe') or diag live_end($h, 0)->{err};
	system $own for 1 .. 3;
	ok(probe(sprintf 'p:%s/second %s:0x%x', $group, $own, $at), 'another event comes while we record');
	ok(wait_until(20, sub { (eval { slurp("$ready/events/$group/second/enable") } // '') =~ /^1/ }), 'it is switched on') if $ready;
	system $own for 1 .. 5;
	live_signal($h, 'INT');
	my $r = live_end($h);
	is($r->{exit}, 0, 'exit 0') or diag $r->{err};
	probe("-:$group/$_") or diag "the uprobe $group/$_ cannot be removed: $!" for qw(first second);
	# The frames of docs/zed-stream.pod: a head of 16 bytes, then kind, length, payload.
	my ($bytes, $off, @kinds, @formats) = (slurp("$dir/new.zed"), 16);
	while ($off + 8 <= length $bytes) {
		my ($kind, $len) = unpack 'V V', substr $bytes, $off;
		push @kinds, $kind;
		push @formats, substr $bytes, $off + 8, $len if $kind == 6;
		$off += 8 + $len;
	}
	is(scalar(grep { /^$group\0name: second$/m } @formats), 1, 'its format stands in the stream (else: readers cannot decode it)');
	my $p = zed_run({ time => 60 }, 'zedperl', "$dir/new.zed", "$scripts/countall.pl");
	is($p->{out}, "event counts:\n${group}::first: 8\n${group}::second: 5\n", 'and its events reach handlers') or diag $p->{err};
}

done_testing();
