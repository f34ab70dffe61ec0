# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same question in Perl and in Python, of every recording: handlers by position and by name, iteration, batches, and
# aggregations say of each event what zedperl says of it.  Without it a value is another number in Python: of another
# byte order, sign, field, or of the event before.
# of: interp/python
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Pass;
use Run::Program qw(same zed_tmp);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
my $no_extension = extension_missing();
my $own = Compare::RealData::own();
my $HEAD = small(300, 800);	# events of each recording

# ---------------------------------------------------------------- the recordings

# Of the packed traces: unpacked.
sub unpacked {
	my ($name) = @_;
	my ($path, $tar) = (zed_tmp() . "/$name", Compare::RealData::shared() . "/ctf/$name.tar.zst");
	mkdir $path or die "$path: $!\n";
	system('tar', '--zstd', '-C', $path, '-xf', $tar) == 0 or die "cannot unpack $tar\n";
	my ($metadata) = sort map { glob "$path/" . '*/' x $_ . 'metadata' } 0 .. 4;
	return $metadata =~ s{/metadata\z}{}r;
}

# All but texts of latency tracers, which have no events.
my @recordings = (grep({ !m{/latency_v\d\.dat\z} } glob "$own/*.dat"), glob("$own/perf/*.data"), "$own/ltt-g1");
my $shared = Compare::RealData::shared();
if (defined $shared) {
	push @recordings, Compare::RealData::one_each(grep { !/hostile/ } Compare::RealData::recordings($shared)), glob("$shared/perf/*.data"), "$shared/ltt-g1";
	push @recordings, map { unpacked($_) } qw(lttng-kernel-4.4 perf-taskset2 ros2 CTF2-vl-ints CTF2-7.0-smalltrace) if Compare::RealData::have_zstd();
}
# The small pass: each byte order, word size and kind of file once.
@recordings = grep { m{/(?:demo|small_be_v6|i386_v6|tpk_arrays|lost|multibuf)\.dat\z|perf/sched\.data\z|data/ltt-g1\z} && m{^\Q$own\E/} } @recordings if small();

# ---------------------------------------------------------------- the question, in Perl

# A line for each event: what is known of it, "|", its fields.  Values are bytes; what is not a word is in hex.
my $perl = <<'E';
use strict;
use warnings;
binmode STDOUT;
my %aggregation = (AGGREGATIONS);
sub flat {
	my ($v) = @_;
	return '~' if !defined $v;
	return '[' . join(' ', map { flat($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(' ', map { "$_=" . flat($v->{$_}) } sort keys %$v) . '}' if ref $v;
	return "$v" =~ s/([^\w.:+\/-])/sprintf '%%%02x', ord $1/ger;
}
Zed::on('*:*', args => [qw(common_cpu secs nsecs sequence common_pid common_comm instance source common_event)], sub {
	my @known = @_;
	$known[8] =~ s{::}{:};
	my @fields = Zed::fields();
	my @said = map { $fields[2 * $_] . '=' . flat($fields[2 * $_ + 1]) } 0 .. @fields / 2 - 1;
	print join(' ', map({ flat($_) } Zed::ts(), @known, Zed::lost()), '|', @said), "\n";
});
sub trace_lost { print "lost $_[0] ", $_[1] // '~', "\n" }
sub trace_end {
	for my $name (sort keys %aggregation) {
		print "$name\n";
		$aggregation{$name}->print;
	}
}
E

# ... and in Python: what both hosts share,
my $flat = <<'E';
import re, sys
import zed

odd = re.compile(rb"[^A-Za-z0-9_.:+/-]")
lines = []

def flat(v):
    if v is None:
        return "~"
    if isinstance(v, list):
        return "[" + " ".join(map(flat, v)) + "]"
    if isinstance(v, dict):
        return "{" + " ".join(k + "=" + flat(v[k]) for k in sorted(v)) + "}"
    if isinstance(v, float):
        v = {"inf": "Inf", "-inf": "-Inf", "nan": "NaN"}.get(repr(v)) or "%.15g" % v
    text = v if isinstance(v, bytes) else str(v).encode("utf-8", "surrogateescape")
    return odd.sub(lambda m: b"%%%02x" % m[0][0], text).decode()

def pairs(fields):
    return [k + "=" + flat(v) for k, v in fields.items()]
E

# ... handlers, in zedpython,
my $handlers = $flat . <<'E';
aggregation = dict(AGGREGATIONS)

def name_of(event):
    system, _, name = event.replace("::", ":").partition(":")
    system = re.sub(r"\W", "_", system, flags=re.A)
    return ("_" if system[:1].isdigit() else "") + system + "__" + re.sub(r"\W", "_", name, flags=re.A)

zed.handlers(*{event.partition(":")[0] for event in zed.events()})
for event in zed.events():
    text = "def %s(*args): lines.append('P ' + ' '.join(map(flat, args)))" % name_of(event)
    exec(compile(text, __file__, "exec"), globals())

@zed.on("*:*")
def named(ev, common_cpu, secs, nsecs, sequence, common_pid, common_comm, instance, source, common_event, **fields):
    at = [ev.ts, common_cpu, secs, nsecs, sequence, common_pid, common_comm, instance, source, common_event, ev.lost]
    lines.append("N " + " ".join([*map(flat, at), "|", *pairs(ev.fields())]))
    for k, v in fields.items():
        if flat(v) != flat(ev[k]):
            lines.append("N %s by keyword is %s" % (k, flat(v)))

def trace_lost(cpu, count):
    lines.append("L lost %d %s" % (cpu, "~" if count is None else count))

def trace_end():
    for name in sorted(aggregation):
        lines.append("A " + name)
        lines.extend("A " + line for line in str(aggregation[name]).splitlines())
    sys.stdout.buffer.write(b"".join(line.encode("utf-8", "surrogateescape") + b"\n" for line in lines))
E

# ... iteration, and columns of one type, in python3.
my $iteration = $flat . <<'E';
import itertools

def rows_of(column):
    return column if isinstance(column, list) else memoryview(column).tolist()

path, head, columns = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
with zed.open(path) as trace:
    for ev in itertools.islice(trace, head):
        fields = ev.fields()
        secs, nsecs = divmod(ev.ts, 10**9)
        at = [ev.ts, ev.cpu, secs, nsecs, ev.sequence, ev["common_pid"], ev["common_comm"], ev.instance, ev["common_source"], ev["common_event"], ev.lost]
        print("N " + " ".join([*map(flat, at), "|", *pairs(fields)]))
        by_name = {k: ev[k] for k in ev.keys()}
        if pairs(by_name) != pairs(fields) or len(ev) != len(fields) or list(ev) != list(fields) or not all(k in ev for k in fields):
            print("N the same by name is", by_name)
        if ev.name != ev.system + ":" + ev.event:
            print("N is called", ev.name)
if columns:
    event, *columns = columns
    with zed.open(path, events=event) as trace:
        rows = (row for batch in trace.batches(columns) for row in zip(*(rows_of(batch[c]) for c in columns)))
        for row in itertools.islice(rows, head):
            print("B", *row)
E

# Aggregations: NAME => [kind, words].
my @aggregations = (
	['count', 'count', '*:*', by => ['event', 'cpu']],
	['stats', 'stats', 'sched:sched_stat_runtime', 'runtime', by => ['comm']],
	['hist', 'hist', 'raw_syscalls:sys_exit', 'ret'],
	['top', 'top', 'sched:sched_stat_runtime', 'runtime'],
	['where', 'count', 'sched:sched_switch', by => ['prev_comm'], where => 'prev_pid != 0'],
	['quantiles', 'quantiles', 'raw_syscalls:sys_enter', 'id', by => ['cpu']],
);

# Those of them that a trace with EVENTS can be asked.
sub asked {
	my ($events) = @_;
	return grep { $_->[2] eq '*:*' || $events->{$_->[2]} } @aggregations;
}
sub literal { my ($v) = @_; return ref $v ? '[' . join(', ', map { "'$_'" } @$v) . ']' : "'$v'" }
# [name, kind, words as they stand in both languages, options]
sub parts_of {
	return map {
		my ($name, $kind, @words) = @$_;
		my %o = splice @words, $kind eq 'count' ? 1 : 2;
		[$name, $kind, join(', ', map { literal($_) } @words), \%o];
	} @_;
}
sub in_perl {
	return join ', ', map {
		my ($name, $kind, $words, $o) = @$_;
		"$name => Zed::$kind($words" . join('', map { ", $_ => " . literal($o->{$_}) } sort keys %$o) . ')';
	} parts_of(@_);
}
sub in_python {
	return join ', ', map {
		my ($name, $kind, $words, $o) = @$_;
		"$name=zed.$kind($words" . join('', map { ", $_=" . literal($o->{$_}) } sort keys %$o) . ')';
	} parts_of(@_);
}

# ---------------------------------------------------------------- lines of events

# A line: what is known of the event, and its fields [name, value], which may have blanks in brackets.
sub line_parts {
	my ($line) = @_;
	my ($at, $text) = $line =~ /^(.*?) \| ?(.*)$/;
	my ($depth, @f) = (0);
	for (split / /, $text) {
		if ($depth) { $f[-1] .= " $_" } else { push @f, $_ }
		$depth += tr/[{// - tr/]}//;
	}
	return ([split / /, $at], map { [split /=/, $_, 2] } @f);
}

# The event that has most of LINES, and the columns of its numbers.
sub columns_of {
	my (%n, %ints);
	for (@_) {
		my ($at, @fields) = line_parts($_);
		my $event = $at->[9] =~ s/::/:/r;
		my %is = map { $_->[1] =~ /^-?\d+\z/ ? ($_->[0] => 1) : () } @fields;
		$ints{$event} = $n{$event}++ ? { map { $is{$_} ? ($_ => 1) : () } keys %{$ints{$event}} } : \%is;
	}
	my ($most) = sort { $n{$b} <=> $n{$a} || $a cmp $b } grep { /^\w+:\w+\z/ && !/^unknown:/ } keys %n;
	return defined $most ? ($most, 'ts', 'cpu', sort keys %{$ints{$most}}) : ();
}

# The row of LINE for the columns of EVENT; nothing: it is another event.
sub row_of {
	my ($line, $event, @columns) = @_;
	my ($at, @fields) = line_parts($line);
	return if $at->[9] =~ s/::/:/r ne $event;
	my %v = (ts => $at->[0], cpu => $at->[1], map { @$_ } @fields);
	return join(' ', @v{@columns}) . "\n";
}

# What is said beside the answer: of damage, losses, and so on, without the words of a language.
sub said {
	return join '', sort map { s/^zed(?:perl|python): //r =~ s/^\S+ line \d+: zed(?:::|\.)//ir =~ s/\bit is (?:undef|None) there/it is nothing there/r . "\n" } split /\n/, $_[0];
}

# ---------------------------------------------------------------- the answers

my ($events, $types) = (0, 0);
for my $path (@recordings) {
	my $name = $path =~ s{^\Q$own\E/}{}r =~ s{^.*/(?=[^/]+/[^/]+\z)}{}r;
	subtest $name => sub {
		my %has = map { s/::/:/r => 1 } split /\n/, zedperl($path, \'print map { "$_\n" } Zed::events(); exit 0')->{out};
		my @ask = asked(\%has);
		my $ours = zedperl('--head', $HEAD, $path, \($perl =~ s/AGGREGATIONS/in_perl(@ask)/er));
		my ($text, $tables) = $ours->{out} =~ /\A((?:\d\N* \|\N*\n|lost \N*\n)*)(.*)\z/s;
		my @lines = grep { !/^lost/ } split /^/, $text;
		$events += @lines;
		$types += keys %has;

		my $r = zedpython('--head', $HEAD, $path, \($handlers =~ s/AGGREGATIONS/in_python(@ask)/er));
		my %got = map { $_ => join '', $r->{out} =~ /^$_ (.*\n)/mg } qw(P N A L);
		is("$r->{status} $r->{sig}", "$ours->{status} $ours->{sig}", 'ends as zedperl does') or diag $r->{err};
		same(said($r->{err}), said($ours->{err}), 'says of the trace what zedperl says');
		same($got{N}, join('', @lines), 'handlers by name');
		same($got{P}, join('', map { my ($at, @f) = line_parts($_); join(' ', @$at[1 .. 4], map { $_->[1] } @f) . "\n" } grep { !/ unknown:/ } @lines), 'handlers by position');
		same($got{L}, join('', grep { /^lost/ } split /^/, $text), 'losses');
		same($got{A}, $tables, 'aggregations: ' . join ' ', map { $_->[0] } @ask);

		return if $no_extension;
		my @columns = columns_of(@lines);
		$r = python(\$iteration, $path, $HEAD, @columns);
		is("$r->{status} $r->{sig}", '0 0', 'iteration ends well') or diag $r->{err};
		same(join('', $r->{out} =~ /^N (.*\n)/mg), join('', @lines), 'iteration');
		my @want = @columns ? map { row_of($_, @columns) } @lines : ();
		my @rows = $r->{out} =~ /^B (.*\n)/mg;
		$#rows = $#want if @rows > @want;	# those of the whole trace
		same(join('', @rows), join('', @want), "batches: @columns");
	};
}

note("$events events of $types types in " . @recordings . ' recordings');
cmp_ok($events, '>', small(1000, 20_000), 'many events were compared (else: the test compares little)');
diag("python3 was not compared: $no_extension") if $no_extension;

done_testing();
