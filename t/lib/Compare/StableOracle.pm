# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::StableOracle: the stable events that a script without a condition has to get from a recording, by stock
# trace-cmd's output for the same records (-R: the fields, -N: the print formats), and the names of system calls by the
# records of syscalls:sys_enter_*.
#
#	my ($want, $n) = stable_wanted($dat);	# lines that $STABLE_SCRIPT has to print
#	my @bad = calls_wrong($dat, $out);	# in the output of $CALLS_SCRIPT
package Compare::StableOracle;
use strict;
use warnings;
use Exporter 'import';
use Compare::Stock;

our @EXPORT = qw(stable_wanted stable_seen stock_report calls_wrong $STABLE_SCRIPT $CALLS_SCRIPT);

# ---------------------------------------------------------------- the script

our $STABLE_SCRIPT = <<'P';
sub say1 {
	my ($what, $cpu, undef, undef, undef, @v) = @_;
	print join("\t", "$cpu $what", map { defined ? $_ : '-' } @v), "\n";
}
# An address as trace-cmd -R shows it.
sub name_of { my $s = Zed::symbol($_[0]); return defined $s ? $s =~ s/\+.*//r : sprintf '0x%x', $_[0] }
sub hex_of { return sprintf '0x%x', $_[0] }

sub sched::switch { say1('switch', @_) }
sub sched::wakeup { say1('wakeup', @_) }
sub sched::wakeup_new { say1('wakeup_new', @_) }
sub sched::waking { say1('waking', @_) }
sub sched::migrate_task { say1('migrate_task', @_) }
sub sched::process_free { say1('process_free', @_) }
sub sched::process_exit { say1('process_exit', @_) }
sub sched::process_wait { say1('process_wait', @_) }
sub sched::process_fork { say1('process_fork', @_) }
sub sched::process_exec { say1('process_exec', @_) }
sub sched::signal_send { say1('signal_send', @_) }
sub irq::enter { say1('irq_enter', @_) }
sub irq::exit { say1('irq_exit', @_) }
sub softirq::enter { say1('softirq_enter', @_) }
sub softirq::exit { say1('softirq_exit', @_) }
sub softirq::raise { say1('softirq_raise', @_) }
sub timer::expire { my @v = @_; say1('timer', @v[0 .. 3], hex_of($v[4]), $v[5], name_of($v[6])) }
sub workqueue::insertion { my @v = @_;
	say1('insertion', @v[0 .. 4], hex_of($v[5]), name_of($v[6]), $v[7]) }
sub workqueue::execution { my @v = @_; say1('execution', @v[0 .. 4], hex_of($v[5]), name_of($v[6])) }
sub workqueue::completion { my @v = @_; say1('completion', @v[0 .. 4], hex_of($v[5]), name_of($v[6])) }
sub power::idle { say1('idle', @_) }
sub power::frequency { say1('frequency', @_) }
sub net::dev_xmit { my @v = @_; say1('xmit', @v[0 .. 3], hex_of($v[4]), @v[5 .. 7]) }
sub net::receive { my @v = @_; say1('receive', @v[0 .. 3], hex_of($v[4]), @v[5, 6]) }
sub page::fault { my @v = @_;
	say1('fault', @v[0 .. 3], map({ name_of($_) } @v[4, 5]), hex_of($v[6]), $v[7]) }
sub syscall::enter { my @v = @_;
	say1('sys_enter', @v[0 .. 3], $v[4], join ', ', map { sprintf '%x', $_ } @{$v[6]}) }
sub syscall::exit { my @v = @_; say1('sys_exit', @v[0 .. 4], $v[6]) }
sub block::rq_insert { say1('rq_insert', @_) }
sub block::rq_issue { say1('rq_issue', @_) }
sub block::rq_complete { say1('rq_complete', @_) }
sub block::rq_requeue { say1('rq_requeue', @_) }
sub block::bio_queue { say1('bio_queue', @_) }
sub block::bio_complete { say1('bio_complete', @_) }
sub block::bio_backmerge { say1('bio_backmerge', @_) }
sub block::bio_frontmerge { say1('bio_frontmerge', @_) }
sub block::getrq { say1('getrq', @_) }
sub block::split { say1('split', @_) }
sub block::remap { say1('remap', @_) }
sub block::plug { say1('plug', @_) }
sub block::unplug_io { my @v = @_; say1('unplug_io', @v[0 .. 6], unpack('H*', $v[7]), @v[8, 9]) }
P

# ---------------------------------------------------------------- trace-cmd's output

# NAME=VALUE pairs of a line of "report -R"; a value may hold blanks.
sub pairs {
	my ($text) = @_;
	my %v;
	$v{$1} = $2 while $text =~ /\b(\w+)=(.*?)(?= +\w+=|\s*$)/gs;
	return \%v;
}

# Reads are 0, and so are requests without data; an F before another letter is a separate flush.
my %RW = (R => 0, N => 0, W => 1, D => 1, F => 1);
sub rw { my ($rwbs) = @_; my ($l) = $rwbs =~ /^F?([A-Z])/; return $RW{$l} }

# [BLK_TA_* number, category bit] as linux/blktrace_api.h has them.
sub what { my ($nr, $bit) = @_; return $nr | ($bit ? 1 << $bit + 16 : 0) }

sub io {
	my ($what, $v) = @_;
	my $bytes = defined $v->{nr_sector} ? $v->{nr_sector} * 512 || $v->{bytes} // 0 : undef;
	return ($v->{dev}, $what, rw($v->{rwbs}), $v->{error} // 0, $v->{sector}, $bytes);
}

# trace-cmd does not extend the sign of a long of 4 bytes.
sub signed { my ($v, $long) = @_; return $long == 4 && $v >= 1 << 31 ? $v - (1 << 32) : $v }

# The name and the values of a stable event: from the fields of -R, the text of -N, the task, bytes of
# a long.
my %WANT = (
	sched_switch => sub { my ($v, $n) = @_;
		my ($letter, $plus) = $n =~ /prev_state=(\w)[\w|]*(\+?) ==> / or die "no state in: $n\n";
		return (switch => @$v{qw(prev_pid next_pid prev_comm)}, uc $letter eq 'X' ? 'X' : $letter,
			$plus ? 1 : 0, @$v{qw(next_comm prev_prio next_prio)}) },
	(map { my $what = $_; ("sched_$what" => sub { my ($v) = @_;
		return ($what => $v->{pid}, $v->{success} // 1, $v->{comm}, $v->{prio}, $v->{target_cpu} + 0) }) }
		qw(wakeup wakeup_new)),
	sched_waking => sub { my ($v) = @_; return (waking => @$v{qw(pid comm prio)}, $v->{target_cpu} + 0) },
	sched_waking => sub { my ($v) = @_; return (waking => @$v{qw(pid comm prio)}, $v->{target_cpu} + 0) },
	sched_migrate_task => sub { return (migrate_task => @{$_[0]}{qw(pid orig_cpu dest_cpu comm)}) },
	(map { my $what = $_; ("sched_$what" => sub { return ($what => @{$_[0]}{qw(pid comm)}) }) }
		qw(process_free process_exit process_wait)),
	sched_process_fork => sub {
		return (process_fork => @{$_[0]}{qw(parent_pid child_pid parent_comm child_comm)}) },
	sched_process_exec => sub { return (process_exec => @{$_[0]}{qw(pid old_pid filename)}) },
	signal_generate => sub { return (signal_send => @{$_[0]}{qw(sig pid comm code)}) },
	irq_handler_entry => sub { return (irq_enter => @{$_[0]}{qw(irq name)}) },
	irq_handler_exit => sub { return (irq_exit => @{$_[0]}{qw(irq ret)}) },
	(map { my ($raw, $what) = @$_; ($raw => sub { my ($v, $n) = @_;
		return ($what => $v->{vec}, $n =~ /action=(\w+)/) }) } ['softirq_entry', 'softirq_enter'],
		['softirq_exit', 'softirq_exit'], ['softirq_raise', 'softirq_raise']),
	timer_expire_entry => sub { return (timer => @{$_[0]}{qw(timer now function)}) },
	workqueue_queue_work => sub { return (insertion => undef, @{$_[0]}{qw(work function workqueue)}) },
	workqueue_execute_start => sub { return (execution => $_[2], @{$_[0]}{qw(work function)}) },
	workqueue_execute_end => sub { return (completion => $_[2], @{$_[0]}{qw(work function)}) },
	cpu_idle => sub { my ($v) = @_; return (idle => $v->{cpu_id}, $v->{state} == 4294967295 ? -1 : $v->{state}) },
	cpu_frequency => sub { return (frequency => @{$_[0]}{qw(cpu_id state)}) },
	net_dev_xmit => sub { return (xmit => @{$_[0]}{qw(skbaddr len name rc)}) },
	netif_receive_skb => sub { return (receive => @{$_[0]}{qw(skbaddr len name)}) },
	page_fault_user => sub { return (fault => @{$_[0]}{qw(address ip error_code)}, 1) },
	page_fault_kernel => sub { return (fault => @{$_[0]}{qw(address ip error_code)}, 0) },
	sys_enter => sub { return (sys_enter => $_[1] =~ /^NR (-?\d+) \((.*)\)/) },
	sys_exit => sub { my ($v) = @_; return (sys_exit => map { signed($_, $_[3]) } @$v{qw(id ret)}) },
	block_rq_insert => sub { my ($v) = @_;
		return (rq_insert => io(what(12, 4), $v), undef, undef, @$v{qw(rwbs comm)}) },
	block_rq_issue => sub { my ($v) = @_;
		return (rq_issue => io(what(7, 6), $v), undef, undef, @$v{qw(rwbs comm)}) },
	block_rq_complete => sub { my ($v) = @_; return (rq_complete => io(what(8, 7), $v), undef, undef, $v->{rwbs}) },
	block_rq_requeue => sub { my ($v) = @_; return (rq_requeue => io(what(6, 5), $v), undef, undef, $v->{rwbs}) },
	block_bio_queue => sub { my ($v) = @_; return (bio_queue => io(what(1, 4), $v), @$v{qw(rwbs comm)}) },
	block_bio_complete => sub { my ($v) = @_; return (bio_complete => io(what(8, 7), $v), $v->{rwbs}) },
	block_bio_backmerge => sub { my ($v) = @_; return (bio_backmerge => io(what(2, 4), $v), @$v{qw(rwbs comm)}) },
	block_bio_frontmerge => sub { my ($v) = @_; return (bio_frontmerge => io(what(3, 4), $v), @$v{qw(rwbs comm)}) },
	block_getrq => sub { my ($v) = @_; return (getrq => io(what(4, 4), $v), @$v{qw(rwbs comm)}) },
	block_split => sub { my ($v) = @_; return (split => io(what(13), $v), @$v{qw(new_sector rwbs comm)}) },
	block_bio_remap => sub { my ($v) = @_;
		return (remap => io(what(15, 4), $v), undef, undef, @$v{qw(old_dev old_sector rwbs)}) },
	block_plug => sub { return (plug => undef, what(9, 4), $_[0]{comm}) },
	block_unplug => sub { my ($v) = @_;
		return (unplug_io => undef, what(10, 4), 8, sprintf('%016x', $v->{nr_rq}), $v->{comm}, $v->{nr_rq}) },
);

# The records of "trace-cmd report OPTION": [pid, cpu, name, rest].  The name of a task may have a newline, and the text
# after it belongs to the same record.
sub stock_report {
	my ($option, $dat) = @_;
	my @out;
	for my $line (split /\n/, stock_text($dat, $option)) {
		if ($line =~ /-(\d+) +\[(\d+)\] +\d+\.\d+: (\w+): *(.*?) *$/) {
			push @out, [$1, $2 + 0, $3, $4];
		} elsif (@out && $line !~ /^\s*CPU[ :]*\d/) {
			$out[-1][3] .= "\n" . $line =~ s/ +$//r;
		}
	}
	return \@out;
}

# The size of a long on the recording machine: after the magic, the version and the byte order.
sub long_of {
	my ($dat) = @_;
	open my $fh, '<:raw', $dat or die "$dat: $!\n";
	read $fh, my $head, 64;
	my ($long) = $head =~ /^\x17\x08Dtracing\d+\0[\0\1]([\4\x08])/s or die "$dat: no trace.dat file\n";
	return ord $long;
}

my %seen;	# how many records of each kind were compared, over all files

sub stable_seen { return $seen{$_[0]} // 0 }

# The lines for a recording, and how many there are.
sub stable_wanted {
	my ($dat) = @_;
	my ($raw, $text) = map { stock_report($_, $dat) } '-R', '-N';
	die "$dat: -R and -N differ in length\n" if @$raw != @$text;
	my $long = long_of($dat);
	# A trace without this event has the wakeup in its place.
	my $no_waking = stock_text($dat, '-E') !~ /\bsched_waking\b/;
	my $out = '';
	for my $i (0 .. $#$raw) {
		my ($pid, $cpu, $name, $rest) = @{$raw->[$i]};
		my $want = $WANT{$name} or next;
		$text->[$i][2] eq $name or die "$dat: -R and -N differ in record $i\n";
		my ($what, @v) = $want->(pairs($rest), $text->[$i][3], $pid, $long);
		$seen{$what}++;
		$out .= join("\t", "$cpu $what", map { $_ // '-' } @v) . "\n";
		next if !$no_waking || $what ne 'wakeup' || !$v[1];
		$seen{waking}++;
		$out .= join("\t", "$cpu waking", map { $_ // '-' } @v[0, 2 .. 4]) . "\n";
	}
	return ($out, scalar(() = $out =~ /\n/g));
}

# ---------------------------------------------------------------- system calls

# Records of syscalls:sys_enter_X name the call and its number: an oracle for the names.  Their X is the kernel's
# function, which for some differs from the call's name.
my %FUNCTION = map { $_ => 1 } qw(newstat=stat newfstat=fstat newlstat=lstat newuname=uname
	sendfile64=sendfile umount=umount2 getuid=getuid32 getrlimit=ugetrlimit clock_gettime=clock_gettime64
	clock_gettime32=clock_gettime pselect6_time32=pselect6);

sub calls_of {
	my ($dat) = @_;
	my %name;
	for my $r (@{stock_report('-R', $dat)}) {
		next if $r->[2] !~ /^sys_enter_(\w+)$/;
		my $call = $1;
		$name{$1} = $call if $r->[3] =~ /^__syscall_nr=(\d+)/;
	}
	return \%name;
}

our $CALLS_SCRIPT = 'sub syscall::enter { $n{$_[4]} = $_[5] } sub syscall::exit { $x{$_[4]} = $_[5] }
	sub trace_end { print "$_ $n{$_}\n" for sort { $a <=> $b } keys %n;
		print "$_ $x{$_} of exit\n" for grep { exists $n{$_} && $x{$_} ne $n{$_} } sort keys %x }';

# The output of $CALLS_SCRIPT for a recording against that: (number of calls compared, the wrong ones).
sub calls_wrong {
	my ($dat, $out) = @_;
	my $oracle = calls_of($dat);
	my %got = map { split ' ', $_, 2 } split /\n/, $out;
	my ($both, @bad) = 0;
	for my $nr (sort { $a <=> $b } keys %$oracle) {
		my $call = $oracle->{$nr};
		next if !defined $got{$nr};	# raw_syscalls has no entry of this one
		$both++;
		push @bad, "$nr is $got{$nr}, not $call" if $got{$nr} ne $call && !$FUNCTION{"$call=$got{$nr}"};
	}
	return ($both, @bad);
}

1;
