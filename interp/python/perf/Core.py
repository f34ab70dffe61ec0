# SPDX-License-Identifier: GPL-2.0-or-later
"""Core for scripts that were written for perf script: names of flags and numbers, and a few helpers.

zedpython has it built in, for when PERF_EXEC_PATH does not lead to perf's own.
"""

from collections import defaultdict

__all__ = ["autodict", "flag_fields", "symbolic_fields", "define_flag_field", "define_flag_value",
           "define_symbolic_field", "define_symbolic_value", "flag_str", "symbol_str", "trace_flags",
           "trace_flag_str", "taskState", "EventHeaders"]


def autodict():
    """A dict of dicts, as deep as it is written to."""
    return defaultdict(autodict)


# EVENT -> FIELD -> { "delim": text, "values": { number: name } }
flag_fields = autodict()
symbolic_fields = autodict()


# zedpython calls these four before the first event of a type, with what its print format says.

def define_flag_field(event_name, field_name, delim):
    flag_fields[event_name][field_name]["delim"] = delim


def define_flag_value(event_name, field_name, value, field_str):
    flag_fields[event_name][field_name]["values"][value] = field_str


def define_symbolic_field(event_name, field_name):
    # It is known by its values.
    symbolic_fields[event_name][field_name]["values"]


def define_symbolic_value(event_name, field_name, value, field_str):
    symbolic_fields[event_name][field_name]["values"][value] = field_str


def _table(fields, event_name, field_name):
    """The names of a field by number, or None; does not make any."""
    return fields.get(event_name, {}).get(field_name)


def flag_str(event_name, field_name, value):
    """The names of the bits of value, the lowest first."""
    table = _table(flag_fields, event_name, field_name)
    if table is None:
        return ""
    names = table.get("values", {})
    if not value:
        return names.get(0, "")
    found = []
    for bits in sorted(names):
        if bits and value & bits == bits:
            found.append(names[bits])
            value &= ~bits
    delim = table.get("delim")
    return (" %s " % delim if delim else "").join(found)


def symbol_str(event_name, field_name, value):
    """The name of value, or ""."""
    table = _table(symbolic_fields, event_name, field_name)
    return "" if table is None else table.get("values", {}).get(value, "")


trace_flags = {
    0x00: "NONE",
    0x01: "IRQS_OFF",
    0x02: "IRQS_NOSUPPORT",
    0x04: "NEED_RESCHED",
    0x08: "HARDIRQ",
    0x10: "SOFTIRQ",
}


def trace_flag_str(value):
    """What common_flags(context) says."""
    if not value:
        return trace_flags[0]
    return " | ".join(name for bit, name in trace_flags.items() if bit and value & bit)


def taskState(state):
    """The state in which a task was switched away, by sched_switch's prev_state."""
    return {0: "R", 1: "S", 2: "D", 64: "DEAD"}.get(state, "Unknown")


class EventHeaders:
    """The first arguments of a handler together."""

    def __init__(self, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                 common_callchain):
        self.cpu = common_cpu
        self.secs = common_secs
        self.nsecs = common_nsecs
        self.pid = common_pid
        self.comm = common_comm
        self.callchain = common_callchain

    def ts(self):
        """The time in ns."""
        return self.secs * 1_000_000_000 + self.nsecs

    def ts_format(self):
        """Seconds, a point, microseconds."""
        return "%d.%d" % (self.secs, self.nsecs // 1000)
