# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::LttTypes: values of LTT's types as bytes, and as a reader must show them: the base class of Write::Ltt for
# types, whose notation is in its head.  The writer has the parameters: {e} order for pack, {arch} bytes of a pointer,
# {A} maximum alignment, {c} bytes of C's types by name.
#
#	$w->put($facility, $type, $value, \my $bytes);		# appended, aligned
#	$w->show($facility, $type, $value, 'json');
package Write::LttTypes;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(members);

# ---------------------------------------------------------------- numbers

my %letter = (1 => 'C', 2 => 'S', 4 => 'L', 8 => 'Q');
sub num { my ($w, $size, $v) = @_; return pack($letter{$size} . ($size > 1 ? $w->{e} : ''), $size == 8 ? $v : $v & (1 << 8 * $size) - 1) }
sub u16 { return num($_[0], 2, $_[1]) }
sub u32 { return num($_[0], 4, $_[1]) }
sub u64 { return num($_[0], 8, $_[1]) }

# short, medium and long of the first generations, by the names of data models.
sub isize {
	my ($w, $word) = @_;
	return { short => 2, medium => 4, long => $w->{arch} }->{$word};
}

# ---------------------------------------------------------------- types

sub resolve {
	my ($w, $f, $t) = @_;
	$t = $f->{types}{$t->[1]} // die "no type $t->[1]\n" while $t->[0] eq 'ref';
	return $t;
}

sub members { my ($t) = @_; my @m = @$t[1 .. $#$t]; my @out; push @out, [splice @m, 0, 2] while @m; return @out }

# [bytes, is it signed] of a scalar, nothing for others.
sub scalar_of {
	my ($w, $t) = @_;
	my ($k) = @$t;
	return [$t->[1], $k eq 'int'] if $k =~ /^u?int$/;
	return [$w->{c}{$t->[1]}, $t->[1] =~ /^(?:int|char|short|long|ssize_t|off_t)$/ ? 1 : 0] if $k eq 'c';
	return [$w->isize($t->[2]), $t->[1] eq 'int'] if $k eq 'isize';
	return [$t->[1], 0] if $k eq 'enum' || $k eq 'float';
	return;
}

# The alignment of a type, 1 if it has none.
sub align_of {
	my ($w, $f, $t) = @_;
	my $max = 1;
	$t = $w->resolve($f, $t);
	if (my $s = $w->scalar_of($t)) {
		$max = $s->[0];
	} elsif ($t->[0] eq 'array') {
		$max = $w->align_of($f, $t->[2]);
	} elsif ($t->[0] eq 'seq') {
		($max) = sort { $b <=> $a } map { $w->align_of($f, $_) } @$t[1, 2];
	} elsif ($t->[0] =~ /^(?:struct|union)$/) {
		($max) = sort { $b <=> $a } 1, map { $w->align_of($f, $_->[1]) } members($t);
	}
	return $max < $w->{A} ? $max : $w->{A} || 1;
}

sub pad { my ($buf, $to) = @_; $$buf .= "\0" x (-length($$buf) % $to) if $to > 1 }

sub put {
	my ($w, $f, $t, $v, $buf) = @_;
	$t = $w->resolve($f, $t);
	my $k = $t->[0];
	pad($buf, $w->align_of($f, $t));
	if ($k eq 'float') {
		$$buf .= pack(($t->[1] == 4 ? 'f' : 'd') . $w->{e}, $v);
	} elsif (my $s = $w->scalar_of($t)) {
		$$buf .= $w->num($s->[0], $k eq 'enum' ? enum_value($t, $v) : $v);
	} elsif ($k eq 'string') {
		$$buf .= "$v\0";
		pad($buf, $w->{c}{pointer}) if $w->{A};
	} elsif ($k eq 'array' || $k eq 'seq') {
		my @items = ref $v ? @$v : unpack 'C*', $v;
		if ($k eq 'array') {
			push @items, 0 while @items < $t->[1] && !ref $v;
			die "array of $t->[1] has " . @items . "\n" if @items != $t->[1];
		} else {
			$w->put($f, $t->[1], scalar @items, $buf);
			pad($buf, $w->align_of($f, $t->[2]));
		}
		$w->put($f, $t->[2], $_, $buf) for @items;
		pad($buf, $w->{c}{pointer}) if $k eq 'seq' && $w->{A};
	} elsif ($k eq 'struct') {
		$w->put($f, $_->[1], $v->{$_->[0]}, $buf) for members($t);
	} elsif ($k eq 'union') {
		my ($name) = keys %$v;
		my $one = '';
		$w->put($f, (grep { $_->[0] eq $name } members($t))[0][1], $v->{$name}, \$one);
		my ($most) = sort { $b <=> $a } map { $w->fixed_size($f, $_->[1]) } members($t);
		$$buf .= $one . "\0" x ($most - length $one);
	} else {
		die "what is $k?\n";
	}
}

sub fixed_size {
	my ($w, $f, $t) = @_;
	$t = $w->resolve($f, $t);
	my $s = $w->scalar_of($t);
	return $s->[0] if $s;
	return $t->[1] * $w->fixed_size($f, $t->[2]) if $t->[0] eq 'array';
	die "no fixed size: $t->[0]\n";
}

# Values of labels count up from 0, or from the last given one.
sub labels {
	my ($t) = @_;
	my ($next, @out) = (0);
	for my $l (@$t[2 .. $#$t]) {
		$next = $l->[1] if defined $l->[1];
		push @out, [$l->[0], $next++];
	}
	return @out;
}

sub enum_value {
	my ($t, $v) = @_;
	my ($hit) = grep { $_->[0] eq $v } labels($t);
	return $hit ? $hit->[1] : $v =~ /^\d+$/ ? $v : die "no label $v\n";
}

# ---------------------------------------------------------------- expected output

sub escaped { return $_[0] =~ s/([^\x20-\x7e]|\\)/sprintf '\\x%02x', ord $1/ger }

# HOW: json, as "zedprint -f json" writes values; perl, as the tests' own script dumps them.
sub show {
	my ($w, $f, $t, $v, $how) = @_;
	$t = $w->resolve($f, $t);
	my $k = $t->[0];
	my $json = $how eq 'json';
	if ($k eq 'enum') {
		my $n = enum_value($t, $v);
		my ($l) = grep { $_->[1] == $n } labels($t);
		return $l ? $json ? qq("$l->[0]") : "$l->[0]($n)" : $n;
	}
	return $json ? qq("$v") : '"' . escaped($v) . '"' if $k eq 'string';
	return "$v" if $w->scalar_of($t);
	if ($k eq 'array' || $k eq 'seq') {
		my $of = $w->resolve($f, $t->[2]);
		my $s = $w->scalar_of($of);
		if ($s && $s->[0] == 1 && $of->[0] ne 'enum') {
			my $bytes = ref $v ? pack 'C*', map { $_ & 255 } @$v : $v;
			$bytes .= "\0" x ($t->[1] - length $bytes) if $k eq 'array';
			if ($of->[0] eq 'c' && $of->[1] eq 'char') {
				$bytes =~ s/\0.*//s;
				return $json ? qq("$bytes") : '"' . escaped($bytes) . '"';
			}
			return $json ? '"' . unpack('H*', $bytes) . '"' : '"' . escaped($bytes) . '"';
		}
		return '[' . join(',', map { $w->show($f, $of, $_, $how) } @$v) . ']';
	}
	my @members = members($t);
	if ($k eq 'union') {
		my ($name) = keys %$v;
		my $bytes = '';
		$w->put($f, $t, $v, \$bytes);
		$v = { map { $_->[0] => $w->take($f, $_->[1], $bytes) } @members };
	}
	@members = sort { $a->[0] cmp $b->[0] } @members if !$json;
	return '{' . join(',', map { ($json ? qq("$_->[0]":) : "$_->[0]=") . $w->show($f, $_->[1], $v->{$_->[0]}, $how) }
		@members) . '}';
}

# The value of a member of a union that was written through another member.
sub take {
	my ($w, $f, $t, $bytes) = @_;
	$t = $w->resolve($f, $t);
	if ($t->[0] eq 'array') {
		my $size = $w->fixed_size($f, $t->[2]);
		return [map { $w->take($f, $t->[2], substr $bytes, $size * $_) } 0 .. $t->[1] - 1];
	}
	return unpack(($t->[1] == 4 ? 'f' : 'd') . $w->{e}, $bytes) if $t->[0] eq 'float';
	my ($size, $signed) = @{$w->scalar_of($t)};
	my $letter = { 1 => 'C', 2 => 'S', 4 => 'L', 8 => 'Q' }->{$size};
	return unpack(($signed ? lc $letter : $letter) . ($size > 1 ? $w->{e} : ''), $bytes);
}

1;
