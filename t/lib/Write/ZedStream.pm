# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::ZedStream: writes zed streams, written from docs/zed-stream.pod alone: an independent writer for tests of the
# reader.
#
#	my $s = Write::ZedStream->new(meta => $bytes, page_size => 4096, clock => 'mono');
#	$s->pages(0, $bytes); $s->round($floor, 1); $s->comm("12 cat\n"); $s->end(10, 0);
#	$s->write($path);			# $s->{at}: [offset, kind] of each frame
#	$s->packed($kind, $payload);
#
#	Write::ZedStream::from_dat($path, %opt)	# of a real recording, see below
package Write::ZedStream;
use strict;
use warnings;
use Compare::DatRead;

sub new {
	my ($class, %o) = @_;
	my $s = bless { page_size => 4096, clock => 'mono', max => 8 << 20, piece => 1 << 20, %o, at => [] },
		$class;
	$s->{bytes} = pack('C8', 0x89, 0x5a, 0x45, 0x44, 0x0d, 0x0a, 0x1a, 0x0a)
		. pack('v v V', 1, 0, $s->{max});
	return $s if !defined $s->{meta};
	my $m = $s->{meta};
	for (my $p = 0; $p < length $m; $p += $s->{piece}) {
		frame($s, 1, substr $m, $p, $s->{piece});
	}
	frame($s, 9, '') if $s->{names};
	frame($s, 2, pack('Q< V Z*', length $m, $s->{page_size}, $s->{clock}));
	return $s;
}

sub frame {
	my ($s, $kind, $payload, $len) = @_;
	push @{$s->{at}}, [length $s->{bytes}, $kind];
	$s->{bytes} .= pack('V V', $kind, $len // length $payload) . $payload;
	return $s;
}

# One frame of zstd, by hand: raw blocks, and for zeros at the end blocks of one repeated byte.
sub zstd {
	my $p = shift;
	my $data = $p =~ s/\0+\z//r;
	my @blocks = map { [0, length, $_] } unpack '(a131072)*', $data;
	for (my $zeros = length($p) - length $data; $zeros > 0; $zeros -= 131_072) {
		push @blocks, [1, $zeros < 131_072 ? $zeros : 131_072, "\0"];
	}
	push @blocks, [0, 0, ''] if !@blocks;
	my $out = pack 'V C V', 0xfd2fb528, 0xa0, length $p;
	$out .= substr(pack('V', $blocks[$_][1] << 3 | $blocks[$_][0] << 1 | ($_ == $#blocks)), 0, 3) . $blocks[$_][2] for 0 .. $#blocks;
	return $out;
}

# A frame of KIND, packed; LEN is the length that it declares. {saved}: the bytes that packing saved in the stream.
sub packed {
	my ($s, $kind, $payload, $len) = @_;
	my $p = pack('V V', $kind, $len // length $payload) . zstd($payload);
	$s->{saved} = ($s->{saved} // 0) + length($payload) - length $p;
	return frame($s, 0x80000020, $p);
}

sub pages { my ($s, $cpu, $bytes) = @_; return frame($s, 3, pack('V', $cpu) . $bytes) }
sub round { my ($s, $floor, @busy) = @_; return frame($s, 4, pack('Q< V V*', $floor, scalar @busy, @busy)) }
sub comm { my ($s, $lines) = @_; return frame($s, 5, $lines) }
# [time, pid, name], ...
sub names { my ($s, @names) = @_; return frame($s, 9, join '', map { pack 'Q< V C/a*', @$_ } @names) }
sub format { my ($s, $system, $text) = @_; return frame($s, 6, "$system\0$text") }
sub stats { my ($s, $cpu, $text) = @_; return frame($s, 7, pack('V', $cpu) . $text) }
sub end { my ($s, $events, $lost) = @_; return frame($s, 8, pack('Q< Q<', $events, $lost)) }

sub write {
	my ($s, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $s->{bytes} or die "$path: $!\n";
	close $fh or die "$path: $!\n";
	return $path;
}

# ---------------------------------------------------------------- metadata

# The beginning of a trace.dat v7 with the sections of D (Compare::DatRead), all "none".  Left out: the ids in
# SKIP; SECTIONS (id => payload) replaces some.
sub meta {
	my ($d, %o) = @_;
	my ($S, $L, $Q) = @$d{qw(S L Q)};
	my $long = $d->{long};
	my $out = "\x17\x08\x44tracing" . "7\0" . chr($d->{be}) . chr($long) . pack($L, $o{page_size}) .
		"none\0\0";
	my $pointer = length $out;
	$out .= pack $Q, 0;
	my %place;
	for my $id (16 .. 21) {
		my $payload = $o{sections}{$id} // $d->{meta}{$id};
		next if !defined $payload || grep { $_ == $id } @{$o{skip} // []};
		$place{$id} = length $out;
		$out .= pack("$S $S $L $Q", $id, 0, 0xffffffff, length $payload) . $payload;
	}
	my @options = map { [$_ => pack $Q, $place{$_}] } sort { $a <=> $b } keys %place;
	push @options, [4 => "[$o{clock}]\0"] if $o{clock};
	push @options, @{$o{options} // []}, [8 => pack $L, $o{cpus}];
	my $size = 14;
	$size += 6 + length $_->[1] for @options;
	substr($out, $pointer, 8) = pack $Q, length $out;
	$out .= pack "$S $S $L $Q", 0, 0, 0xffffffff, $size;
	$out .= pack("$S $L", $_->[0], length $_->[1]) . $_->[1] for @options;
	return $out . pack "$S $L $Q", 0, 8, 0;
}

# The options of a v7 recording about times and the machine.
sub options_of {
	my $d = shift;
	return map { [@$_{qw(id data)}] } grep { my $i = $_->{id}; grep { $i == $_ } 1, 5, 7, 9, 12, 14 }
		map { @{$_->{opts} // []} } @{$d->{sections} // []}, $d;
}

# The kernel's statistics in a recording: [cpu, text].
sub stats_of {
	my $d = shift;
	return map { $_->{id} == 2 && $_->{data} =~ /^CPU: (\d+)\n([^\0]*)/ ? [$1, $2] : () }
		map { @{$_->{opts} // []} } @{$d->{sections} // []}, $d;
}

# The pages of a recording's top buffer: cpu => [page, ...], each of full size.
sub pages_of {
	my $d = shift;
	my $top = $d->{buffers}[0];
	my %of;
	for my $c (@{$top->{cpus}}) {
		my @pages = unpack "(a$top->{page})*", $c->{bytes};
		$of{$c->{cpu}} = \@pages if @pages;
	}
	return %of;
}

# The first stamp of a page.
sub page_time { my ($d, $page) = @_; return unpack $d->{Q}, $page }

# A page without the zeros after its data, as a recorder may cut it.
sub trimmed {
	my ($d, $page) = @_;
	my $commit = unpack $d->{L}, substr $page, 8 + ($d->{be} ? $d->{commit_size} - 4 : 0), 4;
	my $len = $d->{data_off} + ($commit & 0x7ffffff) + ($commit & 0x40000000 ? $d->{commit_size} : 0);
	return substr $page, 0, $len;
}

# A stream of the top buffer of the recording PATH.  Options: batch (pages of a CPU in one frame, 1), rounds (a round
# after each turn, 1), trim (cut the last page of each frame, 0), order (a sub that gives the CPUs of a turn), comms
# (where the names go: 'meta', 'first', 'needed'), cpus, skip, before (a sub called with the stream after READY), turns
# (a sub called before the round of each turn), end (0: leave END out), and new's.
sub from_dat {
	my ($path, %o) = @_;
	my $d = ref $path ? $path : Compare::DatRead::dat_read($path);
	my $top = $d->{buffers}[0];
	my %left = pages_of($d);
	my $most = 0;
	$_ >= $most and $most = $_ + 1 for keys %left;
	my ($told) = map { unpack $d->{L}, $_->{data} } grep { $_->{id} == 8 }
		map { @{$_->{opts} // []} } @{$d->{sections} // []}, $d;
	$most = $told if $told && $told > $most;
	my $cpus = $o{cpus} // ($most || 1);
	my $where = $o{comms} // 'first';
	my $s = Write::ZedStream->new(%o, page_size => $top->{page}, clock => $top->{clock} || 'local',
		meta => meta($d, page_size => $top->{page}, cpus => $cpus, clock => $top->{clock} || 'local',
			options => [options_of($d), @{$o{options} // []}], sections => $o{sections},
			skip => [@{$o{skip} // []}, $where eq 'meta' ? () : 21]));
	my $names = $d->{meta}{21} // pack $d->{Q}, 0;
	$names = substr $names, 8;
	$names =~ s/\0.*//s;
	$s->comm($names) if $where eq 'first' && length $names;
	$o{before}->($s) if $o{before};
	my $batch = $o{batch} // 1;
	my $turn = 0;
	while (grep { @$_ } values %left) {
		my @cpus = sort { $a <=> $b } grep { @{$left{$_}} } keys %left;
		@cpus = $o{order}->($turn, @cpus) if $o{order};
		for my $cpu (@cpus) {
			my @some = splice @{$left{$cpu}}, 0, $batch;
			$some[-1] = trimmed($d, $some[-1]) if $o{trim};
			$s->pages($cpu, join '', @some);
		}
		$o{turns}->($s, $turn) if $o{turns};
		if ($o{rounds} // 1) {
			# On each CPU everything taken is earlier than the rest: the minimum of the rest is a floor.
			my ($floor) = sort { $a <=> $b } map { page_time($d, $_->[0]) } grep { @$_ } values %left;
			$s->round($floor) if defined $floor;
		}
		$o{each}->($s, $turn) if $o{each};
		$turn++;
	}
	my %stats = map { @$_ } stats_of($d);
	$s->stats($_, $stats{$_}) for sort { $a <=> $b } keys %stats;
	$s->end(0, 0) if $o{end} // 1;
	return $s;
}

1;
