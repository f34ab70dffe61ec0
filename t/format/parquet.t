# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f parquet: a reader that shares nothing with the writer finds in each recording's tables what -f json says; types,
# names, losses and partitions of made traces; what ends early.
# Without it SQL answers about another trace.
#
# of: export/parquet base/parquet programs/zedprint
# runs: make check; a small pass in make test
use strict;
use warnings;
use lib 't/lib';
use File::Find;
use JSON::PP;
use POSIX ();
use Test::More;
use Compare::ParquetRead;
use Compare::RealData;
use Run::Zedperl;

my $why = parquet_no_reader();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');
my $json = JSON::PP->new->allow_nonref->allow_bignum;

sub tables {
	my ($dir) = @_;
	my @files;
	find({ no_chdir => 1, wanted => sub { push @files, $_ if -f } }, $dir) if -d $dir;
	return map { s{^\Q$dir\E/}{}r => $_ } sort @files;
}

# zedprint -f parquet: ({name of the file => table}, the run, the directory).
sub parquet {
	my (@args) = @_;
	my $dir = Compare::RealData::temp();
	my $run = Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $dir, @args);
	my %files = tables($dir);
	my %tables;
	@tables{keys %files} = parquet_read(values %files);
	return (\%tables, $run, $dir);
}

# The column of a field.
sub column { return $_[0] =~ /^(?:ts|cpu|pid|comm|seq|lost|instance|machine|file|callchain)$/i ? "field_$_[0]" : $_[0] =~ s/\W/_/gr }

# A value of a table as -f json has it.
sub shown {
	my ($type, $v) = @_;
	return 'null' if !defined $v;
	return '[' . join(',', @$v) . ']' if ref $v;
	return unpack 'H*', $v if $type eq 'binary';
	if ($type eq 'json') {
		return JSON::PP->new->canonical->allow_bignum->encode(JSON::PP->new->utf8->allow_bignum->decode($v));
	}
	utf8::decode(my $text = $v);
	return $text;
}

sub said {
	my ($type, $v) = @_;
	return 'null' if !defined $v;
	return JSON::PP->new->canonical->allow_bignum->encode($v) if $type eq 'json';
	return '[' . join(',', @$v) . ']' if ref $v;
	return "$v";
}

# Where the tables of a trace and its objects of -f json differ first, or undef.
sub differ {
	my ($tables, $lines, $several) = @_;
	my (%next, $lost);
	for my $line (@$lines) {
		my $o = $json->decode($line);
		if (exists $o->{lost}) {
			my $row = $tables->{'lost.parquet'}{rows}[$lost++] // return "no row for the loss of $line";
			return "loss: @{[%$row]} for $line" if "$row->{ts} $row->{cpu} " . ($row->{lost} // 'null') . " $row->{instance}" ne
				"$o->{ts} $o->{cpu} " . ($o->{lost} // 'null') . ' ' . ($o->{instance} // '');
		}
		next if !$o->{event};
		my $file = $o->{event} =~ s/::/./r =~ s/([^\w.-])/sprintf '%%%02X', ord $1/ger . '.parquet';
		my $t = $tables->{$file} // return "no $file";
		my $row = $t->{rows}[$next{$file}++] // return "$file: no row for $line";
		my %want = (%$o, instance => $o->{instance} // '', lost => exists $o->{lost} ? $o->{lost} : 0);
		delete @want{qw(event fields cut)};
		my %type = %{$t->{type}};
		for (sort keys %want) {
			my ($is, $should) = (shown($type{$_} // '', $row->{$_}), said($type{$_} // '', $want{$_}));
			return "$file: $_ is $is and not $should in $line" if $is ne $should;
		}
		for (sort keys %{$o->{fields}}) {
			my $c = column($_);
			return "$file has no column $c" if !exists $row->{$c};
			my ($is, $should) = (shown($type{$c}, $row->{$c}), said($type{$c}, $o->{fields}{$_}));
			next if $is eq $should || ($type{$c} =~ /^(?:float|double)$/ && $is == $should);
			return "$file: $c is $is and not $should in $line";
		}
		return "$file: a column too many, or too few" if !$o->{cut} && @{$t->{columns}} != keys(%{$o->{fields}}) + 8 + $several + !!$t->{type}{callchain};
	}
	for (sort keys %$tables) {
		next if $_ eq 'lost.parquet';
		return "$_: @{[scalar @{$tables->{$_}{rows}}]} rows, not " . ($next{$_} // 0) if @{$tables->{$_}{rows}} != ($next{$_} // 0);
	}
	my $rows = @{($tables->{'lost.parquet'} // { rows => [] })->{rows}};
	return "$rows losses, not " . ($lost // 0) if $rows != ($lost // 0);
	return undef;
}

# ---- recordings ----

my (@bad, %types, %events);
my $rows = 0;
my @inputs = ((map { [$_] } Compare::RealData::recordings(Compare::RealData::own())), (map { [$_] } glob Compare::RealData::own() . '/perf/*.data'),
	[Compare::RealData::own() . '/ltt-g1'], [map { Compare::RealData::own() . "/$_.dat" } qw(small_v7_none small_v7_zstd)]);
for my $in (@inputs) {
	my ($text, $run) = Compare::RealData::zedprint('-f', 'json', '--head', 300, @$in);
	next if $run->{exit} > 1;
	my ($tables, $second) = parquet('--head', 300, @$in);
	push @bad, "@$in: exit $second->{exit}, not $run->{exit}: $second->{err}" if $run->{exit} != $second->{exit};
	my $differ = differ($tables, [split /\n/, $text], @$in > 1);
	push @bad, "@$in: $differ" if $differ;
	$rows += @{$_->{rows}} for values %$tables;
	$types{$_} = 1 for map { values %{$_->{type}} } values %$tables;
	$events{$_} = 1 for keys %$tables;
}
ok(!@bad, 'each recording: its tables have what -f json says, value by value (else: SQL answers about another trace)') or diag(join "\n", @bad);
cmp_ok($rows, '>', 10_000, '... of more than 10,000 rows (else: little is compared)');
cmp_ok(scalar keys %events, '>', 200, "... and 200 events: @{[scalar keys %events]}");
is(join(' ', grep { !$types{$_} } qw(int8 int16 int32 int64 uint8 uint16 uint32 uint64 string binary timestamp), 'list uint64'), '', '... with columns of all types');

# ---- many rows: groups, pages, statistics ----

my ($whole, $run) = parquet(Compare::RealData::own() . '/demo.dat');
is(Compare::RealData::failure($run), undef, 'a recording as a whole');
my ($counts) = zedperl(Compare::RealData::own() . '/demo.dat', \'our %n; sub trace_unhandled { $n{$_[0]}++ } sub trace_end { print map { s/::/./r . ".parquet $n{$_}\n" } sort keys %n }')->{out};
is(join('', map { "$_ @{[scalar @{$whole->{$_}{rows}}]}\n" } sort keys %$whole), $counts, '... has a table of each event with as many rows as zedperl counts');

my $n = 140_000;
my $big = trace(cpus => 1, events => [map { [0, 1000 * $_, 'mini::tick', $_ % 5000] } 1 .. $n]);
my ($t) = parquet($big);
$t = $t->{'mini.tick.parquet'};
is(scalar @{$t->{rows}}, $n, 'as many rows as events, over several groups (else: the end of a group is lost)');
cmp_ok(scalar @{$t->{groups}}, '>', 1, '... which are several');
my @wrong = grep { my $r = $t->{rows}[$_ - 1]; $r->{ts} != 1000 * $_ + 1e9 - 1e9 || $r->{n} != $_ % 5000 || $r->{seq} != $_ } 1 .. $n;
is(scalar @wrong, 0, '... each row with its values');
my ($last, $apart) = (-1, 0);
for (@{$t->{groups}}) {
	$apart += $_->{bounds}{ts}[0] > $last;
	$last = $_->{bounds}{ts}[1];
}
is($apart, @{$t->{groups}}, '... and bounds of times that do not overlap (else: a range of time reads all groups)');

# ---- fields of all kinds ----

my %all = (
	'all::kinds' => field_text('s8 a', 8, 1, 1) . field_text('u8 b', 9, 1) . field_text('s16 c', 10, 2, 1) . field_text('u16 d', 12, 2) .
		field_text('s32 e', 16, 4, 1) . field_text('u32 f', 20, 4) . field_text('s64 g', 24, 8, 1) . field_text('void * h', 32, 8) .
		field_text('char i[8]', 40, 8, 1) . field_text('u8 j[4]', 48, 4) . field_text('u64 k[2]', 56, 16) . field_text('s16 l[3]', 72, 6, 1) .
		field_text('u64 m', 80, 8) . field_text('int comm', 88, 4, 1) . field_text('int TS', 92, 4, 1) . field_text('int ts', 96, 4, 1) .
		field_text('u32 dup', 100, 4) . field_text('u32 dup', 104, 4) . field_text('u32 a.b/c', 108, 4),
);
sub kinds {
	my ($n, $text) = @_;
	return pack 'c C s S x2 l L q Q a8 C4 x4 Q2 s3 x2 Q l3 L3', -$n, 255 - $n, -300 * $n, 65535 - $n, -70000 * $n, 4294967295 - $n,
		-1 << 62, ~0 - $n, $text, 1, 2, 0, 255, ~0, $n, -1, 0, $n, 0b1011, 1, 2, 3, 4, 5, 6;
}
my $kinds = trace(types => \%all, uname => 'Linux box 6.1.0 x86_64', comm => "t\xffk", events => [
	[0, 1000, 'all::kinds', kinds(1, "ab\0cd")], [1, 2000, 'all::kinds', kinds(2, "\xc3\xa4\xff\n"), 5], [0, 3000, 'all::kinds', kinds(3, '12345678'), -1]]);
my ($tables);
($tables, $run) = parquet($kinds);
$t = $tables->{'all.kinds.parquet'};
is(join(' ', map { "$_:" . $t->{type}{$_} =~ s/ /-/r } @{$t->{columns}}), 'ts:timestamp cpu:int32 pid:int32 comm:string seq:uint64 lost:uint32 instance:string machine:string ' .
	'a:int8 b:uint8 c:int16 d:uint16 e:int32 f:uint32 g:int64 h:uint64 i:string j:binary k:list-uint64 l:list-int16 m:uint64 ' .
	'field_comm:int32 field_TS:int32 field_ts_2:int32 dup:uint32 field_dup:uint32 field_c:uint32', 'columns: their names, none twice in any case of letters, and types');
sub row { my ($r) = @_; return join ' ', map { my $v = $r->{$_}; !defined $v ? 'null' : ref $v ? "[@$v]" : $v =~ /[^ -~]/ ? '0x' . unpack 'H*', $v : $v } @{$t->{columns}} }
is(row($t->{rows}[0]), '1000 0 77 0x74eebfbf6b 1 0  box -1 254 -300 65534 -70000 4294967294 -4611686018427387904 18446744073709551614 ab 0x010200ff [18446744073709551615 1] [-1 0 1] 11 1 2 3 4 5 6',
	'values: signs, widths, texts, bytes, lists, and what is not UTF-8 as -f json has it');
like(row($t->{rows}[1]), qr/^2000 1 77 0x74eebfbf6b 6 5  box -2 .* 0xc3a4eebfbf0a /, 'the number of events lost before it');
like(row($t->{rows}[2]), qr/^3000 0 77 0x74eebfbf6b \d+ null /, '... null where it is not known');
is(join(' ', map { "$_->{ts} $_->{cpu} " . ($_->{lost} // 'null') } @{$tables->{'lost.parquet'}{rows}}), '2000 1 5 3000 0 null', 'losses are a table too');
is($t->{pairs}{'zedperl.clock'}, 'local', 'the footer says which clock');
($tables) = parquet('-F', 'all:kinds:a == 0', $kinds);
is(join(' ', map { "$_ " . @{$tables->{$_}{rows}} } sort keys %$tables), 'lost.parquet 2', 'losses before events that the filter rejects are told (else: gaps look like silence)');

# ---- names of files ----

my @odd = ('..', 'a.b', 'A%2F', 'e' x 120, ('e' x 120) . 'f', "\xff");
my $common = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" .
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
my %odd = map { ("odd::t$_" => "name: $odd[$_]\nID: " . (301 + $_) . "\nformat:\n$common" . field_text('int n', 8, 4, 1) . "\nprint fmt: \"x\"\n") } 0 .. $#odd;
my (undef, undef, $dir) = parquet(trace(types => \%odd, events => [map { [0, 1000 * $_, 301 + $_, pack 'l', $_] } 0 .. $#odd]));
is(join("\n", sort map { s/~\K[0-9a-f]{16}/HASH/r } keys %{{tables($dir)}}), join("\n", sort map { "odd.$_.parquet" } '%2E%2E', 'a%2Eb', 'A%252F', (('e' x 100) . '~HASH') x 2, '%FF'),
	'names that are no names of files (else: a trace chooses where it is written)');

my $kinds_n = 4200;
my %many = map { ("many::e$_" => field_text('int n', 8, 4, 1)) } 1 .. $kinds_n;
($tables, $run) = parquet(trace(types => \%many, events => [map { [0, 1000 * $_, "many::e$_", pack 'l', $_] } 1 .. $kinds_n]));
is(scalar keys %$tables, 4097, 'more kinds of events than a directory should have tables: as many as that, and one');
my $sum = 0;
$sum += @{$_->{rows}} for values %$tables;
is($sum, $kinds_n, '... and none is lost');
$t = $tables->{'other.parquet'};
my $r = $t->{rows}[0];
my ($k) = ($r->{event} // '') =~ /^many::e(\d+)$/;
is_deeply([$r->{ts}, $json->decode($r->{fields})], [1000 * $k, { n => $k }], '... the last ones with their fields as JSON');
like($run->{err}, qr/more than 4096 tables .* "other"/, '... which is said');

# ---- several inputs, partitions ----

my @two = map { trace(types => { 'my::tick' => field_text($_ ? 'long n' : 'int n', 8, $_ ? 8 : 4, 1) }, uname => 'Linux box' . $_ . ' 6.1.0 x86_64', events => [[0, 1000, 'mini::tick', 7], [0, 2000, 'my::tick', pack 'q', 5]]) } 0, 1;
($tables) = parquet(@two);
is(join(' ', map { my $f = $_; map { "$f $_->{machine} $_->{n} $_->{file}" } @{$tables->{$f}{rows}} } sort keys %$tables),
	"mini.tick.parquet box0 7 $two[0] mini.tick.parquet box1 7 $two[1] my.tick.parquet box0 5 $two[0] my.tick~2.parquet box1 5 $two[1]",
	'events of the same name and columns share a table, others do not');
$dir = Compare::RealData::temp();
for my $in (@two, $two[0]) {
	is(Compare::RealData::failure(Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $dir, '--partition', 'machine', $in)), undef, 'a partition is added to those that are there');
}
my @files = sort keys %{{tables($dir)}};
is(scalar @files, 4, '... and a trace that comes again takes its own place (else: its rows count twice)');
like($files[0], qr{^mini\.tick/machine=box0/\d+%2Edat-[0-9a-f]{16}\.parquet$}, '... in the form that engines know');
is(join(' ', @{(parquet_read("$dir/$files[0]"))->{columns}}), 'ts cpu pid comm seq lost instance n who', '... without the column that the directory tells');
my $dated = Compare::RealData::own() . '/date.dat';
($tables, $run) = parquet('--partition', 'day,machine', $dated);
my %days;
$days{$_->[0]} += $_->[1] for map { m{/day=(.*?)/} ? [$1, scalar @{$tables->{$_}{rows}}] : () } keys %$tables;
my ($dates) = Compare::RealData::zedprint('-f', 'json', $dated);
my %want_days;
$want_days{POSIX::strftime('%Y-%m-%d', gmtime int($1 / 1e9))}++ while $dates =~ /"ts":(\d+)/g;
is_deeply(\%days, \%want_days, "by day, where the trace tells its date: @{[%days]}");
is($run->{err}, '', '... without a word');
($tables, $run) = parquet('--partition', 'day', $kinds);
like($run->{err}, qr/does not tell its date/, 'where it does not, that is said');

# ---- ends ----

my $zedprint = Compare::RealData::program('zedprint');
sub refused {
	my ($what, @args) = @_;
	my $run = Compare::RealData::run('zedprint', @args);
	is($run->{exit}, 2, "$what: refused");
	return $run->{err};
}
like(refused('no directory', '-f', 'parquet', $kinds), qr/-o names the directory/, '... and what to do');
like(refused('standard output', '-f', 'parquet', '-o', '-', $kinds), qr/-o: it names a directory, .*\.\/-/, '... and why (else: a directory called - is made)');
like(refused('no name', '-f', 'parquet', '-o', '', $kinds), qr/-o: the name is empty/, '... why');
like(refused('-o without it', '-o', $dir, $kinds), qr/are of -f parquet/, '... why');
like(refused('a wrong partition', '-f', 'parquet', '-o', "$dir.x", '--partition', 'host', $kinds), qr/takes machine, day/, '... what there is');
like(refused('a directory with something in it', '-f', 'parquet', '-o', $dir, $kinds), qr/something in it already: name a new directory/, '... why');
ok(!-e "$dir.x", '... and nothing is made');
my $empty = Compare::RealData::temp();
is(Compare::RealData::run('zedprint', '-f', 'parquet', '-o', $empty, Compare::RealData::own() . '/nothing.dat')->{exit}, 2, 'no trace');
ok(!-e $empty, '... no directory');

# A file system without room.
SKIP: {
	my $small = Compare::RealData::temp();
	mkdir $small;
	skip 'no file system of its own without root and mount', 4 if $> || system('sh', '-c', 'unshare -m true 2> /dev/null');
	my $err = Compare::RealData::temp();
	system('unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=64k none "$1" && { "$2" -f parquet -o "$1/out" "$3" 2> "$4"; echo "$? $(ls -A "$1" | wc -l)" > "$4.status"; }',
		'sh', $small, $zedprint, Compare::RealData::own() . '/demo.dat', $err);
	is(Compare::RealData::slurp("$err.status"), "1 0\n", 'a full disk: exit 1, and nothing is left (else: half a table looks like a whole one)');
	like(Compare::RealData::slurp($err), qr{out/\S+\.parquet: .*No space left}, '... and where');
}

# Ctrl-C, when a part is written.
{
	my $out = Compare::RealData::temp();
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>', "$out.err";
		exec $zedprint, '-f', 'parquet', '-o', $out, ($big) x 100 or POSIX::_exit(127);
	}
	my $from = time;
	select undef, undef, undef, 0.01 while !glob("$out/*") && time - $from < 60;
	kill 'INT', $pid;
	waitpid $pid, 0;
	is($? >> 8, 130, 'Ctrl-C ends it');
	my %files = tables($out);
	is(join(' ', keys %files), 'mini.tick.parquet', '... with its table in place, and no other file');
	my $part = parquet_read("$out/mini.tick.parquet");
	my $have = @{$part->{rows}};
	cmp_ok($have, '>', 100_000, '... which has what came so far');
	cmp_ok($have, '<', 100 * $n, '... and not all');
}

# What is damaged is left out, the rest is there.
my $bytes = Compare::RealData::slurp(Compare::RealData::own() . '/small_v7_none.dat');
my $cut = temp_path('.dat');
open my $fh, '>:raw', $cut or die;
print $fh substr $bytes, 0, int(length($bytes) * 0.8);
close $fh;
($tables, $run) = parquet($cut);
is($run->{exit}, 1, 'a damaged trace: status 1');
$sum = 0;
$sum += @{$_->{rows}} for values %$tables;
cmp_ok($sum, '>', 100, '... and what is intact');
done_testing();
