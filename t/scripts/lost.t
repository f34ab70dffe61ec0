# SPDX-License-Identifier: GPL-2.0-or-later
#
# lost: where events are missing.  Without it a gap looks like a time in which nothing happened.
#
# of: scripts/lost.pl lib/Zed
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Miniature;
use Compare::RealData;
use Compare::Windows;
use Run::Zedperl;

sub rows { my ($r, $table) = @_; return @{$r->{data}{tables}{$table}{rows} // []} }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} // $_->{text} } @{$r->{data}{notes}} } }

# CPU 0: 30 us hidden, then 5, of unknown size; CPU 1 from 140 to 160, which overlaps; CPU 2 has lost its beginning.
my $dat = miniature(<<'END');
100 0 5 raise 1 | 110 0 5 enter 1 | 140 0!7 5 raise 1 | 150 0 5 raise 1 | 155 0!-1 5 raise 1 | 200 0 5 raise 1
100 1 6 raise 1 | 120 1 6 raise 1 | 160 1!3 6 raise 1 | 180 1 6 raise 1 | 130 2!9 6 raise 1 | 190 2 6 raise 1
END
my $r = analysis('lost', $dat);
is($r->{status}, 0, 'exit status') or diag $r->{err};
is_deeply([map { [@$_{qw(cpu n events unknown hidden max)}] } rows($r, 'cpus')],
	[[0, 2, 7, 1, 35_000, 30_000], [1, 1, 3, 0, 40_000, 40_000], [2, 0, 0, 0, 0, undef]],
	'each CPU: gaps, events, the time from the last record before, of any event (else: from the last that a script handles)');
is_deeply([map { sprintf '%.3f', $_->{share} } rows($r, 'cpus')], ['0.350', '0.500', '0.000'], 'their shares of that CPU\'s own time');
is_deeply([map { [@$_{qw(time from to cpu events)}] } rows($r, 'worst')], [[40_000, 1_000_120_000, 1_000_160_000, 1, 3],
	[30_000, 1_000_110_000, 1_000_140_000, 0, 7], [5_000, 1_000_150_000, 1_000_155_000, 0, undef]], 'those that hide most');
like(notes($r)->{whole}, qr/^50\.0 us in which some CPU has a gap, 50\.00 % of the time/, 'the time without all CPUs: overlaps count once');
is_deeply([map { $_->{before} } rows($r, 'cpus')], [0, 0, 9], 'a loss with nothing before it is no gap');
is(notes($r)->{begins}, 1, 'and said');
like(notes($r)->{apart}, qr/^the first records of the CPUs are up to 30\.0 us apart.*all have records for 50\.0 us/, 'a later begin is no gap');
# CPU 0 has records from 100 to 200, CPU 1 to 180, CPU 2 from 130 to 190.
sub apart { my ($apart) = (notes($_[0])->{apart} // '') =~ /up to (.*? us) apart.*(?:all have records for (.*?) \(|(at no time))/ or return 'not said'; return "$apart " . ($2 // $3) }
is(apart(chosen(['--cpu', '0,1'], 'lost', $dat)), 'not said', 'of CPUs that begin together: nothing (else: others that were not asked for)');
is(apart(chosen(['--cpu', '0,2'], 'lost', $dat)), '30.0 us 60.0 us', 'of two CPUs: of these (else: of all)');
is(apart(chosen(['--start', '1.000105', '--end', '1.000145'], 'lost', $dat)), '25.0 us 15.0 us', 'of a time: within it');
is(apart(chosen(['--start', '1.0001', '--end', '1.00012'], 'lost', $dat)), '30.0 us at no time', 'before the first record of one: never (else: of the others, as if it were not there)');
# A part of the time: 110 to 140 of CPU 0 ends in it, 120 to 160 of CPU 1 after it.
sub of_part { my (@part) = @_; return [map { [@$_{qw(cpu n events later hidden max)}, defined $_->{share} ? sprintf '%.3f', $_->{share} : undef] } rows(chosen(\@part, 'lost', $dat), 'cpus')] }
is_deeply(of_part('--start', '1.000125', '--end', '1.00015', '--cpu', '0,1'), [[0, 1, 7, 0, 15_000, 30_000, '0.600'], [1, 0, undef, 1, 25_000, undef, '1.000']],
	'a part: the hidden time is its own, as its share is, and a gap that ends later is one (else: 0 gaps, which hide 0 ns and 100 %)');
is_deeply(of_part('--head', 4, '--cpu', '0,1'), [[0, 0, undef, 1, 10_000, undef, '0.500']], '--head within a gap: what it hides up to there (else: 0)');
is_deeply(of_part('--start', '1.0001', '--end', '1.00012', '--cpu', 2), [[2, 0, undef, 1, undef, undef, undef]], 'before the first record of a CPU, after which it is not known when the loss began: not 0');
is(scalar(grep { -e "scripts/$_->{script}.pl" && length $_->{costs} > 10 } rows($r, 'analyses')), scalar(rows($r, 'analyses')), 'analyses, and what they leave out');
is_deeply($r->{data}{lost}, { events => 19, places => 3, unknown => 1 }, 'as any analysis says it');

$r = analysis('lost', miniature('1 0 5 raise 1 | 2 0 5 raise 1'));
is_deeply([rows($r, 'cpus'), [sort keys %{notes($r)}]], [['none']], 'nothing lost: nothing is made up');

# Real recordings: events as trace-cmd counts them, and that no other record lies in a gap.
my @files = map { [$_, Compare::RealData::own() . "/$_"] } qw(armhf_lost.dat be_lost.dat);
push @files, map { [$_, Compare::RealData::shared() . "/$_"] } qw(amd64-lost/a08_lost_b8.dat trixie/d09_lost_b8.dat) if defined Compare::RealData::shared();
for (@files) {
	my ($name, $path) = @$_;
	my $probe = zedperl({ bare => 1 }, '-e', 'my %t; sub trace_unhandled { push @{$t{Zed::cpu()}}, Zed::ts() } my %l; sub trace_lost { my $ts = eval { Zed::ts() } // return;
		push @{$l{$_[0]}}, [$ts, $t{$_[0]}[-1]] if $t{$_[0]} }
		sub trace_end { for my $c (sort { $a <=> $b } keys %l) { my $h = 0; $h += $_->[0] - ($_->[1] // $_->[0]) for @{$l{$c}}; print "$c ", scalar @{$l{$c}}, " $h\n" } }', $path);
	$r = analysis('lost', $path);
	is(join('', map { "$_->{cpu} $_->{n} $_->{hidden}\n" } rows($r, 'cpus')), $probe->{out}, "$name: gaps and hidden time, by a script that is given every record")
		or diag $r->{err};
	cmp_ok(length $probe->{out}, '>', 5, "$name has some");
}

# Parts of a recording: a gap counts where it ends, with the whole of it.
my %gaps = (of => 't/data/be_lost.dat', analysis => 'lost', table => 'cpus', key => ['cpu'], cut => ['hidden'], ends => [qw(n events)], largest => ['max']);
windows_add_up(\%gaps);
choice_has_its_rows($_, '--cpu', 'cpu') for \%gaps, { %gaps, of => $dat };

# As words: what is lost with and without a number, and where that is not known.
my $lossy = miniature('0 0 5 waking 6 | 10 0!4 5 waking 6 | 20 1!-1 7 waking 8');
my $text = zedperl({ bare => 1 }, $lossy, 'lost')->{out};
like($text, qr/^lost: 4 events in one loss, and an unknown number in one more loss; what/m, 'the first line says how many, and in how many losses (else: what is a place?)');
like($text, qr/^gaps by CPU\n *CPU /m, 'the table has a name');
like($text, qr/^1 CPU lost events before its first record, which were overwritten: its records begin later, which is not a gap$/m, 'what was before the first record');
$text = zedperl({ bare => 1 }, miniature('0 0 5 waking 6'), 'lost')->{out};
like($text, qr/^gaps by CPU\n  none\n/m, 'also where there is none (else: cpus: none)');
like($text, qr/^no events were lost, according to the trace$/m, 'which is said');

done_testing();
