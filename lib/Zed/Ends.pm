# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ends: where the records of each CPU begin and end, and whether its activity before and after them, or all of it, is
# unknown, because records were left out of the trace.
package Zed::Ends;
use strict;
use warnings;

our $VERSION = '0.1';

# A CPU: the times of its first and last record, and whether records before or after them were left out.
use constant { FIRST => 0, LAST => 1, CUT => 2 };

my @cpus;	# [source]{cpu}
my @missing;	# [source]: CPUs of which a file that is cut off has no record
my @whole;	# [source]: no CPU is cut from FIRST to LAST, as far as it matters here; undef: always

sub _of {
	my ($source) = @_;
	return $cpus[$source] // _look($source);
}

# Live, and if a trace is read as it arrives, there are none.
sub _look {
	my ($source) = @_;
	my $of = $cpus[$source] = {};
	for my $span (Zed::spans($source)) {
		my ($cpu, $first, $last) = @$span{qw(cpu start end)};
		my $ends = $of->{$cpu} //= [$first, $last];
		$ends->[FIRST] = $first if $first < $ends->[FIRST];
		$ends->[LAST] = $last if $last > $ends->[LAST];
	}
	for my $ends (map { $of->{$_} // () } Zed::_lacks($source)) {
		$ends->[CUT] = 1;
		my $whole = $whole[$source] //= [@$ends[FIRST, LAST]];
		$whole->[FIRST] = $ends->[FIRST] if $ends->[FIRST] > $whole->[FIRST];
		$whole->[LAST] = $ends->[LAST] if $ends->[LAST] < $whole->[LAST];
	}
	$whole[$source] = [9**9**9, -1] if missing($source);
	return $of;
}

# A gap for the whole time.
sub missing {
	my ($source) = @_;
	return @{$missing[$source] //= [Zed::_missing_cpus($source)]};
}

sub cpus {
	my ($source) = @_;
	return sort { $a <=> $b } keys %{_of($source)};
}

sub first { my ($source, $cpu) = @_; my $of = _of($source)->{$cpu}; return $of ? $of->[FIRST] : undef }

sub last { my ($source, $cpu) = @_; my $of = _of($source)->{$cpu}; return $of ? $of->[LAST] : undef }

# Up to when the state of CPU is known: undef, live.
sub end {
	my ($source, $cpu) = @_;
	my $of = _of($source)->{$cpu};
	return $of && $of->[CUT] ? $of->[LAST] : Zed::end($source);
}

# Each CPU that is cut: [CPU, FIRST, LAST].
sub cut {
	my ($source) = @_;
	my $of = _of($source);
	return map { [$_, @{$of->{$_}}[FIRST, LAST]] } grep { $of->{$_}[CUT] } cpus($source);
}

# May an event of some CPU at TS have been left out of the trace?
sub is_cut_at {
	my ($source, $ts) = @_;
	_look($source) if !$cpus[$source];
	my $whole = $whole[$source];
	return $whole && ($ts < $whole->[FIRST] || $ts > $whole->[LAST]);
}

1;

__END__

=head1 NAME

Zed::Ends - where the records of CPUs begin and end, and whether further ones were left out

=head1 SYNOPSIS

    use Zed::Ends;

    for my $cut (Zed::Ends::cut($source)) {
        my ($cpu, $first, $last) = @$cut;
        ...
    }

=head1 DESCRIPTION

An idle CPU has no records, nor has one that computes: the state after its last record, idle or a running task, lasts
until the trace ends. But a trace may have been shortened: C<trace-cmd record -m> and C<zedtrace --max-size> give up the
oldest pages, other tools any. Then the activity of a CPU before its first record, or after its last one, is unknown, as
in a gap.

A trace.dat shows this: it contains the kernel's statistics of each CPU, which count the recorded events. A CPU is cut
if the file has less than half of these, or less than 7/8 and two pages less; when a recorder ends, the statistics may
count a page twice. With several instances, and without statistics (perf.data, LTT, raw pages), no CPU is cut.
Of a file that is cut off, a CPU whose data continue after the file's end is cut as well, whatever was counted; one of
which it has no record is missing: its time is a gap from the beginning to the end.
C<zedprint --cut> and C<zedtrace --flight> write into the statistics what they left out on purpose, so the CPUs of such
a file are not cut.

=head1 FUNCTIONS

SOURCE is the number of an input. Times are in ns. Live, and for an input that is read as it arrives, no CPU is known.

=over

=item cpus(SOURCE)

The CPUs that have records.

=item first(SOURCE, CPU), last(SOURCE, CPU)

The time of its first one, and of its last one, or undef.

=item end(SOURCE, CPU)

Up to when the state after its last record is known: if it is cut, its last record, else the end of the input.

=item cut(SOURCE)

The CPUs that are cut, as references to arrays: CPU, the times of its first and its last record.

=item is_cut_at(SOURCE, TS)

Is TS before the first, or after the last record of a CPU that is cut? Where a CPU is missing, always.

=item missing(SOURCE)

The CPUs of which a file that is cut off should have records, and has none. It costs nothing.

=back

=head1 SEE ALSO

Zed::Tasks, Zed::Gaps

=head1 LICENCE

GPL-2.0-or-later

=cut
