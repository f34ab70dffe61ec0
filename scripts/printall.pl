#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# printall.pl: every event of a trace, one line each, with the well-known ones decoded.
# zedtrace: sched block workqueue
# zedperl: is made of *:*
# zedperl: is about print dump text

use strict;
use warnings;

use Zed;

sub print_header
{
	my ($event, $cpu, $secs, $nsecs, $sequence) = @_;

	printf "%-36s %3d %6d.%09d %8d ", Zed::plain($event), $cpu, $secs, $nsecs, $sequence;
}

# The rest of a line. Names are untrusted: none of them may control the terminal or look like a line.
sub print_rest
{
	print Zed::plain(join '', @_), "\n";
}

# A device number of a trace record: the kernel's own packing, 20 bits of minor number.
sub dev
{
	my ($dev) = @_;

	return sprintf '%d,%d', $dev >> 20, $dev & 0xfffff;
}

# The function at an address; the address itself if the trace has no name for it.
sub function
{
	my ($address) = @_;

	return Zed::symbol($address) // sprintf '0x%x', $address;
}

sub value
{
	my ($value) = @_;

	return '(none)' unless defined $value;
	return '{' . join(',', map { "$_=" . value($value->{$_}) } sort keys %$value) . '}' if ref $value eq 'HASH';
	return '[' . join(',', map { value($_) } @$value) . ']' if ref $value;
	# A value with the upper bit of 64 set is almost always an address of the kernel.
	return sprintf '0x%x', $value if $value =~ /^\d{19,}$/ && $value >= 1 << 63;
	$value =~ s/([^\x20-\x7e])/sprintf '\\x%02x', ord $1/ge;
	return $value;
}

# The value of the field NAME. Fields with these names are addresses of code.
my %is_code = map { $_ => 1 } qw(function ip parent_ip call_site);

sub named
{
	my ($name, $value) = @_;

	return function($value) if $is_code{$name} && defined $value && $value =~ /^\d+$/;
	return value($value);
}

# Handlers of events that this trace does not describe: zedperl would take their names for misspelt.
sub drop_absent
{
	my %described = map { $_ => 1 } Zed::events();

	no strict 'refs';
	for my $system (qw(sched block workqueue)) {
		my $package = \%{"${system}::"};

		delete @$package{grep { !$described{"${system}::$_"} } keys %$package};
	}
}

sub trace_begin
{
	drop_absent();
	printf "%-36s %3s %16s %8s\n", qw(event cpu timestamp sequence);
	printf "%-36s %3s %16s %8s\n", '-----', '---', '---------', '--------';
}

sub trace_lost
{
	my ($cpu, $count) = @_;

	printf "lost: %s event(s) of cpu %d\n", $count // 'an unknown number of', $cpu;
}

# Events that have no handler below: all their fields by name.
sub trace_unhandled
{
	my ($event, $cpu, $secs, $nsecs, $sequence) = @_;
	my @fields = Zed::fields();
	my @shown;

	print_header($event, $cpu, $secs, $nsecs, $sequence);
	while (my ($name, $value) = splice @fields, 0, 2) {
		push @shown, "$name=" . named($name, $value);
	}
	print_rest("@shown");
}

# ---------------------------------------------------------------------- sched
#
# Zed::takes declares the fields that a handler is written for. Kernels added some in the middle of events and dropped
# others; by name they are found on all of them.

Zed::takes('sched::sched_switch', qw(prev_comm prev_pid prev_prio prev_state
	next_comm next_pid next_prio));

sub sched::sched_switch
{
	my ($cpu, $secs, $nsecs, $sequence, $prev_comm, $prev_pid, $prev_prio, $prev_state,
	    $next_comm, $next_pid, $next_prio) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest("prev_pid=$prev_pid [$prev_comm] prio=$prev_prio state=", state($prev_state),
		" ==> next_pid=$next_pid [$next_comm] prio=$next_prio");
}

# prev_state in the letters of the kernel. A task that was preempted has a bit of its own, without a letter, and no
# other: it could have continued to run.
sub state
{
	my ($state) = @_;
	my $letters = Zed::flag_str('prev_state', $state) // return $state;

	return $letters eq 'R' && $state ? 'R+' : $letters;
}

# Before 5.14 they have a field "success" before the target.
Zed::takes("sched::$_", qw(comm pid prio target_cpu))
	for qw(sched_waking sched_wakeup sched_wakeup_new);

sub print_wakeup
{
	my ($event, $cpu, $secs, $nsecs, $sequence, $comm, $pid, $prio, $target) = @_;

	print_header($event, $cpu, $secs, $nsecs, $sequence);
	print_rest("wake_pid=$pid [$comm] prio=$prio target_cpu=", value($target));
}

sub sched::sched_waking     { print_wakeup((caller(0))[3], @_) }
sub sched::sched_wakeup     { print_wakeup((caller(0))[3], @_) }
sub sched::sched_wakeup_new { print_wakeup((caller(0))[3], @_) }

Zed::takes('sched::sched_migrate_task', qw(comm pid prio orig_cpu dest_cpu));

sub sched::sched_migrate_task
{
	my ($cpu, $secs, $nsecs, $sequence, $comm, $pid, $prio, $orig_cpu, $dest_cpu) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest("pid=$pid [$comm] prio=$prio cpu $orig_cpu ==> $dest_cpu");
}

Zed::takes('sched::sched_process_fork', qw(parent_comm parent_pid child_comm child_pid));

sub sched::sched_process_fork
{
	my ($cpu, $secs, $nsecs, $sequence, $parent_comm, $parent_pid, $child_comm, $child_pid) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest("parent_pid=$parent_pid [$parent_comm] child_pid=$child_pid [$child_comm]");
}

Zed::takes("sched::$_", qw(comm pid prio))
	for qw(sched_process_exit sched_process_wait sched_process_free);

sub print_process
{
	my ($event, $cpu, $secs, $nsecs, $sequence, $comm, $pid, $prio) = @_;

	print_header($event, $cpu, $secs, $nsecs, $sequence);
	print_rest("pid=$pid [$comm] prio=$prio");
}

sub sched::sched_process_exit { print_process((caller(0))[3], @_) }
sub sched::sched_process_wait { print_process((caller(0))[3], @_) }
sub sched::sched_process_free { print_process((caller(0))[3], @_) }

# ---------------------------------------------------------------------- block
#
# In brackets: the task that asked, or the error.

Zed::takes("block::$_", qw(dev sector nr_sector rwbs comm))
	for qw(block_bio_queue block_bio_backmerge block_bio_frontmerge block_getrq block_rq_insert
	       block_rq_issue block_rq_merge);
Zed::takes("block::$_", qw(dev sector nr_sector rwbs))
	for qw(block_bio_complete block_rq_complete block_rq_requeue);

sub print_io
{
	my ($event, $cpu, $secs, $nsecs, $sequence, $dev, $sector, $nr_sector, $rwbs, $last) = @_;

	print_header($event, $cpu, $secs, $nsecs, $sequence);
	printf "dev=%s pid=%d rwbs=%s sector+size=%s + %d", dev($dev), Zed::pid(),
		Zed::plain($rwbs), $sector, $nr_sector;
	print " [$last]" if defined $last;
	print "\n";
}

# The field was called errors up to 4.x.
sub error { Zed::field('error') // Zed::field('errors') // '' }

sub block::block_bio_queue      { print_io((caller(0))[3], @_) }
sub block::block_bio_backmerge  { print_io((caller(0))[3], @_) }
sub block::block_bio_frontmerge { print_io((caller(0))[3], @_) }
sub block::block_getrq          { print_io((caller(0))[3], @_) }
sub block::block_rq_insert      { print_io((caller(0))[3], @_) }
sub block::block_rq_issue       { print_io((caller(0))[3], @_) }
sub block::block_rq_merge       { print_io((caller(0))[3], @_) }
sub block::block_rq_requeue     { print_io((caller(0))[3], @_) }
sub block::block_bio_complete   { print_io((caller(0))[3], @_, error()) }
sub block::block_rq_complete    { print_io((caller(0))[3], @_, error()) }

Zed::takes("block::$_", qw(dev sector nr_sector old_dev old_sector rwbs))
	for qw(block_bio_remap block_rq_remap);

sub print_remap
{
	my ($event, $cpu, $secs, $nsecs, $sequence, $dev, $sector, $nr_sector, $old_dev,
	    $old_sector, $rwbs) = @_;

	print_header($event, $cpu, $secs, $nsecs, $sequence);
	print_rest(sprintf "dev=%s pid=%d rwbs=%s %s + %d <- r.dev=(%s) r.sector=%s", dev($dev),
		Zed::pid(), $rwbs, $sector, $nr_sector, dev($old_dev), $old_sector);
}

sub block::block_bio_remap { print_remap((caller(0))[3], @_) }
sub block::block_rq_remap  { print_remap((caller(0))[3], @_) }

Zed::takes('block::block_split', qw(dev sector new_sector rwbs comm));

sub block::block_split
{
	my ($cpu, $secs, $nsecs, $sequence, $dev, $sector, $new_sector, $rwbs, $comm) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest(sprintf "dev=%s pid=%d rwbs=%s sector=%s / %s [%s]", dev($dev), Zed::pid(), $rwbs,
		$sector, $new_sector, $comm);
}

Zed::takes('block::block_plug', qw(comm));

sub block::block_plug
{
	my ($cpu, $secs, $nsecs, $sequence, $comm) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest(sprintf "pid=%d [%s]", Zed::pid(), $comm);
}

Zed::takes('block::block_unplug', qw(nr_rq comm));

sub block::block_unplug
{
	my ($cpu, $secs, $nsecs, $sequence, $nr_rq, $comm) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest(sprintf "pid=%d [%s] %d", Zed::pid(), $comm, $nr_rq);
}

# ---------------------------------------------------------------------- workqueue

Zed::takes('workqueue::workqueue_queue_work', qw(work function workqueue cpu));

sub workqueue::workqueue_queue_work
{
	my ($cpu, $secs, $nsecs, $sequence, $work, $function, $workqueue, $wq_cpu) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest(sprintf "pid=%d work=0x%x function=%s workqueue=%s wq_cpu=%d", Zed::pid(), $work,
		function($function), value($workqueue), $wq_cpu);
}

sub workqueue::workqueue_activate_work
{
	my ($cpu, $secs, $nsecs, $sequence, $work) = @_;

	print_header((caller(0))[3], $cpu, $secs, $nsecs, $sequence);
	print_rest(sprintf "pid=%d work=0x%x", Zed::pid(), $work);
}

sub print_execute
{
	my ($event, $cpu, $secs, $nsecs, $sequence, $work, $function) = @_;

	print_header($event, $cpu, $secs, $nsecs, $sequence);
	printf "pid=%d work=0x%x", Zed::pid(), $work;
	# workqueue_execute_end has it since 5.6.
	print ' function=', Zed::plain(function($function)) if defined $function;
	print "\n";
}

sub workqueue::workqueue_execute_start { print_execute((caller(0))[3], @_) }
sub workqueue::workqueue_execute_end   { print_execute((caller(0))[3], @_) }

__END__

=head1 NAME

printall.pl - print every event of a trace, one line each

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<printall.pl>

=head1 DESCRIPTION

Prints each event with its CPU, time and sequence number. The well-known events of the systems
sched, block and workqueue are decoded: devices as major,minor, task states as letters,
functions by name. All others show every field as name=value.

Copy the handlers that you need: each shows the arguments of its event. To print a trace,
B<zedprint> is faster.

=head1 RECORD

    zedtrace sched block workqueue -d 10
    trace-cmd record -e sched -e block -e workqueue sleep 10

Any other events do as well.

=head1 OUTPUT

    event                                cpu        timestamp sequence
    -----                                ---        --------- --------
    block::block_rq_issue                  1      7.730706569        3 dev=253,16 pid=158 rwbs=RM sector+size=2 + 2 [mount]
    block::block_rq_complete               1      7.731067979        4 dev=253,16 pid=0 rwbs=RM sector+size=2 + 2 [0]

=over

=item timestamp

Seconds and nanoseconds of the trace's clock; with B<zedperl --relative> from the first event.

=item sequence

Counts the records of a CPU from 1, lost ones included, so that a gap is a loss.

=item pid

The task that was running at the time of the event.

=item sector+size

The first sector and the number of sectors of 512 bytes; then, in brackets, the task that asked, or,
for completions, the error (0: none).

=item name=value

The fields function, ip, parent_ip and call_site are shown by the function's name, with the
offset in it. Values with the upper bit of 64 set are shown in hexadecimal, as they are
addresses of the kernel; other numbers in decimal; arrays in brackets; structures in braces; values
of an enumeration by their names. Bytes that are not
printable ASCII are written C<\xNN>.

=item lost: N event(s) of cpu C

The kernel dropped events of that CPU here.

=back

=head1 EXAMPLES

Block requests of one task, times from the beginning of the trace:

    zedperl --relative --pid 158 block.dat printall.pl | grep block_rq

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), zedprint(1)

=head1 LICENCE

GPL-2.0-or-later

=cut
