# SPDX-License-Identifier: GPL-2.0-or-later
#
# report: every analysis that suits a trace, with its own numbers.  Without it the page that is sent to a colleague has
# other numbers than the command that it names, or leaves an analysis out.
#
# of: scripts/report.pl lib/Zed/Sections.pm lib/Zed/Page.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program qw(slurp);
use Run::Zedperl;
use Write::Miniature;

my $mixed = miniature('0 0 0 switch 0 R 10 | 5 0 10 irq 4 eth | 8 0 10 irqx 4 1 | 10 0 10 enter 0 | 20 0 10 waking 20 | 30 1 0 switch 0 R 20 | ' .
	'40 0 10 exit 0 -2 | 50 1 20 switch 20 S 0 | 60 0 10 switch 10 R 0 | 90 0 0 switch 0 R 10 | 95 0 10 switch 10 S 0');
my @recordings = (['t/data/demo.dat'], ['docs/shell.dat'], [$mixed], ['t/data/block.dat'], ['t/data/all_events.dat'], ['t/data/be_lost.dat'],
	['t/data/armhf_lost.dat'], ['t/data/i386_v6.dat'], ['t/data/clock_tsc.dat'], ['t/data/fgraph.dat'],
	['--cpu', 0, '--start', '7.32', '--end', '7.35', 't/data/demo.dat'], ['-i', 't/data/demo.dat', '-i', 'docs/shell.dat']);
@recordings = @recordings[0, 2] if small();

sub answer_of { return JSON::PP::decode_json(zedperl({ bare => 1 }, @_, '--json')->{out} || '{}') }

# A table of the page's data, row for row, as --json has it: times are after base.
sub same_rows {
	my ($got, $want, $base) = @_;
	my %time = map { $_->{key} => 1 } grep { $_->{type} =~ /^(?:time|tick)\z/ } @{$want->{columns}};
	my @wrong;
	for my $n (0 .. $#{$got->{rows}}) {
		my ($row, $own) = ($got->{rows}[$n], $want->{rows}[$n]);
		for my $key (map { $_->{key} } @{$want->{columns}}) {
			my ($x, $y) = ($row->{$key}, $own->{$key});
			$x += $base if defined $x && $time{$key};
			push @wrong, "row $n: $key" if defined $x != defined $y || defined $x && $x ne $y;
		}
	}
	push @wrong, 'rows: ' . @{$got->{rows}} . ' and ' . ($got->{left} // 0) . ' more, not ' . @{$want->{rows}}
		if @{$got->{rows}} + ($got->{left} // 0) != @{$want->{rows}};
	return \@wrong;
}

my $n = 0;
for my $words (@recordings) {
	my $what = join ' ', @$words;
	my $r = zedperl({ bare => 1 }, @$words, 'report', '--json');
	ok($r->{status} < 2, "$what: a report") or diag $r->{err};
	my $report = JSON::PP::decode_json($r->{out});
	my $summary = answer_of(@$words, 'summary');
	my @suit = map { $_->{script} } grep { $_->{suits} ne 'no' && slurp("scripts/$_->{script}.pl") =~ /^use Zed::Report/m }
		@{$summary->{tables}{scripts}{rows}};
	is_deeply([map { $_->{name} } @{$report->{answers}}], ['summary', @suit], "$what: every analysis that suits is a section (else: one is missed)");
	is_deeply([map { $_->{why} // () } @{$report->{answers}}], [], "$what: each has its answer");
	# All of them at once, as most of a short run is its beginning.
	my %own = map {
		my $section = $_;
		my (undef, @options) = split / /, $section->{command} =~ s/.* (?=\Q$section->{name}\E\b)//r;
		($section->{name} => start({ bare => 1 }, @$words, $section->{name}, @options, '--json'));
	} @{$report->{answers}};
	for my $section (@{$report->{answers}}) {
		my $own = JSON::PP::decode_json(finish($own{$section->{name}})->{out} || '{}');
		is_deeply([sort map { $_->{name} } @{$section->{data}{tables}}], [sort keys %{$own->{tables}}], "$what: $section->{name} has its tables");
		is_deeply([map { @{same_rows($_, $own->{tables}{$_->{name}}, $report->{base})} } @{$section->{data}{tables}}], [],
			"$what: $section->{name} has the numbers of its own --json (else: the report and the command disagree)");
		is_deeply([map { [@$_{qw(key n text)}] } @{$section->{data}{notes}}], [map { [@$_{qw(key n text)}] } @{$own->{notes}}], '... and its notes');
		$n++;
	}
}
cmp_ok($n, '>', small(8, 80), 'there were sections to compare (else: nothing is tested)');

done_testing();
