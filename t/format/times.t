# SPDX-License-Identifier: GPL-2.0-or-later
#
# Times that a user asks for: as they are shown, from the first and the last record, by the wall clock, around one,
# and while all CPUs have data.  Without it --start -1s shows another second than the last, or --relative makes two
# views of one trace disagree.
#
# of: run/times.c programs/chosen.c run/period.c reader/dat/ends.c programs/zedprint programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Compare::RealData;
use Write::RfcSource;
use Write::Rfc;
use Run::Program;
use Write::ZedStream;
use Run::Zedperl ();

my $own = Compare::RealData::own();

# zedprint's exit, messages and the times of its lines, in ns as shown.
sub zedprint {
	my (@args) = @_;
	my $o = ref $args[0] ? shift @args : {};
	my $r = zed_run($o, 'zedprint', '--force-merge', @args);
	my @ts = map { my ($s, $ns) = /, time = (\d+)(?:\.(\d{9}))?,/; defined $ns ? $s * 1_000_000_000 + $ns : $s } split /\n/, $r->{out};
	return { %$r, ts => \@ts };
}

# What ARGS show of TRACE: the numbers of its ticks.
sub shows {
	my ($want, $what, @args) = @_;
	my $r = zed_run('zedprint', @args);
	my @n = map { / n = (\d+),/ ? $1 : $_ } split /\n/, $r->{out};
	return is("@n|$r->{exit} $r->{err}", "$want|0 ", $what);
}

sub refused {
	my ($like, $what, @args) = @_;
	my $r = zed_run('zedprint', @args);
	is("$r->{exit} " . length $r->{out}, '2 0', "$what: nothing is shown");
	like($r->{err}, qr/\Azedprint: $like[^\n]*\n\z/, $what);
	return;
}

# ---- real recordings of all kinds, against what trace-cmd prints of them: microseconds, rounded
my $tried = 0;
for my $dat (map { "$own/$_.dat" } qw(demo small_v6 small_v7_zlib small_v7_zstd small_be_zstd small_be_v6 multibuf multibuf_v6
	armhf_zstd i386_v6 date ts_offset subbuf16 lost)) {
	(my $name = $dat) =~ s{.*/}{};
	my $ref = Compare::RealData::reference($dat, 'raw') or next;
	my $fh = Compare::RealData::ref_open($ref);
	my @us = sort { $a <=> $b } map { /\[\d+\]\s*(\d+)\.(\d{6}): / ? $1 * 1_000_000 + $2 : () } <$fh>;
	# a place where no rounding can put an event on the other side
	my ($k) = grep { $us[$_ + 1] - $us[$_] > 4 } int(@us / 3) .. $#us - 1;
	defined $k or next;
	my $cut = $us[$k] + 2;
	my ($after, $before) = ($#us - $k, $k + 1);
	my $from_first = '+' . ($cut - $us[0]) . 'us';
	my $to_last = '-' . ($us[-1] - $cut) . 'us';
	my $shown = sprintf '%d.%06d', int($cut / 1_000_000), $cut % 1_000_000;
	my $n = sub { scalar grep { !/^lost / } split /\n/, zed_run('zedprint', @_, $dat)->{out} };
	is($n->('--start', $shown), $after, "$name: --start $shown");
	is($n->('--start', $from_first), $after, "$name: --start $from_first (else: it counts from another record)");
	is($n->('--end', $from_first), $before, "$name: --end $from_first");
	is($n->('--start', $to_last), $after, "$name: --start $to_last (else: the last page is not found)");
	is($n->('--end', $to_last, '--relative'), $before, "$name: --end $to_last, whatever is shown");
	my $relative = sprintf '%d.%06d', int(($cut - $us[0]) / 1_000_000), ($cut - $us[0]) % 1_000_000;
	is($n->('--start', $relative, '--relative'), $after, "$name: --relative --start $relative is a time as it is shown");
	is($n->('--around', "$from_first,0.5us"), 0, "$name: --around a gap shows nothing");
	is($n->('--around', "$shown,100s"), scalar(@us), "$name: --around and all of it");
	$tried++;
}
cmp_ok($tried, '>=', 10, "$tried recordings");

# ---- the base of --relative is the trace's, whatever is left out
my $two = Run::Zedperl::trace(cpus => 2, events => [
	(map { [0, 1_000_000 + 1000 * $_, 'mini::tick', $_] } 0 .. 3),
	(map { [1, 1_000_500 + 1000 * $_, 'mini::tick', 10 + $_] } 0 .. 3),
]);
for ([], ['--cpu', 1], ['-F', 'mini:tick: n > 11'], ['--event', 'mini'], ['--start', '+2us'], ['--end', '-1us']) {
	my $some = zedprint(@$_, $two);
	my $relative = zedprint('--relative', @$_, $two);
	is_deeply($relative->{ts}, [map { $_ - 1_000_000 } @{$some->{ts}}], "--relative @$_: counts from the first record");
	my $perl = Run::Zedperl::zedperl('--relative', @$_, $two, \'sub mini::tick { print $_[1] * 1e9 + $_[2], " ", Zed::ts(), "\n" }');
	is($perl->{out}, join('', map { "$_ $_\n" } @{$relative->{ts}}), "zedperl --relative @$_: the same times");
}

# ---- inclusive at both ends, to the nanosecond; both kinds together narrow
shows('1 2', '--start +1us --end +2us', '--start', '+1us', '--end', '+2us', '--cpu', 0, $two);
shows('2 3', '--start -1.5us, of the last record of all CPUs', '--start', '-1.5us', '--cpu', 0, $two);
shows('1 11', '--around: both ends', '--around', '+1.25us,250ns', $two);
shows('2', '--around and --start narrow each other', '--around', '+1.5us,600ns', '--start', '0.001001600', '--cpu', 0, $two);
shows('0 10 1 11 2 12 3 13', 'a duration longer than the trace', '--start', '-18446744073s', '--end', '+18446744073s', $two);
shows('10 1 11 2 12 3', '--common-window: from the later first record to the earlier last one', '--common-window', $two);
shows('10 11 12 13', '--common-window of the chosen CPUs', '--common-window', '--cpu', 1, $two);
shows('1 11 2 12 3', '--common-window and --start', '--common-window', '--start', '+600ns', $two);
refused(qr/--start 0\.001002500 is after --end 0\.001001000: no event can pass; the events are from 0\.001000000 to 0\.001003500$/m, '--start after --end: what they mean, and what there is (else: +1us and -1us look right)', '--start', '-1us', '--end', '+1us', $two);
refused(qr/the times that are asked for have nothing in common, as one begins at 0\.001002999 and one ends at 0\.001001000: no event can pass/, '--around apart from --end',
	'--around', '+3us,1ns', '--end', '+1us', $two);

# ---- CPUs without events, empty pages at the end, unfinished ones, other dialects
my @ticks = map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 5;
shows('4 5', 'a CPU without data', '--start', '-1us', Run::Zedperl::trace(cpus => 3, events => \@ticks));
shows('1 2 3 4 5', 'and no part in the common window', '--common-window', Run::Zedperl::trace(cpus => 3, events => \@ticks));
for my $version (6, 7) {
	for my $compression ($version == 7 ? qw(none zlib zstd) : 'none') {
		next if $compression eq 'zstd' && !Compare::RealData::have_zstd();
		my $d = Run::Zedperl::trace(version => $version, compression => $compression,
			events => [map { [0, 200_000_000 * $_, 'mini::tick', $_] } 1 .. 40]);	# a page each
		shows('39 40', "v$version $compression: many pages, of which the last are looked at", '--start', '-0.3', $d);
		shows('1 2', "v$version $compression: and the first", '--end', '+0.3', $d);
	}
}
{
	my $bytes = Compare::RealData::slurp(my $path = Run::Zedperl::trace(version => 6, events => \@ticks));
	# v6's table of CPUs: its size grows by pages that say nothing
	my $m = Write::Dat->new(version => 6, cpus => 1);
	$m->write(my $mini = Compare::RealData::temp() . '.dat');
	my $all = zedprint($mini);
	my $last = zedprint('--start', '-0', $mini);
	is($last->{ts}[-1], $all->{ts}[-1], 'the last record alone');
	is(scalar @{$last->{ts}}, scalar(grep { $_ == $all->{ts}[-1] } @{$all->{ts}}), 'and those of its time');
	substr($bytes, -3000) = '';
	my $cut = Compare::RealData::temp() . '.dat';
	open my $fh, '>:raw', $cut or die;
	print $fh $bytes;
	close $fh;
	is(zedprint('--start', '-1us', $cut)->{ts}[-1], zedprint($path)->{ts}[-1], 'a file that ends within its last page');
}
my $nothing = Run::Zedperl::trace(events => []);
for (['--start', '+1'], ['--end', '-1'], ['--around', '+1,1'], ['--relative']) {
	my $r = zed_run('zedprint', @$_, $nothing);
	is("$r->{exit} $r->{out}$r->{err}", '0 ', "no records at all: @$_");
}
refused(qr/--common-window: there is no time at which all CPUs have data/, '--common-window of nothing', '--common-window', $nothing);
refused(qr/--common-window: there is no time/, '--common-window of CPUs one after the other', '--common-window',
	Run::Zedperl::trace(cpus => 2, events => [[0, 1000, 'mini::tick', 1], [1, 2000, 'mini::tick', 2]]));

# ---- buffers and inputs: the ends of all of them
my $instances = Run::Zedperl::trace(version => 7, instances => ['foo'], events => [
	[0, 5000, 'mini::tick', 5], [0, 2000, 'mini::tick', 2, undef, 'foo'], [0, 9000, 'mini::tick', 9, undef, 'foo']]);
shows('2 5', 'two buffers: the first record of both', '--end', '+3us', $instances);
shows('9', 'whichever is shown', '--start', '-4us', '--instance', 'foo', $instances);
shows('5', 'the common window of two buffers', '--common-window', $instances);
shows('3 4 5', 'the last record of two inputs', '--start', '-4us', Run::Zedperl::trace(events => [[0, 7000, 'other::x', pack 'l', 1]],
	types => { 'other::x' => Run::Zedperl::field_text('int x', 8, 4, 1) }), Run::Zedperl::trace(events => \@ticks), '--event', 'mini');

# ---- zed streams: a file is read twice, a pipe cannot be
my $zed = Write::ZedStream::from_dat("$own/demo.dat")->write(Compare::RealData::temp() . '.zed');
for (['--start', '-1ms'], ['--relative', '--cpu', 0], ['--end', '+2ms']) {
	is(zed_run('zedprint', @$_, $zed)->{out}, zed_run('zedprint', @$_, "$own/demo.dat")->{out}, "a zed stream in a file: @$_");
}
is(zed_run({ stdin => $zed }, 'zedprint', '--start', '-1ms', '-')->{out}, zed_run('zedprint', '--start', '-1ms', $zed)->{out},
	'and as standard input');
sub through_pipe {
	my ($path, @args) = @_;
	return zed_run('sh', '-c', 'cat "$1" | { shift; exec "$@"; }', 'sh', $path, zed_bin('zedprint'), @args, '-');
}
is(through_pipe("$own/demo.dat", '--start', '-1ms')->{out}, zed_run('zedprint', '--start', '-1ms', "$own/demo.dat")->{out},
	'a trace.dat through a pipe is copied, and its ends are known');
is(through_pipe($zed, '--relative')->{out}, zed_run('zedprint', '--relative', $zed)->{out},
	'--relative through a pipe counts from what comes first');
is(through_pipe($zed, '--relative', '--event', 'sched')->{out}, zed_run('zedprint', '--relative', '--event', 'sched', $zed)->{out},
	'whatever --event leaves out');
for (['--start', '-1s'], ['--end', '+1s'], ['--around', '+1,1'], ['--common-window'], ['--relative', '--start', '1']) {
	my $r = through_pipe($zed, @$_);
	my ($option) = grep { /^--(?!relative)/ } @$_;
	is("$r->{exit} $r->{out}", '2 ', "@$_ of a zed stream through a pipe");
	like($r->{err}, qr/\Azedprint: -: $option: is read as it comes: .*save it to a file first\n\z/, 'says what to do');
}
is(through_pipe($zed, '--start', '7.3')->{out}, zed_run('zedprint', '--start', '7.3', $zed)->{out}, 'a time as it is shown needs no ends');

# ---- the RFC's compressed layouts
{
	my $source = Write::RfcSource::source_read("$own/small_v7_none.dat");
	for my $shape ([buffer => 'pages'], [zip_cpu => 1]) {
		my $path = Compare::RealData::temp() . '.dat';
		Write::Rfc::rfc_write($source, $path, compression => 'zlib', @$shape);
		my $plain = zedprint("$own/small_v7_none.dat")->{ts};
		for ('--start -5ms', '--end +5ms') {
			my $ts = zedprint(split(/ /, $_), $path)->{ts};
			is_deeply($ts, zedprint(split(/ /, $_), "$own/small_v7_none.dat")->{ts}, "the RFC's @$shape: $_");
			cmp_ok(@$ts, '<', @$plain, 'some of them');
		}
	}
}

# ---- the wall clock
{
	my $date = "$own/date.dat";
	my $fh = Compare::RealData::ref_open(Compare::RealData::reference($date, 'raw'));
	my @us = map { /\[\d+\]\s*(\d+)\.(\d{6}): / ? $1 * 1_000_000 + $2 : () } <$fh>;
	my ($k) = grep { $us[$_ + 1] - $us[$_] > 4 } int(@us / 2) .. $#us - 1;
	my $cut = $us[$k] + 2;
	my @t = gmtime(int($cut / 1_000_000));
	my $day = sprintf '%04d-%02d-%02d', $t[5] + 1900, $t[4] + 1, $t[3];
	my $time = sprintf '%02d:%02d:%02d.%06d', @t[2, 1, 0], $cut % 1_000_000;
	my $east = sprintf '%02d', ($t[2] + 1) % 24;
	my $n = sub { my ($tz, @args) = @_;
		return scalar grep { length } split /\n/, zed_run({ env => { TZ => $tz } }, 'zedprint', @args, $date)->{out} };
	is($n->('UTC', '--start', "$day $time"), $#us - $k, "--start '$day $time'");
	is($n->('UTC', '--start', "${day}T$time"), $#us - $k, 'with a T');
	is($n->('UTC', '--start', $time), $#us - $k, "--start $time: on the day of the first record");
	is($n->('EST5', '--start', "${day}T${time}Z"), $#us - $k, 'Z is UTC, whatever TZ says');
	is($n->('EST5', '--end', "${day}T${time}+00:00"), $k + 1, 'and +00:00');
	is($n->('<+01>-1', '--start', "$day $east" . substr $time, 2), $#us - $k, 'TZ says how far from UTC the clock is') if $t[2] < 23;
	is($n->('<+05>-5', '--start', sprintf('%02d', ($t[2] + 5) % 24) . substr $time, 2), $#us - $k, 'a time of day is that of TZ, on the day that it was there');
	my $afar = sprintf '%02d%s+05:00', ($t[2] + 5) % 24, substr $time, 2;
	is($n->('EST5', '--start', "${time}Z"), $#us - $k, 'a time of day may have a zone as well, whose day it is then (else: it has to be reckoned by hand)');
	is($n->('EST5', '--start', $afar), $#us - $k, "--start $afar");
	is($n->('UTC', '--around', "$time,100s"), scalar @us, '--around a time of day');
	refused(qr/--start: '\Q$_\E' is not a time/, $_, '--start', $_, $date) for "$day $time+", "$day 24:00", '2026-02-30', '2026-13-01',
		'25:00', '12:60', '12:00:61', '12:0', "$day ", "$day $time UTC", '9999-99-99', '12:00:00.', '-12:00', '+12:00', '1969-12-31Z';
	refused(qr{\Q$own\E/demo.dat: --start: has no time of day, which '12:00' needs}, 'a trace without a date', '--start', '12:00',
		"$own/demo.dat");
	refused(qr/\S*: --start: has no time of day/, '--raw-ts leaves the date out', '--raw-ts', '--start', '12:00', $date);
	my $ltt = zed_run({ env => { TZ => 'UTC' } }, 'zedprint', '--start', '2030-01-01', "$own/ltt-g1");
	is($ltt->{exit}, 0, 'an LTT trace of 2003 tells its date') or diag $ltt->{err};
}

# ---- clocks that count no ns: what is shown is what can be asked for
{
	my $tsc = "$own/clock_tsc.dat";
	for my $raw ([], ['--raw-ts']) {
		my @ts = @{zedprint(@$raw, $tsc)->{ts}};
		my $at = $ts[@ts / 2];
		like($at, qr/^\d{10,}$/, "@$raw: times are ticks");
		my $count = sub { my ($from, $to) = @_; return scalar grep { $_ >= $from && $_ <= $to } @ts };
		is(@{zedprint(@$raw, '--start', $at, $tsc)->{ts}}, $count->($at, $ts[-1]), "@$raw --start TICKS (else: they are taken for seconds)");
		is(@{zedprint(@$raw, '--end', $at, $tsc)->{ts}}, $count->($ts[0], $at), "@$raw --end TICKS");
		is(@{zedprint(@$raw, '--start', "${at}ns", $tsc)->{ts}}, $count->($at, $ts[-1]), "@$raw --start TICKSns, as before");
		is(Run::Zedperl::zedperl(@$raw, '--start', '+2ms', $tsc, \'')->{err} =~ s/.*--start/--start/sr,
			"--start: '+2ms' is a time in seconds, and the clock x86-tsc counts ticks: write a number of ticks, 12500, as times are shown (+12500: from the first record)\n",
			"@$raw --start +2ms (else: it is taken for 2000000 ticks)");
		is(@{zedprint(@$raw, '--around', "$at,5000000", $tsc)->{ts}}, $count->($at - 5_000_000, $at + 5_000_000), "@$raw --around TICKS,TICKS");
		is(@{zedprint(@$raw, '--start', '+3000000', $tsc)->{ts}}, $count->($ts[0] + 3_000_000, $ts[-1]), "@$raw --start +TICKS");
		my $r = zed_run('zedprint', @$raw, '--start', 1 + $ts[-1], $tsc);
		like($r->{err}, qr/--start @{[1 + $ts[-1]]} is after the end of the trace: its events are from $ts[0] to $ts[-1]\n/, "@$raw: and what there is is said in ticks");
	}
}

# ---- what is there instead of nothing
{
	my $r = zed_run('zedprint', '--around', '100,1ms', $two);
	is($r->{err}, "zedprint: --around 100,1ms: no events at that time: they are from 0.001000000 to 0.001003500\n", '--around that shows nothing says so, by its name')
		or diag $r->{err};
	$r = zed_run('zedprint', '--around', '+1.1us,1ns', $two);
	is($r->{err}, "zedprint: --around +1.1us,1ns: no event matched\n", 'also in the middle of the trace');
	$r = zed_run('zedprint', '--event', 'mini:tock', Run::Zedperl::trace(types => { 'mini::tock' => '' }, events => \@ticks));
	is($r->{err}, "zedprint: --event: none of these occurred (zedperl -t counts those that did)\n", '--event of what never happened (else: an empty answer may be a mistake)');
	$r = zed_run('zedprint', '--common-window', Run::Zedperl::trace(cpus => 3, events => [[0, 1000, 'mini::tick', 1], [1, 2000, 'mini::tick', 2], [2, 1500, 'mini::tick', 2]]));
	like($r->{err}, qr/: CPU 0 ends at 0\.000001000, before CPU 1 begins at 0\.000002000: choose/, '--common-window names the CPUs that have no time in common');
}

# ---- what is no time
refused(qr/--start: '\Q$_\E' is not a time: write seconds, 12.5/, "--start '$_'", '--start', $_, $two)
	for '', '+', '-', '+x', '--1', '+-1', 'nan', 'inf', '1e3', '0x10', '+1h', '-1.0000000001', '+99999999999999999999', '-1.5ns', ' 1', '1 ';
refused(qr/--around: '\Q$_\E': write a time, a comma, and how much/, "--around '$_'", '--around', $_, $two) for '', '1', '+1';
refused(qr/--around: '.*' is not a time/, "--around '$_'", '--around', $_, $two) for ',', '1,', ',1', '1,-1', '1,+1', '1,2,x', 'x,1';

done_testing();
