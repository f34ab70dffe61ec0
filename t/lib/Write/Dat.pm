# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Dat: writes small whole trace.dat files (v7 as shipped, and v6) from the description of the format alone, with
# a name for every place worth damaging.  It shares no code with the reader.
#
#	my $d = Write::Dat->new(version => 7, big => 1, long => 4, compression => 'zlib');
#	$d->poke('buffer.ncpus', $d->u32(0x7fffffff));	# damage
#	$d->write($path);				# ->events are those of an undamaged file
package Write::Dat;
use strict;
use warnings;
use Compress::Zlib ();
use File::Temp ();

our $MAGIC = "\x17\x08\x44tracing";
our $BASE = 1_000_000_000;	# ns: stamp of the first event

sub new {
	my ($class, %o) = @_;
	my $d = bless {
		version => 7, big => 0, long => 8, page_size => 1024, compression => 'none',
		cpus => 2, pages => 2, ticks => 6, clock => 'local', instances => [],
		options => [],		# further [id, payload] for the first options section
		options_after => [],	# v6: the same, after the instances'
		host_numbers => 0,	# BUFFER's numbers little-endian in any file (trap 11)
		slack => 0,		# bytes after each compressed section, as 3.0.x left (trap 13)
		pid => 77, comm => 'mini', %o,
		bytes => '', at => {}, events => [],
	}, $class;
	# cgroups => 1: a log of them, as zedtrace writes it.
	push @{$d->{options}}, [0x7a63, 'zedcgrps' . pack '(Q< V V v/a*)*', 0, $d->{pid}, 0, '/mini', $BASE + 2000, 78, $d->{pid}, '']
		if $d->{cgroups};
	$d->{data_off} = 8 + $d->{long};
	$d->{version} == 6 ? $d->make6 : $d->make7;
	return $d;
}

# ---------------------------------------------------------------- numbers and places

sub u16 { return pack($_[0]{big} ? 'n' : 'v', $_[1] & 0xffff) }
sub u32 { return pack($_[0]{big} ? 'N' : 'V', $_[1] & 0xffffffff) }
sub u64 { return pack($_[0]{big} ? 'Q>' : 'Q<', $_[1]) }
sub ulong { return $_[0]{long} == 8 ? u64(@_) : u32(@_) }

# Append, and record the place under NAMEs.
sub put {
	my ($d, $bytes, @names) = @_;
	$d->{at}{$_} = length $d->{bytes} for @names;
	$d->{bytes} .= $bytes;
	return;
}

sub at {
	my ($d, $name) = @_;
	return $d->{at}{$name} // die "Write::Dat: no place '$name'; there are: @{[sort keys %{$d->{at}}]}\n";
}

# Overwrite bytes at a place (plus an offset).
sub poke {
	my ($d, $name, $bytes, $plus) = @_;
	my $at = at($d, $name) + ($plus // 0);
	die "Write::Dat: poke past the end at '$name'\n" if $at + length $bytes > length $d->{bytes};
	substr($d->{bytes}, $at, length $bytes) = $bytes;
	return $d;
}

sub cut { my ($d, $len) = @_; $d->{bytes} = substr $d->{bytes}, 0, $len; return $d }
sub size { return length $_[0]{bytes} }
sub events { return @{$_[0]{events}} }

sub write {
	my ($d, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $d->{bytes} or die "$path: $!\n";
	close $fh or die "$path: $!\n";
	return $path;
}

# ---------------------------------------------------------------- texts

sub header_page {
	my $d = shift;
	my $data = $d->{page_size} - $d->{data_off};
	return "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" .
		"\tfield: local_t commit;\toffset:8;\tsize:$d->{long};\tsigned:1;\n" .
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" .
		"\tfield: char data;\toffset:$d->{data_off};\tsize:$data;\tsigned:1;\n";
}

sub header_event {
	return "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n" .
		"\tarray       :   32 bits\n";
}

our $COMMON = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" .
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" .
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" .
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

sub format_text {
	my ($name, $id, $fields, $print) = @_;
	return "name: $name\nID: $id\nformat:\n$COMMON$fields\nprint fmt: $print\n";
}

sub formats {
	my $d = shift;
	return @{$d->{formats}} if $d->{formats};
	my $tick = "\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n" .
		"\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:1;\n";
	my $said = "\tfield:__data_loc char[] msg;\toffset:8;\tsize:4;\tsigned:1;\n" .
		"\tfield:__data_loc u32[] v;\toffset:12;\tsize:4;\tsigned:0;\n";
	return (
		[mini => format_text('tick', 300, $tick, '"n=%u who=%s", REC->n, REC->who')],
		[mini => format_text('said', 301, $said, '"msg=%s v=%s", __get_str(msg), ' .
			'__print_array(__get_dynamic_array(v), __get_dynamic_array_len(v) / 4, 4)')],
	);
}

sub kallsyms { return $_[0]{kallsyms} // "c0001000 T mini_start\nc0002000 t mini_end\t[mini]\n" }
sub printk { return $_[0]{printk} // qq{0xc0003000 : "said %d\\n"\n} }
sub cmdlines { return $_[0]{cmdlines} // "$_[0]{pid} $_[0]{comm}\n" }
sub trace_clock { return $_[0]{trace_clock} // "[$_[0]{clock}] global counter\n\0" }
sub uname { return $_[0]{uname} // "Linux mini 6.1.0 x86_64" }

# ---------------------------------------------------------------- records and pages

sub common {
	my ($d, $id) = @_;
	return u16($d, $id) . "\x01\x00" . u32($d, $d->{pid});
}

sub tick { my ($d, $n) = @_; return common($d, 300) . u32($d, $n) . pack('a8', "cpu$n") }

sub said {
	my ($d, $text, @v) = @_;
	my $len = length($text) + 1;
	my $v_at = (16 + $len + 3) & ~3;
	my $rec = common($d, 301) . u32($d, $len << 16 | 16) . u32($d, 4 * @v << 16 | $v_at) . "$text\0";
	$rec .= "\0" while length($rec) < $v_at;
	return $rec . join '', map { u32($d, $_) } @v;
}

# An event header; then TYPE's words.
sub head {
	my ($d, $type, $delta) = @_;
	return u32($d, $d->{big} ? ($type << 27 | $delta) : ($delta << 5 | $type));
}

sub data_event {
	my ($d, $delta, $rec) = @_;
	$rec .= "\0" while length($rec) % 4;
	my $len = length $rec;
	return head($d, $len / 4, $delta) . $rec if $len && $len <= 112;
	return head($d, 0, $delta) . u32($d, $len + 4) . $rec;
}

# A sub-buffer of the given data; MORE: flags => bits for the commit word, tail => bytes after the data.
sub page {
	my ($d, $ts, $data, %more) = @_;
	my $commit = length($data) | ($more{flags} // 0);
	my $p = u64($d, $ts) . ulong($d, $commit) . $data . ($more{tail} // '');
	die "Write::Dat: page too full\n" if length $p > $d->{page_size};
	return $p . "\0" x ($d->{page_size} - length $p);
}

# The pages of one CPU: TICKS ticks and one text each, 1000 ns apart; notes the events.
sub cpu_pages {
	my ($d, $cpu, $instance) = @_;
	my @pages;
	my $ts = $BASE + 100 * $cpu;
	for my $page (0 .. $d->{pages} - 1) {
		my ($data, $first, $delta) = ('', $ts, 0);
		for my $k (0 .. $d->{ticks} - 1) {
			my $n = 1000 * $cpu + 100 * $page + $k;
			$data .= data_event($d, $delta, tick($d, $n));
			push @{$d->{events}}, { cpu => $cpu, ts => $ts, name => 'tick', n => $n,
				page => $page, instance => $instance };
			$delta = 1000;
			$ts += 1000;
		}
		$data .= data_event($d, $delta, said($d, "page $page", $cpu, $page));
		push @{$d->{events}}, { cpu => $cpu, ts => $ts, name => 'said', page => $page,
			instance => $instance };
		$ts += 1000;
		push @pages, page($d, $first, $data);
	}
	return @pages;
}

# ---------------------------------------------------------------- the parts that both versions have

sub file_head {
	my $d = shift;
	put($d, $MAGIC, 'magic');
	put($d, "$d->{version}\0", 'version');
	put($d, chr $d->{big}, 'endian');
	put($d, chr $d->{long}, 'long');
	put($d, u32($d, $d->{page_size}), 'page_size');
	return;
}

sub headers_payload {
	my $d = shift;
	my ($p, $e) = ($d->{header_page} // header_page($d), header_event());
	return "header_page\0" . u64($d, length $p) . $p . "header_event\0" . u64($d, length $e) . $e;
}

sub ftrace_payload { return u32($_[0], 0) }

sub formats_payload {
	my $d = shift;
	my (@order, %of);
	for my $f (formats($d)) {
		push @order, $f->[0] if !$of{$f->[0]};
		push @{$of{$f->[0]}}, $f->[1];
	}
	my $out = u32($d, scalar @order);
	for my $system (@order) {
		$out .= "$system\0" . u32($d, scalar @{$of{$system}});
		$out .= u64($d, length) . $_ for @{$of{$system}};
	}
	return $out;
}

# ---------------------------------------------------------------- version 7

sub packed {
	my ($d, $bytes) = @_;
	return Compress::Zlib::compress($bytes) if $d->{compression} eq 'zlib';
	my $in = File::Temp->new;
	binmode $in;
	print $in $bytes;
	close $in;
	my $out = `zstd -q -c --no-content-size @{[$in->filename]}`;
	die "Write::Dat: zstd failed\n" if $? || !length $out;
	return $out;
}

sub section {
	my ($d, $id, $name, $payload, $flat) = @_;
	my $zip = $d->{compression} ne 'none' && !$flat;
	put($d, u16($d, $id), $name);
	put($d, u16($d, $zip ? 1 : 0), "$name.flags");
	put($d, u32($d, -1));
	if ($zip) {
		my $z = packed($d, $payload);
		put($d, u64($d, 8 + $d->{slack} + length $z), "$name.size");
		put($d, u32($d, length $z), "$name.csize");
		put($d, u32($d, length $payload), "$name.usize");
		put($d, $z, "$name.data");
		put($d, "\0" x $d->{slack});
	} else {
		put($d, u64($d, length $payload), "$name.size");
		put($d, $payload, "$name.data");
	}
	return;
}

# An options section; OPTIONS are [id, payload, label].  The place "LABEL.done" is DONE's offset.
sub options_section {
	my ($d, $label, @options) = @_;
	my $size = 14;
	$size += 6 + length $_->[1] for @options;
	put($d, u16($d, 0) . u16($d, 0) . u32($d, -1), $label);
	put($d, u64($d, $size), "$label.size");
	for my $o (@options) {
		my $name = $o->[2] // "option.$o->[0]";
		put($d, u16($d, $o->[0]), $name);
		put($d, u32($d, length $o->[1]), "$name.size");
		put($d, $o->[1], "$name.data");
	}
	put($d, u16($d, 0) . u32($d, 8), "$label.end");
	put($d, u64($d, 0), "$label.done");
	return;
}

sub make7 {
	my $d = shift;
	file_head($d);
	put($d, "$d->{compression}\0", 'compression');
	put($d, ($d->{compression} eq 'none' ? '' : '1.0') . "\0", 'compression_version');
	put($d, u64($d, 0), 'options_offset');
	section($d, 16, 'headers', headers_payload($d));
	section($d, 17, 'ftrace', ftrace_payload($d));
	section($d, 18, 'formats', formats_payload($d));
	section($d, 19, 'kallsyms', u32($d, length kallsyms($d)) . kallsyms($d));
	section($d, 20, 'printk', u32($d, length printk($d)) . printk($d));
	section($d, 21, 'cmdlines', u64($d, length cmdlines($d)) . cmdlines($d));
	my %place = (16 => 'headers', 17 => 'ftrace', 18 => 'formats', 19 => 'kallsyms', 20 => 'printk',
		21 => 'cmdlines');
	poke($d, 'options_offset', u64($d, length $d->{bytes}));
	options_section($d, 'options',
		(map { [$_, u64($d, at($d, $place{$_}))] } 16 .. 20),
		[4, trace_clock($d)], [5, uname($d) . "\0"], [9, "3.1.6\0"],
		[11, u64($d, 0x1234)], [2, "CPU: 0\nentries: 1\n\0"], [21, u64($d, at($d, 'cmdlines'))],
		@{$d->{options}}, [8, u32($d, $d->{cpus})]);
	my $last = 'options';
	for my $name ('', @{$d->{instances}}) {
		my $tag = $name eq '' ? 'buffer' : "buffer-$name";
		my @cpus = buffer_section($d, $tag, $name);
		poke($d, "$last.done", u64($d, length $d->{bytes}));
		$last = "$tag.options";
		buffer_option($d, $tag, $name, @cpus);
	}
	section($d, 15, 'strings', "headers\0options\0", 1);
	return;
}

# The BUFFER section with its pages; returns [cpu, offset, size] of each.
sub buffer_section {
	my ($d, $tag, $name) = @_;
	my @cpus;
	put($d, u16($d, 3), $tag);
	put($d, u16($d, $d->{compression} eq 'none' ? 0 : 1) . u32($d, -1), "$tag.flags");
	put($d, u64($d, 0), "$tag.size");
	my $start = length $d->{bytes};
	for my $cpu (0 .. $d->{cpus} - 1) {
		my @pages = $d->{make_pages} ? $d->{make_pages}->($d, $cpu, $name)
			: cpu_pages($d, $cpu, $name);
		put($d, "\0" x (-length($d->{bytes}) % $d->{page_size}));
		my $at = length $d->{bytes};
		if ($d->{compression} eq 'none') {
			put($d, $pages[$_], "$tag.cpu$cpu.page$_") for 0 .. $#pages;
		} else {
			put($d, u32($d, scalar @pages), "$tag.cpu$cpu.count");
			for my $k (0 .. $#pages) {
				my $z = packed($d, $pages[$k]);
				put($d, u32($d, length $z), "$tag.cpu$cpu.chunk$k.csize");
				put($d, u32($d, length $pages[$k]), "$tag.cpu$cpu.chunk$k.usize");
				put($d, $z, "$tag.cpu$cpu.chunk$k");
			}
		}
		push @cpus, [$cpu, $at, length($d->{bytes}) - $at];
	}
	poke($d, "$tag.size", u64($d, length($d->{bytes}) - $start));
	return @cpus;
}

sub buffer_option {
	my ($file, $tag, $name, @cpus) = @_;
	my $d = $file->{host_numbers} ? bless { %$file, big => 0 }, ref $file : $file;
	my $head = u64($d, at($d, $tag)) . "$name\0$d->{clock}\0";
	my $payload = $head . u32($d, $d->{page_size}) . u32($d, scalar @cpus) .
		join '', map { u32($d, $_->[0]) . u64($d, $_->[1]) . u64($d, $_->[2]) } @cpus;
	options_section($file, "$tag.options", [3, $payload, "$tag.option"]);
	$d = $file;
	my $at = at($d, "$tag.option.data");
	$d->{at}{"$tag.name"} = $at + 8;
	$d->{at}{"$tag.page_size"} = $at + length $head;
	$d->{at}{"$tag.ncpus"} = $at + 4 + length $head;
	for my $k (0 .. $#cpus) {
		my $rec = $at + 8 + length($head) + 20 * $k;
		$d->{at}{"$tag.entry$k"} = $rec;
		$d->{at}{"$tag.entry$k.offset"} = $rec + 4;
		$d->{at}{"$tag.entry$k.size"} = $rec + 12;
	}
	return;
}

# ---------------------------------------------------------------- version 6

sub make6 {
	my $d = shift;
	file_head($d);
	put($d, headers_payload($d), 'headers');
	put($d, ftrace_payload($d), 'ftrace');
	put($d, formats_payload($d), 'formats');
	put($d, u32($d, length kallsyms($d)), 'kallsyms');
	put($d, kallsyms($d));
	put($d, u32($d, length printk($d)), 'printk');
	put($d, printk($d));
	put($d, u64($d, length cmdlines($d)), 'cmdlines');
	put($d, cmdlines($d));
	put($d, u32($d, $d->{cpus}), 'cpu_count');
	put($d, "options  \0", 'options_mark');
	for my $o ([4, trace_clock($d)], [5, uname($d) . "\0"], @{$d->{options}},
		(map { [3, u64($d, 0) . "$_\0", "instance.$_"] } @{$d->{instances}}),
		@{$d->{options_after}}) {
		my $name = $o->[2] // "option.$o->[0]";
		put($d, u16($d, $o->[0]), $name);
		put($d, u32($d, length $o->[1]), "$name.size");
		put($d, $o->[1], "$name.data");
	}
	put($d, u16($d, 0), 'options_end');
	flyrecord6($d, 'buffer', '');
	for my $name (@{$d->{instances}}) {
		poke($d, "instance.$name.data", u64($d, length $d->{bytes}));
		flyrecord6($d, "buffer-$name", $name);
	}
	return;
}

sub flyrecord6 {
	my ($d, $tag, $name) = @_;
	my $clock = "[$d->{clock}]";
	put($d, "flyrecord\0", "$tag.mark");
	for my $cpu (0 .. $d->{cpus} - 1) {
		put($d, u64($d, 0), "$tag.entry$cpu.offset");
		put($d, u64($d, 0), "$tag.entry$cpu.size");
	}
	put($d, u64($d, length $clock), "$tag.clock");
	put($d, $clock);
	for my $cpu (0 .. $d->{cpus} - 1) {
		put($d, "\0" x (-length($d->{bytes}) % $d->{page_size}));
		my @pages = $d->{make_pages} ? $d->{make_pages}->($d, $cpu, $name)
			: cpu_pages($d, $cpu, $name);
		poke($d, "$tag.entry$cpu.offset", u64($d, length $d->{bytes}));
		poke($d, "$tag.entry$cpu.size", u64($d, $d->{page_size} * @pages));
		put($d, $pages[$_], "$tag.cpu$cpu.page$_") for 0 .. $#pages;
	}
	return;
}

1;
