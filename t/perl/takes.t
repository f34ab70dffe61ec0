# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::takes: a positional sub keeps the arguments that it was written for, whatever order the trace has
# them in; and the scripts of -g, which carry such a line for each handler.
# of: interp/bind interp/api
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Run::Zedperl;

my $dat = trace(events => [map { [0, 1_000_000 * $_, 'mini::tick', $_] } 1 .. 3]);
# The same event as a later kernel might have it: other order, other sizes, a field more, one less, big endian.
my $other = trace(big => 1, types => { 'mini::tick' => field_text('u64 flags', 8, 8) . field_text('char who[4]', 16, 4, 1) . field_text('s64 n', 24, 8, 1) },
	events => [map { [0, 1_000_000 * $_, 'mini::tick', pack 'Q> a4 x4 q>', 77, "c$_", -$_] } 1 .. 3]);
my $frame = 'my ($cpu, $secs, $nsecs, $seq, @f) = @_; print join("|", map { $_ // "undef" } "$cpu.$secs.$nsecs.$seq", @f), " ";';
sub want { my ($text) = @_; return join '', map { "0.0.${_}000000.$_|" . ($text =~ s/N/$_/gr) . ' ' } 1 .. 3 }

{	# Without it: a script gets its columns shifted on another kernel, and sums up the wrong ones.
	my %takes = (	# [fields of the script, on the one trace, on the other, what is said of them]
		'who n' => ['cpu0|N', 'cN|-N'], 'n who' => ['N|cpu0', '-N|cN'], 'n' => ['N', '-N'], 'n n who n' => ['N|N|cpu0|N', '-N|-N|cN|-N'],
		'flags n' => ['undef|N', '77|-N', qr/\bflags\b/, undef], 'n gone who' => ['N|undef|cpu0', '-N|undef|cN', qr/\bgone\b/, qr/\bgone\b/],
		'whoo n' => ['undef|N', 'undef|-N', qr/\bwhoo\b/, qr/\bwhoo\b/], 'common_pid n' => ['77|N', '77|-N'],
	);
	for my $names (sort keys %takes) {
		for my $i (0, 1) {
			my $r = zedperl($i ? $other : $dat, \"use strict; Zed::takes('mini::tick', qw($names)); sub mini::tick { $frame }");
			my $said = $takes{$names}[2 + $i];
			is($r->{out}, want($takes{$names}[$i]), "takes $names, on " . ($i ? 'another kernel' : 'one kernel')) or diag $r->{err};
			$said ? like($r->{err}, qr/\A.*mini:+tick.*$said.*\n\z|\A.*$said.*mini:+tick.*\n\z/, "takes $names: one line says what is lacking")
				: is($r->{err}, '', "takes $names: nothing to say");
			is($r->{status}, 0, "takes $names: status 0");
		}
	}
	my $r = zedperl($dat, \"sub mini::tick { $frame } Zed::takes('mini::tick')");
	is($r->{out}, join('', map {"0.0.${_}000000.$_ "} 1 .. 3), 'no names: no fields');
	$r = zedperl('--force-merge', '-i', $dat, '-i', $other, \"Zed::takes('mini::tick', qw(who flags n)); sub mini::tick { $frame }");
	is($r->{out}, join('', map {"0.0.${_}000000.$_|cpu0|undef|$_ 0.0.${_}000000.$_|c$_|77|-$_ "} 1 .. 3), 'two kernels in one run');
	is(scalar(lines($r->{err})), 1, 'what one of them lacks is said once') or diag $r->{err};
}

{	# Without it: a line of a script that was written elsewhere ends it here, or a wrong one goes unseen.
	my $r = zedperl($dat, \"Zed::takes('mini::tock', qw(n)); Zed::takes('mini::tick', qw(who)); sub mini::tick { $frame }");
	is("$r->{status} $r->{out}", '0 ' . want('cpu0'), 'an event that the trace does not have is no failure');
	unlike($r->{err}, qr/\n.*\n/, 'and at most one line') or diag $r->{err};
	$r = zedperl($dat, \"Zed::takes('nosuch::event', qw(a b c)); sub nosuch::event { } Zed::takes('mini::tick', qw(who)); sub mini::tick { $frame }");
	is("$r->{status} $r->{out}", '0 ' . want('cpu0'), 'nor is a system that it does not have');
	for my $bad ('', 'undef', '"tick", "n"', '"", "n"', '"mini::tick", undef', '"mini::tick", ["n"]') {
		$r = zedperl($dat, \"\nno warnings; Zed::takes($bad); print 'no'");
		is("$r->{status} $r->{out}", '255 ', "Zed::takes($bad) is refused");
		like($r->{err}, qr/Zed::takes.* at \Q$r->{script}\E line 2\.$/m, "Zed::takes($bad): with the line of the script");
	}
}

# Whenever and however the sub comes to be: [what, code, output]
my @when = (
	['before the sub', 'Zed::takes("mini::tick", "who"); sub mini::tick { print "$_[4] " }', 'cpu0 cpu0 cpu0 '],
	['behind the sub', 'sub mini::tick { print "$_[4] " } Zed::takes("mini::tick", "who")', 'cpu0 cpu0 cpu0 '],
	['in BEGIN', 'BEGIN { Zed::takes("mini::tick", "who") } sub mini::tick { print "$_[4] " }', 'cpu0 cpu0 cpu0 '],
	['imported', 'use Zed "takes"; takes("mini::tick", "who"); sub mini::tick { print "$_[4] " }', 'cpu0 cpu0 cpu0 '],
	['in trace_begin', 'sub trace_begin { Zed::takes("mini::tick", "who") } sub mini::tick { print "$_[4] " }', 'cpu0 cpu0 cpu0 '],
	['a sub that trace_begin makes', 'Zed::takes("mini::tick", "who"); sub trace_begin { eval q{sub mini::tick { print "$_[4] " }} }', 'cpu0 cpu0 cpu0 '],
	['a sub that a handler makes', 'Zed::takes("mini::tick", "who"); Zed::on("mini", args => ["n"], sub { eval q{sub mini::tick { print "$_[4] " }} if $_[0] == 1 })', 'cpu0 cpu0 '],
	['a sub that is defined anew', 'no warnings; Zed::takes("mini::tick", "who"); sub mini::tick { print "old $_[4] "; *mini::tick = sub { print "new $_[4] " } }', 'old cpu0 new cpu0 new cpu0 '],
	['in the handler itself', 'sub mini::tick { print "$_[4] "; Zed::takes("mini::tick", "who") if $_[3] == 1 }', '1 cpu0 cpu0 '],
	['changed in the handler', 'Zed::takes("mini::tick", "n"); sub mini::tick { print "$_[4] @{[scalar @_]} "; Zed::takes("mini::tick", qw(who n)) if $_[3] == 2 }', '1 5 2 5 cpu0 6 '],
	['the last one holds', 'Zed::takes("mini::tick", "n"); Zed::takes("mini::tick", "who"); sub mini::tick { print "$_[4] " }', 'cpu0 cpu0 cpu0 '],
	['AUTOLOAD', 'Zed::takes("mini::tick", "who"); sub mini::AUTOLOAD { print "$mini::AUTOLOAD $_[4] " }', 'mini::tick cpu0 ' x 3],
	['AUTOLOAD that makes the sub', 'Zed::takes("mini::tick", "who"); package mini; sub tick; sub AUTOLOAD { our $AUTOLOAD; no strict "refs"; print "load "; *$AUTOLOAD = sub { print "$_[4] " }; goto &$AUTOLOAD }',
		'load cpu0 cpu0 cpu0 '],
	['no sub at all', 'Zed::takes("mini::tick", "who"); sub trace_unhandled { print "$_[0] $_[5] " }', 'mini::tick 1 mini::tick 2 mini::tick 3 '],
	['beside a named handler', 'Zed::takes("mini::tick", "who"); sub mini::tick { print "$_[4]" } Zed::on("mini:tick", args => ["n"], sub { print "@_ " })', 'cpu01 cpu02 cpu03 '],
	['keeping what it got', 'Zed::takes("mini::tick", qw(who n)); sub mini::tick { push @k, \@_; $l = \$_[4] } sub trace_end { print "$$_[4]$$_[5] " for @k; print $$l }', 'cpu01 cpu02 cpu03 cpu0'],
	['called a thousand times', 'sub mini::tick { print "$_[4] "; Zed::takes("mini::tick", $_ % 2 ? "n" : "who") for 1 .. 1000 }', '1 cpu0 cpu0 '],
	['in trace_end', 'sub mini::tick { print "$_[4] " } sub trace_end { eval { Zed::takes("mini::tick", "who") } }', '1 2 3 '],
);
for my $case (@when) {
	my ($what, $code, $out) = @$case;
	my $r = zedperl($dat, \$code);
	is("$r->{status} $r->{sig} $r->{out}", "0 0 $out", "when: $what") or diag $r->{err};
}

{	# Without it: names that no Perl sub can have cannot be declared.
	my $odd = trace(types => { '9p::9p_req' => field_text('u32 v', 8, 4) . field_text('u32 w', 12, 4) }, events => [[0, 1000, '9p::9p_req', pack 'L2', 1, 2]]);
	my $r = zedperl($odd, \'Zed::takes("_9p::9p_req", qw(w v)); sub _9p::9p_req { print "@_[4, 5]" }');
	is($r->{out}, '2 1', 'the name of the sub is what counts');
}

SKIP: {	# Without it: wakeup-latency and its like count nothing since 5.14 took `success` away.
	my @dat = grep { -e } map { Compare::RealData::own() . "/$_.dat" } qw(demo small_be_zstd small_be_v6 i386_zstd armhf_zstd subbuf16 rt);
	for my $dat (@dat) {
		my ($name) = $dat =~ m{([^/]+)\.dat\z};
		my $r = zedperl($dat, \'Zed::takes("sched::sched_wakeup", qw(comm pid prio success target_cpu));
			sub sched::sched_wakeup { my ($comm, $pid, $prio, $success, $cpu) = @_[4 .. $#_];
				$n++; $wrong++ if defined $success || $comm ne Zed::field("comm") || $pid != Zed::field("pid") || $prio != Zed::field("prio") || $cpu != Zed::field("target_cpu") }
			sub trace_end { print "$n ", $wrong // 0 }');
		my ($counts) = Compare::RealData::raw_counts(Compare::RealData::reference($dat, 'raw'));
		is($r->{out}, "$counts->{sched_wakeup} 0", "$name: a list of an older kernel: each wakeup, each in its place") or diag $r->{err};
		like($r->{err}, qr/\A.*\bsuccess\b.*\n\z/, "$name: success is said to be lacking, once");
	}
}

{	# Without it: a script that -g wrote for one kernel reads another's columns.
	my $r = zedperl('-g', 'all', $dat);
	my $gen = script($r->{out});
	like($r->{out}, qr/^\s*Zed::takes\('?mini::tick'?,\s*(?:=>\s*)?qw\(n who\)\);/m, '-g writes the fields down that the script is made for') or diag $r->{err};
	my ($a, $b) = map { zedperl($_, $gen)->{out} } $dat, $other;
	like($a, qr/\bn=1\b.*who=cpu0/s, 'its script prints the one trace');
	like($b, qr/\bn=-1\b.*who=c1/s, 'and the other by the same names') or diag $b;
	my %kinds = ('all::kinds' => field_text('u32 v[2]', 8, 8) . field_text('u8 b[4]', 16, 4) . field_text('__data_loc char[] s', 20, 4, 1) . field_text('int i', 24, 4, 1));
	my $full = trace(types => \%kinds, events => [[0, 1000, 'all::kinds', pack 'L2 C4 L l a4', 5, 6, 1 .. 4, 4 << 16 | 28, -7, 'txt']]);
	my $bare = trace(types => { 'all::kinds' => field_text('int i', 8, 4, 1) . field_text('u64 new', 16, 8) }, events => [[0, 1000, 'all::kinds', pack 'l x4 Q', -8, 9]]);
	$gen = script(zedperl('-g', 'all', $full)->{out});
	my ($f, $g) = map { zedperl($_, $gen) } $full, $bare;
	like($f->{out}, qr/\bv=\[5 6\]\n\s+b=01020304\n\s+s=txt\n\s+i=-7\n/, 'fields of all kinds');
	like($g->{out}, qr/\bi=-8\n/, 'and where all but one are not there');
	unlike($g->{out}, qr/new|\b9\b\n/, 'what is new is left out');
	is("$g->{status} $g->{sig}", '0 0', 'without a death');
	is(scalar(lines($g->{err})), 1, 'one line says what is not there') or diag $g->{err};
}

done_testing;
