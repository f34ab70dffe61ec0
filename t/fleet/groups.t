# SPDX-License-Identifier: GPL-2.0-or-later
#
# groups: every script that says "# zedperl: keeps traces apart" gets many traces in one process of zedperl -j, of whatever
# machines come together.  Without it an answer depends on which traces these are: numbers of one machine's system calls,
# addresses, CPUs, times and losses are taken for another's.
use strict;
use warnings;
use Test::More;
use List::Util qw(shuffle);
use lib 't/lib';
use Run::Fleet;
use Run::Program qw(zed_tmp slurp spew same);

my $tmp = zed_tmp();
my $seed = $ENV{FLEET_SEED} // 17;
srand $seed;
my @traces = grep { -s } sort glob 't/data/*.dat';
my @texts = grep { /latency/ } @traces;
my @of = grep { !/latency/ } @traces;

sub run { return fleet_run({}, @_) }

# The same scripts, which do not say it: a process for each trace.
mkdir "$tmp/scripts" or die;
my (@apart, @not);
for my $path (sort glob 'scripts/*.pl') {
	my ($name) = $path =~ m{([^/]+)\.pl\z};
	my $text = slurp($path);
	my $said = $text =~ s/^# zedperl: keeps traces apart\n//m;
	spew("$tmp/scripts/$name.pl", $text);
	push @{$said ? \@apart : \@not}, $name;
}
is("@not", 'compare metrics printall top', 'all do it but those that have no state (else: a process for each of ten thousand traces)');

# Some of the traces for each, chosen anew: by all scripts together each is met several times, FLEET_ALL=1 takes all.
sub some { my @all = shuffle @of; return $ENV{FLEET_ALL} ? @all : @all[0 .. 13] }

my %options = ('off-cpu' => ['--by', 'pid'], syscalls => ['--by', 'comm'], kmem => ['--by', 'task'], 'page-faults' => ['--by', 'pid'], power => ['--by', 'cpu']);
for my $script (@apart) {
	# All rows, with exact numbers.
	my @json = slurp("scripts/$script.pl") =~ /^my \$report = Zed::Report->new/m ? '--json' : ();
	for my $with (\@json, $options{$script} // ()) {
		my @some = some();
		my $alone = run('-j', 2, "$tmp/scripts/$script.pl", sort(@some), '--', @$with);
		my $groups = run('-j', 1, "scripts/$script.pl", @some, '--', @$with);
		isnt($alone->{out}, '', "$script @$with: has an answer");
		same($groups->{out}, $alone->{out}, "$script @$with: any traces in one process, seed $seed: the answer of each by itself");
		is($groups->{status}, $alone->{status}, "$script @$with: and its status");
	}
}

# A folder, and what has no events, among others.
mkdir "$tmp/dir" or die;
spew("$tmp/dir/trace.dat", slurp('t/data/demo.dat'));
my @odd = (@of[0 .. 7], @texts, "$tmp/dir");
my $alone = run('-j', 2, "$tmp/scripts/wakeup-latency.pl", @odd);
my $groups = run('-j', 1, 'scripts/wakeup-latency.pl', @odd);
same($groups->{out}, $alone->{out}, 'texts of a latency tracer, and a folder, among others: the answer of each by itself (else: a text counts as a trace)');
is($groups->{status}, 1, '... 1');
like($groups->{err}, qr/^zedperl: @{[scalar @texts]} of @{[scalar @odd]} traces failed$/m, '... and the texts fail') or diag $groups->{err};

done_testing();
