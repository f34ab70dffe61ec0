# SPDX-License-Identifier: GPL-2.0-or-later
#
# explore's head against zedprint --summary and `zedperl TRACE summary`: events, CPUs and their times, losses, machine,
# clock, and which analyses suit the recording. Without it the page says other things about a file than the command line.
#
# of: programs/zedperl/explore/head.c programs/zedperl/explore/event_tally.c programs/zedperl/explore/suits.c lib/Zed/Needs.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program;
use Run::Views;

# What summary says of analyses, as explore does.
sub suited {
	my ($row) = @_;
	my $yes = $row->{suits} ne 'no';
	return join ' | ', $row->{script}, $yes ? 1 : 0, $row->{suits} =~ /^partly/ ? $row->{suits} : '', $row->{purpose};
}

sub cpu { my ($c) = @_; return join ' ', map { $_ // '-' } @$c }

for my $path (view_recordings(small(3, 10))) {
	my $head = view($path, 'head');
	my $text = zed_run({ memory => 0 }, 'zedprint', '--summary', $path)->{out};
	my $data = JSON::PP->new->utf8->decode(zed_run({ memory => 0 }, 'zedperl', $path, 'summary', '--json')->{out});
	my %of = (clock => '', map { /^  (\w+) +(.*)/ ? ($1 => $2) : () } reverse split /\n/, $text);
	my %recorded = map { @$_ } @{$head->{recorded}};
	my ($total) = $text =~ /^total:\n  events +(\d+)/m;
	my ($losses) = $text =~ /^  losses +(.*)/m;
	my $base = $head->{base};

	is($head->{events}, $total, "$path: as many events as zedprint --summary counts");
	is($head->{lost}{text}, $losses, "$path: the losses of zedprint --summary");
	is($head->{machine}, $of{machine} // '', "$path: its machine");
	is($recorded{clock}, $of{clock} =~ s/ \(shown in ns\)//r, "$path: its clock");
	is($head->{files}[0], $path, "$path: the name of the file as it was given");
	is($head->{ticks} ? 1 : 0, $of{clock} =~ /not in ns/ ? 1 : 0, "$path: are times ticks");
	my @want = map { cpu([$_->{cpu}, $_->{n}, map { defined ? $_ - $base : undef } @$_{qw(start end)}]) } @{$data->{tables}{cpus}{rows}};
	my @got = map { cpu([@$_{qw(cpu events first last)}]) } grep { $_->{events} || defined $_->{first} } @{$head->{cpus}};
	is(differ(\@got, \@want), '', "$path: CPUs as summary has them");
	@want = map { suited($_) } @{$data->{tables}{scripts}{rows}};
	@got = map { join ' | ', $_->{name}, $_->{suits} ? 1 : 0, $_->{suits} ? $_->{why} : '', $_->{what} } @{$head->{answers}};
	is(differ(\@got, \@want), '', "$path: the analyses that suit it (else a tab is missing, or has nothing to show)");
	ok(!grep({ !$_->{suits} && $_->{why} !~ /^no \S/ } @{$head->{answers}}), "$path: why others do not");
}

done_testing();
