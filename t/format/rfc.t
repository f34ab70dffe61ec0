# SPDX-License-Identifier: GPL-2.0-or-later
# The first draft of trace.dat version 7 (an RFC of 2021 that no program ever wrote). An
# independent writer puts real ring-buffer pages into every shape its two mails allow; zedprint
# must give the same records out of all of them. What the records are is known from two sides: a
# page walker in Perl, and stock trace-cmd on the same pages in a file of the shipped dialect.
# Without it a file of that form, which the manual says is read, gives other events.
#
# of: reader/dat ring
# runs: make check; a small pass in make test
use strict;
use warnings;
use lib 't/lib';
use Compress::Zlib ();
use Test::More;
use Files;
use Pass;
use Write::RfcSource;
use Write::Rfc;
use Compare::Stock;
use Compare::RfcCheck;

my $root = '.';
my $zedprint = ($ENV{ZED_BIN_DIR} // $root) . '/zedprint';
my $shared = $ENV{ZED_SHARED} // "$root/../shared";
$ENV{LC_ALL} = 'C';

# One file of the RFC dialect: JSON against the walker, report against stock.
sub check {
	my ($what, $s, $rows, $report, %o) = @_;
	my $path = fixture('rfc');
	Write::Rfc::rfc_write($s, $path, %o);
	my ($status, $out, $err) = run($zedprint, '-f', 'json', $path);
	same_rows(json_rows($out), $rows, "$what: the records of the page walker");
	is("$status: $err", '0: ', "$what: read without complaint");
	if (defined $report) {
		(undef, $out) = run($zedprint, '-f', 'report', $path);
		same_report($out, $report, 8 * $s->{long}, "$what: the lines of trace-cmd report");
	}
	unlink $path;
}

# The sources: the repository's small recordings, else the shared big ones.  A small pass: the big endian one.
my @sources;
for my $try ([ 'LE/8 from v7', 'small_v7_none.dat', 'amd64-1/a03_v7_none.dat' ],
	[ 'BE/8 from v7', 'small_be_none.dat', 's390x/b03_v7_none.dat' ],
	[ 'LE/4 from v6', 'i386_v6.dat', 'i386/b04_v6.dat' ]) {
	my ($what, $small, $big) = @$try;
	next if small() && $what !~ /^BE/;
	my ($path) = grep { -e } "t/data/$small", "$shared/data/$big";
	if (!$path) {
		diag "no recording for '$what': neither t/data/$small nor the shared $big is here";
		next;
	}
	my $s = Write::RfcSource::source_read($path);
	my $cut = Write::RfcSource::source_cut($s, pages => [ 0, 3 ]);
	push @sources, { what => $what, full => $s, cut => $cut, rows => expected_rows($cut),
		report => stock_report($cut) };
}
plan skip_all => 'no uncompressed recording, neither in t/data nor in the shared data' if !@sources;
ok(-x $zedprint, 'zedprint is built') or BAIL_OUT("no $zedprint: run make first");
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	for my $src (@sources) {
		my $lines = () = $src->{report} =~ /^ .*\[\d+\]/mg;
		is($lines, scalar @{ $src->{rows} }, "$src->{what}: walker and stock count the same records");
	}
}

# ---- the writer itself: bytes written down by hand from the first mail; without this a fault that
# ---- writer and reader share would go unseen
{
	my $tiny = { big => 0, long => 8, cpu_count => 1, page => { size => 4096 }, buffers => [],
		kallsyms => 'ab' };
	my $only = { map { $_ => 1 } 16, 17, 18, 20, 21 };
	my $path = fixture('tiny');
	Write::Rfc::rfc_write($tiny, $path, without => $only);
	my $hand = join '', "\x17\x08\x44tracing", "7\0", "\0", "\x08", "none\0\0", "\x36\0\0\0\0\0\0\0",
		"\x13\0", "\0\0", "\x06\0\0\0\0\0\0\0", "\x06\0\0\0\0\0\0\0", "\x02\0\0\0ab",
		"\x26\0\0\0\0\0\0\0", "\x13\0\x08\0\0\0", "\x1c\0\0\0\0\0\0\0", "\x08\0\x04\0\0\0", "\x01\0\0\0",
		"\0\0\x08\0\0\0", "\0\0\0\0\0\0\0\0";
	is(unpack('H*', slurp($path)), unpack('H*', $hand),
		'writer: the little-endian bytes of the first mail');
	$tiny->{big} = 1;
	Write::Rfc::rfc_write($tiny, $path, without => $only, sizes => 'all', options_size => 'all',
		compression => 'zlib', zip_off => 1);
	$hand = join '', "\x17\x08\x44tracing", "7\0", "\x01", "\x08", "zlib\0", "1.2.13\0",
		"\0\0\0\0\0\0\0\x3c", "\0\x13", "\0\0", "\0\0\0\0\0\0\0\x1a", "\0\0\0\0\0\0\0\x1a",
		"\0\0\0\x02ab", "\0\0\0\0\0\0\0\x2e", "\0\x13\0\0\0\x08", "\0\0\0\0\0\0\0\x22",
		"\0\x08\0\0\0\x04", "\0\0\0\x01", "\0\0\0\0\0\x08", "\0\0\0\0\0\0\0\0";
	is(unpack('H*', slurp($path)), unpack('H*', $hand),
		'writer: big endian, sizes with their headers');
}
for my $src (@sources) {
	my $s = $src->{cut};
	my $path = fixture('self');
	my $layout = Write::Rfc::rfc_write($s, $path, compression => 'zlib', buffer => 'pages');
	my $bytes = slurp($path);
	my ($part) = grep { $_->[0] =~ /^pages/ } @$layout;
	my ($cpu) = $part->[0] =~ /(\d+)/;
	my ($body, $pages) = (substr($bytes, $part->[1], $part->[2]), '');
	while (length $body) {
		my $n = unpack $s->{big} ? 'N' : 'V', $body;
		$pages .= Compress::Zlib::uncompress(substr($body, 4, $n));
		$body = substr $body, 4 + $n;
	}
	ok($pages eq $s->{buffers}[0]{cpus}{$cpu}, "$src->{what}: writer: pages inflate to the real ones");
}

# ---- every shape of the two mails, in every reading of what they leave open
my @plain = (
	[ 'mail 1', buffer => 'mail1' ],
	[ 'mail 1, block behind a section header', buffer => 'mail1', fly_header => 1 ],
	[ 'mail 2, data behind its header', place => 'behind' ],
	[ 'mail 2, data at the page boundary', place => 'boundary' ],
	[ 'mail 2, data at the page boundary, gap counted', place => 'boundary', gap_counted => 1 ],
	[ 'mail 2, header before the page boundary', place => 'aligned' ],
);
my @packed = (
	[ 'mail 2, CPU sections compressed', zip_cpu => 1 ],
	[ 'page by page', buffer => 'pages' ],
	[ 'page by page, map of sections', buffer => 'pages', map => 'section' ],
	[ 'page by page, map of data', buffer => 'pages', map => 'data' ],
);
my @shapes;
for my $form ((map { [ 'none', @$_ ] } @plain), (map { [ 'zlib', @$_ ] } @plain, @packed)) {
	my ($compression, $name, @o) = @$form;
	for my $sizes ('body', 'all') {
		for my $options_size ('body', 'all') {
			push @shapes, [ "$compression, $name, section sizes $sizes, options size $options_size",
				compression => $compression, sizes => $sizes, options_size => $options_size, @o ];
		}
	}
}
# A small pass: some of the shapes, and of the bases below the last.
@shapes = @shapes[grep { $_ % 9 == 4 } 0 .. $#shapes] if small();
for my $src (@sources) {
	my $path = fixture('shipped');
	Write::Rfc::shipped_write($src->{cut}, $path);
	my ($status, $out) = run($zedprint, '-f', 'json', $path);
	same_rows(json_rows($out), $src->{rows}, "$src->{what}: the same pages in the shipped dialect");
	for my $shape (@shapes) {
		my ($name, @o) = @$shape;
		check("$src->{what}: $name", $src->{cut}, $src->{rows}, $src->{report}, @o);
	}
}

# ---- what every shape may carry; an option that is misread or not skipped would show here
my @bases = (
	[ 'mail 1', buffer => 'mail1' ],
	[ 'mail 2', place => 'behind' ],
	[ 'page by page', compression => 'zlib', buffer => 'pages', map => 'section' ],
);
my @texts = ([ 5, "Linux host 6.1 x\0" ], [ 9, "2.9.7\0" ], [ 11, "\1\2\3\4\5\6\7\x08" ],
	[ 2, "CPU: 0\nentries: 1\n\0" ], [ 6, "sched_switch,prev_pid/sched_switch,next_pid\0" ],
	[ 10, "00400000-00452000 r-xp 00000000 08:02 173521 /bin/true\n\0" ]);
for my $src (@sources) {
	my ($s, $rows, $report) = @$src{qw(cut rows report)};
	my $bare = { %$s, kallsyms => '', printk => '' };
	my $bare_report = stock_report($bare);
	my @cases = (
		[ 'options before everything', front => 1 ],
		[ 'three chained options sections', chain => 3 ],
		[ 'first of four options sections in front', chain => 4, front => 1 ],
		[ 'metadata in another order', sections => [ 21, 18, 20, 16, 19, 17 ] ],
		[ 'TRACECLOCK without size', clock_flag => 1 ],
		[ 'UNAME, VERSION, TRACEID, CPUSTAT, HOOK, PROCMAPS', before => \@texts ],
	);
	for my $base (small() ? $bases[-1] : @bases) {
		my ($name, @o) = @$base;
		check("$src->{what}: $name: $_->[0]", $s, $rows, $report, @o, @$_[1 .. $#$_]) for @cases;
		check("$src->{what}: $name: no kallsyms, no printk formats", $bare, $rows, $bare_report, @o,
			without => { 19 => 1, 20 => 1 });
		check("$src->{what}: $name: zlib in name only", $s, $rows, $report, compression => 'zlib', @o,
			zip_off => 1);
	}
}

# A map that speaks of other pages than its buffer: half of them would go unread, and unsaid.
for my $src (@sources) {
	my $path = fixture('rfc');
	Write::Rfc::rfc_write($src->{cut}, $path, compression => 'zlib', buffer => 'pages', map => 'section', map_page => 65536);
	my ($status, $out, $err) = run($zedprint, '-f', 'json', $path);
	same_rows(json_rows($out), $src->{rows}, "$src->{what}: maps of another page size: all records");
	ok($status == 1 && $err =~ /the map of cpu \d+ has pages of 65536 bytes, and its buffer of \d+: it is not used/,
		"$src->{what}: and that is said (else: records go missing in silence)") or diag("$status: $err");
	unlink $path;
}

# ---- sparse CPU ids and instances; --summary
for my $src (@sources) {
	my $sparse = Write::RfcSource::source_cut($src->{full}, pages => [ 0, 2 ], cpus => { 0 => 5, 1 => 2 });
	my $two = Write::RfcSource::source_cut($src->{full}, pages => [ 0, 1 ], instance => [ 'foo', 1, 1 ]);
	my ($sparse_rows, $two_rows) = map { expected_rows($_) } $sparse, $two;
	my ($sparse_report, $two_report) = map { stock_report($_) } $sparse, $two;
	for my $base (@bases) {
		my ($name, @o) = @$base;
		my $what = "$src->{what}: $name";
		check("$what: CPUs 2 and 5 only", $sparse, $sparse_rows, $sparse_report, @o);
		check("$what: an instance", $two, $two_rows, $two_report, @o);
		my $path = fixture('summary');
		Write::Rfc::rfc_write($sparse, $path, @o);
		my ($status, $out, $err) = run($zedprint, '--summary', $path);
		is($status, 0, "$what: --summary reads it");
		like($out, qr/\brfc\b/i, "$what: --summary names the dialect");
		my %count;
		$count{ (split)[4] }++ for @$sparse_rows;
		my @wrong;
		for my $e (sort keys %count) {
			my $event = join '\W+', split /::/, $e;
			push @wrong, "$e $count{$e}"
				if $out !~ /\b$event\W+$count{$e}\b/ && $out !~ /\b$count{$e}\s+$event\b/;
		}
		is("@wrong", '', "$what: --summary counts each event as the walker does");
	}
}

# ---- what changes a time stamp
for my $src (@sources) {
	my $s = $src->{cut};
	my $word = sub { Write::Rfc::p32($s, $_[0]) };
	my $zero = Write::Rfc::p64($s, 0);
	my ($mult, $third) = (0x1999999, 1431655765);
	my $date = 1700000000000000;
	my @cases = (
		[ 'DATE', sub { $_[0] + 1000 * $date }, [ [ 1, sprintf("0x%x\0", $date) ] ] ],
		[ 'OFFSET', sub { $_[0] - 1234567 }, [ [ 7, "-1234567\0" ] ] ],
		[ 'DATE and OFFSET', sub { $_[0] + 1000 * 0x1234 + 77 }, [ [ 7, "77\0" ], [ 1, "0x1234\0" ] ] ],
		[ 'OFFSET given twice', sub { $_[0] + 77 + 1000 }, [ [ 7, "77\0" ], [ 7, "1000\0" ] ] ],
		[ 'TSC2NSEC of 12 bytes', sub { tsc_to_ns($_[0], $mult, 24) },
			[ Write::Rfc::tsc2nsec($s, $mult, 24, 0) ],
			[ [ 14, $word->($mult) . $word->(24) . $zero ] ] ],
		[ 'TSC2NSEC with shift 32, then OFFSET', sub { tsc_to_ns($_[0], $third, 32) + 5 },
			[ [ 7, "5\0" ], Write::Rfc::tsc2nsec($s, $third, 32, 0) ],
			[ [ 7, "5\0" ], [ 14, $word->($third) . $word->(32) . $zero ] ] ],
	);
	for my $case (@cases) {
		my ($name, $convert, $options, $shipped) = @$case;
		my $rows = expected_rows($s, $convert);
		my $report = stock_report($s, options => $shipped // $options);
		for my $base (@bases) {
			my ($form, @o) = @$base;
			check("$src->{what}: $form: $name", $s, $rows, $report, @o, before => $options,
				clock_flag => 1);
		}
	}

	# The mail does not say what TSC2NSEC's third number is for; stock came to ignore its own.
	my $path = fixture('tsc');
	Write::Rfc::rfc_write($s, $path, before => [ Write::Rfc::tsc2nsec($s, $mult, 24, 12345) ]);
	my (undef, $out) = run($zedprint, '-f', 'json', $path);
	same_rows(json_rows($out), expected_rows($s, sub { tsc_to_ns($_[0], $mult, 24) }),
		"$src->{what}: TSC2NSEC's own offset is not added");
	(undef, $out) = run($zedprint, '-f', 'json', '--raw-ts', $path);
	same_rows(json_rows($out), $src->{rows}, "$src->{what}: --raw-ts leaves TSC2NSEC out");

	# TIME_SHIFT: three samples for CPU 0, one for CPU 1, none for the others.
	my $records = Write::RfcSource::source_records($s);
	my ($t0, $t1) = (sort { $a <=> $b } map { $_->[1] } @$records)[0, -1];
	my $middle = $t0 + int(($t1 - $t0) / 2);
	my @shift = ([ [ $t0, 5000, 1 ], [ $middle, 90000, 1 ], [ $t1, -4000, 1 ] ], [ [ $t0, 777, 1 ] ]);
	for my $flags (0, 1) {
		my @rows = sort map { my @r = @$_; $r[1] = shifted($r[1], $shift[ $r[0] ], $flags); row(@r) }
			@$records;
		my $option = Write::Rfc::time_shift($s, $flags, @shift);
		check("$src->{what}: TIME_SHIFT of the mail, flags $flags", $s, \@rows,
			stock_report($s, options => [$option]), before => [$option]);
	}
}

# ---- latency text: option 15 here, strings in the shipped dialect
for my $src (@sources) {
	my $text = "# tracer: wakeup\n#\n  <idle>-0   1dNh4.   44us : wakeup\n" x 40;
	my $report = stock_report($src->{cut}, latency => $text);
	for my $compression ('none', 'zlib') {
		my $what = "$src->{what}: latency text, $compression";
		my $path = fixture('latency');
		Write::Rfc::rfc_write($src->{cut}, $path, compression => $compression, latency => $text);
		my ($status, $out, $err) = run($zedprint, '-f', 'report', $path);
		is("$status: $err", '0: ', "$what: read without complaint");
		ok(index($out, $text) >= 0, "$what: shown as it is");
		same_report($out, $report, 8 * $src->{cut}{long}, "$what: as trace-cmd report") if defined $report;
	}
}

# ---- hostile files: bounded time, one line, nothing intact lost
my $s = $sources[0]{cut};
my $all = Write::RfcSource::source_records($s);
my $cpu_data = $s->{buffers}[0]{cpus};
my ($first_cpu, $last_cpu) = (sort { $a <=> $b } keys %$cpu_data)[0, -1];
my $past = (1 << 63) - 256;
sub word { return Write::Rfc::p32($s, $_[0]) }
sub quad { return Write::Rfc::p64($s, $_[0]) }

# The rows that a filter on [cpu, ts, ...] does not drop; a lost page may shift the sequence, so
# it is left out.
sub rows_but {
	my $drop = shift;
	return [ sort map { row(@$_[0 .. 3], 0) } grep { !$drop || !$drop->($_) } @$all ];
}

sub edit { my ($bytes, $at, $new) = @_; substr($$bytes, $at, length $new) = $new }

sub at { my ($layout, $what) = @_; return (grep { $_->[0] eq $what } @$layout)[0][1] }

# damage(what, [writer options], sub { edits (\$bytes, layout) }, status => N (else 1 or 2),
# keep => rows that must be there all the same, only => 1 when nothing else may, lines => how many
# may say so, 1 when not given)
sub damage {
	my ($what, $o, $damage, %want) = @_;
	my $path = fixture('bad');
	my $layout = Write::Rfc::rfc_write($s, $path, @$o);
	my $bytes = slurp($path);
	$damage->(\$bytes, $layout);
	Write::Rfc::finish({ out => $bytes, layout => $layout }, $path);
	my ($status, $out, $err) = run($zedprint, '-f', 'json', $path);
	my $expect = $want{status} // '[12]';
	my $good = like($status, qr/^$expect$/, "$what: exit status $expect");
	my @lines = split /\n/, $err;
	my $most = $want{lines} // 1;
	$good &= ok(@lines && @lines <= $most, "$what: said in at most $most line(s)")
		or diag scalar(@lines) . ' lines';
	$good &= like($lines[0] // '', qr/^zedprint: .*\Q$path\E/, "$what: the line names the file");
	diag($err =~ s/[^\n -~]/?/gr) if !$good;
	return if !$want{keep};
	my %left;
	$left{ s/seq \d+/seq 0/r }++ for @{ json_rows($out) };
	my @missing = grep { --$left{$_} < 0 } @{ $want{keep} };
	is(scalar @missing, 0, "$what: what is intact is delivered") or diag "  missing $missing[0]";
	my @extra = grep { $left{$_} > 0 } keys %left;
	is(scalar @extra, 0, "$what: and nothing else") or diag "  extra $extra[0]" if $want{only};
}

my @none = (place => 'behind');
my @zlib = (@none, compression => 'zlib');
my @whole = (keep => rows_but(), only => 1, status => 1);
# What is salvaged without its options, or without formats, is told in a few lines more.
my @salvage = (lines => 12);
my $formats = @{ $s->{ftrace} } + map { @{ $_->[1] } } @{ $s->{systems} };
my @formless = (lines => 5 + $formats);
my $offset_at = 14 + length "none\0\0";

damage('unknown compression name', \@none, sub { edit($_[0], 14, 'lzma') }, status => 2);
damage('compression version without an end', \@none, sub { edit($_[0], 19, '9' x 600) },
	status => 2);
damage('options offset past the end', \@none,
	sub { edit($_[0], $offset_at, quad($past)) }, @salvage);
damage('options offset 4 bytes before the end', \@none,
	sub { edit($_[0], $offset_at, quad(length(${ $_[0] }) - 4)) }, @salvage);
damage('options size absurd', \@none,
	sub { edit($_[0], at($_[1], 'options'), quad($past)) }, @salvage);
damage('options size 3', \@none, sub { edit($_[0], at($_[1], 'options'), quad(3)) }, @salvage);
damage('an option of 4 GiB', \@none,
	sub { edit($_[0], at($_[1], 'options') + 10, word(0xfffffff0)) }, @salvage);
damage('DONE points at its own section', \@none,
	sub { substr(${ $_[0] }, -8) = quad(at($_[1], 'options')) }, @whole);
damage('DONE goes round over three sections', [ @none, chain => 3 ], sub {
	my ($bytes, $layout) = @_;
	my @o = grep { $_->[0] eq 'options' } @$layout;
	edit($bytes, $o[0][1] + $o[0][2] - 8, quad($o[-1][1]));
}, @whole);
damage('DONE points past the end', \@none, sub { substr(${ $_[0] }, -8) = quad($past) }, @whole);

damage('event formats: sizes absurd', \@none,
	sub { edit($_[0], at($_[1], 'header 18') + 4, quad($past) x 2) });
damage('event formats: uncompressed size absurd', \@zlib,
	sub { edit($_[0], at($_[1], 'header 18') + 12, quad($past)) }, @formless);
damage('event formats: no zlib data', \@zlib,
	sub { edit($_[0], at($_[1], 'section 18'), "\xff" x 8) }, @formless);
damage('event formats: another section type', \@none,
	sub { edit($_[0], at($_[1], 'header 18'), "\x13\0") }, @formless);
damage('command lines: sizes absurd', \@none,
	sub { edit($_[0], at($_[1], 'header 21') + 4, quad($past) x 2) }, @whole);

my $but_last = rows_but(sub { $_[0][0] == $last_cpu });
damage('last CPU: section sizes absurd', \@none,
	sub { edit($_[0], at($_[1], "cpu $last_cpu") - 16, quad($past) x 2) }, keep => $but_last);
damage('last CPU: uncompressed size absurd', [ compression => 'zlib', zip_cpu => 1 ], sub {
	my ($bytes, $layout) = @_;
	edit($bytes, (grep { $_->[0] eq 'header 3' } @$layout)[-1][1] + 12, quad($past));
}, keep => $but_last);

# Page by page. What the records of the last CPU's first and second page are tells what a bad
# page costs.
my @by_page = map {
	my %one = (%$s, buffers => [ { %{ $s->{buffers}[0] }, cpus => { $last_cpu => $_ } } ]);
	my $records = Write::RfcSource::source_records(\%one);
	+{ map { ($_->[1] => 1) } @$records };
} Write::RfcSource::pages_of($cpu_data->{$last_cpu}, $s->{page}{size});
my @pages = (compression => 'zlib', buffer => 'pages');
sub second_block {
	my ($bytes, $layout) = @_;
	my $at = at($layout, "pages $last_cpu");
	return $at + 4 + unpack($s->{big} ? 'N' : 'V', substr($$bytes, $at, 4));
}
for my $csize (0xfffffff0, 0x7fffffff, 0) {
	for my $map ([], [ map => 'section' ]) {
		damage(sprintf('compressed size of the second page is %#x', $csize) . (@$map ? ', with a map' : ''),
			[ @pages, @$map ], sub { edit($_[0], second_block(@_), word($csize)) }, status => 1,
			keep => rows_but(sub { $_[0][0] == $last_cpu && !$by_page[0]{ $_[0][1] } }));
	}
}
damage('second page is no zlib data', \@pages,
	sub { edit($_[0], second_block(@_) + 4, "\xff" x 16) }, status => 1, only => 1,
	keep => rows_but(sub { $_[0][0] == $last_cpu && $by_page[1]{ $_[0][1] } }));

# Options by their first bytes: id, size, payload up to the number that gets damaged.
sub in_option {
	my ($id, $size, $skip, $new) = @_;
	return sub {
		my $head = Write::Rfc::p16($s, $id) . word($size);
		my $at = index ${ $_[0] }, $head, at($_[1], 'options');
		die "no option $id of size $size\n" if $at < 0;
		edit($_[0], $at + 6 + $skip, $new);
	};
}
my $cpus = keys %$cpu_data;
my ($mail2, $by_pages) = (5 + 20 * $cpus, 9 + 20 * $cpus);
my $but_first = rows_but(sub { $_[0][0] == $first_cpu });
damage(sprintf('page size %#x', $_), \@pages, in_option(22, $by_pages, 5, word($_)))
	for 0, 3, 0xffffffff;
damage('BUFFER: no CPUs, and then some', \@none, in_option(3, $mail2, 1, word(0)), status => 1);
damage('BUFFER: a CPU of zeros', \@none, in_option(3, $mail2, 5, "\0" x 20), status => 1, keep => $but_first, only => 1);
damage('BUFFER: 2 Gi CPUs', \@none, in_option(3, $mail2, 1, word(0x7fffffff)));
damage('BUFFER: CPU id 0x10000000', \@none, in_option(3, $mail2, 5, word(0x10000000)),
	keep => $but_first);
damage('BUFFER: CPU offset past the end', \@none, in_option(3, $mail2, 9, quad($past)),
	keep => $but_first, only => 1);
damage('BUFFER: CPU offset 0', \@none, in_option(3, $mail2, 9, quad(0)),
	keep => $but_first, only => 1);
damage('mail 1: offset past the end', [ buffer => 'mail1' ], in_option(3, 9, 1, quad($past)));
# One line for the number, one for what is taken in its place.
damage('mail 1: 2 Gi CPUs', [ buffer => 'mail1' ], in_option(8, 4, 0, word(0x7fffffff)),
	lines => 2);
damage('mail 1: no flyrecord block', [ buffer => 'mail1' ], sub {
	my $at = index ${ $_[0] }, "flyrecord\0";
	edit($_[0], $at, "nonsense..");
});
damage('TSC2NSEC with shift 77', [ @none, before => [ Write::Rfc::tsc2nsec($s, 5, 77, 0) ] ],
	sub { }, status => 1);

# Cut anywhere: never a signal, always a complaint, and the CPUs before the cut are all there.
{
	my $path = fixture('whole');
	my $layout = Write::Rfc::rfc_write($s, $path, @none, front => 1);
	my $bytes = slurp($path);
	my @bad;
	for my $i (1 .. 40) {
		my $len = int(length($bytes) * $i / 41);
		Write::Rfc::finish({ out => substr($bytes, 0, $len), layout => [] }, $path);
		my ($status, $out, $err) = run($zedprint, '-f', 'json', $path);
		push @bad, "$len: status $status, '$err'" if $status !~ /^[12]$/ || $err !~ /\S/;
		my @whole = grep { $_->[1] + $_->[2] <= $len } @$layout;
		my %there = map { $_->[0] =~ /^cpu (\d+)/ ? ($1 => 1) : () } @whole;
		my %got = map { $_ => 1 } @{ json_rows($out) };
		my @missing = grep { !$got{$_} } map { row(@$_) } grep { $there{ $_->[0] } } @$all;
		push @bad, "$len: " . @missing . ' records of whole CPUs missing' if @missing;
	}
	$#bad = 2 if @bad > 3;
	is("@bad", '', 'a file cut anywhere: a complaint, and every CPU before the cut');
}

done_testing();
