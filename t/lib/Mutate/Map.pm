# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Map: the places of all parts in a file of an input, for Mutate to change.  The layout of a head or an entry is
# a row of text; of_dat() follows a trace.dat (v6, v7 and the RFC's dialect) as far as it is valid.
#
#	my $m = Mutate::Map->new($in, 'cpu_0', loose => 1);	# adds to {parts} of IN
#	my $h = $m->row($at, '2 id of options, 2 flags of options, 4, 8 size of options!');
#					# numbers in sequence, 4 bytes left out; !: loose
#	$h->{id}, $h->{flags}, $h->{size}, $h->{end}	# by their first word; the offset after all
#	$m->num($at, 4, 'size of a format'); $m->block($at, 16, 'entry'); $m->page($at, 512); $m->text($at, 99, 'names', $snippets)
#	Mutate::Map::of_dat($in, $dialect);	# v6, v7 (as the file says) or 'rfc': fills {parts}, {sizes}, {big}, {layout}
package Mutate::Map;
use strict;
use warnings;
use Mutate;
use Write::Dat;

sub new {
	my ($class, $in, $file, %always) = @_;
	$in->{parts} //= [];
	return bless { in => $in, file => $file // '', always => \%always, bytes => \$in->{files}{$file // ''} }, $class;
}

sub size { my ($m) = @_; return length ${$m->{bytes}} }
sub get { my ($m, $at, $len) = @_; return $at + $len <= $m->size ? Mutate::get(${$m->{bytes}}, $at, $len, $m->{in}{big}) : 0 }
sub zlen { my ($m, $at) = @_; my $e = index ${$m->{bytes}}, "\0", $at; return $e < 0 ? 0 : $e + 1 - $at }

sub part {
	my ($m, $type, $off, $len, $name, %o) = @_;
	push @{$m->{in}{parts}}, { file => $m->{file}, type => $type, off => $off, len => $len, name => $name, %{$m->{always}}, %o };
	return;
}
sub block { my ($m, $at, $len, $name, %o) = @_; return $m->part('block', $at, $len, $name, %o) }
sub page { my ($m, $at, $len, $name, %o) = @_; return $m->part('page', $at, $len, $name // 'page', %o) }
sub text { my ($m, $at, $len, $name, $snippets, %o) = @_; return $m->part('text', $at, $len, $name, snippets => $snippets, %o) }
sub num { my ($m, $at, $len, $name, %o) = @_; $m->part('num', $at, $len, $name, %o); return $m->get($at, $len) }

sub row {
	my ($m, $at, $row) = @_;
	my %v;
	for (split /, /, $row) {
		my ($len, $name, $loose) = /^(\d+) ?(.*?)(!?)$/;
		$v{$name =~ s/ .*//r} = $m->num($at, $len, $name, $loose ? (loose => 1) : ()) if $name ne '';
		$at += $len;
	}
	return { %v, end => $at };
}

# ---------------------------------------------------------------- trace.dat

our $PAGE = 512;	# bytes of a sub-buffer, as few as readers take

# The heads of options and of a section, their sizes, and the data that follow options of some ids.
my %DIALECT = (
	v7 => { options => '2 id of options, 2 flags of options, 4, 8 size of options', options_head => 16, section_head => 16,
		section => '2 id of NAME, 2 flags of NAME, 4, 8 size of NAME', numbers => 1,
		of => { 3 => \&buffer_7, map { $_ => \&section_7 } 16 .. 21 } },
	rfc => { options => '8 size of options', options_head => 8, section_head => 20,
		section => '2 type of NAME, 2 flags of NAME, 8 size of NAME, 8 full size of NAME',
		of => { 3 => \&buffer_rfc, 22 => \&buffer_rfc, 23 => \&page_map, map { $_ => \&section_rfc } 16 .. 21 } },
);
my $CPU = '4 number of a CPU, 8 offset of a CPU, 8 size of a CPU';

sub of_dat {
	my ($in, $dialect) = @_;
	$in->{big} //= ord substr $in->{files}{''}, 12, 1;
	$in->{parts} = [];
	my $m = Mutate::Map->new($in);
	my $long = $m->row(12, '1 byte order, 1 size of long')->{size};
	$m->block(0, 10, 'magic');
	my $at = 14;
	my $page_size = $PAGE;
	if (!$dialect) {
		$page_size = $m->row(14, '4 page size')->{page};
		$dialect = substr(${$m->{bytes}}, 10, 2) eq "7\0" ? 'v7' : 'v6';
		$at = 18;
	}
	$in->{sizes} = [$page_size, $at == 18 ? (8, 16) : (), 20];
	$in->{layout} //= { big => $in->{big}, commit => 8, commit_size => $long, data_off => 8 + $long };
	return $m->v6($page_size) if $dialect eq 'v6';
	my $n = $m->zlen($at);
	$m->{zip} = substr(${$m->{bytes}}, $at, $n) ne "none\0";
	$m->block($at, $n, 'compression');
	$at += $n;
	$m->{dialect} = $DIALECT{$dialect};
	$m->options($m->num($at + $m->zlen($at), 8, 'offset of options'));
	return if $dialect ne 'rfc';
	# Pages are where their first stamp is one of ours.
	my $stamp = substr Mutate::pack_num($Write::Dat::BASE, 8, $in->{big}), ($in->{big} ? 0 : 3), 5;
	for ($at = -1; ($at = index ${$m->{bytes}}, $stamp, $at + 1) >= 0;) {
		my $off = $in->{big} ? $at : $at - 3;
		$m->page($off, $PAGE) if $off >= 0 && $off + $PAGE <= $m->size;
	}
	return;
}

sub options {
	my ($m, $next) = @_;
	my $d = $m->{dialect};
	for (1 .. 20) {
		return if !$next || $next + $d->{options_head} > $m->size;
		my $h = $m->row($next, $d->{options});
		my ($at, $end) = ($h->{end}, $h->{end} + $h->{size});
		if (($h->{flags} // 0) & 1) {
			my $z = $m->row($at, '4 packed size of options, 4 full size of options');
			$m->block($z->{end}, $z->{packed}, 'packed options') if $z->{packed};
			return;
		}
		$next = 0;
		while ($at + 6 <= $end && $at + 6 <= $m->size) {
			my $id = $m->num($at, 2, 'id of option');
			my $len = $m->num($at + 2, 4, "size of option $id");
			$m->block($at, 6 + $len, "option $id");
			$at += 6;
			if ($id == 0) {
				$next = $m->num($at, 8, 'offset after DONE');
				last;
			} elsif ($d->{of}{$id}) {
				$d->{of}{$id}->($m, $at, $len, $id);
			} elsif ($d->{numbers} && $len =~ /^[1248]$/) {
				$m->num($at, $len, "option $id");
			}
			$at += $len;
		}
	}
	return;
}

sub section { my ($m, $at, $name) = @_; return $m->row($at, $m->{dialect}{section} =~ s/NAME/$name/gr) }

sub section_7 {
	my ($m, $data, $len, $id) = @_;
	my $at = $m->num($data, 8, "offset of section $id");
	return if $len != 8 || !$at || $at + 16 >= $m->size;
	my $h = $m->section($at, "section $id");
	$m->block($at, 16 + $h->{size}, "section $id") if $at + 16 + $h->{size} <= $m->size;
	return $m->texts($id, $h->{end}, $h->{end} + $h->{size}) if !($h->{flags} & 1);
	my $z = $m->row($h->{end}, '4 packed size of a section, 4 full size of a section');
	$m->block($z->{end}, $z->{packed}, 'packed bytes') if $z->{end} + $z->{packed} <= $m->size;
	return;
}

sub section_rfc {
	my ($m, $data, $len, $id) = @_;
	my $at = $m->num($data, 8, "offset of section $id");
	$m->section($at, "section $id") if $at + 20 <= $m->size;
	$m->texts($id, $at + 20, $m->size) if !$m->get($at + 2, 2);
	return;
}

sub buffer_7 {
	my ($m, $data, $len) = @_;
	$m->section($m->num($data, 8, 'offset of a buffer'), 'a buffer');
	my $at = $data + 8;
	$at += $m->zlen($at) for 1, 2;
	$m->block($data + 8, $at - $data - 8, 'names of a buffer') if $at > $data + 8;
	my $h = $m->row($at, '4 page size of a buffer, 4 CPUs of a buffer');
	$at = $h->{end};
	for (my $n = $h->{CPUs}; $n-- && $at + 20 <= $data + $len; $at += 20) {
		$m->block($at, 20, 'entry of a CPU');
		my $e = $m->row($at, $CPU);
		$m->{zip} ? $m->chunks($e->{offset}, $e->{size}) : $m->pages($e->{offset}, $e->{size}, $h->{page});
	}
	return;
}

sub chunks {
	my ($m, $off, $size) = @_;
	return if !$size;
	my $c = $off + 4;
	for (my $n = $m->num($off, 4, 'number of chunks'); $n-- && $c + 8 <= $off + $size;) {
		my $z = $m->row($c, '4 packed size of a chunk, 4 full size of a chunk');
		$m->block($c, 8 + $z->{packed}, 'chunk');
		$c += 8 + $z->{packed};
	}
	return;
}

sub pages {
	my ($m, $off, $len, $size) = @_;
	for (my $at = $off; $at + $size <= $off + $len && $at + $size <= $m->size && $size >= 64; $at += $size) {
		$m->page($at, $size);
		$m->block($at, $size, 'block of a page');
	}
	return;
}

sub buffer_rfc {
	my ($m, $data, $len, $id) = @_;
	my $at = $m->row($data + $m->zlen($data), $id == 22 ? '4 CPUs of a buffer, 4 page size of a buffer' : '4 CPUs of a buffer')->{end};
	for (; $at + 20 <= $data + $len; $at += 20) {
		$m->block($at, 20, 'entry of a CPU');
		my $s = $m->row($at, $CPU)->{offset};
		$m->section($s, 'section of a CPU') if $s + 20 < $m->size;
		$m->num($s + 20, 4, 'size of a packed page') if $id == 22 && $s + 24 < $m->size;
	}
	return;
}

sub page_map { my ($m, $data, $len) = @_; $m->num($data + 4 * $_, 4, 'page map') for 0 .. $len / 4 - 1; return }

# The texts of part or section ID at AT; where they end.
sub texts {
	my ($m, $id, $at, $end) = @_;
	if ($id == 16) {
		$m->block($at, 12, 'word header_page');
		$at += 33 + $m->num($at + 12, 8, 'size of header_page');
		return $at + 8 + $m->num($at, 8, 'size of header_event');
	} elsif ($id == 17) {
		return $m->formats($at + 4, $m->num($at, 4, 'number of ftrace formats'), 'ftrace format', $end);
	} elsif ($id == 18) {
		my $systems = $m->num($at, 4, 'number of systems');
		$at += 4;
		while ($systems--) {
			my $begin = $at;
			$at += $m->zlen($at);
			$at = $m->formats($at + 4, $m->num($at, 4, 'number of formats'), 'format', $end);
			return $at if $at >= $end;
			$m->block($begin, $at - $begin, 'system');
		}
		return $at;
	}
	my $w = $id == 21 ? 8 : 4;
	return $at + $w + $m->num($at, $w, 'size of a text');
}

sub formats {
	my ($m, $at, $n, $name, $end) = @_;
	while ($n--) {
		my $len = $m->num($at, 8, 'size of a format');
		$m->block($at, 8 + $len, $name);
		$at += 8 + $len;
		last if $at >= $end;
	}
	return $at;
}

sub v6 {
	my ($m, $page_size) = @_;
	my $at = 18;
	for my $id (16 .. 21) {
		my $end = $m->texts($id, $at, $m->size);
		$m->block($at, $end - $at, "part $id");
		$at = $end;
	}
	my $cpus = $m->num($at, 4, 'number of CPUs');
	$at += 4;
	$m->block($at, 10, 'word options');
	my @buffers;
	if (substr(${$m->{bytes}}, $at, 7) eq 'options') {
		$at += 10;
		while (my $id = $m->num($at, 2, 'id of option')) {
			my $len = $m->num($at + 2, 4, "size of option $id");
			$m->block($at, 6 + $len, "option $id");
			push @buffers, $m->num($at + 6, 8, 'offset of an instance') if $id == 3;
			$at += 6 + $len;
			last if $at + 2 > $m->size;
		}
		$at += 2;
	}
	for my $where ($at, @buffers) {
		next if $where + 10 > $m->size || substr(${$m->{bytes}}, $where, 9) ne 'flyrecord';
		$m->block($where, 10, 'word flyrecord');
		my $e = $where + 10;
		for (1 .. $cpus) {
			my $c = $m->row($e, '8 offset of a CPU, 8 size of a CPU');
			$m->block($e, 16, 'entry of a CPU');
			$m->pages($c->{offset}, $c->{size}, $page_size);
			$e = $c->{end};
		}
		$m->num($e, 8, 'size of a clock');
	}
	return;
}

1;
