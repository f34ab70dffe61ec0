# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::timeline: what each CPU and task did, in small traces.  Without it a gap looks idle, or a picture shows a task
# where it was not.
# of: analysis/timeline interp/api lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Zedperl;
use Write::Miniature;
use Write::PerfOfDat;

# The shares of all time of each lane: busy and unknown of CPUs, run, ready, blocked and unknown of tasks; in percent.
my $SHOW = <<'END';
my $t = Zed::timeline();
sub shares {
	my ($bytes, $n, @parts) = @_;
	my @sum;
	my @v = unpack 'C*', $bytes;
	my $cells = @v / 4 / $n;
	for my $i (0 .. $#v) { $sum[int($i / 4) % $n][$i % 4] += $v[$i] }
	return map { my $s = $_; [map { int($s->[$_] / 255 / $cells * 100 + 0.5) } @parts] } @sum;
}
sub trace_end {
	my $a = $t->answer(1000, 0) // return print "none\n";
	my @v = unpack 'C*', $a->{cpu_cells};
	my $flags = 0;
	$flags |= $v[4 * $_ + 3] for 0 .. @v / 4 - 1;
	my @cpus = shares($a->{cpu_cells}, scalar @{$a->{cpus}}, 0);
	print 'CPU ', $a->{cpus}[$_][0], " $cpus[$_][0]\n" for 0 .. $#cpus;
	my @tasks = @{$a->{tasks}} ? shares($a->{task_cells}, scalar @{$a->{tasks}}, 0 .. 3) : ();
	print "$a->{tasks}[$_][0] @{$tasks[$_]}\n" for 0 .. $#tasks;
	print 'lost ', $flags & 1, "\n", 'unknown ', $flags & 8 ? 1 : 0, "\n", "switches $a->{has_switches}\n", "events $a->{nmarks}\n";
}
END

sub shown {
	my ($text, $what) = @_;
	my $r = zedperl(miniature($text), \($what // $SHOW));
	return $r->{out} . $r->{err};
}

# 1 s; task 10 runs for half of it, waits for a quarter (of this, 20 runs), and sleeps.
is(shown('0 0 0 switch 0 R 10 | 500000 0 10 switch 10 R 20 | 750000 0 20 switch 20 S 10 | 750000 0 10 switch 10 S 0 | 1000000 0 0 waking 10'),
	"CPU 0 75\nt10 50 25 0 0\nt20 25 0 0 50\nlost 0\nunknown 0\nswitches 1\nevents 5\n",
	'run, ready and sleep; what was before the first event of a task is not known');
is(shown('0 0 0 switch 0 R 10 | 500000 0 10 switch 10 D 0 | 750000 1 5 waking 10 | 1000000 0 0 switch 0 R 10') =~ s/CPU 1.*\n//r,
	"CPU 0 50\nt10 50 25 25 0\nlost 0\nunknown 1\nswitches 1\nevents 4\n", 'blocked until it was woken, then ready; a CPU without a switch is not known');
is(shown('0 0 0 switch 0 R 10 | 250000 0 10 waking 20 | 750000 0!3 20 waking 30 | 1000000 0 20 switch 20 S 0'),
	"CPU 0 50\nt10 25 0 0 75\nt20 25 0 0 75\nt30 0 25 0 75\nlost 1\nunknown 1\nswitches 1\nevents 5\n",
	'from the last event before a loss to the first behind it nobody knows (else: a gap looks busy, or idle)');
is(shown('0 0 0 switch 0 R 10 | 250000 0 10 waking 30 | 500000 0 20 waking 31 | 1000000 0 20 switch 20 S 0'),
	"CPU 0 75\nt20 50 0 0 50\nt10 25 0 0 75\nt30 0 75 0 25\nt31 0 50 0 50\nlost 0\nunknown 1\nswitches 1\nevents 4\n", 'a switch that is missing leaves a time of nobody');
like(shown('0 0 5 waking 10 | 1000000 0 5 waking 10'), qr/^CPU 0 0\n.*\nlost 0\nunknown 1\nswitches 0\n/, 'without switches nobody knows who ran');
is(zedperl('t/data/empty.dat', \'my $t = Zed::timeline(); sub trace_end { print defined $t->answer(1, 0) ? "some" : "none" }')->{out}, 'none', 'without events there is no answer');
like(shown('0 0 5 waking 10', 'sub sched::sched_waking { Zed::timeline() }'), qr/^Zed::timeline: the first event has already come/, 'it is asked for before');
like(shown('0 0 5 waking 10', 'Zed::timeline(1)'), qr/^usage: Zed::timeline\(\)/, 'usage');
like(shown('0 0 5 waking 10', 'Zed::timeline()->keep(1)'), qr/^usage: \$timeline->keep\(FROM, TO, WEIGHT\)/, 'usage of a method');

# A file of which the last records of a CPU were left out: the kernel counted more of them.
my $TWO = '0 0 0 switch 0 R 10 | 100000 1 0 switch 0 R 20 | 150000 0 10 waking 30 | 250000 1 20 waking 31 | 1000000 0 10 switch 10 S 0';
sub cut {
	my (@counted) = @_;
	my $r = zedperl(miniature($TWO, options => [map { [2, "CPU: $_\nentries: 0\noverrun: 0\nread events: $counted[$_]\n\0"] } 0 .. $#counted]), \$SHOW);
	return $r->{out} . $r->{err};
}
is(cut(3, 2), "CPU 0 100\nCPU 1 90\nt10 100 0 0 0\nt20 90 0 0 10\nt30 0 85 0 15\nt31 0 75 0 25\nlost 0\nunknown 1\nswitches 1\nevents 5\n",
	'all records are there: who runs last runs up to the end');
is(cut(3, 200), "CPU 0 100\nCPU 1 15\nt10 100 0 0 0\nt20 15 0 0 85\nt30 0 10 0 90\nt31 0 0 0 100\nlost 0\nunknown 1\nswitches 1\nevents 5\n",
	'its last ones were left out: what was after them is unknown, also of those that waited (else: the last task has that time)');

# perf of chosen tasks: the last turn of one that ended has no switch.
sub of_perf {
	my ($of) = @_;
	my $r = zedperl(perf_of_dat(miniature('0 0 10 waking 11 | 100000 0 10 switch 10 S 11 | 500000 0 11 waking 10 | 600000 1 10 waking 12 | 1000000 1 10 waking 12'),
		temp_path('.data'), events => qr/./, arch => 'x86_64', of => [$of], by => 'ID_INDEX'), \$SHOW);
	return join ' ', $r->{out} =~ /^(CPU 0 \d+)$/m, $r->{out} =~ /^(t11 .*)$/m;
}
is(of_perf(-1), 'CPU 0 100 t11 90 10 0 0', 'of all tasks: it runs up to the end');
is(of_perf(10), 'CPU 0 50 t11 40 10 0 50', 'of chosen tasks: up to its last record (else: its last turn has the time up to the next record of another)');

# Against the sums of another program of ours that counts in Perl, on recordings that are whole, and on one that was
# shortened.
SKIP: {
	my ($big) = grep { -e } map { "$_/data/amd64-big/a11_big_zstd.dat" } $ENV{ZED_SHARED} // (), '../shared';
	for my $dat ('docs/shell.dat', 't/data/process.dat', 't/data/demo.dat', small() || !$big ? () : $big) {
		my $sum = analysis('sched-summary', $dat, '--by', 'pid')->{data};
		my %busy = map { $_->{cpu} => 100 * $_->{busy} / ($_->{busy} + $_->{idle} + $_->{unknown}) } @{$sum->{tables}{cpus}{rows}};
		my $r = zedperl($dat, \$SHOW);
		my %got = $r->{out} =~ /^CPU (\d+) (\d+)$/mg;
		ok(%got && %busy, "$dat: there are CPUs to compare");
		my @far = grep { abs($got{$_} - $busy{$_}) > 1.5 } grep { defined $busy{$_} } keys %got;
		is("@far", '', "$dat: CPUs are as busy as sched-summary says") or diag explain [\%got, \%busy];
	}
}

done_testing();
