# SPDX-License-Identifier: GPL-2.0-or-later
#
# stacks: what came with which stack.  Without it a stack is that of whatever stands before it.
#
# of: scripts/stacks.pl lib/Zed
# runs: make check; a small pass in make test
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Windows;
use Pass;
use Write::Miniature;
use Files;
use Run::Zedperl;

my @symbols = (kallsyms => "ffffffff81000000 T _text\n" . join('', map { "ffffffff81000${_}00 t f$_\n" } 1 .. 9) . "ffffffff81001000 t end\n",
	cmdlines => join('', map { "$_ t$_\n" } 5 .. 8));
my %at = map { ("f$_" => "ffffffff81000${_}10") } 1 .. 9;

# With names of functions for addresses.
sub dat { return miniature($_[0] =~ s/\b(f\d)\b/$at{$1}/gr, @symbols) }
sub folded { my ($dat, @args) = @_; return join ' | ', lines(zedperl({ bare => 1 }, $dat, 'stacks', '--folded', @args)->{out}) }
sub notes { my ($r) = @_; return { map { $_->{key} => $_->{n} } @{$r->{data}{notes}} } }

# On CPU 0 a switch with its stack, while CPU 1 is at something else; an event without one; a stack of which an interrupt
# came in between; one of another task; one behind a loss; a program's stack alone and behind that of the kernel.
my $dat = dat(<<'END');
10 0 5 switch 5 S 6 | 11 1 7 waking 5 | 12 0 5 kernel f1 f2 f3 | 13 1 7 kernel f4 f3 | 20 0 6 waking 5
30 0 6 switch 6 S 5 | 31 0 6 irq 4 | 32 0 6 kernel f9 f3 | 33 0 6 kernel f1 f2 | 40 0 5 waking 9 | 41 0 8 kernel f9 f8
50 0 5 waking 9 | 51 0!1 5 kernel f9 f7 | 60 0 5 waking 9 | 61 0 5 user 1000 2000 | 70 0 5 waking 9 | 71 0 5 kernel f4 f3 | 72 0 5 user 1000 2000
80 0 5 waking 9 | 81 0 5 irq 4 | 82 0 5 user 3000
END
is(folded($dat), 't5;0x2000;0x1000 1 | t5;0x2000;0x1000;f3;f4 1 | t5;0x3000 1 | t5;f3;f2;f1 1 | t6;f3;f9 1 | t7;f3;f4 1',
	'a stack belongs to the record right before it on its CPU, of the same task (else: to what was interrupted, or to another one)');
is(folded($dat, '--event', 'sched:*'), 't5;0x2000;0x1000 1 | t5;0x2000;0x1000;f3;f4 1 | t5;f3;f2;f1 1 | t7;f3;f4 1', '--event: those of other events are not theirs');
is(folded($dat, '--event', 'sched:sched_switch', '--by', 'none'), 'f3;f2;f1 1', '--by none');
is(folded($dat, '--event', 'sched:sched_switch', '--by', 'pid'), 't5 5;f3;f2;f1 1', '--by pid');
is(folded($dat, '--event', 'sched:sched_switch', '--by', 'event'), 'sched:sched_switch;f3;f2;f1 1', '--by event');
is(folded($dat, '--event', 'sched:sched_switch', '--weight', 'next_pid'), 't5;f3;f2;f1 6', '--weight: by the value of a field');
is(folded($dat, '--event', 'sched:*', '--weight', 'next_pid'), 't5;f3;f2;f1 6', '--weight of a field that only some have: of these');
is(folded($dat, '--event', 'sched:*,sched:sched_switch', '--event', 'sched'), folded($dat, '--event', 'sched:*'), '--event: what several patterns name counts once');
is(notes(analysis('stacks', $dat, '--event', 'sched:*,sched:sched_*'))->{without}, 5, '... and so does what has no stack');

my $r = analysis('stacks', $dat);
is_deeply([map { [@$_{qw(function self total)}] } @{$r->{data}{tables}{functions}{rows}}],
	[['f4', 2, 2], ['0x1000', 1, 2], ['0x3000', 1, 1], ['f1', 1, 1], ['f9', 1, 1], ['0x2000', 0, 2], ['f2', 0, 1], ['f3', 0, 4]], 'functions: themselves, and with what they call');
is(notes($r)->{alone}, 3, 'stacks that belong to nothing are counted (else: what is missing looks as if it never was)');
is(notes(analysis('stacks', $dat, '--event', 'sched:*'))->{without}, 5, 'events without one too');
ok(exists notes(analysis('stacks', dat('1 0 5 waking 6')))->{none}, 'a trace without any: that is said');
is(analysis('stacks', dat('10 0 5 waking 6 | 11 0 5 kernel f1 f2 f1 f3'))->{data}{tables}{functions}{rows}[0]{total}, 1, 'a function that calls itself counts once');
is(folded(dat('10 0 5 waking 6 | 11 0 5 kernel f1 f2 ffffffffffffffff 5 5')), 't5;f2;f1 1', 'what stands behind the end of a stack of an old kernel is no part of it');

# For speedscope.
my $s = JSON::PP::decode_json(zedperl({ bare => 1 }, $dat, 'stacks', '--speedscope', '--unit', 'bytes')->{out});
is($s->{'$schema'}, 'https://www.speedscope.app/file-format-schema.json', '--speedscope: its kind');
my ($profile) = @{$s->{profiles}};
is_deeply([@$profile{qw(type unit startValue endValue)}], ['sampled', 'bytes', 0, 6], '--speedscope: the profile');
my @frames = map { $_->{name} } @{$s->{shared}{frames}};
is(join(' | ', sort map { join(';', @frames[@{$profile->{samples}[$_]}]) . " $profile->{weights}[$_]" } 0 .. $#{$profile->{samples}}), folded($dat), '--speedscope: the same stacks');

is(zedperl({ bare => 1 }, $dat, 'stacks', @$_)->{status}, 2, "@$_: 2") for ['--by', 'x'], ['--weight', 'pid'], ['--unit', 'x'], ['--folded', '--speedscope'], ['--event', 'sched:*', '--weight', 'a b'];

# A recording, as trace-cmd prints it.
my (%want, $stack, $comm);
for (lines(slurp('t/data/stack.dat.report.txt')), '') {
	if (/^=> (\S+)/) {
		my $name = $1;
		push @$stack, $name if @$stack || $name !~ /^(?:trace_event_raw_event_|__traceiter_)/;
		next;
	}
	$want{join ';', $comm, reverse @$stack}++ if $stack;
	($comm, $stack) = (/^ *(\S.*)-\d+ +\[\d+\].*kernel_stack: /, []);
	$stack = undef if !defined $comm;
}
cmp_ok(scalar keys %want, '>', 5, 'trace-cmd prints stacks');
is(folded('t/data/stack.dat'), join(' | ', map { "$_ $want{$_}" } sort keys %want), 'a recording: the stacks that trace-cmd prints');

# A trace may call a system what no pattern of events can have, and a task what is no UTF-8.
{
	my $field = field_text('int size', 8, 4, 1) . field_text('unsigned long caller[1]', 16, 8, 0);
	my $odd = trace(types => { "o\"{ \e::a" => field_text('int x', 8, 4, 1), 'ftrace::kernel_stack' => $field }, cmdlines => "5 \xff\xe2\x80 x\xc3\xa9\n",
		events => [[0, 1e9, "o\"{ \e::a", pack('l', 1), undef, undef, 5], [0, 1e9 + 10, 'ftrace::kernel_stack', pack('l x4', 1) . pack('L<2', 0x81000110, 0xffffffff), undef, undef, 5]]);
	my $s = zedperl({ bare => 1 }, $odd, 'stacks', '--speedscope');
	is($s->{status}, 0, 'systems of any name (else: one of them costs the stacks of all)') or diag $s->{err};
	my $got = eval { JSON::PP->new->utf8->decode($s->{out}) } // {};
	is_deeply([map { $_->{name} } @{$got->{shared}{frames}}], ['\\xFF\\xE2\\x80 x' . "\x{e9}", '0xffffffff81000110'], '--speedscope is UTF-8, whatever a task is called') or diag $s->{out};
	my $j = zedperl({ bare => 1 }, $odd, 'stacks', '--json');
	like($j->{out}, qr/\\\\xFF\\\\xE2\\\\x80 x\xc3\xa9/, '--json too (else: no program reads it)');
}

# perf's call chains, as perf script prints them: the kernel's part, whose addresses are the same there.
my %chains;
for (split /\n\n/, qx(gzip -dc t/data/perf/rawsys_g.script.txt.gz)) {
	my @kernel = /^\s+(ffff[0-9a-f]+) /mg;
	$chains{join ';', map { "0x$_" } reverse @kernel}++ if @kernel;
}
# Addresses are compared: where this kernel and these files are those of the recording they would have names.
my @without = ('--kallsyms', script("ffffffffffffff00 T none\n"), '--symfs', '/none');
sub nameless { return join ' | ', lines(zedperl({ bare => 1 }, @without, 't/data/perf/rawsys_g.data', qw(stacks --folded --by none))->{out}) }
my %got;
for (split / \| /, nameless()) {
	my ($frames, $n) = /(\S+) (\d+)/;
	$got{join ';', grep { /^0xffff/ } split /;/, $frames} += $n;
}
is_deeply(\%got, \%chains, "perf.data: the kernel's part of the call chains that perf script prints");
is(notes(analysis('stacks', 't/data/perf/rawsys_g.data'))->{alone}, undef, 'perf.data: no stack is alone, as each is part of its event (else: -176 stacks are left out)');
like(nameless(), qr/0x7f\w+;0xffff/, 'perf.data: the program is what called the kernel');

if (small()) {
	done_testing();
	exit;
}

# Parts of the trace: an event counts with its stack, also where the border lies before the record of the stack (a cut loses that).
for my $of ('t/data/stack.dat', 't/data/perf/rawsys_g.data') {
	my %stacks = (of => $of, analysis => 'stacks', args => [qw(--by pid)], windows => 4, table => 'stacks', key => ['stack'], ends => ['weight']);
	for (\%stacks, { %stacks, table => 'events', key => ['event'], ends => ['n'] }) {
		windows_add_up($_);
		choices_add_up($_, '--cpu', 'cpu') if $of =~ /dat\z/;
		choices_add_up($_, '--pid', 'pid') if $of =~ /dat\z/;
	}
}

done_testing();
