# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::Parquet: a reader that shares nothing with the writer finds the rows that a script made, however the script ended.
# Without it a table that a script wrote has other numbers, or none, when the run ends early.
#
# of: lib/Zed/Parquet.pm sink/parquet
# runs: make check; a small pass in make test
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Compare::ParquetRead;
use Compare::RealData;
use Pass;
use Run::Zedperl;

my $why = parquet_no_reader();
plan skip_all => $why if $why;
$ENV{PERL5LIB} = Compare::RealData::root() . '/lib';
my $out = temp_path('.parquet');

# A script's run; its file is OUT.
sub written_by {
	my ($code, $dat) = @_;
	unlink $out;
	return zedperl({ env => { OUT => $out } }, $dat // trace(), \"use Zed; use Zed::Parquet; $code");
}
sub rows {
	my $t = parquet_read($out);
	return join "\n", map { my $r = $_; join '|', map { my $v = $r->{$_}; !defined $v ? 'null' : ref $v ? "[@$v]" : $v =~ /[^ -~]/ ? '0x' . unpack 'H*', $v : $v } @{$t->{columns}} } @{$t->{rows}};
}

# ---- values ----

my @types = qw(int8 int16 int32 int64 uint8 uint16 uint32 uint64);
my $r = written_by('my $t = Zed::Parquet->new($ENV{OUT}, map { ($_ => $_) } qw(' . "@types" . '));
	$t->row(-128, -32768, -2147483648, "-9223372036854775808", 0, 0, 0, 0);
	$t->row(127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615);
	$t->row("1", "2", 3.0, 1e3, "1e2", undef, "0", "18446744073709551615"); sub trace_end { $t->close }');
is("$r->{status} $r->{err}", '0 ', 'a script with a table');
is(rows(), "-128|-32768|-2147483648|-9223372036854775808|0|0|0|0\n127|32767|2147483647|9223372036854775807|255|65535|4294967295|18446744073709551615\n1|2|3|1000|100|null|0|18446744073709551615",
	'the least and the greatest number of each type, numbers as texts, undef (else: numbers wrap)');
is((stat $out)[2] & 0777, 0600, 'only its owner can read it');
my $t = parquet_read($out);
is(join(' ', map { $t->{type}{$_} } @{$t->{columns}}), "@types", 'types');

$r = written_by('my $t = Zed::Parquet->new($ENV{OUT}, ts => "timestamp", s => "string", b => "binary", d => "double", f => "float", l => "list int16", u => "list uint64", j => "json");
	$t->row(5, "a\xff\x{e4}", "\0\xff", 0.1, 0.5, [-1, 2], [], q({"a":1})); $t->row(6, "\x{263a}", "", "inf", -2, undef, [18446744073709551615], undef); sub trace_end { }');
is("$r->{status} $r->{err}", '0 ', 'other types');
is(rows(), "5|0x61eebfbfeebfa4|0x00ff|0.1|0.5|[-1 2]|[]|{\"a\":1}\n6|0xe298ba||Inf|-2|null|[18446744073709551615]|null",
	'texts, bytes, fractions, lists, null; closed by itself at the end');

# Rows of all shapes, by chance: runs and none, few values and many, narrow and wide ones, nulls and empty lists.
my $seed = $ENV{ZED_SEED} // 17;
diag("ZED_SEED=$seed");
my $n = small(12_000, 150_000);
$r = written_by("srand $seed; my \$rows = $n;" . <<'END');
my @types = (run => 'int16', few => 'uint64', wide => 'uint64', walk => 'int64', holes => 'int32', texts => 'string', many => 'string', list => 'list uint64', floats => 'double', u8 => 'uint8');
my $t = Zed::Parquet->new($ENV{OUT}, @types);
my ($run, $left, $walk, @few) = (0, 0, 0, map { int(rand 2**32) << 32 | int rand 2**32 } 1 .. 40);
for my $i (1 .. $rows) {
	($run, $left) = (int(rand 7) - 3, int rand rand 60) if $left-- <= 0;
	# The mood changes, so that pages differ.
	my $mood = int($i / 9000 * 150_000 / $rows) % 5;
	$walk += int(rand 2**(8 * $mood)) - int(2**(8 * $mood) / 2);
	my $wide = int(rand 2**32) << 32 | int rand 2**32;
	my @row = ($run, $few[rand($mood == 1 ? 1 : @few)], $wide >> int rand 64, $walk, rand() < ($mood == 2 ? 1 : $mood / 8) ? undef : int rand 5,
		rand() < .1 ? undef : 'text ' . int rand 9, $mood == 3 ? "\x{263a}" x rand 30 : "n$i " . 'x' x rand 90, $mood == 4 ? undef : [map { $wide >> $_ } 1 .. rand 4], $mood ? int(rand 8) / 4 : rand, int rand 256);
	$t->row(@row);
	utf8::encode($_) for grep { defined && !ref } @row[5, 6];
	$row[8] = unpack 'H*', pack 'd>', $row[8];
	print join('|', map { !defined ? 'null' : ref ? "[@$_]" : $_ } @row), "\n";
}
sub trace_end { $t->close }
END
is("$r->{status} $r->{err}", '0 ', 'rows by chance');
my $chance = parquet_read($out);
my $told = join '', map { my $row = $_; $row->{floats} = unpack 'H*', pack 'd>', $row->{floats};
	join('|', map { my $v = $row->{$_}; !defined $v ? 'null' : ref $v ? "[@$v]" : $v } @{$chance->{columns}}) . "\n" } @{$chance->{rows}};
is(Compare::RealData::differ($r->{out}, $told), undef, '... are read as they were written (else: some encoding is wrong somewhere)');
cmp_ok(scalar @{$chance->{groups}}, '>', small(0, 1), '... in several groups');

# ---- what is refused ----

for (['$t->row(128)', qr/column n: '128' is not a whole number that fits/], ['$t->row(-129)', qr/'-129' is not/], ['$t->row("x")', qr/'x' is not a whole number/],
	['$t->row(1.5)', qr/'1.5' is not/], ['$t->row([1])', qr/is not a/], ['$t->row()', qr/a row needs 1 values, not 0/], ['$t->row(1, 2)', qr/a row needs 1 values, not 2/],
	['$t->close; $t->row(1)', qr/is closed/], ['Zed::Parquet->new($ENV{OUT}, a => "int")', qr/column a: unknown type 'int' at .*\.pl line/],
	['Zed::Parquet->new($ENV{OUT})', qr/new\(FILE, NAME => TYPE/], ['Zed::Parquet->new($ENV{OUT}, a => "int8", A => "int8")', qr/two columns are called A/],
	['Zed::Parquet->new("/nowhere/x", a => "int8")->close', qr{/nowhere/x: cannot create a file there}], ['Zed::Parquet::row({}, 1)', qr/this is not a table/]) {
	my ($code, $says) = @$_;
	$r = written_by('my $t = Zed::Parquet->new($ENV{OUT}, n => "int8"); $t->row(7); eval { ' . $code . '; 1 } or print $@;');
	like($r->{out}, $says, "$code: refused");
	is("$r->{status} " . rows(), '0 7', '... and what was there stays (else: half a row)');
}

# ---- ends ----

my $start = 'our $t = Zed::Parquet->new($ENV{OUT}, n => "int32"); ';
written_by($start . 'sub mini::tick { $t->row($_[4]); die "enough" if $_[4] == 2 }');
is(rows(), "1\n2", 'a die: what came before');
written_by($start . 'sub mini::tick { $t->row($_[4]); exit 3 if $_[4] == 2 }');
is(rows(), "1\n2", 'exit');
written_by($start . 'sub mini::tick { $t->row($_[4]); kill INT => $$ if $_[4] == 2 }');
like(rows(), qr/^1\n2/, 'Ctrl-C');
written_by($start . 'sub mini::tick { $t->row($_[4]); if ($_[4] == 2) { my $pid = fork // die; exit 0 if !$pid; waitpid $pid, 0 } }');
is(rows(), "1\n2\n3", 'a child that ends takes nothing away');
written_by('my $t = Zed::Parquet->new($ENV{OUT}, n => "int32"); $t->row(1); undef $t; sub trace_begin { print -s $ENV{OUT} ? "there" : "missing" }')->{out} eq 'there' and pass('it is closed when it goes') or fail('it is closed when it goes');
$n = small(80_000, 300_000);
$r = written_by('my $t = Zed::Parquet->new($ENV{OUT}, n => "uint32", s => "string"); for my $i (1 .. ' . $n . ') { $t->row($i, "text " . $i % 70_000) } sub trace_end { print $t->rows }');
is($r->{out}, $n, 'many rows');
$t = parquet_read($out);
my @wrong = grep { $t->{rows}[$_ - 1]{n} != $_ || $t->{rows}[$_ - 1]{s} ne 'text ' . $_ % 70_000 } 1 .. $n;
is(@{$t->{rows}} . ' ' . @wrong, "$n 0", '... are there, also where texts are too many for a dictionary');
SKIP: {
	skip 'no file system without room here', 2 if !-w '/dev/full' || $> || system('sh', '-c', 'unshare -m true 2> /dev/null');
	my $small = temp_path();
	mkdir $small;
	my $script = script('use Zed; use Zed::Parquet; my $t = Zed::Parquet->new("$ENV{OUT}/x", n => "binary"); srand 1; $t->row(join "", map { chr rand 256 } 1 .. 9000) for 1 .. 30; sub trace_end { eval { $t->close; 1 } or print $@ }');
	my ($zedperl, $dat) = (zedperl_path(), trace());
	my $said = `OUT=$small unshare -m sh -c 'mount -t tmpfs -o size=64k none $small && { $zedperl $dat $script 2>&1; ls -A $small | wc -l; }'`;
	like($said, qr/No space left/, 'a full disk is told');
	like($said, qr/^0$/m, '... and leaves no file');
}
# The manual's example.
my ($example) = Compare::RealData::slurp(Compare::RealData::root() . '/lib/Zed/Parquet.pm') =~ /=head1 EXAMPLES.*?\n\n(    use Zed;.*?)\n=head1/s;
$r = zedperl({ env => { WAITS => $out } }, Compare::RealData::own() . '/demo.dat', \$example);
is("$r->{status} $r->{err}", '0 ', 'the example of the manual runs');
cmp_ok(scalar @{parquet_read($out)->{rows}}, '>', 30, '... and finds waits');
done_testing();
