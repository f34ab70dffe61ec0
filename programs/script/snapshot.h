/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_SNAPSHOT_H
#define ZED_PROGRAMS_SCRIPT_SNAPSHOT_H

#include "programs/amount.h"
#include "programs/script/live_session.h"
#include "run/pump.h"

/*
 * What Zed::snapshot writes (--live --flight): a second instance with the events of the live run,
 * which is not read until then, so that it is complete however slow the script is.
 */
struct live_flight;

/*
 * O: as for the session of the run, whose second instance it becomes; W: the other processes
 * excluded from system calls.  NULL with E.
 */
struct live_flight *liveflight_open(const struct session_opts *o, const struct session_words *w,
				    const struct amount *keep, struct notes *n, struct err *e);

/* Begin to keep events.  -1 with E. */
int liveflight_start(struct live_flight *f, struct err *e);

/* What the run looks after: names of tasks, which the kernel has room for only for a moment. */
struct poll_hook *liveflight_hook(struct live_flight *f);

/*
 * Write the kept events to NAME (NULL: the next of snapshot.000001.dat, ...); PATH gets the name.
 * -1 with E.
 */
int liveflight_write(struct live_flight *f, const char *name, char *path, size_t size,
		     struct err *e);

void liveflight_close(struct live_flight *f);

#endif
