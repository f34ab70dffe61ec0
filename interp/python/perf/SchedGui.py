# SPDX-License-Identifier: GPL-2.0-or-later
"""SchedGui of perf draws with wxPython; zedpython has none of its own."""

raise ImportError(
    "SchedGui is not built into zedpython: set PERF_EXEC_PATH to the folder of perf's scripts (for"
    " example /usr/lib/perf-core), and install wxPython (apt-get install python3-wxgtk4.0)")
