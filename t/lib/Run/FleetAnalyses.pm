# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::FleetAnalyses: checks that hold for each analysis over many traces, in any order.  FLEET_SEED=N chooses other
# orders.
package Run::FleetAnalyses;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use List::Util qw(shuffle);
use Test::More;
use Files;
use Run::Fleet;
use Run::Program qw(same);

our @EXPORT = qw(analyses of_tasks apart merges groups);

my $seed = $ENV{FLEET_SEED} // 17;
srand $seed;

# printall prints every event, and has no state; metrics reports its own run as well, and is not an analysis.
my %reads_none = map { $_ => 1 } qw(assert compare report top printall metrics);
sub analyses { return grep { !$reads_none{$_} } map { m{/([^/]+)\.pl\z} } sort glob 'scripts/*.pl' }

# Is the analysis NAME about tasks and CPUs?  The others are about devices, and the kernel's own work.
my %of_tasks = map { $_ => 1 } qw(countall lost ltt-schedule off-cpu sched-summary stacks summary waits wakeup-latency who-wakes-whom why-late);
sub of_tasks { return $of_tasks{$_[0]} }

# ---- each state, and all as one

my @traces = map { "t/data/$_.dat" } qw(demo block fgraph stack lost armhf_lost);

# Standard output and the status of a command with ARGS; standard input is TEXT.
sub answer_to { return @{fleet_fed(@_)}{qw(out status)} }

# STATES merged into one, by a tree of random shape: the states of some jobs come twice.
sub tree {
	my ($script, @states) = @_;
	while (@states > 1) {
		my $n = 2 + int rand 3;
		my @group = splice @states, 0, $n;
		my ($one) = answer_to(join('', shuffle(@group, rand() < 0.3 ? $group[0] : ())), '--reduce', '--map', $script);
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

# SCRIPT's states of some traces: each alone gives the trace's answer, and together they give one answer in any order.
sub merges {
	my ($script) = @_;
	my (@states, %sums, $direct_bad, $alone_bad);
	my $is_json = slurp("scripts/$script.pl") =~ /Zed::Report/;
	for my $trace (@traces) {
		my ($state, $status) = answer_to('', '--map', $trace, $script);
		$direct_bad .= " $trace" if $status || $state !~ /\Azed-state-1\/$script\/[0-9a-f]{16}\t\{.*\}\n\z/;
		push @states, $state;
		my ($answer) = answer_to('', $trace, $script, $is_json ? '--json' : ());
		my ($reduced) = answer_to($state, '--reduce', $script, '-', $is_json ? qw(-- --json) : ());
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
	my ($flat) = answer_to($all, '--reduce', $script);
	isnt($flat, '', "$script: all together have an answer");
	my ($shuffled) = answer_to(join('', shuffle @states, @states[0, 3]), '--reduce', $script);
	same($shuffled, $flat, "$script: in another order, two of them twice (else: a retried job counts twice)");
	my ($sorted) = answer_to(join('', sort @states), '--reduce', $script);
	same($sorted, $flat, "$script: sorted, as Hadoop's streaming and Spark's pipe hand them on");
	my ($grown) = answer_to(tree($script, shuffle @states), '--reduce', $script);
	same($grown, $flat, "$script: by a random tree, seed $seed (else: groups change the answer)");
	return if !$is_json;
	my ($json) = answer_to($all, '--reduce', $script, '-', qw(-- --json));
	my $data = JSON::PP->new->latin1->decode($json);
	my @wrong;
	for my $name (sort keys %{$data->{tables}}) {
		my $sum = sum_of($data->{tables}{$name}, 'n', 'total', 'bytes', 'merges', 'self');
		# Lists of the worst are cut; rows hidden by --limit are in the JSON.
		next if $name =~ /^(?:\w+_)?(?:worst|longest|latest|slowest|largest|chains|sums|parts)\z/;
		push @wrong, map { "$name.$_" } grep { abs($sum->{$_} - $sums{$name}{$_}) > 1e-6 } keys %$sum;
	}
	is("@wrong", '', "$script: what is counted is the sum of what each trace has (else: something is lost or doubled on the way)");
	is($data->{traces}, scalar @traces, "$script: and it says of how many traces it is");
	return;
}

# ---- many traces in one process

my @of = grep { -s && !/latency/ } sort glob 't/data/*.dat';

# Some of the recordings for each, chosen at random: over all scripts each is used several times, FLEET_ALL=1 takes all.
sub some { my @all = shuffle @of; return $ENV{FLEET_ALL} ? @all : @all[0 .. 13] }

# The script NAME without its line "keeps traces apart", so that each trace gets a process: its path; undef if it has no
# such line.  All are in its folder, as summary looks at those beside it.
my %apart;
sub apart {
	my ($name) = @_;
	if (!%apart) {
		my $dir = temp_dir() . '/scripts';
		mkdir $dir or die "$dir: $!\n";
		for my $path (glob 'scripts/*.pl') {
			my ($one) = $path =~ m{([^/]+)\.pl\z};
			my $text = slurp($path);
			my $said = $text =~ s/^# zedperl: keeps traces apart\n//m;
			spew("$dir/$one.pl", $text);
			$apart{$one} = $said ? "$dir/$one.pl" : undef;
		}
	}
	return $apart{$name};
}

my %options = ('off-cpu' => ['--by', 'pid'], syscalls => ['--by', 'comm'], kmem => ['--by', 'task'], 'page-faults' => ['--by', 'pid'], power => ['--by', 'cpu']);

# SCRIPT over many traces in one process: the answer of a process for each.
sub groups {
	my ($script) = @_;
	my $apart = apart($script);
	# All rows, with exact numbers.
	my @json = slurp("scripts/$script.pl") =~ /^my \$report = Zed::Report->new/m ? '--json' : ();
	for my $with (\@json, $options{$script} // ()) {
		my @some = some();
		my $alone = fleet_run({}, '-j', 2, $apart, sort(@some), '--', @$with);
		my $groups = fleet_run({}, '-j', 1, "scripts/$script.pl", @some, '--', @$with);
		isnt($alone->{out}, '', "$script @$with: has an answer");
		same($groups->{out}, $alone->{out}, "$script @$with: any traces in one process, seed $seed: the answer of each by itself");
		is($groups->{status}, $alone->{status}, "$script @$with: and its status");
	}
	return;
}

1;
