# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf-calls.pl in Python: a script as perf's users have them: the system calls of each process, and how many failed.
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")
from perf_trace_context import *
from Core import *

calls = autodict()


def count(pid, what):
    try:
        calls[pid][what] += 1
    except TypeError:
        calls[pid][what] = 1


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, id, args):
    count(common_pid, id)


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                           common_callchain, id, ret):
    if ret < 0:
        count(common_pid, "failed")


def trace_end():
    for pid in sorted(calls):
        for what in sorted(calls[pid], key=str):
            print(pid, what, calls[pid][what])
