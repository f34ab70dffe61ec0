# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Elf: programs that a test compiles, and what binutils (nm, readelf) says of their functions: a second opinion
# on names for addresses.  Shares no code with the programs.
package Compare::Elf;
use strict;
use warnings;
no warnings 'portable';
use Run::Program qw(zed_run);

# The first tool that is missing of those that these functions need; undef: none.
sub missing {
	for my $tool (compiler(), qw(nm readelf objcopy strip)) {
		return $tool if !grep { -x "$_/$tool" } split /:/, $ENV{PATH};
	}
	return;
}

sub compiler { return (split ' ', $ENV{CC} // 'gcc')[0] }

sub run {
	my (@cmd) = @_;
	my $r = zed_run({ memory => 0, time => 120 }, '/usr/bin/env', @cmd);
	die "@cmd: $r->{err}\n" if $r->{exit};
	return $r->{out};
}

# Compiles SOURCE to PATH, with a build id, which not every compiler asks for.
sub compile {
	my ($path, $source, @flags) = @_;
	open my $fh, '>', "$path.c" or die "$path.c: $!\n";
	print $fh $source;
	close $fh or die "$path.c: $!\n";
	run(compiler(), '-O1', '-fno-inline', '-Wl,--build-id', @flags, '-o', $path, "$path.c");
	return $path;
}

# The address that nm has for the function NAME: in a module, which is not linked, the offset in its section.
sub address {
	my ($path, $name) = @_;
	return run('nm', $path) =~ /^([0-9a-f]+) [tTwW] \Q$name\E$/m ? hex $1 : die "$path has no $name\n";
}

sub build_id {
	my ($path) = @_;
	return run('readelf', '-n', $path) =~ /Build ID: ([0-9a-f]+)/ ? $1 : undef;
}

# The offset in the file PATH of the function NAME, and its size.
sub place {
	my ($path, $name) = @_;
	my ($at, $size) = run('nm', '-S', $path) =~ /^([0-9a-f]+) ([0-9a-f]+) [tTwW] \Q$name\E$/m or die "$path has no $name\n";
	my $vaddr = hex $at;
	for (split /\n/, run('readelf', '-lW', $path)) {
		my ($off, $start, $len) = /^\s+LOAD\s+0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+)/ or next;
		return (hex($off) + $vaddr - hex $start, hex $size) if $vaddr >= hex $start && $vaddr < hex($start) + hex $len;
	}
	die "$path: $name is not loaded\n";
}

1;
