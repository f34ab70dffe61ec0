# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds perf's modules in zedpython itself, after all other places have been looked at.

texts is a dict: name of a module -> its source; zedpython sets it.
"""

import os
import sys

# The class of specs, without importing importlib.
ModuleSpec = type(sys.__spec__)

# What __spec__.origin of such a module begins with.
ORIGIN = "zedpython:perf/"


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in texts:
            return None
        return ModuleSpec(name, Finder, origin=ORIGIN + name + ".py")

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        text = texts[module.__name__]
        exec(compile(text, module.__spec__.origin, "exec"), module.__dict__)


def start(names_path):
    """Before the script runs; names_path: it uses os.environ["PERF_EXEC_PATH"]."""
    sys.meta_path.append(Finder)
    if not names_path or "PERF_EXEC_PATH" in os.environ:
        return
    # Only what this script sees: perf, run by it, would look for its own programs there.
    data = getattr(os.environ, "_data", None)
    if data is None:
        os.environ["PERF_EXEC_PATH"] = ""
    else:
        data[os.environ.encodekey("PERF_EXEC_PATH")] = os.environ.encodevalue("")


def loaded():
    """Has the script imported one of perf's modules, or of these?"""
    if "perf_trace_context" in sys.modules:
        return True
    for name in texts:
        origin = getattr(getattr(sys.modules.get(name), "__spec__", None), "origin", None) or ""
        if origin.startswith(ORIGIN) or "Perf-Trace-Util" in origin:
            return True
    return False
