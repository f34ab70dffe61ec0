# SPDX-License-Identifier: GPL-2.0-or-later
#
# The names of options in the code are those of --help.  Without it a rule that names an option which was renamed is
# never broken, and what makes no sense is done in silence.
# of: programs
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run slurp);
use Run::Python;

my %options;
for my $program ('zedperl', python_missing() ? () : 'zedpython', qw(zedprint zedtrace)) {
	$options{$program}{$_} = 1 for zed_run($program, '--help')->{out} =~ /^ {2,6}(?:-\w, )?--([a-z-]+)/mg;
	cmp_ok(scalar keys %{$options{$program}}, '>', 20, "$program has options");
}

# What an item of a rule may be besides (programs/rows.h).
my %other = map { $_ => 1 } qw(WORDS COMMAND SETS CHOOSES SESSION);
# Files of several programs: their rules are those of each.
my %both = map { $_ => [qw(zedperl zedpython zedprint)] } qw(reading chosen unmet run progress);
$both{session} = [qw(zedperl zedpython zedtrace)];
$both{script} = [qw(zedperl zedpython)];

my $rules = 0;
for my $path (glob 'programs/*.c programs/*/*.c') {
	my ($of) = $path =~ m{^programs/(\w+)};
	next if $of eq 'zedpython' && !$options{$of};
	my $text = slurp($path);
	my @names = $text =~ /cli_given\(&?\w+, "([^"]*)"\)/g;
	push @names, map { s/=.*//r } map { split /[ +]/ } $text =~ /^\t\{ [A-Z0-9| ]+, "([^"]+)", CLI_(?:NOT_WITH|NEEDS),\s+"([^"]+)",?/mg;
	# The first is that of no option.
	my (undef, @modes) = $text =~ /^static const struct cli_mode MODES\[\] = \{(.*?)^\};/ms ? $1 =~ /\{ (?:\.name = )?"([^"]+)"/g : ();
	$rules += @names;
	for my $program ($options{$of} ? $of : grep { $options{$_} } @{$both{$of} // []}) {
		is_deeply([grep { !$options{$program}{$_} && !$other{$_} } @names], [], "$path: options of $program (else: the rule is none)");
		is_deeply([grep { !$options{$program}{$_} } @modes], [], "$path: ... and its modes") if @modes;
	}
	is_deeply(\@names, [], "$path: names none") if !$options{$of} && !$both{$of};
}
cmp_ok($rules, '>', 100, 'rules were found (else: nothing is compared)');

done_testing();
