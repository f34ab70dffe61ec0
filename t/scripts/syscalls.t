# SPDX-License-Identifier: GPL-2.0-or-later
#
# syscalls: calls from enter to exit.  Without it a call that a signal interrupts is two with an error that no program
# sees, and a child's first exit a call that nobody made.
#
# of: scripts/syscalls.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

my %NR = (read => 0, write => 1, poll => 7, rt_sigreturn => 15, fork => 57, futex => 202, restart_syscall => 219, clock_nanosleep => 230,
	exit_group => 231, pause => 34);

# The miniature with names of calls, on x86-64.
sub calls { return miniature($_[0] =~ s/\b(enter|exit) ([a-z_]\w*)/"$1 " . ($NR{$2} \/\/ die "no number of $2\n")/ger, uname => 'Linux mini 6.1.0 x86_64') }
sub rows { my ($r, @keys) = @_; return map { [@$_{@keys}] } sort { $a->{name} cmp $b->{name} } @{$r->{data}{tables}{calls}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

my $dat = calls(<<'END');
0 0 5 enter read | 10 0 5 exit read -512 | 12 0 5 enter write | 14 0 5 exit write 1 | 15 0 5 enter rt_sigreturn | 16 0 5 exit -1 0
17 0 5 enter read | 40 0 5 exit read 8
50 0 6 exit futex 0 | 60 0 6 enter clock_nanosleep | 70 0 6 exit clock_nanosleep -516 | 80 0 6 enter restart_syscall | 95 0 6 exit restart_syscall 0
96 0 6 enter exit_group | 97 0 6 process_exit 6 | 98 0 7 enter poll
END
my $r = analysis('syscalls', $dat);
is_deeply([rows($r, qw(name n total errors))], [['clock_nanosleep', 1, 35_000, 0], ['read', 1, 40_000, 0], ['write', 1, 2_000, 0]],
	'calls that are entered again are one, from the first enter to the last exit; restarts are no errors') or diag $r->{err};
is_deeply({ %{notes($r)}{qw(never open)} }, { never => 1, open => 1 }, 'exit never returns, and one call has not ended');
is_deeply([map { [@$_{qw(name took at)}] } @{$r->{data}{tables}{worst}{rows}}],
	[['read', 40_000, 1_000_040_000], ['clock_nanosleep', 35_000, 1_000_095_000], ['write', 2_000, 1_000_014_000]],
	'the longest, their last legs not once more');
$r = analysis('syscalls', $dat, '--legs');
is_deeply([rows($r, qw(name n total))], [['clock_nanosleep', 1, 10_000], ['read', 2, 33_000], ['restart_syscall', 1, 15_000], ['write', 1, 2_000]],
	'--legs: each by itself');

# A signal that ends the call; a child's return; errors by name; a kill.
$r = analysis('syscalls', calls(<<'END'));
0 0 5 enter pause | 10 0 5 exit pause -514 | 15 0 5 enter rt_sigreturn | 16 0 5 exit -1 -4 | 20 0 5 enter read | 22 0 5 exit read -11
30 0 5 enter fork | 35 1 9 exit fork 0 | 36 0 5 exit fork 9 | 40 0 5 enter read | 41 0 5 exit read -11 | 50 0 9 enter pause | 60 0 9 exit pause -514
61 0 9 process_exit 9
END
is_deeply([rows($r, qw(name n total errors errnos))], [['fork', 1, 6_000, 0, ''], ['pause', 1, 16_000, 1, 'EINTR:1'], ['read', 2, 3_000, 2, 'EAGAIN:2']],
	'EINTR is what the program gets; a child returns from no call; errors have names');
is(notes($r)->{killed}, 1, 'a task that was killed in a call has not made it');

# Keys, and many tasks at once in the middle of a restart.
$r = analysis('syscalls', $dat, '--by', 'pid');
is_deeply([map { "@$_" } rows($r, qw(name who n))], ['clock_nanosleep 6 1', 'read 5 1', 'write 5 1'], '--by pid');
my @pids = 100 .. 199;
my ($t, $text) = (0, '');
$text .= '| ' . $t++ . " 0 $_ enter read " for @pids;
$text .= '| ' . $t++ . " 0 $_ exit read -512 " for @pids;
$text .= '| ' . $t++ . " 0 $_ enter read " for @pids;
$text .= '| ' . $t++ . " 0 $_ exit read 1 " for @pids;
is_deeply([rows(analysis('syscalls', calls($text)), qw(name n total max errors))], [['read', 100, 100 * 300_000, 300_000, 0]],
	'a hundred tasks that restart at once');
is(analysis('syscalls', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# Parts of the trace: a recording, and calls that are being restarted at every border.
my $restarts = calls(join '|', map { my $t = 100 * $_; my $pid = 5 + $_ % 3; ("$t 0 $pid enter read", $t + 20 . " 0 $pid exit read -512", $t + 30 . " 0 $pid enter read",
	$t + 60 . " 0 $pid exit read " . ($_ % 2 ? -4 : 1)) } 1 .. 20);
for my $of ('t/data/demo.dat', $restarts) {
	my %calls = (of => $of, analysis => 'syscalls', args => ['--by', 'pid'], windows => 4, table => 'calls', key => [qw(name who)],
		ends => [qw(n errors total)], largest => ['max']);
	windows_add_up(\%calls);
	choice_has_its_rows(\%calls, '--pid', 'who');
	choice_has_its_rows({ %calls, args => ['--by', 'comm'] }, '--comm', 'who') if $of eq 't/data/demo.dat';
}

done_testing();
