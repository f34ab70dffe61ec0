# SPDX-License-Identifier: GPL-2.0-or-later
#
# Inputs: what a report knows of the traces that it is about, or of those of the states that it is made from: how many
# there are, whose events were recorded, and which CPUs and tasks were chosen.
package Zed::Report::Inputs;
use strict;
use warnings;

use Zed::Answer;
use Zed::Asked;
use Zed::Ends;

our $VERSION = '0.1';

# Only some recordings show the cause.
my %WHY_MISSING = (all => 'not recorded by this kernel',
	chosen => 'not recorded (the recording is of chosen tasks: perf record without -a)',
	unknown => 'not recorded (this kernel left them out, or the recording is of chosen tasks)');

sub new { return bless {}, $_[0] }

# ---- this run, or that of a state ----

# The option that left out kinds of events from which states are tracked, in this run or in that of a state.
sub starves {
	my ($self) = @_;
	return $self->{starves} // (Zed::Asked::follows() ? Zed::Asked::starves() : undef);
}

# The number of CPUs whose first or last records were left out of the trace, in this run or in that of a state: the last
# part of a trace reports it.
sub cut {
	my ($self) = @_;
	my $n = $self->{cut} // 0;
	return $n if are_merged() || !Zed::Asked::tells_end();
	for (my $source = 0; defined Zed::ncpus($source); $source++) {
		$n += grep { Zed::Asked::cpu($_->[0]) } Zed::Ends::cut($source);
	}
	return $n;
}

# The CPUs of which files that are cut off have no record, as words, and of how many files, in this run or in those of
# states: the last part of a trace reports it.
sub missing_cpus {
	my ($self) = @_;
	my %files = %{$self->{missing_cpus} // {}};
	return \%files if are_merged() || !Zed::Asked::tells_end();
	for (my $source = 0; defined(my $all = Zed::ncpus($source)); $source++) {
		my @cpus = Zed::Ends::missing($source) or next;
		$files{_ranges(@cpus) . ($cpus[-1] < $all ? " of $all" : '')}++;
	}
	return \%files;
}

my $RANGES = 60;	# characters

# Numbers as "0,2-5".
sub _ranges {
	my @ranges;
	for (@_) {
		@ranges && $ranges[-1][1] == $_ - 1 ? ($ranges[-1][1] = $_) : push @ranges, [$_, $_];
	}
	my $text = join ',', map { my ($from, $to) = @$_; $from == $to ? $from : "$from-$to" } @ranges;
	return length $text <= $RANGES ? $text : substr($text, 0, $RANGES) =~ s/,[^,]*\z//r . ',...';
}

# The tasks whose events were recorded (all, chosen or unknown), for each kind of input, in this run or in that of a
# state.
sub recorded {
	my ($self) = @_;
	my %recorded = %{$self->{recorded} // {}};
	for (my $n = 0; !are_merged() && defined Zed::ncpus($n); $n++) {
		$recorded{Zed::_recorded($n) // 'unknown'} = 1;
	}
	return sort keys %recorded;
}

sub is_of_chosen_tasks { return scalar grep { $_ eq 'chosen' } recorded($_[0]) }

# Why switches are missing.
sub why_missing {
	my ($self) = @_;
	my $starves = starves($self);
	my @recorded = recorded($self);
	return defined $starves ? "left out by $starves, or not recorded"
		: $WHY_MISSING{@recorded == 1 ? $recorded[0] : 'unknown'};
}

# The CPUs and tasks that the whole answer is about.
sub words {
	my ($self) = @_;
	my ($words, @others) = $self->{asked} ? keys %{$self->{asked}} : Zed::Asked::words();
	return @others ? '' : $words;
}

# Are CPUs or tasks chosen, here or in a state?
sub chooses {
	my ($self) = @_;
	return scalar grep { length } $self->{asked} ? keys %{$self->{asked}} : Zed::Asked::words();
}

sub chooses_cpus {
	my @chosen = are_merged() ? grep { defined $_->{chosen} } Zed::Fleet::traces() : Zed::Asked::cpus();
	return scalar @chosen;
}

# ---- one trace or several ----

# Is this the answer made from states, without a trace?
sub are_merged { return $Zed::Fleet::reduces }

# How many traces does it cover?
sub traces {
	return scalar Zed::Fleet::traces() if are_merged();
	my $n = 1;
	$n++ while defined Zed::ncpus($n);
	return $n;
}

sub for_traces { my ($text) = @_; return Zed::Answer::for_number(traces(), $text) }

# Where states are made or merged, the traces of one state are kept separate, but not in the rows: the result does not
# depend on which were merged first.
sub apart {
	my ($source) = @_;
	return defined &Zed::Fleet::_with ? 0 : $source;
}

# In a run on a part (--part): the trace that it belongs to, by the same word in all of its parts. Else undef.
sub trace_of_part {
	return if !Zed::Asked::is_part();
	my ($id) = Zed::Fleet::_source(0);
	return $id =~ s/[+].*//r;
}

# For rows of a CPU or a device, of which each input has its own: the column that says whose it is, of several inputs.
sub by_input {
	return apart(1) && defined Zed::ncpus(1) ? (['source', 'input', 'int']) : ();
}

# For a Zed::top that fills worst(): of equal values it keeps the earliest, and these must be the same whichever traces
# were read together.
sub each_input { return defined Zed::ncpus(1) ? (by => 'source') : () }

# ---- states ----

sub plain {
	my ($self) = @_;
	my ($starves, $asked, $cut, $missing) = (starves($self), words($self), cut($self), missing_cpus($self));
	return (recorded => [recorded($self)], defined $starves ? (starves => $starves) : (),
		length $asked ? (asked => $asked) : (), $cut ? (cut => $cut) : (),
		%$missing ? (missing_cpus => $missing) : ());
}

# Dies if what STATE says of its inputs makes no sense.
sub check {
	my ($state) = @_;
	my ($starves, $asked, $recorded) = ($state->{starves}, $state->{asked} // '',
		$state->{recorded} // ['unknown']);
	die "it does not say what it left out\n" if defined $starves && $starves ne '-F' && $starves ne '--event';
	die "it does not say what it was asked for\n" if ref $asked || length $asked > 1000 || $asked =~ /[^ -~]/;
	die "it does not say whose events were recorded\n" if ref $recorded ne 'ARRAY' ||
		grep { !defined || !/\A(?:all|chosen|unknown)\z/ } @$recorded;
	die "it does not say how many CPUs were cut\n" if ref $state->{cut} || ($state->{cut} // 0) !~ /\A\d{1,9}\z/;
	my $missing = $state->{missing_cpus} // {};
	die "it does not say which CPUs are missing\n" if ref $missing ne 'HASH' || keys %$missing > 10_000 ||
		grep { !/\A[\d,.-]{1,100}(?: of \d{1,9})?\z/ } keys %$missing or
		grep { !defined || ref || !/\A\d{1,9}\z/ } values %$missing;
	return;
}

# One that check() has passed.
sub merge_plain {
	my ($self, $state) = @_;
	my $starves = $state->{starves};
	my $missing = $state->{missing_cpus} // {};
	$self->{missing_cpus}{$_} += $missing->{$_} for keys %$missing;
	$self->{cut} += $state->{cut} // 0;
	$self->{recorded}{$_} = 1 for @{$state->{recorded} // ['unknown']};
	$self->{starves} = $starves if defined $starves && $starves lt ($self->{starves} // '~');
	$self->{asked}{$state->{asked} // ''} = 1;
	return;
}

1;
