/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FLIGHT_FLIGHT_H
#define ZED_RECORD_FLIGHT_FLIGHT_H

#include "record/file/file_names.h"
#include "record/file/spool.h"

/*
 * A flight recorder: a session whose buffers keep the newest events unread until they are asked
 * for; then they become a trace.dat.  Tracing is paused while the buffers are emptied, so that the
 * events asked for are not overwritten meanwhile; the result says for how long.  A file has the
 * events since the file before, so no event is in two.
 */
struct flight;

struct flight_opts {
	struct session *session; /* borrowed until flight_close(); started by flight_open() */
	const char *path;	 /* names files that have no name of their own (file_names.h) */
	uint64_t window;	 /* ns: older sub-buffers are left out; 0: none are */
	struct keep keep;	 /* which of the files named by PATH are kept */
	/* Is given each file named by PATH that is complete; may be NULL. */
	void (*made)(void *arg, const char *path);
	void *arg; /* of made() */
	enum codec codec;
	bool plain; /* codec, plain: as of struct spool_opts */
	bool date;  /* record the time of day (record/session_meta.h) */
	bool maps;  /* record what processes have mapped (kernel/session/task_maps.h) */
	const volatile int *stop;
	struct notes *notes;
};

struct flight_result {
	char path[512];
	uint64_t events, older; /* events written, and left out as too old */
	uint64_t own;		/* events written that our own process caused */
	uint64_t traced;	/* ns of time covered: the window, or since the file before */
	uint64_t overwritten;	/* events that were overwritten */
	uint64_t span;		/* ns from the first event to the end; 0: not known */
	uint64_t still;		/* ns that tracing was paused */
	bool short_of;		/* the buffers hold less than the window */
};

/* Start the session.  NULL with E: also if the clock cannot show what is in the window. */
struct flight *flight_open(const struct flight_opts *o, struct err *e);
void flight_close(struct flight *f); /* writes nothing; the session is left to its owner */

/*
 * Call it about once a second: takes names of tasks while the kernel has them, and removes files as
 * far as keep.free asks for it.
 */
void flight_tend(struct flight *f);

/* The descriptors that poll() reports when names wait, as watch_fds(). */
struct pollfd;
unsigned flight_fds(const struct flight *f, struct pollfd *fds, unsigned max);

/*
 * Write what the buffers hold to PATH, or to the next file of the session's own name (NULL), and
 * continue.  -1 with E: tracing continues all the same; what could not be written is lost, except
 * for what the message says was kept.
 */
int flight_write(struct flight *f, const char *path, struct flight_result *r, struct err *e);

/*
 * The session records other events from here on (session_change): files are to describe these.
 * What it recorded before must have been written.  -1 with E: files describe the events before.
 */
int flight_renew(struct flight *f, struct err *e);

/* Events that the buffers hold now, and those that were dropped since the start. */
void flight_progress(const struct flight *f, uint64_t *events, uint64_t *lost);

/* Is there anything to write? */
bool flight_has_events(const struct flight *f);

const struct parts *flight_parts(const struct flight *f);

#endif
