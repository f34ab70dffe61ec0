# SPDX-License-Identifier: GPL-2.0-or-later
#
# report: every analysis that suits a trace, with its own numbers.  Without it the page that is sent to a colleague has
# other numbers than the command that it names, leaves an analysis out, or has half of an answer without saying so.
#
# of: scripts/report.pl lib/Zed/Runs.pm lib/Zed/Sections.pm programs/zedperl/again.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program qw(spew slurp);
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
	for my $section (@{$report->{answers}}) {
		my (undef, @options) = split / /, $section->{command} =~ s/.* (?=\Q$section->{name}\E\b)//r;
		my $own = answer_of(@$words, $section->{name}, @options);
		is_deeply([sort map { $_->{name} } @{$section->{data}{tables}}], [sort keys %{$own->{tables}}], "$what: $section->{name} has its tables");
		is_deeply([map { @{same_rows($_, $own->{tables}{$_->{name}}, $report->{base})} } @{$section->{data}{tables}}], [],
			"$what: $section->{name} has the numbers of its own --json (else: the report and the command disagree)");
		is_deeply([map { [@$_{qw(key n text)}] } @{$section->{data}{notes}}], [map { [@$_{qw(key n text)}] } @{$own->{notes}}], '... and its notes');
		$n++;
	}
}
cmp_ok($n, '>', small(8, 80), 'there were sections to compare (else: nothing is tested)');

# The text: headlines, first rows, the command of each.
{
	my $r = zedperl({ bare => 1 }, '--cpu', '0,1', $mixed, 'report', '--limit', 1);
	is("$r->{status} $r->{err}", '0 ', 'text: without a message');
	my $own = zedperl({ bare => 1 }, '--cpu', '0,1', $mixed, 'waits', '--limit', 1)->{out};
	my ($head, $row) = $own =~ /^(task .*)\n(t\d+ .*)$/m;
	like($r->{out}, qr/^WAITS - which tasks wait .*\n\Q$head\E\n\Q$row\E\n/m, 'an analysis has its purpose and its first row');
	like($r->{out}, qr/^all: zedperl --cpu=0,1 \Q$mixed\E waits$/m, '... and the command that shows all (else: it is searched for)');
	like($r->{out}, qr/\Awhat sticks out\n  t10 10 waited 30\.0 us /, 'what sticks out comes first');
	my ($line) = $r->{out} =~ /^all: zedperl (.* waits)$/m;
	is(zedperl({ bare => 1 }, split / /, $line)->{out}, zedperl({ bare => 1 }, '--cpu', '0,1', $mixed, 'waits')->{out}, 'the command works');
}

# What cannot be.
{
	my $r = zedperl({ bare => 1, stdin => $mixed }, '-i', '-', 'report');
	is($r->{status}, 2, 'standard input is refused (else: the second analysis has nothing to read)');
	like($r->{err}, qr/^report: a report runs several analyses, and standard input can be read only once: save the trace as a file, then zedperl FILE report$/m,
		'with the reason and what to do');
	for (['--csv', '--csv'], ['--every', '--every', '1s'], ['--svg', '--svg', 'x.svg']) {
		my ($option, @words) = @$_;
		$r = zedperl({ bare => 1 }, $mixed, 'report', @words);
		is($r->{status}, 2, "$option is refused");
		like($r->{err}, qr/^report: $option is for one analysis: zedperl TRACE ANALYSIS $option$/m, '... which says for what it is');
	}
	# A failing analysis: with --tail those refuse that follow states.
	$r = zedperl({ bare => 1 }, '--tail', 5, $mixed, 'report', '--json');
	is($r->{status}, 1, 'an analysis that fails: status 1');
	my %why = map { $_->{name} => $_->{why} } @{JSON::PP::decode_json($r->{out})->{answers}};
	like($why{waits} // '', qr/^waits ended with status 2\n.*--tail keeps only the last events/s, '... and its reason is its section (else: it seems not to suit)');
	is($why{summary}, undef, 'others have their answer');
}

# Ctrl-C while the events are read: what was done by then.
{
	my $dir = temp_path('.d');
	mkdir $dir or die "$dir: $!\n";
	spew("$dir/Interrupts.pm", 'package Interrupts; sub import { Zed::on("*:*", args => ["ts"], sub { return if $_[0] < 1_000_050_000 || $did++; kill INT => $$ }) } 1;');
	my $r = zedperl({ bare => 1 }, "-I$dir", '-MInterrupts', $mixed, 'report', '--html', "$dir/x.html");
	is($r->{status}, 130, 'Ctrl-C: its status');
	like($r->{out}, qr/^interrupted: what was done by then is here/m, 'the answer says so (else: it is taken for the whole)');
	like($r->{out}, qr/^SUMMARY - /m, 'what was done is there');
	ok(-s "$dir/x.html", 'and so is a page');
}

done_testing();
