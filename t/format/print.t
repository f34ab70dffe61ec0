# SPDX-License-Identifier: GPL-2.0-or-later
#
# The formats zed, report and json on made files whose every value is known: without it a quote, a sign, a
# byte that is no UTF-8 or a lost event could come out wrong where no real recording has one.
#
# of: sink/print programs/zedprint

use strict;
use warnings;
use Test::More;
use File::Basename ();
use JSON::PP ();
use lib 't/lib';
use Write::Dat;
use Compare::Stock;
use Run::Program qw(:DEFAULT spew);

my $zedprint = zed_bin('zedprint');
die "zedprint is not built: run make\n" if !-x $zedprint;

my $n = 0;
sub print_of {
	my ($d, @options) = @_;
	my @paths = map { $_->write(zed_tmp() . '/' . $n++ . '.dat') } ref $d eq 'ARRAY' ? @$d : $d;
	return zed_run($zedprint, @options, @paths);
}

# ---------------------------------------------------------------- every kind of field

my $fields = join '', map { "\tfield:$_->[0];\toffset:$_->[1];\tsize:$_->[2];\tsigned:$_->[3];\n" }
	['u64 u', 8, 8, 0], ['s64 s', 16, 8, 1], ['s8 tiny', 24, 1, 1], ['u8 bytes[3]', 25, 3, 0],
	['char text[8]', 28, 8, 1], ['s16 list[3]', 36, 6, 1], ['u16 half', 42, 2, 0],
	['__data_loc char[] dyn', 44, 4, 1], ['__data_loc cpumask_t mask', 48, 4, 0],
	['__rel_loc u32[] rel', 52, 4, 0];

sub all_kinds {
	my ($big) = @_;
	my $e = $big ? '>' : '<';
	return Write::Dat->new(big => $big, cpus => 1, formats =>
		[[kinds => Write::Dat::format_text('all', 310, $fields, '"u=%llu", REC->u')]],
		make_pages => sub {
			my ($d) = @_;
			my $rec = Write::Dat::common($d, 310) . pack("Q$e q$e c C3 a8 s${e}3 S$e L$e L$e L$e",
				~0, -9223372036854775807 - 1, -5, 0, 255, 16, "a\"\\\n\xff\xc3\xa4", -1, 2, -32768, 65535,
				7 << 16 | 56, 8 << 16 | 64, 8 << 16 | 72 - 56) . "tab\t\x01x\0" . "\0" .
				pack("Q$e", 0b111101) . pack("L${e}2", 1, ~0);
			return Write::Dat::page($d, $Write::Dat::BASE, Write::Dat::data_event($d, 0, $rec));
		});
}

for my $big (0, 1) {
	my $order = $big ? 'big-endian' : 'little-endian';
	my $zed = print_of(all_kinds($big));
	is($zed->{out}, 'kinds::all cpu = 0, time = 1.000000000, sequence = 1, common_comm = mini, common_pid = 77, u = 18446744073709551615, ' .
		's = -9223372036854775808, tiny = -5, bytes = 00ff10, text = a"\\' . '\n' . "\xff\xc3\xa4, " .
		"list = [-1, 2, -32768], half = 65535, dyn = tab" . '\x09\x01x' .
		", mask = 0,2-5, rel = [1, 4294967295],\n", "zed: every kind of field, $order");
	my $json = print_of(all_kinds($big), '-f', 'json');
	my $want = '{"ts":1000000000,"event":"kinds::all","cpu":0,"pid":77,"comm":"mini","seq":1,"fields":' .
		'{"u":18446744073709551615,"s":-9223372036854775808,"tiny":-5,"bytes":"00ff10",' .
		'"text":"a\"\\\\\\u000a\\uefff' . "\xc3\xa4" . '","list":[-1,2,-32768],"half":65535,' .
		'"dyn":"tab\\u0009\\u0001x","mask":"0,2-5","rel":[1,4294967295]}}' . "\n";
	is($json->{out}, $want, "json: every kind of field, $order");
	my $o = eval { JSON::PP->new->utf8->allow_bignum->decode($json->{out}) };
	is($o && "$o->{fields}{u} $o->{fields}{s}", '18446744073709551615 -9223372036854775808',
		"json: 64 bits survive a parser, $order");
	is($o && $o->{fields}{text}, "a\"\\\n\x{efff}\x{e4}", "json: a string survives it, $order");
}

# ---------------------------------------------------------------- tasks, and bytes in JSON, and back

# A file with a tick by each of the tasks whose names are given, of pids 1000 and on; then by each of MORE.
sub ticks_of {
	my ($names, @more) = @_;
	return Write::Dat->new(cpus => 1, cmdlines => join('', map { (1000 + $_) . " $names->[$_]\n" } 0 .. $#$names),
		page_size => 16384, make_pages => sub {
			my $d = shift;
			return Write::Dat::page($d, 5000, join '', map {
				Write::Dat::data_event($d, 1, Write::Dat::u16($d, 300) . "\1\0" . Write::Dat::u32($d, $_) .
					Write::Dat::u32($d, 0) . "\0" x 8) } (map { 1000 + $_ } 0 .. $#$names), @more);
		});
}

{
	my @names = ('sh', 'kworker/0:1-eve', 'Web Content', '[x] (y)', '-', 'a, pid = 5', ', common_pid = ', 'common_pid = 7,',
		'<...>', '<idle>', 'a = b', '...,', ' x', "\xc3\xa4\xff");
	my @got = map { [/\Amini::tick cpu = 0, time = [\d.]+, sequence = \d+, common_comm = (.*?), common_pid = (\d+), n = 0,/] }
		split /\n/, print_of(ticks_of(\@names, 0, 4711))->{out};
	is_deeply(\@got, [(map { [$names[$_], 1000 + $_] } 0 .. $#names), ['<idle>', 0], ['<...>', 4711]],
		'zed: the task of each event, whatever its name is (else: nobody sees who made a call)');
}


# As the manual has it.
sub bytes_of {
	my ($s) = @_;
	utf8::encode($s);
	$s =~ s/\xee([\xbe\xbf])([\x80-\xbf])/chr(0x80 | (ord($1) & 1) << 6 | ord($2) & 0x3f)/ge;
	return $s;
}

{
	my @names = ("\xff", "\xc3\xbf", "\xef\xbf\xbd", "\xee\xbe\x80", "\xee\xbf\xbf", "\x80\xee\xbe", "a\xc3",
		"\xc2\x9b" . "2J", "\x9b", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x90\xa7", "\xef\xbe\x80",
		map({ chr } 1 .. 9, 11 .. 31, 33 .. 127, 129 .. 154, 156 .. 254));
	my $d = ticks_of(\@names);
	my %of = map { $_->{pid} => $_->{comm} }
		map { JSON::PP->new->utf8->decode($_) } split /\n/, print_of($d, '-f', 'json')->{out};
	my @wrong = grep { bytes_of($of{1000 + $_} // '') ne $names[$_] } 0 .. $#names;
	is("@wrong", '', 'json: the bytes of any name can be had back (else: ff and U+00FF are one name)');
	my %twice;
	$twice{$_}++ for values %of;
	is(scalar keys %twice, scalar @names, 'json: no two names are made one');
	SKIP: {
		skip 'no jq here', 1 if system('jq --version > /dev/null 2>&1');
		my $out = `@{[zed_bin('zedprint')]} -f json '@{[$d->write(zed_tmp() . '/names.dat')]}' | jq -j '.comm + "\n"'`;
		my @got = split /\n/, $out;
		is_deeply([map { bytes_of(do { my $s = $_; utf8::decode($s); $s }) } @got], \@names,
			'json: nor by jq on the way');
		# The manual's own line finds those whose bytes are not all text.
		my ($program) = slurp('docs/zedprint.pod') =~ /jq -r '([^']*uef80[^']*)'/ or die "the manual has no such line\n";
		my @odd = `@{[zed_bin('zedprint')]} -f json '@{[zed_tmp()]}/names.dat' | jq -r '$program'`;
		my @want = grep { my $s = $names[$_]; !utf8::decode($s) || $s =~ /[\x{ef80}-\x{efff}]|[^\0-\x{10ffff}]|[\x{d800}-\x{dfff}]/ } 0 .. $#names;
		is("@{[map { $_ + 0 } @odd]}", "@{[map { 1000 + $_ } @want]}", "json: the manual's line finds the names that are no text");
	}
}

# Texts of an event's own, of what is next to each rule of UTF-8 and of ours.
{
	my @parts = ("\xee\xbd", "\xee\xbe", "\xee\xbf", "\xee", "\xef\x80\x80", "\xee\xbf\xbf", "\xee\xbe\x80", "\xed\x9f\xbf", "\xed\xa0\x80",
		"\xf0\x90\x80", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xc0\x80", "\xc2\x80", "\xdf\xbf", "\xe0\x9f\xbf", "\xe2\x80\xa8", 'a', '"', '\\',
		'\\uefff', "\n", "\x1f", "\x7f", '{', map({ chr } 0x80, 0xbf, 0xc3, 0xff), '\\ue');
	srand 4711;
	my @texts = map { join '', map { $parts[rand @parts] } 0 .. rand 12 } 1 .. 2000;
	my $d = Write::Dat->new(cpus => 1, page_size => 262144, make_pages => sub {
		my $d = shift;
		return Write::Dat::page($d, 5000, join '', map {
			my $text = "$_\0" . "\0" x (3 - length($_) % 4);
			Write::Dat::data_event($d, 1, Write::Dat::common($d, 301) . Write::Dat::u32($d, length($text) << 16 | 16) .
				Write::Dat::u32($d, 16 + length $text) . $text) } @texts);
	});
	my $out = print_of($d, '-f', 'json')->{out};
	my @got = map { bytes_of(JSON::PP->new->utf8->decode($_)->{fields}{msg}) } split /\n/, $out;
	my @wrong = grep { $got[$_] ne $texts[$_] } 0 .. $#texts;
	is(@got . ' ' . unpack('H*', join '|', @texts[@wrong]), '2000 ', 'json: any bytes can be had back (else: a byte and a letter are one)');
	SKIP: {
		skip 'no jq here', 1 if system('jq --version > /dev/null 2>&1');
		spew(zed_tmp() . '/texts.json', $out);
		# An UTF-8 encoder of its own, and the manual's rule, on what jq made of the text.
		my $bytes = 'def utf8: if . < 128 then . elif . < 2048 then (192 + . / 64 | floor), 128 + . % 64 ' .
			'elif . >= 61312 and . <= 61439 then . - 61184 ' .
			'elif . < 65536 then (224 + . / 4096 | floor), 128 + ((. / 64 | floor) % 64), 128 + . % 64 ' .
			'else (240 + . / 262144 | floor), 128 + ((. / 4096 | floor) % 64), 128 + ((. / 64 | floor) % 64), 128 + . % 64 end;';
		my @numbers = map { pack 'C*', /\d+/g } `jq -c '$bytes [.fields.msg | explode[] | utf8]' @{[zed_tmp()]}/texts.json`;
		is_deeply(\@numbers, \@texts, 'json: by jq alone, too');
	}
}
{
	my $raw = "\tfield:unsigned int id;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:char buf[];\toffset:12;\tsize:0;\tsigned:1;\n";
	my $d = Write::Dat->new(cpus => 1,
		formats => [[ftrace => Write::Dat::format_text('raw_data', 16, $raw, '"id:%04x %08x", REC->id, (int)REC->buf[0]')]],
		make_pages => sub {
			my $d = shift;
			my $head = Write::Dat::common($d, 16) . Write::Dat::u32($d, 0x42);
			return Write::Dat::page($d, 5000, Write::Dat::data_event($d, 0, $head . "\0a\0\xff\1\0\0\2") .
				Write::Dat::data_event($d, 1, $head));
		});
	my @got = map { JSON::PP::decode_json($_)->{fields}{buf} } split /\n/, print_of($d, '-f', 'json')->{out};
	is_deeply(\@got, ['006100ff01000002', ''], 'json: all bytes of trace_marker_raw (else: cut at the first NUL)');
	is(zed_run('zedperl', '-e', 'sub ftrace::raw_data { print unpack("H*", $_[5]), "." }',
		$d->write(zed_tmp() . '/raw.dat'))->{out}, '006100ff01000002..', 'a handler gets them too');
}

# ---------------------------------------------------------------- all events, their order and times

my $mini = Write::Dat->new;
my @events = sort { $a->{ts} <=> $b->{ts} } $mini->events;
my $json = print_of($mini, '-f', 'json');
my @got = map { JSON::PP::decode_json($_) } split /\n/, $json->{out};
is_deeply([map { "$_->{ts} $_->{cpu} $_->{event}" } @got],
	[map { "$_->{ts} $_->{cpu} mini::$_->{name}" } @events], 'json: all events in the order of time');
my $zed = print_of($mini, '--relative');
like($zed->{out}, qr/\Amini::tick cpu = 0, time = 0\.000000000, sequence = 1, common_comm = mini, common_pid = 77, n = 0, who = cpu0,\n/,
	'zed: --relative counts from the first event');
my $report = print_of($mini, '-f', 'report');
my ($first) = split /\n/, $report->{out} =~ s/\Acpus=2\n//r;
is($first, '            mini-77    [000] d....     1.000000: tick:                 n=0 who=cpu0',
	'report: the frame of a line');
like(print_of($mini, '-f', 'report', '--ns')->{out}, qr/\[000\] d\.\.\.\.     1\.000000000: tick: /, 'report: --ns');
like(print_of($mini, '-f', 'report', '--latency')->{out}, qr/\[000\] d\.\.\.\.     1\.000000: tick: /,
	'report: --latency');
like(print_of($mini, '-f', 'report')->{out}, qr/said: +msg=page 0 v=/, 'report: a dynamic array is printed');
like(print_of(Write::Dat->new(clock => 'counter'), '-f', 'report')->{out}, qr/^ +mini-77    \[000\] d\.\.\.\.  1000000000: tick:/m,
	'report: a clock that counts no time');
like(print_of(Write::Dat->new(clock => 'counter'))->{out}, qr/time = 1000000000,/, 'zed: the same');

# A file whose first event is at TS.
sub at {
	my ($ts, @more) = @_;
	local $Write::Dat::BASE = $ts;
	return Write::Dat->new(@more);
}

# Rounding goes up, and carries.
sub one_tick {
	my ($ts, %more) = @_;
	return Write::Dat->new(cpus => 1, %more, make_pages => sub {
		my ($d) = @_;
		return Write::Dat::page($d, $ts, Write::Dat::data_event($d, 0, Write::Dat::tick($d, 1)), %{$more{page} // {}});
	});
}
like(print_of(one_tick(59_999_999_600), '-f', 'report')->{out}, qr/\[000\] d\.\.\.\.    60\.000000: /,
	'report: microseconds are rounded');
like(print_of(one_tick(59_999_999_600))->{out}, qr/time = 59\.999999600,/, 'zed: nanoseconds are not');

# ---------------------------------------------------------------- losses

sub loss {
	my ($count, %more) = @_;
	my $flags = defined $count ? 3 << 30 : 1 << 31;
	return Write::Dat->new(cpus => 1, make_pages => sub {
		my ($d) = @_;
		return Write::Dat::page($d, 5_000_000_000, ($more{extend} ? Write::Dat::head($d, 30, 0) . Write::Dat::u32($d, 1) : '') .
			Write::Dat::data_event($d, 0, Write::Dat::tick($d, 1)), flags => $flags,
			tail => defined $count ? Write::Dat::u64($d, $count) : '');
	});
}
like(print_of(loss(12), '-f', 'report')->{out}, qr/\Acpus=1\nCPU:0 \[12 EVENTS DROPPED\]\n +mini-77/, 'report: a loss');
like(print_of(loss(undef), '-f', 'report')->{out}, qr/\Acpus=1\nCPU:0 \[EVENTS DROPPED\]\n/, 'report: an unknown loss');
unlike(print_of(loss(12, extend => 1), '-f', 'report')->{out}, qr/DROPPED/,
	'report: a loss before a time extend is not shown, as stock does not see it');
like(print_of(loss(12, extend => 1))->{out}, qr/\Alost cpu = 0, time = \S+, sequence = 13, count = 12,\nmini::tick/,
	'zed: it is, on a line of its own, and counted');
like(print_of(loss(undef))->{out}, qr/\Alost .* count = unknown,\n/, 'zed: an unknown loss');
like(print_of(loss(12), '-f', 'json')->{out}, qr/"seq":13,"lost":12,/, 'json: a loss');
like(print_of(loss(undef), '-f', 'json')->{out}, qr/"lost":null/, 'json: an unknown loss');

# ---------------------------------------------------------------- labels, unknown events

my $multi = Write::Dat->new(instances => ['foo', 'barbar'], cpus => 1);
my $labelled = print_of($multi, '-f', 'report')->{out};
like($labelled, qr/^        +mini-77/m, 'report: the top buffer of a file with instances is indented');
like($labelled, qr/^   foo:             mini-77/m, 'report: an instance has its label, to the right');
like(print_of($multi, '-f', 'json')->{out}, qr/"instance":"foo"/, 'json: an instance');
like(print_of($multi)->{out}, qr/ sequence = 1, common_comm = mini, common_pid = 77, instance = foo, n = 0,/, 'zed: an instance');
my $two = print_of([Write::Dat->new(cpus => 1), Write::Dat->new(cpus => 1)], '-f', 'report')->{out};
like($two, qr/^\d+\.dat: +mini-77/m, 'report: of several files each line names its file');

my $unknown = Write::Dat->new(cpus => 1, make_pages => sub {
	my ($d) = @_;
	return Write::Dat::page($d, $Write::Dat::BASE, Write::Dat::data_event($d, 0, Write::Dat::common($d, 999) . 'xxxx'));
});
is(print_of($unknown, '-f', 'report')->{out},
	"cpus=1\n[UNKNOWN EVENT][UNKNOWN EVENT][UNKNOWN EVENT] (NULL):               [UNKNOWN EVENT]\n",
	'report: an event of no format, as stock shows it');
like(print_of($unknown, '-f', 'json')->{out}, qr/"event":"unknown::id_999".*"fields":\{\}/, 'json: the same');

# ---------------------------------------------------------------- writing

my $path = Write::Dat->new(ticks => 12, pages => 200)->write(zed_tmp() . '/long.dat');
SKIP: {
	skip 'there is no /dev/full', 1 if !-c '/dev/full';
	my $full = zed_run({ stdout => '/dev/full' }, $zedprint, $path);
	ok($full->{exit} == 1 && @{$full->{lines}} == 1 && $full->{err} =~ /cannot write to standard output/,
		'a full disk is said') or diag("exit $full->{exit}: $full->{err}");
}
my $piped = `$zedprint $path 2>@{[zed_tmp()]}/err | head -n 2`;
is(scalar(() = $piped =~ /\n/g), 2, 'a reader that leaves gets what it read');
cmp_ok(length slurp(zed_tmp() . '/err'), '<', 200, 'and at most one line is said of it');

# ---------------------------------------------------------------- the stock program, where it is at hand

SKIP: {
	skip stock_missing(), 4 if stock_missing();
	my %files = ('an instance' => [Write::Dat->new(instances => ['foo', 'barbar'])],
		'two files' => [Write::Dat->new(cpus => 1), Write::Dat->new(cpus => 1, comm => 'other')],
		'three files, one of them with instances' => [Write::Dat->new(cpus => 3),
			at(2_000_000_000, cpus => 1, instances => ['averylonginstance', 'x']), at(3_000_000_000)],
		'a loss' => [loss(12)]);
	for my $what (sort keys %files) {
		my @paths = map { $_->write(zed_tmp() . '/' . $n++ . '.dat') } @{$files{$what}};
		my $ours = zed_run($zedprint, '-f', 'report', @paths);
		is(stock_differs(\@paths, $ours->{out}), undef, "report: as trace-cmd prints it: $what");
	}
}

done_testing;
