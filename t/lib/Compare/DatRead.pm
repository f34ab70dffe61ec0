# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::DatRead: reads a trace.dat (v7 as shipped, or v6) and walks its ring-buffer pages, for t/tools/cutdat.pl and
# as a second opinion in tests.  It shares no code with the reader, on purpose.  It is for files that are known to be
# sound, and dies at the first error.

package Compare::DatRead;
use strict;
use warnings;
no warnings 'portable';
use File::Temp ();

# ---------------------------------------------------------------- codecs

sub pipe_through {
	my ($cmd, $in) = @_;
	my $tmp = File::Temp->new;
	binmode $tmp;
	print {$tmp} $in or die "temporary file: $!\n";
	close $tmp or die "temporary file: $!\n";
	open my $fh, '-|', "$cmd < " . $tmp->filename or die "$cmd: $!\n";
	binmode $fh;
	local $/;
	my $out = <$fh>;
	close $fh or die "$cmd failed; zstd is in the package of that name: apt-get install zstd\n";
	return defined $out ? $out : '';
}

# A run of blocks is unpacked in one go: zstd frames may follow each other in one stream.
sub unpack_blocks {
	my ($codec, @blocks) = @_;        # each [csize bytes, usize]
	return map { $_->[0] } @blocks if $codec eq 'none';
	my @out;
	if ($codec eq 'zlib') {
		require Compress::Zlib;
		@out = map { Compress::Zlib::uncompress($_->[0]) } @blocks;
	} elsif ($codec eq 'zstd') {
		return () unless @blocks;
		my $all = pipe_through('zstd -dcq', join '', map { $_->[0] } @blocks);
		my $at = 0;
		for (@blocks) {
			push @out, substr $all, $at, $_->[1];
			$at += $_->[1];
		}
	} else {
		die "unknown compression '$codec'\n";
	}
	for my $i (0 .. $#blocks) {
		die "a block did not unpack to its stated size\n"
			unless defined $out[$i] && length $out[$i] == $blocks[$i][1];
	}
	return @out;
}

# ---------------------------------------------------------------- reading

sub take {
	my ($d, $off, $len) = @_;
	die sprintf("0x%x: %d bytes wanted past the end of the file\n", $off, $len)
		if $off < 0 || $len < 0 || $off + $len > length $d->{bytes};
	return substr $d->{bytes}, $off, $len;
}

sub num {
	my ($d, $letter, $off) = @_;
	my %size = (S => 2, L => 4, Q => 8);
	return unpack $d->{$letter}, take($d, $off, $size{$letter});
}

sub cstr {
	my ($d, $off) = @_;
	my $end = index $d->{bytes}, "\0", $off;
	die sprintf("0x%x: string without end\n", $off) if $end < 0;
	return substr $d->{bytes}, $off, $end - $off;
}

# Returns the parsed file: {ver, be, long, page, codec, meta => {id => bytes}, buffers => [...], and for writing it
# again: sections, options (v7) or the v6 pieces}.  With $lazy the pages of a CPU are unpacked only by cpu_load.
sub dat_read {
	my ($path, $lazy) = @_;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	local $/;
	my $d = { path => $path, bytes => scalar <$fh>, lazy => $lazy };
	close $fh;
	die "$path: not a trace.dat\n" unless substr($d->{bytes}, 0, 10) eq "\x17\x08\x44tracing";
	$d->{ver} = cstr($d, 10);
	my $at = 11 + length $d->{ver};
	$d->{be} = ord take($d, $at, 1);
	$d->{long} = ord take($d, $at + 1, 1);
	@$d{qw(S L Q)} = $d->{be} ? qw(n N Q>) : qw(v V Q<);
	$d->{page} = num($d, 'L', $at + 2);
	$d->{start} = $at + 6;
	if ($d->{ver} eq '7') {
		read_v7($d);
	} elsif ($d->{ver} eq '6') {
		read_v6($d);
	} else {
		die "$path: version $d->{ver}\n";
	}
	read_header_page($d);
	return $d;
}

sub read_header_page {
	my ($d) = @_;
	my $n = unpack $d->{Q}, substr $d->{meta}{16}, 12, 8;
	my $text = substr $d->{meta}{16}, 20, $n;
	die "$d->{path}: header_page without data\n"
		unless $text =~ /\bcommit;\s*offset:\d+;\s*size:(\d+)/;
	$d->{commit_size} = $1;
	$text =~ /\bchar data;\s*offset:(\d+);/ or die "$d->{path}: header_page without data\n";
	$d->{data_off} = $1;
}

sub read_options {
	my ($d, $at, $v6) = @_;
	my @opts;
	while (1) {
		my $id = num($d, 'S', $at);
		return (\@opts, $at + 2) if $v6 && !$id;
		my $len = num($d, 'L', $at + 2);
		push @opts, { id => $id, data => take($d, $at + 6, $len) };
		$at += 6 + $len;
		return (\@opts, $at) if !$id;
	}
}

sub read_v7 {
	my ($d) = @_;
	my $at = $d->{start};
	$d->{codec} = cstr($d, $at);
	$d->{codec_ver} = cstr($d, $at + 1 + length $d->{codec});
	$at += 2 + length($d->{codec}) + length $d->{codec_ver};
	my $first = num($d, 'Q', $at);
	$at += 8;
	my %sec;
	while ($at < length $d->{bytes}) {
		my $s = { off => $at, id => num($d, 'S', $at), flags => num($d, 'S', $at + 2),
			  str => take($d, $at + 4, 4), size => num($d, 'Q', $at + 8) };
		take($d, $at + 16, $s->{size});
		$sec{$at} = $s;
		push @{ $d->{sections} }, $s;
		$at += 16 + $s->{size};
	}
	$d->{first_options} = $first;
	my %seen;
	for (my $o = $first; $o; ) {
		my $s = $sec{$o} or die sprintf("0x%x: no options section there\n", $o);
		die sprintf("0x%x: options in a loop\n", $o) if $seen{$o}++;
		die sprintf("0x%x: compressed options\n", $o) if $s->{flags} & 1;
		($s->{opts}) = read_options($d, $o + 16, 0);
		$o = unpack $d->{Q}, $s->{opts}[-1]{data};
	}
	for my $s (@{ $d->{sections} }) {
		next if $s->{id} == 3 || $s->{id} == 0;
		if ($s->{id} == 22) {
			$s->{verbatim} = 1;
			next;
		}
		$s->{payload} = take($d, $s->{off} + 16, $s->{size});
		if ($s->{flags} & 1) {
			my ($csize, $usize) = unpack "$d->{L}2", $s->{payload};
			($s->{payload}) = unpack_blocks($d->{codec},
				[ substr($s->{payload}, 8, $csize), $usize ]);
		}
		$d->{meta}{ $s->{id} } = $s->{payload};
	}
	for my $o (map { @{ $_->{opts} || [] } } @{ $d->{sections} }) {
		next unless $o->{id} == 3;
		my ($soff, $name, $clock, $page, $ncpu) =
			unpack "$d->{Q} Z* Z* $d->{L} $d->{L}", $o->{data};
		my $b = { name => $name, clock => $clock, page => $page, opt => $o,
			  sec => $sec{$soff} };
		my $p = 8 + 2 + length($name) + length($clock) + 8;
		for (1 .. $ncpu) {
			my @entry = unpack "$d->{L} $d->{Q} $d->{Q}", substr $o->{data}, $p, 20;
			$p += 20;
			push @{ $b->{cpus} }, read_cpu($d, @entry, $b->{sec}{flags} & 1);
		}
		$b->{sec}{buffer} = $b;
		push @{ $d->{buffers} }, $b;
	}
}

sub read_cpu {
	my ($d, $cpu, $off, $size, $packed) = @_;
	my $c = { cpu => $cpu, bytes => '' };
	if (!$packed) {
		$c->{bytes} = $size ? take($d, $off, $size) : '';
		return $c;
	}
	my $at = $off + 4;
	my @blocks;
	for (1 .. num($d, 'L', $off)) {
		my ($cs, $us) = (num($d, 'L', $at), num($d, 'L', $at + 4));
		push @blocks, [ take($d, $at + 8, $cs), $us ];
		$at += 8 + $cs;
	}
	$c->{short} = $at - $off - $size;     # 4: writers up to 3.1.6 leave the count word out
	$c->{blocks} = \@blocks;
	cpu_load($d, $c) unless $d->{lazy};
	return $c;
}

sub cpu_load {
	my ($d, $c) = @_;
	$c->{bytes} = join '', unpack_blocks($d->{codec}, @{ $c->{blocks} }) if $c->{blocks};
}

sub read_v6 {
	my ($d) = @_;
	$d->{codec} = 'none';
	my $at = $d->{start};
	my $from = $at;
	$at += 12;
	$at += 8 + num($d, 'Q', $at) + 13;
	$at += 8 + num($d, 'Q', $at);
	my $cut = sub {
		my ($id) = @_;
		$d->{meta}{$id} = take($d, $from, $at - $from);
		$from = $at;
	};
	$cut->(16);
	my $n = num($d, 'L', $at);
	$at += 4;
	$at += 8 + num($d, 'Q', $at) for 1 .. $n;
	$cut->(17);
	$n = num($d, 'L', $at);
	$at += 4;
	for (1 .. $n) {
		$at += 1 + length cstr($d, $at);
		my $events = num($d, 'L', $at);
		$at += 4;
		$at += 8 + num($d, 'Q', $at) for 1 .. $events;
	}
	$cut->(18);
	for my $id (19, 20) {
		$at += 4 + num($d, 'L', $at);
		$cut->($id);
	}
	$at += 8 + num($d, 'Q', $at);
	$cut->(21);
	$d->{ncpu} = num($d, 'L', $at);
	$at += 4;
	if (take($d, $at, 7) eq 'options') {
		($d->{opts}, $at) = read_options($d, $at + 10, 1);
		$d->{has_options} = 1;
	}
	if (take($d, $at, 7) eq 'latency') {
		$d->{tail} = substr $d->{bytes}, $at;
		return;
	}
	push @{ $d->{buffers} }, read_v6_buffer($d, $at, '', undef);
	for my $o (grep { $_->{id} == 3 } @{ $d->{opts} || [] }) {
		my ($off, $name) = unpack "$d->{Q} Z*", $o->{data};
		push @{ $d->{buffers} }, read_v6_buffer($d, $off, $name, $o);
	}
}

sub read_v6_buffer {
	my ($d, $at, $name, $opt) = @_;
	my $b = { name => $name, page => $d->{page}, opt => $opt, at => $at, clock => '' };
	die sprintf("0x%x: no flyrecord\n", $at) unless take($d, $at, 9) eq 'flyrecord';
	$at += 10;
	my $has_clock = $opt || grep { $_->{id} == 4 } @{ $d->{opts} || [] };
	my $tail = $at + 16 * $d->{ncpu};
	$b->{clock_bytes} = $has_clock ? take($d, $tail, 8 + num($d, 'Q', $tail)) : '';
	$b->{clock} = $1 if $b->{clock_bytes} =~ /\[(\S+)\]/;
	for my $cpu (0 .. $d->{ncpu} - 1) {
		push @{ $b->{cpus} }, 
			read_cpu($d, $cpu, num($d, 'Q', $at), num($d, 'Q', $at + 8), 0);
		$at += 16;
	}
	return $b;
}

# ---------------------------------------------------------------- pages

# Calls $on->(event id, time, offset of the record in $$bytes, its length) for each record, and $lost->(count, type_len
# of the first record) for each page with lost events before it; count is undef where the kernel did not store one.
sub walk_pages {
	my ($d, $bytes, $psize, $on, $lost) = @_;
	my ($L, $Q, $S) = @$d{qw(L Q S)};
	my $D = $d->{data_off};
	for (my $p = 0; $p + $psize <= length $$bytes; $p += $psize) {
		my $ts = unpack $Q, substr $$bytes, $p, 8;
		my $low = $p + 8 + ($d->{be} ? $d->{commit_size} - 4 : 0);
		my $commit = unpack $L, substr $$bytes, $low, 4;
		my $size = $commit & 0x7ffffff;
		die sprintf("page at 0x%x: %d bytes of data\n", $p, $size) if $D + $size > $psize;
		my ($at, $end) = ($p + $D, $p + $D + $size);
		if ($lost && $commit & 0x80000000) {
			my $w = $size ? unpack $L, substr $$bytes, $at, 4 : 0;
			my $stored = substr $$bytes, $end, $d->{commit_size};
			my $count = $commit & 0x40000000
				? unpack $d->{commit_size} == 8 ? $Q : $L, $stored : undef;
			$lost->($count, $d->{be} ? $w >> 27 : $w & 31);
		}
		while ($at + 4 <= $end) {
			my $w = unpack $L, substr $$bytes, $at, 4;
			my ($type, $delta) = $d->{be}
				? ($w >> 27, $w & 0x7ffffff) : ($w & 31, $w >> 5);
			my ($rec, $len);
			if ($type >= 1 && $type <= 28) {
				($rec, $len) = ($at + 4, 4 * $type);
			} elsif ($type == 29 && !$delta) {
				last;
			} else {
				my $word = unpack $L, substr $$bytes, $at + 4, 4;
				if ($type == 0) {
					($rec, $len) = ($at + 8, ($word + 3 & ~3) - 4);
				} elsif ($type == 29) {
					$ts += $delta;
					$at += 4 + $word;
					next;
				} else {
					my $v = ($word << 27) + $delta;
					$ts = $type == 30 ? $ts + $v
						: $v | $ts & 0xf800000000000000;
					$at += 8;
					next;
				}
			}
			die sprintf("record at 0x%x runs past its page\n", $at)
				if $len < 0 || $rec + $len > $end;
			$ts += $delta;
			$on->(unpack($S, substr $$bytes, $rec, 2), $ts, $rec, $len) if $on;
			$at = $rec + $len;
		}
	}
}

1;
