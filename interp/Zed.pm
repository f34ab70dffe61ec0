# SPDX-License-Identifier: GPL-2.0-or-later
package Zed;
use strict;
use warnings;

our $VERSION = '0.1';

# The functions themselves are defined by zedperl.
our @EXPORT_OK = qw(ts pid tid comm cpu event system name field fields common instance source lost lost_since
	lost_source pid_since source_index text symbol flag_str symbol_str comm_of events stop on off when takes plain
	callchain stack stack_symbols start end window spans asked clock uname ncpus errno_name syscall_name
	dev duration synthetic metric metrics keep snapshot page_part timeline);

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

# What is to be called before the first event at or after a time: [ns, code], by time.
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
C<($cpu, $secs, $nsecs, $sequence, FIELDS...)>. What is not in that list is asked for with the
functions below. They speak of the current event: the one whose handler is running. Outside of a
handler those that need an event die with C<Zed::NAME: no current event (call it from a handler)>;
wrong arguments die with a usage line. In C<trace_lost> the current event is the one after the loss,
except for losses that are reported after the last event.

The functions are there without C<use Zed>; C<use Zed qw(ts comm)> imports some of them, C<use Zed
':all'> all. C<< use Zed handlers => ['mydrv'] >> declares handlers, as handlers() does.

=head1 FUNCTIONS

=head2 Of the event

=over

=item ts()

The time in ns as one integer, as the trace's clock has it (with --relative: since the first
event). C<$secs> and C<$nsecs> are this number split. For clocks that do not count ns (x86-tsc,
counter) it is their number of ticks.

=item pid(), tid()

The process id that the kernel recorded with the event (common_pid, which is that of a thread): an
integer. 0 is the idle task.

=item comm()

The name of that process at the time of the event, as far as the trace tells (zedperl-scripts(7),
"Names of tasks"): a string. C<E<lt>idleE<gt>> for 0, C<E<lt>...E<gt>> where the trace has no name
for it.

=item cpu()

The number of the CPU whose buffer the event was in: an integer.

=item event(), system(), name()

C<sched::sched_switch>, C<sched> and C<sched_switch>: strings as the trace has them. (Where a name
has bytes that no Perl name can have, the sub is called with C<_> for each; these functions tell
the name unchanged.)

=item instance()

The name of the trace instance (buffer) that the event is from: a string, empty for the top one.

=item source()

The path of the input that the event is from: a string, as it was given to zedperl.

=item source_index()

The number of that input, from 0 in the order of the command line: an integer. Process ids are those
of one machine since its start: where several inputs are read, (source_index(), pid()) is a task.

=item lost()

How many events of this CPU were lost just before this one: an integer, 0 for none; undef if some
were lost and the kernel did not say how many.

=item stack([PART])

The stack that was recorded with the event: a list of addresses, the innermost first, the kernel's
before those of the program; with 'kernel' or 'user', only these. Empty if none was recorded; in
scalar context, how many there are. It is what perf puts into an event, and what ftrace writes right
after it.

=item stack_symbols([PART])

What these addresses are: "schedule+0x2b", "/usr/lib/libc.so.6+0x1234" (perf.data), "0x7f0012".

=item callchain()

The older name of stack().

=item lost_since()

The time, in ns, of the last record of this CPU before that loss, whatever its event: the loss hides
the time from then to ts(). undef if nothing was lost, if nothing came before the loss, or if the
input does not say (exported stable events; a loss that may be of any CPU of a perf.data).

=item lost_source()

For trace_lost: the number of the input that lost the events, as source_index() has it; also where that
dies, as only the recorder's statistics tell of them, after the last event.

=item pid_since()

The times of two records of this CPU, with or without handlers: of the first one since which all are
of the task pid(), and of the one before it, which was of another task; and that task's pid. An empty
list if the input does not record tasks (LTT traces, exported events, with --tail); only the first
time if there is no record before, or if it was lost. In scalar context, the first time.

=back

=head2 Fields

=over

=item field(NAME)

The value of the field NAME as a handler gets it; common_pid and its kind are fields too. undef if
the event has no such field.

=item fields()

In list context all fields but the common ones as NAME => VALUE pairs in the format's order, good
for C<my %f = Zed::fields()>. In scalar context their number.

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
calls (C<sys_read(fd: 3, ...)> here). What only the traced kernel knew is a C<?>. This is slower than
fields.

=item symbol(ADDRESS)

The kernel's symbol that holds an address. In scalar context, C<name> for its first byte and
C<name+0x1f> for others; in list context, (name, offset in bytes, module or undef). undef or an
empty list if there is none, or the trace has no symbols. Symbols are read at the first call.

=item flag_str([EVENT,] FIELD [, VALUE])

The names of the bits in VALUE (default: the field's value in the current event) by the table of
the event's print format, joined as there (C<GFP_KERNEL|__GFP_ZERO>), unnamed bits as hexadecimal
at the end: a string. Where the format masks the field first, other bits are left out, and what it
shows instead of no flags is shown: C<R> for sched_switch's prev_state 0. undef if the format has
no table for FIELD. EVENT is C<sched::sched_switch>, by default the current one.

=item symbol_str([EVENT,] FIELD [, VALUE])

The name of VALUE by the table of the event's print format (C<TIMER> for softirq vec 1): a string.
undef if there is no table or no such value in it.

=item plain(STRING)

STRING made safe for a terminal or a file of lines: C<\n> for a newline, C<\xNN> for each byte of
other control characters, of line separators and of marks that change the direction of writing;
letters stay, in UTF-8 as well. Handlers and these functions get the exact bytes of the trace, and a
task may call itself what it likes, "\e[2J" or a line that looks like yours. undef for undef. A
backslash is not doubled.

=item comm_of(PID [, SOURCE])

The name of any process: a string, as comm(). Outside of an event: the last one. SOURCE is the input
whose process is meant, as source_index() has it: by default that of the event, outside of one the
first. undef if there is no such input.

=back

=head2 Handlers by name

=over

=item on(EVENT, [args => [NAMES],] [where => EXPR,] [follows => 1,] sub {...})

The code is called for each event of that name, with the values of NAMES as its arguments. EVENT is
C<sched:sched_wakeup> or C<sched::sched_wakeup>, both parts may be shell-like patterns, or a system
alone; a stable event (C<sched:wakeup>) is named in full. NAMES are the event's own fields, its
common_* fields, and cpu secs nsecs ts sequence pid tid comm event instance source, in this order where two
have one name (common_cpu and common_comm are always the CPU and task at hand). pid, tid and comm
of a stable event are of the task that it speaks of: of a wakeup the one that is woken. Only these
are decoded; without C<args> the code gets none. A field that the event lacks is undef, and a
warning says so once. EXPR is evaluated before Perl is entered; see zedperl(1), EXPRESSIONS.

With C<< follows => 1 >> it is called for events outside of what B<--start>, B<--end>, B<--around>,
B<--common-window>, B<--part>, B<--cpu>, B<--pid> and B<--comm> choose as well: for code that follows states, and
cuts its answer to what asked() says. See Zed::Asked(3).

Several handlers of one event are called in the order in which they were added, after the sub that
is named after it. May be called at any time; holds from the next event on. Returns a number: its
argument for off(). Dies where EVENT or EXPR is wrong.

=item off(ID)

The code is no longer called, from the next event on. True if there was such a handler.

=item when(TS, sub {...})

The code is called once, before the first event at or after the time TS (ns, as ts() has it) that
this script gets; not at all if there is none.

=item takes(SUB, FIELDS)

The sub SUB (C<sched::sched_wakeup>) is written for these fields: it gets C<($cpu, $secs, $nsecs,
$sequence)> and then these fields, found by name. Those that this trace lacks are undef, and a message
says so once; others are left out.

=item handlers(SYSTEMS)

The subs of these packages that are compiled from the calling file are handlers of the events of
these systems: C<Zed::handlers('mydrv')>, or as soon as the file is compiled C<< use Zed handlers =>
['mydrv', 'probes'] >>. For the systems of Linux the script itself needs no such line, a module
does; see L<zedperl-scripts(7)/What runs>. Dies where a name can be no package of handlers, as
C<main>.

=back

=head2 Aggregations

=over

=item count(EVENT), sum(EVENT, FIELD), min(), max(), avg(), stats(), hist(), lhist(), quantiles(), top()

What is counted, added up or sorted without a call for each event. With C<< by => EXPR >> or C<< by =>
[EXPR, ...] >> for each key, and with C<< where => EXPR >>. They return an object that answers at any
time: C<rows>, C<keys>, C<get>, C<total>, C<print>, C<lost>, C<clear>, C<stop>, C<state>, C<merge>. Called
for no value (in void context), they are printed after C<trace_end>. See
L<zedperl-scripts(7)/AGGREGATIONS>. They are not exported, as List::Util has functions of these names.

=back

=head2 Numbers

=over

=item errno_name(NUMBER [, SOURCE])

The name of an error number, negative or not: C<ENOENT> for 2 and -2: a string. Numbers are those of
the machine that the trace was recorded on, and include what only the kernel knows (512,
C<ERESTARTSYS>, to 531). undef for a number without a name.

=item syscall_name(NUMBER [, SOURCE])

The name of a system call's number on that machine: C<openat>: a string. undef where there is none,
or the trace does not tell its machine. The calls of a 32-bit program on a 64-bit kernel have other
numbers, which a trace does not mark.

=item dev(NUMBER)

A C<dev> of an event as C<8:0>, major and minor: a string. (The kernel's own form, of 20 bits for
the minor; not that of C<stat>.)

=item duration(NANOSECONDS)

A time span with three digits and a unit: C<12.3 ms>, C<850 ns>, C<-1.50 s>: a string. undef for
what is no finite number.

=back

=head2 Of pages

=over

=item page_part(NAME)

A file of what pages of B<--html> are made of (C<table.js>, C<page.css>, C<d3.min.js>): a string of
bytes. undef if the program was built without it. Zed::Page puts them together.

=item timeline()

Follows all CPUs and tasks from here on, for a picture: an object. Call it before the first event.
C<< $timeline->keep(FROM, TO, WEIGHT) >> keeps the single events from FROM to TO (ns): of those that
are too many, the ones of the greatest WEIGHT. C<< $timeline->answer(EVENTS, HALVINGS) >> is what
Zed::Page draws, with so many single events at most: a reference to a hash, undef if no event has come.

=item metric(TYPE => NAME, [help => TEXT,] [labels => [NAMES],] [scale => 1e-9,] [max_series => N,]
[buckets => [LIMITS],] [from => AGGREGATION,] [value => WHAT])

A metric for B<--metrics>: an object with the methods inc, dec, set, observe and labels; TYPE is counter, gauge,
histogram or summary. zedperl-scripts(7) has them all.

=item metrics([FORM])

All metrics as text: OpenMetrics, or with C<'prometheus'> the text format 0.0.4.

=back

=head2 Of the trace

Times are as ts() has them. Of several inputs SOURCE chooses one, as source_index() has it.

=over

=item start([SOURCE]), end([SOURCE])

The times of the first and the last record, whatever is filtered: integers. Without SOURCE: of all
inputs. May be called at any time, also before the first event. undef if there is no record, and for
what is read as it comes, from a pipe or live.

=item window()

From when to when all CPUs have data: a list of two integers, empty if there is no such time; in
scalar context the distance. CPUs without records do not count, nor those that --cpu leaves out.
B<--common-window> shows only this.

=item asked()

Which part of the trace is asked for: a reference to a hash with C<start> and C<end> (ns; missing
where it is open), C<cpus> and C<pids> (references to hashes with these as keys; undef: all), C<comms>
(a reference to an array of patterns; undef: all), C<part> (B<--part>: C<end> is where the next part
begins, unless C<last>; C<all_start> and C<all_end> are what all parts are of), C<head> (B<--head>),
C<every> (B<--every>), C<first> and C<seen> (the times of the first and the last event until now
that were given) and C<starves> (C<-F> or C<--event>, which leave out kinds of events). Zed::Asked(3)
makes use of it.

=item spans([SOURCE])

When the records of each CPU of an input begin and end: a list of references to hashes with C<cpu>,
C<instance>, C<start> and C<end>. CPUs without records are left out; the list is empty for what is
read as it comes.

=item clock([SOURCE])

The clock of its times (C<local>, C<mono>): a string. By default of the event's input, outside of
one of the first.

=item uname([SOURCE])

What the recorded machine calls itself (C<Linux host 6.18.0 x86_64>): a string, or undef.

=item ncpus([SOURCE])

How many CPUs it has; where the trace does not tell, as many as it must have.

=back

=head2 Of the run

=over

=item events()

The names (C<sched::sched_switch>) of all event types that the trace describes, sorted; in scalar
context their number. May be called at any time, also from the main program.

=item stop()

Ends the run after this call of the handler: C<trace_end> runs, and the exit status is 0. It
returns. Dies in the main program, where C<exit> does that.

=item keep(FROM, TO)

With B<--cut> FILE: marks the time from FROM to TO to be kept in FILE, with every event of that time.
Times are as ts() has them; one before the trace's beginning means the beginning. May be called at
any time, also in trace_end, for any times, in any order. Once the run is over, the trace is read
again and FILE is written. Dies without B<--cut>.

=item snapshot([FILE])

With B<--live --flight>: writes the newest events, as the kernel has them, to FILE, a trace.dat, or
to the next free one of F<snapshot.000001.dat> and so on, and returns its name. Dies if it cannot,
or where nothing is kept.

=back

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=cut
