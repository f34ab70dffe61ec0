# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Schemas: holds what the programs print as JSON against the schemas of docs/schema.
#
#	answers_fit('t/data/demo.dat', ['irq'], ['--limit', 1]);	# these analyses; without: those that suit it
package Run::Schemas;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Test::More;
use Compare::JsonSchema;
use Run::Program qw(zed_run);

our @EXPORT = qw(answers_fit faults lines_fit schema recordings);

my %schemas;
sub schema { return $schemas{$_[0]} //= Compare::JsonSchema->new("docs/schema/$_[0].json") }

# All recordings of the repository, in FOLDERS of t/data.
sub recordings { return map { sort glob "t/data/$_" } @_ }

# What is wrong with TEXT, an answer of the analysis NAME.
sub faults {
	my ($name, $text) = @_;
	my $data = eval { JSON::PP->new->utf8->decode($text) } // return "no JSON: $@";
	my $schema = schema($name);
	my @faults = $schema->faults($data);
	return @faults if ($data->{trace}{times} // '') eq 'ticks';
	# The units that the columns say are those of the schema.
	for my $table (sort keys %{$data->{tables} // {}}) {
		for (@{$data->{tables}{$table}{columns}}) {
			my ($is, $should) = map { $_ // 'none' } $_->{unit}, $schema->unit($table, $_->{key});
			push @faults, "/tables/$table: $_->{key} is in $is, in the schema $should"
				if $is ne $should && !($name eq 'stacks' && $_->{key} =~ /\A(?:weight|self|total)\z/);
		}
	}
	return @faults;
}

my $answers = 0;

# A check: the answers of ANALYSES (a reference; without: summary, and what it says suits) with OPTIONS for the recording.
# Returns how many there were.
sub answers_fit {
	my ($path, $analyses, $options) = @_;
	my @todo = $analyses ? @$analyses : 'summary';
	my ($n, @bad) = (0);
	while (defined(my $name = shift @todo)) {
		my $r = zed_run('zedperl', $path, $name, '--json', @{$options // []});
		next if $r->{exit} > 1;
		$n++;
		push @bad, map { "$name: $_" } faults($name, $r->{out});
		next if $name ne 'summary' || $analyses;
		my $suits = eval { JSON::PP->new->utf8->decode($r->{out})->{tables}{scripts}{rows} } // [];
		push @todo, grep { -e "docs/schema/$_.json" } map { $_->{script} } grep { $_->{suits} ne 'no' } @$suits;
	}
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join("\n", @bad[0 .. ($#bad < 5 ? $#bad : 5)]), '', "$path: $n answers are as docs/schema says");
	return $n;
}

# A check: each line of zedprint -f json.
sub lines_fit {
	my ($path, @options) = @_;
	my @lines = split /\n/, zed_run('zedprint', '-f', 'json', @options, $path)->{out};
	# Of many lines that are alike, some.
	my $step = 1 + int @lines / 60;
	my @bad = map { schema('zedprint')->faults(JSON::PP->new->utf8->decode($lines[$_ * $step])) } 0 .. int($#lines / $step);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join("\n", @bad[0 .. ($#bad < 3 ? $#bad : 3)]), '', "$path: lines of zedprint -f json");
	return scalar @lines;
}

1;
