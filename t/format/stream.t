# SPDX-License-Identifier: GPL-2.0-or-later
#
# The zed stream: what an independent writer makes of real recordings' pages gives the very events that the
# recordings give, saved or through a pipe, whatever the order in which the CPUs come.
# Without it what is seen live is not what a recording would have.
#
# of: reader/zedstream run/merge.c reader/open.c programs/zedperl
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use File::Temp ();
use POSIX ();
use Time::HiRes ();
use lib 't/lib';
use Compare::DatRead;
use Write::Dat;
use Pass;
use Run::Process;
use Run::Program qw(:DEFAULT same spew);
use Write::ZedStream;

$SIG{PIPE} = 'IGNORE';
my $F_SETPIPE_SZ = 1031;
my $dir = zed_tmp();
my $script = "$dir/all.pl";
spew($script, <<'EOT');
sub show { join ' ', map { !defined ? 'undef' : ref ? "[@$_]" : $_ } @_ }
sub trace_unhandled { print show(@_), ' ', Zed::comm(), "\n" }
sub trace_lost { print 'lost ', show(@_), "\n" }
sub trace_end { print "end\n" }
EOT

# A FIFO into which GIVE (called with the handle) writes, in a child; returns its path and the child.
my $fifos = 0;
sub feeding {
	my $give = shift;
	my $path = "$dir/fifo" . ++$fifos;
	POSIX::mkfifo($path, 0600) or die "mkfifo: $!\n";
	my $pid = fork // die "fork: $!\n";
	return ($path, $pid) if $pid;
	open my $fh, '>:raw', $path or POSIX::_exit(1);
	eval { $give->($fh) };
	close $fh;
	POSIX::_exit(0);
}

sub put {
	my ($fh, $bytes) = @_;
	for (my $at = 0; $at < length $bytes; ) {
		my $n = syswrite $fh, $bytes, length($bytes) - $at, $at;
		die "gone\n" if !defined $n;
		$at += $n;
	}
	return;
}

# Run on a FIFO that GIVE feeds.
sub piped {
	my ($o, $give, $program, @args) = @_;
	my ($path, $pid) = feeding($give);
	my $r = zed_run({ %$o, stdin => $path }, $program, '-i', '-', @args);
	kill KILL => $pid;
	waitpid $pid, 0;
	unlink $path;
	return $r;
}

# In pieces whose sizes no frame has.
sub crumbs {
	my ($bytes, $pause) = @_;
	return sub {
		my $fh = shift;
		my @sizes = (1, 2, 5, 7, 4093, 16, 8191, 33, 65537, 3);
		for (my ($at, $i) = (0, 0); $at < length $bytes; $i++) {
			my $n = $sizes[$i % @sizes];
			put($fh, substr $bytes, $at, $n);
			$at += $n;
			Time::HiRes::sleep($pause) if $pause;
		}
	};
}

# ---- the same events as the recording
my @recordings = map { "t/data/$_.dat" } qw(demo process misc subbuf16 lost be_lost armhf_lost_count i386_v6
	small_be_none ts_offset date clock_tsc clock_mono all_events fgraph dynevents tpk_arrays i386_zstd
	sparse_cpus);
# A small pass: those that are needed below.
@recordings = grep { m{/(?:demo|process|lost|be_lost|i386_v6)\.dat} } @recordings if small();
my %want;
for my $dat (@recordings) {
	my $name = $dat =~ s{.*/}{}r;
	my $stream = Write::ZedStream::from_dat($dat);
	my $path = $stream->write("$dir/$name.zed");
	for my $format (qw(report json)) {
		my $want = zed_run('zedprint', '-f', $format, $dat);
		my $got = zed_run('zedprint', '-f', $format, $path);
		cmp_ok(length $want->{out}, '>', 1000, "$name: there is something to compare");
		same($got->{out}, $want->{out}, "$name: -f $format of the stream is that of the recording "
			. '(else: order, names, formats, times or losses of a stream are wrong)');
		is("$got->{exit} $got->{err}", "$want->{exit} $want->{err}", "$name: -f $format says the same");
	}
	$want{$dat} = zed_run('zedperl', $dat, $script)->{out};
	same(zed_run('zedperl', $path, $script)->{out}, $want{$dat},
		"$name: handlers get the same calls, sequence numbers and losses");
}
like($want{'t/data/lost.dat'}, qr/^lost \d/m, 'losses are among what was compared');
like($want{'t/data/be_lost.dat'}, qr/^lost /m, 'so are big-endian ones');

# ---- the same through a pipe, whole and in pieces
for my $dat (map { "t/data/$_.dat" } qw(process lost be_lost)) {
	my $name = $dat =~ s{.*/}{}r;
	my $bytes = Write::ZedStream::from_dat($dat)->{bytes};
	same(piped({}, sub { put($_[0], $bytes) }, 'zedperl', $script)->{out}, $want{$dat}, "$name: through a pipe");
	my $r = piped({ time => 60 }, crumbs($bytes, 0.0005), 'zedperl', $script);
	same($r->{out}, $want{$dat},
		"$name: through a pipe in odd pieces (else: a frame that comes in parts is lost or read twice)");
	is("$r->{exit} $r->{err}", '0 ', "$name: without a word");
}
for my $name (qw(lost.dat be_lost.dat i386_v6.dat)) {
	my $path = "$dir/$name.zed";
	pipe(my $in, my $out) or die "pipe: $!\n";
	fcntl($out, $F_SETPIPE_SZ, 1 << 20) or die "a pipe of 1 MiB: $!\n";
	put($out, slurp($path));
	close $out;
	my $r = zed_run({ stdin => $in }, 'zedperl', '-i', '-', $script);
	same($r->{out}, $want{"t/data/$name"}, "$name: through a pipe whose writer is done before we begin");
	is("$r->{exit} $r->{err}", '0 ', "$name: its end is seen as one (else: what is read ahead is read past it)");
}
{
	my $path = "$dir/demo.dat.zed";
	my $bin = zed_bin('zedperl');
	same(scalar `$bin -i - $script < $path`, $want{'t/data/demo.dat'}, 'standard input that is a file');
	same(scalar `(head -c 16 > /dev/null; $bin -i - $script) < /dev/null 2>&1`,
		"zedperl: -: the file is empty (was the recording finished?)\n", 'standard input that is at its end');
	my $r = zed_run({ env => { TMPDIR => "$dir/nowhere" }, stdin => "$dir/demo.dat.zed" }, 'sh', '-c',
		"cat | $bin -i - $script");
	same($r->{out}, $want{'t/data/demo.dat'},
		'no copy of a stream is kept on disk (else: a live trace fills it, and is seen at its end)');
}

# ---- whatever the order in which the CPUs come
my $demo = 't/data/demo.dat';
my @ways = (
	['in frames of 3 pages', batch => 3],
	['a CPU after the other, no rounds', batch => 1000, rounds => 0],
	['CPUs backwards', order => sub { my ($turn, @c) = @_; return reverse @c }],
	['one CPU a turn', order => sub { my ($turn, @c) = @_; return $c[$turn % @c] }],
	['the last pages of frames cut behind their data', trim => 1, batch => 2],
	['no rounds at all', rounds => 0],
	['names in the metadata', comms => 'meta'],
	['metadata in pieces of 999 bytes', piece => 999],
	['CPUs that never have anything', cpus => 9],
	['frames of unknown kinds in between', each => sub { $_[0]->frame(0x70000000 + $_[1], 'new' x 100) }],
	['empty frames of names, and rounds that say nothing',
		each => sub { $_[0]->comm(''); $_[0]->round(0); $_[0]->round(1, 0, 1, 2, 3, 7777) }],
	['a round whose watermark is the end of time, all busy',
		each => sub { $_[0]->round(9223372036854775807, 0 .. 3) }],
);
for my $way (@ways) {
	my ($what, %o) = @$way;
	my $path = Write::ZedStream::from_dat($demo, %o)->write("$dir/way.zed");
	my $r = zed_run('zedperl', $path, $script);
	same($r->{out}, $want{$demo}, "$what: the same");
	is("$r->{exit} $r->{err}", '0 ', "$what: without a word");
}
{
	my $lost = Write::ZedStream::from_dat('t/data/lost.dat', trim => 1)->write("$dir/trim.zed");
	same(zed_run('zedperl', $lost, $script)->{out}, $want{'t/data/lost.dat'},
		'a cut page keeps its count of lost events');
}

# ---- made pages
# A recording of one CPU (or CPUS) and PAGES pages, and its Compare::DatRead.
sub mini {
	my %o = @_;
	my $m = Write::Dat->new(cpus => 1, clock => 'mono', %o);
	my $d = Compare::DatRead::dat_read($m->write("$dir/mini.dat"));
	my %pages = Write::ZedStream::pages_of($d);
	return ($m, $d, \%pages);
}

sub stream_of {
	my ($d, %o) = @_;
	return Write::ZedStream->new(page_size => 1024, clock => 'mono', %o,
		meta => Write::ZedStream::meta($d, page_size => 1024, cpus => 1, clock => 'mono', skip => [21], %o));
}

my $names = 'use Zed handlers => "mini"; sub mini::tick { print $_[4], " ", Zed::comm(), "\n" } '
	. 'sub mini::said { print "said $_[4] @{$_[5]}\n" } sub trace_end { print "end\n" }';
{
	my ($m, $d, $p) = mini(pages => 3, ticks => 2);
	my $s = stream_of($d);
	$s->pages(0, $p->{0}[0])->comm("77 first name\n1 init\n")->pages(0, $p->{0}[1]);
	$s->comm("   77 second\n")->pages(0, $p->{0}[2])->end(9, 0);
	is(zed_run('zedperl', '-e', $names, $s->write("$dir/names.zed"))->{out},
		"0 <...>\n1 <...>\nsaid page 0 0 0\n100 first name\n101 first name\nsaid page 1 0 1\n" .
		"200 second\n201 second\nsaid page 2 0 2\nend\n",
		'names hold from where they are told (else: live events are nameless, or keep an old name)');
	like(zed_run('zedprint', '-f', 'report', "$dir/names.zed")->{out},
		qr/<\.\.\.>-77.*first name-77.*second-77/s, 'in trace-cmd\'s format too');
}
{
	my ($m, $d, $p) = mini(pages => 2, ticks => 2);
	my $few = Write::Dat->new(formats => [($m->formats)[0]])->formats_payload;
	my $s = stream_of($d, sections => { 18 => $few });
	$s->pages(0, $p->{0}[0]);
	$s->format('mini', ($m->formats)[1][1])->format('mini', ($m->formats)[0][1])->pages(0, $p->{0}[1])->end(6, 0);
	my $r = zed_run('zedperl', '-e', $names, $s->write("$dir/format.zed"));
	is($r->{out}, "0 <...>\n1 <...>\n100 <...>\n101 <...>\nsaid page 1 0 1\nend\n",
		'a format that comes midway makes its events known (else: a module\'s events are never handled)');
	like($r->{err}, qr/no format/, 'those before it are said to have none');
	$s = stream_of($d, sections => { 18 => $few });
	$s->format('mini', ($m->formats)[1][1])->pages(0, join '', @{$p->{0}})->end(6, 0);
	$r = zed_run('zedperl', '-e', $names, $s->write("$dir/format2.zed"));
	is("$r->{exit} $r->{out}", "0 0 <...>\n1 <...>\nsaid page 0 0 0\n100 <...>\n101 <...>\n" .
		"said page 1 0 1\nend\n", 'a format before its events: all are handled');
	unlike($r->{err}, qr/no format/, 'and none is unknown');
}
{
	my ($m, $d, $p) = mini(pages => 2, ticks => 2);
	my $stats = "entries: 0\noverrun: 5\ncommit overrun: 1\nbytes: 12\noldest event ts: 1.2\n" .
		"now ts: 3.4\ndropped events: 2\nread events: 6\n";
	my $s = stream_of($d)->pages(0, join '', @{$p->{0}})->stats(0, $stats)->end(6, 8);
	my $lost = 'use Zed handlers => "mini"; my $n = 0; sub mini::tick { $n++ } sub trace_lost { print "cpu $_[0]: $_[1] after $n\n" }';
	is(zed_run('zedperl', '-e', $lost, $s->write("$dir/stats.zed"))->{out}, "cpu 0: 8 after 4\n",
		'what only the statistics know to be lost is told at the end (else: it is told nowhere)');
	my $sum = zed_run('zedprint', '--summary', "$dir/stats.zed")->{out};
	like($sum, qr/cpu 0: overrun 5\n.*cpu 0: commit overrun 1\n.*cpu 0: dropped events 2\n/, 'the summary has them');
	like($sum, $_, "the summary: $_") for qr/^  format +zed stream v1$/m, qr/^  clock +mono$/m,
		qr/^  recording +complete$/m, qr/^  CPUs +1$/m, qr/pages of 1024 bytes, 1 CPU$/m,
		qr/^    cpu 0 +6 events, 8 lost at unknown times, 2048 bytes$/m, qr/^  events +6$/m;
	like(zed_run('zedprint', '--summary', "$dir/demo.dat.zed")->{out},
		qr/^  machine +Linux.*\n  CPUs +4\n/m, 'of a real one: the machine and its CPUs');
}

# ---- seen as it comes: a silent CPU and rounds; the end is far
# zedperl on a stream of which FIRST is there at once and REST when it is asked for; without REST it does not end.
# WHILE_OPEN is called with {pid, out, send_rest} once an event of the second page was seen.  Returns {status, late, out, err}.
sub live_run {
	my ($first, $rest, $while_open) = @_;
	pipe my $go_r, my $go_w or die;
	my ($fifo, $feeder) = feeding(sub {
		my $fh = shift;
		close $go_w;
		put($fh, $first);
		sysread $go_r, my $x, 1;
		put($fh, $rest);
		sleep 600 if !length $rest;
	});
	close $go_r;
	my ($out, $err) = map { "$fifo.$_" } 'out', 'err';
	my $pid = spawn({ stdin => $fifo, stdout => $out, stderr => $err }, zed_bin('zedperl'), '-i', '-', '-e', '$| = 1; ' . $names);
	wait_until(60, sub { -e $out && slurp($out) =~ /^100/m });
	$while_open->({ pid => $pid, out => $out, send_rest => sub { syswrite $go_w, 'x' } });
	my ($status, $late) = reap($pid, 60);
	kill KILL => $feeder if !length $rest;
	waitpid $feeder, 0;
	return { status => $status, late => $late, out => slurp($out), err => slurp($err) };
}

{
	my ($m, $d, $p) = mini(pages => 3, ticks => 2);
	my $s = stream_of($d, cpus => 2);
	$s->pages(0, $p->{0}[0]);
	my $one = length $s->{bytes};
	my $held = length $s->pages(0, $p->{0}[1])->round($Write::Dat::BASE + 3001)->{bytes};
	$s->pages(0, $p->{0}[2])->round($Write::Dat::BASE + 1_000_000)->end(9, 0);
	my @parts = (substr($s->{bytes}, 0, $held), substr $s->{bytes}, $held);
	my $r = live_run(@parts, sub {
		my $run = shift;
		# What must not come has no line to wait for.
		Time::HiRes::sleep(0.1);
		is(slurp($run->{out}), "0 <...>\n1 <...>\nsaid page 0 0 0\n100 <...>\n",
			'events up to the watermark reach their handlers while the stream is open, those behind it do not '
			. '(else: a silent CPU keeps all the others from being seen, or from their order)');
		$run->{send_rest}->();
	});
	is($r->{status}, 0, 'the rest comes, exit 0');
	like($r->{out}, qr/said page 2 0 2\nend\n\z/, 'with the end');

	# Ctrl-C: the recorder has got it too, and is still to send what it has, and the end.
	$r = live_run(@parts, sub {
		my $run = shift;
		kill INT => $run->{pid};
		Run::Process::signal_taken($run->{pid}, POSIX::SIGINT());
		$run->{send_rest}->();
	});
	is($r->{status}, 0, 'Ctrl-C on a live stream: exit 0');
	is(() = $r->{out} =~ /^end$/mg, 1, 'trace_end runs once');
	like($r->{out}, qr/said page 2 0 2\nend\n\z/, 'what the recorder still sends is handled (else: the '
		. 'last events of each live run are missing)');
	is($r->{err}, '', 'without a word');

	# A recorder that goes on.
	$r = live_run($parts[0], '', sub { kill INT => $_[0]{pid} });
	ok(!$r->{late}, 'Ctrl-C ends it (else: it hangs until the recorder ends)');
	is($r->{status} >> 8, 130, 'Ctrl-C on a stream that does not end: 130, as it was ended before its end');
	like($r->{out}, qr/said page 1 0 1\nend\n\z/, 'what has come is handled, and trace_end runs');
	like($r->{err}, qr/has not ended.*the rest of the trace is left/, 'and it is said');
	unlike($r->{err}, qr/interrupted/, 'all that had come was read (else: it seems to have been left)');
}

# ---- memory stays flat
# PAGES pages of CPU 0 of 2, each a microsecond behind the other, a round every EVERY pages (0: none).
sub long_stream {
	my ($d, $page, $pages, $every, %o) = @_;
	my $head = stream_of($d, cpus => 2, %o)->{bytes};
	return sub {
		my $fh = shift;
		put($fh, $head);
		my $cpu = $o{cpu} // 0;
		for (my $i = 0; $i < $pages; $i += 256) {
			my $some = pack 'V V V', 3, 4 + 256 * 1024, $cpu;
			for my $k ($i .. $i + 255) {
				substr($page, 0, 8) = pack 'Q<', $Write::Dat::BASE + 100_000 * $k;
				$some .= $page;
			}
			$some .= pack 'V V Q< V', 4, 12, $Write::Dat::BASE + 100_000 * ($i + 256), 0 if $every;
			put($fh, $some);
		}
		put($fh, pack 'V V Q< Q<', 8, 16, 0, 0);
	};
}
{
	my ($m, $d, $p) = mini(pages => 1, ticks => 25);
	my $pages = 256 * small(400, $ENV{ZED_SAN} ? 400 : 1000);
	my $count = 'use Zed handlers => "mini"; my $n = 0; sub mini::tick { $n++ } sub trace_end { print "$n\n" ; '
		. 'open my $f, "<", "/proc/self/status"; print STDERR grep { /VmHWM/ } <$f> }';
	# What perl and its libraries take is another figure with each version: what a short stream needs is taken off.
	# What may wait in queues: 32 MiB that were read ahead from the pipe, 64 MiB where no CPU can go on.
	for my $c (['a silent CPU, rounds', 1, 32], ['a silent CPU, no rounds', 0, 64],
		['--cpu: a CPU that nobody reads', 0, 0, 1]) {
		my ($what, $every, $queued, $cpu) = @$c;
		my (@kib, $r);
		for my $n (256, $pages) {
			$r = piped({ time => 100 }, long_stream($d, $p->{0}[0], $n, $every, cpu => $cpu // 0), 'zedperl',
				'-e', $count, defined $cpu ? ('--cpu', 0) : ());
			push @kib, $r->{err} =~ /VmHWM:\s+(\d+)/;
		}
		is($r->{out}, (defined $cpu ? 0 : 25 * $pages) . "\n", "$what: every event, in " . $pages / 1024 . ' MiB')
			or diag($r->{err});
		SKIP: {
			skip 'a sanitizer has memory of its own', 1 if $ENV{ZED_SAN};
			my $more = @kib == 2 ? ($kib[1] - $kib[0]) / 1024 : 1e9;
			cmp_ok($more, '<', $queued + 3, "$what: the queues and at most 3 MiB more than for a stream of 256 KiB "
				. '(else: memory grows with the trace)');
		}
	}
}
done_testing();
