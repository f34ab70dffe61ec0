# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::Spread, Zed::Table, Zed::Answer and Zed::Options: the numbers, the forms and the options of all analyses.  Without it a table rounds a number away.
#
# of: lib/Zed
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib', 'lib';
use Write::Miniature;
use Run::Program qw(spew slurp);
use Run::Zedperl;
use Zed::Spread;

# By sorting: the nearest rank.
sub rank {
	my ($percent, @values) = @_;
	my @sorted = sort { $a <=> $b } @values;
	my $n = $percent * @sorted / 100;
	my $rank = $n == int $n ? $n : int($n) + 1;
	return $sorted[($rank || 1) - 1];
}

srand($ENV{ZED_SEED} // 14);
my ($worst, $checked) = (0, 0);
for my $n (1, 2, 10, 99, 1000, 1001, 5000) {
	for my $kind (sub { int rand 100 }, sub { int exp rand 25 }, sub { int(rand 2000) - 1000 }, sub { int(1000 / (rand() + 1e-6)) }) {
		my @values = map { $kind->() } 1 .. $n;
		my ($one, $half, $other) = map { Zed::Spread->new } 1 .. 3;
		$one->add($_) for @values;
		$half->add($_) for @values[0 .. int($n / 2)];
		$other->add($_) for @values[int($n / 2) + 1 .. $n - 1];
		$half->merge($other);
		my $sum = 0;
		$sum += $_ for @values;
		is_deeply([map { [$_->n, $_->total, $_->min, $_->max] } $one, $half], [([$n, $sum, rank(0, @values), rank(100, @values)]) x 2],
			"$n values: what is exact is (else: a merge forgets)");
		for my $percent (0, 1, 25, 50, 90, 99, 99.9, 100) {
			my @got = map { $_->quantile($percent) } $one, $half;
			my $want = rank($percent, @values);
			if ($percent >= 99 && $percent < 100 && $n * (100 - $percent) < 100 - 1e-6) {
				ok(!defined $got[0] && !defined $got[1], "$n values: no percentile $percent of so few");
				next;
			}
			for (@got) {
				my $off = abs($_ - $want) / (abs $want || 1);
				$worst = $off if $off > $worst;
				$checked++;
			}
			is("@got", "$want $want", "$n values: percentile $percent is exact") if $n <= 1000;
		}
		my $count = 0;
		for ($one->powers) {
			my ($from, $to, $in) = @$_;
			$count += $in;
			is($in, scalar(grep { $_ >= $from && $_ <= $to } @values), "$n values: those from $from to $to") if $n <= 1000;
		}
		is($count, $n, "$n values: all are in the histogram");
	}
}
cmp_ok($checked, '>', 300, 'quantiles were compared');
cmp_ok($worst, '<=', 1 / 128, sprintf 'the worst of them is %.3f %% off', 100 * $worst);

# Forms.
my $r = zedperl({ bare => 1 }, '-e', q{
	use Zed::Table;
	my $t = Zed::Table->new(title => 'things', columns => [['who', 'task', 'text'], ['n', 'n', 'int'], ['t', 'took', 'us'], ['s', '%', 'share'],
		['at', 'at', 'time']], rows => [
		{ who => "a\e[31m", n => 5, t => 1500, s => 0.25, at => 1_000_000_001 },
		{ who => '=1+1', n => 7, t => 10, s => 1, at => 0 }, { who => 'c,"d"', n => 5 }]);
	$t->sort('n', 'who')->last({ who => 'ALL', n => 17 });
	$t->print(limit => 2); $t->print(limit => 2, exact => 1); $t->csv; print join(' ', map { $_->{n} } $t->rows), "\n";
	eval { Zed::Table->new(columns => [['x', 'x', 'color']]) }; print $@ =~ s/ at .*//r;
	sub trace_end { } }, trace());
is($r->{out}, <<'END', 'a table as text and as CSV: terminals, spreadsheets and readers are safe from names') or diag $r->{err};
things
task        n     took       %           at
=1+1        7    10 ns  100.00  0.000000000
a\x1b[31m   5  1.50 us   25.00  1.000000001
ALL        17
... and 1 more (--limit 0: all)
things
task        n  took us    %           at
=1+1        7    0.010  100  0.000000000
a\x1b[31m   5    1.500   25  1.000000001
ALL        17
... and 1 more (--limit 0: all)
who,n,t,s,at
'=1+1,7,10,1,0
a\x1b[31m,5,1500,0.25,1000000001
"c,""d""",5,,,
7 5 5
Zed::Table: unknown type 'color' (known: bytes int mib mib/s ms number own us rate share text tick ticks time us varied)
END

# What is made of rows where they are shown: of the first two of them ten numbers.  Else: a sum has what only a row can
# have, a row what it has itself is made for it, or a name that is no UTF-8 spoils the JSON.
$r = zedperl({ bare => 1 }, '-e', q{
	use Zed::Answer; use Zed::Spread;
	sub trace_end {
		my $answer = Zed::Answer->new(script => 'mine');
		my ($two, $ten) = map { my $s = Zed::Spread->new; $s->add(100 * $_) for 1 .. $_; $s } 2, 10;
		my $table = $answer->table('tasks', columns => [['who', 'task', 'text'], ['n', 'n', 'int'], ['max', 'max', 'us'], ['gaps', 'gaps', 'int']],
			rows => [{ who => "\xff", times => $two }, { who => 'y"', times => $ten }, { who => 'x', times => $ten, gaps => 3 }],
			made => { Zed::Spread::made_of('times'), gaps => sub { 0 } });
		$table->sort('max', 'who')->last({ who => 'ALL', n => 22 });
		$table->print;
		$table->csv;
		print join(' ', map { "$_->{n}-$_->{gaps}" } $table->rows), ', ', scalar($table->rows), ', ', scalar @{$table->data(1)->{rows}}, "\n";
		print $answer->json =~ s/.*"tables":|,"trace":.*//gr;
	} }, trace());
is($r->{out}, <<'END' =~ s{^FF}{\xff}gmr, 'rows that are made where they are shown') or diag $r->{err};
task   n      max  gaps
x     10  1.00 us     3
y"    10  1.00 us     0
FF      2   200 ns     0
ALL   22
who,n,max,gaps
x,10,1000,3
"y""",10,1000,0
FF,2,200,0
10-3 10-0 2-0, 3, 1
{"tasks":{"all":{"n":22,"who":"ALL"},"columns":[{"head":"task","key":"who","type":"text"},{"head":"n","key":"n","type":"int"},{"head":"max","key":"max","type":"us","unit":"ns"},{"head":"gaps","key":"gaps","type":"int"}],"rows":[{"gaps":3,"max":1000,"n":10,"who":"x"},{"gaps":0,"max":1000,"n":10,"who":"y\""},{"gaps":0,"max":200,"n":2,"who":"\\xFF"}]}}
END

# A histogram of values that are far apart: what is empty in between is one line of text, and whole for programs.
# Of stacks that a picture has no room for: how many.
$r = zedperl({ bare => 1 }, '-e', q{
	use Zed::Answer; use Zed::Spread;
	sub trace_end {
		my $answer = Zed::Answer->new(script => 'mine', draws => 1);
		my $spread = Zed::Spread->new;
		$spread->add($_) for 0, 9, 70, 70;
		$answer->histogram('spread', 'spread', $spread)->print;
		print scalar(@{$answer->named('spread')->data->{rows}}), " rows, ", scalar(() = $answer->json =~ /"n":0/g), " of them empty in JSON\n";
		for my $n (3001, 3002) {
			$answer->flame('flame', 'flame', 'n', { map { ("f$_" => $_) } 1 .. $n });
			my $p = $answer->page->{pictures}[-1];
			print scalar(@{$p->{stacks}}), " stacks, $p->{rest}{n} more of weight $p->{rest}{weight}\n";
		}
	} }, trace());
is($r->{out}, <<'END', 'empty rows of a histogram') or diag $r->{err};
spread
  from   up to  n
  0 ns    1 ns  1  ####################
...
  8 ns   16 ns  1  ####################
 16 ns   32 ns  0
 32 ns   64 ns  0
 64 ns  128 ns  2  ########################################
8 rows, 5 of them empty in JSON
3000 stacks, 1 more of weight 1
3000 stacks, 2 more of weight 3
END

# Values by hand: three digits, and the next unit where the fourth would begin.  Else: 999.6 us is shown as 1000 us.
$r = zedperl({ bare => 1 }, '-e', q{
	use Zed::Units;
	print map { "$_\n" } map({ Zed::Units::shown(us => $_) } 0, 640, 8_100_000, 999_600, 31_800_000_000, -1500),
		map({ Zed::Units::shown(bytes => $_) } 0, 512, 1000, 4096, 74_239_181, 1 << 40), Zed::Units::shown('mib/s', 0.5),
		map({ Zed::Units::shown(number => $_) } 0, 0.00123, 3, 12.345, 99.96, 123456.7), Zed::Units::shown(share => 0.94561), Zed::Units::shown(int => undef),
		map({ Zed::Units::exact(@$_) } [ms => 8_100_001], [bytes => 4097], [share => 0.125], [number => 123456.78125]),
		Zed::Units::head(us => 'total'), Zed::Units::head(bytes => 'bytes'), Zed::Units::alone(share => 0.5), Zed::Units::alone(us => 1500, 1);
	sub trace_end { } }, trace());
is(join(' | ', split /\n/, $r->{out}), '0 ns | 640 ns | 8.10 ms | 1.00 ms | 31.8 s | -1.50 us | 0 B | 512 B | 0.98 KiB | 4.00 KiB | 70.8 MiB | 1.00 TiB | 512 KiB/s | ' .
	'0 | 0.0012 | 3.00 | 12.3 | 100 | 123457 | 94.56 | - | 8.100001 | 4097 | 12.5 | 123456.78125 | total us | bytes | 50.00 % | 1.500 us', 'values as people read them') or diag $r->{err};

# A table on a terminal of a given width: the ends of long texts go first, then columns, never the one that weighs.
my $narrow = q{
	use Zed::Table;
	my $t = Zed::Table->new(columns => [['who', 'task', 'text'], map { [$_, $_, 'us'] } qw(total avg p50 p99 max)], rows => [
		{ who => "caf\xc3\xa9 " . 'x' x 40, map { $_ => 8_100_000 } qw(total avg p50 p99 max) }, { who => 'sh', total => 640, max => 31_800_000_000 }]);
	$t->sort_by($ENV{BY}, $ENV{UP}) if $ENV{BY};
	$t->print(look => { width => $_, rule => 1, colors => $ENV{COLORED} }) for split / /, $ENV{WIDTHS};
	sub trace_end { } };
sub narrow { my (%env) = @_; local @ENV{keys %env} = values %env; return zedperl({ bare => 1 }, '-e', $narrow, trace())->{out} }
# 45 letters and five numbers of 7, with 2 blanks between them: 90; of 80 the text has 35, of 52 beside two numbers 34.
sub row { my ($letters, $text, @cells) = @_; return join('  ', $text . ' ' x ($letters - length $text), map { sprintf '%7s', $_ } @cells) =~ s/ +$//r . "\n" }
sub long { my ($letters) = @_; my $text = 'cafe ' . 'x' x 40; return length $text > $letters ? substr($text, 0, $letters - 3) . '...' : $text }
is(narrow(WIDTHS => '90 80 52') =~ s/\xc3\xa9/e/gr, join('', map({
		(row($_, 'task', qw(total avg p50 p99 max)), row($_, '-' x $_, ('-------') x 5), row($_, long($_), ('8.10 ms') x 5),
			row($_, 'sh', '640 ns', ('-   ') x 3, '31.8 s '))
	} 45, 35), row(34, 'task', qw(total max)), row(34, '-' x 34, ('-------') x 2), row(34, long(34), ('8.10 ms') x 2), row(34, 'sh', '640 ns', '31.8 s '),
	"no room for avg, p50, p99: a terminal of 90 columns, | less -S or --json shows all\n"),
	'a table fits the terminal and says what it left out (else: lines that are folded cannot be read)');
is(narrow(WIDTHS => '200', BY => 'total', UP => 1) =~ s/^.*\n.*\n//r =~ s/ .*//sr, 'sh', 'sorted by a column, upwards');
like(narrow(WIDTHS => '200', BY => 'avg', COLORED => 1), qr/^\e\[1mtask\e\[m .*\e\[1;7mavg\e\[m.*\n\e\[2m-+/, 'with colours: heads are bold, that of the chosen column stands out');

# An answer and options without the frame of an analysis.  Else: what a script of somebody's own makes of them is untried.
my $answer = q{
	use Zed::Answer; use Zed::Options;
	my $o = Zed::Options->new(name => 'mine', own => ['by=s'], defaults => { by => 'comm' });
	sub trace_end {
		my $answer = Zed::Answer->new(script => 'mine');
		$answer->table('tasks', columns => [['who', 'task', 'text'], ['n', 'n', 'int']], rows => [map { { who => $_, n => 2 } } 'sh', $o->values->{by}]);
		$answer->table('none', columns => [['who', 'task', 'text']]);
		$answer->note('odd', $_, '{task was|tasks were} left out') for 0 .. 2;
		$answer->remark('end', 'that is all');
		$answer->warning('unseen', $_, '{switch is|switches are} not in the trace') for 0, 3;
		$answer->warning('lower', undef, 'run times are lower bounds');
		$answer->about(start => 1_000_000_000, end => 1_002_000_000, lost => { lost => 5, places => 1, unknown => 2 });
		$answer->print(limit => $o->values->{limit});
		print STDERR $answer->json;
		print join(' ', scalar(my @rows = $answer->rows), $answer->names, $answer->named('')->{name}, $answer->named('x') // 'undef'), "\n";
	} };
$r = zedperl({ bare => 1 }, '-e', $answer, trace(), '--', '--by', 'pid', '--limit', 1);
is($r->{out}, <<'END', 'an answer as text: what changes it above, other notes below (else: who reads the table alone believes it)') or diag $r->{err};
lost: 5 events in one loss, and an unknown number in 2 more losses; what they may have hidden is left out
3 switches are not in the trace
run times are lower bounds

task  n
sh    2
... and 1 more (--limit 0: all)

none: none

2.00 ms from 1.000000000 to 1.002000000
1 task was left out
2 tasks were left out
that is all
2 tasks none tasks undef
END
my $json = eval { JSON::PP->new->decode($r->{err}) } // {};
delete $json->{trace};
is_deeply($json, { script => 'mine', version => 1, start => 1_000_000_000, end => 1_002_000_000, main => 'tasks',
	lost => { events => 5, places => 1, unknown => 2 },
	notes => [{ key => 'odd', n => 1, text => 'task was left out' }, { key => 'odd', n => 2, text => 'tasks were left out' }, { key => 'end', text => 'that is all' },
		{ key => 'unseen', level => 'warning', n => 3, text => 'switches are not in the trace' }, { key => 'lower', level => 'warning', text => 'run times are lower bounds' }],
	tables => { tasks => { columns => [{ key => 'who', head => 'task', type => 'text' }, { key => 'n', head => 'n', type => 'int' }],
		rows => [{ who => 'sh', n => 2 }, { who => 'pid', n => 2 }] }, none => { columns => [{ key => 'who', head => 'task', type => 'text' }], rows => [] } } },
	'and as JSON') or diag $r->{err};
$r = zedperl({ bare => 1 }, '-e', $answer, trace(), '--', '--limit', -1);
is("$r->{status} $r->{out}$r->{err}", "2 mine: --limit takes 0 (all) or more\nmine: try 'zedperl --help mine'\n", 'a wrong option ends it before the run');
# What is written takes nobody's place but that of a file.
{
	my $mine = temp_path('.svg');
	my $heat = $mine =~ s/\.svg\z/-heat.svg/r;
	my $bytes = slurp('t/data/demo.dat');
	spew($_, $bytes) for $mine, $heat;
	for (['--html', $mine, $mine], ['--samples', $mine, $mine], ['--svg', $mine, $heat]) {
		my ($option, $file, $trace) = @$_;
		my $r = zedperl({ bare => 1 }, $trace, 'wakeup-latency', $option, $file);
		like($r->{err}, qr/\Q$trace\E: would overwrite what is read/, "$option of the trace that is read: refused");
		ok(slurp($trace) eq $bytes, '... and it is there still (else: the recording is gone)');
	}
	unlink $mine, $heat;
	system('mkfifo', $mine) == 0 or die "mkfifo: $!\n";
	my $r = zedperl({ bare => 1 }, 't/data/demo.dat', 'wakeup-latency', '--html', $mine);
	is("$r->{status} $r->{out}", '2 ', '--html of what is no file: refused before the trace is read') or diag $r->{err};
	$r = zedperl({ bare => 1 }, 't/data/demo.dat', 'wakeup-latency', '--html', "$mine/none/x.html");
	is("$r->{status} $r->{out}", '2 ', '--html in a folder that is not there: likewise (else: the answer is lost at the end)') or diag $r->{err};
	ok(-p $mine, '... and it is what it was (else: root replaces a device by a page)');
	unlink $mine;
}

# An answer without a row.
{
	my $said = sub { return [map { $_->{text} } grep { $_->{key} eq 'nothing' } @{analysis(@_)->{data}{notes}}] };
	is_deeply($said->('block', 't/data/demo.dat'), ["nothing to show: no block:block_rq_issue, no block:block_bio_queue with block:block_getrq in the trace, or none that makes a row; 'zedperl TRACE summary' lists what was recorded; to record it: zedtrace --for block -d 10"],
		'nothing to show: the next step (else: who asks has to guess what is wrong)');
	like($said->('irq', 't/data/demo.dat', '--worst', 3)->[0], qr/no irq:irq_handler_entry with irq:irq_handler_exit in the trace/, 'and what there is none of');
	is_deeply($said->('block', 't/data/block.dat'), [], 'not where there is something');
	is_deeply($said->('lost', 't/data/block.dat'), [], 'nor where that is good news');
}

done_testing();
