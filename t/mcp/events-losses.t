# SPDX-License-Identifier: GPL-2.0-or-later
#
# A list of events says what was lost in its time, before events of any kind: where and how many, by the text of
# trace-cmd report. Without it a gap of thousands of events looks like a time in which nothing happened.
#
# of: programs/zedperl/mcp/range_losses.c programs/zedperl/mcp/tool_events.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files;
use Run::Mcp;

# The losses with a number in a text of trace-cmd: {cpu, n, from, to}, the times of the records around
# each on its CPU, in us as it prints them; without a record before it, 1 ms.
sub text_losses {
	my ($path) = @_;
	my (@losses, %last, $open);
	for (split /\n/, slurp($path)) {
		$open = { cpu => $1 + 0, n => $2, from => $last{$1 + 0} }, next
			if /^CPU:(\d+) \[(\d+) EVENTS DROPPED\]/;
		my ($cpu, $at) = /\[(\d+)\](?: \S+)? +([\d.]+): \w+:/ or next;
		push @losses, { %$open, from => $open->{from} // moved($at, -1000), to => $at } if $open;
		$open = undef;
		$last{$cpu + 0} = $at;
	}
	return @losses;
}

sub limits { my ($r, $like) = @_; return scalar grep { $_ =~ $like } @{$r->{data}{limits} // []} }
sub rows { my ($r) = @_; return $r->{data} ? scalar @{$r->{data}{tables}[0]{rows}} : $r->{error} }

# A time of the text, moved by so many us.
sub moved { my ($at, $us) = @_; return sprintf '%.6f', $at + $us / 1e6 }

my $n = 0;
for my $path ('t/data/be_lost.dat', 't/data/armhf_lost_count.dat') {
	my $m = mcp($path);
	for my $loss (text_losses("$path.report.txt")) {
		my ($cpu, $lost) = @$loss{qw(cpu n)};
		my $what = "$path: $lost lost on CPU $cpu before $loss->{to}";
		my %around = (cpu => "$cpu", from => moved($loss->{from}, -1), to => moved($loss->{to}, 2));
		my %within = (cpu => "$cpu", from => moved($loss->{from}, 10), to => moved($loss->{to}, -10));
		my $at = qr/events were lost at 1 place, the first before \Q$loss->{to}\E\d+ on CPU $cpu: $lost;/;
		my $share = qr/unknown share of $lost events .* before \Q$loss->{to}\E\d+ on CPU $cpu,/;

		is(limits(tool($m, 'events', \%around), $at), 1, "$what: is a limit (else: a gap looks empty)");
		my $r = tool($m, 'events', { %around, filter => "*:common_pid < 0" });
		is(rows($r) . ' ' . limits($r, $at), '0 1', '... also if no event around it is chosen (else: only the choice is seen)');
		$r = tool($m, 'events', \%within);
		is(rows($r) . ' ' . limits($r, $share), '0 1', '... and of a time within it (else: "none occurred", which is not known)');
		is(limits(tool($m, 'events', { %around, cpu => $cpu ? '0' : '1' }), qr/$lost/), 0, '... not of another CPU (else: each answer has it)');
		is(limits(tool($m, 'events', { %around, first => 2 }), qr/$lost/), 0, '... nor of the rows after it (else: they look incomplete)');
		$n++;
	}
	is(mcp_end($m), 0, "$path: the end");
}
is($n, 2, 'there were losses (else: nothing is tested)');

# All of the trace: what only the statistics know is in it, as the same sum as they have.
{
	my $m = mcp('t/data/be_lost.dat');
	my %all = (rows => 1000, chars => 60_000);
	is(limits(tool($m, 'events', { %all, event => 'sched:*' }), qr/^events were lost at 1 place, .*: 933 \(339 at 1 place; 594 at unknown times\);/), 1,
		'the overrun of the recording (else: less than was lost is said)');
	is(limits(tool($m, 'events', { %all, event => 'sched:*', to => '42.3' }), qr/^594 events of the whole trace were lost at unknown times/), 1,
		'... of a part of it what may be of it');
	is(mcp_end($m), 0, 'the end');
}

# None lost: nothing is said.
{
	my $m = mcp('t/data/demo.dat');
	is(limits(tool($m, 'events', { rows => 20 }), qr/lost/), 0, 'a trace without losses has no such limit (else: all are doubted)');
	is(mcp_end($m), 0, 'the end');
}

done_testing();
