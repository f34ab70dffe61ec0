# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls that run beside each other, that report progress, that are cancelled, and whose client goes: nothing is left
# running. Without it an agent that gave up keeps all CPUs busy.
#
# of: programs/zedperl/mcp/mcp_server.c programs/zedperl/mcp/tool_call.c programs/zedperl/mcp
# runs: make check
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Explore qw(children);
use Run::Mcp;
use Run::Process;
use Run::Program;

my $demo = 't/data/demo.dat';
# Some seconds of work: 32 runs of an analysis, of a range of its own, as answers are kept.
my $long = 0;
sub long {
	my $from = sprintf '7.12%04d', ++$long;
	return ('compare', { analysis => 'syscalls', a => [('demo.dat') x 16], b => [('demo.dat') x 16], a_from => $from, b_from => $from });
}

# ---- progress

my $m = mcp($demo);
my $id = tool_start($m, long(), progressToken => 'a token');
my $quick = tool_start($m, 'events', { rows => 1 });
is(scalar @{tool_result($m, $quick)->{data}{tables}[0]{rows}}, 1, 'a short call does not wait for a long one');
my $r = tool_result($m, $id);
ok($r->{data}, 'the long one has its result') or diag $r->{error};
my @progress = map { $_->{params} } grep { $_->{method} eq 'notifications/progress' } @{$m->{notes}};
cmp_ok(scalar @progress, '>', 0, 'its progress is reported (else: clients give up)');
is(scalar(grep { $_->{progressToken} ne 'a token' } @progress), 0, '... by the token');
is(scalar(grep { $progress[$_]{progress} <= $progress[$_ - 1]{progress} } 1 .. $#progress), 0, '... and increases');
like($progress[0]{message}, qr/^compare has run for \d+ s$/, '... in words');
my $said = @{$m->{notes}};
tool($m, 'events', { rows => 1 });
is(scalar @{$m->{notes}}, $said, 'nothing is reported of a call without a token, or after its end');

# ---- cancelled

$id = tool_start($m, long());
my @leaders = @{wait_until(30, sub { my @all = children($m->{pid}); @all ? \@all : undef }) // []};
is(scalar @leaders, 1, 'a call is a process');
ok(wait_until(30, sub { group_members(@leaders) > 2 }), '... and those that it runs');
ask_line($m, qq({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$id,"reason":"enough"}}));
is_deeply(rpc($m, 'ping')->{result}, {}, 'cancelled');
ok(wait_until(30, sub { !group_members(@leaders) }), '... all of it ends (else: it runs on for nobody)');
is(scalar children($m->{pid}), 0, '... and is gone');
ask($m, 'ping', undef, 'last');
my @heard;
while (my $message = hear($m, 60)) {
	push @heard, $message->{id} // $message->{method};
	last if ($message->{id} // '') eq 'last';
}
is_deeply(\@heard, ['last'], 'a cancelled call has no answer (else: the client takes it for another\'s)');
is(tool($m, 'events', { rows => 1 })->{error}, undef, 'the next call is answered');

# One that crashes.
$id = tool_start($m, long());
@leaders = @{wait_until(30, sub { my @all = children($m->{pid}); @all ? \@all : undef }) // []};
kill ABRT => @leaders;	# a sanitizer would take a SEGV for its own
like(tool_result($m, $id)->{error}, qr/ended by signal 6/, 'a call that crashes has an error (else: the client waits for ever)');
is(tool($m, 'events', { rows => 1 })->{error}, undef, '... and costs no other');

# A waiting one, and one that has ended.
my @ids = map { tool_start($m, long()) } 1 .. 12;
ask_line($m, qq({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$_}})) for reverse @ids;
ask_line($m, qq({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$ids[0]}}));
is_deeply(rpc($m, 'ping')->{result}, {}, 'a dozen, running and waiting');
ok(wait_until(30, sub { !children($m->{pid}) }), '... are gone');

# ---- too many

@ids = map { tool_start($m, long()) } 1 .. 33;
$r = tool_result($m, $ids[32]);
like($r->{error}, qr/too many calls at once/, 'the 33rd call is refused with a reason (else: memory grows with calls)');

# ---- its client goes

@leaders = children($m->{pid});
kill KILL => $m->{pid};
like(mcp_end($m), qr/^signal 9/, 'the server is killed');
ok(wait_until(30, sub { my %now = map { $_ => 1 } group_members(@leaders); !grep { $now{$_} } @leaders }), '... and its calls end with it');

$m = mcp($demo);
$id = tool_start($m, 'answer', { analysis => 'waits' });
mcp_close($m);
ok(tool_result($m, $id)->{data}, 'what was asked before the input ended is answered (else: printf ... | zedperl mcp says nothing)');
is(mcp_end($m), 0, '... and it ends');

$m = mcp($demo);
tool_start($m, long());
wait_until(30, sub { scalar children($m->{pid}) });
@leaders = children($m->{pid});
close $m->{from};
is(mcp_end($m), 0, 'a client that reads no more ends it');
ok(wait_until(30, sub { !group_members(@leaders) }), '... with all that runs');

# The last line without a newline.
my $one = zed_run({ stdin => \*DATA }, 'zedperl', 'mcp', $demo);
like($one->{out}, qr/"id":7,"result":\{\}\}\n\z/, 'a last line without a newline is a message');
is($one->{exit}, 0, '... at its end');

# ---- an index that calls share

{
	my $cache = zed_tmp() . '/cache';
	mkdir $cache or die "mkdir: $!\n";
	my $indexed = mcp({ env => { XDG_CACHE_HOME => $cache } }, '--index', $demo);
	my $range = { from => '7.15', to => '7.16', rows => 50, chars => 60_000 };
	my $first = tool($indexed, 'events', $range);
	ok(wait_until(60, sub { grep { -s } glob "$cache/zedperl/*" }), '--index makes an index beside the answers');
	is_deeply(tool($indexed, 'events', $range)->{data}, $first->{data}, '... with which answers are the same');
	is(mcp_end($indexed), 0, 'the end');
}

# ---- a trace that changes

{
	my $path = zed_tmp() . '/changes.dat';
	require File::Copy;
	File::Copy::copy($demo, $path);
	my $changing = mcp($path);
	my $events = sub { my $r = tool($changing, 'aggregate', { kind => 'count', event => '*:*' }); return ($r->{data}{tables}[0]{rows}[0][0], grep { /has changed/ } @{$r->{data}{limits}}) };
	my ($n, @limits) = $events->();
	is(scalar @limits, 0, 'a trace as it was');
	File::Copy::copy('t/data/lost.dat', "$path.new");
	rename "$path.new", $path or die "rename: $!\n";
	my ($now, @says) = $events->();
	isnt($now, $n, 'one that was recorded again is read again (else: kept answers are of the old one)');
	is(scalar @says, 1, '... and that is said');
	unlink $path;
	ok(length tool($changing, 'events')->{error}, 'one that has gone is an error');
	is(mcp_end($changing), 0, 'the end');
}

done_testing();

__DATA__
{"jsonrpc":"2.0","id":7,"method":"ping"}