# SPDX-License-Identifier: GPL-2.0-or-later
"""Util for scripts that were written for perf script: times, statistics, names of calls and errors.

zedpython has it built in, for when PERF_EXEC_PATH does not lead to perf's own.
"""

import errno
import zed

__all__ = ["FUTEX_WAIT", "FUTEX_WAKE", "FUTEX_PRIVATE_FLAG", "FUTEX_CLOCK_REALTIME",
           "FUTEX_CMD_MASK", "NSECS_PER_SEC", "avg", "nsecs", "nsecs_secs", "nsecs_nsecs",
           "nsecs_str", "add_stats", "clear_term", "syscall_name", "strerror"]

# linux/futex.h
FUTEX_WAIT = 0
FUTEX_WAKE = 1
FUTEX_PRIVATE_FLAG = 128
FUTEX_CLOCK_REALTIME = 256
FUTEX_CMD_MASK = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

NSECS_PER_SEC = 1_000_000_000


def avg(total, n):
    return total / n


def nsecs(secs, nsecs):
    """Both as one number of ns."""
    return secs * NSECS_PER_SEC + nsecs


def nsecs_secs(nsecs):
    """The whole seconds of it."""
    return nsecs // NSECS_PER_SEC


def nsecs_nsecs(nsecs):
    return nsecs % NSECS_PER_SEC


def nsecs_str(nsecs):
    return "%5u.%09u" % (nsecs // NSECS_PER_SEC, nsecs % NSECS_PER_SEC)


def add_stats(stats, key, value):
    """stats[key] = (least, most, average of the last two, number)."""
    if key not in stats:
        stats[key] = (value, value, value, 1)
        return
    least, most, average, n = stats[key]
    stats[key] = (min(least, value), max(most, value), (average + value) / 2, n + 1)


def clear_term():
    print("\x1b[H\x1b[2J")


def syscall_name(id):
    """Its name on the machine that was traced, or the number as text."""
    return zed.syscall(id) or str(id)


def strerror(nr):
    """The name of an error, of either sign."""
    try:
        return errno.errorcode[abs(nr)]
    except KeyError:
        return "Unknown %d errno" % nr
