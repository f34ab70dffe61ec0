# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Ctf: writes CTF traces bit by bit: the metadata are the caller's, or those of CTF 1.8 here, or of Write::Ctf2; a packet
# is a list of values with their sizes.  Shares nothing with the reader.
package Write::Ctf;
use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use File::Path ();

our @EXPORT_OK = qw(ctf_head ctf_packets ctf_write);

my $UUID = join '', map { chr } 1 .. 16;

# ---------------------------------------------------------------- bits

sub new {
	my ($class, %o) = @_;
	return bless { big => $o{big} // 0, bits => '' }, $class;	# one character, '0' or '1', for each bit, in the order of bytes and significance
}

sub align { my ($w, $to) = @_; $w->{bits} .= '0' while length($w->{bits}) % $to; return $w }

# The low N bits of V, aligned to ALIGN bits.  Little endian fills a byte from its low bit, big endian from its high one.  Of
# the other order than the trace are whole bytes only.
sub int {
	my ($w, $v, $n, $align, $big) = @_;
	$w->align($align // ($n % 8 ? 1 : 8));
	my @bits = map { $v >> $_ & 1 } 0 .. $n - 1;	# the lowest first
	return $w->bytes(join '', map { chr($v >> 8 * $_ & 255) } $big ? reverse 0 .. $n / 8 - 1 : 0 .. $n / 8 - 1) if ($big // $w->{big}) != $w->{big};
	$w->{bits} .= join '', $w->{big} ? reverse @bits : @bits;
	return $w;
}

# Bytes as they are.
sub bytes {
	my ($w, $s) = @_;
	$w->align(8);
	$w->{bits} .= unpack $w->{big} ? 'B*' : 'b*', $s;
	return $w;
}

# Groups of 7 bits, the lowest first, for as long as V has others than those that its sign says.
sub leb {
	my ($w, $v, $signed) = @_;
	for (;;) {
		my $group = $v & 0x7f;
		$v = $signed ? do { use integer; $v >> 7 } : $v >> 7;
		my $last = $signed ? $v == ($group & 0x40 ? -1 : 0) : !$v;
		$w->align(8)->int($group | ($last ? 0 : 0x80), 8);
		return $w if $last;
	}
}

sub string { my ($w, $s) = @_; return $w->bytes("$s\0") }
sub float { my ($w, $v) = @_; return $w->bytes($w->{big} ? pack 'f>', $v : pack 'f<', $v) }
sub double { my ($w, $v) = @_; return $w->bytes($w->{big} ? pack 'd>', $v : pack 'd<', $v) }
sub length_bits { my ($w) = @_; return length $w->{bits} }

sub out {
	my ($w) = @_;
	$w->align(8);
	return join '', map { pack $w->{big} ? 'B8' : 'b8', $_ } unpack '(a8)*', $w->{bits};
}

# ---------------------------------------------------------------- a trace as LTTng writes it

# The metadata up to the events: packets with sizes, times, a count of lost events and a number, events with large headers.
# BIG: byte order; WITH: lines for the stream; CLOCK: lines for the clock.
sub ctf_head {
	my (%o) = @_;
	my $order = $o{big} ? 'be' : 'le';
	my $env = join '', map { "\t$_ = \"$o{env}{$_}\";\n" } sort keys %{$o{env} // {}};
	my $clock = $o{clock} // "freq = 1000000000;\n\toffset_s = 1500000000;\n\toffset = 7;";
	return <<"END";
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
trace {
	major = 1;
	minor = 8;
	uuid = "01020304-0506-0708-090a-0b0c0d0e0f10";
	byte_order = $order;
	packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
};
env {
$env};
clock {
	name = "monotonic";
	$clock
};
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_clock_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_clock_t;
struct packet_context {
	uint64_clock_t timestamp_begin;
	uint64_clock_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	unsigned long events_discarded;
	uint32_t cpu_id;
};
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
struct event_header {
	enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
	variant <id> {
		struct { uint27_clock_t timestamp; } compact;
		struct { uint32_t id; uint64_clock_t timestamp; } extended;
	} v;
} align(8);
stream {
	id = 0;
	event.header := struct event_header;
	packet.context := struct packet_context;
@{[$o{with} // '']}
};
END
}

# The bytes of packets for these metadata.  Each is {begin, end, cpu, number, lost, size (bytes), events => [[id, time, sub that
# writes its payload]]}; a time goes into 27 bits unless the event is an extended one: [id, time, sub, 'extended'].
sub ctf_packets {
	my ($o, @packets) = @_;
	my $all = '';
	for my $p (@packets) {
		my $w = Write::Ctf->new(big => $o->{big});
		my $body = sub {
			my ($content, $size) = @_;
			$w->{bits} = '';
			$w->int(0xc1fc1fc1, 32)->bytes($UUID)->int(0, 32);
			$w->int($p->{begin}, 64)->int($p->{end}, 64)->int($content, 64)->int($size, 64);
			$w->int($p->{number} // 0, 64)->int($p->{lost} // 0, 64)->int($p->{cpu} // 0, 32);
			for (@{$p->{events}}) {
				my ($id, $time, $payload, $extended) = @$_;
				$w->align(8);
				$extended ? $w->int(31, 5)->int($id, 32)->int($time, 64) : $w->int($id, 5)->int($time & (1 << 27) - 1, 27);
				$payload->($w) if $payload;
			}
		};
		$body->(0, 0);
		my $content = $w->length_bits;
		my $size = $p->{size} // CORE::int(($content + 7) / 8);
		$body->($content, $size * 8);
		my $bytes = $w->out;
		$all .= $bytes . "\0" x ($size - length $bytes);
	}
	return $all;
}

# Write a trace: DIR/metadata, and each of FILES, a hash of bytes.  Returns DIR.
sub ctf_write {
	my ($dir, $metadata, %files) = @_;
	File::Path::make_path($dir);
	$files{metadata} = $metadata;
	for my $name (keys %files) {
		open my $h, '>:raw', "$dir/$name" or die "$dir/$name: $!\n";
		print $h $files{$name};
		close $h or die "$dir/$name: $!\n";
	}
	return $dir;
}

1;
