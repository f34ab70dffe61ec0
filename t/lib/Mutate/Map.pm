# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Map: where everything is in a trace.dat, of v6, v7 and the RFC's dialect: the parts of Mutate's inputs.
# It follows what the file says; what makes no sense ends the map there.
#
#	map_dat($in);		# {files}{''}: fills {parts}, {sizes}, {big}, {layout}
#	map_rfc($in, $zip);
package Mutate::Map;
use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use Write::Dat;
use Mutate;

our @EXPORT = qw(map_dat map_rfc num block $PAGE);
our $PAGE = 512;	# bytes of a sub-buffer, as few as readers take

sub num { my ($file, $off, $len, $name, $loose) = @_;
	return { file => $file, off => $off, len => $len, type => 'num', name => $name, loose => $loose } }
sub block { my ($off, $len, $name, %o) = @_; return { file => '', off => $off, len => $len, type => 'block', name => $name, %o } }

sub map_dat {
	my ($in) = @_;
	my $b = \$in->{files}{''};
	my $big = $in->{big} // ord substr $$b, 12, 1;
	$in->{big} = $big;
	my $p = $in->{parts} = [];
	my $N = sub { my ($off, $len, $name, $loose) = @_; push @$p, num('', $off, $len, $name, $loose); return at($b, $off, $len, $big) };
	my $long = ord substr $$b, 13, 1;
	push @$p, block(0, 10, 'magic');
	$N->(12, 1, 'byte order');
	$N->(13, 1, 'size of long');
	my $page_size = $N->(14, 4, 'page size');
	$in->{sizes} = [$page_size, 8, 16, 20];
	$in->{layout} //= { big => $big, commit => 8, commit_size => $long, data_off => 8 + $long };
	my $v7 = substr($$b, 10, 2) eq "7\0";
	return $v7 ? map_7($in, $b, $p, $N) : map_6($in, $b, $p, $N, $page_size);
}

sub at { my ($b, $off, $len, $big) = @_; return $off + $len <= length $$b ? Mutate::get($$b, $off, $len, $big) : 0 }
sub zlen { my ($b, $off) = @_; my $e = index $$b, "\0", $off; return $e < 0 ? 0 : $e + 1 - $off }

sub map_texts {
	my ($in, $b, $p, $N, $id, $at, $end) = @_;
	if ($id == 16) {
		push @$p, block($at, 12, 'word header_page');
		my $n = $N->($at + 12, 8, 'size of header_page');
		$at += 20 + $n;
		$N->($at + 13, 8, 'size of header_event');
		return $at + 21 + at($b, $at + 13, 8, $in->{big});
	} elsif ($id == 17) {
		my $n = $N->($at, 4, 'number of ftrace formats');
		$at += 4;
		for (1 .. $n) {
			my $len = $N->($at, 8, 'size of a format');
			push @$p, block($at, 8 + $len, 'ftrace format');
			$at += 8 + $len;
			last if $at >= $end;
		}
		return $at;
	} elsif ($id == 18) {
		my $systems = $N->($at, 4, 'number of systems');
		$at += 4;
		for (1 .. $systems) {
			my $begin = $at;
			$at += zlen($b, $at);
			my $n = $N->($at, 4, 'number of formats');
			$at += 4;
			for (1 .. $n) {
				my $len = $N->($at, 8, 'size of a format');
				push @$p, block($at, 8 + $len, 'format');
				$at += 8 + $len;
				return $at if $at >= $end;
			}
			push @$p, block($begin, $at - $begin, 'system');
		}
		return $at;
	}
	my $w = $id == 21 ? 8 : 4;
	return $at + $w + $N->($at, $w, 'size of a text');
}

sub map_pages {
	my ($in, $b, $p, $off, $len, $size) = @_;
	for (my $at = $off; $at + $size <= $off + $len && $at + $size <= length $$b && $size >= 64; $at += $size) {
		push @$p, { file => '', off => $at, len => $size, type => 'page', name => 'page' }, block($at, $size, 'block of a page');
	}
	return;
}

sub map_7 {
	my ($in, $b, $p, $N) = @_;
	my $big = $in->{big};
	my $n = zlen($b, 18);
	my $zip = substr($$b, 18, $n) ne "none\0";
	push @$p, block(18, $n, 'compression');
	my $root = 18 + $n + zlen($b, 18 + $n);
	my $next = $N->($root, 8, 'offset of options');
	my %section = (%{$in->{sections} // {}});
	for (1 .. 20) {
		last if !$next || $next + 16 > length $$b;
		my $flags = $N->($next + 2, 2, 'flags of options');
		$N->($next, 2, 'id of options');
		my $size = $N->($next + 8, 8, 'size of options');
		my ($at, $end) = ($next + 16, $next + 16 + $size);
		if ($flags & 1) {
			$N->($at, 4, 'packed size of options');
			$N->($at + 4, 4, 'full size of options');
			push @$p, block($at + 8, at($b, $at, 4, $big), 'packed options') if at($b, $at, 4, $big);
			last;
		}
		$next = 0;
		while ($at + 6 <= $end && $at + 6 <= length $$b) {
			my $id = $N->($at, 2, 'id of option');
			my $len = $N->($at + 2, 4, "size of option $id");
			my $data = $at + 6;
			push @$p, block($at, 6 + $len, "option $id");
			if ($id == 0) {
				$next = $N->($data, 8, 'offset behind DONE');
			} elsif ($id >= 16 && $id <= 21 && $len == 8) {
				my $sec = $N->($data, 8, "offset of section $id");
				map_section($in, $b, $p, $N, $id, $sec) if $sec && $sec + 16 < length $$b;
			} elsif ($id == 3) {
				map_buffer($in, $b, $p, $N, $data, $len, $zip);
			} elsif ($len && $len <= 8 && $len != 3) {
				push @$p, num('', $data, $_, "option $id") for grep { $_ == $len } 1, 2, 4, 8;
			}
			$at = $data + $len;
			last if $id == 0;
		}
	}
	return;
}

sub map_section {
	my ($in, $b, $p, $N, $id, $at) = @_;
	$N->($at, 2, "id of section $id");
	my $flags = $N->($at + 2, 2, "flags of section $id");
	my $size = $N->($at + 8, 8, "size of section $id");
	push @$p, block($at, 16 + $size, "section $id") if $at + 16 + $size <= length $$b;
	if ($flags & 1) {
		my $n = $N->($at + 16, 4, 'packed size of a section');
		$N->($at + 20, 4, 'full size of a section');
		push @$p, block($at + 24, $n, 'packed bytes') if $at + 24 + $n <= length $$b;
	} else {
		map_texts($in, $b, $p, $N, $id, $at + 16, $at + 16 + $size);
	}
	return;
}

sub map_buffer {
	my ($in, $b, $p, $N, $data, $len, $zip) = @_;
	my $big = $in->{big};
	my $sec = $N->($data, 8, 'offset of a buffer');
	$N->($sec, 2, 'id of a buffer');
	$N->($sec + 2, 2, 'flags of a buffer');
	$N->($sec + 8, 8, 'size of a buffer');
	my $at = $data + 8;
	$at += zlen($b, $at) for 1, 2;
	push @$p, block($data + 8, $at - $data - 8, 'names of a buffer') if $at > $data + 8;
	my $size = $N->($at, 4, 'page size of a buffer');
	my $cpus = $N->($at + 4, 4, 'CPUs of a buffer');
	$at += 8;
	for (1 .. $cpus) {
		last if $at + 20 > $data + $len;
		push @$p, block($at, 20, 'entry of a CPU');
		$N->($at, 4, 'number of a CPU');
		my $off = $N->($at + 4, 8, 'offset of a CPU');
		my $n = $N->($at + 12, 8, 'size of a CPU');
		if (!$zip) {
			map_pages($in, $b, $p, $off, $n, $size);
		} elsif ($n) {
			my $chunks = $N->($off, 4, 'number of chunks');
			my $c = $off + 4;
			for (1 .. $chunks) {
				last if $c + 8 > $off + $n;
				my $z = $N->($c, 4, 'packed size of a chunk');
				$N->($c + 4, 4, 'full size of a chunk');
				push @$p, block($c, 8 + $z, 'chunk');
				$c += 8 + $z;
			}
		}
		$at += 20;
	}
	return;
}

sub map_6 {
	my ($in, $b, $p, $N, $page_size) = @_;
	my $at = 18;
	for my $id (16 .. 21) {
		my $end = map_texts($in, $b, $p, $N, $id, $at, length $$b);
		push @$p, block($at, $end - $at, "part $id");
		$at = $end;
	}
	my $cpus = $N->($at, 4, 'number of CPUs');
	push @$p, block($at + 4, 10, 'word options');
	$at += 4;
	my @buffers;
	if (substr($$b, $at, 7) eq 'options') {
		$at += 10;
		while (1) {
			my $id = $N->($at, 2, 'id of option');
			$at += 2;
			last if !$id;
			my $len = $N->($at, 4, "size of option $id");
			push @$p, block($at - 2, 6 + $len, "option $id");
			push @buffers, $N->($at + 4, 8, 'offset of an instance') if $id == 3;
			$at += 4 + $len;
			last if $at + 2 > length $$b;
		}
	}
	for my $where ($at, @buffers) {
		next if $where + 10 > length $$b || substr($$b, $where, 9) ne 'flyrecord';
		push @$p, block($where, 10, 'word flyrecord');
		my $e = $where + 10;
		for (1 .. $cpus) {
			my ($off, $len) = ($N->($e, 8, 'offset of a CPU'), $N->($e + 8, 8, 'size of a CPU'));
			push @$p, block($e, 16, 'entry of a CPU');
			map_pages($in, $b, $p, $off, $len, $page_size);
			$e += 16;
		}
		$N->($e, 8, 'size of a clock');
	}
	return;
}

# ---------------------------------------------------------------- the RFC's dialect

sub map_rfc {
	my ($in, $zip) = @_;
	my $b = \$in->{files}{''};
	my $big = $in->{big};
	my $p = $in->{parts} = [];
	my $N = sub { my ($off, $len, $name, $loose) = @_; push @$p, num('', $off, $len, $name, $loose); return at($b, $off, $len, $big) };
	push @$p, block(0, 10, 'magic');
	$N->(12, 1, 'byte order');
	$N->(13, 1, 'size of long');
	my $n = zlen($b, 14);
	push @$p, block(14, $n, 'compression');
	my $root = 14 + $n + zlen($b, 14 + $n);
	my $next = $N->($root, 8, 'offset of options');
	$in->{sizes} = [$PAGE, 20];
	for (1 .. 20) {
		last if !$next || $next + 8 > length $$b;
		my $size = $N->($next, 8, 'size of options');
		my ($at, $end) = ($next + 8, $next + 8 + $size);
		$next = 0;
		while ($at + 6 <= $end && $at + 6 <= length $$b) {
			my $id = $N->($at, 2, 'id of option');
			my $len = $N->($at + 2, 4, "size of option $id");
			my $data = $at + 6;
			push @$p, block($at, 6 + $len, "option $id");
			if ($id == 0) {
				$next = $N->($data, 8, 'offset behind DONE');
			} elsif ($id >= 16 && $id <= 21) {
				my $s = $N->($data, 8, "offset of section $id");
				rfc_section($b, $N, $s, $id);
				map_texts($in, $b, $p, $N, $id, $s + 20, length $$b) if !at($b, $s + 2, 2, $big);
			} elsif ($id == 3 || $id == 22) {
				my $c = $data + zlen($b, $data);
				my $cpus = $N->($c, 4, 'CPUs of a buffer');
				$c += 4;
				$N->($c, 4, 'page size of a buffer'), $c += 4 if $id == 22;
				for (; $c + 20 <= $data + $len; $c += 20) {
					push @$p, block($c, 20, 'entry of a CPU');
					$N->($c, 4, 'number of a CPU');
					my $s = $N->($c + 4, 8, 'offset of a CPU');
					$N->($c + 12, 8, 'size of a CPU');
					rfc_section($b, $N, $s, 'of a CPU') if $s + 20 < length $$b;
					$N->($s + 20, 4, 'size of a packed page') if $id == 22 && $s + 24 < length $$b;
				}
			} elsif ($id == 23) {
				$N->($data + 4 * $_, 4, 'page map') for 0 .. $len / 4 - 1;
			}
			$at = $data + $len;
			last if $id == 0;
		}
	}
	# Pages lie where their first stamp is one of ours.
	my $stamp = substr Mutate::pack_num($Write::Dat::BASE, 8, $big), ($big ? 0 : 3), 5;
	my $at = -1;
	while (($at = index $$b, $stamp, $at + 1) >= 0) {
		my $off = $big ? $at : $at - 3;
		push @$p, { file => '', off => $off, len => $PAGE, type => 'page', name => 'page' } if $off >= 0 && $off + $PAGE <= length $$b;
	}
	return;
}

sub rfc_section {
	my ($b, $N, $at, $id) = @_;
	return if $at + 20 > length $$b;
	$N->($at, 2, "type of section $id");
	$N->($at + 2, 2, "flags of section $id");
	$N->($at + 4, 8, "size of section $id");
	$N->($at + 12, 8, "full size of section $id");
	return;
}

1;
