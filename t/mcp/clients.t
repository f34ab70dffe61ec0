# SPDX-License-Identifier: GPL-2.0-or-later
#
# Clients that others wrote: the SDK of the protocol's authors, of the handshake and of the stateless revision, and their
# inspector. They check what a result has against the schemas that the server gave. Without it the protocol is what we take
# it for.
#
# of: programs/zedperl/mcp
# runs: make check
use strict;
use warnings;
use Test::More;
use Cwd qw(abs_path);
use JSON::PP ();
use lib 't/lib';
use Run::Mcp;
use Run::Program;

my $dir = 'build/mcp-clients';
plan skip_all => 'no node: apt-get install nodejs' unless grep { -x "$_/node" } split /:/, $ENV{PATH} // '';
plan skip_all => 'no clients here: t/tools/mcp-clients.sh fetches them (npm)' unless -d "$dir/node_modules";
$dir = abs_path($dir);

my $json = JSON::PP->new->utf8->canonical;
my $demo = 't/data/demo.dat';
my @traces = ($demo, 't/data/perf/sched.data', 't/data/ltt-g1');
my @calls = (['summary', { trace => 'demo.dat' }], ['answer', { trace => 'demo.dat', analysis => 'waits' }], ['events', { trace => 'sched.data', rows => 3 }],
	['aggregate', { trace => 'demo.dat', kind => 'quantiles', event => 'sched:sched_stat_runtime', value => 'runtime', by => ['comm'] }],
	['why_late', { trace => 'demo.dat', worst => 2 }], ['explain_losses', { trace => 'ltt-g1' }], ['compare', { analysis => 'syscalls', a => ['demo.dat'], b => ['demo.dat'] }]);
my @long = ('compare', { analysis => 'irq', a => [('demo.dat') x 16], b => [('demo.dat') x 16] });

# The same answers of a client of our own.
my $m = mcp(@traces);
my @own = map { tool($m, @$_) } @calls;
is(mcp_end($m), 0, 'our own client');

for my $case (['sdk', undef], ['client', '2026-07-28']) {
	my ($sdk, $revision) = @$case;
	pipe my $from, my $to or die "pipe: $!\n";
	my $asked = $json->encode({ command => abs_path(zed_bin('zedperl')), args => ['mcp', @traces], calls => [@calls, ['answer', { trace => 'demo.dat' }]], cancel => \@long });
	my $input = zed_tmp() . "/$sdk.json";
	Run::Program::spew($input, $asked);
	my $r = zed_run({ stdin => $input, memory => 0, time => 120 }, 'sh', '-c', 'exec node t/lib/Run/mcp-client.mjs "$@"', 'sh', $dir, $sdk);
	my $out = eval { $json->decode($r->{out}) } // {};
	is($r->{exit}, 0, "$sdk: its calls") or diag "$r->{out}\n$r->{err}";
	is($out->{server}{name}, 'zedperl', '... it knows the server');
	like($out->{instructions} // '', qr/Begin with summary/, '... and what a model has to know');
	is($out->{revision}, $revision, "... revision $revision") if defined $revision;
	is_deeply($out->{tools}, [qw(summary answer events aggregate why_late explain_losses compare)], '... the tools');
	for my $i (0 .. $#calls) {
		my $result = $out->{results}[$i] // {};
		is($result->{thrown}, undef, "$sdk: $calls[$i][0] passes its own checks (else: no client takes it)");
		is($json->encode($result->{structuredContent} // {}), $json->encode($own[$i]{data} // {}), '... and is as we read it');
	}
	like($out->{results}[-1]{content}[0]{text} // '', qr/answer needs analysis/, "$sdk: wrong arguments are a result that a model can mend");
	is($out->{cancelled}, 'cancelled', "$sdk: a call that reports progress is cancelled by it");
	ok(length($out->{after} // ''), '... and the next one is answered');
}

# ---- the inspector

my $inspector = "$dir/node_modules/.bin/mcp-inspector-cli";
SKIP: {
	skip 'the inspector is not here', 4 if !-e $inspector;
	my $ask = sub { zed_run({ memory => 0, time => 120 }, 'sh', '-c', 'exec "$@"', 'sh', $inspector, '--cli', abs_path(zed_bin('zedperl')), 'mcp', $demo, @_) };
	my $list = $ask->('--method', 'tools/list');
	is($list->{exit}, 0, 'the inspector lists tools') or diag "$list->{out}$list->{err}";
	is(scalar @{(eval { $json->decode($list->{out}) } // { tools => [] })->{tools}}, 7, '... all of them');
	my $call = $ask->('--method', 'tools/call', '--tool-name', 'events', '--tool-arg', 'rows=2', '--tool-arg', 'event=sched:sched_switch');
	is($call->{exit}, 0, 'and calls one') or diag "$call->{out}$call->{err}";
	is(scalar @{(eval { $json->decode($call->{out}) } // {})->{structuredContent}{tables}[0]{rows} // []}, 2, '... with its arguments');
}

done_testing();
