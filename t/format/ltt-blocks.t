# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time, blocks, sizes, facilities and files of LTT traces of versions 0.4 to 0.7 and of generation 1
# (t/lib/Run/LttVersions.pm).  Without it wraps are missed, blocks end early, or one facility's events are read as another's.
#
# of: reader/ltt
# runs: make check
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Run::LttVersions;
use Run::Program;
use Write::Ltt;

my $here = 't';

# ---------------------------------------------------------------- time

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

done_testing();
