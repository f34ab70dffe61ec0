# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged and hostile LTT traces: blocks, control files, descriptions, system.xml.  Whatever is in them, reading
# ends soon, in bounded memory, each message is one line that names its file, and what is intact is delivered.
#
#	TURNS=1000 prove -It/lib t/bad/ltt.t	# so many bytes of each file are changed, one at a time
#
# Without it one wrong byte of an old trace ends a program, or costs events that are intact without a word.
#
# of: reader/ltt
# runs: make check; a small pass in make test

use strict;
use warnings;
no warnings 'portable';
use Test::More;
use POSIX ();
use lib 't/lib';
use Compare::LttDump;
use Files;
use Pass;
use Run::Program;
use Write::Ltt;

my $zedprint = zed_bin('zedprint');
my $zedperl = zed_bin('zedperl');
die "zedprint is not built: run make\n" if !-x $zedprint;
my $turns = $ENV{TURNS} // ($ENV{ZED_SAN} ? 40 : 60);
my $dirs = 0;
sub new_dir { return zed_tmp() . '/' . ++$dirs }

# ---------------------------------------------------------------- the sound trace that is damaged

my $U4 = [uint => 4];
sub sound {
	my (%o) = @_;
	my $w = Write::Ltt->new(version => '0.6', buf_size => 700, %o);
	$w->facility(name => 'mini', id => 4, events => [[tick => [n => $U4]], [text => [s => ['string'], n => $U4]],
		[list => [s => [seq => [uint => 1], [seq => $U4, [uint => 2]]]]]]);
	$w->facility(name => 'other', id => 5, types => { pair => [struct => a => $U4, b => ['string']] },
		events => [[one => [n => $U4]], [two => [p => [array => 2, [ref => 'pair']], c => [enum => 4, [red => undef], [blue => undef]]]]]);
	for my $n (1 .. 80) {
		my $cpu = $n % 2;
		my $tsc = 1_000_000 + 1000 * $n;
		$w->event($cpu, $tsc, 'mini::tick', { n => $n });
		$w->event($cpu, $tsc + 1, 'mini::text', { s => "text $n", n => $n });
		$w->event($cpu, $tsc + 2, 'mini::list', { s => [[1, 2, 3], [$n]] });
		$w->event($cpu, $tsc + 3, 'other::one', { n => $n });
		$w->event($cpu, $tsc + 4, 'other::two', { p => [{ a => 1, b => 'x' }, { a => $n, b => 'yy' }], c => 'blue' });
	}
	return $w;
}

# The same, written once, for all that damage the copy that bad() makes.
my %base;
sub base { my $key = "@_"; return $base{$key} //= written(sound(@_)) }
sub base_g1 { return $base{G1} //= written(Write::Ltt->sample_g1(4, 40)) }
sub written { my ($w) = @_; $w->{written} = $w->write(new_dir()); return $w }

# A copy, whose files are links to those of the sound trace: damage() makes a new one.
sub copy_dir {
	my ($from, $to) = @_;
	mkdir $to or die "$to: $!\n";
	for my $path (glob "$from/*") {
		my $name = $path =~ s{.*/}{}r;
		-d $path ? copy_dir($path, "$to/$name") : link $path, "$to/$name" or die "$to/$name: $!\n";
	}
	return $to;
}

sub damage {
	my ($path, $data) = @_;
	unlink $path;
	return spew($path, $data);
}

sub json_lines {
	my ($r) = @_;
	return map { /^\{"ts":(\d+),"event":"([^"]+)","cpu":(\d+),"pid":-?\d+,"comm":"[^"]*","seq":(\d+),(?:"instance":"([^"]*)",)?"fields":(.*)\}$/
		? "$2 $3 $1 " . ($5 // '') . " $6" : $_ } split /\n/, $r->{out};
}
sub wanted {
	my ($w, $which) = @_;
	$_->{line} //= "$_->{event} $_->{cpu} $_->{ts} $_->{instance} $_->{json}" for @{$w->{manifest}};
	return map { $_->{line} } grep { $which->($_) } @{$w->{manifest}};
}

my (%runs, $nth);

# Write W, let EDIT damage the directory, read it.  Options: exit (those that are right; 0, 1, 2), say (what the
# messages must match), keep (which events of the manifest must come all the same), only (all others must not
# come: what is damaged is not guessed), loose (times may differ), perl (1: zedperl too).  A small pass takes every twelfth.
sub bad {
	my ($what, $w, $edit, %o) = @_;
	$nth++;
	return if small() && $nth % 12 != 1;
	my $dir = $w->{written} ? copy_dir($w->{written}, new_dir()) : $w->write(new_dir());
	$edit->($dir) if $edit;
	my @programs = ([$zedprint, '-f', 'json', $dir], $o{perl} ? [$zedperl, $dir, Compare::LttDump::script()] : ());
	for my $run (@programs) {
		my $r = zed_run({ memory => 400_000 }, @$run);
		$runs{$r->{exit}}++;
		my ($program) = $run->[0] =~ m{(\w+)$};
		my @wrong;
		push @wrong, "signal $r->{signal}" if $r->{signal};
		push @wrong, 'too late' if $r->{late};
		push @wrong, "exit $r->{exit}" if !grep { $_ == $r->{exit} } @{$o{exit} // [0, 1, 2]};
		push @wrong, 'a sanitizer or the memory' if $r->{err} =~ /Sanitizer|runtime error|out of memory/i;
		push @wrong, map { "a line without the program and the path: $_" }
			grep { !/^\Q$program\E: \Q$dir\E/ && !/^\Q$program\E: \d+ more/ } @{$r->{lines}};
		push @wrong, 'damage without a word' if $r->{exit} && !@{$r->{lines}};
		push @wrong, scalar(@{$r->{lines}}) . ' lines' if @{$r->{lines}} > ($o{lines} // 12);
		push @wrong, "no $o{say} is said" if $o{say} && $r->{err} !~ $o{say};
		if ($program eq 'zedprint') {
			my %got = map { $_ => 1 } json_lines($r);
			# The rate of a block of generation 1 is told by its end.
			my $plain = sub { return $o{loose} ? map { s/^(\S+ \d+) \d+/$1/r } @_ : @_ };
			%got = map { $_ => 1 } $plain->(keys %got);
			if ($o{keep}) {
				my @lost = grep { !$got{$_} } $plain->(wanted($w, $o{keep}));
				push @wrong, @lost . " lost, the first: $lost[0]" if @lost;
			}
			if ($o{only}) {
				my %right = map { $_ => 1 } $plain->(wanted($w, $o{only}));
				my @odd = grep { !$right{$_} } sort keys %got;
				push @wrong, @odd . " invented, the first: $odd[0]" if @odd;
			}
		}
		ok(!@wrong, "$what ($program)" . ($o{why} ? " (else: $o{why})" : '')) or
			diag(join("\n", @wrong), "\n", substr $r->{err}, 0, 1500);
	}
	return $dir;
}

my $ALL = sub { 1 };
my $CPU1 = sub { $_[0]{cpu} == 1 };

bad('undamaged 0.6', sound(), undef, exit => [0], keep => $ALL, only => $ALL, perl => 1, lines => 0, why => 'all below is void');
bad('undamaged G1', base_g1(), undef, exit => [0], keep => $ALL, only => $ALL, perl => 1, lines => 0, why => 'all below is void');

# ---------------------------------------------------------------- truncated files

for my $kind (['0.6', \&base, 'cpu_0', 'control/facilities_0', 'eventdefs/mini.xml', 'info/system.xml'],
	['0.4', sub { base(version => '0.4') }, 'cpu_0'], ['0.7', sub { base(version => '0.7') }, 'cpu_0'],
	['G1', \&base_g1, 'cpu/0', 'eventdefs/core.xml', 'info/system.xml']) {
	my ($version, $make, @files) = @$kind;
	my ($middle) = map { $_->{end} } grep { $_->{cpu} == 0 && $_->{group} eq 'cpu' && $_->{seq} == 20 } $make->()->manifest;
	for my $file (@files) {
		my $size = -s $make->()->{written} . "/$file";
		my %at = map { $_ => 1 } grep { $_ < $size } 0, 1, 7, 39, 40, 44, 55, 56, 71, 72, 76, 105, 110, 111, 134, 135, 139, 143,
			699, 700, 701, 755, 840, $size - 1, $middle - 1 .. $middle + 16, map { int $size * $_ / 9 } 1 .. 8;
		for my $at (sort { $a <=> $b } keys %at) {
			my $is_cpu = $file =~ /^cpu/;
			bad("$version: $file cut to $at bytes", $make->(), sub { damage("$_[0]/$file", substr slurp("$_[0]/$file"), 0, $at) },
				$is_cpu ? (only => $ALL, keep => sub { $_[0]{cpu} == 1 || $_[0]{group} ne 'cpu' || $_[0]{end} <= $at },
					loose => $version eq 'G1',
					# One byte short of a block: what is missing held nothing.
					exit => $at % 700 && $at % 700 != 699 ? [1] : [0, 1]) :
					# Without core.xml the numbers of events are those of the facility builtin.
					($file =~ /core/ ? () : (only => $ALL), loose => $version eq 'G1', $file =~ /mini/
						? (keep => sub { $_[0]{event} !~ /^mini/ }) : $version ne 'G1' && $file =~ /^info/ ? (keep => $ALL) : ()),
				perl => $at == $size - 1,
				why => 'a copy that broke off loses more than its end, or invents events');
		}
	}
}

# ---------------------------------------------------------------- flipped bytes

srand 5;
for my $kind (['0.6', \&base], ['0.7', sub { base(version => '0.7', big => 1, align => 4) }], ['G1', \&base_g1]) {
	my ($version, $make) = @$kind;
	my $file = $version eq 'G1' ? 'cpu/0' : 'cpu_0';
	my $head = $version eq 'G1' ? 0 : $make->()->header_size;
		for my $turn (1 .. $turns) {
		my ($off, $block);
		my ($to) = int rand 256;
		bad("$version: a byte of a block of $file is another (turn $turn)", $make->(), sub {
			my $data = slurp("$_[0]/$file");
			$off = int rand length $data;
			$block = int $off / 700;
			substr($data, $off, 1) = chr((ord(substr $data, $off, 1) ^ 1 << $turn % 8 | ($turn % 3 == 0 ? $to : 0)) & 255);
			damage("$_[0]/$file", $data);
		}, keep => sub { my ($e) = @_;
			# The first block's header says what the file is; a later one's only what its block is.
			return $e->{cpu} == 1 || $e->{group} ne 'cpu' || ($block || $off >= $head) && int($e->{at} / 700) != $block;
		}, perl => $turn % 20 == 0, why => 'one bad byte costs more than its block');
	}
}
for my $file ('control/facilities_0', 'eventdefs/mini.xml', 'info/system.xml', 'info/bookmarks.xml') {
	for my $turn (1 .. $turns / 2) {
		bad("0.6: a byte of $file is another (turn $turn)", base(), sub {
			my $data = slurp("$_[0]/$file");
			my $size = $file =~ /facilities/ ? 260 : length $data;
			substr($data, int rand $size, 1) = chr int rand 256;
			damage("$_[0]/$file", $data);
		}, perl => $turn % 20 == 0, $file =~ /^info/ ? (keep => $ALL, only => $ALL, exit => [0, 1]) : ());
	}
}
for my $file ('eventdefs/core.xml', 'info/system.xml') {
	for my $turn (1 .. $turns / 2) {
		bad("G1: a byte of $file is another (turn $turn)", base_g1(), sub {
			my $data = slurp("$_[0]/$file");
			substr($data, int rand length $data, 1) = chr int rand 256;
			damage("$_[0]/$file", $data);
		}, perl => $turn % 20 == 0);
	}
}

# ---------------------------------------------------------------- words of headers

# OFFSET => bytes, in block number N of cpu_0.
sub poke {
	my ($file, $n, $off, $bytes) = @_;
	return sub {
		my $data = slurp("$_[0]/$file");
		substr($data, 700 * $n + $off, length $bytes) = $bytes;
		damage("$_[0]/$file", $data);
	};
}
{
	my @words = (['buf_size', 68, map { pack 'V', $_ } 0, 1, 134, 135, 139, 701, 0x7fffffff, 0xffffffff],
		['lost_size', 64, map { pack 'V', $_ } 1, 564, 565, 566, 700, 701, 0x7fffffff, 0xfffffffe, 0xffffffff],
		['magic', 72, "\0\0\0\0", 'abcd'], ['arch_size', 88, map { chr } 0, 1, 2, 3, 16, 255], ['major', 89, map { chr } 1, 2, 255],
		['minor', 90, map { chr } 0, 1, 2, 3, 8, 255], ['has_alignment', 93, map { chr } 3, 5, 7, 16, 255],
		['has_heartbeat', 92, chr 255], ['has_tsc', 94, "\0"], ['frequency', 95, map { pack 'Q<', $_ } 0, 1, ~0],
		['start_tsc', 103, map { pack 'Q<', $_ } 0, 1 << 40, ~0], ['seconds', 119, map { pack 'Q<', $_ } 0, ~0],
		['microseconds', 127, map { pack 'Q<', $_ } 1_000_000, ~0], ['cycle_count', 16, map { pack 'Q<', $_ } 0, ~0, 1 << 63],
		['arch_type', 76, map { pack 'V', $_ } 0, 99, ~0 & 0xffffffff]);
	for (@words) {
		my ($name, $off, @values) = @$_;
		for my $v (@values) {
			bad("0.6: $name is 0x" . unpack('H*', reverse $v), base(), poke('cpu_0', 0, $off, $v), keep => $CPU1,
				why => 'a word of one file\'s header stops or kills all');
			bad("0.6: $name of the second block is 0x" . unpack('H*', reverse $v), base(), poke('cpu_0', 1, $off, $v),
				keep => sub { $_[0]{cpu} == 1 || $_[0]{group} eq 'cpu' && int($_[0]{at} / 700) != 1 },
				why => 'a word of one block\'s header costs more than the block');
		}
		bad("0.6: $name of control/facilities_0 is 0x" . unpack('H*', reverse $_), base(), poke('control/facilities_0', 0, $off, $_),
			perl => 1, why => 'the first file that is read kills the reader') for @values;
	}
	bad(sprintf('0.6: a lost_size of %d leaves no room for the headers', $_), base(), poke('cpu_0', 1, 64, pack 'V', $_), exit => [1],
		say => qr/cpu_0: offset 0x2fc: /, keep => sub { $_[0]{cpu} == 1 || int($_[0]{at} / 700) != 1 },
		why => 'the block counts as empty') for 566, 700, 701;
	bad('0.6: a lost_size that leaves room for the headers alone', base(), poke('cpu_0', 1, 64, pack 'V', 565), exit => [0],
		lines => 0, keep => sub { $_[0]{cpu} == 1 || int($_[0]{at} / 700) != 1 }, only => sub { $_[0]{cpu} == 1 || int($_[0]{at} / 700) != 1
			|| $_[0]{group} ne 'cpu' }, why => 'an empty block is taken for damage');
	bad('0.7: freq_scale is 0', base(version => '0.7'), poke('cpu_0', 0, 62, "\0\0\0\0"), why => 'it is divided by');
	bad('0.7: freq_scale of control/facilities_0 is 0', base(version => '0.7'), poke('control/facilities_0', 0, 62, "\0\0\0\0"),
		why => 'it is divided by');
	bad("0.7: freq_scale and frequency are the largest", base(version => '0.7'), sub {
		poke($_, 0, 62, "\xff" x 12)->(@_) for my @files = ('cpu_0', 'cpu_1', 'control/facilities_0') }, why => 'a product overflows');
}

for my $v ([1, 0], [2, 3], [0, 3], [0, 8]) {
	my ($major, $minor) = @$v;
	bad("a trace of version $major.$minor", base(), sub {
		for my $file ('cpu_0', 'cpu_1', 'control/facilities_0') {
			for my $n (0 .. (-s "$_[0]/$file") / 700 - 1) { poke($file, $n, 89, pack 'CC', $major, $minor)->(@_) }
		}
	}, exit => [1, 2], say => qr/\b$major\.$minor\b/, only => sub { 0 }, perl => 1,
		why => 'what is laid out in another way is read as if it were not');
}

# ---------------------------------------------------------------- events

for my $align (0, 4) {
	my @cases = (
		['a string without an end', 'mini::text', 'no end' x 20],
		['a string that ends with its block', 'mini::text', 'x' x 40],
		['a payload that is too short', 'mini::tick', 'ab'],
		['no payload', 'mini::text', ''],
		['a sequence that says 255 and has none', 'mini::list', "\xff"],
		['a sequence of sequences of 2^32-1', 'mini::list', "\x01" . "\0" x ($align ? 3 : 0) . "\xff" x 30],
		['structures that are cut', 'other::two', pack('V', 1) . 'x'],
	);
	for (@cases) {
		my ($name, $event, $payload) = @$_;
		my $w = sound(align => $align);
		$w->block(0);
		my $n = 0;
		$w->event(0, 2_000_000 + ++$n, $event, undef, payload => $payload, lost => 1, facility => $event =~ /^mini/ ? 4 : 5,
			id => { tick => 0, text => 1, list => 2, two => 1 }->{$event =~ s/.*:://r});
		$w->event(0, 2_000_000 + ++$n, 'mini::tick', { n => 12345 });
		bad("$name, aligned to $align", $w, undef, exit => [1], keep => $ALL, only => $ALL, perl => 1, say => qr/cpu_0: offset 0x[0-9a-f]+: /,
			why => 'an event reads what is behind it, or takes its sound neighbours with it');
	}
	my $w = sound(align => $align);
	$w->block(0, lost_size => 0);
	$w->event(0, 2_000_000, 'mini::tick', { n => 7 });
	$w->event(0, 2_000_001, 'mini::tick', undef, payload => '', lost => 1, size => 60_000, facility => 4, id => 0);
	$w->block(0);
	$w->event(0, 2_000_002, 'mini::tick', { n => 8 });
	bad("a size that runs out of the block, aligned to $align", $w, undef, exit => [1], keep => $ALL, only => $ALL,
		say => qr/cpu_0: offset 0x[0-9a-f]+: /, why => 'the next block is read from the middle of an event');
}
{
	# Each byte of the payload is a sequence of its own: the record would be many times as large.
	my $w = Write::Ltt->new(version => '0.6', buf_size => 1 << 20);
	$w->facility(name => 'wide', id => 4, events => [[all => [s => [seq => [c => 'uint'], [struct => map { ("m$_" => [union =>
		a => [uint => 1], b => [array => 1, [uint => 1]]]) } 1 .. 50]], t => ['string']]], [many => [s => [seq => [c => 'uint'], ['string']]]]]);
	$w->event(0, 1_001_000, 'wide::many', undef, payload => pack('V', 60_000) . "\0" x 60_000, facility => 4, id => 1, lost => 1);
	$w->event(0, 1_002_000, 'wide::many', undef, payload => pack('V', 0xffffffff) . "\0" x 60_000, facility => 4, id => 1, lost => 1);
	$w->event(0, 1_003_000, 'wide::many', undef, payload => pack('V', 500_000) . "\0" x 500_000, facility => 4, id => 1, lost => 1,
		size => 0xffff);
	bad('a hundred thousands of empty strings', $w, undef, perl => 1, why => 'a small payload takes all memory');
}

# ---------------------------------------------------------------- what facility_load tells

{
	my %ok = (name => 'mini', id => 9, int_size => 4, long_size => 4, pointer_size => 4, size_t_size => 4, has_alignment => 0);
	my @loads = (['a word of 3 bytes', int_size => 3], ['of none', long_size => 0], ['a pointer of 2^32-1', pointer_size => 0xffffffff],
		['size_t of 16', size_t_size => 16], ['an alignment of 3', has_alignment => 3], ['an alignment of 2^31', has_alignment => 1 << 31],
		['the number of core', id => 0], ['a number of 256', id => 256], ['a number of 2^32-1', id => 0xffffffff],
		['no name', name => ''], ['a name of 2000', name => 'n' x 400], ['a path for a name', name => '../info/evil'],
		['a path for a name', name => '/etc/passwd'], ['a name with control characters', name => "\x01\x1b[31m\n\xff"]);
	for (@loads) {
		my ($what, %more) = @$_;
		my $w = sound();
		my %v = (%ok, checksum => $w->{order}[0]{sum}, %more);
		$w->event({ group => 'control/facilities', cpu => 0 }, 1_000_900, 'core::facility_load', undef, facility => 0, id => 0, lost => 1,
			payload => "$v{name}\0" . pack 'V7', @v{qw(checksum id int_size long_size pointer_size size_t_size has_alignment)});
		$w->event(0, 3_000_000, '?', undef, facility => $v{id} & 255, id => 0, payload => pack('V', 7), lost => 1) if $v{id} != 0;
		$w->{extra}{'info/evil.xml'} = $w->xml_of({ %{$w->{order}[0]}, name => '../info/evil' });
		bad("facility_load with $what", $w, undef, keep => sub { $_[0]{event} ne 'core::facility_load' },
			why => 'what one load tells breaks the others');
	}
	my $w = sound();
	$w->event({ group => 'control/facilities', cpu => 0 }, 1_000_900, 'core::facility_load', undef, facility => 0, id => 0, lost => 1,
		payload => "../info/evil\0" . pack 'V7', 1, 9, 4, 4, 4, 4, 0);
	$w->event(0, 3_000_000, '?', undef, facility => 9, id => 0, payload => pack('V', 7), lost => 1);
	$w->{extra}{'info/evil.xml'} = "<facility name=\"../info/evil\"><event name=hit><field name=n><uint/></field></event></facility>";
	my $dir = $w->write(new_dir());
	unlike(zed_run($zedprint, $dir)->{out}, qr/::hit/, 'no description outside of eventdefs/ is read (else: a trace reads any file)');
}

# ---------------------------------------------------------------- descriptions

my $HEAD = "<facility name=mini>\n";
my $field = sub { return "$HEAD<event name=tick><field name=n>$_[0]</field></event></facility>" };
my $deep = sub { my ($n, $t) = @_; return "<array size=1>" x $n . $t . '</array>' x $n };
my @texts = (
	['nothing', ''], ['blanks', " \n\t\n"], ['bytes of all kinds', join '', map { chr } 0 .. 255], ['a NUL', "$HEAD\0</facility>"],
	['no end', "$HEAD<event name=tick>"], ['an end too many', "$HEAD</facility></facility>"], ['a tag without an end', "$HEAD<event name=tick"],
	['another tag', "$HEAD<sequel name=x></sequel></facility>"], ['text instead of a tag', "$HEAD hello </facility>"],
	['a comment without an end', "$HEAD/* and so on </facility>"], ['a string without an end', "<facility name=\"mini>\n</facility>"],
	['a string over lines', "<facility name=\"mi\nni\">\n</facility>"], ['no name', "<facility>\n</facility>"],
	['an empty name', "<facility name=\"\">\n</facility>"], ['a name of 5000', '<facility name=' . 'x' x 5000 . '></facility>'],
	['a blank name', "$HEAD<event name=></event></facility>"], ['an event without a name', "$HEAD<event></event></facility>"],
	['an unknown type', $field->('<quint/>'), qr/mini\.xml: line 2, column 33: /],
	['an unknown type behind comments', "$HEAD/* one\ntwo */ // three\n<event name=tick>\n<field name=n>\n <quint/></field></event></facility>",
		qr/mini\.xml: line 6, column 3: /],
	['a size of 3', $field->('<uint_fixed size=3/>'), qr/line 2, column \d+/],
	['a size of 0', $field->('<uint_fixed size=0/>'), qr/line 2, column \d+/],
	['no size', $field->('<uint_fixed/>'), qr/line 2, column \d+/],
	['a size of 20 digits', $field->('<array size=99999999999999999999><uint/></array>')],
	['an array of 2^32-1', $field->('<array size=4294967295><uint/></array>')],
	['an array of arrays of arrays', "$HEAD<event name=tick><field name=n>" . '<array size=65535>' x 3 . '<uint/>' . '</array>' x 3 .
		'</field></event></facility>'],
	['a field without a type', $field->(''), qr/line 2, column \d+/],
	['two types in a field', $field->('<uint/><uint/>'), qr/line 2, column \d+/],
	['a type that nobody defines', $field->('<typeref name=ghost/>'), qr/line 2, column \d+/],
	['a type that is itself', "$HEAD<type name=a><typeref name=a/></type><event name=tick><field name=n><typeref name=a/></field></event></facility>"],
	['a type that holds itself', "$HEAD<type name=a><struct><field name=x><typeref name=a/></field></struct></type>" .
		'<event name=tick><field name=n><typeref name=a/></field></event></facility>'],
	['types that hold each other', "$HEAD<type name=a><struct><field name=x><typeref name=b/></field></struct></type>" .
		"<type name=b><array size=2><typeref name=a/></array></type><event name=tick><field name=n><typeref name=a/></field></event></facility>"],
	['a sequence of itself', "$HEAD<type name=a><sequence><uint/><typeref name=a/></sequence></type>" .
		'<event name=tick><field name=n><typeref name=a/></field></event></facility>'],
	['types nested 40 deep', "$HEAD<event name=tick><field name=n>" . $deep->(40, '<uint/>') . '</field></event></facility>',
		qr/line 2, column \d+/],
	['types nested 100,000 deep', "$HEAD<event name=tick><field name=n>" . '<array size=1>' x 60_000],
	['types that double 40 times', "$HEAD<type name=t0><uint/></type>\n" . join('', map { my $p = $_ - 1;
		"<type name=t$_><struct><field name=a><typeref name=t$p/></field><field name=b><typeref name=t$p/></field></struct></type>\n" } 1 .. 30) .
		'<event name=tick><field name=n><typeref name=t30/></field></event></facility>'],
	['300 events', $HEAD . join('', map { "<event name=e$_></event>\n" } 1 .. 300) . '</facility>'],
	['20,000 fields', "$HEAD<event name=tick>" . join('', map { "<field name=f$_><uint/></field>\n" } 1 .. 20_000) . '</event></facility>'],
	['100,000 labels', $field->('<enum>' . join('', map { "<label name=l$_/>" } 1 .. 100_000) . '</enum>')],
	['a label of 30 digits', $field->('<enum><label name=x value=' . '9' x 30 . '/></enum>')],
	['an enum without labels', $field->('<enum></enum>')],
	['the same field twice', $field->('<uint/></field><field name=n><uint/>')],
	['the same event twice', "$HEAD<event name=tick></event><event name=tick></event></facility>"],
	['a union of strings', $field->('<union><field name=a><string/></field><field name=b><uint/></field></union>')],
	['an empty union', $field->('<union></union>')],
	['an empty structure in a sequence', $field->('<sequence><uint/><struct></struct></sequence>')],
	['an array of nothing', $field->('<array size=0><uint/></array>')],
	['a sequence without a length', $field->('<sequence><string/><uint/></sequence>'), qr/line 2, column \d+/],
	['a description without an end', "$HEAD<description>and so on"],
	['two megabytes', $HEAD . '<event name=tick></event>' x 90_000 . '</facility>'],
	['300 facilities', join '', map { "<facility name=f$_></facility>\n" } 1 .. 300],
	['names that are no words', "<facility name=\"mini\"><event name=\"a b<c>\x01\"></event></facility>"],
);
for (@texts) {
	my ($what, $text, $say) = @$_;
	bad("a description with $what", base(), sub { damage("$_[0]/eventdefs/mini.xml", $text) },
		keep => sub { $_[0]{event} !~ /^mini::/ }, exit => [0, 1], say => $say, perl => 1,
		why => 'one facility\'s description costs the others\' events');
}
bad('a description that refers to itself is refused by name', base(), sub {
	damage("$_[0]/eventdefs/mini.xml", (grep { $_->[0] eq 'types that hold each other' } @texts)[0][1]) },
	exit => [1], say => qr{mini\.xml.*line \d+, column \d+}, only => sub { $_[0]{event} !~ /^mini::/ },
	keep => sub { $_[0]{event} !~ /^mini::/ }, why => 'users cannot find the place');

for my $version ('0.6', 'G1') {
	my ($make, $file) = $version eq 'G1' ? (\&base_g1, 'core') : (\&base, 'mini');
	my $keep = $version eq 'G1' ? undef : sub { $_[0]{event} !~ /^mini::/ };
	my @opts = (perl => 1, $keep ? (keep => $keep, exit => [0, 1]) : (exit => [1, 2]));
	bad("$version: no description", $make->(), sub { unlink "$_[0]/eventdefs/$file.xml" }, @opts, say => qr/$file|eventdefs/,
		why => 'users do not learn what is wanted');
	bad("$version: a directory for a description", $make->(), sub { unlink "$_[0]/eventdefs/$file.xml"; mkdir "$_[0]/eventdefs/$file.xml" }, @opts);
	bad("$version: a FIFO for a description", $make->(), sub {
		unlink "$_[0]/eventdefs/$file.xml"; POSIX::mkfifo("$_[0]/eventdefs/$file.xml", 0600) }, @opts, why => 'it waits for ever');
	bad("$version: an endless device for a description", $make->(), sub {
		unlink "$_[0]/eventdefs/$file.xml"; symlink '/dev/zero', "$_[0]/eventdefs/$file.xml" }, @opts, why => 'it reads for ever');
	bad("$version: no description at all", $make->(), sub { unlink glob "$_[0]/eventdefs/*" }, exit => [1, 2], perl => 1);
}

# ---------------------------------------------------------------- files of the directory

bad('no control/facilities', base(), sub { unlink "$_[0]/control/facilities_0" }, exit => [1, 2], perl => 1,
	why => 'events are taken for some facility\'s');
bad('no CPU', base(), sub { unlink glob "$_[0]/cpu_*" }, perl => 1);
bad('a FIFO for a CPU', base(), sub { POSIX::mkfifo("$_[0]/cpu_7", 0600) or die }, keep => $ALL, why => 'it waits for ever');
bad('a directory for a CPU', base(), sub { mkdir "$_[0]/cpu_7" }, keep => $ALL);
bad('a link that leads nowhere', base(), sub { symlink 'nowhere', "$_[0]/cpu_7" }, keep => $ALL);
bad('links that lead in a circle', base(), sub { symlink '..', "$_[0]/control/up"; symlink '.', "$_[0]/same" }, keep => $ALL,
	only => $ALL, why => 'the directory is read for ever, or its files twice');
bad('a CPU of number 99999999999', base(), sub { damage("$_[0]/cpu_99999999999", slurp("$_[0]/cpu_0")) }, keep => $ALL);
bad('a CPU of number 4294967295', base(), sub { damage("$_[0]/cpu_4294967295", slurp("$_[0]/cpu_0")) }, keep => $ALL);
bad('directories 60 deep', base(), sub { my $d = $_[0]; mkdir $d .= '/d' for 1 .. 60; damage("$d/cpu_0", 'x') }, keep => $ALL,
	why => 'the directory is read without a bound');
bad('a trace of other bytes among the CPUs', base(), sub {
	my $w = sound(big => 1); my $d = $w->write(new_dir()); damage("$_[0]/cpu_6", slurp("$d/cpu_0")) }, keep => $ALL, exit => [0, 1]);

# ---------------------------------------------------------------- generation 1

sub system_with {
	my ($re, $to) = @_;
	return sub { damage("$_[0]/info/system.xml", slurp("$_[0]/info/system.xml") =~ s/$re/$to/r) };
}
my $size = qr/ltt_block_size="\d+"/;
for (['no system.xml', sub { unlink "$_[0]/info/system.xml" }], ['an empty one', sub { damage("$_[0]/info/system.xml", '') }],
	['no block size', system_with($size, '')],
	(map { my $v = $_; ["a block size of $v", system_with($size, "ltt_block_size=\"$v\"")] }
		0, 1, 25, 4294967295, '99999999999999999999', 'many', -1),
	['another endian', system_with(qr/LITTLE_ENDIAN/, 'MIDDLE')],
	['the wrong endian', system_with(qr/LITTLE_ENDIAN/, 'BIG_ENDIAN')],
	['another arch_size', system_with(qr/ILP32/, 'ILP77')]) {
	my ($what, $edit) = @$_;
	# A word of the machine that makes no sense has a usual one in its place.
	bad("G1: $what", base_g1(), $edit, exit => $what =~ /^another/ ? [0, 1] : [1, 2], say => qr{info/system\.xml|cpu/0}, perl => 1,
		why => 'blocks of no size are read for ever, or it says nothing');
}
my $block0 = sub { $_[0]{cpu} == 1 || int($_[0]{at} / 700) != 1 };
bad(sprintf('G1: a distance of 0x%x in the second block', $_), base_g1(), poke('cpu/0', 1, 696, pack 'V', $_), keep => $ALL, loose => 1,
	exit => [0, 1], say => qr{cpu/0: offset 0x}, why => 'the block\'s end is looked for outside of it')
	for 0, 1, 3, 4, 29, 699, 700, 701, 0x7fffffff, 0xffffffff;
bad("G1: an event of number $_, which nobody knows", base_g1(), poke('cpu/0', 1, 26, pack 'v', $_), keep => $block0, exit => [1],
	say => qr{cpu/0: offset 0x}, why => 'it has no size, so the block ends here') for 6, 77, 65535;
for (['the end is before the start', 26 - 8 - 4, pack 'Q<', ~0 >> 1], ['no cycles go by', 26 - 12, pack 'Q<', 2_350_000_000],
	['no time goes by', 6, pack 'VV', 1001, 900_000], ['the start is behind the end of time', 6, pack 'VV', 0xffffffff, 0xffffffff]) {
	my ($what, $off, $bytes) = @$_;
	bad("G1: $what", base_g1(), poke('cpu/0', 1, $off, $bytes), keep => $block0, why => 'it is divided by the difference');
}
bad('G1: the first block is zeros', base_g1(), poke('cpu/0', 0, 0, "\0" x 700), exit => [1], say => qr{cpu/0: offset 0x},
	keep => sub { $_[0]{cpu} == 1 || $_[0]{at} >= 700 }, why => 'the blocks behind it are lost');

for (['a FIFO', sub { POSIX::mkfifo($_[0], 0600) }], ['a directory', sub { mkdir $_[0] }], ['a link', sub { symlink "$_[0]-there", $_[0]; rename "$_[0]-old", "$_[0]-there" }]) {
	my ($what, $make) = @$_;
	bad("G1: cpu/0 is $what", base_g1(), sub { rename "$_[0]/cpu/0", "$_[0]/cpu/0-old"; $make->("$_[0]/cpu/0") }, exit => [1],
		say => qr{cpu/0: is (?:not a regular file|a symbolic link, which is not followed)}, keep => sub { $_[0]{cpu} == 1 },
		why => 'the events of a CPU are left out in silence');
}

cmp_ok($runs{1} // 0, '>', small(15, 200), 'damage was told many times (else: these tests damage nothing)');
cmp_ok($runs{0} // 0, '>', small(1, 20), 'and some of it does not matter');

done_testing();
