# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF 1.8, made: all types of fields in both byte orders; packets, clocks and losses; who runs; metadata with mistakes;
# several traces in one directory.  Without it a trace of LTTng, perf or Zephyr is read wrongly, and nobody knows.
#
# of: reader/ctf
use strict;
use warnings;
no warnings 'portable';
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);

my $tmp = zed_tmp();
my $dirs = 0;
my $json = JSON::PP->new;

sub made { my ($metadata, %files) = @_; return ctf_write("$tmp/" . ++$dirs, $metadata, %files) }

# The events of DIR, decoded, and the run.
sub events {
	my ($dir, @args) = @_;
	my $r = zed_run('zedprint', '-f', 'json', @args, $dir);
	return ($r, map { $json->decode($_) } split /\n/, $r->{out});
}

# ---------------------------------------------------------------- all types

my $TYPES = <<'END';
event {
	name = "all:types";
	id = 3;
	stream_id = 0;
	fields := struct {
		integer { size = 3; align = 1; signed = true; } _three;
		integer { size = 13; align = 1; signed = false; } _thirteen;
		integer { size = 64; align = 1; signed = true; } _wide;
		integer { size = 24; align = 8; signed = true; byte_order = network; } _network;
		integer { size = 16; align = 16; signed = true; } _aligned;
		floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _f;
		floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _d;
		string _s;
		integer { size = 8; align = 8; signed = false; encoding = UTF8; } _text[8];
		enum : uint8_t { zero, few = 2 ... 4, "many more" = 100 ... 200, one = 1 } _e, _g;
		struct { uint8_t _x; struct { uint16_t _y; } _in; } _st;
		uint16_t _array[2][2];
		uint8_t __list_length;
		struct { uint8_t _n; string _name; } _list[ __list_length ];
		uint8_t _len;
		uint32_t _words[ _len ];
		enum : uint8_t { num = 0, word = 1 } _tag;
		variant <_tag> { uint32_t num; string word; } _v;
	};
};
END

# The payload with tag TAG, in the bits of W, and what is expected of it.
sub payload {
	my ($w, $tag) = @_;
	$w->align(16)->int(-2, 3)->int(4097, 13)->int(-5, 64, 1)->int(-70_000, 24, 8, 1)->int(-300, 16, 16)->float(1.5)->double(-0.1)->string('a string');
	$w->bytes("text\0\0\0\0")->int(3, 8)->int(77, 8)->int(9, 8)->int(513, 16);
	$w->int($_, 16) for 1 .. 4;
	$w->int(2, 8)->int(7, 8)->string('seven')->int(8, 8)->string('');
	$w->int(3, 8);
	$w->int($_, 32) for 70_000, 1, 2;
	$w->int($tag, 8);
	$tag ? $w->string('word') : $w->int(99, 32);
	return;
}
my %want = (three => -2, thirteen => 4097, wide => -5, network => -70_000, aligned => -300, f => 1.5, d => -0.1, s => 'a string', text => 'text',
	e => 'few', g => 77, st => { x => 9, in => { y => 513 } }, array => [[1, 2], [3, 4]],
	list => [{ n => 7, name => 'seven' }, { n => 8, name => '' }], len => 3, words => [70_000, 1, 2]);

for my $big (0, 1) {
	my $order = $big ? 'big endian' : 'little endian';
	my @events = ([3, 1000, sub { payload(@_, 0) }], [3, 2000, sub { payload(@_, 1) }, 'extended'], [3, 3000, sub { payload(@_, 0) }]);
	my $bytes = ctf_packets({ big => $big }, { begin => 900, end => 4000, cpu => 5, events => \@events });
	my ($r, @got) = events(made(ctf_head(big => $big) . $TYPES, chan_0 => $bytes));
	is("$r->{exit} $r->{err}", '0 ', "$order: all types are read");
	is(scalar @got, 3, "$order: all events");
	for my $i (0 .. 2) {
		my %tag = $i == 1 ? (tag => 'word', v => { num => [], word => ['word'] }) : (tag => 'num', v => { num => [99], word => [] });
		is_deeply($got[$i]{fields}, { %want, %tag }, "$order: each field of event $i (else: wrong values in silence)");
		is("$got[$i]{ts} $got[$i]{cpu} $got[$i]{event}", 1000 * ($i + 1) . ' 5 all::types', "$order: ... its time, CPU and name");
	}
}

# ---------------------------------------------------------------- times

my $TICK = "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };\n";
my $tick = sub { my ($n) = @_; return sub { $_[0]->int($n, 32) } };
{
	my $wrap = 1 << 27;
	my @at = (5, $wrap - 1, $wrap + 3, 2 * $wrap + 2, 10 * $wrap);
	my $bytes = ctf_packets({}, { begin => 4, end => 11 * $wrap, events => [map { [1, $at[$_], $tick->($_), $_ == 4 ? 'extended' : ()] } 0 .. 4] });
	my $dir = made(ctf_head() . $TICK, chan_0 => $bytes);
	my ($r, @got) = events($dir);
	is_deeply([map { $_->{ts} } @got], \@at, 'stamps of 27 bits go on where they begin again (else: time runs backwards)');
	($r, @got) = events($dir, '--wall');
	is($got[0]{ts}, 1_500_000_000_000_000_000 + 7 + 5, '--wall: the time of day, by the offset of the clock');
	$dir = made(ctf_head(clock => "freq = 25000000;\n\toffset_s = 10;\n\toffset = 25;") . $TICK, chan_0 => $bytes);
	($r, @got) = events($dir);
	is($got[4]{ts}, 10 * $wrap * 40, 'a clock of 25 MHz: its ticks are 40 ns');
	($r, @got) = events($dir, '--wall');
	is($got[0]{ts}, 10_000_000_000 + 30 * 40, '... and so are those of its offset');
}

# ---------------------------------------------------------------- losses

{
	my @packets = ({ begin => 100, end => 300, number => 0, lost => 0, events => [[1, 110, $tick->(1)], [1, 120, $tick->(2)]] },
		{ begin => 400, end => 500, number => 1, lost => 7, events => [[1, 410, $tick->(3)]] },
		{ begin => 600, end => 700, number => 2, lost => 7, events => [[1, 610, $tick->(4)]] },
		{ begin => 800, end => 900, number => 5, lost => 9, events => [[1, 810, $tick->(5)]] });
	my $dir = made(ctf_head() . $TICK, chan_0 => ctf_packets({}, @packets));
	my $r = zed_run('zedperl', '-e', 'sub a::tick { print "tick $_[-1]\n" } sub trace_lost { print "lost ", $_[0] // "some", "\n" }', $dir);
	my $s = zed_run('zedprint', '--summary', $dir);
	like($s->{out}, qr/^ +losses +9 lost, an unknown number at 1 place$/m, 'the summary has all 9 lost events') or diag $s->{out};
	($r, my @got) = events($dir);
	is(join(' ', map { $_->{fields} ? $_->{fields}{n} : 'end' } @got), '1 2 3 4 5 end', 'all events, and losses after the last one');
	is(join(' ', map { exists $_->{lost} ? $_->{lost} // 'some' : 0 } @got), '0 0 0 7 some 2',
		'what a packet counts was lost after its last event; where packets are missing, before the next one (else: the wrong wait is doubted)');
}

# A file that is cut within a packet, which would end later than the trace has events: the gap ends with these.
{
	my @packets = ({ begin => 100, end => 9_000, number => 0, events => [[1, 110, $tick->(1)], [1, 8_000, $tick->(2)]] });
	my $whole = ctf_packets({}, @packets);
	my $dir = made(ctf_head() . $TICK, chan_0 => ctf_packets({}, { begin => 100, end => 600, events => [[1, 500, $tick->(3)]] }), chan_1 => substr $whole, 0, length($whole) - 4);
	my ($r, @got) = events($dir);
	is($got[-1]{ts}, 500, 'what is lost at the end was lost before the last event of the trace (else: a gap is longer than the trace)') or diag $r->{out};
}

# ---------------------------------------------------------------- who runs

{
	my $events = <<'END';
event { name = "sched_switch"; id = 1; stream_id = 0; fields := struct {
	integer { size = 8; align = 8; signed = false; encoding = UTF8; } _prev_comm[16]; integer { size = 32; align = 8; signed = true; } _prev_tid;
	integer { size = 32; align = 8; signed = true; } _prev_prio; integer { size = 64; align = 8; signed = true; } _prev_state;
	integer { size = 8; align = 8; signed = false; encoding = UTF8; } _next_comm[16]; integer { size = 32; align = 8; signed = true; } _next_tid;
	integer { size = 32; align = 8; signed = true; } _next_prio; }; };
event { name = "irq_softirq_entry"; id = 2; stream_id = 0; fields := struct { uint32_t _vec; }; };
event { name = "no_such_event_in_tracefs"; id = 4; stream_id = 0; fields := struct { uint32_t _n; }; };
END
	my $switch = sub {
		my ($prev, $state, $next) = @_;
		return sub {
			my ($w) = @_;
			$w->bytes(pack 'a16', "task$prev")->int($prev, 32)->int(20, 32)->int($state, 64)->bytes(pack 'a16', "task$next")->int($next, 32)->int(-19, 32);
		};
	};
	my %env = (domain => 'kernel', sysname => 'Linux', kernel_release => '5.15.0-1', hostname => 'h');
	my @one = ({ begin => 1, end => 99, cpu => 0, events => [[2, 10, $tick->(1)], [1, 20, $switch->(7, 2, 8)], [1, 60, $switch->(8, 0x100, 0)]] });
	my @two = ({ begin => 1, end => 99, cpu => 0, events => [[2, 30, $tick->(2)], [4, 70, $tick->(3)]] });
	my $dir = made(ctf_head(env => \%env) . $events, chan0_0 => ctf_packets({}, @one), chan1_0 => ctf_packets({}, @two));
	my ($r, @got) = events($dir);
	is(join(' ', map { "$_->{event} $_->{pid}" } @got), 'irq::softirq_entry -1 sched::sched_switch 7 irq::softirq_entry 8 sched::sched_switch 8 lttng::no_such_event_in_tracefs 0',
		'the task of a CPU is followed from switch to switch, in the events of another channel as well; before the first it is unknown');
	is($got[2]{comm}, 'task8', '... and it has a name');
	$r = zed_run('zedperl', '-F', 'sched:sched_switch: next_pid == 8', '-e', 'sub sched::sched_switch { print Zed::field("prev_pid"), "\n" }', $dir);
	is("$r->{out}$r->{err}", "7\n", "a task's number has ftrace's name as well (else: no script of ours knows these events)");
	$r = zed_run('zedperl', '-e', 'use Zed; Zed::on("sched:switch", args => [qw(prev_pid prev_state preempted next_pid next_prio prev_prio common_flags)], optional => 1, sub { pop; print join(" ", @_), "\n" })', $dir);
	is($r->{err}, '', 'no message about a field that only ftrace has, and that a module can do without');
	is($r->{out}, "7 D 0 8 81 120\n8 R 1 0 81 120\n", 'sched::switch: letters as the kernel of that release has them, priorities as ftrace has them') or diag $r->{err};
}

# ---------------------------------------------------------------- metadata

{
	my $text = ctf_head() . $TICK;
	my $bytes = ctf_packets({}, { begin => 1, end => 9, events => [[1, 5, $tick->(6)]] });
	for my $big (0, 1) {
		my ($long, $packed) = ($big ? 'N' : 'V', '');
		for (unpack '(a333)*', $text) {
			my $size = 37 + length;
			$packed .= pack("$long a16 $long $long $long C5", 0x75d11d57, 'u' x 16, 0, 8 * $size, 8 * ($size + 11), 0, 0, 0, 1, 8) . $_ . "\0" x 11;
		}
		my ($r, @got) = events(made($packed, chan_0 => $bytes));
		is(scalar @got && $got[0]{fields}{n}, 6, 'metadata in packets, ' . ($big ? 'big' : 'little') . ' endian, which cut words in two') or diag $r->{err};
	}
	for (['a type that is not known', 'event { name = "x"; id = 9; fields := struct { nosuch_t _a; }; };', qr/line 48: type "nosuch_t" is not defined/],
		['a size', 'event { name = "x"; id = 9; fields := struct { integer { size = 65; } _a; }; };', qr/line 48: an integer has 1 to 64 bits/],
		['an end', 'event { name = "x"; id = 9;', qr/line \d+: a name is missing before its end/],
		['a length', 'event { name = "x"; id = 9; fields := struct { uint8_t _a[ _b ]; }; };', qr/event x cannot be read: field _?a: integer "_b" is not defined before it/]) {
		my ($what, $more, $said) = @$_;
		my $r = zed_run('zedprint', made("$text$more\n", chan_0 => $bytes));
		like($r->{err}, $said, "metadata with a mistake in $what: the message says where") or diag $r->{out};
		isnt($r->{exit}, 0, '... and the exit status');
	}
}

# ---------------------------------------------------------------- pieces of one trace

{
	# A session that was rotated twice: counts and numbers go on.  Where the last chunk begins, packet 4 is missing.
	my $dir = "$tmp/rotated";
	my @chunks = ('archives/20260101T000000+0000-20260101T000100+0000-1/kernel', 'archives/20260101T000100+0000-20260101T000200+0000-2/kernel', 'kernel');
	my @packets = ([{ begin => 100, end => 200, number => 0, lost => 0, events => [[1, 110, $tick->(1)]] }, { begin => 210, end => 300, number => 1, lost => 5, events => [[1, 220, $tick->(2)]] }],
		[{ begin => 310, end => 400, number => 2, lost => 5, events => [[1, 320, $tick->(3)]] }, { begin => 410, end => 500, number => 3, lost => 7, events => [[1, 420, $tick->(4)]] }],
		[{ begin => 510, end => 600, number => 5, lost => 7, events => [[1, 520, $tick->(5)]] }]);
	ctf_write("$dir/$chunks[$_]", ctf_head() . $TICK, chan_0 => ctf_packets({}, @{$packets[$_]})) for 0 .. 2;
	my ($r, @got) = events($dir);
	is(join(' ', map { ($_->{fields}{n} // '') . (exists $_->{lost} ? '(' . ($_->{lost} // 'some') . ')' : '') } @got), '1 2 (5) 3 4 (2) 5(some)',
		'the chunks of a session are one trace: what one counts as lost is not lost again in the next one (else: losses are multiplied)') or diag $r->{err};
	$r = zed_run('zedperl', '-MZed=handlers,a', '-e', 'sub a::tick { print Zed::instance(), " ", Zed::cpu(), "\n" }', $dir);
	is($r->{out}, " 0\n" x 5, '... with one buffer, and one stream of the CPU') or diag $r->{err};
}
{
	# A file of a CPU that is gone.
	my $dir = made(ctf_head() . $TICK, chan_0 => ctf_packets({}, { begin => 100, end => 200, events => [[1, 110, $tick->(1)]] }));
	ctf_write("$dir/index", '', 'chan_0.idx' => '', 'chan_3.idx' => '', 'more_0.idx' => '');
	my $r = zed_run('zedperl', '-MZed=handlers,a', '-e', 'sub a::tick { } sub trace_end { print join(" ", Zed::_missing_cpus(0)), "\n" }', $dir);
	is($r->{out}, "3\n", 'a CPU of which every file is gone is missing in answers (else: it counts as idle)') or diag $r->{err};
}
{
	# Two machines, or one clock of which two programs have read the time of day at different times.
	for (['of two machines', '11111111-1111-1111-1111-111111111111', '1 2 3', 1_000_000_000 + 20], ['that are one', '22222222-2222-2222-2222-222222222222', '2 1 3', 20]) {
		my ($what, $uuid, $order, $time) = @$_;
		my $dir = "$tmp/clocks$time";
		my $clock = sub { my ($id, $s) = @_; return "uuid = \"$id\";\n\tfreq = 1000000000;\n\toffset_s = $s;\n\toffset = 0;" };
		my $at = sub { return ctf_packets({}, { begin => 1, end => 2_000_000_000, events => [map { [1, $_->[0], $tick->($_->[1]), 'extended'] } @_] }) };
		ctf_write("$dir/a", ctf_head(clock => $clock->('22222222-2222-2222-2222-222222222222', 100)) . $TICK, chan_0 => $at->([30, 1], [1_900_000_000, 3]));
		ctf_write("$dir/b", ctf_head(clock => $clock->($uuid, 101)) . $TICK, chan_0 => $at->([20, 2]));
		my ($r, @got) = events($dir);
		is(join(' ', map { $_->{fields}{n} } @got), $order, "clocks $what: the order of events") or diag $r->{err};
		is((grep { $_->{fields}{n} == 2 } @got)[0]{ts}, $time, '... and their times');
	}
}

# ---------------------------------------------------------------- several traces, and none of LTTng

{
	my $dir = "$tmp/session";
	my $packet = sub { my ($at, $n) = @_; return ctf_packets({}, { begin => $at, end => $at + 9, events => [[1, $at, $tick->($n)]] }) };
	ctf_write("$dir/kernel", ctf_head() . $TICK, chan_0 => $packet->(200, 2));
	ctf_write("$dir/ust/uid/1000/64-bit", ctf_head() . $TICK, chan_0 => $packet->(100, 1), chan_1 => $packet->(300, 3));
	my ($r, @got) = events($dir);
	is(join(' ', map { $_->{fields}{n} } @got), '1 2 3', 'the traces of one session are merged by time');
	# barectf, Zephyr: no packets, no clock, a header that is an id alone.
	my $bare = "/* CTF 1.8 */\ntypealias integer { size = 8; align = 8; signed = false; } := u8;\ntrace { major = 1; minor = 8; byte_order = le; };\n"
		. "stream { event.header := struct { u8 id; }; };\n"
		. "event { name = \"hi\"; id = 1; fields := struct { u8 n; }; };\nevent { name = \"ho\"; id = 2; fields := struct { string s; }; };\n";
	($r, @got) = events(made($bare, stream => "\1\x09\2text\0\1\x0a"));
	is(join(' ', map { "$_->{event} " . join ',', %{$_->{fields}} } @got), 'ctf::hi n,9 ctf::ho s,text ctf::hi n,10',
		'a file without packets is one packet (else: traces of Zephyr cannot be read)') or diag $r->{err};
	# No stream is described, and there is one event.
	($r, @got) = events(made("/* CTF 1.8 */\ntrace { major = +1; minor = 8; byte_order = le; };\nevent { name = \"one\"; fields := struct { string s; }; };\n", stream => "a\0b\0"));
	is(join(' ', map { $_->{fields}{s} } @got), 'a b', 'metadata without a stream have one all the same (else: all of its events are left out)') or diag $r->{err};
}

done_testing();
