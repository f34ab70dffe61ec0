# SPDX-License-Identifier: GPL-2.0-or-later
#
# Values: what each kind of field becomes in Perl, and that a script may do to its arguments what Perl allows
# without the next event's arguments being wrong.
# of: interp/rows interp/bind
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;

# One record with a field of every kind, in both byte orders and word sizes.
my $fields = join '', map { field_text(@$_) }
	['u8 a', 8, 1], ['s8 b', 9, 1, 1], ['u16 c', 10, 2], ['s16 d', 12, 2, 1], ['u16 pad', 14, 2],
	['u32 e', 16, 4], ['int f', 20, 4, 1], ['u64 g', 24, 8], ['s64 h', 32, 8, 1],
	['char name[8]', 40, 8, 1], ['u8 saddr[4]', 48, 4], ['u16 w[2]', 52, 4], ['s16 x[2]', 56, 4, 1],
	['unsigned int y[2]', 60, 8], ['int z[2]', 68, 8, 1],
	['__data_loc char[] text', 76, 4, 1], ['__data_loc u8[] bytes', 80, 4], ['__data_loc u64[] longs', 84, 4],
	['__data_loc cpumask_t mask', 88, 4], ['__rel_loc char[] rel', 92, 4, 1];
for my $case ([0, 8], [1, 8], [0, 4], [1, 4]) {
	my ($big, $long) = @$case;
	my $o = $big ? '>' : '<';
	my $fixed = 96;
	my $dyn = "hi\0junk" . "\xff\x00\x7f\x01" . "\0";	# text 7, bytes 4, pad
	my $longs = pack "Q$o Q$o", 1, ~0;
	my $mask = $long == 8 ? pack("Q$o", 0b1011_1100_0001) : pack("L$o L$o", 0b1011_1100_0001, 1);
	my $rel = "rel\0";
	my ($t, $b, $l) = ($fixed, $fixed + 7, $fixed + 12);
	my $m = $l + 16;
	my $r = $m + length $mask;
	my $rec = pack("C c S$o s$o x2 L$o l$o Q$o q$o Z8 C4 S$o S$o s$o s$o L$o L$o l$o l$o", 250, -5, 65000, -300,
		4000000000, -7, ~1, -9_000_000_000, 'abc', 192, 168, 0, 1, 1, 65535, -1, 2,
		4294967295, 5, -6, 7)
		. pack("L$o L$o L$o L$o L$o", 7 << 16 | $t, 4 << 16 | $b, 16 << 16 | $l, length($mask) << 16 | $m, 4 << 16 | ($r - 96))
		. $dyn . $longs . $mask . $rel;
	my $dat = trace(big => $big, long => $long, types => { 'kinds::all' => $fields }, events => [
		[0, 1000, 'kinds::all', $rec], [0, 2000, 'kinds::all', $rec]]);
	my $got = zedperl($dat, \'use strict; sub kinds::all { my @f = @_[4 .. $#_]; print join("|", map { ref ? "[@$_]" : /[^ -~]/ ? unpack("H*", $_) : $_ } @f), "\n" }');
	my $mask_text = $long == 8 ? '0,6-9,11' : '0,6-9,11,32';
	is($got->{out}, ("250|-5|65000|-300|0|4000000000|-7|18446744073709551614|-9000000000|abc|c0a80001|[1 65535]|[-1 2]" .
		"|[4294967295 5]|[-6 7]|hi|ff007f01|[1 18446744073709551615]|$mask_text|rel\n") x 2,
		'every kind of field, ' . ($big ? 'big' : 'little') . " endian, $long-byte longs") or diag $got->{err};
}

{	# Without it: an unterminated string runs into its neighbour, or a hostile record reads another's memory.
	my $f = join '', field_text('char s[4]', 8, 4, 1), field_text('__data_loc char[] d', 12, 4, 1),
		field_text('__data_loc u32[] v', 16, 4), field_text('__data_loc cpumask_t m', 20, 4);
	my $bad = 100 << 16 | 24;
	my $dat = trace(types => { 'bad::loc' => $f }, events => [
		[0, 1000, 'bad::loc', 'abcd' . pack('L3', 3 << 16 | 24, 4 << 16 | 24, 4 << 16 | 24) . "xyz\0"],
		[0, 2000, 'bad::loc', 'abcd' . pack('L3', $bad, $bad, $bad) . "xyz\0"],
		[0, 3000, 'bad::loc', 'abcd' . pack('L3', 0xffffffff, 0xffff, 0xffff0000) . "xyz\0"],
		[0, 4000, 'mini::tick', 1]]);
	my $r = zedperl($dat, \'sub bad::loc { print join("|", map { ref ? "[@$_]" : $_ } @_[4 .. 7]), "\n" } sub mini::tick { print "tick\n" }');
	is($r->{out}, "abcd|xyz|[8026488]|3-6,8,11-14,17,19-22\nabcd||[]|\nabcd||[]|\ntick\n",
		'strings without NUL are bounded; spans outside of the record are empty');
	is($r->{status}, 1, 'damage: status 1');
	is(scalar(() = $r->{err} =~ /bad::loc: field \w+ points outside the record/g), 1, 'said once') or diag $r->{err};
}

# What scripts do to their arguments.  Each must see the true values in the next call.
my $types = { 'all::kinds' => field_text('int i', 8, 4, 1) . field_text('char s[8]', 12, 8, 1) . field_text('u32 v[2]', 20, 8) };
my $dat = trace(types => $types, events => [map { [0, 1000 * $_, 'all::kinds', pack 'l Z8 L2', -$_, "str$_", $_, 10 * $_] } 1 .. 6]);
my $want = join '', map {"0 0 ${_}000 $_ -$_ str$_ $_ @{[10 * $_]}\n"} 1 .. 6;
my $show = 'my @was = @_; our $line = "@_[0 .. 5] @{$_[6]}\n"; print $line;';
my %abuse = (
	'nothing' => '',
	'keep \@_' => 'push @keep, \@_;',
	'keep \$_[n]' => 'push @keep, \$_[4], \$_[5], \$_[6];',
	'keep an alias by foreach' => 'push @keep, \$_ for @_;',
	'keep the array' => 'push @keep, $_[6];',
	'keep elements of the array' => 'push @keep, \$_[6][0];',
	'keep strings' => 'push @keep, $_[5]; $h{$_[5]} = $_[5];',
	'shift' => 'shift while @_;',
	'splice and unshift' => 'splice @_, 1, 3; unshift @_, 1 .. 20;',
	'assign' => '$_ = "changed" for @_;',
	'assign a reference' => '$_ = {} for @_;',
	'assign a number to strings' => '$_[5] = 1.5; $_[4] = "abc"; $_[4] .= "def";',
	'assign a glob' => '$_[4] = *STDOUT; $_[5] = *STDOUT;',
	'assign a regexp and a code ref' => '$_[4] = qr/x/; $_[5] = sub {};',
	'assign a long string' => '$_[5] = "x" x 100000;',
	'change in place' => '$_[5] =~ s/^s//; $_[4]++; substr($_[5], 0, 1) = ""; chop $_[5];',
	'use as the other type' => 'my $x = "$_[4]" . ($_[5] + 0) . $_[4] / 3; no warnings; $x = $_[3] . ""; $x = -$_[5];',
	'undef' => 'undef $_ for @_; undef @_;',
	'delete and exists' => 'delete $_[4]; $#_ = 2;',
	'bless' => 'bless \$_[4], "O"; bless $_[6], "O"; bless \$_[5], "O";',
	'bless and keep' => 'push @keep, bless(\$_[4], "O"), bless($_[6], "O");',
	'a class with DESTROY' => 'bless \$_[4], "D"; bless $_[6], "D";',
	'tie scalars' => 'tie $_[4], "T"; tie $_[5], "T"; tie $_[6], "T";',
	'tie the array' => 'tie @{$_[6]}, "TA";',
	'tie @_' => 'tie @_, "TA"; @_ = (1, 2);',
	'weaken' => 'require Scalar::Util; $w = \$_[4]; Scalar::Util::weaken($w); $w2 = $_[6]; Scalar::Util::weaken($w2); Scalar::Util::weaken($_[6]);',
	'weaken kept ones' => 'require Scalar::Util; push @keep, \$_[4], $_[6]; push @w, $keep[-1]; Scalar::Util::weaken($w[-1]); Scalar::Util::weaken($_[6]);',
	'pos' => '$_[5] =~ /t/g; pos($_[5]) = 1; pos($_[4]) = 1;',
	'study and vec' => 'study $_[5]; vec($_[5], 0, 8) = 65; vec($_[4], 3, 4) = 7;',
	'utf8::upgrade' => 'utf8::upgrade($_[5]); utf8::upgrade($_[4]); utf8::encode($_[5]);',
	'utf8 characters' => '$_[5] .= chr 300; $_[4] = chr 300;',
	'read-only' => 'Internals::SvREADONLY($_[4], 1); Internals::SvREADONLY($_[5], 1); Internals::SvREADONLY(@{$_[6]}, 1); Internals::SvREADONLY($_[6][0], 1);',
	'change the array' => 'push @{$_[6]}, 9; shift @{$_[6]}; $_[6][5] = 1;',
	'empty the array' => '@{$_[6]} = (); ',
	'undef the array' => 'undef @{$_[6]}; $#{$_[6]} = 50;',
	'delete in the array' => 'delete $_[6][0]; $_[6][1] = "x"; bless \$_[6][1], "D";',
	'splice and reverse the array' => '@{$_[6]} = reverse @{$_[6]}; splice @{$_[6]}, 0, 1;',
	'closures' => 'my ($c, $s) = @_[0, 5]; push @keep, sub { $s }; my $r = \@_; push @keep, sub { $r->[4] };',
	'local $_[n]' => '{ local $_[4] = 5; local $_[5]; }',
	'local *_' => '{ local *_ = [1]; $_[0] = 2; } ',
	'@_ = ' => '@_ = (1, 2, 3); push @keep, \@_;',
	'goto &sub' => 'goto &other;',
	'swap' => '@_[4, 5] = @_[5, 4];',
	'foreach that changes' => 's/.*/x/s for @_;',
	'sort in place' => 'no warnings; @_ = sort @_;',
	'sprintf and pack' => 'my $x = pack "N Z*", $_[3], $_[5]; $x = sprintf "%s %d", @_[5, 4];',
	'lvalue substr kept' => 'push @keep, \substr($_[5], 1);',
	'a formatted number' => 'my $x = $_[4] | 0; $x = $_[4] . ""; $x = 0 + $_[4]; $x = $_[4] * 1.5;',
	'chomp, lc, ucfirst' => '$_[5] = ucfirst lc $_[5]; chomp $_[5]; $_[5] x= 3;',
);
my $around = 'package D; sub DESTROY { my @x = (1) x 100; local $_; eval { die }; } package O; package T; sub TIESCALAR { bless [] } sub FETCH { 42 } sub STORE { }
	sub DESTROY { $main::untied++ } package TA; sub TIEARRAY { bless [] } sub FETCHSIZE { 1 } sub STORESIZE { } sub FETCH { 1 } sub STORE { } sub CLEAR { } sub EXTEND { } package main; sub other { $_[4] = "o"; push @keep, \@_ }';
for my $what (sort keys %abuse) {
	my $r = zedperl($dat, \"$around; sub all::kinds { $show $abuse{$what} }");
	is("$r->{status} $r->{sig} $r->{out}", "0 0 $want", "arguments: $what") or diag $r->{err};
	unlike($r->{err}, qr/panic|Attempt to free|corrupt|Modification of a read-only/, "arguments: $what: perl has nothing to say");
}

{	# Without it: what a script kept changes under its hands.
	my %keep = (
		'\@_' => ['push @k, \@_', 'join "|", map { "@$_[0 .. 5] @{$$_[6]}" } @k'],
		'\$_[n]' => ['push @k, [map { \$_ } @_]', 'join "|", map { my @v = map { $$_ } @$_; "@v[0 .. 5] @{$v[6]}" } @k'],
		'copies' => ['push @k, [@_]', 'join "|", map { "@$_[0 .. 5] @{$$_[6]}" } @k'],
		'values' => ['push @k, join " ", @_[0 .. 5], @{$_[6]}', 'join "|", @k'],
		'elements' => ['push @k, [@_[0 .. 5], \$_[6][0], \$_[6][1]]', 'join "|", map { "@$_[0 .. 5] ${$$_[6]} ${$$_[7]}" } @k'],
	);
	for my $what (sort keys %keep) {
		my ($code, $say) = @{$keep{$what}};
		my $r = zedperl($dat, \"sub all::kinds { $code } sub trace_end { print $say }");
		is($r->{out}, join('|', map {"0 0 ${_}000 $_ -$_ str$_ $_ @{[10 * $_]}"} 1 .. 6), "what was kept stays: $what") or diag $r->{err};
	}
	my $r = zedperl($dat, \'use Scalar::Util "weaken"; sub all::kinds { $w[$n] = \$_[4]; weaken($w[$n++]) } sub trace_end { print scalar grep { defined } @w }');
	is($r->{out} <= 1, 1, 'a weak reference to an argument does not keep it, nor shows another event\'s') or diag $r->{out};
	$r = zedperl($dat, \'sub T::TIESCALAR { bless [], "T" } sub T::FETCH { 1 } sub T::DESTROY { $n++ } sub all::kinds { tie $_[4], "T" } sub trace_end { print $n }');
	is($r->{out}, 5, 'a tied argument is untied when it is replaced');
	$r = zedperl($dat, \'sub D::DESTROY { print "D$n;" } sub all::kinds { $n++; bless $_[6], "D" } sub trace_end { print "end;" }');
	like($r->{out}, qr/^D1;D2;D3;D4;D5;/, 'a blessed argument is destroyed before the next call');
	$r = zedperl($dat, \'sub D::DESTROY { exit 3 } sub all::kinds { $n++; bless $_[6], "D" } sub trace_end { print "end;" }');
	is("$r->{status} $r->{out}", '3 ', 'exit in the destructor of an argument');
}

{	# Without it: memory grows with the trace.
	my $many = trace(types => { 'all::kinds' => $types->{'all::kinds'}, 'other::x' => '' }, events => [map {
		([0, 1000 * $_, 'all::kinds', pack 'l Z8 L2', -$_, "str$_", $_, 10 * $_], [0, 1000 * $_ + 1, 'other::x', '', $_ % 50 ? 0 : -1]) } 1 .. 4000]);
	my @inputs = map { ('-i', $many) } 1 .. 12;
	my $rss = 'sub rss { open my $f, "<", "/proc/self/statm" or return 0; (split " ", <$f>)[1] * 4 } sub grown { $first //= rss() if $events++ == 20000; }
		sub trace_end { print "$events ", rss() - $first, "\n" }';
	my %code = (
		'plain' => 'sub all::kinds { grown(); my ($a, $b, $c, $d, $e, $f, $g) = @_; $n{x}++ } sub other::x { grown() }',
		'trace_unhandled, trace_lost' => 'sub trace_unhandled { grown(); my @x = @_ } sub trace_lost { my ($c, $n) = @_ }',
		'keep \@_ for one event' => 'sub all::kinds { grown(); $k = \@_; $l = \$_[5] } sub other::x { grown() }',
		'closures' => 'sub all::kinds { grown(); my @a = @_; $k = sub { @a } } sub other::x { grown(); return (1) x 10 }',
		'abuse' => 'sub all::kinds { grown(); bless $_[6], "D"; $_[4] = "x" x 100; $_[5] =~ /t/g; shift; $_[0] = \@_ if 0 } sub other::x { grown(); undef @_ } sub D::DESTROY {}',
		'API' => 'sub all::kinds { grown(); my %f = Zed::fields(); my $t = Zed::ts() . Zed::event() . Zed::comm(); Zed::field("s"); my @s = Zed::symbol(1) } sub other::x { grown() }',
		'--keep-going' => 'sub all::kinds { grown(); my @x = (1) x 10; die "x\n" } sub other::x { grown(); eval { die "x" } }',
	);
	for my $what (sort keys %code) {
		my $r = zedperl($what =~ /^--/ ? $what : (), @inputs, \"$code{$what} $rss");
		my ($events, $grown) = split ' ', $r->{out};
		is($events, 96000, "memory: $what: all events") or diag $r->{err};
		cmp_ok($grown, '<', $ENV{ZED_SAN} ? 1 << 20 : 600, "memory: $what: flat");
	}
}

done_testing;
