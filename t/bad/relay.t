# SPDX-License-Identifier: GPL-2.0-or-later
#
# A relay daemon of LTTng one of whose answers has wrong bytes, or ends early: nothing crashes, hangs, or is taken for whole.
# Without it a daemon has power over the viewer. SEED and MUTATIONS choose others.
#
# of: reader/ctf/relay reader/ctf/ctf_live.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program;
use Run::Relay;
use Write::Ctf qw(ctf_head ctf_packets);

my $seed = $ENV{SEED} // 34;
my $n = $ENV{MUTATIONS} // small(10, 120);
my $events = "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { uint32_t _n; string _s; }; };\n";
my $more = "event { name = \"a:tock\"; id = 2; stream_id = 0; fields := struct { uint32_t _n; }; };\n";

sub packet {
	my ($cpu, $number, $at, @ids) = @_;
	return { end => $at + 90, packet => ctf_packets({}, { begin => $at, end => $at + 90, cpu => $cpu, number => $number,
		events => [map { my $id = $ids[$_]; [$id, $at + 10 * $_, sub { $_[0]->int(7, 32); $_[0]->string('text') if $id == 1 }, 'extended'] } 0 .. $#ids] }) };
}

# One byte, or the end of an answer, is another.
sub damaged {
	my ($answer) = @_;
	return substr $answer, 0, rand length $answer if rand() < 0.2;
	# Numbers come first: texts are long.
	my $at = int rand(rand() < 0.7 && length $answer > 80 ? 80 : length $answer);
	substr($answer, $at, 1) = chr(rand() < 0.5 ? 255 : rand 256);
	return $answer;
}

my (@wrong, %exits);
for my $run (1 .. $n) {
	my $which = ($run * 7) % 22;	# of the answers
	my $relay = relay_start(metadata => { 1 => [ctf_head() . $events] },
		streams => [{ id => 11, trace => 1, items => [packet(0, 0, 100, 1, 1), { metadata => $more }, packet(0, 1, 300, 2, 1)] },
			{ id => 12, trace => 1, items => [{ beacon => 250 }, { stream => { id => 13, trace => 1, items => [packet(2, 0, 500, 1)] } }, packet(1, 0, 400, 1, 1)] }],
		damage => sub { my ($number, $answer) = @_; return $answer if $number != $which; srand($seed + $run); return damaged($answer) });
	my $r = zed_run({ time => 30 }, 'zedprint', '-i', "lttng://127.0.0.1:$relay->{port}/host/robot/run");
	kill 'KILL', $relay->{pid};
	push @wrong, "run $run, answer $which: exit $r->{exit}" . ($r->{late} ? ', too late' : '') . ": $r->{err}" if $r->{late} || $r->{exit} > 2;
	push @wrong, "run $run, answer $which: exit 0 with a message: $r->{err}" if !$r->{exit} && $r->{err} =~ /cannot|closed|left out/;
	$exits{$r->{exit}}++;
}
is(join("\n", @wrong), '', "$n daemons with a damaged answer (SEED=$seed)");
cmp_ok($exits{1} // 0, '>', $n / 10, 'many of them are found to be wrong') or diag explain \%exits;

done_testing();
