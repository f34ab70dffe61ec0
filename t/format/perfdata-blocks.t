# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf.data in which megabytes wait for their time: the records of some CPUs after those of others, over the ends of the
# blocks that they are read into, aligned or not.  A writer that shares no code with the programs makes them.
# Without it events of a recording with large rings have bytes of others, or it takes twice its memory.
#
# of: reader/perf
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Perf;
use Run::Program qw(:DEFAULT same spew);

my $dir = zed_tmp();
my ($CPUS, $ROUNDS, $EACH) = (3, 4, 900);

sub recording {
	my (%o) = @_;
	my $w = Write::Perf->new(cpus => $CPUS, %o);
	$w->format(mini => $Write::Perf::TICK);
	$w->attr(type => 2, config => 300, parts => [qw(IDENTIFIER TID TIME CPU CALLCHAIN RAW)], ids => [7], name => 'mini:tick');
	$w->attr(type => 1, config => 2, parts => [qw(IDENTIFIER TID TIME CPU CALLCHAIN)], ids => [9], name => 'page-faults');
	return $w;
}

# ---- each event has its own bytes ----

# What the events have to be: a line for each, in order.  In each round, a buffer begins before the one before it ends.
sub made {
	my ($w, $odd) = @_;
	my (@lines, %name);
	my $n = 0;
	for my $round (0 .. $ROUNDS - 1) {
		for my $cpu (0 .. $CPUS - 1) {
			for my $i (1 .. $EACH) {
				my $ts = 1_000_000 * ($round + 1) + 1000 * $i + $cpu;
				my @chain = map { 0x1000 * $n + $_ } 1 .. 25;
				my $tid = 100 + $cpu;
				my %v = (time => $ts, cpu => $cpu, tid => $tid, chain => \@chain);
				# A record that does not wait, and after which others are not aligned.
				$w->record(250, 0, 'x' x ($odd ? 5 : 8)) if $i % 300 == 7;
				if ($i % 100 == 50) {
					$w->comm($tid, "n$round.$i", %v, time => $ts - 1);
					$name{$cpu} = "n$round.$i";
				}
				my $fault = $i % 10 == 3;
				$fault ? $w->sample(1, %v) : $w->sample(0, %v, raw => $w->tick($tid, $n));
				push @lines, [$ts, join ' ', $ts, $cpu, $fault ? 'page-faults' : $n, $name{$cpu} // '<...>', "@chain"];
				$n++;
			}
		}
		$w->round;
	}
	return join '', map { "$_->[1]\n" } sort { $a->[0] <=> $b->[0] } @lines;
}

sub shown {
	my ($json) = @_;
	return join '', map {
		my ($chain) = /"callchain":\[([\d,]*)\]/;
		my ($n) = /"n":(-?\d+)/;
		join(' ', /"ts":(\d+)/, /"cpu":(\d+)/, $n // /"event":"perf::([\w-]+)"/, /"comm":"([^"]*)"/, ($chain // '') =~ tr/,/ /r) . "\n";
	} split /\n/, $json;
}

for (['a file', {}], ['big endian', { big => 1 }], ['not aligned', {}, odd => 1], ['a pipe', { pipe => 1 }],
	['compressed', {}, zstd => 1], ['compressed, not aligned', {}, zstd => 1, odd => 1]) {
	my ($what, $form, %o) = @$_;
	my $w = recording(%$form);
	my $want = made($w, $o{odd});
	$w->pack_data(30_000) if $o{zstd};
	my $r = zed_run('zedprint', '-f', 'json', $w->write("$dir/wait.data"));
	is("$r->{exit} $r->{err}", '0 ', "$what: read without a word");
	same(shown($r->{out}), $want, '... each event has its time, number, name and call chain');
}

# ---- what waits takes the memory of its bytes ----

# The most memory that was resident, KiB, for N samples with a round after each PER.
my $script = spew("$dir/peak.pl", <<'EOT');
my $n = 0;
Zed::on('mini:tick', sub { $n++ });
sub trace_end { open my $fh, '<', '/proc/self/status' or die; print "$n ", grep { /^VmHWM/ } <$fh> }
EOT

sub peak {
	my ($n, $per) = @_;
	my $w = recording();
	$w->sample(0, time => 0, raw => $w->tick(5, 1));
	my ($sample, $at) = ($w->{data}, 8 + 8 + 8);
	$w->{data} = '';
	for my $i (1 .. $n) {
		substr $sample, $at, 8, pack 'Q<', 1000 * $i;
		$w->{data} .= $sample;
		$w->round if $i % $per == 0;
	}
	my $r = zed_run('zedperl', '-i', $w->write("$dir/peak.data"), $script);
	my ($got, $kib) = $r->{out} =~ /^(\d+) VmHWM:\s+(\d+) kB$/ or diag($r->{out} . $r->{err});
	is($got, $n, "a round after each $per: all are there");
	return ($kib, length($sample) * $n >> 10);
}

{
	my ($small) = peak(150_000, 500);
	my ($large, $bytes) = peak(150_000, 150_000);
	cmp_ok($large - $small, '>', $bytes / 2, "one round of $bytes KiB waits (else: this measures nothing)");
	cmp_ok($large - $small, '<', 1.3 * $bytes, '... in the memory of its bytes (else: entries and copies take more than twice that)');
}

done_testing;
