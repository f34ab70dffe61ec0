/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_TRIGGER_H
#define ZED_PROGRAMS_ZEDTRACE_TRIGGER_H

#include "programs/zedtrace/zedtrace.h"

#include <poll.h>

/*
 * The events of --when, in a small instance of their own, where the kernel filters them and wakes
 * us as soon as one has come.
 */
struct trigger;

/* Watch for what Z->when says, from now on.  NULL with E. */
struct trigger *trigger_open(struct zedtrace *z, struct notes *n, struct err *e);
void trigger_close(struct trigger *t);

const char *trigger_dir(const struct trigger *t); /* of the instance */

/* The descriptors on which poll() tells of an event, at most MAX into FDS.  Returns how many. */
unsigned trigger_fds(const struct trigger *t, struct pollfd *fds, unsigned max);

/* Has there been one since the last call?  Does not wait. */
bool trigger_look(struct trigger *t);

#endif
