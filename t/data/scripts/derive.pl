#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# derive.pl: from the text of `trace-cmd report -R -t` to what the scripts of scripts/ must print.
#
# The goldens beside this file are made by it, so that zedperl never makes what it is tested against:
#
#     perl t/data/scripts/derive.pl                      all of them anew, by the installed trace-cmd
#     perl t/data/scripts/derive.pl SCRIPT RAW TEXT STAT one, to standard output, from texts made with
#                                                        trace-cmd report -R -t, report -t, report --stat
#
# It shares nothing with the scripts: names, values and times are taken out of trace-cmd's text.
use strict;
use warnings;

use File::Basename qw(dirname);
use File::Temp qw(tempdir);

my ($script, $raw_file, $text_file, $stat_file) = @ARGV;

unless (@ARGV) {
	my $dir = dirname(__FILE__);
	my $tmp = tempdir(CLEANUP => 1);

	for my $golden (sort glob "$dir/*.txt") {
		my ($name, $recording) = $golden =~ m{/([\w-]+)\.(\w+)\.txt$} or next;	# of LTT: see derive-ltt.pl

		system("trace-cmd report -R -t -i $dir/../$recording.dat 2>/dev/null >$tmp/raw") == 0 &&
		system("trace-cmd report -t -i $dir/../$recording.dat 2>/dev/null >$tmp/text") == 0 &&
		system("trace-cmd report --stat -i $dir/../$recording.dat 2>/dev/null >$tmp/stat") == 0
			or die "derive.pl: trace-cmd cannot read $recording.dat\n";
		system("$^X $0 $name $tmp/raw $tmp/text $tmp/stat >$golden") == 0
			or die "derive.pl: $golden was not made\n";
	}
	exit 0;
}
die "usage: derive.pl [SCRIPT RAW TEXT STAT]\n" unless @ARGV == 4;

# Systems of events by their names; report -R leaves the system out.
sub system_of
{
	my ($name) = @_;

	return 'irq' if $name =~ /^(?:softirq|irq)_/;
	return 'timer' if $name =~ /^(?:hrtimer|timer|tick)_/;
	return 'raw_syscalls' if $name =~ /^sys_(?:enter|exit)$/;
	return 'kmem' if $name =~ /^(?:kmem_cache|mm_page|rss_stat$|kmalloc$|kfree$)/;
	return $1 if $name =~ /^(sched|block|workqueue|writeback|jbd2|ext4|signal|task)_/;
	return 'writeback' if $name =~ /^(?:folio_wait|global_dirty|wbc_|sb_|bdi_|balance_)/;
	return 'ftrace' if $name =~ /^(?:print|bprint|function|kernel_stack|user_stack)$/;
	die "derive.pl: what system has the event $name?\n";
}

sub records
{
	my ($file) = @_;
	my (@records, %sequence);

	open my $in, '<', $file or die "$file: $!\n";
	while (<$in>) {
		next if /^cpus=\d+$/;
		# An unknown number counts one, as in the numbering of zedperl.
		if (/^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]$/) {
			$sequence{$1} += $2 // 1;
			push @records, { lost => $2, cpu => $1, marker => 1 };
			next;
		}
		my ($comm, $pid, $cpu, $secs, $nsecs, $name, $rest) =
			/^ *(.*?)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+): *(.*)$/
			or die "$file:$.: cannot read: $_";
		push @records, { pid => $pid, cpu => $cpu + 0, secs => $secs, nsecs => $nsecs, name => $name,
				 rest => $rest, event => system_of($name) . "::$name",
				 sequence => ++$sequence{$cpu + 0} };
	}
	return @records;
}

# Losses of each CPU by the kernel's own statistics, as they were when the recording ended.
sub losses
{
	my ($file) = @_;
	my ($cpu, %lost);

	open my $in, '<', $file or die "$file: $!\n";
	while (<$in>) {
		$cpu = $1 if /^CPU: (\d+)$/;
		$lost{$cpu} += $1 if /^(?:overrun|commit overrun|dropped events): (\d+)$/;
	}
	return %lost;
}

# name=value pairs in their order; a value may hold blanks.
sub pairs
{
	my ($rest) = @_;
	my @pairs;

	push @pairs, [$1, $2] while $rest =~ /\G *(\w+)=(.*?)(?= +\w+=|\s*$)/gc;
	# ext4 prints file modes in octal, and so does report -R.
	$_->[0] eq 'mode' && $_->[1] =~ /^[0-7]{6}$/ and $_->[1] = oct $_->[1] for @pairs;
	return @pairs;
}

my @raw = records($raw_file);
my @text = records($text_file);

if ($script eq 'countall') {
	my (%n, %lost, %unknown);

	for my $r (@raw) {
		if (!$r->{marker}) {
			$n{$r->{event}}++;
		} elsif (defined $r->{lost}) {
			$lost{$r->{cpu}} += $r->{lost};
		} else {
			$unknown{$r->{cpu}}++;
		}
	}
	# What the statistics have beyond the numbers of the stream is that of the losses without one, or has no time.
	my (%timeless, %summed, %stat);
	%stat = losses($stat_file);
	for my $cpu (grep { $stat{$_} > ($lost{$_} // 0) } keys %stat) {
		$unknown{$cpu} ? ($summed{$cpu} = $unknown{$cpu}) : ($timeless{$cpu} = $stat{$cpu} - ($lost{$cpu} // 0));
		$lost{$cpu} = $stat{$cpu} if $unknown{$cpu};
	}
	print "event counts:\n", map { "$_: $n{$_}\n" } sort keys %n;
	print "\nlost events:\n" if %lost || %unknown || %timeless;
	for my $cpu (sort { $a <=> $b } keys %{{ %lost, %unknown, %timeless }}) {
		my $losses = ($unknown{$cpu} // 0) == 1 ? 'one loss' : ($unknown{$cpu} // 0) . ' losses';
		my $own = ($unknown{$cpu} // 0) == 1 ? 'its own' : 'their own';
		print "cpu $cpu: ", join(', and ', $summed{$cpu} ? "$lost{$cpu} ($losses without a number of $own)" : $lost{$cpu} || (),
			$unknown{$cpu} && !$summed{$cpu} ? "an unknown number in $losses" : (),
			$timeless{$cpu} ? "$timeless{$cpu} at unknown times" : ()), "\n";
	}
} elsif ($script eq 'printall') {
	my @lines;

	die "derive.pl: the two texts have different records\n" if @raw != @text;
	print 'event', ' ' x 32, 'cpu        timestamp sequence', "\n";
	print '-----', ' ' x 32, '---        --------- --------', "\n";
	for my $i (0 .. $#raw) {
		my $r = $raw[$i];
		my %v = map { @$_ } pairs($r->{rest} // '');
		my $what;

		if ($r->{marker}) {
			print 'lost: ', $r->{lost} // 'an unknown number of', " event(s) of cpu $r->{cpu}\n";
			next;
		}
		my $dev = defined $v{dev} && sprintf '%d,%d', int($v{dev} / 1048576), $v{dev} % 1048576;

		if ($r->{name} eq 'sched_switch') {
			$what = "prev_pid=$v{prev_pid} [$v{prev_comm}] prio=$v{prev_prio} state=" .
				state($v{prev_state}) . ' ==> ' .
				"next_pid=$v{next_pid} [$v{next_comm}] prio=$v{next_prio}";
		} elsif ($r->{name} =~ /^sched_wak(?:ing|eup|eup_new)$/) {
			$what = "wake_pid=$v{pid} [$v{comm}] prio=$v{prio} target_cpu=" . int $v{target_cpu};
		} elsif ($r->{name} eq 'sched_migrate_task') {
			$what = "pid=$v{pid} [$v{comm}] prio=$v{prio} cpu $v{orig_cpu} ==> $v{dest_cpu}";
		} elsif ($r->{name} eq 'sched_process_fork') {
			$what = "parent_pid=$v{parent_pid} [$v{parent_comm}] child_pid=$v{child_pid} [$v{child_comm}]";
		} elsif ($r->{name} =~ /^sched_process_(?:exit|wait|free)$/) {
			$what = "pid=$v{pid} [$v{comm}] prio=$v{prio}";
		} elsif ($r->{name} eq 'block_plug') {
			$what = "pid=$r->{pid} [$v{comm}]";
		} elsif ($r->{name} eq 'block_unplug') {
			$what = "pid=$r->{pid} [$v{comm}] $v{nr_rq}";
		} elsif ($r->{name} eq 'block_split') {
			$what = "dev=$dev pid=$r->{pid} rwbs=$v{rwbs} sector=$v{sector} / $v{new_sector} [$v{comm}]";
		} elsif ($r->{name} =~ /^block_(?:bio_queue|bio_\w+merge|getrq|rq_insert|rq_issue|rq_merge)$/) {
			$what = "dev=$dev pid=$r->{pid} rwbs=$v{rwbs} sector+size=$v{sector} + $v{nr_sector} [$v{comm}]";
		} elsif ($r->{name} =~ /^block_(?:bio|rq)_complete$/) {
			$what = "dev=$dev pid=$r->{pid} rwbs=$v{rwbs} sector+size=$v{sector} + $v{nr_sector} [$v{error}]";
		} elsif ($r->{name} eq 'workqueue_queue_work') {
			$what = "pid=$r->{pid} work=$v{work} function=$v{function} workqueue=$v{workqueue} wq_cpu=$v{cpu}";
		} elsif ($r->{name} eq 'workqueue_activate_work') {
			$what = "pid=$r->{pid} work=$v{work}";
		} elsif ($r->{name} =~ /^workqueue_execute_(?:start|end)$/) {
			$what = "pid=$r->{pid} work=$v{work} function=$v{function}";
		} else {
			my ($function) = $text[$i]{rest} =~ m{ function=(\w+)};

			$what = join ' ', map { "$_->[0]=" . ($_->[0] eq 'function' ? $function : plain($_->[1])) }
				pairs($r->{rest});
		}
		printf "%-36s %3d %16s %8d %s\n", $r->{event}, $r->{cpu}, "$r->{secs}.$r->{nsecs}",
			$r->{sequence}, $what;
	}
} elsif ($script eq 'ltt-schedule') {
	my (%before, %of, $n, $odd);

	for my $r (@raw) {
		die "derive.pl: a trace without losses, please\n" if $r->{marker};
		next unless $r->{name} eq 'sched_switch';
		my %v = map { @$_ } pairs($r->{rest});
		my $t = $r->{secs} . $r->{nsecs};
		my $b = $before{$r->{cpu}};

		$n++;
		if ($b && $b->[0] == $v{prev_pid}) {
			push @{$of{$b->[0]}}, $t - $b->[1];
		} elsif ($b) {
			$odd++;
		}
		$before{$r->{cpu}} = [$v{next_pid}, $t];
	}
	my ($all, %total) = 0;
	for my $pid (keys %of) {
		$total{$pid} += $_ for @{$of{$pid}};
		$all += $total{$pid};
	}
	print "     pid     runs           run_ns         avg_ns         max_ns   share\n";
	for my $pid (sort { $total{$b} <=> $total{$a} || $a <=> $b } keys %of) {
		my ($most) = sort { $b <=> $a } @{$of{$pid}};

		printf "%8d %8d %16d %14s %14d %6.2f%%\n", $pid, scalar @{$of{$pid}}, $total{$pid}, mean($of{$pid}), $most,
			100 / $all * $total{$pid};
	}
	print "\nschedule changes: $n\n";
	print "changes that do not follow from the one before: $odd\n" if $odd;
} else {
	die "derive.pl: no script $script\n";
}

# The states of kernel 6.1 as its print format has them; trace-cmd's plugin has an older table (128: W).
sub state
{
	my ($bits) = @_;
	my @letters = qw(S D T t X Z P I);
	my $names = join '|', map { $letters[$_] } grep { $bits >> $_ & 1 } 0 .. 7;

	return ($names eq '' ? 'R' : $names) . ($bits & 0x100 ? '+' : '');
}

sub mean
{
	my ($list) = @_;
	my $sum = 0;

	return '-' unless $list;
	$sum += $_ for @$list;
	return sprintf '%.0f', $sum / @$list;
}

# A value as printall shows those that it does not know: numbers in decimal, addresses in hexadecimal.
sub plain
{
	my ($value) = @_;

	no warnings 'portable';
	if ($value =~ /^ARRAY\[(.*)\]$/) {
		# Bytes of 64-bit little-endian items: the args of sys_enter are the only ones in use here.
		return '[' . join(',', map { plain($_) } unpack 'Q<*', pack 'H*', $1 =~ s/, //gr) . ']';
	}
	# Addresses of code, with a symbol already.
	return $value if $value =~ /^[A-Za-z_]\w*\+0x/;
	$value = hex $value if $value =~ /^0x[0-9a-f]+$/;
	return sprintf '0x%x', $value if $value =~ /^\d{19,}$/ && $value > 9223372036854775807;
	return $value;
}
