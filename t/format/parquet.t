# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f parquet: types, names, losses and partitions of made traces, several inputs, and what is refused.  Without
# it an engine refuses a table, or one trace's rows count twice.  parquet-values.t compares recordings, parquet-large.t
# has many rows.
#
# of: sink/parquet base/parquet programs/zedprint
use strict;
use warnings;
use lib 't/lib';
use POSIX ();
use Test::More;
use Compare::ParquetRead;
use Compare::RealData;
use Run::Parquet;
use Run::Zedperl;

my $why = parquet_no_reader();
plan skip_all => $why if $why;
Compare::RealData::need_program('zedprint');

# ---- a recording as a whole ----

my ($whole, $run) = parquet(Compare::RealData::own() . '/demo.dat');
is(Compare::RealData::failure($run), undef, 'a recording as a whole');
my ($counts) = zedperl(Compare::RealData::own() . '/demo.dat', \'our %n; sub trace_unhandled { $n{$_[0]}++ } sub trace_end { print map { s/::/./r . ".parquet $n{$_}\n" } sort keys %n }')->{out};
is(join('', map { "$_ @{[scalar @{$whole->{$_}{rows}}]}\n" } sort keys %$whole), $counts, '... has a table of each event with as many rows as zedperl counts');

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
my $tables;
($tables, $run) = parquet($kinds);
my $t = $tables->{'all.kinds.parquet'};
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
like($run->{err}, qr/has no date/, 'where it does not, that is said');

# ---- ends ----

my $zedprint = Compare::RealData::program('zedprint');
sub refused {
	my ($what, @args) = @_;
	my $run = Compare::RealData::run('zedprint', @args);
	is($run->{exit}, 2, "$what: refused");
	return $run->{err};
}
like(refused('no directory', '-f', 'parquet', $kinds), qr/-o names the directory/, '... and what to do');
like(refused('standard output', '-f', 'parquet', '-o', '-', $kinds), qr/-o - does not go with -f parquet: it names a directory, .*\.\/-/, '... and why (else: a directory called - is made)');
like(refused('no name', '-f', 'parquet', '-o', '', $kinds), qr/-o: the name is empty/, '... why');
like(refused('-o without it', '-o', $dir, $kinds), qr/-o is for -f parquet/, '... why');
like(refused('a wrong partition', '-f', 'parquet', '-o', "$dir.x", '--partition', 'host', $kinds), qr/takes machine, day/, '... what there is');
like(refused('a directory with something in it', '-f', 'parquet', '-o', $dir, $kinds), qr/not empty: name a new one/, '... why');
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

# What is damaged is left out, the rest is there.
my $bytes = Compare::RealData::slurp(Compare::RealData::own() . '/small_v7_none.dat');
my $cut = temp_path('.dat');
open my $fh, '>:raw', $cut or die;
print $fh substr $bytes, 0, int(length($bytes) * 0.8);
close $fh;
($tables, $run) = parquet($cut);
is($run->{exit}, 1, 'a damaged trace: status 1');
my $sum = 0;
$sum += @{$_->{rows}} for values %$tables;
cmp_ok($sum, '>', 100, '... and what is intact');
done_testing();
