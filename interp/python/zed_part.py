# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed_part: the part of the module zed that is written in Python: tables, and the analyses of zedperl. It is run in the
# module's own namespace, in which open(), Trace and plain() are those of C.
# Modules that take time to load are imported where they are used: every script waits for this one.
import _collections_abc as _abc  # collections.abc, which is not loaded yet
import builtins as _builtins  # min, max, sum and open are the module's own here
import os as _os

_SHOWN = 1000  # rows of a table in a notebook

_abc.Mapping.register(Aggregation)
_abc.Mapping.register(Event)


class Named(int):
    """A number that has a name: a value of an enumeration. str() is the name."""

    name: str

    def __new__(cls, value, name):
        self = int.__new__(cls, value)
        self.name = name
        return self

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"<{self.name}: {int(self)}>"

    def __format__(self, spec):
        return format(int(self) if spec and spec[-1] in "bcdeEfFgGnoxX%" else self.name, spec)

    def __reduce__(self):
        return Named, (int(self), self.name)


class Table:
    """Rows with named columns: of an analysis, or of an aggregation.

    rows: list of dicts, in which a value that is not there may be missing; columns: their names, in order; title: a
    str or None. heads, types, units: by the name of a column, what an analysis says about it.
    table[0] is a row, table["comm"] a column as a list."""

    columns: list
    rows: list
    title: str
    heads: dict
    types: dict
    units: dict

    def __init__(self, columns, rows, title=None, *, heads=None, types=None, units=None):
        self.columns = list(columns)
        self.rows = list(rows)
        self.title = title
        self.heads = heads or {}
        self.types = types or {}
        self.units = units or {}

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, which):
        """Return the row of that number, or the column of that name as a list."""
        if not isinstance(which, str):
            return self.rows[which]
        if which not in self.columns:
            raise KeyError(f"no column {which!r}: {', '.join(self.columns)}")
        return [row.get(which) for row in self.rows]

    def to_arrow(self):
        """Return the rows as a pyarrow.Table; needs the package pyarrow."""
        pyarrow = _package("pyarrow", "to_arrow")
        return pyarrow.table({name: _arrow_column(pyarrow, self[name]) for name in self.columns})

    def to_pandas(self):
        """Return the rows as a pandas.DataFrame; needs the package pandas."""
        pandas = _package("pandas", "to_pandas")
        return pandas.DataFrame({name: self[name] for name in self.columns}, columns=self.columns)

    def _head(self, name):
        head, unit = self.heads.get(name, name), self.units.get(name)
        return f"{head} [{unit}]" if unit else head

    def _repr_html_(self):
        parts = ["<table>"]
        if self.title:
            parts.append(f"<caption>{_escape(self.title)}</caption>")
        heads = "".join(f"<th>{_escape(self._head(name))}</th>" for name in self.columns)
        parts.append(f"<thead><tr>{heads}</tr></thead><tbody>")
        for row in self.rows[:_SHOWN]:
            parts.append("<tr>" + "".join(_cell(row.get(name)) for name in self.columns) + "</tr>")
        parts.append("</tbody></table>")
        if len(self.rows) > _SHOWN:
            parts.append(f"<p>... and {len(self.rows) - _SHOWN} more</p>")
        return "".join(parts)

    def __str__(self):
        lines = [[self._head(name) for name in self.columns]]
        lines += [[_shown(row.get(name)) for name in self.columns] for row in self.rows]
        right = [all(_is_number(row.get(name)) for row in self.rows) for name in self.columns]
        widths = [_builtins.max(map(len, cells)) for cells in zip(*lines)]
        return "\n".join(
            "  ".join(cell.rjust(width) if number else cell.ljust(width)
                      for cell, width, number in zip(line, widths, right)).rstrip()
            for line in lines)

    def __repr__(self):
        return f"<zed.Table {', '.join(self.columns)}: {len(self.rows)} rows>"


class Answer(dict):
    """What an analysis found: its tables by name. script: its name; start, end: the time that it is about, ns;
    lost: a dict of how many events were lost; notes: list of dicts with key, text, often n; trace: a dict of what
    was read; main: the name of the most important table."""

    script: str
    start: int
    end: int
    lost: dict
    notes: list
    trace: dict
    main: str

    def __init__(self, found):
        super().__init__((name, _table_of(table)) for name, table in found.get("tables", {}).items())
        self.script = found.get("script")
        self.start = found.get("start")
        self.end = found.get("end")
        self.lost = found.get("lost", {})
        self.notes = found.get("notes", [])
        self.trace = found.get("trace", {})
        self.main = found.get("main")


def answer(name, trace, *args):
    """answer(name, trace, *args) -> Answer

    Run one of zedperl's analyses and return its tables. name: "wakeup-latency", "waits" ... or the path of a script;
    trace: a path, a list of paths, or a Trace, whose inputs and choice of events are those of the answer; args: more
    words for the analysis, such as "--limit", "3". zedperl is looked for beside this module or program, then in
    PATH."""
    import json, subprocess, warnings

    command = [_zedperl(), *_words_of(trace), name, "--json", *map(str, args)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    said = run.stderr.decode("utf-8", "surrogateescape").strip()
    try:
        found = json.loads(run.stdout.decode("utf-8", "surrogateescape"))
    except ValueError:
        found = None
    if not isinstance(found, dict) or "tables" not in found:
        raise Error(f"answer: {name}: {said or f'zedperl gave no answer (exit status {run.returncode})'}")
    for line in said.splitlines():
        warnings.warn(line, TraceWarning, stacklevel=2)
    return Answer(found)


def _words_of(trace):
    if isinstance(trace, Trace):
        return trace._again()
    paths = [trace] if isinstance(trace, (str, bytes, _os.PathLike)) else list(trace)
    if not paths:
        raise Error("answer: no trace is given")
    return [word for path in paths for word in ("-i", _os.fsdecode(path))]


def _folders():
    """Where zedperl may be."""
    if globals().get("__file__"):
        yield _os.path.dirname(_os.path.abspath(__file__))
    try:
        yield _os.path.dirname(_os.readlink("/proc/self/exe"))
    except OSError:
        pass
    yield from (folder for folder in _os.get_exec_path() if folder)


def _zedperl():
    for folder in _folders():
        path = _os.path.join(folder, "zedperl")
        if _os.path.isfile(path) and _os.access(path, _os.X_OK):
            return path
    raise Error("answer: zedperl is neither beside this module nor in PATH: it runs the analyses")


def _table_of(table):
    columns = [column["key"] for column in table["columns"]]
    about = {what: {column["key"]: column[name] for column in table["columns"] if name in column}
             for what, name in (("heads", "head"), ("types", "type"), ("units", "unit"))}
    return Table(columns, table["rows"], table.get("title"), **about)


def _package(name, method):
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(f"{method}() needs the package {name}: pip install {name} ({error})") from None


def _arrow_column(pyarrow, values):
    """A column of one type: numbers that exceed it, or other kinds, make it wider, or text."""
    texts = [_utf8(value) if isinstance(value, str) else value for value in values]
    for kind in (None, pyarrow.uint64(), pyarrow.float64()):
        try:
            return pyarrow.array(texts, type=kind)
        except (OverflowError, TypeError, ValueError):  # pyarrow's own are some of these
            pass
    return pyarrow.array([None if value is None else str(value) for value in texts])


def _utf8(text):
    """text, in which bytes that are not UTF-8 are \\xNN."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _is_number(value):
    return value is None or isinstance(value, (int, float)) and not isinstance(value, Named)


def _shown(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(_utf8(str(value)))


def _escape(text):
    return _entities(plain(_utf8(str(text))))


def _entities(text):
    for letter, entity in ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"):
        text = text.replace(letter, entity)
    return text


def _cell(value):
    right = ' style="text-align:right"' if _is_number(value) else ""
    return f"<td{right}>{_entities(_shown(value))}</td>"
