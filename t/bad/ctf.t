# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged and hostile CTF traces: metadata and packets with wrong bytes, cut anywhere, and such as promise too much.  Whatever
# is in them, reading ends soon, in bounded memory, each message is one line that names its file, and what is intact is
# delivered.  Without it one wrong byte of a trace of LTTng ends a program, or costs intact events without a word.
#
#	TURNS=1000 prove -It/lib t/bad/ctf.t	# so many bytes of each file are changed, one at a time
#
# of: reader/ctf
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Pass;
use Run::Program;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::Ctf2 qw(ctf2_array ctf2_event ctf2_head ctf2_int ctf2_metadata ctf2_place ctf2_struct);

my $tmp = zed_tmp();
my $dirs = 0;
my $turns = $ENV{TURNS} // small(20, 120);

my $EVENTS = <<'END';
event { name = "a:tick"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };
event { name = "a:mixed"; id = 2; stream_id = 0; fields := struct {
	integer { size = 5; align = 1; signed = true; } _five; string _s; uint8_t __list_length;
	struct { uint8_t _n; string _name; } _list[ __list_length ]; enum : uint8_t { num = 0, word = 1 ... 9 } _tag;
	variant <_tag> { uint32_t num; string word; } _v; }; };
END
my $HEAD = ctf_head(with => "\tevent.context := struct { uint32_t _vtid; };") . $EVENTS;

sub tick { my ($n) = @_; return [1, 100 * $n, sub { $_[0]->int(77, 32)->int($n, 32) }] }

sub mixed {
	my ($n) = @_;
	return [2, 100 * $n, sub {
		$_[0]->int(77, 32)->int(-3, 5)->string("text $n")->int(2, 8)->int(1, 8)->string('one')->int(2, 8)->string('')->int(1, 8)->string('w');
	}];
}

sub packet { my ($k, @n) = @_; return { begin => 100 * $n[0], end => 100 * $n[-1] + 50, number => $k, size => 4096, events => [map { $_ % 2 ? mixed($_) : tick($_) } @n] } }

my %data = (chan_0 => ctf_packets({}, packet(0, 1 .. 20), packet(1, 21 .. 40)), chan_1 => ctf_packets({}, packet(0, 11 .. 30), packet(1, 31 .. 50)));
my $whole = zed_run('zedprint', ctf_write("$tmp/whole", $HEAD, %data));
is("$whole->{exit} $whole->{err}", '0 ', 'the sound trace');
my $events = () = $whole->{out} =~ /^a::/mg;
is($events, 80, '... has all of its events');

# The same in CTF 2.
my ($u8, $text) = (ctf2_int({}, 8), { type => 'null-terminated-string' });
my @head2 = ctf2_head({});
$head2[-1]{'event-record-common-context-field-class'} = ctf2_struct(vtid => ctf2_int({}, 32));
my $HEAD2 = ctf2_metadata(@head2, ctf2_event(1, 'a:tick', ctf2_struct(n => ctf2_int({}, 32))), ctf2_event(2, 'a:mixed', ctf2_struct(
		five => ctf2_int({}, -5), s => $text, _list_length => $u8,
		list => ctf2_array(ctf2_struct(n => $u8, name => $text), 'length-field-location' => { path => ['_list_length'] }),
		tag => ctf2_int({}, 8, mappings => { num => [[0, 0]], word => [[1, 9]] }),
		v => { type => 'variant', 'selector-field-location' => ctf2_place({}, 'event-record-payload', 'tag'), options => [
				{ name => 'num', 'field-class' => ctf2_int({}, 32), 'selector-field-ranges' => [[0, 0]] },
				{ name => 'word', 'field-class' => $text, 'selector-field-ranges' => [[1, 9]] }] })));
my $whole2 = zed_run('zedprint', ctf_write("$tmp/whole2", $HEAD2, %data));
is("$whole2->{exit} $whole2->{err}", '0 ', 'the sound trace in CTF 2');
is($whole2->{out}, $whole->{out}, '... has the same events (else: the two languages are understood differently)');

# Print a trace of these files; true if the run ended as it may.
sub sane {
	my ($what, $metadata, %files) = @_;
	my $dir = ctf_write("$tmp/" . ++$dirs, $metadata, %files);
	my $r = zed_run({ time => 20, memory => 400_000 }, 'zedprint', $dir);
	my $ok = !$r->{late} && !$r->{signal} && $r->{exit} <= 2 && !grep { !/^zedprint: \Q$dir\E/ && !/^zedprint: / } @{$r->{lines}};
	system 'rm', '-rf', $dir;
	if (!$ok) {
		fail($what);
		diag("exit $r->{exit}, late " . ($r->{late} // 0) . "\n", substr $r->{err}, 0, 1000);
	}
	return $r;
}

# ---------------------------------------------------------------- a stream that is not described

{
	my $bytes = $data{chan_0};
	substr $bytes, 4096 + 20, 4, pack 'V', 77;	# of the last packet
	my $r = sane('a last packet of another stream', $HEAD, chan_0 => $bytes);
	is(scalar(() = $r->{out} =~ /^a::/mg), 20, 'a last packet of a stream that is not described: the others are read (else: a crash)');
	like($r->{err}, qr/a packet is of stream 77, which the metadata do not describe/, '... and that is said');
}

# ---------------------------------------------------------------- wrong bytes, cuts

srand($ENV{SEED} // 20261127);
my ($bad, $silent) = (0, 0);
for (1 .. $turns) {
	my %files = %data;
	my $at = int rand length $files{chan_0};
	substr($files{chan_0}, $at, 1) = chr(ord(substr $files{chan_0}, $at, 1) ^ 1 << int rand 8);
	my $r = sane("byte $at of chan_0", $HEAD, %files);
	my $intact = () = $r->{out} =~ /^a::/mg;
	# The other file has 40 events; the other packet of this one 20.
	$bad++ if $intact < 60 && $r->{exit} == 0;
	$silent++ if $intact < 40;
}
is($bad, 0, "$turns wrong bytes in packets: what is lost is said (else: events are missing in silence)");
is($silent, 0, '... and the events of the other file are there');
for (1 .. $turns) {
	my $text = $HEAD;
	my $at = int rand length $text;
	substr($text, $at, 1) = chr(32 + int rand 96);
	sane("byte $at of the metadata", $text, %data);
}
pass("$turns wrong bytes in metadata: each run ends as it may");
my @marks = split //, '0123456789"{}[],:-.\\x';
for (1 .. $turns) {
	my $json = $HEAD2;
	my $at = int rand length $json;
	substr($json, $at, 1) = $marks[rand @marks];
	sane("byte $at of the metadata of CTF 2", $json, %data);
	sane("metadata of CTF 2 cut after $at bytes", substr($HEAD2, 0, $at), %data);
}
pass("$turns wrong bytes in metadata of CTF 2: each run ends as it may");
for (1 .. $turns / 4) {
	my %files = %data;
	my $n = int rand length $files{chan_1};
	my $r = sane("chan_1 cut after $n bytes", $HEAD, %files, chan_1 => substr $files{chan_1}, 0, $n);
	my $got = () = $r->{out} =~ /^a::/mg;
	cmp_ok($got, '>=', 40 + ($n >= 4096 ? 20 : 0), "chan_1 cut after $n bytes: what is whole is read") if $got < 80 && $n;
	isnt($r->{exit}, 0, '... and the exit status says that something is missing') if $n % 4096;
	sane("metadata cut after $n bytes", substr($HEAD, 0, $n), %data);
}

# ---------------------------------------------------------------- a file that is gone

{
	my $dir = ctf_write("$tmp/gone", $HEAD, chan_0 => $data{chan_0});
	ctf_write("$dir/index", '', 'chan_0.idx' => 'x', 'chan_1.idx' => 'x');
	my $r = zed_run('zedprint', $dir);
	like($r->{err}, qr{gone/chan_1: is missing, and index/chan_1.idx has it}, 'a file that only the index has is named (else: a part is taken for the whole)');
	is($r->{exit}, 1, '... and the exit status says so');
	unlike($r->{err}, qr/chan_0/, '... and no other file');
}

# ---------------------------------------------------------------- what promises too much

# Metadata for one event with FIELDS, and its payload.
sub promise {
	my ($what, $fields, $payload, $said) = @_;
	my $text = ctf_head() . "event { name = \"p:romise\"; id = 1; stream_id = 0; fields := $fields; };\n";
	my $r = sane($what, $text, chan_0 => ctf_packets({}, { begin => 1, end => 9, events => [[1, 5, $payload]] }));
	like($r->{err}, $said, "$what: the message says so");
	return isnt($r->{exit}, 0, '... and the exit status');
}
my $huge = sub { $_[0]->int(0xffff_ffff, 32)->int(1, 8) };
promise('a sequence of 4 billion', 'struct { uint32_t _n; uint8_t _s[ _n ]; }', $huge, qr/event p::romise: s: \d+ items/);
promise('a sequence of 100,000 structures without a bit', 'struct { uint32_t _n; struct { struct { } _a[1000]; } _s[ _n ]; }',
	sub { $_[0]->int(100_000, 32) }, qr/more than \d+ items/);
promise('an array of 4 billion', 'struct { uint8_t _s[4000000000]; }', $huge, qr/an array of 4000000000 items/);
promise('a variant that selects nothing', 'struct { enum : uint8_t { a = 0 } _t; variant <_t> { uint8_t a; } _v; }',
	sub { $_[0]->int(7, 8) }, qr/event p::romise: v: 7 selects none of its options/);
promise('a string without an end', 'struct { string _s; }', sub { $_[0]->int(65, 8) }, qr/a string has no end/);
my $deep = ('struct { ' x 40) . 'uint8_t _x; ' . (join ' ', map { "} _y$_;" } 1 .. 39) . ' }';
promise('40 structures in each other', $deep, $huge, qr/more than 32 types are in each other/);
my $double = join '', map { "struct s$_ { struct s" . ($_ - 1) . " _a; struct s" . ($_ - 1) . " _b; };\n" } 1 .. 30;
my $r = sane('30 structures, each twice in the next one', ctf_head() . "struct s0 { uint8_t _x; };\n$double"
	. "event { name = \"p:q\"; id = 1; stream_id = 0; fields := struct s30; };\n", chan_0 => $data{chan_0});
like($r->{err}, qr/more than 65536 fields are in one event|with it a record has more than/, 'a billion fields in a page of text: the message says so');

my $many = join '', map { "event { name = \"p:q$_\"; id = $_; stream_id = 0; fields := struct s14; };\n" } 1 .. 300;
$r = sane('300 events of 16,384 fields', ctf_head() . "struct s0 { uint8_t _x; };\n$double$many", chan_0 => $data{chan_0});
like($r->{err}, qr/with it events have more fields and labels than metadata of that size can need/, '300 events of 16,384 fields: the message says so (else: a page of text takes gigabytes)');
my $chain = join '', map { "struct s$_ { struct s" . ($_ - 1) . " _a; };\n" } 1 .. 900;
$r = sane('900 structures, each in the next one', ctf_head() . "struct s0 { uint8_t _x; };\n$chain"
	. "event { name = \"p:q\"; id = 1; stream_id = 0; fields := struct s900; };\n", chan_0 => $data{chan_0});
like($r->{err}, qr/more than 32 types are in each other/, '900 structures, each in the next one by its name: the message says so (else: such a text overflows the stack)');

# What a packet says of itself.
for (['a size of 0', 32 + 128 + 32 + 64 * 2 + 64, 0], ['a size beyond the file', 32 + 128 + 32 + 64 * 3, 1 << 40], ['contents longer than itself', 32 + 128 + 32 + 64 * 2, 1 << 30]) {
	my ($what, $bit, $value) = @$_;
	my %files = %data;
	substr($files{chan_0}, $bit / 8, 8) = pack 'Q<', $value;
	my $run = sane("a packet with $what", $HEAD, %files);
	isnt($run->{exit}, 0, "a packet with $what: the exit status says so");
	my $got = () = $run->{out} =~ /^a::/mg;
	cmp_ok($got, '>=', 40, '... and the other file is read');
}

done_testing();
