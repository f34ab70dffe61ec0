# SPDX-License-Identifier: GPL-2.0-or-later
#
# waits, wakeup-latency, off-cpu, who-wakes-whom, why-late of parts of a recording: as what its whole says of these parts.
# Without it an answer for a time or a CPU is made of what was left over of the events.
#
# of: scripts/waits.pl scripts/wakeup-latency.pl scripts/off-cpu.pl scripts/who-wakes-whom.pl scripts/why-late.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::WaitModel qw(spans count);
use Pass;
use Run::Zedperl;
use Write::Miniature;

srand($ENV{ZED_SEED} // 28);

my $file = 'docs/shell.dat';
my ($first, $last) = (7_006_398_251, 7_523_768_013);
my %WHAT = (woken => 'waits, woken', new => 'waits, new', preempted => 'waits, preempted', 'left-ready' => 'waits, left ready',
	S => 'sleeps', D => 'blocked', T => 'stopped', t => 'traced', I => 'idle', P => 'parked');
my @spans = spans(zedperl_path() =~ s/zedperl\z/zedprint/r, $file);
my @waits = grep { $_->[0] ne 'sleep' } @spans;

sub seconds { return sprintf '%d.%09d', int($_[0] / 1e9), $_[0] % 1e9 }

# The answer of a part: zedperl's options first.
sub part {
	my ($script, $options, @own) = @_;
	my $r = zedperl({ bare => 1 }, @$options, $file, $script, '--json', '--limit', 0, @own);
	my $data = eval { JSON::PP::decode_json($r->{out}) } or diag $r->{err};
	return $data->{tables} // {};
}

# Its rows as {KEY}: "n total in max".
sub rows {
	my ($tables, $key, @numbers) = @_;
	my %rows;
	for my $row (@{$tables->{tasks}{rows} // []}) {
		my $to = $rows{$key->($row)} //= { map { $_ => 0 } @numbers };
		$_ eq 'max' ? ($to->{max} = $row->{max} // 0) : ($to->{$_} += $row->{$_} // 0) for @numbers;
	}
	return texts(\%rows, @numbers);
}

sub texts {
	my ($rows, @numbers) = @_;
	return { map { my $row = $rows->{$_}; ($_ => join ' ', map { "$_ $row->{$_}" } @numbers) } keys %$rows };
}

sub some { my ($rows) = @_; return { map { $_ => $rows->{$_} } grep { $rows->{$_} !~ /^n 0 / } keys %$rows } }

# All of it, from FROM to TO.
sub agrees {
	my ($from, $to, %o) = @_;
	my $name = join ' ', seconds($from), '..', seconds($to), map { "$_ $o{$_}" } sort keys %o;
	my @options = ('--start', seconds($from), '--end', seconds($to), map { ("--$_", $o{$_}) } sort keys %o);
	my $model = sub { my ($spans, $by) = @_; return count($spans, $from, $to, %o, by => $by) };
	my $off = $model->(\@spans, sub { "$_[1] " . ($WHAT{$_[0]} // $WHAT{$_[5]}) });

	is_deeply(rows(part('waits', \@options, '--by', 'pid,kind'), sub { "$_[0]{pid} $_[0]{kind}" }, qw(n total max in)),
		texts($model->(\@waits, sub { "$_[1] $_[0]" }), qw(n total max in)), "$name: waits");
	is_deeply(rows(part('wakeup-latency', \@options, '--by', 'pid'), sub { $_[0]{pid} }, qw(n total max)),
		some(texts($model->(\@waits, sub { $_[0] eq 'woken' ? $_[1] : undef }), qw(n total max))), "$name: wakeup-latency");
	is_deeply(rows(part('off-cpu', \@options, '--by', 'pid'), sub { "$_[0]{pid} $_[0]{what}" }, qw(n total in)), texts($off, qw(n total in)),
		"$name: off-cpu");
	my ($n, $total) = (0, 0);
	for (@{part('who-wakes-whom', \@options)->{edges}{rows} // []}) {
		$n += $_->{n};
		$total += $_->{total};
	}
	my $all = $model->(\@waits, sub { $_[0] eq 'woken' || $_[0] eq 'new' ? 'all' : undef })->{all} // { n => 0, total => 0 };
	is("$n $total", "$all->{n} $all->{total}", "$name: who-wakes-whom");
	my @longest = sort { $b->[0] <=> $a->[0] } map { my ($kind, $pid, $cpu, $begin, $end) = @$_;
		$kind ne 'woken' || $end < $from || $end > $to || defined $o{pid} && $pid != $o{pid} || defined $o{cpu} && $cpu != $o{cpu} ? () : [$end - $begin, $pid] } @waits;
	is_deeply([map { "$_->{wait} $_->{pid}" } @{part('why-late', \@options)->{chains}{rows} // []}],
		[map { "@$_" } @longest[0 .. ($#longest < 4 ? $#longest : 4)]], "$name: why-late");
	return;
}

agrees($first, $last);
agrees($first, $last, cpu => 1);
agrees($first, $last, pid => 132);
for (1 .. (small(2, 12))) {
	my ($from, $to) = sort { $a <=> $b } map { $first + int rand($last - $first) } 1, 2;
	agrees($from, $to, ({}, { cpu => int rand 4 }, { pid => (15, 132, 133, 17)[rand 4] })[$_ % 3]->%*);
}

# Who ran meanwhile, and why it was woken, is before the time and of other CPUs.
my ($long) = sort { $b->[4] - $b->[3] <=> $a->[4] - $a->[3] } grep { $_->[0] eq 'woken' } @waits;
for my $script ('wakeup-latency', 'why-late') {
	my $table = $script eq 'why-late' ? 'parts' : 'worst';
	my ($whole, @parts) = map { part($script, $_)->{$table}{rows} } [], ['--start', seconds($long->[4] - 1000)], ['--pid', $long->[1]], ['--cpu', $long->[2]];
	for (@parts) {
		my ($one, $same) = map { [grep { !defined $_->{chain} || $_->{chain} == 1 } @$_] } $whole, $_;
		$one = [$one->[0]], $same = [$same->[0]] if $table eq 'worst';
		is_deeply($same, $one, "$script: the longest wait has the reasons that it has in the whole");
	}
}

# What the parts of a whole have adds up to it.
my @cuts = ($first, (sort { $a <=> $b } map { $first + int rand($last - $first) } 1 .. 4), $last + 1);
for my $script ('waits', 'off-cpu') {
	my %sum;
	for my $i (0 .. $#cuts - 1) {
		my $all = part($script, ['--start', seconds($cuts[$i]), '--end', seconds($cuts[$i + 1] - 1)])->{tasks}{all};
		$sum{$_} += $all->{$_} for qw(n total in);
	}
	my $all = part($script, ['--start', seconds($first)])->{tasks}{all};
	# An end at T - 1 leaves out the ns up to T.
	is("$sum{n} $sum{total}", "$all->{n} $all->{total}", "$script: parts add up");
	cmp_ok(abs($sum{in} - $all->{in}), '<=', 200, "... and what lies in them");
	cmp_ok(abs($all->{in} - $all->{total}), '<=', 0, '... to what all of it is');
}

done_testing();
