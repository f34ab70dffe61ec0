/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_JUMP_H
#define ZED_RUN_JUMP_H

#include "trace/comms/comms.h"
#include "trace/stream.h"

/*
 * What somebody who has read a source before knows of it, so that a run of a part of its time need
 * not read the rest: places in its streams, and the names of tasks in the events between them.  The
 * run's output is the same as without it.
 */
struct jump_name {
	uint64_t ts;	 /* of the event */
	unsigned stream; /* of its source */
	enum comm_event kind;
	int32_t pid;
	const char *name; /* LEN bytes, borrowed until the next call */
	size_t len;
};

/* STREAM: its number in its source. */
struct jumps {
	/* The last place that begins before TS.  False: none; it begins at its beginning. */
	bool (*before)(void *arg, unsigned stream, uint64_t ts, struct stream_place *out);
	/* Its end: what is counted when all has been read.  False: not known. */
	bool (*last)(void *arg, unsigned stream, struct stream_place *out);
	/* Its first and last time, as source_ops.ends finds them.  False: not known. */
	bool (*ends)(void *arg, unsigned stream, struct period *out);
	/* Names in events, in the order of the run: the *AT-th, which is incremented. */
	bool (*name)(void *arg, uint64_t *at, struct jump_name *out);
	/* The first of them whose event is not earlier than TS. */
	uint64_t (*name_at)(void *arg, uint64_t ts);
	void *arg;
};

struct pump;
struct source;
struct event;

/*
 * Before the run: J (borrowed until pump_fini()) knows the source number SOURCE of P.  It is used
 * if only a part of the time is asked for, and no type is wanted beyond it.
 */
void pump_jumps(struct pump *p, unsigned source, const struct jumps *j);

/* ---- for the run ---- */

/* The first and last times of the streams of source I into V.  False: they are not known. */
bool jump_ends(const struct pump *p, unsigned i, struct period *v);

/* Stream number K of source number I is about to be entered: begin it where its window does. */
void jump_stream(struct pump *p, unsigned i, unsigned k);

/* EV is the first event in the window: its names are those of the whole source. */
void jump_reach(struct pump *p, const struct event *ev);

/* Is EV of a source whose names come from its jumps, and not in the window? */
bool jump_has_names(const struct pump *p, const struct event *ev);

/* All has been read: the names after the window. */
void jump_finish(struct pump *p);

void jump_fini(struct pump *p);

#endif
