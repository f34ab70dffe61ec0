# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::ElfSymbols: writes ELF files (64 bit, of this machine's byte order) that no linker makes: with any number of symbols, of
# any size and name.  Shares no code with the programs.
#
#	my $bytes = elf(build_id => $hex, text => $size, symbols => [[$name, $address, $size], ...]);
package Write::ElfSymbols;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(elf);

# The segment with the code begins at TEXT_AT, in the file and in memory.
our $TEXT_AT = 0x1000;

# name, type, flags, address, offset, size, link, info, alignment, size of an entry
sub section { return pack 'L2 Q4 L2 Q2', @_ }

sub elf {
	my (%o) = @_;
	my @names = ('', '.text', '.note.gnu.build-id', '.symtab', '.strtab', '.shstrtab');
	my ($shstr, %at) = ('');
	for (@names) { $at{$_} = length $shstr; $shstr .= "$_\0" }
	my $note = pack('L3 a4', 4, length($o{build_id}) / 2, 3, 'GNU') . pack 'H*', $o{build_id};
	my ($strings, $symbols) = ("\0", "\0" x 24);
	for (@{$o{symbols}}) {
		my ($name, $address, $size) = @$_;
		$symbols .= pack 'L C2 S Q2', length $strings, 0x12, 0, 1, $address, $size;
		$strings .= "$name\0";
	}
	my @parts = ($note, $symbols, $strings, $shstr);
	my @off;
	my $next = $TEXT_AT + $o{text};
	for (@parts) {
		$next += -$next % 8;
		push @off, $next;
		$next += length;
	}
	$next += -$next % 8;
	my $bytes = pack('a4 C5 x7 S2 L Q3 L S6', "\x7fELF", 2, unpack('C', pack 'S', 1) ? 1 : 2, 1, 0, 0, 3, $o{machine} // 62, 1, $TEXT_AT, 64, $next,
		0, 64, 56, 2, 64, 6, 5)
		. pack('L2 Q6', 1, 5, $TEXT_AT, $TEXT_AT, $TEXT_AT, $o{text}, $o{text}, $TEXT_AT)
		. pack('L2 Q6', 4, 4, $off[0], $off[0], $off[0], length $note, length $note, 4);
	$bytes .= "\0" x ($TEXT_AT - length $bytes) . "\x90" x $o{text};
	for my $i (0 .. $#parts) { $bytes .= "\0" x ($off[$i] - length $bytes) . $parts[$i] }
	return $bytes . "\0" x ($next - length $bytes) . "\0" x 64
		. section($at{'.text'}, 1, 6, $TEXT_AT, $TEXT_AT, $o{text}, 0, 0, 16, 0)
		. section($at{'.note.gnu.build-id'}, 7, 2, $off[0], $off[0], length $note, 0, 0, 4, 0)
		. section($at{'.symtab'}, 2, 0, 0, $off[1], length $symbols, 4, 1, 8, 24)
		. section($at{'.strtab'}, 3, 0, 0, $off[2], length $strings, 0, 0, 1, 0)
		. section($at{'.shstrtab'}, 3, 0, 0, $off[3], length $shstr, 0, 0, 1, 0);
}

1;
