/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_VALUE_TRIGGER_H
#define ZED_PROGRAMS_ZEDTRACE_VALUE_TRIGGER_H

#include "programs/zedtrace/zedtrace.h"

/*
 * Waits for the values of --when that the kernel cannot compute: of events made of two, "wait:cpu
 * delay > 5ms" (run/synthetic).  Their two events come from a small instance of their own, and are
 * put together by a thread.
 */
struct value_trigger;

/* Is TEXT, a value of --when, about such an event: one of --synthetic, or wait:cpu? */
bool valuetrigger_takes(const struct zedtrace *z, const char *text);

/* The instance, tracing off, for all such values of Z->when; N is borrowed.  NULL with E. */
struct value_trigger *valuetrigger_new(struct zedtrace *z, struct notes *n, struct err *e);
int valuetrigger_start(struct value_trigger *t, struct err *e);

/* Ends the thread, which takes up to a quarter of a second, and removes the instance. */
void valuetrigger_free(struct value_trigger *t);

const char *valuetrigger_dir(const struct value_trigger *t); /* of the instance */
int valuetrigger_fd(const struct value_trigger *t);	     /* poll() reports that one has come */

/* Has one come since the last call?  Does not wait. */
bool valuetrigger_look(struct value_trigger *t);

#endif
