# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::LttRead: decodes the one real trace of LTT's first generation (two CPUs, little endian, packed) and cuts of
# it, for the tests.  Written by hand from its core.xml; shares no code with the reader under test.
#
#	my @files = map { Compare::LttRead::read_cpu("$dir/cpu/$_", $block_size) } 0, 1;
#	# each: { blocks => [{ start, end, from, to, at, ... }], events => [{ name, off, len, tsc, ts, seq, values }] }
package Compare::LttRead;
use strict;
use warnings;

# Events in the order of the file: their number is their place.  C 1, S 2, L 4, Q 8 bytes, Z a string.
our @EVENTS = (
	[facility_load => 'ZLL', qw(name checksum base_code)], [syscall_entry => 'CL', qw(syscall_id address)],
	['syscall_exit', ''], [trap_entry => 'SL', qw(trap_id address)], ['trap_exit', ''],
	[irq_entry => 'CC', qw(irq_id kernel)], ['irq_exit', ''], [schedchange => 'LLL', qw(out in out_state)],
	['kernel_timer', ''], [soft_irq => 'CL', qw(event_sub_id event_data)],
	[process => 'CLL', qw(event_sub_id event_data1 event_data2)],
	[file_system => 'CLLZ', qw(event_sub_id event_data1 event_data2 file_name)],
	[timer => 'CCLL', qw(event_sub_id event_sdata event_data1 event_data2)],
	[memory => 'CL', qw(event_sub_id event_data)], [socket => 'CLL', qw(event_sub_id event_data1 event_data2)],
	[ipc => 'CLL', qw(event_sub_id event_data1 event_data2)], [network => 'CL', qw(event_sub_id event_data)],
	[block_start => 'LLQL', qw(seconds nanoseconds cycle_count block_id)],
	[block_end => 'LLQL', qw(seconds nanoseconds cycle_count block_id)],
	[time_heartbeat => 'LLQ', qw(seconds nanoseconds cycle_count)],
	[process_fork => 'LL', qw(child_pid event_data2)], [process_exit => 'LL', qw(event_data1 event_data2)],
);

# The names of the sub-events; the first is 1.
our %LABELS = (
	soft_irq => ['SOFT_IRQ', qw(BOTTOM_HALF SOFT_IRQ TASKLET_ACTION TASKLET_HI_ACTION)],
	process => ['PROCESS', qw(KTHREAD FORK EXIT WAIT SIGNAL WAKEUP)],
	file_system => ['FILE_SYSTEM', qw(BUF_WAIT_START BUF_WAIT_END EXEC OPEN CLOSE READ WRITE SEEK IOCTL SELECT POLL)],
	timer => ['TIMER', qw(EXPIRED SETITIMER SETTIMEOUT)],
	memory => ['MEMORY', qw(PAGE_ALLOC PAGE_FREE SWAP_IN SWAP_OUT PAGE_WAIT_START PAGE_WAIT_END)],
	socket => ['SOCKET', qw(CALL CREATE SEND RECEIVE)],
	ipc => ['IPC', qw(CALL MSG_CREATE SEM_CREATE SHM_CREATE)],
	network => ['NETWORK', qw(PACKET_IN PACKET_OUT)],
);

sub label {
	my ($event, $n) = @_;
	my ($middle, @names) = @{$LABELS{$event} // []};
	return defined $middle && $n >= 1 && $n <= @names ? "TRACE_EV_${middle}_$names[$n - 1]" : undef;
}

# A * B / C rounded down, in 63 bits: A < 2^44, C < 2^46.
sub muldiv {
	use integer;
	my ($x, $y, $z) = @_;
	my ($whole, $part, $rest, $sum) = ($y / $z, $y % $z, 0, 0);
	for my $shift (32, 16, 0) {
		my $t = $rest * 65536 + ($x >> $shift & 65535) * $part;
		$sum = $sum * 65536 + $t / $z;
		$rest = $t % $z;
	}
	return $x * $whole + $sum;
}

my %bytes = (C => 1, S => 2, L => 4, Q => 8);
sub read_cpu {
	my ($path, $size) = @_;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	my $data = do { local $/; <$fh> };
	my %file = (blocks => [], events => []);
	for (my $at = 0; $at + $size <= length $data; $at += $size) {
		my $end = $at + $size - unpack 'V', substr $data, $at + $size - 4, 4;
		my %b = (at => $at, end => $end);
		@b{qw(s us cycles id)} = unpack 'VVQ<V', substr $data, $at + 6, 20;
		@b{qw(end_s end_us end_cycles)} = unpack 'VVQ<', substr $data, $end + 6, 16;
		my $start = $b{s} * 1_000_000_000 + $b{us} * 1000;
		my $dt = $b{end_s} * 1_000_000_000 + $b{end_us} * 1000 - $start;
		my ($off, $tsc) = ($at, $b{cycles});
		while ($off <= $end) {
			my ($id, $low) = unpack 'vV', substr $data, $off, 6;
			my ($name, $format, @names) = @{$EVENTS[$id] // die "$path: no event $id at $off\n"};
			my $p = $off + 6;
			my @values;
			for (split //, $format) {
				my $v = $_ eq 'Z' ? unpack 'Z*', substr $data, $p, 4096
					: unpack $_ . ($_ eq 'C' ? '' : '<'), substr $data, $p, $bytes{$_};
				$p += $_ eq 'Z' ? 1 + length $v : $bytes{$_};
				push @values, $v;
			}
			my $wrap = $low < ($tsc & 0xffffffff);
			$file{wraps}++ if $wrap;
			$tsc = ($tsc >> 32) + $wrap << 32 | $low;
			push @{$file{events}}, { name => $name, off => $off, len => $p - $off, low => $low, tsc => $tsc,
				seq => 1 + @{$file{events}}, names => \@names, values => \@values,
				ts => $start + muldiv($tsc - $b{cycles}, $dt, $b{end_cycles} - $b{cycles}) };
			$off = $p;
		}
		$b{after} = $off;
		push @{$file{blocks}}, \%b;
	}
	$file{data} = \$data;
	return \%file;
}

# All events of FILES (one for each CPU) in the order of time, then CPU, then place; each gets its cpu.
sub merged {
	my (@files) = @_;
	my $cpu = 0;
	for my $f (@files) {
		$_->{cpu} = $cpu for @{$f->{events}};
		$cpu++;
	}
	return sort { $a->{ts} <=> $b->{ts} || $a->{cpu} <=> $b->{cpu} || $a->{seq} <=> $b->{seq} }
		map { @{$_->{events}} } @files;
}

# The fields of an event as zedprint writes them.
sub text_of {
	my ($e) = @_;
	my ($name, @v) = ($e->{name}, @{$e->{values}});
	my $time = sub { "time = {seconds=$v[0], nanoseconds=$v[1]}, cycle_count = $v[2]," };
	return " timestamp = {time={seconds=$v[0], nanoseconds=$v[1]}, cycle_count=$v[2]}, block_id = $v[3],"
		if $name =~ /^block_/;
	return ' ' . $time->() if $name eq 'time_heartbeat';
	$v[0] = label($name, $v[0]) // $v[0] if $LABELS{$name};
	return join '', map { " $e->{names}[$_] = $v[$_]," } 0 .. $#v;
}

# The whole line.
sub line_of {
	my ($e) = @_;
	return sprintf 'core::%s cpu = %d, time = %d.%09d, sequence = %d,%s', $e->{name}, $e->{cpu},
		int($e->{ts} / 1_000_000_000), $e->{ts} % 1_000_000_000, $e->{seq}, text_of($e);
}

1;
