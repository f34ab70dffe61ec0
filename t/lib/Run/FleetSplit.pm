# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::FleetSplit: recordings to cut into parts, and scripts whose answer must be the same in parts: aggregations, and
# pairs of events.
package Run::FleetSplit;
use strict;
use warnings;
use Exporter 'import';
use Files;

our @EXPORT = qw($AGGREGATIONS $PAIRS recordings script_of);

# TEXT as the script NAME.
sub script_of { my ($name, $text) = @_; return spew(temp_dir() . "/$name.pl", $text) }

# Recordings of every kind.
sub recordings {
	return grep { -s } map { "t/data/$_.dat" } qw(demo lost be_lost armhf_lost armhf_lost_count armhf_multibuf multibuf rt process empty mostly_empty sparse_cpus
		small_v6 small_v7_zlib small_v7_zstd small_be_none i386_v6 clock_tsc date stack subbuf16 block misc ts_offset zlib_331 latency_v7);
}

# All aggregations, by keys; losses and a count by state of the script's own.
our $AGGREGATIONS = <<'END';
# zedperl: keeps no state over time
my %seen;
sub trace_begin {
	for my $event (grep { /\A(?:sched::sched_(?:switch|waking|wakeup)|irq::softirq_entry|mini::tick|kmem::kmalloc|raw_syscalls::sys_exit)\z/ } sort { $a cmp $b } Zed::events()) {
		Zed::count($event, by => ['cpu', 'comm']);
		Zed::sum($event, 'common_pid', by => 'comm');
		Zed::stats($event, 'common_pid');
		Zed::stats($event, 'ts * 1000', by => 'cpu');
		Zed::hist($event, 'common_pid', by => 'cpu');
		Zed::quantiles($event, 'common_pid', by => 'cpu');
		Zed::top($event, 'common_pid', by => 'comm');
	}
}
sub trace_unhandled { my ($event, $cpu, undef, undef, $sequence) = @_; $seen{"$event $cpu"}++; $seen{"order $cpu"} += $sequence % 7 }
sub trace_lost { my ($cpu, $count) = @_; $seen{"lost $cpu"} += $count // 1e6; $seen{"losses $cpu"}++ }
sub trace_state { return { %seen } }
sub trace_merge { my ($s) = @_; $seen{$_} += $s->{$_} for keys %$s; return }
sub trace_end { print "$_: $seen{$_}\n" for sort keys %seen; return }
END

# Of every kind: replaced and kept starts, nested ones, aborted, full tables, keys of several values and none, pairs of pairs.
our $PAIRS = <<'END';
my @made;
sub pair { my ($name, %how) = @_; push @made, [$name, eval { Zed::synthetic($name, %how) } // return]; return 1 }
sub trace_begin {
	my %has = map { $_ => 1 } Zed::events();
	my %took = (fields => [took => 'end.ts - start.ts', where => 'start.cpu']);
	for (['wait', 'sched:sched_waking', 'sched:sched_switch', 'start.pid == end.next_pid'], ['off', 'sched:sched_switch', 'sched:sched_switch', 'start.prev_pid == end.next_pid'],
	     ['soft', 'irq:softirq_entry', 'irq:softirq_exit', 'start.cpu == end.cpu && start.vec == end.vec'], ['call', 'raw_syscalls:sys_enter', 'raw_syscalls:sys_exit', 'start.common_pid == end.common_pid'],
	     ['tick', 'mini:tick', 'mini:tick', 'start.cpu == end.cpu'], ['any', 'sched:sched_waking', 'sched:sched_wakeup', undef]) {
		my ($name, $start, $end, $match) = @$_;
		next if grep { !$has{s/:/::/r} } $start, $end;
		my @match = defined $match ? (match => $match) : ();
		my @kinds = ([$name . '_last'], [$name . '_first', keep => 'first'], [$name . '_few', max_pending => 2]);
		push @kinds, [$name . '_nest', nest => 1] if $start ne $end;
		push @kinds, [$name . '_abort', abort => 'sched:sched_process_exit', abort_match => 'start.common_pid == abort.pid'] if $has{'sched::sched_process_exit'};
		for (@kinds) {
			my ($kind, @how) = @$_;
			pair("p::$kind", start => $start, end => $end, @match, %took, @how) or next;
			Zed::count("p::$kind", by => 'where');
			Zed::hist("p::$kind", 'took', by => 'cpu');
			Zed::stats("p::$kind", 'took');
		}
		pair("p::${name}_of", start => "p:${name}_last", end => "p:${name}_last", match => 'start.where == end.where', fields => [both => 'end.took + start.took', where => 'end.where']) or next;
		Zed::sum("p::${name}_of", 'both', by => 'where');
	}
}
my %counts;
sub trace_state { trace_merge({ map { ($_->[0] => $_->[1]->counts) } @made }); return \%counts }
sub trace_merge { my ($s) = @_; for my $name (keys %$s) { $counts{$name}{$_} += $s->{$name}{$_} for keys %{$s->{$name}} } return }
sub trace_end { trace_state(); for my $name (sort keys %counts) { print "$name: ", join(' ', map { "$_ $counts{$name}{$_}" } sort keys %{$counts{$name}}), "\n" } return }
END

1;
