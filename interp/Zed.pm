# SPDX-License-Identifier: GPL-2.0-or-later
package Zed;
use strict;
use warnings;

our $VERSION = '0.1';

# The functions themselves are defined by zedperl.
our @EXPORT_OK = qw(ts pid tid comm cpu event system name field fields common instance source lost lost_since
	lost_places lost_source pid_since source_index text symbol flag_str symbol_str comm_of events stop on off
	when takes plain callchain stack stack_symbols inlined start end window spans asked clock uname ncpus errno_name
	syscall_name dev duration synthetic metric metrics keep snapshot page_part timeline);

# The file FILE has handlers in packages of these names, given as Zed::handlers takes them.
sub _declare {
	my ($file, @systems) = @_;
	for my $system (map { split ' ' } map { ref eq 'ARRAY' ? @$_ : $_ // '' } @systems) {
		my $package = $system =~ s/[^\w:]/_/gr =~ s/^(?=\d)/_/r;
		next if _handlers($file, $package);
		require Carp;
		Carp::croak("Zed: '$system' cannot be a package of handlers");
	}
	return;
}

# What to call before the first event at or after a time: [ns, code], by time.
my @due;

sub when {
	my ($ts, $code) = @_;
	if (ref $code ne 'CODE' || !defined $ts || $ts !~ /\A\d+\z/) {
		require Carp;
		Carp::croak('usage: Zed::when(TS, sub {...})');
	}
	my $at = @due;
	$at-- while $at && $due[$at - 1][0] > $ts;
	splice @due, $at, 0, [$ts, $code];
	_when($due[0][0]);
	return;
}

sub _due {
	my ($ts) = @_;
	while (@due && $due[0][0] <= $ts) {
		my $code = (shift @due)->[1];
		# Before it, as it may die.
		_when($due[0][0]) if @due;
		$code->($ts);
	}
	return;
}

sub handlers {
	_declare((caller)[1], @_);
	return;
}

sub import {
	my ($class, @names) = @_;
	my ($to, $file) = caller;
	my %can = map { $_ => 1 } @EXPORT_OK;
	for my $i (reverse 0 .. $#names) {
		next if $names[$i] ne 'handlers';
		my $systems = (splice @names, $i, 2)[1];
		if (!grep { defined && /\S/ } ref $systems eq 'ARRAY' ? @$systems : ref $systems ? () : $systems) {
			require Carp;
			Carp::croak("Zed: handlers needs the names of systems: use Zed handlers => ['SYSTEM']; or " .
				"-MZed=handlers,SYSTEM");
		}
		_declare($file, $systems);
	}
	for my $name (map { $_ eq ':all' ? @EXPORT_OK : $_ } @names) {
		if (!$can{$name}) {
			require Carp;
			Carp::croak("Zed::$name is not exported: call it by that name")
				if $name =~ /^[a-z]\w*\z/ && defined &{"Zed::$name"};
			Carp::croak("Zed has no function '$name' (it has @EXPORT_OK); a system's handlers are " .
				"declared with "
				. "use Zed handlers => ['SYSTEM'];");
		}
		no strict 'refs';
		*{"${to}::$name"} = \&{"Zed::$name"};
	}
	return;
}

1;

__END__

=encoding utf8

=head1 NAME

Zed - the current event, for scripts that zedperl runs

=head1 SYNOPSIS

	use Zed;		# needs no path: zedperl carries it

	sub sched::sched_switch {
		my ($cpu, $secs, $nsecs, $sequence, $prev_comm, $prev_pid) = @_;

		$longest{$prev_pid} = Zed::ts() - $since{$prev_pid};
		print Zed::plain(Zed::comm() . ': ' . Zed::text()), "\n" if $verbose;
		Zed::stop() if ++$n == 1000;
	}

	Zed::on('sched:sched_wakeup', args => [qw(ts pid)], where => 'prio < 100', sub {
		my ($ts, $pid) = @_;

		$since{$pid} = $ts;
	});

=head1 DESCRIPTION

zedperl calls the sub C<subsystem::event> of a script for each event of a trace, with the arguments
C<($cpu, $secs, $nsecs, $sequence, FIELDS...)>. The functions below return everything that is not in
that list. They refer to the current event: the one whose handler is running. Outside of a handler
those that need an event die with C<Zed::NAME: no current event (call it from a handler)>; wrong
arguments die with a usage line. In C<trace_lost> the current event is the one after the loss,
except for losses that are reported after the last event.

The functions are available without C<use Zed>; C<use Zed qw(ts comm)> imports some of them, C<use
Zed ':all'> all. C<< use Zed handlers => ['mydrv'] >> declares handlers, as handlers() does.

=head1 FUNCTIONS

=head2 Of the event

=over

=item ts()

The time in ns as one integer, by the trace's clock (with --relative: since the first event).
C<$secs> and C<$nsecs> are this number split. For clocks that do not count ns (x86-tsc, counter) it
is their number of ticks.

=item pid(), tid()

The process id that the kernel recorded with the event (common_pid, which is the thread's): an
integer. 0 is the idle task.

=item comm()

The name of that process at the time of the event, as far as the trace shows (zedperl-scripts(7),
"Names of tasks"): a string. C<E<lt>idleE<gt>> for 0, C<E<lt>...E<gt>> where the trace has no name
for it.

=item cpu()

The number of the CPU whose buffer the event was in: an integer.

=item event(), system(), name()

C<sched::sched_switch>, C<sched> and C<sched_switch>: strings as in the trace. (Where a name has
bytes that no Perl name can have, the sub is called with C<_> for each; these functions return the
name unchanged.)

=item instance()

The name of the trace instance (buffer) that the event is from, or in trace_lost that lost the
events: a string, empty for the top one.

=item source()

The path of the input that the event is from: a string, as it was given to zedperl.

=item source_index()

The number of that input, from 0 in the order of the command line: an integer. Process ids are those
of one machine since it booted: where several inputs are read, (source_index(), pid()) identifies a
task.

=item lost()

The number of events of this CPU that were lost just before this one: an integer, 0 for none; undef
if some were lost and the kernel did not record how many.

=item stack([PART])

The stack that was recorded with the event: a list of addresses, the innermost first, the kernel's
before those of the program; with 'kernel' or 'user', only these. Empty if none was recorded; in
scalar context, their number. perf puts it into the event, ftrace writes it right after it.

=item stack_symbols([PART])

The same addresses, resolved: "schedule+0x2b", "malloc+0x1f" or "/usr/lib/libc.so.6+0x1234"
(perf.data), "0x7f0012". With B<--inline>, before the name of an address are those of the functions
that the compiler put into the code there: "min (inlined)"; so there may be more names than
addresses.

=item inlined(ADDRESS [, CALLER])

With B<--inline>, the names of the functions that the compiler put into the code at ADDRESS of the
event's program, the innermost first: a list, empty if there are none or it is not known; in scalar
context, their number. CALLER is true for an address that a call returns to: all of stack('user')
but the first.

=item callchain()

The older name of stack().

=item lost_since()

The time, in ns, of the last record of this CPU before that loss, whatever its event: the lost
events happened between then and ts(). undef if nothing was lost, if there was no record before the
loss, or if the input does not say (exported stable events; a loss in a perf.data that may be of any
CPU).

=item lost_places()

For trace_lost, where it is told a number that only the recorder's statistics show: at how many of
the gaps that it was called for with undef these events were lost, together with numbers told
before. 0: they were lost at unknown times. True if they were lost at gaps.

=item lost_source()

For trace_lost: the number of the input that lost the events, as from source_index(); also where
that dies, for losses that only the recorder's statistics show, which have no event.

=item pid_since()

Looks at all records of this CPU, with or without handlers. Returns the time of the first record
since which all belong to the task pid(); the time of the record before it, which belongs to another
task; and that task's pid. An empty list if the input does not record tasks (LTT traces, exported
events, with --tail); only the first time if there is no record before, or if it was lost. In scalar
context, the first time.

=back

=head2 Fields

=over

=item field(NAME)

The value of the field NAME as a handler gets it; common_pid and the other common fields work too.
undef if the event has no such field.

=item fields()

In list context all fields except the common ones as NAME => VALUE pairs in the format's order,
suitable for C<my %f = Zed::fields()>. In scalar context their number.

=item common(NAME)

The common field NAME, with or without its C<common_>: C<Zed::common('flags')>,
C<Zed::common('preempt_count')>. An integer; undef if this kernel has no such field.

=back

Values are: integers, with all 64 bits, signed where the kernel's field is; strings up to their
NUL for char arrays; strings of bytes for other arrays of one-byte items; references to arrays of
integers for arrays of 2, 4 and 8 byte items; strings like C<0,2-5> for CPU masks and bit masks.

=head2 Texts

=over

=item text()

The event as the kernel's own F<trace> file shows it after the event's name: a string, the same as
that of C<zedprint -f kernel>, whatever libraries are installed. It is not the text of C<trace-cmd
report>, which differs where plugins of libtraceevent print an event (sched_switch, kmem, function),
in pointers (C<0x> comes before them there), symbols (C<name+0x10/0x20 [module]> here) and system
calls (C<sys_read(fd: 3, ...)> here). Values known only to the traced kernel are shown as C<?>. This
is slower than fields.

=item symbol(ADDRESS)

The kernel's symbol that contains an address, or at an event of a perf.data the function that its
program has there. In scalar context, C<name> for its first byte and
C<name+0x1f> for others; in list context, (name, offset in bytes, module or undef). undef or an
empty list if there is none, or the trace has no symbols. Symbols are read at the first call.

=item flag_str([EVENT,] FIELD [, VALUE])

The names of the bits in VALUE (default: the field's value in the current event) by the table of the
event's print format, joined as there (C<GFP_KERNEL|__GFP_ZERO>), unnamed bits as hexadecimal at the
end: a string. Where the format masks the field first, other bits are left out, and if no flag is
set the result is the format's text for that: C<R> for sched_switch's prev_state 0. undef if the
format has no table for FIELD. EVENT is C<sched::sched_switch>, by default the current one.

=item symbol_str([EVENT,] FIELD [, VALUE])

The name of VALUE by the table of the event's print format (C<TIMER> for softirq vec 1): a string.
undef if there is no table or no such value in it.

=item plain(STRING)

STRING made safe for a terminal or a file of lines: C<\n> for a newline, C<\xNN> for each byte of
other control characters, of line separators and of marks that change the direction of writing;
letters stay, also non-ASCII ones in UTF-8. Handlers and these functions get the exact bytes of the
trace, and a task may choose any name, "\e[2J" or a line that looks like yours. undef for undef. A
backslash is not doubled.

=item comm_of(PID [, SOURCE])

The name of any process: a string, as comm(). Outside of an event: the last one. SOURCE is the input
that the process belongs to, as from source_index(): by default that of the event, outside of an
event the first. undef if there is no such input.

=back

=head2 Handlers by name

=over

=item on(EVENT, [args => [NAMES],] [where => EXPR,] [follows => 1,] [optional => 1,] sub {...})

The code is called for each event of that name, with the values of NAMES as its arguments. EVENT is
C<sched:sched_wakeup> or C<sched::sched_wakeup>, both parts may be shell-like patterns, or a system alone; a stable
event (C<sched:wakeup>) is named in full. NAMES are the event's own fields, its common_* fields, and cpu secs nsecs ts
sequence pid tid comm event instance source, in this order where two have one name (common_cpu and common_comm are
always the current CPU and task). pid, tid and comm of a stable event are those of the task that it is about: for a
wakeup, the one that is woken. Only these are decoded; without C<args> the code gets none. A field that the event lacks
is undef, and a warning says so once. EXPR is evaluated before Perl is entered; see zedperl(1), EXPRESSIONS.

With C<< follows => 1 >> it is also called for events that B<--start>, B<--end>, B<--around>, B<--common-window>,
B<--part>, B<--cpu>, B<--pid> and B<--comm> leave out: for code that tracks states, and cuts its answer to asked().
With C<< optional => 1 >> there is no message if the inputs have no such event. See Zed::Asked(3).

Several handlers of one event are called in the order in which they were added, after the sub that
is named after it. May be called at any time; takes effect from the next event on. Returns a number:
the argument for off(). Dies on an invalid EVENT or EXPR.

=item off(ID)

Stops calling that code, from the next event on. Returns true if it was registered.

=item when(TS, sub {...})

The code is called once, before the first event at or after the time TS (ns, as from ts()) that this
script gets; never if there is none.

=item takes(SUB, FIELDS)

Declares the fields that the sub SUB (C<sched::sched_wakeup>) was written for: it gets C<($cpu,
$secs, $nsecs, $sequence)> and then these fields, found by name. Fields that this trace lacks are
undef, and a message says so once; others are left out.

=item handlers(SYSTEMS)

The subs of these packages that are compiled from the calling file are handlers of the events of
these systems: C<Zed::handlers('mydrv')>, or as soon as the file is compiled C<< use Zed handlers =>
['mydrv', 'probes'] >>. For the systems of Linux the script itself needs no such line, a module
does; see L<zedperl-scripts(7)/What runs>. Dies on a name that cannot be a package of handlers, such
as C<main>.

=back

=head2 Events made of two

=over

=item synthetic(NAME, start => EVENTS, end => EVENTS, match => EXPR, [fields => [NAME => EXPR, ...],]
[abort => EVENTS, abort_match => EXPR])

Makes one event of two, in C: of a start and the first end after it for which C<match> is true, for example of a wakeup
and the switch to that task. Handlers and aggregations take it like any other event, with C<fields> computed from both.
Returns an object with the methods C<counts> and C<pending>. See L<zedperl-scripts(7)/SYNTHETIC EVENTS>.

=back

=head2 Aggregations

=over

=item count(EVENT), sum(EVENT, FIELD), min(), max(), avg(), stats(), hist(), lhist(), quantiles(), top()

Count, sum or sort events without a Perl call for each. With C<< by => EXPR >> or C<< by => [EXPR, ...] >> for each key,
and with C<< where => EXPR >>. They return an object that answers at any time: C<rows>, C<keys>, C<get>, C<total>,
C<print>, C<lost>, C<clear>, C<stop>, C<state>, C<merge>. In void context the results are printed after C<trace_end>.
See L<zedperl-scripts(7)/AGGREGATIONS>. They are not exported, as List::Util has functions of these names.

=back

=head2 Metrics

=over

=item metric(TYPE => NAME, [help => TEXT,] [labels => [NAMES],] [scale => 1e-9,] [max_series => N,]
[buckets => [LIMITS],] [from => AGGREGATION,] [value => WHAT])

A metric for B<--metrics>: an object with the methods inc, dec, set, observe and labels; TYPE is counter, gauge,
histogram or summary. zedperl-scripts(7) describes them all.

=item metrics([FORM])

All metrics as text: OpenMetrics, or with C<'prometheus'> the text format 0.0.4.

=back

=head2 Numbers

=over

=item errno_name(NUMBER [, SOURCE])

The name of an error number, negative or not: C<ENOENT> for 2 and -2: a string. Numbers are those of
the machine that the trace was recorded on, and include errors that only the kernel sees (from 512,
C<ERESTARTSYS>, to 531). undef for a number without a name.

=item syscall_name(NUMBER [, SOURCE])

The name of a system call's number on that machine: C<openat>: a string. undef if there is none, or
if the trace does not record its machine. The calls of a 32-bit program on a 64-bit kernel have
other numbers, and a trace does not mark them.

=item dev(NUMBER)

A C<dev> of an event as C<8:0>, major and minor: a string. (The kernel's own form, of 20 bits for
the minor; not that of C<stat>.)

=item duration(NANOSECONDS)

A time span with three digits and a unit: C<12.3 ms>, C<850 ns>, C<-1.50 s>: a string. undef unless
NANOSECONDS is a finite number. If the trace's clock does not count ns (x86-tsc, counter), times are
ticks: C<12345 ticks>.

=back

=head2 Of pages

=over

=item page_part(NAME)

One of the files that pages of B<--html> are made from (C<table.js>, C<page.css>, C<d3.min.js>): a
string of bytes. undef if the program was built without it. Zed::Page puts them together.

=item timeline()

Follows all CPUs and tasks from here on, for a picture: an object. Call it before the first event.
C<< $timeline->keep(FROM, TO, WEIGHT) >> keeps the single events from FROM to TO (ns): if there are
too many, those of the greatest WEIGHT. C<< $timeline->answer(EVENTS, HALVINGS) >> returns the data
that Zed::Page draws, with at most EVENTS single events: a reference to a hash, undef if there was
no event.

=back

=head2 Of the trace

Times are as from ts(). With several inputs SOURCE chooses one, numbered as by source_index().

=over

=item start([SOURCE]), end([SOURCE])

The times of the first and the last record, whatever is filtered: integers. Without SOURCE: of all
inputs. May be called at any time, also before the first event. undef if there is no record, and for
an input that is read as it arrives, from a pipe or live.

=item window()

The time in which all CPUs have data: a list of two integers, empty if there is no such time; in
scalar context the distance. CPUs without records do not count, nor those that --cpu leaves out.
B<--common-window> shows only this.

=item asked()

The part of the trace that is chosen: a reference to a hash with C<start> and C<end> (ns; missing
where it is open), C<cpus> and C<pids> (references to hashes with these as keys; undef: all),
C<comms> (a reference to an array of patterns; undef: all), C<part> (B<--part>: C<end> is the
beginning of the next part, unless C<last>; C<all_start> and C<all_end> are the limits of all parts
together), C<head> (B<--head>), C<every> (B<--every>), C<stopped> (true at the end, if the trace has
more), C<cut> (at the end, if the trace has more, and neither B<--head> nor the script asked for that:
C<interrupted> by a signal, C<died> in a handler, or C<failed>) and C<read> (then: the time of the
last event that was read; missing if none was), C<first> and C<seen> (the times of the first and the
last event delivered so far) and C<starves> (C<-F> or C<--event>, which leave out kinds of events).
Zed::Asked(3) uses it.

=item spans([SOURCE])

The time of the first and the last record of each CPU of an input: a list of references to hashes
with C<cpu>, C<instance>, C<start> and C<end>. CPUs without records are left out; the list is empty
for an input that is read as it arrives.

=item clock([SOURCE])

The clock of its times (C<local>, C<mono>): a string. By default of the event's input, outside of an
event of the first.

=item uname([SOURCE])

The recorded machine's uname (C<Linux host 6.18.0 x86_64>): a string, or undef.

=item ncpus([SOURCE])

The number of its CPUs; if the trace does not say, the least number that it must have.

=back

=head2 Of the run

=over

=item events([SOURCE])

The names (C<sched::sched_switch>) of all event types that the trace describes, sorted; in scalar
context their number. Of the input with the number SOURCE, if one is given. May be called at any
time, also from the main program.

=item stop()

Ends the run after this call of the handler: C<trace_end> runs, and the exit status is 0. It
returns. Dies in the main program, where C<exit> does that.

=item keep(FROM, TO)

With B<--cut> FILE: marks the time from FROM to TO to be kept in FILE, with every event of that
time. Times are as from ts(); a time before the trace's beginning means the beginning. May be called
at any time, also in trace_end, for any times, in any order. At the end of the run the trace is read
again and FILE is written. Dies without B<--cut>.

=item snapshot([FILE])

With B<--live --flight>: writes the newest events that the kernel has kept to FILE, a trace.dat, or
to the next free one of F<snapshot.000001.dat> and so on, and returns its name. Dies if it cannot,
or without B<--flight>.

=back

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=cut
