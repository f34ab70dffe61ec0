# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF 2, made, in the dialect of the specification 2.0 and in that of its release candidates: all classes of fields in both byte
# orders, roles, places of fields, clocks; metadata with mistakes.  Without it a trace of LTTng 2.14 or of babeltrace2 2.1 is
# read wrongly, and nobody knows.
#
# of: reader/ctf/metadata
use strict;
use warnings;
no warnings 'portable';
use Encode ();
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program;
use Write::Ctf qw(ctf_packets ctf_write);
use Write::Ctf2 qw(ctf2_array ctf2_event ctf2_head ctf2_int ctf2_metadata ctf2_place ctf2_struct);

my $tmp = zed_tmp();
my $dirs = 0;
my $json = JSON::PP->new->utf8;

sub made { my ($metadata, %files) = @_; return ctf_write("$tmp/" . ++$dirs, $metadata, %files) }

# The events of DIR, decoded, and the run.
sub events {
	my ($dir, @args) = @_;
	my $r = zed_run('zedprint', '-f', 'json', @args, $dir);
	return ($r, map { $json->decode($_) } split /\n/, $r->{out});
}

# ---------------------------------------------------------------- all classes

sub all_classes {
	my ($o) = @_;
	my $int = sub { ctf2_int($o, @_) };
	my $here = sub { ctf2_place($o, 'event-record-payload', @_) };
	my $other = $o->{big} ? 'little-endian' : 'big-endian';
	my %order = ('byte-order' => $o->{big} ? 'big-endian' : 'little-endian');
	my $option = sub { my ($class, $ranges, @name) = @_; return { @name ? (name => @name) : (), 'field-class' => $class, 'selector-field-ranges' => $ranges } };
	my $aligned = ctf2_struct(x => $int->(8), in => ctf2_struct(y => $int->(16)));
	$aligned->{'minimum-alignment'} = 32;
	return ctf2_struct(
		three => $int->(-3), thirteen => $int->(13), wide => $int->(-64), largest => $int->(64),
		other => $int->(-24, 'byte-order' => $other), aligned => $int->(-16, alignment => 16),
		reversed => $int->(12, 'bit-order' => $o->{big} ? 'first-to-last' : 'last-to-first'),
		usual => $int->(4, 'bit-order' => $o->{big} ? 'last-to-first' : 'first-to-last'),
		bits => { type => 'fixed-length-bit-array', length => 5, %order },
		flags => { type => 'fixed-length-bit-map', length => 3, %order, flags => { one => [[0, 0]], rest => [[1, 2]] } },
		yes => { type => 'fixed-length-boolean', length => 8, alignment => 8, %order }, no => { type => 'fixed-length-boolean', length => 8, alignment => 8, %order },
		(map { ("f$_" => { type => 'fixed-length-floating-point-number', length => $_, alignment => 8, %order }) } 16, 32, 64),
		least => { type => 'fixed-length-floating-point-number', length => 16, alignment => 8, %order },
		leb => { type => 'variable-length-unsigned-integer' }, sleb => { type => 'variable-length-signed-integer' },
		text => { type => 'null-terminated-string' },
		wide_le => { type => 'null-terminated-string', encoding => 'utf-16le' }, wide_be => { type => 'null-terminated-string', encoding => 'utf-32be' },
		fixed => { type => 'static-length-string', length => 6 }, fixed_wide => { type => 'static-length-string', length => 8, encoding => 'utf-16be' },
		n => $int->(8),
		counted => { type => 'dynamic-length-string', 'length-field-location' => $here->('n') },
		counted_wide => { type => 'dynamic-length-string', 'length-field-location' => $here->('n'), encoding => 'utf-16le' },
		blob => { type => 'static-length-blob', length => 3 },
		bytes => { type => 'dynamic-length-blob', 'length-field-location' => $here->('n') },
		label => $int->(8, mappings => { few => [[2, 4]], 'many more' => [[7, 7], [100, 200]] }),
		huge => $int->(64, mappings => { 'nearly all' => [[18446744073709551614, 18446744073709551615]], none => [[0, 0]] }),
		below => $int->(-8, mappings => { 'less than 0' => [[-128, -1]] }),
		st => $aligned,
		array => ctf2_array(ctf2_array($int->(16), length => 2), length => 2),
		lines => ctf2_array(ctf2_struct(len => $int->(8),
				words => ctf2_array($int->(16), 'length-field-location' => $o->{rc} ? $here->('lines', 'len') : { path => ['len'] }),
				again => ctf2_array($int->(8), 'length-field-location' => $here->('lines', 'len')),
				deep => ctf2_struct(m => ctf2_array($int->(8), 'length-field-location' => $o->{rc} ? $here->('lines', 'len') : { path => [undef, 'len'] }))),
			'length-field-location' => $here->('n')),
		tag => $int->(-8),
		variant => { type => 'variant', 'selector-field-location' => $here->('tag'), options => [
			$option->($int->(32), [[-5, 5]], 'num'), $option->({ type => 'null-terminated-string' }, [[-128, -100], [6, 100]])] },
		if_yes => { type => 'optional', 'selector-field-location' => $here->('yes'), 'field-class' => $int->(16) },
		if_no => { type => 'optional', 'selector-field-location' => $here->('no'), 'field-class' => $int->(16) },
		if_tag => { type => 'optional', 'selector-field-location' => $here->('tag'), 'selector-field-ranges' => [[-1, 3]], 'field-class' => { type => 'null-terminated-string' } },
		last => $int->(8));
}

# The N bits of V in the other order.
sub other_way { my ($v, $n) = @_; return oct '0b' . reverse sprintf "%0${n}b", $v }

# The payload with tag TAG in the bits of W.
sub payload {
	my ($w, $tag) = @_;
	$w->align(32)->int(-2, 3)->int(4097, 13)->int(-5, 64)->int(18446744073709551615, 64)->int(-70_000, 24, 8, !$w->{big})->int(-300, 16, 16);
	$w->int(other_way(0x5a3, 12), 12)->int(9, 4)->int(19, 5)->int(6, 3)->int(4, 8)->int(0, 8);
	$w->int(0xbe00, 16)->float(1.5)->double(-0.1)->int(0x0001, 16);
	$w->leb(18446744073709551615)->leb(-129, 1)->string('a string');
	$w->bytes(Encode::encode('UTF-16LE', "h\x{e9}\x{1f600}\0"))->bytes(Encode::encode('UTF-32BE', "\x{20ac}5\0"));
	$w->bytes("text\0\0")->bytes(Encode::encode('UTF-16BE', "ab\0\0"));
	$w->int(2, 8)->bytes('xy')->bytes(Encode::encode('UTF-16LE', 'z'))->bytes("\1\2\xff")->bytes("\xaa\xbb");
	$w->int(150, 8)->int(18446744073709551615, 64)->int(-3, 8);
	$w->align(32)->int(9, 8)->int(513, 16);
	$w->int($_, 16) for 1 .. 4;
	$w->int(1, 8)->int(700, 16)->int(7, 8)->int(70, 8);
	$w->int(2, 8)->int(800, 16)->int(801, 16)->int(8, 8)->int(9, 8)->int(80, 8)->int(81, 8);
	$w->int($tag, 8);
	$tag >= -5 && $tag <= 5 ? $w->int(99, 32) : $w->string('word');
	$w->int(1234, 16);
	$w->string('there') if $tag >= -1 && $tag <= 3;
	$w->int(42, 8);
	return;
}
my %want = (three => -2, thirteen => 4097, wide => -5, largest => 18446744073709551615, other => -70_000, aligned => -300, reversed => 0x5a3, usual => 9,
	bits => 19, flags => 6, yes => 1, no => 0, f16 => -1.5, f32 => 1.5, f64 => -0.1, leb => 18446744073709551615, sleb => -129,
	text => 'a string', wide_le => "h\x{e9}\x{1f600}", wide_be => "\x{20ac}5", fixed => 'text', fixed_wide => 'ab', n => 2, counted => 'xy', counted_wide => 'z',
	blob => '0102ff', bytes => 'aabb', label => 'many more', huge => 'nearly all', below => 'less than 0', st => { x => 9, in => { y => 513 } },
	array => [[1, 2], [3, 4]], lines => [{ len => 1, words => [700], again => '07', deep => { m => '46' } },
		{ len => 2, words => [800, 801], again => '0809', deep => { m => '5051' } }], if_yes => [1234], if_no => [], last => 42);

for my $o ({}, { big => 1 }, { rc => 1 }, { big => 1, rc => 1 }) {
	my $what = ($o->{rc} ? 'release candidate' : '2.0') . ', ' . ($o->{big} ? 'big endian' : 'little endian');
	my @events = ([3, 1000, sub { payload(@_, -2) }], [3, 2000, sub { payload(@_, 50) }, 'extended'], [3, 3000, sub { payload(@_, -1) }]);
	my $bytes = ctf_packets({ big => $o->{big} }, { begin => 900, end => 4000, cpu => 5, events => \@events });
	my ($r, @got) = events(made(ctf2_metadata(ctf2_head($o), ctf2_event(3, 'all:classes', all_classes($o))), chan_0 => $bytes));
	is("$r->{exit} $r->{err}", '0 ', "$what: all classes are read");
	is(scalar @got, 3, "$what: all events");
	for my $i (0 .. 2) {
		my %tag = (tag => (-2, 50, -1)[$i], variant => $i == 1 ? { num => [], _1 => ['word'] } : { num => [99], _1 => [] }, if_tag => $i == 2 ? ['there'] : []);
		my $fields = $got[$i]{fields} // {};
		cmp_ok(abs(((delete $fields->{least}) // 1) * 2**24 - 1), '<', 1e-6, "$what: the smallest number of 16 bits");
		is_deeply($fields, { %want, %tag }, "$what: each field of event $i (else: wrong values in silence)");
		is(($got[$i]{ts} // '') . ' ' . ($got[$i]{cpu} // '') . ' ' . ($got[$i]{event} // ''), 1000 * ($i + 1) . ' 5 all::classes', "$what: ... its time, CPU and name");
	}
}

# ---------------------------------------------------------------- bits with names

{
	my $map = { type => 'fixed-length-bit-map', length => 8, alignment => 8, 'byte-order' => 'little-endian', flags => { read => [[0, 0]], 'write it' => [[1, 1], [4, 5]] } };
	my $bytes = ctf_packets({}, { begin => 1, end => 99, events => [map { my $v = $_; [1, 10 + $v, sub { $_[0]->int($v, 8) }] } 0, 1, 0x21, 0x42] });
	my $dir = made(ctf2_metadata(ctf2_head({}), ctf2_event(1, 'a:open', ctf2_struct(mode => $map))), chan_0 => $bytes);
	my @names = ('0', 'read', 'read|write it', 'write it|0x40');
	is_deeply([zed_run('zedprint', $dir)->{out} =~ /mode = (.*),/g], \@names, 'text: the names of the bits that are set, as a print format shows flags (else: numbers)');
	is_deeply([zed_run('zedprint', '-f', 'report', $dir)->{out} =~ /mode=(.*)/g], \@names, '... in each form of it');
	my ($r, @got) = events($dir, '--names');
	is(join(' ', map { $_->{fields}{mode} } @got), '0 1 33 66', 'JSON: a number stays one');
	like($r->{out}, qr/"read\|write it"/, '... and has its names with --names') or diag $r->{out};
	is(zed_run('zedperl', '-MZed=handlers,a', '-e', 'sub a::open { print "$_[-1] ", Zed::flag_str("mode"), "\n" }', $dir)->{out}, join('', map { "$_\n" } '0 ', '1 read', '33 read|write it', '66 write it|0x40'),
		'a handler gets the number; Zed::flag_str its names');
	is(zed_run('zedperl', '-F', 'a:open: mode & 0x20', '-MZed=handlers,a', '-e', 'sub a::open { print "$_[-1]\n" }', $dir)->{out}, "33\n", 'a filter tests bits');
}

# ---------------------------------------------------------------- aliases, scopes, clocks

my $tick = sub { my ($n) = @_; return sub { $_[0]->int($n, 32) } };
my $TICK = ctf2_event(1, 'a:tick', ctf2_struct(n => ctf2_int({}, 32)));
{
	my @head = ctf2_head({});
	my $stream = pop @head;
	$stream->{'event-record-common-context-field-class'} = 'the context';
	my @alias = ({ type => 'field-class-alias', name => 'u8', 'field-class' => ctf2_int({}, 8) },
		{ type => 'field-class-alias', name => 'the context', 'field-class' => ctf2_struct(vtid => ctf2_int({}, 32), len => 'u8') });
	my $event = ctf2_event(2, 'b:aliased', ctf2_struct(a => 'u8', s => { type => 'dynamic-length-string',
				'length-field-location' => ctf2_place({}, 'event-record-common-context', 'len') }), 'specific-context-field-class' => ctf2_struct(own => 'u8'));
	my $bytes = ctf_packets({}, { begin => 1, end => 9, events => [[2, 5, sub { $_[0]->int(77, 32)->int(3, 8)->int(8, 8)->int(9, 8)->bytes('abc') }]] });
	my ($r, @got) = events(made(ctf2_metadata(@head, @alias, $stream, $event), chan_0 => $bytes));
	is_deeply($got[0]{fields}, { a => 9, s => 'abc', context_vtid => 77, context_len => 3, context_own => 8 },
		'aliases; a length in another scope (else: LTTng\'s metadata, which name their headers, cannot be read)') or diag $r->{err};
	is($got[0]{pid}, 77, '... and the task of the context');
}
{
	my $bytes = ctf_packets({}, { begin => 4, end => 100, events => [[1, 50, $tick->(1)]] });
	my @head = ctf2_head({ clock => { frequency => 25_000_000, 'offset-from-origin' => { seconds => 10, cycles => 25 } } });
	my ($r, @got) = events(made(ctf2_metadata(@head, $TICK), chan_0 => $bytes));
	is($got[0]{ts}, 2000, 'a clock of 25 MHz: its ticks are 40 ns') or diag $r->{err};
	($r, @got) = events(made(ctf2_metadata(@head, $TICK), chan_0 => $bytes), '--wall');
	is($got[0]{ts}, 10_000_000_000 + 1000 + 2000, '--wall: and so are those of its offset');
	# One field of a packet has two roles; stamps of 32 bits, also at the begin of packets, go on where they begin again.
	@head = ctf2_head({});
	my $class = sub { my ($n, @roles) = @_; return ctf2_int({}, $n, roles => \@roles) };
	$head[-1]{'packet-context-field-class'} = ctf2_struct(size => $class->(32, 'packet-total-length', 'packet-content-length'), at => $class->(32, 'default-clock-timestamp'));
	$head[-1]{'event-record-header-field-class'} = ctf2_struct(at => $class->(32, 'default-clock-timestamp'));
	my $packets = join '', map { my ($begin, @at) = @$_; pack 'V a16 V V V (VV)*', 0xc1fc1fc1, 'u' x 16, 0, 8 * (32 + 8 * @at), $begin, map { ($_, $_ & 7) } @at }
		[4_294_967_000, 4_294_967_001, 5], [9, 10], [4, 6];
	($r, @got) = events(made(ctf2_metadata(@head, { %$TICK, id => 0 }), chan_0 => $packets));
	my $wrap = 1 << 32;
	is(join(' ', map { $_->{ts} } @got), join(' ', 4_294_967_001, $wrap + 5, $wrap + 10, 2 * $wrap + 6), 'stamps of 32 bits in packets with two roles in one field') or diag $r->{err};
}

# ---------------------------------------------------------------- metadata with mistakes

{
	my @head = ctf2_head({});
	my $bytes = ctf_packets({}, { begin => 1, end => 9, events => [[1, 5, $tick->(6)]] });
	my $int = ctf2_int({}, 8);
	my $event = sub { return ctf2_event(9, 'x', ctf2_struct(f => @_)) };
	my $deep = $int;
	$deep = ctf2_struct(f => $deep) for 1 .. 40;
	my @chain = ({ type => 'field-class-alias', name => 'a0', 'field-class' => $int },
		map { { type => 'field-class-alias', name => "a$_", 'field-class' => ctf2_struct(f => 'a' . ($_ - 1)) } } 1 .. 900);
	for (['a type', [$event->({ type => 'nosuch' })], qr/fragment 6 \(event-record-class x\): payload-field-class: field f: type "nosuch" of fields is not known/],
		['an alias', [$event->('nosuch')], qr/class "nosuch" is not defined before it/],
		['a size', [$event->({ %$int, length => 65 })], qr/length must be 1 to 64 bits, not 65/],
		['an order', [$event->({ %$int, 'byte-order' => 'middle-endian' })], qr/byte-order must be/],
		['an alignment', [$event->({ %$int, alignment => 3 })], qr/alignment must be a power of 2/],
		['an encoding', [$event->({ type => 'null-terminated-string', encoding => 'ebcdic' })], qr/encoding "ebcdic": utf-8, /],
		['a place', [$event->(ctf2_array($int, 'length-field-location' => { origin => 'nowhere', path => ['n'] }))], qr/does not begin with the name of a scope/],
		['a length', [$event->(ctf2_array($int, 'length-field-location' => { path => ['n'] }))], qr/event x cannot be read: field f: integer "n" is not defined before it/],
		['a length further out than there is', [$event->(ctf2_array($int, 'length-field-location' => { path => [undef, undef, 'n'] }))], qr/integer "n" is not defined before it/],
		['40 structures in each other', [$event->($deep)], qr/more than 32 types are in each other/],
		['900 structures, each in the next one by its name', [@chain, $event->('a900')], qr/more than 32 types are in each other/],
		['a clock', [{ %{$head[-1]}, id => 1, 'default-clock-class-id' => 'nosuch' }], qr/clock "nosuch" is not defined before it/],
		['a stream', [$head[-1]], qr/stream 0 is described twice/]) {
		my ($what, $more, $said) = @$_;
		my $r = zed_run('zedprint', made(ctf2_metadata(@head, $TICK, @$more), chan_0 => $bytes));
		like($r->{err}, $said, "metadata with a mistake in $what: the message says where") or diag $r->{out};
		isnt($r->{exit}, 0, '... and the exit status');
	}
	for (['a cut', substr(ctf2_metadata(@head, $TICK), 0, -5), qr/metadata: offset 0x[0-9a-f]+: fragment 5: /],
		['another version', ctf2_metadata({ type => 'preamble', version => 3 }, @head[1 .. 3], $TICK), qr/version 3 of CTF is not known: 1.8 and 2 are/],
		['an extension', ctf2_metadata({ %{$head[0]}, extensions => { 'example.com,2026' => { packed => {} } } }, @head[1 .. 3], $TICK), qr/extension "example.com,2026"/],
		['no preamble', ctf2_metadata(@head[1 .. 3], $TICK), qr/do not begin with a preamble/],
		['200 arrays in each other', "\x1e{\"a\":" . '[' x 200, qr/more than 128 arrays and objects are in each other/]) {
		my ($what, $text, $said) = @$_;
		my $r = zed_run('zedprint', made($text, chan_0 => $bytes));
		like($r->{err}, $said, "metadata with $what: the message says so");
		is($r->{exit}, 2, '... and that nothing was read');
	}
	my ($r, @got) = events(made(ctf2_metadata(@head, { type => 'of the future', x => [1, { y => undef }] }, $TICK), chan_0 => $bytes));
	is(@got && $got[0]{fields}{n}, 6, 'a fragment of a type that is not known is left alone') or diag $r->{err};
}

done_testing();
