# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.synthetic(): events made of two, given to functions, aggregations and iteration as Zed::synthetic's are; counts,
# starts that wait, what is refused.  Without it a wait that is measured wrongly looks like a right one.
# of: interp/python run/synthetic
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(same);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

my $types = {
	'app::begin' => field_text('int id', 8, 4, 1) . field_text('char who[8]', 12, 8, 1),
	'app::done' => field_text('int id', 8, 4, 1) . field_text('u32 size', 12, 4),
	'app::kill' => field_text('int victim', 8, 4, 1),
};
sub begins { my ($cpu, $ts, $id, $who, @lost) = @_; return [$cpu, $ts, 'app::begin', pack('l Z8', $id, $who // 'w'), @lost] }
sub done { my ($cpu, $ts, $id, $size, @lost) = @_; return [$cpu, $ts, 'app::done', pack('l L', $id, $size // 0), @lost] }
sub kills { my ($cpu, $ts, $id, @lost) = @_; return [$cpu, $ts, 'app::kill', pack('l', $id), @lost] }

my $script = <<'END';
import zed
s = zed.synthetic("span:all", start="app:begin", end="app:done", match="start.id == end.id",
    fields={"delay": "end.ts - start.ts", "who": "start.who", "kb": "end.size >> 10"}OPTIONS)
def span__all(cpu, secs, nsecs, sequence, *fields):
    print(nsecs, *fields)
def trace_end():
    print(" ".join(f"{k}={v}" for k, v in sorted(s.counts.items()) if v))
    for w in s.pending:
        print("waits", w["ts"], w["cpu"], w["who"], w["id"])
END
sub spans {
	my ($options, @events) = @_;
	my $r = zedpython(trace(types => $types, events => \@events), \($script =~ s/OPTIONS/$options ? ", $options" : ''/er));
	return $r->{out} . $r->{err} =~ s/zedpython: //r;
}
my @twice = (begins(0, 1000, 1, 'a'), begins(0, 1500, 1, 'b'), done(1, 2000, 1, 4096), done(1, 3000, 1), begins(0, 4000, 2, 'c'));
is(spans('', @twice), "2000 500 b 4\nmatched=1 pending=1 replaced=1 started=3\nwaits 4000 0 c 2\n", 'of two starts the last counts');
is(spans("keep='first'", @twice), "2000 1000 a 4\nmatched=1 pending=1 replaced=1 started=3\nwaits 4000 0 c 2\n", 'or the first');
is(spans('nest=True', @twice), "2000 500 b 4\n3000 2000 a 0\nmatched=2 pending=1 started=3\nwaits 4000 0 c 2\n", 'nested: the last first');
my @killed = (begins(0, 1000, 1, 'a'), begins(0, 1500, 2, 'b'), kills(1, 1700, 1), done(1, 2000, 1), done(1, 3000, 2));
is(spans("abort='app:kill', abort_match='start.id == abort.victim'", @killed), "3000 1500 b 0\naborted=1 matched=1 started=2\n",
	'an abort discards the start that it is about');
is(spans("abort=['app:kil', 'app:kill'], abort_match='start.id == abort.victim'", @killed),
	"3000 1500 b 0\naborted=1 matched=1 started=2\nspan:all: abort: no input has an event 'app:kil'; did you mean app:kill?\n",
	'a list of events, of which the trace lacks one, which is said');
like(spans('max_pending=1', begins(0, 1000, 1, 'a'), begins(0, 1500, 2, 'b'), done(1, 2000, 1), done(1, 3000, 2)),
	qr/\A2000 1000 a 0\ndropped=1 matched=1 started=2\nspan:all: as many starts wait/, 'a full table counts what it leaves out');

# ---------------------------------------------------------------- as Perl has it, on a recording

my $perl = zedperl('t/data/demo.dat', \<<'E');
my $s = Zed::synthetic('wait:cpu', start => 'sched:waking', end => 'sched:switch', match => 'start.pid == end.next_pid', fields => [delay => 'end.ts - start.ts']);
my $q = Zed::stats('wait:cpu', 'delay', by => 'pid');
Zed::on('wait:cpu', args => [qw(ts delay)], sub { print "@_\n" });
sub trace_end { $q->print; my $c = $s->counts; print "$_ $c->{$_}\n" for sort keys %$c; $s->clear; print $s->counts->{matched}, "\n" }
E
my $python = zedpython('t/data/demo.dat', \<<'E');
import zed
s = zed.synthetic("wait:cpu", start="sched:waking", end="sched:switch", match="start.pid == end.next_pid", fields={"delay": "end.ts - start.ts"})
q = zed.stats("wait:cpu", "delay", by="pid")
@zed.on("wait:cpu")
def waited(ts, delay):
    print(ts, delay)
def trace_end():
    q.print()
    for k, v in sorted(s.counts.items()):
        print(k, v)
    s.clear()
    print(s.counts["matched"])
E
same($python->{out}, $perl->{out}, 'made of stable events, in both languages the same (else: a delay of Perl is another one in Python)') or diag $python->{err};
like($perl->{out}, qr/matched [1-9]/, '... and there are some');

SKIP: {
	skip extension_missing(), 1 if extension_missing();
	my $r = python(\<<'E', trace(types => $types, events => \@twice));
import sys, zed
trace = zed.open(sys.argv[1])
s = trace.synthetic("span:all", start="app:begin", end="app:done", match="start.id == end.id", fields={"delay": "end.ts - start.ts"})
n = trace.sum("span:all", "delay")
print([(ev.name, ev.ts, ev["delay"]) for ev in trace if ev.system == "span"], n.total, repr(s))
try:
    for ev in trace:
        trace.synthetic("x:y", start="app:begin", end="app:done")
except zed.Error as error:
    print(error)
trace.close()
print(s.counts["matched"])
E
	is($r->{out} . $r->{err}, "[('span:all', 2000, 500)] 500 <zed.Synthetic span:all>\nzed.synthetic: the first event has already come: define it before the trace is read\n1\n",
		'in an iteration they come after their end; counts outlive the trace');
}

# ---------------------------------------------------------------- what is refused

my $dat = trace(types => $types, events => \@twice);
my %bad = (
	q{zed.synthetic("span:all")} => qr/TypeError: zed\.synthetic: name, start and end must be given/,
	q{zed.synthetic("span", start="app:begin", end="app:done")} => qr/zed\.Error: zed\.synthetic: /,
	q{zed.synthetic("a:b", start="app:begin", end="app:done", match="start.id = end.id")} => qr/zed\.Error: zed\.synthetic: /,
	q{zed.synthetic("a:b", start="app:begin", end="app:done", match="start.ix == end.id")} => qr/zed\.Error: zed\.synthetic: .*no field 'ix'/,
	q{zed.synthetic("a:b", start="app:begin", end="app:done", keep="both")} => qr/zed\.Error: zed\.synthetic: /,
	q{zed.synthetic("a:b", start="app:begin", end="app:done", fields=["x"])} => qr/TypeError: zed\.synthetic: fields must be a dict/,
	q{zed.synthetic("a:b", start="app:begin", end="app:done", fields={"x": 1})} => qr/TypeError: zed\.synthetic: a field's expression must be a str, not int/,
	q{zed.synthetic("a:b", start="app:begin", end="app:done", max_pending=0)} => qr/ValueError: zed\.synthetic: max_pending must be at least 1/,
	q{zed.synthetic("a:b", start=5, end="app:done")} => qr/TypeError: zed\.synthetic: start must be a str or a list of str, not int/,
	q{zed.synthetic("a:b", begin="app:begin", end="app:done")} => qr/TypeError: .*begin/,
);
for my $code (sort keys %bad) {
	my $r = zedpython($dat, \"import zed\n$code\nprint('ran')\n");
	like($r->{err}, $bad{$code}, "$code is refused (else: a definition with a slip makes no event)");
	is("$r->{status} $r->{out}", '255 ', '... and nothing runs');
}

done_testing();
