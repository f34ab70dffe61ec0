#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# top.pl: an analysis live on the screen, updated again and again.
# zedperl: reads no trace itself
# zedtrace: sched

use strict;
use warnings;

use Zed;
use Zed::Report;

# What is not of ours is of the analysis.
my ($analysis, @words) = @ARGV;
my $program = readlink '/proc/self/exe';

@ARGV = grep { /^(?:-h|--help)\z/ } $analysis // ();
my $report = Zed::Report->new(name => 'top', answer => sub { return });

$report->which_analysis('zedperl top ANALYSIS') if !defined $analysis || $analysis =~ /^-/;
my ($events) = map { /^--events=(.+)/s ? $1 : () } @words;

exec {$program} 'zedperl', defined $events ? "--live=$events" : '--live', $analysis, '--top', grep { !/^--events=/ } @words
	or die "top: $!\n";

__END__

=head1 NAME

top.pl - an analysis live on the screen, updated again and again

=head1 SYNOPSIS

B<zedperl top> I<ANALYSIS> [B<--every> I<TIME>] [B<--events=>I<EVENTS>] [I<OPTIONS OF THE ANALYSIS>]

=head1 DESCRIPTION

Traces this kernel for the analysis, and shows its answer so far on the terminal, every two seconds:
the first lines of its tables, as many as there is room for. It is C<zedperl --live ANALYSIS --top>,
and needs the same rights. When it ends, the screen is restored, and the whole answer is printed
once.

If standard output is not a terminal, the answers are printed one after the other.

=head1 OPTIONS

=over

=item --every TIME

How often: C<500ms>, C<5s>.

=item --events=EVENTS

Other events than those that the analysis asks for, as with B<zedperl --live>=EVENTS.

=back

All others are those of the analysis.

=head1 RECORD

    zedtrace sched -d 10
    trace-cmd record -e sched sleep 10

Nothing has to be recorded for B<top>; this recording is for the analysis afterwards.

=head1 OUTPUT

That of the analysis. C<q> or Ctrl-C ends it; C<p> or the space bar stops the updates, and goes on. The
arrows left and right, or a digit, choose the column by which the first table is sorted, C<r> turns the
order around. Columns for which the terminal has no room are left out.

=head1 EXAMPLES

    zedperl top wakeup-latency
    zedperl top syscalls --every 1s

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
