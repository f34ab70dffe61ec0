# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl --export: what selects, pipes, sizes, zedprint's views of an export; files that an independent writer made are
# read as they were meant, damaged ones as far as they are sound.  Without it nobody else can write or read such a file.
#
# of: sink stable reader/stablefile sink/print
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Compare::Export;
use Files;
use Run::Program qw(same zed_bin zed_run);
use Write::StableFile;

my $dir = temp_dir();
my $data = 't/data';

# ---------------------------------------------------------------- what selects

{
	my $to = "$dir/sel.zs";
	for my $case (['--cpu', 'armhf_multibuf', '--cpu', '1'], ['--pid', 'demo', '--pid', '0,135'],
		['--instance', 'armhf_multibuf', '--instance', 'foo'], ['--start', 'demo', '--start', '7.3'],
		['the top buffer', 'multibuf', '--instance', '']) {
		my ($what, $name, @how) = @$case;
		export($to, "$data/$name.dat");
		my ($want) = dump_of("$data/$name.dat", @how);
		my ($all) = dump_of("$data/$name.dat");
		my ($got) = dump_of($to, @how);
		same($got, $want, "$what means the same for an export (else: the merged stream drops or adds events)");
		ok($want ne '' && $want ne $all, "... and leaves something out, and something in");
		export($to, @how, "$data/$name.dat");
		same((dump_of($to))[0], $want, "... and at the time of the export");
	}
}

# ---------------------------------------------------------------- pipes, several traces, streams

{
	my $to = "$dir/pipe.zs";
	export($to, "$data/demo.dat");
	my ($want) = dump_of($to);
	my $r = zed_run('sh', '-c', "cat '$to' | '" . zed_bin('zedperl') . "' -i - '@{[dump_script()]}'");
	same($r->{out}, $want, 'an export is read from a pipe (else: no ssh cat)');
	my $e = zed_run({ stdout => "$dir/stdout.zs" }, 'zedperl', '--export', '-', "$data/demo.dat");
	is(slurp("$dir/stdout.zs"), slurp($to), '--export - writes the same to standard output');

	my @two = ("$data/demo.dat", "$data/small_v7_none.dat");
	($want) = zed_run({ time => 60 }, 'zedperl', (map { ('-i', $_) } @two), dump_script())->{out};
	export($to, @two);
	same((dump_of($to))[0], $want, 'two traces are exported as one (else: machines or buffers are mixed up)');
	my $f = Write::StableFile::parse(slurp($to));
	is(scalar @{$f->{machines}}, 2, '... with the tasks of each machine');
}

{
	require Write::ZedStream;
	my $s = Write::ZedStream::from_dat("$data/demo.dat", comms => 'first')->write("$dir/demo.zed");
	my $to = "$dir/demo.zs";
	my ($want) = dump_of("$dir/demo.zed");
	export($to, "$dir/demo.zed");
	same((dump_of($to))[0], $want, 'names that come with a zed stream are exported, too (else: comm is <...>)');
	like($want, qr/ dd /, '... and there are some');
	same(dump_parsed(Write::StableFile::parse(slurp($to))), $want, '... for the independent reader, too');
}

# ---------------------------------------------------------------- sizes

{
	my $seed = spew("$dir/seed.stable", <<'EOT');
event seed::switch
purpose  the example of the proposal
from     sched:sched_switch
array:char  prev_comm;  align:8; size:8; count:16; signed:1;
field:pid_t prev_pid;   align:8; size:32; signed:1;
field:char  prev_state; align:8; size:8; signed:1;	= letter(prev_state)
array:char  next_comm;  align:8; size:8; count:16; signed:1;
field:pid_t next_pid;   align:8; size:32; signed:1;
EOT
	my $r = export("$dir/seed.zs", '--stable', $seed, "$data/demo.dat");
	my $f = Write::StableFile::parse(slurp("$dir/seed.zs"));
	my %size = map { ($_->{size} => 1) } grep { $_->{event} eq 'seed::switch' } @{$f->{records}};
	is_deeply([keys %size], [41], 'a switch as the proposal has it takes its 41 bytes (else: padding is stored)');
	my @events = values %{$f->{events}};
	my %dynamic = map { ($_->{name} => 1) } grep { grep { $_->{kind} eq 'dynamic' } @{$_->{items}} } @events;
	my %fixed = map { ($_->{name} => Write::StableFile::layout(@{$_->{items}})) } @events;
	my @fat = grep { !$dynamic{$_->{event}} && $_->{size} != $fixed{$_->{event}} } @{$f->{records}};
	is(scalar @fat, 0, 'no record is longer than its description (else: archives grow)');
	my $bytes = 0;
	$bytes += $_->{size} for @{$f->{records}}, @{$f->{marks}};
	my $head = index(slurp("$dir/seed.zs"), "\ndata\n") + 6;
	is((-s "$dir/seed.zs") - $head, $bytes + 27 * (@{$f->{records}} + @{$f->{marks}}),
		'records follow each other without gaps, 27 bytes before each (else: the page is wrong)');
}

{
	# The page's example of a catalogue, with a field of one bit, against the trace's own fields.
	my ($text) = slurp('docs/zed-stable.pod') =~ /^(  # who holds the disk\n.*?)\n\n/ms or die "no example\n";
	my $mine = spew("$dir/mine.stable", $text =~ s/^  //mgr . "\n");
	my $r = export("$dir/mine.zs", '--stable', $mine, "$data/block.dat");
	is("$r->{exit} $r->{err}", '0 ', 'the catalogue that zed-stable(5) shows is taken (else: readers copy a mistake)');
	my @got = map { show(@{$_->{values}}) } grep { $_->{event} eq 'mine::request' }
		@{Write::StableFile::parse(slurp("$dir/mine.zs"))->{records}};
	my $raw = spew("$dir/raw.pl", $SHOW . <<'EOT');
sub block::block_rq_issue {
	my ($n, $rwbs) = map { Zed::field($_) } qw(nr_sector rwbs);
	print show(Zed::field('dev'), 512 * $n, $rwbs =~ /^F?[RN]/ ? 0 : 1, Zed::field('comm'), undef), "\n" if $n > 0;
}
EOT
	my $want = zed_run('zedperl', "$data/block.dat", $raw)->{out};
	same(join('', map { "$_\n" } @got), $want, '... and its events are exported as it says, bits included');
	cmp_ok(scalar @got, '>', 0, '... and there are some');
}

# ---------------------------------------------------------------- zedprint

{
	my $to = "$dir/print.zs";
	for my $name (qw(demo small_be_none armhf_multibuf block)) {
		export($to, "$data/$name.dat");
		my $f = Write::StableFile::parse(slurp($to));
		my (@zed, @json);
		for my $r (@{$f->{records}}) {
			my $s = $f->{streams}[$r->{stream}];
			my @items = @{(grep { $_->{name} eq $r->{event} && $_->{machine} == $r->{machine} }
				values %{$f->{events}})[0]{items}};
			my $at = 0;
			my @shown = map {
				my ($v, $i) = ($_, $items[$at++]);
				my $text = !defined $v ? 'undef' : ref $v ? '[' . join(', ', @$v) . ']'
					: $i->{kind} ne 'field' && !Write::StableFile::is_text($i) ? unpack 'H*', $v
					: $v =~ s/\n/\\n/gr =~ s/([\0-\x1f\x7f])/sprintf '\\x%02x', ord $1/ger;
				"$i->{name} = $text,"
			} @{$r->{values}};
			push @zed, sprintf '%s cpu = %d, time = %d.%09d, sequence = %d, common_comm = %s, common_pid = %d,%s %s', $r->{event},
				$s->{cpu}, int($r->{time} / 1e9), $r->{time} % 1_000_000_000, $r->{sequence},
				$r->{pid} ? $r->{comm} // '<...>' : '<idle>', $r->{pid}, $s->{buffer} ne '' ? " instance = $s->{buffer}," : '', join ' ', @shown;
		}
		my $z = zed_run('zedprint', $to);
		same($z->{out} =~ s/^lost .*\n//mgr, join('', map { "$_\n" } @zed), "$name: zedprint shows the export's values");
		my $j = zed_run('zedprint', '-f', 'json', $to);
		my @j = map { JSON::PP->new->allow_nonref->decode($_) } split /\n/, $j->{out};
		is(scalar(grep { $_->{event} } @j), scalar @{$f->{records}}, "$name: a JSON object for each record");
		my @none = grep { my $v = $_; $v->{event} && grep { !defined } values %{$v->{fields}} } @j;
		my @undef = grep { grep { !defined } @{$_->{values}} } @{$f->{records}};
		is(scalar @none, scalar @undef, "$name: what is absent is null");
		my $t = zed_run('zedprint', '-f', 'report', $to);
		unlike($t->{out}, qr/FAILED|UNKNOWN/, "$name: -f report shows fields though there is no print format");
		is(scalar(() = $t->{out} =~ /: \w+::\w+: /g), scalar @{$f->{records}}, "$name: ... of each record");
		my $s = zed_run('zedprint', '--summary', $to);
		like($s->{out}, qr/^  events       @{[scalar @{$f->{records}}]}$/m, "$name: --summary counts them");
		is("$z->{exit} $j->{exit} $t->{exit} $s->{exit}", '0 0 0 0', "$name: ... and all end well");
	}
	export($to, "$data/demo.dat");
	my $t = zed_run('zedprint', '-f', 'report', $to)->{out};
	like($t, qr/: sched::switch:\s+prev_pid=\d+ next_pid=\d+ prev_comm=[\w\/:-]+ prev_state=[A-Z] preempted=[01] next_comm=/,
		'report: texts are texts, a letter is a letter (else: a switch cannot be read)');
}

# ---------------------------------------------------------------- what others write

my $all = <<'EOT';
sub e { my $e = shift; my ($cpu, $secs, $nsecs, $seq) = splice @_, 0, 4; print "$e cpu=$cpu time=$secs.$nsecs seq=$seq pid=",
	Zed::pid(), ' ', show(Zed::comm(), Zed::instance(), Zed::lost(), @_), "\n" }
sub sched::switch { e('sched::switch', @_) }
sub irq::enter { e('irq::enter', @_) }
sub trace_lost { print 'lost ', show(@_), "\n" }
EOT
my $made = spew("$dir/made.pl", $SHOW . $all);

my $want = <<'EOT';
lost 3 7
lost 0 3
sched::switch cpu=0 time=0.100 seq=5 pid=12 newcat  3 -5 120 1 -3 ab Q hello undef [-1 5 -64 63] [-4294967296 -1 4294967295] \ff\00\01
irq::enter cpu=3 time=0.150 seq=9 pid=12 not\20cat foo\20"bar" 0 18446744073709551615 eth0
irq::enter cpu=3 time=0.151 seq=9 pid=12 not\20cat foo\20"bar" 0 18446744073709551614 eth1
irq::enter cpu=3 time=0.152 seq=9 pid=12 not\20cat foo\20"bar" 0 18446744073709551613 eth2
sched::switch cpu=1 time=0.160 seq=10 pid=-1 <...>  0 0 0 0 -2048  R  undef [] [1 2 3] \00\ff\00
sched::switch cpu=1 time=0.161 seq=11 pid=-1 <...>  0 -1 1 1 -2047 n R  undef [] [1 2 3] \00\ff\00
sched::switch cpu=1 time=0.162 seq=12 pid=-1 <...>  0 -2 2 0 -2046 nn R  undef [] [1 2 3] \00\ff\00
sched::switch cpu=1 time=0.163 seq=13 pid=-1 <...>  0 -3 3 1 -2045 nnn R  undef [] [1 2 3] \00\ff\00
lost 1 undef
EOT
# Another layout of what stands before a payload: other sizes, another order, more than is needed.
my @wide = ('field:u64 time; size:64;', 'field:u8 cookie; align:8; size:8;', 'field:int pid; align:1; size:33; signed:1;',
	'field:u64 sequence; align:1; size:63;', 'field:u64 size; align:8; size:64;', 'field:u32 stream; align:16; size:32;',
	'field:u64 event; align:64; size:64;');
for my $case (['little endian', order => 'little'], ['big endian', order => 'big'],
	['another layout before the payload', order => 'little', record => \@wide],
	['another layout in big endian', order => 'big', record => \@wide]) {
	my ($what, %o) = @$case;
	Write::StableFile::sample("$dir/made.zs", %o);
	my $r = zed_run('zedperl', "$dir/made.zs", $made);
	same($r->{out}, $want, "$what: a file of the independent writer is read as meant (else: bits are taken wrong)");
	is("$r->{exit} $r->{err}", '0 ', "$what: ... without a complaint");
}
{
	# The page's own example, its bytes as they stand there.
	my $pod = slurp('docs/zed-stable.pod');
	my ($text) = $pod =~ /^(  zedperl stable events 1\n  byte_order: .*?^  data\n)/ms or die "the page has no example\n";
	my ($hex) = $pod =~ /in hexadecimal:\n\n((?:  +[0-9a-f ]+\n)+)/ or die "the page has no bytes\n";
	spew("$dir/page.zs", $text =~ s/^  //mgr . pack 'H*', $hex =~ s/\s//gr);
	my $r = zed_run('zedprint', '-f', 'json', "$dir/page.zs");
	is($r->{out}, '{"ts":1000000000,"event":"irq::exit","cpu":1,"pid":42,"comm":"cat","seq":7,"fields":'
		. '{"irq":17,"handled":1}}' . "\n", 'the example of zed-stable(5) is what it says (else: the page misleads)');
	is("$r->{exit} $r->{err}", '0 ', '... and whole');
}
like(zed_run('zedprint', '--summary', "$dir/made.zs")->{out}, qr/byte order\s+big endian.*clock\s+boot.*CPUs\s+4/s,
	'--summary tells what the file says of itself');

# The lines of $want that an option leaves.
sub leaves {
	my ($what, $keep, @option) = @_;
	my $got = zed_run('zedperl', @option, "$dir/made.zs", $made)->{out};
	return same($got, join('', map { "$_\n" } grep { $keep->() } split /\n/, $want), $what);
}
leaves('--cpu takes one CPU out of the row (else: the shortcut for whole streams drops all)',
	sub { /^lost 3|cpu=3/ }, '--cpu', '3');
leaves('--instance, too', sub { /^lost 3|cpu=3/ }, '--instance', 'foo "bar"');
leaves('-F sees the fields of stable events', sub { !/sched::switch .*seq=1[01] / }, '-F', 'sched:switch: p > 1');

{
	my $w = Write::StableFile->new(times => 'ticks', clock => 'x86-tsc', cpus => 0);
	$w->stream(cpu => 2)->machine('')->event(0, 'irq::enter', 'field:char c; size:8;');
	$w->mark(65000, 'newer', 'field:u8 x; size:8;')->raw(65000, {}, 'xyz');
	$w->record(0, { sequence => 1, time => 77 }, ['q'])->end->write("$dir/ticks.zs");
	my $r = zed_run('zedprint', "$dir/ticks.zs");
	is($r->{out}, "irq::enter cpu = 2, time = 77, sequence = 1, common_comm = <idle>, common_pid = 0, c = q,\n", 'ticks are shown as they are');
	is("$r->{exit} $r->{err}", '0 ', 'a mark that is not known is passed over (else: nothing can be added)');
}
{
	my $w = Write::StableFile->new;
	$w->machine('')->end->write("$dir/none.zs");
	my $r = zed_run('zedprint', "$dir/none.zs");
	is("$r->{exit} $r->{out}$r->{err}", '0 ', 'a file without a stream is an empty trace');
	spew("$dir/none.zs", substr $w->bytes, 0, -1);
	$r = zed_run('zedprint', "$dir/none.zs");
	is($r->{exit}, 1, '... and its end is looked for, too');
}

# ---------------------------------------------------------------- damage

# What a run says and gives of the file W with a change.
sub damaged {
	my ($what, $bytes, $exit, $err, $events) = @_;
	spew("$dir/bad.zs", $bytes);
	my $r = zed_run('zedprint', "$dir/bad.zs");
	is("$r->{exit} $r->{signal}", "$exit 0", "$what: exit $exit");
	like($r->{err}, $err, "$what: says so");
	is(scalar(() = $r->{out} =~ /^\w+::\w+ cpu/mg), $events, "$what: $events events are given");
	return $r;
}
sub made {
	my ($change) = @_;
	my $w = Write::StableFile->new;
	$w->stream(cpu => 0)->machine('')->event(0, 'irq::enter', 'field:int i; size:32;', 'dynamic:char n; size:8;');
	my $n = 0;
	my $one = sub { $n++; $w->record(0, { sequence => $n, time => $n }, [$n, 'name']) };
	$one->() for 1 .. 3;
	$change->($w);
	$one->() for 1 .. 3;
	return $w;
}
my $sound = made(sub { })->end->bytes;
my $data_at = index($sound, "\ndata\n") + 6;
damaged('a sound one', $sound, 0, qr/^$/, 6);
damaged('without its end', made(sub { })->bytes, 1, qr/bad\.zs: offset 0x[0-9a-f]+: file truncated after record 6: no end marker/, 6);
damaged('cut in a record', substr($sound, 0, $data_at + 100), 1, qr/offset 0x@{[sprintf '%x', $data_at + 2 * 39]}: file truncated after record 2/, 2);
damaged('with a tail', $sound . 'more', 1, qr/4 bytes after the end/, 6);
damaged('an event that is not described', made(sub { $_[0]->raw(9, {}, 'abc')->{n}++ })->end->bytes, 1,
	qr/record of event 9, which is not described: left out/, 6);
damaged('a stream that is none', made(sub { $_[0]->record(0, { stream => 5 }, [1, 'x']) })->end->bytes, 1,
	qr/irq::enter of unknown stream 5: skipped/, 6);
damaged('a locator that points outside', made(sub { $_[0]->raw(0, {}, pack 'V V', 1, 9 << 16 | 8)->{n}++ })->end->bytes, 1,
	qr/irq::enter: 'n' is said to be 9 bytes at 8 of a record of 8/, 6);
damaged('a record that is too short', made(sub { $_[0]->raw(0, {}, 'abc')->{n}++ })->end->bytes, 1,
	qr/irq::enter: a record of 3 bytes, its description asks for 8/, 6);
damaged('a size that cannot be', made(sub { $_[0]->raw(0, { size => 0xfffff0 }, 'abc') })->end->bytes, 1,
	qr/record of 16777200 bytes, where 131070 are the most: what follows cannot be found/, 3);
damaged('a wrong count', made(sub { })->end(7)->bytes, 1, qr/the end mark says 7 records, the file has 6/, 6);
damaged('a version to come', 'zedperl stable events 2' . substr($sound, 23), 2, qr/of another version than 1 \(a newer/, 0);
damaged('only its name', substr($sound, 0, 20), 2, qr/is a file of stable events cut off after 20 bytes/, 0);
damaged('cut in the text', substr($sound, 0, $data_at - 30), 2, qr/ends within its descriptions/, 0);
for my $case (['byte_order: little', 'byte_order: middle', qr/line 2, column 13: little or big is wanted/],
	['event 0 irq::enter', 'event 0 irq:enter', qr/line \d+, column 9: SYSTEM::NAME is wanted/],
	['event 0 irq', 'event 65535 irq', qr/line \d+, column \d+: this number is taken/],
	['field:int i; size:32;', 'field:int i; size:65;', qr/line \d+, column 19: size:65 is not within 1 to 64 bits/],
	['stream 0 cpu', 'stream 1 cpu', qr/line \d+, column 8: 1 is not within 0 and 0/],
	['machine 0 ""', 'machine 0 "x', qr/line \d+, column \d+: the " at the name's end is missing/],
	["record\n", "rekord\n", qr/line 6, column 1: unknown word 'rekord'/],
	['field:u64 time;', 'field:u64 tyme;', qr/record has no field 'time'/],
	['field:u64 records;', 'field:u64 rekords;', qr/mark end has no field 'records'/],
	['mark 65535 end', 'mark 65535 ent', qr/missing 'end' mark/],
	["times: ns\n", '', qr/byte_order:, clock: and times: are needed/]) {
	my ($from, $to, $err) = @$case;
	(my $bytes = $sound) =~ s/\Q$from\E/$to/ or die "no '$from'\n";
	damaged("'$from' made '$to'" =~ s/\n/\\n/gr, $bytes, 2, $err, 0);
}

# ---------------------------------------------------------------- writing

SKIP: {
	skip '/dev/full is not there', 2 if !-c '/dev/full';
	my $r = export('/dev/full', "$data/demo.dat");
	is($r->{exit}, 1, 'a full disk is a failure (else: half an archive and exit 0)');
	like($r->{err}, qr{/dev/full.*No space left}, '... that names the file');
}
{
	my $r = export("$dir/nowhere/x.zs", "$data/demo.dat");
	is($r->{exit}, 2, 'a file that cannot be made is said before the run');
	like($r->{err}, qr{nowhere/x\.zs.*No such file}, '... with its name');
}

done_testing();
