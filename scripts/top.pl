#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# top.pl: an analysis live on the screen, updated again and again.
# zedperl: reads no trace itself
# zedtrace: sched
# zedperl: is about live screen monitor refresh watch

use strict;
use warnings;

use Zed;
use Zed::Report;

# Options that are not ours are the analysis's.
my ($analysis, @words) = @ARGV;
my $program = readlink '/proc/self/exe';

@ARGV = grep { /^(?:-h|--help)\z/ } $analysis // ();
my $report = Zed::Report->new(name => 'top', answer => sub { return });

by_expression(@words) if ($analysis // '') eq '-e';
$report->which_analysis('zedperl top ANALYSIS') if !defined $analysis || $analysis =~ /^-/;
$report->usage("$analysis prints one answer, at its end; top shows the tables of an analysis (use Zed::Report): " .
	"zedperl --live $analysis") if !has_tables();
my ($events) = map { /^--events=(.+)/s ? $1 : () } @words;

run(defined $events ? "--live=$events" : '--live', $analysis, '--top', grep { !/^--events=/ } @words);

sub run { exec {$program} 'zedperl', @_ or die "top: $!\n" }

# zedperl itself refuses a word that is not a script.
sub has_tables
{
	my ($path) = grep { -f } $analysis, map { $0 =~ s{[^/]*\z}{$_}r } $analysis, "$analysis.pl";

	open my $in, '<', $path // return 1 or return 1;
	my $text = do { local $/ = undef; <$in> };
	close $in;
	return $text =~ /^\s*use Zed::(?:Report|Groups)\b/m;
}

# The expression is code of the user who calls us, as with zedperl -e.
sub by_expression
{
	my ($expression, @rest) = @_;
	my ($events) = @rest && $rest[0] !~ /^-/ ? shift @rest : ();
	my ($at) = grep { $rest[$_] eq '--' } 0 .. $#rest;
	my @command = defined $at ? splice @rest, $at : ();

	$report->usage("-e takes an expression and events: zedperl top -e 'Zed::comm()' sched:sched_waking")
		if !defined $events;
	run("--live=$events", '-e', program($expression, [split /,/, $events], ['--top', @rest]), @command);
}

sub program
{
	my ($expression, @lists) = @_;
	my ($events, $options) = map { join ', ', map { q(') . s/([\\'])/\\$1/gr . q(') } @$_ } @lists;

	return "use Zed::Groups; \@ARGV = ($options); Zed::Groups::count([$events], sub " .
		"{\n#line 1 \"-e\"\n$expression\n});";
}

__END__

=head1 NAME

top.pl - an analysis live on the screen, updated again and again

=head1 SYNOPSIS

B<zedperl top> I<ANALYSIS> [B<--every> I<TIME>] [B<--events=>I<EVENTS>] [B<--total>] [I<OPTIONS OF THE ANALYSIS>]

B<zedperl top> B<-e> I<EXPR> I<EVENT>[,I<EVENT>...] [B<--every> I<TIME>] [B<--total>]

=head1 DESCRIPTION

Traces this kernel for the analysis, and shows its answer of the last two seconds on the terminal, again and again: the
first lines of its tables, as many as fit. It is C<zedperl --live ANALYSIS --top>, and needs the same rights. When it
ends, the screen is restored, and the answer that was on it is printed with all rows.

If standard output is not a terminal, the answers are printed one after the other.

=head1 OPTIONS

=over

=item --every TIME

The length of an interval: C<500ms>, C<5s>. Whatever has not ended by its end counts in the next
one.

=item -e EXPR

No analysis: counts events by the value of I<EXPR>, in Perl, for each of them: C<Zed::comm()>,
C<$_[4]> (the event's first field: the arguments are those of a sub, zedperl-scripts(7)),
C<Zed::field('prev_state')>. It is your own code, as with B<zedperl -e>. Events are names or
patterns.

=item --events=EVENTS

Other events than those that the analysis asks for, as with B<zedperl --live>=EVENTS.

=back

B<--total> and other options of all analyses: C<zedperl help Zed::Options>. All others are those of the
analysis.

=head1 RECORD

    zedtrace sched -d 10
    trace-cmd record -e sched sleep 10

Nothing has to be recorded for B<top>; this recording is for an analysis afterwards.

=head1 OUTPUT

That of the analysis. C<q> or Ctrl-C ends it; C<p> or the space bar pauses and resumes the updates.
The arrows left and right, or a digit, choose the column by which the first table is sorted, C<r>
reverses the order. Columns that do not fit are left out.

=head1 EXAMPLES

    zedperl top wakeup-latency
    zedperl top syscalls --every 1s
    zedperl top -e 'Zed::comm() . " wakes " . Zed::field("comm")' sched:sched_waking

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
