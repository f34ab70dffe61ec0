# SPDX-License-Identifier: GPL-2.0-or-later
#
# cutdat.pl: cuts a real trace.dat (v7 as shipped, or v6) to a small one that prints the same for the kept pages.
# Ring-buffer pages are copied byte for byte; kallsyms is cut to the symbols that the kept records or formats can refer
# to, printk_formats to the addresses that occur, event formats to the events that occur.  It shares no code with the
# reader, on purpose.

use strict;
use warnings;
no warnings 'portable';
use File::Basename ();
use Getopt::Long ();
use lib File::Basename::dirname(__FILE__) . '/../lib';
use Compare::DatRead;

my $USAGE = <<"END";
usage: perl cutdat.pl [options] IN.dat OUT.dat
  --pages N        keep at most N sub-buffers of each CPU of each buffer
  --skip N         leave out the first N sub-buffers of each CPU
  --keep SYSTEM    keep every event format of SYSTEM (repeat; 'all' keeps all)
  --kallsyms all   keep the whole of kallsyms
  --compression none   write the same file uncompressed (v7)
  --list           print what IN.dat holds (buffers, CPUs, pages, events, losses); write nothing
END

# ---------------------------------------------------------------- cutting

sub cut_pages {
	my ($d, $opt) = @_;
	for my $b (@{ $d->{buffers} }) {
		for my $c (@{ $b->{cpus} }) {
			my $old = length $c->{bytes};
			my $from = ($opt->{skip} || 0) * $b->{page};
			my $keep = defined $opt->{pages} ? $opt->{pages} * $b->{page} : $old;
			$c->{bytes} = $from < $old ? substr $c->{bytes}, $from, $keep : '';
			delete $c->{blocks} if length $c->{bytes} != $old;
		}
	}
}

# The contents of the kept records: their event ids, and every word of a kernel long's size in them.
sub what_occurs {
	my ($d) = @_;
	my (%id, %word);
	my $long = $d->{commit_size};
	my $one = $long == 8 ? $d->{Q} : $d->{L};
	for my $b (@{ $d->{buffers} || [] }) {
		for my $c (@{ $b->{cpus} || [] }) {
			Compare::DatRead::walk_pages($d, \$c->{bytes}, $b->{page}, sub {
				my ($id, undef, $rec, $len) = @_;
				$id{$id}++;
				my $r = substr $c->{bytes}, $rec, $len;
				$word{$_}++ for unpack "($one)*", $r;
				$word{$_}++ for $long == 8 ? unpack "($one)*", substr $r, 4 : ();
			});
		}
	}
	return (\%id, \%word);
}

sub cut_formats {
	my ($d, $id, $keep) = @_;
	my $bytes = $d->{meta}{18};
	my %keep = map { $_ => 1 } @$keep;
	my $out = '';
	my ($nsys, $at) = (0, 4);
	for (1 .. unpack $d->{L}, $bytes) {
		my $sys = unpack 'Z*', substr $bytes, $at;
		$at += 1 + length $sys;
		my $n = unpack $d->{L}, substr $bytes, $at, 4;
		$at += 4;
		my @kept;
		for (1 .. $n) {
			my $len = unpack $d->{Q}, substr $bytes, $at, 8;
			my $text = substr $bytes, $at + 8, $len;
			$at += 8 + $len;
			push @kept, $text
				if $keep{all} || $keep{$sys}
				|| $text =~ /^ID:\s*(\d+)/m && $id->{$1};
		}
		next unless @kept;
		$nsys++;
		$out .= "$sys\0" . pack($d->{L}, scalar @kept)
			. join '', map { pack($d->{Q}, length) . $_ } @kept;
	}
	$d->{meta}{18} = pack($d->{L}, $nsys) . $out;
}

sub cut_kallsyms {
	my ($d, $word) = @_;
	my $text = substr $d->{meta}{19}, 4;
	my @lines = split /^/, $text;
	my (@sym, %named);
	$named{$_} = 1 for map { /^print fmt:(.*)/ ? $1 =~ /([A-Za-z_]\w*)/g : () }
		split /\n/, $d->{meta}{17} . $d->{meta}{18};
	for my $i (0 .. $#lines) {
		my ($addr, $type, $name) = $lines[$i] =~ /^([0-9a-f]+) (\S) (\S+)/ or next;
		push @sym, [ hex $addr, $i, $name, $type ];
	}
	my @real = grep { $_->[3] !~ /^[aA]$/ && $_->[2] !~ /^\$/ } @sym;
	@real = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @real;
	my @addr = map { $_->[0] } @real;
	my %addr;
	for my $v (keys %$word) {
		my ($lo, $hi) = (0, scalar @addr);
		while ($lo < $hi) {
			my $mid = $lo + $hi >> 1;
			if ($addr[$mid] <= $v) { $lo = $mid + 1 } else { $hi = $mid }
		}
		next unless $lo;
		$addr{ $addr[ $lo - 1 ] } = 1;
		$addr{ $addr[$lo] } = 1 if $lo < @addr;
	}
	$addr{ $addr[-1] } = 1 if @addr;
	my %line = map { $_->[1] => 1 } grep { $addr{ $_->[0] } || $named{ $_->[2] } } @real;
	$text = join '', map { $lines[$_] } sort { $a <=> $b } keys %line;
	$d->{meta}{19} = pack($d->{L}, length $text) . $text;
}

sub cut_printk {
	my ($d, $word) = @_;
	my $text = join '', grep { /^\s*0x([0-9a-f]+) :/ && $word->{ hex $1 } }
		split /^/, substr $d->{meta}{20}, 4;
	$d->{meta}{20} = pack($d->{L}, length $text) . $text;
}

# ---------------------------------------------------------------- writing

sub pack_block {
	my ($codec, $bytes) = @_;
	return Compare::DatRead::pipe_through('zstd -19 -cq --no-check', $bytes) if $codec eq 'zstd';
	require Compress::Zlib;
	return Compress::Zlib::compress($bytes, 9);
}

sub cpu_data {
	my ($d, $b, $c, $codec) = @_;
	return $c->{bytes} if $codec eq 'none';
	my @blocks = $c->{blocks} ? @{ $c->{blocks} } : ();
	if (!$c->{blocks}) {
		my $chunk = 10 * $b->{page};
		for (my $at = 0; $at < length $c->{bytes}; $at += $chunk) {
			my $part = substr $c->{bytes}, $at, $chunk;
			push @blocks, [ pack_block($codec, $part), length $part ];
		}
	}
	return pack($d->{L}, scalar @blocks)
		. join '', map { pack("$d->{L}2", length $_->[0], $_->[1]) . $_->[0] } @blocks;
}

sub align {
	my ($n, $to) = @_;
	return int(($n + $to - 1) / $to) * $to;
}

# The sections keep their order; only sizes and the offsets that point at them change.
sub write_v7 {
	my ($d, $opt) = @_;
	my $codec = $opt->{compression} || $d->{codec};
	my $head = substr($d->{bytes}, 0, $d->{start}) . "$codec\0"
		. ($codec eq 'none' ? '' : $d->{codec_ver}) . "\0";
	my $at = 8 + length $head;
	my %new;
	for my $s (@{ $d->{sections} }) {
		$new{ $s->{off} } = $s->{new} = $at;
		my $packed = $codec ne 'none' && $s->{flags} & 1;
		$s->{out_flags} = $packed ? $s->{flags} : $s->{flags} & ~1;
		if ($s->{buffer}) {
			my $b = $s->{buffer};
			my @cpus = grep { length $_->{bytes} } @{ $b->{cpus} || [] };
			my $body = '';
			for my $c (@cpus) {
				my $to = align($at + 16 + length $body, $b->{page});
				$body .= "\0" x ($to - $at - 16 - length $body);
				my $data = cpu_data($d, $b, $c, $packed ? $codec : 'none');
				$c->{entry} = pack "$d->{L} $d->{Q} $d->{Q}", $c->{cpu}, $to,
					length($data) - ($packed ? $c->{short} : 0);
				$body .= $data;
			}
			$s->{body} = $body;
			$b->{opt}{data} = pack("$d->{Q} Z* Z* $d->{L} $d->{L}", $at, $b->{name},
					       $b->{clock}, $b->{page}, scalar @cpus)
				. join '', map { $_->{entry} } @cpus;
		} elsif ($s->{opts}) {
			# its numbers are known when all sections are placed, its length now
			my $len = 0;
			for my $o (@{ $s->{opts} }) {
				if ($o->{id} == 3) {
					my ($b) = grep { $_->{opt} == $o } @{ $d->{buffers} };
					$len += 6 + 18 + length($b->{name}) + length($b->{clock})
						+ 20 * grep { length $_->{bytes} }
						@{ $b->{cpus} || [] };
				} else {
					$len += 6 + length $o->{data};
				}
			}
			$s->{body} = "\0" x $len;
		} elsif ($s->{verbatim} || !defined $s->{payload}) {
			die "a compressed text buffer can only be kept as it is\n"
				if $s->{flags} & 1 && $codec ne $d->{codec};
			$s->{body} = Compare::DatRead::take($d, $s->{off} + 16, $s->{size});
		} else {
			my $p = $s->{id} == 15 ? $s->{payload} : $d->{meta}{ $s->{id} };
			if ($packed) {
				my $z = pack_block($codec, $p);
				$p = pack("$d->{L}2", length $z, length $p) . $z;
			}
			$s->{body} = $p;
		}
		$at += 16 + length $s->{body};
	}
	my $out = $head . pack $d->{Q}, $new{ $d->{first_options} };
	my %is_offset = map { $_ => 1 } 0, 16 .. 23, 25;
	for my $s (@{ $d->{sections} }) {
		if ($s->{opts}) {
			my $body = '';
			for my $o (@{ $s->{opts} }) {
				my $data = $o->{data};
				if ($is_offset{ $o->{id} }) {
					my $old = unpack $d->{Q}, $data;
					substr($data, 0, 8) = pack $d->{Q}, $old ? $new{$old} : 0;
				}
				$body .= pack("$d->{S} $d->{L}", $o->{id}, length $data) . $data;
			}
			die "an options section changed its length\n"
				if length $body != length $s->{body};
			$s->{body} = $body;
		}
		$out .= pack("$d->{S}2", $s->{id}, $s->{out_flags}) . $s->{str}
			. pack($d->{Q}, length $s->{body}) . $s->{body};
	}
	return $out;
}

sub write_v6 {
	my ($d) = @_;
	my $out = substr $d->{bytes}, 0, $d->{start};
	$out .= $d->{meta}{$_} for 16 .. 21;
	$out .= pack $d->{L}, $d->{ncpu};
	if ($d->{has_options}) {
		$out .= "options  \0";
		for my $o (@{ $d->{opts} }) {
			$o->{new} = 6 + length $out;
			$out .= pack("$d->{S} $d->{L}", $o->{id}, length $o->{data}) . $o->{data};
		}
		$out .= pack $d->{S}, 0;
	}
	return $out . $d->{tail} if defined $d->{tail};
	my ($top, @inst) = @{ $d->{buffers} };
	for my $b ($top, sort { $a->{at} <=> $b->{at} } @inst) {
		substr($out, $b->{opt}{new}, 8) = pack $d->{Q}, length $out if $b->{opt};
		$out .= "flyrecord\0";
		my $table = length $out;
		$out .= "\0" x (16 * $d->{ncpu}) . $b->{clock_bytes};
		for my $c (@{ $b->{cpus} }) {
			$out .= "\0" x (align(length $out, $d->{page}) - length $out);
			substr($out, $table, 16) = pack "$d->{Q}2", length $out, length $c->{bytes};
			$table += 16;
			$out .= $c->{bytes};
		}
	}
	return $out;
}

sub list {
	my ($d) = @_;
	printf "%s: v%s %s-endian, kernel long %d, %s\n", $d->{path}, $d->{ver},
		$d->{be} ? 'big' : 'little', $d->{commit_size}, $d->{codec};
	for my $b (@{ $d->{buffers} || [] }) {
		for my $c (@{ $b->{cpus} || [] }) {
			my ($n, @lost) = (0);
			Compare::DatRead::walk_pages($d, \$c->{bytes}, $b->{page}, sub { $n++ }, sub {
				my ($count, $type) = @_;
				push @lost, (defined $count ? $count : '?')
					. ($type > 28 ? "/type$type" : '');
			});
			printf "buffer '%s' clock %s cpu %d: %d pages of %d, %d events%s\n",
				@$b{qw(name clock)}, $c->{cpu}, length($c->{bytes}) / $b->{page},
				$b->{page}, $n, @lost ? ", lost @lost" : '';
		}
	}
}

sub main {
	my %opt = (keep => []);
	Getopt::Long::GetOptions(\%opt, 'pages=i', 'skip=i', 'keep=s@', 'kallsyms=s',
				 'compression=s', 'list') or die $USAGE;
	die $USAGE if @ARGV != ($opt{list} ? 1 : 2);
	die "--compression can only be none\n" if ($opt{compression} || 'none') ne 'none';
	my $d = Compare::DatRead::dat_read($ARGV[0]);
	cut_pages($d, \%opt);
	return list($d) if $opt{list};
	my ($id, $word) = what_occurs($d);
	cut_formats($d, $id, $opt{keep});
	cut_kallsyms($d, $word) if ($opt{kallsyms} || '') ne 'all';
	cut_printk($d, $word);
	my $out = $d->{ver} eq '7' ? write_v7($d, \%opt) : write_v6($d);
	open my $fh, '>:raw', $ARGV[1] or die "$ARGV[1]: $!\n";
	print {$fh} $out or die "$ARGV[1]: $!\n";
	close $fh or die "$ARGV[1]: $!\n";
	return 0;
}

eval { main(); 1 } or do { print STDERR "cutdat.pl: $@"; exit 1 };
