# SPDX-License-Identifier: GPL-2.0-or-later
#
# cutltt.pl: turns the real LTT trace of generation 1, whose two files are one block of 1,000,000 bytes each,
# into a small one of three blocks a CPU: its beginning, the wrap of its 32-bit counter, its end.
#
#	perl -It/lib t/tools/cutltt.pl IN OUT
#
# The events are the real ones, byte for byte.  Only brackets that the real trace does not have are made: block_end of
# the first and second block, block_start of the second and third (time and cycles on the line between the real ones,
# whole microseconds), the distance at each block's end, ltt_block_size in info/system.xml.  It shares no code with the
# reader, on purpose.
use strict;
use warnings;
use File::Basename ();
use File::Path ();
use lib File::Basename::dirname(__FILE__) . '/../lib';
use Compare::LttRead;
use Files;

my $SIZE = 8000;
my $REAL = 1_000_000;
my ($BLOCK_START, $BLOCK_END) = map { my $n = $_; grep { $Compare::LttRead::EVENTS[$_][0] eq $n } 0 .. $#Compare::LttRead::EVENTS }
	qw(block_start block_end);

die "usage: perl cutltt.pl IN OUT\n" if @ARGV != 2;
my ($in, $out) = @ARGV;

sub put {
	my ($name, $data) = @_;
	File::Path::make_path(File::Basename::dirname("$out/$name"));
	spew("$out/$name", $data);
	return;
}

# A block_start or block_end at the event E of the file F: its cycles, and its time in the real block.
sub stamp {
	my ($f, $code, $e, $n) = @_;
	my $b = $f->{blocks}[0];
	my $us = $b->{s} * 1_000_000 + $b->{us} + Compare::LttRead::muldiv($e->{tsc} - $b->{cycles},
		($b->{end_s} - $b->{s}) * 1_000_000 + $b->{end_us} - $b->{us}, $b->{end_cycles} - $b->{cycles});
	return pack('vV', $code, $e->{low}) . pack 'VVQ<V', $us / 1_000_000, $us % 1_000_000, $e->{tsc}, $n;
}

for my $cpu (0, 1) {
	my $f = Compare::LttRead::read_cpu("$in/cpu/$cpu", $REAL);
	my $events = $f->{events};
	my ($wrap) = grep { $events->[$_]{low} < $events->[$_ - 1]{low} } 1 .. $#$events;
	my $room = $SIZE - 4 - 2 * 26;
	my $bytes = sub { my ($e) = @_; substr ${$f->{data}}, $e->{off}, $e->{len} };
	my $made = '';
	for my $n (0, 1, 2) {
		my $first = $n == 0 ? 0 : $n == 1 ? $wrap - 400 : $#$events;
		my $last = $first;
		my $used = $events->[$first]{len};
		if ($n < 2) {
			$used += $events->[++$last]{len} while $used + $events->[$last + 1]{len} <= $room;
		} else {
			$used += $events->[--$first]{len} while $used + $events->[$first - 1]{len} <= $room;
		}
		my $data = $n ? stamp($f, $BLOCK_START, $events->[$first], $n) : '';
		$data .= join '', map { $bytes->($events->[$_]) } $first .. ($n == 2 ? $last - 1 : $last);
		my $end = length $data;
		$data .= $n < 2 ? stamp($f, $BLOCK_END, $events->[$last + 1], $n) : $bytes->($events->[$last]);
		$made .= $data . "\0" x ($SIZE - 4 - length $data) . pack 'V', $SIZE - $end;
	}
	put("cpu/$cpu", $made);
}
put($_, slurp("$in/$_")) for qw(eventdefs/core.xml control/facilities control/interrupts control/processes);
my $system = slurp("$in/info/system.xml");
$system =~ s/ltt_block_size="$REAL"/ltt_block_size="$SIZE"/ or die "$in: another block size\n";
put('info/system.xml', $system);
