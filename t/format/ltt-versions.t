# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every type in every form of an LTT trace of versions 0.4 to 0.7 and of generation 1 (t/lib/Run/LttVersions.pm).  Without it
# fields, times or sequences of an old trace are misread.  ltt-blocks.t has the rest of the format, ltt-real.t real events.
#
# of: reader/ltt
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Pass;
use Run::LttVersions;
use Run::Program;
use Write::Ltt;

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
# One of each version and word size.
@forms = @forms[grep { $_ % 7 == 3 } 0 .. $#forms] if small();
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

if (!small()) {
	for my $version ('0.4', '0.6') {
		for my $style ({ slips => 1 }, { upper => 1, comment => 1 }, { quote => 1 }, { format => 1, flags => 1 }, { say => 0 },
			$version eq '0.4' ? { lengthsize => 1 } : { slash => 0 }) {
			my $w = Write::Ltt->new(version => $version, xml => $style);
			check("$version: a description's text with @{[%$style]}", every_type($w), wall => 0, perl => 0);
		}
	}
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

done_testing();
