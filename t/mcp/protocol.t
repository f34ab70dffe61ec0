# SPDX-License-Identifier: GPL-2.0-or-later
#
# The messages of the Model Context Protocol: which revision a request is of, what initialize, server/discover, tools/list
# and ping answer, and what is refused with which error. Without it a client is refused, or takes an answer for another.
# Expected texts are those of the protocol's schemas, schema/REVISION/schema.ts.
#
# of: programs/zedperl/mcp
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Mcp;

my $demo = 't/data/demo.dat';
my %MODERN = ('io.modelcontextprotocol/protocolVersion' => '2026-07-28', 'io.modelcontextprotocol/clientCapabilities' => {});

# ---- the handshake of 2025

for my $case (['2025-06-18', '2025-06-18'], ['2025-11-25', '2025-11-25'], ['2024-11-05', '2025-11-25'], ['2026-07-28', '2025-11-25'], ['x', '2025-11-25']) {
	my ($asked, $agreed) = @$case;
	my $m = mcp_bare($demo);
	my $r = rpc($m, 'initialize', { protocolVersion => $asked, capabilities => {}, clientInfo => { name => 't', version => '1' } });
	is($r->{result}{protocolVersion}, $agreed, "initialize with $asked agrees on $agreed (else: the client disconnects)");
	is_deeply($r->{result}{capabilities}, { tools => {} }, '... with tools, and nothing else');
	is($r->{result}{serverInfo}{name}, 'zedperl', '... by its name');
	ok(!exists $r->{result}{resultType}, '... and no member of a later revision');
	is_deeply(rpc($m, 'ping')->{result}, {}, '... ping');
	is(rpc($m, 'server/discover')->{error}{code}, -32601, '... and no method of a later one');
	is(mcp_end($m), 0, '... and ends with its input');
}

my $m = mcp_bare($demo);
is_deeply(rpc($m, 'ping')->{result}, {}, 'ping before initialize');
is(rpc($m, 'tools/list')->{error}{code}, -32602, 'a request that says no revision, before initialize, is refused (else: it is answered in the wrong one)');
is(rpc($m, 'initialize', {})->{error}{code}, -32602, 'initialize without a version');

# ---- 2026-07-28: each request by itself

my $r = rpc($m, 'server/discover', { _meta => \%MODERN });
is_deeply($r->{result}{supportedVersions}, ['2026-07-28', '2025-11-25', '2025-06-18'], 'server/discover tells the revisions');
is($r->{result}{resultType}, 'complete', '... what the result is');
ok($r->{result}{ttlMs} =~ /^\d+\z/ && $r->{result}{cacheScope} eq 'private', '... how long it holds');
is($r->{result}{_meta}{'io.modelcontextprotocol/serverInfo'}{name}, 'zedperl', '... of whom');
is_deeply($r->{result}{capabilities}, { tools => {} }, '... and what it can');
cmp_ok(length $r->{result}{instructions}, '>', 100, '... with what a model has to know');

$r = rpc($m, 'tools/call', { name => 'events', arguments => { rows => 1 }, _meta => \%MODERN });
is($r->{result}{resultType}, 'complete', 'a call without initialize has its result');
is(scalar @{$r->{result}{structuredContent}{tables}[0]{rows}}, 1, '... as it is');
is(rpc($m, 'tools/list', { _meta => \%MODERN })->{result}{cacheScope}, 'private', 'a list says how long it holds');
is(rpc($m, 'ping', { _meta => \%MODERN })->{error}{code}, -32601, 'ping has gone');
$r = rpc($m, 'tools/list', { _meta => { %MODERN, 'io.modelcontextprotocol/protocolVersion' => '1900-01-01' } });
is($r->{error}{code}, -32022, 'an unknown revision has its own error (else: the client falls back to another era)');
is_deeply($r->{error}{data}, { supported => ['2026-07-28', '2025-11-25', '2025-06-18'], requested => '1900-01-01' }, '... with those that there are');
is(rpc($m, 'tools/list', { _meta => { 'io.modelcontextprotocol/protocolVersion' => '2026-07-28' } })->{error}{code}, -32602, 'capabilities are required');
is(rpc($m, 'tools/list', { _meta => { 'io.modelcontextprotocol/protocolVersion' => 7 } })->{error}{code}, -32602, 'a revision is a text');
is(rpc($m, 'tools/list')->{error}{code}, -32602, 'nothing is remembered of such a request (else: it is not stateless)');
is(mcp_end($m), 0, 'its end');

# ---- tools

$m = mcp($demo);
$r = rpc($m, 'tools/list');
is_deeply([map { $_->{name} } @{$r->{result}{tools}}], [qw(summary answer events aggregate why_late explain_losses compare)], 'the tools');
cmp_ok($r->{-bytes}, '<', 30_000, '... in few bytes: all of them are in each context');
for my $tool (@{$r->{result}{tools}}) {
	is($tool->{inputSchema}{type}, 'object', "$tool->{name}: its arguments are an object");
	is($tool->{inputSchema}{additionalProperties}, JSON::PP::false(), '... and no others');
	ok(!grep({ !length $_->{description} } values %{$tool->{inputSchema}{properties}}), '... each with its meaning');
	is_deeply([sort @{$tool->{outputSchema}{required}}], [qw(command cut limits tables trace)], '... what comes in any case');
	is($tool->{annotations}{readOnlyHint}, JSON::PP::true(), '... it only reads');
}
is(rpc($m, 'tools/list', { cursor => 'x' })->{error}{code}, -32602, 'there is one page');
is(rpc($m, 'tools/call', { name => 'nosuch' })->{error}{code}, -32602, 'an unknown tool');
is(rpc($m, 'tools/call', {})->{error}{code}, -32602, 'a call without a name');
is(rpc($m, 'tools/call', { name => 'events', arguments => [] })->{error}{code}, -32602, 'arguments that are no object');
is(rpc($m, 'resources/list')->{error}{code}, -32601, 'a method that is not there');

# ---- ids

is(rpc($m, 'ping', undef, 'a text')->{id}, 'a text', 'an id may be a text');
ask_line($m, '{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}');
like(hear($m)->{-line}, qr/"id":18446744073709551615,/, 'or a number of 64 bits, which stays itself (else: the client waits for ever)');
ask_line($m, '{"jsonrpc":"2.0","id":-7,"method":"ping"}');
is(hear($m)->{id}, -7, 'or below 0');
my $id = tool_start($m, 'summary');
is(rpc($m, 'tools/call', { name => 'summary' }, $id)->{error}{code}, -32600, 'not that of a call that has no answer yet');
ok(tool_result($m, $id)->{data}, '... which has its own');

# ---- what has no answer

ask_line($m, $_) for '{"jsonrpc":"2.0","method":"notifications/nosuch"}', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
	'{"jsonrpc":"2.0","method":"tools/list"}', '{"jsonrpc":"2.0","id":99,"result":{}}', '', "  \t\r";
is_deeply(rpc($m, 'ping')->{result}, {}, 'notifications, responses and empty lines have none (else: a client takes it for that to the next request)');
is(mcp_end($m), 0, 'its end');

# ---- its command line

for my $case ([['mcp'], qr/mcp needs a trace/], [['mcp', 'nosuch.dat'], qr/nosuch\.dat/], [['mcp', '-'], qr/read only once/], [['mcp', 't/data/README'], qr/README/]) {
	my ($words, $says) = @$case;
	require Run::Program;
	my $run = Run::Program::zed_run('zedperl', @$words);
	is($run->{exit}, 2, "zedperl @$words is refused");
	like($run->{err}, $says, '... with the reason');
	is($run->{out}, '', '... and no message of the protocol');
}

done_testing();
