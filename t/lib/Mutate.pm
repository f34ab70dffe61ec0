# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate: changes to an input of known structure.  All choices come from one seed, with which a case can be repeated.
#
#	my $r = Mutate->new(7, 1234);		# seed, case
#	$r->below(10); $r->pick(@list); $r->chance(3);	# 0..9; one of them; true once in 3
#	$r->number($old, $bits, @others)	# a value that is likely to break readers
#	$r->text($text, @snippets)		# a text of lines, changed in one place
#	$r->page($bytes, \%layout)		# a sub-buffer, changed in one place: (bytes, loose, what)
#	$r->input(\%input)			# one change at a place that INPUT's map knows
#
# An input is { files => {NAME => BYTES}, big, parts => [...], said => [], loose }.  A part of its map is { file, off,
# len, type, name, loose }: type num (a number), page, text or block (anything that can be dropped, doubled, zeroed,
# swapped); Mutate::Map makes them.  LOOSE: a change here may reduce the number of events without a reader being able to
# detect it (a page that commits less, a record that is padding now). {said} lists the changes; {loose} is set if any
# change was loose.
package Mutate;
use strict;
use warnings;
no warnings 'portable';
use Digest::MD5 ();

sub new {
	my ($class, $seed, $case) = @_;
	return bless { x => unpack('Q<', Digest::MD5::md5("$seed $case")) & ((1 << 48) - 1) }, $class;
}

sub next48 {
	use integer;
	return $_[0]{x} = ($_[0]{x} * 0x5deece66d + 11) & ((1 << 48) - 1);
}

sub below { my ($r, $n) = @_; return $n > 0 ? ($r->next48 >> 8) % $n : 0 }
sub pick { my $r = shift; return $_[$r->below(scalar @_)] }
sub chance { my ($r, $n) = @_; return $r->below($n) == 0 }

# A value of BITS bits in place of OLD; OTHERS are sizes and offsets that mean something there.
sub number {
	my ($r, $old, $bits, @others) = @_;
	my $max = $bits == 64 ? ~0 : (1 << $bits) - 1;
	my @v = (0, 1, 2, 3, 7, $max, $max - 1, $max >> 1, ($max >> 1) + 1, $max - 7, 1 << ($bits / 2), 0x7fffffff,
		0x80000000, 0xffffffff, 0x10000, 0x1000, 1 << $r->below($bits), $old + 1, $old - 1, $old + 4, $old + 8,
		$old - 8, $old * 2, $old >> 1, $old ^ 1 << $r->below($bits), $old ^ 1 << $r->below(8), ~$old, $r->below(256),
		@others, map { ($_ + 1, $_ - 1) } @others);
	for (1 .. 8) {
		use integer;
		my $v = $v[$r->below(scalar @v)] & $max;
		return $v if $v != $old;
	}
	return $old ^ 1;
}

my %letter = (1 => ['C', 'C'], 2 => ['v', 'n'], 4 => ['V', 'N'], 8 => ['Q<', 'Q>']);
sub get { my ($bytes, $off, $len, $big) = @_; return unpack($letter{$len}[$big ? 1 : 0], substr $bytes, $off, $len) // 0 }
sub pack_num { my ($v, $len, $big) = @_; return pack $letter{$len}[$big ? 1 : 0], $v }

# ---------------------------------------------------------------- texts

# Values that no writer would write.
our @CONTROL = ("\e[31m", "\x07", "\n", "\r", "\0", "\x7f", "\x85", "\x9b", "\xc2\x9b", "\xff", "\xe2\x80\xa8", "\t", "\x{1}");
our @NUMBERS = qw(0 1 -1 2 255 256 65535 65536 1048576 2147483647 2147483648 4294967295 4294967296 9223372036854775807
	18446744073709551615 99999999999999999999 0x7fffffff 1e9 007);

# [offset, length] of each place in TEXT that looks like WHAT.
sub places {
	my ($text, $what) = @_;
	my @at;
	push @at, [$-[0], $+[0] - $-[0]] while $text =~ /$what/g;
	return @at;
}

sub text {
	my ($r, $text, @snippets) = @_;
	my $len = length $text;
	my $how = $r->below(@snippets ? 16 : 12);
	my @lines = split /(?<=\n)/, $text;
	if ($how <= 2 && $text =~ /\d/) {
		my $at = $r->pick(places($text, qr/\d+/));
		substr($text, $at->[0], $at->[1]) = $r->pick(@NUMBERS);
	} elsif ($how == 3 && @lines > 1) {
		splice @lines, $r->below(scalar @lines), 1;
		$text = join '', @lines;
	} elsif ($how == 4 && @lines) {
		my $i = $r->below(scalar @lines);
		splice @lines, $i, 0, ($lines[$i]) x $r->pick(1, 1, 2, 40);
		$text = join '', @lines;
	} elsif ($how == 5 && @lines > 1) {
		my ($i, $j) = map { $r->below(scalar @lines) } 1, 2;
		@lines[$i, $j] = @lines[$j, $i];
		$text = join '', @lines;
	} elsif ($how == 6) {
		$text = substr $text, 0, $r->below($len + 1);
	} elsif ($how == 7) {
		substr($text, $r->below($len + 1), 0) = $r->pick(@CONTROL) x $r->pick(1, 1, 3);
	} elsif ($how == 8 && $len) {
		my $at = $r->below($len);
		substr($text, $at, 1) = chr $r->below(256);
	} elsif ($how == 9 && $len) {
		my ($at, $n) = ($r->below($len), 1 + $r->below(12));
		my $piece = substr $text, $at, $n;
		substr($text, $at, 0) = $piece x $r->pick(1, 7, 100, 2000);
	} elsif ($how == 10 && $len) {
		substr($text, $r->below($len), 1 + $r->below(20)) = '';
	} elsif ($how == 11 && $text =~ /[a-z]\w+/i) {
		my @at = places($text, qr/[a-z_]\w+/i);
		my ($from, $to) = map { $r->pick(@at) } 1, 2;
		my $word = substr $text, $from->[0], $from->[1];
		substr($text, $to->[0], $to->[1]) = $word;
	} elsif (@snippets) {
		my $what = $r->pick(@snippets);
		my $i = $r->below(@lines + 1);
		if ($r->chance(2)) {
			splice @lines, $i, 0, $what . ($what =~ /\n\z/ ? '' : "\n");
			$text = join '', @lines;
		} else {
			substr($text, $r->below($len + 1), 0) = $what;
		}
	} else {
		$text .= $r->pick(@CONTROL, 'x', ' ' x 300);
	}
	return $text;
}

# ---------------------------------------------------------------- sub-buffers

# Where the length of a page's data is, in L: { big, commit (offset), commit_size, data_off }.
sub commit_at { my ($l) = @_; return $l->{commit} + ($l->{big} ? $l->{commit_size} - 4 : 0) }

# The places of records in a page: [[offset of its head, of its data, length of its data, offset after it]].
sub records {
	my ($page, $l) = @_;
	my $at = $l->{data_off};
	return if length $page < $at;
	my $end = $at + (get($page, commit_at($l), 4, $l->{big}) & 0x7ffffff);
	$end = length $page if $end > length $page;
	my @r;
	while ($at + 4 <= $end) {
		my $word = get($page, $at, 4, $l->{big});
		my ($type, $second) = ($l->{big} ? $word >> 27 : $word & 31, $at + 8 <= $end ? get($page, $at + 4, 4, $l->{big}) : 0);
		my ($data, $len) = $type == 0 || $type == 29 ? ($at + 8, $second - 4) : $type <= 28 ? ($at + 4, 4 * $type) : ($at + 8, 0);
		last if $len < 0 || $data + $len > $end;
		push @r, [$at, $data, $len, $data + (($len + 3) & ~3)];
		$at = $r[-1][3];
	}
	return @r;
}

sub page {
	my ($r, $page, $l) = @_;
	my @rec = records($page, $l);
	my $big = $l->{big};
	my $get = sub { my ($off, $len) = @_; return get($page, $off, $len, $big) };
	my $set = sub { my ($off, $len, $v) = @_; substr($page, $off, $len) = pack_num($v, $len, $big) };
	my $renew = sub { my ($off, $len, @o) = @_; $set->($off, $len, $r->number($get->($off, $len), 8 * $len, @o)) };
	my $how = $r->below(@rec ? 12 : 3);
	if ($how == 0) {
		$renew->(0, 8);
		return ($page, 0, 'time of a page');
	} elsif ($how == 1) {
		$renew->(commit_at($l), 4, length($page) - $l->{data_off}, length $page);
		return ($page, 1, 'commit of a page');
	} elsif ($how == 2) {
		$set->(commit_at($l), 4, $get->(commit_at($l), 4) | ($r->pick(1, 2, 3) << 30));
		return ($page, 0, 'flags of a page');
	}
	my $i = $r->below(scalar @rec);
	my ($head, $data, $len, $end) = @{$rec[$i]};
	my $word = $get->($head, 4);
	if ($how == 3) {
		my $type = $r->pick(0, 1, 28, 29, 30, 31, $r->below(32));
		$set->($head, 4, $big ? ($word & 0x7ffffff | $type << 27) : ($word & ~31 | $type));
		return ($page, 1, "type_len of record $i");
	} elsif ($how == 4) {
		my $delta = $r->number($big ? $word & 0x7ffffff : $word >> 5, 27);
		$set->($head, 4, $big ? ($word & ~0x7ffffff | $delta) : ($word & 31 | $delta << 5));
		return ($page, 0, "time delta of record $i");
	} elsif ($how == 5 && $data == $head + 8) {
		$renew->($head + 4, 4, length($page) - $head, $len);
		return ($page, 1, "length of record $i");
	} elsif ($how == 6 && $len >= 2) {
		$renew->($data, 2);
		return ($page, 1, "event id of record $i");
	} elsif ($how == 7 && $len >= 8) {
		$renew->($data + $r->pick(2, 3), 1) if $r->chance(3);
		$renew->($data + 4, 4);
		return ($page, 0, "common fields of record $i");
	} elsif ($how <= 9 && $len >= 12) {
		my $at = $data + 8 + 4 * $r->below(int(($len - 8) / 4));
		$renew->($at, 4, $len << 16 | 8, ($len - 8) << 16 | 8, 0xffff0000 | $len, $len);
		return ($page, 0, "payload of record $i");
	} elsif ($how == 10) {
		my ($other) = $rec[$r->below(scalar @rec)];
		my $n = $end - $head < $other->[3] - $other->[0] ? $end - $head : $other->[3] - $other->[0];
		substr($page, $head, $n) = substr $page, $other->[0], $n;
		return ($page, 1, "record $i begins as another one");
	}
	substr($page, $r->below(length $page), 1) = chr $r->below(256);
	return ($page, 1, 'a byte of a page');
}

# ---------------------------------------------------------------- inputs

sub said { my ($in, $loose, $what) = @_; push @{$in->{said}}, $what; $in->{loose} = 1 if $loose; return }

# Places after a change of length move by DELTA; those in it are removed.
sub moved {
	my ($in, $file, $off, $len, $delta) = @_;
	my $after = sub { my ($p) = @_; return $p->{file} eq $file && $p->{off} >= $off };
	$in->{parts} = [map { $after->($_) ? { %$_, off => $_->{off} + $delta } : $_ }
		grep { !$after->($_) || $_->{off} >= $off + $len } @{$in->{parts}}];
	return;
}

sub input {
	my ($r, $in) = @_;
	# By name first: a file has many more records than headers.
	my %by;
	push @{$by{$_->{type} . $_->{name}}}, $_ for grep { $_->{off} + $_->{len} <= length $in->{files}{$_->{file}} } @{$in->{parts}};
	return if !%by;
	my $of = $by{$r->pick(sort keys %by)};
	my $p = $r->pick(@$of);
	my ($file, $off, $len, $type) = @$p{qw(file off len type)};
	my $b = \$in->{files}{$file};
	my $where = "$p->{name} at " . ($file eq '' ? '' : "$file ") . $off;
	if ($type eq 'num') {
		my $old = get($$b, $off, $len, $in->{big});
		my @same = grep { $_->{file} eq $file && $_->{len} == $len } @$of;
		my $new = $r->chance(6) && @same > 1 ? get($$b, $r->pick(@same)->{off}, $len, $in->{big})
			: $r->number($old, 8 * $len, length $$b, length($$b) - $off, @{$in->{sizes} // []});
		substr($$b, $off, $len) = pack_num($new, $len, $in->{big});
		return said($in, $p->{loose}, "$where: $old is $new");
	} elsif ($type eq 'page') {
		my ($page, $loose, $what) = $r->page(substr($$b, $off, $len), $in->{layout});
		substr($$b, $off, $len) = $page;
		return said($in, $loose, "$where: $what");
	} elsif ($type eq 'text') {
		my $new = $r->text(substr($$b, $off, $len), @{$p->{snippets} // []});
		if ($p->{fixed}) {
			$new = substr $new, 0, $len;
			$new .= $r->pick("\0", ' ', 'x') x ($len - length $new);
		}
		substr($$b, $off, $len) = $new;
		moved($in, $file, $off, $len, length($new) - $len);
		return said($in, $p->{loose}, "$where: another text");
	}
	my $how = $r->below(9);
	if ($how == 0) {
		substr($$b, $off, $len) = '';
		moved($in, $file, $off, $len, -$len);
		return said($in, $p->{loose}, "$where: dropped");
	} elsif ($how == 1) {
		substr($$b, $off, 0) = substr $$b, $off, $len;
		moved($in, $file, $off + $len, 0, $len);
		return said($in, 0, "$where: doubled");
	} elsif ($how == 2) {
		my ($v, $what) = $r->chance(2) ? ("\0", 'zeros') : ("\xff", 'ones');
		substr($$b, $off, $len) = $v x $len;
		# A page of zeros was never written.
		my $unwritten = $v eq "\0" && $p->{name} =~ /of a page$/;
		return said($in, $p->{loose} || $unwritten, "$where: $what");
	} elsif ($how == 3 || $how == 4) {
		my $q = $r->pick(grep { $_->{file} eq $file } @$of);
		($p, $q) = ($q, $p) if $q->{off} < $p->{off};
		if ($p->{off} + $p->{len} > $q->{off}) {
			my $at = $off + $r->below($len);
			substr($$b, $at, 1) = chr $r->below(256);
			return said($in, $p->{loose}, "$where: byte $at");
		}
		my ($x, $y) = (substr($$b, $p->{off}, $p->{len}), substr($$b, $q->{off}, $q->{len}));
		substr($$b, $q->{off}, $q->{len}) = $x;
		substr($$b, $p->{off}, $p->{len}) = $y;
		moved($in, $file, $p->{off}, length($$b), 0) if length $x != length $y;
		return said($in, $p->{loose} || $q->{loose}, "$where: changed places with $q->{off}");
	} elsif ($how == 5) {
		my $to = $off + $r->pick(0, 1, $len - 1, $r->below($len + 1));
		$$b = substr $$b, 0, $to;
		return said($in, $p->{tail}, "$where: the file ends at $to");
	} elsif ($how == 6) {
		my $q = $r->pick(@$of);
		my $piece = substr $in->{files}{$q->{file}}, $q->{off}, $q->{len} < $len ? $q->{len} : $len;
		substr($$b, $off, length $piece) = $piece;
		return said($in, $p->{loose}, "$where: begins as $q->{off}");
	}
	my $at = $off + $r->below($len);
	substr($$b, $at, 1) = chr(ord(substr $$b, $at, 1) ^ 1 << $r->below(8));
	return said($in, $p->{loose}, "$where: bit of byte $at");
}

1;
