# SPDX-License-Identifier: GPL-2.0-or-later
#
# explore's lanes for random windows: who ran on which CPU from when to when, as page/timeline-data.js derives it from the
# marks and the states at the beginning, against the switches that zedprint prints for the whole recording; handlers of
# interrupts and softirqs, and losses, against its lines; the cells of far windows against the same slices. Without it
# lanes show wrong tasks at the beginning of a window, or after a loss. Seeded; SEED=N.
#
# of: programs/zedperl/explore analysis/timeline page/timeline-data.js
# runs: make check; a small pass in make test
use strict;
use warnings;
use List::Util qw(max min sum0);
use MIME::Base64 ();
use Test::More;
use lib 't/lib';
use Pass;
use Run::Views;

my $WINDOWS = small(1, 20);
my $NEAR = 20_000;	# events that are shown one by one

# ---- what zedprint says ----

# What each CPU of one source shows, in order: [AT, PREV, NEXT] of a switch, [AT] of a loss, [AT, PID] of an event of the
# scheduler, which are read before a window too, of a task that no switch has shown.
sub changes {
	my ($base, @all) = @_;
	my (%of, %on);
	for my $e (@all) {
		my ($cpu, $at) = ($e->{cpu}, $e->{ts} - $base);
		my $of = $of{$cpu} //= [];
		if (exists $e->{lost}) {
			push @$of, [$at];
			delete $on{$cpu};
		}
		next if ($e->{event} // '') !~ /^sched::sched_(?:switch|waking|wakeup|wakeup_new)\z/;
		push @$of, [$at, $on{$cpu} = $e->{pid}] if ($on{$cpu} // -1) != $e->{pid};
		next if $e->{event} ne 'sched::sched_switch';
		push @$of, [$at, @{$e->{fields}}{qw(prev_pid next_pid)}];
		$on{$cpu} = $e->{fields}{next_pid};
	}
	return \%of;
}

# The slices in a window. What ran when it began is known from the events before it; else what leaves first has run since
# the CPU's first event in it, FIRST, or since the last loss.
sub true_slices {
	my ($changes, $first, $from, $to) = @_;
	my @slices;
	for my $cpu (keys %$changes) {
		my ($on, $since, $known, $has_switch) = (undef, $from, $first->{$cpu});
		my $add = sub { my ($pid, $x, $y) = @_; push @slices, [$cpu, max($x, $from), min($y, $to), $pid] if min($y, $to) > max($x, $from) };
		for my $c (grep { $_->[0] <= $to } @{$changes->{$cpu}}) {
			my ($at, $prev, $next) = @$c;
			my $is_in = $at >= $from;
			if (!defined $prev) {
				$add->($on, $since, $at) if $is_in && defined $on;
				($on, $known) = (undef, $is_in ? $at : $known);
			} elsif (!defined $next) {
				($on, $since) = ($prev, $from) if !$is_in && $has_switch;
			} else {
				$has_switch = 1;
				$add->($prev, defined $on ? $since : $known, $at) if $is_in && (!defined $on || $on == $prev);
				($on, $since) = ($next, $at);
			}
		}
		$add->($on, $since, $to) if defined $on;
	}
	return slices_sorted(@slices);
}

# When the first event of each CPU comes in a window that begins at FROM.
sub first_events {
	my ($base, $from, @all) = @_;
	my %first;
	for my $e (@all) {
		$first{$e->{cpu}} //= $e->{ts} - $base if $e->{ts} - $base >= $from;
	}
	return \%first;
}

# [CPU, FROM, TO, KIND, NAME] of handlers that overlap the window: innermost ones end first.
sub true_irqs {
	my ($base, $from, $to, @all) = @_;
	my (%open, @pieces, %last);
	my $add = sub { my ($cpu, $f, $y) = @_; push @pieces, [$cpu, max($f->[0], $from), min($y, $to), @$f[1, 3]] if $y >= $from && $f->[0] <= $to };
	for my $e (@all) {
		my ($at, $cpu) = ($e->{ts} - $base, $e->{cpu});
		last if $at > $to;
		my $stack = $open{$cpu} //= [];
		if (exists $e->{lost}) {
			$add->($cpu, pop @$stack, $last{$cpu} // 0) while @$stack;
		}
		$last{$cpu} = $at;
		my ($kind, $end) = ($e->{event} // '') =~ /^irq::(irq_handler|softirq)_(entry|exit)\z/ or next;
		my $number = $e->{fields}{$kind eq 'softirq' ? 'vec' : 'irq'};
		my $name = $kind eq 'softirq' ? $e->{names}{vec} // $number : $e->{fields}{name};
		if ($end eq 'entry') {
			push @$stack, [$at, $kind eq 'softirq' ? 1 : 0, $number, $name];
			next;
		}
		my ($i) = grep { $stack->[$_][1] == ($kind eq 'softirq' ? 1 : 0) && $stack->[$_][2] == $number } reverse 0 .. $#$stack;
		next if !defined $i;
		$add->($cpu, $stack->[$i], $at);
		splice @$stack, $i;
	}
	for my $cpu (keys %open) {
		$add->($cpu, $_, $to) for @{$open{$cpu}};
	}
	return sort map { join ' ', @$_ } @pieces;
}

# [CPU, FROM, TO, N]: from the record before on its CPU of that buffer, which may be before the window.
sub true_losses {
	my ($base, $from, $to, @all) = @_;
	my (%last, @losses);
	for my $e (@all) {
		my ($at, $key) = ($e->{ts} - $base, "$e->{cpu} " . ($e->{instance} // ''));
		my $since = $last{$key} // $from;
		push @losses, [$e->{cpu}, max($since, $from), min($at, $to), $e->{lost} // 'unknown'] if exists $e->{lost} && $at >= $from && $since <= $to;
		$last{$key} = $at;
	}
	return sort map { join ' ', @$_ } @losses;
}

# ---- near ----

my %seen;

for my $path (view_recordings(small(3, 10))) {
	my @all = printed_json($path);
	my ($base) = sort { $a <=> $b } map { $_->{ts} } @all;
	my $changes = changes($base, @all);
	my @bad;
	# ... and one around the first loss, which few of them may have.
	my ($lost) = grep { exists $all[$_]{lost} } 0 .. $#all;
	my @around = defined $lost ? [sort { $a <=> $b } map { $all[$_]{ts} - $base } max(0, $lost - 50), min($#all, $lost + 50)] : ();

	for my $window (windows($WINDOWS, 4000, $base, map { $_->{ts} } @all), @around) {
		my ($from, $to) = @$window;
		my $data = view($path, 'lanes', from => $from, to => $to, cells => 300);
		my @cpu = map { $_->[0] } @{$data->{timeline}{cpus}};
		my @is = view_slices($data);
		my @irqs = sort map { join ' ', $cpu[$_->[0]], @$_[1 .. 4] } @{$data->{irqs}};
		my @losses = sort map { join ' ', $cpu[$_->[0]], @$_[1, 2], $_->[3] // 'unknown' } @{$data->{losses}};
		my %differ = (slices => differ(\@is, [true_slices($changes, first_events($base, $from, @all), $from, $to)]), irqs => differ(\@irqs, [true_irqs($base, $from, $to, @all)]),
			losses => differ(\@losses, [true_losses($base, $from, $to, @all)]), exact => $data->{exact} ? '' : 'not exact');
		$seen{slices} += @is;
		$seen{irqs} += @irqs;
		$seen{losses} += @losses;
		push @bad, map { length $differ{$_} ? "$from to $to: $_: $differ{$_}" : () } sort keys %differ;
	}
	is(join("\n", @bad[0 .. ($#bad < 2 ? $#bad : 2)]), '', "$path: near: who runs, handlers, losses");
}
ok($seen{$_}, "$seen{$_} $_ were compared (else these windows show nothing)") for sort keys %seen;

# ---- far ----

# Of one CPU with N cells of WIDTH ns from START: the share busy of each.
sub busy {
	my ($n, $width, $start, $end, @slices) = @_;
	my @busy = (0) x $n;
	for (@slices) {
		my ($from, $to, $pid) = @$_;
		next if !$pid;
		for my $i (int(($from - $start) / $width) .. min($n - 1, int(($to - $start) / $width))) {
			my ($x, $y) = ($start + $i * $width, min($start + ($i + 1) * $width, $end + 1));
			$busy[$i] += max(0, min($to, $y) - max($from, $x)) / ($y - $x);
		}
	}
	return @busy;
}

my $demo = 't/data/demo.dat';
my @all = printed_json($demo);
my ($base) = sort { $a <=> $b } map { $_->{ts} } @all;
my $far = view($demo, 'lanes', from => 0, to => 1_000_000_000_000_000, cells => 64);
my $t = $far->{timeline};
my @bytes = unpack 'C*', MIME::Base64::decode_base64($far->{'cells-cpu'});
my $n = @bytes / 4 / @{$t->{cpus}};
my @true = map { [split] } true_slices(changes($base, @all), first_events($base, 0, @all), 0, $t->{end});
my @bad;

for my $k (0 .. $#{$t->{cpus}}) {
	my $cpu = $t->{cpus}[$k][0];
	my @busy = busy($n, $t->{cpu_width}, $t->{start}, $t->{end}, map { [@$_[1 .. 3]] } grep { $_->[0] == $cpu } @true);
	for my $i (0 .. $n - 1) {
		my ($share, $flags) = @bytes[($i * @{$t->{cpus}} + $k) * 4, ($i * @{$t->{cpus}} + $k) * 4 + 3];
		next if $flags & 12;	# unknown in part: before the CPU's first record
		push @bad, "CPU $cpu, cell $i: $share of 255, want " . $busy[$i] * 255 if abs($share - $busy[$i] * 255) > 3;
	}
}
is(join("\n", @bad[0 .. ($#bad < 3 ? $#bad : 3)]), '', "far: the shares of $n cells are those of the slices");
cmp_ok($n, '<=', 256, 'no more cells than are wanted, or 256 (else an answer for a screen is as large as the trace)');

my ($last) = map { $_->[1] } $t->{tasks}[-1];
my $some = view($demo, 'lanes', from => 0, to => 1_000_000_000_000_000, cells => 64, ntasks => 2, tasks => "0:$last");
is(scalar @{$some->{timeline}{tasks}}, 3, 'as many tasks as are asked for, and the one that was jumped to');
ok(scalar(grep { $_->[1] == $last } @{$some->{timeline}{tasks}}), '... which ran least');
my ($pid, $run) = @{$t->{tasks}[0]}[1, 2];
is($run, sum0(map { $_->[3] == $pid ? $_->[2] - $_->[1] : () } @true), 'the first task ran as long as its slices');

done_testing();
