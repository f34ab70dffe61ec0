# SPDX-License-Identifier: GPL-2.0-or-later
#
# The comparison of windows with the whole: without it the tests of the analyses could not fail.
#
# of: t/lib/Compare/Windows.pm lib/Zed/Asked.pm
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Run::Zedperl;

# An analysis of calls, of which HOW replaces a part.
sub calls {
	my (%how) = @_;
	my $follows = $how{follows} // 'follows => 1';
	my $time = $how{time} // 'Zed::Asked::time_in($since, $ts)';
	my $ends = $how{ends} // 'Zed::Asked::at($ts)';
	my $chosen = $how{chosen} // 'Zed::Asked::task_of($pid)';
	my $text = <<"END";
use Zed; use Zed::Asked; use Zed::Report;
my (\%since, \%rows, \$begun);
our \$report = Zed::Report->new(name => 'calls', answer => sub {
	\$report->table('calls', columns => [['comm', 'comm', 'text'], map { [\$_, \$_, 'int'] } qw(pid n time)], rows => [sort { \$a->{pid} <=> \$b->{pid} } values \%rows]);
	\$report->note('begun', \$begun, '{end|ends} without a beginning');
	return \$report->window;
});
my \@ids = (Zed::on('syscall:enter', args => [qw(ts pid)], $follows, sub { \$since{\$_[1]} = \$_[0] }),
	Zed::on('syscall:exit', args => [qw(ts pid)], $follows, sub {
		my (\$ts, \$pid) = \@_;
		my \$since = delete \$since{\$pid};
		if (!defined \$since) { \$begun++ if Zed::Asked::at(\$ts); return }
		my \$time = $time;
		return if !$chosen || !(\$time || $ends);
		my \$row = \$rows{\$pid} //= { pid => \$pid, comm => Zed::comm(), n => 0, time => 0 };
		\$row->{n}++ if $ends;
		\$row->{time} += \$time;
	}));
Zed::Asked::follow(sub { !grep { \$_ <= \$Zed::Asked::TO } values \%since }, \@ids);
sub trace_end { \$report->end }
END
	return { of => 't/data/demo.dat', analysis => 'calls', program => script($text), table => 'calls', key => ['pid'],
		cut => ['time'], ends => ['n'], windows => 4 };
}

my $right = calls();
windows_add_up($right);
choice_has_its_rows($right, '--pid', 'pid');
choice_has_its_rows($right, '--comm', 'comm');
cuts_agree($right, unknown => ['begun']);
choices_add_up($right, '--pid', 'pid');

# Each mistake that the analyses had.
my %starved = %{calls(follows => '()', time => '$ts - $since')};
ok(scalar windows_differ(\%starved), 'what began before the window is not there: seen');
ok(scalar windows_differ(calls(time => '$ts - $since')), 'times that are not cut count twice: seen');
ok(scalar windows_differ(calls(ends => '1')), 'what ends later counts twice: seen');
ok(scalar windows_differ(calls(time => 'Zed::Asked::at($ts) ? $ts - (Zed::Asked::cut($since, $ts))[0] : 0')), 'what ends later is left out: seen');
ok(scalar choice_differs(calls(chosen => '1'), '--pid', 'pid'), 'rows of other tasks: seen');
ok(scalar choice_differs(calls(chosen => 'Zed::Asked::pid($pid)'), '--comm', 'comm'), 'rows of tasks of other names: seen');
ok(scalar choices_differ(calls(chosen => '1'), '--pid', 'pid'), 'rows of all in each group: seen');
ok(scalar cuts_differ(calls(ends => '1'), unknown => ['begun']), 'a window that is not what a cut says: seen');
ok(scalar windows_differ({ %$right, of => 't/data/block.dat' }), 'nothing is there: seen');

done_testing();
