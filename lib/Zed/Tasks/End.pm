# SPDX-License-Identifier: GPL-2.0-or-later
#
# End: what is known when the records of a CPU end, or those that are asked for, and what is not.
package Zed::Tasks::End;
use strict;
use warnings;

use Exporter 'import';

use Zed::Asked;
use Zed::Ends;
use Zed::Task qw(:places :states);
use Zed::Tasks::Known qw(forget_staying sources);
use Zed::Tasks::Pieces qw(:cpu breaks_off);

our $VERSION = '0.1';
our @EXPORT_OK = qw(cut end_cpus is_settled is_unsure);

# CPUs of which the first and the last records were left out of the trace: what was there is unknown, as in a loss.
sub cut {
	my ($self, $source) = @_;
	my ($start, $end) = (Zed::start($source), Zed::end($source));
	$self->{has_lost}[$source] = 1 if Zed::Ends::missing($source);
	for (Zed::Ends::cut($source)) {
		my ($cpu, $first, $last) = @$_;
		Zed::when($first, sub { forget_staying($self, $source) }) if $first > $start;
		next if $last >= $end;
		$self->{ending}{"$source $cpu"} = [$source, $cpu, $last];
		Zed::when($last + 1, sub { _cpu_ends($self, $source, $cpu, $last) });
	}
	return;
}

sub _cpu_ends {
	my ($self, $source, $cpu, $last) = @_;
	delete $self->{ending}{"$source $cpu"} or return;
	$self->{has_lost}[$source] = 1;
	breaks_off($self, $source, $cpu, $last) if $self->{cpus}[$source][$cpu];
	return;
}

# A recording of chosen tasks has the switches of these, and not all of a task that one of them switches to: of a CPU
# where no record of that task follows nothing more is known.  Of one that ends there is no switch: it is known to run
# up to the last record of its CPU.
sub _end_chosen {
	my ($self) = @_;
	for my $source (sources($self)) {
		my ($cpus, $of) = ($self->{cpus}[$source], Zed::_recorded($source) // '');
		next if $of eq 'all';
		for my $cpu (grep { $cpus->[$_] } 0 .. $#$cpus) {
			my ($task, $in, $sure) = @{$cpus->[$cpu]};
			next if $in > $Zed::Asked::TO;
			if ($sure == $in && ($of eq 'chosen' && !_has_left($task)
				|| $self->{missed}[$source]{$task->[PID]})) {
				breaks_off($self, $source, $cpu, $in);
			} elsif ($of eq 'chosen') {
				_breaks_off_at_last($self, $source, $cpu, $sure);
			}
		}
	}
	return;
}

sub _breaks_off_at_last {
	my ($self, $source, $cpu, $sure) = @_;
	my $last = Zed::Ends::last($source, $cpu) // return;
	breaks_off($self, $source, $cpu, $last > $sure ? $last : $sure) if $last < Zed::end($source);
	return;
}

# perf records a switch if it is from a task that is chosen: has this one left a CPU?
sub _has_left { my ($task) = @_; return defined $task->[LETTER] || ($task->[WHY] // '') =~ /\A(?:preempt|resched)\z/ }

# What ends with the records of a CPU, where no event that is needed came after these.
sub end_cpus {
	my ($self) = @_;
	for (sort keys %{$self->{ending} // {}}) {
		my ($source, $cpu, $last) = @{$self->{ending}{$_}};
		_cpu_ends($self, $source, $cpu, $last) if $last < $Zed::Asked::TO;
	}
	_end_chosen($self);
	return;
}

# Has each CPU that has records by the end of what is asked for told who runs there, and the input that it has switches?
sub _all_met {
	my ($self) = @_;
	for (my $source = 0; defined Zed::ncpus($source); $source++) {
		for my $cpu (grep { !$self->{switched}[$source] || !$self->{met_cpus}[$source][$_] }
			Zed::Ends::cpus($source)) {
			return 0 if Zed::Ends::first($source, $cpu) <= $Zed::Asked::TO;
		}
	}
	return 1;
}

# Is all known of what had begun when the time that is asked for was over? Who runs on a CPU, and has since then, may
# turn out to have left before.
sub is_settled {
	my ($self) = @_;
	return 0 if grep { $_ && $_->[CPU_IN] <= $Zed::Asked::TO } map { @{$_ // []} } @{$self->{cpus}};
	return 0 if !_all_met($self);
	return 1 if !$self->{to_end};
	return !grep { ($_->[STATE] == READY || $_->[STATE] == BLOCKED) && $_->[SINCE] <= $Zed::Asked::TO }
		map { values %{$_ // {}} } @{$self->{tasks}};
}

# Of one that is ready or blocked at the end of what is asked for: may it not be, as another CPU has records no more?
sub is_unsure {
	my ($task) = @_;
	my $source = $task->[SOURCE];
	my $end = Zed::end($source) // return 0;
	return Zed::Ends::is_cut_at($source, $end < $Zed::Asked::TO ? $end : $Zed::Asked::TO);
}

1;
