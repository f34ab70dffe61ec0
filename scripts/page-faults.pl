#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# page-faults.pl: page faults: how many each task has, of what kind, and where.
# zedtrace: exceptions:page_fault_user exceptions:page_fault_kernel
# zedperl: keeps traces apart
# zedperl: is made of exceptions:page_fault_user|exceptions:page_fault_kernel
# zedperl: answers for parts of the time
# zedperl: is about memory fault paging swap major minor

use strict;
use warnings;

use Zed;
use Zed::Report;

my $report = Zed::Report->new(name => 'page-faults', answer => \&answer, options => ['by=s'],
	defaults => { by => 'comm' });
my $by = $report->option('by');
$report->usage("--by '$by': it takes comm or pid") if $by !~ /^(?:comm|pid)\z/;

# Bits of the error code of x86: the page is there, and does not allow it; written; run.
my %BITS = (protection => 1, write => 2, code => 16);

my @there = grep { /^exceptions::page_fault_(?:user|kernel)\z/ } Zed::events();
my @who = ('common_source', 'common_comm', $by eq 'pid' ? 'common_pid' : ());
my ($kinds, $places);

if (@there) {
	$kinds = Zed::count('page:fault', by => [@who, 'user', 'error_code & 31']);
	$places = Zed::count('page:fault', by => ['user', 'ip', 'symbol(ip)']);
}

$report->counts($kinds, $places);
$report->keeps(kinds => \$kinds, 'count: ' . join ', ', @who, 'user', 'error_code & 31');
$report->keeps(places => \$places, 'count: user, ip, symbol(ip)');

my %COLUMNS = (n => 'n', user => 'by the program', kernel => 'by the kernel', write => 'writes', code => 'of code',
	protection => 'not allowed');
my @COUNTS = qw(n user kernel write code protection);

# Which of COUNTS an event of that kind adds to.
sub parts
{
	my ($row) = @_;
	my $code = $row->{'error_code & 31'} // 0;

	return ('n', $row->{user} ? 'user' : 'kernel', grep { $code & $BITS{$_} } sort keys %BITS);
}

sub answer
{
	my ($start, $end) = $report->window(undef, undef);
	my $seconds = defined $end && $end > $start ? ($end - $start) / 1e9 : undef;
	my $machine = Zed::uname() // '';
	my $x86 = $machine =~ /\b(?:x86_64|i[3-6]86)\b/ || $machine eq '';
	my @counts = grep { $x86 || !$BITS{$_} } @COUNTS;
	my (%rows, %all);

	for my $row ($kinds ? $kinds->rows : ()) {
		my $of = $rows{join "\0", $report->apart($row->{common_source}),
			map { $row->{$_} // '' } @who[1 .. $#who]} //=
			{ comm => $row->{common_comm}, pid => $row->{common_pid}, map { $_ => 0 } @COUNTS };

		for (parts($row)) {
			$of->{$_} += $row->{count};
			$all{$_} += $row->{count};
		}
	}
	my $table = $report->table('tasks', columns => [['comm', 'task', 'text'],
		$by eq 'pid' ? ['pid', 'pid', 'int'] : (),
		map({ [$_, $COLUMNS{$_}, 'int'] } @counts), ['rate', 'a second', 'rate']],
		rows => [map { { %$_, rate => $seconds ? $_->{n} / $seconds : undef } } values %rows])->sort('n',
		'comm', 'pid');

	$table->last({ comm => 'ALL', (map { $_ => $all{$_} // 0 } @counts), rate => $seconds ? $all{n} / $seconds
		: undef }) if keys %rows > 1;
	places();
	$report->remark('duration', 'no event records how long a fault took');
	$report->remark('machine',
		'the bits of the error code are those of x86: here they mean other things, and are left out') if !$x86;
	return ($start, $end);
}

# The kernel's by function, those of programs by address: their symbols are not in the trace.
sub places
{
	my %rows;

	for my $row ($places ? $places->rows : ()) {
		my $place = $row->{user} ? sprintf '0x%x', $row->{ip} : $row->{'symbol(ip)'} =~ /^\d+\z/
			? sprintf '0x%x', $row->{ip} : $row->{'symbol(ip)'};

		($rows{$row->{user} ? 'program' : 'kernel', $place} //=
			{ place => $place, in => $row->{user} ? 'program' : 'kernel', n => 0 })->{n} += $row->{count};
	}
	$report->table('places', title => 'where',
		columns => [['n', 'n', 'int'], ['in', 'in', 'text'], ['place', 'function or address', 'text']],
		rows => [values %rows])->sort('n', 'in', 'place') if %rows;
}

sub trace_begin { $report->begin }
sub trace_lost { $report->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

page-faults.pl - page faults: how many each task has, of what kind, and where

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<page-faults> [B<--by> comm|pid] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

=head1 DESCRIPTION

Counts page faults of programs, and those of the kernel working for them. Only x86, and RISC-V since
6.8, have events for them. No event marks the end of a fault's handling, so there are no times.

For a part of the trace it counts the faults in it; rates are for its time.

=head1 OPTIONS

=over

=item --by comm|pid

A row for all tasks with the same name (the default), or for each task.

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<tasks>, C<places>.

=head1 RECORD

    zedtrace exceptions:page_fault_user exceptions:page_fault_kernel -d 10
    trace-cmd record -e exceptions:page_fault_user -e exceptions:page_fault_kernel sleep 10

=head1 OUTPUT

A row for each task: how many faults, how many of them by the program itself and by the kernel
(copying from or to its memory), how many to write, to run code, and on pages that were present but
did not allow the access (usually a copy on write). Then the places: functions of the kernel,
addresses of programs.

=head1 EXAMPLES

    zedperl trace.dat page-faults --by pid
    zedperl --live page-faults --every 5s

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
