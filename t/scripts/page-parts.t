# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the parts of a page compute, in node: who has a colour, the row of all of some rows, the scales of a histogram and
# of a heat map.  Without it a sum of all rows is shown for three of them, or a tail is not seen.
#
# of: page/colors.js page/table.js page/histogram.js page/heat.js page/base.js
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::PageCode;

my $code = Run::PageCode->new(qw(colors.js table.js histogram.js heat.js)) or plan skip_all => Run::PageCode::why_not();
my $json = JSON::PP->new->canonical->allow_nonref;
sub js { return $code->ask(join '', map { ref ? $json->encode($_) : $_ } @_) }

# Colours of tasks.
is_deeply(js('zed.names_by_run(', [['sh', 1, 5], ['cc', 2, 8], ['sh', 3, 4], ['ld', 4, 8]], ')'), ['sh', 'cc', 'ld'], 'threads of one name run together');
is_deeply(js('[...zed.task_ranks(', ['swapper/0', 'a', 'b', 'a', 'idle', map { "t$_" } 1 .. 9], ')]'), [['a', 0], ['b', 1], map { ["t$_", $_ + 1] } 1 .. 6],
	'eight names have a colour; idle is none of them (else: most of a picture is the first colour)');
is_deeply(js('["a", "b", "x", "swapper/1"].map(n => zed.task_variable(zed.task_ranks(["b", "a"]), n))'), [qw(task-2 task-1 task-rest idle)], 'the others have that of the rest');
is_deeply(js('["#ffffff", "#000000", "#34325d", "#e1bc3d"].map(zed.ink_on)'), ['#101418', '#ffffff', '#ffffff', '#101418'], 'letters are dark on what is bright');

# The row of all.
my @columns = map { { key => $_->[0], type => $_->[1] } } ['comm', 'text'], ['n', 'int'], ['total', 'us'], ['avg', 'us'], ['min', 'us'], ['p99', 'us'], ['max', 'us'], ['tasks', 'int'];
my @rows = ({ comm => 'a', n => 1, total => 9, avg => 9, min => 9, p99 => 9, max => 9, tasks => 2 }, { comm => 'b', n => 3, total => 6, avg => 2, min => 1, p99 => 4, max => 4, tasks => 2 },
	{ comm => 'c', n => 1, total => 2, avg => 2, min => 2, p99 => undef, max => 2, tasks => 1 });
my %all = (comm => 'ALL', n => 5, total => 17, avg => 3.4, min => 1, p99 => 9, max => 9, tasks => 4);
my %table = (columns => \@columns, rows => \@rows, all => \%all);
my $row = sub { my ($t, @places) = @_; return js('(t => zed.all_of(t, zed.summed(t), ', [@places], '.map(i => t.rows[i])))(', $t, ')') };

is_deeply($row->(\%table, 1, 2), { comm => 'ALL of 2 rows', n => 4, total => 8, avg => 2, min => 1, p99 => undef, max => 4, tasks => undef },
	'the row of all is of the rows that are left; a percentile of percentiles, and tasks that two rows share, are not known');
is_deeply($row->(\%table, 0)->{comm}, 'ALL of 1 row', '... of one');
is($row->({ %table, all => { %all, max => 12 } }, 1)->{max}, undef, '... what its rule does not give for all rows is not known for some (else: rows that are not on the page)');
is_deeply($row->(\%table), { comm => 'ALL of 0 rows', n => 0, total => 0, avg => undef, p99 => undef, tasks => undef }, '... of none');

# Exact values.
is_deeply(js('[["us", 31812345678], ["share", 0.25], ["int", 5], ["bytes", 4096], ["text", "x"], ["number", 0.125]].map(c => zed.exact(...c))'),
	['31812345678 ns', '25 %', '', '4096 bytes', '', '0.125'], 'a value under the mouse is exact, with its unit');

# The tail of a histogram.
my $scale = sub { my (@n) = @_; return js('(s => ({ log: s.is_log, ticks: s.ticks, y: ', [@n], '.map(s.y) }))(zed.count_scale(', [map { { n => $_ } } @n], ', 200, 0))') };
my $tail = $scale->(90000, 3, 0, 1);
ok($tail->{log}, 'counts that differ much are a logarithm');
cmp_ok($tail->{y}[3], '<', 190, '... a single value is seen (else: the tail is what no one sees)');
is_deeply([$tail->{y}[0], $tail->{y}[2]], [0, 200], '... most of all at the top, none at the bottom');
is_deeply($tail->{ticks}, [1, 10, 100, 1000, 10000], '... the axis names powers of ten');
my $even = $scale->(40, 10, 20);
ok(!$even->{log}, 'others are not');
is_deeply([map { int $_ + 0.5 } @{$even->{y}}], [0, 150, 100], '... twice as many are twice as high');

is_deeply(js('[zed.free_level([0, 0, 0], 5), zed.free_level([90, 0, 0], 5), zed.free_level([90, 0, 0], 95), zed.free_level([0, 90, 0], 5), zed.free_level([9, 9, 9], 5)]'), [0, 1, 0, 2, 3],
	'the name of a percentile is below those that reach over its line (else: a line crosses a name)');

# The rows of a heat map.
my $of = js('(r => [r.of(-1), r.of(80), r.of(83), r.band])(zed.heat_rows(', [[0, -1, 4], [1, 80, 1], [2, 83, 9]], ', 200, 0))');
is($of->[3], 14, 'values of 0 have a band');
is_deeply($of->[0], [186, 14], '... at the bottom');
cmp_ok($of->[1][0] + $of->[1][1], '<=', 180, '... apart from the others');
is($of->[2][0], 0, '... which fill the rest (else: 80 empty rows up to the first of them)');
is(js('zed.heat_rows(', [[0, 5, 1]], ', 200, 0).band'), 0, 'no band without such a value');
is_deeply(js('zed.heat_steps(900)'), [1, 5, 30, 164, 900], 'the key has counts from 1 to the most');
is_deeply(js('zed.heat_steps(1)'), [1], '... or one');
is_deeply(js('(c => { const b = zed.heat_beside(c); return [b(c[0], "ArrowRight"), b(c[0], "ArrowUp"), b(c[2], "ArrowLeft"), b(c[0], "ArrowLeft") || null]; })(', [[0, 3, 1], [0, 9, 1], [4, 8, 1], [4, 1, 1]], ')'),
	[[4, 1, 1], [0, 9, 1], [0, 9, 1], undef], 'an arrow key leads to the nearest cell of the next column, or of the same one');

done_testing();
