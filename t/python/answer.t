# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.answer(): the tables of zedperl's analyses, of a file and of what a trace has chosen: as zedperl --json writes
# them; which zedperl is run; failures.  Without it an answer in Python is of other events than those that were asked for.
# of: interp/python
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Program qw(zed_tmp spew);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
plan skip_all => extension_missing() if extension_missing();

my $demo = 't/data/demo.dat';

sub json_of { return JSON::PP->new->decode(zedperl({ bare => 1 }, @_)->{out}) }

my $script = <<'E';
import json, sys, zed
NAME = sys.argv[1]
PATH = sys.argv[2]
MADE
print(json.dumps({"tables": {k: t.rows for k, t in a.items()}, "columns": {k: t.columns for k, t in a.items()}, "start": a.start, "end": a.end,
    "notes": a.notes, "lost": a.lost, "script": a.script, "main": a.main}))
E
sub answer_of {
	my ($made, @words) = @_;
	my $r = python(\($script =~ s/MADE/$made/r), @words);
	diag $r->{err} if $r->{err} ne '';
	return eval { JSON::PP->new->decode($r->{out}) } // { failed => $r->{err} };
}
sub expected {
	my ($json) = @_;
	return { tables => { map { $_ => $json->{tables}{$_}{rows} } keys %{$json->{tables}} },
		columns => { map { $_ => [map { $_->{key} } @{$json->{tables}{$_}{columns}}] } keys %{$json->{tables}} },
		map { $_ => $json->{$_} } qw(start end notes lost script main) };
}

for my $name (qw(waits wakeup-latency sched-summary)) {
	my $want = expected(json_of('-i', $demo, $name, '--json'));
	cmp_ok(scalar keys %{$want->{tables}}, '>', 0, "$name has tables");
	is_deeply(answer_of('a = zed.answer(NAME, PATH)', $name, $demo), $want, "... which are those of Python");
}
my @choice = ('--start=+1ms', '--cpu=0', '-F', 'sched:sched_switch: next_pid > 0', '-i', $demo, 'waits', '--json');
is_deeply(answer_of('a = zed.answer(NAME, zed.open(PATH, start="+1ms", cpus="0", where="sched:sched_switch: next_pid > 0"))', 'waits', $demo), expected(json_of(@choice)),
	'of what a trace has chosen (else: the answer is of the whole)');
{
	my $r = zedpython(@choice[0 .. 3], $demo, \"import json, zed\ndef trace_end():\n    print(json.dumps({k: t.rows for k, t in zed.answer('waits', zed.trace).items()}))\nzed.on('sched:sched_switch')(lambda ts: None)\n");
	my $want = expected(json_of(@choice));
	is_deeply(eval { JSON::PP->new->decode($r->{out}) }, $want->{tables}, 'of what zedpython was given') or diag $r->{err};
}
is_deeply(answer_of('a = zed.answer(NAME, [PATH, PATH], "--limit", 3)', 'off-cpu', $demo), expected(json_of('-i', $demo, '-i', $demo, 'off-cpu', '--json', '--limit', 3)), 'of several files');
is_deeply(answer_of("import pathlib\na = zed.answer(NAME, pathlib.Path(PATH))", 'off-cpu', $demo), expected(json_of('-i', $demo, 'off-cpu', '--json')), 'a path is one');

{
	my $r = python(\<<'E', $demo, zed_tmp() . '/nothing.dat');
import sys, zed
for name, trace in (("nothing", sys.argv[1]), ("waits", sys.argv[2]), ("waits", [])):
    try:
        zed.answer(name, trace)
    except zed.Error as error:
        print(error)
t = zed.answer("waits", sys.argv[1])["tasks"]
print(t.heads["comm"], t.units["max"], t.types["max"], "[ns]" in t._repr_html_())
E
	like($r->{out}, qr/\Aanswer: nothing: zedperl: nothing: no such script.*\nanswer: waits: zedperl: \S+: .*\n(?:zedperl: .*\n)*answer: no trace is given\ntask ns \w+ True\n\z/, 'failures say what zedperl says') or diag $r->{err};
}
{
	my $once = python({ stdin => $demo }, \"import zed\ntry:\n    zed.answer('waits', zed.open('-'))\nexcept zed.Error as error:\n    print(error)\n");
	like($once->{out}, qr/answer\(\) cannot read it again: it can be read only once/, 'not of what can be read only once (else: an answer to nothing)') or diag $once->{err};
	my $empty = zed_tmp() . '/empty';
	mkdir $empty;
	my $python = python_path();
	my $r = python({ env => { PATH => $empty } }, \"import sys, zed\nprint(zed.answer('waits', sys.argv[1]))\n", $demo);
	like($r->{err}, qr/zed\.Error: answer: zedperl is neither beside this module nor in PATH/, 'without zedperl') if !-x $python =~ s{/[^/]*\z}{/zedperl}r;
	my $fake = zed_tmp() . '/fake';
	mkdir $fake;
	spew("$fake/zedperl", "#!/bin/sh\necho 'zedperl: damaged' >&2\necho '{\"tables\":{\"t\":{\"columns\":[{\"key\":\"a\"}],\"rows\":[{\"a\":18446744073709551615}]}}}'\nexit 1\n");
	chmod 0755, "$fake/zedperl";
	$r = python({ env => { PATH => "$fake:/usr/bin:/bin" } }, \"import zed\na = zed.answer('x', 'y')\nprint(a['t'].rows, a.start, a.notes)\n");
	is($r->{out}, "[{'a': 18446744073709551615}] None []\n", 'the one of PATH is run, numbers are exact') or diag $r->{err};
	like($r->{err}, qr/TraceWarning: zedperl: damaged/, 'and what it says beside its answer is a warning');
}

done_testing();
