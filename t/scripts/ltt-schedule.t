# SPDX-License-Identifier: GPL-2.0-or-later
#
# ltt-schedule: runs of chosen tasks, CPUs and times.  Without it a task that is chosen never ran, as each of its switches
# to another is the other's event, and a run from one window into the next is in neither.
#
# of: scripts/ltt-schedule.pl lib/Zed/Asked.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Run::Zedperl;

my $dat = miniature(<<'END', cmdlines => "5 t5\n6 t6\n7 t7\n");
0 0 0 switch 0 R 5 | 5 1 0 switch 0 R 7 | 10 0 5 switch 5 S 6 | 30 0 6 switch 6 S 0 | 40 0 0 switch 0 R 5 | 50 1 7 switch 7 S 0
70 0 5 switch 5 S 0
END

# { pid: "runs run_ns max_ns share" }, and the number of changes and of gaps, of a part of the trace.
sub schedule {
	my ($trace, @choice) = @_;
	my $out = zedperl({ bare => 1 }, @choice, $trace, 'ltt-schedule')->{out};
	my %rows = map { /^ *(\d+) +(\d+) +(\d+) +\d+ +(\d+) +([\d.]+)%$/ ? ($1 => "$2 $3 $4 $5") : () } split /\n/, $out;
	return [\%rows, $out =~ /^schedule changes: (\d+)$/m, $out =~ /not follow .*: (\d+)$/m];
}

is_deeply(schedule($dat), [{ 5 => '2 40000 30000 34.78', 7 => '1 45000 45000 39.13', 6 => '1 20000 20000 17.39', 0 => '1 10000 10000 8.70' }, 7], 'all of it');
is_deeply(schedule($dat, '--pid', 5), [{ 5 => '2 40000 30000 34.78' }, 4], '--pid: the runs of that task, and the changes to it and from it (else: it never ran)');
is_deeply(schedule($dat, '--comm', 't6,t7'), [{ 7 => '1 45000 45000 39.13', 6 => '1 20000 20000 17.39' }, 4], '--comm: by the name of a task');
is_deeply(schedule($dat, '--cpu', 1), [{ 7 => '1 45000 45000 100.00' }, 2], '--cpu: what ran there');

# A run counts where it ends, so that windows add up.
is_deeply(schedule($dat, '--end', '1.000045'), [{ 5 => '1 10000 10000 25.00', 6 => '1 20000 20000 50.00', 0 => '1 10000 10000 25.00' }, 5], 'the first 45 us');
is_deeply(schedule($dat, '--start', '1.000045001'), [{ 5 => '1 30000 30000 40.00', 7 => '1 45000 45000 60.00' }, 2], 'the rest: what had begun before counts (else: a run over the border is in neither)');

# Changes that are missing, and a loss outside of the window.
my $odd = miniature('0 0 0 switch 0 R 5 | 10 0 6 switch 6 S 7 | 20 0 7 switch 7 S 5 | 25 0!3 5 waking 7 | 30 0 5 switch 5 S 0');
is_deeply(schedule($odd), [{ 7 => '1 10000 10000 100.00' }, 4, 1], 'a change that does not follow, and a loss');
is_deeply(schedule($odd, '--pid', 5), [{}, 3, 1], '... of the task that was put on');
is_deeply(schedule($odd, '--pid', 7), [{ 7 => '1 10000 10000 100.00' }, 2], '... but not of another');
is_deeply(schedule($odd, '--start', '1.000027'), [{}, 1], 'a loss before the window: who ran there is not known (else: a run that may have ended)');

# States of two traces, and the last events alone.
my @states = map { temp_path('.state') } 1, 2;
zedperl({ bare => 1 }, '--map', '-o', $states[$_], '--pid', 5, ($dat, $odd)[$_], 'ltt-schedule') for 0, 1;
like(zedperl({ bare => 1 }, '--reduce', 'ltt-schedule', @states)->{out}, qr/^ +5 +2 +40000 +20000 +30000  32[.]00%\n\nschedule changes: 7\n.*: 1\n\z/m, 'states of a choice, merged');
is(zedperl({ bare => 1 }, '--tail', 3, $dat, 'ltt-schedule')->{status}, 2, '--tail is refused: it follows who ran');

done_testing();
