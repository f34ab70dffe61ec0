# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint --cut on traces made here: every layout of pages, times, losses, damage, other inputs than a trace.dat,
# and what becomes of the output file.  What is expected comes from how the traces are made, or from zedprint's text
# of the original (which t/format compares with other readers).
#
# of: record/cut programs/zedprint
# Without it: a cut has other events, times or losses than its trace.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Write::Dat;
use Compare::RealData;
use Write::ZedStream;
use Files;
use Run::Zedperl;

Compare::RealData::need_program('zedprint');
my $own = Compare::RealData::own();

# Runs zedprint --cut to a new file, or the one given: (its path, the run).
sub cut {
	my (@args) = @_;
	my $path = temp_path('.dat');
	return ($path, Compare::RealData::run('zedprint', '--cut', $path, @args));
}

sub text {
	my ($out, $run) = Compare::RealData::zedprint('-f', 'json', '--ns', @_);
	return $out;
}

# ---- every layout ----

my @bad;
for my $version (6, 7) {
	for my $big (0, 1) {
		for my $long (4, 8) {
			for my $codec ($version == 7 ? ('none', 'zlib') : 'none') {
				my $dat = temp_path('.dat');
				Write::Dat->new(version => $version, big => $big, long => $long, compression => $codec,
					instances => ['foo'])->write($dat);
				for my $options ([], ['--head', 3], ['--tail', 3], ['-F', 'mini:tick: n & 1'], ['--instance', 'foo']) {
					my ($path, $run) = cut(@$options, $dat);
					my $failed = Compare::RealData::failure($run);
					my $differ = $failed // Compare::RealData::differ(
						map { s/^.*?"seq":\d+,?//gmr } map { s/"file":"[^"]*",?//gr } text(@$options, $dat), text($path));
					push @bad, "v$version big $big long $long $codec @$options: $differ" if $differ;
				}
			}
		}
	}
}
ok(!@bad, 'both versions, byte orders and longs, packed or not, with --head, --tail, -F, --instance (else: a layout is written wrongly)')
	or diag(join "\n", @bad);

# Times that need more than a record's 27 bits, that go back, and records longer than a short header can say.
my $long = 'x' x 400;
my $dat = trace(types => { 'mini::big' => field_text('__data_loc char[] text', 8, 4, 1) },
	events => [[0, 1000, 'mini::tick', 1], [0, 1500, 'mini::big', pack('V', 12 | 401 << 16) . "$long\0" . "\0" x 3],
		[0, 2 ** 40, 'mini::tick', 2], [0, 2 ** 40 + 5, 'mini::tick', 3], [0, 2 ** 41, 'mini::tick', 4]]);
my ($path, $run) = cut('-F', 'mini:tick: n != 3', $dat);
is(join(',', text($path) =~ /"n":(\d+)/g), '1,2,4', 'gaps in time, and long records, keep their events (else: deltas overflow)');
like(text($path), qr/"text":"$long"/, 'a record of over 112 bytes is whole (else: its length word is wrong)');
is(join(',', map { s/\D//gr } text($path) =~ /"ts?(?:ime)?":\s*"?([\d.]+)/g), join(',', map { s/\D//gr } text('-F', 'mini:tick: n != 3', $dat) =~ /"ts?(?:ime)?":\s*"?([\d.]+)/g),
	'their times are the same (else: extends are wrong)');

# ---- losses ----

sub losses {
	my ($path) = @_;
	my $r = zedperl($path, \'sub trace_lost { print "cpu$_[0] lost ", $_[1] // "some", "\n" } sub mini::tick { print "cpu$_[0] $_[4]\n" }');
	return $r->{out};
}
$dat = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 5], [0, 3000, 'mini::tick', 3, 7],
	[0, 4000, 'mini::tick', 4, -1], [0, 5000, 'mini::tick', 5], [1, 2500, 'mini::tick', 9, 3], [0, 6000, 'mini::tick', 6, 2]]);
($path, $run) = cut('-F', 'mini:tick: n != 2 && n != 4', $dat);
is(losses($path), "cpu0 1\ncpu1 lost 3\ncpu1 9\ncpu0 lost 12\ncpu0 3\ncpu0 lost some\ncpu0 5\ncpu0 lost 2\ncpu0 6\n",
	'losses of records that were left out stand before the next one of their CPU (else: they vanish, or stand elsewhere)');
($path, $run) = cut('--start', '0.000002100', '--end', '0.000003100', $dat);
is(losses($path), "cpu1 lost 3\ncpu1 9\ncpu0 lost 7\ncpu0 3\n", 'losses outside of the time are left out (else: a cut claims losses of other times)');
($path, $run) = cut('-F', 'mini:tick: n < 6', $dat);
like($run->{err}, qr/5 lost events after the last chosen record/, 'losses without a record behind them are said (else: they vanish in silence)');
($path, $run) = cut('--tail', 2, $dat);
is(losses($path), "cpu0 5\ncpu0 lost 2\ncpu0 6\n", '--tail keeps the losses among the last events (else: copies of events lose them)');

# ---- what else is in it ----

sub options_of {
	my ($path) = @_;
	my ($out) = Compare::RealData::zedprint('--summary', $path);
	return join '', grep { /^  (?:byte order|clock|machine|CPUs|compression|statistics)/ } split /^/, $out;
}
for my $name (qw(small_v7_zstd small_be_v6 i386_v6 clock_tsc ts_offset date multibuf)) {
	($path, $run) = cut('--head', 10, "$own/$name.dat");
	is(options_of($path), options_of("$own/$name.dat"), "$name: byte order, clock, machine, CPUs, packing, statistics stay (else: a cut is of another machine)");
}

# ---- whole pages are copied ----

# The data of a file's uncompressed CPUs, page by page.
sub pages_of {
	my ($path, $size) = @_;
	my %pages;
	my $bytes = slurp($path);
	for (my $at = 0; $at + $size <= length $bytes; $at += $size) {
		$pages{substr $bytes, $at, $size}++;
	}
	return \%pages;
}
my ($in, $out) = (pages_of("$own/small_v7_none.dat", 4096));
($path, $run) = cut("$own/small_v7_none.dat");
$out = pages_of($path, 4096);
my @data = grep { my $n = unpack "V", substr $_, 8, 4; $n > 3000 && $n <= 4080 } keys %$in;
cmp_ok(scalar @data, '>', 3, 'a recording has full pages (else: the next check is of nothing)');
is(scalar(grep { !$out->{$_} } @data), 0, 'sub-buffers whose records were all chosen are copied byte by byte (else: they are made anew)');

# ---- damage ----

my $whole = slurp("$own/small_v7_none.dat");
my $damaged = temp_path('.dat');
for my $at (0.5, 0.8) {
	my $cut = $whole;
	substr($cut, length($cut) * $at, 64) = "\xff" x 64;
	spew($damaged, $cut);
	($path, $run) = cut($damaged);
	# Whether damage cost records is not known: they are numbered anew behind it.
	my ($want, $first) = Compare::RealData::zedprint($damaged);
	my ($got) = Compare::RealData::zedprint($path);
	s/ sequence = \d+,//g for $want, $got;
	is($run->{exit}, $first->{exit}, "damage at $at: the status is that of reading it (else: damage is not told)");
	is(lc(($run->{err} =~ /offset (0x\w+)/)[0] // 'none'), lc(($first->{err} =~ /offset (0x\w+)/)[0] // 'none'), '... and so is the place that is named');
	is(Compare::RealData::differ($want, $got), undef, '... what is intact is in the cut (else: damage costs more than itself)');
	my (undef, $again) = cut($path);
	is($again->{exit}, 0, '... which is whole itself (else: damage is copied)');
}

# ---- other inputs ----

my $stream = temp_path('.zed');
Write::ZedStream::from_dat("$own/small_v7_none.dat")->write($stream);
($path, $run) = cut($stream);
is(Compare::RealData::failure($run), undef, 'a zed stream can be cut');
my $keep = sub { $_[0] };
is(Compare::RealData::differ((Compare::RealData::zedprint($stream))[0], (Compare::RealData::zedprint($path))[0]), undef, '... and has the same events, names and all (else: frames are left out)');
my $piped = temp_path('.dat');
is(system("cat $stream | " . Compare::RealData::program('zedprint') . " --cut $piped - 2>/dev/null"), 0, '... also from a pipe');
is((Compare::RealData::zedprint($piped))[0], (Compare::RealData::zedprint($path))[0], '... with the same events (else: a live trace is cut wrongly)');

# Names with their times, as a recorder tells them: a task that is called otherwise from some time on.
my $mid = $Write::Dat::BASE + 500;
my $named = temp_path('.zed');
my $from = temp_path('.dat');
Write::Dat->new(version => 7)->write($from);
my $times = join ' ', map { $_ } sort { $a <=> $b } text($from) =~ /"ts":(\d+)/g;
($mid) = (split ' ', $times)[3];
Write::ZedStream::from_dat($from, names => 1, comms => 'none', before => sub { $_[0]->names([0, 77, 'first'], [$mid, 77, 'second']) })->write($named);
my $names = sub { return join ' ', (Compare::RealData::zedprint($_[0]))[0] =~ /common_comm = (\w+)/g };
like($names->($named), qr/^(?:first )+(?:second ?)+$/, 'a stream with a name that changes (else: the next check is of nothing)');
($path, $run) = cut($named);
is($names->($path), $names->($named), 'each event of its cut has the name of its time (else: a task has one name for all time)');

like(Compare::RealData::slurp($path), qr/\n?77 second\n\0zednames/, '... and other programs find the last one of each task');

for (['perf.data', (glob "$own/perf/*.data")[0], qr/perf\.data/], ['LTT', "$own/ltt-g1", qr/LTT/]) {
	my ($kind, $file, $like) = @$_;
	SKIP: {
		skip "no $kind here", 2 unless $file && -e $file;
		($path, $run) = cut($file);
		is($run->{exit}, 2, "$kind: refused (else: a file without formats is written)");
		like($run->{err}, qr/--cut copies records of the kernel's ring buffer.*zedprint -f json/, '... with the next step');
	}
}
(undef, $run) = cut("$own/latency_v7.dat");
like($run->{err}, qr/nothing to cut/, 'text of a latency tracer: refused');
(undef, $run) = cut("$own/demo.dat", "$own/misc.dat");
like($run->{err}, qr/--cut takes one trace/, 'two traces: refused (else: records of one are read with formats of the other)');
(undef, $run) = cut('--event', 'sched::switch', "$own/process.dat");
like($run->{err}, qr/not stable ones/, 'stable events: refused');

# ---- the file ----

my $target = temp_path('.dat');
my $small = trace();
spew($target, 'old');
chmod 0640, $target;
for (['', qr/the name is empty/], ['-', qr/cannot write to standard output/]) {
	my ($name, $want) = @$_;
	$run = Compare::RealData::run('zedprint', '--cut', $name, $small);
	is($run->{exit}, 2, "--cut '$name': refused (else: the whole trace is read first, or a file '-' is made)");
	like($run->{err}, $want, 'and why');
}
$run = Compare::RealData::run('zedprint', '--cut', $target, '--event', 'no:such', $small);
is(slurp($target), 'old', 'a usage error leaves the old file (else: it is destroyed)');
my $zedprint = Compare::RealData::program('zedprint');
is(system("sh", "-c", "trap '' XFSZ; ulimit -f 4; $zedprint --cut $target $own/process.dat 2>$target.err") >> 8, 1, 'no room: status 1');
like(slurp("$target.err"), qr/\Q$target\E: .*(?:large|space)/, '... and the reason, with the path');
is(slurp($target), 'old', '... the old file is there (else: it is destroyed)');
is(join(',', glob "$target.??????"), '', '... and nothing beside it (else: temporary files stay)');
$run = Compare::RealData::run('zedprint', '--cut', $target, $small);
is($run->{exit}, 0, 'it is replaced when all went well');
is((stat $target)[2] & 0777, 0640, '... with its rights');
$run = Compare::RealData::run('zedprint', '--cut', temp_path('.dat'), $small);
($path) = cut($small);
is((stat $path)[2] & 0777, 0600, 'a new one is private (else: others read what every user did)');
my $before = slurp($small);
symlink $small, "$target.link";
for my $same ($small, "$target.link") {
	$run = Compare::RealData::run('zedprint', '--cut', $same, $small);
	is($run->{exit}, 2, 'the input itself is refused');
	like($run->{err}, qr/--cut would overwrite what it reads/, '... with the reason');
}
is(slurp($small), $before, '... and not touched (else: the trace is lost)');
$run = Compare::RealData::run('zedprint', '--cut', '/dev/null', $small);
like($run->{err}, qr/not a regular file/, 'a device is refused');
for my $with (['--summary'], ['-f', 'json'], ['-l']) {
	$run = Compare::RealData::run('zedprint', '--cut', temp_path('.dat'), @$with, $small);
	like($run->{err}, qr/^zedprint: (?:--summary and --cut are different things|$with->[0] does not go with --cut): /, "@$with: refused");
}
($path, $run) = cut('--start', '100', $small);
is($run->{exit}, 0, 'nothing chosen: no failure');
like($run->{err}, qr/no event was chosen/, '... but said');
is((Compare::RealData::zedprint($path))[0], '', '... and the file has no events, and can be read');
done_testing();
