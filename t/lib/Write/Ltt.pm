# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Ltt: writes LTT trace directories (generation 1, versions 0.4 to 0.7) with chosen events, and lists what a
# reader must find in them.  Written from the document "The LTTng trace format" and other sources about the tracers of
# 2003 to 2006, by another author than the reader's, without knowledge of it.
#
#	my $w = Write::Ltt->new(version => '0.6', arch => 4, heartbeat => 1);
#	$w->facility(name => 'fs', id => 3, events => [[open => [fd => ['uint', 4], name => ['string']]]]);
#	$w->event(0, $cycles, 'fs::open', { fd => 3, name => 'a' });	# CPU 0
#	my $path = $w->write($dir);		# the trace, with its control files and descriptions
#	$_->{ts}, $_->{wall}, $_->{event}, $_->{cpu}, $_->{seq}, $_->{json}, $_->{perl} for $w->manifest;
#	$_->{instance}, $_->{at}, $_->{end}	# the buffer; the event's bytes in its file
#
# Types are references: [int => BYTES], [uint => BYTES], [c => WORD] (int uint char uchar short ushort long
# ulong size_t ssize_t off_t pointer), [isize => 'int'|'uint', 'short'|'medium'|'long'], [float => BYTES],
# ['string'], [enum => BYTES, [LABEL => VALUE or undef]...], [array => N, TYPE], [seq => LENGTHTYPE, TYPE],
# [struct => NAME => TYPE, ...], [union => NAME => TYPE, ...], [ref => NAME].
package Write::Ltt;
use strict;
use warnings;
use File::Path ();
use Math::BigInt;
use Write::LttTypes qw(members);

our @ISA = ('Write::LttTypes');

# ---------------------------------------------------------------- arithmetic

# A * B / C, rounded down, whatever the size of the product.
sub muldiv {
	my ($x, $y, $z) = @_;
	if ($x >= 0 && $x < 1 << 40 && $y % 1000 == 0 && $z % 1000 == 0) {
		($y, $z) = ($y / 1000, $z / 1000);
		use integer;
		return $x * $y / $z if $y <= 4_000_000;
	}
	return Math::BigInt->new("$x")->bmul("$y")->bdiv("$z")->bstr + 0;
}

my @crc = map { my $c = $_; $c = $c & 1 ? $c >> 1 ^ 0xedb88320 : $c >> 1 for 1 .. 8; $c } 0 .. 255;
sub crc_more {
	my ($crc, $text) = @_;
	$crc = $crc[($crc ^ ord) & 255] ^ $crc >> 8 for split //, $text;
	return $crc;
}

# The name counts as in any CRC-32; everything after it continues from there without the last inversion.
sub checksum_of {
	my ($name, @words) = @_;
	my $crc = crc_more(0xffffffff, $name) ^ 0xffffffff;
	$crc = crc_more($crc, $_) for @words;
	return $crc;
}

# ---------------------------------------------------------------- the machine

sub new {
	my ($class, %o) = @_;
	my $w = bless {
		version => '0.6', big => 0, arch => 4, heartbeat => 1, align => 0, has_tsc => 1, flight => 0,
		freq => 350_797, freq_scale => 1000, start_tsc => 1_000_000, start => [1_130_000_000, 250_000],
		buf_size => 4096, monotonic => 0, start_time_of_block => [1_130_000_100, 7],
		xml => {}, facs => {}, files => {}, extra => {}, %o,
	}, $class;
	$w->{gen} = $w->{version} eq 'G1' ? 'G1' : $w->{version} le '0.5' ? 'old' : 'new';
	# The structures of 0.4 are those of the machine's C library: twice as wide on a 64-bit one.
	$w->{wide} //= $w->{version} ne '0.4' || $w->{arch} == 8;
	$w->{core_heartbeat} //= $w->{version} eq '0.7' ? 'empty' : 'full';
	$w->{e} = $w->{big} ? '>' : '<';
	# A tracer writes the size of a pointer; a 1, as in the document, means the same.
	$w->{A} = $w->{align} == 1 ? $w->{arch} : $w->{align};
	%{$w->{c}} = (int => 4, uint => 4, char => 1, uchar => 1, short => 2, ushort => 2,
		wide_uint => 8, (map { $_ => $w->{arch} } qw(long ulong size_t ssize_t off_t pointer)), %{$w->{c} // {}});
	$w->{fac0} = $w->core;
	return $w;
}

# A trace of generation 1 on two CPUs: of each BLOCKS blocks with EVENTS events each.
sub sample_g1 {
	my ($class, $blocks, $events, %o) = @_;
	my $w = $class->new(version => 'G1', buf_size => 700, xml => { types_last => 1 }, %o);
	my $u4 = [uint => 4];
	$w->facility(name => 'core', id => 0, load => '', types => {
		stamp => [struct => timestamp => [struct => time => [struct => seconds => $u4, nanoseconds => $u4],
			cycle_count => [uint => 8]], block_id => $u4],
	}, events => [[facility_load => [name => ['string'], checksum => $u4, base_code => $u4]],
		[block_start => [ref => 'stamp']], [block_end => [ref => 'stamp']], [tick => [n => $u4]], [text => [s => ['string']]], [none => []]]);
	$w->{fac0} = $w->{order}[0];
	for my $cpu (0, 1) {
		for my $b (0 .. $blocks - 1) {
			my $c = (1 + $b) * 1_000_000_000;
			$w->block($cpu, from => [1000 + $b, 5 + $cpu, $c], to => [1000 + $b, 900_000, $c + 350_000_000]);
			$w->event($cpu, $c + 1_000_000 * $_, (qw(core::tick core::text core::none))[$_ % 3], { n => $_, s => "t $_" })
				for 1 .. $events;
		}
	}
	return $w;
}

# The sizes in facility_load.
sub sizes {
	my ($w) = @_;
	return (($w->{gen} eq 'new' ? $w->{c}{int} : ()), @{$w->{c}}{qw(long pointer size_t)}, $w->{align});
}

# The facility that no file describes.
sub core {
	my ($w) = @_;
	my $u = $w->{gen} eq 'new' ? [c => 'uint'] : [uint => 4];
	my @load = (name => ['string'], checksum => $u, id => $u,
		map { $_ => $u } ($w->{gen} eq 'new' ? 'int_size' : ()), qw(long_size pointer_size size_t_size),
		'has_alignment');
	my @beat = $w->{core_heartbeat} eq 'empty' ? () :
		(timestamp => [struct => seconds => $u, nanoseconds => $u, cycle_count => [c => 'wide_uint']]);
	my $f = { name => 'core', id => 0, types => {}, events => [[facility_load => [@load]],
		[facility_unload => [id => $u]], [time_heartbeat => [@beat]],
		[state_dump_facility_load => [@load]]] };
	return $w->{facs}{0} = $f;
}

# ---------------------------------------------------------------- facilities

# Add a facility: name, id (base of its events for G1), types => {NAME => TYPE}, events => [[NAME => [FIELD => TYPE
# ...]]]; load => 'facility_load' (default), 'state_dump_facility_load' or '' (only the description); checksum to write
# another one; file => its file's name; cpu => the one whose facilities file declares it.
sub facility {
	my ($w, %f) = @_;
	my $f = { types => {}, load => 'facility_load', cpu => 0, file => $f{name}, described => 1, %f };
	$f->{sum} = $f->{checksum} // $w->checksum($f);
	push @{$w->{order}}, $f;
	$w->{facs}{$f->{id}} = $f if defined $f->{id};
	return $f if !$f->{load} || $w->{gen} eq 'G1';
	$w->event({ group => 'control/facilities', cpu => $f->{cpu} }, $w->{start_tsc} + 10 * @{$w->{order}},
		"core::$f->{load}", { name => $f->{name}, checksum => $f->{sum}, id => $f->{id},
			int_size => $w->{c}{int}, long_size => $w->{c}{long}, pointer_size => $w->{c}{pointer},
			size_t_size => $w->{c}{size_t}, has_alignment => $w->{align} });
	return $f;
}

my %index = (1 => 0, 2 => 1, 4 => 2, 8 => 3, short => 4, medium => 5, long => 6);
my @old_int = ('int8_t', 'int16_t', 'int32_t', 'int64_t', 'short int', 'int', 'long int');
my @old_uint = ('uint8_t', 'uint16_t', 'uint32_t', 'uint64_t', 'unsigned short int', 'unsigned int',
	'unsigned long int');
my %word = (int => 'int', uint => 'uint', char => 'signed char', uchar => 'unsigned char', short => 'short',
	ushort => 'unsigned short', wide_uint => 'uint', long => 'long', ulong => 'unsigned long', pointer => 'void *',
	map { $_ => $_ } qw(size_t ssize_t off_t));

sub type_words {
	my ($w, $f, $t) = @_;
	$t = $w->resolve($f, $t);
	my ($k) = @$t;
	my $old = $w->{gen} ne 'new';
	return ($k eq 'int' ? 'int' : 'uint') . 8 * $t->[1] . '_t' if $k =~ /^u?int$/;
	return ($t->[1] eq 'int' ? \@old_int : \@old_uint)->[$index{$t->[2]}] if $k eq 'isize';
	return $word{$t->[1]} if $k eq 'c';
	return $t->[1] == 4 ? 'float' : 'double' if $k eq 'float';
	return 'string' if $k eq 'string';
	return ($old ? 'enum ' . $old_uint[$index{$t->[1]}] : 'enum', !$old && ($f->{xml} // $w->{xml})->{format} ? '%d' : (),
		map { $_->[0] . ($old && defined $_->[1] ? "=$_->[1]" : '') } @$t[2 .. $#$t]) if $k eq 'enum';
	return ("array $t->[1]", $w->type_words($f, $t->[2])) if $k eq 'array';
	return ($old ? 'sequence ' . $index{length_size($t)} : ('sequence ', $w->type_words($f, $t->[1])),
		$w->type_words($f, $t->[2])) if $k eq 'seq';
	return ($k, map { ($_->[0], $w->type_words($f, $_->[1])) } members($t));
}

sub length_size { my ($t) = @_; return $t->[1][0] eq 'isize' ? $t->[1][2] : $t->[1][1] }

sub checksum {
	my ($w, $f) = @_;
	return checksum_of($f->{name}, map {
		my ($name, $fields) = @$_;
		my $body = @$fields && $fields->[0] eq 'ref' ? $fields : ['struct', @$fields];
		my @words = @$fields ? $w->type_words($f, $body) : ();
		shift @words if @words && $w->{gen} eq 'new';
		($name, @words);
	} @{$f->{events}});
}

# ---------------------------------------------------------------- descriptions

# Options of the text: quote (all attributes), slash (0: no / in elements without content), say (descriptions), slips
# (the document's own errors).
sub xml_of {
	my ($w, $f) = @_;
	my %x = (slash => 1, say => 1, %{$w->{xml}}, %{$f->{xml} // {}});
	my $q = $x{quote} ? '"' : '';
	my $end = $x{slash} ? '/>' : '>';
	my $say = sub { $x{say} ? "<description>$_[0]</description>" : '' };
	my $new = $w->{gen} eq 'new';
	my $type;
	my $field = sub {
		my ($name, $t) = @_;
		my $close = $x{slips} ? 'event' : 'field';
		return "      <field name=$q$name$q> " . $say->("what $name is, in words; 'quoted' = yes") . ' ' .
			$type->($t) . " </$close>\n";
	};
	$type = sub {
		my ($t) = @_;
		my $k = $t->[0];
		my $format = $x{format} ? ' format="%d"' : '';
		return ($new ? "<${k}_fixed" : "<$k") . " size=$q$t->[1]$q$end" if $k =~ /^u?int$/;
		return "<$t->[1] size=$q$t->[2]$q$end" if $k eq 'isize';
		return "<$t->[1]$end" if $k eq 'c';
		return "<float size=$q$t->[1]$q$end" if $k eq 'float';
		return "<string$end" if $k eq 'string';
		return '<typeref name=' . $q . $t->[1] . $q . ($x{slips} ? '>' : $end) if $k eq 'ref';
		return ($new ? "<enum$format>" : "<enum size=$q$t->[1]$q>") . join('', map { "\n\t<label name=$q$_->[0]$q" .
			(defined $_->[1] ? " value=$q$_->[1]$q" : '') . $end . ($x{say} && $new ? $say->('a label') : '') }
			@$t[2 .. $#$t]) . "\n\t</enum>" if $k eq 'enum';
		return "<array size=$q$t->[1]$q> " . $type->($t->[2]) . ' </array>' if $k eq 'array';
		return $new ? '<sequence> ' . $type->($t->[1]) . ' ' . $type->($t->[2]) . ' </sequence>' :
			'<sequence ' . ($x{lengthsize} ? 'lengthsize' : 'size') . "=$q" . length_size($t) . "$q> " .
			$type->($t->[2]) . ' </sequence>' if $k eq 'seq';
		return "<$k" . ($k eq 'union' && !$new ? " typecodesize=${q}4$q" : '') . ">\n" .
			join('', map { $field->(@$_) } members($t)) . "      </$k>";
	};
	my @types = map { "  <type name=$q$_$q>\n    " . $type->($f->{types}{$_}) . "\n  </type>\n" } sort keys %{$f->{types}};
	my @events = map {
		my ($name, $fields) = @$_;
		my @m = @$fields && $fields->[0] eq 'ref' ? () : members(['struct', @$fields]);
		my $body = join '', map { $field->(@$_) } @m;
		$body = "    <struct>\n$body    </struct>\n" if !$new && @m;
		$body = '    ' . $type->($fields) . "\n" if @$fields && $fields->[0] eq 'ref';
		my $flag = $x{flags} ? ' per_trace custom_write' : '';
		"  <event name=$q$name$q$flag>\n    " . $say->("when $name happens") . "\n$body  </event>\n";
	} @{$f->{events}};
	my $tag = $x{upper} ? 'FACILITY' : 'facility';
	return ($x{comment} ? "/* made by a test */\n// another comment\n" : '') .
		"<$tag " . ($x{upper} ? 'NAME' : 'name') . "=$q$f->{name}$q>\n  " . $say->('The facility ' . $f->{name}) . "\n" .
		join("\n", $x{types_last} ? (@events, @types) : (@types, @events)) . "</$tag>\n";
}

# ---------------------------------------------------------------- events

# Add an event.  WHERE: a CPU, or { cpu, group => 'control/processes' | 'flight-cpu' ...}.  More: size (to write another
# one), payload (raw bytes), id and facility (numbers without a description), lost (the reader delivers no event for
# it).  For G1 with group control/..., the file has no number.
sub event {
	my ($w, $where, $tsc, $what, $values, %more) = @_;
	my ($cpu, $group) = ref $where ? @$where{qw(cpu group)} : $where;
	push @{$w->{files}{$group // 'cpu'}{$cpu}}, { tsc => $tsc, what => $what, values => $values, %more };
}

# Begin a new block here.  More: begin (its count of cycles), lost_size to write another one, open (the block was never
# closed), tail (bytes after the last event), time (its begin: seconds, microseconds), size of the rest of the file.
sub block {
	my ($w, $where, %more) = @_;
	my ($cpu, $group) = ref $where ? @$where{qw(cpu group)} : $where;
	push @{$w->{files}{$group // 'cpu'}{$cpu}}, { block => \%more };
}

sub find {
	my ($w, $what) = @_;
	my ($fac, $name) = split /::/, $what, 2;
	for my $f ($w->{fac0}, @{$w->{order} // []}) {
		next if $f->{name} ne $fac;
		my ($i) = grep { $f->{events}[$_][0] eq $name } 0 .. $#{$f->{events}};
		return ($f, $i) if defined $i;
	}
	die "no event $what\n";
}

sub payload_of {
	my ($w, $e) = @_;
	my ($f, $i) = $e->{in} ? ($e->{in}, (grep { "$e->{in}{name}::$e->{in}{events}[$_][0]" eq $e->{what} }
		0 .. $#{$e->{in}{events}})[0]) : $w->find($e->{what});
	my $fields = $f->{events}[$i][1];
	if (@$fields && $fields->[0] eq 'ref') {
		my (undef, @inside) = @{$w->resolve($f, $fields)};
		$fields = \@inside;
	}
	my $buf = '';
	my @json;
	my @perl;
	for (members(['struct', @$fields])) {
		my ($name, $t) = @$_;
		$w->put($f, $t, $e->{values}{$name}, \$buf);
		push @json, qq("$name":) . $w->show($f, $t, $e->{values}{$name}, 'json');
		push @perl, "$name=" . $w->show($f, $t, $e->{values}{$name}, 'perl') if !$w->{json_only};
	}
	return ($f, $i, $buf, '{' . join(',', @json) . '}', join ' ', @perl);
}

sub time_of {
	my ($w, $tsc, $block, $e) = @_;
	if (!$w->{has_tsc}) {
		my $ts = $block->{time}[0] * 1_000_000_000 + ($block->{time}[1] + $e->{us}) * 1000;
		return ($ts, $ts);
	}
	my $per = $w->{version} eq '0.7' ? $w->{freq_scale} * $w->{freq} : 1000 * $w->{freq};
	my $elapsed = muldiv($tsc - $w->{start_tsc}, 1_000_000_000, $per);
	return (muldiv($w->{start_tsc}, 1_000_000_000, $per) + $elapsed,
		$w->{start}[0] * 1_000_000_000 + $w->{start}[1] * 1000 + $elapsed);
}

# ---------------------------------------------------------------- blocks of 0.4 to 0.7

sub time_words { my ($w, $s, $us) = @_; return $w->{wide} ? $w->u64($s) . $w->u64($us) : $w->u32($s) . $w->u32($us) }

sub trace_header {
	my ($w) = @_;
	my ($major, $minor) = split /\./, $w->{version};
	my $head = join('', map { $w->u32($_) } 0x00d6b7ed, $w->{arch_type} // 1, 0, 0) .
		pack('C6', $w->{arch}, $major, $minor, $w->{flight}, $w->{heartbeat}, $w->{align});
	$head .= $w->{version} eq '0.7' ? $w->u32($w->{freq_scale}) : pack('C', $w->{has_tsc});
	$head .= $w->u64($w->{freq}) . $w->u64($w->{start_tsc}) . $w->u64($w->{monotonic});
	return $head . ($w->{version} eq '0.7' ? $w->u64($w->{start}[0]) . $w->u64($w->{start}[1]) :
		$w->time_words(@{$w->{start}}));
}

sub block_header {
	my ($w, $b, $lost) = @_;
	my @end = $b->{open} ? (0, 0) : ($b->{last} // $b->{begin}, $w->{freq});
	return join('', map { $w->u64($_) } $b->{begin}, $w->{freq}, @end) . $w->u32($lost) . $w->u32($w->{buf_size})
		if $w->{version} eq '0.7';
	return $w->time_words(@{$b->{time}}) . $w->u64($b->{begin}) . $w->u64($w->{freq}) .
		$w->time_words($b->{open} ? (0, 0) : ($b->{time}[0] + 1, 0)) . $w->u64($end[0]) . $w->u64($end[1]) .
		$w->u32($lost) . $w->u32($w->{buf_size});
}

sub header_size { my ($w) = @_; my $b = { begin => 0, time => [0, 0] }; return length $w->block_header($b, 0) . $w->trace_header }

sub file_of {
	my ($w, $group, $cpu, $list) = @_;
	my ($out, $seq, $b, $data) = ('', 0);
	my $size = $w->{buf_size};
	my $close = sub {
		return if !$b;
		my $used = length $data;
		my $lost = $b->{lost_size} // ($b->{open} ? 0xffffffff : $size - $used);
		substr $data, 0, $w->header_size, $w->block_header($b, $lost) . $w->trace_header;
		$data .= substr($b->{tail} // '', 0, $size - $used);
		$out .= $data . "\0" x ($size - length $data);
	};
	my $open = sub {
		my ($more, $tsc) = @_;
		$close->();
		$b = { begin => $tsc, time => [@{$w->{start_time_of_block}}], %$more };
		$data = "\0" x $w->header_size;
	};
	for my $n (0 .. $#$list) {
		my $e = $list->[$n];
		if ($e->{block}) {
			my ($next) = grep { $_->{what} } @$list[$n + 1 .. $#$list];
			$open->($e->{block}, $next ? $next->{tsc} : $b ? $b->{last} // $b->{begin} : $w->{start_tsc});
			next;
		}
		my ($f, $i, $payload, $json, $perl);
		if (defined $e->{payload} && !defined $e->{values}) {
			($f, $i, $payload) = ({ id => $e->{facility} }, $e->{id}, $e->{payload});
		} else {
			($f, $i, $payload, $json, $perl) = $w->payload_of($e);
			$payload = $e->{payload} if defined $e->{payload};
		}
		$open->({}, $e->{tsc}) if !$b;
		for my $again (0, 1) {
			my $grid = $w->{A} ? $w->{A} < $w->{arch} ? $w->{A} : $w->{arch} : 1;
			my $rec = "\0" x (-length($data) % $grid);
			$rec .= !$w->{has_tsc} ? $w->u32($e->{us} //= $e->{tsc} % 1_000_000) :
				$w->{heartbeat} ? $w->u32($e->{tsc}) : $w->u64($e->{tsc});
			$e->{at} = length($out) + length($data) + (-length($data) % $grid);
			my $told = $e->{size} // (length $payload < 0xffff ? length $payload : 0xffff);
			$rec .= pack('CC', $e->{facility} // $f->{id}, $e->{id} // $i) . $w->u16($told);
			$rec .= "\0" x (-(length($data) + length $rec) % $grid) . $payload;
			if (length($data) + length($rec) > $size) {
				die "an event does not fit in a block\n" if $again;
				$open->({}, $e->{tsc});
				next;
			}
			$data .= $rec;
			last;
		}
		$b->{last} = $e->{tsc};
		$seq++;
		next if $e->{lost};
		my ($ts, $wall) = $w->time_of($e->{tsc}, $b, $e);
		push @{$w->{manifest}}, { group => $group, instance => $w->instance_of($group, $cpu), cpu => $cpu, seq => $seq,
			ts => $ts, wall => $wall,
			event => $e->{what}, json => $json, perl => $perl, at => $e->{at}, end => length($out) + length $data };
	}
	$close->();
	return $out;
}

# ---------------------------------------------------------------- blocks of generation 1

# Each block has a begin and an end: [seconds, microseconds, cycles].  Cycles advance evenly between the two.
sub g1_file {
	my ($w, $group, $cpu, $list) = @_;
	my ($out, $seq, $nblock) = ('', 0, 0);
	my (@blocks);
	for my $e (@$list) {
		push @blocks, { %{$e->{block} // {}}, events => [] } if $e->{block} || !@blocks;
		push @{$blocks[-1]{events}}, $e if !$e->{block};
	}
	for my $b (@blocks) {
		my $stamp = sub { my ($s, $us, $cycles) = @_; return { timestamp => { time => { seconds => $s, nanoseconds => $us },
			cycle_count => $cycles }, block_id => $nblock } };
		my ($data, $end) = ('');
		my $dt = ($b->{to}[0] - $b->{from}[0]) * 1_000_000_000 + ($b->{to}[1] - $b->{from}[1]) * 1000;
		my $dc = $b->{to}[2] - $b->{from}[2];
		for my $e ({ tsc => $b->{from}[2] + ($b->{lag} // 0), what => 'core::block_start', values => $stamp->(@{$b->{from}}) },
			@{$b->{events}},
			{ tsc => $b->{to}[2], what => 'core::block_end', values => $stamp->(@{$b->{to}}), end => 1 }) {
			my ($f, $i, $payload, $json, $perl) = defined $e->{values} ? $w->payload_of($e) : ();
			$payload = $e->{payload} if defined $e->{payload};
			$end = length $data if $e->{end};
			$e->{at} = length($out) + length $data;
			$data .= $w->u16($e->{code} // $f->{id} + $i) . $w->u32($e->{tsc}) . $payload;
			$seq++;
			next if $e->{lost};
			my $ts = $b->{from}[0] * 1_000_000_000 + $b->{from}[1] * 1000 + muldiv($e->{tsc} - $b->{from}[2], $dt, $dc);
			push @{$w->{manifest}}, { group => $group, instance => $w->instance_of($group, $cpu), cpu => $cpu,
				seq => $seq, ts => $ts, wall => $ts,
				event => $e->{what}, json => $json, perl => $perl, at => $e->{at}, end => length($out) + length $data };
		}
		$nblock++;
		die "the events do not fit in a block\n" if length $data > $w->{buf_size} - 4;
		$data .= "\0" x ($w->{buf_size} - 4 - length $data) . $w->u32($w->{buf_size} - $end);
		$out .= $data;
	}
	return $out;
}

sub system_xml {
	my ($w) = @_;
	my %a = (node_name => 'vaucluse', domainname => 'polymtl.ca', cpu => 4, arch_size => $w->{arch} == 4 ? 'ILP32' : 'LP64',
		endian => $w->{big} ? 'BIG_ENDIAN' : 'LITTLE_ENDIAN', kernel_name => 'Linux', kernel_release => '2.4.18-686-smp',
		kernel_version => '#1 SMP Sun Apr 14 12:07:19 EST 2002', machine => 'i686', processor => 'unknown',
		hardware_platform => 'unknown', operating_system => 'Linux', ltt_major_version => 2, ltt_minor_version => 0,
		ltt_block_size => $w->{buf_size}, %{$w->{system} // {}});
	return "<system\n" . join('', map { " $_=\"$a{$_}\"\n" } sort keys %a) . ">\nSome comments about the system\n</system>\n";
}

# ---------------------------------------------------------------- the directory

# Write everything into DIR, which is created; returns DIR.  Then manifest() lists what a reader must deliver.
sub write {
	my ($w, $dir) = @_;
	$w->{manifest} = [];
	my %text = ('info/system.xml' => $w->system_xml,
		'info/bookmarks.xml' => "<bookmarks>\n<location name=here cpu=1 time=12.5>Some text</location>\n</bookmarks>\n");
	my %by_file;
	push @{$by_file{$_->{file}}}, $_ for grep { $_->{described} } @{$w->{order} // []};
	$text{"eventdefs/$_.xml"} = join "\n", map { $_->{xml_text} // $w->xml_of($_) } @{$by_file{$_}} for keys %by_file;
	my $g1 = $w->{gen} eq 'G1';
	if ($g1) {
		$text{"control/$_"} //= '' for qw(facilities interrupts processes);
	}
	for my $group (sort keys %{$w->{files}}) {
		for my $cpu (sort { $a <=> $b } keys %{$w->{files}{$group}}) {
			my $list = $w->{files}{$group}{$cpu};
			my $name = $g1 ? $group eq 'cpu' ? "cpu/$cpu" : $group : "${group}_$cpu";
			$text{$name} = $g1 ? $w->g1_file($group, $cpu, $list) : $w->file_of($group, $cpu, $list);
		}
	}
	%text = (%text, %{$w->{extra}});
	for my $name (sort keys %text) {
		next if !defined $text{$name};
		File::Path::make_path("$dir/" . $name =~ s{/?[^/]*$}{}r);
		open my $fh, '>:raw', "$dir/$name" or die "$dir/$name: $!\n";
		print $fh $text{$name};
		close $fh or die "$dir/$name: $!\n";
	}
	File::Path::make_path("$dir/$_") for qw(control eventdefs);
	return $dir;
}

# In the order of time; at equal times, in the order of CPUs and then of the file.
sub manifest {
	my ($w, %o) = @_;
	my $key = $o{wall} ? 'wall' : 'ts';
	return sort { $a->{$key} <=> $b->{$key} || $a->{cpu} <=> $b->{cpu} || $a->{group} cmp $b->{group} ||
		$a->{seq} <=> $b->{seq} } @{$w->{manifest}};
}

# The name of the buffer that a file's events are in: flight-cpu_3 takes the place of cpu_3 if there is no such file.
sub instance_of {
	my ($w, $group, $cpu) = @_;
	my $plain = $group =~ s{(^|/)flight-}{$1}r;
	$group = $plain if !$w->{files}{$plain}{$cpu};
	return $group eq 'cpu' ? '' : $group;
}

1;
