# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint --cut over this repository's recordings: what trace-cmd prints of a cut are those lines of the original that lie in it,
# losses included (else: a part of a trace is another trace).  The lines are chosen here, from trace-cmd's text of the
# original alone.
#
# of: programs/cut programs/zedprint reader/dat record/file
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Compare::RealData;
use Compare::ReportLine;
use Compare::Stock;

plan skip_all => stock_missing() if stock_missing();
Compare::RealData::need_program('zedprint');

my @all = Compare::RealData::recordings(Compare::RealData::own());

# Runs zedprint --cut; (path, undef) or (undef, what went wrong).
sub cut {
	my ($dat, @options) = @_;
	my $path = Compare::RealData::temp();
	my $run = Compare::RealData::run('zedprint', '--cut', $path, @options, $dat);
	return Compare::RealData::failure($run) ? (undef, Compare::RealData::failure($run)) : ($path, undef);
}

# The text as [cpu, time, event, lines before it, its lines]: losses stand before a record, stacks and further
# lines of a text behind.
sub records {
	my ($text) = @_;
	my (@records, @before);
	for (split /^/, $text) {
		if (my ($cpu, $time, $name) = Compare::RealData::record($_)) {
			push @records, [$cpu + 0, $time, $name, [@before], $_];
			@before = ();
		} elsif (/^CPU:\d+ \[(?:\d+ )?EVENTS DROPPED\]$/) {
			push @before, $_;
		} elsif (@records) {
			$records[-1][4] .= $_;
		}
	}
	return @records;
}

# What a cut with the records that TAKES takes must print.  Losses add up to the next record of their CPU that is
# in it; those before a record at a time that was not chosen are not.
sub expected {
	my ($takes, $in_time, @records) = @_;
	my ($text, %lost) = ('');
	for my $r (@records) {
		my ($cpu, $time, undef, $before, $lines) = @$r;
		for (@{$in_time->($time) ? $before : []}) {
			my ($of, $n) = /^CPU:(\d+) \[(\d+)?/;
			$lost{$of} = !defined $n ? -1 : ($lost{$of} // 0) < 0 ? -1 : ($lost{$of} // 0) + $n;
		}
		next unless $takes->($r);
		if (my $n = delete $lost{$cpu}) {
			$text .= "CPU:$cpu [" . ($n < 0 ? '' : "$n ") . "EVENTS DROPPED]\n";
		}
		$text .= $lines;
	}
	return $text;
}

# What trace-cmd prints of a record by what it saw before or sees behind it, which a part of a trace has not: names
# that its handlers learnt from switches, the depth of calls, and an entry with its exit as one line.
sub without_memory {
	my ($text) = @_;
	return $text =~ s/^ *(?:\S+: +)?\S.*?(-\d+ +\[\d+\])/$1/gmr
		=~ s/: function: +/: function: /gr
		=~ s/: funcgraph_entry: +[^|\n]*\|?\s*(\w[^\n]*?\(\))[^\n]*$/: funcgraph_entry: $1/gmr
		=~ s/^.*?: funcgraph_exit: [^\n]*\n//gmr;
}

sub join_records {
	return join '', map { @{$_->[3]}, $_->[4] } @_;
}

my (@whole, @window, @cpu, @event, @again, %tried);
for my $dat (@all) {
	my $name = $dat =~ s{.*/data/}{}r;
	my $text = eval { stock_text($dat, '-t') } // next;	# trace-cmd cannot read it
	my @records = records($text);
	my $check = sub {
		my ($what, $bad, $takes, $in_time, @options) = @_;
		my ($path, $failed) = cut($dat, @options);
		my $want = expected($takes, $in_time, @records);
		my $got = $path ? eval { join_records(records(stock_text($path, '-t'))) } : undef;
		$tried{$what}++;
		($want, $got) = map { $_ && without_memory($_) } $want, $got if $what ne 'whole';
		my $differ = $failed // ($@ && !defined $got ? $@ : Compare::RealData::differ($want, $got));
		push @$bad, "$name @options: $differ" if $differ;
		return $path;
	};
	next if $text =~ /^cpus=\d+\n\z/ || !@records;
	$check->('whole', \@whole, sub { 1 }, sub { 1 });

	# The middle third of the time, by the text's own times.
	my @times = sort { $a <=> $b } map { $_->[1] } @records;
	my ($from, $to) = @times[@times / 3, 2 * @times / 3];
	my $inside = sub { $_[0] >= $from && $_[0] <= $to };
	my $path = $check->('window', \@window, sub { $inside->($_[0][1]) }, $inside, '--start', $from, '--end', $to);
	if ($path) {
		my ($second, $failed) = cut($path, '--start', $from, '--end', $to);
		push @again, "$name: " . ($failed // 'other bytes')
			if !$second || Compare::RealData::slurp($second) ne Compare::RealData::slurp($path);
	}

	my $cpu = $records[@records / 2][0];
	$check->('cpu', \@cpu, sub { $_[0][0] == $cpu }, sub { 1 }, '--cpu', $cpu);

	my %count;
	$count{$_->[2]}++ for @records;
	my ($event) = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[keys(%count) / 2];
	$check->('event', \@event, sub { $_[0][2] eq $event }, sub { 1 }, '--event', "*:$event");
}

sub none {
	my ($what, @bad) = @_;
	ok(!@bad, $what) or diag(join "\n", @bad[0 .. ($#bad < 9 ? $#bad : 9)]);
}

cmp_ok($tried{whole} // 0, '>=', 30, 'the recordings of the repository are cut (else: nothing is compared)');
none("a cut of all is the original, for trace-cmd ($tried{whole} recordings; else: records, names, symbols or clocks are lost)", @whole);
none('--start and --end give the lines of that time (else: times are read or written wrongly)', @window);
none('a cut of a cut with the same times is the same file (else: each cut changes records)', @again);
none('--cpu gives the lines of that CPU (else: CPUs are mixed up)', @cpu);
none('--event gives the lines of that event, with the losses of all (else: losses go with what was left out)', @event);
done_testing();
