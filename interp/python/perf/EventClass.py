# SPDX-License-Identifier: GPL-2.0-or-later
"""EventClass for scripts that were written for perf script: samples as objects, those of Intel's PEBS
with the registers that it recorded.

zedpython has it built in, for when PERF_EXEC_PATH does not lead to perf's own.
"""

import struct

__all__ = ["EVTYPE_GENERIC", "EVTYPE_PEBS", "EVTYPE_PEBS_LL", "EVTYPE_IBS", "PerfEvent",
           "PebsEvent", "PebsNHM", "create_event"]

EVTYPE_GENERIC = 0
EVTYPE_PEBS = 1  # the basic record
EVTYPE_PEBS_LL = 2  # with the latency of a load
EVTYPE_IBS = 3


class PerfEvent:
    """Any sample; event_num counts them."""

    event_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_GENERIC):
        self.name = name
        self.comm = comm
        self.dso = dso
        self.symbol = symbol
        self.raw_buf = raw_buf
        self.ev_type = ev_type
        PerfEvent.event_num += 1

    def show(self):
        print("PMU event: name=%12s, symbol=%24s, comm=%8s, dso=%12s"
              % (self.name, self.symbol, self.comm, self.dso))


class PebsEvent(PerfEvent):
    """A PEBS record: flags, ip and general registers, as Core 2 writes them."""

    pebs_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS):
        PerfEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        (self.flags, self.ip, self.ax, self.bx, self.cx, self.dx, self.si, self.di, self.bp,
         self.sp) = struct.unpack_from("<10Q", raw_buf)
        PebsEvent.pebs_num += 1


class PebsNHM(PebsEvent):
    """That of Nehalem and later: also a status, the data's address and source, and the latency."""

    pebs_nhm_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS_LL):
        PebsEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        self.status, self.dla, self.dse, self.lat = struct.unpack_from("<4Q", raw_buf, 144)
        PebsNHM.pebs_nhm_num += 1


def create_event(name, comm, dso, symbol, raw_buf):
    """By the size of the record that came with the sample."""
    kinds = {144: PebsEvent, 176: PebsNHM}
    return kinds.get(len(raw_buf), PerfEvent)(name, comm, dso, symbol, raw_buf)
