# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::ParquetEngines: asks DuckDB and hyparquet, which t/tools/parquet-engines.sh fetches: one process for all questions.
#
#	plan skip_all => parquet_no_engines() if parquet_no_engines();
#	my $engines = parquet_engines();
#	my @rows = $engines->sql('select ...');	# [text, undef or [items], ...] each; dies on an error
#	my ($rows, $others) = $engines->ask({ read => $file }, { sql => 'select ...' });	# hyparquet's; several at once
package Compare::ParquetEngines;
use strict;
use warnings;
use Exporter 'import';
use IPC::Open2;
use JSON::PP;
use Compare::RealData;

our @EXPORT = qw(parquet_no_engines parquet_engines);

my $dir = Compare::RealData::root() . '/build/parquet-engines';
my $json = JSON::PP->new->utf8->canonical;

# Why they cannot be asked, or undef.
sub parquet_no_engines {
	return 'no node: apt-get install nodejs' unless grep { -x "$_/node" } split /:/, $ENV{PATH} // '';
	return undef if -d "$dir/node_modules/hyparquet";
	return 'no engines here: t/tools/parquet-engines.sh fetches them';
}

sub parquet_engines {
	my $pid = open2(my $out, my $in, 'node', Compare::RealData::root() . '/t/lib/Compare/parquet.mjs', $dir);
	return bless { pid => $pid, in => $in, out => $out }, __PACKAGE__;
}

# Each of WHAT is a query; returns a reference to the rows of each.  Those that fit into the pipe are sent at once.
sub ask {
	my ($self, @what) = @_;
	my @lines = map { $json->encode($_) . "\n" } @what;
	my @answers;
	while (@lines) {
		my ($n, $bytes) = (0, 0);
		while ($n < @lines && (!$n || $bytes + length $lines[$n] < 32_768)) {
			$bytes += length $lines[$n++];
		}
		print {$self->{in}} splice @lines, 0, $n;
		$self->{in}->flush;
		for (1 .. $n) {
			my $answer = readline $self->{out};
			die "the engines have ended\n" if !defined $answer;
			$answer = $json->decode($answer);
			push @answers, $answer;
		}
	}
	$_->{error} and die "$_->{error}\n" for @answers;
	return map { $_->{rows} } @answers;
}

sub sql { my ($self, $query) = @_; return @{($self->ask({ sql => $query }))[0]} }

sub DESTROY {
	my ($self) = @_;
	local $?;
	close $self->{in};
	waitpid $self->{pid}, 0;
	return;
}

1;
