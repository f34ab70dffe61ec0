# SPDX-License-Identifier: GPL-2.0-or-later
#
# Losses that only the recorder's statistics know, and not when.  Without it they are lost in every part of a trace, once
# more where the kernel kept no number of a loss, and each program has another sum.
#
# of: scripts/lost.pl scripts/summary.pl scripts/countall.pl lib/Zed/Report/Losses.pm programs/zedprint/summary.c interp/perlsink.c run/pump.c trace/loss.c
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Program;
use Run::Zedperl;
use Write::Miniature;

# CPU 0 says 7, then an unknown number; its statistics say 7 + 15, so that this was 15. CPU 1 says nothing, its statistics
# 3 + 2: it is not known when. Of a part of the time, it is not known of any of the 20 whether they are in it.
my ($LOST, $UNKNOWN, $TIMELESS) = (7, 1, 20);
my $WHOLE = { events => 22, places => 2, unknown => 0, summed => 1, timeless => 5 };
my $dat = miniature('0 0 5 irq 1 | 10 0!7 5 irqx 1 | 20 0 5 irq 2 | 30 0!-1 5 irqx 2 | 35 1 6 irq 3 | 40 1 6 irqx 3',
	options => [[2, "CPU: 0\nentries: 0\noverrun: 22\ncommit overrun: 0\ndropped events: 0\n\0"],
		[2, "CPU: 1\nentries: 0\noverrun: 0\ncommit overrun: 2\ndropped events: 3\n\0"]]);

sub notes { my ($data) = @_; return { map { $_->{key} => $_->{n} } @{$data->{notes}} } }
sub summary_of { my ($file, @args) = @_; return zed_run('zedprint', '--summary', @args, $file)->{out} }
sub rows { my ($r, @keys) = @_; return [map { [@$_{@keys}] } @{$r->{data}{tables}{cpus}{rows}}] }

# The whole trace: once.
for my $script (qw(lost summary irq sched-summary)) {
	my $r = analysis($script, $dat);
	is_deeply($r->{data}{lost}, $WHOLE, "$script: once, a gap and its number are one loss (else: more than were lost)");
	my $text = zedperl({ bare => 1 }, $dat, $script)->{out};
	like($text, qr/^lost: 22 events in 2 losses \(1 without a number of its own\); .*\n5 events were lost at unknown times, according to the recorder's statistics: counts are lower bounds/,
		'in words: that the time of the others is not known');
}
is_deeply(rows(analysis('lost', $dat), qw(cpu n events unknown timeless)), [[0, 2, 22, 1, 0], [1, 0, 0, 0, 5]], 'lost: a CPU of which only the statistics say it has its row (else: it seems to have lost nothing)');
is_deeply(rows(analysis('lost', $dat), qw(cpu hidden share)), [[0, 20_000, 20 / 30], [1, undef, undef]], 'and it is not known how much time these hide (else: 0 ns)');
is_deeply(rows(analysis('summary', $dat), qw(cpu lost unknown timeless)), [[0, 22, 1, 0], [1, 0, 0, 5]], 'summary: the same');
like(zedperl({ bare => 1 }, $dat, 'countall')->{out}, qr/^cpu 0: 22 \(one loss without a number of its own\)\ncpu 1: 5 at unknown times$/m, 'countall: the same');
my $text = summary_of($dat);
like($text, qr/^    cpu 0 +4 events, 22 lost \(at 2 places, 1 without a number of its own\), .*\n    cpu 1 +2 events, 5 lost at unknown times, /m, 'zedprint --summary: the same by CPU');
like($text, qr/^  losses       27 lost \(22 at 2 places, 1 without a number of its own; 5 at unknown times\)$/m, 'and in all');

my $count = 'Zed::count("irq:*")';
like(zedperl({ bare => 1 }, '-e', $count, $dat)->{out}, qr/^lost meanwhile: 22 events, and 5 at unknown times$/m, 'an aggregation: the same');
my @counts = map { my $state = temp_path('.state'); zedperl({ bare => 1 }, '--map', '--part', "$_/2", '-o', $state, '-e', $count, $dat); $state } 1, 2;
like(zedperl({ bare => 1 }, '--reduce', '-e', $count, @counts)->{out}, qr/^lost meanwhile: 22 events, and 5 at unknown times$/m, 'merged of parts: too');

# A part of its time: what is lost there; the others may be.
for (['1.000005', '1.000015', 7, 0], ['1.000025', '1.00003', 0, 1], ['1.00001', '1.00003', 7, 1], ['1.000035', '1.00005', 0, 0]) {
	my ($from, $to, $lost, $unknown) = @$_;
	my @window = ('--start', $from, '--end', $to);
	for my $script (qw(lost summary irq sched-summary)) {
		my $r = chosen(\@window, $script, $dat);
		is_deeply($r->{data}{lost}, { events => $lost, places => $lost ? 1 : 0, unknown => $unknown, perhaps => $TIMELESS }, "@window $script: what was lost then (else: each part has lost all)");
		is(notes($r->{data})->{perhaps}, $TIMELESS, 'and that there may be more');
	}
	is_deeply([map { $_->{timeless} } @{chosen(\@window, 'summary', $dat)->{data}{tables}{cpus}{rows}}], [undef, undef], 'summary: in no row') if $lost;
	my $is = $lost && $unknown ? '7 lost, an unknown number at 1 place' : $unknown ? 'an unknown number lost at 1 place' : "$lost lost";
	like(summary_of($dat, @window), qr/^  losses       \Q$is\E\n               20 of the whole trace lost at unknown times, perhaps in this one$/m, "@window: zedprint --summary says so, too");
	my $run = zedperl({ bare => 1 }, @window, $dat, 'countall');
	my $counted = join ', and ', $lost || (), $unknown ? 'an unknown number in one loss' : ();
	like($run->{out}, $counted ? qr/^cpu 0: $counted\n\z/m : qr/\A(?!.*lost events)/s, "countall counts the losses of that time (else: those of the whole trace)");
	is($run->{err}, "zedperl: 20 events of the whole trace were lost at unknown times (the recorder's statistics): some may be in the time that was asked for\n", 'and a message tells of the others');
	my @lines = grep { /^lost / } split /\n/, zed_run('zedprint', @window, '-f', 'zed', $dat)->{out};
	is(scalar @lines, ($lost ? 1 : 0) + $unknown, 'as many lines of losses as there are then');
	like(zedperl(@window, '-e', 'my $n = Zed::count("irq:*"); sub trace_end { print "lost ", join(" ", $n->lost), "\n" }', $dat)->{out}, qr/^lost $lost $unknown$/m, 'as many of an aggregation');
}
my $beside = chosen(['--start', '2'], 'irq', $dat);
is(notes($beside->{data})->{perhaps}, undef, 'outside of the trace nothing was lost, perhaps or not');
unlike(zedperl({ bare => 1 }, '--start', '1.000035', '-e', 'sub irq::irq_handler_entry { }', $dat)->{err}, qr/lost/, 'a script that does not count losses is not told of them');

# The first events: as many at most, as losses of the rest are among them. Intervals, which are answered before all is read.
# So do those of a run that a signal or a die ends.
my $dies = temp_path('.d');
mkdir $dies or die "$dies: $!\n";
spew("$dies/Ends.pm", 'package Ends; sub import { my $how = $_[1]; Zed::on("irq:*", args => ["ts"], sub { return if $_[0] != 1_000_010_000;
	$how eq "die" ? die "oops\n" : kill INT => $$ }) } 1;');
my $UP_TO = qr/up to $TIMELESS events of the whole trace were lost at unknown times/;
for my $script (qw(lost summary irq)) {
	my $head = chosen(['--head', 2], $script, $dat);
	is_deeply($head->{data}{lost}, { events => $LOST, places => 1, unknown => 0, perhaps => $TIMELESS }, "$script, --head: there may be more (else: no events are known to be lost)");
	like((grep { $_->{key} eq 'perhaps' } @{$head->{data}{notes}})[0]{text}, qr/^$UP_TO, .*: perhaps in the time/, 'in words: at most');
	for my $how (qw(INT die)) {
		my $ended = chosen(["-I$dies", "-MEnds=$how"], $script, $dat);
		is_deeply($ended->{data}{lost}, $head->{data}{lost}, "$script, $how: the same (else: no events are known to be lost)");
		like((grep { $_->{key} eq 'perhaps' } @{$ended->{data}{notes}})[0]{text}, qr/^$UP_TO, .*: perhaps in the time that was read/, 'in words');
	}
	is_deeply(chosen(['--head', 100], $script, $dat)->{data}{lost}, $WHOLE, 'more than there are: of all of it');
	my @intervals = map { JSON::PP::decode_json($_) } split /\n/, zedperl({ bare => 1 }, $dat, $script, '--every', '0.02ms', '--json')->{out};
	is_deeply([map { $_->{lost}{perhaps} } @intervals], [($TIMELESS) x 3], "$script, --every: in each interval (else: only in the last)");
	is_deeply([map { notes($_)->{perhaps} } @intervals], [($TIMELESS) x @intervals], 'in words, too');
}
unlike(zedperl({ bare => 1 }, '--head', 2, $dat, 'lost')->{out}, qr/no events/, 'lost does not say that there are none');
like(zedperl({ bare => 1 }, '--head', 2, $dat, 'countall')->{err}, qr/^zedperl: $UP_TO /m, 'countall: a message tells of them');

# An export keeps them apart, too.
my $export = temp_path('.zst');
zedperl({ bare => 1 }, '--export', $export, $dat);
is_deeply(analysis('lost', $export)->{data}{lost}, $WHOLE, 'of an export: the same (else: lost before its last event)');
is(notes(chosen(['--start', '1.000035', '--end', '1.00005'], 'lost', $export)->{data})->{perhaps}, $TIMELESS, 'and of a part of it');

# Of states: the parts have what the whole has.
sub reduced { my ($n, @window) = @_;
	my @states = map { my $state = temp_path('.state'); zedperl({ bare => 1 }, @window, '--map', $n > 1 ? ('--part', "$_/$n") : (), '-o', $state, $dat, 'irq'); $state } 1 .. $n;
	return JSON::PP::decode_json(zedperl({ bare => 1 }, '--reduce', 'irq', @states, '--', '--json')->{out});
}
is_deeply(reduced($_)->{lost}, $WHOLE, "merged of $_: once") for 1, 3;
is_deeply(reduced($_, '--start', '1.000005', '--end', '1.000025')->{lost}, { events => 7, places => 1, unknown => 0, perhaps => $TIMELESS, perhaps_unknown => 1 }, "of a time, merged of $_: perhaps, once") for 1, 2;

# A recording, against the kernel's statistics (trace-cmd report --stat): overrun of each CPU.
my @overrun = (120598, 14943, 91264, 27301);
my $sum = 0;
$sum += $_ for @overrun;
my $r = analysis('lost', 't/data/lost.dat');
is($r->{data}{lost}{events} + ($r->{data}{lost}{timeless} // 0), $sum, 'a recording: all together what the kernel says (else: more, or less)');
is_deeply([map { ($_->[1] // 0) + $_->[2] } @{rows($r, qw(cpu before timeless))}], \@overrun, 'and on each CPU');
like(summary_of('t/data/lost.dat'), qr/^  losses       254106 lost \(at 4 places, 2 without a number of their own\)$/m, 'zedprint agrees');

done_testing();
