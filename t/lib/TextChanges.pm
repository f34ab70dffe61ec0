# SPDX-License-Identifier: GPL-2.0-or-later
#
# TextChanges: what -f report prints otherwise with a newer libtraceevent than 1.7.1, with which the references
# X.dat.report.txt were made.  One table of what is known and right; all else has to be equal.
#
#	$got = text_as_171($got);	# on a system with 1.7.1 nothing happens to it
#	is_deeply([text_changes_unused()], [], '...');
package TextChanges;
use strict;
use warnings;
use Exporter 'import';
use RealData;

our @EXPORT = qw(text_as_171 text_changes_unused text_since);

# event, the first version that prints so, why, a recording that shows it; and back: from the event's own text
# to that of 1.7.1, one to one: what a newer library must no longer print does not come out as 1.7.1's.
my @CHANGES = (
	{
		event => 'sched_switch', since => '1.8.0', witness => 't/data/demo.dat',
		why => 'state 0x80 is I (idle) as the print format says; the list in 1.7.1 is of older kernels: W (waking)',
		back => sub { return states($_[0], sub { $_[0] =~ tr/IW/WI/r }) },
	},
	{
		event => 'sched_switch', since => '1.8.0', witness => 't/data/demo.dat',
		why => 'states 0x10 and 0x20 are X and Z; up to Linux 4.13 and in the list of 1.7.1 they are Z and X',
		back => sub { return states($_[0], sub { $_[0] =~ tr/XZ/ZX/r }) },
	},
	{
		event => 'tpk_arrays', since => '1.8.0', witness => 't/data/tpk_arrays.dat',
		why => '__print_array is {0x0,0x1} as in the kernel, no longer 0 1',
		back => sub { return $_[0] =~ s{\b(words|longs|halves|ints|quads|sints)=(?:\{([0-9a-fx,]*)\})?}{
			"$1=" . (defined $2 ? numbers($2) : 'no braces: ')}ger },
	},
);

# The states that a task was left in, by another list: "comm:1 [120] D|I ==> ".
sub states {
	my ($text, $other) = @_;
	return $text =~ s{(?<=\] )([A-Za-z|]+)(?=\+? ==> )}{$other->($1)}er;
}

# 0x0,0x1 as 0 1; numbers of 64 bits too.
sub numbers {
	no warnings 'portable';
	return join ' ', map { hex } split /,/, $_[0];
}

# The version that the programs under test were built with: 1.8.4 as 1008004.
sub number { my ($x, $y, $z) = split /\./, $_[0]; return ($x * 1000 + $y) * 1000 + ($z // 0) }
my $here;
sub here {
	return $here //= do {
		my $run = RealData::run('zedprint', '--version');
		my ($version) = RealData::slurp($run->{out}) =~ /^libtraceevent (\d+(?:\.\d+)+)/m or die "zedprint: no version\n";
		number($version);
	};
}

# Is it this one, or newer?
sub text_since { return here() >= number($_[0]) }

my %used;	# by their reasons

# A report, or lines of one, as 1.7.1 prints them; they are of VERSION, or else of the one that is here.
sub text_as_171 {
	my ($text, @version) = @_;
	my $version = @version ? number(@version) : here();
	my %changes;
	push @{$changes{$_->{event}}}, $_ for grep { $version >= number($_->{since}) } @CHANGES;
	return $text if !%changes;
	my $names = join '|', sort keys %changes;
	return $text =~ s{^(.*?\] *\d+(?:\.\d+)?: ($names): +)(.*)$}{
		my ($head, $name, $rest) = ($1, $2, $3);
		for my $change (@{$changes{$name}}) {
			my $back = $change->{back}->($rest);
			$used{$change->{why}}++ if $back ne $rest;
			$rest = $back;
		}
		$head . $rest}gemr;
}

# Of the changes that this version should show, those that nothing compared so far has shown.
sub text_changes_unused {
	return map { "$_->{event}: $_->{why}" } grep { text_since($_->{since}) && !$used{$_->{why}} } @CHANGES;
}

1;
