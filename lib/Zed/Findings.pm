# SPDX-License-Identifier: GPL-2.0-or-later
#
# Findings: what sticks out in a trace, as sentences: the longest wait, the slowest failing call, the busiest CPU and
# interrupt; each with its place and the analysis that shows more. They are made from the data of answers
# (Zed::Page::data), not from their text.
package Zed::Findings;
use strict;
use warnings;

our $VERSION = '0.1';

# What each is made from, in the order of the sentences: the analysis, its options.
my @SOURCES = (
	{ answer => 'waits', find => \&_wait },
	{ answer => 'syscalls', options => ['--failed'], find => \&_call },
	{ answer => 'sched-summary', find => \&_cpu },
	{ answer => 'irq', find => \&_interrupt },
);
my $MUCH = 0.05;	# of a CPU's time: an interrupt that takes as much is worth a sentence beside the CPU's
my %SINCE = (woken => 'it was woken', preempted => 'it was preempted', new => 'it was made',
	'left-ready' => 'it left the CPU, ready to run');

sub answers { return map { $_->{answer} } @SOURCES }
sub options { my ($name) = @_; return map { @{$_->{options} // []} } grep { $_->{answer} eq $name } @SOURCES }

# ANSWERS: {name}: its data.
sub of {
	my ($answers) = @_;
	my @found;
	for my $source (@SOURCES) {
		my $data = $answers->{$source->{answer}} // next;
		my $found = $source->{find}->($data, \@found) // next;
		delete $found->{$_} for grep { !defined $found->{$_} } keys %$found;
		push @found, { %$found, answer => $source->{answer} };
	}
	return @found;
}

sub _table {
	my ($data, $name) = @_;
	return (grep { $_->{name} eq $name } @{$data->{tables}})[0];
}

sub _rows { my ($data, $name) = @_; return @{(_table($data, $name) // { rows => [] })->{rows}} }

sub _percent { return sprintf $_[0] < 0.095 ? '%.2g %%' : '%.0f %%', 100 * $_[0] }

sub _task {
	my ($row) = @_;
	return join ' ', grep { defined } @$row{qw(comm pid)};
}

# What may change the sentence: notes of these KEYS, as they are, and losses, which hide what MEANS says.
sub _but {
	my ($data, $means, @keys) = @_;
	my %is = map { $_ => 1 } @keys, qw(interrupted died failed);
	my @notes = map { (defined $_->{n} ? "$_->{n} " : '') . $_->{text} } grep { $is{$_->{key}} } @{$data->{notes}};
	my %has = map { $_->{key} => 1 } @{$data->{notes}};
	push @notes, "events are missing: $means" if defined $data->{lost_text}
		|| grep { $has{$_} } qw(timeless perhaps beyond missing_cpus cut missing);
	return join '', map { "; $_" } @notes;
}

# ---- the sentences ----

sub _wait {
	my ($data) = @_;
	my ($row) = _rows($data, 'worst') or return;
	my $waker = $row->{kind} eq 'woken' && defined $row->{waker} ? " by $row->{waker}" : '';
	my $behind = length($row->{meanwhile} // '') ? ", behind $row->{meanwhile}" : '';
	my $long = Zed::duration($row->{wait});
	return { key => 'wait', at => $row->{woken}, to => $row->{ran}, cpu => $row->{cpu}, pid => $row->{pid},
		text => _task($row) . " waited $long for CPU $row->{cpu} after "
			. "$SINCE{$row->{kind}}$waker$behind"
			. _but($data, 'a longer wait may be hidden', qw(waiting gaps)) };
}

sub _call {
	my ($data) = @_;
	my ($failed) = _rows($data, 'failed');
	my $row = $failed // (_rows($data, 'worst'))[0] // return;
	my $long = Zed::duration($row->{took});
	my $how = $failed ? "failed with $row->{result} after $long, the slowest call that failed"
		: "took $long, the longest call, waiting included; none failed but at the end of a wait";
	return { key => 'call', at => $row->{at} - $row->{took}, to => $row->{at}, pid => $row->{pid},
		text => "$row->{name} of " . _task($row) . " $how"
			. _but($data, 'a slower call may be hidden', 'open') };
}

sub _by_share {
	return sort { $b->{share} <=> $a->{share} || ($a->{source} // 0) <=> ($b->{source} // 0)
		|| ($a->{cpu} // $a->{irq}) <=> ($b->{cpu} // $b->{irq}) } grep { defined $_->{share} } @_;
}

sub _cpu {
	my ($data) = @_;
	my @rows = _by_share(_rows($data, 'cpus'));
	my $row = $rows[0] // return;
	my $cpu = "CPU $row->{cpu}" . (defined $row->{source} ? " of input $row->{source}" : '');
	my $of = @rows > 1 ? "$cpu was the busiest" : "$cpu was busy";
	# Chosen tasks choose rows of tasks, not of CPUs.
	$of .= ', with all tasks' if ($data->{asked} // '') =~ /\b(?:tasks?|cgroups?) /;
	my $unknown = $row->{unknown} && $row->{unknown} >= 0.01 * $row->{all}
		? '; what it did is not known for ' . _percent($row->{unknown} / $row->{all}) . ' of the time' : '';
	return { key => 'cpu', cpu => $row->{cpu}, source => $row->{source}, at => $data->{start}, to => $data->{end},
		text => "$of, for " . _percent($row->{share}) . ' of the time, ' . Zed::duration($row->{busy})
			. $unknown . _but($data, 'times are lower bounds') };
}

# Beside a CPU's sentence only if it takes much.
sub _interrupt {
	my ($data, $found) = @_;
	my ($row) = _by_share(_rows($data, 'irqs')) or return;
	return if $row->{share} < $MUCH && grep { $_->{key} eq 'cpu' } @$found;
	my ($longest) = grep { $_->{irq} == $row->{irq} && $_->{name} eq $row->{name} } _rows($data, 'worst');
	my $calls = $row->{n} == 1 ? '1 call' : "$row->{n} calls";
	return { key => 'interrupt', $longest ? (cpu => $longest->{cpu}, at => $longest->{at},
			to => $longest->{at} + $longest->{total}) : (at => $data->{start}, to => $data->{end}),
		text => "interrupt $row->{irq} $row->{name} took " . _percent($row->{share}) . " of a CPU's time, in "
			. "$calls, the longest " . Zed::duration($row->{max}) . '; interrupts without a number, such ' .
			'as local timers, have no such events' . _but($data, 'it may have taken more') };
}

1;

__END__

=head1 NAME

Zed::Findings - what sticks out in a trace, as sentences

=head1 SYNOPSIS

    use Zed::Findings;

    print "$_->{text}\n" for Zed::Findings::of({ waits => $data, syscalls => $other });

=head1 DESCRIPTION

Three sentences, at most four: the longest wait for a CPU, and who ran there meanwhile; the slowest system call that
failed, or if none did, the slowest; the busiest CPU; the busiest interrupt, if there is no such CPU or if it takes 5 %
of a CPU's time. Each says what may change it: losses, waits and calls that had not ended at the end of the trace. The
tables of the analyses that they are made from have the same numbers.

A call that returns C<EAGAIN>, C<EINTR> or C<ETIMEDOUT> has not failed: it is how a wait ends.

=head1 FUNCTIONS

=over

=item Zed::Findings::answers(), Zed::Findings::options(NAME)

The names of the analyses that they are made from, and the options of one of them.

=item Zed::Findings::of(ANSWERS)

ANSWERS is a reference to a hash: by the name of an analysis its data (Zed::Page::data). Returns references to hashes,
in the order above: C<key> (C<wait>, C<call>, C<cpu>, C<interrupt>), C<text>; C<at> and C<to>, the place, as times of
that data; C<cpu>, C<pid> and C<source> (the number of the input), where there are such; C<answer>, the analysis that
shows more.

=back

=head1 SEE ALSO

report of zedperl-scripts(7), Zed::Sections

=head1 LICENCE

GPL-2.0-or-later

=cut
