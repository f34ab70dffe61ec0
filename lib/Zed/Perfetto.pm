# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perfetto: a script's own tracks, slices, counters and flows for the Perfetto UI. A file of packets: the output of
# zedprint -f perfetto and of this module can follow one another in a file.
package Zed::Perfetto;
use strict;
use warnings;
use Fcntl qw(O_WRONLY O_CREAT O_TRUNC O_APPEND);

our $VERSION = '0.1';

my $BUFFERED = 65_536;	# bytes that are kept before they are written

# protos/perfetto/trace: trace_packet, track_event/track_descriptor, track_event/track_event, debug_annotation.  Flows
# have the older of two forms, which every version reads.
my %PACKET = (timestamp => 8, sequence => 10, event => 11, flags => 13, cleared => 41, track => 60);
my %TRACK = (uuid => 1, name => 2, thread => 4, parent => 5, counter => 8);
my %EVENT = (args => 4, type => 9, track => 11, categories => 22, name => 23, value => 30, flow => 36, flow_end => 42,
	double => 44);
my %TYPE = (begin => 1, end => 2, instant => 3, counter => 4);
my %UNIT = (ns => 1, count => 2, bytes => 3);

sub _croak {
	my ($text) = @_;
	require Carp;
	local @Carp::CARP_NOT = (__PACKAGE__, 'Zed::Perfetto::Track', 'Zed::Perfetto::Counter');
	return Carp::croak("Zed::Perfetto: $text");
}

# ---- protocol buffers ----

sub _varint {
	my ($v) = @_;
	my $out = '';
	for ($v = $v & ~0; $v > 127; $v >>= 7) {
		$out .= chr($v & 127 | 128);
	}
	return $out . chr $v;
}

sub _uint { return _varint($_[0] << 3) . _varint($_[1]) }
sub _double { return _varint($_[0] << 3 | 1) . pack 'd<', $_[1] }
sub _bytes { return _varint($_[0] << 3 | 2) . _varint(length $_[1]) . $_[1] }

# A string is plain UTF-8, whatever the name of a task is.
sub _text {
	my ($field, $text) = @_;
	$text = Zed::plain($text);
	utf8::encode($text) if utf8::is_utf8($text);
	my $is_utf8 = $text;
	$text =~ s/([\x80-\xff])/sprintf '\x%02x', ord $1/ge unless utf8::decode($is_utf8);
	return _bytes($field, $text);
}

sub _is_integer { return $_[0] =~ /\A-?\d{1,18}\z/ }
sub _is_number { return $_[0] =~ /\A[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\z/ }

sub _time {
	my ($ts) = @_;
	_croak('a time is a number of ns, as Zed::ts() has it') unless defined $ts && _is_number($ts) && $ts >= 0;
	return _is_integer($ts) ? $ts : int $ts;
}

# ---- the file ----

my $writers = 0;

sub new {
	my ($class, $path, %o) = @_;
	_croak('new(FILE) or new(FILE, append => 1)') unless defined $path && length $path;
	sysopen my $fh, $path, O_WRONLY | O_CREAT | ($o{append} ? O_APPEND : O_TRUNC), oct 600 or _croak("$path: $!");
	binmode $fh;
	# Two writers of one file use different numbers, and zedprint has 1 and 2.
	my $sequence = 256 + ((($$ << 12) ^ (time << 4) ^ ++$writers) & 0x3fffffff);
	my $self = bless { path => $path, fh => $fh, out => '', sequence => $sequence, tracks => 0, flows => 0 },
		$class;
	$self->_packet(_uint($PACKET{flags}, 1) . _uint($PACKET{cleared}, 1));
	return $self;
}

sub _write {
	my ($self) = @_;
	while (length $self->{out}) {
		my $n = syswrite $self->{fh}, $self->{out};
		_croak("$self->{path}: $!") unless defined $n || $!{EINTR};
		substr $self->{out}, 0, $n // 0, '';
	}
	return;
}

sub _packet {
	my ($self, $fields) = @_;
	_croak("$self->{path} is closed") unless $self->{fh};
	$self->{out} .= _bytes(1, $fields . _uint($PACKET{sequence}, $self->{sequence}));
	_write($self) if length $self->{out} > $BUFFERED;
	return;
}

sub close {	## no critic (ProhibitBuiltinHomonyms, ProhibitAmbiguousNames)
	my ($self) = @_;
	return unless $self->{fh};
	_write($self);
	CORE::close(delete $self->{fh}) or _croak("$self->{path}: $!");
	return;
}

sub DESTROY {
	my ($self) = @_;
	local ($@, $!);
	eval { $self->close; 1 } or warn $@;
	return;
}

# ---- tracks ----

# A new track's number.
sub _track {
	my ($self, $fields) = @_;
	my $uuid = $self->{sequence} << 24 | ++$self->{tracks};
	$self->_packet(_bytes($PACKET{track}, _uint($TRACK{uuid}, $uuid) . $fields));
	return $uuid;
}

# The parent of a track: another one, or a thread's lane.
sub _parent {
	my ($self, %o) = @_;
	return _uint($TRACK{parent}, $o{parent}{uuid}) if $o{parent};
	return '' unless defined $o{tid};
	my $thread = $self->{threads}{$o{tid}} //=
		_track($self, _bytes($TRACK{thread}, _uint(1, $o{pid} // $o{tid}) . _uint(2, $o{tid})));
	return _uint($TRACK{parent}, $thread);
}

sub track {
	my ($self, $name, %o) = @_;
	_croak('track(NAME, tid => TID) or track(NAME, parent => TRACK)') unless defined $name;
	my $fields = _text($TRACK{name}, $name) . $self->_parent(%o);
	return bless { of => $self, fields => $fields, uuid => _track($self, $fields), lanes => [], open => 0 },
		'Zed::Perfetto::Track';
}

sub counter {
	my ($self, $name, %o) = @_;
	_croak('counter(NAME, unit => UNIT)') unless defined $name;
	my $unit = !defined $o{unit} ? '' : $UNIT{$o{unit}} ? _uint(3, $UNIT{$o{unit}}) : _text(6, $o{unit});
	my $fields = _text($TRACK{name}, $name) . $self->_parent(%o) . _bytes($TRACK{counter}, $unit);
	return bless { of => $self, uuid => _track($self, $fields) }, 'Zed::Perfetto::Counter';
}

sub flow { return $_[0]{sequence} << 24 | ++$_[0]{flows} }

sub _event {
	my ($self, $ts, $type, $uuid, $more) = @_;
	return $self->_packet(_uint($PACKET{timestamp}, $ts) .
		_bytes($PACKET{event}, _uint($EVENT{type}, $TYPE{$type}) . _uint($EVENT{track}, $uuid) . $more));
}

# The name of a slice and its data.
sub _details {
	my ($name, $args, %o) = @_;
	my $out = _text($EVENT{name}, $name // '');
	$out .= _text($EVENT{categories}, $o{category}) if defined $o{category};
	$out .= _uint($EVENT{flow}, $_) for map { ref ? @$_ : $_ // () } $o{flow};
	$out .= _uint($EVENT{flow_end}, $_) for map { ref ? @$_ : $_ // () } $o{flow_end};
	for my $key (sort keys %{$args // {}}) {
		my $v = $args->{$key} // next;
		$out .= _bytes($EVENT{args}, (_is_integer($v) ? _uint(4, $v) : _is_number($v) ? _double(5, $v)
			: _text(6, $v)) . _text(10, $key));
	}
	return $out;
}

package Zed::Perfetto::Track;	## no critic (ProhibitMultiplePackages)
use strict;
use warnings;

sub begin {
	my ($self, $ts, $name, $args, %o) = @_;
	$self->{open}++;
	return $self->{of}->_event(Zed::Perfetto::_time($ts), 'begin', $self->{uuid},
		Zed::Perfetto::_details($name, $args, %o));
}

sub end {
	my ($self, $ts) = @_;
	return unless $self->{open};
	$self->{open}--;
	return $self->{of}->_event(Zed::Perfetto::_time($ts), 'end', $self->{uuid}, '');
}

sub instant {
	my ($self, $ts, $name, $args, %o) = @_;
	return $self->{of}->_event(Zed::Perfetto::_time($ts), 'instant', $self->{uuid},
		Zed::Perfetto::_details($name, $args, %o));
}

# Slices of one track may not overlap: an overlapping one is put on a further track of the same name, which the UI shows
# below.
sub slice {
	my ($self, $from, $to, $name, $args, %o) = @_;
	($from, $to) = map { Zed::Perfetto::_time($_) } $from, $to;
	Zed::Perfetto::_croak('slice(FROM, TO, NAME): FROM is later than TO') if $from > $to;
	my $lanes = $self->{lanes};
	push @$lanes, { uuid => $self->{uuid}, to => 0 } unless @$lanes;
	my ($lane) = grep { $_->{to} <= $from } @$lanes;
	if (!$lane) {
		$lane = { uuid => $self->{of}->_track($self->{fields}), to => 0 };
		push @$lanes, $lane;
	}
	$lane->{to} = $to;
	$self->{of}->_event($from, 'begin', $lane->{uuid}, Zed::Perfetto::_details($name, $args, %o));
	return $self->{of}->_event($to, 'end', $lane->{uuid}, '');
}

package Zed::Perfetto::Counter;	## no critic (ProhibitMultiplePackages)
use strict;
use warnings;

sub value {
	my ($self, $ts, $v) = @_;
	Zed::Perfetto::_croak('value(TS, NUMBER)') unless defined $v && Zed::Perfetto::_is_number($v);
	return $self->{of}->_event(Zed::Perfetto::_time($ts), 'counter', $self->{uuid},
		Zed::Perfetto::_is_integer($v) ? Zed::Perfetto::_uint($EVENT{value}, $v)
		: Zed::Perfetto::_double($EVENT{double}, $v));
}

1;

__END__

=head1 NAME

Zed::Perfetto - tracks, slices, counters and flows of your own in the Perfetto UI

=head1 SYNOPSIS

    use Zed::Perfetto;

    my $perfetto = Zed::Perfetto->new('waits.pftrace');
    my $track = $perfetto->track('waits for the disk');
    my $depth = $perfetto->counter('queue depth', unit => 'count');

    $track->slice($from, $to, 'read', { sector => 2048 });
    $depth->value($ts, 3);
    $perfetto->close;

=head1 DESCRIPTION

Draws a script's results beside the trace: C<zedprint -f perfetto> shows what was recorded, this
shows what it means. Its file can be opened alone or be appended to that of B<zedprint>, as such
files may be concatenated. With a script F<waits.pl> such as

=for file waits.pl

    use Zed;
    use Zed::Perfetto;

    my $perfetto = Zed::Perfetto->new('waits.pftrace');
    my (%track, %since);

    Zed::on('sched:waking', args => [qw(ts pid)], sub { $since{$_[1]} //= $_[0] });
    Zed::on('sched:switch', args => [qw(ts next_pid next_comm)], sub {
        my ($ts, $pid, $comm) = @_;
        my $since = delete $since{$pid} // return;
        ($track{$comm} //= $perfetto->track("waits of $comm"))->slice($since, $ts, 'waits for a CPU');
    });
    sub trace_end { $perfetto->close }

these commands make a picture of the trace and of the script's results:

    zedprint -f perfetto trace.dat > trace.pftrace
    zedperl trace.dat waits.pl                        # writes waits.pftrace
    cat trace.pftrace waits.pftrace > both.pftrace

With C<< append => 1 >> the script itself adds to the first file. Times are ns, as from
C<Zed::ts()>; if B<zedperl> runs with B<--relative>, B<zedprint> needs it too. Names and texts may
be anything, such as names of tasks: they are made plain.

=head1 FUNCTIONS

=over

=item new(FILE), new(FILE, append => 1)

Begins FILE, which only its owner can read, or adds to it. Dies if that cannot be done, as all
functions do if the file cannot be written.

=item $perfetto->track(NAME, tid => TID), ->track(NAME, parent => TRACK)

A new track: below the lane of a thread, below another track, or by itself.

A new track: below the lane of a thread, below another track, or at the top level.

A slice. NAME is shown in it, the values when it is selected. Slices may come in any order; one that
would overlap another is put on a further track of the same name. Options: C<category>; C<flow> and
C<flow_end>, a number from flow() or a reference to several: an arrow leads from each slice with
C<flow> to the next one with the same number, and the last one has C<flow_end>.

=item $track->begin(TS, NAME, { ... }, OPTIONS), $track->end(TS)

A slice in two calls, for slices within each other: end() ends the one that was begun last, and does
nothing if none is open. A slice that is never ended reaches to the end of the trace. A track has
either these or slice().

=item $track->instant(TS, NAME, { ... }, OPTIONS)

A moment.

=item $perfetto->counter(NAME, unit => UNIT, OPTIONS), $counter->value(TS, NUMBER)

A counter, whose values are integers or have fractions, with the options of track(). UNIT is C<ns>,
C<count>, C<bytes>, or any other word.

=item $perfetto->flow

The number of a new flow.

=item $perfetto->close

Writes the rest. This is also done when the object is destroyed; a failure is then only a warning.

=back

=head1 EXAMPLES

For each time that a task waited for a CPU, a slice below its thread and an arrow from the moment at
which it was woken; and how many tasks were waiting.

    use Zed;
    use Zed::Perfetto;

    my $perfetto = Zed::Perfetto->new($ENV{WAITS} // 'waits.pftrace');
    my $wakers = $perfetto->track('wakings');
    my $waiting = $perfetto->counter('waiting tasks', unit => 'count');
    my (%since, %track);

    Zed::on('sched::waking', args => [qw(ts pid)], sub {
        my ($ts, $pid) = @_;
        return if $since{$pid};
        my $flow = $perfetto->flow;
        $since{$pid} = [$ts, $flow];
        $wakers->instant($ts, "wakes $pid", {}, flow => $flow);
        $waiting->value($ts, scalar keys %since);
    });
    Zed::on('sched::switch', args => [qw(ts next_pid next_comm)], sub {
        my ($ts, $pid, $comm) = @_;
        my $waited = delete $since{$pid} or return;
        $track{$pid} //= $perfetto->track('waits', tid => $pid);
        my ($from, $flow) = @$waited;
        $track{$pid}->slice($from, $ts, "$comm waits", { ns => $ts - $from }, flow_end => $flow);
        $waiting->value($ts, scalar keys %since);
    });
    sub trace_end { $perfetto->close }

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7), L<https://ui.perfetto.dev>

=cut
