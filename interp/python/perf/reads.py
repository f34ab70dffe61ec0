# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of its parameters a function reads: what it does not read need not be made."""

import opcode

# What may look at all variables of the function that has it; a name of an attribute counts, too.
LOOKERS = frozenset(("locals", "vars", "dir", "eval", "exec", "breakpoint", "set_trace", "_getframe",
                     "currentframe", "stack", "f_locals"))


def places(name, arg):
    """The variables of an instruction: numbers of two of them share one argument."""
    return (arg >> 4, arg & 15) if name.count("FAST") > 1 else (arg,)


def reads(code):
    """The numbers of the parameters of code that it may read; None: all, it cannot be seen."""
    if LOOKERS.intersection(code.co_names):
        return None
    found = set()
    # Variables that functions inside of it have, too.
    for name in code.co_cellvars:
        if name in code.co_varnames:
            found.add(code.co_varnames.index(name))
    extended = 0
    text = code.co_code
    for at in range(0, len(text), 2):
        name, arg = opcode.opname[text[at]], text[at + 1] | extended
        extended = arg << 8 if name == "EXTENDED_ARG" else 0
        # LOAD_FAST and all of its kind, those that only write, too.
        if "FAST" in name:
            found.update(places(name, arg))
    return frozenset(found)
