# SPDX-License-Identifier: GPL-2.0-or-later
#
# parts-ctf: analyses of parts of a CTF trace (--map --part K/N): together they are the answer of the whole; its first and last
# times are found in the first and last packets, by the index or without one; states of it are of one trace, however much of it
# was read.  Without it a trace of LTTng is read by one process, or its losses count in two parts, or in none.
#
# of: reader/ctf run/period.c programs/zedperl/identity.c
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Files;
use Pass;
use Run::Fleet;
use Run::FleetParts;
use Run::Program;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::LttngMiniature;

my $tmp = zed_tmp();

# ---------------------------------------------------------------- small ones, with losses

# Two CPUs on which tasks run, are woken, interrupted, and call the kernel; N events, every 29th after a loss.
sub busy {
	my ($dir, $n) = @_;
	my @running = (0, 0);
	my @events;
	for my $i (0 .. $n - 1) {
		my ($cpu, $ts) = ($i % 2, 10 * $i);
		my $at = $i % 29 == 28 ? "$cpu!3" : $cpu;
		my $pid = $running[$cpu];
		my $next = 10 + $cpu + 2 * ($i % 3);
		push @events, "$ts $at $pid " . ($i % 5 < 2 ? "switch $pid S $next" : $i % 5 == 2 ? "waking $next" : $i % 5 == 3 ? 'softirq 1' : 'softirqx 1');
		$running[$cpu] = $next if $i % 5 < 2;
	}
	return lttng_miniature($dir, join(' | ', @events), part => 7);
}

my $busy = busy("$tmp/busy", 400);
for my $analysis (small(1, undef) ? 'lost' : qw(lost sched-summary off-cpu wakeup-latency waits softirq summary)) {
	parts_agree($analysis, $busy);
}

# A loss on CPU 1 from 550 to 570 us; at 552 us the next event is that of another CPU.
{
	my $r = fleet_run($busy, 'waits', '--every', '552us');
	like((split /^552 us from/m, $r->{out})[1], qr/an unknown share of 3 on CPU 1 between 1\.000550000 and 1\.000570000/, 'a loss that reaches out of an interval is said, of whatever CPU (else: counts look whole)');
}

# ---------------------------------------------------------------- when it begins and ends

sub period_of {
	my ($dir, @args) = @_;
	my $r = zed_run('zedperl', @args, '-e', 'sub trace_begin { print join(" ", Zed::start(), Zed::end()), "\n" }', $dir);
	return $r->{out} . $r->{err};
}

my $TICK = ctf_head() . "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { string _s; }; };\n";
sub ticks { return [map { [1, $_, sub { $_[0]->string('x' x 2000) }] } @_] }
sub packet { my ($begin, $end, $number, @ticks) = @_; return { begin => $begin, end => $end, number => $number, size => 16_384, events => ticks(@ticks) } }

# The bytes of the index of packets of 16 KiB.
sub index_of {
	my $at = 0;
	return pack 'N4 (Q>)*', 0xc1f1dcc1, 1, 1, 72, map { my $from = $at; $at += 16_384; ($from, 131_072, 131_072, @$_{qw(begin end)}, $_->{lost} // 0, 0, 0, $_->{number}) } @_;
}

# The last packet of one is empty, as LTTng writes them when a session ends; 60 of each.
my @packets = map { my $k = $_; packet(1000 * $k, 1000 * $k + 900, $k, map { 1000 * $k + 100 * $_ } 1 .. 3) } 1 .. 60;
my @others = (packet(500, 900, 1, 600), (map { my $k = $_; packet(1000 * $k, 1000 * $k + 999, $k + 1, 1000 * $k + 7) } 1 .. 59), packet(60_000, 60_950, 61), packet(60_950, 60_960, 62));
$_->{cpu} = 1 for @others;
my %data = (chan_0 => ctf_packets({}, @packets), chan_1 => ctf_packets({}, @others));
my $heads = ctf_write("$tmp/heads", $TICK, %data);
my $indexed = ctf_write("$tmp/indexed", $TICK, %data);
ctf_write("$tmp/indexed/index", '', 'chan_0.idx' => index_of(@packets), 'chan_1.idx' => index_of(@others));
is(period_of($heads), "600 60300\n", 'the first and the last event, by the heads of packets');
is(period_of($indexed), "600 60300\n", '... by an index');
is(period_of($heads, '--wall'), join(' ', map { $_ + 1_500_000_000_000_000_007 } 600, 60_300) . "\n", '... of wall times');
ctf_write("$tmp/indexed/index", '', 'chan_0.idx' => index_of(map { { %$_, end => $_->{end} + 1 } } @packets));
is(period_of($indexed), "600 60300\n", '... and by the heads, if the index says something else');
my $overlaps = ctf_write("$tmp/overlaps", $TICK, chan_0 => ctf_packets({}, packet(1000, 9000, 0, 1100, 8900), packet(1500, 3000, 1, 1600, 2900)));
is(period_of($overlaps) =~ s/^zedperl.*\n//gmr, "1100 8900\n", 'packets that overlap: the last event is not in the last one');
is(period_of(ctf_write("$tmp/bare", $TICK =~ s/timestamp_end/timestamp_fin/r, %data)), "600 60300\n", 'packets that do not say when they end');

sub bytes_read {
	my ($dir, @args) = @_;
	my $r = zed_run('zedperl', @args, '-MZed=handlers,a', '-e', 'sub a::tick { } sub trace_end { open my $h, "<", "/proc/self/io" or die; print grep { /^rchar/ } <$h> }', $dir);
	return $r->{out} =~ /^rchar: (\d+)/ ? $1 : die "$r->{out}$r->{err}";
}

{
	my @last = ('--start', '-1us');
	my $nothing = bytes_read(ctf_write("$tmp/nothing", $TICK, chan_0 => ctf_packets({}, { begin => 1, end => 2 })), @last);
	my ($by_heads, $all) = map { $_ - $nothing } bytes_read($heads, @last), bytes_read($heads);
	cmp_ok($by_heads, '<', $all / 2, "--start -1us reads the heads and the last packets: $by_heads of $all bytes (else: the last second of an hour takes as long as the hour)");
	my $r = zed_run('zedprint', '-f', 'json', @last, $heads);
	is(join(' ', $r->{out} =~ /"ts":(\d+)/g), '59300 60100 60200 60300', '... and has the events from then on') or diag $r->{err};
}

{
	# Events in the middle that make no sense: nobody who does not read them knows.
	my $bytes = $data{chan_0};
	substr $bytes, 20 * 16_384 + 200, 7000, "\xff" x 7000;
	for (['heads'], ['index', 'index/chan_0.idx' => index_of(@packets), 'index/chan_1.idx' => index_of(@others)]) {
		my ($how, %index) = @$_;
		my $dir = ctf_write("$tmp/broken-$how", $TICK, %data, chan_0 => $bytes);
		ctf_write("$dir/index", '', map { (s{index/}{}r => $index{$_}) } keys %index) if %index;
		my $last = join '', (split /^/, zed_run('zedprint', '-f', 'json', $heads)->{out} =~ s/"seq":\d+,//gr)[-5 .. -1];
		my $r = zed_run('zedprint', '-f', 'json', '--tail', 5, $dir);
		is($r->{out} =~ s/"seq":\d+,//gr, $last, "--tail 5, by the $how: the last five events");
		is("$r->{exit} $r->{err}", '0 ', '... and those before them are not read (else: the last lines of a day take as long as the day)');
		isnt(zed_run('zedprint', '-f', 'json', $dir)->{exit}, 0, '... which were damaged');
	}
}

# ---------------------------------------------------------------- one trace is one trace

sub identity {
	my ($dir, @args) = @_;
	return fleet_run('--map', @args, $dir, 'summary')->{out} =~ /"id":"(.*?)"/ ? $1 : 'none';
}

my $id = identity($heads);
is(identity($heads, '--part', '2/3'), "$id+2.3", 'a part is of the trace that the whole is (else: states of parts do not fit together)');
is(identity(ctf_write("$tmp/copy", $TICK, %data)), $id, 'a copy is the same trace');
isnt(identity(ctf_write("$tmp/later", $TICK, %data, chan_0 => ctf_packets({}, map { { %$_, begin => $_->{begin} + 1 } } @packets))), $id,
	'another chunk, of the same sizes, is not (else: one of the two is left out)');

# ---------------------------------------------------------------- several processes

{
	my @script = ('-e', 'my $n = Zed::count("*:*", by => "event"); sub trace_end { print map { "$_->{event} $_->{count}\n" } $n->rows }');
	my $whole = fleet_run(@script, $busy);
	my $r = fleet_run('-j', 2, @script, $busy);
	is_deeply([@$r{qw(out status)}], [$whole->{out}, 0], '-j: the answer of one process') or diag $r->{err};
	unlike($r->{err}, qr/one process/, '... of several');
}

# ---------------------------------------------------------------- a real one

SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf" || small(1, undef);
	my %of = ('lttng-kernel-4.4' => [qw(sched-summary off-cpu why-late irq syscalls block)], 'hello-lost' => [qw(lost summary)]);
	for my $name (sort keys %of) {
		my $dir = "$tmp/$name";
		mkdir $dir or die "$dir: $!\n";
		system('tar', '--zstd', '-C', $dir, '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
		parts_agree($_, $dir) for @{$of{$name}};
	}
}

done_testing();
