# SPDX-License-Identifier: GPL-2.0-or-later
#
# page-faults: who, for what, where.  Without it what the kernel does for a program is what that did.
#
# of: scripts/page-faults.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Write::Miniature;
use Run::Zedperl;

sub rows { my ($r, $table, @keys) = @_; return [map { [@$_{@keys}] } @{$r->{data}{tables}{$table}{rows} // []}] }

my $text = <<'END';
0 0 901 fault_user 4660 4 | 10 0 901 fault_user 4660 6 | 20 0 901 fault_user 4661 7 | 30 0 901 fault_user 4700 20 | 40 0 901 fault_kernel f 2
50 1 902 fault_kernel f 0 | 60 1 902 fault_kernel g 3
END
my $dat = miniature($text, uname => 'Linux mini 6.1.0 x86_64');
my $r = analysis('page-faults', $dat);
is_deeply(rows($r, 'tasks', qw(comm n user kernel write code protection)), [['kworker/0:901', 5, 4, 1, 3, 1, 1], ['kworker/0:902', 2, 0, 2, 1, 0, 1]],
	'by task: of the program and of the kernel, and the bits of the code') or diag $r->{err};
is_deeply(rows($r, 'places', qw(n in place)), [[2, 'kernel', 'f'], [2, 'program', '0x1234'], [1, 'kernel', 'g'], [1, 'program', '0x1235'], [1, 'program', '0x125c']],
	'where: functions of the kernel, addresses of programs');
is_deeply(rows(analysis('page-faults', $dat, '--by', 'pid'), 'tasks', qw(pid n)), [[901, 5], [902, 2]], '--by pid');
$r = analysis('page-faults', miniature($text, uname => 'Linux mini 6.9.0 riscv64'));
ok(!exists $r->{data}{tables}{tasks}{rows}[0]{write}, 'another machine has other codes (else: a load is a write)');
is(analysis('page-faults', $dat, '--by', 'x')->{status}, 2, '--by x: 2');

# The last three: 20 us, from the first of them.
$r = chosen(['--tail', 3], 'page-faults', $dat);
is_deeply([@{$r->{data}}{qw(start end)}], [1_000_040_000, 1_000_060_000], '--tail: the time begins with the first event of the last ones (else: all of the trace is the time of a few events)');
cmp_ok(abs($r->{data}{tables}{tasks}{all}{rate} - 3 / 20e-6), '<', 1, 'and rates are of that time');
is(chosen(['--tail', 100], 'page-faults', $dat)->{data}{start}, 1_000_000_000, '--tail of more than there is: all of it');
is(chosen(['--tail', 3, '--cpu', 1, '--end', '1.000045'], 'page-faults', $dat)->{data}{start}, 1_000_000_000, '--tail of no event: no other time');

# A recording, from the kernel's own text of it.
my ($first, $last) = map { $_ / 1e9 } @{analysis('page-faults', 't/data/misc.dat')->{data}}{qw(start end)};
my %want;
open my $fh, '<', 't/data/misc.dat.kernel.txt' or die "misc.dat.kernel.txt: $!\n";
while (<$fh>) {
	my ($pid, $time, $kind, $code) = /-(\d+) .* ([\d.]+): page_fault_(user|kernel): .* error_code=0x(\w+)/ or next;
	next if $time < $first - 2e-6 || $time > $last + 2e-6;
	$want{$pid}{n}++;
	$want{$pid}{$kind}++;
	$want{$pid}{write}++ if hex($code) & 2;
}
close $fh;
my @tasks = sort { $a <=> $b } keys %want;
cmp_ok(scalar @tasks, '>', 1, 'the kernel prints faults');
is_deeply([sort { $a->[0] <=> $b->[0] } @{rows(analysis('page-faults', 't/data/misc.dat', '--by', 'pid'), 'tasks', qw(pid n user kernel write))}],
	[map { my $pid = $_; [$pid, map { $want{$pid}{$_} // 0 } qw(n user kernel write)] } @tasks], 'a recording: as the kernel prints them');

# Parts of the trace.
my %faults = (of => 't/data/misc.dat', analysis => 'page-faults', args => [qw(--by pid)], windows => 4, table => 'tasks', key => [qw(comm pid)], ends => [qw(n user kernel write code protection)]);
windows_add_up($_) for \%faults, { %faults, table => 'places', key => [qw(in place)], ends => ['n'] };
choice_has_its_rows(\%faults, '--pid', 'pid');
choices_add_up($_, '--cpu', 'cpu') for \%faults, { %faults, table => 'places', key => [qw(in place)], ends => ['n'] };
cuts_agree(\%faults);

done_testing();
