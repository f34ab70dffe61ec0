/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FLIGHT_FLIGHT_H
#define ZED_RECORD_FLIGHT_FLIGHT_H

#include "record/file/file_names.h"
#include "record/file/spool.h"

/*
 * A flight recorder: a session in whose buffers the newest events stay, nothing being read, until
 * they are asked for: then they become a trace.dat.  Tracing stands still while the buffers are
 * emptied, so that what is wanted is not overwritten meanwhile; how long, the result tells.  A file
 * has what came since the one before, so no event is in two.
 */
struct flight;

struct flight_opts {
	struct session *session; /* borrowed until flight_close(); started by flight_open() */
	const char *path;	 /* names files that have no name of their own (parts.h) */
	uint64_t window;	 /* ns: older sub-buffers are left out; 0: none are */
	unsigned keep;		 /* of the files named by PATH so many stay; 0: all */
	enum codec codec;
	bool plain; /* codec, plain: as of struct spool_opts */
	bool date;  /* tell the time of day (record/session_meta.h) */
	const volatile int *stop;
	struct notes *notes;
};

struct flight_result {
	char path[512];
	uint64_t events, older; /* written; left out, as the window says */
	uint64_t own;		/* of those written: what our process caused */
	uint64_t traced;      /* ns that these may be of: of the window, or since the file before */
	uint64_t overwritten; /* the buffers had no more room for these */
	uint64_t span;	      /* ns from the first event to the end; 0: not known */
	uint64_t still;	      /* ns that tracing was paused */
	bool short_of;	      /* the buffers held less than the window */
};

/* Start the session.  NULL with E: also where the clock cannot tell what is in the window. */
struct flight *flight_open(const struct flight_opts *o, struct err *e);
void flight_close(struct flight *f); /* writes nothing; the session is left to its owner */

/* Call it about once a second: takes names of tasks while the kernel has them. */
void flight_tend(struct flight *f);

/* The descriptors that tell that names wait, as watch_fds(). */
struct pollfd;
unsigned flight_fds(const struct flight *f, struct pollfd *fds, unsigned max);

/*
 * Write what the buffers hold to PATH, or to the next file of the session's own name (NULL), and go
 * on.  -1 with E: tracing goes on all the same; what could not be written is lost, except for what
 * the message says is kept.
 */
int flight_write(struct flight *f, const char *path, struct flight_result *r, struct err *e);

/* Is there anything to write? */
bool flight_has_events(const struct flight *f);

const struct parts *flight_parts(const struct flight *f);

#endif
