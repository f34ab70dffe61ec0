# SPDX-License-Identifier: GPL-2.0-or-later
#
# LTT traces of versions 0.4 to 0.7 and of generation 1 in every form that they can have, against the manifest
# of Write::Ltt: no trace of 0.4 to 0.7 that somebody else recorded is known, so these were written by us from
# the documents, not by the reader's author.  The real trace's events are among them, in each version.

use strict;
use warnings;
no warnings 'portable';
use Test::More;
use File::Basename ();
use lib 't/lib';
use Compare::LttDump;
use Compare::LttRead;
use Write::Ltt;
use Run::Program;

my $zedprint = zed_bin('zedprint');
my $zedperl = zed_bin('zedperl');
die "zedprint is not built: run make\n" if !-x $zedprint;
my $here = 't';
my $dirs = 0;
sub new_dir { return zed_tmp() . '/' . ++$dirs }
my $long = $ENV{ZED_SAN} ? 300 : 60;

sub same_lines {
	my ($got, $want, $name, $r) = @_;
	my ($i, $n) = (0, @$want > @$got ? scalar @$want : scalar @$got);
	$i++ while $i < $n && ($got->[$i] // '(end)') eq ($want->[$i] // '(end)');
	return pass($name) if $i == $n && @$want;
	fail($name);
	diag('line ', $i + 1, " of $n\n   got: ", $got->[$i] // '(end)', "\nwanted: ", $want->[$i] // '(end)', "\n",
		"exit $r->{exit} signal $r->{signal}: ", substr $r->{err}, 0, 1000);
	return 0;
}

# What zedprint -f json says, without what an LTT trace cannot tell (tasks).
sub json_lines {
	my ($r) = @_;
	return [map {
		/^\{"ts":(\d+),"event":"([^"]+)","cpu":(\d+),"pid":-?\d+,"comm":"[^"]*","seq":(\d+),(?:"instance":"([^"]*)",)?"fields":(.*)\}$/
			? "$2 $3 $1 $4 " . ($5 // '') . " $6" : $_ } split /\n/, $r->{out}];
}

# Write W and read it three ways.  Options: exit (0), quiet (1: not a word), wall (1: --wall too), perl (1),
# say (a pattern that the messages must match).
sub check {
	my ($what, $w, %o) = @_;
	my $dir = $w->write(new_dir());
	my $json = zed_run({ time => $long }, $zedprint, '-f', 'json', $dir);
	my @want = $w->manifest;
	my $good = same_lines(json_lines($json), [map { "$_->{event} $_->{cpu} $_->{ts} $_->{seq} $_->{instance} $_->{json}" } @want],
		"$what: zedprint (else: fields, times or sequences are misread)", $json);
	is($json->{exit}, $o{exit} // 0, "$what: exit status (else: damage and soundness are told wrongly)")
		or diag($json->{err});
	is($json->{err}, '', "$what: without a word (else: users are sent after a fault that is none)") if $o{quiet} // !$o{say};
	like($json->{err}, $o{say}, "$what: says what it met (else: users do not learn of it)") if $o{say};
	if ($o{wall} // 1) {
		my $wall = zed_run({ time => $long }, $zedprint, '-f', 'json', '--wall', $dir);
		same_lines(json_lines($wall), [map { "$_->{event} $_->{cpu} $_->{wall} $_->{seq} $_->{instance} $_->{json}" } $w->manifest(wall => 1)],
			"$what: --wall (else: the time of day is wrong)", $wall);
	}
	if ($o{perl} // 1) {
		my $perl = zed_run({ time => $long }, $zedperl, $dir, Compare::LttDump::script());
		same_lines([split /\n/, $perl->{out}], [map { "$_->{event} $_->{cpu} $_->{ts} $_->{seq} $_->{perl}" } @want],
			"$what: zedperl (else: scripts see other values)", $perl);
	}
	# Events that no handler wants are passed over by their sizes alone.
	if (my $one = $o{one}) {
		my ($system) = $one =~ m{^(\w+)::};
		my $r = zed_run({ time => $long }, $zedperl, "-MZed=handlers,$system", "-e", "sub $one { print join(' ', \$_[0], \$_[1] * 1_000_000_000 + \$_[2], \$_[3]), qq{\\n} }", $dir);
		same_lines([split /\n/, $r->{out}], [map { "$_->{cpu} $_->{ts} $_->{seq}" } grep { $_->{event} eq $one } @want],
			"$what: zedperl with a handler for $one only (else: what nobody wants is not skipped rightly)", $r);
	}
	return ($dir, $json);
}

# ---------------------------------------------------------------- the checksum

{
	my $w = Write::Ltt->new(version => '0.6', core_heartbeat => 'empty');
	is(sprintf('%08X', $w->checksum($w->{fac0})), '1A8DE486',
		'the checksum of core is that of 2006 kernels (else: Write::Ltt computes another one than the tracer)');
	$w = Write::Ltt->new(version => '0.6');
	is(sprintf('%08X', $w->checksum($w->{fac0})), '0F1C514F',
		'so is that of core with a full heartbeat (else: Write::Ltt computes another one than the tracer)');
	my @signals = map { ["SIG$_" => undef] } qw(HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM
		STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS);
	$signals[0][1] = 1;
	my ($u, $i) = ([c => 'uint'], [c => 'int']);
	my $f = $w->facility(name => 'process', id => 2, types => { signal_name => [enum => 4, @signals] }, events => [
		[fork => [parent_pid => $u, child_pid => $u, child_tgid => $u]],
		[kernel_thread => [pid => $u, function => [c => 'pointer']]], [exit => [pid => $u]],
		[wait => [parent_pid => $u, child_pid => $u]], [free => [pid => $u]],
		[kill => [pid => $u, target_pid => $u, signal => [ref => 'signal_name']]],
		[signal => [pid => $u, signal => [ref => 'signal_name']]], [wakeup => [pid => $u, state => $i]],
		[schedchange => [out => $u, in => $u, out_state => $i]]]);
	is(sprintf('%08X', $f->{sum}), '2905B6EB',
		'so is that of process (else: Write::Ltt computes another one than the tracer)');
	$w->event(0, 1_000_000 + 1000 * $_, 'process::signal', { pid => $_, signal => $signals[$_ - 1][0] })
		for 1 .. 31;
	$w->event(0, 2_000_000, 'process::kill', { pid => 1, target_pid => 2, signal => 99 });
	$w->event(0, 2_000_001, 'process::schedchange', { out => 7, in => 8, out_state => -1 });
	check('a facility of which the kernel\'s own checksum is known', $w);
}

# ---------------------------------------------------------------- every type in every form of a trace

sub every_type {
	my ($w) = @_;
	my $new = $w->{gen} eq 'new';
	my $wide = $w->{arch} == 8;
	my @words = $new ? qw(int uint char uchar short ushort long ulong size_t ssize_t off_t pointer)
		: qw(long ulong size_t ssize_t off_t pointer);
	my $colour = [enum => 4, [red => undef], [green => 7], [blue => undef]];
	my $count = $new ? [c => 'uint'] : [uint => 4];
	my $byte = [uint => 1];
	my $letter = $new ? [c => 'char'] : [int => 1];
	$w->facility(name => 'every', id => 9, types => {
		a_pair => [struct => x => [int => 4], y => [uint => 4]],
		b_colour => $colour,
		c_deep => [struct => pair => [ref => 'a_pair'], name => ['string'], colour => [ref => 'b_colour'],
			pairs => [array => 2, [ref => 'a_pair']]],
	}, events => [
		[ints => [map { ("s$_" => [int => $_], "u$_" => [uint => $_]) } 1, 2, 4, 8]],
		[words => [map { ("w_$_" => [c => $_]) } @words]],
		[sizes => [$new ? (x => [int => 4]) : map { ("s_$_" => [isize => 'int', $_], "u_$_" => [isize => 'uint', $_]) }
			qw(short medium long)]],
		[floats => [small => $byte, single => [float => 4], tiny => $byte, double => [float => 8]]],
		[text => [before => $byte, one => ['string'], between => $byte, two => ['string'], after => [uint => 2],
			last => [uint => 8]]],
		[tail => [n => [uint => 2], text => ['string']]],
		[enums => [plain => $colour, named => [ref => 'b_colour'], odd => [ref => 'b_colour']]],
		[arrays => [half => [array => 3, [uint => 2]], bytes => [array => 5, $byte], letters => [array => 6, $letter],
			signed => [array => 2, [int => 8]], colours => [array => 2, $colour],
			grid => [array => 2, [array => 3, [uint => 4]]], pairs => [array => 2, [ref => 'a_pair']],
			single => [array => 2, [float => 4]], strings => [array => 2, ['string']]]],
		[seqs => [longs => [seq => $count, [uint => 8]], x => $byte, bytes => [seq => $byte, $byte],
			words => [seq => [uint => 2], [int => 2]], y => $byte, empty => [seq => $count, [uint => 4]],
			letters => [seq => $count, $letter], strings => [seq => $count, ['string']],
			deep => [seq => $count, [struct => id => [uint => 4], name => ['string']]],
			lists => [seq => $count, [seq => $byte, [uint => 4]]], colours => [seq => $count, $colour], z => [uint => 4]]],
		[nested => [first => $byte, deep => [ref => 'c_deep'], one => [union => word => [uint => 4],
			bytes => [array => 4, $byte], single => [float => 4]], two => [union => big => [uint => 8], small => [uint => 2]],
			last => $byte, odd => [struct => small => $byte, big => [uint => 8]], end => $byte, word => [uint => 2]]],
		[none => []],
		($new ? () : [named_body => [ref => 'c_deep']]),
	], @_[1 .. $#_]);
	my $deep = sub { my ($n) = @_; return { pair => { x => -$n, y => $n }, name => 'n' x $n, colour => $n % 2 ? 'red' : 'blue',
		pairs => [{ x => 1, y => 2 }, { x => -3, y => 4 }] } };
	my $all = $wide ? 18446744073709551615 : 4294967295;
	my %word = (int => -5, uint => 4294967295, char => -3, uchar => 200, short => -300, ushort => 65535,
		long => $wide ? -9007199254740993 : -7, ulong => $all, size_t => $all - 1, ssize_t => -1, off_t => -2,
		pointer => $wide ? 0xffffffff80100000 : 0xc0100000);
	my @events = (
		[ints => { s1 => -128, u1 => 255, s2 => -2, u2 => 65535, s4 => -3, u4 => 4294967295,
			s8 => -9223372036854775807, u8 => 18446744073709551615 }],
		[words => { map { ("w_$_" => $word{$_}) } @words }],
		[sizes => $new ? { x => 1 } : { s_short => -1, u_short => 65534, s_medium => -70000, u_medium => 4000000000,
			s_long => $word{long}, u_long => $all }],
		[floats => { small => 1, single => 1.5, tiny => 2, double => -0.1 }],
		[text => { before => 1, one => 'a', between => 2, two => 'some longer text', after => 3, last => 4 }],
		[text => { before => 1, one => '', between => 2, two => 'abc', after => 3, last => 4 }],
		[tail => { n => 1, text => 'at the end' }],
		[tail => { n => 2, text => '' }],
		[enums => { plain => 'green', named => 'blue', odd => 3 }],
		[enums => { plain => 'red', named => 8, odd => 2147483648 }],
		[arrays => { half => [1, 2, 65535], bytes => [1, 0, 255, 3, 4], letters => [map { ord } split //, "ab\0cde"],
			signed => [-1, 2], colours => ['red', 9], grid => [[1, 2, 3], [4, 5, 6]],
			pairs => [{ x => -1, y => 1 }, { x => 2, y => 3 }], single => [0.25, -2], strings => ['x', 'yes']}],
		[seqs => { longs => [1, 1 << 40], x => 1, bytes => [1, 2, 3], words => [-1, 300, 3], y => 2, empty => [],
			letters => [map { ord } split //, 'word'], strings => ['', 'one', 'three'],
			deep => [{ id => 1, name => 'a' }, { id => 2, name => '' }, { id => 3, name => 'twelve bytes' }],
			lists => [[1], [], [2, 3]], colours => ['green', 'red'], z => 77 }],
		[seqs => { longs => [], x => 1, bytes => [], words => [], y => 2, empty => [], letters => [], strings => [],
			deep => [], lists => [], colours => [], z => 78 }],
		[nested => { first => 1, deep => $deep->(1), one => { word => 0x41420000 }, two => { small => 513 }, last => 2,
			odd => { small => 1, big => 2 }, end => 4, word => 5 }],
		[nested => { first => 1, deep => $deep->(6), one => { single => -1.5 }, two => { big => 1 << 50 }, last => 2,
			odd => { small => 255, big => 1 << 63 }, end => 1, word => 65535 }],
		[none => {}],
		($new ? () : [named_body => $deep->(3)]),
	);
	my $at = $w->{start_tsc};
	for my $round (1 .. 3) {
		for my $cpu (0, 1) {
			my $tsc = $at + 1000 * $round + 100_000 * $cpu;
			$w->event($cpu, $tsc += 50_000, "every::$_->[0]", $_->[1]) for @events;
		}
		$at += 2_000_000;
	}
	return $w;
}

my @forms;
for my $version ('0.4', '0.5', '0.6', '0.7') {
	for my $big (0, 1) {
		for my $arch (4, 8) {
			for my $heartbeat (1, 0) {
				push @forms, [$version, $big, $arch, $heartbeat, $_]
					for $version le '0.5' ? 0 : $heartbeat ? (0, $arch, 1) : (0, $arch);
			}
		}
	}
}
push @forms, ['0.6', 0, 8, 1, 4], ['0.6', 1, 4, 1, 2];
my ($turn, %fully) = (0);
for (@forms) {
	my ($version, $big, $arch, $heartbeat, $align) = @$_;
	my $what = "$version, " . ($big ? 'big' : 'little') . "-endian, $arch bytes, " .
		($heartbeat ? '32' : '64') . "-bit stamps, aligned to $align";
	my %style = $version le '0.5' ? (types_last => $turn % 2, quote => 0) : (quote => $turn % 2, slash => $turn % 3 != 0);
	my $w = Write::Ltt->new(version => $version, big => $big, arch => $arch, heartbeat => $heartbeat, align => $align,
		xml => { %style, comment => $turn % 2, flags => $turn % 4 == 1, say => $turn % 5 != 0 });
	# Each reads the same bytes: of each version and word size one with --wall is enough.
	check($what, every_type($w), wall => !$fully{"$version $arch"}++, $align == 1 ? (say => qr/has_alignment/) : ());
	$turn++;
}

# ---------------------------------------------------------------- time

sub ticks {
	my (%o) = @_;
	my $w = Write::Ltt->new(%o);
	$w->facility(name => 'mini', id => 4, events => [[tick => [n => [uint => 4]]], [text => [s => ['string']]]]);
	return $w;
}

for my $version ('0.4', '0.6', '0.7') {
	my $w = ticks(version => $version, start_tsc => 0x1_f000_0000);
	my ($tsc, $n) = (0x1_f000_0000, 0);
	for my $step (0, 0, 1, 0x0fff_fffe, 1, 1, 0xffff_fffe, 0xffff_ffff, 5, 0x8000_0000, 0x8000_0000) {
		$w->event(0, $tsc += $step, 'mini::tick', { n => ++$n });
	}
	$w->event(0, $tsc += 0xffff_ffff, 'mini::text', { s => 'x' }) for 1 .. 3;
	$w->event(0, $tsc += 7, 'mini::tick', { n => 99 });
	check("$version: wraps inside a block, of each kind, and none where the stamp is equal", $w, one => 'mini::tick');

	$w = ticks(version => $version, start_tsc => 5);
	$tsc = 5;
	for my $n (1 .. 12) {
		$w->event(0, $tsc += 0x4000_0001, 'mini::tick', { n => $n });
		$w->block(0) if $n % 3 == 0;
		$tsc += 0x1_2345_6789 * ($n % 2) if $n % 3 == 0;
	}
	check("$version: wraps between blocks, more than one at a time", $w);

	$w = ticks(version => $version, start_tsc => 1 << 62, freq => 3_000_000);
	$w->event(0, (1 << 62) + $_, 'mini::tick', { n => $_ & 0xffffffff }) for 0, 1, 2, 1 << 31, 1 << 33;
	check("$version: counters of 63 bits (else: products overflow or lose digits)", $w) if !$w->{heartbeat};
	$w = ticks(version => $version, start_tsc => 1 << 62, freq => 3_000_000, heartbeat => 0);
	$w->event(0, (1 << 62) + $_, 'mini::tick', { n => $_ & 0xffffffff }) for 0, 1, 2, 1 << 31, 1 << 33, (1 << 60) + 1;
	check("$version: counters of 63 bits, whole stamps (else: products overflow or lose digits)", $w);

	$w = ticks(version => $version, start_tsc => 10_000_000, start => [1_136_073_600, 999_999]);
	$w->event($_ % 2, 10_000_000 + $_ * 350_797, 'mini::tick', { n => $_ }) for 0 .. 4;
	$w->event(1, 20_000_000, 'mini::tick', { n => 1 });
	$w->event(0, 20_000_000, 'mini::tick', { n => 2 });
	$w->event(0, 20_000_000, 'mini::tick', { n => 3 });
	check("$version: equal times go by CPU, then by place; microseconds are not nanoseconds", $w);
}
{
	my $w = ticks(version => '0.6', start_tsc => 5_000_000);
	$w->event(0, $_, 'mini::tick', { n => 1 }) for 4_000_000, 4_999_999, 5_000_000, 5_000_001;
	check('events of before the trace was started', $w);
}
for ([1, 350_797_000], [1000, 350_797], [1_000_000, 351], [7, 12_345_678]) {
	my ($scale, $freq) = @$_;
	my $w = ticks(version => '0.7', freq => $freq, freq_scale => $scale);
	$w->event(0, 1_000_000 + 12_345_678 * $_, 'mini::tick', { n => $_ }) for 0 .. 9;
	check("0.7: frequency $freq in units of $scale", $w);
}

# Without a counter there are microseconds since the block's begin, whatever has_heartbeat says.
for my $heartbeat (0, 1) {
	my $w = ticks(version => '0.6', has_tsc => 0, heartbeat => $heartbeat);
	$w->block(0, time => [1_130_000_200, 5]);
	$w->event(0, $_, 'mini::tick', { n => $_ }, us => 10 * $_) for 1 .. 5;
	$w->block(0, time => [1_130_000_300, 999_999]);
	$w->event(0, $_, 'mini::tick', { n => $_ }, us => 10 * $_) for 6 .. 9;
	my $dir = $w->write(new_dir());
	my $json = zed_run($zedprint, '-f', 'json', $dir);
	my @want = map { "$_->{event} $_->{cpu} $_->{ts} $_->{seq} $_->{instance} $_->{json}" } $w->manifest;
	ok($json->{exit} == 2 && $json->{out} eq '' && $json->{err} =~ /TSC|counter/i || "@{json_lines($json)}" eq "@want",
		"no counter, has_heartbeat $heartbeat: read, or refused with the reason (else: times are nonsense)")
		or diag($json->{out}, $json->{err}, "wanted @want");
}

# ---------------------------------------------------------------- blocks

for my $version ('0.4', '0.5', '0.6', '0.7') {
	# As many events of 12 bytes as fill a block to its last byte: lost_size is 0.
	my $w = ticks(version => $version, big => 1);
	$w->{buf_size} = $w->header_size + 12 * 20;
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::tick', { n => $_ }) for 1 .. 50;
	$w->{files}{'control/facilities'} = {};
	$w->event({ group => 'control/facilities', cpu => 0 }, 1_000_000, 'core::facility_load', { name => 'mini',
		checksum => $w->checksum($w->{order}[0]), id => 4, int_size => 4, long_size => 4, pointer_size => 4,
		size_t_size => 4, has_alignment => 0 });
	check("$version: blocks that are full to the last byte", $w);

	$w = ticks(version => $version);
	$w->block(0) for 1 .. 2;
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::tick', { n => $_ }) for 1 .. 3;
	$w->block(0) for 1 .. 3;
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::tick', { n => $_ }) for 4 .. 6;
	$w->block(0);
	check("$version: empty blocks at the beginning, between and at the end", $w);

	$w = ticks(version => $version);
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::tick', { n => $_ }) for 1 .. 3;
	$w->block(0, open => 1);
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::text', { s => "n $_" }) for 4 .. 6;
	check("$version: a last block that nobody closed", $w, exit => 0, say => qr/cpu_0.*never closed/);

	$w = ticks(version => $version, flight => 1);
	$w->block(0, open => 1, tail => "\xa5" x 500);
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::text', { s => "n $_" }) for 4 .. 6;
	$w->block(0);
	$w->event(0, 1_000_000 + 1000 * $_, 'mini::tick', { n => $_ }) for 7 .. 9;
	check("$version: one with old bytes behind its events, before a sound one", $w, exit => 0,
		say => qr/cpu_0.*never closed/);
}

{
	# A flight recorder goes round: behind its last event are whole ones of the lap before, whose stamps are older.
	my $w = ticks(version => '0.6', heartbeat => 0, flight => 1, start_tsc => 1 << 33);
	my $old = join '', map { pack('Q<CCS<L<', (1 << 33) + 5 * $_, 4, 0, 4, 99) } 1 .. 20;
	$w->block(0, open => 1, tail => $old);
	$w->event(0, (1 << 33) + 1_000_000 + 1000 * $_, 'mini::tick', { n => $_ }) for 1 .. 9;
	check('events of the lap before, behind the last one of a block that nobody closed', $w, exit => 0, say => qr/cpu_0.*never closed/);
}

# ---------------------------------------------------------------- sizes of events

for my $align (0, 4) {
	my $w = ticks(version => '0.6', align => $align, buf_size => 262_144);
	$w->facility(name => 'huge', id => 5, events => [[bytes => [all => [seq => [c => 'uint'], [c => 'uchar']], n => [uint => 4]]],
		[text => [s => ['string']]]]);
	$w->event(0, 1_001_000, 'mini::text', { s => 'of unknown size' }, size => 0xffff);
	$w->event(0, 1_002_000, 'mini::tick', { n => 1 });
	$w->event(0, 1_003_000, 'huge::bytes', { all => 'x' x 70_000, n => 7 });
	$w->event(0, 1_004_000, 'huge::text', { s => 'y' x 66_001 });
	$w->event(0, 1_005_000, 'mini::tick', { n => 2 }, size => 0xffff);
	$w->event(0, 1_006_000, 'mini::tick', { n => 3 });
	check("sizes of 0xFFFF are computed from the type, aligned to $align", $w, one => 'mini::tick');

	$w = ticks(version => '0.6', align => $align);
	$w->event(0, 1_001_000, 'mini::tick', { n => 1 });
	$w->event(0, 1_002_000, 'mini::tick', { n => 2 }, payload => pack('V', 2) . 'grown up');
	$w->event(0, 1_003_000, 'mini::tick', { n => 3 }, payload => pack('V', 3) . 'grown up');
	$w->event(0, 1_004_000, 'mini::tick', { n => 4 });
	my (undef, $r) = check("a size that is larger than the type's is believed, aligned to $align", $w, exit => 0,
		say => qr/mini::tick/);
	is(scalar(() = $r->{err} =~ /mini::tick/g), 1, 'and told once (else: a message for each event)');
}

# ---------------------------------------------------------------- facilities

{
	my $w = ticks(version => '0.6');
	$w->facility(name => 'lost', id => 11, described => 0, events => [[gone => [n => [uint => 4]]]]);
	for my $n (1 .. 4) {
		$w->event(0, 1_000_000 + 1000 * $n, 'mini::tick', { n => $n });
		$w->event(0, 1_000_100 + 1000 * $n, '?', undef, facility => 200, id => 3, payload => 'x' x (7 * $n), lost => 1);
		$w->event(0, 1_000_200 + 1000 * $n, 'lost::gone', { n => $n }, lost => 1);
		$w->event(0, 1_000_300 + 1000 * $n, '?', undef, facility => 4, id => 77, payload => 'abc', lost => 1);
	}
	my ($dir, $r) = check('facilities and events that nobody describes are skipped by their size', $w, exit => 1,
		say => qr/200/);
	is(scalar(() = $r->{err} =~ /^.*\blost\b.*$/mg), 1, 'the facility without a description is told once (else: for each event)')
		or diag($r->{err});
	like($r->{err}, qr/lost/, 'by its name (else: users cannot look for its file)');
}
{
	# A module was changed and loaded again: one name, two descriptions, both in one file.
	my $w = ticks(version => '0.6');
	my $one = $w->facility(name => 'mod', id => 20, events => [[hit => [n => [uint => 4]]]]);
	my $two = $w->facility(name => 'mod', id => 21, events => [[hit => [s => ['string'], n => [uint => 2]]], [miss => []]],
		load => 'state_dump_facility_load', cpu => 1);
	isnt($one->{sum}, $two->{sum}, 'their checksums differ (else: nothing tells them apart)');
	for my $n (1 .. 3) {
		$w->event(0, 1_000_000 + 1000 * $n, 'mod::hit', { n => $n }, in => $one);
		$w->event(1, 1_000_500 + 1000 * $n, 'mod::hit', { s => "text $n", n => 10 * $n }, in => $two);
		$w->event(1, 1_000_600 + 1000 * $n, 'mod::miss', {}, in => $two);
	}
	check('one name, two checksums: each event by its own description; loads of all CPUs count', $w);
}
{
	my $w = ticks(version => '0.7');
	$w->facility(name => 'edited', id => 22, checksum => 0x12345678, events => [[hit => [n => [uint => 4]]]]);
	$w->event(0, 1_001_000, 'edited::hit', { n => 5 });
	$w->event(0, 1_002_000, 'edited::hit', { n => 6 });
	check('another checksum than told: the only candidate is used, and that is said', $w, say => qr/edited.*(?:checksum|12345678)/i);
}
{
	my $w = ticks(version => '0.6');
	my $again = { name => 'mini', checksum => 1, id => 4, int_size => 8, long_size => 8, pointer_size => 8, size_t_size => 8,
		has_alignment => 8 };
	$w->event({ group => 'control/facilities', cpu => 0 }, 1_000_500, 'core::facility_load', { %$again, name => 'other' });
	$w->event({ group => 'control/facilities', cpu => 0 }, 1_000_600, 'core::facility_unload', { id => 4 });
	$w->event({ group => 'control/facilities', cpu => 0 }, 1_000_700, 'core::time_heartbeat',
		{ timestamp => { seconds => 1, nanoseconds => 2, cycle_count => 3 } });
	$w->event(0, 1_001_000 + $_, 'mini::tick', { n => $_ }) for 1 .. 5;
	check('a second load of an id and an unload change nothing', $w, quiet => 0);
}
for ([1, 'i386'], [2, 'ppc'], [6, 'arm'], [7, 'ppc64'], [8, 'x86_64']) {
	my ($type, $name) = @$_;
	my $w = ticks(version => '0.6', arch_type => $type);
	$w->facility(name => 'kernel_arch', id => 6, file => "kernel_arch_$name", events => [[call => [n => [uint => 4]]]]);
	$w->event(0, 1_001_000 + $_, 'kernel_arch::call', { n => $_ }) for 1 .. 3;
	check("the facility kernel_arch of $name is found in kernel_arch_$name.xml", $w, wall => 0, perl => 0);
}
for my $version ('0.4', '0.6') {
	for my $style ({ slips => 1 }, { upper => 1, comment => 1 }, { quote => 1 }, { format => 1, flags => 1 }, { say => 0 },
		$version eq '0.4' ? { lengthsize => 1 } : { slash => 0 }) {
		my $w = Write::Ltt->new(version => $version, xml => $style);
		check("$version: a description's text with @{[%$style]}", every_type($w), wall => 0, perl => 0);
	}
}
{
	my $w = ticks(version => '0.6', core_heartbeat => 'empty');
	$w->event(0, 1_001_000 + 1000 * $_, $_ % 2 ? 'mini::tick' : 'core::time_heartbeat', { n => $_ }) for 1 .. 6;
	my $dir = $w->write(new_dir());
	my $r = zed_run($zedprint, '-f', 'json', $dir);
	is(scalar(() = $r->{out} =~ /"event":"core::time_heartbeat"/g), 3, 'heartbeats without a payload (else: 0.7 ends at the first)')
		or diag($r->{out}, $r->{err});
	is(scalar(() = $r->{out} =~ /"event":"mini::tick"/g), 3, 'and what stands behind them (else: 0.7 ends at the first)');
	$w = ticks(version => '0.6');
	$w->event(0, 1_001_000 + 1000 * $_, $_ % 2 ? 'mini::tick' : 'core::time_heartbeat',
		{ n => $_, timestamp => { seconds => 12, nanoseconds => $_, cycle_count => 1 << 40 } }) for 1 .. 6;
	check('heartbeats with one', $w);
}

# ---------------------------------------------------------------- files

{
	my $w = ticks(version => '0.6');
	for my $cpu (0, 2, 5, 11) {
		$w->event($cpu, 1_000_000 + 100 * $_ + $cpu, 'mini::tick', { n => $_ }) for 1 .. 3;
	}
	$w->event({ cpu => $_, group => 'flight-cpu' }, 1_000_150 + $_, 'mini::text', { s => "flight $_" }) for 0, 2;
	$w->{extra} = { '.hidden_0' => 'x' x 9000, 'eventdefs/junk_1' => 'y' x 9000, 'notes.txt' => "nothing\n", 'empty_7' => '' };
	check('CPUs with gaps in their numbers, flight recorder files, and files that are none', $w, quiet => 0);
}
{
	my $w = ticks(version => '0.6');
	$w->event(0, 1_000_000 + 100 * $_, 'mini::tick', { n => $_ }) for 1 .. 3;
	$w->{extra} = { 'cpu_1' => 'no trace at all ' x 600 };
	check('a file with another magic is passed over, and that is said', $w, quiet => 0, say => qr/cpu_1/, exit => 1);
}
{
	my $w = ticks(version => '0.7');
	$w->event(0, 1_000_000 + 100 * $_, 'mini::tick', { n => $_ }) for 1 .. 600;
	my $dir = $w->write(new_dir());
	# An event has 12 bytes.
	my @whole = map { "$_->{event} $_->{cpu} $_->{ts} $_->{seq} $_->{instance} $_->{json}" }
		grep { $_->{instance} || $_->{at} + 12 <= 4096 + 2000 } $w->manifest;
	open my $fh, '+<', "$dir/cpu_0" or die;
	truncate $fh, 4096 + 2000;
	close $fh;
	my $r = zed_run($zedprint, '-f', 'json', $dir);
	same_lines(json_lines($r), \@whole, 'of a part of a block the whole events are read (else: half an event, or all are lost)', $r);
	like($r->{err}, qr/\A[^\n]*cpu_0: offset 0x17d0: [^\n]+\n\z/, 'and where the file ends is said (else: the rest is not missed)');
	is($r->{exit}, 1, 'and counts as damage (else: half a copy passes for a whole)');
}
{
	my $w = ticks(version => '0.6');
	$w->event(0, 1_000_000 + 100 * $_, 'mini::tick', { n => $_ }) for 1 .. 3;
	$w->{extra} = { 'info/system.xml' => undef, 'info/bookmarks.xml' => undef };
	check('info/ is not needed', $w);
	$w = ticks(version => '0.6');
	$w->event(0, 1_000_000 + 100 * $_, 'mini::tick', { n => $_ }) for 1 .. 3;
	my ($dir) = check('info/ as the document shows it', $w);
	my $sum = zed_run($zedprint, '--summary', $dir);
	is($sum->{exit}, 0, '--summary of it ends well (else: users cannot see what a trace is)') or diag($sum->{err});
	like($sum->{out}, qr/$_/, "--summary shows $_ (else: what the trace tells of itself is lost)")
		for '0\.6', 'vaucluse', 'Some comments about the system', 'here', 'Some text';
}

{
	# Each file has the byte order and the alignment that its own header tells.
	my $w = ticks(version => '0.6', align => 4);
	my $other = ticks(version => '0.6', big => 1);
	$w->event(0, 1_000_000 + 100 * $_, 'mini::text', { s => "n $_" }) for 1 .. 9;
	$other->event(1, 1_000_050 + 100 * $_, 'mini::text', { s => "big $_" }) for 1 .. 9;
	$w->{extra}{cpu_1} = slurp($other->write(new_dir()) . '/cpu_1');
	my $dir = $w->write(new_dir());
	my $r = zed_run($zedprint, '-f', 'json', $dir);
	my @want = sort { $a->{ts} <=> $b->{ts} } $w->manifest, grep { $_->{cpu} == 1 } $other->manifest;
	same_lines(json_lines($r), [map { "$_->{event} $_->{cpu} $_->{ts} $_->{seq} $_->{instance} $_->{json}" } @want],
		'files of two byte orders and alignments in one trace (else: the first one\'s are taken for all)', $r);
}
{
	# Two traces make one order of time only by the same clock.
	my ($one, $two) = map { my $w = ticks(version => $_, start => [1_130_000_000, 500_000 * ($_ eq '0.7')]);
		$w->event(0, 1_000_000 + 100_000 * $_, 'mini::tick', { n => $_ }) for 1 .. 9; $w } '0.6', '0.7';
	my @dirs = map { $_->write(new_dir()) } $one, $two;
	my $r = zed_run($zedprint, '-f', 'json', '--wall', @dirs, "$here/data/ltt-g1");
	is(scalar(() = $r->{out} =~ /"event":"mini::tick"/g), 18, 'two traces and one of another generation merge by --wall (else: none can be compared)')
		or diag($r->{err});
	my @wall = map { /"ts":(\d+)/ } split /\n/, $r->{out};
	ok(!(grep { $wall[$_] < $wall[$_ - 1] } 1 .. $#wall) && @wall > 4900, 'in one order (else: they come one behind the other)');
	$r = zed_run($zedprint, $dirs[0], "$here/data/ltt-g1");
	is($r->{exit}, 2, 'without it their clocks differ, and they are refused (else: the order means nothing)');
	like($r->{err}, qr/clock/, 'and why is said (else: users do not know what to do)');
	$r = zed_run($zedprint, "$dirs[0]/");
	is(scalar(() = $r->{out} =~ /^mini::tick/mg), 9, 'a slash behind the directory (else: names that the shell completes fail)');
}

# ---------------------------------------------------------------- generation 1

for my $big (0, 1) {
	my $w = Write::Ltt->new(version => 'G1', big => $big, buf_size => 2000, xml => { types_last => 1 });
	my ($u4, $u8) = ([uint => 4], [uint => 8]);
	$w->facility(name => 'core', id => 0, load => '', types => {
		block_timestamp => [struct => timestamp => [ref => 'timestamp'], block_id => $u4],
		timestamp => [struct => time => [ref => 'timespec'], cycle_count => $u8],
		timespec => [struct => seconds => $u4, nanoseconds => $u4],
	}, events => [[facility_load => [name => ['string'], checksum => $u4, base_code => $u4]],
		[block_start => [ref => 'block_timestamp']], [block_end => [ref => 'block_timestamp']],
		[time_heartbeat => [ref => 'timestamp']], [tick => [n => $u4, kind => [enum => 1, [slow => 1], [fast => undef]]]],
		[say => [what => ['string']]], [list => [n => [array => 3, [int => 2]], more => [seq => [uint => 1], $u8]]]]);
	# The facility at 0 is not Write::Ltt's own core here.
	$w->{fac0} = $w->{order}[0];
	for my $cpu (0, 1) {
		my @at = (1_000_000_000, 20 + $cpu, 4_000_000_000 + $cpu);
		for my $b (0 .. 3) {
			my @to = ($at[0] + 1, $at[1] + 500_000 - 7 * $b, $at[2] + 525_000_001);
			$w->block($cpu, from => [@at], to => [@to], lag => 99);
			my $c = $at[2] + 1000;
			for my $n (1 .. 12) {
				$w->event($cpu, $c += 30_000_000, 'core::tick', { n => $n, kind => $n % 3 });
				$w->event($cpu, $c += 1, 'core::say', { what => 'x' x $n });
				$w->event($cpu, $c += 1, 'core::list', { n => [-$n, $n, 0], more => [(1 << 40) x ($n % 4)] });
			}
			@at = ($to[0] + 5, $to[1], $to[2] + 0x2_0000_0000);
		}
	}
	my $core = $w->{order}[0];
	$_->{values}{kind} = { 1 => 'slow', 2 => 'fast', 0 => 0 }->{$_->{values}{kind}}
		for grep { ($_->{what} // '') eq 'core::tick' } map { map { @$_ } values %$_ } values %{$w->{files}};
	check('generation 1, ' . ($big ? 'big' : 'little') . '-endian: four blocks a CPU, wraps in and between them', $w);

	$w->{system} = { cpu => 2, endian => $big ? 'big' : 'little' };
	my $xml = $w->system_xml;
	$w->{extra}{'info/system.xml'} = $xml =~ s/ltt_block_size="(\d+)"/ltt_block_size=$1/r =~ s/cpu="2"/cpu=2/r;
	check('the same with system.xml in the document\'s words, numbers unquoted', $w, wall => 0, perl => 0);
}
{
	my $w = Write::Ltt->new(version => 'G1', buf_size => 2000, xml => { types_last => 1 });
	my $u4 = [uint => 4];
	$w->facility(name => 'core', id => 0, load => '', types => {
		stamp => [struct => timestamp => [struct => time => [struct => seconds => $u4, nanoseconds => $u4],
			cycle_count => [uint => 8]], block_id => $u4],
	}, events => [[facility_load => [name => ['string'], checksum => $u4, base_code => $u4]],
		[block_start => [ref => 'stamp']], [block_end => [ref => 'stamp']]]);
	$w->{fac0} = $w->{order}[0];
	my $extra = $w->facility(name => 'extra', id => 300, load => '', events => [[one => [n => $u4]], [two => [s => ['string']]]]);
	my %b = (from => [1000, 0, 1_000_000], to => [1001, 0, 351_000_000]);
	$w->block({ cpu => 0, group => 'control/facilities' }, %b, from => [999, 999_000, 1_000_000], to => [1002, 0, 351_000_000]);
	$w->event({ cpu => 0, group => 'control/facilities' }, 1_000_001, 'core::facility_load',
		{ name => 'extra', checksum => $extra->{sum}, base_code => 300 });
	$w->block(0, %b);
	$w->event(0, 1_000_000 + 1000 * $_, $_ % 2 ? 'extra::one' : 'extra::two', { n => $_, s => "s $_" }) for 1 .. 9;
	check('generation 1: a second facility, whose events begin at its base code', $w);
}

# Every type again: what short, medium and long are is told by the name of the data model.
for ([4, 0], [8, 0], [8, 1]) {
	my ($arch, $big) = @$_;
	my $w = Write::Ltt->new(version => 'G1', arch => $arch, big => $big, buf_size => 30_000, xml => { types_last => 1 });
	my $u4 = [uint => 4];
	$w->facility(name => 'core', id => 0, load => '', types => {
		stamp => [struct => timestamp => [struct => time => [struct => seconds => $u4, nanoseconds => $u4],
			cycle_count => [uint => 8]], block_id => $u4],
	}, events => [[facility_load => [name => ['string'], checksum => $u4, base_code => $u4]],
		[block_start => [ref => 'stamp']], [block_end => [ref => 'stamp']]]);
	$w->{fac0} = $w->{order}[0];
	my %b = (from => [1000, 0, 1_000_000], to => [1002, 0, 701_000_000]);
	$w->block({ cpu => 0, group => 'control/facilities' }, %b, from => [999, 0, 1_000_000], to => [1003, 0, 701_000_000]);
	$w->block(0, %b);
	$w->block(1, %b, from => [1000, 1, 1_000_000], to => [1002, 1, 701_000_000]);
	every_type($w, id => 500, load => '');
	$w->event({ cpu => 0, group => 'control/facilities' }, 1_000_001, 'core::facility_load',
		{ name => 'every', checksum => $w->{order}[1]{sum}, base_code => 500 });
	check("generation 1, every type, $arch bytes, " . ($big ? 'big' : 'little') . '-endian', $w, one => 'every::tail');
}

# ---------------------------------------------------------------- the real trace, in each version

# Its events in three facilities of ours; the time of its first cycle is that of its first block.
sub real_in {
	my ($files, %o) = @_;
	my $first = $files->[0]{blocks}[0];
	my $w = Write::Ltt->new(freq => 350_795, start_tsc => $first->{cycles}, start => [@$first{qw(s us)}], buf_size => 65_536, %o);
	my %type = map { my ($name, $format, @names) = @$_; my @f = split //, $format;
		($name => [map { $names[$_] => $f[$_] eq 'Z' ? ['string'] : [uint => { C => 1, S => 2, L => 4, Q => 8 }->{$f[$_]}] }
			0 .. $#names]) } @Compare::LttRead::EVENTS;
	for my $name (keys %Compare::LttRead::LABELS) {
		my @all = map { Compare::LttRead::label($name, $_) } 1 .. $#{$Compare::LttRead::LABELS{$name}};
		$type{$name}[1] = [enum => $w->{gen} eq 'new' ? 4 : 1, [shift @all, 1], map { [$_ => undef] } @all];
	}
	my (%of, %events);
	for (@Compare::LttRead::EVENTS) {
		my ($name) = @$_;
		next if $name =~ /^(?:facility_load|block_|time_heartbeat)/;
		my $fac = $name eq 'schedchange' || $name =~ /^process/ ? 'process' : $name eq 'file_system' ? 'fs' : 'kernel';
		$of{$name} = $fac;
		push @{$events{$fac}}, [$name => $type{$name}];
	}
	my $id = 1;
	$w->facility(name => $_, id => $id++, events => $events{$_}) for sort keys %events;
	for my $cpu (0 .. $#$files) {
		for my $e (@{$files->[$cpu]{events}}) {
			my %v;
			@v{@{$e->{names}}} = @{$e->{values}};
			$v{event_sub_id} = Compare::LttRead::label($e->{name}, $v{event_sub_id}) // $v{event_sub_id} if $Compare::LttRead::LABELS{$e->{name}};
			if ($e->{name} eq 'time_heartbeat') {
				$w->event($cpu, $e->{tsc}, 'core::time_heartbeat', { timestamp => \%v });
			} elsif ($of{$e->{name}}) {
				$w->event($cpu, $e->{tsc}, "$of{$e->{name}}::$e->{name}", \%v);
			}
		}
	}
	return $w;
}

{
	my @cut = map { Compare::LttRead::read_cpu("$here/data/ltt-g1/cpu/$_", 8000) } 0, 1;
	my @forms = (['0.4'], ['0.5', big => 1], ['0.6', align => 4], ['0.7', arch => 8, align => 8], ['0.6', arch => 8, heartbeat => 0],
		['0.7', big => 1, heartbeat => 0, align => 4]);
	for (@forms) {
		my ($version, %o) = @$_;
		check("the cut of the real trace as $version @{[%o]}", real_in(\@cut, version => $version, %o));
	}
}

SKIP: {
	my $shared = zed_shared();
	my $dir = $shared ? "$shared/data/ltt-g1" : '';
	skip 'the whole real trace is not here (set ZED_SHARED)', 1 if !-d $dir;
	# One of them to its end, the others for a fifth of it: the tests of blocks and wraps above are of all versions.
	for (['0.4', 0], ['0.5', 0], ['0.6', 4], ['0.7', 4, 1]) {
		my ($version, $align, $whole) = @$_;
		$whole ||= $ENV{LTT_WHOLE};
		my @files = map { Compare::LttRead::read_cpu("$dir/cpu/$_", 1_000_000) } 0, 1;
		splice @{$_->{events}}, @{$_->{events}} / 5 for $whole ? () : @files;
		check(($whole ? 'the whole' : 'much of the') . " real trace as $version", real_in(\@files, version => $version, align => $align, json_only => 1),
			perl => 0, wall => 0);
	}
}

done_testing();
