# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF, a part of the time: of packets of other times only the heads are read, or less by the index, and the answer is the one
# that reading everything gives: events, tasks, losses and their times; whatever the index says.  Without it a second of a trace
# of an hour takes as long as the hour, or lacks events by a damaged index.
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
use Write::Ctf2 qw(ctf2_event ctf2_head ctf2_int ctf2_metadata ctf2_struct);

my $tmp = zed_tmp();
my $turns = $ENV{TURNS} // small(15, 120);
my $SIZE = 16_384;

# ---------------------------------------------------------------- a trace

# 40 packets of a file, of times 1000 K + 100 to 1000 K + 900: {begin, end, number, lost ...}.  At 7 and 30 some events are lost,
# before 20 there is a gap.
sub packets {
	my ($shift, $event) = @_;
	my $lost = 0;
	return map {
		my $k = $_;
		$lost += { 7 => 5, 30 => 3 }->{$k} // 0;
		{ begin => 1000 * $k + 100, end => 1000 * $k + 900, number => $k + ($k >= 20), lost => $lost, size => $SIZE,
			events => [map { $event->($k, 1000 * $k + $shift + 80 * $_) } 2 .. 9] };
	} 0 .. 39;
}

# The bytes of the index of these packets.
sub index_of {
	my $at = 0;
	return pack 'N4 (Q>)*', 0xc1f1dcc1, 1, 1, 72, map { my $from = $at; $at += $SIZE; ($from, 8 * $SIZE, 8 * $SIZE, @$_{qw(begin end lost)}, 0, 0, $_->{number}) } @_;
}

my $tick = sub { my ($k, $ts) = @_; return [1, $ts, sub { $_[0]->int(100 + $k, 32)->int($ts, 32)->string('x' x 1800) }] };
my $TICK = ctf_head(with => "\tevent.context := struct { uint32_t _vtid; };") . "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { uint32_t _n; string _s; }; };\n";
my @files = ([packets(0, $tick)], [packets(37, $tick)]);
my %data = map { ("chan_$_" => ctf_packets({}, @{$files[$_]})) } 0, 1;
my %index = map { ("chan_$_.idx" => index_of(@{$files[$_]})) } 0, 1;

# Of packets without an end nothing is known before they are read.
my $all = ctf_write("$tmp/all", $TICK =~ s/timestamp_end/timestamp_fin/r, %data);
my $heads = ctf_write("$tmp/heads", $TICK, %data);
my $indexed = ctf_write("$tmp/indexed", $TICK, %data);
ctf_write("$tmp/indexed/index", '', %index);

# ---------------------------------------------------------------- answers

# What zedprint says of DIR: each event but for its number, which counts those that were read.
sub answer {
	my ($dir, @args) = @_;
	my $r = zed_run('zedprint', '-f', 'json', @args, $dir);
	return ($r->{out} =~ s/"seq":\d+,?//gr, $r->{err}, $r->{exit});
}

# What a script hears of losses.
sub losses {
	my ($dir, @args) = @_;
	my $r = zed_run('zedperl', @args, '-MZed=handlers,a', '-e', 'sub a::tick { $n++ } sub trace_lost { print "lost @_\n" } sub trace_end { print "$n events\n" } our $n = 0;', $dir);
	return "$r->{out}$r->{err}";
}

sub bytes_read {
	my ($dir, @args) = @_;
	my $r = zed_run('zedperl', @args, '-MZed=handlers,a', '-e', 'sub a::tick { } sub trace_end { open my $h, "<", "/proc/self/io" or die; print grep { /^rchar/ } <$h> }', $dir);
	return $r->{out} =~ /^rchar: (\d+)/ ? $1 : die "$r->{out}$r->{err}";
}

my @windows = ([15_500, 18_400], [0, 2_450], [37_700, 60_000], [3_300, 9_100], [7_950, 8_050], [19_950, 20_300], [21_000, 21_050], [29_000, 32_000], [20_400, 20_401], [0, 39_999], [90_000, 99_999]);
for (@windows) {
	my ($start, $end) = @$_;
	my @args = ('--start', sprintf('%.9f', $start / 1e9), '--end', sprintf '%.9f', $end / 1e9);
	my ($want, $want_err) = answer($all, @args);
	my $n = () = $want =~ /a::tick/g;
	my $count = grep { $_ >= $start && $_ <= $end } map { map { $_->[1] } map { @{$_->{events}} } @$_ } @files;
	is($n, $count, "$start to $end: $count events, by arithmetic");
	for (['heads', $heads], ['index', $indexed]) {
		my ($how, $dir) = @$_;
		my ($got, $err) = answer($dir, @args);
		is($got, $want, "$start to $end, $how: the answer of reading all (else: events, tasks or losses are missing at the edges)");
		is($err =~ s/\Q$dir\E/DIR/gr, $want_err =~ s/\Q$all\E/DIR/gr, '... and the same messages');
		is(losses($dir, @args) =~ s/\Q$dir\E/DIR/gr, losses($all, @args) =~ s/\Q$all\E/DIR/gr, '... and a script hears of the same losses');
	}
}

# Stamps of 32 bits, which begin again between these packets: also the time at which a packet ends.
{
	my @head = ctf2_head({});
	my $class = sub { my ($role) = @_; return ctf2_int({}, 32, roles => [$role]) };
	$head[-1]{'packet-context-field-class'} = ctf2_struct(size => $class->('packet-total-length'), begin => $class->('default-clock-timestamp'),
		end => $class->('packet-end-default-clock-timestamp'));
	$head[-1]{'event-record-header-field-class'} = ctf2_struct(at => $class->('default-clock-timestamp'));
	my $wrap = 1 << 32;
	my @times = map { $wrap - 1000 + 300 * $_ } 0 .. 9;
	my $bytes = join '', map { pack 'V a16 V V V V (VV)*', 0xc1fc1fc1, 'u' x 16, 0, 8 * 52, map { $_ & 0xffff_ffff } $_, $_ + 200, map { ($_, 7) } $_, $_ + 200 } @times;
	my $dir = ctf_write("$tmp/narrow", ctf2_metadata(@head, ctf2_event(0, 'a:tick', ctf2_struct(n => ctf2_int({}, 32)))), chan_0 => $bytes);
	for ([$wrap - 1000, $wrap - 500], [$wrap - 300, $wrap + 300], [$wrap + 1000, $wrap + 1400], [0, 5000]) {
		my ($start, $end) = @$_;
		my ($got, $err) = answer($dir, '--start', sprintf('%d.%09d', $start / 1e9, $start % 1e9), '--end', sprintf '%d.%09d', $end / 1e9, $end % 1e9);
		my @want = grep { $_ >= $start && $_ <= $end } map { ($_, $_ + 200) } @times;
		is(join(' ', $got =~ /"ts":(\d+)/g), "@want", "$start to $end: stamps of 32 bits (else: packets after the first 4 seconds are passed over)") or diag $err;
	}
}

# ---------------------------------------------------------------- what is read

{
	my @args = ('--start', '0.000025500', '--end', '0.000026400');
	my ($whole, $by_heads, $by_index) = map { bytes_read($_, @args) } $all, $heads, $indexed;
	my $nothing = bytes_read(ctf_write("$tmp/nothing", $TICK, chan_0 => ctf_packets({}, { begin => 1, end => 2 })));
	$_ -= $nothing for $whole, $by_heads, $by_index;
	cmp_ok($whole, '>', 80 * 14_000, "all is $whole bytes");
	cmp_ok($by_heads, '<', $whole / 2, "of other packets the heads are read ($by_heads bytes; else: a second takes as long as the hour)");
	cmp_ok($by_index, '<', $by_heads, "with an index not even these ($by_index bytes)");
	my $r = zed_run('zedprint', '--summary', @args, $indexed);
	like($r->{out}, qr/^ +events +(\d+) \(filtered\)$/m, 'the summary does not count what was not read');
}

# ---------------------------------------------------------------- an index that is not true

srand($ENV{SEED} // 20261127);
my @args = ('--start', '0.000016500', '--end', '0.000018400');
my ($want) = answer($all, @args);
my ($wrong, $noticed, $failed) = (0, 0, 0);
for (1 .. $turns) {
	my $bytes = $index{'chan_0.idx'};
	my $at = int rand length $bytes;
	substr($bytes, $at, 1) = chr(ord(substr $bytes, $at, 1) ^ 1 << int rand 8);
	ctf_write("$tmp/indexed/index", '', %index, 'chan_0.idx' => $bytes);
	my ($got, $err, $exit) = answer($indexed, @args);
	$wrong++, diag("byte $at") if $got ne $want;
	$noticed++ if $err =~ /its index does not fit it, and is not used/;
	$failed++ if $exit;
}
is($wrong, 0, "$turns wrong bytes in an index: the answer is right (else: a damaged index hides events)");
cmp_ok($noticed, '>', 0, "... $noticed were noticed");
is($failed, 0, '... and none is damage of the trace');
ctf_write("$tmp/indexed/index", '', %index, 'chan_0.idx' => index_of(map { { %$_, begin => $_->{begin} + 8000, end => $_->{end} + 8000 } } @{$files[0]}));
my ($got, $err) = answer($indexed, @args);
is($got, $want, 'an index of another time: the answer is right');
like($err, qr/chan_0: its index does not fit it, and is not used/, '... and a message says that it is not believed');
ctf_write("$tmp/indexed/index", '', %index, 'chan_0.idx' => $index{'chan_1.idx'}, 'chan_1.idx' => 'nothing of the kind');
is((answer($indexed, @args))[0], $want, 'another file as an index');

# ---------------------------------------------------------------- the kernel's

{
	my $env = { domain => 'kernel', sysname => 'Linux', kernel_release => '5.15.0-1', hostname => 'h' };
	my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
	my $int = 'integer { size = 32; align = 8; signed = true; }';
	my $text = ctf_head(env => $env) . "event { name = \"sched_switch\"; id = 1; stream_id = 0; fields := struct { $comm _prev_comm[16]; $int _prev_tid; $int _prev_prio; "
		. "integer { size = 64; align = 8; signed = true; } _prev_state; $comm _next_comm[16]; $int _next_tid; $int _next_prio; }; };\n"
		. "event { name = \"irq_softirq_entry\"; id = 2; stream_id = 0; fields := struct { uint32_t _vec; string _s; }; };\n";
	my $event = sub {
		my ($k, $ts) = @_;
		return [2, $ts, sub { $_[0]->int(1, 32)->string('x' x 1800) }] if $k || $ts > 300;
		return [1, $ts, sub { $_[0]->bytes(pack 'a16', 'before')->int(7, 32)->int(20, 32)->int(1, 64)->bytes(pack 'a16', 'runs')->int(8, 32)->int(20, 32) }];
	};
	my %kernel = (chan_0 => ctf_packets({}, packets(0, $event)));
	my ($whole, $part) = (ctf_write("$tmp/kernel-all", $text =~ s/timestamp_end/timestamp_fin/r, %kernel), ctf_write("$tmp/kernel", $text, %kernel));
	my @early = ('--start', '0.000005000', '--end', '0.000006000');
	my ($kernel) = answer($part, @early);
	is($kernel, (answer($whole, @early))[0], 'the kernel: the same answer');
	like($kernel, qr/"pid":8,/, '... who runs is known from a switch long before (else: nobody runs at the begin of a window)');
	my $more = 'sub irq::softirq_entry { } sub trace_end { open my $h, "<", "/proc/self/io" or die; print grep { /^rchar/ } <$h> }';
	my @read = map { zed_run('zedperl', @early, '-e', $more, $_)->{out} =~ /(\d+)/ ? $1 : 0 } $whole, $part;
	cmp_ok($read[0] - $read[1], '>', 30 * 500, '... and after the window nothing is read');
}

done_testing();
