# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::ParquetRead: reads files of Apache Parquet, written from the description of the format alone, and dies where
# one violates it: magic, footer, offsets, sizes, levels, encodings, counts, statistics.  It shares no code with the
# writer.  Core Perl, and the tool zstd.
#
#	plan skip_all => parquet_no_reader() if parquet_no_reader();
#	my ($t, ...) = parquet_read($file, ...);	# {columns => [names], type => {name => 'int32' ...}, rows => [{name => value}], groups => [...], pairs => {}}
#
# Numbers are strings of digits, lists array references, null is undef.
package Compare::ParquetRead;
use strict;
use warnings;
use Exporter 'import';
use Compare::RealData;
use Files;
use Run::Process;

our @EXPORT = qw(parquet_no_reader parquet_read);

sub parquet_no_reader {
	return Compare::RealData::have_zstd() ? undef : 'no zstd tool: apt-get install zstd';
}

# ---- thrift's compact protocol: a structure is {id => value} ----

sub uvarint {
	my ($r) = @_;
	my ($v, $shift) = (0, 0);
	while (1) {
		die "a number runs past its end\n" if $r->[1] >= length $r->[0] || $shift > 63;
		my $b = ord substr $r->[0], $r->[1]++, 1;
		$v |= ($b & 127) << $shift;
		return $v if $b < 128;
		$shift += 7;
	}
}

sub zigzag {
	my $v = uvarint($_[0]);
	use integer;
	return ($v >> 1 & ~(1 << 63)) ^ -($v & 1);
}

sub thrift_value {
	my ($r, $type) = @_;
	return $type == 1 ? 1 : 0 if $type == 1 || $type == 2;
	return unpack 'c', substr $r->[0], $r->[1]++, 1 if $type == 3;
	return zigzag($r) if $type >= 4 && $type <= 6;
	if ($type == 8) {
		my $len = uvarint($r);
		die "a string runs past its end\n" if $r->[1] + $len > length $r->[0];
		$r->[1] += $len;
		return substr $r->[0], $r->[1] - $len, $len;
	}
	if ($type == 9) {
		my $head = ord substr $r->[0], $r->[1]++, 1;
		my $n = $head >> 4;
		$n = uvarint($r) if $n == 15;
		return [map { thrift_value($r, $head & 15) } 1 .. $n];
	}
	return thrift_struct($r) if $type == 12;
	die "thrift: type $type\n";
}

sub thrift_struct {
	my ($r) = @_;
	my (%s, $id);
	$id = 0;
	while (1) {
		die "a structure runs past its end\n" if $r->[1] >= length $r->[0];
		my $head = ord substr $r->[0], $r->[1]++, 1;
		return \%s if !$head;
		my $delta = $head >> 4;
		my $was = $id;
		$id = $delta ? $id + $delta : zigzag($r);
		die "thrift: field $id behind $was\n" if $id <= $was;
		$s{$id} = thrift_value($r, $head & 15);
	}
}

# ---- encodings ----

# N numbers of a hybrid of runs and packed bits.
sub hybrid {
	my ($r, $width, $n) = @_;
	my @v;
	while (@v < $n) {
		my $head = uvarint($r);
		if ($head & 1) {
			my $len = ($head >> 1) * $width;
			die "packed bits run past their end\n" if $r->[1] + $len > length $r->[0];
			my $bits = unpack 'b*', substr $r->[0], $r->[1], $len;
			$r->[1] += $len;
			die "padding within packed bits\n" if @v + ($head >> 1) * 8 > $n + 7;
			push @v, map { $width ? oct '0b' . reverse substr $bits, $_ * $width, $width : 0 } 0 .. ($head >> 1) * 8 - 1;
		} else {
			my $bytes = int(($width + 7) / 8);
			my $v = unpack 'V', substr($r->[0], $r->[1], $bytes) . "\0\0\0\0";
			$r->[1] += $bytes;
			die "an empty run, or one too long\n" if !$head || @v + ($head >> 1) > $n;
			push @v, ($v) x ($head >> 1);
		}
	}
	$#v = $n - 1;
	return @v;
}

sub delta {
	my ($r, $n) = @_;
	my ($block, $minis, $total) = map { uvarint($r) } 1 .. 3;
	die "delta: $total numbers, not $n\n" if $total != $n;
	die "delta: blocks of $block in $minis\n" if !$minis || $block % 128 || ($block / $minis) % 32;
	my $v = zigzag($r);
	my @v = ($v);
	use integer;
	while (@v < $n) {
		my $min = zigzag($r);
		my @width = unpack 'C*', substr $r->[0], $r->[1], $minis;
		$r->[1] += $minis;
		for my $width (@width) {
			last if @v >= $n;
			my $size = $block / $minis;
			my $bits = unpack 'b*', substr $r->[0], $r->[1], $size * $width / 8;
			die "delta: a block runs past its end\n" if length $bits < $size * $width;
			$r->[1] += $size * $width / 8;
			for my $i (0 .. $size - 1) {
				last if @v >= $n;
				my $d = $width ? unpack 'q<', pack 'b64', substr($bits, $i * $width, $width) . '0' x (64 - $width) : 0;
				$v = $v + $d + $min;
				push @v, $v;
			}
		}
	}
	return @v;
}

my %SIZE = (1 => 4, 2 => 8, 4 => 4, 5 => 8);

sub plain {
	my ($r, $physical, $n) = @_;
	if ($physical == 6) {
		my @v;
		for (1 .. $n) {
			my $len = unpack 'V', substr $r->[0], $r->[1], 4;
			die "a text runs past its end\n" if $r->[1] + 4 + $len > length $r->[0];
			push @v, substr $r->[0], $r->[1] + 4, $len;
			$r->[1] += 4 + $len;
		}
		return @v;
	}
	my $len = $n * $SIZE{$physical};
	die "numbers run past their end\n" if $r->[1] + $len > length $r->[0];
	$r->[1] += $len;
	return unpack { 1 => 'l<*', 2 => 'q<*', 4 => 'f<*', 5 => 'd<*' }->{$physical}, substr $r->[0], $r->[1] - $len, $len;
}

sub level_block {
	my ($r, $max, $n) = @_;
	return (0) x $n if !$max;
	my $len = unpack 'V', substr $r->[0], $r->[1], 4;
	my $in = [substr($r->[0], $r->[1] + 4, $len), 0];
	die "levels run past their end\n" if length $in->[0] != $len;
	$r->[1] += 4 + $len;
	my @v = hybrid($in, $max == 1 ? 1 : 2, $n);
	die "bytes behind the levels\n" if $in->[1] != $len;
	die "a level above $max\n" if grep { $_ > $max } @v;
	return @v;
}

# ---- the schema ----

my %CONVERTED = (0 => 'string', 19 => 'json', 15 => 'int8', 16 => 'int16', 17 => 'int32', 18 => 'int64', 11 => 'uint8', 12 => 'uint16', 13 => 'uint32', 14 => 'uint64');
my %BARE = (4 => 'float', 5 => 'double', 6 => 'binary');

sub type_of {
	my ($e) = @_;
	my $logical = $e->{10} // {};
	my ($kind) = keys %$logical;
	my $type = $logical->{8} ? 'timestamp' : defined $e->{6} ? $CONVERTED{$e->{6}} : $BARE{$e->{1}};
	die "an element without a meaning\n" if !defined $type;
	my $says = !defined $kind ? $type : $kind == 1 ? 'string' : $kind == 12 ? 'json' : $kind == 8 ? 'timestamp'
		: $kind == 10 ? ($logical->{10}{2} ? '' : 'u') . "int$logical->{10}{1}" : "logical $kind";
	die "the newer meaning $says and the older $type differ\n" if $says ne $type;
	die "a timestamp that is not of ns, or of UTC\n" if $type eq 'timestamp' && (!$logical->{8}{2}{3} || $logical->{8}{1});
	my $want = $type =~ /^u?int(?:8|16|32)$/ ? 1 : $type =~ /64|timestamp/ ? 2 : $type eq 'float' ? 4 : $type eq 'double' ? 5 : 6;
	die "type $type as physical $e->{1}\n" if $e->{1} != $want;
	return $type;
}

# [{name, type, physical, list, max definition, max repetition, path}]
sub columns {
	my ($schema) = @_;
	my @e = @$schema;
	my $root = shift @e;
	my @columns;
	for (1 .. $root->{5}) {
		my $e = shift @e;
		if ($e->{5}) {
			my ($list, $leaf) = splice @e, 0, 2;
			die "no list: $e->{4}\n" if $e->{6} != 3 || !$e->{10}{3} || $e->{3} != 1 || $list->{3} != 2 || $list->{4} ne 'list'
				|| $list->{5} != 1 || $leaf->{4} ne 'element' || $leaf->{3} != 0;
			push @columns, { name => $e->{4}, type => type_of($leaf), physical => $leaf->{1}, list => 1, def => 2, rep => 1, path => "$e->{4}\0list\0element" };
		} else {
			push @columns, { name => $e->{4}, type => type_of($e), physical => $e->{1}, def => $e->{3}, rep => 0, path => $e->{4} };
			die "$e->{4}: repetition $e->{3}\n" if $e->{3} > 1;
		}
	}
	die "more elements than columns\n" if @e;
	return @columns;
}

# A number by its type.
sub typed {
	my ($type, $v) = @_;
	return $v & 0xffffffff if $type =~ /^uint(?:8|16|32)$/;
	return unpack 'Q<', pack 'q<', $v if $type eq 'uint64';
	return $v;
}

# ---- a chunk ----

# The pages of a chunk: [head, packed bytes].
sub pages {
	my ($bytes, $meta) = @_;
	my $begin = $meta->{11} // $meta->{9};
	my ($at, $end) = ($begin, $begin + $meta->{7});
	my ($unpacked, @pages) = (0);
	while ($at < $end) {
		my $r = [substr($bytes, $at, $end - $at), 0];
		my $head = thrift_struct($r);
		die "a dictionary is not the first page\n" if $head->{1} == 2 && (@pages || !defined $meta->{11});
		die "data pages begin at $at, not $meta->{9}\n" if $head->{1} == 0 && !grep({ $_->[0]{1} == 0 } @pages) && $at != $meta->{9};
		push @pages, [$head, substr $r->[0], $r->[1], $head->{3}];
		die "a page runs past its chunk\n" if $r->[1] + $head->{3} > length $r->[0];
		$unpacked += $r->[1] + $head->{2};
		$at += $r->[1] + $head->{3};
	}
	die "unpacked size $meta->{6}, not $unpacked\n" if $unpacked != $meta->{6};
	return @pages;
}

# The values in a chunk's pages: [value or undef or [list], ...], one per row.
sub chunk_rows {
	my ($c, $meta, @pages) = @_;
	my (@dict, @rows, %used);
	my $levels = 0;
	for (@pages) {
		my ($head, $body) = @$_;
		my $r = [$body, 0];
		if ($head->{1} == 2) {
			@dict = plain($r, $c->{physical}, $head->{7}{1});
			die "bytes behind the dictionary\n" if $r->[1] != length $body;
			my %twice;
			die "a value stands twice in the dictionary\n" if grep { $twice{$_}++ } @dict;
			$used{0} = 1;
			next;
		}
		my $h = $head->{5};
		my $n = $h->{1};
		$levels += $n;
		my @rep = level_block($r, $c->{rep}, $n);
		my @def = level_block($r, $c->{def}, $n);
		my $have = grep { $_ == $c->{def} } @def;
		$used{$h->{2}} = 1;
		my @v;
		if ($h->{2} == 8) {
			my $width = ord substr $body, $r->[1]++, 1;
			my @index = hybrid($r, $width, $have);
			die "no such value in the dictionary\n" if grep { $_ >= @dict } @index;
			@v = @dict[@index];
		} elsif ($h->{2} == 5) {
			@v = delta($r, $have);
		} elsif ($h->{2} == 0) {
			@v = plain($r, $c->{physical}, $have);
		} else {
			die "encoding $h->{2}\n";
		}
		die "bytes behind the values: $r->[1] of @{[length $body]}\n" if $r->[1] != length $body;
		@v = map { typed($c->{type}, $_) } @v if $c->{physical} < 4;
		if (!$c->{list}) {
			push @rows, map { $_ ? shift @v : undef } $c->{def} ? @def : (1) x $n;
			next;
		}
		die "a page that does not begin with a row\n" if $n && $rep[0];
		for my $i (0 .. $n - 1) {
			push @rows, $def[$i] ? [] : undef if !$rep[$i];
			push @{$rows[-1]}, shift @v if $def[$i] == 2;
		}
	}
	die "$levels levels, not $meta->{5}\n" if $levels != $meta->{5};
	my %told = map { $_ => 1 } @{$meta->{2}};
	for (keys %used) {
		die "encoding $_ is not told\n" if !$told{$_};
	}
	return \@rows;
}

sub compare {
	my ($c, $x, $y) = @_;
	return $c->{physical} == 6 ? $x cmp $y : $x <=> $y;
}

# Are the statistics true?  Dies if not.
sub check_statistics {
	my ($c, $s, $rows) = @_;
	return if $c->{list};
	my @v = grep { defined } @$rows;
	die "nulls: $s->{3}, not " . (@$rows - @v) . "\n" if $s->{3} != @$rows - @v;
	return if !defined $s->{5};
	my ($max, $min) = map { $c->{physical} == 6 ? $_ : typed($c->{type}, plain([$_, 0], $c->{physical}, 1)) } @$s{5, 6};
	for (@v) {
		die "the value $_ is not from $min to $max\n" if compare($c, $_, $min) < 0 || compare($c, $_, $max) > 0;
	}
	die "nothing is $min or $max\n" if !grep({ compare($c, $_, $min) == 0 } @v) || !grep { compare($c, $_, $max) == 0 } @v;
	return;
}

# ---- files ----

# All packed pages at once: the frames follow each other, and the heads give the size of each.
sub unpack_all {
	my (@pages) = @_;
	my ($in, $out) = (Compare::RealData::temp(), Compare::RealData::temp());
	spew($in, join '', map { $_->[1] } @pages);
	my ($status) = reap(spawn({ stdin => $in, stdout => $out }, 'zstd', '-dcq'));
	die "zstd cannot unpack the pages\n" if $status;
	my $all = slurp($out);
	unlink $in, $out;
	my $at = 0;
	for (@pages) {
		$_->[1] = substr $all, $at, $_->[0]{2};
		$at += $_->[0]{2};
	}
	die "pages unpack to @{[length $all]} bytes, not $at\n" if $at != length $all;
	return;
}

# The footer and the packed pages: {footer, columns, groups, chunks}.
sub read_parts {
	my ($file) = @_;
	my $bytes = Compare::RealData::slurp($file);
	die "no magic\n" if length $bytes < 12 || substr($bytes, 0, 4) ne 'PAR1' || substr($bytes, -4) ne 'PAR1';
	my $len = unpack 'V', substr $bytes, -8, 4;
	die "the footer is longer than the file\n" if $len + 12 > length $bytes;
	my $r = [substr($bytes, -8 - $len, $len), 0];
	my $f = thrift_struct($r);
	die "bytes behind the footer\n" if $r->[1] != $len;
	my @columns = columns($f->{2});
	die "orders: @{[scalar @{$f->{7}}]} of @{[scalar @columns]} columns\n" if @{$f->{7}} != @columns;
	my (@chunks, @groups);
	for my $g (@{$f->{4}}) {
		die "a group of other columns\n" if @{$g->{1}} != @columns;
		my ($unpacked, $packed) = (0, 0);
		my %bounds;
		for my $i (0 .. $#columns) {
			my ($c, $meta) = ($columns[$i], $g->{1}[$i]{3});
			die "$c->{name}: told as @{$meta->{3}}\n" if join("\0", @{$meta->{3}}) ne $c->{path} || $meta->{1} != $c->{physical};
			die "$c->{name}: codec $meta->{4}\n" if $meta->{4} != 6;
			$unpacked += $meta->{6};
			$packed += $meta->{7};
			push @chunks, { c => $c, meta => $meta, pages => [pages($bytes, $meta)] };
			$bounds{$c->{name}} = [map { defined $_ && $c->{physical} != 6 ? typed($c->{type}, plain([$_, 0], $c->{physical}, 1)) : $_ } @{$meta->{12}}{6, 5}];
		}
		die "a group of $g->{2} bytes, not $unpacked; of $g->{6}, not $packed\n" if $g->{2} != $unpacked || $g->{6} != $packed;
		push @groups, { rows => $g->{3}, bounds => \%bounds };
	}
	my $end = 4;
	for (sort { $a->[0] <=> $b->[0] } map { [$_->{meta}{11} // $_->{meta}{9}, $_->{meta}{7}] } @chunks) {
		die "chunks overlap\n" if $_->[0] < $end;
		$end = $_->[0] + $_->[1];
	}
	die "chunks reach into the footer\n" if $end > length($bytes) - 8 - $len;
	return { footer => $f, columns => \@columns, groups => \@groups, chunks => \@chunks };
}

sub read_rows {
	my ($parts) = @_;
	my ($f, $columns, $groups, $chunks) = @$parts{qw(footer columns groups chunks)};
	my @rows;
	for my $g (@$groups) {
		my @these = map { {} } 1 .. $g->{rows};
		for (splice @$chunks, 0, scalar @$columns) {
			my ($c, $meta) = @$_{qw(c meta)};
			my $values = eval { chunk_rows($c, $meta, @{$_->{pages}}) } // die "$c->{name}: $@";
			die "$c->{name}: @{[scalar @$values]} rows, not $g->{rows}\n" if @$values != $g->{rows};
			eval { check_statistics($c, $meta->{12}, $values); 1 } or die "$c->{name}: statistics: $@";
			$these[$_]{$c->{name}} = $values->[$_] for 0 .. $#these;
		}
		push @rows, @these;
	}
	die "$f->{3} rows, not @{[scalar @rows]}\n" if $f->{3} != @rows;
	return { columns => [map { $_->{name} } @$columns], type => { map { $_->{name} => ($_->{list} ? "list $_->{type}" : $_->{type}) } @$columns },
		rows => \@rows, groups => $groups, pairs => { map { $_->{1} => $_->{2} } @{$f->{5} // []} } };
}

sub parquet_read {
	my (@files) = @_;
	my @parts = map { my $file = $_; eval { read_parts($file) } // die "$file: $@" } @files;
	my @pages = map { @{$_->{pages}} } map { @{$_->{chunks}} } @parts;
	unpack_all(@pages) if @pages;
	my @tables = map { my $i = $_; eval { read_rows($parts[$i]) } // die "$files[$i]: $@" } 0 .. $#files;
	return wantarray ? @tables : $tables[0];
}

1;
