# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files: a file's bytes, read and written whole, and a folder for a test's own files.
package Files;
use strict;
use warnings;
use Exporter 'import';
use File::Find ();
use File::Temp ();

our @EXPORT = qw(slurp spew temp_dir);
our @EXPORT_OK = qw(listing);

# The bytes of the file PATH; dies if it cannot be read.
sub slurp {
	my ($path) = @_;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	local $/;
	return scalar <$fh> // '';
}

# Writes TEXT to the file PATH, and returns PATH.
sub spew {
	my ($path, $text) = @_;
	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $text;
	close $fh or die "$path: $!\n";
	return $path;
}

# A folder of this test alone, removed at its end.
my $dir;
sub temp_dir { $dir //= File::Temp->newdir('zedtest.XXXXXX', TMPDIR => 1); return "$dir" }

# A text that changes when anything in DIR does: names, kinds, sizes, times of change.
sub listing {
	my ($dir) = @_;
	my @found;
	my $look = sub {
		my @s = lstat;
		push @found, join ' ', $File::Find::name =~ s/^\Q$dir\E//r, @s[2, 7], -d _ ? () : $s[9] if $File::Find::name ne $dir;
	};
	File::Find::find({ no_chdir => 1, wanted => $look }, $dir);
	return join "\n", sort @found;
}

1;
