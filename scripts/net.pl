#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# net.pl: packets by device: sent, received, how long they wait to be sent; NAPI polls; what is dropped, and where.
# zedtrace: net napi skb:kfree_skb
# zedperl: keeps traces apart
# zedperl: is made of net:net_dev_xmit|net:netif_receive_skb|napi:napi_poll|skb:kfree_skb
# zedperl: answers for parts of the time
# zedperl: is about network packet drop napi interface latency queue tcp socket

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'net', answer => \&answer, fold => \&fold, options => ['worst=i'],
	defaults => { worst => 10 });
my $worst = $report->option('worst');
my %there = map { $_ => 1 } Zed::events();
my (%sent, %received, %polls, $drops, $slowest);

# A packet is identified by its address, which is reused as soon as it is gone, and by the device: one that passes two
# of them, as through a bridge or a bond, is queued by both. A busy driver gives it back (rc), and gets it again.
if ($there{'net::net_dev_xmit'}) {
	%sent = (n => Zed::count('net:net_dev_xmit', by => 'name', where => 'rc == 0'),
		bytes => Zed::sum('net:net_dev_xmit', 'len', by => 'name', where => 'rc == 0'),
		busy => Zed::count('net:net_dev_xmit', by => 'name', where => 'rc != 0'));
	follow(wait => 'net:net_dev_queue') if $there{'net::net_dev_queue'};
	if ($there{'net::net_dev_start_xmit'}) {
		follow(driver => 'net:net_dev_start_xmit');
		# A packet that the device itself splits is one packet up to there.
		$sent{pieces} = Zed::sum('net:net_dev_start_xmit', 'gso_segs + (gso_segs == 0)', by => 'name');
	}
	$slowest = Zed::top('net_packet:wait', 'took', fields => [qw(name len)], limit => $worst)
		if $sent{wait} && $worst > 0;
}
if ($there{'net::netif_receive_skb'}) {
	%received = (n => Zed::count('net:receive', by => 'name'),
		bytes => Zed::sum('net:receive', 'len', by => 'name'));
}
if ($there{'napi::napi_poll'}) {
	%polls = (n => Zed::count('napi:napi_poll', by => 'dev_name'));
	# Before 4.9 it does not say how much was done.
	$polls{work} = eval { Zed::quantiles('napi:napi_poll', 'work', by => 'dev_name') };
	$polls{sum} = Zed::sum('napi:napi_poll', 'work', by => 'dev_name') if $polls{work};
	$polls{full} = Zed::sum('napi:napi_poll', 'work >= budget', by => 'dev_name') if $polls{work};
}
my $has_reason = 0;

if ($there{'skb::kfree_skb'}) {
	# Before 5.17 without a reason.
	$drops = eval { $has_reason = 1; Zed::count('skb:kfree_skb', by => ['reason', 'symbol(location)']) };
	if (!$drops) {
		$has_reason = 0;
		$drops = Zed::count('skb:kfree_skb', by => ['symbol(location)']);
	}
}

# From START to the end of the driver's work on it.
sub follow
{
	my ($what, $start) = @_;

	$sent{"${what}_made"} = Zed::synthetic("net_packet::$what", start => $start, end => 'net:net_dev_xmit',
		match => 'start.skbaddr == end.skbaddr && start.name == end.name && end.rc == 0',
		fields => [took => 'end.ts - start.ts', name => 'end.name', len => 'end.len']);
	$sent{$what} = Zed::quantiles("net_packet:$what", 'took', by => 'name');
}

my %dropped;	# {reason, where}: how many
my $watches_drops = $drops ? 1 : 0;
my $waiting = 0;	# packets that were queued and not sent, at the end

$report->counts(values %sent, values %received, values %polls, $drops, $slowest);
$report->keeps(sent => \%sent, { n => 'count: name', bytes => 'sum: name', busy => 'count: name', pieces => 'sum: name',
	map { ("${_}_made" => 'synthetic', $_ => 'quantiles: name') } qw(wait driver) });
$report->keeps(received => \%received, { n => 'count: name', bytes => 'sum: name' });
$report->keeps(polls => \%polls, { n => 'count: dev_name', work => 'quantiles: dev_name', sum => 'sum: dev_name',
	full => 'sum: dev_name' });
$report->keeps(slowest => \$slowest, 'top: name, len');
$report->keeps(dropped => \%dropped, { '*' => { reason => 'same', at => 'same', 'n!' => 'sum' } });
$report->keeps(has_reason => \$has_reason, 'max');
$report->keeps(waiting => \$waiting, 'sum');
$report->keeps(watches_drops => \$watches_drops, 'max');

# Numbers of reasons differ from kernel to kernel.
sub fold
{
	%dropped = ();
	$waiting = $sent{wait_made} ? Zed::Asked::waiting($sent{wait_made}) : 0;
	for my $row ($drops ? $drops->rows : ()) {
		my ($number, $at) = ($row->{reason}, $row->{'symbol(location)'});
		my $reason = defined $number ? Zed::symbol_str('skb:kfree_skb', 'reason', $number) // $number : undef;
		my $of = $dropped{join "\0", $reason // '', $at // ''} //= { reason => $reason, at => $at };

		$of->{n} += $row->{count};
	}
}

# ---- the answer ----

sub by_name { my ($of, $key) = @_; return map { ($_->{$key} // '?') => $_ } $of ? $of->rows : () }

sub answer
{
	my ($start, $end) = $report->window(undef, undef);
	my $seconds = defined $end && $end > $start ? ($end - $start) / 1e9 : undef;
	my $rate = sub { return $seconds ? $_[0] / $seconds / 1048576 : undef };

	if (%sent) {
		my %of = map { my $what = $_; $what => { by_name($sent{$what}, 'name') } }
			grep { !/_made\z/ } keys %sent;
		my $table = $report->table('sent', title => 'sent',
			columns => [['name', 'device', 'text'], ['n', 'n', 'int'],
				$sent{pieces} ? ['pieces', 'packets', 'int'] : (),
			['bytes', 'data', 'bytes'], ['rate', 'rate', 'mib/s'], ['busy', 'given back', 'int'],
			['p50', 'wait p50', 'us'], ['p99', 'p99', 'us'],
			['max', 'max', 'us'], ['driver', 'driver p50', 'us'], ['driver_max', 'max', 'us']]);

		for my $name (keys %{{ map { %{$of{$_}} } keys %of }}) {
			my ($wait, $driver) = map { $of{$_}{$name} ? Zed::Spread->from_buckets($of{$_}{$name})
				: Zed::Spread->new } qw(wait driver);
			my $bytes = $of{bytes}{$name}{sum} // 0;

			$table->add({ name => $name, n => $of{n}{$name}{count} // 0,
				pieces => $of{pieces}{$name}{sum} // 0, bytes => $bytes, rate => $rate->($bytes),
				busy => $of{busy}{$name}{count} // 0, p50 => $wait->quantile(50),
				p99 => $wait->quantile(99), max => $wait->max,
				driver => $driver->quantile(50), driver_max => $driver->max });
		}
		$table->sort('bytes', 'name');
	}
	if (%received) {
		my %bytes = by_name($received{bytes}, 'name');

		$report->table('received', title => 'received',
			columns => [['name', 'device', 'text'], ['n', 'n', 'int'], ['bytes', 'data', 'bytes'],
				['rate', 'rate', 'mib/s']],
			rows => [map { my $sum = $bytes{$_->{name} // '?'}{sum}; { name => $_->{name} // '?',
				n => $_->{count}, bytes => $sum, rate => $rate->($sum) } }
				$received{n}->rows])->sort('bytes', 'name');
	}
	polls_and_drops();
	my @worst = !$slowest ? () : map { { time => $_->{value}, at => $_->{ts}, cpu => $_->{cpu}, name => $_->{name},
		len => $_->{len}, comm => $_->{comm} } }
		map { @{$_->{records}} } $slowest->rows;

	$report->table('slowest', title => 'the longest waits', span => ['-time', 'at'], rows => \@worst,
		columns => [['time', 'wait', 'us'], ['at', 'sent at', 'time'], ['cpu', 'CPU', 'int'],
		['name', 'device', 'text'], ['len', 'size', 'bytes'], ['comm', 'task', 'text']]) if @worst;
	$report->table('sent', title => 'sent', columns => [['name', 'device', 'text']])
		if !%sent && !%received && !%polls && !$watches_drops;
	notes();
	return ($start, $end);
}

sub polls_and_drops
{
	if (%polls) {
		my ($full, $sum, $work) = map { { by_name($polls{$_}, 'dev_name') } } qw(full sum work);

		$report->table('polls', title => 'NAPI polls',
			columns => [['name', 'device', 'text'], ['n', 'n', 'int'],
				$polls{work} ? (['work', 'packets', 'int'],
			['p50', 'p50', 'int'], ['max', 'max', 'int'], ['full', 'budget used up', 'int']) : ()],
			rows => [map { my $name = $_->{dev_name} // '?'; my $spread = $work->{$name}
				? Zed::Spread->from_buckets($work->{$name}) : Zed::Spread->new;
				{ name => $name, n => $_->{count}, work => $sum->{$name}{sum},
					full => $full->{$name}{sum} // 0, p50 => $spread->quantile(50),
					max => $spread->max } }
				$polls{n}->rows])->sort('n', 'name');
	}
	my @rows = values %dropped;

	$report->table('drops', title => 'dropped',
		columns => [['n', 'n', 'int'], $has_reason ? ['reason', 'reason', 'text'] : (), ['at', 'in', 'text']],
		rows => \@rows)->sort('n', 'reason', 'at') if @rows;
}

sub notes
{
	return if !$sent{wait_made};
	my $counts = $sent{wait_made}->counts;
	my $n = 0;

	$n += $_->{count} for $sent{n}->rows;
	$report->note('begun', $n - $counts->{matched}, '{packet was|packets were} sent without a recorded ' .
		'queueing: segments, clones, or queued before ' .
		$report->for_traces('{the trace|the traces}'));
	$report->note('waits', $waiting + $counts->{replaced},
		'{packet was|packets were} queued and not sent: segmented, dropped, or still waiting');
	$report->note('lost', $counts->{lost}, '{wait is|waits are} left out, as events were lost meanwhile');
}

sub trace_begin { $report->begin }
sub trace_lost { $report->lost(@_) }
sub trace_end { $report->end }

__END__

=head1 NAME

net.pl - packets by device: sent, received, how long they wait to be sent; NAPI polls; what is dropped

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<net> [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

=head1 DESCRIPTION

Follows each packet that is sent from the queue of its device to the moment when the driver has
taken it, and counts packets received, polled and dropped.

A packet is identified by its address, which is reused as soon as it is gone. A packet that is split
before it gets to the driver is sent under the addresses of the pieces, as clones are under theirs:
these have no wait. If the device itself splits it, it is one packet here; C<packets> counts the
pieces.

For a part of the trace, a packet counts where it is sent, with its whole wait; one that is queued and not sent belongs
to the CPU and the task that queued it. Rates are for the part's time.

=head1 OPTIONS

=over

=item --worst N

How many of the longest waits to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<sent>, C<received>, C<polls>, C<drops>,
C<slowest>.

=head1 RECORD

    zedtrace net napi skb:kfree_skb -d 10
    trace-cmd record -e net -e napi -e skb:kfree_skb sleep 10

or, with perf,

    perf record -a -e 'net:*' -e 'napi:*' -e skb:kfree_skb sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

=over

=item sent

By device: how many, in how many packets on the wire, bytes; how often a busy driver refused one;
the wait from the queue to the end of the driver's work, and that work alone.

=item received

By device, as they enter the network stack.

=item NAPI polls

How often a device was polled, how much was done, and how often that was the most allowed at a time.

=item dropped

By the reason that the kernel gives (since 5.17), and the function.

=back

=head1 EXAMPLES

    zedperl trace.dat net
    zedperl --live net --every 5s

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
