/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CGROUPS_CGROUPS_H
#define ZED_TRACE_CGROUPS_CGROUPS_H

#include "trace/cgroups/cgroup_log.h"

/*
 * The cgroups of a machine's tasks: where is PID at the time of the current event?
 *
 * They come from the recording's log, which is read when the first one is needed, or one by one
 * from a source that learns of them while it is read.  Times are those of events, and only move
 * forward.  What is returned is borrowed until the next call.
 */

/* Where they come from. */
struct cgroups_source {
	/* The log (cgroup_log.h), *LEN bytes (0: none), sorted by time; borrowed. */
	const uint8_t *(*log)(void *arg, size_t *len);
	/* The time of an event with this stamp of the trace clock.  NULL: the stamp itself. */
	uint64_t (*shown)(void *arg, uint64_t stamp);
	void *arg; /* valid until cgroups_free() */
};

struct cgroups;

struct cgroups *cgroups_new(const struct cgroups_source *source);

/* Take a reference to C; the last user's cgroups_free() frees it. */
struct cgroups *cgroups_share(struct cgroups *c);
void cgroups_free(struct cgroups *c); /* NULL is fine */

/*
 * The cgroup of PID at NOW, the time of an event: "/" for 0, the idle task, if there are any
 * cgroups.  NULL: unknown, which is counted.
 */
const char *cgroups_path(struct cgroups *c, uint64_t now, int32_t pid);

/*
 * R, of a source that is read at NOW; with a time of 0 it is valid from now on.  Call before
 * delivering the events of that time.  If more than 262,144 are pending, or 32 MiB of paths, the
 * earliest take effect too early.
 */
void cgroups_add(struct cgroups *c, uint64_t now, const struct cgroup_record *r);

/* Has any been asked for, or has come?  If not, a past time can still be asked for. */
bool cgroups_are_read(const struct cgroups *c);

/*
 * A stored event is delivered again: its task PID is in PATH (borrowed), regardless of later
 * changes.  PATH NULL: end of that.
 */
void cgroups_replay(struct cgroups *c, int32_t pid, const char *path);

/* What is delivered again now, of *PID, to be put back after something else was; NULL: nothing. */
const char *cgroups_replayed(const struct cgroups *c, int32_t *pid);

/* Has the recording any? */
bool cgroups_known(struct cgroups *c);

/* The number of answers so far that were NULL. */
uint64_t cgroups_unknown(const struct cgroups *c);

#endif
