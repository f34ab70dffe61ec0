# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Ctf2Read: reads a CTF 2 trace the slow way, field by field as its metadata describe them: of the classes of fields
# those that real traces of the release candidates have.  Shares nothing with the reader.
package Compare::Ctf2Read;
use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use Files qw(slurp);
use JSON::PP ();

our @EXPORT = qw(ctf2_read);

# ---------------------------------------------------------------- bits

# The next N bits of the packet in S, in the order in which they are read.
sub bits {
	my ($s, $n, $big) = @_;
	my $skip = $s->{pos} % 8;
	my $bytes = substr $s->{bytes}, $s->{packet} + int($s->{pos} / 8), int(($skip + $n + 7) / 8);
	die "the packet ends at bit $s->{pos}\n" if 8 * length($bytes) < $skip + $n;
	$s->{pos} += $n;
	return substr unpack($big ? 'B*' : 'b*', $bytes), $skip, $n;
}

sub align { my ($s, $to) = @_; $s->{pos} += -$s->{pos} % $to; return }

sub alignment {
	my ($class) = @_;
	my $type = $class->{type};
	return $class->{alignment} // 1 if $type =~ /^fixed-length/;
	return 1 if $type =~ /^(?:variant|optional)$/;
	return 8 if $type ne 'structure';
	my $most = $class->{'minimum-alignment'} // 1;
	for (@{$class->{'member-classes'}}) {
		my $is = alignment($_->{'field-class'});
		$most = $is if $is > $most;
	}
	return $most;
}

# ---------------------------------------------------------------- numbers

sub fixed {
	my ($s, $class) = @_;
	my $big = $class->{'byte-order'} eq 'big-endian';
	my $bits = bits($s, $class->{length}, $big);
	$bits = reverse $bits if !$big;
	my $v = oct "0b$bits";
	$v -= 2**$class->{length} if $class->{type} =~ /-signed-/ && $bits =~ /^1/;
	return $v;
}

# Groups of 7 bits, of which the last one has no bit before it.
sub variable {
	my ($s, $class) = @_;
	my $bits = '';
	for (;;) {
		my $byte = reverse bits($s, 8);
		$bits = substr($byte, 1) . $bits;
		last if $byte =~ /^0/;
	}
	my $signed = $class->{type} =~ /-signed-/;
	$bits = ($signed && $bits =~ /^1/ ? '1' : '0') x 64 . $bits;
	my $v = oct '0b' . substr $bits, -64;
	return $signed ? unpack('q', pack 'Q', $v) : $v;
}

sub number {
	my ($s, $class) = @_;
	my $v = $class->{type} =~ /^fixed/ ? fixed($s, $class) : variable($s, $class);
	for my $role (@{$class->{roles} // []}) {
		$s->{roles}{$role} = $v;
		next if $role ne 'default-clock-timestamp';
		my $n = $class->{length} // 64;
		my $step = 2**$n;
		my $old = $s->{clock} // 0;
		$s->{clock} = $n == 64 ? $v : $old - $old % $step + $v + ($v < $old % $step ? $step : 0);
	}
	return $v;
}

# ---------------------------------------------------------------- all classes

# What stands at PLACE, which names a scope first.
sub found { my ($s, $place) = @_; my ($v, @path) = ($s->{scopes}, @$place); $v = $v->{$_} for @path; return $v }

sub decode {
	my ($s, $class, $to) = @_;
	my $type = $class->{type};
	align($s, alignment($class));
	if ($type eq 'structure') {
		$$to = {};
		decode($s, $_->{'field-class'}, \$$to->{$_->{name}}) for @{$class->{'member-classes'}};
	} elsif ($type eq 'variant') {
		my $by = found($s, $class->{'selector-field-location'});
		for my $option (@{$class->{options}}) {
			decode($s, $option->{'field-class'}, $to) if grep { $by >= $_->[0] && $by <= $_->[1] } @{$option->{'selector-field-ranges'}};
		}
	} elsif ($type eq 'null-terminated-string') {
		my $from = $s->{packet} + $s->{pos} / 8;
		my $end = index $s->{bytes}, "\0", $from;
		$$to = substr $s->{bytes}, $from, $end - $from;
		$s->{pos} += 8 * (length($$to) + 1);
	} elsif ($type eq 'static-length-blob') {
		$$to = unpack 'H*', substr $s->{bytes}, $s->{packet} + $s->{pos} / 8, $class->{length};
		$s->{pos} += 8 * $class->{length};
	} elsif ($type =~ /(?:integer|enumeration)$/) {
		$$to = number($s, $class);
	} else {
		die "class $type\n";
	}
	return;
}

# ---------------------------------------------------------------- a trace

sub scope {
	my ($s, $class, $name) = @_;
	decode($s, $class, \$s->{scopes}{$name}) if $class;
	return;
}

# The events of one file, in their order.
sub events_of {
	my ($meta, $bytes) = @_;
	my ($s, @events) = ({ bytes => $bytes, packet => 0 });
	while ($s->{packet} < length $bytes) {
		@$s{qw(pos roles)} = (0, {});
		scope($s, $meta->{trace}{'packet-header-field-class'}, 'packet-header');
		my $stream = $meta->{streams}{$s->{roles}{'data-stream-class-id'} // 0};
		scope($s, $stream->{'packet-context-field-class'}, 'packet-context');
		my $size = $s->{roles}{'packet-total-length'} // 8 * (length($bytes) - $s->{packet});
		my $content = $s->{roles}{'packet-content-length'} // $size;
		while ($s->{pos} < $content) {
			$s->{roles} = {};
			scope($s, $stream->{'event-record-header-field-class'}, 'event-record-header');
			my $event = $meta->{events}{($stream->{id} // 0) . ' ' . ($s->{roles}{'event-record-class-id'} // 0)};
			scope($s, $event->{'payload-field-class'}, 'event-record-payload');
			push @events, { ts => $s->{clock} // 0, name => $event->{name}, fields => $s->{scopes}{'event-record-payload'},
				cpu => $s->{scopes}{'packet-context'}{cpu_id} // 0 };
		}
		$s->{packet} += $size / 8;
	}
	return @events;
}

# The events of the trace in DIR, one file after the other: {ts, name, cpu, fields}.
sub ctf2_read {
	my ($dir) = @_;
	my $meta = { trace => {} };
	for (map { JSON::PP->new->decode($_) } grep { /\S/ } split /\x1e/, slurp("$dir/metadata")) {
		$meta->{trace} = $_ if $_->{type} eq 'trace-class';
		$meta->{streams}{$_->{id} // 0} = $_ if $_->{type} eq 'data-stream-class';
		$meta->{events}{($_->{'data-stream-class-id'} // 0) . ' ' . ($_->{id} // 0)} = $_ if $_->{type} eq 'event-record-class';
	}
	return map { events_of($meta, slurp($_)) } sort grep { -f && !/\/metadata$/ } glob "$dir/*";
}

1;
