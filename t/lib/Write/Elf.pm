# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Elf: writes small ELF files of x86-64 and arm64 with functions that do nothing, their symbols, a build id and
# unwind tables (.eh_frame) as a test wants them: of machines that no compiler is here for, and such as none would write.
# By the System V ABI and the DWARF standard; shares no code with the programs.
#
#	my $elf = Write::Elf->new(machine => 'aarch64', id => 'ab' x 20);
#	$elf->function('leaf', cfi => Write::Elf::cfa_offset(32));
#	$elf->write($path);
#	$elf->at('leaf');	# its offset in the file
package Write::Elf;
use strict;
use warnings;

my %MACHINE = (
	x86_64 => { number => 62, ra => 16, begin => cfa(7, 8) . saved(16, 1) },
	aarch64 => { number => 183, ra => 30, begin => cfa(31, 0) },
);
my $TEXT = 0x1000;
my $SIZE = 16;	# of a function

# machine; id: the build id, hexadecimal; shift: how far the addresses of code are from its offsets, as lld links
sub new { my ($class, %o) = @_; return bless { machine => 'x86_64', shift => 0, %o, functions => [], size => 0 }, $class }

# ---- instructions of unwind tables

sub uleb { my ($v) = @_; my $out = ''; do { my $b = $v & 127; $v >>= 7; $out .= chr($b | ($v ? 128 : 0)) } while $v; return $out }
# The caller's stack pointer (CFA) is register REG plus OFF; plus OFF of the same register.
sub cfa { my ($reg, $off) = @_; return "\x0c" . uleb($reg) . uleb($off) }
sub cfa_offset { return "\x0e" . uleb($_[0]) }
# Register REG of the caller is saved N words below the CFA; or is lost.
sub saved { my ($reg, $n) = @_; return chr(0x80 | $reg) . uleb($n) }
sub lost { return "\x07" . uleb($_[0]) }
# Nothing called it.
sub outermost { my ($s) = @_; return lost($MACHINE{$s->{machine}}{ra}) }

# ---- the file

# cfi: instructions after those of all functions; signal: it is a signal's; none: it has no table; code: its bytes
sub function {
	my ($s, $name, %o) = @_;
	push @{$s->{functions}}, { name => $name, cfi => '', %o, at => $TEXT + $SIZE * @{$s->{functions}} };
	return $s;
}

sub at {
	my ($s, $name) = @_;
	my ($f) = grep { $_->{name} eq $name } @{$s->{functions}} or die "no function $name\n";
	return $f->{at};
}

sub padded { my ($bytes, $fill) = @_; return $bytes . $fill x (-length($bytes) % 8) }

# An entry of .eh_frame: its length does not count itself.
sub entry { my $bytes = padded("....$_[0]", "\0"); return pack('V', length($bytes) - 4) . substr $bytes, 4 }

sub cie {
	my ($s, $augmentation) = @_;
	my $m = $MACHINE{$s->{machine}};
	return entry(pack('V C Z* C C C C C', 0, 1, $augmentation, 1, 0x78, $m->{ra}, 1, 0x1b) . $m->{begin});
}

# .eh_frame at the address AT.
sub eh_frame {
	my ($s, $at) = @_;
	my $cies = $s->cie('zR');
	my $signals = length $cies;
	my $out = $cies . $s->cie('zRS');
	for my $f (grep { !$_->{none} } @{$s->{functions}}) {
		my $here = length($out) + 4;
		my $begin = $f->{at} + $s->{shift} - ($at + $here + 4);
		$out .= entry(pack('V l< V C', $here - ($f->{signal} ? $signals : 0), $begin, $SIZE, 0) . $f->{cfi});
	}
	return $out . pack 'V', 0;
}

sub bytes {
	my ($s) = @_;
	my $shift = $s->{shift};
	my $text = join '', map { ($_->{code} // '') . "\x90" x ($SIZE - length($_->{code} // '')) } @{$s->{functions}};
	my $frame_at = $TEXT + length $text;
	my $frame = padded($s->{eh_frame} // $s->eh_frame($frame_at + $shift), "\0");
	my $loaded = length($text) + length $frame;
	my $note = pack('V V V a4', 4, length($s->{id}) / 2, 3, 'GNU') . pack 'H*', $s->{id};
	my ($symbols, $names) = ("\0" x 24, "\0");
	for my $f (@{$s->{functions}}) {
		$symbols .= pack 'V C C v Q< Q<', length $names, 0x12, 0, 2, $f->{at} + $shift, $SIZE;
		$names .= "$f->{name}\0";
	}
	my $section_names = join "\0", '', qw(.note.gnu.build-id .text .eh_frame .symtab .strtab .shstrtab), '';
	my $at = $TEXT + $loaded;
	my $rest = padded($symbols . $names . $section_names, "\0");
	my @sections = (['', 0, 0, 0, 0, 0, 0, 0, 0], ['.note.gnu.build-id', 7, 2, 0x200, 0x200, length $note, 0, 0, 0],
		['.text', 1, 6, $TEXT + $shift, $TEXT, length $text, 0, 0, 0], ['.eh_frame', 1, 2, $frame_at + $shift, $frame_at, length $frame, 0, 0, 0],
		['.symtab', 2, 0, 0, $at, length $symbols, 5, 1, 24], ['.strtab', 3, 0, 0, $at + length $symbols, length $names, 0, 0, 0],
		['.shstrtab', 3, 0, 0, $at + length($symbols) + length $names, length $section_names, 0, 0, 0]);
	my $table = join '', map { my ($name, $type, $flags, @rest) = @$_; pack 'V V Q< Q< Q< Q< V V Q< Q<', index($section_names, "\0$name\0") + 1, $type, $flags, @rest[0 .. 4], $type == 7 ? 4 : 8, $rest[5] } @sections;
	my $head = pack 'a4 C C C x9 v v V Q< Q< Q< V v v v v v v', "\x7fELF", 2, 1, 1, 3, $MACHINE{$s->{machine}}{number}, 1, 0, 64,
		$at + length $rest, 0, 64, 56, 3, 64, scalar @sections, $#sections;
	my $segments = pack 'V V Q<6' x 3, 1, 4, 0, 0, 0, 0x300, 0x300, 0x1000, 1, 5, $TEXT, $TEXT + $shift, $TEXT + $shift, $loaded, $loaded, 0x1000,
		4, 4, 0x200, 0x200, 0x200, length $note, length $note, 4;
	return pack('a512 a3584', $head . $segments, $note) . $text . $frame . $rest . $table;
}

sub write {
	my ($s, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $s->bytes;
	close $fh or die "$path: $!\n";
	return $path;
}

1;
