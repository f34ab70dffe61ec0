# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::StableFile: reads and writes files of stable events, written from docs/zed-stable.pod alone: the counterpart
# for tests of --export and of the reader.
#
#	my $f = Write::StableFile::parse($bytes);	# {error} or all contents, see below
#	my $w = Write::StableFile->new(order => 'big');
#	$w->stream(cpu => 1, buffer => 'foo'); $w->machine('Linux x');  $w->task(12, 'cat');
#	$w->event(7, 'sched::switch', 'field:int a; align:32; size:32; signed:1;');
#	$w->record(7, { stream => 0, pid => 12, sequence => 1, time => 100 }, [5]);
#	$w->end; $w->write($path);
package Write::StableFile;
use strict;
use warnings;
no warnings 'portable';

# ---------------------------------------------------------------- the language

# One line of a description: [kind, type, name, align, size, count, signed].
sub item {
	my $line = shift;
	$line =~ s/#.*//;
	my ($kind, $words, $rest) = $line =~ /^\s*(field|array|dynamic|absent):([^;]*);(.*)$/
		or die "no description: $line\n";
	my ($type, $name) = $words =~ /^\s*(\S.*?)\s*\b(\w+)\s*$/ or die "no type and name: $line\n";
	my %a;
	while ($rest =~ s/^\s*(\w+):\s*(\d+)\s*;//) {
		$a{$1} = $2;
	}
	die "left over in '$line': $rest\n" if $rest =~ /\S/;
	return { kind => $kind, type => $type, name => $name } if $kind eq 'absent';
	my $align = $a{align};
	if (!defined $align) {
		$align = 1;
		$align *= 2 while $align < $a{size};
	}
	return { kind => $kind, type => $type, name => $name, align => $align, size => $a{size},
		count => $a{count}, signed => $a{signed} // 0 };
}

# Gives each item its {bit}; returns the bytes of the fixed part.
sub layout {
	my @items = @_;
	my $pos = 0;
	for my $i (@items) {
		next if $i->{kind} eq 'absent';
		my $to = $i->{kind} eq 'dynamic' ? 32 : $i->{align};
		$pos += -$pos % $to;
		$i->{bit} = $pos;
		$pos += $i->{kind} eq 'dynamic' ? 32 : $i->{size} * ($i->{count} // 1);
	}
	return int(($pos + 7) / 8);
}

# Bytes as a string of bits in the order in which they count, and a number from some of them.
sub bits { my ($bytes, $big) = @_; return unpack $big ? 'B*' : 'b*', $bytes }

sub number {
	my ($bits, $at, $size, $signed, $big) = @_;
	my $text = substr $bits, $at, $size;
	die "only " . length($bits) . " bits, $size wanted at $at\n" if length $text < $size;
	$text = reverse $text if !$big;
	return oct "0b$text" if !$signed || $text !~ /^1/;
	$text =~ tr/01/10/;
	return -1 - oct "0b$text";
}

sub is_text { my $i = shift; return $i->{size} == 8 && $i->{type} =~ /(^|\s)char$/
	&& $i->{type} !~ /signed char$/ }

# N items from bit AT on, as a script sees them.
sub value {
	my ($i, $bits, $at, $n, $big) = @_;
	my @v = map { number($bits, $at + $_ * $i->{size}, $i->{size}, $i->{signed}, $big) } 0 .. $n - 1;
	if ($i->{kind} eq 'field') {
		return $i->{type} eq 'char' && $i->{size} == 8 ? chr($v[0] & 255) =~ s/\0//r : $v[0];
	}
	return \@v if $i->{size} != 8;
	my $bytes = join '', map { chr($_ & 255) } @v;
	$bytes =~ s/\0.*//s if is_text($i);
	return $bytes;
}

# Code that reads I from a payload if it is whole bytes, as most are: the same values as by bits, but faster; or 0.
sub of_bytes {
	my ($i, $big) = @_;
	return 0 if $i->{kind} eq 'absent' || $i->{bit} % 8 || $i->{size} % 8;
	my ($at, $size, $signed) = ($i->{bit} / 8, $i->{size} / 8, $i->{signed});
	my $text = $size == 1 && is_text($i);
	if ($i->{kind} eq 'dynamic') {
		return 0 if $size != 1;
		my $word = $big ? 'N' : 'V';
		return sub {
			my $v = unpack $word, substr $_[0], $at, 4;
			my ($off, $len) = ($v & 0xffff, $v >> 16);
			die "'$i->{name}' lies outside\n" if $off + $len > length $_[0];
			my $bytes = substr $_[0], $off, $len;
			$bytes =~ s/\0.*//s if $text;
			return $bytes;
		};
	}
	if ($i->{kind} eq 'array') {
		my $n = $i->{count};
		return 0 if $size != 1 || !$n;
		return sub {
			my $bytes = substr $_[0], $at, $n;
			die "'$i->{name}' is not whole\n" if length $bytes < $n;
			$bytes =~ s/\0.*//s if $text;
			return $bytes;
		};
	}
	return 0 if $i->{count} || $size > 8;
	my $char = $size == 1 && $i->{type} eq 'char';
	my $zeros = "\0" x (8 - $size);
	my ($top, $form) = ($i->{size} - 1, $big ? 'Q>' : 'Q<');
	return sub {
		my $bytes = substr $_[0], $at, $size;
		die "'$i->{name}' is not whole\n" if length $bytes < $size;
		return $bytes eq "\0" ? '' : $bytes if $char;
		my $v = unpack $form, $big ? $zeros . $bytes : $bytes . $zeros;
		return $v if !$signed || !($v >> $top);
		return unpack 'q', pack 'Q', $v | (~0 << $top);
	};
}

# The values of a packed record.
sub unpack_record {
	my ($items, $payload, $big) = @_;
	my $bits;
	return map {
		my $i = $_;
		my $fast = $i->{"bytes$big"} //= of_bytes($i, $big);
		if ($fast) {
			scalar $fast->($payload);
		} elsif ($i->{kind} eq 'absent') {
			undef;
		} elsif ($i->{kind} eq 'dynamic') {
			$bits //= bits($payload, $big);
			my $word = number($bits, $i->{bit}, 32, 0, $big);
			my ($off, $len) = ($word & 0xffff, $word >> 16);
			die "'$i->{name}' lies outside\n" if $off + $len > length $payload;
			value($i, $bits, $off * 8, int($len * 8 / $i->{size}), $big);
		} else {
			$bits //= bits($payload, $big);
			value($i, $bits, $i->{bit}, $i->{count} // 1, $big);
		}
	} @$items;
}

sub put_number {
	my ($bits, $at, $size, $big, $v) = @_;
	my $text = substr sprintf('%064b', $v), 64 - $size;
	$text = reverse $text if !$big;
	substr($$bits, $at, $size) = $text;
}

sub put_values {
	my ($i, $bits, $at, $big, $v) = @_;
	my @v = ref $v ? @$v : $v;
	@v = unpack 'C*', $v if !ref $v && ($i->{kind} ne 'field' || ($i->{type} eq 'char' && $i->{size} == 8));
	$#v = $i->{count} - 1 if $i->{count};
	put_number($bits, $at + $_ * $i->{size}, $i->{size}, $big, $v[$_] // 0) for 0 .. $#v;
	return scalar @v;
}

sub pack_record {
	my ($items, $values, $big) = @_;
	my $fixed = layout(@$items);
	my $bits = '0' x ($fixed * 8);
	for my $k (0 .. $#$items) {
		my ($i, $v) = ($items->[$k], $values->[$k]);
		next if $i->{kind} eq 'absent';
		if ($i->{kind} ne 'dynamic') {
			put_values($i, \$bits, $i->{bit}, $big, $v);
			next;
		}
		my $step = $i->{align} > 8 ? $i->{align} : 8;
		my $n = ref $v ? @$v : length $v;
		my $at = $n ? length($bits) + -length($bits) % $step : $fixed * 8;
		my $len = int(($n * $i->{size} + 7) / 8);
		$bits .= '0' x ($at + $len * 8 - length $bits) if $n;
		put_values($i, \$bits, $at, $big, $v) if $n;
		put_number(\$bits, $i->{bit}, 32, $big, $len << 16 | $at / 8);
	}
	return pack $big ? 'B*' : 'b*', $bits;
}

# ---------------------------------------------------------------- reading

sub unquote {
	my $text = shift;
	$text =~ s/\\(?:x([0-9a-f]{2})|(.))/defined $1 ? chr hex $1 : $2/ge;
	return $text;
}

# The contents of a file: {order, clock, times, cpus, streams => [{cpu, trace, buffer}], machines => [{uname, tasks}],
# events => {N => {name, machine, purpose, items}}, records => [{event, stream, pid, sequence, time, lost, size,
# values}], losses => [{stream, count, sequence, time}], end}.  Dies with the error.
sub parse {
	my $bytes = shift;
	my %f = (streams => [], machines => [], events => {}, records => [], losses => []);
	my (@record, %mark, $into);
	$bytes =~ s/^zedperl stable events 1\n// or die "no file of stable events\n";
	while (1) {
		$bytes =~ s/^([^\n]*)\n// or die "no line 'data'\n";
		my $line = $1;
		last if $line eq 'data';
		next if $line =~ /^\s*(#|$)/;
		if ($line =~ /^(field|array|dynamic|absent):/) {
			push @$into, item($line);
		} elsif ($line =~ /^(byte_order|clock|times|cpus): (\S+)$/) {
			$f{$1 eq 'byte_order' ? 'order' : $1} = $2;
		} elsif ($line eq 'record') {
			$into = \@record;
		} elsif ($line =~ /^mark (\d+) (\w+)$/) {
			$mark{$1} = { name => $2, items => $into = [] };
		} elsif ($line =~ /^stream (\d+) cpu (\d+) trace (\d+) buffer "(.*)"$/) {
			$f{streams}[$1] = { cpu => $2, trace => $3, buffer => unquote($4) };
		} elsif ($line =~ /^machine (\d+) "(.*)"$/) {
			$f{machines}[$1] = { uname => unquote($2), tasks => {} };
		} elsif ($line =~ /^task (-?\d+) "(.*)"$/) {
			$f{machines}[-1]{tasks}{$1} = unquote($2);
		} elsif ($line =~ /^event (\d+) (\w+::\w+)$/) {
			$f{events}{$1} = { name => $2, machine => $#{$f{machines}}, items => $into = [] };
		} elsif ($line =~ /^purpose /) {
			;
		} else {
			die "what is '$line'?\n";
		}
	}
	my $big = $f{order} eq 'big' ? 1 : 0;
	my $head = layout(@record);
	layout(@{$_->{items}}) for values %{$f{events}}, values %mark;
	my ($at, %loss) = (0);
	while (1) {
		my (%r, $payload);
		die "no end\n" if length($bytes) - $at < $head;
		@r{map { $_->{name} } @record} = unpack_record(\@record, substr($bytes, $at, $head), $big);
		$payload = substr $bytes, $at + $head, $r{size};
		die "the last record is cut\n" if length $payload < $r{size};
		$at += $head + $r{size};
		if (my $m = $mark{$r{event}}) {
			push @{$f{marks}}, { name => $m->{name}, size => $r{size} };
			my %v;
			@v{map { $_->{name} } @{$m->{items}}} = unpack_record($m->{items}, $payload, $big);
			if ($m->{name} eq 'end') {
				die "the end tells of $v{records} records\n" if $v{records} != @{$f{records}};
				die "bytes behind the end\n" if $at != length $bytes;
				return \%f;
			} elsif ($m->{name} eq 'lost') {
				my $count = $v{count} == 0xffffffff ? undef : $v{count};
				push @{$f{losses}}, { %r, count => $count };
				$loss{"$r{stream} $r{sequence}"} = defined $count ? $count : 'some';
			} elsif ($m->{name} eq 'task') {
				$f{machines}[$v{machine}]{tasks}{$v{pid}} = $v{name};
			}
			next;
		}
		my $e = $f{events}{$r{event}} // die "a record of event $r{event}\n";
		push @{$f{records}}, { %r, event => $e->{name}, machine => $e->{machine},
			comm => $f{machines}[$e->{machine}]{tasks}{$r{pid}},	# as declared so far
			lost => delete $loss{"$r{stream} $r{sequence}"},
			values => [unpack_record($e->{items}, $payload, $big)] };
	}
}

# ---------------------------------------------------------------- writing

our @RECORD = ('field:u16 event; align:8; size:16;', 'field:u16 stream; align:8; size:16;',
	'field:u32 size; align:8; size:24;', 'field:pid_t pid; align:8; size:32; signed:1;',
	'field:u64 sequence; align:8; size:64;', 'field:u64 time; align:8; size:64;');

sub new {
	my ($class, %o) = @_;
	my $w = bless { order => 'little', clock => 'mono', times => 'ns', cpus => 2, record => \@RECORD,
		text => '', data => '', n => 0, streams => 0, machines => 0, items => {}, %o }, $class;
	$w->{big} = $w->{order} eq 'big';
	$w->{record_items} = [map { item($_) } @{$w->{record}}];
	$w->{text} = join "\n", 'zedperl stable events 1', "byte_order: $w->{order}", "clock: $w->{clock}",
		"times: $w->{times}", "cpus: $w->{cpus}", 'record', @{$w->{record}}, '';
	mark($w, 65535, 'end', 'field:u64 records; size:64;');
	mark($w, 65534, 'lost', 'field:u32 count; size:32;');
	mark($w, 65533, 'task', 'field:u16 machine; size:16;', 'field:pid_t pid; align:16; size:32; signed:1;',
		'dynamic:char name; size:8;');
	return $w;
}

# Fields of every kind, at places that are not byte-aligned, and their values.
our @ODD = ('field:int a; align:32; size:32; signed:1;', 'field:unsigned p; align:1; size:7;',
	'field:bool q; align:1; size:1;', 'field:int s; align:1; size:12; signed:1;',
	'array:char n; size:8; align:4; count:5;', 'field:char c; size:8;', 'dynamic:char d; size:8;',
	'absent:u8 no;', 'dynamic:int z; align:1; size:7; signed:1;',
	'array:long w; align:2; size:33; count:3; signed:1;', 'array:u8 raw; size:8; align:8; count:3;');
our @ODD_VALUES = (-5, 120, 1, -3, 'ab', 'Q', 'hello', undef, [-1, 5, -64, 63], [-4294967296, -1, 4294967295],
	"\xff\0\x01");

sub quote {
	my $s = shift;
	$s =~ s/([\\"])|([^\x20-\x7e])/defined $1 ? "\\$1" : sprintf '\\x%02x', ord $2/ge;
	return qq("$s");
}

sub line { my ($w, $line) = @_; $w->{text} .= "$line\n"; return $w }

sub described {
	my ($w, $n, @lines) = @_;
	$w->{items}{$n} = [map { item($_) } grep { !/^purpose/ } @lines];
	line($w, $_) for @lines;
	return $w;
}

sub mark { my ($w, $n, $name, @lines) = @_; line($w, "mark $n $name"); return described($w, $n, @lines) }
sub event { my ($w, $n, $name, @lines) = @_; line($w, "event $n $name"); return described($w, $n, @lines) }
sub machine { my ($w, $uname) = @_; return line($w, 'machine ' . $w->{machines}++ . ' ' . quote($uname)) }
sub task { my ($w, $pid, $name) = @_; return line($w, "task $pid " . quote($name)) }

sub stream {
	my ($w, %o) = @_;
	return line($w, sprintf 'stream %d cpu %d trace %d buffer %s', $w->{streams}++, $o{cpu} // 0,
		$o{trace} // 0, quote($o{buffer} // ''));
}

# Any record.  HEAD has its fields by name except event and size (size may be given wrong).
sub raw {
	my ($w, $n, $head, $payload) = @_;
	my %h = (stream => 0, pid => 0, sequence => 0, time => 0, size => length $payload, %$head, event => $n);
	$w->{data} .= pack_record($w->{record_items}, [map { $h{$_->{name}} } @{$w->{record_items}}], $w->{big})
		. $payload;
	return $w;
}

sub record {
	my ($w, $n, $head, $values) = @_;
	$w->{n}++ if $n < 65533;
	return raw($w, $n, $head, pack_record($w->{items}{$n}, $values, $w->{big}));
}

sub lost { my ($w, $head, $count) = @_; return record($w, 65534, $head, [$count]) }
sub named { my ($w, $machine, $pid, $name) = @_; return record($w, 65533, {}, [$machine, $pid, $name]) }
sub end { my ($w, $n) = @_; return record($w, 65535, {}, [$n // $w->{n}]) }
sub bytes { my $w = shift; return "$w->{text}data\n$w->{data}" }

sub write {
	my ($w, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $w->bytes or die "$path: $!\n";
	close $fh or die "$path: $!\n";
	return $path;
}

# A file with something of everything, 8 events long.  Beside it PATH.ends gets the offset after each event.
sub sample {
	my ($path, %o) = @_;
	my $w = Write::StableFile->new(clock => 'boot', cpus => 4, %o);
	$w->stream(cpu => 0)->stream(cpu => 3, buffer => 'foo "bar"')->stream(cpu => 1);
	$w->machine('Linux made 6.1 x86_64')->task(12, 'cat')->task(13, "do\"g\\ \x01\xc3\xa9");
	$w->event(7, 'sched::switch', 'purpose  a CPU switches', @ODD);
	$w->line('# a second machine')->line('')->machine('Linux other')->task(12, 'not cat');
	$w->event(300, 'irq::enter', 'field:u64 x; size:64;', 'dynamic:char name; size:8;');
	my @ends;
	my $one = sub {
		$w->record(@_);
		push @ends, length $w->{data};
	};
	$w->lost({ stream => 1, sequence => 5, time => 90 }, 7);
	$w->lost({ stream => 0, sequence => 5, time => 100, pid => 12 }, 3)->named(0, 12, 'newcat');
	$one->(7, { stream => 0, pid => 12, sequence => 5, time => 100 }, [@ODD_VALUES]);
	$one->(300, { stream => 1, pid => 12, sequence => 9, time => 150 + $_ }, [~0 - $_, "eth$_"])
		for 0 .. 2;
	$one->(7, { stream => 2, pid => -1, sequence => 10 + $_, time => 160 + $_ },
		[-$_, $_, $_ & 1, -2048 + $_, 'n' x $_, 'R', '', undef, [], [1 .. 3], "\0\xff\0"]) for 0 .. 3;
	$w->lost({ stream => 2, sequence => 20, time => 190 }, 0xffffffff)->end->write($path);
	my $head = length($w->{text}) + length "data\n";
	open my $fh, '>', "$path.ends" or die "$path.ends: $!\n";
	print $fh map { $_ + $head . "\n" } @ends;
	close $fh or die "$path.ends: $!\n";
	return $w;
}

1;
