# SPDX-License-Identifier: GPL-2.0-or-later
#
# analyses: every analysis over a fleet: its state taken from each trace and merged, in any order, tree and grouping,
# with jobs that ran twice.  Without it a number of the answer could depend on which machine was done first.
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use List::Util qw(shuffle);
use lib 't/lib';
use Run::Program qw(zed_bin zed_tmp slurp spew same);

my $zedperl = zed_bin('zedperl');
my $tmp = zed_tmp();
my $seed = $ENV{FLEET_SEED} // 17;
srand $seed;

# The third prints what comes, and has no state; the last tells of its own run as well, and is no analysis.
my %reads_none = map { $_ => 1 } qw(compare top printall metrics);
my @scripts = grep { !$reads_none{$_} } map { m{/([^/]+)\.pl\z} } sort glob 'scripts/*.pl';
my @traces = map { "t/data/$_.dat" } qw(demo block fgraph stack lost armhf_lost);

# Standard output and the status of a command with ARGS; standard input is TEXT.
sub run {
	my ($text, @args) = @_;
	spew("$tmp/in", $text);
	system "$zedperl @args <$tmp/in >$tmp/out 2>$tmp/err";
	return (slurp("$tmp/out"), $? >> 8);
}

# STATES as one, by a tree of random shape: what some jobs give comes twice.
sub tree {
	my ($script, @states) = @_;
	while (@states > 1) {
		my $n = 2 + int rand 3;
		my @group = splice @states, 0, $n;
		my ($one) = run(join('', shuffle(@group, rand() < 0.3 ? $group[0] : ())), '--reduce', '--map', $script);
		@states = shuffle @states, $one;
	}
	return $states[0];
}

# Sums of a column over tables, as the test adds them up itself.
sub sum_of {
	my ($table, @columns) = @_;
	my %sum;
	for my $row (@{$table->{rows} // []}) {
		$sum{$_} += $row->{$_} // 0 for @columns;
	}
	return \%sum;
}

for my $script (@scripts) {
	my (@states, %sums, $direct_bad, $alone_bad);
	my $is_json = slurp("scripts/$script.pl") =~ /Zed::Report/;
	for my $trace (@traces) {
		my ($state, $status) = run('', '--map', $trace, $script);
		$direct_bad .= " $trace" if $status || $state !~ /\Azed-state-1\/$script\/[0-9a-f]{16}\t\{.*\}\n\z/;
		push @states, $state;
		my ($answer) = run('', $trace, $script, $is_json ? '--json' : ());
		my ($reduced) = run($state, '--reduce', $script, '-', $is_json ? '-- --json' : ());
		$alone_bad .= " $trace" if $answer ne $reduced || $answer eq '';
		next if !$is_json;
		my $data = JSON::PP->new->latin1->decode($answer);
		for my $name (keys %{$data->{tables}}) {
			my $sum = sum_of($data->{tables}{$name}, 'n', 'total', 'bytes', 'merges', 'self');
			$sums{$name}{$_} += $sum->{$_} for keys %$sum;
		}
	}
	is($direct_bad, undef, "$script: each trace has a state, one line (else: engines cannot carry it)");
	is($alone_bad, undef, "$script: reduced alone it is the answer of the trace (else: the way through a state changes it)");
	my $all = join '', @states;
	my ($flat) = run($all, '--reduce', $script);
	isnt($flat, '', "$script: all together have an answer");
	my ($shuffled) = run(join('', shuffle @states, @states[0, 3]), '--reduce', $script);
	same($shuffled, $flat, "$script: in another order, two of them twice (else: a retried job counts twice)");
	my ($sorted) = run(join('', sort @states), '--reduce', $script);
	same($sorted, $flat, "$script: sorted, as Hadoop's streaming and Spark's pipe hand them on");
	my ($grown) = run(tree($script, shuffle @states), '--reduce', $script);
	same($grown, $flat, "$script: by a random tree, seed $seed (else: groups change the answer)");
	next if !$is_json;
	my ($json) = run($all, '--reduce', $script, '-', '-- --json');
	my $data = JSON::PP->new->latin1->decode($json);
	my @wrong;
	for my $name (sort keys %{$data->{tables}}) {
		my $sum = sum_of($data->{tables}{$name}, 'n', 'total', 'bytes', 'merges', 'self');
		# Lists of the worst are cut; what --limit hides is in the JSON.
		next if $name =~ /^(?:\w+_)?(?:worst|longest|latest|slowest|largest|chains|sums|parts)\z/;
		push @wrong, map { "$name.$_" } grep { abs($sum->{$_} - $sums{$name}{$_}) > 1e-6 } keys %$sum;
	}
	is("@wrong", '', "$script: what is counted is the sum of what each trace has (else: something is lost or doubled on the way)");
	is($data->{traces}, scalar @traces, "$script: and it says of how many traces it is");
}

done_testing();
