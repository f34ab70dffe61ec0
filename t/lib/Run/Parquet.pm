# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Parquet: zedprint -f parquet into a new directory, and its tables, read by a reader that shares no code with the
# writer.
package Run::Parquet;
use strict;
use warnings;
use Exporter 'import';
use File::Find;
use Compare::ParquetRead;
use Compare::RealData;

our @EXPORT = qw(tables parquet);

# The files under a directory: {name => path}.
sub tables {
	my ($dir) = @_;
	my @files;
	find({ no_chdir => 1, wanted => sub { push @files, $_ if -f } }, $dir) if -d $dir;
	return map { s{^\Q$dir\E/}{}r => $_ } sort @files;
}

# zedprint -f parquet: ({name of the file => table}, the run, the directory).
sub parquet {
	my (@args) = @_;
	my $dir = Compare::RealData::temp();
	my $run = Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $dir, @args);
	my %files = tables($dir);
	my %tables;
	@tables{keys %files} = parquet_read(values %files);
	return (\%tables, $run, $dir);
}

1;
