/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_KERNEL_TRACEFS_H
#define ZED_READER_KERNEL_TRACEFS_H

#include "base/err.h"

/*
 * The files of tracefs: where they are, their texts, and the events that they list.  All errors say
 * what is missing and the command that mends it ("mount -t tracefs nodev /sys/kernel/tracing", "run
 * it as root: sudo ...").  Paths are those of the running system.
 */

#define TRACEFS_MAX_TEXT (64u << 20) /* bytes of one file that are read */

/*
 * The root of tracefs: the mount that /proc/mounts lists (tracefs first, then debugfs's tracing),
 * or ZED_TRACEFS of the environment.  Into ROOT of SIZE bytes.
 */
int tracefs_find(char *root, size_t size, struct err *e);

/*
 * The whole of DIR/NAME, with a NUL behind it, to be freed; *LEN bytes (may be NULL).  NULL with E.
 * At most TRACEFS_MAX_TEXT.
 */
char *tracefs_text(const char *dir, const char *name, size_t *len, struct err *e);

/* Write TEXT to DIR/NAME in one write, as these files want it.  -1 with E (sys: the errno). */
int tracefs_write(const char *dir, const char *name, const char *text, struct err *e);

/* The events of a kernel, sorted by system, then name. */
struct tracefs_event {
	const char *system, *name;
};

struct tracefs_events {
	struct tracefs_event *v;
	unsigned n;
	char *text; /* what the names point into */
};

/* From DIR/available_events.  -1 with E. */
int tracefs_events(struct tracefs_events *l, const char *dir, struct err *e);
void tracefs_events_fini(struct tracefs_events *l);

/* Their order, for qsort(): by system, then name. */
int tracefs_event_order(const void *a, const void *b);

/*
 * Set CHOSEN[i] (l->n bytes, given by the caller) for each event that PATTERN names: "sched",
 * "sched:sched_switch", "sched::sched_switch", globs in either part ("block:*_rq_*", "*"), and the
 * names that a Perl sub can have (a byte outside [A-Za-z0-9_] as '_': zedperl-scripts(7)).  Returns
 * how many there are; if none, -1 with E (ERR_USAGE), which names the nearest.
 */
int tracefs_match(const struct tracefs_events *l, const char *pattern, bool *chosen, struct err *e);

#endif
