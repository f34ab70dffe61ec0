/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PY_LOSSES_H
#define ZED_INTERP_PYTHON_PY_LOSSES_H

#include "interp/python/pyrun.h"

/* trace_lost(cpu, count_or_None): losses before an event, and those without a place. */

/* Those before EV, if it has some.  -1: an exception is set. */
int py_losses_before(struct pyrun *r, const struct event *ev);

/* Live: such losses without a place are looked for from now on (PY_LOSSES) ... */
void py_losses_watch(struct pyrun *r);
/* ... and told.  -1: an exception is set. */
int py_losses_tell(struct pyrun *r);

/* EV's losses are not in what was asked for. */
void py_losses_beyond(struct pyrun *r, const struct event *ev);

/*
 * After the last event: those that only the recorder's statistics have, and messages about those
 * that may be in what was asked for.  -1: an exception is set.
 */
int py_losses_end(struct pyrun *r);

/*
 * At the very end: a message about lost events, unless trace_lost was called for them, the script
 * has looked at them, or an answer was printed with them.  HOW: what in Python has them.  Only for
 * the program's run: that of zed.open() warns of all losses.
 */
void py_losses_say(struct pyrun *r, const char *how);

#endif
