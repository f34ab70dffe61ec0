# SPDX-License-Identifier: GPL-2.0-or-later
#
# Task: a task as Zed::Tasks follows it, and what an analysis may ask it.
package Zed::Task;
use strict;
use warnings;
use Exporter 'import';

use Zed::Intervals;

our $VERSION = '0.1';

# A task is a reference to an array of these.  There may be very many that are seen once: what all have comes first,
# and a place that was never filled takes no memory.
my %PLACES;
BEGIN {
	%PLACES = (PID => 0, SOURCE => 1, COMM => 2, STATE => 3, SINCE => 4, PRIO => 5, CPU => 6, LETTER => 7,
		WHY => 8, WAKER => 9, NOTED => 10, CAME => 11, LIFE => 12, NUMBER => 13, OWN => 14, LEFT_OUT => 15);
}
use constant \%PLACES;
# Its states.
my %STATES;
BEGIN { %STATES = (UNKNOWN => 0, RUNS => 1, READY => 2, BLOCKED => 3, DEAD => 4) }
use constant \%STATES;

# For Zed::Tasks, which changes them.
our @EXPORT_OK = (keys %PLACES, keys %STATES);
our %EXPORT_TAGS = (places => [keys %PLACES], states => [keys %STATES]);

# ---- what an analysis asks ----

sub pid { return $_[0][PID] }
sub source { return $_[0][SOURCE] }
sub comm { return $_[0][COMM] // '<...>' }
sub prio { return $_[0][PRIO] }
sub state { return $_[0][STATE] }
sub since { return $_[0][SINCE] }
sub letter { return $_[0][LETTER] }
sub cpu { return $_[0][CPU] }
sub came_from { return $_[0][CAME] }
sub why { return $_[0][WHY] }
sub waker { return $_[0][WAKER] }
sub life { return $_[0][LIFE] // 0 }
my $numbered = 0;
sub number { return $_[0][NUMBER] //= ++$numbered }
sub own { return $_[0][OWN] //= {} }

# What began at FROM and is over, for intervals before this one: CODE finds the task as it is now.
sub late {
	my ($task, $from, $code) = @_;
	my @now = @$task[COMM, PRIO];
	Zed::Intervals::late($from, sub { local @$task[COMM, PRIO] = @now; $code->() });
	return;
}

1;

__END__

=head1 NAME

Zed::Task - a task, as Zed::Tasks follows it

=head1 SYNOPSIS

    use Zed::Tasks;

    my $tasks = Zed::Tasks->new(ran => sub { my ($task, $cpu, $from, $to) = @_; $ran{$task->comm} += $to - $from });

=head1 DESCRIPTION

What the code that Zed::Tasks calls is given. It is the same object as long as the task lives: another one has its
number later.

=head1 METHODS

=over

=item pid, comm, prio, source

Its number, its newest name, its priority, the number of the input.

=item state, since, letter

0 unknown, 1 runs, 2 ready, 3 blocked, 4 dead; since when, in ns; the letter of the state in which it is blocked.

=item cpu, came_from

Where it ran last, and the CPU of the turn before.

=item why, waker

If it is ready: as C<waited> of Zed::Tasks has them.

=item life

How many tasks with its number were before it.

=item number

A number that no other task of the run has.

=item own

A reference to a hash for what you keep about it.

=item late(FROM, CODE)

For Zed::Tasks and who cuts pieces as it does (C<< asked => 0 >>): what began at FROM and has ended counts in intervals
before this one, too. CODE counts it, and finds the task as it is now (Zed::Intervals).

=back

=head1 SEE ALSO

Zed::Tasks

=head1 LICENCE

GPL-2.0-or-later

=cut
