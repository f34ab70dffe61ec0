# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Ctf2: the metadata of CTF 2, in the dialect of the specification 2.0 or that of its release candidates (RC): fragments
# of JSON for packets as Write::Ctf's ctf_packets() writes them.  Shares nothing with the reader.
package Write::Ctf2;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();

our @EXPORT_OK = qw(ctf2_array ctf2_event ctf2_head ctf2_int ctf2_metadata ctf2_place ctf2_struct);

my $json = JSON::PP->new->canonical->allow_nonref;

# Fragments as the file has them.
sub ctf2_metadata { return join '', map { "\x1e" . $json->encode($_) . "\n" } @_ }

# ---------------------------------------------------------------- classes

# An integer of N bits, signed if N is negative.  %MORE: further properties.
sub ctf2_int {
	my ($o, $n, %more) = @_;
	my $names = delete $more{mappings};
	my $type = 'fixed-length-' . ($n < 0 ? 'signed' : 'unsigned') . '-' . ($o->{rc} && $names ? 'enumeration' : 'integer');
	return { type => $type, length => abs $n, 'byte-order' => $o->{big} ? 'big-endian' : 'little-endian', alignment => $n % 8 ? 1 : 8,
		$names ? (mappings => $names) : (), %more };
}

# A structure of NAME => CLASS, ...
sub ctf2_struct {
	my @members;
	push @members, { name => shift, 'field-class' => shift } while @_;
	return { type => 'structure', 'member-classes' => \@members };
}

sub ctf2_array { my ($class, %more) = @_; return { type => exists $more{length} ? 'static-length-array' : 'dynamic-length-array', 'element-field-class' => $class, %more } }

# The place of a field.
sub ctf2_place {
	my ($o, $origin, @path) = @_;
	return $o->{rc} ? [$origin, @path] : { origin => $origin, path => \@path };
}

# ---------------------------------------------------------------- a trace as LTTng writes it

sub stamp {
	my ($o, $n, $role) = @_;
	return ctf2_int($o, $n, roles => [$role]);
}

# The fragments up to the events: O has {big, rc, env, clock (more of it)}.
sub ctf2_head {
	my ($o) = @_;
	my $header = ctf2_struct(
		magic => ctf2_int($o, 32, roles => ['packet-magic-number']),
		uuid => { type => 'static-length-blob', length => 16, roles => ['metadata-stream-uuid'] },
		stream_id => ctf2_int($o, 32, roles => ['data-stream-class-id']));
	my $context = ctf2_struct(
		timestamp_begin => stamp($o, 64, 'default-clock-timestamp'),
		timestamp_end => stamp($o, 64, 'packet-end-default-clock-timestamp'),
		content_size => stamp($o, 64, 'packet-content-length'),
		packet_size => stamp($o, 64, 'packet-total-length'),
		packet_seq_num => stamp($o, 64, 'packet-sequence-number'),
		events_discarded => stamp($o, 64, 'discarded-event-record-counter-snapshot'),
		cpu_id => ctf2_int($o, 32));
	my $event = ctf2_struct(
		id => ctf2_int($o, 5, mappings => { compact => [[0, 30]], extended => [[31, 31]] }, roles => ['event-record-class-id']),
		v => { type => 'variant', 'selector-field-location' => ctf2_place($o, 'event-record-header', 'id'), options => [
			{ name => 'compact', 'selector-field-ranges' => [[0, 30]], 'field-class' => ctf2_struct(timestamp => stamp($o, 27, 'default-clock-timestamp')) },
			{ name => 'extended', 'selector-field-ranges' => [[31, 31]], 'field-class' => ctf2_struct(
				id => stamp($o, 32, 'event-record-class-id'), timestamp => stamp($o, 64, 'default-clock-timestamp')) }] });
	$event->{'minimum-alignment'} = 8;
	my %clock = (type => 'clock-class', name => 'monotonic', frequency => 1_000_000_000, 'offset-from-origin' => { seconds => 1_500_000_000, cycles => 7 },
		$o->{rc} ? () : (id => 'the clock', origin => 'unix-epoch'), %{$o->{clock} // {}});
	return ({ type => 'preamble', version => 2, uuid => [1 .. 16] },
		{ type => 'trace-class', 'packet-header-field-class' => $header, environment => $o->{env} // { domain => 'ust', tracer_major => 2 } },
		\%clock,
		{ type => 'data-stream-class', id => 0, $o->{rc} ? ('default-clock-class-name' => 'monotonic') : ('default-clock-class-id' => 'the clock'),
			'packet-context-field-class' => $context, 'event-record-header-field-class' => $event });
}

sub ctf2_event {
	my ($id, $name, $payload, %more) = @_;
	return { type => 'event-record-class', id => $id, name => $name, 'data-stream-class-id' => 0, 'payload-field-class' => $payload, %more };
}

1;
