# SPDX-License-Identifier: GPL-2.0-or-later
# A recording (a hash as Write::RfcSource makes it) into a file of the first draft of trace.dat version
# 7, the RFC of two mails of 2021-06-23, and into the version 7 that trace-cmd ships
# (uncompressed), so that both hold the very same pages.
#
# rfc_write(SOURCE, PATH, %options) returns the layout of the file: a list of [what, offset, bytes]. Without options the
# file follows the plainest reading of the mails. Options for points that they leave open:
#   compression  "none" (default) or "zlib": the name in the header; zlib compresses every
#                metadata section
#   library      version string after the name, default "" for none, "1.2.13" for zlib
#   buffer       "mail1" {name, offset of a flyrecord block}, "mail2" (default) {name, CPUs
#                with sections of their own}, "pages": BUFFER_COMPRESSED, one zlib block per
#                page; undef: no buffer at all
#   options_size "body" (default): the u64 at the head of an options section counts what
#                follows it; "all": itself too
#   sizes        "body" (default): section sizes count what follows the 20-byte header; "all":
#                the header too
#   place        CPU data of mail2: "behind" (directly after) its header, at the next page "boundary" (default;
#                the gap is zero), or "aligned": behind a header that was put so that the data
#                begins a page
#   gap_counted  1: the gap of place "boundary" is part of the sizes
#   zip_cpu      1: mail2's CPU sections are compressed as a whole
#   zip_off      1: no section is compressed although the header says zlib
#   level        zlib's level, default 9
#   map_page     bytes of a page as the maps have them, instead of the buffer's
#   map          "section" or "data": write a BUFFER_COMPRESSED_MAP per CPU that points at the
#                CPU's section, or after its header
#   fly_header   1: mail1's flyrecord block follows a section header, as all sections
#                that options point to
#   front        1: the first options section comes before everything else, its offsets
#                patched in later
#   chain        number of options sections (default 1), linked by DONE
#   before       options (each [id, payload]) written before the locations of the metadata;
#                after: after the buffers
#   clock_flag   1: TRACECLOCK of size 0
#   latency      text of a latency tracer: option 15 and its section, in place of buffers
#   without      {16..21 => 1}: metadata sections to leave out
#   sections     order of the metadata sections, default 16..21
package Write::Rfc;
use strict;
use warnings;
use Compress::Zlib ();

my $SECTION_HEADER = 20;
my ($DONE, $BUFFER, $TRACECLOCK, $CPUCOUNT, $TSC2NSEC, $LATENCY) = (0, 3, 4, 8, 14, 15);
my ($BUFFER_COMPRESSED, $BUFFER_COMPRESSED_MAP) = (22, 23);

sub p16 { my ($f, $v) = @_; return pack($f->{big} ? 'n' : 'v', $v) }
sub p32 { my ($f, $v) = @_; return pack($f->{big} ? 'N' : 'V', $v) }
sub p64 { my ($f, $v) = @_; return pack($f->{big} ? 'Q>' : 'Q<', $v) }

# Payloads of the metadata sections: both dialects kept those of v6.
sub metadata {
	my ($f, $s, $id) = @_;
	return join '', "header_page\0", p64($f, length $s->{header_page}), $s->{header_page},
		"header_event\0", p64($f, length $s->{header_event}), $s->{header_event} if $id == 16;
	my $texts = sub { map { p64($f, length $_) . $_ } @{ $_[0] } };
	return join '', p32($f, scalar @{ $s->{ftrace} }), $texts->($s->{ftrace}) if $id == 17;
	return join '', p32($f, scalar @{ $s->{systems} }), map {
		my ($name, $formats) = @$_;
		("$name\0", p32($f, scalar @$formats), $texts->($formats));
	} @{ $s->{systems} } if $id == 18;
	return p32($f, length $s->{kallsyms}) . $s->{kallsyms} if $id == 19;
	return p32($f, length $s->{printk}) . $s->{printk} if $id == 20;
	return p64($f, length $s->{cmdlines}) . $s->{cmdlines} if $id == 21;
	die "no metadata section $id\n";
}

# Bytes are appended to one string, so that an offset is a length and a later patch is a substr.
sub here { my $f = shift; return length $f->{out} }

sub put {
	my ($f, $what, $bytes) = @_;
	push @{ $f->{layout} }, [ $what, here($f), length $bytes ];
	$f->{out} .= $bytes;
}

sub pad_to { my ($f, $unit) = @_; $f->{out} .= "\0" x (-here($f) % $unit) }

sub finish {
	my ($f, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print {$fh} $f->{out} or die "$path: $!\n";
	close $fh or die "$path: $!\n";
	return $f->{layout};
}

sub section_header {
	my ($f, $type, $flags, $size, $full) = @_;
	my $own = $f->{o}{sizes} eq 'all' ? $SECTION_HEADER : 0;
	return p16($f, $type) . p16($f, $flags) . p64($f, $size + $own) . p64($f, $full + $own);
}

# A section as in the first mail; returns the offset of its header.
sub section {
	my ($f, $type, $payload, $zip) = @_;
	my $at = here($f);
	my $body = $zip ? Compress::Zlib::compress($payload, $f->{o}{level}) : $payload;
	put($f, "header $type", section_header($f, $type, $zip ? 1 : 0, length $body, length $payload));
	put($f, "section $type", $body);
	return $at;
}

# A CPU's own section (second mail); returns (offset of the header, size as the BUFFER record
# states it).
sub cpu_section {
	my ($f, $cpu, $data) = @_;
	my $o = $f->{o};
	my $unit = $f->{s}{page}{size};
	my $own = $o->{sizes} eq 'all' ? $SECTION_HEADER : 0;
	if ($o->{zip_cpu}) {
		my $at = section($f, $BUFFER, $data, 1);
		return ($at, $f->{layout}[-1][2] + $own);
	}
	$f->{out} .= "\0" x ((-here($f) - $SECTION_HEADER) % $unit) if $o->{place} eq 'aligned';
	my $at = here($f);
	my $gap = $o->{place} eq 'boundary' ? -($at + $SECTION_HEADER) % $unit : 0;
	my $size = length($data) + ($o->{gap_counted} ? $gap : 0);
	put($f, "header $BUFFER", section_header($f, $BUFFER, 0, $size, $size));
	$f->{out} .= "\0" x $gap;
	put($f, "cpu $cpu", $data);
	return ($at, $size + $own);
}

# PAGE, compressed; the same page again costs nothing.
my @last = ('', -1, '');
sub packed {
	my ($page, $level) = @_;
	@last = ($page, $level, Compress::Zlib::compress($page, $level)) if $page ne $last[0] || $level != $last[1];
	return $last[2];
}

# A CPU's section of separately compressed pages (second mail).
sub pages_section {
	my ($f, $cpu, $buf, $data) = @_;
	my $own = $f->{o}{sizes} eq 'all' ? $SECTION_HEADER : 0;
	my $body = '';
	for my $page (unpack "(a$buf->{page_size})*", $data) {
		my $block = packed($page, $f->{o}{level});
		$body .= p32($f, length $block) . $block;
	}
	my $at = here($f);
	my $size = length $body;
	put($f, "header $BUFFER_COMPRESSED", section_header($f, $BUFFER_COMPRESSED, 0, $size, $size));
	put($f, "pages $cpu", $body);
	return ($at, $size + $own);
}

# v6's block: marker, {offset, size} per CPU, u64 and text of the clock, then the data, each CPU
# page aligned.
sub flyrecord {
	my ($f, $buf) = @_;
	my $cpus = $f->{s}{cpu_count};
	my $clock = "[$buf->{clock}]";
	my $block = "flyrecord\0" . ("\0" x (16 * $cpus)) . p64($f, length $clock) . $clock;
	my $at = here($f);
	my $head = $f->{o}{fly_header} ? $SECTION_HEADER : 0;
	$f->{out} .= "\0" x ($head + length $block);
	my $table = '';
	for my $cpu (0 .. $cpus - 1) {
		my $data = $buf->{cpus}{$cpu} // '';
		pad_to($f, $f->{s}{page}{size});
		$table .= p64($f, here($f)) . p64($f, length $data);
		put($f, "cpu $cpu", $data) if length $data;
	}
	substr($block, 10, 16 * $cpus) = $table;
	my $header = $head ? section_header($f, $BUFFER, 0, length $block, length $block) : '';
	substr($f->{out}, $at, $head + length $block) = $header . $block;
	return $at;
}

sub buffer_options {
	my ($f, $buf) = @_;
	my $o = $f->{o};
	return [ $BUFFER, "$buf->{name}\0" . p64($f, flyrecord($f, $buf)) ] if $o->{buffer} eq 'mail1';
	my @ids = sort { $a <=> $b } keys %{ $buf->{cpus} };
	my $pages = $o->{buffer} eq 'pages';
	my $records = '';
	my @maps;
	for my $cpu (@ids) {
		my $data = $buf->{cpus}{$cpu};
		my ($at, $size) = $pages ? pages_section($f, $cpu, $buf, $data) : cpu_section($f, $cpu, $data);
		$records .= p32($f, $cpu) . p64($f, $at) . p64($f, $size);
		next if !$pages || !$o->{map};
		my $target = $o->{map} eq 'data' ? $at + $SECTION_HEADER : $at;
		push @maps, [ $BUFFER_COMPRESSED_MAP, p32($f, $o->{map_page} // $buf->{page_size}) . p32($f, $cpu)
			. p64($f, $f->{virtual}) . p64($f, $f->{virtual} + length $data) . p64($f, $target) ];
		$f->{virtual} += length $data;
	}
	my $head = "$buf->{name}\0" . p32($f, scalar @ids);
	return [ $BUFFER, $head . $records ] if !$pages;
	return ([ $BUFFER_COMPRESSED, $head . p32($f, $buf->{page_size}) . $records ], @maps);
}

sub option { my ($f, $o) = @_; return p16($f, $o->[0]) . p32($f, length $o->[1]) . $o->[1] }

sub options_section {
	my ($f, $options, $next) = @_;
	my $body = join '', map { option($f, $_) } @$options, [ $DONE, p64($f, $next) ];
	return p64($f, length($body) + ($f->{o}{options_size} eq 'all' ? 8 : 0)) . $body;
}

# The options in the requested number of sections, the last one first, so that each DONE knows where the next one is.
# The first one goes to $front when that is given.
sub put_options {
	my ($f, $options, $front) = @_;
	my $links = $f->{o}{chain};
	my @parts = map { [] } 1 .. $links;
	push @{ $parts[ int($_ * $links / @$options) ] }, $options->[$_] for 0 .. $#$options;
	my $next = 0;
	for my $i (reverse 0 .. $#parts) {
		my $bytes = options_section($f, $parts[$i], $next);
		if ($i == 0 && defined $front) {
			die "options outgrew their place\n" if length $bytes > $f->{o}{front_room};
			substr($f->{out}, $front, length $bytes) = $bytes;
			push @{ $f->{layout} }, [ 'options', $front, length $bytes ];
			$next = $front;
		} else {
			$next = here($f);
			put($f, 'options', $bytes);
		}
	}
	return $next;
}

sub rfc_write {
	my ($s, $path, %o) = @_;
	%o = (compression => 'none', buffer => 'mail2', options_size => 'body', sizes => 'body',
		place => 'boundary', level => 9, chain => 1, before => [], after => [],
		sections => [ 16 .. 21 ], without => {},
		front_room => 4096, %o);
	my $zlib = $o{compression} eq 'zlib';
	my $library = $o{library} // ($zlib ? '1.2.13' : '');
	my $zip = $zlib && !$o{zip_off};
	my $f = { big => $s->{big}, s => $s, o => \%o, out => '', layout => [], virtual => 1 << 40 };
	$f->{out} = "\x17\x08\x44tracing7\0" . pack('CC', $s->{big}, $s->{long})
		. "$o{compression}\0$library\0";
	my $root = here($f);
	$f->{out} .= "\0" x 8;
	my $front;
	if ($o{front}) {
		$front = here($f);
		$f->{out} .= "\0" x $o{front_room};
	}
	my @options = @{ $o{before} };
	push @options, [ $TRACECLOCK, '' ] if $o{clock_flag};
	for my $id (grep { !$o{without}{$_} } @{ $o{sections} }) {
		push @options, [ $id, p64($f, section($f, $id, metadata($f, $s, $id), $zip)) ];
	}
	push @options, [ $CPUCOUNT, p32($f, $s->{cpu_count}) ];
	if (defined $o{latency}) {
		push @options, [ $LATENCY, p64($f, section($f, $LATENCY, $o{latency}, $zip)) ];
	} elsif ($o{buffer}) {
		push @options, buffer_options($f, $_) for @{ $s->{buffers} };
	}
	push @options, @{ $o{after} };
	substr($f->{out}, $root, 8) = p64($f, put_options($f, \@options, $front));
	return finish($f, $path);
}

# Payload of the RFC's TSC2NSEC: three 4-byte numbers.
sub tsc2nsec { my ($s, @n) = @_; return [ $TSC2NSEC, join '', map { p32($s, $_) } @n ] }

# Payload of TIME_SHIFT as in the first mail, without fractions: per CPU a list of [time,
# offset, scaling].
sub time_shift {
	my ($s, $flags, @cpus) = @_;
	my $p = p64($s, 1) . p32($s, $flags) . p32($s, scalar @cpus);
	for my $samples (@cpus) {
		$p .= p32($s, scalar @$samples);
		for my $column (0 .. 2) { $p .= p64($s, $_->[$column]) for @$samples }
	}
	return [ 12, $p ];
}

# shipped_write(SOURCE, PATH, options => [[id, payload]...], latency => TEXT): the same
# recording as trace-cmd 3.x writes it without compression.
sub shipped_write {
	my ($s, $path, %o) = @_;
	my $f = { big => $s->{big}, s => $s, out => '', layout => [] };
	my $head = sub {
		my ($id, $size) = @_;
		return p16($f, $id) . p16($f, 0) . p32($f, 0xffffffff) . p64($f, $size);
	};
	my $add = sub {
		my ($id, $body) = @_;
		my $at = here($f);
		put($f, "section $id", $head->($id, length $body) . $body);
		return $at;
	};
	my $done = [ 0, p64($f, 0) ];
	my $last_done;
	my $add_options = sub {
		my $body = join '', map { option($f, $_) } @_, $done;
		my $at = $add->(0, $body);
		substr($f->{out}, $last_done, 8) = p64($f, $at) if $last_done;
		$last_done = here($f) - 8;
	};
	$f->{out} = "\x17\x08\x44tracing7\0" . pack('CC', $s->{big}, $s->{long})
		. p32($f, $s->{page}{size}) . "none\0\0";
	$last_done = here($f);
	$f->{out} .= "\0" x 8;
	my @options = map { [ $_, p64($f, $add->($_, metadata($f, $s, $_))) ] } 16 .. 21;
	push @options, [ 4, "[$s->{buffers}[0]{clock}]\n\0" ], [ 8, p32($f, $s->{cpu_count}) ],
		@{ $o{options} || [] };
	$add_options->(@options);
	if (defined $o{latency}) {
		my $at = $add->(22, $o{latency});
		$add_options->([ 22, p64($f, $at) . "\0local\0" ]);
		return finish($f, $path);
	}
	for my $buf (@{ $s->{buffers} }) {
		my $at = here($f);
		my @ids = sort { $a <=> $b } keys %{ $buf->{cpus} };
		my $records = '';
		$f->{out} .= $head->(3, 0);
		for my $cpu (@ids) {
			pad_to($f, $buf->{page_size});
			$records .= p32($f, $cpu) . p64($f, here($f)) . p64($f, length $buf->{cpus}{$cpu});
			put($f, "cpu $cpu", $buf->{cpus}{$cpu});
		}
		substr($f->{out}, $at + 8, 8) = p64($f, here($f) - $at - 16);
		$add_options->([ 3, p64($f, $at) . "$buf->{name}\0$buf->{clock}\0" . p32($f, $buf->{page_size})
			. p32($f, scalar @ids) . $records ]);
	}
	return finish($f, $path);
}

1;
