# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ctrl-C, or a die in a handler, while an analysis reads a file: the answer is that of a trace that ends there. Without
# it what a part of the trace showed has the window and the rates of the whole, and only the exit status tells.
#
# of: lib/Zed/Asked.pm lib/Zed/Report.pm interp/perlsink.c interp/api/trace.c scripts/lost.pl programs/script/script_host.c programs/zedperl/script.c
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Run::Program;
use Run::Zedperl;
use Write::Dat;
use Write::Miniature;

my @EVENTS = ('0 0 0 switch 0 R 10', '10 0 10 waking 20', '20 1 0 switch 0 R 20', '25 1 20 irq 1', '30 1 20 irqx 1', '35 0 10 switch 10 S 0',
	'40 1 20 enter 1', '50 1 20 exit 1 5', '60 1 20 waking 10', '70 0 0 switch 0 R 10', '80 1 20 switch 20 S 0', '90 0 10 waking 20',
	'95 1 0 switch 0 R 20', '99 0 10 switch 10 R 0');
my $whole = miniature(join ' | ', @EVENTS);
my $first = miniature(join ' | ', @EVENTS[0 .. 9]);	# up to 70

# A module that sends SIGINT, or dies, in the first handler of the event at that time; once, as a second signal ends all.
my $dir = temp_path('.d');
mkdir $dir or die "$dir: $!\n";
spew("$dir/Interrupts.pm", 'package Interrupts; sub import { my (undef, $at, $dies) = @_;
	Zed::on("*:*", args => ["ts"], follows => 1, sub { return if $_[0] != $at || $did++; die "oops\n" if $dies; kill INT => $$ }) } 1;');
sub interrupted { my ($us, $dies) = @_; return ("-I$dir", sprintf '-MInterrupts=%d%s', 1_000_000_000 + 1000 * $us, $dies ? ',1' : '') }
sub at { return sprintf '1.%09d', 1000 * $_[0] }
sub warned { my ($r, $key) = @_; return (grep { $_->{key} eq $key } @{$r->{data}{notes}})[0] }

# All but the message.
sub rest { my ($r) = @_; return { (map { $_ => $r->{data}{$_} } qw(start end lost tables)), notes => [grep { $_->{key} !~ /^(?:interrupted|died)$/ } @{$r->{data}{notes}}] } }

my $UP_TO = 'the answer is of the events up to ' . at(70);
for my $script (qw(irq off-cpu sched-summary syscalls waits wakeup-latency who-wakes-whom why-late)) {
	my $want = rest(analysis($script, $first));
	my $r = chosen([interrupted(70)], $script, $whole);
	is_deeply(rest($r), $want, "$script: the answer of a trace that ends there (else: its window and its rates are of the whole, or the last event is half counted)")
		or diag explain(rest($r), $want);
	is_deeply(warned($r, 'interrupted'), { key => 'interrupted', level => 'warning', text => "interrupted: $UP_TO" }, 'and says so');
	is("$r->{status} $r->{err}", '130 ', 'once (else: standard error repeats it)');
	is(warned(analysis($script, $first), 'interrupted'), undef, 'a trace that was read says nothing');
}

# A table with the losses of the whole trace; what is not lost in a part.
my $lost = miniature('0 0 5 irq 1 | 10 0 5 irqx 1 | 20 0 5 irq 1 | 30 1 6 irq 3 | 50 0!7 5 irqx 1 | 60 0 5 irq 1');
my $r = zedperl({ bare => 1 }, interrupted(10), $lost, 'lost');
like($r->{out}, qr/\Ainterrupted: the answer is of the events up to \Q${\at(10)}\E\n/, 'lost: above its tables');
like($r->{out}, qr/^10\.0 us from 1\.000000000 to \Q${\at(10)}\E$/m, 'of the time that was read (else: of the whole)');
like($r->{out}, qr/^no events are known to be lost in what was read, /m, 'where none are known to be lost (else: none were lost in the whole)');
is_deeply(chosen([interrupted(30)], 'lost', $lost)->{data}{lost}, { events => 0, places => 0, unknown => 0, perhaps => 7 },
	'within a loss: perhaps (else: nothing was lost)');

# What is live at the end of the part. The time begins with the trace, so it needs no names of what came before.
my $memory = miniature('0 0 5 kmalloc a 4096 10 16 | 10 0 5 kmalloc a 8192 10 16 | 20 0 5 kfree 4096 | 30 0 5 kmalloc b 12288 10 16');
for my $choice ([interrupted(20)], ['--head', 3]) {
	is_deeply([map { [@$_{qw(who n freed live live_bytes)}] } @{chosen($choice, 'kmem', $memory)->{data}{tables}{slabs}{rows}}], [['a', 2, 1, 1, 16]],
		"kmem, $choice->[0]: what was not freed up to there is live (else: nothing is)");
}

# The other forms of an answer.
my $page = temp_path('.html');
like(zedperl({ bare => 1 }, interrupted(70), $whole, 'irq', '--html', $page)->{out}, qr/\Ainterrupted: \Q$UP_TO\E\n/, 'text: above the tables');
like(slurp($page), qr/interrupted: \Q$UP_TO\E/, 'a page has it, too');
$r = zedperl({ bare => 1 }, interrupted(70), $whole, 'irq', '--csv');
is($r->{err}, 'zedperl: interrupted after 10 events (up to ' . at(70) . "): the results are of these\n", '--csv, which has no notes: on standard error');
like($r->{out}, qr/\Airq,name,.*\n1,i1,1,[^\n]*\n\z/, 'and not in the table');

# Times that were chosen.
$r = chosen(['--start', at(50), interrupted(40)], 'irq', $whole);
is(warned($r, 'interrupted')->{text}, 'interrupted at ' . at(40) . ', before the time that was asked for', 'before that time (else: nothing happened in it)');
is_deeply([@{$r->{data}}{qw(start end)}], [1_000_050_000, 1_000_050_000], 'of which nothing was read');
is_deeply(rest(chosen(['--end', at(30), interrupted(70)], 'irq', $whole)), rest(chosen(['--end', at(30)], 'irq', $whole)), 'after it: that time as a whole');
$r = chosen(['--cpu', 1, interrupted(70)], 'irq', $whole);
is($r->{data}{end}, 1_000_070_000, '--cpu: up to the last event of any CPU (else: rates are of less time than was read)');
my @intervals = map { { data => JSON::PP::decode_json($_) } } split /\n/, zedperl({ bare => 1 }, interrupted(70), $whole, 'irq', '--every', '0.04ms', '--json')->{out};
is_deeply([map { [$_->{data}{start}, $_->{data}{end}, !!warned($_, 'interrupted')] } @intervals],
	[[1_000_000_000, 1_000_040_000, !!0], [1_000_040_000, 1_000_070_000, !!1]], '--every: the last interval alone');

# A die in a handler leaves a part of the trace, too.
$r = chosen([interrupted(70, 1)], 'lost', $whole);
is("$r->{status} " . warned($r, 'died')->{text}, "255 a handler died: $UP_TO", 'a die');
is($r->{data}{end}, 1_000_070_000, 'ends the window');

# So does damage that the reading stops at: CPU 0 has 7 events, up to 6 us, before it.
my $damaged = Write::Dat->new->poke('buffer.cpu0.page1', "\xff" x 64)->write(temp_path('.dat'));
$r = chosen(['--strict'], 'summary', $damaged);
is("$r->{status} " . warned($r, 'failed')->{text}, '1 the trace was not read to its end: the answer is of the events up to ' . at(6), '--strict, at damage');
is($r->{data}{end}, 1_000_006_000, 'ends the window (else: rates are of the whole)');
is(warned(chosen([], 'summary', $damaged), 'failed'), undef, 'what is read on after damage is read to its end');

# Before the first event.
my $own = script('use Zed::Report; my $r = Zed::Report->new(name => "own", answer => sub { $_[0]->window });
	sub trace_begin { kill INT => $$; 1 } sub sched::sched_switch { die } sub trace_end { $r->end }');
is(zedperl({ bare => 1 }, $whole, $own)->{out} =~ s/\n.*//sr, 'interrupted before the first event', 'nothing was read (else: nothing happened in the whole trace)');

# What is only counted may come in any order, but not into an answer that may be cut.
$own = script('use Zed::Report; my $n = Zed::count("*:*"); Zed::when(1_000_040_000, sub { kill INT => $$; 1 }); sub trace_end { $r->end }
	our $r = Zed::Report->new(name => "own", answer => sub { $_[0]->table("t", columns => [["n", "n", "int"]])->add({ n => $n->get }); $_[0]->window });');
$r = zedperl({ bare => 1 }, $whole, $own, '--json');
is_deeply([map { @$_{qw(end)}, $_->{tables}{t}{rows} } JSON::PP::decode_json($r->{out})], [1_000_040_000, [{ n => 7 }]], 'counts are of that time (else: of more, and the end is not known)');

# States: those of a part would be merged as that of the whole.
for my $map (['--map'], ['--map', '--part', '1/2']) {
	$r = zedperl({ bare => 1 }, interrupted(20), @$map, $whole, 'irq');
	is("$r->{status} $r->{out}$r->{err}", "130 zedperl: interrupted: no state, which would be of a part of the trace\n", "@$map: no state");
}
$r = zedperl({ bare => 1 }, interrupted(40), '-j', 2, 'irq', $whole, $lost, '--', '--json');
like($r->{err}, qr/^zedperl: \Q$whole\E: failed \(130\): interrupted: no state.*^zedperl: 1 of 2 traces failed$/ms, '-j: one whose process was interrupted has failed');
is_deeply(rest({ data => JSON::PP::decode_json($r->{out}) })->{tables}, rest(analysis('irq', $lost))->{tables}, 'the answer is of the other one');

# Scripts without an answer of Zed::Report.
$r = zedperl({ bare => 1 }, interrupted(20), $whole, 'countall');
is($r->{err}, 'zedperl: interrupted after 3 events (up to ' . at(20) . "): the results are of these\n", 'countall: a message');
$r = zedperl({ bare => 1 }, '--tail', 2, '-e', 'use Time::HiRes; sub sched::sched_switch { kill INT => $$; 1 }', $whole);
is($r->{err}, "zedperl: interrupted: the results are of some of the last events\n", '--tail');
$r = zedperl({ bare => 1 }, '-e', 'sub sched::sched_switch { } sub trace_end { kill INT => $$; 1 }', $whole);
is($r->{err}, '', 'when all was read nothing is said');

done_testing();
