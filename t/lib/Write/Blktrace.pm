# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Blktrace: writes the block events of a recording as blktrace(8) would have (struct blk_io_trace of
# <linux/blktrace_api.h>), for blkparse and btt, and reads btt's answer.  The events come from trace-cmd report -t,
# without any of the code under test.
package Write::Blktrace;
use strict;
use warnings;

my $MAGIC = 0x65617400 | 7;	# and the version
my $SECTOR = 512;

# The action of each event, and its category in blktrace (a bit above 16).
my %ACTION = (
	bio_queue => [1, 4], bio_backmerge => [2, 4], bio_frontmerge => [3, 4], getrq => [4, 4], rq_insert => [12, 4],
	rq_requeue => [6, 5], rq_issue => [7, 6], rq_complete => [8, 7],
);
# Categories of the letters in rwbs: read, write, flush or FUA, synchronous, read ahead, metadata.
my %LETTER = (R => 1, W => 2, F => 4, S => 8, A => 1 << 11, M => 1 << 12);

# The block events in the text of HANDLE: { t (ns), cpu, pid, event, dev, rwbs, sector, n }, a split has no n.
sub events {
	my ($handle) = @_;
	my @events;
	while (<$handle>) {
		my ($pid, $cpu, $s, $ns, $event, $dev, $rwbs, $rest)
			= /-(\d+) +\[(\d+)\] +(?:\S+ +)?(\d+)\.(\d{9}): block_((?:bio|rq)_\w+|getrq|split): +(\d+,\d+) (\w+) (.*)/ or next;
		my ($sector, $n) = $rest =~ m{(\d+) (?:\+ (\d+)|/ \d+)} or die "line $.: no sector in '$rest'\n";
		push @events, { t => $s * 1_000_000_000 + $ns, cpu => $cpu, pid => $pid, event => $event, dev => $dev, rwbs => $rwbs,
			sector => $sector, n => $n };
	}
	return @events;
}

# EVENTS as blktrace's file of a CPU.
sub binary {
	my (@events) = @_;
	my ($bytes, $sequence) = ('', 0);
	for my $e (@events) {
		my ($action, $category) = @{$ACTION{$e->{event}} // next};
		my ($major, $minor) = split /,/, $e->{dev};
		my $categories = 1 << $category;
		$categories |= $LETTER{$_} // 0 for split //, $e->{rwbs};
		$bytes .= pack 'L2Q2L5S2', $MAGIC, ++$sequence, @$e{qw(t sector)}, $e->{n} * $SECTOR, $categories << 16 | $action, $e->{pid},
			$major << 20 | $minor, 0, 0, 0;
	}
	return $bytes;
}

# {phase}: [min, avg, max in ns, n], by btt for EVENTS, whose files are in DIR.
sub btt {
	my ($dir, @events) = @_;
	open my $fh, '>:raw', "$dir/dev.blktrace.0" or die "$dir: $!\n";
	print $fh binary(@events);
	close $fh or die "$dir: $!\n";
	system("cd '$dir' && blkparse -i dev -d dev.bin -O >blkparse.txt 2>&1") == 0 or die "blkparse: $?\n";
	my %phases;
	for (split /\n/, `cd '$dir' && btt -i dev.bin 2>&1`) {
		last if /Device Overhead/;
		# For the driver "device-mapper", or another one with its number, it prints that.
		next if !/^([A-Z]2[A-Z])(?:dm)? +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)\z/;
		$phases{$1} = [(map { sprintf '%.0f', $_ * 1e9 } $2, $3, $4), $5];
	}
	return \%phases;
}

1;
