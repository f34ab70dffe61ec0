# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which analyses suit a recording, by summary, against what they say when they are run.  Without it summary sends to
# analyses that have nothing to show, and hides those that have.  For each analysis and each answer two recordings, the
# smallest; SUITS=all takes all of them, and the full recordings.
#
# of: scripts lib/Zed/Needs.pm lib/Zed/Report.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Pass;
use Run::Zedperl;

my %IS_PLAIN = map { $_ => 1 } qw(countall ltt-schedule metrics printall);	# they have no rows
my $MOST = small(1, $ENV{SUITS} ? 1_000 : 2);

my @dirs = (Compare::RealData::own(), $ENV{SUITS} ? Compare::RealData::shared() // () : ());
my @files = sort { -s $a <=> -s $b || $a cmp $b } (map { Compare::RealData::recordings($_) } @dirs), map { glob "$_/perf/*.data" } @dirs;
@files = grep { !m{/hostile/} } @files;
@files = @files[grep { !($_ % 5) } 0 .. $#files] if small();

my (%runs, @wrong, %n);

for my $file (@files) {
	my $r = zedperl({ bare => 1 }, $file, 'summary', '--json');
	my $data = eval { JSON::PP::decode_json($r->{out}) } or next;	# the text of a latency tracer
	for my $row (grep { !$IS_PLAIN{$_->{script}} } @{$data->{tables}{scripts}{rows}}) {
		my ($script, $suits) = ($row->{script}, $row->{suits} =~ s/:.*//r);
		push @{$runs{$script}{$suits}}, $file if @{$runs{$script}{$suits} // []} < $MOST;
	}
}
for my $script (sort keys %runs) {
	for my $suits (sort keys %{$runs{$script}}) {
		for my $file (@{$runs{$script}{$suits}}) {
			my $r = zedperl({ bare => 1 }, $file, $script, '--json');
			my $data = eval { JSON::PP::decode_json($r->{out}) };
			my $rows = grep { @{$_->{rows}} } values %{$data->{tables} // {}};
			my $says = !defined $data->{start} || grep { $_->{key} =~ /^(?:nothing|none)\z/ } @{$data->{notes} // []};
			my $is = $suits eq 'yes' ? $rows : $suits eq 'no' ? !$rows && $says : $rows || $says;
			push @wrong, "$file $script: summary says $suits, it has rows in $rows tables: $r->{err}" if !$is;
			$n{$suits}++;
		}
	}
}
cmp_ok($n{$_}, '>', small(5, 15), "many analyses of which summary says $_") for qw(yes no);
ok(!@wrong, 'yes: there are rows; no: there are none, and it says that there are no such events') or diag join "\n", @wrong;

done_testing();
