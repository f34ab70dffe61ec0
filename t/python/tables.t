# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.Table: rows and columns, as text, as HTML that a trace cannot break out of, as frames of pyarrow and pandas, here
# or played by a package of the same names; zed.Named.  Without it a notebook runs what a task has called itself.
# of: interp/python
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_tmp spew);
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
plan skip_all => extension_missing() if extension_missing();

my $dat = trace(events => [map { [0, 1000 * $_, 'mini::tick', pack 'l a8', $_ % 2 ? $_ : -$_, ('<b>&"', "x\e[2J", "\xff", "\xc3\xa4")[$_ % 4]] } 1 .. 9]);

{
	my $r = python(\<<'E', $dat);
import sys, zed
with zed.open(sys.argv[1]) as trace:
    n, s, q = trace.count("mini:tick", by="who"), trace.stats("mini:tick", "n", by="who"), trace.quantiles("mini:tick", "n")
    trace.run()
t = s.table
print(type(t).__name__, len(t), t.columns, t.title, repr(t))
print([row["who"] for row in t] == t["who"] == list(s), t[0] == s.rows[0], t[-1]["count"])
html = n._repr_html_()
print(html.startswith("<table"), "&lt;b&gt;&amp;" in html, "<b>" not in html, "\x1b" not in html, r"x\x1b[2J" in html, "ä" in html, r"\xff" in html)
html.encode("utf-8")
print(str(t).splitlines()[0].split(), len({len(line) for line in str(n.table).splitlines()}) <= 2)
try:
    t["nothing"]
except KeyError as error:
    print(error)
big = zed.Table(["a", "b"], [{"a": i} for i in range(1500)], "x<y")
print(big._repr_html_().count("<tr>"), "... and 500 more" in big._repr_html_(), "<caption>x&lt;y</caption>" in big._repr_html_(), big["b"][0])
print(q.table["p50"], q.table["buckets"][0][0])
E
	is($r->{out}, <<'E', 'rows, columns, HTML') or diag $r->{err};
Table 4 ['who', 'count', 'sum', 'min', 'max', 'mean', 'stddev'] stats of n, mini:tick by who <zed.Table who, count, sum, min, max, mean, stddev: 4 rows>
True True 2
True True True True True True True
['who', 'count', 'sum', 'min', 'max', 'mean', 'stddev'] True
"no column 'nothing': who, count, sum, min, max, mean, stddev"
1001 True True None
[1] (-8, -8, 1)
E
	is($r->{err}, '', '... and nothing is said');
}
{
	my $r = python(\<<'E');
import copy, pickle, zed
n = zed.Named(3, "READ")
print(n, repr(n), n + 1, n == 3, n.name, f"{n}", f"{n:d}", f"{n:>6}", {3: "x"}[n], int(n), isinstance(n, int))
print(pickle.loads(pickle.dumps(n)).name, copy.deepcopy(n).name)
E
	is("$r->{out}$r->{err}", "READ <READ: 3> 4 True READ READ 3   READ x 3 True\nREAD READ\n", 'a number with a name is a number');
}

# ---------------------------------------------------------------- frames

my $frames = <<'E';
import sys, zed
with zed.open(sys.argv[1]) as trace:
    s = trace.stats("mini:tick", "n", by="who")
    big = trace.sum("mini:tick", "n * 4611686018427387904")
    trace.run()
E
{
	# Packages of these names that cannot be loaded, wherever the true ones are.
	my $none = zed_tmp() . '/none';
	mkdir $none;
	spew("$none/$_.py", "raise ImportError('not here')\n") for qw(pyarrow pandas);
	my $r = python({ env => { PYTHONPATH => $none . ':' . python_dir() } }, \($frames . <<'E'), $dat);
for make in (s.to_arrow, s.table.to_arrow, s.to_pandas, s.table.to_pandas):
    try:
        make()
    except ImportError as error:
        print(error)
E
	is("$r->{out}$r->{err}", join('', map { my $p = $_; "to_$_->[1]() needs the package $_->[0]: pip install $_->[0] (not here)\n" x 2 } ['pyarrow', 'arrow'], ['pandas', 'pandas']),
		'without the packages a message says what to install (else: a traceback out of a folder of ours)');
}
{
	# Packages that do what the true ones do with such columns.
	my $played = zed_tmp() . '/played';
	mkdir $played;
	spew("$played/pyarrow.py", <<'E');
def uint64():
    return "uint64"
def float64():
    return "float64"
def array(values, type=None):
    given = {v.__class__ for v in values if v is not None}
    if type is None and len(given) > 1 and given != {int, float}:
        raise ValueError("mixed")
    if type is not None and not given <= {int, float}:
        raise TypeError(f"not a number for {type}")
    if int in given and type != "float64" and max(v for v in values if v is not None) >= 2 ** (64 if type else 63):
        raise OverflowError("too big")
    [v.encode("utf-8") for v in values if isinstance(v, str)]
    return [type, *values]
def table(columns):
    return columns
E
	spew("$played/pandas.py", "def DataFrame(values, columns):\n    return list(values), columns\n");
	my $r = python({ env => { PYTHONPATH => $played . ':' . python_dir() } }, \($frames . <<'E'), $dat);
print([(name, column[0], len(column)) for name, column in s.to_arrow().items()][:2], s.to_arrow()["count"][1:] == s.table["count"])
wide = zed.Table(["v", "w", "m", "t"], [{"v": 2 ** 64 - 1, "w": 2 ** 64, "m": "a", "t": "\udcff"}, {"v": 0, "w": 1.5, "m": 1}, {}])
print(wide.to_arrow())
print(s.to_pandas() == (s.columns, s.columns))
E
	is($r->{out}, <<'E', 'columns become wider, or text, where they have to') or diag $r->{err};
[('who', None, 5), ('count', None, 5)] True
{'v': ['uint64', 18446744073709551615, 0, None], 'w': ['float64', 18446744073709551616, 1.5, None], 'm': [None, 'a', '1', None], 't': [None, '\\xff', None, None]}
True
E
}
SKIP: {
	my $has = python(\"import pandas\nprint('yes')\n");
	skip 'pandas is not installed', 1 if $has->{out} ne "yes\n";
	my $r = python(\($frames . <<'E'), $dat);
p = s.to_pandas()
print(s.columns == list(p.columns), len(p), list(p["count"]) == [row["count"] for row in s.rows])
E
	is($r->{out}, "True 4 True\n", 'a frame of pandas has the columns and rows') or diag $r->{err};
}
SKIP: {
	my $has = python(\"import pyarrow\nprint('yes')\n");
	skip 'pyarrow is not installed', 2 if $has->{out} ne "yes\n";
	my $r = python(\($frames . <<'E'), $dat);
a = s.to_arrow()
print(a.column_names == s.columns, a.num_rows)
print(a.column("count").to_pylist() == [row["count"] for row in s.rows], a.column("who").to_pylist()[0])
wide = zed.Table(["v", "m"], [{"v": 2 ** 64 - 1, "m": "a"}, {"v": 0, "m": 1}, {}])
print(wide.to_arrow().column("v").to_pylist(), wide.to_arrow().column("m").to_pylist())
E
	like($r->{out}, qr/\ATrue 4\nTrue /, 'a table of pyarrow has the columns and rows') or diag $r->{err};
	like($r->{out}, qr/\[18446744073709551615, 0, None\] \['a', '1', None\]\n/, 'numbers of 64 bits, and mixed columns');
}

done_testing();
