# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::LttVersions: LTT traces of versions 0.4 to 0.7 and of generation 1 in every possible form, read by zedprint and
# zedperl and compared with the manifest of Write::Ltt: no foreign trace of 0.4 to 0.7 is known, so these were written
# from the documents, not by the reader's author.
#
#	check('an event', every_type(Write::Ltt->new(version => '0.6')));
package Run::LttVersions;
use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';
use Test::More;
use Compare::LttDump;
use Run::Program;
use Write::Ltt;

our @EXPORT = qw(check same_lines json_lines new_dir ticks every_type $zedprint $zedperl);

our $zedprint = zed_bin('zedprint');
our $zedperl = zed_bin('zedperl');
die "zedprint is not built: run make\n" if !-x $zedprint;
my $dirs = 0;
sub new_dir { return zed_tmp() . '/' . ++$dirs }
my $long = $ENV{ZED_SAN} ? 300 : 60;

sub same_lines {
	my ($got, $want, $name, $r) = @_;
	return pass($name) if @$want && "@$got" eq "@$want";
	my ($i, $n) = (0, @$want > @$got ? scalar @$want : scalar @$got);
	$i++ while $i < $n && ($got->[$i] // '(end)') eq ($want->[$i] // '(end)');
	fail($name);
	diag('line ', $i + 1, " of $n\n   got: ", $got->[$i] // '(end)', "\nwanted: ", $want->[$i] // '(end)', "\n",
		"exit $r->{exit} signal $r->{signal}: ", substr $r->{err}, 0, 1000);
	return 0;
}

# The output of zedprint -f json, without the data that an LTT trace does not have (tasks).
sub json_lines {
	my ($r) = @_;
	return [map {
		/^\{"ts":(\d+),"event":"([^"]+)","cpu":(\d+),"pid":-?\d+,"comm":"[^"]*","seq":(\d+),(?:"instance":"([^"]*)",)?"fields":(.*)\}$/
			? "$2 $3 $1 $4 " . ($5 // '') . " $6" : $_ } split /\n/, $r->{out}];
}

# Write W and read it three ways.  Options: exit (0), quiet (1: no messages), wall (1: --wall too), perl (1), say (a
# pattern that the messages must match).
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
	# Events without a handler are skipped by their sizes alone.
	if (my $one = $o{one}) {
		my ($system) = $one =~ m{^(\w+)::};
		my $r = zed_run({ time => $long }, $zedperl, "-MZed=handlers,$system", "-e", "sub $one { print join(' ', \$_[0], \$_[1] * 1_000_000_000 + \$_[2], \$_[3]), qq{\\n} }", $dir);
		same_lines([split /\n/, $r->{out}], [map { "$_->{cpu} $_->{ts} $_->{seq}" } grep { $_->{event} eq $one } @want],
			"$what: zedperl with a handler for $one only (else: unwanted events are not skipped correctly)", $r);
	}
	return ($dir, $json);
}

# A trace of two events, mini::tick and mini::text.
sub ticks {
	my (%o) = @_;
	my $w = Write::Ltt->new(%o);
	$w->facility(name => 'mini', id => 4, events => [[tick => [n => [uint => 4]]], [text => [s => ['string']]]]);
	return $w;
}

# W with an event of each type that a field can have.
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

1;
