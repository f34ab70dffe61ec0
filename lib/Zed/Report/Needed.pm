# SPDX-License-Identifier: GPL-2.0-or-later
#
# Needed: the events that an analysis makes its answer from, as its head declares them (Zed::Needs): which of them the
# traces have, and how to record them.
package Zed::Report::Needed;
use strict;
use warnings;

use Zed::Asked;
use Zed::Needs;
use Zed::Report::Inputs;

our $VERSION = '0.1';

sub new { my ($class, %o) = @_; return bless { name => $o{script} }, $class }

# ---- which there are ----

# For an analysis that follows states: the first event of each kind shows that the trace has it.
sub watch {
	my ($self) = @_;
	return if Zed::Report::Inputs::are_merged() || !Zed::Asked::follows() || !-f $0;
	my $needs = Zed::Needs->of($0) // return;
	my $met = $self->{met} = {};
	for my $event (@{$needs->names // return delete $self->{met}}) {
		my $id;
		$id = Zed::on($Zed::Needs::MADE{$event} // $event, follows => 1, optional => 1,
			sub { $met->{$event} = 1; Zed::off($id) });
	}
	return;
}

# What is needed, and is known not to be there.
sub missing {
	my ($self) = @_;
	return if !$self->{met};
	return scalar Zed::Needs->of($0)->missing($self->{met});
}

# ---- in words ----

# The events that were missing. CHOOSES: CPUs or tasks were chosen.
sub in_words {
	my ($self, $chooses) = @_;
	my $is_part = $chooses || Zed::Asked::is_part_of_all();
	my $traces = Zed::Report::Inputs::for_traces('{the trace|the traces}');
	my $missing = missing($self);
	# The rest of the trace may not have been read.
	my $all = !Zed::Asked::is_timed() && !Zed::Asked::is_cut_short();
	return "no $missing in " . ($all ? $traces : 'what was ' . Zed::Asked::limited_by()) . '; ' if defined $missing;
	my $needs = -f $0 ? Zed::Needs->of($0) : undef;
	return '' if !$needs || !$needs->is_declared;
	return "no event in $traces makes a row; " if $self->{met} && !$is_part;
	return 'no ' . $needs->words . ' in ' . ($is_part ? 'what was ' . Zed::Asked::limited_by() : $traces)
		. ', or none that makes a row; ';
}

# The command that records what the script needs, with the tool that recorded the trace.
sub to_record {
	my ($self) = @_;
	my $needs = -f $0 && !Zed::Report::Inputs::are_merged() && _is_of_perf() ? Zed::Needs->of($0) : undef;
	return $needs ? 'perf record -a ' . join(' ', map { "-e $_" } $needs->perf_events) . ' sleep 10'
		: "zedtrace --for $self->{name} -d 10";
}

# Only perf's recordings say which tasks they are of.
sub _is_of_perf { return defined Zed::ncpus(0) && defined Zed::_recorded(0) }

# ---- states ----

sub plain {
	my ($self) = @_;
	return $self->{met} ? (met => [sort keys %{$self->{met}}]) : ();
}

# The needed events that a state has met: known of all states, or of none.
sub merge_plain {
	my ($self, $state) = @_;
	my $met = $state->{met};
	die "it does not say which events it has\n" if defined $met && (ref $met ne 'ARRAY' || @$met > 1000 ||
		grep { !defined || ref || !/\A[\w:]{1,200}\z/ } @$met);
	$self->{unmet} ||= !$met;
	return delete $self->{met} if $self->{unmet};
	$self->{met}{$_} = 1 for @$met;
	$self->{met} //= {};
	return;
}

1;
