# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::Jitdump: writes jit-PID.dump as the specification of linux/tools/perf has it, in both byte orders.  Shares no code
# with the programs.
package Write::Jitdump;
use strict;
use warnings;

# pid, big, flags
sub new {
	my ($class, %o) = @_;
	my $s = bless { flags => 0, %o }, $class;
	$s->{bytes} = $s->u32(0x4A695444, 1, 40, 62, 0, $s->{pid}) . $s->u64(1, $s->{flags});
	return $s;
}

sub u32 { my $s = shift; return pack $s->{big} ? 'N*' : 'V*', @_ }
sub u64 { my $s = shift; return pack $s->{big} ? 'Q>*' : 'Q<*', @_ }
sub record { my ($s, $type, $time, $payload, $size) = @_; $s->{bytes} .= $s->u32($type, $size // 16 + length $payload) . $s->u64($time) . $payload; return $s }

# has: bytes of code that the record has, if not all
sub load {
	my ($s, $time, $at, $size, $name, $index, $has) = @_;
	return $s->record(0, $time, $s->u32($s->{pid}, $s->{pid}) . $s->u64($at, $at, $size, $index) . "$name\0" . "\xcc" x ($has // $size));
}
sub move { my ($s, $time, $from, $to, $size, $index) = @_; return $s->record(1, $time, $s->u32($s->{pid}, $s->{pid}) . $s->u64($to, $from, $to, $size, $index)) }
sub debug_info { my ($s, $time, $at) = @_; return $s->record(2, $time, $s->u64($at, 1, $at) . $s->u32(7, 0) . "file.js\0") }
sub close { my ($s, $time) = @_; return $s->record(3, $time, '') }

sub write {
	my ($s, $path) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $s->{bytes};
	CORE::close($fh) or die "$path: $!\n";
	return $path;
}

1;
