# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hostile messages and arguments: JSON that is deep, large, ambiguous or not UTF-8; arguments of other types, beyond their
# bounds, with options, code and paths in them. Without it a client that was fed by a web page reads files, runs code, or
# takes the server down. Seeded; SEED=N.
#
# of: programs/zedperl/mcp base/json_tree.c
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Json;
use Run::Mcp;
use Run::Program;

srand($ENV{SEED} // 35);
my $demo = 't/data/demo.dat';
my $m = mcp($demo);

# The error of the line LINE, or "none".
sub code_of {
	my ($line) = @_;
	ask_line($m, $line);
	my $r = hear($m);
	return $r && $r->{error} ? $r->{error}{code} : 'none';
}

# ---- JSON

my $ping = '"jsonrpc":"2.0","id":1,"method":"ping"';
my @wrong = ('{', 'ping', "{$ping,}", "{$ping,\"id\":2}", "{$ping,\"params\":{\"a\":1,\"a\":2}}", "{$ping,\"params\":{\"a\":\"\\ud800\"}}", "{$ping,\"params\":{\"a\":\"\\u0000\"}}",
	"{$ping,\"params\":{\"a\":\"\xff\"}}", "{$ping,\"params\":{\"a\":01}}", "{$ping,\"params\":{\"a\":NaN}}", "{$ping,\"params\":{\"a\":1e}}", "{$ping} x", "\xef\xbb\xbf{$ping}",
	"{$ping,\"params\":" . '[' x 200 . ']' x 200 . '}', "{$ping,\"params\":{" . join(',', map { "\"k$_\":1" } 1 .. 300) . '}}');
is(code_of($_), -32700, 'not JSON: ' . substr($_, 0, 60) =~ s/[^ -~]/?/gr) for @wrong;
my @invalid = ('1', 'null', '"x"', '[]', "[{$ping}]", '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":null,"method":"ping"}',
	'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":"' . 'x' x 300 . '","method":"ping"}',
	'{"jsonrpc":"2.0","id":1,"method":7}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":7}');
is(code_of($_), -32600, "not a message: " . substr $_, 0, 60) for @invalid;
is(code_of('x' x 3_000_000), -32600, 'a line of 3 MB (else: memory grows with it)');
is(code_of('{"jsonrpc":"2.0","id":1,"method":"' . 'x' x 900_000 . '"}'), -32601, 'a long method');
is(code_of("{$ping}"), 'none', 'the next one is answered');

# ---- arguments

my %ok = (summary => {}, answer => { analysis => 'waits' }, events => {}, aggregate => { kind => 'count', event => 'sched:sched_switch' }, why_late => {}, explain_losses => {},
	compare => { analysis => 'waits', a => ['demo.dat'], b => ['demo.dat'] });
my $marker = zed_tmp() . '/marker';
my $code = "\$(touch $marker);`touch $marker`; touch $marker; system('touch $marker');\"; system(\"touch $marker\"); \@{[system 'touch $marker']}";
my @bad = (['summary', { trace => '/etc/passwd' }], ['summary', { trace => '../demo.dat' }], ['summary', { trace => 7 }], ['summary', { nosuch => 1 }], ['summary', { rows => 0 }],
	['summary', { rows => -1 }], ['summary', { rows => 1e9 }], ['summary', { rows => '5' }], ['summary', { chars => 60_001 }], ['summary', { chars => 10 }],
	['summary', { table => 'nosuch' }], ['summary', { from => "7\n8" }], ['summary', { from => 'x' }], ['summary', { cpu => 'x' }], ['summary', { pid => {} }],
	['answer', {}], ['answer', { analysis => '../../etc/passwd' }], ['answer', { analysis => 'nosuch' }], ['answer', { analysis => 'printall' }], ['answer', { analysis => 'report' }],
	['answer', { analysis => 'waits', options => { html => $marker } }], ['answer', { analysis => 'waits', options => { svg => $marker } }],
	['answer', { analysis => 'waits', options => { samples => $marker } }], ['answer', { analysis => 'waits', options => { 'worst=1 --html' => $marker } }],
	['answer', { analysis => 'waits', options => { worst => 'x' } }], ['answer', { analysis => 'waits', options => { worst => 1e9 } }],
	['answer', { analysis => 'waits', options => { kind => "--html=$marker" } }], ['answer', { analysis => 'waits', options => [] }],
	['events', { filter => $code }], ['events', { event => $code }], ['events', { fields => [] }], ['events', { fields => [1 .. 9] }], ['events', { around => $code }],
	['aggregate', { kind => 'eval', event => 'x' }], ['aggregate', { kind => 'count' }], ['aggregate', { kind => 'count', event => 'sched', value => 'x' }],
	['aggregate', { kind => 'sum', event => 'sched:sched_switch', value => $code }], ['aggregate', { kind => 'count', event => 'sched:sched_switch', where => $code }],
	['aggregate', { kind => 'count', event => $code }], ['why_late', { whole => JSON::PP::true() }], ['why_late', { worst => 0 }],
	['compare', { analysis => 'waits', a => ['demo.dat'], b => ['/etc/passwd'] }], ['compare', { analysis => 'waits', a => [], b => ['demo.dat'] }],
	['compare', { analysis => 'waits', a => ['demo.dat'], b => ['demo.dat'], a_from => '7.1' }], ['compare', { analysis => 'compare', a => ['demo.dat'], b => ['demo.dat'] }]);
for my $case (@bad) {
	my ($name, $args) = @$case;
	my $r = tool($m, $name, $args);
	my $what = JSON::PP->new->canonical->encode($args);
	ok(length($r->{error} // '') > 5, "$name $what is refused with a reason") or diag explain $r->{data};
	unlike($r->{error} // '', qr/root:/, '... and nothing of a file') if $what =~ /passwd/;
}
# What is a name of a task, or a key, may have any letters: it is data.
for my $case (['summary', { comm => $code }], ['events', { comm => $code, rows => 1 }], ['aggregate', { kind => 'count', event => 'sched:sched_switch', by => [substr $code, 0, 90] }],
	['why_late', { task => substr $code, 0, 60 }], ['answer', { analysis => 'why-late', options => { task => '-e 1' } }]) {
	my ($name, $args) = @$case;
	my $r = tool($m, $name, $args);
	ok($r->{data} || length $r->{error}, "$name: letters of a shell and of perl in an argument");
}
ok(!-e $marker, 'none of it was run, and no file was written (else: a trace that is talked about runs code)');

# ---- random ones

my @values = (undef, 0, -1, 1, 1.5, 1e300, '', 'x', $code, "\x{1F600}", 'x' x 5000, [], {}, ['x', 7], { a => [] }, JSON::PP::true(), '--help', '-', '/dev/null', 'sched:sched_switch', '7.2', 'waits');
my @names = qw(trace from to around cpu pid comm analysis options event filter fields kind value by where task whole worst a b a_from a_to b_from b_to table first rows chars);
my $odd = 0;
for (1 .. small(40, 400)) {
	my $name = (sort keys %ok)[rand keys %ok];
	my %args = (%{$ok{$name}}, map { $names[rand @names] => $values[rand @values] } 1 .. 1 + int rand 3);
	my $r = tool($m, $name, \%args);
	$odd++ if !$r->{data} && !length($r->{error} // '') || $r->{bytes} > 60_000;
}
is($odd, 0, 'random arguments have a result or a reason, within the budget');
ok(!-e $marker, 'and none of them was run');
is(mcp_end($m), 0, 'the end');
is(said($m), '', 'nothing was said');

# ---- what a trace says

my $bytes = slurp($demo);
my %called;
# Of the same length, as the records keep theirs.
$bytes =~ s{(?<=[\x00\n ])(sh|cat|sleep|find|sort|trace-cmd|rcu_preempt|usleep)(?=[\x00\n])}{$called{$1} //= substr $HOSTILE[rand @HOSTILE] x 16, 0, length $1}ge;
my $hostile = mcp(Run::Program::spew(zed_tmp() . '/names.dat', $bytes));
for my $case (['summary', {}], ['answer', { analysis => 'waits' }], ['answer', { analysis => 'syscalls' }], ['why_late', {}], ['events', { rows => 100, chars => 60_000 }],
	['aggregate', { kind => 'top', event => 'sched:sched_switch', value => 'prev_pid', by => 'prev_comm', fields => ['next_comm'] }],
	['aggregate', { kind => 'count', event => '*:*', by => ['comm'], chars => 60_000 }]) {
	my $r = tool($hostile, @$case);
	ok($r->{data}, "$case->[0]: names that are no letters are text of one line of JSON (else: a task's name is a message)") or diag $r->{error};
}
is(mcp_end($hostile), 0, 'its end');

done_testing();
